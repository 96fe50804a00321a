// Every field of every component of the heart, with values that nobody should give (support/hostile.h): what goes wrong
// is told with the name of the field.
#include "support/hostile.h"

#include "support/check.h"
#include "support/scene.h"

// --- scenes: small ones, in which each component is at work ---

// a cube of 0.5 mm: edges are as short as the fronts of all cells want them
#define CUBE                                                                                                         \
  "<MeshTopology name='mesh' position='0 0 0  0.0005 0 0  0 0.0005 0  0.0005 0.0005 0  0 0 0.0005  0.0005 0 0.0005 " \
  " 0 0.0005 0.0005  0.0005 0.0005 0.0005' tetrahedra='0 1 2 4  1 2 3 7  1 4 5 7  2 4 6 7  1 2 4 7'/>"
#define FIBRES "fibres='1 0 0  1 0 0  1 0 0  1 0 0  1 0 0'"
#define CELLS(law)                                                                                                    \
  "<Node name='root' dt='0.001'><DefaultAnimationLoop/>" CUBE                                                         \
  "<ElectricalState name='potential'/><MonodomainSolver name='solver' cell='" law "' " FIBRES                         \
  "/><CardiacStimulus name='stimulus' "                                                                               \
  "indices='0 1' center='0 0 0.0005' radius='0.0001'/><TissueZone name='zone' tetrahedra='1' segments='2' labels='1"  \
  " 2 1 1 1' conduction='0.5' excitable='1' contractility='1'/><PseudoECG name='electrodes' electrodes='0.01 0 0  0 " \
  "0.01 "                                                                                                             \
  "0' " FIBRES "/></Node>"

#define HEART                                                                                                        \
  "<MeshTopology name='mesh' position='@../ventricle.position' tetrahedra='@../ventricle.tetrahedra'/><FibreField "  \
  "name='directions' "                                                                                               \
  "vectors='@../ventricle.fibres'/><VentricleSurfaces name='surfaces'/><MechanicalObject name='x'/><MeshMatrixMass " \
  "massDensity='1070' lumping='1'/><MooneyRivlin ParameterSet='800 200 100000' pronySeries='0.3 "                    \
  "0.03'/><ContractionForceField name='muscle' fibres='@directions.fibres' "                                         \
  "potential='@../E/potential'/><BaseConstraint "                                                                    \
  "name='springs' points='@../ventricle.basePoints' stiffness='500'/><CardiacStimulus name='stimulus' center='0 0 "  \
  "-0.068' "                                                                                                         \
  "radius='0.012' period='0.8'/>"
#define ELECTRICITY                                                                                           \
  "<Node name='E'><ElectricalState name='potential' topology='@../Heart/mesh'/><EikonalSolver name='fronts' " \
  "topology='@../Heart/mesh' fibres='@../ventricle.fibres' speed='1'/><PseudoECG name='leads' "               \
  "topology='@../Heart/mesh' "                                                                                \
  "electrodes='0.1 0 0'/></Node>"
#define SHAPE "<GenerateVentricle name='ventricle' spacing='0.02' layers='1'/>"

static const HostileCase cases[] = {
    {CELLS("MitchellSchaeffer"), "potential solver stimulus zone electrodes"},
    {CELLS("AlievPanfilov"), "solver"},
    {CELLS("FitzHughNagumo"), "solver"},
    {CELLS("TenTusscherPanfilov"), "solver"},
    // each solves the equations of a step as a whole: potentials first, in a node that stands before
    {"<Node name='root' gravity='0 0 0' dt='0.005'><DefaultAnimationLoop/>" SHAPE ELECTRICITY
     "<Node name='Heart'><EulerImplicitSolver rayleighMass='5'/><SparseLDLSolver "
     "template='CompressedRowSparseMatrixMat3x3d'/>" HEART
     "<PressureConstraint name='chamber' triangles='@surfaces.leftEndocardium'/><ProjectivePressureConstraint "
     "name='keeper'/></Node></Node>",
     "ventricle E/potential E/fronts E/leads Heart/directions Heart/surfaces Heart/muscle Heart/springs Heart/stimulus "
     "Heart/chamber Heart/keeper"},
    {"<Node name='root' gravity='0 0 0' dt='0.005'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
     "tolerance='1e-12' maxIterations='100'/>" SHAPE ELECTRICITY
     "<Node name='Heart'><EulerImplicitSolver rayleighMass='5'/><SparseLDLSolver "
     "template='CompressedRowSparseMatrixMat3x3d'/><LinearSolverConstraintCorrection/>" HEART
     "<LagrangianPressureConstraint name='chamber' triangles='@surfaces.leftEndocardium'/></Node></Node>",
     "Heart/chamber"},
};

static void every_field_bears_every_value(void **state)
{
  DV_UNUSED(state);
  hostile_walk(cases, DV_COUNT(cases), HOSTILE_NAMED, 4);
}

static void the_scenes_run(void **state)
{
  DV_UNUSED(state);
  hostile_run_as_they_are(cases, DV_COUNT(cases));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_scenes_run), cmocka_unit_test(every_field_bears_every_value)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
