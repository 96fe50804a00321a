// See qp.h. With the scaled matrix G + rho = L L^T, J = L^-T Q and R from N = the normals of the active rows, as in the
// paper: J^T N = (R, 0). A row enters by one column of R (Givens' rotations from below), and leaves by removing a
// column and making R triangular again.
#include "math/qp.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_PROXIMAL = 60, REPEATS = 2 };
static const double SMALL = 1e-11;   // of a scaled row: it holds
static const double TINY = 1e-9;     // part of a normal that is new, beside the active ones

void dv_qp_resize(dvQp *q, size_t variables, size_t rows)
{
  if (q->variables != variables || q->rows != rows) q->side.count = 0;
  q->variables = variables;
  q->rows = rows;
  q->g2.count = q->g.count = q->c.count = q->low.count = q->high.count = 0;
  dv_array_resize(&q->g2, variables * variables);
  dv_array_resize(&q->g, variables);
  dv_array_resize(&q->c, rows * variables);
  dv_array_resize(&q->low, rows);
  dv_array_resize(&q->high, rows);
  dv_array_resize(&q->x, variables);
  dv_array_resize(&q->y, rows);
  dv_array_resize(&q->side, rows);
  for (size_t i = 0; i < rows; i++) {
    q->low.data[i] = -INFINITY;
    q->high.data[i] = INFINITY;
  }
}

// The problem scaled, and the factors. Active rows: number and side, -1 at low, 1 at high.
typedef struct Work {
  size_t n, m, count;       // variables, rows, active rows
  double *scale, *length;   // x = scale z; of the scaled rows
  double *c, *low, *high;   // scaled
  double *l, *g;            // factor of G + rho; g of the present proximal point
  double *j, *r;            // n x n each
  double *x, *u;            // point, multipliers of the active rows
  double *d, *z, *step;     // J^T n, direction, R^-1 d
  double *kkt;              // system of the active rows, its answer, what is left of its right-hand side
  int32_t *active, *exchange;
  signed char *side;   // of the active rows
  signed char *wanted;
  int changes, most;
} Work;

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// --- changing the active set -------------------------------------------------------------------------

static void rotate(double *j, size_t n, size_t a, size_t b, double cosine, double sine)
{
  for (size_t i = 0; i < n; i++) {
    double p = j[i * n + a], q = j[i * n + b];
    j[i * n + a] = cosine * p + sine * q;
    j[i * n + b] = cosine * q - sine * p;
  }
}

// the row whose J^T n is d becomes the last active one
static void enter(Work *w, int32_t row, signed char side, double multiplier)
{
  size_t n = w->n, at = w->count;
  for (size_t i = n - 1; i > at; i--) {
    double a = w->d[i - 1], b = w->d[i], size = hypot(a, b);
    if (b == 0 || size == 0) continue;
    rotate(w->j, n, i - 1, i, a / size, b / size);
    w->d[i - 1] = size;
    w->d[i] = 0;
  }
  for (size_t i = 0; i <= at; i++) w->r[i * n + at] = w->d[i];
  w->active[at] = row;
  w->side[at] = side;
  w->u[at] = multiplier;
  w->count++;
  w->changes++;
}

static void leave(Work *w, size_t at)
{
  size_t n = w->n;
  for (size_t k = at; k + 1 < w->count; k++) {
    for (size_t i = 0; i < w->count; i++) w->r[i * n + k] = w->r[i * n + k + 1];
    w->active[k] = w->active[k + 1];
    w->side[k] = w->side[k + 1];
    w->u[k] = w->u[k + 1];
  }
  w->count--;
  for (size_t k = at; k < w->count; k++) {
    double a = w->r[k * n + k], b = w->r[(k + 1) * n + k], size = hypot(a, b);
    if (b == 0 || size == 0) continue;
    double cosine = a / size, sine = b / size;
    for (size_t i = k; i < w->count; i++) {
      double p = w->r[k * n + i], q = w->r[(k + 1) * n + i];
      w->r[k * n + i] = cosine * p + sine * q;
      w->r[(k + 1) * n + i] = cosine * q - sine * p;
    }
    rotate(w->j, n, k, k + 1, cosine, sine);
  }
  w->changes++;
}

