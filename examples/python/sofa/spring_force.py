"""A force written in Python beside the same one of the library: both bodies do the same.

    divan run examples/python/sofa/spring_force.py -n 100
"""
import Sofa
import Sofa.Simulation


class RestSprings(Sofa.Core.ForceFieldVec3d):
    """A spring from each point to where it was at the start: f = k (x0 - x)."""

    def __init__(self, *args, **fields):
        Sofa.Core.ForceFieldVec3d.__init__(self, *args, **fields)
        self.addData("stiffness", type="double", value=fields.get("stiffness", 100.0), help="stiffness, N/m")

    def init(self):
        self.rest = [list(p) for p in self.getMState().position.value]

    def addForce(self, m, force, position, velocity):
        k = self.stiffness.value
        with force.writeable() as f:
            for i, (x, x0) in enumerate(zip(position, self.rest)):
                f[i] = [k * (b - a) for a, b in zip(x, x0)]

    def addDForce(self, m, df, dx):
        k = -m["kFactor"] * self.stiffness.value
        with df.writeable() as f:
            for i, d in enumerate(dx):
                f[i] = [k * a for a in d]

    def addKToMatrix(self, m, points, width):
        k = -m["kFactor"] * self.stiffness.value
        return [[i, i, k] for i in range(points * width)]


def body(root, name, z):
    node = root.addChild(name)
    node.addObject("EulerImplicitSolver", rayleighStiffness=0.0, rayleighMass=0.1)
    node.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
    node.addObject("MechanicalObject", name="dofs", position=[[x, 0, z] for x in range(5)], showObject=True)
    node.addObject("UniformMass", totalMass=1)
    return node


def createScene(rootNode):
    rootNode.addObject("DefaultAnimationLoop")
    body(rootNode, "Python", 0).addObject(RestSprings(name="springs", stiffness=50))
    body(rootNode, "Library", 1).addObject("RestShapeSpringsForceField", name="springs", stiffness=50,
                                           points=list(range(5)))
    return rootNode


def main(steps=100):
    root = Sofa.Core.Node("root")
    createScene(root)
    Sofa.Simulation.init(root)
    Sofa.Simulation.animateNSteps(root, steps, 0.01)
    ours, theirs = root.Python.dofs.position.toList(), root.Library.dofs.position.toList()
    apart = max(abs(a[1] - b[1]) for a, b in zip(ours, theirs))
    print("after %d steps they are %.1e m apart, %.4f m below the start" % (steps, apart, -ours[0][1]))
    return apart


if __name__ == "__main__":
    main()
