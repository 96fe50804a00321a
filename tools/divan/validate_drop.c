// Surface tension of fluids on grids beside theory: the pressure in a drop (Laplace), and how it swings (Rayleigh).
#include "validate.h"

#include "fluid/cells/parts.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;

// Water, a drop of 1 mm in a box of three times its size, no gravity. The drop is the ball (disc) with its radius
// changed by `amplitude` times cos 2a in the plane, P2(cos a) in space.
static const double density = 1000, tension = 0.072, radius = 0.001;

static double shape_at(bool plane, double amplitude, const double x[3], double *slope)
{
  double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), c = r > 0 ? x[1] / r : 0, s = sqrt(fmax(0, 1 - c * c));
  *slope = amplitude * (plane ? 4 : 3) * c * s;   // of the radius by the angle
  double wave = plane ? 2 * c * c - 1 : 0.5 * (3 * c * c - 1);
  // the second term keeps the area or the volume
  return 1 + amplitude * wave - amplitude * amplitude * (plane ? 0.25 : 0.2);
}

static bool open_drop(Trial *t, bool plane, int across, double amplitude)
{
  const double h = radius / across, dt = 0.9 * sqrt(density * h * h * h / (4 * pi * tension));
  const int n = 3 * across + 2;
  dvText text = {0};
  dv_text_printf(&text,
                 "<Node dt='%.17g' gravity='0 0 0'><DefaultAnimationLoop/><MechanicalObject name='dofs'/>"
                 "<Fluid%dD name='fluid' nx='%d' ny='%d' %s='%d' cellwidth='%.17g' height='0' tstop='0' "
                 "surfaceTension='%g' keepVolume='1'/></Node>",
                 dt, plane ? 2 : 3, n, n, plane ? "maxIterations" : "nz", plane ? 100 : n, h, tension);
  bool good = trial_open(t, text.text);
  dv_text_free(&text);
  if (!good) return false;
  dvCells *c = dv_fluid_grid(trial_find(t, "fluid"));
  for (int k = 0; k < c->n[2]; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const double middle = 0.5 * (n - 1),
                     x[3] = {(i - middle) / across, (j - middle) / across, plane ? 0 : (k - middle) / across};
        double slope, r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), to = shape_at(plane, amplitude, x, &slope);
        double d = across * (r - to) / sqrt(1 + slope * slope / (to * to));
        c->phi.data[dv_cells_at(c, i, j, k)] = fmin(fmax(d, -DV_CELLS_BAND), DV_CELLS_BAND);
      }
  dv_cells_classify(c);
  dv_fluid_grid_keep(trial_find(t, "fluid"));
  return true;
}

// the pressure inside, mean of the cells two widths from the surface and further, and the largest speed
static void look_inside(const dvCells *c, double *pressure, double *speed)
{
  double sum = 0, count = 0;
  for (size_t i = 0; i < c->count; i++)
    if (c->kind.data[i] == DV_CELL_FLUID && c->phi.data[i] < -2) sum += c->press.data[i], count++;
  *pressure = sum / count * c->density * c->h;
  *speed = dv_cells_fastest(c);
}

static bool validate_jump(bool quick)
{
  printf("## The pressure in a drop\n\nA drop of 1 mm radius of water (0.072 N/m) on a grid, without gravity, after "
         "100 steps: pressure inside beside Laplace's law, and the largest speed that is left, in parts of "
         "sqrt(sigma / (rho R)).\n\n| in | cells along a radius | pressure [Pa] | theory | error | speed left |\n"
         "| --- | --- | --- | --- | --- | --- |\n");
  bool good = true;
  for (int plane = 1; plane >= 0; plane--)
    for (int across = 8; across <= (plane && !quick ? 32 : 16) && (plane || across == 8 || !quick); across *= 2) {
      Trial t;
      if (!open_drop(&t, plane, across, 0)) return false;
      const dvCells *c = dv_fluid_grid(trial_find(&t, "fluid"));
      double pressure, speed, theory = (plane ? 1 : 2) * tension / radius;
      for (int i = 0; i < 100 && good; i++) good = dv_scene_step(t.scene, 0) == DV_OK;
      look_inside(c, &pressure, &speed);
      printf("| %s | %d | %.5g | %.5g | %+.2f %% | %.2g |\n", plane ? "the plane" : "space", across, pressure, theory,
             100 * (pressure / theory - 1), speed / sqrt(tension / (density * radius)));
      fflush(stdout);
      good = good && fabs(pressure / theory - 1) < 0.01;
      trial_close(&t);
    }
  printf("\n");
  return good;
}

