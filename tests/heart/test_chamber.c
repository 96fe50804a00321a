// Chambers of the heart: volumes and their derivatives, valves and circulation beside closed forms, a beat with its
// four phases, the three forms of a pressure beside each other, bad input.
#include "topology/report.h"

#include "heart/chamber.h"
#include "heart/ventricle.h"
#include "support/fd.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

// a box without its upper face
#define BOX                                                                                                  \
  "<MeshTopology name='m' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' tetrahedra='0 1 3 4'/>" \
  "<MechanicalObject name='x'/>"
#define WALL "triangles='0 2 1 0 3 2  0 1 5 0 5 4  1 2 6 1 6 5  2 3 7 2 7 6  3 0 4 3 4 7'"
#define EASY                                                                                   \
  " atrialPressure='1' arterialPressure='200' inflowResistance='0.3' outflowResistance='0.2' " \
  "peripheralResistance='5' arterialCompliance='0.4' venousPressure='0.5' bloodStiffness='7' "

static double number(dvObject *o, const char *field) { return *(const double *)dv_object_field(o, field)->value; }
static int phase_of(dvObject *o) { return *(const int32_t *)dv_object_field(o, "phase")->value; }

static void lids_close_a_box(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node dt='0.1'><DefaultAnimationLoop/>" BOX "<PressureConstraint name='ff' " WALL EASY "/></Node>");
  check_close(number(fd_find(&s, "ff"), "volume"), 1, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  // pressure on the lid's rim too: nothing is left over
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "x"));
  for (int a = 0; a < 3; a++) {
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += f[3 * i + a];
    check_close(sum, 0, 1e-12);
  }
  fd_close(&s);
}

static void volumes_of_ventricles(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node dt='0.1'><DefaultAnimationLoop/><GenerateVentricle name='v' spacing='0.003' layers='1' "
                      "rightVentricle='1'/><MeshTopology position='@v.position' tetrahedra='@v.tetrahedra'/>"
                      "<MechanicalObject name='x'/><PressureConstraint name='l' triangles='@v.leftEndocardium'/>"
                      "<PressureConstraint name='r' triangles='@v.rightEndocardium' arterialPressure='2500' "
                      "atrialPressure='600'/></Node>");
  double exact = dv_ventricle_cavity(0.023, 0.065, 0.02);
  check_close(number(fd_find(&s, "l"), "volume") / exact, 1, 0.005);
  assert_true(number(fd_find(&s, "r"), "volume") > 2e-5);
  fd_close(&s);
}

// A wall that does not move: the Windkessel empties by itself, p_v + (p - p_v) e^(-t/RC) in backward Euler's steps.
static void the_artery_empties(void **state)
{
  DV_UNUSED(state);
  dvChamber c = {.atrialPressure = 1,
                 .arterialPressure = 9,
                 .inflowResistance = 1,
                 .outflowResistance = 0.5,
                 .peripheralResistance = 4,
                 .arterialCompliance = 0.5,
                 .venousPressure = 1,
                 .bloodStiffness = 10,
                 .before = 3};
  for (int i = 0; i < 1000; i++) dv_chamber_end(&c, 0.001, 3, 0.5);
  check_close(c.arterialPressure, 1 + 8 * exp(-0.5), 0.002);
  assert_int_equal(c.phase, DV_FILLING);
  // squeezed: contraction, then ejection against Z and p_d, then closed again
  dv_chamber_end(&c, 0.001, 3, 1.5);
  assert_int_equal(c.phase, DV_CONTRACTION);
  dvChamberLaw law = dv_chamber_law(&c, 0.001, false);
  check_close(law.pressure, 1.5, 0);
  check_close(law.slope, 10, 0);
  dv_chamber_end(&c, 0.001, 3, 7);
  assert_int_equal(c.phase, DV_EJECTION);
  double q = 2, h = 0.001, before = c.arterialPressure;
  law = dv_chamber_law(&c, h, false);
  double p = law.pressure - law.slope * (3 - q * h - law.volume);
  dv_chamber_end(&c, h, 3 - q * h, p);
  check_close(c.flow, q, 1e-9);
  // C (p' - p) / h = q - (p' - p_v) / R, and p = p_d' + Z q
  check_close(0.5 * (c.arterialPressure - before) / h, q - (c.arterialPressure - 1) / 4, 1e-9);
  check_close(p, c.arterialPressure + 0.5 * q, 1e-9);
  dv_chamber_end(&c, h, 3, 5);   // it flows back: closed
  assert_int_equal(c.phase, DV_RELAXATION);
  assert_int_equal(c.beats, 1);
  dv_chamber_end(&c, h, 3, 0.5);
  assert_int_equal(c.phase, DV_FILLING);
}

