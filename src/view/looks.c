// See looks.h. The components are rows of control/settings: their fields are found by name.
#include "view/looks.h"

#include "base/text.h"
#include "haptic/driver.h"

#include <math.h>
#include <string.h>

// --- fields --------------------------------------------------------------------------------------

static json_t *numbers(dvObject *o, const char *name, int count)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->width < count || (f->desc->type != DV_T_VEC && f->desc->type != DV_T_COLOUR)) return json_null();
  dv_field_pull(f);
  json_t *list = json_array();
  const double *v = f->value;
  for (int i = 0; i < count; i++) json_array_append_new(list, json_real(isfinite(v[i]) ? v[i] : 0));
  return list;
}

static bool flag(dvObject *o, const char *name, bool otherwise)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->desc->type != DV_T_BOOL) return otherwise;
  dv_field_pull(f);
  return *(const bool *)f->value;
}

static char *text_of(dvObject *o, const char *name)
{
  dvField *f = dv_object_field(o, name);
  dvText text = {0};
  if (f) dv_field_pull(f), dv_field_print(f, &text);
  char *out = dv_text_take(&text);
  return out ? out : dv_strdup("");
}

static double number(dvObject *o, const char *name)
{
  char *text = text_of(o, name);
  const char *at = text;
  double value = 0;
  if (!dv_scan_real(&at, &value) || !isfinite(value)) value = 0;
  dv_free(text);
  return value;
}

static bool was_set(dvObject *o, const char *name)
{
  const dvField *f = dv_object_field(o, name);
  return f && f->was_set;
}

// --- one by one ----------------------------------------------------------------------------------

typedef struct Looks {
  dvVisitor visitor;
  json_t *out;
  dvText told;
  bool tells[32];   // kinds that were told of
} Looks;

static json_t *list_in(json_t *out, const char *name)
{
  json_t *list = json_object_get(out, name);
  if (list) return list;
  json_object_set_new(out, name, json_array());
  return json_object_get(out, name);
}

static void add_light(json_t *out, dvObject *o)
{
  bool far = dv_same(o->cls->name, "DirectionalLight"), spot = dv_same(o->cls->name, "SpotLight");
  json_t *light = json_pack("{s:s, s:o}", "kind",
                            far    ? "directional"
                            : spot ? "spot"
                                   : "point",
                            "color", numbers(o, "color", 3));
  if (far || spot) json_object_set_new(light, "direction", numbers(o, "direction", 3));
  if (!far) json_object_set_new(light, "position", numbers(o, "position", 3));
  if (!far) json_object_set_new(light, "fixed", json_boolean(flag(o, "fixed", false)));
  if (spot) json_object_set_new(light, "cutoff", json_real(number(o, "cutoff")));
  json_object_set_new(light, "shadow", json_boolean(flag(o, "shadowsEnabled", true)));
  if (spot) json_object_set_new(light, "lookat", json_boolean(flag(o, "lookat", false)));
  json_array_append_new(list_in(out, "lights"), light);
}

static void add_background(json_t *out, dvObject *o) { json_object_set_new(out, "background", numbers(o, "color", 3)); }

// lights cast shadows unless the scene says that they do not
static void add_manager(json_t *out, dvObject *o)
{
  json_object_set_new(out, "ambient", numbers(o, "ambient", 3));
  json_object_set_new(out, "shadows", json_boolean(flag(o, "shadows", true) || !was_set(o, "shadows")));
}

static void forbid_shadows(json_t *out)
{
  size_t i;
  json_t *light;
  if (!json_is_false(json_object_get(out, "shadows"))) return;
  json_array_foreach(json_object_get(out, "lights"), i, light) json_object_set_new(light, "shadow", json_false());
}

static void add_label(json_t *out, dvObject *o)
{
  json_t *label = json_pack("{s:f, s:f, s:f, s:o, s:b}", "x", number(o, "x"), "y", number(o, "y"), "size",
                            number(o, "fontsize"), "color", numbers(o, "color", 3), "contrast",
                            flag(o, "selectContrastingColor", false) || !was_set(o, "color"));
  json_array_append_new(list_in(out, "labels"), label);
}

