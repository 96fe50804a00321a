// Springs of Xsp files, version 3 or 4 (the latter with a rest vector for each spring).
#ifndef DV_FORCE_SPRING_XSP_H
#define DV_FORCE_SPRING_XSP_H

#include "object/object.h"

typedef struct dvXspSpring {
  int32_t a, b;
  double ks, kd, rest;
  double vector[3];   // zero in version 3
} dvXspSpring;

typedef DV_ARRAY(dvXspSpring) dvXspSprings;

// Reads the file that a field of `o` names. Reports what is wrong. The caller frees the list in any case.
dvStatus dv_xsp_read(const dvObject *o, char *const *member, dvXspSprings *out);

#endif
