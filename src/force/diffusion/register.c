// The kinds of diffusion that exist: one line each.
#include "force/diffusion/register.h"

extern const dvClass dv_tetra_diffusion_class;

void dv_register_diffusion(dvRegistry *r) { dv_registry_add(r, &dv_tetra_diffusion_class); }
