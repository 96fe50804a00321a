// Creation, lookup, update and messages of components. See object.h.
#include "object/object.h"

#include "object/context.h"

#include <stddef.h>
#include <string.h>

#define SELF dvObject
static const dvFieldDesc object_fields[] = {DV_OBJECT_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_object_block = {object_fields, (int)DV_COUNT(object_fields)};

// --- attributes ----------------------------------------------------------------------------------

void dv_attribute_add(dvAttributes *a, const char *name, const char *value, dvPlace place)
{
  dvAttribute fresh = {.name = dv_strdup(name), .value = dv_strdup(value), .place = place};
  dv_push(a, fresh);
}

const dvAttribute *dv_attribute_find(const dvAttributes *a, const char *name)
{
  for (size_t i = 0; i < a->count; i++)
    if (dv_same(a->data[i].name, name)) return &a->data[i];
  return NULL;
}

const char *dv_attribute_take(dvAttributes *a, const char *name)
{
  for (size_t i = 0; i < a->count; i++) {
    if (!dv_same(a->data[i].name, name)) continue;
    a->data[i].used = true;
    return a->data[i].value;
  }
  return NULL;
}

void dv_attributes_free(dvAttributes *a)
{
  for (size_t i = 0; i < a->count; i++) {
    dv_free(a->data[i].name);
    dv_free(a->data[i].value);
  }
  dv_array_free(a);
}

// --- fields beyond the class ---------------------------------------------------------------------

typedef struct dvExtraField {
  dvFieldDesc desc;
  char *name;
  _Alignas(max_align_t) char value[sizeof(dvMat4f)];   // as large as the largest member
} dvExtraField;

dvField *dv_object_add_named(dvObject *o, const dvFieldDesc *like, const char *name)
{
  dvField *there = dv_object_field(o, name);
  if (there) return there;
  dvExtraField *extra = dv_alloc(sizeof *extra);
  extra->desc = *like;
  extra->desc.name = extra->name = dv_strdup(name);
  extra->desc.spelling = extra->desc.alias = NULL;
  dv_push(&o->extras, extra);
  size_t count = (size_t)o->field_count;
  if (!dv_object_has_room(o)) {
    o->fields = dv_realloc(o->fields, count * sizeof *o->fields, (count + 1) * sizeof *o->fields);
    o->field_room = (int)count + 1;
  }
  dv_field_init_at(&o->fields[o->field_count], o, &extra->desc, extra->value);
  return &o->fields[o->field_count++];
}

dvField *dv_object_add_numbered(dvObject *o, const dvFieldDesc *like, int number)
{
  char *name = dv_format("%s%d", dv_field_name(like), number);
  dvField *f = dv_object_add_named(o, like, name);
  dv_free(name);
  return f;
}

const char *dv_object_nearest_field(const dvObject *o, const char *name)
{
  const char **names = dv_alloc((size_t)(o->field_count + 1) * sizeof *names);
  for (int i = 0; i < o->field_count; i++) names[i] = dv_field_name(o->fields[i].desc);
  const int near = dv_nearest(name, names, o->field_count);
  const char *found = near >= 0 ? names[near] : NULL;
  dv_free(names);
  return found;
}

// --- life ----------------------------------------------------------------------------------------

static void apply_presets(dvObject *o, const char *presets)
{
  while (presets && *presets) {
    while (dv_is_space(*presets) || *presets == ';') presets++;
    size_t n = strcspn(presets, ";");
    const char *equal = memchr(presets, '=', n);
    if (!equal) return;
    char *name = dv_strndup(presets, (size_t)(equal - presets));
    char *value = dv_strndup(equal + 1, n - (size_t)(equal - presets) - 1);
    dvField *f = dv_object_field(o, name);
    DV_REQUIRE(f);
    DV_MUST(dv_field_parse(f, value, NULL) == DV_OK);
    f->was_set = false;
    dv_free(name);
    dv_free(value);
    presets += n;
  }
}

dvObject *dv_object_create(dvContext *context, const dvClass *cls, const char *name, const dvDof *dof)
{
  DV_REQUIRE(cls->size >= sizeof(dvObject));
  dvObject *o = dv_alloc(cls->size);
  o->cls = cls;
  o->context = context;
  o->name = dv_strdup(name ? name : cls->name);
  o->dof = dof;
  o->as_sofa = context->compat == DV_COMPAT_SOFA;
  for (size_t b = 0; b < DV_COUNT(cls->blocks); b++) o->field_count += cls->blocks[b] ? cls->blocks[b]->count : 0;
  o->field_room = o->field_count + context->spare_fields;
  o->fields = dv_alloc((size_t)o->field_room * sizeof *o->fields);
  int at = 0;
  for (size_t b = 0; b < DV_COUNT(cls->blocks) && cls->blocks[b]; b++)
    for (int i = 0; i < cls->blocks[b]->count; i++) dv_field_init(&o->fields[at++], o, &cls->blocks[b]->fields[i]);
  apply_presets(o, cls->presets);
  if (cls->create) cls->create(o);
  return o;
}

void dv_object_destroy(dvObject **address)
{
  dvObject *o = *address;
  if (!o) return;
  while (o->belongings) {
    dvBelonging *b = o->belongings;
    o->belongings = b->next;
    b->release(b);
  }
  if (o->cls->destroy) o->cls->destroy(o);
  for (int i = 0; i < o->field_count; i++) dv_field_fini(&o->fields[i]);
  dv_free(o->fields);
  for (size_t i = 0; i < o->extras.count; i++) {
    dv_free(o->extras.data[i]->name);
    dv_free(o->extras.data[i]);
  }
  dv_array_free(&o->extras);
  dv_attributes_free(&o->attributes);
  for (size_t i = 0; i < o->comments.count; i++) dv_free(o->comments.data[i].text);
  dv_array_free(&o->comments);
  dv_free(o->template_text);
  dv_free(o->name);
  dv_free(o);
  *address = NULL;
}

dvObject *dv_object_linked(const dvObject *o, dvRole role)
{
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    if (f->desc->type == DV_T_LINK && f->desc->role == role) return ((const dvLink *)f->value)->target;
  }
  return NULL;
}

