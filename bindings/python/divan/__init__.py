"""Divan: simulate deformable and rigid bodies.

    import divan
    scene = divan.load("liver.scn").init()
    scene.step(100)
    print(scene["/Liver/dofs"].position)

See docs/python.md.
"""

import os as _os

from . import _base, _divan
from ._base import DivergedError, Error, Message, SceneError, SceneWarning, UnknownComponentError
from ._component import Component, PyObject
from ._divan import Array, Context, Field, Node, Object, version
from ._batch import Batch
from ._scene import Scene

_divan._adopt(_base._make_error, SceneWarning, Message, Scene, _base.Writing, _base._wrap)
_divan._skip_frames(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)

load = Scene.load
parse = Scene.parse

__version__ = version
__all__ = ["Array", "Batch", "Component", "Context", "DivergedError", "Error", "Field", "Message", "Node", "Object", "PyObject", "Scene", "SceneError",
           "SceneWarning", "UnknownComponentError", "load", "parse", "version"]
