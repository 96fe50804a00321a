// Linear mappings: they reproduce linear fields exactly, weights sum to one, and J and J^T fit.
#include "mapping/linear/linear.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

// an affine map of everything: x -> A x + b
static void move(const double x[3], double out[3])
{
  static const double a[3][3] = {{1.2, 0.3, -0.1}, {-0.2, 0.9, 0.4}, {0.05, -0.3, 1.1}}, b[3] = {0.5, -2, 3};
  for (int i = 0; i < 3; i++) out[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2] + b[i];
}

// maps every input point affinely, applies, and compares with the affine map of the output's first positions
static void check_reproduces(dvScene *scene, const char *in_path, const char *out_path, const char *mapping)
{
  dvObject *o = check_find(scene, mapping);
  dvState *in = dv_state(check_find(scene, in_path)), *out = dv_state(check_find(scene, out_path));
  double *first = dv_alloc((3 * out->count + 1) * sizeof *first), wanted[3];
  memcpy(first, dv_state_read(out, DV_X), 3 * out->count * sizeof *first);
  double *x = dv_state_write(in, DV_X);
  for (size_t i = 0; i < in->count; i++) {
    move(x + 3 * i, wanted);
    memcpy(x + 3 * i, wanted, sizeof wanted);
  }
  dv_linear_ops.apply(o, DV_X, DV_X);
  const double *y = dv_state_read(out, DV_X);
  for (size_t i = 0; i < out->count; i++) {
    move(first + 3 * i, wanted);
    for (size_t k = 0; k < 3; k++) check_close(y[3 * i + k], wanted[k], 1e-12);
  }
  // weights sum to one: a constant velocity stays
  double *v = dv_state_write(in, DV_V);
  for (size_t i = 0; i < 3 * in->count; i++) v[i] = (double)(i % 3) + 1;
  dv_linear_ops.apply_j(o, DV_V, DV_V);
  for (size_t i = 0; i < 3 * out->count; i++) check_close(dv_state_read(out, DV_V)[i], (double)(i % 3) + 1, 1e-12);
  dv_free(first);
}

// a body with the given topology, and points inside (and outside) of it
static void check_topology(const char *topology, const char *state, const char *points)
{
  char *text = dv_format("<Node><Node name='body'>%s<MechanicalObject name='dofs' template='Vec3' %s/>"
                         "<Node name='skin'><MechanicalObject name='points' template='Vec3' position='%s'/>"
                         "<BarycentricMapping name='map' input='@../dofs' output='@points'/></Node></Node></Node>",
                         topology, state, points);
  dvScene *scene = check_scene(text, 1);
  check_reproduces(scene, "body/dofs", "body/skin/points", "body/skin/map");
  check_close_scene(&scene);
  fdScene s = fd_open(text);
  fdOptions options = fd_options();
  assert_true(fd_check_mapping(fd_find(&s, "map"), &options));
  fd_close(&s);
  dv_free(text);
}

static const char volume_points[] = "0.1 0.2 0.3  0.9 0.8 0.7  0.5 0.5 0.5  0 0 0  -0.4 0.3 1.7  2 2 2  0.25 0.25 0.25";

static void test_tetrahedra(void **state)
{
  (void)state;
  const char *positions = "position='0 0 0  1 0 0  0 1 0  0 0 1  1.2 1.1 1.3'";
  char *mesh = dv_format("<MeshTopology name='topology' %s tetrahedra='0 1 2 3  4 2 1 3'/>", positions);
  char *set =
      dv_format("<TetrahedronSetTopologyContainer name='topology' %s tetrahedra='0 1 2 3  4 2 1 3'/>", positions);
  check_topology(mesh, "", volume_points);
  check_topology(set, "", volume_points);
  dv_free(mesh);
  dv_free(set);
}

static void test_hexahedra(void **state)
{
  (void)state;
  const char *cube = "position='0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1' hexahedra='0 1 2 3 4 5 6 7'";
  char *mesh = dv_format("<MeshTopology name='topology' %s/>", cube),
       *set = dv_format("<HexahedronSetTopologyContainer name='topology' %s/>", cube);
  check_topology(mesh, "", volume_points);
  check_topology(set, "", volume_points);
  dv_free(mesh);
  dv_free(set);
}

