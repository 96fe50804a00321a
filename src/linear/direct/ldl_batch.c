// See ldl_batch.h.
//
// A pack is DV_RHS right-hand sides. Threads take groups of packs; a front's columns of L are read once for all packs
// of a group, while they are in the cache. Each pack is worked on by one thread in one order.
//
// Rows of contacts share their unknowns: three directions at one place, and next to it others at the corners of the
// same triangle. Where there are fewer unknowns than rows, W = H G H^T with G = E A^-1 E^T of these unknowns alone,
// whose ways up the tree are the shortest there are.
#include "linear/direct/ldl_batch.h"

#include "base/array.h"
#include "base/sort.h"
#include "linear/direct/ldl_front.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { SLOTS = 64, SPREAD = 32, TURN = 8 };

// Of one thread.
typedef struct Slot {
  atomic_bool taken;
  DV_ARRAY(double) z;           // the packs of a group in the order of elimination, kept at zero
  DV_ARRAY(double) r;           // rows below a front
  DV_ARRAY(uint32_t) reached;   // bit p: pack p of the group has something in the front
  DV_ARRAY(uint32_t) first;     // of each front and pack: column of the front where that begins
  DV_ARRAY(double) t;           // TURN rows of H G
} Slot;

// A front on the way of a pack, and where its part of L^-1 h begins: that of column `first`.
typedef struct Visit {
  int32_t front;
  uint32_t first;
  size_t at;
} Visit;

typedef struct Pack {
  DV_ARRAY(Visit) way;
  DV_ARRAY(double) y;        // |D|^-1/2 L^-1 h, front by front
  DV_ARRAY(double) mirror;   // the same with the signs of D, where some are negative
} Pack;

struct dvLdlBatch {
  int users;
  Slot slot[SLOTS];
  DV_ARRAY(Pack) packs;
  DV_ARRAY(int32_t) order;     // rows of H, neighbours in the tree next to each other
  DV_ARRAY(uint64_t) lowest;   // first place of each row of H and its number, and room to sort them
  DV_ARRAY(double) root;       // |D|^-1/2
  dvSparseRows touched;        // E: a row with a one for each unknown that H touches
  DV_ARRAY(int32_t) number;    // of an unknown among those, from 1, by its place in L; 0 for all others
  DV_ARRAY(int32_t) at;        // the same for each entry of H, from 0
  DV_ARRAY(double) g, gh;      // G, and G H^T
};

typedef struct Job {
  const dvLdl *f;
  const dvLdlSymbolic *s;
  const dvFrontSolveKernels *kernels;
  dvLdlBatch *batch;
  size_t count, group;   // right-hand sides; packs of a group
  size_t slots;          // that are ready
  const double *rhs;
  double *x;
  const dvSparseRows *h;
  double *w;
  bool indefinite;   // some of D are negative
  bool in_order;     // rows of H are neighbours in the tree as they stand
  atomic_bool failed;
} Job;

dvLdlBatch *dv_ldl_batch_share(dvLdlBatch *batch) { return batch->users++, batch; }

dvLdlBatch *dv_ldl_batch_create(void) { return dv_ldl_batch_share(dv_alloc(sizeof(dvLdlBatch))); }

void dv_ldl_batch_destroy(dvLdlBatch **batch)
{
  dvLdlBatch *b = *batch;
  *batch = NULL;
  if (!b || --b->users > 0) return;
  for (size_t i = 0; i < SLOTS; i++) {
    dv_free(b->slot[i].z.data);
    dv_free(b->slot[i].r.data);
    dv_array_free(&b->slot[i].reached);
    dv_array_free(&b->slot[i].first);
    dv_array_free(&b->slot[i].t);
  }
  for (size_t i = 0; i < b->packs.capacity; i++) {
    dv_array_free(&b->packs.data[i].way);
    dv_free(b->packs.data[i].y.data);
    dv_free(b->packs.data[i].mirror.data);
  }
  dv_array_free(&b->packs);
  dv_array_free(&b->order);
  dv_array_free(&b->lowest);
  dv_array_free(&b->root);
  dv_sparse_rows_free(&b->touched);
  dv_array_free(&b->number);
  dv_array_free(&b->at);
  dv_array_free(&b->g);
  dv_array_free(&b->gh);
  dv_free(b);
}

