// Orders of elimination while a mesh changes (linear/direct/reorder.h): near to the one before, good, remembered.
#include "support/check.h"
#include "support/matrix.h"

#include "linear/direct/ldl_front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A grid of side x side points with springs to the eight neighbours; `gone` tells which points have been removed, the
// last one taking their number each time, as a mesh does it, and `twins` of them stand twice, at the end. Parts that
// came off have no springs to others.
typedef struct Grid {
  size_t side, count;
  int32_t *place, *part;   // cell of each point, and part of the grid
} Grid;

static Grid grid_create(size_t side)
{
  size_t room = 2 * side * side;
  Grid g = {side, side * side, dv_alloc(2 * room * sizeof(int32_t)), NULL};
  g.part = g.place + room;
  for (size_t i = 0; i < g.count; i++) g.place[i] = (int32_t)i;
  return g;
}

static void grid_remove(Grid *g, size_t point)
{
  g->count--;
  g->place[point] = g->place[g->count], g->part[point] = g->part[g->count];
}
static void grid_double(Grid *g, size_t point)
{
  g->place[g->count] = g->place[point], g->part[g->count] = g->part[point];
  g->count++;
}

static bool near_each_other(const Grid *g, size_t i, size_t j)
{
  int side = (int)g->side, a = g->place[i], b = g->place[j];
  return g->part[i] == g->part[j] && abs(a % side - b % side) <= 1 && abs(a / side - b / side) <= 1;
}

// unit weights between neighbours, more on the diagonal than off it
static void grid_matrix(const Grid *g, dvBlockMatrix *a)
{
  DV_ARRAY(uint64_t) pairs = {0};
  dvPattern pattern = {0};
  for (size_t i = 0; i < g->count; i++)
    for (size_t j = 0; j < g->count; j++)
      if (near_each_other(g, i, j)) dv_push(&pairs, dv_pair(i, j));
  assert_true(dv_pattern_build(&pattern, g->count, g->count, pairs.data, pairs.count, NULL));
  assert_true(dv_block_matrix_init(a, 1, &pattern));
  for (size_t i = 0; i < g->count; i++) {
    const int32_t *start = a->pattern.row_start;
    for (int32_t e = start[i]; e < start[i + 1]; e++)
      a->values[e] = (size_t)a->pattern.col[e] == i ? (double)(start[i + 1] - start[i]) : -1;
  }
  dv_array_free(&pairs);
}

static void check_solves(dvLdl *f, const dvBlockMatrix *a)
{
  size_t n = dv_ldl_rows(f), pivot;
  double *b = dv_alloc(2 * n * sizeof *b), *x = b + n, *work = dv_alloc(dv_ldl_work(f) * sizeof *work);
  for (size_t i = 0; i < n; i++) b[i] = cos((double)i);
  assert_true(dv_ldl_factorise(f, a, NULL, DV_LDL_SMALL, &pivot));
  dv_ldl_solve(f, b, x, work);
  assert_true(check_residual(a, x, b) < 1e-14);
  dv_free(b);
  dv_free(work);
}

// twenty times: a point goes, its number is another's; another one is doubled
static void changes_keep_the_order(void **state)
{
  DV_UNUSED(state);
  Grid g = grid_create(30);
  dvLdl f = {0}, fresh = {0};
  dvOrderHistory history = {0};
  dvBlockMatrix a = {0};
  uint64_t seed = 3;
  unsigned kept = 0;
  for (int change = 0; change < 22; change++) {
    grid_matrix(&g, &a);
    double work = history.work;   // another one after each order from scratch
    assert_true(dv_ldl_analyse_again(&f, &a.pattern, 1, DV_ORDER_BEST, &history));
    assert_true(dv_ldl_analyse(&fresh, &a.pattern, 1, DV_ORDER_BEST));
    check_solves(&f, &a);
    if (change < 2) assert_true(history.work != work);   // the first ones are made from scratch
    kept += history.work == work;
    // allowed are 1.4 of the last order from scratch
    assert_true(dv_ldl_flops(&f) < 1.6 * dv_ldl_flops(&fresh));
    grid_remove(&g, (size_t)((check_random(&seed) + 1) / 2 * (double)(g.count - 1)));
    grid_double(&g, (size_t)((check_random(&seed) + 1) / 2 * (double)(g.count - 1)));
    grid_double(&g, (size_t)((check_random(&seed) + 1) / 2 * (double)(g.count - 1)));
    dv_block_matrix_free(&a);
  }
  assert_true(kept >= 15);   // most changes took the order over
  dv_ldl_free(&f);
  dv_ldl_free(&fresh);
  dv_order_history_free(&history);
  dv_free(g.place);
}

