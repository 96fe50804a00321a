// ParticlesRepulsionForceField: points keep a distance from each other.
//
// For two points closer than h, with n from i to j and d their distance,
//
//   f_i = k (d - h) n - c (d - h) (v_j - v_i),   f_j = -f_i
//
// and the products use k n n^T, without the change of direction: the points are pressed, and the other part would pull
// across. The damping grows with the depth and is not differentiated.
#include "fluid/grid.h"
#include "fluid/near.h"

#include "mechanics/component.h"

#include <math.h>

#define REPULSION_FIELDS(X)                                                       \
  X(real, distance, "1", "m", "distance that points keep from each other")        \
  X(real, stiffness, "100", "N/m", "force for each metre that they are too near") \
  X(real, damping, "0.1", "N s/m2", "damping of their relative motion, per depth")

typedef struct Repulsion {
  dvForce force;
  REPULSION_FIELDS(DV_MEMBER)
  dvNear near;
  double width;
} Repulsion;

#define SELF Repulsion
static const dvFieldDesc repulsion_fields[] = {REPULSION_FIELDS(DV_DESCRIBE)};
#undef SELF

static void repulsion_destroy(dvObject *o) { dv_near_free(&((Repulsion *)o)->near); }

static dvStatus repulsion_reinit(dvObject *o)
{
  Repulsion *r = (Repulsion *)o;
  if (!(r->distance > 0) || !isfinite(r->distance))
    return dv_field_error(o, &r->distance, "give the distance to keep", "a distance of %g is none", r->distance);
  r->width = fmax(dv_grid_width(o->node), r->distance);
  return DV_OK;
}

static dvStatus repulsion_init(dvObject *o)
{
  DV_TRY(dv_force_init(o));
  return repulsion_reinit(o);
}

typedef struct Pass {
  const Repulsion *r;
  const double *v;   // velocities, or displacements, by point
  double *f;
  double product;   // stiffness of a product; 0: forces
} Pass;

// the unit vector from rank i to rank j and the distance, 0 when there is none
static inline double toward(const Repulsion *r, size_t i, size_t j, double n[3])
{
  const double *a = r->near.x.data + 3 * i, *b = r->near.x.data + 3 * j;
  for (int k = 0; k < 3; k++) n[k] = b[k] - a[k];
  double d = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3 && d > 0; k++) n[k] /= d;
  return d;
}

static void body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const Repulsion *r = p->r;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, r->near.count); i++) {
    const int32_t *list;
    size_t count = dv_near_of(&r->near, i, &list), at = 3 * (size_t)r->near.point.data[i];
    double sum[3] = {0}, n[3];
    for (size_t l = 0; l < count; l++) {
      const double *other = p->v + 3 * (size_t)r->near.point.data[list[l]], *here = p->v + at;
      double d = toward(r, i, (size_t)list[l], n), depth = d - r->distance;
      if (!(d > 0)) continue;
      double apart[3] = {other[0] - here[0], other[1] - here[1], other[2] - here[2]};
      double along =
          p->product ? p->product * (apart[0] * n[0] + apart[1] * n[1] + apart[2] * n[2]) : r->stiffness * depth;
      double drag = p->product ? 0 : r->damping * depth;
      for (int k = 0; k < 3; k++) sum[k] += along * n[k] - drag * apart[k];
    }
    for (size_t k = 0; k < 3; k++) p->f[at + k] += sum[k];
  }
}

static void run(Repulsion *r, Pass pass)
{
  dvPool *pool = dv_pool_for(r->force.base.context->pool, 300.0 * (double)r->near.count);
  dv_parallel_for(pool, dv_near_chunks(&r->near), 1, body, &pass);
}

static void repulsion_add_force(dvObject *o, const dvMech *m)
{
  Repulsion *r = (Repulsion *)o;
  dvState *s = r->force.state;
  if (!dv_near_find(&r->near, o->context->pool, dv_state_read(s, m->x), s->count, r->width, r->distance))
    dv_error(o, NULL, "out of memory for %zu points", s->count);
  else if (dv_near_crowded(&r->near))
    dv_field_error(o, &r->distance, "take a smaller distance", "a point has more than %d others within %g",
                   DV_NEAR_MOST, r->distance);
  else run(r, (Pass){r, dv_state_read(s, m->v), dv_state_write(s, m->f), 0});
}

static void repulsion_add_dforce(dvObject *o, const dvMech *m)
{
  Repulsion *r = (Repulsion *)o;
  dvState *s = r->force.state;
  double k = r->stiffness * dv_mech_k(m, r->force.rayleighStiffness);
  if (r->near.count == s->count && k != 0) run(r, (Pass){r, dv_state_read(s, m->dx), dv_state_write(s, m->df), k});
}

static void repulsion_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  Repulsion *r = (Repulsion *)o;
  dvState *s = r->force.state;
  double k = r->stiffness * dv_mech_k(m, r->force.rayleighStiffness), n[3];
  if (r->near.count != s->count) return;
  for (size_t i = 0; i < r->near.count; i++) {
    const int32_t *list;
    size_t count = dv_near_of(&r->near, i, &list), a = (size_t)r->near.point.data[i];
    for (size_t l = 0; l < count; l++) {
      double block[9], minus[9];
      if (!(toward(r, i, (size_t)list[l], n) > 0)) continue;
      for (int e = 0; e < 9; e++) minus[e] = -(block[e] = k * n[e / 3] * n[e % 3]);
      sink->add(sink, s, a, s, (size_t)r->near.point.data[list[l]], 3, 3, block);
      sink->add(sink, s, a, s, a, 3, 3, minus);
    }
  }
}

static double repulsion_energy(dvObject *o, const dvMech *m)
{
  Repulsion *r = (Repulsion *)o;
  dvState *s = r->force.state;
  double sum = 0, n[3];
  if (!dv_near_find(&r->near, o->context->pool, dv_state_read(s, m->x), s->count, r->width, r->distance)) return 0;
  for (size_t i = 0; i < r->near.count; i++) {
    const int32_t *list;
    size_t count = dv_near_of(&r->near, i, &list);
    for (size_t l = 0; l < count; l++) {
      double depth = toward(r, i, (size_t)list[l], n) - r->distance;
      sum += 0.25 * r->stiffness * depth * depth;   // each pair comes twice
    }
  }
  return sum;
}

static const dvForceOps repulsion_ops = {.add_force = repulsion_add_force,
                                         .add_dforce = repulsion_add_dforce,
                                         .add_stiffness = repulsion_add_stiffness,
                                         .energy = repulsion_energy,
                                         DV_FORCE_SLOTS};

const dvClass dv_repulsion_class = {
    .struct_size = sizeof(dvClass),
    .name = "ParticlesRepulsionForceField",
    .help = "points that keep a distance from each other",
    .module = "SofaSphFluid",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Repulsion),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(repulsion_fields)},
    .ops = {[DV_ROLE_FORCE] = &repulsion_ops},
    .init = repulsion_init,
    .reinit = repulsion_reinit,
    .destroy = repulsion_destroy,
};
