// See matrix.h.
#include "mass/matrix.h"

#include "mass/element.h"

#include <stdlib.h>
#include <string.h>

enum { GRAIN = 1024, PARALLEL_FROM = 4 * GRAIN };   // points

void dv_mass_matrix_free(dvMassMatrix *m)
{
  dv_diagonal_free(&m->diagonal);
  dv_ints_free(&m->row);
  dv_ints_free(&m->end);
  dv_ints_free(&m->column);
  dv_reals_free(&m->entry);
}

static bool is_point(int32_t index, size_t n) { return index >= 0 && (size_t)index < n; }

static int ascending(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// sorts every row and drops what is there twice
static void tidy_rows(dvMassMatrix *m, size_t n)
{
  int32_t *row = m->row.data, *column = m->column.data, kept = 0;
  for (size_t i = 0; i < n; i++) {
    int32_t begin = row[i], end = row[i + 1];
    qsort(column + begin, (size_t)(end - begin), sizeof *column, ascending);
    row[i] = kept;
    for (int32_t k = begin; k < end; k++)
      if (k == begin || column[k] != column[k - 1]) column[kept++] = column[k];
  }
  row[n] = kept;
  m->column.count = (size_t)kept;
}

bool dv_mass_matrix_shape(dvMassMatrix *m, const dvInts *elements)
{
  size_t n = m->diagonal.base.state->count, width = (size_t)elements->width, count = dv_ints_size(elements);
  m->row.width = m->column.width = m->entry.width = 1;
  m->row.count = m->column.count = m->entry.count = 0;
  if (n + count * width * width > INT32_MAX || !dv_ints_resize(&m->row, n + 1)) return false;
  int32_t *row = m->row.data;
  for (size_t i = 0; i < n; i++) row[i + 1] = 1;   // the point itself
  for (size_t i = 0; i < count * width; i++)
    if (is_point(elements->data[i], n)) row[elements->data[i] + 1] += (int32_t)width;
  for (size_t i = 0; i < n; i++) row[i + 1] += row[i];
  if (!dv_ints_resize(&m->column, (size_t)row[n])) return false;
  int32_t *column = m->column.data;
  // row[p] runs over its row, up to the start of the next one; then all are moved back by one
  for (size_t i = 0; i < n; i++) column[row[i]++] = (int32_t)i;
  for (size_t e = 0; e < count; e++) {
    const int32_t *points = elements->data + e * width;
    for (size_t i = 0; i < width; i++)
      for (size_t j = 0; j < width && is_point(points[i], n); j++)
        column[row[points[i]]++] = is_point(points[j], n) ? points[j] : points[i];
  }
  memmove(row + 1, row, n * sizeof *row);
  row[0] = 0;
  tidy_rows(m, n);
  m->end.width = 1;
  if (!dv_ints_resize(&m->end, n)) return false;
  for (size_t i = 0; i < n; i++) m->end.data[i] = row[i + 1];
  m->used = m->column.count;
  return dv_reals_resize(&m->entry, m->column.count);
}

// points that go have given their rows up already, new ones have none
bool dv_mass_matrix_resize(dvMassMatrix *m, size_t points)
{
  size_t before = m->end.count;
  for (size_t i = points; i < before; i++) m->used -= (size_t)(m->end.data[i] - m->row.data[i]);
  if (!dv_ints_resize(&m->row, points + 1) || !dv_ints_resize(&m->end, points)) return false;
  for (size_t i = before; i < points; i++) m->row.data[i] = m->end.data[i] = 0;
  return true;
}

bool dv_mass_matrix_renew(dvMassMatrix *m, int32_t point, const int32_t *columns, size_t count)
{
  size_t had = (size_t)(m->end.data[point] - m->row.data[point]), at = (size_t)m->row.data[point];
  m->used += count - had;
  if (count > had) {   // a longer one moves behind the others
    at = m->column.count;
    if (at + count > INT32_MAX || at > 2 * m->used + 1024) return false;
    if (!dv_ints_resize(&m->column, at + count) || !dv_reals_resize(&m->entry, at + count)) return false;
  }
  memcpy(dv_ints_edit(&m->column) + at, columns, count * sizeof *columns);
  memset(dv_reals_edit(&m->entry) + at, 0, count * sizeof *m->entry.data);
  m->row.data[point] = (int32_t)at;
  m->end.data[point] = (int32_t)(at + count);
  return true;
}

double *dv_mass_matrix_at(dvMassMatrix *m, int32_t row, int32_t column)
{
  if (!is_point(row, m->end.count)) return NULL;
  int32_t low = m->row.data[row], high = m->end.data[row];
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (m->column.data[middle] == column) return &m->entry.data[middle];
    if (m->column.data[middle] < column) low = middle + 1;
    else high = middle;
  }
  return NULL;
}

