// Robots in URDF: the period of a pendulum, where a six-axis arm has its links, masses of links that are held together,
// stops, and mistakes.
#include "support/check.h"
#include "support/scene.h"

#include "base/file.h"
#include "io/scene/scene_file.h"
#include "math/vec.h"
#include "mechanics/mechanics.h"

#include <string.h>

// what the log says
typedef struct Said {
  dvText all;
} Said;

static void hear(void *user, const dvMessage *m)
{
  dv_text_printf(&((Said *)user)->all, "%s: %s\n", m->level == DV_ERROR ? "error" : "other", m->text);
}

static dvScene *read_robot(const char *text, Said *said, dvContext **context)
{
  dvScene *s = NULL;
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear;
  c->log.user = said;
  dv_scene_parse(c, DIVAN_SOURCE_DIR "/scenes/robot/test.urdf", text, strlen(text), &s);
  if (s && c->log.worst == DV_OK) dv_scene_init(s);
  *context = c;
  return s;
}

static void close_robot(dvScene **s, dvContext **c, Said *said)
{
  dv_scene_destroy(s);
  dv_divan_destroy(c);
  dv_text_free(&said->all);
}

static dvState *state_of(dvScene *s, const char *path)
{
  return dv_state(dv_link_find(&s->root->base, path, DV_ROLE_STATE));
}

// small swings of a rod on a hinge: T = 2 pi sqrt((I + m l2) / (m g l))
static void a_pendulum_keeps_its_period(void **state)
{
  (void)state;
  static const char *const axes[] = {"0 1 0", "1 0 0", "0 -2 0"};   // the frame is turned in the third
  static const char *const turns[] = {"0 0 0", "0 0 0", "0 0 1.2"};
  static const double inertia[] = {0.04, 0.05, 0.04};
  for (int k = 0; k < 3; k++) {
    char *text = dv_format(
        "<robot name='p'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 -0.4'/><mass value='2'/>"
        "<inertia ixx='0.05' iyy='0.04' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='hinge' "
        "type='continuous'><parent link='base'/><child link='rod'/><origin xyz='0.3 0 1' rpy='%s'/><axis xyz='%s'/>"
        "</joint></robot>",
        turns[k], axes[k]);
    Said said = {0};
    dvContext *c;
    dvScene *s = read_robot(text, &said, &c);
    dv_free(text);
    assert_non_null(s);
    dvState *joints = state_of(s, "/p/joints");
    const double start = 0.02, dt = 5e-4;
    dv_state_write(joints, DV_X)[0] = start;
    dv_state_touch(joints, DV_X);
    double before = start, crossings[2] = {0};
    int found = 0;
    while (found < 2 && s->root->time < 5) {   // two passes downward through 0 are one period apart
      assert_int_equal(dv_scene_step(s, dt), DV_OK);
      double now = dv_state_read(joints, DV_X)[0];
      if (before > 0 && now <= 0) crossings[found++] = s->root->time - dt * now / (now - before);
      before = now;
    }
    double wanted = 2 * M_PI * sqrt((inertia[k] + 2 * 0.16) / (2 * 9.81 * 0.4));
    assert_int_equal(found, 2);
    check_close((crossings[1] - crossings[0]) / wanted, 1, 1e-3);
    close_robot(&s, &c, &said);
  }
}

// largest energy, which is 0 at the start, that a pair of rods has while it swings from the horizontal for two seconds
static double energy_gained(double dt)
{
  static const char text[] =
      "<robot name='d'><link name='base'/><link name='a'><inertial><origin xyz='0.5 0 0'/><mass value='1'/><inertia "
      "ixx='0.01' iyy='0.08' izz='0.08' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='b'><inertial><origin "
      "xyz='0.5 0 0'/><mass value='1'/><inertia ixx='0.01' iyy='0.08' izz='0.08' ixy='0' ixz='0' iyz='0'/></inertial>"
      "</link><joint name='j1' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/></joint>"
      "<joint name='j2' type='continuous'><parent link='a'/><child link='b'/><origin xyz='1 0 0'/><axis xyz='0 1 0'/>"
      "</joint></robot>";
  Said said = {0};
  dvContext *c;
  dvScene *s = read_robot(text, &said, &c);
  assert_non_null(s);
  double worst = 0, kinetic, potential, most = 0;
  for (int i = 0; i < (int)(2 / dt + 0.5); i++) {
    assert_int_equal(dv_scene_step(s, dt), DV_OK);
    dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = dt, .gravity = {0, 0, -9.81}};
    dv_mech_energy(s->plan, &m, &kinetic, &potential);
    worst = dv_max(worst, fabs(kinetic + potential));
    most = dv_max(most, kinetic);
  }
  assert_true(most > 10);   // J: it does swing
  close_robot(&s, &c, &said);
  return worst;
}

