// The options of all verbs: one table, from which they are read, explained by --help and proposed for a misspelt one.
//
// To add an option: a member of Options (command.h) and a line here.
#include "command.h"

#include "base/text.h"
#include "object/compat.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum Kind {
  FLAG,     // bool
  TEXT,     // const char *
  TEXTS,    // Texts: may be repeated
  COUNT,    // long, in [low, high]
  NUMBER,   // double, in [low, high]
} Kind;

typedef struct Option {
  unsigned verbs;
  const char *name, *brief;   // "--steps"; "-n" or NULL
  const char *argument;       // what its value is called; NULL for a flag
  Kind kind;
  size_t member;   // of Options
  const char *help;
  double low, high;
} Option;

#define INTO(member) offsetof(Options, member)
enum {
  SCENES = VERB_RUN | VERB_VIEW | VERB_CHECK | VERB_CONVERT,
  CONTEXTS = SCENES | VERB_INFO | VERB_LIST | VERB_SWEEP,
};

static const Option options[] = {
    {VERB_RUN | VERB_SWEEP, "--steps", "-n", "STEPS", COUNT, INTO(steps),
     "number of steps (default 100); 0 loads and initialises only", 0, 1e12},
    {VERB_RUN | VERB_SWEEP, "--dt", NULL, "S", NUMBER, INTO(dt), "time step, instead of the scene's", 1e-12, 1e6},
    {CONTEXTS, "--data", NULL, "DIR", TEXTS, INTO(data),
     "where to look for files, besides the scene's own directory; may be repeated (and DIVAN_PATH, a list separated by "
     "colons)",
     0, 0},
    {CONTEXTS, "--plugin", NULL, "NAME", TEXTS, INTO(plugins),
     "load a plugin: a file, or a name that is looked for in the plugin directories; may be repeated", 0, 0},
    {CONTEXTS, "--plugin-path", NULL, "DIR", TEXTS, INTO(plugin_paths),
     "where to look for plugins that are named here or in the scene (and DIVAN_PLUGIN_PATH)", 0, 0},
    {CONTEXTS, "--compat", NULL, "MODE", TEXT, INTO(compat),
     "sofa: as SOFA does it, its mistakes included; none: without them (also the attribute compat of the root node, "
     "which this option overrides, and the environment variable DIVAN_COMPAT)",
     0, 0},
    {CONTEXTS, "--threads", NULL, "N", COUNT, INTO(threads),
     "threads (default: all cores; 1 for check, convert and sweep); the result does not depend on it", 1, 256},
    {VERB_RUN | VERB_VIEW | VERB_CHECK | VERB_SWEEP, "--skip-missing", NULL, NULL, FLAG, INTO(skip_missing),
     "leave out components that do not exist, and what cannot do without them, instead of ending with status 3", 0, 0},
    {VERB_RUN | VERB_VIEW | VERB_CHECK, "--emulate-devices", NULL, NULL, FLAG, INTO(emulate_devices),
     "emulate haptic devices instead of looking for them", 0, 0},
    {VERB_RUN | VERB_CHECK, "--strict", NULL, NULL, FLAG, INTO(strict),
     "a warning about the input, while the scene is read and initialised, is an error (status 4)", 0, 0},
    {VERB_RUN, "--out", NULL, "DIR", TEXT, INTO(out), "write a series of .vtu files with a .pvd for ParaView", 0, 0},
    {VERB_RUN, "--gnuplot", NULL, "DIR", TEXT, INTO(gnuplot),
     "write positions, velocities and energies of each object over time, as NAME_x.txt, NAME_v.txt and "
     "NAME_Energy.txt",
     0, 0},
    {VERB_RUN, "--csv", NULL, "DIR", TEXT, INTO(csv), "the same as .csv files", 0, 0},
    {VERB_RUN, "--csv-points", NULL, "LIST", TEXT, INTO(csv_points),
     "only these points to --csv and --gnuplot, as 272 or 0,5,10-20; they count from 0", 0, 0},
    {VERB_RUN, "--every", NULL, "K", COUNT, INTO(every),
     "write each K-th step to --out, --gnuplot, --csv, --record and --export (default 1)", 1, 1e9},
    {VERB_RUN, "--save", NULL, "FILE", TEXT, INTO(save),
     "write a snapshot after the last step: everything that the next step depends on", 0, 0},
    {VERB_RUN, "--restore", NULL, "FILE", TEXT, INTO(restore),
     "go on from a snapshot of this scene, with the same bits as if it had not been stopped; one that does not fit is "
     "refused",
     0, 0},
    {VERB_RUN, "--record", NULL, "FILE", TEXT, INTO(record),
     "record the run (.divr): `divan view FILE` plays it and goes on from any moment of it", 0, 0},
    {VERB_RUN, "--record-field", NULL, "PATH.FIELD", TEXTS, INTO(record_fields),
     "record this field too, beside positions, velocities and energies, as /Liver/dofs.force; may be repeated", 0, 0},
    {VERB_RUN, "--export", NULL, "FILE", TEXT, INTO(export_to),
     "write the moving scene for other programs: .glb (glTF; Blender, web pages) or .usda (USD)", 0, 0},
    {VERB_RUN, "--dump-state", NULL, "DIR", TEXT, INTO(dump_state), "write positions and velocities at the end as text",
     0, 0},
    {VERB_RUN, "--last-good", NULL, "DIR", TEXT, INTO(last_good),
     "when the simulation diverges: write the state after the last step that ended well, as --dump-state does", 0, 0},
    {VERB_RUN, "--dump-topology", NULL, "DIR", TEXT, INTO(dump_topology), "write element counts of each step", 0, 0},
    {VERB_RUN, "--stats", NULL, "FILE", TEXT, INTO(stats), "write timings as JSON", 0, 0},
    {VERB_RUN, "--step-times", NULL, "FILE", TEXT, INTO(step_times), "write the time of each step in ms, one a line", 0,
     0},
    {VERB_RUN, "--profile", NULL, "FILE", TEXT, INTO(profile),
     "write a trace of all timers for ui.perfetto.dev or chrome://tracing", 0, 0},
    {VERB_RUN, "--fine", NULL, NULL, FLAG, INTO(fine),
     "time every component inside the solvers too, in --stats; costs a few per cent", 0, 0},
    {VERB_RUN, "--realtime", NULL, NULL, FLAG, INTO(realtime),
     "never wait for work that runs beside the steps (AsyncSparseLDLSolver): its result is used as soon as it is "
     "there, so that it depends on the clock",
     0, 0},
    {VERB_RUN, "--distributed", NULL, NULL, FLAG, INTO(distributed),
     "spread the body of the scene over the processes that mpirun starts (docs/scaling.md says what is covered)", 0, 0},
    {VERB_RUN, "--hash", NULL, NULL, FLAG, INTO(hash),
     "print a hash of all positions and velocities, and of what else the next step depends on, at the end", 0, 0},
    {VERB_RUN, "--picture", NULL, "FILE", TEXT, INTO(picture),
     "draw the scene after the last step and write it as PNG; needs no screen", 0, 0},
    {VERB_RUN, "--video", NULL, "FILE", TEXT, INTO(video),
     "film the steps in real time (each K-th step with --every K) through the program ffmpeg, as FILE.webm or "
     "FILE.mp4; "
     "without ffmpeg a series of PNG files is written",
     0, 0},
    {VERB_RUN, "--slow", NULL, "FACTOR", NUMBER, INTO(slow),
     "--video in slow motion: 10 plays ten times slower than real time, 0.1 ten times faster", 1e-6, 1e6},
    {VERB_RUN, "--size", NULL, "WxH", TEXT, INTO(size), "pixels of --picture and --video (default 1280x720)", 0, 0},
    {VERB_RUN, "--camera", NULL, "FROM", TEXT, INTO(camera),
     "where --picture and --video look from: front, back, left, right, top or bottom; AZIMUTH,ELEVATION[,ZOOM] in "
     "degrees; or X,Y,Z/X,Y,Z, the place and what it looks at",
     0, 0},
    {VERB_RUN, "--show", NULL, "GROUPS", TEXT, INTO(show),
     "what --picture and --video draw, as visual,contacts (default: what the scene wants)", 0, 0},
    {VERB_RUN, "--xray", NULL, "MU", NUMBER, INTO(xray),
     "--picture and --video as X-rays see it: bodies swallow a part MU of a ray with each metre (1/m)", 1e-9, 1e9},
    {VERB_RUN, "--dark", NULL, NULL, FLAG, INTO(dark), "--picture and --video with a dark background", 0, 0},
    {VERB_RUN | VERB_SWEEP, "--quiet", "-q", NULL, FLAG, INTO(quiet), "no progress, no notes", 0, 0},

    {VERB_VIEW, "--port", NULL, "P", COUNT, INTO(port),
     "listen on this port (default: 8123, or any that is free when that is taken; 0: any)", 0, 65535},
    {VERB_VIEW, "--no-browser", NULL, NULL, FLAG, INTO(no_browser), "only print the address", 0, 0},
    {VERB_VIEW, "--animate", NULL, NULL, FLAG, INTO(animate), "start the simulation at once", 0, 0},
    {VERB_VIEW, "--token", NULL, "TEXT", TEXT, INTO(token),
     "use this token instead of a random one: letters and digits, at least 8", 0, 0},
    {VERB_VIEW, "--host", NULL, "ADDRESS", TEXT, INTO(host),
     "listen on another address than 127.0.0.1. Others can then reach it over the network, without encryption; a "
     "tunnel (ssh -L 8123:127.0.0.1:8123 machine) is the better way",
     0, 0},

    {VERB_CONVERT, "--parts", NULL, "N", COUNT, INTO(parts), "cut a mesh into the parts of N processes", 1, 65536},
    {VERB_CONVERT, "--force", NULL, NULL, FLAG, INTO(force), "OUT may be IN itself", 0, 0},

    {VERB_BENCH, "--list", NULL, "FILE", TEXT, INTO(list),
     "scenes to run: name, scene, steps, separated by tabs (default bench/scenes.tsv, here or as installed)", 0, 0},
    {VERB_BENCH, "--corpus", NULL, "DIR", TEXT, INTO(corpus),
     "also SOFA's scenes in DIR/examples for which DIR/../guide/targets.md has figures, scaled to this machine with "
     "DIR/../tools/calibrate.c",
     0, 0},
    {VERB_BENCH, "--filter", NULL, "TEXT", TEXT, INTO(filter), "only scenes or kernels whose name contains the text", 0,
     0},
    {VERB_BENCH, "--repeats", NULL, "N", COUNT, INTO(repeats),
     "runs of each scene, of which the fastest counts (default 3)", 1, 1000},
    {VERB_BENCH, "--threads", NULL, "LIST", TEXT, INTO(thread_list), "numbers of threads (default 1,2)", 0, 0},
    {VERB_BENCH, "--timeout", NULL, "S", NUMBER, INTO(timeout),
     "end the run of a scene, and the series of growing meshes, after this many seconds (default 600)", 1, 1e6},
    {VERB_BENCH, "--json", NULL, "FILE", TEXT, INTO(json), "store the results", 0, 0},
    {VERB_BENCH, "--from", NULL, "FILE", TEXT, INTO(from), "take results that were stored instead of measuring", 0, 0},
    {VERB_BENCH, "--compare", NULL, "FILE", TEXT, INTO(compare), "compare with results that were stored", 0, 0},
    {VERB_BENCH, "--html", NULL, "FILE", TEXT, INTO(html), "write a report with plots", 0, 0},

    {VERB_BENCH, "--validate", NULL, NULL, FLAG, INTO(validate),
     "lattice: how right it is instead of how fast (--filter cantilevers, energies or spectra)", 0, 0},

    {VERB_ANATOMY, "--out", NULL, "DIR", TEXT, INTO(out), "where scene and meshes go; it is made when it is not there",
     0, 0},
    {VERB_ANATOMY, "--labels", NULL, "LIST", TEXT, INTO(labels),
     "what the labels are, or a file that says it (see below); default: each label is an organ", 0, 0},
    {VERB_ANATOMY, "--cells", NULL, "N", COUNT, INTO(cells),
     "cells of tetrahedra along the longest side of each organ (default 14)", 2, 400},
    {VERB_ANATOMY, "--detail", NULL, "M", NUMBER, INTO(detail),
     "size of the triangles of surfaces, m (default: a 48th of the longest side, never below a voxel)", 1e-9, 1e3},
    {VERB_ANATOMY, "--unit", NULL, "M", NUMBER, INTO(unit),
     "unit of the input in m (default: what an image says, else 0.001; 1 for surfaces)", 1e-9, 1e3},
    {VERB_ANATOMY, "--gap", NULL, "M", NUMBER, INTO(gap),
     "what is left between organs of an image that touch, m (default: a tenth of a cell)", 0, 1e3},
    {VERB_ANATOMY, "--threads", NULL, "N", COUNT, INTO(threads), "threads (default: all cores)", 1, 256},
    {VERB_SWEEP, "--vary", NULL, "PATH.FIELD=VALUES", TEXTS, INTO(vary),
     "a field and the values that it takes; may be repeated: all combinations are run", 0, 0},
    {VERB_SWEEP, "--result", NULL, "RESULT", TEXTS, INTO(result), "a column of the table; may be repeated", 0, 0},
    {VERB_SWEEP, "--out", NULL, "FILE", TEXT, INTO(out), "the table (default sweep.csv)", 0, 0},
    {VERB_SWEEP, "--html", NULL, "FILE", TEXT, INTO(html), "write a report with plots", 0, 0},
    {VERB_SWEEP, "--jobs", NULL, "N", COUNT, INTO(jobs), "variants at a time (default: one for each core)", 1, 256},
    {VERB_SWEEP, "--together", NULL, NULL, FLAG, INTO(together),
     "the first values of all fields, then the second ones, instead of all combinations", 0, 0},
    {VERB_SWEEP, "--timeout", NULL, "S", NUMBER, INTO(limit), "end a variant after this many seconds", 0.01, 1e9},
    {VERB_SWEEP, "--retry", NULL, NULL, FLAG, INTO(retry), "run variants again that did not end well", 0, 0},
    {VERB_SWEEP, "--restart", NULL, NULL, FLAG, INTO(restart), "begin anew: what is there is thrown away", 0, 0},
    {VERB_SWEEP, "--share", NULL, "K/N", TEXT, INTO(share),
     "only every N-th variant, from the K-th on (counted from 0); the same command without it collects", 0, 0},
    {VERB_SWEEP, "--slurm", NULL, "FILE", TEXT, INTO(slurm), "write a job array for Slurm instead of running", 0, 0},
    {VERB_SWEEP, "--tasks", NULL, "N", COUNT, INTO(tasks), "of that job array (default: one a variant, at most 100)", 1,
     100000},

    {VERB_VALIDATE, "--quick", NULL, NULL, FLAG, INTO(quick), "coarse meshes only: some seconds", 0, 0},
    {VERB_VALIDATE, "--full", NULL, NULL, FLAG, INTO(full),
     "also the finest meshes of heart-slab and heart-models: an hour", 0, 0},
    {VERB_VALIDATE, "--filter", NULL, "TEXT", TEXT, INTO(filter), "only parts whose name contains the text", 0, 0},
    {VERB_NEW_PLUGIN, "--flags", NULL, NULL, FLAG, INTO(flags),
     "print the compiler flags that find the headers for component writers", 0, 0},
};

