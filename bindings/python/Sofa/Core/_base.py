"""Base: what nodes and components have in common."""
import os
import sys

import divan

from .. import _absent
from . import _data, _types
from ._data import Data, DataDict, LinkPath, PyField, unwrap

# Names that nodes, components and Data may not have: they would hide what SofaPython3 has under these names.
PROTECTED = ("children", "objects", "parents", "data", "links")

_makers = []   # (test, class): which class wraps a handle


def wrap(handle):
    """The one object of this layer for a node or component of divan."""
    if handle is None:
        return None
    table = wrappers(handle.scene)
    known = table.get(handle)
    if known is not None:
        return known
    for test, cls in _makers:
        if test(handle):
            self = cls.__new__(cls)
            break
    self._bind(handle)
    return self


def wrappers(scene):
    """The table handle -> wrapper of a scene. It goes with the scene."""
    try:
        return scene._sofa_wrappers
    except AttributeError:
        scene._sofa_wrappers = {}
        return scene._sofa_wrappers


def caller():
    """File and line of the script that called into this layer."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    frame = sys._getframe(1)
    while frame is not None and os.path.abspath(frame.f_code.co_filename).startswith(here):
        frame = frame.f_back
    return ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


class BaseClass:
    """What is known of the class of a component."""

    __module__ = "Sofa.Core"

    def __init__(self, name):
        self.className = name

    def __eq__(self, other):
        return isinstance(other, BaseClass) and self.className == other.className

    def __hash__(self):
        return hash(self.className)

    def __repr__(self):
        return "<BaseClass %s>" % self.className


class Base(_absent.Named):
    """A node or component. Fields are attributes; other attributes are Python's own."""

    __module__ = "Sofa.Core"

    def _bind(self, handle):
        object.__setattr__(self, "_handle", handle)
        wrappers(handle.scene)[handle] = self

    # --- attributes ---

    def __getattr__(self, name):
        if name.startswith("_") and name != "__data__":
            raise AttributeError(name)
        found = self._lookup(name)
        if found is not None:
            return found
        if name == "__data__":
            return DataDict(self)
        self._refuse(name)

    def _lookup(self, name):
        data = self.findData(name)
        if data is not None:
            return self.findLink(name) if isinstance(data, _data.DataLink) and not self._shows_data(name) else data
        return self.findLink(name)

    def _shows_data(self, name):
        return False

    def __setattr__(self, name, value):
        if not name.startswith("_") and "_handle" in self.__dict__ and not hasattr(type(self), name):
            data = self.findData(name)
            if data is not None:
                data._assign(value)
                return
            link = self.findLink(name)
            if isinstance(link, FreeLink):
                link.setLinkedBase(value)
                return
        object.__setattr__(self, name, value)

    def __dir__(self):
        return list(object.__dir__(self)) + self._data_names()

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)

    # --- Data ---

    def _data_names(self):
        return ["name"] + [n for n in self._handle.fields if n != "name"]

    def findData(self, name):
        if name == "name":
            return _data.wrap(self._name_field())
        field = self._find_field(name)
        return None if field is None else _data.wrap(field)

    def _find_field(self, name):
        return self._handle.field(name) if self._handle.has_field(name) else None

    def _name_field(self):
        return PyField(self, "name", "string", self.getName, self.setName, "name of the node or component")

    def getData(self, name):
        return self.findData(name)

    def getDataFields(self):
        return [self.findData(n) for n in self._data_names()]

    def setDataValues(self, **values):
        for name, value in values.items():
            data = self.findData(name)
            if data is None:
                raise AttributeError("there is no data field named '%s'" % name)
            data._assign(value)

    def addData(self, name=None, value=None, default=None, help="", group="", type=""):
        if isinstance(name, Data):
            return self._add_following(name.getName(), name, name.getHelp(), name.getGroup())
        if name in PROTECTED:
            raise ValueError("addData: '%s' is a protected keyword" % name)
        was_set = value is not None
        given = value if was_set else default
        if isinstance(given, str) and given.startswith("@"):
            given = self._find_data_at(given)
        if isinstance(given, Data):
            data = self._add_following(name, given, help, group)
        else:
            data = self._add_typed(name, type, given, help, group)
        _data._set_mark(data._f, "persistent", True)
        if not was_set:
            data.unset()
        return data

    def _find_data_at(self, link):
        path, dot, field = link[1:].rpartition(".")
        target = None
        if dot and path.strip("./"):
            target = self._context_handle().find(path)
        elif dot and path:
            target = self._context_handle().find(path)
        data = wrap(target).findData(field) if target is not None and field else None
        if data is None:
            raise ValueError("addData: no data field found with path %s" % link)
        return data

    def _add_typed(self, name, type, value, help, group):
        if type not in _types.CREATABLE:
            raise TypeError("addData: '%s' is no type of a data field; there are: %s"
                            % (type, ", ".join(sorted(_types.CREATABLE))))
        kind = _types.CREATABLE[type]
        existing = self.findData(name)
        if existing is not None:
            if value is not None:
                existing._assign(value)
            return existing
        value = _data.plain(value)
        field = self._handle.add_field(name, kind, help=help, group=group)
        _types.declare(field, type)
        data = _data.wrap(field)
        if value is not None and not (hasattr(value, "__len__") and not isinstance(value, str) and _is_hollow(value)):
            data._assign(value)
        return data

    def _add_following(self, name, source, help, group):
        kind = _types.like(source._f)
        if kind is None:
            raise TypeError("addData: no new field can follow %s of the type %s"
                            % (source.getPathName(), source.typeName()))
        if self._find_field(name) is None:
            field = self._handle.add_field(name, kind, help=help or source.getHelp(), group=group or source.getGroup())
            _types.declare(field, source.typeName())
        data = self.findData(name)
        data.setParent(source)
        return data

    def _settle_links(self):
        """Data that were to follow others which stood elsewhere: linked once all stand in one graph."""
        waiting = self.__dict__.get("_waiting", {})
        for name, source in list(waiting.items()):
            target = source._f if isinstance(source, Data) else source._handle
            if (target.owner if isinstance(source, Data) else target).scene is self._handle.scene:
                self._handle.field(name).set_link(target)
                del waiting[name]

    # --- links ---

    def _link_names(self):
        return [n for n in self._handle.fields if _types.kind(self._handle.field(n)) in ("link", "links")]

    def findLink(self, name):
        field = self._find_field(name)
        if field is not None and _types.kind(field) in ("link", "links"):
            return Link(self, field)
        return self.__dict__.get("_links", {}).get(name)

    def getLinks(self):
        return [self.findLink(n) for n in self._link_names()] + list(self.__dict__.get("_links", {}).values())

    def addLink(self, name, value=None, help=""):
        if name in PROTECTED:
            raise ValueError("addLink: '%s' is a protected keyword" % name)
        link = FreeLink(self, name, help)
        if isinstance(value, str):
            if not link.read(value if value.startswith("@") else "@" + value):
                raise ValueError("addLink: the path %s leads nowhere" % value)
        elif value is not None:
            link.setLinkedBase(value)
        self.__dict__.setdefault("_links", {})[name] = link
        return link

    # --- names ---

    def getName(self):
        return self._handle.name

    def setName(self, name):
        self._handle.name = str(name)

    def getClassName(self):
        return self._handle.type

    def getTemplateName(self):
        return getattr(self._handle, "template", None) or ""

    def getClass(self):
        return BaseClass(self.getClassName())

    def getPathName(self):
        return self._handle.path

    def getLinkPath(self):
        return "@" + self.getPathName()

    def getAsACreateObjectParameter(self):
        return self.getLinkPath()

    @property
    def linkpath(self):
        return LinkPath(self)

    # --- where it comes from ---

    def _place(self, which):
        return self.__dict__.get("_places", {}).get(which, ("", -1))

    def _set_place(self, which, file=None, line=None):
        old = self._place(which)
        places = self.__dict__.setdefault("_places", {})
        places[which] = (old[0] if file is None else file, old[1] if line is None else line)

    def getDefinitionSourceFileName(self):
        return self._place("definition")[0]

    def getDefinitionSourceFilePos(self):
        return self._place("definition")[1]

    def getInstanciationFileName(self):
        return self._place("instance")[0]

    def getInstanciationSourceFileName(self):
        return self._place("instance")[0]

    def getInstanciationSourceFilePos(self):
        return self._place("instance")[1]

    def setDefinitionSourceFileName(self, file):
        self._set_place("definition", file=file)

    def setDefinitionSourceFilePos(self, line):
        self._set_place("definition", line=line)

    def setInstanciationSourceFileName(self, file):
        self._set_place("instance", file=file)

    def setInstanciationSourceFilePos(self, line):
        self._set_place("instance", line=line)

    # --- messages ---

    def _log(self, kind, text):
        self.__dict__.setdefault("_messages", []).append((kind, text))

    def getLoggedMessagesAsString(self):
        return "\n".join(text for kind, text in self.__dict__.get("_messages", []))

    def countLoggedMessages(self):
        return len(self.__dict__.get("_messages", []))

    def clearLoggedMessages(self):
        self.__dict__.pop("_messages", None)

    def __repr__(self):
        kind = type(self)
        return "<%s.%s %s '%s'>" % (kind.__module__, kind.__name__, self.getClassName(), self.getPathName())

    __str__ = __repr__


