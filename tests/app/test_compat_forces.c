// SOFA's mistakes in forces, mappings, skeletons and meshes: by default the physics is right, with compat sofa the
// result is SOFA's.
#include "both.h"

#include "base/file.h"
#include "math/vec.h"
#include "topology/topology.h"

#include <string.h>

// --- single precision ----------------------------------------------------------------------------

#define FAR(force)                                                                                               \
  "<Node><RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='0.7 1.1 1.3'/><MechanicalObject name='mo' " \
  "position='@grid.position' translation2='100 0 0'/><" force " name='ff' method='small' youngModulus='1e6' "    \
  "poissonRatio='0.3'/></Node>"

static void a_cell_that_only_moves_is_not_pushed(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {FAR("HexahedralFEMForceField"), FAR("HexahedralFEMForceFieldAndMass")};
  for (int i = 0; i < 2; i++) {
    Both b = open_both(scenes[i], "ff", DV_COMPAT_HEXAHEDRAL_SINGLE);
    double most[2] = {0, 0};
    for (int mode = 0; mode < 2; mode++)
      for (int k = 0; k < 24; k++) most[mode] = fmax(most[mode], fabs(force_of(&b, mode)[k]));
    check_close(most[RIGHT], 0, 1e-4);
    assert_true(most[SOFA] > 0.1);
    close_both(&b);
  }
}

static void distances_from_targets_are_exact(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MechanicalObject name='mo' position='0.1 0.2 0.3'/><Node name='D'><MechanicalObject "
                     "name='d' template='Vec1'/><DistanceFromTargetMapping name='map' indices='0' targetPositions='1 1 "
                     "1'/></Node></Node>",
                     "D/map", DV_COMPAT_TARGET_SINGLE);
  double d = sqrt(0.81 + 0.64 + 0.49);
  check_close(check_value(b.mode[RIGHT], "D/d", DV_X, 0), d, 1e-15);
  check_close(check_value(b.mode[SOFA], "D/d", DV_X, 0), d, 2e-7);
  assert_true(fabs(check_value(b.mode[SOFA], "D/d", DV_X, 0) - d) > 1e-9);
  close_both(&b);
}

// --- finite elements -----------------------------------------------------------------------------

// a tetrahedron of 1 cm stretched by a tenth, well over the threshold
static void flow_does_not_depend_on_the_size_of_elements(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node><MeshTopology tetrahedra='0 1 2 3'/><MechanicalObject name='mo' position='0 0 0  0.011 0 0  "
                "0 0.01 0  0 0 0.01' rest_position='0 0 0  0.01 0 0  0 0.01 0  0 0 0.01'/>"
                "<TetrahedronFEMForceField name='ff' method='small' youngModulus='1000' poissonRatio='0' "
                "plasticYieldThreshold='0.01' plasticMaxThreshold='1' plasticCreep='0.5'/></Node>",
                "ff", DV_COMPAT_PLASTIC_VOLUME);
  double elastic = -0.1 * 1000 * 1e-6 / 6 / 0.01;   // strain, modulus, volume over height
  check_close(force_of(&b, RIGHT)[3], 0.5 * elastic, 1e-12);
  check_close(force_of(&b, SOFA)[3], elastic, 1e-12);
  close_both(&b);
}

// the force on the corner of a triangle of a given size, stretched by a tenth along x
static void stretch(double size, double out[2])
{
  char *text =
      dv_format("<Node><MeshTopology triangles='0 1 2'/><MechanicalObject name='mo' position='0 0 0  %g 0 0  0 "
                "%g 0' rest_position='0 0 0  %g 0 0  0 %g 0'/><TriangularAnisotropicFEMForceField name='ff' "
                "youngModulus='100' transverseYoungModulus='100' poissonRatio='0'/></Node>",
                1.1 * size, size, size, size);
  Both b = open_both(text, "ff", DV_COMPAT_ANISOTROPIC_AREA);
  for (int mode = 0; mode < 2; mode++) out[mode] = force_of(&b, mode)[3];
  close_both(&b);
  dv_free(text);
}

