// See assembly.h.
#include "linear/system/assembly.h"

#include "linear/system/assembly_work.h"
#include "math/element_sum.h"

#include <string.h>

enum { RUN = 64, RUNS = 64 };   // blocks that are cleared in one go, and how often a thread does it at a time

static void reclaim(dvAssembly *a)
{
  if (a->release) a->release(a->reader);
  a->release = NULL;
}

void dv_assembly_free(dvAssembly *a)
{
  reclaim(a);
  dvAssemblyWork *w = a->work;
  if (w) {
    dv_array_free(&w->stiffness.pairs);
    dv_array_free(&w->stiffness.places);
    dv_array_free(&w->stiffness.sums);
    dv_array_free(&w->jacobian.pairs);
    dv_array_free(&w->jacobian.places);
    dv_array_free(&w->jacobian.sums);
    dv_array_free(&w->runs);
    dv_array_free(&w->late);
    dv_projection_free(&w->projection);
    dv_array_free(&w->width);
    dv_array_free(&w->block_row);
    dv_array_free(&w->table);
    dv_array_free(&w->mask);
    dv_array_free(&w->held);
    dv_array_free(&w->from);
    dv_array_free(&w->to);
    dv_array_free(&w->probe);
    dv_free(w);
  }
  dv_block_matrix_free(&a->matrix);
  dv_array_free(&a->states);
  dv_array_free(&a->fixed);
  dv_live_free(&a->live);
  *a = (dvAssembly){0};
}

// --- degrees of freedom --------------------------------------------------------------------------

// a hash table from states to their rows, at most half full: components name states in every entry that they hand in,
// and a search through the list would cost more than adding the entry
static void table_fill(dvAssembly *a)
{
  dvAssemblyWork *w = a->work;
  size_t size = 16;
  while (size < 2 * a->states.count) size *= 2;
  w->table.count = 0;
  dv_array_resize(&w->table, size);
  memset(w->table.data, 0, size * sizeof *w->table.data);
  for (size_t i = 0; i < a->states.count; i++) {
    size_t slot = dv_assembly_slot(w, a->states.data[i].state);
    while (w->table.data[slot]) slot = (slot + 1) & (size - 1);
    w->table.data[slot] = (int32_t)i + 1;
  }
}

// by what mappings say, not by node: a mapping may drive a state that stands elsewhere
static bool is_output(const dvPlan *plan, const dvObject *state)
{
  dvObject *output;
  for (size_t i = 0; i < plan->fixed.mappings; i++)
    for (size_t k = 0; (output = dv_mapping_output(plan->mappings.data[i].object, k)); k++)
      if (output == state) return true;
  return false;
}

static void add_state(dvAssembly *a, dvObject *o, bool main)
{
  dvState *s = dv_state(o);
  dvAssemblyState entry = {.state = s, .count = s->count, .width = o->dof->deriv};
  if (a->states.count) {
    const dvAssemblyState *before = &a->states.data[a->states.count - 1];
    entry.first = before->first + before->count;
  }
  if (main) {
    entry.offset = a->size;
    a->size += s->count * (size_t)entry.width;
    a->main_count++;
  }
  dv_push(&a->states, entry);
}

bool dv_assembly_holds(const dvAssembly *a, const dvPlan *plan)
{
  const dvAssemblyWork *w = a->work;
  if (!w || w->plan != plan || w->version != plan->version) return false;
  for (size_t i = 0; i < a->states.count; i++)
    if (a->states.data[i].count != a->states.data[i].state->count) return false;
  return true;
}

// Main states first, so that the unknowns of A are the numbers below `main` and a look at a number tells where an entry
// belongs: to A, or to K of the mapped states.
static void lay_out(dvAssembly *a, const dvPlan *plan)
{
  dvAssemblyWork *w = a->work;
  a->states.count = a->main_count = a->size = 0;
  for (size_t i = 0; i < plan->independent.count; i++)
    if (!is_output(plan, plan->independent.data[i])) add_state(a, plan->independent.data[i], true);
  w->projection.main =
      a->states.count ? a->states.data[a->states.count - 1].first + a->states.data[a->states.count - 1].count : 0;
  for (size_t i = 0; i < plan->fixed.states; i++)
    if (is_output(plan, plan->states.data[i])) add_state(a, plan->states.data[i], false);
  w->projection.total =
      a->states.count ? a->states.data[a->states.count - 1].first + a->states.data[a->states.count - 1].count : 0;
  w->width.count = 0;
  for (size_t i = 0; i < a->states.count; i++)
    for (size_t k = 0; k < a->states.data[i].count; k++) dv_push(&w->width, a->states.data[i].width);
  w->projection.width = w->width.data;
  table_fill(a);
  w->plan = plan;
  w->version = plan->version;
  w->recorded = false;
}

