// See opencl.h. What is needed of OpenCL 1.2 is declared here, so that its headers are not needed.
#include "lattice/opencl.h"

#ifndef DV_NO_OPENCL

#include "lattice/layout.h"
#include "lattice_cl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  CL_DEVICE_GPU = 1 << 2,
  CL_DEVICE_ALL = -1,
  CL_DEVICE_NAME_ = 0x102B,
  CL_DEVICE_DOUBLE_FP = 0x1032,
  CL_READ_WRITE = 1,
  CL_BUILD_LOG = 0x1183,
  MOST_PLATFORMS = 8,
  TABLES = 9,
};

typedef void *Handle;

#define FUNCTIONS(X)                                                                                                \
  X(int32_t, clGetPlatformIDs, (uint32_t, Handle *, uint32_t *))                                                    \
  X(int32_t, clGetDeviceIDs, (Handle, uint64_t, uint32_t, Handle *, uint32_t *))                                    \
  X(int32_t, clGetDeviceInfo, (Handle, uint32_t, size_t, void *, size_t *))                                         \
  X(Handle, clCreateContext, (const intptr_t *, uint32_t, const Handle *, void *, void *, int32_t *))               \
  X(Handle, clCreateCommandQueue, (Handle, Handle, uint64_t, int32_t *))                                            \
  X(Handle, clCreateProgramWithSource, (Handle, uint32_t, const char **, const size_t *, int32_t *))                \
  X(int32_t, clBuildProgram, (Handle, uint32_t, const Handle *, const char *, void *, void *))                      \
  X(int32_t, clGetProgramBuildInfo, (Handle, Handle, uint32_t, size_t, void *, size_t *))                           \
  X(Handle, clCreateKernel, (Handle, const char *, int32_t *))                                                      \
  X(int32_t, clSetKernelArg, (Handle, uint32_t, size_t, const void *))                                              \
  X(Handle, clCreateBuffer, (Handle, uint64_t, size_t, void *, int32_t *))                                          \
  X(int32_t, clEnqueueWriteBuffer,                                                                                  \
    (Handle, Handle, uint32_t, size_t, size_t, const void *, uint32_t, const Handle *, Handle *))                   \
  X(int32_t, clEnqueueReadBuffer,                                                                                   \
    (Handle, Handle, uint32_t, size_t, size_t, void *, uint32_t, const Handle *, Handle *))                         \
  X(int32_t, clEnqueueNDRangeKernel,                                                                                \
    (Handle, Handle, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, const Handle *, Handle *)) \
  X(int32_t, clFinish, (Handle))                                                                                    \
  X(int32_t, clReleaseMemObject, (Handle))                                                                          \
  X(int32_t, clReleaseKernel, (Handle))                                                                             \
  X(int32_t, clReleaseProgram, (Handle))                                                                            \
  X(int32_t, clReleaseCommandQueue, (Handle))                                                                       \
  X(int32_t, clReleaseContext, (Handle))

#define DECLARE(result, name, arguments) result(*name) arguments;
typedef struct Library {
  FUNCTIONS(DECLARE)
  bool there;
} Library;

// the loader of OpenCL is one for the process, and is never closed
static Library cl;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
  void *file = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!file) return;
  bool all = true;
#define FIND(result, name, arguments) *(void **)&cl.name = dlsym(file, #name), all = all && cl.name;
  FUNCTIONS(FIND)
  cl.there = all;
}

typedef enum Buffer {
  X_NOW,
  X_NEXT,
  V,
  LOW,
  W,
  F,
  EXTRA,
  CLASSES,
  ROWS,
  STEPS,
  INVERSES,
  TABLE,
  WALLS,
  GUIDES,
  NUMBERS,
  STAGE_V,
  SUM_X,
  SUM_V,
  BUFFERS
} Buffer;

