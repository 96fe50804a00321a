// See rotations.h.
#include "linear/iterative/rotations.h"

#include "math/decompose.h"

#include <string.h>

enum { POINTS = 256, POINT_NS = 100 };   // of a piece of work; time of one

void dv_rotations_free(dvRotations *r)
{
  dv_array_free(&r->now);
  dv_array_free(&r->then);
  dv_array_free(&r->between);
  dv_array_free(&r->start);
  dv_array_free(&r->neighbour);
  dv_array_free(&r->weight);
  dv_array_free(&r->kept);
  dv_array_free(&r->open);
}

void dv_rotations_remember(dvRotations *r, dvMemoryStream *s)
{
  bool listed = r->listed_once;
  dv_remember_array(s, "rotations then", &r->then);
  dv_remember_array(s, "rotations since", &r->between);
  if (!dv_memory_restores(s)) {
    if (listed) dv_remember_array(s, "weights of neighbours", &r->weight);
    else dv_remember_array(s, "weights of neighbours", &r->kept);
    return;
  }
  dv_remember_array(s, "weights of neighbours", &r->kept);
  r->listed_once = false;
}

static void set_identity(double *m, size_t blocks)
{
  if (blocks) memset(m, 0, blocks * 9 * sizeof *m);
  for (size_t i = 0; i < blocks; i++) m[9 * i] = m[9 * i + 4] = m[9 * i + 8] = 1;
}

static bool can_turn(const dvAssembly *a, const dvAssemblyState *s)
{
  return s->state->base.dof->kind == DV_VEC3 && s->offset % 3 == 0 && a->matrix.block != 6;
}

// --- neighbours ----------------------------------------------------------------------------------

// what the matrix has between two points; blocks may be 1 or 3 wide, all block rows of a point are equally long
static double coupling(const dvAssembly *a, size_t row, int32_t e)
{
  size_t b = (size_t)a->matrix.block, per = 3 / b;
  int32_t length = a->matrix.pattern.row_start[row + 1] - a->matrix.pattern.row_start[row];
  double sum = 0;
  for (size_t i = 0; i < per; i++) {
    const double *v = dv_block_matrix_at(&a->matrix, e + (int32_t)i * length);
    for (size_t k = 0; k < per * b * b; k++) sum += fabs(v[k]);
  }
  return sum;
}

// Columns that constraints have cleared count a little, so that the points beside them still have neighbours on all
// sides.
static void list_point(dvRotations *r, const dvAssembly *a, const dvAssemblyState *s, size_t i)
{
  size_t b = (size_t)a->matrix.block, per = 3 / b, row = s->offset / b + i * per, first = r->neighbour.count;
  double own = 0;
  for (int32_t e = a->matrix.pattern.row_start[row]; e < a->matrix.pattern.row_start[row + 1]; e += (int32_t)per) {
    size_t scalar = (size_t)a->matrix.pattern.col[e] * b;
    if (scalar < s->offset || scalar >= s->offset + 3 * s->count) continue;   // another state
    int32_t j = (int32_t)((scalar - s->offset) / 3);
    double weight = coupling(a, row, e);
    if (j == (int32_t)i) {
      own = weight;
      continue;
    }
    dv_push(&r->neighbour, j);
    dv_push(&r->weight, weight);
  }
  for (size_t k = first; k < r->weight.count; k++) r->weight.data[k] += 1e-6 * own;
}

