// VirtualCoupling: a damped spring with six degrees of freedom between a hand and its tool, on both sides.
//
//   simulation     f = K (p - x) + D (p' - v) on the frame x, with the hand p as it was when the step began
//   haptic loop    f = K (x - p) + D (v - p') on the hand, with the tool as the last step has left it
//
// Torques alike, with the rotation vector from one to the other. The delay between the two acts as damping of its own,
// which `quiet` takes away where nothing touches the tool. The derivative leaves out how the rotation vector of a
// finite turn changes. With a mechanism (LCPForceFeedback in the same node) the hand feels that instead, and this
// spring is its control spring.
#include "haptic/driver.h"
#include "haptic/feedback.h"
#include "haptic/register.h"

#include "collision/collision.h"
#include "math/pose.h"

#include <string.h>

#define COUPLING_FIELDS(X)                                                                       \
  DV_FEEDBACK_FIELDS(X)                                                                          \
  X(link, driver, "", "", "device whose hand holds the tool; the first of the scene by default", \
    .role = DV_ROLE_CONTROLLER)                                                                  \
  X(real, stiffness, "500", "N/m", "stiffness between hand and tool", .least = "0")              \
  X(real, angularStiffness, "1", "N m", "stiffness against turns", .least = "0")                 \
  X(real, damping, "1", "N s/m", "damping between hand and tool", .least = "0")                  \
  X(real, angularDamping, "0.01", "N m s", "damping of turns", .least = "0")                     \
  X(bool, quiet, "0", "",                                                                        \
    "the hand feels nothing while the tool touches nothing: no damping by delay, but contacts "  \
    "may seem to stick")                                                                         \
  X(bool, direct, "0", "",                                                                       \
    "the hand gets the force of the last step until the next one: unstable on stiff bodies, for comparison only")

typedef struct Coupling {
  dvForce force;
  COUPLING_FIELDS(DV_MEMBER)
  dvFeedback feedback;
  dvDriver *hand;
} Coupling;

#define SELF Coupling
static const dvFieldDesc coupling_fields[] = {COUPLING_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvFeedback *coupling_feedback(dvObject *o) { return &((Coupling *)o)->feedback; }
static int coupling_tool(const dvObject *o) { return ((const Coupling *)o)->indice; }
static bool coupling_active(const dvObject *o) { return ((const Coupling *)o)->activate; }

dvControlSpring dv_virtual_coupling_spring(const dvObject *o)
{
  const Coupling *c = (const Coupling *)o;
  return (dvControlSpring){.stiffness = {c->stiffness, c->angularStiffness},
                           .damping = {c->damping, c->angularDamping}};
}

static dvStatus coupling_check(dvObject *o)
{
  Coupling *c = (Coupling *)o;
  const double *given[] = {&c->stiffness, &c->angularStiffness, &c->damping, &c->angularDamping};
  for (size_t i = 0; i < DV_COUNT(given); i++)
    if (!(*given[i] >= 0))
      return dv_field_error(o, given[i], "take 0 or more", "%s is %g: the hand would gain energy",
                            dv_field_of(o, given[i])->desc->name, *given[i]);
  if (c->indice >= 0 && (size_t)c->indice < c->force.state->count) return DV_OK;
  return dv_field_error(o, &c->indice, "indices count from 0", "there is no frame %d: the tool has %zu", c->indice,
                        c->force.state->count);
}

static dvStatus coupling_init(dvObject *o)
{
  Coupling *c = (Coupling *)o;
  DV_TRY(dv_force_init(o));
  DV_TRY(coupling_check(o));
  dvObject *driver = c->driver.target ? c->driver.target : dv_driver_find(o->node->scene);
  c->hand = driver ? dv_driver(driver) : NULL;
  if (c->hand) return DV_OK;
  return dv_field_error(o, &c->driver, "add one: GeomagicEmulator needs no device", "%s holds the tool of no device",
                        o->name);
}

// what takes the frame to the hand, and how fast they part
static void difference(const Coupling *c, const double *x, const double *v, double out[6], double rate[6])
{
  dvPose hand = dv_pose_load(c->hand->handed.pose), tool = dv_pose_load(x);
  dv_vec3_store(out, dv_vec3_sub(hand.at, tool.at));
  dv_vec3_store(out + 3, dv_quat_to_rotation_vector(dv_quat_mul(hand.turn, dv_quat_inverse(tool.turn))));
  for (int i = 0; i < 6; i++) rate[i] = c->hand->handed.velocity[i] - v[i];
}

static bool pulls(const Coupling *c) { return c->hand->handed.ready != 0 && (size_t)c->indice < c->force.state->count; }

static double stiffness_of(const Coupling *c, int i) { return i < 3 ? c->stiffness : c->angularStiffness; }
static double damping_of(const Coupling *c, int i) { return i < 3 ? c->damping : c->angularDamping; }

static void coupling_add_force(dvObject *o, const dvMech *m)
{
  const Coupling *c = (const Coupling *)o;
  double apart[6], rate[6];
  size_t i = (size_t)c->indice;
  if (!pulls(c)) return;
  difference(c, dv_state_read(c->force.state, m->x) + 7 * i, dv_state_read(c->force.state, m->v) + 6 * i, apart, rate);
  double *f = dv_state_write(c->force.state, m->f) + 6 * i;
  for (int k = 0; k < 6; k++) f[k] += stiffness_of(c, k) * apart[k] + damping_of(c, k) * rate[k];
}

static double factor_of(const Coupling *c, const dvMech *m, int i)
{
  return -stiffness_of(c, i) * dv_mech_k(m, c->force.rayleighStiffness) - damping_of(c, i) * m->b;
}

static void coupling_add_dforce(dvObject *o, const dvMech *m)
{
  const Coupling *c = (const Coupling *)o;
  size_t at = 6 * (size_t)c->indice;
  if (!pulls(c)) return;
  const double *dx = dv_state_read(c->force.state, m->dx) + at;
  double *df = dv_state_write(c->force.state, m->df) + at;
  for (int k = 0; k < 6; k++) df[k] += factor_of(c, m, k) * dx[k];
}

static void coupling_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const Coupling *c = (const Coupling *)o;
  double block[36] = {0};
  if (!pulls(c)) return;
  for (int k = 0; k < 6; k++) block[7 * k] = factor_of(c, m, k);
  sink->add(sink, c->force.state, (size_t)c->indice, c->force.state, (size_t)c->indice, 6, 6, block);
}