// --- work space ----------------------------------------------------------------------------------

// aligned numbers; what was there is lost
static bool make_room(double **data, size_t *capacity, size_t wanted)
{
  if (wanted <= *capacity) return true;
  wanted += wanted / 4;
  dv_free(*data);
  *data = dv_alloc_aligned(wanted * sizeof **data);
  *capacity = *data ? wanted : 0;
  return *data != NULL;
}

static size_t z_size(const dvLdlSymbolic *s) { return (s->n * (size_t)s->block + DV_MAX_LANES) * DV_RHS; }

static bool make_slot(const Job *j, Slot *slot)
{
  size_t had = slot->z.capacity;
  bool good = make_room(&slot->z.data, &slot->z.capacity, z_size(j->s) * j->group) &&
              make_room(&slot->r.data, &slot->r.capacity, j->s->most_rows * DV_RHS * DV_MOST_PACKS);
  if (good && had == slot->z.capacity && slot->z.count != z_size(j->s))
    memset(slot->z.data, 0, slot->z.capacity * sizeof(double));
  slot->z.count = z_size(j->s);
  dv_array_resize(&slot->reached, (size_t)j->s->fronts);
  dv_array_resize(&slot->first, (size_t)j->s->fronts * DV_MOST_PACKS);
  return good;
}

// As many as may be at work at once: a thread that comes to help for the first time in a later call finds its room.
static bool make_slots(Job *j, const dvPool *pool, size_t groups)
{
  j->slots = dv_max_size(1, dv_min_size(SLOTS, dv_min_size(groups, (size_t)dv_pool_threads(pool))));
  for (size_t i = 0; i < j->slots; i++)
    if (!make_slot(j, &j->batch->slot[i])) return false;
  return true;
}

// more calls than slots wait for each other
static Slot *take_slot(Job *j)
{
  for (size_t i = 0;; i = (i + 1) % j->slots)
    if (!atomic_exchange_explicit(&j->batch->slot[i].taken, true, memory_order_acquire)) return &j->batch->slot[i];
}

static void give_back(Slot *slot) { atomic_store_explicit(&slot->taken, false, memory_order_release); }

static dvFrontView view_of(const Job *j, const dvFront *f)
{
  size_t lanes = (size_t)j->s->lanes;
  return (dvFrontView){
      j->f->lower + f->lower, NULL, (size_t)f->cols, dv_front_pivots(f, lanes), dv_front_height(f, lanes), NULL, NULL};
}

// --- one front -----------------------------------------------------------------------------------

// Packs that take part, and their parts of the slot.
typedef struct Team {
  size_t packs, first[DV_MOST_PACKS];
  double *z[DV_MOST_PACKS], *x[DV_MOST_PACKS], *r[DV_MOST_PACKS];
} Team;

static void join(Team *t, const Job *j, const dvFront *f, const Slot *slot, size_t pack, size_t first)
{
  size_t n = t->packs++;
  t->first[n] = first;
  t->z[n] = slot->z.data + pack * z_size(j->s);
  t->x[n] = t->z[n] + (size_t)f->first * DV_RHS;
  t->r[n] = slot->r.data + n * j->s->most_rows * DV_RHS;
}

