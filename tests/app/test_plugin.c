// Plugins: written by the command, built outside of the tree, loaded by name and by file, refused when they do not fit.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static char *directory;

static int set_up(void **state)
{
  DV_UNUSED(state);
  directory = check_mkdir();
  return 0;
}

static int tear_down(void **state)
{
  DV_UNUSED(state);
  check_rmdir(directory);
  return 0;
}

// the first number behind `label` in a file
static double number_in(const char *path, const char *label)
{
  char *text = dv_file_read(path, NULL);
  assert_non_null(text);
  const char *at = strstr(text, label);
  assert_non_null(at);
  double value = strtod(at + strlen(label), NULL);
  dv_free(text);
  return value;
}

// the wind carries the points: implicit Euler gives v = w (1 - (1 + h c / m)^-n)
static void check_wind(const char *arguments)
{
  check_command(0, "100 steps", "%s run %s -n 100 --threads 1 --dump-state %s/dump", DIVAN_BINARY, arguments,
                directory);
  char *path = dv_path_join(directory, "dump/0_dofs.txt");
  check_close(number_in(path, "V="), 2 * (1 - pow(1 + 0.01 * 0.5 / 0.1, -100)), 1e-12);
  dv_free(path);
}

// the viewer prints its address when it has read the scene, and mistakes
static void check_view(const char *arguments, const char *mistake)
{
  char *out, *d = directory;
  check_shell(&out,
              "%s view %s --no-browser --port 0 >%s/address 2>%s/told & p=$!; "
              "while kill -0 $p 2>/dev/null && ! test -s %s/address; do sleep 0.05; done; kill $p 2>/dev/null; "
              "wait $p; cat %s/told; rm %s/address",
              DIVAN_BINARY, arguments, d, d, d, d, d);
  bool built = !strstr(out, "built without its viewer");
  if (built && (mistake ? !strstr(out, mistake) : *out)) fail_msg("divan view %s told: %s", arguments, out);
  dv_free(out);
}

static void a_new_plugin_compiles_and_runs(void **state)
{
  DV_UNUSED(state);
  const char *d = directory;
  check_command(0, "make -C", "cd %s && %s new-plugin Weather", d, DIVAN_BINARY);
  check_command(4, "is there already\n    give the plugin another name (divan new-plugin Weather2)",
                "cd %s && %s new-plugin Weather", d, DIVAN_BINARY);
  check_command(2, "cannot be a name", "%s new-plugin 7up", DIVAN_BINARY);
  check_command(0, NULL, "make -C %s/Weather DIVAN=%s CFLAGS=-Werror", d, DIVAN_BINARY);
  char *by_path = dv_format("%s/Weather/weather.scn --plugin-path %s/Weather", d, d);
  char *by_file = dv_format("%s/Weather/weather.scn --plugin %s/Weather/libWeather.so", d, d);
  check_wind(by_path);
  check_wind(by_file);
  check_view(by_path, NULL);
  check_view(by_file, NULL);
  check_view(DIVAN_SOURCE_DIR "/scenes/liver.scn --plugin Nowhere", "the plugin Nowhere was not found");
  check_command(0, "velocity of the air", "%s info WeatherForceField --plugin %s/Weather/libWeather.so", DIVAN_BINARY,
                d);
  check_command(0, "WeatherEngine", "DIVAN_PLUGIN_PATH=/nowhere:%s/Weather %s list engine --plugin Weather", d,
                DIVAN_BINARY);
  check_command(0, "no mistakes found", "DIVAN_PLUGIN_PATH=%s/Weather %s check %s/Weather/weather.scn", d, DIVAN_BINARY,
                d);
  // without it: what is missing, and what to do
  check_command(3, "--plugin-path", "%s run %s/Weather/weather.scn", DIVAN_BINARY, d);
  // a mistake in a field of the plugin's own component points at its line
  check_command(4, "weather.scn:12: error: /leaves/WeatherForceField1: the drag cannot be negative",
                "sed -i s/0.5/-0.5/ %s/Weather/weather.scn && %s run %s", d, DIVAN_BINARY, by_path);
  dv_free(by_path);
  dv_free(by_file);
}

