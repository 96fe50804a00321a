"""Messages, directories, types, prefabs, the runtime, and Sofa.Simulation."""
import contextlib
import io
import math
import os
import tempfile
import unittest

import where  # noqa: F401
import Sofa
import Sofa.Core
import Sofa.Helper
import Sofa.Simulation
import Sofa.Types
import SofaRuntime
import SofaTypes


class Hears(Sofa.Helper.MessageHandler):
    def __init__(self):
        Sofa.Helper.MessageHandler.__init__(self)
        self.messages = []

    def process(self, message):
        self.messages.append(message)


class Messages(unittest.TestCase):
    def test_ways_to_send(self):
        node = Sofa.Core.Node("node")
        with Hears() as hears:
            for name in ("msg_info", "msg_warning", "msg_deprecated", "msg_error"):
                send = getattr(Sofa.Helper, name)
                send("text")
                send("sender", "text")
                send("text", "file.py", 10)
                send(node, "text")
                send(node, "text", "file.py", 10)
        self.assertEqual(len(hears.messages), 20)
        first, last = hears.messages[0], hears.messages[-1]
        self.assertEqual((first["type"], first["sender"], first["component"], first["message"]),
                         ("Info", "PythonScript", None, "text"))
        self.assertEqual(os.path.basename(first["file"]), "test_helper.py")
        self.assertEqual((last["type"], last["component"], last["file"], last["line"]), ("Error", node, "file.py", 10))
        self.assertRaises(TypeError, Sofa.Helper.msg_info, 3, "text")
        self.assertRaises(TypeError, Sofa.Helper.msg_info)

    def test_components_keep_them(self):
        node = Sofa.Core.Node("node")
        self.assertEqual(node.getLoggedMessagesAsString(), "")
        Sofa.msg_info(node, "a message")
        self.assertIn("a message", node.getLoggedMessagesAsString())
        self.assertEqual(node.countLoggedMessages(), 1)
        node.clearLoggedMessages()
        self.assertEqual(node.countLoggedMessages(), 0)

    def test_warnings_are_printed(self):
        out = io.StringIO()
        with contextlib.redirect_stderr(out):
            Sofa.msg_warning("me", "look")
            Sofa.msg_info("me", "nothing")
        self.assertIn("warning: [me] look", out.getvalue())
        self.assertNotIn("nothing", out.getvalue())


class Directories(unittest.TestCase):
    def test_repository(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            open(os.path.join(one, "mesh.txt"), "w").close()
            os.environ["DIVAN_TEST_PATHS"] = one
            places = Sofa.Helper.System.FileRepository("DIVAN_TEST_PATHS")
            self.assertEqual(places.getPaths(), [one])
            places.addFirstPath(two)
            self.assertEqual(places.getPaths(), [two, one])
            self.assertTrue(places.findFile("mesh.txt"))
            self.assertEqual(places.getFile("mesh.txt"), os.path.join(one, "mesh.txt"))
            self.assertFalse(places.findFile("nothing.txt"))
            places.removePath(two)
            places.addLastPath(two)
            self.assertEqual(places.getPathsJoined(), one + os.pathsep + two)
            places.clear()
            self.assertEqual(places.getPaths(), [])

    def test_scenes_look_there(self):
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "one_triangle.obj"), "w") as f:
                f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            SofaRuntime.DataRepository.addFirstPath(directory)
            root = Sofa.Core.Node("root")
            loader = root.addObject("MeshOBJLoader", name="loader", filename="one_triangle.obj")
            Sofa.Simulation.init(root)
            self.assertEqual(len(loader.position), 3)


