// divan run: simulate a scene.
#include "collision/collision.h"
#include "command.h"
#include "film.h"
#include "recorded.h"

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

enum { TRACE_EVENTS = 1 << 19 };   // of --profile: 12 MB while it runs, some 40 MB as text

// before anything is computed
static bool can_write(const Options *r)
{
  const char *const files[] = {r->stats, r->step_times, r->profile, r->save, r->record, r->export_to, r->picture};
  const char *const directories[] = {r->out, r->gnuplot, r->csv, r->dump_state, r->last_good, r->dump_topology};
  bool good = true;
  for (size_t i = 0; i < DV_COUNT(files); i++) good = output_file(files[i]) && good;
  for (size_t i = 0; i < DV_COUNT(directories); i++) good = output_directory(directories[i]) && good;
  return good;
}

static void show_progress(const Options *r, long done, double began, double *shown)
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
  dvRecorder *recorder;
  Camera *camera;
} Writers;

static dvStatus open_writers(const Options *r, dvScene *scene, Writers *w)
{
  const char *const directories[2] = {r->gnuplot, r->csv};
  if (r->out && !(w->series = dv_series_create(scene, r->out))) return DV_ERROR_INPUT;
  if (r->dump_topology && !(w->topologies = dv_topology_dump_create(scene, r->dump_topology))) return DV_ERROR_INPUT;
  for (int i = 0; i < 2; i++)
    if (directories[i] && !(w->curves[i] = dv_curves_create(scene, directories[i], i == 1, r->csv_points)))
      return DV_ERROR_INPUT;
  DV_TRY(record_begin(r, scene, &w->recorder));
  int status = DV_OK;
  w->camera = camera_open(r, scene, &status);
  return (dvStatus)status;
}

static dvStatus write_all(Writers *w)
{
  if (w->recorder && !dv_recorder_add(w->recorder)) return DV_ERROR_INPUT;
  if (w->series) DV_TRY(dv_series_add(w->series));
  for (int i = 0; i < 2; i++)
    if (w->curves[i]) DV_TRY(dv_curves_add(w->curves[i]));
  return DV_OK;
}

static dvStatus lost_writers(void)
{
  fprintf(stderr,
          "divan run: error: what --out, --gnuplot, --csv, --record and --dump-topology write cannot be written: %s\n",
          errno ? strerror(errno) : "no reason given");
  return DV_ERROR_INPUT;
}

// what is due after a step, or before the first; the time of it is told apart from that of the steps
static void write_moment(const Options *r, dvScene *scene, Writers *w, Outcome *out)
{
  double began = dv_now(), cpu = dv_cpu_now();
  errno = 0;
  if (w->topologies && out->done > 0) dv_topology_dump_step(w->topologies);
  if (out->done % r->every == 0) out->status = write_all(w);
  if (out->status != DV_OK) lost_writers();
  else out->status = camera_film(w->camera, scene, out->done);
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

static void step_all(const Options *r, dvScene *scene, Writers *writers, Outcome *out)
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
    write_moment(r, scene, writers, out);
    if (progress) show_progress(r, out->done, began, &shown);
  }
  double end = dv_now();
  if (progress && shown > 0) fprintf(stderr, "\n");
  out->wall = end - began - (out->writing - at_start);
  out->timed = out->done > 1 ? out->done - 1 : 0;
  out->timed_wall = end - warmed - (out->writing - at_warmed);
  out->timed_cpu = dv_cpu_now() - cpu - (out->writing_cpu - cpu_at_warmed);
}

static void print_figures(const Options *r, const dvScene *scene, const Outcome *o, int threads)
{
  double ms = o->timed ? 1e3 * o->timed_wall / (double)o->timed : o->done ? 1e3 * o->wall : 0;
  double dt = r->dt > 0 ? r->dt : scene->root->dt;
  printf("%ld steps in %.3f s, %.3f ms per step, %.1f x real time, set-up %.0f ms, %d thread%s", o->done, o->wall, ms,
         ms > 0 ? dt / (ms * 1e-3) : 0.0, 1e3 * o->init, threads, threads == 1 ? "" : "s");
  size_t contacts = dv_scene_contacts(scene);
  if (contacts) printf(", %zu contact%s in the last step", contacts, contacts == 1 ? "" : "s");
  if (r->out || r->gnuplot || r->csv || r->dump_topology || r->record || r->export_to || r->picture || r->video)
    printf("; writing files %.3f s", o->writing);
  printf("\n");
}

static void must_write(Outcome *o, const char *path, dvStatus status)
{
  if (status == DV_OK) return;
  cannot_write(path);
  if (o->status == DV_OK) o->status = DV_ERROR_INPUT;
}

