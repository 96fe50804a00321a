// Fluids on grids: the pressure solve, what is carried along, vortices that decay, water at rest, a lid that drives a
// cavity, bodies in the flow, volume, smoke, the same bits for any number of threads, bad input.
#include "topology/report.h"

#include "base/random.h"
#include "fluid/cells/cells.h"
#include "fluid/cells/parts.h"
#include "state/state.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>

static double number(dvScene *s, const char *path, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, path), name)->value;
}

static const dvReals *list(dvScene *s, const char *path, const char *name)
{
  return dv_object_field(check_find(s, path), name)->value;
}

// --- the pressure ---------------------------------------------------------------------------------

// with air above a wavy surface, and a ball
static void lay(dvCells *c, int n, bool plane, bool surface, bool ball)
{
  c->h = 1.0 / (n - 2), c->density = 1000, c->slip = true, c->tolerance = 1e-6, c->most = 60;
  c->surface = surface, c->solids = ball;
  assert_true(dv_cells_open(c, (const int[]){n, n, plane ? 1 : n}));
  for (int k = 0; k < c->n[2]; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        size_t at = dv_cells_at(c, i, j, k);
        double x = i - 0.5 - 0.4 * n, y = j - 0.5 - 0.3 * n, z = plane ? 0 : k - 0.5 - 0.5 * n;
        c->phi.data[at] = fmin(5, fmax(-5, j - 0.6 * n - 2 * sin(0.4 * i) * cos(0.3 * k)));
        if (ball) c->solid.data[at] = sqrt(x * x + y * y + z * z) - 0.17 * n;
      }
  dv_cells_open_faces(c);
  dv_cells_classify(c);
}

static void pressure_takes_the_divergence_away(void **state)
{
  DV_UNUSED(state);
  for (int trial = 0; trial < 8; trial++) {
    dvCells c = {0};
    dvRandom random = dv_random_start(5);
    bool plane = trial & 1, surface = trial & 2, ball = trial & 4;
    lay(&c, plane ? 41 : 22, plane, surface, ball);
    for (size_t i = 0; i < c.u.count; i++) c.u.data[i] = dv_random(&random, -1, 1);
    dv_cells_wall(&c, c.u.data);
    dvCellsReport r = dv_cells_project(&c, 0.01);
    assert_true(r.reached);
    // each cycle takes off most of what is left, whatever the size and the shape
    assert_true(r.iterations <= 9);
    assert_true(r.divergence * c.h < 1e-3);
    // what is left in the fluid has no divergence: nothing changes when it is done again
    double before = 0, change = 0;
    for (size_t i = 0; i < c.u.count; i++) c.next.data[i] = c.u.data[i], before = fmax(before, fabs(c.u.data[i]));
    memset(c.press.data, 0, c.count * sizeof(double));
    r = dv_cells_project(&c, 0.01);
    for (size_t i = 0; i < c.u.count; i++) change = fmax(change, fabs(c.u.data[i] - c.next.data[i]));
    assert_true(change < 1e-3 * before);
    dv_cells_free(&c);
  }
}

// The number of iterations does not grow with the grid.
static void cycles_do_not_depend_on_the_grid(void **state)
{
  DV_UNUSED(state);
  int found[3];
  for (int trial = 0; trial < 3; trial++) {
    dvCells c = {0};
    dvRandom random = dv_random_start(7);
    lay(&c, (32 << trial) + 2, true, false, false);
    for (size_t i = 0; i < c.u.count; i++) c.u.data[i] = dv_random(&random, -1, 1);
    dv_cells_wall(&c, c.u.data);
    dvCellsReport r = dv_cells_project(&c, 0.01);
    assert_true(r.reached);
    found[trial] = r.iterations;
    dv_cells_free(&c);
  }
  assert_true(found[2] <= found[0] + 2 && found[0] <= 10);
}

// --- what is carried along ------------------------------------------------------------------------

