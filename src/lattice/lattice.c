// Lattices: making, filling, reading, stepping. See lattice.h.
#include "lattice/lattice.h"

#include "lattice/layout.h"
#include "lattice/motor.h"

#include <math.h>
#include <stdatomic.h>

static const dvLatticeKernels *kernels_of(const dvLattice *l)
{
  return l->single ? DV_KERNEL_CHOOSE_WIDE(dv_lattice_float_kernels) : DV_KERNEL_CHOOSE_WIDE(dv_lattice_double_kernels);
}

static double get(const dvLattice *l, const void *a, size_t i)
{
  return l->single ? (double)((const float *)a)[i] : ((const double *)a)[i];
}

static void set(const dvLattice *l, void *a, size_t i, double value)
{
  if (l->single) ((float *)a)[i] = (float)value;
  else ((double *)a)[i] = value;
}

// --- making --------------------------------------------------------------------------------------

void dv_lattice_destroy(dvLattice **lattice)
{
  dvLattice *l = *lattice;
  if (!l) return;
  void *blocks[] = {l->slot_of, l->point_of, l->block,   l->stage_block, l->extra_block, l->rows,  l->first,
                    l->near,    l->far,      l->inverse, l->cls,         l->same,        l->guide, l->guided};
  for (size_t i = 0; i < DV_COUNT(blocks); i++) dv_free(blocks[i]);
  dv_array_free(&l->walls);
  dv_motors_free(l);
  dv_free(l);
  *lattice = NULL;
}

static void *take(char **cursor, size_t bytes)
{
  void *at = *cursor;
  *cursor += bytes;
  return at;
}

static bool take_numbers(dvLattice *l)
{
  size_t vectors = l->single ? 13 : 10;                      // low is for float alone
  size_t bytes = (l->slots * l->real + 63) / 64 * 64 + 64;   // not a power of two apart
  char *cursor = l->block = dv_alloc_aligned(vectors * bytes);
  if (!cursor) return false;
  for (int k = 0; k < 3; k++) {
    l->x[0][k] = take(&cursor, bytes), l->x[1][k] = take(&cursor, bytes);
    l->v[k] = take(&cursor, bytes), l->low[k] = l->single ? take(&cursor, bytes) : NULL;
  }
  l->w = take(&cursor, bytes);
  l->bytes += (vectors * l->real + 8) * l->slots;   // numbers, table of points
  return true;
}

dvLattice *dv_lattice_create(const dvLatticeDef *def)
{
  dvLattice *l = dv_alloc_aligned(sizeof *l);
  if (!l) return NULL;
  l->points = def->points;
  l->springs = def->springs;
  l->single = def->single;
  l->real = def->single ? sizeof(float) : sizeof(double);
  dvLayoutResult laid = def->no_grid ? DV_LAYOUT_UNFIT : dv_layout_grid(l, def);
  if (laid == DV_LAYOUT_UNFIT) laid = dv_layout_list(l, def);
  if (laid != DV_LAYOUT_DONE || !take_numbers(l)) {
    dv_lattice_destroy(&l);
    return NULL;
  }
  l->mass = def->mass;
  for (size_t i = 0; i < l->points; i++) {
    size_t slot = l->slot_of[i];
    set(l, l->w, slot, def->mass[i] > 0 ? 1 / def->mass[i] : 0);
  }
  dv_layout_summarise(l);
  dv_lattice_set_classes_done(l);
  dv_lattice_put_x(l, def->rest);
  return l;
}

void dv_layout_summarise(dvLattice *l)
{
  for (size_t r = 0; r < l->rows_total; r++) {
    const uint8_t *c = l->cls + 16 * r;
    bool equal = true;
    for (int i = 1; i < 16; i++) equal &= c[i] == c[0];
    l->same[r] = equal ? c[0] : DV_LATTICE_MIXED;
  }
}

// --- numbers in and out --------------------------------------------------------------------------

