// See geometry.h.
#include "topology/geometry.h"

double dv_edge_length(const double *x, const int32_t *e)
{
  return dv_vec3_norm(dv_vec3_sub(dv_point_at(x, e[1]), dv_point_at(x, e[0])));
}

static dvVec3 area_vector(dvVec3 a, dvVec3 b, dvVec3 c)
{
  return dv_vec3_scale(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)), 0.5);
}

dvVec3 dv_triangle_area_vector(const double *x, const int32_t *e)
{
  return area_vector(dv_point_at(x, e[0]), dv_point_at(x, e[1]), dv_point_at(x, e[2]));
}

double dv_triangle_area(const double *x, const int32_t *e) { return dv_vec3_norm(dv_triangle_area_vector(x, e)); }

double dv_quad_area(const double *x, const int32_t *e)
{
  dvVec3 a = dv_point_at(x, e[0]), c = dv_point_at(x, e[2]);
  return dv_vec3_norm(area_vector(a, dv_point_at(x, e[1]), c)) + dv_vec3_norm(area_vector(a, c, dv_point_at(x, e[3])));
}

double dv_tetrahedron_signed_volume(const double *x, const int32_t *e)
{
  dvVec3 p = dv_point_at(x, e[0]);
  dvVec3 a = dv_vec3_sub(dv_point_at(x, e[1]), p), b = dv_vec3_sub(dv_point_at(x, e[2]), p),
         c = dv_vec3_sub(dv_point_at(x, e[3]), p);
  return dv_vec3_dot(dv_vec3_cross(a, b), c) / 6;
}

double dv_tetrahedron_volume(const double *x, const int32_t *e) { return fabs(dv_tetrahedron_signed_volume(x, e)); }

// how other volumes are cut into tetrahedra, all of which have a positive sign in an element that is as it should be
static const int hexahedron_cut[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                         {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
static const int prism_cut[3][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}};
static const int pyramid_cut[2][4] = {{0, 1, 2, 4}, {0, 2, 3, 4}};

static double cut_volume(const double *x, const int32_t *e, const int (*cut)[4], int count, bool with_sign)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    int32_t corner[4] = {e[cut[i][0]], e[cut[i][1]], e[cut[i][2]], e[cut[i][3]]};
    sum += with_sign ? dv_tetrahedron_signed_volume(x, corner) : dv_tetrahedron_volume(x, corner);
  }
  return sum;
}

double dv_hexahedron_volume(const double *x, const int32_t *e) { return cut_volume(x, e, hexahedron_cut, 6, false); }
double dv_prism_volume(const double *x, const int32_t *e) { return cut_volume(x, e, prism_cut, 3, false); }
double dv_pyramid_volume(const double *x, const int32_t *e) { return cut_volume(x, e, pyramid_cut, 2, false); }

double dv_element_signed_volume(dvElementKind kind, const double *x, const int32_t *e)
{
  switch (kind) {
  case DV_TETRAHEDRON:
    return dv_tetrahedron_signed_volume(x, e);
  case DV_HEXAHEDRON:
    return cut_volume(x, e, hexahedron_cut, 6, true);
  case DV_PRISM:
    return dv_prism_volume(x, e);
  case DV_PYRAMID:
    return cut_volume(x, e, pyramid_cut, 2, true);
  default:
    return 0;
  }
}

double dv_element_measure(dvElementKind kind, const double *x, const int32_t *e)
{
  switch (kind) {
  case DV_EDGE:
    return dv_edge_length(x, e);
  case DV_TRIANGLE:
    return dv_triangle_area(x, e);
  case DV_QUAD:
    return dv_quad_area(x, e);
  case DV_TETRAHEDRON:
    return dv_tetrahedron_volume(x, e);
  case DV_HEXAHEDRON:
    return dv_hexahedron_volume(x, e);
  case DV_PRISM:
    return dv_prism_volume(x, e);
  case DV_PYRAMID:
    return dv_pyramid_volume(x, e);
  default:
    return 0;
  }
}

dvVec3 dv_element_centre(dvElementKind kind, const double *x, const int32_t *e)
{
  int n = dv_element_points(kind);
  dvVec3 sum = {0, 0, 0};
  for (int i = 0; i < n; i++) sum = dv_vec3_add(sum, dv_point_at(x, e[i]));
  return dv_vec3_scale(sum, 1.0 / n);
}
