// FrictionContactConstraint, PersistentFrictionContact (persistent.c), AugmentedLagrangianResponseConstraint,
// StickContactConstraint: contacts answered by Lagrange multipliers, and the constraints behind them,
// UnilateralLagrangianConstraint and AugmentedLagrangianConstraint.
//
//   d_n = (x_2 - x_1) . n - distance >= 0,   lambda_n >= 0,   d_n lambda_n = 0
//   |lambda_t| <= mu lambda_n,   equal to it against the motion d_t where the contact slides
//
// A contact has the rows n, t, s: t and s span the plane of contact, t = -n x s, s = n x (n_z, n_x, n_y) / |.|. Without
// friction it has the first only. Normals are those of the beginning of the step. The motion along t and s is counted
// from the moment in which the bodies meet, where that lies within the step, and is 0 for bodies that do not. What
// sticks keeps its vector: x_2 - x_1 = p_2 - p_1, three equal rows. Contacts at one place (1e-4) count once; with the
// parameter `apart` (rad) so do contacts of one ball whose normals are no farther apart, by the deepest of them.
//
// The augmented method does not ask how far a multiplier moves its contact: each iteration adds epsilon times the
// violation and goes back onto the cone (Alart and Curnier 1991, with Uzawa's steps),
//
//   lambda_n = max(0, lambda_n - r d_n),   lambda_t = the nearest to lambda_t - r d_t with |lambda_t| <= mu lambda_n
//
// r = epsilon, and at most 1/w, beyond which steps overshoot. Without friction it is Gauss-Seidel's step.
#include "collision/register.h"
#include "collision/response/persistent.h"
#include "math/vec.h"
#include "mechanics/rows.h"
#include "object/compat.h"

#include <math.h>
#include <string.h>

typedef struct Contact {
  int32_t point[2];   // of the two states
  dvVec3 place[2];    // of these points at the beginning of the step
  dvVec3 axis[3];     // n, t, s
  double distance;
  uint64_t id;
  int32_t element[2];
} Contact;

#define CONTACT_FIELDS(X)                                                                               \
  X(int, group, "0", "", "number of the group", .flags = DV_HIDDEN)                                     \
  X(int, constraintIndex, "0", "", "accepted: contacts are numbered by the solver", .flags = DV_HIDDEN) \
  X(real, endTime, "-1", "s", "accepted: contacts end when the bodies are apart", .flags = DV_HIDDEN)   \
  X(link, object1, "", "", "first body; contact managers set it", .role = DV_ROLE_STATE)                \
  X(link, object2, "", "", "second body; contact managers set it", .role = DV_ROLE_STATE)

typedef struct ContactConstraint {
  dvObject base;
  CONTACT_FIELDS(DV_MEMBER)
  dvState *state[2];
  const dvContactAnchor *anchor[2];   // what holds the points of these states
  bool persists;                      // multipliers begin with those of the last step
  dvPersistentMapping *keeper[2];     // of points that stick; NULL: they are found anew
  double mu, tolerance, epsilon;      // epsilon: of the augmented method, else 0
  bool sticks, as_sofa;
  bool fresh;   // the bodies did not touch in the last step
  uint64_t identity;
  DV_ARRAY(Contact) contacts;
  double force;   // N, along the normals in the last step
} ContactConstraint;

