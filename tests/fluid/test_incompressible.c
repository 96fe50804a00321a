// Fluids that keep their density: momentum alone and with bodies, columns at rest, shear, walls, adhesion, bad input.
#include "topology/report.h"

#include "base/random.h"
#include "fluid/flow.h"
#include "state/state.h"
#include "support/scene.h"

#include <math.h>

#define GRID(n, min, max)                                           \
  "<RegularGridTopology name='g' n='" n "' min='" min "' max='" max \
  "'/><MechanicalObject name='mo' position='@g.position'/>"
#define WATER(more) "<UniformMass vertexMass='1'/><IncompressibleFluidForceField name='fluid' radius='0.2' " more "/>"

static double field(dvScene *s, const char *path, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, path), name)->value;
}

static void shake(dvState *s, double x_size, double v_size)
{
  dvRandom random = dv_random_start(11);
  double *x = dv_state_write(s, DV_X), *v = dv_state_write(s, DV_V);
  for (size_t i = 0; i < 3 * s->count; i++) {
    x[i] += dv_random(&random, -x_size, x_size);
    v[i] += dv_random(&random, -v_size, v_size);
  }
}

// Gradients of the density, near walls too, are those of differences.
static void gradients_are_those_of_the_density(void **state)
{
  DV_UNUSED(state);
  static const double at[] = {0.02, 0.06, 0.03, 0.11, 0.03, 0.05, 0.05, 0.14, -0.02, -0.01, 0.17, 0.01};
  enum { COUNT = 4, WALLS = 9 };
  dvFlow f = {.radius = 0.2, .density = 1000, .mass = 1, .kernel = dv_smooth(DV_SMOOTH_CUBIC, 0.2)};
  double rho[2][COUNT], g[3];
  for (int axis = 0; axis < 6; axis++)    // normals this way, and that
    for (int run = 0; run < 3; run++) {   // the second particle there, here, and where it is
      assert_true(dv_flow_open(&f, COUNT, WALLS));
      for (size_t i = 0; i < 3 * COUNT; i++) f.places.data[i] = at[i];
      f.places.data[3 + axis % 3] += run == 0 ? 1e-6 : run == 1 ? -1e-6 : 0;
      for (size_t i = 0; i < WALLS; i++) {
        double *p = f.places.data + 3 * (COUNT + i);
        p[0] = 0.05 * (double)(i % 3), p[1] = 0, p[2] = 0.05 * (double)(i / 3);
      }
      assert_true(dv_flow_search(&f));
      for (size_t i = COUNT; i < COUNT + WALLS; i++) {
        f.normal.data[3 * (size_t)f.rank.data[i] + 1] = axis < 3 ? 1 : -1;
        f.weight.data[f.rank.data[i]] = 0.05 * 0.05;
      }
      dv_flow_measure(&f);
      for (size_t i = 0; i < COUNT && run < 2; i++) rho[run][i] = f.rho.data[f.rank.data[i]];
      if (run < 2) continue;
      for (size_t i = 0; i < COUNT; i++) {
        size_t r = (size_t)f.rank.data[i];
        dvFlowNear near = dv_flow_of(&f, r);
        double slope = 0;   // of its density, when the second moves
        for (size_t n = 0; n < near.all; n++) {
          for (int k = 0; k < 3; k++) g[k] = near.g[3 * n + (size_t)k];
          if (i == 1) slope += g[axis % 3];
          else if (near.list[n] == f.rank.data[1]) slope -= g[axis % 3];
        }
        check_close(slope, (rho[0][i] - rho[1][i]) / 2e-6, 1e-4 * 5000);
      }
    }
  dv_flow_free(&f);
}

// adds mass times velocity, and the size of what is added
static void add_momentum(dvState *s, double mass, double sum[4])
{
  const double *v = dv_state_read(s, DV_V);
  for (size_t i = 0; i < 3 * s->count; i++) sum[i % 3] += mass * v[i], sum[3] += fabs(mass * v[i]);
}

static void momentum_is_kept(void **state)
{
  DV_UNUSED(state);
  static const char *const fields[] = {"", "viscosity='20'", "surfaceTension='30' viscosity='1'",
                                       "period='0.6 0 0.4' viscosity='5000'"};
  for (size_t n = 0; n < DV_COUNT(fields); n++) {
    char *text =
        dv_format("<Node gravity='0 0 0' dt='0.004'><EulerExplicitSolver/>" GRID("6 5 4", "0 0 0", "0.5 0.4 0.3")
                      WATER("%s") "</Node>",
                  fields[n]);
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *scene = check_scene(text, threads);
      dvState *s = dv_state(check_find(scene, "mo"));
      double before[4] = {0}, after[4] = {0};
      shake(s, 0.02, 1);
      add_momentum(s, 1, before);
      check_steps(scene, 15);
      add_momentum(s, 1, after);
      for (int k = 0; k < 3; k++) check_close(after[k], before[k], 1e-12 * before[3]);
      assert_true(field(scene, "fluid", "solveError") <= 5e-4);
      hash[threads - 1] = dv_scene_hash(scene);
      check_close_scene(&scene);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    dv_free(text);
  }
}

