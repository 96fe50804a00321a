// See surface.h.
#include "topology/search/surface.h"

// --- single elements -----------------------------------------------------------------------------

dvVec3 dv_element_normal(dvElementKind kind, const double *x, const int32_t *e)
{
  if (kind == DV_TRIANGLE) return dv_vec3_normalise(dv_triangle_area_vector(x, e));
  if (kind != DV_QUAD) return dv_vec3(0, 0, 0);
  // the diagonals of a quad span twice its area vector
  dvVec3 a = dv_vec3_sub(dv_point_at(x, e[2]), dv_point_at(x, e[0])),
         b = dv_vec3_sub(dv_point_at(x, e[3]), dv_point_at(x, e[1]));
  return dv_vec3_normalise(dv_vec3_cross(a, b));
}

double dv_triangle_roundness(dvVec3 a, dvVec3 b, dvVec3 c)
{
  dvVec3 u = dv_vec3_sub(b, a), v = dv_vec3_sub(c, a), w = dv_vec3_sub(c, b);
  double sides = dv_vec3_norm2(u) + dv_vec3_norm2(v) + dv_vec3_norm2(w);
  return sides > 0 ? 2 * sqrt(3) * dv_vec3_norm(dv_vec3_cross(u, v)) / sides : 0;
}

static bool edge_coordinates(const double *x, const int32_t *e, dvVec3 p, double *w)
{
  dvVec3 a = dv_point_at(x, e[0]), along = dv_vec3_sub(dv_point_at(x, e[1]), a);
  double length2 = dv_vec3_norm2(along);
  if (!(length2 > 0)) return false;
  w[1] = dv_vec3_dot(dv_vec3_sub(p, a), along) / length2;
  w[0] = 1 - w[1];
  return true;
}

static bool triangle_coordinates(const double *x, const int32_t *e, dvVec3 p, double *w)
{
  dvVec3 a = dv_point_at(x, e[0]), u = dv_vec3_sub(dv_point_at(x, e[1]), a), v = dv_vec3_sub(dv_point_at(x, e[2]), a),
         q = dv_vec3_sub(p, a);
  dvVec3 n = dv_vec3_cross(u, v);
  double n2 = dv_vec3_norm2(n);
  if (!(n2 > 0)) return false;
  w[1] = dv_vec3_dot(dv_vec3_cross(q, v), n) / n2;
  w[2] = dv_vec3_dot(dv_vec3_cross(u, q), n) / n2;
  w[0] = 1 - w[1] - w[2];
  return true;
}

static bool tetrahedron_coordinates(const double *x, const int32_t *e, dvVec3 p, double *w)
{
  dvVec3 a = dv_point_at(x, e[0]);
  dvMat3 m = dv_mat3_from_columns(dv_vec3_sub(dv_point_at(x, e[1]), a), dv_vec3_sub(dv_point_at(x, e[2]), a),
                                  dv_vec3_sub(dv_point_at(x, e[3]), a)),
         inverse;
  if (!dv_mat3_inverse(m, &inverse)) return false;
  dvVec3 s = dv_mat3_mul_vec(inverse, dv_vec3_sub(p, a));
  w[1] = s.x, w[2] = s.y, w[3] = s.z;
  w[0] = 1 - s.x - s.y - s.z;
  return true;
}

// weights of the eight points at s, and their derivatives
static void trilinear(const double s[3], double w[8], double dw[8][3])
{
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (int i = 0; i < 8; i++) {
    double f[3], d[3];
    for (int k = 0; k < 3; k++) f[k] = corner[i][k] ? s[k] : 1 - s[k], d[k] = corner[i][k] ? 1 : -1;
    w[i] = f[0] * f[1] * f[2];
    dw[i][0] = d[0] * f[1] * f[2], dw[i][1] = f[0] * d[1] * f[2], dw[i][2] = f[0] * f[1] * d[2];
  }
}

static bool hexahedron_coordinates(const double *x, const int32_t *e, dvVec3 p, double *w)
{
  enum { STEPS = 30 };
  double s[3] = {0.5, 0.5, 0.5}, dw[8][3];
  for (int step = 0; step < STEPS; step++) {
    trilinear(s, w, dw);
    dvVec3 gap = p;
    dvMat3 j = {{{0}}}, inverse;
    for (int i = 0; i < 8; i++) {
      dvVec3 corner = dv_point_at(x, e[i]);
      gap = dv_vec3_add_scaled(gap, corner, -w[i]);
      const double c[3] = {corner.x, corner.y, corner.z};
      for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) j.m[r][k] += c[r] * dw[i][k];
    }
    if (!dv_mat3_inverse(j, &inverse)) return false;
    dvVec3 d = dv_mat3_mul_vec(inverse, gap);
    s[0] += d.x, s[1] += d.y, s[2] += d.z;
    if (dv_vec3_norm2(d) < 1e-28) {
      trilinear(s, w, dw);
      return true;
    }
  }
  return false;
}

