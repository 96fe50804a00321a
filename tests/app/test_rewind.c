// Meshes that change, over every scene of scenes/: a reset brings them back with all that follows them, and a snapshot
// that was taken before the change undoes it.
#include "support/check.h"
#include "support/fields.h"
#include "support/scene.h"

#include "base/file.h"
#include "io/record/snapshot.h"
#include "scene/remember.h"
#include "topology/change/journal.h"
#include "topology/change/modify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEFORE = 3, AFTER = 3 };

// --- meshes --------------------------------------------------------------------------------------

typedef struct Meshes {
  dvVisitor visitor;
  DV_ARRAY(dvTopology *) list;
} Meshes;

static dvWalk list_node(dvVisitor *v, dvNode *node)
{
  Meshes *m = (Meshes *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_TOPOLOGY) && !o->failed) dv_push(&m->list, dv_topology(o));
  }
  return DV_WALK_ON;
}

static Meshes meshes_of(dvScene *s)
{
  Meshes m = {.visitor = {.top_down = list_node, .everything = true}};
  dv_visit(s->root, &m.visitor);
  return m;
}

// all points and elements
static uint64_t hash_meshes(dvScene *s)
{
  Meshes m = meshes_of(s);
  uint64_t hash = 0;
  for (size_t i = 0; i < m.list.count; i++) {
    dvTopology *t = m.list.data[i];
    size_t points = dv_topology_point_count(t);
    const dvReals *x = dv_topology_positions(t);
    hash = dv_hash_bytes(&points, sizeof points, hash);
    if (x->count) hash = dv_hash_bytes(x->data, x->count * sizeof(double), hash);
    for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
      const dvInts *e = dv_topology_elements(t, k);
      if (e->count) hash = dv_hash_bytes(e->data, e->count * sizeof(int32_t), hash);
    }
  }
  dv_array_free(&m.list);
  return hash;
}

// Takes some elements out of every mesh that may be changed, with what only they had. Returns how many meshes changed.
static int bite(dvScene *s)
{
  Meshes m = meshes_of(s);
  int changed = 0;
  for (size_t i = 0; i < m.list.count; i++) {
    dvTopology *t = m.list.data[i];
    dvElementKind kind = dv_topology_largest(t);
    size_t count = dv_topology_count(t, kind);
    if (t->filler || kind == DV_POINT || count < 4) continue;
    int32_t gone[] = {(int32_t)(count / 2), 0, (int32_t)(count - 1)};
    assert_int_equal(dv_mesh_remove(t, kind, gone, DV_COUNT(gone), DV_REMOVE_POINTS), DV_OK);
    dv_topology_end_changes(t);
    changed++;
  }
  dv_array_free(&m.list);
  return changed;
}

// --- one scene -----------------------------------------------------------------------------------

typedef struct Moment {
  uint64_t memory, meshes;
  char *fields;
} Moment;

static Moment moment(dvScene *s)
{
  return (Moment){.memory = dv_scene_hash(s), .meshes = hash_meshes(s), .fields = check_all_fields(s)};
}

// `stepped`: fields that a step writes are those of the last one
static bool same(const char *path, const char *what, const Moment *want, Moment got, bool stepped)
{
  bool fields = !stepped || dv_same(want->fields, got.fields);
  if (want->meshes != got.meshes) print_error("%s: %s: another mesh\n", path, what);
  else if (want->memory != got.memory) print_error("%s: %s: another memory\n", path, what);
  else if (!fields) print_error("%s: %s:\n", path, what);
  if (!fields) check_print_difference(want->fields, got.fields);
  dv_free(got.fields);
  return want->meshes == got.meshes && want->memory == got.memory && fields;
}

static void forget(Moment *m) { dv_free(m->fields); }

static bool run(dvScene *s, int steps)
{
  for (int i = 0; i < steps; i++)
    if (dv_scene_step(s, 0) != DV_OK) return false;
  return true;
}

static int scenes, changed, unable, bad;

static dvScene *open_scene(const char *path)
{
  dvContext *c = dv_divan_create(1);
  c->log.threshold = DV_ERROR;
  dvScene *s = NULL;
  dv_scene_read(c, path, &s);
  assert_non_null(s);
  assert_int_equal(dv_scene_init(s), DV_OK);
  return s;
}

