// OBBCollisionModel, CapsuleCollisionModel, CylinderCollisionModel, RayCollisionModel: solids at the frames of a state,
// or along the edges of its mesh, and rays from its points.
//
// Sizes are lists with one entry for each solid; what they do not give is the default. A capsule is all that lies
// within its radius around a line, of `heights` along y of its frame or an edge of the mesh.
#include "collision/intersection/primitives.h"
#include "collision/model.h"
#include "collision/register.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

#define BRICK_FIELDS(X)                                                              \
  X(vec3s, extents, "", "m", "half lengths of each box along the axes of its frame") \
  X(real, defaultExtent, "1", "m", "half lengths of boxes that extents gives none", .least = "0")
#define ROUND_FIELDS(X)                                                       \
  X(reals, heights, "", "m", "length of each capsule on a frame or cylinder") \
  X(real, defaultRadius, "0.5", "m", "radius of those that the list gives none", .least = "0")
#define CAPSULE_FIELDS(X)                                                                                \
  X(reals, listCapsuleRadii, "", "m", "radius of each capsule", .alias = "radii")                        \
  X(real, dafaultHeight, "2", "m", "length of capsules on frames that heights gives none", .least = "0", \
    .alias = "defaultHeight")                                                                            \
  X(link, topology, "", "", "mesh whose edges are capsules; that of the node or above by default",       \
    .role = DV_ROLE_TOPOLOGY)
#define CYLINDER_FIELDS(X)                                                                      \
  X(reals, radii, "", "m", "radius of each cylinder")                                           \
  X(real, defaultHeight, "2", "m", "length of cylinders that heights gives none", .least = "0") \
  X(vec3, defaultLocalAxis, "0 1 0", "", "axis of the cylinders in their frames")
#define RAY_FIELDS(X)                                                  \
  X(real, defaultLength, "1", "m", "length of the rays", .least = "0") \
  X(vec3s, direction, "", "", "direction of each ray; those without one hit nothing")

typedef struct SolidModel {
  dvCollisionModel base;
  BRICK_FIELDS(DV_MEMBER)
  ROUND_FIELDS(DV_MEMBER)
  CAPSULE_FIELDS(DV_MEMBER)
  CYLINDER_FIELDS(DV_MEMBER)
  RAY_FIELDS(DV_MEMBER)
  dvReals own;   // lengths of rays, axes of cylinders
} SolidModel;

