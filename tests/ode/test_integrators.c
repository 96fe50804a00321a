// What integrators do beside their order: damping, full mass matrices, frames, energies, reset, missing companions.
#include "base/file.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

#define CG "<CGLinearSolver iterations='200' tolerance='1e-15' threshold='1e-300'/>"
#define NEWTON                                                                                 \
  "<NewtonRaphsonSolver maxNbIterationsNewton='20' absoluteResidualStoppingThreshold='1e-13' " \
  "warnWhenLineSearchFails='0' warnWhenDiverge='0'/>"

// (1/h + r/2) v+ = (1/h - r/2) v- + f/m
static void central_differences_damp(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='-9.81 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'><CentralDifferenceSolver "
      "rayleighMass='3'/>"
      "<MechanicalObject name='mo' template='Vec1' position='1' rest_position='0'/><UniformMass totalMass='2'/>"
      "<RestShapeSpringsForceField points='0' stiffness='100'/></Node></Node>",
      1);
  double h = 0.01, r = 3, x = 1, v = 0;
  for (int n = 0; n < 50; n++) {
    v = ((1 / h - r / 2) * v + (-9.81 - 100 * x / 2)) / (1 / h + r / 2);
    x += h * v;
  }
  check_steps(s, 50);
  check_close(check_value(s, "A/mo", DV_X, 0), x, 1e-13);
  check_close(check_value(s, "A/mo", DV_V, 0), v, 1e-12);
  check_close_scene(&s);
}

static void velocities_decay_and_stop(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><Node "
                           "name='A'><EulerExplicitSolver/><DampVelocitySolver rate='2' threshold='0.5'/>"
                           "<MechanicalObject name='mo' position='0 0 0 0 0 0' velocity='3 0 4 0 0.6 0'/><UniformMass "
                           "vertexMass='1'/></Node></Node>",
                           1);
  check_steps(s, 1);
  check_close(check_value(s, "A/mo", DV_V, 0), 3 * exp(-0.2), 1e-14);
  check_close(check_value(s, "A/mo", DV_V, 2), 4 * exp(-0.2), 1e-14);
  check_close(check_value(s, "A/mo", DV_V, 4), 0, 0);          // 0.49 is below the threshold
  check_close(check_value(s, "A/mo", DV_X, 4), 0.06, 1e-15);   // it had moved by then
  check_close_scene(&s);
}

// a full mass matrix is inverted by the linear solver: a weight and its mass fall with g
#define FULL_MASS                                                                            \
  "<TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0 1.5 2 0' triangles='0 1 2 1 3 " \
  "2'/><TriangleSetGeometryAlgorithms/>"                                                     \
  "<MechanicalObject name='mo'/><MeshMatrixMass massDensity='2'/>"
static void full_mass_matrices_need_a_linear_solver(void **state)
{
  DV_UNUSED(state);
  const char *solvers[] = {"EulerExplicitSolver", "RungeKutta2Solver", "RungeKutta4Solver", "CentralDifferenceSolver",
                           "VariationalSymplecticSolver explicitIntegration='1'"};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'><%s/>" CG FULL_MASS
             "</Node></Node>",
             solvers[i]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 10);
    for (size_t k = 0; k < 4; k++) check_close(check_value(s, "A/mo", DV_V, 3 * k + 1), -1, 1e-12);
    check_close_scene(&s);
    snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><Node name='A'><%s/>" FULL_MASS "</Node></Node>",
             solvers[i]);
    assert_true(fd_fails(text));
  }
}

static int warnings;
static void count_warnings(void *user, const dvMessage *m)
{
  DV_UNUSED(user);
  if (m->level == DV_WARNING && strstr(m->text, "has no mass") && m->advice) warnings++;
}

static void a_missing_mass_is_told_before_the_first_step(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *content;
    int told;
  } cases[] = {
      {"<EulerExplicitSolver/><MechanicalObject/>", 1},
      {"<RungeKutta4Solver/><MechanicalObject/>", 1},
      {"<EulerImplicitSolver/>" CG "<MechanicalObject/><Node><MechanicalObject/><UniformMass/></Node>", 1},
      {"<NewmarkImplicitSolver/>" CG "<MechanicalObject/><UniformMass/>", 0},
      {"<EulerImplicitSolver/>" CG
       "<MechanicalObject/><Node><MechanicalObject/><IdentityMapping/><UniformMass/></Node>",
       0},
      {"<StaticSolver/>" CG NEWTON "<MechanicalObject/>", 0},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvContext *context = dv_divan_create(1);
    context->log.sink = count_warnings;
    warnings = 0;
    char text[1024];
    snprintf(text, sizeof text, "<Node>%s</Node>", cases[i].content);
    dvScene *s = NULL;
    assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &s), DV_OK);
    assert_int_equal(dv_scene_init(s), DV_OK);
    if (warnings != cases[i].told) print_error("%s: %d warnings\n", cases[i].content, warnings);
    assert_int_equal(warnings, cases[i].told);
    assert_int_equal(dv_scene_step(s, 0), DV_OK);
    check_close_scene(&s);
  }
}

