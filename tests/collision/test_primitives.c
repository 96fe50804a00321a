// Nearest points of primitives against the least distance over all pairs of their faces, with flat, parallel and
// touching ones among them.
#include "base/random.h"
#include "collision/collision.h"
#include "collision/register.h"
#include "math/vec.h"
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

// --- all faces ---------------------------------------------------------------------------------------

// Solves m z = r by elimination with pivots from anywhere; false when m is singular.
static bool solve(double m[4][5], int n)
{
  int column[4] = {0, 1, 2, 3};
  for (int k = 0; k < n; k++) {
    int row = k, col = k;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (fabs(m[i][j]) > fabs(m[row][col])) row = i, col = j;
    if (!(fabs(m[row][col]) > 1e-13)) return false;
    for (int j = 0; j <= n; j++) {
      double swap = m[k][j];
      m[k][j] = m[row][j], m[row][j] = swap;
    }
    for (int i = 0; i < n; i++) {
      double swap = m[i][k];
      m[i][k] = m[i][col], m[i][col] = swap;
    }
    int swap = column[k];
    column[k] = column[col], column[col] = swap;
    for (int i = 0; i < n; i++) {
      double f = i == k ? 0 : m[i][k] / m[k][k];
      for (int j = k; j <= n; j++) m[i][j] -= f * m[k][j];
    }
  }
  double z[4];
  for (int k = 0; k < n; k++) z[column[k]] = m[k][n] / m[k][k];
  for (int k = 0; k < n; k++) m[k][n] = z[k];
  return true;
}

// the distance of the planes, lines or points through some corners, INFINITY where it is not inside of both
static double between(const dvVec3 *a, int n, const dvVec3 *b, int m)
{
  dvVec3 way[4], d = dv_vec3_sub(a[0], b[0]);
  int count = n + m - 2;
  double g[4][5], in_a = 1, in_b = 1;
  for (int i = 1; i < n; i++) way[i - 1] = dv_vec3_sub(a[i], a[0]);
  for (int i = 1; i < m; i++) way[n + i - 2] = dv_vec3_sub(b[0], b[i]);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) g[i][j] = dv_vec3_dot(way[i], way[j]);
    g[i][count] = -dv_vec3_dot(way[i], d);
  }
  if (!solve(g, count)) return INFINITY;
  for (int i = 0; i < count; i++) {
    if (g[i][count] < 0) return INFINITY;
    *(i < n - 1 ? &in_a : &in_b) -= g[i][count];
    d = dv_vec3_add_scaled(d, way[i], g[i][count]);
  }
  return in_a < 0 || in_b < 0 ? INFINITY : dv_vec3_norm(d);
}

static int face(const dvVec3 *p, int n, int which, dvVec3 *out)
{
  int count = 0;
  for (int i = 0; i < n; i++)
    if (which >> i & 1) out[count++] = p[i];
  return count;
}

// the least over all pairs of faces: corners, edges, insides
static double least_distance(const dvVec3 *a, int n, const dvVec3 *b, int m)
{
  double best = INFINITY;
  for (int i = 1; i < 1 << n; i++)
    for (int j = 1; j < 1 << m; j++) {
      dvVec3 p[3], q[3];
      int k = face(a, n, i, p), l = face(b, m, j, q);
      best = dv_min(best, between(p, k, q, l));
    }
  return best;
}

// --- two elements in a scene -------------------------------------------------------------------------

static const char *const models[] = {"", "<PointCollisionModel/>", "<LineCollisionModel/>",
                                     "<TriangleCollisionModel/>"};
static const char *const meshes[] = {"", "", "<MeshTopology edges='0 1'/>", "<MeshTopology triangles='0 1 2'/>"};

