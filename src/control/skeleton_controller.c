// ArticulatedHierarchyController: a user chooses an articulation of a skeleton by a key and moves it with the mouse.
//
// The key of an articulation makes it the active one, or lets it go. At the beginning of each step its coordinate grows
// by angleDelta while the left button is held and shrinks while the right one is; a turn of the wheel counts twice,
// once. The keys + and - do the same as a button for one step, for those without a mouse. With propagateUserInteraction
// the change is shared equally with the articulations of the same kind and axis further down, one child of each centre.
#include "control/controllers.h"
#include "mapping/nonlinear/articulated.h"
#include "mechanics/mechanics.h"

#include <ctype.h>
#include <string.h>

#define SKELETON_FIELDS(X)                                                                                           \
  X(bool, handleEventTriggersUpdate, "0", "", "accepted: coordinates change at the beginning of a step, as in SOFA", \
    .flags = DV_HIDDEN)                                                                                              \
  X(ints, articulationsIndices, "", "", "coordinates that the user may move")                                        \
  X(strings, bindingKeys, "", "", "key of each of them")                                                             \
  X(real, angleDelta, "0.01", "rad or m", "change of a coordinate in a step")                                        \
  X(bool, propagateUserInteraction, "0", "", "share the change with the articulations of the same axis further down")

typedef struct SkeletonController {
  dvObject base;
  SKELETON_FIELDS(DV_MEMBER)
  const dvSkeleton *skeleton;
  dvState *state;
  dvPlan *plan;
  int active;    // place in articulationsIndices, or -1
  double sign;   // of the change in this step; 0: none
  bool once;     // a wheel or a key, which nobody lets go
} SkeletonController;

#define SELF SkeletonController
static const dvFieldDesc skeleton_fields[] = {SKELETON_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc skeleton_memory[] = {DV_REMEMBER(numbers, active) DV_REMEMBER(numbers, sign)
                                                   DV_REMEMBER(numbers, once)};
#undef SELF

static bool skeleton_controller_restored(dvObject *o)
{
  const SkeletonController *c = (const SkeletonController *)o;
  return c->active >= -1 && c->active < (int)c->articulationsIndices.count;
}

// the first state of scalar coordinates in a node or below
static dvObject *find_coordinates(const dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_STATE) && o->dof && o->dof->kind == DV_VEC1) return o;
  }
  for (size_t i = 0; i < node->children.count; i++) {
    dvObject *found = find_coordinates(node->children.data[i]);
    if (found) return found;
  }
  return NULL;
}

static dvStatus skeleton_controller_init(dvObject *o)
{
  SkeletonController *c = (SkeletonController *)o;
  dvObject *container = dv_skeleton_find(o->node), *state = find_coordinates(o->node);
  if (!container)
    return dv_error(o, "put it into the node of an ArticulatedHierarchyContainer", "%s finds no skeleton", o->name);
  if (!state) return dv_error(o, "add a MechanicalObject of type Vec1", "%s finds no coordinates to move", o->name);
  DV_TRY(dv_object_ensure(container));
  DV_TRY(dv_object_ensure(state));
  c->skeleton = dv_skeleton_of(container);
  c->state = dv_state(state);
  for (size_t i = 0; i < c->articulationsIndices.count; i++)
    if (c->articulationsIndices.data[i] < 0 || (size_t)c->articulationsIndices.data[i] >= c->state->count)
      return dv_field_error(o, &c->articulationsIndices, NULL, "there is no coordinate %d; %s has %zu",
                            c->articulationsIndices.data[i], state->name, c->state->count);
  if (c->bindingKeys.count != c->articulationsIndices.count)
    dv_field_warning(o, &c->bindingKeys, "give a key for each articulation", "%zu keys for %zu articulations",
                     c->bindingKeys.count, c->articulationsIndices.count);
  if (!o->listening)
    dv_field_warning(o, &o->listening, "set listening=\"1\"", "%s does not listen to events: it moves nothing",
                     o->name);
  c->active = -1;
  c->sign = 0;
  return DV_OK;
}

// the centre that an articulation belongs to; false when no articulation moves the coordinate
static bool find_articulation(const dvSkeleton *s, int32_t coordinate, size_t *center, size_t *articulation)
{
  for (size_t c = 0; c < s->centers.count; c++)
    for (size_t a = s->centers.data[c].first; a < s->centers.data[c].first + s->centers.data[c].count; a++)
      if (s->articulations.data[a].index == coordinate) {
        *center = c;
        *articulation = a;
        return true;
      }
  return false;
}

