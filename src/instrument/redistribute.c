// AdaptiveBeamController: moves the inner frames of a rod along it, so that beams are short where they are bent or
// stretched. A beam weighs l + 30 |l - L|, with the length l of its control polygon and L of the beam at rest; frames
// are placed so that all beams weigh the same, and their poses and velocities are those that the curve has there.
#include "instrument/beams.h"
#include "instrument/spline.h"

#include <math.h>
#include <string.h>

extern const dvClass dv_redistribute_class;

#define REDISTRIBUTE_FIELDS(X)                                                                      \
  X(link, interpolation, "", "", "the BeamInterpolation; that of the node by default")              \
  X(int, controlledInstrument, "0", "", "which number keys + and - and A and E change")             \
  X(reals, xtip, "", "m", "numbers that keys + and - change, for others to follow")                 \
  X(reals, rotationInstrument, "", "rad", "numbers that keys A and E change, for others to follow") \
  X(real, step, "0.1", "m", "change of xtip by a key")                                              \
  X(real, angularStep, "0.15708", "rad", "change of rotationInstrument by a key")                   \
  X(real, speed, "0", "m/s", "no effect: instruments move by InterventionalRadiologyController", .flags = DV_IDLE)

typedef struct Redistribute {
  dvObject base;
  REDISTRIBUTE_FIELDS(DV_MEMBER)
  dvBeams *beams;
  DV_ARRAY(double) lengths;                         // of the beams
  DV_ARRAY(double) weight, places, poses, motion;   // scratch
} Redistribute;