// the tension of a sheet is force over length, whatever the size of its triangles
static void a_sheet_with_fibres_does_not_depend_on_its_mesh(void **state)
{
  DV_UNUSED(state);
  double one[2], two[2];
  stretch(1, one);
  stretch(2, two);
  check_close(two[RIGHT] / one[RIGHT], 2, 1e-12);
  check_close(two[SOFA] / one[SOFA], 0.5, 1e-12);
}

static double most_stress(const Both *b, int mode)
{
  force_of(b, mode);
  return *(const double *)dv_object_field(check_find(b->mode[mode], "ff"), "stressMaxValue")->value;
}

static void the_largest_stress_is_that_of_the_sheet(void **state)
{
  DV_UNUSED(state);
  static const double stretches[] = {1.1, 0.9};
  for (int i = 0; i < 2; i++) {
    char *text =
        dv_format("<Node><MeshTopology triangles='0 1 2'/><MechanicalObject name='mo' position='0 0 0  %g 0 0  "
                  "0 1 0' rest_position='0 0 0  1 0 0  0 1 0'/><TriangularFEMForceFieldOptim name='ff' "
                  "computePrincipalStress='1' youngModulus='100' poissonRatio='0'/></Node>",
                  stretches[i]);
    Both b = open_both(text, "ff", DV_COMPAT_HALF_STRESS);
    check_close(most_stress(&b, RIGHT), i == 0 ? 10 : 0, 1e-12);   // E times strain
    check_close(most_stress(&b, SOFA), i == 0 ? 0 : 5, 1e-12);
    close_both(&b);
    dv_free(text);
  }
}

// --- springs between frames ----------------------------------------------------------------------

#define FRAMES(state, force)                                                                                           \
  "<Node><MechanicalObject name='mo' template='Rigid3' position='0 0 0 0 0 0 1  0 0 0 0 0 0.6 0.8' " state "/><" force \
  "/></Node>"

static void a_frame_feels_the_torque_it_exerts(void **state)
{
  DV_UNUSED(state);
  Both b = open_both(FRAMES("", "AngularSpringForceField name='ff' indices='0 1' angularStiffness='10'"), "ff",
                     DV_COMPAT_ANGULAR_REACTION);
  double angle = 2 * atan2(0.6, 0.8);
  for (int mode = 0; mode < 2; mode++) check_close(force_of(&b, mode)[11], -10 * angle, 1e-12);
  check_close(force_of(&b, RIGHT)[5], 10 * angle, 1e-12);
  check_close(force_of(&b, SOFA)[5], 0, 0);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  for (int mode = 0; mode < 2; mode++) assert_true(fd_check_force(check_find(b.mode[mode], "ff"), &o));
  // at rest the derivative is exact
  for (int k = 0; k < 7; k++) dv_state_write(dv_state(check_find(b.mode[RIGHT], "mo")), DV_X)[7 + k] = k == 6;
  o.checks = FD_STIFFNESS;
  o.move_x = 0;
  assert_true(fd_check_force(check_find(b.mode[RIGHT], "ff"), &o));
  close_both(&b);
}

// the second frame spins: damping takes energy from it, and no torque remains over
static void damping_between_frames_damps(void **state)
{
  DV_UNUSED(state);
  Both b = open_both(FRAMES("velocity='0 0 0 0 0 0  0 0 0 0 0 3'",
                            "FrameSpringForceField name='ff' spring='BEGIN_SPRING 0 1 KD 2 END_SPRING'"),
                     "ff", DV_COMPAT_FRAME_SPRING);
  check_close(force_of(&b, RIGHT)[5], 6, 1e-12);
  check_close(force_of(&b, RIGHT)[11], -6, 1e-12);
  check_close(force_of(&b, SOFA)[11], 6, 1e-12);   // it is driven
  close_both(&b);
  // both frames turned by 90 degrees about x, the second by a small angle more about the world's z
  b = open_both("<Node><MechanicalObject name='mo' template='Rigid3' position='0 0 0 0.7071067811865476 0 0 "
                "0.7071067811865476  0 0 0 0.7071067811865476 0 0 0.7071067811865476' rotation2='0 0 0'/>"
                "<FrameSpringForceField name='ff' spring='BEGIN_SPRING 0 1 KS_R 10 END_SPRING'/></Node>",
                "ff", DV_COMPAT_FRAME_SPRING);
  for (int mode = 0; mode < 2; mode++) {
    double *x = dv_state_write(dv_state(check_find(b.mode[mode], "mo")), DV_X) + 7 + 3;
    dv_quat_store(x, dv_quat_mul(dv_quat_from_axis(dv_vec3(0, 0, 1), 0.1), dv_quat_load(x)));
  }
  check_close(force_of(&b, RIGHT)[11], -1, 1e-12);   // it is turned back about z
  check_close(force_of(&b, SOFA)[11], 0, 1e-12);
  check_close(fabs(force_of(&b, SOFA)[10]), 1, 1e-12);
  close_both(&b);
}