void dv_lattice_put_x(dvLattice *l, const double *x)
{
  for (size_t i = 0; i < l->points; i++)
    for (int k = 0; k < 3; k++) {
      size_t slot = l->slot_of[i];
      double value = x[3 * i + (size_t)k];
      set(l, l->x[l->now][k], slot, value);
      if (l->single) ((float *)l->low[k])[slot] = (float)(value - (double)(float)value);
    }
}

void dv_lattice_put_v(dvLattice *l, const double *v)
{
  for (size_t i = 0; i < l->points; i++)
    for (int k = 0; k < 3; k++) set(l, l->v[k], l->slot_of[i], v[3 * i + (size_t)k]);
}

void dv_lattice_get_x(const dvLattice *l, double *x)
{
  for (size_t i = 0; i < l->points; i++)
    for (int k = 0; k < 3; k++) {
      size_t slot = l->slot_of[i];
      double low = l->single ? (double)((float *)l->low[k])[slot] : 0;
      x[3 * i + (size_t)k] = get(l, l->x[l->now][k], slot) + low;
    }
}

void dv_lattice_get_v(const dvLattice *l, double *v)
{
  for (size_t i = 0; i < l->points; i++)
    for (int k = 0; k < 3; k++) v[3 * i + (size_t)k] = get(l, l->v[k], l->slot_of[i]);
}

static bool take_extra(dvLattice *l)
{
  if (l->extra[0]) return true;
  size_t bytes = (l->slots * l->real + 63) / 64 * 64 + 64;
  char *cursor = l->extra_block = dv_alloc_aligned(3 * bytes);
  for (int k = 0; cursor && k < 3; k++) l->extra[k] = take(&cursor, bytes);
  if (cursor) l->bytes += 3 * l->real * l->slots;
  return cursor != NULL;
}

bool dv_lattice_put_forces(dvLattice *l, const double *f)
{
  if (!f && !l->pushed && (l->extra[0] || !l->motors.count)) return true;
  if (!take_extra(l)) return false;
  l->pushed = f != NULL;
  l->outer = f;
  for (size_t i = 0; i < l->points; i++)
    for (int k = 0; k < 3; k++) set(l, l->extra[k], l->slot_of[i], f ? f[3 * i + (size_t)k] : 0);
  return true;
}

void dv_lattice_hold(dvLattice *l, size_t point, bool held)
{
  size_t slot = l->slot_of[point];
  held |= !(l->mass[point] > 0);
  set(l, l->w, slot, held ? 0 : 1 / l->mass[point]);
  for (int k = 0; held && k < 3; k++) set(l, l->v[k], slot, 0);
}

void dv_lattice_weigh(dvLattice *l, const double *mass)
{
  l->mass = mass;
  for (size_t i = 0; i < l->points; i++) {
    size_t slot = l->slot_of[i];
    if (get(l, l->w, slot) > 0) set(l, l->w, slot, 1 / mass[i]);
  }
}

bool dv_lattice_guide(dvLattice *l, size_t point, const double axis[3], int kind)
{
  if (!l->guide) {
    l->guide = dv_try_alloc(4 * l->slots * sizeof *l->guide);
    l->guided = dv_try_alloc(l->slices);
    if (!l->guide || !l->guided) return false;
  }
  double *g = l->guide + 4 * (size_t)l->slot_of[point];
  memcpy(g, axis, 3 * sizeof *g);
  g[3] = kind;
  l->guided[l->slot_of[point] / 16] = 1;
  return true;
}

// --- classes -------------------------------------------------------------------------------------

