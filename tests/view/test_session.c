// The session behind the viewer: every request, on scenes of our own and without a socket.
#include "support/check.h"

#include "base/file.h"
#include "view/edit.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Fixture {
  dvSession *session;
  dvViewer viewer;
  char directory[64];
  char *scene;
  dvText news;   // everything that was sent
} Fixture;

static void on_send(void *user, dvViewer *to, const char *text, size_t length)
{
  DV_UNUSED(to);
  Fixture *f = user;
  dv_text_add_n(&f->news, text, length);
  dv_text_add(&f->news, "\n");
}

static const char bar[] =
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'>\n"
    "  <Node name='Bar'>\n"
    "    <EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>\n"
    "    <CGLinearSolver name='cg' iterations='200' tolerance='1e-12' threshold='1e-12'/>\n"
    "    <RegularGridTopology name='grid' n='3 3 7' min='0 0 0' max='1 1 4'/>\n"
    "    <MechanicalObject name='dofs'/>\n"
    "    <UniformMass name='mass' totalMass='10'/>\n"
    "    <HexahedronFEMForceField name='fem' youngModulus='20000' poissonRatio='0.3' method='large'/>\n"
    "    <BoxROI name='box' box='-1 -1 -0.1 2 2 0.1'/>\n"
    "    <FixedProjectiveConstraint name='fixed' indices='@box.indices'/>\n"
    "    <Node name='Visual'>\n"
    "      <OglModel name='skin' src='@../grid' color='1 0 0 1'/>\n"
    "      <IdentityMapping/>\n"
    "    </Node>\n"
    "  </Node>\n"
    "</Node>\n";

static void write_file(const char *directory, const char *name, const char *text)
{
  char *path = dv_path_join(directory, name);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  dv_free(path);
}

static void open_text(Fixture *f, const char *text)
{
  *f = (Fixture){0};
  strcpy(f->directory, "/tmp/divan-test-XXXXXX");
  assert_non_null(mkdtemp(f->directory));
  write_file(f->directory, "bar.scn", text);
  f->scene = dv_path_join(f->directory, "bar.scn");
  f->session = dv_session_create(&(dvSessionOptions){.scene = f->scene, .threads = 1, .send = on_send, .user = f});
  assert_true(dv_session_join(f->session, &f->viewer));
}

static void close_fixture(Fixture *f)
{
  dv_session_leave(f->session, &f->viewer);
  dv_session_destroy(&f->session);
  char *command = dv_format("rm -rf %s", f->directory);
  assert_int_equal(system(command), 0);
  dv_free(command);
  dv_free(f->scene);
  dv_text_free(&f->news);
}

// the answer; the caller releases it
static json_t *ask_as(Fixture *f, dvViewer *v, const char *request)
{
  dvText reply = {0};
  dv_session_handle(f->session, v, request, strlen(request), &reply);
  json_t *a = reply.length ? json_loads(reply.text, 0, NULL) : NULL;
  dv_text_free(&reply);
  return a;
}

static json_t *ask(Fixture *f, const char *request) { return ask_as(f, &f->viewer, request); }

static void must(Fixture *f, const char *request)
{
  json_t *a = ask(f, request);
  assert_non_null(a);
  if (json_object_get(a, "error")) fail_msg("%s: %s", request, json_string_value(json_object_get(a, "error")));
  json_decref(a);
}

static void must_fail(Fixture *f, const char *request, const char *part)
{
  json_t *a = ask(f, request);
  assert_non_null(a);
  const char *error = json_string_value(json_object_get(a, "error"));
  if (!error || !strstr(error, part))
    fail_msg("%s: '%s' does not say '%s'", request, error ? error : "(no error)", part);
  json_decref(a);
}

static void run_steps(Fixture *f, int n)
{
  char *request = dv_format("{\"do\":\"step\",\"id\":1,\"count\":%d}", n);
  must(f, request);
  dv_free(request);
  for (int i = 0; i < n; i++) dv_session_advance(f->session);
}

static char *field_text(Fixture *f, const char *path, const char *field)
{
  char *request = dv_format("{\"do\":\"field\",\"id\":1,\"path\":\"%s\",\"field\":\"%s\"}", path, field);
  json_t *a = ask(f, request);
  dv_free(request);
  const char *t = json_string_value(json_object_get(a, "text"));
  assert_non_null(t);
  char *out = dv_strdup(t);
  json_decref(a);
  return out;
}

static double position(Fixture *f, size_t index)
{
  char *text = field_text(f, "/Bar/dofs", "position");
  const char *at = text;
  double value = NAN;
  for (size_t i = 0; i <= index; i++) assert_true(dv_scan_real(&at, &value));
  dv_free(text);
  return value;
}

enum { TIP_Y = 3 * 58 + 1 };   // of the middle point of the free end of the 3 x 3 x 7 grid

