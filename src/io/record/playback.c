// WriteState, ReadState and CompareState: the motion of a state as a file of frames (frames.h).
//
//   T= 0.1
//     X= x y z  x y z  …
//     V= …
//
// The moment is that of the beginning of a step. Reading takes the last frame that is not later than now; the read
// positions are scaled, turned and moved, then boundary conditions and mappings follow them.
#include "io/record/frames.h"
#include "mechanics/mechanics.h"

#include <math.h>
#include <string.h>

// --- writing -------------------------------------------------------------------------------------

#define WRITE_FIELDS(X)                                                                                  \
  X(string, filename, "", "", "file to write")                                                           \
  X(bool, writeX, "1", "", "write positions")                                                            \
  X(bool, writeX0, "0", "", "write rest positions")                                                      \
  X(bool, writeV, "0", "", "write velocities")                                                           \
  X(bool, writeF, "0", "", "write forces")                                                               \
  X(reals, time, "", "s", "moments to write; with a period the first one")                               \
  X(real, period, "0", "s", "time between two frames; every step when neither time nor period is given") \
  X(indices, DOFsX, "", "", "points whose positions are written; all by default")                        \
  X(indices, DOFsV, "", "", "points whose velocities are written; all by default")                       \
  X(real, stopAt, "0", "J", "write no more once the kinetic energy changes by less than this; 0: go on") \
  X(real, keperiod, "0", "s", "time between two looks at the kinetic energy")

typedef struct WriteState {
  dvObject base;
  WRITE_FIELDS(DV_MEMBER)
  dvState *state;
  dvRecord file;
  size_t next;   // of the moments given
  double last, energy, energy_time;
  bool periodic, stopped;
} WriteState;

#define SELF WriteState
static const dvFieldDesc write_fields[] = {WRITE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc write_memory[] = {DV_REMEMBER(numbers, next) DV_REMEMBER(numbers, last) DV_REMEMBER(
    numbers, energy) DV_REMEMBER(numbers, energy_time) DV_REMEMBER(numbers, stopped) DV_REMEMBER(numbers, stopAt)};
#undef SELF

static dvStatus check_dofs(WriteState *w, const dvInts *list)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->data[i] < 0 || (size_t)list->data[i] >= w->state->count)
      return dv_field_error(&w->base, list, NULL, "point %d does not exist: the state has %zu", list->data[i],
                            w->state->count);
  return DV_OK;
}

static dvStatus write_state_init(dvObject *o)
{
  WriteState *w = (WriteState *)o;
  dvObject *state = dv_node_state_up(o->node);
  if (!state) return dv_error(o, "add a MechanicalObject to the node", "WriteState finds no state to write");
  w->state = dv_state(state);
  DV_TRY(dv_object_ensure(state));
  DV_TRY(check_dofs(w, &w->DOFsX));
  DV_TRY(check_dofs(w, &w->DOFsV));
  for (size_t i = 0; i < w->time.count; i++)
    if (!(w->time.data[i] >= 0)) return dv_field_error(o, &w->time, NULL, "moments must not be negative");
  w->periodic = dv_was_set(o, &w->period) || !w->time.count;
  if (w->periodic && w->time.count > 1)
    dv_field_warning(o, &w->time, "give one moment, or no period", "with a period only the first moment counts");
  if (w->periodic && !dv_was_set(o, &w->period)) w->period = o->node->dt;
  if (!(w->period >= 0)) return dv_field_error(o, &w->period, NULL, "the period must not be negative");
  w->next = 0;
  w->last = w->energy = 0;
  w->energy_time = w->keperiod;
  w->stopped = false;
  return dv_frame_record_open(&w->file, o, &w->filename);
}

static void write_state_remember(dvObject *o, dvMemoryStream *s) { dv_record_remember(&((WriteState *)o)->file, s); }

// has the motion come to rest?
static void watch_energy(WriteState *w, double time)
{
  if (!(w->stopAt > 0) || time <= w->energy_time) return;
  dvObject *mass = dv_node_find(w->base.node, DV_ROLE_MASS);
  if (!mass) {
    dv_warning(&w->base, "add a mass to the node", "without a mass there is no kinetic energy for stopAt");
    w->stopAt = 0;
    return;
  }
  double energy = ((const dvMassOps *)dv_ops(mass, DV_ROLE_MASS))->kinetic(mass, DV_V);
  w->stopped = fabs(energy - w->energy) < w->stopAt;
  w->energy = energy;
  w->energy_time += w->keperiod;
}

