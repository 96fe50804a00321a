// StickContactForceField: springs that keep two bodies together where they touch.
//
//   f_1 = k (x_2 - x_1 - r) + d (v_2 - v_1) = -f_2,   k = k_1 + k_2,   d = d_1 + d_2
//
// r is the way from one point of the contact to the other in this step, k_1 and k_2 the models' contactStiffness, d_1
// and d_2 their contactFriction. Springs are made anew in each step in which the bodies are within the alarm distance:
// they resist motion, wherever it has led. Products take k alone. Of contacts with the same number the nearest one
// acts.
#include "collision/register.h"
#include "collision/response/response.h"
#include "math/vec.h"
#include "mechanics/component.h"

typedef struct Spring {
  int32_t i, j;   // points of the two states
  dvVec3 vector;
} Spring;

typedef struct StickForce {
  dvPairForce base;
  double stiffness, damping;
  DV_ARRAY(Spring) springs;
} StickForce;

// --- force ---------------------------------------------------------------------------------------

static dvVec3 apart(const Spring *s, const double *first, const double *second)
{
  return dv_vec3_sub(dv_vec3_load(second + 3 * s->j), dv_vec3_load(first + 3 * s->i));
}

static void pull(const Spring *s, double *first, double *second, dvVec3 force)
{
  dv_vec3_accumulate(first + 3 * s->i, force);
  dv_vec3_accumulate(second + 3 * s->j, dv_vec3_neg(force));
}

static void stick_add_force(dvObject *o, const dvMech *m)
{
  const StickForce *f = (const StickForce *)o;
  const double *x1 = dv_state_read(f->base.first, m->x), *x2 = dv_state_read(f->base.second, m->x);
  const double *v1 = dv_state_read(f->base.first, m->v), *v2 = dv_state_read(f->base.second, m->v);
  double *f1 = dv_state_write(f->base.first, m->f), *f2 = dv_state_write(f->base.second, m->f);
  for (size_t i = 0; i < f->springs.count; i++) {
    const Spring *s = &f->springs.data[i];
    dvVec3 force = dv_vec3_scale(dv_vec3_sub(apart(s, x1, x2), s->vector), f->stiffness);
    pull(s, f1, f2, dv_vec3_add_scaled(force, apart(s, v1, v2), f->damping));
  }
}

static void stick_add_dforce(dvObject *o, const dvMech *m)
{
  const StickForce *f = (const StickForce *)o;
  double k = dv_mech_k(m, f->base.rayleighStiffness) * f->stiffness;
  const double *first = dv_state_read(f->base.first, m->dx), *second = dv_state_read(f->base.second, m->dx);
  double *f1 = dv_state_write(f->base.first, m->df), *f2 = dv_state_write(f->base.second, m->df);
  for (size_t i = 0; i < f->springs.count; i++)
    pull(&f->springs.data[i], f1, f2, dv_vec3_scale(apart(&f->springs.data[i], first, second), k));
}

static void stick_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const StickForce *f = (const StickForce *)o;
  dvState *a = f->base.first, *b = f->base.second;
  double k = dv_mech_k(m, f->base.rayleighStiffness) * f->stiffness;
  const double plus[9] = {k, 0, 0, 0, k, 0, 0, 0, k}, minus[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k};
  for (size_t i = 0; i < f->springs.count; i++) {
    size_t p = (size_t)f->springs.data[i].i, q = (size_t)f->springs.data[i].j;
    sink->add(sink, a, p, a, p, 3, 3, minus);
    sink->add(sink, a, p, b, q, 3, 3, plus);
    sink->add(sink, b, q, a, p, 3, 3, plus);
    sink->add(sink, b, q, b, q, 3, 3, minus);
  }
}

static double stick_energy(dvObject *o, const dvMech *m)
{
  const StickForce *f = (const StickForce *)o;
  const double *first = dv_state_read(f->base.first, m->x), *second = dv_state_read(f->base.second, m->x);
  double sum = 0;
  for (size_t i = 0; i < f->springs.count; i++) {
    const Spring *s = &f->springs.data[i];
    sum += 0.5 * f->stiffness * dv_vec3_norm2(dv_vec3_sub(apart(s, first, second), s->vector));
  }
  return sum;
}

static void stick_destroy(dvObject *o) { dv_array_free(&((StickForce *)o)->springs); }

static const dvForceOps stick_ops = {.add_force = stick_add_force,
                                     .add_dforce = stick_add_dforce,
                                     .add_stiffness = stick_add_stiffness,
                                     .energy = stick_energy,
                                     DV_PAIR_FORCE_SLOTS};

static const dvClass stick_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "StickContactForceField",
    .help = "springs that keep two bodies together where they touch; contact managers make it",
    .module = "Sofa.Component.Collision.Response.Contact",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(StickForce),
    .blocks = {&dv_object_block, &dv_pair_force_block},
    .ops = {[DV_ROLE_FORCE] = &stick_ops},
    .destroy = stick_destroy,
};

// --- response ------------------------------------------------------------------------------------

typedef struct StickResponse {
  dvResponse base;
  dvContactSides sides;
  StickForce *force;
  dvDeepest deepest;
} StickResponse;

static dvStatus springs_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactList *list)
{
  DV_UNUSED(intersection);
  StickResponse *r = (StickResponse *)o;
  dv_deepest_find(&r->deepest, list);
  DV_TRY(dv_contact_sides_place(&r->sides, live, list, r->deepest.kept.data, r->deepest.kept.count));
  if (!r->force) r->force = (StickForce *)dv_live_take(live, &stick_force_class, dv_dof(DV_VEC3), o->node);
  StickForce *f = r->force;
  const dvCollisionModel *a = list->model[0], *b = list->model[1];
  f->base.first = r->sides.anchor[0].state;
  f->base.second = r->sides.anchor[1].state;
  f->stiffness = a->contactStiffness + b->contactStiffness;
  f->damping = a->contactFriction + b->contactFriction;
  dv_array_resize(&f->springs, r->deepest.kept.count);
  for (size_t i = 0; i < f->springs.count; i++) {
    const dvContact *c = &list->contacts.data[r->deepest.kept.data[i]];
    f->springs.data[i] = (Spring){dv_contact_sides_point(&r->sides, 0, i), dv_contact_sides_point(&r->sides, 1, i),
                                  dv_vec3_sub(dv_vec3_load(c->point[1]), dv_vec3_load(c->point[0]))};
  }
  return DV_OK;
}

static void springs_attach(dvObject *o, dvLiveGroup *live, dvNode *node)
{
  StickResponse *r = (StickResponse *)o;
  dv_contact_sides_attach(&r->sides, live);
  r->force->base.base.node = node;
  dv_live_add(live, &r->force->base.base);
}

static void springs_end(dvObject *o, dvLiveGroup *live)
{
  StickResponse *r = (StickResponse *)o;
  dv_contact_sides_end(&r->sides, live);
  if (r->force) dv_live_give(live, &r->force->base.base);
  r->force = NULL;
}

static void response_destroy(dvObject *o)
{
  StickResponse *r = (StickResponse *)o;
  dv_deepest_free(&r->deepest);
  dv_contact_sides_free(&r->sides);
}

static const dvResponseOps response_ops = {springs_update, springs_attach, springs_end, NULL};

const dvClass dv_stick_springs_class = {
    .struct_size = sizeof(dvClass),
    .name = "StickSprings",
    .help = "keeps two models together with springs",
    .size = sizeof(StickResponse),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_RESPONSE] = &response_ops},
    .destroy = response_destroy,
};
