// divan validate: curved beams and instruments.
//
// Circle: a rod, held at one end, under an end moment 2 pi E I/L is a closed circle.
// Helix: under an end moment M that keeps its direction in space the moment is M all along the rod, so that its tangent
// turns about M at the rate M/E I: t(s) = rotation(M s/E I) t(0), a helix about M.
// Buckling: small deflections of a column under a load P grow as 1/(1 - P/P_c), so that 1/d is linear in P and 0 at P_c
// (R. V. Southwell, On the analysis of experimental observations in problems of elastic stability, 1932).
// Coil: an instrument that comes out of its sheath with nothing around it takes its shape at rest.
#include "validate.h"

#include "instrument/shaft.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846, young = 1e6, radius = 0.01;
static double bending_stiffness(void) { return young * pi * pow(radius, 4) / 4; }

// a rod of length 1 along x, held at its beginning, with forces on its end
static bool open_rod(Trial *t, int beams, const double force[6])
{
  dvText text = {0};
  dv_text_printf(&text,
                 "<Node dt='1' gravity='0 0 0'><DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0' "
                 "rayleighMass='0.5'/><BTDLinearSolver/><MechanicalObject template='Rigid3' name='dofs' position='");
  for (int i = 0; i <= beams; i++) dv_text_printf(&text, "%.17g 0 0 0 0 0 1 ", (double)i / beams);
  dv_text_add(&text, "'/><MeshTopology edges='");
  for (int i = 0; i < beams; i++) dv_text_printf(&text, "%d %d ", i, i + 1);
  dv_text_printf(&text,
                 "'/><FixedProjectiveConstraint indices='0'/><BeamInterpolation name='beams' radius='%g' "
                 "defaultYoungModulus='%g' defaultPoissonRatio='0.25'/><AdaptiveBeamForceFieldAndMass "
                 "massDensity='1000'/><ConstantForceField name='push' indices='%d' forces='%.17g %.17g %.17g %.17g "
                 "%.17g %.17g'/></Node>",
                 radius, young, beams, force[0], force[1], force[2], force[3], force[4], force[5]);
  bool good = trial_open(t, text.text);
  dv_text_free(&text);
  return good;
}

static bool run(Trial *t, int steps)
{
  bool good = true;
  for (int i = 0; good && i < steps; i++) good = dv_scene_step(t->scene, 0) == DV_OK;
  return good;
}

// --- circle and helix ---

// the integral of a tangent along x that turns by `turn` about a unit axis, over the length 1
static dvVec3 end_of_helix(dvVec3 axis, double turn)
{
  dvVec3 x = {1, 0, 0}, along = dv_vec3_scale(axis, axis.x), across = dv_vec3_sub(x, along);
  return dv_vec3_add_scaled(dv_vec3_add_scaled(along, across, sin(turn) / turn), dv_vec3_cross(axis, across),
                            (1 - cos(turn)) / turn);
}

// `share` of the moment is across the rod, the rest along it; it grows for 500 steps and stays for 500 more
static bool bends(const char *name, int beams, double turn, double share, double allowed)
{
  double along = sqrt(1 - share * share), moment = turn * bending_stiffness(), off = INFINITY;
  const double force[6] = {0, 0, 0, along * moment, 0, share * moment};
  Trial t;
  bool good = open_rod(&t, beams, force);
  for (int i = 1; good && i <= 1000; i++) {
    dvField *f = dv_object_field(trial_find(&t, "push"), "forces");
    for (int k = 0; k < 6; k++) dv_reals_edit(f->value)[k] = force[k] * fmin(1, i / 500.0);
    dv_field_touch(f);
    good = dv_scene_step(t.scene, 0) == DV_OK;
  }
  if (good) {
    dvVec3 end = dv_vec3_load(dv_state_read(t.dofs, DV_X) + 7 * beams);
    off = dv_vec3_norm(dv_vec3_sub(end, end_of_helix(dv_vec3(along, 0, share), turn)));
  }
  printf("| %s | %d | %.3f %% | %s |\n", name, beams, 100 * off, off <= allowed ? "yes" : "no");
  trial_close(&t);
  return good && off <= allowed;
}

// --- buckling ---

static double deflection(int beams, double load)
{
  const double force[6] = {-load, 1e-4 * bending_stiffness(), 0, 0, 0, 0};
  Trial t;
  double d = NAN;
  if (open_rod(&t, beams, force) && run(&t, 3000)) d = dv_state_read(t.dofs, DV_X)[7 * beams + 1];
  trial_close(&t);
  return d;
}

