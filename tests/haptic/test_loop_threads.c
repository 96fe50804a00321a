// The haptic loop in a thread of its own: beside a running scene under ThreadSanitizer, without allocations, and
// without system calls but those of the clock.
#include "wall.h"

#include "base/clock.h"
#include "support/count.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_seconds(double s) { usleep((useconds_t)(1e6 * s)); }

// the scene steps as fast as it can while the loop ticks; what is felt comes across
static void beside_a_scene(void **state)
{
  DV_UNUSED(state);
  Wall w = {
      .dt = 0.02, .mass = 0.05, .stiffness = 500, .mu = 0.3, .device = "start='0 -3 0' loop='thread' handMass='0.2'"};
  dvScene *s = wall_scene(&w);
  dvDriver *d = the_driver(s);
  assert_true(d->threaded);
  double felt = 0;
  for (int i = 0; i < 600; i++) {
    check_steps(s, 1);
    felt = fmax(felt, d->force[1]);
    if (i % 20 == 0) wait_seconds(0.002);
  }
  assert_true(felt > 0.05);
  assert_true(dv_haptic_period(d->haptic, 0.5) > 100);
  check_close_scene(&s);
}

// a second scene with two hands, and one that is thrown away at once
static void two_hands(void **state)
{
  DV_UNUSED(state);
  for (int i = 0; i < 3; i++) {
    dvScene *s =
        check_scene("<Node name='root' dt='0.01'><GeomagicEmulator name='left' loop='thread' tags='a'/>"
                    "<GeomagicEmulator name='right' loop='thread' tags='b'/>"
                    "<NullForceFeedback activate='1' tags='a'/><NullForceFeedback activate='1' tags='b'/></Node>",
                    1);
    check_steps(s, i);
    wait_seconds(0.01);
    check_close_scene(&s);
  }
}

// the simulation's side leads an emulated hand while its loop ticks
static void led(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node name='root' dt='0.01'><GeomagicEmulator name='device' scale='0.01' loop='thread' "
                           "start='0 0 0'/></Node>",
                           1);
  dvDriver *d = the_driver(s);
  check_steps(s, 1);
  for (int i = 0; i < 3000 && fabs(d->seen[0] - 0.02) > 1e-4; i++) {
    if (i < 50) dv_driver_lead(d, dv_vec3(i < 49 ? 0.001 * i : 0.02, 0, 0));
    check_steps(s, 1);
    wait_seconds(0.001);
  }
  check_close(d->seen[0], 0.02, 1e-4);
  check_close_scene(&s);
}

// --- what the thread asks of the system ----------------------------------------------------------

#if COUNTING
static atomic_int forbidden, ticks;
static atomic_bool ending;   // what a thread does when it ends is no tick
static size_t allocations_before, allocations_after;

static void on_call(int number, siginfo_t *info, void *context)
{
  DV_UNUSED(number);
  DV_UNUSED(context);
  if (atomic_load(&ending)) return;
  atomic_fetch_add(&forbidden, 1);
  atomic_store(&ticks, -info->si_syscall);
}

// from here on every call of this thread but the clock's is a signal
static bool watch_calls(void)
{
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {DV_COUNT(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

typedef struct Watched {
  dvDevice device;
  atomic_int state;   // 0: not watched yet, 1: watched, 2: the system does not allow that
} Watched;

static bool watched_read(dvDevice *d, double time, dvDeviceSample *out)
{
  Watched *w = (Watched *)d;
  int now = atomic_load(&w->state);
  if (now == 0) {
    now = watch_calls() ? 1 : 2;
    allocations_before = check_allocations();
    atomic_store(&w->state, now);
  }
  memset(out, 0, sizeof *out);
  out->pose[1] = -0.002 + 0.001 * sin(10 * time);
  out->pose[6] = 1;
  if (atomic_load(&ticks) >= 0) atomic_fetch_add(&ticks, 1);
  allocations_after = check_allocations();
  return true;
}
static void watched_write(dvDevice *d, double dt, const double wrench[6])
{
  DV_UNUSED(d);
  DV_UNUSED(dt);
  DV_UNUSED(wrench);
}
static void watched_close(dvDevice **d) { *d = NULL; }
static const dvDeviceOps watched_ops = {
    .name = "watched", .read = watched_read, .write = watched_write, .close = watched_close};

// 300 ticks of a mechanism of ten contacts with friction
static void asks_for_nothing(void **state)
{
  DV_UNUSED(state);
  enum { CONTACTS = 10, ROWS = 3 * CONTACTS };
  struct sigaction act = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO}, before;
  sigaction(SIGSYS, &act, &before);
  Watched w = {.device = {.ops = &watched_ops, .forces = 3}};
  dvHapticLoop *l = dv_alloc(sizeof *l);
  dvHapticSettings set = {.period = 0.001,
                          .base = dv_pose_identity(),
                          .tool = dv_pose_identity(),
                          .scale = 1,
                          .force_scale = 1,
                          .max_force = 3,
                          .max_torque = 1,
                          .max_speed = 3,
                          .stall = 0.25,
                          .decay = 0.1,
                          .permanent = true};
  dvFeedback f = {0};
  dv_feedback_init(&f);
  dvSensation *m = dv_feedback_begin(&f, DV_RENDER_MECHANISM, 0.02, CONTACTS, ROWS);
  m->coefficient = 1, m->iterations = 100, m->tolerance = 1e-9, m->timeout = 0.0005;
  dvMechanism c = dv_sensation_mechanism(f.draft.data);
  for (int i = 0; i < ROWS; i++) {
    if (i % 3 == 0) c.laws[i / 3] = (dvSensationLaw){.kind = DV_LAW_FRICTION, .rows = 3, .mu = 0.3};
    c.response[6 * i + (i + 1) % 3] = c.directions[6 * i + (i + 1) % 3] = 1;
    for (int k = 0; k < ROWS; k++) c.w[i * ROWS + k] = i == k ? 2e-3 : i % 3 == k % 3 ? 1e-3 : 0;
  }
  dv_feedback_post(&f, true);
  dv_haptic_loop_init(l, &set, &w.device);
  assert_true(dv_haptic_loop_start(l, &f.outbox));
  for (int i = 0; i < 5000 && atomic_load(&ticks) >= 0 && atomic_load(&ticks) < 300; i++) wait_seconds(0.001);
  atomic_store(&ending, true);
  dv_haptic_loop_stop(l);
  int seen = atomic_load(&w.state), count = atomic_load(&ticks);
  if (seen == 1) {
    if (count < 0) print_error("the thread has made system call %d\n", -count);
    assert_int_equal(atomic_load(&forbidden), 0);
  } else {
    print_message("the system does not let a thread be watched: system calls are not counted\n");
  }
  assert_true(count >= 300);
  assert_int_equal((int)(allocations_after - allocations_before), 0);
  assert_true(fabs(l->state.felt[1]) > 0.5);
  dv_haptic_loop_free(l);
  dv_free(l);
  dv_feedback_free(&f);
  sigaction(SIGSYS, &before, NULL);
}
#endif

int main(void)
{
  check_allocations();   // not used where nothing is counted
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(beside_a_scene),
    cmocka_unit_test(two_hands),
    cmocka_unit_test(led),
#if COUNTING
    cmocka_unit_test(asks_for_nothing),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
