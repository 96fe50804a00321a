// divan run: simulate a scene.
#include "command.h"

#include "app/dump.h"
#include "app/lint.h"
#include "base/clock.h"
#include "io/record/snapshot.h"
#include "io/scene/scene_file.h"
#include "mechanics/mechanics.h"
#include "scene/timer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "divan run SCENE [options]\n\n"
    "Simulates a scene and ends with one line of figures.\n\n"
    "  -n, --steps STEPS    number of steps (default 100); 0 loads and initialises only\n"
    "  --dt S               time step, instead of the scene's\n"
    "  --data DIR           where to look for files, besides the scene's own directory; may be repeated\n"
    "                       (and DIVAN_PATH, a list separated by colons)\n"
    "  --plugin NAME        load a plugin: a file, or a name that is looked for in the plugin directories; may be "
    "repeated\n"
    "  --plugin-path DIR    where to look for plugins that are named here or in the scene (and DIVAN_PLUGIN_PATH)\n"
    "  --compat MODE        sofa: as SOFA does it, its mistakes included; none: without them (also the attribute "
    "compat\n"
    "                       of the root node, which this option overrides, and the environment variable DIVAN_COMPAT)\n"
    "  --threads N          threads (default: all cores); the result does not depend on it\n"
    "  --out DIR            write a series of .vtu files with a .pvd for ParaView\n"
    "  --gnuplot DIR        write positions, velocities and energies of each object over time, as NAME_x.txt,\n"
    "                       NAME_v.txt and NAME_Energy.txt\n"
    "  --csv DIR            the same as .csv files\n"
    "  --every K            write each K-th step to --out, --gnuplot and --csv (default 1)\n"
    "  --save FILE          write a snapshot after the last step: everything that the next step depends on\n"
    "  --restore FILE       go on from a snapshot of this scene, with the same bits as if it had not been stopped; one "
    "that\n"
    "                       does not fit is refused\n"
    "  --dump-state DIR     write positions and velocities at the end as text\n"
    "  --last-good DIR      when the simulation diverges: write the state after the last step that ended well, as "
    "--dump-state does\n"
    "  --dump-topology DIR  write element counts of each step\n"
    "  --stats FILE         write timings as JSON\n"
    "  --step-times FILE    write the time of each step in ms, one a line\n"
    "  --profile FILE       write a trace of all timers for ui.perfetto.dev or chrome://tracing\n"
    "  --fine               time every component inside the solvers too, in --stats; costs a few per cent\n"
    "  --realtime           never wait for work that runs beside the steps (AsyncSparseLDLSolver): its result is used "
    "as soon\n"
    "                       as it is there, so that it depends on the clock\n"
    "  --hash               print a hash of all positions and velocities, and of what else the next step depends "
    "on, at the\n"
    "                       end\n"
    "  --quiet              no progress, no notes\n\n"
    "examples:\n"
    "  divan run scenes/liver.scn -n 200 --out result\n"
    "  divan run beam.scn -n 1000 --dt 0.005 --threads 2 --stats beam.json\n"
    "  divan run beam.scn -n 1000 --save half.snap && divan run beam.scn -n 1000 --restore half.snap --hash\n\n"
    "Ctrl-C ends after the step that runs; what was computed is written and the exit status is 130 (143 after "
    "SIGTERM). A second\n"
    "Ctrl-C ends at once. The time per step leaves out the writing of files, which is told apart. Places that cannot "
    "be written are\n"
    "told before the first step.\n";

enum { TRACE_EVENTS = 1 << 19 };   // of --profile: 12 MB while it runs, some 40 MB as text

typedef struct Run {
  Options common;
  long steps;
  double dt;
  const char *out, *last_good, *dump_state, *dump_topology, *stats, *step_times, *profile, *gnuplot, *csv;
  const char *save, *restore;
  long every;
  bool hash, quiet, fine, realtime;
} Run;