void dv_object_add_comment(dvObject *o, dvCommentPlace where, const char *text)
{
  dv_push(&o->comments, ((dvComment){dv_strdup(text), where}));
}

void dv_object_set_dof(dvObject *o, const dvDof *dof)
{
  o->dof = dof;
  for (int i = 0; i < o->field_count; i++) {
    dvField *f = &o->fields[i];
    dvFieldType t = f->desc->type;
    if (t != DV_T_COORD && t != DV_T_DERIV && t != DV_T_COORDS && t != DV_T_DERIVS) continue;
    f->width = t == DV_T_COORD || t == DV_T_COORDS ? dof->coord : dof->deriv;
    if (t == DV_T_COORDS || t == DV_T_DERIVS) {
      dv_reals_free(f->value);
      ((dvReals *)f->value)->width = f->width;
    }
  }
}

// --- lookup --------------------------------------------------------------------------------------

dvField *dv_object_field_nth(const dvObject *o, const char *name, int nth)
{
  for (int pass = 0; pass < 2; pass++)   // names go before aliases
    for (int i = 0; i < o->field_count; i++) {
      const dvFieldDesc *d = o->fields[i].desc;
      bool match = pass == 0 ? dv_same(dv_field_name(d), name) : dv_list_has(d->alias, name);
      if (match && nth-- == 0) return &o->fields[i];
    }
  return NULL;
}

dvField *dv_object_field(const dvObject *o, const char *name) { return dv_object_field_nth(o, name, 0); }

dvField *dv_field_of(const dvObject *o, const void *member)
{
  for (int i = 0; i < o->field_count; i++)
    if (o->fields[i].value == member) return &o->fields[i];
  dv_fail("the member is a field", o->cls->name, 0, "dv_field_of");
}

bool dv_object_has_tag(const dvObject *o, const char *tag)
{
  for (size_t i = 0; i < o->tags.count; i++)
    if (dv_same(o->tags.data[i], tag)) return true;
  return false;
}

bool dv_object_has_tags(const dvObject *o, const dvStrings *tags)
{
  for (size_t i = 0; tags && i < tags->count; i++) {
    const char *tag = tags->data[i];
    bool wanted = tag[0] != '!';
    bool has = dv_object_has_tag(o, wanted ? tag : tag + 1) || (dv_same(tag, "0") && o->tags.count == 0);
    if (has != wanted) return false;
  }
  return true;
}

