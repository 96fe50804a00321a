// divan sweep: many variants of a scene, one table.
//
// A variant is a process of its own. What has ended is noted in a journal beside the table, one line each, on the disk
// before the next is started: a sweep that was killed goes on where it was, without losing or repeating a variant.
// Shares of a sweep (tasks of a job array, ranks of mpirun) have a journal each; whoever comes last reads them all.
#include "sweep.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 256 };

// --- what is asked for ---------------------------------------------------------------------------

static int add_variations(Sweep *s)
{
  const Options *o = s->options;
  if (!o->vary.count)
    return usage_error(&command_sweep, "say what varies: --vary 'Liver/fem.youngModulus=1e3:1e5:log20'");
  if (o->vary.count > SWEEP_FIELDS) return usage_error(&command_sweep, "at most %d fields can vary", SWEEP_FIELDS);
  s->variants = 1;
  for (size_t i = 0; i < o->vary.count; i++) {
    dvText why = {0};
    dvSweepVariation v;
    const bool good = dv_sweep_variation_parse(&v, o->vary.data[i], &why);
    dv_push(&s->variations, v);
    const int bad = good ? 0 : usage_error(&command_sweep, "--vary: %s", why.text);
    dv_text_free(&why);
    if (bad) return bad;
    for (size_t k = 0; k < i; k++)
      if (dv_same(s->variations.data[k].name, v.name))
        return usage_error(&command_sweep, "--vary %s is there twice", v.name);
    if (o->together && i && v.values.count != s->variants)
      return usage_error(&command_sweep, "--together: %s has %zu values and %s has %zu", v.name, v.values.count,
                         s->variations.data[0].name, s->variants);
    if (!o->together || !i) s->variants *= v.values.count;
    if (s->variants > DV_SWEEP_LIMIT)
      return usage_error(&command_sweep, "these are more than %d variants", DV_SWEEP_LIMIT);
  }
  return 0;
}

static int add_measure(Sweep *s, const char *text)
{
  dvText why = {0};
  dvSweepMeasure m;
  const bool good = dv_sweep_measure_parse(&m, text, &why);
  dv_push(&s->measures, m);
  const int bad = good ? 0 : usage_error(&command_sweep, "--result: %s", why.text);
  dv_text_free(&why);
  return bad;
}

