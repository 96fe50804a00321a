// What stands beside a SpringLattice: materials, actuators, contacts, guides, motors, breaking, drag; generators; bad
// input.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "lattice/spring_lattice.h"

#include <string.h>

// two masses of 1 kg on a spring, and what is added
static dvScene *pair_scene(const char *root, const char *lattice, const char *parts)
{
  char *text =
      dv_format("<Node dt='0.01' %s><DefaultAnimationLoop/><MechanicalObject name='dofs' position='0 0 0 1 0 0'/>"
                "<SpringLattice name='lattice' springs='0 1' vertexMass='1' %s %s/>%s</Node>",
                root, strstr(lattice, "stiffness") ? "" : "stiffness='100'", lattice, parts);
  dvScene *scene = check_scene(text, 1);
  dv_free(text);
  return scene;
}

static double x(dvScene *s, size_t scalar) { return check_value(s, "dofs", DV_X, scalar); }
static double v(dvScene *s, size_t scalar) { return check_value(s, "dofs", DV_V, scalar); }

// --- contacts ---

// on a slope a body sticks while tan(angle) < static friction, else slides with g (sin - kinetic cos)
static void slope(void **state)
{
  DV_UNUSED(state);
  static const char *const schemes[] = {"euler", "verlet", "rk4"}, *const precisions[] = {"double", "float"};
  double angle = atan(0.5), g = 9.81;
  for (int i = 0; i < 6; i++)
    for (int sticks = 0; sticks < 2; sticks++) {
      char *root = dv_format("gravity='%.17g %.17g 0'", g * sin(angle), -g * cos(angle));
      char *lattice = dv_format("substeps='10' integrator='%s' precision='%s'", schemes[i / 2], precisions[i % 2]);
      dvScene *s = pair_scene(root, lattice,
                              sticks ? "<LatticeContact plane='0 2 0 0' staticFriction='0.51' kineticFriction='0.3'/>"
                                     : "<LatticeContact plane='0 2 0 0' staticFriction='0.49' kineticFriction='0.3'/>");
      check_steps(s, 100);
      double slide = sticks ? 0 : 0.5 * g * (sin(angle) - 0.3 * cos(angle));
      // Runge-Kutta meets walls at the end of its steps, where velocities have first order
      check_close(x(s, 0), slide, i / 2 == 1 || sticks ? 1e-2 * slide + 1e-5 : 2e-2 * slide);
      check_close(x(s, 1), 0, 1e-6);
      check_close(x(s, 3) - x(s, 0), 1, 1e-5);
      check_close_scene(&s);
      dv_free(root);
      dv_free(lattice);
    }
}

static void ball(void **state)
{
  DV_UNUSED(state);
  dvScene *s = pair_scene("gravity='0 -10 0'", "substeps='10'",
                          "<LatticeContact centre='0.5 -1 0' radius='1'/><LatticeContact plane='0 1 0 -3'/>");
  for (int i = 0; i < 200; i++) {
    check_steps(s, 1);
    for (size_t p = 0; p < 2; p++) {
      double d[3] = {x(s, 3 * p) - 0.5, x(s, 3 * p + 1) + 1, x(s, 3 * p + 2)};
      assert_true(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) > 1 - 1e-9);
    }
  }
  assert_true(x(s, 1) > -3 - 1e-12);
  assert_true(x(s, 3) - x(s, 0) > 1.1);   // the ball has pushed them apart
  assert_true(x(s, 1) < -0.1);
  check_close_scene(&s);
}

// a mass that starts behind a plane is put on it and not shot away
static void starts_behind(void **state)
{
  DV_UNUSED(state);
  dvScene *s = pair_scene("gravity='0 0 0'", "", "<LatticeContact plane='0 1 0 0.5'/>");
  check_steps(s, 20);
  check_close(x(s, 1), 0.5, 1e-12);
  check_close(v(s, 1), 0, 1e-12);
  check_close_scene(&s);
}

// --- drag, guides, loads ---

static void terminal_velocity(void **state)
{
  DV_UNUSED(state);
  dvScene *s = pair_scene("gravity='0 -10 0'", "drag='0.4'", "");
  check_steps(s, 500);
  check_close(v(s, 1), -sqrt(10 / 0.4), 1e-4);
  check_close_scene(&s);
}

