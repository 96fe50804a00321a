// Areas of triangles and volumes of tetrahedra, as scalars.
//
//   A = |N| / 2,  N = (x1 - x0) x (x2 - x0)
//     dA/dx_i = n x e_i / 2, with n = N / |N| and e_i the edge opposite of point i, x_(i+2) - x_(i+1)
//     d2A/dx_i dx_j = [e_i]x^T (1 - n n^T) [e_j]x / (2 |N|) - s_ij [n]x / 2,  s_ij = 1 for j = i + 1, -1 for j = i + 2,
//     0 for j = i
//   V = (x1 - x0) . ((x2 - x0) x (x3 - x0)) / 6, negative for an inverted tetrahedron
//     its gradient at a point is the area vector of the opposite face over 3, and its second derivatives are edges over
//     6
//
// A flat triangle has no normal: no gradient and no curvature there.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/measure.h"
#include "mapping/register.h"
#include "math/vec.h"

#include <string.h>

#define CONTENT_FIELDS(X)                                                                          \
  X(link, topology, "", "", "topology with the elements; the one of the node or above by default", \
    .role = DV_ROLE_TOPOLOGY)

typedef struct Content {
  dvMeasureMapping measure;
  CONTENT_FIELDS(DV_MEMBER)
} Content;

#define SELF Content
static const dvFieldDesc content_fields[] = {CONTENT_FIELDS(DV_DESCRIBE)};
#undef SELF

static void put_block(double *h, int width, int i, int j, dvMat3 block)
{
  for (int k = 0; k < 9; k++) h[(3 * i + k / 3) * width + 3 * j + k % 3] = block.m[k / 3][k % 3];
}

// --- areas ---------------------------------------------------------------------------------------

// edges opposite of the points, the unit normal; the length of N, 0 for a flat triangle
static double area_frame(const double *x, dvVec3 e[3], dvVec3 *n)
{
  dvVec3 p[3] = {dv_vec3_load(x), dv_vec3_load(x + 3), dv_vec3_load(x + 6)};
  for (int i = 0; i < 3; i++) e[i] = dv_vec3_sub(p[(i + 2) % 3], p[(i + 1) % 3]);
  dvVec3 area = dv_vec3_cross(e[2], dv_vec3_neg(e[1]));
  double length = dv_vec3_norm(area);
  *n = length > 0 ? dv_vec3_scale(area, 1 / length) : dv_vec3(0, 0, 0);
  return length;
}

static double area_value(const dvObject *o, size_t element, const double *x, double *g)
{
  DV_UNUSED(o);
  DV_UNUSED(element);
  dvVec3 e[3], n;
  double length = area_frame(x, e, &n);
  for (int i = 0; i < 3; i++) dv_vec3_store(g + 3 * i, dv_vec3_scale(dv_vec3_cross(n, e[i]), 0.5));
  return 0.5 * length;
}

static void area_curvature(const dvObject *o, size_t element, const double *x, double *h)
{
  DV_UNUSED(o);
  DV_UNUSED(element);
  dvVec3 e[3], n;
  double length = area_frame(x, e, &n);
  if (!(length > 0)) return;
  dvMat3 across = dv_mat3_scale(dv_mat3_sub(dv_mat3_identity(), dv_mat3_outer(n, n)), 0.5 / length);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      dvMat3 block = dv_mat3_mul(dv_mat3_t_mul(dv_mat3_skew(e[i]), across), dv_mat3_skew(e[j]));
      if (i != j) block = dv_mat3_add(block, dv_mat3_scale(dv_mat3_skew(n), j == (i + 1) % 3 ? -0.5 : 0.5));
      put_block(h, 9, i, j, block);
    }
}

static const dvMeasure area_measure = {3, area_value, area_curvature, NULL};

// --- volumes -------------------------------------------------------------------------------------

static double volume_value(const dvObject *o, size_t element, const double *x, double *g)
{
  DV_UNUSED(o);
  DV_UNUSED(element);
  dvVec3 p = dv_vec3_load(x), a = dv_vec3_sub(dv_vec3_load(x + 3), p), b = dv_vec3_sub(dv_vec3_load(x + 6), p),
         c = dv_vec3_sub(dv_vec3_load(x + 9), p);
  dvVec3 bc = dv_vec3_scale(dv_vec3_cross(b, c), 1.0 / 6), ca = dv_vec3_scale(dv_vec3_cross(c, a), 1.0 / 6),
         ab = dv_vec3_scale(dv_vec3_cross(a, b), 1.0 / 6);
  dv_vec3_store(g, dv_vec3_neg(dv_vec3_add(dv_vec3_add(bc, ca), ab)));
  dv_vec3_store(g + 3, bc);
  dv_vec3_store(g + 6, ca);
  dv_vec3_store(g + 9, ab);
  return dv_vec3_dot(a, dv_vec3_cross(b, c)) / 6;
}

