// Surfaces of distance fields, for walls of particles. See wall.h.
#include "fluid/field/wall.h"

#include "collision/model/distance_model.h"
#include "collision/register.h"
#include "fluid/field/field.h"
#include "fluid/iso.h"

#include <math.h>

static const dvDistanceModel *grid_of(const dvObject *o)
{
  return o->cls == &dv_rigid_distance_model_class ? (const dvDistanceModel *)o : NULL;
}

bool dv_is_wall_field(const dvObject *o) { return dv_is_scalar_field(o) || grid_of(o); }

dvState *dv_wall_field_state(const dvObject *o)
{
  const dvDistanceModel *m = grid_of(o);
  return m && m->base.state && m->base.state->base.dof->kind == DV_RIGID3 ? m->base.state : NULL;
}

uint64_t dv_wall_field_stamp(const dvObject *o) { return grid_of(o) ? 1 : dv_scalar_field_stamp(o); }

// from the frame that carries it to the coordinates of the distances, and back
static dvVec3 to_grid(const dvDistanceModel *m, dvVec3 p)
{
  return dv_quat_inverse_rotate(m->turn, dv_vec3_sub(p, dv_vec3_load(m->translation)));
}

static dvVec3 from_grid(const dvDistanceModel *m, dvVec3 p)
{
  return dv_vec3_add(dv_vec3_load(m->translation), dv_quat_rotate(m->turn, p));
}

static double value_at(const dvObject *o, const double x[3])
{
  const dvDistanceModel *m = grid_of(o);
  return m ? dv_distance_at(&m->grid, to_grid(m, dv_vec3_load(x))) : dv_scalar_field_at(o, x);
}

static bool slope_at(const dvObject *o, const double x[3], double out[3])
{
  const dvDistanceModel *m = grid_of(o);
  if (!m) return dv_scalar_field_slope(o, x, out);
  dvVec3 slope = dv_quat_rotate(m->turn, dv_distance_slope(&m->grid, to_grid(m, dv_vec3_load(x))));
  dv_vec3_store(out, slope);
  return dv_vec3_norm2(slope) > 0;
}

// --- the surface ----------------------------------------------------------------------------------

typedef struct Lattice {
  const dvObject *field;
  double low[3], step;
} Lattice;

static double lattice_between(const void *user, const double x[3])
{
  return -value_at(((const Lattice *)user)->field, x);
}

static double lattice_at(const void *user, const int32_t p[3])
{
  const Lattice *l = user;
  const double x[3] = {l->low[0] + l->step * p[0], l->low[1] + l->step * p[1], l->low[2] + l->step * p[2]};
  return lattice_between(user, x);
}

// the box around the surface in the frame that carries it
static void bounds_of(const dvDistanceModel *m, double margin, double low[3], double high[3])
{
  const dvVec3 a = m->grid.inner_low, b = m->grid.inner_high;
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (int c = 0; c < 8; c++) {
    double x[3];
    dv_vec3_store(x, from_grid(m, dv_vec3(c & 1 ? b.x : a.x, c & 2 ? b.y : a.y, c & 4 ? b.z : a.z)));
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k] - margin), high[k] = fmax(high[k], x[k] + margin);
  }
}

bool dv_wall_field_surface(const dvObject *o, dvPool *pool, const double low[3], const double high[3], double step,
                           dvFieldWall *out)
{
  enum { MOST_STEPS = 1024 };
  double from[3] = {low[0], low[1], low[2]}, to[3] = {high[0], high[1], high[2]};
  const dvDistanceModel *m = grid_of(o);
  if (m) bounds_of(m, 1.5 * step, from, to);
  Lattice lattice = {.field = o, .step = step};
  dvIsoLattice l = {.step = step, .at = lattice_at, .between = lattice_between, .user = &lattice};
  for (int k = 0; k < 3; k++) {
    double steps = ceil((to[k] - from[k]) / step);
    if (!(steps >= 1) || !(steps <= MOST_STEPS)) return false;
    l.origin[k] = lattice.low[k] = from[k], l.low[k] = 0, l.high[k] = (int32_t)steps;
  }
  dvIso iso = {0};
  dv_iso_init(&iso);
  bool good = dv_iso_lattice(&iso, pool, &l);
  out->points.count = out->triangles.count = 0;
  good = good && dv_try_reserve(&out->points, iso.points.count + 1) &&
         dv_try_reserve(&out->triangles, iso.triangles.count + 1);
  if (good && iso.points.count) {
    memcpy(out->points.data, iso.points.data, iso.points.count * sizeof(double));
    memcpy(out->triangles.data, iso.triangles.data, iso.triangles.count * sizeof(int32_t));
    out->points.count = iso.points.count, out->triangles.count = iso.triangles.count;
  }
  dv_iso_free(&iso);
  return good;
}

void dv_wall_field_settle(const dvObject *o, double x[3], double normal[3])
{
  double slope[3] = {0};
  for (int n = 0; n < 3; n++) {
    if (!slope_at(o, x, slope)) break;
    double value = value_at(o, x), square = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
    for (int k = 0; k < 3 && square > 0; k++) x[k] -= value * slope[k] / square;
  }
  double length = sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
  for (int k = 0; k < 3; k++) normal[k] = length > 0 ? slope[k] / length : 0;
}

void dv_wall_field_free(dvFieldWall *w) { dv_array_free(&w->points), dv_array_free(&w->triangles); }
