// The human cell beside a second one that is written down here from the paper, without tables and with short steps of
// order 1, and waves of it in a cable beside finite differences with that second cell. What the solver of a slab gives
// then follows from the mesh alone.
#include "topology/report.h"

#include "heart/cells.h"
#include "heart/tusscher.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- the second cell: mV, ms, mM; K. ten Tusscher and A. Panfilov (2006), epicardium ---

typedef struct Plain {
  double v, y[DV_TUSSCHER_STATES];
} Plain;

static Plain plain_start(void)
{
  Plain c = {.v = -85.23};
  static const struct {
    dvTusscherState which;
    double value;
  } start[] = {{DV_TT_XR1, 0.00621}, {DV_TT_XR2, 0.4712}, {DV_TT_XS, 0.0095},    {DV_TT_M, 0.00172},
               {DV_TT_H, 0.7444},    {DV_TT_J, 0.7045},   {DV_TT_D, 3.373e-5},   {DV_TT_F, 0.7888},
               {DV_TT_F2, 0.9755},   {DV_TT_S, 0.999998}, {DV_TT_R, 2.42e-8},    {DV_TT_FCASS, 0.9953},
               {DV_TT_CA, 0.000126}, {DV_TT_CASR, 3.64},  {DV_TT_CASS, 0.00036}, {DV_TT_RELEASE, 0.9073},
               {DV_TT_NA, 8.604},    {DV_TT_K, 136.89}};
  for (size_t i = 0; i < DV_COUNT(start); i++) c.y[start[i].which] = start[i].value;
  return c;
}

static void relax(double *y, double h, double inf, double tau) { *y = inf + (*y - inf) * exp(-h / tau); }

static void plain_sodium_gates(double *y, double v, double h)
{
  double alpha_h = 0, alpha_j = 0, beta_h = 0.77 / (0.13 * (1 + exp(-(v + 10.66) / 11.1))),
         beta_j = 0.6 * exp(0.057 * v) / (1 + exp(-0.1 * (v + 32)));
  if (v < -40) {
    alpha_h = 0.057 * exp(-(v + 80) / 6.8);
    beta_h = 2.7 * exp(0.079 * v) + 3.1e5 * exp(0.3485 * v);
    alpha_j =
        (-2.5428e4 * exp(0.2444 * v) - 6.948e-6 * exp(-0.04391 * v)) * (v + 37.78) / (1 + exp(0.311 * (v + 79.23)));
    beta_j = 0.02424 * exp(-0.01052 * v) / (1 + exp(-0.1378 * (v + 40.14)));
  }
  double open = pow(1 + exp((v + 71.55) / 7.43), -2), alpha_m = 1 / (1 + exp((-60 - v) / 5)),
         beta_m = 0.1 / (1 + exp((v + 35) / 5)) + 0.1 / (1 + exp((v - 50) / 200));
  relax(&y[DV_TT_M], h, pow(1 + exp((-56.86 - v) / 9.03), -2), alpha_m * beta_m);
  relax(&y[DV_TT_H], h, open, 1 / (alpha_h + beta_h));
  relax(&y[DV_TT_J], h, open, 1 / (alpha_j + beta_j));
}

static void plain_gates(double *y, double v, double h)
{
  plain_sodium_gates(y, v, h);
  relax(&y[DV_TT_XR1], h, 1 / (1 + exp((-26 - v) / 7)),
        450 / (1 + exp((-45 - v) / 10)) * 6 / (1 + exp((v + 30) / 11.5)));
  relax(&y[DV_TT_XR2], h, 1 / (1 + exp((v + 88) / 24)),
        3 / (1 + exp((-60 - v) / 20)) * 1.12 / (1 + exp((v - 60) / 20)));
  relax(&y[DV_TT_XS], h, 1 / (1 + exp((-5 - v) / 14)),
        1400 / sqrt(1 + exp((5 - v) / 6)) / (1 + exp((v - 35) / 15)) + 80);
  relax(&y[DV_TT_S], h, 1 / (1 + exp((v + 20) / 5)),
        85 * exp(-(v + 45) * (v + 45) / 320) + 5 / (1 + exp((v - 20) / 5)) + 3);
  relax(&y[DV_TT_R], h, 1 / (1 + exp((20 - v) / 6)), 9.5 * exp(-(v + 40) * (v + 40) / 1800) + 0.8);
  relax(&y[DV_TT_D], h, 1 / (1 + exp((-8 - v) / 7.5)),
        (1.4 / (1 + exp((-35 - v) / 13)) + 0.25) * 1.4 / (1 + exp((v + 5) / 5)) + 1 / (1 + exp((50 - v) / 20)));
  relax(&y[DV_TT_F], h, 1 / (1 + exp((v + 20) / 7)),
        1102.5 * exp(-(v + 27) * (v + 27) / 225) + 200 / (1 + exp((13 - v) / 10)) + 180 / (1 + exp((v + 30) / 10)) +
            20);
  relax(&y[DV_TT_F2], h, 0.67 / (1 + exp((v + 35) / 7)) + 0.33,
        562 * exp(-(v + 27) * (v + 27) / 240) + 31 / (1 + exp((25 - v) / 10)) + 80 / (1 + exp((v + 30) / 10)));
  double x = y[DV_TT_CASS] / 0.05;
  relax(&y[DV_TT_FCASS], h, 0.6 / (1 + x * x) + 0.4, 80 / (1 + x * x) + 2);
}

