// FrictionContactConstraint, StickContactConstraint: contacts answered by Lagrange multipliers, and the constraint
// behind them, UnilateralLagrangianConstraint.
//
//   d_n = (x_2 - x_1) . n - distance >= 0,   lambda_n >= 0,   d_n lambda_n = 0
//   |lambda_t| <= mu lambda_n,   equal to it against the motion d_t where the contact slides
//
// A contact has the rows n, t, s: t and s span the plane of contact, t = -n x s, s = n x (n_z, n_x, n_y) / |.|. Without
// friction it has the first only. Normals are those of the beginning of the step. The motion along t and s is counted
// from the moment in which the bodies meet, where that lies within the step, and is 0 for bodies that do not. What
// sticks keeps its vector: x_2 - x_1 = p_2 - p_1, three equal rows. Contacts at one place (1e-4) count once.
#include "collision/register.h"
#include "collision/response/response.h"
#include "math/vec.h"
#include "mechanics/rows.h"

#include <math.h>

typedef struct Contact {
  int32_t point[2];   // of the two states
  dvVec3 place[2];    // of these points at the beginning of the step
  dvVec3 axis[3];     // n, t, s
  double distance;
  uint64_t id;
} Contact;

#define CONTACT_FIELDS(X)                                                                \
  X(link, object1, "", "", "first body; contact managers set it", .role = DV_ROLE_STATE) \
  X(link, object2, "", "", "second body; contact managers set it", .role = DV_ROLE_STATE)

typedef struct ContactConstraint {
  dvObject base;
  CONTACT_FIELDS(DV_MEMBER)
  dvState *state[2];
  double mu, tolerance;
  bool sticks;
  uint64_t identity;
  DV_ARRAY(Contact) contacts;
  double force;   // N, along the normals in the last step
} ContactConstraint;

#define SELF ContactConstraint
static const dvFieldDesc contact_fields[] = {CONTACT_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- constraint ----------------------------------------------------------------------------------

static int rows_of(const ContactConstraint *c) { return c->sticks || c->mu > 0 ? 3 : 1; }

static size_t contact_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const ContactConstraint *c = (const ContactConstraint *)o;
  dvLawKind kind = c->sticks ? DV_LAW_EQUAL : c->mu > 0 ? DV_LAW_FRICTION : DV_LAW_UNEQUAL;
  for (size_t i = 0; out && i < c->contacts.count; i++)
    out[i] = (dvLaw){.kind = kind,
                     .rows = rows_of(c),
                     .mu = c->mu,
                     .tolerance = c->tolerance,
                     .restarts = true,
                     .id = c->contacts.data[i].id};
  return c->contacts.count;
}

static void contact_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  const ContactConstraint *c = (const ContactConstraint *)o;
  int rows = rows_of(c);
  for (size_t i = 0; i < c->contacts.count; i++)
    for (int k = 0; k < rows; k++, first++) {
      const Contact *contact = &c->contacts.data[i];
      double axis[3];
      dv_vec3_store(axis, contact->axis[k]);
      dv_rows_add(set, c->state[0], first, (size_t)contact->point[0], axis, -1);
      dv_rows_add(set, c->state[1], first, (size_t)contact->point[1], axis, 1);
    }
}

// the part of the motion that bodies make in contact: 1 all of it
static double share_in_contact(double before, double free, double motion)
{
  bool touching = fabs(before) < 1e-5 * motion && fabs(free) < 1e-5 * motion;
  if (touching || !(fabs(before - free) > 1e-3 * before)) return 1;
  double meet = before / (before - free);
  if (meet > 0 && meet < 1) return 1 - meet;
  return free < 0 ? 1 : 0;
}

static void position_violation(const Contact *c, const dvVec3 free[2], int rows, double *out)
{
  dvVec3 motion = dv_vec3_sub(dv_vec3_sub(free[1], c->place[1]), dv_vec3_sub(free[0], c->place[0]));
  double moved = dv_vec3_norm(dv_vec3_sub(free[1], c->place[1])) + dv_vec3_norm(dv_vec3_sub(free[0], c->place[0]));
  double before = dv_vec3_dot(dv_vec3_sub(c->place[1], c->place[0]), c->axis[0]) - c->distance;
  out[0] = dv_vec3_dot(dv_vec3_sub(free[1], free[0]), c->axis[0]) - c->distance;
  double share = rows > 1 ? share_in_contact(before, out[0], moved) : 0;
  for (int k = 1; k < rows; k++) out[k] = share * dv_vec3_dot(motion, c->axis[k]);
}

