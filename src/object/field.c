// The life of fields. See field.h; field_parse.c reads them from text, field_print.c prints them, field_link.c links
// them.
#include "object/field.h"

#include "object/object.h"

static int resolved_width(const dvFieldDesc *desc, const dvDof *dof)
{
  switch (desc->type) {
  case DV_T_COORD:
  case DV_T_COORDS:
    return dof ? dof->coord : 3;
  case DV_T_DERIV:
  case DV_T_DERIVS:
    return dof ? dof->deriv : 3;
  default:
    return desc->width;
  }
}

void dv_field_init(dvField *f, dvObject *owner, const dvFieldDesc *desc)
{
  dv_field_init_at(f, owner, desc, (char *)owner + desc->offset);
}

void dv_field_init_at(dvField *f, dvObject *owner, const dvFieldDesc *desc, void *value)
{
  *f = (dvField){.desc = desc, .owner = owner, .value = value};
  f->width = resolved_width(desc, owner->dof);
  if (dv_holds_reals(desc->type)) ((dvReals *)f->value)->width = f->width;
  if (desc->type == DV_T_INTS) ((dvInts *)f->value)->width = f->width;
  if (desc->type == DV_T_STRING || desc->type == DV_T_FILE) *(char **)f->value = dv_strdup("");
  if (desc->initial && *desc->initial) {
    if (dv_field_parse(f, desc->initial, NULL) !=
        DV_OK) {   // memory is short, else it is a mistake in the class and not in the scene
      dvText why = {0};
      dv_memory_give_up_reserve();
      if (dv_field_parse(f, desc->initial, &why) != DV_OK) dv_fail(why.text, owner->cls->name, 0, desc->name);
      dv_text_free(&why);
    }
  }
  f->was_set = false;
  f->counter = 1;
}

void dv_field_fini(dvField *f)
{
  switch (f->desc->type) {
  case DV_T_STRING:
  case DV_T_FILE:
    dv_free(*(char **)f->value);
    *(char **)f->value = NULL;
    break;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    dv_reals_free(f->value);
    break;
  case DV_T_INTS:
    dv_ints_free(f->value);
    break;
  case DV_T_LISTS:
    dv_lists_free(f->value);
    break;
  case DV_T_STRINGS:
    dv_strings_free(f->value);
    break;
  case DV_T_LINK:
    dv_free(((dvLink *)f->value)->path);
    break;
  case DV_T_LINKS: {
    dvLinks *links = f->value;
    for (size_t i = 0; i < links->count; i++) dv_free(links->data[i].path);
    dv_free(links->data);
    break;
  }
  default:
    break;
  }
  dv_free(f->link);
  f->link = NULL;
}

const char *dv_field_type_name(const dvFieldDesc *desc)
{
  static const char *const tuples[] = {"", "numbers", "pairs", "points", "quadruples", "quintuples", "sextuples"};
  static const char *const int_tuples[] = {"",         "indices", "edges", "triangles", "quads or tetrahedra",
                                           "pyramids", "prisms",  "",      "hexahedra"};
  switch (desc->type) {
  case DV_T_BOOL:
    return "bool";
  case DV_T_INT:
    return "int";
  case DV_T_REAL:
    return "real";
  case DV_T_STRING:
    return "string";
  case DV_T_FILE:
    return "file";
  case DV_T_CHOICE:
    return "choice";
  case DV_T_COLOUR:
    return "colour";
  case DV_T_VEC:
    return desc->width == 3 ? "vec3" : desc->width == 9 ? "mat3" : desc->width == 16 ? "mat4" : "vec";
  case DV_T_IVEC:
    return desc->width == 2 ? "ivec2" : desc->width == 3 ? "ivec3" : "ivec6";
  case DV_T_REALS:
    return desc->width <= 6 ? tuples[desc->width] : "tuples";
  case DV_T_INTS:
    return desc->width <= 8 ? int_tuples[desc->width] : "index tuples";
  case DV_T_LISTS:
    return "lists of indices";
  case DV_T_STRINGS:
    return "strings";
  case DV_T_COORD:
    return "coordinate";
  case DV_T_DERIV:
    return "derivative";
  case DV_T_COORDS:
    return "coordinates";
  case DV_T_DERIVS:
    return "derivatives";
  case DV_T_LINK:
    return "link";
  case DV_T_LINKS:
    return "links";
  }
  return "";
}
