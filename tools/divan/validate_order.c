// divan validate: patch tests, the order of convergence on a made-up solution, and curves of hyperelastic laws.
//
// Patch test: displacements that are linear in the position leave inner points of an irregular mesh in balance.
// Order: u_c = A_c phi, phi = sin pi x sin pi y (sin pi z) on the unit cube solves the equations for the load
// b_c = -mu Laplace u_c - (lambda + mu) d_c div u; integrated with the quadrature of the elements.
// Laws: a cube is stretched along one or two axes (the rest free: closed forms are solved for it) and sheared; nominal
// stresses against closed forms in the stretches.
#include "validate.h"

#include "element/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// --- patch tests ---

typedef struct Patch {
  const char *name, *dof, *force;
  dvElementKind kind;
} Patch;

static const Patch patches[] = {
    {"LinearSmallStrainFEMForceField, tetrahedra", "Vec3", "LinearSmallStrainFEMForceField template='Vec3,Tetrahedron'",
     DV_TETRAHEDRON},
    {"LinearSmallStrainFEMForceField, hexahedra", "Vec3", "LinearSmallStrainFEMForceField template='Vec3,Hexahedron'",
     DV_HEXAHEDRON},
    {"LinearSmallStrainFEMForceField, prisms", "Vec3", "LinearSmallStrainFEMForceField template='Vec3,Prism'",
     DV_PRISM},
    {"LinearSmallStrainFEMForceField, pyramids", "Vec3", "LinearSmallStrainFEMForceField template='Vec3,Pyramid'",
     DV_PYRAMID},
    {"LinearSmallStrainFEMForceField, triangles", "Vec2", "LinearSmallStrainFEMForceField template='Vec2,Triangle'",
     DV_TRIANGLE},
    {"LinearSmallStrainFEMForceField, quads", "Vec2", "LinearSmallStrainFEMForceField template='Vec2,Quad'", DV_QUAD},
    {"TetrahedronFEMForceField", "Vec3", "TetrahedronFEMForceField method='small'", DV_TETRAHEDRON},
    {"HexahedronFEMForceField", "Vec3", "HexahedronFEMForceField method='small'", DV_HEXAHEDRON},
    {"TetrahedralTensorMassForceField", "Vec3", "TetrahedralTensorMassForceField", DV_TETRAHEDRON},
    {"TetrahedronHyperelasticityFEMForceField", "Vec3",
     "TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' ParameterSet='400 600'", DV_TETRAHEDRON},
    {"TetrahedronTLEDForceField", "Vec3", "TetrahedronTLEDForceField", DV_TETRAHEDRON},
    {"HexahedronTLEDForceField", "Vec3", "HexahedronTLEDForceField", DV_HEXAHEDRON},
    {"TriangularFEMForceField", "Vec3", "TriangularFEMForceField method='small'", DV_TRIANGLE},
    {"TriangleFEMForceField", "Vec3", "TriangleFEMForceField method='small'", DV_TRIANGLE},
    {"TriangularTensorMassForceField", "Vec3", "TriangularTensorMassForceField", DV_TRIANGLE},
};

// largest force inside over the largest at the border
static double patch_error(const Patch *p)
{
  bool flat = p->kind == DV_TRIANGLE || p->kind == DV_QUAD, hyper = strstr(p->force, "ParameterSet") != NULL;
  Blocks b = {p->kind, {4, 4, flat ? 0 : 4}, {1, 1, 1}, 0.25};
  dvText text = {0};
  Trial t;
  dv_text_add(&text, "<Node><MeshTopology name='mesh'");
  blocks_add(&text, &b);
  dv_text_printf(&text, "/><MechanicalObject name='dofs' template='%s'/><%s name='ff'%s/></Node>", p->dof, p->force,
                 hyper ? "" : " youngModulus='1000' poissonRatio='0.3'");
  bool open = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!open) return NAN;
  static const double gradient[3][3] = {{0.004, -0.002, 0.007}, {0.001, 0.003, -0.003}, {-0.002, 0.005, -0.004}};
  size_t width = (size_t)t.dofs->base.dof->coord, axes = flat ? 2 : 3;
  const double *rest = dv_state_read(t.dofs, DV_X_REST);
  double *x = dv_state_write(t.dofs, DV_X), inside = 0, outside = 0;
  for (size_t i = 0; i < width * t.dofs->count; i++)
    for (size_t a = 0; a < axes && i % width < axes; a++) x[i] += gradient[i % width][a] * rest[i - i % width + a];
  dvObject *ff = trial_find(&t, "ff");
  double *f = dv_state_write(t.dofs, DV_F);
  memset(f, 0, width * t.dofs->count * sizeof *f);
  ((const dvForceOps *)dv_ops(ff, DV_ROLE_FORCE))->add_force(ff, &(dvMech){.x = DV_X, .v = DV_V, .f = DV_F});
  for (size_t i = 0; i < width * t.dofs->count; i++) {
    double *largest = blocks_outside(&b, rest + i - i % width) ? &outside : &inside;
    *largest = fmax(*largest, fabs(f[i]));
  }
  trial_close(&t);
  return inside / outside;
}

