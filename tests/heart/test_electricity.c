// Potentials of heart muscle: cells beside closed forms, conduction beside modes that decay, speeds of waves beside
// theory and their order, fronts beside distances, refractory tissue, re-entry and its end, electrodes, bad input.
#include "topology/report.h"

#include "heart/cells.h"
#include "heart/eikonal.h"
#include "heart/tusscher.h"
#include "state/state.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// --- cells ---

static void advance(const dvCell *c, double h, int steps, double *u, double *w, double stimulus)
{
  dvCells one = {1, u, w, &stimulus, NULL};
  DV_KERNEL_CHOOSE(dv_cell_kernels)->advance[c->law](c->p, h, steps, one);
}

static void cells_rest_fire_and_recover(void **state)
{
  DV_UNUSED(state);
  for (int law = 0; law < DV_CELL_LAWS; law++) {
    dvCell c = {.law = (dvCellLaw)law};
    memcpy(c.p, dv_cell_defaults[law], sizeof c.p);
    assert_null(dv_cell_problem(&c));
    double u = 0, w = dv_cell_rest(&c, 0);
    advance(&c, 1e-4, 1000, &u, &w, 0);
    check_close(u, 0, 1e-12);
    check_close(w, dv_cell_rest(&c, 0), 1e-12);
    double highest = 0;
    advance(&c, 1e-4, 20, &u, &w, 300);
    for (int i = 0; i < 400; i++) {
      advance(&c, 1e-4, 1, &u, &w, 0);
      highest = fmax(highest, u);
    }
    assert_true(highest > 0.8 && highest < 1.1);
    advance(&c, 1e-4, 30000, &u, &w, 0);
    check_close(u, 0, 1e-3);
  }
}

// --- the cell of ten Tusscher and Panfilov ---

typedef struct Human {
  double u, w[DV_TUSSCHER_STATES];
  dvTusscherTables tables;
} Human;

static double millivolt(const Human *c) { return DV_TUSSCHER_REST + DV_TUSSCHER_RANGE * c->u; }

static void live(Human *c, double h, int steps, double stimulus)
{
  dv_tusscher_prepare(&c->tables, h);
  DV_KERNEL_CHOOSE(dv_tusscher_kernels)
      ->advance(&(dvTusscherCells){1, 1, &c->u, c->w, &stimulus, NULL, dv_cell_defaults[DV_TEN_TUSSCHER], &c->tables},
                steps);
}

// The third of three beats at 1 Hz, stimulated by 52 pA/pF for 1 ms as in the paper: it rests at -85 mV, rises with
// some 290 V/s to some 35 mV, has a plateau, and is over after about 300 ms (H1090, H1091, figures 1 and 5 there).
static void a_human_cell_has_its_action_potential(void **state)
{
  DV_UNUSED(state);
  Human c = {0};
  memcpy(c.w, dv_tusscher_start, sizeof c.w);
  const double h = 2e-5;
  live(&c, h, 5000, 0);   // the state of the benchmark rests
  check_close(millivolt(&c), -85.23, 0.3);
  double steepest = 0, peak = -100, plateau = 0, rest = 0, over = 0, calcium = 0;
  for (int beat = 0; beat < 3; beat++) {
    rest = millivolt(&c);
    steepest = over = calcium = 0, peak = -100;
    for (int i = 0; i < 50000; i++) {   // 1 s
      double before = millivolt(&c);
      live(&c, h, 1, i < 50 ? 52e3 / DV_TUSSCHER_RANGE : 0);
      double now = millivolt(&c);
      steepest = fmax(steepest, 1e-3 * (now - before) / h);
      peak = fmax(peak, now);
      calcium = fmax(calcium, c.w[DV_TT_CA]);
      if (i == 5000) plateau = now;
      if (over == 0 && i > 1000 && now < peak - 0.9 * (peak - rest)) over = i * h;
    }
  }
  dv_tusscher_free(&c.tables);
  print_message("rest %.2f mV, %.0f V/s, peak %.1f mV, plateau %.1f mV, APD90 %.1f ms, calcium %.2g mM\n", rest,
                steepest, peak, plateau, 1e3 * over, calcium);
  check_close(rest, -85.4, 0.6);
  assert_true(steepest > 200 && steepest < 400);
  assert_true(peak > 25 && peak < 45);
  assert_true(plateau > 5 && plateau < 30);
  check_close(1e3 * over, 303, 15);
  assert_true(calcium > 3e-4 && calcium < 1.5e-3);
}

// The midpoint rule with exponential gates has order 2, until the tables' grid is seen.
static void a_human_cell_has_order_2(void **state)
{
  DV_UNUSED(state);
  double result[3];
  for (int i = 0; i < 3; i++) {
    Human c = {0};
    memcpy(c.w, dv_tusscher_start, sizeof c.w);
    int steps = i == 2 ? 4096 : 128 << i;
    live(&c, 2e-3 / steps, steps, 300);
    live(&c, 4e-3 / (2 * steps), 2 * steps, 0);
    result[i] = millivolt(&c);
    dv_tusscher_free(&c.tables);
  }
  double order = log2(fabs(result[0] - result[2]) / fabs(result[1] - result[2]));
  print_message("%.6f %.6f %.6f mV: order %.2f\n", result[0], result[1], result[2], order);
  assert_true(order > 1.6 && order < 2.6);
}