// d = J^T normal, z = J2 d2 the way to go, step = R^-1 d1 how multipliers follow; |d2|^2 = z . normal
static double directions(Work *w, const double *normal, double sign)
{
  size_t n = w->n;
  memset(w->d, 0, n * sizeof *w->d);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) w->d[k] += sign * normal[i] * w->j[i * n + k];
  for (size_t i = 0; i < n; i++) w->z[i] = dot(w->j + i * n + w->count, w->d + w->count, n - w->count);
  for (size_t k = w->count; k-- > 0;)
    w->step[k] = (w->d[k] - dot(w->r + k * n + k + 1, w->step + k + 1, w->count - k - 1)) / w->r[k * n + k];
  return dot(w->d + w->count, w->d + w->count, n - w->count);
}

// --- one strictly convex problem ---------------------------------------------------------------------

static bool is_equality(const Work *w, int32_t row) { return w->low[row] == w->high[row]; }
static bool is_active(const Work *w, int32_t row)
{
  for (size_t k = 0; k < w->count; k++)
    if (w->active[k] == row) return true;
  return false;
}

// how far a row is left, in units of what its end and the rounding of its terms are: below low (side -1) or above high
// (side 1)
static double left(const Work *w, size_t row, signed char *side)
{
  const double *c = w->c + row * w->n;
  double value = 0, terms = 0;
  for (size_t i = 0; i < w->n; i++) {
    double term = c[i] * w->x[i];
    value += term;
    terms = fmax(terms, fabs(term));
  }
  double below = w->low[row] - value, above = value - w->high[row];
  *side = below >= above ? -1 : 1;
  return fmax(below, above) / fmax(fmax(1, 1e-3 * terms), fabs(*side < 0 ? w->low[row] : w->high[row]));
}

// equalities first, then rows that the last answer had, then the worst
static int32_t next_row(const Work *w, signed char *side)
{
  int32_t best = -1;
  double worst = SMALL;
  int rank = 0;
  for (size_t i = 0; i < w->m; i++) {
    signed char own;
    double amount = left(w, i, &own);
    if (!(amount > SMALL) || w->wanted[i] == REPEATS || is_active(w, (int32_t)i)) continue;
    int own_rank = is_equality(w, (int32_t)i) ? 2 : w->wanted[i] == own ? 1 : 0;
    if (best >= 0 && (own_rank < rank || (own_rank == rank && !(amount > worst)))) continue;
    best = (int32_t)i, worst = amount, rank = own_rank, *side = own;
  }
  return best;
}

// the first active inequality whose multiplier reaches 0 along the way
static double first_to_leave(const Work *w, size_t *at)
{
  double least = INFINITY, largest = 0;
  for (size_t k = 0; k < w->count; k++) largest = fmax(largest, fabs(w->step[k]));
  for (size_t k = 0; k < w->count; k++) {
    if (is_equality(w, w->active[k]) || !(w->step[k] > 1e-12 * largest)) continue;
    double t = w->u[k] / w->step[k];
    if (t < least) least = t, *at = k;
  }
  return least;
}

// what proves that rows contradict each other: normal = sum of step_k active normals, with step_k <= 0 for inequalities
static void prove(const Work *w, dvQp *q, int32_t row, signed char side)
{
  if (w->m) memset(q->y.data, 0, w->m * sizeof *q->y.data);
  q->y.data[row] = -side / w->length[row];
  for (size_t k = 0; k < w->count; k++)   // what has the wrong sign is rounding: it would have left
    if (is_equality(w, w->active[k]) || w->step[k] < 0)
      q->y.data[w->active[k]] = w->step[k] * w->side[k] / w->length[w->active[k]];
}

static dvQpAnswer satisfy(Work *w, dvQp *q, int32_t row, signed char side)
{
  const double *normal = w->c + (size_t)row * w->n;
  double multiplier = 0;
  while (w->changes < w->most) {
    size_t at = 0;
    double fresh = directions(w, normal, -side), whole = dot(w->d, w->d, w->n);
    double bound = side < 0 ? w->low[row] : w->high[row];
    double amount = side < 0 ? bound - dot(normal, w->x, w->n) : dot(normal, w->x, w->n) - bound;
    bool dependent = !(fresh > TINY * TINY * whole);
    if (dependent && amount <= 1e-8 * fmax(1, fabs(bound))) return w->wanted[row] = REPEATS, DV_QP_SOLVED;
    double leaves = first_to_leave(w, &at), reaches = dependent ? INFINITY : amount / fresh;
    double t = fmin(leaves, reaches);
    if (isinf(t)) {
      prove(w, q, row, side);
      return DV_QP_INFEASIBLE;
    }
    for (size_t k = 0; k < w->count; k++) w->u[k] -= t * w->step[k];
    multiplier += t;
    for (size_t i = 0; !dependent && i < w->n; i++) w->x[i] += t * w->z[i];
    if (reaches <= leaves) {
      enter(w, row, side, multiplier);
      return DV_QP_SOLVED;
    }
    leave(w, at);
  }
  return DV_QP_GAVE_UP;
}

