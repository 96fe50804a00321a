// Points that stay on a line, a plane or a point: DirectionProjectiveConstraint, LineProjectiveConstraint,
// PlaneProjectiveConstraint, PointProjectiveConstraint.
//
// With the unit vector n: on a line P = n n^T, on a plane P = 1 - n n^T, on a point P = 0. Forces, accelerations and
// velocities become P v, positions o + P (x - o). A direction is a line through where each point stands at the start.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include <math.h>
#include <string.h>

#define PROJECT_FIELDS(X)                                                               \
  X(indices, indices, "0", "", "points that are held")                                  \
  X(real, drawSize, "0", "m", "radius of drawn points; dots when 0", .flags = DV_LOOKS) \
  X(link, topology, "", "", "topology whose changes the indices follow", .role = DV_ROLE_TOPOLOGY)
#define ORIGIN_FIELDS(X) X(coord, origin, "", "m", "a point of the line or plane")
#define DIRECTION_FIELDS(X) X(coord, direction, "", "", "direction of the line")
#define NORMAL_FIELDS(X) X(coord, normal, "", "", "normal of the plane")
#define POINT_FIELDS(X)                                \
  X(coord, point, "", "m", "where the points are put") \
  X(bool, fixAll, "0", "", "hold all points, whatever the indices")

typedef struct ProjectTo {
  dvProjective base;
  PROJECT_FIELDS(DV_MEMBER)
  ORIGIN_FIELDS(DV_MEMBER)
  DIRECTION_FIELDS(DV_MEMBER)
  NORMAL_FIELDS(DV_MEMBER)
  POINT_FIELDS(DV_MEMBER)
  dvSelected selected;
  double n[DV_MAX_COORD];   // of length 1, or 0
  dvReals start;            // direction: positions at the start
} ProjectTo;

