// The emulated device. See dvHand in device.h.
#include "haptic/device.h"

#include "base/array.h"
#include "base/outbox.h"
#include "base/text.h"
#include "math/pose.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { COLUMNS = 9, DELAYS = 64 };   // time, pose, buttons; force of the last ticks
#define LED_SPEED 1.0                // m/s, at most

// all numbers: it is remembered as such
typedef struct Memory {
  double x[3], v[3], time, begun;
  double late[DELAYS][3], next;   // forces that have not arrived
  double led, goal[3], way[3];    // somebody leads it there; how far it has come
  double buttons;                 // as they were when that began
} Memory;

typedef struct Emulator {
  dvDevice device;
  dvHand hand;
  DV_ARRAY(double) motion;   // COLUMNS a line
  Memory now;
  dvOutbox goals;       // of who leads it
  atomic_bool is_led;   // for who asks from another thread
} Emulator;

// --- recorded motion -----------------------------------------------------------------------------

static int read_line(const char *cursor, double row[COLUMNS])
{
  int n = 0;
  for (; n < COLUMNS && dv_scan_real(&cursor, &row[n]); n++)
    if (!isfinite(row[n])) return -1;
  while (dv_is_space(*cursor)) cursor++;
  return *cursor ? -1 : n;
}

static bool take_line(Emulator *e, const char *line)
{
  double row[COLUMNS] = {0};
  int n = read_line(line, row);
  size_t count = e->motion.count / COLUMNS;
  if (n != 4 && n != 8 && n != 9) return false;
  if (count && row[0] <= e->motion.data[(count - 1) * COLUMNS]) return false;
  for (int i = 1; i < 4; i++) row[i] *= 0.001;
  if (n == 4) row[7] = 1;
  double size = sqrt(row[4] * row[4] + row[5] * row[5] + row[6] * row[6] + row[7] * row[7]);
  if (!(size > 1e-6) || !isfinite(size)) return false;
  for (int i = 4; i < 8; i++) row[i] /= size;
  for (int i = 0; i < COLUMNS; i++) dv_push(&e->motion, row[i]);
  return true;
}

static bool read_motion(Emulator *e, const dvObject *owner, const char *path, const char *text)
{
  dvText line = {0};
  int number = 1;
  bool good = true;
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;   // editors of Windows begin with it
  for (const char *at = text; *at && good; number++) {
    size_t length = strcspn(at, "\n");
    dv_text_clear(&line);
    dv_text_add_n(&line, at, length);
    at += length + (at[length] == '\n');
    const char *first = line.text ? line.text : "";
    while (dv_is_space(*first)) first++;
    if (*first && *first != '#') good = take_line(e, first);
    if (!good)
      dv_error(owner, "a line is: time x y z [qx qy qz qw [buttons]], in s and mm, with increasing times",
               "%s:%d: this line of the motion cannot be read", path, number);
  }
  dv_text_free(&line);
  if (good && e->motion.count == 0) dv_error(owner, NULL, "the motion %s has no lines", path), good = false;
  return good;
}

static void recorded_at(const Emulator *e, double time, double pose[7], uint32_t *buttons)
{
  size_t low = 0, high = e->motion.count / COLUMNS - 1;
  const double *rows = e->motion.data;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (rows[middle * COLUMNS] <= time) low = middle;
    else high = middle;
  }
  const double *a = rows + low * COLUMNS, *b = rows + high * COLUMNS;
  double part = b[0] > a[0] ? dv_max(0, dv_min(1, (time - a[0]) / (b[0] - a[0]))) : 0;
  dvQuat p = dv_quat_load(a + 4), q = dv_quat_load(b + 4);
  if (dv_quat_dot(p, q) < 0) q = dv_quat_scale(q, -1);
  for (int i = 0; i < 3; i++) pose[i] = a[1 + i] + part * (b[1 + i] - a[1 + i]);
  dvQuat mean = {p.x + part * (q.x - p.x), p.y + part * (q.y - p.y), p.z + part * (q.z - p.z),
                 p.w + part * (q.w - p.w)};
  dv_quat_store(pose + 3, dv_quat_normalise(mean));
  *buttons = (uint32_t)dv_max(0, dv_min(65535, (part < 1 ? a : b)[8]));
}

// --- the hand ------------------------------------------------------------------------------------

static void wanted_at(const Emulator *e, double time, double pose[7], uint32_t *buttons)
{
  const dvHand *h = &e->hand;
  *buttons = 0;
  if (e->motion.count) {
    recorded_at(e, time, pose, buttons);
  } else {
    double part = h->period > 0 ? 0.5 - 0.5 * cos(2 * 3.14159265358979323846 * time / h->period) : 0;
    memcpy(pose, h->place, sizeof h->place);
    for (int i = 0; i < 3; i++) pose[i] += h->sweep[i] * part;
  }
  if (e->now.led == 0) return;
  memcpy(pose, e->now.way, sizeof e->now.way);
  *buttons = (uint32_t)dv_max(0, dv_min(65535, e->now.buttons));
}

