// Fluids on grids that come off walls and bodies: water falls from a ceiling as bodies fall, water at rest stays, drops
// keep their volume in flight, walls stand still whatever moves near them.
#include "fluid/cells/cells.h"
#include "fluid/cells/parts.h"
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>

static dvCells *grid(dvScene *s) { return dv_fluid_grid(check_find(s, "f")); }

static double number(dvScene *s, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, "f"), name)->value;
}

// how much there is in a cell
static double share(const dvCells *c, size_t at) { return fmin(fmax(0.5 - c->phi.data[at], 0), 1); }

// height of the middle of all fluid above the floor, in cells
static double middle(const dvCells *c)
{
  double sum = 0, high = 0;
  for (int k = dv_cells_first(c, 2); k <= dv_cells_last(c, 2); k++)
    for (int j = 1; j < c->n[1] - 1; j++)
      for (int i = 1; i < c->n[0] - 1; i++) {
        double a = share(c, dv_cells_at(c, i, j, k));
        sum += a, high += a * (j - 0.5);
      }
  return high / sum;
}

static double in_row(const dvCells *c, int j)
{
  double sum = 0;
  for (int k = dv_cells_first(c, 2); k <= dv_cells_last(c, 2); k++)
    for (int i = 1; i < c->n[0] - 1; i++) sum += share(c, dv_cells_at(c, i, j, k));
  return sum;
}

#define WATER(name, size, more)                                                                            \
  "<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><" name " name='f' " size " cellwidth='0.05' " \
  "tstop='0' " more "/>"

// A layer of water under the ceiling, from wall to wall: it falls g t^2 / 2. Held by suction it stays.
static void water_falls_from_a_ceiling(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      WATER("Fluid2D", "nx='22' ny='34'", "height='-24.5' dir='0 -1'") "</Node>",
      WATER("Fluid3D", "nx='12' ny='34' nz='10'", "height='-24.5' dir='0 -1 0'") "</Node>",
      WATER("Fluid2D", "nx='22' ny='34'", "height='-24.5' dir='0 -1' separates='0'") "</Node>"};
  for (size_t n = 0; n < DV_COUNT(scenes); n++) {
    dvScene *s = check_scene(scenes[n], 2);
    double start = middle(grid(s)), volume = number(s, "volume");
    check_close(start, 28, 1e-9);   // rows 25 to 32
    check_steps(s, 40);
    // it moves with the velocity of the step before
    double fall = (start - middle(grid(s))) * 0.05, free = 0.5 * 10 * 0.4 * 0.39;
    check_close(fall, n == 2 ? 0 : free, 0.02 * free);
    check_close(number(s, "volume"), volume, 0.01 * volume);
    check_close_scene(&s);
  }
}

// A drop that is thrown against the ceiling comes down again, and nothing of it is left up there.
static void a_drop_comes_off_the_ceiling(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      WATER("Fluid2D", "nx='34' ny='34'",
            "height='0'") "<FluidGridSource center='0.02 0.2 0' radius='0.25' velocity='0.3 6 0' stop='0.015'/></Node>",
      2);
  double touched = 0;
  for (int i = 0; i < 120; i++) {
    check_steps(s, 1);
    touched = fmax(touched, in_row(grid(s), 32));
  }
  assert_true(touched > 5);   // cells of water were at the ceiling
  check_close(in_row(grid(s), 32), 0, 0);
  assert_true(middle(grid(s)) < 8);
  check_close_scene(&s);
}

// Water at rest in a box with a bar in it: no wall lets go, nothing moves.
static void water_at_rest_stays(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      WATER("Fluid2D", "nx='34' ny='34'",
            "height='20.3'") "<Node><MeshTopology name='m' position='-0.2 -0.5 -1  0.3 "
                             "-0.5 -1  0.3 -0.2 -1  -0.2 -0.2 -1  -0.2 -0.5 1  0.3 -0.5 1  0.3 -0.2 1  -0.2 -0.2 1' "
                             "quads='0 3 2 1  4 5 6 7  "
                             "0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7'/><FluidGridObstacle topology='@m'/></Node></Node>",
      2);
  for (int i = 0; i < 30; i++) {
    check_steps(s, 1);
    const dvCells *c = grid(s);
    for (size_t at = 0; at < c->count; at++) assert_int_equal(c->loose.data[at], 0);
  }
  check_close(dv_cells_fastest(grid(s)), 0, 1e-3);
  check_close_scene(&s);
}