#define SELF ContactConstraint
static const dvFieldDesc contact_fields[] = {CONTACT_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- constraint ----------------------------------------------------------------------------------

static int rows_of(const ContactConstraint *c) { return c->sticks || c->mu > 0 ? 3 : 1; }

// SOFA's way along the plane of contact: without a bound, and what slides is pushed on
static void slide_as_sofa(double epsilon, double mu, const double *d, double *lambda)
{
  double t = lambda[1] - epsilon * d[1], s = lambda[2] - epsilon * d[2], motion = hypot(d[1], d[2]);
  if (hypot(t, s) < mu * lambda[0]) {
    lambda[1] = t;
    lambda[2] = s;
  } else if (motion > 0) {
    lambda[1] -= mu * d[0] * epsilon * d[1] / motion;
    lambda[2] -= mu * d[0] * epsilon * d[2] / motion;
  }
}

static void augmented_solve(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda)
{
  const ContactConstraint *c = (const ContactConstraint *)o;
  lambda[0] -= (c->as_sofa ? c->epsilon : dv_min(c->epsilon, 1 / w[0])) * d[0];
  if (!(lambda[0] >= 0)) lambda[0] = lambda[1] = lambda[2] = 0;
  else if (c->as_sofa) slide_as_sofa(c->epsilon, law->mu, d, lambda);
  else {
    double r = dv_min(c->epsilon, 1 / dv_max(w[4], w[8])), most = law->mu * lambda[0];
    for (int i = 1; i < 3; i++) lambda[i] -= r * d[i];
    double size = hypot(lambda[1], lambda[2]), part = size > most ? most / size : 1;
    for (int i = 1; i < 3; i++) lambda[i] *= part;
  }
}

static size_t contact_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const ContactConstraint *c = (const ContactConstraint *)o;
  dvLawKind kind = c->sticks ? DV_LAW_EQUAL : c->mu > 0 ? DV_LAW_FRICTION : DV_LAW_UNEQUAL;
  if (kind == DV_LAW_FRICTION && c->epsilon > 0) kind = DV_LAW_OWN;
  for (size_t i = 0; out && i < c->contacts.count; i++)
    out[i] = (dvLaw){.kind = kind,
                     .rows = rows_of(c),
                     .mu = c->mu,
                     .tolerance = c->tolerance,
                     .restarts = !c->persists,
                     .id = c->contacts.data[i].id,
                     .fresh = c->fresh,
                     .solve = augmented_solve};
  return c->contacts.count;
}