// Where a mesh changes in one corner, only the way up from there is done again, and the factor is that of doing all to
// the last bit; so it is where all has changed.
static void changes_leave_most_of_a_factor(void **state)
{
  DV_UNUSED(state);
  Grid g = grid_create(40);
  dvLdl f = {0}, all = {0};
  dvOrderHistory history = {0};
  dvBlockMatrix a = {0};
  dvPool *pool = dv_pool_create(2);
  size_t pivot;
  for (int change = 0; change < 14; change++) {
    grid_matrix(&g, &a);
    for (size_t i = 0; i < a.pattern.rows && change == 9; i++) a.values[dv_pattern_find(&a.pattern, i, i)] += 1;
    assert_true(dv_ldl_analyse_again(&f, &a.pattern, 1, DV_ORDER_BEST, &history));
    assert_true(dv_ldl_analyse_like(&all, &f));
    assert_true(dv_ldl_refactorise(&f, &a, change % 2 ? pool : NULL, DV_LDL_SMALL, &pivot));
    assert_true(dv_ldl_factorise(&all, &a, NULL, DV_LDL_SMALL, &pivot));
    assert_memory_equal(f.lower, all.lower, dv_ldl_stored(&f) * sizeof *f.lower);
    assert_memory_equal(f.d, all.d, 2 * dv_ldl_rows(&f) * sizeof *f.d);
    // two orders from scratch, and one factor whose update matrices are kept; then again after the change of all, which
    // the next one takes back
    bool whole = change < 3 || (change >= 9 && change < 12);
    if (whole) check_close(f.redone, 1, 0);
    else assert_true(f.redone > 0 && f.redone < 0.3);
    assert_true(dv_ldl_refactorise(&f, &a, NULL, DV_LDL_SMALL, &pivot));   // nothing has changed
    check_close(f.redone, 0, 0);
    size_t corner = 0;
    for (size_t i = 0; i < g.count; i++)
      if (g.place[i] < g.place[corner]) corner = i;
    if (change % 2) grid_double(&g, corner);
    else grid_remove(&g, corner);
    dv_block_matrix_free(&a);
  }
  dv_ldl_free(&f);
  dv_ldl_free(&all);
  dv_order_history_free(&history);
  dv_pool_destroy(&pool);
  dv_free(g.place);
}

static void check_same_numbers(const int32_t *a, const int32_t *b, size_t count)
{
  assert_memory_equal(a, b, count * sizeof *a);
}

static void check_same_front(const dvFront *a, const dvFront *b)
{
  const int32_t x[] = {a->first, a->cols, a->rows, a->parent, a->child, a->children, a->task, a->shared};
  const int32_t y[] = {b->first, b->cols, b->rows, b->parent, b->child, b->children, b->task, b->shared};
  check_same_numbers(x, y, DV_COUNT(x));
  assert_true(a->row == b->row && a->entry == b->entry && a->lower == b->lower && a->update == b->update);
}

