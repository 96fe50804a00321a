// Reads recordings. See recording.h.
#include "view/recording.h"

#include "state/state.h"
#include "view/draw.h"

#include <math.h>

enum { ENTRY = 16, LAYOUTS = 100000, ARRAYS = 100000 };

typedef struct Moment {   // a frame, unpacked
  char *bytes;
  uint64_t at;   // its chunk; 0: none
  uint32_t layout;
  DV_ARRAY(dvRecordedArray) arrays;
} Moment;

struct dvRecording {
  dvDivr *file;
  json_t *head, *layout;
  DV_ARRAY(size_t) frames;   // numbers of chunks
  DV_ARRAY(size_t) layouts;
  size_t layout_read;   // number of the layout that was parsed, from 1
  Moment key, now;
  size_t frame;
};

static void free_moment(Moment *m)
{
  dv_free(m->bytes);
  dv_array_free(&m->arrays);
  *m = (Moment){0};
}

void dv_recording_free(dvRecording **recording)
{
  dvRecording *r = *recording;
  if (!r) return;
  free_moment(&r->key);
  free_moment(&r->now);
  json_decref(r->head);
  json_decref(r->layout);
  dv_array_free(&r->frames);
  dv_array_free(&r->layouts);
  dv_divr_free(&r->file);
  dv_free(r);
  *recording = NULL;
}

static json_t *read_json(const dvDivr *file, const dvChunk *chunk, dvText *why)
{
  size_t length;
  char *text = dv_divr_read(file, chunk, &length, why);
  json_t *value = text ? json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
  if (text && !json_is_object(value)) {
    dv_text_printf(why, "the description at byte %llu cannot be understood", (unsigned long long)chunk->at);
    json_decref(value);
    value = NULL;
  }
  dv_free(text);
  return value;
}

// --- layouts -------------------------------------------------------------------------------------

// a drawable that names arrays which are there, of a group and kind that are known
static bool can_be_drawn(const json_t *drawable, size_t arrays)
{
  static const char *const names[] = {"positions", "indices", "second", "values",
                                      "texcoords", "radii",   "frames", "sizes"};
  const char *group = json_string_value(json_object_get(drawable, "group")),
             *kind = json_string_value(json_object_get(drawable, "kind"));
  bool known = false, shaped = false;
  for (int g = 0; g < DV_DRAW_GROUPS; g++) known |= dv_same(group, dv_draw_group_names[g]);
  for (int k = 0; k <= DV_DRAW_BOXES; k++) shaped |= dv_same(kind, dv_draw_kind_names[k]);
  if (!known || !shaped || !json_is_string(json_object_get(drawable, "path")) ||
      !json_is_integer(json_object_get(drawable, "positions")))
    return false;
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    const json_t *id = json_object_get(drawable, names[i]);
    if (!id || json_is_null(id)) continue;
    if (!json_is_integer(id) || json_integer_value(id) < 0 || (size_t)json_integer_value(id) >= arrays) return false;
  }
  return true;
}

// what cannot be drawn goes; numbers count from 0 again
static json_t *checked(json_t *layout)
{
  json_t *arrays = json_object_get(layout, "arrays"), *list = json_object_get(layout, "drawables"), *row;
  size_t count = json_array_size(arrays), i;
  if (count > ARRAYS || json_array_size(list) > ARRAYS) count = 0;
  json_t *kept = json_array(), *numbered = json_array();
  json_array_foreach(arrays, i, row)
  {
    if (i >= count) break;
    json_t *a = json_is_object(row) ? json_incref(row) : json_object();
    json_object_set_new(a, "id", json_integer((json_int_t)i));
    json_array_append_new(numbered, a);
  }
  json_array_foreach(list, i, row) if (json_is_object(row) && can_be_drawn(row, count)) json_array_append(kept, row);
  json_object_set_new(layout, "arrays", numbered);
  json_object_set_new(layout, "drawables", kept);
  if (!json_is_array(json_object_get(layout, "tracks"))) json_object_set_new(layout, "tracks", json_array());
  return layout;
}

