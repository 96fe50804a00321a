// Which voxels of an image belong to one thing: a box of bytes around it, with an empty layer on all sides.
//
// Work is done in the axes of the image, in metres from the corner of the first voxel of the box; dv_mask_place takes
// such a point to where the image stands.
#ifndef DV_ANATOMY_MASK_H
#define DV_ANATOMY_MASK_H

#include "io/mesh/voxels.h"
#include "math/vec.h"

enum { DV_MASK_LIMIT = 400000000 };   // voxels

typedef struct dvMask {
  int32_t n[3];
  double size[3];      // of a voxel, m
  dvVec3 origin;       // of the corner of the first voxel, m
  double turn[9];      // columns: directions of the axes, at right angles
  int32_t at[3];       // place of its first voxel in the image; -1 and below in the empty layer
  uint8_t *inside;     // 1 inside; x fastest
  size_t count;        // voxels inside
  bool touches_edge;   // of the image
} dvMask;

// Checks an image of labels once: right angles, numbers that are whole and finite. `unit` is of its sizes, in m.
dvStatus dv_labels_check(const dvVoxels *image, double unit, dvMeshError *error);
// The whole numbers above 0 that occur in an image that was checked, ascending, at most `limit`; returns how many there
// are.
size_t dv_labels_list(const dvVoxels *image, int32_t *labels, size_t limit);
// The voxels with one label, with `margin` empty layers around them. DV_ERROR_INPUT when there are none.
dvStatus dv_mask_of_label(dvMask *m, const dvVoxels *image, double unit, int32_t label, int32_t margin,
                          dvMeshError *error);
// The same of several labels together. DV_ERROR_INPUT when no voxel has the first of them.
dvStatus dv_mask_of_labels(dvMask *m, const dvVoxels *image, double unit, const int32_t *labels, size_t count,
                           int32_t margin, dvMeshError *error);
// Adds the voxels of another label that lie inside: with voxels of the mask on both sides along at least two axes. So
// an organ gets back what its vessels take from it, and not where they leave it.
DV_CHECK_RESULT bool dv_mask_add_enclosed(dvMask *m, const dvVoxels *image, int32_t label);
// The inside of a closed surface, in voxels of one size: those whose centre lies inside. Indices must be right.
dvStatus dv_mask_of_surface(dvMask *m, const dvMesh *surface, double voxel, int32_t margin, dvMeshError *error);
void dv_mask_free(dvMask *m);
// Takes away voxels with a label, which filling has added.
void dv_mask_take_away(dvMask *m, const dvVoxels *image, int32_t label);
// How many of its voxels have a label in the image, in `counts`, one for each of `labels`.
void dv_mask_count_labels(const dvMask *m, const dvVoxels *image, const int32_t *labels, size_t count, size_t *counts);
// Keeps what another mask of the same image has too, or has not; returns how many voxels went.
size_t dv_mask_keep_common(dvMask *m, const dvMask *other);
size_t dv_mask_keep_other(dvMask *m, const dvMask *other);
// Does it have the voxel around a place?
bool dv_mask_has(const dvMask *m, dvVec3 x);

static inline size_t dv_mask_number(const dvMask *m, int32_t x, int32_t y, int32_t z)
{
  return (size_t)x + (size_t)m->n[0] * ((size_t)y + (size_t)m->n[1] * (size_t)z);
}
static inline size_t dv_mask_voxels(const dvMask *m) { return (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2]; }
static inline double dv_mask_volume(const dvMask *m) { return (double)m->count * m->size[0] * m->size[1] * m->size[2]; }
dvVec3 dv_mask_place(const dvMask *m, dvVec3 local);
dvVec3 dv_mask_direction(const dvMask *m, dvVec3 local);
bool dv_mask_is_mirrored(const dvMask *m);   // its axes are left-handed

// What hangs together over faces or, with `corners`, over edges and corners too. Parts with fewer voxels than
// `least` times those of the largest are emptied. *parts is how many there were, *dropped the voxels that went.
DV_CHECK_RESULT bool dv_mask_keep_parts(dvMask *m, bool corners, double least, size_t *parts, size_t *dropped);
// Fills hollows that are closed on all sides. *filled is how many voxels.
DV_CHECK_RESULT bool dv_mask_fill_hollows(dvMask *m, size_t *filled);
// Divides slices that are at least twice as thick as voxels are wide, so that outlines change evenly from one to the
// next (slices.c). False, and nothing is made, where they are not, where parts would come apart, or when memory is
// short.
DV_CHECK_RESULT bool dv_mask_divide_slices(const dvMask *m, dvMask *out);
// How many loops (handles) it has, as one body that hangs together over corners: parts + hollows - points + edges -
// faces + voxels. -1 when memory is short.
long dv_mask_loops(const dvMask *m);

#endif
