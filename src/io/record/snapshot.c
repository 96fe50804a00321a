// See snapshot.h.
#include "io/record/snapshot.h"

#include "base/file.h"
#include "base/isa.h"
#include "io/mesh/write_mesh.h"
#include "object/parts.h"
#include "scene/remember.h"
#include "topology/change/journal.h"

#include <errno.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "snapshots are little-endian: swap the bytes here"
#endif

static const char magic[8] = {'D', 'I', 'V', 'A', 'N', 'S', 'N', 'P'};
enum { FORMAT = 3, DIFFERENCES = 5 };

static dvStatus complain(dvScene *scene, dvLevel level, const char *name, const char *advice, const char *format, ...)
    DV_PRINTF(5, 6);
static dvStatus complain(dvScene *scene, dvLevel level, const char *name, const char *advice, const char *format, ...)
{
  dvText text = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&text, format, args);
  va_end(args);
  dv_log_send(
      &scene->context->log,
      &(dvMessage){
          .level = level, .status = DV_ERROR_INPUT, .place = {.file = name}, .text = text.text, .advice = advice});
  dv_text_free(&text);
  return DV_ERROR_INPUT;
}

// --- what the scene is ---------------------------------------------------------------------------

static const char *scene_name(const dvScene *scene)
{
  const char *file = scene->root->base.place.file;
  return file ? dv_path_name(file) : "";
}

typedef struct Fingerprint {
  dvVisitor visitor;
  uint64_t hash;
} Fingerprint;

static void print_text(Fingerprint *f, const char *text)
{
  f->hash = dv_hash_bytes(text ? text : "", text ? strlen(text) + 1 : 1, f->hash);
}

static void print_object(Fingerprint *f, const dvObject *o)
{
  print_text(f, o->cls->name);
  print_text(f, o->name);
  for (size_t i = 0; i < o->attributes.count; i++) {
    print_text(f, o->attributes.data[i].name);
    print_text(f, o->attributes.data[i].value);
  }
}

static dvWalk print_node(dvVisitor *v, dvNode *node)
{
  Fingerprint *f = (Fingerprint *)v;
  print_object(f, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) print_object(f, node->objects.data[i]);
  return DV_WALK_ON;
}

// components and their attributes, as they were read
static uint64_t fingerprint(dvScene *scene)
{
  Fingerprint f = {.visitor = {.top_down = print_node, .everything = true}};
  dv_visit(scene->root, &f.visitor);
  return f.hash;
}

// --- meshes: what was done to them since they were read (topology/change/journal.h) ---------------

typedef struct Mesh {
  char *path;
  dvJournal journal;
} Mesh;

typedef struct Meshes {
  dvVisitor visitor;
  DV_ARRAY(Mesh) list;
} Meshes;

static void free_meshes(Meshes *m)
{
  for (size_t i = 0; i < m->list.count; i++) {
    dv_free(m->list.data[i].path);
    dv_journal_free(&m->list.data[i].journal);
  }
  dv_array_free(&m->list);
}

static void copy_journal(const dvJournal *from, dvJournal *to)
{
  for (size_t i = 0; i < from->words.count; i++) dv_push(&to->words, from->words.data[i]);
  for (size_t i = 0; i < from->reals.count; i++) dv_push(&to->reals, from->reals.data[i]);
}

static dvWalk list_changed(dvVisitor *v, dvNode *node)
{
  Meshes *m = (Meshes *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    const dvJournal *j = dv_plays(o, DV_ROLE_TOPOLOGY) && !o->failed ? dv_topology_journal(dv_topology(o)) : NULL;
    if (!j) continue;
    Mesh mesh = {.path = dv_object_path(o)};
    copy_journal(j, &mesh.journal);
    dv_push(&m->list, mesh);
  }
  return DV_WALK_ON;
}

static void list_meshes(dvScene *scene, Meshes *m)
{
  m->visitor = (dvVisitor){.top_down = list_changed, .everything = true};
  dv_visit(scene->root, &m->visitor);
}

static const Mesh *find_mesh(const Meshes *m, const char *path)
{
  for (size_t i = 0; i < m->list.count; i++)
    if (dv_same(m->list.data[i].path, path)) return &m->list.data[i];
  return NULL;
}

// whether what was done to the meshes of the scene is the beginning of what was done to those of the snapshot
static bool went_the_same_way(const Meshes *own, const Meshes *read)
{
  for (size_t i = 0; i < own->list.count; i++) {
    const Mesh *other = find_mesh(read, own->list.data[i].path);
    if (!other || !dv_journal_begins(&own->list.data[i].journal, &other->journal)) return false;
  }
  return true;
}