// Runge and Kutta: the error falls by 16 with half the step
static void cells_have_order_4(void **state)
{
  DV_UNUSED(state);
  dvCell c = {.law = DV_ALIEV_PANFILOV};
  memcpy(c.p, dv_cell_defaults[c.law], sizeof c.p);
  double result[3];
  for (int i = 0; i < 3; i++) {
    int steps = i == 2 ? 4096 : 32 << i;
    double u = 0.4, w = 0;
    advance(&c, 0.02 / steps, steps, &u, &w, 0);
    result[i] = u;
  }
  double order = log2(fabs(result[0] - result[2]) / fabs(result[1] - result[2]));
  check_close(order, 4, 0.3);
}

// Cells that are excited again after a rest stay excited as long as is said, and fall back with the same w each time;
// where excitation is much faster than recovery that is the 4 t_in / t_out of the paper.
static void durations_are_those_of_mitchell_and_schaeffer(void **state)
{
  DV_UNUSED(state);
  static const double parameters[3][5] = {
      {5e-6, 1e-4, 0.12, 0.15, 0.13}, {0.0003, 0.006, 0.12, 0.15, 0.13}, {0.0003, 0.006, 0.05, 0.09, 0.13}};
  for (int k = 0; k < 3; k++) {
    dvCell c = {.law = DV_MITCHELL_SCHAEFFER};
    memcpy(c.p, parameters[k], sizeof parameters[k]);
    dv_cell_settle(&c);
    double quick = c.p[0] / 15, u = 0, w = 1;
    if (k == 0) check_close(c.fallen, 4 * c.p[0] / c.p[1], 0.01);
    for (double rest = 0.8; rest > 0.05; rest /= 2) {
      double time = 0, n = ceil(1e-4 / quick), h = 1e-4 / n;
      for (double t = 0; t < rest; t += 1e-4) advance(&c, h, (int)n, &u, &w, 0);
      for (double t = 0; t < 1e-3; t += 1e-4) advance(&c, h, (int)n, &u, &w, 2e3), time += 1e-4;
      while (u > c.p[4] && time < 1) advance(&c, h, (int)n, &u, &w, 0), time += 1e-4;
      check_close(time, dv_cell_duration(&c, rest), 0.002);
      check_close(w, c.fallen, 0.003);
    }
  }
}

// Parameters at the edge: durations are finite where w falls to nothing, and cells without a wave leave speeds alone.
static void odd_cells_have_durations_and_speeds(void **state)
{
  DV_UNUSED(state);
  dvCell quick = {.law = DV_MITCHELL_SCHAEFFER, .p = {0.0003, 0.006, 0.12, 4e-6, 0.13}},
         still = {.law = DV_MITCHELL_SCHAEFFER, .p = {0.0003, 0.0013, 0.12, 0.15, 0.13}};
  assert_null(dv_cell_problem(&quick));
  assert_null(dv_cell_problem(&still));
  dv_cell_settle(&quick);
  dv_cell_settle(&still);
  double duration = dv_cell_duration(&quick, 1);
  assert_true(duration > 0 && duration < 0.01);
  check_close(dv_cell_speed(&still, 1e-4), 0, 0);
  check_close(dv_cell_restitution(&still, 0.2), 1, 0);
}

// --- conduction ---

// the fibres of a grid cut into tetrahedra: all along one direction
static char *along(size_t tetrahedra, const char *direction)
{
  dvText t = {0};
  for (size_t i = 0; i < tetrahedra; i++) dv_text_printf(&t, "%s ", direction);
  return t.text;
}

typedef struct Bar {
  dvScene *scene;
  dvState *u;
} Bar;

// nx x 2 x 2 points of a bar along x
static Bar open_bar(int nx, double length, const char *rest, const char *solver, const char *direction, double dt)
{
  char *fibres = along((size_t)(nx - 1) * 6, direction);
  double width = length / (nx - 1);
  dvText t = {0};
  dv_text_printf(&t, "<Node dt='%.17g'><DefaultAnimationLoop/><MeshTopology name='m' position='", dt);
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 2; y++)
      for (int x = 0; x < nx; x++)
        dv_text_printf(&t, "%.17g %.17g %.17g ", length * x / (nx - 1), y * width, z * width);
  dv_text_add(&t, "' tetrahedra='");
  static const int cut[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  for (int x = 0; x + 1 < nx; x++)
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < 4; i++)
        dv_text_printf(&t, "%d ", x + (cut[k][i] & 1) + nx * (cut[k][i] >> 1 & 1) + 2 * nx * (cut[k][i] >> 2));
  dv_text_printf(&t, "'/>%s<ElectricalState name='u'/><%s fibres='%s'/></Node>", rest, solver, fibres);
  Bar b = {.scene = check_scene(t.text, 1)};
  b.u = dv_state(check_find(b.scene, "u"));
  dv_text_free(&t);
  dv_free(fibres);
  return b;
}