static void check_same_analysis(const dvLdlSymbolic *a, const dvLdlSymbolic *b)
{
  assert_int_equal(a->n, b->n);
  assert_int_equal(a->fronts, b->fronts);
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->tasks, b->tasks);
  assert_int_equal(a->tops, b->tops);
  check_close(a->flops, b->flops, 0);
  check_close(a->work, b->work, 0);
  assert_true(a->lower == b->lower && a->arena == b->arena && a->shared == b->shared && a->left == b->left &&
              a->scratch == b->scratch && a->scratch_top == b->scratch_top && a->most_rows == b->most_rows);
  check_same_numbers(a->perm, b->perm, a->n);
  check_same_numbers(a->inverse, b->inverse, a->n);
  check_same_numbers(a->front_of, b->front_of, a->n);
  check_same_numbers(a->top, b->top, (size_t)a->tops);
  for (int32_t i = 0; i < a->fronts; i++) {
    check_same_front(&a->front[i], &b->front[i]);
    check_same_numbers(a->child + a->front[i].child, b->child + b->front[i].child, (size_t)a->front[i].children);
    size_t rows = (size_t)(a->front[i].rows / a->block);
    check_same_numbers(a->row + a->front[i].row, b->row + b->front[i].row, rows);
    if (a->front[i].parent >= 0) check_same_numbers(a->place + a->front[i].row, b->place + b->front[i].row, rows);
    assert_memory_equal(&a->shape[i], &b->shape[i], sizeof a->shape[i]);
  }
  for (int32_t k = 0; k < a->tasks; k++)
    assert_true(a->task[k].begin == b->task[k].begin && a->task[k].end == b->task[k].end &&
                a->task[k].flops == b->task[k].flops && a->task[k].left == b->task[k].left);
  assert_int_equal(a->front[a->fronts].entry, b->front[b->fronts].entry);
  assert_memory_equal(a->entry, b->entry, a->front[a->fronts].entry * sizeof *a->entry);
}

static size_t random_point(const Grid *g, uint64_t *seed)
{
  return (size_t)((check_random(seed) + 1) / 2 * (double)(g->count - 1));
}

// removes or doubles points around a random one; at times so many that the tree becomes another
static void change_grid(Grid *g, int change, uint64_t *seed)
{
  size_t centre = random_point(g, seed), most = change % 7 == 6 ? 60 : 1 + (size_t)change % 3;
  int side = (int)g->side, at = g->place[centre], reach = change % 7 == 6 ? 5 : 1;
  for (size_t i = g->count; i-- > 0 && most > 0 && g->count > 40;) {
    int cell = g->place[i];
    if (abs(cell % side - at % side) > reach || abs(cell / side - at / side) > reach) continue;
    if (change % 2 && g->count < g->side * g->side * 3 / 2) grid_double(g, i);
    else grid_remove(g, i);
    most--;
  }
}

// a round piece of the grid comes off
static void tear_off(Grid *g, int32_t part, uint64_t *seed)
{
  int side = (int)g->side, at = g->place[random_point(g, seed)];
  double reach = 2 + 5 * fabs(check_random(seed));
  for (size_t i = 0; i < g->count; i++)
    if (hypot(g->place[i] % side - at % side, g->place[i] / side - at / side) < reach) g->part[i] = part;
}

// Of a mesh that changes here and there, only what the changes reach is looked at, and what is found is what an
// analysis of the whole finds with the same order: every number of it. So it is after nothing has changed, after a
// change of all, and after pieces have come off, when fronts that stay become one with what is left above them.
enum { RUNS = 20 };

