// Parts of a sparse LDL^T that stay when the pattern changes: a mesh that is cut or carved.
//
// Points that stay keep their number and their place in the order of elimination (reorder.h), so most fronts of the new
// tree have a front of the old one with the same points. A front whose entries, rows and children are the same ones is
// computed from the same numbers in the same order: its columns are copied, to the last bit what they would be.
#include "linear/direct/ldl_work.h"

#include <string.h>

bool dv_ldl_carries(const dvLdl *f)
{
  return f->symbolic && f->valid && f->work && f->work->known && !f->work->outdated && f->work->changes < 2;
}

void dv_ldl_carry(dvLdl *f, dvLdlBefore *out)
{
  dvLdlWork *w = f->work;
  dvLdlBefore spare = w->before;
  *out = (dvLdlBefore){.symbolic = f->symbolic,
                       .lower = {f->lower, f->room},
                       .values = w->values,
                       .kept = w->kept,
                       .d = f->d,
                       .scale = w->scale,
                       .outcome = w->outcome,
                       .kept_at = w->kept_at,
                       .kept_valid = w->kept_valid};
  f->symbolic = NULL;
  f->lower = spare.lower.data;
  f->room = spare.lower.room;
  f->d = f->inverse_d = NULL;
  w->values = spare.values;
  w->kept = spare.kept;
  w->scale = NULL;
  w->outcome = NULL;
  w->kept_at = NULL;
  w->before = (dvLdlBefore){0};
}

// --- which fronts are the same -------------------------------------------------------------------

typedef struct Match {
  const dvLdlSymbolic *was, *now;
  const double *values;   // of the matrix before
  const dvBlockMatrix *a;
  int32_t *same;   // of each front: the one before; -1
} Match;

// block rows in the order of elimination, the same points in both
static bool same_points(const Match *m, const int32_t *was, const int32_t *now, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (m->was->perm[was[k]] != m->now->perm[now[k]]) return false;
  return true;
}

static bool same_pivots(const Match *m, const dvFront *was, const dvFront *now)
{
  const int32_t *p = m->was->perm + was->first / m->now->block, *q = m->now->perm + now->first / m->now->block;
  return memcmp(p, q, (size_t)(now->cols / m->now->block) * sizeof *p) == 0;
}

static bool same_children(const Match *m, const dvFront *was, const dvFront *now)
{
  for (int32_t c = 0; c < now->children; c++)
    if (m->same[m->now->child[now->child + c]] != m->was->child[was->child + c]) return false;
  return true;
}

static bool same_entries(const Match *m, const dvFront *was, const dvFront *now)
{
  size_t count = now[1].entry - now->entry, square = (size_t)(m->now->block * m->now->block);
  const dvFrontEntry *p = m->was->entry + was->entry, *q = m->now->entry + now->entry;
  if (was[1].entry - was->entry != count) return false;
  for (size_t e = 0; e < count; e++)
    if (p[e].row != q[e].row || p[e].col != q[e].col ||
        memcmp(m->values + square * (size_t)p[e].entry, dv_block_matrix_at(m->a, q[e].entry), square * sizeof(double)))
      return false;
  return true;
}

static int32_t find_same(const Match *m, int32_t i)
{
  const dvFront *now = &m->now->front[i];
  int32_t point = m->now->perm[now->first / m->now->block];
  if ((size_t)point >= m->was->n) return -1;
  int32_t before = m->was->front_of[m->was->inverse[point]];
  const dvFront *was = &m->was->front[before];
  bool same = was->cols == now->cols && was->rows == now->rows && was->children == now->children &&
              same_pivots(m, was, now) &&
              same_points(m, m->was->row + was->row, m->now->row + now->row, (size_t)(now->rows / m->now->block)) &&
              same_children(m, was, now) && same_entries(m, was, now);
  return same ? before : -1;
}

static bool find_all(const dvLdl *f, const dvBlockMatrix *a, int32_t *same)
{
  const dvLdlBefore *b = &f->work->before;
  Match m = {b->symbolic, f->symbolic, b->values.data, a, same};
  if (m.was->block != m.now->block || m.was->lanes != m.now->lanes) return false;
  for (int32_t i = 0; i < m.now->fronts; i++) same[i] = find_same(&m, i);
  return true;
}

double dv_ldl_match(const dvLdl *f, const dvBlockMatrix *a, bool *changed)
{
  const dvLdlSymbolic *s = f->symbolic;
  int32_t *same = dv_try_alloc((size_t)(s->fronts + 1) * sizeof *same);
  double work = 0;
  bool good = same && find_all(f, a, same);
  for (int32_t i = 0; i < s->fronts && good; i++) {
    changed[i] = same[i] < 0;
    if (changed[i]) work += dv_front_flops(&s->front[i]);
  }
  dv_free(same);
  return good ? work / dv_max(s->flops, 1) : 1;
}

// --- taking them over ----------------------------------------------------------------------------

static void copy(double *to, const double *from, size_t count) { memcpy(to, from, count * sizeof *to); }

void dv_ldl_adopt(dvLdl *f, const bool *changed)
{
  const dvLdlSymbolic *s = f->symbolic, *t = f->work->before.symbolic;
  const dvLdlBefore *b = &f->work->before;
  const double *inverse_d = b->d + t->n * (size_t)t->block;
  for (int32_t i = 0; i < s->fronts; i++) {
    if (changed[i]) continue;
    const dvFront *now = &s->front[i];
    int32_t j = t->front_of[t->inverse[s->perm[now->first / s->block]]];
    const dvFront *was = &t->front[j];
    size_t cols = (size_t)now->cols;
    copy(f->lower + now->lower, b->lower.data + was->lower, (i + 1 < s->fronts ? now[1].lower : s->lower) - now->lower);
    copy(f->d + now->first, b->d + was->first, cols);
    copy(f->inverse_d + now->first, inverse_d + was->first, cols);
    copy(f->work->scale + now->first, b->scale + was->first, cols);
    copy(f->work->kept.data + f->work->kept_at[i], b->kept.data + b->kept_at[j], dv_update_size(now, (size_t)s->lanes));
    f->work->outcome[i] = b->outcome[j];
  }
}

void dv_ldl_forget(dvLdlBefore *b)
{
  dv_ldl_symbolic_release(b->symbolic);
  dv_free(b->d);
  dv_free(b->scale);
  dv_free(b->outcome);
  dv_free(b->kept_at);
  *b = (dvLdlBefore){.lower = b->lower, .values = b->values, .kept = b->kept};
}

void dv_ldl_before_free(dvLdlBefore *b)
{
  dv_ldl_forget(b);
  dv_free(b->lower.data);
  dv_free(b->values.data);
  dv_free(b->kept.data);
  *b = (dvLdlBefore){0};
}