// --- beats ---

static char *beat(const char *loop, const char *solvers, const char *pressure, double dt)
{
  return dv_format(
      "<Node gravity='0 0 0' dt='%g'>%s<GenerateVentricle name='v' spacing='0.012' layers='1'/>"
      "<Node name='ElecNode' tags='electricity'><ElectricalState name='u' tags='electricity' "
      "topology='@../Heart/mesh'/><EikonalSolver tags='electricity' topology='@../Heart/mesh' fibres='@../v.fibres' "
      "speed='1' parameters='0.0003 0.006 0.12 0.125 0.13'/></Node><Node name='Heart' tags='mechanics'>%s<MeshTopology "
      "name='mesh' tags='mechanics' "
      "position='@../v.position' "
      "tetrahedra='@../v.tetrahedra'/><MechanicalObject name='x' tags='mechanics'/>"
      "<CardiacStimulus center='0 0 -0.068' radius='0.012' start='0.05' period='0.8'/>"
      "<MeshMatrixMass tags='mechanics' massDensity='1070' lumping='1'/>"
      "<MooneyRivlin tags='mechanics' ParameterSet='800 200 100000' pronySeries='0.3 0.03'/>"
      "<ContractionForceField name='active' tags='mechanics' fibres='@../v.fibres' potential='@../ElecNode/u' "
      "stress='110000' stiffness='90000'/>"
      "<BaseConstraint tags='mechanics' points='@../v.basePoints' stiffness='500'/>%s</Node></Node>",
      dt, loop, solvers, pressure);
}

#define TAGGED "<MultiTagAnimationLoop tags='electricity mechanics'/>"
#define DIRECT "<EulerImplicitSolver tags='mechanics' rayleighMass='5'/>" FACTOR
#define SEARCHED                                                                                                    \
  "<BDFOdeSolver tags='mechanics' order='1' rayleighMass='5'/><NewtonRaphsonSolver name='newton' tags='mechanics' " \
  "maxNbIterationsNewton='20' maxNbIterationsLineSearch='10' lineSearchCriterion='slope' "                          \
  "relativeSuccessiveStoppingThreshold='0' absoluteResidualStoppingThreshold='0' "                                  \
  "relativeInitialStoppingThreshold='0.01'/>" FACTOR
#define FACTOR "<SparseLDLSolver tags='mechanics' template='CompressedRowSparseMatrixMat3x3d'/>"
#define FORCE "<PressureConstraint name='left' tags='mechanics' triangles='@../v.leftEndocardium'/>"
#define ROWS                                             \
  "<LinearSolverConstraintCorrection tags='mechanics'/>" \
  "<LagrangianPressureConstraint name='left' tags='mechanics' triangles='@../v.leftEndocardium'/>"

static void a_beat_has_four_phases(void **state)
{
  DV_UNUSED(state);
  char *text = beat(TAGGED, DIRECT, FORCE "<ProjectivePressureConstraint tags='mechanics'/>", 0.005);
  dvScene *s = check_scene(text, 2);
  dvObject *left = check_find(s, "Heart/left");
  int seen[4] = {0}, last = DV_FILLING;
  double held = 0, worst = 0, highest = 0;
  for (int i = 0; i < 120; i++) {
    int before = phase_of(left);
    check_steps(s, 1);
    int now = phase_of(left);
    double v = number(left, "volume");
    if (now != last) seen[now]++, held = v;
    if (now == before && (now == DV_CONTRACTION || now == DV_RELAXATION)) worst = fmax(worst, fabs(v / held - 1));
    highest = fmax(highest, number(left, "pressure"));
    last = now;
  }
  print_message("ejection fraction %.3f, highest pressure %.0f Pa, volume held to %.2g\n",
                number(left, "ejectionFraction"), highest, worst);
  for (int k = 0; k < 4; k++) assert_true(seen[k] >= 1);
  assert_true(worst < 1e-9);
  assert_true(highest > 9000 && highest < 25000);
  assert_true(number(left, "ejectionFraction") > 0.3 && number(left, "ejectionFraction") < 0.75);
  assert_true(number(left, "work") > 0.3);   // on the blood
  check_close_scene(&s);
  dv_free(text);
}