static void list_neighbours(dvRotations *r, const dvAssembly *a)
{
  if (r->listed_once && r->listed == a->pattern_stamp) return;
  r->start.count = r->neighbour.count = r->weight.count = 0;
  for (size_t k = 0; k < a->main_count; k++) {
    const dvAssemblyState *s = &a->states.data[k];
    if (!can_turn(a, s)) continue;
    while (r->start.count < s->offset / 3) dv_push(&r->start, (int32_t)r->neighbour.count);
    for (size_t i = 0; i < s->count; i++) {
      dv_push(&r->start, (int32_t)r->neighbour.count);
      list_point(r, a, s, i);
    }
  }
  while (r->start.count < a->size / 3 + 1) dv_push(&r->start, (int32_t)r->neighbour.count);
  if (r->kept.count && r->kept.count == r->weight.count)
    memcpy(r->weight.data, r->kept.data, r->kept.count * sizeof *r->kept.data);
  r->kept.count = 0;
  r->listed = a->pattern_stamp;
  r->listed_once = true;
}

// --- rotations -----------------------------------------------------------------------------------

static void measure_points(void *user, size_t begin, size_t end)
{
  const dvTurning *t = user;
  DV_KERNEL_CHOOSE(dv_rotation_kernels)->measure(t, begin, end);
  for (size_t i = begin; i < end; i++) {
    dvMat3 q;
    if (!t->open[i]) continue;
    if (dv_polar_stable((const dvMat3 *)(t->out + 9 * i), &q, NULL))
      set_identity(t->out + 9 * i, 1);   // the neighbours do not tell
    else memcpy(t->out + 9 * i, &q, sizeof q);
  }
}

void dv_rotations_measure(dvRotations *r, const dvAssembly *a, dvPool *pool)
{
  size_t blocks = a->size / 3;
  dv_array_resize(&r->now, blocks * 9);
  dv_array_resize(&r->then, blocks * 9);
  dv_array_resize(&r->between, blocks * 9);
  dv_array_resize(&r->open, blocks);
  list_neighbours(r, a);
  if (a->main_count != 1 || a->states.data[0].count != blocks) set_identity(r->now.data, blocks);
  for (size_t k = 0; k < a->main_count; k++) {
    const dvAssemblyState *s = &a->states.data[k];
    if (!can_turn(a, s) || s->count == 0) continue;
    size_t at = s->offset / 3;
    dvTurning t = {.start = r->start.data + at,
                   .neighbour = r->neighbour.data,
                   .weight = r->weight.data,
                   .x = dv_state_read(s->state, DV_X),
                   .rest = dv_state_read(s->state, DV_X_REST),
                   .out = r->now.data + 9 * at,
                   .open = r->open.data + at};
    dv_parallel_for(dv_pool_for(pool, POINT_NS * (double)s->count), s->count, POINTS, measure_points, &t);
  }
}

void dv_rotations_compare(dvRotations *r, const double *then)
{
  size_t blocks = r->now.count / 9;
  if (!then) set_identity(r->between.data, blocks);
  for (size_t i = 0; then && i < blocks; i++)
    for (size_t k = 0; k < 9; k++) {
      double sum = 0;
      for (size_t m = 0; m < 3; m++) sum += r->now.data[9 * i + k / 3 * 3 + m] * then[9 * i + k % 3 * 3 + m];
      r->between.data[9 * i + k] = sum;
    }
}

void dv_rotations_start(dvRotations *r, const dvAssembly *a, dvPool *pool)
{
  dv_rotations_measure(r, a, pool);
  memcpy(r->then.data, r->now.data, r->now.count * sizeof *r->now.data);
  dv_rotations_compare(r, NULL);
}

void dv_rotations_update(dvRotations *r, const dvAssembly *a, dvPool *pool)
{
  dv_rotations_measure(r, a, pool);
  dv_rotations_compare(r, r->then.data);
}

void dv_rotations_turn(const dvRotations *r, const double *x, double *y, bool transposed)
{
  size_t step = transposed ? 3 : 1, across = transposed ? 1 : 3;
  for (size_t i = 0; i < r->between.count / 9; i++) {
    const double *m = r->between.data + 9 * i;
    double v[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    for (size_t k = 0; k < 3; k++)
      y[3 * i + k] = m[k * across] * v[0] + m[k * across + step] * v[1] + m[k * across + 2 * step] * v[2];
  }
}