// rows that repeat active ones to rounding are marked and left alone
static dvQpAnswer solve_convex(Work *w, dvQp *q)
{
  size_t n = w->n;
  memset(w->j, 0, n * n * sizeof *w->j);
  for (size_t k = 0; k < n; k++) {   // L^-T: column k solves L^T x = e_k
    for (size_t i = k + 1; i-- > 0;) {
      double sum = i == k;
      for (size_t a = i + 1; a <= k; a++) sum -= w->l[a * n + i] * w->j[a * n + k];
      w->j[i * n + k] = sum / w->l[i * n + i];
    }
  }
  for (size_t i = 0; i < n; i++) w->x[i] = -w->g[i];
  dv_dense_cholesky_solve(w->l, n, w->x);
  w->count = 0;
  signed char side = 0;
  for (int32_t row; (row = next_row(w, &side)) >= 0;) {
    dvQpAnswer answer = satisfy(w, q, row, side);
    if (answer != DV_QP_SOLVED) return answer;
  }
  return DV_QP_SOLVED;
}

// --- scaling and proximal points ---------------------------------------------------------------------

static void lay_out(dvQp *q, Work *w)
{
  size_t n = q->variables, m = q->rows;
  *w = (Work){.n = n, .m = m, .most = 50 + 20 * (int)(n + m)};
  dv_array_resize(&q->work, n + m + m * n + 2 * m + 3 * n * n + 7 * n + 8 + 4 * n * n + 4 * n);
  dv_array_resize(&q->active, 3 * n + 1);
  double *at = q->work.data;
  double **parts[] = {&w->scale, &w->length, &w->c, &w->low, &w->high, &w->l,    &w->j,  &w->r,
                      &w->g,     &w->x,      &w->u, &w->d,   &w->z,    &w->step, &w->kkt};
  const size_t sizes[] = {n, m, m * n, m, m, n * n, n * n, n * n, n, n, n + 1, n, n, n + 1, 4 * n * n + 4 * n};
  for (size_t i = 0; i < DV_COUNT(parts); i++) *parts[i] = at, at += sizes[i];
  w->active = q->active.data;
  w->exchange = w->active + n + 1;
}

static void scale(const dvQp *q, Work *w)
{
  size_t n = w->n;
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, q->g2.data[i * n + i]);
  for (size_t i = 0; i < n; i++) {
    double own = q->g2.data[i * n + i];
    w->scale[i] = own > 1e-20 * largest ? 1 / sqrt(own) : largest > 0 ? 1 / sqrt(largest) : 1;
  }
  for (size_t r = 0; r < w->m; r++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
      w->c[r * n + i] = q->c.data[r * n + i] * w->scale[i];
      sum += w->c[r * n + i] * w->c[r * n + i];
    }
    w->length[r] = sum > 0 ? sqrt(sum) : 1;
    for (size_t i = 0; i < n; i++) w->c[r * n + i] /= w->length[r];
    w->low[r] = q->low.data[r] / w->length[r];
    w->high[r] = q->high.data[r] / w->length[r];
  }
}

// G scaled to a unit diagonal, with rho added where it is singular; how many variables it leaves open
static int factorise(const dvQp *q, Work *w, double *rho)
{
  size_t n = w->n, bad;
  int open = 0;
  *rho = 0;
  for (;;) {
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++)
        w->l[i * n + k] = q->g2.data[i * n + k] * w->scale[i] * w->scale[k] + (i == k ? *rho : 0);
    bool good = dv_dense_cholesky(w->l, n, &bad);
    for (size_t i = 0; good && *rho == 0 && i < n; i++) good = w->l[i * n + i] > 1e-5;
    if (good || *rho > 1e300) break;
    *rho = *rho == 0 ? 1e-6 : 10 * *rho;   // more where G is not quite positive, by rounding
  }
  for (size_t i = 0; *rho > 0 && i < n; i++) open += w->l[i * n + i] < 30 * sqrt(*rho);
  return open;
}