// "3/8", or what mpirun and srun tell their processes
static int find_share(Sweep *s)
{
  static const char *const ranks[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"PMI_RANK", "PMI_SIZE"},
                                         {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  s->shares = 1;
  if (s->options->share) {
    int used = 0;
    if (sscanf(s->options->share, "%zu/%zu%n", &s->share, &s->shares, &used) != 2 || s->options->share[used] ||
        s->share >= s->shares || s->shares > DV_SWEEP_LIMIT)
      return usage_error(&command_sweep, "--share is K/N with K from 0 to N - 1, not %s", s->options->share);
    return 0;
  }
  for (size_t i = 0; i < DV_COUNT(ranks); i++) {
    const char *rank = getenv(ranks[i][0]), *size = getenv(ranks[i][1]);
    const long r = rank ? strtol(rank, NULL, 10) : -1, n = size ? strtol(size, NULL, 10) : 0;
    if (r < 0 || n < 2 || r >= n) continue;
    s->share = (size_t)r, s->shares = (size_t)n;
    s->among_ranks = true;
    break;
  }
  return 0;
}

// what rows must have in common: the scene as it stands in its file, the steps and what is measured
static int describe(Sweep *s)
{
  const Options *o = s->options;
  size_t length = 0;
  char *text = dv_file_read(o->scene, &length);
  if (!text) {
    fprintf(stderr, "%s: error: cannot be read: %s\n", o->scene, dv_file_why());
    return DV_ERROR_INPUT;
  }
  dvText rest = {0};
  dv_text_printf(&rest, "\n%ld %.17g %s", o->steps, o->dt, o->compat ? o->compat : "");
  for (size_t i = 0; i < s->measures.count; i++) dv_text_printf(&rest, "\n%s", s->measures.data[i].name);
  s->description = dv_hash_bytes(rest.text, rest.length, dv_hash_bytes(text, length, 0));
  dv_text_free(&rest);
  dv_free(text);
  return 0;
}

// --- the journals --------------------------------------------------------------------------------

static int foreign(const char *path)
{
  fprintf(stderr,
          "%s: error: this is the journal of another sweep: the scene, -n, --dt or --result were others, or it is no "
          "journal\n    choose another --out, or begin anew with --restart\n",
          path);
  return DV_ERROR_INPUT;
}

// a row that did not end well is due again with --retry
static void forget_failed(Sweep *s)
{
  dvSweepRows kept = {0};
  for (size_t i = 0; i < s->rows.count; i++)
    if (dv_same(s->rows.data[i].status, "ok")) dv_sweep_add(&kept, &s->rows.data[i]);
  dv_sweep_rows_free(&s->rows);
  s->rows = kept;
}

static int read_journals(Sweep *s)
{
  char *pattern = dv_format("%s.journal*", s->options->out);
  glob_t found = {0};
  int bad = 0;
  size_t lost = 0;
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && !bad; i++) {
      size_t length = 0;
      char *text = dv_file_read(found.gl_pathv[i], &length);
      if (!text) {
        fprintf(stderr, "%s: error: cannot be read: %s\n", found.gl_pathv[i], dv_file_why());
        bad = DV_ERROR_INPUT;
      } else if (length && !dv_sweep_read(text, length, s->description, s->measures.count, &s->rows, &lost)) {
        bad = foreign(found.gl_pathv[i]);
      }
      dv_free(text);
    }
  globfree(&found);
  dv_free(pattern);
  return bad;
}

static int journal_error(const Sweep *s)
{
  cannot_write(s->journal);
  return DV_ERROR_INPUT;
}

static bool write_all(int file, const char *text, size_t length)
{
  for (size_t done = 0; done < length;) {
    const ssize_t n = write(file, text + done, length - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += (size_t)n;
  }
  return true;
}

// Opens the own journal behind its last whole line; only one sweep at a time writes to it.
static int open_journal(Sweep *s)
{
  s->file = open(s->journal, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (s->file < 0) return journal_error(s);
  if (flock(s->file, LOCK_EX | LOCK_NB) != 0) {
    fprintf(stderr, "%s: error: another sweep is writing to it\n    wait for its end, or choose another --out\n",
            s->journal);
    return DV_ERROR_INPUT;
  }
  size_t length = 0;
  char *text = s->options->restart ? NULL : dv_file_read(s->journal, &length);
  while (length && text[length - 1] != '\n') length--;
  dv_free(text);
  if (ftruncate(s->file, (off_t)length) != 0 || lseek(s->file, 0, SEEK_END) < 0) return journal_error(s);
  char *heading = dv_sweep_heading(s->description);
  const bool good = length || write_all(s->file, heading, strlen(heading));
  dv_free(heading);
  return good && fsync(s->file) == 0 ? 0 : journal_error(s);
}

static int note(Sweep *s, dvSweepRow *row)
{
  dvText line = {0};
  dv_sweep_row_print(row, &line);
  const bool good = write_all(s->file, line.text, line.length) && fdatasync(s->file) == 0;
  dv_text_free(&line);
  if (!dv_same(row->status, "ok")) s->bad++;
  dv_sweep_add(&s->rows, row);
  s->ended++;
  return good ? 0 : journal_error(s);
}

// with --restart: the journals of all shares go
static void remove_journals(const Sweep *s)
{
  char *pattern = dv_format("%s.journal*", s->options->out);
  glob_t found = {0};
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
  globfree(&found);
  dv_free(pattern);
}

// --- processes -----------------------------------------------------------------------------------

typedef struct Job {
  pid_t pid;   // 0: free
  int pipe;
  size_t variant;
  double began;
  bool late;
  dvText text;
} Job;

static bool start(Sweep *s, Job *job, size_t variant)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    sweep_compute(s, variant, ends[1]);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return false;
  }
  *job = (Job){.pid = child, .pipe = ends[0], .variant = variant, .began = dv_now()};
  return true;
}

