// NeedleInsertionConstraint: a needle, a frame or a chain of beams, in one tissue.
//
// On the surface the tip is in contact along its axis, with friction across, until its push reaches punctureForce. From
// then on its tip cuts a path (needle_path.c), and places along it hold the shaft. With the needle's point n(s), the
// place p and directions a along the needle, c and e across it,
//
//   places   c (n - p) = e (n - p) = 0; along, impulses of up to h (dryFriction length + friction side force) keep the
//            two together, and while they slip viscousFriction length speed is added
//   tip      across as a place; along, the tissue resists with up to cuttingForce, and only to going in
//
// for steps of h seconds. Needles that pass several tissues have one such constraint for each. Literature: C. Duriez,
// C. Guébert, M. Marchal, S. Cotin, L. Grisoni, Interactive simulation of flexible needle insertions based on
// constraint models, 2009; E. Dehghan, X. Wen, R. Zahiri-Azar, M. Marchal, S. Salcudean, Needle-tissue interaction
// modeling using ultrasound-based motion estimation, 2008.
#include "instrument/needle.h"

#include <math.h>

extern const dvClass dv_needle_class;

#define SELF dvNeedle
static const dvFieldDesc needle_fields[] = {DV_NEEDLE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc needle_memory[] = {
    DV_REMEMBER(reals, path) DV_REMEMBER(array, along) DV_REMEMBER(array, cells) DV_REMEMBER(numbers, heading)
        DV_REMEMBER(numbers, exit) DV_REMEMBER(numbers, cell) DV_REMEMBER(numbers, pierced) DV_REMEMBER(numbers, phase)
            DV_REMEMBER(numbers, depth) DV_REMEMBER(numbers, force) DV_REMEMBER(numbers, tipForce)
                DV_REMEMBER(numbers, shaftForce)};
#undef SELF

// --- laws ----------------------------------------------------------------------------------------

// rows 0 and 1 become 0; a row that nothing can move keeps its multiplier
static void solve_across(const double *w, double *d, double *lambda)
{
  double det = w[0] * w[4] - w[1] * w[3], change[2] = {0, 0};
  if (det > 1e-14 * w[0] * w[4]) {
    change[0] = -(w[4] * d[0] - w[1] * d[1]) / det;
    change[1] = -(w[0] * d[1] - w[3] * d[0]) / det;
  } else {
    for (int i = 0; i < 2; i++) change[i] = w[4 * i] > 0 ? -0.5 * d[i] / w[4 * i] : 0;
  }
  for (int i = 0; i < 2; i++) {
    lambda[i] += change[i];
    for (int k = 0; k < 3; k++) d[k] += w[3 * k + i] * change[i];
  }
}

// the place: law->high is the dry impulse, law->low what a unit of slip adds
static void solve_place(dvObject *o, const dvLaw *law, const double *w, const double *violation, double *lambda)
{
  DV_UNUSED(o);
  double d[3] = {violation[0], violation[1], violation[2]};
  solve_across(w, d, lambda);
  double limit = law->high + law->mu * hypot(lambda[0], lambda[1]), free = d[2] - w[8] * lambda[2];
  if (fabs(free) <= w[8] * limit) lambda[2] = w[8] > 0 ? -free / w[8] : 0;
  else {
    double slip = (free - copysign(w[8] * limit, free)) / (1 + w[8] * law->low);
    lambda[2] = -copysign(limit, free) - law->low * slip;
  }
}

// the tip: between -high (going in) and 0; beside the last place (low) it is that which holds across
static void solve_tip(dvObject *o, const dvLaw *law, const double *w, const double *violation, double *lambda)
{
  DV_UNUSED(o);
  double d[3] = {violation[0], violation[1], violation[2]};
  if (law->low == 0) solve_across(w, d, lambda);
  double free = d[2] - w[8] * lambda[2];
  lambda[2] = free <= 0 ? 0 : w[8] > 0 ? -fmin(law->high, free / w[8]) : -law->high;
}

// on the surface: row 0 along the needle, no more than high; rows 1 and 2 in Coulomb's cone. low is what it will be
// once the surface has given way, for those who look ahead.
static void solve_touch(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda)
{
  DV_UNUSED(o);
  double free = d[0] - w[0] * lambda[0];
  double push = free >= 0 ? 0 : w[0] > 0 ? fmin(law->high, -free / w[0]) : law->high;
  double slip[2], mean = 0.5 * (w[4] + w[8]);
  for (int i = 0; i < 2; i++) slip[i] = d[1 + i] + w[3 * (1 + i)] * (push - lambda[0]);
  lambda[0] = push;
  for (int i = 0; i < 2; i++) lambda[1 + i] -= mean > 0 ? slip[i] / mean : 0;
  double size = hypot(lambda[1], lambda[2]), limit = law->mu * push;
  for (int i = 0; i < 2 && size > limit; i++) lambda[1 + i] *= limit / size;
}

static const dvLawSolve solvers[DV_NEEDLE_LAWS] = {
    [DV_NEEDLE_PLACE] = solve_place, [DV_NEEDLE_TIP] = solve_tip, [DV_NEEDLE_TOUCH] = solve_touch};

dvLawSolve dv_needle_law(int number) { return solvers[number]; }

int dv_needle_law_number(const dvLaw *law)
{
  for (int i = 0; law->kind == DV_LAW_OWN && i < DV_NEEDLE_LAWS; i++)
    if (law->solve == solvers[i]) return i;
  return -1;
}

static size_t needle_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  const dvNeedle *n = (const dvNeedle *)o;
  size_t count = 0;
  if (dv_constraint_model_is_over(o)) return 0;
  for (size_t i = 0; i < n->holds.count; i++, count++)
    if (out)
      out[count] = (dvLaw){.kind = DV_LAW_OWN,
                           .rows = 3,
                           .mu = n->friction,
                           .high = n->dryFriction * n->holds.data[i].reach * step->dt,
                           .low = n->viscousFriction * n->holds.data[i].reach * (step->velocities ? step->dt : 1),
                           .id = i,
                           .solve = solve_place};
  if (n->phase != 1 && n->phase != 2) return count;
  if (out)
    out[count] = (dvLaw){.kind = DV_LAW_OWN,
                         .rows = 3,
                         .mu = n->surfaceFriction,
                         .high = (n->phase == 1 ? n->punctureForce : n->cuttingForce) * step->dt,
                         .low = n->phase == 1 ? n->cuttingForce * step->dt : n->tip.reach < 0.25 * n->step,
                         .id = UINT32_MAX + (uint64_t)n->phase,
                         .restarts = true,
                         .solve = n->phase == 1 ? solve_touch : solve_tip};
  return count + 1;
}

