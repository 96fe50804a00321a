// Fluids on grids and in vessels beside theory: a cavity that a lid drives, vortices that decay, a pressure solve;
// pulse waves.
#include "validate.h"

#include "fluid/cells/parts.h"
#include "fluid/vessel/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double pi = 3.14159265358979323846;

// --- the cavity: Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982), tables I and II ---

enum { POINTS = 15 };
static const double up[POINTS] = {0.9766, 0.9688, 0.9609, 0.9531, 0.8516, 0.7344, 0.6172, 0.5,
                                  0.4531, 0.2813, 0.1719, 0.1016, 0.0703, 0.0625, 0.0547};
static const double along[POINTS] = {0.9688, 0.9609, 0.9531, 0.9453, 0.9063, 0.8594, 0.8047, 0.5,
                                     0.2344, 0.2266, 0.1563, 0.0938, 0.0781, 0.0703, 0.0625};
static const double u_ghia[2][POINTS] = {{0.84123, 0.78871, 0.73722, 0.68717, 0.23151, 0.00332, -0.13641, -0.20581,
                                          -0.21090, -0.15662, -0.10150, -0.06434, -0.04775, -0.04192, -0.03717},
                                         {0.65928, 0.57492, 0.51117, 0.46604, 0.33304, 0.18719, 0.05702, -0.06080,
                                          -0.10648, -0.27805, -0.38289, -0.29730, -0.22220, -0.20196, -0.18109}};
static const double v_ghia[2][POINTS] = {{-0.05906, -0.07391, -0.08864, -0.10313, -0.16914, -0.22445, -0.24533, 0.05454,
                                          0.17527, 0.17507, 0.16077, 0.12317, 0.10890, 0.10091, 0.09233},
                                         {-0.21388, -0.27669, -0.33714, -0.39188, -0.51550, -0.42665, -0.31966, 0.02526,
                                          0.32235, 0.33075, 0.37095, 0.32627, 0.30353, 0.29012, 0.27485}};

static bool open_box(Trial *t, int n, double dt, double viscosity, const char *more)
{
  dvText text = {0};
  dv_text_printf(&text,
                 "<Node dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/><MechanicalObject name='dofs'/>"
                 "<Fluid2D name='fluid' nx='%d' ny='%d' cellwidth='%.17g' freeSurface='0' density='1' "
                 "viscosity='%.17g' %s/></Node>",
                 dt, n + 2, n + 2, 1.0 / n, viscosity, more);
  bool good = trial_open(t, text.text);
  dv_text_free(&text);
  return good;
}

typedef struct Cavity {
  double u, v;   // largest errors, of the speed of the lid
  double time;
  int steps;
} Cavity;

// The steady flow of a coarser grid is where a finer one begins: it saves most of the time.
typedef struct Flow {
  int n;
  double *u;   // two numbers for each inner cell and its border, at their corners
} Flow;

static void begin_with(dvCells *c, int n, const Flow *from)
{
  int m = from->n;
  for (int j = 1; j <= n; j++)
    for (int i = 1; i <= n; i++)
      for (int d = 0; d < 2; d++) {
        double x = (i - (d == 0 ? 1 : 0.5)) / n * m, y = (j - (d == 1 ? 1 : 0.5)) / n * m;
        int a = (int)fmin(floor(x), m - 1), b = (int)fmin(floor(y), m - 1);
        double s = x - a, t = y - b;
        const double *q = from->u + 2 * (a + (m + 1) * b) + d;
        dv_cells_u(c, d)[dv_cells_at(c, i, j, 0)] =
            (1 - t) * ((1 - s) * q[0] + s * q[2]) + t * ((1 - s) * q[2 * (m + 1)] + s * q[2 * (m + 1) + 2]);
      }
  dv_cells_wall(c, c->u.data);
}

static void keep(const dvCells *c, int n, Flow *to)
{
  free(to->u);
  *to = (Flow){n, malloc(2 * sizeof(double) * (size_t)(n + 1) * (size_t)(n + 1))};
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++) {
      double w[3];
      dv_cells_velocity(c, c->u.data, (const double[]){i + 0.5, j + 0.5, 0}, w);
      memcpy(to->u + 2 * (i + (n + 1) * j), w, 2 * sizeof *w);
    }
}

