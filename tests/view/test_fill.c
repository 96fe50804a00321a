// Surfaces that gmsh fills: with a stand-in for the program, which is not everywhere, and with itself where it is.
#include "support/check.h"

#include "base/clock.h"
#include "base/file.h"
#include "state/state.h"
#include "view/edit.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// a closed pyramid with the tip up, and the one tetrahedron that fills half of it with the other half
#define PYRAMID                                                                             \
  "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0.5 1 0.5\nf 1 2 3 4\nf 1 5 2\nf 2 5 3\nf 3 5 4\n" \
  "f 4 5 1\n"
#define FILLED                                                                                                   \
  "$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n$Nodes\\n5\\n1 0 0 0\\n2 1 0 0\\n3 1 0 1\\n4 0 0 1\\n5 0.5 1 0.5\\n" \
  "$EndNodes\\n$Elements\\n2\\n1 4 2 0 1 1 2 3 5\\n2 4 2 0 1 1 3 4 5\\n$EndElements\\n"

typedef struct Fixture {
  dvSession *session;
  dvViewer viewer;
  char *directory, *programs, *path;
} Fixture;

// `program`: what stands in for gmsh, NULL: none is there
static void open_scene(Fixture *f, const char *program, double seconds)
{
  memset(f, 0, sizeof *f);
  f->directory = check_mkdir();
  f->programs = check_mkdir();
  f->path = dv_strdup(getenv("PATH"));
  if (program) {
    char *file = check_write(f->programs, "gmsh", program);
    assert_int_equal(chmod(file, 0700), 0);
    dv_free(file);
  }
  char *with = dv_format("%s:/bin:/usr/bin", f->programs);
  setenv("PATH", program ? with : f->programs, 1);
  dv_free(with);
  dv_free(check_write(f->directory, "pyramid.obj", PYRAMID));
  assert_int_equal(chdir(f->directory), 0);
  f->session = dv_session_create(&(dvSessionOptions){.threads = 1, .fill_seconds = seconds});
  assert_true(dv_session_join(f->session, &f->viewer));
}

static void close_scene(Fixture *f)
{
  dv_session_leave(f->session, &f->viewer);
  dv_session_destroy(&f->session);
  assert_int_equal(chdir("/"), 0);
  setenv("PATH", f->path, 1);
  dv_free(f->path);
  check_rmdir(f->directory);
  check_rmdir(f->programs);
}

static json_t *ask(Fixture *f, const char *request)
{
  dvText reply = {0};
  char *text = dv_strdup(request);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  dv_session_handle(f->session, &f->viewer, text, strlen(text), &reply);
  dv_free(text);
  json_t *answer = json_loads(reply.text ? reply.text : "{}", 0, NULL);
  assert_non_null(answer);
  dv_text_free(&reply);
  return answer;
}

// asks until gmsh has ended
static json_t *fill(Fixture *f)
{
  for (int i = 0; i < 6000; i++) {
    json_t *answer = ask(f, "{'do': 'fill', 'mesh': 'pyramid.obj'}");
    if (!json_is_true(json_object_get(answer, "running"))) return answer;
    json_decref(answer);
    usleep(10000);
  }
  fail_msg("gmsh did not end");
  return NULL;
}

static void says(json_t *answer, const char *key, const char *part)
{
  const char *text = json_string_value(json_object_get(answer, key));
  assert_non_null(text);
  if (!strstr(text, part)) fprintf(stderr, "%s: %s\n", key, text);
  assert_non_null(strstr(text, part));
}

// nothing that gmsh worked with is left
static size_t left_next_to(const char *directory)
{
  size_t count = 0;
  DIR *d = opendir(directory);
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) count += dv_starts_with(e->d_name, ".filling");
  closedir(d);
  return count;
}

static void a_surface_is_filled(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f,
             "#!/bin/sh\n[ \"$1 $2\" = 'fill.geo -3' ] && grep -q 'Merge \"surface.stl\"' fill.geo || exit 1\n"
             "[ $(grep -c vertex surface.stl) = 18 ] || exit 1\nprintf '" FILLED "' > inside.msh\n",
             0);
  json_decref(ask(&f, "{'do': 'hello'}"));
  json_t *library = ask(&f, "{'do': 'library'}");
  assert_true(json_is_true(json_object_get(library, "gmsh")));
  json_decref(library);
  json_t *answer = fill(&f);
  assert_string_equal(json_string_value(json_object_get(answer, "file")), "pyramid-tetrahedra.msh");
  assert_int_equal(json_integer_value(json_object_get(answer, "tetrahedra")), 2);
  json_decref(answer);
  assert_int_equal(left_next_to(f.directory), 0);
  assert_true(dv_file_exists("pyramid-tetrahedra.msh"));
  answer = ask(&f, "{'do': 'add', 'mesh': 'pyramid.obj', 'as': 'soft', 'inside': 'pyramid-tetrahedra.msh'}");
  assert_string_equal(json_string_value(json_object_get(answer, "path")), "/pyramid");
  json_decref(answer);
  assert_true(f.session->ready);
  assert_int_equal(dv_state(dv_view_find(f.session, "/pyramid/points"))->count, 5);
  assert_non_null(strstr(f.session->editing->document.text.text, "filename=\"pyramid-tetrahedra.msh\""));
  assert_null(strstr(f.session->editing->document.text.text, "MeshTetraStuffing"));
  f.session->steps_wanted = 3;
  for (int i = 0; i < 1000 && f.session->steps_wanted > 0; i++) dv_session_advance(f.session);
  assert_int_equal(f.session->scene->step, 3);
  // a second one does not overwrite the first
  answer = fill(&f);
  says(answer, "file", "pyramid-tetrahedra-2.msh");
  json_decref(answer);
  // a file that has tetrahedra needs no filling
  answer = ask(&f, "{'do': 'fill', 'mesh': 'pyramid-tetrahedra.msh'}");
  assert_true(json_is_null(json_object_get(answer, "file")));
  json_decref(answer);
  answer = ask(&f, "{'do': 'add', 'mesh': 'pyramid.obj', 'as': 'soft', 'inside': '/etc/passwd'}");
  says(answer, "error", "no tetrahedra");
  json_decref(answer);
  close_scene(&f);
}

