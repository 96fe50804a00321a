"""Scenes that are programs: a file with createScene(rootNode), as SOFA has them, or create_scene(root)."""

import importlib.machinery
import importlib.util
import os
import sys


def open_script(scene, path):
    """Runs the file and lets it fill the scene. Its directory comes first in sys.path."""
    path = os.path.abspath(path)
    directory = os.path.dirname(path)
    if directory not in sys.path:
        sys.path.insert(0, directory)
    name = os.path.splitext(os.path.basename(path))[0]
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader, origin=path))
    module.__file__ = path
    sys.modules[name] = module
    loader.exec_module(module)
    if hasattr(module, "createScene"):
        import Sofa
        Sofa._open(scene.root, module.createScene)
    elif hasattr(module, "create_scene"):
        module.create_scene(scene.root)
    else:
        near = [n for n in vars(module) if n.replace("_", "").lower() == "createscene"]
        meant = f"; did you mean that by {near[0]}?" if near else ""
        raise ImportError(f"it has neither createScene(rootNode) nor create_scene(root){meant}", name=name, path=path)
