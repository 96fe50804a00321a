// AnimationEditor: key frames of a state, made by hand, kept in a file and played, for goals of effectors.
//
// A timeline has frames 0 to maxKeyFrame. Some of them are key frames: positions that the user has set; those between
// two follow from them, points on straight lines and frames turning at an even rate. Behind the last key there is
// nothing. Playing shows the next frame every frameTime; dx instead goes on by a distance in every step. The file is
// SOFA's:
//
//   Type: Vec3d
//   Number of frame: 11
//   Number of effector: 1
//   KeyFrames: 0 10
//   0 0 0              a line of positions for each frame
#include "robot/classes.h"

#include "base/file.h"
#include "mechanics/mechanics.h"
#include "object/context.h"

#include <math.h>
#include <string.h>

#define ANIMATION_FIELDS(X)                                                                                   \
  X(int, maxKeyFrame, "150", "", "last frame of the timeline", .least = "1")                                  \
  X(string, filename, "animation.txt", "", "file that key frames are read from and written to")               \
  X(bool, load, "1", "", "read the file at the beginning, when there is one")                                 \
  X(bool, loop, "0", "", "play again from the beginning behind the last key frame")                           \
  X(real, dx, "0", "m",                                                                                       \
    "go on by this distance in every step (of the point that moves furthest), backwards when it is below 0; " \
    "instead of playing")                                                                                     \
  X(real, frameTime, "0.01", "s", "time of a frame when it plays", .least = "0")                              \
  X(int, cursor, "0", "", "frame that is shown", .least = "0")                                                \
  X(bool, playing, "0", "", "plays from the first step on; the key M changes that")                           \
  X(ints, keyFrames, "", "", "frames that are keys", .flags = DV_READ_ONLY)                                   \
  X(bool, drawTimeline, "1", "", "no effect: the viewer has no timeline", .flags = DV_IDLE | DV_LOOKS)        \
  X(real, drawSize, "0.1", "", "no effect: the viewer draws no trajectory", .flags = DV_IDLE | DV_LOOKS)      \
  X(bool, drawTrajectory, "0", "", "no effect: the viewer draws no trajectory", .flags = DV_IDLE | DV_LOOKS)

typedef struct Animation {
  dvObject base;
  ANIMATION_FIELDS(DV_MEMBER)
  dvState *state;
  dvPlan *plan;
  size_t scalars;            // of a frame
  DV_ARRAY(double) frames;   // positions of frame 0 to the last key
  DV_ARRAY(double) copy;     // by the key C or X
  double time;               // since the frame is shown, s
  double way;                // dx: travelled since then, m
  bool stale;                // the cursor has moved: the frame is shown with the next step
} Animation;