static void without_gmsh_it_is_told(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL, 0);
  json_decref(ask(&f, "{'do': 'hello'}"));
  json_t *answer = ask(&f, "{'do': 'library'}");
  assert_true(json_is_false(json_object_get(answer, "gmsh")));
  json_decref(answer);
  answer = ask(&f, "{'do': 'fill', 'mesh': 'pyramid.obj'}");
  says(answer, "error", "gmsh is not there");
  says(answer, "advice", "MeshTetraStuffing");
  json_decref(answer);
  close_scene(&f);
}

static void what_takes_too_long_is_stopped(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "#!/bin/sh\nsleep 1000 &\nsleep 1000\n", 0.2);
  json_decref(ask(&f, "{'do': 'hello'}"));
  json_t *answer = fill(&f);
  says(answer, "error", "stopped");
  says(answer, "error", "0.2 s");
  json_decref(answer);
  assert_int_equal(left_next_to(f.directory), 0);
  close_scene(&f);
}

static void it_is_stopped_by_hand_and_with_its_scene(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "#!/bin/sh\nsleep 1000\n", 0);
  json_decref(ask(&f, "{'do': 'hello'}"));
  dv_free(check_write(f.directory, "other.obj", PYRAMID));
  json_t *answer = ask(&f, "{'do': 'fill', 'mesh': 'pyramid.obj'}");
  assert_true(json_is_true(json_object_get(answer, "running")));
  json_decref(answer);
  answer = ask(&f, "{'do': 'fill', 'mesh': 'other.obj'}");
  says(answer, "error", "at work on pyramid.obj");
  json_decref(answer);
  json_decref(ask(&f, "{'do': 'fill', 'mesh': 'pyramid.obj', 'stop': true}"));
  assert_int_equal(left_next_to(f.directory), 0);
  answer = ask(&f, "{'do': 'fill', 'mesh': 'other.obj'}");
  assert_true(json_is_true(json_object_get(answer, "running")));
  json_decref(answer);
  assert_int_equal(left_next_to(f.directory), 1);
  json_decref(ask(&f, "{'do': 'drop', 'name': 'empty.scn', 'text': '<Node/>'}"));
  assert_int_equal(left_next_to(f.directory), 0);
  close_scene(&f);
}

static void what_gmsh_complains_of_is_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *program, *error, *advice;
  } cases[] = {
      {"#!/bin/sh\necho 'Info : Meshing 3D'\necho 'Error : Invalid boundary mesh (overlapping facets)'\nexit 1\n",
       "no tetrahedra", "overlapping facets"},
      {"#!/bin/sh\nexit 0\n", "no tetrahedra", "closed"},
      {"#!/bin/sh\nexit 127\n", "cannot be run", "installed"},
      {"#!/bin/sh\necho rubbish > inside.msh\n", "no tetrahedra", "closed"},
      {"#!/bin/sh\nkill -9 $$\n", "signal 9", "memory"}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Fixture f;
    open_scene(&f, cases[i].program, 0);
    json_decref(ask(&f, "{'do': 'hello'}"));
    json_t *answer = fill(&f);
    says(answer, "error", cases[i].error);
    says(answer, "advice", cases[i].advice);
    json_decref(answer);
    assert_int_equal(left_next_to(f.directory), 0);
    answer = ask(&f, "{'do': 'fill', 'mesh': 'nothing.obj'}");
    says(answer, "error", "no mesh");
    json_decref(answer);
    close_scene(&f);
  }
}

// the volume of what it makes is that of the pyramid: 1/3 m3
static void gmsh_itself_fills_it(void **state)
{
  DV_UNUSED(state);
  char *program = dv_program_find("gmsh");
  if (!program) {
    printf("without gmsh: left out\n");
    return;
  }
  char *script = dv_format("#!/bin/sh\nexec '%s' \"$@\"\n", program);
  Fixture f;
  open_scene(&f, script, 0);
  json_decref(ask(&f, "{'do': 'hello'}"));
  json_t *answer = fill(&f);
  says(answer, "file", "pyramid-tetrahedra.msh");
  json_decref(answer);
  dvMesh mesh;
  assert_int_equal(dv_mesh_read("pyramid-tetrahedra.msh", &mesh, NULL), DV_OK);
  double volume = 0;
  for (size_t i = 0; i + 3 < mesh.tetrahedra.count; i += 4) {
    dvVec3 p[4];
    for (int k = 0; k < 4; k++) p[k] = dv_vec3_load(mesh.positions.data + 3 * mesh.tetrahedra.data[i + (size_t)k]);
    volume += dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0])), dv_vec3_sub(p[3], p[0])) / 6;
  }
  dv_mesh_free(&mesh);
  if (volume < 0) volume = -volume;
  assert_float_equal(volume, 1.0 / 3, 1e-6);
  close_scene(&f);
  dv_free(script), dv_free(program);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_surface_is_filled),
      cmocka_unit_test(without_gmsh_it_is_told),
      cmocka_unit_test(what_takes_too_long_is_stopped),
      cmocka_unit_test(it_is_stopped_by_hand_and_with_its_scene),
      cmocka_unit_test(what_gmsh_complains_of_is_told),
      cmocka_unit_test(gmsh_itself_fills_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
