// Binary glTF 2.0 (Khronos, ISO/IEC 12113): one node for each object, one animation for all.
//
//   file    "glTF", 2, length; chunk of JSON; chunk of bytes (4-byte words each)
//   rigid   translation and rotation of the node over time, linear between frames
//   deform  each frame but the first is a morph target (differences of positions and normals), and weights go from one
//           to the next: between two frames points move along lines
//   up      y; a scene whose gravity points down z is turned
//   looks   pictures of surfaces (PNG and JPEG) are in the file; v counts downwards there
//   there   an object of a layout that comes or goes has scale 1 while it is there, 0 else
#include "view/export.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { FLOAT = 5126, UINT = 5125, ARRAY = 34962, ELEMENTS = 34963 };

typedef struct Writer {
  const dvExport *e;
  dvText bytes;
  json_t *views, *accessors, *meshes, *nodes, *materials, *samplers, *channels, *images, *textures, *files;
} Writer;

static json_int_t last_of(const json_t *list) { return (json_int_t)json_array_size(list) - 1; }

static json_int_t add_view(Writer *w, const void *data, size_t length, int target)
{
  json_t *view = json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)w->bytes.length, "byteLength",
                           (json_int_t)length);
  if (target) json_object_set_new(view, "target", json_integer(target));
  json_array_append_new(w->views, view);
  dv_text_add_n(&w->bytes, data, length);
  return last_of(w->views);
}

static json_int_t add_accessor(Writer *w, json_int_t view, int type, size_t count, const char *shape)
{
  json_array_append_new(w->accessors, json_pack("{s:I, s:i, s:I, s:s}", "bufferView", view, "componentType", type,
                                                "count", (json_int_t)count, "type", shape));
  return last_of(w->accessors);
}

