"""docs/python.md says which names of SofaPython3 there are and which not: both lists are true."""
import importlib
import os
import re
import unittest

import where
import Sofa
import Sofa.Gui
import Sofa.SofaBaseTopology
import Sofa.SofaConstraintSolver
import Sofa.SofaDeformable
import Sofa.SofaLinearSolver
import Sofa.SofaLinearSystem
import SofaRuntime.Timer
import SofaTypes


def rows(heading):
    """(dotted name, names) of the table below a heading."""
    with open(os.path.join(where.ROOT, "docs", "python.md")) as f:
        part = f.read().split("### %s\n" % heading)[1].split("\n### ")[0]
    found = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", part, re.M)
    return [(of, re.findall(r"`(\w+)`", names)) for of, names in found]


def resolve(path):
    parts = path.split(".")
    thing = importlib.import_module(parts[0])
    for part in parts[1:]:
        thing = getattr(thing, part)
    return thing


class Names(unittest.TestCase):
    def test_there(self):
        table = rows("Names that are there")
        self.assertGreater(len(table), 30)
        for of, names in table:
            owner = resolve(of)
            for name in names:
                with self.subTest(of=of, name=name):
                    self.assertTrue(hasattr(owner, name))

    def test_not_there(self):
        table = rows("Names of SofaPython3 that are not there")
        self.assertGreater(len(table), 8)
        for of, names in table:
            owner = resolve(of)
            if isinstance(owner, type) and issubclass(owner, Sofa.Core.Object):   # the message comes from instances
                owner = Sofa.Core.Node("root").addObject(owner.__name__)
            elif isinstance(owner, type):
                owner = owner.__new__(owner)
            for name in names:
                with self.subTest(of=of, name=name):
                    with self.assertRaisesRegex(AttributeError, "docs/python.md"):
                        getattr(owner, name)

    def test_all_that_is_lacking_is_listed(self):
        listed = dict(rows("Names of SofaPython3 that are not there"))
        for of, lacks in (("Sofa", Sofa._absent_names), ("Sofa.Core", Sofa.Core._absent_names),
                          ("Sofa.Helper", Sofa.Helper._absent_names), ("SofaTypes", SofaTypes._absent_names),
                          ("Sofa.Simulation", Sofa.Simulation._absent_names), ("Sofa.Gui", Sofa.Gui._absent_names),
                          ("SofaRuntime", SofaRuntime._absent_names)):
            self.assertEqual(sorted(listed[of]), sorted(lacks), of)

    def test_other_names(self):
        with self.assertRaises(AttributeError) as caught:
            Sofa.Core.NeverHeardOf
        self.assertNotIn("docs/python.md", str(caught.exception))

    def test_handlers(self):
        from Sofa.Core import _events
        with open(os.path.join(where.ROOT, "docs", "python.md")) as f:
            text = f.read()
        for name in _events.HANDLERS:
            self.assertIn("`%s`" % name, text)


if __name__ == "__main__":
    unittest.main()