// a cosine decays with D (pi / L)^2, along fibres four times as fast as across; what there is stays
static void modes_decay_by_the_diffusivity(void **state)
{
  DV_UNUSED(state);
  static const char *const directions[] = {"1 0 0", "0 1 0"};
  for (int k = 0; k < 2; k++)
    for (int lumped = 0; lumped < 3; lumped++) {   // halves
      enum { N = 41 };
      double length = 0.04, d = 1e-4 * (k ? 0.25 : 1), rate = d * pi * pi / (length * length);
      char *solver = dv_format("MonodomainSolver name='s' step='0.001' lumping='%g' tolerance='1e-12'", 0.5 * lumped);
      Bar b = open_bar(N, length, "<TissueZone indices='0-163' conduction='1'/>", solver, directions[k], 0.1);
      double *u = dv_state_write(b.u, DV_X), before = 0, after = 0;
      for (size_t i = 0; i < b.u->count; i++) u[i] = 0.5 + 0.3 * cos(pi * (double)(i % N) / (N - 1));
      for (size_t i = 0; i < b.u->count; i++) before += u[i] * (i % N && i % N + 1 < N ? 1 : 0.5);
      check_steps(b.scene, 10);
      const double *now = dv_state_read(b.u, DV_X);
      for (size_t i = 0; i < b.u->count; i++) after += now[i] * (i % N && i % N + 1 < N ? 1 : 0.5);
      check_close((now[0] - 0.5) / 0.3, exp(-rate), 2e-3 * exp(-rate));
      if (lumped == 2) check_close(after / before, 1, 2e-3);
      check_close_scene(&b.scene);
      dv_free(solver);
    }
}

static double speed_in_bar(const char *cell, int nx, double length, double step)
{
  char *solver = dv_format("MonodomainSolver name='s' anisotropyRatio='1' diffusivity='1e-4' step='%g' %s", step, cell);
  Bar b = open_bar(nx, length, "<CardiacStimulus center='0 0 0' radius='0.002' strength='1000' duration='0.002'/>",
                   solver, "1 0 0", 0.01);
  check_steps(b.scene, 30);
  const dvReals *t = dv_object_field(check_find(b.scene, "s"), "activation")->value;
  size_t i = (size_t)(0.4 * (nx - 1)), j = (size_t)(0.8 * (nx - 1));
  double speed = length * (double)(j - i) / (nx - 1) / (t->data[j] - t->data[i]),
         theory = *(const double *)dv_object_field(check_find(b.scene, "s"), "speed")->value;
  check_close_scene(&b.scene);
  dv_free(solver);
  return speed / theory;
}

// speeds go to those of theory with the square of the mesh; the recovery variable moves a little during the upstroke
static void waves_have_the_speed_of_theory(void **state)
{
  DV_UNUSED(state);
  static const char *const cells[] = {"parameters='0.0003 0.006 0.12 0.15 0.13'", "cell='AlievPanfilov'",
                                      "cell='FitzHughNagumo' parameters='260 0.13 10 1.3 1'"};
  for (int k = 0; k < 3; k++) {
    double coarse = speed_in_bar(cells[k], 41, 0.02, 1e-4), fine = speed_in_bar(cells[k], 81, 0.02, 5e-5),
           finest = speed_in_bar(cells[k], 161, 0.02, 2.5e-5), order = log2(fabs((coarse - fine) / (fine - finest)));
    print_message("speed over theory %.4f %.4f %.4f, order %.2f\n", coarse, fine, finest, order);
    check_close(finest, 1, 0.03);
    check_close(order, 2, 0.6);
  }
}

// what a law has when no parameters are given carries a wave, whose speed the recovery variable changes little
static void waves_go_on_with_the_defaults(void **state)
{
  DV_UNUSED(state);
  static const char *const laws[] = {"MitchellSchaeffer", "AlievPanfilov", "FitzHughNagumo"};
  for (int k = 0; k < 3; k++) {
    char *cell = dv_format("cell='%s'", laws[k]);
    double speed = speed_in_bar(cell, 81, 0.02, 1e-4);
    print_message("%s: speed over theory %.4f\n", laws[k], speed);
    check_close(speed, 0.96, 0.05);
    dv_free(cell);
  }
}

static double middle_speed(const Bar *b, int nx, double length)
{
  const dvReals *t = dv_object_field(check_find(b->scene, "s"), "activation")->value;
  size_t i = (size_t)(0.4 * (nx - 1)), j = (size_t)(0.8 * (nx - 1));
  return length * (double)(j - i) / (nx - 1) / (t->data[j] - t->data[i]);
}