static dvScene *pair_scene(const char *method, int n, int m)
{
  char *text = dv_format("<Node><CollisionPipeline/><BruteForceDetection/>"
                         "<%s alarmDistance='1000' contactDistance='0.5'/><CollisionResponse/>"
                         "<Node name='a'>%s<MechanicalObject name='x' position='0 0 0 1 0 0 0 1 0'/>%s</Node>"
                         "<Node name='b'>%s<MechanicalObject name='x' position='0 0 1 1 0 1 0 1 1'/>%s</Node></Node>",
                         method, meshes[n], models[n], meshes[m], models[m]);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static dvObject *find_role(dvScene *s, dvRole role) { return dv_node_find(s->root, role); }

static dvCollisionModel *model_in(dvScene *s, const char *node)
{
  return (dvCollisionModel *)dv_node_find(dv_node_child(s->root, node), DV_ROLE_COLLISION_MODEL);
}

static void random_points(dvRandom *r, dvVec3 *p, int kind)
{
  for (int i = 0; i < 3; i++) p[i] = dv_vec3(dv_random(r, -1, 1), dv_random(r, -1, 1), dv_random(r, -1, 1));
  if (kind == 1) p[1] = p[0];                                                     // an edge without length
  if (kind == 2) p[2] = dv_vec3_add_scaled(p[0], dv_vec3_sub(p[1], p[0]), 0.5);   // a triangle without area
  if (kind == 3) p[0].z = p[1].z = p[2].z = 0;                                    // coplanar with others of this kind
}

static void place(dvCollisionModel *m, const dvVec3 *p)
{
  double *x = dv_state_write(m->state, DV_X);
  for (int i = 0; i < 3; i++) dv_vec3_store(x + 3 * i, p[i]);
  dv_collision_model_refit(m, 6);
}

typedef struct Compared {
  size_t found, tested;
} Compared;

// the nearest of the contacts that a method finds is the distance of the elements, wherever it has one for the inside
static Compared compare(const char *method, int n, int m, size_t count, bool complete)
{
  dvScene *s = pair_scene(method, n, m);
  dvObject *intersection = find_role(s, DV_ROLE_INTERSECTION);
  dvCollisionModel *first = model_in(s, "a"), *second = model_in(s, "b");
  bool swapped;
  const dvShapePair *shapes = dv_shape_pair(intersection, first, second, &swapped);
  assert_non_null(shapes);
  assert_non_null(shapes->contacts);
  if (swapped) {
    dvCollisionModel *swap = first;
    first = second, second = swap;
    int k = n;
    n = m, m = k;
  }
  dvProximity p = dv_proximity(intersection, first, second);
  dvContactList list = {.model = {first, second}};
  dvRandom r = dv_random_start(7);
  Compared c = {0};
  for (size_t i = 0; i < count; i++) {
    dvVec3 a[3], b[3];
    random_points(&r, a, (int)(i % 7));
    random_points(&r, b, (int)(i / 7 % 5));
    if (i % 11 == 0) b[0] = dv_vec3_add_scaled(a[0], dv_vec3_sub(a[1], a[0]), 0.25);   // on an edge
    if (i % 13 == 0) b[1] = dv_vec3_add(b[0], dv_vec3_sub(a[1], a[0]));                // parallel
    place(first, a);
    place(second, b);
    list.contacts.count = 0;
    shapes->contacts(&p, 0, 0, &list);
    c.tested++;
    for (size_t k = 0; k < list.contacts.count; k++) {
      const dvContact *x = &list.contacts.data[k];
      dvVec3 on = dv_vec3_load(x->point[0]), other = dv_vec3_load(x->point[1]), normal = dv_vec3_load(x->normal);
      double length = dv_vec3_norm(dv_vec3_sub(other, on));
      check_close(dv_vec3_norm(normal), 1, 1e-9);
      check_close(x->distance, length - 0.5, 1e-9);
      if (length > 1e-9) check_close(dv_vec3_dot(normal, dv_vec3_sub(other, on)), length, 1e-9);
      // both lie on their elements
      check_close(least_distance(a, n, &on, 1), 0, 1e-9);
      check_close(least_distance(b, m, &other, 1), 0, 1e-9);
    }
    if (list.contacts.count && complete) {
      double best = INFINITY;
      for (size_t k = 0; k < list.contacts.count; k++) best = dv_min(best, list.contacts.data[k].distance + 0.5);
      check_close(best, least_distance(a, n, b, m), 1e-9);
      c.found++;
    }
  }
  dv_array_free(&list.contacts);
  check_close_scene(&s);
  return c;
}

static void points_and_lines(void **state)
{
  DV_UNUSED(state);
  Compared c = compare("MinProximityIntersection", 1, 1, 100000, true);
  assert_int_equal(c.found, c.tested);
  c = compare("MinProximityIntersection", 2, 1, 100000, true);   // the ends count as well
  assert_int_equal(c.found, c.tested);
  c = compare("NewProximityIntersection", 2, 1, 100000, true);
  assert_int_equal(c.found, c.tested);
}

static void insides(void **state)
{
  DV_UNUSED(state);
  assert_true(compare("MinProximityIntersection", 3, 1, 100000, true).found > 5000);
  assert_true(compare("NewProximityIntersection", 3, 1, 100000, true).found >
              50000);   // borders too, flat triangles not
  compare("MinProximityIntersection", 2, 2, 100000, false);
  compare("NewProximityIntersection", 3, 3, 100000, false);
  compare("NewProximityIntersection", 3, 2, 100000, false);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_and_lines), cmocka_unit_test(insides)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
