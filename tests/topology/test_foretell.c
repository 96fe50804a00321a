// What a grid will cost is told before memory is taken: the forecast against what was allocated.
#include "topology/report.h"

#include "topology/grid/foretell.h"

#include <malloc.h>
#include <stdlib.h>

static double allocated(void)
{
  struct mallinfo2 m = mallinfo2();
  return (double)m.uordblks + (double)m.hblkhd;
}

enum { RESERVE = 17 << 20 };   // of the process, and what a context has

#define BEGIN                                                                                     \
  "<Node><EulerImplicitSolver/>%s<RegularGridTopology name='g' n='%d %d %d'/><MechanicalObject/>" \
  "<UniformMass totalMass='1'/>"
#define FREE "<CGLinearSolver template='GraphScattered' iterations='3' tolerance='1e-9' threshold='1e-30'/>"
#define LDL "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"

static void is_right_within_a_factor(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *solver, *rest;
    int n[3];
  } cases[] = {
      {FREE, "", {30, 30, 30}},
      {FREE, "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>", {30, 30, 30}},
      {FREE, "<MeshSpringForceField stiffness='10'/>", {25, 25, 25}},
      {FREE, "<MeshSpringForceField stiffness='10'/>", {150, 150, 1}},
      {FREE, "<TriangleFEMForceField youngModulus='1000' poissonRatio='0.3'/>", {150, 150, 1}},
      {FREE,
       "<Node><TetrahedronSetTopologyContainer name='t'/><TetrahedronSetTopologyModifier/>"
       "<Hexa2TetraTopologicalMapping input='@../g' output='@t'/>"
       "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/></Node>",
       {25, 25, 25}},
      {FREE, "<Node><MechanicalObject/><IdentityMapping/></Node>", {30, 30, 30}},
      {"<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='3' tolerance='1e-9' "
       "threshold='1e-30'/>",
       "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>",
       {25, 25, 25}},
      {LDL, "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>", {15, 15, 15}},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    const int32_t *n = cases[i].n;
    char *begin = dv_format(BEGIN, cases[i].solver, n[0], n[1], n[2]),
         *text = dv_format("%s%s</Node>", begin, cases[i].rest);
    double before = allocated();
    Report r;
    report_good(&r, text);
    assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
    double used = allocated() - before - RESERVE;
    double said = dv_grid_foresee(report_topology(&r, "g"), (size_t)n[0] * (size_t)n[1] * (size_t)n[2], 2 + (n[2] > 1));
    // sanitizers have allocators of their own, which count nothing here
    if (allocated() > 0 && !(said > used / 2.2 && said < used * 2.2))
      fail_msg("%s: %.1f MB foretold, %.1f MB taken", text, 1e-6 * said, 1e-6 * used);
    report_end(&r);
    dv_free(begin), dv_free(text);
  }
}

static void is_told_where_it_is_much(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_start(&r, "<Node><EulerImplicitSolver/>" FREE "<RegularGridTopology n='126 126 126'/><MechanicalObject/>"
                   "<HexahedronFEMForceField youngModulus='none'/></Node>");
  report_says(&r, "the grid has 2.00 million points: what lives on it takes about ");
  report_end(&r);
  report_good(&r, "<Node><EulerImplicitSolver/>" FREE "<RegularGridTopology n='9 9 9'/><MechanicalObject/>"
                  "<UniformMass/></Node>");
  assert_null(r.messages.text ? strstr(r.messages.text, "million") : NULL);
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_right_within_a_factor),
                                     cmocka_unit_test(is_told_where_it_is_much)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
