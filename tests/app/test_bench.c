// What runs and benchmarks write can be read again: statistics, traces, results, reports. No time is held against a
// limit.
#include "support/check.h"

#include "app/machine.h"
#include "base/file.h"
#include "base/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// runs `divan ARGUMENTS`, which must end with the status; its output, which the caller frees
static char *divan(int wanted, const char *format, ...) DV_PRINTF(2, 3);
static char *divan(int wanted, const char *format, ...)
{
  dvText command = {0}, all = {0};
  dv_text_printf(&command, "%s ", DIVAN_BINARY);
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&command, format, args);
  va_end(args);
  dv_text_add(&command, " 2>&1");
  FILE *p = popen(command.text, "r");
  assert_non_null(p);
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, p)) > 0;) dv_text_add_n(&all, buffer, n);
  int status = pclose(p), got = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (got != wanted) print_error("%s: status %d, wanted %d\n%s\n", command.text, got, wanted, all.text ? all.text : "");
  assert_int_equal(got, wanted);
  dv_text_free(&command);
  dv_text_add(&all, "");
  return dv_text_take(&all);
}

static json_t *load(const char *directory, const char *name)
{
  char *path = dv_path_join(directory, name);
  json_error_t error;
  json_t *json = json_load_file(path, 0, &error);
  if (!json) print_error("%s: %s, line %d\n", name, error.text, error.line);
  assert_non_null(json);
  dv_free(path);
  return json;
}

static void check_contains(const char *text, const char *part)
{
  if (!strstr(text, part)) print_error("'%s' is missing in\n%s\n", part, text);
  assert_non_null(strstr(text, part));
}

// every timer is at least the sum of those directly below it
static void check_timers(const json_t *timers)
{
  const char *path, *other;
  json_t *value, *part;
  assert_true(json_object_size(timers) > 5);
  json_object_foreach((json_t *)timers, path, value)
  {
    double sum = 0, whole = json_number_value(value);
    size_t length = strlen(path);
    json_object_foreach((json_t *)timers, other, part)
    {
      if (dv_starts_with(other, path) && other[length] == '/' && !strchr(other + length + 1, '/'))
        sum += json_number_value(part);
    }
    if (sum > whole * (1 + 1e-4)) print_error("%s: %.9g ms, its parts %.9g ms\n", path, whole, sum);
    assert_true(sum <= whole * (1 + 1e-4));
  }
}

static void statistics_add_up(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  for (int fine = 0; fine < 2; fine++) {
    dv_free(divan(0, "run %s/scenes/liver.scn -n 20 --threads 1 %s --stats %s/stats.json --step-times %s/times.txt",
                  DIVAN_SOURCE_DIR, fine ? "--fine" : "", d, d));
    json_t *stats = load(d, "stats.json"), *timers = json_object_get(stats, "timers");
    check_timers(timers);
    double ms = json_number_value(json_object_get(stats, "ms_per_step")),
           step = json_number_value(json_object_get(timers, "step"));
    assert_true(step > 0 && step <= ms * (1 + 1e-4));
    assert_true(json_number_value(json_object_get(stats, "peak_rss_mb")) > 0);
    assert_true(fine == (json_object_get(timers, "step/integrate/force/TetrahedralCorotationalFEMForceField") != NULL));
    json_decref(stats);
    char *path = dv_path_join(d, "times.txt"), *text = dv_file_read(path, NULL);
    const char *cursor = text;
    int steps = 0;
    for (double t; dv_scan_real(&cursor, &t); steps++) assert_true(t > 0);
    assert_int_equal(steps, 20);
    dv_free(text), dv_free(path);
  }
  check_rmdir(d);
}

static void a_trace_is_nested(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dv_free(divan(0, "run %s/scenes/liver.scn -n 3 --threads 1 --profile %s/trace.json", DIVAN_SOURCE_DIR, d));
  json_t *trace = load(d, "trace.json"), *events = json_object_get(trace, "traceEvents"), *e;
  size_t i;
  int steps = 0, loads = 0;
  double end = -1;
  json_array_foreach(events, i, e)
  {
    const char *phase = json_string_value(json_object_get(e, "ph")),
               *name = json_string_value(json_object_get(e, "name"));
    assert_non_null(phase);
    assert_non_null(name);
    if (*phase != 'X') continue;
    double begin = json_number_value(json_object_get(e, "ts")), length = json_number_value(json_object_get(e, "dur"));
    assert_true(begin >= 0 && length >= 0);
    loads += strcmp(name, "load") == 0;
    if (strcmp(name, "step") != 0) continue;
    steps++;
    assert_true(begin >= end - 1e-3);   // steps come one after the other
    end = begin + length;
  }
  assert_int_equal(steps, 3);
  assert_int_equal(loads, 1);
  json_decref(trace);
  check_rmdir(d);
}

static void check_scene(const json_t *result)
{
  json_t *scenes = json_object_get(result, "scenes"), *good = json_array_get(scenes, 0),
         *bad = json_array_get(scenes, 1);
  assert_int_equal(json_array_size(scenes), 2);
  assert_string_equal(json_string_value(json_object_get(good, "name")), "liver </script>");
  json_t *run = json_array_get(json_object_get(good, "runs"), 0);
  assert_int_equal(json_array_size(json_object_get(run, "times")), 9);
  double p10 = json_number_value(json_object_get(run, "p10")),
         median = json_number_value(json_object_get(run, "median"));
  double p90 = json_number_value(json_object_get(run, "p90"));
  assert_true(p10 > 0 && p10 <= median && median <= p90);
  check_timers(json_object_get(json_object_get(good, "flame"), "timers"));
  assert_string_equal(json_string_value(json_object_get(bad, "complaint")), "unknown component: Nonsense");
  assert_true(json_number_value(json_object_get(json_object_get(result, "machine"), "gflops")) > 0);
}

