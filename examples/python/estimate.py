"""Which stiffness has a bar, whose points were measured while it hung under a known load?

    python3 examples/python/estimate.py

The measured points are made with a stiffness that is then forgotten, with noise. scipy finds it by least squares where it is
installed; else a search by golden sections does.
"""

import sys

import numpy

import divan
from bar import create_bar

TRUTH = 3456.0   # Pa


class Bar:
    def __init__(self):
        self.scene = divan.Scene(divan.Context(threads=1))
        create_bar(self.scene.root)
        self.scene.root.pull.totalForce = (0.0, -0.3, 0.0)
        self.scene.init()
        self.start = self.scene.save()

    def points(self, young, steps=60):
        """Where the points of the free end are after a while."""
        self.scene.reset()
        self.scene.root.tissue.youngModulus = [float(young)]
        self.scene.step(steps)
        return numpy.array(self.scene.root.dofs.position[72:81])


def estimate(bar, measured):
    def error(log_young):
        return (bar.points(numpy.exp(float(numpy.ravel(log_young)[0]))) - measured).ravel()
    try:
        from scipy.optimize import least_squares
        return float(numpy.exp(least_squares(error, [numpy.log(1000.0)], diff_step=1e-3).x[0])), "scipy"
    except ImportError:
        pass
    low, high, ratio = numpy.log(200.0), numpy.log(20000.0), (5 ** 0.5 - 1) / 2
    while high - low > 1e-3:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if (error(a) ** 2).sum() < (error(b) ** 2).sum():
            high = b
        else:
            low = a
    return float(numpy.exp(0.5 * (low + high))), "golden sections"


def main():
    bar = Bar()
    measured = bar.points(TRUTH) + numpy.random.default_rng(3).normal(0, 1e-4, (9, 3))
    found, how = estimate(bar, measured)
    print(f"Young's modulus {found:.0f} Pa by {how}; it was {TRUTH:.0f} Pa")
    return found


if __name__ == "__main__":
    sys.exit(0 if abs(main() / TRUTH - 1) < 0.02 else 1)