// --- frames --------------------------------------------------------------------------------------

typedef struct Chunk {
  uint32_t id, kind, count, zero;
} Chunk;

static bool next_frame(Fixture *f, dvText *out)
{
  for (int i = 0; i < 200; i++) {
    dv_text_clear(out);
    if (dv_session_frame(f->session, &f->viewer, out)) return true;
    usleep(2000);
  }
  return false;
}

// numbers of one array of a frame, or NULL
static const float *find_array(const dvText *frame, uint32_t id, uint32_t *count)
{
  uint32_t chunks;
  memcpy(&chunks, frame->text + 20, 4);
  size_t at = 24;
  for (uint32_t i = 0; i < chunks; i++) {
    Chunk c;
    memcpy(&c, frame->text + at, sizeof c);
    if (c.id == id) {
      *count = c.count;
      return (const float *)(frame->text + at + sizeof c);
    }
    at += sizeof c + 4 * c.count;
  }
  assert_true(at <= frame->length);
  return NULL;
}

static void acknowledge(Fixture *f)
{
  char *request = dv_format("{\"do\":\"ack\",\"frame\":%u}", f->viewer.frame);
  assert_null(ask(f, request));
  dv_free(request);
}

static void test_frames(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, bar);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  json_t *scene = ask(&f, "{\"do\":\"scene\",\"id\":2}");
  uint32_t positions = 0, indices = 0;
  size_t i;
  json_t *d;
  json_array_foreach(json_object_get(scene, "drawables"), i, d)
  {
    if (strcmp(json_string_value(json_object_get(d, "group")), "visual") != 0) continue;
    positions = (uint32_t)json_integer_value(json_object_get(d, "positions"));
    indices = (uint32_t)json_integer_value(json_object_get(d, "indices"));
    json_t *diffuse = json_object_get(json_object_get(d, "material"), "diffuse");
    check_close(json_number_value(json_array_get(diffuse, 0)), 1, 0);
    check_close(json_number_value(json_array_get(diffuse, 1)), 0, 0);
  }
  json_decref(scene);
  dvText frame = {0};
  assert_true(next_frame(&f, &frame));
  uint32_t count = 0;
  const float *x = find_array(&frame, positions, &count);
  assert_non_null(x);
  assert_int_equal(count, 3 * 63);
  assert_non_null(find_array(&frame, indices, &count));
  assert_int_equal(count % 3, 0);
  float before = x[TIP_Y];
  // nothing more before the frame was acknowledged, and nothing while nothing moves
  run_steps(&f, 3);
  assert_false(dv_session_frame(f.session, &f.viewer, &frame));
  acknowledge(&f);
  assert_true(next_frame(&f, &frame));
  x = find_array(&frame, positions, &count);
  assert_non_null(x);
  assert_true(x[TIP_Y] < before);
  assert_null(find_array(&frame, indices, &count));   // faces did not change
  check_close(x[TIP_Y], position(&f, TIP_Y), 1e-6);
  acknowledge(&f);
  usleep(50000);
  dv_text_clear(&frame);
  assert_false(dv_session_frame(f.session, &f.viewer, &frame));
  // another group brings its arrays
  must(&f, "{\"do\":\"show\",\"id\":3,\"groups\":[\"visual\",\"forceFields\",\"velocities\",\"bounds\",\"mappings\","
           "\"behavior\"]}");
  assert_true(next_frame(&f, &frame));
  uint32_t chunks;
  memcpy(&chunks, frame.text + 20, 4);
  assert_true(chunks >= 4);
  // of the hexahedra: their edges without diagonals, and their outer faces only
  scene = ask(&f, "{\"do\":\"scene\",\"id\":4}");
  json_array_foreach(json_object_get(scene, "drawables"), i, d)
  {
    if (strcmp(json_string_value(json_object_get(d, "group")), "forceFields") != 0) continue;
    json_t *array =
        json_array_get(json_object_get(scene, "arrays"), (size_t)json_integer_value(json_object_get(d, "indices")));
    bool lines = strcmp(json_string_value(json_object_get(d, "kind")), "lines") == 0;
    assert_int_equal(json_integer_value(json_object_get(array, "count")),
                     lines ? 2 * (2 * 3 * 7 * 2 + 3 * 3 * 6) : 6 * (2 * 4 + 4 * 12));
  }
  json_decref(scene);
  dv_text_free(&frame);
  close_fixture(&f);
}

// --- edits ---------------------------------------------------------------------------------------

