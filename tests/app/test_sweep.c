// Sweeps: values, results, the journal; the command with kills, crashes, bad input, shares and a job array.
#include "support/check.h"
#include "support/command.h"

#include "app/sweep.h"
#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

// a weight on a spring that is damped strongly: it comes to rest m g / k below its anchor
static const char spring_scene[] =
    "<Node name='root' dt='0.05' gravity='0 -10 0'>"
    "<EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><CGLinearSolver iterations='50' tolerance='1e-14' "
    "threshold='1e-20'/>"
    "<Node name='Weight'><MechanicalObject name='dofs' position='0 0 0'/><UniformMass name='mass' totalMass='2'/>"
    "<RestShapeSpringsForceField name='spring' stiffness='100' points='0'/></Node></Node>";

static void values_are_made(void **state)
{
  DV_UNUSED(state);
  dvSweepVariation v;
  dvText why = {0};
  assert_true(dv_sweep_variation_parse(&v, "Liver/fem.youngModulus=1e3:1e5:log3", &why));
  assert_string_equal(v.path, "Liver/fem");
  assert_string_equal(v.field, "youngModulus");
  assert_int_equal(v.values.count, 3);
  assert_string_equal(v.values.data[0], "1000");
  assert_string_equal(v.values.data[1], "10000");
  assert_string_equal(v.values.data[2], "100000");
  assert_true(v.logarithmic && v.numeric);
  dv_sweep_variation_free(&v);
  assert_true(dv_sweep_variation_parse(&v, "a.b=0:0.3:lin4", &why));
  assert_string_equal(v.values.data[1], "0.1");
  assert_string_equal(v.values.data[2], "0.2");
  dv_sweep_variation_free(&v);
  assert_true(dv_sweep_variation_parse(&v, "/.gravity=0 -9.81 0,0 -1.62 0", &why));
  assert_string_equal(v.path, "/");
  assert_string_equal(v.values.data[1], "0 -1.62 0");
  assert_false(v.numeric);
  dv_sweep_variation_free(&v);
  assert_true(dv_sweep_variation_parse(&v, ".dt=0.01", &why));
  assert_string_equal(v.path, "/");
  dv_sweep_variation_free(&v);
  dv_text_free(&why);
}

static void bad_values_are_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const cases[][2] = {{"", "is not PATH.FIELD=VALUES"},
                                         {"a=1", "is not PATH.FIELD=VALUES"},
                                         {"a.=1", "is not PATH.FIELD=VALUES"},
                                         {"a.b", "is not PATH.FIELD=VALUES"},
                                         {"a.b=", "empty value"},
                                         {"a.b=1,,2", "empty value"},
                                         {"a.b=1:2", "is no range"},
                                         {"a.b=1:2:3", "is no range"},
                                         {"a.b=1:2:lin", "no number of values"},
                                         {"a.b=1:2:lin0", "no number of values"},
                                         {"a.b=1:2:lin99999999999", "no number of values"},
                                         {"a.b=1:2:lin3x", "no number of values"},
                                         {"a.b=-1:2:log3", "same sign"},
                                         {"a.b=0:2:log3", "same sign"},
                                         {"a.b=nan:2:lin3", "not finite"},
                                         {"a.b=1:inf:lin3", "not finite"}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvSweepVariation v;
    dvText why = {0};
    assert_false(dv_sweep_variation_parse(&v, cases[i][0], &why));
    if (!strstr(why.text, cases[i][1])) print_error("%s: %s\n", cases[i][0], why.text);
    assert_non_null(strstr(why.text, cases[i][1]));
    dv_sweep_variation_free(&v);
    dv_text_free(&why);
  }
}