bool validate_patches(void)
{
  bool good = true;
  printf("## Patch tests\n\nLargest force on an inner point over the largest on the border, displacements linear in "
         "the position, 4 cells a side with inner points moved by up to a quarter of a cell.\n\n");
  printf("| element | remainder |\n| --- | --- |\n");
  for (size_t i = 0; i < DV_COUNT(patches); i++) {
    double error = patch_error(&patches[i]);
    good = good && error < 1e-10;
    printf("| %s | %.1e |\n", patches[i].name, error);
  }
  printf("\n");
  return good;
}

// --- order of convergence ---

static const double amplitude[3] = {1e-3, -2e-3, 1.5e-3};

typedef struct Field {
  int axes;
  double lambda, mu;
} Field;

static void exact(const Field *s, const double *x, double u[3], double b[3])
{
  double sine[3], cosine[3], phi = 1;
  for (int a = 0; a < s->axes; a++) sine[a] = sin(pi * x[a]), cosine[a] = cos(pi * x[a]), phi *= sine[a];
  for (int c = 0; c < s->axes; c++) {
    double mixed = 0;
    for (int j = 0; j < s->axes; j++) {
      double second = -phi;
      if (j != c) {
        second = cosine[j] * cosine[c];
        for (int a = 0; a < s->axes; a++)
          if (a != j && a != c) second *= sine[a];
      }
      mixed += amplitude[j] * second;
    }
    u[c] = amplitude[c] * phi;
    b[c] = pi * pi * (s->mu * s->axes * u[c] - (s->lambda + s->mu) * mixed);
  }
}

typedef struct Point {
  double x[3], n[DV_SHAPE_NODES], weight;
} Point;

static void quadrature_point(dvElementKind kind, const dvQuadrature *rule, int q, const double *corners, Point *p)
{
  dvVec3 g[DV_SHAPE_NODES];
  p->weight = rule->weight[q] * dv_shape_gradients(kind, rule->at[q], corners, g);
  dv_shape_values(kind, rule->at[q], p->n);
  for (int a = 0; a < 3; a++) {
    p->x[a] = 0;
    for (int i = 0; i < dv_element_points(kind); i++) p->x[a] += p->n[i] * corners[3 * i + a];
  }
}

// loads of all points (f given), or the square of the error
static double integrate(const Trial *t, dvElementKind kind, const Field *s, double *f)
{
  const dvInts *elements = dv_topology_elements(dv_topology(trial_find(t, "mesh")), kind);
  const dvQuadrature *rule = dv_shape_quadrature(kind);
  size_t nodes = (size_t)dv_element_points(kind), width = (size_t)s->axes;
  const double *rest = dv_state_read(t->dofs, DV_X_REST);
  double sum = 0;
  for (size_t e = 0; e < dv_ints_size(elements); e++) {
    const int32_t *corner = elements->data + nodes * e;
    double corners[3 * DV_SHAPE_NODES] = {0};
    for (size_t i = 0; i < nodes; i++)
      for (size_t a = 0; a < width; a++) corners[3 * i + a] = rest[width * (size_t)corner[i] + a];
    for (int q = 0; q < rule->points; q++) {
      Point p;
      double u[3], b[3];
      quadrature_point(kind, rule, q, corners, &p);
      exact(s, p.x, u, b);
      for (size_t c = 0; c < width; c++) {
        double gap = -u[c];
        for (size_t i = 0; i < nodes; i++) {
          if (f) f[width * (size_t)corner[i] + c] += p.weight * p.n[i] * b[c];
          else gap += p.n[i] * trial_moved(t, width * (size_t)corner[i] + c);
        }
        sum += p.weight * gap * gap;
      }
    }
  }
  return sum;
}