// the largest block that divides every state
static int block_size(const dvAssembly *a)
{
  static const int sizes[] = {6, 3};
  for (size_t k = 0; k < DV_COUNT(sizes); k++) {
    bool fits = true;
    for (size_t i = 0; i < a->main_count; i++) fits = fits && a->states.data[i].width % sizes[k] == 0;
    if (fits) return sizes[k];
  }
  return 1;
}

// --- contributions -------------------------------------------------------------------------------

static double rayleigh_of(const dvObject *o)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  return ops->rayleigh_stiffness ? *ops->rayleigh_stiffness(o) : 0;
}

// the factors of a force when only one of stiffness and damping takes part; Rayleigh damping belongs to the stiffness
static dvMech factors_of(const dvMech *m, const dvObject *o, dvAssemblyParts parts)
{
  dvMech out = *m;
  if (parts.stiffness == parts.damping) return out;
  double damping = m->b * rayleigh_of(o);
  if (parts.stiffness) out.k += damping, out.b = 0;
  else out.k = -damping;
  return out;
}

static void warn_of_missing(dvAssembly *a, const dvObject *owner, const dvObject *o, const char *what)
{
  if (!a->work->recorded && !a->work->warned)
    dv_warning(o, "solve the system without assembling it (CGLinearSolver with template GraphScattered)",
               "%s has no matrix: %s not part of the system that %s assembles", o->cls->name, what, owner->name);
}

static dvStatus check_sink(dvAssemblySink *s, const dvObject *o)
{
  if (!s->bad) return DV_OK;
  return dv_error(o, "report this as a mistake of the component", "%s hands in matrix entries of %s", o->cls->name,
                  s->bad);
}

static dvStatus feed_forces(dvAssemblySink *s, const dvObject *owner, const dvPlan *plan, const dvMech *m)
{
  dvAssemblyParts parts = s->a->work->parts;
  if ((!parts.stiffness && !parts.damping) || (m->k == 0 && m->b == 0)) return DV_OK;
  for (size_t i = 0; i < plan->fixed.forces; i++) {
    dvPlanItem it = plan->forces.data[i];
    const dvForceOps *ops = dv_ops(it.object, DV_ROLE_FORCE);
    if (!ops->add_stiffness) {
      if (ops->add_dforce) warn_of_missing(s->a, owner, it.object, "its stiffness is");
      continue;
    }
    dvMech own = factors_of(m, it.object, parts);
    memcpy(own.gravity, it.node->gravity, sizeof own.gravity);
    ops->add_stiffness(it.object, &own, &s->base);
    DV_TRY(check_sink(s, it.object));
  }
  return DV_OK;
}

static dvStatus feed_masses(dvAssemblySink *s, const dvObject *owner, const dvPlan *plan, const dvMech *m)
{
  if (!s->a->work->parts.mass) return DV_OK;
  for (size_t i = 0; i < plan->masses.count; i++) {
    dvPlanItem it = plan->masses.data[i];
    const dvMassOps *ops = dv_ops(it.object, DV_ROLE_MASS);
    double factor = dv_mech_m(m, it.rayleigh_mass ? *it.rayleigh_mass : 0);
    if (factor == 0 || it.inert) continue;
    if (ops->add_matrix) ops->add_matrix(it.object, factor, &s->base);
    else warn_of_missing(s->a, owner, it.object, "its mass is");
    DV_TRY(check_sink(s, it.object));
  }
  return DV_OK;
}

static dvStatus feed_mappings(dvAssemblySink *s, const dvPlan *plan, const dvMech *m)
{
  if (!s->a->work->parts.geometric || m->k == 0) return DV_OK;
  for (size_t i = 0; i < plan->fixed.mappings; i++) {
    dvObject *o = plan->mappings.data[i].object;
    const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
    if (plan->mappings.data[i].carries_always && ops->add_geometric) ops->add_geometric(o, m, m->f, &s->base);
    DV_TRY(check_sink(s, o));
  }
  return DV_OK;
}

