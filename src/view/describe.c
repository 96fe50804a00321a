// What can be drawn, as JSON: the answer to `scene`. See inside.h.
#include "view/flags.h"
#include "view/inside.h"
#include "view/looks.h"
#include "view/maps.h"

#include <math.h>
#include <stdio.h>

static json_t *number_or_null(int id) { return id < 0 ? json_null() : json_integer(id); }

static json_t *colour(const double c[4]) { return json_pack("[f, f, f, f]", c[0], c[1], c[2], c[3]); }

static json_t *file_number(int texture)
{
  char file[32];
  snprintf(file, sizeof file, "file/%d", texture);
  return texture >= 0 ? json_string(file) : json_null();
}

static json_t *material(const dvShading *m, int texture, bool wireframe)
{
  json_t *out = json_object();
  json_object_set_new(out, "ambient", colour(m->ambient));
  json_object_set_new(out, "diffuse", colour(m->diffuse));
  json_object_set_new(out, "specular", colour(m->specular));
  json_object_set_new(out, "emissive", colour(m->emissive));
  json_object_set_new(out, "shininess", isfinite(m->shininess) ? json_real(m->shininess) : json_real(0));
  json_object_set_new(out, "texture", file_number(texture));
  json_object_set_new(out, "wireframe", json_boolean(wireframe));
  return out;
}

static json_t *drawable_row(const dvDraw *d, const dvDrawable *a, size_t id)
{
  char *path = dv_object_path(a->object);
  json_t *row = json_pack("{s:i, s:s, s:s}", "id", (int)id, "group", dv_draw_group_names[a->group], "kind",
                          dv_draw_kind_names[a->kind]);
  dv_view_put_text(row, "path", path);
  dv_free(path);
  const struct {
    const char *name;
    int id;
  } arrays[] = {{"positions", a->positions}, {"indices", a->indices}, {"second", a->second}, {"values", a->values},
                {"texcoords", a->texcoords}, {"radii", a->radii},     {"paint", a->paint},   {"frames", a->frames},
                {"sizes", a->sizes},         {"normals", -1}};
  for (size_t i = 0; i < DV_COUNT(arrays); i++) json_object_set_new(row, arrays[i].name, number_or_null(arrays[i].id));
  dv_view_put_text(row, "label", a->label);
  if (a->range[0] < a->range[1]) json_object_set_new(row, "range", json_pack("[f, f]", a->range[0], a->range[1]));
  if (a->map) json_object_set_new(row, "map", dv_map_row(a->map));
  if (a->say < 0) json_object_set_new(row, "hidden", json_true());
  if (a->faced) json_object_set_new(row, "faced", json_true());
  if (a->aside) json_object_set_new(row, "aside", json_true());
  if (a->attenuation > 0 && isfinite(a->attenuation))
    json_object_set_new(row, "attenuation", json_real(a->attenuation));
  if (a->absorption > 0 && isfinite(a->absorption)) json_object_set_new(row, "absorption", json_real(a->absorption));
  if (a->liquid[0] > 0 && isfinite(a->liquid[0]) && isfinite(a->liquid[1]))
    json_object_set_new(row, "liquid", json_pack("[f, f]", a->liquid[0], a->liquid[1]));
  if (a->shader >= 0) json_object_set_new(row, "shader", json_integer(a->shader));
  if (a->kind == DV_DRAW_SPHERES && isfinite(a->radius)) json_object_set_new(row, "radius", json_real(a->radius));
  if (a->scale > 0 && isfinite(a->scale)) json_object_set_new(row, "scale", json_real(a->scale));
  if (a->directed) json_object_set_new(row, "directed", json_true());
  if (!a->has_material) return row;
  json_object_set_new(row, "material", material(&a->material, a->texture, a->wireframe));
  if (!a->parts) return row;
  json_t *parts = json_array();
  for (size_t i = 0; i < a->parts; i++) {
    const dvDrawPart *p = &d->parts.data[a->first_part + i];
    json_array_append_new(parts,
                          json_pack("{s:I, s:I, s:o}", "first", (json_int_t)p->first, "count", (json_int_t)p->count,
                                    "material", material(&p->material, p->texture, a->wireframe)));
  }
  json_object_set_new(row, "parts", parts);
  return row;
}

static json_t *given_row(const dvDrawUniform *u)
{
  static const char *const kinds[] = {"float", "int", "matrix"};
  json_t *row = json_pack("{s:s, s:i, s:i, s:b, s:i}", "kind", kinds[u->kind], "rows", u->rows, "columns", u->columns,
                          "transpose", (int)u->transpose, "array", u->array);
  dv_view_put_text(row, "name", u->name);
  return row;
}

