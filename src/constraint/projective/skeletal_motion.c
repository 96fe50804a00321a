// SkeletalMotionProjectiveConstraint: frames that follow the joints of an animated skeleton.
//
// A joint has a place in its parent's frame, given at key times; between two keys the centre moves on a straight line
// and the rotation by spherical interpolation. The frame of a bone is the product of its joint's places from the root
// down. Time in keys is animationSpeed times the time of the scene. Velocities are those that lead to the places at the
// end of the step. All frames of the state are held, those without a bone where they are. At time 0 nothing is set, as
// in SOFA.
//
// Joints are written as [Parent p Channels n frames Times n times LocalRigid frame, …]; a parent of -1 is the world.
// SOFA's PreviousMotion and NextMotion are read too.
#include "constraint/projective/classes.h"
#include "mechanics/component.h"

#include "base/text.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SKELETAL_MOTION_FIELDS(X)                                                                                     \
  X(string, joints, "", "",                                                                                           \
    "joints: [Parent -1 Channels 2 frame frame Times 2 0 1 LocalRigid frame, Parent 0 ...], a frame being x y z and " \
    "a "                                                                                                              \
    "quaternion")                                                                                                     \
  X(string, bones, "", "", "joints that the frames of the state follow, in the order of the frames")                  \
  X(real, animationSpeed, "1", "", "how many seconds of the keys pass in a second of the scene")                      \
  X(bool, active, "1", "", "hold and move the frames")

typedef struct Place {
  dvVec3 centre;
  dvQuat turn;
} Place;

static const Place at_origin = {{0, 0, 0}, {0, 0, 0, 1}};

typedef struct Key {
  double time;
  Place place;
} Key;

typedef struct Joint {
  int32_t parent;
  size_t first, keys, times;    // range in the list of keys; times that were given
  Place before, after, local;   // what SOFA calls previous and next motion, and the present place in the parent's frame
  double time_before, time_after;
} Joint;

typedef struct SkeletalMotion {
  dvProjective base;
  SKELETAL_MOTION_FIELDS(DV_MEMBER)
  DV_ARRAY(Joint) list;
  DV_ARRAY(Key) keys;
  DV_ARRAY(int32_t) bone;
  DV_ARRAY(double) next;   // coordinates at the end of the step
} SkeletalMotion;

#define SELF SkeletalMotion
static const dvFieldDesc skeletal_motion_fields[] = {SKELETAL_MOTION_FIELDS(DV_DESCRIBE)};
#undef SELF

static void skeletal_motion_destroy(dvObject *o)
{
  SkeletalMotion *s = (SkeletalMotion *)o;
  dv_array_free(&s->list);
  dv_array_free(&s->keys);
  dv_array_free(&s->bone);
  dv_array_free(&s->next);
}

// --- reading -------------------------------------------------------------------------------------

// a copy without brackets and commas; the caller frees it
static char *plain_copy(const char *text)
{
  char *copy = dv_strdup(text);
  for (char *c = copy; *c; c++)
    if (*c == '[' || *c == ']' || *c == ',') *c = ' ';
  return copy;
}

static bool scan_number(const char **at, double *out)
{
  return dv_scan_real(at, out) && isfinite(*out) && fabs(*out) < 1e100;
}

static bool scan_index(const char **at, int32_t least, int32_t *out)
{
  double v;
  if (!scan_number(at, &v) || v != floor(v) || v < least || v > INT32_MAX) return false;
  *out = (int32_t)v;
  return true;
}

static bool scan_place(const char **at, Place *out)
{
  double v[7];
  for (int i = 0; i < 7; i++)
    if (!scan_number(at, &v[i])) return false;
  out->centre = dv_vec3_load(v);
  out->turn = dv_quat_normalise(dv_quat_load(v + 3));
  return true;
}

static bool read_channels(SkeletalMotion *s, const char **at)
{
  Joint *j = &s->list.data[s->list.count - 1];
  int32_t n;
  if (j->keys > 0 || !scan_index(at, 0, &n)) return false;
  j->first = s->keys.count;
  for (int32_t i = 0; i < n; i++) {
    Key k = {.time = 0};
    if (!scan_place(at, &k.place)) return false;
    dv_push(&s->keys, k);
    j->keys++;
  }
  return true;
}

static bool read_times(SkeletalMotion *s, const char **at)
{
  Joint *j = &s->list.data[s->list.count - 1];
  int32_t n;
  if (!scan_index(at, 0, &n)) return false;
  j->times = 0;
  for (int32_t i = 0; i < n; i++) {
    double time;
    if (!scan_number(at, &time)) return false;
    if ((size_t)i < j->keys) s->keys.data[j->first + (size_t)i].time = time;
    j->times++;
  }
  return true;
}

