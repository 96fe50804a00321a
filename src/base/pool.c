// One job at a time: workers watch an epoch counter, enter through a gate, take chunks from a
// shared cursor and leave. The caller works too, then closes the gate; it waits only for workers
// that are inside, never for one that has yet to wake up.
//
// Whether workers pay is measured, for each loop by its body and length. On cores that other programs use too, a worker
// comes late, takes the caller's place, or loses its core with a chunk in hand, and a short loop is sooner done alone.
// So a loop's mean time is kept for both ways, over windows of 20 ms of it (2 ms at first); it goes the faster way,
// and tries the other one after 4, 8 … 64 windows, or when it has become slower. A trial that begins badly ends after
// two loops, or one of 2 ms: on idle cores it costs next to nothing.
//
// That takes long where many short loops follow each other. Another program that begins to use a core is noticed by all
// of them together: when 10 ms of loops with workers take longer than the same loops would alone, workers are left out
// for 16 ms, and for twice as long each time that the next 10 ms are no better.
//
// Only times depend on this: chunks are the same, whoever does them.
#include "base/pool.h"

#include "base/clock.h"
#include "base/text.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPINS = 64, PATIENCE = 40000, CLOSED = -1 };   // turns between looks at the clock, and before the core is given
#define AWAKE 2e-4                                    // seconds before a worker goes to sleep: to wake it is dear
enum { LOOPS = 256, PLACES = 4 };                     // whose times are kept, and where each may stand
enum { ALONE, TOGETHER };
enum { SAMPLES = 4, FIRST_TRIAL = 4, LAST_TRIAL = 64 };
#define WINDOW 0.02
#define FIRST_WINDOW 0.002
#define JOINT_WINDOW 0.01   // of all loops
#define FIRST_PAUSE 0.016   // without workers
#define LAST_PAUSE 0.256

typedef struct Loop {
  dvBody body;
  size_t count;
  int chosen, way;         // ALONE or TOGETHER: the better one so far, and the one that is measured now
  int windows, patience;   // until the other way is tried, and after the next trial
  int samples;             // of this window
  double seconds;
  double mean[2];   // of a loop, for each way; 0: not known yet
} Loop;

struct dvPool {
  int threads;
  dvArena *scratch;   // one a thread, the caller's first
  double least;       // ns of work that are worth handing over
  bool judges;        // whether workers that do not pay are left out
  Loop loops[LOOPS];
  int joint;                   // loops of this window
  double together, alone;      // seconds that they took with workers, and would have taken alone
  double pause, alone_until;   // how long workers were left out the last time, and until when
  pthread_t *workers;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  atomic_uint epoch;   // a new job has begun
  atomic_int sleeping;
  atomic_int gate;   // workers inside the job, or CLOSED
  atomic_bool stop;
  atomic_bool running;   // a job is under way: nested calls run in their caller
  // the job; written while the gate is closed, read inside it
  atomic_size_t cursor;
  size_t count, grain;
  dvBody body;
  void *user;
  dvMemory *memory;   // for whom it is
};

static inline void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static void run_chunks(dvPool *p)
{
  for (;;) {
    size_t begin = atomic_fetch_add_explicit(&p->cursor, p->grain, memory_order_relaxed);
    if (begin >= p->count) return;
    p->body(p->user, begin, dv_min_size(begin + p->grain, p->count));
  }
}

static void wait_for_epoch(dvPool *p, unsigned seen)
{
  for (double begin = dv_now(); dv_now() - begin < AWAKE;)
    for (int i = 0; i < SPINS; i++) {
      if (atomic_load_explicit(&p->epoch, memory_order_acquire) != seen) return;
      pause_cpu();
    }
  pthread_mutex_lock(&p->lock);
  atomic_fetch_add(&p->sleeping, 1);
  while (atomic_load(&p->epoch) == seen) pthread_cond_wait(&p->wake, &p->lock);
  atomic_fetch_sub(&p->sleeping, 1);
  pthread_mutex_unlock(&p->lock);
}

