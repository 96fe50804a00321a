"""Components written in Python: controllers, forces, masses, mappings, engines."""
import gc
import unittest

import where  # noqa: F401
import Sofa
import Sofa.Core
import Sofa.Simulation

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "numpy is not installed")


class Counter(Sofa.Core.Controller):
    """Counts what it hears."""

    onAnimateEndEvent = "not a function: onEvent hears of it"

    def __init__(self, *args, **fields):
        Sofa.Core.Controller.__init__(self, *args, **fields)
        self.inits, self.begins, self.others, self.keys = 0, 0, [], []

    def init(self):
        self.inits += 1

    def onAnimateBeginEvent(self, event):
        self.begins += 1
        self.dt = event["dt"]

    def onKeypressedEvent(self, event):
        self.keys.append(event["key"])

    def onKeyreleasedEvent(self, event):
        self.keys.append("-" + event["key"])

    def onEvent(self, event):
        self.others.append(event["type"])


class Controllers(unittest.TestCase):
    def test_alone(self):
        controller = Sofa.Core.Controller()
        controller.init()
        controller.reinit()
        counter = Counter(name="c", anything=3)
        counter.init()
        self.assertEqual((counter.inits, counter.getName()), (1, "c"))
        self.assertEqual(counter.getClassName(), "Counter")
        self.assertTrue(counter.listening.value)

    def test_arguments(self):
        root = Sofa.Core.Node("root")
        root.addObject(Counter("first", "a", "b"))
        root.addObject(Counter(name="second", kval="value"))
        root.addObject(Counter, name="third")
        self.assertEqual([o.getName() for o in root.objects], ["first", "second", "third"])

    def test_events(self):
        root = Sofa.Core.Node("root")
        root.addObject("DefaultAnimationLoop")
        counter = root.addObject(Counter())
        Sofa.Simulation.init(root)
        for _ in range(10):
            Sofa.Simulation.animate(root, 0.02)
        self.assertEqual((counter.inits, counter.begins, counter.dt), (1, 10, 0.02))
        self.assertEqual(counter.others.count("AnimateEndEvent"), 10)

    def test_keys(self):
        from Sofa.constants import Key
        root = Sofa.Core.Node("root")
        counter = root.addObject(Counter())
        Sofa.Simulation.init(root)
        scene = root._handle.scene
        scene.send("KeyPressed", "A")
        scene.send("KeyPressed", ord(Key.uparrow))
        scene.send("KeyReleased", "A")
        self.assertEqual(counter.keys, ["A", Key.uparrow, "-A"])

    def test_attributes_last(self):
        root = Sofa.Core.Node("root")
        root.addObject(Counter(name="counter"))
        root.counter.mine = [1, 2]
        gc.collect()
        root.init()
        self.assertEqual((root.counter.inits, root.counter.mine), (1, [1, 2]))

    def test_exceptions_stop_the_step(self):
        class Fails(Sofa.Core.Controller):
            armed = True

            def onAnimateBeginEvent(self, event):
                if self.armed:
                    raise KeyError("nothing here")

        root = Sofa.Core.Node("root")
        fails = root.addObject(Fails(name="fails"))
        Sofa.Simulation.init(root)
        self.assertRaises(KeyError, Sofa.Simulation.animate, root, 0.01)
        fails.armed = False
        Sofa.Simulation.animate(root, 0.01)

    def test_builds_while_it_runs(self):
        class Adds(Sofa.Core.Controller):
            def onAnimateBeginEvent(self, event):
                node = self.getContext().addChild("body%d" % len(self.getContext().children))
                node.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0]])

        root = Sofa.Core.Node("root")
        root.addObject(Adds(name="adds"))
        Sofa.Simulation.init(root)
        Sofa.Simulation.animateNSteps(root, 3, 0.01)
        self.assertEqual([c.getName() for c in root.children], ["body0", "body1", "body2"])
        self.assertEqual(len(root.body2.dofs.position), 1)


class Springs(Sofa.Core.ForceFieldVec3d):
    """Springs to the rest positions, as RestShapeSpringsForceField has them."""

    def __init__(self, *args, **fields):
        Sofa.Core.ForceFieldVec3d.__init__(self, *args, **fields)
        self.addData("stiffness", type="double", value=fields.get("stiffness"), help="stiffness, N/m")
        self.addData("rest", type="vector<Vec3d>", value=fields.get("rest"), default=[[]])
        self.addData("indices", type="vector<int>", default=[])

    def init(self):
        if not self.indices.isSet():
            self.indices = list(range(len(self.rest.value)))

    def addForce(self, m, force, position, velocity):
        k = self.stiffness.value
        with force.writeable() as f:
            for i in self.indices.value:
                f[i] = [a - k * (x - r) for a, x, r in zip(f[i], position[i], self.rest[i])]

    def addDForce(self, m, df, dx):
        k = self.stiffness.value * m["kFactor"]
        with df.writeable() as f:
            for i in self.indices.value:
                f[i] = [a - k * d for a, d in zip(f[i], dx[i])]

    def addKToMatrix(self, m, points, width):
        k = -m["kFactor"] * self.stiffness.value
        return [[width * i + j, width * i + j, k] for i in self.indices.value for j in range(width)]


