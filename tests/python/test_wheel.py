"""The wheel, installed into a fresh virtual environment without a network."""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

from support import ROOT, scene_of

BUILD = os.path.dirname(os.environ.get("DIVAN_PYTHON_PATH", os.path.join(ROOT, "build", "python")))


@unittest.skipIf(os.environ.get("DIVAN_SANITIZED"), "the sanitized module is not packed")
class Wheel(unittest.TestCase):
    def test_a_fresh_environment_takes_it(self):
        try:
            import ensurepip, setuptools, venv, wheel  # noqa: F401, E401
        except ImportError as missing:
            self.skipTest(str(missing))
        made = subprocess.run([os.path.join(ROOT, "tools", "make-wheel"), BUILD], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        wheel_file = made.stdout.strip().splitlines()[-1]
        self.assertIn("cp311-abi3-linux", wheel_file)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "DIVAN"))}
        with tempfile.TemporaryDirectory() as place:
            run = lambda *a: subprocess.run(a, capture_output=True, text=True, env=clean, cwd=place)
            self.assertEqual(run(sys.executable, "-m", "venv", "env").returncode, 0)
            python = os.path.join(place, "env", "bin", "python")
            done = run(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel_file)
            self.assertEqual(done.returncode, 0, done.stderr)
            code = f"import divan; s = divan.load({scene_of('liver.scn')!r}).init(); s.step(5); print(s.hash(), s.root.Liver.dofs.position[0][0])"
            done = run(python, "-W", "ignore", "-c", code)
            self.assertEqual(done.returncode, 0, done.stderr)
            tool = run(os.path.join(place, "env", "bin", "divan"), "run", scene_of("liver.scn"), "-n", "5", "--hash", "--quiet")
            self.assertIn(done.stdout.split()[0], tool.stdout)


if __name__ == "__main__":
    unittest.main()