void dv_mass_matrix_add(dvMassMatrix *m, const int32_t *points, int corners, const double *entries)
{
  for (int i = 0; i < corners; i++)
    for (int j = 0; j < corners; j++) *dv_mass_matrix_at(m, points[i], points[j]) += entries[i * corners + j];
}

// --- while a mesh changes ------------------------------------------------------------------------

// the row of a point anew: itself and the corners of its elements
static bool renew_row(dvMassMatrix *m, const dvMassIntegral *of, int32_t point, dvNumbers *columns)
{
  dv_trace_beside(of->mesh, of->kind, &(dvNumbers){.data = &point, .count = 1}, columns);
  return dv_mass_matrix_renew(m, point, columns->data, columns->count);
}

static bool is_row(const dvNumbers *rows, int32_t point)
{
  return bsearch(&point, rows->data, rows->count, sizeof point, ascending) != NULL;
}

// the shares of an element in those of its points' rows that are made again
static void add_shares(dvMassMatrix *m, const dvMassIntegral *of, int32_t element, const dvNumbers *rows)
{
  double entries[DV_MASS_ENTRIES];
  int corners = dv_element_points(of->kind);
  const int32_t *points = dv_topology_list(of->mesh, of->kind)->data + (size_t)element * (size_t)corners;
  if (!of->entries(of->user, (size_t)element, entries)) return;
  for (int i = 0; i < corners; i++)
    for (int j = 0; j < corners && is_row(rows, points[i]); j++)
      *dv_mass_matrix_at(m, points[i], points[j]) += entries[i * corners + j];
}

static void sum_row(dvMassMatrix *m, int32_t i)
{
  double sum = 0;
  for (int32_t k = m->row.data[i]; k < m->end.data[i]; k++) sum += m->entry.data[k];
  m->diagonal.mass.data[i] = sum;
}

bool dv_mass_matrix_patch(dvMassMatrix *m, const dvMassIntegral *of, const dvNumbers *touched, dvNumbers *rows)
{
  size_t n = m->diagonal.base.state->count;
  dvNumbers scratch = {0};
  dv_trace_beside(of->mesh, of->kind, touched, rows);
  bool good = dv_mass_matrix_resize(m, n) && dv_reals_resize(&m->diagonal.mass, n);
  for (size_t i = 0; i < rows->count && good; i++) good = renew_row(m, of, rows->data[i], &scratch);
  if (good) {   // in the order of the elements, as when all of them are summed
    dv_trace_around(of->mesh, of->kind, rows, &scratch);
    for (size_t i = 0; i < scratch.count; i++) add_shares(m, of, scratch.data[i], rows);
    for (size_t i = 0; i < rows->count; i++) sum_row(m, rows->data[i]);
    m->diagonal.count = n;
  }
  dv_array_free(&scratch);
  return good;
}

