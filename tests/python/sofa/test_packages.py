"""What packages on top of SofaPython3 do with it (stlib3, splib3 and the like): prefabs with properties or parameters, nodes
that get functions, wrappers around nodes, animations, bodies that are half rigid."""

import json
import os
import tempfile
import unittest

import where  # noqa: F401
import Sofa
import Sofa.Core
import Sofa.Simulation
import SofaRuntime
from Sofa.Helper import msg_deprecated

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "numpy is not installed")


class Skin(Sofa.Prefab):
    """The older way: properties, init."""

    properties = [
        {"name": "meshPath", "type": "string", "help": "file of the surface", "default": ""},
        {"name": "translation", "type": "Vec3d", "help": "where", "default": [0.0, 0.0, 0.0]},
        {"name": "rotation", "type": "Vec3d", "help": "turned", "default": [0.0, 0.0, 0.0]},
        {"name": "scale", "type": "Vec3d", "help": "how large", "default": [1.0, 1.0, 1.0]},
        {"name": "color", "type": "Vec4d", "help": "red, green, blue, opacity", "default": [1.0, 1.0, 1.0, 1.0]}]

    def __init__(self, *args, **kwargs):
        Sofa.Prefab.__init__(self, *args, **kwargs)

    def init(self):
        self.addObject("RequiredPlugin", pluginName=["SofaOpenglVisual", "SofaLoader"])
        path = self.meshPath.value
        self.addObject("MeshSTLLoader" if path.endswith(".stl") else "MeshOBJLoader", name="loader", filename=path)
        self.addObject("OglModel", name="OglModel", src="@loader", rotation=list(self.rotation.value),
                       translation=list(self.translation.value), scale3d=list(self.scale.value), color=list(self.color.value),
                       updateNormals=False)

    def showGrid(self, lines=10, size=1000):
        self.addObject("OglGrid", nbSubdiv=lines, size=size)


class Elastic(Sofa.Prefab):
    properties = [
        {"name": "volume", "type": "string", "help": "file of the tetrahedra", "default": ""},
        {"name": "name", "type": "string", "help": "of the node", "default": "Elastic"},
        {"name": "rotation", "type": "Vec3d", "help": "", "default": [0.0, 0.0, 0.0]},
        {"name": "translation", "type": "Vec3d", "help": "", "default": [0.0, 0.0, 0.0]},
        {"name": "scale", "type": "Vec3d", "help": "", "default": [1.0, 1.0, 1.0]},
        {"name": "surface", "type": "string", "help": "", "default": ""},
        {"name": "collision", "type": "string", "help": "", "default": ""},
        {"name": "corrected", "type": "bool", "help": "", "default": True},
        {"name": "color", "type": "Vec4d", "help": "", "default": [1.0, 1.0, 1.0, 1.0]},
        {"name": "poissonRatio", "type": "double", "help": "", "default": 0.3},
        {"name": "youngModulus", "type": "double", "help": "", "default": 18000},
        {"name": "totalMass", "type": "double", "help": "", "default": 1.0},
        {"name": "solverName", "type": "string", "help": "", "default": ""}]

    def __init__(self, *args, **kwargs):
        Sofa.Prefab.__init__(self, *args, **kwargs)

    def init(self):
        plugins = []
        if self.solverName.value == "":
            plugins.append("SofaImplicitOdeSolver")
            self.integration = self.addObject("EulerImplicitSolver", name="integration")
            plugins.append("SofaSparseSolver")
            self.solver = self.addObject("SparseLDLSolver", name="solver")
        if self.volume.value == "":
            Sofa.msg_error(self, "there is no volume")
            return
        kind = "MeshGmshLoader" if self.volume.value.endswith(".msh") else "MeshVTKLoader"
        self.loader = self.addObject(kind, name="loader", filename=self.volume.value, rotation=list(self.rotation.value),
                                     translation=list(self.translation.value), scale3d=list(self.scale.value))
        self.container = self.addObject("TetrahedronSetTopologyContainer", src=self.loader.getLinkPath(), name="container")
        self.dofs = self.addObject("MechanicalObject", template="Vec3", name="dofs")
        self.mass = self.addObject("UniformMass", totalMass=self.totalMass.value, name="mass")
        self.forcefield = self.addObject("TetrahedronFEMForceField", template="Vec3", method="large", name="forcefield",
                                         poissonRatio=self.poissonRatio.value, youngModulus=self.youngModulus.value)
        if self.corrected.value:
            self.correction = self.addObject("LinearSolverConstraintCorrection", name="correction")
        if self.collision:
            self.addCollisionModel(self.collision.value, list(self.rotation.value), list(self.translation.value))
        if self.surface:
            self.addVisualModel(self.surface.value, list(self.color.value), list(self.rotation.value), list(self.translation.value))
        self.addObject("RequiredPlugin", pluginName=plugins)

    def addCollisionModel(self, mesh, rotation=[0.0, 0.0, 0.0], translation=[0.0, 0.0, 0.0], scale=[1.0, 1.0, 1.0]):
        self.collisionmodel = self.addChild("CollisionModel")
        self.collisionmodel.addObject("MeshOBJLoader", name="loader", filename=mesh, rotation=rotation, translation=translation,
                                      scale3d=scale)
        self.collisionmodel.addObject("TriangleSetTopologyContainer", src="@loader", name="container")
        self.collisionmodel.addObject("MechanicalObject", template="Vec3", name="dofs")
        for kind in ("Triangle", "Line", "Point"):
            self.collisionmodel.addObject(kind + "CollisionModel")
        self.collisionmodel.addObject("BarycentricMapping")

    def addVisualModel(self, filename, color, rotation, translation, scale=[1.0, 1.0, 1.0]):
        visual = self.addChild(Skin(meshPath=filename, color=color, rotation=rotation, translation=translation, scale=scale))
        visual.addObject("BarycentricMapping", name="mapping")