static int parse(Run *r, int count, char **arguments)
{
  *r = (Run){.steps = 100, .every = 1};
  for (int i = 0; i < count;) {
    const char *a = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
    double number;
    const struct {
      const char *name;
      const char **into;
    } texts[] = {{"--out", &r->out},
                 {"--last-good", &r->last_good},
                 {"--save", &r->save},
                 {"--restore", &r->restore},
                 {"--dump-state", &r->dump_state},
                 {"--dump-topology", &r->dump_topology},
                 {"--stats", &r->stats},
                 {"--step-times", &r->step_times},
                 {"--profile", &r->profile},
                 {"--gnuplot", &r->gnuplot},
                 {"--csv", &r->csv}};
    bool taken = false;
    for (size_t k = 0; k < DV_COUNT(texts); k++) {
      if (!dv_same(a, texts[k].name)) continue;
      if (!value) return usage_error(&command_run, "%s needs a value", a);
      *texts[k].into = value;
      taken = true;
      i += 2;
    }
    if (taken) continue;
    if (dv_same(a, "-n") || dv_same(a, "--steps")) {
      if (!option_count(&command_run, a, value, 0, 1e12, &r->steps)) return DV_ERROR_USAGE;
      i += 2;
    } else if (dv_same(a, "--dt")) {
      if (!option_number(&command_run, a, value, 1e-12, 1e6, &number)) return DV_ERROR_USAGE;
      r->dt = number, i += 2;
    } else if (dv_same(a, "--every")) {
      if (!option_count(&command_run, a, value, 1, 1e9, &r->every)) return DV_ERROR_USAGE;
      i += 2;
    } else if (dv_same(a, "--hash")) {
      r->hash = true, i++;
    } else if (dv_same(a, "--realtime")) {
      r->realtime = true, i++;
    } else if (dv_same(a, "--fine")) {
      r->fine = true, i++;
    } else if (dv_same(a, "--quiet") || dv_same(a, "-q")) {
      r->quiet = true, i++;
    } else {
      int used = option_common(&command_run, &r->common, count - i, arguments + i);
      if (used < 0) return DV_ERROR_USAGE;
      if (used == 0) return unknown_option(&command_run, a);
      i += used;
    }
  }
  if (!r->common.scene) return usage_error(&command_run, "name a scene");
  if (r->common.second) return usage_error(&command_run, "unexpected argument '%s'", r->common.second);
  return 0;
}

// before anything is computed
static bool can_write(const Run *r)
{
  const char *const files[] = {r->stats, r->step_times, r->profile, r->save}, *const directories[] = {
                                                                                  r->out,       r->gnuplot,
                                                                                  r->csv,       r->dump_state,
                                                                                  r->last_good, r->dump_topology};
  bool good = true;
  for (size_t i = 0; i < DV_COUNT(files); i++) good = output_file(files[i]) && good;
  for (size_t i = 0; i < DV_COUNT(directories); i++) good = output_directory(directories[i]) && good;
  return good;
}

static void show_progress(const Run *r, long done, double began, double *shown)
{
  double now = dv_now();
  if (now - *shown < 0.1 && done != r->steps) return;
  *shown = now;
  enum { WIDTH = 40 };
  double part = r->steps ? (double)done / (double)r->steps : 1;
  int bar = (int)(part * WIDTH);
  double left = done ? (now - began) / (double)done * (double)(r->steps - done) : 0;
  fprintf(stderr, "\r[%.*s%*s] %3.0f %%  step %ld of %ld, %.0f s left ", bar,
          "########################################", WIDTH - bar, "", 100 * part, done, r->steps, left);
  fflush(stderr);
}

typedef struct Outcome {
  dvStatus status;
  long done, timed;
  double wall, timed_wall, timed_cpu, init;   // seconds, without those of writing
  double writing, writing_cpu;                // files, while the scene runs
  DV_ARRAY(double) times;                     // seconds of each step, when asked for
} Outcome;

// what is written while the scene runs; NULL where it is not asked for
typedef struct Writers {
  dvSeries *series;
  dvTopologyDump *topologies;
  dvCurves *curves[2];   // for gnuplot, and .csv
} Writers;

static dvStatus open_writers(const Run *r, dvScene *scene, Writers *w)
{
  const char *const directories[2] = {r->gnuplot, r->csv};
  if (r->out && !(w->series = dv_series_create(scene, r->out))) return DV_ERROR_INPUT;
  if (r->dump_topology && !(w->topologies = dv_topology_dump_create(scene, r->dump_topology))) return DV_ERROR_INPUT;
  for (int i = 0; i < 2; i++)
    if (directories[i] && !(w->curves[i] = dv_curves_create(scene, directories[i], i == 1))) return DV_ERROR_INPUT;
  return DV_OK;
}

