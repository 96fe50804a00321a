// divan sweep: the table, the page with plots (sweep.html), and the job array for Slurm.
#include "sweep.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep_page.h"

// --- the table -----------------------------------------------------------------------------------

// quoted where a comma, a quote or an end of line is in it
static void add_cell(dvText *out, const char *text)
{
  if (!strpbrk(text, ",\"\n\r")) {
    dv_text_add(out, text);
    return;
  }
  dv_text_add(out, "\"");
  for (const char *c = text; *c; c++) dv_text_add(out, *c == '"' ? "\"\"" : (char[]){*c, 0});
  dv_text_add(out, "\"");
}

static void add_row(const Sweep *s, dvText *out, size_t variant, const dvSweepRow *row)
{
  size_t chosen[SWEEP_FIELDS];
  sweep_choose(s, variant, chosen);
  dv_text_printf(out, "%zu", variant);
  for (size_t i = 0; i < s->variations.count; i++) {
    dv_text_add(out, ",");
    add_cell(out, s->variations.data[i].values.data[chosen[i]]);
  }
  for (size_t i = 0; i < s->measures.count; i++) {
    dv_text_add(out, ",");
    if (i < row->results.count) dv_text_add_real(out, row->results.data[i]);
  }
  dv_text_printf(out, ",%s,%ld,%.3f,", row->status, row->steps, row->seconds);
  add_cell(out, row->message);
  dv_text_add(out, "\n");
}

// a complete file or the old one: never a half
static bool replace_file(const char *path, const char *text, size_t length)
{
  struct stat info;
  const bool plain = stat(path, &info) != 0 || S_ISREG(info.st_mode);   // /dev/stdout and its kin are written to
  char *beside = plain ? dv_format("%s.new", path) : dv_strdup(path);
  FILE *f = fopen(beside, "we");
  bool good = f && fwrite(text, 1, length, f) == length;
  if (f && fclose(f) != 0) good = false;
  if (good && plain) good = rename(beside, path) == 0;
  if (!good) {
    cannot_write(path);
    if (plain) unlink(beside);
  }
  dv_free(beside);
  return good;
}

bool sweep_write_table(const Sweep *s, const char *path)
{
  dvText out = {0};
  dv_text_add(&out, "variant");
  for (size_t i = 0; i < s->variations.count; i++) {
    dv_text_add(&out, ",");
    add_cell(&out, s->variations.data[i].name);
  }
  for (size_t i = 0; i < s->measures.count; i++) {
    dv_text_add(&out, ",");
    add_cell(&out, s->measures.data[i].name);
  }
  dv_text_add(&out, ",status,steps,seconds,message\n");
  for (size_t i = 0; i < s->variants; i++) {
    const dvSweepRow *row = dv_sweep_find(&s->rows, sweep_key(s, i));
    if (row) add_row(s, &out, i, row);
  }
  const bool good = replace_file(path, out.text, out.length);
  dv_text_free(&out);
  return good;
}

// --- the page ------------------------------------------------------------------------------------

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *row_as_json(const Sweep *s, size_t variant, const dvSweepRow *row)
{
  size_t chosen[SWEEP_FIELDS];
  sweep_choose(s, variant, chosen);
  json_t *values = json_array(), *results = json_array();
  for (size_t i = 0; i < s->variations.count; i++) {
    const dvSweepVariation *v = &s->variations.data[i];
    const char *text = v->values.data[chosen[i]];
    json_array_append_new(values, v->numeric ? number(strtod(text, NULL)) : json_string(text));
  }
  for (size_t i = 0; i < row->results.count; i++) json_array_append_new(results, number(row->results.data[i]));
  return json_pack("{s:I,s:o,s:o,s:s,s:I,s:f,s:s}", "variant", (json_int_t)variant, "values", values, "results",
                   results, "status", row->status, "steps", (json_int_t)row->steps, "seconds", row->seconds, "message",
                   row->message);
}

static json_t *sweep_as_json(const Sweep *s)
{
  json_t *fields = json_array(), *measures = json_array(), *rows = json_array();
  for (size_t i = 0; i < s->variations.count; i++) {
    const dvSweepVariation *v = &s->variations.data[i];
    json_array_append_new(
        fields, json_pack("{s:s,s:b,s:b}", "name", v->name, "log", (int)v->logarithmic, "numeric", (int)v->numeric));
  }
  for (size_t i = 0; i < s->measures.count; i++) json_array_append_new(measures, json_string(s->measures.data[i].name));
  for (size_t i = 0; i < s->variants; i++) {
    const dvSweepRow *row = dv_sweep_find(&s->rows, sweep_key(s, i));
    if (row) json_array_append_new(rows, row_as_json(s, i, row));
  }
  return json_pack("{s:s,s:I,s:I,s:o,s:o,s:o}", "scene", s->options->scene, "steps", (json_int_t)s->options->steps,
                   "variants", (json_int_t)s->variants, "fields", fields, "measures", measures, "rows", rows);
}