static void joints_rest_where_they_are_told(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MechanicalObject name='mo' template='Rigid3' position='0 0 0 0 0 0 1  3 0 0 0 0 0 1'/>"
                     "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 KS_T 0 10 REST_T 1 0 0 END_SPRING'/>"
                     "</Node>",
                     "ff", DV_COMPAT_JOINT_REST);
  check_close(force_of(&b, RIGHT)[6], -20, 1e-12);
  check_close(force_of(&b, SOFA)[6], 0, 1e-12);
  close_both(&b);
}

// --- loads ---------------------------------------------------------------------------------------

static void the_factor_of_a_force_holds_to_the_end(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MechanicalObject name='mo'/><LinearForceField name='ff' points='0' force='2' times='0 1' "
                     "forces='0 0 0  5 0 0'/></Node>",
                     "ff", DV_COMPAT_FORCE_AFTER_END);
  for (int mode = 0; mode < 2; mode++) b.mode[mode]->root->time = 3;
  check_close(force_of(&b, RIGHT)[0], 10, 0);
  check_close(force_of(&b, SOFA)[0], 5, 0);
  close_both(&b);
}

// a point beyond the end of the cone that moves on outwards
static void a_cone_damps_beyond_its_end(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node><MechanicalObject name='mo' position='0 3 0' velocity='0 2 0'/><ConicalForceField name='ff' "
                "coneCenter='0 0 0' coneHeight='0 1 0' coneAngle='20' stiffness='10' damping='3'/></Node>",
                "ff", DV_COMPAT_CONE_DAMPING);
  check_close(force_of(&b, RIGHT)[1], -20 - 6, 1e-12);
  check_close(force_of(&b, SOFA)[1], -20 + 2 * 6, 1e-12);
  close_both(&b);
}

// the moments of all forces about the origin sum to zero
static void an_ellipsoid_feels_a_torque(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><Node name='A'><MechanicalObject name='mo' position='1.3 0.2 0'/></Node><Node name='B'>"
                     "<MechanicalObject name='mo' template='Rigid3' position='1 0 0 0 0 0.1 0.99498743710662'/></Node>"
                     "<InteractionEllipsoidForceField name='ff' object1='@A/mo' object2='@B/mo' center='0 0 0' "
                     "vradius='1 0.5 0.5' stiffness='100' damping='0'/></Node>",
                     "ff", DV_COMPAT_ELLIPSOID_TORQUE);
  for (int mode = 0; mode < 2; mode++) {
    dvObject *ff = check_find(b.mode[mode], "ff");
    dvVec3 f = dv_vec3_load(fd_force_on(ff, check_find(b.mode[mode], "A/mo")));
    const double *g = fd_force_on(ff, check_find(b.mode[mode], "B/mo"));
    dvVec3 moment = dv_vec3_add(dv_vec3_cross(dv_vec3(1.3, 0.2, 0), f),
                                dv_vec3_add(dv_vec3_cross(dv_vec3(1, 0, 0), dv_vec3_load(g)), dv_vec3_load(g + 3)));
    check_close(dv_vec3_norm(dv_vec3_add(f, dv_vec3_load(g))), 0, 1e-12);
    if (mode == RIGHT) check_close(dv_vec3_norm(moment), 0, 1e-12);
    else assert_true(dv_vec3_norm(moment) > 0.1);
    fdOptions o = fd_options();
    o.checks = FD_ASSEMBLY;   // the matrix of the push itself is not its derivative
    assert_true(fd_check_force(ff, &o));
  }
  close_both(&b);
}