static dvStatus feed_all(dvAssemblySink *s, const dvObject *owner, const dvPlan *plan, const dvMech *m)
{
  DV_TRY(feed_masses(s, owner, plan, m));
  DV_TRY(feed_forces(s, owner, plan, m));
  return feed_mappings(s, plan, m);
}

static dvStatus feed_jacobians(dvAssemblySink *s, const dvObject *owner, const dvPlan *plan)
{
  for (size_t i = 0; i < plan->fixed.mappings; i++) {
    dvObject *o = plan->mappings.data[i].object;
    const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
    if (!plan->mappings.data[i].carries_always) continue;
    if (ops->build_j) ops->build_j(o, &s->base);
    else warn_of_missing(s->a, owner, o, "what acts below it is");
    DV_TRY(check_sink(s, o));
  }
  return DV_OK;
}

// --- the first pass ------------------------------------------------------------------------------

// splits the recorded pairs: those of main states go to `direct`, the others to `mapped`. Both keep one entry a pair,
// so that the n-th contribution of a later pass finds its place at n in either.
static void split_pairs(const dvAssembly *a, dvPairs *direct, dvPairs *mapped)
{
  const dvAssemblyWork *w = a->work;
  for (size_t i = 0; i < w->stiffness.pairs.count; i++) {
    uint64_t pair = w->stiffness.pairs.data[i];
    bool main = dv_pair_row(pair) < w->projection.main && dv_pair_col(pair) < w->projection.main;
    dv_push(direct, main ? pair : DV_PAIR_NONE);
    dv_push(mapped, main || !w->parts.mapped ? DV_PAIR_NONE : pair);
  }
}

// mapped degrees of freedom in the order of the mappings that drive them; where several drive one, in the place of the
// last
static void order_mapped(dvAssembly *a, const dvPlan *plan)
{
  dvProjection *p = &a->work->projection;
  DV_ARRAY(size_t) last = {0};   // mapping of each state
  dvObject *output;
  dv_array_resize(&last, a->states.count);
  p->order.count = 0;
  for (int pass = 0; pass < 2; pass++)   // who is last, then in that order
    for (size_t i = 0; i < plan->fixed.mappings; i++)
      for (size_t k = 0; (output = dv_mapping_output(plan->mappings.data[i].object, k)); k++) {
        const dvAssemblyState *s = dv_assembly_find(a, dv_state(output));
        if (!s) continue;
        size_t *seen = &last.data[s - a->states.data];
        if (pass == 0) *seen = i;
        for (size_t d = 0; pass == 1 && *seen == i && d < s->count; d++) dv_push(&p->order, (int32_t)(s->first + d));
      }
  dv_array_free(&last);
}

// K of mapped pairs, the Jacobians, and the entries of A that follow from them
static dvStatus record_mapped(dvAssembly *a, const dvObject *owner, const dvPlan *plan, const dvPairs *mapped,
                              int32_t *places, dvPairs *pairs)
{
  dvAssemblyWork *w = a->work;
  dvProjection *p = &w->projection;
  if (!dv_pattern_build(&p->k.pattern, p->total, p->total, mapped->data, mapped->count, places) ||
      !dv_ragged_settle(&p->k, p->width, p->width))
    return dv_error(owner, NULL, "out of memory for the matrices of mapped states");
  if (dv_pattern_count(&p->k.pattern) == 0) return DV_OK;   // nothing acts below: no need of Jacobians
  w->jacobian.pairs.count = w->jacobian.sums.count = 0;
  dvAssemblySink s = dv_assembly_sink(a, &w->jacobian, &p->raw, true);
  DV_TRY(feed_jacobians(&s, owner, plan));
  dv_array_resize(&w->jacobian.places, w->jacobian.pairs.count);
  order_mapped(a, plan);
  if (!dv_pattern_build(&p->raw.pattern, p->total, p->total, w->jacobian.pairs.data, w->jacobian.pairs.count,
                        w->jacobian.places.data) ||
      !dv_ragged_settle(&p->raw, p->width, p->width) || !dv_projection_analyse(p, pairs))
    return dv_error(owner, NULL, "out of memory for the Jacobians of mappings");
  return DV_OK;
}