static bool buckles(int beams, double allowed)
{
  double euler = pi * pi / 4 * bending_stiffness(), p[2] = {0.85 * euler, 0.95 * euler}, y[2];
  for (int i = 0; i < 2; i++) y[i] = 1 / deflection(beams, p[i]);
  double critical = p[1] + y[1] * (p[1] - p[0]) / (y[0] - y[1]), error = critical / euler - 1;
  bool good = fabs(error) <= allowed;
  printf("| %d | %.5g | %.5g | %+.2f %% | %s |\n", beams, critical, euler, 100 * error, good ? "yes" : "no");
  return good;
}

// --- coil ---

static bool coils(int beams, double allowed)
{
  dvText text = {0};
  dv_text_printf(
      &text,
      "<Node dt='0.05' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Coil'><RodSpireSection name='coil' "
      "length='100' nbBeams='%d' radius='0.2' youngModulus='1e5' massDensity='1e-6' spireDiameter='20' "
      "spireHeight='3'/>"
      "<WireRestShape name='shape' wireMaterials='@coil'/><EdgeSetTopologyContainer/><MechanicalObject "
      "template='Rigid3'/></Node><Node name='I'><EulerImplicitSolver rayleighStiffness='0.1' "
      "rayleighMass='1'/><BTDLinearSolver/>"
      "<RegularGridTopology nx='%d' ny='1' nz='1' xmin='0' xmax='1' ymin='0' ymax='0' zmin='0' zmax='0'/>"
      "<MechanicalObject template='Rigid3' name='dofs'/><WireBeamInterpolation name='wire' "
      "WireRestShape='@../Coil/shape'/>"
      "<AdaptiveBeamForceFieldAndMass interpolation='@wire'/><InterventionalRadiologyController name='hand' "
      "instruments='wire' xtip='1' rotationInstrument='0' speed='20'/><FixedProjectiveConstraint indices='0'/>"
      "<RestShapeSpringsForceField points='@hand.indexFirstNode' stiffness='1e8' "
      "angularStiffness='1e8'/></Node></Node>",
      beams, beams + 5);
  Trial t;
  double off = INFINITY;
  (void)trial_open(&t, text.text);   // its state is not at the top
  bool good = t.scene && run(&t, 1000);
  dv_text_free(&text);
  if (good) {
    const dvBeams *b = dv_beams(trial_find(&t, "I/wire"));
    const dvShaft shaft = {.state = b->state, .beams = b};
    dvPose sheath = dv_wire_shape_pose(b->shape, 0);
    off = 0;
    for (int i = 0; i <= 50; i++) {
      dvVec3 is = dv_shaft_pose(&shaft, dv_state_read(b->state, DV_X), 2.0 * i).at;
      off = fmax(off, dv_vec3_norm(dv_vec3_sub(is, dv_pose_from(sheath, dv_wire_shape_pose(b->shape, 2.0 * i)).at)));
    }
  }
  printf("| %d | %.3f | %s |\n", beams, off, off <= allowed ? "yes" : "no");
  trial_close(&t);
  return good && off <= allowed;
}

bool validate_instruments(bool quick)
{
  bool good = true;
  printf(
      "## Curved beams\n\nA rod of length 1, held at its beginning. An end moment 2 pi E I/L across it bends it into "
      "a circle, one of half that size that "
      "points half along it into half a turn of a helix about the moment. How far its end is from where it "
      "belongs, in lengths.\n\n| shape | beams | end | good |\n| --- | --- | --- | --- |\n");
  for (int beams = 10; beams <= (quick ? 20 : 40); beams *= 2) {
    good = bends("circle", beams, 2 * pi, 1, 1e-3) && good;
    good = bends("helix", beams, pi, sqrt(0.5), beams < 20 ? 3e-3 : 1e-3) && good;
  }
  printf(
      "\nThe load at which the rod gives way along its axis, from how small deflections grow (Southwell), beside "
      "Euler's pi^2 E I/4 L^2.\n\n| beams | load [N] | Euler [N] | error | good |\n| --- | --- | --- | --- | --- |\n");
  for (int beams = 5; beams <= (quick ? 10 : 20); beams *= 2) good = buckles(beams, 0.02) && good;
  printf(
      "\nA coil of 20 mm that comes out of its sheath straight and whole: the farthest point from its shape at rest, "
      "of 100 mm of wire.\n\n| beams | off [mm] | good |\n| --- | --- | --- |\n");
  for (int beams = 20; beams <= (quick ? 20 : 80); beams *= 2) good = coils(beams, 0.1) && good;
  printf("\n");
  return good;
}
