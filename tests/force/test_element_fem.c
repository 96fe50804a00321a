// CorotationalFEMForceField and LinearSmallStrainFEMForceField for every element: derivatives, rotations, the patch
// test.
#include "support/check.h"
#include "support/fd.h"

#include "math/vec.h"
#include "topology/topology.h"

#include <stdlib.h>
#include <string.h>

enum { N = 2, SIDE = N + 1 };   // cells a side of the box, points a side

static const char *const names[] = {[DV_EDGE] = "Edge",
                                    [DV_TRIANGLE] = "Triangle",
                                    [DV_QUAD] = "Quad",
                                    [DV_TETRAHEDRON] = "Tetrahedron",
                                    [DV_HEXAHEDRON] = "Hexahedron",
                                    [DV_PRISM] = "Prism",
                                    [DV_PYRAMID] = "Pyramid"};
static const char *const fields[] = {[DV_EDGE] = "edges",           [DV_TRIANGLE] = "triangles",
                                     [DV_QUAD] = "quads",           [DV_TETRAHEDRON] = "tetrahedra",
                                     [DV_HEXAHEDRON] = "hexahedra", [DV_PRISM] = "prisms",
                                     [DV_PYRAMID] = "pyramids"};
static const dvElementKind solids[] = {DV_TETRAHEDRON, DV_HEXAHEDRON, DV_PRISM, DV_PYRAMID};