static void implicit_integrators_need_a_linear_solver(void **state)
{
  DV_UNUSED(state);
  const char *solvers[] = {"EulerImplicitSolver", "NewmarkImplicitSolver", "VariationalSymplecticSolver",
                           "StaticSolver", "BDFOdeSolver"};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char text[512];
    snprintf(text, sizeof text, "<Node><%s/>" NEWTON "<MechanicalObject/><UniformMass/></Node>", solvers[i]);
    assert_true(fd_fails(text));
  }
  // in a node below it is found as well
  dvScene *s =
      check_scene("<Node gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><EulerImplicitSolver/><Node name='A'>" CG
                  "<MechanicalObject name='mo'/><UniformMass totalMass='1'/></Node></Node>",
                  1);
  check_steps(s, 1);
  check_close(check_value(s, "A/mo", DV_V, 1), -1, 1e-14);
  check_close_scene(&s);
}

// a body that turns with a constant angular velocity about an axis: exp(t w / 2)
static void frames_turn_with_every_integrator(void **state)
{
  DV_UNUSED(state);
  const char *solvers[] = {"<EulerExplicitSolver/>",
                           "<RungeKutta2Solver/>",
                           "<RungeKutta4Solver/>",
                           "<CentralDifferenceSolver/>",
                           "<EulerImplicitSolver/>" CG,
                           "<NewmarkImplicitSolver/>" CG,
                           "<BDFOdeSolver/>" CG NEWTON,
                           "<BDFOdeSolver order='3' keepHistory='1'/>" CG NEWTON,
                           "<VariationalSymplecticSolver/>" CG};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "<Node gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'>%s"
             "<MechanicalObject name='mo' template='Rigid3' position='1 2 3 0 0 0 1' velocity='1 0 0 0.6 0 "
             "0.8'/><UniformMass vertexMass='1 1 [1 0 0 0 1 0 0 0 1]'/></Node></Node>",
             solvers[i]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 100);
    const double wanted[] = {2, 2, 3, 0.6 * sin(0.5), 0, 0.8 * sin(0.5), cos(0.5)};
    for (size_t k = 0; k < 7; k++) check_close(check_value(s, "A/mo", DV_X, k), wanted[k], 1e-10);
    check_close_scene(&s);
  }
}

static const char *const oscillator =
    "<MechanicalObject name='mo' template='Vec1' position='1' rest_position='0'/><UniformMass totalMass='1'/>"
    "<RestShapeSpringsForceField points='0' stiffness='100'/>";

// potential energy from the work of the force at the midpoint: exact for a linear spring, so H stays what it is at the
// start
static void the_hamiltonian_is_kept(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *file = dv_format("%s/energy.csv", directory), text[1024];
  snprintf(
      text, sizeof text,
      "<Node gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'>"
      "<VariationalSymplecticSolver name='solver' steps='10' newtonError='1e-15' saveEnergyInFile='1' file='%s'/>" CG
      "%s</Node></Node>",
      file, oscillator);
  dvScene *s = check_scene(text, 1);
  const dvField *energy = dv_object_field(check_find(s, "A/solver"), "hamiltonianEnergy");
  for (int i = 0; i < 100; i++) {
    check_steps(s, 1);
    check_close(*(const double *)energy->value, 50, 1e-10);
  }
  check_close_scene(&s);
  size_t length;
  char *content = dv_file_read(file, &length);
  assert_non_null(content);
  int lines = 0;
  for (size_t i = 0; i < length; i++) lines += content[i] == '\n';
  assert_int_equal(lines, 101);   // and a headline
  dv_free(content);
  dv_free(file);
  check_rmdir(directory);
}

static void reset_starts_anew(void **state)
{
  DV_UNUSED(state);
  const char *solvers[] = {"<RungeKutta4Solver/>", "<NewmarkImplicitSolver/>" CG,
                           "<BDFOdeSolver order='3' keepHistory='1'/>" CG NEWTON, "<VariationalSymplecticSolver/>" CG,
                           "<StaticSolver/>" CG NEWTON};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "<Node gravity='-3 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'>%s%s</Node></Node>", solvers[i],
             oscillator);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 7);
    uint64_t hash = dv_scene_hash(s);
    dv_scene_reset(s);
    check_steps(s, 7);
    assert_true(dv_scene_hash(s) == hash);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(central_differences_damp),
      cmocka_unit_test(velocities_decay_and_stop),
      cmocka_unit_test(full_mass_matrices_need_a_linear_solver),
      cmocka_unit_test(a_missing_mass_is_told_before_the_first_step),
      cmocka_unit_test(implicit_integrators_need_a_linear_solver),
      cmocka_unit_test(frames_turn_with_every_integrator),
      cmocka_unit_test(the_hamiltonian_is_kept),
      cmocka_unit_test(reset_starts_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
