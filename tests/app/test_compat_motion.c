// SOFA's mistakes in states, integration, masses, constraints and solvers: by default the physics is right, with compat
// sofa the result is SOFA's.
#include "both.h"

#include "base/file.h"
#include "collision/collision.h"
#include "instrument/beams.h"
#include "linear/iterative/iterative.h"
#include "math/vec.h"
#include "topology/grid/sparse_grid.h"

#include <string.h>

#define CG "<CGLinearSolver iterations='200' tolerance='1e-15' threshold='1e-300'/>"
#define POINT(integrator, state)                                                                                   \
  "<Node gravity='0 0 0' dt='0.01'>" integrator "<MechanicalObject name='mo' " state "/><UniformMass name='mass' " \
  "totalMass='1'/>"

// --- states --------------------------------------------------------------------------------------

static void states_that_have_rest_positions_alone_start_there(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node><MechanicalObject name='mo' rest_position='1 0 0  2 0 0'/></Node>", "mo", DV_COMPAT_REST_ONLY);
  compare(&b, "mo", DV_X, 3, 2, 0, 0);
  compare(&b, "mo", DV_X_REST, 3, 2, 2, 0);
  for (int i = 0; i < 2; i++) assert_int_equal(dv_state(check_find(b.mode[i], "mo"))->count, 2);
  close_both(&b);
  b = open_both("<Node><MechanicalObject name='mo' rest_position='3 0 0'/></Node>", "mo", DV_COMPAT_REST_ONLY);
  compare(&b, "mo", DV_X, 0, 3, 0, 0);
  close_both(&b);
}

static void states_that_have_velocities_alone_start_at_their_topology(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MeshTopology position='0 0 0  5 0 0'/><MechanicalObject name='mo' velocity='1 0 0  2 0 "
                     "0'/></Node>",
                     "mo", DV_COMPAT_VELOCITY_ONLY);
  compare(&b, "mo", DV_X, 3, 5, 0, 0);
  compare(&b, "mo", DV_V, 3, 2, 2, 0);
  close_both(&b);
}

static void attributes_are_read_in_double_precision(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MechanicalObject name='mo' position='1 0 0' dx='0.1' scale='0.2'/></Node>", "mo",
                     DV_COMPAT_SINGLE_ATTRIBUTES);
  compare(&b, "mo", DV_X, 0, 0.3, (double)0.1f + (double)0.2f, 1e-15);
  close_both(&b);
  b = open_both("<Node><RegularGridTopology name='grid' nx='2' ny='2' nz='2' xmin='0' ymin='0' zmin='0' xmax='0.1' "
                "ymax='1' zmax='1'/><MechanicalObject name='mo'/></Node>",
                "grid", DV_COMPAT_SINGLE_ATTRIBUTES);
  compare(&b, "mo", DV_X, 3, 0.1, (double)0.1f, 1e-17);
  close_both(&b);
}

// --- integration ---------------------------------------------------------------------------------

static void bdf_falls_as_fast_as_it_should(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node gravity='0 -10 0' dt='0.01'><BDFOdeSolver name='ode' order='2'/>" CG "<NewtonRaphsonSolver/>"
                "<MechanicalObject name='mo'/><UniformMass totalMass='1'/></Node>",
                "ode", DV_COMPAT_BDF_HISTORY);
  step_both(&b, 10);
  compare(&b, "mo", DV_V, 1, -1, -(0.1 + 9 * 0.1 * 2 / 3), 1e-12);   // the first step has no history to lose
  close_both(&b);
}