static void test_regular_grid(void **state)
{
  (void)state;
  check_topology("<RegularGridTopology name='topology' n='3 4 2' min='0 0 0' max='2 3 1'/>", "", volume_points);
}

// also points outside of the cells, and cells that were found on finer levels and split
static void test_sparse_grid(void **state)
{
  (void)state;
  const char *cloud = "position='0.5 0.5 0.5 1.5 0.5 0.5 1.5 1.5 0.5 1.5 1.5 1.5' min='0 0 0' max='2 2 2'";
  char *plain = dv_format("<SparseGridTopology name='topology' n='3 3 3' %s/>", cloud),
       *split = dv_format("<SparseGridRamificationTopology name='topology' n='3 3 3' %s finestConnectivity='0' "
                          "nbVirtualFinerLevels='1'/>",
                          cloud);
  check_topology(plain, "", volume_points);
  check_topology(split, "", "0.4 0.6 0.5  1.6 0.4 0.5  1.4 1.6 0.5");
  dv_free(plain);
  dv_free(split);
}

// points of a surface or a line: linear along it, which the affine map keeps
static void test_surfaces_and_lines(void **state)
{
  (void)state;
  check_topology("<MeshTopology name='topology' position='0 0 0  1 0 0  1 1 0  0 1 0' triangles='0 1 2  0 2 3'/>", "",
                 "0.2 0.1 0  0.4 0.9 0  1.5 0.5 0");
  check_topology("<MeshTopology name='topology' position='0 0 0  1 0 0  1 1 0  0 1 0' quads='0 1 2 3'/>", "",
                 "0.2 0.1 0  0.4 0.9 0  1.5 0.5 0");
  check_topology(
      "<TriangleSetTopologyContainer name='topology' position='0 0 0  1 0 0  1 1 0  0 1 0' triangles='0 1 2  0 2 3'/>",
      "", "0.2 0.1 0  0.4 0.9 0");
  check_topology("<MeshTopology name='topology' position='0 0 0  1 0 0  3 0 0' edges='0 1  1 2'/>", "",
                 "0.25 0 0  2 0 0  4 0 0");
}

// SOFA's rule for points outside: the element with the nearest centre, extrapolated
static void test_nearest_centre(void **state)
{
  (void)state;
  dvScene *scene = check_scene(
      "<Node><Node name='body'><MeshTopology name='t' position='0 0 0  1 0 0  0 1 0  0 0 1  -1 0 0' tetrahedra='0 1 2 "
      "3  0 2 4 3'/>"
      "<MechanicalObject name='dofs'/><Node name='skin'><MechanicalObject name='points' position='0.1 -1 0'/>"
      "<BarycentricMapping name='map'/></Node></Node></Node>",
      1);
  dvState *in = dv_state(check_find(scene, "body/dofs"));
  dv_state_write(in, DV_X)[3] += 1;   // point 1 belongs to the first tetrahedron only; it has weight 0.1
  dv_linear_ops.apply(check_find(scene, "body/skin/map"), DV_X, DV_X);
  check_close(check_value(scene, "body/skin/points", DV_X, 0), 0.2, 1e-14);
  check_close(check_value(scene, "body/skin/points", DV_X, 1), -1, 1e-14);
  check_close_scene(&scene);
}

static void test_grid_ignores_moved_points(void **state)
{
  (void)state;
  // the grid's own geometry counts, not the state's translation, as in SOFA
  dvScene *scene =
      check_scene("<Node><Node name='body'><RegularGridTopology name='t' n='2 2 2' min='0 0 0' max='1 1 1'/>"
                  "<MechanicalObject name='dofs' translation='10 0 0'/><Node name='skin'><MechanicalObject "
                  "name='points' position='0.5 0.5 0.5'/>"
                  "<BarycentricMapping name='map'/></Node></Node></Node>",
                  1);
  check_close(check_value(scene, "body/skin/points", DV_X, 0), 10.5, 1e-14);
  check_close_scene(&scene);
}

