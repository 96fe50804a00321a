// See fd.h: mappings.
#include "support/fd_record.h"
#include "support/fd_space.h"

#include "mechanics/rows.h"
#include "support/check.h"

#include <string.h>

typedef struct MappingCheck {
  dvObject *object;
  const dvMappingOps *ops;
  const fdOptions *options;
  fdSpace in, out;
  double *j;   // out x in, by apply_j
} MappingCheck;

static bool check_jacobian(MappingCheck *c)
{
  size_t rows = fd_space_size(&c->out), cols = fd_space_size(&c->in);
  double *fd = fd_matrix(rows, cols), h = c->options->step;
  for (size_t j = 0; j < cols; j++) {
    double *ends[2][FD_STATES];
    for (int side = 0; side < 2; side++) {
      fd_space_move_x(&c->in, j, side ? -h : h);
      c->ops->apply(c->object, DV_X, DV_X);
      for (int i = 0; i < c->out.count; i++) ends[side][i] = fd_keep(c->out.states[i], DV_X);
      fd_space_restore(&c->in);
    }
    for (int i = 0; i < c->out.count; i++) {
      const dvState *s = c->out.states[i];
      size_t n = s->count * (size_t)s->base.dof->deriv;
      double *d = fd_matrix(n, 1);
      dv_dof_difference(s->base.dof, s->count, d, ends[0][i], ends[1][i]);
      for (size_t k = 0; k < n; k++) fd[(c->out.offset[i] + k) * cols + j] = d[k] / (2 * h);
      dv_free(d);
      dv_free(ends[0][i]);
      dv_free(ends[1][i]);
    }
  }
  c->ops->apply(c->object, DV_X, DV_X);
  bool good = fd_compare(
      c->object, c->options,
      &(fdCompared){"J", "apply_j", "the difference of apply", c->j, fd, &c->out, &c->in, c->options->tolerance});
  dv_free(fd);
  return good;
}

static void jacobian_matrix(MappingCheck *c)
{
  size_t rows = fd_space_size(&c->out), cols = fd_space_size(&c->in);
  double *column = fd_matrix(rows, 1);
  for (size_t j = 0; j < cols; j++) {
    fd_space_set_unit(&c->in, DV_V, j);
    fd_space_fill(&c->out, DV_V, 7);   // it must overwrite
    c->ops->apply_j(c->object, DV_V, DV_V);
    fd_space_get(&c->out, DV_V, column);
    for (size_t i = 0; i < rows; i++) c->j[i * cols + j] = column[i];
  }
  fd_space_restore(&c->in);
  dv_free(column);
}

// the dot product identity for all pairs of unit vectors is J against the transpose of J^T, entry by entry
static bool check_transpose(MappingCheck *c)
{
  size_t rows = fd_space_size(&c->out), cols = fd_space_size(&c->in);
  double *t = fd_matrix(rows, cols);
  for (size_t i = 0; i < rows; i++) {
    fd_space_set_unit(&c->out, DV_F, i);
    fd_space_fill(&c->in, DV_F, 1);   // it must add
    c->ops->apply_jt(c->object, DV_F, DV_F);
    fd_space_get(&c->in, DV_F, t + i * cols);
    for (size_t j = 0; j < cols; j++) t[i * cols + j] -= 1;
  }
  bool good =
      fd_compare(c->object, c->options, &(fdCompared){"J^T", "apply_jt", "apply_j", t, c->j, &c->out, &c->in, 1e-10});
  dv_free(t);
  return good;
}

static bool check_build(MappingCheck *c)
{
  fdDenseSink sink = fd_dense_sink(&c->out, &c->in);
  c->ops->build_j(c->object, &sink.sink);
  bool good = fd_compare(c->object, c->options,
                         &(fdCompared){"built J", "build_j", "apply_j", sink.values, c->j, &c->out, &c->in, 1e-10}) &&
              !sink.bad;
  dv_free(sink.values);
  return good;
}

static void pull_forces(MappingCheck *c, const double *out_force, double *in_force)
{
  c->ops->apply(c->object, DV_X, DV_X);
  fd_space_set(&c->out, DV_F, out_force);
  fd_space_fill(&c->in, DV_F, 0);
  c->ops->apply_jt(c->object, DV_F, DV_F);
  fd_space_get(&c->in, DV_F, in_force);
}

