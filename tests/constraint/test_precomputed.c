// PrecomputedConstraintCorrection: beside LinearSolverConstraintCorrection on a linear body and on one that turns,
// frames whose inertia turns with them, the file and what makes it worthless, bad input.
#include "base/file.h"
#include "constraint/lagrangian/problem.h"
#include "math/vec.h"
#include "mechanics/mechanics.h"
#include "support/check.h"
#include "support/count.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINEAR "<LinearSolverConstraintCorrection/>"

// a bar with a fixed end whose other end, mapped, is held by a constraint
static dvScene *bar(const char *solver, const char *correction, const char *method, int threads)
{
  char *text = dv_format(
      "<Node dt='0.02' gravity='0 -9.81 0'><FreeMotionAnimationLoop/>"
      "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-13' maxIterations='1000'/>"
      "<Node name='bar'><EulerImplicitSolver rayleighStiffness='0.01'/>%s"
      "<RegularGridTopology n='6 3 3' min='0 0 0' max='2.5 1 1'/><MechanicalObject name='x'/>"
      "<UniformMass totalMass='3'/><HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3' method='%s'/>"
      "<FixedProjectiveConstraint indices='0 6 12 18 24 30 36 42 48'/>%s"
      "<Node name='tip'><MechanicalObject name='x' position='2.4 0.4 0.5  2.3 0.6 0.3  0.1 0.2 0.2'/>"
      "<BarycentricMapping/>"
      "<FixedLagrangianConstraint name='held' indices='0 1 2'/></Node></Node></Node>",
      solver, method, correction);
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  return s;
}

