// SphereROI: points and elements in spheres.
//
// Edges and triangles count when all their points are in one sphere and, if an angle is given, when the edge deviates
// from a direction, or the normal of the triangle from a vector, by no more than that.
#include "engine/classes.h"
#include "engine/select/roi.h"

#include "math/vec.h"

#define SPHERE_FIELDS(X)                                                                                             \
  X(vec3s, centers, "", "m", "centres of the spheres", .flags = DV_INPUT)                                            \
  X(reals, radii, "", "m", "radii, one each or one for all", .flags = DV_INPUT)                                      \
  X(vec3, direction, "0 0 0", "", "direction that edges must have, where edgeAngle is positive", .flags = DV_INPUT)  \
  X(vec3, normal, "0 0 0", "", "normal that triangles must have, where triAngle is positive", .flags = DV_INPUT)     \
  X(real, edgeAngle, "0", "degrees", "largest angle between an edge and the direction", .flags = DV_INPUT)           \
  X(real, triAngle, "0", "degrees", "largest angle between a triangle's normal and the one given", .alias = "angle", \
    .flags = DV_INPUT)

typedef struct SphereRoi {
  dvRoi roi;
  SPHERE_FIELDS(DV_MEMBER)
  dvVec3 along, facing;   // direction and normal, of length 1
  double edge_cosine, triangle_cosine;
} SphereRoi;

#define SELF SphereRoi
static const dvFieldDesc sphere_fields[] = {SPHERE_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool sphere_prepare(dvRoi *r)
{
  SphereRoi *s = (SphereRoi *)r;
  size_t n = dv_reals_size(&s->centers);
  double degree = acos(-1.0) / 180;
  if (n && s->radii.count != n && s->radii.count != 1) {
    dv_field_warning(&r->base, &s->radii, "give one radius, or one for each sphere",
                     "there are %zu spheres and %zu radii: nothing is selected", n, s->radii.count);
    return false;
  }
  s->along = dv_vec3_normalise(dv_vec3_load(s->direction));
  s->facing = dv_vec3_normalise(dv_vec3_load(s->normal));
  s->edge_cosine = fabs(cos(s->edgeAngle * degree));
  s->triangle_cosine = cos(s->triAngle * degree);
  return n > 0;
}

static bool in_sphere(const SphereRoi *s, size_t i, const double *p)
{
  double radius = s->radii.data[s->radii.count == 1 ? 0 : i];
  return dv_vec3_norm(dv_vec3_sub(dv_vec3_load(p), dv_vec3_load(s->centers.data + 3 * i))) <= radius;
}

static bool sphere_contains(const dvRoi *r, const double p[3])
{
  const SphereRoi *s = (const SphereRoi *)r;
  for (size_t i = 0; i < dv_reals_size(&s->centers); i++)
    if (in_sphere(s, i, p)) return true;
  return false;
}

static bool is_turned_right(const SphereRoi *s, const double *x, int n)
{
  dvVec3 a = dv_vec3_load(x), b = dv_vec3_load(x + 3);
  if (n == 2 && s->edgeAngle > 0)
    return fabs(dv_vec3_dot(dv_vec3_normalise(dv_vec3_sub(b, a)), s->along)) >= s->edge_cosine;
  if (n != 3 || !(s->triAngle > 0)) return true;
  dvVec3 normal = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(dv_vec3_load(x + 6), a), dv_vec3_sub(b, a)));
  return dv_vec3_dot(normal, s->facing) >= s->triangle_cosine;
}

// edges and triangles: all points in one sphere; quads and tetrahedra: in any
static bool sphere_contains_element(const dvRoi *r, const double *x, int n)
{
  const SphereRoi *s = (const SphereRoi *)r;
  if (n > 3) {
    double centre[3] = {0};
    bool all = true;
    for (int k = 0; k < 3 * n; k++) centre[k % 3] += x[k] / n;
    for (int k = 0; k < n && all; k++) all = sphere_contains(r, x + 3 * k);
    return r->strict ? all : sphere_contains(r, centre);
  }
  for (size_t i = 0; i < dv_reals_size(&s->centers); i++) {
    bool all = true;
    for (int k = 0; k < n && all; k++) all = in_sphere(s, i, x + 3 * k);
    if (all && is_turned_right(s, x, n)) return true;
  }
  return false;
}

static void sphere_describe(const dvRoi *r, const double low[3], const double high[3], dvText *out)
{
  DV_UNUSED(low);
  DV_UNUSED(high);
  dv_roi_describe(r, "the centres are", &((const SphereRoi *)r)->centers, out);
  dv_roi_describe(r, ", the radii", &((const SphereRoi *)r)->radii, out);
}

static const dvRoiShape sphere_shape = {.prepare = sphere_prepare,
                                        .contains = sphere_contains,
                                        .contains_element = sphere_contains_element,
                                        .describe = sphere_describe};
static void sphere_roi_create(dvObject *o) { dv_roi_create(o, &sphere_shape); }

const dvClass dv_sphere_roi_class = {
    .struct_size = sizeof(dvClass),
    .name = "SphereROI",
    .help = "selects points and elements in spheres",
    .module = DV_ROI_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(SphereRoi),
    .blocks = {&dv_object_block, &dv_roi_point_block, &dv_roi_element_block, &dv_roi_more_block,
               DV_BLOCK(sphere_fields)},
    .create = sphere_roi_create,
    .link = dv_roi_link,
    .update = dv_roi_update,
    .fetch = dv_roi_fetch,
    .bwd_init = dv_roi_bwd_init,
    .destroy = dv_roi_destroy,
};
