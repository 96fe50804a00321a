"""Sofa: scenes of SofaPython3 run with Divan.

    import Sofa, Sofa.Simulation

    root = Sofa.Core.Node("root")
    root.addObject("DefaultAnimationLoop")
    Sofa.Simulation.init(root)
    Sofa.Simulation.animate(root, 0.01)

docs/python.md lists which names of SofaPython3 there are.
"""
import importlib.machinery
import importlib.util
import inspect
import os
import sys
import traceback

import divan

divan._divan._skip_frames(os.path.dirname(os.path.abspath(__file__)) + os.sep)

from . import _absent, constants, Core, Helper, PyTypes, Simulation, Types, Components   # noqa: E402
from . import prefab   # noqa: E402
from .prefab import Prefab   # noqa: E402

__all__ = ["Components", "constants", "Core", "Helper", "Prefab", "Simulation", "Types", "prefab"]

# names of the first releases
Node, Object, Controller, ForceField = Core.Node, Core.Object, Core.Controller, Core.ForceFieldVec3d
Core.Prefab = Prefab

_absent_names = {"Lifetime": "", "Config": "", "livecoding": "", "Units": "",
                 "SofaGL": "the viewer draws in the browser", "SofaFEM": "", "SofaExporter": "exporters are components", "SofaSimulationCore": "",
                 "SofaTypes": "import SofaTypes"}


def _send(kind, target, text):
    frame = inspect.currentframe().f_back.f_back
    getattr(Helper, "msg_" + kind)(target, text, frame.f_code.co_filename, frame.f_lineno)


def msg_info(target, message=None):
    _send("info", *(("PythonScript", target) if message is None else (target, message)))


def msg_warning(target, message=None):
    _send("warning", *(("PythonScript", target) if message is None else (target, message)))


def msg_error(target, message=None):
    _send("error", *(("PythonScript", target) if message is None else (target, message)))


def msg_deprecated(target, message=None):
    _send("deprecated", *(("PythonScript", target) if message is None else (target, message)))


def getStackForSofa():
    """The stack of calls as text."""
    return formatStackForSofa(inspect.stack()[1:])


def formatStackForSofa(stack):
    return "At: " + "".join("\n  %s(%d): %s" % (e[1], e[2], e[3]) for e in stack) + "\n"


def getPythonCallingPoint():
    """File and line of the caller."""
    entry = inspect.stack()[1]
    return os.path.abspath(entry[1]), entry[2]


def getPythonCallingPointAsString():
    return formatStackForSofa(inspect.stack()[1:2])


def getSofaFormattedStringFromException(error):
    return "%r\nPython Stack (most recent are at the end):\n%s" % (
        error, "".join(traceback.format_tb(error.__traceback__)))


def sendMessageFromException(error):
    Helper.msg_error("PythonScript", getSofaFormattedStringFromException(error))


_modules_at_start = set(sys.modules)


def unloadModules():
    """Forgets modules that were imported since, so that scripts are read anew."""
    for name in [n for n in sys.modules if n not in _modules_at_start and not n.startswith(("Sofa", "divan", "numpy"))]:
        del sys.modules[name]


def pyType2sofaType(value):
    """The type of a Data that holds a value."""
    known = Core._types.guess(value)
    if known is not None:
        return known
    if isinstance(value, list):
        return "Vec3d" if len(value) == 3 else "vector<double>"
    return getattr(value, "sofaTypeName", None)


def PrefabBuilder(function):
    """Makes a prefab of a function build(self, parameter=default, ...)."""
    place = inspect.getframeinfo(inspect.currentframe().f_back)
    names = inspect.getfullargspec(function)
    defaults = dict(zip(names.args[::-1], (names.defaults or ())[::-1]))

    class Built(Core.RawPrefab):
        def doReInit(self):
            function(self, **{n: self.findData(n).value for n in names.args if n in defaults})

    def build(*args, **fields):
        fields.setdefault("name", function.__name__)
        node = Built(*args, **fields)
        node.setDefinitionSourceFileName(place.filename)
        node.setDefinitionSourceFilePos(place.lineno)
        node.addData("prefabname", value=function.__name__, type="string", group="Infos")
        node.addData("docstring", value=function.__doc__ or "", type="string", group="Infos")
        for name in names.args:
            if name in defaults:
                kind = pyType2sofaType(defaults[name])
                if kind is None:
                    raise TypeError("%s: the default of '%s' has no type of a Data" % (function.__name__, name))
                node.addPrefabParameter(name, "", kind, fields.get(name, defaults[name]))
        node._built = True
        node._build()
        return node

    build.__original__ = function
    build.__name__, build.__doc__ = function.__name__, function.__doc__
    return build


def import_sofa_python_scene(path):
    """The module of a scene file in Python. Its directory is where it finds modules beside it."""
    path = os.path.abspath(path)
    directory = os.path.dirname(path)
    if directory not in sys.path:
        sys.path.insert(0, directory)
    name = os.path.splitext(os.path.basename(path))[0].replace(".", "_")
    spec = importlib.util.spec_from_loader(name, importlib.machinery.SourceFileLoader(name, path), origin=path)
    module = importlib.util.module_from_spec(spec)
    module.__file__ = path
    spec.loader.exec_module(module)
    if not hasattr(module, "createScene"):
        raise ImportError("%s has no function createScene(rootNode)" % path)
    return module


def _open(root, create):
    """Called by `divan run scene.py`: createScene gets the root as a Sofa.Core.Node."""
    Core._node.use_context(root.scene.context)
    return create(Core._wrap(root))


def __getattr__(name):
    if name in ("Gui", "SofaConstraintSolver", "SofaLinearSolver", "SofaLinearSystem", "SofaDeformable",
                "SofaBaseTopology"):
        return importlib.import_module("Sofa." + name)
    return _absent.module("Sofa", _absent_names)(name)
