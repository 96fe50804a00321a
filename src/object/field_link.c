// Fields that follow others, and engines that make them. See field.h.
#include "object/field_parse.h"

#include "object/context.h"
#include "object/object.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void move(const dvField *f)
{
  if (f->owner && f->owner->context) atomic_fetch_add_explicit(&f->owner->context->moves, 1, memory_order_relaxed);
}

void dv_field_touch(dvField *f)
{
  dv_field_renew(f);
  move(f);
}

void dv_field_renew(dvField *f) { f->counter++; }

static bool holds_fixed_reals(dvFieldType t)
{
  return t == DV_T_VEC || t == DV_T_COLOUR || t == DV_T_COORD || t == DV_T_DERIV;
}

static bool share(dvField *f, const dvField *s)
{
  if (f->width != s->width) return false;
  if (dv_holds_reals(f->desc->type) && dv_holds_reals(s->desc->type)) {
    dv_reals_share(f->value, s->value);
    return true;
  }
  if (f->desc->type == DV_T_INTS && s->desc->type == DV_T_INTS) {
    dv_ints_share(f->value, s->value);
    return true;
  }
  if (f->desc->type == DV_T_LISTS && s->desc->type == DV_T_LISTS) {
    dv_lists_share(f->value, s->value);
    return true;
  }
  return false;
}

// points of one kind of DOF shown as another: the leading numbers carry over (frames to points and back)
static bool convert_tuples(dvField *f, const dvField *s)
{
  if (!dv_holds_reals(f->desc->type) || !dv_holds_reals(s->desc->type) || f->width == s->width) return false;
  // flat numbers are regrouped; coordinates of one dimension take the first number of each group
  if (s->width == 1 || (f->width == 1 && f->desc->type == DV_T_REALS)) {
    const dvReals *from = s->value;
    if (from->count % (size_t)f->width) return false;
    dvReals *to = f->value;
    dv_reals_share(to, from);
    return true;
  }
  const dvReals *from = s->value;
  dvReals *to = f->value;
  size_t n = dv_reals_size(from), common = (size_t)dv_min_int(f->width, s->width);
  if (!dv_reals_resize(to, n * (size_t)f->width)) return false;
  for (size_t i = 0; i < n; i++) {
    double *point = to->data + i * (size_t)f->width;
    memcpy(point, from->data + i * (size_t)s->width, common * sizeof(double));
    for (size_t k = common; k < (size_t)f->width; k++) point[k] = 0;
    if (f->width == 7 && common <= 3) point[6] = 1;
  }
  return true;
}

// whole numbers between lists of the two sorts; anything else goes through text, which says what does not fit
static bool convert_numbers(dvField *f, const dvField *s)
{
  if (dv_holds_reals(f->desc->type) && s->desc->type == DV_T_INTS) {
    const dvInts *from = s->value;
    dvReals fresh = {.width = f->width};
    if (from->count % (size_t)f->width || !dv_reals_resize(&fresh, from->count)) return false;
    for (size_t i = 0; i < from->count; i++) fresh.data[i] = from->data[i];
    dv_reals_share(f->value, &fresh);
    dv_reals_free(&fresh);
    return true;
  }
  if (f->desc->type != DV_T_INTS || !dv_holds_reals(s->desc->type)) return false;
  const dvReals *from = s->value;
  dvInts fresh = {.width = f->width};
  if (from->count % (size_t)f->width) return false;
  for (size_t i = 0; i < from->count; i++)
    if (!(fabs(from->data[i]) <= INT32_MAX) || from->data[i] != floor(from->data[i])) return false;
  if (!dv_ints_resize(&fresh, from->count)) return false;
  for (size_t i = 0; i < from->count; i++) fresh.data[i] = (int32_t)from->data[i];
  dv_ints_share(f->value, &fresh);
  dv_ints_free(&fresh);
  return true;
}

// a number and a list of one
static bool copy_to_list(dvField *f, const dvField *s)
{
  if (!dv_holds_reals(f->desc->type) || f->width != 1 || s->desc->type != DV_T_REAL) return false;
  const double number = *(const double *)s->value;
  return isfinite(number) && dv_reals_assign(f->value, &number, 1);
}

static bool copy_from_list(dvField *f, const dvField *s)
{
  if (f->desc->type != DV_T_REAL || !dv_holds_reals(s->desc->type)) return false;
  const dvReals *from = s->value;
  if (from->count != 1 || !isfinite(from->data[0])) return false;
  *(double *)f->value = from->data[0];
  return true;
}

// single numbers of the same type; one that is not finite goes through text, which refuses it
static bool copy_number(dvField *f, const dvField *s)
{
  dvFieldType type = f->desc->type;
  if (copy_to_list(f, s) || copy_from_list(f, s)) return true;
  if (type != s->desc->type) return false;
  if (type == DV_T_REAL && isfinite(*(const double *)s->value)) *(double *)f->value = *(const double *)s->value;
  else if (type == DV_T_INT) *(int32_t *)f->value = *(const int32_t *)s->value;
  else if (type == DV_T_BOOL) *(bool *)f->value = *(const bool *)s->value;
  else if (type == DV_T_IVEC && f->width == s->width) memcpy(f->value, s->value, (size_t)f->width * sizeof(int32_t));
  else return false;
  return true;
}