static void guides(void **state)
{
  DV_UNUSED(state);
  dvScene *s = pair_scene(
      "gravity='3 3 3'", "stiffness='0'",
      "<LatticeGuide indices='0' kind='direction' axis='0 2 0'/><LatticeGuide indices='1' kind='plane' axis='0 0 1'/>");
  check_steps(s, 100);
  check_close(x(s, 0), 0, 1e-14);
  check_close(x(s, 2), 0, 1e-14);
  check_close(x(s, 1), 1.5, 1e-2);
  check_close(v(s, 1), 3, 1e-10);
  check_close(x(s, 5), 0, 1e-14);
  check_close(v(s, 3), 3, 1e-10);
  check_close(v(s, 4), 3, 1e-10);
  check_close_scene(&s);
  s = pair_scene("gravity='3 3 3'", "",
                 "<LatticeGuide indices='0' kind='fixed'/><FixedProjectiveConstraint indices='1'/>");
  check_steps(s, 50);
  for (size_t i = 0; i < 6; i++) check_close(x(s, i), i == 3, 0);
  check_close_scene(&s);
  s = pair_scene("gravity='3 3 3'", "stiffness='0'",
                 "<PartialFixedProjectiveConstraint indices='0 1' fixedDirections='1 0 1'/>");
  check_steps(s, 100);
  check_close(x(s, 0), 0, 0);
  check_close(v(s, 1), 3, 1e-10);
  check_close(x(s, 2), 0, 0);
  check_close_scene(&s);
}

// forces of other components act: a constant load stretches the spring by F l / K
static void loads(void **state)
{
  DV_UNUSED(state);
  dvScene *s = pair_scene("gravity='0 0 0'", "substeps='5' rayleighMass='5'",
                          "<LatticeGuide indices='0'/><ConstantForceField indices='1' forces='7 0 0'/>");
  check_steps(s, 1000);
  check_close(x(s, 3), 1.07, 1e-9);
  check_close_scene(&s);
}

// damping in proportion to the mass: v = exp(-r t)
static void decay(void **state)
{
  DV_UNUSED(state);
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><MechanicalObject name='dofs' position='0 0 0 1 0 0' "
      "velocity='0 1 0 0 1 0'/><SpringLattice springs='0 1' rayleighMass='2' substeps='10'/></Node>");
  dvScene *s = check_scene(text, 1);
  check_steps(s, 100);
  check_close(v(s, 1), exp(-2), 1e-5);
  check_close_scene(&s);
  dv_free(text);
}

// --- springs that change ---

// beyond its strain a spring is gone: masses fly apart with the speed they had
static void breaking(void **state)
{
  DV_UNUSED(state);
  for (int kind = 0; kind < 2; kind++) {
    dvScene *s = check_scene(kind ? "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><MechanicalObject "
                                    "name='dofs' position='0 0 0 1 0 0' "
                                    "velocity='-2 0 0 2 0 0'/><SpringLattice name='lattice' springs='0 1' lengths='1' "
                                    "vertexMass='1' stiffness='100' breakStrain='0.2' substeps='4'/></Node>"
                                  : "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><MechanicalObject "
                                    "name='dofs' position='0 0 0 1 0 0' "
                                    "velocity='-2 0 0 2 0 0'/><SpringLattice name='lattice' springs='0 1' "
                                    "vertexMass='1' stiffness='100' breakStrain='0.2' substeps='4'/></Node>",
                             1);
    const dvSpringLattice *l = (const dvSpringLattice *)check_find(s, "lattice");
    check_steps(s, 3);
    assert_int_equal(l->brokenSprings, 0);
    uint64_t hash = dv_scene_hash(s);
    check_steps(s, 60);
    assert_int_equal(l->brokenSprings, 1);
    check_close(v(s, 3), sqrt(4 - 100 * 0.2 * 0.2 / 2), 0.02);   // 2 x m v^2 / 2 loses K e^2 / 2
    dv_scene_reset(s);
    assert_int_equal(l->brokenSprings, 0);
    check_steps(s, 3);
    assert_int_equal(dv_scene_hash(s), hash);
    check_close_scene(&s);
  }
}

