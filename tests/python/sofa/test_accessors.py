"""Topologies, matrices, constraints, contacts, springs."""
import unittest

import where  # noqa: F401
import Sofa
import Sofa.Core
import Sofa.Simulation
import SofaRuntime


def beam(mass="UniformMass", solver="SparseLDLSolver"):
    root = Sofa.Core.Node("root")
    root.addObject("DefaultAnimationLoop")
    root.addObject("RequiredPlugin", pluginName=["Sofa.Component.Mass", "Sofa.Component.Engine.Select"])
    root.addObject("EulerImplicitSolver", rayleighStiffness=0.1, rayleighMass=0.1)
    root.addObject(solver, name="solver", template="CompressedRowSparseMatrixMat3x3d")
    root.addObject("MechanicalObject", name="dofs")
    root.addObject(mass, name="mass", totalMass=320)
    root.addObject("RegularGridTopology", name="grid", nx=4, ny=4, nz=20, xmin=-9, xmax=-6, ymin=0, ymax=3, zmin=0,
                   zmax=19)
    root.addObject("BoxROI", name="box", box=[-10, -1, -0.0001, -5, 4, 0.0001])
    root.addObject("FixedConstraint", indices="@box.indices")
    root.addObject("HexahedronFEMForceField", name="FEM", youngModulus=4000, poissonRatio=0.3, method="large")
    Sofa.Simulation.init(root)
    Sofa.Simulation.animate(root, 0.0001)
    return root


class Topologies(unittest.TestCase):
    def test_grid_of_hexahedra(self):
        root = Sofa.Core.Node("root")
        grid = root.addObject("RegularGridTopology", n=[3, 3, 3], min=[0, 0, 0], max=[1, 1, 1])
        self.assertEqual(grid.getNbPoints(), 27)
        self.assertEqual((grid.getNbHexahedra(), grid.getNbQuads(), grid.getNbTetrahedra()), (8, 36, 0))
        self.assertEqual(grid.getHexahedron(0), [0, 1, 4, 3, 9, 10, 13, 12])
        self.assertEqual(grid.getNbEdges(), grid.getNbLines())
        self.assertEqual(len(grid.getEdge(0)), 2)
        self.assertEqual(len(grid.getQuadsInHexahedron(0)), 6)
        self.assertEqual(len(grid.getEdgesInHexahedron(0)), 12)
        self.assertEqual(grid.getHexahedraAroundVertex(13), list(range(8)))
        self.assertEqual(grid.getHexahedraAroundVertex(0), [0])
        self.assertEqual(grid.getPoint(26), [1, 1, 1])
        self.assertRaises(IndexError, grid.getHexahedron, 8)
        for e in grid.getEdgesAroundVertex(0):
            self.assertIn(0, grid.getEdge(e))
        self.assertEqual(len(grid.getVerticesAroundVertex(0)), len(grid.getEdgesAroundVertex(0)))

    def test_tetrahedra(self):
        root = Sofa.Core.Node("root")
        topology = root.addObject("TetrahedronSetTopologyContainer", name="t",
                                  position=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
                                  tetrahedra=[[0, 1, 2, 3], [1, 2, 3, 4]])
        Sofa.Simulation.init(root)
        self.assertEqual((topology.getNbTetras(), topology.getNbTriangles(), topology.getNbEdges()), (2, 7, 9))
        self.assertEqual(topology.getTetrahedron(1), [1, 2, 3, 4])
        self.assertEqual(topology.getTetrahedraAroundVertex(1), [0, 1])
        for e in topology.getEdgesInTetrahedron(0):
            self.assertTrue(set(topology.getEdge(e)) <= {0, 1, 2, 3})
        shared = [t for t in range(7) if len(topology.getTetrahedraAroundTriangle(t)) == 2]
        self.assertEqual([sorted(topology.getTriangle(t)) for t in shared], [[1, 2, 3]])
        self.assertEqual(len(topology.getTrianglesInTetrahedron(0)), 4)
        self.assertEqual(len(topology.getTetrahedra()), 2)
        self.assertEqual(root.getMeshTopologyLink(), "@/t")

    def test_points_come_and_go(self):
        root = Sofa.Core.Node("root")
        container = root.addObject("PointSetTopologyContainer", position=[[0, 0, 0], [1, 0, 0]])
        modifier = root.addObject("PointSetTopologyModifier")
        state = root.addObject("MechanicalObject", template="Vec3d")
        Sofa.Simulation.init(root)
        modifier.addPoints(3, True)
        self.assertEqual((container.getNbPoints(), state.getSize()), (5, 5))
        with state.position.writeable() as rows:
            for i in range(len(rows)):
                rows[i] = [i, 0, 0]
        modifier.removePoints([0], True)
        self.assertEqual(container.getNbPoints(), 4)
        self.assertEqual([row[0] for row in state.position.toList()], [4, 1, 2, 3])


