// Distance fields: exact at the points of the grid and within half a cell between them, the same for any number of
// threads, kept beside the mesh; forces without jumps; what rests on them rests.
#include "base/file.h"
#include "collision/collision.h"
#include "object/context.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"
#include "topology/search/distance_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AROUND = 48, UP = 24, POINTS = AROUND * (UP - 1) + 2, TRIANGLES = 2 * AROUND * (UP - 1), N = 24 };

// a ball of radius 1, of triangles that look outwards
typedef struct Ball {
  double x[3 * POINTS];
  int32_t triangles[3 * TRIANGLES];
} Ball;

static int32_t ball_point(int ring, int k)
{
  return ring == 0 ? 0 : ring == UP ? POINTS - 1 : 1 + (ring - 1) * AROUND + (k + AROUND) % AROUND;
}

static void make_ball(Ball *b)
{
  size_t n = 0;
  for (int r = 0; r <= UP; r++)
    for (int k = 0; k < (r % UP ? AROUND : 1); k++) {
      double *p = b->x + 3 * ball_point(r, k), up = M_PI * r / UP, turn = 2 * M_PI * k / AROUND;
      p[0] = sin(up) * cos(turn), p[1] = sin(up) * sin(turn), p[2] = cos(up);
    }
  for (int r = 0; r < UP; r++)
    for (int k = 0; k < AROUND; k++) {
      int32_t c[4] = {ball_point(r, k), ball_point(r + 1, k), ball_point(r + 1, k + 1), ball_point(r, k + 1)};
      const int32_t both[6] = {c[0], c[1], c[2], c[0], c[2], c[3]};
      for (int t = 0; t < 2; t++) {
        if ((r == 0 && t == 1) || (r == UP - 1 && t == 0)) continue;   // without area
        memcpy(b->triangles + n, both + 3 * t, 3 * sizeof(int32_t));
        n += 3;
      }
    }
  assert_int_equal(n, 3 * TRIANGLES);
}

static double random_number(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static void measure_ball(dvDistanceGrid *g, dvPool *pool, const Ball *b, bool march)
{
  const int n[3] = {N, N, N};
  assert_true(dv_distance_grid_lay(g, n, dv_vec3(-1.3, -1.3, -1.3), dv_vec3(1.3, 1.3, 1.3)));
  dvDistanceMesh mesh = {b->x, POINTS, b->triangles, TRIANGLES};
  assert_true(march ? dv_distance_grid_march(g, mesh) : dv_distance_grid_measure(g, pool, mesh));
}

// the polyhedron lies within 1 - cos(pi/48) + 1 - cos(pi/48) of the ball
static void a_ball(void **state)
{
  DV_UNUSED(state);
  static Ball b;
  make_ball(&b);
  dvDistanceGrid g = {0}, other = {0};
  dvPool *one = dv_pool_create(1), *three = dv_pool_create(3);
  measure_ball(&g, one, &b, false);
  measure_ball(&other, three, &b, false);
  assert_memory_equal(g.values.data, other.values.data, g.values.count * sizeof(double));
  uint64_t seed = 3;
  for (int i = 0; i < 20000; i++) {
    dvVec3 p =
        dv_vec3(2.4 * random_number(&seed) - 1.2, 2.4 * random_number(&seed) - 1.2, 2.4 * random_number(&seed) - 1.2);
    double right = dv_vec3_norm(p) - 1;
    if (fabs(dv_distance_at(&g, p) - right) > 0.5 * g.cell[0])
      fail_msg("at %g %g %g: %g instead of %g", p.x, p.y, p.z, dv_distance_at(&g, p), right);
    if (fabs(right) > 0.3) continue;
    dvVec3 slope = dv_distance_slope(&g, p);
    assert_true(dv_vec3_dot(slope, dv_vec3_normalise(p)) > 0.95);
  }
  dv_distance_grid_free(&g);
  dv_distance_grid_free(&other);
  dv_pool_destroy(&one);
  dv_pool_destroy(&three);
}

// from one cell to the next neither distance nor slope jumps
static void no_jumps(void **state)
{
  DV_UNUSED(state);
  static Ball b;
  make_ball(&b);
  dvDistanceGrid g = {0};
  dvPool *pool = dv_pool_create(1);
  measure_ball(&g, pool, &b, false);
  for (int i = 1; i < N - 1; i++) {
    dvVec3 at = dv_distance_grid_point(&g, i, 11, 7), left = at, right = at;
    at.y += 0.3 * g.cell[1], at.z += 0.6 * g.cell[2];
    left = right = at;
    left.x -= 1e-9, right.x += 1e-9;
    check_close(dv_distance_at(&g, left), dv_distance_at(&g, right), 1e-8);
    dvVec3 jump = dv_vec3_sub(dv_distance_slope(&g, left), dv_distance_slope(&g, right));
    assert_true(dv_vec3_norm(jump) < 1e-6);
  }
  dv_distance_grid_free(&g);
  dv_pool_destroy(&pool);
}

// as SOFA: the right side, hardly too short, and up to sqrt(3) times too long
static void marched(void **state)
{
  DV_UNUSED(state);
  static Ball b;
  make_ball(&b);
  dvDistanceGrid g = {0};
  measure_ball(&g, NULL, &b, true);
  for (int i = 0; i < N * N * N; i++) {
    dvVec3 p = dv_distance_grid_point(&g, i % N, i / N % N, i / (N * N));
    double right = dv_vec3_norm(p) - 1, d = g.values.data[i];
    if (fabs(right) > 0.01) assert_true((d < 0) == (right < 0));
    if (!(fabs(d) > fabs(right) - 0.5 * g.cell[0] && fabs(d) < 1.8 * fabs(right) + 2 * g.cell[0]))
      fail_msg("point %d: %g instead of %g", i, d, right);
  }
  dv_distance_grid_free(&g);
}

// --- components ----------------------------------------------------------------------------------

static void derivatives(void **state)
{
  DV_UNUSED(state);
  static const char *const forces[] = {
      "<DistanceGridForceField name='ff' filename='#cube' scale='2' nx='21' ny='21' nz='21' damping='0'/>",
      "<DistanceGridForceField name='ff' filename='#cube' scale='2' nx='21' ny='21' nz='21' damping='0' "
      "stiffnessOut='30'/>"};
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    char *text = dv_format(
        "<Node><MechanicalObject name='dofs' position='1.7 0.1 0.2  0.1 -1.6 0.3  0.2 0.1 2.2'/>%s</Node>", forces[i]);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY;
    o.move_x = 0.02;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
}

// k depth = m g
static void a_point_rests(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.01' gravity='0 -10 0'><EulerImplicitSolver rayleighMass='3'/>"
                           "<CGLinearSolver iterations='20' tolerance='1e-12' threshold='1e-20'/>"
                           "<MechanicalObject name='x' position='0.1 1.1 0'/><UniformMass totalMass='2'/>"
                           "<DistanceGridForceField filename='#cube' stiffnessIn='500'/></Node>",
                           1);
  check_steps(s, 2000);
  check_close(check_value(s, "x", DV_X, 1), 1 - 2 * 10 / 500.0, 1e-6);
  check_close_scene(&s);
}

