// divan bench haptics: the haptic loop in real time, on the machine as it is.
//
// A ball on a spring in an emulated hand presses a soft block of 125 points, which is simulated in steps of 1/30 s by
// another thread. Periods of the loop's thread (median, 99 and 99.9 in a hundred, longest), and at the same time those
// of an empty loop beside the same simulation; how long a tick computes for mechanisms of several sizes; and how far
// what is felt at 30 Hz is from what a simulation at 1 kHz as a whole gives (on the way down to the greatest depth,
// largest difference and mean of all 30ths of a second, in parts of the largest force).
#include "bench.h"

#include "app/divan.h"
#include "base/clock.h"
#include "haptic/driver.h"
#include "io/scene/scene_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, TICKS = 2000, INSTANTS = 120 };

static char *soft_scene(double dt, const char *device)
{
  return dv_format(
      "<Node dt='%.17g' gravity='0 0 0'><FreeMotionAnimationLoop/><LCPConstraintSolver tolerance='1e-9' maxIt='1000' "
      "mu='0.1'/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><NewProximityIntersection "
      "alarmDistance='0.02' contactDistance='0.001'/><CollisionResponse response='FrictionContactConstraint' "
      "responseParams='mu=0.1'/><GeomagicEmulator name='device' scale='0.01' maxForce='1000' start='1 62 2' sweep='0 "
      "-20 "
      "0' %s/><Node name='tool'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject "
      "template='Rigid3' position='0.001 0.062 0.002 0 0 0 1'/><UniformMass totalMass='0.02'/>"
      "<LinearSolverConstraintCorrection/><VirtualCoupling stiffness='500' angularStiffness='10' damping='0'/>"
      "<LCPForceFeedback activate='1' newtons='1' forceCoef='1'/><Node><MechanicalObject position='0 0 0'/>"
      "<SphereCollisionModel radius='0.01'/><RigidMapping/></Node></Node><Node name='body'><EulerImplicitSolver "
      "rayleighMass='0.1' rayleighStiffness='0.02'/><SparseLDLSolver/><RegularGridTopology name='grid' n='5 5 5' "
      "min='-0.04 -0.04 -0.04' max='0.04 0.04 0.04'/><MechanicalObject/><UniformMass totalMass='0.3'/>"
      "<HexahedronFEMForceField youngModulus='5000' poissonRatio='0.3' method='large'/><BoxROI name='box' box='-1 -1 "
      "-1 "
      "1 -0.039 1'/><FixedProjectiveConstraint indices='@box.indices'/><LinearSolverConstraintCorrection/><Node>"
      "<QuadSetTopologyContainer name='quads'/><QuadSetTopologyModifier/><Hexa2QuadTopologicalMapping input='@../grid' "
      "output='@quads'/><Node><TriangleSetTopologyContainer name='triangles'/><TriangleSetTopologyModifier/>"
      "<Quad2TriangleTopologicalMapping input='@../quads' output='@triangles'/><TriangleCollisionModel/></Node></Node>"
      "</Node></Node>",
      dt, device);
}

typedef struct Run {
  dvContext *context;
  dvScene *scene;
  dvDriver *driver;   // NULL when the scene does not run
} Run;

static Run open_run(double dt, const char *device)
{
  Run r = {.context = dv_divan_create(1)};
  char *text = soft_scene(dt, device);
  r.context->log.threshold = DV_ERROR;
  if (dv_scene_parse(r.context, "bench", text, strlen(text), &r.scene) == DV_OK && dv_scene_init(r.scene) == DV_OK)
    r.driver = dv_driver(dv_driver_find(r.scene));
  dv_free(text);
  return r;
}

static void close_run(Run *r)
{
  dv_scene_destroy(&r->scene);
  dv_divan_destroy(&r->context);
}

// --- periods -------------------------------------------------------------------------------------

static bool nobody_reads(dvDevice *d, double time, dvDeviceSample *out)
{
  DV_UNUSED(d);
  DV_UNUSED(time);
  DV_UNUSED(out);
  return false;
}
static void nobody_writes(dvDevice *d, double dt, const double wrench[6])
{
  DV_UNUSED(d);
  DV_UNUSED(dt);
  DV_UNUSED(wrench);
}
static void nobody_closes(dvDevice **d) { *d = NULL; }
static const dvDeviceOps nobody = {
    .name = "nobody", .read = nobody_reads, .write = nobody_writes, .close = nobody_closes};

