// Instruments that exist: one line each.
#include "instrument/register.h"

#include "instrument/deploy.h"

extern const dvClass dv_adaptive_beam_class, dv_beam_mapping_class, dv_multi_beam_mapping_class, dv_beam_length_class,
    dv_inflatable_beam_class, dv_beam_sliding_class, dv_beam_limit_class, dv_beam_projection_class,
    dv_redistribute_class, dv_suture_class, dv_needle_class;

void dv_register_instrument(dvRegistry *r)
{
  dv_registry_add(r, &dv_rod_straight_class);
  dv_registry_add(r, &dv_rod_spire_class);
  dv_registry_add(r, &dv_rod_mesh_class);
  dv_registry_add(r, &dv_wire_shape_class);
  dv_registry_add(r, &dv_beam_interpolation_class);
  dv_registry_add(r, &dv_wire_interpolation_class);
  dv_registry_add(r, &dv_adaptive_beam_class);
  dv_registry_add(r, &dv_beam_mapping_class);
  dv_registry_add(r, &dv_multi_beam_mapping_class);
  dv_registry_add(r, &dv_beam_length_class);
  dv_registry_add(r, &dv_beam_projection_class);
  dv_registry_add(r, &dv_inflatable_beam_class);
  dv_registry_add(r, &dv_beam_sliding_class);
  dv_registry_add(r, &dv_beam_limit_class);
  dv_registry_add(r, &dv_redistribute_class);
  dv_registry_add(r, &dv_suture_class);
  dv_registry_add(r, &dv_needle_class);
  dv_registry_add(r, &dv_deploy_class);
  dv_registry_add(r, &dv_instrument_actions_class);
}