static const char head[] = "<DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                           "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/><CollisionResponse/>";

static void check_rests(const char *name, const char *ground, double height)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 -10 0'>%s%s<Node name='ball'><EulerImplicitSolver rayleighMass='5'/>"
      "<CGLinearSolver iterations='20' tolerance='1e-12' threshold='1e-20'/><MechanicalObject name='x' position='0.1 "
      "%g "
      "0.05'/><UniformMass totalMass='1'/><SphereCollisionModel radius='0.2' contactStiffness='20'/></Node></Node>",
      head, ground, height + 0.35);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1500);
  double d = 0.1 + 0.2, k = 20 * 20 / d, rest = height + d - 10 / k, got = check_value(s, "ball/x", DV_X, 1);
  if (fabs(got - rest) > 0.01) fail_msg("on %s the ball rests at %g instead of %g", name, got, rest);
  assert_int_equal(dv_scene_contacts(s), 1);
  check_close_scene(&s);
  dv_free(text);
}

static void a_ball_rests(void **state)
{
  DV_UNUSED(state);
  check_rests("a frame",
              "<Node><MechanicalObject template='Rigid3' position='0 0.5 0 0 0 0.7071067811865476 0.7071067811865476'/>"
              "<RigidDistanceGridCollisionModel filename='#cube' nx='31' ny='31' nz='31' simulated='0' "
              "contactStiffness='20'/></Node>",
              1.5);
  // without a frame the surface stands where its file has it, wherever the points of its state are
  check_rests("points",
              "<Node><MechanicalObject name='points' position='3 4 5  6 7 8'/>"
              "<RigidDistanceGridCollisionModel filename='#cube' nx='31' ny='31' nz='31' translation='0 0.25 0' "
              "contactStiffness='20'/></Node>",
              1.25);
  // without a state too, below a node without one
  check_rests("nothing",
              "<Node><Node><RigidDistanceGridCollisionModel filename='#cube' nx='31' ny='31' nz='31' "
              "translation='0 0.25 0' contactStiffness='20'/></Node></Node>",
              1.25);
  // cells stretched to twice their height
  check_rests("cells",
              "<Node><RegularGridTopology name='grid' n='4 4 4' min='-1.3 -1.3 -1.3' max='1.3 1.3 1.3'/>"
              "<MechanicalObject template='Vec3' rest_position='@grid.position' scale3d='1 2 1'/>"
              "<FFDDistanceGridCollisionModel filename='#cube' nx='31' ny='31' nz='31' simulated='0' "
              "contactStiffness='20'/></Node>",
              2);
}