static void contact_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const ContactConstraint *c = (const ContactConstraint *)o;
  int rows = rows_of(c), id = step->velocities ? step->v : step->x;
  const double *data[2] = {dv_state_read(c->state[0], id), dv_state_read(c->state[1], id)};
  for (size_t i = 0; i < c->contacts.count; i++, out += rows) {
    const Contact *contact = &c->contacts.data[i];
    dvVec3 now[2];
    for (int side = 0; side < 2; side++) now[side] = dv_vec3_load(data[side] + 3 * contact->point[side]);
    dvVec3 apart = dv_vec3_sub(contact->place[1], contact->place[0]), free = dv_vec3_sub(now[1], now[0]);
    if (c->sticks && !step->velocities) free = dv_vec3_sub(free, apart);
    if (c->sticks || step->velocities)
      for (int k = 0; k < rows; k++) out[k] = dv_vec3_dot(free, contact->axis[k]);
    if (!c->sticks && step->velocities) out[0] += (dv_vec3_dot(apart, contact->axis[0]) - contact->distance) / step->dt;
    if (!c->sticks && !step->velocities) position_violation(contact, now, rows, out);
  }
}

static void contact_store(dvObject *o, const dvConstraintStep *step, const double *lambda)
{
  ContactConstraint *c = (ContactConstraint *)o;
  int rows = rows_of(c);
  c->force = 0;
  for (size_t i = 0; i < c->contacts.count; i++) c->force += lambda[i * (size_t)rows] / step->dt;
}

static uint64_t contact_identity(const dvObject *o) { return ((const ContactConstraint *)o)->identity; }

static void constraint_destroy(dvObject *o) { dv_array_free(&((ContactConstraint *)o)->contacts); }

static const dvConstraintOps contact_ops = {.laws = contact_laws,
                                            .rows = contact_rows,
                                            .violation = contact_violation,
                                            .store = contact_store,
                                            .identity = contact_identity};

