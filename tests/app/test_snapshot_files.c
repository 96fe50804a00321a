// Snapshots as files and bytes: the command in processes of their own, the interface for host programs, what is refused
// and what is told, and files that go on.
#include "support/check.h"
#include "support/scene.h"

#include "base/file.h"
#include "divan/divan.h"
#include "topology/change/modify.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR(young, n)                                                                                               \
  "<Node dt='0.02' gravity='0 -9.81 0'><EulerImplicitSolver/><SparseLDLSolver/><RegularGridTopology n='2 2 " n "' " \
  "min='0 0 0' max='1 1 5'/><MechanicalObject name='mo'/><UniformMass name='mass' totalMass='1'/>"                  \
  "<FixedProjectiveConstraint indices='0-3'/><HexahedronFEMForceField name='ff' youngModulus='" young               \
  "' poissonRatio='0.3'/></Node>"

// --- messages ---

typedef struct Heard {
  dvText text;
  int errors, warnings;
} Heard;

static void hear(void *user, const divanMessage *m)
{
  Heard *h = user;
  h->errors += m->level == 3;
  h->warnings += m->level == 2;
  dv_text_add(&h->text, m->text);
  dv_text_add(&h->text, "\n");
}

static dvScene *load(dvContext **c, Heard *h, const char *text)
{
  *c = divan_create(1);
  divan_listen(*c, hear, h);
  dvScene *s = divan_parse(*c, text, strlen(text));
  assert_non_null(s);
  assert_int_equal(divan_init(s), DIVAN_OK);
  dv_text_clear(&h->text);
  h->errors = h->warnings = 0;
  return s;
}

static void unload(dvContext **c, dvScene **s, Heard *h)
{
  divan_close(s);
  divan_destroy(c);
  dv_text_free(&h->text);
}

static void run(dvScene *s, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(divan_step(s, 0), DIVAN_OK);
}

static bool was_told(const Heard *h, const char *what)
{
  bool told = h->text.text && strstr(h->text.text, what);
  if (!told) print_error("'%s' was not told, but:\n%s\n", what, h->text.text ? h->text.text : "");
  return told;
}

// --- host programs ---

static void a_host_program_saves_and_restores(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_format("%s/half.snap", directory);
  Heard h = {0}, other = {0};
  dvContext *c, *d;
  dvScene *s = load(&c, &h, BAR("3000", "6"));
  run(s, 5);
  uint64_t half = divan_hash(s);
  assert_int_equal(divan_save(s, path), DIVAN_OK);
  assert_true(divan_hash(s) == half);   // saving changes nothing
  size_t length;
  void *bytes = divan_snapshot(s, &length);
  assert_non_null(bytes);
  run(s, 5);
  uint64_t end = divan_hash(s);
  dvScene *t = load(&d, &other, BAR("3000", "6"));
  assert_int_equal(divan_restore(t, path), DIVAN_OK);
  assert_int_equal(other.warnings, 0);
  assert_true(divan_hash(t) == half);
  check_close(divan_time(t), 0.1, 1e-15);
  run(t, 5);
  assert_true(divan_hash(t) == end);
  assert_int_equal(divan_restore_snapshot(t, bytes, length), DIVAN_OK);
  assert_true(divan_hash(t) == half);
  divan_reset(t);
  check_close(divan_time(t), 0, 0);
  divan_free(bytes);
  unload(&d, &t, &other);
  unload(&c, &s, &h);
  dv_free(path);
  check_rmdir(directory);
}

// fields that a program changes while it runs are part of it
static void edits_go_with_a_snapshot(void **state)
{
  DV_UNUSED(state);
  Heard h = {0}, other = {0};
  dvContext *c, *d;
  dvScene *s = load(&c, &h, BAR("3000", "6")), *t = load(&d, &other, BAR("3000", "6"));
  size_t length;
  run(s, 3);
  void *before = divan_snapshot(s, &length);
  size_t before_length = length;
  assert_int_equal(divan_set(s, "/ff", "youngModulus", "500"), DIVAN_OK);
  assert_int_equal(divan_set(s, "/", "gravity", "0 0 -5"), DIVAN_OK);
  run(s, 3);
  void *after = divan_snapshot(s, &length);
  run(s, 4);
  assert_int_equal(divan_restore_snapshot(t, after, length), DIVAN_OK);
  run(t, 4);
  assert_true(divan_hash(t) == divan_hash(s));
  char *young = divan_get(t, "/ff", "youngModulus");
  assert_string_equal(young, "500");
  divan_free(young);
  assert_int_equal(divan_restore_snapshot(t, before, before_length), DIVAN_OK);
  assert_true(was_told(&other, "keeps its value"));
  divan_free(before);
  divan_free(after);
  unload(&d, &t, &other);
  unload(&c, &s, &h);
}