static void test_edits(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, bar);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  run_steps(&f, 10);
  double sagged = position(&f, TIP_Y);
  // gravity at once
  must(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/\",\"field\":\"gravity\",\"text\":\"0 9.81 0\"}");
  check_close(position(&f, TIP_Y), sagged, 0);
  run_steps(&f, 40);
  assert_true(position(&f, TIP_Y) > sagged);
  // a selection: the scene is initialised again and goes on where it was
  double now = position(&f, TIP_Y);
  must(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/Bar/cg\",\"field\":\"iterations\",\"text\":\"100\"}");
  check_close(position(&f, TIP_Y), now, 1e-12);
  must(&f, "{\"do\":\"reset\",\"id\":1}");
  now = position(&f, TIP_Y);
  must(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/Bar/box\",\"field\":\"box\",\"text\":\"-1 -1 3.9 2 2 4.1\"}");
  check_close(position(&f, TIP_Y), now, 1e-12);
  run_steps(&f, 20);
  check_close(position(&f, TIP_Y), now, 1e-12);
  // what does not work changes nothing
  now = position(&f, 1);
  must_fail(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/Bar/fem\",\"field\":\"poissonRatio\",\"text\":\"0.7\"}",
            "oisson");
  must_fail(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/\",\"field\":\"gravity\",\"text\":\"down\"}", "");
  must_fail(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/Nobody\",\"field\":\"x\",\"text\":\"1\"}", "Nobody");
  must_fail(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/Bar\",\"field\":\"nothing\",\"text\":\"1\"}", "nothing");
  check_close(position(&f, 1), now, 1e-12);
  run_steps(&f, 1);
  json_decref(ask(
      &f,
      "{\"do\":\"set\",\"id\":1,\"path\":\"/Bar/fixed\",\"field\":\"indices\",\"text\":\"5000\"}"));   // only a warning
  run_steps(&f, 1);
  // sizes: positions that do not fit are refused or the scene starts with them, never a crash
  json_decref(ask(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/Bar/dofs\",\"field\":\"position\",\"text\":\"0 0 0\"}"));
  json_decref(ask(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/Bar/grid\",\"field\":\"n\",\"text\":\"2 2 3\"}"));
  run_steps(&f, 2);
  must(&f, "{\"do\":\"reload\",\"id\":1}");
  char *text = field_text(&f, "/", "gravity");
  assert_string_equal(text, "0 -9.81 0");
  dv_free(text);
  close_fixture(&f);
}

static const char spinning[] = "<Node name='root' gravity='0 0 0'>\n"
                               "  <RungeKutta4Solver/>\n"
                               "  <MechanicalObject name='dofs' template='Rigid3' velocity='0 0 0 0.1 2 0.3'/>\n"
                               "  <UniformMass name='mass' vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/>\n"
                               "</Node>\n";

// the mode that the status tells, and whether the mass is SOFA's
static void check_mode(Fixture *f, const char *mode, const char *gyroscopic)
{
  json_t *a = ask(f, "{\"do\":\"hello\",\"id\":1}");
  assert_string_equal(json_string_value(json_object_get(json_object_get(a, "status"), "compat")), mode);
  json_decref(a);
  char *text = field_text(f, "/mass", "gyroscopic");
  assert_string_equal(text, gyroscopic);
  dv_free(text);
}

static void test_compat(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, spinning);
  check_mode(&f, "none", "1");
  assert_non_null(strstr(f.news.text, "differs from SOFA on purpose (gyroscopic)"));
  must(&f, "{\"do\":\"set\",\"id\":1,\"path\":\"/mass\",\"field\":\"printLog\",\"text\":\"1\"}");
  run_steps(&f, 5);
  must(&f, "{\"do\":\"compat\",\"id\":1,\"mode\":\"sofa\"}");
  check_mode(&f, "sofa", "0");
  assert_non_null(strstr(f.news.text, "as SOFA (gyroscopic)"));
  assert_int_equal(f.session->scene->step, 0);   // from the start
  must_fail(&f, "{\"do\":\"compat\",\"id\":1,\"mode\":\"ansys\"}", "is no mode");
  must_fail(&f, "{\"do\":\"compat\",\"id\":1}", "is no mode");
  check_mode(&f, "sofa", "0");
  must(&f, "{\"do\":\"reload\",\"id\":1}");
  check_mode(&f, "sofa", "0");
  // what is added follows the scene, not its own root
  write_file(f.directory, "more.scn",
             "<Node name='more' compat='none'><MechanicalObject template='Rigid3'/><UniformMass name='mass' "
             "vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/></Node>");
  must(&f, "{\"do\":\"add-node\",\"id\":1,\"path\":\"/\",\"file\":\"more.scn\"}");
  char *text = field_text(&f, "/more/mass", "gyroscopic");
  assert_string_equal(text, "0");
  dv_free(text);
  // a mode in which the scene cannot be read leaves everything as it was; its file is read again where nothing was done
  must(&f, "{\"do\":\"undo\",\"id\":1}");
  dv_edit_forget_undone(f.session);
  write_file(f.directory, "bar.scn", "<Node compat='sofa'><NoSuchThing/></Node>");
  must_fail(&f, "{\"do\":\"compat\",\"id\":1,\"mode\":\"none\"}", "NoSuchThing");
  write_file(f.directory, "bar.scn", spinning);
  must(&f, "{\"do\":\"reload\",\"id\":1}");
  check_mode(&f, "sofa", "0");
  must(&f, "{\"do\":\"compat\",\"id\":1,\"mode\":\"none\"}");
  check_mode(&f, "none", "1");
  close_fixture(&f);
}

