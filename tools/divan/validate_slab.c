// Waves of human cells: a cable, a sheet, and the slab of the benchmark of Niederer et al. (2011), 20 x 7 x 3 mm.
//
// What others have for the far corner (P8), in ms:
//   Chaste, 0.5 mm                       35.2              the fastest: its file of the benchmark, steps of 0.01 ms
//   a code of the paper's figure 2       141.6, 62.2, 48.2   a slow one, read off for 0.5, 0.2 and 0.1 mm
//   cardiacFoam, finite volumes          142.9, 54.5, 45.5   later than the paper, steps of 0.005 ms
//   seven-point finite differences       43.8              with 0.1 mm, steps of 0.01 ms
// Finite volumes and differences are what lumped masses are.
#include "validate.h"

#include <stdio.h>

// along and across fibres, m2/s: 0.17 and 0.019 S/m inside, 0.62 and 0.24 outside, 140/mm, 0.01 uF/mm2
static const double along = 9.5299e-5, across = 1.25759e-5;

typedef struct Piece {
  int n[3];
  double size[3];         // m
  double diffusivity;     // in direction x
  double ratio;           // of the two others
  double lumped, until;   // share of the masses at the points; s
} Piece;

// Points within 1.5 mm of a corner rise by 35.7 mV/ms for 2 ms, in steps of 0.05 ms; when two points are excited.
static bool excite(const Piece *p, size_t first, size_t second, double when[2])
{
  dvText text = {0}, corner = {0};
  for (int z = 0; z <= p->n[2]; z++)
    for (int y = 0; y <= p->n[1]; y++)
      for (int x = 0; x <= p->n[0]; x++)
        if (fmax(x * p->size[0] / p->n[0], fmax(y * p->size[1] / p->n[1], z * p->size[2] / p->n[2])) <= 0.0015 + 1e-9)
          dv_text_printf(&corner, "%d ", x + (p->n[0] + 1) * (y + (p->n[1] + 1) * z));
  char *rest = dv_format("<CardiacStimulus indices='%s' strength='285.19' duration='0.002'/><MonodomainSolver "
                         "name='solver' cell='TenTusscherPanfilov' fibres='@fibres.fibres' diffusivity='%.9g' "
                         "anisotropyRatio='%.9g' step='5e-5' lumping='%g'/>",
                         corner.text, p->diffusivity, p->ratio, p->lumped);
  heart_box(&text, p->n, p->size, 0.001, rest);
  Trial t;
  bool good = trial_open(&t, text.text);
  dv_text_free(&text);
  dv_text_free(&corner);
  dv_free(rest);
  if (!good) return false;
  const dvReals *at = heart_value(&t, "solver", "activation");
  for (int i = 0; i < (int)lround(1e3 * p->until) && good && at->data[second] < 0; i++) good = heart_run(&t, 1);
  when[0] = at->data[first], when[1] = at->data[second];
  trial_close(&t);
  return good && when[1] > 0;
}

// --- a cable ---

static bool cable_speed(double mesh, double diffusivity, double lumped, double *speed)
{
  int cells = (int)lround((diffusivity == along ? 0.015 : 0.008) / mesh), a = cells / 2, b = 9 * cells / 10;
  Piece p = {{cells, 1, 1}, {cells * mesh, mesh, mesh}, diffusivity, 1, lumped, 0.4};
  double when[2];
  if (!excite(&p, (size_t)a, (size_t)b, when)) return false;
  *speed = mesh * (b - a) / (when[1] - when[0]);
  return true;
}

static bool cables(bool quick)
{
  static const double meshes[] = {0.0005, 0.0002, 0.0001, 0.00005, 0.000025};
  const double limit[2] = {0.6125, 0.6125 * sqrt(across / along)};
  printf("A plane wave along and across the fibres, in m/s. Finite differences with a cell of their own, without "
         "tables, go to %.4f and %.4f (docs/heart.md).\n\n| mesh [mm] | along: full masses | half lumped | lumped | "
         "across: full masses | half lumped | lumped |\n| --- | --- | --- | --- | --- | --- | --- |\n",
         limit[0], limit[1]);
  double speed[6] = {0}, worst = 0;
  for (size_t k = 0; k < (quick ? 2 : DV_COUNT(meshes)); k++) {
    printf("| %.3g |", 1e3 * meshes[k]);
    for (int i = 0; i < 6; i++) {
      if (!cable_speed(meshes[k], i < 3 ? along : across, 0.5 * (i % 3), &speed[i])) return false;
      printf(" %.4f |", speed[i]);
    }
    printf("\n");
    fflush(stdout);
  }
  for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(speed[i] / limit[i / 3] - 1));
  printf("\n");
  return quick || worst < 0.02;
}

