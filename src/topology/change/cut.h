// Cutting tetrahedra along a blade.
//
// What a blade sweeps is a sheet of flat convex facets: one polygon for a straight stroke, a strip of them for a curved
// blade or a curved stroke. Edges that it crosses are split where they meet it, with all tetrahedra around; an edge
// that is met near one of its ends is left whole, and that end counts as lying on the sheet (snap), so that no sliver
// is made. Edges made by splits begin on the sheet and cross the same facet no more; where a bent sheet meets them in
// another facet, well away from their ends, they are split again. When that is done tetrahedra are separated by
// triangles whose three points lie on the sheet. Along these they part (part.h); where the sheet ends inside of the
// body the mesh stays closed. Volume and everything in proportion to it stay. A cut follows a bent sheet as closely as
// the edges of the mesh are long.
#ifndef DV_TOPOLOGY_CHANGE_CUT_H
#define DV_TOPOLOGY_CHANGE_CUT_H

#include "base/array.h"
#include "topology/change/incise.h"

DV_PUBLIC_BEGIN

typedef struct dvCut {
  size_t split;     // edges that were split
  size_t doubled;   // points that were doubled
  double quality;   // the smallest of the tetrahedra at the cut: 1 for a regular one, 0 for a flat one; 1 for none
} dvCut;

// Facet i has the corners offsets[i] to offsets[i + 1] - 1, three numbers each.
typedef struct dvSheet {
  const double *corners;
  const size_t *offsets;
  size_t facets;
} dvSheet;

// What a blade sweeps: a polyline of `count` points that was at `from` and comes to `to`.
typedef struct dvSweep {
  DV_ARRAY(double) corners;
  DV_ARRAY(size_t) offsets;
  dvSheet sheet;   // of these
} dvSweep;
void dv_sweep_init(dvSweep *s, const double *from, const double *to, size_t count);
void dv_sweep_fini(dvSweep *s);

// Cuts along a sheet. Facets without area are left out; a sheet of nothing else is refused. `how` gives positions and
// snap; its snap_end is not used. A sheet that misses changes nothing; that is no mistake, `out` (may be NULL) tells.
dvStatus dv_mesh_cut_sheet(dvTopology *t, const dvIncision *how, const dvSheet *sheet, dvCut *out);
// The same along one flat convex polygon of at least three corners.
dvStatus dv_mesh_cut(dvTopology *t, const dvIncision *how, const double *polygon, size_t corners, dvCut *out);
// The same along what a blade sweeps.
dvStatus dv_mesh_cut_sweep(dvTopology *t, const dvIncision *how, const double *from, const double *to, size_t count,
                           dvCut *out);

DV_PUBLIC_END

#endif
