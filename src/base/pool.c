// One job at a time: workers watch an epoch counter, enter through a gate, take chunks from a
// shared cursor and leave. The caller works too, then closes the gate; it waits only for workers
// that are inside, never for one that has yet to wake up.
#include "base/pool.h"

#include "base/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPINS = 4000, CLOSED = -1 };   // some 20 microseconds before a worker goes to sleep

struct dvPool {
  int threads;
  dvArena *scratch;   // one a thread, the caller's first
  double least;       // ns of work that are worth handing over
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
  for (int empty = 0; !atomic_compare_exchange_weak(&p->gate, &empty, CLOSED); empty = 0) pause_cpu();
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
  p->least = 40000;
  if (least) dv_scan_real(&least, &p->least);
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

void dv_parallel_for(dvPool *pool, size_t count, size_t grain, dvBody body, void *user)
{
  if (count == 0) return;
  if (grain == 0) grain = 1;
  bool alone = !pool || pool->threads == 1 || count <= grain;
  if (alone || atomic_exchange(&pool->running, true)) {
    for (size_t i = 0; i < count; i += grain) body(user, i, dv_min_size(i + grain, count));
    return;
  }
  pool->count = count;
  pool->grain = grain;
  pool->body = body;
  pool->user = user;
  pool->memory = dv_memory_owner();
  atomic_store_explicit(&pool->cursor, 0, memory_order_relaxed);
  atomic_store(&pool->gate, 0);
  announce(pool);
  run_chunks(pool);
  close_gate(pool);
  atomic_store(&pool->running, false);
}