// --- rows ----------------------------------------------------------------------------------------

// the directions of a hold in the order of its rows
static void directions(const dvNeedle *n, const dvHold *h, dvVec3 out[3])
{
  bool axis_first = h == &n->tip && n->phase == 1;
  out[0] = axis_first ? h->along : h->side;
  out[1] = axis_first ? h->side : h->other;
  out[2] = axis_first ? h->other : h->along;
}

static bool has_tip(const dvNeedle *n) { return n->phase == 1 || n->phase == 2; }
static size_t hold_count(const dvNeedle *n)
{
  return dv_constraint_model_is_over(&n->model.base) ? 0 : n->holds.count + has_tip(n);
}
static const dvHold *hold(const dvNeedle *n, size_t i) { return i < n->holds.count ? &n->holds.data[i] : &n->tip; }

static void needle_begin(dvObject *o, const dvConstraintStep *step)
{
  dvNeedle *n = (dvNeedle *)o;
  if (step->again) return;
  const double *x = dv_state_read(n->shaft.state, DV_X), *y = dv_state_read(n->body.state, DV_X);
  dvVec3 ahead = {0, 0, 0};
  if (!n->shaft.beams || dv_beams_count(n->shaft.beams))
    ahead =
        dv_shaft_pose(&n->shaft, dv_state_read(n->shaft.state, dv_constraint_positions(step)), dv_shaft_tip(&n->shaft))
            .at;
  dv_needle_follow(n, x, y, ahead);
}

static void needle_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  dvNeedle *n = (dvNeedle *)o;
  const double *x = dv_state_read(n->shaft.state, DV_X);
  n->model.constraintIndex = first;
  for (size_t i = 0; i < hold_count(n); i++) {
    dvVec3 d[3];
    directions(n, hold(n, i), d);
    for (int k = 0; k < 3; k++, first++) {
      dv_shaft_add_row(&n->shaft, x, hold(n, i)->s, d[k], 1, first, set);
      dv_tissue_add_row(&n->body, &hold(n, i)->spot, d[k], -1, first, set);
    }
  }
}