static void test_structure(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, bar);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  run_steps(&f, 5);
  must(&f, "{\"do\":\"activate\",\"id\":1,\"path\":\"/Bar\",\"on\":false}");
  double now = position(&f, TIP_Y);
  run_steps(&f, 5);
  check_close(position(&f, TIP_Y), now, 1e-12);
  must(&f, "{\"do\":\"activate\",\"id\":1,\"path\":\"/Bar\",\"on\":true}");
  must(&f, "{\"do\":\"remove\",\"id\":1,\"path\":\"/Bar/fixed\"}");
  run_steps(&f, 20);
  assert_true(position(&f, 1) < -0.05);   // nothing holds it
  must_fail(&f, "{\"do\":\"remove\",\"id\":1,\"path\":\"/\"}", "root");
  must(&f, "{\"do\":\"save-node\",\"id\":1,\"path\":\"/Bar/Visual\",\"file\":\"part\"}");
  must_fail(&f, "{\"do\":\"save-node\",\"id\":1,\"path\":\"/Bar\",\"file\":\"bar.scn\"}", "overwritten");
  must_fail(&f, "{\"do\":\"save-node\",\"id\":1,\"path\":\"/Bar\",\"file\":\"../x.scn\"}", "name");
  write_file(f.directory, "more.scn",
             "<Node name='More'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 5 0'/><UniformMass "
             "totalMass='1'/></Node>");
  must(&f, "{\"do\":\"add-node\",\"id\":1,\"path\":\"/\",\"file\":\"more.scn\"}");
  run_steps(&f, 10);
  char *text = field_text(&f, "/More/dofs", "position");
  assert_non_null(strstr(text, " 4."));
  dv_free(text);
  must_fail(&f, "{\"do\":\"add-node\",\"id\":1,\"path\":\"/\",\"file\":\"/etc/passwd\"}", "no such scene");
  must_fail(&f, "{\"do\":\"open\",\"id\":1,\"file\":\"../../../etc/passwd\"}", "no such scene");
  must(&f, "{\"do\":\"remove\",\"id\":1,\"path\":\"/More\"}");
  json_t *graph = ask(&f, "{\"do\":\"graph\",\"id\":1}");
  assert_int_equal(json_array_size(json_object_get(json_object_get(graph, "graph"), "nodes")), 1);
  json_decref(graph);
  must(&f, "{\"do\":\"save-view\",\"id\":1,\"view\":{\"eye\":[1,2,3]}}");
  json_t *hello = ask(&f, "{\"do\":\"hello\",\"id\":1}");
  assert_int_equal(json_array_size(json_object_get(json_object_get(hello, "view"), "eye")), 3);
  json_decref(hello);
  must(&f, "{\"do\":\"dump\",\"id\":1}");
  must(&f, "{\"do\":\"drop\",\"id\":1,\"name\":\"x.scn\",\"text\":\"<Node><MechanicalObject name='dofs' position='1 2 "
           "3'/></Node>\"}");
  text = field_text(&f, "/dofs", "position");
  assert_string_equal(text, "1 2 3");
  dv_free(text);
  must_fail(&f, "{\"do\":\"drop\",\"id\":1,\"name\":\"x.scn\",\"text\":\"<Node><Nonsense/></Node>\"}", "Nonsense");
  must_fail(&f, "{\"do\":\"animate\",\"id\":1,\"on\":true}", "could not be started");
  close_fixture(&f);
}

// --- touching ------------------------------------------------------------------------------------