// x'' = -100 x
static void the_trapezoidal_rule_keeps_the_energy_of_an_oscillator(void **state)
{
  DV_UNUSED(state);
  Both b = open_both(POINT("<EulerImplicitSolver name='ode' trapezoidalScheme='1'/>" CG,
                           "position='1 0 0' rest_position='0 0 0'") "<RestShapeSpringsForceField points='0' "
                                                                     "stiffness='100'/></Node>",
                     "ode", DV_COMPAT_TRAPEZOID_POSITION);
  double least[2] = {1e9, 1e9}, most[2] = {0, 0};
  for (int i = 0; i < 100; i++) {
    step_both(&b, 1);
    for (int k = 0; k < 2; k++) {
      double x = check_value(b.mode[k], "mo", DV_X, 0), v = check_value(b.mode[k], "mo", DV_V, 0);
      least[k] = fmin(least[k], 50 * x * x + 0.5 * v * v), most[k] = fmax(most[k], 50 * x * x + 0.5 * v * v);
    }
  }
  check_close(least[RIGHT], 50, 1e-9);
  check_close(most[RIGHT], 50, 1e-9);
  assert_true(most[SOFA] - least[SOFA] > 1);
  close_both(&b);
}

static void the_clock_of_several_collision_steps_is_right(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node dt='0.01'><MultiStepAnimationLoop name='loop' collisionSteps='3' integrationSteps='2'/>"
                     "</Node>",
                     "loop", DV_COMPAT_MULTI_STEP_CLOCK);
  step_both(&b, 6);
  check_close(b.mode[RIGHT]->root->time, 0.06, 1e-15);
  check_close(b.mode[SOFA]->root->time, 0.02, 1e-15);
  close_both(&b);
}

// --- masses --------------------------------------------------------------------------------------

#define CUBE "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/>"
#define ALTERNATING "velocity='1 0 0 -1 0 0 -1 0 0 1 0 0 -1 0 0 1 0 0 1 0 0 -1 0 0' position='@grid.position'"

// of a hexahedron of mass 1 whose corners move to and fro in turn
static void the_mass_matrix_of_a_hexahedron_is_positive(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node>" CUBE "<MechanicalObject " ALTERNATING "/><MeshMatrixMass name='m' totalMass='1'/></Node>",
                     "m", DV_COMPAT_MESH_MATRIX_MASS);
  check_close(kinetic_of(&b, RIGHT, "m"), 1.0 / 54, 1e-12);
  check_close(kinetic_of(&b, SOFA, "m"), -1.0 / 10, 1e-12);
  close_both(&b);
  b = open_both("<Node><MeshTopology name='grid' position='0 0 0 1 0 0 1 1 0 0 1 0' quads='0 1 2 3'/><MechanicalObject "
                "position='@grid.position' velocity='1 0 0 -1 0 0 1 0 0 -1 0 0'/><MeshMatrixMass name='m' "
                "totalMass='1'/></Node>",
                "m", DV_COMPAT_MESH_MATRIX_MASS);
  check_close(kinetic_of(&b, RIGHT, "m"), 1.0 / 18, 1e-12);
  check_close(kinetic_of(&b, SOFA, "m"), 0, 1e-12);
  close_both(&b);
}

static void hexahedra_have_the_inertia_of_their_mass(void **state)
{
  DV_UNUSED(state);
  static const char *const classes[] = {"HexahedronFEMForceFieldAndMass", "HexahedralFEMForceFieldAndMass"};
  for (size_t i = 0; i < DV_COUNT(classes); i++) {
    char *text = dv_format("<Node gravity='0 -10 0'>" CUBE "<MechanicalObject name='mo' position='@grid.position' "
                           "velocity='1 0 0'/><%s name='m' density='3'/></Node>",
                           classes[i]);
    Both b = open_both(text, "m", DV_COMPAT_HEXA_INERTIA);
    check_close(kinetic_of(&b, RIGHT, "m"), 1.5, 1e-12);
    check_close(kinetic_of(&b, SOFA, "m"), 1.5 * 64 * 8 / 27, 1e-12);
    for (int mode = 0; mode < 2; mode++) {   // the assembled matrix and the product agree
      fdOptions o = fd_options();
      if (mode == SOFA) o.checks &= ~(unsigned)FD_WEIGHT;   // the weight is right
      assert_true(fd_check_mass(check_find(b.mode[mode], "m"), &o));
    }
    close_both(&b);
    dv_free(text);
  }
  Both b =
      open_both("<Node>" CUBE "<MechanicalObject name='mo' " ALTERNATING "/><HexahedronFEMForceFieldAndMass name='m'/>"
                "</Node>",
                "m", DV_COMPAT_HEXA_INERTIA);
  check_close(kinetic_of(&b, RIGHT, "m"), 1.0 / 54, 1e-12);
  check_close(kinetic_of(&b, SOFA, "m"), 0, 1e-12);   // nothing resists this motion
  close_both(&b);
}

