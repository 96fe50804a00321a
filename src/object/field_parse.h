// What field_parse.c lends to field_link.c.
#ifndef DV_OBJECT_FIELD_PARSE_H
#define DV_OBJECT_FIELD_PARSE_H

#include "object/field.h"

// Like dv_field_parse, but the field does not count as set.
dvStatus dv_field_parse_value(dvField *f, const char *text, dvText *why);
// The path that a text names; what it leads to is not known yet.
void dv_link_parse(dvLink *link, const char *text);

#endif