// steps of the scene, paced by the clock, while the loop makes its ticks
static void step_beside(dvScene *scene, double seconds)
{
  double begin = dv_now(), h = scene->root->dt;
  for (long i = 0; dv_now() - begin < seconds; i++) {
    if (dv_scene_step(scene, 0) != DV_OK) return;
    double left = begin + (double)(i + 1) * h - dv_now();
    struct timespec t = {.tv_sec = 0, .tv_nsec = (long)(1e9 * fmin(left, 0.9))};
    if (left > 0) nanosleep(&t, NULL);
  }
}

static void add_up(dvHapticLoop *all, const dvHapticLoop *l)
{
  for (size_t i = 0; i < DV_PERIOD_BINS; i++)
    atomic_fetch_add(&all->periods[i], atomic_load(&((dvHapticLoop *)(uintptr_t)l)->periods[i]));
  if (atomic_load(&((dvHapticLoop *)(uintptr_t)l)->longest) > atomic_load(&all->longest))
    atomic_store(&all->longest, atomic_load(&((dvHapticLoop *)(uintptr_t)l)->longest));
}

// both loops at once beside one simulation, so that what else the machine does hits them alike
static bool measure_round(dvHapticLoop *all[2], bool *realtime)
{
  Run r = open_run(1.0 / 30, "loop='thread' sweepPeriod='8'");
  if (!r.driver || !r.driver->haptic) {
    close_run(&r);
    return false;
  }
  dvHapticLoop *empty = dv_alloc(sizeof *empty);
  dvOutbox nothing;
  dvDevice none = {.ops = &nobody, .forces = 3};
  dvHapticSettings set = r.driver->haptic->set;
  dv_outbox_init(&nothing);
  dv_haptic_loop_init(empty, &set, &none);
  bool good = dv_haptic_loop_start(empty, &nothing);
  if (good) step_beside(r.scene, 0.001 * TICKS);
  dv_haptic_loop_stop(empty);
  dv_haptic_loop_stop(r.driver->haptic);
  add_up(all[0], empty);
  add_up(all[1], r.driver->haptic);
  *realtime = r.driver->haptic->realtime;
  dv_free(empty);
  close_run(&r);
  return good;
}

static json_t *periods_of(const dvHapticLoop *l)
{
  return json_pack("{s:o,s:o,s:o,s:o}", "p50", bench_number(dv_haptic_period(l, 0.5)), "p99",
                   bench_number(dv_haptic_period(l, 0.99)), "p99.9", bench_number(dv_haptic_period(l, 0.999)),
                   "longest", bench_number(dv_haptic_period(l, 1)));
}

static json_t *measure_periods(void)
{
  dvHapticLoop *loops[2] = {dv_alloc(sizeof **loops), dv_alloc(sizeof **loops)};
  bool good = true, realtime = false;
  for (int i = 0; good && i < ROUNDS; i++) good = measure_round(loops, &realtime);
  json_t *out = !good ? json_null()
                      : json_pack("{s:b,s:i,s:o,s:o}", "realtime", (int)realtime, "ticks", ROUNDS * TICKS, "empty",
                                  periods_of(loops[0]), "haptic", periods_of(loops[1]));
  for (int i = 0; i < 2; i++) dv_free(loops[i]);
  return out;
}

// --- cost of a tick ------------------------------------------------------------------------------

// contacts with friction that share a body, pushed in by a hand that moves
static double tick_us(size_t contacts)
{
  size_t rows = 3 * contacts;
  double *m = dv_alloc(dv_sensation_size(contacts, rows) * sizeof *m), began, wrench[6];
  *(dvSensation *)m = (dvSensation){.kind = DV_RENDER_MECHANISM,
                                    .step = 0.03,
                                    .laws = (double)contacts,
                                    .rows = (double)rows,
                                    .coefficient = 1,
                                    .iterations = 100,
                                    .tolerance = 1e-9,
                                    .reference = {[6] = 1}};
  dvMechanism c = dv_sensation_mechanism(m);
  for (size_t i = 0; i < rows; i++) {
    c.laws[i / 3] = (dvSensationLaw){.kind = DV_LAW_FRICTION, .rows = 3, .mu = 0.3};
    c.response[6 * i + i % 3] = c.directions[6 * i + i % 3] = 1;
    c.free[i] = i % 3 ? 0 : 1e-4 * sin((double)i);
    for (size_t k = 0; k < rows; k++) c.w[i * rows + k] = i == k ? 3e-3 : i % 3 == k % 3 ? 1e-3 : 0;
  }
  dvHapticTool tool = {.pose = {[6] = 1}};
  began = dv_thread_now();
  for (int i = 0; i < 1000; i++) {
    tool.pose[0] = -0.002 - 0.001 * sin(0.006 * i);
    tool.pose[1] = 0.001 * sin(0.004 * i);
    dv_sensation_force(m, &tool, wrench);
  }
  double us = 1e6 * (dv_thread_now() - began) / 1000;
  dv_free(m);
  return us;
}

