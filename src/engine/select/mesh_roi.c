// MeshROI: points and elements inside a closed surface.
//
// A point is inside when a ray from it meets the surface an odd number of times. The ray goes to a point 100 beyond the
// nearer of two opposite corners of the surface's bounding box, as in SOFA, so that points on edges are decided alike.
#include "engine/classes.h"
#include "engine/engine.h"
#include "engine/select/roi.h"

#include "math/vec.h"
#include "topology/search/rays.h"

#define MESH_ROI_FIELDS(X)                                                                                          \
  X(coords, ROIposition, "", "m",                                                                                   \
    "points of the surface; without, the rest positions of the state in the node, else of a loader in the node",    \
    .flags = DV_INPUT)                                                                                              \
  X(edges, ROIedges, "", "", "edges of the surface, to be drawn", .flags = DV_INPUT)                                \
  X(triangles, ROItriangles, "", "", "triangles of the surface; those of the topology in the node when not given",  \
    .flags = DV_INPUT)                                                                                              \
  X(bool, computeMeshROI, "1", "", "select what is inside of the surface; else what is inside of its bounding box", \
    .flags = DV_INPUT)                                                                                              \
  X(vec6, box, "0 0 0 0 0 0", "m", "bounding box of the surface: smallest and largest coordinates",                 \
    .flags = DV_OUTPUT)                                                                                             \
  X(bool, drawOut, "0", "", "draw what is outside", .flags = DV_LOOKS)                                              \
  X(bool, drawBox, "0", "", "draw the bounding box", .flags = DV_LOOKS)

typedef struct MeshRoi {
  dvRoi roi;
  MESH_ROI_FIELDS(DV_MEMBER)
  dvRayMesh surface;
  dvReals points;   // of the surface, three numbers each
  dvHits *scratch;
} MeshRoi;

#define SELF MeshRoi
static const dvFieldDesc mesh_roi_fields[] = {MESH_ROI_FIELDS(DV_DESCRIBE)};
#undef SELF

static void mesh_roi_destroy(dvObject *o)
{
  MeshRoi *m = (MeshRoi *)o;
  dv_ray_mesh_fini(&m->surface);
  dv_reals_free(&m->points);
  if (m->scratch) dv_array_free(m->scratch);
  dv_free(m->scratch);
  dv_roi_destroy(o);
}

static dvStatus mesh_roi_link(dvObject *o)
{
  MeshRoi *m = (MeshRoi *)o;
  dvObject *state = dv_node_state(o->node), *loader = dv_node_find(o->node, DV_ROLE_LOADER),
           *topology = dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  dv_engine_follow(o, &m->ROIposition, state ? state : loader, state ? "rest_position" : "position");
  dv_engine_follow(o, &m->ROIedges, topology, "edges");
  dv_engine_follow(o, &m->ROItriangles, topology, "triangles");
  return dv_roi_link(o);
}

static bool take_points(MeshRoi *m)
{
  size_t n = dv_reals_size(&m->ROIposition), width = (size_t)m->roi.base.dof->coord;
  if (!dv_reals_resize(&m->points, 3 * n)) return false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++) {
      double x = m->points.data[3 * i + k] = m->ROIposition.data[i * width + k];
      m->box[k] = i ? dv_min(m->box[k], x) : x;
      m->box[k + 3] = i ? dv_max(m->box[k + 3], x) : x;
    }
  return true;
}

static bool mesh_prepare(dvRoi *r)
{
  MeshRoi *m = (MeshRoi *)r;
  dvObject *o = &r->base;
  size_t n = dv_reals_size(&m->ROIposition), triangles = dv_ints_size(&m->ROItriangles);
  dv_ray_mesh_fini(&m->surface);
  if (n == 0 || (m->computeMeshROI && triangles == 0)) {
    dv_warning(o, "give ROIposition and ROItriangles, or put a loader and a topology into the node",
               "%s has no surface: nothing is selected", o->name);
    return false;
  }
  if (dv_engine_check(o, &m->ROItriangles, n, "points in ROIposition") != DV_OK || !take_points(m)) return false;
  dv_engine_warn_open(o, &m->ROItriangles, NULL);
  if (!m->scratch) m->scratch = dv_alloc(sizeof *m->scratch);
  return dv_ray_mesh_init(&m->surface, m->points.data, m->ROItriangles.data, triangles);
}

// on the same side of an edge as the triangle
static bool left_of(dvVec3 a, dvVec3 b, dvVec3 p, dvVec3 normal)
{
  return dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(p, a)), normal) >= 0;
}

static bool ray_meets(const MeshRoi *m, const int32_t *e, dvVec3 p, dvVec3 direction)
{
  dvVec3 a = dv_vec3_load(m->points.data + 3 * (size_t)e[0]), b = dv_vec3_load(m->points.data + 3 * (size_t)e[1]),
         c = dv_vec3_load(m->points.data + 3 * (size_t)e[2]),
         normal = dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, b));
  double slope = dv_vec3_dot(normal, direction);
  if (slope == 0) return false;
  double t = dv_vec3_dot(normal, dv_vec3_sub(a, p)) / slope;
  dvVec3 at = dv_vec3_add_scaled(p, direction, t);
  return t >= 0 && left_of(a, b, at, normal) && left_of(b, c, at, normal) && left_of(c, a, at, normal);
}

static bool mesh_contains(const dvRoi *r, const double p[3])
{
  const MeshRoi *m = (const MeshRoi *)r;
  double near_low = 0, near_high = 0, direction[3];
  for (int k = 0; k < 3; k++) {
    if (!(p[k] >= m->box[k] && p[k] <= m->box[k + 3])) return false;
    near_low += (m->box[k] - p[k]) * (m->box[k] - p[k]);
    near_high += (m->box[k + 3] - p[k]) * (m->box[k + 3] - p[k]);
  }
  if (!m->computeMeshROI) return true;
  for (int k = 0; k < 3; k++) direction[k] = (near_low < near_high ? m->box[k] - 100 : m->box[k + 3] + 100) - p[k];
  dv_box_tree_ray(&m->surface.tree, p, direction, m->scratch);
  int through = 0;
  for (size_t i = 0; i < m->scratch->count; i++)
    through +=
        ray_meets(m, m->surface.triangles + 3 * (size_t)m->scratch->data[i], dv_vec3_load(p), dv_vec3_load(direction));
  return through % 2 == 1;
}

static void mesh_describe(const dvRoi *r, const double low[3], const double high[3], dvText *out)
{
  DV_UNUSED(low);
  DV_UNUSED(high);
  dv_roi_describe(r, "the bounding box of the surface is", ((const MeshRoi *)r)->box, out);
}

static const dvRoiShape mesh_shape = {.prepare = mesh_prepare,
                                      .contains = mesh_contains,
                                      .describe = mesh_describe,
                                      .serial = true,
                                      .all_or_centre = true};
static void mesh_roi_create(dvObject *o) { dv_roi_create(o, &mesh_shape); }

const dvClass dv_mesh_roi_class = {
    .struct_size = sizeof(dvClass),
    .name = "MeshROI",
    .help = "selects points and elements inside a closed surface",
    .module = DV_ROI_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_VEC6 | DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(MeshRoi),
    .blocks = {&dv_object_block, &dv_roi_point_block, &dv_roi_element_block, &dv_roi_more_block,
               DV_BLOCK(mesh_roi_fields)},
    .create = mesh_roi_create,
    .link = mesh_roi_link,
    .update = dv_roi_update,
    .fetch = dv_roi_fetch,
    .bwd_init = dv_roi_bwd_init,
    .destroy = mesh_roi_destroy,
};