// numbers of a width, with the smallest and largest of each column where a reader wants them
static json_int_t add_floats(Writer *w, const float *x, size_t count, int width, int target, bool bounds)
{
  static const char *const shapes[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  json_int_t view = add_view(w, x, count * (size_t)width * sizeof *x, target),
             at = add_accessor(w, view, FLOAT, count, shapes[width]);
  if (!bounds || !count) return at;
  json_t *low = json_array(), *high = json_array(), *a = json_array_get(w->accessors, (size_t)at);
  for (int k = 0; k < width; k++) {
    float least = x[k], most = x[k];
    for (size_t i = 0; i < count; i++) {
      float v = x[i * (size_t)width + (size_t)k];
      least = v < least ? v : least, most = v > most ? v : most;
    }
    json_array_append_new(low, json_real((double)least));
    json_array_append_new(high, json_real((double)most));
  }
  json_object_set_new(a, "min", low);
  json_object_set_new(a, "max", high);
  return at;
}

// --- looks ---------------------------------------------------------------------------------------

static double linear(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }

// the number of a picture; -1 where the file is not there, or of another kind
static json_int_t add_picture(Writer *w, const char *path)
{
  size_t i, length = 0;
  json_t *name;
  json_array_foreach(w->files, i, name) if (dv_same(json_string_value(name), path)) return (json_int_t)i;
  char *bytes = path ? dv_file_read(path, &length) : NULL;
  bool png = bytes && length > 8 && memcmp(bytes, "\x89PNG", 4) == 0,
       jpeg = bytes && length > 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
  name = png || jpeg ? json_string(path) : NULL;
  if (name) {
    json_array_append_new(w->files, name);
    json_array_append_new(w->images, json_pack("{s:I, s:s}", "bufferView", add_view(w, bytes, length, 0), "mimeType",
                                               png ? "image/png" : "image/jpeg"));
    json_array_append_new(w->textures, json_pack("{s:I}", "source", last_of(w->images)));
    dv_text_add_n(&w->bytes, "\0\0\0", (4 - length % 4) % 4);
  }
  dv_free(bytes);
  return name ? last_of(w->textures) : -1;
}

static json_int_t add_material(Writer *w, const dvExportPart *p)
{
  const double *c = p->colour;
  json_t *m = json_pack("{s:b, s:{s:[f,f,f,f], s:f, s:f}}", "doubleSided", 1, "pbrMetallicRoughness", "baseColorFactor",
                        linear(c[0]), linear(c[1]), linear(c[2]), c[3], "metallicFactor", 0.0, "roughnessFactor",
                        sqrt(2 / (p->shininess + 2)));
  json_int_t picture = p->texture ? add_picture(w, p->texture) : -1;
  if (picture >= 0)
    json_object_set_new(json_object_get(m, "pbrMetallicRoughness"), "baseColorTexture",
                        json_pack("{s:I}", "index", picture));
  if (c[3] < 1) json_object_set_new(m, "alphaMode", json_string("BLEND"));
  for (size_t i = 0; i < json_array_size(w->materials); i++)
    if (json_equal(m, json_array_get(w->materials, i))) {
      json_decref(m);
      return (json_int_t)i;
    }
  json_array_append_new(w->materials, m);
  return last_of(w->materials);
}

// --- shapes --------------------------------------------------------------------------------------

static void subtract(const float *a, const float *b, float *out, size_t n)
{
  for (size_t i = 0; i < n; i++) out[i] = a[i] - b[i];
}

// a morph target for each frame behind the first
static json_t *add_targets(Writer *w, const dvExportObject *o, const float *normals)
{
  size_t n = 3 * o->points;
  float *d = dv_alloc((n + 1) * sizeof *d);
  json_t *targets = json_array();
  for (size_t f = 1; f < o->frames; f++) {
    json_t *t = json_object();
    subtract(o->positions.data + f * n, o->positions.data, d, n);
    json_object_set_new(t, "POSITION", json_integer(add_floats(w, d, o->points, 3, ARRAY, true)));
    if (normals) {
      float *now = dv_export_normals(o, f);
      subtract(now, normals, d, n);
      json_object_set_new(t, "NORMAL", json_integer(add_floats(w, d, o->points, 3, ARRAY, false)));
      dv_free(now);
    }
    json_array_append_new(targets, t);
  }
  dv_free(d);
  return targets;
}

static json_int_t add_mesh(Writer *w, const dvExportObject *o)
{
  static const int modes[] = {[DV_EXPORT_TRIANGLES] = 4, [DV_EXPORT_LINES] = 1, [DV_EXPORT_POINTS] = 0};
  float *normals = o->kind == DV_EXPORT_TRIANGLES ? dv_export_normals(o, 0) : NULL;
  json_t *attributes = json_object(), *primitives = json_array(),
         *targets = o->motion == DV_EXPORT_DEFORMING ? add_targets(w, o, normals) : NULL;
  json_object_set_new(attributes, "POSITION",
                      json_integer(add_floats(w, o->positions.data, o->points, 3, ARRAY, true)));
  if (normals)
    json_object_set_new(attributes, "NORMAL", json_integer(add_floats(w, normals, o->points, 3, ARRAY, false)));
  dv_free(normals);
  if (o->coordinates.count == 2 * o->points && o->points) {
    float *uv = dv_alloc(2 * o->points * sizeof *uv);
    for (size_t i = 0; i < 2 * o->points; i++) uv[i] = i % 2 ? 1 - o->coordinates.data[i] : o->coordinates.data[i];
    json_object_set_new(attributes, "TEXCOORD_0", json_integer(add_floats(w, uv, o->points, 2, ARRAY, false)));
    dv_free(uv);
  }
  for (size_t i = 0; i < o->parts.count; i++) {
    const dvExportPart *p = &o->parts.data[i];
    json_t *primitive =
        json_pack("{s:O, s:i, s:I}", "attributes", attributes, "mode", modes[o->kind], "material", add_material(w, p));
    if (p->count) {
      json_int_t view = add_view(w, o->indices.data + p->first, p->count * sizeof(uint32_t), ELEMENTS);
      json_object_set_new(primitive, "indices", json_integer(add_accessor(w, view, UINT, p->count, "SCALAR")));
    }
    if (targets) json_object_set(primitive, "targets", targets);
    json_array_append_new(primitives, primitive);
  }
  json_decref(attributes);
  json_decref(targets);
  json_t *mesh = json_pack("{s:o}", "primitives", primitives);
  json_t *name = json_string(o->name);
  if (name) json_object_set_new(mesh, "name", name);
  json_array_append_new(w->meshes, mesh);
  return last_of(w->meshes);
}

// --- motion --------------------------------------------------------------------------------------

static void add_channel(Writer *w, json_int_t node, const char *path, const char *between, json_int_t input,
                        json_int_t output)
{
  json_array_append_new(w->samplers,
                        json_pack("{s:I, s:s, s:I}", "input", input, "interpolation", between, "output", output));
  json_array_append_new(w->channels, json_pack("{s:I, s:{s:I, s:s}}", "sampler", last_of(w->samplers), "target", "node",
                                               node, "path", path));
}

static json_int_t add_times(Writer *w, size_t first, size_t count)
{
  float *t = dv_alloc((count + 1) * sizeof *t);
  for (size_t i = 0; i < count; i++) t[i] = (float)(w->e->times.data[first + i] - w->e->times.data[0]);
  json_int_t at = add_floats(w, t, count, 1, 0, true);
  dv_free(t);
  return at;
}

static void move_rigidly(Writer *w, const dvExportObject *o, json_int_t node)
{
  float *t = dv_alloc((3 * o->frames + 1) * sizeof *t), *q = dv_alloc((4 * o->frames + 1) * sizeof *q);
  for (size_t f = 0; f < o->frames; f++) {
    for (size_t k = 0; k < 3; k++) t[3 * f + k] = (float)o->poses.data[f].t[k];
    for (size_t k = 0; k < 4; k++) q[4 * f + k] = (float)o->poses.data[f].q[k];
  }
  json_int_t times = add_times(w, o->first, o->frames);
  add_channel(w, node, "translation", "LINEAR", times, add_floats(w, t, o->frames, 3, 0, false));
  add_channel(w, node, "rotation", "LINEAR", times, add_floats(w, q, o->frames, 4, 0, false));
  dv_free(t), dv_free(q);
}

static void deform(Writer *w, const dvExportObject *o, json_int_t node)
{
  size_t targets = o->frames - 1;
  float *weights = dv_alloc((o->frames * targets + 1) * sizeof *weights);
  for (size_t f = 1; f < o->frames; f++) weights[f * targets + f - 1] = 1;
  json_int_t times = add_times(w, o->first, o->frames);
  add_channel(w, node, "weights", "LINEAR", times, add_floats(w, weights, o->frames * targets, 1, 0, false));
  dv_free(weights);
}

// scale 0 before it comes and after it has gone
static void come_and_go(Writer *w, const dvExportObject *o, json_int_t node)
{
  size_t all = w->e->times.count, end = o->first + o->frames, n = 0;
  if (o->first == 0 && end == all) return;
  float times[3], scale[9];
  const double start = w->e->times.data[0];
  if (o->first) times[n++] = 0;
  times[n++] = (float)(w->e->times.data[o->first] - start);
  if (end < all) times[n++] = (float)(w->e->times.data[end] - start);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++) scale[3 * i + k] = i == (o->first ? 1u : 0u) ? 1 : 0;
  json_int_t input = add_floats(w, times, n, 1, 0, true);
  add_channel(w, node, "scale", "STEP", input, add_floats(w, scale, n, 3, 0, false));
}

