// Every force, mass, mapping and projective constraint that uses a mesh or names points follows its changes: after
// random batches it computes what one does that is made anew from the mesh that came out (support/follow.h).
#include "support/check.h"
#include "topology/follow_cases.h"

#include "app/divan.h"

#include <string.h>

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
    {"SharpTip", "finds what is under it in every step: test_cataract.c"},
    {"Grasper", "follows the points between its jaws: test_cataract.c"},
    {"SpringLattice", "has its own points and springs: own test"},
    {"MappedInertiaForceField", "asks mapping and mass, which follow; keeps nothing of a mesh"},
    {"ContractionForceField", "keeps copies of its tetrahedra, and says so when the mesh changes"},
    {"PressureConstraint", "keeps a copy of its wall, and rests when points of the state went"},
    {"ProjectivePressureConstraint", "the same wall"},
};

static bool is_listed(const char *name)
{
  for (size_t i = 0; i < DV_COUNT(follow_cases); i++)
    if (strcmp(follow_cases[i].name, name) == 0) return true;
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
  for (size_t i = 0; i < DV_COUNT(follow_cases); i++)
    for (uint64_t seed = 1; seed <= 3; seed++)
      if (!follow_check(&follow_cases[i], seed)) {
        print_error("row %zu, %s %s %s, seed %d\n", i, follow_cases[i].name, dv_element_name(follow_cases[i].kind),
                    follow_cases[i].attributes ? follow_cases[i].attributes : "", (int)seed);
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
  for (size_t i = 0; i < DV_COUNT(follow_cases) + DV_COUNT(more); i++) {
    const followCase *c = i < DV_COUNT(follow_cases) ? &follow_cases[i] : &more[i - DV_COUNT(follow_cases)];
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