struct dvLatticeDevice {
  Handle context, queue, program, force, move, stage, buffers[BUFFERS];
  size_t sizes[BUFFERS];
  char name[128];
  bool wide;          // walls and guides in double
  unsigned changes;   // of the lattice's classes that it has
  bool damaged;       // a call failed since the last question
};

// --- opening -------------------------------------------------------------------------------------

static bool find_device(Handle *device)
{
  Handle platforms[MOST_PLATFORMS];
  uint32_t count = 0, found = 0;
  if (cl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &count) != 0) return false;
  for (int pass = 0; pass < 2; pass++)   // a graphics card, else anything
    for (uint32_t i = 0; i < count && i < MOST_PLATFORMS; i++)
      if (cl.clGetDeviceIDs(platforms[i], pass ? (uint64_t)(uint32_t)CL_DEVICE_ALL : CL_DEVICE_GPU, 1, device,
                            &found) == 0 &&
          found > 0)
        return true;
  return false;
}

static bool build(dvLatticeDevice *d, Handle device, const dvLattice *l, dvText *why)
{
  int32_t error = 0;
  const char *source = lattice_cl;
  char *options = dv_format("-cl-fp32-correctly-rounded-divide-sqrt -DREAL=%s -DFLOATS=%d -DWIDE=%s -DWIDE_DOUBLE=%d "
                            "-DTINY=%s -DGRID=%d -DLANES=%d -DWAYS=%d -DPAD=%d%s",
                            l->single ? "float" : "double", l->single, d->wide ? "double" : "float", d->wide,
                            l->single ? "1e-30f" : "1e-200", l->grid, DV_LATTICE_LANES, DV_LATTICE_WAYS, (int)l->pad,
                            d->wide ? "" : " -cl-single-precision-constant");
  d->program = cl.clCreateProgramWithSource(d->context, 1, &source, NULL, &error);
  if (d->program) error = cl.clBuildProgram(d->program, 1, &device, options, NULL, NULL);
  if (d->program && error == -66) {   // an option that the device does not know: roots as it likes
    error = cl.clBuildProgram(d->program, 1, &device, strchr(options, ' '), NULL, NULL);
  }
  dv_free(options);
  if (d->program && error == 0) return true;
  char log[400] = "";
  if (d->program) cl.clGetProgramBuildInfo(d->program, device, CL_BUILD_LOG, sizeof log - 1, log, NULL);
  dv_text_printf(why, "%s does not build the kernels (%d) %s", d->name, error, log);
  return false;
}

static void write(dvLatticeDevice *d, Buffer b, size_t offset, const void *from, size_t bytes)
{
  if (bytes && cl.clEnqueueWriteBuffer(d->queue, d->buffers[b], 1, offset, bytes, from, 0, NULL, NULL) != 0)
    d->damaged = true;
}

static void fetch(dvLatticeDevice *d, Buffer b, size_t offset, void *to, size_t bytes)
{
  if (bytes && cl.clEnqueueReadBuffer(d->queue, d->buffers[b], 1, offset, bytes, to, 0, NULL, NULL) != 0)
    d->damaged = true;
}

// room for so many bytes; the buffer may become another one, empty
static void want(dvLatticeDevice *d, Buffer b, size_t bytes)
{
  if (bytes < 64) bytes = 64;
  if (d->sizes[b] >= bytes) return;
  if (d->buffers[b]) cl.clReleaseMemObject(d->buffers[b]);
  int32_t error = 0;
  d->buffers[b] = cl.clCreateBuffer(d->context, CL_READ_WRITE, bytes, NULL, &error);
  d->sizes[b] = d->buffers[b] ? bytes : 0;
  d->damaged |= !d->buffers[b];
}

