// See image.h.
#include "fluid/field/image.h"

#include <math.h>
#include <string.h>

void dv_image_field_fill(dvImageField *f, double level, int label, bool inside)
{
  float sign = inside ? -1 : 1;
  for (size_t i = 0; i < f->voxels.values.count; i++) {
    double v = f->voxels.values.data[i];
    double to = label ? (v == label ? -0.5 : 0.5) : v - level;
    f->voxels.values.data[i] = sign * (float)(isfinite(to) ? to : 1e30);
  }
}

// Trilinear: the cell between eight voxels and the place in it, from 0 to 1.
static double between(const dvVoxels *v, const int32_t cell[3], const double at[3], double slope[3])
{
  double sum = 0;
  slope[0] = slope[1] = slope[2] = 0;
  for (int c = 0; c < 8; c++) {
    size_t index[3];
    double w[3], d[3];
    for (int k = 0; k < 3; k++) {
      int up = c >> k & 1;
      index[k] = (size_t)(v->n[k] > 1 ? cell[k] + up : 0);
      w[k] = up ? at[k] : 1 - at[k];
      d[k] = up ? 1 : -1;
    }
    double value = v->values.data[index[0] + (size_t)v->n[0] * (index[1] + (size_t)v->n[1] * index[2])];
    sum += value * w[0] * w[1] * w[2];
    for (int k = 0; k < 3; k++) slope[k] += value * d[k] * w[(k + 1) % 3] * w[(k + 2) % 3];
  }
  return sum;
}

double dv_image_field_at(const dvImageField *f, const double x[3], double slope[3])
{
  const dvVoxels *v = &f->voxels;
  double from[3], at[3], beyond[3], inner[3], square = 0;
  int32_t cell[3];
  memset(slope, 0, 3 * sizeof *slope);
  if (!v->values.count) return 1;   // the image could not be read: all is outside
  for (int k = 0; k < 3; k++) from[k] = x[k] - f->shift[k] - f->scale * v->origin[k];
  for (int k = 0; k < 3; k++) {   // in voxels, from the middle of the first
    double size = f->scale * v->size[k];
    double place = (v->turn[k] * from[0] + v->turn[3 + k] * from[1] + v->turn[6 + k] * from[2]) / size - 0.5;
    double inside = fmin(fmax(place, 0), v->n[k] - 1);
    beyond[k] = (place - inside) * size;
    square += beyond[k] * beyond[k];
    cell[k] = (int32_t)fmin(floor(inside), fmax(0, v->n[k] - 2));
    at[k] = inside - cell[k];
  }
  double value = between(v, cell, at, inner), away = sqrt(square), turned[3];
  for (int k = 0; k < 3; k++) {
    inner[k] = beyond[k] == 0 && v->n[k] > 1 ? inner[k] / (f->scale * v->size[k]) : 0;
    if (away > 0 && value < 0) inner[k] = 0;
    if (away > 0) inner[k] += beyond[k] / away;
  }
  for (int k = 0; k < 3; k++)
    turned[k] = v->turn[3 * k] * inner[0] + v->turn[3 * k + 1] * inner[1] + v->turn[3 * k + 2] * inner[2];
  memcpy(slope, turned, sizeof turned);
  return away > 0 ? fmax(value, 0) + away : value;
}
