"""Node: the graph of a scene."""
import difflib
import warnings

import divan
from divan import _divan

from .. import _absent
from . import _base, _data
from ._base import Base, DerivedLink, PROTECTED, wrap
from ._data import unwrap

_data_paths = []
_context = None   # shared by all scenes that scripts make, so that nodes can go from one to the other


def context():
    global _context
    if _context is None:
        _context = divan.Context()
        set_data(list(_data_paths))
    return _context


def use_context(given):
    """From here on loose nodes and components are made in this context: that of a scene that divan opened."""
    global _context
    _context = given
    set_data(list(_data_paths))


def set_data(paths):
    """Directories in which scenes look for files, beside those of the context."""
    _data_paths.extend(p for p in paths if p not in _data_paths)
    for path in paths if _context is not None else []:
        _divan._add_data(_context, path)


def loose_scene(name):
    """A scene of its own for a node or component that stands nowhere yet."""
    scene = divan.Scene(context=context())
    scene.root.name = name
    return scene


class BaseNode(Base):
    __module__ = "Sofa.Core"


class BaseContext(Base):
    """What holds in a node and below it."""

    __module__ = "Sofa.Core"

    class SearchDirection:
        SearchUp, Local, SearchDown, SearchRoot, SearchParents = range(5)

    def isActive(self):
        return bool(self._handle.field("activated").value)

    def setActive(self, on):
        self._handle.field("activated").set(bool(on))

    def isSleeping(self):
        return bool(self._handle.field("sleeping").value)

    def setSleeping(self, on):
        self._handle.field("sleeping").set(bool(on))

    def canChangeSleepingState(self):
        return bool(self._handle.field("canChangeSleepingState").value)

    def setChangeSleepingState(self, on):
        self._handle.field("canChangeSleepingState").set(bool(on))

    def getTime(self):
        return self._handle.field("time").value

    def getDt(self):
        return self._handle.field("dt").value

    def setDt(self, dt):
        self._handle.field("dt").set(float(dt))

    def getAnimate(self):
        return bool(self._handle.field("animate").value)

    def setAnimate(self, on):
        self._handle.field("animate").set(bool(on))

    def getGravity(self):
        return self.gravity.toList()

    def setGravity(self, gravity):
        self.gravity._assign(gravity)

    def getRootContext(self):
        return self.getRoot()

    def _up(self, role):
        node = self
        while node is not None:
            found = node._first(role)
            if found is not None:
                return found
            parents = node._handle.parents
            node = wrap(parents[0]) if parents else None
        return None

    def _first(self, role, last=False):
        found = [o for o in self._handle.objects if role in o.roles]
        return wrap(found[-1 if last else 0]) if found else None

    def getState(self):
        return self._up("state")

    def getTopology(self):
        return self._up("topology")

    def getMeshTopology(self):
        return self._up("topology")

    def getMeshTopologyLink(self, direction=None):
        topology = self.getMeshTopology()
        return "" if topology is None else topology.getLinkPath()


class Context(BaseContext):
    __module__ = "Sofa.Core"


# links that a node has because of what stands in it: name, help, role or function, several
_DERIVED = [
    ("child", "the children", lambda n: list(n.children), True),
    ("parents", "the parents", lambda n: list(n.parents), True),
    ("object", "the components", lambda n: list(n.objects), True),
    ("mechanicalState", "The MechanicalState attached to this node (storing all state vectors)", "state", False),
    ("mass", "the mass", "mass", False),
    ("topology", "the topologies", "topology", True),
    ("meshTopology", "the topology", "topology", False),
    ("forceField", "the forces", "force", True),
    ("mechanicalMapping", "the mapping of the state", "mapping", False),
    ("mapping", "the mappings", "mapping", True),
    ("projectiveConstraintSet", "the projective constraints", "projective constraint", True),
    ("constraintSet", "the Lagrangian constraints", "constraint", True),
    ("solver", "the integrators", "time integrator", True),
    ("linearSolver", "the linear solvers", "linear solver", True),
    ("constraintSolver", "the constraint solvers", "constraint solver", True),
    ("animationManager", "the animation loop", "animation loop", False),
    ("collisionModel", "the collision models", "collision model", True),
    ("collisionPipeline", "the collision pipeline", "collision pipeline", False),
    ("visualModel", "the visual models", "visual model", True),
]