static double order_error(dvElementKind kind, const char *name, int cells)
{
  bool flat = kind == DV_TRIANGLE || kind == DV_QUAD;
  Blocks b = {kind, {cells, cells, flat ? 0 : cells}, {1, 1, 1}, 0};
  Field s = {flat ? 2 : 3, dv_lame_lambda(1000, 0.3, flat ? 2 : 3), dv_lame_mu(1000, 0.3)};
  dvText text = {0};
  Trial t;
  dv_text_add(&text,
              "<Node gravity='0 0 0' dt='1'><StaticSolver/><NewtonRaphsonSolver "
              "maxNbIterationsNewton='1'/><CGLinearSolver iterations='5000' tolerance='1e-11' threshold='1e-30'/>"
              "<MeshTopology name='mesh'");
  blocks_add(&text, &b);
  dv_text_printf(&text,
                 "/><MechanicalObject name='dofs' template='Vec%d'/><LinearSmallStrainFEMForceField "
                 "template='Vec%d,%s' youngModulus='1000' poissonRatio='0.3'/>"
                 "<ConstantForceField name='load' forces='0'/><FixedProjectiveConstraint indices='",
                 s.axes, s.axes, name);
  int32_t number = 0;
  for (int z = 0; z <= b.n[2]; z++)
    for (int y = 0; y <= cells; y++)
      for (int x = 0; x <= cells; x++, number++)
        if (x % cells == 0 || y % cells == 0 || (!flat && z % cells == 0)) dv_text_printf(&text, "%d ", number);
  dv_text_add(&text, "'/></Node>");
  bool open = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!open) return NAN;
  DV_MUST(dv_reals_resize(t.forces, (size_t)s.axes * t.dofs->count));
  double *f = dv_reals_edit(t.forces);
  memset(f, 0, (size_t)s.axes * t.dofs->count * sizeof *f);
  integrate(&t, kind, &s, f);
  double error = trial_solve(&t) ? sqrt(integrate(&t, kind, &s, NULL)) : NAN;
  trial_close(&t);
  return error;
}

bool validate_order(bool quick)
{
  static const struct {
    dvElementKind kind;
    const char *name;
  } kinds[] = {{DV_TRIANGLE, "Triangle"},     {DV_QUAD, "Quad"},   {DV_TETRAHEDRON, "Tetrahedron"},
               {DV_HEXAHEDRON, "Hexahedron"}, {DV_PRISM, "Prism"}, {DV_PYRAMID, "Pyramid"}};
  bool good = true;
  printf("## Order of convergence\n\nMean square error (L2) of displacements that are products of sines on the unit "
         "square (plane stress) and cube, LinearSmallStrainFEMForceField, Poisson's ratio 0.3. Linear elements have "
         "order 2.\n\n");
  int first = quick ? 3 : 4;
  printf("| element | %d cells | %d cells | %d cells | order |\n| --- | --- | --- | --- | --- |\n", first, 2 * first,
         4 * first);
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    double error[3];
    for (int k = 0; k < 3; k++) error[k] = order_error(kinds[i].kind, kinds[i].name, first << k);
    double order = order_of(error[1], error[2], 2);
    good = good && order > 1.8;
    printf("| %s | %.3e | %.3e | %.3e | %.2f |\n", kinds[i].name, error[0], error[1], error[2], order);
    fflush(stdout);
  }
  printf("\n");
  return good;
}

// --- laws ---

typedef struct Law {
  const char *name;
  int parameters;
  double p[8];
} Law;

enum { ARRUDA, STVK, NEO, MOONEY, VERONDA, COSTA, OGDEN, STABLE };
static const Law laws[] = {
    {"ArrudaBoyce", 2, {3, 200}},     {"StVenantKirchhoff", 2, {3, 20}},    {"NeoHookean", 2, {3, 20}},
    {"MooneyRivlin", 3, {3, 2, 200}}, {"VerondaWestman", 3, {3, 0.7, 200}}, {"Costa", 8, {2, 20, 8, 3, 4, 2, 1, 5}},
    {"Ogden", 3, {3, 5, 200}},        {"StableNeoHookean", 2, {3, 20}},
};

