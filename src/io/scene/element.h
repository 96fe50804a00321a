// A scene file as a tree of elements, with includes put in place. One step before components exist.
#ifndef DV_IO_SCENE_ELEMENT_H
#define DV_IO_SCENE_ELEMENT_H

#include "object/context.h"

typedef struct dvElement {
  char *tag;   // NULL: a comment
  dvAttributes attributes;
  DV_ARRAY(struct dvElement *) children;
  dvPlace place;
  char *comment;      // its text; further lines are indented from the first one, where it begins a line
  bool beside;        // the comment stands on the line of what is before it
  const char *from;   // file and number (from 1) of the start tag that it comes from: its own, or the include's that
  size_t number;      // brought the outermost element of another file; 0: of none
} dvElement;

// Reads a scene file and everything it includes: an element that holds the outermost one and comments around it. NULL
// after an error, which was reported to the context's log.
dvElement *dv_element_read(dvContext *context, const char *path);
// The same from memory; `name` stands for the file in messages and for finding includes.
dvElement *dv_element_parse(dvContext *context, const char *name, const char *bytes, size_t length);
void dv_element_free(dvElement *e);
dvElement *dv_element_root(const dvElement *document);   // the outermost element
const char *dv_element_get(const dvElement *e, const char *attribute);

#endif
