// See fd_space.h.
#include "support/fd_space.h"

#include "support/check.h"

#include <float.h>
#include <string.h>

// --- random numbers: splitmix64 ------------------------------------------------------------------

double fd_random(uint64_t *state, double size)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return size * (2.0 * (double)(z >> 11) / 9007199254740992.0 - 1.0);
}

void fd_random_fill(uint64_t *state, double *v, size_t n)
{
  for (size_t i = 0; i < n; i++) v[i] = fd_random(state, 1);
}

// --- several states as one vector of derivatives -------------------------------------------------

double *fd_keep(dvState *s, int id)
{
  size_t n = dv_state_scalars(s, id);
  double *copy = dv_alloc((n + 1) * sizeof *copy);
  memcpy(copy, dv_state_read(s, id), n * sizeof *copy);
  return copy;
}

void fd_space_init(fdSpace *p, dvObject **states, int count)
{
  memset(p, 0, sizeof *p);
  p->count = count;
  for (int i = 0; i < count; i++) {
    p->states[i] = dv_state(states[i]);
    p->offset[i + 1] = p->offset[i] + dv_state_scalars(p->states[i], DV_V);
    p->x[i] = fd_keep(p->states[i], DV_X);
    p->v[i] = fd_keep(p->states[i], DV_V);
    p->start_x[i] = fd_keep(p->states[i], DV_X);
    p->start_v[i] = fd_keep(p->states[i], DV_V);
  }
}

size_t fd_space_size(const fdSpace *p) { return p->offset[p->count]; }

void fd_space_restore(fdSpace *p)
{
  for (int i = 0; i < p->count; i++) {
    dvState *s = p->states[i];
    memcpy(dv_state_write(s, DV_X), p->x[i], dv_state_scalars(s, DV_X) * sizeof(double));
    memcpy(dv_state_write(s, DV_V), p->v[i], dv_state_scalars(s, DV_V) * sizeof(double));
    dv_state_touch(s, DV_X);
    dv_state_touch(s, DV_V);
  }
}

// new kept positions and velocities: the first ones with random changes
void fd_space_shake(fdSpace *p, const fdOptions *o, uint64_t *random)
{
  for (int i = 0; i < p->count; i++) {
    dvState *s = p->states[i];
    size_t n = dv_state_scalars(s, DV_V);
    double *d = dv_alloc((n + 1) * sizeof *d);
    fd_random_fill(random, d, n);
    dv_dof_integrate(s->base.dof, s->count, p->x[i], p->start_x[i], d, o->move_x);
    for (size_t k = 0; k < n; k++) p->v[i][k] = p->start_v[i][k] + fd_random(random, o->move_v);
    dv_free(d);
  }
  fd_space_restore(p);
}

void fd_space_fini(fdSpace *p)
{
  for (int i = 0; i < p->count; i++) {
    memcpy(p->x[i], p->start_x[i], dv_state_scalars(p->states[i], DV_X) * sizeof(double));
    memcpy(p->v[i], p->start_v[i], dv_state_scalars(p->states[i], DV_V) * sizeof(double));
  }
  fd_space_restore(p);
  for (int i = 0; i < p->count; i++) {
    dv_free(p->x[i]);
    dv_free(p->v[i]);
    dv_free(p->start_x[i]);
    dv_free(p->start_v[i]);
  }
}

static int space_find(const fdSpace *p, size_t scalar)
{
  int i = 0;
  while (scalar >= p->offset[i + 1]) i++;
  return i;
}

void fd_space_fill(const fdSpace *p, int id, double value)
{
  for (int i = 0; i < p->count; i++) {
    double *d = dv_state_write(p->states[i], id);
    for (size_t k = 0; k < dv_state_scalars(p->states[i], id); k++) d[k] = value;
  }
}

void fd_space_get(const fdSpace *p, int id, double *out)
{
  for (int i = 0; i < p->count; i++)
    memcpy(out + p->offset[i], dv_state_read(p->states[i], id), dv_state_scalars(p->states[i], id) * sizeof(double));
}

void fd_space_set(const fdSpace *p, int id, const double *values)
{
  for (int i = 0; i < p->count; i++)
    memcpy(dv_state_write(p->states[i], id), values + p->offset[i],
           dv_state_scalars(p->states[i], id) * sizeof(double));
}

void fd_space_set_unit(const fdSpace *p, int id, size_t scalar)
{
  fd_space_fill(p, id, 0);
  int i = space_find(p, scalar);
  dv_state_write(p->states[i], id)[scalar - p->offset[i]] = 1;
}