def _is_hollow(value):
    """[] and [[]] are lists of nothing."""
    return len(value) == 0 or (len(value) == 1 and hasattr(value[0], "__len__") and not isinstance(value[0], str)
                               and len(value[0]) == 0)


class Link(_absent.Named):
    """A link of a component to other components or nodes."""

    __module__ = "Sofa.Core"
    _absent = {"getOwnerData": "links belong to components, never to Data",
               "getLinkedData": "a link names components and nodes; a Data that follows another one has getParent()"}

    def __setattr__(self, name, value):
        """What is no attribute of the link itself is one of what it leads to."""
        linked = None if name.startswith("_") or hasattr(type(self), name) else self.getLinkedBase(0)
        if linked is not None:
            setattr(linked, name, value)
        else:
            object.__setattr__(self, name, value)

    def __init__(self, owner, field):
        self._owner, self._field = owner, field
        self._name, self._help = field.name if field is not None else "", None
        self._persistent = None

    def getName(self):
        return self._name

    def setName(self, name):
        self._name = name

    def getHelp(self):
        return self._field.help if self._help is None else self._help

    def setHelp(self, text):
        self._help = text

    def isMultiLink(self):
        return _types.kind(self._field) == "links"

    def isPersistent(self):
        return self._field.is_set if self._persistent is None else self._persistent

    def setPersistent(self, on):
        self._persistent = bool(on)

    def isReadOnly(self):
        return False

    def _targets(self):
        value = self._field.value
        values = value if isinstance(value, (list, tuple)) else [value]
        return [wrap(v) for v in values if v is not None and not isinstance(v, str)]

    def getSize(self):
        return len(self._targets())

    def getValueString(self):
        targets = self._targets()
        return " ".join(t.getLinkPath() for t in targets) if targets else self._field.text

    def getValueTypeString(self):
        targets = self._targets()
        return targets[0].getClassName() if targets else "Base"

    def getOwnerBase(self):
        return self._owner

    def getLinkedBase(self, index=0):
        targets = self._targets()
        return targets[index] if index < len(targets) else None

    def target(self):
        return self.getLinkedBase(0)

    def setLinkedBase(self, target):
        self._field.set(unwrap(target) if target is not None else "")

    def getLinkedPath(self, index=0):
        linked = self.getLinkedBase(index)
        return "" if linked is None else linked.getLinkPath()

    def getPathName(self):
        return "%s.%s" % (self._owner.getPathName(), self.getName())

    def getLinkPath(self):
        return self.getValueString()

    def read(self, text):
        try:
            self._field.set_text(text)
        except (ValueError, TypeError, RuntimeError, divan.Error):
            return False
        return True

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if self._absent_reason(name) is None:
            linked = self.getLinkedBase(0)
            if linked is not None:
                return getattr(linked, name)
        self._refuse(name)

    def __repr__(self):
        return "<Sofa.Core.Link '%s' -> '%s'>" % (self.getName(), self.getValueString())