// a step on the way to where it is led
static void follow_leader(Emulator *e, double time)
{
  bool fresh = false;
  const double *goal = dv_outbox_take(&e->goals, NULL, &fresh);
  if (goal && fresh) {
    double pose[7];
    uint32_t buttons;
    wanted_at(e, time, pose, &buttons);
    if (e->now.led == 0) memcpy(e->now.way, pose, sizeof e->now.way);
    e->now.buttons = buttons;
    memcpy(e->now.goal, goal, sizeof e->now.goal);
    e->now.led = 1;
  }
  if (e->now.led == 0) return;
  double dt = dv_max(0, dv_min(0.05, time - e->now.time));
  dvVec3 way = dv_vec3_load(e->now.way), left = dv_vec3_sub(dv_vec3_load(e->now.goal), way);
  double far = dv_vec3_norm(left) * (1 - exp(-dt / DV_LED_TIME)), most = LED_SPEED * dt;
  dv_vec3_store(e->now.way, dv_vec3_add_scaled(way, dv_vec3_normalise(left), dv_min(far, most)));
}

static bool emulator_read(dvDevice *d, double time, dvDeviceSample *out)
{
  Emulator *e = (Emulator *)d;
  memset(out, 0, sizeof *out);
  follow_leader(e, time);
  atomic_store_explicit(&e->is_led, e->now.led != 0, memory_order_relaxed);
  wanted_at(e, time, out->pose, &out->buttons);
  e->now.time = time;
  if (!(e->hand.mass > 0)) return true;
  if (e->now.begun == 0) memcpy(e->now.x, out->pose, sizeof e->now.x);
  e->now.begun = 1;
  memcpy(out->pose, e->now.x, sizeof e->now.x);
  return true;
}

// the force that arrives now is that of some ticks ago
static void delay_force(Emulator *e, double dt, double f[3])
{
  size_t late = (size_t)dv_min(DELAYS - 1, floor(e->hand.delay / dt + 0.5)),
         at = e->now.next > 0 && e->now.next < DELAYS ? (size_t)e->now.next : 0;
  memcpy(e->now.late[at], f, sizeof e->now.late[at]);
  memcpy(f, e->now.late[(at + DELAYS - late) % DELAYS], 3 * sizeof *f);
  e->now.next = (double)((at + 1) % DELAYS);
}

// spring and damper of the hand implicitly, so that any hand is stable by itself; the force of the device is held
static void emulator_write(dvDevice *d, double dt, const double wrench[6])
{
  Emulator *e = (Emulator *)d;
  const dvHand *h = &e->hand;
  double f[3] = {wrench[0], wrench[1], wrench[2]}, before[7], after[7];
  uint32_t buttons;
  if (!(h->mass > 0)) return;
  delay_force(e, dt, f);
  wanted_at(e, e->now.time, before, &buttons);
  wanted_at(e, e->now.time + dt, after, &buttons);
  for (int i = 0; i < 3; i++) {
    double wish = (after[i] - before[i]) / dt;
    double push = h->stiffness * (after[i] - e->now.x[i]) + h->damping * wish + f[i];
    e->now.v[i] = (h->mass * e->now.v[i] + dt * push) / (h->mass + dt * h->damping + dt * dt * h->stiffness);
    e->now.x[i] += dt * e->now.v[i];
  }
}

static void emulator_close(dvDevice **d)
{
  Emulator *e = (Emulator *)*d;
  dv_array_free(&e->motion);
  dv_outbox_free(&e->goals);
  dv_free(e);
  *d = NULL;
}

static const dvDeviceOps emulator_ops = {
    .name = "emulated device", .read = emulator_read, .write = emulator_write, .close = emulator_close};

dvDevice *dv_emulator_create(const dvObject *owner, const dvHand *hand, const char *path, const char *text)
{
  Emulator *e = dv_alloc(sizeof *e);
  e->device = (dvDevice){
      .ops = &emulator_ops, .forces = 3, .memory = (double *)&e->now, .memory_count = sizeof e->now / sizeof(double)};
  e->hand = *hand;
  dv_outbox_init(&e->goals);
  dvDevice *d = &e->device;
  if (text && !read_motion(e, owner, path, text)) emulator_close(&d);
  return d;
}

bool dv_is_emulator(const dvDevice *d) { return d->ops == &emulator_ops; }

bool dv_emulator_is_led(const dvDevice *d)
{
  return atomic_load_explicit(&((const Emulator *)d)->is_led, memory_order_relaxed);
}

void dv_emulator_restored(dvDevice *d)
{
  Emulator *e = (Emulator *)d;
  dv_outbox_take(&e->goals, NULL, NULL);
  atomic_store_explicit(&e->is_led, e->now.led != 0, memory_order_relaxed);
}

void dv_emulator_lead(dvDevice *d, const double place[3])
{
  Emulator *e = (Emulator *)d;
  double *to = dv_outbox_begin(&e->goals, 3 * sizeof *to);
  if (!to) return;
  memcpy(to, place, 3 * sizeof *to);
  dv_outbox_publish(&e->goals);
}
