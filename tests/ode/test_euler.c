// Integrators against closed forms: free fall, one oscillator, damping, first order, the solution of the linear system.
#include "support/check.h"
#include "support/scene.h"

#define FREE_FALL(solver)                                                           \
  "<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'>" solver \
  "<MechanicalObject name='mo' velocity='1 0 0'/><UniformMass totalMass='2'/></Node></Node>"
#define IMPLICIT(attributes) \
  "<EulerImplicitSolver " attributes "/><CGLinearSolver iterations='100' tolerance='1e-15' threshold='1e-40'/>"

// after n steps: v = n h g; x = h^2 g n (n + 1) / 2 with velocities first, n (n - 1) / 2 with positions first
static void free_fall_is_exact(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *scene;
    double factor;
  } cases[] = {{FREE_FALL("<EulerExplicitSolver/>"), 101},
               {FREE_FALL("<EulerExplicitSolver symplectic='0'/>"), 99},
               {FREE_FALL(IMPLICIT("")), 101}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvScene *s = check_scene(cases[i].scene, 1);
    check_steps(s, 100);
    check_close(check_value(s, "A/mo", DV_V, 1), -10, 1e-12);
    check_close(check_value(s, "A/mo", DV_X, 1), -10 * 1e-4 * 100 * cases[i].factor / 2, 1e-12);
    check_close(check_value(s, "A/mo", DV_X, 0), 1, 1e-12);
    check_close(s->root->time, 1, 1e-12);
    check_close_scene(&s);
  }
}

#define OSCILLATOR(solver)                                                              \
  "<Node gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'>" solver       \
  "<MechanicalObject name='mo' position='0 0 0 1.5 0 0'/><UniformMass vertexMass='1'/>" \
  "<SpringForceField spring='0 1 100 0 1'/><FixedProjectiveConstraint indices='0'/></Node></Node>"

// one step of backward Euler: (m + h rM m + h (h + rK) k) dv = h (f - (h + rK) k v - rM m v)
static void backward_euler_follows_its_formula(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *scene;
    double rm, rk, tr;
  } cases[] = {{OSCILLATOR(IMPLICIT("")), 0, 0, 1},
               {OSCILLATOR(IMPLICIT("rayleighMass='0.3' rayleighStiffness='0.02'")), 0.3, 0.02, 1},
               {OSCILLATOR(IMPLICIT("trapezoidalScheme='1'")), 0, 0, 0.5}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvScene *s = check_scene(cases[i].scene, 1);
    double h = 0.01, k = 100, x = 0.5, v = 0, rm = cases[i].rm, rk = cases[i].rk, tr = cases[i].tr;
    for (int n = 0; n < 50; n++) {
      double b = h * (-k * x - (h * tr + rk) * k * v - rm * v);
      double dv = b / (1 + tr * h * rm + tr * h * (tr * h + rk) * k);
      x += h * (v + tr * dv);
      v += dv;
    }
    check_steps(s, 50);
    check_close(check_value(s, "A/mo", DV_X, 3), 1 + x, 1e-12);
    check_close(check_value(s, "A/mo", DV_V, 3), v, 1e-11);
    check_close(check_value(s, "A/mo", DV_X, 0), 0, 0);
    check_close_scene(&s);
  }
}

// the symplectic scheme keeps x^2 + (v/w)^2 - h x v (exactly conserved for a linear spring)
static void symplectic_euler_keeps_its_invariant(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(OSCILLATOR("<EulerExplicitSolver/>"), 1);
  check_steps(s, 1000);
  double x = check_value(s, "A/mo", DV_X, 3) - 1, v = check_value(s, "A/mo", DV_V, 3);
  check_close(x * x + v * v / 100 - 0.01 * x * v, 0.25, 1e-10);
  check_close_scene(&s);
}

static void velocity_damping_decays_exponentially(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><Node name='A'>" IMPLICIT(
          "vdamping='2'") "<MechanicalObject name='mo' velocity='3 0 0'/><UniformMass totalMass='1'/></Node></Node>",
      1);
  check_steps(s, 100);
  check_close(check_value(s, "A/mo", DV_V, 0), 3 * exp(-2), 1e-12);
  check_close_scene(&s);
}

// (m + h k) v = f(x): the relaxation of a first-order system
static void first_order_relaxes(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(OSCILLATOR(IMPLICIT("firstOrder='1'")), 1);
  double h = 0.01, k = 100, x = 0.5;
  for (int n = 0; n < 20; n++) x += h * (-k * x) / (1 + h * k);
  check_steps(s, 20);
  check_close(check_value(s, "A/mo", DV_X, 3), 1 + x, 1e-12);
  check_close_scene(&s);
}

static void reset_returns_to_the_start(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(OSCILLATOR(IMPLICIT("")), 1);
  uint64_t before = dv_scene_hash(s);
  check_steps(s, 7);
  uint64_t after = dv_scene_hash(s);
  assert_true(before != after);
  dv_scene_reset(s);
  assert_true(dv_scene_hash(s) == before);
  check_close(s->root->time, 0, 0);
  check_steps(s, 7);
  assert_true(dv_scene_hash(s) == after);
  check_close_scene(&s);
}

static void divergence_ends_with_its_status(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 0 0' dt='1'><DefaultAnimationLoop/><Node name='A'><EulerExplicitSolver/>"
                           "<MechanicalObject name='mo' position='0 0 0 1.5 0 0'/><UniformMass vertexMass='1'/>"
                           "<SpringForceField spring='0 1 1e6 0 1'/></Node></Node>",
                           1);
  s->context->log.sink = NULL;
  dvStatus status = DV_OK;
  for (int i = 0; i < 1000 && status == DV_OK; i++) status = dv_scene_step(s, 0);
  assert_int_equal(status, DV_ERROR_DIVERGED);
  assert_int_equal(s->context->log.worst, DV_ERROR_DIVERGED);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_fall_is_exact),
      cmocka_unit_test(backward_euler_follows_its_formula),
      cmocka_unit_test(symplectic_euler_keeps_its_invariant),
      cmocka_unit_test(velocity_damping_decays_exponentially),
      cmocka_unit_test(first_order_relaxes),
      cmocka_unit_test(reset_returns_to_the_start),
      cmocka_unit_test(divergence_ends_with_its_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