// what does not change while it steps: where springs lead
static bool send_layout(dvLatticeDevice *d, const dvLattice *l)
{
  size_t entries = DV_LATTICE_LANES * l->rows_total, vector = 3 * l->slots * l->real;
  size_t bytes[BUFFERS] = {[X_NOW] = vector,
                           [X_NEXT] = vector,
                           [V] = vector,
                           [LOW] = vector,
                           [W] = l->slots * l->real,
                           [F] = vector,
                           [EXTRA] = vector,
                           [CLASSES] = entries,
                           [ROWS] = (l->grid ? 9 * l->slices : l->slices + 1) * 4,
                           [STEPS] = l->grid ? 0 : 4 * entries,
                           [INVERSES] = l->grid ? 0 : l->real * entries,
                           [TABLE] = TABLES * 256 * l->real,
                           [NUMBERS] = 8 * 8};
  for (int b = 0; b < BUFFERS; b++) want(d, (Buffer)b, bytes[b]);
  if (d->damaged) return false;
  write(d, ROWS, 0, l->grid ? (const void *)l->rows : l->first, bytes[ROWS]);
  if (l->grid) return !d->damaged;
  write(d, INVERSES, 0, l->inverse, bytes[INVERSES]);
  if (l->far) {
    write(d, STEPS, 0, l->far, bytes[STEPS]);
    return !d->damaged;
  }
  int32_t *steps = dv_try_alloc(bytes[STEPS]);
  for (size_t i = 0; steps && i < entries; i++) steps[i] = l->near[i];
  if (steps) write(d, STEPS, 0, steps, bytes[STEPS]);
  bool good = steps && !d->damaged;
  dv_free(steps);
  return good;
}

static bool open_device(dvLatticeDevice *d, const dvLattice *l, dvText *why)
{
  Handle device;
  int32_t error = 0;
  uint64_t doubles = 0;
  if (!find_device(&device)) {
    dv_text_add(why, "OpenCL has no device");
    return false;
  }
  cl.clGetDeviceInfo(device, CL_DEVICE_NAME_, sizeof d->name - 1, d->name, NULL);
  cl.clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP, sizeof doubles, &doubles, NULL);
  d->wide = doubles != 0;
  if (!d->wide && !l->single) {
    dv_text_printf(why, "%s has no double precision; precision=\"float\" would do", d->name);
    return false;
  }
  d->context = cl.clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  if (d->context) d->queue = cl.clCreateCommandQueue(d->context, device, 0, &error);
  if (!d->queue) {
    dv_text_printf(why, "%s does not open (%d)", d->name, error);
    return false;
  }
  if (!build(d, device, l, why)) return false;
  d->force = cl.clCreateKernel(d->program, "force", &error);
  d->move = cl.clCreateKernel(d->program, "move", &error);
  d->stage = cl.clCreateKernel(d->program, "stage", &error);
  if (d->force && d->move && d->stage && send_layout(d, l)) return true;
  dv_text_printf(why, "%s has no room for %zu springs", d->name, l->springs);
  return false;
}

dvLatticeDevice *dv_lattice_device_open(const dvLattice *l, dvText *why)
{
  const char *wish = getenv("DIVAN_OPENCL");
  if (wish && (dv_same(wish, "off") || dv_same(wish, "0"))) {
    dv_text_add(why, "DIVAN_OPENCL switches it off");
    return NULL;
  }
  pthread_once(&once, open_library);
  if (!cl.there) {
    dv_text_add(why, "there is no libOpenCL.so.1");
    return NULL;
  }
  dvLatticeDevice *d = dv_try_alloc(sizeof *d);
  if (d && open_device(d, l, why)) {
    d->changes = l->changes - 1;
    return d;
  }
  dv_lattice_device_close(&d);
  return NULL;
}

void dv_lattice_device_close(dvLatticeDevice **device)
{
  dvLatticeDevice *d = *device;
  if (!d) return;
  for (int b = 0; b < BUFFERS; b++)
    if (d->buffers[b]) cl.clReleaseMemObject(d->buffers[b]);
  Handle kernels[] = {d->force, d->move, d->stage};
  for (size_t i = 0; i < DV_COUNT(kernels); i++)
    if (kernels[i]) cl.clReleaseKernel(kernels[i]);
  if (d->program) cl.clReleaseProgram(d->program);
  if (d->queue) cl.clReleaseCommandQueue(d->queue);
  if (d->context) cl.clReleaseContext(d->context);
  dv_free(d);
  *device = NULL;
}

