// What components are about, in the words of people who do not know their names yet: `divan list cloth`.
#include "command.h"

#include "base/text.h"

#include <string.h>

typedef struct Topic {
  const char *words;   // separated by spaces
  const char *parts;   // of names of components
} Topic;

static const Topic topics[] = {
    {"elastic elasticity deformable soft stiffness young material tissue solid fem",
     "FEMForceField Hyperelastic TensorMassForceField CorotationalForceField TLEDForceField MJEDTetrahedral "
     "GreenLagrange TriangularShell MeshSpringForceField"},
    {"rubber hyperelastic incompressible", "Hyperelastic MJEDTetrahedral TLEDForceField VolumePreservation"},
    {"muscle fibre fiber anisotropic", "Hyperelastic MJEDTetrahedral Anisotropic VectorSpring Contraction FibreField"},
    {"cloth fabric textile membrane shell sheet paper skin",
     "TriangularFEMForceField TriangleFEMForceField TriangularShell BendingSprings QuadBending BiquadraticSprings "
     "QuadraticSprings MeshSpringForceField TriangularAnisotropic"},
    {"rope cable wire thread string rod beam needle catheter hair",
     "BeamFEMForceField BeamLinearMapping MeshSpringForceField AngularSpring EdgeSetTopologyContainer DistanceMapping "
     "CableConstraint"},
    {"catheter guidewire guide wire needle suture instrument endoscope surgery intervention sheath puncture",
     "AdaptiveBeam BeamInterpolation WireRestShape RodSection InterventionalRadiology BeamAdapterAction "
     "NeedleInsertion "
     "SutureController BeamLengthMapping BeamProjection"},
    {"cut cutting carve incise tear resection knife scalpel topology change",
     "TopologicalChangeProcessor CarvingManager TearingEngine TopologyBoundingTrasher TopologyModifier MeshParts "
     "VesselCutter"},
    {"anatomy organ vessel liver patient surgery procedure game score training", "MeshParts VesselCutter Procedure"},
    {"haptic device hand force feedback touch omni mouse tracker vrpn",
     "Geomagic OmniDriver UDPHaptic SpaceMouse VRPN ForceFeedback VirtualCoupling"},
    {"soft robot actuator gripper pneumatic inverse control",
     "CableConstraint SurfacePressure PositionConstraint JointConstraint QPInverse Actuator Effector Lattice"},
    {"heart cardiac ventricle electric potential wave front pacing ablation electrocardiogram",
     "GenerateVentricle VentricleSurfaces FibreField CardiacStimulus TissueZone Monodomain Eikonal PseudoECG "
     "ElectricalState "
     "Contraction PressureConstraint MooneyRivlin"},
    {"fluid liquid water particle flow smoke blood vessel",
     "SPHFluid IncompressibleFluid FluidBoundary Particle SpatialGrid Fluid2D Fluid3D FluidGrid Vessel FluidSurface"},
    {"contact collision collide touch friction floor ground wall obstacle",
     "Collision NarrowPhase BroadPhase Proximity DiscreteIntersection LocalMinDistance ContactManager PlaneForceField "
     "SphereForceField EllipsoidForceField ConicalForceField ConstraintSolver ConstraintCorrection FreeMotion"},
    {"gravity weight fall", "Gravity UniformMass DiagonalMass MeshMatrixMass"},
    {"inertia density", "Mass"},
    {"damping viscosity drag", "Damping DampVelocity"},
    {"load push pull traction inflate pneumatic",
     "ConstantForceField PressureForceField LinearForceField TorsionForceField MouseSpring"},
    {"fix hold clamp anchor pin boundary dirichlet", "FixedProjective PartialFixed RestShapeSprings Attach FixedPlane"},
    {"attach glue connect joint hinge link",
     "AttachProjective BilateralLagrangian JointLagrangian JointSpring Articulat SpringForceField RestShapeSprings"},
    {"move motion drive actuate prescribed", "MovementProjective VelocityProjective OscillatorProjective Controller"},
    {"select region roi choose", "ROI"},
    {"rigid robot skeleton bone frame",
     "RigidMapping Articulat MappedInertia Skinning GenerateRigidMass FrameBlending JointSpring"},
    {"time step integration integrator dynamics", "EulerExplicit EulerImplicit RungeKutta Newmark BDF StaticSolver"},
    {"static equilibrium quasistatic", "StaticSolver QuasiDynamic NewtonRaphson"},
    {"save record write export paraview output", "Exporter WriteState Monitor"},
    {"mesh geometry file import read", "Loader MeshTopology Container"},
    {"grid box cube block", "GridTopology GenerateGrid GridMeshCreator BoxROI CubeTopology"},
    {"picture draw render look colour color surface", "OglModel VisualMesh VisualStyle OglColorMap BarycentricMapping"},
    {"heat temperature diffusion", "Diffusion"},
    {"parallel distributed mpi cluster multigrid amg petsc large", "Petsc"},
    {"sparse direct iterative", "LinearSolver SparseLDL CholeskySolver EigenS"},
};

// does one of the words that stand in a list begin like the one that is looked for, or the reverse?
static bool is_about(const char *words, const char *word)
{
  size_t wanted = strlen(word);
  for (const char *w = words; *w;) {
    size_t n = strcspn(w, " "), shorter = n < wanted ? n : wanted;
    // "springs" and "spring", but not "s" and "soft"
    if (shorter >= 4 ? strncasecmp(w, word, shorter) == 0 && (n > wanted ? n - wanted : wanted - n) <= 3
                     : n == wanted && strncasecmp(w, word, n) == 0)
      return true;
    w += n;
    while (*w == ' ') w++;
  }
  return false;
}

static bool has_part(const char *parts, const char *name)
{
  bool found = false;
  for (const char *p = parts; *p && !found;) {
    size_t n = strcspn(p, " ");
    char *part = dv_strndup(p, n);
    found = strcasestr(name, part) != NULL;
    dv_free(part);
    p += n;
    while (*p == ' ') p++;
  }
  return found;
}

bool topic_has(const char *word, const char *component)
{
  for (size_t i = 0; i < DV_COUNT(topics); i++)
    if (is_about(topics[i].words, word) && has_part(topics[i].parts, component)) return true;
  return false;
}