static dvRecording *take(dvDivr *file, dvText *why)
{
  if (!file) return NULL;
  dvRecording *r = dv_alloc(sizeof *r);
  r->file = file;
  for (size_t i = 0; i < dv_divr_count(file); i++) {
    const dvChunk *c = dv_divr_chunk(file, i);
    if (c->kind == DV_CHUNK_HEAD && !r->head) r->head = read_json(file, c, why);
    if (c->kind == DV_CHUNK_LAYOUT) dv_push(&r->layouts, i);
    bool in_order = !r->frames.count || c->time >= dv_divr_chunk(file, r->frames.data[r->frames.count - 1])->time;
    if (c->kind == DV_CHUNK_FRAME && isfinite(c->time) && in_order) dv_push(&r->frames, i);
  }
  if (!r->head) r->head = json_object();
  if (r->frames.count && r->layouts.count && r->layouts.count <= LAYOUTS) return r;
  dv_text_printf(why, "%sthere is no frame in it", why->length ? "; " : "");
  dv_recording_free(&r);
  return NULL;
}

dvRecording *dv_recording_open(const char *path, dvText *why) { return take(dv_divr_open(path, why), why); }

dvRecording *dv_recording_of(dvDivrWriter **file, dvText *why) { return take(dv_divr_turn(file, why), why); }

bool dv_recording_save(const dvRecording *r, const char *path) { return dv_divr_save(r->file, path); }
const json_t *dv_recording_head(const dvRecording *r) { return r->head; }
size_t dv_recording_frames(const dvRecording *r) { return r->frames.count; }

static const dvChunk *frame_chunk(const dvRecording *r, size_t frame)
{
  return dv_divr_chunk(r->file, r->frames.data[dv_min_size(frame, r->frames.count - 1)]);
}

double dv_recording_time(const dvRecording *r, size_t frame) { return frame_chunk(r, frame)->time; }
int64_t dv_recording_step(const dvRecording *r, size_t frame) { return frame_chunk(r, frame)->step; }

size_t dv_recording_frame_at(const dvRecording *r, double time)
{
  size_t low = 0, high = r->frames.count;   // frames below `low` are not later
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (dv_recording_time(r, middle) <= time + 1e-12 * fabs(time)) low = middle + 1;
    else high = middle;
  }
  return low ? low - 1 : 0;
}

// --- frames --------------------------------------------------------------------------------------

static dvRecordedArray *find(const Moment *m, uint32_t id, bool track)
{
  for (size_t i = 0; i < m->arrays.count; i++) {
    dvRecordedArray *a = &m->arrays.data[i];
    if (a->id == id && (a->kind == DV_RECORDED_TRACK) == track) return a;
  }
  return NULL;
}

static bool add_key(const dvRecordedArray *a, const Moment *key)
{
  const dvRecordedArray *base = key ? find(key, a->id, a->kind == DV_RECORDED_TRACK) : NULL;
  if (!base || base->count != a->count || base->kind != a->kind) return false;
  uint32_t *to = (uint32_t *)(uintptr_t)a->data;   // its own bytes
  const uint32_t *from = base->data;
  for (size_t i = 0; i < (size_t)a->count * (a->kind == DV_RECORDED_TRACK ? 2 : 1); i++) to[i] ^= from[i];
  return true;
}

// reads the arrays out of the bytes of a frame
static bool parse(Moment *m, size_t length, const Moment *key)
{
  uint32_t count;
  if (length < 8) return false;
  memcpy(&m->layout, m->bytes, 4);
  memcpy(&count, m->bytes + 4, 4);
  if (count > (length - 8) / ENTRY) return false;
  size_t at = 8 + (size_t)count * ENTRY;
  m->arrays.count = 0;
  for (uint32_t i = 0; i < count; i++) {
    dvRecordedArray a = {0};
    memcpy(&a, m->bytes + 8 + (size_t)i * ENTRY, ENTRY);
    size_t bytes = (size_t)a.count * (a.kind == DV_RECORDED_TRACK ? 8 : 4), padded = (bytes + 7) & ~(size_t)7;
    if (a.kind > DV_RECORDED_TRACK || padded > length - at || find(m, a.id, a.kind == DV_RECORDED_TRACK)) return false;
    a.data = m->bytes + at;
    at += padded;
    if (a.delta && !add_key(&a, key)) return false;
    dv_push(&m->arrays, a);
  }
  return true;
}

static bool load(dvRecording *r, Moment *m, const dvChunk *chunk, const Moment *key, dvText *why)
{
  size_t length;
  free_moment(m);
  m->bytes = dv_divr_read(r->file, chunk, &length, why);
  if (!m->bytes) return false;
  if (!parse(m, length, key) || m->layout >= r->layouts.count) {
    dv_text_printf(why, "the frame at byte %llu contradicts itself", (unsigned long long)chunk->at);
    free_moment(m);
    return false;
  }
  m->at = chunk->at;
  return true;
}

