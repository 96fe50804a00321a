// The room of what goes beyond one process.
#ifndef DV_DISTRIBUTED_REGISTER_H
#define DV_DISTRIBUTED_REGISTER_H

#include "object/context.h"

extern const dvClass dv_petsc_class;

void dv_register_distributed(dvRegistry *r);

#endif
