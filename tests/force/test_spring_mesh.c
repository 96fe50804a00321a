// Springs made from a topology: which pairs there are, and derivatives in the plain loop and in packs.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"
#include "force/spring/spring_force.h"

#include <string.h>

static size_t springs_of(const fdScene *s, const char *name)
{
  return dv_reals_size(dv_object_field(fd_find(s, name), "spring")->value);
}

static const double *spring_at(const fdScene *s, const char *name, size_t i)
{
  const dvReals *list = dv_object_field(fd_find(s, name), "spring")->value;
  return list->data + 5 * i;
}

// all pairs of a tetrahedron; ks = stiffness / length
static void one_tetrahedron(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><MechanicalObject position='0 0 0  2 0 0  0 1 0  0 0 1'/><MeshTopology tetrahedra='0 1 2 3'/>"
              "<MeshSpringForceField name='ff' tetrasStiffness='10' tetrasDamping='4'/></Node>");
  assert_int_equal(springs_of(&s, "ff"), 6);
  const double *q = spring_at(&s, "ff", 0);   // 0 - 1, two long
  check_close(q[2], 5, 1e-14);
  check_close(q[3], 2, 1e-14);
  check_close(q[4], 2, 1e-14);
  fd_close(&s);
}

// `stiffness` stands for all kinds; a pair that two kinds share gets one spring, from the first of them
static void kinds_share_pairs(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject position='0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1'/>"
                      "<MeshTopology edges='0 1' hexahedra='0 1 2 3 4 5 6 7'/>"
                      "<MeshSpringForceField name='all' stiffness='7' damping='1'/>"
                      "<MeshSpringForceField name='two' linesStiffness='1' cubesStiffness='2'/>"
                      "<MeshSpringForceField name='part' cubesStiffness='2' localRange='4 7'/></Node>");
  assert_int_equal(springs_of(&s, "all"), 28);
  assert_int_equal(springs_of(&s, "two"), 28);
  check_close(spring_at(&s, "two", 0)[2], 1, 1e-14);
  check_close(spring_at(&s, "two", 1)[2], 2 / spring_at(&s, "two", 1)[4], 1e-14);
  assert_int_equal(springs_of(&s, "part"), 6);   // both ends from 4 on
  fd_close(&s);
}

static void check_derivatives(const char *text, const char *name)
{
  fdScene s = fd_open(text);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  o.move_x = 0.05;
  assert_true(fd_check_force(fd_find(&s, name), &o));
  fd_close(&s);
}

static void derivatives(void **state)
{
  DV_UNUSED(state);
  // 27 points, 158 springs: the packs
  check_derivatives("<Node><RegularGridTopology n='3 3 3' min='0 0 0' max='2 2 2'/><MechanicalObject/>"
                    "<MeshSpringForceField name='ff' cubesStiffness='100'/></Node>",
                    "ff");
  check_derivatives("<Node><RegularGridTopology n='3 2 3' min='0 0 0' max='2 1 3'/><MechanicalObject/>"
                    "<RegularGridSpringForceField name='ff' stiffness='100' damping='0'/></Node>",
                    "ff");
  check_derivatives("<Node><MechanicalObject position='0 0 0  1 0 0.1  1 1 0  0 1 0.2  2 0.5 0'/><MeshTopology "
                    "triangles='0 1 2  0 2 3  1 4 2'/>"
                    "<TriangularBendingSprings name='ff' stiffness='10' damping='0'/></Node>",
                    "ff");
  check_derivatives("<Node><RegularGridTopology n='4 3 1' min='0 0 0' max='3 2 0'/><MechanicalObject/>"
                    "<QuadularBendingSprings name='ff' stiffness='10' damping='0'/></Node>",
                    "ff");
}

// packs and the plain loop give the same: fewer than 32 springs are done one by one
static void packs_and_loop_agree(void **state)
{
  DV_UNUSED(state);
  double x[15], v[15], f[2][15];
  for (int i = 0; i < 15; i++) {
    x[i] = sin(7.1 * i);
    v[i] = cos(3.3 * i);
  }
  for (int repeat = 0; repeat < 2; repeat++) {
    dvText springs = {0};
    for (int i = 0; i < 30; i++) dv_text_printf(&springs, "%d %d %g %g 0.8 ", i % 4, i % 4 + 1, 1.0 + i, 0.1 * i);
    for (int i = 0; repeat && i < 30; i++) dv_text_printf(&springs, "%d %d 0 0 1 ", i % 4, i % 4 + 1);
    char *text = dv_format("<Node><MechanicalObject name='dofs' position='0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
                           "0'/><SpringForceField name='ff' spring='%s'/></Node>",
                           springs.text);
    fdScene s = fd_open(text);
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    memcpy(dv_state_write(dofs, DV_X), x, sizeof x);
    memcpy(dv_state_write(dofs, DV_V), v, sizeof v);
    assert_int_equal(((dvSpringForce *)fd_find(&s, "ff"))->springs.packs != NULL, repeat);
    memcpy(f[repeat], fd_force_on(fd_find(&s, "ff"), &dofs->base), sizeof x);
    fd_close(&s);
    dv_text_free(&springs);
    dv_free(text);
  }
  for (int i = 0; i < 15; i++) check_close(f[0][i], f[1][i], 1e-12);
}