// an entry of (G -C^T; C 0) of the active rows, without rho
static double kkt_entry(const dvQp *q, const Work *w, size_t i, size_t k)
{
  size_t n = w->n;
  if (i < n && k < n) return q->g2.data[i * n + k] * w->scale[i] * w->scale[k];
  if (i >= n && k >= n) return 0;
  size_t row = i < n ? k - n : i - n, column = i < n ? i : k;
  return (i < n ? 1 : -1) * w->side[row] * w->c[(size_t)w->active[row] * n + column];
}

// its right-hand side
static double kkt_side(const dvQp *q, const Work *w, size_t i)
{
  if (i < w->n) return -q->g.data[i] * w->scale[i];
  size_t k = i - w->n;
  return -w->side[k] * (w->side[k] < 0 ? w->low[w->active[k]] : w->high[w->active[k]]);
}

// Solves for point and multipliers of the active rows all at once. What rounding has left of the right-hand side is
// solved for again: where multipliers are large beside the point, the rows would only hold to the rounding of those.
// False where the system is singular or where the answer leaves a row or a sign, so that the set is not the right one;
// nothing changes then.
static bool polish(const dvQp *q, Work *w)
{
  enum { REFINEMENTS = 2 };
  size_t n = w->n, size = n + w->count, bad;
  double *a = w->kkt, *b = a + size * size, *rest = b + size;
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < size; k++) a[i * size + k] = kkt_entry(q, w, i, k);
    b[i] = kkt_side(q, w, i);
  }
  if (!dv_dense_lu(a, w->exchange, size, 1e-11, &bad)) return false;
  dv_dense_lu_solve(a, w->exchange, size, b);
  for (int round = 0; round < REFINEMENTS; round++) {
    for (size_t i = 0; i < size; i++) {
      rest[i] = kkt_side(q, w, i);
      for (size_t k = 0; k < size; k++) rest[i] -= kkt_entry(q, w, i, k) * b[k];
    }
    dv_dense_lu_solve(a, w->exchange, size, rest);
    for (size_t i = 0; i < size; i++) b[i] += rest[i];
  }
  double largest = 1;
  for (size_t k = 0; k < w->count; k++) largest = fmax(largest, fabs(b[n + k]));
  for (size_t k = 0; k < w->count; k++)
    if (!is_equality(w, w->active[k]) && !(b[n + k] >= -1e-10 * largest)) return false;
  double *before = w->z;
  memcpy(before, w->x, n * sizeof *before);
  memcpy(w->x, b, n * sizeof *b);
  bool good = true;
  for (size_t r = 0; r < w->m && good; r++) {
    signed char side;
    good = left(w, r, &side) <= 10 * SMALL;
  }
  for (size_t k = 0; good && k < w->count; k++) w->u[k] = is_equality(w, w->active[k]) ? b[n + k] : fmax(0, b[n + k]);
  if (!good) memcpy(w->x, before, n * sizeof *before);
  return good;
}

static void unscale(dvQp *q, const Work *w)
{
  size_t n = w->n;
  if (w->m) memset(q->y.data, 0, w->m * sizeof *q->y.data), memset(q->side.data, 0, w->m);
  for (size_t i = 0; i < n; i++) q->x.data[i] = w->x[i] * w->scale[i];
  for (size_t k = 0; k < w->count; k++) {
    q->y.data[w->active[k]] = -w->side[k] * w->u[k] / w->length[w->active[k]];
    q->side.data[w->active[k]] = w->side[k];
  }
  q->objective = 0;
  for (size_t i = 0; i < n; i++)
    q->objective += q->x.data[i] * (q->g.data[i] + 0.5 * dot(q->g2.data + i * n, q->x.data, n));
}

// a direction without end: nothing resists it and it goes down
static bool runs_away(dvQp *q, const Work *w, const double *from)
{
  size_t n = w->n;
  double size = 0, down = 0, resists = 0;
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(w->x[i] - from[i]));
  if (!(size > 0)) return false;
  for (size_t i = 0; i < n; i++) q->x.data[i] = w->scale[i] * (w->x[i] - from[i]) / size;
  for (size_t i = 0; i < n; i++) {
    down += q->g.data[i] * q->x.data[i];
    resists = fmax(resists, fabs(w->scale[i] * dot(q->g2.data + i * n, q->x.data, n)));
  }
  if (resists > 1e-8 || !(down < 0)) return false;
  for (size_t r = 0; r < w->m; r++) {
    double along = dot(q->c.data + r * n, q->x.data, n) / w->length[r];
    if ((along < -1e-9 && !isinf(w->low[r])) || (along > 1e-9 && !isinf(w->high[r]))) return false;
  }
  return true;
}

static bool all_finite(const double *a, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!isfinite(a[i])) return false;
  return true;
}