static void forward(const Job *j, const dvFront *f, const Team *t)
{
  dvFrontView v = view_of(j, f);
  size_t n = (size_t)j->s->block * DV_RHS, rows = (size_t)(f->rows / j->s->block);
  const int32_t *row = j->s->row + f->row;
  j->kernels->forward_many(&v, t->packs, t->first, t->x, t->r);   // rows that fill up the last slab have zeros in L
  for (size_t p = 0; p < t->packs; p++)
    for (size_t e = 0; e < rows; e++)
      for (size_t i = 0; i < n; i++) t->z[p][(size_t)row[e] * n + i] -= t->r[p][e * n + i];
}

static void backward(const Job *j, const dvFront *f, const Team *t)
{
  dvFrontView v = view_of(j, f);
  size_t n = (size_t)j->s->block * DV_RHS, rows = (size_t)(f->rows / j->s->block);
  const int32_t *row = j->s->row + f->row;
  for (size_t p = 0; p < t->packs; p++) {
    for (size_t e = 0; e < rows; e++) memcpy(t->r[p] + e * n, t->z[p] + (size_t)row[e] * n, n * sizeof(double));
    memset(t->r[p] + rows * n, 0, ((v.height - v.pivots) * DV_RHS - rows * n) * sizeof(double));
  }
  j->kernels->backward_many(&v, t->packs, t->x, t->r);
}

// --- many right-hand sides -----------------------------------------------------------------------

static void load_pack(const Job *j, size_t pack, double *z)
{
  const dvLdlSymbolic *s = j->s;
  size_t n = (size_t)s->block, all = s->n * n, used = dv_min_size(DV_RHS, j->count - pack * DV_RHS);
  for (size_t k = 0; k < s->n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t c = 0; c < used; c++)
        z[(k * n + i) * DV_RHS + c] = j->rhs[(pack * DV_RHS + c) * all + (size_t)s->perm[k] * n + i];
}

static void store_pack(const Job *j, size_t pack, double *z)
{
  const dvLdlSymbolic *s = j->s;
  size_t n = (size_t)s->block, all = s->n * n, used = dv_min_size(DV_RHS, j->count - pack * DV_RHS);
  for (size_t k = 0; k < s->n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t c = 0; c < used; c++)
        j->x[(pack * DV_RHS + c) * all + (size_t)s->perm[k] * n + i] = z[(k * n + i) * DV_RHS + c];
  memset(z, 0, z_size(s) * sizeof *z);
}

static void solve_group(void *user, size_t begin, size_t end)
{
  Job *j = user;
  const dvLdlSymbolic *s = j->s;
  Slot *slot = take_slot(j);
  size_t stride = z_size(s), packs = (j->count + DV_RHS - 1) / DV_RHS;
  for (size_t g = begin; g < end; g++) {
    size_t first = g * j->group, n = dv_min_size(j->group, packs - first);
    double *z = slot->z.data;
    for (size_t p = 0; p < n; p++) load_pack(j, first + p, z + p * stride);
    for (int32_t i = 0; i < s->fronts; i++) {
      Team team = {0};
      for (size_t p = 0; p < n; p++) join(&team, j, &s->front[i], slot, p, 0);
      forward(j, &s->front[i], &team);
    }
    for (size_t p = 0; p < n; p++)
      for (size_t k = 0; k < s->n * (size_t)s->block; k++)
        for (size_t c = 0; c < DV_RHS; c++) z[p * stride + k * DV_RHS + c] *= j->f->inverse_d[k];
    for (int32_t i = s->fronts - 1; i >= 0; i--) {
      Team team = {0};
      for (size_t p = 0; p < n; p++) join(&team, j, &s->front[i], slot, p, 0);
      backward(j, &s->front[i], &team);
    }
    for (size_t p = 0; p < n; p++) store_pack(j, first + p, z + p * stride);
  }
  give_back(slot);
}

// packs that share a reading of L: as many as leave every thread something, within some memory
static size_t group_size(const dvLdlSymbolic *s, size_t packs, dvPool *pool)
{
  size_t most = dv_max_size(1, (size_t)(64 << 20) / (z_size(s) * sizeof(double))),
         threads = (size_t)dv_pool_threads(pool);
  return dv_max_size(1, dv_min_size(dv_min_size(DV_MOST_PACKS, most), (packs + threads - 1) / threads));
}