// what is left is the error of the integrator, of first order
static void a_double_pendulum_keeps_its_energy(void **state)
{
  (void)state;
  double coarse = energy_gained(1e-3), fine = energy_gained(2.5e-4);
  assert_true(coarse < 0.5);
  check_close(coarse / fine, 4, 0.4);
}

// --- forward kinematics --------------------------------------------------------------------------

static dvMat3 about(dvVec3 n, double angle)
{
  dvMat3 k = dv_mat3_skew(dv_vec3_normalise(n));
  return dv_mat3_add(dv_mat3_identity(),
                     dv_mat3_add(dv_mat3_scale(k, sin(angle)), dv_mat3_scale(dv_mat3_mul(k, k), 1 - cos(angle))));
}

typedef struct Joint {
  dvVec3 place, rpy, axis;
} Joint;

// the chain of scenes/robot/arm.urdf
static const Joint chain[6] = {
    {{0, 0, 0.1}, {0, 0, 0}, {0, 0, 1}},  {{0, 0, 0.12}, {0, 0.4, 0}, {0, 1, 0}}, {{0, 0, 0.4}, {0, 0.2, 0}, {0, 1, 0}},
    {{0.05, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {{0.3, 0, 0}, {0, 0, 0}, {0, 1, 0}},    {{0.04, 0, 0}, {0, 0, 0}, {1, 0, 0}},
};
// centres of mass in the links' frames; the last one of flange and tool together
static const dvVec3 centres[6] = {{0, 0, 0.06}, {0, 0, 0.2}, {0.05, 0, 0},
                                  {0.15, 0, 0}, {0, 0, 0},   {0.3 * 0.03 / 0.5 + 0.2 * 0.09 / 0.5, 0, 0}};

static void an_arm_has_its_links_where_they_belong(void **state)
{
  (void)state;
  static const double poses[3][6] = {
      {0, 0, 0, 0, 0, 0}, {0.3, -0.5, 0.7, 1.1, -0.4, 2.0}, {-2, 0.9, -1, -2.5, 1.5, -3}};
  dvContext *c = dv_divan_create(1);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_read(c, DIVAN_SOURCE_DIR "/scenes/robot/arm.urdf", &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  dvState *joints = state_of(s, "/arm/joints"), *bodies = state_of(s, "/arm/Bodies/bodies");
  assert_int_equal(joints->count, 6);
  assert_int_equal(bodies->count, 7);   // the tool is held fast
  for (int p = 0; p < 3; p++) {
    memcpy(dv_state_write(joints, DV_X), poses[p], sizeof poses[p]);
    dv_state_touch(joints, DV_X);
    const dvLoopOps *loop = dv_ops(s->loop, DV_ROLE_LOOP);
    loop->start(s->loop);
    dvMat3 r = dv_mat3_identity(), zero = r;
    dvVec3 at = {0};
    for (int j = 0; j < 6; j++) {
      dvMat3 turn = about((dvVec3){0, 1, 0}, chain[j].rpy.y);   // only pitches here
      at = dv_vec3_add(at, dv_mat3_mul_vec(r, chain[j].place));
      r = dv_mat3_mul(dv_mat3_mul(r, turn), about(chain[j].axis, poses[p][j]));
      zero = dv_mat3_mul(zero, turn);
      dvVec3 centre = dv_vec3_add(at, dv_mat3_mul_vec(r, centres[j]));
      const double *x = dv_state_read(bodies, DV_X) + 7 * (j + 1);
      check_close(x[0], centre.x, 1e-9);
      check_close(x[1], centre.y, 1e-9);
      check_close(x[2], centre.z, 1e-9);
      // the body's frame is turned as the world when the joints are at 0
      dvMat3 wanted = dv_mat3_mul_t(r, zero), has = dv_quat_to_matrix(dv_quat_load(x + 3));
      for (int k = 0; k < 9; k++) check_close(has.m[k / 3][k % 3], wanted.m[k / 3][k % 3], 1e-9);
    }
  }
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

// two balls on one rod that a fixed joint holds together, one of them with turned axes
static void links_that_are_held_together_are_one_body(void **state)
{
  (void)state;
  static const char text[] =
      "<robot name='r'><link name='base'/><link name='a'><inertial><origin xyz='1 0 0'/><mass value='2'/>"
      "<inertia ixx='0.1' iyy='0.2' izz='0.3' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='b'><inertial>"
      "<origin xyz='0 0 0' rpy='0 0 1.5707963267948966'/><mass value='1'/><inertia ixx='0.05' iyy='0.07' izz='0.1' "
      "ixy='0' "
      "ixz='0' iyz='0'/></inertial></link><joint name='j' type='prismatic'><parent link='base'/><child link='a'/>"
      "<axis xyz='0 0 1'/><limit lower='-1' upper='1'/></joint><joint name='f' type='fixed'><parent link='a'/>"
      "<child link='b'/><origin xyz='4 0 0'/></joint></robot>";
  Said said = {0};
  dvContext *c;
  dvScene *s = read_robot(text, &said, &c);
  assert_non_null(s);
  dvState *bodies = state_of(s, "/r/Bodies/bodies");
  assert_int_equal(bodies->count, 2);
  check_close(dv_state_read(bodies, DV_X)[7], 2, 1e-12);   // (2 * 1 + 1 * 4) / 3
  dvObject *mass = dv_node_find(bodies->base.node, DV_ROLE_MASS);
  const dvReals *m = dv_object_field(mass, "vertexMass")->value;
  assert_int_equal(m->count, 22);
  check_close(m->data[11], 3, 1e-12);
  const double reduced = 2.0 / 3 * 9;   // of the two at their distance, 3 m
  check_close(3 * m->data[13], 0.1 + 0.07, 1e-12);
  check_close(3 * m->data[17], 0.2 + 0.05 + reduced, 1e-12);
  check_close(3 * m->data[21], 0.3 + 0.1 + reduced, 1e-12);
  close_robot(&s, &c, &said);
}

// the arm falls until its joints are at their stops, and no further
static void joints_stay_within_their_limits(void **state)
{
  (void)state;
  static const double low[5] = {-2.9, -1.8, -1.5, -3, -2}, high[5] = {2.9, 1.2, 2.2, 3, 2};
  dvContext *c = dv_divan_create(1);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_read(c, DIVAN_SOURCE_DIR "/scenes/robot/arm.urdf", &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  dvState *joints = state_of(s, "/arm/joints");
  for (int i = 0; i < 300; i++) {
    assert_int_equal(dv_scene_step(s, 0), DV_OK);
    for (int k = 0; k < 5; k++) {
      double x = dv_state_read(joints, DV_X)[k];
      if (x < low[k] - 1e-6 || x > high[k] + 1e-6) fail_msg("joint %d is at %g in step %d", k, x, i);
    }
  }
  check_close(dv_state_read(joints, DV_X)[1], 1.2, 1e-6);   // it lies on the stop of the shoulder
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

// a floating joint has six coordinates: a body that falls freely
static void a_floating_joint_falls(void **state)
{
  (void)state;
  static const char text[] = "<robot name='r'><link name='base'/><link name='a'><inertial><mass value='2'/><inertia "
                             "ixx='0.1' iyy='0.2' izz='0.3' "
                             "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='floating'><parent "
                             "link='base'/><child link='a'/>"
                             "</joint></robot>";
  Said said = {0};
  dvContext *c;
  dvScene *s = read_robot(text, &said, &c);
  assert_non_null(s);
  for (int i = 0; i < 100; i++) assert_int_equal(dv_scene_step(s, 0.01), DV_OK);
  // implicit Euler: g dt2 n (n + 1) / 2
  check_close(dv_state_read(state_of(s, "/r/Bodies/bodies"), DV_X)[7 + 2], -9.81 * 1e-4 * 5050, 1e-6);
  assert_int_equal(state_of(s, "/r/joints")->count, 6);
  close_robot(&s, &c, &said);
}

static void mistakes_are_told(void **state)
{
  (void)state;
  static const struct {
    const char *text, *wanted;
    bool refused;
  } cases[] = {
      {"<robot name='r'/>", "no link", true},
      {"<robot><link name='a'/><link name='a'/></robot>", "two links 'a'", true},
      {"<robot><link/></robot>", "has no name", true},
      {"<robot><link name='a'/><link name='b'/></robot>", "neither link 'a' nor link 'b'", true},
      {"<robot><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='x'/></joint></robot>",
       "does not join two links", true},
      {"<robot><link name='a'/><link name='b'/><joint name='j' type='hinge'><parent link='a'/><child "
       "link='b'/></joint></robot>",
       "'hinge' is no type", true},
      {"<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
       "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
       "in a circle", true},
      {"<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
       "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
       "hangs on a second joint", true},
      {"<robot><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
       "<axis xyz='0 0 0'/></joint></robot>",
       "has no direction", true},
      {"<robot><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
       "<origin xyz='0 nan 0'/></joint></robot>",
       "three numbers", true},
      {"<robot xmlns:xacro='x'><xacro:macro name='m'/><link name='a'/></robot>", "xacro", true},
      {"<robot><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
       "</joint></robot>",
       "no limits", false},
      {"<robot><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
       "</joint></robot>",
       "moves and has no mass", false},
      {"<robot><link name='a'><visual><geometry><mesh "
       "filename='package://x/none.stl'/></geometry></visual></link></robot>",
       "is not found", false},
      {"<robot><link name='a'><inertial><mass value='1'/><inertia ixx='-1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
       "</inertial></link></robot>",
       "not that of a body", false},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Said said = {0};
    dvContext *c;
    dvScene *s = read_robot(cases[i].text, &said, &c);
    if (!said.all.text || !strstr(said.all.text, cases[i].wanted))
      fail_msg("%s: '%s'", cases[i].text, said.all.text ? said.all.text : "");
    if ((c->log.worst != DV_OK) != cases[i].refused)
      fail_msg("%s: status %d\n%s", cases[i].text, c->log.worst, said.all.text);
    if (!cases[i].refused) assert_int_equal(dv_scene_step(s, 0), DV_OK);
    close_robot(&s, &c, &said);
  }
}

// meshes are found beside the robot and above it, scaled and turned
static void meshes_are_found(void **state)
{
  (void)state;
  char *folder = check_mkdir(), *inside = dv_path_join(folder, "robots");
  assert_true(dv_make_directories(inside));
  char *mesh = check_write(folder, "part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
       *robot = check_write(
           inside, "r.urdf",
           "<robot name='r'><link name='a'><visual><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><geometry><mesh "
           "filename='package://things/part.obj' scale='2 2 2'/></geometry></visual><visual><geometry><mesh "
           "filename='other.dae'/></geometry></visual></link></robot>"),
       *dae = check_write(inside, "other.dae", "<COLLADA/>");
  Said said = {0};
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear, c->log.user = &said;
  dvScene *s = NULL;
  assert_int_equal(dv_scene_read(c, robot, &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  assert_non_null(strstr(said.all.text, "'.dae' are not read"));
  const double *x =
      dv_state_read(dv_state(dv_link_find(&s->root->base, "/r/Bodies/a-visual0/look", DV_ROLE_ANY)), DV_X);
  const double wanted[9] = {1, 2, 3, 1, 4, 3, -1, 2, 3};
  for (int i = 0; i < 9; i++) check_close(x[i], wanted[i], 1e-9);
  close_robot(&s, &c, &said);
  dv_free(mesh), dv_free(robot), dv_free(dae), dv_free(inside);
  check_rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_keeps_its_period),
      cmocka_unit_test(a_double_pendulum_keeps_its_energy),
      cmocka_unit_test(an_arm_has_its_links_where_they_belong),
      cmocka_unit_test(links_that_are_held_together_are_one_body),
      cmocka_unit_test(joints_stay_within_their_limits),
      cmocka_unit_test(a_floating_joint_falls),
      cmocka_unit_test(mistakes_are_told),
      cmocka_unit_test(meshes_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
