// PenalityContactForceField: springs that push two bodies apart where they are nearer than the contact distance.
//
//   u = x_2 - x_1,   pen = d - u.n,   f_2 = k pen n = -f_1  where pen > 0,   k = k_1 k_2 / d
//
// d is the contact distance with what the models and radii of spheres add, k_1 and k_2 their contactStiffness. Of
// contacts with the same number the nearest one acts.
#include "collision/register.h"
#include "collision/response/response.h"
#include "math/vec.h"
#include "mechanics/component.h"

#include <math.h>

typedef struct Spring {
  int32_t i, j;   // points of the two states
  dvVec3 n;
  double distance, stiffness;
  double depth;   // at the last add_force
} Spring;

typedef struct PenaltyForce {
  dvPairForce base;
  DV_ARRAY(Spring) springs;
} PenaltyForce;

// --- force ---------------------------------------------------------------------------------------

static dvVec3 apart(const Spring *s, const double *first, const double *second)
{
  return dv_vec3_sub(dv_vec3_load(second + 3 * s->j), dv_vec3_load(first + 3 * s->i));
}

static void push(const Spring *s, double *first, double *second, double amount)
{
  dvVec3 force = dv_vec3_scale(s->n, amount);
  dv_vec3_accumulate(first + 3 * s->i, dv_vec3_neg(force));
  dv_vec3_accumulate(second + 3 * s->j, force);
}

static void penalty_add_force(dvObject *o, const dvMech *m)
{
  PenaltyForce *f = (PenaltyForce *)o;
  const double *first = dv_state_read(f->base.first, m->x), *second = dv_state_read(f->base.second, m->x);
  double *f1 = dv_state_write(f->base.first, m->f), *f2 = dv_state_write(f->base.second, m->f);
  for (size_t i = 0; i < f->springs.count; i++) {
    Spring *s = &f->springs.data[i];
    s->depth = s->distance - dv_vec3_dot(apart(s, first, second), s->n);
    if (s->depth > 0) push(s, f1, f2, s->stiffness * s->depth);
  }
}

static void penalty_add_dforce(dvObject *o, const dvMech *m)
{
  const PenaltyForce *f = (const PenaltyForce *)o;
  double k = dv_mech_k(m, f->base.rayleighStiffness);
  const double *first = dv_state_read(f->base.first, m->dx), *second = dv_state_read(f->base.second, m->dx);
  double *f1 = dv_state_write(f->base.first, m->df), *f2 = dv_state_write(f->base.second, m->df);
  for (size_t i = 0; i < f->springs.count; i++) {
    const Spring *s = &f->springs.data[i];
    if (s->depth > 0) push(s, f1, f2, -k * s->stiffness * dv_vec3_dot(apart(s, first, second), s->n));
  }
}

static void penalty_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const PenaltyForce *f = (const PenaltyForce *)o;
  dvState *a = f->base.first, *b = f->base.second;
  for (size_t i = 0; i < f->springs.count; i++) {
    const Spring *s = &f->springs.data[i];
    if (!(s->depth > 0)) continue;
    double plus[9], minus[9];
    dv_mat3_store(plus,
                  dv_mat3_scale(dv_mat3_outer(s->n, s->n), dv_mech_k(m, f->base.rayleighStiffness) * s->stiffness));
    for (int n = 0; n < 9; n++) minus[n] = -plus[n];
    size_t p = (size_t)s->i, q = (size_t)s->j;
    sink->add(sink, a, p, a, p, 3, 3, minus);
    sink->add(sink, a, p, b, q, 3, 3, plus);
    sink->add(sink, b, q, a, p, 3, 3, plus);
    sink->add(sink, b, q, b, q, 3, 3, minus);
  }
}

static double penalty_energy(dvObject *o, const dvMech *m)
{
  const PenaltyForce *f = (const PenaltyForce *)o;
  const double *first = dv_state_read(f->base.first, m->x), *second = dv_state_read(f->base.second, m->x);
  double sum = 0;
  for (size_t i = 0; i < f->springs.count; i++) {
    const Spring *s = &f->springs.data[i];
    double depth = dv_max(0, s->distance - dv_vec3_dot(apart(s, first, second), s->n));
    sum += 0.5 * s->stiffness * depth * depth;
  }
  return sum;
}

