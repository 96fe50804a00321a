// Slips that scenes contain and SOFA's reader lets pass are repaired before libxml2 sees the text: an unescaped < or &
// in an attribute value, no space between two attributes, two hyphens inside a comment. Bytes that are not UTF-8 are
// taken as Latin-1.
#ifndef DV_IO_SCENE_XML_REPAIR_H
#define DV_IO_SCENE_XML_REPAIR_H

#include "base/array.h"
#include "base/text.h"

typedef struct dvXmlRepair {
  dvText text;                    // what libxml2 shall read
  DV_ARRAY(int) lines;            // line of each start tag, in the order of the document
  DV_ARRAY(int) slip_lines;       // where something was repaired
  DV_ARRAY(const char *) slips;   // what it was; of many the first
  int crowded_line;               // of an element with more attributes than libxml2 can read in sensible time, or 0
} dvXmlRepair;

void dv_xml_repair(dvXmlRepair *out, const char *bytes, size_t length);
void dv_xml_repair_free(dvXmlRepair *r);

#endif