static void test_identity_types(void **state)
{
  (void)state;
  const char *types[][3] = {{"Vec3", "Vec3", "1 2 3  4 5 6"},
                            {"Rigid3", "Vec3", "1 2 3 0 0 0 1  4 5 6 0 0 0 1"},
                            {"Rigid3", "Rigid3", "1 2 3 0 0 0 1  4 5 6 0 0 0 1"},
                            {"Vec1", "Vec1", "1 2"},
                            {"Vec6", "Vec3", "1 2 3 4 5 6"}};
  for (size_t i = 0; i < DV_COUNT(types); i++) {
    char *text = dv_format("<Node><MechanicalObject name='in' template='%s' position='%s'/><Node name='child'>"
                           "<MechanicalObject name='out' template='%s'/><IdentityMapping name='map'/></Node></Node>",
                           types[i][0], types[i][2], types[i][1]);
    fdScene s = fd_open(text);
    fdOptions options = fd_options();
    dvState *in = dv_state(fd_find(&s, "in")), *out = dv_state(fd_find(&s, "out"));
    assert_int_equal(in->count, out->count);
    for (int k = 0; k < out->base.dof->space && k < in->base.dof->space; k++)
      check_close(dv_state_read(out, DV_X)[k], dv_state_read(in, DV_X)[k], 0);
    assert_true(fd_check_mapping(fd_find(&s, "map"), &options));
    fd_close(&s);
    dv_free(text);
  }
}

static void test_empty_states(void **state)
{
  (void)state;
  dvScene *scene =
      check_scene("<Node><MechanicalObject name='in' position=''/><Node name='child'><MechanicalObject name='out'/>"
                  "<IdentityMapping name='map'/></Node></Node>",
                  1);
  dvObject *map = check_find(scene, "child/map");
  assert_int_equal(dv_state(check_find(scene, "child/out"))->count, 0);
  dv_linear_ops.apply_jt(map, DV_F, DV_F);
  check_close_scene(&scene);
}

static void test_subset_indices(void **state)
{
  (void)state;
  fdScene s = fd_open("<Node><MechanicalObject name='in' position='0 0 0 1 0 0 2 0 0 3 0 0'/><Node "
                      "name='child'><MechanicalObject name='out'/>"
                      "<SubsetMapping name='map' indices='3 1 1'/></Node></Node>");
  dvState *out = dv_state(fd_find(&s, "out"));
  fdOptions options = fd_options();
  assert_int_equal(out->count, 3);
  check_close(dv_state_read(out, DV_X)[0], 3, 0);
  check_close(dv_state_read(out, DV_X)[6], 1, 0);
  assert_true(fd_check_mapping(fd_find(&s, "map"), &options));
  fd_close(&s);
}

static void test_subset_by_position(void **state)
{
  (void)state;
  dvScene *scene = check_scene("<Node><MechanicalObject name='in' position='0 0 0 1 0 0 2 0 0'/><Node name='child'>"
                               "<MechanicalObject name='out' position='2.05 0 0  5 0 0  0.04 0 0'/><SubsetMapping "
                               "name='map' radius='0.1' ignoreNotFound='1'/>"
                               "</Node></Node>",
                               1);
  check_close(check_value(scene, "child/out", DV_X, 0), 2, 0);
  check_close(check_value(scene, "child/out", DV_X, 3), 5, 0);   // found nowhere: stays at rest
  check_close(check_value(scene, "child/out", DV_X, 6), 0, 0);
  check_close_scene(&scene);
}

static void test_forces_stay_when_not_mapped(void **state)
{
  (void)state;
  dvScene *scene = check_scene(
      "<Node><MechanicalObject name='in' position='0 0 0'/><Node name='child'><MechanicalObject name='out'/>"
      "<IdentityMapping name='map' mapForces='0'/></Node></Node>",
      1);
  dvState *in = dv_state(check_find(scene, "in")), *out = dv_state(check_find(scene, "child/out"));
  memset(dv_state_write(in, DV_F), 0, 3 * sizeof(double));
  dv_state_write(out, DV_F)[1] = 7;
  dv_linear_ops.apply_jt(check_find(scene, "child/map"), DV_F, DV_F);
  check_close(dv_state_read(in, DV_F)[1], 0, 0);
  check_close_scene(&scene);
}