bool dv_mass_matrix_sum(dvMassMatrix *m)
{
  size_t n = m->end.count;
  m->diagonal.count = n;
  m->diagonal.uniform = false;
  m->diagonal.mass.count = 0;
  if (!dv_reals_resize(&m->diagonal.mass, n)) return false;
  for (size_t i = 0; i < n; i++) sum_row(m, (int32_t)i);
  return true;
}

// --- slots ---------------------------------------------------------------------------------------

typedef struct Product {
  const dvMassMatrix *m;
  const double *in;
  double *out, factor;
} Product;

static inline void multiply_rows(const Product *p, size_t begin, size_t end, size_t width)
{
  const int32_t *row = p->m->row.data, *row_end = p->m->end.data, *column = p->m->column.data;
  const double *entry = p->m->entry.data;
  for (size_t i = begin; i < end; i++) {
    double sum[3] = {0};
    for (int32_t k = row[i]; k < row_end[i]; k++)
      for (size_t c = 0; c < width; c++) sum[c] += entry[k] * p->in[(size_t)column[k] * width + c];
    for (size_t c = 0; c < width; c++) p->out[i * width + c] += p->factor * sum[c];
  }
}

static void run_product(void *user, size_t begin, size_t end)
{
  const Product *p = user;
  switch (p->m->diagonal.base.state->base.dof->deriv) {   // constants let the compiler unroll
  case 1:
    multiply_rows(p, begin, end, 1);
    break;
  case 2:
    multiply_rows(p, begin, end, 2);
    break;
  default:
    multiply_rows(p, begin, end, 3);
    break;
  }
}

static void multiply(dvMassMatrix *m, const double *in, double *out, double factor)
{
  Product p = {m, in, out, factor};
  size_t n = m->diagonal.count;
  if (n < PARALLEL_FROM) run_product(&p, 0, n);
  else dv_parallel_for(m->diagonal.base.base.context->pool, n, GRAIN, run_product, &p);
}

static void mass_matrix_add_mdx(dvObject *o, const dvMech *mech, double factor)
{
  dvMassMatrix *m = (dvMassMatrix *)o;
  dvState *s = m->diagonal.base.state;
  dv_diagonal_refresh(&m->diagonal);
  multiply(m, dv_state_read(s, mech->dx), dv_state_write(s, mech->df), factor);
}

static void mass_matrix_add_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  dvMassMatrix *m = (dvMassMatrix *)o;
  dvState *s = m->diagonal.base.state;
  int n = s->base.dof->deriv;
  dv_diagonal_refresh(&m->diagonal);
  for (size_t i = 0; i < m->diagonal.count; i++)
    for (int32_t k = m->row.data[i]; k < m->end.data[i]; k++) {
      double block[9] = {0};
      for (int c = 0; c < n; c++) block[c * n + c] = factor * m->entry.data[k];
      sink->add(sink, s, i, s, (size_t)m->column.data[k], n, n, block);
    }
}

static double mass_matrix_kinetic(dvObject *o, int v)
{
  dvMassMatrix *m = (dvMassMatrix *)o;
  dvState *s = m->diagonal.base.state;
  dv_diagonal_refresh(&m->diagonal);
  const double *velocity = dv_state_read(s, v);
  size_t n = dv_state_scalars(s, v);
  double *momentum = dv_alloc(dv_max_size(n, 1) * sizeof *momentum), sum = 0;
  multiply(m, velocity, momentum, 1);
  for (size_t i = 0; i < n; i++) sum += velocity[i] * momentum[i];
  dv_free(momentum);
  return 0.5 * sum;
}

const dvMassOps dv_mass_matrix_ops = {
    .add_mdx = mass_matrix_add_mdx,
    .add_gravity = dv_diagonal_add_gravity,
    .add_gravity_to_v = dv_diagonal_add_gravity_to_v,
    .add_matrix = mass_matrix_add_matrix,
    .kinetic = mass_matrix_kinetic,
    .potential = dv_diagonal_potential,
    .of_element = dv_diagonal_of_element,
    .rayleigh_mass = dv_mass_rayleigh,
};
