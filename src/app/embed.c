// The public interface (include/divan/divan.h): names and numbers in, the rooms' functions behind.
#include "divan/divan.h"

#include "app/divan.h"
#include "collision/collision.h"
#include "io/record/snapshot.h"
#include "io/scene/scene_file.h"
#include "object/compat.h"
#include "state/outbox.h"

#include <string.h>

const char *divan_version(void) { return DIVAN_VERSION; }
int divan_abi(void) { return DIVAN_ABI; }

dvContext *divan_create(int threads) { return dv_divan_create(threads); }
void divan_destroy(dvContext **context) { dv_divan_destroy(context); }
void divan_add_data_path(dvContext *context, const char *directory) { dv_context_add_data_path(context, directory); }
void divan_add_plugin_path(dvContext *context, const char *directory)
{
  dv_context_add_plugin_path(context, directory);
}
int divan_load_plugin(dvContext *context, const char *name) { return (int)dv_divan_load_plugin(context, name); }
int divan_set_compat(dvContext *context, const char *mode)
{
  dvCompatMode m;
  if (!dv_compat_parse(mode, &m)) return DV_ERROR_USAGE;
  dv_compat_choose(context, m);
  return DV_OK;
}
void divan_set_skip_missing(dvContext *context, bool skip) { context->skip_missing = skip; }
void divan_free(void *text) { dv_free(text); }

static void forward(void *user, const dvMessage *m)
{
  const dvContext *c = user;
  divanMessage message = {(int)m->level, m->place.file, m->place.line, m->path, m->text, m->advice};
  if (c->listener) ((divanListener)c->listener)(c->listener_user, &message);
}

void divan_listen(dvContext *c, divanListener listener, void *user)
{
  c->listener = (void (*)(void))listener;
  c->listener_user = user;
  c->log.sink = forward;
  c->log.user = c;
  c->log.threshold = DV_INFO;
}

// --- scenes --------------------------------------------------------------------------------------

static dvContext *fresh_log(dvContext *c)
{
  c->log.worst = DV_OK;   // each scene answers for its own mistakes
  return c;
}

dvScene *divan_load(dvContext *c, const char *path)
{
  dvScene *scene = NULL;
  dv_scene_read(fresh_log(c), path, &scene);
  return scene;
}

dvScene *divan_parse(dvContext *c, const char *text, size_t length)
{
  dvScene *scene = NULL;
  dv_scene_parse(fresh_log(c), "scene", text, length, &scene);
  return scene;
}

dvScene *divan_new(dvContext *c)
{
  dv_compat_begin(fresh_log(c), NULL, (dvPlace){0});
  return dv_scene_create(c);
}
// --- what is lent --------------------------------------------------------------------------------

// Pointers of divan_read hold until the scene is changed. In checking builds they lead to copies that are freed then: a
// sanitizer reports a host program that reads on.
#ifdef DV_CHECKING
static const void *lend(dvScene *s, const void *values, size_t bytes)
{
  if (!values || !bytes) return values;
  void *copy = dv_alloc(bytes);
  memcpy(copy, values, bytes);
  dv_push(&s->lent, copy);
  return copy;
}

static void take_back(dvScene *s)
{
  for (size_t i = 0; i < s->lent.count; i++) dv_free(s->lent.data[i]);
  dv_array_free(&s->lent);
}
#else
static inline const void *lend(dvScene *s, const void *values, size_t bytes)
{
  DV_UNUSED(s), DV_UNUSED(bytes);
  return values;
}
static inline void take_back(dvScene *s) { DV_UNUSED(s); }
#endif

// the end of a call that may have changed the scene
static int changed(dvScene *s, dvStatus status)
{
  take_back(s);
  return (int)status;
}

void divan_close(dvScene **scene)
{
  if (*scene) take_back(*scene);
  dv_scene_destroy(scene);
}

static dvObject *find(dvScene *s, const char *path)
{
  if (dv_same(path, "/") || !*path) return &s->root->base;
  return dv_link_find(&s->root->base, path, DV_ROLE_ANY);
}

static dvNode *find_node(dvScene *s, const char *path)
{
  dvObject *o = find(s, path);
  return o ? dv_node_of(o) : NULL;
}

int divan_add_node(dvScene *s, const char *parent, const char *name)
{
  dvNode *p = find_node(s, parent);
  if (!p || dv_node_depth(p) >= DV_DEPTH_LIMIT) return DV_ERROR_USAGE;
  dvNode *n = dv_node_create(s, name ? name : "node");
  dv_node_add_child(p, n);
  return DV_OK;
}