// As a force with and without the projection, and as a constraint: the same beat
static void forms_of_the_pressure_agree(void **state)
{
  DV_UNUSED(state);
  const char *forms[][3] = {
      {TAGGED, DIRECT, FORCE},
      {TAGGED, DIRECT, FORCE "<ProjectivePressureConstraint tags='mechanics'/>"},
      {"<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='100'/>", DIRECT,
       ROWS}};
  double volume[3], pressure[3], fraction[3], held[3];
  for (int k = 0; k < 3; k++) {
    char *text = beat(forms[k][0], forms[k][1], forms[k][2], 0.0025);
    dvScene *s = check_scene(text, 2);
    dvObject *left = check_find(s, "Heart/left");
    pressure[k] = held[k] = 0;
    double start = 0;
    for (int i = 0; i < 180; i++) {
      int before = phase_of(left);
      check_steps(s, 1);
      double v = number(left, "volume");
      if (phase_of(left) != before) start = v;
      else if (before == DV_CONTRACTION || before == DV_RELAXATION) held[k] = fmax(held[k], fabs(v / start - 1));
      pressure[k] = fmax(pressure[k], number(left, "pressure"));
    }
    volume[k] = number(left, "endDiastolicVolume");
    fraction[k] = number(left, "ejectionFraction");
    print_message("form %d: filled %.2f ml, ejected %.2f %%, highest pressure %.0f Pa, volume held to %.2g\n", k,
                  1e6 * volume[k], 100 * fraction[k], pressure[k], held[k]);
    assert_true(held[k] < 1e-3);
    check_close_scene(&s);
    dv_free(text);
  }
  for (int k = 1; k < 3; k++) {
    check_close(volume[k] / volume[0], 1, 0.01);
    check_close(pressure[k] / pressure[0], 1, 0.02);
    check_close(fraction[k] / fraction[0], 1, 0.02);
  }
}

// Steps of 10 ms, the pressure as an unknown of its own: every step converges, phases follow each other in their order,
// closed valves hold the volume, and with the projection they do so to the last bit.
static void long_steps_converge(void **state)
{
  DV_UNUSED(state);
  double fraction[2];
  for (int k = 0; k < 2; k++) {
    char *text = beat(TAGGED, SEARCHED, k ? FORCE "<ProjectivePressureConstraint tags='mechanics'/>" : FORCE, 0.01);
    dvScene *s = check_scene(text, 2);
    dvObject *left = check_find(s, "Heart/left"), *newton = check_find(s, "Heart/newton");
    double start = 0, held = 0, back = 0;
    int changes = 0, most = 0, all = 0;
    for (int i = 0; i < 80; i++) {
      int before = phase_of(left);
      double volume = number(left, "volume");
      check_steps(s, 1);
      int now = phase_of(left);
      double in = number(left, "volume") - volume;
      if (before == DV_FILLING) back = fmax(back, -in);
      if (before == DV_EJECTION) back = fmax(back, in);
      const dvReals *graph = dv_object_field(newton, "residualGraph")->value;
      most = (int)fmax(most, (double)graph->count - 1);
      all += (int)graph->count - 1;
      assert_true(graph->data[graph->count - 1] < 1e-4 * graph->data[0]);   // squares
      if (now != before) {
        changes++;
        assert_int_equal(now, (before + 1) % 4);
        start = number(left, "volume");
      } else if (now % 2 == 1) held = fmax(held, fabs(number(left, "volume") / start - 1));
    }
    fraction[k] = number(left, "ejectionFraction");
    print_message("10 ms: ejected %.2f %%, volume held to %.2g, %.3f ml flow back, %d iterations, at most %d\n",
                  100 * fraction[k], held, 1e6 * back, all, most);
    assert_int_equal(changes, 4);
    assert_true(held < (k ? 1e-12 : 1e-3));
    assert_true(back < 1e-8);   // valves close within the step; between steps 1.2 ml would flow back
    check_close_scene(&s);
    dv_free(text);
  }
  check_close(fraction[1] / fraction[0], 1, 0.005);
  check_close(fraction[0], 0.72, 0.03);   // 0.721 with steps of 2.5 ms: forms_of_the_pressure_agree
}

