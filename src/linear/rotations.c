// See rotations.h.
#include "linear/rotations.h"

#include "math/decompose.h"

#include <string.h>

void dv_rotations_free(dvRotations *r)
{
  dv_array_free(&r->now);
  dv_array_free(&r->then);
  dv_array_free(&r->between);
}

static void set_identity(double *m, size_t blocks)
{
  if (blocks) memset(m, 0, blocks * 9 * sizeof *m);
  for (size_t i = 0; i < blocks; i++) m[9 * i] = m[9 * i + 4] = m[9 * i + 8] = 1;
}

// blocks of the matrix may be 1 or 3 wide; a point of the state covers `per` of them
static void measure_point(const dvAssembly *a, const dvAssemblyState *s, size_t i, const double *x, const double *rest, dvMat3 *sum)
{
  size_t b = (size_t)a->matrix.block, per = 3 / b, row = s->offset / b + i * per;
  for (int32_t e = a->matrix.pattern.row_start[row]; e < a->matrix.pattern.row_start[row + 1]; e += (int32_t)per) {
    size_t scalar = (size_t)a->matrix.pattern.col[e] * b;
    if (scalar < s->offset || scalar >= s->offset + 3 * s->count) continue;   // another state
    size_t j = (scalar - s->offset) / 3;
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) sum->m[r][c] += (x[3 * j + (size_t)r] - x[3 * i + (size_t)r]) * (rest[3 * j + (size_t)c] - rest[3 * i + (size_t)c]);
  }
}

static void measure_state(const dvAssembly *a, const dvAssemblyState *s, double *out)
{
  const double *rest = dv_state_read(s->state, DV_X_REST), *x = dv_state_read(s->state, DV_X);
  for (size_t i = 0; i < s->count; i++) {
    dvMat3 f = {{{0}}}, q;
    measure_point(a, s, i, x, rest, &f);
    double size = 0;
    for (int k = 0; k < 9; k++) size = fmax(size, fabs(f.m[k / 3][k % 3]));
    if (size == 0) continue;
    f = dv_mat3_scale(f, 1 / size);
    if (dv_mat3_det(f) > 1e-2) dv_polar(&f, &q, NULL);   // the common case, three times faster
    else if (dv_polar_stable(&f, &q, NULL)) continue;    // flat or inverted: the neighbours do not tell
    for (int k = 0; k < 9; k++) out[9 * i + (size_t)k] = q.m[k / 3][k % 3];
  }
}

static void measure(const dvAssembly *a, double *out, size_t blocks)
{
  set_identity(out, blocks);
  for (size_t k = 0; k < a->main_count; k++) {
    const dvAssemblyState *s = &a->states.data[k];
    if (s->state->base.dof->kind == DV_VEC3 && s->offset % 3 == 0 && a->matrix.block != 6) measure_state(a, s, out + s->offset / 3 * 9);
  }
}

static size_t resize(dvRotations *r, const dvAssembly *a)
{
  size_t blocks = a->size / 3;
  dv_array_resize(&r->now, blocks * 9);
  dv_array_resize(&r->then, blocks * 9);
  dv_array_resize(&r->between, blocks * 9);
  return blocks;
}

void dv_rotations_measure(dvRotations *r, const dvAssembly *a)
{
  size_t blocks = resize(r, a);
  measure(a, r->now.data, blocks);
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

void dv_rotations_start(dvRotations *r, const dvAssembly *a)
{
  dv_rotations_measure(r, a);
  memcpy(r->then.data, r->now.data, r->now.count * sizeof *r->now.data);
  dv_rotations_compare(r, NULL);
}

void dv_rotations_update(dvRotations *r, const dvAssembly *a)
{
  dv_rotations_measure(r, a);
  dv_rotations_compare(r, r->then.data);
}

void dv_rotations_turn(const dvRotations *r, const double *x, double *y, bool transposed)
{
  size_t step = transposed ? 3 : 1, across = transposed ? 1 : 3;
  for (size_t i = 0; i < r->between.count / 9; i++) {
    const double *m = r->between.data + 9 * i;
    double v[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    for (size_t k = 0; k < 3; k++) y[3 * i + k] = m[k * across] * v[0] + m[k * across + step] * v[1] + m[k * across + 2 * step] * v[2];
  }
}
