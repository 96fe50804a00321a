// See element.h.
#include "mass/element.h"

#include <string.h>

void dv_mass_element(dvElementKind kind, const dvQuadrature *rule, const double *x, const double *density,
                     double *entries)
{
  int corners = dv_element_points(kind);
  memset(entries, 0, (size_t)(corners * corners) * sizeof *entries);
  for (int k = 0; k < rule->points; k++) {
    double n[DV_SHAPE_NODES], rho = 0;
    dvVec3 gradients[DV_SHAPE_NODES];
    dv_shape_values(kind, rule->at[k], n);
    for (int i = 0; i < corners; i++) rho += n[i] * density[i];
    double mass = rule->weight[k] * rho * dv_shape_gradients(kind, rule->at[k], x, gradients);
    for (int i = 0; i < corners; i++)
      for (int j = 0; j < corners; j++) entries[i * corners + j] += mass * n[i] * n[j];
  }
}