// a cube of light and stiff material in four finer cells along each axis
#define CONDENSED(fields)                                                                                           \
  "<Node><SparseGridMultipleTopology name='grid' n='3 3 3' fileTopologies='%s' stiffnessCoefs='4' massCoefs='0.5' " \
  "nbVirtualFinerLevels='1' fillWeighted='0'/><MechanicalObject name='mo' velocity='1 0 0'/>"                       \
  "<NonUniformHexahedronFEMForceFieldAndMass name='m' nbVirtualFinerLevels='1' density='2' " fields "/></Node>"

static void fine_cells_weigh_with_the_coefficient_of_their_mass(void **state)
{
  DV_UNUSED(state);
  char *file = dv_format("%s/scenes/mesh/block.obj", DIVAN_SOURCE_DIR), *text = dv_format(CONDENSED(""), file);
  Both b = open_both(text, "m", DV_COMPAT_NONUNIFORM_MASS);
  assert_true(dv_compat_touched(check_find(b.mode[RIGHT], "m"), DV_COMPAT_HEXA_INERTIA));
  const dvSparseLevel *fine = dv_sparse_grid_level(check_find(b.mode[RIGHT], "grid"), 1);
  double volume = fine->step[0] * fine->step[1] * fine->step[2] * (double)fine->cell_of.count;
  check_close(kinetic_of(&b, RIGHT, "m") / (0.5 * 2 * volume * 0.5), 1, 1e-6);
  check_close(kinetic_of(&b, SOFA, "m") / (0.5 * 2 * volume * 4 * 64 * 8 / 27), 1, 1e-6);
  close_both(&b);
  dv_free(text);
  text = dv_format(CONDENSED("useMass='0' totalMass='6'"), file);
  b = open_both(text, "m", DV_COMPAT_POINTS_MASS);
  double points = (double)dv_state(check_find(b.mode[RIGHT], "mo"))->count,
         cells = (double)dv_sparse_grid_level(check_find(b.mode[RIGHT], "grid"), 0)->cell_of.count;
  check_close(kinetic_of(&b, RIGHT, "m"), 3, 1e-12);
  check_close(kinetic_of(&b, SOFA, "m"), 3 * points / cells, 1e-12);
  close_both(&b);
  dv_free(text);
  dv_free(file);
}

static dvVec3 momentum(dvScene *s)
{
  dvMat3 r = dv_quat_to_matrix(dv_quat_load(dv_state_read(dv_state(check_find(s, "mo")), DV_X) + 3));
  dvVec3 w = dv_mat3_t_mul_vec(r, dv_vec3_load(dv_state_read(dv_state(check_find(s, "mo")), DV_V) + 3));
  return dv_mat3_mul_vec(r, dv_vec3(1 * w.x, 2 * w.y, 3 * w.z));
}

static void a_free_body_keeps_its_angular_momentum(void **state)
{
  DV_UNUSED(state);
  static const char *const masses[] = {"UniformMass", "DiagonalMass"};
  for (int i = 0; i < 2; i++) {
    char *text = dv_format("<Node gravity='0 0 0' dt='0.005'><RungeKutta4Solver/><MechanicalObject name='mo' "
                           "template='Rigid3' position='0 0 0 0 0 0 1' velocity='0 0 0 0.2 2 0.1'/><%s name='m' "
                           "vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/></Node>",
                           masses[i]);
    Both b = open_both(text, "m", DV_COMPAT_GYROSCOPIC);
    dvVec3 before = momentum(b.mode[RIGHT]);
    step_both(&b, 400);
    check_close(dv_vec3_norm(dv_vec3_sub(momentum(b.mode[RIGHT]), before)), 0, 1e-4);
    assert_true(dv_vec3_norm(dv_vec3_sub(momentum(b.mode[SOFA]), before)) > 0.1);
    compare(&b, "mo", DV_V, 4, check_value(b.mode[RIGHT], "mo", DV_V, 4), 2, 1e-12);   // SOFA's body spins on as it was
    close_both(&b);
    dv_free(text);
  }
  // a body that is the same about all axes is no case
  dvScene *s =
      check_scene("<Node><MechanicalObject template='Rigid3'/><UniformMass name='m' totalMass='1'/></Node>", 1);
  assert_false(dv_compat_touched(check_find(s, "m"), DV_COMPAT_GYROSCOPIC));
  check_close_scene(&s);
}