const char *dv_lattice_device_name(const dvLatticeDevice *d) { return d->name; }

// --- stepping ------------------------------------------------------------------------------------

static void send_vector(dvLatticeDevice *d, Buffer b, const dvLattice *l, void *const from[3])
{
  for (size_t k = 0; k < 3; k++) write(d, b, k * l->slots * l->real, from[k], l->slots * l->real);
}

static void fetch_vector(dvLatticeDevice *d, Buffer b, const dvLattice *l, void *const to[3])
{
  for (size_t k = 0; k < 3; k++) fetch(d, b, k * l->slots * l->real, to[k], l->slots * l->real);
}

static void send_tables(dvLatticeDevice *d, const dvLattice *l)
{
  size_t run = 256 * l->real;
  const void *tables[TABLES] = {l->single ? (const void *)l->table_ks[0] : l->table_k[0],
                                l->single ? (const void *)l->table_ks[1] : l->table_k[1],
                                l->single ? (const void *)l->table_ks[2] : l->table_k[2],
                                l->single ? (const void *)l->table_ks[3] : l->table_k[3],
                                l->single ? (const void *)l->table_rs : l->table_r,
                                l->single ? (const void *)l->table_es : l->table_e,
                                l->single ? (const void *)l->table_cs : l->table_c,
                                l->single ? (const void *)l->table_ds : l->table_d,
                                l->single ? (const void *)l->table_ls : l->table_l};
  for (size_t i = 0; i < TABLES; i++) write(d, TABLE, i * run, tables[i], run);
}

// numbers as the device has walls and guides
static void send_wide(dvLatticeDevice *d, Buffer b, const double *from, size_t count)
{
  want(d, b, count * sizeof(double));
  if (d->damaged) return;
  if (d->wide) {
    write(d, b, 0, from, count * sizeof *from);
    return;
  }
  float *narrow = dv_try_alloc((count + 1) * sizeof *narrow);
  if (!narrow) {
    d->damaged = true;
    return;
  }
  for (size_t i = 0; i < count; i++) narrow[i] = (float)from[i];
  write(d, b, 0, narrow, count * sizeof *narrow);
  dv_free(narrow);
}

static void send_walls(dvLatticeDevice *d, const dvLattice *l)
{
  enum { NUMBERS_OF_WALL = 8 };
  double *numbers = dv_try_alloc((l->walls.count * NUMBERS_OF_WALL + 1) * sizeof *numbers);
  if (!numbers) {
    d->damaged = true;
    return;
  }
  for (size_t i = 0; i < l->walls.count; i++) {
    const dvLatticeWall *w = &l->walls.data[i];
    double row[NUMBERS_OF_WALL] = {w->at[0], w->at[1], w->at[2], w->distance, w->stick, w->slide, w->ball, 0};
    memcpy(numbers + NUMBERS_OF_WALL * i, row, sizeof row);
  }
  send_wide(d, WALLS, numbers, l->walls.count * NUMBERS_OF_WALL);
  dv_free(numbers);
}

static void send_state(dvLatticeDevice *d, const dvLattice *l, dvLatticeScheme scheme)
{
  send_vector(d, X_NOW, l, l->x[l->now]);
  send_vector(d, V, l, l->v);
  if (l->single) send_vector(d, LOW, l, l->low);
  write(d, W, 0, l->w, l->slots * l->real);
  if (l->pushed) send_vector(d, EXTRA, l, l->extra);
  if (l->walls.count) send_walls(d, l);
  if (l->guide) send_wide(d, GUIDES, l->guide, 4 * l->slots);
  if (d->changes != l->changes) write(d, CLASSES, 0, l->cls, DV_LATTICE_LANES * l->rows_total);
  d->changes = l->changes;
  for (Buffer b = STAGE_V; scheme == DV_LATTICE_RK4 && b <= SUM_V; b++) want(d, b, 3 * l->slots * l->real);
}

