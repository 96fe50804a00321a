// DataControllerRobot: the pressures that were found go to the arm of a Robotino (Festo's Compact Bionic Handling
// Assistant), whose bellows and wires are read.
//
//   bar = coefPressure * pressure * 1.5 / 200, from 0 to 1.5; six bellows, the other two of the eight stay empty
//   length of a wire = l0 + (voltage - v0) * 500 mm / 1.52 V
//
// The maker's library (rec_robotino_api2, its interface for C) is loaded when a scene asks for it; DIVAN_ROBOTINO names
// another file. Its calls wait for the network, so a thread of its own makes them: a step leaves the newest pressures
// there and takes the newest readings, and waits for nothing. While the bumper is pressed nothing is sent.
#include "robot/classes.h"

#include "base/text.h"
#include "scene/node.h"
#include "scene/outside.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROBOTINO_FIELDS(X)                                                                                            \
  X(real, coefPressure, "1", "", "factor of the pressures; with 1, 200 of them are 1.5 bar, the most that is sent")   \
  X(string, address, "172.26.1.1", "", "of the robot in the network")                                                 \
  X(reals, pressures, "", "Pa", "numbers to send; by default the forces that QPInverseProblemSolver has found")       \
  X(int, firstPressure, "3", "", "number of the first of the six, from 0: as in SOFA three others stand before them", \
    .least = "0")                                                                                                     \
  X(reals, sentPressures, "", "bar", "what was handed over for the eight bellows", .flags = DV_READ_ONLY)             \
  X(reals, measuredPressures, "", "bar", "of the eight bellows, as the robot says", .flags = DV_READ_ONLY)            \
  X(reals, measuredLengths, "", "m", "of the six wires along the arm", .flags = DV_READ_ONLY)                         \
  X(bool, bumper, "0", "", "the robot touches something: nothing is sent", .flags = DV_READ_ONLY)                     \
  X(bool, connected, "0", "", "the robot answers", .flags = DV_READ_ONLY)                                             \
  X(int, commands, "0", "", "pressures that the robot took", .flags = DV_READ_ONLY)

enum { BELLOWS = 8, DRIVEN = 6, WIRES = 6, TOLD = 10 };
static const double MOST_BAR = 1.5, PER_BAR = 200 / 1.5;

// what is used of the library
typedef struct Library {
  void *handle;
  int (*com_construct)(void);
  int (*com_destroy)(int com);
  int (*com_set_address)(int com, const char *address);
  int (*com_connect)(int com);
  int (*com_disconnect)(int com);
  int (*com_is_connected)(int com);
  int (*bumper_construct)(void);
  int (*bumper_destroy)(int bumper);
  int (*bumper_set_com)(int bumper, int com);
  int (*bumper_value)(int bumper);
  int (*arm_construct)(void);
  int (*arm_destroy)(int arm);
  int (*arm_set_com)(int arm, int com);
  int (*arm_set_pressures)(int arm, const float *bar);
  int (*arm_set_compressors)(int arm, int on);
  int (*arm_pressures)(int arm, float *bar);
  int (*arm_wires)(int arm, float *volt);
} Library;

// What the thread and the steps have in common, under the lock.
typedef struct Readings {
  float bellows[BELLOWS], wires[WIRES];
  bool connected, bumper, any;
  int commands, losses, failures;   // connections that were lost, attempts that led to none
} Readings;

typedef struct Line {
  Library library;
  char *address;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  float wanted[BELLOWS];
  bool fresh, stop;
  Readings readings;
} Line;

typedef struct Robotino {
  dvObject base;
  ROBOTINO_FIELDS(DV_MEMBER)
  dvObject *solver;
  Line *line;   // NULL: without a robot
  bool told_numbers;
  int told, losses, failures;
} Robotino;

#define SELF Robotino
static const dvFieldDesc robotino_fields[] = {ROBOTINO_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- the library ---------------------------------------------------------------------------------

static bool load(Library *l, const dvObject *owner)
{
  const char *path = getenv("DIVAN_ROBOTINO"), *missing = NULL;
  l->handle = dlopen(path && *path ? path : "librec_robotino_api2.so", RTLD_NOW | RTLD_LOCAL);
  if (!l->handle) {
    dv_warning(owner, "install rec_robotino_api2, or send the numbers by a CommunicationController",
               "there is no robot: the maker's library is not there (%s); the scene runs without it", dlerror());
    return false;
  }
  const struct {
    const char *name;
    void *slot;
  } names[] = {{"Com_construct", &l->com_construct},
               {"Com_destroy", &l->com_destroy},
               {"Com_setAddress", &l->com_set_address},
               {"Com_connect", &l->com_connect},
               {"Com_disconnect", &l->com_disconnect},
               {"Com_isConnected", &l->com_is_connected},
               {"Bumper_construct", &l->bumper_construct},
               {"Bumper_destroy", &l->bumper_destroy},
               {"Bumper_setComId", &l->bumper_set_com},
               {"Bumper_value", &l->bumper_value},
               {"CompactBHA_construct", &l->arm_construct},
               {"CompactBHA_destroy", &l->arm_destroy},
               {"CompactBHA_setComId", &l->arm_set_com},
               {"CompactBHA_setPressures", &l->arm_set_pressures},
               {"CompactBHA_setCompressorsEnabled", &l->arm_set_compressors},
               {"CompactBHA_pressures", &l->arm_pressures},
               {"CompactBHA_stringPots", &l->arm_wires}};
  for (size_t i = 0; i < DV_COUNT(names) && !missing; i++) {
    void *symbol = dlsym(l->handle, names[i].name);
    if (!symbol) missing = names[i].name;
    memcpy(names[i].slot, &symbol, sizeof symbol);   // a pointer to a function, as POSIX has it
  }
  if (!missing) return true;
  dv_warning(owner, "is it another version?", "there is no robot: the maker's library has no %s", missing);
  dlclose(l->handle);
  return false;
}

// --- the thread ----------------------------------------------------------------------------------

// until there is something to send, the end, or the time is over; with the lock
static void rest(Line *l, double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  double end = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + seconds;
  until = (struct timespec){.tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * (end - floor(end)))};
  while (!l->stop && !l->fresh && pthread_cond_timedwait(&l->wake, &l->lock, &until) == 0) continue;
}