// moves one position by h along one derivative
void fd_space_move_x(const fdSpace *p, size_t scalar, double h)
{
  int i = space_find(p, scalar);
  dvState *s = p->states[i];
  size_t w = (size_t)s->base.dof->deriv, c = (size_t)s->base.dof->coord, dof = (scalar - p->offset[i]) / w;
  double unit[DV_MAX_COORD] = {0};
  unit[(scalar - p->offset[i]) % w] = 1;
  dv_dof_integrate(s->base.dof, 1, dv_state_write(s, DV_X) + dof * c, p->x[i] + dof * c, unit, h);
  dv_state_touch(s, DV_X);
}

void fd_space_move_v(const fdSpace *p, size_t scalar, double h)
{
  int i = space_find(p, scalar);
  size_t k = scalar - p->offset[i];
  dv_state_write(p->states[i], DV_V)[k] = p->v[i][k] + h;
  dv_state_touch(p->states[i], DV_V);
}

// --- comparison ----------------------------------------------------------------------------------

double *fd_matrix(size_t rows, size_t cols) { return dv_alloc((rows * cols + 1) * sizeof(double)); }

static void name_scalar(const fdSpace *p, size_t scalar, char *out, size_t room)
{
  if (!p) {
    snprintf(out, room, "%zu", scalar);
    return;
  }
  int i = space_find(p, scalar);
  size_t w = (size_t)p->states[i]->base.dof->deriv, k = scalar - p->offset[i];
  snprintf(out, room, "%s[%zu].%zu", p->states[i]->base.name, k / w, k % w);
}

bool fd_compare(const dvObject *o, const fdOptions *options, const fdCompared *c)
{
  size_t rows = fd_space_size(c->rows), cols = c->cols ? fd_space_size(c->cols) : 1, worst = 0;
  double scale = DBL_MIN, error = -1;
  for (size_t i = 0; i < rows * cols; i++) {
    double e = fabs(c->a[i] - c->b[i]);
    scale = fmax(scale, fmax(fabs(c->a[i]), fabs(c->b[i])));
    if (e > error || !(e == e)) {
      error = e == e ? e : INFINITY;
      worst = i;
    }
  }
  if (error <= c->tolerance * scale) return true;
  if (options->quiet) return false;
  char row[96], col[96];
  name_scalar(c->rows, worst / cols, row, sizeof row);
  print_error("%s (%s), %s: at %s", o->name, o->cls->name, c->what, row);
  if (c->cols) {
    name_scalar(c->cols, worst % cols, col, sizeof col);
    print_error(", %s", col);
  }
  print_error(" %s gives %.12g and %s %.12g: they differ by %.3g, %.3g of the largest entry, allowed %.3g\n", c->a_name,
              c->a[worst], c->b_name, c->b[worst], error, error / scale, c->tolerance);
  return false;
}

// --- a dense sink --------------------------------------------------------------------------------

static bool place_block(const fdSpace *p, const dvState *state, size_t index, int width, size_t *first)
{
  for (int i = 0; i < p->count; i++) {
    if (p->states[i] != state) continue;
    *first = p->offset[i] + index * (size_t)state->base.dof->deriv;
    return index < state->count && width == state->base.dof->deriv;
  }
  return false;
}

static void dense_add(dvMatrixSink *sink, const dvState *row_state, size_t row, const dvState *col_state, size_t col,
                      int rows, int cols, const double *values)
{
  fdDenseSink *d = (fdDenseSink *)sink;
  size_t r, c, n = fd_space_size(d->cols);
  if (!place_block(d->rows, row_state, row, rows, &r) || !place_block(d->cols, col_state, col, cols, &c)) {
    if (!d->bad)
      print_error("a %d x %d block at %s[%zu], %s[%zu] does not fit the states\n", rows, cols, row_state->base.name,
                  row, col_state->base.name, col);
    d->bad = true;
    return;
  }
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) d->values[(r + (size_t)i) * n + c + (size_t)j] += values[i * cols + j];
}

fdDenseSink fd_dense_sink(const fdSpace *rows, const fdSpace *cols)
{
  return (fdDenseSink){.sink = {.add = dense_add},
                       .rows = rows,
                       .cols = cols,
                       .values = fd_matrix(fd_space_size(rows), fd_space_size(cols))};
}

dvMech fd_mech_of(const dvObject *o)
{
  dvMech m = {.x = DV_X,
              .v = DV_V,
              .f = DV_F,
              .dx = DV_DX,
              .df = DV_DF,
              .k = 1,
              .dt = o->node->dt,
              .time = o->node->time,
              .implicit = true};
  memcpy(m.gravity, o->node->gravity, sizeof m.gravity);
  return m;
}

bool fd_check_symmetry(const dvObject *o, const fdSpace *p, const fdOptions *options, const double *k, const char *what)
{
  size_t n = fd_space_size(p);
  double *t = fd_matrix(n, n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) t[i * n + j] = k[j * n + i];
  bool good = fd_compare(o, options, &(fdCompared){what, "the matrix", "its transpose", k, t, p, p, 1e-10});
  dv_free(t);
  return good;
}