// how much longer it is than wide
static double stretch_of(const dvCells *c)
{
  double sum = 0, plane = c->axes == 2;
  for (int k = 0; k < c->n[2]; k++)
    for (int j = 1; j < c->n[1] - 1; j++)
      for (int i = 1; i < c->n[0] - 1; i++) {
        double x = i - 0.5 * (c->n[0] - 1), y = j - 0.5 * (c->n[1] - 1), z = k - 0.5 * (c->n[2] - 1);
        double part = fmin(fmax(0.5 - c->phi.data[dv_cells_at(c, i, j, k)], 0), 1);
        sum += part * (plane ? y * y - x * x : 2 * y * y - x * x - z * z);
      }
  return sum;
}

// The time between the first and the third passage through the ball, one period; 0 when there are not so many.
static double period_of(Trial *t, double dt, int most, double *kept)
{
  const dvCells *c = dv_fluid_grid(trial_find(t, "fluid"));
  double before = stretch_of(c), start = before, first = 0, lowest = 0, highest = 0;
  int passages = 0;
  for (int i = 0; i < most; i++) {
    if (dv_scene_step(t->scene, 0) != DV_OK) return 0;
    double now = stretch_of(c);
    lowest = fmin(lowest, now);
    if (passages >= 2) highest = fmax(highest, now);
    if ((now < 0) != (before < 0)) {
      double time = dt * (i + before / (before - now));
      if (++passages == 1) first = time;
      else if (passages == 3) return *kept = highest / start, time - first;
    }
    before = now;
  }
  return 0;
}

static bool validate_swing(bool quick)
{
  printf(
      "## A drop that swings\n\nThe same drop, stretched by 5 %% at the start; the frequency of a period beside "
      "Rayleigh's: 2 pi f = sqrt(6 sigma / (rho R^3)) in the plane, sqrt(8 sigma / (rho R^3)) in space; and what is "
      "left of the stretch after a period (there is no viscosity but that of the grid).\n\n| in | cells along a radius "
      "| frequency [Hz] | theory | error | order | stretch that is left |\n| --- | --- | --- | --- | --- | --- | --- "
      "|\n");
  bool good = true;
  for (int plane = 1; plane >= 0; plane--) {
    static const int sizes[2][3] = {{6, 9, 12}, {8, 16, 32}};
    double before = NAN;
    for (int s = 0; s < (quick ? 1 : 3) && good; s++) {
      const int across = sizes[plane][s];
      Trial t;
      if (!open_drop(&t, plane, across, 0.05)) return false;
      const double theory = sqrt((plane ? 6 : 8) * tension / (density * radius * radius * radius)) / (2 * pi),
                   dt = t.scene->root->dt;
      double kept = 0, period = period_of(&t, dt, (int)(2 / (theory * dt)), &kept), error = 1 / period / theory - 1;
      printf("| %s | %d | %.5g | %.5g | %+.2f %% | ", plane ? "the plane" : "space", across, 1 / period, theory,
             100 * error);
      if (isfinite(before)) printf("%.2f", order_of(before, error, (double)across / sizes[plane][s - 1]));
      printf(" | %.2f |\n", kept);
      fflush(stdout);
      good = good && fabs(error) < 0.05;
      before = error;
      trial_close(&t);
    }
  }
  printf("\n");
  return good;
}

bool validate_grid_drop(bool quick)
{
  bool jump = validate_jump(quick);
  return validate_swing(quick) && jump;
}