// An obstacle without a state, and contacts by multipliers: a ball comes to rest on it and is carried; pushed aside
// with less than friction allows it stays, with more it slides as Coulomb says. A reset repeats it.
static void an_obstacle_carries(void **state)
{
  DV_UNUSED(state);
  static const double pushes[] = {3, 7};
  for (size_t i = 0; i < DV_COUNT(pushes); i++) {
    char *text = dv_format(
        "<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='solver' "
        "tolerance='1e-12' maxIterations='1000' "
        "computeConstraintForces='1'/><CollisionPipeline/><BruteForceBroadPhase/>"
        "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.2' contactDistance='0.05'/><CollisionResponse "
        "response='FrictionContactConstraint' responseParams='mu=0.5'/>"
        "<Node name='wall'><RigidDistanceGridCollisionModel name='field' filename='#cube' scale='4' nx='21' ny='21' "
        "nz='21'/></Node>"
        "<Node name='ball'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
        "<MechanicalObject name='x' position='0.1 4.3 0.05'/><UniformMass totalMass='1'/>"
        "<ConstantForceField indices='0' forces='%g 0 0'/><SphereCollisionModel radius='0.2'/>"
        "<LinearSolverConstraintCorrection/></Node></Node>",
        pushes[i]);
    dvScene *s = check_scene(text, 1);
    assert_int_equal(dv_node_state_up(check_find(s, "wall/field")->node) != NULL, false);
    double x[2][2];
    for (int run = 0; run < 2; run++) {
      check_steps(s, 50);
      double before = check_value(s, "ball/x", DV_X, 0), speed = check_value(s, "ball/x", DV_V, 0);
      check_steps(s, 20);
      assert_int_equal(dv_scene_contacts(s), 1);
      check_close(check_value(s, "ball/x", DV_X, 1), 4 + 0.2 + 0.05, 1e-6);
      double gained = check_value(s, "ball/x", DV_V, 0) - speed;
      check_close(gained, pushes[i] > 5 ? (pushes[i] - 0.5 * 10) * 0.2 : 0, 1e-6);
      if (pushes[i] < 5) check_close(check_value(s, "ball/x", DV_X, 0), before, 1e-9);
      x[run][0] = check_value(s, "ball/x", DV_X, 0), x[run][1] = check_value(s, "ball/x", DV_X, 1);
      dv_scene_reset(s);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    check_close_scene(&s);
    dv_free(text);
  }
}

static const char *const cube_obj =
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

static size_t write_mesh(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return strlen(text);
}

// a large grid is written beside the mesh, and read again
static void kept(void **state)
{
  DV_UNUSED(state);
  char directory[] = "/tmp/divan-distances-XXXXXX";
  assert_non_null(mkdtemp(directory));
  char *mesh = dv_path_join(directory, "cube.obj"), *file = dv_format("%s.120x110x100.distances", mesh);
  write_mesh(mesh, cube_obj);
  char *text = dv_format("<Node dt='0.01'><EulerExplicitSolver/><MechanicalObject name='x' position='0.1 0.9 0'/>"
                         "<UniformMass totalMass='2'/><DistanceGridForceField filename='%s' nx='120' ny='110' nz='100' "
                         "stiffnessArea='0'/></Node>",
                         mesh);
  double x[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(dv_file_exists(file), i == 1);
    dvScene *s = check_scene(text, 2);
    check_steps(s, 20);
    x[i] = check_value(s, "x", DV_X, 1);
    check_close_scene(&s);
  }
  assert_true(x[0] == x[1] && x[0] != 0.9);
  unlink(file);
  unlink(mesh);
  rmdir(directory);
  dv_free(text);
  dv_free(file);
  dv_free(mesh);
}

// --- rays ------------------------------------------------------------------------------------------

enum { RAYS = 400 };

// where a line from `a` along `d` enters a cube of half side `half`, and how far that is from the edges; below 0:
// nowhere
static double enters(const double a[3], const double d[3], double half, double *from_edges)
{
  double in = 0, out = INFINITY;
  for (int k = 0; k < 3; k++) {
    double t[2] = {(-half - a[k]) / d[k], (half - a[k]) / d[k]};
    in = dv_max(in, dv_min(t[0], t[1]));
    out = dv_min(out, dv_max(t[0], t[1]));
  }
  *from_edges = half;
  int on = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(fabs(a[k] + in * d[k]) - half) < fabs(fabs(a[on] + in * d[on]) - half)) on = k;
  for (int k = 0; k < 3; k++)
    if (k != on) *from_edges = dv_min(*from_edges, half - fabs(a[k] + in * d[k]));
  return in < out ? in : -1;
}