bool dv_ldl_solve_many(const dvLdl *f, dvLdlBatch *batch, dvPool *pool, size_t count, const double *rhs, double *x)
{
  Job j = {.f = f,
           .s = f->symbolic,
           .kernels = DV_KERNEL_CHOOSE_WIDE(dv_front_solve_kernels),
           .batch = batch,
           .count = count,
           .rhs = rhs,
           .x = x};
  size_t packs = (count + DV_RHS - 1) / DV_RHS;
  j.group = group_size(j.s, packs, pool);
  size_t groups = (packs + j.group - 1) / j.group;
  if (!make_slots(&j, pool, groups)) return false;
  dv_parallel_for(pool, groups, 1, solve_group, &j);
  return !atomic_load(&j.failed);
}

// --- compliance ----------------------------------------------------------------------------------

static int32_t place_of(const dvLdlSymbolic *s, int32_t unknown)
{
  return s->inverse[unknown / s->block] * s->block + unknown % s->block;
}

static uint32_t *first_of(const Slot *slot, int32_t front, size_t bit)
{
  return &slot->first.data[(size_t)front * DV_MOST_PACKS + bit];
}

// A pack has something in column `first` of a front, and so on the whole way up: in the parent from the first row below
// on, which is one of its columns.
static void mark_way(const dvLdlSymbolic *s, const Slot *slot, size_t bit, int32_t front, uint32_t first)
{
  for (int32_t i = front; i >= 0; i = s->front[i].parent) {
    bool reached = slot->reached.data[i] >> bit & 1;
    uint32_t *own = first_of(slot, i, bit);
    if (reached && *own <= first) return;
    *own = first;
    if (reached) return;   // above it all is marked
    slot->reached.data[i] |= 1u << bit;
    if (s->front[i].parent >= 0) first = (uint32_t)s->place[s->front[i].row];
  }
}

// spreads the rows of a pack and marks the fronts on their way up; a bit for each pack of the group
static void spread(const Job *j, size_t pack, size_t bit, Slot *slot)
{
  const dvLdlSymbolic *s = j->s;
  double *z = slot->z.data + bit * z_size(s);
  for (size_t c = 0; c < DV_RHS && pack * DV_RHS + c < j->count; c++) {
    size_t row = (size_t)j->batch->order.data[pack * DV_RHS + c];
    for (size_t e = j->h->start.data[row]; e < j->h->start.data[row + 1]; e++) {
      int32_t at = place_of(s, j->h->col.data[e]), front = s->front_of[at / s->block];
      z[(size_t)at * DV_RHS + c] += j->h->value.data[e];
      mark_way(s, slot, bit, front, (uint32_t)(at - s->front[front].first));
    }
  }
}

// what a front leaves in a pack is stored there, and taken out of z
static bool keep(const Job *j, Pack *pack, int32_t i, uint32_t first, double *z)
{
  const dvFront *f = &j->s->front[i];
  size_t begin = (size_t)f->first + first, columns = (size_t)f->cols - first, at = pack->y.count;
  if (pack->y.capacity < at + columns * DV_RHS) return false;
  z += begin * DV_RHS;
  double *restrict y = pack->y.data + at;
  const double *root = j->batch->root.data + begin;
  for (size_t k = 0; k < columns; k++)
    for (size_t c = 0; c < DV_RHS; c++) y[k * DV_RHS + c] = z[k * DV_RHS + c] * root[k];
  for (size_t k = 0; j->indefinite && k < columns; k++)
    for (size_t c = 0; c < DV_RHS; c++)
      pack->mirror.data[at + k * DV_RHS + c] = copysign(1, j->f->inverse_d[begin + k]) * y[k * DV_RHS + c];
  memset(z, 0, columns * DV_RHS * sizeof *z);
  pack->y.count += columns * DV_RHS;
  dv_push(&pack->way, ((Visit){i, first, at}));
  return true;
}

