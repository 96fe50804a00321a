// Springs that hold a body together: their force is the derivative of their energy, their stiffness that of the force,
// symmetric, as product and as matrix; they leave no resultant, and turn with the body. Every such component goes
// through the same check.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

#define PAIR "<MechanicalObject name='dofs' position='0 0 0  1 0.1 0  0.2 1 0.3  0.9 1.2 -0.2'/>"
#define GRID "<RegularGridTopology n='2 3 2' min='0 0 0' max='1 2 1'/><MechanicalObject name='dofs'/>"
#define SHEET                                              \
  "<MeshTopology triangles='0 1 2  2 1 3  2 3 4  4 3 5'/>" \
  "<MechanicalObject name='dofs' position='0 0 0  1 0 0.1  0 1 0  1 1.1 0.2  0.1 2 0  1 2.1 0.1'/>"
#define QUADS                                \
  "<MeshTopology quads='0 1 3 2  2 3 5 4'/>" \
  "<MechanicalObject name='dofs' position='0 0 0  1 0 0.1  0 1 0  1 1.1 0.2  0.1 2 0  1 2.1 0.1'/>"

enum { ALL = FD_ENERGY | FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY | FD_RIGID };

static const struct Case {
  const char *body, *force;
  unsigned checks;
} cases[] = {
    {PAIR, "<SpringForceField name='ff' spring='0 1 100 0 0.8  1 2 50 0 1.5  2 3 30 0 0.4  3 0 20 0 1'/>", ALL},
    {PAIR, "<ParallelSpringForceField name='ff' spring='0 1 100 0 0.8  1 2 50 0 1.5'/>", ALL},
    {PAIR, "<RepulsiveSpringForceField name='ff' spring='0 1 100 0 2  1 2 50 0 3'/>", ALL},
    {"<MechanicalObject name='dofs' position='0 0 0  1 0.1 0'/><Node name='B'><MechanicalObject name='b' position='0.2 "
     "1 0.3  0.9 1.2 -0.2'/></Node>",
     "<SpringForceField name='ff' object1='@dofs' object2='@B/b' spring='0 1 100 0 0.8  1 0 50 0 1.5'/>", ALL},
    {GRID, "<MeshSpringForceField name='ff' linesStiffness='10' quadsStiffness='20' cubesStiffness='30'/>", ALL},
    {GRID, "<ParallelMeshSpringForceField name='ff' stiffness='7'/>", ALL},
    {GRID, "<RegularGridSpringForceField name='ff' linesStiffness='10' quadsStiffness='20' cubesStiffness='30'/>", ALL},
    {PAIR,
     "<PolynomialSpringsForceField name='ff' firstObjectPoints='0 1' secondObjectPoints='2 3' polynomialStiffness='10 "
     "4' polynomialDegree='2'/>",
     FD_ASSEMBLY | FD_RIGID},
    {SHEET, "<TriangularBendingSprings name='ff' stiffness='10' damping='0'/>", ALL},
    {SHEET, "<TriangleBendingSprings name='ff' stiffness='10' damping='0'/>", ALL},
    {QUADS, "<QuadBendingSprings name='ff' stiffness='10' damping='0'/>", ALL},
    {QUADS, "<QuadularBendingSprings name='ff' stiffness='10' damping='0'/>", ALL},
    // SOFA's products are exact at rest only: test_spring_law.c
    {SHEET, "<TriangularQuadraticSpringsForceField name='ff' youngModulus='10' poissonRatio='0.3'/>",
     FD_ASSEMBLY | FD_SYMMETRY | FD_RIGID},
    {SHEET, "<TriangularBiquadraticSpringsForceField name='ff' youngModulus='10' poissonRatio='0.3'/>",
     FD_ASSEMBLY | FD_SYMMETRY | FD_RIGID},
};

static void every_spring_through_the_harness(void **state)
{
  DV_UNUSED(state);
  int wrong = 0;
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node>%s%s</Node>", cases[i].body, cases[i].force);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks = cases[i].checks;
    if (!fd_check_force(fd_find(&s, "ff"), &o)) wrong++;
    fd_close(&s);
    dv_free(text);
  }
  assert_int_equal(wrong, 0);
}

// what is held to the world or to axes does not pass: the check can fail
static void springs_to_the_world_are_no_internal_forces(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node>" PAIR "<RestShapeSpringsForceField name='ff' points='0 1' stiffness='10'/></Node>");
  fdOptions o = fd_options();
  o.checks = FD_RIGID;
  o.quiet = true;
  assert_false(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_spring_through_the_harness),
                                     cmocka_unit_test(springs_to_the_world_are_no_internal_forces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
