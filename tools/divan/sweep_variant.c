// divan sweep: one variant, in a process of its own: whatever happens to it, the others go on.
#include "sweep.h"

#include "base/clock.h"
#include "divan/divan.h"
#include "scene/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void sweep_choose(const Sweep *s, size_t variant, size_t *chosen)
{
  for (size_t i = s->variations.count; i-- > 0;) {   // the last one changes fastest
    const size_t n = s->variations.data[i].values.count;
    chosen[i] = variant % n;
    if (!s->options->together) variant /= n;
  }
}

uint64_t sweep_key(const Sweep *s, size_t variant)
{
  size_t chosen[SWEEP_FIELDS];
  sweep_choose(s, variant, chosen);
  return dv_sweep_key(s->variations.data, chosen, s->variations.count);
}

// the first error, or else the first warning
typedef struct Complaint {
  dvLevel level;
  dvText text;
} Complaint;

static void note_complaint(void *user, const dvMessage *m)
{
  Complaint *c = user;
  if (m->level < DV_ERROR || c->level == DV_ERROR) return;
  c->level = m->level;
  dv_text_clear(&c->text);
  dv_text_printf(&c->text, "%s%s%s", m->path ? m->path : "", m->path ? ": " : "", m->text);
}

static dvStatus set_fields(const Sweep *s, dvScene *scene, size_t variant, dvText *why)
{
  size_t chosen[SWEEP_FIELDS];
  sweep_choose(s, variant, chosen);
  for (size_t i = 0; i < s->variations.count; i++) {
    const dvSweepVariation *v = &s->variations.data[i];
    dvObject *o = dv_same(v->path, "/") ? &scene->root->base : dv_link_find(&scene->root->base, v->path, DV_ROLE_ANY);
    if (!o) {
      dv_text_printf(why, "--vary %s: ", v->name);
      dv_sweep_tell_missing(scene, v->path, v->field, why);
      return DV_ERROR_USAGE;
    }
    if (!dv_object_field(o, v->field)) {
      dv_text_printf(why, "--vary %s: %s has no field '%s'; `divan info %s` lists them", v->name, o->cls->name,
                     v->field, o->cls->name);
      return DV_ERROR_USAGE;
    }
    const char *value = v->values.data[chosen[i]];
    if (divan_set(scene, v->path, v->field, value) != DIVAN_OK) {
      dv_text_printf(why, "--vary %s: '%s' is no value for it", v->name, value);
      return DV_ERROR_INPUT;
    }
  }
  return DV_OK;
}

// reads the scene with the values of a variant and sets it up
static dvStatus open_scene(const Sweep *s, dvContext *context, size_t variant, dvScene **scene, dvText *why)
{
  *scene = divan_load(context, s->options->scene);
  if (!*scene) return context->log.worst != DV_OK ? context->log.worst : DV_ERROR_INPUT;
  if (context->log.worst != DV_OK) return context->log.worst;
  DV_TRY(set_fields(s, *scene, variant, why));
  dvStatus status = (dvStatus)divan_init(*scene);
  return status != DV_OK ? status : context->log.worst;
}

static void become_child(const Sweep *s)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);   // nothing goes on when the sweep itself is killed
  if (getppid() != s->parent) _exit(1);
  signal(SIGINT, SIG_IGN);   // the sweep ends its variants
  signal(SIGTERM, SIG_DFL);
}

// --- the trial -----------------------------------------------------------------------------------

static int try_scene(Sweep *s, int out)
{
  dvContext *context = context_for(s->options);
  context->log.threshold = s->options->quiet ? DV_ERROR : DV_WARNING;
  dvScene *scene = NULL;
  dvText why = {0};
  dvStatus status = open_scene(s, context, 0, &scene, &why);
  for (size_t i = 0; status == DV_OK && i < s->measures.count; i++) {
    double value;
    if (!dv_sweep_measure_take(&s->measures.data[i], scene, &value, &why)) status = DV_ERROR_USAGE;
  }
  if (why.length) fprintf(stderr, "divan sweep: error: %s\n", why.text);
  if (status == DV_OK && !s->measures.count) {
    dvTexts usual = {0};
    dv_sweep_measure_usual(scene, &usual);
    for (size_t i = 0; i < usual.count; i++) dprintf(out, "%s\n", usual.data[i]);
    dv_texts_free(&usual);
  }
  if (status != DV_OK) print_summary_of_messages(&context->log);
  divan_close(&scene);
  dv_divan_destroy(&context);
  dv_text_free(&why);
  return (int)status;
}