static void a_range_up_to_the_last_point_counts(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><MechanicalObject name='mo' position='0 0 0  1 0 0  2 0 0' velocity='1 0 0'/><UniformMass "
                     "name='m' localRange='1 2' totalMass='1'/></Node>",
                     "m", DV_COMPAT_UNIFORM_RANGE);
  const dvMassOps *ops = dv_ops(check_find(b.mode[RIGHT], "m"), DV_ROLE_MASS);
  check_close(ops->of_element(check_find(b.mode[RIGHT], "m"), 2), 0.5, 1e-15);
  check_close(ops->of_element(check_find(b.mode[SOFA], "m"), 2), 1.0 / 3, 1e-15);
  close_both(&b);
}

// --- constraints ---------------------------------------------------------------------------------

// the second point of the first state and the first of the second are joined, under an assembled matrix
static void attached_points_are_held_in_matrices(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><Node name='A'><MechanicalObject name='mo' position='0 0 0  1 0 0'/></Node><Node name='B'>"
                     "<MechanicalObject name='mo' position='1 0 0  2 0 0'/></Node><AttachProjectiveConstraint name='c' "
                     "object1='@A/mo' object2='@B/mo' indices1='1' indices2='0'/></Node>",
                     "c", DV_COMPAT_ATTACH_ROWS);
  for (int i = 0; i < 2; i++) {
    dvObject *c = check_find(b.mode[i], "c");
    double *fa = dv_state_write(dv_state(check_find(b.mode[i], "A/mo")), DV_F),
           *fb = dv_state_write(dv_state(check_find(b.mode[i], "B/mo")), DV_F);
    for (int k = 0; k < 6; k++) fa[k] = fb[k] = 1;
    ((const dvProjectiveOps *)dv_ops(c, DV_ROLE_PROJECTIVE))->project_matrix(c, DV_F);
    check_close(fa[0], i == RIGHT ? 1 : 0, 0);
    check_close(fb[0], i == RIGHT ? 0 : 1, 0);
  }
  close_both(&b);
}

static void points_with_a_velocity_move_with_the_clock(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both(POINT("<EulerImplicitSolver/>" CG, "position='0 0 0'") "<LinearVelocityProjectiveConstraint name='c' "
                                                                       "indices='0' keyTimes='0 9' velocities='1 0 0 "
                                                                       "1 0 0'/></Node>",
                "c", DV_COMPAT_LINEAR_VELOCITY);
  compare(&b, "mo", DV_X, 0, 0, 0.01, 1e-15);
  step_both(&b, 10);
  compare(&b, "mo", DV_X, 0, 0.1, 0.11, 1e-12);
  close_both(&b);
}

static void frames_turn_between_near_keys(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node dt='0.25'><EulerImplicitSolver/>" CG "<MechanicalObject name='mo' template='Rigid3'/>"
                     "<UniformMass/><LinearMovementProjectiveConstraint name='c' indices='0' keyTimes='0 1' "
                     "movements='0 0 0 0 0 0  0 0 0 0 0 0.001'/></Node>",
                     "c", DV_COMPAT_NEAR_ROTATIONS);
  step_both(&b, 2);   // the time of the projection is that of the start of the step
  compare(&b, "mo", DV_X, 5, 0.5 * 0.001 * 0.25, 0.5 * 0.001 * 0.5, 1e-10);
  close_both(&b);
}