static bool is_due(WriteState *w, double time)
{
  double slack = 0.1 * w->base.node->dt;
  size_t moments = w->periodic ? 1 : w->time.count;
  if (w->next < moments) {
    double moment = w->next < w->time.count ? w->time.data[w->next] : 0;
    if (time <= moment && fabs(time - moment) >= slack) return false;
    w->last = moment;
    w->next++;
    return true;
  }
  double next = w->last + w->period;
  if (!w->periodic || (time <= next && fabs(time - next) >= slack)) return false;
  w->last = next;
  return true;
}

static void add_vector(WriteState *w, dvText *text, const char *name, int id, const dvInts *chosen)
{
  const double *v = dv_state_read(w->state, id);
  size_t width = (size_t)dv_state_width(w->state, id), n = chosen && chosen->count ? chosen->count : w->state->count;
  dv_text_printf(text, "  %s=", name);
  for (size_t i = 0; i < n; i++) {
    size_t dof = chosen && chosen->count ? (size_t)chosen->data[i] : i;
    for (size_t k = 0; k < width; k++) {
      dv_text_add(text, " ");
      dv_text_add_real(text, v[dof * width + k]);
    }
  }
  dv_text_add(text, "\n");
}

static void write_state_event(dvObject *o, const dvEvent *event)
{
  WriteState *w = (WriteState *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || w->stopped) return;
  double time = o->node->time;
  watch_energy(w, time);
  if (w->stopped || !is_due(w, time)) return;
  dvText text = {0};
  dv_frame_begin(&text, time);
  if (w->writeX) add_vector(w, &text, "X", DV_X, &w->DOFsX);
  if (w->writeX0) add_vector(w, &text, "X0", DV_X_REST, NULL);
  if (w->writeV) add_vector(w, &text, "V", DV_V, &w->DOFsV);
  if (w->writeF) add_vector(w, &text, "F", DV_F, NULL);
  w->stopped = !dv_frame_write(&w->file, o, &w->filename, &text);
  dv_text_free(&text);
}

static void write_state_destroy(dvObject *o) { dv_record_close(&((WriteState *)o)->file); }

const dvClass dv_write_state_class = {
    .struct_size = sizeof(dvClass),
    .name = "WriteState",
    .help = "writes the motion of the node's state to a file",
    .module = "Sofa.Component.Playback",
    .roles = DV_PLAYS(DV_ROLE_EXPORTER),
    .size = sizeof(WriteState),
    .blocks = {&dv_object_block, DV_BLOCK(write_fields)},
    .init = write_state_init,
    .handle_event = write_state_event,
    .destroy = write_state_destroy,
    DV_MEMORY(write_memory),
    .remember = write_state_remember,
};

// --- reading -------------------------------------------------------------------------------------

#define READ_FIELDS(X)                                                                             \
  X(file, filename, "", "", "file to read")                                                        \
  X(real, interval, "0", "s", "time between two frames; not used, as in SOFA", .flags = DV_HIDDEN) \
  X(real, shift, "0", "s", "added to the time of the scene to find the frame")                     \
  X(bool, loop, "0", "", "begin again at the end of the file")                                     \
  X(real, scalePos, "1", "", "scales the positions, first")                                        \
  X(vec3, rotation, "0 0 0", "degrees", "turns the positions about x, then y, then z")             \
  X(vec3, translation, "0 0 0", "m", "moves the positions, last")
#define COMPARE_FIELDS(X)                                                                        \
  X(real, totalErrorX, "0", "m", "distances of positions so far, summed", .flags = DV_READ_ONLY) \
  X(real, totalErrorV, "0", "m/s", "differences of velocities so far, summed", .flags = DV_READ_ONLY)

typedef struct ReadState {
  dvObject base;
  READ_FIELDS(DV_MEMBER)
  COMPARE_FIELDS(DV_MEMBER)
  dvState *state;
  dvPlan *plan;
  dvFrameReader file;
  bool told;
} ReadState;