static double apart(dvScene *a, dvScene *b, const char *path, int id)
{
  dvState *first = dv_state(check_find(a, path)), *second = dv_state(check_find(b, path));
  const double *x = dv_state_read(first, id), *y = dv_state_read(second, id);
  double most = 0;
  for (size_t i = 0; i < first->count * (size_t)first->base.dof->deriv; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

// where the matrix never changes, nothing distinguishes the two; the solver of the free motion does not matter
static void linear_body(void **state)
{
  DV_UNUSED(state);
  static const char *const free_motion[] = {"<SparseLDLSolver/>",
                                            "<CGLinearSolver iterations='500' tolerance='1e-15' threshold='1e-25'/>"};
  for (size_t i = 0; i < DV_COUNT(free_motion); i++) {
    dvScene *a = bar("<SparseLDLSolver/>", LINEAR, "small", 1);
    dvScene *b = bar(free_motion[i], "<PrecomputedConstraintCorrection name='c'/>", "small", 1);
    check_steps(a, 30);
    check_steps(b, 30);
    assert_true(fabs(check_value(a, "bar/x", DV_X, 3 * 2 + 1)) > 1e-3);   // it bends
    check_close(apart(a, b, "bar/x", DV_X), 0, 1e-9);
    check_close(apart(a, b, "bar/x", DV_V), 0, 1e-7);
    check_close_scene(&a);
    check_close_scene(&b);
  }
}

// W of the constraints of a scene as they stand
static void compliance_of(dvScene *s, dvConstraintProblem *p)
{
  dvConstraintStep now = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = 0.02};
  assert_int_equal(dv_problem_collect(p, s->plan, &now), DV_OK);
  assert_int_equal(dv_problem_compliance(p, s->plan, &now), DV_OK);
}

// how far W of `b` is from that of `a`, as part of it
static double difference_of_w(dvScene *a, dvScene *b)
{
  dvConstraintProblem p = {0}, q = {0};
  compliance_of(a, &p);
  compliance_of(b, &q);
  assert_int_equal(p.rows, q.rows);
  assert_true(p.rows > 0);
  double difference = 0, size = 0;
  for (size_t i = 0; i < p.rows * p.rows; i++) {
    difference += pow(p.w.data[i] - q.w.data[i], 2);
    size += pow(p.w.data[i], 2);
  }
  dv_problem_free(&p);
  dv_problem_free(&q);
  return sqrt(difference / size);
}

// a rod of rigid or soft material that spins about the axis 1 1 1 and is held at a point from `time` on
static dvScene *spinning(const char *body, const char *correction)
{
  char *text = dv_format("<Node dt='0.02' gravity='0 0 0'><FreeMotionAnimationLoop/>"
                         "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-12'/>"
                         "<Node name='rod'><EulerImplicitSolver/><SparseLDLSolver/>%s%s</Node></Node>",
                         body, correction);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void turn_about_diagonal(dvScene *s, double angle)
{
  dvState *x = dv_state(check_find(s, "rod/x"));
  double *to = dv_state_write(x, DV_X), k = 1 / sqrt(3.0);
  const double *rest = dv_state_read(x, DV_X_REST);
  dvQuat q = dv_quat_from_axis(dv_vec3(k, k, k), angle);
  for (size_t i = 0; i < x->count; i++) {
    size_t at = i * (size_t)x->base.dof->coord;
    dv_vec3_store(to + at, dv_quat_rotate(q, dv_vec3_load(rest + at)));
    if (x->base.dof->kind == DV_RIGID3) dv_quat_store(to + at + 3, dv_quat_mul(q, dv_quat_load(rest + at + 3)));
  }
  dv_mech_propagate_x(s->plan, DV_X);
}

// a body that has turned as a whole: turning the compliance is exact
static void body_that_has_turned(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *body;
    double without;   // at least this much is wrong if it does not turn
  } cases[] = {
      {"<RegularGridTopology n='5 3 2' min='-1 -0.5 -0.2' max='1 0.5 0.2'/><MechanicalObject name='x'/>"
       "<UniformMass totalMass='2'/><HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3' method='polar'/>"
       "<FixedLagrangianConstraint indices='0 4 11'/>",
       0.05},
      {"<MechanicalObject name='x' template='Rigid3' position='0.1 0.2 0.3 0.5 0.5 0.5 0.5  1 0 0 0 0 0.6 0.8'/>"
       "<UniformMass vertexMass='2 1 [0.3 0 0 0 0.02 0 0 0 0.1]'/><FixedLagrangianConstraint indices='0 1'/>",
       0.2},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    for (int turns = 0; turns < 2; turns++) {
      dvScene *a = spinning(cases[i].body, LINEAR);
      dvScene *b = spinning(cases[i].body, turns ? "<PrecomputedConstraintCorrection rotations='1'/>"
                                                 : "<PrecomputedConstraintCorrection/>");
      turn_about_diagonal(a, 1.3);
      turn_about_diagonal(b, 1.3);
      check_steps(a, 1);   // a builds its matrix in the turned position
      turn_about_diagonal(a, 1.3);
      double wrong = difference_of_w(a, b);
      if (turns) assert_true(wrong < 1e-6);
      else assert_true(wrong > cases[i].without);
      check_close_scene(&a);
      check_close_scene(&b);
    }
}

// --- the file ----------------------------------------------------------------------------------------

static char directory[] = "/tmp/divan-precomputed-XXXXXX";

static double run_with(const char *attributes, const char *young)
{
  char *correction = dv_format("<PrecomputedConstraintCorrection fileDir='%s' %s/>", directory, attributes);
  char *solver = dv_format("<SparseLDLSolver/><RestShapeSpringsForceField points='7' stiffness='%s'/>", young);
  dvScene *s = bar(solver, correction, "small", 1);
  check_steps(s, 5);
  double x = check_value(s, "bar/x", DV_X, 3 * 2 + 1);
  check_close_scene(&s);
  dv_free(correction);
  dv_free(solver);
  return x;
}

static char *bytes_of(const char *path, size_t *length)
{
  char *bytes = dv_file_read(path, length);
  assert_non_null(bytes);
  return bytes;
}

static void write_bytes(const char *path, const char *bytes, size_t length)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, length, f), length);
  fclose(f);
}