// room for all that the packs of a group leave
static bool prepare_packs(const Job *j, size_t first, size_t n, const Slot *slot)
{
  const dvLdlSymbolic *s = j->s;
  for (size_t p = 0; p < n; p++) {
    Pack *pack = &j->batch->packs.data[first + p];
    size_t wanted = 0;
    for (int32_t i = 0; i < s->fronts; i++)
      if (slot->reached.data[i] >> p & 1) wanted += ((size_t)s->front[i].cols - *first_of(slot, i, p)) * DV_RHS;
    pack->way.count = pack->y.count = 0;
    if (!make_room(&pack->y.data, &pack->y.capacity, wanted) ||
        (j->indefinite && !make_room(&pack->mirror.data, &pack->mirror.capacity, wanted)))
      return false;
  }
  return true;
}

static void walk_group(void *user, size_t begin, size_t end)
{
  Job *j = user;
  const dvLdlSymbolic *s = j->s;
  Slot *slot = take_slot(j);
  size_t stride = z_size(s), packs = (j->count + DV_RHS - 1) / DV_RHS;
  for (size_t g = begin; g < end; g++) {
    size_t first = g * j->group, n = dv_min_size(j->group, packs - first);
    memset(slot->reached.data, 0, (size_t)s->fronts * sizeof(uint32_t));
    for (size_t p = 0; p < n; p++) spread(j, first + p, p, slot);
    bool good = prepare_packs(j, first, n, slot);
    for (int32_t i = 0; i < s->fronts; i++) {
      Team team = {0};
      for (size_t p = 0; p < n; p++)
        if (slot->reached.data[i] >> p & 1) join(&team, j, &s->front[i], slot, p, *first_of(slot, i, p));
      if (team.packs) forward(j, &s->front[i], &team);
      for (size_t p = 0; p < n && team.packs; p++)
        if (slot->reached.data[i] >> p & 1)
          good = good && keep(j, &j->batch->packs.data[first + p], i, *first_of(slot, i, p), slot->z.data + p * stride);
    }
    if (good) continue;
    atomic_store(&j->failed, true);
    slot->z.count = 0;   // to be cleared
  }
  give_back(slot);
}

// a block of W and its mirror image
static void store_block(const Job *j, size_t row, size_t col, const double *block)
{
  size_t rows = dv_min_size(DV_RHS, j->count - row), cols = dv_min_size(DV_RHS, j->count - col), n = j->count;
  const int32_t *order = j->batch->order.data;
  if (j->in_order && rows == DV_RHS && cols == DV_RHS) {   // in whole lines
    for (size_t r = 0; r < DV_RHS; r++) memcpy(j->w + (row + r) * n + col, block + r * DV_RHS, DV_RHS * sizeof *block);
    for (size_t c = 0; c < DV_RHS; c++)
      for (size_t r = 0; r < DV_RHS; r++) j->w[(col + c) * n + row + r] = block[r * DV_RHS + c];
    return;
  }
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < cols; c++) {
      size_t x = (size_t)order[row + r], y = (size_t)order[col + c];
      j->w[x * n + y] = j->w[y * n + x] = block[r * DV_RHS + c];
    }
}