int divan_add(dvScene *s, const char *node, const char *component, const char *name)
{
  dvNode *n = find_node(s, node);
  if (!n || n->objects.count >= DV_NODE_LIMIT) return DV_ERROR_USAGE;
  const dvRegistry *r = &s->context->registry;
  const dvClass *cls = dv_registry_find(r, component);
  const dvRename *rename = cls ? NULL : dv_registry_find_rename(r, component);
  if (rename) cls = dv_registry_find(r, rename->name);
  if (!cls) return DV_ERROR_UNKNOWN;
  const dvDof *dof = NULL;
  if (cls->dofs) {
    dvObject *state = dv_node_state_up(n);
    dof = state && (cls->dofs & (1u << state->dof->kind)) ? state->dof : dv_dof(DV_VEC3);
  }
  dv_node_add(n, dv_object_create(s->context, cls, name ? name : "", dof));
  return DV_OK;
}

// --- fields --------------------------------------------------------------------------------------

static dvField *find_field(dvScene *s, const char *path, const char *field)
{
  dvObject *o = find(s, path);
  return o ? dv_object_field(o, field) : NULL;
}

static dvStatus set_text(dvScene *s, const char *path, const char *field, const char *text)
{
  dvObject *o = find(s, path);
  if (o && dv_same(field, "template") && !s->initialised && o->cls->dofs) {
    const char *note;
    const dvDof *dof = dv_dof_parse(text, &note);
    if (!dof || !(o->cls->dofs & (1u << dof->kind))) return DV_ERROR_INPUT;
    dv_object_set_dof(o, dof);
    return DV_OK;
  }
  dvField *f = o ? dv_object_field(o, field) : NULL;
  if (!f) return DV_ERROR_USAGE;
  bool link = f->desc->type == DV_T_LINK || f->desc->type == DV_T_LINKS;
  if (*text == '@' && !link) {
    if (s->initialised) return DV_ERROR_USAGE;
    dv_free(f->link);
    f->link = dv_strdup(text);
    f->was_set = true;
    return DV_OK;
  }
  if (link && s->initialised)
    return dv_field_error(o, f->value, "set it before divan_init", "%s cannot lead elsewhere any more", field);
  if (s->initialised) {
    const bool failed = o->failed;
    dvText why = {0};
    const dvStatus status = dv_field_set_live(f, text, &why);
    if (why.length) dv_field_error(o, f->value, NULL, "%s: %s", field, why.text);
    if (why.length) o->failed = failed;
    dv_text_free(&why);
    return status;
  }
  DV_TRY(dv_object_set(o, field, text));
  return dv_field_changed(f);
}

int divan_set(dvScene *s, const char *path, const char *field, const char *text)
{
  return changed(s, set_text(s, path, field, text));
}

// The numbers of a list, for those that a component refuses.
static dvStatus changed_reals(dvScene *s, dvField *f, const double *values, size_t count)
{
  dvReals before = {.width = f->width};
  const dvReals *now = f->value;
  if (!s->initialised) return dv_reals_assign(f->value, values, count) ? dv_field_changed(f) : DV_ERROR_INPUT;
  if (!dv_reals_assign(&before, now->data, now->count)) return DV_ERROR_INPUT;
  bool was_set = f->was_set, failed = f->owner->failed;
  dvStatus status = dv_reals_assign(f->value, values, count) ? dv_field_check_size(f, before.count) : DV_ERROR_INPUT;
  if (status == DV_OK) status = dv_field_changed(f);
  if (status != DV_OK && dv_reals_assign(f->value, before.data, before.count)) {
    f->owner->failed = failed;
    dv_field_changed(f);
    f->was_set = was_set;
  }
  dv_reals_free(&before);
  return status;
}

static dvStatus changed_ints(dvScene *s, dvField *f, const int32_t *values, size_t count)
{
  dvInts before = {.width = f->width};
  const dvInts *now = f->value;
  if (!s->initialised) return dv_ints_assign(f->value, values, count) ? dv_field_changed(f) : DV_ERROR_INPUT;
  if (!dv_ints_assign(&before, now->data, now->count)) return DV_ERROR_INPUT;
  bool was_set = f->was_set, failed = f->owner->failed;
  dvStatus status = dv_ints_assign(f->value, values, count) ? dv_field_check_size(f, before.count) : DV_ERROR_INPUT;
  if (status == DV_OK) status = dv_field_changed(f);
  if (status != DV_OK && dv_ints_assign(f->value, before.data, before.count)) {
    f->owner->failed = failed;
    dv_field_changed(f);
    f->was_set = was_set;
  }
  dv_ints_free(&before);
  return status;
}

int divan_set_reals(dvScene *s, const char *path, const char *field, const double *values, size_t count)
{
  dvField *f = find_field(s, path, field);
  if (!f) return DV_ERROR_USAGE;
  switch (f->desc->type) {
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    if (count % (size_t)f->width) return DV_ERROR_USAGE;
    return changed(s, changed_reals(s, f, values, count));
  case DV_T_REAL:
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV:
    if (count != (size_t)f->width) return DV_ERROR_USAGE;
    memcpy(f->value, values, count * sizeof *values);
    break;
  default:
    return DV_ERROR_USAGE;
  }
  return changed(s, dv_field_changed(f));
}

