// Neighbours against all pairs, kernels against their integrals and differences, fluids at rest and in motion, sources
// and sinks, closed surfaces, bad input.
#include "topology/report.h"

#include "base/random.h"
#include "fluid/iso.h"
#include "fluid/near.h"
#include "fluid/smooth.h"
#include "object/compat.h"
#include "state/state.h"
#include "support/fd.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>

// --- neighbours -----------------------------------------------------------------------------------

static bool is_listed(const dvNear *n, const int32_t *rank_of, size_t i, size_t j)
{
  const int32_t *list;
  size_t count = dv_near_of(n, (size_t)rank_of[i], &list);
  for (size_t k = 0; k < count; k++)
    if (n->point.data[list[k]] == (int32_t)j) return true;
  return false;
}

static void check_near(const double *x, size_t count, double width, double reach, dvPool *pool)
{
  dvNear n = {0};
  assert_true(dv_near_find(&n, pool, x, count, width, reach));
  int32_t *rank_of = calloc(count, sizeof *rank_of);
  size_t listed = 0, pairs = 0;
  for (size_t r = 0; r < count; r++) {
    const int32_t *list;
    size_t many = dv_near_of(&n, r, &list);
    rank_of[n.point.data[r]] = (int32_t)r;
    listed += many;
  }
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      double d = 0;
      for (size_t k = 0; k < 3; k++) d += (x[3 * j + k] - x[3 * i + k]) * (x[3 * j + k] - x[3 * i + k]);
      if (i == j || !(d < reach * reach)) continue;
      pairs++;
      assert_true(is_listed(&n, rank_of, i, j));
    }
  assert_int_equal(listed, pairs);
  assert_false(dv_near_crowded(&n));
  free(rank_of);
  dv_near_free(&n);
}

static void neighbours_are_all_that_are_near(void **state)
{
  DV_UNUSED(state);
  dvRandom random = dv_random_start(3);
  enum { COUNT = 700 };
  static double x[3 * COUNT];
  dvPool *pool = dv_pool_create(3);
  for (int trial = 0; trial < 12; trial++) {
    double size = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 4 : 20;
    for (size_t i = 0; i < 3 * COUNT; i++) x[i] = dv_random(&random, -size, size);
    // at one place, on borders of cells, far out where keys wrap, not finite
    for (size_t i = 0; i < 30; i++) x[i] = 0.5;
    for (size_t i = 30; i < 120; i++) x[i] = 0.5 * (double)((int)i % 7) - 1;
    for (size_t i = 120; i < 180; i++) x[i] += 0.5 * (1 << 20) * (i % 2 ? 1 : -1);
    for (size_t i = 180; i < 210; i++) x[i] += 3e17;
    x[210] = NAN, x[214] = INFINITY, x[218] = -INFINITY;
    check_near(x, COUNT, 0.5, trial % 2 ? 0.5 : 0.3, trial % 2 ? pool : NULL);
  }
  check_near(x, 1, 1, 1, NULL);
  check_near(x, 0, 1, 1, NULL);
  dv_pool_destroy(&pool);
}

static void crowds_are_told(void **state)
{
  DV_UNUSED(state);
  static double x[3 * (DV_NEAR_MOST + 100)];
  dvNear n = {0};
  assert_true(dv_near_find(&n, NULL, x, DV_NEAR_MOST + 100, 1, 1));
  assert_true(dv_near_crowded(&n));
  dv_near_free(&n);
  Report r;
  report_good(
      &r, "<Node dt='0.001'><EulerExplicitSolver/><RegularGridTopology name='g' n='17 17 17' min='0 0 0' max='1 1 1'/>"
          "<MechanicalObject position='@g.position'/><UniformMass/><SPHFluidForceField radius='5'/></Node>");
  assert_int_equal(dv_scene_step(r.scene, 0.001), DV_ERROR_INPUT);
  report_says(&r, "more than 4000 others within the radius");
  report_end(&r);
}

// --- kernels --------------------------------------------------------------------------------------

