"""Components that are written in Python."""
from divan import _divan

from . import _base, _data, _events, _node, _types
from ._data import PyField
from ._node import Node
from ._object import BaseForceField, BaseMass, Object


def _name_of(self, args, fields):
    name = fields.get("name")
    if name is not None and len(args) == 1 and isinstance(args[0], str) and isinstance(self, BaseForceField):
        raise TypeError("the name is given twice: '%s' and '%s'" % (args[0], name))
    if name is None and args and isinstance(args[0], str):
        name = args[0]
    return type(self).__name__ if name is None else str(_data.plain(name))


class _Vector(PyField):
    """A vector that a callback gets: rows of numbers, written in place when they are a result."""

    def __init__(self, component, name, array, writable):
        self._array = array
        super().__init__(component, name, "points", lambda: array, self._write if writable else None)
        self._may_write = writable

    def _write(self, value):
        if _data.numpy is not None:
            _data.numpy.asarray(self._array)[:] = value
        else:
            for i, row in enumerate(value):
                self._array[i] = row

    def array(self):
        return self._array

    def writable(self):
        if not self._may_write:
            raise TypeError("%s cannot be written here" % self.name)
        return _data._Holder(self._array)


class _Numbers(_data.DataContainer):
    """The Data of such a vector. Arithmetic on a result changes it in place."""

    __module__ = "Sofa.Core"
    __slots__ = ()


def _vector(component, name, array, writable=False):
    if _data.numpy is not None and isinstance(array, _data.numpy.ndarray) and array.ndim == 1:
        array = array.reshape(-1, 1)   # Vec1: rows of one
    return _Numbers(_Vector(component, name, array, writable))


def _zeros(rows, width):
    """Rows of zeros to be filled by a callback."""
    if _data.numpy is not None:
        return _data.numpy.zeros((rows, width))
    return _Rows([0.0] * width if width > 1 else 0.0 for _ in range(rows))


class _Rows(list):
    """The same without numpy."""

    @property
    def shape(self):
        return (len(self), len(self[0])) if self and isinstance(self[0], list) else (len(self),)


def _factors(component, m=0.0, b=0.0, k=1.0, energy=False):
    """What SofaPython3 tells of the integration: time and factors."""
    node = component._handle.node
    return {"time": node.time, "dt": node.dt, "mFactor": m, "bFactor": b, "kFactor": k, "isImplicit": True,
            "energy": energy}


def _size(state, name):
    """Rows and columns of a vector of a state."""
    return len(state.field("position").array()), state.field(name).width


class _Callbacks:
    """What divan calls for a component; it hands on to the methods that SofaPython3 has."""

    role = None

    def __init__(self, component):
        self.component = component

    def on_event(self, kind, data):
        _events.handle(self.component, kind, data)

    def init(self):
        self.component.__dict__["_initialised"] = True
        self.component.init()

    def bwd_init(self):
        self.component.bwdInit()

    def reinit(self):
        self.component.reinit()


class _ForceCallbacks(_Callbacks):
    role = "force"

    def add_force(self, x, v):
        c = self.component
        f = _zeros(*_size(self.state(), "velocity"))
        c.addForce(_factors(c), _vector(c, "force", f, True), _vector(c, "position", x), _vector(c, "velocity", v))
        return f

    def add_dforce(self, dx, k, b):
        c = self.component
        df = _zeros(*_size(self.state(), "velocity"))
        c.addDForce(_factors(c, k=k, b=b), _vector(c, "df", df, True), _vector(c, "dx", dx))
        return df

    def state(self):
        return self.component._state_handle()


class _StiffCallbacks(_ForceCallbacks):
    """Of forces that have addKToMatrix."""

    def add_stiffness(self):
        c = self.component
        found = c.addKToMatrix(_factors(c), *_size(self.state(), "velocity"))
        shape = getattr(found, "shape", None)
        if found is None:
            return [], [], []
        if shape is not None and len(shape) == 3 and shape[2] == 1:
            return found[:, :, 0]
        rows = [tuple(entry) for entry in found]
        if any(len(entry) != 3 for entry in rows):
            raise TypeError("%s.addKToMatrix returns entries [row, column, value] or an array of the shape (n, n, 1)"
                            % type(c).__name__)
        return [e[0] for e in rows], [e[1] for e in rows], [e[2] for e in rows]


class _PotentialCallbacks:
    """Of forces that have getPotentialEnergy."""

    def energy(self, x):
        c = self.component
        return float(c.getPotentialEnergy(_factors(c, energy=True), _vector(c, "position", x)))


class _ForceWithEnergy(_PotentialCallbacks, _ForceCallbacks):
    pass


class _StiffWithEnergy(_PotentialCallbacks, _StiffCallbacks):
    pass


