// The numbers of a sparse LDL^T, front by front (multifrontal method).
//
//   a front = its entries of A + what its children leave;  L D L^T of its pivots;  rows - Y L^T is left for the parent
//
// Subtrees are spread over the threads, the fronts above them are worked on by all threads together. Every front adds
// its children in one order and sums in one order, so that the bits do not depend on who does what.
#include "base/arena.h"
#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_work.h"

#include <string.h>

enum {
  PANEL = 192,
  GROUP = 96,
  ENOUGH = 400000,
  AHEAD = 16,
  LENT = 1 << 19
};   // rows of a piece of an update matrix, and of columns; operations worth another thread; entries fetched early;
     // numbers of work space that small factors share

// --- work space ----------------------------------------------------------------------------------

bool dv_ldl_room_fit(dvLdlRoom *r, size_t count)
{
  if (r->data && r->room >= count && r->room / 4 <= count) return true;
  size_t room = r->data ? count + count / 8 : count;   // what grows may grow again
  dv_free(r->data);
  r->data = dv_alloc_unset(room * sizeof *r->data);
  r->room = r->data ? room : 0;
  return r->data;
}

static void slot_free(dvLdlSlot *slot)
{
  dv_free(slot->arena.data);
  dv_free(slot->scratch.data);
  dv_free(slot->place);
}

void dv_ldl_work_free(dvLdlWork *w)
{
  if (!w) return;
  for (int i = 0; i < w->slots; i++) slot_free(&w->slot[i]);
  dv_free(w->slot);
  dv_free(w->shared.data);
  dv_free(w->scale);
  dv_free(w->outcome);
  dv_free(w->values.data);
  dv_free(w->changed);
  dv_free(w->kept.data);
  dv_free(w->kept_at);
  dv_ldl_before_free(&w->before);
  dv_free(w);
}

static bool slot_fit(dvLdlSlot *slot, const dvLdlSymbolic *s, bool first)
{
  size_t scratch = first ? dv_max_size(s->scratch, s->scratch_top) : s->scratch;
  dv_free(slot->place);
  slot->place = dv_try_alloc((s->most_rows + 1) * sizeof *slot->place);
  if (slot->place && dv_ldl_room_fit(&slot->arena, s->arena) &&
      dv_ldl_room_fit(&slot->scratch, scratch + DV_FRONT_BLOCK * DV_MAX_LANES))
    return true;
  slot_free(slot);
  return false;
}

// slots for that many threads; fewer when memory is short
static void add_slots(dvLdlWork *w, const dvLdlSymbolic *s, int wanted)
{
  if (wanted <= w->slots) return;
  dvLdlSlot *more = dv_try_realloc(w->slot, (size_t)w->slots * sizeof *more, (size_t)wanted * sizeof *more);
  if (!more) return;
  w->slot = more;
  while (w->slots < wanted && slot_fit(&w->slot[w->slots], s, w->slots == 0)) w->slots++;
}

// only the first thread's, and what is shared: others get theirs when they take part
static dvLdlWork *work_inherit(dvLdlWork *before, const dvLdlSymbolic *s)
{
  dvLdlWork *w = dv_try_alloc(sizeof *w);
  if (!w || !before) return w;
  w->shared = before->shared;
  w->values = before->values;
  w->changes = before->changes;
  w->kept = before->kept;
  w->before = before->before;
  before->before = (dvLdlBefore){0};
  before->shared = before->values = before->kept = (dvLdlRoom){0};
  w->slot = dv_try_alloc(sizeof *w->slot);
  if (!w->slot) return w;
  w->slot[0].arena = before->slot[0].arena;
  w->slot[0].scratch = before->slot[0].scratch;
  before->slot[0].arena = before->slot[0].scratch = (dvLdlRoom){0};
  if (slot_fit(&w->slot[0], s, true)) w->slots = 1;
  return w;
}

dvLdlWork *dv_ldl_work_create(const dvLdlSymbolic *s, dvLdlWork *before)
{
  dvLdlWork *w = work_inherit(before, s);
  dv_ldl_work_free(before);
  if (!w) return NULL;
  bool shared = dv_ldl_room_fit(&w->shared, s->shared);
  w->scale = dv_alloc_aligned(s->n * (size_t)s->block * sizeof *w->scale);
  w->outcome = dv_try_alloc((size_t)(s->fronts + 1) * sizeof *w->outcome);
  add_slots(w, s, 1);
  if (shared && w->scale && w->outcome && w->slots == 1) return w;
  dv_ldl_work_free(w);
  return NULL;
}

