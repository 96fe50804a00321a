// Several simulations in one process, each with a context and a thread of its own: the same answers as one after the
// other. Runs under ThreadSanitizer too.
#include "support/check.h"
#include "support/scene.h"

#include "divan/divan.h"

#include <pthread.h>
#include <string.h>

static const char *const files[] = {"scenes/liver.scn", "scenes/SparseLDLSolver.scn", "scenes/FreeRigidBody.scn",
                                    "scenes/BoxROI.scn"};
enum { STEPS = 4, THREADS = 4 };

typedef struct Job {
  const char *file;
  uint64_t hash;
  int status, mistakes;
} Job;

static void count(void *user, const divanMessage *m) { *(int *)user += m->level > 2; }

static void *simulate(void *user)
{
  Job *job = user;
  dvContext *c = divan_create(2);
  divan_listen(c, count, &job->mistakes);
  char *path = dv_format("%s/%s", DIVAN_SOURCE_DIR, job->file);
  dvScene *s = divan_load(c, path);
  job->status = s ? divan_init(s) : DIVAN_INPUT;
  for (int i = 0; i < STEPS && job->status == DIVAN_OK; i++) job->status = divan_step(s, 0);
  if (s) job->hash = divan_hash(s);
  divan_close(&s);
  // a scene with mistakes beside the others
  const char *wrong = "<Node><Nothing/><MechanicalObject position='x'/></Node>";
  s = divan_parse(c, wrong, strlen(wrong));
  divan_close(&s);
  divan_destroy(&c);
  dv_free(path);
  return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
  DV_UNUSED(state);
  Job alone[DV_COUNT(files)], together[THREADS];
  for (size_t i = 0; i < DV_COUNT(files); i++) {
    alone[i] = (Job){.file = files[i]};
    simulate(&alone[i]);
    if (alone[i].status != DIVAN_OK) print_error("%s: status %d\n", files[i], alone[i].status);
    assert_int_equal(alone[i].status, DIVAN_OK);
  }
  for (int round = 0; round < 2; round++) {
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
      together[i] = (Job){.file = files[(i + (size_t)round) % DV_COUNT(files)]};
      assert_int_equal(pthread_create(&threads[i], NULL, simulate, &together[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
      pthread_join(threads[i], NULL);
      const Job *same = &alone[(i + (size_t)round) % DV_COUNT(files)];
      assert_int_equal(together[i].status, DIVAN_OK);
      assert_int_equal(together[i].mistakes, same->mistakes);
      assert_true(together[i].hash == same->hash);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_disturb_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
