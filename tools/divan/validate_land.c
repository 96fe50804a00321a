// The three problems of S. Land et al., Verification of cardiac mechanics software (2015): a beam under a pressure that
// follows it, an ellipsoid that is inflated, and one that is inflated and contracts. Lengths in mm, stresses in kPa.
//
// Guccione's law, nearly incompressible: the volume is kept around points (NodalVolumeForceField), so that linear
// tetrahedra do not lock. Loads grow in steps, each solved by Newton's iterations, pressure and tension together, as
// the problem says; the tension is a second Piola-Kirchhoff stress along the fibre, the bulk modulus that of the codes
// there that are nearly incompressible (1000 kPa).
//
// What is compared with: the codes of the paper end between 4.1 and 4.2 mm (problem 1) and between -26.5 and -27 mm
// (inside, problem 2). Of problem 3 the paper has figures: read off, about -12.5 mm inside and -15.5 mm outside
// (github.com/finsberg/pulse, issue 39); quadratic tetrahedra with a pressure of their own (the same project, pull
// request 98) give -11.996 and -15.223 mm there, and -26.533 and -28.179 mm in problem 2. The codes differ by half a
// per cent from each other, by the paper's own words: so much is given on either side.
#include "validate.h"

#include <stdio.h>
#include <string.h>

static const char *const solvers =
    "<StaticSolver/><NewtonRaphsonSolver name='newton' maxNbIterationsNewton='25' warnWhenDiverge='0' "
    "relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='1e-7' "
    "absoluteResidualStoppingThreshold='1e-7' maxNbIterationsLineSearch='8' warnWhenLineSearchFails='0'/>"
    "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>";
enum { BULK = 1000 };   // kPa

static bool set(Trial *t, const char *path, const char *field, double value)
{
  char *text = dv_format("%.17g", value);
  dvObject *o = trial_find(t, path);
  bool good = dv_object_set(o, field, text) == DV_OK && (!o->cls->reinit || o->cls->reinit(o) == DV_OK);
  dv_free(text);
  return good;
}

// Loads grow from nothing to all of it; false when the last one is not reached.
static bool grow(Trial *t, int steps, double pressure, double tension)
{
  int outcome = 0;
  for (int i = 1; i <= steps; i++) {
    double part = (double)i / steps;
    if (!set(t, "H/load", "pressure", part * pressure)) return false;
    if (tension > 0 && !set(t, "H/active", "stress", part * tension)) return false;
    if (dv_scene_step(t->scene, 0) != DV_OK) return false;
    outcome = *(const int32_t *)dv_object_field(trial_find(t, "H/newton"), "status")->value;
  }
  return outcome == 1 || outcome >= 3;   // converged
}

static double height_of(const Trial *t, size_t point)
{
  return dv_state_read(dv_state(trial_find(t, "H/x")), DV_X)[3 * point + 2];
}

static size_t points_of(const Trial *t) { return dv_state(trial_find(t, "H/x"))->count; }

// --- the beam ---