static const double chain[5] = {0.5, 1.0 / 160, 11.0 / (1050.0 * 64), 19.0 / (7000.0 * 512), 519.0 / (673750.0 * 4096)};

static double chain_slope(double x)
{
  double sum = 0;
  for (int k = 4; k >= 0; k--) sum = sum * x + (k + 1) * chain[k];
  return sum;
}

// nominal stress along axis i for stretches l
static double stretched(int law, const double *p, const double l[3], int i)
{
  double j = l[0] * l[1] * l[2], i1 = 0, i2 = 0, own = l[i];
  for (int a = 0; a < 3; a++) i1 += l[a] * l[a], i2 += l[a] * l[a] * l[(a + 1) % 3] * l[(a + 1) % 3];
  double first = pow(j, -2.0 / 3) * (2 * own - 2.0 / 3 * i1 / own),
         second = pow(j, -4.0 / 3) * (2 * own * (i1 - own * own) - 4.0 / 3 * i2 / own);
  double x = pow(j, -2.0 / 3) * i1, volume = log(j) / own;
  switch (law) {
  case ARRUDA:
    return p[0] * chain_slope(x) * first + p[1] * volume;
  case STVK:
    return 0.5 * p[1] * (i1 - 3) * own + p[0] * own * (own * own - 1);
  case NEO:
    return p[0] * (own - 1 / own) + p[1] * volume;
  case MOONEY:
    return p[0] * first + p[1] * second + p[2] * volume;
  case VERONDA:
    return p[0] * p[1] * exp(p[1] * (x - 3)) * first - 0.5 * p[0] * p[1] * second + p[2] * volume;
  case OGDEN: {
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += pow(l[a], p[1]);
    return p[0] / p[1] * pow(j, -p[1] / 3) * (pow(own, p[1] - 1) - sum / (3 * own)) + p[2] * volume;
  }
  case STABLE:
    return p[0] * own + (p[0] + p[1]) * (j - 1 - p[0] / (p[0] + p[1])) * j / own;
  default: {
    const double b[3] = {p[2], p[4], p[7]};
    double q = 0, power = pow(j, -4.0 / 3);
    for (int a = 0; a < 3; a++) q += b[a] * pow(0.5 * (l[a] * l[a] - 1), 2);
    return 0.5 * p[0] * exp(power * q) * power * (b[i] * (own * own - 1) * own - 4.0 / 3 * q / own) +
           p[1] * log(j) * j / own;
  }
  }
}

// in simple shear by g
static double sheared(int law, const double *p, double g)
{
  switch (law) {
  case ARRUDA:
    return 2 * g * p[0] * chain_slope(3 + g * g);
  case STVK:
    return p[0] * g + (0.5 * p[1] + p[0]) * g * g * g;
  case MOONEY:
    return 2 * g * (p[0] + p[1]);
  case VERONDA:
    return 2 * g * (p[0] * p[1] * exp(p[1] * g * g) - 0.5 * p[0] * p[1]);
  case OGDEN: {
    double l = 0.5 * g + sqrt(1 + 0.25 * g * g);
    return p[0] / p[1] * (pow(l, p[1] - 1) - pow(l, -p[1] - 1)) / (1 + 1 / (l * l));
  }
  case COSTA:
    return 0.5 * p[0] * exp(0.5 * p[3] * g * g + 0.25 * p[4] * pow(g, 4)) * (p[3] * g + p[4] * g * g * g);
  default:
    return p[0] * g;
  }
}

// lateral stretch without stress; the anisotropic law keeps its volume instead
static void free_stretches(int law, const double *p, double l, bool both, double out[3])
{
  out[0] = l, out[1] = both ? l : 0, out[2] = 0;
  double low = 0.2, high = 3;
  for (int i = 0; i < 200; i++) {
    double s = 0.5 * (low + high), trial[3] = {l, both ? l : s, s};
    if (stretched(law, p, trial, 2) > 0) high = s;
    else low = s;
  }
  if (law == COSTA) low = both ? 1 / (l * l) : 1 / sqrt(l);
  out[2] = low;
  if (!both) out[1] = low;
}

