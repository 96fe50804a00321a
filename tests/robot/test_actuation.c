// Cables, cavities, imposed positions and joints: slopes beside finite differences, and what they do beside closed
// forms: Euler and Eytelwein, a beam, thin shells, a balloon, a closed gas.
#include "object/compat.h"
#include "robot/cable.h"
#include "robot/cavity.h"
#include "robot/slopes.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

#define LOOP(dt)                                                                                                 \
  "<Node dt='" dt "' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='solver' " \
  "tolerance='1e-14' maxIterations='2000'/>"
#define SOLVE "<EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"

static double field(dvScene *s, const char *path, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, path), name)->value;
}
static void set_value(dvScene *s, const char *path, double value)
{
  dvObject *o = check_find(s, path);
  dvField *f = dv_object_field(o, "value");
  assert_true(dv_reals_resize(f->value, 1));
  dv_reals_edit(f->value)[0] = value;
  dv_field_touch(f);
}

// --- slopes ------------------------------------------------------------------------------------------

static void slopes(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MeshTopology position='0 0 0  1 0.1 0  0.2 1 0.1  0.3 0.2 1.1  1 1 0.9' triangles='0 2 1  0 1 3  1 2 3  "
      "0 3 "
      "2'/><MechanicalObject name='d' position='0 0 0  1 0.1 0  0.2 1 0.1  0.3 0.2 1.1  1 1 0.9'/>"
      "<CableConstraint name='cable' indices='0 2 1 2 4' pullPoint='-1 2 0.5'/>"
      "<CableConstraint name='loop' indices='0 1 3 4' hasPullPoint='0'/>"
      "<SurfacePressureConstraint name='cavity'/>"
      "<PositionConstraint name='position' indices='1 3' directions='1 1 0  0 0 2  1 0 0' useDirections='1 1 0' "
      "weight='2'/>"
      "<UnilateralPlaneConstraint name='plane' indices='4 0 1 2' flipNormal='0'/>"
      "<UnilateralPlaneConstraint name='turned' indices='3 0 1 2' flipNormal='1'/></Node>",
      1);
  static const char *const paths[] = {"cable", "loop", "cavity", "position", "plane", "turned"};
  for (size_t i = 0; i < DV_COUNT(paths); i++) slopes_of(s, paths[i]);
  check_close_scene(&s);
}

// --- cables ------------------------------------------------------------------------------------------

// a rope over a half circle of 20 corners: what pulls at its end is e^(-mu pi) of what it is pulled with
static void capstan(void **state)
{
  DV_UNUSED(state);
  enum { N = 21 };
  dvText text = {0};
  dv_text_add(&text, LOOP("0.1") SOLVE "<MechanicalObject name='d' position='");
  for (int i = 0; i < N; i++) dv_text_printf(&text, "%.17g %.17g 0 ", cos(M_PI * i / (N - 1)), sin(M_PI * i / (N - 1)));
  dv_text_add(&text, "-1 -3 0'/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0-20'/>"
                     "<RestShapeSpringsForceField points='21' stiffness='1000'/><LinearSolverConstraintCorrection/>"
                     "<CableConstraint name='cable' indices='0-21' pullPoint='1 -5 0' friction='0.3' "
                     "valueType='force' value='50'/></Node>");
  dvScene *s = check_scene(text.text, 1);
  dv_text_free(&text);
  check_steps(s, 300);
  check_close(check_value(s, "d", DV_X, 3 * N + 1), -3 + 50 * exp(-0.3 * M_PI) / 1000, 1e-4 * 50 / 1000);
  check_close(field(s, "cable", "force"), 50, 1e-10);
  set_value(s, "cable", 40);   // let out: friction turns round
  check_steps(s, 300);
  check_close(check_value(s, "d", DV_X, 3 * N + 1), -3 + 40 * exp(0.3 * M_PI) / 1000, 1e-4 * 50 / 1000);
  check_close_scene(&s);
}