#define SELF Redistribute
static const dvFieldDesc redistribute_fields[] = {REDISTRIBUTE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc redistribute_memory[] = {DV_REMEMBER(array, lengths) DV_REMEMBER(reals, xtip) DV_REMEMBER(
    reals, rotationInstrument) DV_REMEMBER(numbers, controlledInstrument)};
#undef SELF

static double polygon(const dvBeams *b, size_t beam, const double *x)
{
  dvPose ends[2];
  double sum = 0;
  dv_beams_poses(b, beam, x, ends);
  dvSpline s = dv_spline(ends, b->lengthList.data[beam]);
  for (int k = 0; k < 3; k++) sum += dv_vec3_norm(dv_vec3_sub(s.p[k + 1], s.p[k]));
  return sum;
}

// new places of the inner frames along the rod, at rest
static void choose_places(Redistribute *r, const double *x)
{
  const dvBeams *b = r->beams;
  size_t count = dv_beams_count(b), at = 0;
  double all = 0, before = 0;
  r->weight.count = r->places.count = 0;
  for (size_t i = 0; i < count; i++) {
    double l = polygon(b, i, x);
    all += l + 30 * fabs(l - b->lengthList.data[i]);
    dv_push(&r->weight, all);
  }
  dv_push(&r->places, 0.0);
  for (size_t i = 1; i < count; i++) {
    double wanted = all * (double)i / (double)count;
    for (; at + 1 < count && r->weight.data[at] < wanted; at++) before = r->weight.data[at];
    double t = fmin(1, (wanted - before) / (r->weight.data[at] - before)), length = b->lengthList.data[at];
    dv_push(&r->places, b->reach.data[at] - length + t * length);
  }
  dv_push(&r->places, b->reach.data[count - 1]);
}

static void place_frames(Redistribute *r)
{
  dvBeams *b = r->beams;
  double *x = dv_state_write(b->state, DV_X), *v = dv_state_write(b->state, DV_V);
  size_t count = dv_beams_count(b), ends[2];
  choose_places(r, x);
  dv_array_resize(&r->poses, 7 * (count + 1));
  dv_array_resize(&r->motion, 6 * (count + 1));
  for (size_t i = 1; i < count; i++) {
    double t;
    dvPose poses[2];
    size_t at = dv_beams_at(b, r->places.data[i], &t);
    dv_beams_ends(b, at, ends);
    dv_beams_poses(b, at, x, poses);
    dv_pose_store(r->poses.data + 7 * i, dv_spline_pose(poses, b->lengthList.data[at], t));
    for (size_t k = 0; k < 6; k++) r->motion.data[6 * i + k] = (1 - t) * v[6 * ends[0] + k] + t * v[6 * ends[1] + k];
  }
  for (size_t i = 1; i < count; i++) {
    dv_beams_ends(b, i, ends);
    memcpy(x + 7 * ends[0], r->poses.data + 7 * i, 7 * sizeof *x);
    memcpy(v + 6 * ends[0], r->motion.data + 6 * i, 6 * sizeof *v);
  }
  for (size_t i = 0; i < count; i++) r->lengths.data[i] = r->places.data[i + 1] - r->places.data[i];
  dv_state_touch(b->state, DV_X);
  dv_state_touch(b->state, DV_V);
}

static void hand_lengths(Redistribute *r)
{
  memcpy(dv_reals_edit(&r->beams->lengthList), r->lengths.data, r->lengths.count * sizeof(double));
  dv_beams_changed(r->beams);
}

static void press(Redistribute *r, int key)
{
  dvReals *list = key == 'A' || key == 'E' ? &r->rotationInstrument : &r->xtip;
  double step = list == &r->xtip ? r->step : r->angularStep;
  if (key >= '0' && key <= '9' && (size_t)(key - '0') < r->xtip.count) r->controlledInstrument = key - '0';
  if (!strchr("AE+-", key) || key == 0 || (size_t)r->controlledInstrument >= list->count) return;
  dv_reals_edit(list)[r->controlledInstrument] += key == 'A' || key == '+' ? step : -step;
  dv_touch(&r->base, list);
}

static void redistribute_event(dvObject *o, const dvEvent *event)
{
  Redistribute *r = (Redistribute *)o;
  if (!o->listening || o->failed || r->lengths.count != dv_beams_count(r->beams)) return;
  if (event->kind == DV_EVENT_KEY && !event->released) press(r, event->key);
  if (event->kind != DV_EVENT_ANIMATE_BEGIN) return;
  place_frames(r);
  hand_lengths(r);
}

static dvStatus redistribute_init(dvObject *o)
{
  Redistribute *r = (Redistribute *)o;
  r->beams = dv_beams_find(o, &r->interpolation, false);
  if (!r->beams) return DV_ERROR_INPUT;
  const dvBeams *b = r->beams;
  size_t count = dv_beams_count(b);
  if (b->shape)
    return dv_field_error(o, &r->interpolation, "link a BeamInterpolation", "beams of %s are laid out by a controller",
                          b->base.name);
  for (size_t i = 0; i < count; i++)
    if (!b->dofsAndBeamsAligned || b->ends.data[2 * i] != b->ends.data[0] + (int32_t)i ||
        b->ends.data[2 * i + 1] != b->ends.data[2 * i] + 1)
      return dv_error(o, "give edges 0 1, 1 2, 2 3 …", "the beams of %s are no line from frame to frame", b->base.name);
  if (r->controlledInstrument < 0)
    return dv_field_error(o, &r->controlledInstrument, NULL, "there is no instrument %d", r->controlledInstrument);
  dv_follow(o, b->topology);
  dv_array_resize(&r->lengths, count);
  for (size_t i = 0; i < count; i++) r->lengths.data[i] = b->lengthList.data[i];
  return DV_OK;
}

static void redistribute_topology_changed(dvObject *o)
{
  dv_error(o, "change another topology", "the line of the beams of %s has changed: its frames cannot be moved along it",
           ((Redistribute *)o)->beams->base.name);
}

static bool redistribute_restored(dvObject *o)
{
  Redistribute *r = (Redistribute *)o;
  bool fits = r->lengths.count == dv_beams_count(r->beams) && r->controlledInstrument >= 0;
  for (size_t i = 0; i < r->lengths.count && fits; i++) fits = r->lengths.data[i] > 0;
  if (fits) hand_lengths(r);
  return fits;
}

static void redistribute_destroy(dvObject *o)
{
  Redistribute *r = (Redistribute *)o;
  dv_array_free(&r->lengths);
  dv_array_free(&r->weight);
  dv_array_free(&r->places);
  dv_array_free(&r->poses);
  dv_array_free(&r->motion);
}

const dvClass dv_redistribute_class = {
    .struct_size = sizeof(dvClass),
    .name = "AdaptiveBeamController",
    .help = "moves the frames of a rod along it to where it is bent or stretched",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .presets = "listening=1",
    .size = sizeof(Redistribute),
    .blocks = {&dv_object_block, DV_BLOCK(redistribute_fields)},
    .init = redistribute_init,
    .handle_event = redistribute_event,
    .destroy = redistribute_destroy,
    .topology_changed = redistribute_topology_changed,
    DV_MEMORY(redistribute_memory),
    .restored = redistribute_restored,
};