static bool enter(dvPool *p)
{
  int inside = atomic_load(&p->gate);
  while (inside != CLOSED)
    if (atomic_compare_exchange_weak(&p->gate, &inside, inside + 1)) return true;
  return false;
}

static void close_gate(dvPool *p)
{
  int turns = 0;
  for (int empty = 0; !atomic_compare_exchange_weak(&p->gate, &empty, CLOSED); empty = 0)
    if (++turns < PATIENCE) pause_cpu();
    else sched_yield();   // a worker may wait for this very core
}

// which worker of which pool the present thread is; no pool for other threads
typedef struct Self {
  dvPool *pool;
  int index;
} Self;
static _Thread_local Self self;

dvArena *dv_scratch(dvPool *pool) { return &pool->scratch[self.pool == pool ? self.index : 0]; }

static void *work(void *argument)
{
  dvPool *p = ((Self *)argument)->pool;
  unsigned seen = 0;
  self = *(Self *)argument;
  dv_free(argument);
  for (;;) {
    wait_for_epoch(p, seen);
    seen = atomic_load(&p->epoch);
    if (atomic_load(&p->stop)) return NULL;
    if (!enter(p)) continue;
    dv_memory_enter(p->memory);
    run_chunks(p);
    dv_memory_enter(NULL);
    atomic_fetch_sub(&p->gate, 1);
  }
}

static void announce(dvPool *p)
{
  atomic_fetch_add(&p->epoch, 1);
  if (atomic_load(&p->sleeping) > 0) {
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
  }
}

dvPool *dv_pool_create(int threads)
{
  if (threads <= 0) threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (threads < 1) threads = 1;
  if (threads > 256) threads = 256;
  dvPool *p = dv_alloc(sizeof *p);
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->wake, NULL);
  p->workers = dv_alloc((size_t)threads * sizeof *p->workers);
  p->scratch = dv_alloc((size_t)threads * sizeof *p->scratch);
  atomic_store(&p->gate, CLOSED);
  const char *least = getenv("DIVAN_HAND_OVER");
  p->least = 20000;
  if (least) dv_scan_real(&least, &p->least);
  p->judges = p->least > 0;   // with 0 everything is handed over, for tests
  p->threads = 1;
  for (int i = 1; i < threads; i++) {
    Self *worker = dv_alloc(sizeof *worker);
    *worker = (Self){p, i};
    if (pthread_create(&p->workers[i], NULL, work, worker) != 0) {
      dv_free(worker);
      break;
    }
    p->threads++;
  }
  return p;
}

void dv_pool_destroy(dvPool **pool)
{
  dvPool *p = *pool;
  if (!p) return;
  atomic_store(&p->stop, true);
  announce(p);
  for (int i = 1; i < p->threads; i++) pthread_join(p->workers[i], NULL);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  for (int i = 0; i < p->threads; i++) dv_arena_free(&p->scratch[i]);
  dv_free(p->scratch);
  dv_free(p->workers);
  dv_free(p);
  *pool = NULL;
}

dvPool *dv_pool_for(dvPool *pool, double ns) { return pool && ns >= pool->least ? pool : NULL; }

int dv_pool_threads(const dvPool *pool) { return pool ? pool->threads : 1; }

// the loop's own place among PLACES that follow each other, or an empty one; the first when others have them all
static Loop *loop_of(dvPool *p, dvBody body, size_t count)
{
  const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t key = ((uint64_t)(uintptr_t)body ^ (uint64_t)count * odd) * odd;
  size_t first = (size_t)((key ^ key >> 32) * odd >> 32) % LOOPS;
  Loop *taken = &p->loops[first];
  for (size_t i = PLACES; i-- > 0;) {
    Loop *l = &p->loops[(first + i) % LOOPS];
    if (l->body == body && l->count == count) return l;
    if (!l->body) taken = l;
  }
  *taken =
      (Loop){body, count, .chosen = TOGETHER, .way = TOGETHER, .windows = 1, .patience = FIRST_TRIAL, .samples = -1};
  return taken;
}

