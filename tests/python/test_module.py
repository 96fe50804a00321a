"""The module itself: pictures, stubs, life without numpy, speed."""

import ast
import json
import os
import struct
import subprocess
import sys
import unittest

from support import Case, ROOT, divan, needs_numpy, numpy, pendulum, scene_of


class Pictures(Case):
    def test_a_picture(self):
        scene = divan.load(scene_of("liver.scn")).init()
        data = scene.picture(width=80, height=60)
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (80, 60))
        pixels = divan._divan._picture(scene, 80, 60, (0.6, 0.45, 1.0), 1.3)
        red = [p for p in range(0, len(pixels), 3) if pixels[p] > 1.5 * pixels[p + 2]]
        self.assertGreater(len(red), 300)   # the organ is red, the background is not
        self.assertIsNotNone(scene._repr_png_())
        self.assertIsNone(pendulum()._repr_png_())
        for bad in ((0, 10, (0, 0, 1), 1.0), (10, 10, (0, 0, 0), 1.0), (99999, 10, (0, 0, 1), 1.0), (10, 10, (0, 0, 1), -1.0)):
            with self.assertRaises(ValueError):
                divan._divan._picture(scene, *bad)
        for bad in ((1, 2), "abc"):
            with self.assertRaisesRegex(TypeError, "three numbers"):
                scene.picture(view_from=bad)
        self.assertTrue(pendulum().init().picture(view_from=(0, 1, 0)))

    def test_collision_models_where_the_scene_asks_for_them(self):
        pictures = []
        for flags in ("showVisual", "showVisual showCollisionModels"):
            scene = divan.Scene()
            scene.root.add("VisualStyle", displayFlags=flags)
            scene.root.add("OglModel", position="-1 -1 -1  1 -1 -1  0 1 -1", triangles="0 1 2")
            ball = scene.root.add_child("Ball")
            ball.add("MechanicalObject", position="0 0 0")
            ball.add("SphereCollisionModel", radius=0.5)
            pictures.append(scene.init().picture(width=80, height=60))
        self.assertNotEqual(*pictures)

    def test_a_tall_body_is_upright_and_whole(self):
        """A column along the axis of gravity: nothing of it touches the border, and it is higher than wide."""
        for gravity, size in (("0 -9.81 0", "1 6 1"), ("0 0 -9.81", "1 1 6"), ("-9.81 0 0", "6 1 1")):
            scene = divan.Scene()
            scene.root.gravity = gravity
            scene.root.add("RegularGridTopology", n="2 2 2", min="0 0 0", max=size, name="grid")
            scene.root.add("OglModel", src="@grid", color="1 0 0 1")
            pixels = divan._divan._picture(scene.init(), 80, 60, None, 1.0)
            red = [p // 3 for p in range(0, len(pixels), 3) if pixels[p] > 1.5 * pixels[p + 2]]
            rows, columns = [p // 80 for p in red], [p % 80 for p in red]
            self.assertGreater(min(rows), 0)
            self.assertLess(max(rows), 59)
            self.assertGreater(max(rows) - min(rows), 40)
            self.assertGreater(max(rows) - min(rows), 2 * (max(columns) - min(columns)))


class Stubs(Case):
    def test_every_component(self):
        from divan import _stubs, components
        text = _stubs.stubs()
        names = {n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
        self.assertEqual(names, set(divan.Context(threads=1).components()))
        self.assertIn("position [m]: positions of the degrees of freedom", text)
        scene = divan.Scene()
        dofs = components.MechanicalObject(scene.root, "dofs", position=[[1, 2, 3]])
        self.assertEqual((dofs.type, dofs.name), ("MechanicalObject", "dofs"))
        with self.assertRaises(AttributeError):
            components.Nonsense


class Plain(Case):
    def test_without_numpy(self):
        code = """
import sys
sys.modules["numpy"] = None
sys.path.insert(0, %r)
import divan
scene = divan.Scene()
dofs = scene.root.add("MechanicalObject", position=[[1, 2, 3], [4, 5, 6]])
assert isinstance(dofs.position, divan.Array), type(dofs.position)
assert dofs.position.tolist() == [[1, 2, 3], [4, 5, 6]] and dofs.position[1] == (4, 5, 6) and dofs.position[-1] == (4, 5, 6)
view = memoryview(dofs.position)
assert view.shape == (2, 3) and view.readonly and view[1, 2] == 6
with dofs.field("position").writable() as x:
    x[0] = (7, 8, 9)
assert dofs.position[0] == (7, 8, 9)
try:
    dofs.position[0] = (1, 1, 1)
except TypeError:
    pass
else:
    raise SystemExit("it was written")
try:
    dofs.position[5]
except IndexError:
    pass
from array import array
dofs.position = array("d", range(6))
assert dofs.position.tolist() == [[0, 1, 2], [3, 4, 5]]
batch = divan.Batch(scene, 2)
scene.root.add("UniformMass", totalMass=1.0)
""" % os.path.dirname(os.path.dirname(divan.__file__))
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


@unittest.skipIf(os.environ.get("DIVAN_SANITIZED"), "nothing is fast with a sanitizer")
@needs_numpy
class Speed(Case):
    """The aims of docs/python.md, by the least of many repeats: other programs on the cores seldom hit all of them."""

    def test_figures(self):
        script = os.path.join(ROOT, "bench", "python.py")
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONMALLOC"}   # a checked allocator is not what is timed
        environment["PYTHONPATH"] = os.path.dirname(os.path.dirname(divan.__file__))
        late = []
        for _ in range(8):
            done = subprocess.run([sys.executable, script, "--repeats", "15", "--no-batch", "--json", "/dev/stdout"], capture_output=True,
                                  text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = json.loads(done.stdout[done.stdout.index("{"):])
            late = [f"{name}: {figures[name]:.3g} s, aim {aim:g} s" for name, aim in AIMS.items() if figures[name] > aim]
            if not late:
                break
        print("\n" + done.stdout[:done.stdout.index("{")])
        self.assertEqual(late, [])


AIMS = {"step() over C": 1e-6, "positions read": 2e-6, "controller, 1,000 points a step": 20e-6,
        "Sofa controller, 1,000 points a step": 20e-6, "1,000 nodes built": 0.2, "Sofa, 1,000 nodes built": 0.2}


if __name__ == "__main__":
    unittest.main()