class Types(unittest.TestCase):
    def test_vectors(self):
        a, b = SofaTypes.Vec3d(1, 2, 3), SofaTypes.Vec3d([4, 5, 6])
        self.assertEqual(a + b, [5, 7, 9])
        self.assertEqual(a * b, 32)
        self.assertEqual(a.cross(b), [-3, 6, -3])
        self.assertEqual((b.x, b.xy, SofaTypes.Vec2i(1.7, 2)[0]), (4, (4, 5), 1))
        self.assertAlmostEqual(a.normalized().norm(), 1)
        self.assertRaises(IndexError, SofaTypes.Vec4d, 1, 2)

    def test_rotations(self):
        quarter = Sofa.Types.Quat.axisToQuat([0, 0, 1], math.pi / 2)
        x = quarter.rotate([1, 0, 0])
        for a, b in zip(x, [0, 1, 0]):
            self.assertAlmostEqual(a, b)
        for a, b in zip((quarter * quarter.inverse()), [0, 0, 0, 1]):
            self.assertAlmostEqual(a, b)
        again = Sofa.Types.Quat()
        again.fromMatrix(quarter.toMatrix())
        for a, b in zip(again, quarter):
            self.assertAlmostEqual(a, b)
        half = Sofa.Types.Quat().slerp(quarter, 0.5)
        self.assertAlmostEqual(half.quatToAxis()[1], math.pi / 4)
        euler = Sofa.Types.Quat.createFromEuler(0.1, 0.2, 0.3).toEulerVector()
        for a, b in zip(euler, [0.1, 0.2, 0.3]):
            self.assertAlmostEqual(a, b)

    def test_colours(self):
        colour = Sofa.Types.RGBAColor(0.5, 0, 0, 1)
        self.assertEqual((colour.r(), colour.a()), (0.5, 1))
        self.assertEqual(colour.lighten(0.5), Sofa.Types.RGBAColor(0.75, 0.5, 0.5, 1))
        self.assertRaises(ValueError, Sofa.Types.RGBAColor, [1, 2, 3])


class Boxes(Sofa.Prefab):
    """Some boxes."""

    prefabParameters = [{"name": "count", "type": "int", "help": "how many", "default": 0}]
    prefabData = [{"name": "place", "type": "Vec3d", "help": "where", "default": [0.0, 0.0, 0.0]}]

    builds = 0

    def __init__(self, *args, **fields):
        Sofa.Prefab.__init__(self, *args, **fields)

    def init(self):
        for i in range(self.count.value):
            self.addChild("box%d" % i)
        self.addObject("MechanicalObject", name="dofs", position=[list(self.place.value)])
        self.builds += 1


class Prefabs(unittest.TestCase):
    def test_built(self):
        root = Sofa.Core.Node("root")
        root.addChild(Boxes(name="boxes", count=3, place=[1.0, 2.0, 3.0]))
        self.assertEqual(len(root.boxes.children), 3)
        self.assertEqual(list(root.boxes.place.value), [1, 2, 3])
        self.assertEqual(root.boxes.dofs.position.toList(), [[1, 2, 3]])
        self.assertEqual(root.boxes.prefabname.value, "Boxes")

    def test_built_again(self):
        root = Sofa.Core.Node("root")
        root.addChild(Boxes(name="boxes", count=3))
        self.assertEqual((len(root.boxes.children), root.boxes.builds), (3, 1))
        root.boxes.count = 5
        self.assertEqual((len(root.boxes.children), root.boxes.builds), (5, 2))
        root.boxes.count = 1
        self.assertEqual((len(root.boxes.children), root.boxes.builds), (1, 3))
        self.assertEqual(len(root.boxes.objects), 1)
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root, 0.01)

    def test_of_a_function(self):
        @Sofa.PrefabBuilder
        def Tower(self, height=2, label="tower"):
            """A tower."""
            for i in range(height):
                self.addChild("%s%d" % (label, i))

        root = Sofa.Core.Node("root")
        tower = root.addChild(Tower(name="t", height=3))
        self.assertEqual([c.getName() for c in tower.children], ["tower0", "tower1", "tower2"])
        tower.height = 1
        self.assertEqual([c.getName() for c in tower.children], ["tower0"])
        self.assertEqual((tower.prefabname.value, tower.docstring.value), ("Tower", "A tower."))

    def test_parent(self):
        root = Sofa.Core.Node("root")
        boxes = Boxes(name="boxes", count=1, parent=root)
        self.assertIs(root.boxes, boxes)
        self.assertRaises(TypeError, Boxes, parent=root, parents=[root])