// --- refusals ---

static void refused(dvScene *s, Heard *h, const void *bytes, size_t length, const char *why)
{
  uint64_t hash = divan_hash(s);
  dv_text_clear(&h->text);
  h->errors = 0;
  assert_int_equal(divan_restore_snapshot(s, bytes, length), DIVAN_INPUT);
  assert_int_equal(h->errors, 1);
  assert_true(was_told(h, why));
  assert_true(divan_hash(s) == hash);   // the scene is as it was
}

static void what_does_not_fit_is_refused(void **state)
{
  DV_UNUSED(state);
  Heard h = {0}, other = {0};
  dvContext *c, *d;
  dvScene *s = load(&c, &h, BAR("3000", "6"));
  run(s, 3);
  size_t length;
  char *bytes = divan_snapshot(s, &length);
  run(s, 2);
  refused(s, &h, "hello", 5, "no snapshot");
  refused(s, &h, bytes, 11, "cut off");
  refused(s, &h, bytes, length - 1, "cut off or damaged");
  bytes[8]++;   // the format
  refused(s, &h, bytes, length, "format 4");
  bytes[8]--;
  for (size_t at = 20; at < length; at += length / 17) {
    bytes[at] ^= 0x10;
    refused(s, &h, bytes, length, "damaged");
    bytes[at] ^= 0x10;
  }
  assert_int_equal(divan_restore_snapshot(s, bytes, length), DIVAN_OK);
  // another number of points
  dvScene *t = load(&d, &other, BAR("3000", "7"));
  refused(t, &other, bytes, length, "24 degrees of freedom and not 28");
  unload(&d, &t, &other);
  // another solver, and a component more
  t = load(&d, &other,
           "<Node><NewmarkImplicitSolver name='EulerImplicitSolver1'/><SparseLDLSolver/><RegularGridTopology n='2 2 6' "
           "min='0 0 0' max='1 1 5'/><MechanicalObject name='mo'/><UniformMass totalMass='1'/></Node>");
  refused(t, &other, bytes, length, "EulerImplicitSolver1 (EulerImplicitSolver) is in the snapshot only");
  assert_true(was_told(&other, "(NewmarkImplicitSolver) is not in the snapshot"));
  unload(&d, &t, &other);
  // the same components with other attributes: it goes on, and that is told
  t = load(&d, &other, BAR("4000", "6"));
  assert_int_equal(divan_restore_snapshot(t, bytes, length), DIVAN_OK);
  assert_true(was_told(&other, "is not the scene that was saved"));
  unload(&d, &t, &other);
  assert_int_equal(divan_restore(s, "/nowhere/at.all"), DIVAN_INPUT);
  assert_int_equal(divan_save(s, "/nowhere/at.all"), DIVAN_INPUT);
  divan_free(bytes);
  unload(&c, &s, &h);
}

static const char changing[] =
    "<Node dt='0.02'><EulerImplicitSolver/><CGLinearSolver/><TetrahedronSetTopologyContainer "
    "name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 1 2 3 4'/>"
    "<TetrahedronSetTopologyModifier/><MechanicalObject name='mo'/><UniformMass totalMass='1'/>"
    "<TetrahedronFEMForceField youngModulus='100' poissonRatio='0.3' plasticMaxThreshold='0.3' "
    "plasticYieldThreshold='0.001' plasticCreep='0.2'/></Node>";

static void change_mesh(dvScene *s)
{
  dvTopology *mesh = dv_topology(check_find(s, "mesh"));
  assert_int_equal(dv_mesh_remove(mesh, DV_TETRAHEDRON, (const int32_t[]){1}, 1, DV_REMOVE_POINTS), DV_OK);
  dv_topology_end_changes(mesh);
}

