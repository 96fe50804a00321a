"""The command on scenes in Python."""

import os
import subprocess
import tempfile
import unittest

from page import Page
from support import ROOT, divan

no_viewer = divan._divan.ViewerBase is None
DIVAN = os.environ.get("DIVAN", os.path.join(ROOT, "build", "divan"))
SCENE = '''
import sys
import helper

def create_scene(root):
    root.add("EulerImplicitSolver")
    root.add("CGLinearSolver", iterations=25, tolerance=1e-9, threshold=1e-9)
    root.add("MechanicalObject", name="dofs", position=[[0, 0, 0], [helper.length, 0, 0]])
    root.add("UniformMass", totalMass=1.0)
    root.add("FixedProjectiveConstraint", indices=[0])
    root.add("SpringForceField", springsIndices1=[0], springsIndices2=[1], stiffness=[100.0], lengths=[1.0], damping=[1.0])
    print("arguments", sys.argv[1:])
    if "unknown" in sys.argv:
        root.add("Nonsense")
    if "raise" in sys.argv:
        raise ValueError("as was asked for")
    if "exit" in sys.argv:
        sys.exit(7)
'''


class Command(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.scene = os.path.join(self.place.name, "scene.py")
        for name, text in (("scene.py", SCENE), ("helper.py", "length = 1.5\n"), ("empty.py", "x = 1\n")):
            with open(os.path.join(self.place.name, name), "w") as out:
                out.write(text)

    def tearDown(self):
        self.place.cleanup()

    def divan(self, *arguments, **environment):
        return subprocess.run([DIVAN, *arguments], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, **environment), cwd=self.place.name)

    def test_run(self):
        done = self.divan("run", self.scene, "-n", "10", "--hash", "--", "a", "--b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("arguments ['a', '--b']", done.stdout)
        self.assertIn("10 steps in", done.stdout)
        written = os.path.join(self.place.name, "out.scn")
        self.assertEqual(self.divan("convert", self.scene, written).returncode, 0)
        again = self.divan("run", written, "-n", "10", "--hash")
        line = [x for x in done.stdout.splitlines() if x.startswith("hash")]
        self.assertIn(line[0], again.stdout)

    def test_check(self):
        done = self.divan("check", self.scene)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no mistakes found", done.stdout)

    def test_mistakes(self):
        done = self.divan("run", self.scene, "--", "unknown")
        self.assertEqual(done.returncode, 3)
        self.assertIn("scene.py:14: error: /: unknown component: Nonsense", done.stderr)
        done = self.divan("run", self.scene, "--", "raise")
        self.assertEqual(done.returncode, 4)
        self.assertIn("scene.py:16: error: ValueError: as was asked for", done.stderr)
        self.assertIn("Traceback", done.stderr)
        self.assertEqual(self.divan("run", self.scene, "--", "exit").returncode, 4)
        done = self.divan("run", "empty.py")
        self.assertEqual(done.returncode, 4)
        self.assertIn("neither createScene(rootNode) nor create_scene(root)", done.stderr)
        self.assertNotIn("_script.py", done.stderr)
        self.assertEqual(self.divan("run", "nowhere.py").returncode, 4)
        for text, place in (("def createScene(root:\n", "wrong.py:1: error: SyntaxError"),
                            ("def createScene(root):\n    root.addObject('Nonsense')\n", "wrong.py:2: error: ValueError")):
            with open(os.path.join(self.place.name, "wrong.py"), "w") as out:
                out.write(text)
            self.assertIn(place, self.divan("run", "wrong.py").stderr)

    def test_mistakes_stand_in_the_script(self):
        """Lines are those of the user's file, and frames of the packages are left out."""
        def run(text, *options):
            with open(os.path.join(self.place.name, "mine.py"), "w") as out:
                out.write(text)
            return self.divan("run", "mine.py", "-n", "3", *options)
        head = "import Sofa\ndef createScene(rootNode):\n"
        done = run(head + "    rootNode.addObject('MechanicalObject', positon=[[0, 0, 0]])\n")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"mine\.py:3: error: TypeError: .* 'positon'; did you mean 'position'\?")
        self.assertNotIn("_node.py", done.stderr)
        done = run(head + "    rootNode.addObject('NobodysConstraint')\n")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"mine\.py:3: error: ValueError: there is no component NobodysConstraint")
        done = run(head + "    assert rootNode.addObject('NobodysConstraint') is None\n    rootNode.addObject('MechanicalObject')\n", "--skip-missing")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(head + "    rootNode..x\n")
        self.assertRegex(done.stderr, r"mine\.py:3: error: SyntaxError")
        self.assertNotIn("importlib", done.stderr)
        done = run(head + "    Sofa.Core.DrawTool\n")
        self.assertRegex(done.stderr, r"mine\.py:3: error: AbsentError: .*docs/python\.md")
        done = run("import Sofa\nclass C(Sofa.Core.Controller):\n    def onAnimateEndEvent(self, event):\n        {}['gone']\n"
                   "def createScene(rootNode):\n    rootNode.addObject(C(name='c'))\n")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"mine\.py:4: error: /c: KeyError: 'gone'")

    @unittest.skipIf(no_viewer, "built without the viewer")
    def test_the_page_runs_no_script(self):
        marker = os.path.join(self.place.name, "ran")
        with open(os.path.join(self.place.name, "other.py"), "w") as out:
            out.write("open(%r, 'w')\ndef createScene(rootNode):\n    pass\n" % marker)
        with open(os.path.join(self.place.name, "plain.scn"), "w") as out:
            out.write("<Node name='root'/>")
        for first in ("plain.scn", "scene.py"):
            with subprocess.Popen([DIVAN, "view", first, "--no-browser", "--port", "0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, cwd=self.place.name) as server:
                try:
                    address = next(line for line in server.stdout if line.startswith("http")).strip()
                    page = Page(address)
                    self.assertIn("error", page.ask("open", file="other.py"))
                    self.assertIn("error", page.ask("open", file=os.path.join(self.place.name, "other.py")))
                    page.ask("drop", name="other.py", text="open(%r, 'w')" % marker)
                    page.ask("drop", name="a.scn", text="<Node><include href='other.py'/></Node>")
                    self.assertNotIn("error", page.ask("open", file="plain.scn"))
                    self.assertIn("error", page.ask("add-node", path="/", file="other.py"))
                    page.ask("open", file=first)   # what it was started with may be opened again
                    page.close()
                finally:
                    server.terminate()
            self.assertFalse(os.path.exists(marker), first)

    def test_no_interpreter(self):
        done = self.divan("run", self.scene, DIVAN_PYTHON="/there/is/none")
        self.assertEqual(done.returncode, 4)
        self.assertIn("install python3", done.stderr)

    def test_the_module_alone_runs_no_script(self):
        with self.assertRaises(divan.SceneError) as caught:
            divan.load(self.scene)
        self.assertIn("a program, which is not run here", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