// Both ventricles of the scene: four beats, each with its four phases in their order, nothing that flows back, 50 to 70
// % ejected on either side, about the same volume to the body as to the lungs, pressures of a circulation.
static void both_ventricles_eject(void **state)
{
  DV_UNUSED(state);
  static const char *const names[2] = {"Heart/left", "Heart/right"};
  static const double least[2] = {13000, 3000}, most[2] = {22000, 4700};   // Pa
  dvScene *s = check_scene_file("scenes/heart/both.scn", 2);
  dvObject *chamber[2] = {check_find(s, names[0]), check_find(s, names[1])};
  double start[2] = {0}, held[2] = {0}, highest[2] = {0}, stroke[2] = {0}, back = 0;
  int beats[2] = {0};
  for (int i = 0; i < 305; i++) {
    int before[2] = {phase_of(chamber[0]), phase_of(chamber[1])};
    double volume[2] = {number(chamber[0], "volume"), number(chamber[1], "volume")};
    check_steps(s, 1);
    for (int k = 0; k < 2; k++) {
      int now = phase_of(chamber[k]);
      double v = number(chamber[k], "volume");
      if (before[k] % 2 == 0) back = fmax(back, before[k] == DV_FILLING ? volume[k] - v : v - volume[k]);
      if (now != before[k]) start[k] = v, assert_int_equal(now, (before[k] + 1) % 4);
      else if (now % 2 == 1) held[k] = fmax(held[k], fabs(v / start[k] - 1));
      highest[k] = fmax(highest[k], number(chamber[k], "pressure"));
      if (now == before[k] || now != DV_RELAXATION) continue;
      double filled = number(chamber[k], "endDiastolicVolume"), fraction = number(chamber[k], "ejectionFraction");
      stroke[k] = filled * fraction;
      print_message("%s, beat %d: filled %.1f ml, ejected %.1f %%, highest pressure %.0f Pa, volume held to %.2g\n",
                    names[k], ++beats[k], 1e6 * filled, 100 * fraction, highest[k], held[k]);
      assert_true(fraction > 0.5 && fraction < 0.7);
      assert_true(highest[k] > least[k] && highest[k] < most[k]);
      assert_true(held[k] < 1e-3);
    }
  }
  print_message("%.4f ml flow back at most\n", 1e6 * back);
  assert_true(back < 1e-8);
  assert_int_equal(beats[0], 4);
  assert_int_equal(beats[1], 4);
  check_close(stroke[1] / stroke[0], 1, 0.1);
  check_close_scene(&s);
}