// one step of h ms with a stimulus in mV/ms
static void plain_step(Plain *c, double h, double stimulus)
{
  const double rt_f = 8314.472 * 310 / 96485.3415, f_rt = 1 / rt_f, faraday = 96485.3415, capacitance = 0.185,
               volume = 0.016404, volume_sr = 0.001094, volume_ss = 5.468e-5, k_o = 5.4, na_o = 140, ca_o = 2;
  double *y = c->y, v = c->v, ca = y[DV_TT_CA], casr = y[DV_TT_CASR], cass = y[DV_TT_CASS], na = y[DV_TT_NA],
         k = y[DV_TT_K], r = y[DV_TT_RELEASE], m = y[DV_TT_M];
  double e_k = rt_f * log(k_o / k), e_na = rt_f * log(na_o / na), e_ca = 0.5 * rt_f * log(ca_o / ca),
         e_ks = rt_f * log((k_o + 0.03 * na_o) / (k + 0.03 * na));
  double a_k1 = 0.1 / (1 + exp(0.06 * (v - e_k - 200))),
         b_k1 = (3 * exp(0.0002 * (v - e_k + 100)) + exp(0.1 * (v - e_k - 10))) / (1 + exp(-0.5 * (v - e_k)));
  double shifted = v - 15, both = exp(2 * shifted * f_rt);
  double i_na = 14.838 * m * m * m * y[DV_TT_H] * y[DV_TT_J] * (v - e_na), i_bna = 0.00029 * (v - e_na),
         i_cal = 3.98e-5 * y[DV_TT_D] * y[DV_TT_F] * y[DV_TT_F2] * y[DV_TT_FCASS] * 4 * shifted * faraday * f_rt *
                 (0.25 * cass * both - ca_o) / (both - 1),
         i_to = 0.294 * y[DV_TT_R] * y[DV_TT_S] * (v - e_k), i_kr = 0.153 * y[DV_TT_XR1] * y[DV_TT_XR2] * (v - e_k),
         i_ks = 0.392 * y[DV_TT_XS] * y[DV_TT_XS] * (v - e_ks), i_k1 = 5.405 * a_k1 / (a_k1 + b_k1) * (v - e_k),
         i_pk = 0.0146 * (v - e_k) / (1 + exp((25 - v) / 5.98)), i_pca = 0.1238 * ca / (0.0005 + ca),
         i_bca = 0.000592 * (v - e_ca),
         i_pump =
             2.724 * k_o / (k_o + 1) * na / (na + 40) / (1 + 0.1245 * exp(-0.1 * v * f_rt) + 0.0353 * exp(-v * f_rt)),
         i_exchange = 1000 *
                      (exp(0.35 * v * f_rt) * pow(na, 3) * ca_o - exp(-0.65 * v * f_rt) * pow(na_o, 3) * ca * 2.5) /
                      ((pow(87.5, 3) + pow(na_o, 3)) * (1.38 + ca_o) * (1 + 0.1 * exp(-0.65 * v * f_rt)));
  double kcasr = 2.5 - 1.5 / (1 + pow(1.5 / casr, 2)), k1 = 0.15 / kcasr, k2 = 0.045 * kcasr,
         open = k1 * cass * cass * r / (0.06 + k1 * cass * cass), release = 0.102 * open * (casr - cass),
         leak = 0.00036 * (casr - ca), up = 0.006375 / (1 + pow(0.00025 / ca, 2)), transfer = 0.0038 * (cass - ca);
  double flux = capacitance / (volume * faraday);
  plain_gates(y, v, h);
  y[DV_TT_RELEASE] += h * (0.005 * (1 - r) - k2 * cass * r);
  y[DV_TT_CASR] += h * (up - release - leak) / (1 + 10 * 0.3 / pow(casr + 0.3, 2));
  y[DV_TT_CASS] += h *
                   (-transfer * volume / volume_ss + release * volume_sr / volume_ss -
                    i_cal * capacitance / (2 * volume_ss * faraday)) /
                   (1 + 0.4 * 0.00025 / pow(cass + 0.00025, 2));
  y[DV_TT_CA] += h * (-(i_bca + i_pca - 2 * i_exchange) * flux / 2 + (leak - up) * volume_sr / volume + transfer) /
                 (1 + 0.2 * 0.001 / pow(ca + 0.001, 2));
  y[DV_TT_NA] -= h * flux * (i_na + i_bna + 3 * i_pump + 3 * i_exchange);
  y[DV_TT_K] -= h * flux * (i_k1 + i_to + i_kr + i_ks - 2 * i_pump + i_pk);
  c->v +=
      h * (stimulus - (i_na + i_bna + i_cal + i_to + i_kr + i_ks + i_k1 + i_pk + i_pca + i_bca + i_pump + i_exchange));
}

