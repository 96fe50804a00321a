// divan bench: scenes, each in processes of its own (`divan run`), so that one can neither disturb nor stop the others.
//
// A scene is run for a few steps first: that shows whether it runs at all and fills the file cache. Then come the
// repeats, thread counts in turn. The mean leaves out the first step, as SOFA's figures do; the best repeat counts.
// More runs with fine timers give the flame chart.
#include "bench.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// SOFA's figures of a scene and the index of the machine while they were taken.
typedef struct Sofa {
  double ms, index, setup_ms, mb;   // ms 0: there are none
} Sofa;

typedef struct Case {
  char *name, *path, *shown;   // shown: as in the list
  long steps;
  Sofa sofa;
} Case;

typedef struct Suite {
  const Bench *bench;
  DV_ARRAY(Case) cases;
  DV_ARRAY(char *) data;   // --data of the runs
  char *calibrate;         // program that prints the machine's index, NULL without a corpus
} Suite;

// --- which scenes --------------------------------------------------------------------------------

static void add_case(Suite *s, char *name, char *path, const char *shown, long steps, Sofa sofa)
{
  if (bench_wants(s->bench, name)) {
    dv_push(&s->cases, ((Case){name, path, dv_strdup(shown), steps, sofa}));
    return;
  }
  dv_free(name);
  dv_free(path);
}

// a scene of the list is a file beside it, or "box:NXxNYxNZ" for a generated box of tetrahedra
static char *scene_of_list(const Suite *s, const char *directory, const char *name, const char *scene)
{
  int n[3];
  if (sscanf(scene, "box:%dx%dx%d", &n[0], &n[1], &n[2]) != 3) return dv_path_join(directory, scene);
  if (!bench_wants(s->bench, name)) return dv_strdup(scene);
  for (int i = 0; i < 3; i++) n[i] = dv_min_int(dv_max_int(n[i], 1), 200);
  Box box = box_create(n[0], n[1], n[2]);
  char *path = box_write_scene(&box, s->bench->scratch, name, false);
  box_free(&box);
  return path;
}

static void read_list(Suite *s, const char *path)
{
  char *text = dv_file_read(path, NULL), *directory = dv_path_directory(path), *rest = text;
  for (char *line; rest && (line = strsep(&rest, "\n"));) {
    char *name = strsep(&line, "\t"), *scene = strsep(&line, "\t"), *steps = line;
    if (*name == '#' || !scene || !steps) continue;
    long count = strtol(steps, NULL, 10);
    add_case(s, dv_strdup(name), scene_of_list(s, directory, name, scene), scene, dv_max_int((int)count, 2), (Sofa){0});
  }
  dv_free(text);
  dv_free(directory);
}

char *bench_find_list(const Bench *b)
{
  static const char *const places[] = {DIVAN_DATA_FROM_BIN "/bench/scenes.tsv", "../bench/scenes.tsv"};
  char program[4096], *found = dv_strdup(b->list ? b->list : "bench/scenes.tsv");
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = 0;
  char *directory = dv_path_directory(program);
  for (size_t i = 0; i < DV_COUNT(places) && !b->list && !dv_file_exists(found); i++) {
    dv_free(found);
    found = dv_path_join(directory, places[i]);
  }
  dv_free(directory);
  char *text = dv_file_read(found, NULL);
  if (!text) {
    fprintf(stderr, "%s: error: the list of scenes cannot be read: %s; name one with --list\n", found, strerror(errno));
    dv_free(found);
    return NULL;
  }
  dv_free(text);
  return found;
}

// "`bar45k.scn` (here): ... 118 ms per step", beside the table, taken at the median of the indices
static void read_bar(Suite *s)
{
  char *path = dv_path_join(s->bench->corpus, "../guide/targets.md"), *text = dv_file_read(path, NULL), name[64];
  char *here = text ? strstr(text, ".scn` (here)") : NULL, *median = text ? strstr(text, "median ") : NULL,
       *ms = here ? strstr(here, " ms per step") : NULL;
  while (here && here > text && *here != '`') here--;
  while (ms && ms > text && ms[-1] != ' ') ms--;
  if (here && median && ms && sscanf(here, "`%63[^.`]", name) == 1) {
    Sofa f = {.ms = strtod(ms, NULL), .index = strtod(median + strlen("median "), NULL)};
    if (f.ms > 0 && f.index > 0)
      add_case(s, dv_strdup(name), dv_format("%s/../guide/%s.scn", s->bench->corpus, name), name, 100, f);
  }
  dv_free(text);
  dv_free(path);
}