// --- help ----------------------------------------------------------------------------------------

enum { HELP_COLUMN = 23, HELP_WIDTH = 100 };

// breaks lines between words
static void print_help_of(const Option *o)
{
  dvText left = {0};
  dv_text_printf(&left, "  %s%s%s%s%s", o->brief ? o->brief : "", o->brief ? ", " : "", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
  printf("%-*s", HELP_COLUMN - 1, left.text);
  int column = dv_max_int(HELP_COLUMN - 1, (int)left.length);
  for (const char *word = o->help; *word;) {
    int length = (int)strcspn(word, " ");
    if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
      printf("\n%*s", HELP_COLUMN - 1, "");
      column = HELP_COLUMN - 1;
    }
    printf(" %.*s", length, word);
    column += 1 + length;
    word += length;
    while (*word == ' ') word++;
  }
  printf("\n");
  dv_text_free(&left);
}

void print_command_help(const Command *c)
{
  printf("usage: %s\n", c->usage);
  if (c->about) printf("%s\n", c->about);
  for (size_t i = 0; i < DV_COUNT(options); i++)
    if (options[i].verbs & c->verb) print_help_of(&options[i]);
  if (c->more) printf("\n%s", c->more);
  printf("\nexamples:\n%s", c->examples);
}

// --- reading -------------------------------------------------------------------------------------