#define SELF Animation
static const dvFieldDesc animation_fields[] = {ANIMATION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc animation_memory[] = {
    DV_REMEMBER(numbers, cursor) DV_REMEMBER(numbers, playing) DV_REMEMBER(ints, keyFrames) DV_REMEMBER(array, frames)
        DV_REMEMBER(array, copy) DV_REMEMBER(numbers, time) DV_REMEMBER(numbers, way) DV_REMEMBER(numbers, stale)};
#undef SELF

enum {
  MOST_NUMBERS = 20000000,
  KEY_BACK = 18,
  KEY_ON = 20,
  KEY_FAR_BACK = 16,
  KEY_FAR_ON = 17,
  KEY_BEFORE = 22,
  KEY_NEXT = 23
};

static double *frame_at(const Animation *a, int frame) { return a->frames.data + (size_t)frame * a->scalars; }
static int last_key(const Animation *a) { return (int)(a->frames.count / a->scalars) - 1; }

// --- keys ----------------------------------------------------------------------------------------

static int key_before(const Animation *a, int frame)   // -1 when there is none
{
  int best = -1;
  for (size_t i = 0; i < a->keyFrames.count; i++)
    if (a->keyFrames.data[i] < frame) best = dv_max_int(best, a->keyFrames.data[i]);
  return best;
}

static int key_behind(const Animation *a, int frame)
{
  int best = -1;
  for (size_t i = 0; i < a->keyFrames.count; i++)
    if (a->keyFrames.data[i] > frame && (best < 0 || a->keyFrames.data[i] < best)) best = a->keyFrames.data[i];
  return best;
}

static bool is_key(const Animation *a, int frame)
{
  for (size_t i = 0; i < a->keyFrames.count; i++)
    if (a->keyFrames.data[i] == frame) return true;
  return false;
}

// the frames between two keys
static void interpolate(Animation *a, int from, int to)
{
  if (from < 0 || to < 0) return;
  const dvDof *dof = a->state->base.dof;
  size_t n = a->state->count;
  double *way = dv_alloc((n * (size_t)dof->deriv + 1) * sizeof *way);
  dv_dof_difference(dof, n, way, frame_at(a, to), frame_at(a, from));
  for (int f = from + 1; f < to; f++)
    dv_dof_integrate(dof, n, frame_at(a, f), frame_at(a, from), way, (double)(f - from) / (to - from));
  dv_free(way);
}

// the list of keys is short: it is made anew, in order
static void change_key(Animation *a, int frame, bool is_one)
{
  DV_ARRAY(int32_t) keys = {0};
  for (size_t i = 0; i < a->keyFrames.count; i++)
    if (a->keyFrames.data[i] < frame) dv_push(&keys, a->keyFrames.data[i]);
  if (is_one) dv_push(&keys, frame);
  for (size_t i = 0; i < a->keyFrames.count; i++)
    if (a->keyFrames.data[i] > frame) dv_push(&keys, a->keyFrames.data[i]);
  if (!dv_ints_assign(&a->keyFrames, keys.data, keys.count)) dv_error(&a->base, NULL, "out of memory");
  dv_array_free(&keys);
  dv_touch(&a->base, &a->keyFrames);
}

static void set_key(Animation *a, const double *x)
{
  int here = a->cursor, before = key_before(a, here), behind = key_behind(a, here);
  size_t needed = ((size_t)here + 1) * a->scalars;
  if (a->frames.count < needed) dv_array_resize(&a->frames, needed);
  memcpy(frame_at(a, here), x, a->scalars * sizeof *x);
  change_key(a, here, true);
  interpolate(a, before, here);
  interpolate(a, here, behind);
}

// the first one stays
static void remove_key(Animation *a)
{
  int here = a->cursor, before = key_before(a, here), behind = key_behind(a, here);
  if (here == 0 || !is_key(a, here)) return;
  change_key(a, here, false);
  if (behind >= 0) interpolate(a, before, behind);
  else dv_array_resize(&a->frames, ((size_t)before + 1) * a->scalars);
  a->stale = true;
}

static void copy_key(Animation *a)
{
  if (!is_key(a, a->cursor)) return;
  dv_array_resize(&a->copy, a->scalars);
  memcpy(a->copy.data, frame_at(a, a->cursor), a->scalars * sizeof *a->copy.data);
}

static void move_cursor(Animation *a, int to)
{
  a->cursor = dv_max_int(0, dv_min_int(to, a->maxKeyFrame));
  a->stale = true;
  dv_touch(&a->base, &a->cursor);
}

// --- files ---------------------------------------------------------------------------------------

static void write_file(Animation *a)
{
  const dvObject *o = &a->base;
  dvText text = {0};
  dv_text_printf(&text, "Type: %s\nNumber of frame: %d\nNumber of effector: %zu\nKeyFrames:", a->state->base.dof->name,
                 last_key(a) + 1, a->state->count);
  for (size_t i = 0; i < a->keyFrames.count; i++) dv_text_printf(&text, " %d", a->keyFrames.data[i]);
  for (size_t i = 0; i < a->frames.count; i++) {
    dv_text_add(&text, i % a->scalars ? " " : "\n");
    dv_text_add_real(&text, a->frames.data[i]);
  }
  dv_text_add(&text, "\n");
  FILE *f = dv_file_write(a->filename, "wb");
  bool good = f && fwrite(text.text, 1, text.length, f) == text.length;
  if (f && fclose(f) != 0) good = false;
  if (good) dv_note(o, "%d frames with %zu keys are written to %s", last_key(a) + 1, a->keyFrames.count, a->filename);
  else dv_field_warning(o, &a->filename, NULL, "%s cannot be written", a->filename);
  dv_text_free(&text);
}

// the number behind a word at the beginning of a line
static bool scan_head(const char **at, const char *word, long long *out)
{
  if (!dv_starts_with(*at, word)) return false;
  *at += strlen(word);
  return dv_scan_int(at, out);
}

static const char *read_text(Animation *a, const char *at)
{
  long long frames, points, key;
  if (!dv_starts_with(at, "Type: ")) return "it does not begin with a type";
  char *type = dv_strndup(at + 6, strcspn(at + 6, "\r\n"));
  const char *note;
  const dvDof *dof = dv_dof_parse(type, &note);
  dv_free(type);
  if (!dof || dof->kind != a->state->base.dof->kind) return "it is for another kind of points";
  at += strcspn(at, "\n");
  at += strspn(at, "\r\n");
  if (!scan_head(&at, "Number of frame:", &frames) || frames < 1) return "the number of frames is missing";
  at += strspn(at, " \r\n");
  if (!scan_head(&at, "Number of effector:", &points) || points != (long long)a->state->count)
    return "it is for another number of points";
  if (frames > MOST_NUMBERS / (long long)a->scalars) return "it has too many frames";
  at += strspn(at, " \r\n");
  if (!dv_starts_with(at, "KeyFrames:")) return "the key frames are missing";
  at += strlen("KeyFrames:");
  DV_ARRAY(int32_t) keys = {0};
  const char *end = at + strcspn(at, "\n"), *wrong = NULL;
  while (!wrong) {
    at += strspn(at, " \t\r");
    if (at >= end || !dv_scan_int(&at, &key)) break;
    if (key < 0 || key >= frames || (keys.count && key <= keys.data[keys.count - 1]))
      wrong = "its keys are not in order";
    else dv_push(&keys, (int32_t)key);
  }
  if (!wrong && (keys.count == 0 || keys.data[0] != 0 || keys.data[keys.count - 1] != frames - 1))
    wrong = "the first and the last frame have to be keys";
  DV_ARRAY(double) numbers = {0};
  for (double x; !wrong && dv_scan_real(&at, &x);) {
    if (!isfinite(x)) wrong = "a number is not finite";
    dv_push(&numbers, x);
  }
  if (!wrong && numbers.count != (size_t)frames * a->scalars) wrong = "there are too few or too many numbers";
  if (!wrong && !dv_ints_assign(&a->keyFrames, keys.data, keys.count)) wrong = "memory is short";
  if (!wrong) {
    dv_array_resize(&a->frames, numbers.count);
    memcpy(a->frames.data, numbers.data, numbers.count * sizeof *numbers.data);
    if (a->maxKeyFrame < frames) a->maxKeyFrame = (int)(frames + frames / 2);
  }
  dv_array_free(&numbers);
  dv_array_free(&keys);
  return wrong;
}

static dvStatus read_file(Animation *a)
{
  dvObject *o = &a->base;
  char *path = dv_context_find_file(o->context, a->filename, o->place.file, NULL);
  char *text = path ? dv_file_read(path, NULL) : NULL;
  dvStatus status = DV_OK;
  if (text) {
    const char *wrong = read_text(a, text);
    if (wrong)
      status = dv_field_error(o, &a->filename, "set load=\"0\" to begin anew", "%s is no animation of this state: %s",
                              a->filename, wrong);
  } else if (dv_was_set(o, &a->filename)) {
    dv_field_warning(o, &a->filename, "set load=\"0\" to make it", "%s is not there: it begins without key frames",
                     a->filename);
  }
  dv_free(path);
  dv_free(text);
  return status;
}

// --- life ----------------------------------------------------------------------------------------

static dvStatus animation_check(dvObject *o)
{
  Animation *a = (Animation *)o;
  if (a->maxKeyFrame < 1)
    return dv_field_error(o, &a->maxKeyFrame, "150 is usual", "a timeline cannot end with frame %d", a->maxKeyFrame);
  if (!(a->frameTime >= 0)) return dv_field_error(o, &a->frameTime, NULL, "a frame cannot last for %g s", a->frameTime);
  if (a->scalars && (size_t)a->maxKeyFrame > MOST_NUMBERS / a->scalars)
    return dv_field_error(o, &a->maxKeyFrame, "make it shorter", "%d frames of %zu numbers are too many",
                          a->maxKeyFrame, a->scalars);
  move_cursor(a, a->cursor);
  return DV_OK;
}

static dvStatus animation_init(dvObject *o)
{
  Animation *a = (Animation *)o;
  a->state = dv_state(dv_node_find(o->node, DV_ROLE_STATE));
  if (!a->state || a->state->base.failed)
    return dv_error(o, "put a MechanicalObject beside it", "%s has no state whose positions it could set", o->name);
  DV_TRY(dv_object_ensure(&a->state->base));
  o->dof = a->state->base.dof;
  a->scalars = dv_state_scalars(a->state, DV_X);
  if (a->scalars == 0) return dv_error(o, NULL, "the state beside %s has no points", o->name);
  DV_TRY(animation_check(o));
  dv_array_resize(&a->frames, a->scalars);
  memcpy(a->frames.data, dv_state_read(a->state, DV_X), a->scalars * sizeof *a->frames.data);
  if (!dv_ints_assign(&a->keyFrames, (int32_t[]){0}, 1)) return dv_error(o, NULL, "out of memory");
  if (a->load) DV_TRY(read_file(a));
  a->stale = a->load || a->cursor > 0;
  return DV_OK;
}

static double distance(const Animation *a, int one, int other)
{
  const dvDof *dof = a->state->base.dof;
  double most = 0;
  for (size_t i = 0; i < a->state->count; i++) {
    double p[3], q[3];
    dv_dof_point(dof, frame_at(a, one) + i * (size_t)dof->coord, p);
    dv_dof_point(dof, frame_at(a, other) + i * (size_t)dof->coord, q);
    most = fmax(most, sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2)));
  }
  return most;
}

