// Visual models: normals, texture seams, where the mesh comes from, and that mappings move them.
#include "support/check.h"
#include "support/scene.h"
#include "visual/material.h"

#include <string.h>

static const char cube[] = "position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1'";
static const char cube_quads[] = "quads='0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7'";

// with vertices and normals up to date
static dvVisualModel *model(dvScene *s, const char *path)
{
  dvVisualModel *v = (dvVisualModel *)check_find(s, path);
  assert_int_equal(dv_pull(&v->base.state.base, &v->base.normal), DV_OK);
  return v;
}

static void test_normals_of_a_cube(void **state)
{
  (void)state;
  char *text = dv_format("<Node><OglModel name='m' %s %s/></Node>", cube, cube_quads);
  dvScene *s = check_scene(text, 1);
  const dvVisualModel *v = model(s, "m");
  assert_int_equal(v->base.normal.count, 24);
  for (size_t i = 0; i < 24; i++)
    check_close(v->base.normal.data[i], (v->base.position.data[i] > 0.5 ? 1 : -1) / sqrt(3), 1e-15);
  check_close_scene(&s);
  dv_free(text);
}

// a small triangle bends the normal less than a large one: areas are the weights
static void test_area_weights(void **state)
{
  (void)state;
  dvScene *s = check_scene(
      "<Node><OglModel name='m' position='0 0 0  2 0 0  0 2 0  0 0 1' triangles='0 1 2  0 2 3'/></Node>", 1);
  const double *n = model(s, "m")->base.normal.data;
  double length = sqrt(16 + 4);   // (0,0,4) + (2,0,0)
  check_close(n[0], 2 / length, 1e-15);
  check_close(n[1], 0, 1e-15);
  check_close(n[2], 4 / length, 1e-15);
  check_close_scene(&s);
}

static void test_transform(void **state)
{
  (void)state;
  dvScene *s = check_scene(
      "<Node><OglModel name='m' position='1 0 0  0 1 0  0 0 1' triangles='0 1 2' scale='2' rz='90' dx='5'/></Node>", 1);
  const double *x = model(s, "m")->base.position.data;
  check_close(x[0], 5, 1e-12);
  check_close(x[1], 2, 1e-12);
  check_close(x[3], 3, 1e-12);
  check_close(x[8], 2, 1e-12);
  check_close_scene(&s);
}

static void test_topology_in_the_node(void **state)
{
  (void)state;
  dvScene *s = check_scene(
      "<Node><MeshTopology position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2  2 1 3'/><OglModel name='m'/></Node>",
      1);
  assert_int_equal(model(s, "m")->triangles.count, 6);
  assert_int_equal(model(s, "m")->base.state.count, 4);
  check_close(model(s, "m")->base.normal.data[2], 1, 1e-15);
  check_close_scene(&s);
}