// speed of a second wave that follows after `period` over that of the first
static double second_speed(const char *solver, int nx, double period)
{
  const double length = 0.04;
  char *pulses = dv_format("<CardiacStimulus center='0 0 0' radius='0.002' period='%g' count='2'/>", period);
  Bar b = open_bar(nx, length, pulses, solver, "1 0 0", 0.01);
  check_steps(b.scene, 25);
  double first = middle_speed(&b, nx, length);
  check_steps(b.scene, (int)(period / 0.01));
  double second = middle_speed(&b, nx, length);
  check_close_scene(&b.scene);
  dv_free(pulses);
  return second / first;
}

// A wave in tissue that has rested little is slower, in cells and in fronts alike.
static void second_waves_are_slower(void **state)
{
  DV_UNUSED(state);
  static const double periods[] = {0.32, 0.38, 0.44, 0.6};
  for (int k = 0; k < 4; k++) {
    double cells = second_speed("MonodomainSolver name='s' anisotropyRatio='1' lumping='0.5'", 161, periods[k]),
           fronts = second_speed("EikonalSolver name='s' anisotropyRatio='1'", 41, periods[k]),
           never = second_speed("EikonalSolver name='s' anisotropyRatio='1' restitution='0'", 41, periods[k]);
    print_message("second wave after %g s: %.3f of the speed of the first in cells, %.3f in fronts\n", periods[k],
                  cells, fronts);
    check_close(fronts, cells, 0.05);
    check_close(never, 1, 1e-9);
    if (k == 0) assert_true(cells < 0.8);
  }
}

// on a mesh that hardly resolves the front, lumped masses make waves slow and full ones fast; half of each is right
static void half_lumped_masses_have_the_best_speed(void **state)
{
  DV_UNUSED(state);
  double speed[3], fine = speed_in_bar("lumping='0.5'", 161, 0.02, 2.5e-5);
  for (int k = 0; k < 3; k++) {
    char *fields = dv_format("lumping='%g'", 0.5 * k);
    speed[k] = speed_in_bar(fields, 41, 0.02, 2.5e-5) / fine - 1;
    dv_free(fields);
  }
  print_message("speed over that of a fine mesh: full masses %+.2f %%, half %+.2f %%, lumped %+.2f %%\n",
                100 * speed[0], 100 * speed[1], 100 * speed[2]);
  assert_true(speed[0] > 0.03 && speed[2] < -0.03);
  assert_true(fabs(speed[1]) < 0.2 * fmin(speed[0], -speed[2]));
}

// halving the step divides the error by four: splitting of order 2
static void splitting_has_order_2(void **state)
{
  DV_UNUSED(state);
  double result[3];
  static const double steps[] = {8e-4, 4e-4, 2.5e-5};
  for (int k = 0; k < 3; k++) {
    char *solver = dv_format("MonodomainSolver name='s' cell='FitzHughNagumo' step='%g' tolerance='1e-13'", steps[k]);
    Bar b = open_bar(21, 0.01, "", solver, "1 0 0", 0.004);
    double *u = dv_state_write(b.u, DV_X);
    for (size_t i = 0; i < b.u->count; i++) u[i] = 0.5 + 0.4 * cos(pi * (double)(i % 21) / 20);
    check_steps(b.scene, 1);
    result[k] = dv_state_read(b.u, DV_X)[5];
    check_close_scene(&b.scene);
    dv_free(solver);
  }
  check_close(log2(fabs((result[0] - result[2]) / (result[1] - result[2]))), 2, 0.25);
}

// --- fronts ---

static char *cube(int n, double size, const char *rest, const char *solver, const char *direction)
{
  dvText t = {0};
  char *fibres = along((size_t)((n - 1) * (n - 1) * (n - 1)) * 6, direction);
  dv_text_add(&t, "<Node dt='0.01'><DefaultAnimationLoop/><MeshTopology name='m' position='");
  for (int i = 0; i < n * n * n; i++)
    dv_text_printf(&t, "%.17g %.17g %.17g ", size * (i % n) / (n - 1), size * (i / n % n) / (n - 1),
                   size * (i / n / n) / (n - 1));
  dv_text_add(&t, "' tetrahedra='");
  static const int cut[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  for (int c = 0; c < (n - 1) * (n - 1) * (n - 1); c++) {
    int x = c % (n - 1), y = c / (n - 1) % (n - 1), z = c / (n - 1) / (n - 1);
    for (int k = 0; k < 6; k++)
      for (int i = 0; i < 4; i++)
        dv_text_printf(&t, "%d ",
                       x + (cut[k][i] & 1) + n * (y + (cut[k][i] >> 1 & 1)) + n * n * (z + (cut[k][i] >> 2)));
  }
  dv_text_printf(&t, "'/>%s<ElectricalState name='u'/><%s fibres='%s'/></Node>", rest, solver, fibres);
  dv_free(fibres);
  return t.text;
}

static double front_error(int n, const char *direction)
{
  char *text = cube(n, 0.02, "<CardiacStimulus indices='0'/>",
                    "EikonalSolver name='s' speed='0.5' anisotropyRatio='0.25'", direction);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 15);
  const dvReals *t = dv_object_field(check_find(s, "s"), "activation")->value;
  double d[3], sum = 0, most = 0, c = 0.5;
  assert_int_equal(sscanf(direction, "%lf %lf %lf", &d[0], &d[1], &d[2]), 3);
  double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int i = 1; i < n * n * n; i++) {
    double x[3] = {0.02 * (i % n) / (n - 1), 0.02 * (i / n % n) / (n - 1), 0.02 * (i / n / n) / (n - 1)}, l2 = 0, a = 0;
    for (int k = 0; k < 3; k++) l2 += x[k] * x[k], a += x[k] * d[k] / length;
    double exact = sqrt(a * a + 4 * (l2 - a * a)) / c;
    sum += fabs(t->data[i] - exact);
    most = fmax(most, exact);
    assert_true(t->data[i] >= exact - 1e-9);   // a front never arrives too early
  }
  check_close_scene(&s);
  dv_free(text);
  return sum / (n * n * n) / most;
}

