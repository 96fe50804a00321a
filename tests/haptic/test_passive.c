// A hand on a stiff wall: whatever its impedance, the delay and the rate of the simulation are, the energy of the hand
// does not grow. Direct coupling fails in the same trials. DIVAN_HAPTIC_TRIALS=10000 runs the long version.
#include "wall.h"

#include "base/random.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#define STIFFNESS 500.0         // N/m
#define DAMPING 2.0             // N s/m, of the coupling
#define TOOL 0.01               // kg
#define PERIOD 0.001            // s
#define VELOCITY_FILTER 0.002   // s, of the loop

typedef struct Trial {
  double mass, damping, stiffness, delay, rate, depth, height;
  const char *coupling, *device;
} Trial;

// N s/m
static double least_damping(void)
{
  const char *text = getenv("DIVAN_HAPTIC_DAMPING");
  return text ? atof(text) : 1;
}

static Trial draw(dvRandom *r, double least)
{
  return (Trial){.mass = exp(dv_random(r, log(0.05), log(1))),
                 .damping = exp(dv_random(r, log(least), log(30))),
                 .stiffness = exp(dv_random(r, log(20), log(1000))),
                 .delay = 0.001 * floor(dv_random(r, 0, 2.999)),
                 .rate = exp(dv_random(r, log(20), log(500))),
                 .depth = dv_random(r, 1, 10),
                 .height = dv_random(r, 2, 20)};
}

// the hand and the springs that it works against
static double energy_of(const Trial *t, dvScene *s)
{
  const double *hand = the_driver(s)->haptic->device->memory, x = hand[1], v = hand[4];
  double below = fmax(0, WALL_TOP - x), away = x + 0.001 * t->depth;
  return 0.5 * t->mass * v * v + 0.5 * t->stiffness * away * away + 0.5 * STIFFNESS * below * below;
}

// The hand wants to be below the wall and begins above it, where it is held until the simulation has seen it. Returns
// the energy of the tool and of the spring that ties it to the hand.
static double let_go_above(dvScene *s, double height)
{
  dvHapticLoop *l = the_driver(s)->haptic;
  const dvState *tool = dv_state(check_find(s, "tool/dofs"));
  for (int i = 0; i < 4; i++) {
    memset(l->device->memory, 0, l->device->memory_count * sizeof(double));
    l->device->memory[1] = height;
    l->device->memory[7] = 1;   // it has begun
    memset(l->state.felt, 0, sizeof l->state.felt);
    l->state.ready = 0;
    dv_haptic_tick(l, 0, NULL, false);
    if (i < 3) check_steps(s, 1);
  }
  double away = dv_state_read(tool, DV_X)[1] - height, v = dv_state_read(tool, DV_V)[1];
  return 0.5 * STIFFNESS * away * away + 0.5 * TOOL * v * v;
}

// 1 when energy has grown: beyond the first, or from one half second to the next
static int grows(const Trial *t)
{
  dvText device = {0};
  dv_text_printf(&device,
                 "start='0 %.17g 0' handMass='%.17g' handDamping='%.17g' handStiffness='%.17g' delay='%.17g' "
                 "deviceDelay='%.17g' %s",
                 -t->depth, t->mass, t->damping, t->stiffness, t->delay, t->delay, t->device);
  long ticks = (long)floor(1000 / t->rate + 0.5);
  Wall w = {.dt = 0.001 * (double)ticks, .mass = TOOL, .device = device.text, .coupling = t->coupling};
  dvScene *s = wall_scene(&w);
  double tool = let_go_above(s, 0.001 * t->height);
  double first = tool + 0.5 * t->stiffness * pow(0.001 * (t->height + t->depth), 2), most[3] = {0};
  for (long done = 0; done < 1500; done += ticks) {
    check_steps(s, 1);
    double e = energy_of(t, s);
    most[dv_min_size(2, (size_t)(done / 500))] = fmax(most[dv_min_size(2, (size_t)(done / 500))], e);
  }
  check_close_scene(&s);
  dv_text_free(&device);
  double rest = 1e-9 + 1e-3 * first;
  return !(most[0] <= first + rest && most[1] <= most[0] + rest && most[2] <= most[1] + rest);
}