class Matrices(unittest.TestCase):
    def test_of_a_force(self):
        root = beam()
        matrix = root.FEM.assembleKMatrix()
        self.assertEqual((matrix.ndim, matrix.shape, matrix.nnz), (2, (960, 960), 52200))
        ones = [1.0, 0.0, 0.0] * 320   # a shift costs nothing
        self.assertLess(max(abs(x) for x in matrix.dot(ones)), 1e-8)

    def test_of_a_mass(self):
        root = beam("MeshMatrixMass")
        matrix = root.mass.assembleMMatrix()
        self.assertEqual((matrix.ndim, matrix.shape), (2, (960, 960)))
        total = sum(matrix.dot([1.0, 0.0, 0.0] * 320))
        self.assertAlmostEqual(total, 320, delta=1e-9)
        self.assertIs(root.mass.mstate.getLinkedBase() or root.dofs, root.dofs)

    def test_of_a_linear_solver(self):
        root = beam()
        a, b, x = root.solver.A(), root.solver.b(), root.solver.x()
        self.assertEqual((a.shape, len(b), len(x)), ((960, 960), 960, 960))
        self.assertLess(max(abs(p - q) for p, q in zip(a.dot(list(x)), b)), 1e-9)

    def test_before_it_is_there(self):
        root = Sofa.Core.Node("root")
        root.addObject("MechanicalObject")
        force = root.addObject("RestShapeSpringsForceField", stiffness=1)
        self.assertRaises(RuntimeError, force.assembleKMatrix)


class Constraints(unittest.TestCase):
    def scene(self, controller=None):
        root = Sofa.Core.Node("root")
        root.addObject("FreeMotionAnimationLoop")
        solver = root.addObject("GenericConstraintSolver", name="solver", tolerance=1e-9, maxIterations=1000)
        body = root.addChild("body")
        body.addObject("EulerImplicitSolver")
        body.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
        body.addObject("GenericConstraintCorrection")
        body.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0], [1, 0, 0]])
        body.addObject("UniformMass", totalMass=2)
        body.addObject("FixedLagrangianConstraint", indices=[0])
        if controller is not None:
            root.addObject(controller)
        Sofa.Simulation.init(root)
        return root, solver

    def test_compliance_and_multipliers(self):
        root, solver = self.scene()
        Sofa.Simulation.animate(root, 0.01)
        w, force = solver.W(), solver.lambda_force()
        self.assertEqual((len(w), len(w[0]), len(force)), (3, 3, 3))
        for i in range(3):
            self.assertGreater(w[i][i], 0)
        self.assertGreater(abs(force[1]), 0)   # holds the point against gravity

    def test_events(self):
        class Hears(Sofa.Core.Controller):
            def __init__(self, *args, **fields):
                Sofa.Core.Controller.__init__(self, *args, **fields)
                self.built = self.solved = 0

            def onBuildConstraintSystemEndEvent(self, event):
                self.built += 1

            def onSolveConstraintSystemEndEvent(self, event):
                self.solved += 1

        hears = Hears(name="hears")
        root, solver = self.scene(hears)
        for _ in range(5):
            Sofa.Simulation.animate(root, 0.01)
        self.assertEqual((hears.built, hears.solved), (5, 5))