// A smooth hill in a uniform flow, after it has gone a fifth of the box: largest error.
static double hill_error(int n)
{
  dvCells c = {.h = 1.0 / (n - 2), .slip = true};
  assert_true(dv_cells_open(&c, (const int[]){n, n, 1}));
  double *q = calloc(c.count, sizeof *q), *out = calloc(c.count, sizeof *out), worst = 0;
  double *u = dv_cells_u(&c, 0);
  for (size_t i = 0; i < c.count; i++) u[i] = 1;
  const double wide = 0.1, dt = 0.3 * c.h;
  int steps = (int)(0.2 / dt);
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double x = (i - 0.5) * c.h - 0.4 - (pass ? steps * dt : 0), y = (j - 0.5) * c.h - 0.5;
        double hill = exp(-(x * x + y * y) / (wide * wide));
        size_t at = dv_cells_at(&c, i, j, 0);
        if (pass) worst = fmax(worst, fabs(q[at] - hill));
        else q[at] = hill;
        if (pass || i < n - 1 || j < n - 1) continue;
        for (int s = 0; s < steps; s++) {
          dv_cells_advect(&c, q, 3, dt, out, c.way.data);
          double *swap = q;
          q = out, out = swap;
        }
      }
  free(q), free(out);
  dv_cells_free(&c);
  return worst;
}

static void carrying_is_of_second_order(void **state)
{
  DV_UNUSED(state);
  double coarse = hill_error(34), fine = hill_error(66);
  assert_true(fine < 0.04);
  assert_true(log(coarse / fine) / log(2) > 1.5);   // limited where the hill has its top
}

// --- flows ----------------------------------------------------------------------------------------

// Vortices in a box whose walls let them slip: they keep their shape and decay by exp(-2 pi^2 nu t).
static double vortex_rate(int n)
{
  const double nu = 0.01, h = 1.0 / n, dt = 0.4 * h;
  char text[400];
  snprintf(text, sizeof text,
           "<Node dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/><Fluid2D name='f' nx='%d' ny='%d' "
           "cellwidth='%.17g' freeSurface='0' density='1' viscosity='%g' sampled='1'/></Node>",
           dt, n + 2, n + 2, h, nu);
  dvScene *s = check_scene(text, 1);
  double *u = dv_fluid_grid(check_find(s, "f"))->u.data, sum[2] = {0};
  const dvCells *c = dv_fluid_grid(check_find(s, "f"));
  int steps = (int)(1 / dt);
  for (int pass = 0; pass < 2; pass++) {
    if (pass) check_steps(s, steps);
    for (int j = 1; j <= n; j++)
      for (int i = 1; i <= n; i++) {
        size_t at = dv_cells_at(c, i, j, 0);
        double su = sin(M_PI * (i - 1) * h) * cos(M_PI * (j - 0.5) * h),
               sv = -cos(M_PI * (i - 0.5) * h) * sin(M_PI * (j - 1) * h);
        if (!pass) u[at] = su, u[c->count + at] = sv;
        sum[pass] += u[at] * su + u[c->count + at] * sv;
      }
    if (!pass) dv_cells_wall(c, u);
  }
  check_close_scene(&s);
  return log(sum[0] / sum[1]) / (steps * dt) / (2 * M_PI * M_PI * nu);
}

static void vortices_decay_as_they_should(void **state)
{
  DV_UNUSED(state);
  double coarse = vortex_rate(16) - 1, fine = vortex_rate(32) - 1;
  assert_true(fabs(fine) < 0.01);
  assert_true(log(fabs(coarse / fine)) / log(2) > 1.5);
}