static void test_touch(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, bar);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  json_t *a = ask(&f, "{\"do\":\"grab\",\"id\":1,\"origin\":[0.4,10,3.9],\"direction\":[0,-1,0],\"stiffness\":5000}");
  json_t *hit = json_object_get(a, "hit");
  assert_true(json_is_object(hit));
  assert_string_equal(json_string_value(json_object_get(hit, "path")), "/Bar/dofs");
  check_close(json_number_value(json_array_get(json_object_get(hit, "point"), 1)), 1, 1e-6);
  size_t index = (size_t)json_integer_value(json_object_get(hit, "index"));
  json_decref(a);
  double before = position(&f, 3 * index + 1);
  assert_null(ask(&f, "{\"do\":\"pull\",\"to\":[0.4,2,3.9]}"));
  run_steps(&f, 50);
  double pulled = position(&f, 3 * index + 1);
  assert_true(pulled > before + 0.2);
  must(&f, "{\"do\":\"release\",\"id\":1}");
  run_steps(&f, 100);
  assert_true(position(&f, 3 * index + 1) < before);
  // a ray that misses
  a = ask(&f, "{\"do\":\"grab\",\"id\":1,\"origin\":[50,10,3.9],\"direction\":[0,-1,0]}");
  assert_true(json_is_null(json_object_get(a, "hit")));
  json_decref(a);
  must(&f, "{\"do\":\"reset\",\"id\":1}");
  a = ask(&f, "{\"do\":\"fix\",\"id\":1,\"origin\":[0.5,10,3.95],\"direction\":[0,-1,0]}");
  assert_true(json_is_true(json_object_get(a, "fixed")));
  json_decref(a);
  run_steps(&f, 20);
  check_close(position(&f, 3 * 61 + 1), 1, 1e-12);
  a = ask(&f, "{\"do\":\"fix\",\"id\":1,\"origin\":[0.5,10,3.95],\"direction\":[0,-1,0]}");
  assert_true(json_is_false(json_object_get(a, "fixed")));
  json_decref(a);
  run_steps(&f, 20);
  assert_true(position(&f, 3 * 61 + 1) < 1);
  close_fixture(&f);
}

// the hand pulls with every linear solver, and leaves the graph as it was
static void test_touch_solvers(void **unused)
{
  DV_UNUSED(unused);
  static const char *const solvers[] = {"<PrecomputedLinearSolver/>",
                                        "<SparseLDLSolver/>",
                                        "<AsyncSparseLDLSolver/>",
                                        "<EigenSparseLU/>",
                                        "<CholeskySolver/>",
                                        "<CGLinearSolver template='CompressedRowSparseMatrix' iterations='200' "
                                        "tolerance='1e-12' threshold='1e-12'/>"};
  const char *cg = strstr(bar, "<CGLinearSolver"), *after = strchr(cg, '>') + 1;
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    Fixture f;
    char *text = dv_format("%.*s%s%s", (int)(cg - bar), bar, solvers[i], after);
    open_text(&f, text);
    dv_free(text);
    must(&f, "{\"do\":\"hello\",\"id\":1}");
    run_steps(&f, 30);   // the precomputed factor is there
    unsigned version = f.session->scene->version;
    double still = position(&f, 3 * 61 + 1);
    must(&f, "{\"do\":\"grab\",\"id\":1,\"origin\":[0.4,10,3.9],\"direction\":[0,-1,0],\"stiffness\":5000}");
    assert_non_null(f.session->spring);
    assert_null(ask(&f, "{\"do\":\"pull\",\"to\":[0.4,2,3.9]}"));
    run_steps(&f, 50);
    if (!(position(&f, 3 * 61 + 1) > still + 0.2)) print_error("%s\n", solvers[i]);
    assert_true(position(&f, 3 * 61 + 1) > still + 0.2);
    must(&f, "{\"do\":\"release\",\"id\":1}");
    run_steps(&f, 50);
    assert_int_equal(f.session->scene->version, version);
    assert_int_equal(f.session->scene->buried.count, 0);
    close_fixture(&f);
  }
}

// --- keys and the mouse --------------------------------------------------------------------------

typedef struct KeyProbe {
  dvObject base;
} KeyProbe;
static int last_key, keys_down, keys_up;
static dvEvent last_mouse;

static void key_probe_event(dvObject *o, const dvEvent *event)
{
  DV_UNUSED(o);
  if (event->kind == DV_EVENT_MOUSE) last_mouse = *event;
  if (event->kind != DV_EVENT_KEY) return;
  last_key = event->key;
  if (event->released) keys_up++;
  else keys_down++;
}

static const dvClass key_probe_class = {.struct_size = sizeof(dvClass),
                                        .name = "KeyProbe",
                                        .help = "counts keys",
                                        .blocks = {&dv_object_block},
                                        .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
                                        .size = sizeof(KeyProbe),
                                        .handle_event = key_probe_event};