bool sweep_write_html(const Sweep *s, const char *path)
{
  static const char mark[] = "/*SWEEP*/null";
  const char *place = strstr(sweep_page, mark);
  DV_REQUIRE(place);
  json_t *data = sweep_as_json(s);
  char *json = data ? json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
  json_decref(data);
  if (!json) {   // a name that is no UTF-8
    fprintf(stderr, "%s: error: cannot be written: a name or a message is no UTF-8 text\n", path);
    return false;
  }
  dvText out = {0};
  dv_text_add_n(&out, sweep_page, (size_t)(place - sweep_page));
  for (const char *c = json; *c; c++) dv_text_add(&out, *c == '<' ? "\\u003c" : (char[]){*c, 0});
  dv_text_add(&out, place + strlen(mark));
  const bool good = replace_file(path, out.text, out.length);
  dv_text_free(&out);
  free(json);
  return good;
}

// --- the job array -------------------------------------------------------------------------------

static void add_word(dvText *out, const char *word)
{
  dv_text_add(out, " '");
  for (const char *c = word; *c; c++) dv_text_add(out, *c == '\'' ? "'\\''" : (char[]){*c, 0});
  dv_text_add(out, "'");
}

static void add_option(dvText *out, const char *name, const char *value)
{
  if (!value) return;
  dv_text_printf(out, " \\\n   %s", name);
  add_word(out, value);
}

static void add_options(dvText *out, const char *name, const Texts *values)
{
  for (size_t i = 0; i < values->count; i++) add_option(out, name, values->data[i]);
}

// the command again, without where it runs
static void add_command(const Sweep *s, dvText *out)
{
  const Options *o = s->options;
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  dv_text_add(out, "divan=${DIVAN:-");
  dv_text_printf(out, "%s}\n", n > 0 && !strpbrk(self, "'\"`$\\} ") ? self : "divan");
  dv_text_add(out, "sweep() {\n  \"$divan\" sweep");
  add_word(out, o->scene);
  add_options(out, "--vary", &o->vary);
  add_options(out, "--result", &o->result);
  add_options(out, "--data", &o->data);
  add_options(out, "--plugin", &o->plugins);
  add_options(out, "--plugin-path", &o->plugin_paths);
  add_option(out, "--out", o->out);
  add_option(out, "--compat", o->compat);
  dv_text_printf(out, " \\\n    --steps %ld --threads %ld --jobs 1", o->steps, o->threads);
  if (o->dt > 0) dv_text_printf(out, " --dt %.17g", o->dt);
  if (o->limit > 0) dv_text_printf(out, " --timeout %g", o->limit);
  dv_text_printf(out, "%s%s%s \"$@\"\n}\n", o->together ? " --together" : "", o->skip_missing ? " --skip-missing" : "",
                 o->retry ? " --retry" : "");
}

bool sweep_write_slurm(const Sweep *s, const char *path)
{
  const Options *o = s->options;
  const size_t tasks = dv_min_size(s->variants, o->tasks ? (size_t)o->tasks : 100);
  dvText out = {0};
  dv_text_printf(&out,
                 "#!/bin/bash\n"
                 "# %zu variants in %zu tasks. Start with: sbatch %s\n"
                 "# When all have ended, collect the table here: bash %s collect%s%s\n"
                 "#SBATCH --job-name=divan-sweep\n"
                 "#SBATCH --array=0-%zu\n"
                 "#SBATCH --ntasks=1\n"
                 "#SBATCH --cpus-per-task=%ld\n"
                 "#SBATCH --output=/dev/null\n"
                 "#SBATCH --requeue\n"
                 "set -eu\n"
                 "cd \"${SLURM_SUBMIT_DIR:-.}\"\n",
                 s->variants, tasks, path, path, o->html ? " --html " : "", o->html ? o->html : "", tasks - 1,
                 o->threads);
  add_command(s, &out);
  dv_text_add(&out, "if [ \"${1:-}\" = collect ]; then shift; sweep \"$@\"; exit; fi\n");
  dv_text_printf(&out, "sweep --share \"$SLURM_ARRAY_TASK_ID/%zu\"\n", tasks);
  const bool good = replace_file(path, out.text, out.length);
  if (good && !o->quiet)
    printf("%zu variants in %zu tasks: sbatch %s, and when they have ended: bash %s collect\n", s->variants, tasks,
           path, path);
  dv_text_free(&out);
  return good;
}
