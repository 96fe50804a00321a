"""Data: the fields of nodes and components as SofaPython3 shows them."""
import divan
from divan import _divan

from .. import _absent
from . import _types

try:
    import numpy
except ImportError:
    numpy = None


def _marks(field):
    """What SofaPython3 keeps beside a value and divan has no place for: it goes with the owner."""
    from . import _base
    owner = field.owner
    owner = owner if isinstance(owner, _base.Base) else _base.wrap(owner)
    return owner.__dict__.setdefault("_marks", {}).setdefault(field.name, {})


def _mark(field, key, default):
    return _marks(field).get(key, default)


def _set_mark(field, key, value):
    _marks(field)[key] = value


def unwrap(value):
    """What divan takes for a value that may hold nodes, components and Data of this layer."""
    if isinstance(value, LinkPath):
        return str(value)
    if isinstance(value, Data):
        return value._f if not isinstance(value._f, PyField) else value._f.value
    handle = getattr(value, "_handle", None)
    if handle is not None:
        return handle
    if isinstance(value, (list, tuple)) and any(
            isinstance(v, (list, tuple, Data)) or hasattr(v, "_handle") for v in value):
        return type(value)([unwrap(v) for v in value])
    return value


def plain(value):
    """The same, where a Data stands for its value."""
    return value.value if isinstance(value, Data) else unwrap(value)


def frozen(value):
    """An array that cannot be written."""
    if numpy is not None and isinstance(value, tuple):
        value = numpy.array(value)
    if numpy is not None and isinstance(value, numpy.ndarray) and value.flags.writeable:
        value = value.view()
        value.flags.writeable = False
    return value


class LinkPath(str):
    """A path that leads to a component, node or Data; it is a text of the form @/path.name."""

    __module__ = "Sofa.Core"

    def __new__(cls, target):
        path = target if isinstance(target, str) else target.getLinkPath()
        self = super().__new__(cls, path)
        self._target = None if isinstance(target, str) else target
        return self

    def target(self):
        return self._target

    def isPointingToData(self):
        return isinstance(self._target, Data)

    def __repr__(self):
        return 'LinkPath("%s")' % str(self)


class PyField:
    """A field that lives in Python only, for what divan does not keep as one: names, arguments of callbacks."""

    link = None
    group = ""
    unit = ""
    flags = {}

    def __init__(self, owner, name, kind, get, put=None, help=""):
        self.owner, self.name, self.kind, self.help = owner, name, kind, help
        self._get, self._put = get, put
        self.counter = 0

    @property
    def value(self):
        return self._get()

    @value.setter
    def value(self, value):
        self.set(value)

    def set(self, value):
        if self._put is None:
            raise TypeError("%s cannot be written" % self.name)
        self._put(value)
        self.counter += 1

    def set_text(self, text):
        self.set(_types.parse(self.kind, text))

    @property
    def text(self):
        return _types.text(self.value)

    @property
    def is_set(self):
        return True

    def array(self):
        return frozen(self.value)

    def writable(self):
        return _Holder(self._get())

    def __eq__(self, other):
        return isinstance(other, PyField) and (self.owner, self.name) == (other.owner, other.name)

    def __hash__(self):
        return hash((id(self.owner), self.name))


def _rows(field):
    """The numbers of a field: an array, or the few of a fixed vector."""
    if _types.is_fixed(field):
        return frozen(tuple(field.value))
    return column(field, field.array())


def column(field, numbers):
    """Coordinates of one number each (Vec1) are rows of one, as in SofaPython3."""
    if numpy is not None and isinstance(numbers, numpy.ndarray) and numbers.ndim == 1 and _types.is_state(field):
        return numbers.reshape(-1, 1)
    return numbers


class _Fixed:
    """Few numbers that are written at the end."""

    def __init__(self, field):
        self._field = field

    def __enter__(self):
        value = self._field.value
        self._numbers = list(value) if numpy is None else numpy.array(value)
        return self._numbers

    def __exit__(self, kind, *failure):
        if kind is None:
            self._field.set(self._numbers)
        return False


def _writing(field):
    return _Fixed(field) if _types.is_fixed(field) else field.writable()


class _Holder:
    def __init__(self, array):
        self.array = array

    def __enter__(self):
        return self.array

    def __exit__(self, *failure):
        return False