static dvStatus write_all(Writers *w)
{
  if (w->series) DV_TRY(dv_series_add(w->series));
  for (int i = 0; i < 2; i++)
    if (w->curves[i]) DV_TRY(dv_curves_add(w->curves[i]));
  return DV_OK;
}

static dvStatus lost_writers(void)
{
  fprintf(stderr, "divan run: error: what --out, --gnuplot, --csv and --dump-topology write cannot be written: %s\n",
          errno ? strerror(errno) : "no reason given");
  return DV_ERROR_INPUT;
}

// what is due after a step, or before the first; the time of it is told apart from that of the steps
static void write_moment(const Run *r, Writers *w, Outcome *out)
{
  double began = dv_now(), cpu = dv_cpu_now();
  errno = 0;
  if (w->topologies && out->done > 0) dv_topology_dump_step(w->topologies);
  if (out->done % r->every == 0) out->status = write_all(w);
  if (out->status != DV_OK) lost_writers();
  out->writing += dv_now() - began;
  out->writing_cpu += dv_cpu_now() - cpu;
}

static dvStatus close_writers(Writers *w)
{
  const dvStatus closed[4] = {dv_series_close(&w->series), dv_topology_dump_close(&w->topologies),
                              dv_curves_close(&w->curves[0]), dv_curves_close(&w->curves[1])};
  for (int i = 0; i < 4; i++)
    if (closed[i] != DV_OK) return closed[i];
  return DV_OK;
}

static void step_all(const Run *r, dvScene *scene, Writers *writers, Outcome *out)
{
  bool progress = !r->quiet && isatty(STDERR_FILENO);
  double began = dv_now(), shown = 0, warmed = began, cpu = dv_cpu_now();
  const double at_start = out->writing;
  double at_warmed = out->writing, cpu_at_warmed = out->writing_cpu;
  while (out->done < r->steps && !interrupted() && out->status == DV_OK) {
    double step_began = dv_now();
    out->status = dv_scene_step(scene, r->dt);
    if (out->status != DV_OK) break;
    out->done++;
    if (r->step_times) dv_push(&out->times, dv_now() - step_began);
    if (out->done == 1) {   // the first step sets things up: it is not counted
      dv_timers_clear(scene->context->timers);
      warmed = dv_now(), cpu = dv_cpu_now();
      at_warmed = out->writing, cpu_at_warmed = out->writing_cpu;
    }
    write_moment(r, writers, out);
    if (progress) show_progress(r, out->done, began, &shown);
  }
  double end = dv_now();
  if (progress && shown > 0) fprintf(stderr, "\n");
  out->wall = end - began - (out->writing - at_start);
  out->timed = out->done > 1 ? out->done - 1 : 0;
  out->timed_wall = end - warmed - (out->writing - at_warmed);
  out->timed_cpu = dv_cpu_now() - cpu - (out->writing_cpu - cpu_at_warmed);
}

static void print_figures(const Run *r, const dvScene *scene, const Outcome *o, int threads)
{
  double ms = o->timed ? 1e3 * o->timed_wall / (double)o->timed : o->done ? 1e3 * o->wall : 0;
  double dt = r->dt > 0 ? r->dt : scene->root->dt;
  printf("%ld steps in %.3f s, %.3f ms per step, %.1f x real time, set-up %.0f ms, %d thread%s", o->done, o->wall, ms,
         ms > 0 ? dt / (ms * 1e-3) : 0.0, 1e3 * o->init, threads, threads == 1 ? "" : "s");
  if (r->out || r->gnuplot || r->csv || r->dump_topology) printf("; writing files %.3f s", o->writing);
  printf("\n");
}

static void must_write(Outcome *o, const char *path, dvStatus status)
{
  if (status == DV_OK) return;
  cannot_write(path);
  if (o->status == DV_OK) o->status = DV_ERROR_INPUT;
}