// a text at a place of the scene, which faces whoever looks
static void add_text(json_t *out, dvObject *o)
{
  char *words = text_of(o, "text");
  json_t *text = json_string(words);
  json_array_append_new(list_in(out, "texts"), json_pack("{s:o, s:o, s:f, s:o}", "text", text ? text : json_string(""),
                                                         "position", numbers(o, "position", 3), "scale",
                                                         number(o, "scale"), "color", numbers(o, "color", 3)));
  dv_free(words);
}

static void add_plane(json_t *out, dvObject *o)
{
  if (flag(o, "active", true))
    json_array_append_new(list_in(out, "planes"), json_pack("{s:o, s:o}", "position", numbers(o, "position", 3),
                                                            "normal", numbers(o, "normal", 3)));
}

static void add_camera(json_t *out, dvObject *o)
{
  if (!was_set(o, "position") || !flag(o, "activated", true)) return;
  char *projection = text_of(o, "projectionType");
  json_t *camera = json_pack("{s:o, s:b}", "position", numbers(o, "position", 3), "ortho",
                             (int)dv_same_nocase(projection, "Orthographic"));
  if (was_set(o, "lookAt")) json_object_set_new(camera, "lookAt", numbers(o, "lookAt", 3));
  else if (was_set(o, "orientation")) json_object_set_new(camera, "orientation", numbers(o, "orientation", 4));
  if (was_set(o, "distance")) json_object_set_new(camera, "distance", json_real(number(o, "distance")));
  json_object_set_new(out, "camera", camera);
  dv_free(projection);
}

// --- a camera on a path --------------------------------------------------------------------------

static const dvReals *list_of(dvObject *o, const char *name, int width)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->desc->type != DV_T_REALS || f->width != width) return NULL;
  dv_field_pull(f);
  const dvReals *list = f->value;
  return list->count >= (size_t)width ? list : NULL;
}

static void read3(dvObject *o, const char *name, double out[3])
{
  json_t *list = numbers(o, name, 3);
  for (size_t i = 0; i < 3; i++) out[i] = json_number_value(json_array_get(list, i));
  json_decref(list);
}

// p turned about an axis through c by an angle, after Rodrigues
static void turned(const double p[3], const double c[3], const double axis[3], double angle, double out[3])
{
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), k[3], v[3], along = 0;
  for (int i = 0; i < 3; i++) k[i] = length > 0 ? axis[i] / length : i == 1, v[i] = p[i] - c[i], along += k[i] * v[i];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    out[i] = c[i] + v[i] * cos(angle) + (k[j] * v[l] - k[l] * v[j]) * sin(angle) + k[i] * along * (1 - cos(angle));
  }
}

// A smooth curve through the rows of a list (Catmull and Rom), at a part of its way.
static void on_curve(const dvReals *list, size_t width, double part, double *out)
{
  size_t rows = list->count / width;
  double x = part * (double)(rows - 1);
  size_t at = rows > 1 ? (size_t)fmin(x, (double)rows - 2) : 0;
  double t = rows > 1 ? x - (double)at : 0;
  for (size_t k = 0; k < width; k++) {
    double p[4];
    for (int i = 0; i < 4; i++) {
      size_t row = i == 0 ? (at > 0 ? at - 1 : 0) : at + (size_t)i - 1 < rows ? at + (size_t)i - 1 : rows - 1;
      p[i] = list->data[width * row + k];
    }
    out[k] =
        p[1] +
        0.5 * t * (p[2] - p[0] + t * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] + t * (3 * (p[1] - p[2]) + p[3] - p[0])));
  }
}

static json_t *moved_camera(dvObject *o, double time)
{
  double start = number(o, "startTime"), end = number(o, "endTime"), position[3], target[3], turn[4];
  double part = end > start ? fmin(1, fmax(0, (time - start) / (end - start))) : 0;
  const dvReals *places = list_of(o, "cameraPositions", 3), *turns = list_of(o, "cameraOrientations", 4);
  if (flag(o, "rotationMode", false)) {
    double centre[3], first[3], axis[3];
    read3(o, "rotationCenter", centre), read3(o, "rotationStartPoint", first), read3(o, "rotationAxis", axis);
    read3(o, was_set(o, "rotationLookAt") ? "rotationLookAt" : "rotationCenter", target);
    turned(first, centre, axis, 2 * M_PI * part, position);
    return json_pack("{s:[f, f, f], s:[f, f, f], s:b}", "position", position[0], position[1], position[2], "lookAt",
                     target[0], target[1], target[2], "ortho", 0);
  }
  if (!places || !(flag(o, "navigationMode", false) || flag(o, "translationMode", false))) return NULL;
  on_curve(places, 3, part, position);
  json_t *camera = json_pack("{s:[f, f, f], s:b}", "position", position[0], position[1], position[2], "ortho", 0);
  if (turns && turns->count / 4 == places->count / 3 && !was_set(o, "lookAt")) {
    on_curve(turns, 4, part, turn);
    double length = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
    for (int k = 0; k < 4; k++) turn[k] = length > 0 ? turn[k] / length : k == 3;
    json_object_set_new(camera, "orientation", json_pack("[f, f, f, f]", turn[0], turn[1], turn[2], turn[3]));
  } else if (was_set(o, "lookAt")) {
    json_object_set_new(camera, "lookAt", numbers(o, "lookAt", 3));
  }
  return camera;
}

