// Robots of scenes/lattice: how far they come, what they weigh, that stiff parts stay stiff, that sets of actuators act
// for themselves.
#include "support/check.h"
#include "support/scene.h"

#include "lattice/spring_lattice.h"

static double mean(dvScene *s, int axis)
{
  dvState *state = dv_state(check_find(s, "Robot/dofs"));
  const double *x = dv_state_read(state, DV_X);
  double sum = 0;
  for (size_t i = 0; i < state->count; i++) sum += x[3 * i + (size_t)axis];
  return sum / (double)state->count;
}

static double extent(dvScene *s, int axis)
{
  dvState *state = dv_state(check_find(s, "Robot/dofs"));
  const double *x = dv_state_read(state, DV_X);
  double low = INFINITY, high = -INFINITY;
  for (size_t i = (size_t)axis; i < 3 * state->count; i += 3) low = fmin(low, x[i]), high = fmax(high, x[i]);
  return high - low;
}

static double weight(dvScene *s)
{
  const dvSpringLattice *l = (const dvSpringLattice *)check_find(s, "Robot/lattice");
  double sum = 0;
  for (size_t i = 0; i < l->state->count; i++) sum += l->mass[i];
  return sum;
}

// mean and largest strain of the springs with both ends in a list of points
static double strain(dvScene *s, const dvInts *points, double *most)
{
  const dvSpringLattice *l = (const dvSpringLattice *)check_find(s, "Robot/lattice");
  const double *x = dv_state_read(l->state, DV_X), *rest = l->rest.data;
  uint8_t *in = dv_alloc(l->state->count);
  double sum = 0, count = 0;
  *most = 0;
  for (size_t i = 0; i < points->count; i++) in[points->data[i]] = 1;
  for (size_t i = 0; i < dv_ints_size(&l->springs); i++) {
    size_t a = (size_t)l->springs.data[2 * i], b = (size_t)l->springs.data[2 * i + 1];
    if (!in[a] || !in[b]) continue;
    double r = 0, length = 0;
    for (size_t k = 0; k < 3; k++) {
      r += pow(x[3 * b + k] - x[3 * a + k], 2);
      length += pow(rest[3 * b + k] - rest[3 * a + k], 2);
    }
    double e = sqrt(r / length) - 1;
    sum += e, count++;
    *most = fmax(*most, fabs(e));
  }
  dv_free(in);
  return sum / count;
}

static void walker(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/lattice/walker.scn", 1);
  check_close(weight(s), 0.96, 1e-9);
  check_steps(s, 100);   // half a cycle to begin with
  for (int cycle = 0; cycle < 2; cycle++) {
    double before = mean(s, 0);
    check_steps(s, 200);
    double way = (mean(s, 0) - before) / 0.2;
    print_message("the walker comes %.3f body lengths on in a cycle\n", way);
    if (way < 0.2) fail_msg("the walker comes %g body lengths on in a cycle", way);
  }
  assert_true(mean(s, 1) > 0.07 && fabs(mean(s, 2)) < 0.05);   // upright, and straight on
  check_close_scene(&s);
}

// each set alone: its own region swells, the others stay
static void sets_alone(void **state)
{
  DV_UNUSED(state);
  static const char *const sets[] = {"leg1", "leg2", "leg3", "leg4", "body"};
  for (int k = 0; k < 5; k++) {
    dvScene *s = check_scene_file("scenes/lattice/walker.scn", 1);
    for (int i = 0; i < 5; i++) {
      char *path = dv_format("Robot/%s", sets[i]);
      dvObject *actuator = check_find(s, path);
      assert_int_equal(dv_object_set(actuator, "length", i == k ? "1.2" : "1"), DV_OK);
      assert_int_equal(actuator->cls->reinit(actuator), DV_OK);
      dv_free(path);
    }
    check_steps(s, 40);
    for (int i = 0; i < 5; i++) {
      char *path = dv_format("Robot/%s", sets[i]);
      double most, e = strain(s, &((dvLatticeActuator *)check_find(s, path))->indices, &most);
      print_message("%s alone: %s is strained by %.4f\n", sets[k], sets[i], e);
      if (i == k && e < 0.012) fail_msg("%s: its region is strained by %g", sets[i], e);
      if (i != k && fabs(e) > 0.006) fail_msg("%s acts on the region of %s: %g", sets[k], sets[i], e);
      dv_free(path);
    }
    check_close_scene(&s);
  }
}

static void motors(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/lattice/motors.scn", 1);
  const dvInts *body = &((dvLatticeMaterial *)check_find(s, "Robot/LatticeMaterial1"))->indices;
  check_close(weight(s), 0.528, 1e-9);
  double turn = 2 * acos(-1.0) / 6, most, worst = 0;
  int steps = (int)round(turn / 0.004);
  check_steps(s, 150);   // they have their speed
  double before = mean(s, 0);
  for (int i = 0; i < steps; i++) {
    check_steps(s, 1);
    strain(s, body, &most);
    worst = fmax(worst, most);
  }
  double way = (mean(s, 0) - before) / 0.28;
  print_message("motors: %.3f body lengths in a turn, the stiff part is strained by %.4f\n", way, worst);
  if (way < 0.2) fail_msg("it comes %g body lengths on in a turn", way);
  if (worst > 0.01) fail_msg("the stiff part is strained by %g", worst);
  check_close_scene(&s);
}

static void actuator(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/lattice/actuator.scn", 1);
  check_steps(s, 260);
  print_message("higher by %.4f, wider by %.4f\n", extent(s, 1) / 0.12 - 1, extent(s, 0) / 0.04 - 1);
  check_close(extent(s, 1) / 0.12, 1.17, 0.01);
  check_close(extent(s, 0) / 0.04, 1.21, 0.01);
  check_close_scene(&s);
}

// a bone bends alike at two resolutions, cut into cubes or sampled
static void bone(void **state)
{
  DV_UNUSED(state);
  static const char *const names[] = {"Coarse", "Fine", "CoarseSamples", "FineSamples"};
  dvScene *s = check_scene_file("scenes/lattice/bone.scn", 1);
  double moved[4];
  check_steps(s, 250);
  for (int i = 0; i < 4; i++) {
    char *path = dv_format("%s/dofs", names[i]);
    dvState *d = dv_state(check_find(s, path));
    const double *x = dv_state_read(d, DV_X), *rest = dv_state_read(d, DV_X_REST);
    size_t low = 0;
    for (size_t k = 0; k < d->count; k++)
      if (rest[3 * k + 2] < rest[3 * low + 2]) low = k;
    moved[i] = x[3 * low] - rest[3 * low];
    print_message("%s: %zu points, lower end moves by %.4f m\n", names[i], d->count, moved[i]);
    check_close(moved[i], moved[0], 0.1 * moved[0]);
    dv_free(path);
  }
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(walker), cmocka_unit_test(sets_alone), cmocka_unit_test(motors),
                                     cmocka_unit_test(actuator), cmocka_unit_test(bone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