// one keyword and what follows it
static bool read_entry(SkeletalMotion *s, const char *word, size_t length, const char **at)
{
  char name[24];
  if (length >= sizeof name) return false;
  memcpy(name, word, length);
  name[length] = 0;
  if (dv_same(name, "Parent")) {
    Joint j = {.before = at_origin, .after = at_origin, .local = at_origin};
    if (!scan_index(at, -1, &j.parent)) return false;
    dv_push(&s->list, j);
    return true;
  }
  if (s->list.count == 0) return false;
  Joint *j = &s->list.data[s->list.count - 1];
  if (dv_same(name, "Channels")) return read_channels(s, at);
  if (dv_same(name, "Times")) return read_times(s, at);
  if (dv_same(name, "PreviousMotion")) return scan_place(at, &j->before);
  if (dv_same(name, "NextMotion")) return scan_place(at, &j->after);
  if (dv_same(name, "PreviousMotionTime")) return scan_number(at, &j->time_before);
  if (dv_same(name, "NextMotionTime")) return scan_number(at, &j->time_after);
  return dv_same(name, "LocalRigid") && scan_place(at, &j->local);
}

static dvStatus read_joints(SkeletalMotion *s)
{
  char *text = plain_copy(s->joints);
  const char *at = text, *word;
  size_t length;
  dvStatus status = DV_OK;
  s->list.count = s->keys.count = 0;
  while (status == DV_OK && dv_scan_word(&at, &word, &length))
    if (!read_entry(s, word, length, &at))
      status = dv_field_error(
          &s->base.base, &s->joints, "write Parent -1 Channels n frames Times n times LocalRigid frame for each joint",
          "joint %zu: cannot read what stands at '%.24s'", s->list.count ? s->list.count - 1 : 0, word);
  dv_free(text);
  return status;
}

static dvStatus read_bones(SkeletalMotion *s)
{
  const dvObject *o = &s->base.base;
  char *text = plain_copy(s->bones);
  dvStatus status = DV_OK;
  s->bone.count = 0;
  for (const char *at = text; status == DV_OK;) {
    int32_t joint;
    while (dv_is_space(*at)) at++;
    if (!*at) break;
    const char *here = at;
    if (!scan_index(&at, 0, &joint))
      status = dv_field_error(o, &s->bones, NULL, "'%.12s' is not the number of a joint", here);
    else if ((size_t)joint >= s->list.count)
      status = dv_field_error(o, &s->bones, NULL, "there is no joint %d: there are %zu", joint, s->list.count);
    else dv_push(&s->bone, joint);
  }
  dv_free(text);
  return status;
}

static dvStatus check_joint(SkeletalMotion *s, size_t i)
{
  const dvObject *o = &s->base.base;
  Joint *j = &s->list.data[i];
  size_t steps = 0;
  for (int32_t p = j->parent; p >= 0; p = s->list.data[p].parent, steps++) {
    if ((size_t)p >= s->list.count)
      return dv_field_error(o, &s->joints, NULL, "joint %zu: there is no joint %d to be its parent", i, p);
    if (steps > s->list.count) return dv_field_error(o, &s->joints, NULL, "joint %zu is its own ancestor", i);
  }
  if (j->times != j->keys) {
    dv_field_warning(o, &s->joints, "give a time for each channel",
                     "joint %zu has %zu channels and %zu times: it does not move", i, j->keys, j->times);
    j->keys = 0;
  }
  for (size_t k = 1; k < j->keys; k++)
    if (!(s->keys.data[j->first + k].time > s->keys.data[j->first + k - 1].time)) {
      dv_field_warning(o, &s->joints, "sort the keys by time", "joint %zu: the times of its keys do not ascend", i);
      break;
    }
  return DV_OK;
}

static dvStatus skeletal_motion_init(dvObject *o)
{
  SkeletalMotion *s = (SkeletalMotion *)o;
  DV_TRY(dv_projective_init(o));
  DV_TRY(read_joints(s));
  DV_TRY(read_bones(s));
  for (size_t i = 0; i < s->list.count; i++) DV_TRY(check_joint(s, i));
  if (s->bone.count > s->base.state->count)
    return dv_field_error(o, &s->bones, "give the state a frame for each bone",
                          "there are %zu bones, but %s has %zu frames", s->bone.count, s->base.state->base.name,
                          s->base.state->count);
  if (s->bone.count == 0) dv_warning(o, "give joints and bones", "there are no bones: all frames stay where they are");
  dv_array_resize(&s->next, 7 * s->base.state->count);
  return DV_OK;
}

// --- motion --------------------------------------------------------------------------------------

// finds the keys around a time; true when some joint has one after it
static bool find_keys(SkeletalMotion *s, double time)
{
  bool more = false;
  for (size_t i = 0; i < s->list.count; i++) {
    Joint *j = &s->list.data[i];
    for (size_t k = 0; k < j->keys; k++) {
      const Key *key = &s->keys.data[j->first + k];
      if (key->time > time) {
        j->time_after = key->time;
        j->after = key->place;
        more = true;
        break;
      }
      j->time_before = key->time;
      j->before = key->place;
    }
  }
  return more;
}