typedef struct Path {
  dvVisitor visitor;
  json_t *camera;
} Path;

static dvWalk find_path(dvVisitor *v, dvNode *node)
{
  Path *path = (Path *)v;
  for (size_t i = 0; i < node->objects.count && !path->camera; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_same(o->cls->name, "RecordedCamera") && !o->failed && o->initialised && flag(o, "activated", true))
      path->camera = moved_camera(o, node->scene->root->time);
  }
  return DV_WALK_ON;
}

json_t *dv_looks_camera(const dvScene *scene)
{
  Path path = {.visitor = {.top_down = find_path}};
  if (scene) dv_visit(scene->root, &path.visitor);
  return path.camera;
}

static bool always(dvObject *o)
{
  DV_UNUSED(o);
  return true;
}

// Shadows and translucent surfaces are drawn without them; programs of the scene's own for these are not.
static bool has_files(dvObject *o)
{
  return was_set(o, "fileVertexShaders") || was_set(o, "fileFragmentShaders") || was_set(o, "fileGeometryShaders");
}

static bool has_face_data(dvObject *o)
{
  return was_set(o, "triangleData") || was_set(o, "quadData") || was_set(o, "pointTriangleData") ||
         was_set(o, "pointQuadData");
}

static const struct {
  const char *name;
  void (*add)(json_t *out, dvObject *o);
  bool (*lacks)(dvObject *o);   // it asks for what is not drawn; NULL: never
  const char *what;             // that is not drawn of it, where that is not all
} kinds[] = {{"BackgroundSetting", add_background, NULL, NULL},
             {"LightManager", add_manager, NULL, NULL},
             {"DirectionalLight", add_light, NULL, NULL},
             {"PositionalLight", add_light, NULL, NULL},
             {"SpotLight", add_light, NULL, NULL},
             {"OglLabel", add_label, NULL, NULL},
             {"ClipPlane", add_plane, NULL, NULL},
             {"Visual3DText", add_text, NULL, NULL},
             {"Camera", add_camera, NULL, NULL},
             {"InteractiveCamera", add_camera, NULL, NULL},
             {"RecordedCamera", add_camera, NULL, NULL},
             {"OglShadowShader", NULL, has_files, "its programs"},
             {"OglOITShader", NULL, has_files, "its programs"},
             {"DataDisplay", NULL, has_face_data, "numbers of faces and their corners"},
             {"CompositingVisualLoop", NULL, always, "its passes"},
             {"VisualManagerPass", NULL, always, NULL},
             {"VisualManagerSecondaryPass", NULL, always, NULL}};

// rates of devices, one below the other
static void add_rates(json_t *out, dvObject *o)
{
  char *text = dv_is_driver(o) && !o->failed && o->initialised ? dv_driver_rates(dv_driver(o)) : NULL;
  if (text && out) {
    double y = 10 + 16 * (double)json_array_size(list_in(out, "labels"));
    json_array_append_new(list_in(out, "labels"), json_pack("{s:f, s:f, s:f, s:[f, f, f], s:b}", "x", 10.0, "y", y,
                                                            "size", 12.0, "color", 0.5, 0.5, 0.5, "contrast", 1));
  }
  dv_free(text);
}