// The six segments in the middle get too little blood: they pull half as much, and less is ejected.
// (Without any tension they would bulge: what is soft when it is filled cannot bear the pressure of the artery.)
static void weak_segments_eject_less(void **state)
{
  DV_UNUSED(state);
  double fraction[2], weak[2], strong[2];
  for (int k = 0; k < 2; k++) {
    char *text = beat(TAGGED, SEARCHED,
                      k ? FORCE "<TissueZone segments='7 8 9 10 11 12' labels='@../v.segments' conduction='1' "
                                "excitable='1' contractility='0.5'/>"
                        : FORCE,
                      0.01);
    dvScene *s = check_scene(text, 2);
    dvObject *left = check_find(s, "Heart/left");
    const dvInts *segments = dv_object_field(check_find(s, "v"), "segments")->value;
    for (int i = 0; i < 60; i++) {
      check_steps(s, 1);
      if (i != 25) continue;   // everything pulls
      const dvReals *tension = dv_object_field(check_find(s, "Heart/active"), "tension")->value;
      weak[k] = strong[k] = 0;
      for (size_t e = 0; e < segments->count; e++) {
        bool middle = segments->data[e] >= 7 && segments->data[e] <= 12;
        double *most = middle ? &weak[k] : &strong[k];
        *most = fmax(*most, tension->data[e]);
      }
    }
    fraction[k] = number(left, "ejectionFraction");
    print_message("%s: ejected %.1f %%, highest tension there %.0f Pa, elsewhere %.0f Pa\n", k ? "weak" : "healthy",
                  100 * fraction[k], weak[k], strong[k]);
    check_close_scene(&s);
    dv_free(text);
  }
  assert_true(weak[0] > 30000 && strong[1] > 30000);
  assert_true(weak[1] < 0.7 * weak[0]);
  assert_true(fraction[1] > 0.2 && fraction[1] < 0.95 * fraction[0]);
}

// A ventricle of a file: tetrahedra in mm with fibres.
static void a_ventricle_of_a_file_beats(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/heart/own.scn", 2);
  dvObject *left = check_find(s, "Heart/left");
  double cavity = dv_ventricle_cavity(0.023, 0.065, 0.02);
  check_close(number(left, "volume") / cavity, 1, 0.06);   // 14 edges around: a polygon has 3.3 % less than its circle
  check_steps(s, 60);
  print_message("own mesh: filled %.1f ml, ejected %.1f %%\n", 1e6 * number(left, "endDiastolicVolume"),
                100 * number(left, "ejectionFraction"));
  assert_true(number(left, "ejectionFraction") > 0.6 && number(left, "ejectionFraction") < 0.75);
  check_close_scene(&s);
}

// Tissue of Holzapfel and Ogden holds fibres and sheets back: all of it stays finite and less is ejected than Mooney
// and Rivlin's lets go.
static void tissue_of_holzapfel_and_ogden_beats(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/heart/holzapfel.scn", 2);
  dvObject *left = check_find(s, "Heart/left");
  check_steps(s, 60);
  print_message("Holzapfel and Ogden: filled %.1f ml, ejected %.1f %%\n", 1e6 * number(left, "endDiastolicVolume"),
                100 * number(left, "ejectionFraction"));
  assert_true(number(left, "ejectionFraction") > 0.5 && number(left, "ejectionFraction") < 0.65);
  check_close_scene(&s);
}

// --- bad input ---

#define VENTRICLE                                                                                 \
  "<GenerateVentricle name='v' spacing='0.015' layers='1'/><MeshTopology position='@v.position' " \
  "tetrahedra='@v.tetrahedra'/><MechanicalObject name='x'/><PressureConstraint name='a' triangles='@v."

// a wall that two chambers have is refused; one that can only be wrong is told
static void walls_are_compared_with_what_is_there(void **state)
{
  DV_UNUSED(state);
  static const Refusal bad[] = {
      {"<Node><DefaultAnimationLoop/>" VENTRICLE
       "leftEndocardium'/><PressureConstraint triangles='@v.leftEndocardium'/></Node>",
       "triangles are the wall of a, too"},
  };
  report_refused(bad, DV_COUNT(bad));
  static const struct {
    const char *scene, *says;
  } odd[] = {
      {"<Node><DefaultAnimationLoop/>" VENTRICLE "epicardium'/></Node>", "the tissue lies inside of the chamber"},
      {"<Node><DefaultAnimationLoop/>" BOX "<PressureConstraint " WALL "/></Node>", "a volume of 1 m3"}};
  for (size_t i = 0; i < DV_COUNT(odd); i++) {
    Report r;
    report_good(&r, odd[i].scene);
    report_says(&r, odd[i].says);
    report_end(&r);
  }
}

