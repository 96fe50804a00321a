// divan run --distributed: one body over the processes that mpirun has started.
//
// Each process reads the scene, keeps its part of the mesh and steps it; rank 0 speaks. Whatever goes wrong in one
// process is known to all before the next exchange, so that none waits for ever.
#include "command.h"

#include "base/clock.h"
#include "base/file.h"
#include "distributed/spread.h"
#include "io/record/snapshot.h"
#include "io/scene/scene_file.h"
#include "state/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// messages of the other processes, told only when rank 0 has none of its own
typedef struct Hushed {
  int rank;
  dvText errors;
} Hushed;

static void hush(void *user, const dvMessage *m)
{
  Hushed *h = user;
  if (m->level < DV_ERROR) return;
  dv_text_printf(&h->errors, "rank %d: error: %s%s%s\n", h->rank, m->path ? m->path : "", m->path ? ": " : "", m->text);
  if (m->advice && *m->advice) dv_text_printf(&h->errors, "    %s\n", m->advice);
}

// what all know of a status: the worst
static dvStatus agree(const dvSpread *b, dvStatus mine) { return (dvStatus)b->engine->worst((int)mine); }

// at the end of a run that went wrong: who was wrong alone says why
static void tell(const dvSpread *b, const Hushed *h)
{
  int errors = b->context->log.counts[DV_ERROR];
  b->engine->broadcast(&errors, sizeof errors);
  if (b->rank && !errors && h->errors.length) fputs(h->errors.text, stderr);
}

// what a distributed run does not do, by name
static int check_options(const Options *r)
{
  const struct {
    const char *name;
    bool asked;
  } others[] = {{"--gnuplot", r->gnuplot},
                {"--csv", r->csv},
                {"--profile", r->profile},
                {"--dump-topology", r->dump_topology},
                {"--hash", r->hash},
                {"--stats", r->stats},
                {"--last-good", r->last_good},
                {"--realtime", r->realtime},
                {"--step-times", r->step_times}};
  for (size_t i = 0; i < DV_COUNT(others); i++)
    if (others[i].asked)
      return usage_error(&command_run,
                         "%s cannot be used with --distributed; --out, --dump-state, --save and --restore can",
                         others[i].name);
  return 0;
}

static bool write_vector(FILE *f, const char *label, const double *values, size_t count)
{
  fprintf(f, "  %s=", label);
  for (size_t i = 0; i < count; i++) dv_print(f, " %.17g", values[i]);
  return fputs("\n", f) >= 0;
}

// the same file as that of a run in one process
static bool dump_state(const Options *r, const dvSpread *b, size_t number, const dvState *s, const double *x,
                       const double *v)
{
  char *name = dv_format("%zu_%s.txt", number, s->base.name), *path = dv_path_join(r->dump_state, name);
  const size_t count = 3 * (number ? s->count : b->parts.all);
  FILE *f = dv_make_directories(r->dump_state) ? fopen(path, "we") : NULL;
  if (f) dv_print(f, "T= %.17g\n", b->scene->root->time);
  bool good = f && write_vector(f, "X", x, count) && write_vector(f, "V", v, count) && !ferror(f);
  if (f && fclose(f) != 0) good = false;
  if (!good) cannot_write(path);
  dv_free(name), dv_free(path);
  return good;
}

// the body, with its points in the order of the mesh file, and what follows it
static dvStatus dump(const Options *r, dvSpread *b)
{
  double *x = dv_spread_gather(b, DV_X), *v = dv_spread_gather(b, DV_V);
  bool good = b->rank || dump_state(r, b, 0, dv_spread_state(b), x, v);
  dv_free(x), dv_free(v);
  for (size_t i = 0; i < b->outputs.count; i++) {
    const dvState *s = b->outputs.data[i].state;
    if (!dv_is_mechanical_state(&s->base)) continue;   // looks only
    x = dv_spread_gather_output(b, i, DV_X), v = dv_spread_gather_output(b, i, DV_V);
    good = (b->rank || dump_state(r, b, i + 1, s, x, v)) && good;
    dv_free(x), dv_free(v);
  }
  return (dvStatus)b->engine->worst(good ? DV_OK : DV_ERROR_INPUT);
}

typedef struct Progress {
  long done;
  double wall, first, init;
} Progress;

