// AsyncSparseLDLSolver: the factorisation runs in a thread of its own while steps go on with the factor of an older
// matrix (Courtecuisse et al. 2010). Alone it solves a little wrongly; as preconditioner, warped with the points
// (warp.c), it costs a few more iterations.
//
// A factorisation that begins in one step is adopted `adoptAfter` steps later: a step waits for it then, if it must, so
// that results do not depend on the clock. With `realtime` in the context it is adopted by the first step that finds it
// ready, and no step ever waits.
//
// Only the first matrix, and the first one after the pattern has changed, is factorised by the step itself. Of the
// others the step adds what is little work; the sums over the elements of meshes are left to the thread as well
// (dv_assembly_finish). They read what forces keep of the present positions, so that they have to end with the solution
// of the step: if the thread has not come to them by then, the step adds them up itself.
#include "linear/classes.h"
#include "linear/direct/factor.h"
#include "linear/direct/orderings.h"
#include "linear/solver.h"

#include "scene/timer.h"

#include <pthread.h>
#include <sched.h>

#define ASYNC_FIELDS(X)                                                                                              \
  X(link, orderingMethod, "", "", "component that chooses the order of elimination; the one of the node by default") \
  X(bool, precomputeSymbolicDecomposition, "1", "", "accepted: the pattern is analysed again only when it changes",  \
    .flags = DV_HIDDEN)                                                                                              \
  X(int, L_nnz, "0", "", "numbers in the factor, without the diagonal", .flags = DV_READ_ONLY)                       \
  X(bool, enableAssembly, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)                                 \
  X(int, adoptAfter, "15", "steps",                                                                                  \
    "steps from the beginning of a factorisation to the use of its factor; in real time, as soon as it is ready")

typedef enum Phase {
  IDLE,
  BEGUN,    // a matrix was handed over, parts of which are still to be added
  ADDING,   // by the thread or by the step
  WHOLE,    // the step has added them: the thread can factorise
  WORKING,
  DONE
} Phase;

// What the thread and the steps share.
typedef struct Worker {
  pthread_t thread;
  bool exists;
  dvMemory *memory;   // for whom it works
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Phase phase;
  bool stop;
  // the thread's while it works
  dvLdl *factor;
  dvAssembly *assembly;   // the system's, which waits with changing its matrix
  bool good;
  size_t pivot;
} Worker;

typedef struct AsyncLdl {
  dvLinearSolver solver;
  ASYNC_FIELDS(DV_MEMBER)
  dvLdl factor[2];
  int used;   // the factor that solves; the other one is the worker's
  Worker worker;
  dvAssembly *lent;    // whose matrix the worker may be reading
  int age;             // steps since the worker began
  unsigned analysed;   // stamp of the pattern
  bool analysed_once;
  dvOrderHistory orders;
  DV_ARRAY(double) work;
  dvLdlBatch *batch;   // of compliances
  // put back: the factors that the next step begins with
  bool resumed, working;   // working: the second one is not in use yet
  int kept_used;
  DV_ARRAY(double) kept[2];
} AsyncLdl;

#define SELF AsyncLdl
static const dvFieldDesc async_fields[] = {ASYNC_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- the thread ----------------------------------------------------------------------------------

// Where all cores are taken, waking it must not push the step that wakes it aside.
static void stand_back(void)
{
#ifdef SCHED_BATCH
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &(struct sched_param){0});
#endif
}

// with the lock held
static void enter(Worker *w, Phase phase)
{
  w->phase = phase;
  pthread_cond_broadcast(&w->changed);
}

// with the lock held, which it gives up meanwhile
static void add_up(Worker *w, dvPool *pool)
{
  enter(w, ADDING);
  pthread_mutex_unlock(&w->lock);
  dv_assembly_finish(w->assembly, pool);
  pthread_mutex_lock(&w->lock);
}