static void check_rays(const char *body)
{
  dvText at = {0}, along = {0};
  static double from[RAYS][3], towards[RAYS][3];
  uint64_t seed = 7;
  for (int i = 0; i < RAYS; i++) {
    double length = 0, size = 0;
    for (int k = 0; k < 3; k++) from[i][k] = random_number(&seed) - 0.5, size += from[i][k] * from[i][k];
    for (int k = 0; k < 3; k++) {
      from[i][k] *= 3 / sqrt(size);
      towards[i][k] = 1.8 * (random_number(&seed) - 0.5) - from[i][k];   // most pass through
      length += towards[i][k] * towards[i][k];
    }
    for (int k = 0; k < 3; k++) towards[i][k] /= sqrt(length);
    dv_text_printf(&at, "%.17g %.17g %.17g ", from[i][0], from[i][1], from[i][2]);
    dv_text_printf(&along, "%.17g %.17g %.17g ", towards[i][0], towards[i][1], towards[i][2]);
  }
  char *text = dv_format("<Node><CollisionPipeline/><BruteForceDetection/><DiscreteIntersection/><CollisionResponse "
                         "response='nullptr'/><Node><MechanicalObject position='%s'/><RayCollisionModel "
                         "defaultLength='6' direction='%s'/></Node>%s</Node>",
                         at.text, along.text, body);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1);
  static double hit[RAYS], inward[RAYS];
  for (int i = 0; i < RAYS; i++) hit[i] = -1;
  dvTouch t;
  assert_true(dv_scene_touch(s, 0, &t));
  assert_int_equal(t.model[0]->shape, DV_SHAPE_RAY);
  for (size_t n = 0; n < t.count; n++) {
    const dvContact *c = &t.contacts[n];
    int32_t i = c->element[0];
    double way = 0;
    for (int k = 0; k < 3; k++) way += (c->point[0][k] - from[i][k]) * towards[i][k];
    if (hit[i] >= 0 && way >= hit[i]) continue;
    hit[i] = way, inward[i] = 0;   // the normal looks from the ray into the body
    for (int k = 0; k < 3; k++) inward[i] += c->normal[k] * towards[i][k];
  }
  const double cell = 3.2 / 31;
  int clear = 0;
  for (int i = 0; i < RAYS; i++) {
    double edge, expected = enters(from[i], towards[i], 1, &edge);
    if (expected < 0 && hit[i] < 0) continue;
    if (expected >= 0 && edge > 1.5 * cell) {
      check_close(hit[i], expected, 1e-9);
      assert_true(inward[i] > 0);
      clear++;
    } else if (edge > 0.5 * cell) check_close(hit[i], expected, cell);   // edges are round
  }
  assert_true(clear > RAYS / 2);
  check_close_scene(&s);
  dv_free(text);
  dv_text_free(&at);
  dv_text_free(&along);
}

static void rays_enter(void **state)
{
  DV_UNUSED(state);
#define CUBE "filename='#cube' nx='32' ny='32' nz='32' simulated='0'/></Node>"
  check_rays("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/><DistanceGrid " CUBE);
  check_rays("<Node><RegularGridTopology n='4 4 4' min='-1.6 -1.6 -1.6' max='1.6 1.6 1.6'/><MechanicalObject/>"
             "<FFDDistanceGrid " CUBE);
}

// one that starts inside comes out
static void a_ray_leaves(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><CollisionPipeline/><BruteForceDetection/><DiscreteIntersection/><CollisionResponse "
                           "response='nullptr'/><Node><MechanicalObject position='0.1 0 0.2'/><RayCollisionModel "
                           "defaultLength='5' direction='0 1 0'/></Node><Node><MechanicalObject template='Rigid3' "
                           "position='0 0 0 0 0 0 1'/><DistanceGrid " CUBE "</Node>",
                           1);
  check_steps(s, 1);
  dvTouch t;
  assert_true(dv_scene_touch(s, 0, &t));
  assert_int_equal(t.count, 1);
  check_close(t.contacts[0].point[0][1], 1, 1e-9);
  check_close(t.contacts[0].normal[1], -1, 1e-9);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball),
      cmocka_unit_test(no_jumps),
      cmocka_unit_test(marched),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(a_point_rests),
      cmocka_unit_test(a_ball_rests),
      cmocka_unit_test(an_obstacle_carries),
      cmocka_unit_test(kept),
      cmocka_unit_test(rays_enter),
      cmocka_unit_test(a_ray_leaves),
  };
  return cmocka_run_group_tests_name("collision.distance", tests, NULL, NULL);
}
