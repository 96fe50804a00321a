"""Nothing is left at the end: scenes, batches, components in Python that raise, viewers, prefabs that move. The sanitizer looks;
what the interpreter itself leaves is its own affair."""

import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = """
import gc, io, sys, unittest, warnings
sys.path[:0] = %r
warnings.simplefilter("ignore")
from support import divan, pendulum
from page import Page
import Sofa, test_camera, test_packages

class Raises(divan.Component):
    def on_event(self, kind, data):
        if kind == "AnimateBegin":
            raise ValueError("as always")

def work():
    if divan._divan.ViewerBase is not None:
        scene = pendulum().init()
        with scene.view(browser=False) as viewer:
            page = Page(viewer.address)
            page.ask("step", count=3)
            page.ask("graph")
            scene.step(20)
            page.close()
    scene = pendulum()
    Raises(scene.root)
    scene.init()
    try:
        scene.step()
    except ValueError:
        pass
    child = scene.root.add_child("late")
    child.add("MechanicalObject", position=[[0, 0, 0]])
    scene.root.remove(child)
    try:
        divan.parse("<Node><Nonsense/></Node>")
    except divan.Error:
        pass
    try:
        divan.Batch(pendulum(), 2).init().step(3)
    except RuntimeError:   # without numpy
        pass
    for module in (test_packages, test_camera):
        done = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromModule(module))
        assert done.wasSuccessful(), done.failures + done.errors

for _ in range(2):
    work()
    gc.collect()
Sofa.Core._node._context = None
gc.collect()
left = [o for o in gc.get_objects() if isinstance(o, (divan.Scene, divan.Context, divan.Node, divan.Object))]
assert not left, left   # the sanitizer takes what the interpreter still lists for reachable
print("worked")
""" % [HERE, os.path.join(HERE, "sofa")]


class Leaks(unittest.TestCase):
    def test_nothing_of_ours_is_left(self):
        environment = dict(os.environ)
        if os.environ.get("DIVAN_SANITIZED"):
            environment.update(PYTHONMALLOC="malloc", ASAN_OPTIONS="detect_leaks=1:exitcode=0")
        done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, env=environment, timeout=300)
        self.assertIn("worked", done.stdout, done.stderr)
        if "LeakSanitizer has encountered a fatal error" in done.stderr:
            self.skipTest("the sanitizer may not look here: no ptrace")
        reports = [r for r in done.stderr.split("\n\n") if "leak of" in r]
        ours = [r for r in reports if "bindings/python/src" in r or "_divan.abi3.so" in r or " in dv_" in r]
        self.assertEqual(ours, [])


if __name__ == "__main__":
    unittest.main()