class Held(Sofa.Prefab):
    """The newer way: parameters, among them one without a default, and onParametersChanged."""

    prefabParameters = [
        {"name": "coordinates", "type": "Vec6f", "help": "two corners", "default": [0, 0, 0, 1, 1, 1]},
        {"name": "showBox", "type": "bool", "help": "draw it", "default": False},
        {"name": "Coordinates", "type": "Vec6f", "help": "an older name"}]

    def __init__(self, *args, **kwargs):
        if kwargs.get("Coordinates") is not None:
            kwargs["coordinates"] = kwargs.get("Coordinates")
            msg_deprecated("Coordinates is now coordinates")
        Sofa.Prefab.__init__(self, *args, **kwargs)

    def onParametersChanged(self):
        self.addObject("BoxROI", name="BoxROI", box=self.coordinates, drawBoxes=self.showBox)
        self.addObject("RestShapeSpringsForceField", points="@BoxROI.indices", stiffness=1e12)


class Animation:
    def __init__(self, duration, mode, onUpdate, params, onDone=None):
        self.duration, self.mode, self.onUpdate, self.params, self.onDone = duration, mode, onUpdate, params, onDone
        self.startTime, self.factor = None, 1.0

    def update(self, now):
        if self.startTime is None:
            self.startTime = now
        self.factor = min(1.0, (now - self.startTime) / self.duration)
        self.onUpdate(factor=self.factor, **self.params)


class Animations(Sofa.Core.Controller):
    """The node comes as an argument that is neither name nor field."""

    def __init__(self, *args, **kwargs):
        Sofa.Core.Controller.__init__(self, *args, **kwargs)
        self.listening = True
        self.name = "AnimationManager"
        self.node = args[0]
        self.totalTime = 0
        self.animations = []

    def bwdInitGraph(self, root):
        self.onAnimateBeginEvent(None)

    def onAnimateBeginEvent(self, event):
        self.totalTime += self.node.getRoot().dt.value
        rest = []
        for animation in self.animations:
            animation.update(self.totalTime)
            if animation.factor < 1.0:
                rest.append(animation)
            elif animation.onDone is not None:
                animation.onDone(factor=animation.factor, **animation.params)
        self.animations = rest
        return 0


def Settings(plugins, paths):
    self = Sofa.Core.Node("Settings")
    below = self.addChild("Plugins")
    for name in plugins:
        below.addObject("RequiredPlugin", name=name, printLog=False)
    for i, path in enumerate(paths):
        self.addObject("AddResourceRepository", name="AddResourceRepository" + str(i), path=path)
    self.addObject("OglSceneFrame", style="Arrows", alignment="TopRight")
    return self


def Scene(root, gravity=[0.0, -9.81, 0.0], dt=0.01, iterative=True):
    """A root that gets functions as attributes."""

    def addSolver(node):
        node.addObject("EulerImplicitSolver", name="TimeIntegrationSchema")
        node.addObject("CGLinearSolver" if iterative else "SparseLDLSolver", name="LinearSolver")
        return node

    def addSettings(plugins=["SofaMiscCollision", "SofaPython3"], repositoryPaths=[]):
        root.addChild(Settings(plugins, repositoryPaths))
        return root

    def addModelling():
        root.addChild("Modelling")
        return root

    def addSimulation():
        addSolver(root.addChild("Simulation"))
        return root

    def addMainHeader():
        root.addObject(Animations(root))
        addSettings(repositoryPaths=[os.getcwd()])
        addModelling()
        addSimulation()

    root.gravity.value = gravity
    root.dt.value = dt
    root.addObject("VisualStyle")
    root.addMainHeader, root.addSettings, root.addSolver = addMainHeader, addSettings, addSolver
    root.addModelling, root.addSimulation = addModelling, addSimulation
    return root