static dvStatus step_all(const Options *r, dvSpread *b, const Hushed *h, dvSpreadSeries *series, Progress *p)
{
  dvStatus status = series ? dv_spread_series_add(series) : DV_OK;
  const double began = dv_now();
  while (status == DV_OK && p->done < r->steps) {
    if (b->engine->worst(interrupted())) break;
    const dvStatus mine = dv_scene_step(b->scene, r->dt);
    // the others may wait inside a solve for a process that is out of memory: that ends all
    if (mine != DV_OK && mine != DV_ERROR_DIVERGED) {
      fputs(h->errors.length ? h->errors.text : "", stderr);
      b->engine->abort((int)mine);
    }
    status = agree(b, mine);
    if (status != DV_OK) break;
    p->done++;
    if (p->done == 1) p->first = dv_now() - began;
    if (series && p->done % r->every == 0) status = dv_spread_series_add(series);
    if (b->rank == 0 && !r->quiet && isatty(STDERR_FILENO)) fprintf(stderr, "\rstep %ld of %ld ", p->done, r->steps);
  }
  if (b->rank == 0 && !r->quiet && isatty(STDERR_FILENO)) fputs("\n", stderr);
  p->wall = dv_now() - began;
  return status;
}

static void print_figures(const Options *r, const dvSpread *b, const Progress *p)
{
  double most = (double)b->elements, border = (double)b->border;
  const double elements = b->engine->sum(most), borders = b->engine->sum(border);
  if (b->rank) return;
  const double ms = 1e3 * (p->done > 1 ? (p->wall - p->first) / (double)(p->done - 1) : p->wall);
  printf(
      "%ld steps in %.3f s, %.3f ms per step, set-up %.0f ms, %d process%s; %zu points, %zu elements, %.1f %% of them "
      "computed twice, %.0f border points a process\n",
      p->done, p->wall, ms, 1e3 * p->init, b->size, b->size == 1 ? "" : "es", b->parts.all, b->all_elements,
      100 * (elements / (double)b->all_elements - 1), borders / b->size);
  if (r->out && !r->quiet) printf("open %s/mechanics.pvd in ParaView\n", r->out);
}

static dvStatus load(const Options *r, dvSpread *b)
{
  dv_scene_read(b->context, r->scene, &b->scene);
  dvStatus status = b->context->log.worst;
  if (status == DV_OK && !b->scene) status = DV_ERROR_INPUT;
  if (status == DV_OK) status = dv_spread_check(b);
  status = agree(b, status);
  if (status != DV_OK) return status;
  status = dv_scene_init(b->scene);
  if (status == DV_OK) status = b->context->log.worst;
  if (status == DV_OK) status = dv_spread_check_cut(b);
  status = agree(b, status);
  if (status != DV_OK) return status;
  status = dv_spread_find_outputs(b);
  return agree(b, status);
}

// all read the file; what one of them cannot restore, none does
static dvStatus restore(const Options *r, dvSpread *b)
{
  return r->restore ? agree(b, dv_snapshot_read(b->scene, r->restore)) : DV_OK;
}

static dvStatus save(const Options *r, dvSpread *b)
{
  return r->save ? agree(b, dv_snapshot_write(b->scene, r->save)) : DV_OK;
}

static dvStatus work(const Options *r, dvSpread *b, const Hushed *h)
{
  Progress p = {0};
  const double began = dv_now();
  DV_TRY(load(r, b));
  DV_TRY(restore(r, b));
  p.init = dv_now() - began;
  catch_interrupts();
  dvSpreadSeries *series = r->out ? dv_spread_series_create(b, r->out) : NULL;
  if (r->out && !series) return DV_ERROR_INPUT;
  dvStatus status = step_all(r, b, h, series, &p);
  const dvStatus closed = (dvStatus)b->engine->worst((int)dv_spread_series_close(&series));
  if (status == DV_OK) status = closed;
  if (status == DV_OK && r->dump_state) status = dump(r, b);
  if (status == DV_OK) status = save(r, b);
  if (p.done > 0 || status == DV_OK) print_figures(r, b, &p);
  return status;
}

int run_distributed(const Options *given)
{
  Options r = *given;
  int bad = check_options(&r);
  if (bad) return bad;
  if (!r.threads) r.threads = 1;   // a process a core
  dvContext *context = context_for(&r);
  dvText why = {0}, advice = {0};
  dvSpread *b = dv_spread_create(context, &why, &advice);
  dvStatus status = DV_ERROR_INPUT;
  Hushed h = {.rank = b ? b->rank : 0};
  if (b && b->rank) context->log.sink = hush, context->log.user = &h;
  if (r.quiet) context->log.threshold = DV_WARNING;
  if (b) status = work(&r, b, &h);
  else fprintf(stderr, "divan run: error: --distributed: %s\n    %s\n", why.text, advice.text);
  if (b && status != DV_OK) tell(b, &h);
  if (b && b->rank == 0 && status != DV_OK) print_summary_of_messages(&context->log);
  dv_text_free(&why), dv_text_free(&advice), dv_text_free(&h.errors);
  if (b) dv_scene_destroy(&b->scene);
  dv_spread_destroy(&b);
  dv_divan_destroy(&context);
  return status == DV_OK ? interrupted() : (int)status;
}
