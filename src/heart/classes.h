// The classes of this room, for register.c.
#ifndef DV_HEART_CLASSES_H
#define DV_HEART_CLASSES_H

#include "object/object.h"

#define DV_HEART_MODULE "Divan"

extern const dvClass dv_generate_ventricle_class, dv_fibre_field_class, dv_stimulus_class, dv_tissue_zone_class,
    dv_monodomain_class, dv_eikonal_class, dv_ecg_class, dv_contraction_class, dv_heart_pressure_class,
    dv_projective_pressure_class, dv_lagrangian_pressure_class, dv_ventricle_surfaces_class;

#endif