static void *work(void *user)
{
  Worker *w = user;
  stand_back();
  dv_memory_enter(w->memory);
  pthread_mutex_lock(&w->lock);
  for (;;) {
    while (w->phase != BEGUN && w->phase != WHOLE && !w->stop) pthread_cond_wait(&w->changed, &w->lock);
    if (w->stop) break;
    if (w->phase == BEGUN) add_up(w, NULL);   // the pool belongs to the steps
    enter(w, WORKING);
    pthread_mutex_unlock(&w->lock);
    w->good = dv_ldl_factorise(w->factor, &w->assembly->matrix, NULL, DV_LDL_SMALL, &w->pivot);
    pthread_mutex_lock(&w->lock);
    enter(w, DONE);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static void set_phase(Worker *w, Phase phase)
{
  pthread_mutex_lock(&w->lock);
  enter(w, phase);
  pthread_mutex_unlock(&w->lock);
}

// IDLE, DONE, or WORKING for what is in between; first waits until the thread is no longer at work, if asked to
static Phase look(Worker *w, bool wait)
{
  pthread_mutex_lock(&w->lock);
  while (wait && w->phase != IDLE && w->phase != DONE) pthread_cond_wait(&w->changed, &w->lock);
  Phase phase = w->phase == IDLE || w->phase == DONE ? w->phase : WORKING;
  pthread_mutex_unlock(&w->lock);
  return phase;
}

static void async_ldl_settle(dvObject *o)
{
  AsyncLdl *s = (AsyncLdl *)o;
  Worker *w = &s->worker;
  dv_timer_begin(o->context->timers, "settle");
  pthread_mutex_lock(&w->lock);
  if (w->phase == BEGUN) {
    add_up(w, o->context->pool);
    enter(w, WHOLE);
  }
  while (w->phase == ADDING) pthread_cond_wait(&w->changed, &w->lock);
  pthread_mutex_unlock(&w->lock);
  dv_timer_end(o->context->timers);
}

// the matrix is about to change or to go away
static void async_ldl_release(dvObject *o)
{
  AsyncLdl *s = (AsyncLdl *)o;
  look(&s->worker, true);
  s->lent = NULL;
}

static void begin(AsyncLdl *s)
{
  Worker *w = &s->worker;
  w->assembly = s->lent = dv_linear_system(s->solver.system)->assembly;
  s->lent->release = async_ldl_release;
  s->lent->reader = &s->solver.base;
  w->factor = &s->factor[1 - s->used];
  s->age = 0;
  s->solver.started = s->solver.prepared;
  if (!w->exists) w->memory = dv_memory_owner();
  if (!w->exists) w->exists = pthread_create(&w->thread, NULL, work, w) == 0;
  if (w->exists) {
    set_phase(w, BEGUN);
    return;
  }
  dv_assembly_finish(w->assembly, s->solver.base.context->pool);   // no thread to be had
  w->good = dv_ldl_factorise(w->factor, &w->assembly->matrix, NULL, DV_LDL_SMALL, &w->pivot);
  w->phase = DONE;
}

// --- steps ---------------------------------------------------------------------------------------

static dvStatus async_ldl_init(dvObject *o)
{
  AsyncLdl *s = (AsyncLdl *)o;
  if (s->adoptAfter < 1)
    return dv_field_error(o, &s->adoptAfter, "1 adopts a factor in the step after the one that began it",
                          "adoptAfter %d is below 1", s->adoptAfter);
  if (!s->worker.factor) {
    pthread_mutex_init(&s->worker.lock, NULL);
    pthread_cond_init(&s->worker.changed, NULL);
    s->worker.factor = &s->factor[1];
  }
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class);
}

static dvStatus async_ldl_analyse(AsyncLdl *s, const dvBlockMatrix *a)
{
  dvObject *o = &s->solver.base;
  unsigned stamp = dv_linear_system(s->solver.system)->assembly->pattern_stamp;
  if (s->analysed_once && s->analysed == stamp) return DV_OK;
  look(&s->worker, true);
  set_phase(&s->worker, IDLE);
  s->analysed_once = false;
  if (!dv_ldl_analyse_again(&s->factor[0], &a->pattern, a->block, dv_ordering_of(o, s->orderingMethod.target),
                            &s->orders) ||
      !dv_ldl_analyse_like(&s->factor[1], &s->factor[0]))
    return dv_error(o, "use an iterative solver (CGLinearSolver)", "out of memory for the factor of %zu unknowns",
                    dv_block_matrix_rows(a));
  s->analysed = stamp;
  s->analysed_once = true;
  s->used = 0;
  s->L_nnz = (int32_t)dv_min_size(dv_ldl_count(&s->factor[0]) * (size_t)(a->block * a->block), INT32_MAX);
  dv_array_resize(&s->work, dv_ldl_work(&s->factor[0]) + 2 * dv_ldl_rows(&s->factor[0]));
  return DV_OK;
}

static dvStatus async_ldl_adopt(AsyncLdl *s)
{
  Worker *w = &s->worker;
  set_phase(w, IDLE);
  if (!w->good) return dv_linear_solver_report(&s->solver.base, w->factor, w->pivot);
  s->used = 1 - s->used;
  s->solver.solves = s->solver.started;
  return DV_OK;
}

// --- memory: both factors, as numbers ---

// a run that is saved waits for the thread, which changes nothing: its factor is taken when it is due
static void async_ldl_remember(dvObject *o, dvMemoryStream *stream)
{
  AsyncLdl *s = (AsyncLdl *)o;
  bool restores = dv_memory_restores(stream), working = s->working;
  int used = s->kept_used;
  look(&s->worker, true);
  if (!restores && !s->resumed) {
    used = s->used;
    working = look(&s->worker, false) == DONE;
  }
  dv_linear_solver_remember(o, stream);
  dv_order_history_remember(&s->orders, stream);
  dv_remember_numbers(stream, "age", &s->age, sizeof s->age);
  dv_remember_numbers(stream, "used", &used, sizeof used);
  dv_remember_numbers(stream, "working", &working, sizeof working);
  for (int i = 0; i < 2; i++) {
    bool there = s->factor[i].valid && (i == used || working);
    if (restores || s->resumed) dv_remember_array(stream, "factor", &s->kept[i]);
    else dv_ldl_remember(there ? &s->factor[i] : NULL, stream, "factor");
  }
  if (!restores) return;
  set_phase(&s->worker, IDLE);
  s->factor[0].valid = s->factor[1].valid = false;
  s->resumed = true;
  s->kept_used = used;
  s->working = working;
}

static bool async_ldl_restored(dvObject *o)
{
  AsyncLdl *s = (AsyncLdl *)o;
  s->analysed_once = false;
  return (s->kept_used == 0 || s->kept_used == 1) && dv_linear_solver_restored(o);
}

// takes over the factors that were put back; without them the first matrix is factorised as ever
static dvStatus async_ldl_resume(AsyncLdl *s)
{
  if (!s->resumed) return DV_OK;
  s->resumed = false;
  s->used = s->kept_used;
  bool fits = true;
  for (int i = 0; i < 2; i++) {
    if (s->kept[i].count) fits = dv_ldl_assign(&s->factor[i], s->kept[i].data, s->kept[i].count) && fits;
    dv_array_free(&s->kept[i]);
  }
  if (!fits)
    return dv_error(&s->solver.base, "restore it with the instruction set it was saved with (DIVAN_ISA)",
                    "the factor of the snapshot does not fit the matrix");
  if (!s->working || !s->factor[1 - s->used].valid) return DV_OK;
  s->worker.factor = &s->factor[1 - s->used];
  s->worker.good = true;
  set_phase(&s->worker, DONE);
  return DV_OK;
}

static dvStatus async_ldl_prepare(dvObject *o)
{
  AsyncLdl *s = (AsyncLdl *)o;
  dvLinearSystem *system = dv_linear_system(s->solver.system);
  const dvBlockMatrix *a;
  bool changed, realtime = o->context->realtime;
  unsigned started = s->solver.started, solves = s->solver.solves, prepared = s->solver.prepared;
  size_t pivot;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  changed = prepared != system->stamp;
  DV_TRY(async_ldl_analyse(s, a));
  DV_TRY(async_ldl_resume(s));
  if (!s->factor[s->used].valid) {
    if (!dv_ldl_factorise(&s->factor[s->used], a, o->context->pool, DV_LDL_SMALL, &pivot))
      return dv_linear_solver_report(o, &s->factor[s->used], pivot);
    system->later = true;
    return DV_OK;
  }
  s->solver.started = started, s->solver.solves = solves;
  s->age++;
  bool due = s->age >= s->adoptAfter;
  Phase phase = look(&s->worker, due && !realtime);
  if (phase == DONE && (due || realtime)) {
    DV_TRY(async_ldl_adopt(s));
    phase = IDLE;
  }
  if (phase == IDLE && changed) begin(s), phase = WORKING;
  else if (changed) dv_assembly_finish(system->assembly, o->context->pool);
  // a matrix that would not be taken in the next step need not be built
  system->busy = phase != IDLE && (realtime ? look(&s->worker, false) == WORKING : s->age + 1 < s->adoptAfter);
  return DV_OK;
}

static void async_ldl_apply(dvObject *o, double *x, const double *rhs)
{
  AsyncLdl *s = (AsyncLdl *)o;
  dv_ldl_solve_with(&s->factor[s->used], o->context->pool, rhs, x, s->work.data);
}

static dvStatus async_ldl_compliance(dvObject *o, const dvSparseRows *rows, double *w)
{
  AsyncLdl *s = (AsyncLdl *)o;
  return dv_linear_solver_compliance_by_factor(o, &s->factor[s->used], &s->batch, rows, w);
}

static void async_ldl_destroy(dvObject *o)
{
  AsyncLdl *s = (AsyncLdl *)o;
  Worker *w = &s->worker;
  if (w->exists) {
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
  }
  if (s->lent) s->lent->release = NULL;
  if (w->factor) {
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
  }
  dv_order_history_free(&s->orders);
  for (int i = 0; i < 2; i++) dv_ldl_free(&s->factor[i]);
  for (int i = 0; i < 2; i++) dv_array_free(&s->kept[i]);
  dv_array_free(&s->work);
  dv_ldl_batch_destroy(&s->batch);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps async_ldl_ops = {.solve = dv_linear_solver_solve,
                                                .prepare = async_ldl_prepare,
                                                .apply = async_ldl_apply,
                                                .settle = async_ldl_settle,
                                                .compliance = async_ldl_compliance};

const dvClass dv_async_ldl_class = {
    .struct_size = sizeof(dvClass),
    .name = "AsyncSparseLDLSolver",
    .help =
        "solves symmetric systems with a sparse LDL^T factor that is computed beside the steps and is some steps old",
    .module = "Sofa.Component.LinearSolver.Direct",
    .size = sizeof(AsyncLdl),
    .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(async_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &async_ldl_ops},
    .init = async_ldl_init,
    .destroy = async_ldl_destroy,
    .remember = async_ldl_remember,
    .restored = async_ldl_restored,
};