static void fronts_go_to_distances(void **state)
{
  DV_UNUSED(state);
  static const char *const directions[] = {"1 0 0", "1 1 0", "1 -2 0.5"};
  for (int k = 0; k < 3; k++) {
    double coarse = front_error(9, directions[k]), fine = front_error(17, directions[k]);
    assert_true(coarse < 0.12);
    assert_true(fine < 0.7 * coarse);   // order 1, less a logarithm at the source
  }
}

// from a whole face a front is a plane, and exact
static void plane_fronts_are_exact(void **state)
{
  DV_UNUSED(state);
  char *text =
      cube(7, 0.02,
           "<CardiacStimulus name='a' indices='0 7 14 21 28 35 42 49 56 63 70 77 84 91 98 105 112 119 126 133 140 "
           "147 154 161 168 175 182 189 196 203 210 217 224 231 238 245 252 259 266 273 280 287 294 "
           "301 308 315 322 329 336'/>",
           "EikonalSolver name='s' speed='0.5' anisotropyRatio='1'", "1 0 0");
  dvScene *s = check_scene(text, 1);
  check_steps(s, 5);
  const dvReals *t = dv_object_field(check_find(s, "s"), "activation")->value;
  for (int i = 0; i < 343; i++) check_close(t->data[i], 0.02 * (i % 7) / 6 / 0.5, 1e-12);
  check_close_scene(&s);
  dv_free(text);
}

static int excitations(dvScene *s)
{
  return *(const int32_t *)dv_object_field(check_find(s, "s"), "excitations")->value;
}

static void refractory_tissue_is_not_excited(void **state)
{
  DV_UNUSED(state);
  char *text = cube(5, 0.02,
                    "<CardiacStimulus name='a' indices='0'/><CardiacStimulus name='b' indices='124' start='0.15'/>"
                    "<CardiacStimulus name='c' indices='124' start='0.5'/>",
                    "EikonalSolver name='s' anisotropyRatio='1'", "1 0 0");
  dvScene *s = check_scene(text, 1);
  check_steps(s, 12);
  assert_int_equal(excitations(s), 125);
  check_steps(s, 30);
  assert_int_equal(excitations(s), 125);   // the second stimulus found nothing that could be excited
  check_steps(s, 30);
  assert_int_equal(excitations(s), 250);
  check_steps(s, 60);
  assert_int_equal(excitations(s), 250);   // and nothing runs on by itself
  check_close_scene(&s);
  dv_free(text);
}

// A ring: two fronts meet and go out. With a block beside the stimulus the front goes around, and when the block has
// gone away meanwhile, around again, until a lesion cuts the ring.
static void fronts_go_around_until_the_ring_is_cut(void **state)
{
  DV_UNUSED(state);
  enum { N = 60 };
  for (int blocked = 0; blocked < 2; blocked++) {
    dvText t = {0};
    dv_text_add(&t, "<Node dt='0.01'><DefaultAnimationLoop/><MeshTopology name='m' position='");
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 4; k++)
        dv_text_printf(&t, "%.17g %.17g %.17g ", (0.03 + 0.002 * (k & 1)) * cos(2 * pi * i / N),
                       (0.03 + 0.002 * (k & 1)) * sin(2 * pi * i / N), 0.002 * (k >> 1));
    dv_text_add(&t, "' tetrahedra='");
    static const int cut[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 6; k++)
        for (int c = 0; c < 4; c++) dv_text_printf(&t, "%d ", 4 * ((i + (cut[k][c] >> 2)) % N) + (cut[k][c] & 3));
    // 0.4 m/s: 0.5 s around
    dv_text_add(
        &t, "'/><CardiacStimulus name='a' indices='0-3'/><TissueZone name='lesion' indices='120-123' start='2.5'/>");
    if (blocked) dv_text_add(&t, "<TissueZone name='block' indices='228-231' end='0.2'/>");
    dv_text_add(&t, "<ElectricalState name='u'/><EikonalSolver name='s' speed='0.4' anisotropyRatio='1' "
                    "parameters='0.0003 0.006 0.05 0.1 0.13'/></Node>");
    dvScene *s = check_scene(t.text, 1);
    dv_text_free(&t);
    check_steps(s, 100);
    int once = excitations(s);
    check_steps(s, 140);
    int often = excitations(s);
    check_steps(s, 110);
    int last = excitations(s);
    check_steps(s, 100);
    if (!blocked) assert_true(once == 4 * N && often == once && last == once);
    else assert_true(once > 4 * N && often > once + 8 * N && excitations(s) == last);
    check_close_scene(&s);
  }
}