int usage_error(const Command *c, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fprintf(stderr, "divan%s%s: ", c ? " " : "", c ? c->name : "");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\ntry `divan%s%s --help`\n", c ? " " : "", c ? c->name : "");
  va_end(args);
  return DV_ERROR_USAGE;
}

static int unknown_option(const Command *c, const char *name)
{
  const char *names[DV_COUNT(options)];
  int count = 0;
  for (size_t i = 0; i < DV_COUNT(options); i++)
    if (options[i].verbs & c->verb) names[count++] = options[i].name;
  int near = dv_nearest(name, names, count);
  return near >= 0 ? usage_error(c, "unknown option '%s'; did you mean '%s'?", name, names[near])
                   : usage_error(c, "unknown option '%s'", name);
}

static int set_number(const Command *c, const Option *option, const char *name, const char *text, Options *o)
{
  void *into = (char *)o + option->member;
  const char *s = text;
  double number;
  if (!s || !dv_scan_real(&s, &number) || *s || !(number >= option->low && number <= option->high))
    return usage_error(c, "%s needs a number from %g to %g%s%s", name, option->low, option->high, text ? ", not " : "",
                       text ? text : "");
  if (option->kind == NUMBER) *(double *)into = number;
  else if ((double)(long)number != number) return usage_error(c, "%s needs a whole number, not %s", name, text);
  else *(long *)into = (long)number;
  return 0;
}