// from entries between degrees of freedom to blocks; spot gets the first block of each entry
static bool expand(dvAssembly *a, const dvPattern *dofs, int32_t *spot)
{
  dvAssemblyWork *w = a->work;
  int b = block_size(a);
  w->block_row.count = 0;
  dv_array_resize(&w->block_row, dofs->rows + 1);
  int32_t next = 0;
  for (size_t d = 0; d < dofs->rows; d++) w->block_row.data[d] = next, next += w->width.data[d] / b;
  w->block_row.data[dofs->rows] = next;
  size_t count = 0;
  for (size_t d = 0; d < dofs->rows; d++)
    for (int32_t e = dofs->row_start[d]; e < dofs->row_start[d + 1]; e++)
      count += (size_t)(w->width.data[d] / b * (w->width.data[dofs->col[e]] / b));
  if (count > INT32_MAX) return false;
  dvPattern blocks = {.rows = (size_t)next, .cols = (size_t)next};
  blocks.row_start = dv_try_alloc(((size_t)next + 1) * sizeof *blocks.row_start);
  blocks.col = dv_try_alloc(count * sizeof *blocks.col);
  if (!blocks.row_start || !blocks.col) {
    dv_pattern_free(&blocks);
    return false;
  }
  int32_t at = 0;
  for (size_t d = 0; d < dofs->rows; d++)
    for (int i = 0; i < w->width.data[d] / b; i++) {
      for (int32_t e = dofs->row_start[d]; e < dofs->row_start[d + 1]; e++) {
        int32_t col = dofs->col[e];
        if (i == 0) spot[e] = at;
        for (int j = 0; j < w->width.data[col] / b; j++) blocks.col[at++] = w->block_row.data[col] + j;
      }
      blocks.row_start[w->block_row.data[d] + i + 1] = at;
    }
  return dv_block_matrix_init(&a->matrix, b, &blocks);
}

// Most blocks get nothing but one sum over elements. It is written there as it is (place ~n), and a pass has to clear
// the others only. `first` has the first block of each contribution, -1 for those that go elsewhere.
static bool find_runs(dvAssembly *a, const int32_t *first, size_t count)
{
  enum { ALONE = 1, CLAIMED = 3 };   // 2 stands for "several", so that counting can stop there
  dvAssemblyWork *w = a->work;
  size_t blocks = dv_pattern_count(&a->matrix.pattern);
  unsigned char *uses = dv_try_alloc(blocks + 1);
  if (!uses) return false;
  for (size_t i = 0; i < count; i++)
    if (first[i] >= 0 && uses[first[i]] <= ALONE) uses[first[i]]++;
  for (size_t s = 0; s < w->stiffness.sums.count && a->matrix.block == 3; s++) {
    dvSumRecord sum = w->stiffness.sums.data[s];
    for (size_t i = sum.first; i < sum.first + sum.count; i++) {
      if (first[i] < 0 || uses[first[i]] != ALONE) continue;
      uses[first[i]] = CLAIMED;
      w->stiffness.places.data[i] = ~first[i];
    }
  }
  w->runs.count = 0;
  for (size_t b = 0; b < blocks; b++) {
    dvBlockRun *last = w->runs.count ? &w->runs.data[w->runs.count - 1] : NULL;
    if (uses[b] == CLAIMED) continue;
    if (last && last->first + last->count == b && last->count < RUN) last->count++;
    else dv_push(&w->runs, ((dvBlockRun){b, 1}));
  }
  dv_free(uses);
  return true;
}

// the pattern of A from all pairs: the direct ones, the diagonal, those that K below mappings gives; `places` of the
// direct ones and targets of the projected ones become blocks
static bool settle(dvAssembly *a, const dvPairs *pairs, size_t direct, const int32_t *mapped_places)
{
  dvAssemblyWork *w = a->work;
  dvProjection *p = &w->projection;
  dvPattern dofs = {0};
  int32_t *place = dv_try_alloc(pairs->count * sizeof *place), *spot = NULL;
  bool good = place && dv_pattern_build(&dofs, p->main, p->main, pairs->data, pairs->count, place);
  if (good) spot = dv_try_alloc((dv_pattern_count(&dofs) + 1) * sizeof *spot);
  good = good && spot && expand(a, &dofs, spot);
  if (good) {
    for (size_t i = 0; i < pairs->count; i++) place[i] = place[i] >= 0 ? spot[place[i]] : -1;
    dv_array_resize(&w->stiffness.places, direct);
    for (size_t i = 0; i < direct; i++) w->stiffness.places.data[i] = place[i] >= 0 ? place[i] : mapped_places[i];
    dv_array_resize(&p->target, pairs->count - direct - p->main);
    for (size_t i = 0; i < p->target.count; i++) p->target.data[i] = place[direct + p->main + i];
    good = find_runs(a, place, pairs->count);
  }
  dv_pattern_free(&dofs);
  dv_free(place);
  dv_free(spot);
  return good;
}

