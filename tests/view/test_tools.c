// Tools that change meshes by hand: what a stroke does to a body, what cannot be changed and why, undo.
#include "support/session.h"

#include "base/file.h"
#include "mechanics/mechanics.h"
#include "topology/geometry.h"
#include "view/tools_body.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

// the answer's number `key` of a request that works
static long must(Fixture *f, const char *request, const char *key)
{
  json_t *a = ask(f, request);
  if (json_object_get(a, "error")) fail_msg("%s: %s", request, json_string_value(json_object_get(a, "error")));
  long value = (long)json_integer_value(json_object_get(a, key));
  json_decref(a);
  return value;
}

static void run(Fixture *f, int n)
{
  char *request = dv_format("{\"do\":\"step\",\"count\":%d}", n);
  must(f, request, "");
  dv_free(request);
  for (int i = 0; i < n; i++) dv_session_advance(f->session);
}

static dvMeshBody body_of(Fixture *f, const char *path)
{
  dvMeshBody b;
  assert_true(dv_view_body(dv_state(dv_view_find(f->session, path)), &b, NULL));
  return b;
}

static double volume(const dvMeshBody *b)
{
  double sum = 0;
  const dvInts *list = dv_topology_elements(b->mesh, DV_TETRAHEDRON);
  for (size_t i = 0; i < dv_ints_size(list); i++)
    sum += dv_tetrahedron_signed_volume(dv_state_read(b->state, DV_X), list->data + 4 * i);
  return sum;
}

// across the organ and down through it, seen from z = 1
#define ACROSS(tool) "{\"do\":\"tool\",\"tool\":\"" tool "\",\"rays\":[[-0.5,-0.01,1,0,0,-1],[0.5,0.01,1,0,0,-1]]}"
#define DOWN(tool) "{\"do\":\"tool\",\"tool\":\"" tool "\",\"rays\":[[0.03,0.5,1,0,0,-1],[0.03,-0.5,1,0,0,-1]]}"
#define AT(tool, more) "{\"do\":\"tool\",\"tool\":\"" tool "\",\"rays\":[[0,0,1,0,0,-1]]" more "}"

static void a_blade_cuts_an_organ_in_two(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "liver.scn");
  must(&f, "{\"do\":\"hello\"}", "");
  run(&f, 5);
  dvMeshBody b = body_of(&f, "/Liver/dofs");
  double before = volume(&b);
  size_t count = dv_topology_count(b.mesh, DV_TETRAHEDRON);
  uint64_t hash = dv_scene_hash(f.session->scene);
  assert_int_equal(must(&f, ACROSS("cut"), "pieces"), 2);
  check_close(volume(&b), before, 1e-12);
  assert_true(dv_topology_count(b.mesh, DV_TETRAHEDRON) > count);
  run(&f, 40);
  assert_int_equal(dv_body_pieces(&b), 2);
  // the piece that nothing holds has fallen
  dvVec3 low, high;
  dv_body_box(&b, &low, &high);
  assert_true(low.y < -0.3);
  must(&f, "{\"do\":\"scene\"}", "");
  // the outer faces stand in for the skin, which knows nothing of the cut
  bool found = false;
  for (size_t i = 0; i < f.session->draw.list.count; i++) {
    const dvDrawable *d = &f.session->draw.list.data[i];
    found = found || (d->group == DV_DRAW_VISUAL && d->indices >= 0 &&
                      f.session->draw.arrays.data[d->indices].source == DV_FROM_BOUNDARY);
  }
  assert_true(found);
  must(&f, "{\"do\":\"undo\"}", "");
  b = body_of(&f, "/Liver/dofs");
  assert_int_equal(dv_topology_count(b.mesh, DV_TETRAHEDRON), count);
  assert_true(dv_scene_hash(f.session->scene) == hash);   // the very moment before the cut
  must_fail(&f, "{\"do\":\"undo\"}", "nothing to undo");
  // and again, as if nothing had been
  assert_int_equal(must(&f, ACROSS("cut"), "pieces"), 2);
  run(&f, 2);
  // a reset gives the whole organ back
  must(&f, "{\"do\":\"reset\"}", "");
  b = body_of(&f, "/Liver/dofs");
  assert_int_equal(dv_topology_count(b.mesh, DV_TETRAHEDRON), count);
  assert_int_equal(dv_body_pieces(&b), 1);
  close_scene(&f);
}

static void strokes_are_undone_one_by_one(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  size_t counts[6];
  open_scene(&f, "resection.scn");
  must(&f, "{\"do\":\"hello\"}", "");
  const char *strokes[] = {AT("remove", ""), AT("carve", ",\"size\":0.03"), AT("refine", ",\"size\":0.02"),
                           DOWN("incise"), DOWN("cut")};
  for (size_t i = 0; i < DV_COUNT(strokes); i++) {
    dvMeshBody b = body_of(&f, "/Organ/dofs");
    counts[i] = dv_topology_count(b.mesh, DV_TETRAHEDRON);
    assert_true(must(&f, strokes[i], "changed") > 0);
    run(&f, 2);
  }
  // a drag of the carving tool is undone as a whole
  dvMeshBody b = body_of(&f, "/Organ/dofs");
  counts[5] = dv_topology_count(b.mesh, DV_TETRAHEDRON);
  must(&f, AT("carve", ",\"size\":0.02"), "changed");
  must(&f, AT("carve", ",\"size\":0.01,\"spread\":0.02,\"goesOn\":true"), "changed");
  for (int i = 5; i >= 0; i--) {
    must(&f, "{\"do\":\"undo\"}", "");
    b = body_of(&f, "/Organ/dofs");
    assert_int_equal(dv_topology_count(b.mesh, DV_TETRAHEDRON), counts[i]);
    run(&f, 1);
  }
  assert_true(counts[1] == counts[0] - 1 && counts[2] < counts[1] && counts[3] > counts[2] && counts[4] > counts[3]);
  close_scene(&f);
}

