// A small pool of worker threads that spin briefly, then sleep.
//
// dv_parallel_for cuts a range into chunks; which thread runs which chunk is not fixed, so a body
// must write only to places that belong to its chunk. Chunk borders never depend on the number of
// threads: results are the same for any.
#ifndef DV_BASE_POOL_H
#define DV_BASE_POOL_H

#include "base/arena.h"

DV_PUBLIC_BEGIN

typedef struct dvPool dvPool;

// `threads` counts the caller too: 1 makes a pool without workers. 0 means the number of cores.
dvPool *dv_pool_create(int threads);
void dv_pool_destroy(dvPool **pool);
int dv_pool_threads(const dvPool *pool);   // NULL counts as 1

// The pool when work of about `ns` nanoseconds in one thread is worth handing over, NULL when the caller is sooner done
// alone. Waking a worker and waiting for it costs some microseconds, and a time slice where it has to share its core:
// the limit is 20,000 ns, or what DIVAN_HAND_OVER says when the pool is made.
dvPool *dv_pool_for(dvPool *pool, double ns);

// Scratch memory of the thread that asks: of a worker of the pool, else of its caller, of which there is one at a time.
dvArena *dv_scratch(dvPool *pool);

typedef void (*dvBody)(void *user, size_t begin, size_t end);
// Calls body on [0, count) in pieces of at most `grain`; returns when all are done. A NULL pool, or a count of at
// most one grain, runs in the caller. A call from inside a body runs in the caller too, and so does a loop whose
// workers have cost more than they did lately (they share their cores with other programs, say).
void dv_parallel_for(dvPool *pool, size_t count, size_t grain, dvBody body, void *user);

DV_PUBLIC_END

#endif