int sweep_try(Sweep *s, dvTexts *usual)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return usage_error(NULL, "no pipe: %s", strerror(errno));
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    become_child(s);
    close(ends[0]);
    const int status = try_scene(s, ends[1]);
    fflush(NULL);
    _exit(status);
  }
  close(ends[1]);
  dvText text = {0};
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) != 0;) {
    if (n > 0) dv_text_add_n(&text, part, (size_t)n);
    else if (errno != EINTR) break;
  }
  close(ends[0]);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  for (char *rest = text.text, *line; rest && (line = strsep(&rest, "\n"));)
    if (*line) dv_push(usual, dv_strdup(line));
  dv_text_free(&text);
  if (child > 0 && WIFEXITED(status)) return WEXITSTATUS(status);
  fprintf(stderr, "divan sweep: error: the trial of the scene ended by itself (%s)\n",
          child < 0 ? strerror(errno) : strsignal(WTERMSIG(status)));
  return DV_ERROR_INPUT;
}

// --- a variant -----------------------------------------------------------------------------------

static dvStatus compute(const Sweep *s, dvContext *context, size_t variant, dvSweepRow *row, dvText *why)
{
  dvScene *scene = NULL;
  dvStatus status = open_scene(s, context, variant, &scene, why);
  while (status == DV_OK && row->steps < s->options->steps) {
    status = (dvStatus)divan_step(scene, s->options->dt);
    if (status == DV_OK) row->steps++;
  }
  for (size_t i = 0; status == DV_OK && i < s->measures.count; i++) {
    double value = 0;
    if (!dv_sweep_measure_take(&s->measures.data[i], scene, &value, why)) status = DV_ERROR_INPUT;
    dv_push(&row->results, value);
  }
  if (status != DV_OK) row->results.count = 0;
  return status;   // the process ends: nothing is taken apart
}

_Noreturn void sweep_compute(const Sweep *s, size_t variant, int out)
{
  become_child(s);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere >= 0)
    for (int i = 0; i < 3; i++) dup2(nowhere, i);
  dvContext *context = context_for(s->options);
  Complaint complaint = {0};
  context->log.sink = note_complaint, context->log.user = &complaint;
  dvSweepRow row = {0};
  dvText why = {0}, line = {0};
  const dvStatus status = compute(s, context, variant, &row, &why);
  row.status = status == DV_OK ? "ok" : status == DV_ERROR_DIVERGED ? "diverged" : "failed";
  row.message = status == DV_OK         ? ""
                : why.length            ? why.text
                : complaint.text.length ? complaint.text.text
                                        : "no reason given";
  dv_sweep_row_print(&row, &line);
  for (size_t done = 0; done < line.length;) {
    const ssize_t n = write(out, line.text + done, line.length - done);
    if (n < 0 && errno != EINTR) _exit(1);
    if (n > 0) done += (size_t)n;
  }
  _exit(0);
}

bool sweep_row_of(const char *text, size_t measures, dvSweepRow *row)
{
  char *heading = dv_sweep_heading(0), *whole = dv_format("%s%s", heading, text);
  dvSweepRows rows = {0};
  size_t lost = 0;
  bool good = dv_sweep_read(whole, strlen(whole), 0, measures, &rows, &lost) && rows.count == 1 && lost == 0;
  if (good) {
    *row = rows.data[0];
    rows.data[0] = (dvSweepRow){0};
  }
  dv_sweep_rows_free(&rows);
  dv_free(heading), dv_free(whole);
  return good;
}