static dvStatus copy_value(dvField *f, const dvField *source, dvText *why)
{
  bool done = share(f, source) || convert_tuples(f, source) || convert_numbers(f, source) || copy_number(f, source);
  if (!done && f->desc->type == DV_T_LINK && source->desc->type == DV_T_LINK) {
    dvLink *to = f->value;
    const dvLink *from = source->value;
    dv_link_parse(to, from->path ? from->path : "");
    to->target = from->target;
    done = true;
  }
  if (!done && f->desc->type == DV_T_STRINGS && source->desc->type == DV_T_STRINGS) {   // entries may hold spaces
    dv_strings_copy(f->value, source->value);
    done = true;
  }
  if (!done && f->width == source->width && holds_fixed_reals(f->desc->type) && holds_fixed_reals(source->desc->type)) {
    memcpy(f->value, source->value, (size_t)f->width * sizeof(double));
    done = true;
  }
  if (!done) {   // everything else goes through text
    dvText text = {0};
    dv_field_print(source, &text);
    dvStatus status = *text.text || f->desc->type == DV_T_STRING ? dv_field_parse_value(f, text.text, why) : DV_OK;
    dv_text_free(&text);
    DV_TRY(status);
  }
  dv_field_renew(f);
  return DV_OK;
}

dvStatus dv_field_copy(dvField *f, const dvField *source, dvText *why)
{
  DV_TRY(copy_value(f, source, why));
  move(f);
  return DV_OK;
}

static uint64_t moves_of(const dvField *f)
{
  return f->owner && f->owner->context ? atomic_load_explicit(&f->owner->context->moves, memory_order_relaxed) : 0;
}

dvStatus dv_field_pull(dvField *f)
{
  const uint64_t before = moves_of(f);
  // ways that meet again and again are walked once, unless something has changed on the way
  if (f->busy || (before && f->fresh == before)) return DV_OK;
  if (dv_stack_is_short())
    return dv_field_error(f->owner, f->value, "write the components in the order of their links, or fewer of them",
                          "%s ends a chain of links and engines that is too long to be followed",
                          dv_field_name(f->desc));
  f->busy = true;
  dvStatus status = DV_OK;
  if (f->source) {
    status = dv_field_pull(f->source);
    if (status != DV_OK) f->owner->failed = true;   // whoever could not give the value has said so
    if (status == DV_OK && f->source->counter != f->source_seen) {
      dvText why = {0};
      status = copy_value(f, f->source, &why);
      if (status != DV_OK) {
        char *path = dv_object_path(f->source->owner);
        dv_field_error(f->owner, f->value, NULL, "%s cannot take the value of %s.%s: %s", dv_field_name(f->desc), path,
                       dv_field_name(f->source->desc), why.text);
        dv_free(path);
      }
      dv_text_free(&why);
      f->source_seen = f->source->counter;
    }
  } else if (f->desc->flags & DV_OUTPUT) {
    status = dv_object_update(f->owner);
  }
  if (status == DV_OK && (f->desc->flags & DV_OUTPUT) && f->owner->cls->fetch)
    status = f->owner->cls->fetch(f->owner, f);
  f->busy = false;
  // who was asked in the middle of his work (fresh is all ones then), and who shows such a field, is asked again
  const bool whole = f->fresh != UINT64_MAX && !f->owner->updating && (!f->source || f->source->fresh == before);
  f->fresh = status == DV_OK && whole && moves_of(f) == before ? before : 0;
  return status;
}

static void add_step(dvText *way, const dvField *f)
{
  char *path = dv_object_path(f->owner);
  dv_text_printf(way, "%s%s.%s", way->length ? " -> " : "", path, dv_field_name(f->desc));
  dv_free(path);
}

typedef struct Search {
  const dvField *on;
  DV_ARRAY(dvField *) seen;   // they are busy until the search ends: ways that meet again are walked once
  dvText way;                 // the fields between, from `on` to where the search began
} Search;

// does the value of `from` depend on the one that is searched for, through links and engines?
static bool depends(Search *s, dvField *from, int depth)
{
  bool found = from == s->on;
  if (!found && (from->busy || depth > 200)) return false;
  if (!from->busy) dv_push(&s->seen, from);
  from->busy = true;
  if (!found && from->source) found = depends(s, from->source, depth + 1);
  if (!found && !from->source && (from->desc->flags & DV_OUTPUT) && from->owner->cls->update) {
    for (int i = 0; i < from->owner->field_count && !found; i++) {
      dvField *input = &from->owner->fields[i];
      if (input->desc->flags & DV_INPUT) found = depends(s, input, depth + 1);
    }
  }
  if (found) add_step(&s->way, from);
  return found;
}

dvStatus dv_field_link(dvField *f, dvField *source, dvText *why)
{
  Search s = {.on = f};
  bool cycle = depends(&s, source, 0);
  for (size_t i = 0; i < s.seen.count; i++) s.seen.data[i]->busy = false;
  dv_array_free(&s.seen);
  if (cycle && why) {
    add_step(&s.way, f);
    dv_text_printf(why, "the link closes a cycle: %s", s.way.text);
  }
  dv_text_free(&s.way);
  if (cycle) return DV_ERROR_INPUT;
  f->source = source;
  f->source_seen = source->counter - 1;
  f->was_set = true;
  move(f);
  return DV_OK;
}

void dv_field_unlink(dvField *f)
{
  f->source = NULL;
  move(f);
}