def _flat(value):
    """Lists of lists one behind the other: SOFA makes a text of them, so that the corners of a box may be two rows of three."""
    if isinstance(value, (list, tuple)) and value and all(isinstance(row, (list, tuple)) for row in value):
        return [number for row in value for number in _flat(row)]
    return value


class Node(BaseNode, Context):
    """A node of the graph: it has components and children."""

    __module__ = "Sofa.Core"

    def __init__(self, name="unnamed", **fields):
        if "_handle" not in self.__dict__:
            self._bind(loose_scene(str(name)).root)
            self._set_place("instance", *_base.caller())
        for key, value in fields.items():
            if self.findData(key) is not None:
                setattr(self, key, value)

    # --- what stands in it ---

    @property
    def children(self):
        return NodeIterator(self, lambda: self._handle.children, self.removeChild)

    @property
    def parents(self):
        return NodeIterator(self, lambda: self._handle.parents, lambda p: p.removeChild(self))

    @property
    def objects(self):
        return NodeIterator(self, lambda: self._handle.objects, self.removeObject)

    def getChild(self, name, warning=True):
        return wrap(self._handle.child(name))

    def getObject(self, name, warning=True):
        """A component by its name, or by a path seen from here."""
        found = self._handle.object(name)
        if found is not None:
            return wrap(found)
        if "/" in name or name.startswith("@"):
            found = self._handle.find(name.lstrip("@"))
            return None if found is None or isinstance(found, divan.Node) else wrap(found)
        return None

    def hasObject(self, name):
        return self.getObject(name) is not None

    def _lookup(self, name):
        found = self.getObject(name) if "/" not in name else None
        if found is None:
            found = self.getChild(name)
        return super()._lookup(name) if found is None else found

    def __getitem__(self, path):
        parts = [p for p in path.split(".") if p]
        if not parts:
            raise ValueError("the path '%s' names nothing" % path)
        return self._descend(parts, path)

    def _descend(self, parts, path):
        name, rest = parts[0], parts[1:]
        child = self.getChild(name)
        if child is not None:
            return child._descend(rest, path) if rest else child
        component = self.getObject(name)
        if component is not None:
            return component[rest[0]] if len(rest) == 1 else component if not rest else _wrong(path)
        data = self.findData(name)
        if data is not None and not rest:
            return data
        raise ValueError("the path '%s' leads nowhere: there is no '%s' in %s" % (path, name, self.getPathName()))

    def _derived(self, entry):
        name, help, what, several = entry
        if callable(what):
            return DerivedLink(self, name, help, several, lambda: what(self))
        return DerivedLink(self, name, help, several,
                           lambda: [wrap(o) for o in self._handle.objects if what in o.roles][:None if several else 1])

    def findLink(self, name):
        for entry in _DERIVED:
            if entry[0] == name:
                return self.__dict__.setdefault("_derived_links", {}).setdefault(name, self._derived(entry))
        for link in self.__dict__.get("_derived_links", {}).values():
            if link.getName() == name:
                return link
        return super().findLink(name)

    def getLinks(self):
        return [self.findLink(e[0]) for e in _DERIVED] + list(self.__dict__.get("_links", {}).values())

    def _context_handle(self):
        return self._handle

    # --- building ---

    def add(self, what, **fields):
        """Adds a component, a node, a component by its class name, or what a function makes of this node."""
        if isinstance(what, Node):
            return self.addChild(what)
        if isinstance(what, (str, Base)):
            return self.addObject(what, **fields)
        _check_name("add", fields.get("name"))
        return what(self, **fields)

    def addObject(self, what, **fields):
        from . import _object
        _check_name("addObject", fields.get("name"))
        if isinstance(what, str):
            return self._add_by_class(what, fields)
        if isinstance(what, _object.Object):
            what._move_to(self)
            for name, value in fields.items():
                setattr(what, name, value)
            return what
        if isinstance(what, type) and issubclass(what, _object.Object):
            made = what(**fields)
            made._move_to(self)
            return made
        raise TypeError("addObject takes the name of a component or a Sofa.Core.Object, not %r" % (what,))

    def _add_by_class(self, type_name, fields):
        fields = {k: _flat(unwrap(v)) for k, v in fields.items() if v is not None}
        name = fields.pop("name", None)
        if name is not None:
            name = str(_data.plain(name))
        elif type_name != "RequiredPlugin":   # whose name is a plugin that it loads
            name = type_name   # as scripts of SOFA have it, without a number
        handle = _made(self._handle.add, type_name, name, **fields)
        if handle is None:   # left out: --skip-missing
            return None
        unused = _divan._unused(handle)
        if unused:
            known = list(handle.fields)
            self._handle.remove(handle)
            raise TypeError("%s has no field %s" % (type_name, ", ".join(_proposed(n, known) for n in unused)))
        component = wrap(handle)
        component._set_place("instance", *_base.caller())
        return component

    def createObject(self, type_name, **fields):
        from .. import Helper
        Helper.msg_deprecated(self, "createObject is deprecated; use addObject")
        return self.addObject(type_name, **fields)

    def addChild(self, what, **fields):
        if isinstance(what, Node):
            _graft(self, what)
            return what
        if isinstance(what, Base):
            raise TypeError("addChild takes a name or a Sofa.Core.Node, not %r" % (what,))
        name = str(_data.plain(what))
        _check_name("addChild", name)
        fields = {k: unwrap(v) for k, v in fields.items()}
        handle = _made(self._handle.add_child, name, **fields)
        unused = _divan._unused(handle)
        if unused:
            self._handle.remove(handle)
            raise TypeError("a node has no field %s" % ", ".join("'%s'" % n for n in unused))
        node = wrap(handle)
        node._set_place("instance", *_base.caller())
        return node

    def createChild(self, name, **fields):
        from .. import Helper
        Helper.msg_deprecated(self, "createChild is deprecated; use addChild")
        return self.addChild(name, **fields)

    def removeChild(self, what):
        child = what if isinstance(what, Node) else self.getChild(str(_data.plain(what)))
        if child is None:
            raise IndexError("there is no child '%s' in %s" % (what, self.getPathName()))
        _release(self, child)
        return child

    def removeObject(self, what):
        component = self.getObject(what) if isinstance(what, str) else what
        if component is None or component._handle.node != self._handle:
            raise ValueError("%s has no such component" % self.getPathName())
        component._leave()

    def moveChild(self, child, previous=None):
        if not isinstance(child, Node) or (previous is not None and not isinstance(previous, Node)):
            raise ValueError("moveChild takes two nodes: the child and its parent so far")
        if previous is not None:
            _release(previous, child)
        else:
            child.detachFromGraph()
        _graft(self, child)

    def moveObject(self, component):
        component._move_to(self)

    def detachFromGraph(self):
        for parent in list(self.parents):
            _release(parent, self)

    # --- where it is ---

    def getRoot(self):
        return wrap(self._handle.scene.root)

    def getRootPath(self):
        depth, node = 0, self._handle
        while node.parents:
            depth, node = depth + 1, node.parents[0]
        return "../" * depth

    def getPathName(self):
        return self._handle.path

    def getClassName(self):
        return "Node"

    def isInitialized(self):
        return bool(self._handle.init_done)

    # --- what it does ---

    def init(self):
        from .. import Simulation
        Simulation.init(self)

    def reinit(self):
        self.init()

    def sendEvent(self, data, name):
        """Sends a PythonScriptEvent to all components below."""
        from . import _events
        _events.send(self, "PythonScriptEvent", {"sender": self, "event_name": name, "userData": data})

    def getMass(self):
        return self._first("mass")

    def getForceField(self, index=0):
        forces = [o for o in self._handle.objects if "force" in o.roles]
        return wrap(forces[index]) if index < len(forces) else None

    def getMechanicalState(self):
        states = [o for o in self._handle.objects if "state" in o.roles and "visual model" not in o.roles]
        return wrap(states[0]) if states else None

    def getMechanicalMapping(self):
        return self._first("mapping")

    def hasODESolver(self):
        return self._first("time integrator") is not None

    def computeEnergy(self):
        """Kinetic and potential energy of the node and what is below it, in J."""
        from .. import Simulation
        return Simulation._energies(self)

    def execute(self, function):
        """Calls a function for this node and each node below it."""
        function(self)
        for child in self.children:
            child.execute(function)