static void test_keys(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, bar);
  dv_registry_add(&f.session->context->registry, &key_probe_class);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  must(&f, "{\"do\":\"drop\",\"id\":1,\"name\":\"keys.scn\",\"text\":\"<Node><Node><KeyProbe "
           "listening='1'/></Node></Node>\"}");
  assert_null(ask(&f, "{\"do\":\"key\",\"key\":65,\"down\":true}"));
  assert_int_equal(last_key, 65);
  assert_null(ask(&f, "{\"do\":\"key\",\"key\":19,\"down\":false}"));
  assert_int_equal(last_key, 19);
  assert_int_equal(keys_down, 1);
  assert_int_equal(keys_up, 1);
  assert_null(ask(&f, "{\"do\":\"key\",\"key\":-1,\"down\":true}"));
  assert_null(ask(&f, "{\"do\":\"key\",\"key\":1e9,\"down\":true}"));
  assert_int_equal(keys_down, 1);
  assert_null(ask(&f, "{\"do\":\"mouse\",\"button\":\"right\",\"down\":true,\"x\":3,\"y\":4}"));
  assert_true(last_mouse.mouse == DV_MOUSE_RIGHT && !last_mouse.released && last_mouse.x == 3 && last_mouse.y == 4);
  assert_null(ask(&f, "{\"do\":\"mouse\",\"button\":\"wheel\",\"x\":5,\"y\":6,\"wheel\":-120}"));
  assert_true(last_mouse.mouse == DV_MOUSE_WHEEL && last_mouse.wheel == -120 && last_mouse.x == 5 && last_mouse.y == 6);
  assert_null(ask(&f, "{\"do\":\"mouse\",\"button\":\"wheel\",\"x\":7,\"y\":8,\"wheel\":1e30}"));
  assert_null(ask(&f, "{\"do\":\"mouse\",\"button\":\"nose\",\"x\":7,\"y\":8}"));
  assert_int_equal(last_mouse.x, 5);
  // 65 is still held: it is let go when whoever holds it is gone, and what was let go stays so
  assert_null(ask(&f, "{\"do\":\"key\",\"key\":66,\"down\":true}"));
  assert_null(ask(&f, "{\"do\":\"key\",\"key\":66,\"down\":false}"));
  assert_int_equal(keys_up, 2);
  dv_session_leave(f.session, &f.viewer);
  assert_int_equal(last_key, 65);
  assert_int_equal(keys_up, 3);
  assert_true(dv_session_join(f.session, &f.viewer));
  close_fixture(&f);
  assert_int_equal(keys_up, 3);
}

// --- what components say of their looks ----------------------------------------------------------

static const char sketches[] =
    "<Node name='root'>\n"
    "  <MeshTopology name='mesh' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2' edges='0 1 1 2'/>\n"
    "  <MechanicalObject name='points'/>\n"
    "  <SphereCollisionModel name='spheres' radius='0.5'/>\n"
    "  <TriangleCollisionModel name='triangles'/>\n"
    "  <LineCollisionModel name='lines'/>\n"
    "  <PointCollisionModel name='corners'/>\n"
    "  <VisualMesh name='visualMesh' position='@points.position' vertexValues='1 2 3'/>\n"
    "  <VisualPointCloud name='cloud' position='@points.position'/>\n"
    "  <VisualPointCloud name='balls' position='@points.position' drawMode='Sphere' sphereRadius='0.2' color='1 0 0 "
    "1'/>\n"
    "  <VisualPointCloud name='off' position='@points.position' enable='0'/>\n"
    "  <TrailRenderer name='trail' position='@points.position' nbSteps='3'/>\n"
    "  <VisualVectorField name='field' position='0 0 0' vector='0 0 1'/>\n"
    "  <Node name='Cylinders'><CylinderVisualModel name='rods' position='0 0 0  1 0 0' edges='0 1'/></Node>\n"
    "  <Node name='Bad'><CylinderVisualModel name='rods' position='0 0 0  1 0 0' edges='0 7'/></Node>\n"
    "  <Node name='Splats'><PointSplatModel name='splats' position='0 0 0' radius='0.3'/></Node>\n"
    "  <Node name='Data'><DataDisplay name='data' position='0 0 0  1 0 0  0 1 0' pointData='1 2 3'/></Node>\n"
    "  <Node name='Skin'><OglModel name='skin' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/></Node>\n"
    "  <Node name='Shown'><MechanicalObject name='frame' template='Rigid3' position='0 0 0 0 0 0 1' "
    "showObject='1'/></Node>\n"
    "  <Node name='Hidden'><OglModel name='skin' position='0 0 0  1 0 0  0 1 0' triangles='0 1 2' enable='0'/></Node>\n"
    "</Node>\n";

static const char *const drawn[][3] = {
    {"collision", "spheres", "/spheres"},   {"collision", "triangles", "/triangles"},
    {"collision", "lines", "/lines"},       {"collision", "points", "/corners"},
    {"visual", "triangles", "/visualMesh"}, {"visual", "points", "/cloud"},
    {"visual", "spheres", "/balls"},        {"visual", "vectors", "/field"},
    {"visual", "lines", "/Cylinders/rods"}, {"visual", "spheres", "/Splats/splats"},
    {"visual", "triangles", "/Data/data"},  {"visual", "triangles", "/Skin/skin"},
    {"visual", "lines", "/trail"},          {"visual", "frames", "/Shown/frame"},
};

static const char *text_of(const json_t *row, const char *key) { return json_string_value(json_object_get(row, key)); }

