// The recorder: writes a scene, moment for moment. See recording.h.
#include "view/recording.h"

#include "base/file.h"
#include "base/isa.h"
#include "io/record/snapshot.h"
#include "mechanics/mechanics.h"
#include "object/compat.h"
#include "scene/plan.h"
#include "view/inside.h"

#include <errno.h>
#include <stdlib.h>

enum {
  KEY_EVERY = 25,   // frames
  GROUPS = 1 << DV_DRAW_VISUAL | 1 << DV_DRAW_BEHAVIOR | 1 << DV_DRAW_COLLISION | 1 << DV_DRAW_FORCE_FIELDS |
           1 << DV_DRAW_INTERACTIONS | 1 << DV_DRAW_CONTACTS,
};

typedef struct Track {
  char *path, *name;
  dvField *field;   // NULL: an energy, or a component that is gone
  int energy;       // 1 kinetic, 2 potential
} Track;

typedef struct Entry {   // of a frame
  uint32_t id, kind, count, delta;
} Entry;

struct dvRecorder {
  dvScene *scene;
  dvDivrWriter *file;
  dvDraw draw;
  double step_dt, dt;
  bool plain, touched;
  DV_ARRAY(Track) tracks;
  unsigned revision;   // of the draw list that the layout tells of
  uint32_t layouts;
  size_t frames, since_key;
  uint64_t key;           // place of the key frame
  uint64_t key_refresh;   // of the draw list
  DV_ARRAY(Entry) key_entries;
  DV_ARRAY(uint64_t) key_words;   // the numbers of its arrays
  DV_ARRAY(Entry) entries;
  DV_ARRAY(uint64_t) words;
};

// --- tracks --------------------------------------------------------------------------------------

// numbers of a field; width is that of a row
static size_t numbers_of(dvField *f, const double **data, double *single, int *width)
{
  *width = dv_max_int(1, f->width);
  if (dv_field_pull(f) != DV_OK) return 0;
  switch (f->desc->type) {
  case DV_T_BOOL:
    *single = *(bool *)f->value, *data = single, *width = 1;
    return 1;
  case DV_T_INT:
  case DV_T_CHOICE:
    *single = *(int32_t *)f->value, *data = single, *width = 1;
    return 1;
  case DV_T_REAL:
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV:
    *data = f->value;
    return (size_t)*width;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    *data = ((dvReals *)f->value)->data;
    return ((dvReals *)f->value)->count;
  default:
    return 0;
  }
}

static void add_track(dvRecorder *r, const char *path, const char *name, int energy)
{
  for (size_t i = 0; i < r->tracks.count; i++)
    if (dv_same(r->tracks.data[i].path, path) && dv_same(r->tracks.data[i].name, name)) return;
  dv_push(&r->tracks, ((Track){.path = dv_strdup(path), .name = dv_strdup(name), .energy = energy}));
}

static dvField *find_field(dvScene *scene, const char *path, const char *name)
{
  dvObject *o = dv_same(path, "/") ? &scene->root->base : dv_link_find(&scene->root->base, path, DV_ROLE_ANY);
  return o && !o->failed ? dv_object_field(o, name) : NULL;
}

// components come and go
static void find_tracks(dvRecorder *r)
{
  const dvPlan *p = r->scene->plan;
  for (size_t i = 0; i < p->independent.count; i++) {
    char *path = dv_object_path(p->independent.data[i]);
    add_track(r, path, "position", 0);
    add_track(r, path, "velocity", 0);
    dv_free(path);
  }
  for (size_t i = 0; i < r->tracks.count; i++) {
    Track *t = &r->tracks.data[i];
    if (!t->energy) t->field = find_field(r->scene, t->path, t->name);
  }
}

// "/path.field"
static bool wanted_track(dvRecorder *r, const char *text, dvText *why)
{
  const char *dot = strrchr(text, '.');
  char *path = dot ? dv_strndup(text, (size_t)(dot - text)) : NULL;
  dvField *f = path && *path ? find_field(r->scene, path, dot + 1) : NULL;
  const double *data;
  double single;
  int width;
  bool good = f && (numbers_of(f, &data, &single, &width) > 0 || dv_holds_reals(f->desc->type));
  if (good) add_track(r, path, dot + 1, 0);
  else dv_text_printf(why, "there is no field of numbers %s (as /Liver/dofs.force)", text);
  dv_free(path);
  return good;
}

// --- layouts -------------------------------------------------------------------------------------