static void kernels_are_what_they_are_called(void **state)
{
  DV_UNUSED(state);
  for (int kind = DV_SMOOTH_DENSITY; kind <= DV_SMOOTH_CUBIC; kind++) {
    const double h = 0.7, e = 1e-4;
    dvSmooth k = dv_smooth((dvSmoothKind)kind, h);
    double sum = 0;
    enum { STEPS = 20000 };
    for (int i = 0; i < STEPS; i++) {
      double q = (i + 0.5) / STEPS;
      sum += dv_smooth_w(k, q) * 4 * M_PI * q * q * h * h * h / STEPS;
    }
    check_close(sum, 1, 1e-4);
    for (double q = 0.05; q < 0.98; q += 0.0521) {
      double low = dv_smooth_w(k, q - e), here = dv_smooth_w(k, q), high = dv_smooth_w(k, q + e);
      double slope = (high - low) / (2 * e * h), curve = (high - 2 * here + low) / (e * e * h * h);
      check_close(dv_smooth_gradient(k, q) * q * h, slope, 1e-4 * k.w + 1e-5 * fabs(slope));
      if (fabs(q - 0.5) > 0.01)
        check_close(dv_smooth_laplacian(k, q), curve + 2 / (q * h) * slope, 2e-4 * (k.w / (h * h) + fabs(curve)));
    }
    check_close(dv_smooth_w(k, 1), 0, 1e-12);
  }
}

// --- fluids ---------------------------------------------------------------------------------------

#define LUMP(attributes)                                                                                          \
  "<Node gravity='0 0 0' dt='0.002'><EulerExplicitSolver/><RegularGridTopology name='g' n='6 5 4' min='0 0 0' "   \
  "max='0.5 0.4 0.3'/><MechanicalObject name='mo' position='@g.position'/><UniformMass vertexMass='1'/>"          \
  "<SpatialGridContainer cellWidth='0.25'/><SPHFluidForceField name='ff' radius='0.22' density='900' " attributes \
  "/></Node>"

static void shake(dvState *s, double size)
{
  dvRandom random = dv_random_start(11);
  double *x = dv_state_write(s, DV_X), *v = dv_state_write(s, DV_V);
  for (size_t i = 0; i < 3 * s->count; i++) {
    x[i] += dv_random(&random, -size, size);
    v[i] = dv_random(&random, -1, 1);
  }
}

static void momentum_is_kept(void **state)
{
  DV_UNUSED(state);
  static const char *const fluids[] = {LUMP("pressure='50' viscosity='3'"),
                                       LUMP("pressure='50' viscosityType='2' viscosity='1' kernelType='1'"),
                                       LUMP("pressure='20' surfaceTension='2' surfaceTensionType='2'"),
                                       LUMP("pressure='0' pressureType='0' viscosity='8'")};
  for (size_t n = 0; n < DV_COUNT(fluids); n++) {
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *scene = check_scene(fluids[n], threads);
      dvState *s = dv_state(check_find(scene, "mo"));
      shake(s, 0.02);
      double before[3] = {0}, after[3] = {0}, speed = 0;
      for (size_t i = 0; i < 3 * s->count; i++) before[i % 3] += dv_state_read(s, DV_V)[i];
      check_steps(scene, 25);
      for (size_t i = 0; i < 3 * s->count; i++) {
        after[i % 3] += dv_state_read(s, DV_V)[i];
        speed += fabs(dv_state_read(s, DV_V)[i]);
      }
      for (int k = 0; k < 3; k++) check_close(after[k], before[k], 1e-13 * speed);
      hash[threads - 1] = dv_scene_hash(scene);
      check_close_scene(&scene);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
  }
}

