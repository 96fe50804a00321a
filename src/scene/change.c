// Fields that are set while a scene runs. See node.h.
#include "scene/node.h"

size_t dv_field_size(const dvField *f)
{
  switch (f->desc->type) {
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    return ((const dvReals *)f->value)->count;
  case DV_T_INTS:
    return ((const dvInts *)f->value)->count;
  default:
    return 1;
  }
}

dvStatus dv_field_check_size(const dvField *f, size_t before)
{
  const dvObject *o = f->owner;
  bool told = o->cls->reinit || dv_node_of((dvObject *)o) || (f->desc->flags & (DV_INPUT | DV_LOOKS));
  if (told || dv_field_size(f) == before) return DV_OK;
  return dv_field_error(o, f->value, "set it before the scene is initialised",
                        "%s has %zu numbers and cannot have %zu any more", dv_field_name(f->desc), before,
                        dv_field_size(f));
}

dvStatus dv_field_set_live(dvField *f, const char *text, dvText *why)
{
  dvObject *o = f->owner;
  dvText before = {0};
  const bool was_set = f->was_set, failed = o->failed;
  const size_t size = dv_field_size(f);
  dv_field_print(f, &before);
  dvStatus status = dv_field_parse(f, text, why);
  const bool parsed = status == DV_OK;
  if (parsed) dv_text_clear(why);   // remarks, on numbers that were left out
  if (status == DV_OK) status = dv_field_check_size(f, size);
  if (status == DV_OK) status = dv_field_changed(f);
  if (status != DV_OK && parsed) {
    dv_field_parse(f, before.text ? before.text : "", NULL);
    o->failed = failed;
    dv_field_changed(f);
    f->was_set = was_set;
  }
  dv_text_free(&before);
  return status;
}