def bodies(force, implicit=True, direct=False):
    root = Sofa.Core.Node("root")
    root.gravity = [0, -10, 0]
    body = root.addChild("body")
    if implicit:
        body.addObject("EulerImplicitSolver", rayleighStiffness=0.1, rayleighMass=0.1)
    else:
        body.addObject("EulerExplicitSolver")
    if direct:
        body.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixd")
    else:
        body.addObject("CGLinearSolver", iterations=30, tolerance=1e-14, threshold=1e-14)
    dofs = body.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0], [1, 0, 0]])
    body.addObject("UniformMass", totalMass=2.0)
    force(body, dofs)
    Sofa.Simulation.init(root)
    return root, dofs


class Forces(unittest.TestCase):
    def compare(self, **how):
        python = bodies(lambda b, d: b.addObject(Springs(name="s", stiffness=50, mstate=d, rest=d.rest_position)), **how)
        native = bodies(lambda b, d: b.addObject("RestShapeSpringsForceField", stiffness=50, points=[0, 1]), **how)
        for _ in range(20):
            for root, _ in (python, native):
                Sofa.Simulation.animate(root, 0.01)
        for x, y in zip(python[1].position.toList(), native[1].position.toList()):
            for a, b in zip(x, y):
                self.assertAlmostEqual(a, b, delta=1e-9)
        self.assertLess(python[1].position.toList()[0][1], -0.01)
        return python, native

    def test_explicit(self):
        self.compare(implicit=False)

    def test_iterative(self):
        self.compare()

    def test_direct(self):
        self.compare(direct=True)

    def test_matrices(self):
        python, native = self.compare(direct=True)
        forces = [root.body.getForceField(0) for root, _ in (python, native)]
        for force in forces:
            matrix = force.assembleKMatrix()
            self.assertEqual((matrix.shape, matrix.ndim), ((6, 6), 2))
            self.assertEqual((matrix[0, 0], matrix[5, 5], matrix[0, 1]), (-50, -50, 0))

    def test_wrong_sizes_are_told(self):
        class Wrong(Sofa.Core.ForceFieldVec3d):
            def addForce(self, m, force, position, velocity):
                force.value = [[1, 2, 3]] * 7

            def addDForce(self, m, df, dx):
                pass

        root, dofs = bodies(lambda b, d: b.addObject(Wrong(name="wrong")))
        self.assertRaises(Exception, Sofa.Simulation.animate, root, 0.01)

    def test_missing_method(self):
        class Lacks(Sofa.Core.ForceFieldVec3d):
            pass

        root, dofs = bodies(lambda b, d: b.addObject(Lacks(name="lacks")))
        with self.assertRaisesRegex(TypeError, "addForce"):
            Sofa.Simulation.animate(root, 0.01)

    def test_name_twice(self):
        self.assertRaises(TypeError, Springs, "one", name="two")

    @needs_numpy
    def test_array_arithmetic(self):
        class Drag(Sofa.Core.ForceFieldVec3d):
            def addForce(self, m, force, position, velocity):
                force += -3.0 * velocity.value

            def addDForce(self, m, df, dx):
                pass

        root, dofs = bodies(lambda b, d: b.addObject(Drag(name="drag")), implicit=False)
        Sofa.Simulation.animateNSteps(root, 2, 0.1)
        v1 = -10 * 0.1
        v2 = v1 + 0.1 * (-10 - 3 * v1)
        self.assertAlmostEqual(dofs.velocity.value[0][1], v2, places=12)


class Masses(unittest.TestCase):
    class Points(Sofa.Core.MassVec3d):
        def addMDx(self, m, f, dx, factor):
            with f.writeable() as out:
                for i in range(len(dx)):
                    out[i] = [a + factor * 2.0 * d for a, d in zip(out[i], dx[i])]

        def accFromF(self, m, a, f):
            with a.writeable() as out:
                for i in range(len(f)):
                    out[i] = [x / 2.0 for x in f[i]]

    def fall(self, make, explicit):
        root = Sofa.Core.Node("root")
        root.addObject("EulerExplicitSolver" if explicit else "EulerImplicitSolver")
        if not explicit:
            root.addObject("CGLinearSolver", iterations=20, tolerance=1e-14, threshold=1e-14)
        dofs = root.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0], [1, 0, 0]])
        mass = make(root)
        root.addObject("ConstantForceField", indices=[0], forces=[1, 0, 0])
        Sofa.Simulation.init(root)
        Sofa.Simulation.animateNSteps(root, 10, 0.01)
        return dofs.position.toList(), mass, root

    def test_as_uniform_mass(self):
        for explicit in (True, False):
            python, mass, root = self.fall(lambda n: n.addObject(self.Points(name="m")), explicit)
            native, other, _ = self.fall(lambda n: n.addObject("UniformMass", vertexMass=2.0), explicit)
            for x, y in zip(python, native):
                for a, b in zip(x, y):
                    self.assertAlmostEqual(a, b, delta=1e-12)
            self.assertIs(root.getMass(), mass)
            matrix = other.assembleMMatrix()
            self.assertEqual((matrix.shape, matrix.nnz, matrix[3, 3]), ((6, 6), 6, 2.0))