static void penalty_pairs(dvObject *o, dvInts *out)
{
  const PenaltyForce *f = (const PenaltyForce *)o;
  if (!dv_ints_resize(out, 2 * f->springs.count)) return;
  for (size_t i = 0; i < f->springs.count; i++)
    out->data[2 * i] = f->springs.data[i].i, out->data[2 * i + 1] = f->springs.data[i].j;
}

static void penalty_destroy(dvObject *o) { dv_array_free(&((PenaltyForce *)o)->springs); }

static const dvForceOps penalty_ops = {.add_force = penalty_add_force,
                                       .add_dforce = penalty_add_dforce,
                                       .add_stiffness = penalty_add_stiffness,
                                       .energy = penalty_energy,
                                       .pairs = penalty_pairs,
                                       DV_PAIR_FORCE_SLOTS};

static const dvClass penalty_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "PenalityContactForceField",
    .help = "springs between two bodies that touch; contact managers make it",
    .module = "Sofa.Component.Collision.Response.Contact",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(PenaltyForce),
    .blocks = {&dv_object_block, &dv_pair_force_block},
    .ops = {[DV_ROLE_FORCE] = &penalty_ops},
    .destroy = penalty_destroy,
};

// --- response ------------------------------------------------------------------------------------

typedef struct PenaltyResponse {
  dvResponse base;
  dvContactSides sides;
  PenaltyForce *force;
  dvDeepest deepest;
} PenaltyResponse;

static void set_springs(PenaltyResponse *r, double distance, const dvContactList *list)
{
  PenaltyForce *f = r->force;
  const dvCollisionModel *a = list->model[0], *b = list->model[1];
  dv_array_resize(&f->springs, r->deepest.kept.count);
  for (size_t i = 0; i < r->deepest.kept.count; i++) {
    const dvContact *c = &list->contacts.data[r->deepest.kept.data[i]];
    double d =
        distance + dv_contact_sides_radius(&r->sides, list, 0, i) + dv_contact_sides_radius(&r->sides, list, 1, i);
    double k = a->contactStiffness * b->contactStiffness;
    f->springs.data[i] = (Spring){.i = dv_contact_sides_point(&r->sides, 0, i),
                                  .j = dv_contact_sides_point(&r->sides, 1, i),
                                  .n = dv_vec3_load(c->normal),
                                  .distance = d,
                                  .stiffness = d != 0 ? k / d : k};
  }
}

static dvStatus penalty_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactList *list)
{
  PenaltyResponse *r = (PenaltyResponse *)o;
  dv_deepest_find(&r->deepest, list);
  DV_TRY(dv_contact_sides_place(&r->sides, live, list, r->deepest.kept.data, r->deepest.kept.count));
  if (!r->force) r->force = (PenaltyForce *)dv_live_take(live, &penalty_force_class, dv_dof(DV_VEC3), o->node);
  r->force->base.first = r->sides.anchor[0].state;
  r->force->base.second = r->sides.anchor[1].state;
  set_springs(r, dv_proximity(intersection, list->model[0], list->model[1]).contact, list);
  return DV_OK;
}

static void penalty_attach(dvObject *o, dvLiveGroup *live, dvNode *node)
{
  PenaltyResponse *r = (PenaltyResponse *)o;
  dv_contact_sides_attach(&r->sides, live);
  r->force->base.base.node = node;
  dv_live_add(live, &r->force->base.base);
}

static void penalty_end(dvObject *o, dvLiveGroup *live)
{
  PenaltyResponse *r = (PenaltyResponse *)o;
  dv_contact_sides_end(&r->sides, live);
  if (r->force) dv_live_give(live, &r->force->base.base);
  r->force = NULL;
}

static double penalty_sum(const dvObject *o)
{
  const PenaltyResponse *r = (const PenaltyResponse *)o;
  double sum = 0;
  for (size_t i = 0; r->force && i < r->force->springs.count; i++)
    sum += dv_max(0, r->force->springs.data[i].depth) * r->force->springs.data[i].stiffness;
  return sum;
}

static void response_destroy(dvObject *o)
{
  PenaltyResponse *r = (PenaltyResponse *)o;
  dv_deepest_free(&r->deepest);
  dv_contact_sides_free(&r->sides);
}

static const dvResponseOps response_ops = {penalty_update, penalty_attach, penalty_end, penalty_sum};

const dvClass dv_penalty_response_class = {
    .struct_size = sizeof(dvClass),
    .name = "PenaltyResponse",
    .help = "pushes two models apart with springs",
    .size = sizeof(PenaltyResponse),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_RESPONSE] = &response_ops},
    .destroy = response_destroy,
};
