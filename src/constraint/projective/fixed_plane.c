// FixedPlaneProjectiveConstraint: points that do not move along a direction.
//
// f -= d (d . f) for the listed points and for those that stand between two planes at the start,
// dmin < d . x < dmax. The direction is used as given: only a unit vector takes all of its component away.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#define FIXED_PLANE_FIELDS(X)                                                       \
  X(coord, direction, "", "", "normal of the plane, of length 1")                   \
  X(real, dmin, "0", "m", "points beyond this distance from the origin are held …") \
  X(real, dmax, "0", "m", "… up to this distance; only where dmin and dmax differ") \
  X(indices, indices, "", "", "points that are held")                               \
  X(link, topology, "", "", "topology whose changes the indices follow", .role = DV_ROLE_TOPOLOGY)

typedef struct FixedPlane {
  dvProjective base;
  FIXED_PLANE_FIELDS(DV_MEMBER)
  dvSelected selected;
  dvInts between;   // points between the planes
  int size;         // components of a point that count
} FixedPlane;

#define SELF FixedPlane
static const dvFieldDesc fixed_plane_fields[] = {FIXED_PLANE_FIELDS(DV_DESCRIBE)};
#undef SELF

static void fixed_plane_destroy(dvObject *o)
{
  FixedPlane *p = (FixedPlane *)o;
  dv_selected_free(&p->selected);
  dv_ints_free(&p->between);
}

static double along(const FixedPlane *p, const double *v)
{
  double sum = 0;
  for (int k = 0; k < p->size; k++) sum += p->direction[k] * v[k];
  return sum;
}

static void project(const FixedPlane *p, double *v, const dvInts *points)
{
  size_t width = (size_t)p->base.state->base.dof->deriv;
  for (size_t i = 0; i < points->count; i++) {
    double *at = v + (size_t)points->data[i] * width, amount = along(p, at);
    for (int k = 0; k < p->size; k++) at[k] -= p->direction[k] * amount;
  }
}

static void fixed_plane_project_response(dvObject *o, int id)
{
  FixedPlane *p = (FixedPlane *)o;
  if (!dv_projective_active(o)) return;
  const dvInts *points = dv_selected(&p->selected, o, &p->indices, p->base.state->count);
  double *v = dv_state_write(p->base.state, id);
  project(p, v, points);
  project(p, v, &p->between);
}

static dvStatus fixed_plane_init(dvObject *o)
{
  FixedPlane *p = (FixedPlane *)o;
  DV_TRY(dv_projective_init(o));
  dvState *s = p->base.state;
  o->dof = s->base.dof;
  p->size = o->dof->kind == DV_VEC6 ? 6 : 3;
  dv_follow_points(o, s, &p->indices);
  dv_element_list_forget(dv_follow_points(o, s, &p->between));
  dv_selected(&p->selected, o, &p->indices, s->count);
  if (along(p, p->direction) == 0)
    dv_field_warning(o, &p->direction, "give the normal of the plane", "the direction is zero: no point is held");
  p->between.width = 1;
  DV_MUST(dv_ints_resize(&p->between, 0));
  if (p->dmin == p->dmax) return DV_OK;
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++) {
    double d = along(p, x + i * (size_t)o->dof->coord);
    if (!(d > p->dmin && d < p->dmax)) continue;
    if (!dv_ints_resize(&p->between, p->between.count + 1))
      return dv_error(o, NULL, "out of memory for %zu points", s->count);
    p->between.data[p->between.count - 1] = (int32_t)i;
  }
  return DV_OK;
}

static const dvProjectiveOps fixed_plane_ops = {
    .project_response = fixed_plane_project_response,
    .project_velocity = dv_project_nothing,
    .project_position = dv_project_nothing,
};

const dvClass dv_fixed_plane_class = {
    .struct_size = sizeof(dvClass),
    .name = "FixedPlaneProjectiveConstraint",
    .help = "holds points along the normal of a plane",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_VEC6 | DV_DOF_RIGID3,
    .size = sizeof(FixedPlane),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(fixed_plane_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &fixed_plane_ops},
    .init = fixed_plane_init,
    .reinit = fixed_plane_init,
    .destroy = fixed_plane_destroy,
};