// --- values --------------------------------------------------------------------------------------

dvStatus dv_object_pull(dvObject *o)
{
  dvStatus worst = DV_OK;
  for (int i = 0; i < o->field_count; i++) {
    if (!o->fields[i].source) continue;
    dvStatus status = dv_field_pull(&o->fields[i]);
    if (status != DV_OK) worst = status;
  }
  return worst;
}

dvStatus dv_object_update(dvObject *o)
{
  if (!o->cls->update || o->updating || o->failed) return DV_OK;
  o->updating = true;
  uint64_t stamp = 0;
  dvStatus status = DV_OK;
  for (int i = 0; i < o->field_count && status == DV_OK; i++) {
    if (!(o->fields[i].desc->flags & DV_INPUT)) continue;
    status = dv_field_pull(&o->fields[i]);
    stamp += o->fields[i].counter;
  }
  if (status == DV_OK && (!o->updated || stamp != o->update_stamp)) {
    o->updated = true;
    o->update_stamp = stamp;
    status = o->cls->update(o);
    if (status != DV_OK) o->failed = true;
    for (int i = 0; i < o->field_count; i++)
      if (o->fields[i].desc->flags & DV_OUTPUT) dv_field_renew(&o->fields[i]);
  }
  o->updating = false;
  return status;
}

dvStatus dv_object_set(dvObject *o, const char *name, const char *text)
{
  dvField *f = dv_object_field(o, name);
  if (!f) return dv_error(o, NULL, "%s has no field '%s'", o->cls->name, name);
  for (int nth = 0; (f = dv_object_field_nth(o, name, nth)); nth++) {
    dvText why = {0};
    dvStatus status = dv_field_parse(f, text, &why);
    if (status != DV_OK) dv_field_error(o, f->value, NULL, "%s: %s", name, why.text);
    dv_text_free(&why);
    DV_TRY(status);
  }
  return DV_OK;
}

// --- messages ------------------------------------------------------------------------------------

// of a component, or of one of its fields, whose name the message then has: a line of a scene has many
static void send(const dvObject *o, const dvField *f, dvLevel level, const char *advice, const char *format,
                 va_list args)
{
  dvText text = {0};
  dvPlace place = f && f->place.file ? f->place : o->place;
  dv_text_vprintf(&text, format, args);
  if (f && !strstr(text.text ? text.text : "", dv_field_name(f->desc)))
    dv_text_printf(&text, " (%s)", dv_field_name(f->desc));
  char *path = dv_object_path(o);
  dv_log_send(&o->context->log, &(dvMessage){.level = level,
                                             .status = level == DV_ERROR ? DV_ERROR_INPUT : DV_OK,
                                             .place = place,
                                             .path = path,
                                             .text = text.text ? text.text : "",
                                             .advice = advice});
  dv_free(path);
  dv_text_free(&text);
}

#define SEND(field, level, advice)                \
  do {                                            \
    va_list args_;                                \
    va_start(args_, format);                      \
    send(o, field, level, advice, format, args_); \
    va_end(args_);                                \
  } while (0)

// What rests on a component that has failed has nothing of its own to say, except about values that were given to it.
dvStatus dv_error(const dvObject *o, const char *advice, const char *format, ...)
{
  if (!o->rests_on_failed) SEND(NULL, DV_ERROR, advice);
  ((dvObject *)o)->failed = true;
  return DV_ERROR_INPUT;
}

void dv_warning(const dvObject *o, const char *advice, const char *format, ...)
{
  if (!o->rests_on_failed && (!o->following || o->printLog)) SEND(NULL, DV_WARNING, advice);
}

void dv_note(const dvObject *o, const char *format, ...) { SEND(NULL, DV_NOTE, NULL); }

dvStatus dv_field_error(const dvObject *o, const void *member, const char *advice, const char *format, ...)
{
  const dvField *f = dv_field_of(o, member);
  if (!o->rests_on_failed || (f->was_set && !f->source)) SEND(f, DV_ERROR, advice);
  ((dvObject *)o)->failed = true;
  return DV_ERROR_INPUT;
}

void dv_field_warning(const dvObject *o, const void *member, const char *advice, const char *format, ...)
{
  if (!o->rests_on_failed && (!o->following || o->printLog)) SEND(dv_field_of(o, member), DV_WARNING, advice);
}