// A sheet of two triangles, free to move, below the solver of the fluid or its own: together they keep their momentum.
#define SHEET(solver)                                                                                              \
  "<Node name='Sheet'>" solver                                                                                     \
  "<MeshTopology position='-0.3 -0.12 -0.3  0.9 -0.12 -0.3  0.9 -0.12 0.8  -0.3 -0.12 0.8' "                       \
  "triangles='0 1 2  0 2 3'/><MechanicalObject name='points' velocity='0 1 0  0 1 0  0 1 0  0 1 0'/><UniformMass " \
  "vertexMass='30'/><FluidBoundary name='wall' friction='3' adhesion='20'/></Node>"

// what a body with a solver of its own gets in the next step
static void add_pending(dvState *s, double dt, double sum[4])
{
  if (!dv_state_has(s, DV_F_EXTERNAL)) return;
  const double *f = dv_state_read(s, DV_F_EXTERNAL);
  for (size_t i = 0; i < 3 * s->count; i++) sum[i % 3] += dt * f[i];
}

static void bodies_and_fluids_push_each_other(void **state)
{
  DV_UNUSED(state);
  static const char *const texts[] = {
      "<Node gravity='0 0 0' dt='0.004'><EulerExplicitSolver/><Node name='Water'>" GRID("6 5 6", "0 0 0", "0.5 0.4 0.5")
          WATER("viscosity='2' surfaceTension='20'") "</Node>" SHEET("") "</Node>",
      "<Node gravity='0 0 0' dt='0.004'><DefaultAnimationLoop/><Node name='Water'><EulerExplicitSolver/>" GRID(
          "6 5 6", "0 0 0", "0.5 0.4 0.5") WATER("viscosity='2'") "</Node>" SHEET("<EulerExplicitSolver/>") "</Node>"};
  for (size_t n = 0; n < DV_COUNT(texts); n++) {
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *scene = check_scene(texts[n], threads);
      dvState *water = dv_state(check_find(scene, "Water/mo")), *sheet = dv_state(check_find(scene, "Sheet/points"));
      double before[4] = {0}, after[4] = {0}, pushed[4] = {0};
      shake(water, 0.01, 0.2);
      add_momentum(water, 1, before), add_momentum(sheet, 30, before);
      check_steps(scene, 30);
      add_momentum(water, 1, after), add_momentum(sheet, 30, after), add_momentum(sheet, 30, pushed);
      add_pending(sheet, 0.004, after);
      for (int k = 0; k < 3; k++) check_close(after[k], before[k], 1e-11 * before[3]);
      assert_true(pushed[1] < 110 && pushed[1] > 10);   // it had 120
      hash[threads - 1] = dv_scene_hash(scene);
      check_close_scene(&scene);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
  }
}

#define FLOOR(more)                                                                                              \
  "<Node name='Floor'><MeshTopology position='-0.5 0 -0.5  1.5 0 -0.5  1.5 0 1.5  -0.5 0 1.5' quads='0 1 2 3'/>" \
  "<MechanicalObject name='points'/><FluidBoundary name='wall' " more "/></Node>"

// The floor carries the weight, pressure grows with the depth, and the density is kept.
static void a_column_stands(void **state)
{
  DV_UNUSED(state);
  CHECK_LONG_MOTION();
  dvScene *scene = check_scene(
      "<Node gravity='0 -10 0' dt='0.004'><EulerExplicitSolver/>" GRID("5 10 5", "0.05 0.05 0.05", "0.45 0.95 0.45")
          WATER("period='0.5 0 0.5' viscosity='50'") FLOOR("") "</Node>",
      2);
  dvState *s = dv_state(check_find(scene, "mo")), *floor = dv_state(check_find(scene, "Floor/points"));
  check_steps(scene, 150);
  enum { STEPS = 50 };
  double carried = 0, moment = 0, highest = 0;
  const dvReals *p = dv_object_field(check_find(scene, "fluid"), "pressure")->value;
  for (int n = 0; n < STEPS; n++) {
    check_steps(scene, 1);
    assert_true(field(scene, "fluid", "densityError") < 1e-3);
    for (size_t i = 0; i < floor->count; i++) carried -= dv_state_read(floor, DV_F)[3 * i + 1] / STEPS;
    const double *x = dv_state_read(s, DV_X);
    for (size_t i = 0; i < s->count; i++) {
      highest = fmax(highest, x[3 * i + 1]);
      moment += p->data[i] / (STEPS * (double)s->count);
      assert_true(x[3 * i + 1] > 0.01);
    }
  }
  check_close(carried / (10 * (double)s->count), 1, 0.03);
  check_close(moment / (1000 * 10 * 0.5), 1, 0.06);   // in the mean half of that at the floor
  check_close(highest, 0.95, 0.03);
  check_close_scene(&scene);
}

