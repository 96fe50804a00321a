// See looks.h. The components are rows of control/settings: their fields are found by name.
#include "view/looks.h"

#include "base/text.h"

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
  if (spot) json_object_set_new(light, "lookat", json_boolean(flag(o, "lookat", false)));
  json_array_append_new(list_in(out, "lights"), light);
}

static void add_background(json_t *out, dvObject *o) { json_object_set_new(out, "background", numbers(o, "color", 3)); }

static void add_ambient(json_t *out, dvObject *o) { json_object_set_new(out, "ambient", numbers(o, "ambient", 3)); }

static void add_label(json_t *out, dvObject *o)
{
  json_t *label = json_pack("{s:f, s:f, s:f, s:o, s:b}", "x", number(o, "x"), "y", number(o, "y"), "size",
                            number(o, "fontsize"), "color", numbers(o, "color", 3), "contrast",
                            flag(o, "selectContrastingColor", false) || !was_set(o, "color"));
  json_array_append_new(list_in(out, "labels"), label);
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

static const struct {
  const char *name;
  void (*add)(json_t *out, dvObject *o);   // NULL: the page does not show it
} kinds[] = {{"BackgroundSetting", add_background},
             {"LightManager", add_ambient},
             {"DirectionalLight", add_light},
             {"PositionalLight", add_light},
             {"SpotLight", add_light},
             {"OglLabel", add_label},
             {"ClipPlane", add_plane},
             {"Camera", add_camera},
             {"InteractiveCamera", add_camera},
             {"RecordedCamera", add_camera},
             {"OglSkybox", NULL},
             {"Skybox", NULL},
             {"OglShader", NULL},
             {"OglShadowShader", NULL},
             {"OglViewport", NULL},
             {"SlicedVolumetricModel", NULL},
             {"OglCylinderModel", NULL},
             {"PostProcessManager", NULL},
             {"VisualManagerPass", NULL},
             {"VisualManagerSecondaryPass", NULL},
             {"CompositingVisualLoop", NULL},
             {"OglOITShader", NULL},
             {"OrderIndependentTransparencyManager", NULL}};

static dvWalk look_at(dvVisitor *v, dvNode *node)
{
  Looks *looks = (Looks *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    for (size_t k = 0; k < DV_COUNT(kinds); k++) {
      if (!dv_same(o->cls->name, kinds[k].name) || o->failed || !o->initialised || !flag(o, "enable", true)) continue;
      if (kinds[k].add && looks->out) kinds[k].add(looks->out, o);
      const char *place = looks->told.text;
      if (!kinds[k].add && !(place && strstr(place, kinds[k].name)))
        dv_text_printf(&looks->told, "%s%s", looks->told.length ? ", " : "", kinds[k].name);
    }
  }
  return DV_WALK_ON;
}

json_t *dv_looks(const dvScene *scene)
{
  json_t *out = json_object();
  if (!scene) return out;
  Looks looks = {.visitor = {.top_down = look_at}, .out = out};
  dv_visit(scene->root, &looks.visitor);
  dv_text_free(&looks.told);
  const double *g = scene->root->gravity;
  json_object_set_new(out, "gravity", json_pack("[f, f, f]", g[0], g[1], g[2]));
  return out;
}

void dv_looks_tell(const dvScene *scene)
{
  Looks looks = {.visitor = {.top_down = look_at}};
  dv_visit(scene->root, &looks.visitor);
  if (!looks.told.length) return;
  char *text = dv_format("the page does not draw what these components ask for: %s", looks.told.text);
  dv_log_send(&scene->context->log, &(dvMessage){.level = DV_NOTE, .text = text});
  dv_free(text);
  dv_text_free(&looks.told);
}

// --- labels, which change ------------------------------------------------------------------------

typedef struct Labels {
  dvVisitor visitor;
  json_t *list;
} Labels;

static dvWalk read_labels(dvVisitor *v, dvNode *node)
{
  Labels *l = (Labels *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
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