// 10 x 1 x 1, fibres along it, held at one end, 0.004 kPa from below: where the upper edge of the other end is. Cells
// are cubes but for their width: bending does not ask for more of them in that direction.
enum { WIDE = 4 };
static bool beam(int cells, double *height, size_t *points)
{
  Blocks b = {DV_TETRAHEDRON, {10 * cells, WIDE, cells}, {10, 1, 1}, 0};
  int row = 10 * cells + 1;
  dvText text = {0};
  dv_text_printf(&text,
                 "<Node gravity='0 0 0' dt='1'><MechanicalObject name='dofs' position='0 0 0'/><Node "
                 "name='H'>%s<MeshTopology name='mesh' ",
                 solvers);
  blocks_add(&text, &b);
  dv_text_add(&text, " triangles='");
  for (int y = 0; y < WIDE; y++)
    for (int x = 0; x + 1 < row; x++) {
      int a = x + row * y, c = a + row + 1;
      dv_text_printf(&text, "%d %d %d  %d %d %d  ", a, a + 1, c, a, c, a + row);   // they look up, into the beam
    }
  dv_text_printf(&text,
                 "'/><MechanicalObject name='x'/><TetrahedronHyperelasticityFEMForceField materialName='Guccione' "
                 "ParameterSet='2 0 8 2 4'/><NodalVolumeForceField bulkModulus='%d'/><SurfacePressureForceField "
                 "name='load' pressure='0'/><BoxROI name='end' box='-0.1 -0.1 -0.1 1e-6 1.1 1.1'/>"
                 "<FixedProjectiveConstraint indices='@end.indices'/></Node></Node>",
                 BULK);
  Trial t;
  bool good = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!good) return false;
  good = grow(&t, 10, 0.004, 0);
  *height = height_of(&t, (size_t)(row - 1 + row * (WIDE / 2 + (WIDE + 1) * cells)));   // (10, 0.5, 1)
  *points = points_of(&t);
  trial_close(&t);
  return good;
}

// --- the ellipsoids ---

// radii 7 and 17 inside, 10 and 20 outside, cut off and held at a height of 5: where the tip is, inside and outside
static bool ellipsoid(bool contracts, double spacing, int layers, double tip[2], size_t *points)
{
  char *text = dv_format(
      "<Node gravity='0 0 0' dt='1'><MechanicalObject name='dofs' position='0 0 0'/><GenerateVentricle name='v' "
      "innerRadii='7 17' outerRadii='10 20' basePlane='5' fibreAngles='90 -90' spacing='%g' layers='%d'/><Node "
      "name='E'><MeshTopology position='@../v.position' tetrahedra='@../v.tetrahedra'/><ElectricalState "
      "name='u'/></Node><Node name='H'>%s<MeshTopology position='@../v.position' tetrahedra='@../v.tetrahedra' "
      "triangles='@../v.leftEndocardium'/><MechanicalObject name='x'/><TetrahedronHyperelasticityFEMForceField "
      "materialName='Guccione' ParameterSet='%s' AnisotropyDirections='@../v.fibres' sheets='@../v.sheets'/>"
      "<NodalVolumeForceField bulkModulus='%d'/><SurfacePressureForceField name='load' pressure='0'/>"
      "<FixedProjectiveConstraint indices='@../v.basePoints'/>%s</Node></Node>",
      spacing, layers, solvers, contracts ? "2 0 8 2 4" : "10 0 1 1 1", BULK,
      // a tension that nothing but `stress` changes: bridges that bind at once, with no stiffness of their own
      contracts ? "<ContractionForceField name='active' fibres='@../v.fibres' potential='@../E/u' thresholds='-2 -1' "
                  "stress='0' stiffness='0' viscosity='0' destruction='0' contractionRate='1e9' seriesStiffness='1e6'/>"
                : "");
  Trial t;
  bool good = trial_open(&t, text);
  dv_free(text);
  if (!good) return false;
  good = grow(&t, contracts ? 60 : 10, contracts ? 15 : 10, contracts ? 60 : 0);
  const dvInts *apex = dv_object_field(trial_find(&t, "v"), "apexPoints")->value;
  tip[0] = height_of(&t, (size_t)apex->data[0]);
  tip[1] = height_of(&t, (size_t)apex->data[apex->count - 1]);
  *points = points_of(&t);
  trial_close(&t);
  return good;
}

