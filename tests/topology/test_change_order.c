// What watchers hear, and when: additions when they are done, removals while the elements are still there; parts before
// the elements that have them when they come, after them when they go. The seven steps of cutting along two triangles
// (figure 12.13 of SOFA's documentation), and splitting an edge (12.4.9).
#include "topology/report.h"

#include "topology/change/element_data.h"
#include "topology/change/incise.h"

typedef struct Heard {
  dvWatcher watcher;
  dvText said;   // one letter and number for each change
} Heard;

static void notice(dvWatcher *w, const dvChange *c)
{
  Heard *h = (Heard *)w;
  static const char kinds[] = "petqTH";
  if (c->what == DV_CHANGES_END) {
    dv_text_add(&h->said, ".");
    return;
  }
  // an addition is done, a removal is not
  size_t now = dv_topology_count(w->topology, c->kind);
  assert_int_equal(now, c->what == DV_ADDED ? c->before + c->count : c->before);
  dv_text_printf(&h->said, "%c%c%zu ", c->what == DV_ADDED ? '+' : '-', kinds[c->kind], c->count);
}

static dvTopology *start(Report *r, Heard *h, const char *body)
{
  char *text = dv_format("<Node name='root'>%s</Node>", body);
  report_good(r, text);
  dv_free(text);
  dvTopology *mesh = dv_topology(report_find(r, "mesh"));
  *h = (Heard){.watcher = {.notice = notice}};
  dv_topology_watch(mesh, &h->watcher);
  return mesh;
}

static void end(Report *r, Heard *h)
{
  dv_topology_unwatch(&h->watcher);
  dv_text_free(&h->said);
  report_end(r);
}

#define TWO \
  "<TriangleSetTopologyContainer name='mesh' position='0 1 0  0 0 0  1 0.5 0  1 -0.5 0' triangles='0 1 2  1 3 2'/>"

// a, b, c, d are 0 to 3; e and f lie on bc, g and h on dc
static void seven_steps_cut_two_triangles(void **state)
{
  DV_UNUSED(state);
  Report r;
  Heard h;
  dvTopology *t = start(&r, &h, TWO);
  dvElementData stiffness = {0};
  dvReals young = {.width = 1};
  assert_true(dv_reals_resize(&young, 2));
  dv_reals_edit(&young)[0] = 100, dv_reals_edit(&young)[1] = 200;
  dv_element_data_init(&stiffness, NULL, t, DV_TRIANGLE);
  assert_int_equal(dv_element_data_add_reals(&stiffness, &young, true), DV_OK);
  enum { a, b, c, d, e, f, g, i };
  int32_t offsets[] = {0, 2, 4, 6, 8}, ends[] = {b, c, b, c, d, c, d, c};
  double shares[] = {0.4, 0.6, 0.4, 0.6, 0.6, 0.4, 0.6, 0.4};
  assert_int_equal(dv_topology_add_points(t, 4, NULL, (dvOrigin){offsets, ends, shares}), DV_OK);
  int32_t five[] = {b, e, a, f, c, a, b, d, g, b, g, e, i, c, f}, from[] = {0, 1, 2, 3, 4, 5}, of[] = {0, 0, 1, 1, 1};
  double parts[] = {0.6, 0.4, 0.4, 0.36, 0.24};
  assert_int_equal(dv_mesh_add(t, DV_TRIANGLE, five, 5, (dvOrigin){from, of, parts}), DV_OK);
  int32_t old[] = {0, 1};
  assert_int_equal(dv_mesh_remove(t, DV_TRIANGLE, old, 2, DV_REMOVE_POINTS), DV_OK);
  dv_topology_end_changes(t);
  // four points; edges as each triangle needs them; the triangles; the old ones; edges that only they had
  assert_string_equal(h.said.text, "+p4 +e9 +t5 -t2 -e2 .");
  assert_int_equal(dv_topology_point_count(t), 8);
  assert_int_equal(dv_topology_count(t, DV_TRIANGLE), 5);
  // the last ones have taken the numbers of the removed ones, with what they inherited
  const double want[] = {200, 200, 100, 100, 200};
  for (int k = 0; k < 5; k++) check_close(young.data[k], want[k], 1e-12);
  const int32_t *last = dv_topology_elements(t, DV_TRIANGLE)->data;
  const int32_t first_two[] = {b, g, e, i, c, f};
  assert_memory_equal(last, first_two, sizeof first_two);
  // nothing joins the two sides of the cut
  assert_int_equal(dv_mesh_find(t, DV_EDGE, (int32_t[]){b, c}), -1);
  dv_element_data_fini(&stiffness);
  dv_reals_free(&young);
  end(&r, &h);
}

static void an_edge_is_split(void **state)
{
  DV_UNUSED(state);
  Report r;
  Heard h;
  dvTopology *t = start(&r, &h, TWO);
  assert_int_equal(dv_mesh_split_edge(t, 1, 2, 0.25), 4);
  dv_topology_end_changes(t);
  // the point, four edges at it, four triangles; then the two triangles go, and the edge
  assert_string_equal(h.said.text, "+p1 +e4 +t4 -t2 -e1 .");
  assert_int_equal(dv_topology_count(t, DV_EDGE), 8);
  assert_int_equal(dv_mesh_find(t, DV_EDGE, (int32_t[]){1, 2}), -1);
  check_close(dv_topology_positions(t)->data[12], 0.25, 0);
  end(&r, &h);
}

// a tetrahedron goes: itself, its faces, its edges, its point; the surface hears of new faces first
static void a_tetrahedron_goes(void **state)
{
  DV_UNUSED(state);
  Report r;
  Heard h, skin;
  dvTopology *t = start(&r, &h,
                        "<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
                        "tetrahedra='0 1 2 3 1 2 3 4'/><Node name='s'><TriangleSetTopologyContainer name='t'/>"
                        "<Tetra2TriangleTopologicalMapping/></Node>");
  skin = (Heard){.watcher = {.notice = notice}};
  dv_topology_watch(dv_topology(report_find(&r, "s/t")), &skin.watcher);
  assert_int_equal(dv_mesh_remove(t, DV_TETRAHEDRON, (int32_t[]){1}, 1, DV_REMOVE_POINTS), DV_OK);
  dv_topology_end_changes(t);
  assert_string_equal(h.said.text, "-T1 -t3 -e3 -p1 .");
  assert_string_equal(skin.said.text, "+t1 -t3 -e3 -p1 .");
  assert_int_equal(dv_topology_count(skin.watcher.topology, DV_TRIANGLE), 4);
  dv_topology_unwatch(&skin.watcher);
  dv_text_free(&skin.said);
  end(&r, &h);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seven_steps_cut_two_triangles),
      cmocka_unit_test(an_edge_is_split),
      cmocka_unit_test(a_tetrahedron_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