static long trials(void)
{
  const char *text = getenv("DIVAN_HAPTIC_TRIALS");
  return text ? atol(text) : 60;
}

static long run(const char *name, const char *coupling, const char *device)
{
  dvRandom r = dv_random_start(26);
  long bad = 0, count = trials();
  for (long i = 0; i < count; i++) {
    Trial t = draw(&r, least_damping());
    t.coupling = coupling, t.device = device;
    int grown = grows(&t);
    if (grown && getenv("DIVAN_HAPTIC_PRINT"))
      printf("%s: mass %.3f damping %.2f stiffness %.1f delay %g rate %.1f depth %.2f height %.2f\n", name, t.mass,
             t.damping, t.stiffness, t.delay, t.rate, t.depth, t.height);
    bad += grown;
  }
  print_message("%s: energy grows in %ld of %ld trials\n", name, bad, count);
  return bad;
}

#define SPRING "<VirtualCoupling name='spring' stiffness='500' angularStiffness='10' damping='2' driver='@../device' "

#define CONTROL "passivityControl='1'"

static void mechanism(void **state)
{
  DV_UNUSED(state);
  assert_int_equal(run("mechanism", SPRING "/><LCPForceFeedback activate='1' newtons='1' forceCoef='1'/>", CONTROL), 0);
}

// what its delay gives the controller takes back
static void coupling(void **state)
{
  DV_UNUSED(state);
  assert_int_equal(run("coupling", SPRING "/>", CONTROL), 0);
}

// the test can fail
static void direct(void **state)
{
  DV_UNUSED(state);
  assert_true(run("direct", SPRING "direct='1'/>", "") > trials() / 10);
}

// The damping of hand and device below which a sampled wall H(z) need not be passive (Colgate and Schenkel 1997):
// b >= max over w of T / (2 (1 - cos wT)) Re((1 - 1/z) H(z)), z = exp(i w T). Here H = z^-late (K + D s(z)), s the
// filtered difference; without D that is K (T/2 + delay).
static double demanded(double delay)
{
  enum { COUNT = 2000 };
  double gain = PERIOD / (VELOCITY_FILTER + PERIOD), late = floor(delay / PERIOD + 0.5), most = 0;
  for (int i = 1; i <= COUNT; i++) {
    double angle = 3.14159265358979323846 * i / COUNT;
    double complex back = cexp(-I * angle), speed = gain / (1 - (1 - gain) * back) * (1 - back) / PERIOD;
    double complex wall = cpow(back, late) * (STIFFNESS + DAMPING * speed);
    most = fmax(most, PERIOD / (2 * (1 - cos(angle))) * creal((1 - back) * wall));
  }
  return most;
}

// Without the controller the mechanism is as passive as theory says, whatever the rate of the simulation.
static void theory(void **state)
{
  DV_UNUSED(state);
  dvRandom r = dv_random_start(27);
  const double need[3] = {demanded(0), demanded(0.001), demanded(0.002)};
  long counts[2] = {0}, grown[2] = {0};
  for (long i = 0; i < trials(); i++) {
    Trial t = draw(&r, 0.1);
    t.coupling = SPRING "/><LCPForceFeedback activate='1' newtons='1' forceCoef='1'/>", t.device = "";
    bool enough = t.damping >= need[(int)(1000 * t.delay + 0.5)];
    counts[enough]++;
    grown[enough] += grows(&t);
  }
  print_message(
      "without the controller, damping from 0.1 N s/m: theory demands %.2f, %.2f, %.2f for delays of 0, 1, 2 ms; "
      "energy grows in %ld of %ld trials with that, in %ld of %ld with less\n",
      need[0], need[1], need[2], grown[1], counts[1], grown[0], counts[0]);
  check_close(need[0], 0.65, 1e-6);   // K T/2 + D gain/(2 - gain), at half the sampling rate
  assert_int_equal(grown[1], 0);
  assert_true(trials() < 50 || (counts[0] > 0 && counts[1] > 0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mechanism),
      cmocka_unit_test(coupling),
      cmocka_unit_test(direct),
      cmocka_unit_test(theory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
