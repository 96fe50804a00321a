"""The examples run by themselves and by the command; scene files written as Python give the same bits."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import where

EXAMPLES = os.path.join(where.ROOT, "examples", "python", "sofa")
SCENES = os.path.join(where.ROOT, "scenes")
# what each prints at its end, and what holds for the number in it
RESULTS = {"liver": ("sags by ([\\d.]+) m", lambda x: 0.005 < x < 0.05),
           "pull": ("moved by ([\\d.]+) m", lambda x: x > 0.5),
           "spring_force": ("they are ([\\de.+-]+) m apart", lambda x: x < 1e-9),
           "mapping": ("are ([\\d.]+) m apart", lambda x: 1.7 < x < 1.85),
           "keyboard": ("x = ([\\d.]+) m", lambda x: 0.08 < x < 0.12)}
SCENES_ONLY = ["worm"]   # run by the command, print nothing


def run(*line):
    environment = dict(os.environ, PYTHONPATH=where.PACKAGES, PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300)


class Examples(unittest.TestCase):
    def test_all_are_here(self):
        self.assertEqual(sorted(list(RESULTS) + SCENES_ONLY), sorted(f[:-3] for f in os.listdir(EXAMPLES) if f.endswith(".py")))

    def test_as_scripts(self):
        for name, (pattern, holds) in RESULTS.items():
            with self.subTest(example=name):
                done = run(sys.executable, os.path.join(EXAMPLES, name + ".py"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(holds(float(re.search(pattern, done.stdout).group(1))), done.stdout)

    def test_by_the_command(self):
        for name in list(RESULTS) + SCENES_ONLY:
            with self.subTest(example=name):
                done = run(where.COMMAND, "run", os.path.join(EXAMPLES, name + ".py"), "-n", "3")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_organ_is_the_one_of_the_scene_file(self):
        hashes = [re.search(r"[0-9a-f]{16,}", run(where.COMMAND, "run", scene, "-n", "5", "--hash").stdout).group(0)
                  for scene in (os.path.join(EXAMPLES, "liver.py"), os.path.join(SCENES, "liver.scn"))]
        self.assertEqual(*hashes)


class Conversion(unittest.TestCase):
    def test_same_bits(self):
        names = ["liver", "BeamFEMForceField", "BoxROI", "CGLinearSolver", "DiagonalMass", "FreeMotionAnimationLoop",
                 "Gravity", "HexahedronFEMForceField", "FixedProjectiveConstraint", "ConstantForceField"]
        for name in names:
            with self.subTest(scene=name), tempfile.TemporaryDirectory() as directory:
                scene, script = os.path.join(SCENES, name + ".scn"), os.path.join(directory, "scene.py")
                done = run(where.COMMAND, "convert", scene, script, "--force")   # options change nothing of where it goes
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                hashes = []
                for path in (scene, script):
                    done = run(where.COMMAND, "run", path, "-n", "3", "--hash")   # meshes are found from there too
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    hashes.append(re.search(r"[0-9a-f]{16,}", done.stdout).group(0))
                self.assertEqual(*hashes)
                self.assertEqual(os.listdir(directory), ["scene.py"])

    def test_mistakes(self):
        with tempfile.TemporaryDirectory() as directory:
            done = run(where.COMMAND, "convert", os.path.join(directory, "no.scn"), os.path.join(directory, "o.py"))
            self.assertEqual(done.returncode, 4)
            done = run(where.COMMAND, "convert", os.path.join(SCENES, "liver.scn"), os.path.join(directory, "no", "o.py"))
            self.assertEqual(done.returncode, 4)
            self.assertIn("cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