static void splines_have_the_velocity_of_their_motion(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both(POINT("<EulerImplicitSolver/>" CG, "position='0 0 0'") "<HermiteSplineProjectiveConstraint name='c' "
                                                                       "indices='0' X0='0 0 0' dX0='0 2 0' X1='0 1 "
                                                                       "1' dX1='0 2 0' BeginTime='0' EndTime='4'/>"
                                                                       "</Node>",
                "c", DV_COMPAT_HERMITE_VELOCITY);
  double before, v, sofa;
  step_both(&b, 99);
  before = check_value(b.mode[RIGHT], "mo", DV_X, 2);
  step_both(&b, 1);
  v = check_value(b.mode[RIGHT], "mo", DV_V, 2), sofa = check_value(b.mode[SOFA], "mo", DV_V, 2);
  step_both(&b, 1);
  check_close(v, (check_value(b.mode[RIGHT], "mo", DV_X, 2) - before) / 0.02, 1e-4);
  assert_true(fabs(sofa - v) > 0.1);
  close_both(&b);
}

// --- solvers -------------------------------------------------------------------------------------

// a bar that has turned by a large angle: the warped factor of the old matrix still is a good preconditioner
#define WARPED                                                                                                       \
  "<Node dt='0.02' gravity='0 -10 0'><EulerImplicitSolver rayleighStiffness='0.05'/>"                                \
  "<PCGLinearSolver name='cg' iterations='200' tolerance='1e-9' preconditioner='@warp'/>"                            \
  "<RotationMatrixSystem name='turns' assemblingRate='10'/><WarpPreconditioner name='warp' linearSystem='@turns' "   \
  "linearSolver='@direct'/><SparseLDLSolver name='direct'/><RegularGridTopology n='3 3 9' min='0 0 0' max='2 2 8'/>" \
  "<MechanicalObject name='mo'/><UniformMass totalMass='190'/><FixedProjectiveConstraint indices='0-8'/>"            \
  "<HexahedronFEMForceField youngModulus='10000' poissonRatio='0.3'/></Node>"

static void the_warped_factor_turns_with_the_points(void **state)
{
  DV_UNUSED(state);
  Both b = open_both(WARPED, "turns", DV_COMPAT_WARP_ROTATIONS);
  long iterations[2] = {0, 0};
  for (int i = 0; i < 60; i++) {
    step_both(&b, 1);
    for (int k = 0; k < 2; k++) iterations[k] += (long)((const dvIterative *)check_find(b.mode[k], "cg"))->done;
  }
  double right = check_value(b.mode[RIGHT], "mo", DV_X, 3 * 80 + 1);
  compare(&b, "mo", DV_X, 3 * 80 + 1, right, right, 1e-5);   // both converge to the same motion
  if (2 * iterations[RIGHT] > iterations[SOFA]) print_error("%ld and %ld iterations\n", iterations[0], iterations[1]);
  assert_true(2 * iterations[RIGHT] < iterations[SOFA]);
  close_both(&b);
}

// the system that a preconditioner makes for itself is told of by the preconditioner
static void a_system_of_its_own_is_told_too(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><EulerImplicitSolver/><PCGLinearSolver iterations='9' tolerance='1e-9' "
                     "preconditioner='@warp'/><WarpPreconditioner name='warp' linearSolver='@direct'/><SparseLDLSolver "
                     "name='direct'/><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
                     "<UniformMass totalMass='1'/><HexahedronFEMForceField/></Node>",
                     "warp", DV_COMPAT_WARP_ROTATIONS);
  for (int mode = 0; mode < 2; mode++)
    assert_int_equal(dv_linear_solver(check_find(b.mode[mode], "warp"))->system->as_sofa, mode == SOFA);
  close_both(&b);
}