// Does to the meshes of the scene, which have gone the way of `own`, what was done to those of the snapshot; from the
// beginning where they have gone another way.
static bool change_meshes(dvScene *scene, const Meshes *own, const Meshes *read, dvText *why)
{
  bool good = true;
  if (!went_the_same_way(own, read)) dv_scene_rewind(scene);
  DV_ARRAY(dvReplay) replays = {0};
  for (size_t i = 0; i < read->list.count && good; i++) {
    dvObject *o = dv_link_find(&scene->root->base, read->list.data[i].path, DV_ROLE_TOPOLOGY);
    good = o && !o->failed;
    if (good) dv_push(&replays, ((dvReplay){.topology = dv_topology(o), .journal = &read->list.data[i].journal}));
    else dv_text_printf(why, "there is no mesh %s", read->list.data[i].path);
  }
  good = good && dv_topologies_replay(scene, replays.data, replays.count, why) == DV_OK;
  dv_array_free(&replays);
  return good;
}

// --- edits: fields that were changed from outside while the scene ran ----------------------------

typedef struct Edit {
  char *path, *field, *value;
  char *before;   // what it replaces, while it is tried
} Edit;

typedef DV_ARRAY(Edit) Edits;

static void free_edits(Edits *edits)
{
  for (size_t i = 0; i < edits->count; i++) {
    Edit *e = &edits->data[i];
    dv_free(e->path), dv_free(e->field), dv_free(e->value), dv_free(e->before);
  }
  dv_array_free(edits);
}

static char *value_of(const dvField *f)
{
  dvText text = {0};
  dv_text_add(&text, "");
  dv_field_print(f, &text);
  return dv_text_take(&text);
}

// vectors of states and the time are remembered anyway
static bool is_edit(const dvObject *o, const dvField *f)
{
  dvFieldType t = f->desc->type;
  if (!f->edited || t == DV_T_LINK || t == DV_T_LINKS) return false;
  if (o->cls->vector && (t == DV_T_COORDS || t == DV_T_DERIVS)) return false;
  for (int i = 0; i < o->cls->memory_count; i++)
    if ((const char *)o + o->cls->memory[i].offset == (const char *)f->value) return false;
  return true;
}

typedef struct EditWalk {
  dvVisitor visitor;
  Edits *edits;
} EditWalk;

static void list_edits(Edits *edits, const dvObject *o)
{
  for (int i = 0; i < o->field_count; i++)
    if (is_edit(o, &o->fields[i]))
      dv_push(edits, ((Edit){.path = dv_object_path(o),
                             .field = dv_strdup(dv_field_name(o->fields[i].desc)),
                             .value = value_of(&o->fields[i])}));
}

static dvWalk list_node_edits(dvVisitor *v, dvNode *node)
{
  Edits *edits = ((EditWalk *)v)->edits;
  list_edits(edits, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) list_edits(edits, node->objects.data[i]);
  return DV_WALK_ON;
}

static void all_edits(dvScene *scene, Edits *edits)
{
  EditWalk w = {{.top_down = list_node_edits, .everything = true}, edits};
  dv_visit(scene->root, &w.visitor);
}

static dvField *field_of(dvScene *scene, const Edit *e)
{
  dvObject *o = dv_same(e->path, "/") ? &scene->root->base : dv_link_find(&scene->root->base, e->path, DV_ROLE_ANY);
  return o ? dv_object_field(o, e->field) : NULL;
}

static bool set_field(dvField *f, const char *value)
{
  return dv_field_parse(f, value, NULL) == DV_OK && dv_field_changed(f) == DV_OK;
}

// false, and everything as it was, when one of them cannot be set
static bool apply_edits(dvScene *scene, Edits *edits, dvText *why)
{
  for (size_t i = 0; i < edits->count; i++) {
    Edit *e = &edits->data[i];
    dvField *f = field_of(scene, e);
    if (f) e->before = value_of(f);
    if (f && (dv_same(e->before, e->value) || set_field(f, e->value))) continue;
    dv_text_printf(why, "%s has no field %s that could be set to what the snapshot has", e->path, e->field);
    return false;
  }
  return true;
}

static void undo_edits(dvScene *scene, const Edits *edits)
{
  for (size_t i = edits->count; i > 0; i--) {
    const Edit *e = &edits->data[i - 1];
    dvField *f = e->before ? field_of(scene, e) : NULL;
    if (f && !dv_same(e->before, e->value)) set_field(f, e->before);
  }
}

// --- writing -------------------------------------------------------------------------------------