static dvStatus record(dvAssembly *a, const dvObject *owner, const dvPlan *plan, const dvMech *m)
{
  dvAssemblyWork *w = a->work;
  w->stiffness.pairs.count = w->stiffness.sums.count = 0;
  dvAssemblySink s = dv_assembly_sink(a, &w->stiffness, NULL, true);
  DV_TRY(feed_all(&s, owner, plan, m));
  dvPairs pairs = {0}, mapped = {0};
  split_pairs(a, &pairs, &mapped);
  size_t direct = pairs.count;
  for (size_t d = 0; d < w->projection.main; d++) dv_push(&pairs, dv_pair(d, d));   // the diagonal is always there
  int32_t *places = dv_alloc((direct + 1) * sizeof *places);
  dvStatus status = record_mapped(a, owner, plan, &mapped, places, &pairs);
  if (status == DV_OK && !settle(a, &pairs, direct, places))
    status = dv_error(owner, NULL, "out of memory for a matrix of %zu unknowns", a->size);
  dv_array_free(&pairs);
  dv_array_free(&mapped);
  dv_free(places);
  DV_TRY(status);
  w->recorded = w->warned = true;
  a->pattern_stamp++;
  return DV_OK;
}

// --- later passes --------------------------------------------------------------------------------

static void add_projected(void *user, int32_t target, size_t row, size_t col, const double *block)
{
  dvAssembly *a = user;
  dv_assembly_add_block(a, target, row, a->work->width.data[row], a->work->width.data[col], block);
}

static void clear_runs(void *user, size_t begin, size_t end)
{
  const dvAssembly *a = user;
  size_t numbers = (size_t)(a->matrix.block * a->matrix.block);
  for (size_t i = begin; i < end; i++) {
    dvBlockRun r = a->work->runs.data[i];
    memset(a->matrix.values + numbers * r.first, 0, numbers * r.count * sizeof *a->matrix.values);
  }
}

// true in *same when everything went where it was expected
static dvStatus fill(dvAssembly *a, const dvObject *owner, const dvPlan *plan, const dvMech *m, bool *same)
{
  dvAssemblyWork *w = a->work;
  dvProjection *p = &w->projection;
  dv_parallel_for(dv_pool_for(owner->context->pool, 50 * (double)w->runs.count), w->runs.count, RUNS, clear_runs, a);
  w->late.count = 0;
  dv_ragged_clear(&p->k);
  dvAssemblySink s = dv_assembly_sink(a, &w->stiffness, &p->k, false);
  DV_TRY(feed_all(&s, owner, plan, m));
  *same = !s.changed && s.next == w->stiffness.pairs.count && s.next_sum == w->stiffness.sums.count;
  if (!*same || dv_pattern_count(&p->k.pattern) == 0) return DV_OK;
  dv_ragged_clear(&p->raw);
  dvAssemblySink j = dv_assembly_sink(a, &w->jacobian, &p->raw, false);
  DV_TRY(feed_jacobians(&j, owner, plan));
  *same = !j.changed && j.next == w->jacobian.pairs.count;
  if (*same) dv_projection_run(p, add_projected, a);
  return DV_OK;
}

void dv_assembly_finish(dvAssembly *a, dvPool *pool)
{
  dvAssemblyWork *w = a->work;
  if (!w || a->size == 0) return;
  for (size_t i = 0; i < w->late.count; i++) {
    const dvLateSum *l = &w->late.data[i];
    dv_element_sum_run(l->sum, pool, l->fill, l->user, a->matrix.values, l->places);
  }
  w->late.count = 0;
  dv_assembly_clear_fixed(a, pool);
}

// --- all of it -----------------------------------------------------------------------------------