// While a column falls apart the density is kept as well, once its lattice has found its distance from the walls.
static void a_column_falls(void **state)
{
  DV_UNUSED(state);
  CHECK_LONG_MOTION();
  dvScene *scene = check_scene(
      "<Node gravity='0 -10 0' dt='0.002'><EulerExplicitSolver/>" GRID("6 10 5", "0.05 0.05 0.05", "0.55 0.95 0.45")
          WATER("period='0 0 0.5'") FLOOR("") "</Node>",
      2);
  dvState *s = dv_state(check_find(scene, "mo"));
  check_steps(scene, 40);
  for (int n = 0; n < 110; n++) {
    check_steps(scene, 1);
    assert_true(field(scene, "fluid", "densityError") < 1e-3);
    assert_true(field(scene, "fluid", "solveError") <= 5e-4);
  }
  double front = 0;
  for (size_t i = 0; i < s->count; i++) front = fmax(front, dv_state_read(s, DV_X)[3 * i]);
  assert_true(front > 0.8);   // it has come apart
  check_close_scene(&scene);
}

// Syrup: two halves that slide past each other become one, in a step that is long for it.
static void syrup_sticks_together(void **state)
{
  DV_UNUSED(state);
  dvScene *scene =
      check_scene("<Node gravity='0 0 0' dt='0.02'><EulerExplicitSolver/>" GRID("6 6 6", "0 0 0", "0.5 0.5 0.5")
                      WATER("viscosity='10000'") "</Node>",
                  1);
  dvState *s = dv_state(check_find(scene, "mo"));
  double *v = dv_state_write(s, DV_V), sum = 0;
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++) v[3 * i + 2] = x[3 * i + 1] > 0.25 ? 0.1 : 0;
  check_steps(scene, 20);
  const double *w = dv_state_read(s, DV_V);
  for (size_t i = 0; i < s->count; i++) {
    check_close(w[3 * i + 2], 0.05, 0.005);
    sum += w[3 * i + 2] / (double)s->count;
  }
  check_close(sum, 0.05, 1e-13);
  check_close_scene(&scene);
}

// Single drops stop at a wall, from both sides, also where it moves.
static void drops_do_not_pass(void **state)
{
  DV_UNUSED(state);
  dvScene *scene =
      check_scene("<Node gravity='0 0 0' dt='0.004'><EulerExplicitSolver/><MechanicalObject name='mo' "
                  "position='0.1 0.4 0.1  0.63 0.4 0.57  0.5 -0.4 0.5  0.21 -0.5 0.83' velocity='0 -5 0  1 -3 0  "
                  "0 5 0  -0.5 2 0'/>" WATER("") FLOOR("friction='0'") "</Node>",
                  1);
  for (int i = 0; i < 60; i++) {
    check_steps(scene, 1);
    for (size_t p = 0; p < 4; p++) assert_true(check_value(scene, "mo", DV_X, 3 * p + 1) * (p < 2 ? 1 : -1) > 0.005);
  }
  for (size_t p = 0; p < 4; p++) check_close(check_value(scene, "mo", DV_X, 3 * p + 1), p < 2 ? 0.05 : -0.05, 0.05);
  check_close(check_value(scene, "mo", DV_V, 3), 1, 0.1);   // it slips
  assert_int_equal(*(const int32_t *)dv_object_field(check_find(scene, "Floor/wall"), "count")->value > 500, 1);
  check_close_scene(&scene);
}

