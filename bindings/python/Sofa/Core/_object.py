"""Components: what all have, and what states, topologies, forces, masses and solvers have beside it."""
import divan
from divan import _divan

from .. import _sparse
from . import _base, _data, _types
from ._base import Base, wrap

# what SOFA calls the category of a component, by what it does here
_CATEGORIES = [("visual model", "VisualModel"), ("collision model", "CollisionModel"), ("state", "MechanicalState"),
               ("force", "ForceField"), ("projective constraint", "ProjectiveConstraintSet"),
               ("constraint", "ConstraintSet"), ("mapping", "Mapping"), ("engine", "Engine"),
               ("topological mapping", "TopologicalMapping"), ("mass", "Mass"), ("time integrator", "OdeSolver"),
               ("constraint solver", "ConstraintSolver"), ("constraint correction", "ConstraintSolver"),
               ("linear solver", "LinearSolver"), ("animation loop", "AnimationLoop"), ("topology", "Topology"),
               ("topology tool", "TopologyObject"), ("controller", "Controller"), ("loader", "Loader"),
               ("broad phase", "CollisionAlgorithm"), ("narrow phase", "CollisionAlgorithm"),
               ("collision pipeline", "CollisionAlgorithm"), ("intersection method", "CollisionAlgorithm"),
               ("contact manager", "CollisionAlgorithm"), ("setting", "ConfigurationSetting"),
               ("context", "ContextObject")]


def categories(roles):
    """SOFA's categories of a component that plays these roles."""
    roles = set(roles)
    if "visual model" in roles or "loader" in roles:   # its positions make it a state, its files an engine
        roles -= {"state", "engine"}
    if "mass" in roles:
        roles.discard("force")
    found = [c for role, c in _CATEGORIES if role in roles]
    return list(dict.fromkeys(found)) or ["Miscellaneous"]


class Object(Base):
    """A component."""

    __module__ = "Sofa.Core"

    def __init__(self, *args, **fields):
        raise TypeError("components are made by Node.addObject(\"TheirClass\", ...)")

    def _context_handle(self):
        return self._handle.node

    def __getitem__(self, path):
        parts = [p for p in path.split(".") if p]
        if not parts:
            return self
        if len(parts) > 1:
            raise ValueError("the path '%s' leads nowhere" % path)
        found = self.findData(parts[0]) or self.findLink(parts[0])
        if found is None:
            raise ValueError("%s has no data field '%s'" % (self.getPathName(), parts[0]))
        return found

    # --- life ---

    def init(self):
        """Initialises the component now, if its scene has not done so. What a loader reads can be had before that."""
        from .. import Simulation
        if "loader" in self._handle.roles and not self._handle.scene.initialised:
            return
        Simulation.init(self.getContext().getRoot())

    def bwdInit(self):
        pass

    def reinit(self):
        self._handle.reinit()

    def storeResetState(self):
        pass

    def reset(self):
        pass

    def cleanup(self):
        pass

    def computeBBox(self, params=None, only_visible=False):
        self.updateBBox()

    def updateBBox(self):
        field = self._find_field("position")
        rows = field.array() if field is not None and field.width >= 3 and not _types.is_fixed(field) else []
        if len(rows):
            columns = list(zip(*rows))[:3]
            self.findData("bbox")._assign([float(min(c)) for c in columns] + [float(max(c)) for c in columns])

    # --- where it stands ---

    def getContext(self):
        return wrap(self._handle.node)

    def getRoot(self):
        return self.getContext().getRoot()

    def getTarget(self):
        return _divan._module_of(self._handle)

    def getCategories(self):
        return categories(self._handle.roles)

    def getSlaves(self):
        return list(self.__dict__.get("_slaves", []))

    def addSlave(self, other):
        other.__dict__["_master"] = self
        self.__dict__.setdefault("_slaves", []).append(other)

    def getMaster(self):
        return self.__dict__.get("_master")

    def setSrc(self, text, loader):
        """Links each field that was not set to the field of this name of another component."""
        for name in self._handle.fields:
            field, source = self._handle.field(name), loader._find_field(name)
            if source is not None and not field.is_set and name not in ("listening", "tags", "bbox", "componentState"):
                try:
                    field.set_link(source)
                except (TypeError, ValueError, divan.Error):
                    pass   # of another type: it has the name only

    def _move_to(self, node):
        """Stands in this node from here on."""
        old = self._handle.scene
        _divan._take(node._handle, self._handle)
        if old is not self._handle.scene:
            table = _base.wrappers(old)
            table.pop(self._handle, None)
            _base.wrappers(self._handle.scene)[self._handle] = self
            self._settle_links()

    def _leave(self):
        """Stands nowhere from here on."""
        from . import _node
        scene = self._handle.scene
        if not scene.initialised:
            _base.wrappers(scene).pop(self._handle, None)
            _divan._take(_node.loose_scene("unnamed").root, self._handle)
            self._bind(self._handle)
            return
        self._handle.node.remove(self._handle)
        _base.wrappers(scene).pop(self._handle, None)