static bool run_cavity(int n, int which, Cavity *out, Flow *flow)
{
  double dt = 1.0 / n, before[2 * POINTS] = {0};
  Trial t;
  char more[80];
  snprintf(more, sizeof more, "slip='0' wallVelocity='0 0 0 0 0 0 0 0 0 1 0 0'");
  if (!open_box(&t, n, dt, which ? 1e-3 : 1e-2, more)) return false;
  dvCells *c = dv_fluid_grid(trial_find(&t, "fluid"));
  bool good = true, steady = false;
  *out = (Cavity){0};
  if (flow->n) begin_with(c, n, flow);
  // until nothing changes in a unit of time, in which the lid goes once along the box
  while (good && !steady && out->time < 80) {
    for (int i = 0; i < n && good; i++) good = dv_scene_step(t.scene, 0) == DV_OK;
    double change = 0;
    out->u = out->v = 0;
    out->time += 1, out->steps += n;
    for (int i = 0; i < POINTS; i++) {
      double w[2][3];
      dv_cells_velocity(c, c->u.data, (const double[]){0.5 * n + 0.5, up[i] * n + 0.5, 0}, w[0]);
      dv_cells_velocity(c, c->u.data, (const double[]){along[i] * n + 0.5, 0.5 * n + 0.5, 0}, w[1]);
      out->u = fmax(out->u, fabs(w[0][0] - u_ghia[which][i]));
      out->v = fmax(out->v, fabs(w[1][1] - v_ghia[which][i]));
      change = fmax(change, fmax(fabs(w[0][0] - before[i]), fabs(w[1][1] - before[POINTS + i])));
      before[i] = w[0][0], before[POINTS + i] = w[1][1];
    }
    steady = change < 2e-4;
  }
  keep(c, n, flow);
  trial_close(&t);
  return good;
}

bool validate_grid_cavity(bool quick)
{
  printf("## A cavity that a lid drives\n\nFluid2D in a unit square, the lid moves with 1 m/s; velocities on the lines "
         "through the middle beside Ghia, Ghia and Shin (1982), largest differences of 15 points each, in parts of the "
         "lid's speed. A finer grid begins with the flow of the one before.\n\n| Reynolds number | cells along a side "
         "| u | v | "
         "steady after [s] |\n| --- | --- | --- | --- | "
         "--- |\n");
  static const int sizes[2][2] = {{32, 64}, {64, 96}};
  bool good = true;
  for (int which = 0; which < (quick ? 1 : 2); which++) {
    Flow flow = {0};
    for (int k = 0; k < (quick ? 1 : 2) && good; k++) {
      Cavity c = {0};
      good = run_cavity(sizes[which][k], which, &c, &flow);
      printf("| %d | %d | %.2f %% | %.2f %% | %g |\n", which ? 1000 : 100, sizes[which][k], 100 * c.u, 100 * c.v,
             c.time);
      fflush(stdout);
      if (which == 0 || k == 1) good = good && c.u < 0.02 && c.v < 0.02;
    }
    free(flow.u);
  }
  printf("\n");
  return good;
}

// --- vortices ---

static double vortex_rate(int n, double nu)
{
  const double h = 1.0 / n, dt = 0.4 * h;
  Trial t;
  if (!open_box(&t, n, dt, nu, "")) return NAN;
  dvCells *c = dv_fluid_grid(trial_find(&t, "fluid"));
  double *u = c->u.data, sum[2] = {0};
  int steps = (int)(1 / dt);
  for (int pass = 0; pass < 2; pass++) {
    for (int s = 0; s < steps && pass; s++)
      if (dv_scene_step(t.scene, 0) != DV_OK) return NAN;
    for (int j = 1; j <= n; j++)
      for (int i = 1; i <= n; i++) {
        size_t at = dv_cells_at(c, i, j, 0);
        double su = sin(pi * (i - 1) * h) * cos(pi * (j - 0.5) * h),
               sv = -cos(pi * (i - 0.5) * h) * sin(pi * (j - 1) * h);
        if (!pass) u[at] = su, u[c->count + at] = sv;
        sum[pass] += u[at] * su + u[c->count + at] * sv;
      }
    if (!pass) dv_cells_wall(c, u);
  }
  trial_close(&t);
  return log(sum[0] / sum[1]) / (steps * dt) / (2 * pi * pi * nu);
}

bool validate_grid_vortices(bool quick)
{
  printf("## Vortices on a grid\n\nA vortex of 1 m/s in a unit square whose walls let it slip, for 1 s: the rate of "
         "decay over 2 pi^2 nu, nu = 0.01 m2/s.\n\n| cells along a side | rate | error | order |\n| --- | --- | --- | "
         "--- |\n");
  double before = NAN, last = NAN, order = NAN;
  for (int n = 16; n <= (quick ? 32 : 128); n *= 2) {
    double rate = vortex_rate(n, 0.01);
    last = rate - 1;
    printf("| %d | %.5f | %+.2f %% |", n, rate, 100 * last);
    if (isfinite(before)) printf(" %.2f |\n", order = order_of(before, last, 2));
    else printf(" |\n");
    before = last;
  }
  printf("\n");
  return fabs(last) < 0.01 && (order > 1.5 || fabs(last) < 0.001);
}

// --- the pressure of a large grid ---

