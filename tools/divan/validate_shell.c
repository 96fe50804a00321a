// divan validate: the two shells of T. Belytschko et al., Stress projection for membrane and shear locking in shell
// finite elements, 1985.
//
// Scordelis-Lo roof: a part of a cylinder of radius 25, length 50 and 80 degrees, thickness 0.25, E = 4.32e8, nu = 0,
// on rigid diaphragms at both ends, load 90 down per area; the middle of a free side sinks by 0.3024. Pinched cylinder:
// radius 300, length 600, thickness 3, E = 3e6, nu = 0.3, rigid diaphragms at both ends, two opposite forces of 1 in
// the middle; they move by 1.8248e-5. Both by symmetry: a quarter, an eighth.
#include "validate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Roof {
  const char *name;
  double radius, half, angle, thickness, young, poisson, exact;
  bool pinched;
} Roof;

static const Roof roofs[] = {
    {"Scordelis-Lo roof", 25, 25, 40, 0.25, 4.32e8, 0, 0.3024, false},
    {"pinched cylinder", 300, 300, 90, 3, 3e6, 0.3, 1.8248e-5, true},
};

// x across, y along the axis from the diaphragm to the middle, z up; angles from the crown
static void roof_scene(dvText *t, const Roof *r, int n)
{
  const double degree = 3.14159265358979323846 / 180;
  dv_text_add(
      t, "<Node gravity='0 0 0' dt='1'><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='1'/><SparseLDLSolver "
         "template='CompressedRowSparseMatrixMat3x3d'/><MechanicalObject name='dofs' template='Rigid3' position='");
  for (int j = 0; j <= n; j++)
    for (int i = 0; i <= n; i++) {
      double angle = degree * r->angle * i / n;
      dv_text_printf(t, "%.15g %.15g %.15g 0 0 0 1 ", r->radius * sin(angle), r->half * j / n, r->radius * cos(angle));
    }
  dv_text_add(t, "'/><MeshTopology name='mesh' triangles='");
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      int a = i + (n + 1) * j, b = a + 1, c = a + n + 1, d = c + 1;
      dv_text_printf(t, "%d %d %d %d %d %d ", a, b, d, a, d, c);
    }
  dv_text_printf(t,
                 "'/><TriangularShellForceField youngModulus='%g' poissonRatio='%g' "
                 "thickness='%g'/><ConstantForceField name='load' forces='0'/>",
                 r->young, r->poisson, r->thickness);
  static const struct {
    int axis, at;   // 0: angle, 1: along; at its beginning or end
    const char *held;
  } sides[] = {{1, 0, "1 0 1 0 0 0"}, {1, 1, "0 1 0 1 0 1"}, {0, 0, "1 0 0 0 1 1"}, {0, 1, "0 0 1 1 1 0"}};
  for (int s = 0; s < (r->pinched ? 4 : 3); s++) {
    dv_text_add(t, "<PartialFixedProjectiveConstraint indices='");
    for (int k = 0; k <= n; k++)
      dv_text_printf(t, "%d ", sides[s].axis ? k + (n + 1) * n * sides[s].at : (n + 1) * k + n * sides[s].at);
    dv_text_printf(t, "' fixedDirections='%s'/>", sides[s].held);
  }
  dv_text_add(t, "</Node>");
}

static double sinks(const Roof *r, int n)
{
  const double degree = 3.14159265358979323846 / 180;
  dvText text = {0};
  Trial t;
  roof_scene(&text, r, n);
  bool open = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!open) return NAN;
  DV_MUST(dv_reals_resize(t.forces, 6 * t.dofs->count));
  double *f = dv_reals_edit(t.forces), cell = r->half / n * 2 * r->radius * sin(0.5 * degree * r->angle / n);
  memset(f, 0, 6 * t.dofs->count * sizeof *f);
  size_t corner = (size_t)((n + 1) * n), edge = corner + (size_t)n;   // crown and side in the middle
  if (r->pinched) f[6 * corner + 2] = -0.25;
  for (size_t p = 0; p < t.dofs->count && !r->pinched; p++) {
    int i = (int)(p % (size_t)(n + 1)), j = (int)(p / (size_t)(n + 1));
    f[6 * p + 2] = -90 * cell * (i % n ? 1 : 0.5) * (j % n ? 1 : 0.5);
  }
  double down = trial_solve(&t) ? -trial_moved(&t, 7 * (r->pinched ? corner : edge) + 2) : NAN;
  trial_close(&t);
  return down;
}

bool validate_shells(bool quick)
{
  bool good = true;
  printf("## Shells\n\nTriangularShellForceField on the Scordelis-Lo roof (a quarter of it) and the pinched cylinder "
         "(an eighth), with two triangles a cell.\n\n");
  printf("| shell | cells a side | displacement | exact | ratio |\n| --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < DV_COUNT(roofs); i++)
    for (int n = 8; n <= (quick ? 16 : 32); n *= 2) {
      double down = sinks(&roofs[i], n), ratio = down / roofs[i].exact;
      printf("| %s | %d | %.5g | %.5g | %.3f |\n", roofs[i].name, n, down, roofs[i].exact, ratio);
      fflush(stdout);
      if (n == 32 || (quick && n == 16)) good = good && fabs(ratio - 1) < (quick ? 0.1 : 0.03);
    }
  printf("\n");
  return good;
}