// gaps across count from 0, motion along the needle (on the surface: along that) from the beginning of the step
static void needle_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const dvNeedle *n = (const dvNeedle *)o;
  int vector = dv_constraint_positions(step);
  const double *x = dv_state_read(n->shaft.state, vector), *y = dv_state_read(n->body.state, vector),
               *v = dv_state_read(n->shaft.state, step->v), *u = dv_state_read(n->body.state, step->v);
  for (size_t i = 0; i < hold_count(n); i++) {
    const dvHold *h = hold(n, i);
    bool touches = h == &n->tip && n->phase == 1;
    dvVec3 d[3], gap = dv_vec3_sub(dv_shaft_pose(&n->shaft, x, h->s).at, dv_spot_at(&h->spot, y)),
                 speed = dv_vec3_sub(dv_shaft_velocity(&n->shaft, x, v, h->s), dv_spot_at(&h->spot, u));
    directions(n, h, d);
    for (int k = 0; k < 3; k++, out++) {
      bool slides = touches ? k > 0 : k == 2;
      double off = dv_vec3_dot(d[k], slides ? dv_vec3_sub(gap, h->gap) : gap);
      *out = step->velocities ? off / step->dt + dv_vec3_dot(d[k], speed) : off;
    }
  }
}

static void needle_store(dvObject *o, const dvConstraintStep *step, const double *lambda)
{
  dvNeedle *n = (dvNeedle *)o;
  n->tipForce = n->shaftForce = 0;
  for (size_t i = 0; i < hold_count(n); i++, lambda += 3) {
    if (i < n->holds.count) {
      n->shaftForce -= lambda[2] / step->dt;
      continue;
    }
    n->tipForce = (n->phase == 1 ? lambda[0] : -lambda[2]) / step->dt;
    if (n->phase == 1)
      n->pierced = n->punctureForce > 0 ? lambda[0] >= n->punctureForce * step->dt * (1 - 1e-9)
                                        : dv_vec3_dot(n->tip.gap, n->tip.along) <= 0;
  }
  n->force = n->tipForce + n->shaftForce;
  dv_touch(o, &n->phase);
  dv_touch(o, &n->depth);
  dv_touch(o, &n->force);
  dv_touch(o, &n->tipForce);
  dv_touch(o, &n->shaftForce);
}

static const dvConstraintOps needle_ops = {.begin = needle_begin,
                                           .laws = needle_laws,
                                           .rows = needle_rows,
                                           .violation = needle_violation,
                                           .store = needle_store};

// --- set-up --------------------------------------------------------------------------------------

static dvStatus find_shaft(dvNeedle *n)
{
  dvObject *o = &n->model.base;
  dvState *state = n->model.first;
  dvBeams *b = n->interpolation.target ? dv_beams_find(o, &n->interpolation, false) : NULL;
  if (n->interpolation.target && !b) return DV_ERROR_INPUT;
  for (size_t i = 0; !b && i < state->base.node->objects.count; i++) b = dv_beams(state->base.node->objects.data[i]);
  if (b) DV_TRY(dv_object_ensure(&b->base));
  if (b && b->state != state)
    return dv_error(o, "link the state of the beams", "the beams of %s join frames of another state", b->base.name);
  n->shaft = (dvShaft){.state = state, .beams = b, .length = n->length};
  if (b && n->length > 0)
    dv_field_warning(o, &n->length, NULL, "the needle is as long as its beams: length has no effect");
  if (!b && !(n->length > 0))
    return dv_field_error(o, &n->length, "give length=\"…\", or beams beside the state of the needle",
                          "a needle that is one frame needs a length");
  return DV_OK;
}

static dvStatus find_tissue(dvNeedle *n)
{
  dvObject *o = &n->model.base, *t = n->topology.target;
  if (!t) t = dv_node_find_up(n->model.second->base.node, DV_ROLE_TOPOLOGY);
  if (!t) return dv_error(o, "link it: topology=\"@…\"", "%s finds no mesh of the tissue", o->name);
  DV_TRY(dv_object_ensure(t));
  if (dv_topology_count(dv_topology(t), DV_TETRAHEDRON) + dv_topology_count(dv_topology(t), DV_HEXAHEDRON) == 0)
    return dv_error(o, "link a mesh of tetrahedra or hexahedra: topology=\"@…\"",
                    "the topology %s has neither tetrahedra nor hexahedra", t->name);
  DV_TRY(dv_tissue_init(&n->body, o, n->model.second, dv_topology(t)));
  dv_follow(o, n->body.topology);
  return DV_OK;
}