static void begin_window(Loop *l, int way)
{
  l->way = way;
  l->samples = 0;
  l->seconds = 0;
}

static void end_trial(Loop *l)
{
  bool better = l->mean[l->way] < 0.95 * l->mean[l->chosen];
  if (better) l->chosen = l->way;
  l->windows = better ? FIRST_TRIAL : l->patience;
  l->patience = better ? 2 * FIRST_TRIAL : l->patience < LAST_TRIAL ? 2 * l->patience : LAST_TRIAL;
  begin_window(l, l->chosen);
}

static void note_time(Loop *l, double seconds)
{
  if (++l->samples == 0) return;   // the very first one: what it needs has to come from memory
  l->seconds += seconds;
  double mean = l->seconds / l->samples, *known = &l->mean[l->way];
  bool trial = l->way != l->chosen;
  bool tells = l->samples > 1 || l->seconds > FIRST_WINDOW;   // one of a long loop does
  if (trial && tells && mean > 1.2 * l->mean[l->chosen]) {
    *known = mean;
    end_trial(l);
    return;
  }
  if (l->samples < SAMPLES || l->seconds < (*known > 0 ? WINDOW : FIRST_WINDOW)) return;
  bool slower = *known > 0 && mean > 1.25 * *known;
  *known = *known > 0 && !trial ? 0.6 * *known + 0.4 * mean : mean;
  if (trial) end_trial(l);
  else if (slower || --l->windows <= 0) begin_window(l, l->chosen == ALONE ? TOGETHER : ALONE);
  else begin_window(l, l->chosen);
}

static void run_alone(size_t count, size_t grain, dvBody body, void *user)
{
  for (size_t i = 0; i < count; i += grain) body(user, i, dv_min_size(i + grain, count));
}

static void run_together(dvPool *p, size_t count, size_t grain, dvBody body, void *user)
{
  p->count = count;
  p->grain = grain;
  p->body = body;
  p->user = user;
  p->memory = dv_memory_owner();
  atomic_store_explicit(&p->cursor, 0, memory_order_relaxed);
  atomic_store(&p->gate, 0);
  announce(p);
  run_chunks(p);
  close_gate(p);
}

static void note_window(dvPool *p, double together, double alone)
{
  p->together += together;
  p->alone += alone;
  if (++p->joint < SAMPLES || p->together < JOINT_WINDOW) return;
  if (p->together <= p->alone) {
    p->pause = 0;
  } else {
    p->pause = p->pause > 0 ? dv_min(2 * p->pause, LAST_PAUSE) : FIRST_PAUSE;
    p->alone_until = dv_now() + p->pause;
  }
  p->together = p->alone = 0;
  p->joint = 0;
}

static void run_as_it_pays(dvPool *p, size_t count, size_t grain, dvBody body, void *user)
{
  Loop *l = loop_of(p, body, count);
  double begin = dv_now();
  bool together = l->way == TOGETHER, paused = together && begin < p->alone_until;
  if (together && !paused) run_together(p, count, grain, body, user);
  else run_alone(count, grain, body, user);
  double seconds = dv_now() - begin, *alone = &l->mean[ALONE];
  if (paused) {
    if (*alone > 0) *alone += 0.1 * (seconds - *alone);
    return;
  }
  note_time(l, seconds);
  if (together && *alone > 0) note_window(p, seconds, *alone);
}

void dv_parallel_for(dvPool *pool, size_t count, size_t grain, dvBody body, void *user)
{
  if (count == 0) return;
  if (grain == 0) grain = 1;
  bool alone = !pool || pool->threads == 1 || count <= grain;
  if (alone || atomic_exchange(&pool->running, true)) {
    run_alone(count, grain, body, user);
    return;
  }
  if (pool->judges) run_as_it_pays(pool, count, grain, body, user);
  else run_together(pool, count, grain, body, user);
  atomic_store(&pool->running, false);
}