def ContactHeader(node, alarmDistance, contactDistance, friction=0.0):
    if node.hasObject("DefaultPipeline") is False:
        node.addObject("DefaultPipeline")
    node.addObject("BruteForceBroadPhase")
    node.addObject("BVHNarrowPhase")
    node.addObject("RuleBasedContactManager", responseParams="mu=" + str(friction), name="Response", response="FrictionContact")
    node.addObject("LocalMinDistance", alarmDistance=alarmDistance, contactDistance=contactDistance, angleCone=0.01)
    if node.hasObject("FreeMotionAnimationLoop") is False:
        node.addObject("FreeMotionAnimationLoop")
    if node.hasObject("GenericConstraintSolver") is False:
        node.addObject("GenericConstraintSolver", tolerance=1e-6, maxIterations=1000)
    return node


def Rigid(name="Rigid", mesh=None, translation=[0.0, 0.0, 0.0], rotation=[0.0, 0.0, 0.0], scale=1.0, mass=1.0, volume=1.0,
          inertia=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], color=[1.0, 1.0, 0.0], group="", static=False, parent=None):
    """A function that makes a node, gives it functions, and may add it to another one."""
    node = Sofa.Core.Node(name)
    if parent is not None:
        parent.addChild(node)
    node.addObject("MechanicalObject", name="mstate", template="Rigid3", translation2=translation, rotation2=rotation,
                   showObjectScale=scale)
    node.addObject("UniformMass", name="mass", vertexMass=[mass, volume, inertia[:]])
    if not static:
        node.addObject("EulerImplicitSolver")
        node.addObject("CGLinearSolver", iterations=25, tolerance=1e-9, threshold=1e-9)

    def addCollisionModel(source=mesh):
        below = node.addChild("collision")
        below.addObject("RequiredPlugin", name="SofaMeshCollision")
        below.addObject("MeshOBJLoader", name="loader", filename=source, triangulate=True, scale=scale)
        below.addObject("MeshTopology", src="@loader")
        below.addObject("MechanicalObject")
        still = dict(moving=False, simulated=False) if static else {}
        for kind in ("Triangle", "Line", "Point"):
            below.addObject(kind + "CollisionModel", group=group, **still)
        below.addObject("RigidMapping")

    def addVisualModel(source=mesh):
        visual = Skin(name="visual", meshPath=source, color=color + [1.0], scale=[scale] * 3)
        node.addChild(visual)
        visual.addObject("RigidMapping")

    node.addCollisionModel, node.addVisualModel = addCollisionModel, addVisualModel
    if mesh is not None:
        node.addCollisionModel()
        node.addVisualModel()
    return node


def Rigidify(target, source, groups, name):
    """Points of a body that move with frames, the others free: SubsetMultiMapping puts them together."""
    body = target.addChild(name)
    positions = [list(p) for p in source.container.position.value]
    indices = range(len(positions))
    chosen = [i for group in groups for i in group]
    frames = [[sum(positions[i][k] for i in group) / len(group) for k in range(3)] + [0.0, 0.0, 0.0, 1.0] for group in groups]
    others = [i for i in indices if i not in chosen]
    pairs = {v: [0, k] for k, v in enumerate(others)}
    pairs.update({v: [1, k] for k, v in enumerate(chosen)})
    free = body.addChild("DeformableParts")
    free.addObject("MechanicalObject", template="Vec3", name="dofs", position=[list(positions[i]) for i in others])
    rigid = body.addChild("RigidParts")
    rigid.addObject("MechanicalObject", template="Rigid3", name="dofs", reserve=len(frames), position=frames)
    carried = rigid.addChild("RigidifiedParticules")
    carried.addObject("MechanicalObject", template="Vec3", name="dofs", position=[list(positions[i]) for i in chosen])
    carried.addObject("RigidMapping", name="mapping", globalToLocalCoords=True,
                      rigidIndexPerPoint=[i for i, group in enumerate(groups) for _ in group])
    for gone in (source.solver, source.integration, source.correction):
        source.removeObject(gone)
    source.addObject("SubsetMultiMapping", name="mapping", template="Vec3,Vec3",
                     input=[free.dofs.getLinkPath(), carried.dofs.getLinkPath()], output=source.dofs.getLinkPath(),
                     indexPairs=[x for i in indices for x in pairs[i]])
    carried.addChild(source)
    free.addChild(source)
    return body