// two edges of lengths 1 and 2; the second is loaded
static void edges_have_their_own_length(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node><MeshTopology edges='0 1  1 2' triangles='0 1 2'/><MechanicalObject name='mo' position='0 0 "
                "0  1 0 0  1 2 0'/><EdgePressureForceField name='ff' edgeIndices='1' p_intensity='10' binormal='0 0 "
                "1'/></Node>",
                "ff", DV_COMPAT_EDGE_LENGTH);
  for (int mode = 0; mode < 2; mode++) {
    const double *f = force_of(&b, mode);
    check_close(fabs(f[3] + f[6]), mode == RIGHT ? 20 : 10, 1e-12);
  }
  close_both(&b);
}

static void a_moment_is_zero_after_a_quarter_of_its_period(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node><MeshTopology triangles='0 1 2'/><MechanicalObject name='mo' position='1 0 0  0 1 0  -1 0 0'/>"
                "<OscillatingTorsionPressureForceField name='ff' moment='1' frequency='2' penalty='0' axis='0 0 1' "
                "dmin='-1' dmax='1'/></Node>",
                "ff", DV_COMPAT_OSCILLATION_PERIOD);
  for (int mode = 0; mode < 2; mode++) b.mode[mode]->root->time = 1000.125;
  check_close(force_of(&b, RIGHT)[1], 0, 1e-11);
  assert_true(fabs(force_of(&b, SOFA)[1]) > 1e-6);
  close_both(&b);
}

// --- skeletons -----------------------------------------------------------------------------------

// of leg.bvh: the second of four frames, each 0.25 s, turns the hip by 10 degrees about z (the fourth coordinate)
static void recorded_motion_keeps_its_angles_and_its_time(void **state)
{
  DV_UNUSED(state);
  char *text = dv_format("<Node dt='0.05'><Node name='Leg'><MechanicalObject name='joints' template='Vec1'/><Node "
                         "name='Frames'><MechanicalObject name='frames' template='Rigid3'/><ArticulatedSystemMapping "
                         "input1='@../joints' output='@frames'/></Node><ArticulatedHierarchyContainer name='skeleton' "
                         "filename='%s/scenes/mesh/leg.bvh'/><ArticulatedHierarchyBVHController name='player'/></Node>"
                         "</Node>",
                         DIVAN_SOURCE_DIR);
  Both b = open_both(text, "Leg/player", DV_COMPAT_BVH_CLOCK);
  assert_true(dv_compat_touched(check_find(b.mode[SOFA], "Leg/skeleton"), DV_COMPAT_BVH_DEGREES));
  assert_true(dv_compat_touched(check_find(b.mode[RIGHT], "Leg/skeleton"), DV_COMPAT_BVH_DEGREES));
  check_steps(b.mode[RIGHT], 6);   // 0.25 s at the beginning of the sixth
  check_steps(b.mode[SOFA], 5);    // four steps a frame
  check_close(check_value(b.mode[RIGHT], "Leg/joints", DV_X, 3), 10 * acos(-1.0) / 180, 1e-12);
  check_close(check_value(b.mode[SOFA], "Leg/joints", DV_X, 3), 10 * 3.14 / 180, 1e-12);
  check_steps(b.mode[RIGHT], 60);   // behind the last frame it stands still
  check_close(check_value(b.mode[RIGHT], "Leg/joints", DV_X, 0), 0.3, 1e-12);
  close_both(&b);
  dv_free(text);
}

// --- meshes --------------------------------------------------------------------------------------