// --- 30 Hz against 1 kHz -------------------------------------------------------------------------

static bool felt_at(double dt, double period, double out[INSTANTS])
{
  char *device = dv_format("loop='steps' sweepPeriod='%g'", period);
  Run r = open_run(dt, device);
  dv_free(device);
  bool good = r.driver && r.driver->haptic;
  long done = 0;
  for (int i = 0; good && i < INSTANTS; i++) {
    long until = (long)floor((i + 1) / 30.0 / dt + 0.5);
    for (; good && done < until; done++) good = dv_scene_step(r.scene, 0) == DV_OK;
    out[i] = good ? r.driver->haptic->state.felt[1] : 0;
  }
  close_run(&r);
  return good;
}

static json_t *compare_rates(double period)
{
  double slow[INSTANTS], fast[INSTANTS], most = 0, worst = 0, mean = 0;
  if (!felt_at(1.0 / 30, period, slow) || !felt_at(0.001, period, fast)) return json_null();
  for (int i = 0; i < INSTANTS; i++) {
    most = fmax(most, fast[i]);
    worst = fmax(worst, fabs(slow[i] - fast[i]));
    mean += fabs(slow[i] - fast[i]) / INSTANTS;
  }
  return json_pack("{s:o,s:o,s:o,s:o}", "period", bench_number(period), "force", bench_number(most), "worst",
                   bench_number(worst / most), "mean", bench_number(mean / most));
}

// --- all of it -----------------------------------------------------------------------------------

json_t *bench_haptics(const Bench *b)
{
  static const size_t sizes[] = {1, 4, 16, 32, 64, 100};
  json_t *out = json_object(), *ticks = json_array();
  if (bench_wants(b, "periods")) {
    bench_progress("periods of the haptic loop");
    json_object_set_new(out, "periods", measure_periods());
  }
  for (size_t i = 0; bench_wants(b, "ticks") && i < DV_COUNT(sizes); i++)
    json_array_append_new(ticks,
                          json_pack("{s:i,s:o}", "contacts", (int)sizes[i], "us", bench_number(tick_us(sizes[i]))));
  json_object_set_new(out, "ticks", ticks);
  if (bench_wants(b, "rates")) {
    bench_progress("30 Hz against 1 kHz");
    json_object_set_new(out, "rates", json_pack("[o,o]", compare_rates(8), compare_rates(4)));
  }
  return out;
}

static double number(const json_t *row, const char *name) { return json_number_value(json_object_get(row, name)); }

static void print_periods(const char *name, const json_t *p)
{
  printf("  %-14s %6.0f %6.0f %6.0f %8.0f\n", name, number(p, "p50"), number(p, "p99"), number(p, "p99.9"),
         number(p, "longest"));
}

void bench_print_haptics(const json_t *all)
{
  const json_t *periods = json_object_get(all, "periods"), *rates = json_object_get(all, "rates"), *row;
  if (json_is_object(periods)) {
    const json_t *empty = json_object_get(periods, "empty"), *own = json_object_get(periods, "haptic");
    printf("periods of %d ticks, microseconds%s\n                  p50    p99  p99.9  longest\n",
           (int)number(periods, "ticks"),
           json_is_true(json_object_get(periods, "realtime")) ? "" : " (the system grants no real-time priority)");
    print_periods("empty loop", empty);
    print_periods("haptic loop", own);
    printf("  p99.9 is %.2f times that of the empty loop (aim: at most 1.2)\n",
           number(own, "p99.9") / number(empty, "p99.9"));
  }
  size_t i;
  json_array_foreach(json_object_get(all, "ticks"), i, row)
      printf("  a tick with %3d contacts with friction: %.3g us\n", (int)number(row, "contacts"), number(row, "us"));
  json_array_foreach(rates, i, row) if (json_is_object(row))
      printf("  felt at 30 Hz and at 1 kHz, 20 mm to and fro in %g s, of %.3g N: %.2g %% apart at most, %.2g %% on "
             "average\n",
             number(row, "period"), number(row, "force"), 100 * number(row, "worst"), 100 * number(row, "mean"));
}