// two triangles share an edge of positions but not of texture coordinates
static void test_texture_seam(void **state)
{
  (void)state;
  char *directory = check_mkdir();
  char *file = check_write(
      directory, "seam.obj",
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0.5 0.5\nvt 0 1\nf 1/1 2/2 3/3\nf 1/4 3/3 4/5\n");
  char *text = dv_format("<Node><MechanicalObject name='dofs' position='0 0 0 1 0 0 1 1 0 0 1 0'/><Node "
                         "name='v'><OglModel name='m' filename='%s'/>"
                         "<IdentityMapping input='@../dofs' output='@m'/></Node></Node>",
                         file);
  dvScene *s = check_scene(text, 1);
  dvVisualModel *v = model(s, "v/m");
  assert_int_equal(dv_reals_size(&v->base.position), 4);
  assert_int_equal(dv_reals_size(&v->vertices), 5);
  const int32_t position[5] = {0, 0, 1, 2, 3}, triangles[6] = {0, 2, 3, 1, 3, 4};
  assert_memory_equal(v->vertPosIdx.data, position, sizeof position);
  assert_memory_equal(v->triangles.data, triangles, sizeof triangles);
  check_close(v->texcoords.data[2], 0.5, 0);
  // both vertices of position 0 have one normal, and both follow the position
  for (int k = 0; k < 3; k++) check_close(v->base.normal.data[k], v->base.normal.data[3 + k], 0);
  dv_state_write(dv_state(check_find(s, "dofs")), DV_X)[2] = -3;
  check_steps(s, 1);
  v = model(s, "v/m");
  check_close(v->vertices.data[2], -3, 0);
  check_close(v->vertices.data[5], -3, 0);
  assert_true(fabs(v->base.normal.data[0]) > 0.1);
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

static void test_polygons(void **state)
{
  (void)state;
  char *directory = check_mkdir();
  char *file =
      check_write(directory, "five.obj", "v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\nf 1 2 3 4\n");
  char *text = dv_format("<Node><OglModel name='m' filename='%s'/></Node>", file);
  dvScene *s = check_scene(text, 1);
  const int32_t fan[9] = {0, 1, 2, 0, 2, 3, 0, 3, 4}, quad[4] = {0, 1, 2, 3};
  assert_int_equal(model(s, "m")->triangles.count, 9);
  assert_memory_equal(model(s, "m")->triangles.data, fan, sizeof fan);
  assert_memory_equal(model(s, "m")->quads.data, quad, sizeof quad);
  assert_int_equal(model(s, "m")->vertices.count, 0);
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

// a mapping to a visual model is not mechanical, and a visual model is not simulated
static void test_not_mechanical(void **state)
{
  (void)state;
  dvScene *s =
      check_scene("<Node><MechanicalObject name='dofs' template='Rigid3' position='0 0 0 0 0 0 1'/><Node name='v'>"
                  "<OglModel name='m' position='1 0 0 0 1 0 0 0 1' triangles='0 1 2'/><RigidMapping name='map' "
                  "input='@..' output='@m'/></Node></Node>",
                  1);
  assert_false(dv_mapping_is_mechanical(check_find(s, "v/map")));
  assert_int_equal(s->plan->states.count, 1);
  assert_int_equal(s->plan->visual_mappings.count, 1);
  dv_state_write(dv_state(check_find(s, "dofs")), DV_X)[0] = 4;
  check_steps(s, 1);
  check_close(model(s, "v/m")->base.position.data[0], 5, 1e-15);
  check_close_scene(&s);
}

// positions linked to a state follow it without a mapping
static void test_linked_positions(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node gravity='0 0 0'><MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0'/>"
                           "<OglModel name='m' position='@dofs.position' triangles='0 1 2'/></Node>",
                           1);
  dv_state_write(dv_state(check_find(s, "dofs")), DV_X)[2] = 1;
  check_steps(s, 1);
  check_close(model(s, "m")->base.position.data[2], 1, 0);
  check_close_scene(&s);
}

// nobody asks for normals: nobody computes them; and they are computed once for one movement
static void test_normals_are_lazy(void **state)
{
  (void)state;
  dvScene *s =
      check_scene("<Node gravity='0 0 0'><MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0'/><Node name='v'>"
                  "<OglModel name='m' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><IdentityMapping/></Node></Node>",
                  1);
  const dvVisualModel *v = (const dvVisualModel *)check_find(s, "v/m");
  const dvField *normal = dv_field_of(&v->base.state.base, &v->base.normal);
  uint32_t before = normal->counter;
  dv_state_write(dv_state(check_find(s, "dofs")), DV_X)[8] = 1;
  check_steps(s, 3);
  assert_int_equal(normal->counter, before);
  model(s, "v/m");
  assert_int_equal(normal->counter, before + 1);
  model(s, "v/m");
  assert_int_equal(normal->counter, before + 1);
  check_close(v->base.normal.data[2], sqrt(0.5), 1e-15);
  check_close_scene(&s);
}

static int warnings(const char *text)
{
  dvContext *c = dv_divan_create(1);
  c->log.sink = NULL;   // the messages are expected
  dvScene *scene = NULL;
  assert_int_equal(dv_scene_parse(c, "test", text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  dvObject *o = scene->root->objects.data[0];
  assert_int_equal(dv_pull(o, &((dvVisualModel *)o)->base.normal), DV_OK);
  int count = c->log.counts[DV_WARNING];
  dv_scene_destroy(&scene);
  dv_divan_destroy(&c);
  return count;
}

static void test_looks_only_warn(void **state)
{
  (void)state;
  assert_int_equal(warnings("<Node><OglModel filename='nowhere.obj'/></Node>"), 1);
  assert_int_equal(
      warnings("<Node><OglModel position='0 0 0 1 0 0 0 1 0' triangles='0 1 2' texturename='nowhere.png'/></Node>"), 1);
  assert_int_equal(warnings("<Node><OglModel position='0 0 0' triangles='0 1 2'/></Node>"), 1);   // indices outside
  assert_int_equal(warnings("<Node><OglModel position='0 0 0' vertPosIdx='7' triangles='0 0 0'/></Node>"), 1);
  assert_int_equal(warnings("<Node><OglModel/></Node>"), 1);
}

// the material of the file reaches the surface by filename and by src; a colour or a material of the scene counts more
static void test_material_of_the_file(void **state)
{
  (void)state;
  char *directory = check_mkdir();
  char *library = check_write(directory, "red.mtl",
                              "newmtl other\nKd 0 0 1\nnewmtl red\nKa 0.1 0 0\nKd 0.8 0.1 0\nKs 1 1 1\nNs 20\n");
  char *file = check_write(directory, "red.obj", "mtllib red.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n");
  char *text = dv_format(
      "<Node><MeshOBJLoader name='loader' filename='%s'/><Node name='a'><OglModel name='m' filename='%s'/></Node>"
      "<Node name='b'><OglModel name='m' src='@../loader'/></Node><Node name='c'><OglModel name='m' src='@../loader' "
      "color='0 1 0 1'/></Node>"
      "<Node name='d'><OglModel name='m' filename='%s' material='x Diffuse 1 0 0 1 0.5'/></Node></Node>",
      file, file, file);
  dvScene *s = check_scene(text, 1);
  const struct {
    const char *path;
    double diffuse[4], specular;
  } want[] = {
      {"a/m", {0.8, 0.1, 0, 1}, 1}, {"b/m", {0.8, 0.1, 0, 1}, 1}, {"c/m", {0, 1, 0, 1}, 0}, {"d/m", {0, 0, 1, 0.5}, 0}};
  for (size_t i = 0; i < DV_COUNT(want); i++) {
    dvShading m = dv_visual_material(model(s, want[i].path));
    for (int k = 0; k < 4; k++) check_close(m.diffuse[k], want[i].diffuse[k], 1e-12);
    check_close(m.specular[0], want[i].specular, 1e-12);
  }
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  dv_free(library);
  check_rmdir(directory);
}

// faces keep the materials of their groups, by filename and by src, split or not; not where the scene says how the
// model looks
static void test_parts_of_the_file(void **state)
{
  (void)state;
  char *directory = check_mkdir();
  char *library = check_write(directory, "two.mtl",
                              "newmtl red\nKd 1 0 0\nnewmtl unused\nKd 0 1 0\nnewmtl blue\nKd 0 0 1\nmap_Kd sky.png\n");
  char *picture = check_write(directory, "sky.png", "");
  char *file = check_write(directory, "two.obj",
                           "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nf 1 2 3\nusemtl "
                           "red\nf 1 3 4\nf 2 5 6 3\ng my own group\nusemtl blue\n"
                           "f 1 2 3 4 5\nusemtl red\nf 2 5 6\n");
  char *text = dv_format(
      "<Node><MeshOBJLoader name='loader' filename='%s'/><Node name='a'><OglModel name='m' filename='%s'/></Node>"
      "<Node name='b'><OglModel name='m' src='@../loader'/></Node><Node name='c'><OglModel name='m' src='@../loader' "
      "color='0 1 0 1'/></Node>"
      "<Node name='d'><OglModel name='m' filename='%s' material='x Diffuse 1 0 0 1 0.5'/></Node></Node>",
      file, file, file);
  dvScene *s = check_scene(text, 1);
  const int32_t want[] = {-1, 0, 2, 2, 2, 0, 0};   // six triangles, three of them of the polygon, and the quad
  for (int k = 0; k < 2; k++) {
    const dvVisualModel *v = model(s, k ? "b/m" : "a/m");
    const dvVisualParts *p = dv_visual_parts(v);
    assert_int_equal(p->list.count, 3);
    assert_int_equal(p->of_face.count, DV_COUNT(want));
    for (size_t i = 0; i < DV_COUNT(want); i++) assert_int_equal(p->of_face.data[i], want[i]);
    size_t *corners = dv_visual_part_corners(v, p);
    const size_t expected[] = {3, 12, 0, 9};
    for (size_t i = 0; i < 4; i++) assert_int_equal(corners[i], expected[i]);
    dv_free(corners);
    dvShading m = dv_plain_shading;
    dv_material_parse(&m, p->list.data[2].material);
    check_close(m.diffuse[2], 1, 1e-12);
    check_close(m.diffuse[0], 0, 1e-12);
    assert_true(k ? p->list.data[2].texture == NULL : dv_same(p->list.data[2].texture, picture));
  }
  assert_int_equal(dv_visual_parts(model(s, "c/m"))->of_face.count, 0);
  assert_int_equal(dv_visual_parts(model(s, "d/m"))->of_face.count, 0);
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  dv_free(picture);
  dv_free(library);
  check_rmdir(directory);
}

// a trail holds the last steps, the oldest first, and starts again with the scene
static void test_trail(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node dt='0.1' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject name='p' "
                           "position='0 0 0' velocity='1 0 0'/><UniformMass totalMass='1'/>"
                           "<TrailRenderer name='trail' position='@p.position' nbSteps='3'/></Node>",
                           1);
  const dvReals *trail = dv_object_field(check_find(s, "trail"), "trail")->value;
  assert_int_equal(trail->count, 9);
  check_steps(s, 4);
  for (size_t i = 0; i < 3; i++) check_close(trail->data[3 * i], 0.2 + 0.1 * (double)i, 1e-12);
  dv_scene_reset(s);
  check_close(trail->data[6], 0, 1e-12);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_normals_of_a_cube),
      cmocka_unit_test(test_area_weights),
      cmocka_unit_test(test_transform),
      cmocka_unit_test(test_topology_in_the_node),
      cmocka_unit_test(test_texture_seam),
      cmocka_unit_test(test_polygons),
      cmocka_unit_test(test_not_mechanical),
      cmocka_unit_test(test_linked_positions),
      cmocka_unit_test(test_normals_are_lazy),
      cmocka_unit_test(test_looks_only_warn),
      cmocka_unit_test(test_material_of_the_file),
      cmocka_unit_test(test_parts_of_the_file),
      cmocka_unit_test(test_trail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