// random rows: the gather of the transposed rows is W^T, for any number of threads to the last bit
static void test_weights(void **state)
{
  (void)state;
  enum { OUT = 9000, IN = 500 };
  dvWeights w = {0};
  uint32_t seed = 5;
  for (int i = 0; i < OUT; i++) {
    for (int e = 0; e < 4; e++) {
      seed = seed * 1664525u + 1013904223u;
      dv_weights_add(&w, (int32_t)(seed >> 8) % IN, (double)(seed >> 20) / 4096.0);
    }
    dv_weights_end_row(&w);
  }
  assert_true(dv_weights_finish(&w, IN));
  assert_false(w.identity);
  double *x = dv_alloc(3 * IN * sizeof *x), *y = dv_alloc(3 * OUT * sizeof *y), *f = dv_alloc(3 * OUT * sizeof *f);
  double *up = dv_alloc(3 * IN * sizeof *up), *up3 = dv_alloc(3 * IN * sizeof *up3),
         *y3 = dv_alloc(3 * OUT * sizeof *y3);
  for (int i = 0; i < 3 * IN; i++) x[i] = sin(i);
  for (int i = 0; i < 3 * OUT; i++) f[i] = cos(i);
  dvPool *pool = dv_pool_create(3);
  dvStrides s = {3, 3, 3};
  dv_weights_apply(&w, NULL, s, x, y);
  dv_weights_apply(&w, pool, s, x, y3);
  dv_weights_apply_transposed(&w, NULL, s, f, up);
  dv_weights_apply_transposed(&w, pool, s, f, up3);
  assert_memory_equal(y, y3, 3 * OUT * sizeof *y);
  assert_memory_equal(up, up3, 3 * IN * sizeof *up);
  double a = 0, b = 0;
  for (int i = 0; i < 3 * OUT; i++) a += f[i] * y[i];
  for (int i = 0; i < 3 * IN; i++) b += up[i] * x[i];
  check_close(a, b, 1e-9);
  dv_pool_destroy(&pool);
  double *blocks[] = {x, y, f, up, up3, y3};
  for (size_t i = 0; i < DV_COUNT(blocks); i++) dv_free(blocks[i]);
  dv_weights_free(&w);
}

// Mapped positions of a symmetric body differ in their last digit, which decides in what order contacts are found:
// products and sums are rounded one by one on every processor, as in SOFA.
static void test_weights_round_plainly(void **state)
{
  (void)state;
  enum { OUT = 200, IN = 50, CORNERS = 8 };
  dvWeights w = {0};
  double x[3 * IN], y[3 * OUT], plain[3 * OUT] = {0};
  for (int i = 0; i < 3 * IN; i++) x[i] = sin(i) * 10;
  for (int i = 0; i < OUT; i++) {
    for (int e = 0; e < CORNERS; e++) {
      int corner = (i + 6 * e) % IN;
      double weight = (1 + cos(7 * i + e)) / 9;
      dv_weights_add(&w, corner, weight);
      for (int k = 0; k < 3; k++) {
        volatile double product = weight * x[3 * corner + k];
        plain[3 * i + k] += product;
      }
    }
    dv_weights_end_row(&w);
  }
  assert_true(dv_weights_finish(&w, IN));
  dv_weights_apply(&w, NULL, (dvStrides){3, 3, 3}, x, y);
  assert_memory_equal(y, plain, sizeof y);
  dv_weights_free(&w);
}

static void expect_failure(const char *text)
{
  dvContext *c = dv_divan_create(1);
  c->log.sink = NULL;   // the messages are expected
  dvScene *scene = NULL;
  dvStatus status = dv_scene_parse(c, "test", text, strlen(text), &scene);
  if (status == DV_OK) status = dv_scene_init(scene);
  assert_int_equal(status, DV_ERROR_INPUT);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&c);
}

