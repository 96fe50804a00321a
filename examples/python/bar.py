"""A soft bar that is held at one end: what the other examples work with."""


def create_bar(root, young=2000.0):
    root.gravity, root.dt = (0, 0, 0), 0.02
    root.add("EulerImplicitSolver", rayleighStiffness=0.05, rayleighMass=0.1)
    root.add("SparseLDLSolver")
    grid = root.add("RegularGridTopology", name="grid", n=(3, 3, 9), min=(-0.1, -0.1, 0), max=(0.1, 0.1, 1.0))
    root.add("MechanicalObject", name="dofs", position=grid.field("position"))
    root.add("UniformMass", totalMass=0.5)
    root.add("HexahedronFEMForceField", name="tissue", youngModulus=[young], poissonRatio=[0.45], method="large")
    root.add("FixedProjectiveConstraint", indices=range(9))          # the face at z = 0
    root.add("ConstantForceField", name="pull", indices=list(range(72, 81)), totalForce=(0, 0, 0))   # the other end


def create_scene(root):   # divan view examples/python/bar.py
    create_bar(root)
    root.pull.totalForce = (0.0, 0.4, 0.0)