static void put(dvText *out, const void *bytes, size_t n) { dv_text_add_n(out, bytes, n); }
static void put32(dvText *out, size_t value) { put(out, &(uint32_t){(uint32_t)value}, 4); }
static void put64(dvText *out, uint64_t value) { put(out, &value, 8); }
static void put_text(dvText *out, const char *text)
{
  size_t n = text ? strlen(text) : 0;
  put32(out, n);
  put(out, text, n);
}

static void put_layout(dvText *out, const dvSnapshot *m)
{
  put64(out, m->objects.count);
  for (size_t i = 0; i < m->objects.count; i++) {
    const dvMemoryObject *o = &m->objects.data[i];
    put_text(out, o->path);
    put_text(out, o->cls);
    put32(out, o->count);
    for (size_t k = 0; k < o->count; k++) {
      const dvMemoryEntry *e = &m->entries.data[o->first + k];
      put_text(out, e->name);
      put32(out, (size_t)e->kind);
      put32(out, e->size);
      put64(out, e->count);
    }
  }
}

static void put_meshes(dvText *out, const Meshes *meshes)
{
  put32(out, meshes->list.count);
  for (size_t i = 0; i < meshes->list.count; i++) {
    const Mesh *m = &meshes->list.data[i];
    put_text(out, m->path);
    put64(out, m->journal.words.count);
    put64(out, m->journal.reals.count);
    put(out, m->journal.words.data, m->journal.words.count * sizeof(int32_t));
    put(out, m->journal.reals.data, m->journal.reals.count * sizeof(double));
  }
}

void *dv_snapshot_pack(dvScene *scene, size_t *length)
{
  dvText out = {0};
  dvSnapshot m = {0};
  Edits edits = {0};
  *length = 0;
  Meshes meshes = {0};
  list_meshes(scene, &meshes);
  dv_scene_save(scene, &m);
  dvParts *parts = dv_parts_of(scene->context);
  dvText why = {0};
  if (parts && !parts->gather(parts, &m, &why)) {
    complain(scene, DV_ERROR, NULL, "run it in one process to save it", "the snapshot cannot be made: %s", why.text);
    dv_text_free(&why), dv_snapshot_free(&m), free_meshes(&meshes);
    return NULL;
  }
  all_edits(scene, &edits);
  put(&out, magic, sizeof magic);
  put32(&out, FORMAT);
  put_text(&out, DIVAN_VERSION);
  put_text(&out, dv_isa_name());
  put_text(&out, scene_name(scene));
  put64(&out, fingerprint(scene));
  put32(&out, edits.count);
  for (size_t i = 0; i < edits.count; i++) {
    put_text(&out, edits.data[i].path);
    put_text(&out, edits.data[i].field);
    put_text(&out, edits.data[i].value);
  }
  put_meshes(&out, &meshes);
  put_layout(&out, &m);
  put64(&out, m.bytes.count);
  put(&out, m.bytes.data, m.bytes.count);
  put64(&out, dv_hash_bytes(out.text, out.length, 0));
  dv_snapshot_free(&m);
  free_meshes(&meshes);
  free_edits(&edits);
  *length = out.length;
  return dv_text_take(&out);
}

dvStatus dv_snapshot_write(dvScene *scene, const char *path)
{
  size_t length;
  char *bytes = dv_snapshot_pack(scene, &length);
  if (!bytes) return DV_ERROR_INPUT;
  const dvParts *parts = dv_parts_of(scene->context);
  dvStatus status = !parts || parts->speaks ? dv_file_replace(path, bytes, length) : DV_OK;
  int reason = errno;
  dv_free(bytes);
  return status == DV_OK
             ? DV_OK
             : complain(scene, DV_ERROR, path, NULL, "the snapshot cannot be written: %s", strerror(reason));
}

// --- reading -------------------------------------------------------------------------------------

typedef struct Reader {
  const unsigned char *at, *end;
  bool bad;   // it ends too early
} Reader;

static size_t left(const Reader *r) { return (size_t)(r->end - r->at); }

static void take(Reader *r, void *out, size_t n)
{
  memset(out, 0, n);
  if (r->bad || left(r) < n) {
    r->bad = true;
    return;
  }
  memcpy(out, r->at, n);
  r->at += n;
}

static uint32_t take32(Reader *r)
{
  uint32_t value;
  take(r, &value, sizeof value);
  return value;
}

static uint64_t take64(Reader *r)
{
  uint64_t value;
  take(r, &value, sizeof value);
  return value;
}