class Data(_absent.Named):
    """A field of a node or component: a value with a name, a help text and maybe a parent it follows."""

    __module__ = "Sofa.Core"
    __slots__ = ("_f", "__weakref__")
    _absent = {"getValueVoidPtr": "addresses in memory are not handed out; array() gives the numbers without a copy"}

    def __init__(self, field):
        object.__setattr__(self, "_f", field)

    def __eq__(self, other):
        return isinstance(other, Data) and self._f.owner == other._f.owner and self._f.name == other._f.name

    def __hash__(self):
        return hash((self._f.owner, self._f.name))

    # --- value ---

    @property
    def value(self):
        return frozen(column(self._f, self._f.value))

    @value.setter
    def value(self, value):
        self._assign(value)

    def __setattr__(self, name, value):
        if name == "value":
            self._assign(value)
            return
        raise AttributeError("a Data has no attribute '%s' that could be set; set its .value" % name)

    def _assign(self, value):
        if _mark(self._f, "read_only", False):
            raise AttributeError("%s is read-only" % self.getName())
        if self._waits_for(value):
            return
        value = plain(value)
        self.getOwner().__dict__.get("_waiting", {}).pop(self._f.name, None)
        if isinstance(value, str) and value.startswith("@") and not isinstance(self._f, PyField):
            self._f.set_link(value)
            return
        if isinstance(value, str) and not _types.is_text(self._f):
            self._f.set_text(value)
        else:
            self._check_shape(value)
            self._f.set(value)
        _set_mark(self._f, "unset", False)
        changed = getattr(self.getOwner(), "_data_changed", None)
        if changed is not None:
            changed(self._f.name)

    def _waits_for(self, value):
        """A link to something that stands in another graph is made when both stand in one."""
        target = getattr(value, "_handle", None)
        if target is None or isinstance(self._f, PyField) or target.scene is self._f.owner.scene:
            return False
        self.getOwner().__dict__.setdefault("_waiting", {})[self._f.name] = value
        return True

    def _check_shape(self, value):
        width = _types.width(self._f)
        shape = getattr(value, "shape", None)
        if shape is None or not width:
            return
        if len(shape) > 2:
            raise TypeError("%s takes rows of numbers, not an array of %d dimensions" % (self.getName(), len(shape)))
        if len(shape) == 2 and width > 1 and shape[1] != width:
            raise IndexError("%s has rows of %d numbers, not of %d" % (self.getName(), width, shape[1]))

    def array(self):
        return frozen(_rows(self._f))

    def toList(self):
        value = self._f.value
        return value.tolist() if hasattr(value, "tolist") else list(value) if isinstance(value, tuple) else value

    def read(self, text):
        """Reads a text as of a scene file; False when it cannot be read, and everything is as before."""
        try:
            if text.startswith("@"):
                self._f.set_link(text)
            else:
                self._f.set_text(text)
        except (ValueError, TypeError, RuntimeError, divan.Error):
            return False
        return True

    def writeableArray(self, kind=None):
        return DataContainerContextManager(self._f, kind)

    def getValueString(self):
        return self._f.text

    def getValueTypeString(self):
        return _types.name(self._f)

    def typeName(self):
        return _types.name(self._f)

    # --- what it is ---

    def getName(self):
        return _mark(self._f, "name", self._f.name)

    def setName(self, name):
        _set_mark(self._f, "name", name)

    def getHelp(self):
        return self._f.help

    def getGroup(self):
        return self._f.group

    def getOwner(self):
        from . import _base
        owner = self._f.owner
        return owner if isinstance(owner, _base.Base) else _base.wrap(owner)

    def getCounter(self):
        return self._f.counter

    def getPathName(self):
        owner = self.getOwner()
        return "%s.%s" % (owner.getPathName(), self.getName())

    def getLinkPath(self):
        return "@" + self.getPathName()

    @property
    def linkpath(self):
        return LinkPath(self)

    def getAsACreateObjectParameter(self):
        return self.getLinkPath()

    def isSet(self):
        return not _mark(self._f, "unset", False) and self._f.is_set

    def unset(self):
        _set_mark(self._f, "unset", True)

    def isPersistent(self):
        return _mark(self._f, "persistent", self._f.is_set)

    def setPersistent(self, on):
        _set_mark(self._f, "persistent", bool(on))

    def isReadOnly(self):
        return _mark(self._f, "read_only", _types.has_flag(self._f, "read_only"))

    def setReadOnly(self, on):
        _set_mark(self._f, "read_only", bool(on))

    def isRequired(self):
        return _mark(self._f, "required", _types.has_flag(self._f, "required"))

    # --- links ---

    def getParent(self):
        waiting = self.getOwner().__dict__.get("_waiting", {}).get(self._f.name)
        if waiting is not None or self._f.link is None:
            return waiting
        return wrap(self._f.link)

    def hasParent(self):
        return self.getParent() is not None

    def setParent(self, parent):
        if parent is None:
            self._f.unlink()
        else:
            self._follow(parent)
            _set_mark(self._f, "unset", False)

    def _follow(self, parent):
        if isinstance(parent, str):
            self._f.set_link(str(parent))
        elif self._f.owner.scene is parent._f.owner.scene:
            self._f.set_link(parent._f)
        else:   # one of them stands nowhere yet: linked when they stand in one graph
            self._f.set(parent._f.value)
            self.getOwner().__dict__.setdefault("_waiting", {})[self._f.name] = parent

    def isDirty(self):
        return not isinstance(self._f, PyField) and _divan._stale(self._f)

    def updateIfDirty(self):
        self._f.value

    def hasChanged(self):
        if not self.isDirty():
            return False
        self.updateIfDirty()
        return True

    def __str__(self):
        return "Sofa.Core.%s <'%s', %s>" % (type(self).__name__, self.getName(), self.getPathName())

    def __repr__(self):
        value = self._f.value
        return repr(value.tolist() if hasattr(value, "tolist") and numpy is None else value)