static dvLdlSlot *take_slot(dvLdlWork *w)
{
  for (;;)
    for (int i = 0; i < w->slots; i++)
      if (!atomic_exchange_explicit(&w->slot[i].taken, true, memory_order_acquire)) return &w->slot[i];
}

// --- one front -----------------------------------------------------------------------------------

typedef struct Factorisation {
  dvLdl *f;
  const dvLdlSymbolic *s;
  const dvFrontKernels *kernels;
  const dvBlockMatrix *a;
  double small;
  double *shared;     // update matrices above the subtrees
  bool keep;          // update matrices go where they are kept
  const bool *only;   // fronts to work on; NULL: all
} Factorisation;

typedef struct Front {
  const Factorisation *run;
  const dvFront *front;
  dvFrontView view;
  dvLdlSlot *slot;
  dvPool *pool;   // NULL in subtrees
  // the block of columns at hand
  dvPivots pivots;
  size_t k, below;   // its first column, its first row below the diagonal block
  // the child at hand
  const double *from;
  size_t from_rows, from_col;
} Front;

static double *update_of(const Factorisation *run, const dvFront *f, const dvLdlSlot *slot)
{
  const dvLdlWork *w = run->f->work;
  if (run->keep) return w->kept.data + w->kept_at[f - run->s->front];
  return (f->shared ? run->shared : slot->arena.data) + f->update;
}

// what the pivots of a diagonal block are measured in
static void take_scale(int n, const double *block, double *scale)
{
  for (int i = 0; i < n; i++) {
    double size = block[i * n + i] < 0 ? -block[i * n + i] : block[i * n + i];
    for (int j = 0; j < n && size == 0; j++) size = block[i * n + j] < 0 ? -block[i * n + j] : block[i * n + j];
    scale[i] = size != 0 ? size : 1;
  }
}

// entry (row + r, col + c) of the front, of any block of columns
static double *number_at(const dvFrontView *v, size_t lanes, size_t row, size_t col)
{
  size_t k = col / DV_FRONT_BLOCK * DV_FRONT_BLOCK, width = dv_front_width(v->cols, k);
  return v->lower + dv_front_offset(v->height, k) + (row - k) / lanes * lanes * width + (col - k) * lanes +
         (row - k) % lanes;
}

// of the diagonal, only what is on it or below
static void add_entry(const Front *t, dvFrontEntry at, const double *block)
{
  const dvLdlSymbolic *s = t->run->s;
  int n = s->block;
  for (int c = 0; c < n; c++)
    for (int r = at.row == at.col ? c : 0; r < n; r++)
      *number_at(&t->view, (size_t)s->lanes, (size_t)(at.row + r), (size_t)(at.col + c)) += block[r * n + c];
}

// blocks of three below the diagonal of a front of one block of columns, which most are
static void add_entry3(const Front *t, dvFrontEntry at, const double *block, unsigned shift)
{
  size_t lanes = (size_t)1 << shift, lane = (size_t)at.row & (lanes - 1), down = (t->view.cols << shift) - lanes + 1;
  double *to = t->view.lower + ((((size_t)at.row >> shift) * t->view.cols + (size_t)at.col) << shift) + lane;
  for (size_t r = 0; r < 3; r++, block += 3) {
    to[0] += block[0];
    to[lanes] += block[1];
    to[2 * lanes] += block[2];
    to += lane + r + 1 == lanes ? down : 1;   // the next slab
  }
}

static void add_entries(const Front *t)
{
  const dvLdlSymbolic *s = t->run->s;
  unsigned shift = (unsigned)__builtin_ctz((unsigned)s->lanes);
  bool simple = s->block == 3 && t->view.cols <= DV_FRONT_BLOCK;
  double *scale = t->run->f->work->scale + t->front->first;
  size_t e = t->front->entry, end = t->front[1].entry;
  for (; e < end && s->entry[e].row == s->entry[e].col; e++) {
    const double *block = dv_block_matrix_at(t->run->a, s->entry[e].entry);
    take_scale(s->block, block, scale + s->entry[e].col);
    add_entry(t, s->entry[e], block);
  }
  for (; e < end; e++) {
    const double *block = dv_block_matrix_at(t->run->a, s->entry[e].entry),
                 *soon = dv_block_matrix_at(t->run->a, s->entry[dv_min_size(e + AHEAD, end - 1)].entry);
    __builtin_prefetch(soon);   // they stand in rows all over the matrix
    __builtin_prefetch(soon + 8);
    if (simple) add_entry3(t, s->entry[e], block, shift);
    else add_entry(t, s->entry[e], block);
  }
}

