// See inverse.h.
#include "linear/inverse.h"

#include "math/dense.h"
#include "math/kernels.h"

#include <math.h>
#include <string.h>

enum {
  DENSE_ROWS = 1500,   // of H: 18 MB, and a second of one core to factorise
  ITERATIONS = 1000
};

typedef struct dvLiveSolve {
  unsigned stamp, solves;   // of what is live, and of the factor
  bool ready, dense;        // 1 + B W is factorised
  bool warned;
  DV_ARRAY(double) w, lu;
  DV_ARRAY(int32_t) exchange;
  DV_ARRAY(double) y, z;             // as long as H has rows
  DV_ARRAY(double) u, t, p, ap, r;   // as long as the system
  dvSparseRows both;                 // rows of a compliance and H
} dvLiveSolve;

void dv_live_solve_free(dvLiveSolve **live)
{
  dvLiveSolve *l = *live;
  if (!l) return;
  dv_array_free(&l->w);
  dv_array_free(&l->lu);
  dv_array_free(&l->exchange);
  dv_array_free(&l->y);
  dv_array_free(&l->z);
  dv_array_free(&l->u);
  dv_array_free(&l->t);
  dv_array_free(&l->p);
  dv_array_free(&l->ap);
  dv_array_free(&l->r);
  dv_sparse_rows_free(&l->both);
  dv_free(l);
  *live = NULL;
}

static const dvLinearSolverOps *ops_of(const dvObject *o) { return dv_ops(o, DV_ROLE_LINEAR_SOLVER); }

static dvAssembly *assembly_of(dvObject *o) { return dv_linear_system(dv_linear_solver(o)->system)->assembly; }

static dvLiveSolve *work_of(dvObject *o)
{
  dvLinearSolver *s = dv_linear_solver(o);
  if (!s->live) s->live = dv_alloc(sizeof *s->live);
  return s->live;
}

// --- compliance without what is live -----------------------------------------------------------------

dvStatus dv_linear_solver_compliance_by_rows(dvObject *o, const dvSparseRows *rows, double *w)
{
  dvLiveSolve *l = work_of(o);
  size_t n = rows->count, size = assembly_of(o)->size;
  dv_array_resize(&l->u, size);
  dv_array_resize(&l->t, size);
  dv_array_resize(&l->y, dv_max_size(l->y.count, n));
  for (size_t i = 0; i < n; i++) {
    memset(l->u.data, 0, size * sizeof *l->u.data);
    for (size_t e = rows->start.data[i]; e < rows->start.data[i + 1]; e++)
      l->u.data[rows->col.data[e]] += rows->value.data[e];
    ops_of(o)->apply(o, l->t.data, l->u.data);
    dv_sparse_rows_product(rows, l->t.data, l->y.data);
    for (size_t k = 0; k < n; k++) w[k * n + i] = l->y.data[k];
  }
  return DV_OK;
}

static dvStatus bare_compliance(dvObject *o, const dvSparseRows *rows, double *w)
{
  if (rows->count == 0) return DV_OK;
  return ops_of(o)->compliance ? ops_of(o)->compliance(o, rows, w) : dv_linear_solver_compliance_by_rows(o, rows, w);
}

// --- few rows: Woodbury ------------------------------------------------------------------------------

// lu = 1 + B W, W being `stride` numbers a row
static bool factorise(dvLiveSolve *l, const dvSparseRows *b, const double *w, size_t stride)
{
  size_t n = b->count, bad;
  dv_array_resize(&l->lu, n * n);
  dv_array_resize(&l->exchange, n);
  for (size_t i = 0; i < n; i++) {
    double *row = l->lu.data + i * n;
    memset(row, 0, n * sizeof *row);
    for (size_t e = b->start.data[i]; e < b->start.data[i + 1]; e++)
      dv_vector_kernels()->axpy(b->value.data[e], w + (size_t)b->col.data[e] * stride, row, n);
    row[i] += 1;
  }
  return dv_dense_lu(l->lu.data, l->exchange.data, n, 0, &bad);
}

// z = (1 + B W)^-1 B y
static void respond(const dvLiveSolve *l, const dvSparseRows *b, const double *y, double *z)
{
  dv_sparse_rows_product(b, y, z);
  dv_dense_lu_solve(l->lu.data, l->exchange.data, b->count, z);
}

// true in *dense when x can be corrected by the dense matrix
static dvStatus prepare(dvObject *o, dvLiveSolve *l, const dvLiveStiffness *live)
{
  unsigned solves = dv_linear_solver(o)->solves;
  if (l->ready && l->stamp == live->stamp && l->solves == solves) return DV_OK;
  size_t n = live->h.count;
  l->dense = n <= DENSE_ROWS;
  if (l->dense) {
    dv_array_resize(&l->w, n * n);
    DV_TRY(bare_compliance(o, &live->h, l->w.data));
    if (!factorise(l, &live->b, l->w.data, n)) return dv_linear_solver_singular(o, (size_t)live->h.col.data[0], NULL);
  }
  l->stamp = live->stamp;
  l->solves = solves;
  l->ready = true;
  return DV_OK;
}

static void correct(dvObject *o, dvLiveSolve *l, const dvLiveStiffness *live, double *x)
{
  size_t n = live->h.count, size = assembly_of(o)->size;
  dv_array_resize(&l->y, dv_max_size(l->y.count, n));
  dv_array_resize(&l->z, n);
  dv_array_resize(&l->u, size);
  dv_array_resize(&l->t, size);
  dv_sparse_rows_product(&live->h, x, l->y.data);
  respond(l, &live->b, l->y.data, l->z.data);
  memset(l->u.data, 0, size * sizeof *l->u.data);
  dv_sparse_rows_add_transposed(&live->h, l->z.data, l->u.data);
  ops_of(o)->apply(o, l->t.data, l->u.data);
  for (size_t i = 0; i < size; i++) x[i] -= l->t.data[i];
}