// one round with a robot that is there; without the lock
static void exchange(Line *l, int arm, int bumper, const float *bar, Readings *r)
{
  const Library *b = &l->library;
  r->bumper = b->bumper_value(bumper) != 0;
  if (bar && !r->bumper && b->arm_set_compressors(arm, 1) && b->arm_set_pressures(arm, bar)) r->commands++;
  r->any = b->arm_pressures(arm, r->bellows) && b->arm_wires(arm, r->wires);
}

static void *serve(void *user)
{
  Line *l = user;
  const Library *b = &l->library;
  int com = b->com_construct(), bumper = b->bumper_construct(), arm = b->arm_construct();
  b->com_set_address(com, l->address);
  b->bumper_set_com(bumper, com);
  b->arm_set_com(arm, com);
  Readings r = {0};
  pthread_mutex_lock(&l->lock);
  while (!l->stop) {
    float bar[BELLOWS];
    bool fresh = l->fresh;
    if (fresh) memcpy(bar, l->wanted, sizeof bar);
    l->fresh = false;
    pthread_mutex_unlock(&l->lock);
    bool was = r.connected;
    r.connected = b->com_is_connected(com) != 0;
    r.losses += was && !r.connected;
    if (!r.connected) r.connected = b->com_connect(com) && b->com_is_connected(com);
    r.failures += !r.connected;
    if (r.connected) exchange(l, arm, bumper, fresh ? bar : NULL, &r);
    pthread_mutex_lock(&l->lock);
    l->readings = r;
    if (!r.connected) l->fresh = false;   // old pressures are not sent later
    rest(l, r.connected ? 0.02 : 1);
  }
  pthread_mutex_unlock(&l->lock);
  if (r.connected) {   // nobody looks after it any more
    b->arm_set_pressures(arm, (float[BELLOWS]){0});
    b->arm_set_compressors(arm, 0);
    b->com_disconnect(com);
  }
  b->arm_destroy(arm);
  b->bumper_destroy(bumper);
  b->com_destroy(com);
  return NULL;
}

static void close_line(Robotino *s)
{
  Line *l = s->line;
  if (!l) return;
  pthread_mutex_lock(&l->lock);
  l->stop = true;
  pthread_cond_signal(&l->wake);
  pthread_mutex_unlock(&l->lock);
  pthread_join(l->thread, NULL);
  pthread_cond_destroy(&l->wake);
  pthread_mutex_destroy(&l->lock);
  dlclose(l->library.handle);
  dv_free(l->address);
  dv_free(l);
  s->line = NULL;
}

static void open_line(Robotino *s)
{
  Library library = {0};
  if (!load(&library, &s->base)) return;
  Line *l = dv_alloc(sizeof *l);
  *l = (Line){.library = library, .address = dv_format("%s", s->address)};
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&l->wake, &clock);
  pthread_condattr_destroy(&clock);
  pthread_mutex_init(&l->lock, NULL);
  s->line = l;
  if (pthread_create(&l->thread, NULL, serve, l) == 0) return;
  dv_warning(&s->base, NULL, "there is no robot: no thread can be started for it");
  pthread_cond_destroy(&l->wake);
  pthread_mutex_destroy(&l->lock);
  dlclose(library.handle);
  dv_free(l->address), dv_free(l);
  s->line = NULL;
}

// --- steps ---------------------------------------------------------------------------------------