static void results_are_named(void **state)
{
  DV_UNUSED(state);
  dvText why = {0};
  dvSweepMeasure m;
  assert_true(dv_sweep_measure_parse(&m, "tip=Beam/dofs.position[30].y", &why));
  assert_string_equal(m.name, "tip");
  assert_string_equal(m.path, "Beam/dofs");
  assert_string_equal(m.field, "position");
  assert_int_equal(m.index, 30);
  assert_int_equal(m.component, 1);
  dv_sweep_measure_free(&m);
  assert_true(dv_sweep_measure_parse(&m, "moved(Beam/dofs)", &why));
  assert_int_equal(m.reduction, DV_SWEEP_MOVED);
  assert_int_equal(m.index, -1);
  dv_sweep_measure_free(&m);
  static const char *const bad[][2] = {{"", "no proper name"},          {"=a.b", "no proper name"},
                                       {"position", "not PATH"},        {"best(a.b)", "there is no 'best()'"},
                                       {"max(a.b", "without )"},        {"a.b[x]", "no index"},
                                       {"a.b[-1]", "no index"},         {"moved(a.x)", "has no .x"},
                                       {"a.b[99999999999]", "no index"}};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    dv_text_clear(&why);
    assert_false(dv_sweep_measure_parse(&m, bad[i][0], &why));
    if (!strstr(why.text, bad[i][1])) print_error("%s: %s\n", bad[i][0], why.text);
    assert_non_null(strstr(why.text, bad[i][1]));
    dv_sweep_measure_free(&m);
  }
  dv_text_free(&why);
}

// rows come back as they were; every cut of a journal loses the line it goes through and no other
static void a_journal_survives_every_cut(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  char *heading = dv_sweep_heading(42);
  dv_text_add(&text, heading);
  size_t ends[4];
  for (int i = 0; i < 3; i++) {
    dvSweepRow row = {.key = 100 + (uint64_t)i, .status = i == 1 ? "diverged" : "ok", .steps = i, .seconds = 0.5};
    if (i != 1) dv_push(&row.results, 1.0 / 3 + i);
    row.message = i == 1 ? "a\tb\nc, \"d\"" : "";
    dv_sweep_row_print(&row, &text);
    dv_array_free(&row.results);
    ends[i] = text.length;
  }
  for (size_t cut = strlen(heading); cut <= text.length; cut++) {
    dvSweepRows rows = {0};
    size_t lost = 0, whole = 0;
    assert_true(dv_sweep_read(text.text, cut, 42, 1, &rows, &lost));
    while (whole < 3 && ends[whole] <= cut) whole++;
    assert_int_equal(rows.count, whole);
    const bool between = cut == strlen(heading) || (whole && ends[whole - 1] == cut);
    assert_int_equal(lost, between ? 0 : 1);
    if (whole == 3) {
      const dvSweepRow *last = dv_sweep_find(&rows, 102);
      assert_non_null(last);
      assert_true(last->results.data[0] == 1.0 / 3 + 2);
      assert_string_equal(dv_sweep_find(&rows, 101)->message, "a b c, \"d\"");
      assert_null(dv_sweep_find(&rows, 103));
    }
    dv_sweep_rows_free(&rows);
  }
  dvSweepRows rows = {0};
  size_t lost = 0;
  assert_false(dv_sweep_read(text.text, text.length, 43, 1, &rows, &lost));   // of another sweep
  assert_true(dv_sweep_read(text.text, text.length, 42, 2, &rows, &lost));    // other columns: no row of it counts
  assert_int_equal(rows.count, 1);
  dv_sweep_rows_free(&rows);
  dv_text_free(&text);
  dv_free(heading);
}

// --- the command ---------------------------------------------------------------------------------

static char *in_directory(void)
{
  char *directory = check_mkdir();
  dv_free(check_write(directory, "spring.scn", spring_scene));
  return directory;
}

static char *file_of(const char *directory, const char *name)
{
  char *path = dv_path_join(directory, name), *text = dv_file_read(path, NULL);
  if (!text) print_error("%s cannot be read\n", path);
  assert_non_null(text);
  dv_free(path);
  return text;
}