// what a sequence of meshes tends to, with the order that its last three have
static double limit_of(double a, double b, double c, const double size[3])
{
  double order = 1;
  for (int i = 0; i < 60; i++) {   // (b - a) / (c - b) = (h_a^p - h_b^p) / (h_b^p - h_c^p)
    double wanted = (b - a) / (c - b), with_more = 0, p[2] = {order, order + 1e-6};
    double r[2];
    for (int k = 0; k < 2; k++)
      r[k] = (pow(size[0], p[k]) - pow(size[1], p[k])) / (pow(size[1], p[k]) - pow(size[2], p[k]));
    with_more = (r[1] - r[0]) / 1e-6;
    order = fmin(4, fmax(0.5, order + fmax(-0.5, fmin(0.5, (wanted - r[0]) / with_more))));
  }
  double p = pow(size[2], order), q = pow(size[1], order);
  return c + (c - b) * p / (q - p);
}

bool validate_heart_beam(bool quick)
{
  static const int cells[] = {4, 8, 16};
  printf(
      "## A beam of heart muscle\n\nLand et al. (2015), problem 1: where the upper edge of the free end is; the codes "
      "there end between 4.1 and 4.2 mm.\n\n| cells across | points | height [mm] |\n| --- | --- | --- |\n");
  double z[3] = {0};
  for (int i = 0; i < (quick ? 1 : 3); i++) {
    size_t points;
    if (!beam(cells[i], &z[i], &points)) return false;
    printf("| %d | %zu | %.3f |\n", cells[i], points, z[i]);
    fflush(stdout);
  }
  if (quick) return z[0] > 3.4 && z[0] < 4.2;
  double limit = limit_of(z[0], z[1], z[2], (const double[3]){1.0 / 4, 1.0 / 8, 1.0 / 16});
  printf("\nThey tend to %.2f mm.\n\n", limit);
  return z[2] > 4.1 && z[2] < 4.2 && limit < 4.2;
}

typedef struct Spread {
  double least, most;
} Spread;

static bool within(double x, Spread s) { return x > s.least && x < s.most; }

static bool tips(bool contracts, bool quick, Spread inside, Spread outside)
{
  static const struct {
    double spacing;
    int layers;
  } meshes[2][3] = {{{3, 2}, {2, 2}, {1.4, 3}}, {{3, 2}, {2, 4}, {1.4, 4}}};   // fibres that turn need more layers
  printf("| points | layers | tip inside [mm] | tip outside [mm] |\n| --- | --- | --- | --- |\n");
  double tip[2] = {0};
  for (int i = 0; i < (quick ? 1 : 3); i++) {
    size_t points;
    if (!ellipsoid(contracts, meshes[contracts][i].spacing, meshes[contracts][i].layers, tip, &points)) return false;
    printf("| %zu | %d | %.2f | %.2f |\n", points, meshes[contracts][i].layers, tip[0], tip[1]);
    fflush(stdout);
  }
  printf("\n");
  return within(tip[0], inside) && within(tip[1], outside);
}

bool validate_heart_inflation(bool quick)
{
  printf(
      "## An ellipsoid of heart muscle that is inflated\n\nLand et al. (2015), problem 2, 10 kPa: the codes there have "
      "the tip of the inside between -26.5 and -27 mm; quadratic tetrahedra (pulse) -26.53 inside and -28.18 outside."
      "\n\n");
  return quick ? tips(false, true, (Spread){-27, -25}, (Spread){-29, -26})
               : tips(false, false, (Spread){-27, -26.5}, (Spread){-28.18 * 1.01, -28.18 * 0.99});
}

bool validate_heart_contraction(bool quick)
{
  printf(
      "## An ellipsoid of heart muscle that contracts\n\nLand et al. (2015), problem 3, 15 kPa and a tension of 60 "
      "kPa along fibres that turn from 90 to -90 degrees. Others have the tip at -12.0 (quadratic tetrahedra, pulse) "
      "to -12.5 mm (read off the paper's figure) inside, and at -15.2 to -15.5 mm outside.\n\n");
  const Spread inside = {-12.5 * 1.005, -11.996 * 0.995}, outside = {-15.5 * 1.005, -15.223 * 0.995};
  return quick ? tips(true, true, (Spread){-13, -11}, (Spread){-16.5, -14.5}) : tips(true, false, inside, outside);
}