static const char block[] =
    "<Node dt='0.005' gravity='0 0 0'><DefaultAnimationLoop/><VoxelLattice name='v' boxes='0 0 0 1 0.2 0.2' "
    "cell='0.1'/>"
    "<MechanicalObject name='dofs' position='@v.position'/><SpringLattice name='lattice' springs='@v.edges' "
    "weights='@v.weights' vertexMass='0.1' stiffness='100' rayleighMass='10' substeps='10'/>"
    "<BoxROI name='left' box='-0.01 -1 -1 0.51 1 1' position='@v.position'/><BoxROI name='right' box='0.49 -1 -1 1.1 1 "
    "1' position='@v.position'/>"
    "%s</Node>";

static double extent(dvScene *s, int axis, double from, double to)
{
  const dvSpringLattice *l = (const dvSpringLattice *)check_find(s, "lattice");
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < l->state->count; i++)
    if (l->rest.data[3 * i] > from && l->rest.data[3 * i] < to) {
      low = fmin(low, x(s, 3 * i + (size_t)axis));
      high = fmax(high, x(s, 3 * i + (size_t)axis));
    }
  return high - low;
}

static dvScene *block_scene(const char *parts)
{
  char *text = dv_format(block, parts);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

// a region whose lengths are 1.2 times what they were is 1.2 times as large; the other one stays
static void expansion(void **state)
{
  DV_UNUSED(state);
  dvScene *s = block_scene("<LatticeActuator indices='@left.indices' length='1 + 0.2 * min(t, 1)'/>");
  check_steps(s, 1000);
  check_close(extent(s, 0, -1, 0.31), 0.36, 2e-3);
  check_close(extent(s, 1, -1, 0.31), 0.24, 2e-3);
  check_close(extent(s, 0, 0.69, 2), 0.3, 1e-3);
  check_close_scene(&s);
  // along one axis only
  s = block_scene("<LatticeActuator indices='0-98' length='1.2' axis='1 0 0'/>");
  check_steps(s, 1000);
  assert_true(extent(s, 0, -1, 2) > 1.05);
  assert_true(extent(s, 1, -1, 2) < 0.2);
  check_close_scene(&s);
}

// two regions with a phase of half a cycle between them move against each other
static void phases(void **state)
{
  DV_UNUSED(state);
  dvScene *s = block_scene(
      "<LatticeActuator indices='@left.indices' length='1 + 0.1 * sin(2 * pi * p)' frequency='0.5'/>"
      "<LatticeActuator indices='@right.indices' length='1 + 0.1 * sin(2 * pi * p)' frequency='0.5' phase='0.5'/>");
  check_steps(s, 100);   // a quarter of the period
  double left = extent(s, 0, -1, 0.41), right = extent(s, 0, 0.59, 2);
  assert_true(left > 0.42 && right < 0.38);
  check_steps(s, 200);
  left = extent(s, 0, -1, 0.41), right = extent(s, 0, 0.59, 2);
  assert_true(left < 0.38 && right > 0.42);
  check_close_scene(&s);
}

// half of a bar that is ten times as stiff strains a tenth; a stiffness that is an expression does the same
static void regions(void **state)
{
  DV_UNUSED(state);
  static const char *const stiffer[] = {"<LatticeMaterial indices='@right.indices' stiffness='1000'/>",
                                        "<LatticeActuator indices='@right.indices' stiffness='10'/>"};
  for (int i = 0; i < 2; i++) {
    char *parts = dv_format("%s<LatticeGuide indices='0 11 22 33 44 55 66 77 88' kind='fixed'/>"
                            "<ConstantForceField indices='10 21 32 43 54 65 76 87 98' forces='1 0 0'/>",
                            stiffer[i]);
    dvScene *s = block_scene(parts);
    check_steps(s, 3000);
    double soft = extent(s, 0, 0.19, 0.41) / 0.2 - 1, stiff = extent(s, 0, 0.59, 0.81) / 0.2 - 1;
    assert_true(soft > 0.01);
    check_close(soft / stiff, 10, 0.8);
    check_close_scene(&s);
    dv_free(parts);
  }
}

// --- motors ---

// two bodies that share two masses on an axis: the motor reaches its speed and turns nothing as a whole
static void motor(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.001' gravity='0 0 0'><DefaultAnimationLoop/><MechanicalObject name='dofs' position='0 0 -0.1  0 0 "
      "0.1  "
      "0.3 0 0  0.3 0.2 0  0.5 0.1 0.1  -0.3 0 0  -0.3 -0.2 0  -0.4 0.1 0.2'/><SpringLattice name='lattice' "
      "springs='0 1  0 2 1 2  0 3 1 3  0 4 1 4  2 3 3 4 2 4  0 5 1 5  0 6 1 6  0 7 1 7  5 6 6 7 5 7' stiffness='2000' "
      "vertexMass='0.1' substeps='10'/><LatticeMotor name='motor' body='2 3 4' wheel='5 6 7' axis='0 1' speed='3' "
      "gain='1'/></Node>",
      1);
  const dvLatticeMotorPart *m = (const dvLatticeMotorPart *)check_find(s, "motor");
  check_steps(s, 4000);
  double before = m->angle;
  check_steps(s, 1000);
  check_close(m->angle - before, 3, 0.02);
  double spin[3] = {0}, momentum[3] = {0};
  for (size_t i = 0; i < 8; i++)
    for (size_t k = 0; k < 3; k++) {
      momentum[k] += v(s, 3 * i + k);
      spin[k] +=
          x(s, 3 * i + (k + 1) % 3) * v(s, 3 * i + (k + 2) % 3) - x(s, 3 * i + (k + 2) % 3) * v(s, 3 * i + (k + 1) % 3);
    }
  for (size_t k = 0; k < 3; k++) {
    check_close(momentum[k], 0, 1e-10);
    check_close(spin[k], 0, 1e-9);
  }
  check_close_scene(&s);
}

