// Sums of element matrices over pairs of points: against sums one by one, for any number of threads.
#include "math/element_sum.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 60, LANES = 96, LARGEST = 9 * DV_SUM_NODES * DV_SUM_NODES };

typedef struct Mesh {
  size_t nodes, count;
  int32_t corner[LANES * DV_SUM_NODES];
  uint32_t first[7];
  double *matrices;   // [LANES] symmetric
} Mesh;

static double number(uint64_t i)
{
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9u;
  return (double)(i >> 11) / 9007199254740992.0 - 0.5;
}

// elements of neighbouring points, every seventh lane empty
static Mesh make_mesh(size_t nodes, size_t blocks)
{
  Mesh m = {.nodes = nodes, .count = blocks};
  size_t side = 3 * nodes;
  m.matrices = calloc(LANES * side * side, sizeof *m.matrices);
  for (size_t b = 0; b <= blocks; b++) m.first[b] = (uint32_t)(b * LANES / blocks);
  for (size_t lane = 0; lane < LANES; lane++) {
    for (size_t i = 0; i < nodes; i++)
      m.corner[nodes * lane + i] = (int32_t)((lane / 2 + (i * 5 + lane) % nodes * 2) % POINTS);
    if (lane % 7 == 6) m.corner[nodes * lane] = -1;
    for (size_t r = 0; r < side; r++)
      for (size_t c = r; c < side; c++)
        m.matrices[side * (side * lane + r) + c] = m.matrices[side * (side * lane + c) + r] =
            number(side * (side * lane + r) + c);
  }
  return m;
}

static void fill(const void *user, const dvElementSum *sum, size_t block, double *local)
{
  const Mesh *m = user;
  size_t size = 9 * m->nodes * m->nodes, first = m->first[block];
  DV_KERNEL_CHOOSE(dv_element_sum_kernels)
      ->add(sum, first, m->first[block + 1] - first, m->matrices + size * first, size, local);
}

static double expected(const Mesh *m, int32_t p, int32_t q, size_t r, size_t c)
{
  double sum = 0;
  size_t side = 3 * m->nodes;
  for (size_t lane = 0; lane < LANES; lane++) {
    const int32_t *corner = m->corner + m->nodes * lane;
    if (corner[0] < 0) continue;
    for (size_t i = 0; i < m->nodes; i++)
      for (size_t j = 0; j < m->nodes; j++)
        if (corner[i] == p && corner[j] == q) sum += m->matrices[side * (side * lane + 3 * i + r) + 3 * j + c];
  }
  return sum;
}

static void sums_equal_those_one_by_one(void **state)
{
  DV_UNUSED(state);
  static const size_t nodes[] = {2, 3, 4, 8}, blocks[] = {1, 2, 6};
  for (size_t k = 0; k < DV_COUNT(nodes) * DV_COUNT(blocks); k++) {
    Mesh m = make_mesh(nodes[k / DV_COUNT(blocks)], blocks[k % DV_COUNT(blocks)]);
    dvElementSum *sum = NULL;
    assert_true(dv_element_sum_create(m.corner, m.nodes, POINTS, m.first, m.count, NULL, &sum));
    const double *total = dv_element_sum_total(sum, NULL, fill, &m);
    size_t found = 0;
    for (int32_t p = 0; p < POINTS; p++)
      for (int32_t q = p; q < POINTS; q++) found += expected(&m, p, q, 0, 1) != 0;
    assert_int_equal(found, sum->entries);
    for (size_t e = 0; e < sum->entries; e++)
      for (size_t n = 0; n < 9; n++)
        check_close(total[9 * e + n], expected(&m, sum->point[2 * e], sum->point[2 * e + 1], n / 3, n % 3), 1e-14 * 30);
    dv_element_sum_destroy(&sum);
    free(m.matrices);
  }
}