// a program of the scene: texts for WebGL 2 and what they are given
static json_t *shader_row(const dvDrawShader *s)
{
  char *path = dv_object_path(s->object);
  json_t *row = json_object(), *uniforms = json_array(), *attributes = json_array(), *samplers = json_array();
  dv_view_put_text(row, "path", path);
  dv_view_put_text(row, "vertex", s->vertex);
  dv_view_put_text(row, "fragment", s->fragment);
  json_object_set_new(row, "geometry", json_boolean(s->geometry != NULL));
  json_t *files = json_array();
  for (int i = 0; i < 2; i++) {
    json_t *name = s->files[i] ? json_string(s->files[i]) : NULL;
    json_array_append_new(files, name ? name : json_string(""));
  }
  json_object_set_new(row, "files", files);
  for (size_t i = 0; i < s->uniforms.count; i++) json_array_append_new(uniforms, given_row(&s->uniforms.data[i]));
  for (size_t i = 0; i < s->attributes.count; i++) json_array_append_new(attributes, given_row(&s->attributes.data[i]));
  for (size_t i = 0; i < s->samplers.count; i++) {
    const dvDrawSampler *t = &s->samplers.data[i];
    json_t *one = json_pack("{s:o, s:b, s:b, s:b}", "file", file_number(t->texture), "repeat", (int)t->repeat, "smooth",
                            (int)t->smooth, "srgb", (int)t->srgb);
    dv_view_put_text(one, "name", t->name);
    json_t *sides = t->cube ? json_array() : NULL;
    for (int k = 0; k < 6 && t->cube; k++) json_array_append_new(sides, file_number(t->sides[k]));
    if (sides) json_object_set_new(one, "cube", sides);
    json_array_append_new(samplers, one);
  }
  json_object_set_new(row, "uniforms", uniforms);
  json_object_set_new(row, "attributes", attributes);
  json_object_set_new(row, "samplers", samplers);
  dv_free(path);
  return row;
}

// what the scene itself wants drawn
static json_t *view_flags(const dvSession *s)
{
  if (!s->ready || !dv_flags_given(s->scene)) return json_null();
  dvFlags root = dv_flags_of(s->scene->root);
  json_t *groups = json_array();
  unsigned wanted = dv_flags_groups(&s->draw);
  for (int g = 0; g < DV_DRAW_GROUPS; g++)
    if (wanted & 1u << g) json_array_append_new(groups, json_string(dv_draw_group_names[g]));
  return json_pack("{s:o, s:b, s:b}", "groups", groups, "wireframe", root.say[DV_FLAG_WIREFRAME] > 0, "normals",
                   root.say[DV_FLAG_NORMALS] > 0);
}

json_t *dv_view_scene(dvSession *s)
{
  json_t *arrays = json_array(), *drawables = json_array(), *answer = dv_view_ok();
  for (size_t i = 0; i < s->draw.arrays.count; i++) {
    const dvDrawArray *a = &s->draw.arrays.data[i];
    json_array_append_new(arrays,
                          json_pack("{s:i, s:s, s:i, s:I, s:b}", "id", (int)i, "kind", a->integers ? "u32" : "f32",
                                    "width", a->width, "count", (json_int_t)a->count, "dynamic", (int)a->dynamic));
  }
  for (size_t i = 0; i < s->draw.list.count; i++)
    json_array_append_new(drawables, drawable_row(&s->draw, &s->draw.list.data[i], i));
  double low[3], high[3];
  json_object_set_new(answer, "arrays", arrays);
  json_object_set_new(answer, "drawables", drawables);
  if (s->draw.shaders.count) {
    json_t *shaders = json_array();
    for (size_t i = 0; i < s->draw.shaders.count; i++)
      json_array_append_new(shaders, shader_row(&s->draw.shaders.data[i]));
    json_object_set_new(answer, "shaders", shaders);
  }
  if (s->draw.post >= 0 && (size_t)s->draw.post < s->draw.shaders.count)
    json_object_set_new(
        answer, "post",
        json_pack("{s:i, s:f, s:f}", "shader", s->draw.post, "near", s->draw.post_near, "far", s->draw.post_far));
  const dvObject *lone[4];
  size_t scales = s->ready ? dv_map_lone(&s->draw, lone, DV_COUNT(lone)) : 0;
  json_t *list = scales ? json_array() : NULL;
  for (size_t i = 0; i < scales; i++) {
    json_t *row = dv_map_row(lone[i]);
    dvMapLegend says = dv_map_legend(lone[i]);
    json_object_set_new(row, "low", json_real(says.low)), json_object_set_new(row, "high", json_real(says.high));
    json_array_append_new(list, row);
  }
  if (list) json_object_set_new(answer, "scales", list);
  json_object_set_new(answer, "revision", json_integer(s->draw.revision));
  json_object_set_new(answer, "flags", view_flags(s));
  json_t *looks = dv_looks(s->ready ? s->scene : NULL);
  if (s->draw.backdrop >= 0) json_object_set_new(looks, "picture", file_number(s->draw.backdrop));
  json_object_set_new(answer, "looks", looks);
  json_object_set_new(answer, "box",
                      dv_draw_box(&s->draw, low, high)
                          ? json_pack("[[f, f, f], [f, f, f]]", low[0], low[1], low[2], high[0], high[1], high[2])
                          : json_null());
  return answer;
}