// Ghia, Ghia and Shin (1982), Re = 100: u on the vertical line through the middle.
static void a_lid_drives_a_cavity(void **state)
{
  DV_UNUSED(state);
  static const double measured[][2] = {{0.9531, 0.68717},  {0.8516, 0.23151},  {0.7344, 0.00332},
                                       {0.6172, -0.13641}, {0.5, -0.20581},    {0.4531, -0.21090},
                                       {0.2813, -0.15662}, {0.1719, -0.10150}, {0.1016, -0.06434}};
  dvScene *s = check_scene("<Node dt='0.05' gravity='0 0 0'><DefaultAnimationLoop/><Fluid2D name='f' nx='26' ny='26' "
                           "cellwidth='0.0416666666667' freeSurface='0' density='1' viscosity='0.01' slip='0' "
                           "wallVelocity='0 0 0 0 0 0 0 0 0 1 0 0' sampled='1'/></Node>",
                           1);
  check_steps(s, 240);
  const double *v = list(s, "f", "velocities")->data, *x = list(s, "f", "cells")->data;
  for (size_t i = 0; i < DV_COUNT(measured); i++) {
    double y = measured[i][0] * 24 - 0.5, part = y - floor(y), u = 0;
    for (int side = 0; side < 2; side++)   // the line lies between two columns of cells
      for (int up = 0; up < 2; up++) {
        size_t at = (size_t)(11 + side) + 24 * (size_t)((int)floor(y) + up);
        u += 0.5 * (up ? part : 1 - part) * v[3 * at];
        check_close(x[3 * at], (side - 0.5) / 24, 1e-6);
      }
    check_close(u, measured[i][1], 0.02);
  }
  check_close_scene(&s);
}

// Water at rest stays at rest, and its pressure is that of the depth.
static void water_at_rest(void **state)
{
  DV_UNUSED(state);
  for (int plane = 0; plane < 2; plane++) {
    char text[600];
    snprintf(text, sizeof text,
             "<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Fluid%s name='f' nx='14' ny='22' %s "
             "cellwidth='0.1' height='12.3' tstop='0' sampled='1' tolerance='1e-8'/></Node>",
             plane ? "2D" : "3D", plane ? "" : "nz='12'");
    dvScene *s = check_scene(text, 1);
    double volume = number(s, "f", "volume");
    check_steps(s, 10);
    const dvReals *v = list(s, "f", "velocities"), *p = list(s, "f", "pressures"), *x = list(s, "f", "cells");
    double top = (12.3 - 0.5 * 21) * 0.1;
    for (size_t i = 0; i < p->count; i++) {
      double depth = top - x->data[3 * i + 1];
      if (depth > 0.05) check_close(p->data[i], 1000 * 10 * depth, 10);
      if (depth > 0)
        for (int d = 0; d < 3; d++) check_close(v->data[3 * i + (size_t)d], 0, 1e-4);
    }
    check_close(number(s, "f", "volume"), volume, 1e-4 * volume);
    check_close_scene(&s);
  }
}

// --- bodies ---------------------------------------------------------------------------------------

#define BALL(at, velocity, size)                                                                               \
  "<Node name='B'><MechanicalObject name='body' template='Rigid3' position='" at "' velocity='" velocity "'/>" \
  "<Node name='M'><SphereQuadTopology name='mesh' nx='8' ny='8' nz='8' center='0 0 0' radius='" size "'/>"     \
  "<FluidGridObstacle name='solid' body='@../body'/></Node></Node>"

// A ball under water is pushed up by the weight of the water that it displaces.
static void a_ball_under_water_is_pushed_up(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='22' ny='22' "
                           "nz='22' cellwidth='0.1' height='19' tstop='0' tolerance='1e-7'/>" BALL(
                               "0.03 -0.21 0.05 0 0 0 1", "0 0 0 0 0 0", "0.5") "</Node>",
                           1);
  check_steps(s, 2);
  const double *force = dv_object_field(check_find(s, "B/M/solid"), "force")->value;
  dvTopology *mesh = dv_topology(check_find(s, "B/M/mesh"));
  const dvInts *q = dv_topology_elements(mesh, DV_QUAD);
  const double *x = dv_topology_positions(mesh)->data;
  double weight = 0;
  for (size_t i = 0; i + 3 < q->count; i += 4)
    for (int half = 0; half < 2; half++) {
      dvVec3 a = dv_vec3_load(x + 3 * q->data[i]), b = dv_vec3_load(x + 3 * q->data[i + (half ? 2 : 1)]),
             c = dv_vec3_load(x + 3 * q->data[i + (half ? 3 : 2)]);
      weight += 1000 * 10 * dv_vec3_dot(a, dv_vec3_cross(b, c)) / 6;
    }
  assert_true(weight > 4000 && weight < 10000 * 4.0 / 3 * M_PI * 0.125);
  check_close(force[1], weight, 0.03 * weight);
  check_close(force[0], 0, 0.01 * weight);
  check_close(force[2], 0, 0.01 * weight);
  check_close_scene(&s);
}

