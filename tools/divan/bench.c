// divan bench: how fast is it? This file reads the options and puts results together; see bench_scenes.c,
// bench_kernels.c, bench_growth.c, bench_collision.c, bench_constraint.c, bench_topology.c, bench_lattice.c,
// bench_robot.c, bench_haptics.c, bench_anatomy.c, bench_heart.c, bench_fluid.c for what is measured.
#include "bench.h"
#include "bench_contact_scenes.h"
#include "bench_linear.h"
#include "validate.h"

#include "base/file.h"
#include "base/isa.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// --- options -------------------------------------------------------------------------------------

static int parse_threads(Bench *b, const char *text)
{
  b->thread_counts = 0;
  for (const char *c = text; c && *c;) {
    long long n;
    if (!dv_scan_int(&c, &n) || n < 1 || n > 256 || b->thread_counts == BENCH_THREADS || (*c && *c != ','))
      return usage_error(&command_bench, "--threads needs up to %d numbers from 1 to 256 like 1,2, not %s",
                         BENCH_THREADS, text);
    b->threads[b->thread_counts++] = (int)n;
    if (*c == ',') c++;
  }
  return b->thread_counts ? 0 : usage_error(&command_bench, "--threads needs a list like 1,2");
}

static const struct {
  const char *name;
  size_t wanted;   // member of Bench
  bool in_all;
} subjects[] = {
#define SUBJECT(name, in_all)            \
  {                                      \
#name, offsetof(Bench, name), in_all \
  }
    SUBJECT(scenes, true),     SUBJECT(kernels, true),  SUBJECT(growth, true),   SUBJECT(collision, true),
    SUBJECT(constraint, true), SUBJECT(topology, true), SUBJECT(lattice, true),  SUBJECT(robot, true),
    SUBJECT(linear, false),    SUBJECT(haptics, false), SUBJECT(anatomy, false), SUBJECT(heart, false),
    SUBJECT(fluid, false),
#undef SUBJECT
};

static bool parse_subject(Bench *b, const char *word)
{
  bool all = dv_same(word, "all"), known = all;
  for (size_t i = 0; i < DV_COUNT(subjects); i++) {
    if (!(all ? subjects[i].in_all : dv_same(word, subjects[i].name))) continue;
    *(bool *)((char *)b + subjects[i].wanted) = true;
    known = true;
  }
  return known;
}

static int parse(Bench *b, const Options *o)
{
  *b = (Bench){.corpus = o->corpus,
               .list = o->list,
               .filter = o->filter,
               .json = o->json,
               .compare = o->compare,
               .html = o->html,
               .from = o->from,
               .repeats = (int)o->repeats,
               .threads = {1, 2},
               .thread_counts = 2,
               .timeout = o->timeout};
  for (size_t i = 0; i < o->names.count; i++)
    if (!parse_subject(b, o->names.data[i]))
      return usage_error(&command_bench,
                         "there is no benchmark '%s'; there are scenes, kernels, growth, collision, constraint, "
                         "topology, lattice, robot, linear, haptics, anatomy, heart, fluid and all",
                         o->names.data[i]);
  if (!o->names.count) b->scenes = true;
  return o->thread_list ? parse_threads(b, o->thread_list) : 0;
}

// --- what the parts share ------------------------------------------------------------------------

bool bench_wants(const Bench *b, const char *name)
{
  return !interrupted() && (!b->filter || strcasestr(name, b->filter));
}

void bench_progress(const char *format, ...)
{
  if (!isatty(STDERR_FILENO)) return;
  va_list args;
  va_start(args, format);
  fprintf(stderr, "\r\033[K");
  vfprintf(stderr, format, args);
  fflush(stderr);
  va_end(args);
}

json_t *bench_number(double value)
{
  if (!isfinite(value)) return json_null();
  char text[32];
  snprintf(text, sizeof text, "%.5g", value);
  return json_real(strtod(text, NULL));
}

json_t *bench_machine(void)
{
  dvMachine m;
  bench_progress("measuring the machine");
  dv_machine_measure(&m, NULL);
  json_t *memory = json_array();
  for (int i = 0; i < DV_BANDWIDTHS; i++)
    json_array_append_new(memory, json_pack("{s:i,s:o,s:o}", "kb", dv_bandwidth_kb[i], "gbytes",
                                            bench_number(m.gbytes[i]), "reading", bench_number(m.reading[i])));
  return json_pack("{s:s,s:i,s:s,s:o,s:o,s:o,s:o}", "cpu", m.cpu, "cores", m.cores, "instructions", dv_isa_name(),
                   "gflops", bench_number(m.gflops), "memory", memory, "branch_ns", bench_number(m.branch_ns), "index",
                   bench_number(dv_machine_index(&m)));
}

// --- putting together ----------------------------------------------------------------------------