class _MassCallbacks(_Callbacks):
    role = "mass"

    def state(self):
        return self.component._state_handle()

    def add_mdx(self, dx, factor):
        c = self.component
        f = _zeros(*_size(self.state(), "velocity"))
        c.addMDx(_factors(c, m=factor), _vector(c, "f", f, True), _vector(c, "dx", dx), factor)
        return f

    def accelerations(self, f):
        c = self.component
        a = _zeros(*_size(self.state(), "velocity"))
        c.accFromF(_factors(c), _vector(c, "acceleration", a, True), _vector(c, "force", f))
        return a


class _MappingCallbacks(_Callbacks):
    role = "mapping"

    def apply(self, x):
        c = self.component
        now = c._output_handle().field("position").array()
        if _data.numpy is not None:
            out = _data.numpy.array(now)
        else:
            out = _Rows(list(r) if hasattr(r, "__len__") else r for r in now)
        c.apply(_factors(c), _vector(c, "out", out, True), _vector(c, "in", x))
        return out

    def apply_j(self, v):
        c = self.component
        out = _zeros(*_size(c._output_handle(), "velocity"))
        c.applyJ(_factors(c), _vector(c, "out", out, True), _vector(c, "in", v))
        return out

    def apply_jt(self, f):
        c = self.component
        out = _zeros(*_size(c._input_handle(), "velocity"))
        c.applyJT(_factors(c), _vector(c, "out", out, True), _vector(c, "in", f))
        return out


class _CurvedCallbacks(_MappingCallbacks):
    """Of mappings that have applyDJT: their J depends on the positions."""

    def apply_djt(self, dx, f):
        c = self.component
        out = _zeros(*_size(c._input_handle(), "velocity"))
        c.applyDJT(_factors(c), _vector(c, "out", out, True), _vector(c, "dx", dx), _vector(c, "force", f))
        return out


class _EngineCallbacks(_Callbacks):
    role = "engine"

    def update(self):
        self.component.update()


class PythonObject(Object):
    """A component whose class is written in Python. It can be made anywhere and added to a node later."""

    __module__ = "Sofa.Core"
    _callbacks = _Callbacks
    _template = None
    _takes_events = True

    def __init__(self, *args, **fields):
        scene = _node.loose_scene("unnamed")
        callbacks = self._choose_callbacks()(self)
        handle = _divan._component(scene.root, callbacks, callbacks.role or "controller", type(self).__name__,
                                   _name_of(self, args, fields), (type(self).__doc__ or "").split("\n")[0],
                                   self._template)
        self._bind(handle)
        self._set_place("instance", *_base.caller())
        for key, value in fields.items():
            if key != "name" and self._takes(key):
                setattr(self, key, value)

    def _takes(self, key):
        """Arguments that are no fields are the script's own."""
        return self.findData(key) is not None

    def _choose_callbacks(self):
        return self._callbacks

    def _state_handle(self):
        """The state that a force or mass acts on."""
        linked = self._handle.field("mstate").value
        if linked is not None:
            return linked
        node = self._handle.node
        while node is not None:
            for o in node.objects:
                if "state" in o.roles and "visual model" not in o.roles:
                    return o
            node = node.parent
        raise RuntimeError("%s finds no state" % self.getPathName())

    def _listens(self):
        return bool(self._handle.field("listening").value)

    def getClassName(self):
        return type(self).__name__

    def init(self):
        pass

    def reinit(self):
        pass

    def bwdInit(self):
        pass

    def reset(self):
        pass

    def cleanup(self):
        pass


class BaseController(PythonObject):
    __module__ = "Sofa.Core"


class Controller(BaseController):
    """Derive from it and write methods on...Event; each gets a dictionary."""

    __module__ = "Sofa.Core"


class ForceField(PythonObject, BaseForceField):
    """A force on a state: addForce(m, force, position, velocity), addDForce(m, df, dx), and addKToMatrix(m, points,
    numbers a point) for direct solvers, which returns entries [row, column, value]."""

    __module__ = "Sofa.Core"
    _callbacks = _ForceCallbacks

    def addForce(self, m, force, position, velocity):
        raise TypeError("%s needs a method addForce(m, force, position, velocity)" % type(self).__name__)

    def addDForce(self, m, df, dx):
        pass

    def _choose_callbacks(self):
        stiff = hasattr(type(self), "addKToMatrix")
        if hasattr(type(self), "getPotentialEnergy"):
            return _StiffWithEnergy if stiff else _ForceWithEnergy
        return _StiffCallbacks if stiff else _ForceCallbacks

    def getMState(self):
        return _base.wrap(self._state_handle())