const dvClass dv_contact_constraint_class = {
    .struct_size = sizeof(dvClass),
    .name = "UnilateralLagrangianConstraint",
    .aliases = "UnilateralInteractionConstraint",
    .help = "contacts with or without friction between two bodies; contact managers make it",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(ContactConstraint),
    .blocks = {&dv_object_block, DV_BLOCK(contact_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &contact_ops},
    .destroy = constraint_destroy,
};

// --- response ------------------------------------------------------------------------------------

typedef struct FrictionResponse {
  dvResponse base;
  dvContactSides sides;
  ContactConstraint *constraint;
  DV_ARRAY(size_t) kept;   // contacts of the list
} FrictionResponse;

static double square_apart(const double *a, const double *b)
{
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

// the first of contacts at one place
static void drop_doubles(FrictionResponse *r, const dvContactList *list)
{
  const double near = 1e-8;
  r->kept.count = 0;
  for (size_t i = 0; i < list->contacts.count; i++) {
    const dvContact *c = &list->contacts.data[i];
    bool found = false;
    for (size_t k = 0; k < r->kept.count && !found; k++) {
      const dvContact *other = &list->contacts.data[r->kept.data[k]];
      double first = square_apart(c->point[0], other->point[0]);
      found = first < near && first + square_apart(c->point[1], other->point[1]) < near;
    }
    if (!found) dv_push(&r->kept, i);
  }
}

static void set_axes(Contact *c, dvVec3 n)
{
  dvVec3 s = dv_vec3_cross(n, dv_vec3(n.z, n.x, n.y));
  if (!(dv_vec3_norm2(s) > 1e-24)) s = dv_vec3_cross(n, fabs(n.x) < 0.9 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0));
  s = dv_vec3_scale(s, 1 / dv_vec3_norm(s));
  c->axis[0] = n;
  c->axis[1] = dv_vec3_cross(dv_vec3_neg(n), s);
  c->axis[2] = s;
}

static void set_contacts(FrictionResponse *r, double distance, const dvContactList *list)
{
  ContactConstraint *c = r->constraint;
  dv_array_resize(&c->contacts, r->kept.count);
  for (size_t i = 0; i < r->kept.count; i++) {
    const dvContact *found = &list->contacts.data[r->kept.data[i]];
    Contact *contact = &c->contacts.data[i];
    contact->id = found->id;
    contact->distance = distance;
    set_axes(contact, dv_vec3_load(found->normal));
    for (int side = 0; side < 2; side++) {
      int32_t point = dv_contact_sides_point(&r->sides, side, i);
      bool mapped = r->sides.anchor[side].mapping;
      contact->point[side] = point;
      contact->place[side] =
          dv_vec3_load(mapped ? found->point[side] : dv_state_read(r->sides.anchor[side].state, DV_X) + 3 * point);
      contact->distance += dv_contact_sides_radius(&r->sides, list, side, i);
    }
  }
}

static uint64_t hash_name(uint64_t hash, const char *name)
{
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return (hash ^ '/') * 0x100000001b3u;
}

// who touches whom, and since when
static uint64_t identity_of(const dvResponse *r)
{
  uint64_t hash = 0xcbf29ce484222325u;
  for (int side = 0; side < 2; side++) {
    hash = hash_name(hash, r->model[side]->base.name);
    for (const dvNode *n = r->model[side]->base.node; n; n = n->parents.count ? n->parents.data[0] : NULL)
      hash = hash_name(hash, n->base.name);
  }
  return (hash ^ (uint64_t)r->since) * 0x9e3779b97f4a7c15u;
}

static dvStatus update(FrictionResponse *r, dvLiveGroup *live, const dvObject *intersection, const dvContactList *list)
{
  drop_doubles(r, list);
  if (list->model[0]->contactStiffness == 0 || list->model[1]->contactStiffness == 0) r->kept.count = 0;
  DV_TRY(dv_contact_sides_place(&r->sides, live, list, r->kept.data, r->kept.count));
  if (!r->constraint)
    r->constraint =
        (ContactConstraint *)dv_live_take(live, &dv_contact_constraint_class, dv_dof(DV_VEC3), r->base.base.node);
  for (int side = 0; side < 2; side++) r->constraint->state[side] = r->sides.anchor[side].state;
  r->constraint->identity = identity_of(&r->base);
  r->constraint->tolerance = dv_response_number(&r->base, "tol", 0);
  set_contacts(r, dv_proximity(intersection, list->model[0], list->model[1]).contact, list);
  return DV_OK;
}

static dvStatus friction_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactList *list)
{
  FrictionResponse *r = (FrictionResponse *)o;
  double mu = dv_response_number(&r->base, "mu", 0.8);
  if (!(mu >= 0))
    return dv_error(o, "responseParams=\"mu=0.8\" is the default", "a friction coefficient of %g has no meaning", mu);
  DV_TRY(update(r, live, intersection, list));
  r->constraint->mu = mu;
  r->constraint->sticks = false;
  return DV_OK;
}

static dvStatus stick_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactList *list)
{
  FrictionResponse *r = (FrictionResponse *)o;
  DV_TRY(update(r, live, intersection, list));
  r->constraint->mu = 0;
  r->constraint->sticks = true;
  return DV_OK;
}

static void friction_attach(dvObject *o, dvLiveGroup *live, dvNode *node)
{
  FrictionResponse *r = (FrictionResponse *)o;
  dv_contact_sides_attach(&r->sides, live);
  r->constraint->base.node = node;
  dv_live_add(live, &r->constraint->base);
}

static void friction_end(dvObject *o, dvLiveGroup *live)
{
  FrictionResponse *r = (FrictionResponse *)o;
  dv_contact_sides_end(&r->sides, live);
  if (r->constraint) dv_live_give(live, &r->constraint->base);
  r->constraint = NULL;
}

static double friction_force(const dvObject *o)
{
  const ContactConstraint *c = ((const FrictionResponse *)o)->constraint;
  return c ? c->force : 0;
}

static void response_destroy(dvObject *o)
{
  FrictionResponse *r = (FrictionResponse *)o;
  dv_contact_sides_free(&r->sides);
  dv_array_free(&r->kept);
}

static const dvResponseOps friction_ops = {friction_update, friction_attach, friction_end, friction_force},
                           stick_ops = {stick_update, friction_attach, friction_end, friction_force};

const dvClass dv_friction_response_class = {
    .struct_size = sizeof(dvClass),
    .name = "FrictionResponse",
    .help = "keeps two models apart, with friction",
    .size = sizeof(FrictionResponse),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_RESPONSE] = &friction_ops},
    .destroy = response_destroy,
};

const dvClass dv_stick_response_class = {
    .struct_size = sizeof(dvClass),
    .name = "StickResponse",
    .help = "glues two models together where they touch",
    .size = sizeof(FrictionResponse),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_RESPONSE] = &stick_ops},
    .destroy = response_destroy,
};