#define SELF SolidModel
static const dvFieldDesc brick_fields[] = {BRICK_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc capsule_fields[] = {ROUND_FIELDS(DV_DESCRIBE) CAPSULE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc cylinder_fields[] = {ROUND_FIELDS(DV_DESCRIBE) CYLINDER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc ray_fields[] = {RAY_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- sizes ---------------------------------------------------------------------------------------

// entries for `count` solids of `width` numbers each
static void fill_up(dvReals *list, size_t count, size_t width, const double *value)
{
  size_t given = list->count;
  if (given >= count * width) return;
  DV_MUST(dv_reals_resize(list, count * width));
  for (size_t i = given; i < count * width; i++) list->data[i] = value[i % width];
}

// the state may have got more frames since
static void solid_follow(SolidModel *s)
{
  size_t n = dv_collision_model_count(&s->base.base);
  const double sides[3] = {s->defaultExtent, s->defaultExtent, s->defaultExtent}, nowhere[3] = {0, 0, 0};
  switch (s->base.shape) {
  case DV_SHAPE_BRICK:
    fill_up(&s->extents, n, 3, sides);
    return;
  case DV_SHAPE_CAPSULE:
    fill_up(&s->listCapsuleRadii, n, 1, &s->defaultRadius);
    if (!s->base.elements.width) fill_up(&s->heights, n, 1, &s->dafaultHeight);
    return;
  case DV_SHAPE_CYLINDER:
    fill_up(&s->radii, n, 1, &s->defaultRadius);
    fill_up(&s->heights, n, 1, &s->defaultHeight);
    fill_up(&s->own, n, 3, s->defaultLocalAxis);
    return;
  default:
    fill_up(&s->direction, n, 3, nowhere);
    fill_up(&s->own, n, 1, &s->defaultLength);
  }
}

static void new_size(dvReals *list, size_t row, size_t width, const double *value)
{
  if ((row + 1) * width > list->count) return;
  memcpy(dv_reals_edit(list) + row * width, value, width * sizeof *value);
}

// solids that descend from none have the sizes of those without any
static void solid_created(void *user, const dvNewElement *e)
{
  SolidModel *s = user;
  const double sides[3] = {s->defaultExtent, s->defaultExtent, s->defaultExtent}, nowhere[3] = {0, 0, 0};
  bool capsule = s->base.shape == DV_SHAPE_CAPSULE, cylinder = s->base.shape == DV_SHAPE_CYLINDER;
  if (e->ancestor_count) return;
  new_size(&s->extents, e->row, 3, sides);
  new_size(&s->listCapsuleRadii, e->row, 1, &s->defaultRadius);
  new_size(&s->radii, e->row, 1, &s->defaultRadius);
  new_size(&s->heights, e->row, 1, capsule ? &s->dafaultHeight : &s->defaultHeight);
  new_size(&s->direction, e->row, 3, nowhere);
  new_size(&s->own, e->row, cylinder ? 3 : 1, cylinder ? s->defaultLocalAxis : &s->defaultLength);
}

// sizes move with the frames, points or edges that they belong to; nothing happens where `d` is NULL
static dvStatus follow_sizes(SolidModel *s, dvElementData *d)
{
  dvReals *const lists[] = {&s->extents, &s->listCapsuleRadii, &s->radii, &s->heights, &s->direction};
  if (!d) return DV_OK;
  d->create = solid_created;
  for (size_t i = 0; i < DV_COUNT(lists); i++)
    if (lists[i]->count) DV_TRY(dv_element_data_add_reals(d, lists[i], true));
  size_t width = s->base.shape == DV_SHAPE_CYLINDER ? 3 : 1;
  return s->own.count ? dv_element_data_add_groups(d, &s->own, width, true) : DV_OK;
}

static dvStatus check_size(dvObject *o, const void *field, const double *values, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!isfinite(values[i]) || values[i] < 0)
      return dv_field_error(o, field, "give sizes of zero or more", "a size of %g is not possible (entry %zu)",
                            values[i], i);
  return DV_OK;
}

static void solid_handle_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_COLLISION_BEGIN) solid_follow((SolidModel *)o);
}

static void solid_destroy(dvObject *o)
{
  dv_reals_free(&((SolidModel *)o)->own);
  dv_collision_model_destroy(o);
}

// each pair of one model once
static bool solid_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  return m != other || i < j;
}

// --- boxes around them ---------------------------------------------------------------------------

static void brick_boxes(const dvCollisionModel *m, double margin, dvBox *out)
{
  size_t count = dv_collision_model_count(&m->base);
  for (size_t i = 0; i < count; i++) {
    const double *x = m->x + i * m->stride, *half = m->lengths->data + 3 * i;
    dvMat3 r = dv_quat_to_matrix(dv_quat_load(x + 3));
    for (int k = 0; k < 3; k++) {
      double reach = margin;
      for (int n = 0; n < 3; n++) reach += fabs(r.m[k][n]) * half[n];
      out[i].low[k] = x[k] - reach, out[i].high[k] = x[k] + reach;
    }
  }
}

// of lines with a radius; those of cylinders are a little large
static void line_boxes(const dvCollisionModel *m, double margin, dvBox *out)
{
  size_t count = dv_collision_model_count(&m->base);
  for (size_t i = 0; i < count; i++) {
    dvVec3 end[2];
    double a[3], b[3], r = margin + (m->radii ? m->radii->data[i] : 0);
    dv_ends(m, (int32_t)i, end);
    dv_vec3_store(a, end[0]);
    dv_vec3_store(b, end[1]);
    for (int k = 0; k < 3; k++) out[i].low[k] = dv_min(a[k], b[k]) - r, out[i].high[k] = dv_max(a[k], b[k]) + r;
  }
}

// --- boxes of any orientation --------------------------------------------------------------------