// A ball that is known by its distances, as a formula or on a grid, hits the fluid: together they keep their momentum,
// and its moment reaches the frame.
static void distance_fields_are_walls(void **state)
{
  DV_UNUSED(state);
  static const char *const balls[] = {
      "<SphericalField name='ball' radius='0.3'/><FluidBoundary name='wall' field='@ball' friction='5' adhesion='10'/>",
      "<BlendedField name='both' operation='intersection' fields='@a @b'/><SphericalField name='a' radius='0.3'/>"
      "<SphericalField name='b' center='0.1 0 0' radius='0.3'/><FluidBoundary name='wall' field='@both'/>",
      "<RigidDistanceGridCollisionModel name='cube' filename='#cube' scale='0.3' nx='16' ny='16' nz='16'/>"
      "<FluidBoundary name='wall' field='@cube' friction='5'/>"};
  for (size_t n = 0; n < DV_COUNT(balls); n++) {
    char *text =
        dv_format("<Node gravity='0 0 0' dt='0.004'><EulerExplicitSolver/><Node name='Water'>" GRID("7 4 7", "0 0 0",
                                                                                                    "0.6 0.3 0.6")
                      WATER("viscosity='2'") "</Node><Node name='Ball'><MechanicalObject name='body' template='Rigid3' "
                                             "position='0.4 -0.36 0.3 0 0 0 1' velocity='0 1.5 0 0 0 0'/><UniformMass "
                                             "vertexMass='100 1 0.04 0 0 0 0.04 0 0 0 0.04'/>%s</Node></Node>",
                  balls[n]);
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *scene = check_scene(text, threads);
      dvState *water = dv_state(check_find(scene, "Water/mo")), *ball = dv_state(check_find(scene, "Ball/body"));
      double before[4] = {0, 150, 0, 150}, after[4] = {0};
      check_steps(scene, 30);
      add_momentum(water, 1, after);
      const double *v = dv_state_read(ball, DV_V);
      for (int k = 0; k < 3; k++) check_close(after[k] + 100 * v[k], before[k], 1e-10 * before[3]);
      assert_true(v[1] < 1.3 && v[1] > 0);
      if (n == 2) assert_true(fabs(v[5]) > 0.01);   // it is hit beside its middle
      hash[threads - 1] = dv_scene_hash(scene);
      // nothing has come in
      const double *x = dv_state_read(water, DV_X), *at = dv_state_read(ball, DV_X);
      for (size_t i = 0; i < water->count && n == 0; i++)
        assert_true(hypot(hypot(x[3 * i] - at[0], x[3 * i + 1] - at[1]), x[3 * i + 2] - at[2]) > 0.29);
      check_close_scene(&scene);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    dv_free(text);
  }
}

// Water stays in a bowl that is the inside of a ball, whose weight it carries.
static void a_bowl_holds_water(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene(
      "<Node gravity='0 -10 0' dt='0.004'><EulerExplicitSolver/>" GRID("5 5 5", "-0.2 -0.3 -0.2", "0.2 0.1 0.2")
          WATER("viscosity='20'") "<Node name='Bowl'><MechanicalObject name='body' template='Rigid3'/><UniformMass "
                                  "vertexMass='1 1 1 0 0 0 1 0 0 0 1'/>"
                                  "<SphericalField name='ball' radius='0.5'/><FluidBoundary name='wall' "
                                  "field='@ball'/><FixedProjectiveConstraint indices='0'/></Node></Node>",
      1);
  dvState *s = dv_state(check_find(scene, "mo")), *bowl = dv_state(check_find(scene, "Bowl/body"));
  check_steps(scene, 200);
  enum { STEPS = 50 };
  double carried = 0;
  for (int n = 0; n < STEPS; n++) {
    check_steps(scene, 1);
    carried -= dv_state_read(bowl, DV_F)[1] / STEPS;
  }
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++)
    assert_true(sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]) < 0.5);
  check_close((carried - 10) / (10 * (double)s->count), 1, 0.03);   // and the bowl of 1 kg
  check_close_scene(&scene);
}

// A layer below a ceiling: adhesion holds it against gravity, friction against sliding.
static void walls_hold_what_sticks(void **state)
{
  DV_UNUSED(state);
  for (int sticky = 0; sticky < 2; sticky++) {
    char *text = dv_format(
        "<Node gravity='3 -10 0' dt='0.004'><EulerExplicitSolver/>" GRID("5 1 5", "0.2 -0.06 0.2", "0.6 -0.06 0.6")
            WATER("") FLOOR("adhesion='%d' friction='%d'") "</Node>",
        sticky * 500, sticky * 2000);
    dvScene *scene = check_scene(text, 1);
    check_steps(scene, 100);
    double y = check_value(scene, "mo", DV_X, 37), x = check_value(scene, "mo", DV_X, 36);
    if (sticky) assert_true(y > -0.12 && x < 0.45);
    else assert_true(y < -0.5 && x > 0.5);
    check_close_scene(&scene);
    dv_free(text);
  }
}