void dv_lattice_set_class(dvLattice *l, int number, const dvSpringClass *c)
{
  static const double root[3] = {1, 1.4142135623730951, 1.7320508075688772};
  DV_REQUIRE(number > 0 && number <= DV_LATTICE_CLASSES);
  l->classes[number] = *c;
  for (int type = 0; type < 3; type++) l->table_k[type][number] = l->grid ? c->force / (l->pitch * root[type]) : 0;
  l->table_k[3][number] = c->force;
  l->table_r[number] = c->force * c->reach;
  l->table_e[number] = c->reach;
  l->table_c[number] = c->cubic;
  l->table_d[number] = c->damping;
  l->table_l[number] = c->limit > 0 ? c->limit : INFINITY;
  for (int type = 0; type < 4; type++) l->table_ks[type][number] = (float)l->table_k[type][number];
  l->table_rs[number] = (float)l->table_r[number];
  l->table_es[number] = (float)c->reach;
  l->table_cs[number] = (float)c->cubic;
  l->table_ds[number] = (float)c->damping;
  l->table_ls[number] = (float)l->table_l[number];
  if (number > l->class_count) l->class_count = number;
}

void dv_lattice_set_classes_done(dvLattice *l)
{
  l->table_l[0] = INFINITY;
  l->table_ls[0] = INFINITY;
  l->plain = true;
  l->damped = l->brittle = false;
  for (int i = 1; i <= l->class_count; i++) {
    const dvSpringClass *c = &l->classes[i];
    l->plain &= c->cubic == 0 && c->damping == 0 && !(c->limit > 0);
    l->damped |= c->damping != 0;
    l->brittle |= c->limit > 0;
  }
}

// --- walls and guides ----------------------------------------------------------------------------

// The speed at a wall is such that the mass arrives on it and not behind; what that changes along the normal is the
// impulse that friction is measured by: a mass sticks when stick x impulse suffices to stop it.
static bool meet_wall(const dvLatticeWall *w, double h, const double from[3], double x[3], double v[3])
{
  double n[3], gap, before;
  if (w->ball) {
    double u[3], size = 0, start = 0;
    for (int k = 0; k < 3; k++) {
      u[k] = x[k] - w->at[k];
      size += u[k] * u[k];
      start += (from[k] - w->at[k]) * (from[k] - w->at[k]);
    }
    size = sqrt(size);
    gap = size - w->distance;
    if (gap >= 0) return false;
    for (int k = 0; k < 3; k++) n[k] = size > 0 ? u[k] / size : k == 1;
    before = sqrt(start) - w->distance;
  } else {
    memcpy(n, w->at, sizeof n);
    gap = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - w->distance;
    if (gap >= 0) return false;
    before = n[0] * from[0] + n[1] * from[1] + n[2] * from[2] - w->distance;
  }
  double vn = n[0] * v[0] + n[1] * v[1] + n[2] * v[2], along[3], speed = 0;
  double wanted = before > 0 ? -before / h : 0, push = fmax(wanted - vn, 0);   // m/s: impulse of a unit mass
  for (int k = 0; k < 3; k++) along[k] = v[k] - vn * n[k], speed += along[k] * along[k];
  speed = sqrt(speed);
  double left = speed <= w->stick * push ? 0 : fmax(0, 1 - w->slide * push / speed);
  vn = fmax(vn, wanted);
  double way = 0;
  for (int k = 0; k < 3; k++) way += n[k] * (x[k] - from[k]);
  for (int k = 0; k < 3; k++) {   // what friction leaves of the speed it leaves of the way, whatever the integrator
    v[k] = left * along[k] + vn * n[k];
    x[k] = from[k] + left * (x[k] - from[k] - way * n[k]) + way * n[k];
  }
  if (w->ball) {   // on the ball, which is not flat
    double size = 0;
    for (int k = 0; k < 3; k++) size += (x[k] - w->at[k]) * (x[k] - w->at[k]);
    size = sqrt(size);
    for (int k = 0; size > 0 && k < 3; k++) x[k] = w->at[k] + (x[k] - w->at[k]) * (w->distance / size);
  } else {
    gap = n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - w->distance;
    for (int k = 0; k < 3; k++) x[k] -= gap * n[k];
  }
  return true;
}