static json_t *measure(const Bench *b)
{
  char date[32];
  time_t now = time(NULL);
  struct tm utc;
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  json_t *result = json_pack("{s:s,s:s,s:o}", "divan", DIVAN_VERSION, "date", date, "machine", bench_machine());
  if (b->scenes) json_object_set_new(result, "scenes", bench_scenes(b));
  if (b->kernels) json_object_set_new(result, "kernels", bench_kernels(b));
  if (b->growth) json_object_set_new(result, "growth", bench_growth(b));
  if (b->collision) json_object_set_new(result, "collision", bench_collision(b));
  if (b->constraint) json_object_set_new(result, "constraint", bench_constraint(b));
  if (b->constraint) json_object_set_new(result, "constraint_scenes", bench_contact_scenes(b));
  if (b->topology) json_object_set_new(result, "topology", bench_topology(b));
  if (b->lattice) json_object_set_new(result, "lattice", bench_lattice(b));
  if (b->robot) json_object_set_new(result, "robot", bench_robot(b));
  if (b->linear) json_object_set_new(result, "linear", bench_linear(b));
  if (b->haptics) json_object_set_new(result, "haptics", bench_haptics(b));
  if (b->anatomy) json_object_set_new(result, "anatomy", bench_anatomy(b));
  if (b->heart) json_object_set_new(result, "heart", bench_heart(b));
  if (b->fluid) json_object_set_new(result, "fluid", bench_fluid(b));
  bench_progress("%s", "");
  return result;
}

static json_t *load(const char *path)
{
  json_error_t error;
  json_t *result = json_load_file(path, 0, &error);
  if (result && json_is_object(result)) return result;
  if (result) fprintf(stderr, "divan bench: %s holds no results\n", path);
  else fprintf(stderr, "divan bench: %s: %s (line %d)\n", path, error.text, error.line);
  json_decref(result);
  return NULL;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
  DV_UNUSED(info), DV_UNUSED(kind), DV_UNUSED(walk);
  return remove(path);
}

static json_t *obtain(Bench *b)
{
  if (b->from) return load(b->from);
  const char *base = getenv("TMPDIR");
  b->scratch = dv_format("%s/divan-bench-XXXXXX", base && *base ? base : "/tmp");
  json_t *result = NULL;
  if (mkdtemp(b->scratch)) {
    catch_interrupts();
    result = measure(b);
    if (interrupted()) fprintf(stderr, "interrupted: what follows is what was measured until then\n");
    nftw(b->scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  } else {
    fprintf(stderr, "divan bench: %s cannot be made: %s\n", b->scratch, strerror(errno));
  }
  dv_free(b->scratch);
  return result;
}

static int bench(const Options *o)
{
  Bench b;
  int status = parse(&b, o);
  if (status) return status;
  if (o->validate) {
    if (b.lattice) return validate_lattice(false, o->filter) ? 0 : DV_ERROR_INPUT;
    fprintf(stderr, "divan bench: --validate is for lattices: divan bench lattice --validate\n");
    return DV_ERROR_INPUT;
  }
  bool writable = output_file(b.json);
  if (!output_file(b.html) || !writable) return DV_ERROR_INPUT;
  bool lists = b.scenes && !b.from;
  if (lists && !(b.own_list = bench_find_list(&b))) return DV_ERROR_INPUT;
  json_t *before = b.compare ? load(b.compare) : NULL;
  json_t *result = b.compare && !before ? NULL : obtain(&b);
  dv_free(b.own_list);
  if (!result) {
    json_decref(before);
    return DV_ERROR_INPUT;
  }
  bench_print(result);
  if (before) bench_print_comparison(before, result);
  if (b.json && bench_write_json(b.json, result) != DV_OK) {
    cannot_write(b.json);
    status = DV_ERROR_INPUT;
  }
  if (b.html && bench_write_html(b.html, result) != DV_OK) {
    cannot_write(b.html);
    status = DV_ERROR_INPUT;
  }
  json_decref(before);
  json_decref(result);
  return status ? status : interrupted();
}

const Command command_bench = {
    .verb = VERB_BENCH,
    .name = "bench",
    .summary = "measure how fast scenes and inner loops are",
    .usage =
        "divan bench [scenes|kernels|growth|collision|constraint|topology|lattice|robot|linear|haptics|anatomy|heart|"
        "fluid|all] [options]\n",
    .about = "  scenes               ms per step of a list of scenes (the default)\n"
             "  kernels              inner loops, in proportion to what this machine can do\n"
             "  growth               how times grow with the size of a mesh\n"
             "  collision            finding contacts of surfaces and spheres of many sizes\n"
             "  constraint           contacts by Lagrange multipliers, many of them: compliance and steps\n"
             "  topology             removing, carving and cutting tetrahedra of a body with all that follows them\n"
             "  lattice              springs a second of lattices of many sizes, on grids and without\n"
             "  robot                inverse control of a soft robot, with the shares of a step\n"
             "  haptics              periods of the haptic loop, cost of its ticks, 30 Hz against 1 kHz\n"
             "  anatomy              the liver with its vessels and capsule, with the preconditioner and without\n"
             "  heart                fronts of excitation and whole beats of a ventricle\n"
             "  fluid                steps of particles, the pressure of a grid\n"
             "  linear               the direct solver, beside CHOLMOD and MUMPS where they were there when divan was\n"
             "                       built; some minutes\n"
             "  all                  scenes, kernels, growth, collision, constraint, topology, lattice and robot\n",
    .more =
        "Timings never make the command fail. Scenes that do not run are listed with the reason. Ctrl-C ends the\n"
        "measuring; what was measured until then is kept, and the exit status is 130. A list of scenes that cannot\n"
        "be read is status 4.\n",
    .examples =
        "  divan bench --html report.html\n"
        "  divan bench --corpus ../shared/sofa --filter Demos --json today.json --compare bench/results/0.1.0.json\n"
        "  divan bench kernels --threads 1\n",
    .most_names = 8,
    .run = bench,
};