static double seconds(clockid_t which)
{
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool validate_grid_pressure(bool quick)
{
  printf(
      "## The pressure of a grid\n\nRandom velocities in a box, alone; with a surface; with a ball: until the "
      "divergence has fallen to 1e-5 (2-norm), from no pressure. Two threads.\n\n| cells | in it | iterations | time "
      "[s] | processor time [s] |\n| --- | --- | --- | --- | --- |\n");
  bool good = true;
  static const char *const names[] = {"fluid", "fluid and air", "fluid and a ball"};
  for (int n = 32; n <= (quick ? 32 : 128); n *= 2)
    for (int kind = 0; kind < 3; kind++) {
      dvCells c = {.pool = dv_pool_create(2),
                   .h = 1.0 / n,
                   .density = 1000,
                   .slip = true,
                   .tolerance = 1e-5,
                   .most = 100,
                   .surface = kind == 1,
                   .solids = kind == 2};
      if (!dv_cells_open(&c, (const int[]){n + 2, n + 2, n + 2})) return false;
      for (int k = 0; k < n + 2; k++)
        for (int j = 0; j < n + 2; j++)
          for (int i = 0; i < n + 2; i++) {
            size_t at = dv_cells_at(&c, i, j, k);
            double x = i - 0.4 * n, y = j - 0.3 * n, z = k - 0.5 * n;
            c.phi.data[at] = fmin(5, fmax(-5, j - 0.6 * n - 4 * sin(0.2 * i) * cos(0.1 * k)));
            if (kind == 2) c.solid.data[at] = sqrt(x * x + y * y + z * z) - 0.15 * n;
          }
      dv_cells_open_faces(&c);
      dv_cells_classify(&c);
      srand(1);
      for (size_t i = 0; i < c.u.count; i++) c.u.data[i] = rand() / (double)RAND_MAX - 0.5 + sin(0.001 * (double)i);
      dv_cells_wall(&c, c.u.data);
      double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
      dvCellsReport r = dv_cells_project(&c, 0.01);
      printf("| %d^3 | %s | %d | %.3f | %.3f |\n", n, names[kind], r.iterations, seconds(CLOCK_MONOTONIC) - wall,
             seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
      good = good && r.reached;
      dvPool *pool = c.pool;
      dv_cells_free(&c);
      dv_pool_destroy(&pool);
    }
  printf("\n");
  return good;
}

// --- pulse waves ---

// the time at which a wave's top passes a point, by a parabola through three values
typedef struct Top {
  double value, time, last[2];
} Top;

static void watch(Top *t, double time, double dt, double value)
{
  double a = t->last[1], b = t->last[0];
  if (b > t->value && b >= a && b >= value)
    t->value = b, t->time = time - dt + 0.5 * dt * (a - value) / (a - 2 * b + value);
  t->last[1] = b, t->last[0] = value;
}

bool validate_vessels(bool quick)
{
  printf(
      "## Pulse waves in a vessel\n\nVesselNetwork, a metre of a vessel of 1 cm radius with walls of 1 mm and 0.4 "
      "MPa; a pulse of 1 cm3/s that takes some 12 ms. Speed between a quarter and three quarters of the way, theory: "
      "sqrt(2 E h / (3 rho r)).\n\n| length of a piece [mm] | speed [m/s] | theory | error | order | height of the "
      "wave, "
      "error |\n| --- | --- | --- | --- | --- | --- |\n");
  double before = NAN, last = NAN;
  for (double piece = 0.02; piece > (quick ? 0.004 : 0.002); piece /= 2) {
    const double dt = 0.0005, theory = sqrt(2 * 4e5 * 0.001 / (3 * 1060 * 0.01));
    dvText text = {0};
    dv_text_printf(&text,
                   "<Node dt='%g'><DefaultAnimationLoop/><MechanicalObject name='dofs'/><Node name='V'><MeshTopology "
                   "position='0 0 0  0.25 0 0  0.75 0 0  1 0 0' edges='0 1  1 2  2 3'/><VesselNetwork name='n' "
                   "radius='0.01' thickness='0.001' youngModulus='400000' cellLength='%.17g' restPressure='0' "
                   "viscosity='0' resistance='0' inflow='1e-6 * exp(-((t - 0.03) / 0.006)^2)'/></Node></Node>",
                   dt, piece * (1 + 1e-9));
    Trial t;
    bool good = trial_open(&t, text.text);
    dv_text_free(&text);
    if (!good) return false;
    const dvBloodFlow *v = dv_network_vessels(trial_find(&t, "V/n"));
    Top first = {0}, second = {0};
    for (int i = 1; i <= 440; i++) {
      if (dv_scene_step(t.scene, 0) != DV_OK) return false;
      watch(&first, i * dt, dt, dv_blood_pressure(v, 1)), watch(&second, i * dt, dt, dv_blood_pressure(v, 2));
    }
    double speed = 0.5 / (second.time - first.time), height = 1060 * theory / (pi * 1e-4) * 1e-6;
    last = speed / theory - 1;
    printf("| %.3g | %.5g | %.5g | %+.3f %% |", 1000 * piece, speed, theory, 100 * last);
    if (isfinite(before)) printf(" %.2f |", order_of(before, last, 2));
    else printf(" |");
    printf(" %+.2f %% |\n", 100 * (second.value / height - 1));
    before = last;
    trial_close(&t);
  }
  printf("\n");
  return fabs(last) < 0.01;
}