// --- generators ---

static void voxels(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><VoxelLattice name='v' boxes='0 0 0 1.9 1.9 1.9' cell='0.1'/><MechanicalObject "
                      "name='dofs' position='@v.position'/>"
                      "<SpringLattice name='lattice' springs='@v.edges' totalMass='8'/></Node>");
  const dvSpringLattice *l = (const dvSpringLattice *)fd_find(&s, "lattice");
  assert_int_equal(l->state->count, 8000);
  assert_int_equal(dv_ints_size(&l->springs), 93556);
  assert_true(l->lattice->grid);
  fd_close(&s);
  // a ball: the volume of its cubes, and springs on a grid although lines have gaps and different lengths
  s = fd_open("<Node><GenerateSphere name='ball' radius='1' tessellationDegree='8'/><VoxelLattice name='v' cell='0.1' "
              "inputPosition='@ball.output_TrianglesPosition' triangles='@ball.triangles'/><MechanicalObject "
              "name='dofs' position='@v.position'/>"
              "<SpringLattice name='lattice' springs='@v.edges' volume='@v.volume' massDensity='2' "
              "shares='@v.shares'/></Node>");
  l = (const dvSpringLattice *)fd_find(&s, "lattice");
  double mass = 0;
  for (size_t i = 0; i < l->state->count; i++) mass += l->mass[i];
  check_close(mass / 2, 4.0 / 3 * acos(-1.0), 0.12);
  assert_true(l->lattice->grid);
  fd_close(&s);
}

static const char cube[] = "inputPosition='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' quads='0 3 2 1 4 5 6 7 0 1 "
                           "5 4 1 2 6 5 2 3 7 6 3 0 4 7'";

