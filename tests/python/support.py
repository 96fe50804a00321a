"""What the tests of the Python module share."""

import os
import sys
import unittest
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENES = os.path.join(ROOT, "scenes")
sys.path.insert(0, os.environ.get("DIVAN_PYTHON_PATH", os.path.join(ROOT, "build", "python")))

import divan  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "numpy is not installed")


def scene_of(name):
    return os.path.join(SCENES, name)


def pendulum(solver="CGLinearSolver", context=None, **mass):
    """Two points, one of them held, a spring between them."""
    scene = divan.Scene(context)
    root = scene.root
    root.gravity = (0, -10, 0)
    root.dt = 0.01
    root.add("EulerImplicitSolver")
    options = {"iterations": 50, "tolerance": 1e-12, "threshold": 1e-12} if solver == "CGLinearSolver" else {}
    root.add(solver, **options)
    root.add("MechanicalObject", name="dofs", position=[[0, 0, 0], [1, 0, 0]])
    root.add("UniformMass", **(mass or {"vertexMass": 0.5}))
    root.add("FixedProjectiveConstraint", indices=[0])
    root.add("SpringForceField", name="spring", springsIndices1=[0], springsIndices2=[1], stiffness=[200.0], damping=[1.0],
             lengths=[1.0])
    return scene


class Case(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", divan.SceneWarning)