typedef struct Call {
  dvLatticeDevice *d;
  Handle kernel;
  uint32_t argument;
} Call;

static void pass(Call *c, const void *value, size_t size)
{
  if (cl.clSetKernelArg(c->kernel, c->argument++, size, value) != 0) c->d->damaged = true;
}

static void pass_buffer(Call *c, Buffer b) { pass(c, &c->d->buffers[b], sizeof(Handle)); }
static void pass_int(Call *c, int32_t value) { pass(c, &value, sizeof value); }

static void launch(Call *c, const dvLattice *l)
{
  size_t items = l->slots - 2 * l->pad, group = DV_LATTICE_LANES;
  if (c->d->damaged) return;
  if (cl.clEnqueueNDRangeKernel(c->d->queue, c->kernel, 1, NULL, &items, &group, 0, NULL, NULL) != 0)
    c->d->damaged = true;
}

static void run_force(dvLatticeDevice *d, const dvLattice *l, Buffer x, Buffer v)
{
  Call c = {.d = d, .kernel = d->force};
  const Buffer buffers[] = {x, v, F, TABLE, CLASSES, ROWS, STEPS, INVERSES};
  for (size_t i = 0; i < DV_COUNT(buffers); i++) pass_buffer(&c, buffers[i]);
  uint64_t slots = l->slots;
  float narrow = (float)l->pitch;
  pass(&c, &slots, sizeof slots);
  pass_int(&c, (l->plain ? 1 : 0) | (l->damped ? 2 : 0) | (l->brittle ? 4 : 0));
  if (l->single) pass(&c, &narrow, sizeof narrow);
  else pass(&c, &l->pitch, sizeof l->pitch);
  launch(&c, l);
}

static void run_move(dvLatticeDevice *d, const dvLattice *l, Handle kernel, int how)
{
  Call c = {.d = d, .kernel = kernel};
  const Buffer buffers[] = {X_NOW, X_NEXT, V, LOW, W, F, EXTRA, WALLS, GUIDES, NUMBERS};
  for (size_t i = 0; i < DV_COUNT(buffers); i++) pass_buffer(&c, buffers[i]);
  uint64_t slots = l->slots;
  pass(&c, &slots, sizeof slots);
  pass_int(&c, how);
  pass_int(&c, l->pushed);
  pass_int(&c, (int32_t)l->walls.count);
  pass_int(&c, l->guide != NULL);
  for (Buffer b = STAGE_V; kernel == d->stage && b <= SUM_V; b++) pass_buffer(&c, b);
  launch(&c, l);
}

static void send_numbers(dvLatticeDevice *d, const dvLattice *l, double h, double kick, bool stages)
{
  double damp = l->decay * kick / 2;
  double numbers[8] = {h,
                       kick / (1 + damp),
                       stages ? l->decay : (1 - damp) / (1 + damp),
                       l->drag_value * (stages ? h : kick),
                       l->gravity[0],
                       l->gravity[1],
                       l->gravity[2]};
  send_wide(d, NUMBERS, numbers, 8);
}

static void swap_positions(dvLatticeDevice *d)
{
  Handle t = d->buffers[X_NOW];
  d->buffers[X_NOW] = d->buffers[X_NEXT], d->buffers[X_NEXT] = t;
}

static void tune(dvLatticeDevice *d, dvLattice *l, const dvLatticeRun *run, double time, bool first)
{
  if (run->tune) run->tune(run->user, l, time);
  if (run->tune || first) send_tables(d, l);
}