static void write_figures(const Options *r, const dvContext *context, Outcome *o, int threads)
{
  if (r->stats) {
    double ms = o->timed ? 1e3 / (double)o->timed : 0;
    dvFigures f = {.scene = r->scene,
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
  must_write(o, r->profile, dv_write_trace(r->profile, r->scene, context->timers));
  if (context->timers->events_lost)
    fprintf(stderr,
            "divan run: the trace holds the first %zu events; %zu more were left out (run fewer steps to see all)\n",
            context->timers->events.count, context->timers->events_lost);
}

static dvStatus finish(const Options *r, dvScene *scene, Writers *writers, Outcome *o)
{
  dvContext *context = scene->context;
  int frames = writers->series ? dv_series_frames(writers->series) : 0;
  double began = dv_now();
  dvStatus filmed = camera_picture(writers->camera, scene), film_closed = camera_close(&writers->camera);
  o->writing += dv_now() - began;
  if (o->status == DV_OK) o->status = filmed != DV_OK ? filmed : film_closed;
  errno = 0;
  dvStatus closed = close_writers(writers);
  if (o->status == DV_OK && closed != DV_OK) o->status = lost_writers();
  dvStatus recorded = record_end(r, &writers->recorder);
  if (o->status == DV_OK) o->status = recorded;
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

static int run(const Options *r)
{
  if (!r->scene) return usage_error(&command_run, "name a scene");
  if (r->export_to && !dv_recording_can_export(r->export_to))
    return usage_error(&command_run, "--export writes .glb or .usda, not '%s'", r->export_to);
  if (!camera_check(r)) return DV_ERROR_USAGE;
  if (r->distributed) return run_distributed(r);
  if (!can_write(r)) return DV_ERROR_INPUT;
  dvContext *context = context_for(r);
  if (r->quiet) context->log.threshold = DV_WARNING;
  context->realtime = r->realtime;
  if (r->fine || r->profile) dv_timers_refine(context->timers);
  if (r->profile && !dv_timers_record(context->timers, TRACE_EVENTS))
    return usage_error(&command_run, "not enough memory for --profile");
  double began = dv_now();
  dvScene *scene = NULL;
  context->progress = progress_begin(r->quiet);
  dv_timer_begin(context->timers, "load");
  dv_scene_read(context, r->scene, &scene);
  dv_timer_end(context->timers);
  dv_timer_begin(context->timers, "init");
  if (scene) dv_scene_init(scene);
  context->log.strict = false;
  dv_timer_end(context->timers);
  progress_end();
  context->progress = NULL;
  Outcome o = {.status = context->log.worst, .init = dv_now() - began};
  if (o.status != DV_OK || !scene) {
    print_summary_of_messages(&context->log);
    if (o.status == DV_OK) o.status = DV_ERROR_INPUT;
  } else {
    if (!r->quiet) dv_scene_lint_motion(scene);
    if (!r->quiet) dv_scene_tell_compat(scene, false);
    catch_interrupts();
    Writers writers = {0};
    o.status = r->restore ? dv_snapshot_read(scene, r->restore) : DV_OK;
    if (o.status == DV_OK) o.status = open_writers(r, scene, &writers);
    if (o.status == DV_OK) write_moment(r, scene, &writers, &o);
    if (o.status == DV_OK) step_all(r, scene, &writers, &o);
    finish(r, scene, &writers, &o);
  }
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  dv_array_free(&o.times);
  return o.status == DV_OK ? interrupted() : (int)o.status;
}

const Command command_run = {
    .verb = VERB_RUN,
    .name = "run",
    .summary = "simulate a scene",
    .usage = "divan run SCENE [options]\n",
    .about = "Simulates a scene and ends with one line of figures.\n",
    .more = "Ctrl-C ends after the step that runs; what was computed is written and the exit status is 130 (143 after\n"
            "SIGTERM). A second Ctrl-C ends at once. The time per step leaves out the writing of files, which is told\n"
            "apart. Places that cannot be written are told before the first step.\n",
    .examples =
        "  divan run scenes/liver.scn -n 200 --out result\n"
        "  divan run scenes/liver.scn -n 200 --record liver.divr && divan view liver.divr\n"
        "  divan run scenes/liver.scn -n 200 --export liver.glb\n"
        "  divan run scenes/liver.scn -n 100 --picture liver.png --size 1920x1080 --camera 35,20\n"
        "  divan run beam.scn -n 1000 --dt 0.005 --threads 2 --stats beam.json\n"
        "  mpirun -n 4 divan run big.scn --distributed --out result\n"
        "  divan run beam.scn -n 1000 --save half.snap && divan run beam.scn -n 1000 --restore half.snap --hash\n",
    .most_names = 1,
    .run = run,
};