class BaseState(Object):
    """Positions and velocities."""

    __module__ = "Sofa.Core"

    def getSize(self):
        return len(self._handle.field("position").array())

    def resize(self, size):
        self.findData("size")._assign(size)


class Topology(Object):
    __module__ = "Sofa.Core"


_KINDS = {"Points": "points", "Lines": "edges", "Edges": "edges", "Triangles": "triangles", "Quads": "quads",
          "Tetrahedra": "tetrahedra", "Tetras": "tetrahedra", "Hexahedra": "hexahedra", "Hexas": "hexahedra",
          "Prisms": "prisms", "Pyramids": "pyramids"}


class BaseMeshTopology(Topology):
    """Points and the elements between them."""

    __module__ = "Sofa.Core"

    def _elements(self, kind):
        return _divan._elements(self._handle, kind)

    def _element(self, kind, index):
        rows = self._elements(kind)
        if not 0 <= index < len(rows):
            raise IndexError("there are %d %s" % (len(rows), kind))
        return [int(i) for i in rows[index]]

    def _row(self, part, kind, index):
        rows = _divan._parts(self._handle, part, kind)
        if not 0 <= index < len(rows):
            raise IndexError("there are %d %s" % (len(rows), kind))
        return [int(i) for i in rows[index]]

    def _around(self, kind, part, index):
        return [int(i) for i in _divan._around(self._handle, kind, part, int(index))]

    def getLocalEdgesInTetrahedron(self, index):
        return [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)][index]

    def getVerticesAroundVertex(self, index):
        found = []
        for e in self.getEdgesAroundVertex(index):
            a, b = self.getEdge(e)
            found.append(b if a == index else a)
        return found


def _add_topology_accessors():
    def count(kind):
        return lambda self: _divan._element_count(self._handle, kind)

    def element(kind):
        return lambda self, index: self._element(kind, index)

    def elements(kind):
        return lambda self: [tuple(int(i) for i in row) for row in self._elements(kind)]

    def inside(part, kind):
        return lambda self, index: self._row(part, kind, index)

    def around(kind, part):
        return lambda self, index: self._around(kind, part, index)

    def add(name, function, text):
        function.__name__, function.__doc__ = name, text
        setattr(BaseMeshTopology, name, function)

    for plural, kind in _KINDS.items():
        add("getNb" + plural, count(kind), "How many %s there are." % kind)
    for name, kind in (("Edge", "edges"), ("Triangle", "triangles"), ("Quad", "quads"), ("Tetrahedron", "tetrahedra"),
                       ("Hexahedron", "hexahedra"), ("Prism", "prisms"), ("Pyramid", "pyramids")):
        add("get" + name, element(kind), "Points of one of the %s." % kind)
    for name in ("Edges", "Triangles", "Quads", "Tetrahedra", "Hexahedra"):
        add("get" + name, elements(_KINDS[name]), "All %s." % _KINDS[name])
    for part, kinds in (("Edges", ("Triangle", "Quad", "Tetrahedron", "Hexahedron")), ("Triangles", ("Tetrahedron",)),
                        ("Quads", ("Hexahedron",))):
        for name in kinds:
            plural = {"Tetrahedron": "tetrahedra", "Hexahedron": "hexahedra"}.get(name, name.lower() + "s")
            add("get%sIn%s" % (part, name), inside(part.lower(), plural), "The %s of one of the %s." % (part.lower(), plural))
    parts = {"Vertex": "points", "Edge": "edges", "Triangle": "triangles", "Quad": "quads"}
    for kind, names in (("Edges", ("Vertex",)), ("Triangles", ("Vertex", "Edge")), ("Quads", ("Vertex", "Edge")),
                        ("Tetrahedra", ("Vertex", "Edge", "Triangle")), ("Hexahedra", ("Vertex", "Edge", "Quad"))):
        for name in names:
            add("get%sAround%s" % (kind, name), around(kind.lower(), parts[name]),
                "The %s around one of the %s." % (kind.lower(), parts[name]))


