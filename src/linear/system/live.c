// See live.h.
#include "linear/system/live.h"

#include "linear/system/assembly.h"
#include "math/dense.h"
#include "object/compat.h"

#include <math.h>
#include <string.h>

enum { SMALL = 12 };   // scalars of a part of B that is worth its eigenvalues

// --- blocks of live forces ---------------------------------------------------------------------------

typedef struct LiveSink {
  dvMatrixSink base;
  dvLiveStiffness *live;
  const dvPlan *plan;
  dvObject *owner;
  const char *bad;
} LiveSink;

static int32_t touch(LiveSink *s, const dvState *state, size_t dof, int width, int32_t beside)
{
  dvLiveStiffness *l = s->live;
  int32_t *at = dv_address_map_at(&l->table, state, beside < 0 ? dof : SIZE_MAX - dof);
  if (*at >= 0) return *at;
  *at = (int32_t)l->dofs.count;
  const dvLiveDof *last = l->dofs.count ? &l->dofs.data[l->dofs.count - 1] : NULL;
  dvLiveDof fresh = {.state = (dvState *)state,
                     .dof = dof,
                     .width = width,
                     .first = last ? last->first + last->width : 0,
                     .beside = beside};
  dv_push(&l->parent, *at);
  dv_push(&l->dofs, fresh);
  return (int32_t)l->dofs.count - 1;
}

static int32_t root_of(const dvLiveStiffness *l, int32_t i)
{
  while (l->parent.data[i] != i) i = l->parent.data[i] = l->parent.data[l->parent.data[i]];
  return i;
}

static void connect(dvLiveStiffness *l, int32_t i, int32_t j)
{
  int32_t a = root_of(l, i), b = root_of(l, j);
  l->parent.data[dv_max_int(a, b)] = dv_min_int(a, b);   // the root is the first of them
}

static void live_sink_add(dvMatrixSink *base, const dvState *row_state, size_t row, const dvState *col_state,
                          size_t col, int rows, int cols, const double *values)
{
  LiveSink *s = (LiveSink *)base;
  bool row_inside = dv_plan_has(s->plan, &row_state->base), col_inside = dv_plan_has(s->plan, &col_state->base);
  if (!row_inside && !col_inside) return;
  if (!(row_inside && col_inside) && !dv_compat(s->owner, DV_COMPAT_OUTSIDE_ROWS)) return;
  if (row >= row_state->count || col >= col_state->count) s->bad = "points that do not exist";
  else if (rows != row_state->base.dof->deriv || cols != col_state->base.dof->deriv)
    s->bad = "blocks of the wrong size";
  if (s->bad) return;
  dvLiveStiffness *l = s->live;
  int32_t r = row_inside ? touch(s, row_state, row, rows, -1) : -1;
  int32_t c = col_inside ? touch(s, col_state, col, cols, -1) : -1;
  if (!row_inside) r = touch(s, col_state, row, rows, c);
  if (!col_inside) c = touch(s, row_state, col, cols, r);
  size_t n = (size_t)(rows * cols), first = l->numbers.count;
  connect(l, r, c);
  dv_push(&l->blocks, ((dvLiveBlock){r, c, first}));
  dv_reserve(&l->numbers, n);
  memcpy(l->numbers.data + first, values, n * sizeof *values);
  l->numbers.count += n;
}

static dvStatus check_sink(const LiveSink *s, const dvObject *o)
{
  if (!s->bad) return DV_OK;
  return dv_error(o, "report this as a mistake of the component", "%s hands in matrix entries of %s", o->cls->name,
                  s->bad);
}

static dvStatus feed(LiveSink *s, const dvPlan *plan, const dvMech *m)
{
  for (size_t i = plan->fixed.forces; i < plan->forces.count; i++) {
    dvPlanItem it = plan->forces.data[i];
    const dvForceOps *ops = dv_ops(it.object, DV_ROLE_FORCE);
    dvMech own = *m;
    memcpy(own.gravity, it.node->gravity, sizeof own.gravity);
    if (ops->add_stiffness) ops->add_stiffness(it.object, &own, &s->base);
    DV_TRY(check_sink(s, it.object));
  }
  for (size_t i = 0; i < plan->mappings.count && m->k != 0; i++) {
    const dvPlanMapping *pm = &plan->mappings.data[i];
    const dvMappingOps *ops = dv_ops(pm->object, DV_ROLE_MAPPING);
    if (!pm->carries || pm->carries_always || !ops->add_geometric) continue;
    ops->add_geometric(pm->object, m, m->f, &s->base);
    DV_TRY(check_sink(s, pm->object));
  }
  return DV_OK;
}

// --- what touched scalars are in terms of the unknowns -----------------------------------------------

static bool drives(const dvStateRows *on, const dvLiveDof *d)
{
  return on && on->rows.start.data[d->first] < on->rows.start.data[d->first + d->width];
}