static void is_kept_in_a_file(void **state)
{
  DV_UNUSED(state);
  assert_non_null(mkdtemp(directory));
  char *path = dv_path_join(directory, "bar-162-0.02.comp");
  size_t length, other, rows = 162;
  double fresh = run_with("recompute='1'", "10");
  char *kept = bytes_of(path, &length), *head = strchr(kept, '\n') + 1;
  assert_int_equal(length - (size_t)(head - kept), rows * rows * sizeof(double));
  // other numbers tell that they were read
  double *numbers = (double *)dv_alloc(rows * rows * sizeof *numbers);
  memcpy(numbers, head, rows * rows * sizeof *numbers);
  for (size_t i = 0; i < rows; i++) numbers[i * (rows + 1)] *= 1.5;
  memcpy(head, numbers, rows * rows * sizeof *numbers);
  write_bytes(path, kept, length);
  double changed = run_with("", "10");
  assert_true(fabs(changed - fresh) > 1e-9);
  assert_true(run_with("recompute='1'", "10") == fresh);   // which writes it again
  assert_true(run_with("", "10") == fresh);
  // of another scene: computed again, and the file is that of the new one
  write_bytes(path, kept, length);
  run_with("", "11");
  char *newer = bytes_of(path, &other);
  assert_true(other == length && memcmp(newer, kept, (size_t)(head - kept)) != 0);
  dv_free(newer);
  // damaged: too short, not finite
  write_bytes(path, kept, length - 8);
  assert_true(run_with("", "10") == fresh);
  dv_free(kept);
  kept = bytes_of(path, &length);
  head = strchr(kept, '\n') + 1;
  memcpy(head + 80, &(double){NAN}, sizeof(double));
  write_bytes(path, kept, length);
  assert_true(run_with("", "10") == fresh);
  // a file of SOFA's has no head
  char *raw = dv_path_join(directory, "raw.comp"), *named = dv_format("fileCompliance='%s'", raw);
  write_bytes(raw, (const char *)numbers, rows * rows * sizeof *numbers);
  assert_true(run_with(named, "10") == changed);
  // what cannot be written is told, and the scene runs
  assert_true(run_with("fileCompliance='/nowhere/at/all.comp'", "10") == fresh);
  remove(raw);
  remove(path);
  assert_int_equal(rmdir(directory), 0);   // nothing else was left there
  dv_free(named);
  dv_free(raw);
  dv_free(numbers);
  dv_free(kept);
  dv_free(path);
}

// --- steps -------------------------------------------------------------------------------------------

static void same_bits_and_no_allocations(void **state)
{
  DV_UNUSED(state);
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads++) {
    dvScene *s = bar("<SparseLDLSolver/>", "<PrecomputedConstraintCorrection rotations='1'/>", "large", threads);
    check_steps(s, 5);
    size_t before = check_allocations();
    check_steps(s, 15);
    if (threads == 1) assert_int_equal(check_allocations(), before);
    if (threads > 1) assert_true(dv_scene_hash(s) == hash);
    hash = dv_scene_hash(s);
    check_close_scene(&s);
  }
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  static const char *const bodies[] = {
      "<PrecomputedConstraintCorrection/>",
      "<MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/><PrecomputedConstraintCorrection/>",
      "<EulerExplicitSolver/><MechanicalObject position='0 0 0'/><PrecomputedConstraintCorrection/>",
      "<EulerImplicitSolver/><CGLinearSolver/><MechanicalObject position='0 0 0'/>"   // singular
      "<PrecomputedConstraintCorrection/>",
  };
  for (size_t i = 0; i < DV_COUNT(bodies); i++) {
    char *text = dv_format("<Node><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><Node>%s</Node></Node>",
                           bodies[i]);
    dvContext *context = dv_divan_create(1);
    dvScene *scene = NULL;
    context->log.sink = NULL;
    dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
    if (status == DV_OK) status = dv_scene_init(scene);
    assert_int_not_equal(status, DV_OK);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&context);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_body),       cmocka_unit_test(body_that_has_turned),
      cmocka_unit_test(is_kept_in_a_file), cmocka_unit_test(same_bits_and_no_allocations),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