def _number(operation):
    def apply(self, other):
        return getattr(self._operand(), operation)(plain(other))

    apply.__name__ = operation
    return apply


def _in_place(operation):
    def apply(self, other):
        other = plain(other)
        if numpy is None:
            raise TypeError("arithmetic on Data needs numpy; install python3-numpy")
        with _writing(self._f) as numbers:
            getattr(column(self._f, numpy.asarray(numbers)), operation)(other)
        return self

    apply.__name__ = operation
    return apply


class DataContainer(Data):
    """A Data that holds rows of numbers."""

    __module__ = "Sofa.Core"
    __slots__ = ()

    def _operand(self):
        if numpy is None:
            raise TypeError("arithmetic on Data needs numpy; install python3-numpy")
        return numpy.asarray(_rows(self._f))

    __add__, __sub__, __mul__, __truediv__ = map(_number, ("__add__", "__sub__", "__mul__", "__truediv__"))
    __radd__, __rsub__, __rmul__ = map(_number, ("__radd__", "__rsub__", "__rmul__"))
    __iadd__, __isub__, __imul__, __itruediv__ = map(_in_place, ("__iadd__", "__isub__", "__imul__", "__itruediv__"))

    def __neg__(self):
        return -self._operand()

    def __array__(self, dtype=None, copy=None):
        return numpy.array(_rows(self._f), dtype=dtype)

    def __len__(self):
        return len(_rows(self._f))

    def __iter__(self):
        return iter(_rows(self._f))

    def __getitem__(self, index):
        rows = _rows(self._f)
        if numpy is None and isinstance(index, tuple):
            return rows[index[0]][index[1]]
        if numpy is None and not isinstance(index, int):
            return list(rows)[index]
        return rows[index]

    def __setitem__(self, index, value):
        value = plain(value)
        with _writing(self._f) as numbers:
            if numpy is not None:
                column(self._f, numpy.asarray(numbers))[index] = value
            elif isinstance(index, slice):
                for i, row in zip(range(len(numbers))[index], value):
                    numbers[i] = row
            elif isinstance(index, tuple):
                row = list(numbers[index[0]])
                row[index[1]] = value
                numbers[index[0]] = row
            else:
                numbers[index] = value

    @property
    def shape(self):
        rows = _rows(self._f)
        return tuple(rows.shape) if hasattr(rows, "shape") else (len(rows),)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        size = 1
        for n in self.shape:
            size *= n
        return size

    def writeable(self, kind=None):
        return DataContainerContextManager(self._f, kind)

    def apply(self, function):
        """Sets each number of the rows to function(row, column, number)."""
        with _writing(self._f) as numbers:
            for i in range(len(numbers)):
                numbers[i] = [function(i, j, x) for j, x in enumerate(numbers[i])]