// on the shortest way; t = 0 gives a, t = 1 gives b
static dvQuat slerp(dvQuat a, dvQuat b, double t)
{
  double c = dv_quat_dot(a, b), angle = acos(fmin(1, fabs(c))), s = sin(angle);
  double wa = s > 1e-8 ? sin((1 - t) * angle) / s : 1 - t, wb = s > 1e-8 ? sin(t * angle) / s : t;
  if (c < 0) wa = -wa;
  return dv_quat_normalise(
      (dvQuat){wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w});
}

static void place_joint(Joint *j, double time, bool more)
{
  if (j->keys == 0) return;
  j->local = j->after;
  if (!more || j->time_after == j->time_before) return;
  double t = (time - j->time_before) / (j->time_after - j->time_before);
  j->local.centre = dv_vec3_add_scaled(j->before.centre, dv_vec3_sub(j->after.centre, j->before.centre), t);
  j->local.turn = slerp(j->before.turn, j->after.turn, t);
}

// coordinates of the bones at a time of the keys
static void place_bones(SkeletalMotion *s, double time, bool more, double *x)
{
  for (size_t i = 0; i < s->list.count; i++) place_joint(&s->list.data[i], time, more);
  for (size_t i = 0; i < s->bone.count; i++) {
    Place world = s->list.data[s->bone.data[i]].local;
    for (int32_t p = s->list.data[s->bone.data[i]].parent; p >= 0; p = s->list.data[p].parent) {
      Place up = s->list.data[p].local;
      world.centre = dv_vec3_add(up.centre, dv_quat_rotate(up.turn, world.centre));
      world.turn = dv_quat_mul(up.turn, world.turn);
    }
    dv_vec3_store(x + 7 * i, world.centre);
    dv_quat_store(x + 7 * i + 3, world.turn);
  }
}

// behind the last key a joint stays where the keys before have led it
static void skeletal_motion_remember(dvObject *o, dvMemoryStream *stream)
{
  SkeletalMotion *s = (SkeletalMotion *)o;
  for (size_t i = 0; i < s->list.count; i++) {
    Joint *j = &s->list.data[i];
    Place *const places[] = {&j->before, &j->after, &j->local};
    for (int k = 0; k < 3; k++) {
      dv_remember_numbers(stream, "centre", &places[k]->centre, sizeof places[k]->centre);
      dv_remember_numbers(stream, "turn", &places[k]->turn, sizeof places[k]->turn);
    }
    dv_remember_numbers(stream, "time before", &j->time_before, sizeof j->time_before);
    dv_remember_numbers(stream, "time after", &j->time_after, sizeof j->time_after);
  }
}

static bool is_active(const SkeletalMotion *s) { return s->active && dv_projective_active(&s->base.base); }
static size_t bones_of(const SkeletalMotion *s) { return dv_min_size(s->bone.count, s->base.state->count); }

static void skeletal_motion_project_response(dvObject *o, int id)
{
  SkeletalMotion *s = (SkeletalMotion *)o;
  if (is_active(s)) memset(dv_state_write(s->base.state, id), 0, dv_state_scalars(s->base.state, id) * sizeof(double));
}

static void skeletal_motion_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  SkeletalMotion *s = (SkeletalMotion *)o;
  double now = o->node->time * s->animationSpeed, dt = o->node->dt;
  if (!is_active(s) || now == 0 || bones_of(s) < s->bone.count) return;
  dvState *state = s->base.state;
  const double *x = dv_state_read(state, DV_X);
  double *v = dv_state_write(state, id);
  bool more = find_keys(s, now + dt);
  if (!more || dt == 0) {
    memset(v, 0, dv_state_scalars(state, id) * sizeof *v);
    return;
  }
  place_bones(s, now + dt, more, s->next.data);
  dv_dof_difference(state->base.dof, s->bone.count, v, s->next.data, x);
  for (size_t i = 0; i < 6 * s->bone.count; i++) v[i] /= dt;
}

static void skeletal_motion_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  SkeletalMotion *s = (SkeletalMotion *)o;
  double now = o->node->time * s->animationSpeed;
  if (!is_active(s) || now == 0 || bones_of(s) < s->bone.count) return;
  bool more = find_keys(s, now);
  place_bones(s, now, more, dv_state_write(s->base.state, id));
}

static const dvProjectiveOps skeletal_motion_ops = {
    .project_response = skeletal_motion_project_response,
    .project_velocity = skeletal_motion_project_velocity,
    .project_position = skeletal_motion_project_position,
};

const dvClass dv_skeletal_motion_class = {
    .struct_size = sizeof(dvClass),
    .name = "SkeletalMotionProjectiveConstraint",
    .help = "moves frames with the joints of an animated skeleton",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(SkeletalMotion),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(skeletal_motion_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &skeletal_motion_ops},
    .init = skeletal_motion_init,
    .reinit = skeletal_motion_init,
    .destroy = skeletal_motion_destroy,
    .remember = skeletal_motion_remember,
};