// a rope beside a beam: constant moment F e, deflection F e L^2 / (2 E I)
static void bent_beam(void **state)
{
  DV_UNUSED(state);
  enum { N = 11 };
  const double length = 1, offset = 0.05, radius = 0.02, young = 1e7, pull = 0.05;
  dvText text = {0}, guides = {0};
  dv_text_add(&text,
              LOOP("0.1") "<Node name='beam'>" SOLVE "<MeshTopology lines='0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9 10'/>"
                          "<MechanicalObject name='d' template='Rigid3' position='");
  for (int i = 0; i < N; i++) {
    dv_text_printf(&text, "%g 0 0 0 0 0 1 ", length * i / (N - 1));
    dv_text_printf(&guides, "%g %g 0 ", length * i / (N - 1), offset);
  }
  dv_text_printf(
      &text,
      "'/><UniformMass totalMass='0.5'/><BeamFEMForceField youngModulus='%g' poissonRatio='0.3' radius='%g'/>"
      "<FixedProjectiveConstraint indices='0'/><LinearSolverConstraintCorrection/>"
      "<Node name='guides'><MechanicalObject name='d' position='%s'/><RigidMapping rigidIndexPerPoint='0 1 2 "
      "3 4 5 6 7 8 9 10' globalToLocalCoords='1'/><CableConstraint name='cable' indices='1-10' pullPoint='0 "
      "%g 0' valueType='force' value='%g' minForce='0'/></Node></Node></Node>",
      young, radius, guides.text, offset, pull);
  dvScene *s = check_scene(text.text, 1);
  check_steps(s, 2000);
  double second = M_PI * pow(radius, 4) / 4, expected = pull * offset * length * length / (2 * young * second);
  check_close(check_value(s, "beam/d", DV_X, 7 * (N - 1) + 1), expected, 0.01 * expected);
  check_close_scene(&s);
  dv_text_free(&text);
  dv_text_free(&guides);
}

#define SPRING                                                                               \
  LOOP("0.05")                                                                               \
  SOLVE "<MechanicalObject name='d' position='0 0 0  1 0 0'/><UniformMass totalMass='1'/>"   \
        "<FixedProjectiveConstraint indices='0'/><RestShapeSpringsForceField points='1' "    \
        "stiffness='100'/><LinearSolverConstraintCorrection/><CableConstraint name='cable' " \
        "indices='1' pullPoint='5 0 0' "

static void limits(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *fields;
    double displacement, force;
  } cases[] = {
      {"value='0.3'", 0.3, 30},
      {"value='-0.3'", -0.3, -30},           // as a rod
      {"value='-0.3' minForce='0'", 0, 0},   // a rope does not push
      {"value='0.3' maxForce='20'", 0.2, 20},
      {"value='0.3' maxPositiveDisp='0.1'", 0.1, 10},
      {"value='-0.3' maxNegativeDisp='0.2'", -0.2, -20},
      {"value='0.3' maxDispVariation='0.01'", 0.3, 30},
      {"valueType='force' value='30'", 0.3, 30},
      {"valueType='force' value='30' maxForce='5'", 0.05, 5},
      {"valueType='force' value='30' maxPositiveDisp='0.1'", 0.1, 10},   // held at the stop
      {"value='0 0.3' valueIndex='1'", 0.3, 30},
      {"value='0.3' cableInitialLength='4.1'", 0.3, 20},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format(SPRING "%s/></Node>", cases[i].fields);
    dvScene *s = check_scene(text, 1);
    if (strstr(text, "Variation")) {
      check_steps(s, 1);
      check_close(field(s, "cable", "displacement"), 0.01, 1e-12);
    }
    check_steps(s, 400);
    check_close(field(s, "cable", "displacement"), cases[i].displacement, 1e-9);
    check_close(field(s, "cable", "force"), cases[i].force, 1e-6);
    check_close_scene(&s);
    dv_free(text);
  }
}

// SOFA's forces are impulses: 30 there is 30 / dt here
static void as_sofa(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_as_sofa(SPRING "valueType='force' value='1.5'/></Node>", 1);
  check_steps(s, 400);
  check_close(field(s, "cable", "displacement"), 0.3, 1e-9);
  check_close(field(s, "cable", "force"), 1.5, 1e-9);
  assert_true(dv_compat_touched(check_find(s, "cable"), DV_COMPAT_ROBOT_IMPULSES));
  check_close_scene(&s);
}