static void test_sketches(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, sketches);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  json_t *scene = ask(&f, "{\"do\":\"scene\",\"id\":1}"), *rows = json_object_get(scene, "drawables"), *row;
  size_t i, seen[DV_COUNT(drawn)] = {0};
  json_array_foreach(rows, i, row)
  {
    const char *group = text_of(row, "group"), *kind = text_of(row, "kind"), *path = text_of(row, "path");
    if (!dv_same(group, "visual") && !dv_same(group, "collision")) continue;
    size_t k = 0;
    while (k < DV_COUNT(drawn) &&
           !(dv_same(drawn[k][0], group) && dv_same(drawn[k][1], kind) && dv_same(drawn[k][2], path)))
      k++;
    if (k == DV_COUNT(drawn)) fail_msg("%s %s of %s is not expected", group, kind, path);
    seen[k]++;
    bool valued = dv_same(path, "/visualMesh") || dv_same(path, "/Data/data");
    assert_int_equal(json_is_integer(json_object_get(row, "values")), valued);
    if (dv_same(path, "/balls")) check_close(json_number_value(json_object_get(row, "radius")), 0.2, 1e-12);
  }
  for (size_t k = 0; k < DV_COUNT(drawn); k++)
    if (seen[k] != 1) fail_msg("%s of %s is drawn %zu times", drawn[k][1], drawn[k][2], seen[k]);
  json_decref(scene);
  close_fixture(&f);
}

// --- several clients, statistics -----------------------------------------------------------------

static void test_clients(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, bar);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  dvViewer other = {0};
  assert_true(dv_session_join(f.session, &other));
  json_t *a = ask_as(&f, &other, "{\"do\":\"hello\",\"id\":1}");
  assert_true(json_is_false(json_object_get(a, "editor")));
  json_decref(a);
  a = ask_as(&f, &other, "{\"do\":\"animate\",\"id\":1,\"on\":true}");
  assert_non_null(json_object_get(a, "error"));
  json_decref(a);
  a = ask_as(&f, &other, "{\"do\":\"edit\",\"id\":1}");
  assert_non_null(json_object_get(a, "error"));
  json_decref(a);
  // who comes back with its key edits again
  char *hello = dv_format("{\"do\":\"hello\",\"id\":1,\"key\":\"%s\"}", f.viewer.key);
  dv_session_leave(f.session, &f.viewer);
  f.viewer = (dvViewer){0};
  assert_true(dv_session_join(f.session, &f.viewer));
  a = ask_as(&f, &other, "{\"do\":\"edit\",\"id\":1}");
  assert_non_null(json_object_get(a, "error"));
  json_decref(a);
  a = ask(&f, hello);
  assert_true(json_is_true(json_object_get(a, "editor")));
  json_decref(a);
  dv_free(hello);
  // statistics
  must(&f, "{\"do\":\"stats\",\"id\":1,\"on\":true,\"fine\":true}");
  must(&f, "{\"do\":\"watch\",\"id\":1,\"items\":[{\"path\":\"/Bar/dofs\",\"field\":\"position\",\"index\":175}]}");
  dv_text_clear(&f.news);
  run_steps(&f, 5);
  usleep(120000);
  run_steps(&f, 1);
  const char *stats = f.news.text ? strstr(f.news.text, "{\"is\":\"stats\"") : NULL;
  assert_non_null(stats);
  assert_non_null(strstr(stats, "\"step/integrate"));
  assert_non_null(strstr(stats, "\"kinetic\""));
  assert_non_null(strstr(stats, "/Bar/cg"));
  assert_non_null(strstr(stats, "\"hexahedra\":24"));
  dv_session_leave(f.session, &other);
  close_fixture(&f);
}

// goals, effectors and actuators of a robot are told as curves with their names
static void test_robot_curves(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f,
            "<Node name='root' dt='0.02'><FreeMotionAnimationLoop/><QPInverseProblemSolver name='inverse'/>"
            "<Node name='body'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='dofs' position='0 0 0'/>"
            "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='100' points='0'/>"
            "<LinearSolverConstraintCorrection/><ForcePointActuator name='push' indices='0' direction='1 0 0'/>"
            "<PositionEffector name='tip' indices='0' useDirections='1 0 0' effectorGoal='0.1 0 0'/></Node></Node>");
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  must(&f, "{\"do\":\"stats\",\"id\":1,\"on\":true}");
  dv_text_clear(&f.news);
  run_steps(&f, 5);
  usleep(120000);
  run_steps(&f, 1);
  static const char *const labels[] = {"push",  "push",       "tip",        "tip x",     "tip y",
                                       "tip z", "tip goal x", "tip goal y", "tip goal z"};
  size_t told = 0;
  double x = 0, goal = 0;
  for (const char *at = f.news.text; at && (at = strstr(at, "{\"is\":\"stats\"")); at++) {   // in one message or more
    json_t *m = json_loads(at, JSON_DISABLE_EOF_CHECK, NULL), *robot = json_object_get(m, "robot"), *row;
    json_t *columns = json_object_get(robot, "columns");
    assert_int_equal(json_array_size(columns), DV_COUNT(labels));
    for (size_t i = 0; i < DV_COUNT(labels); i++)
      assert_string_equal(json_string_value(json_object_get(json_array_get(columns, i), "label")), labels[i]);
    size_t i;
    json_array_foreach(json_object_get(robot, "steps"), i, row)
    {
      assert_int_equal(json_array_size(row), DV_COUNT(labels) + 1);
      x = json_real_value(json_array_get(row, 4)), goal = json_real_value(json_array_get(row, 7));
      told++;
    }
    json_decref(m);
  }
  assert_true(told >= 5);
  check_close(x, 0.1, 1e-6);   // the tip is at its goal
  check_close(goal, 0.1, 1e-12);
  close_fixture(&f);
}

