// The surface of a mask as closed triangles that look outwards, smooth, and with the volume of its voxels.
//
// Voxels are counted in cells of some of them along each axis; the surface passes where half of a cell is filled
// (marching cubes). Smoothing moves points towards the middle of their neighbours and back a little further (G. Taubin,
// A signal processing approach to fair surface design, 1995), which takes steps away and leaves the shape; what volume
// it still costs is given back along the normals, so that the volume is that of the voxels, up to rounding.
#ifndef DV_ANATOMY_SURFACE_H
#define DV_ANATOMY_SURFACE_H

#include "anatomy/mask.h"

typedef struct dvSkin {
  DV_ARRAY(double) x;   // three numbers a point, placed
  DV_ARRAY(int32_t) triangles;
} dvSkin;

void dv_skin_free(dvSkin *s);
// `cell` voxels along each axis are one (1 at least); `passes` of smoothing. False when memory is short.
DV_CHECK_RESULT bool dv_skin_of_mask(dvSkin *s, const dvMask *m, const int cell[3], int passes);
double dv_skin_volume(const dvSkin *s);
double dv_skin_area(const dvSkin *s);
// Smoothes a closed surface and gives it the volume it is to have.
DV_CHECK_RESULT bool dv_skin_smooth(dvSkin *s, int passes, double volume);
// Unit normals, three numbers a point, into `out`.
void dv_skin_normals(const dvSkin *s, double *out);

#endif
