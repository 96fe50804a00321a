"""A controller takes the end of a soft beam by the hand: it moves the point that a spring pulls on.

    divan run examples/python/sofa/pull.py -n 100
"""
import math

import Sofa
import Sofa.Simulation


class Hand(Sofa.Core.Controller):
    """Moves a target on a circle; `radius` (m) and `period` (s) are fields and can be changed while it runs."""

    def __init__(self, *args, **fields):
        Sofa.Core.Controller.__init__(self, *args, **fields)
        self.target = fields["target"]
        self.addData("radius", type="double", value=0.5, help="how far it goes, m")
        self.addData("period", type="double", value=1.0, help="time of one turn, s")
        self.centre = None

    def onAnimateBeginEvent(self, event):
        if self.centre is None:
            self.centre = list(self.target.position.value[0])
        angle = 2 * math.pi * self.getContext().getTime() / self.period.value
        with self.target.position.writeable() as point:
            point[0] = [self.centre[0], self.centre[1] + self.radius.value * math.sin(angle),
                        self.centre[2] + self.radius.value * (1 - math.cos(angle))]


def createScene(rootNode):
    rootNode.gravity = [0, 0, 0]
    rootNode.addObject("DefaultAnimationLoop")
    hand = rootNode.addChild("Hand")
    target = hand.addObject("MechanicalObject", name="target", position=[[4, 0, 0]], showObject=True)

    beam = rootNode.addChild("Beam")
    beam.addObject("EulerImplicitSolver", rayleighStiffness=0.05, rayleighMass=0.05)
    beam.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
    beam.addObject("RegularGridTopology", name="grid", n=[9, 3, 3], min=[0, -0.5, -0.5], max=[4, 0.5, 0.5])
    beam.addObject("MechanicalObject", name="dofs")
    beam.addObject("UniformMass", totalMass=1)
    beam.addObject("HexahedronFEMForceField", youngModulus=2000, poissonRatio=0.3, method="large")
    beam.addObject("BoxROI", name="wall", box=[-0.1, -1, -1, 0.1, 1, 1])
    beam.addObject("FixedProjectiveConstraint", indices="@wall.indices")
    beam.addObject("RestShapeSpringsForceField", points=[44], external_rest_shape=target.getLinkPath(),
                   external_points=[0], stiffness=500)
    rootNode.addObject(Hand(name="hand", target=target))
    return rootNode


def main(steps=50):
    root = Sofa.Core.Node("root")
    createScene(root)
    Sofa.Simulation.init(root)
    start = list(root.Beam.dofs.position.value[44])
    Sofa.Simulation.animateNSteps(root, steps, 0.01)
    end = list(root.Beam.dofs.position.value[44])
    moved = math.dist(start, end)
    print("the end of the beam has moved by %.3f m" % moved)
    return moved


if __name__ == "__main__":
    main()