// two instruments in a node: each is damped by its mass
static void every_mass_of_a_node_damps(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver rayleighMass='1'/>"
                "<SparseLDLSolver/><MechanicalObject name='mo' template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 "
                "0 1  2 0 0 0 0 0 1  3 0 0 0 0 0 1' velocity='0 1 0 0 0 0  0 1 0 0 0 0  0 1 0 0 0 0  0 1 0 0 0 0'/>"
                "<MeshTopology edges='0 1  2 3'/><BeamInterpolation name='a' edgeList='0' lengthList='1'/>"
                "<BeamInterpolation name='b' edgeList='1' lengthList='1'/>"
                "<AdaptiveBeamForceFieldAndMass name='first' interpolation='@a'/>"
                "<AdaptiveBeamForceFieldAndMass name='last' interpolation='@b'/></Node>",
                "first", DV_COMPAT_LAST_MASS);
  step_both(&b, 1);
  compare(&b, "mo", DV_V, 1, 1 / 1.1, 1, 1e-9);
  compare(&b, "mo", DV_V, 19, 1 / 1.1, 1 / 1.1, 1e-9);
  close_both(&b);
}

// Frames whose quaternion has the square n of its length, 0.9997 of 1: q q* keeps what lies along the axis, (1 0 1),
// and makes the rest (1 - 2n)^2 times as long, so that the beam is too short at rest. Forces see its ends through q*
// alone, n times as far apart as they are.
static void beams_are_as_long_as_their_ends_are_apart(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver rayleighMass='0.1'/>"
                     "<SparseLDLSolver/><MechanicalObject name='mo' template='Rigid3' position='0 0 0 0.707 0 0.707 0  "
                     "0 0 1 0.707 0 0.707 0'/><MeshTopology edges='0 1'/><BeamInterpolation name='beams' radius='0.1'/>"
                     "<AdaptiveBeamForceFieldAndMass/></Node>",
                     "beams", DV_COMPAT_FRAME_LENGTH);
  double n = 2 * 0.707 * 0.707, shrink = pow(1 - 2 * n, 4), sofa = sqrt((1 + shrink) / 2);
  step_both(&b, 100);
  for (int mode = 0; mode < 2; mode++) {
    const dvBeams *beams = dv_beams(check_find(b.mode[mode], "beams"));
    const double *x = dv_state_read(dv_state(check_find(b.mode[mode], "mo")), DV_X);
    dvVec3 apart = dv_vec3_sub(dv_vec3_load(x + 7), dv_vec3_load(x));
    check_close(beams->lengthList.data[0], mode == SOFA ? sofa : 1, mode == SOFA ? 1e-7 : 1e-15);
    check_close(dv_vec3_norm(apart), mode == SOFA ? sofa / n : 1, mode == SOFA ? 1e-6 : 1e-15);
  }
  close_both(&b);
}

// A point lies 0.02 deep in a floor, k = k_1 k_2 / d = 5000; one step from rest.
#define FLOOR(body)                                                                                                   \
  "<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"              \
  "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"                            \
  "<CollisionResponse response='PenalityContactForceField'/><Node name='body'><EulerImplicitSolver rayleighMass='0' " \
  "rayleighStiffness='0'/>" body "</Node><Node name='floor'><MeshTopology position='-9 0 -9  9 0 9  9 0 -9' "         \
  "triangles='0 1 2'/><MechanicalObject/><TriangleCollisionModel simulated='0' moving='0' "                           \
  "contactStiffness='20'/></Node></Node>"

static Both both_on_floor(const char *text, dvCompatId id)
{
  Both b = {{check_scene(text, 1), check_scene_as_sofa(text, 1)}};
  step_both(&b, 1);
  for (int i = 0; i < 2; i++) {   // known when the contact is there
    dvObject *solver = check_find(b.mode[i], "body/solver");
    assert_true(dv_compat_touched(solver, id) || dv_compat_touched(dv_linear_solver(solver)->system, id));
  }
  return b;
}

static void obstacles_do_not_tie_a_body_to_its_first_points(void **state)
{
  DV_UNUSED(state);
  Both b = both_on_floor(FLOOR("<SparseLDLSolver name='solver'/><MechanicalObject name='mo' "
                               "position='0 5 -2  1 0.08 -2'/><UniformMass totalMass='4'/><PointCollisionModel "
                               "contactStiffness='25'/>"),
                         DV_COMPAT_OUTSIDE_ROWS);
  const double m = 2, h = 0.01, k = 20 * 25 / 0.1, depth = 0.02, weight = -h * m * 10;
  const double rhs = weight + h * k * depth, side = -h * h * k, own = m + h * h * k;
  compare(&b, "body/mo", DV_V, 1, weight / m, (weight * own - side * rhs) / (m * own - side * side), 1e-12);
  compare(&b, "body/mo", DV_V, 4, rhs / own, (m * rhs - side * weight) / (m * own - side * side), 1e-12);
  close_both(&b);
}