// --- a sheet and the slab ---

// The far corner of a box of 20 x 7 x depth m, or of one layer of cells: a sheet.
static bool far_corner(double mesh, double depth, double lumped, double *when)
{
  Piece p = {{(int)lround(0.02 / mesh), (int)lround(0.007 / mesh), depth > 0 ? (int)lround(depth / mesh) : 1},
             {0.02, 0.007, depth > 0 ? depth : mesh},
             along,
             across / along,
             lumped,
             0.2};
  size_t last = (size_t)(p.n[0] + 1) * (size_t)(p.n[1] + 1) * (size_t)(p.n[2] + 1) - 1;
  double both[2];
  bool good = excite(&p, last, last, both);
  *when = both[1];
  return good;
}

static bool row(double mesh, double depth, bool quick, double when[3])
{
  printf("| %.3g |", 1e3 * mesh);
  for (int i = 0; i < 3; i++) {
    if (quick && i > 0) printf(" |");
    else if (!far_corner(mesh, depth, 0.5 * i, &when[i])) return false;
    else printf(" %.2f |", 1e3 * when[i]);
    fflush(stdout);
  }
  return true;
}

static bool sheet(bool finest)
{
  static const double meshes[] = {0.0002, 0.0001, 0.00005};
  printf("A sheet of 20 x 7 mm: when its far corner is excited.\n\n| mesh [mm] | full masses [ms] | half lumped [ms] | "
         "lumped [ms] |\n| --- | --- | --- | --- |\n");
  double when[3] = {0};
  for (size_t k = 0; k < (finest ? 3 : 2); k++) {
    if (!row(meshes[k], 0, false, when)) return false;
    printf("\n");
  }
  printf("\n");
  return when[0] < when[1] && when[1] < when[2] && (!finest || when[2] / when[0] < 1.08);
}

// Every row between the fastest and the slowest of the codes above. Of meshes of 0.2 and 0.1 mm no fastest one is
// known; with finer meshes that code gets slower. Lumped masses beside finite volumes and differences: 1 ms.
static const struct {
  double mesh, least, most, volumes[2];
} others[] = {{0.0005, 0.0352, 0.1416, {0, 0}},
              {0.0002, 0.0352, 0.0622, {0.0545, 0.0545}},
              {0.0001, 0.0352, 0.0482, {0.0438, 0.0455}}};

static bool slab(bool quick, bool finest)
{
  printf("## Waves of human cells\n\nCells of ten Tusscher and Panfilov, steps of 0.05 ms.\n\n");
  bool good = cables(quick) && (quick || sheet(finest));
  printf("The slab of Niederer et al. (2011), 20 x 7 x 3 mm: when the far corner (P8) is excited. Others: from the "
         "fastest to the slowest of the benchmark's codes of which numbers are known; finite volumes and differences, "
         "which are what lumped masses are.\n\n| mesh [mm] | full masses [ms] | half lumped [ms] | lumped [ms] | "
         "benchmark [ms] | finite volumes and differences [ms] |\n| --- | --- | --- | --- | --- | --- |\n");
  for (size_t k = 0; good && k < (quick ? 1u : finest ? 3u : 2u); k++) {
    double when[3] = {0};
    good = row(others[k].mesh, 0.003, quick, when);
    printf(" %.1f to %.1f |", 1e3 * others[k].least, 1e3 * others[k].most);
    if (others[k].volumes[0] == 0) printf(" |\n");
    else if (others[k].volumes[0] == others[k].volumes[1]) printf(" %.1f |\n", 1e3 * others[k].volumes[0]);
    else printf(" %.1f to %.1f |\n", 1e3 * others[k].volumes[0], 1e3 * others[k].volumes[1]);
    for (int i = 0; i < (quick ? 1 : 3); i++) good = good && when[i] > others[k].least && when[i] < others[k].most;
    if (others[k].volumes[0] > 0 && !quick)
      good = good && when[2] > others[k].volumes[0] - 1e-3 && when[2] < others[k].volumes[1] + 1e-3;
  }
  printf("\n");
  return good;
}

bool validate_heart_slab(bool quick) { return slab(quick, false); }
bool validate_heart_slab_full(void) { return slab(false, true); }
