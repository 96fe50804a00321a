"""A soft organ falls until its ligament holds it: what scenes/liver.scn is, as a scene of SofaPython3.

    divan run examples/python/sofa/liver.py -n 100
    divan view examples/python/sofa/liver.py
    PYTHONPATH=build/python python3 examples/python/sofa/liver.py
"""
import os

import Sofa
import Sofa.Simulation

MESHES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scenes", "mesh")


def createScene(rootNode):
    rootNode.gravity = [0, -9.81, 0]
    rootNode.dt = 0.01
    rootNode.addObject("DefaultAnimationLoop")
    rootNode.addObject("VisualStyle", displayFlags="showVisualModels")
    surface = rootNode.addObject("MeshOBJLoader", name="surface", filename=os.path.join(MESHES, "organ-surface.obj"))

    liver = rootNode.addChild("Liver")
    liver.addObject("EulerImplicitSolver", rayleighStiffness=0.02, rayleighMass=0.1)
    liver.addObject("CGLinearSolver", iterations=40, tolerance=1e-9, threshold=1e-12)
    mesh = liver.addObject("MeshGmshLoader", name="mesh", filename=os.path.join(MESHES, "organ.msh"))
    liver.addObject("TetrahedronSetTopologyContainer", name="tetrahedra", src=mesh.getLinkPath())
    liver.addObject("TetrahedronSetGeometryAlgorithms")
    dofs = liver.addObject("MechanicalObject", name="dofs", src=mesh.getLinkPath())
    liver.addObject("DiagonalMass", massDensity=1050)
    liver.addObject("TetrahedralCorotationalFEMForceField", youngModulus=5000, poissonRatio=0.45, method="large")
    ligament = liver.addObject("BoxROI", name="ligament", box=[-0.2, 0.045, -0.2, 0.2, 0.2, 0.2])
    liver.addObject("FixedProjectiveConstraint", indices=ligament.indices)

    visual = liver.addChild("Visual")
    skin = visual.addObject("OglModel", name="skin", src=surface.getLinkPath(), color=[0.65, 0.2, 0.15, 1])
    visual.addObject("BarycentricMapping", input=dofs, output=skin)

    spheres = liver.addChild("Spheres")
    loader = spheres.addObject("SphereLoader", name="spheres", filename=os.path.join(MESHES, "organ.sph"))
    centres = spheres.addObject("MechanicalObject", name="centres", position=loader.position)
    spheres.addObject("SphereCollisionModel", listRadius=loader.listRadius)
    spheres.addObject("BarycentricMapping", input=dofs, output=centres)
    return rootNode


def main(steps=50):
    root = Sofa.Core.Node("root")
    createScene(root)
    Sofa.Simulation.init(root)
    top = min(y for x, y, z in root.Liver.dofs.position.value)
    Sofa.Simulation.animateNSteps(root, steps, root.dt.value)
    sag = top - min(y for x, y, z in root.Liver.dofs.position.value)
    print("the organ sags by %.4f m" % sag)
    return sag


if __name__ == "__main__":
    main()