// As SOFA has it: a scalar outside of the system counts as the unknown of the same number, in each main state that
// drives the one it was met with.
static void place_outside(dvLiveStiffness *l, const dvAssembly *a, size_t count)
{
  bool any = false;
  for (size_t i = 0; i < l->dofs.count; i++) {
    const dvLiveDof *d = &l->dofs.data[i];
    for (size_t m = 0; d->beside >= 0 && m < a->main_count; m++) {
      const dvAssemblyState *s = &a->states.data[m];
      if (!drives(dv_rows_find(&l->up, s->state), &l->dofs.data[d->beside])) continue;
      for (int k = 0; k < d->width; k++) {
        size_t col = s->offset + d->dof * (size_t)d->width + (size_t)k;
        if (col >= a->size || (a->fixed.data[col] && !l->keep_held)) continue;
        dv_sparse_rows_add(&l->scalars, d->first + k, (int32_t)col, 1);
        any = true;
      }
    }
  }
  if (any) dv_sparse_rows_settle(&l->scalars, count);
}

static void find_scalars(dvLiveStiffness *l, const dvAssembly *a, dvPlan *plan, size_t count)
{
  dv_rows_clear(&l->up);
  for (size_t i = 0; i < l->dofs.count; i++) {
    const dvLiveDof *d = &l->dofs.data[i];
    for (int k = 0; k < d->width && d->beside < 0; k++) {
      double unit[DV_MAX_COORD] = {0};
      unit[k] = 1;
      dv_rows_add(&l->up, d->state, d->first + k, d->dof, unit, 1);
    }
  }
  dv_mech_jacobians_up(plan, &l->up, count);
  dv_assembly_flatten(a, &l->up, NULL, false, count, &l->scalars);
  place_outside(l, a, count);
}

// --- parts of B --------------------------------------------------------------------------------------

// parts in the order of their first degree of freedom, scalars in the order of touching
static void number_parts(dvLiveStiffness *l, size_t count)
{
  l->parts.count = 0;
  dv_array_resize(&l->place, count);
  for (size_t i = 0; i < l->dofs.count; i++) {
    dvLiveDof *d = &l->dofs.data[i];
    int32_t root = root_of(l, (int32_t)i);
    if (root == (int32_t)i) {
      d->part = (int32_t)l->parts.count;
      dv_push(&l->parts, ((dvLivePart){.row = -1}));
    } else {
      d->part = l->dofs.data[root].part;
    }
    dvLivePart *p = &l->parts.data[d->part];
    for (int k = 0; k < d->width; k++) l->place.data[d->first + k] = p->scalars++;
  }
}

static void fill_dense(dvLiveStiffness *l)
{
  l->dense.count = 0;
  for (size_t i = 0; i < l->parts.count; i++) {
    dvLivePart *p = &l->parts.data[i];
    p->first = l->dense.count;
    if (p->scalars > SMALL) continue;
    size_t n = (size_t)(p->scalars * p->scalars);
    dv_reserve(&l->dense, n);
    memset(l->dense.data + p->first, 0, n * sizeof *l->dense.data);
    l->dense.count += n;
  }
  for (size_t i = 0; i < l->blocks.count; i++) {
    const dvLiveBlock *b = &l->blocks.data[i];
    const dvLiveDof *r = &l->dofs.data[b->row], *c = &l->dofs.data[b->col];
    const dvLivePart *p = &l->parts.data[r->part];
    if (p->scalars > SMALL) continue;
    for (int k = 0; k < r->width; k++)
      for (int j = 0; j < c->width; j++)
        l->dense.data[p->first + (size_t)(l->place.data[r->first + k] * p->scalars + l->place.data[c->first + j])] +=
            l->numbers.data[b->first + (size_t)(k * c->width + j)];
  }
}

static bool is_symmetric(const double *a, size_t n)
{
  double largest = 0, other = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      largest = fmax(largest, fabs(a[i * n + j]));
      other = fmax(other, fabs(a[i * n + j] - a[j * n + i]));
    }
  return other <= 1e-13 * largest;
}

// rows of H become eigenvectors times what the scalars are, B their eigenvalues
static void reduce_part(dvLiveStiffness *l, size_t index, const int32_t *scalars)
{
  const dvLivePart *p = &l->parts.data[index];
  size_t n = (size_t)p->scalars;
  double vectors[SMALL * SMALL], values[SMALL], largest = 0;
  dv_dense_eigen_symmetric(l->dense.data + p->first, values, vectors, n);
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(values[i]));
  for (size_t i = 0; i < n; i++) {
    if (fabs(values[i]) <= 1e-15 * largest) continue;
    int32_t row = (int32_t)l->h.count;
    for (size_t k = 0; k < n; k++) {
      size_t s = (size_t)scalars[k];
      for (size_t e = l->scalars.start.data[s]; e < l->scalars.start.data[s + 1]; e++)
        dv_sparse_rows_add(&l->h, row, l->scalars.col.data[e], vectors[i * n + k] * l->scalars.value.data[e]);
    }
    dv_sparse_rows_add(&l->b, row, row, values[i]);
    l->h.count = (size_t)row + 1;   // also when every scalar is held
  }
}