// --- electrodes ---

// far away, a small cube with a potential that rises along x is a dipole
static void electrodes_see_a_dipole(void **state)
{
  DV_UNUSED(state);
  char *text = cube(5, 0.002, "", "EikonalSolver name='s' anisotropyRatio='1'", "1 0 0");
  char *end = strstr(text, "</Node>");
  *end = 0;
  char *whole = dv_format(
      "%s<PseudoECG name='e' electrodes='0.101 0.001 0.001  0.001 0.101 0.001' diffusivity='1e-4'/></Node>", text);
  dvScene *s = check_scene(whole, 1);
  dvState *u = dv_state(check_find(s, "u"));
  const dvReals *leads = dv_object_field(check_find(s, "e"), "leads")->value;
  double *x = dv_state_write(u, DV_X);
  for (size_t i = 0; i < u->count; i++) x[i] = 0.25 * (double)(i % 5);
  dvObject *e = check_find(s, "e");
  e->cls->end_step(e);
  double slope = 1 / 0.002, dipole = 1e-4 * slope * 8e-9, r = 0.1;
  check_close(leads->data[0], -dipole / (4 * pi * r * r), 0.01 * dipole / (4 * pi * r * r));
  check_close(leads->data[1], 0, 0.01 * dipole / (4 * pi * r * r));
  for (size_t i = 0; i < u->count; i++) x[i] = 1;
  e->cls->end_step(e);
  check_close(leads->data[0], 0, 1e-12 * dipole / (4 * pi * r * r) + 1e-25);
  check_close_scene(&s);
  dv_free(whole);
  dv_free(text);
}

// A front that goes along a strip of 120 mm: the deflection lasts as long as that takes, whether tissue recovers later
// (1.2 m/s), less than 50 ms after it (0.6 m/s) or meanwhile (0.3 m/s). Cells are excited for 241 ms. Recovery is not
// counted, and the next beat is a deflection of its own.
static void deflections_are_those_of_excitation(void **state)
{
  DV_UNUSED(state);
  static const double speeds[] = {1.2, 0.6, 0.3};
  const double length = 0.12, dt = 0.0025;
  for (size_t i = 0; i < DV_COUNT(speeds); i++) {
    dvText text = {0};
    dv_text_printf(&text, "<Node dt='%g'><DefaultAnimationLoop/><MeshTopology name='m' ", dt);
    check_add_tetra_box(&text, (const int[3]){60, 1, 1}, 0.002);
    dv_text_printf(&text,
                   "/><CardiacStimulus center='0 0 0' radius='0.003' period='1.2'/><ElectricalState/>"
                   "<EikonalSolver name='fronts' anisotropyRatio='1' speed='%g' fall='0.002'/>"
                   "<PseudoECG name='ecg' electrodes='-0.01 0 0.03  0.06 0.03 0  0.13 0 0.03'/></Node>",
                   speeds[i]);
    dvScene *s = check_scene(text.text, 1);
    const double *duration = dv_object_field(check_find(s, "ecg"), "duration")->value;
    const dvReals *leads = dv_object_field(check_find(s, "ecg"), "leads")->value;
    double passes = length / speeds[i], recovering = 0, exciting = 0;
    for (int beat = 0; beat < 2; beat++) {
      for (int k = 0; k < 480; k++) {
        double now = 0;
        check_steps(s, 1);
        for (size_t l = 0; l < leads->count; l++) now = fmax(now, fabs(leads->data[l]));
        double *most = (k + 1) * dt > passes + 0.01 ? &recovering : &exciting;
        *most = fmax(*most, now);
      }
      print_message("%g m/s, beat %d: excited in %.0f ms, deflection of %.0f ms, recovery %.2f as high\n", speeds[i],
                    beat, 1e3 * passes, 1e3 * *duration, recovering / exciting);
      assert_true(recovering > 0.2 * exciting);   // far above the threshold
      check_close(*duration, passes, 3 * dt);
    }
    check_close_scene(&s);
    dv_text_free(&text);
  }
}

// --- bad input ---

#define TETRA "<MeshTopology name='m' position='0 0 0 0.01 0 0 0 0.01 0 0 0 0.01' tetrahedra='0 1 2 3'/>"