// k d(J^T f)/dx for a fixed f
static bool check_geometric(MappingCheck *c, uint64_t *random)
{
  size_t rows = fd_space_size(&c->out), n = fd_space_size(&c->in);
  double *force = fd_matrix(rows, 1), *column = fd_matrix(n, 1), *minus = fd_matrix(n, 1), *k = fd_matrix(n, n),
         *fd = fd_matrix(n, n), h = c->options->step;
  fd_random_fill(random, force, rows);
  dvMech m = fd_mech_of(c->object);
  m.k = 0.7;
  for (size_t j = 0; j < n; j++) {
    fd_space_move_x(&c->in, j, h);
    pull_forces(c, force, column);
    fd_space_restore(&c->in);
    fd_space_move_x(&c->in, j, -h);
    pull_forces(c, force, minus);
    fd_space_restore(&c->in);
    for (size_t i = 0; i < n; i++) fd[i * n + j] = m.k * (column[i] - minus[i]) / (2 * h);
  }
  pull_forces(c, force, column);
  for (size_t j = 0; j < n; j++) {
    fd_space_set_unit(&c->in, DV_DX, j);
    fd_space_fill(&c->in, DV_DF, 1);
    c->ops->apply_djt(c->object, &m, DV_DF, DV_DX, DV_F);
    fd_space_get(&c->in, DV_DF, column);
    for (size_t i = 0; i < n; i++) k[i * n + j] = column[i] - 1;
  }
  fdCompared compared = {"geometric stiffness, k = 0.7", "apply_djt", "the difference of J^T f", k, fd, &c->in, &c->in,
                         c->options->tolerance};
  bool good = fd_compare(c->object, c->options, &compared);
  if (c->ops->add_geometric) {
    fdDenseSink sink = fd_dense_sink(&c->in, &c->in);
    c->ops->add_geometric(c->object, &m, DV_F, &sink.sink);
    good = fd_compare(c->object, c->options,
                      &(fdCompared){"assembled geometric stiffness", "add_geometric", "apply_djt", sink.values, k,
                                    &c->in, &c->in, 1e-10}) &&
           !sink.bad && good;
    dv_free(sink.values);
  }
  dv_free(force);
  dv_free(column);
  dv_free(minus);
  dv_free(k);
  dv_free(fd);
  return good;
}

// three rows with random numbers on every second degree of freedom of the outputs: H J, row by row
static bool check_rows(MappingCheck *c, uint64_t *random)
{
  enum { ROWS = 3 };
  size_t cols = fd_space_size(&c->in), rows = fd_space_size(&c->out);
  dvRowSet set = {0};
  double *wanted = fd_matrix(ROWS, cols), *got = fd_matrix(ROWS, cols);
  bool good = true;
  for (int k = 0; k < c->out.count; k++) {
    dvState *s = c->out.states[k];
    size_t w = (size_t)s->base.dof->deriv;
    for (size_t i = 0; i < s->count; i++)
      for (int32_t r = 0; r < ROWS; r++) {
        double h[DV_MAX_COORD];
        if ((i + (size_t)r) % 2 && s->count > 1) continue;
        fd_random_fill(random, h, w);
        dv_rows_add(&set, s, r, i, h, 1);
        for (size_t a = 0; a < w; a++)
          for (size_t j = 0; j < cols; j++)
            wanted[(size_t)r * cols + j] += h[a] * c->j[(c->out.offset[k] + i * w + a) * cols + j];
      }
  }
  dv_mapping_rows_up(c->object, &set);
  for (int k = 0; k < c->in.count; k++) {
    dvSparseRows *on = &dv_rows_on(&set, c->in.states[k])->rows;
    dv_sparse_rows_settle(on, ROWS);
    for (size_t e = 0; e < on->col.count; e++)
      got[(size_t)on->row.data[e] * cols + c->in.offset[k] + (size_t)on->col.data[e]] = on->value.data[e];
  }
  for (int r = 0; r < ROWS && rows; r++)
    good = fd_compare(c->object, c->options,
                      &(fdCompared){"rows of constraints", "dv_mapping_rows_up", "H J", got + (size_t)r * cols,
                                    wanted + (size_t)r * cols, &c->in, NULL, 1e-10}) &&
           good;
  dv_rows_free(&set);
  dv_free(wanted);
  dv_free(got);
  return good;
}

