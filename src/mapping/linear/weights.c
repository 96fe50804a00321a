// See weights.h.
#include "mapping/linear/weights.h"

#include "math/kernels.h"

enum { GRAIN = 4096 };   // points a chunk

void dv_weights_clear(dvWeights *w)
{
  dv_loose_clear(&w->rows);
  dv_loose_clear(&w->transposed);
  w->out_points = w->in_points = 0;
  w->identity = false;
}

void dv_weights_free(dvWeights *w)
{
  dv_loose_free(&w->rows);
  dv_loose_free(&w->transposed);
  *w = (dvWeights){0};
}

void dv_weights_add(dvWeights *w, int32_t input, double weight)
{
  if (weight == 0) return;
  if (w->rows.offset.count == 0) dv_push(&w->rows.offset, 0);
  dv_push(&w->rows.index, input);
  dv_push(&w->rows.value, weight);
}

void dv_weights_end_row(dvWeights *w)
{
  if (w->rows.offset.count == 0) dv_push(&w->rows.offset, 0);
  dv_push(&w->rows.offset, (int32_t)w->rows.index.count);
  w->out_points++;
}

static bool is_identity(const dvWeights *w)
{
  if (w->out_points != w->in_points || w->rows.index.count != w->out_points) return false;
  for (size_t i = 0; i < w->out_points; i++)
    if (w->rows.index.data[i] != (int32_t)i || w->rows.value.data[i] != 1 || w->rows.offset.data[i] != (int32_t)i)
      return false;
  return true;
}

bool dv_weights_finish(dvWeights *w, size_t in_points)
{
  const dvRows *r = &w->rows;
  dvRows *t = &w->transposed;
  size_t entries = r->index.count;
  if (r->offset.count == 0) dv_push(&w->rows.offset, 0);
  w->in_points = in_points;
  t->offset.count = t->index.count = t->value.count = 0;
  if (entries > INT32_MAX || in_points > INT32_MAX) return false;
  for (size_t e = 0; e < entries; e++) DV_REQUIRE(r->index.data[e] >= 0 && (size_t)r->index.data[e] < in_points);
  w->identity = is_identity(w);
  if (w->one_way) return true;
  if (!dv_try_reserve(&t->offset, in_points + 2) || !dv_try_reserve(&t->index, entries) ||
      !dv_try_reserve(&t->value, entries))
    return false;
  dv_array_resize(&t->offset, in_points + 2);
  memset(t->offset.data, 0, (in_points + 2) * sizeof *t->offset.data);
  dv_array_resize(&t->index, entries);
  dv_array_resize(&t->value, entries);
  // counts go two places up, starts one place up: filling moves them to where they belong
  for (size_t e = 0; e < entries; e++) t->offset.data[r->index.data[e] + 2]++;
  for (size_t i = 2; i < in_points + 2; i++) t->offset.data[i] += t->offset.data[i - 1];
  for (size_t i = 0; i < w->out_points; i++) {
    for (int32_t e = r->offset.data[i]; e < r->offset.data[i + 1]; e++) {
      int32_t at = t->offset.data[r->index.data[e] + 1]++;
      t->index.data[at] = (int32_t)i;
      t->value.data[at] = r->value.data[e];
    }
  }
  t->offset.count = in_points + 1;
  return true;
}

static void resize_identity(dvRows *r, size_t points)
{
  size_t before = r->index.count;
  dv_array_resize(&r->index, points);
  dv_array_resize(&r->value, points);
  dv_array_resize(&r->offset, points + 1);
  for (size_t i = before; i < points; i++) {
    r->index.data[i] = (int32_t)i;
    r->value.data[i] = 1;
    r->offset.data[i + 1] = (int32_t)i + 1;
  }
}

bool dv_weights_resize_identity(dvWeights *w, size_t points)
{
  if (!w->identity || points > INT32_MAX) return false;
  resize_identity(&w->rows, points);
  if (!w->one_way) resize_identity(&w->transposed, points);
  w->out_points = w->in_points = points;
  return true;
}

// --- products ------------------------------------------------------------------------------------

typedef struct Product {
  const dvWeightsKernels *kernels;
  dvRowView rows;
  int from_stride, to_stride, width;
  bool add;
  const double *from;
  double *to;
} Product;

static void any_rows(const Product *p, size_t begin, size_t end)
{
  size_t from_stride = (size_t)p->from_stride, width = (size_t)p->width;
  for (size_t i = begin; i < end; i++) {
    double *to = p->to + i * (size_t)p->to_stride;
    for (size_t k = 0; k < width; k++) {
      double sum = p->add ? to[k] : 0;
      for (int32_t e = p->rows.begin[i]; e < p->rows.end[i]; e++)
        sum += p->rows.value[e] * p->from[(size_t)p->rows.index[e] * from_stride + k];
      to[k] = sum;
    }
  }
}

static void product_body(void *user, size_t begin, size_t end)
{
  const Product *p = user;
  bool three = p->width == 3 && p->from_stride == 3 && p->to_stride == 3;
  if (!three) any_rows(p, begin, end);
  else if (p->add) p->kernels->gather_add(p->rows, begin, end, p->from, p->to);
  else p->kernels->gather(p->rows, begin, end, p->from, p->to);
}

static void multiply(const dvRows *r, size_t points, dvPool *pool, Product p)
{
  p.kernels = DV_KERNEL_CHOOSE(dv_weights_kernels);
  p.rows = dv_rows_view(r);
  dv_parallel_for(pool, points, GRAIN, product_body, &p);
}

static bool is_whole(dvStrides s) { return s.in == s.width && s.out == s.width; }

void dv_weights_apply(const dvWeights *w, dvPool *pool, dvStrides s, const double *in, double *out)
{
  if (w->identity && is_whole(s)) {
    dv_copy(pool, in, out, w->out_points * (size_t)s.width);
    return;
  }
  multiply(&w->rows, w->out_points, pool,
           (Product){.from_stride = s.in, .to_stride = s.out, .width = s.width, .from = in, .to = out});
}

void dv_weights_apply_add(const dvWeights *w, dvPool *pool, dvStrides s, const double *in, double *out)
{
  multiply(&w->rows, w->out_points, pool,
           (Product){.from_stride = s.in, .to_stride = s.out, .width = s.width, .add = true, .from = in, .to = out});
}

void dv_weights_apply_transposed(const dvWeights *w, dvPool *pool, dvStrides s, const double *out, double *in)
{
  if (w->identity && is_whole(s)) {
    dv_axpy(pool, 1, out, in, w->in_points * (size_t)s.width);
    return;
  }
  multiply(&w->transposed, w->in_points, pool,
           (Product){.from_stride = s.out, .to_stride = s.in, .width = s.width, .add = true, .from = out, .to = in});
}
