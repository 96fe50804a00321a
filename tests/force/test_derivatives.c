// Derivatives of forces whose other tests look at numbers: products with the stiffness against differences of the
// force, each where SOFA's stiffness is the derivative.
#include "support/check.h"
#include "support/fd.h"

#define SQUARE                                                                  \
  "<Node><MechanicalObject name='dofs' position='0 0 0  2 0 0  2 2 0  0 2 0'/>" \
  "<MeshTopology name='mesh' edges='0 1  1 2  2 3  3 0  0 2' triangles='0 1 2  0 2 3' quads='0 1 2 3'/>"

static const struct {
  const char *scene;
  double move, tolerance;
} rows[] = {
    {"<Node><RegularGridTopology n='2 2 3' min='0 0 0' max='1 2 3'/><MechanicalObject/>"
     "<HexahedralFEMForceFieldAndMass name='ff' youngModulus='100' poissonRatio='0.3'/></Node>",
     0, 1e-5},
    {"<Node><MechanicalObject position='0 0 0  1 0 0'/><LinearForceField name='ff' points='1' force='2' times='0 3' "
     "forces='1 0 0  4 0 0'/></Node>",
     0.1, 1e-6},
    {SQUARE "<EdgePressureForceField name='ff' edges='0 1' pressure='0 0 5'/></Node>", 0.1, 1e-6},
    {SQUARE "<TrianglePressureForceField name='ff' triangleList='1' pressure='0 0 3'/></Node>", 0.1, 1e-6},
    {SQUARE "<QuadPressureForceField name='ff' quadList='0' pressure='0 0 3'/></Node>", 0.1, 1e-6},
};

static void stiffness_is_the_derivative(void **state)
{
  DV_UNUSED(state);
  bool good = true;
  for (size_t i = 0; i < DV_COUNT(rows); i++) {
    fdScene s = fd_open(rows[i].scene);
    fdOptions o = fd_options();
    o.checks = FD_STIFFNESS | FD_ASSEMBLY;
    o.move_x = rows[i].move;
    o.tolerance = rows[i].tolerance;
    good = fd_check_force(fd_find(&s, "ff"), &o) && good;
    fd_close(&s);
  }
  assert_true(good);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stiffness_is_the_derivative)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
