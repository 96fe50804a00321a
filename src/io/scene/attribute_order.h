// In which order the attributes of an element set fields. A name may stand for several fields (`stiffness` of
// MeshSpringForceField for those of lines, triangles …); where two attributes set one field, the later one counts:
//
//   by default   names that stand for several fields come first, so that a single field wins; else the file's order
//   compat sofa  the alphabetical order of the names
#ifndef DV_IO_SCENE_ATTRIBUTE_ORDER_H
#define DV_IO_SCENE_ATTRIBUTE_ORDER_H

#include "object/object.h"

// Fills `order` with the numbers of all attributes of the object.
void dv_attribute_order(const dvObject *o, size_t *order);
// The first pair of attributes from number `*first` on that set one field: the one that counts, the one that does not
// and the field; `differs` when the other mode has it the other way round. Moves *first behind it. False behind the
// last pair.
typedef struct dvAttributeConflict {
  const dvAttribute *counts, *lost;
  const dvField *field;
  bool differs;
} dvAttributeConflict;
bool dv_attribute_conflict(const dvObject *o, size_t *first, dvAttributeConflict *out);

#endif
