// Outboxes and scratch memory: messages that are whole and never go back, arenas that a thread has for itself. Runs
// under ThreadSanitizer too.
#include "support/check.h"

#include "base/outbox.h"
#include "base/pool.h"

#include <pthread.h>
#include <string.h>

// --- outbox --------------------------------------------------------------------------------------

static void a_reader_gets_the_newest(void **state)
{
  DV_UNUSED(state);
  dvOutbox o;
  bool fresh = true;
  size_t bytes = 1;
  dv_outbox_init(&o);
  assert_null(dv_outbox_take(&o, &bytes, &fresh));
  assert_int_equal(bytes, 0);
  assert_false(fresh);
  for (int i = 0; i < 5; i++) {
    int *to = dv_outbox_begin(&o, sizeof *to);
    assert_non_null(to);
    assert_int_equal((uintptr_t)to % 64, 0);
    *to = i;
    dv_outbox_publish(&o);
  }
  const int *got = dv_outbox_take(&o, &bytes, &fresh);
  assert_int_equal(*got, 4);   // the others were overtaken
  assert_int_equal(bytes, sizeof *got);
  assert_true(fresh);
  *(int *)dv_outbox_begin(&o, sizeof *got) = 5;   // not published: nothing changes for the reader
  assert_ptr_equal(dv_outbox_take(&o, NULL, &fresh), got);
  assert_false(fresh);
  assert_int_equal(*got, 4);
  dv_outbox_publish(&o);
  got = dv_outbox_take(&o, NULL, &fresh);
  assert_true(fresh);
  assert_int_equal(*got, 5);
  dv_outbox_free(&o);
}

enum { MESSAGES = 20000, LONGEST = 200 };

// message i: its length, then i that many times
static void *write_messages(void *user)
{
  dvOutbox *o = user;
  for (size_t i = 1; i <= MESSAGES; i++) {
    size_t length = 1 + i * 7 % LONGEST, *to = dv_outbox_begin(o, (length + 1) * sizeof *to);
    to[0] = length;
    for (size_t k = 1; k <= length; k++) to[k] = i;
    dv_outbox_publish(o);
  }
  return NULL;
}

static void messages_are_whole_and_in_order(void **state)
{
  DV_UNUSED(state);
  dvOutbox o;
  pthread_t writer;
  dv_outbox_init(&o);
  assert_int_equal(pthread_create(&writer, NULL, write_messages, &o), 0);
  size_t last = 0, bad = 0, got = 0;
  while (last < MESSAGES && bad == 0) {
    bool fresh;
    size_t bytes;
    const size_t *m = dv_outbox_take(&o, &bytes, &fresh);
    if (!m) continue;
    bad += bytes != (m[0] + 1) * sizeof *m || m[0] != 1 + m[1] * 7 % LONGEST;
    bad += fresh ? m[1] <= last : m[1] != last;
    for (size_t k = 2; k <= m[0]; k++) bad += m[k] != m[1];
    last = m[1];
    got += fresh;
  }
  pthread_join(writer, NULL);
  assert_int_equal(bad, 0);
  assert_true(got > 0);
  dv_outbox_free(&o);
}

// --- scratch -------------------------------------------------------------------------------------

static void an_arena_is_a_stack_that_settles_in_one_block(void **state)
{
  DV_UNUSED(state);
  dvArena a = {0};
  const char *data = NULL;
  for (int round = 0; round < 4; round++) {
    dvMark all = dv_arena_mark(&a);
    double *small = dv_arena_take(&a, 10 * sizeof *small);
    for (int i = 0; i < 10; i++) small[i] = i;
    dvMark inner = dv_arena_mark(&a);
    char *large = dv_arena_take(&a, 300000), *next = dv_arena_take(&a, 5);
    assert_int_equal((uintptr_t)large % 64 + (uintptr_t)next % 64 + (uintptr_t)small % 64, 0);
    memset(large, 1, 300000);
    memset(next, 2, 5);
    assert_true(next >= large + 300000 || next + 5 <= large);
    dv_arena_release(&a, inner);
    char *again = dv_arena_take(&a, 100);   // the place of what was given back
    memset(again, 3, 100);
    for (int i = 0; i < 10; i++) check_close(small[i], i, 0);
    dv_arena_release(&a, all);
    assert_int_equal(a.blocks.count, 1);
    assert_int_equal(a.blocks.data[0].used, 0);
    if (round > 0) assert_ptr_equal(a.blocks.data[0].data, data);   // nothing is allocated any more
    data = a.blocks.data[0].data;
  }
  dv_arena_free(&a);
}

typedef struct Job {
  dvPool *pool;
  int wrong[1000];
} Job;

static void use_scratch(void *user, size_t begin, size_t end)
{
  Job *j = user;
  for (size_t i = begin; i < end; i++) {
    dvArena *a = dv_scratch(j->pool);
    dvMark mark = dv_arena_mark(a);
    size_t n = 100 + i, *numbers = dv_arena_take(a, n * sizeof *numbers);
    for (size_t k = 0; k < n; k++) numbers[k] = i;
    for (size_t k = 0; k < n; k++) j->wrong[i] += numbers[k] != i;
    dv_arena_release(a, mark);
  }
}

static void threads_have_scratch_of_their_own(void **state)
{
  DV_UNUSED(state);
  for (int threads = 1; threads <= 4; threads++) {
    Job j = {.pool = dv_pool_create(threads)};
    dvArena *mine = dv_scratch(j.pool);
    dvMark mark = dv_arena_mark(mine);
    double *kept = dv_arena_take(mine, 1000 * sizeof *kept);
    for (int i = 0; i < 1000; i++) kept[i] = i;
    for (int round = 0; round < 50; round++) dv_parallel_for(j.pool, DV_COUNT(j.wrong), 3, use_scratch, &j);
    for (size_t i = 0; i < DV_COUNT(j.wrong); i++) assert_int_equal(j.wrong[i], 0);
    for (int i = 0; i < 1000; i++) check_close(kept[i], i, 0);
    dv_arena_release(mine, mark);
    dv_pool_destroy(&j.pool);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reader_gets_the_newest),
      cmocka_unit_test(messages_are_whole_and_in_order),
      cmocka_unit_test(an_arena_is_a_stack_that_settles_in_one_block),
      cmocka_unit_test(threads_have_scratch_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
