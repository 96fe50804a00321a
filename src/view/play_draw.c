// What is drawn while a recording is shown: its arrays become those of the session's draw list; of two recordings both,
// one beside the other or over it, with the distances between their points as values. See play.h.
#include "view/play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const references[] = {"positions", "indices", "second", "values", "texcoords",
                                         "radii",     "frames",  "sizes",  "paint"};

static size_t array_count(const json_t *layout) { return json_array_size(json_object_get(layout, "arrays")); }

static int group_of(const json_t *drawable)
{
  const char *name = json_string_value(json_object_get(drawable, "group"));
  for (int g = 0; g < DV_DRAW_GROUPS; g++)
    if (dv_same(name, dv_draw_group_names[g])) return g;
  return 0;
}

static uint32_t reference(const json_t *drawable, const char *name)
{
  const json_t *id = json_object_get(drawable, name);
  return json_is_integer(id) ? (uint32_t)json_integer_value(id) : UINT32_MAX;
}

// --- two recordings ------------------------------------------------------------------------------

static void renumber(json_t *drawable, size_t arrays, size_t id)
{
  json_object_set_new(drawable, "id", json_integer((json_int_t)id));
  for (size_t k = 0; k < DV_COUNT(references); k++) {
    const uint32_t at = reference(drawable, references[k]);
    if (at != UINT32_MAX) json_object_set_new(drawable, references[k], json_integer((json_int_t)(at + arrays)));
  }
  const char *path = json_string_value(json_object_get(drawable, "path"));
  char *other = dv_format("/second%s", path ? path : "");
  dv_view_put_text(drawable, "path", other);
  dv_free(other);
}

// over another one it is seen through
static void make_ghost(json_t *drawable)
{
  json_t *look = json_pack("{s:[f,f,f,f], s:n, s:b}", "diffuse", 0.5, 0.5, 0.5, 0.4, "texture", "wireframe", 1);
  json_object_set_new(drawable, "material", look);
  json_object_del(drawable, "parts");
}

static void plain_texture(json_t *drawable)
{
  json_t *material = json_object_get(drawable, "material");
  if (material) json_object_set_new(material, "texture", json_null());
  json_object_del(drawable, "parts");
}

static bool alike(const json_t *a, const json_t *b)
{
  static const char *const names[] = {"group", "kind", "path"};
  for (size_t i = 0; i < DV_COUNT(names); i++)
    if (!dv_same(json_string_value(json_object_get(a, names[i])), json_string_value(json_object_get(b, names[i]))))
      return false;
  return true;
}

// surfaces of the first one get the distance to their like in the second as values
static void add_difference(dvPlayer *p, json_t *drawable, const json_t *others, json_t *arrays)
{
  if (!dv_same(json_string_value(json_object_get(drawable, "kind")), "triangles")) return;
  size_t i;
  json_t *other;
  json_array_foreach(others, i, other)
  {
    if (!alike(drawable, other)) continue;
    dvPlaySource d = {2, reference(drawable, "positions"), reference(other, "positions"), false};
    if (d.id == UINT32_MAX || d.other == UINT32_MAX) return;
    size_t id = p->sources.count;
    dv_push(&p->sources, d);
    json_array_append_new(arrays, json_pack("{s:i, s:s, s:i, s:i, s:b}", "id", (int)id, "kind", "f32", "width", 1,
                                            "count", 0, "dynamic", 1));
    json_object_set_new(drawable, "values", json_integer((json_int_t)id));
    json_object_set_new(drawable, "label", json_string("distance (m)"));
    return;
  }
}

static double width_of(const json_t *layout)
{
  const json_t *box = json_object_get(layout, "box");
  double low = json_number_value(json_array_get(json_array_get(box, 0), 0)),
         high = json_number_value(json_array_get(json_array_get(box, 1), 0));
  return isfinite(high - low) && high > low ? high - low : 1;
}

static void add_second(dvPlayer *p, json_t *scene)
{
  const json_t *layout = dv_recording_layout(p->file[1]), *others = json_object_get(layout, "drawables");
  json_t *arrays = json_object_get(scene, "arrays"), *list = json_object_get(scene, "drawables"), *row;
  size_t first = p->sources.count, drawables = json_array_size(list), i;
  p->aside = p->together == DV_PLAY_BESIDE ? 1.2 * width_of(scene) : 0;
  for (i = 0; i < array_count(layout); i++) {
    json_t *a = json_deep_copy(json_array_get(json_object_get(layout, "arrays"), i));
    json_object_set_new(a, "id", json_integer((json_int_t)(first + i)));
    json_array_append_new(arrays, a);
    dv_push(&p->sources, ((dvPlaySource){1, (uint32_t)i, 0, false}));
  }
  json_array_foreach(list, i, row) add_difference(p, row, others, arrays);
  json_array_foreach(others, i, row)
  {
    json_t *copy = json_deep_copy(row);
    uint32_t at = reference(copy, "positions");
    bool arrows = dv_same(json_string_value(json_object_get(copy, "kind")), "vectors");
    if (at != UINT32_MAX) p->sources.data[first + at].moved = true;
    at = arrows ? UINT32_MAX : reference(copy, "second");   // the other end of lines
    if (at != UINT32_MAX) p->sources.data[first + at].moved = true;
    renumber(copy, first, drawables + i);
    if (p->together == DV_PLAY_OVER) make_ghost(copy);
    else plain_texture(copy);
    json_array_append_new(list, copy);
  }
  json_t *high = json_array_get(json_object_get(scene, "box"), 1);
  if (json_is_array(high))
    json_array_set_new(high, 0, json_real(json_number_value(json_array_get(high, 0)) + p->aside));
}

// --- the list ------------------------------------------------------------------------------------