// the block of W that belongs to packs a and b: fronts that both have passed
static void gram_block(const Job *j, size_t a, size_t b)
{
  const Pack *x = &j->batch->packs.data[a], *y = &j->batch->packs.data[b];
  const double *other = j->indefinite ? y->mirror.data : y->y.data;
  _Alignas(64) double sum[DV_RHS * DV_RHS] = {0};
  for (size_t p = 0, q = 0; p < x->way.count && q < y->way.count;) {
    Visit u = x->way.data[p], v = y->way.data[q];
    if (u.front == v.front) {
      size_t first = u.first > v.first ? u.first : v.first;
      j->kernels->gram((size_t)j->s->front[u.front].cols - first, x->y.data + u.at + (first - u.first) * DV_RHS,
                       other + v.at + (first - v.first) * DV_RHS, sum);
    }
    p += u.front <= v.front;
    q += v.front <= u.front;
  }
  for (size_t r = 0; a == b && r < DV_RHS; r++)   // symmetric to the last bit
    for (size_t c = r + 1; c < DV_RHS; c++) sum[r * DV_RHS + c] = sum[c * DV_RHS + r];
  store_block(j, a * DV_RHS, b * DV_RHS, sum);
}

static void gram_row(void *user, size_t begin, size_t end)
{
  Job *j = user;
  for (size_t a = begin; a < end; a++)
    for (size_t b = 0; b <= a; b++) gram_block(j, a, b);
}

// rows whose way begins close to each other share a pack
static void sort_rows(Job *j)
{
  dvLdlBatch *b = j->batch;
  dv_array_resize(&b->order, j->count);
  dv_array_resize(&b->lowest, 2 * j->count);
  uint64_t *key = b->lowest.data;
  for (size_t i = 0; i < j->count; i++) {
    int32_t lowest = INT32_MAX;
    for (size_t e = j->h->start.data[i]; e < j->h->start.data[i + 1]; e++)
      lowest = dv_min_int(lowest, place_of(j->s, j->h->col.data[e]));
    key[i] = (uint64_t)lowest << 32 | i;
  }
  dv_sort_u64(key, key + j->count, j->count);
  j->in_order = true;
  for (size_t i = 0; i < j->count; i++) {
    b->order.data[i] = (int32_t)(key[i] & UINT32_MAX);
    j->in_order = j->in_order && (size_t)b->order.data[i] == i;
  }
}

static void take_roots(Job *j)
{
  size_t n = j->s->n * (size_t)j->s->block;
  dv_array_resize(&j->batch->root, n);
  for (size_t k = 0; k < n; k++) {
    j->batch->root.data[k] = sqrt(fabs(j->f->inverse_d[k]));
    j->indefinite = j->indefinite || j->f->inverse_d[k] < 0;
  }
}

static bool by_rows(const dvLdl *f, dvLdlBatch *batch, dvPool *pool, const dvSparseRows *h, double *w)
{
  Job j = {.f = f,
           .s = f->symbolic,
           .kernels = DV_KERNEL_CHOOSE_WIDE(dv_front_solve_kernels),
           .batch = batch,
           .count = h->count,
           .h = h,
           .w = w};
  size_t packs = (h->count + DV_RHS - 1) / DV_RHS;
  if (!dv_try_reserve(&batch->packs, packs))
    return false;   // the count stays 0: new ones are zero, old ones keep their room
  j.group = group_size(j.s, packs, pool);
  size_t groups = (packs + j.group - 1) / j.group;
  if (!make_slots(&j, pool, groups)) return false;
  sort_rows(&j);
  take_roots(&j);
  dv_parallel_for(pool, groups, 1, walk_group, &j);
  dv_parallel_for(pool, packs, 1, gram_row, &j);
  return !atomic_load(&j.failed);
}

// E in the order of elimination, and where the entries of H are in it; how many unknowns H touches
static size_t gather_touched(const dvLdl *f, dvLdlBatch *b, const dvSparseRows *h)
{
  const dvLdlSymbolic *s = f->symbolic;
  size_t entries = h->start.data[h->count], n = dv_ldl_rows(f), count = 0;
  dv_array_resize(&b->number, n);
  dv_array_resize(&b->at, entries);
  dv_sparse_rows_clear(&b->touched);
  for (size_t e = 0; e < entries; e++) b->number.data[place_of(s, h->col.data[e])] = 1;
  for (size_t k = 0; k < n; k++) {
    if (b->number.data[k] == 0) continue;
    int32_t unknown = s->perm[k / (size_t)s->block] * s->block + (int32_t)(k % (size_t)s->block);
    dv_sparse_rows_add(&b->touched, (int32_t)count, unknown, 1);
    b->number.data[k] = (int32_t)++count;
  }
  for (size_t e = 0; e < entries; e++) b->at.data[e] = b->number.data[place_of(s, h->col.data[e])] - 1;
  for (size_t e = 0; e < entries; e++) b->number.data[place_of(s, h->col.data[e])] = 0;
  dv_sparse_rows_settle(&b->touched, count);
  return count;
}

