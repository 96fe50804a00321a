// Using libxml2 when memory is short.
//
// libxml2 crashes in places where it cannot allocate (2.9.14 does, in xmlParseDocument). Between begin and end its
// small blocks come from the reserve then, as Divan's own do (base.h), and what it says about it is heard instead of
// printed.
#ifndef DV_IO_SCENE_XML_GUARD_H
#define DV_IO_SCENE_XML_GUARD_H

#include "base/base.h"

#include <libxml/parser.h>

typedef struct dvXmlGuard {
  bool ran_short;                  // libxml2 dropped something
  xmlStructuredErrorFunc others;   // of the host program, for this thread
  void *others_context;
} dvXmlGuard;

void dv_xml_guard_begin(dvXmlGuard *g);
void dv_xml_guard_end(dvXmlGuard *g);

#endif
