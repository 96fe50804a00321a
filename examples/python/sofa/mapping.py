"""A mapping written in Python: the distance of two points is a state of its own, and a spring there pulls on both.

    out = |b - a|     J = (-n, n) with n = (b - a) / |b - a|

    divan run examples/python/sofa/mapping.py -n 100
"""
import math

import Sofa
import Sofa.Simulation


class Distance(Sofa.Core.Mapping_Vec3d_Vec1d):
    """The distance of the two points of the input."""

    def apply(self, m, out, in_):
        a, b = in_[0], in_[1]
        self.length = math.dist(a, b)
        self.normal = [(q - p) / self.length for p, q in zip(a, b)]
        with out.writeable() as rows:
            rows[0] = self.length

    def applyJ(self, m, out, in_):
        with out.writeable() as rows:
            rows[0] = sum(n * (q - p) for n, p, q in zip(self.normal, in_[0], in_[1]))

    def applyJT(self, m, out, in_):
        f = float(in_[0])
        with out.writeable() as rows:
            rows[0] = [x - f * n for x, n in zip(rows[0], self.normal)]
            rows[1] = [x + f * n for x, n in zip(rows[1], self.normal)]


def createScene(rootNode):
    rootNode.gravity = [0, 0, 0]
    rootNode.addObject("DefaultAnimationLoop")
    rootNode.addObject("EulerImplicitSolver")
    rootNode.addObject("CGLinearSolver", iterations=50, tolerance=1e-12, threshold=1e-12)
    points = rootNode.addObject("MechanicalObject", name="points", position=[[0, 0, 0], [2, 0, 0]], showObject=True)
    rootNode.addObject("UniformMass", totalMass=2)
    below = rootNode.addChild("Distance")
    length = below.addObject("MechanicalObject", name="length", template="Vec1d", position=[[2.0]], rest_position=[[1.0]])
    below.addObject("RestShapeSpringsForceField", template="Vec1d", stiffness=20, points=[0])
    below.addObject(Distance(name="mapping", input=points, output=length))
    return rootNode


def main(steps=10):
    root = Sofa.Core.Node("root")
    createScene(root)
    Sofa.Simulation.init(root)
    Sofa.Simulation.animateNSteps(root, steps, 0.01)
    a, b = root.points.position.toList()
    print("the points are %.4f m apart" % math.dist(a, b))
    return math.dist(a, b)


if __name__ == "__main__":
    main()