bool dv_recording_go(dvRecording *r, size_t frame, dvText *why)
{
  if (frame >= r->frames.count) frame = r->frames.count - 1;
  const dvChunk *c = frame_chunk(r, frame), *base = c->base ? dv_divr_at(r->file, c->base) : c;
  if (r->now.at == c->at) return true;
  if (!base || base->kind != DV_CHUNK_FRAME || (base != c && base->base)) {
    dv_text_printf(why, "the frame at byte %llu builds on one that is not there", (unsigned long long)c->at);
    return false;
  }
  if (r->key.at != base->at && !load(r, &r->key, base, NULL, why)) return false;
  if (!load(r, &r->now, c, &r->key, why)) return false;
  if (r->now.layout != r->key.layout) {
    dv_text_add(why, "the frame builds on one of another layout");
    free_moment(&r->now);
    return false;
  }
  r->frame = frame;
  if (r->layout_read == (size_t)r->now.layout + 1) return true;
  json_decref(r->layout);
  r->layout = read_json(r->file, dv_divr_chunk(r->file, r->layouts.data[r->now.layout]), why);
  if (r->layout) checked(r->layout);
  r->layout_read = r->layout ? (size_t)r->now.layout + 1 : 0;
  if (!r->layout) free_moment(&r->now);
  return r->layout != NULL;
}

uint32_t dv_recording_layout_number(const dvRecording *r) { return r->now.layout; }
const json_t *dv_recording_layout(const dvRecording *r) { return r->layout; }

const dvRecordedArray *dv_recording_array(const dvRecording *r, uint32_t id, bool track)
{
  const dvRecordedArray *a = find(&r->now, id, track);
  return a ? a : find(&r->key, id, track);
}

int dv_recording_track(const dvRecording *r, const char *path, const char *field)
{
  json_t *row;
  size_t i;
  json_array_foreach(json_object_get(r->layout, "tracks"), i, row)
  {
    if (dv_same(json_string_value(json_object_get(row, "path")), path) &&
        dv_same(json_string_value(json_object_get(row, "field")), field))
      return (int)i;
  }
  return -1;
}

// --- going on from there -------------------------------------------------------------------------

char *dv_recording_snapshot(const dvRecording *r, size_t frame, size_t *length, int64_t *step, dvText *why)
{
  const dvChunk *c = frame_chunk(r, frame), *best = NULL;
  for (size_t i = 0; i < dv_divr_count(r->file); i++) {
    const dvChunk *s = dv_divr_chunk(r->file, i);
    if (s->kind == DV_CHUNK_SNAPSHOT && s->step <= c->step && (s->base <= c->at)) best = s;
  }
  if (!best) {
    dv_text_add(why, "it holds no moment before this one from which the simulation can go on");
    return NULL;
  }
  *step = best->step;
  return dv_divr_read(r->file, best, length, why);
}

bool dv_recording_agrees(const dvRecording *r, dvScene *scene, double *difference)
{
  json_t *row;
  size_t i;
  bool same = true;
  *difference = 0;
  json_array_foreach(json_object_get(r->layout, "tracks"), i, row)
  {
    const char *path = json_string_value(json_object_get(row, "path")),
               *field = json_string_value(json_object_get(row, "field"));
    bool x = dv_same(field, "position"), v = dv_same(field, "velocity");
    dvObject *o = path && (x || v) ? dv_link_find(&scene->root->base, path, DV_ROLE_ANY) : NULL;
    const dvRecordedArray *a = dv_recording_array(r, (uint32_t)i, true);
    if (!o || !dv_is_mechanical_state(o) || !a) continue;
    dvState *s = dv_state(o);
    dvVecId id = x ? DV_X : DV_V;
    const double *now = dv_state_read(s, id), *then = a->data;
    if (dv_state_scalars(s, id) != a->count) {
      *difference = INFINITY;
      return false;
    }
    for (size_t k = 0; k < a->count; k++) *difference = dv_max(*difference, fabs(now[k] - then[k]));
    same &= a->count == 0 || memcmp(now, then, a->count * sizeof *now) == 0;
  }
  return same;
}