class Simulation(unittest.TestCase):
    SCENE = '<Node name="root" dt="0.005" gravity="0 0 0"><Node name="a"/><Node name="b"><MechanicalObject name="m"/></Node></Node>'

    def test_load(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "scene.scn")
            with open(path, "w") as f:
                f.write(self.SCENE)
            root = Sofa.Simulation.load(path)
            self.assertEqual((root.name.value, root.dt.value, len(root.children)), ("root", 0.005, 2))
            self.assertEqual(root.b.m.getClassName(), "MechanicalObject")
            with Hears() as hears:
                self.assertIsNone(Sofa.Simulation.load(os.path.join(directory, "nothing.scn")))
            self.assertEqual(hears.messages[0]["type"], "Error")

    def test_load_python(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "scene.py")
            with open(path, "w") as f:
                f.write("def createScene(rootNode):\n    rootNode.addChild('made')\n")
            root = Sofa.Simulation.load(path)
            self.assertEqual(root.children[0].getName(), "made")
            self.assertTrue(hasattr(Sofa.import_sofa_python_scene(path), "createScene"))

    def test_reset_and_time(self):
        root = Sofa.Core.Node("root")
        root.addObject("EulerExplicitSolver")
        dofs = root.addObject("MechanicalObject", position=[[0, 0, 0]])
        root.addObject("UniformMass", totalMass=1)
        Sofa.Simulation.initRoot(root)
        Sofa.Simulation.animateNSteps(root, 5, 0.02)
        self.assertAlmostEqual(root.time.value, 0.1)
        self.assertAlmostEqual(root.getTime(), 0.1)
        self.assertLess(dofs.position.toList()[0][1], 0)
        Sofa.Simulation.reset(root)
        self.assertEqual((root.time.value, dofs.position.toList()), (0, [[0, 0, 0]]))
        Sofa.Simulation.animate(root)
        self.assertAlmostEqual(root.time.value, root.dt.value)
        Sofa.Simulation.updateVisual(root)

    def test_print(self):
        root = Sofa.Core.Node("root")
        root.addChild("a").addObject("MechanicalObject", name="dofs")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            Sofa.Simulation.print(root)
        self.assertEqual(out.getvalue().split("\n")[:3], ["root (Node)", "  a (Node)", "    - dofs: MechanicalObject"])

    def test_boxes(self):
        root = Sofa.Core.Node("root")
        state = root.addChild("a").addObject("MechanicalObject", position=[[0, 0, 0], [1, 2, 3]])
        Sofa.Simulation.init(root)
        Sofa.Simulation.computeBBox(root)
        self.assertEqual((state.bbox.getMin(), state.bbox.getMax()), ([0, 0, 0], [1, 2, 3]))
        self.assertEqual(root.bbox.getMax(), [1, 2, 3])


class Runtime(unittest.TestCase):
    def test_plugins(self):
        self.assertTrue(SofaRuntime.importPlugin("Sofa.Component.StateContainer"))
        with Hears() as hears:
            self.assertFalse(SofaRuntime.importPlugin("NoSuchPlugin"))
        self.assertEqual(len(hears.messages), 1)
        self.assertTrue(SofaRuntime.importPlugins(["Sofa.Component.Mass", "Sofa.Component"]))

    def test_timer(self):
        from SofaRuntime import Timer
        Timer.setEnabled("run", True)
        Timer.begin("run")
        for _ in range(2):
            Timer.stepBegin("part")
            Timer.stepEnd("part")
        records = Timer.getRecords("run")
        Timer.end("run")
        self.assertEqual(len(records["part"]), 2)
        self.assertGreaterEqual(records["part"][1]["total_time"], 0)
        self.assertTrue(Timer.isEnabled("run"))

    def test_viewer_names(self):
        import Sofa.Gui
        self.assertEqual(Sofa.Gui.GUIManager.ListSupportedGUI(), ["browser"])
        Sofa.Gui.GUIManager.Init("scene", "qglviewer")
        self.assertEqual(Sofa.Gui.GUIManager.createGUI(Sofa.Core.Node("root"), __file__), 0)
        Sofa.Gui.GUIManager.closeGUI()


if __name__ == "__main__":
    unittest.main()