// a mesh that has changed goes with the snapshot; an earlier one, and a reset, bring back what it was
static void meshes_that_have_changed_are_saved(void **state)
{
  DV_UNUSED(state);
  Heard h = {0}, other = {0};
  dvContext *c, *d;
  dvScene *s = load(&c, &h, changing), *t = load(&d, &other, changing);
  size_t early_length, length;
  run(s, 2);
  void *early = divan_snapshot(s, &early_length);
  change_mesh(s);
  run(s, 2);
  void *bytes = divan_snapshot(s, &length);
  assert_non_null(bytes);
  run(t, 1);
  assert_int_equal(divan_restore_snapshot(t, bytes, length), DIVAN_OK);
  assert_int_equal(dv_topology_count(dv_topology(check_find(t, "mesh")), DV_TETRAHEDRON), 1);
  assert_int_equal(dv_topology_point_count(dv_topology(check_find(t, "mesh"))), 4);
  run(s, 3), run(t, 3);
  assert_true(divan_hash(s) == divan_hash(t));
  assert_int_equal(divan_restore_snapshot(s, bytes, length), DIVAN_OK);   // the same mesh
  // one that does not fit changes nothing
  dvContext *e;
  Heard third = {0};
  dvScene *u = load(&e, &third, BAR("3000", "6"));
  size_t bar_length;
  void *bar = divan_snapshot(u, &bar_length);
  uint64_t before = divan_hash(s);
  assert_int_equal(divan_restore_snapshot(s, bar, bar_length), DIVAN_INPUT);
  assert_true(divan_hash(s) == before);
  assert_int_equal(dv_topology_count(dv_topology(check_find(s, "mesh")), DV_TETRAHEDRON), 1);
  run(s, 3);
  assert_true(divan_hash(s) == divan_hash(t));
  divan_free(bar);
  unload(&e, &u, &third);
  // an earlier one undoes the change, whatever came between
  assert_int_equal(divan_restore_snapshot(s, early, early_length), DIVAN_OK);
  assert_int_equal(dv_topology_count(dv_topology(check_find(s, "mesh")), DV_TETRAHEDRON), 2);
  change_mesh(s);
  run(s, 5);
  assert_true(divan_hash(s) == divan_hash(t));
  divan_free(bytes);
  divan_free(early);
  divan_reset(s);
  const double *x = divan_read(s, "/mo", "position", &length);
  assert_int_equal(length, 15);
  for (size_t i = 0; i < 12; i++) check_close(x[i], i / 3 == i % 3 + 1, 0);
  check_close(divan_time(s), 0, 0);
  run(s, 2);
  change_mesh(s);
  run(s, 5);
  assert_true(divan_hash(s) == divan_hash(t));
  unload(&c, &s, &h);
  unload(&d, &t, &other);
}

static void nothing_is_saved_before_the_start(void **state)
{
  DV_UNUSED(state);
  dvContext *c = divan_create(1);
  dvScene *s = divan_new(c);
  size_t length = 1;
  assert_null(divan_snapshot(s, &length));
  assert_int_equal(length, 0);
  assert_int_equal(divan_save(s, "x"), DIVAN_USAGE);
  assert_int_equal(divan_restore(s, "x"), DIVAN_USAGE);
  divan_close(&s);
  divan_destroy(&c);
}

// --- the command: processes of their own ---

static char *hash_of(const char *format, const char *directory, const char *scene)
{
  char *arguments = dv_format(format, scene),
       *command = dv_format("cd %s && %s run %s --hash --threads 1 --quiet 2>&1", directory, DIVAN_BINARY, arguments);
  FILE *p = popen(command, "r");
  assert_non_null(p);
  char text[4096] = {0}, *found = NULL;
  size_t n = fread(text, 1, sizeof text - 1, p);
  text[n] = 0;
  int status = pclose(p);
  if (status == 0 && (found = strstr(text, "hash "))) found = dv_strndup(found + 5, 16);
  if (!found) print_error("%s\n%s\n", command, text);
  assert_non_null(found);
  dv_free(arguments);
  dv_free(command);
  return found;
}