static dvWalk look_at(dvVisitor *v, dvNode *node)
{
  Looks *looks = (Looks *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    add_rates(looks->out, o);
    for (size_t k = 0; k < DV_COUNT(kinds); k++) {
      if (!dv_same(o->cls->name, kinds[k].name) || o->failed || !o->initialised || !flag(o, "enable", true)) continue;
      if (kinds[k].add && looks->out) kinds[k].add(looks->out, o);
      if (!kinds[k].lacks || looks->tells[k] || !kinds[k].lacks(o)) continue;
      looks->tells[k] = true;
      dv_text_printf(&looks->told, "%s%s", looks->told.length ? ", " : "", kinds[k].name);
      if (kinds[k].what) dv_text_printf(&looks->told, " (%s)", kinds[k].what);
    }
  }
  return DV_WALK_ON;
}

// The axis that stands upright: that along which gravity pulls; where nothing pulls the one that the scene's camera
// holds up. -1 where neither tells.
static int upright(const double gravity[3], const json_t *camera)
{
  const json_t *turn = json_object_get(camera, "orientation");
  double size = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]), q[4];
  for (int k = 0; k < 3; k++)
    if (size > 0 && fabs(gravity[k]) > 0.9 * size) return k;
  if (size > 0 || !turn) return -1;
  for (size_t k = 0; k < 4; k++) q[k] = json_number_value(json_array_get(turn, k));
  const double held[3] = {2 * (q[0] * q[1] - q[2] * q[3]), q[1] * q[1] + q[3] * q[3] - q[0] * q[0] - q[2] * q[2],
                          2 * (q[1] * q[2] + q[0] * q[3])};
  int most = 0;
  for (int k = 1; k < 3; k++)
    if (held[k] > held[most]) most = k;
  return held[most] > 0 ? most : -1;
}

json_t *dv_looks(const dvScene *scene)
{
  json_t *out = json_object();
  if (!scene) return out;
  Looks looks = {.visitor = {.top_down = look_at}, .out = out};
  dv_visit(scene->root, &looks.visitor);
  dv_text_free(&looks.told);
  forbid_shadows(out);
  json_t *moved = dv_looks_camera(scene), *viewports = dv_looks_viewports(scene), *lens = dv_looks_lens(scene);
  if (moved) json_object_set_new(out, "camera", moved);
  if (viewports) json_object_set_new(out, "viewports", viewports);
  if (lens) json_object_set_new(out, "lens", lens);
  int up = upright(scene->root->gravity, json_object_get(out, "camera"));
  if (up >= 0) json_object_set_new(out, "up", json_integer(up));
  return out;
}

void dv_looks_tell(const dvScene *scene)
{
  Looks looks = {.visitor = {.top_down = look_at}};
  dv_visit(scene->root, &looks.visitor);
  if (!looks.told.length) return;
  char *text = dv_format("the picture does not draw what these components ask for: %s", looks.told.text);
  dv_log_send(&scene->context->log, &(dvMessage){.level = DV_NOTE, .text = text});
  dv_free(text);
  dv_text_free(&looks.told);
}

// --- labels, which change ------------------------------------------------------------------------

typedef struct Labels {
  dvVisitor visitor;
  json_t *list;
} Labels;

static void read_rates(Labels *l, dvObject *o)
{
  char *text = dv_is_driver(o) && !o->failed && o->initialised ? dv_driver_rates(dv_driver(o)) : NULL;
  json_t *line = text ? json_string(text) : NULL;
  if (text && !l->list) l->list = json_array();
  if (text) json_array_append_new(l->list, line ? line : json_string(""));
  dv_free(text);
}

static dvWalk read_labels(dvVisitor *v, dvNode *node)
{
  Labels *l = (Labels *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    read_rates(l, o);
    if (!dv_same(o->cls->name, "OglLabel") || o->failed || !o->initialised || !flag(o, "enable", true)) continue;
    char *prefix = text_of(o, "prefix"), *label = text_of(o, "label"), *suffix = text_of(o, "suffix");
    char *text = dv_format("%s%.400s%s", prefix, label, suffix);
    json_t *line = json_string(text);
    if (!l->list) l->list = json_array();
    json_array_append_new(l->list, line ? line : json_string(""));
    dv_free(prefix), dv_free(label), dv_free(suffix), dv_free(text);
  }
  return DV_WALK_ON;
}

json_t *dv_looks_labels(const dvScene *scene)
{
  Labels labels = {.visitor = {.top_down = read_labels}};
  if (scene) dv_visit(scene->root, &labels.visitor);
  return labels.list;
}