class DataContainerContextManager:
    """What `with data.writeableArray() as numbers` works on. The Data is told when it ends."""

    __module__ = "Sofa.Core"

    def __init__(self, field, kind):
        self._field, self._kind = field, kind

    def __enter__(self):
        self._open = _writing(self._field)
        numbers = self._open.__enter__()
        if numpy is not None:
            numbers = column(self._field, numpy.asarray(numbers))
        self.wrap = numbers if self._kind is None else self._kind(numbers)
        return self.wrap

    def __exit__(self, *failure):
        if numpy is not None and isinstance(self.wrap, numpy.ndarray):
            self.wrap.flags.writeable = False
        return self._open.__exit__(*failure)


class _Listed(Data):
    """A Data that is read like the text or list it holds."""

    __module__ = "Sofa.Core"
    __slots__ = ()

    def __len__(self):
        return len(self._f.value)

    def __getitem__(self, index):
        return self._f.value[index]

    def __contains__(self, text):
        return text in self._f.value

    def __repr__(self):
        return repr(self._f.value)


class DataString(_Listed):
    __module__ = "Sofa.Core"
    __slots__ = ()

    def __str__(self):
        return self._f.value

    def __add__(self, other):
        return self._f.value + plain(other)

    def __radd__(self, other):
        return plain(other) + self._f.value


class DataVectorString(_Listed):
    __module__ = "Sofa.Core"
    __slots__ = ()

    def __iter__(self):
        return iter(self._f.value)


class DataLink(Data):
    """A Data that names a component or node."""

    __module__ = "Sofa.Core"
    __slots__ = ()

    def getTargetBase(self):
        from . import _base
        value = self._f.value
        return None if value is None or isinstance(value, str) else _base.wrap(value)

    def getTargetPath(self):
        return self._f.text

    def target(self):
        return self.getTargetBase()

    @property
    def value(self):
        from . import _base
        value = self._f.value
        if isinstance(value, list):
            return [_base.wrap(v) if hasattr(v, "path") else v for v in value]
        return _base.wrap(value) if hasattr(value, "path") else value

    @value.setter
    def value(self, value):
        self._assign(value)


class BoundingBox(DataContainer):
    """A box along the axes: six numbers, minimum and maximum."""

    __module__ = "Sofa.Types"
    __slots__ = ()

    def _assign(self, value):
        value = plain(value)
        if not isinstance(value, str):
            value = [x for row in value for x in (row if hasattr(row, "__len__") else [row])]
        super()._assign(value)

    def getMin(self):
        return [float(x) for x in self._f.value[:3]]

    def getMax(self):
        return [float(x) for x in self._f.value[3:]]

    def setMin(self, corner):
        self._assign(list(corner) + self.getMax())

    def setMax(self, corner):
        self._assign(self.getMin() + list(corner))

    def getCenter(self):
        return [0.5 * (a + b) for a, b in zip(self.getMin(), self.getMax())]


def wrap(field):
    """The Data of a field, of the class that SofaPython3 has for its type."""
    return _CLASSES[_types.container(field)](field)


_CLASSES = {"numbers": DataContainer, "string": DataString, "strings": DataVectorString, "link": DataLink,
            "box": BoundingBox, "": Data}


class DataDict(_absent.Named):
    """All Data of a node or component, by name."""

    __module__ = "Sofa.Core"

    def __init__(self, owner):
        self._owner = owner

    def __len__(self):
        return len(self._owner._data_names())

    def __contains__(self, name):
        return self._owner.findData(name) is not None

    def __getitem__(self, key):
        if isinstance(key, int):
            return self._owner.findData(self._owner._data_names()[key])
        data = self._owner.findData(key)
        if data is None:
            raise ValueError(key)
        return data

    def __iter__(self):
        return DataDictIterator(self._owner._data_names())

    def keys(self):
        return DataDictIterator(self._owner._data_names())

    def values(self):
        return DataDictIterator([self[n] for n in self._owner._data_names()])

    def items(self):
        return DataDictIterator([(n, self[n]) for n in self._owner._data_names()])


class DataDictIterator:
    __module__ = "Sofa.Core"

    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)