// the row of a variant that has ended, in whatever way
static int collect(Sweep *s, Job *job)
{
  int status = 0;
  while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR) continue;
  close(job->pipe);
  dvSweepRow row = {0};
  if (job->late || !job->text.length || !sweep_row_of(job->text.text, s->measures.count, &row)) {
    dv_sweep_row_free(&row);
    row.status = dv_strdup(job->late ? "timeout" : "crashed");
    row.message = job->late             ? dv_format("ended after %g s", s->options->limit)
                  : WIFSIGNALED(status) ? dv_strdup(strsignal(WTERMSIG(status)))
                                        : dv_format("ended with status %d", WEXITSTATUS(status));
  }
  row.key = sweep_key(s, job->variant);
  row.seconds = dv_now() - job->began;
  dv_text_free(&job->text);
  *job = (Job){0};
  return note(s, &row);
}

// reads what has come; true when the process has closed its end
static bool hear(Job *job)
{
  char part[4096];
  const ssize_t n = read(job->pipe, part, sizeof part);
  if (n > 0) dv_text_add_n(&job->text, part, (size_t)n);
  return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static int attend(Sweep *s, Job *jobs, size_t count)
{
  struct pollfd watch[MOST_JOBS];
  for (size_t i = 0; i < count; i++) watch[i] = (struct pollfd){jobs[i].pid ? jobs[i].pipe : -1, POLLIN, 0};
  if (poll(watch, (nfds_t)count, 100) < 0 && errno != EINTR) return journal_error(s);
  for (size_t i = 0; i < count; i++) {
    if (!jobs[i].pid) continue;
    if (s->options->limit > 0 && !jobs[i].late && dv_now() - jobs[i].began > s->options->limit) {
      jobs[i].late = true;
      kill(jobs[i].pid, SIGKILL);
    }
    if (!(watch[i].revents & (POLLIN | POLLHUP | POLLERR)) || !hear(&jobs[i])) continue;
    const int bad = collect(s, &jobs[i]);
    if (bad) return bad;
  }
  return 0;
}

static void end_jobs(Job *jobs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (!jobs[i].pid) continue;
    kill(jobs[i].pid, SIGKILL);
    while (waitpid(jobs[i].pid, NULL, 0) < 0 && errno == EINTR) continue;
    close(jobs[i].pipe);
    dv_text_free(&jobs[i].text);
  }
}

static void show(const Sweep *s, double began, size_t running, double *shown)
{
  const double now = dv_now();
  if (s->options->quiet || !isatty(STDERR_FILENO) || (now - *shown < 0.1 && s->ended < s->due)) return;
  *shown = now;
  enum { WIDTH = 40 };
  const double part = s->due ? (double)s->ended / (double)s->due : 1;
  const int bar = (int)(part * WIDTH);
  fprintf(stderr, "\r\033[K[%.*s%*s] %zu of %zu, %zu running", bar, "########################################",
          WIDTH - bar, "", s->ended, s->due, running);
  if (s->bad) fprintf(stderr, ", %zu not ok", s->bad);
  if (s->ended) fprintf(stderr, ", %.0f s left ", (now - began) / part - (now - began));
  fflush(stderr);
}

static size_t running_of(const Job *jobs, size_t count)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++) n += jobs[i].pid != 0;
  return n;
}

static bool is_due(const Sweep *s, size_t variant)
{
  return variant % s->shares == s->share && !dv_sweep_find(&s->rows, sweep_key(s, variant));
}