static void contact_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  const ContactConstraint *c = (const ContactConstraint *)o;
  int rows = rows_of(c);
  size_t at[2];
  for (int side = 0; side < 2; side++)   // the list may move when the second comes in
    at[side] = (size_t)(dv_rows_on(set, dv_contact_anchor_holder(c->anchor[side])) - set->states.data);
  dvSparseRows *on[2] = {&set->states.data[at[0]].rows, &set->states.data[at[1]].rows};
  for (size_t i = 0; i < c->contacts.count; i++) {
    const Contact *contact = &c->contacts.data[i];
    int32_t begin[2];
    for (int side = 0; side < 2; side++)
      begin[side] = dv_contact_anchor_first(c->anchor[side], (size_t)contact->point[side]);
    int lower = on[0] == on[1] && begin[1] < begin[0];   // columns in order need no sorting
    for (int k = 0; k < rows; k++, first++) {
      double axis[3];
      dv_vec3_store(axis, contact->axis[k]);
      for (int n = 0; n < 2; n++) {
        int side = n ^ lower;
        dv_contact_anchor_add_row(c->anchor[side], (size_t)contact->point[side], first, axis, side ? 1 : -1, on[side]);
      }
    }
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

// within the cone by more than rounding
static bool sticks(const ContactConstraint *c, const double *lambda)
{
  return rows_of(c) == 3 && lambda[0] > 0 && hypot(lambda[1], lambda[2]) < c->mu * lambda[0] * (1 - 1e-9);
}

static void keep_points(const ContactConstraint *c, int side, const double *lambda)
{
  dv_persistent_forget(c->keeper[side], c->identity, side);
  if (!c->anchor[side]->mapping) return;   // they are points of the surface
  for (size_t i = 0; i < c->contacts.count; i++) {
    const Contact *contact = &c->contacts.data[i];
    if (!sticks(c, lambda + i * (size_t)rows_of(c))) continue;
    dvKeptPoint k = {c->identity, contact->id, {contact->element[0], contact->element[1]}, side, {0}};
    dv_contact_anchor_where(c->anchor[side], i, k.at);
    dv_persistent_put(c->keeper[side], &k);
  }
}

static void contact_store(dvObject *o, const dvConstraintStep *step, const double *lambda)
{
  ContactConstraint *c = (ContactConstraint *)o;
  int rows = rows_of(c);
  c->force = 0;
  for (size_t i = 0; i < c->contacts.count; i++) c->force += lambda[i * (size_t)rows] / step->dt;
  for (int side = 0; side < 2; side++)
    if (c->keeper[side]) keep_points(c, side, lambda);
}

static uint64_t contact_identity(const dvObject *o) { return ((const ContactConstraint *)o)->identity; }

static void constraint_destroy(dvObject *o) { dv_array_free(&((ContactConstraint *)o)->contacts); }

static const dvConstraintOps contact_ops = {.laws = contact_laws,
                                            .rows = contact_rows,
                                            .violation = contact_violation,
                                            .store = contact_store,
                                            .identity = contact_identity};

#define CONTACT_CLASS(variable_, name_, aliases_, help_)      \
  const dvClass variable_ = {                                 \
      .struct_size = sizeof(dvClass),                         \
      .name = name_,                                          \
      .aliases = aliases_,                                    \
      .help = help_,                                          \
      .module = "Sofa.Component.Constraint.Lagrangian.Model", \
      .dofs = DV_DOF_VEC3,                                    \
      .size = sizeof(ContactConstraint),                      \
      .blocks = {&dv_object_block, DV_BLOCK(contact_fields)}, \
      .ops = {[DV_ROLE_CONSTRAINT] = &contact_ops},           \
      .destroy = constraint_destroy,                          \
  }

CONTACT_CLASS(dv_contact_constraint_class, "UnilateralLagrangianConstraint", "UnilateralInteractionConstraint",
              "contacts with or without friction between two bodies; contact managers make it");
CONTACT_CLASS(dv_augmented_constraint_class, "AugmentedLagrangianConstraint", NULL,
              "contacts whose multipliers grow by epsilon times the violation; contact managers make it");

// --- response ------------------------------------------------------------------------------------

typedef struct FrictionResponse {
  dvResponse base;
  dvContactSides sides;
  ContactConstraint *constraint;
  bool persists;
  unsigned version;   // of the graph when the keepers of its points were looked for
  dvDoubles once;     // contacts of the list
} FrictionResponse;

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
  dv_array_resize(&c->contacts, r->once.kept.count);
  for (size_t i = 0; i < r->once.kept.count; i++) {
    const dvContact *found = &list->contacts.data[r->once.kept.data[i]];
    Contact *contact = &c->contacts.data[i];
    contact->id = found->id;
    memcpy(contact->element, found->element, sizeof contact->element);
    contact->distance = distance;
    set_axes(contact, dv_vec3_load(found->normal));
    for (int side = 0; side < 2; side++) {
      int32_t point = dv_contact_sides_point(&r->sides, side, i);
      bool mapped = r->sides.anchor[side].mapping;
      contact->point[side] = point;
      contact->place[side] =
          dv_vec3_load(mapped ? found->point[side] : dv_state_read(r->sides.anchor[side].state, DV_X) + 3 * point);
      contact->distance += dv_contact_sides_radius(&r->sides, list, side, i);
      const dvKeptPoint *kept =
          mapped && c->keeper[side] ? dv_persistent_get(c->keeper[side], c->identity, side, found) : NULL;
      if (kept) contact->place[side] = dv_contact_anchor_stay(&r->sides.anchor[side], i, kept->at);
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

static dvStatus update(FrictionResponse *r, const dvClass *cls, dvLiveGroup *live, const dvObject *intersection,
                       const dvContactList *list)
{
  dv_doubles_drop(&r->once, list);
  dv_doubles_thin(&r->once, list, dv_response_number(&r->base, "apart", 0));
  if (list->model[0]->contactStiffness == 0 || list->model[1]->contactStiffness == 0) r->once.kept.count = 0;
  DV_TRY(dv_contact_sides_place(&r->sides, live, list, r->once.kept.data, r->once.kept.count));
  const dvScene *scene = r->base.base.node->scene;
  bool begins = !r->constraint;
  if (begins) r->constraint = (ContactConstraint *)dv_live_take(live, cls, dv_dof(DV_VEC3), r->base.base.node);
  r->constraint->persists = r->persists;
  for (int side = 0; side < 2; side++) {
    r->constraint->state[side] = r->sides.anchor[side].state;
    r->constraint->anchor[side] = &r->sides.anchor[side];
    if (!r->persists) r->constraint->keeper[side] = NULL;
    else if (begins || r->version != scene->version)
      r->constraint->keeper[side] = dv_persistent_find(list->model[side]);
  }
  r->version = scene->version;
  r->constraint->identity = identity_of(&r->base);
  r->constraint->fresh = r->base.since == r->base.base.node->scene->step;
  r->constraint->tolerance = dv_response_number(&r->base, "tol", 0);
  set_contacts(r, dv_proximity(intersection, list->model[0], list->model[1]).contact, list);
  return DV_OK;
}

static dvStatus slide(FrictionResponse *r, const dvClass *cls, double otherwise, dvLiveGroup *live,
                      const dvObject *intersection, const dvContactList *list)
{
  double mu = dv_response_number(&r->base, "mu", otherwise);
  if (!(mu >= 0))
    return dv_error(&r->base.base, "responseParams=\"mu=0.8\" is the default",
                    "a friction coefficient of %g has no meaning", mu);
  DV_TRY(update(r, cls, live, intersection, list));
  r->constraint->mu = mu;
  r->constraint->epsilon = 0;
  r->constraint->sticks = false;
  return DV_OK;
}

static dvStatus friction_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactList *list)
{
  return slide((FrictionResponse *)o, &dv_contact_constraint_class, 0.8, live, intersection, list);
}

static dvStatus persistent_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection,
                                  const dvContactList *list)
{
  ((FrictionResponse *)o)->persists = true;
  return friction_update(o, live, intersection, list);
}

static dvStatus augmented_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection,
                                 const dvContactList *list)
{
  FrictionResponse *r = (FrictionResponse *)o;
  double epsilon = dv_response_number(&r->base, "epsilon", 0);
  DV_TRY(slide(r, &dv_augmented_constraint_class, 0, live, intersection, list));
  if (r->constraint->mu > 0 && !(epsilon > 0))
    return dv_error(o, "give responseParams=\"mu=0.5&epsilon=10\"; about mass / time step of a point is a good one",
                    "with an epsilon of %g multipliers never grow", epsilon);
  r->constraint->epsilon = epsilon;
  r->constraint->as_sofa = r->constraint->mu > 0 && dv_compat(o, DV_COMPAT_AUGMENTED_SLIDING);
  return DV_OK;
}