static void add_columns(void *user, size_t begin, size_t end)
{
  Front *t = user;
  t->run->kernels->add(t->from, t->from_rows, t->slot->place, t->from_col + begin, t->from_col + end, &t->view);
}

// columns first to last - 1 of the child at hand
static void add_part(Front *t, size_t first, size_t last)
{
  t->from_col = first;
  if (first < last)
    dv_parallel_for(t->from_rows > 500 ? t->pool : NULL, last - first, t->from_rows > 500 ? 64 : last - first,
                    add_columns, t);
}

// what the child leaves for the pivots (`lower`) or for the rows below them
static void add_child(Front *t, const dvFront *child, bool lower)
{
  const dvLdlSymbolic *s = t->run->s;
  size_t n = (size_t)s->block, count = (size_t)child->rows, k = 0;
  int32_t *place = t->slot->place;
  for (size_t e = 0; e < count / n; e++)
    for (size_t i = 0; i < n; i++) place[e * n + i] = s->place[child->row + e] + (int32_t)i;
  t->from = update_of(t->run, child, t->slot);
  t->from_rows = count;
  for (size_t k0 = 0; k0 < t->view.cols; k0 += DV_FRONT_BLOCK) {
    size_t first = k, end = k0 + dv_front_width(t->view.cols, k0);
    while (k < count && (size_t)place[k] < end) k++;
    if (lower) add_part(t, first, k);
  }
  if (!lower) add_part(t, k, count);
}

static void add_children(Front *t, bool lower)
{
  const dvLdlSymbolic *s = t->run->s;
  for (int32_t c = 0; c < t->front->children; c++) add_child(t, &s->front[s->child[t->front->child + c]], lower);
}

// in single precision the scratch has Y of the rows below in pairs of slabs, and L of these rows
static float *pairs_of(const Front *t) { return (float *)t->slot->scratch.data; }
static float *singles_of(const Front *t)
{
  return pairs_of(t) + dv_whole(t->view.height - t->below, 2 * (size_t)t->run->s->lanes) * t->pivots.width;
}

// rows below the diagonal block, groups of them
static void eliminate_rows(void *user, size_t begin, size_t end)
{
  Front *t = user;
  size_t lanes = (size_t)t->run->s->lanes, last = dv_min_size(end * GROUP, t->view.height - t->below),
         row = begin * GROUP;
  double *x = t->view.lower + dv_front_offset(t->view.height, t->k) + (t->below + row - t->k) * t->pivots.width;
  if (t->run->f->rough)
    t->run->kernels->rows_single(&t->pivots, (last - row) / lanes, x, pairs_of(t) + row * t->pivots.width,
                                 singles_of(t) + row * t->pivots.width);
  else t->run->kernels->rows(&t->pivots, (last - row) / lanes, x, t->slot->scratch.data + row * t->pivots.width);
}

// where the tile of slab i and column slab j is, and how wide that column is
static double *tile_of(const Front *t, size_t i, size_t j, size_t *width)
{
  const dvFrontView *v = &t->view;
  size_t lanes = (size_t)t->run->s->lanes, first = v->pivots / lanes;
  if (j >= first) {
    *width = lanes;
    return v->update + dv_update_slab(i - first, lanes) + (j - first) * lanes * lanes;
  }
  size_t col = j * lanes, k = col / DV_FRONT_BLOCK * DV_FRONT_BLOCK;
  *width = dv_min_size(lanes, v->cols - col);
  return v->lower + dv_front_offset(v->height, k) + (i * lanes - k) * dv_front_width(v->cols, k) + (col - k) * lanes;
}