// In a full box what a ball displaces flows around it: before and behind it along, beside it back. Nothing is made.
static void a_ball_pushes_the_fluid_aside(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='26' ny='22' "
      "nz='22' cellwidth='0.1' freeSurface='0' sampled='1'/>" BALL("0 0 0 0 0 0 1", "1 0 0 0 0 0", "0.3") "</Node>",
      1);
  check_steps(s, 1);
  const dvReals *v = list(s, "f", "velocities"), *x = list(s, "f", "cells");
  assert_true(number(s, "f", "divergence") < 0.02);
  double before = 0, beside = 0, through[24] = {0};
  for (size_t i = 0; i < v->count / 3; i++) {
    const double *p = x->data + 3 * i;
    double across = hypot(p[1], p[2]);
    if (p[0] > 0.35 && p[0] < 0.45 && across < 0.1) before = fmax(before, v->data[3 * i]);
    if (fabs(p[0]) < 0.1 && across > 0.4 && across < 0.6) beside = fmin(beside, v->data[3 * i]);
    through[i % 24] += v->data[3 * i];
  }
  assert_true(before > 0.3 && before < 1 && beside < -0.1);
  // all that goes through a plane before the ball comes back in it
  check_close(through[2], 0, 0.02);
  check_close(through[21], 0, 0.02);
  check_close_scene(&s);
}

// --- volume, smoke, bits --------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void volume_is_kept(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/><Fluid2D name='f' nx='34' ny='26' "
                           "cellwidth='0.05' height='12.5' dir='1 0' tstop='0'/></Node>",
                           1);
  double start = number(s, "f", "volume");
  check_close(start, 0.6 * 1.2, 1e-9);   // 12 columns of 24 cells
  check_steps(s, 60);
  check_close(number(s, "f", "volume"), start, 0.005 * start);
  // the surface is closed: each edge belongs to two triangles, once in each direction
  const dvInts *t = dv_object_field(check_find(s, "f"), "triangles")->value;
  assert_true(t->count > 300);
  size_t edges = t->count, alone = 0;
  uint64_t *way = malloc(edges * sizeof *way);
  for (size_t i = 0; i < edges; i++) way[i] = (uint64_t)t->data[i] << 32 | (uint32_t)t->data[i / 3 * 3 + (i + 1) % 3];
  qsort(way, edges, sizeof *way, by_value);
  for (size_t i = 0; i < edges; i++) {
    uint64_t back = way[i] << 32 | way[i] >> 32;
    alone += !bsearch(&back, way, edges, sizeof *way, by_value) || (i > 0 && way[i] == way[i - 1]);
  }
  assert_int_equal(alone, 0);
  free(way);
  check_close_scene(&s);
}

static void hot_smoke_rises(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='14' ny='26' "
                           "nz='14' cellwidth='0.1' freeSurface='0' density='1.2' expansion='0.0034' sampled='1'/>"
                           "<FluidGridSource center='0 -0.8 0' radius='0.25' smoke='5' temperature='300' fills='0' "
                           "stop='0.3'/></Node>",
                           1);
  double height[2] = {0}, amount[2] = {0};
  for (int pass = 0; pass < 2; pass++) {
    check_steps(s, pass ? 25 : 16);
    const dvReals *smoke = list(s, "f", "smokes"), *x = list(s, "f", "cells");
    for (size_t i = 0; i < smoke->count; i++) {
      assert_true(smoke->data[i] >= 0 && smoke->data[i] <= 1);
      amount[pass] += smoke->data[i], height[pass] += smoke->data[i] * x->data[3 * i + 1];
    }
    height[pass] /= amount[pass];
  }
  assert_true(height[1] > height[0] + 0.2);
  assert_true(amount[1] > 0.6 * amount[0] && amount[1] < 1.3 * amount[0]);
  check_close_scene(&s);
}