// of two chambers in a node each of two projections keeps its own
static void projections_share_the_chambers(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><DefaultAnimationLoop/>"
                  "<GenerateVentricle name='v' rightVentricle='1' spacing='0.015' layers='1'/><MeshTopology "
                  "position='@v.position' tetrahedra='@v.tetrahedra'/><MechanicalObject name='x'/>"
                  "<PressureConstraint name='left' triangles='@v.leftEndocardium'/>"
                  "<PressureConstraint name='right' triangles='@v.rightEndocardium'/>"
                  "<ProjectivePressureConstraint name='p'/><ProjectivePressureConstraint name='q'/></Node>");
  const char *const pairs[2][2] = {{"p", "left"}, {"q", "right"}};
  for (int i = 0; i < 2; i++) {
    const dvLink *chamber = dv_object_field(report_find(&r, pairs[i][0]), "chamber")->value;
    assert_ptr_equal(chamber->target, report_find(&r, pairs[i][1]));
  }
  report_end(&r);
}

static void bad_chambers_are_told(void **state)
{
  DV_UNUSED(state);
#define SCENE(x) "<Node><DefaultAnimationLoop/>" BOX x "</Node>"
  static const Refusal bad[] = {
      {SCENE("<PressureConstraint/>"), "the chamber has no wall"},
      {SCENE("<PressureConstraint lids='0' " WALL "/>"), "1 openings, and there are 0 lids"},
      {SCENE("<PressureConstraint triangles='0 1 2  4 5 6'/>"),
       "2 openings, and there are 1 lids: 3 edges around 0.667 0.333 0, 3 edges around 0.667 0.333 1"},
      {SCENE("<PressureConstraint lids='2' triangles='0 1 2  4 5 6'/>"), "the wall is in 2 pieces"},
      {SCENE("<PressureConstraint triangles='0 2 1 0 3 2  0 1 5 0 5 4  0 5 1'/>"), "no surface"},
      {SCENE("<PressureConstraint triangles='0 2 9'/>"), ""},
      {SCENE("<PressureConstraint triangles='0 1 2 0 2 3  0 5 1 0 4 5  1 6 2 1 5 6  2 7 3 2 6 7  3 4 0 3 7 4'/>"),
       "turn its triangles round"},
      {SCENE("<PressureConstraint atrialPressure='20000' " WALL "/>"), "contradict each other"},
      {SCENE("<PressureConstraint venousPressure='12000' " WALL "/>"), "from the veins at 12000 Pa into the artery"},
      {SCENE("<PressureConstraint arterialCompliance='0' " WALL "/>"), "arterialCompliance is 0"},
      {SCENE("<PressureConstraint inflowResistance='nan' " WALL "/>"), ""},
      {SCENE("<PressureConstraint venousPressure='-1e300' " WALL "/>"), "venousPressure is -1e+300 Pa"},
      {SCENE("<ProjectivePressureConstraint/>"), "no chamber"},
      {SCENE("<PressureConstraint name='a' " WALL "/><ProjectivePressureConstraint name='p'/>"
             "<ProjectivePressureConstraint chamber='@a'/>"),
       "p keeps the volume of a already"},
      {SCENE("<LagrangianPressureConstraint " WALL "/>"), "no constraint solver"},
  };
  report_refused(bad, DV_COUNT(bad));
}

// What steps make of a heart is told with its cause: they are too long, or nothing holds the tissue.
static void lost_hearts_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *more, *says[2];
    double dt;
    int steps;
  } lost[] = {
      {FORCE, {"a step of 0.01 s", "steps that are linearised once"}, 0.01, 200},
      {FORCE "<RestShapeSpringsForceField tags='mechanics' stiffness='-500' points='@../v.basePoints'/>"
             "<ConstantForceField tags='mechanics' totalForce='0 5 0'/>",
       {"nothing holds the tissue, or too little", "hold its base: BaseConstraint"},
       0.0025,
       60},
      // of long steps it is not known
      {FORCE "<RestShapeSpringsForceField tags='mechanics' stiffness='-500' points='@../v.basePoints'/>"
             "<ConstantForceField tags='mechanics' totalForce='0 5 0'/>",
       {"of its size, in steps of 0.005 s", "steps that are linearised once"},
       0.005,
       30},
  };
  for (size_t i = 0; i < DV_COUNT(lost); i++) {
    Report r;
    char *text = beat(TAGGED, DIRECT, lost[i].more, lost[i].dt);
    report_good(&r, text);
    for (int k = 0; k < lost[i].steps && dv_scene_step(r.scene, 0) == DV_OK; k++) continue;
    for (int k = 0; k < 2; k++) report_says(&r, lost[i].says[k]);
    report_end(&r);
    dv_free(text);
  }
}

