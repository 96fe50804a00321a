// RigidMapping against closed forms and finite differences.
#include "math/vec.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

static const double half = 0.70710678118654752;   // a quarter turn about z is (0, 0, half, half)

static dvScene *open_turned(const char *options)
{
  char *text =
      dv_format("<Node><MechanicalObject name='frame' template='Rigid3' position='1 2 3 0 0 %.17g %.17g  0 0 0 0 0 0 1'"
                " velocity='1 0 0 0 0 2  0 0 0 0 0 0'/><Node name='child'><MechanicalObject name='points' position='1 "
                "0 0  0 0 4'/>"
                "<RigidMapping name='map' %s/></Node></Node>",
                half, half, options);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void check_points(dvScene *s, int id, const double *wanted, size_t n)
{
  for (size_t i = 0; i < n; i++) check_close(check_value(s, "child/points", id, i), wanted[i], 1e-12);
}

static void test_positions_and_velocities(void **state)
{
  (void)state;
  dvScene *s = open_turned("");
  check_points(s, DV_X, (double[]){1, 3, 3, 1, 2, 7}, 6);    // (1,0,0) turns to (0,1,0)
  check_points(s, DV_V, (double[]){-1, 0, 0, 1, 0, 0}, 6);   // v + w x r = (1,0,0) + 2 z x y
  check_close_scene(&s);
}

static void test_forces(void **state)
{
  (void)state;
  dvScene *s = open_turned("");
  dvObject *map = check_find(s, "child/map");
  dvState *points = dv_state(check_find(s, "child/points")), *frame = dv_state(check_find(s, "frame"));
  double f[6] = {1, 0, 0, 0, 5, 0}, wanted[6] = {1, 5, 0, -20, 0, -1};   // r x f: y x x = -z; 4z x 5y = -20x
  memcpy(dv_state_write(points, DV_F), f, sizeof f);
  memset(dv_state_write(frame, DV_F), 0, 12 * sizeof(double));
  ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply_jt(map, DV_F, DV_F);
  for (int i = 0; i < 6; i++) check_close(dv_state_read(frame, DV_F)[i], wanted[i], 1e-12);
  check_close_scene(&s);
}

static void test_which_frame(void **state)
{
  (void)state;
  dvScene *s = open_turned("index='1'");
  check_points(s, DV_X, (double[]){1, 0, 0, 0, 0, 4}, 6);
  check_close_scene(&s);
  s = open_turned("rigidIndexPerPoint='1 0'");
  check_points(s, DV_X, (double[]){1, 0, 0, 1, 2, 7}, 6);
  check_close_scene(&s);
  s = open_turned("repartition='1 1'");
  check_points(s, DV_X, (double[]){1, 3, 3, 0, 0, 4}, 6);
  check_close_scene(&s);
  s = open_turned("index='0' indexFromEnd='1'");
  check_points(s, DV_X, (double[]){1, 0, 0, 0, 0, 4}, 6);
  check_close_scene(&s);
}

static void test_where_points_come_from(void **state)
{
  (void)state;
  dvScene *s = open_turned("globalToLocalCoords='1'");   // they stay where they are
  check_points(s, DV_X, (double[]){1, 0, 0, 0, 0, 4}, 6);
  check_close_scene(&s);
  s = open_turned("initialPoints='2 0 0'");
  assert_int_equal(dv_state(check_find(s, "child/points"))->count, 1);
  check_points(s, DV_X, (double[]){1, 4, 3}, 3);
  check_close_scene(&s);
  s = open_turned("useX0='1'");
  check_points(s, DV_X, (double[]){1, 3, 3, 1, 2, 7}, 6);
  check_close_scene(&s);
}

static void test_file(void **state)
{
  (void)state;
  char *directory = check_mkdir();
  char *file = check_write(directory, "three.obj", "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
  char *options = dv_format("fileRigidMapping='%s'", file);
  dvScene *s = open_turned(options);
  assert_int_equal(dv_state(check_find(s, "child/points"))->count, 3);
  check_points(s, DV_X, (double[]){1, 3, 3, 0, 2, 3, 1, 2, 4}, 9);
  check_close_scene(&s);
  dv_free(options);
  dv_free(file);
  check_rmdir(directory);
}

static void check_differences(const char *in, const char *in_position, const char *out, const char *out_position,
                              const char *options)
{
  char *text = dv_format(
      "<Node><MechanicalObject name='frame' template='%s' position='%s'/><Node name='child'>"
      "<MechanicalObject name='points' template='%s' position='%s'/><RigidMapping name='map' %s/></Node></Node>",
      in, in_position, out, out_position, options);
  fdScene s = fd_open(text);
  fdOptions o = fd_options();
  o.move_x = 0.5;
  if (!strstr(options, "Exact")) o.checks &= ~(unsigned)FD_GEOMETRIC;   // only `Exact` is the derivative
  if (!fd_check_mapping(fd_find(&s, "map"), &o)) {
    print_error("from %s to %s, %s\n", in, out, options);
    fail();
  }
  fd_close(&s);
  dv_free(text);
}

static void test_differences(void **state)
{
  (void)state;
  const char *frames = "1 2 3 0 0 0 1  0 1 0 0.5 0.5 0.5 0.5", *points = "1 0 0  0 2 0  1 1 1";
  check_differences("Rigid3", frames, "Vec3", points, "rigidIndexPerPoint='0 1 1'");
  check_differences("Rigid3", frames, "Vec3", points, "rigidIndexPerPoint='0 1 1' geometricStiffness='Exact'");
  check_differences("Rigid3", frames, "Rigid3", "1 0 0 0 0 0 1  0 2 0 0.5 0.5 0.5 0.5", "rigidIndexPerPoint='0 1'");
  check_differences("Rigid2", "1 2 0.3", "Vec2", "1 0  2 1", "");
  check_differences("Rigid2", "1 2 0.3", "Vec2", "1 0  2 1", "geometricStiffness='Exact'");
}

// the stabilised stiffness is symmetric and never pushes: dx . K dx <= 0; a pendulum that hangs has the exact one
static void test_stabilised(void **state)
{
  (void)state;
  dvScene *s =
      check_scene("<Node><MechanicalObject name='frame' template='Rigid3' position='0 0 0 0 0 0 1'/><Node name='child'>"
                  "<MechanicalObject name='points' position='0 -2 0'/><RigidMapping name='map' "
                  "geometricStiffness='Stabilized'/></Node></Node>",
                  1);
  dvObject *map = check_find(s, "child/map");
  const dvMappingOps *ops = dv_ops(map, DV_ROLE_MAPPING);
  dvState *points = dv_state(check_find(s, "child/points")), *frame = dv_state(check_find(s, "frame"));
  dvMech m = {.k = 1};
  double k[2][3][3];
  for (int side = 0; side < 2; side++) {
    memcpy(dv_state_write(points, DV_F), (double[3]){0, side ? 3 : -3, 0}, 3 * sizeof(double));
    for (int j = 0; j < 3; j++) {
      memset(dv_state_write(frame, DV_DX), 0, 6 * sizeof(double));
      dv_state_write(frame, DV_DX)[3 + j] = 1;
      memset(dv_state_write(frame, DV_DF), 0, 6 * sizeof(double));
      ops->apply_djt(map, &m, DV_DF, DV_DX, DV_F);
      for (int i = 0; i < 3; i++) k[side][i][j] = dv_state_read(frame, DV_DF)[3 + i];
    }
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      check_close(k[0][i][j], i == j && i != 1 ? -6 : 0, 1e-12);   // hangs: -f.r about x and z
      check_close(k[1][i][j], 0, 1e-12);                           // stands: nothing is left
    }
  check_close_scene(&s);
}

static void test_mistakes(void **state)
{
  (void)state;
  const char *bad[] = {"index='2'", "index='-1'", "rigidIndexPerPoint='0 5'", "initialPoints='1 2'",
                       "filename='nowhere.obj'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    dvContext *c = dv_divan_create(1);
    c->log.sink = NULL;   // the messages are expected
    dvScene *scene = NULL;
    char *text = dv_format("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 0 0 0 0 0 0 "
                           "1'/><Node><MechanicalObject position='0 0 0 1 1 1'/>"
                           "<RigidMapping %s/></Node></Node>",
                           bad[i]);
    assert_int_equal(dv_scene_parse(c, "test", text, strlen(text), &scene), DV_OK);
    assert_int_equal(dv_scene_init(scene), DV_ERROR_INPUT);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&c);
    dv_free(text);
  }
}

// bones that joint springs hold together at frames mapped from them: a pendulum that swings about the y axes of its
// joints, within their limits
static void test_pendulum(void **state)
{
  (void)state;
#define JOINT(a, b)                                                                                                   \
  "BEGIN_SPRING " #a " " #b " FREE_AXIS 0 0 0 0 1 0 KS_T 0.0 30000.0 KS_R 0.0 200000.0 KS_B 2000.0 KD 1.0 R_LIM_X 0 " \
  "0 R_LIM_Y -1 1 R_LIM_Z 0 0 END_SPRING "
  dvScene *s =
      check_scene("<Node gravity='0 0 -9.81' dt='0.01'><DefaultAnimationLoop/><Node "
                  "name='b'><EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-9' threshold='1e-15'/>"
                  "<MechanicalObject name='bones' template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  3 0 0 0 0 "
                  "0 1'/><UniformMass vertexMass='1 1 [1 0 0,0 1 0,0 0 1]'/>"
                  "<FixedProjectiveConstraint indices='0'/><Node name='j'><MechanicalObject name='joints' "
                  "template='Rigid3' position='0 0 0 0 0 0 1 -1 0 0 0 0 0 1 1 0 0 0 0 0 1 -1 0 0 0 0 0 1'/>"
                  "<RigidMapping repartition='1 2 1'/><JointSpringForceField spring='" JOINT(0, 1)
                      JOINT(2, 3) "'/></Node></Node></Node>",
                  1);
  double most = 0;
  for (int i = 0; i < 150; i++) {
    check_steps(s, 2);
    const double *x = dv_state_read(dv_state(check_find(s, "b/j/joints")), DV_X);
    for (int k = 0; k < 4; k += 2) {
      const double *a = x + 7 * k, *b = a + 7;
      dvVec3 turn =
          dv_quat_to_rotation_vector(dv_quat_mul(dv_quat_conjugate(dv_quat_load(a + 3)), dv_quat_load(b + 3)));
      check_close(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(a), dv_vec3_load(b))), 0, 0.01);
      check_close(turn.x, 0, 1e-3);
      check_close(turn.z, 0, 1e-3);
      check_close(turn.y, 0, 1.25);   // limits are springs: a fall of 40 J bends one by 0.2
      most = fmax(most, fabs(turn.y));
    }
  }
  assert_true(most > 0.9);   // it reaches them
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_positions_and_velocities),
      cmocka_unit_test(test_forces),
      cmocka_unit_test(test_which_frame),
      cmocka_unit_test(test_where_points_come_from),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_differences),
      cmocka_unit_test(test_stabilised),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_pendulum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