// --- many rows: conjugate gradients ------------------------------------------------------------------

// From x = A^-1 rhs on, in the norm of A. The factor need not be that of the matrix which is there: A p follows from
// the residuals, since p is made of A^-1 r.
static void iterate(dvObject *o, dvLiveSolve *l, dvLiveStiffness *live, double *x, const double *rhs)
{
  dvPool *pool = o->context->pool;
  size_t n = assembly_of(o)->size;
  dv_array_resize(&l->u, n);
  dv_array_resize(&l->t, n);
  dv_array_resize(&l->p, n);
  dv_array_resize(&l->ap, n);
  dv_array_resize(&l->r, n);
  double *q = l->u.data, *z = l->t.data, *p = l->p.data, *ap = l->ap.data, *r = l->r.data;
  memset(q, 0, n * sizeof *q);
  dv_live_add_product(live, x, q);
  for (size_t i = 0; i < n; i++) r[i] = -q[i];
  double energy = dv_dot(pool, x, rhs, n), rho = 0;
  for (int i = 0; i < ITERATIONS; i++) {
    ops_of(o)->apply(o, z, r);
    double before = rho;
    rho = dv_dot(pool, r, z, n);
    if (!(rho > 1e-28 * energy)) return;
    double beta = i ? rho / before : 0;
    for (size_t k = 0; k < n; k++) p[k] = z[k] + beta * p[k], ap[k] = r[k] + beta * ap[k];
    memcpy(q, ap, n * sizeof *q);
    dv_live_add_product(live, p, q);
    double bend = dv_dot(pool, p, q, n);
    if (!(bend > 0)) break;   // pushes apart more than the bodies hold
    dv_combine(pool, x, rho / bend, p, x, n);
    dv_combine(pool, r, -rho / bend, q, r, n);
  }
  if (!l->warned)
    dv_warning(o, "make contacts less stiff, or the time step shorter",
               "the %zu rows of contacts and other live forces are solved to %.1g of the motion only", live->h.count,
               sqrt(fabs(rho / energy)));
  l->warned = true;
}

// --- both --------------------------------------------------------------------------------------------

dvStatus dv_linear_solver_inverse(dvObject *o, double *x, const double *rhs)
{
  dvLiveStiffness *live = &assembly_of(o)->live;
  ops_of(o)->apply(o, x, rhs);
  if (live->h.count == 0 || dv_linear_solver(o)->has_live) return DV_OK;
  dvLiveSolve *l = work_of(o);
  DV_TRY(prepare(o, l, live));
  if (l->dense) correct(o, l, live, x);
  else iterate(o, l, live, x, rhs);
  return DV_OK;
}

static void append(dvSparseRows *to, const dvSparseRows *from)
{
  int32_t first = (int32_t)to->count;
  for (size_t e = 0; e < from->col.count; e++)
    dv_sparse_rows_add(to, first + from->row.data[e], from->col.data[e], from->value.data[e]);
  to->count = (size_t)first + from->count;
}

// R (...)^-1 R^T from the compliance of R and H together
static dvStatus joint_compliance(dvObject *o, dvLiveSolve *l, const dvLiveStiffness *live, const dvSparseRows *rows,
                                 double *w)
{
  size_t n = rows->count, m = live->h.count, all = n + m;
  dv_sparse_rows_clear(&l->both);
  append(&l->both, rows);
  append(&l->both, &live->h);
  dv_sparse_rows_settle(&l->both, all);
  dv_array_resize(&l->w, all * all);
  DV_TRY(bare_compliance(o, &l->both, l->w.data));
  l->ready = false;   // w is another one now
  if (!factorise(l, &live->b, l->w.data + n * all + n, all))
    return dv_linear_solver_singular(o, (size_t)live->h.col.data[0], NULL);
  dv_array_resize(&l->y, dv_max_size(l->y.count, m));
  dv_array_resize(&l->z, m);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < m; k++) l->y.data[k] = l->w.data[(n + k) * all + i];
    respond(l, &live->b, l->y.data, l->z.data);
    for (size_t k = 0; k < n; k++) {
      double sum = l->w.data[k * all + i];
      for (size_t j = 0; j < m; j++) sum -= l->w.data[k * all + n + j] * l->z.data[j];
      w[k * n + i] = sum;
    }
  }
  return DV_OK;
}

dvStatus dv_linear_solver_compliance(dvObject *o, const dvSparseRows *rows, double *w)
{
  dvLiveStiffness *live = &assembly_of(o)->live;
  size_t n = rows->count, size = assembly_of(o)->size;
  if (live->h.count == 0 || dv_linear_solver(o)->has_live) return bare_compliance(o, rows, w);
  dvLiveSolve *l = work_of(o);
  if (live->h.count <= DENSE_ROWS) return joint_compliance(o, l, live, rows, w);
  dvLinearSolver *s = dv_linear_solver(o);
  dv_array_resize(&s->x, size);
  dv_array_resize(&s->rhs, size);
  dv_array_resize(&l->y, dv_max_size(l->y.count, n));
  for (size_t i = 0; i < n; i++) {
    memset(s->rhs.data, 0, size * sizeof *s->rhs.data);
    for (size_t e = rows->start.data[i]; e < rows->start.data[i + 1]; e++)
      s->rhs.data[rows->col.data[e]] += rows->value.data[e];
    DV_TRY(dv_linear_solver_inverse(o, s->x.data, s->rhs.data));
    dv_sparse_rows_product(rows, s->x.data, l->y.data);
    for (size_t k = 0; k < n; k++) w[k * n + i] = l->y.data[k];
  }
  return DV_OK;
}