#define SELF ProjectTo
static const dvFieldDesc project_fields[] = {PROJECT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc direction_fields[] = {DIRECTION_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc line_fields[] = {ORIGIN_FIELDS(DV_DESCRIBE) DIRECTION_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc plane_fields[] = {ORIGIN_FIELDS(DV_DESCRIBE) NORMAL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc point_fields[] = {POINT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc project_to_memory[] = {DV_REMEMBER(reals, start)};
#undef SELF

static void project_to_destroy(dvObject *o)
{
  ProjectTo *p = (ProjectTo *)o;
  dv_selected_free(&p->selected);
  dv_reals_free(&p->start);
}

// v = P v
static void project(const ProjectTo *p, double *v, int width)
{
  const dvClass *cls = p->base.base.cls;
  double along = 0;
  for (int k = 0; k < width; k++) along += p->n[k] * v[k];
  for (int k = 0; k < width; k++)
    v[k] = cls == &dv_plane_class ? v[k] - p->n[k] * along : cls == &dv_point_class ? 0 : p->n[k] * along;
}

static const dvInts *points_of(ProjectTo *p)
{
  return dv_selected(&p->selected, &p->base.base, &p->indices, p->base.state->count);
}

static void project_to_project_response(dvObject *o, int id)
{
  ProjectTo *p = (ProjectTo *)o;
  if (!dv_projective_active(o)) return;
  int width = o->dof->deriv;
  const dvInts *points = points_of(p);
  double *v = dv_state_write(p->base.state, id);
  if (p->fixAll) memset(v, 0, dv_state_scalars(p->base.state, id) * sizeof *v);
  else
    for (size_t i = 0; i < points->count; i++) project(p, v + (size_t)points->data[i] * (size_t)width, width);
}

static void project_to_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  project_to_project_response(o, id);
}

static void put(const ProjectTo *p, double *x, size_t point)
{
  const dvObject *o = &p->base.base;
  size_t width = (size_t)o->dof->coord;
  const double *origin = p->origin;
  if (o->cls == &dv_direction_class) {
    if ((point + 1) * width > p->start.count) return;
    origin = p->start.data + point * width;
  } else if (o->cls == &dv_point_class) {
    origin = p->point;
  }
  double away[DV_MAX_COORD];
  for (size_t k = 0; k < width; k++) away[k] = x[point * width + k] - origin[k];
  project(p, away, (int)width);
  for (size_t k = 0; k < width; k++) x[point * width + k] = origin[k] + away[k];
}

static void project_to_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  ProjectTo *p = (ProjectTo *)o;
  if (!dv_projective_active(o)) return;
  const dvInts *points = points_of(p);
  double *x = dv_state_write(p->base.state, id);
  size_t n = p->fixAll ? p->base.state->count : points->count;
  for (size_t i = 0; i < n; i++) put(p, x, p->fixAll ? i : (size_t)points->data[i]);
}

static dvStatus project_to_init(dvObject *o)
{
  ProjectTo *p = (ProjectTo *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = p->base.state->base.dof;
  dv_follow_points(o, p->base.state, &p->indices);
  dv_element_data_add_groups(dv_follow_rows(o, p->base.state), &p->start, (size_t)o->dof->coord, true);
  points_of(p);
  if (o->cls == &dv_point_class) return DV_OK;
  double *given = o->cls == &dv_plane_class ? p->normal : p->direction, length = 0;
  for (int k = 0; k < o->dof->coord; k++) length += given[k] * given[k];
  length = sqrt(length);
  for (int k = 0; k < o->dof->coord; k++) p->n[k] = length > 0 ? given[k] / length : 0;
  if (length == 0) {
    const char *then = "the points do not move";
    if (o->cls == &dv_plane_class) then = "the points are not held";
    if (o->cls == &dv_line_class) p->n[0] = 1, then = "the x axis is used";
    dv_warning(o, "give a vector that is not zero", "%s is zero: %s",
               o->cls == &dv_plane_class ? "normal" : "direction", then);
  }
  memcpy(given, p->n, (size_t)o->dof->coord * sizeof *given);
  if (o->cls == &dv_direction_class &&
      !dv_reals_assign(&p->start, dv_state_read(p->base.state, DV_X), dv_state_scalars(p->base.state, DV_X)))
    return dv_error(o, NULL, "out of memory for %zu points", p->base.state->count);
  return DV_OK;
}

static const dvProjectiveOps project_to_ops = {
    .project_response = project_to_project_response,
    .project_velocity = project_to_project_velocity,
    .project_position = project_to_project_position,
};

#define PROJECT_TO_CLASS(class_name, text, types, list)                                                              \
  {                                                                                                                  \
    .struct_size = sizeof(dvClass), .name = class_name, .help = text, .module = DV_PROJECTIVE_MODULE, .dofs = types, \
    .size = sizeof(ProjectTo),                                                                                       \
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(project_fields), DV_BLOCK(list)},                    \
    .ops = {[DV_ROLE_PROJECTIVE] = &project_to_ops}, .init = project_to_init, .reinit = project_to_init,             \
    .destroy = project_to_destroy, DV_MEMORY(project_to_memory),                                                     \
  }

const dvClass dv_direction_class =
    PROJECT_TO_CLASS("DirectionProjectiveConstraint", "keeps points on lines through where they stand at the start",
                     DV_DOF_VEC2 | DV_DOF_VEC3, direction_fields);
const dvClass dv_line_class =
    PROJECT_TO_CLASS("LineProjectiveConstraint", "keeps points on a line", DV_DOF_VEC2 | DV_DOF_VEC3, line_fields);
const dvClass dv_plane_class =
    PROJECT_TO_CLASS("PlaneProjectiveConstraint", "keeps points on a plane", DV_DOF_VEC2 | DV_DOF_VEC3, plane_fields);
const dvClass dv_point_class =
    PROJECT_TO_CLASS("PointProjectiveConstraint", "puts points on a point", DV_DOF_VECS, point_fields);
