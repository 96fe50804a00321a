// Fluids of particles beside theory: standing pressure, Poiseuille flow, Taylor-Green vortices, a block that floats.
#include "validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// --- scenes ---

// A block of particles n[0] x n[1] x n[2] at the distance d, its first corner at the origin.
static void add_block(dvText *t, const int n[3], double d, const double low[3])
{
  dv_text_add(t, "<MechanicalObject name='dofs' position='");
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++)
        dv_text_printf(t, "%.10g %.10g %.10g ", low[0] + (x + 0.5) * d, low[1] + (y + 0.5) * d, low[2] + (z + 0.5) * d);
  dv_text_printf(t, "'/><UniformMass vertexMass='%.17g'/>", 1000 * d * d * d);
}

static void add_plane(dvText *t, const char *name, double y, double x0, double x1, double z1, const char *fields)
{
  dv_text_printf(t,
                 "<Node name='%s'><MeshTopology position='%g %g 0  %g %g 0  %g %g %g  %g %g %g' quads='0 1 2 3'/>"
                 "<MechanicalObject name='points'/><FluidBoundary %s/></Node>",
                 name, x0, y, x1, y, x1, y, z1, x0, y, z1, fields);
}

static bool run(Trial *t, int steps)
{
  for (int i = 0; i < steps; i++)
    if (dv_scene_step(t->scene, 0) != DV_OK) return false;
  return true;
}

static double number(const Trial *t, const char *object, const char *field)
{
  return *(const double *)dv_object_field(trial_find(t, object), field)->value;
}

// --- standing pressure ---

bool validate_fluid_standing(bool quick)
{
  const int n[3] = {6, quick ? 12 : 24, 6};
  const double d = 0.02, h = n[1] * d, g = 9.81;
  dvText text = {0};
  dv_text_printf(&text, "<Node gravity='0 %g 0' dt='0.002'><EulerExplicitSolver/>", -g);
  add_block(&text, n, d, (const double[3]){0});
  dv_text_printf(&text,
                 "<IncompressibleFluidForceField name='fluid' radius='%g' density='1000' viscosity='%g' "
                 "period='%g 0 %g' tolerance='0.0001'/>",
                 2 * d, 2.0, n[0] * d, n[2] * d);
  add_plane(&text, "Floor", 0, 0, n[0] * d, n[2] * d, "");
  dv_text_add(&text, "</Node>");
  Trial t;
  bool good = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!good) return false;
  good = run(&t, quick ? 150 : 400);
  enum { STEPS = 50 };
  double worst = 0, floor = 0, slope_xx = 0, slope_xy = 0, error = 0;
  const dvReals *p = dv_object_field(trial_find(&t, "fluid"), "pressure")->value;
  const dvState *points = dv_state(trial_find(&t, "Floor/points"));
  double *mean = calloc(t.dofs->count, sizeof *mean);
  for (int i = 0; i < STEPS && good; i++) {
    good = run(&t, 1);
    for (size_t k = 0; k < t.dofs->count && p->count == t.dofs->count; k++) mean[k] += p->data[k] / STEPS;
    for (size_t k = 0; k < points->count; k++) floor -= dv_state_read(points, DV_F)[3 * k + 1] / STEPS;
    error = fmax(error, number(&t, "fluid", "densityError"));
  }
  const double *x = dv_state_read(t.dofs, DV_X);
  double top = 0, mean_p = 0, mean_y = 0, count = 0;
  for (size_t k = 0; k < t.dofs->count; k++) top = fmax(top, x[3 * k + 1] + 0.5 * d);
  for (size_t k = 0; k < t.dofs->count; k++) {
    double y = x[3 * k + 1];
    if (y < 3 * d || y > top - 3 * d) continue;
    mean_p += mean[k], mean_y += y, count++;
  }
  mean_p /= count, mean_y /= count;
  for (size_t k = 0; k < t.dofs->count; k++) {
    double y = x[3 * k + 1];
    if (y < 3 * d || y > top - 3 * d) continue;
    slope_xx += (y - mean_y) * (y - mean_y), slope_xy += (y - mean_y) * (mean[k] - mean_p);
    worst = fmax(worst, fabs(mean[k] - 1000 * g * (h - y)) / (1000 * g * h));
  }
  double weight = 1000 * g * h * n[0] * n[2] * d * d, slope = -slope_xy / slope_xx / (1000 * g),
         level = mean_p / (1000 * g * (h - mean_y));
  printf("## Standing pressure\n\nA column of %d layers of particles, 2 cm apart, on a floor between periodic ends, at "
         "rest.\n\n| quantity | value | theory | error |\n| --- | --- | --- | --- |\n",
         n[1]);
  printf("| force on the floor [N] | %.5g | %.5g | %+.2f %% |\n", floor, weight, 100 * (floor / weight - 1));
  printf("| slope of the pressure [Pa/m] | %.5g | %.5g | %+.2f %% |\n", 9810 * slope, 9810.0, 100 * (slope - 1));
  printf("| mean pressure inside [Pa] | %.5g | %.5g | %+.2f %% |\n", mean_p, 9810 * (h - mean_y), 100 * (level - 1));
  printf("| pressure of a particle, largest error [Pa at the floor] | | | %.2f %% |\n", 100 * worst);
  printf("| mean excess of density | %.2g | 0 | |\n| height [m] | %.5g | %.5g | %+.2f %% |\n\n", error, top, h,
         100 * (top / h - 1));
  free(mean);
  trial_close(&t);
  return good && fabs(floor / weight - 1) < 0.01 && fabs(level - 1) < 0.01 && error < 1e-3;
}

