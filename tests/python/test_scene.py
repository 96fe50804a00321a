"""Scenes: loading, building, stepping, snapshots, messages."""

import gc
import os
import tempfile
import threading
import unittest
import warnings
import weakref

from support import Case, ROOT, divan, needs_numpy, numpy, pendulum, scene_of


class Loading(Case):
    def test_a_file_gives_the_hash_of_the_command(self):
        import subprocess
        scene = divan.load(scene_of("liver.scn")).init()
        scene.step(10)
        command = os.environ.get("DIVAN", os.path.join(ROOT, "build", "divan"))
        out = subprocess.run([command, "run", scene_of("liver.scn"), "-n", "10", "--hash", "--quiet"], capture_output=True, text=True)
        self.assertIn("hash " + scene.hash(), out.stdout)
        self.assertAlmostEqual(scene.time, 0.1)
        self.assertEqual(scene.steps, 10)

    def test_mistakes_are_exceptions_with_file_and_line(self):
        text = "<Node>\n  <MechanicalObjekt/>\n</Node>"
        with self.assertRaises(divan.UnknownComponentError) as caught:
            divan.parse(text, name="broken.scn")
        self.assertEqual(caught.exception.status, 3)
        self.assertEqual(caught.exception.line, 2)
        self.assertIn("MechanicalObject", str(caught.exception))
        with self.assertRaises(divan.SceneError) as caught:
            divan.load("/there/is/no/such.scn")
        self.assertEqual(caught.exception.status, 4)

    def test_a_warning_names_file_and_line(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            divan.parse('<Node>\n<MechanicalObject positin="0 0 0"/></Node>', name="typo.scn")
        self.assertEqual(caught[0].category, divan.SceneWarning)
        self.assertEqual((caught[0].filename, caught[0].lineno), ("typo.scn", 2))
        self.assertIn("did you mean 'position'", str(caught[0].message))

    def test_what_does_not_exist_is_left_out_on_request(self):
        text = '<Node><Nonsense/><MechanicalObject name="a" position="0 0 0"/></Node>'
        scene = divan.parse(text, skip_missing=True)
        scene.init()
        self.assertEqual([o.type for o in scene.root.objects if o.name == "a"], ["MechanicalObject"])


class Building(Case):
    def test_the_same_as_the_file(self):
        scene = pendulum()
        text = scene.text()
        scene.init().step(20)
        read = divan.parse(text).init()
        read.step(20)
        self.assertEqual(scene.hash(), read.hash())

    def test_order_does_not_matter_for_templates(self):
        def build(first):
            scene = divan.Scene()
            root = scene.root
            if first:
                root.add("ConstantForceField", name="f", forces=[[0, 0, 1, 0, 0, 0]], indices=[0])
            root.add("MechanicalObject", template="Rigid3d", position=[[0, 0, 0, 0, 0, 0, 1]])
            root.add("UniformMass", vertexMass="1 1 1 0 0 0 1 0 0 0 1")
            root.add("EulerExplicitSolver")
            if not first:
                root.add("ConstantForceField", name="f", forces=[[0, 0, 1, 0, 0, 0]], indices=[0])
            scene.init().step(3)
            return scene.root.f.template, scene["/f.forces"].text, scene["/MechanicalObject1.position"].text
        self.assertEqual(build(True), build(False))

    def test_links_by_passing_the_object(self):
        scene = divan.Scene()
        root = scene.root
        grid = root.add("RegularGridTopology", name="grid", n=(2, 2, 2), min=(0, 0, 0), max=(1, 1, 1))
        child = root.add_child("child")
        dofs = child.add("MechanicalObject", name="dofs", position=grid.field("position"))
        box = child.add("BoxROI", name="box", box=[[-1, -1, -1, 2, 0.5, 2]], position=dofs.field("position"))
        fixed = child.add("FixedProjectiveConstraint", indices=box.field("indices"), mstate=dofs)
        scene.init()
        self.assertEqual(len(dofs.position), 8)
        self.assertEqual(len(fixed.indices), 4)
        self.assertEqual(dofs.field("position").link, grid.field("position"))
        self.assertEqual(box.field("position").link_text, "@/child/dofs.position")
        self.assertIs(fixed.mstate, dofs)

    def test_a_thousand_nodes(self):
        scene = divan.Scene()
        for i in range(1000):
            node = scene.root.add_child(f"n{i}")
            node.add("MechanicalObject", name="dofs", position=[[i, 0, 0]])
            node.add("UniformMass", totalMass=1)
        self.assertEqual(len(scene.root.children), 1000)
        self.assertEqual(scene.root.n512.dofs.position[0][0], 512)

    def test_attributes(self):
        scene = pendulum()
        spring = scene.root.spring
        self.assertEqual(spring.type, "SpringForceField")
        self.assertEqual(spring.path, "/spring")
        self.assertIn("stiffness", spring.fields)
        with self.assertRaises(AttributeError) as caught:
            spring.stifness
        self.assertIn("did you mean 'stiffness'", str(caught.exception))
        with self.assertRaises(AttributeError):
            spring.nothing_like_it = 3
        with self.assertRaises(KeyError):
            scene["/nowhere"]
        self.assertIs(scene["/spring"], spring)
        self.assertEqual(scene["/spring.stiffness"], spring.field("stiffness"))
        self.assertEqual(scene.root.gravity, (0.0, -10.0, 0.0))
        self.assertIn("spring", dir(scene.root))

    def test_several_parents(self):
        scene = divan.Scene()
        a, b = scene.root.add_child("a"), scene.root.add_child("b")
        c = a.add_child("c")
        b.attach(c)
        self.assertEqual(c.parents, [a, b])
        with self.assertRaises(ValueError):
            c.attach(a)
        b.detach(c)
        self.assertEqual(c.parents, [a])
        c.move(b)
        self.assertEqual((c.path, a.children), ("/b/c", []))


class Running(Case):
    def test_reset_and_snapshots(self):
        scene = pendulum().init()
        start = scene.hash()
        scene.step(10)
        saved, there = scene.save(), scene.hash()
        self.assertIsInstance(saved, bytes)
        scene.step(10)
        self.assertNotEqual(scene.hash(), there)
        scene.restore(saved)
        self.assertEqual(scene.hash(), there)
        scene.reset()
        self.assertEqual(scene.hash(), start)
        with self.assertRaises(divan.SceneError):
            scene.restore(saved[:-5])
        self.assertEqual(scene.hash(), start)

    def test_callbacks(self):
        scene = pendulum().init()
        seen = []
        scene.before_step.append(lambda s: seen.append(("before", s.steps)))
        scene.after_step.append(lambda s: seen.append(("after", s.steps)))
        scene.step(2)
        self.assertEqual(seen, [("before", 0), ("after", 1), ("before", 1), ("after", 2)])
        scene.before_step.append(lambda s: s.step())
        with self.assertRaises(Exception):
            scene.before_step[0] = lambda s: 1 / 0
            scene.step()
        scene.before_step.clear()
        scene.step()

    def test_steps_are_not_negative(self):
        scene = pendulum().init()
        with self.assertRaises(ValueError):
            scene.step(-1)
        self.assertEqual(scene.time, 0)

    def test_steps_need_init(self):
        scene = pendulum()
        with self.assertRaises(RuntimeError):
            scene.step()
        with self.assertRaises(RuntimeError):
            scene.save()

    def test_divergence_is_an_exception_and_the_scene_goes_on(self):
        scene = divan.parse('<Node dt="10"><EulerExplicitSolver/><MechanicalObject name="a" position="0 0 0 2 0 0"/><UniformMass '
                            'totalMass="1e-9"/><SpringForceField spring="0 1 1e9 0 1"/></Node>').init()
        with self.assertRaises(divan.DivergedError) as caught:
            scene.step(1000)
        self.assertEqual(caught.exception.status, 5)
        scene.reset()
        self.assertEqual(scene.time, 0)

    def test_close_makes_handles_raise(self):
        scene = pendulum().init()
        root, dofs = scene.root, scene["/dofs"]
        field, x = dofs.field("position"), dofs.position
        with scene:
            pass
        self.assertTrue(scene.closed)
        for use in (lambda: root.children, lambda: dofs.position, lambda: field.value, lambda: scene.root, scene.step):
            with self.assertRaises(ReferenceError):
                use()
        self.assertEqual(x[1][0], 1.0)   # an array stays as it was

    def test_two_scenes_in_two_threads(self):
        wanted = pendulum().init()
        wanted.step(200)
        scenes = [pendulum(context=divan.Context(threads=1)).init() for _ in range(2)]
        threads = [threading.Thread(target=s.step, args=(200,)) for s in scenes]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual([s.hash() for s in scenes], [wanted.hash()] * 2)

    def test_a_second_thread_gets_an_exception(self):
        scene = divan.load(scene_of("liver.scn"), context=divan.Context(threads=1)).init()
        errors, stop = [], threading.Event()

        def look():
            while not stop.is_set():
                try:
                    scene["/Liver/dofs"].position
                    scene.time
                except RuntimeError as error:
                    errors.append(error)
        thread = threading.Thread(target=look)
        thread.start()
        for _ in range(20):
            try:
                scene.step(20)
            except RuntimeError:   # the other one was inside
                pass
        stop.set()
        thread.join()
        self.assertTrue(errors)


class Changing(Case):
    def test_what_comes_after_init(self):
        scene = pendulum().init()
        scene.step(2)
        push = scene.root.add("ConstantForceField", name="push", indices=[1], forces=[[0, 100, 0]])
        scene.step(3)
        self.assertTrue(push.init_done)
        self.assertGreater(scene.root.dofs.velocity[1][1], 0)
        scene.reset()
        self.assertEqual(list(scene.root.dofs.position[1]), [1, 0, 0])
        scene.root.remove(push)
        self.assertFalse(push.alive)
        with self.assertRaises(ReferenceError):
            push.forces
        scene.step(3)
        self.assertLess(scene.root.dofs.velocity[1][1], 0)

    def test_a_whole_body_comes_and_goes(self):
        scene = pendulum().init()
        scene.step()
        body = scene.root.add_child("body")
        body.add("MechanicalObject", name="dofs", position=[[5, 0, 0]])
        body.add("UniformMass", totalMass=1.0)
        scene.step(4)
        self.assertLess(body.dofs.velocity[0][1], 0)
        scene.reset()
        self.assertEqual(list(body.dofs.position[0]), [5, 0, 0])
        dofs = body.dofs
        scene.root.remove(body)
        scene.step()
        with self.assertRaises(ReferenceError):
            dofs.position

    def test_fields_made_by_the_program(self):
        scene = divan.Scene()
        speed = scene.root.add_field("speed", "real", 2.5, "how fast", group="Settings", unit="m/s")
        self.assertEqual((scene.root.speed, speed.help, speed.group, speed.unit), (2.5, "how fast", "Settings", "m/s"))
        points = scene.root.add_field("points", "vec3s", [[1, 2, 3]])
        dofs = scene.root.add("MechanicalObject", name="dofs", position=points)
        scene.init()
        self.assertEqual(list(dofs.position[0]), [1, 2, 3])
        with self.assertRaises(ValueError):
            scene.root.add_field("speed", "real")
        with self.assertRaises(ValueError):
            scene.root.add_field("other", "nonsense")
        for i in range(29):
            scene.root.add_field(f"f{i}", "real", i)
        with self.assertRaises(ValueError):
            for i in range(100):
                scene.root.add_field(f"g{i}", "real", i)
        self.assertEqual(list(dofs.field("position").link.value[0]), [1, 2, 3])

    def test_a_scene_is_collected(self):
        scene = pendulum()
        scene.before_step.append(lambda s, mine=scene: None)
        gone = weakref.ref(scene)
        del scene
        gc.collect()
        self.assertIsNone(gone())


class Values(Case):
    def test_types(self):
        scene = divan.Scene()
        o = scene.root.add("MechanicalObject", name="a", position=[[0, 0, 0]], tags=["x", "y"], printLog=True)
        self.assertIs(o.printLog, True)
        self.assertEqual(o.tags, ["x", "y"])
        o.tags = ["with space", "b"]
        self.assertEqual(o.tags, ["with space", "b"])
        self.assertEqual(o.template, "Vec3d")
        style = scene.root.add("VisualStyle", displayFlags="showForceFields")
        self.assertIsInstance(style.displayFlags, str)
        mesh = scene.root.add("MeshTopology", triangles=[[0, 1, 2], [1, 2, 3]], position=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
        self.assertEqual([list(t) for t in mesh.triangles], [[0, 1, 2], [1, 2, 3]])

    def test_wrong_values(self):
        scene = divan.Scene()
        o = scene.root.add("MechanicalObject", name="a", position=[[0, 0, 0]])
        for bad in ([[0, 0]], [1, 2, 3, 4], "1 2 x", object(), [["a", 0, 0]], [[0, 0, 0], [1, 1]]):
            with self.assertRaises((ValueError, TypeError)):
                o.position = bad
        self.assertEqual(list(o.position[0]), [0, 0, 0])
        fixed = scene.root.add("FixedProjectiveConstraint", indices=[0])
        with self.assertRaises(ValueError):
            fixed.indices = [0.5]
        scene.init()
        mass = scene.root.dt
        with self.assertRaises(ValueError):
            scene.root.dt = "soon"
        with self.assertRaises(ValueError):
            scene.root.dt = float("nan")
        self.assertEqual(scene.root.dt, mass)

    def test_what_a_component_refuses_stays_as_it_was(self):
        scene = pendulum().init()
        with self.assertRaises(divan.SceneError) as caught:
            scene.root.spring.springsIndices1 = [7]
        self.assertIn("names point 7", str(caught.exception))
        self.assertEqual(list(scene.root.spring.springsIndices1), [0])
        scene.step()

    def test_without_a_copy(self):
        scene = pendulum().init()
        dofs = scene.root.dofs
        before = dofs.position
        scene.step()
        self.assertEqual(list(before[1]), [1, 0, 0])   # held by count: as it was
        self.assertNotEqual(list(dofs.position[1]), [1, 0, 0])

    def test_writing_in_place(self):
        scene = pendulum().init()
        field = scene.root.dofs.field("position")
        counter = field.counter
        with field.writable() as x:
            x[1] = (3, 4, 5)
            inside = x
        self.assertEqual(list(scene.root.dofs.position[1]), [3, 4, 5])
        self.assertGreater(field.counter, counter)
        with self.assertRaises((ValueError, TypeError)):
            inside[0] = (1, 1, 1)
        with self.assertRaises((ValueError, TypeError)):
            scene.root.dofs.position[0] = (1, 1, 1)

    @needs_numpy
    def test_numpy(self):
        scene = pendulum().init()
        a, b = scene.root.dofs.position, scene.root.dofs.position
        self.assertEqual(a.__array_interface__["data"][0], b.__array_interface__["data"][0])
        self.assertEqual((a.shape, a.dtype), ((2, 3), numpy.float64))
        scene.root.dofs.position = numpy.array([[0, 0, 0], [2, 0, 0]], dtype=numpy.float32)
        self.assertEqual(scene.root.dofs.position[1, 0], 2)
        scene.root.dofs.position = numpy.arange(12.0).reshape(2, 6)[:, ::2]   # with gaps
        self.assertEqual(scene.root.dofs.position.tolist(), [[0, 2, 4], [6, 8, 10]])

    def test_a_link_after_init(self):
        scene = pendulum().init()
        gone = scene.root.add_field("pull", "reals", [10.0])
        scene.root.spring.field("stiffness").set_link(gone)
        scene.step()
        self.assertEqual(list(scene.root.spring.stiffness), [10.0])
        scene.root.pull = [20.0]
        scene.step()
        self.assertEqual(list(scene.root.spring.stiffness), [20.0])
        with self.assertRaises(ValueError):
            gone.set_link(scene.root.spring.field("stiffness"))   # a circle


class Queries(Case):
    @needs_numpy
    def test_matrices(self):
        scene = pendulum("SparseLDLSolver").init()
        scene.step()
        indptr, indices, data, shape = scene.matrix("mass")
        self.assertEqual(shape, (6, 6))
        self.assertTrue(numpy.allclose(data, 0.5))
        dense = lambda m: _dense(*m)
        k = dense(scene.matrix("stiffness"))
        self.assertTrue(numpy.allclose(k, k.T))
        h = 0.01
        m, b = dense(scene.matrix("mass")), dense(scene.matrix("damping"))
        system = dense(scene.matrix("system"))
        self.assertEqual(system.shape, (6, 6))
        # finite differences of the force that the matrix is made of
        self.assertTrue(numpy.allclose(dense(scene.matrix("mass", projected=True))[:3, :3], numpy.eye(3)))
        self.assertGreater(abs(k).max(), 100)
        self.assertEqual(b.shape, m.shape)

    def test_energies(self):
        scene = pendulum().init()
        start = scene.energies()
        self.assertEqual(start["kinetic"], 0)
        scene.step(10)
        self.assertGreater(scene.energies()["kinetic"], 0)
        self.assertLessEqual(scene.energies()["total"], start["total"] + 1e-9)

    def test_timers(self):
        scene = pendulum().init()
        scene.step(3)
        self.assertTrue(any(t["name"] == "step" and t["count"] >= 3 for t in scene.timers()))

    @needs_numpy
    def test_contacts_and_constraints(self):
        scene = divan.load(scene_of(CONTACT)).init()
        for _ in range(200):
            scene.step()
            if scene.touches():
                break
        self.assertTrue(scene.touches())
        contacts = scene.contacts()
        self.assertEqual(contacts["points_a"].shape, contacts["normals"].shape)
        self.assertTrue(numpy.allclose(numpy.linalg.norm(contacts["normals"], axis=1), 1))
        scene.step(3)
        rows = scene.constraint_rows()
        w, force = scene.compliance(), scene.multipliers()
        self.assertEqual(w.shape, (len(force), len(force)))
        self.assertEqual(rows[3][0], len(force))
        self.assertTrue(numpy.allclose(w, w.T, atol=1e-9 * abs(w).max()))


def _dense(indptr, indices, data, shape):
    out = numpy.zeros(shape)
    for r in range(shape[0]):
        for k in range(indptr[r], indptr[r + 1]):
            out[r, indices[k]] = data[k]
    return out


CONTACT = os.path.join("constraint", "FrictionContactConstraint.scn")

if __name__ == "__main__":
    unittest.main()