// "| Demos/liver.scn | 2.15 | 200 | 1.75 | 33 | 126 |": scene, ms per step, steps, index, set-up in ms, MB
static void read_targets(Suite *s)
{
  const char *corpus = s->bench->corpus;
  char *path = dv_path_join(corpus, "../guide/targets.md"), *text = dv_file_read(path, NULL), *rest = text;
  if (!text)
    fprintf(stderr, "divan bench: %s cannot be read: %s; no figures of SOFA to compare with\n", path, strerror(errno));
  for (char *line; rest && (line = strsep(&rest, "\n"));) {
    char scene[512];
    long steps;
    Sofa f;
    if (sscanf(line, "| %511[^ |] | %lf | %ld | %lf | %lf | %lf |", scene, &f.ms, &steps, &f.index, &f.setup_ms,
               &f.mb) != 6)
      continue;
    char *full = dv_format("%s/examples/%s", corpus, scene);
    if (dv_file_exists(full))
      add_case(s, dv_format("%.*s", (int)(strlen(scene) - strlen(dv_path_extension(scene)) - 1), scene), full, scene,
               steps, f);
    else dv_free(full);
  }
  dv_free(text);
  dv_free(path);
  read_bar(s);
  dv_push(&s->data, dv_path_join(corpus, "share"));
  dv_push(&s->data, dv_path_join(corpus, "examples"));
}

// --- processes -----------------------------------------------------------------------------------

