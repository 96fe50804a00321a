// Every force, mass, mapping and projective constraint that uses a mesh or names points follows its changes: after
// random batches it computes what one does that is made anew from the mesh that came out (support/follow.h).
#include "support/check.h"
#include "support/follow.h"

#include "app/divan.h"

#include <string.h>

#define MODULI "youngModulus='{e}' poissonRatio='0.3'"
#define SOME "indices='0 3 5 7 8 12 20 21'"
#define FRAMES "Rigid3"
#define MAPPED "position='0.2 0.3 0.4 1.3 0.7 1.1 2.6 1.2 0.3 1.7 1.6 1.4 2.2 0.4 1.7 0.6 1.8 0.9 2.87 1.93 1.81'"

static const followCase cases[] = {
    // tetrahedra
    {.name = "TetrahedronFEMForceField", .kind = DV_TETRAHEDRON, .attributes = MODULI " localStiffnessFactor='{e}'"},
    {.name = "TetrahedronFEMForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "youngModulus='1 2 3' method='polar' updateStiffnessMatrix='1'"},
    {.name = "TetrahedronFEMForceField", .kind = DV_TETRAHEDRON, .attributes = MODULI " method='svd'"},
    {.name = "TetrahedralCorotationalFEMForceField", .kind = DV_TETRAHEDRON, .attributes = MODULI},
    {.name = "FastTetrahedralCorotationalForceField", .kind = DV_TETRAHEDRON, .attributes = MODULI},
    {.name = "ParallelTetrahedronFEMForceField", .kind = DV_TETRAHEDRON, .attributes = MODULI},
    {.name = "CorotationalFEMForceField", .kind = DV_TETRAHEDRON, .attributes = MODULI},
    {.name = "CorotationalFEMForceField", .kind = DV_HEXAHEDRON, .attributes = MODULI},
    {.name = "CorotationalFEMForceField", .kind = DV_TRIANGLE, .attributes = MODULI},
    {.name = "CorotationalFEMForceField", .kind = DV_QUAD, .attributes = MODULI, .tolerance = 1e-11},
    {.name = "CorotationalFEMForceField", .kind = DV_EDGE, .attributes = MODULI},
    {.name = "LinearSmallStrainFEMForceField", .kind = DV_TETRAHEDRON, .attributes = MODULI},
    {.name = "LinearSmallStrainFEMForceField", .kind = DV_HEXAHEDRON, .attributes = MODULI},
    {.name = "TetrahedronHyperelasticityFEMForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "materialName='NeoHookean' ParameterSet='3 20'"},
    {.name = "MooneyRivlin", .kind = DV_TETRAHEDRON, .attributes = "ParameterSet='1 1 20'"},
    {.name = "StandardTetrahedralFEMForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "materialName='StVenantKirchhoff' ParameterSet='3 20'"},
    {.name = "MJEDTetrahedralForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "materialName='NeoHookean' ParameterSet='3 20'"},
    {.name = "TetrahedronTLEDForceField", .kind = DV_TETRAHEDRON, .attributes = "youngModulus='30' poissonRatio='0.3'"},
    {.name = "TetrahedralTensorMassForceField", .kind = DV_TETRAHEDRON, .attributes = "youngModulus='30'"},
    {.name = "TetrahedronDiffusionFEMForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "tetraDiffusionCoefficient='{e}' tagMechanics='meca' anisotropyRatio='1'",
     .dof = "Vec1",
     .beside = "<MechanicalObject name='shape' template='Vec3' tags='meca' position='@mesh.position'/>"},
    // hexahedra
    {.name = "HexahedronFEMForceField", .kind = DV_HEXAHEDRON, .attributes = MODULI},
    {.name = "HexahedronFEMForceField",
     .kind = DV_HEXAHEDRON,
     .attributes = MODULI " method='polar' updateStiffnessMatrix='1'"},
    {.name = "ParallelHexahedronFEMForceField", .kind = DV_HEXAHEDRON, .attributes = MODULI},
    {.name = "HexahedronFEMForceFieldAndMass", .kind = DV_HEXAHEDRON, .attributes = MODULI " density='2'"},
    {.name = "HexahedralFEMForceField", .kind = DV_HEXAHEDRON, .attributes = MODULI},
    {.name = "HexahedralFEMForceFieldAndMass",
     .kind = DV_HEXAHEDRON,
     .attributes = MODULI " density='2' lumpedMass='1'"},
    {.name = "HexahedronTLEDForceField", .kind = DV_HEXAHEDRON, .attributes = "youngModulus='30' poissonRatio='0.3'"},
    // surfaces and lines
    {.name = "TriangularFEMForceField", .kind = DV_TRIANGLE, .attributes = MODULI},
    {.name = "TriangularFEMForceFieldOptim", .kind = DV_TRIANGLE, .attributes = MODULI " restScale='0.9'"},
    {.name = "TriangleFEMForceField", .kind = DV_TRIANGLE, .attributes = MODULI " initialPoints='{3p}'"},
    {.name = "TriangularAnisotropicFEMForceField",
     .kind = DV_TRIANGLE,
     .attributes = MODULI " transverseYoungModulus='{e}' fiberAngle='30'"},
    {.name = "TriangularShellForceField", .kind = DV_TRIANGLE, .attributes = MODULI " thickness='{e}'", .dof = FRAMES},
    {.name = "QuadBendingFEMForceField", .kind = DV_QUAD, .attributes = MODULI},
    {.name = "TriangularTensorMassForceField", .kind = DV_TRIANGLE, .attributes = "youngModulus='30'"},
    {.name = "BeamFEMForceField", .kind = DV_EDGE, .attributes = MODULI " radius='{e}'", .dof = FRAMES},
    {.name = "BeamFEMForceField",
     .kind = DV_EDGE,
     .attributes = "youngModulus='100' listSegment='1 5 7 9 22 30 31 32'",
     .dof = FRAMES},
    // springs
    {.name = "MeshSpringForceField", .kind = DV_TETRAHEDRON, .attributes = "stiffness='10' damping='1'"},
    {.name = "MeshSpringForceField", .kind = DV_HEXAHEDRON, .attributes = "cubesStiffness='10' noCompression='1'"},
    {.name = "TriangularBendingSprings", .kind = DV_TRIANGLE, .attributes = "stiffness='10'", .tolerance = 1e-11},
    {.name = "QuadularBendingSprings", .kind = DV_QUAD, .attributes = "stiffness='10'", .tolerance = 1e-11},
    {.name = "TriangleBendingSprings", .kind = DV_TRIANGLE, .attributes = "stiffness='10'", .tolerance = 1e-11},
    {.name = "QuadBendingSprings", .kind = DV_QUAD, .attributes = "stiffness='10'", .tolerance = 1e-11},
    {.name = "FastTriangularBendingSprings",
     .kind = DV_TRIANGLE,
     .attributes = "bendingStiffness='10'",
     .tolerance = 1e-11},
    {.name = "TriangularQuadraticSpringsForceField", .kind = DV_TRIANGLE, .attributes = "youngModulus='10'"},
    {.name = "TriangularBiquadraticSpringsForceField", .kind = DV_TRIANGLE, .attributes = "youngModulus='10'"},
    {.name = "SpringForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "spring='0 5 10 1 0.5  7 30 20 2 0.3  8 9 5 1 0.2  11 12 5 1 0.2  33 2 3 1 1'"},
    {.name = "SpringForceField",
     .kind = DV_EDGE,
     .attributes =
         "springsIndices1='0 4 9 20' springsIndices2='3 8 30 11' stiffness='1 2 3 4' lengths='0.1 0.2 0.3 0.4'"},
    {.name = "RepulsiveSpringForceField",
     .kind = DV_TRIANGLE,
     .attributes = "spring='0 5 10 1 9  7 30 20 2 9  8 9 5 1 9  11 12 5 1 9'"},
    {.name = "VectorSpringForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "useTopology='1' stiffness='7' viscosity='1'"},
    {.name = "RestShapeSpringsForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "points='0 3 5 7 8 12 20 21' stiffness='1 2 3 4 5 6 7 8' activeDirections='1 0 1'"},
    {.name = "RestShapeSpringsForceField", .kind = DV_TRIANGLE, .attributes = "stiffness='{p}'"},
    {.name = "PolynomialSpringsForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "firstObjectPoints='0 3 5 7' secondObjectPoints='8 12 20 21' polynomialStiffness='1 2 3 4 5 6 7 8' "
                   "polynomialDegree='2 2 2 2' computeZeroLength='0' zeroLength='0.3' compressible='1'"},
    {.name = "PolynomialRestShapeSpringsForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "points='0 3 5 7' polynomialStiffness='1 2' polynomialDegree='2' initialLength='0.3'"},
    // loads
    {.name = "ConstantForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " forces='1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6'"},
    {.name = "ConstantForceField", .kind = DV_TRIANGLE, .attributes = "forces='{3p}'"},
    {.name = "ConstantForceField", .kind = DV_TRIANGLE, .attributes = "totalForce='1 2 3'"},
    {.name = "LinearForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "points='0 3 5 7 8 12 20 21' times='0 1' forces='1 2 3 4 5 6'"},
    {.name = "TorsionForceField", .kind = DV_TETRAHEDRON, .attributes = SOME " torque='3' axis='1 2 3'"},
    {.name = "DiagonalVelocityDampingForceField", .kind = DV_TETRAHEDRON, .attributes = "dampingCoefficient='{3p}'"},
    {.name = "UniformVelocityDampingForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "dampingCoefficient='2' implicit='1'"},
    {.name = "PlaneForceField", .kind = DV_TETRAHEDRON, .attributes = "normal='0 1 0' d='1' stiffness='5'"},
    {.name = "DistanceGridForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "filename='#cube' nx='8' ny='8' nz='8' stiffnessIn='5'"},
    {.name = "SphereForceField", .kind = DV_TETRAHEDRON, .attributes = "center='1 1 1' radius='1.5' stiffness='5'"},
    {.name = "EllipsoidForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "center='1 1 1' vradius='1.5 1 1' stiffness='5'"},
    {.name = "ConicalForceField",
     .kind = DV_TETRAHEDRON,
     .attributes = "coneCenter='1 1 1' coneHeight='0 0 3' coneAngle='60' stiffness='5'"},
    {.name = "EdgePressureForceField",
     .kind = DV_TRIANGLE,
     .attributes = "pressure='1 2 3' edgeIndices='0 5 9 22 40 41 42'"},
    {.name = "EdgePressureForceField",
     .kind = DV_EDGE,
     .attributes = "pressure='1 2 3' edgeIndices='0 5 9 22 40 41 42'"},
    {.name = "TrianglePressureForceField",
     .kind = DV_TRIANGLE,
     .attributes = "pressure='1 2 3' triangleList='0 5 9 22 40 41 42'"},
    {.name = "QuadPressureForceField", .kind = DV_QUAD, .attributes = "pressure='1 2 3' quadList='0 5 9 22'"},
    {.name = "QuadPressureForceField",
     .kind = DV_HEXAHEDRON,
     .attributes = "pressure='1 2 3' quadList='0 5 9 22 40 41 42'"},
    {.name = "SurfacePressureForceField",
     .kind = DV_TRIANGLE,
     .attributes = "pressure='3' triangleIndices='0 5 9 22 40 41 42'"},
    {.name = "SurfacePressureForceField", .kind = DV_QUAD, .attributes = "pressure='3'"},
    {.name = "TaitSurfacePressureForceField", .kind = DV_TRIANGLE, .attributes = "p0='3' B='0' gamma='1'"},
    {.name = "OscillatingTorsionPressureForceField",
     .kind = DV_TRIANGLE,
     .attributes = "moment='3' axis='0 0 1' triangleList='0 5 9 22 40 41'"},
    // masses
    {.name = "UniformMass", .kind = DV_TETRAHEDRON, .attributes = "vertexMass='0.3'"},
    {.name = "UniformMass", .kind = DV_TRIANGLE, .attributes = "vertexMass='0.3' " SOME},
    {.name = "DiagonalMass", .kind = DV_TETRAHEDRON, .attributes = "massDensity='2'"},
    {.name = "DiagonalMass", .kind = DV_HEXAHEDRON, .attributes = "massDensity='2'"},
    {.name = "DiagonalMass", .kind = DV_TRIANGLE, .attributes = "massDensity='2' computeMassOnRest='0'"},
    {.name = "DiagonalMass", .kind = DV_EDGE, .attributes = "massDensity='2'"},
    {.name = "MeshMatrixMass", .kind = DV_TETRAHEDRON, .attributes = "massDensity='{e}'"},
    {.name = "MeshMatrixMass", .kind = DV_HEXAHEDRON, .attributes = "massDensity='{e}' exact='1'"},
    {.name = "MeshMatrixMass", .kind = DV_QUAD, .attributes = "massDensity='3' lumping='1'"},
    {.name = "MeshMatrixMass", .kind = DV_TRIANGLE, .attributes = "massDensity='3'"},
    {.name = "FEMMass", .kind = DV_TETRAHEDRON, .attributes = NULL, .beside = "<NodalMassDensity property='3'/>"},
    // projective constraints
    {.name = "FixedProjectiveConstraint", .kind = DV_TETRAHEDRON, .attributes = SOME " activate_projectVelocity='1'"},
    {.name = "FixedProjectiveConstraint", .kind = DV_TETRAHEDRON, .attributes = "fixAll='1'"},
    {.name = "PartialFixedProjectiveConstraint",
     .kind = DV_TRIANGLE,
     .attributes = SOME " fixedDirections='1 0 1' projectVelocity='1'"},
    {.name = "FixedPlaneProjectiveConstraint", .kind = DV_TETRAHEDRON, .attributes = SOME " direction='0 1 0'"},
    {.name = "FixedTranslationProjectiveConstraint", .kind = DV_EDGE, .attributes = SOME, .dof = FRAMES},
    {.name = "LinearVelocityProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " keyTimes='0 9' velocities='1 2 3 4 5 6'"},
    {.name = "OscillatorProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = "oscillators='3 1 2 3 0.1 0.2 0.3 5 1  9 1 2 3 0.4 0.5 0.6 7 2  20 1 1 1 2 2 2 3 3'"},
    {.name = "LineProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " origin='1 2 3' direction='1 1 0'"},
    {.name = "PlaneProjectiveConstraint", .kind = DV_TETRAHEDRON, .attributes = SOME " origin='1 2 3' normal='1 1 0'"},
    {.name = "PointProjectiveConstraint", .kind = DV_TETRAHEDRON, .attributes = SOME " point='1 2 3'"},
    {.name = "ParabolicProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " P1='0 0 0' P2='1 1 0' P3='2 0 0' EndTime='9'"},
    {.name = "HermiteSplineProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = SOME " X1='1 1 1' dX0='1 0 0' dX1='0 1 0' EndTime='9'"},
    {.name = "AttachProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = "indices1='0 3 5 7' indices2='9 12 20 21' constraintFactor='1 .5 .7 .2'"},
    {.name = "PositionBasedDynamicsProjectiveConstraint",
     .kind = DV_TETRAHEDRON,
     .attributes = "position='{3p}' stiffness='0.5'"},
    // mappings
    {.name = "BarycentricMapping", .kind = DV_TETRAHEDRON, .attributes = NULL, .below = MAPPED},
    {.name = "BarycentricMapping", .kind = DV_HEXAHEDRON, .attributes = NULL, .below = MAPPED},
    {.name = "BarycentricMapping", .kind = DV_TRIANGLE, .attributes = NULL, .below = MAPPED},
    {.name = "BarycentricMapping",
     .kind = DV_TETRAHEDRON,
     .attributes = "useRestPosition='1'",
     .below = "template='Rigid3' "
              "position='0.2 0.3 0.4 0 0 0 1  1.3 0.7 1.1 0 0 0 1  2.6 1.2 0.3 0 0 0 1'"},
    {.name = "IdentityMapping", .kind = DV_TETRAHEDRON, .attributes = NULL, .below = ""},
    {.name = "SubsetMapping", .kind = DV_TETRAHEDRON, .attributes = SOME, .below = ""},
    {.name = "IdentityMultiMapping", .kind = DV_TETRAHEDRON, .attributes = NULL, .below = ""},
    {.name = "AreaMapping", .kind = DV_TRIANGLE, .attributes = NULL, .below = "template='Vec1'"},
    {.name = "VolumeMapping", .kind = DV_TETRAHEDRON, .attributes = NULL, .below = "template='Vec1'"},
    {.name = "DistanceMapping", .kind = DV_TRIANGLE, .attributes = NULL, .below = "template='Vec1'"},
    {.name = "SquareDistanceMapping", .kind = DV_TRIANGLE, .attributes = NULL, .below = "template='Vec1'"},
    {.name = "SquareMapping", .kind = DV_EDGE, .attributes = NULL, .dof = "Vec1", .below = "template='Vec1'"},
    {.name = "DistanceToPlaneMapping",
     .kind = DV_TETRAHEDRON,
     .attributes = "planeNormal='1 2 3'",
     .below = "template='Vec1'"},
    {.name = "DistanceFromTargetMapping",
     .kind = DV_TETRAHEDRON,
     .attributes = "indices='0 3 9' targetPositions='1 2 3 4 5 6 7 8 9' singlePrecision='0'",
     .below = "template='Vec1'"},
    {.name = "CenterOfMassMultiMapping",
     .kind = DV_TETRAHEDRON,
     .attributes = NULL,
     .below = "",
     .beside = "<DiagonalMass massDensity='2'/>"},
    {.name = "SkinningMapping",
     .kind = DV_TRIANGLE,
     .attributes = "nbRef='2' initPos='{3p}'",
     .above = "template='Rigid3' position='0 0 0 0 0 0 1  1 2 3 0.5 0.5 0.5 0.5  3 1 2 0 0 0 1'"},
    {.name = "RigidMapping",
     .kind = DV_TRIANGLE,
     .attributes = "globalToLocalCoords='1' index='1'",
     .above = "template='Rigid3' position='0 0 0 0 0 0 1  1 2 3 0.5 0.5 0.5 0.5'"},
};

// those that have no row, and why not
static const struct {
  const char *name, *why;
} without[] = {
    {"MouseSpring", "one point, while the mouse holds it"},
    {"NonUniformHexahedronFEMForceFieldAndMass",
     "needs the levels of a sparse grid as they are; says so when it changes"},
    {"NonUniformHexahedralFEMForceFieldAndMass", "the same"},
    {"HexahedronCompositeFEMForceFieldAndMass", "the same"},
    {"HexahedronCompositeFEMMapping", "the same"},
    {"GreenLagrangeForceField", "acts on integration points, which are no mesh"},
    {"VolumePreservationForceField", "the same"},
    {"AngularSpringForceField", "a frame is turned to the one with the number before its own"},
    {"JointSpringForceField", "springs are given as text, which stays as it was: own test"},
    {"FrameSpringForceField", "the same"},
    {"GearSpringForceField", "the same"},
    {"RegularGridSpringForceField", "needs a regular grid: own test"},
    {"InteractionEllipsoidForceField", "acts on all points of a state, without a mesh"},
    {"FixedRotationProjectiveConstraint", "remembers first orientations: own test"},
    {"LinearMovementProjectiveConstraint", "remembers first positions: own test"},
    {"PartialLinearMovementProjectiveConstraint", "the same"},
    {"AffineMovementProjectiveConstraint", "the same"},
    {"PatchTestMovementProjectiveConstraint", "the same"},
    {"DirectionProjectiveConstraint", "the same"},
    {"VoidMapping", "maps nothing"},
    {"ArticulatedSystemMapping", "its input are joints"},
    {"CenterOfMassMapping", "the same kernel as CenterOfMassMultiMapping"},
    {"CenterOfMassMulti2Mapping", "the same kernel"},
    {"SimpleTesselatedTetraMechanicalMapping", "made again with what its topological mapping makes: own test"},
    {"Mesh2PointMechanicalMapping", "the same"},
    {"SubsetMultiMapping", "cannot follow, and says so"},
    {"DistanceMultiMapping", "cannot follow, and says so"},
    {"TubularMapping", "cannot follow, and says so"},
    {"BeamLinearMapping", "cannot follow, and says so"},
    {"BeamLinearMapping_mt", "cannot follow, and says so"},
    {"LineSetSkinningMapping", "cannot follow, and says so"},
    {"AdaptiveBeamMapping", "cannot follow, and says so"},
    {"MultiAdaptiveBeamMapping", "cannot follow, and says so"},
    {"BeamLengthMapping", "asks its BeamInterpolation whenever it is applied"},
    {"AdaptiveBeamForceFieldAndMass", "asks its BeamInterpolation in every evaluation"},
    {"DeformableOnRigidFrameMapping", "cannot follow, and says so"},
    {"SplineMapping", "cannot follow, and says so"},
    {"FrameBlendingMapping", "cannot follow, and says so"},
    {"SkeletalMotionProjectiveConstraint", "names the frames of a skeleton"},
    {"SPHFluidForceField", "acts on all points of a state, without a mesh"},
    {"IncompressibleFluidForceField", "acts on all points of a state, without a mesh"},
    {"FluidBoundary", "samples its mesh anew when it has changed"},
    {"ParticlesRepulsionForceField", "the same"},
    {"SPHFluidSurfaceMapping", "the same"},
    {"ImplicitSurfaceMapping", "the same"},
    {"FluidGridObstacle", "measures its surface once"},
    {"VesselNetwork", "cuts its edges once"},
    {"VesselLeak", "makes the points itself: own test"},
    {"ParticleSource", "makes the points itself: own test"},
    {"ParticleSink", "removes the points itself: own test"},
    {"PersistentContactRigidMapping", "its points are those of contacts"},
    {"PersistentContactBarycentricMapping", "the same"},
    {"BeamProjectionDifferenceMultiMapping", "asks its BeamInterpolation whenever it is applied"},
    {"AdaptiveInflatableBeamForceField", "the same"},
    {"PREquivalentStiffnessForceField", "joins frames in a row, without a mesh, and says so when their number changes"},
    {"VirtualCoupling", "one frame of a tool, without a mesh"},
    {"SpringLattice", "has its own points and springs: own test"},
    {"MappedInertiaForceField", "asks mapping and mass, which follow; keeps nothing of a mesh"},
    {"ContractionForceField", "keeps copies of its tetrahedra, and says so when the mesh changes"},
    {"PressureConstraint", "keeps a copy of its wall, and rests when points of the state went"},
    {"ProjectivePressureConstraint", "the same wall"},
};

static bool is_listed(const char *name)
{
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    if (strcmp(cases[i].name, name) == 0) return true;
  for (size_t i = 0; i < DV_COUNT(without); i++)
    if (strcmp(without[i].name, name) == 0) return true;
  return false;
}

static void every_component_has_a_row(void **state)
{
  DV_UNUSED(state);
  dvContext *c = dv_divan_create(1);
  size_t missing = 0;
  for (size_t i = 0; i < c->registry.classes.count; i++) {
    const dvClass *cls = c->registry.classes.data[i];
    bool mechanical =
        cls->ops[DV_ROLE_FORCE] || cls->ops[DV_ROLE_MASS] || cls->ops[DV_ROLE_MAPPING] || cls->ops[DV_ROLE_PROJECTIVE];
    if (!mechanical || is_listed(cls->name)) continue;
    print_error("%s has no row in test_follow.c, and no reason\n", cls->name);
    missing++;
  }
  dv_divan_destroy(&c);
  assert_int_equal(missing, 0);
}

static void components_follow(void **state)
{
  DV_UNUSED(state);
  size_t bad = 0;
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    for (uint64_t seed = 1; seed <= 3; seed++)
      if (!follow_check(&cases[i], seed)) {
        print_error("row %zu, %s %s %s, seed %d\n", i, cases[i].name, dv_element_name(cases[i].kind),
                    cases[i].attributes ? cases[i].attributes : "", (int)seed);
        bad++;
        break;
      }
  assert_int_equal(bad, 0);
}

// cells that a blade parts, filled in part: all forces and masses of hexahedra know of it
static void components_follow_cuts_of_hexahedra(void **state)
{
  DV_UNUSED(state);
  static const followCase more[] = {
      {.name = "MeshMatrixMass", .kind = DV_HEXAHEDRON, .attributes = "massDensity='2'"},
      {.name = "MeshMatrixMass", .kind = DV_HEXAHEDRON, .attributes = "massDensity='2' lumping='1'"},
      {.name = "FEMMass",
       .kind = DV_HEXAHEDRON,
       .attributes = "template='Vec3,Hexahedron'",
       .beside = "<NodalMassDensity property='2'/>"},
  };
  size_t bad = 0, run = 0;
  for (size_t i = 0; i < DV_COUNT(cases) + DV_COUNT(more); i++) {
    const followCase *c = i < DV_COUNT(cases) ? &cases[i] : &more[i - DV_COUNT(cases)];
    if (c->kind != DV_HEXAHEDRON || c->below || c->above) continue;
    for (uint64_t seed = 1; seed <= 3; seed++, run++)
      if (!follow_check_cut(c, seed)) {
        print_error("%s %s, seed %d\n", c->name, c->attributes ? c->attributes : "", (int)seed);
        bad++;
        break;
      }
  }
  assert_int_equal(bad, 0);
  assert_true(run > 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_component_has_a_row),
      cmocka_unit_test(components_follow),
      cmocka_unit_test(components_follow_cuts_of_hexahedra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