// Numbers that are far from those of any chamber are told with their field, before the first step. The box holds 125
// ml.
#define SMALL                                                                                     \
  "<MeshTopology name='m' position='0 0 0 0.05 0 0 0.05 0.05 0 0 0.05 0 0 0 0.05 0.05 0 0.05 0.0" \
  "5 0.05 0.05 0 0.05 0.05' "                                                                     \
  "tetrahedra='0 1 3 4'/><MechanicalObject name='x'/>"
static void absurd_chambers_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *given, *says;
  } odd[] = {
      {"inflowResistance='1e-30'", "inflowResistance is 1e-30 Pa s/m3: the atrium would fill the chamber in"},
      {"inflowResistance='1e30'", "inflowResistance is 1e+30"},
      {"outflowResistance='1e-30'", "outflowResistance is 1e-30"},
      {"outflowResistance='1e30'", "outflowResistance is 1e+30"},
      {"peripheralResistance='1e-30'", "peripheralResistance is 1e-30"},
      {"peripheralResistance='1e30'", "peripheralResistance is 1e+30"},
      {"arterialCompliance='1e-30'", "arterialCompliance is 1e-30 m3/Pa: the artery would take"},
      {"arterialCompliance='1e30'", "arterialCompliance is 1e+30"},
      {"bloodStiffness='1e-30'", "bloodStiffness is 1e-30 Pa/m3: the chamber would lose its volume"},
      {"bloodStiffness='1e30'", "closed valves would answer what rounding changes"},
      {"arterialPressure='1e8'", "no heart ejects against that"},
      {"arterialPressure='80' atrialPressure='10' venousPressure='5'", "1 mmHg has 133.3 Pa"},
      {"", "nothing holds the tissue around the chamber"},
      {"", "the muscle does not eject against the 10500 Pa in the artery of"},
      {"", "there is no passive law"},
      {"", "steps of 0.1 s are too long"},
  };
  for (size_t i = 0; i < DV_COUNT(odd); i++) {
    Report r;
    char *text = dv_format("<Node dt='0.1'><DefaultAnimationLoop/>" SMALL
                           "<Node name='E'><ElectricalState name='u' size='8'/></Node><ContractionForceField "
                           "fibres='1 0 0' stress='95' potential='@E/u'/><PressureConstraint %s " WALL "/></Node>",
                           odd[i].given);
    report_good(&r, text);
    report_says(&r, odd[i].says);
    report_end(&r);
    dv_free(text);
  }
  static const Refusal bad[] = {
      {SCENE("<PressureConstraint arterialCompliance='1e-300' " WALL "/>"),
       "arterialCompliance is 1e-300 give a number above 0, below all bounds; the default is 1.2e-8 m3/Pa"},
      {SCENE("<PressureConstraint bloodStiffness='1e300' " WALL "/>"), "bloodStiffness is 1e+300"},
  };
  report_refused(bad, DV_COUNT(bad));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lids_close_a_box),
                                     cmocka_unit_test(volumes_of_ventricles),
                                     cmocka_unit_test(the_artery_empties),
                                     cmocka_unit_test(a_beat_has_four_phases),
                                     cmocka_unit_test(forms_of_the_pressure_agree),
                                     cmocka_unit_test(long_steps_converge),
                                     cmocka_unit_test(both_ventricles_eject),
                                     cmocka_unit_test(weak_segments_eject_less),
                                     cmocka_unit_test(a_ventricle_of_a_file_beats),
                                     cmocka_unit_test(tissue_of_holzapfel_and_ogden_beats),
                                     cmocka_unit_test(walls_are_compared_with_what_is_there),
                                     cmocka_unit_test(projections_share_the_chambers),
                                     cmocka_unit_test(bad_chambers_are_told),
                                     cmocka_unit_test(absurd_chambers_are_told),
                                     cmocka_unit_test(lost_hearts_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
