// DataExchange: the value of one field goes to another when the scene is ready and after every step. A link would show
// the value while a step changes it; here scenes that are stepped one after the other see each other's last step.
#include "control/controllers.h"

#include "scene/node.h"

#include <string.h>

#define EXCHANGE_FIELDS(X)                                                              \
  X(string, from, "", "", "field to copy: @path/component.field", .flags = DV_REQUIRED) \
  X(string, to, "", "", "field of the same kind to copy it to: @path/component.field", .flags = DV_REQUIRED)

typedef struct Exchange {
  dvObject base;
  EXCHANGE_FIELDS(DV_MEMBER)
  dvField *source, *target;
  uint32_t seen;   // counter of the source when it was copied
} Exchange;

#define SELF Exchange
static const dvFieldDesc exchange_fields[] = {EXCHANGE_FIELDS(DV_DESCRIBE)};
#undef SELF

// the attributes are links to the two fields; from here on they are only names
static dvStatus take_link(Exchange *e, char *const *member, dvField **out)
{
  dvField *f = dv_field_of(&e->base, member);
  if (f->source) *out = f->source;
  dv_field_unlink(f);
  return *out ? DV_OK
              : dv_field_error(&e->base, member, "write @path/component.field", "%s names no field",
                               dv_field_name(f->desc));
}

static dvStatus exchange_link(dvObject *o)
{
  Exchange *e = (Exchange *)o;
  DV_TRY(take_link(e, &e->from, &e->source));
  DV_TRY(take_link(e, &e->to, &e->target));
  if (e->source->owner == o || e->target->owner == o || e->source == e->target)
    return dv_field_error(o, &e->to, "name two fields of other components", "a field is not exchanged with itself");
  e->seen = e->source->counter - 1;
  return DV_OK;
}

static bool same(const dvField *a, const dvField *b)
{
  if (a->width != b->width) return false;
  if (dv_holds_reals(a->desc->type) && dv_holds_reals(b->desc->type)) {
    const dvReals *x = a->value, *y = b->value;
    return x->count == y->count && (x->count == 0 || memcmp(x->data, y->data, x->count * sizeof *x->data) == 0);
  }
  if (a->desc->type == DV_T_INTS && b->desc->type == DV_T_INTS) {
    const dvInts *x = a->value, *y = b->value;
    return x->count == y->count && (x->count == 0 || memcmp(x->data, y->data, x->count * sizeof *x->data) == 0);
  }
  return false;
}

static void exchange(Exchange *e)
{
  dvObject *o = &e->base;
  if (o->failed || dv_field_pull(e->source) != DV_OK) return;
  if (e->seen == e->source->counter) return;
  e->seen = e->source->counter;
  if (same(e->target, e->source)) return;
  dvText why = {0};
  if (dv_field_copy(e->target, e->source, &why) != DV_OK)
    dv_field_error(o, &e->to, "name fields of the same kind", "%s cannot take the value of %s: %s",
                   dv_field_name(e->target->desc), dv_field_name(e->source->desc), why.text ? why.text : "");
  else dv_field_changed(e->target);
  dv_text_free(&why);
}

static void exchange_handle_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_ANIMATE_END || event->kind == DV_EVENT_INIT_DONE) exchange((Exchange *)o);
}

const dvClass dv_data_exchange_class = {
    .struct_size = sizeof(dvClass),
    .name = "DataExchange",
    .help = "copies the value of a field to another one after every step",
    .module = "MultiThreading",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Exchange),
    .blocks = {&dv_object_block, DV_BLOCK(exchange_fields)},
    .link = exchange_link,
    .handle_event = exchange_handle_event,
};