// A disc (plane) or a ball of the radius r, whose distances are disturbed in proportion to themselves: the surface
// stays.
static void lay_drop(dvCells *c, bool plane, double r)
{
  int n = (int)(2 * r) + 12;
  *c = (dvCells){
      .h = 0.001, .density = 1000, .tension = 0.072, .surface = true, .slip = true, .tolerance = 1e-7, .most = 60};
  assert_true(dv_cells_open(c, (const int[]){n, n, plane ? 1 : n}));
  for (int k = 0; k < c->n[2]; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double x = i - 0.5 * n + 0.3, y = j - 0.5 * n + 0.4, z = plane ? 0 : k - 0.5 * n + 0.1;
        double d = (sqrt(x * x + y * y + z * z) - r) * (1 + 0.1 * sin(2 * x / r) * cos(1.5 * y / r));
        c->phi.data[dv_cells_at(c, i, j, k)] = fmin(fmax(d, -DV_CELLS_BAND), DV_CELLS_BAND);
      }
  dv_cells_open_faces(c);
  dv_cells_redistance(c);
  dv_cells_classify(c);
  dv_cells_bend(c);
}

// the largest error of the pressure that the tension makes, at the cells beside the surface, as a part of it
static double tension_error(bool plane, double r, double *inside)
{
  dvCells c;
  lay_drop(&c, plane, r);
  double worst = 0;
  for (size_t i = 0; i < c.count; i++) {
    if (!(fabs(c.phi.data[i]) < 1)) continue;
    double theory = c.tension * (plane ? 1 : 2) / ((r + c.phi.data[i]) * c.h) / (c.density * c.h);
    worst = fmax(worst, fabs(c.bent.data[i] / theory - 1));
  }
  dvCellsReport report = dv_cells_project(&c, 1e-5);
  assert_true(report.reached);
  int middle = c.n[0] / 2;
  *inside = c.press.data[dv_cells_at(&c, middle, middle, plane ? 0 : middle)] * c.density * c.h /
            (c.tension * (plane ? 1 : 2) / (r * c.h));
  dv_cells_free(&c);
  return worst;
}

static void the_pressure_in_a_drop_is_that_of_laplace(void **state)
{
  DV_UNUSED(state);
  for (int plane = 0; plane < 2; plane++) {
    double inside, coarse = tension_error(plane, 7, &inside), fine;
    check_close(inside, 1, 0.01);
    fine = tension_error(plane, 14, &inside);
    check_close(inside, 1, 0.004);
    assert_true(fine < 0.005 && log(coarse / fine) / log(2) > 1.7);
  }
}