// a piece of the triangle of what is left: rows of panel r, columns of panel c
static void update_panel(const Front *t, size_t r, size_t c)
{
  const dvFrontKernels *kernels = t->run->kernels;
  size_t lanes = (size_t)t->run->s->lanes, panel = PANEL / lanes, first = t->below / lanes,
         end = t->view.height / lanes, depth = t->pivots.width;
  size_t row_end = dv_min_size(first + (r + 1) * panel, end), col_end = dv_min_size(first + (c + 1) * panel, end);
  const double *l = t->view.lower + dv_front_offset(t->view.height, t->k);
  for (size_t j = first + c * panel; j < col_end; j++) {
    const double *b = l + (j * lanes - t->k) * depth;
    for (size_t i = dv_max_size(first + r * panel, j), n; i < row_end; i += n) {
      n = dv_min_size(kernels->most, row_end - i);
      dvTile tile = {.slabs = n,
                     .depth = depth,
                     .a = t->slot->scratch.data + (i - first) * lanes * depth,
                     .b = b,
                     .fresh = t->k == 0 && j * lanes >= t->view.pivots};
      for (size_t q = 0; q < n; q++) tile.c[q] = tile_of(t, i + q, j, &tile.width);
      kernels->update(&tile);
    }
  }
}

static void update_panel_single(const Front *t, size_t r, size_t c)
{
  const dvFrontKernels *kernels = t->run->kernels;
  size_t lanes = (size_t)t->run->s->lanes, panel = PANEL / lanes, first = t->below / lanes,
         end = t->view.height / lanes, depth = t->pivots.width;
  size_t row_end = dv_min_size(first + (r + 1) * panel, end), col_end = dv_min_size(first + (c + 1) * panel, end);
  const float *a = pairs_of(t), *b = singles_of(t);
  for (size_t j = first + c * panel; j < col_end; j++) {
    size_t start = dv_max_size(r * panel, j - first) / 2 * 2;   // of a pair
    for (size_t i = first + start, n; i < row_end; i += 2 * n) {
      n = dv_min_size(kernels->most_pairs, (row_end - i + 1) / 2);
      dvPairTile tile = {.pairs = n,
                         .depth = depth,
                         .a = a + (i - first) * lanes * depth,
                         .b = b + (j - first) * lanes * depth,
                         .fresh = t->k == 0 && j * lanes >= t->view.pivots};
      for (size_t q = 0; q < 2 * n; q++)
        if (i + q >= j && i + q < row_end) tile.c[q] = tile_of(t, i + q, j, &tile.width);
      kernels->update_single(&tile);
    }
  }
}

static void update_panels(void *user, size_t begin, size_t end)
{
  // pieces are counted row by row of the triangle
  size_t r = 0;
  while ((r + 1) * (r + 2) / 2 <= begin) r++;
  for (size_t c = begin - r * (r + 1) / 2; begin < end; begin++) {
    if (((const Front *)user)->run->f->rough) update_panel_single(user, r, c);
    else update_panel(user, r, c);
    if (c++ == r) r++, c = 0;
  }
}

static void factorise_front(const Factorisation *run, int32_t i, dvLdlSlot *slot, dvPool *pool)
{
  const dvLdlSymbolic *s = run->s;
  const dvFront *f = &s->front[i];
  size_t lanes = (size_t)s->lanes;
  if (run->only && !run->only[i]) return;
  Front t = {.run = run, .front = f, .slot = slot, .pool = pool};
  t.view = (dvFrontView){run->f->lower + f->lower,
                         update_of(run, f, slot),
                         (size_t)f->cols,
                         dv_front_pivots(f, lanes),
                         dv_front_height(f, lanes),
                         NULL,
                         NULL};
  dvLdlOutcome *outcome = &run->f->work->outcome[i];
  *outcome = (dvLdlOutcome){.bad = -1};
  memset(t.view.lower, 0, ((i + 1 < s->fronts ? f[1].lower : s->lower) - f->lower) * sizeof *t.view.lower);
  add_entries(&t);
  add_children(&t, true);
  for (t.k = 0; t.k < t.view.cols; t.k += DV_FRONT_BLOCK) {
    size_t at = (size_t)f->first + t.k, width = dv_front_width(t.view.cols, t.k);
    t.pivots = (dvPivots){t.view.lower + dv_front_offset(t.view.height, t.k),
                          width,
                          run->f->d + at,
                          run->f->inverse_d + at,
                          run->f->work->scale + at,
                          run->small,
                          -1,
                          0,
                          0};
    t.below = dv_whole(t.k + width, lanes);
    run->kernels->diagonal(&t.pivots, slot->scratch.data);
    if (outcome->bad < 0 && t.pivots.bad >= 0) outcome->bad = (int32_t)t.k + t.pivots.bad;
    outcome->negative += (int32_t)t.pivots.negative;
    outcome->perturbed += (int32_t)t.pivots.perturbed;
    size_t rows = t.view.height - t.below;
    if (rows == 0) continue;
    dv_parallel_for(rows * width * width > ENOUGH ? pool : NULL, (rows + GROUP - 1) / GROUP, 1, eliminate_rows, &t);
    size_t panels = (rows + PANEL - 1) / PANEL;
    dv_parallel_for(rows * rows * width > ENOUGH ? pool : NULL, panels * (panels + 1) / 2, 1, update_panels, &t);
  }
  add_children(&t, false);
}