// the caller frees it
static char *take_text(Reader *r)
{
  size_t n = take32(r);
  if (r->bad || left(r) < n) {
    r->bad = true;
    return dv_strdup("");
  }
  char *text = dv_strndup((const char *)r->at, n);
  r->at += n;
  return text;
}

// a number of things of which each takes so many bytes at least
static size_t take_count(Reader *r, uint64_t count, size_t least)
{
  if (count > left(r) / least) r->bad = true;
  return r->bad ? 0 : (size_t)count;
}

static void take_entry(Reader *r, dvSnapshot *m, size_t *at)
{
  dvMemoryEntry e = {.name = take_text(r)};
  uint32_t kind = take32(r);
  e.kind = (dvMemoryKind)kind;
  e.size = take32(r);
  e.count = take64(r);
  e.at = *at;
  dv_push(&m->entries, e);
  if (kind > DV_MEMORY_VECTOR || e.size == 0 || e.count > left(r) / e.size) r->bad = true;
  if (!r->bad) *at += (size_t)e.count * e.size;
  if (*at > left(r)) r->bad = true;
}

static void take_layout(Reader *r, dvSnapshot *m)
{
  size_t objects = take_count(r, take64(r), 12), at = 0;
  for (size_t i = 0; i < objects && !r->bad; i++) {
    dvMemoryObject o = {.path = take_text(r), .cls = take_text(r), .first = m->entries.count};
    o.count = take_count(r, take32(r), 20);
    dv_push(&m->objects, o);
    for (size_t k = 0; k < o.count && !r->bad; k++) take_entry(r, m, &at);
  }
  uint64_t bytes = take64(r);
  if (bytes != at || bytes != left(r)) r->bad = true;
  if (r->bad) return;
  dv_reserve(&m->bytes, at + 1);
  if (at) memcpy(m->bytes.data, r->at, at);
  m->bytes.count = at;
}

static void take_edits(Reader *r, Edits *edits)
{
  size_t count = take_count(r, take32(r), 12);
  for (size_t i = 0; i < count && !r->bad; i++) {
    Edit e = {.path = take_text(r), .field = take_text(r), .value = take_text(r)};
    dv_push(edits, e);
  }
}

static void take_meshes(Reader *r, Meshes *meshes)
{
  size_t count = take_count(r, take32(r), 20);
  for (size_t i = 0; i < count && !r->bad; i++) {
    Mesh m = {.path = take_text(r)};
    size_t words = take_count(r, take64(r), sizeof(int32_t)), reals = take_count(r, take64(r), sizeof(double));
    if (words * sizeof(int32_t) + reals * sizeof(double) > left(r)) r->bad = true;
    for (size_t k = 0; k < words && !r->bad; k++) dv_push(&m.journal.words, (int32_t)take32(r));
    for (size_t k = 0; k < reals && !r->bad; k++) {
      double value;
      take(r, &value, sizeof value);
      dv_push(&m.journal.reals, value);
    }
    dv_push(&meshes->list, m);
  }
}

// --- restoring -----------------------------------------------------------------------------------

typedef struct Snapshot {
  char *version, *isa, *scene;
  uint64_t fingerprint;
  Edits edits;
  Meshes meshes;
  dvSnapshot memory;
} Snapshot;

static void free_snapshot(Snapshot *s)
{
  dv_free(s->version);
  dv_free(s->isa);
  dv_free(s->scene);
  free_edits(&s->edits);
  free_meshes(&s->meshes);
  dv_snapshot_free(&s->memory);
}

static dvStatus parse(Snapshot *s, dvScene *scene, const void *bytes, size_t length, const char *name)
{
  Reader r = {bytes, (const unsigned char *)bytes + length, false};
  char head[sizeof magic];
  uint64_t checksum;
  take(&r, head, sizeof head);
  if (memcmp(head, magic, sizeof magic) != 0)
    return complain(scene, DV_ERROR, name, "divan run SCENE --save FILE writes one", "this is no snapshot");
  uint32_t format = take32(&r);
  if (!r.bad && format != FORMAT)
    return complain(scene, DV_ERROR, name, "save it again with this version",
                    "the snapshot has format %u; this version (%s) reads %d", format, DIVAN_VERSION, FORMAT);
  if (length < sizeof magic + 4 + 8) return complain(scene, DV_ERROR, name, NULL, "the snapshot is cut off");
  memcpy(&checksum, r.end - 8, 8);
  r.end -= 8;
  if (dv_hash_bytes(bytes, length - 8, 0) != checksum)
    return complain(scene, DV_ERROR, name, "copy or save it again", "the snapshot is cut off or damaged");
  s->version = take_text(&r);
  s->isa = take_text(&r);
  s->scene = take_text(&r);
  s->fingerprint = take64(&r);
  take_edits(&r, &s->edits);
  take_meshes(&r, &s->meshes);
  take_layout(&r, &s->memory);
  return r.bad ? complain(scene, DV_ERROR, name, NULL, "the snapshot contradicts itself") : DV_OK;
}

