"""The examples of examples/python, and the notebook without Jupyter."""

import ast
import json
import os
import sys
import unittest
import warnings

from support import Case, ROOT, divan, needs_numpy, scene_of

EXAMPLES = os.path.join(ROOT, "examples", "python")
sys.path.insert(0, EXAMPLES)


def run_notebook(path):
    """Runs the cells of a notebook as Jupyter does; gives the values of those that end with an expression."""
    with open(path) as file:
        notebook = json.load(file)
    assert notebook["nbformat"] == 4
    space, shown = {"__name__": "__main__"}, []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        name = f"{os.path.basename(path)}[{number}]"
        exec(compile(tree, name, "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), space)
            shown.append(value._repr_png_() if hasattr(value, "_repr_png_") else repr(value))
    return shown


@needs_numpy
@unittest.skipIf(os.environ.get("DIVAN_SANITIZED"), "too long with a sanitizer")
class Examples(Case):
    def test_notebook(self):
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                shown = run_notebook(os.path.join(EXAMPLES, "organ.ipynb"))
        finally:
            os.chdir(before)
        pictures = [s for s in shown if isinstance(s, bytes)]
        self.assertEqual(len(pictures), 4)
        self.assertEqual(len(set(pictures)), 4)   # it moves
        self.assertTrue(all(p.startswith(b"\x89PNG") for p in pictures))

    def test_reach(self):
        import reach
        one, many = reach.main(8, 60)
        self.assertLess(one, 0.03)
        self.assertLess(many, 0.03)

    def test_estimate(self):
        import estimate
        self.assertLess(abs(estimate.main() / estimate.TRUTH - 1), 0.02)


class Rewritten(Case):
    def test_scenes_in_python_give_the_same_bits(self):
        import subprocess
        scenes = ["liver.scn", "FixedProjectiveConstraint.scn", "BoxROI.scn", "UniformMass.scn", "EulerImplicitSolver.scn",
                  "MeshOBJLoader.scn", "RigidMapping.scn", "TetrahedronFEMForceField.scn", "RegularGridTopology.scn",
                  "constraint/LCPConstraintSolver.scn", "TriangleCollisionModel.scn", "MeanComputation.scn"]
        scenes = [scene_of(s) for s in scenes if os.path.exists(scene_of(s))]
        self.assertGreaterEqual(len(scenes), 10)
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "compare-python-scenes"), "-n", "8", *scenes],
                              capture_output=True, text=True)
        self.assertIn(f"{len(scenes)} the same, 0 different, 0 left out", done.stdout, done.stdout + done.stderr)


@unittest.skipIf(os.environ.get("DIVAN_SANITIZED"), "too long with a sanitizer")
class Robots(Case):
    def test_worm(self):
        sys.path.insert(0, os.path.join(EXAMPLES, "sofa"))
        import Sofa
        import Sofa.Core
        import Sofa.Simulation
        import worm
        root = Sofa.Core.Node("root")
        worm.createScene(root)
        Sofa.Simulation.init(root)
        start = root.worm.center.centerOfMass.value[0]
        for _ in range(200):
            Sofa.Simulation.animate(root, root.dt.value)
        self.assertGreater(root.worm.center.centerOfMass.value[0], start + 0.003)   # it walks


if __name__ == "__main__":
    unittest.main()