static void make_list(dvSession *s)
{
  dvPlayer *p = s->player;
  const json_t *layout = dv_recording_layout(p->file[0]);
  dv_draw_build(&s->draw, NULL);
  json_decref(p->scene);
  p->scene = json_deep_copy(layout);
  p->sources.count = 0;
  for (size_t i = 0; i < array_count(layout); i++) dv_push(&p->sources, ((dvPlaySource){0, (uint32_t)i, 0, false}));
  if (p->file[1]) add_second(p, p->scene);
  json_t *row, *textures = json_object_get(layout, "textures");
  size_t i;
  json_array_foreach(textures, i, row)
  {
    const char *path = json_string_value(row);
    dv_push(&s->draw.textures, dv_strdup(path ? path : ""));
  }
  json_object_del(p->scene, "textures");
  json_object_set_new(p->scene, "revision", json_integer(s->draw.revision));
  dv_array_resize(&s->draw.arrays, p->sources.count);
  json_array_foreach(json_object_get(p->scene, "arrays"), i, row)
  {
    dvDrawArray *a = &s->draw.arrays.data[i];
    a->integers = dv_same(json_string_value(json_object_get(row, "kind")), "u32");
    a->dynamic = true;
  }
  json_array_foreach(json_object_get(p->scene, "drawables"), i, row)
  {
    for (size_t k = 0; k < DV_COUNT(references); k++) {
      uint32_t at = reference(row, references[k]);
      if (at < s->draw.arrays.count) s->draw.arrays.data[at].groups |= 1u << group_of(row);
    }
  }
  json_array_foreach(json_object_get(p->scene, "shaders"), i, row)   // what programs of the scene are given
  {
    const json_t *const lists[] = {json_object_get(row, "uniforms"), json_object_get(row, "attributes")};
    for (size_t k = 0; k < DV_COUNT(lists); k++)
      for (size_t n = 0; n < json_array_size(lists[k]); n++) {
        uint32_t at = reference(json_array_get(lists[k], n), "array");
        if (at < s->draw.arrays.count) s->draw.arrays.data[at].groups |= 1u << DV_DRAW_VISUAL;
      }
  }
  p->again = false;
  for (int k = 0; k < 2; k++) p->layout[k] = p->file[k] ? dv_recording_layout_number(p->file[k]) : 0;
}

static bool make_room(dvDrawArray *a, size_t count)
{
  if (count > a->capacity) {
    dv_free(a->data);
    a->data = dv_try_alloc(count * sizeof *a->data);
    a->capacity = a->data ? count : 0;
  }
  if (a->count != count) a->changed = 0;
  a->count = a->data ? count : 0;
  return a->count == count;
}

static void copy_array(dvSession *s, dvDrawArray *a, const dvRecordedArray *from, double aside)
{
  size_t count = from ? from->count : 0;
  if (!make_room(a, count)) return;
  if (count && (aside != 0 || !a->changed || memcmp(a->data, from->data, count * sizeof *a->data) != 0)) {
    memcpy(a->data, from->data, count * sizeof *a->data);
    a->changed = s->draw.refreshes;
    float *x = (float *)a->data;
    for (size_t i = 0; aside != 0 && i + 2 < count; i += 3) x[i] += (float)aside;
  }
  if (!a->changed) a->changed = s->draw.refreshes;
}

static void fill_distances(dvSession *s, dvDrawArray *a, const dvRecordedArray *x, const dvRecordedArray *y)
{
  size_t n = x ? x->count / 3 : 0;
  if (!make_room(a, n)) return;
  bool comparable = y && y->count == x->count;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < 3 && comparable; k++) {
      double d = (double)((const float *)x->data)[3 * i + k] - (double)((const float *)y->data)[3 * i + k];
      sum += d * d;
    }
    ((float *)a->data)[i] = (float)sqrt(sum);
  }
  a->changed = s->draw.refreshes;
}

// a frame that cannot be read is told once, and the one before it stays
static bool read_frames(dvSession *s)
{
  dvPlayer *p = s->player;
  dvText why = {0};
  bool good = dv_recording_go(p->file[0], p->frame, &why);
  if (good && p->file[1]) {
    p->second = dv_recording_frame_at(p->file[1], dv_recording_time(p->file[0], p->frame));
    good = dv_recording_go(p->file[1], p->second, &why);
  }
  if (!good) {
    char *text = dv_format("frame %zu of the recording cannot be shown: %s", p->frame, why.text ? why.text : "");
    dv_session_note(s, &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .text = text});
    dv_free(text);
    p->playing = false;
  }
  dv_text_free(&why);
  return good;
}

void dv_play_refresh(dvSession *s)
{
  dvPlayer *p = s->player;
  if (!read_frames(s)) {
    if (!p->scene)
      p->scene = json_pack("{s:[], s:[], s:n, s:i}", "arrays", "drawables", "box", "revision", (int)s->draw.revision);
    return;
  }
  if (p->again || p->layout[0] != dv_recording_layout_number(p->file[0]) ||
      (p->file[1] && p->layout[1] != dv_recording_layout_number(p->file[1])))
    make_list(s);
  s->draw.refreshes++;
  for (size_t i = 0; i < p->sources.count; i++) {
    const dvPlaySource *from = &p->sources.data[i];
    dvDrawArray *a = &s->draw.arrays.data[i];
    if (from->file == 2)
      fill_distances(s, a, dv_recording_array(p->file[0], from->id, false),
                     dv_recording_array(p->file[1], from->other, false));
    else copy_array(s, a, dv_recording_array(p->file[from->file], from->id, false), from->moved ? p->aside : 0);
  }
}

json_t *dv_play_scene(dvSession *s)
{
  dv_play_refresh(s);
  return json_deep_copy(s->player->scene);
}