class Shift(Sofa.Core.Mapping_Vec3d_Vec3d):
    """out = in + shift"""

    def apply(self, m, out, in_):
        with out.writeable() as rows:
            for i in range(len(in_)):
                rows[i] = [in_[i][0], in_[i][1] + 1.0, in_[i][2]]

    def applyJ(self, m, out, in_):
        with out.writeable() as rows:
            for i in range(len(in_)):
                rows[i] = list(in_[i])

    def applyJT(self, m, out, in_):
        with out.writeable() as rows:
            for i in range(len(in_)):
                rows[i] = [a + b for a, b in zip(rows[i], in_[i])]


class Mappings(unittest.TestCase):
    def body(self, mapping):
        root = Sofa.Core.Node("root")
        root.addObject("EulerImplicitSolver")
        root.addObject("CGLinearSolver", iterations=30, tolerance=1e-14, threshold=1e-14)
        dofs = root.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0], [1, 0, 0]])
        root.addObject("UniformMass", totalMass=2.0)
        below = root.addChild("below")
        mapped = below.addObject("MechanicalObject", name="mapped", position=[[0, 1, 0], [1, 1, 0]])
        below.addObject("RestShapeSpringsForceField", stiffness=50, points=[0, 1])
        mapping(below, dofs, mapped)
        Sofa.Simulation.init(root)
        Sofa.Simulation.animateNSteps(root, 20, 0.01)
        return dofs, mapped

    def test_forces_come_up(self):
        dofs, mapped = self.body(lambda n, i, o: n.addObject(Shift(name="shift", input=i, output=o)))
        other, _ = self.body(lambda n, i, o: n.addObject("SubsetMapping", indices=[0, 1]))
        for x, y, z in zip(dofs.position.toList(), mapped.position.toList(), other.position.toList()):
            self.assertAlmostEqual(x[1] + 1, y[1], delta=1e-12)
            self.assertLess(x[1], -1e-3)

    def test_given_by_path(self):
        dofs, mapped = self.body(lambda n, i, o: n.addObject(Shift(name="s", input=i.linkpath, output=o.linkpath)))
        self.assertAlmostEqual(dofs.position.toList()[0][1] + 1, mapped.position.toList()[0][1], delta=1e-12)

    def test_states_are_found(self):
        dofs, mapped = self.body(lambda n, i, o: n.addObject(Shift(name="s")))
        self.assertAlmostEqual(dofs.position.toList()[0][1] + 1, mapped.position.toList()[0][1], delta=1e-12)


class Engines(unittest.TestCase):
    class Next(Sofa.Core.DataEngine):
        def __init__(self, *args, **fields):
            Sofa.Core.DataEngine.__init__(self, *args, **fields)
            self.addData(name="d_in", value=fields.get("d_in"), type="int", help="an input")
            self.addData(name="d_out", default=0, type="int", help="an output")
            self.runs = 0

        def init(self):
            self.addInput(self.d_in)
            self.addOutput(self.d_out)

        def update(self):
            self.runs += 1
            self.d_out = self.d_in.value + 1

    class Holder(Sofa.Core.Controller):
        def __init__(self, *args, **fields):
            Sofa.Core.Controller.__init__(self, *args, **fields)
            self.addData(name="v", value=fields.get("v"), type="int")

    def test_alone(self):
        engine = Sofa.Core.DataEngine()
        engine.init()
        root = Sofa.Core.Node("root")
        root.addObject(self.Next(name="next", d_in=41))
        root.next.init()
        root.next.update()
        self.assertEqual(root.next.d_out.value, 42)

    def test_runs_when_it_is_read(self):
        root = Sofa.Core.Node("root")
        first = root.addObject(self.Holder(name="first", v=40))
        engine = root.addObject(self.Next(name="next", d_in=first.v))
        last = root.addObject(self.Holder(name="last", v=engine.d_out))
        Sofa.Simulation.init(root)
        self.assertEqual((last.v.value, engine.runs), (41, 1))
        self.assertEqual((last.v.value, engine.runs), (41, 1))
        first.v = 41
        self.assertEqual(engine.runs, 1)
        self.assertEqual((last.v.value, engine.runs), (42, 2))


class Life(unittest.TestCase):
    def test_nothing_is_left(self):
        import weakref

        def build():
            root = Sofa.Core.Node("root")
            counter = root.addObject(Counter(name="c"))
            root.addChild("a").addObject("MechanicalObject", name="m")
            Sofa.Simulation.init(root)
            Sofa.Simulation.animate(root, 0.01)
            return weakref.ref(root), weakref.ref(counter), weakref.ref(root._handle.scene)

        refs = build()
        gc.collect()
        self.assertEqual([r() for r in refs], [None, None, None])

    def test_unload(self):
        root = Sofa.Core.Node("root")
        child = root.addChild("child")
        Sofa.Simulation.init(root)
        Sofa.Simulation.unload(root)
        self.assertRaises(ReferenceError, child.getName)


if __name__ == "__main__":
    unittest.main()