class Mass(PythonObject, BaseMass):
    """A mass: addMDx(m, f, dx, factor) adds factor M dx to f; accFromF(m, a, f) for explicit integrators."""

    __module__ = "Sofa.Core"
    _callbacks = _MassCallbacks

    def addMDx(self, m, f, dx, factor):
        raise TypeError("%s needs a method addMDx(m, f, dx, factor)" % type(self).__name__)

    def accFromF(self, m, a, f):
        raise TypeError("%s needs a method accFromF(m, a, f) for explicit integrators" % type(self).__name__)

    def getMState(self):
        return _base.wrap(self._state_handle())


class Mapping(PythonObject):
    """Drives one state by another: apply(m, out, in), applyJ(m, out, in), applyJT(m, out, in), the last of which adds."""

    __module__ = "Sofa.Core"
    _callbacks = _MappingCallbacks

    def _choose_callbacks(self):
        return _CurvedCallbacks if hasattr(type(self), "applyDJT") else _MappingCallbacks

    def _output_handle(self):
        linked = self._handle.field("output").value
        return linked if linked is not None else self._state_in(self._handle.node)

    def _input_handle(self):
        linked = self._handle.field("input").value
        return linked[0] if linked else self._state_in(self._handle.node.parent)

    def _state_in(self, node):
        for o in node.objects if node is not None else []:
            if "state" in o.roles:
                return o
        raise RuntimeError("%s finds no state to map" % self.getPathName())

    def apply(self, m, out, in_):
        raise TypeError("%s needs a method apply(m, out, in)" % type(self).__name__)

    def applyJ(self, m, out, in_):
        raise TypeError("%s needs a method applyJ(m, out, in)" % type(self).__name__)

    def applyJT(self, m, out, in_):
        raise TypeError("%s needs a method applyJT(m, out, in)" % type(self).__name__)


class DataEngine(PythonObject):
    """Makes Data of other Data: addInput, addOutput, and update(), which is called when an output is read and an input
    has changed."""

    __module__ = "Sofa.Core"
    _callbacks = _EngineCallbacks
    _takes_events = False

    def addInput(self, data):
        _divan._mark(data._f, "input")

    def addOutput(self, data):
        _divan._mark(data._f, "output")

    def update(self):
        raise TypeError("%s needs a method update()" % type(self).__name__)


def _variants():
    """ForceFieldVec3d and its kin: one class for each type of degrees of freedom."""
    made = {}
    for template in ("Vec1d", "Vec2d", "Vec3d", "Vec6d", "Rigid2d", "Rigid3d"):
        for base in (ForceField, Mass):
            name = base.__name__ + template
            made[name] = type(name, (base,), {"__module__": "Sofa.Core", "_template": template, "__doc__": base.__doc__})
    for pair in (("Rigid3d", "Vec3d"), ("Vec3d", "Vec3d"), ("Vec3d", "Vec1d")):
        name = "Mapping_%s_%s" % pair
        made[name] = type(name, (Mapping,), {"__module__": "Sofa.Core", "__doc__": Mapping.__doc__})
    return made


VARIANTS = _variants()


class BasePrefab(Node):
    __module__ = "Sofa.Core"


class RawPrefab(BasePrefab):
    """A node that builds itself from parameters in init(), and again when one of them changes."""

    __module__ = "Sofa.Core"

    def __init__(self, *args, **fields):
        object.__setattr__(self, "_parameters", [])
        object.__setattr__(self, "_built", False)
        object.__setattr__(self, "_building", False)
        name = fields.get("name", args[0] if args and isinstance(args[0], str) else type(self).__name__)
        Node.__init__(self, str(_data.plain(name)))
        for key, value in fields.items():
            if key != "name" and self.findData(key) is not None:
                setattr(self, key, value)

    def addPrefabParameter(self, name, help="", type="", default=None):
        if self.findData(name) is None and self.findLink(name) is None:
            data = self.addData(name, value=default, help=help, group="Prefab's properties", type=type)
            _data._set_mark(data._f, "required", True)
        self._parameters.append(name)

    def setSourceTracking(self, filename):
        self.__dict__["_source"] = filename

    def breakPrefab(self):
        """From here on changes of parameters change nothing."""
        self._parameters.clear()

    def init(self):
        pass

    def doReInit(self):
        self.init()
        changed = getattr(type(self), "onParametersChanged", None)
        if changed is not None:
            changed(self)

    def reinit(self):
        self._build()

    def _build(self):
        """Removes what stands in it and builds it anew."""
        if self._building:
            return
        object.__setattr__(self, "_building", True)
        try:
            self.clearLoggedMessages()
            for component in list(self.objects):
                self.removeObject(component)
            for child in list(self.children):
                self.removeChild(child)
            self.doReInit()
            if self._handle.scene.initialised:
                self._handle.init()
        finally:
            object.__setattr__(self, "_building", False)

    def _data_changed(self, name):
        if self._built and name in self._parameters:
            self._build()
