// See skin.h.
#include "fluid/vessel/skin.h"

#include "math/vec.h"

#include <math.h>

// corners at a, corners at b, the middles
void dv_skin_faces(int32_t *out, size_t tubes, int sides)
{
  for (size_t t = 0; t < tubes; t++) {
    int32_t base = (int32_t)(t * dv_skin_points(sides)), middle = base + 2 * sides;
    for (int i = 0; i < sides; i++) {
      int32_t a = base + i, next = base + (i + 1) % sides, b = a + sides, over = next + sides;
      const int32_t faces[12] = {a, next, b, next, over, b, middle, next, a, middle + 1, b, over};
      for (int k = 0; k < 12; k++) *out++ = faces[k];
    }
  }
}

void dv_skin_tube(double *out, int sides, const double a[3], const double b[3], double radius_a, double radius_b)
{
  dvVec3 from = dv_vec3_load(a), to = dv_vec3_load(b), way = dv_vec3_sub(to, from);
  double length = sqrt(dv_vec3_norm2(way));
  dvVec3 along = length > 0 ? dv_vec3_scale(way, 1 / length) : dv_vec3(0, 0, 1);
  dvVec3 least = fabs(along.x) < 0.6 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0), u = dv_vec3_cross(along, least);
  u = dv_vec3_scale(u, 1 / sqrt(dv_vec3_norm2(u)));
  dvVec3 v = dv_vec3_cross(along, u);
  for (int i = 0; i < sides; i++) {
    double angle = 2 * M_PI * i / sides;
    dvVec3 out_way = dv_vec3_add(dv_vec3_scale(u, cos(angle)), dv_vec3_scale(v, sin(angle)));
    dv_vec3_store(out + 3 * i, dv_vec3_add(from, dv_vec3_scale(out_way, radius_a)));
    dv_vec3_store(out + 3 * (sides + i), dv_vec3_add(to, dv_vec3_scale(out_way, radius_b)));
  }
  dv_vec3_store(out + 6 * sides, from);
  dv_vec3_store(out + 6 * sides + 3, to);
}