// Two particles: every term by hand.
static void forces_of_two_are_those_of_the_formulas(void **state)
{
  DV_UNUSED(state);
  const double h = 0.5, m = 2, k = 30, rho0 = 7, mu = 4, r = 0.3, q = r / h, v = -1.5;
  fdScene s = fd_open("<Node><MechanicalObject name='mo' position='0 0 0  0.3 0 0' velocity='0 0 0  -1.5 0 0'/>"
                      "<SPHFluidForceField name='ff' radius='0.5' mass='2' density='7' pressure='30' viscosity='4'/>"
                      "<SPHFluidForceField name='spline' radius='0.5' mass='2' density='7' pressure='30' viscosity='4' "
                      "kernelType='1' viscosityType='2'/></Node>");
  dvSmooth d = dv_smooth(DV_SMOOTH_DENSITY, h), p = dv_smooth(DV_SMOOTH_PRESSURE, h),
           w = dv_smooth(DV_SMOOTH_VISCOSITY, h), c = dv_smooth(DV_SMOOTH_CUBIC, h);
  double rho = m * (dv_smooth_w(d, 0) + dv_smooth_w(d, q)), press = 2 * k * (rho - rho0) / (rho * rho);
  double expected =
      -m * m * press * dv_smooth_gradient(p, q) * -r + m * m * mu * v / (rho * rho) * dv_smooth_laplacian(w, q);
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "mo"));
  check_close(f[0], expected, 1e-12 * fabs(expected));
  check_close(f[3], -expected, 1e-12 * fabs(expected));
  rho = m * (dv_smooth_w(c, 0) + dv_smooth_w(c, q));
  double drag = -mu * h * (v * r) / ((r * r + 0.01 * h * h) * rho);   // the second comes nearer: v_ij . x_ij = v r < 0
  expected = -m * m * (2 * k * (rho - rho0) / (rho * rho) + drag) * dv_smooth_gradient(c, q) * -r;
  f = fd_force_on(fd_find(&s, "spline"), fd_find(&s, "mo"));
  check_close(f[0], expected, 1e-12 * fabs(expected));
  fd_close(&s);
}

static void repulsion_is_the_derivative_of_its_energy(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='mo' position='0 0 0  0.7 0.1 0  0.2 0.8 0.3  3 0 0'/>"
                      "<ParticlesRepulsionForceField name='ff' distance='1.4' stiffness='50' damping='0'/></Node>");
  fdOptions o = fd_options();
  o.checks = FD_ENERGY | FD_ASSEMBLY | FD_SYMMETRY;   // products leave out the turning of the axis
  o.move_x = 0.05;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// A column comes to rest between walls: the floor carries its weight, and the upper half stands on the lower one.
static void a_column_comes_to_rest_on_the_floor(void **state)
{
  DV_UNUSED(state);
#define WALL(normal, d) "<PlaneForceField normal='" normal "' d='" d "' stiffness='20000' damping='3000'/>"
  const char *text =
      "<Node gravity='0 -10 0' dt='0.002'><EulerExplicitSolver/><RegularGridTopology name='g' n='6 11 6' "
      "min='0.05 0.05 0.05' max='0.55 1.05 0.55'/><MechanicalObject name='mo' position='@g.position'/><UniformMass "
      "vertexMass='1'/><SPHFluidForceField radius='0.22' density='1000' pressure='100' viscosity='60'/>" WALL(
          "0 1 0", "0") WALL("1 0 0", "0") WALL("-1 0 0", "-0.6") WALL("0 0 1", "0") WALL("0 0 -1", "-0.6") "</Node>";
  dvScene *scene = check_scene(text, 1);
  dvState *s = dv_state(check_find(scene, "mo"));
  check_steps(scene, 1000);
  double carried = 0, highest = 0;
  enum { STEPS = 500 };
  for (int n = 0; n < STEPS; n++) {
    check_steps(scene, 1);
    const double *x = dv_state_read(s, DV_X);
    for (size_t i = 0; i < s->count; i++) {
      carried += fmax(0, -20000 * x[3 * i + 1]) / STEPS;
      highest = fmax(highest, x[3 * i + 1]);
      for (size_t k = 0; k < 3; k += 2) assert_true(x[3 * i + k] > -0.02 && x[3 * i + k] < 0.62);
    }
  }
  check_close(carried / (10 * (double)s->count), 1, 0.02);
  assert_true(highest > 0.4 && highest < 0.7);
  check_close_scene(&scene);
}

static void long_steps_are_told(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node dt='0.01'><MechanicalObject/><SPHFluidForceField radius='0.1' pressure='400'/></Node>");
  report_says(&r, "longer than the 0.005 s in which sound runs");
  report_end(&r);
}

// Particles that leave are kept, and told once; a sink removes them before.
static void who_leaves_is_told(void **state)
{
  DV_UNUSED(state);
  static const char *const fluids[] = {"<SPHFluidForceField radius='0.1'/>",
                                       "<IncompressibleFluidForceField radius='0.1'/>"};
  for (size_t k = 0; k < 2 * DV_COUNT(fluids); k++) {
    bool sink = k >= DV_COUNT(fluids);
    char text[600];
    snprintf(text, sizeof text,
             "<Node dt='0.1' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject name='mo' position='0 0 0  5 0 0  "
             "9 0 0' velocity='0 0 0  0 -600 0  0 0 0'/><UniformMass vertexMass='0.001'/>%s%s</Node>",
             fluids[k % DV_COUNT(fluids)], sink ? "<ParticleSink normal='0 1 0' d0='-60' d1='-70'/>" : "");
    Report r;
    report_good(&r, text);
    for (int i = 0; i < 10; i++) assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
    size_t left = dv_state(check_find(r.scene, "mo"))->count;
    assert_int_equal(left, sink ? 2 : 3);
    if (!sink) report_says(&r, "1 of 3 particles have left: they are more than 100 m (1000 radii) away");
    else assert_null(r.messages.text ? strstr(r.messages.text, "have left") : NULL);
    report_end(&r);
  }
}