static int run_variants(Sweep *s)
{
  Job jobs[MOST_JOBS] = {0};
  size_t count = (size_t)s->options->jobs, next = 0;
  double began = dv_now(), shown = 0;
  int bad = 0;
  while (!bad && !interrupted()) {
    for (size_t i = 0; i < count && !bad; i++) {
      if (jobs[i].pid) continue;
      while (next < s->variants && !is_due(s, next)) next++;
      if (next == s->variants) break;
      if (start(s, &jobs[i], next)) next++;
      else if (running_of(jobs, count)) break;   // later, when another has ended
      else bad = usage_error(NULL, "no process can be started: %s", strerror(errno));
    }
    if (!running_of(jobs, count)) break;
    if (!bad) bad = attend(s, jobs, count);
    show(s, began, running_of(jobs, count), &shown);
  }
  if (shown > 0) fprintf(stderr, "\n");
  end_jobs(jobs, count);
  return bad;
}

// --- the end -------------------------------------------------------------------------------------

static size_t missing(const Sweep *s)
{
  size_t n = 0;
  for (size_t i = 0; i < s->variants; i++) n += !dv_sweep_find(&s->rows, sweep_key(s, i));
  return n;
}

// Rank 0 writes the table when the others have ended. It waits as long as they get on: a rank that dies takes all with
// it under mpirun, elsewhere nothing comes any more.
static void wait_for_ranks(Sweep *s)
{
  double longest = 60, since = dv_now();
  size_t left = missing(s);
  while (left && !interrupted() && dv_now() - since < longest) {
    usleep(200000);
    const size_t before = left;
    if (read_journals(s)) return;
    left = missing(s);
    if (left != before) since = dv_now();
    for (size_t i = 0; i < s->rows.count; i++) longest = dv_max(longest, 20 * s->rows.data[i].seconds);
  }
}

static int finish(Sweep *s)
{
  const Options *o = s->options;
  const size_t left = missing(s);
  if (!sweep_write_table(s, o->out) || (o->html && !sweep_write_html(s, o->html))) return DV_ERROR_INPUT;
  size_t bad = 0;
  for (size_t i = 0; i < s->variants; i++) {
    const dvSweepRow *row = dv_sweep_find(&s->rows, sweep_key(s, i));
    bad += row && !dv_same(row->status, "ok");
  }
  if (!o->quiet) {
    printf("%zu of %zu variants in %s", s->variants - left, s->variants, o->out);
    if (s->old) printf(", %zu of them from before", s->old);
    if (bad) printf(", %zu not ok (column status; --retry runs them again)", bad);
    if (o->html) printf(", plots in %s", o->html);
    printf("\n");
  }
  if (left) fprintf(stderr, "divan sweep: %zu variants are left: the same command goes on\n", left);
  if (interrupted()) return interrupted();
  return left ? DV_ERROR_INPUT : bad ? DV_ERROR_DIVERGED : 0;
}

static int work(Sweep *s)
{
  const Options *o = s->options;
  if (o->restart) remove_journals(s);
  int bad = read_journals(s);
  if (bad) return bad;
  if (o->retry) forget_failed(s);
  for (size_t i = 0; i < s->variants; i++) {
    s->old += dv_sweep_find(&s->rows, sweep_key(s, i)) != NULL;
    s->due += is_due(s, i);
  }
  bad = open_journal(s);
  if (!bad) bad = run_variants(s);
  if (bad) return bad;
  if (s->shares == 1) return finish(s);
  if (s->share || !s->among_ranks) {
    if (!o->quiet) printf("share %zu of %zu: %zu variants\n", s->share, s->shares, s->ended);
    return interrupted();
  }
  wait_for_ranks(s);
  return finish(s);
}

static int prepare(Sweep *s)
{
  const Options *o = s->options;
  int bad = add_variations(s);
  if (!bad) bad = find_share(s);
  for (size_t i = 0; !bad && i < o->result.count; i++) bad = add_measure(s, o->result.data[i]);
  if (bad) return bad;
  if (o->restart && s->shares > 1)
    return usage_error(&command_sweep, "--restart cannot be asked of a share: remove %s.journal* instead", o->out);
  if (!dv_file_exists(o->scene)) {
    fprintf(stderr, "%s: error: there is no such scene\n", o->scene);
    return DV_ERROR_INPUT;
  }
  if (!output_file(o->out) || !output_file(o->html) || !output_file(o->slurm)) return DV_ERROR_INPUT;
  dvTexts usual = {0};
  bad = sweep_try(s, &usual);
  for (size_t i = 0; !bad && i < usual.count; i++) bad = add_measure(s, usual.data[i]);
  dv_texts_free(&usual);
  return bad ? bad : describe(s);
}