// --- cavities ----------------------------------------------------------------------------------------

// A shell between two spheres, in one layer of prisms of three tetrahedra each, from an octahedron whose faces are
// divided into n^2: point 2 i lies inside, 2 i + 1 outside.
typedef struct Shell {
  dvText position, tetrahedra, inside;
  DV_ARRAY(dvVec3) points;
} Shell;

static int32_t shell_point(Shell *m, dvVec3 p)
{
  for (size_t i = 0; i < m->points.count; i++)
    if (dv_vec3_norm(dv_vec3_sub(m->points.data[i], p)) < 1e-6) return (int32_t)i;
  dv_push(&m->points, p);
  return (int32_t)m->points.count - 1;
}

static void shell_prism(Shell *m, int32_t a, int32_t b, int32_t c)
{
  int32_t v[3] = {a, b, c};   // cut by numbers, so that neighbours agree: the lowest goes first
  while (v[0] > v[1] || v[0] > v[2]) {
    int32_t first = v[0];
    v[0] = v[1], v[1] = v[2], v[2] = first;
  }
  int32_t in[3] = {2 * v[0], 2 * v[1], 2 * v[2]}, out[3] = {2 * v[0] + 1, 2 * v[1] + 1, 2 * v[2] + 1};
  dv_text_printf(&m->inside, "%d %d %d ", in[0], in[1], in[2]);
  dv_text_printf(&m->tetrahedra, "%d %d %d %d ", in[0], out[1], out[2], out[0]);
  if (v[1] < v[2])
    dv_text_printf(&m->tetrahedra, "%d %d %d %d %d %d %d %d ", in[0], in[1], in[2], out[2], in[0], in[1], out[2],
                   out[1]);
  else
    dv_text_printf(&m->tetrahedra, "%d %d %d %d %d %d %d %d ", in[0], in[1], in[2], out[1], in[0], out[1], in[2],
                   out[2]);
}

static Shell shell_of(int n, double radius, double thick)
{
  Shell m = {0};
  for (int octant = 0; octant < 8; octant++) {
    dvVec3 axis[3] = {{octant & 1 ? -1 : 1, 0, 0}, {0, octant & 2 ? -1 : 1, 0}, {0, 0, octant & 4 ? -1 : 1}};
    for (int i = 0; i < n; i++)
      for (int j = 0; i + j < n; j++)
        for (int half = 0; half < (i + j + 1 < n ? 2 : 1); half++) {
          int at[3];
          for (int k = 0; k < 3; k++) {
            int a = i + (half ? k != 2 : k == 1), b = j + (half ? k != 0 : k == 2);
            dvVec3 p = dv_vec3_add(dv_vec3_add(dv_vec3_scale(axis[0], n - a - b), dv_vec3_scale(axis[1], a)),
                                   dv_vec3_scale(axis[2], b));
            at[k] = shell_point(&m, dv_vec3_normalise(p));
          }
          dvVec3 p = m.points.data[at[0]], q = m.points.data[at[1]], r = m.points.data[at[2]];
          bool inward = dv_vec3_dot(p, dv_vec3_cross(dv_vec3_sub(q, p), dv_vec3_sub(r, p))) < 0;
          shell_prism(&m, at[0], inward ? at[2] : at[1], inward ? at[1] : at[2]);
        }
  }
  for (size_t i = 0; i < m.points.count; i++)
    for (int side = 0; side < 2; side++) {
      dvVec3 p = dv_vec3_scale(m.points.data[i], radius + (side - 0.5) * thick);
      dv_text_printf(&m.position, "%.17g %.17g %.17g ", p.x, p.y, p.z);
    }
  return m;
}

static void shell_free(Shell *m)
{
  dv_text_free(&m->position);
  dv_text_free(&m->tetrahedra);
  dv_text_free(&m->inside);
  dv_array_free(&m->points);
}