// --- an action potential of both ---

static void both_cells_have_the_same_action_potential(void **state)
{
  DV_UNUSED(state);
  Plain plain = plain_start();
  dvTusscherTables tables = {0};
  double u = 0, w[DV_TUSSCHER_STATES], stimulus = 1e3 * 35.714 / DV_TUSSCHER_RANGE, most = 0, steep[2] = {0},
         gap_of_calcium = 0;
  memcpy(w, dv_tusscher_start, sizeof w);
  dv_tusscher_prepare(&tables, 1e-5);
  for (int i = 0; i < 40000; i++) {   // 400 ms; steps of 0.01 ms, and of 0.001 ms for the second cell
    double on = i < 200 ? 1 : 0, pulse = on * stimulus, before[2] = {plain.v, u};
    for (int k = 0; k < 10; k++) plain_step(&plain, 1e-3, on * 35.714);
    DV_KERNEL_CHOOSE(dv_tusscher_kernels)
        ->advance(&(dvTusscherCells){1, 1, &u, w, &pulse, NULL, dv_cell_defaults[DV_TEN_TUSSCHER], &tables}, 1);
    double v = DV_TUSSCHER_REST + DV_TUSSCHER_RANGE * u;
    steep[0] = fmax(steep[0], (plain.v - before[0]) / 0.01);
    steep[1] = fmax(steep[1], DV_TUSSCHER_RANGE * (u - before[1]) / 0.01);
    if (i > 300) most = fmax(most, fabs(v - plain.v));   // in the upstroke a microsecond is half a mV
    gap_of_calcium = fmax(gap_of_calcium, fabs(w[DV_TT_CA] - plain.y[DV_TT_CA]) / plain.y[DV_TT_CA]);
  }
  dv_tusscher_free(&tables);
  print_message("steepest %.1f and %.1f V/s; potentials %.3f mV apart at most, calcium %.2f %%\n", steep[0], steep[1],
                most, 100 * gap_of_calcium);
  check_close(steep[1] / steep[0], 1, 0.02);
  assert_true(most < 0.5);
  assert_true(gap_of_calcium < 0.01);
}

// --- waves ---

enum { CABLE = 100 };   // cells of the mesh

// Finite differences of order 2 in a cable of points h mm apart, d mm2/ms: what lumped masses are too. Diffusion is
// explicit, in half steps before and after the cells.
static double plain_speed(double h, double d, double dt)
{
  Plain *c = calloc(CABLE + 1, sizeof *c);
  double *when = calloc(CABLE + 1, sizeof *when), flux[CABLE + 2] = {0};
  assert_true(c && when);
  for (int i = 0; i <= CABLE; i++) c[i] = plain_start(), when[i] = -1;
  for (int step = 0; when[4 * CABLE / 5] < 0 && step * dt < 200; step++) {
    double before[CABLE + 1];
    for (int i = 0; i <= CABLE; i++) before[i] = c[i].v;
    for (int half = 0; half < 2; half++) {
      for (int i = 1; i <= CABLE; i++) flux[i] = d / (h * h) * (c[i].v - c[i - 1].v);
      for (int i = 0; i <= CABLE; i++)
        c[i].v += 0.5 * dt * (flux[i + 1] - flux[i]) * (i == 0 || i == CABLE ? 2 : 1);   // half cells at the ends
      for (int i = 0; i <= CABLE && half == 0; i++)
        for (int k = 0; k < 4; k++) plain_step(&c[i], 0.25 * dt, step * dt < 2 && i * h < 1.51 ? 35.714 : 0);
    }
    for (int i = 0; i <= CABLE; i++)
      if (when[i] < 0 && c[i].v >= 0) when[i] = dt * (step - before[i] / (c[i].v - before[i]));
  }
  double speed = (4 * CABLE / 5 - 2 * CABLE / 5) * h / (when[4 * CABLE / 5] - when[2 * CABLE / 5]);
  free(c);
  free(when);
  return speed;
}