static void add_object(Writer *w, const dvExportObject *o)
{
  json_t *node = json_pack("{s:I}", "mesh", add_mesh(w, o)), *name = json_string(o->name);
  if (name) json_object_set_new(node, "name", name);
  json_array_append_new(w->nodes, node);
  json_int_t at = last_of(w->nodes);
  if (o->motion == DV_EXPORT_RIGID) move_rigidly(w, o, at);
  if (o->motion == DV_EXPORT_DEFORMING) deform(w, o, at);
  come_and_go(w, o, at);
}

// --- the file ------------------------------------------------------------------------------------

static void put32(dvText *out, size_t value) { dv_text_add_n(out, (const char *)&(uint32_t){(uint32_t)value}, 4); }

static json_t *document(Writer *w)
{
  json_t *roots = json_array();
  for (size_t i = 0; i < json_array_size(w->nodes); i++) json_array_append_new(roots, json_integer((json_int_t)i));
  if (w->e->z_up) {   // glTF has y up: all stands in a node that is turned about x
    json_array_append_new(w->nodes, json_pack("{s:s, s:[f, f, f, f], s:o}", "name", "z up", "rotation", -sqrt(0.5), 0.0,
                                              0.0, sqrt(0.5), "children", roots));
    roots = json_pack("[I]", last_of(w->nodes));
  }
  json_t *d = json_pack("{s:{s:s, s:s}, s:i, s:[{s:o}], s:O, s:O, s:O, s:O, s:O, s:[{s:I}]}", "asset", "version", "2.0",
                        "generator", "divan " DIVAN_VERSION, "scene", 0, "scenes", "nodes", roots, "nodes", w->nodes,
                        "meshes", w->meshes, "materials", w->materials, "accessors", w->accessors, "bufferViews",
                        w->views, "buffers", "byteLength", (json_int_t)w->bytes.length);
  if (json_array_size(w->images)) {
    json_object_set(d, "images", w->images);
    json_object_set(d, "textures", w->textures);
  }
  if (json_array_size(w->channels))
    json_object_set_new(
        d, "animations",
        json_pack("[{s:s, s:O, s:O}]", "name", "motion", "samplers", w->samplers, "channels", w->channels));
  return d;
}