static void samples(void **state)
{
  DV_UNUSED(state);
  uint64_t hash[3];
  for (int i = 0; i < 3; i++) {
    char *text = dv_format(
        "<Node><SampledLattice name='v' %s count='400' seed='%d' neighbours='10'/><MechanicalObject name='dofs' "
        "position='@v.position'/><SpringLattice name='lattice' springs='@v.edges' volume='@v.volume' "
        "massDensity='10' youngModulus='100'/></Node>",
        cube, i == 1 ? 2 : 1);
    fdScene s = fd_open(text);
    hash[i] = dv_scene_hash(s.scene);
    const dvSpringLattice *l = (const dvSpringLattice *)fd_find(&s, "lattice");
    assert_int_equal(l->state->count, 400);
    double least = INFINITY, mass = 0;
    for (size_t a = 0; a < 400; a++) {
      mass += l->mass[a];
      for (int k = 0; k < 3; k++)
        assert_true(l->rest.data[3 * a + (size_t)k] >= 0 && l->rest.data[3 * a + (size_t)k] <= 1);
      for (size_t b = 0; b < a; b++) {
        double d = 0;
        for (size_t k = 0; k < 3; k++) d += pow(l->rest.data[3 * a + k] - l->rest.data[3 * b + k], 2);
        least = fmin(least, sqrt(d));
      }
    }
    check_close(mass, 10, 1e-9);
    assert_true(least > 0.6 * cbrt(1.0 / 400));   // random points: about 0.02 of it
    size_t *degree = dv_alloc(400 * sizeof *degree);
    for (size_t k = 0; k < l->springs.count; k++) degree[l->springs.data[k]]++;
    for (size_t k = 0; k < 400; k++) assert_true(degree[k] >= 10);
    dv_free(degree);
    fd_close(&s);
    dv_free(text);
  }
  assert_true(hash[0] == hash[2] && hash[0] != hash[1]);
}

// springs of a sampled lattice from Young's modulus: an affine strain has the energy of an isotropic solid of that
// modulus and Poisson's ratio 1/4, within what randomness and free surfaces leave
static void sampled_stiffness(void **state)
{
  DV_UNUSED(state);
  char *text = dv_format("<Node><SampledLattice name='v' %s count='3000' neighbours='14'/><MechanicalObject "
                         "name='dofs' position='@v.position'/>"
                         "<SpringLattice name='lattice' springs='@v.edges' volume='@v.volume' massDensity='1000' "
                         "youngModulus='1000' substeps='10'/></Node>",
                         cube);
  fdScene s = fd_open(text);
  const dvSpringLattice *l = (const dvSpringLattice *)fd_find(&s, "lattice");
  dvLatticeDef def = dv_spring_lattice_def(l);
  double e = 1e-3;
  for (int axis = 0; axis < 3; axis++) {
    double *p = dv_alloc(3 * def.points * sizeof *p);
    for (size_t i = 0; i < 3 * def.points; i++) p[i] = def.rest[i] * (i % 3 == (size_t)axis ? 1 + e : 1 - 0.25 * e);
    check_close(dv_lattice_energy(l->lattice, p, &def) / (0.5 * 1000 * e * e), 1, 0.05);
    dv_free(p);
  }
  fd_close(&s);
  dv_free(text);
}

// --- bad input ---