// --- Poiseuille ---

bool validate_fluid_channel(bool quick)
{
  printf("## Poiseuille flow\n\nA fluid of 1000 kg/m3 and 10 Pa s between plates 0.1 m apart, driven by 1 m/s2 along "
         "them; speeds from least squares with the parabola.\n\n| particles across | largest speed [m/s] | theory | "
         "error | a layer's mean, largest deviation | a particle's |\n| --- | --- | --- | --- | --- | --- |\n");
  bool good = true;
  for (int across = 10; across <= (quick ? 10 : 20); across *= 2) {
    const int n[3] = {6, across, 6};
    const double gap = 0.1, d = gap / across, mu = 10, g = 1, peak = 1000 * g * gap * gap / (8 * mu);
    dvText text = {0};
    dv_text_printf(&text, "<Node gravity='%g 0 0' dt='0.005'><EulerExplicitSolver/>", g);
    add_block(&text, n, d, (const double[3]){0});
    dv_text_printf(&text,
                   "<IncompressibleFluidForceField name='fluid' radius='%g' density='1000' viscosity='%g' "
                   "period='%g 0 %g'/>",
                   2 * d, mu, n[0] * d, n[2] * d);
    add_plane(&text, "Floor", 0, 0, n[0] * d, n[2] * d, "");
    add_plane(&text, "Lid", gap, 0, n[0] * d, n[2] * d, "");
    dv_text_add(&text, "</Node>");
    Trial t;
    bool open = trial_open(&t, text.text);
    dv_text_free(&text);
    if (!open) return false;
    good = run(&t, 120) && good;   // 0.6 s: the slowest part decays with 10 1/s
    const double *x = dv_state_read(t.dofs, DV_X), *v = dv_state_read(t.dofs, DV_V);
    double xx = 0, xy = 0, worst = 0;
    for (size_t k = 0; k < t.dofs->count; k++) {
      double y = x[3 * k + 1] / gap, shape = 4 * y * (1 - y);
      xx += shape * shape, xy += shape * v[3 * k];
    }
    double found = xy / xx;
    enum { LAYERS = 20 };
    double off[LAYERS] = {0}, many[LAYERS] = {0}, mean = 0;   // layers as wide as particles are apart
    for (size_t k = 0; k < t.dofs->count; k++) {
      double y = x[3 * k + 1] / gap, here = (v[3 * k] - peak * 4 * y * (1 - y)) / peak;
      int layer = (int)fmin(fmax(y * across, 0), across - 1);
      off[layer] += here, many[layer]++;
      worst = fmax(worst, fabs(here));
    }
    for (int k = 0; k < across; k++)
      if (many[k] > 0) mean = fmax(mean, fabs(off[k] / many[k]));
    printf("| %d | %.5g | %.5g | %+.2f %% | %.2f %% | %.2f %% |\n", across, found, peak, 100 * (found / peak - 1),
           100 * mean, 100 * worst);
    good = good && fabs(found / peak - 1) < (across > 10 ? 0.02 : 0.05);
    trial_close(&t);
  }
  printf("\n");
  return good;
}

// --- Taylor-Green ---