// the results inside a report
static json_t *results_of(const char *html)
{
  const char *begin = strstr(html, "const results = "), *end = begin ? strstr(begin, ";\n") : NULL;
  assert_non_null(end);
  begin += strlen("const results = ");
  json_t *json = json_loadb(begin, (size_t)(end - begin), 0, NULL);
  assert_non_null(json);
  return json;
}

static void results_and_report_can_be_read_again(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dv_free(check_write(d, "bad.scn", "<Node><Nonsense/></Node>"));
  char *lines =
      dv_format("# name, scene, steps\nliver </script>\t%s/scenes/liver.scn\t10\nbad\tbad.scn\t10\n", DIVAN_SOURCE_DIR);
  dv_free(check_write(d, "list.tsv", lines));
  char *missing = divan(4, "bench --list %s/none.tsv", d);
  check_contains(missing, "none.tsv: error: the list of scenes cannot be read: No such file or directory");
  dv_free(missing);
  char *out = divan(0, "bench --list %s/list.tsv --repeats 1 --threads 1 --json %s/a.json --html %s/a.html", d, d, d);
  check_contains(out, "1 of 2 scenes do not run");
  check_contains(out, "unknown component: Nonsense");
  dv_free(out), dv_free(lines);
  json_t *stored = load(d, "a.json");
  check_scene(stored);
  char *path = dv_path_join(d, "a.html"), *html = dv_file_read(path, NULL);
  json_t *shown = results_of(html);
  check_scene(shown);
  // nothing is fetched: the only address is the name of the SVG language, and nothing in a name ends the script
  char *address = strstr(html, "//www.w3.org/2000/svg");
  assert_non_null(address);
  assert_null(strstr(address + 1, "http"));
  assert_null(strstr(html, "src="));
  check_contains(strstr(html, "</script>"), "</body>");
  out = divan(0, "bench --from %s/a.json --compare %s/a.json --html %s/b.html", d, d, d);
  check_contains(out, "compared with");
  dv_free(out), dv_free(html), dv_free(path);
  json_decref(stored);
  json_decref(shown);
  check_rmdir(d);
}

static void kernels_and_growth_give_figures(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dv_free(divan(0, "bench kernels growth --filter cg --threads 1 --timeout 1 --json %s/k.json", d));
  json_t *result = load(d, "k.json"), *kernels = json_object_get(result, "kernels"),
         *growth = json_object_get(result, "growth"), *k;
  size_t i;
  assert_int_equal(json_array_size(kernels), 3);
  json_array_foreach(kernels, i, k)
  {
    double ns = json_number_value(json_object_get(k, "ns")), rate = json_number_value(json_object_get(k, "gbytes"));
    check_close(ns * rate / 48, 1, 1e-3);   // 48 bytes an element
  }
  assert_true(json_array_size(growth) >= 6);
  json_array_foreach(growth, i, k) assert_true(json_is_number(json_object_get(k, "exponent")));
  json_decref(result);
  check_rmdir(d);
}

static void bandwidth_lies_between_what_was_measured(void **state)
{
  DV_UNUSED(state);
  dvMachine m = {.threads = 1};
  for (int i = 0; i < DV_BANDWIDTHS; i++) {
    m.gbytes[i] = 100.0 / (1 << i);   // halves when the working set grows four times
    m.reading[i] = 7;
  }
  check_close(dv_machine_gbytes(&m, 1, false), 100, 1e-12);
  check_close(dv_machine_gbytes(&m, 24 * 1024, false), 100, 1e-12);
  check_close(dv_machine_gbytes(&m, 48 * 1024, false), 100 / sqrt(2), 1e-9);
  check_close(dv_machine_gbytes(&m, 96 * 1024, false), 50, 1e-9);
  check_close(dv_machine_gbytes(&m, 1e12, false), 100.0 / 64, 1e-12);
  check_close(dv_machine_gbytes(&m, 1, true), 7, 1e-12);
}

static void mistakes_are_told(void **state)
{
  DV_UNUSED(state);
  char *out = divan(2, "bench speed");
  check_contains(out, "there are scenes, kernels, growth, collision, constraint, topology, lattice, robot, "
                      "linear, haptics, anatomy, heart, fluid and all");
  dv_free(out);
  out = divan(2, "bench --threads one");
  check_contains(out, "like 1,2");
  dv_free(out);
  out = divan(2, "bench --fast");
  check_contains(out, "unknown option");
  dv_free(out);
  out = divan(4, "bench --compare nowhere.json");
  check_contains(out, "nowhere.json");
  dv_free(out);
  out = divan(0, "bench --help");
  check_contains(out, "examples");
  dv_free(out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statistics_add_up),
      cmocka_unit_test(a_trace_is_nested),
      cmocka_unit_test(results_and_report_can_be_read_again),
      cmocka_unit_test(kernels_and_growth_give_figures),
      cmocka_unit_test(bandwidth_lies_between_what_was_measured),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
