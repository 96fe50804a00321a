// See ldl.h: the life of a factor. The analysis is in ldl_symbolic.c, the factorisation in ldl_factor.c, solving in
// ldl_solve.c.
#include "linear/direct/ldl.h"

#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_work.h"

#include <string.h>

void dv_ldl_free(dvLdl *f)
{
  dv_ldl_symbolic_release(f->symbolic);
  dv_ldl_work_free(f->work);
  dv_free(f->lower);
  dv_free(f->copy);
  dv_free(f->unit);
  dv_free(f->d);
  *f = (dvLdl){0};
}

// out of the memory of an earlier factor, which has no symbolic part any more
static bool allocate(dvLdl *f, dvLdl *before)
{
  const dvLdlSymbolic *s = f->symbolic;
  size_t n = s->n * (size_t)s->block;
  dvLdlRoom lower = {before->lower, before->room};
  dv_free(before->d);
  dv_ldl_room_fit(&lower, s->lower);
  f->lower = lower.data;
  f->room = lower.room;
  f->d = dv_alloc_aligned(2 * n * sizeof *f->d);
  f->inverse_d = f->d ? f->d + n : NULL;
  f->work = dv_ldl_work_create(s, before->work);
  if (f->lower && f->d && f->work) return true;
  dv_ldl_free(f);
  return false;
}

// `was`: the analysis of order->before, or NULL
static bool analyse(dvLdl *f, const dvPattern *a, int block, dvOrderChoice *order, dvLdlSymbolic *was)
{
  dvLdlBefore carried = {0};
  if (was) was->users++;
  if (dv_ldl_carries(f)) dv_ldl_carry(f, &carried);
  dvLdl before = *f;
  dv_ldl_symbolic_release(f->symbolic);
  dv_free(f->copy);
  dv_free(f->unit);
  before.symbolic = NULL;
  before.copy = NULL;
  before.unit = NULL;
  *f =
      (dvLdl){.symbolic = dv_ldl_symbolic_create(a, block, DV_KERNEL_CHOOSE_WIDE(dv_front_kernels)->lanes, order, was)};
  dv_ldl_symbolic_release(was);
  if (f->symbolic && allocate(f, &before)) {
    if (!carried.symbolic) return true;
    dv_ldl_before_free(&f->work->before);
    f->work->before = carried;
    return true;
  }
  if (!f->symbolic) dv_ldl_free(&before);
  dv_ldl_before_free(&carried);
  return false;
}

bool dv_ldl_analyse(dvLdl *f, const dvPattern *a, int block, dvOrder order)
{
  return analyse(f, a, block, &(dvOrderChoice){.method = order}, NULL);
}

bool dv_ldl_analyse_again(dvLdl *f, const dvPattern *a, int block, dvOrder order, dvOrderHistory *history)
{
  int32_t *room = dv_try_alloc((2 * a->rows + 1) * sizeof *room);
  bool *moved = dv_try_alloc((a->rows + 1) * sizeof *moved), good = room && moved;
  if (good) {
    dvOrderChoice choice = {.method = order, .used = room + a->rows};
    dv_order_history_propose(history, a, room, moved, &choice);
    bool known = choice.given && f->symbolic && f->symbolic->origin == dv_order_history_key(history);
    good = analyse(f, a, block, &choice, known ? f->symbolic : NULL);
    if (good) dv_order_history_note(history, a, &choice);
    if (good) f->symbolic->origin = dv_order_history_key(history);
  }
  dv_free(room);
  dv_free(moved);
  return good;
}

bool dv_ldl_analyse_like(dvLdl *f, const dvLdl *from)
{
  dv_ldl_free(f);
  f->symbolic = from->symbolic;
  f->symbolic->users++;
  return allocate(f, &(dvLdl){0});
}

// pivots and their inverses, columns of L, and the two counts
void dv_ldl_remember(const dvLdl *f, dvMemoryStream *s, const char *name)
{
  DV_ARRAY(double) all = {0};
  if (f) {
    size_t pivots = 2 * dv_ldl_rows(f), lower = dv_ldl_stored(f);
    dv_array_resize(&all, pivots + lower + 2);
    memcpy(all.data, f->d, pivots * sizeof *all.data);
    memcpy(all.data + pivots, f->lower, lower * sizeof *all.data);
    all.data[pivots + lower] = (double)f->negative;
    all.data[pivots + lower + 1] = (double)f->perturbed;
  }
  dv_remember_array(s, name, &all);
  dv_array_free(&all);
}

bool dv_ldl_assign(dvLdl *f, const double *numbers, size_t count)
{
  size_t pivots = 2 * dv_ldl_rows(f), lower = dv_ldl_stored(f), rows = dv_ldl_rows(f);
  if (!f->symbolic || count != pivots + lower + 2) return false;
  const double *counts = numbers + pivots + lower;
  if (!(counts[0] >= 0 && counts[0] <= (double)rows && counts[1] >= 0 && counts[1] <= (double)rows)) return false;
  memcpy(f->d, numbers, pivots * sizeof *f->d);
  memcpy(f->lower, numbers + pivots, lower * sizeof *f->lower);
  f->negative = (size_t)counts[0];
  f->perturbed = (size_t)counts[1];
  f->valid = true;
  return true;
}

size_t dv_ldl_count(const dvLdl *f) { return f->symbolic ? f->symbolic->count : 0; }
size_t dv_ldl_stored(const dvLdl *f) { return f->symbolic ? f->symbolic->lower : 0; }
double dv_ldl_flops(const dvLdl *f) { return f->symbolic ? f->symbolic->flops : 0; }
size_t dv_ldl_rows(const dvLdl *f) { return f->symbolic ? f->symbolic->n * (size_t)f->symbolic->block : 0; }