static void test_hostile(void **unused)
{
  DV_UNUSED(unused);
  Fixture f;
  open_text(&f, bar);
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  static const char *const requests[] = {"",
                                         "{",
                                         "[]",
                                         "null",
                                         "{\"do\":5}",
                                         "{\"do\":\"fly\",\"id\":1}",
                                         "{\"do\":\"step\",\"id\":1,\"count\":-5}",
                                         "{\"do\":\"dt\",\"id\":1,\"value\":0}",
                                         "{\"do\":\"set\",\"id\":1}",
                                         "{\"do\":\"show\",\"id\":1,\"groups\":7}",
                                         "{\"do\":\"grab\",\"id\":1,\"origin\":[1,2],\"direction\":[0,0,0]}",
                                         "{\"do\":\"grab\",\"id\":1,\"origin\":[1,2,3],\"direction\":[1e300,0,0]}",
                                         "{\"do\":\"watch\",\"id\":1,\"items\":{}}",
                                         "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
                                         "{\"do\":\"save-view\",\"id\":1,\"view\":[]}",
                                         "{\"do\":\"realtime\",\"id\":1,\"on\":true,\"factor\":0}",
                                         "{\"do\":\"files\",\"id\":1,\"directory\":\"/\"}",
                                         "{\"do\":\"field\",\"id\":1,\"path\":\"\"}"};
  for (size_t i = 0; i < DV_COUNT(requests); i++) {
    json_t *a = ask(&f, requests[i]);
    if (!a || !json_object_get(a, "error")) fail_msg("%s was not refused", requests[i]);
    json_decref(a);
  }
  must(&f, "{\"do\":\"grab\",\"id\":1,\"origin\":[1,2,3],\"direction\":[0,0,0]}");   // a ray without a direction hits
                                                                                     // nothing
  run_steps(&f, 1);
  close_fixture(&f);
  // a scene that is full of mistakes is shown, not run
  open_text(&f, "<Node><MechanicalObject name='dofs' position='0 0 0'/><NoSuchThing/><FixedProjectiveConstraint "
                "indices='9'/></Node>");
  assert_false(dv_session_ready(f.session));
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  assert_non_null(strstr(f.news.text, "NoSuchThing"));
  must(&f, "{\"do\":\"graph\",\"id\":1}");
  must(&f, "{\"do\":\"scene\",\"id\":1}");
  must_fail(&f, "{\"do\":\"step\",\"id\":1}", "could not be started");
  dv_session_advance(f.session);
  close_fixture(&f);
}

// things to look at that have nothing to show: no topology, no positions, no state
static void test_nothing_to_see(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      "<Node><VisualMesh position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/></Node>",
      "<Node><VisualMesh/></Node>",
      "<Node><VisualPointCloud/></Node>",
      "<Node><VisualVectorField/></Node>",
      "<Node><TrailRenderer/></Node>",
      "<Node><VisualPointCloud enable='0' position='0 0 0'/></Node>",
      "<Node><OglModel/></Node>",
      "<Node><MechanicalObject position='0 0 0'/><VisualMesh/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    Fixture f;
    open_text(&f, scenes[i]);
    assert_true(dv_session_ready(f.session));
    must(&f, "{\"do\":\"hello\",\"id\":1}");
    must(&f, "{\"do\":\"scene\",\"id\":1}");
    dv_draw_refresh(&f.session->draw, ~0u);
    run_steps(&f, 1);
    dv_draw_refresh(&f.session->draw, ~0u);
    close_fixture(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_to_see), cmocka_unit_test(test_frames),       cmocka_unit_test(test_edits),
      cmocka_unit_test(test_compat),         cmocka_unit_test(test_structure),    cmocka_unit_test(test_touch),
      cmocka_unit_test(test_touch_solvers),  cmocka_unit_test(test_keys),         cmocka_unit_test(test_sketches),
      cmocka_unit_test(test_clients),        cmocka_unit_test(test_robot_curves), cmocka_unit_test(test_hostile)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