class Wrapper:
    """Hands on what is built, changed on its way; everything else is the node's."""

    def __init__(self, node, change):
        self.node, self.change = node, change

    def addObject(self, kind, **kwargs):
        kind, kwargs = self.change(self.node, kind, kwargs) or (kind, kwargs)
        return self.node.addObject(kind, **kwargs)

    def addChild(self, name):
        return Wrapper(self.node.addChild(name), self.change)

    def __getattr__(self, value):
        try:
            return self.node.__getattr__(value)
        except AttributeError:
            pass
        return self.node.__getattribute__(value)


def setData(component, **values):
    for name in values:
        component.getData(str(name)).value = values[name]


def get(node, path):
    for part in path.split("/"):
        found = node.getChild(part)
        if found is None:
            names = part.split(".")
            if len(names) == 1:
                found = node.getObject(names[0], warning=False)
                if found is None:
                    found = node.getData(names[0])
            else:
                found = node.getObject(names[0]).getData(names[1])
        if found is None:
            raise ValueError(path)
        node = found
    return node


ORGAN, BLOCK = "mesh/organ.msh", "mesh/block.obj"


class Packages(unittest.TestCase):
    def setUp(self):
        SofaRuntime.DataRepository.addFirstPath(os.path.join(where.ROOT, "scenes"))

    def test_a_scene_with_functions(self):
        scene = Scene(Sofa.Core.Node("root"))
        scene.addMainHeader()
        scene.Simulation.addChild(scene.Modelling)   # a second parent
        self.assertEqual(len(scene.Modelling.parents), 2)
        self.assertEqual(scene.Simulation.LinearSolver.getClassName(), "CGLinearSolver")
        self.assertEqual(list(scene.gravity.value), [0, -9.81, 0])
        scene.VisualStyle.displayFlags = "showBehavior"
        Sofa.Simulation.init(scene)
        Sofa.Simulation.animate(scene, 0.01)

    def test_animations(self):
        root = Sofa.Core.Node("root")
        manager = Animations(root)
        root.addObject(manager)
        target = root.addChild("target").addObject("MechanicalObject", name="dofs", position=[[0, 0, 0]])
        seen, done = [], []

        def move(target, factor):
            target.position = [[factor, 0, 0]]
            seen.append(target.name.value)
        manager.animations.append(Animation(0.05, "once", move, {"target": target}, onDone=lambda target, factor: done.append(factor)))
        Sofa.Simulation.init(root)
        for _ in range(10):
            Sofa.Simulation.animate(root, 0.01)
        self.assertEqual(done, [1.0])
        self.assertEqual(seen, ["dofs"] * 6)
        self.assertEqual(target.position.value[0][0], 1.0)
        self.assertEqual(root.AnimationManager.name.value, "AnimationManager")

    def test_prefabs_with_properties(self):
        root = Sofa.Core.Node("root")
        root.addObject("FreeMotionAnimationLoop")
        root.addObject("GenericConstraintSolver")
        organ = root.addChild(Elastic(name="organ", volume=ORGAN, translation=[0.03, 0, 0], totalMass=0.5, surface="mesh/organ-surface.obj"))
        other = root.addChild(Elastic(volume=ORGAN, corrected=False))
        self.assertEqual((organ.name.value, other.name.value), ("organ", "Elastic"))
        self.assertTrue(organ.correction is not None and not hasattr(other, "correction"))
        held = organ.addChild(Held(name="held", Coordinates=[-1, -1, -1, 1, 0, 1], showBox=True))
        Sofa.Simulation.init(root)
        self.assertGreater(len(held.BoxROI.indices.value), 0)
        self.assertAlmostEqual(organ.dofs.position.value[0][0] - other.dofs.position.value[0][0], 0.03)
        before = organ.Skin.OglModel.position.array().copy() if numpy is not None else None
        for _ in range(3):
            Sofa.Simulation.animate(root, 0.01)
        if before is not None:
            self.assertFalse(numpy.allclose(before, organ.Skin.OglModel.position.array(), atol=1e-12))
        self.assertAlmostEqual(organ.mass.totalMass.value, 0.5)

    def test_rigid_objects_and_contacts(self):
        root = ContactHeader(Sofa.Core.Node("root"), alarmDistance=0.02, contactDistance=0.005, friction=0.6)
        root.gravity = [0, -9.81, 0]
        floor = Rigid("floor", mesh=BLOCK, translation=[0, -0.25, 0], scale=1.0, static=True, parent=root)
        body = Rigid("body", mesh=BLOCK, translation=[0, 0.3, 0], scale=0.2, mass=0.1)
        root.addChild(body)
        body.addObject("UncoupledConstraintCorrection")
        self.assertEqual(floor.collision.TriangleCollisionModel.moving.value, False)
        Sofa.Simulation.init(root)
        for _ in range(100):
            Sofa.Simulation.animate(root, 0.005)
        x = body.mstate.position.value[0]
        self.assertTrue(-1 < x[1] < 0.3, x)

    @needs_numpy
    def test_half_rigid(self):
        root = Sofa.Core.Node("root")
        root.gravity = [0, 0, 0]
        model = root.addChild("Modeling")
        organ = model.addChild(Elastic(volume=ORGAN, name="organ"))
        half = Rigidify(model, organ, [list(range(11)), [20, 21, 22, 23]], "half")
        setData(half.RigidParts.dofs, showObject=True, showObjectScale=1, drawMode=2)
        setData(half.DeformableParts.dofs, showObject=True, showObjectScale=0.1, showColor=[1.0, 1.0, 0.0, 1.0])
        half.RigidParts.addObject("FixedConstraint", indices=0)
        simulation = root.addChild("Simulation")
        simulation.addObject("EulerImplicitSolver")
        simulation.addObject("CGLinearSolver", iterations=100, tolerance=1e-12, threshold=1e-30)
        simulation.addChild(half)
        model.removeChild(organ)
        model.removeChild(half)
        Sofa.Simulation.init(root)
        start = organ.dofs.position.array().copy()
        with half.RigidParts.dofs.velocity.writeable() as v:
            v[1, 2] = 0.05
        for _ in range(5):
            Sofa.Simulation.animate(root, 0.01)
        moved = numpy.linalg.norm(organ.dofs.position.array() - start, axis=1)
        self.assertLess(moved[:11].max(), 1e-12)   # with the frame that is held
        self.assertGreater(moved[20:24].min(), 1e-7)

        def distances(x):
            return numpy.linalg.norm(x[20:24, None] - x[None, 20:24], axis=2)
        self.assertLess(numpy.abs(distances(organ.dofs.position.array()) - distances(start)).max(), 1e-12)   # rigid

    def test_wrappers_and_queries(self):
        root = Sofa.Core.Node("root")
        changed = Wrapper(root, lambda node, kind, kw: ("CGLinearSolver", {"name": kw["name"]}) if kind == "SparseLDLSolver" else None)
        solver = changed.addChild("a").addObject("SparseLDLSolver", name="solver")
        self.assertEqual(solver.getClassName(), "CGLinearSolver")
        self.assertEqual(changed.name.value, "root")
        self.assertEqual(changed.getChild("a").name.value, "a")
        root.a.addObject("MechanicalObject", name="dofs", position=[[1, 2, 3]])
        self.assertEqual(get(root, "a/dofs.position").getLinkPath(), "@/a/dofs.position")
        self.assertEqual(get(root, "a/solver").getPathName(), "/a/solver")
        self.assertEqual(get(root, "a").getLinkPath(), "@/a")
        with self.assertRaises(ValueError):
            get(root, "a/nothing")

    def test_points_from_a_file(self):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "points.json")
            with open(path, "w") as out:
                json.dump([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], out)
            node = Sofa.Core.Node("root")
            with open(path) as points:
                dofs = node.addObject("MechanicalObject", position=json.load(points))
            self.assertEqual(len(dofs.position.value), 2)

    def test_scene_files_read_by_hand(self):
        """As a loader of XML in Python does: attributes to Data that exist, tags to components."""
        import xml.etree.ElementTree as ET

        def process(xml, node):
            for name, value in xml.attrib.items():
                if name in node.__data__:
                    node.findData(name).read(value)
            for child in xml:
                if child.tag == "Node":
                    process(child, node.addChild(child.attrib["name"]))
                else:
                    node.addObject(child.tag, **child.attrib)
        path = os.path.join(where.ROOT, "scenes", "liver.scn")
        root = Sofa.Core.Node("root")
        process(ET.parse(path).getroot(), root)
        Sofa.Simulation.init(root)
        Sofa.Simulation.animateNSteps(root, 5, root.dt.value)
        import divan
        other = divan.load(path).init()
        other.step(5)
        self.assertEqual(root._handle.scene.hash(), other.hash())


if __name__ == "__main__":
    unittest.main()