// Without the correction of volumes: drops of 3 and 1.5 cells in flight, over 100 steps.
static void drops_keep_their_volume_in_flight(void **state)
{
  DV_UNUSED(state);
  static const double radius[] = {3, 1.5, 3}, speed[] = {7, 7, 0};
  for (int n = 0; n < 3; n++) {
    char text[600];
    snprintf(text, sizeof text,
             "<Node dt='0.04' gravity='0 0 0'><DefaultAnimationLoop/><Fluid2D name='f' nx='64' ny='64' tstop='0' "
             "height='0' keepVolume='0'/><FluidGridSource center='-20 10.3 0' radius='%g' velocity='%g %g 0' "
             "stop='0.05'/></Node>",
             radius[n], speed[n], 0.4 * speed[n]);
    dvScene *s = check_scene(text, 2);
    check_steps(s, 2);
    double before = number(s, "volume");
    check_steps(s, 100);
    check_close(number(s, "volume"), before, (n == 0 ? 0.12 : n == 1 ? 0.3 : 0.001) * before);
    check_close_scene(&s);
  }
}

// A body that moves beside a wall: the wall does not.
static void walls_stand_still(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(WATER("Fluid2D", "nx='34' ny='34'",
                                 "height='20.3'") "<Node name='B'><MechanicalObject name='b' template='Rigid3' "
                                                  "position='0 -0.6 0 0 0 0 1' velocity='0.5 -1 0 0 0 0'/>"
                                                  "<Node><MeshTopology name='m' position='-0.1 -0.1 -1  0.1 -0.1 -1  "
                                                  "0.1 0.1 -1  -0.1 0.1 -1  -0.1 -0.1 1  0.1 -0.1 "
                                                  "1  0.1 0.1 1  -0.1 0.1 1' quads='0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5 "
                                                  " 2 3 7 6  3 0 4 7'/><FluidGridObstacle "
                                                  "topology='@m' body='@../b'/></Node></Node></Node>",
                           1);
  check_steps(s, 1);
  const dvCells *c = grid(s);
  double moving = 0;
  for (size_t i = 0; i < c->push.count; i++) moving = fmax(moving, fabs(c->push.data[i]));
  check_close(moving, 1, 1e-9);
  for (int i = 0; i < c->n[0]; i++) check_close(c->push.data[c->count + dv_cells_at(c, i, 1, 0)], 0, 0);
  check_close_scene(&s);
}

// What was let go is part of what is remembered: a scene that goes on from a memory has the same bits.
static void any_number_of_threads_gives_the_same_bits(void **state)
{
  DV_UNUSED(state);
  uint64_t hash[3];
  for (int threads = 1; threads <= 3; threads++) {
    dvScene *s =
        check_scene(WATER("Fluid3D", "nx='30' ny='34' nz='20'", "height='-24.5' dir='0.2 -1 0.1'") "</Node>", threads);
    check_steps(s, 12);
    size_t loose = 0;
    for (size_t i = 0; i < grid(s)->count; i++) loose += grid(s)->loose.data[i] != 0;
    assert_true(loose > 20);
    hash[threads - 1] = dv_scene_hash(s);
    check_close_scene(&s);
  }
  assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(water_falls_from_a_ceiling), cmocka_unit_test(a_drop_comes_off_the_ceiling),
      cmocka_unit_test(water_at_rest_stays),        cmocka_unit_test(drops_keep_their_volume_in_flight),
      cmocka_unit_test(walls_stand_still),          cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