static size_t lines_of(const char *text)
{
  size_t n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

// the spring's end for each stiffness and mass, beside m g / k
static void a_sweep_finds_the_closed_form(void **state)
{
  DV_UNUSED(state);
  char *directory = in_directory();
  check_command(
      0, "6 of 6 variants in t.csv, plots in t.html",
      "cd %s && %s sweep spring.scn -n 400 --vary 'Weight/spring.stiffness=100:400:log3' "
      "--vary 'Weight/mass.totalMass=1,2' --result 'y=Weight/dofs.position[0].y' "
      "--result 'moved(Weight/dofs)' --result 'v=norm(Weight/dofs.velocity)' --out t.csv --html t.html --jobs 2",
      directory, DIVAN_BINARY);
  char *text = file_of(directory, "t.csv"), *rest = text, *line = strsep(&rest, "\n");
  assert_string_equal(line, "variant,Weight/spring.stiffness,Weight/mass.totalMass,y,moved(Weight/dofs),v,status,steps,"
                            "seconds,message");
  for (int i = 0; i < 6; i++) {
    double number, stiffness, mass, y, moved, v;
    line = strsep(&rest, "\n");
    assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,ok,400,", &number, &stiffness, &mass, &y, &moved, &v), 6);
    assert_true(number == i);
    check_close(stiffness, 100 * pow(2, i / 2), 1e-9);
    check_close(mass, 1 + i % 2, 0);
    check_close(y, -10 * mass / stiffness, 1e-6);   // implicit Euler has damped it for 20 s
    check_close(moved, -y, 1e-12);
    check_close(v, 0, 1e-5);
  }
  assert_string_equal(rest, "");
  dv_free(text);
  text = file_of(directory, "t.html");
  assert_non_null(strstr(text, "const sweep = {\"scene\":\"spring.scn\",\"steps\":400,\"variants\":6,"));
  assert_null(strstr(text, "/*SWEEP*/"));
  dv_free(text);
  check_rmdir(directory);
}

// what happens when the same command is given again, with more values, another scene, or to begin anew
static void a_finished_sweep_is_not_repeated(void **state)
{
  DV_UNUSED(state);
  char *directory = in_directory();
  const char *common = "--jobs 2 -n 2 --out t.csv";
  check_command(0, "3 of 3 variants in t.csv\n", "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=1,2,3 %s",
                directory, DIVAN_BINARY, common);
  char *before = file_of(directory, "t.csv.journal");
  check_command(0, "3 of 3 variants in t.csv, 3 of them from before",
                "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=1,2,3 %s", directory, DIVAN_BINARY,
                common);
  char *after = file_of(directory, "t.csv.journal");
  assert_string_equal(before, after);
  dv_free(after);
  check_command(0, "4 of 4 variants in t.csv, 3 of them from before",
                "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=1,2,2.5,3 %s", directory, DIVAN_BINARY,
                common);
  after = file_of(directory, "t.csv.journal");
  assert_true(dv_starts_with(after, before));
  assert_int_equal(lines_of(after), lines_of(before) + 1);
  dv_free(before), dv_free(after);
  check_command(4, "journal of another sweep",
                "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=1 --out t.csv -n 3", directory,
                DIVAN_BINARY);
  check_command(0, "1 of 1 variants in t.csv\n",
                "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=1 --out t.csv -n 3 --restart", directory,
                DIVAN_BINARY);
  check_rmdir(directory);
}

static void *start_sweep(const char *directory, const char *tail, pid_t *child)
{
  char *command = dv_format("cd %s && exec %s sweep spring.scn --vary Weight/spring.stiffness=100:400:lin24 --jobs 2 "
                            "-n 4000 --out t.csv %s >/dev/null 2>&1",
                            directory, DIVAN_BINARY, tail);
  *child = fork();
  if (*child == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  dv_free(command);
  return NULL;
}

static size_t rows_in_journal(const char *directory)
{
  char *path = dv_path_join(directory, "t.csv.journal"), *text = dv_file_read(path, NULL);
  const size_t n = text ? lines_of(text) : 0;
  dv_free(path), dv_free(text);
  return n ? n - 1 : 0;
}

static void wait_for_rows(const char *directory, size_t rows)
{
  for (int i = 0; i < 3000 && rows_in_journal(directory) < rows; i++) usleep(10000);
  assert_true(rows_in_journal(directory) >= rows);
}

// the results of a table, without the seconds
static char *results_of(const char *directory)
{
  char *out;
  assert_int_equal(check_shell(&out, "cut -d, -f1-5 %s/t.csv", directory), 0);
  return out;
}

// killed again and again, at whatever moment: nothing is lost, nothing is done twice, the table is that of one run
// workers of a sweep that was killed hold its journal until they have seen that
static void wait_for_journal(const char *directory)
{
  char *path = dv_path_join(directory, "t.csv.journal");
  int file = open(path, O_RDWR);
  assert_true(file >= 0);
  assert_int_equal(flock(file, LOCK_EX), 0);
  close(file);
  dv_free(path);
}

static void a_killed_sweep_goes_on(void **state)
{
  DV_UNUSED(state);
  char *whole = in_directory(), *directory = in_directory();
  check_command(
      0, "24 of 24",
      "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=100:400:lin24 --jobs 1 -n 4000 --out t.csv", whole,
      DIVAN_BINARY);
  size_t rows = 0;
  for (size_t goal = 3; goal <= 15; goal += 6) {
    pid_t child;
    start_sweep(directory, "", &child);
    wait_for_rows(directory, goal);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    wait_for_journal(directory);
    assert_true(rows_in_journal(directory) >= rows);
    rows = rows_in_journal(directory);
  }
  check_command(0, NULL, "printf '0123456789abcdef\\tok\\t40' >> %s/t.csv.journal", directory);   // a torn line
  check_command(
      0, "24 of 24 variants in t.csv",
      "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=100:400:lin24 --jobs 2 -n 4000 --out t.csv",
      directory, DIVAN_BINARY);
  assert_int_equal(rows_in_journal(directory), 24);   // each once
  char *a = results_of(whole), *b = results_of(directory);
  assert_string_equal(a, b);
  dv_free(a), dv_free(b);
  check_rmdir(whole), check_rmdir(directory);
}

static void an_interrupted_sweep_writes_its_table(void **state)
{
  DV_UNUSED(state);
  char *directory = in_directory();
  pid_t child;
  start_sweep(directory, "", &child);
  wait_for_rows(directory, 2);
  check_command(4, "another sweep is writing to it",
                "cd %s && %s sweep spring.scn --vary Weight/spring.stiffness=100:400:lin24 -n 4000 --out t.csv",
                directory, DIVAN_BINARY);
  kill(child, SIGTERM);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 143 || WEXITSTATUS(status) == 0));
  char *text = file_of(directory, "t.csv");
  assert_int_equal(lines_of(text) - 1, rows_in_journal(directory));
  dv_free(text);
  check_rmdir(directory);
}