static void the_command_goes_on_in_a_new_process(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {"liver.scn", "PCGLinearSolver.scn", "AsyncSparseLDLSolver.scn",
                                       "NewmarkImplicitSolver.scn"};
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    char *directory = check_mkdir(), *scene = dv_format("%s/scenes/%s", DIVAN_SOURCE_DIR, scenes[i]);
    char *whole = hash_of("%s -n 20", directory, scene), *half = hash_of("%s -n 10 --save half.snap", directory, scene),
         *rest = hash_of("%s -n 10 --restore half.snap --save end.snap", directory, scene),
         *none = hash_of("%s -n 0 --restore end.snap", directory, scene);
    assert_string_equal(rest, whole);
    assert_string_equal(none, whole);
    assert_string_not_equal(half, whole);
    dv_free(whole), dv_free(half), dv_free(rest), dv_free(none), dv_free(scene);
    check_rmdir(directory);
  }
}

static void the_command_refuses_with_status_4(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *command = dv_format("cd %s && %s run %s/scenes/first-beam.scn -n 2 --save a.snap --quiet >out 2>&1 && "
                            "%s run %s/scenes/liver.scn -n 2 --restore a.snap --quiet >out 2>&1; echo $? >status",
                            directory, DIVAN_BINARY, DIVAN_SOURCE_DIR, DIVAN_BINARY, DIVAN_SOURCE_DIR);
  assert_int_equal(system(command), 0);
  size_t length;
  char *out = dv_format("%s/out", directory), *status = dv_format("%s/status", directory),
       *told = dv_file_read(out, &length), *code = dv_file_read(status, &length);
  if (!strstr(told, "does not fit")) print_error("%s\n", told);
  assert_non_null(strstr(told, "a.snap: error: the snapshot (of first-beam.scn, version"));
  assert_int_equal(atoi(code), 4);
  dv_free(command), dv_free(out), dv_free(status), dv_free(told), dv_free(code);
  check_rmdir(directory);
}

// --- files that grow ---

// a run that was stopped and went on has written what one run writes
static void written_files_go_on(void **state)
{
  DV_UNUSED(state);
  static const char scene[] =
      "<Node dt='0.01'><EulerExplicitSolver/><MechanicalObject name='mo' position='0 0 0 1 0 0' velocity='1 0 0'/>"
      "<UniformMass totalMass='1'/><Monitor fileName='seen' indices='0 1' ExportPositions='1'/><WriteState "
      "filename='plain.txt'/><WriteState filename='packed.txt.gz'/><VTKExporter filename='file' "
      "exportEveryNumberOfSteps='4' exportAtBegin='1' edges='0'/></Node>";
  static const char *const files[] = {"seen_x.txt", "plain.txt", "file.pvd"};
  char *directory = check_mkdir(), *path = check_write(directory, "scene.scn", scene), *contents[2][DV_COUNT(files)];
  for (int parts = 1; parts <= 2; parts++) {
    if (parts == 1) dv_free(hash_of("%s -n 20", directory, path));
    else {
      dv_free(hash_of("%s -n 12 --save half.snap", directory, path));
      dv_free(hash_of("%s -n 8 --restore half.snap", directory, path));
    }
    for (size_t i = 0; i < DV_COUNT(files); i++) {
      size_t length;
      char *file = dv_format("%s/%s", directory, files[i]);
      contents[parts - 1][i] = dv_file_read(file, &length);
      assert_non_null(contents[parts - 1][i]);
      dv_free(file);
    }
    char *unpack = dv_format("cd %s && gzip -dc packed.txt.gz | cmp - plain.txt", directory);
    assert_int_equal(system(unpack), 0);
    dv_free(unpack);
  }
  for (size_t i = 0; i < DV_COUNT(files); i++) {
    assert_string_equal(contents[0][i], contents[1][i]);
    assert_true(strlen(contents[0][i]) > 100);
    dv_free(contents[0][i]);
    dv_free(contents[1][i]);
  }
  dv_free(path);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_host_program_saves_and_restores),  cmocka_unit_test(edits_go_with_a_snapshot),
      cmocka_unit_test(what_does_not_fit_is_refused),       cmocka_unit_test(nothing_is_saved_before_the_start),
      cmocka_unit_test(meshes_that_have_changed_are_saved), cmocka_unit_test(the_command_goes_on_in_a_new_process),
      cmocka_unit_test(the_command_refuses_with_status_4),  cmocka_unit_test(written_files_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
