// Names that components had in earlier versions of SOFA.
#ifndef DV_APP_RENAMES_H
#define DV_APP_RENAMES_H

#include "object/context.h"

void dv_register_renames(dvRegistry *registry);
void dv_register_absent(dvRegistry *registry);   // names of components that Divan does not have

#endif