static dvScene *open_shell(const Shell *m, const char *force, const char *constraint)
{
  char *text = dv_format(
      LOOP(
          "0.1") "<Node name='ball'><EulerImplicitSolver rayleighMass='0.1' rayleighStiffness='0.1'/><SparseLDLSolver/>"
                 "<TetrahedronSetTopologyContainer position='%s' tetrahedra='%s'/><MechanicalObject name='d'/>"
                 "<UniformMass totalMass='0.1'/>%s<LinearSolverConstraintCorrection/><SurfacePressureConstraint "
                 "name='cavity' triangles='%s' %s/></Node></Node>",
      m->position.text, m->tetrahedra.text, force, m->inside.text, constraint);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static double mean_radius(dvScene *s)
{
  const dvState *d = dv_state(check_find(s, "ball/d"));
  const double *x = dv_state_read(d, DV_X);
  dvVec3 centre = {0, 0, 0};
  double sum = 0;
  for (size_t i = 0; i < d->count; i++)
    centre = dv_vec3_add_scaled(centre, dv_vec3_load(x + 3 * i), 1.0 / (double)d->count);
  for (size_t i = 0; i < d->count; i++) sum += dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * i), centre));
  return sum / (double)d->count;
}

// thin wall: u = p R^2 (1 - nu) / (2 E t)
static void thin_sphere(void **state)
{
  DV_UNUSED(state);
  const double radius = 1, thick = 0.01, young = 1e6, nu = 0.3, pressure = 20;
  Shell m = shell_of(10, radius, thick);
  dvScene *s =
      open_shell(&m, "<TetrahedronFEMForceField youngModulus='1e6' poissonRatio='0.3' method='large'/>", "value='20'");
  double before = mean_radius(s);
  check_steps(s, 300);
  double expected = pressure * radius * radius * (1 - nu) / (2 * young * thick);
  check_close(mean_radius(s) - before, expected, 0.02 * expected);
  check_close_scene(&s);
  shell_free(&m);
}

static double balloon_energy(double stretch, double mu, double lambda)
{
  double across = 1 / (stretch * stretch);   // the wall thins until nothing presses on it: dW/da = 0
  for (int i = 0; i < 60; i++) {
    double log_j = log(stretch * stretch * across);
    double slope = mu * across - mu / across + lambda * log_j / across;
    double curve = mu + mu / (across * across) + lambda * (1 - log_j) / (across * across);
    across -= slope / curve;
  }
  double log_j = log(stretch * stretch * across);
  return mu / 2 * (2 * stretch * stretch + across * across - 3) - mu * log_j + lambda / 2 * log_j * log_j;
}

// a balloon, far beyond small strain: p = (t / R) w'(s) / s^2 from the work p dV; its pressure falls beyond a peak, so
// it is blown up by volume
static void balloon(void **state)
{
  DV_UNUSED(state);
  const double radius = 1, thick = 0.01, mu = 1e5, lambda = 4e5;
  Shell m = shell_of(8, radius, thick);
  dvScene *s =
      open_shell(&m, "<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' ParameterSet='1e5 4e5'/>",
                 "valueType='volumeGrowth' value='0'");
  double v0 = field(s, "ball/cavity", "initialCavityVolume");
  for (int i = 1; i <= 40; i++) {
    double s3 = pow(1 + 0.5 * i / 40, 3);
    set_value(s, "ball/cavity", v0 * (s3 - 1));
    check_steps(s, 2);
  }
  check_steps(s, 300);
  double stretch = 1.5, step = 1e-5;
  double slope = (balloon_energy(stretch + step, mu, lambda) - balloon_energy(stretch - step, mu, lambda)) / (2 * step);
  double expected = thick / radius * slope / (stretch * stretch);
  check_close(field(s, "ball/cavity", "pressure"), expected, 0.02 * expected);
  check_close(field(s, "ball/cavity", "volumeGrowth") / (v0 * (pow(1.5, 3) - 1)), 1, 1e-6);
  check_close_scene(&s);
  shell_free(&m);
}