static int set_option(const Command *c, const Option *option, const char *name, const char *text, Options *o)
{
  void *into = (char *)o + option->member;
  if (option->kind == FLAG) {
    if (text) return usage_error(c, "%s takes no value", name);
    *(bool *)into = true;
    return 0;
  }
  if (option->kind == COUNT || option->kind == NUMBER) return set_number(c, option, name, text, o);
  if (!text) return usage_error(c, "%s needs a value: %s %s", name, name, option->argument);
  if (option->kind == TEXTS) dv_push((Texts *)into, text);
  else *(const char **)into = text;
  return 0;
}

// the option that an argument names, alone or as --name=value
static const Option *find_option(const Command *c, const char *argument, const char **value)
{
  size_t length = strcspn(argument, "=");
  *value = NULL;
  for (size_t i = 0; i < DV_COUNT(options); i++) {
    const Option *o = &options[i];
    if (!(o->verbs & c->verb)) continue;
    if (dv_same(argument, o->name) || (o->brief && dv_same(argument, o->brief))) return o;
    if (argument[length] && strlen(o->name) == length && strncmp(argument, o->name, length) == 0) {
      *value = argument + length + 1;
      return o;
    }
  }
  return NULL;
}

static int take_name(const Command *c, Options *o, const char *name)
{
  if (o->names.count == c->most_names) return usage_error(c, "unexpected argument '%s'", name);
  dv_push(&o->names, name);
  if (!o->scene) o->scene = name;
  else if (!o->second) o->second = name;
  return 0;
}

