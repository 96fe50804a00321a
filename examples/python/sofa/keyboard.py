"""Arrow keys push a ball, + and - change its weight: hold Ctrl and press keys in the viewer.

    divan view examples/python/sofa/keyboard.py
"""
import Sofa
import Sofa.Simulation
from Sofa.constants import Key

PUSHES = {Key.leftarrow: [-1, 0, 0], Key.rightarrow: [1, 0, 0], Key.uparrow: [0, 1, 0], Key.downarrow: [0, -1, 0]}


class Keyboard(Sofa.Core.Controller):
    def __init__(self, *args, **fields):
        Sofa.Core.Controller.__init__(self, *args, **fields)
        self.force, self.mass = fields["force"], fields["mass"]
        self.strength = 5.0

    def onKeypressedEvent(self, event):
        key = event["key"]
        if key in PUSHES:
            self.force.forces = [[self.strength * x for x in PUSHES[key]]]
        elif key == Key.plus:
            self.mass.totalMass = self.mass.totalMass.value * 1.5
        elif key == Key.minus:
            self.mass.totalMass = self.mass.totalMass.value / 1.5

    def onKeyreleasedEvent(self, event):
        if event["key"] in PUSHES:
            self.force.forces = [[0, 0, 0]]


def createScene(rootNode):
    rootNode.gravity = [0, 0, 0]
    rootNode.addObject("DefaultAnimationLoop")
    ball = rootNode.addChild("Ball")
    ball.addObject("EulerImplicitSolver", rayleighMass=0.2)
    ball.addObject("CGLinearSolver", iterations=20, tolerance=1e-9, threshold=1e-9)
    ball.addObject("MechanicalObject", name="dofs", position=[[0, 0, 0]], showObject=True, showObjectScale=0.2, drawMode=1)
    mass = ball.addObject("UniformMass", name="mass", totalMass=1)
    force = ball.addObject("ConstantForceField", name="push", indices=[0], forces=[[0, 0, 0]])
    rootNode.addObject(Keyboard(name="keyboard", force=force, mass=mass))
    return rootNode


def main():
    root = Sofa.Core.Node("root")
    createScene(root)
    Sofa.Simulation.init(root)
    root._handle.scene.send("KeyPressed", ord(Key.rightarrow))   # as the viewer does
    Sofa.Simulation.animateNSteps(root, 20, 0.01)
    print("the ball has moved to x = %.4f m" % root.Ball.dofs.position.value[0][0])
    return root.Ball.dofs.position.value[0][0]


if __name__ == "__main__":
    main()
