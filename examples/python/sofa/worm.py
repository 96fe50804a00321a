"""A worm of silicone that walks: a wave of pressure runs through four chambers near its underside.

    divan run examples/python/sofa/worm.py -n 300

It bends where a chamber is blown up, and friction does the rest: about 2 mm forward with each wave.
"""
import math
import os

import Sofa

MESH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scenes", "robot", "mesh")
LIFT = [0, 0, 0.0115]   # above the floor


class Wave(Sofa.Core.Controller):
    """Sets the pressures of chambers, one a quarter of a period behind the other."""

    def __init__(self, *args, **fields):
        Sofa.Core.Controller.__init__(self, *args, **fields)
        self.chambers = fields["chambers"]
        self.addData("period", type="double", value=0.5, help="time of one wave, s")
        self.addData("pressure", type="double", value=20000.0, help="largest pressure, Pa")

    def onAnimateBeginEvent(self, event):
        waves = self.getContext().getTime() / self.period.value
        for i, chamber in enumerate(self.chambers):
            push = max(0.0, math.sin(2 * math.pi * (waves - i / 4))) * min(1, waves)
            chamber.value.value = [self.pressure.value * push]


def addChamber(worm, number):
    node = worm.addChild(f"chamber{number}")
    node.addObject("MeshOBJLoader", name="loader", filename=os.path.join(MESH, f"worm-chamber{number}.obj"), translation=LIFT)
    node.addObject("MeshTopology", src="@loader")
    node.addObject("MechanicalObject")
    cavity = node.addObject("SurfacePressureConstraint", name="cavity", value=[0.0])
    node.addObject("BarycentricMapping", mapForces=False, mapMasses=False)
    return cavity


def addWorm(root):
    worm = root.addChild("worm")
    worm.addObject("EulerImplicitSolver", rayleighStiffness=0.02, rayleighMass=0.1)
    worm.addObject("SparseLDLSolver")
    worm.addObject("MeshVTKLoader", name="loader", filename=os.path.join(MESH, "worm.vtk"), translation=LIFT)
    worm.addObject("TetrahedronSetTopologyContainer", src="@loader")
    worm.addObject("MechanicalObject", name="dofs")
    worm.addObject("UniformMass", totalMass=0.06)
    worm.addObject("TetrahedronFEMForceField", youngModulus=60000, poissonRatio=0.4, method="large")
    worm.addObject("LinearSolverConstraintCorrection")
    worm.addObject("CenterOfMass", name="center")
    feet = worm.addChild("feet")
    feet.addObject("MechanicalObject", position=[[0.005 * i, y, 0.0015] for i in range(25) for y in (-0.014, 0.014)])
    feet.addObject("PointCollisionModel")
    feet.addObject("BarycentricMapping")
    look = worm.addChild("look")
    look.addObject("MeshOBJLoader", name="loader", filename=os.path.join(MESH, "worm-surface.obj"), translation=LIFT)
    look.addObject("OglModel", src="@loader", color=[0.5, 0.7, 0.4, 1])
    look.addObject("BarycentricMapping")
    return worm


def createScene(rootNode):
    rootNode.dt = 0.01
    rootNode.gravity = [0, 0, -9.81]
    rootNode.addObject("FreeMotionAnimationLoop")
    rootNode.addObject("BlockGaussSeidelConstraintSolver", tolerance=1e-6, maxIterations=500, warmStart=True)
    rootNode.addObject("CollisionPipeline")
    rootNode.addObject("BruteForceBroadPhase")
    rootNode.addObject("BVHNarrowPhase")
    rootNode.addObject("LocalMinDistance", alarmDistance=0.004, contactDistance=0.001, angleCone=0)
    rootNode.addObject("CollisionResponse", response="FrictionContactConstraint", responseParams="mu=0.7")
    floor = rootNode.addChild("floor")
    floor.addObject("MeshTopology", position="-1 -1 0  1 -1 0  1 1 0  -1 1 0", triangles="0 1 2  0 2 3")
    floor.addObject("MechanicalObject")
    floor.addObject("TriangleCollisionModel", simulated=False, moving=False)
    worm = addWorm(rootNode)
    chambers = [addChamber(worm, i + 1) for i in range(4)]
    rootNode.addObject(Wave(name="wave", chambers=chambers))