static bool same_motion(const dvArticulation *a, const dvArticulation *b)
{
  return a->rotation == b->rotation && a->translation == b->translation && a->axis.x == b->axis.x &&
         a->axis.y == b->axis.y && a->axis.z == b->axis.z;
}

// moves on to the first articulation below a centre that moves in the same way
static bool next_below(const dvSkeleton *s, const dvArticulation *like, size_t *center, size_t *articulation)
{
  for (size_t c = 0; c < s->centers.count; c++) {
    if (s->centers.data[c].parent != s->centers.data[*center].child || c == *center) continue;
    for (size_t a = s->centers.data[c].first; a < s->centers.data[c].first + s->centers.data[c].count; a++)
      if (same_motion(&s->articulations.data[a], like)) {
        *center = c;
        *articulation = a;
        return true;
      }
  }
  return false;
}

static size_t chain_of(const SkeletonController *c, size_t center, size_t articulation, const double *change, double *x,
                       double *free)
{
  const dvSkeleton *s = c->skeleton;
  const dvArticulation *like = &s->articulations.data[articulation];
  size_t length = 0;
  do {
    size_t at = (size_t)s->articulations.data[articulation].index;
    if (change && at < c->state->count) x[at] += *change, free[at] += *change;
    length++;
  } while (c->propagateUserInteraction && length <= s->centers.count && next_below(s, like, &center, &articulation));
  return length;
}

static void skeleton_controller_apply(SkeletonController *c)
{
  size_t center, articulation;
  double sign = c->sign;
  if (sign == 0) return;
  if (c->once) c->sign = 0;
  if (c->active < 0 || !find_articulation(c->skeleton, c->articulationsIndices.data[c->active], &center, &articulation))
    return;
  double change = sign * c->angleDelta / (double)chain_of(c, center, articulation, NULL, NULL, NULL);
  chain_of(c, center, articulation, &change, dv_state_write(c->state, DV_X), dv_state_write(c->state, DV_X_FREE));
  dv_state_touch(c->state, DV_X);
  dvObject *o = &c->base;
  dvPlan *plan = dv_plan_get(&c->plan, o->node);
  dv_mech_settle(plan, DV_X, DV_V, o->node->time);
}

// capital letters ask for the same letter, as in SOFA
static int key_of(const SkeletonController *c, int key)
{
  for (size_t i = 0; i < c->bindingKeys.count && i < c->articulationsIndices.count; i++) {
    int wanted = (unsigned char)c->bindingKeys.data[i][0];
    if (key < 128 && wanted && wanted == (isupper(wanted) ? toupper(key) : tolower(key))) return (int)i;
  }
  return -1;
}

static void press(SkeletonController *c, int key)
{
  int number = key_of(c, key);
  if (number >= 0) {
    c->active = c->active == number ? -1 : number;
  } else if (key == '+' || key == '-') {
    c->sign = key == '+' ? 1 : -1;
    c->once = true;
  }
}

static void skeleton_controller_event(dvObject *o, const dvEvent *event)
{
  SkeletonController *c = (SkeletonController *)o;
  if (!o->listening || o->failed) return;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) skeleton_controller_apply(c);
  if (event->kind == DV_EVENT_KEY && !event->released) press(c, event->key);
  if (event->kind != DV_EVENT_MOUSE) return;
  if (event->mouse == DV_MOUSE_WHEEL && event->wheel) {
    c->sign = event->wheel > 0 ? 2 : -2;
    c->once = true;
  } else if (event->mouse == DV_MOUSE_LEFT || event->mouse == DV_MOUSE_RIGHT) {
    c->sign = event->released ? 0 : event->mouse == DV_MOUSE_LEFT ? 1 : -1;
    c->once = false;
  }
}

static void skeleton_controller_destroy(dvObject *o) { dv_plan_destroy(&((SkeletonController *)o)->plan); }

const dvClass dv_skeleton_controller_class = {
    .struct_size = sizeof(dvClass),
    .name = "ArticulatedHierarchyController",
    .help = "moves the articulations of a skeleton by keys and the mouse",
    .module = "ArticulatedSystemPlugin",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(SkeletonController),
    .blocks = {&dv_object_block, DV_BLOCK(skeleton_fields)},
    .init = skeleton_controller_init,
    .handle_event = skeleton_controller_event,
    .destroy = skeleton_controller_destroy,
    DV_MEMORY(skeleton_memory),
    .restored = skeleton_controller_restored,
};