// the decay of the speed in the pattern that it starts with; `reach` of the kernel, in distances of particles
static double vortex_rate(int n, double reach, double mu, double *error)
{
  const int block[3] = {n, n, (int)ceil(2 * reach)};
  const double size = 1, d = size / n, k = 2 * pi / size, u = 0.1, dt = 0.25 * d / u * 0.2;
  dvText text = {0};
  dv_text_printf(&text, "<Node gravity='0 0 0' dt='%.17g'><EulerExplicitSolver/>", dt);
  add_block(&text, block, d, (const double[3]){0});
  dv_text_printf(&text,
                 "<IncompressibleFluidForceField name='fluid' radius='%.17g' density='1000' viscosity='%.17g' "
                 "period='%g %g %.17g' pulls='1'/></Node>",
                 reach * d, mu, size, size, block[2] * d);
  Trial t;
  bool open = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!open) return NAN;
  double *v = dv_state_write(t.dofs, DV_V), rate = 1000 / mu, time = 0.4 * rate / (2 * k * k), amplitude[2] = {0};
  const double *x = dv_state_read(t.dofs, DV_X);
  for (size_t i = 0; i < t.dofs->count; i++) {
    v[3 * i] = u * sin(k * x[3 * i]) * cos(k * x[3 * i + 1]);
    v[3 * i + 1] = -u * cos(k * x[3 * i]) * sin(k * x[3 * i + 1]);
  }
  int steps = (int)ceil(time / dt);
  for (int phase = 0; phase < 2; phase++) {
    if (phase && !run(&t, steps)) return NAN;
    x = dv_state_read(t.dofs, DV_X);
    const double *w = dv_state_read(t.dofs, DV_V);
    for (size_t i = 0; i < t.dofs->count; i++)
      amplitude[phase] += w[3 * i] * sin(k * x[3 * i]) * cos(k * x[3 * i + 1]) -
                          w[3 * i + 1] * cos(k * x[3 * i]) * sin(k * x[3 * i + 1]);
  }
  *error = number(&t, "fluid", "densityError");
  trial_close(&t);
  return log(amplitude[0] / amplitude[1]) / (steps * dt) / (2 * k * k * mu / 1000);
}

bool validate_fluid_vortices(bool quick)
{
  printf(
      "## Taylor-Green vortices\n\nVortices of 0.1 m/s in a periodic square of 1 m, Reynolds number 10 (from the wave "
      "length), until the speed has fallen to two thirds; the rate of decay over 8 pi^2 nu. What a kernel smooths away "
      "is of second order in its radius. With a radius of 2 distances (the usual one) the sum over the neighbours in a "
      "lattice is 2 %% more than the integral, whatever the distance: errors end there. With more neighbours the order "
      "shows, and where the radius falls slower than the distance, as theory asks for, both errors fall.\n\n| radius "
      "[distances] | particles along a side | rate | error | order in the radius | mean excess of density |\n| --- | "
      "--- | --- | --- | --- | --- |\n");
  static const double reaches[][2] = {{2, 0}, {4, 0}, {3, 1.0 / 3}};   // of 12 particles, and the power it grows with
  bool good = true;
  for (int k = 0; k < (quick ? 1 : 3); k++) {
    double before = NAN, last = NAN, order = NAN;
    for (int n = 12; n <= (quick ? 12 : 48); n *= 2) {
      double reach = reaches[k][0] * pow(n / 12.0, reaches[k][1]), excess = 0,
             rate = vortex_rate(n, reach, 10, &excess);
      last = rate - 1;
      printf("| %.3g | %d | %.4f | %+.2f %% | ", reach, n, rate, 100 * last);
      if (before == before) printf("%.2f", order = order_of(before, last, pow(2, 1 - reaches[k][1])));
      printf(" | %.2g |\n", excess);
      fflush(stdout);
      before = last;
    }
    good = good && fabs(last) < (quick ? 0.2 : 0.05) && (k == 0 || order > 1.7);
  }
  printf("\n");
  return good;
}

// --- a block that floats ---

// A closed box of six quads, normals outward.
static void add_box(dvText *t, const double low[3], const double high[3], bool open)
{
  dv_text_add(t, "<MeshTopology position='");
  for (int c = 0; c < 8; c++)
    dv_text_printf(t, "%.10g %.10g %.10g ", c & 1 ? high[0] : low[0], c & 4 ? high[1] : low[1],
                   c & 2 ? high[2] : low[2]);
  dv_text_printf(t, "' quads='0 1 3 2  0 4 5 1  1 5 7 3  3 7 6 2  2 6 4 0%s'/>", open ? "" : "  4 6 7 5");
}

