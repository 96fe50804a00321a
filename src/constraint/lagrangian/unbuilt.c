// See unbuilt.h.
#include "constraint/lagrangian/unbuilt.h"

#include "constraint/lagrangian/problem.h"
#include "constraint/lagrangian/unbuilt_kernel.h"

enum { SWEEPS = 32 };   // until the motion is computed anew

// --- what corrections hand in ------------------------------------------------------------------------

void dv_unbuilt_clear(dvUnbuilt *u)
{
  u->used = false;
  u->more = 0;
  u->size = 0;
  u->laws.count = u->places.count = u->numbers.count = u->own.count = u->handed.count = 0;
  u->lambda.count = 0;
}

void dv_unbuilt_begin(dvUnbuilt *u, const dvProblemLaw *laws, size_t count)
{
  u->used = true;
  u->laws.count = 0;
  dv_reserve(&u->laws, count);
  for (size_t i = 0; i < count; i++)
    dv_push(&u->laws, ((dvUnbuiltLaw){.first = laws[i].first,
                                      .rows = laws[i].law.rows,
                                      .mu = laws[i].law.mu,
                                      .compliance = laws[i].law.compliance}));
}

size_t dv_unbuilt_room(dvUnbuilt *u, size_t width, size_t count)
{
  size_t first = u->size;
  u->size += dv_unbuilt_width(width) * count;
  return first;
}

double *dv_unbuilt_add(dvUnbuilt *u, size_t law, size_t at, size_t width)
{
  size_t padded = dv_unbuilt_width(width), first = u->numbers.count;
  size_t need = 2 * padded * (size_t)u->laws.data[law].rows;
  dv_push(&u->handed, ((dvUnbuiltPlace){(int32_t)law, (int32_t)at, (int32_t)padded, first}));
  u->laws.data[law].places++;
  dv_reserve(&u->numbers, need);
  u->numbers.count += need;
  memset(u->numbers.data + first, 0, need * sizeof *u->numbers.data);
  return u->numbers.data + first;
}

// --- by law ------------------------------------------------------------------------------------------

// the places of each law behind each other, in the order in which they came
static void sort_places(dvUnbuilt *u)
{
  int32_t next = 0;
  for (size_t i = 0; i < u->laws.count; i++) {
    u->laws.data[i].place = next;
    next += u->laws.data[i].places;
    u->laws.data[i].places = 0;
  }
  dv_array_resize(&u->places, u->handed.count);
  for (size_t i = 0; i < u->handed.count; i++) {
    dvUnbuiltLaw *l = &u->laws.data[u->handed.data[i].law];
    u->places.data[l->place + l->places++] = u->handed.data[i];
  }
}