// Runs a program with its output in a file; its exit status, or -1 when a signal ended it.
static int run_program(const char *program, char **arguments, const char *output, double timeout)
{
  pid_t child = fork();
  if (child == 0) {
    if (!freopen(output, "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) _exit(126);
    alarm((unsigned)timeout);   // stays set in the new program and ends it
    execvp(program, arguments);
    _exit(127);
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// first line of a run's output that says what is wrong
static char *complaint_of(const char *path)
{
  char *text = dv_file_read(path, NULL), *rest = text, *found = NULL;
  for (char *line; !found && rest && (line = strsep(&rest, "\n"));) {
    char *unknown = strstr(line, "unknown component"), *error = strstr(line, "error");
    if (unknown || error || strstr(line, "diverged")) found = dv_strdup(unknown ? unknown : line);
  }
  dv_free(text);
  return found;
}

// bodies of the last run may have passed through each other: its time cannot be compared with that of a program that
// finds contacts
static bool lacks_contacts(const Suite *s)
{
  char *path = dv_path_join(s->bench->scratch, "output.txt"), *text = dv_file_read(path, NULL);
  bool lacks = text && strstr(text, "computes no contacts");
  dv_free(text);
  dv_free(path);
  return lacks;
}

typedef struct RunRequest {
  const Case *scene;
  long steps;
  int threads;
  bool fine;
} RunRequest;

// NULL after a complete run; otherwise what went wrong (the caller frees it). Statistics and times are in the scratch
// directory.
static char *run_scene(const Suite *s, RunRequest r)
{
  char *scratch = s->bench->scratch, *stats = dv_path_join(scratch, "stats.json"),
       *times = dv_path_join(scratch, "times.txt");
  char *output = dv_path_join(scratch, "output.txt"), *steps = dv_format("%ld", r.steps),
       *threads = dv_format("%d", r.threads);
  DV_ARRAY(char *) a = {0};
  char *const fixed[] = {"divan", "run",     r.scene->path, "-n",           steps, "--threads",
                         threads, "--stats", stats,         "--step-times", times, "--quiet"};
  for (size_t i = 0; i < DV_COUNT(fixed); i++) dv_push(&a, fixed[i]);
  for (size_t i = 0; i < s->data.count; i++) {
    dv_push(&a, "--data");
    dv_push(&a, s->data.data[i]);
  }
  if (r.fine) dv_push(&a, "--fine");
  dv_push(&a, NULL);
  remove(stats);
  remove(times);
  int status = run_program("/proc/self/exe", a.data, output, s->bench->timeout);
  char *complaint = NULL;
  if (status != 0) {
    complaint = status == 130 || status == 143 ? dv_strdup("interrupted") : complaint_of(output);
    if (!complaint)
      complaint = status < 0 ? dv_format("stopped by a signal, or after %g s", s->bench->timeout)
                             : dv_format("exit status %d", status);
  }
  dv_array_free(&a);
  dv_free(stats), dv_free(times), dv_free(output), dv_free(steps), dv_free(threads);
  return complaint;
}

// --- calibration ---------------------------------------------------------------------------------

static void build_calibration(Suite *s)
{
  char *source = dv_path_join(s->bench->corpus, "../tools/calibrate.c"),
       *program = dv_path_join(s->bench->scratch, "calibrate");
  char *output = dv_path_join(s->bench->scratch, "cc.txt");
  char *arguments[] = {"cc", "-O2", "-o", program, source, "-lm", NULL};
  if (run_program("cc", arguments, output, 60) == 0) {
    s->calibrate = program;
  } else {
    fprintf(stderr, "divan bench: %s cannot be compiled; no ratios to SOFA\n", source);
    dv_free(program);
  }
  dv_free(source);
  dv_free(output);
}

// the machine's index now; 0 without the program
static double calibrate(const Suite *s)
{
  if (!s->calibrate) return 0;
  char *output = dv_path_join(s->bench->scratch, "index.txt"), *arguments[] = {s->calibrate, NULL};
  int status = run_program(s->calibrate, arguments, output, 60);
  char *text = dv_file_read(output, NULL), *found = text ? strstr(text, "index ") : NULL;
  double index = status == 0 && found ? strtod(found + strlen("index "), NULL) : 0;
  dv_free(text);
  dv_free(output);
  return index;
}

// --- figures of a run ----------------------------------------------------------------------------

typedef struct Times {
  DV_ARRAY(double) ms;   // of each step, the first left out
  double first, mean;
} Times;

static Times read_times(const Suite *s)
{
  Times t = {0};
  char *path = dv_path_join(s->bench->scratch, "times.txt"), *text = dv_file_read(path, NULL);
  const char *cursor = text ? text : "";
  dv_scan_real(&cursor, &t.first);
  for (double ms; dv_scan_real(&cursor, &ms);) {
    dv_push(&t.ms, ms);
    t.mean += ms;
  }
  t.mean = t.ms.count ? t.mean / (double)t.ms.count : t.first;
  dv_free(text);
  dv_free(path);
  return t;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// between the two nearest of n sorted numbers
static double percentile(const double *sorted, size_t n, double part)
{
  if (n == 0) return 0;
  double at = part * (double)(n - 1);
  size_t low = (size_t)at, high = dv_min_size(low + 1, n - 1);
  return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

static json_t *read_stats(const Suite *s)
{
  char *path = dv_path_join(s->bench->scratch, "stats.json");
  json_t *stats = json_load_file(path, 0, NULL);
  dv_free(path);
  return stats ? stats : json_object();
}

static json_t *figures(const Times *t, const json_t *stats, int threads)
{
  json_t *run = json_pack("{s:i}", "threads", threads), *times = json_array();
  for (size_t i = 0; i < t->ms.count; i++) json_array_append_new(times, bench_number(t->ms.data[i]));
  size_t n = t->ms.count;
  double *sorted = dv_alloc((n + 1) * sizeof *sorted);
  if (n) memcpy(sorted, t->ms.data, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, ascending);
  json_object_set_new(run, "ms", bench_number(t->mean));
  json_object_set_new(run, "median", bench_number(percentile(sorted, n, 0.5)));
  json_object_set_new(run, "p10", bench_number(percentile(sorted, n, 0.1)));
  json_object_set_new(run, "p90", bench_number(percentile(sorted, n, 0.9)));
  json_object_set_new(run, "cpu_ms", bench_number(json_number_value(json_object_get(stats, "cpu_ms_per_step"))));
  json_object_set_new(run, "first_ms", bench_number(t->first));
  json_object_set_new(run, "setup_ms", bench_number(1e3 * json_number_value(json_object_get(stats, "init_s"))));
  json_object_set_new(run, "mb", bench_number(json_number_value(json_object_get(stats, "peak_rss_mb"))));
  json_object_set_new(run, "times", times);
  dv_free(sorted);
  return run;
}

static double value_of(const json_t *run, const char *key) { return json_number_value(json_object_get(run, key)); }

// of two repeats, the one with the smaller mean
static json_t *better(json_t *best, json_t *run)
{
  if (best && value_of(best, "ms") <= value_of(run, "ms")) {
    json_decref(run);
    return best;
  }
  json_decref(best);
  return run;
}

// --- one scene -----------------------------------------------------------------------------------

enum { ENOUGH = 2, MORE = 5 };   // scenes of less than these seconds are repeated more often

// Repeats of all thread counts in turn; NULL when a run failed (*complaint says how).
static json_t *time_case(const Suite *s, const Case *c, char **complaint)
{
  const Bench *b = s->bench;
  json_t *best[BENCH_THREADS] = {0}, *runs = json_array();
  double began = dv_now();
  for (int r = 0; !*complaint && bench_wants(b, c->name) &&
                  (r < b->repeats || (r < MORE * b->repeats && dv_now() - began < ENOUGH));
       r++)
    for (int i = 0; i < b->thread_counts && !*complaint; i++) {
      bench_progress("%s: repeat %d, %d thread%s", c->name, r + 1, b->threads[i], b->threads[i] == 1 ? "" : "s");
      *complaint = run_scene(s, (RunRequest){c, c->steps, b->threads[i], false});
      if (*complaint) break;
      Times t = read_times(s);
      json_t *stats = read_stats(s);
      best[i] = better(best[i], figures(&t, stats, b->threads[i]));
      json_decref(stats);
      dv_array_free(&t.ms);
    }
  for (int i = 0; i < b->thread_counts; i++)
    if (best[i]) json_array_append_new(runs, best[i]);
  if (interrupted() && json_array_size(runs)) {   // what was measured until then is kept
    dv_free(*complaint);
    *complaint = NULL;
  }
  return runs;
}

// timers of the fastest of several runs with fine timers
static json_t *draw_flame(const Suite *s, const Case *c)
{
  json_t *best = NULL;
  for (int r = 0; r < s->bench->repeats && bench_wants(s->bench, c->name); r++) {
    bench_progress("%s: timers %d of %d", c->name, r + 1, s->bench->repeats);
    char *complaint = run_scene(s, (RunRequest){c, c->steps, s->bench->threads[0], true});
    if (complaint) {
      dv_free(complaint);
      continue;
    }
    json_t *stats = read_stats(s), *timers = json_object_get(stats, "timers");
    double ms = value_of(timers, "step");
    best = better(
        best, json_pack("{s:i,s:o,s:O}", "threads", s->bench->threads[0], "ms", bench_number(ms), "timers", timers));
    json_decref(stats);
  }
  return best ? best : json_null();
}

static void add_ratios(json_t *runs, const Sofa *sofa, double index)
{
  size_t i;
  json_t *run;
  json_array_foreach(runs, i, run)
  {
    double scaled = sofa->ms * index / sofa->index;
    json_object_set_new(run, "index", bench_number(index));
    json_object_set_new(run, "sofa_ms", bench_number(scaled));
    json_object_set_new(run, "ratio", bench_number(scaled / dv_max(value_of(run, "ms"), 1e-9)));
    // of one thread: what it would be if no other program took a share of the processor
    if (value_of(run, "threads") == 1)
      json_object_set_new(run, "cpu_ratio", bench_number(scaled / dv_max(value_of(run, "cpu_ms"), 1e-9)));
  }
}

static json_t *measure_case(const Suite *s, const Case *c)
{
  json_t *result = json_pack("{s:s,s:s,s:I}", "name", c->name, "scene", c->shown, "steps", (json_int_t)c->steps);
  if (c->sofa.ms > 0)
    json_object_set_new(result, "sofa",
                        json_pack("{s:f,s:f,s:f,s:f}", "ms", c->sofa.ms, "index", c->sofa.index, "setup_ms",
                                  c->sofa.setup_ms, "mb", c->sofa.mb));
  bench_progress("%s: warming up", c->name);
  char *complaint = run_scene(s, (RunRequest){c, dv_min_int((int)c->steps, 3), s->bench->threads[0], false});
  bool comparable = !complaint && c->sofa.ms > 0 && !lacks_contacts(s);
  double before = comparable ? calibrate(s) : 0;
  json_t *runs = complaint ? json_array() : time_case(s, c, &complaint);
  if (!complaint && json_array_size(runs) == 0) complaint = dv_strdup("interrupted");
  if (complaint) {
    json_object_set_new(result, "complaint", json_string(complaint));
  } else {
    double after = before > 0 ? calibrate(s) : 0;
    // the faster reading: it flatters SOFA rather than us
    if (before > 0 && after > 0) add_ratios(runs, &c->sofa, dv_min(before, after));
    json_object_set_new(result, "flame", draw_flame(s, c));
  }
  json_object_set_new(result, "runs", runs);
  dv_free(complaint);
  return result;
}

json_t *bench_scenes(const Bench *b)
{
  Suite s = {.bench = b};
  read_list(&s, b->own_list);
  if (b->corpus) {
    read_targets(&s);
    build_calibration(&s);
  }
  json_t *all = json_array();
  for (size_t i = 0; i < s.cases.count && bench_wants(b, s.cases.data[i].name); i++)
    json_array_append_new(all, measure_case(&s, &s.cases.data[i]));
  for (size_t i = 0; i < s.cases.count; i++)
    dv_free(s.cases.data[i].name), dv_free(s.cases.data[i].path), dv_free(s.cases.data[i].shown);
  for (size_t i = 0; i < s.data.count; i++) dv_free(s.data.data[i]);
  dv_array_free(&s.cases);
  dv_array_free(&s.data);
  dv_free(s.calibrate);
  return all;
}