static void the_example_compiles_outside_of_the_tree(void **state)
{
  DV_UNUSED(state);
  check_command(0, NULL, "cp -r %s/plugins/example %s/copy && make -C %s/copy DIVAN=%s CFLAGS=-Werror",
                DIVAN_SOURCE_DIR, directory, directory, DIVAN_BINARY);
  char *arguments = dv_format("%s/copy/example.scn --plugin-path %s/copy", directory, directory);
  check_wind(arguments);
  dv_free(arguments);
}

static void compile(const char *name, const char *source)
{
  char *file = check_write(directory, "source.c", source);
  check_command(0, NULL, "cc -std=c17 -fPIC -shared $(%s new-plugin --flags) %s -o %s/lib%s.so", DIVAN_BINARY, file,
                directory, name);
  dv_free(file);
}

static void what_does_not_fit_is_refused(void **state)
{
  DV_UNUSED(state);
#define HEAD "#include <divan/sdk/plugin.h>\n"
#define CLASS(name_)                                                           \
  "static const dvClass c = {.struct_size = sizeof(dvClass), .name = \"" name_ \
  "\", .size = sizeof(dvObject), .blocks = {&dv_object_block}};\n"
#define PLUGIN "DV_PLUGIN(\"Odd\", \"1\", \"\", &c)\n"
  static const struct {
    const char *name, *source, *contains;
  } cases[] = {
      {"Later", HEAD CLASS("OddOne") "#undef DV_SDK_ABI\n#define DV_SDK_ABI 999\n" PLUGIN,
       "was made for version 999 of the component interface; this divan has version"},
      {"Grown", HEAD CLASS("OddOne") "#undef DV_SDK_LAYOUT\n#define DV_SDK_LAYOUT 7\n" PLUGIN,
       "compiled with headers of another divan"},
      {"Double", HEAD CLASS("UniformMass") PLUGIN, "brings the component UniformMass, which exists already"},
      {"Nothing", "int x;\n", "has no function divan_plugin_init"},
      {"Loose",
       HEAD CLASS("OddOne") "void nobody_has_this(void);\nvoid f(void);\nvoid f(void) { nobody_has_this(); }\n" PLUGIN,
       "nobody_has_this"},
  };
  char *scene = check_write(directory, "odd.scn", "<Node/>");
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    compile(cases[i].name, cases[i].source);
    check_command(4, cases[i].contains, "%s run %s -n 1 --plugin %s/lib%s.so", DIVAN_BINARY, scene, directory,
                  cases[i].name);
    char *text = dv_format("<Node><RequiredPlugin name='%s'/></Node>", cases[i].name),
         *required = check_write(directory, "required.scn", text);
    check_command(4, cases[i].contains, "%s run %s -n 1 --plugin-path %s", DIVAN_BINARY, required, directory);
    dv_free(text);
    dv_free(required);
  }
  // copies that were cut off, and noise
  for (int bytes = 32; bytes < 20000; bytes *= 3)
    check_command(4, "cannot be loaded", "head -c %d %s/libDouble.so > %s/libCut.so && %s run %s --plugin %s/libCut.so",
                  bytes, directory, directory, DIVAN_BINARY, scene, directory);
  check_command(4, "there is no file", "%s run %s --plugin ./no.so", DIVAN_BINARY, scene);
  check_command(4, "was not found", "%s run %s --plugin no", DIVAN_BINARY, scene);
  // a scene may name a plugin, but not where code is to be taken from
  dv_free(check_write(directory, "required.scn", "<Node><RequiredPlugin name='./libLater.so'/></Node>"));
  check_command(0, "is not known", "cd %s && %s run required.scn -n 1", directory, DIVAN_BINARY);
  dv_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_new_plugin_compiles_and_runs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_example_compiles_outside_of_the_tree, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