// --- all of them ---------------------------------------------------------------------------------

static void factorise_subtrees(void *user, size_t begin, size_t end)
{
  const Factorisation *run = user;
  dvLdlSlot *slot = take_slot(run->f->work);
  for (size_t k = begin; k < end; k++)
    for (int32_t i = run->s->task[k].begin; i < run->s->task[k].end; i++) factorise_front(run, i, slot, NULL);
  atomic_store_explicit(&slot->taken, false, memory_order_release);
}

// True when what was found at a small pivot makes A singular: the vector that the rows up to there map to zero is
// mapped to zero by all.
static bool is_singular(const dvLdl *f, const dvBlockMatrix *a, size_t pivot)
{
  const dvLdlSymbolic *s = f->symbolic;
  size_t n = dv_ldl_rows(f), b = (size_t)s->block;
  double *x = dv_alloc(2 * n * sizeof *x), *y = x + n, most = 0, left = 0;
  dv_ldl_null_vector(f, pivot, x);
  dv_block_matrix_product(a, NULL, x, y);
  for (size_t k = 0; k < n; k++) {   // measured as pivots are
    size_t at = (size_t)s->perm[k / b] * b + k % b;
    double scale = __builtin_sqrt(f->work->scale[k]);
    most = dv_max(most, __builtin_fabs(x[at]) * scale);
    left = dv_max(left, __builtin_fabs(y[at]) / scale);
  }
  dv_free(x);
  return left <= 1e-6 * most;
}

// all fronts; what stays in the arena of the thread is in the cache still when the next small factor comes
static void factorise_fronts(Factorisation *run, dvPool *threads, dvPool *pool)
{
  const dvLdlSymbolic *s = run->s;
  dvLdlSlot *first = &run->f->work->slot[0];
  size_t scratch = dv_max_size(s->scratch, s->scratch_top) + DV_FRONT_BLOCK * DV_MAX_LANES;
  bool lends = threads && s->shared + scratch <= LENT;
  dvArena *arena = lends ? dv_scratch(threads) : NULL;
  dvMark mark = lends ? dv_arena_mark(arena) : (dvMark){0};
  double *own = first->scratch.data;
  run->shared = run->f->work->shared.data;
  if (lends) {
    run->shared = dv_arena_take(arena, s->shared * sizeof *run->shared);
    first->scratch.data = dv_arena_take(arena, scratch * sizeof *own);
  }
  dv_parallel_for(pool, (size_t)s->tasks, 1, factorise_subtrees, run);
  for (int32_t k = 0; k < s->tops; k++) factorise_front(run, s->top[k], first, pool);
  first->scratch.data = own;
  if (lends) dv_arena_release(arena, mark);
}

static bool factorise(Factorisation *run, dvPool *threads, size_t *pivot)
{
  dvLdl *f = run->f;
  const dvLdlSymbolic *s = run->s = f->symbolic;
  DV_REQUIRE(run->a->block == s->block && run->a->pattern.rows == s->n);
  run->kernels = DV_KERNEL_CHOOSE_WIDE(dv_front_kernels);
  DV_REQUIRE(run->kernels->lanes == s->lanes);
  f->valid = f->work->kept_valid = false;
  f->negative = f->perturbed = 0;
  dvPool *pool = dv_pool_for(threads, 0.05 * s->flops);   // 20 Gflop/s
  add_slots(f->work, s, dv_pool_threads(pool));
  if (f->work->slots < dv_pool_threads(pool)) pool = NULL;
  factorise_fronts(run, threads, pool);
  int32_t bad = -1;
  for (int32_t i = 0; i < s->fronts; i++) {
    const dvLdlOutcome *o = &f->work->outcome[i];
    f->negative += (size_t)o->negative;
    f->perturbed += (size_t)o->perturbed;
    if (bad < 0 && o->bad >= 0) bad = s->front[i].first + o->bad;
  }
  if (bad >= 0) {
    *pivot = (size_t)(s->perm[bad / s->block] * s->block + bad % s->block);
    if (is_singular(f, run->a, *pivot)) return false;
  }
  f->valid = true;
  f->work->kept_valid = run->keep;
  return true;
}