bool dv_export_gltf(const dvExport *e, const char *path, dvText *why)
{
  Writer w = {e,
              {0},
              json_array(),
              json_array(),
              json_array(),
              json_array(),
              json_array(),
              json_array(),
              json_array(),
              json_array(),
              json_array(),
              json_array()};
  for (size_t i = 0; i < e->objects.count; i++) add_object(&w, &e->objects.data[i]);
  json_t *d = document(&w);
  char *text = json_dumps(d, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(d);
  dvText head = {0};
  size_t length = text ? strlen(text) : 0, padded = (length + 3) & ~(size_t)3, total = 28 + padded + w.bytes.length;
  bool good = text && total < UINT32_MAX;
  if (!good) dv_text_add(why, "it would be larger than 4 GB: export fewer steps (--every)");
  if (good) {
    dv_text_add_n(&head, "glTF", 4);
    put32(&head, 2), put32(&head, total), put32(&head, padded);
    dv_text_add_n(&head, "JSON", 4);
    dv_text_add_n(&head, text, length);
    dv_text_add_n(&head, "   ", padded - length);
    put32(&head, w.bytes.length);
    dv_text_add_n(&head, "BIN\0", 4);
    FILE *f = dv_file_write(path, "wb");
    good = f && fwrite(head.text, 1, head.length, f) == head.length &&
           fwrite(w.bytes.text, 1, w.bytes.length, f) == w.bytes.length;
    if (f) good = fclose(f) == 0 && good;
    if (!good) dv_text_printf(why, "it cannot be written: %s", strerror(errno));
  }
  free(text);
  dv_text_free(&head);
  dv_text_free(&w.bytes);
  json_t *const lists[] = {w.views,    w.accessors, w.meshes, w.nodes,    w.materials,
                           w.samplers, w.channels,  w.images, w.textures, w.files};
  for (size_t i = 0; i < DV_COUNT(lists); i++) json_decref(lists[i]);
  return good;
}