_add_topology_accessors()


class PointSetTopologyModifier(Object):
    """Changes the topology of its node."""

    __module__ = "Sofa.Core"

    def addPoints(self, count, add_dof=True):
        _divan._change_mesh(self._handle, "points", int(count))

    def removePoints(self, indices, remove_dof=True):
        _divan._change_mesh(self._handle, "points", [int(i) for i in indices])


class RegularGridTopology(BaseMeshTopology):
    __module__ = "Sofa.SofaBaseTopology"

    def getPoint(self, index):
        rows = self._handle.field("position").array()
        return [float(x) for x in rows[index]]


class SparseGridTopology(BaseMeshTopology):
    __module__ = "Sofa.SofaBaseTopology"
    _absent = {name: "" for name in ("getRegularGrid", "findCube", "getRegularGridNodeIndex", "getRegularGridCubeIndex",
                                     "getBoundaryCells")}

    def getNodeIndicesOfCube(self, index):
        return self.getHexahedron(index)

    def getBoundaryNodes(self):
        return [i for i in range(self.getNbPoints()) if len(self.getHexahedraAroundVertex(i)) < 7]


class BaseForceField(Object):
    """A force on a state."""

    __module__ = "Sofa.Core"

    def assembleKMatrix(self):
        """The stiffness of this force, dF/dx, as a sparse matrix of its state."""
        return _sparse.matrix(_divan._matrix_of(self._handle, "stiffness"))


class BaseMass(BaseForceField):
    __module__ = "Sofa.Core"

    def assembleMMatrix(self):
        """This mass as a sparse matrix of its state."""
        return _sparse.matrix(_divan._matrix_of(self._handle, "mass"))


class SpringForceField(BaseForceField):
    """Springs between points of two states."""

    __module__ = "Sofa.SofaDeformable"

    def getSprings(self):
        return _springs(self)

    def clear(self, reserve=0):
        _set_springs(self, [])

    def removeSpring(self, index):
        self.removeSprings([index])

    def removeSprings(self, indices):
        gone = set(int(i) for i in indices)
        _set_springs(self, [s for i, s in enumerate(_springs(self)) if i not in gone])

    def addSpring(self, *args, **fields):
        spring = args[0] if args and isinstance(args[0], LinearSpring) else LinearSpring(*args, **fields)
        _set_springs(self, _springs(self) + [spring])

    def addSprings(self, springs):
        _set_springs(self, _springs(self) + list(springs))


class LinearSpring:
    """One spring: two points, stiffness (N/m), damping (N s/m) and length at rest (m)."""

    __module__ = "Sofa.SofaDeformable"

    def __init__(self, index1, index2, springStiffness=100.0, dampingFactor=5.0, restLength=0.0, elongationOnly=False,
                 enabled=True):
        self.index1, self.index2 = int(index1), int(index2)
        self.springStiffness, self.dampingFactor, self.restLength = springStiffness, dampingFactor, restLength
        self.elongationOnly, self.enabled = bool(elongationOnly), bool(enabled)

    def __repr__(self):
        return ("<Sofa.SofaDeformable.LinearSpring: [index1: %d; index2: %d; springStiffness: %g; dampingFactor: %g; "
                "restLength: %g; elongationOnly: %d; enabled: %d]>" % (
                    self.index1, self.index2, self.springStiffness, self.dampingFactor, self.restLength,
                    self.elongationOnly, self.enabled))