bool dv_lattice_meet(const dvLattice *l, size_t slot, double h, const double from[3], double x[3], double v[3])
{
  bool changed = false;
  const double *g = l->guide ? l->guide + 4 * slot : NULL;
  for (size_t i = 0; i < l->walls.count; i++) changed |= meet_wall(&l->walls.data[i], h, from, x, v);
  if (g && g[3] > 0) {
    double s = g[0] * v[0] + g[1] * v[1] + g[2] * v[2];
    for (int k = 0; k < 3; k++) {
      v[k] = g[3] == 1 ? s * g[k] : v[k] - s * g[k];
      x[k] = from[k] + h * v[k];
    }
    changed = true;
  }
  return changed;
}

// --- stepping ------------------------------------------------------------------------------------

typedef struct Work {
  dvLattice *l;
  const dvLatticeKernels *kernels;
  dvLatticeKick kick;
  const void *x[3], *v[3];
  bool force, move;
  int stage;   // of Runge-Kutta; -1: none
} Work;

static void work_body(void *user, size_t begin, size_t end)
{
  Work *w = user;
  begin += w->l->pad / 16, end += w->l->pad / 16;
  if (w->force) w->kernels->force(w->l, w->x, w->v, begin, end);
  if (w->move && w->stage >= 0) w->kernels->stage(w->l, w->stage, w->kick.h, begin, end);
  else if (w->move) w->kernels->move(w->l, &w->kick, begin, end);
}

static void work_run(Work *w, dvPool *pool)
{
  dvLattice *l = w->l;
  double ns = (w->force ? 2.5 * (double)l->springs : 0) + (w->move ? 2 * (double)l->points : 0);
  size_t slices = l->slices - 2 * l->pad / 16;   // nothing lives at the ends
  pool = dv_pool_for(pool, ns);
  // any cut gives the same bits: a slice writes only its own slots
  size_t parts = 4 * (size_t)dv_pool_threads(pool),
         grain = pool ? dv_max_size((slices + parts - 1) / parts, 1) : slices;
  dv_parallel_for(pool, slices, grain, work_body, w);
}

// Forces stand where the new positions will be: both are written slot by slot. Stages of Runge-Kutta have positions
// there.
static void place_forces(dvLattice *l, bool stages)
{
  for (int k = 0; k < 3; k++) l->f[k] = stages ? l->stage[9 + k] : l->x[1 - l->now][k];
}

static void evaluate(Work *w, dvPool *pool, bool with_move)
{
  place_forces(w->l, false);
  w->force = true;
  w->move = with_move && !w->l->damped;   // who reads velocities of others must not find new ones
  work_run(w, pool);
  if (!with_move || w->move) return;
  w->force = false;
  w->move = true;
  work_run(w, pool);
}

static void now_at(Work *w, bool stage)
{
  dvLattice *l = w->l;
  for (int k = 0; k < 3; k++) {
    w->x[k] = l->x[stage ? 1 - l->now : l->now][k];
    w->v[k] = stage ? l->stage[k] : l->v[k];
  }
}

static bool take_stages(dvLattice *l)
{
  if (l->stage_block) return true;
  size_t bytes = (l->slots * l->real + 63) / 64 * 64 + 64;
  char *cursor = l->stage_block = dv_alloc_aligned(12 * bytes);
  for (int i = 0; cursor && i < 12; i++) l->stage[i] = take(&cursor, bytes);
  return cursor != NULL;
}

static void tune(const dvLatticeRun *run, dvLattice *l, double time)
{
  if (run->tune) run->tune(run->user, l, time);
}

static void step_rk4(Work *w, const dvLatticeRun *run, double time)
{
  static const double at[4] = {0, 0.5, 0.5, 1};
  place_forces(w->l, true);
  for (w->stage = 0; w->stage < 4; w->stage++) {
    tune(run, w->l, time + at[w->stage] * run->h);
    now_at(w, w->stage > 0);
    dv_motors_push(w->l, w->x, w->v, w->stage == 0 ? run->h : 0);
    w->force = true, w->move = false;   // a stage writes the positions that forces of others read
    work_run(w, run->pool);
    w->force = false, w->move = true;
    work_run(w, run->pool);
  }
}