int divan_set_ints(dvScene *s, const char *path, const char *field, const int32_t *values, size_t count)
{
  dvField *f = find_field(s, path, field);
  if (!f) return DV_ERROR_USAGE;
  if (f->desc->type == DV_T_INTS && count % (size_t)f->width == 0) return changed(s, changed_ints(s, f, values, count));
  if ((f->desc->type == DV_T_INT || f->desc->type == DV_T_IVEC) && count == (size_t)f->width) {
    memcpy(f->value, values, count * sizeof *values);
  } else {
    return DV_ERROR_USAGE;
  }
  return changed(s, dv_field_changed(f));
}

static bool is_list_of_reals(const dvField *f)
{
  return f->desc->type == DV_T_REALS || f->desc->type == DV_T_COORDS || f->desc->type == DV_T_DERIVS;
}

const double *divan_read(dvScene *s, const char *path, const char *field, size_t *count)
{
  dvField *f = find_field(s, path, field);
  if (count) *count = 0;
  if (!f || dv_field_pull(f) != DV_OK) return NULL;
  if (is_list_of_reals(f)) {
    if (count) *count = ((dvReals *)f->value)->count;
    return lend(s, ((dvReals *)f->value)->data, ((dvReals *)f->value)->count * sizeof(double));
  }
  if (f->desc->type != DV_T_REAL && f->desc->type != DV_T_VEC && f->desc->type != DV_T_COLOUR) return NULL;
  if (count) *count = (size_t)f->width;
  return lend(s, f->value, (size_t)f->width * sizeof(double));
}

const int32_t *divan_read_ints(dvScene *s, const char *path, const char *field, size_t *count)
{
  dvField *f = find_field(s, path, field);
  if (count) *count = 0;
  if (!f || f->desc->type != DV_T_INTS || dv_field_pull(f) != DV_OK) return NULL;
  if (count) *count = ((dvInts *)f->value)->count;
  return lend(s, ((dvInts *)f->value)->data, ((dvInts *)f->value)->count * sizeof(int32_t));
}

double *divan_write(dvScene *s, const char *path, const char *field, size_t *count)
{
  dvField *f = find_field(s, path, field);
  if (count) *count = 0;
  if (!f || !is_list_of_reals(f)) return NULL;
  take_back(s);
  if (count) *count = ((dvReals *)f->value)->count;
  return dv_reals_edit(f->value);
}

int divan_written(dvScene *s, const char *path, const char *field)
{
  dvField *f = find_field(s, path, field);
  return f ? changed(s, dv_field_changed(f)) : DV_ERROR_USAGE;
}

char *divan_get(dvScene *s, const char *path, const char *field)
{
  dvField *f = find_field(s, path, field);
  if (!f || dv_field_pull(f) != DV_OK) return NULL;
  dvText text = {0};
  dv_field_print(f, &text);
  return dv_text_take(&text);
}

// --- running -------------------------------------------------------------------------------------

int divan_init(dvScene *s) { return s->initialised ? DV_ERROR_USAGE : changed(s, dv_scene_init(s)); }
int divan_step(dvScene *s, double dt) { return s->initialised ? changed(s, dv_scene_step(s, dt)) : DV_ERROR_USAGE; }
double divan_time(const dvScene *s) { return s->root->time; }
uint64_t divan_hash(dvScene *s) { return dv_scene_hash(s); }

bool divan_touch(dvScene *s, size_t index, divanTouch *out)
{
  dvTouch t;
  if (!s->initialised || !dv_scene_touch(s, index, &t)) return false;
  *out = (divanTouch){.contacts = t.count, .force = t.force, .since = t.since};
  for (int k = 0; k < 2; k++) {
    char *path = dv_object_path(&t.model[k]->base);
    size_t length = dv_min_size(strlen(path), sizeof out->path[k] - 1);
    memcpy(out->path[k], path, length);   // the rest is 0
    dv_free(path);
  }
  return true;
}

bool divan_contact(dvScene *s, size_t index, size_t contact, divanContact *out)
{
  dvTouch t;
  if (!s->initialised || !dv_scene_touch(s, index, &t) || contact >= t.count) return false;
  const dvContact *c = &t.contacts[contact];
  *out = (divanContact){.element = {c->element[0], c->element[1]}, .distance = c->distance};
  memcpy(out->point, c->point, sizeof out->point);
  memcpy(out->normal, c->normal, sizeof out->normal);
  return true;
}

int divan_save(dvScene *s, const char *path)
{
  return s->initialised ? (int)dv_snapshot_write(s, path) : DV_ERROR_USAGE;
}