// a tube whose ends cannot move along it: u = p R^2 (1 - nu^2) / (E t); open, as its warning says
static void thin_cylinder(void **state)
{
  DV_UNUSED(state);
  enum { AROUND = 40 };
  const double radius = 1, thick = 0.02, young = 1e6, nu = 0.3, pressure = 20;
  dvText position = {0}, hexahedra = {0}, quads = {0};
  for (int i = 0; i < AROUND; i++)
    for (int side = 0; side < 2; side++)
      for (int end = 0; end < 2; end++) {
        double angle = 2 * M_PI * i / AROUND, r = radius + (side - 0.5) * thick;
        dv_text_printf(&position, "%.17g %.17g %g ", r * cos(angle), r * sin(angle), 0.15 * end);
      }
  for (int i = 0; i < AROUND; i++) {
    int a = 4 * i, b = 4 * ((i + 1) % AROUND);
    dv_text_printf(&hexahedra, "%d %d %d %d %d %d %d %d ", a, a + 2, b + 2, b, a + 1, a + 3, b + 3, b + 1);
    dv_text_printf(&quads, "%d %d %d %d ", a, b, b + 1, a + 1);
  }
  char *text = dv_format(
      LOOP(
          "0.1") "<Node name='ball'><EulerImplicitSolver rayleighMass='0.1' rayleighStiffness='0.1'/><SparseLDLSolver/>"
                 "<MeshTopology position='%s' hexahedra='%s'/><MechanicalObject name='d'/><UniformMass "
                 "totalMass='0.1'/>"
                 "<HexahedronFEMForceField youngModulus='1e6' poissonRatio='0.3'/><PartialFixedProjectiveConstraint "
                 "fixAll='1' fixedDirections='0 0 1'/><LinearSolverConstraintCorrection/><SurfacePressureConstraint "
                 "name='cavity' quads='%s' value='20'/></Node></Node>",
      position.text, hexahedra.text, quads.text);
  dvScene *s = check_scene(text, 1);
  const double *x = dv_state_read(dv_state(check_find(s, "ball/d")), DV_X);
  double before = hypot(x[0], x[1]);
  check_steps(s, 300);
  x = dv_state_read(dv_state(check_find(s, "ball/d")), DV_X);
  double expected = pressure * radius * radius * (1 - nu * nu) / (young * thick);
  check_close(hypot(x[0], x[1]) - before, expected, 0.02 * expected);
  check_close_scene(&s);
  dv_free(text);
  dv_text_free(&position);
  dv_text_free(&hexahedra);
  dv_text_free(&quads);
}

// A tetrahedron of springs around a gas: what it is filled with is kept while it gives way.
static void closed_gas(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      LOOP("0.02") "<EulerImplicitSolver rayleighMass='1' rayleighStiffness='0.1'/><SparseLDLSolver/>"
                   "<MechanicalObject name='d' position='0 0 0  0.1 0 0  0 0.1 0  0 0 0.1'/><UniformMass "
                   "totalMass='0.1'/>"
                   "<RestShapeSpringsForceField stiffness='2000'/><LinearSolverConstraintCorrection/>"
                   "<SurfacePressureConstraint name='cavity' triangles='0 2 1  0 1 3  1 2 3  0 3 2' valueType='gas' "
                   "value='50000' gasExponent='1.4'/></Node>",
      1);
  check_steps(s, 500);
  double v0 = field(s, "cavity", "initialCavityVolume"), v = field(s, "cavity", "cavityVolume");
  assert_true(v > 1.05 * v0);
  double filled = (101325 + 50000) * pow(v0, 1.4);
  check_close((101325 + field(s, "cavity", "pressure")) * pow(v, 1.4) / filled, 1, 1e-6);
  check_close_scene(&s);
}

// --- positions, joints, planes, the centre of mass ---------------------------------------------------

