// divan validate: a needle driven into a soft block, held, and drawn out: the force over the depth beside the constants
// that were put in. Phases as in E. Dehghan et al., Needle-tissue interaction modeling using ultrasound-based motion
// estimation, 2008.
#include "validate.h"

#include "instrument/needle.h"

#include <stdio.h>

static const double puncture = 0.5, cutting = 0.2, dry = 10, viscous = 500, speed = 0.005;

static const char scene[] =
    "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver maxIterations='2000' "
    "tolerance='1e-9'/><Node name='T'><EulerImplicitSolver rayleighStiffness='0.01'/><SparseLDLSolver/>"
    "<RegularGridTopology n='%d %d %d' min='-0.03 -0.06 -0.03' max='0.03 0 0.03'/><MechanicalObject "
    "name='points'/><UniformMass "
    "totalMass='0.2'/><HexahedronFEMForceField youngModulus='20000' poissonRatio='0.4'/><BoxROI name='roi' "
    "box='-1 -1 -1 1 -0.059 1'/><FixedProjectiveConstraint indices='@roi.indices'/><LinearSolverConstraintCorrection/>"
    "</Node><Node name='N'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject template='Rigid3' name='frame' "
    "position='0.002 0.101 0.001 0 0 -0.70710678118654757 0.70710678118654757'/><UniformMass totalMass='0.01'/>"
    "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 9 11 20' movements='0 0 0 0 0 0  0 -0.045 0 0 0 0  "
    "0 -0.045 0 0 0 0  0 0 0 0 0 0'/><LinearSolverConstraintCorrection/></Node><NeedleInsertionConstraint name='c' "
    "needle='@N/frame' tissue='@T/points' length='0.1' punctureForce='%g' cuttingForce='%g' dryFriction='%g' "
    "viscousFriction='%g' spacing='0.005'/></Node>";

static bool row(int cells, const char *what, double found, double expected, const char *unit)
{
  double error = found / expected - 1;
  bool good = fabs(error) <= 0.05;
  printf("| %d | %s | %.4f %s | %.4f %s | %+.1f %% | %s |\n", cells, what, found, unit, expected, unit, 100 * error,
         good ? "yes" : "no");
  return good;
}

static bool run(const Trial *t, int steps)
{
  bool good = true;
  for (int i = 0; good && i < steps; i++) good = dv_scene_step(t->scene, 0) == DV_OK;
  return good;
}

static bool insertion(int cells)
{
  Trial t;
  char *text = dv_format(scene, cells + 1, cells + 1, cells + 1, puncture, cutting, dry, viscous);
  (void)trial_open(&t, text);   // its states are not at the top
  dv_free(text);
  bool good = t.scene != NULL;
  const dvNeedle *n = good ? (const dvNeedle *)trial_find(&t, "c") : NULL;
  double peak = 0;
  int steps = 0;
  for (; good && steps < 300 && n->phase != 2; steps++) {
    good = run(&t, 1);
    if (n->phase == 1) peak = n->force;
  }
  good = good && row(cells, "push at the puncture", peak, puncture, "N");
  good = good && row(cells, "drop after it", peak - n->force, puncture - cutting, "N");
  good = good && run(&t, 200);
  double depth = good ? n->depth : 0, force = good ? n->force : 0;
  good = good && run(&t, 300);
  good =
      good && row(cells, "rise with the depth", (n->force - force) / (n->depth - depth), dry + viscous * speed, "N/m");
  good = good && run(&t, 895 - steps - 500);
  force = good ? n->force : 0;
  good = good && run(&t, 100);
  good = good && row(cells, "drop when it stops", force - n->force, viscous * speed * n->depth, "N");
  good = good && row(cells, "force at rest", n->force, cutting + dry * n->depth, "N");
  good = good && run(&t, 300);
  good = good && row(cells, "force on the way back", n->force, -(dry + viscous * speed) * n->depth, "N");
  trial_close(&t);
  return good;
}

bool validate_needle(bool quick)
{
  bool good = true;
  printf(
      "## Needles\n\nA needle goes 4 cm into a soft block with 5 mm/s, rests, and is drawn out: its force beside the "
      "constants that were put in (puncture %g N, cutting %g N, friction %g N/m and %g N s/m^2). "
      "`examples/python/needle_profile.py` plots it.\n\n| cells a side | phase | found | expected | error | good |\n"
      "| --- | --- | --- | --- | --- | --- |\n",
      puncture, cutting, dry, viscous);
  for (int cells = 4; cells <= (quick ? 4 : 8); cells *= 2) good = insertion(cells) && good;
  printf("\n");
  return good;
}