static void volume_curvature(const dvObject *o, size_t element, const double *x, double *h)
{
  DV_UNUSED(o);
  DV_UNUSED(element);
  // the pair (i, j) turns with the edge between the other two points
  static const int pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};
  for (int k = 0; k < 6; k++) {
    const int *p = pairs[k];
    dvMat3 block =
        dv_mat3_scale(dv_mat3_skew(dv_vec3_sub(dv_vec3_load(x + 3 * p[2]), dv_vec3_load(x + 3 * p[3]))), 1.0 / 6);
    put_block(h, 12, p[0], p[1], block);
    put_block(h, 12, p[1], p[0], dv_mat3_transpose(block));
  }
}

static const dvMeasure volume_measure = {4, volume_value, volume_curvature, NULL};

// --- the components ------------------------------------------------------------------------------

static dvStatus content_init(dvObject *o, const dvMeasure *measure, dvElementKind kind, dvElementKind other,
                             const char *what)
{
  Content *m = (Content *)o;
  dvTopology *t;
  DV_TRY(dv_measure_topology(o, &m->topology, &t));
  const dvInts *elements = dv_topology_elements(t, kind);
  if (elements->count == 0 && !o->following)
    return dv_error(o, NULL, "the topology %s has no %s to measure", t->base.name, dv_element_name(kind));
  if (dv_topology_count(t, other))
    return dv_error(o, "cut them with a topological mapping first", "the topology %s has %s, which %s does not measure",
                    t->base.name, dv_element_name(other), o->cls->name);
  dv_measure_take(&m->measure, elements);
  return dv_measure_settle(o, measure, dv_ints_size(elements), what);
}

static dvStatus area_init(dvObject *o) { return content_init(o, &area_measure, DV_TRIANGLE, DV_QUAD, "triangle"); }
static dvStatus volume_init(dvObject *o)
{
  return content_init(o, &volume_measure, DV_TETRAHEDRON, DV_HEXAHEDRON, "tetrahedron");
}

static void content_follow(dvObject *o, dvElementKind kind, dvElementKind other)
{
  dvTopology *t = NULL;
  if (dv_measure_topology(o, &((Content *)o)->topology, &t) != DV_OK) return;
  if (dv_topology_count(t, other)) dv_mapping_remake(o);   // it says that these are not measured
  else dv_measure_follow(o, t, kind);
}

static void area_topology_changed(dvObject *o) { content_follow(o, DV_TRIANGLE, DV_QUAD); }
static void volume_topology_changed(dvObject *o) { content_follow(o, DV_TETRAHEDRON, DV_HEXAHEDRON); }

static const dvDofPair pairs[] = {{DV_DOF_VEC3, 0, DV_DOF_VEC1}, {0}};

#define CONTENT_CLASS(symbol, name_, help_, init_, changed_)                                        \
  const dvClass symbol = {                                                                          \
      .struct_size = sizeof(dvClass),                                                               \
      .name = name_,                                                                                \
      .help = help_,                                                                                \
      .module = "Sofa.Component.Mapping.NonLinear",                                                 \
      .dofs = DV_DOF_VEC3,                                                                          \
      .dofs_out = DV_DOF_VEC1,                                                                      \
      .pairs = pairs,                                                                               \
      .size = sizeof(Content),                                                                      \
      .blocks = {&dv_object_block, &dv_mapping_block, &dv_measure_block, DV_BLOCK(content_fields)}, \
      .ops = {[DV_ROLE_MAPPING] = &dv_measure_ops},                                                 \
      .link = dv_mapping_link,                                                                      \
      .init = init_,                                                                                \
      .destroy = dv_measure_destroy,                                                                \
      .topology_changed = changed_}

CONTENT_CLASS(dv_area_mapping_class, "AreaMapping", "the area of each triangle of a topology", area_init,
              area_topology_changed);
CONTENT_CLASS(dv_volume_mapping_class, "VolumeMapping", "the volume of each tetrahedron of a topology", volume_init,
              volume_topology_changed);