// added to what is there, in both halves, with the same bits for any number of threads
static void both_halves_are_written(void **state)
{
  DV_UNUSED(state);
  Mesh m = make_mesh(4, 6);
  dvElementSum *sum = NULL;
  assert_true(dv_element_sum_create(m.corner, m.nodes, POINTS, m.first, m.count, NULL, &sum));
  size_t numbers = 9 * 2 * sum->entries + 4;
  double *first = calloc(numbers, sizeof *first), *other = calloc(numbers, sizeof *other);
  int32_t *places = calloc(2 * sum->entries, sizeof *places);
  for (size_t e = 0; e < sum->entries; e++)
    places[2 * e] = (int32_t)(2 * e),
               places[2 * e + 1] = (int32_t)(2 * e + (sum->point[2 * e] != sum->point[2 * e + 1]));
  const double *total = dv_element_sum_total(sum, NULL, fill, &m);
  for (int threads = 1; threads <= 3; threads++) {
    dvPool *pool = dv_pool_create(threads);
    double *out = threads == 1 ? first : other;
    for (size_t i = 0; i < numbers; i++) out[i] = 1;
    dv_element_sum_run(sum, pool, fill, &m, out, places);
    if (threads > 1) assert_memory_equal(first, other, numbers * sizeof *first);
    dv_pool_destroy(&pool);
  }
  for (size_t e = 0; e < sum->entries; e++)
    for (size_t n = 0; n < 9; n++) {
      bool diagonal = places[2 * e] == places[2 * e + 1];
      check_close(first[18 * e + n], 1 + total[9 * e + n], 1e-15);
      check_close(first[18 * e + 9 + n], diagonal ? 1 : first[18 * e + 3 * (n % 3) + n / 3], 0);
      if (diagonal) check_close(first[18 * e + n], first[18 * e + 3 * (n % 3) + n / 3], 0);
    }
  // and put in its place
  for (size_t e = 0; e < 2 * sum->entries; e++) places[e] = ~places[e];
  dv_element_sum_run(sum, NULL, fill, &m, other, places);
  for (size_t e = 0; e < sum->entries; e++)
    for (size_t n = 0; n < 9; n++) {
      check_close(other[18 * e + n], total[9 * e + n], 0);
      check_close(other[18 * e + 9 + n],
                  sum->point[2 * e] == sum->point[2 * e + 1] ? 1 : total[9 * e + 3 * (n % 3) + n / 3], 0);
    }
  free(first), free(other), free(places), free(m.matrices);
  dv_element_sum_destroy(&sum);
}

static void check_same_table(const dvElementSum *a, const dvElementSum *b)
{
  size_t lanes = LANES, borders = a->entries - a->inner;
  assert_int_equal(a->entries, b->entries);
  assert_int_equal(a->inner, b->inner);
  assert_int_equal(a->room, b->room);
  assert_true(a->stamp == b->stamp);
  assert_memory_equal(a->blocks, b->blocks, a->count * sizeof *a->blocks);
  assert_memory_equal(a->point, b->point, 2 * a->entries * sizeof *a->point);
  assert_memory_equal(a->entry, b->entry, lanes * a->pairs * sizeof *a->entry);
  assert_memory_equal(a->order, b->order, lanes * a->nodes);
  assert_memory_equal(a->start, b->start, (borders + 1) * sizeof *a->start);
  assert_memory_equal(a->slot, b->slot, a->start[borders] * sizeof *a->slot);
}

// Elements go, come back and take other points here and there: the table that is made from the one before is that from
// scratch, and blocks without a change are not looked at.
static void a_table_follows_changes(void **state)
{
  DV_UNUSED(state);
  Mesh m = make_mesh(4, 6);
  dvElementSum *before = NULL, *now, *fresh;
  uint64_t seed = 5;
  for (int change = 0; change < 200; change++) {
    assert_true(dv_element_sum_create(m.corner, m.nodes, POINTS, m.first, m.count, before, &now));
    assert_true(dv_element_sum_create(m.corner, m.nodes, POINTS, m.first, m.count, NULL, &fresh));
    check_same_table(now, fresh);
    assert_int_equal(fresh->copied, 0);
    if (before) assert_true(now->copied >= (change % 10 == 9 ? 6 : 4));
    dv_element_sum_destroy(&before);
    dv_element_sum_destroy(&fresh);
    before = now;
    for (int k = 0; k < 2 && change % 10 != 8; k++) {   // at most two blocks; none before every tenth
      size_t lane = (size_t)((number(seed++) + 0.5) * (LANES - 1));
      int32_t *corner = m.corner + 4 * lane, first = (int32_t)((number(seed++) + 0.5) * (POINTS - 9));
      for (int i = 0; i < 4; i++) corner[i] = first + 2 * i;
      if (change % 3 == 0) corner[0] = -1;
    }
  }
  free(m.matrices);
  dv_element_sum_destroy(&before);
}

static void a_point_twice_is_refused(void **state)
{
  DV_UNUSED(state);
  const int32_t corner[] = {0, 1, 2, 3, 4, 5, 4, 6};
  const uint32_t first[] = {0, 2};
  dvElementSum *sum = NULL;
  assert_false(dv_element_sum_create(corner, 4, 7, first, 1, NULL, &sum));
  assert_null(sum);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_equal_those_one_by_one), cmocka_unit_test(both_halves_are_written),
      cmocka_unit_test(a_table_follows_changes), cmocka_unit_test(a_point_twice_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