def _springs(component):
    def column(name, whole=False):
        return [int(v) if whole else float(v) for v in component._handle.field(name).array()]

    rows = component._handle.field("spring").array()
    limits = [column("elongationOnly", True), column("enabled", True)]
    return [LinearSpring(row[0], row[1], float(row[2]), float(row[3]), float(row[4]),
                         *(l[i] if i < len(l) else d for l, d in zip(limits, (False, True))))
            for i, row in enumerate(rows)]


def _set_springs(component, springs):
    component._handle.field("spring").set([
        [s.index1, s.index2, s.springStiffness, s.dampingFactor, s.restLength] for s in springs])


class BaseLinearSolver(Object):
    """A linear solver or linear system: A x = b of the last step."""

    __module__ = "Sofa.SofaLinearSolver"

    def A(self):
        return _sparse.matrix(_divan._matrix_of(self._handle, "system"))

    def b(self):
        return _divan._vector_of(self._handle, "b")

    def x(self):
        return _divan._vector_of(self._handle, "x")


class ConstraintSolver(Object):
    """Solves W lambda = rhs for the constraints."""

    __module__ = "Sofa.SofaConstraintSolver"

    def W(self):
        return _sparse.dense(self._handle.scene.compliance())

    def lambda_force(self):
        return _data.frozen(self._handle.scene.multipliers())


class ContactListener(Object):
    """Tells of the contacts between two collision models."""

    __module__ = "Sofa.Core"

    def _contacts(self):
        elements, points, others, distances = (
            self._handle.field(n).array() for n in ("elements", "points", "others", "distances"))
        return [{"distance": float(d), "point1": [float(x) for x in p], "point2": [float(x) for x in q],
                 "element1": int(elements[2 * i]), "element2": int(elements[2 * i + 1])}
                for i, (d, p, q) in enumerate(zip(distances, points, others))]

    def getNumberOfContacts(self):
        return int(self._handle.field("numberOfContacts").value)

    def getDistances(self):
        return [c["distance"] for c in self._contacts()]

    def getContactPoints(self):
        return [(0, list(c["point1"]), 1, list(c["point2"])) for c in self._contacts()]

    def getContactElements(self):
        return [(0, c["element1"], 1, c["element2"]) for c in self._contacts()]

    def getContactData(self):
        found = self._contacts()
        return {"numberOfContacts": len(found),
                "collisionPointsModel1": [list(c["point1"]) for c in found],
                "collisionPointsModel2": [list(c["point2"]) for c in found],
                "collisionElementsModel1": [c["element1"] for c in found],
                "collisionElementsModel2": [c["element2"] for c in found]}


def _plays(*roles):
    return lambda handle: any(r in handle.roles for r in roles)


def _is(*types):
    return lambda handle: handle.type in types


_base._makers.extend([
    (_is("RegularGridTopology"), RegularGridTopology),
    (_is("SparseGridTopology"), SparseGridTopology),
    (_is("SpringForceField", "StiffSpringForceField"), SpringForceField),
    (_is("ContactListener"), ContactListener),
    (_is("PointSetTopologyModifier", "EdgeSetTopologyModifier", "TriangleSetTopologyModifier",
         "QuadSetTopologyModifier", "TetrahedronSetTopologyModifier", "HexahedronSetTopologyModifier"),
     PointSetTopologyModifier),
    (_plays("mass"), BaseMass),
    (_plays("force"), BaseForceField),
    (_plays("topology"), BaseMeshTopology),
    (_plays("state"), BaseState),
    (_plays("linear solver", "linear system"), BaseLinearSolver),
    (_plays("constraint solver"), ConstraintSolver),
    (lambda handle: True, Object),
])