static void bad_input(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {
      "<SpringLattice/>",
      "<SpringLattice springs='0 5'/>",
      "<SpringLattice springs='0 0'/>",
      "<SpringLattice springs='0 1' lengths='1 2'/>",
      "<SpringLattice springs='0 1' lengths='0'/>",
      "<SpringLattice springs='0 1' weights='-1'/>",
      "<SpringLattice springs='0 1' vertexMass='0'/>",
      "<SpringLattice springs='0 1' massDensity='10'/>",
      "<SpringLattice springs='0 1 0 2' lengths='1 1' youngModulus='10'/>",
      "<SpringLattice springs='0 1' stiffness='-3'/>",
      "<SpringLattice springs='0 1' substeps='0'/>",
      "<SpringLattice springs='0 1' strict='1' stiffness='1e9'/>",
      "<SpringLattice springs='0 1'/><LatticeActuator indices='0 1' length='1 + sin('/>",
      "<SpringLattice springs='0 1'/><LatticeActuator indices='0 1' stiffness='k'/>",
      "<SpringLattice springs='0 1'/><LatticeContact/>",
      "<SpringLattice springs='0 1'/><LatticeGuide indices='0' kind='plane' axis='0 0 0'/>",
      "<SpringLattice springs='0 1'/><LatticeMotor body='0 1' wheel='1 2'/>",
      "<SpringLattice springs='0 1'/><LatticeMotor body='0 1 2' wheel='1 2 0' axis='0 9'/>",
      "<VoxelLattice inputPosition='0 0 0 1 0 0 0 1 0' triangles='0 1 2' name='v'/><SpringLattice springs='@v.edges'/>",
      "<VoxelLattice boxes='0 0 0 1 1 1' cell='0' name='v'/><SpringLattice springs='@v.edges'/>",
      "<VoxelLattice boxes='0 0 0 1 1 1' cell='1e-9' name='v'/><SpringLattice springs='@v.edges'/>",
      "<VoxelLattice boxes='1 0 0 0 1 1' cell='0.1' name='v'/><SpringLattice springs='@v.edges'/>",
      "<VoxelLattice name='v'/><SpringLattice springs='@v.edges'/>",
      "<SampledLattice name='v'/><SpringLattice springs='@v.edges'/>",
      "<SampledLattice name='v' count='-4'/><SpringLattice springs='@v.edges'/>",
  };
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text =
        dv_format("<Node><DefaultAnimationLoop/><MechanicalObject position='0 0 0 1 0 0 0 1 0'/>%s</Node>", bad[i]);
    if (!fd_fails(text)) fail_msg("%s is taken", bad[i]);
    dv_free(text);
  }
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 "
                       "1'/><SpringLattice springs='0 1'/></Node>"));
  assert_true(fd_fails("<Node><SpringLattice springs='0 1'/></Node>"));
}

// a change that does not work ends the run with a message, and nothing reads what is no longer there
static void bad_change(void **state)
{
  DV_UNUSED(state);
  fdScene f = fd_open("<Node dt='0.01'><DefaultAnimationLoop/><MechanicalObject name='dofs' position='0 0 0 1 0 0'/>"
                      "<SpringLattice name='lattice' springs='0 1' stiffness='100'/></Node>");
  dvObject *o = fd_find(&f, "lattice");
  assert_int_equal(dv_scene_step(f.scene, 0), DV_OK);
  f.context->log.threshold = DV_ERROR + 1;
  assert_int_equal(dv_object_set(o, "springs", "0 7"), DV_OK);
  assert_int_not_equal(o->cls->reinit(o), DV_OK);
  assert_int_not_equal(dv_scene_step(f.scene, 0), DV_OK);
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .k = 1};
  dv_spring_lattice_force.add_force(o, &m);
  dv_spring_lattice_force.add_dforce(o, &m);
  check_close(dv_spring_lattice_force.energy(o, &m) + dv_spring_lattice_mass.kinetic(o, DV_V), 0, 0);
  assert_int_equal(dv_object_set(o, "springs", "0 1"), DV_OK);
  assert_int_equal(o->cls->reinit(o), DV_OK);
  fd_close(&f);
}

// the longest stable step that is told: a bit shorter runs, half as long again does not
static void stable_step(void **state)
{
  DV_UNUSED(state);
  dvScene *s = block_scene("");
  double limit = ((dvSpringLattice *)check_find(s, "lattice"))->stepLimit;
  assert_true(limit > 1e-4 && limit < 1);
  check_close_scene(&s);
  // two equal masses: omega = sqrt(2 k / m), limit 2 / omega
  s = pair_scene("gravity='0 0 0'", "", "");
  check_close(((dvSpringLattice *)check_find(s, "lattice"))->stepLimit, 2 / sqrt(200), 1e-12);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slope),
      cmocka_unit_test(ball),
      cmocka_unit_test(starts_behind),
      cmocka_unit_test(terminal_velocity),
      cmocka_unit_test(guides),
      cmocka_unit_test(loads),
      cmocka_unit_test(decay),
      cmocka_unit_test(breaking),
      cmocka_unit_test(expansion),
      cmocka_unit_test(phases),
      cmocka_unit_test(regions),
      cmocka_unit_test(motor),
      cmocka_unit_test(voxels),
      cmocka_unit_test(samples),
      cmocka_unit_test(sampled_stiffness),
      cmocka_unit_test(bad_input),
      cmocka_unit_test(bad_change),
      cmocka_unit_test(stable_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
