// Cutting a body of hexahedra, with the closed surfaces that are embedded in it.
#ifndef DV_MAPPING_LINEAR_CUT_EMBEDDED_H
#define DV_MAPPING_LINEAR_CUT_EMBEDDED_H

#include "topology/change/cut.h"

typedef struct dvBodyCut {
  size_t split;       // edges of tetrahedra, or hexahedra, that were split
  size_t doubled;     // points that came
  size_t links;       // of hexahedra: neighbouring voxels (fill.h) that were parted
  size_t triangles;   // that close embedded surfaces, on both sides
  double quality;     // of tetrahedra, as in cut.h; 1 for hexahedra, whose shapes do not change
} dvBodyCut;

// Cuts the tetrahedra of a topology (cut.h) or its hexahedra (cut_cells.h). Surfaces of triangles that a
// BarycentricMapping carries with the hexahedra are cut along (cut_skin.h), and their parts go with the cells of their
// side; one that is not closed is refused before anything changes. A blade that misses changes nothing; `out` (may be
// NULL) tells. The caller ends the batch of `t`.
dvStatus dv_body_cut(dvTopology *t, const dvIncision *how, const dvSheet *sheet, dvBodyCut *out);
dvStatus dv_body_cut_sweep(dvTopology *t, const dvIncision *how, const double *from, const double *to, size_t count,
                           dvBodyCut *out);

#endif
