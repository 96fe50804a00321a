// Fields to text that reads back. See field.h.
#include "object/field.h"

#include "object/object.h"

#include <string.h>

static void print_reals(dvText *out, const double *values, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (i) dv_text_add(out, " ");
    dv_text_add_real(out, values[i]);
  }
}

static void print_ints(dvText *out, const int32_t *values, size_t count)
{
  for (size_t i = 0; i < count; i++) dv_text_printf(out, "%s%d", i ? " " : "", values[i]);
}

static void print_lists(dvText *out, const dvLists *l)
{
  for (size_t i = 0; i < dv_lists_size(l); i++) {
    dv_text_add(out, i ? " [" : "[");
    for (size_t k = 0; k < dv_lists_length(l, i); k++) dv_text_printf(out, "%s%d", k ? "," : "", dv_lists_at(l, i)[k]);
    dv_text_add(out, "]");
  }
}

static void print_choice(const dvField *f, dvText *out)
{
  const char *o = f->desc->options;
  for (int i = *(int32_t *)f->value; i > 0 && o; i--) {
    o = strchr(o, '|');
    if (o) o++;
  }
  if (o) dv_text_add_n(out, o, strcspn(o, "|"));
}

// words, or ['a b','c'] where an entry would not be one word
static void print_strings(const dvStrings *s, dvText *out)
{
  bool quoted = false, quotes = false;
  for (size_t i = 0; i < s->count; i++) {
    const char *e = s->data[i];
    quotes = quotes || strchr(e, '\'');
    quoted = quoted || !*e;
    for (; *e; e++) quoted = quoted || dv_is_space(*e);
  }
  quoted = quoted && !quotes;
  if (quoted) dv_text_add(out, "[");
  for (size_t i = 0; i < s->count; i++)
    dv_text_printf(out, quoted ? "%s'%s'" : "%s%s", i ? quoted ? "," : " " : "", s->data[i]);
  if (quoted) dv_text_add(out, "]");
}

void dv_field_print(const dvField *f, dvText *out)
{
  dv_text_add(out, "");
  switch (f->desc->type) {
  case DV_T_BOOL:
    dv_text_add(out, *(bool *)f->value ? "1" : "0");
    break;
  case DV_T_INT:
    dv_text_printf(out, "%d", *(int32_t *)f->value);
    break;
  case DV_T_REAL:
    dv_text_add_real(out, *(double *)f->value);
    break;
  case DV_T_STRING:
  case DV_T_FILE:
    dv_text_add(out, *(char **)f->value);
    break;
  case DV_T_CHOICE:
    print_choice(f, out);
    break;
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV:
    print_reals(out, f->value, (size_t)f->width);
    break;
  case DV_T_IVEC:
    print_ints(out, f->value, (size_t)f->width);
    break;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    print_reals(out, ((dvReals *)f->value)->data, ((dvReals *)f->value)->count);
    break;
  case DV_T_INTS:
    print_ints(out, ((dvInts *)f->value)->data, ((dvInts *)f->value)->count);
    break;
  case DV_T_LISTS:
    print_lists(out, f->value);
    break;
  case DV_T_STRINGS: {
    print_strings(f->value, out);
    break;
  }
  case DV_T_LINK:
    dv_text_add(out, ((dvLink *)f->value)->path);
    break;
  case DV_T_LINKS: {
    const dvLinks *l = f->value;
    for (size_t i = 0; i < l->count; i++) dv_text_printf(out, "%s%s", i ? " " : "", l->data[i].path);
    break;
  }
  }
}