// traction on the face at the upper end of `face`, along `axis`, for x = F X
static double traction(Trial *t, const double f[3][3], int face, int axis)
{
  const double *rest = dv_state_read(t->dofs, DV_X_REST);
  double *x = dv_state_write(t->dofs, DV_X), *force = dv_state_write(t->dofs, DV_F), sum = 0;
  for (size_t p = 0; p < t->dofs->count; p++)
    for (size_t a = 0; a < 3; a++)
      x[3 * p + a] = f[a][0] * rest[3 * p] + f[a][1] * rest[3 * p + 1] + f[a][2] * rest[3 * p + 2];
  memset(force, 0, 3 * t->dofs->count * sizeof *force);
  dvObject *ff = trial_find(t, "ff");
  ((const dvForceOps *)dv_ops(ff, DV_ROLE_FORCE))->add_force(ff, &(dvMech){.x = DV_X, .v = DV_V, .f = DV_F});
  for (size_t p = 0; p < t->dofs->count; p++)
    if (rest[3 * p + (size_t)face] > 1 - 1e-9) sum -= force[3 * p + (size_t)axis];
  return sum;
}

static double gap(double a, double b, double scale) { return fabs(a - b) / scale; }

static bool curves_of(int law, double errors[3])
{
  const Law *w = &laws[law];
  Blocks b = {DV_TETRAHEDRON, {1, 1, 1}, {1, 1, 1}, 0};
  dvText text = {0};
  Trial t;
  dv_text_add(&text, "<Node><MeshTopology name='mesh'");
  blocks_add(&text, &b);
  dv_text_printf(&text,
                 "/><MechanicalObject name='dofs'/><TetrahedronHyperelasticityFEMForceField name='ff' "
                 "materialName='%s' ParameterSet='",
                 w->name);
  for (int i = 0; i < w->parameters; i++) dv_text_printf(&text, "%g ", w->p[i]);
  dv_text_add(&text, "'/></Node>");
  bool open = trial_open(&t, text.text);
  dv_text_free(&text);
  if (!open) return false;
  errors[0] = errors[1] = errors[2] = 0;
  for (int k = 0; k <= 20; k++) {
    double stretch = 0.7 + 0.05 * k, l[3];
    for (int both = 0; both < 2; both++) {
      free_stretches(law, w->p, stretch, both, l);
      const double f[3][3] = {{l[0], 0, 0}, {0, l[1], 0}, {0, 0, l[2]}};
      double want = stretched(law, w->p, l, 0), scale = fmax(fabs(want), w->p[0]);
      errors[both] = fmax(errors[both], gap(traction(&t, f, 0, 0), want, scale));
      errors[both] = fmax(errors[both], gap(traction(&t, f, 2, 2), stretched(law, w->p, l, 2), scale));
    }
    double g = 0.05 * k;
    const double f[3][3] = {{1, g, 0}, {0, 1, 0}, {0, 0, 1}};
    double want = sheared(law, w->p, g);
    errors[2] = fmax(errors[2], gap(traction(&t, f, 1, 0), want, fmax(fabs(want), w->p[0])));
  }
  trial_close(&t);
  return true;
}

bool validate_laws(void)
{
  bool good = true;
  printf("## Hyperelastic laws\n\nNominal stress of a cube against closed forms, largest difference over the stress "
         "(or the first modulus, where the stress is smaller): stretches from 0.7 to 1.7 along one axis and along two, "
         "the others free of stress (Costa: at constant volume), and simple shear up to 1.\n\n");
  printf("| law | one axis | two axes | shear |\n| --- | --- | --- | --- |\n");
  for (size_t i = 0; i < DV_COUNT(laws); i++) {
    double errors[3] = {NAN, NAN, NAN};
    good = curves_of((int)i, errors) && errors[0] < 1e-10 && errors[1] < 1e-10 && errors[2] < 1e-10 && good;
    printf("| %s | %.1e | %.1e | %.1e |\n", laws[i].name, errors[0], errors[1], errors[2]);
  }
  printf("\n");
  return good;
}
