"""Plugins inside of Python: they find the library's functions in the module."""

import glob
import os
import subprocess
import tempfile
import unittest

from support import Case, ROOT, divan

DIVAN = os.environ.get("DIVAN", os.path.join(ROOT, "build", "divan"))


@unittest.skipIf(os.environ.get("DIVAN_SANITIZED"), "a plugin without the sanitizer does not fit")
class Plugins(Case):
    def test_a_plugin(self):
        flags = subprocess.run([DIVAN, "new-plugin", "--flags"], capture_output=True, text=True).stdout.split()
        sources = glob.glob(os.path.join(ROOT, "plugins", "example", "*.c"))
        with tempfile.TemporaryDirectory() as place:
            library = os.path.join(place, "libExample.so")
            subprocess.run(["cc", "-std=c17", "-fPIC", "-shared", *flags, *sources, "-o", library, "-lm"], check=True)
            context = divan.Context(threads=1, plugins=[library])
            self.assertIn("ExampleForceField", context.components())
            scene = divan.load(os.path.join(ROOT, "plugins", "example", "example.scn"),
                               context=divan.Context(threads=1, plugin_paths=[place])).init()
            scene.step(10)
            self.assertGreater(scene["/leaves/dofs"].velocity[0][0], 0)
            with self.assertRaises(divan.Error):
                divan.Context(plugins=[os.path.join(place, "libNone.so")])
            scene.close()


if __name__ == "__main__":
    unittest.main()