// not a single bit of force at rest, in packs neither: lengths at rest and lengths have the same rounding
static void nothing_at_rest(void **state)
{
  DV_UNUSED(state);
  dvText points = {0};
  for (int i = 0; i < 3 * 24; i++) dv_text_printf(&points, "%.17g ", sin(1.3 * i) * 3.7);
  dvText tetrahedra = {0};
  for (int i = 0; i < 20; i++) dv_text_printf(&tetrahedra, "%d %d %d %d ", i, i + 1, i + 2, i + 4);
  char *text = dv_format("<Node><MechanicalObject name='dofs' position='%s'/><MeshTopology tetrahedra='%s'/>"
                         "<MeshSpringForceField name='ff' tetrahedraStiffness='1e9' tetrahedraDamping='1'/></Node>",
                         points.text, tetrahedra.text);
  fdScene s = fd_open(text);
  assert_non_null(((dvSpringForce *)fd_find(&s, "ff"))->springs.packs);
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  for (int i = 0; i < 3 * 24; i++) check_close(f[i], 0, 0);
  fd_close(&s);
  dv_text_free(&points);
  dv_text_free(&tetrahedra);
  dv_free(text);
}

// 2 x 2 x 2 points: 12 lines, 12 diagonals of squares, 4 of the cell
static void springs_of_a_grid(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><RegularGridTopology n='2 2 2' min='0 0 0' max='1 2 3'/><MechanicalObject/>"
                      "<RegularGridSpringForceField name='ff' linesStiffness='6' quadsStiffness='1' cubesStiffness='0' "
                      "cubesDamping='1'/></Node>");
  const dvSprings *q = &((dvSpringForce *)fd_find(&s, "ff"))->springs;
  assert_int_equal(q->list.count, 28);
  check_close(q->list.data[0].ks, 6, 1e-14);     // along x, one long
  check_close(q->list.data[4].rest, 2, 1e-14);   // along y
  check_close(q->list.data[8].ks, 2, 1e-14);     // along z, three long
  check_close(q->list.data[12].rest, sqrt(5), 1e-14);
  check_close(q->list.data[24].rest, sqrt(14), 1e-14);
  check_close(q->list.data[24].kd, 1 / sqrt(14), 1e-14);
  fd_close(&s);
}

// two triangles have one hinge; bending gives no force in the plane
static void hinges(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  1 1 0  0 1 0'/><MeshTopology "
                      "triangles='0 1 2  0 2 3'/>"
                      "<FastTriangularBendingSprings name='fast' bendingStiffness='3'/>"
                      "<TriangularBendingSprings name='ff' stiffness='10'/></Node>");
  const double *f = fd_force_on(fd_find(&s, "fast"), fd_find(&s, "dofs"));
  for (int i = 0; i < 12; i++) check_close(f[i], 0, 1e-14);
  // lifting both opposite corners by h: the bending vector is h, its weight one half on each corner; heights sqrt(1/2)
  // over an edge of sqrt(2): lambda = 2/3 2 sqrt(1/2) / (1/4) sqrt(2) k = 16/3 k
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double h = 0.01;
  dv_state_write(dofs, DV_X)[5] = dv_state_write(dofs, DV_X)[11] = h;
  f = fd_force_on(fd_find(&s, "fast"), &dofs->base);
  check_close(f[5], -16.0 / 3 * 3 * h / 2, 1e-12);
  check_close(f[2], 16.0 / 3 * 3 * h / 2, 1e-12);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "fast"), &o));
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_tetrahedron), cmocka_unit_test(kinds_share_pairs),
      cmocka_unit_test(derivatives),     cmocka_unit_test(packs_and_loop_agree),
      cmocka_unit_test(nothing_at_rest), cmocka_unit_test(springs_of_a_grid),
      cmocka_unit_test(hinges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