// --- sources and sinks ----------------------------------------------------------------------------

#define FOUNTAIN                                                                                                     \
  "<Node gravity='0 -10 0' dt='0.01'><EulerExplicitSolver/><MechanicalObject name='mo'/><UniformMass name='mass' "   \
  "vertexMass='2'/><ParticleSource name='source' center='0 0 0  1 0 0' velocity='0 -1 0' delay='0.05' addNoise='0' " \
  "stop='0.8'/><ParticleSink name='sink' normal='0 1 0' d0='-3' d1='-2'/></Node>"

static void particles_come_and_go(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene(FOUNTAIN, 1);
  dvState *s = dv_state(check_find(scene, "mo"));
  assert_int_equal(s->count, 1);
  for (int i = 0; i < 70; i++) {
    check_steps(scene, 1);
    if (i < 4 || (i > 6 && i < 40))
      assert_int_equal(s->count % 2, i < 5);   // in pairs, after the point that is no particle
    for (size_t p = 0; p < s->count; p++) assert_true(check_value(scene, "mo", DV_X, 3 * p + 1) > -2.2);
  }
  // rounds came from 0.05 to 0.65; 2 m take 0.55 s and up to 0.1 s in which a particle is led
  assert_in_range(s->count, 20, 24);
  const dvInts *led = dv_object_field(check_find(scene, "source"), "lastparticles")->value;
  size_t newest = (size_t)led->data[led->count - 1];
  check_close(check_value(scene, "mo", DV_V, 3 * newest + 1), -1, 1e-12);   // led: it does not fall
  const dvMassOps *mass = dv_ops(check_find(scene, "mass"), DV_ROLE_MASS);
  check_close(mass->of_element(check_find(scene, "mass"), newest), 2, 0);
  uint64_t hash = dv_scene_hash(scene);
  check_steps(scene, 10);
  dv_scene_reset(scene);
  assert_int_equal(s->count, 1);
  check_steps(scene, 70);
  assert_true(dv_scene_hash(scene) == hash);
  check_steps(scene, 400);
  assert_int_equal(s->count, 0);
  check_close_scene(&scene);
}

static void noise_is_the_same_in_every_run(void **state)
{
  DV_UNUSED(state);
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) {
    dvScene *scene = check_scene("<Node dt='0.01'><EulerExplicitSolver/><MechanicalObject name='mo'/><ParticleSource "
                                 "radius='0.1 0.2 0.3' delay='0.01'/><UniformMass vertexMass='1'/></Node>",
                                 1);
    check_steps(scene, 30);
    dvState *s = dv_state(check_find(scene, "mo"));
    assert_true(s->count >= 28);
    const double *x = dv_state_read(s, DV_X);
    assert_true(x[3] != x[6] && fabs(x[3]) <= 0.1 && fabs(x[4]) < 2 && fabs(x[5]) <= 0.3);
    hash[i] = dv_scene_hash(scene);
    check_close_scene(&scene);
  }
  assert_true(hash[0] == hash[1]);
}

// --- surfaces -------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// each edge belongs to two triangles, which run along it in opposite directions
static void check_closed(const dvIso *s)
{
  size_t corners = s->triangles.count;
  uint64_t *edges = calloc(corners, sizeof *edges), *back = calloc(corners, sizeof *back);
  for (size_t i = 0; i < corners; i++) {
    uint64_t a = (uint64_t)s->triangles.data[i], b = (uint64_t)s->triangles.data[i % 3 == 2 ? i - 2 : i + 1];
    assert_true(a < s->points.count / 3 && b < s->points.count / 3 && a != b);
    edges[i] = a << 32 | b, back[i] = b << 32 | a;
  }
  qsort(edges, corners, sizeof *edges, by_value);
  qsort(back, corners, sizeof *back, by_value);
  for (size_t i = 0; i < corners; i++) {
    assert_true(edges[i] == back[i]);
    assert_true(i == 0 || edges[i] != edges[i - 1]);
  }
  free(edges), free(back);
}

