// Projective constraints in an assembled matrix: rows and columns of the scalars that they hold are cleared, with 1 on
// the diagonal.
#include "linear/system/assembly_work.h"

#include <string.h>

enum { HELD = 1024 };   // blocks that a thread takes at a time

static void clear_block(const dvBlockMatrix *m, int32_t e, unsigned rows, unsigned cols, bool diagonal)
{
  double *v = dv_block_matrix_at(m, e);
  const unsigned all = (1u << m->block) - 1;
  if (!diagonal && (rows == all || cols == all)) {
    memset(v, 0, (size_t)(m->block * m->block) * sizeof *v);
    return;
  }
  for (int i = 0; i < m->block; i++)
    for (int j = 0; j < m->block; j++)
      if ((rows >> i & 1) || (cols >> j & 1)) v[i * m->block + j] = diagonal && i == j ? 1 : 0;
}

static void clear_held(void *user, size_t begin, size_t end)
{
  const dvAssembly *a = user;
  const dvBlockMatrix *m = &a->matrix;
  const unsigned char *mask = a->work->mask.data;
  for (size_t i = begin; i < end; i++) {
    dvHeldBlock h = a->work->held.data[i];
    int32_t c = m->pattern.col[h.entry];
    clear_block(m, h.entry, mask[h.row], mask[c], h.row == c);
  }
}

static void list_held(dvAssembly *a)
{
  const dvPattern *p = &a->matrix.pattern;
  dvAssemblyWork *w = a->work;
  size_t b = (size_t)a->matrix.block;
  dv_array_resize(&w->mask, p->rows);
  for (size_t r = 0; r < p->rows; r++) {
    unsigned bits = 0;
    for (size_t i = 0; i < b; i++) bits |= (unsigned)a->fixed.data[r * b + i] << i;
    w->mask.data[r] = (unsigned char)bits;
  }
  w->held.count = 0;
  for (size_t r = 0; r < p->rows; r++)
    for (int32_t e = p->row_start[r]; e < p->row_start[r + 1]; e++)
      if (w->mask.data[r] | w->mask.data[p->col[e]]) dv_push(&w->held, ((dvHeldBlock){e, (int32_t)r}));
  w->held_stamp = a->pattern_stamp;
}

// numbers without a pattern between 1 and 2: a projection that is not of single components leaves its traces in them
static double probe_value(size_t i) { return 1 + (double)((uint32_t)(i + 1) * 2654435769u) / 4294967296.0; }

static void fill_probe(const dvAssembly *a, int id)
{
  dvAssemblyWork *w = a->work;
  for (size_t k = 0; k < a->main_count; k++) {
    const dvAssemblyState *s = &a->states.data[k];
    for (size_t i = w->probe.count; i < s->count * (size_t)s->width; i++) dv_push(&w->probe, probe_value(i));
    if (s->count)
      memcpy(dv_state_overwrite(s->state, id), w->probe.data, s->count * (size_t)s->width * sizeof *w->probe.data);
  }
}

static void project_probe(const dvPlan *plan, int id)
{
  for (size_t i = 0; i < plan->projections.count; i++) {
    dvObject *o = plan->projections.data[i];
    const dvProjectiveOps *ops = dv_ops(o, DV_ROLE_PROJECTIVE);
    if (ops->project_matrix) ops->project_matrix(o, id);
    else ops->project_response(o, id);
  }
}

// which scalars the constraints hold is read from what they do to a vector: those become zero. True when they are
// others than before; *mixed is a state with a scalar that becomes something else.
static bool probe(dvAssembly *a, dvPlan *plan, int id, const dvState **mixed)
{
  bool changed = false;
  fill_probe(a, id);
  project_probe(plan, id);
  for (size_t k = 0; k < a->main_count; k++) {
    const dvAssemblyState *s = &a->states.data[k];
    const double *v = dv_state_read(s->state, id), *before = a->work->probe.data;
    unsigned char *fixed = a->fixed.data + s->offset, other = 0, odd = 0;
    for (size_t i = 0; i < s->count * (size_t)s->width; i++) {
      unsigned char zero = v[i] == 0;
      odd |= (v[i] != before[i]) & !zero;
      other |= fixed[i] ^ zero;
      fixed[i] = zero;
    }
    if (odd) *mixed = s->state;
    changed = changed || other;
  }
  return changed;
}

void dv_assembly_fix(dvAssembly *a, const dvObject *owner, dvPlan *plan)
{
  dvAssemblyWork *w = a->work;
  const dvState *mixed = NULL;
  dv_array_resize(&a->fixed, a->size);
  w->late_rows = w->parts.projection && plan->projections.count > 0;
  if (!w->late_rows) {
    memset(a->fixed.data, 0, a->size);
    return;
  }
  int id = 0;
  dv_vec_take(owner, DV_VEC_DERIV, &id);
  bool changed = probe(a, plan, id, &mixed);
  dv_vec_give(owner, &id);
  if (mixed && !w->warned_mixed)
    dv_warning(owner, "solve without assembling (CGLinearSolver with template GraphScattered)",
               "a constraint on %s projects in directions that are not those of the axes: the assembled matrix is left "
               "without it, as in SOFA",
               mixed->base.name);
  w->warned_mixed = w->warned_mixed || mixed;
  if (changed || w->held_stamp != a->pattern_stamp) list_held(a);
}

void dv_assembly_clear_fixed(dvAssembly *a, dvPool *pool)
{
  dvAssemblyWork *w = a->work;
  if (w->late_rows) dv_parallel_for(dv_pool_for(pool, 5 * (double)w->held.count), w->held.count, HELD, clear_held, a);
  w->late_rows = false;
}