// the block (4, 0) of frames is at place 2 x 4 + 0 + 1 = 9, which is that of (3, 2)
static void far_blocks_stay_away_from_others(void **state)
{
  DV_UNUSED(state);
  Both b =
      both_on_floor(FLOOR("<BTDLinearSolver name='solver'/><MechanicalObject name='mo' template='Rigid3' position='"
                          "0 5 -2 0 0 0 1  1 5 -2 0 0 0 1  2 5 -2 0 0 0 1  3 5 -2 0 0 0 1  4 0.08 -2 0 0 0 1'/>"
                          "<UniformMass vertexMass='2 1 1 0 0 0 1 0 0 0 1'/><Node><MechanicalObject/>"
                          "<IdentityMapping/><PointCollisionModel contactStiffness='25'/></Node>"),
                    DV_COMPAT_FAR_BLOCKS);
  const double m = 2, h = 0.01, k = 20 * 25 / 0.1, depth = 0.02;
  compare(&b, "body/mo", DV_V, 2 * 6 + 1, -h * 10, -h * 10, 1e-15);
  compare(&b, "body/mo", DV_V, 3 * 6 + 1, -h * 10, -h * 10 * (1 + h * h * k / m), 1e-13);
  double tip = (-h * m * 10 + h * k * depth) / (m + h * h * k);
  compare(&b, "body/mo", DV_V, 4 * 6 + 1, tip, tip, 1e-12);
  close_both(&b);
}

// The angle at the first corner is 135 degrees, and the sphere lies beyond it: nearest is the edge to the third corner,
// not the line through the first two.
static void spheres_touch_triangles_where_they_are(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
      "<NewProximityIntersection name='method' alarmDistance='1' contactDistance='0.5'/><CollisionResponse/>"
      "<Node name='ball'><MechanicalObject position='-0.5 -0.1 0.3'/><SphereCollisionModel radius='0.1'/></Node>"
      "<Node name='floor'><MeshTopology position='0 0 0  1 0 0  -1 1 0' triangles='0 1 2'/><MechanicalObject/>"
      "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>";
  static const double on[2][2] = {{-0.2, 0.2}, {-0.5, 0}};
  Both b = {{check_scene(text, 1), check_scene_as_sofa(text, 1)}};
  step_both(&b, 1);
  for (int i = 0; i < 2; i++) {
    dvTouch touch;
    assert_true(dv_compat_touched(check_find(b.mode[i], "method"), DV_COMPAT_SPHERE_EDGES));
    assert_true(dv_scene_touch(b.mode[i], 0, &touch) && touch.count == 1);
    for (int k = 0; k < 2; k++) check_close(touch.contacts[0].point[0][k], on[i][k], 1e-15);
  }
  close_both(&b);
}

// Two particles of mass 2 that approach: the artificial viscosity of both modes by its formula, without pressure.
static void fluids_have_the_viscosity_of_their_units(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node gravity='0 0 0' dt='0.001'><EulerExplicitSolver/><MechanicalObject name='mo' position='0 0 0  "
                "0.3 0 0' velocity='0 0 0  -1.5 0 0'/><UniformMass vertexMass='2'/><SPHFluidForceField name='ff' "
                "radius='0.5' mass='2' pressure='0' viscosity='4' kernelType='1' viscosityType='2'/></Node>",
                "ff", DV_COMPAT_SPH_FLUID);
  step_both(&b, 1);
  // W(q) = 48/(pi h^3) (1/6 - q^2 + q^3) below 1/2 and (1 - q)^3/3 above; the gradient there is -c (1 - q)^2/q x
  const double h = 0.5, m = 2, q = 0.6, c = 48 / (M_PI * h * h * h);
  double rho = m * c * (1.0 / 6 + 0.4 * 0.4 * 0.4 / 3), slope = -c / (h * h) * 0.4 * 0.4 / q, speed = -1.5 * 0.3;
  double right = 4 * h * speed / ((0.09 + 0.01 * h * h) * rho) * m * m;
  double wrong = 4 * h * speed / ((q * q + (double)0.01f * h * h) * rho) * m;
  double push = slope * -0.3 * 0.001 / m;   // of the first particle, over a step
  compare(&b, "mo", DV_V, 0, right * push, wrong * push, 1e-12);
  close_both(&b);
}