// J v at x + t v, for a fixed v
static void velocity_along(MappingCheck *c, const double *v, double t, double *out)
{
  for (int i = 0; i < c->in.count; i++) {
    dvState *s = c->in.states[i];
    dv_dof_integrate(s->base.dof, s->count, dv_state_write(s, DV_X), c->in.x[i], v + c->in.offset[i], t);
  }
  c->ops->apply(c->object, DV_X, DV_X);
  fd_space_set(&c->in, DV_V, v);
  c->ops->apply_j(c->object, DV_V, DV_V);
  fd_space_get(&c->out, DV_V, out);
  fd_space_restore(&c->in);
}

static bool check_acceleration(MappingCheck *c, uint64_t *random)
{
  size_t rows = fd_space_size(&c->out), cols = fd_space_size(&c->in);
  double *v = fd_matrix(cols, 1), *plus = fd_matrix(rows, 1), *minus = fd_matrix(rows, 1), *a = fd_matrix(rows, 1),
         h = c->options->step, speed = 1e-300;
  fd_random_fill(random, v, cols);
  velocity_along(c, v, h, plus);
  velocity_along(c, v, -h, minus);
  velocity_along(c, v, 0, a);
  for (size_t i = 0; i < rows; i++) plus[i] = (plus[i] - minus[i]) / (2 * h), speed = fmax(speed, fabs(a[i]));
  fd_space_set(&c->in, DV_V, v);
  fd_space_fill(&c->out, DV_DX, 1);   // it must add
  if (c->ops->add_jdot) c->ops->add_jdot(c->object, DV_DX, DV_V);
  fd_space_get(&c->out, DV_DX, a);
  for (size_t i = 0; i < rows; i++) a[i] -= 1;
  fd_space_restore(&c->in);
  // where it is zero, rounding in the velocities is what is left
  double largest = 1e-300;
  for (size_t i = 0; i < rows; i++) largest = fmax(largest, fmax(fabs(plus[i]), fabs(a[i])));
  bool good = largest <= 1e-9 * speed || fd_compare(c->object, c->options,
                                                    &(fdCompared){"dJ/dt v", "add_jdot", "the difference of J v", a,
                                                                  plus, &c->out, NULL, 10 * c->options->tolerance});
  dv_free(v);
  dv_free(plus);
  dv_free(minus);
  dv_free(a);
  return good;
}

bool fd_check_mapping(dvObject *mapping, const fdOptions *options)
{
  MappingCheck c = {.object = mapping, .ops = dv_ops(mapping, DV_ROLE_MAPPING), .options = options};
  dvObject *states[FD_STATES];
  uint64_t random = options->seed;
  bool good = true;
  DV_REQUIRE(c.ops);
  int n = 0;
  while (n < FD_STATES && (states[n] = dv_mapping_input(mapping, (size_t)n))) n++;
  fd_space_init(&c.in, states, n);
  for (n = 0; n < FD_STATES && (states[n] = dv_mapping_output(mapping, (size_t)n));) n++;
  fd_space_init(&c.out, states, n);
  for (int i = 0; i < options->samples; i++) {
    fd_space_shake(&c.in, options, &random);
    c.ops->apply(mapping, DV_X, DV_X);
    if (mapping->cls->end_step) mapping->cls->end_step(mapping);   // differences count from here
    c.j = fd_matrix(fd_space_size(&c.out), fd_space_size(&c.in));
    jacobian_matrix(&c);
    if (options->checks & FD_JACOBIAN) good = check_jacobian(&c) && good;
    if ((options->checks & FD_TRANSPOSE) && c.ops->apply_jt) good = check_transpose(&c) && good;
    if ((options->checks & FD_BUILD) && c.ops->build_j) good = check_build(&c) && good;
    if ((options->checks & FD_GEOMETRIC) && c.ops->apply_djt) good = check_geometric(&c, &random) && good;
    if ((options->checks & FD_ROWS) && (c.ops->row || c.ops->build_j)) good = check_rows(&c, &random) && good;
    if (options->checks & FD_ACCELERATION) good = check_acceleration(&c, &random) && good;
    dv_free(c.j);
  }
  fd_space_fini(&c.in);
  fd_space_fini(&c.out);
  c.ops->apply(mapping, DV_X, DV_X);
  if (good && options->samples > 0 && (options->checks & FD_JACOBIAN))
    fd_record(mapping, DV_ROLE_MAPPING, "derivative");
  return good;
}