class FreeLink(Link):
    """A link that was added from Python."""

    def __init__(self, owner, name, help):
        super().__init__(owner, None)
        self._name, self._help, self._target = name, help, None

    def isMultiLink(self):
        return False

    def isPersistent(self):
        return bool(self._persistent)

    def _targets(self):
        return [] if self._target is None else [self._target]

    def getValueString(self):
        return self._target.getLinkPath() if self._target is not None else ""

    def setLinkedBase(self, target):
        self._target = target

    def read(self, text):
        found = self._owner._context_handle().find(text.lstrip("@"))
        if found is None:
            return False
        self._target = wrap(found)
        return True


class DerivedLink(Link):
    """A link that a node has because of what stands in it: its state, its children, ..."""

    def __init__(self, owner, name, help, multiple, targets):
        super().__init__(owner, None)
        self._name, self._help, self._multiple, self._get = name, help, multiple, targets

    def isMultiLink(self):
        return self._multiple

    def isPersistent(self):
        return bool(self._persistent)

    def isReadOnly(self):
        return not self.isPersistent()

    def _targets(self):
        return [t for t in self._get() if t is not None]

    def getValueString(self):
        return " ".join(t.getLinkPath() for t in self._targets())

    def setLinkedBase(self, target):
        raise TypeError("%s follows from what stands in the node; add or remove components instead" % self._name)

    def read(self, text):
        return False


def failure(error, what=""):
    """What SofaPython3 raises where divan raises its error. The command prints its messages by itself."""
    if not isinstance(error, divan.UnknownComponentError):
        return error
    return ValueError(str(error) if error.messages else "there is no component %s" % what)


Error = divan.Error