static void a_partial_analysis_is_that_of_the_whole(void **state)
{
  DV_UNUSED(state);
  double least = 1, mean = 0;
  int partial = 0;
  for (uint64_t run = 1; run <= RUNS; run++) {
    int block = run > RUNS / 2 ? 3 : 1;
    Grid g = grid_create(24);
    dvLdl f = {0};
    dvOrderHistory history = {0};
    dvBlockMatrix a = {0};
    uint64_t seed = run;
    for (int change = 0; change < 40; change++) {
      grid_matrix(&g, &a);
      int32_t *given = dv_alloc((2 * a.pattern.rows + 1) * sizeof *given), *used = given + a.pattern.rows;
      bool *moved = dv_alloc(a.pattern.rows + 1);
      dvOrderChoice choice = {.method = DV_ORDER_BEST, .used = used};
      dv_order_history_propose(&history, &a.pattern, given, moved, &choice);
      dvLdlSymbolic *whole =
          dv_ldl_symbolic_create(&a.pattern, block, DV_KERNEL_CHOOSE_WIDE(dv_front_kernels)->lanes, &choice, NULL);
      assert_non_null(whole);
      assert_true(dv_ldl_analyse_again(&f, &a.pattern, block, DV_ORDER_BEST, &history));
      check_same_analysis(f.symbolic, whole);
      assert_int_equal(whole->looked, a.pattern.rows);
      if (history.analyses == 2) check_same_numbers(history.order.data, used, a.pattern.rows);
      if (f.symbolic->looked < f.symbolic->n) {
        double part = (double)f.symbolic->looked / (double)f.symbolic->n;
        least = dv_min(least, part);
        mean += part;
        partial++;
      }
      if (change % 5 == 4 && block == 1) check_solves(&f, &a);
      dv_ldl_symbolic_release(whole);
      dv_free(given);
      dv_free(moved);
      dv_block_matrix_free(&a);
      if (change % 10 == 9) continue;   // the same again
      if (run % 2 && change % 3) tear_off(&g, change + 1, &seed);
      else change_grid(&g, change, &seed);
    }
    dv_ldl_free(&f);
    dv_order_history_free(&history);
    dv_free(g.place);
  }
  print_message("%d of %d analyses looked at a part, %.0f %% of the points in the mean, %.0f %% at least\n", partial,
                40 * RUNS, 100 * mean / partial, 100 * least);
  assert_true(partial > 25 * RUNS && mean / partial < 0.7 && least < 0.2);
}

static void near_is_a_permutation(void **state)
{
  DV_UNUSED(state);
  Grid g = grid_create(8);
  dvBlockMatrix was = {0}, now = {0};
  int32_t before[64], after[128];
  bool seen[128] = {0};
  grid_matrix(&g, &was);
  assert_true(dv_order(DV_ORDER_AMD, &was.pattern, before));
  // nothing changed: the order stays
  assert_true(dv_order_near(&was.pattern, before, &was.pattern, after, NULL));
  assert_memory_equal(before, after, sizeof before);
  for (size_t i = 0; i < 20; i++) grid_remove(&g, i);
  for (size_t i = 0; i < 30; i++) grid_double(&g, i);
  grid_matrix(&g, &now);
  assert_true(dv_order_near(&was.pattern, before, &now.pattern, after, NULL));
  for (size_t k = 0; k < g.count; k++) {
    assert_true(after[k] >= 0 && (size_t)after[k] < g.count && !seen[after[k]]);
    seen[after[k]] = true;
  }
  // from nothing, and to nothing
  assert_true(dv_order_near(&(dvPattern){.row_start = (int32_t[]){0}}, NULL, &now.pattern, after, NULL));
  for (size_t k = 0; k < g.count; k++) assert_int_equal(after[k], k);
  assert_true(dv_order_near(&now.pattern, after, &(dvPattern){.row_start = (int32_t[]){0}}, after, NULL));
  dv_block_matrix_free(&was);
  dv_block_matrix_free(&now);
  dv_free(g.place);
}

static void run_changes(Grid *g, dvOrderHistory *history, dvLdl *f, int from, int to)
{
  dvBlockMatrix a = {0};
  for (int change = from; change < to; change++) {
    grid_matrix(g, &a);
    assert_true(dv_ldl_analyse_again(f, &a.pattern, 1, DV_ORDER_BEST, history));
    check_solves(f, &a);
    grid_remove(g, (size_t)(7 * change + 5));
    grid_double(g, (size_t)(11 * change + 3));
    dv_block_matrix_free(&a);
  }
}