dvQpAnswer dv_qp_solve(dvQp *q)
{
  Work w;
  double rho;
  size_t n = q->variables;
  q->changes = 0;
  q->objective = 0;
  if (!all_finite(q->g2.data, n * n) || !all_finite(q->g.data, n) || !all_finite(q->c.data, q->rows * n)) {
    for (size_t i = 0; i < n; i++) q->x.data[i] = 0;
    for (size_t r = 0; r < q->rows; r++) q->y.data[r] = 0;
    return DV_QP_GAVE_UP;
  }
  lay_out(q, &w);
  for (size_t r = 0; r < w.m; r++)
    if (!(q->low.data[r] <= q->high.data[r])) {   // also not numbers
      if (w.m) memset(q->y.data, 0, w.m * sizeof *q->y.data);
      return DV_QP_INFEASIBLE;
    }
  scale(q, &w);
  q->singular = factorise(q, &w, &rho);
  dv_array_resize(&q->sides, n + 1 + w.m);
  w.side = q->sides.data;
  w.wanted = q->sides.data + n + 1;
  dv_array_resize(&q->from, n);
  if (n) memset(q->from.data, 0, n * sizeof *q->from.data);
  double *from = q->from.data;
  if (w.m) memcpy(w.wanted, q->side.data, w.m);
  dvQpAnswer answer = DV_QP_GAVE_UP;
  for (int round = 0; round < MOST_PROXIMAL; round++) {
    for (size_t i = 0; i < n; i++) w.g[i] = q->g.data[i] * w.scale[i] - rho * from[i];
    w.changes = 0;
    answer = solve_convex(&w, q);
    q->changes += w.changes;
    if (answer != DV_QP_SOLVED) break;
    if (polish(q, &w)) {
      unscale(q, &w);
      break;
    }
    double moved = 0, size = 1;
    for (size_t i = 0; i < n; i++) {
      moved = fmax(moved, fabs(w.x[i] - from[i]));
      size = fmax(size, fabs(q->g.data[i] * w.scale[i]));
    }
    unscale(q, &w);
    if (rho * moved <= 1e-13 * size) break;
    if (round > 3 && runs_away(q, &w, from)) {
      answer = DV_QP_UNBOUNDED;
      break;
    }
    unscale(q, &w);
    memcpy(from, w.x, n * sizeof *w.x);
    if (w.m) memcpy(w.wanted, q->side.data, w.m);
    if (round + 1 == MOST_PROXIMAL) answer = DV_QP_GAVE_UP;
  }
  if (answer == DV_QP_GAVE_UP) unscale(q, &w);
  return answer;
}

double dv_qp_error(const dvQp *q)
{
  size_t n = q->variables;
  double worst = 0, diagonal = 0;
  for (size_t i = 0; i < n; i++) diagonal = fmax(diagonal, q->g2.data[i * n + i]);
  for (size_t r = 0; r < q->rows; r++) {
    const double *c = q->c.data + r * n;
    double value = dot(c, q->x.data, n), y = q->y.data[r], size = 1;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(c[i] * q->x.data[i]));
    worst = fmax(worst, fmax(q->low.data[r] - value, value - q->high.data[r]) / size);
    double gap = y > 0 ? value - q->low.data[r] : y < 0 ? q->high.data[r] - value : 0;
    worst = fmax(worst, fabs(gap) * fmin(1, fabs(y)) / size);
  }
  for (size_t i = 0; i < n; i++) {
    double sum = q->g.data[i] + dot(q->g2.data + i * n, q->x.data, n), size = fmax(1, fabs(q->g.data[i]));
    for (size_t k = 0; k < n; k++) size = fmax(size, fabs(q->g2.data[i * n + k] * q->x.data[k]));
    for (size_t r = 0; r < q->rows; r++) {
      double part = q->c.data[r * n + i] * q->y.data[r];
      sum -= part;
      size = fmax(size, fabs(part));
    }
    worst = fmax(worst, fabs(sum) / size);
  }
  return worst;
}

void dv_qp_free(dvQp *q)
{
  dv_array_free(&q->g2);
  dv_array_free(&q->g);
  dv_array_free(&q->c);
  dv_array_free(&q->low);
  dv_array_free(&q->high);
  dv_array_free(&q->x);
  dv_array_free(&q->y);
  dv_array_free(&q->side);
  dv_array_free(&q->work);
  dv_array_free(&q->from);
  dv_array_free(&q->active);
  dv_array_free(&q->sides);
}