static bool check_one(const char *path)
{
  dvScene *s = open_scene(path);
  Moment start = moment(s);
  bool good = run(s, BEFORE);
  size_t length, bitten_length;
  void *bytes = dv_snapshot_pack(s, &length);   // before engines are asked for their fields
  Moment middle = moment(s);
  good = run(s, AFTER) && good;
  Moment end = moment(s);
  dv_scene_reset(s);
  good = run(s, BEFORE) && good;
  s->context->log.recent = DV_OK;
  if (!bite(s) || s->context->log.recent != DV_OK || !run(s, AFTER)) {   // a component that cannot follow has said so
    if (s->rewind) unable++;
    dv_free(bytes);
    forget(&start), forget(&middle), forget(&end);
    check_close_scene(&s);
    return good;
  }
  changed++;
  void *changed_bytes = dv_snapshot_pack(s, &bitten_length);
  Moment bitten = moment(s);
  // undone
  good = dv_snapshot_unpack(s, bytes, length, "memory") == DV_OK && good;
  good = same(path, "the moment before the change", &middle, moment(s), false) && good;
  good = run(s, AFTER) && same(path, "on from before the change", &end, moment(s), true) && good;
  // done again
  good = dv_snapshot_unpack(s, changed_bytes, bitten_length, "memory") == DV_OK && good;
  good = same(path, "the moment after the change", &bitten, moment(s), false) && good;
  good = run(s, 1) && good;
  // and reset
  dv_scene_reset(s);
  good = same(path, "reset", &start, moment(s), false) && good;
  good = run(s, BEFORE) && same(path, "some steps after a reset", &middle, moment(s), true) && good;
  bite(s);
  good = run(s, AFTER) && same(path, "the same change after a reset", &bitten, moment(s), true) && good;
  dv_free(changed_bytes);
  dv_free(bytes);
  forget(&start), forget(&middle), forget(&end), forget(&bitten);
  check_close_scene(&s);
  return good;
}

static void check_path(const char *path, void *user)
{
  DV_UNUSED(user);
  bad += !check_one(path);
}

static void every_mesh_comes_back(void **state)
{
  DV_UNUSED(state);
  char *work = check_mkdir(), *here = getcwd(NULL, 0);   // scenes may write files
  assert_int_equal(chdir(work), 0);
  scenes = check_some_scenes("scenes", check_path, NULL);
  assert_int_equal(chdir(here), 0);
  free(here);
  check_rmdir(work);
  print_message("%d scenes, %d with meshes that changed, %d that cannot follow, %d differ\n", scenes, changed, unable,
                bad);
  assert_true(scenes > 0);
  assert_int_equal(bad, 0);
}

// --- scenes that change their meshes by themselves -----------------------------------------------

static bool has_changed(dvScene *s)
{
  Meshes m = meshes_of(s);
  bool any = false;
  for (size_t i = 0; i < m.list.count; i++) any = any || dv_topology_journal(m.list.data[i]);
  dv_array_free(&m.list);
  return any;
}

static bool check_itself(const char *name)
{
  enum { MOST = 400 };
  char *path = dv_path_join(DIVAN_SOURCE_DIR, name);
  dvScene *s = open_scene(path);
  size_t length;
  Moment start = moment(s);
  assert_true(run(s, 1));
  void *bytes = dv_snapshot_pack(s, &length);
  int steps = 0;
  for (; steps < MOST && !has_changed(s); steps++) assert_true(run(s, 1));
  assert_true(has_changed(s));
  assert_true(run(s, AFTER));
  Moment end = moment(s);
  dv_scene_reset(s);
  assert_false(has_changed(s));
  bool good = same(path, "reset", &start, moment(s), false);
  good = run(s, 1 + steps + AFTER) && same(path, "the same steps after a reset", &end, moment(s), true) && good;
  assert_int_equal(dv_snapshot_unpack(s, bytes, length, "memory"), DV_OK);
  assert_false(has_changed(s));
  good = run(s, steps + AFTER) && same(path, "the same steps after an undo", &end, moment(s), true) && good;
  forget(&start), forget(&end);
  dv_free(bytes);
  dv_free(path);
  check_close_scene(&s);
  return good;
}

static void scenes_that_change_begin_again(void **state)
{
  DV_UNUSED(state);
  assert_true(check_itself("scenes/TopologicalChangeProcessor.scn"));
  assert_true(check_itself("scenes/TopologyBoundingTrasher.scn"));
  assert_true(check_itself("scenes/CarvingManager.scn"));
  assert_true(check_itself("scenes/resection.scn"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(scenes_that_change_begin_again),
                                     cmocka_unit_test(every_mesh_comes_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