bool dv_element_coordinates(dvElementKind kind, const double *x, const int32_t *e, dvVec3 p, double *weights)
{
  switch (kind) {
  case DV_EDGE:
    return edge_coordinates(x, e, p, weights);
  case DV_TRIANGLE:
    return triangle_coordinates(x, e, p, weights);
  case DV_TETRAHEDRON:
    return tetrahedron_coordinates(x, e, p, weights);
  case DV_HEXAHEDRON:
    return hexahedron_coordinates(x, e, p, weights);
  default:
    return false;
  }
}

// --- nearest points ------------------------------------------------------------------------------

static double clamp(double v) { return v < 0 ? 0 : v > 1 ? 1 : v; }

dvVec3 dv_nearest_on_segment(dvVec3 a, dvVec3 b, dvVec3 p, double weights[2])
{
  dvVec3 along = dv_vec3_sub(b, a);
  double length2 = dv_vec3_norm2(along), at = length2 > 0 ? clamp(dv_vec3_dot(dv_vec3_sub(p, a), along) / length2) : 0;
  if (weights) weights[0] = 1 - at, weights[1] = at;
  return dv_vec3_add_scaled(a, along, at);
}

dvVec3 dv_nearest_on_triangle(const double *x, const int32_t *e, dvVec3 p, double weights[3])
{
  double inside[3];
  dvVec3 corner[3] = {dv_point_at(x, e[0]), dv_point_at(x, e[1]), dv_point_at(x, e[2])}, best = corner[0];
  if (triangle_coordinates(x, e, p, inside) && inside[0] >= 0 && inside[1] >= 0 && inside[2] >= 0) {
    if (weights) memcpy(weights, inside, sizeof inside);
    dvVec3 sum = dv_vec3_scale(corner[0], inside[0]);
    return dv_vec3_add_scaled(dv_vec3_add_scaled(sum, corner[1], inside[1]), corner[2], inside[2]);
  }
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    double w[2];
    dvVec3 q = dv_nearest_on_segment(corner[i], corner[(i + 1) % 3], p, w);
    double distance2 = dv_vec3_norm2(dv_vec3_sub(p, q));
    if (!(distance2 < least)) continue;
    least = distance2;
    best = q;
    if (weights) weights[i] = w[0], weights[(i + 1) % 3] = w[1], weights[(i + 2) % 3] = 0;
  }
  return best;
}

double dv_segments_distance(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 d, double *s, double *t)
{
  dvVec3 u = dv_vec3_sub(b, a), v = dv_vec3_sub(d, c), r = dv_vec3_sub(a, c);
  double uu = dv_vec3_norm2(u), vv = dv_vec3_norm2(v), uv = dv_vec3_dot(u, v), ur = dv_vec3_dot(u, r),
         vr = dv_vec3_dot(v, r);
  double det = uu * vv - uv * uv, p = det > 1e-14 * uu * vv ? clamp((uv * vr - vv * ur) / det) : 0;
  // the best place on the second for that on the first, and back
  double q = vv > 0 ? clamp((vr + p * uv) / vv) : 0;
  p = uu > 0 ? clamp((q * uv - ur) / uu) : 0;
  q = vv > 0 ? clamp((vr + p * uv) / vv) : 0;
  *s = p, *t = q;
  return dv_vec3_norm(dv_vec3_sub(dv_vec3_add_scaled(a, u, p), dv_vec3_add_scaled(c, v, q)));
}

// --- lines ---------------------------------------------------------------------------------------

// T. Möller, B. Trumbore, Fast, minimum storage ray/triangle intersection, 1997
bool dv_line_meets_triangle(const double *x, const int32_t *e, dvVec3 from, dvVec3 to, dvLineHit *hit)
{
  dvVec3 a = dv_point_at(x, e[0]), u = dv_vec3_sub(dv_point_at(x, e[1]), a), v = dv_vec3_sub(dv_point_at(x, e[2]), a),
         along = dv_vec3_sub(to, from);
  dvVec3 h = dv_vec3_cross(along, v), r = dv_vec3_sub(from, a);
  double det = dv_vec3_dot(u, h);
  if (det * det <= 1e-24 * dv_vec3_norm2(u) * dv_vec3_norm2(v) * dv_vec3_norm2(along)) return false;
  double w1 = dv_vec3_dot(r, h) / det;
  if (!(w1 >= 0 && w1 <= 1)) return false;
  dvVec3 q = dv_vec3_cross(r, u);
  double w2 = dv_vec3_dot(along, q) / det;
  if (!(w2 >= 0 && w1 + w2 <= 1)) return false;
  *hit = (dvLineHit){.at = dv_vec3_dot(v, q) / det, .weights = {1 - w1 - w2, w1, w2}};
  return true;
}

