"""The viewer beside the interpreter: the page shows the scene that runs here, and touches it."""

import os
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

from page import Page
from support import Case, divan, pendulum, scene_of


@unittest.skipIf(divan._divan.ViewerBase is None, "built without the viewer")
class Live(Case):
    def opened(self, scene):
        viewer = scene.view(browser=False)
        self.addCleanup(viewer.close)
        page = Page(viewer.address)
        self.addCleanup(page.close)
        return viewer, page

    def test_the_page_itself(self):
        with pendulum().view(browser=False) as viewer:   # initialises it
            self.assertIn(b"<html", urllib.request.urlopen(viewer.address, timeout=20).read(200))
            self.assertTrue(viewer.scene.initialised)
            self.assertIs(viewer.scene.view(browser=False), viewer)
        self.assertIsNone(viewer.address)
        self.assertEqual(repr(viewer), "<Viewer, closed>")

    def test_follows_the_program(self):
        scene = pendulum().init()
        _, page = self.opened(scene)
        for _ in range(3):   # few long steps and the viewer's own thread in between
            scene.step(10)
            page.until(lambda: page.times and abs(page.times[-1] - scene.time) < 1e-12)
        before, stop = len(page.times), threading.Event()

        def run():   # frames come while the program never rests
            while not stop.is_set():
                scene.step()
        runner = threading.Thread(target=run)
        runner.start()
        try:
            page.until(lambda: len(page.times) >= before + 5)
        finally:
            stop.set()
            runner.join()

    def test_follows_one_long_call(self):
        scene = pendulum().init()
        _, page = self.opened(scene)
        done = threading.Event()
        runner = threading.Thread(target=lambda: (scene.step(40000), done.set()))
        runner.start()
        seen = len(page.times)
        page.until(lambda: len(page.times) > seen + 2 or done.is_set())
        answered = page.ask("object", path="/spring")
        runner.join()
        self.assertEqual(answered["object"]["class"], "SpringForceField")
        page.until(lambda: abs(page.times[-1] - scene.time) < 1e-9)

    def test_sees_what_is_set_between_steps(self):
        scene = pendulum().init()
        _, page = self.opened(scene)
        page.ask("show", groups=["visual", "behaviour", "points"])
        page.ask("set", path="/spring", field="stiffness", text="0")   # a list: needs another reading, refused
        frames = len(page.times)
        with scene["/dofs.position"].writable() as x:
            x[1] = (2, 0, 0)
        self.assertEqual(page.ask("field", path="/dofs", field="position")["text"].split()[3], "2")
        self.assertGreaterEqual(len(page.times), frames)

    def test_the_page_steps_and_the_program_waits(self):
        scene = pendulum().init()
        told = []
        scene.before_step.append(lambda s: told.append(threading.current_thread().name))
        viewer, page = self.opened(scene)
        page.ask("step", count=5)
        page.until(lambda: page.times and page.times[-1] > 0.0499)
        self.assertEqual(scene.steps, 5)
        self.assertEqual(set(told), {"divan viewer"})
        page.ask("realtime", on=False)
        page.ask("animate", on=True)
        end, reads = time.monotonic() + 0.5, 0
        while time.monotonic() < end:   # both at once: nobody is sent away
            self.assertEqual(len(scene["/dofs"].position), 2)
            scene.step()
            reads += 1
        page.ask("animate", on=False)
        self.assertGreater(reads, 10)
        self.assertGreater(len(told), 5 + reads)
        page.ask("reset")
        self.assertEqual(scene.steps, 0)

    def test_changes_and_refusals(self):
        scene = pendulum().init()
        _, page = self.opened(scene)
        page.ask("set", path="/", field="gravity", text="0 0 -1")
        self.assertEqual(scene.root.gravity, (0, 0, -1))
        for verb, more in (("reload", {}), ("open", {"file": scene_of("liver.scn")}), ("drop", {"text": "<Node/>", "name": "a.scn"}),
                           ("compat", {"mode": "sofa"}), ("skip-missing", {"on": True}), ("remove", {"path": "/spring"}),
                           ("add-node", {"path": "/", "file": scene_of("liver.scn")})):
            answer = page.ask(verb, **more)
            self.assertIn("error", answer, verb)
        self.assertEqual(scene.root.spring.type, "SpringForceField")
        child = scene.root.add_child("visitor")
        child.add("MechanicalObject", name="more", position=[[0, 0, 0]])
        scene.step()
        self.assertIn("visitor", str(page.ask("graph")))
        scene.root.remove(child)
        scene.step()
        self.assertNotIn("visitor", str(page.ask("graph")))

    def test_scripts_and_keys(self):
        class Counter(divan.Component):
            keys, trouble = "", False

            def on_event(self, kind, data):
                if kind == "KeyPressed":
                    self.keys += data["key"]
                if kind == "AnimateBegin" and self.trouble:
                    raise ValueError("no more")

        scene = pendulum()
        counter = Counter(scene.root, "counter")
        _, page = self.opened(scene.init())
        page.ask("step")
        page._send({"do": "key", "key": ord("A"), "down": True})
        page.ask("graph")
        self.assertEqual(counter.keys, "A")
        counter.trouble = True
        caught = []
        hook, sys.unraisablehook = sys.unraisablehook, lambda e: caught.append(e.exc_value)
        try:
            page.ask("animate", on=True)
            page.until(lambda: any(n["is"] == "diverged" for n in page.news))
        finally:
            sys.unraisablehook = hook
        self.assertIsInstance(caught[0], ValueError)
        counter.trouble = False
        scene.step()   # it is as it was before the step that failed

    def test_main_loop_of_sofa(self):
        import Sofa
        import Sofa.Gui
        root = Sofa.Core.Node("root")
        root.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0]])

        class Mover(Sofa.Core.Controller):
            def onAnimateBeginEvent(self, event):
                with root.dofs.position.writeable() as x:
                    x[0] = [x[0][0] + 1, 0, 0]   # without numpy too
        root.addObject(Mover(name="mover"))
        Sofa.Simulation.init(root)
        failure = []

        def look():
            try:
                while Sofa.Gui.GUIManager._page is None:
                    time.sleep(0.01)
                page = Page(Sofa.Gui.GUIManager._page.address)
                page.ask("step", count=3)
                page.until(lambda: page.times and page.times[-1] > 0.029)
                page.close()
            except Exception as e:
                failure.append(e)
            Sofa.Gui.GUIManager.closeGUI()
        thread = threading.Thread(target=look)
        thread.start()
        Sofa.Gui.GUIManager.MainLoop(root)   # until closeGUI
        thread.join()
        self.assertEqual(failure, [])
        self.assertEqual(root.dofs.position.value[0][0], 3)   # the page has stepped the scene itself

    def test_closing(self):
        scene = pendulum().init()
        viewer, page = self.opened(scene)
        scene.after_step.append(lambda s: viewer.close())   # from a callback
        scene.step()
        viewer._thread.join(20)
        self.assertIsNone(viewer.address)
        scene.after_step.clear()
        scene.step()
        viewer, page = self.opened(scene)
        scene.close()   # takes its viewer along
        self.assertIsNone(viewer.address)
        with self.assertRaises(ConnectionError):
            page.until(lambda: False)

    def test_end_of_the_interpreter(self):
        code = """
import sys
sys.path[:0] = %r
from support import divan, pendulum
from page import Page
scene = pendulum().init()
page = Page(scene.view(browser=False).address)
page.ask("realtime", on=False)
page.ask("animate", on=True)
scene.step(100)
""" % [os.path.dirname(os.path.abspath(__file__))]
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