static void bad_electricity_is_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *scene, *says;
  } bad[] = {
      {TETRA "<ElectricalState/><MonodomainSolver/>", "there are no fibres"},
      {TETRA "<ElectricalState/><EikonalSolver/>", "there are no fibres"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='0 0 0'/>", "no direction"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0 1 0 0'/>", "2 fibres for 1 tetrahedra"},
      {TETRA "<MonodomainSolver fibres='1 0 0'/>", "no state for the potential"},
      {TETRA "<MechanicalObject/><EikonalSolver fibres='1 0 0'/>", "one number a point"},
      {"<ElectricalState size='3'/><MonodomainSolver/>", ""},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' theta='0.2'/>", "theta"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' step='0'/>", "step"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' lumping='1.5'/>", "share of 1.5"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' diffusivity='-1'/>", "diffusivity"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' parameters='1 2'/>", "2 parameters"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' parameters='1 2 3 4 0.1'/>",
       "nothing is ever excited"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' tolerance='1e300'/>",
       "no solution is found to 1e+300"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0' window='10'/>", "fronts would wait"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0' diffusivity='-1'/>", "the diffusivity is -1"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0' rise='1e300'/>", "cannot rise in 1e+300 s"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0' fall='1'/>", "fall in 1 s"},
      {TETRA "<CardiacStimulus indices='0' strength='1e300'/>", "the strength is 1e+300"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0' speed='-1'/>", "cannot move"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0' anisotropyRatio='0'/>", "ratio"},
      {TETRA "<CardiacStimulus center='1 1 1'/><ElectricalState/><EikonalSolver fibres='1 0 0'/>",
       "outside of the tissue"},
      {TETRA "<CardiacStimulus center='1 1 1'/><ElectricalState/><MonodomainSolver fibres='1 0 0'/>",
       "outside of the tissue"},
      {TETRA "<CardiacStimulus indices='4'/><ElectricalState/><EikonalSolver fibres='1 0 0'/>", "no point 4"},
      {TETRA "<CardiacStimulus/><ElectricalState/><EikonalSolver fibres='1 0 0'/>", "nothing is stimulated"},
      {TETRA "<CardiacStimulus indices='0' period='0.001' duration='0.002'/><ElectricalState/>", "the next one begins"},
      {TETRA "<CardiacStimulus indices='0' start='-1'/><ElectricalState/><EikonalSolver fibres='1 0 0'/>",
       "before the scene starts"},
      {TETRA "<TissueZone center='1 1 1'/><ElectricalState/><EikonalSolver fibres='1 0 0'/>", "outside of the tissue"},
      {TETRA "<TissueZone segments='1'/><ElectricalState/><EikonalSolver fibres='1 0 0'/>",
       "0 labels for 1 tetrahedra"},
      {TETRA "<TissueZone segments='1' labels='2'/><ElectricalState/><EikonalSolver fibres='1 0 0'/>",
       "no tetrahedron has one of these labels"},
      {TETRA "<TissueZone tetrahedra='1'/><ElectricalState/><EikonalSolver fibres='1 0 0'/>", "no tetrahedron 1"},
      {TETRA "<TissueZone indices='0' conduction='-1'/><ElectricalState/>", "conducts -1"},
      {TETRA "<TissueZone/>", "the zone has no place"},
      {TETRA "<TissueZone indices='0' start='2' end='1'/>", "from 2 to 1 s"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0'/><PseudoECG electrodes='1e300 0 0'/>", "electrode 0"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0'/><PseudoECG electrodes='1 0 0' threshold='-1'/>",
       "nothing is -1"},
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0'/><PseudoECG/>", "no electrodes"},
      {TETRA "<PseudoECG electrodes='1 0 0'/>", "no potential"},
      {TETRA "<ElectricalState position='0 0 5 0'/><MonodomainSolver fibres='1 0 0'/>", "is 5 at point 2"},
      {TETRA "<ElectricalState/><MonodomainSolver fibres='1 0 0' parameters='1e-9 0.006 0.12 0.15 0.13'/>",
       "cells would change within 2 us, which no cell of the heart does (parameters)"},
      {TETRA
       "<ElectricalState/><MonodomainSolver fibres='1 0 0' cell='TenTusscherPanfilov' parameters='100 0 0 0 0 0'/>",
       "a conductance is above 60 nS/pF"},
      {TETRA "<CardiacStimulus indices='0' start='1e300'/>", "no pulse from 1e+300 of 0.002 every 0 s (start)"},
      {TETRA "<TissueZone indices='0' conduction='1e300'/><ElectricalState/>", "conducts 1e+300"},
      {TETRA "<TissueZone indices='0' stiffness='1e-300'/><ElectricalState/>", "1e-300 times as stiff"},
  };
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    Report r;
    char *text = dv_format("<Node><DefaultAnimationLoop/>%s</Node>", bad[i].scene);
    report_start(&r, text);
    if (r.status != DV_ERROR_INPUT) print_error("not refused: %s\n", bad[i].scene);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, bad[i].says);
    report_end(&r);
    dv_free(text);
  }
}

#define CELL TETRA "<ElectricalState/><CardiacStimulus indices='0'/><MonodomainSolver fibres='1 0 0' "

