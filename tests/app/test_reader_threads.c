// A scene that steps with two threads while a third one looks at it a thousand times a second: outboxes whose frames
// belong to one step, fields whose storage is shared, messages, times. Runs under ThreadSanitizer too.
#include "support/check.h"
#include "support/scene.h"

#include "divan/divan.h"
#include "scene/timer.h"
#include "state/outbox.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { LEAST_STEPS = 100, MOST_STEPS = 20000, LEAST_FRAMES = 30, FRAMES = 100000 };

// positions that the reader keeps as long as it likes
typedef struct Shared {
  dvReals values;
  uint64_t hash;
} Shared;

typedef struct Seen {
  long step;
  double time;
  uint64_t hash;
} Seen;

typedef struct Reader {
  dvContext *context;
  dvStateOutbox *outbox;
  const dvField *stiffness;   // a field that stands still
  _Atomic(Shared *) shared;
  atomic_bool stop;
  atomic_int frames;
  Seen *seen;
  int messages, shares, wrong_shares, wrong_fields, wrong_times;
} Reader;

static uint64_t hash_of(const double *values, size_t count, uint64_t start)
{
  return dv_hash_bytes(values, count * sizeof *values, start);
}

static void look_at_frame(Reader *r)
{
  dvFrame frame;
  bool fresh;
  if (!dv_state_outbox_read(r->outbox, &frame, &fresh) || !fresh || r->frames >= FRAMES) return;
  Seen seen = {.step = frame.step, .time = frame.time};
  for (size_t i = 0; i < frame.channels; i++) {
    size_t count;
    const double *values = dv_frame_values(&frame, i, &count);
    seen.hash = hash_of(values, count, seen.hash);
  }
  r->seen[r->frames] = seen;
  r->frames++;
}

static void look_at_shared(Reader *r)
{
  Shared *s = atomic_exchange(&r->shared, NULL);
  if (!s) return;
  r->shares++;
  r->wrong_shares += hash_of(s->values.data, s->values.count, 0) != s->hash;
  dv_reals_free(&s->values);
  dv_free(s);
}

static void look_at_rest(Reader *r, dvTimerList *times, long *steps)
{
  dvText text = {0};
  dv_field_print(r->stiffness, &text);
  r->wrong_fields += !dv_same(text.text, "5000");
  dv_text_free(&text);
  dv_timers_copy(r->context->timers, times);
  long now = times->count ? times->data[0].count : 0;
  r->wrong_times += now < *steps;
  *steps = now;
  dv_log_send(&r->context->log, &(dvMessage){.level = DV_INFO, .text = "the reader was here"});
  r->messages++;
}

static void *read_along(void *user)
{
  Reader *r = user;
  dvTimerList times = {0};
  long steps = 0;
  while (!r->stop) {
    look_at_frame(r);
    look_at_shared(r);
    look_at_rest(r, &times, &steps);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  look_at_frame(r);
  dv_array_free(&times);
  return NULL;
}

static void hand_over(Reader *r, const dvState *s)
{
  Shared *next = dv_alloc(sizeof *next);
  dv_reals_share(&next->values, dv_state_values(s, DV_X));
  next->hash = hash_of(next->values.data, next->values.count, 0);
  Shared *old = atomic_exchange(&r->shared, next);
  if (old) dv_reals_free(&old->values);
  dv_free(old);
}

static atomic_int heard;
static void count_messages(void *user, const dvMessage *m) { ++*(int *)user, heard += m->level == DV_INFO; }

static void a_reader_sees_whole_steps(void **state)
{
  DV_UNUSED(state);
  int counted = 0;
  dvScene *scene = check_scene_file("scenes/liver.scn", 2);
  scene->context->log.threshold = DV_INFO;
  scene->context->log.user = &counted;   // without a lock of its own: the log has one
  scene->context->log.sink = count_messages;
  heard = 0;
  dvState *s = dv_state(check_find(scene, "Liver/dofs"));
  const dvChannel channels[] = {{s, DV_X}, {s, DV_V}, {s, DV_F}};
  Reader r = {.context = scene->context,
              .outbox = dv_state_outbox_open(scene, channels, DV_COUNT(channels)),
              .stiffness =
                  dv_object_field(check_find(scene, "Liver/TetrahedralCorotationalFEMForceField1"), "youngModulus"),
              .seen = dv_alloc(FRAMES * sizeof *r.seen)};
  Seen *done = dv_alloc((MOST_STEPS + 1) * sizeof *done);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, read_along, &r), 0);
  long step = 0;
  for (; step <= MOST_STEPS && (step < LEAST_STEPS || r.frames < LEAST_FRAMES); step++) {
    if (step > 0) check_steps(scene, 1);
    done[step] = (Seen){.step = step, .time = scene->root->time};
    for (size_t i = 0; i < DV_COUNT(channels); i++)
      done[step].hash = hash_of(dv_state_read(s, channels[i].id), dv_state_scalars(s, channels[i].id), done[step].hash);
    hand_over(&r, s);
    if (step % 10 == 0) dv_log_send(&scene->context->log, &(dvMessage){.level = DV_INFO, .text = "ten steps"});
  }
  r.stop = true;
  pthread_join(thread, NULL);
  long last = -1;
  for (int i = 0; i < r.frames; i++) {
    assert_true(r.seen[i].step > last && r.seen[i].step < step);
    last = r.seen[i].step;
    check_close(r.seen[i].time, done[last].time, 0);
    if (r.seen[i].hash != done[last].hash) print_error("the frame of step %ld is not what the step left\n", last);
    assert_true(r.seen[i].hash == done[last].hash);
  }
  assert_int_equal(last, step - 1);   // the last one is never lost
  assert_true(r.frames >= LEAST_FRAMES && r.shares > 0);
  assert_int_equal(r.wrong_shares + r.wrong_fields + r.wrong_times, 0);
  assert_int_equal(heard, r.messages + (step + 9) / 10);
  assert_int_equal(counted, scene->context->log.counts[DV_INFO]);
  Shared *left = atomic_exchange(&r.shared, NULL);
  if (left) dv_reals_free(&left->values);
  dv_free(left);
  dv_free(done);
  dv_free(r.seen);
  dv_state_outbox_close(&r.outbox);
  check_close_scene(&scene);
}

