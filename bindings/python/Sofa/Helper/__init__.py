"""Messages, and where files are found."""
import os as _os
import sys as _sys

from .. import _absent
from . import System

_handlers = []

_absent_names = {"Version": "divan.version tells the version of Divan"}


class MessageHandler:
    """Hears of messages that scripts send while it is entered: process(message) gets a dictionary with type, sender,
    message, component and isEmpty."""

    def process(self, message):
        pass

    def __enter__(self):
        _handlers.append(self)
        return self

    def __exit__(self, *failure):
        _handlers.remove(self)
        return False


def _calling_point():
    here = _os.path.dirname(_os.path.dirname(_os.path.abspath(__file__)))
    frame = _sys._getframe(1)
    while frame is not None and _os.path.abspath(frame.f_code.co_filename).startswith(here):
        frame = frame.f_back
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def _arguments(args):
    """(sender or component, text, file, line) of the four ways to call."""
    from ..Core import Base
    if len(args) in (1, 3):
        args = ("PythonScript",) + tuple(args)
    if len(args) not in (2, 4):
        raise TypeError("a message is (text), (sender, text), (text, file, line) or (sender, text, file, line)")
    if not isinstance(args[0], (str, Base)):
        raise TypeError("the sender of a message is a text or a Sofa.Core.Base, not %r" % (args[0],))
    place = args[2:] if len(args) == 4 else _calling_point()
    return args[0], str(args[1]), str(place[0]), int(place[1])


def _send(kind, args):
    sender, text, file, line = _arguments(args)
    component = None if isinstance(sender, str) else sender
    name = sender if component is None else component.getName()
    if component is not None:
        component._log(kind, text)
    message = {"type": kind, "sender": name, "message": text, "component": component, "isEmpty": not text,
               "file": file, "line": line}
    for handler in list(_handlers):
        handler.process(message)
    if not _handlers and kind != "Info":
        where = "%s:%d: " % (file, line) if file else ""
        who = name if component is None else component.getPathName()
        print("%s%s: [%s] %s" % (where, kind.lower(), who, text), file=_sys.stderr)


def msg_info(*args):
    """An information; it is shown to handlers and kept by its component, not printed."""
    _send("Info", args)


def msg_advice(*args):
    _send("Advice", args)


def msg_warning(*args):
    _send("Warning", args)


def msg_error(*args):
    _send("Error", args)


def msg_deprecated(*args):
    _send("Deprecated", args)


def msg_fatal(*args):
    _send("Fatal", args)


def getCategoriesFromFile(file):
    """The kinds of components that read a file, by its ending."""
    from ..Core import ObjectFactory
    ending = _os.path.splitext(file)[1].lower()
    loaders = {".obj": "MeshOBJLoader", ".vtk": "MeshVTKLoader", ".vtu": "MeshVTKLoader", ".msh": "MeshGmshLoader",
               ".stl": "MeshSTLLoader", ".off": "MeshOffLoader", ".xyz": "MeshXspLoader", ".sph": "SphereLoader",
               ".gidmsh": "GIDMeshLoader", ".gid": "GIDMeshLoader"}
    name = loaders.get(ending)
    return [] if name is None else ObjectFactory.getComponent(name).categories


class Utils:
    """Directories of the user."""

    @staticmethod
    def GetSofaUserLocalDirectory():
        return _os.path.join(_os.path.expanduser("~"), ".config", "divan")

    @staticmethod
    def GetSofaDataDirectory():
        return _os.path.join(_os.path.expanduser("~"), ".local", "share", "divan")


class MessageDispatcher:
    """The handlers that hear of messages."""

    @staticmethod
    def getHandlers():
        return list(_handlers)

    @staticmethod
    def addHandler(handler):
        if handler not in _handlers:
            _handlers.append(handler)

    @staticmethod
    def rmHandler(handler):
        if handler in _handlers:
            _handlers.remove(handler)

    @staticmethod
    def clearHandlers():
        _handlers.clear()


def GetVersion():
    """Version of Divan."""
    import divan
    return divan.version


# vectors of the C++ side: lists here
VectorString = VectorDouble = VectorInt = VectorVec3d = list

system = System

__getattr__ = _absent.module("Sofa.Helper", _absent_names)