static void points_in_quads_lie_where_they_are_placed(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MeshTopology name='quad' position='0 0 0  1 0 0  1 1 0  0 1 0' quads='0 1 2 3'/>"
                     "<Node name='Points'><PointSetTopologyContainer name='points'/><Mesh2PointTopologicalMapping "
                     "name='map' input='@../quad' output='@points' quadBaryCoords='1 1 0  1 0 0'/><MechanicalObject "
                     "name='mo' position='@points.position'/></Node></Node>",
                     "Points/map", DV_COMPAT_QUAD_POINTS);
  compare(&b, "Points/mo", DV_X, 0, 1, 0, 0);   // the place (1 1) is the corner opposite to the first
  compare(&b, "Points/mo", DV_X, 1, 1, 1, 0);
  compare(&b, "Points/mo", DV_X, 3, 1, 1, 0);
  close_both(&b);
}

static void voxels_have_their_size(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *file = check_write(directory, "two.voxel", "2 1 1\n0.75 1 1\n1 1\n"),
       *text =
           dv_format("<Node><SparseGridTopology name='grid' filename='%s'/><MechanicalObject name='mo'/></Node>", file);
  Both b = open_both(text, "grid", DV_COMPAT_VOXEL_EXTENT);
  double most[2] = {0, 0};
  for (int mode = 0; mode < 2; mode++) {
    dvState *s = dv_state(check_find(b.mode[mode], "mo"));
    for (size_t i = 0; i < s->count; i++) most[mode] = fmax(most[mode], dv_state_read(s, DV_X)[3 * i]);
  }
  check_close(most[RIGHT], 1.5, 1e-12);
  check_close(most[SOFA], 1, 1e-12);
  close_both(&b);
  dv_free(text), dv_free(file);
  check_rmdir(directory);
}

// two cells with a strip of surface in each; only the strips' far ends look at the face between them
static void cells_are_joined_where_the_surface_crosses_their_face(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *points, *triangles;
    size_t right, sofa;
  } cases[] = {
      // the edges start beside the face and lead away from it: only their continuation would cross it
      {"0.7 0.5 0.5 0.2 0.5 0.5 0.2 0.6 0.5  1.3 0.5 0.5 1.8 0.5 0.5 1.8 0.6 0.5", "0 1 2 3 4 5", 16, 12},
      // only the last edge of the triangle, from corner 2 to corner 0, crosses it
      {"0.2 0.5 0.5 0.3 0.6 0.5 1.8 0.5 0.5", "0 1 2", 12, 12},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node><SparseGridRamificationTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 1' "
                           "position='%s' triangles='%s'/><MechanicalObject name='mo'/></Node>",
                           cases[i].points, cases[i].triangles);
    Both b = open_both(text, "grid", DV_COMPAT_RAMIFIED_FACES);
    assert_int_equal(dv_state(check_find(b.mode[RIGHT], "mo"))->count, cases[i].right);
    assert_int_equal(dv_state(check_find(b.mode[SOFA], "mo"))->count, cases[i].sofa);
    close_both(&b);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cell_that_only_moves_is_not_pushed),
      cmocka_unit_test(distances_from_targets_are_exact),
      cmocka_unit_test(flow_does_not_depend_on_the_size_of_elements),
      cmocka_unit_test(a_sheet_with_fibres_does_not_depend_on_its_mesh),
      cmocka_unit_test(the_largest_stress_is_that_of_the_sheet),
      cmocka_unit_test(a_frame_feels_the_torque_it_exerts),
      cmocka_unit_test(damping_between_frames_damps),
      cmocka_unit_test(joints_rest_where_they_are_told),
      cmocka_unit_test(the_factor_of_a_force_holds_to_the_end),
      cmocka_unit_test(a_cone_damps_beyond_its_end),
      cmocka_unit_test(an_ellipsoid_feels_a_torque),
      cmocka_unit_test(edges_have_their_own_length),
      cmocka_unit_test(a_moment_is_zero_after_a_quarter_of_its_period),
      cmocka_unit_test(recorded_motion_keeps_its_angles_and_its_time),
      cmocka_unit_test(points_in_quads_lie_where_they_are_placed),
      cmocka_unit_test(voxels_have_their_size),
      cmocka_unit_test(cells_are_joined_where_the_surface_crosses_their_face),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