bool dv_lattice_advance(dvLattice *l, const dvLatticeRun *run)
{
  Work w = {.l = l, .kernels = kernels_of(l), .stage = -1};
  bool verlet = run->scheme == DV_LATTICE_VERLET;
  if (run->scheme == DV_LATTICE_RK4 && !take_stages(l)) return false;
  for (long i = 0; i < run->iterations; i++) {
    double time = run->time + (double)i * run->h;
    w.kick = (dvLatticeKick){.h = run->h,
                             .kick = verlet && i == 0 ? run->h / 2 : run->h,
                             .drift_first = run->scheme == DV_LATTICE_FORWARD,
                             .drift = true};
    if (run->scheme == DV_LATTICE_RK4) {
      step_rk4(&w, run, time);
    } else {
      tune(run, l, time);
      now_at(&w, false);
      dv_motors_push(l, w.x, w.v, run->h);
      evaluate(&w, run->pool, true);
    }
    l->now = 1 - l->now;
  }
  if (verlet && run->iterations > 0) {
    tune(run, l, run->time + (double)run->iterations * run->h);
    now_at(&w, false);
    dv_motors_push(l, w.x, w.v, 0);
    w.kick = (dvLatticeKick){.h = run->h, .kick = run->h / 2};
    evaluate(&w, run->pool, true);
  }
  return true;
}

void dv_lattice_forces(dvLattice *l, dvPool *pool, double *f)
{
  Work w = {.l = l, .kernels = kernels_of(l), .stage = -1};
  now_at(&w, false);
  evaluate(&w, pool, false);
  for (size_t i = 0; i < l->points; i++)
    for (int k = 0; k < 3; k++) f[3 * i + (size_t)k] = get(l, l->f[k], l->slot_of[i]);
}

// --- energy, breaking ----------------------------------------------------------------------------

// of K e (1 + c e^2): l (e^2 / 2 + c e^4 / 4) K
double dv_lattice_energy(const dvLattice *l, const double *x, const dvLatticeDef *def)
{
  double sum = 0;
  for (size_t i = 0; i < def->springs; i++) {
    const dvSpringClass *c = &l->classes[def->classes[i]];
    const double *a = x + 3 * (size_t)def->pairs[2 * i], *b = x + 3 * (size_t)def->pairs[2 * i + 1];
    double r = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
    double length = dv_layout_length(def, i), e = r / length - c->reach;
    sum += length * c->force * e * e * (0.5 + 0.25 * c->cubic * e * e);
  }
  return sum;
}

static size_t *entries_of(const dvLattice *l, const dvLatticeDef *def)
{
  if (!l->grid) return dv_layout_list_entries(l, def);
  size_t *at = dv_try_alloc((2 * def->springs + 1) * sizeof *at);
  for (size_t i = 0; at && i < def->springs; i++) dv_layout_entries(l, def, i, at + 2 * i);
  return at;
}

void dv_lattice_broken(const dvLattice *l, const dvLatticeDef *def, uint8_t *broken)
{
  size_t *at = entries_of(l, def);
  if (!at) return;
  for (size_t i = 0; i < def->springs; i++) broken[i] = l->cls[at[2 * i]] == 0;
  dv_free(at);
}

void dv_lattice_break(dvLattice *l, const dvLatticeDef *def, const uint8_t *broken)
{
  size_t *at = entries_of(l, def);
  if (!at) return;
  long count = 0;
  for (size_t i = 0; i < def->springs; i++) {
    l->cls[at[2 * i]] = l->cls[at[2 * i + 1]] = broken[i] ? 0 : def->classes[i];
    count += 2 * (broken[i] != 0);
  }
  dv_free(at);
  l->changes++;
  atomic_store(&l->broken, count);
  dv_layout_summarise(l);
}