def _made(make, *args, **fields):
    """Calls into divan; fields that it does not know are no warning here, they raise."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            made = make(*args, **fields)
        except divan.Error as error:
            raise _base.failure(error, args[0]) from None
    for warning in told:
        if "has no field" not in str(warning.message):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return made


def _proposed(name, known):
    like = difflib.get_close_matches(name, known, 1)
    return "'%s'%s" % (name, "; did you mean '%s'?" % like[0] if like else "")


def _wrong(path):
    raise ValueError("the path '%s' leads nowhere" % path)


def _check_name(where, name):
    if name is not None and str(_data.plain(name)) in PROTECTED:
        raise ValueError("%s: '%s' is a protected keyword" % (where, name))


def _graft(parent, child):
    """Puts a node below another one; a loose one brings its scene, one that has parents gets another."""
    if child._handle == parent._handle:
        raise ValueError("a node cannot be below itself")
    old, new = child._handle.scene, parent._handle.scene
    if old is new:
        parent._handle.attach(child._handle)
        return
    table = _base.wrappers(old)
    _divan._graft(parent._handle, child._handle)
    _base.wrappers(new).update(table)
    for wrapper in list(table.values()):
        wrapper._settle_links()
    table.clear()


def _release(parent, child):
    """Takes a node away from one parent. One that has no other goes on as the root of a scene of its own."""
    if len(child._handle.parents) > 1:
        parent._handle.detach(child._handle)
        return
    old = child._handle.scene
    table = _base.wrappers(old)
    if old.initialised:   # it has been part of steps: it goes for good
        parent._handle.remove(child._handle)
        for handle in [h for h in table if not h.alive]:
            del table[handle]
        return
    scene = divan.Scene(context=context())
    _divan._release(child._handle, scene)
    kept = _base.wrappers(scene)
    for handle in [h for h in table if h.scene is not old]:
        kept[handle] = table.pop(handle)


class NodeIterator:
    """Children, parents or components of a node: a list that is always up to date."""

    __module__ = "Sofa.Core"

    def __init__(self, owner, get, remove):
        self._owner, self._get, self._remove = owner, get, remove
        self._next = 0

    def __len__(self):
        return len(self._get())

    def __getitem__(self, key):
        handles = self._get()
        if isinstance(key, str):
            for h in handles:
                if h.name == key:
                    return wrap(h)
            raise IndexError("there is no '%s' in %s" % (key, self._owner.getPathName()))
        if isinstance(key, slice):
            return [wrap(h) for h in handles[key]]
        return wrap(handles[key])

    def at(self, index):
        return wrap(self._get()[index])

    def remove_at(self, index):
        self._remove(self.at(index))

    def __contains__(self, what):
        if isinstance(what, str):
            return any(h.name == what for h in self._get())
        return any(wrap(h) is what for h in self._get())

    def __iter__(self):
        return iter([wrap(h) for h in self._get()])

    def __next__(self):
        handles = self._get()
        if self._next >= len(handles):
            raise StopIteration
        self._next += 1
        return wrap(handles[self._next - 1])

    def __repr__(self):
        return repr(list(self))


_base._makers.insert(0, (lambda handle: isinstance(handle, divan.Node), Node))