class Springs(unittest.TestCase):
    def test_list(self):
        from Sofa.SofaDeformable import LinearSpring
        root = Sofa.Core.Node("root")
        root.addObject("EulerImplicitSolver")
        root.addObject("CGLinearSolver")
        root.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0], [1, 0, 0], [2, 0, 0]])
        root.addObject("UniformMass", totalMass=3)
        force = root.addObject("SpringForceField", spring=[[0, 1, 100, 5, 1], [1, 2, 200, 5, 1]])
        Sofa.Simulation.init(root)
        self.assertEqual([(s.index1, s.index2, s.springStiffness) for s in force.getSprings()],
                         [(0, 1, 100), (1, 2, 200)])
        force.addSpring(LinearSpring(0, 2, 50, 1, restLength=2))
        self.assertEqual(len(force.getSprings()), 3)
        force.removeSpring(0)
        self.assertEqual([s.springStiffness for s in force.getSprings()], [200, 50])
        Sofa.Simulation.animate(root, 0.01)


class Contacts(unittest.TestCase):
    def test_listener(self):
        root = Sofa.Core.Node("root")
        root.addObject("CollisionPipeline")
        root.addObject("BruteForceBroadPhase")
        root.addObject("BVHNarrowPhase")
        root.addObject("MinProximityIntersection", alarmDistance=0.5, contactDistance=0.1)
        root.addObject("CollisionResponse", response="PenalityContactForceField")
        models = []
        for name, y in (("low", 0.0), ("high", 0.3)):
            node = root.addChild(name)
            node.addObject("MechanicalObject", position=[[0, y, 0]])
            models.append(node.addObject("SphereCollisionModel", name="model", radius=0.1))
        listener = root.addObject("ContactListener", collisionModel1=models[0], collisionModel2=models[1])
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root, 0.01)
        self.assertEqual(listener.getNumberOfContacts(), 1)
        data = listener.getContactData()
        self.assertEqual((data["collisionElementsModel1"], data["collisionElementsModel2"]), ([0], [0]))
        self.assertEqual((len(listener.getDistances()), len(listener.getContactPoints())), (1, 1))
        self.assertEqual(listener.getContactElements(), [(0, 0, 1, 0)])


class Energies(unittest.TestCase):
    def test_of_a_fall(self):
        root = Sofa.Core.Node("root")
        root.addObject("EulerExplicitSolver")
        root.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0]])
        root.addObject("UniformMass", totalMass=2)
        Sofa.Simulation.init(root)
        Sofa.Simulation.animateNSteps(root, 10, 0.01)
        kinetic, potential = root.computeEnergy()
        v = root.dofs.velocity.toList()[0][1]
        self.assertAlmostEqual(kinetic, v * v, places=9)
        self.assertAlmostEqual(potential, 2 * 9.81 * root.dofs.position.toList()[0][1], places=9)


class Factory(unittest.TestCase):
    def test_what_there_is(self):
        self.assertIn("MechanicalObject", Sofa.Core.ObjectFactory.dump_json())
        entry = Sofa.Core.ObjectFactory.getComponent("MechanicalObject")
        self.assertEqual(entry.className, "MechanicalObject")
        self.assertIn("Vec3d", entry.templates)
        self.assertIn("Sofa.Component.StateContainer", Sofa.Core.ObjectFactory.targets)
        self.assertEqual(SofaRuntime.getCategories("MeshOBJLoader"), ["Loader"])
        self.assertEqual(SofaRuntime.getCategories("NoSuchThing"), [])
        root = Sofa.Core.Node("root")
        state = Sofa.Components.MechanicalObject(root, name="dofs")
        self.assertIs(root.dofs, state)
        self.assertEqual(state.getCategories(), ["MechanicalState"])
        self.assertEqual(state.getTarget(), "Sofa.Component.StateContainer")
        self.assertEqual(root.addObject("MeshTopology").getCategories(), ["Topology"])
        self.assertEqual(root.addObject("UniformMass").getCategories(), ["Mass"])


if __name__ == "__main__":
    unittest.main()