static void keep_hit(dvLineHit *hits, size_t *count, size_t limit, dvLineHit hit)
{
  size_t held = dv_min_size(*count, limit), at = held;
  (*count)++;
  while (at > 0 && hits[at - 1].at > hit.at) at--;
  if (at >= limit) return;
  size_t last = held < limit ? held : limit - 1;
  memmove(hits + at + 1, hits + at, (last - at) * sizeof *hits);
  hits[at] = hit;
}

size_t dv_topology_cast(dvTopology *t, const double *x, dvVec3 from, dvVec3 to, bool segment, dvLineHit *hits,
                        size_t limit)
{
  static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
  const dvInts *triangles = dv_topology_elements(t, DV_TRIANGLE), *quads = dv_topology_elements(t, DV_QUAD);
  size_t count = 0, n = dv_ints_size(triangles), m = dv_ints_size(quads);
  dvLineHit hit;
  for (size_t i = 0; i < n; i++) {
    if (!dv_line_meets_triangle(x, triangles->data + 3 * i, from, to, &hit) || hit.at < 0 || (segment && hit.at > 1))
      continue;
    hit.element = i;
    keep_hit(hits, &count, limit, hit);
  }
  for (size_t i = 0; i < 2 * m; i++) {
    const int32_t *q = quads->data + 4 * (i / 2);
    const int32_t half[3] = {q[halves[i % 2][0]], q[halves[i % 2][1]], q[halves[i % 2][2]]};
    if (!dv_line_meets_triangle(x, half, from, to, &hit) || hit.at < 0 || (segment && hit.at > 1)) continue;
    if (i % 2 && hit.weights[2] == 0) continue;   // on the diagonal, where the first half has it
    hit.element = n + i / 2;
    keep_hit(hits, &count, limit, hit);
  }
  return count;
}

// --- whole meshes --------------------------------------------------------------------------------

double dv_topology_measure(dvTopology *t, dvElementKind kind, const double *x)
{
  const dvInts *list = dv_topology_elements(t, kind);
  double sum = 0;
  for (size_t i = 0; i < list->count; i += (size_t)list->width) sum += dv_element_measure(kind, x, list->data + i);
  return sum;
}

bool dv_topology_centre(dvTopology *t, dvElementKind kind, const double *x, dvVec3 *out)
{
  const dvInts *list = dv_topology_elements(t, kind);
  dvVec3 sum = {0, 0, 0};
  double size = 0;
  for (size_t i = 0; i < list->count; i += (size_t)list->width) {
    double own = dv_element_measure(kind, x, list->data + i);
    sum = dv_vec3_add_scaled(sum, dv_element_centre(kind, x, list->data + i), own);
    size += own;
  }
  if (size > 0) *out = dv_vec3_scale(sum, 1 / size);
  return size > 0;
}

double dv_topology_enclosed_volume(dvTopology *t, const double *x)
{
  const dvInts *triangles = dv_topology_elements(t, DV_TRIANGLE), *quads = dv_topology_elements(t, DV_QUAD);
  double sum = 0;
  for (size_t i = 0; i < triangles->count; i += 3)
    sum += dv_vec3_dot(dv_point_at(x, triangles->data[i]), dv_triangle_area_vector(x, triangles->data + i)) / 3;
  for (size_t i = 0; i < quads->count; i += 4) {
    const int32_t *q = quads->data + i, second[3] = {q[0], q[2], q[3]};
    sum += dv_vec3_dot(dv_point_at(x, q[0]),
                       dv_vec3_add(dv_triangle_area_vector(x, q), dv_triangle_area_vector(x, second))) /
           3;
  }
  return sum;
}

// the angle at corner `at` of a face of n corners
static double angle_at(const double *x, const int32_t *face, int n, int at)
{
  dvVec3 p = dv_point_at(x, face[at]), a = dv_vec3_sub(dv_point_at(x, face[(at + 1) % n]), p),
         b = dv_vec3_sub(dv_point_at(x, face[(at + n - 1) % n]), p);
  return atan2(dv_vec3_norm(dv_vec3_cross(a, b)), dv_vec3_dot(a, b));
}