static void outboxes_change_nothing_and_outlive_their_scene(void **state)
{
  DV_UNUSED(state);
  uint64_t hash[2];
  for (int with = 0; with < 2; with++) {
    dvScene *scene = check_scene_file("scenes/liver.scn", 2);
    dvState *s = dv_state(check_find(scene, "Liver/dofs"));
    dvStateOutbox *boxes[3] = {0};
    dvFrame frame;
    bool fresh;
    for (int i = 0; i < 3 && with; i++) boxes[i] = dv_state_outbox_open(scene, &(dvChannel){s, DV_X}, 1);
    check_steps(scene, 3);
    dv_state_outbox_close(&boxes[1]);
    check_steps(scene, 2);
    hash[with] = dv_scene_hash(scene);
    if (with) {
      size_t count;
      assert_true(dv_state_outbox_read(boxes[0], &frame, &fresh) && fresh);
      assert_int_equal(frame.step, 5);
      assert_memory_equal(dv_frame_values(&frame, 0, &count), dv_state_read(s, DV_X),
                          dv_state_scalars(s, DV_X) * sizeof(double));
      assert_int_equal(count, dv_state_scalars(s, DV_X));
      dv_scene_reset(scene);
      assert_true(dv_state_outbox_read(boxes[0], &frame, &fresh) && fresh);
      assert_int_equal(frame.step, 0);
    }
    check_close_scene(&scene);
    if (with) assert_true(dv_state_outbox_read(boxes[2], &frame, &fresh) && frame.step == 0);
    dv_state_outbox_close(&boxes[0]);
    dv_state_outbox_close(&boxes[2]);
    assert_null(boxes[0]);
  }
  assert_true(hash[0] == hash[1]);
}

static void host_programs_open_outboxes_by_name(void **state)
{
  DV_UNUSED(state);
  dvContext *c = divan_create(1);
  const char *text = "<Node gravity='0 -10 0' dt='0.01'><EulerExplicitSolver/><MechanicalObject name='mo'/>"
                     "<UniformMass name='mass' vertexMass='1'/></Node>";
  dvScene *s = divan_parse(c, text, strlen(text));
  const char *good[] = {"/mo.position", "mo.velocity"}, *bad[] = {"mo.mass", "mo", "/no.position", "mass.position"};
  assert_null(divan_outbox_open(s, good, 2));   // not initialised
  assert_int_equal(divan_init(s), DIVAN_OK);
  for (size_t i = 0; i < DV_COUNT(bad); i++) assert_null(divan_outbox_open(s, &bad[i], 1));
  divanOutbox *o = divan_outbox_open(s, good, 2);
  assert_non_null(o);
  double time;
  long step;
  size_t count;
  assert_null(divan_outbox_values(o, 0, &count));   // nothing was read yet
  assert_true(divan_outbox_read(o, &time, &step));
  assert_int_equal(step, 0);
  assert_false(divan_outbox_read(o, NULL, NULL));
  assert_int_equal(divan_step(s, 0), DIVAN_OK);
  assert_true(divan_outbox_read(o, &time, &step));
  assert_int_equal(step, 1);
  check_close(time, 0.01, 1e-15);
  check_close(divan_outbox_values(o, 1, &count)[1], -0.1, 1e-15);
  assert_int_equal(count, 3);
  assert_null(divan_outbox_values(o, 2, &count));
  divan_close(&s);
  assert_non_null(divan_outbox_values(o, 0, NULL));
  divan_outbox_close(&o);
  assert_null(o);
  divan_outbox_close(&o);
  divan_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reader_sees_whole_steps),
      cmocka_unit_test(outboxes_change_nothing_and_outlive_their_scene),
      cmocka_unit_test(host_programs_open_outboxes_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