static void variants_that_fail_are_told(void **state)
{
  DV_UNUSED(state);
  char *directory = in_directory();
  check_command(5, "3 of 3 variants in t.csv, 1 not ok",
                "cd %s && %s sweep spring.scn --vary 'Weight/dofs.position=0 0 0,x,1 0 0' -n 2 --out t.csv", directory,
                DIVAN_BINARY);
  char *text = file_of(directory, "t.csv");
  assert_non_null(strstr(text, "\n1,x,,failed,0,"));
  assert_non_null(strstr(text, "\n2,1 0 0,"));
  dv_free(text);
  check_command(5, "3 of 3 variants in t.csv, 2 of them from before, 1 not ok",
                "cd %s && %s sweep spring.scn --vary 'Weight/dofs.position=0 0 0,x,1 0 0' -n 2 --out t.csv --retry",
                directory, DIVAN_BINARY);
  check_command(5, "1 not ok",
                "cd %s && %s sweep spring.scn --vary Weight/mass.totalMass=1 -n 100000000 --timeout 0.3 --out late.csv",
                directory, DIVAN_BINARY);
  text = file_of(directory, "late.csv");
  assert_non_null(strstr(text, ",timeout,0,"));
  dv_free(text);
  check_rmdir(directory);
}

static void bad_sweeps_end_before_they_begin(void **state)
{
  DV_UNUSED(state);
  static const struct {
    int status;
    const char *says, *arguments;
  } cases[] = {
      {2, "name a scene", "--vary a.b=1"},
      {2, "say what varies", "spring.scn"},
      {2, "is no range", "spring.scn --vary Weight/spring.stiffness=1:2:3"},
      {2, "is there twice", "spring.scn --vary Weight/spring.stiffness=1 --vary Weight/spring.stiffness=2"},
      {2, "there is no component or node 'Wieght/spring'; did you mean Weight/spring.stiffness?",
       "spring.scn --vary Wieght/spring.stiffness=1"},
      {2, "has no field 'stifness'", "spring.scn --vary Weight/spring.stifness=1"},
      {2, "there is no component or node 'dofs'", "spring.scn --vary Weight/spring.stiffness=1 --result dofs.position"},
      {2, "is 3 numbers: choose one", "spring.scn --vary Weight/spring.stiffness=1 --result Weight/dofs.position"},
      {2, "there are 1 entries", "spring.scn --vary Weight/spring.stiffness=1 --result 'Weight/dofs.position[1].x'"},
      {2, "has 2 values and", "spring.scn --vary .dt=1 --vary Weight/spring.stiffness=1,2 --together"},
      {2, "more than 1000000 variants", "spring.scn --vary .dt=1:2:lin2000 --vary Weight/spring.stiffness=1:2:lin2000"},
      {2, "--share is K/N", "spring.scn --vary .dt=1 --share 2/2"},
      {2, "--restart cannot be asked of a share", "spring.scn --vary .dt=1 --share 0/2 --restart"},
      {4, "there is no such scene", "nowhere.scn --vary a.b=1"},
      {4, "cannot be written", "spring.scn --vary .dt=0.1 --out /nowhere/t.csv"},
      {4, "cannot be written", "spring.scn --vary .dt=0.1 --html /nowhere/t.html"},
      {3, "UnknownThing", "unknown.scn --vary .dt=0.1"},
  };
  char *directory = in_directory();
  dv_free(check_write(directory, "unknown.scn", "<Node><UnknownThing/></Node>"));
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    check_command(cases[i].status, cases[i].says, "cd %s && %s sweep %s", directory, DIVAN_BINARY, cases[i].arguments);
  check_command(0, "t.csv\n", "cd %s && ls; ls *.csv* 2>/dev/null; echo t.csv", directory);
  check_rmdir(directory);
}