// what does not stop it from going on, but may make a difference
static void warn_of_differences(const Snapshot *s, dvScene *scene, const char *name)
{
  if (!dv_same(s->version, DIVAN_VERSION))
    complain(scene, DV_WARNING, name, NULL, "the snapshot is of version %s, this is %s: results may differ", s->version,
             DIVAN_VERSION);
  if (!dv_same(s->isa, dv_isa_name()))
    complain(scene, DV_WARNING, name, "DIVAN_ISA chooses the instruction set",
             "it was saved with the instruction set %s, this is %s: results may differ in the last digits", s->isa,
             dv_isa_name());
  if (s->fingerprint != fingerprint(scene))
    complain(scene, DV_WARNING, name, NULL, "%s is not the scene that was saved (%s): its attributes differ",
             scene_name(scene), s->scene);
  Edits own = {0};
  all_edits(scene, &own);
  for (size_t i = 0; i < own.count; i++) {
    bool told = false;
    for (size_t k = 0; k < s->edits.count && !told; k++)
      told = dv_same(own.data[i].path, s->edits.data[k].path) && dv_same(own.data[i].field, s->edits.data[k].field);
    if (!told)
      complain(scene, DV_WARNING, name, NULL, "%s.%s was changed after the scene was read: it keeps its value",
               own.data[i].path, own.data[i].field);
  }
  free_edits(&own);
}

// the layout first: it tells all that differs
static bool fits(Snapshot *s, dvScene *scene, dvText *why)
{
  dvSnapshot now = {.hollow = true};
  dv_scene_save(scene, &now);
  size_t differences = dv_snapshot_compare(&s->memory, &now, DIFFERENCES, why);
  dv_snapshot_free(&now);
  if (differences > DIFFERENCES) dv_text_add(why, "\nand more");
  return differences == 0;
}

// Makes the meshes those of the snapshot, then puts its memory back. When that does not work, all is as it was.
static bool restore(Snapshot *s, dvScene *scene, dvText *why)
{
  Meshes own = {0}, now = {0};
  dvSnapshot before = {.shared = true, .unnamed = true};
  list_meshes(scene, &own);
  dv_scene_save(scene, &before);
  bool good = change_meshes(scene, &own, &s->meshes, why) && fits(s, scene, why) &&
              dv_scene_restore(scene, &s->memory, why) == DV_OK;
  list_meshes(scene, &now);
  if (!good && !(went_the_same_way(&own, &now) && went_the_same_way(&now, &own))) {
    dvText unused = {0};
    change_meshes(scene, &now, &own, &unused);
    dv_scene_restore(scene, &before, &unused);
    dv_text_free(&unused);
  }
  dv_snapshot_free(&before);
  free_meshes(&own);
  free_meshes(&now);
  return good;
}

dvStatus dv_snapshot_unpack(dvScene *scene, const void *bytes, size_t length, const char *name)
{
  Snapshot s = {0};
  dvText why = {0};
  dvStatus status = parse(&s, scene, bytes, length, name);
  dvParts *parts = dv_parts_of(scene->context);
  if (status == DV_OK && parts) parts->scatter(parts, &s.memory);
  if (status == DV_OK) {
    bool good = apply_edits(scene, &s.edits, &why) && restore(&s, scene, &why);
    if (good) warn_of_differences(&s, scene, name);
    else undo_edits(scene, &s.edits);
    if (!good)
      status = complain(scene, DV_ERROR, name, NULL, "the snapshot (of %s, version %s) does not fit %s: %s",
                        *s.scene ? s.scene : "a scene without a file", s.version,
                        *scene_name(scene) ? scene_name(scene) : "this scene", why.text ? why.text : "");
  }
  dv_text_free(&why);
  free_snapshot(&s);
  return status;
}

dvStatus dv_snapshot_read(dvScene *scene, const char *path)
{
  size_t length;
  char *bytes = dv_file_read(path, &length);
  if (!bytes) return complain(scene, DV_ERROR, path, NULL, "the snapshot cannot be read: %s", strerror(errno));
  dvStatus status = dv_snapshot_unpack(scene, bytes, length, path);
  dv_free(bytes);
  return status;
}