static double volume(const dvIso *s)
{
  double sum = 0;
  for (size_t t = 0; t < s->triangles.count; t += 3) {
    const double *a = s->points.data + 3 * s->triangles.data[t], *b = s->points.data + 3 * s->triangles.data[t + 1],
                 *c = s->points.data + 3 * s->triangles.data[t + 2];
    sum +=
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
        6;
  }
  return sum;
}

// how far points are from where the field has its value, at most, in cells: by its value and slope
static double worst_point(const dvIso *s, const dvIsoField *f)
{
  double worst = 0, r2 = f->radius * f->radius;
  for (size_t i = 0; i < s->points.count; i += 3) {
    double value = -f->value, slope[3] = {0};
    for (size_t p = 0; p < f->count; p++) {
      double d[3], t = 0;
      for (size_t k = 0; k < 3; k++) d[k] = s->points.data[i + k] - f->x[3 * p + k], t += d[k] * d[k] / r2;
      if (!(t < 1)) continue;
      double scale = f->share[p] * 315 / (64 * M_PI * r2 * f->radius);
      value +=
          f->soft ? 1 - 22.0 / 9 * t + 17.0 / 9 * t * t - 4.0 / 9 * t * t * t : scale * (1 - t) * (1 - t) * (1 - t);
      double by = f->soft ? -22.0 / 9 + 34.0 / 9 * t - 12.0 / 9 * t * t : -3 * scale * (1 - t) * (1 - t);
      for (size_t k = 0; k < 3; k++) slope[k] += by * 2 * d[k] / r2;
    }
    double steep = sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
    worst = fmax(worst, fabs(value) / (steep * f->step));
  }
  return worst;
}

static void surfaces_are_closed_and_lie_where_they_should(void **state)
{
  DV_UNUSED(state);
  dvIso one = {0}, three = {0};
  dv_iso_init(&one);
  dv_iso_init(&three);
  dvPool *pool = dv_pool_create(3);
  // one particle: a ball; the field is known
  const double at[3] = {0.3, -7.9, 16.05}, share = 4, radius = 1, w = share * 315 / (64 * M_PI);
  dvIsoField f = {at, &share, 1, radius, 0.07, 0.5 * w, false};
  assert_true(dv_iso_make(&one, NULL, &f));
  check_closed(&one);
  double r = sqrt(1 - cbrt(0.5));
  check_close(volume(&one) / (4.0 / 3 * M_PI * r * r * r), 1, 0.02);   // positive: normals point out
  for (size_t i = 0; i < one.points.count; i += 3) {
    const double *x = one.points.data + i;
    double d =
        sqrt((x[0] - at[0]) * (x[0] - at[0]) + (x[1] - at[1]) * (x[1] - at[1]) + (x[2] - at[2]) * (x[2] - at[2]));
    check_close(d, r, 0.01 * 0.07);   // of a cell
  }
  // a cloud: many patterns, the ambiguous ones among them
  dvRandom random = dv_random_start(5);
  enum { COUNT = 300 };
  static double x[3 * COUNT], shares[COUNT];
  for (int trial = 0; trial < 6; trial++) {
    for (size_t i = 0; i < 3 * COUNT; i++) x[i] = dv_random(&random, -2, 2);
    for (size_t i = 0; i < COUNT; i++) shares[i] = dv_random(&random, 0.01, 0.05);
    f = (dvIsoField){x, shares, COUNT, 0.5, trial % 2 ? 0.2 : 0.13, 0.3, trial == 4};
    assert_true(dv_iso_make(&one, NULL, &f) && dv_iso_make(&three, pool, &f));
    assert_true(one.triangles.count > 300);
    check_closed(&one);
    check_close(worst_point(&one, &f), 0, 0.01);
    assert_int_equal(one.points.count, three.points.count);
    assert_memory_equal(one.points.data, three.points.data, one.points.count * sizeof(double));
    assert_memory_equal(one.triangles.data, three.triangles.data, one.triangles.count * sizeof(int32_t));
  }
  x[0] = NAN, x[4] = INFINITY, x[8] = 1e300;
  assert_true(dv_iso_make(&one, NULL, &f));
  check_closed(&one);
  f.step = 1e-4;
  assert_false(dv_iso_make(&one, NULL, &f));
  dv_iso_free(&one);
  dv_iso_free(&three);
  dv_pool_destroy(&pool);
}