static void advance_by_distance(Animation *a)
{
  int by = a->dx > 0 ? 1 : -1;
  if (a->cursor > last_key(a)) move_cursor(a, last_key(a));   // behind it there is nothing
  a->way += fabs(a->dx);
  while (a->cursor + by >= 0 && a->cursor + by <= last_key(a)) {
    double next = distance(a, a->cursor, a->cursor + by);
    if (next > a->way) return;
    a->way -= next;
    move_cursor(a, a->cursor + by);
  }
  a->way = 0;   // the end is reached
}

static void advance_by_time(Animation *a, double dt)
{
  a->time += dt;
  if (a->time < a->frameTime * (1 - 1e-9)) return;
  a->time = 0;
  if (a->loop && a->cursor >= last_key(a)) move_cursor(a, 0);
  else if (a->cursor < last_key(a)) move_cursor(a, a->cursor + 1);
  else a->playing = false;
}

static void show(Animation *a)
{
  a->stale = false;
  if (a->cursor > last_key(a) || dv_state_scalars(a->state, DV_X) != a->scalars) return;
  size_t bytes = a->scalars * sizeof(double);
  memcpy(dv_state_write(a->state, DV_X), frame_at(a, a->cursor), bytes);
  memcpy(dv_state_write(a->state, DV_X_FREE), frame_at(a, a->cursor), bytes);
  dv_state_touch(a->state, DV_X);
  dv_mech_settle(dv_plan_get(&a->plan, a->base.node), DV_X, DV_V, a->base.node->time);
}

