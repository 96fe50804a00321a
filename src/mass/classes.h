// The classes of this room.
#ifndef DV_MASS_CLASSES_H
#define DV_MASS_CLASSES_H

#include "object/object.h"

extern const dvClass dv_uniform_mass_class, dv_diagonal_mass_class, dv_mesh_matrix_mass_class, dv_fem_mass_class,
    dv_nodal_mass_density_class;

#endif