static void step_rk4(dvLatticeDevice *d, dvLattice *l, const dvLatticeRun *run, double time, bool first)
{
  static const double at[4] = {0, 0.5, 0.5, 1};
  for (int stage = 0; stage < 4; stage++) {
    tune(d, l, run, time + at[stage] * run->h, first && stage == 0);
    run_force(d, l, stage ? X_NEXT : X_NOW, stage ? STAGE_V : V);
    run_move(d, l, d->stage, stage);
  }
}

static void run_all(dvLatticeDevice *d, dvLattice *l, const dvLatticeRun *run)
{
  enum { DRIFT_FIRST = 1, DRIFT = 2 };
  bool verlet = run->scheme == DV_LATTICE_VERLET, stages = run->scheme == DV_LATTICE_RK4;
  int how = run->scheme == DV_LATTICE_FORWARD ? DRIFT_FIRST | DRIFT : DRIFT;
  send_numbers(d, l, run->h, verlet ? run->h / 2 : run->h, stages);
  for (long i = 0; i < run->iterations && !d->damaged; i++) {
    double time = run->time + (double)i * run->h;
    if (verlet && i == 1) send_numbers(d, l, run->h, run->h, false);
    if (stages) {
      step_rk4(d, l, run, time, i == 0);
    } else {
      tune(d, l, run, time, i == 0);
      run_force(d, l, X_NOW, V);
      run_move(d, l, d->move, how);
    }
    swap_positions(d);
  }
  if (!verlet || run->iterations == 0) return;
  tune(d, l, run, run->time + (double)run->iterations * run->h, false);
  send_numbers(d, l, run->h, run->h / 2, false);
  run_force(d, l, X_NOW, V);
  run_move(d, l, d->move, 0);
}

// springs that broke on the device
static void fetch_broken(dvLatticeDevice *d, dvLattice *l)
{
  size_t entries = DV_LATTICE_LANES * l->rows_total;
  uint8_t *now = dv_try_alloc(entries + 1);
  if (!now) {
    d->damaged = true;
    return;
  }
  fetch(d, CLASSES, 0, now, entries);
  long count = 0;
  for (size_t i = 0; !d->damaged && i < entries; i++) count += l->cls[i] != 0 && now[i] == 0;
  if (count) {
    memcpy(l->cls, now, entries);
    atomic_fetch_add(&l->broken, count);
    dv_layout_summarise(l);
  }
  dv_free(now);
}

bool dv_lattice_device_advance(dvLatticeDevice *d, dvLattice *l, const dvLatticeRun *run, dvText *why)
{
  if (l->motors.count) {
    dv_text_add(why, "motors turn on the processor only");
    return false;
  }
  d->damaged = false;
  send_state(d, l, run->scheme);
  if (!d->damaged) run_all(d, l, run);
  if (cl.clFinish(d->queue) != 0) d->damaged = true;
  if (!d->damaged && l->brittle) fetch_broken(d, l);
  if (!d->damaged) {   // into the other buffer first: a lattice whose device fails is as before
    fetch_vector(d, X_NOW, l, l->x[1 - l->now]);
    if (!d->damaged) fetch_vector(d, V, l, l->v);
    if (!d->damaged && l->single) fetch_vector(d, LOW, l, l->low);
  }
  if (!d->damaged) {
    l->now = 1 - l->now;
    return true;
  }
  dv_text_printf(why, "%s failed", d->name);
  return false;
}

#else

dvLatticeDevice *dv_lattice_device_open(const dvLattice *l, dvText *why)
{
  DV_UNUSED(l);
  dv_text_add(why, "this Divan was built without it");
  return NULL;
}
void dv_lattice_device_close(dvLatticeDevice **device) { DV_UNUSED(device); }
const char *dv_lattice_device_name(const dvLatticeDevice *device)
{
  DV_UNUSED(device);
  return "";
}
bool dv_lattice_device_advance(dvLatticeDevice *device, dvLattice *l, const dvLatticeRun *run, dvText *why)
{
  DV_UNUSED(device), DV_UNUSED(l), DV_UNUSED(run), DV_UNUSED(why);
  return false;
}

#endif
