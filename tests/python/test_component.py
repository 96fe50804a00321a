"""Components written in Python: each role against the library's own, and what goes wrong in them."""

import gc
import unittest
import weakref

from support import Case, divan, needs_numpy, numpy, pendulum


class Anchor(divan.Component):
    """Springs to the origin."""
    fields = {"stiffness": ("real", 50.0, "of each spring")}

    def add_force(self, x, v):
        return -self.stiffness * x

    def add_dforce(self, dx, kfactor, bfactor):
        return -kfactor * self.stiffness * dx

    def add_stiffness(self):
        i = numpy.arange(self.node.object("dofs").position.size)
        return i, i, numpy.full(len(i), -self.stiffness)

    def energy(self, x):
        return 0.5 * self.stiffness * float((x ** 2).sum())


class Lump(divan.Component):
    fields = {"mass": ("real", 2.0, "of each point")}

    def add_mdx(self, dx, factor):
        return factor * self.mass * dx

    def accelerations(self, f):
        return f / self.mass


class Twice(divan.Component):
    def apply(self, x):
        return 2 * x + 1

    def apply_j(self, v):
        return 2 * v

    def apply_jt(self, f):
        return 2 * f


class Listener(divan.Component):
    def __init__(self, *args, **values):
        super().__init__(*args, **values)
        self._seen = []

    def on_event(self, kind, data):
        self._seen.append(kind)


class Doubler(divan.Component):
    fields = {"input": ("vec3s", [[1, 2, 3]], "points", {"input": True}), "output": ("vec3s", None, "twice", {"output": True})}
    runs = 0

    def update(self):
        type(self).runs += 1
        self.output = [[2 * c for c in p] for p in self.input]


def body(solver="CGLinearSolver", integrator="EulerImplicitSolver", script=True, mapped=False):
    scene = divan.Scene()
    root = scene.root
    root.gravity, root.dt = (0, -10, 0), 0.01
    root.add(integrator)
    if solver:
        root.add(solver, **({"iterations": 100, "tolerance": 1e-14, "threshold": 1e-14} if solver == "CGLinearSolver" else {}))
    root.add("MechanicalObject", name="dofs", position=[[1, 0, 0], [0, 1, 0.5]], rest_position=[[0, 0, 0], [0, 0, 0]])
    if script:
        Anchor(root, "anchor")
        Lump(root, "lump")
    else:
        root.add("RestShapeSpringsForceField", points=[0, 1], stiffness=[50.0])
        root.add("UniformMass", vertexMass=2.0)
    if mapped:
        child = root.add_child("mapped")
        child.add("MechanicalObject", name="dofs", position=[[0, 0, 0], [0, 0, 0]])
        if script:
            Twice(child, "map")
        child.add("ConstantForceField", indices=[0], forces=[[3, 0, 0]])
    return scene


@needs_numpy
class Roles(Case):
    def test_force_and_mass_as_in_the_library(self):
        for solver in ("CGLinearSolver", "SparseLDLSolver"):
            a, b = body(solver).init(), body(solver, script=False).init()
            a.step(50)
            b.step(50)
            self.assertTrue(numpy.allclose(a.root.dofs.position, b.root.dofs.position, rtol=0, atol=1e-10), solver)
        a, b = (body(None, "RungeKutta4Solver", script).init() for script in (True, False))
        a.step(50)
        b.step(50)
        self.assertTrue(numpy.allclose(a.root.dofs.position, b.root.dofs.position, rtol=0, atol=1e-10))

    def test_energies(self):
        a, b = body().init(), body(script=False).init()
        a.step(5)
        b.step(5)
        for key in ("kinetic", "potential"):
            self.assertAlmostEqual(a.energies()[key], b.energies()[key], places=8)

    def test_matrices_of_a_force_in_python(self):
        a, b = body("SparseLDLSolver").init(), body("SparseLDLSolver", script=False).init()
        for kind in ("mass", "stiffness"):
            self.assertTrue(numpy.allclose(a.matrix(kind)[2], b.matrix(kind)[2]), kind)

    def test_mapping(self):
        for solver in ("CGLinearSolver", "SparseLDLSolver"):
            scene = body(solver, mapped=True).init()
            self.assertEqual(scene["/mapped/dofs"].position.tolist(), [[3, 1, 1], [1, 3, 2]])
            scene.step(20)
            x = scene.root.dofs.position
            self.assertTrue(numpy.allclose(scene["/mapped/dofs"].position, 2 * x + 1))
        plain = body().init()
        plain.step(20)
        self.assertGreater(x[0, 0], plain.root.dofs.position[0, 0])   # the force came up

    def test_snapshots_hold_what_it_remembers(self):
        class Counter(divan.Component):
            def __init__(self, *args):
                self._count = 0
                super().__init__(*args)

            def on_event(self, kind, data):
                if kind == "AnimateEnd":
                    self._count += 1

            def save_state(self):
                return str(self._count).encode()

            def load_state(self, data):
                self._count = int(data)

        scene = pendulum()
        counter = Counter(scene.root)
        scene.init().step(3)
        saved = scene.save()
        scene.step(4)
        self.assertEqual(counter._count, 7)
        scene.restore(saved)
        self.assertEqual(counter._count, 3)
        scene.reset()
        self.assertEqual(counter._count, 0)