// corners of the elements that a cell is cut into; 8 is its centre
static int cut(dvElementKind kind, int element, int corner)
{
  static const int tetra[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2}, {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  static const int prism[2][6] = {{0, 1, 3, 4, 5, 7}, {1, 2, 3, 5, 6, 7}};
  static const int pyramid[6][5] = {{0, 1, 2, 3, 8}, {4, 7, 6, 5, 8}, {0, 4, 5, 1, 8},
                                    {1, 5, 6, 2, 8}, {2, 6, 7, 3, 8}, {3, 7, 4, 0, 8}};
  static const int triangle[2][3] = {{0, 1, 2}, {0, 2, 3}};
  switch (kind) {
  case DV_TETRAHEDRON:
    return tetra[element][corner];
  case DV_PRISM:
    return prism[element][corner];
  case DV_PYRAMID:
    return pyramid[element][corner];
  case DV_TRIANGLE:
    return triangle[element][corner];
  default:
    return corner;
  }
}

// a box of N^3 (in the plane N^2) cells cut into elements
static void add_mesh(dvText *out, dvElementKind kind, bool plane)
{
  static const int parts[] = {[DV_EDGE] = 1,       [DV_TRIANGLE] = 2, [DV_QUAD] = 1,   [DV_TETRAHEDRON] = 6,
                              [DV_HEXAHEDRON] = 1, [DV_PRISM] = 2,    [DV_PYRAMID] = 6};
  int layers = plane ? 1 : N, planes = plane ? 1 : SIDE;
  dv_text_add(out, "<MeshTopology name='mesh' position='");
  for (int p = 0; p < SIDE * SIDE * planes; p++) {
    int at[3] = {p % SIDE, p / SIDE % SIDE, p / SIDE / SIDE};
    // the quadrature of prisms and pyramids is exact for regular ones only
    double noise = kind == DV_PRISM || kind == DV_PYRAMID ? 0 : 0.02;
    for (int d = 0; d < 3; d++)
      dv_text_printf(out, "%g ", plane && d == 2 ? 0 : at[d] * (1 + 0.2 * d) + noise * ((7 * p + 3 * d) % 5));
  }
  for (int c = 0; c < N * N * layers && kind == DV_PYRAMID; c++)
    dv_text_printf(out, "%g %g %g ", c % N + 0.5, 1.2 * (c / N % N + 0.5), 1.4 * (c / N / N + 0.5));
  dv_text_printf(out, "' %s='", fields[kind]);
  for (int c = 0; c < N * N * layers; c++)
    for (int e = 0; e < parts[kind]; e++)
      for (int i = 0; i < dv_element_points(kind); i++) {
        static const int offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
        int corner = cut(kind, e, i);
        int centre = SIDE * SIDE * planes + c;
        const int *o = offset[corner % 8];
        int point = c % N + o[0] + SIDE * (c / N % N + o[1] + SIDE * (c / N / N + o[2]));
        dv_text_printf(out, "%d ", corner == 8 ? centre : point);
      }
  dv_text_add(out, "'/>");
}

static fdScene open(dvElementKind kind, const char *space, const char *force, const char *state)
{
  dvText text = {0};
  dv_text_add(&text, "<Node>");
  add_mesh(&text, kind, strcmp(space, "Vec3") != 0);
  dv_text_printf(&text,
                 "<MechanicalObject name='dofs' template='%s' %s/><%s name='ff' template='%s,%s' youngModulus='100' "
                 "poissonRatio='0.3'/></Node>",
                 space, state, force, space, names[kind]);
  fdScene s = fd_open(text.text);
  dv_text_free(&text);
  return s;
}

static void small_strain_is_the_exact_derivative(void **state)
{
  DV_UNUSED(state);
  static const struct {
    dvElementKind kind;
    const char *space;
  } cases[] = {{DV_TETRAHEDRON, "Vec3"}, {DV_HEXAHEDRON, "Vec3"}, {DV_PRISM, "Vec3"}, {DV_PYRAMID, "Vec3"},
               {DV_QUAD, "Vec3"},        {DV_TRIANGLE, "Vec3"},   {DV_EDGE, "Vec3"},  {DV_QUAD, "Vec2"},
               {DV_TRIANGLE, "Vec2"},    {DV_EDGE, "Vec2"},       {DV_EDGE, "Vec1"}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    fdScene s = open(cases[i].kind, cases[i].space, "LinearSmallStrainFEMForceField", "");
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY;
    o.samples = 1;
    if (!fd_check_force(fd_find(&s, "ff"), &o)) fail_msg("%s in %s", names[cases[i].kind], cases[i].space);
    fd_close(&s);
  }
}

// solids, turned but not deformed
static void turned_elements_have_the_exact_derivative(void **state)
{
  DV_UNUSED(state);
  static const char *const methods[] = {"automatic", "stable_polar", "polar"};
  for (size_t i = 0; i < 3 * DV_COUNT(solids); i++) {
    char *force = dv_format("CorotationalFEMForceField rotationMethod='%s'", methods[i % 3]);
    fdScene s = open(solids[i / 3], "Vec3", force, "rotation2='20 -70 35' translation2='1 2 3'");
    fdOptions o = fd_options();
    o.checks = (o.checks | FD_SYMMETRY) & ~(unsigned)FD_ENERGY;
    o.move_x = 0;
    o.samples = 1;
    if (!fd_check_force(fd_find(&s, "ff"), &o)) fail_msg("%s with %s", names[solids[i / 3]], methods[i % 3]);
    check_close(fd_energy_of(fd_find(&s, "ff")), 0, 1e-20);
    fd_close(&s);
    dv_free(force);
  }
}

// faces and lines in space turn without force too
static void turned_faces_have_no_force(void **state)
{
  DV_UNUSED(state);
  static const dvElementKind faces[] = {DV_TRIANGLE, DV_QUAD, DV_EDGE};
  for (size_t i = 0; i < DV_COUNT(faces); i++) {
    fdScene s = open(faces[i], "Vec3", "CorotationalFEMForceField", "rotation2='20 -70 35' translation2='1 2 3'");
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
    for (size_t k = 0; k < 3 * dofs->count; k++) check_close(f[k], 0, 1e-11);
    fd_close(&s);
  }
  // in the plane, a quarter turn
  for (size_t i = 0; i < 2; i++) {
    fdScene s = open(faces[i], "Vec2", "CorotationalFEMForceField", "");
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    const double *rest = dv_state_read(dofs, DV_X_REST);
    double *x = dv_state_write(dofs, DV_X);
    for (size_t p = 0; p < dofs->count; p++) {
      x[2 * p] = -rest[2 * p + 1];
      x[2 * p + 1] = rest[2 * p];
    }
    const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
    for (size_t k = 0; k < 2 * dofs->count; k++) check_close(f[k], 0, 1e-11);
    fd_close(&s);
  }
}

// linear displacements leave inner points in balance; in the plane too
static void patch_test(void **state)
{
  DV_UNUSED(state);
  static const struct {
    dvElementKind kind;
    const char *space;
  } cases[] = {{DV_TETRAHEDRON, "Vec3"}, {DV_HEXAHEDRON, "Vec3"}, {DV_PRISM, "Vec3"},
               {DV_PYRAMID, "Vec3"},     {DV_QUAD, "Vec2"},       {DV_TRIANGLE, "Vec2"}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    fdScene s = open(cases[i].kind, cases[i].space, "LinearSmallStrainFEMForceField", "");
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    size_t w = (size_t)dofs->base.dof->coord;
    static const double a[3][3] = {{0.04, -0.02, 0.07}, {0.01, 0.03, 0}, {0, -0.05, 0.02}};
    const double *rest = dv_state_read(dofs, DV_X_REST);
    double *x = dv_state_write(dofs, DV_X);
    for (size_t k = 0; k < w * dofs->count; k++)
      for (size_t d = 0; d < w; d++) x[k] += a[k % w][d] * rest[w * (k / w) + d];
    const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
    size_t inner = w == 3 ? 13 : 4;
    for (size_t d = 0; d < w; d++) check_close(f[w * inner + d], 0, 1e-12);
    check_close(fabs(f[0]) > 0.1, 1, 0);
    fd_close(&s);
  }
}

// a bar on a line: E e / L
static void edge_on_a_line(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(
      "<Node><MeshTopology position='0 0 0 2 0 0' edges='0 1'/><MechanicalObject name='dofs' template='Vec1' "
      "position='0 2.1' rest_position='0 2'/>"
      "<LinearSmallStrainFEMForceField name='ff' template='Vec1,Edge' youngModulus='100' poissonRatio='0.3'/></Node>");
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  check_close(f[1], -100 * 0.1 / 2, 1e-12);
  check_close(f[0], 100 * 0.1 / 2, 1e-12);
  fd_close(&s);
}

static void matrices_can_be_read(void **state)
{
  DV_UNUSED(state);
  fdScene s = open(DV_QUAD, "Vec2", "CorotationalFEMForceField", "");
  dvField *f = dv_object_field(fd_find(&s, "ff"), "elementStiffness");
  assert_int_equal(dv_field_pull(f), DV_OK);
  const dvReals *k = f->value;
  assert_int_equal(k->count, 4 * 64);
  for (size_t i = 0; i < 64; i++) check_close(k->data[i], k->data[8 * (i % 8) + i / 8], 1e-12);
  for (size_t i = 0; i < 8; i++)
    check_close(k->data[8 * i] + k->data[8 * i + 2] + k->data[8 * i + 4] + k->data[8 * i + 6], 0, 1e-12);
  fd_close(&s);
}

static void mistakes_are_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {
      "<CorotationalFEMForceField template='Vec3,Cube'/>",
      "<CorotationalFEMForceField template='Vec3,Tetrahedron' rotationMethod='hexahedron'/>",
      "<LinearSmallStrainFEMForceField poissonRatio='0.6'/>", "<LinearSmallStrainFEMForceField youngModulus='-1'/>"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format(
        "<Node><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject/>%s</Node>",
        bad[i]);
    if (!fd_fails(text)) fail_msg("accepted: %s", bad[i]);
    dv_free(text);
  }
  assert_true(fd_fails(
      "<Node><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject template='Vec2'/>"
      "<LinearSmallStrainFEMForceField template='Vec2,Tetrahedron'/></Node>"));
  fdScene s = fd_open("<Node><MeshTopology/><MechanicalObject/><CorotationalFEMForceField/></Node>");
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_strain_is_the_exact_derivative),
      cmocka_unit_test(turned_elements_have_the_exact_derivative),
      cmocka_unit_test(turned_faces_have_no_force),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(edge_on_a_line),
      cmocka_unit_test(matrices_can_be_read),
      cmocka_unit_test(mistakes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