static void others(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      LOOP("0.05") "<Node name='a'>" SOLVE "<MechanicalObject name='d' position='0 0 0  1 0 0  0 1 0  0.3 0.3 0.05'/>"
                   "<UniformMass totalMass='4'/><RestShapeSpringsForceField "
                   "stiffness='100'/><LinearSolverConstraintCorrection/>"
                   "<PositionConstraint name='move' indices='0' directions='0 0 1  0 1 0  1 0 0' useDirections='1 0 0' "
                   "value='0.2'/><UnilateralPlaneConstraint name='plane' indices='3 0 1 2'/>"
                   "<CenterOfMass name='center'/></Node>"
                   "<Node name='b'>" SOLVE "<MechanicalObject name='d' template='Vec1' position='0.5 1'/>"
                   "<UniformMass totalMass='2'/><RestShapeSpringsForceField "
                   "stiffness='100'/><LinearSolverConstraintCorrection/>"
                   "<JointConstraint name='joint' index='1' value='0.4'/><JointConstraint name='effort' index='0' "
                   "valueType='force' value='30' maxDisplacement='0.2'/></Node></Node>",
      1);
  check_steps(s, 400);
  check_close(check_value(s, "a/d", DV_X, 2), 0.2, 1e-9);
  // the point lies on the plane, which three springs and its own hold: forces n lambda (1, -w) balance
  const double *x = dv_state_read(dv_state(check_find(s, "a/d")), DV_X);
  dvVec3 p[4];
  for (int i = 0; i < 4; i++) p[i] = dv_vec3_load(x + 3 * i);
  dvVec3 n = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0])));
  check_close(dv_vec3_dot(n, dv_vec3_sub(p[3], p[0])), 0, 1e-9);
  dvVec3 rest[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0.05}}, sum = {0, 0, 0};
  for (int i = 1; i < 4; i++) sum = dv_vec3_add(sum, dv_vec3_sub(rest[i], p[i]));
  sum = dv_vec3_add(sum, dv_vec3_sub(rest[0], p[0]));   // all springs together carry what moves point 0
  check_close(100 * sum.z, -field(s, "a/move", "force"), 1e-6);
  for (int k = 0; k < 3; k++) {
    double mean = 0;
    for (int i = 0; i < 4; i++) mean += x[3 * i + k] / 4;
    check_close(((const double *)dv_object_field(check_find(s, "a/center"), "centerOfMass")->value)[k], mean, 1e-12);
  }
  check_close(check_value(s, "b/d", DV_X, 1), 1.4, 1e-9);
  check_close(field(s, "b/joint", "force"), 40, 1e-6);
  check_close(check_value(s, "b/d", DV_X, 0), 0.7, 1e-9);   // 0.3 without its end
  check_close_scene(&s);
}

// a jump is spread over steps, a small change is not; a jump on the way begins anew
static void commands_do_not_jump(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><DataVariationLimiter name='l' input='1 2' initOutput='0' maxJump='0.5' nbStep='4'/>"
                           "<DataVariationLimiter name='next' input='@l.output'/></Node>",
                           1);
  const dvReals *out = dv_object_field(check_find(s, "l"), "output")->value;
  dvField *in = dv_object_field(check_find(s, "l"), "input");
  for (int i = 1; i <= 4; i++) {
    check_steps(s, 1);
    check_close(out->data[0], 0.25 * i, 1e-15);
    check_close(out->data[1], 0.5 * i, 1e-15);
  }
  dv_reals_edit(in->value)[0] = 1.3;
  dv_reals_edit(in->value)[1] = 4;
  dv_field_touch(in);
  check_steps(s, 2);
  check_close(out->data[0], 1.3, 0);
  check_close(out->data[1], 3, 1e-15);
  dv_reals_edit(in->value)[1] = -1;
  dv_field_touch(in);
  check_steps(s, 2);
  check_close(out->data[1], 1, 1e-15);
  check_steps(s, 10);
  check_close(out->data[1], -1, 0);
  check_close_scene(&s);
  s = check_scene_file("scenes/robot/tendon.scn", 1);
  check_steps(s, 20);
  check_close(field(s, "within/cable", "force"), 2, 1e-9);   // half of the way to 4 N
  check_steps(s, 30);
  check_close(field(s, "within/cable", "force"), 4, 1e-9);
  check_close_scene(&s);
  assert_true(fd_fails("<Node><DataVariationLimiter nbStep='0'/></Node>"));
}

// --- bad input ---------------------------------------------------------------------------------------

