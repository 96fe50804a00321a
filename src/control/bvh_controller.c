// ArticulatedHierarchyBVHController: plays the motion of a .bvh file on the coordinates of a skeleton.
//
// The frame follows from the time of the scene or, with `useExternalTime`, from `externalTime`; behind the last one the
// motion stands still. With compat sofa a step does not know the frames' time: frame k is held and blended into the
// next over 1 / (frame time) steps, and before the last frame the motion stops.
#include "control/register.h"
#include "mapping/nonlinear/articulated.h"
#include "object/compat.h"
#include "state/state.h"

#include <math.h>

#define BVH_FIELDS(X)                                                              \
  X(bool, useExternalTime, "0", "", "take the frame that belongs to externalTime") \
  X(real, externalTime, "0", "s", "time of the motion, where useExternalTime is set")

typedef struct BvhController {
  dvObject base;
  BVH_FIELDS(DV_MEMBER)
  const dvSkeleton *skeleton;
  dvState *state;
  size_t frame;
  double steps;    // in this frame
  bool by_steps;   // 1 / (frame time) of them a frame
} BvhController;

#define SELF BvhController
static const dvFieldDesc bvh_fields[] = {BVH_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc bvh_memory[] = {DV_REMEMBER(numbers, frame) DV_REMEMBER(numbers, steps)};
#undef SELF

static dvStatus bvh_init(dvObject *o)
{
  BvhController *c = (BvhController *)o;
  dvObject *container = dv_skeleton_find(o->node), *state = dv_node_state(o->node);
  if (!container)
    return dv_error(o, "add an ArticulatedHierarchyContainer with a .bvh file to the node",
                    "ArticulatedHierarchyBVHController finds no skeleton");
  if (!state || state->dof->kind != DV_VEC1)
    return dv_error(o, "add a MechanicalObject of type Vec1", "the node has no coordinates to move");
  DV_TRY(dv_object_ensure(container));
  c->skeleton = dv_skeleton_of(container);
  c->state = dv_state(state);
  if (c->skeleton->frames < 2)
    return dv_error(o, "name a .bvh file with two frames or more in the container",
                    "the skeleton has no recorded motion");
  c->by_steps = dv_compat(o, DV_COMPAT_BVH_CLOCK);
  return DV_OK;
}

static bool bvh_restored(dvObject *o)
{
  const BvhController *c = (const BvhController *)o;
  return c->frame <= c->skeleton->frames - 2;
}

static void bvh_set(BvhController *c, double share)
{
  const dvSkeleton *s = c->skeleton;
  if (c->state->count < s->coordinates) return;
  double *x = dv_state_write(c->state, DV_X), *free = dv_state_write(c->state, DV_X_FREE);
  const double *now = s->motion.data + c->frame * s->coordinates, *next = now + s->coordinates;
  for (size_t i = 0; i < s->coordinates; i++) x[i] = free[i] = now[i] + share * (next[i] - now[i]);
  dv_state_touch(c->state, DV_X);
}

static void bvh_handle(dvObject *o, const dvEvent *event)
{
  BvhController *c = (BvhController *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN) return;
  size_t last = c->skeleton->frames - 2;
  double each = 1 / c->skeleton->frame_time;
  if (c->useExternalTime || !c->by_steps) {
    double at = fmax((c->useExternalTime ? c->externalTime : o->node->time) / c->skeleton->frame_time, 0);
    c->frame = (size_t)fmin(floor(at), (double)last);
    bvh_set(c, c->by_steps ? at - floor(at) : fmin(at - (double)c->frame, 1));
    return;
  }
  bvh_set(c, c->steps / each);
  if (c->frame >= last) return;
  if (c->steps < each - 1) {
    c->steps++;
    return;
  }
  size_t stride = each < 1 ? (size_t)fmax(c->skeleton->frame_time, 1) : 1;
  if (c->frame + stride <= last) c->frame += stride;
  c->steps = 0;
}

const dvClass dv_bvh_controller_class = {
    .struct_size = sizeof(dvClass),
    .name = "ArticulatedHierarchyBVHController",
    .help = "plays the motion of a .bvh file on the coordinates of a skeleton",
    .module = "ArticulatedSystemPlugin",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(BvhController),
    .blocks = {&dv_object_block, DV_BLOCK(bvh_fields)},
    .init = bvh_init,
    .handle_event = bvh_handle,
    DV_MEMORY(bvh_memory),
    .restored = bvh_restored,
};
