// glTF and USD of a moving scene, read back by a reader of the test's own: structure, bounds, and positions at the
// moments of the simulation.
#include "support/check.h"

#include "app/divan.h"
#include "base/file.h"
#include "io/scene/scene_file.h"
#include "scene/plan.h"
#include "state/state.h"
#include "view/export.h"
#include "view/inside.h"

#include <stdlib.h>
#include <string.h>

// --- a recording ---------------------------------------------------------------------------------

static dvRecording *record_text(const char *text, int steps, dvScene **kept, dvContext **context)
{
  dvContext *c = dv_divan_create(1);
  dvScene *s = NULL;
  dvText why = {0};
  assert_int_equal(dv_scene_parse(c, DIVAN_SOURCE_DIR "/scenes/test.scn", text, strlen(text), &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  dvRecorder *rec = dv_recorder_create(s, &(dvRecorderOptions){0}, &why);
  assert_non_null(rec);
  for (int i = 0; i <= steps; i++) {
    if (i) assert_int_equal(dv_scene_step(s, 0), DV_OK);
    assert_true(dv_recorder_add(rec));
  }
  dvRecording *r = dv_recorder_turn(&rec, &why);
  assert_non_null(r);
  dv_text_free(&why);
  *kept = s, *context = c;
  return r;
}

// a cube of hexahedra that sags, a box that turns freely, a floor that stands
static const char three[] =
    "<Node gravity='0 -9.81 0' dt='0.02'><DefaultAnimationLoop/>"
    "<Node name='Soft'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-12'/>"
    "<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject name='dofs'/>"
    "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='500' poissonRatio='0.3' method='large'/>"
    "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/><Node name='Look'><OglModel name='look' src='@../grid' "
    "color='0.9 0.5 0.4 0.5'/><IdentityMapping input='@../dofs' output='@look'/></Node></Node>"
    "<Node name='Stiff'><EulerExplicitSolver/><MechanicalObject name='body' template='Rigid3' "
    "position='3 0 0 0 0 0 1' velocity='0.5 2 0 1 2 3'/><UniformMass totalMass='2'/>"
    "<Node name='Look'><OglModel name='look' position='0 0 0  1 0 0  0 1 0  0 0 1' triangles='0 2 1  0 1 3  0 3 2  1 2 "
    "3'/>"
    "<RigidMapping input='@../body' output='@look'/></Node></Node>"
    "<Node name='Floor'><OglModel name='look' position='-5 -3 -5  5 -3 -5  5 -3 5  -5 -3 5' quads='0 3 2 1'/></Node>"
    "</Node>";

// --- a reader of glTF ----------------------------------------------------------------------------

typedef struct Gltf {
  char *bytes;
  json_t *json;
  const char *bin;
  size_t bin_length;
} Gltf;

static uint32_t u32(const char *b)
{
  uint32_t v;
  memcpy(&v, b, 4);
  return v;
}

static json_t *item(const json_t *o, const char *list, json_int_t i)
{
  json_t *array = json_object_get(o, list);
  assert_true(i >= 0 && (size_t)i < json_array_size(array));
  return json_array_get(array, (size_t)i);
}

static Gltf read_gltf(const char *path)
{
  size_t length;
  Gltf g = {.bytes = dv_file_read(path, &length)};
  assert_non_null(g.bytes);
  assert_memory_equal(g.bytes, "glTF", 4);
  assert_int_equal(u32(g.bytes + 4), 2);
  assert_int_equal(u32(g.bytes + 8), length);
  size_t text = u32(g.bytes + 12);
  assert_int_equal(text % 4, 0);
  assert_memory_equal(g.bytes + 16, "JSON", 4);
  g.json = json_loadb(g.bytes + 20, text, 0, NULL);
  assert_non_null(g.json);
  g.bin_length = u32(g.bytes + 20 + text);
  assert_memory_equal(g.bytes + 24 + text, "BIN\0", 4);
  g.bin = g.bytes + 28 + text;
  assert_int_equal(28 + text + g.bin_length, length);
  assert_string_equal(json_string_value(json_object_get(json_object_get(g.json, "asset"), "version")), "2.0");
  assert_int_equal(json_integer_value(json_object_get(item(g.json, "buffers", 0), "byteLength")), g.bin_length);
  return g;
}

static void close_gltf(Gltf *g)
{
  json_decref(g->json);
  dv_free(g->bytes);
}

static size_t width_of(const char *type)
{
  return dv_same(type, "SCALAR") ? 1
         : dv_same(type, "VEC2") ? 2
         : dv_same(type, "VEC3") ? 3
         : dv_same(type, "VEC4") ? 4
                                 : 0;
}

// the numbers of an accessor, which lie inside of the buffer and its bounds
static const float *accessor(const Gltf *g, json_int_t index, size_t *count, size_t *width)
{
  json_t *a = item(g->json, "accessors", index),
         *view = item(g->json, "bufferViews", json_integer_value(json_object_get(a, "bufferView")));
  size_t at = (size_t)json_integer_value(json_object_get(view, "byteOffset")),
         length = (size_t)json_integer_value(json_object_get(view, "byteLength"));
  *width = width_of(json_string_value(json_object_get(a, "type")));
  *count = (size_t)json_integer_value(json_object_get(a, "count"));
  json_int_t type = json_integer_value(json_object_get(a, "componentType"));
  assert_true(type == 5126 || type == 5125);
  assert_true(*width > 0 && at % 4 == 0 && at + length <= g->bin_length && *count * *width * 4 == length);
  const float *x = (const float *)(g->bin + at);
  json_t *low = json_object_get(a, "min"), *high = json_object_get(a, "max");
  for (size_t i = 0; low && i < *count; i++)
    for (size_t k = 0; k < *width; k++) {
      double v = (double)x[i * *width + k];
      assert_true(v >= json_number_value(json_array_get(low, k)) - 1e-6 * fabs(v));
      assert_true(v <= json_number_value(json_array_get(high, k)) + 1e-6 * fabs(v));
    }
  return x;
}

static json_int_t node_named(const Gltf *g, const char *name)
{
  json_t *nodes = json_object_get(g->json, "nodes"), *node;
  size_t i;
  json_array_foreach(nodes, i,
                     node) if (dv_same(json_string_value(json_object_get(node, "name")), name)) return (json_int_t)i;
  fail_msg("no node %s", name);
  return -1;
}

// output of the channel of a node, NULL when it has none
static const float *channel(const Gltf *g, json_int_t node, const char *path, size_t *times, const float **input,
                            size_t *width)
{
  json_t *animation = item(g->json, "animations", 0), *c;
  size_t i, n, one;
  json_array_foreach(json_object_get(animation, "channels"), i, c)
  {
    json_t *target = json_object_get(c, "target");
    if (json_integer_value(json_object_get(target, "node")) != node ||
        !dv_same(json_string_value(json_object_get(target, "path")), path))
      continue;
    json_t *s = item(animation, "samplers", json_integer_value(json_object_get(c, "sampler")));
    *input = accessor(g, json_integer_value(json_object_get(s, "input")), times, &one);
    assert_int_equal(one, 1);
    for (size_t k = 1; k < *times; k++) assert_true((*input)[k] > (*input)[k - 1]);
    const float *out = accessor(g, json_integer_value(json_object_get(s, "output")), &n, width);
    assert_int_equal(n % *times, 0);
    *width *= n / *times;
    return out;
  }
  return NULL;
}

static void rotate(const float *q, const float *x, double out[3])
{
  double a[3] = {(double)q[0], (double)q[1], (double)q[2]}, w = (double)q[3], v[3], u[3];
  for (int k = 0; k < 3; k++) v[k] = (double)x[k];
  for (int k = 0; k < 3; k++) u[k] = 2 * (a[(k + 1) % 3] * v[(k + 2) % 3] - a[(k + 2) % 3] * v[(k + 1) % 3]);
  for (int k = 0; k < 3; k++)
    out[k] = v[k] + w * u[k] + a[(k + 1) % 3] * u[(k + 2) % 3] - a[(k + 2) % 3] * u[(k + 1) % 3];
}

// where a glTF reader puts point i of a node at a frame
static void position_at(const Gltf *g, const char *name, size_t frame, size_t i, double out[3])
{
  json_int_t node = node_named(g, name);
  json_t *mesh = item(g->json, "meshes", json_integer_value(json_object_get(item(g->json, "nodes", node), "mesh"))),
         *primitive = item(mesh, "primitives", 0);
  size_t n, width, times;
  const float *x =
                  accessor(g, json_integer_value(json_object_get(json_object_get(primitive, "attributes"), "POSITION")),
                           &n, &width),
              *input;
  assert_true(i < n && width == 3);
  for (size_t k = 0; k < 3; k++) out[k] = (double)x[3 * i + k];
  const float *weights = channel(g, node, "weights", &times, &input, &width);
  json_t *targets = json_object_get(primitive, "targets");
  for (size_t t = 0; weights && t < width; t++) {
    size_t m, three_wide;
    const float *d =
        accessor(g, json_integer_value(json_object_get(json_array_get(targets, t), "POSITION")), &m, &three_wide);
    assert_int_equal(m, n);
    for (size_t k = 0; k < 3; k++) out[k] += (double)weights[frame * width + t] * (double)d[3 * i + k];
  }
  if (weights) assert_int_equal(json_array_size(targets), width);
  size_t turns;
  const float *t = channel(g, node, "translation", &times, &input, &width),
              *q = channel(g, node, "rotation", &turns, &input, &width);
  if (!t) return;
  const float local[3] = {(float)out[0], (float)out[1], (float)out[2]};
  rotate(q + 4 * frame, local, out);
  for (size_t k = 0; k < 3; k++) out[k] += (double)t[3 * frame + k];
}

static void check_indices(const Gltf *g)
{
  json_t *meshes = json_object_get(g->json, "meshes"), *mesh, *p;
  size_t i, k;
  json_array_foreach(meshes, i, mesh) json_array_foreach(json_object_get(mesh, "primitives"), k, p)
  {
    size_t n, m, width;
    accessor(g, json_integer_value(json_object_get(json_object_get(p, "attributes"), "POSITION")), &n, &width);
    const uint32_t *index =
        (const uint32_t *)accessor(g, json_integer_value(json_object_get(p, "indices")), &m, &width);
    for (size_t c = 0; c < m; c++) assert_true(index[c] < n);
    assert_true(json_object_get(p, "material") != NULL);
  }
}

static void gltf_moves_as_the_scene_did(void **state)
{
  (void)state;
  enum { STEPS = 30 };
  char *folder = check_mkdir(), *path = dv_path_join(folder, "three.glb");
  dvScene *s;
  dvContext *c;
  dvText why = {0};
  dvRecording *r = record_text(three, STEPS, &s, &c);
  dvExportReport report;
  if (!dv_recording_export(r, path, &report, &why)) fail_msg("%s", why.text);
  assert_int_equal(report.frames, STEPS + 1);
  assert_int_equal(report.moving, 1);
  assert_int_equal(report.rigid, 1);
  assert_int_equal(report.still, 1);
  Gltf g = read_gltf(path);
  check_indices(&g);
  // again, step by step
  dv_scene_reset(s);
  dvState *soft = dv_state(dv_link_find(&s->root->base, "/Soft/dofs", DV_ROLE_STATE));
  dvObject *stiff = dv_link_find(&s->root->base, "/Stiff/Look/look", DV_ROLE_ANY);
  for (size_t f = 0; f <= STEPS; f++) {
    if (f) assert_int_equal(dv_scene_step(s, 0), DV_OK);
    for (size_t i = 0; i < soft->count; i++) {
      double x[3];
      position_at(&g, "/Soft/Look/look", f, i, x);
      for (size_t k = 0; k < 3; k++) check_close(x[k], dv_state_read(soft, DV_X)[3 * i + k], 2e-6);
    }
    for (size_t i = 0; i < 4; i++) {
      double x[3];
      position_at(&g, "/Stiff/Look/look", f, i, x);
      for (size_t k = 0; k < 3; k++) check_close(x[k], dv_state_read(dv_state(stiff), DV_X)[3 * i + k], 5e-6);
    }
    double x[3];
    position_at(&g, "/Floor/look", f, 2, x);
    check_close(x[1], -3, 0);
  }
  // a colour that is seen through
  json_t *material = item(g.json, "materials", 0);
  assert_string_equal(json_string_value(json_object_get(material, "alphaMode")), "BLEND");
  close_gltf(&g);
  dv_recording_free(&r);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_text_free(&why);
  dv_free(path);
  check_rmdir(folder);
}

// a picture of a surface goes into the file, with the places of its points in it
static void pictures_go_along(void **state)
{
  (void)state;
  char *folder = check_mkdir(), *glb = dv_path_join(folder, "picture.glb");
  char *text =
      dv_format("<Node dt='0.01'><DefaultAnimationLoop/><OglModel position='0 0 0  1 0 0  0 1 0' triangles='0 1 2' "
                "texcoords='0 0  1 0  0 0.25' texturename='%s/scenes/mesh/checks.png'/></Node>",
                DIVAN_SOURCE_DIR);
  dvScene *s;
  dvContext *c;
  dvText why = {0};
  dvRecording *r = record_text(text, 2, &s, &c);
  dvExportReport report;
  assert_true(dv_recording_export(r, glb, &report, &why));
  Gltf g = read_gltf(glb);
  json_t *image = item(g.json, "images", 0), *look = item(g.json, "materials", 0);
  assert_string_equal(json_string_value(json_object_get(image, "mimeType")), "image/png");
  json_t *view = item(g.json, "bufferViews", json_integer_value(json_object_get(image, "bufferView")));
  size_t at = (size_t)json_integer_value(json_object_get(view, "byteOffset"));
  assert_memory_equal(g.bin + at, "\x89PNG", 4);
  json_t *chosen = json_object_get(json_object_get(look, "pbrMetallicRoughness"), "baseColorTexture");
  assert_int_equal(json_integer_value(json_object_get(chosen, "index")), 0);
  json_t *primitive = json_array_get(json_object_get(item(g.json, "meshes", 0), "primitives"), 0);
  json_t *places = json_object_get(json_object_get(primitive, "attributes"), "TEXCOORD_0");
  json_t *accessor = item(g.json, "accessors", json_integer_value(places));
  view = item(g.json, "bufferViews", json_integer_value(json_object_get(accessor, "bufferView")));
  at = (size_t)json_integer_value(json_object_get(view, "byteOffset"));
  assert_int_equal(at % 4, 0);
  float uv[6];
  memcpy(uv, g.bin + at, sizeof uv);
  check_close(uv[5], 0.75, 1e-6);   // v counts downwards
  check_close(uv[2], 1, 1e-6);
  close_gltf(&g);
  dv_recording_free(&r);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_text_free(&why);
  dv_free(text), dv_free(glb);
  check_rmdir(folder);
}

// gravity down z: glTF, which has y up, turns the whole; USD says so
static void up_stays_up(void **state)
{
  (void)state;
  static const char text[] =
      "<Node gravity='0 0 -9.81' dt='0.01'><DefaultAnimationLoop/><OglModel position='0 0 0  1 0 0  0 "
      "0 1' triangles='0 1 2'/></Node>";
  char *folder = check_mkdir(), *glb = dv_path_join(folder, "up.glb"), *usda = dv_path_join(folder, "up.usda");
  dvScene *s;
  dvContext *c;
  dvText why = {0};
  dvRecording *r = record_text(text, 2, &s, &c);
  dvExportReport report;
  assert_true(dv_recording_export(r, glb, &report, &why) && dv_recording_export(r, usda, &report, &why));
  Gltf g = read_gltf(glb);
  json_t *roots = json_object_get(item(g.json, "scenes", 0), "nodes");
  assert_int_equal(json_array_size(roots), 1);
  json_t *root = item(g.json, "nodes", json_integer_value(json_array_get(roots, 0)));
  float q[4];
  for (size_t k = 0; k < 4; k++) q[k] = (float)json_number_value(json_array_get(json_object_get(root, "rotation"), k));
  const float z[3] = {0, 0, 1};
  double up[3];
  rotate(q, z, up);
  check_close(up[1], 1, 1e-6);
  assert_int_equal(json_array_size(json_object_get(root, "children")), 1);
  char *written = dv_file_read(usda, NULL);
  assert_non_null(strstr(written, "upAxis = \"Z\""));
  dv_free(written);
  close_gltf(&g);
  dv_recording_free(&r);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(glb), dv_free(usda);
  check_rmdir(folder);
}

// long recordings are thinned, since each frame is a shape of its own
static void long_recordings_are_thinned(void **state)
{
  (void)state;
  char *folder = check_mkdir(), *path = dv_path_join(folder, "long.glb");
  dvScene *s;
  dvContext *c;
  dvText why = {0};
  dvRecording *r = record_text(three, 620, &s, &c);
  dvExportReport report;
  assert_true(dv_recording_export(r, path, &report, &why));
  assert_int_equal(report.every, 3);
  assert_int_equal(report.frames, 207);
  Gltf g = read_gltf(path);
  close_gltf(&g);
  dv_recording_free(&r);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(path);
  check_rmdir(folder);
}

// a mesh that is cut while it runs: each of its shapes is there in its own time, and only then
static void what_is_carved_takes_over(void **state)
{
  (void)state;
  static const char text[] =
      "<Node gravity='0 -9.81 0' dt='0.02'><DefaultAnimationLoop/><Node name='Soft'><EulerImplicitSolver/>"
      "<CGLinearSolver iterations='50' tolerance='1e-12' threshold='1e-12'/><MeshGmshLoader name='l' "
      "filename='mesh/organ.msh'/><TetrahedronSetTopologyContainer name='t' src='@l'/><TetrahedronSetTopologyModifier "
      "name='m'/><MechanicalObject name='dofs' src='@l'/><UniformMass totalMass='1'/><TetrahedronFEMForceField "
      "youngModulus='5000' poissonRatio='0.3'/><TopologicalChangeProcessor timeToRemove='0.05' interval='0.02' "
      "useDataInputs='1' tetrahedraToRemove='0 1 2 3'/></Node></Node>";
  dvScene *s;
  dvContext *c;
  dvRecording *r = record_text(text, 8, &s, &c);
  dvExport e;
  dvText why = {0};
  if (!dv_export_read(&e, r, 1000, &why)) fail_msg("%s", why.text);
  size_t surfaces = 0, covered = 0;
  for (size_t i = 0; i < e.objects.count; i++) {
    const dvExportObject *o = &e.objects.data[i];
    if (o->kind != DV_EXPORT_TRIANGLES) continue;
    surfaces++;
    covered += o->frames;
    assert_int_equal(o->positions.count, o->frames * 3 * o->points);
  }
  assert_int_equal(covered, 9);   // one of them in each frame
  assert_true(surfaces >= 1);
  char *folder = check_mkdir(), *path = dv_path_join(folder, "cut.glb");
  assert_true(dv_export_gltf(&e, path, &why));
  Gltf g = read_gltf(path);
  close_gltf(&g);
  dv_export_free(&e);
  dv_recording_free(&r);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_text_free(&why);
  dv_free(path);
  check_rmdir(folder);
}

// --- USD -----------------------------------------------------------------------------------------

// the text behind a word, which is there
static const char *behind(const char *text, const char *word)
{
  const char *at = strstr(text, word);
  if (!at) fail_msg("no '%s'", word);
  return at + strlen(word);
}

// numbers of "(a, b, c), ..." from there on
static void numbers(const char *at, double *out, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    while (*at == '(' || *at == ')' || *at == ',' || *at == ' ' || *at == '[') at++;
    assert_true(dv_scan_real(&at, &out[i]));
  }
}

static void usd_moves_as_the_scene_did(void **state)
{
  (void)state;
  enum { STEPS = 10, FRAME = 7 };
  char *folder = check_mkdir(), *path = dv_path_join(folder, "three.usda");
  dvScene *s;
  dvContext *c;
  dvText why = {0};
  dvRecording *r = record_text(three, STEPS, &s, &c);
  dvExportReport report;
  if (!dv_recording_export(r, path, &report, &why)) fail_msg("%s", why.text);
  char *text = dv_file_read(path, NULL);
  assert_true(dv_starts_with(text, "#usda 1.0\n"));
  int depth = 0;
  for (const char *t = text; *t; t++) depth += (*t == '{') - (*t == '}'), assert_true(depth >= 0);
  assert_int_equal(depth, 0);
  dv_scene_reset(s);
  for (int f = 0; f < FRAME; f++) assert_int_equal(dv_scene_step(s, 0), DV_OK);
  // 20 ms a step
  const char *soft = behind(text, "_Soft_Look_look\""), *sample = behind(behind(soft, "points.timeSamples"), " 140: [");
  dvState *dofs = dv_state(dv_link_find(&s->root->base, "/Soft/dofs", DV_ROLE_STATE));
  double *x = dv_alloc(3 * dofs->count * sizeof *x), m[16];
  numbers(sample, x, 3 * dofs->count);
  for (size_t i = 0; i < 3 * dofs->count; i++) check_close(x[i], dv_state_read(dofs, DV_X)[i], 1e-6);
  dv_free(x);
  const char *stiff = behind(text, "_Stiff_Look_look\"");
  numbers(behind(behind(stiff, "xformOp:transform.timeSamples"), " 140: "), m, 16);
  dvState *body = dv_state(dv_link_find(&s->root->base, "/Stiff/Look/look", DV_ROLE_ANY));
  const double local[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < 3; k++) {   // rows: x M; points stand as they were at the start, at 3 0 0
      double v = m[12 + k];
      for (size_t l = 0; l < 3; l++) v += (local[i][l] + (l == 0 ? 3 : 0)) * m[4 * l + k];
      check_close(v, dv_state_read(body, DV_X)[3 * i + k], 5e-6);
    }
  assert_non_null(strstr(text, "primvars:displayOpacity"));
  dv_free(text);
  dv_recording_free(&r);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_text_free(&why);
  dv_free(path);
  check_rmdir(folder);
}

// --- fitting -------------------------------------------------------------------------------------

static void fitting_finds_the_rotation(void **state)
{
  (void)state;
  const float line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, turned[9] = {1, 1, 1, 1, 2, 1, 1, 3, 1};
  dvExportPose p;
  assert_true(dv_export_fit(line, turned, 3, &p) < 1e-6);   // any rotation about the line will do
  float cloud[30], moved[30];
  const float q[4] = {0.5f, -0.5f, 0.1f, 0.7f};
  double norm = sqrt(0.25 + 0.25 + 0.01 + 0.49);
  float unit[4];
  for (int k = 0; k < 4; k++) unit[k] = (float)((double)q[k] / norm);
  for (int i = 0; i < 10; i++) {
    for (int k = 0; k < 3; k++) cloud[3 * i + k] = (float)sin(7.0 * i + 3 * k * i + 1);
    double x[3];
    rotate(unit, cloud + 3 * i, x);
    for (int k = 0; k < 3; k++) moved[3 * i + k] = (float)(x[k] + k + 1);
  }
  assert_true(dv_export_fit(cloud, moved, 10, &p) < 1e-5);
  double along = 0;
  for (int k = 0; k < 4; k++) along += p.q[k] * (double)unit[k];
  check_close(fabs(along), 1, 1e-6);
  for (int i = 0; i < 10; i++) moved[3 * i] = -moved[3 * i];   // a mirror image is no rotation
  assert_true(dv_export_fit(cloud, moved, 10, &p) > 0.1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gltf_moves_as_the_scene_did),
      cmocka_unit_test(long_recordings_are_thinned),
      cmocka_unit_test(up_stays_up),
      cmocka_unit_test(pictures_go_along),
      cmocka_unit_test(what_is_carved_takes_over),
      cmocka_unit_test(usd_moves_as_the_scene_did),
      cmocka_unit_test(fitting_finds_the_rotation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