static dvStatus brick_init(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  DV_TRY(dv_collision_model_init(o));
  DV_TRY(check_size(o, &s->extents, s->extents.data, s->extents.count));
  DV_TRY(check_size(o, &s->defaultExtent, &s->defaultExtent, 1));
  s->base.primitives = "boxes";
  s->base.lengths = &s->extents;
  return DV_OK;
}

static dvStatus solid_bwd_init(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  solid_follow(s);
  return follow_sizes(s, dv_follow_rows(o, s->base.state));
}

// sizes have moved with what they belong to
static void solid_topology_changed(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  dv_cube_tree_clear(&s->base.tree);
  s->base.boxes.count = 0;
  solid_follow(s);
}

static const dvCollisionModelOps brick_ops = {DV_SHAPE_BRICK, brick_boxes, solid_may_touch};

// --- capsules ------------------------------------------------------------------------------------

static dvStatus take_edges(SolidModel *s)
{
  dvObject *o = &s->base.base;
  const dvInts *edges = dv_topology_elements(dv_topology(s->topology.target), DV_EDGE);
  if (!dv_ints_assign(&s->base.elements, edges->data, edges->count))
    return dv_error(o, NULL, "out of memory for its capsules");
  for (size_t i = 0; i < edges->count; i++)
    if (edges->data[i] < 0 || (size_t)edges->data[i] >= s->base.state->count) {
      s->base.elements.count = 0;
      return dv_error(o, "put a MechanicalObject with the points of the mesh into the node",
                      "edge %zu names point %d, but the state %s has %zu points", i / 2, edges->data[i],
                      s->base.state->base.name, s->base.state->count);
    }
  solid_topology_changed(o);
  return DV_OK;
}

static dvStatus capsule_init(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  DV_TRY(dv_collision_model_init(o));
  DV_TRY(check_size(o, &s->listCapsuleRadii, s->listCapsuleRadii.data, s->listCapsuleRadii.count));
  DV_TRY(check_size(o, &s->heights, s->heights.data, s->heights.count));
  DV_TRY(check_size(o, &s->defaultRadius, &s->defaultRadius, 1));
  DV_TRY(check_size(o, &s->dafaultHeight, &s->dafaultHeight, 1));
  s->base.primitives = "capsules";
  s->base.radii = &s->listCapsuleRadii;
  if (s->base.state->base.dof->kind == DV_RIGID3) {
    s->base.lengths = &s->heights;
    return DV_OK;
  }
  if (!s->topology.target) s->topology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!s->topology.target)
    return dv_error(o, "add a topology with edges to the node, such as a MeshTopology with edges=\"0 1\"",
                    "CapsuleCollisionModel finds no topology whose edges are capsules");
  DV_TRY(dv_object_ensure(s->topology.target));
  dv_follow(o, dv_topology(s->topology.target));
  if (s->base.state->topology) dv_follow(o, s->base.state->topology);
  s->base.elements.width = 2;
  return DV_OK;
}

static dvStatus capsule_bwd_init(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  if (!s->base.elements.width) return solid_bwd_init(o);
  DV_TRY(take_edges(s));
  if (s->base.elements.count == 0)
    dv_warning(o, "give it a mesh with edges", "the topology %s has no edges for a CapsuleCollisionModel",
               s->topology.target->name);
  return follow_sizes(s, dv_follow_elements(o, dv_topology(s->topology.target), DV_EDGE));
}

static void capsule_topology_changed(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  if (s->base.elements.width) take_edges(s);
  else solid_topology_changed(o);
}

// those with a common point do not touch
static bool capsule_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  if (m != other) return true;
  if (i >= j || !m->elements.width) return i < j;
  const int32_t *a = m->elements.data + 2 * i, *b = m->elements.data + 2 * j;
  return a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1];
}

static const dvCollisionModelOps capsule_ops = {DV_SHAPE_CAPSULE, line_boxes, capsule_may_touch};

// --- cylinders -----------------------------------------------------------------------------------