#define SELF ReadState
static const dvFieldDesc read_fields[] = {READ_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc compare_fields[] = {READ_FIELDS(DV_DESCRIBE) COMPARE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc compare_memory[] = {DV_REMEMBER(numbers, totalErrorX) DV_REMEMBER(numbers, totalErrorV)};
#undef SELF

static const struct {
  const char *words[3];
  int ids[2];
} vectors = {{"X=", "V=", NULL}, {DV_X, DV_V}};

static dvStatus read_state_init(dvObject *o)
{
  ReadState *r = (ReadState *)o;
  dvObject *state = dv_node_state_up(o->node);
  if (!state) return dv_error(o, "add a MechanicalObject to the node", "%s finds no state", o->cls->name);
  r->state = dv_state(state);
  return dv_frame_reader_open(&r->file, o, &r->filename);
}

// the numbers of a line, as many as the vector has; false when there are fewer
static bool scan_vector(ReadState *r, const char *line, int id, double *out)
{
  size_t n = dv_state_scalars(r->state, id), i = 0;
  const char *cursor = line;
  double extra;
  while (i < n && dv_scan_real(&cursor, &out[i])) {
    if (!isfinite(out[i])) return false;
    i++;
  }
  bool good = i == n && !dv_scan_real(&cursor, &extra);
  if (!good && !r->told)
    dv_field_warning(&r->base, &r->filename, "is it the file of this state?",
                     "a frame of '%s' does not have the %zu numbers of the state", r->filename, n);
  r->told = r->told || !good;
  return good;
}

static void play(ReadState *r)
{
  dvState *s = r->state;
  dvObject *o = &r->base;
  dvFrame frame;
  if (!dv_frame_reader_seek(&r->file, o->node->time + r->shift, r->loop, vectors.words, &frame)) return;
  bool moved = false;
  for (int k = 0; k < 2; k++) {
    if (!frame.line[k]) continue;
    int id = vectors.ids[k];
    double *values = dv_alloc((dv_state_scalars(s, id) + 1) * sizeof *values);
    bool good = scan_vector(r, frame.line[k], id, values);
    if (good) memcpy(dv_state_write(s, id), values, dv_state_scalars(s, id) * sizeof *values);
    dv_free(values);
    if (!good) continue;
    moved = true;
    if (k == 0) {
      const double scale[3] = {r->scalePos, r->scalePos, r->scalePos};
      double *x = dv_state_write(s, DV_X);
      dv_dof_scale(s->base.dof, s->count, x, scale);
      dv_dof_rotate(s->base.dof, s->count, x, r->rotation);
      dv_dof_translate(s->base.dof, s->count, x, r->translation);
    }
    dv_state_touch(s, id);
  }
  if (!moved) return;
  dvPlan *plan = dv_plan_get(&r->plan, o->node);
  dv_mech_settle(plan, DV_X, DV_V, o->node->time);
}

static dvStatus read_state_bwd_init(dvObject *o)
{
  play((ReadState *)o);
  return DV_OK;
}

static void read_state_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_ANIMATE_BEGIN) play((ReadState *)o);
}

static void read_state_remember(dvObject *o, dvMemoryStream *s)
{
  dv_frame_reader_remember(&((ReadState *)o)->file, s);
}

static void read_state_destroy(dvObject *o)
{
  ReadState *r = (ReadState *)o;
  dv_plan_destroy(&r->plan);
  dv_frame_reader_close(&r->file);
}

// sum over the points of the distances between what is and what was
static double distance(ReadState *r, const char *line, int id)
{
  if (!line) return 0;
  size_t n = dv_state_scalars(r->state, id), width = (size_t)dv_state_width(r->state, id);
  double *values = dv_alloc((n + 1) * sizeof *values), sum = 0;
  const double *now = dv_state_read(r->state, id);
  if (scan_vector(r, line, id, values))
    for (size_t i = 0; i < r->state->count; i++) {
      double square = 0;
      for (size_t c = 0; c < width; c++)
        square += (now[i * width + c] - values[i * width + c]) * (now[i * width + c] - values[i * width + c]);
      sum += sqrt(square);
    }
  dv_free(values);
  return sum;
}

static void compare_state_event(dvObject *o, const dvEvent *event)
{
  ReadState *r = (ReadState *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN) return;
  dvFrame frame;
  if (!dv_frame_reader_seek(&r->file, o->node->time + r->shift + 0.001 * o->node->dt, r->loop, vectors.words, &frame))
    return;
  r->totalErrorX += distance(r, frame.line[0], DV_X);
  r->totalErrorV += distance(r, frame.line[1], DV_V);
  dv_touch(o, &r->totalErrorX);
  dv_touch(o, &r->totalErrorV);
  if (o->printLog) dv_note(o, "differences so far: positions %g, velocities %g", r->totalErrorX, r->totalErrorV);
}

const dvClass dv_read_state_class = {
    .struct_size = sizeof(dvClass),
    .name = "ReadState",
    .help = "moves the node's state as a file of WriteState tells",
    .module = "Sofa.Component.Playback",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(ReadState),
    .blocks = {&dv_object_block, DV_BLOCK(read_fields)},
    .init = read_state_init,
    .bwd_init = read_state_bwd_init,
    .handle_event = read_state_event,
    .destroy = read_state_destroy,
    .remember = read_state_remember,
};

const dvClass dv_compare_state_class = {
    .struct_size = sizeof(dvClass),
    .name = "CompareState",
    .help = "sums up how far the node's state is from a file of WriteState",
    .module = "Sofa.Component.Playback",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(ReadState),
    .blocks = {&dv_object_block, DV_BLOCK(compare_fields)},
    .init = read_state_init,
    .handle_event = compare_state_event,
    .destroy = read_state_destroy,
    DV_MEMORY(compare_memory),
    .remember = read_state_remember,
};