static json_t *describe_tracks(dvRecorder *r)
{
  json_t *list = json_array();
  for (size_t i = 0; i < r->tracks.count; i++) {
    const Track *t = &r->tracks.data[i];
    const double *data;
    double single;
    int width = 1;
    if (t->field) numbers_of(t->field, &data, &single, &width);
    json_t *row = json_pack("{s:i}", "width", width);
    dv_view_put_text(row, "path", t->path);
    dv_view_put_text(row, "field", t->name);
    dv_view_put_text(row, "unit", t->energy ? "J" : t->field ? t->field->desc->unit : "");
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *describe(dvRecorder *r)
{
  dvSession looker = {.scene = r->scene, .ready = true, .draw = r->draw};   // what describes asks a session
  json_t *layout = dv_view_scene(&looker), *all = json_object_get(layout, "drawables"), *kept = json_array(), *row;
  size_t i;
  json_array_foreach(all, i, row) if (GROUPS & (1u << r->draw.list.data[i].group)) json_array_append(kept, row);
  json_object_set_new(layout, "drawables", kept);
  json_t *textures = json_array();
  for (size_t k = 0; k < r->draw.textures.count; k++) {
    json_t *name = json_string(r->draw.textures.data[k]);
    json_array_append_new(textures, name ? name : json_null());
  }
  json_object_set_new(layout, "textures", textures);
  json_object_set_new(layout, "tracks", describe_tracks(r));
  return layout;
}

static bool add_json(dvRecorder *r, dvChunkKind kind, json_t *value)
{
  char *text = json_dumps(value, JSON_COMPACT);
  json_decref(value);
  dvChunk c = {.kind = kind, .step = r->scene->step, .time = r->scene->root->time};
  bool good = text && dv_divr_add(r->file, &c, text, strlen(text));
  free(text);
  return good;
}

static bool add_head(dvRecorder *r, const char *scene)
{
  size_t length = 0;
  char *text = scene ? dv_file_read(scene, &length) : NULL, *real = scene ? realpath(scene, NULL) : NULL,
       *sum = dv_format("%016llx", (unsigned long long)(text ? dv_hash_bytes(text, length, 0) : 0));
  json_t *head =
      json_pack("{s:s, s:s, s:s, s:s, s:f, s:s}", "program", "divan", "version", DIVAN_VERSION, "instructions",
                dv_isa_name(), "checksum", sum, "dt", r->step_dt, "compat", dv_compat_name(r->scene->context->compat));
  dv_view_put_text(head, "scene", real);
  dv_free(text), free(real), dv_free(sum);
  return add_json(r, DV_CHUNK_HEAD, head);
}

// --- frames --------------------------------------------------------------------------------------

static void put_array(dvRecorder *r, Entry e, const void *data, size_t element)
{
  size_t bytes = e.count * element, words = (bytes + 7) / 8, at = r->words.count;
  dv_array_resize(&r->words, at + words);
  if (bytes) memcpy(r->words.data + at, data, bytes);
  dv_push(&r->entries, e);
}

static void put_drawn(dvRecorder *r, bool key)
{
  for (size_t i = 0; i < r->draw.arrays.count; i++) {
    const dvDrawArray *a = &r->draw.arrays.data[i];
    if (!(a->groups & GROUPS) || !a->changed || (!key && a->changed <= r->key_refresh)) continue;
    Entry e = {(uint32_t)i, a->integers ? DV_RECORDED_INDICES : DV_RECORDED_FLOATS, (uint32_t)a->count, 0};
    put_array(r, e, a->data, sizeof *a->data);
  }
}

static void put_tracks(dvRecorder *r)
{
  double energy[2] = {0};
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = r->dt, .time = r->scene->root->time};
  memcpy(m.gravity, r->scene->root->gravity, sizeof m.gravity);
  dv_mech_energy(r->scene->plan, &m, &energy[0], &energy[1]);
  for (size_t i = 0; i < r->tracks.count; i++) {
    Track *t = &r->tracks.data[i];
    const double *data = t->energy ? &energy[t->energy - 1] : NULL;
    double single;
    int width;
    size_t n = t->energy ? 1 : t->field ? numbers_of(t->field, &data, &single, &width) : 0;
    put_array(r, (Entry){(uint32_t)i, DV_RECORDED_TRACK, (uint32_t)n, 0}, data, sizeof *data);
  }
}

// what the key frame has as many numbers of is written as its difference in bits
static void subtract_key(dvRecorder *r)
{
  size_t at = 0, key_at = 0, k = 0;
  for (size_t i = 0; i < r->entries.count; i++) {
    Entry *e = &r->entries.data[i];
    size_t element = e->kind == DV_RECORDED_TRACK ? 8 : 4, words = (e->count * element + 7) / 8;
    // both lists are in one order
    for (; k < r->key_entries.count; k++) {
      const Entry *other = &r->key_entries.data[k];
      size_t other_words = (other->count * (other->kind == DV_RECORDED_TRACK ? 8 : 4) + 7) / 8;
      bool same = other->id == e->id && (other->kind == DV_RECORDED_TRACK) == (e->kind == DV_RECORDED_TRACK);
      if (same && other->kind == e->kind && other->count == e->count) {
        for (size_t w = 0; w < words; w++) r->words.data[at + w] ^= r->key_words.data[key_at + w];
        e->delta = 1;
      }
      key_at += other_words;
      if (same) {
        k++;
        break;
      }
    }
    at += words;
  }
}

static bool write_frame(dvRecorder *r, bool key)
{
  dvText out = {0};
  const uint32_t head[2] = {r->layouts - 1, (uint32_t)r->entries.count};
  dv_text_add_n(&out, (const char *)head, sizeof head);
  dv_text_add_n(&out, (const char *)r->entries.data, r->entries.count * sizeof(Entry));
  if (r->words.count) dv_text_add_n(&out, (const char *)r->words.data, r->words.count * 8);
  dvChunk c = {.kind = DV_CHUNK_FRAME, .step = r->scene->step, .time = r->scene->root->time, .base = key ? 0 : r->key};
  bool good = dv_divr_add(r->file, &c, out.text, out.length);
  dv_text_free(&out);
  if (key) r->key = c.at;
  return good;
}

static bool write_snapshot(dvRecorder *r)
{
  size_t length;
  char *bytes = r->plain ? NULL : dv_snapshot_pack(r->scene, &length);
  if (!bytes) return true;   // it plays all the same
  dvChunk c = {.kind = DV_CHUNK_SNAPSHOT, .step = r->scene->step, .time = r->scene->root->time, .base = r->key};
  bool good = dv_divr_add(r->file, &c, bytes, length);
  dv_free(bytes);
  return good;
}

static void keep_key(dvRecorder *r)
{
  r->key_entries.count = r->key_words.count = 0;
  for (size_t i = 0; i < r->entries.count; i++) dv_push(&r->key_entries, r->entries.data[i]);
  dv_array_resize(&r->key_words, r->words.count);
  if (r->words.count) memcpy(r->key_words.data, r->words.data, r->words.count * 8);
}

bool dv_recorder_add(dvRecorder *r)
{
  dvScene *s = r->scene;
  uint64_t refresh = 0;
  for (int tries = 0; tries < 3; tries++) {   // sizes that have changed show when it is filled
    dv_draw_follow(&r->draw, s);
    refresh = dv_draw_refresh(&r->draw, GROUPS);
    if (!r->draw.again) break;
  }
  bool fresh = r->layouts == 0 || r->draw.revision != r->revision,
       key = fresh || r->touched || r->since_key >= KEY_EVERY || s->root->dt != r->dt;
  r->dt = s->root->dt;
  if (fresh) {
    r->revision = r->draw.revision;
    find_tracks(r);
    if (!add_json(r, DV_CHUNK_LAYOUT, describe(r))) return false;
    r->layouts++;
  }
  r->entries.count = r->words.count = 0;
  put_drawn(r, key);
  put_tracks(r);
  if (key) keep_key(r), r->key_refresh = refresh;
  else subtract_key(r);
  if (!write_frame(r, key) || (key && !write_snapshot(r))) return false;
  r->since_key = key ? 1 : r->since_key + 1;
  r->touched = false;
  r->frames++;
  return true;
}

void dv_recorder_touch(dvRecorder *r) { r->touched = true; }
size_t dv_recorder_frames(const dvRecorder *r) { return r->frames; }
uint64_t dv_recorder_bytes(const dvRecorder *r) { return dv_divr_bytes(r->file); }

// --- life ----------------------------------------------------------------------------------------

static void free_recorder(dvRecorder *r)
{
  dv_draw_free(&r->draw);
  for (size_t i = 0; i < r->tracks.count; i++) dv_free(r->tracks.data[i].path), dv_free(r->tracks.data[i].name);
  dv_array_free(&r->tracks);
  dv_array_free(&r->key_entries);
  dv_array_free(&r->key_words);
  dv_array_free(&r->entries);
  dv_array_free(&r->words);
  dv_free(r);
}

dvRecorder *dv_recorder_create(dvScene *scene, const dvRecorderOptions *o, dvText *why)
{
  dvRecorder *r = dv_alloc(sizeof *r);
  r->scene = scene;
  r->step_dt = o->dt;
  r->dt = scene->root->dt;
  r->plain = o->plain;
  bool good = true;
  add_track(r, "/", "kinetic energy", 1);
  add_track(r, "/", "potential energy", 2);
  for (size_t i = 0; i < o->field_count && good; i++) good = wanted_track(r, o->fields[i], why);
  if (good && (r->file = dv_divr_create(o->path)) && o->loose) dv_divr_loose(r->file);
  if (good && !(r->file && add_head(r, o->scene))) {
    dv_text_printf(why, "the recording cannot be written: %s", strerror(errno));
    good = false;
  }
  if (good) return r;
  if (r->file) dv_divr_close(&r->file);
  free_recorder(r);
  return NULL;
}

bool dv_recorder_close(dvRecorder **recorder)
{
  if (!*recorder) return true;
  bool good = dv_divr_close(&(*recorder)->file);
  free_recorder(*recorder);
  *recorder = NULL;
  return good;
}

dvRecording *dv_recorder_turn(dvRecorder **recorder, dvText *why)
{
  dvRecording *recording = dv_recording_of(&(*recorder)->file, why);
  free_recorder(*recorder);
  *recorder = NULL;
  return recording;
}