// Water around the block where it should float, which stands a centimetre higher.
static void add_floating(dvText *t, double d, double tank, double size, double draught, double level)
{
  const int across = (int)(tank / d + 0.5), high = (int)(level / d + 0.5);
  const double low = 0.5 * (tank - size), bottom = level - draught;
  dv_text_add(t, "<MechanicalObject name='dofs' position='");
  for (int z = 0; z < across; z++)
    for (int y = 0; y < high; y++)
      for (int x = 0; x < across; x++) {
        double p[3] = {(x + 0.5) * d, (y + 0.5) * d, (z + 0.5) * d};
        bool inside = p[1] > bottom;
        for (int k = 0; k < 3; k += 2) inside = inside && p[k] > low && p[k] < tank - low;
        if (!inside) dv_text_printf(t, "%.10g %.10g %.10g ", p[0], p[1], p[2]);
      }
  dv_text_printf(t, "'/><UniformMass vertexMass='%.17g'/>", 1000 * d * d * d);
}

bool validate_fluid_block(bool quick)
{
  printf("## A block that floats\n\nA cube of 20 cm and 750 kg/m3, a rigid body with a mapped mesh, in a tank of 40 x "
         "40 cm with 34 kg of water: by Archimedes it goes 15 cm deep. It is let go a centimetre higher; what it "
         "displaces, from its height and the volume of the water, in the mean of a period of its bobbing (0.78 s), "
         "after half a second.\n\n"
         "| distance of particles [m] | displaced [kg] | mass [kg] | error | order | tilt [degrees] |\n"
         "| --- | --- | --- | --- | --- | --- |\n");
  bool good = true;
  double before = NAN;
  static const double distances[] = {0.05, 0.025};
  for (size_t i = 0; i < (quick ? 1 : DV_COUNT(distances)); i++) {
    const double d = distances[i], tank = 0.4, size = 0.2, mass = 750 * size * size * size, inertia = size * size / 6,
                 half = 0.5 * size, area = size * size, level = 0.25, draught = 0.15, dt = 0.0025,
                 water = tank * tank * level - area * draught;
    dvText text = {0};
    dv_text_printf(&text, "<Node gravity='0 -9.81 0' dt='%g'><EulerExplicitSolver/>", dt);
    add_floating(&text, d, tank, size, draught, level);
    dv_text_printf(&text, "<IncompressibleFluidForceField name='fluid' radius='%g' viscosity='5'/><Node name='Tank'>",
                   2 * d);
    add_box(&text, (const double[3]){0}, (const double[3]){tank, 0.5, tank}, true);
    dv_text_printf(&text,
                   "<FluidBoundary friction='0'/></Node><Node name='Block'><MechanicalObject name='body' "
                   "template='Rigid3' position='%g %g %g 0 0 0 1'/><UniformMass vertexMass='%.17g 1 %.17g 0 0 0 "
                   "%.17g 0 0 0 %.17g'/><Node>",
                   tank / 2, level - draught + half + 0.01, tank / 2, mass, inertia, inertia, inertia);
    add_box(&text, (const double[3]){-half, -half, -half}, (const double[3]){half, half, half}, false);
    dv_text_add(&text, "<MechanicalObject name='mesh'/><RigidMapping/><FluidBoundary/></Node></Node></Node>");
    Trial t;
    bool open = trial_open(&t, text.text);
    dv_text_free(&text);
    if (!open) return false;
    bool ran = run(&t, 200);
    enum { STEPS = 312 };
    const dvState *body = dv_state(trial_find(&t, "Block/body"));
    double y = 0, tilt = 0;
    for (int k = 0; k < STEPS && ran; k++) {
      ran = run(&t, 1);
      const double *x = dv_state_read(body, DV_X);
      y += x[1] / STEPS;
      tilt = fmax(tilt, 2 * asin(fmin(1, hypot(x[3], x[5]))) * 180 / pi);
    }
    double bottom = y - half, stands = (water - area * bottom) / (tank * tank - area),
           displaced = 1000 * area * (stands - bottom), error = displaced / mass - 1;
    printf("| %.4g | %.4g | %.4g | %+.1f %% | ", d, displaced, mass, 100 * error);
    if (before == before) printf("%.2f", order_of(before, error, distances[i - 1] / d));
    printf(" | %.1f |\n", tilt);
    fflush(stdout);
    good = good && ran && fabs(error) < (before == before ? 0.05 : 0.2);
    before = error;
    trial_close(&t);
  }
  printf("\n");
  return good;
}