static void test_mistakes(void **state)
{
  (void)state;
  expect_failure(
      "<Node><MechanicalObject/><Node><MechanicalObject/><BarycentricMapping/></Node></Node>");   // no topology
  expect_failure("<Node><MechanicalObject position='0 0 0'/><Node><MechanicalObject/><SubsetMapping indices='0 "
                 "1'/></Node></Node>");
  expect_failure("<Node><MechanicalObject template='Vec3'/><Node><MechanicalObject "
                 "template='Rigid3'/><IdentityMapping/></Node></Node>");
  expect_failure("<Node><Node><MechanicalObject/><IdentityMapping/></Node></Node>");   // no input
  expect_failure("<Node><MeshTopology position='0 0 0 1 0 0 2 0 0 3 0 0' tetrahedra='0 1 2 3'/><MechanicalObject/>"
                 "<Node><MechanicalObject/><BarycentricMapping/></Node></Node>");   // flat
  expect_failure("<Node><RegularGridTopology n='3 3 "
                 "1'/><MechanicalObject/><Node><MechanicalObject/><BarycentricMapping/></Node></Node>");
}

// --- what is said of points outside ---

typedef struct Said {
  int count;
  dvLevel level;
  char text[300];
} Said;

static void listen(void *user, const dvMessage *m)
{
  Said *s = user;
  if (!strstr(m->text, "outside")) return;
  s->count++;
  s->level = m->level;
  snprintf(s->text, sizeof s->text, "%s", m->text);
}

static void expect_said(const char *mesh, const char *points, dvLevel level, const char *part)
{
  Said said = {0};
  dvContext *c = dv_divan_create(1);
  c->log.sink = listen;
  c->log.user = &said;
  c->log.threshold = DV_INFO;
  char *text = dv_format("<Node>%s<MechanicalObject/><Node><MechanicalObject name='out' "
                         "position='%s'/><BarycentricMapping/></Node></Node>",
                         mesh, points);
  dvScene *scene = NULL;
  assert_int_equal(dv_scene_parse(c, "test", text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  assert_int_equal(said.count, part != NULL);
  if (part && (said.level != level || !strstr(said.text, part)))
    fail_msg("'%s' does not say '%s', or not at level %d", said.text, part, level);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&c);
  dv_free(text);
}

// how far out, in sizes of the element: harmless up to one of them
static void test_outside(void **state)
{
  (void)state;
  const char *tetra =
      "<MeshTopology name='mesh' position='0 0 0  3 0 0  0 4 0  0 0 2' tetrahedra='0 1 2 3'/>";   // longest edge 5
  const char *grid =
      "<RegularGridTopology name='mesh' n='3 3 3' min='0 0 0' max='4 4 4'/>";   // diagonal of a cell sqrt(12)
  const char *triangle = "<MeshTopology name='mesh' position='0 0 0  3 0 0  0 4 0' triangles='0 1 2'/>";
  expect_said(tetra, "0.1 0.1 0.1", DV_NOTE, NULL);
  expect_said(tetra, "0.1 0.1 0.1  0.5 0.5 -0.5", DV_NOTE,
              "1 of 2 points of out lie outside of mesh, by at most 10 % of an element's size: harmless");
  expect_said(tetra, "-1 0.5 0.5", DV_NOTE, "by at most 20 %");
  expect_said(tetra, "0.5 0.5 -6", DV_WARNING,
              "1 of 1 points of out lie outside of mesh, the farthest by 1.2 times the size of its element");
  expect_said(grid, "2 2 5", DV_NOTE, "by at most 29 %");                // 1 / sqrt(12)
  expect_said(grid, "2 2 8", DV_WARNING, "the farthest by 1.2 times");   // 4 / sqrt(12)
  expect_said(triangle, "-1 1 0.3", DV_NOTE, "by at most 20 %");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tetrahedra),
      cmocka_unit_test(test_hexahedra),
      cmocka_unit_test(test_regular_grid),
      cmocka_unit_test(test_sparse_grid),
      cmocka_unit_test(test_surfaces_and_lines),
      cmocka_unit_test(test_nearest_centre),
      cmocka_unit_test(test_grid_ignores_moved_points),
      cmocka_unit_test(test_identity_types),
      cmocka_unit_test(test_empty_states),
      cmocka_unit_test(test_subset_indices),
      cmocka_unit_test(test_subset_by_position),
      cmocka_unit_test(test_forces_stay_when_not_mapped),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_weights_round_plainly),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_outside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
