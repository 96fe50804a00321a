// What the files about fields share: field.c (the type), field_read.c, field_assign.c.
#ifndef DIVAN_PYTHON_FIELD_INSIDE_H
#define DIVAN_PYTHON_FIELD_INSIDE_H

#include "bind.h"

bool field_pull(Handle *owner, dvField *f);   // brings the value up to date; false with an exception
void field_drop_link(dvField *f);
dvStatus field_tell_component(dvField *f);
bool field_finished(Scene *s, const dvField *f, dvStatus status);   // false with an exception when it was refused
bool field_assign_text(Handle *owner, dvField *f, const char *text);

#endif