// A mass tied to a point that moves by 1 m/s: it is where the point is, not where that was a step before.
static void what_is_moved_drags_others_along(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node gravity='0 0 0' dt='0.01'><FreeMotionAnimationLoop name='loop'/><BlockGaussSeidelConstraintSolver "
      "tolerance='1e-14'/><Node name='hand'><EulerImplicitSolver/>" CG "<MechanicalObject name='mo'/><UniformMass "
      "totalMass='1'/><LinearMovementProjectiveConstraint indices='0' keyTimes='0 10' movements='0 0 0 10 0 0'/>"
      "<UncoupledConstraintCorrection/></Node><Node name='mass'><EulerImplicitSolver/>" CG "<MechanicalObject "
      "name='mo'/><UniformMass totalMass='1'/><UncoupledConstraintCorrection/></Node><BilateralLagrangianConstraint "
      "object1='@hand/mo' object2='@mass/mo' first_point='0' second_point='0'/></Node>";
  Both b = {{check_scene(text, 1), check_scene_as_sofa(text, 1)}};
  step_both(&b, 10);
  double hand[2];
  for (int i = 0; i < 2; i++) {
    assert_true(dv_compat_touched(check_find(b.mode[i], "loop"), DV_COMPAT_HELD_MOTION));
    hand[i] = check_value(b.mode[i], "hand/mo", DV_X, 0);
  }
  check_close(hand[RIGHT], hand[SOFA], 1e-12);
  compare(&b, "mass/mo", DV_X, 0, hand[RIGHT], hand[SOFA] - 0.01, 1e-9);
  close_both(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_that_have_rest_positions_alone_start_there),
      cmocka_unit_test(states_that_have_velocities_alone_start_at_their_topology),
      cmocka_unit_test(attributes_are_read_in_double_precision),
      cmocka_unit_test(bdf_falls_as_fast_as_it_should),
      cmocka_unit_test(the_trapezoidal_rule_keeps_the_energy_of_an_oscillator),
      cmocka_unit_test(the_clock_of_several_collision_steps_is_right),
      cmocka_unit_test(the_mass_matrix_of_a_hexahedron_is_positive),
      cmocka_unit_test(hexahedra_have_the_inertia_of_their_mass),
      cmocka_unit_test(fine_cells_weigh_with_the_coefficient_of_their_mass),
      cmocka_unit_test(a_free_body_keeps_its_angular_momentum),
      cmocka_unit_test(a_range_up_to_the_last_point_counts),
      cmocka_unit_test(attached_points_are_held_in_matrices),
      cmocka_unit_test(points_with_a_velocity_move_with_the_clock),
      cmocka_unit_test(frames_turn_between_near_keys),
      cmocka_unit_test(splines_have_the_velocity_of_their_motion),
      cmocka_unit_test(the_warped_factor_turns_with_the_points),
      cmocka_unit_test(a_system_of_its_own_is_told_too),
      cmocka_unit_test(every_mass_of_a_node_damps),
      cmocka_unit_test(beams_are_as_long_as_their_ends_are_apart),
      cmocka_unit_test(obstacles_do_not_tie_a_body_to_its_first_points),
      cmocka_unit_test(far_blocks_stay_away_from_others),
      cmocka_unit_test(spheres_touch_triangles_where_they_are),
      cmocka_unit_test(fluids_have_the_viscosity_of_their_units),
      cmocka_unit_test(what_is_moved_drags_others_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