static void surface_tension_tells_its_time_step(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Fluid2D name='f' cellwidth='0.001' tstop='0' "
                  "surfaceTension='0.072'/></Node>");
  assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
  report_says(&r, "surface tension moves the shortest waves");
  report_end(&r);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      "<Node dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='34' ny='26' nz='26' "
      "cellwidth='0.1' height='9' tstart='0' tstop='3' viscosity='5'/>" BALL("0.4 0 0.3 0 0 0 1", "-0.5 0 0 0 1 0",
                                                                             "0.3") "</Node>",
      "<Node dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/><Fluid2D name='f' nx='100' ny='90' cellwidth='0.1' "
      "height='40' dir='1 1'/></Node>",
      "<Node dt='0.0002' gravity='0 0 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='30' ny='20' nz='20' "
      "cellwidth='0.0003' height='0' tstop='0' surfaceTension='0.072'/><FluidGridSource radius='0.0021' "
      "stop='0.0001'/></Node>"};
  for (size_t n = 0; n < DV_COUNT(scenes); n++) {
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *s = check_scene(scenes[n], threads);
      check_steps(s, 3);
      hash[threads - 1] = dv_scene_hash(s);
      check_close_scene(&s);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
  }
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  static const Refusal refusals[] = {
      {"<Node><Fluid2D nx='3'/></Node>", "3 cells along x are not between"},
      {"<Node><Fluid2D ny='-5'/></Node>", "-5 cells along y"},
      {"<Node><Fluid3D nx='500' ny='500' nz='500'/></Node>", "are more than 20000000"},
      {"<Node><Fluid3D nx='99999999' ny='99999999' nz='99999999'/></Node>", "are not between"},
      {"<Node><Fluid2D cellwidth='0'/></Node>", "a width of 0 is none"},
      {"<Node><Fluid2D cellwidth='1e300'/></Node>", "a width of 1e+300 is none"},
      {"<Node><Fluid2D density='-1'/></Node>", "a density of -1"},
      {"<Node><Fluid2D density='0'/></Node>", "a density of 0"},
      {"<Node><Fluid2D density='1e-300'/></Node>", "a density of 1e-300"},
      {"<Node><Fluid3D viscosity='1e300'/></Node>", "a viscosity of 1e+300"},
      {"<Node><Fluid3D expansion='1e300'/></Node>", "an expansion of 1e+300"},
      {"<Node><FluidGridSource velocity='0 1e300 0'/></Node>", "is beyond 1e12"},
      {"<Node><FluidGridSource temperature='1e300'/></Node>", "make no sense"},
      {"<Node><Fluid2D viscosity='nan'/></Node>", "viscosity"},
      {"<Node><Fluid2D surfaceTension='-1'/></Node>", "a surface tension of -1"},
      {"<Node><Fluid2D cfl='0'/></Node>", "are not above 0"},
      {"<Node><Fluid2D slip='0' wallVelocity='1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0 1 0 0'/></Node>", "six walls"},
      {"<Node><FluidGridObstacle/></Node>", "there is no mesh"},
      {"<Node><MeshTopology position='0 0 0'/><FluidGridObstacle/></Node>", "no surface"},
      {"<Node><MeshTopology position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/><MechanicalObject name='m'/>"
       "<FluidGridObstacle body='@m'/></Node>",
       "is no state of frames"},
      {"<Node><MeshTopology position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/>"
       "<FluidGridObstacle resolution='100000'/></Node>",
       "is not between 4 and 256"},
      {"<Node><FluidGridSource radius='-1'/></Node>", "a radius of -1"},
  };
  for (size_t i = 0; i < DV_COUNT(refusals); i++) {
    Report r;
    report_start(&r, refusals[i].scene);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, refusals[i].message);
    report_end(&r);
  }
  Report r;
  report_good(&r, "<Node dt='1' gravity='0 -10 0'><DefaultAnimationLoop/><Fluid2D nx='20' ny='20' cellwidth='0.01' "
                  "height='8' dir='1 0' tstop='0'/></Node>");
  assert_int_equal(dv_scene_step(r.scene, 1), DV_OK);
  report_says(&r, "dt should be below");
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pressure_takes_the_divergence_away),
      cmocka_unit_test(cycles_do_not_depend_on_the_grid),
      cmocka_unit_test(carrying_is_of_second_order),
      cmocka_unit_test(vortices_decay_as_they_should),
      cmocka_unit_test(a_lid_drives_a_cavity),
      cmocka_unit_test(water_at_rest),
      cmocka_unit_test(a_ball_under_water_is_pushed_up),
      cmocka_unit_test(a_ball_pushes_the_fluid_aside),
      cmocka_unit_test(volume_is_kept),
      cmocka_unit_test(hot_smoke_rises),
      cmocka_unit_test(the_pressure_in_a_drop_is_that_of_laplace),
      cmocka_unit_test(surface_tension_tells_its_time_step),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