static void a_full_disk_is_told(void **state)
{
  DV_UNUSED(state);
  if (access("/dev/full", W_OK) != 0) skip();
  char *directory = in_directory();
  check_command(4, "No space left",
                "cd %s && ln -s /dev/full t.csv && %s sweep spring.scn --vary .dt=0.1 -n 1 --out t.csv", directory,
                DIVAN_BINARY);
  check_command(4, "u.csv.journal: error: cannot be written: File too large",
                "cd %s && (trap '' XFSZ; ulimit -f 0; %s sweep spring.scn --vary .dt=0.1,0.2 -n 1 --out u.csv)",
                directory, DIVAN_BINARY);
  check_rmdir(directory);
}

// tasks of a job array, and processes of a launcher: each does its share, and one collects
static void shares_come_together(void **state)
{
  DV_UNUSED(state);
  char *directory = in_directory();
  check_command(0, "5 variants in 2 tasks: sbatch a.sh",
                "cd %s && %s sweep spring.scn --vary \"Weight/spring.stiffness=100:400:lin5\" --result "
                "\"it's=Weight/dofs.position[0].y\" -n 4 --out t.csv --slurm a.sh --tasks 2",
                directory, DIVAN_BINARY);
  for (int task = 0; task < 2; task++)
    check_command(0, task ? "share 1 of 2: 2 variants" : "share 0 of 2: 3 variants",
                  "cd %s && SLURM_ARRAY_TASK_ID=%d bash a.sh", directory, task);
  check_command(0, "5 of 5 variants in t.csv, 5 of them from before", "cd %s && bash a.sh collect --html t.html",
                directory);
  char *text = file_of(directory, "t.csv");
  assert_true(dv_starts_with(text, "variant,Weight/spring.stiffness,it's,status"));
  assert_int_equal(lines_of(text), 6);
  dv_free(text);
  check_command(0, "7 of 7 variants in r.csv",
                "cd %s && for r in 1 2 0; do OMPI_COMM_WORLD_RANK=$r OMPI_COMM_WORLD_SIZE=3 %s sweep spring.scn --vary "
                "Weight/spring.stiffness=100:400:lin7 -n 4 --out r.csv & done; wait",
                directory, DIVAN_BINARY);
  text = file_of(directory, "r.csv");
  assert_int_equal(lines_of(text), 8);
  dv_free(text);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_made),
                                     cmocka_unit_test(bad_values_are_refused),
                                     cmocka_unit_test(results_are_named),
                                     cmocka_unit_test(a_journal_survives_every_cut),
                                     cmocka_unit_test(a_sweep_finds_the_closed_form),
                                     cmocka_unit_test(a_finished_sweep_is_not_repeated),
                                     cmocka_unit_test(a_killed_sweep_goes_on),
                                     cmocka_unit_test(an_interrupted_sweep_writes_its_table),
                                     cmocka_unit_test(variants_that_fail_are_told),
                                     cmocka_unit_test(bad_sweeps_end_before_they_begin),
                                     cmocka_unit_test(a_full_disk_is_told),
                                     cmocka_unit_test(shares_come_together)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
