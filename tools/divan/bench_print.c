// Tables of `divan bench` on the terminal, and comparisons of two results.
#include "bench.h"
#include "bench_linear.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }
static const char *string(const json_t *o, const char *key)
{
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

// --- scenes --------------------------------------------------------------------------------------

// the end of a long name tells more than its beginning
static void print_name(const char *name, int width)
{
  int length = (int)strlen(name);
  if (length <= width) printf("%-*s", width, name);
  else printf("..%s", name + length - (width - 2));
}

static void print_run(const json_t *scene, const json_t *run, bool first)
{
  print_name(first ? string(scene, "name") : "", 46);
  printf(" %2d %8.4g %8.4g %8.4g %8.4g %8.4g %7.4g %6.1f", (int)number(run, "threads"), number(run, "ms"),
         number(run, "cpu_ms"), number(run, "median"), number(run, "p10"), number(run, "p90"), number(run, "setup_ms"),
         number(run, "mb"));
  if (json_object_get(run, "ratio")) printf(" %8.4g %6.1fx", number(run, "sofa_ms"), number(run, "ratio"));
  if (json_object_get(run, "cpu_ratio")) printf(" %6.1fx", number(run, "cpu_ratio"));
  printf("\n");
}

// how much of the time of single threads was not spent on a processor
static double waiting_part(const json_t *scenes)
{
  size_t i, k;
  const json_t *scene, *run;
  double wall = 0, cpu = 0;
  json_array_foreach(scenes, i, scene) json_array_foreach(json_object_get(scene, "runs"), k, run)
  {
    if (number(run, "threads") != 1) continue;
    wall += number(scene, "steps") * number(run, "ms");
    cpu += number(scene, "steps") * number(run, "cpu_ms");
  }
  return wall > 0 && cpu > 0 ? 1 - cpu / wall : 0;
}

static void print_scenes(const json_t *scenes)
{
  size_t i, k, failed = 0;
  const json_t *scene, *run;
  double log_ratio = 0, log_cpu = 0;
  int compared = 0;
  printf("\n%-46s %2s %8s %8s %8s %8s %8s %7s %6s %8s %7s %7s\n", "scene", "th", "ms/step", "of CPU", "median", "p10",
         "p90", "set-up", "MB", "SOFA ms", "faster", "by CPU");
  json_array_foreach(scenes, i, scene)
  {
    if (json_object_get(scene, "complaint")) {
      failed++;
      continue;
    }
    json_array_foreach(json_object_get(scene, "runs"), k, run)
    {
      print_run(scene, run, k == 0);
      if (k == 0 && number(run, "ratio") > 0)
        log_ratio += log(number(run, "ratio")), log_cpu += log(dv_max(number(run, "cpu_ratio"), 1e-9)), compared++;
    }
  }
  if (compared)
    printf("%d scenes compared with SOFA: %.1f times faster in the geometric mean, %.1f by CPU time\n", compared,
           exp(log_ratio / compared), exp(log_cpu / compared));
  double busy = waiting_part(scenes);
  if (busy > 0.1)
    printf("the machine was busy: %.0f %% of the time of the runs with one thread was spent waiting for a processor\n",
           100 * busy);
  if (!failed) return;
  printf("\n%zu of %zu scenes do not run:\n", failed, json_array_size(scenes));
  json_array_foreach(scenes, i, scene)
  {
    if (json_object_get(scene, "complaint")) printf("  %s: %s\n", string(scene, "name"), string(scene, "complaint"));
  }
}

// --- kernels and growth --------------------------------------------------------------------------

static void print_kernels(const json_t *kernels)
{
  size_t i;
  const json_t *k;
  printf("\n%-30s %9s %2s %11s %8s %9s %8s  %s\n", "kernel", "elements", "th", "ns/element", "GB/s", "Gflop/s",
         "of limit", "limited by");
  json_array_foreach(kernels, i, k)
  {
    printf("%-30s %9.0f %2d %11.4g", string(k, "name"), number(k, "elements"), (int)number(k, "threads"),
           number(k, "ns"));
    if (json_object_get(k, "limit")) {
      printf(" %8.4g", number(k, "gbytes"));
      if (number(k, "gflops") > 0) printf(" %9.4g", number(k, "gflops"));
      else printf(" %9s", "-");
      printf(" %7.0f%%  %s", 100 * number(k, "of_limit"), string(k, "limit"));
    }
    printf("\n");
  }
}

static void print_growth(const json_t *growth)
{
  size_t i, k;
  const json_t *g, *v;
  json_array_foreach(growth, i, g)
  {
    const json_t *sizes = json_object_get(g, "elements"), *ms = json_object_get(g, "ms");
    if (i == 0) {
      printf("\n%-24s", "ms at tetrahedra");
      json_array_foreach(sizes, k, v) printf(" %10.0f", json_number_value(v));
      printf("   time ~ n^\n");
    }
    printf("%-24s", string(g, "name"));
    json_array_foreach(ms, k, v) printf(" %10.4g", json_number_value(v));
    printf("   %.2f\n", number(g, "exponent"));
  }
}

static void print_list(const char *what, const json_t *list)
{
  size_t i;
  const json_t *v;
  printf("%-24s", what);
  json_array_foreach(list, i, v) printf(" %10.4g", json_number_value(v));
}

static void print_sizes(const json_t *list, const char *counted)
{
  size_t i;
  const json_t *c;
  json_array_foreach(list, i, c)
  {
    printf("\n%s, %d thread%s\n", string(c, "name"), (int)number(c, "threads"), number(c, "threads") == 1 ? "" : "s");
    print_list(string(c, "per"), json_object_get(c, "elements"));
    printf("\n");
    if (strcmp(string(c, "per"), "contacts") != 0) {
      print_list(counted, json_object_get(c, "contacts"));
      printf("\n");
    }
    print_list("ms", json_object_get(c, "ms"));
    printf("   time ~ n^%.2f\n", number(c, "exponent"));
  }
}

static void print_machine(const json_t *result)
{
  const json_t *m = json_object_get(result, "machine"), *memory = json_object_get(m, "memory"), *level;
  size_t i;
  printf("divan %s (%s), %s\n", string(result, "divan"), string(m, "instructions"), string(result, "date"));
  printf("%s, %d cores; one thread: %.1f Gflop/s, branch %.2f ns, index %.3f\nGB/s at", string(m, "cpu"),
         (int)number(m, "cores"), number(m, "gflops"), number(m, "branch_ns"), number(m, "index"));
  json_array_foreach(memory, i, level)
      printf("%s %.0f kB: %.1f", i ? "," : "", number(level, "kb"), number(level, "gbytes"));
  printf("\nonly reading:");
  json_array_foreach(memory, i, level)
      printf("%s %.0f kB: %.1f", i ? "," : "", number(level, "kb"), number(level, "reading"));
  printf("\n");
}

void bench_print(const json_t *result)
{
  const json_t *scenes = json_object_get(result, "scenes"), *kernels = json_object_get(result, "kernels"),
               *growth = json_object_get(result, "growth");
  print_machine(result);
  if (scenes) print_scenes(scenes);
  if (kernels) print_kernels(kernels);
  if (growth) print_growth(growth);
  if (json_object_get(result, "collision")) print_sizes(json_object_get(result, "collision"), "contacts");
  if (json_object_get(result, "constraint")) print_sizes(json_object_get(result, "constraint"), "contacts");
  if (json_object_get(result, "topology")) print_sizes(json_object_get(result, "topology"), "changed");
  if (json_object_get(result, "constraint_scenes")) bench_print_figures(json_object_get(result, "constraint_scenes"));
  if (json_object_get(result, "lattice")) bench_print_lattice(json_object_get(result, "lattice"));
  if (json_object_get(result, "robot")) bench_print_robot(json_object_get(result, "robot"));
  if (json_object_get(result, "anatomy")) bench_print_anatomy(json_object_get(result, "anatomy"));
  if (json_object_get(result, "heart")) bench_print_heart(json_object_get(result, "heart"));
  if (json_object_get(result, "fluid")) print_sizes(json_object_get(result, "fluid"), "processor us");
  if (json_object_get(result, "haptics")) bench_print_haptics(json_object_get(result, "haptics"));
  if (json_object_get(result, "linear")) bench_print_linear(json_object_get(result, "linear"));
}

// --- comparison ----------------------------------------------------------------------------------

static const json_t *find_entry(const json_t *list, const json_t *like, const char *const *keys)
{
  size_t i;
  const json_t *entry;
  json_array_foreach(list, i, entry)
  {
    bool same = true;
    for (const char *const *k = keys; *k && same; k++)
      same = json_equal(json_object_get(entry, *k), json_object_get(like, *k));
    if (same) return entry;
  }
  return NULL;
}

// below a fifth, a difference is noise
static const char *verdict(double ratio) { return ratio > 1.2 ? "slower" : ratio < 1 / 1.2 ? "faster" : ""; }

static void print_change(const char *name, int threads, double before, double now, double machine)
{
  if (before <= 0 || now <= 0) return;
  double scaled = now / (before * machine);
  print_name(name, 46);
  printf(" %2d %10.4g %10.4g %8.2f %8.2f  %s\n", threads, before, now, now / before, scaled, verdict(scaled));
}

void bench_print_comparison(const json_t *before, const json_t *now)
{
  double old_index = number(json_object_get(before, "machine"), "index"),
         index = number(json_object_get(now, "machine"), "index");
  double machine = old_index > 0 && index > 0 ? index / old_index : 1;
  size_t i, k;
  const json_t *scene, *run, *kernel, *old;
  printf("\ncompared with %s (%s); scaled: the machine was %.2f times as slow now as then\n", string(before, "divan"),
         string(before, "date"), machine);
  printf("%-46s %2s %10s %10s %8s %8s\n", "ms per step, ns per element", "th", "then", "now", "ratio", "scaled");
  json_array_foreach(json_object_get(now, "scenes"), i, scene)
  {
    old = find_entry(json_object_get(before, "scenes"), scene, (const char *const[]){"name", "steps", NULL});
    json_array_foreach(json_object_get(scene, "runs"), k, run)
    {
      const json_t *then = find_entry(json_object_get(old, "runs"), run, (const char *const[]){"threads", NULL});
      print_change(string(scene, "name"), (int)number(run, "threads"), number(then, "ms"), number(run, "ms"), machine);
    }
  }
  json_array_foreach(json_object_get(now, "kernels"), i, kernel)
  {
    old = find_entry(json_object_get(before, "kernels"), kernel,
                     (const char *const[]){"name", "elements", "threads", NULL});
    char *name = dv_format("%s, %.0f", string(kernel, "name"), number(kernel, "elements"));
    print_change(name, (int)number(kernel, "threads"), number(old, "ns"), number(kernel, "ns"), machine);
    dv_free(name);
  }
}
