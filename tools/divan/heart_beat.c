// See heart_beat.h.
#include "heart_beat.h"

#include "base/text.h"

// Backward Euler, solved by Newton's iterations that are searched by slopes; conjugate gradients with a factor that is
// kept while it pays.
char *heart_beat_scene(const HeartBeat *b)
{
  return dv_format(
      "<Node gravity='0 0 0' dt='%g'><MultiTagAnimationLoop tags='electricity mechanics'/><GenerateVentricle name='v' "
      "spacing='%g' layers='%d'/><Node name='Heart' tags='mechanics'>"
      "<BDFOdeSolver tags='mechanics' order='1' rayleighMass='5'/><NewtonRaphsonSolver tags='mechanics' "
      "maxNbIterationsNewton='%d' maxNbIterationsLineSearch='8' lineSearchCriterion='slope' warnWhenDiverge='0' "
      "warnWhenLineSearchFails='0' absoluteResidualStoppingThreshold='0' relativeSuccessiveStoppingThreshold='0' "
      "relativeInitialStoppingThreshold='%g'/><PCGLinearSolver tags='mechanics' iterations='100' tolerance='%g' "
      "criterion='residual' rebuildCost='25' linearSystem='@free' preconditioner='@factor'/>"
      "<PreconditionedMatrixFreeSystem name='free' tags='mechanics' assemblingRate='1000' "
      "preconditionerSystem='@matrix'/><MatrixLinearSystem template='CompressedRowSparseMatrixMat3x3d' name='matrix' "
      "tags='mechanics'/><SparseLDLSolver name='factor' tags='mechanics' linearSystem='@matrix' positive='1' small='1' "
      "template='CompressedRowSparseMatrixMat3x3d'/><MeshTopology name='mesh' tags='mechanics' "
      "position='@../v.position' tetrahedra='@../v.tetrahedra'/><MechanicalObject name='u' tags='mechanics'/>"
      "<MeshMatrixMass tags='mechanics' massDensity='1070' lumping='1'/><MooneyRivlin tags='mechanics' "
      "ParameterSet='800 200 100000' pronySeries='0.3 0.03'/><ContractionForceField name='active' tags='mechanics' "
      "fibres='@../v.fibres' stress='95000' stiffness='80000'/><PressureConstraint name='left' tags='mechanics' "
      "triangles='@../v.leftEndocardium' arterialPressure='15000'/><BaseConstraint tags='mechanics' "
      "points='@../v.basePoints' stiffness='500'/><Node name='ElecNode' tags='electricity'><ElectricalState "
      "tags='electricity'/><CardiacStimulus tags='electricity' center='0 0 -0.068' radius='0.012' start='0.1' "
      "period='0.8'/><EikonalSolver tags='electricity' fibres='@../../v.fibres' speed='1' "
      "parameters='0.0003 0.006 0.12 0.125 0.13'/></Node></Node>"
      "<MechanicalObject name='dofs' template='Vec1' position='0'/></Node>",
      b->dt, b->spacing, b->layers, b->iterations, b->newton, b->gradients);
}