int options_read(const Command *c, Options *o, int count, char **arguments)
{
  *o = (Options){.steps = 100, .every = 1, .port = -1, .repeats = 3, .timeout = 600, .gap = -1};
  if (c->verb & (VERB_CHECK | VERB_CONVERT)) o->threads = 1;
  dvCompatMode mode;
  int bad = 0;
  for (int i = 0; i < count && !bad; i++) {
    const char *a = arguments[i], *value;
    if (a[0] != '-' || !a[1]) {
      bad = take_name(c, o, a);
      continue;
    }
    const Option *option = find_option(c, a, &value);
    if (!option) return unknown_option(c, a);
    if (option->argument && !value && i + 1 < count) value = arguments[++i];
    bad = set_option(c, option, option->brief && dv_same(a, option->brief) ? a : option->name, value, o);
  }
  if (!bad && o->compat && !dv_compat_parse(o->compat, &mode))
    bad = usage_error(c, "--compat '%s' is not known; there are " DV_COMPAT_MODES, o->compat);
  return bad;
}

void options_free(Options *o)
{
  dv_array_free(&o->names);
  dv_array_free(&o->data);
  dv_array_free(&o->plugins);
  dv_array_free(&o->plugin_paths);
  dv_array_free(&o->vary);
  dv_array_free(&o->result);
  dv_array_free(&o->record_fields);
}