// an edit that reads the scene again keeps what was done to the mesh
static void a_cut_outlives_an_edit(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "liver.scn");
  must(&f, "{\"do\":\"hello\"}", "");
  must(&f, DOWN("cut"), "pieces");
  run(&f, 10);
  dvMeshBody b = body_of(&f, "/Liver/dofs");
  size_t points = b.state->count;
  double x = dv_body_point(&b, (int32_t)points - 1).y;
  must(&f, "{\"do\":\"remove\",\"path\":\"/Liver/Spheres\"}", "");
  b = body_of(&f, "/Liver/dofs");
  assert_int_equal(b.state->count, points);
  check_close(dv_body_point(&b, (int32_t)points - 1).y, x, 1e-12);
  assert_int_equal(dv_body_pieces(&b), 2);
  run(&f, 2);
  close_scene(&f);
}

static void what_cannot_be_changed_is_told(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "liver.scn");
  must(&f, "{\"do\":\"hello\"}", "");
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"hammer\",\"rays\":[]}", "is no tool");
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"cut\",\"rays\":[[0,0,1,0,0,-1]]}", "takes 2 to 200 rays");
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"cut\",\"rays\":[[0,0,1,0,0,-1],[0,0,1,0,0,0]]}", "rays");
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"remove\",\"rays\":[[5,5,1,0,0,-1]]}", "nothing under the tool");
  must_fail(&f, "{\"do\":\"tool\",\"tool\":\"cut\",\"rays\":[[5,5,1,0,0,-1],[5,6,1,0,0,-1]]}", "nothing under");
  must_fail(&f, AT("carve", ",\"size\":10"), "nothing of Liver would be left");
  must_fail(&f, AT("carve", ",\"size\":-1"), "a size is positive");
  must_fail(&f, AT("carve", ",\"size\":0,\"spread\":-1"), "a spread is positive");
  // a drag may begin beside the body
  assert_int_equal(must(&f, "{\"do\":\"tool\",\"tool\":\"carve\",\"rays\":[[5,5,1,0,0,-1]]}", "changed"), 0);
  must_fail(&f, "{\"do\":\"undo\"}", "nothing to undo");
  run(&f, 2);
  close_scene(&f);
}

// a stroke across the middle of a body, as seen along z, with a tool
static char *across(const dvMeshBody *b, const char *tool)
{
  dvVec3 low, high;
  dv_body_box(b, &low, &high);
  double x = 0.5 * (low.x + high.x) + 0.03 * (high.x - low.x), beyond = high.y - low.y;
  return dv_format("{\"do\":\"tool\",\"tool\":\"%s\",\"rays\":[[%g,%g,100,0,0,-1],[%g,%g,100,0,0,-1]]}", tool, x,
                   low.y - beyond, x, high.y + beyond);
}

// hexahedra, and what follows them: a surface that is embedded in them, or tetrahedra that a mapping makes of them
static void hexahedra_are_cut(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[][2] = {{"resection_grid.scn", "/Organ/dofs"},
                                          {"HexahedronFEMForceField.scn", NULL},
                                          {"Hexa2TetraTopologicalMapping.scn", NULL}};
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    Fixture f;
    open_scene(&f, scenes[i][0]);
    must(&f, "{\"do\":\"hello\"}", "");
    dvMeshBody b;
    assert_true(dv_view_body(dv_state(f.session->scene->plan->independent.data[0]), &b, NULL));
    assert_int_equal(b.kind, DV_HEXAHEDRON);
    size_t count = dv_topology_count(b.mesh, DV_HEXAHEDRON);
    uint64_t hash = dv_scene_hash(f.session->scene);
    char *request = across(&b, "cut");
    assert_int_equal(must(&f, request, "pieces"), 2);
    run(&f, 5);
    must(&f, "{\"do\":\"undo\"}", "");
    assert_true(dv_view_body(dv_state(f.session->scene->plan->independent.data[0]), &b, NULL));
    assert_int_equal(dv_topology_count(b.mesh, DV_HEXAHEDRON), count);
    assert_true(dv_scene_hash(f.session->scene) == hash);
    assert_int_equal(must(&f, request, "pieces"), 2);
    dv_free(request);
    close_scene(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_blade_cuts_an_organ_in_two),
      cmocka_unit_test(strokes_are_undone_one_by_one),
      cmocka_unit_test(a_cut_outlives_an_edit),
      cmocka_unit_test(what_cannot_be_changed_is_told),
      cmocka_unit_test(hexahedra_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
