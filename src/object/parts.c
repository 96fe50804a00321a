// See parts.h.
#include "object/parts.h"

static const struct dvContext *owner;   // of the process, as MPI is
static dvParts *in_use;

dvParts *dv_parts_of(const struct dvContext *context) { return in_use && context == owner ? in_use : NULL; }

void dv_parts_use(const struct dvContext *context, dvParts *parts)
{
  owner = context;
  in_use = parts;
}