static void pass_on(dvOrderHistory *h, dvSnapshot *memory, dvMemoryMode mode)
{
  dvMemoryStream s = {.mode = mode, .memory = memory, .object = 1};
  if (mode == DV_MEMORY_SAVES) dv_push(&memory->objects, ((dvMemoryObject){0}));
  dv_order_history_remember(h, &s);
  assert_false(s.refused);
  dv_text_free(&s.why);
}

// a history that was saved, after any number of changes, goes on as the one that was not
static void what_is_remembered_goes_on(void **state)
{
  DV_UNUSED(state);
  for (int saved = 0; saved <= 5; saved++) {
    Grid g = grid_create(20), copy;
    dvOrderHistory one = {0}, two = {0};
    dvLdl f = {0}, again = {0};
    dvSnapshot memory = {0};
    run_changes(&g, &one, &f, 0, saved);
    copy = grid_create(20);
    memcpy(copy.place, g.place, 2 * 400 * sizeof *g.place);
    copy.count = g.count;
    pass_on(&one, &memory, DV_MEMORY_SAVES);
    pass_on(&two, &memory, DV_MEMORY_RESTORES);
    run_changes(&g, &one, &f, saved, 8);
    run_changes(&copy, &two, &again, saved, 8);
    assert_int_equal(one.analyses, two.analyses);
    assert_int_equal(one.order.count, two.order.count);
    assert_memory_equal(one.order.data, two.order.data, one.order.count * sizeof *one.order.data);
    assert_memory_equal(f.lower, again.lower, dv_ldl_stored(&f) * sizeof *f.lower);
    dv_snapshot_free(&memory);
    dv_ldl_free(&f);
    dv_ldl_free(&again);
    dv_order_history_free(&one);
    dv_order_history_free(&two);
    dv_free(g.place);
    dv_free(copy.place);
  }
}

static void bad_memories_are_refused(void **state)
{
  DV_UNUSED(state);
  static const int32_t rows[] = {0, 2, 4}, cols[] = {0, 1, 0, 1}, order[] = {1, 0};
  for (int fault = 0; fault < 6; fault++) {
    dvOrderHistory h = {.analyses = fault == 5 ? 7 : 2};
    for (int i = 0; i < 3; i++) dv_push(&h.row_start, rows[i]);
    for (int i = 0; i < 4; i++) dv_push(&h.col, cols[i]);
    for (int i = 0; i < 2; i++) dv_push(&h.order, order[i]);
    if (fault == 1) h.order.data[0] = 0;        // a row twice
    if (fault == 2) h.order.data[1] = 9;        // no such row
    if (fault == 3) h.col.data[2] = -1;         // no such column
    if (fault == 4) h.row_start.data[1] = 40;   // beyond the columns
    dvSnapshot memory = {0};
    dvMemoryStream save = {.mode = DV_MEMORY_SAVES, .memory = &memory};
    dv_push(&memory.objects, ((dvMemoryObject){0}));
    dv_order_history_remember(&h, &save);
    dvOrderHistory read = {0};
    dvMemoryStream restore = {.mode = DV_MEMORY_RESTORES, .memory = &memory, .object = 1};
    dv_order_history_remember(&read, &restore);
    assert_int_equal(restore.refused, fault > 0);
    dv_text_free(&restore.why);
    dv_snapshot_free(&memory);
    dv_order_history_free(&h);
    dv_order_history_free(&read);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_keep_the_order),   cmocka_unit_test(changes_leave_most_of_a_factor),
      cmocka_unit_test(near_is_a_permutation),    cmocka_unit_test(what_is_remembered_goes_on),
      cmocka_unit_test(bad_memories_are_refused), cmocka_unit_test(a_partial_analysis_is_that_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