static double dot(const double *a, const double *b, int32_t n)
{
  double sum = 0;
  for (int32_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static void fill_own(dvUnbuilt *u, const dvUnbuiltLaw *l)
{
  double *own = u->own.data + l->own;
  for (int32_t p = l->place; p < l->place + l->places; p++) {
    int32_t width = u->places.data[p].width;
    const double *h = u->numbers.data + u->places.data[p].numbers, *c = h + l->rows * width;
    for (int32_t i = 0; i < l->rows; i++)
      for (int32_t k = 0; k < l->rows; k++) own[i * l->rows + k] += dot(h + i * width, c + k * width, width);
  }
}

static void prepare_friction(const dvUnbuilt *u, dvUnbuiltLaw *l)
{
  const double *own = u->own.data + l->own;
  l->inverse[0] = 1 / (own[0] + l->compliance);
  l->inverse[1] = 1 / (0.5 * (own[4] + own[8]) + l->compliance);
}

void dv_unbuilt_lay_out(dvUnbuilt *u, const dvProblemLaw *laws)
{
  const dvUnbuiltKernels *kernels = DV_KERNEL_CHOOSE(dv_unbuilt_kernels);
  size_t room = 0;
  sort_places(u);
  for (size_t i = 0; i < u->laws.count; i++) {
    u->laws.data[i].own = room;
    room += (size_t)(u->laws.data[i].rows * u->laws.data[i].rows);
  }
  u->own.count = 0;
  dv_array_resize(&u->own, room);   // zeros
  for (size_t i = 0; i < u->laws.count; i++) {
    if (u->laws.data[i].rows == 3) kernels->own(u, &u->laws.data[i], u->own.data + u->laws.data[i].own);
    else fill_own(u, &u->laws.data[i]);
    if (laws[i].law.kind == DV_LAW_FRICTION) prepare_friction(u, &u->laws.data[i]);
  }
}

void dv_unbuilt_regularise(dvUnbuilt *u, double term)
{
  u->more += term;
  for (size_t i = 0; term != 0 && i < u->laws.count; i++) {
    dvUnbuiltLaw *l = &u->laws.data[i];
    for (int32_t k = 0; k < l->rows; k++) u->own.data[l->own + (size_t)(k * l->rows + k)] += term;
    if (l->inverse[0] != 0) prepare_friction(u, l);
  }
}

// --- motion ------------------------------------------------------------------------------------------

// u += c (lambda - before); before NULL: 0
static void move(dvUnbuilt *u, const dvUnbuiltLaw *l, const double *lambda, const double *before)
{
  for (int32_t p = l->place; p < l->place + l->places; p++) {
    int32_t width = u->places.data[p].width;
    const double *c = u->numbers.data + u->places.data[p].numbers + l->rows * width;
    double *to = u->motion.data + u->places.data[p].at;
    for (int32_t r = 0; r < l->rows; r++, c += width) {
      double change = lambda[r] - (before ? before[r] : 0);
      for (int32_t k = 0; change != 0 && k < width; k++) to[k] += c[k] * change;
    }
  }
}

static void begin_anew(dvUnbuilt *u, const double *lambda, size_t rows)
{
  const dvUnbuiltKernels *kernels = DV_KERNEL_CHOOSE(dv_unbuilt_kernels);
  dv_array_resize(&u->lambda, rows);
  dv_array_resize(&u->motion, u->size);
  memcpy(u->lambda.data, lambda, rows * sizeof *lambda);
  memset(u->motion.data, 0, u->size * sizeof *u->motion.data);
  for (size_t i = 0; i < u->laws.count; i++) {
    const dvUnbuiltLaw *l = &u->laws.data[i];
    if (l->rows == 3) kernels->move(u, l, lambda + l->first);
    else move(u, l, lambda + l->first, NULL);
  }
  u->age = 0;
}

static bool is_at(const dvUnbuilt *u, const double *lambda, size_t rows)
{
  return u->lambda.count == rows && memcmp(u->lambda.data, lambda, rows * sizeof *lambda) == 0;
}

void dv_unbuilt_follow(dvUnbuilt *u, const double *lambda, size_t rows)
{
  if (rows == 0 || (is_at(u, lambda, rows) && ++u->age < SWEEPS)) return;
  begin_anew(u, lambda, rows);
}

void dv_unbuilt_move_to(dvUnbuilt *u, const double *lambda, size_t rows)
{
  if (rows && !is_at(u, lambda, rows)) begin_anew(u, lambda, rows);
}

const double *dv_unbuilt_motion(dvUnbuilt *u, const double *lambda)
{
  size_t rows = 0;
  for (size_t i = 0; i < u->laws.count; i++) rows += (size_t)u->laws.data[i].rows;
  dv_unbuilt_move_to(u, lambda, rows);
  return u->motion.data;
}

void dv_unbuilt_product(const dvUnbuilt *u, size_t law, const unsigned char *moves, double *d)
{
  const dvUnbuiltLaw *l = &u->laws.data[law];
  for (int32_t r = 0; r < l->rows; r++) d[r] = u->more * u->lambda.data[l->first + r];
  for (int32_t p = l->place; p < l->place + l->places; p++) {
    if (moves && !moves[u->places.data[p].at]) continue;
    int32_t width = u->places.data[p].width;
    const double *h = u->numbers.data + u->places.data[p].numbers, *from = u->motion.data + u->places.data[p].at;
    for (int32_t r = 0; r < l->rows; r++) d[r] += dot(h + r * width, from, width);
  }
}

void dv_unbuilt_change(dvUnbuilt *u, size_t law, const double *lambda)
{
  const dvUnbuiltLaw *l = &u->laws.data[law];
  double *before = u->lambda.data + l->first;
  move(u, l, lambda, before);
  memcpy(before, lambda, (size_t)l->rows * sizeof *before);
}

void dv_unbuilt_sweep_friction(dvUnbuilt *u, size_t begin, size_t end, const double *free, double *lambda,
                               bool together, double *errors, double *most)
{
  DV_KERNEL_CHOOSE(dv_unbuilt_kernels)->friction(u, begin, end, free, lambda, together, errors, most);
}

// a column at a time: the motion that a unit of one multiplier causes
void dv_unbuilt_matrix(dvUnbuilt *u, size_t rows, double *w)
{
  double *one = dv_alloc((2 * rows + 1) * sizeof *one), *column = one + rows;
  memset(one, 0, rows * sizeof *one);
  for (size_t k = 0; k < rows; k++) {
    one[k] = 1;
    dv_unbuilt_move_to(u, one, rows);
    for (size_t i = 0; i < u->laws.count; i++) dv_unbuilt_product(u, i, NULL, column + u->laws.data[i].first);
    for (size_t i = 0; i < rows; i++) w[i * rows + k] = column[i];
    one[k] = 0;
  }
  dv_free(one);
}

void dv_unbuilt_free(dvUnbuilt *u)
{
  dv_array_free(&u->laws);
  dv_array_free(&u->places);
  dv_array_free(&u->numbers);
  dv_array_free(&u->own);
  dv_array_free(&u->motion);
  dv_array_free(&u->lambda);
  dv_array_free(&u->handed);
}