static dvStatus stick_update(dvObject *o, dvLiveGroup *live, const dvObject *intersection, const dvContactList *list)
{
  FrictionResponse *r = (FrictionResponse *)o;
  DV_TRY(update(r, &dv_contact_constraint_class, live, intersection, list));
  r->constraint->mu = 0;
  r->constraint->sticks = true;
  return DV_OK;
}

static void friction_attach(dvObject *o, dvLiveGroup *live, dvNode *node)
{
  FrictionResponse *r = (FrictionResponse *)o;
  dv_contact_sides_attach(&r->sides, live);
  for (int side = 1; side >= 0; side--)   // where points are kept, so on the first model if there
    if (r->constraint->keeper[side]) node = ((const dvObject *)r->constraint->keeper[side])->node;
  r->constraint->base.node = node;
  dv_live_add(live, &r->constraint->base);
}

static void friction_end(dvObject *o, dvLiveGroup *live)
{
  FrictionResponse *r = (FrictionResponse *)o;
  dv_contact_sides_end(&r->sides, live);
  for (int side = 0; r->constraint && side < 2; side++)
    if (r->constraint->keeper[side]) dv_persistent_forget(r->constraint->keeper[side], r->constraint->identity, side);
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
  dv_doubles_free(&r->once);
}

static const dvResponseOps friction_ops = {friction_update, friction_attach, friction_end, friction_force},
                           persistent_ops = {persistent_update, friction_attach, friction_end, friction_force},
                           augmented_ops = {augmented_update, friction_attach, friction_end, friction_force},
                           stick_ops = {stick_update, friction_attach, friction_end, friction_force};

#define RESPONSE_CLASS(variable_, name_, ops_, help_) \
  const dvClass variable_ = {                         \
      .struct_size = sizeof(dvClass),                 \
      .name = name_,                                  \
      .help = help_,                                  \
      .size = sizeof(FrictionResponse),               \
      .blocks = {&dv_object_block},                   \
      .ops = {[DV_ROLE_RESPONSE] = &(ops_)},          \
      .destroy = response_destroy,                    \
  }

RESPONSE_CLASS(dv_friction_response_class, "FrictionResponse", friction_ops, "keeps two models apart, with friction");
RESPONSE_CLASS(dv_persistent_response_class, "PersistentResponse", persistent_ops,
               "keeps two models apart, with friction; points of contacts that stick stay where they are");
RESPONSE_CLASS(dv_augmented_response_class, "AugmentedResponse", augmented_ops,
               "keeps two models apart, with friction, by augmented multipliers");
RESPONSE_CLASS(dv_stick_response_class, "StickResponse", stick_ops, "glues two models together where they touch");