static double coupling_energy(dvObject *o, const dvMech *m)
{
  const Coupling *c = (const Coupling *)o;
  double apart[6], rate[6], sum = 0;
  size_t i = (size_t)c->indice;
  if (!pulls(c)) return 0;
  difference(c, dv_state_read(c->force.state, m->x) + 7 * i, dv_state_read(c->force.state, m->v) + 6 * i, apart, rate);
  for (int k = 0; k < 6; k++) sum += 0.5 * stiffness_of(c, k) * apart[k] * apart[k];
  return sum;
}

// --- what the hand feels -------------------------------------------------------------------------

static bool is_below(const dvNode *node, const dvNode *top)
{
  if (node == top) return true;
  for (size_t i = 0; i < node->parents.count; i++)
    if (is_below(node->parents.data[i], top)) return true;
  return false;
}

static bool touches(const Coupling *c)
{
  dvTouch t;
  const dvNode *tool = c->force.state->base.node;
  for (size_t i = 0; dv_scene_touch(c->force.base.node->scene, i, &t); i++)
    if (t.force > 0 && (is_below(t.model[0]->base.node, tool) || is_below(t.model[1]->base.node, tool))) return true;
  return false;
}

static void coupling_draft(dvObject *o, double dt)
{
  Coupling *c = (Coupling *)o;
  dvSensation *m = dv_feedback_begin(&c->feedback, c->direct ? DV_RENDER_HELD : DV_RENDER_COUPLING, dt, 0, 0);
  const double *x = dv_state_read(c->force.state, DV_X) + 7 * (size_t)c->indice,
               *v = dv_state_read(c->force.state, DV_V) + 6 * (size_t)c->indice;
  memcpy(m->pose, x, sizeof m->pose);
  memcpy(m->velocity, v, sizeof m->velocity);
  m->stiffness[0] = c->stiffness, m->stiffness[1] = c->angularStiffness;
  m->damping[0] = c->damping, m->damping[1] = c->angularDamping;
  m->quiet = c->quiet;
  m->touches = !c->quiet || touches(c);
  if (!c->direct) return;
  double apart[6], rate[6];
  m->blend = 0;
  difference(c, x, v, apart, rate);
  for (int k = 0; k < 6; k++) m->wrench[k] = -stiffness_of(c, k) * apart[k] - damping_of(c, k) * rate[k];
}

static void coupling_create(dvObject *o) { dv_feedback_init(coupling_feedback(o)); }
static void coupling_remember(dvObject *o, dvMemoryStream *s) { dv_feedback_remember(coupling_feedback(o), s); }
static void coupling_destroy(dvObject *o) { dv_feedback_free(coupling_feedback(o)); }

static const dvForceOps coupling_force_ops = {
    .add_force = coupling_add_force,
    .add_dforce = coupling_add_dforce,
    .add_stiffness = coupling_add_stiffness,
    .energy = coupling_energy,
    DV_FORCE_SLOTS,
};
static const dvFeedbackOps coupling_feedback_ops = {
    .feedback = coupling_feedback, .tool = coupling_tool, .active = coupling_active, .draft = coupling_draft};

const dvClass dv_virtual_coupling_class = {
    .struct_size = sizeof(dvClass),
    .name = "VirtualCoupling",
    .help = "a damped spring between a hand and its tool, felt by both",
    .module = "Sofa.Component.Haptics",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(Coupling),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(coupling_fields)},
    .presets = "activate=1",
    .ops = {[DV_ROLE_FORCE] = &coupling_force_ops, [DV_ROLE_CONTROLLER] = &coupling_feedback_ops},
    .create = coupling_create,
    .init = coupling_init,
    .reinit = coupling_check,
    .destroy = coupling_destroy,
    .remember = coupling_remember,
};