static int run(const Options *given)
{
  Options o = *given;
  if (!o.scene) return usage_error(&command_sweep, "name a scene");
  if (!o.out) o.out = "sweep.csv";
  if (!o.threads) o.threads = 1;   // variants are many: each has one core
  Sweep s = {.options = &o, .file = -1, .parent = getpid()};
  int status = prepare(&s);
  if (!o.jobs) o.jobs = s.among_ranks ? 1 : dv_min_int(MOST_JOBS, (int)sysconf(_SC_NPROCESSORS_ONLN));
  if (!status && o.slurm) {
    status = sweep_write_slurm(&s, o.slurm) ? 0 : DV_ERROR_INPUT;
  } else if (!status) {
    s.journal = s.shares > 1 ? dv_format("%s.journal.%zu", o.out, s.share) : dv_format("%s.journal", o.out);
    catch_interrupts();
    status = work(&s);
  }
  if (s.file >= 0) close(s.file);
  for (size_t i = 0; i < s.variations.count; i++) dv_sweep_variation_free(&s.variations.data[i]);
  for (size_t i = 0; i < s.measures.count; i++) dv_sweep_measure_free(&s.measures.data[i]);
  dv_array_free(&s.variations), dv_array_free(&s.measures);
  dv_sweep_rows_free(&s.rows);
  dv_free(s.journal);
  return status;
}

const Command command_sweep = {
    .verb = VERB_SWEEP,
    .name = "sweep",
    .summary = "run many variants of a scene, with one table of results",
    .usage = "divan sweep SCENE --vary PATH.FIELD=VALUES [--vary ...] [options]\n",
    .about =
        "Runs a scene once for every combination of values, several at a time, and writes one table.\n"
        "A sweep that was stopped or killed goes on with the same command: what has ended is not computed again.\n",
    .more =
        "VALUES are 1e3:1e5:log20 (20 values with equal ratios), 0:1:lin11 (11 with equal steps) or a,b,c. A path is\n"
        "that of a component or node; '/.gravity' is a field of the root.\n\n"
        "A RESULT is read after the last step, as [NAME=]WHAT; WHAT is PATH.FIELD[12].y (entry 12, its second "
        "number),\n"
        "max, min, mean, sum or norm of such (norm: the longest of the entries), or moved(PATH): how far the farthest\n"
        "point of a state is from its place at rest, which is also what is measured when nothing is asked for.\n\n"
        "Beside the table stands a journal (OUT.journal), from which a sweep goes on. Variants that diverge, fail or\n"
        "crash are told in the column `status`, and the exit status is 5. More values may be asked for later: those\n"
        "that are there are kept. Started by `mpirun -n P` or `srun`, the processes share the variants.\n",
    .examples =
        "  divan sweep scenes/distributed/organ.scn --vary 'Organ/fem.youngModulus=1e3:1e5:log20' -n 50 --html "
        "organ.html\n"
        "  divan sweep beam.scn --vary 'Beam/fem.youngModulus=1e4,2e4' --vary '/.gravity=0 -9.81 0,0 -1.62 0' \\\n"
        "        --result 'tip=Beam/dofs.position[30].y' --result 'fastest=norm(Beam/dofs.velocity)' --out beam.csv\n"
        "  divan sweep beam.scn --vary 'Beam/fem.poissonRatio=0:0.49:lin50' --slurm beam.sh --tasks 10   then: sbatch "
        "beam.sh\n"
        "  mpirun -n 4 divan sweep beam.scn --vary 'Beam/fem.poissonRatio=0:0.49:lin50'\n",
    .most_names = 1,
    .run = run,
};