static void write_figures(const Run *r, const dvContext *context, Outcome *o, int threads)
{
  if (r->stats) {
    double ms = o->timed ? 1e3 / (double)o->timed : 0;
    dvFigures f = {.scene = r->common.scene,
                   .steps = o->done,
                   .wall = o->wall,
                   .init = o->init,
                   .writing = o->writing,
                   .threads = threads,
                   .ms_per_step = ms * o->timed_wall,
                   .cpu_ms_per_step = ms * o->timed_cpu};
    must_write(o, r->stats, dv_write_stats(r->stats, &f, context->timers, o->timed));
  }
  if (r->step_times) must_write(o, r->step_times, dv_write_step_times(r->step_times, o->times.data, o->times.count));
  if (!r->profile) return;
  must_write(o, r->profile, dv_write_trace(r->profile, r->common.scene, context->timers));
  if (context->timers->events_lost)
    fprintf(stderr,
            "divan run: the trace holds the first %zu events; %zu more were left out (run fewer steps to see all)\n",
            context->timers->events.count, context->timers->events_lost);
}

static dvStatus finish(const Run *r, dvScene *scene, Writers *writers, Outcome *o)
{
  dvContext *context = scene->context;
  int frames = writers->series ? dv_series_frames(writers->series) : 0;
  errno = 0;
  dvStatus closed = close_writers(writers);
  if (o->status == DV_OK && closed != DV_OK) o->status = lost_writers();
  if (o->status == DV_OK && r->dump_state) o->status = dv_dump_states(scene, r->dump_state);
  if (o->status == DV_OK && r->save) o->status = dv_snapshot_write(scene, r->save);
  if (o->status == DV_ERROR_DIVERGED && r->last_good && dv_dump_states(scene, r->last_good) == DV_OK)
    fprintf(stderr, "the state after step %ld is in %s\n", scene->step, r->last_good);
  int threads = dv_pool_threads(context->pool);
  write_figures(r, context, o, threads);
  if (interrupted()) fprintf(stderr, "interrupted after %ld steps\n", o->done);
  if (r->hash) printf("hash %016llx\n", (unsigned long long)dv_scene_hash(scene));
  if (o->done > 0 || o->status == DV_OK) print_figures(r, scene, o, threads);
  if (frames && !r->quiet)
    printf("%d frames in %s: open %s/mechanics.pvd%s in ParaView\n", frames, r->out, r->out,
           scene->plan->visuals.count ? " or visual.pvd" : "");
  return o->status;
}

static int run(int count, char **arguments)
{
  if (wants_help(&command_run, count, arguments)) return 0;
  Run r;
  int bad = parse(&r, count, arguments);
  if (bad) return bad;
  if (!can_write(&r)) {
    options_free(&r.common);
    return DV_ERROR_INPUT;
  }
  dvContext *context = context_for(&r.common);
  if (r.quiet) context->log.threshold = DV_WARNING;
  context->realtime = r.realtime;
  if (r.fine || r.profile) dv_timers_refine(context->timers);
  if (r.profile && !dv_timers_record(context->timers, TRACE_EVENTS))
    return usage_error(&command_run, "not enough memory for --profile");
  double began = dv_now();
  dvScene *scene = NULL;
  dv_timer_begin(context->timers, "load");
  dv_scene_read(context, r.common.scene, &scene);
  dv_timer_end(context->timers);
  dv_timer_begin(context->timers, "init");
  if (scene) dv_scene_init(scene);
  dv_timer_end(context->timers);
  Outcome o = {.status = context->log.worst, .init = dv_now() - began};
  if (o.status != DV_OK || !scene) {
    print_summary_of_messages(&context->log);
    if (o.status == DV_OK) o.status = DV_ERROR_INPUT;
  } else {
    if (!r.quiet) dv_scene_lint_motion(scene);
    if (!r.quiet) dv_scene_tell_compat(scene);
    catch_interrupts();
    Writers writers = {0};
    o.status = r.restore ? dv_snapshot_read(scene, r.restore) : DV_OK;
    if (o.status == DV_OK) o.status = open_writers(&r, scene, &writers);
    if (o.status == DV_OK) write_moment(&r, &writers, &o);
    if (o.status == DV_OK) step_all(&r, scene, &writers, &o);
    finish(&r, scene, &writers, &o);
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  options_free(&r.common);
  dv_array_free(&o.times);
  return o.status == DV_OK ? interrupted() : (int)o.status;
}

const Command command_run = {"run", "simulate a scene", usage, run};