// what nothing moves has the tension that is asked for, and none where a displacement is
static void held_body(void **state)
{
  DV_UNUSED(state);
  const char *const values[] = {"valueType='force' value='3'", "valueType='displacement' value='0.1'"};
  const char *const holds[] = {"", "<LinearSolverConstraintCorrection/><FixedProjectiveConstraint indices='0 1'/>"};
  for (int i = 0; i < 4; i++) {
    dvText text = {0};
    dv_text_printf(&text,
                   LOOP("0.1") SOLVE "<MechanicalObject name='d' position='1 0 0  2 0 0'/><UniformMass "
                                     "totalMass='1'/>%s<CableConstraint name='cable' indices='0 1' %s/></Node>",
                   holds[i / 2], values[i % 2]);
    dvScene *s = check_scene(text.text, 1);
    dv_text_free(&text);
    check_steps(s, 3);
    check_close(field(s, "cable", "force"), i % 2 ? 0 : 3, 1e-12);
    check_close(check_value(s, "d", DV_X, 3), 2, 1e-12);
    check_close_scene(&s);
  }
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
#define POINTS "<Node><MechanicalObject name='d' position='0 0 0  1 0 0  0 1 0  0 0 1'/>"
#define OPEN "triangles='0 2 1  0 1 3  1 2 3'"
  assert_true(fd_fails(POINTS "<CableConstraint indices='4'/></Node>"));
  assert_true(fd_fails(POINTS "<CableConstraint indices='1' hasPullPoint='0'/></Node>"));
  assert_true(fd_fails(POINTS "<CableConstraint indices='1' minForce='2' maxForce='1'/></Node>"));
  assert_true(fd_fails(POINTS "<CableConstraint indices='1' friction='-1'/></Node>"));
  assert_true(fd_fails(POINTS "<CableConstraint indices='1' value='1 2' valueIndex='2'/></Node>"));
  assert_true(fd_fails("<Node><CableConstraint indices='1'/></Node>"));
  assert_true(fd_fails(POINTS "<SurfacePressureConstraint/></Node>"));
  assert_true(fd_fails(POINTS "<SurfacePressureConstraint triangles='0 1 9'/></Node>"));
  assert_true(fd_fails(POINTS "<SurfacePressureConstraint " OPEN " valueType='volumeGrowth'/></Node>"));
  assert_false(fd_fails(POINTS "<SurfacePressureConstraint " OPEN " value='1'/></Node>"));
  assert_true(fd_fails(POINTS "<SurfacePressureConstraint triangles='0 2 1  0 1 3  1 2 3  0 3 2' valueType='gas' "
                              "gasExponent='0'/></Node>"));
  assert_true(fd_fails(POINTS "<PositionConstraint indices='1' useDirections='0 0 0'/></Node>"));
  assert_true(fd_fails(POINTS "<PositionConstraint indices='1' weight='1 2'/></Node>"));
  assert_true(fd_fails(POINTS "<PositionConstraint indices='1' directions='0 0 0'/></Node>"));
  assert_true(fd_fails(POINTS "<UnilateralPlaneConstraint indices='1 2 3'/></Node>"));
  assert_true(fd_fails(POINTS "<UnilateralPlaneConstraint indices='1 2 3 3'/></Node>"));
  assert_true(fd_fails(POINTS "<JointConstraint/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Vec1' position='1'/><JointConstraint index='1'/></Node>"));
}

// scripts of SOFA read the value before they change it
static void value_to_begin_with(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene(LOOP("0.05") "<Node name='b'>" SOLVE "<MechanicalObject name='d' template='Vec1' position='0.5'/>"
                               "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='100'/>"
                               "<LinearSolverConstraintCorrection/><JointConstraint name='joint'/></Node></Node>",
                  1);
  const dvReals *value = dv_object_field(check_find(s, "b/joint"), "value")->value;
  assert_int_equal(value->count, 1);
  check_close(value->data[0], 0, 0);
  check_steps(s, 5);
  check_close(check_value(s, "b/d", DV_X, 0), 0.5, 1e-9);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slopes),        cmocka_unit_test(value_to_begin_with),
                                     cmocka_unit_test(capstan),       cmocka_unit_test(bent_beam),
                                     cmocka_unit_test(limits),        cmocka_unit_test(as_sofa),
                                     cmocka_unit_test(thin_sphere),   cmocka_unit_test(balloon),
                                     cmocka_unit_test(thin_cylinder), cmocka_unit_test(closed_gas),
                                     cmocka_unit_test(others),        cmocka_unit_test(commands_do_not_jump),
                                     cmocka_unit_test(held_body),     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