static void limits_are_told(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node dt='0.05' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject position='0 0 0' "
                  "velocity='4 0 0'/>" WATER("surfaceTension='1000'") "</Node>");
  dv_scene_step(r.scene, 0);
  report_says(&r, "the limit is 0.0125 s");
  report_says(&r, "in which surface tension moves the shortest waves");
  report_end(&r);
  report_good(&r, "<Node><EulerExplicitSolver/><MechanicalObject/>" WATER("") "<ConstantForceField name='late' "
                                                                              "totalForce='1 0 0'/></Node>");
  report_says(&r, "late stands behind");
  report_end(&r);
  report_good(&r, "<Node><EulerExplicitSolver/><MechanicalObject/>" WATER("") "<Node><MeshTopology position='0 0 0'/>"
                                                                              "<FluidBoundary/></Node></Node>");
  dv_scene_step(r.scene, 0);
  report_says(&r, "the wall has no faces");
  report_end(&r);
  report_good(&r,
              "<Node><EulerExplicitSolver/><MechanicalObject/>" WATER("") "<Node><SphericalField name='f' "
                                                                          "center='9 0 0'/>"
                                                                          "<FluidBoundary field='@f'/></Node></Node>");
  dv_scene_step(r.scene, 0);
  report_says(&r, "the field has no surface in the box");
  report_end(&r);
}

static void bad_fluids_are_refused(void **state)
{
  DV_UNUSED(state);
#define ONE(fields) "<Node><MechanicalObject/>" WATER(fields) "</Node>"
  static const Refusal cases[] = {
      {"<Node><MechanicalObject/><UniformMass/><IncompressibleFluidForceField radius='0'/></Node>",
       "a radius of 0 is none"},
      {"<Node><MechanicalObject/><UniformMass/><IncompressibleFluidForceField tolerance='1e300'/></Node>",
       "a tolerance of 1e+300"},
      {"<Node><MechanicalObject/><IncompressibleFluidForceField/></Node>", "the particles have no mass"},
      {ONE("density='-1'"), "a density of -1 is none"},
      {ONE("viscosity='-1'"), "a viscosity of -1 makes no sense"},
      {ONE("surfaceTension='nan'"), "a finite number expected"},
      {ONE("tolerance='0'"), "cannot be reached"},
      {ONE("period='0.1 0 0'"), "shorter than two radii"},
      {"<Node><FluidBoundary/></Node>", "there is no mesh to make a wall of"},
      {"<Node><MeshTopology position='0 0 0'/><MechanicalObject template='Rigid3'/><FluidBoundary/></Node>",
       "not points"},
      {"<Node><MeshTopology position='0 0 0'/><FluidBoundary spacing='-1'/></Node>", "a spacing of -1 is none"},
      {"<Node><MeshTopology name='m'/><FluidBoundary field='@m'/></Node>", "m is no distance field"},
      {"<Node><SphericalField name='f'/><FluidBoundary field='@f' min='0 0 0' max='1 0 1'/></Node>", "holds nothing"},
      {"<Node><SphericalField name='f'/><MechanicalObject name='p'/><FluidBoundary field='@f' state='@p'/></Node>",
       "frames carry a field"},
  };
  report_refused(cases, DV_COUNT(cases));
  // bounded: a wall that would need millions of samples, a mass of 0, particles that are all in one place
  static const struct {
    const char *text, *says;
  } runs[] = {
      {"<Node><EulerExplicitSolver/><MechanicalObject/>" WATER(
           "") "<Node><MeshTopology position='0 0 0  9e5 0 0  0 9e5 0' "
               "triangles='0 1 2'/><FluidBoundary/></Node></Node>",
       "more than 5000000 samples"},
      {"<Node><EulerExplicitSolver/><RegularGridTopology name='g' n='20 20 20' min='0 0 0' max='0.01 0.01 0.01'/>"
       "<MechanicalObject position='@g.position'/>" WATER("") "</Node>",
       "more than 4000 others"},
  };
  for (size_t i = 0; i < DV_COUNT(runs); i++) {
    Report r;
    report_good(&r, runs[i].text);
    assert_int_not_equal(dv_scene_step(r.scene, 0), DV_OK);
    report_says(&r, runs[i].says);
    report_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_are_those_of_the_density),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(bodies_and_fluids_push_each_other),
      cmocka_unit_test(a_column_stands),
      cmocka_unit_test(a_column_falls),
      cmocka_unit_test(syrup_sticks_together),
      cmocka_unit_test(drops_do_not_pass),
      cmocka_unit_test(distance_fields_are_walls),
      cmocka_unit_test(a_bowl_holds_water),
      cmocka_unit_test(walls_hold_what_sticks),
      cmocka_unit_test(limits_are_told),
      cmocka_unit_test(bad_fluids_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