static bool same_parts(dvAssemblyParts a, dvAssemblyParts b)
{
  return a.stiffness == b.stiffness && a.mass == b.mass && a.damping == b.damping && a.geometric == b.geometric &&
         a.mapped == b.mapped && a.projection == b.projection;
}

dvStatus dv_assembly_build(dvAssembly *a, const dvObject *owner, dvPlan *plan, const dvMech *m, dvAssemblyParts parts)
{
  reclaim(a);
  if (!a->work) a->work = dv_alloc(sizeof *a->work);
  dvAssemblyWork *w = a->work;
  if (!dv_assembly_holds(a, plan)) lay_out(a, plan);
  if (!same_parts(w->parts, parts)) w->recorded = false;
  w->parts = parts;
  if (a->size == 0) {   // nothing to solve
    dv_block_matrix_free(&a->matrix);
    return DV_OK;
  }
  bool same = false;
  unsigned before = a->pattern_stamp;
  for (int pass = 0; pass < 2 && !same; pass++) {
    if (!w->recorded) DV_TRY(record(a, owner, plan, m));
    DV_TRY(fill(a, owner, plan, m, &same));
    w->recorded = same;
  }
  if (!same) return dv_error(owner, NULL, "a component hands in other matrix entries each time it is asked");
  dv_assembly_fix(a, owner, plan);
  if (!a->later || a->pattern_stamp != before) dv_assembly_finish(a, owner->context->pool);
  return DV_OK;
}

// --- vectors -------------------------------------------------------------------------------------

void dv_assembly_gather(const dvAssembly *a, int id, double *flat)
{
  for (size_t i = 0; i < a->main_count; i++) {
    const dvAssemblyState *s = &a->states.data[i];
    if (s->count) memcpy(flat + s->offset, dv_state_read(s->state, id), s->count * (size_t)s->width * sizeof *flat);
  }
}

void dv_assembly_scatter(const dvAssembly *a, int id, const double *flat)
{
  for (size_t i = 0; i < a->main_count; i++) {
    const dvAssemblyState *s = &a->states.data[i];
    if (s->count) memcpy(dv_state_write(s->state, id), flat + s->offset, s->count * (size_t)s->width * sizeof *flat);
  }
}

void dv_assembly_product(dvAssembly *a, dvPool *pool, int q, int p)
{
  dvAssemblyWork *w = a->work;
  if (a->main_count == 1) {   // the vectors of the one state are the flat ones
    dvState *s = a->states.data[0].state;
    const double *from = dv_state_read(s, p);
    double *to = dv_state_write(s, q);
    dv_block_matrix_product(&a->matrix, pool, from, to);
    dv_live_add_product(&a->live, from, to);
    return;
  }
  dv_array_resize(&w->from, a->size);
  dv_array_resize(&w->to, a->size);
  dv_assembly_gather(a, p, w->from.data);
  dv_block_matrix_product(&a->matrix, pool, w->from.data, w->to.data);
  dv_live_add_product(&a->live, w->from.data, w->to.data);
  dv_assembly_scatter(a, q, w->to.data);
}

void dv_assembly_flatten(const dvAssembly *a, const dvRowSet *set, const dvState *only, bool unheld, size_t count,
                         dvSparseRows *out)
{
  dv_sparse_rows_clear(out);
  for (size_t i = 0; i < a->main_count; i++) {
    const dvAssemblyState *s = &a->states.data[i];
    const dvStateRows *on = only && s->state != only ? NULL : dv_rows_find(set, s->state);
    for (size_t e = 0; on && e < on->rows.col.count; e++) {
      size_t col = s->offset + (size_t)on->rows.col.data[e];
      if (unheld || !a->fixed.data[col])
        dv_sparse_rows_add(out, on->rows.row.data[e], (int32_t)col, on->rows.value.data[e]);
    }
  }
  dv_sparse_rows_settle(out, count);
}

const dvAssemblyState *dv_assembly_locate(const dvAssembly *a, size_t index, size_t *scalar)
{
  for (size_t i = a->main_count; i > 0; i--) {
    const dvAssemblyState *s = &a->states.data[i - 1];
    if (index < s->offset || s->count == 0) continue;
    *scalar = index - s->offset;
    return s;
  }
  *scalar = index;
  return &a->states.data[0];
}