// scenes that run, and in which nothing would happen
static void quiet_electricity_is_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *scene, *says;
  } odd[] = {
      {TETRA "<ElectricalState/><EikonalSolver fibres='1 0 0'/>", "there is no stimulus"},
      {CELL "diffusivity='0'/>", "nothing is conducted"},
      {TETRA "<TissueZone tetrahedra='0' stiffness='20'/>", "no law asks how stiff the zone is"},
      {CELL "/><CardiacStimulus indices='1' duration='0'/>", "500 1/s for 0 s excites nothing"},
      {CELL "/><CardiacStimulus indices='1' strength='-500'/>", "-500 1/s for 0.002 s excites nothing"},
      {"<CardiacStimulus indices='0'/><Node>" CELL "/></Node>", "CardiacStimulus has no effect: no tissue"},
      {"<TissueZone indices='0'/><Node>" CELL "/></Node>", "TissueZone has no effect: no tissue"},
      {CELL "/><EikonalSolver name='e' fibres='1 0 0'/>", "of the same node solves the potential, too"},
      {CELL "/><TissueZone tetrahedra='0'/>", "no cell there can be excited: all 1 points"},
      {TETRA "<ElectricalState/><CardiacStimulus indices='0'/><EikonalSolver fibres='1 0 0' speed='100'/>",
       "at a speed of 100 m/s a front would pass"},
      {TETRA "<ElectricalState/><CardiacStimulus indices='0'/><EikonalSolver fibres='1 0 0' speed='1e-9'/>",
       "at a speed of 1e-09 m/s"},
      {TETRA "<ElectricalState/><CardiacStimulus indices='0'/><EikonalSolver fibres='1 0 0' parameters='0.3 6 120 150 "
             "0.13'/>",
       "times are in s, not in ms (parameters)"},
      {CELL "cell='AlievPanfilov' parameters='12.9 8 0.15 0.002 0.2 0.3'/>", "times are in s, not in ms"},
      {CELL "/><PseudoECG electrodes='150 0 0'/>", "electrode 0 is 150 m away"},
      {CELL "/><PseudoECG electrodes='0.002 0.002 0.002'/>", "electrode 0 is within the tissue, in tetrahedron 0"},
      {CELL "/><PseudoECG electrodes='1 0 0' diffusivity='0'/>", "the electrodes will see nothing (diffusivity)"},
      {CELL "/><CardiacStimulus center='0 0 0' radius='5'/>",
       "all 4 points of the tissue are within the radius 5: nothing is left to spread to"},
      {CELL "/><CardiacStimulus indices='0' start='100'/>", "that is when the first pulse begins; times are in s"},
      {CELL "/><CardiacStimulus indices='0' duration='2'/>", "duration is 2 s: cells are excited for some 0.3 s"},
      {CELL "/><CardiacStimulus indices='0' period='800'/>", "period is 800 s: one beat in so long"},
      {CELL "step='1'/><CardiacStimulus indices='0'/>", "lasts 0.002 s: steps of 0.01 s may pass over it"},
      {CELL "/><CardiacStimulus indices='0' duration='1e-6' period='1e-3'/>", "no tissue follows"},
      {CELL "/>", "edges are 12 mm long, and a front is 0.58 mm wide"},
      {CELL "cell='TenTusscherPanfilov'/>", "wide"},
      {"<EulerExplicitSolver/><MechanicalObject position='0 0 0'/><UniformMass/><Node>" TETRA
       "<ElectricalState/><CardiacStimulus indices='0'/><EikonalSolver fibres='1 0 0'/></Node>",
       "the potential will never be solved: EulerExplicitSolver1"},
  };
  for (size_t i = 0; i < DV_COUNT(odd); i++) {
    Report r;
    char *text = dv_format("<Node><DefaultAnimationLoop/>%s</Node>", odd[i].scene);
    report_good(&r, text);
    report_says(&r, odd[i].says);
    report_end(&r);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cells_rest_fire_and_recover),
                                     cmocka_unit_test(cells_have_order_4),
                                     cmocka_unit_test(a_human_cell_has_its_action_potential),
                                     cmocka_unit_test(a_human_cell_has_order_2),
                                     cmocka_unit_test(durations_are_those_of_mitchell_and_schaeffer),
                                     cmocka_unit_test(odd_cells_have_durations_and_speeds),
                                     cmocka_unit_test(modes_decay_by_the_diffusivity),
                                     cmocka_unit_test(waves_have_the_speed_of_theory),
                                     cmocka_unit_test(waves_go_on_with_the_defaults),
                                     cmocka_unit_test(second_waves_are_slower),
                                     cmocka_unit_test(half_lumped_masses_have_the_best_speed),
                                     cmocka_unit_test(splitting_has_order_2),
                                     cmocka_unit_test(fronts_go_to_distances),
                                     cmocka_unit_test(plane_fronts_are_exact),
                                     cmocka_unit_test(refractory_tissue_is_not_excited),
                                     cmocka_unit_test(fronts_go_around_until_the_ring_is_cut),
                                     cmocka_unit_test(electrodes_see_a_dipole),
                                     cmocka_unit_test(deflections_are_those_of_excitation),
                                     cmocka_unit_test(bad_electricity_is_told),
                                     cmocka_unit_test(quiet_electricity_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