static dvStatus needle_check(dvObject *o)
{
  dvNeedle *n = (dvNeedle *)o;
  double beam = 0, tip;
  const double *numbers[] = {&n->length,   &n->punctureForce,   &n->cuttingForce, &n->dryFriction, &n->viscousFriction,
                             &n->friction, &n->surfaceFriction, &n->bevelRadius,  &n->spacing};
  for (size_t i = 0; i < DV_COUNT(numbers); i++)
    if (!(*numbers[i] >= 0 && *numbers[i] < 1e100))
      return dv_field_error(o, numbers[i], NULL, "%s is %g: it must not be negative",
                            dv_field_name(dv_field_of(o, numbers[i])->desc), *numbers[i]);
  tip = dv_shaft_tip(&n->shaft);
  if (n->shaft.beams && dv_beams_count(n->shaft.beams))
    beam = (tip - dv_shaft_begin(&n->shaft)) / (double)dv_beams_count(n->shaft.beams);
  n->step = n->spacing > 0 ? n->spacing : fmax(0.5 * n->body.size, beam);
  if (n->step > 0 && tip / n->step > 10000)
    return dv_field_error(o, &n->spacing, "10000 places along the needle are the most",
                          "the places that hold the needle are %g apart, it is %g long", n->step, tip);
  if (!(n->step > 0 && n->step < tip))
    return dv_field_error(o, &n->spacing, "give a part of the length of the needle",
                          "the places that hold the needle are %g apart, it is %g long", n->step, tip);
  if (n->bevelRadius > 0 && n->bevelRadius < n->step)
    return dv_field_error(o, &n->bevelRadius, "lower spacing, or raise the radius",
                          "a path of radius %g cannot be followed in steps of %g", n->bevelRadius, n->step);
  return DV_OK;
}

static dvStatus needle_init(dvObject *o)
{
  dvNeedle *n = (dvNeedle *)o;
  n->exit = -1;
  n->cell = -1;
  DV_TRY(dv_constraint_model_find(o, &n->needle, "first", &n->model.first));
  DV_TRY(dv_constraint_model_find(o, &n->tissue, "second", &n->model.second));
  DV_TRY(dv_object_ensure(&n->model.first->base));
  DV_TRY(dv_object_ensure(&n->model.second->base));
  if (n->model.first->base.dof->kind != DV_RIGID3 || n->model.second->base.dof->kind != DV_VEC3)
    return dv_error(o, "link frames as needle and points as tissue; a rigid tissue has points below a RigidMapping",
                    "the needle is %s and the tissue %s", n->model.first->base.dof->name,
                    n->model.second->base.dof->name);
  if (n->model.first->count == 0) return dv_error(o, NULL, "the state %s has no frame", n->model.first->base.name);
  DV_TRY(find_shaft(n));
  return find_tissue(n);
}

static dvStatus needle_bwd_init(dvObject *o)
{
  dvNeedle *n = (dvNeedle *)o;
  DV_TRY(needle_check(o));
  if (n->shaft.beams && dv_beams_count(n->shaft.beams) == 0) return DV_OK;
  size_t places = dv_needle_start_inside(n, dv_state_read(n->shaft.state, DV_X));
  if (places)
    dv_warning(o, "move it outside to have it punctured", "the needle starts inside the tissue: %zu places hold it",
               places);
  return DV_OK;
}

static void needle_topology_changed(dvObject *o)
{
  dvNeedle *n = (dvNeedle *)o;
  if (dv_tissue_init(&n->body, o, n->model.second, n->body.topology) != DV_OK) return;
  for (size_t i = 0; i < n->cells.count; i++) n->cells.data[i] = -1;
  n->cell = -1;
  size_t lost = dv_needle_look_up(n);
  if (lost && !o->rewound)
    dv_note(o, "the tissue around %zu places of the needle is gone: they no longer hold it", lost);
}

static bool needle_restored(dvObject *o)
{
  dvNeedle *n = (dvNeedle *)o;
  size_t count = dv_needle_places(n);
  if (n->path.count != 3 * count || n->along.count != count || n->cells.count != count) return false;
  return dv_needle_look_up(n) == 0;
}

static void needle_destroy(dvObject *o)
{
  dvNeedle *n = (dvNeedle *)o;
  dv_tissue_fini(&n->body);
  dv_array_free(&n->along);
  dv_array_free(&n->cells);
  dv_array_free(&n->holds);
}

const dvClass dv_needle_class = {
    .struct_size = sizeof(dvClass),
    .name = "NeedleInsertionConstraint",
    .help = "a needle or thread in tissue: puncture, cutting force, places that hold the shaft and rub along it",
    .module = "Divan",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(dvNeedle),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(needle_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &needle_ops},
    .init = needle_init,
    .bwd_init = needle_bwd_init,
    .reinit = needle_check,
    .destroy = needle_destroy,
    .topology_changed = needle_topology_changed,
    DV_MEMORY(needle_memory),
    .restored = needle_restored,
};