static bool pressures_to_send(Robotino *s, float bar[BELLOWS])
{
  dvObject *o = &s->base;
  const dvReals *from = &s->pressures;
  if (dv_was_set(o, &s->pressures)) {
    if (dv_pull(o, &s->pressures) != DV_OK) return false;
  } else {
    from = dv_object_field(s->solver, "actuatorForces")->value;
  }
  size_t first = (size_t)s->firstPressure;
  bool enough = from->count >= first + DRIVEN, numbers = enough;
  for (size_t i = 0; i < BELLOWS; i++) bar[i] = 0;
  for (size_t i = 0; i < DRIVEN && enough; i++) {
    double wanted = s->coefPressure * from->data[first + i] / PER_BAR;
    numbers = numbers && isfinite(wanted);
    bar[i] = (float)fmin(MOST_BAR, fmax(0, wanted));
  }
  if (!numbers && !s->told_numbers)
    dv_field_warning(o, &s->pressures, "give six pressures, and firstPressure=\"0\" when nothing stands before them",
                     enough ? "a pressure is no number: nothing is sent as long as that is so"
                            : "%zu numbers are too few for six pressures from number %zu on: nothing is sent as long "
                              "as that is so",
                     from->count, first);
  s->told_numbers = !numbers;
  return numbers;
}

static void show(dvObject *o, dvReals *field, const double *numbers, size_t count)
{
  if (dv_reals_assign(field, numbers, count)) dv_touch(o, field);
}

static void send_pressures(Robotino *s)
{
  float bar[BELLOWS];
  double sent[BELLOWS];
  if (!pressures_to_send(s, bar)) return;
  for (int i = 0; i < BELLOWS; i++) sent[i] = (double)bar[i];
  pthread_mutex_lock(&s->line->lock);
  memcpy(s->line->wanted, bar, sizeof bar);
  s->line->fresh = true;
  pthread_cond_signal(&s->line->wake);
  pthread_mutex_unlock(&s->line->lock);
  show(&s->base, &s->sentPressures, sent, BELLOWS);
}

static void tell(Robotino *s, const Readings *r)
{
  dvObject *o = &s->base;
  bool lost = r->losses > s->losses, absent = r->failures > 0 && s->failures == 0 && r->losses == 0;
  if ((lost || absent) && s->told++ < TOLD)
    dv_field_warning(o, &s->address, "is it switched on, and in this network?",
                     "the robot at %s %s: nothing is sent or read, it is called again every second%s", s->address,
                     lost ? "is lost" : "does not answer", s->told == TOLD ? "; this is not told any more" : "");
  if (r->connected && !s->connected) dv_note(o, "the robot at %s answers", s->address);
  if (r->bumper != s->bumper)
    dv_note(o, r->bumper ? "the robot touches something: nothing is sent until it is free" : "the robot is free again");
  s->losses = r->losses;
  s->failures = r->failures;
}

static void take_readings(Robotino *s)
{
  // lengths and voltages that belong together, as SOFA has them
  static const double length[WIRES] = {0.1099, 0.10063, 0.104, 0.1981, 0.1959, 0.1923},
                      voltage[WIRES] = {0.625611, 0.630723, 0.537634, 0.806452, 0.835777, 0.884653};
  dvObject *o = &s->base;
  pthread_mutex_lock(&s->line->lock);
  Readings r = s->line->readings;
  pthread_mutex_unlock(&s->line->lock);
  tell(s, &r);
  s->connected = r.connected;
  s->bumper = r.bumper;
  s->commands = r.commands;
  if (!r.any) return;
  double bellows[BELLOWS], wires[WIRES];
  for (int i = 0; i < BELLOWS; i++) bellows[i] = (double)r.bellows[i];
  for (int i = 0; i < WIRES; i++) wires[i] = length[i] + ((double)r.wires[i] - voltage[i]) * 0.5 / 1.52;
  show(o, &s->measuredPressures, bellows, BELLOWS);
  show(o, &s->measuredLengths, wires, WIRES);
}

// --- life ----------------------------------------------------------------------------------------

static dvStatus robotino_init(dvObject *o)
{
  Robotino *s = (Robotino *)o;
  close_line(s);
  s->told = s->losses = s->failures = 0;
  s->connected = s->bumper = false;
  if (!*s->address) return dv_field_error(o, &s->address, "172.26.1.1 is usual", "the robot has no address");
  s->solver = dv_node_find_up(o->node, DV_ROLE_CONSTRAINT_SOLVER);
  bool found = s->solver && s->solver->cls == &dv_inverse_class;
  if (!found && !dv_was_set(o, &s->pressures))
    return dv_error(o, "give pressures, or put a QPInverseProblemSolver above it",
                    "%s has nothing to send: there are no pressures, and no QPInverseProblemSolver in the nodes above",
                    o->name);
  if (dv_outside_is_permitted(o, "robots")) open_line(s);
  return DV_OK;
}

static void robotino_event(dvObject *o, const dvEvent *event)
{
  Robotino *s = (Robotino *)o;
  if (o->failed || !s->line || event->kind != DV_EVENT_ANIMATE_END) return;
  take_readings(s);
  send_pressures(s);
}

static void robotino_destroy(dvObject *o) { close_line((Robotino *)o); }

const dvClass dv_robotino_class = {
    .struct_size = sizeof(dvClass),
    .name = "DataControllerRobot",
    .help = "sends pressures to the arm of a Robotino and reads its bellows and wires",
    .module = "SoftRobots",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Robotino),
    .blocks = {&dv_object_block, DV_BLOCK(robotino_fields)},
    .init = robotino_init,
    .reinit = robotino_init,
    .handle_event = robotino_event,
    .destroy = robotino_destroy,
};