// --- bad input ------------------------------------------------------------------------------------

static void bad_fluids_are_refused(void **state)
{
  DV_UNUSED(state);
  static const Refusal cases[] = {
      {"<Node><MechanicalObject/><SPHFluidForceField radius='0'/></Node>", "a radius of 0 is none"},
      {"<Node><MechanicalObject/><SPHFluidForceField mass='-1'/></Node>", "a mass of -1 is none"},
      {"<Node><MechanicalObject/><SPHFluidForceField density='-1'/></Node>", "a density of -1 is none"},
      {"<Node><MechanicalObject/><SPHFluidForceField viscosity='-2'/></Node>", "a viscosity of -2 would drive"},
      {"<Node><MechanicalObject/><SPHFluidForceField kernelType='2'/></Node>", "kernelType is 2; it is one of 0 to 1"},
      {"<Node><MechanicalObject/><SPHFluidForceField viscosityType='-1'/></Node>", "viscosityType is -1"},
      {"<Node><SPHFluidForceField/></Node>", "SPHFluidForceField"},
      {"<Node><SpatialGridContainer cellWidth='0'/></Node>", "cells of width 0 hold nothing"},
      {"<Node><MechanicalObject/><ParticlesRepulsionForceField distance='-1'/></Node>", "a distance of -1 is none"},
      {"<Node><MechanicalObject/><ParticleSource delay='0'/></Node>", "a delay of 0 s makes no sense"},
      {"<Node><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject/><ParticleSink/></Node>",
       "belong to elements"},
      {"<Node><MechanicalObject name='a'/><Node><OglModel name='b'/><SPHFluidSurfaceMapping input='@../a' output='@b' "
       "step='0'/></Node></Node>",
       "a step of 0 does not go with"},
      {"<Node><MechanicalObject name='a'/><Node><MechanicalObject name='b'/><SPHFluidSurfaceMapping input='@../a' "
       "output='@b'/></Node></Node>",
       "is no visual model"},
  };
  report_refused(cases, DV_COUNT(cases));
  static const Refusal told[] = {
      {"<Node><MechanicalObject/><SPHFluidForceField density='0'/></Node>", "a density of 0 at rest is that of a gas"},
      {"<Node><MechanicalObject/><SPHFluidForceField pressure='-1'/></Node>", "a pressure of -1 pulls particles"},
      {"<Node><MechanicalObject name='a'/><SPHFluidForceField/><Node><OglModel name='b'/><SPHFluidSurfaceMapping "
       "input='@../a' output='@b' isoValue='1e300'/></Node></Node>",
       "is hardly reached"},
      {"<Node><MechanicalObject/><ParticleSource center=''/></Node>", "the source is empty"},
  };
  Report r;
  for (size_t i = 0; i < DV_COUNT(told); i++) {
    report_good(&r, told[i].scene);
    report_says(&r, told[i].message);
    report_end(&r);
  }
  // bounded: ten million at once end the run
  report_good(
      &r, "<Node dt='1'><EulerExplicitSolver/><MechanicalObject/><ParticleSource delay='1e-9'/><UniformMass/></Node>");
  dv_scene_step(r.scene, 1);
  assert_int_equal(dv_scene_step(r.scene, 1), DV_ERROR_INPUT);
  report_says(&r, "particles are due");
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_are_all_that_are_near),
      cmocka_unit_test(crowds_are_told),
      cmocka_unit_test(kernels_are_what_they_are_called),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(forces_of_two_are_those_of_the_formulas),
      cmocka_unit_test(repulsion_is_the_derivative_of_its_energy),
      cmocka_unit_test(a_column_comes_to_rest_on_the_floor),
      cmocka_unit_test(long_steps_are_told),
      cmocka_unit_test(who_leaves_is_told),
      cmocka_unit_test(particles_come_and_go),
      cmocka_unit_test(noise_is_the_same_in_every_run),
      cmocka_unit_test(surfaces_are_closed_and_lie_where_they_should),
      cmocka_unit_test(bad_fluids_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
