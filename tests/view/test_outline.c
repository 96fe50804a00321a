// What is drawn of elements: outer faces and edges of every kind of mesh.
#include "support/check.h"
#include "support/scene.h"

#include "view/outline.h"

#include <string.h>

static void expect(const char *topology, size_t triangles, size_t quads, size_t edges)
{
  char *text = dv_format("<Node>%s</Node>", topology);
  dvScene *s = check_scene(text, 1);
  dvTopology *t = dv_topology(s->root->objects.data[0]);
  dvInts found[3] = {{.width = 3}, {.width = 4}, {.width = 2}};
  assert_true(dv_outline_faces(t, 3, &found[0]) && dv_outline_faces(t, 4, &found[1]) && dv_outline_edges(t, &found[2]));
  const size_t want[3] = {triangles, quads, edges};
  for (int i = 0; i < 3; i++) {
    if (dv_ints_size(&found[i]) != want[i])
      fail_msg("%s: %zu of %d corners, not %zu", topology, dv_ints_size(&found[i]), found[i].width, want[i]);
    for (size_t k = 0; k < found[i].count; k++) assert_in_range(found[i].data[k], 0, dv_topology_point_count(t) - 1);
    dv_ints_free(&found[i]);
  }
  check_close_scene(&s);
  dv_free(text);
}

#define PRISM "position='0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 1 1 0 1 1 1 0.5 0.5 2'"

static void test_kinds(void **state)
{
  (void)state;
  expect("<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>", 4, 0, 6);
  expect("<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3  1 2 3 4'/>", 6, 0, 9);
  expect("<MeshTopology " PRISM " prisms='0 1 2 3 4 5'/>", 2, 3, 9);
  expect("<MeshTopology " PRISM " prisms='0 1 2 3 4 5  1 6 2 4 7 5'/>", 4, 4, 14);   // one quad is shared
  expect("<MeshTopology " PRISM " pyramids='0 1 6 2 8'/>", 4, 1, 8);
  expect("<MeshTopology " PRISM " hexahedra='0 1 6 2 3 4 7 5' pyramids='3 4 7 5 8'/>", 4, 5,
         16);   // the pyramid stands on the cube
}

static void test_surfaces(void **state)
{
  (void)state;
  expect("<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' quads='0 1 2 3'/>", 0, 1, 4);
  expect("<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2  2 1 3'/>", 2, 0, 5);
  expect("<MeshTopology position='0 0 0 1 0 0 1 1 0' edges='0 1 1 2'/>", 0, 0, 2);
  // a face that is listed beside its volume is drawn once, one that stands alone too
  expect("<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1 2 2 2' tetrahedra='0 1 2 3' triangles='0 2 1  1 4 5'/>",
         5, 0, 9);
}

// grids list halves of their quads and the diagonals too: only what the cells have is drawn
static void test_grids(void **state)
{
  (void)state;
  expect("<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/>", 0, 24, 54);
  expect("<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>", 0, 6, 12);
}

// a model of all faces of a grid is drawn without those between two cells; one of some faces as it is
static void test_skin(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node><RegularGridTopology name='grid' n='4 4 4' min='0 0 0' max='1 1 1'/>"
                           "<Node name='all'><OglModel src='@../grid'/></Node></Node>",
                           1);
  dvTopology *t = dv_topology(s->root->objects.data[0]);
  const dvInts *quads = dv_topology_elements(t, DV_QUAD);
  dvInts none = {.width = 3}, skin = {.width = 3};
  assert_true(dv_ints_size(quads) > 54);
  assert_true(dv_outline_skin(s->root->children.data[0], 64, &none, quads, &skin));
  assert_int_equal(dv_ints_size(&skin), 2 * 54);
  skin.count = 0;
  dvInts some = *quads;
  some.count = 4 * 5;
  assert_false(dv_outline_skin(s->root->children.data[0], 64, &none, &some, &skin));
  assert_false(dv_outline_skin(s->root->children.data[0], 63, &none, quads, &skin));   // of another mesh
  dv_ints_free(&skin);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_surfaces),
                                     cmocka_unit_test(test_grids), cmocka_unit_test(test_skin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