class Events(Case):
    def test_events(self):
        scene = pendulum()
        listener = Listener(scene.root)
        scene.init().step()
        self.assertEqual(listener._seen, ["SimulationInit", "AnimateBegin", "CollisionBegin", "CollisionEnd",
                                          "IntegrateBegin", "IntegrateEnd", "AnimateEnd"])
        scene.send("anything", 3)
        scene.send("KeyPressed", "A")
        self.assertEqual(listener._seen[-2:], ["anything", "KeyPressed"])

    def test_takes_itself_out(self):
        class Once(divan.Component):
            def on_event(self, kind, data):
                if kind == "AnimateBegin":
                    self.node.remove(self)

        scene = pendulum()
        once = Once(scene.root, "once")
        scene.init().step(3)
        self.assertFalse(once.object.alive)
        self.assertNotIn("once", [x.name for x in scene.root.objects])

    def test_graph_changes_in_events(self):
        class Maker(divan.Component):
            def on_event(self, kind, data):
                if kind == "AnimateBegin" and self.scene.steps == 2:
                    node = self.node.add_child("late")
                    node.add("MechanicalObject", name="dofs", position=[[0, 9, 0]])
                    node.add("UniformMass", totalMass=1.0)
                if kind == "AnimateBegin" and self.scene.steps == 5:
                    self.node.remove(self.node.late)
                if kind == "AnimateEnd" and self.scene.steps == 7:
                    self.node.remove(self.object)

        scene = pendulum()
        maker = Maker(scene.root)
        scene.init().step(4)
        self.assertLess(scene["/late/dofs"].velocity[0][1], 0)
        scene.step(10)
        self.assertEqual(scene.root.children, [])
        self.assertFalse(maker.object.alive)

    def test_engine(self):
        scene = divan.Scene()
        engine = Doubler(scene.root, "engine")
        follower = scene.root.add("MechanicalObject", position=engine.field("output"))
        scene.init()
        self.assertEqual([list(p) for p in follower.position], [[2, 4, 6]])
        before = Doubler.runs
        engine.output, engine.output
        self.assertEqual(Doubler.runs, before)
        engine.input = [[5, 5, 5]]
        self.assertEqual([list(p) for p in engine.output], [[10, 10, 10]])
        self.assertEqual(Doubler.runs, before + 1)


class Mistakes(Case):
    def bad(self, action):
        class Bad(divan.Component):
            on = False

            def add_force(self, x, v):
                return action(self, x) if self.on else [[0, 0, 0]] * len(x)

        scene = pendulum()
        bad = Bad(scene.root, "bad")
        scene.init().step(2)
        return scene, bad

    def refused(self, action, kind):
        scene, bad = self.bad(action)
        before, time = scene.root.dofs.position, scene.time
        type(bad).on = True
        with self.assertRaises(kind) as caught:
            scene.step()
        self.assertEqual([list(p) for p in scene.root.dofs.position], [list(p) for p in before])
        self.assertEqual(scene.time, time)
        type(bad).on = False
        scene.step(3)
        self.assertEqual(scene.steps, 5)
        return caught.exception, scene

    def test_exceptions_end_the_step(self):
        error, scene = self.refused(lambda s, x: 1 / 0, ZeroDivisionError)
        self.assertIn("/bad", "".join(error.__notes__))
        self.assertTrue(any(m.path == "/bad" and m.file.endswith("test_component.py") for m in scene.messages))

    def test_wrong_sizes_are_told(self):
        error, _ = self.refused(lambda s, x: [[0, 0, 0]], ValueError)
        self.assertIn("returned 3 numbers where 6 are needed", str(error))
        self.refused(lambda s, x: "nonsense", TypeError)
        self.refused(lambda s, x: [[0, 0], [0, 0, 0]], ValueError)

    def test_the_graph_stands_still_inside_of_a_force(self):
        self.refused(lambda s, x: s.node.remove(s.node.spring), RuntimeError)
        self.refused(lambda s, x: s.node.add("UniformMass"), RuntimeError)
        self.refused(lambda s, x: s.scene.step(), RuntimeError)
        self.refused(lambda s, x: s.scene.close(), RuntimeError)

    def test_exceptions_in_events_and_init(self):
        class Bad(divan.Component):
            def on_event(self, kind, data):
                if kind == "AnimateBegin" and self.scene.steps == 1:
                    raise KeyError("lost")

        scene = pendulum()
        bad = Bad(scene.root)
        scene.init().step()
        before = scene.root.dofs.position
        with self.assertRaises(KeyError):
            scene.step()
        self.assertEqual([list(p) for p in before], [list(p) for p in scene.root.dofs.position])

        class Worse(divan.Component):
            def init(self):
                raise ValueError("not today")

        scene = pendulum()
        Worse(scene.root)
        with self.assertRaises(ValueError):
            scene.init()

    def test_no_leaks(self):
        scene = pendulum()
        listener = Listener(scene.root)
        scene.init().step(3)
        gone = weakref.ref(scene), weakref.ref(listener)
        listener._scene = scene   # around and around
        del scene, listener
        gc.collect()
        self.assertEqual([g() for g in gone], [None, None])

    def test_exit_with_live_scenes(self):
        import os
        import subprocess
        import sys
        code = ("import sys; sys.path[:0] = %r; from test_component import *\nscene = pendulum()\nListener(scene.root)\n"
                "scene.init().step(3)\nx = scene.root.dofs.position\nimport threading\n"
                "threading.Thread(target=scene.step, args=(100000000,), daemon=True).start()\nimport time\ntime.sleep(0.05)\n"
                % [os.path.dirname(os.path.abspath(__file__))])
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
