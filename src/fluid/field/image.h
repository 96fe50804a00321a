// A scalar field between the voxels of an image: what DiscreteGridField is made of.
#ifndef DV_FLUID_FIELD_IMAGE_H
#define DV_FLUID_FIELD_IMAGE_H

#include "io/mesh/voxels.h"

typedef struct dvImageField {
  dvVoxels voxels;   // their values as the field has them: smaller is inside
  double shift[3];   // of the image
  double scale;      // from the lengths of the file to metres
  uint64_t stamp;    // of what it was made of
} dvImageField;

// The value at a place, and its slope. Values are linear between the middles of voxels. Beyond them they are those of
// the border, never below 0, and the distance to it: what is inside ends there.
double dv_image_field_at(const dvImageField *f, const double x[3], double slope[3]);
// Number -> field: `level` less the number; with a label the share of voxels that have it, less a half.
void dv_image_field_fill(dvImageField *f, double level, int label, bool inside);

#endif