static dvStatus cylinder_init(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  DV_TRY(dv_collision_model_init(o));
  DV_TRY(check_size(o, &s->radii, s->radii.data, s->radii.count));
  DV_TRY(check_size(o, &s->heights, s->heights.data, s->heights.count));
  DV_TRY(check_size(o, &s->defaultRadius, &s->defaultRadius, 1));
  DV_TRY(check_size(o, &s->defaultHeight, &s->defaultHeight, 1));
  dvVec3 axis = dv_vec3_load(s->defaultLocalAxis);
  double length = dv_vec3_norm(axis);
  if (!(length > 0) || !isfinite(length))
    return dv_field_error(o, &s->defaultLocalAxis, NULL, "an axis of length %g is not possible", length);
  dv_vec3_store(s->defaultLocalAxis, dv_vec3_scale(axis, 1 / length));
  s->base.primitives = "cylinders";
  s->base.radii = &s->radii;
  s->base.lengths = &s->heights;
  s->base.axes = &s->own;
  return DV_OK;
}

static const dvCollisionModelOps cylinder_ops = {DV_SHAPE_CYLINDER, line_boxes, solid_may_touch};

// --- rays ----------------------------------------------------------------------------------------

static dvStatus ray_init(dvObject *o)
{
  SolidModel *s = (SolidModel *)o;
  DV_TRY(dv_collision_model_init(o));
  DV_TRY(check_size(o, &s->defaultLength, &s->defaultLength, 1));
  for (size_t i = 0; i + 2 < s->direction.count; i += 3)
    dv_vec3_store(s->direction.data + i, dv_vec3_normalise(dv_vec3_load(s->direction.data + i)));
  s->base.primitives = "rays";
  if (!*s->base.contactResponse) {
    dv_free(s->base.contactResponse);
    s->base.contactResponse = dv_strdup("RayContact");
  }
  s->base.lengths = &s->own;
  s->base.axes = &s->direction;
  return DV_OK;
}

static const dvCollisionModelOps ray_ops = {DV_SHAPE_RAY, line_boxes, solid_may_touch};

// --- classes -------------------------------------------------------------------------------------

#define SOLID_MODEL(variable, name_, module_, help_, dofs_, own_fields, ops_, init_, bwd_init_, changed_) \
  const dvClass variable = {                                                                              \
      .struct_size = sizeof(dvClass),                                                                     \
      .name = name_,                                                                                      \
      .help = help_,                                                                                      \
      .module = module_,                                                                                  \
      .dofs = dofs_,                                                                                      \
      .ops = {[DV_ROLE_COLLISION_MODEL] = &ops_},                                                         \
      .size = sizeof(SolidModel),                                                                         \
      .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(own_fields)},                      \
      .init = init_,                                                                                      \
      .bwd_init = bwd_init_,                                                                              \
      .topology_changed = changed_,                                                                       \
      .handle_event = solid_handle_event,                                                                 \
      .destroy = solid_destroy,                                                                           \
      .remember = dv_collision_model_remember,                                                            \
      .restored = dv_collision_model_restored,                                                            \
  };

#define GEOMETRY "Sofa.Component.Collision.Geometry"
SOLID_MODEL(dv_obb_collision_model_class, "OBBCollisionModel", "CollisionOBBCapsule",
            "boxes that turn with the frames of a state, for collisions", DV_DOF_RIGID3, brick_fields, brick_ops,
            brick_init, solid_bwd_init, solid_topology_changed)
SOLID_MODEL(dv_capsule_collision_model_class, "CapsuleCollisionModel", "CollisionOBBCapsule",
            "capsules at the frames of a state or along the edges of a mesh, for collisions",
            DV_DOF_VEC3 | DV_DOF_RIGID3, capsule_fields, capsule_ops, capsule_init, capsule_bwd_init,
            capsule_topology_changed)
SOLID_MODEL(dv_cylinder_collision_model_class, "CylinderCollisionModel", GEOMETRY,
            "cylinders at the frames of a state, for collisions", DV_DOF_RIGID3, cylinder_fields, cylinder_ops,
            cylinder_init, solid_bwd_init, solid_topology_changed)
SOLID_MODEL(dv_ray_collision_model_class, "RayCollisionModel", GEOMETRY,
            "rays from the points of a state; what they hit is listed, nothing answers it", DV_DOF_VEC3, ray_fields,
            ray_ops, ray_init, solid_bwd_init, solid_topology_changed)