int divan_restore(dvScene *s, const char *path)
{
  return s->initialised ? changed(s, dv_snapshot_read(s, path)) : DV_ERROR_USAGE;
}

void *divan_snapshot(dvScene *s, size_t *length)
{
  *length = 0;
  return s->initialised ? dv_snapshot_pack(s, length) : NULL;
}

int divan_restore_snapshot(dvScene *s, const void *bytes, size_t length)
{
  return s->initialised ? changed(s, dv_snapshot_unpack(s, bytes, length, "snapshot")) : DV_ERROR_USAGE;
}

void divan_reset(dvScene *s)
{
  if (s->initialised) dv_scene_reset(s);
  take_back(s);
}

// --- for another thread --------------------------------------------------------------------------

struct divanOutbox {
  dvStateOutbox *outbox;
  dvFrame frame;
};

// the vector of a state that a name such as /Liver/dofs.position means
static bool find_channel(dvScene *s, const char *name, dvChannel *out)
{
  const char *dot = strrchr(name, '.');
  if (!dot) return false;
  char *path = dv_strndup(name, (size_t)(dot - name));
  dvObject *o = find(s, path);
  dv_free(path);
  const dvField *f = o && dv_plays(o, DV_ROLE_STATE) && !o->failed ? dv_object_field(o, dot + 1) : NULL;
  for (int id = 0; id < DV_VEC_SCENE && f; id++)
    if (f->value == dv_state(o)->scene[id].field) {
      *out = (dvChannel){dv_state(o), id};
      return true;
    }
  return false;
}

divanOutbox *divan_outbox_open(dvScene *s, const char *const *names, size_t count)
{
  dvChannel *channels = dv_alloc(count * sizeof *channels);
  bool good = s->initialised;
  for (size_t i = 0; i < count && good; i++) good = find_channel(s, names[i], &channels[i]);
  divanOutbox *o = NULL;
  if (good) {
    o = dv_alloc(sizeof *o);
    o->outbox = dv_state_outbox_open(s, channels, count);
  }
  dv_free(channels);
  return o;
}

void divan_outbox_close(divanOutbox **outbox)
{
  if (!*outbox) return;
  dv_state_outbox_close(&(*outbox)->outbox);
  dv_free(*outbox);
  *outbox = NULL;
}

bool divan_outbox_read(divanOutbox *o, double *time, long *step)
{
  bool fresh = false;
  dv_state_outbox_read(o->outbox, &o->frame, &fresh);
  if (time) *time = o->frame.time;
  if (step) *step = o->frame.step;
  return fresh;
}

const double *divan_outbox_values(const divanOutbox *o, size_t index, size_t *count)
{
  if (count) *count = 0;
  return index < o->frame.channels ? dv_frame_values(&o->frame, index, count) : NULL;
}

// --- what there is -------------------------------------------------------------------------------

const char *divan_component(const dvContext *c, size_t index)
{
  return index < c->registry.classes.count ? c->registry.classes.data[index]->name : NULL;
}

const char *divan_component_help(const dvContext *c, const char *component)
{
  const dvClass *cls = dv_registry_find(&c->registry, component);
  return cls ? cls->help : NULL;
}

static const dvFieldDesc *nth_field(const dvContext *c, const char *component, size_t index)
{
  const dvClass *cls = dv_registry_find(&c->registry, component);
  for (size_t b = 0; cls && b < DV_COUNT(cls->blocks) && cls->blocks[b]; b++) {
    if (index < (size_t)cls->blocks[b]->count) return &cls->blocks[b]->fields[index];
    index -= (size_t)cls->blocks[b]->count;
  }
  return NULL;
}

const char *divan_field(const dvContext *c, const char *component, size_t index)
{
  const dvFieldDesc *d = nth_field(c, component, index);
  return d ? dv_field_name(d) : NULL;
}

const char *divan_field_help(const dvContext *c, const char *component, const char *field)
{
  const dvFieldDesc *d;
  for (size_t i = 0; (d = nth_field(c, component, i)); i++)
    if (dv_same(dv_field_name(d), field)) return d->help;
  return NULL;
}

typedef struct Counter {
  dvVisitor visitor;
  size_t left;
  dvObject *found;
} Counter;

static dvWalk count_objects(dvVisitor *v, dvNode *node)
{
  Counter *c = (Counter *)v;
  if (c->found) return DV_WALK_PRUNE;
  if (c->left < node->objects.count) c->found = node->objects.data[c->left];
  else c->left -= node->objects.count;
  return DV_WALK_ON;
}

char *divan_path(dvScene *s, size_t index)
{
  Counter c = {.visitor = {.top_down = count_objects, .everything = true}, .left = index};
  dv_visit(s->root, &c.visitor);
  return c.found ? dv_object_path(c.found) : NULL;
}