static void keep_part(dvLiveStiffness *l, size_t index, const int32_t *scalars)
{
  dvLivePart *p = &l->parts.data[index];
  p->row = (int32_t)l->h.count;
  for (int32_t k = 0; k < p->scalars; k++) {
    size_t s = (size_t)scalars[k];
    for (size_t e = l->scalars.start.data[s]; e < l->scalars.start.data[s + 1]; e++)
      dv_sparse_rows_add(&l->h, p->row + k, l->scalars.col.data[e], l->scalars.value.data[e]);
  }
  l->h.count = (size_t)(p->row + p->scalars);
}

static void keep_blocks(dvLiveStiffness *l)
{
  for (size_t i = 0; i < l->blocks.count; i++) {
    const dvLiveBlock *b = &l->blocks.data[i];
    const dvLiveDof *r = &l->dofs.data[b->row], *c = &l->dofs.data[b->col];
    const dvLivePart *p = &l->parts.data[r->part];
    if (p->row < 0) continue;
    for (int k = 0; k < r->width; k++)
      for (int j = 0; j < c->width; j++)
        dv_sparse_rows_add(&l->b, p->row + l->place.data[r->first + k], p->row + l->place.data[c->first + j],
                           l->numbers.data[b->first + (size_t)(k * c->width + j)]);
  }
}

// scalars of all parts, those of a part one behind the other
static void list_scalars(dvLiveStiffness *l, int32_t *list)
{
  int32_t at = 0;
  for (size_t i = 0; i < l->parts.count; i++) l->parts.data[i].next = at, at += l->parts.data[i].scalars;
  for (size_t i = 0; i < l->dofs.count; i++)
    for (int k = 0; k < l->dofs.data[i].width; k++)
      list[l->parts.data[l->dofs.data[i].part].next++] = l->dofs.data[i].first + k;
}

static void form(dvLiveStiffness *l, size_t count)
{
  number_parts(l, count);
  fill_dense(l);
  dv_array_resize(&l->parent, count);   // no longer needed as a union
  list_scalars(l, l->parent.data);
  const int32_t *scalars = l->parent.data;
  for (size_t i = 0; i < l->parts.count; scalars += l->parts.data[i].scalars, i++) {
    const dvLivePart *p = &l->parts.data[i];
    bool small = p->scalars <= SMALL && is_symmetric(l->dense.data + p->first, (size_t)p->scalars);
    if (small) reduce_part(l, i, scalars);
    else keep_part(l, i, scalars);
  }
  keep_blocks(l);
  dv_sparse_rows_settle(&l->h, l->h.count);
  dv_sparse_rows_settle(&l->b, l->h.count);
}

static void clear(dvLiveStiffness *l)
{
  dv_sparse_rows_clear(&l->h);
  dv_sparse_rows_clear(&l->b);
  dv_address_map_clear(&l->table);
  l->dofs.count = l->blocks.count = l->numbers.count = l->parent.count = 0;
}

dvStatus dv_live_collect(dvLiveStiffness *l, const dvAssembly *a, dvObject *owner, dvPlan *plan, const dvMech *m)
{
  if (plan->forces.count == plan->fixed.forces && l->h.count == 0) return DV_OK;
  clear(l);
  l->stamp++;
  if (plan->forces.count == plan->fixed.forces || (m->k == 0 && m->b == 0)) return DV_OK;
  LiveSink s = {.base = {.add = live_sink_add}, .live = l, .plan = plan, .owner = owner};
  DV_TRY(feed(&s, plan, m));
  if (l->dofs.count == 0) return DV_OK;
  const dvLiveDof *last = &l->dofs.data[l->dofs.count - 1];
  size_t count = (size_t)(last->first + last->width);
  if (count > INT32_MAX / 2) return dv_error(owner, NULL, "too many contacts for a matrix");
  find_scalars(l, a, plan, count);
  form(l, count);
  return DV_OK;
}

void dv_live_add_product(dvLiveStiffness *l, const double *p, double *q)
{
  size_t n = l->h.count;
  if (n == 0) return;
  dv_array_resize(&l->product, 2 * n);
  dv_sparse_rows_product(&l->h, p, l->product.data);
  dv_sparse_rows_product(&l->b, l->product.data, l->product.data + n);
  dv_sparse_rows_add_transposed(&l->h, l->product.data + n, q);
}

void dv_live_free(dvLiveStiffness *l)
{
  dv_sparse_rows_free(&l->h);
  dv_sparse_rows_free(&l->b);
  dv_sparse_rows_free(&l->scalars);
  dv_address_map_free(&l->table);
  dv_array_free(&l->dofs);
  dv_array_free(&l->blocks);
  dv_array_free(&l->numbers);
  dv_array_free(&l->parent);
  dv_array_free(&l->parts);
  dv_array_free(&l->place);
  dv_array_free(&l->dense);
  dv_array_free(&l->product);
  dv_rows_free(&l->up);
}