// the same with MonodomainSolver, in a bar of cubes that are cut into six
static double solver_speed(int cells, double h, double d, double step, double lumping)
{
  static const int cut[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  dvText t = {0};
  dv_text_add(&t, "<Node dt='0.001'><DefaultAnimationLoop/><MeshTopology name='m' position='");
  for (int i = 0; i < 4 * (cells + 1); i++)
    dv_text_printf(&t, "%.17g %.17g %.17g ", 1e-3 * h * (i / 4), 1e-3 * h * (i % 2), 1e-3 * h * (i / 2 % 2));
  dv_text_add(&t, "' tetrahedra='");
  for (int i = 0; i < cells; i++)
    for (int k = 0; k < 24; k++) dv_text_printf(&t, "%d ", 4 * (i + cut[k / 4][k % 4] % 2) + cut[k / 4][k % 4] / 2);
  dv_text_printf(&t,
                 "'/><ElectricalState/><CardiacStimulus indices='0-%d' strength='285.19' duration='0.002'/>"
                 "<MonodomainSolver name='s' cell='TenTusscherPanfilov' diffusivity='%g' anisotropyRatio='1' "
                 "step='%g' lumping='%g'/></Node>",
                 4 * (int)(1.51 / h) + 3, 1e-3 * d, 1e-3 * step, lumping);
  dvScene *s = check_scene(t.text, 1);
  dv_text_free(&t);
  const dvReals *when = dv_object_field(check_find(s, "s"), "activation")->value;
  const size_t a = 4 * (size_t)(cells * 2 / 5), b = 4 * (size_t)(cells * 4 / 5);
  for (int i = 0; i < 200 && when->data[b] < 0; i++) check_steps(s, 1);
  double speed = 1e-3 * h * (double)(b - a) / 4 / (when->data[b] - when->data[a]);
  check_close_scene(&s);
  return speed;
}

// Lumped masses make the same equations in a bar as finite differences do: along and across the fibres of the slab of
// Niederer et al., with two meshes. The second cell has steps of 0.0025 ms.
static void waves_are_those_of_finite_differences(void **state)
{
  DV_UNUSED(state);
  static const double cases[][2] = {{0.1, 0.0953}, {0.2, 0.0953}, {0.1, 0.012576}, {0.05, 0.012576}};
  for (size_t k = 0; k < DV_COUNT(cases); k++) {
    double h = cases[k][0], d = cases[k][1], plain = plain_speed(h, d, 0.01),
           speed = solver_speed(CABLE, h, d, 0.05, 1), fine = solver_speed(CABLE, h, d, 0.01, 1);
    print_message("%g mm, %g mm2/ms: finite differences %.4f, lumped masses %.4f m/s; steps of 0.01 ms %.4f\n", h, d,
                  plain, speed, fine);
    check_close(fine / plain, 1, 0.01);
    check_close(speed / plain, 1, 0.015);
  }
}

// Whatever is done with the masses, speeds go to one limit, that of the square root of the diffusivity. Full masses
// are fastest in between: two meshes that agree say nothing there.
static void masses_agree_in_the_limit(void **state)
{
  DV_UNUSED(state);
  static const double meshes[] = {0.2, 0.1, 0.05, 0.025};
  const double d = 0.012576, limit = 0.6125 * sqrt(d / 0.0953);   // of finite differences with 0.025 mm and 0.0025 ms
  double speed[4][3];
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++)
      speed[i][k] = solver_speed(meshes[i] < 0.04 ? 4 * CABLE : CABLE, meshes[i], d, 0.05, 0.5 * k);
    print_message("%g mm: full %.4f, half %.4f, lumped %.4f m/s; limit %.4f\n", meshes[i], speed[i][0], speed[i][1],
                  speed[i][2], limit);
  }
  assert_true(speed[1][0] > speed[0][0] && speed[1][0] > speed[3][0]);   // a maximum between 0.2 and 0.05 mm
  check_close(speed[3][0] / limit, 1, 0.02);
  check_close(speed[3][1] / limit, 1, 0.01);
  check_close(speed[3][2] / limit, 1, 0.02);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_cells_have_the_same_action_potential),
                                     cmocka_unit_test(waves_are_those_of_finite_differences),
                                     cmocka_unit_test(masses_agree_in_the_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
