"""Runs scenes."""
import divan as _divan_package

from . import _absent
from .Core import _base, _events, _node

_absent_names = {"initTextures": None, "SceneCheck": "divan check finds mistakes of a scene",
                 "SceneCheckMainRegistry": "divan check finds mistakes of a scene"}
_absent_names.pop("initTextures")


def _scene(node):
    return node._handle.scene


def _told(function, *args):
    """Calls into divan; an exception of a callback comes through as it is."""
    return function(*args)


def init(node):
    """Initialises a scene, or what was added to it since."""
    scene = _scene(node)
    if not scene.initialised:
        scene.init()
    else:
        node._handle.init()
    return node


def initRoot(node):
    return init(node)


def initNode(node):
    return init(node)


def animate(node, dt=0.0):
    """One step. Without a time step, that of the scene."""
    _ready(node).step(1, dt if dt else None)


def animateNSteps(node, n_steps, dt=0.0):
    """Several steps at once."""
    _ready(node).step(int(n_steps), dt if dt else None)


def _ready(node):
    scene = _scene(node)
    if not scene.initialised:
        scene.init()
    return scene


def reset(node):
    _scene(node).reset()


def load(filename):
    """Reads a scene file, XML or Python; None when it cannot be read."""
    from . import Helper
    try:
        if filename.endswith((".py", ".py3", ".pyscn")):
            root = _node.Node("root")
            _load_script(filename, root)
            return root
        return _base.wrap(_divan_package.load(filename, context=_node.context()).root)
    except _divan_package.Error as error:
        Helper.msg_error("Simulation", str(error))
        return None


def _load_script(filename, root):
    import Sofa
    module = Sofa.import_sofa_python_scene(filename)
    module.createScene(root)


def unload(node):
    """Gives back what a scene holds. Its nodes and components cannot be used any more."""
    scene = _scene(node)
    _base.wrappers(scene).clear()
    scene.close()


def print(node):
    """Prints the graph."""
    import builtins
    _print(node, 0, builtins.print)


def _print(node, depth, out):
    out("%s%s (Node)" % ("  " * depth, node.getName()))
    for component in node.objects:
        out("%s- %s: %s" % ("  " * (depth + 1), component.getName(), component.getClassName()))
    for child in node.children:
        _print(child, depth + 1, out)


def updateVisual(node):
    """Visual models follow their states after each step by themselves."""
    _ready(node)


def initVisual(node):
    """Visual models are made when a scene is initialised."""
    _ready(node)


initTextures = initVisual


def updateContext(node):
    """Gravity, time step and time go down from the root at the beginning of each step by themselves."""
    _ready(node)


def computeBBox(node):
    """Boxes of all components, their nodes and the scene."""
    _boxes(node)


def _boxes(node):
    from .Core import _data
    corners = []
    for component in node.objects:
        component.updateBBox()
        corners.append(component.bbox)
    corners += [_boxes(child) for child in node.children]
    low = [min(c) for c in zip(*(b.getMin() for b in corners))] if corners else []
    high = [max(c) for c in zip(*(b.getMax() for b in corners))] if corners else []
    if low and all(a <= b for a, b in zip(low, high)):
        node.bbox._assign(low + high)
    return node.bbox


def _energies(node):
    found = _ready(node).energies()
    return found["kinetic"], found["potential"]


__getattr__ = _absent.module("Sofa.Simulation", _absent_names)
