// A scene file as a tree of elements, with includes put in place. One step before components exist.
#ifndef DV_IO_ELEMENT_H
#define DV_IO_ELEMENT_H

#include "object/context.h"

typedef struct dvElement {
  char *tag;
  dvAttributes attributes;
  DV_ARRAY(struct dvElement *) children;
  dvPlace place;
} dvElement;

// Reads a scene file and everything it includes. NULL after an error, which was reported to the context's log.
dvElement *dv_element_read(dvContext *context, const char *path);
// The same from memory; `name` stands for the file in messages and for finding includes.
dvElement *dv_element_parse(dvContext *context, const char *name, const char *bytes, size_t length);
void dv_element_free(dvElement *e);
const char *dv_element_get(const dvElement *e, const char *attribute);

#endif