bool dv_ldl_factorise(dvLdl *f, const dvBlockMatrix *a, dvPool *pool, double small, size_t *pivot)
{
  f->redone = 1;
  f->work->known = false;   // what was kept is no longer the matrix of the factor
  dv_ldl_forget(&f->work->before);
  return factorise(&(Factorisation){.f = f, .a = a, .small = small}, pool, pivot);
}

// --- only what has changed -----------------------------------------------------------------------

static bool remember(dvLdl *f, const dvBlockMatrix *a)
{
  dvLdlWork *w = f->work;
  size_t count = dv_pattern_count(&a->pattern) * (size_t)(a->block * a->block);
  w->known = dv_ldl_room_fit(&w->values, count);
  if (w->known) memcpy(w->values.data, a->values, count * sizeof *a->values);
  return w->known;
}

// marks fronts with other entries than last time, and all above them; returns their part of the operations, 0 only when
// there are none
static double compare(const dvLdl *f, const dvBlockMatrix *a)
{
  const dvLdlSymbolic *s = f->symbolic;
  bool *changed = f->work->changed;
  size_t square = (size_t)(s->block * s->block);
  double work = 0;
  bool any = false;
  memset(changed, 0, (size_t)s->fronts * sizeof *changed);
  for (int32_t i = 0; i < s->fronts; i++) {
    for (size_t e = s->front[i].entry; e < s->front[i + 1].entry && !changed[i]; e++) {
      size_t at = (size_t)s->entry[e].entry * square;
      changed[i] = memcmp(f->work->values.data + at, a->values + at, square * sizeof(double)) != 0;
    }
    if (!changed[i]) continue;
    any = true;
    work += dv_front_flops(&s->front[i]);
    if (s->front[i].parent >= 0) changed[s->front[i].parent] = true;
  }
  return any ? dv_max(work / dv_max(s->flops, 1), 1e-12)
             : 0;   // a single number costs no operation and can change all the same
}

// room for the update matrices of all fronts, unless that is far more than the factor itself
static bool make_kept(const dvLdl *f)
{
  const dvLdlSymbolic *s = f->symbolic;
  dvLdlWork *w = f->work;
  size_t all = 0;
  if (w->kept_at) return true;
  w->kept_at = dv_try_alloc((size_t)(s->fronts + 1) * sizeof *w->kept_at);
  for (int32_t i = 0; i < s->fronts && w->kept_at; i++) {
    w->kept_at[i] = all;
    all += dv_update_size(&s->front[i], (size_t)s->lanes);
  }
  if (w->kept_at && all <= 8 * s->lower && dv_ldl_room_fit(&w->kept, all)) return true;
  dv_free(w->kept_at);
  w->kept_at = NULL;
  return false;
}

// A factorisation that does less than this part of the operations is worth a copy of what every front leaves.
static const double PART = 0.8;

// A matrix that has been another one several times in a row is only looked at now and then: the copy and the comparison
// are not free.
static bool is_restless(dvLdlWork *w) { return w->changes >= 4 && w->changes++ % 8 != 0; }

bool dv_ldl_refactorise(dvLdl *f, const dvBlockMatrix *a, dvPool *pool, double small, size_t *pivot)
{
  dvLdlWork *w = f->work;
  bool carried = w->before.symbolic, known = carried || (f->valid && w->known && !w->outdated);
  if (!w->changed) w->changed = dv_try_alloc((size_t)(f->symbolic->fronts + 1) * sizeof *w->changed);
  if (!w->changed) return dv_ldl_factorise(f, a, pool, small, pivot);
  f->redone = carried ? dv_ldl_match(f, a, w->changed) : known ? compare(f, a) : 1;
  if (f->redone < PART) w->changes = 0;
  else if (known) w->changes++;
  if (known && !carried && f->redone == 0) return true;
  w->outdated = is_restless(w);
  if (!w->outdated && !remember(f, a)) return dv_ldl_factorise(f, a, pool, small, pivot);
  Factorisation run = {.f = f, .a = a, .small = small};
  run.keep = f->redone < PART && make_kept(f);
  if (run.keep && (carried ? w->before.kept_valid : w->kept_valid)) run.only = w->changed;
  else f->redone = 1;
  if (carried && run.only) dv_ldl_adopt(f, w->changed);
  dv_ldl_forget(&w->before);
  return factorise(&run, pool, pivot);
}
