// What may happen because of a page: a scene that came through it opens files only where that is permitted, and nothing
// is called of components that were never initialised.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "view/inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct Looked {
  dvSession *session;
  dvViewer viewer;
  char *outside, *inside;   // directories
} Looked;

static const char first[] = "<Node name='root'><MechanicalObject name='dofs' position='0 0 0'/>"
                            "<MeshOBJLoader name='loader' filename='good.obj'/></Node>";

static void look_at(Looked *l, const char *text)
{
  *l = (Looked){.outside = check_mkdir(), .inside = check_mkdir()};
  char *scene = check_write(l->inside, "first.scn", text);
  static const char object[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  dv_free(check_write(l->inside, "good.obj", object));
  dv_free(check_write(l->outside, "secret.obj", object));
  dv_free(check_write(l->outside, "part.scn", "<Node name='part'/>"));
  l->session = dv_session_create(&(dvSessionOptions){.scene = scene, .threads = 1});
  assert_true(dv_session_join(l->session, &l->viewer));
  dv_free(scene);
}

static void leave(Looked *l)
{
  dv_session_leave(l->session, &l->viewer);
  dv_session_destroy(&l->session);
  assert_false(dv_file_confined());
  check_rmdir(l->outside), check_rmdir(l->inside);
}

// the answer's error, or NULL; it lives until the next call
static const char *ask(Looked *l, json_t *request)
{
  static char error[2000];
  char *text = json_dumps(request, 0);
  dvText reply = {0};
  dv_session_handle(l->session, &l->viewer, text, strlen(text), &reply);
  free(text);
  json_decref(request);
  json_t *answer = reply.length ? json_loads(reply.text, 0, NULL) : NULL;
  const char *wrong = json_string_value(json_object_get(answer, "error"));
  snprintf(error, sizeof error, "%s", wrong ? wrong : "");
  json_decref(answer);
  dv_text_free(&reply);
  return wrong ? error : NULL;
}

static const char *hello(Looked *l) { return ask(l, json_pack("{s:s}", "do", "hello")); }

static const char *drop(Looked *l, const char *text)
{
  return ask(l, json_pack("{s:s, s:s, s:s}", "do", "drop", "name", "strange.scn", "text", text));
}

static const char *set(Looked *l, const char *path, const char *field, const char *text)
{
  return ask(l, json_pack("{s:s, s:s, s:s, s:s}", "do", "set", "path", path, "field", field, "text", text));
}

static void steps(dvSession *s, long n)
{
  s->steps_wanted += n;
  for (int i = 0; i < 1000 && s->steps_wanted > 0; i++) dv_session_advance(s);
}

static int files_in(const char *directory)
{
  int n = 0;
  DIR *d = opendir(directory);
  for (const struct dirent *e = readdir(d); e; e = readdir(d)) n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

// every way of reading that a scene has
static void dropped_scenes_read_what_is_permitted(void **state)
{
  DV_UNUSED(state);
  Looked l;
  look_at(&l, first);
  assert_null(hello(&l));
  assert_false(dv_file_confined());
  static const char *const readers[] = {
      "<Node><include href='%s/part.scn'/></Node>",
      "<Node><MeshOBJLoader filename='%s/secret.obj'/></Node>",
      "<Node><MechanicalObject position='0 0 0'/><ReadState filename='%s/secret.obj'/></Node>",
      "<Node><VoxelGridLoader filename='%s/secret.obj'/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(readers); i++) {
    char *text = dv_format(readers[i], l.outside);
    if (!drop(&l, text)) fail_msg("%s was read", text);
    dv_free(text);
  }
  assert_null(drop(&l, "<Node><MeshOBJLoader filename='good.obj'/></Node>"));
  assert_true(dv_file_confined());
  // nor through a link that leads outside
  char *link = dv_path_join(l.inside, "link.obj"), *secret = dv_path_join(l.outside, "secret.obj");
  assert_int_equal(symlink(secret, link), 0);
  assert_non_null(drop(&l, "<Node><MeshOBJLoader filename='link.obj'/></Node>"));
  char *above = dv_format("<Node><MeshOBJLoader filename='../%s/secret.obj'/></Node>", dv_path_name(l.outside));
  assert_non_null(drop(&l, above));
  dv_free(link), dv_free(secret), dv_free(above);
  leave(&l);
}

static void dropped_scenes_write_what_is_permitted(void **state)
{
  DV_UNUSED(state);
  Looked l;
  look_at(&l, first);
  hello(&l);
  static const char *const writers[] = {
      "<WriteState filename='%s/a.txt'/>",
      "<WriteState filename='%s/a.txt.gz'/>",
      "<WriteState filename='%s/new/a.txt'/>",
      "<WriteTopology filename='%s/a.txt'/>",
      "<VTKExporter filename='%s/a' exportEveryNumberOfSteps='1' exportAtBegin='1'/>",
      "<VTKExporter filename='%s/a' exportEveryNumberOfSteps='1' XMLformat='0'/>",
      "<OBJExporter filename='%s/a' exportEveryNumberOfSteps='1'/>",
      "<STLExporter filename='%s/a' exportEveryNumberOfSteps='1'/>",
      "<MeshExporter filename='%s/a' format='gmsh' exportEveryNumberOfSteps='1'/>",
      "<Monitor name='../../../../../../../../../../%s/a' ExportPositions='1'/>",
      "<GlobalSystemMatrixExporter filename='%s/a' exportEveryNumberOfSteps='1'/>",
      "<GlobalSystemMatrixExporter filename='%s/a' format='csv' exportEveryNumberOfSteps='1'/>",
  };
  static const char body[] = "<Node><EulerImplicitSolver/><CGLinearSolver template='CompressedRowSparseMatrixd'/>"
                             "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject/>"
                             "<UniformMass totalMass='1'/>%s</Node>";
  int before = files_in(l.outside);
  char *home = getcwd(NULL, 0);
  assert_int_equal(chdir(l.inside), 0);
  for (size_t i = 0; i < DV_COUNT(writers); i++) {
    char *writer = dv_format(writers[i], l.outside), *text = dv_format(body, writer);
    drop(&l, text);   // some refuse the scene, others warn
    steps(l.session, 3);
    if (files_in(l.outside) != before) fail_msg("%s has written", text);
    dv_free(writer), dv_free(text);
  }
  char *text = dv_format(body, "<WriteState filename='permitted.txt'/>"),
       *own = dv_path_join(l.inside, "permitted.txt");
  assert_null(drop(&l, text));
  steps(l.session, 3);
  assert_true(dv_file_exists(own));
  assert_int_equal(chdir(home), 0);
  free(home), dv_free(text), dv_free(own);
  leave(&l);
}

// A library that leaves a mark when it is loaded lies beside the scene and elsewhere: whatever a scene from the page
// says, it stays unloaded. Only directories that the program was started with are looked at for plugins.
static void dropped_scenes_load_no_code(void **state)
{
  DV_UNUSED(state);
  Looked l;
  look_at(&l, first);
  hello(&l);
  char *mark = dv_path_join(l.inside, "mark"), *out;
  char *code = dv_format("#include <stdio.h>\n__attribute__((constructor)) static void run(void)\n"
                         "{ FILE *f = fopen(\"%s\", \"w\"); if (f) fclose(f); }\n"
                         "const void *divan_plugin_init(void) { return 0; }\n",
                         mark);
  dv_free(check_write(l.inside, "strange.c", code));
  int status = check_shell(&out,
                           "cd %s && cc -shared -fPIC -o libStrange.so strange.c && cp libStrange.so Strange.so && "
                           "cp libStrange.so Strange.so %s",
                           l.inside, l.outside);
  assert_int_equal(status, 0);
  dv_free(out);
  static const char *const scenes[] = {
      "<Node><RequiredPlugin name='Strange'/></Node>",
      "<Node><RequiredPlugin name='libStrange.so'/></Node>",
      "<Node><RequiredPlugin name='./libStrange.so'/></Node>",
      "<Node><RequiredPlugin name='%s/libStrange.so'/></Node>",
      "<Node><RequiredPlugin name='%s/Strange'/></Node>",
      "<Node><RequiredPlugin pluginName='Strange Strange.so %s/Strange.so ../libStrange.so'/></Node>",
      "<Node><include href='%s/part.scn'/><RequiredPlugin name='x' pluginName='Strange'/></Node>",
  };
  char *home = getcwd(NULL, 0);
  assert_int_equal(chdir(l.inside), 0);
  for (size_t i = 0; i < 2 * DV_COUNT(scenes); i++) {
    const char *scene = scenes[i / 2], *where = i % 2 ? l.outside : l.inside, *gap = strstr(scene, "%s");
    char *text = gap ? dv_format("%.*s%s%s", (int)(gap - scene), scene, where, gap + 2) : dv_strdup(scene);
    drop(&l, text);
    steps(l.session, 1);
    if (dv_file_exists(mark)) fail_msg("%s has run code", text);
    dv_free(text);
  }
  assert_int_equal(chdir(home), 0);
  free(home), dv_free(code), dv_free(mark);
  leave(&l);
}

// Nothing listens, goes out or opens a port because of a scene from the page; the first scene as it stands may.
static void dropped_scenes_open_no_connections(void **state)
{
  DV_UNUSED(state);
  unsetenv("DIVAN_OFFLINE");
  int terminal = posix_openpt(O_RDWR | O_NOCTTY), door = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  assert_int_equal(bind(door, (struct sockaddr *)&here, sizeof here), 0);
  assert_int_equal(listen(door, 1), 0);
  assert_int_equal(getsockname(door, (struct sockaddr *)&here, &size), 0);
  char *text = dv_format("<Node><CommunicationController name='in' job='receiver' transport='tcp' port='%d'/>"
                         "<CommunicationController name='out' transport='tcp' port='0' data1='1'/>"
                         "<SerialPortBridgeGeneric name='serial' port='%s' packetOut='1 2'/></Node>",
                         ntohs(here.sin_port), ptsname(terminal));
  for (int dropped = 0; dropped < 2; dropped++) {
    Looked l;
    look_at(&l, dropped ? first : text);
    hello(&l);
    if (dropped) assert_null(drop(&l, text));
    steps(l.session, 3);
    char bytes[100];
    struct pollfd call = {.fd = door, .events = POLLIN}, packet = {.fd = terminal, .events = POLLIN};
    assert_int_equal(poll(&call, 1, dropped ? 100 : 5000), !dropped);
    assert_int_equal(poll(&packet, 1, dropped ? 100 : 5000) == 1 && (packet.revents & POLLIN), !dropped);
    if (!dropped) {
      close(accept(door, NULL, NULL));
      // nor when an address is set through the page
      assert_null(set(&l, "/in", "ip", "127.0.0.1"));
      steps(l.session, 3);
      assert_int_equal(poll(&call, 1, 100), 0);
      while (poll(&packet, 1, 200) == 1 && (packet.revents & POLLIN) && read(terminal, bytes, sizeof bytes) > 0) {
      }
    }
    leave(&l);
  }
  dv_free(text);
  close(door), close(terminal);
}

// the first scene reads what it names wherever that is, until somebody sets a name through the page
static void only_the_first_scene_is_trusted(void **state)
{
  DV_UNUSED(state);
  Looked l;
  look_at(&l, first);
  hello(&l);
  char *secret = dv_path_join(l.outside, "secret.obj");
  assert_non_null(set(&l, "/loader", "filename", secret));
  assert_false(dv_file_confined());   // everything is as before
  assert_null(set(&l, "/loader", "filename", "good.obj"));
  assert_true(dv_file_confined());
  assert_null(ask(&l, json_pack("{s:s}", "do", "reload")));
  assert_false(dv_file_confined());
  // nor is it overwritten by another one
  char *scene = dv_format("<Node name='root'><MeshOBJLoader filename='%s'/></Node>", secret);
  dv_free(check_write(l.inside, "second.scn", scene));
  assert_non_null(ask(&l, json_pack("{s:s, s:s}", "do", "open", "file", "second.scn")));
  assert_non_null(ask(&l, json_pack("{s:s, s:s, s:s}", "do", "save-node", "path", "/", "file", "first.scn")));
  dv_free(scene), dv_free(secret);
  leave(&l);
}

// --- nodes that are off --------------------------------------------------------------------------

static const char sleeping[] =
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'><EulerImplicitSolver/><CGLinearSolver/>"
    "<Node name='outer' activated='0'>"
    "<Node name='bar'><RegularGridTopology name='grid' n='3 3 7' min='0 0 0' max='1 1 4'/>"
    "<MechanicalObject name='dofs'/><UniformMass name='mass' totalMass='10'/>"
    "<HexahedronFEMForceField name='fem' youngModulus='20000' poissonRatio='0.3' method='large'/>"
    "<TetrahedronHyperelasticityFEMForceField name='hyper' materialName='NeoHookean' ParameterSet='1000 10000'/>"
    "<BoxROI name='box' box='-1 -1 -0.1 2 2 0.1'/><FixedProjectiveConstraint name='fixed' indices='@box.indices'/>"
    "<Node name='skin'><OglModel name='model' src='@../grid'/><IdentityMapping "
    "name='map'/></Node></Node></Node></Node>";

static void visit(Looked *l, dvNode *node, void (*each)(Looked *l, const char *path, dvObject *o))
{
  for (size_t i = 0; i < node->objects.count; i++) {
    char *path = dv_object_path(node->objects.data[i]);
    each(l, path, node->objects.data[i]);
    dv_free(path);
  }
  for (size_t i = 0; i < node->children.count; i++) visit(l, node->children.data[i], each);
}

static void look_closely(Looked *l, const char *path, dvObject *o)
{
  ask(l, json_pack("{s:s, s:s}", "do", "object", "path", path));
  for (int i = 0; i < o->field_count; i++)
    ask(l, json_pack("{s:s, s:s, s:s}", "do", "field", "path", path, "field", dv_field_name(o->fields[i].desc)));
}

static void nothing_is_called_before_init(void **state)
{
  DV_UNUSED(state);
  static const char *const edits[][3] = {
      {"/outer/bar/fem", "youngModulus", "3000"}, {"/outer/bar/hyper", "ParameterSet", "2000 20000"},
      {"/outer/bar/mass", "totalMass", "2"},      {"/outer/bar/box", "box", "-1 -1 -1 5 5 0"},
      {"/outer/bar/fixed", "fixAll", "1"},        {"/outer/bar/skin/model", "color", "1 0 0 1"},
      {"/outer/bar", "activated", "0"},           {"/outer/bar", "activated", "1"},
      {"/outer/bar", "gravity", "0 0 -1"}};
  for (size_t i = 0; i < DV_COUNT(edits); i++) {
    Looked l;
    look_at(&l, sleeping);
    hello(&l);
    assert_true(l.session->ready);
    visit(&l, l.session->scene->root, look_closely);
    if (set(&l, edits[i][0], edits[i][1], edits[i][2])) fail_msg("%s of %s is refused", edits[i][1], edits[i][0]);
    steps(l.session, 2);
    // the group above wakes all of them, in order
    set(&l, "/outer/bar/hyper", "printLog", "0");
    assert_null(ask(&l, json_pack("{s:s, s:s}", "do", "remove", "path", "/outer/bar/hyper")));
    assert_null(ask(&l, json_pack("{s:s, s:s, s:b}", "do", "activate", "path", "/outer", "on", 1)));
    if (dv_same(edits[i][2], "0"))
      assert_null(ask(&l, json_pack("{s:s, s:s, s:b}", "do", "activate", "path", "/outer/bar", "on", 1)));
    dvObject *dofs = dv_view_find(l.session, "/outer/bar/dofs");
    assert_true(dofs->initialised);
    steps(l.session, 2);
    assert_null(ask(&l, json_pack("{s:s, s:s, s:b}", "do", "activate", "path", "/outer", "on", 0)));
    steps(l.session, 2);
    assert_null(ask(&l, json_pack("{s:s, s:s, s:b}", "do", "activate", "path", "/outer", "on", 1)));
    steps(l.session, 2);
    leave(&l);
  }
}

// --- components that do not exist ----------------------------------------------------------------

static void a_scene_runs_without_what_is_missing(void **state)
{
  DV_UNUSED(state);
  Looked l;
  look_at(&l, "<Node name='root'><NoSuchForce stiffness='1'/><NoSuchForce/><Node name='a'><NoSuchMass name='m'/></Node>"
              "<MechanicalObject name='dofs' position='0 0 0'/></Node>");
  hello(&l);
  assert_false(l.session->ready);
  json_t *graph = dv_view_graph(l.session), *missing = json_object_get(graph, "missing");
  assert_int_equal(json_array_size(missing), 2);
  assert_string_equal(json_string_value(json_object_get(json_array_get(missing, 0), "class")), "NoSuchForce");
  assert_int_equal(json_integer_value(json_object_get(json_array_get(missing, 0), "count")), 2);
  assert_string_equal(json_string_value(json_object_get(json_array_get(missing, 1), "path")), "/a");
  json_decref(graph);
  assert_null(ask(&l, json_pack("{s:s, s:b}", "do", "skip-missing", "on", 1)));
  assert_true(l.session->ready);
  graph = dv_view_graph(l.session);
  assert_int_equal(json_array_size(json_object_get(graph, "missing")), 2);
  json_decref(graph);
  assert_null(ask(&l, json_pack("{s:s}", "do", "step")));
  steps(l.session, 0);
  leave(&l);
}

static int scripts_read;
static dvStatus count_script(dvContext *context, const char *path, dvScene **out)
{
  (void)path;
  scripts_read++;
  *out = dv_scene_create(context);
  return DV_OK;
}

// a scene in Python is a program: it runs when it is what was named at the start, never because the page asks
static void scripts_run_only_when_named(void **state)
{
  (void)state;
  for (int named = 0; named < 2; named++) {
    Looked l = {.outside = check_mkdir(), .inside = check_mkdir()};
    char *plain = check_write(l.inside, "plain.scn", "<Node/>"), *script = check_write(l.inside, "script.py", "pass");
    scripts_read = 0;
    l.session = dv_session_create(
        &(dvSessionOptions){.scene = named ? script : plain, .threads = 1, .read_script = count_script});
    assert_true(dv_session_join(l.session, &l.viewer));
    assert_int_equal(scripts_read, named);
    const int before = scripts_read;
    ask(&l, json_pack("{s:s, s:s}", "do", "open", "file", named ? plain : script));
    ask(&l, json_pack("{s:s, s:s, s:s}", "do", "drop", "name", "strange.py", "text", "pass"));
    assert_int_equal(scripts_read, before);
    dv_free(plain), dv_free(script);
    leave(&l);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dropped_scenes_read_what_is_permitted), cmocka_unit_test(dropped_scenes_write_what_is_permitted),
      cmocka_unit_test(dropped_scenes_load_no_code),           cmocka_unit_test(dropped_scenes_open_no_connections),
      cmocka_unit_test(only_the_first_scene_is_trusted),       cmocka_unit_test(nothing_is_called_before_init),
      cmocka_unit_test(a_scene_runs_without_what_is_missing),  cmocka_unit_test(scripts_run_only_when_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