void dv_topology_normals(dvTopology *t, const double *x, double *out)
{
  size_t points = dv_topology_point_count(t);
  memset(out, 0, 3 * points * sizeof *out);
  for (dvElementKind kind = DV_TRIANGLE; kind <= DV_QUAD; kind++) {
    const dvInts *list = dv_topology_elements(t, kind);
    for (size_t i = 0; i < list->count; i += (size_t)list->width) {
      const int32_t *face = list->data + i;
      dvVec3 normal = dv_element_normal(kind, x, face);
      for (int k = 0; k < list->width; k++)
        dv_vec3_accumulate(out + 3 * (size_t)face[k], dv_vec3_scale(normal, angle_at(x, face, list->width, k)));
    }
  }
  for (size_t p = 0; p < points; p++) dv_vec3_store(out + 3 * p, dv_vec3_normalise(dv_vec3_load(out + 3 * p)));
}

// --- curvature -----------------------------------------------------------------------------------

// what is summed up around each point
typedef struct Around {
  dvVec3 laplacian;   // of the positions, times the area
  double angle, area;
} Around;

// Adds what a triangle gives to its corners. The area is Voronoi's where the angles are acute, else half or a quarter
// of the triangle's.
static void add_triangle(const double *x, const int32_t *e, Around *around)
{
  double angle[3], cotangent[3], area = dv_triangle_area(x, e);
  if (!(area > 0)) return;
  bool obtuse = false;
  for (int k = 0; k < 3; k++) {
    angle[k] = angle_at(x, e, 3, k);
    cotangent[k] = 1 / tan(angle[k]);
    obtuse = obtuse || angle[k] > M_PI / 2;
  }
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3, last = (k + 2) % 3;
    dvVec3 to_next = dv_vec3_sub(dv_point_at(x, e[next]), dv_point_at(x, e[k])),
           to_last = dv_vec3_sub(dv_point_at(x, e[last]), dv_point_at(x, e[k]));
    Around *a = &around[e[k]];
    a->angle += angle[k];
    a->laplacian = dv_vec3_add_scaled(a->laplacian, to_next, 0.5 * cotangent[last]);
    a->laplacian = dv_vec3_add_scaled(a->laplacian, to_last, 0.5 * cotangent[next]);
    if (!obtuse) a->area += (cotangent[last] * dv_vec3_norm2(to_next) + cotangent[next] * dv_vec3_norm2(to_last)) / 8;
    else a->area += angle[k] > M_PI / 2 ? area / 2 : area / 4;
  }
}

// which points lie on an edge with one triangle only
static bool mark_border(dvTopology *t, bool *border)
{
  const dvInts *edges = dv_topology_elements(t, DV_EDGE);
  const dvIncidence *around = dv_topology_around(t, DV_EDGE, DV_TRIANGLE);
  if (!around) return false;
  for (size_t e = 0; e < around->count; e++)
    if (around->offsets[e + 1] - around->offsets[e] == 1)
      border[edges->data[2 * e]] = border[edges->data[2 * e + 1]] = true;
  return true;
}

bool dv_topology_curvature(dvTopology *t, const double *x, double *mean, double *gaussian)
{
  size_t points = dv_topology_point_count(t);
  const dvInts *triangles = dv_topology_elements(t, DV_TRIANGLE);
  Around *around = dv_try_alloc((points + 1) * sizeof *around);
  double *normals = dv_try_alloc((3 * points + 1) * sizeof *normals);
  bool *border = dv_try_alloc(points + 1), good = around && normals && border && mark_border(t, border);
  if (good) {
    for (size_t i = 0; i < triangles->count; i += 3) add_triangle(x, triangles->data + i, around);
    dv_topology_normals(t, x, normals);
  }
  for (size_t p = 0; p < points && good; p++) {
    const Around *a = &around[p];
    bool known = a->area > 0 && !border[p];
    double side = dv_vec3_dot(a->laplacian, dv_vec3_load(normals + 3 * p));
    if (mean) mean[p] = known ? (side > 0 ? -1 : 1) * dv_vec3_norm(a->laplacian) / (2 * a->area) : 0;
    if (gaussian) gaussian[p] = known ? (2 * M_PI - a->angle) / a->area : 0;
  }
  dv_free(around);
  dv_free(normals);
  dv_free(border);
  return good;
}