static void press(Animation *a, int key)
{
  if (dv_state_scalars(a->state, DV_X) != a->scalars) return;   // its points have changed
  int far = dv_max_int(1, a->maxKeyFrame / 20), before = key_before(a, a->cursor), behind = key_behind(a, a->cursor);
  switch (key) {
  case KEY_BACK:
  case KEY_ON:
    move_cursor(a, a->cursor + (key == KEY_ON ? 1 : -1));
    break;
  case KEY_FAR_BACK:
  case KEY_FAR_ON:
    move_cursor(a, a->cursor + (key == KEY_FAR_ON ? far : -far));
    break;
  case KEY_BEFORE:
    if (before >= 0) move_cursor(a, before);
    break;
  case KEY_NEXT:
    if (behind >= 0) move_cursor(a, behind);
    break;
  case 'A':
    set_key(a, dv_state_read(a->state, DV_X));
    break;
  case 'X':
    copy_key(a);
    remove_key(a);
    break;
  case 'D':
    remove_key(a);
    break;
  case 'C':
    copy_key(a);
    break;
  case 'V':
    if (a->copy.count == a->scalars) set_key(a, a->copy.data), a->stale = true;
    break;
  case 'W':
    write_file(a);
    break;
  case 'M':
    a->playing = !a->playing;
    break;
  }
}

static void animation_event(dvObject *o, const dvEvent *event)
{
  Animation *a = (Animation *)o;
  if (o->failed || !a->state) return;
  if (event->kind == DV_EVENT_KEY && !event->released && a->dx == 0) press(a, event->key);
  if (event->kind != DV_EVENT_ANIMATE_BEGIN) return;
  if (a->dx != 0) advance_by_distance(a);
  else if (a->playing && !a->stale) advance_by_time(a, event->dt);
  if (a->stale) show(a);
}

static bool animation_restored(dvObject *o)
{
  const Animation *a = (const Animation *)o;
  if (!a->scalars) return true;
  return a->frames.count >= a->scalars && a->frames.count % a->scalars == 0 && a->cursor >= 0 &&
         a->frames.count / a->scalars <= MOST_NUMBERS && (a->copy.count == 0 || a->copy.count == a->scalars) &&
         key_before(a, 0) < 0 && key_behind(a, last_key(a)) < 0;
}

static void animation_destroy(dvObject *o)
{
  Animation *a = (Animation *)o;
  dv_plan_destroy(&a->plan);
  dv_array_free(&a->frames);
  dv_array_free(&a->copy);
}

const dvClass dv_animation_class = {
    .struct_size = sizeof(dvClass),
    .name = "AnimationEditor",
    .help = "key frames of positions: made with keys, kept in a file, played",
    .module = "SoftRobots",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3 | DV_DOF_VEC1,
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Animation),
    .blocks = {&dv_object_block, DV_BLOCK(animation_fields)},
    DV_MEMORY(animation_memory),
    .init = animation_init,
    .reinit = animation_check,
    .handle_event = animation_event,
    .restored = animation_restored,
    .destroy = animation_destroy,
};