// y = the sum of rows of m, n of `width` numbers, with the entries of row i of H
static void sum_row(const Job *j, size_t i, const double *m, size_t width, size_t n, double *y)
{
  size_t begin = j->h->start.data[i], count = j->h->start.data[i + 1] - begin;
  j->kernels->combine(&(dvRowSum){count, width, j->h->value.data + begin, m, j->batch->at.data + begin}, n, y);
}

// H G, and from that G H^T: TURN rows become columns at a time, so that whole lines are written
static void turn_rows(void *user, size_t begin, size_t end)
{
  Job *j = user;
  dvLdlBatch *b = j->batch;
  size_t n = j->h->count, width = b->touched.count;
  Slot *slot = take_slot(j);
  if (slot->t.count < TURN * width) dv_array_resize(&slot->t, TURN * width);
  const double *t = slot->t.data;
  for (size_t i = begin, rows; i < end; i += rows) {
    rows = dv_min_size(TURN, end - i);
    for (size_t r = 0; r < rows; r++) sum_row(j, i + r, b->g.data, width, width, slot->t.data + r * width);
    for (size_t k = 0; k < width; k++)
      for (size_t r = 0; r < rows; r++) b->gh.data[k * n + i + r] = t[r * width + k];
  }
  give_back(slot);
}

// rows of W = H (G H^T) up to the diagonal, and the columns that are the same
static void spread_rows(void *user, size_t begin, size_t end)
{
  Job *j = user;
  size_t n = j->h->count;
  for (size_t i = begin; i < end; i++) {
    double *row = j->w + i * n;
    sum_row(j, i, j->batch->gh.data, n, i + 1, row);
    for (size_t k = 0; k < i; k++) j->w[k * n + i] = row[k];
  }
}

static bool make_room_for(dvLdlBatch *b, size_t touched, size_t rows)
{
  size_t g = touched * touched, gh = touched * rows;
  if (!dv_try_reserve(&b->g, g > b->g.count ? g - b->g.count : 0) ||
      !dv_try_reserve(&b->gh, gh > b->gh.count ? gh - b->gh.count : 0))
    return false;
  if (g > b->g.count) dv_array_resize(&b->g, g);   // never less: growing again would clear it
  if (gh > b->gh.count) dv_array_resize(&b->gh, gh);
  return true;
}

bool dv_ldl_compliance(const dvLdl *f, dvLdlBatch *batch, dvPool *pool, const dvSparseRows *h, double *w)
{
  size_t n = h->count, touched = gather_touched(f, batch, h);
  if (touched >= n || !make_room_for(batch, touched, n)) return by_rows(f, batch, pool, h, w);
  if (!by_rows(f, batch, pool, &batch->touched, batch->g.data)) return false;
  Job j = {.kernels = DV_KERNEL_CHOOSE_WIDE(dv_front_solve_kernels),
           .batch = batch,
           .h = h,
           .w = w,
           .slots = dv_max_size(1, dv_min_size(SLOTS, (size_t)dv_pool_threads(pool)))};
  dvPool *helpers = dv_pool_for(pool, (double)n * (double)n);
  dv_parallel_for(helpers, n, SPREAD, turn_rows, &j);
  dv_parallel_for(helpers, n, SPREAD, spread_rows, &j);
  return true;
}
