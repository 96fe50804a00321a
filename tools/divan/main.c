// divan: simulates scenes of deformable and rigid bodies. This file finds the verb.
#include "command.h"

#include "base/isa.h"
#include "base/text.h"
#include "object/compat.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Command *const commands[] = {&command_run,   &command_view,     &command_check,
                                          &command_info,  &command_list,     &command_convert,
                                          &command_bench, &command_validate, &command_new_plugin};

static void print_help(FILE *out)
{
  fprintf(out, "divan %s: simulate deformable and rigid bodies from SOFA scenes\n\nusage: divan VERB ...\n\n",
          DIVAN_VERSION);
  for (size_t i = 0; i < DV_COUNT(commands); i++) fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(
      out,
      "\n`divan VERB --help` explains a verb. `divan --version` prints the version.\n\n"
      "examples:\n"
      "  divan run scenes/liver.scn -n 200 --out result     simulate 200 steps, write files for ParaView\n"
      "  divan view scenes/liver.scn                        look at it in the browser\n"
      "  divan check scenes/liver.scn                       find the mistakes of a scene\n"
      "  divan info UniformMass                             fields of a component\n\n"
      "exit status: 0 done, 2 bad command line, 3 unknown component, 4 bad or missing input or a place that cannot be\n"
      "written, 5 diverged, 130 ended by Ctrl-C, 143 by SIGTERM\n");
}

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

bool wants_help(const Command *c, int count, char **arguments)
{
  for (int i = 0; i < count; i++)
    if (dv_same(arguments[i], "--help") || dv_same(arguments[i], "-h")) {
      printf("usage: %s", c->usage);
      return true;
    }
  return false;
}

// proposes the nearest of the options that the help of the verb names
int unknown_option(const Command *c, const char *option)
{
  DV_ARRAY(char *) names = {0};
  for (const char *s = strstr(c->usage, "--"); s; s = strstr(s, "--")) {
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz-");
    if (n > 3) dv_push(&names, dv_strndup(s, n));
    s += n;
  }
  int near = dv_nearest(option, (const char *const *)names.data, (int)names.count);
  int status = near >= 0 ? usage_error(c, "unknown option '%s'; did you mean '%s'?", option, names.data[near])
                         : usage_error(c, "unknown option '%s'", option);
  for (size_t i = 0; i < names.count; i++) dv_free(names.data[i]);
  dv_array_free(&names);
  return status;
}

bool option_number(const Command *c, const char *option, const char *text, double low, double high, double *out)
{
  const char *s = text;
  if (s && dv_scan_real(&s, out) && !*s && *out >= low && *out <= high) return true;
  usage_error(c, "%s needs a number from %g to %g%s%s", option, low, high, text ? ", not " : "", text ? text : "");
  return false;
}

bool option_count(const Command *c, const char *option, const char *text, double low, double high, long *out)
{
  double number;
  if (!option_number(c, option, text, low, high, &number)) return false;
  *out = (long)number;
  if ((double)*out == number) return true;
  usage_error(c, "%s needs a whole number, not %s", option, text);
  return false;
}

int option_common(const Command *c, Options *o, int count, char **arguments)
{
  const char *a = arguments[0];
  if (dv_same(a, "--data") || dv_same(a, "--plugin-path")) {
    if (count < 2) return usage_error(c, "%s needs a directory", a), -1;
    if (dv_same(a, "--data")) dv_push(&o->data, arguments[1]);
    else dv_push(&o->plugin_paths, arguments[1]);
    return 2;
  }
  if (dv_same(a, "--plugin")) {
    if (count < 2) return usage_error(c, "--plugin needs the name or file of a plugin"), -1;
    dv_push(&o->plugins, arguments[1]);
    return 2;
  }
  if (dv_same(a, "--compat")) {
    dvCompatMode mode;
    if (count < 2) return usage_error(c, "--compat needs a mode: " DV_COMPAT_MODES), -1;
    if (!dv_compat_parse(arguments[1], &mode))
      return usage_error(c, "--compat '%s' is not known; there are " DV_COMPAT_MODES, arguments[1]), -1;
    o->compat = arguments[1];
    return 2;
  }
  if (dv_same(a, "--threads")) {
    long n;
    if (!option_count(c, a, count > 1 ? arguments[1] : NULL, 1, 256, &n)) return -1;
    o->threads = (int)n;
    return 2;
  }
  if (a[0] == '-' && a[1]) return 0;
  if (!o->scene) o->scene = a;
  else if (!o->second) o->second = a;
  else return usage_error(c, "unexpected argument '%s'", a), -1;
  return 1;
}

dvContext *context_for(const Options *o)
{
  dvContext *context = dv_divan_create(o->threads);
  dvCompatMode mode;
  if (o->compat && dv_compat_parse(o->compat, &mode)) dv_compat_choose(context, mode);
  for (size_t i = 0; i < o->data.count; i++) {
    if (access(o->data.data[i], R_OK | X_OK) != 0)
      fprintf(stderr, "warning: --data %s: there is no such directory\n", o->data.data[i]);
    dv_context_add_data_path(context, o->data.data[i]);
  }
  for (size_t i = 0; i < o->plugin_paths.count; i++) dv_context_add_plugin_path(context, o->plugin_paths.data[i]);
  for (size_t i = 0; i < o->plugins.count; i++) dv_divan_load_plugin(context, o->plugins.data[i]);
  return context;
}

void options_free(Options *o)
{
  dv_array_free(&o->data);
  dv_array_free(&o->plugins);
  dv_array_free(&o->plugin_paths);
}

void print_summary_of_messages(const dvLog *log)
{
  int errors = log->counts[DV_ERROR], warnings = log->counts[DV_WARNING];
  if (errors || warnings)
    fprintf(stderr, "%d error%s, %d warning%s\n", errors, errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
}

static volatile sig_atomic_t caught;
static void on_signal(int number) { caught = number; }

void catch_interrupts(void)
{
  static const int signals[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < DV_COUNT(signals); i++) {
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)}, before;
    sigaction(signals[i], &act, &before);
    if (before.sa_handler == SIG_IGN) sigaction(signals[i], &before, NULL);   // a job in the background of a script
  }
}

int interrupted(void) { return caught ? 128 + (int)caught : 0; }

static int run_verb(int count, char **arguments)
{
  if (count < 2) {
    print_help(stderr);
    return DV_ERROR_USAGE;
  }
  const char *verb = arguments[1];
  if (dv_same(verb, "--help") || dv_same(verb, "-h") || dv_same(verb, "help")) {
    print_help(stdout);
    return 0;
  }
  if (dv_same(verb, "--version")) {
    printf("divan %s (%s)\n", DIVAN_VERSION, dv_isa_name());
    return 0;
  }
  const char *names[DV_COUNT(commands)];
  for (size_t i = 0; i < DV_COUNT(commands); i++) {
    names[i] = commands[i]->name;
    if (dv_same(commands[i]->name, verb)) return commands[i]->run(count - 2, arguments + 2);
  }
  int near = dv_nearest(verb, names, (int)DV_COUNT(commands));
  if (near >= 0) return usage_error(NULL, "there is no verb '%s'; did you mean '%s'?", verb, names[near]);
  return usage_error(NULL, "there is no verb '%s'", verb);
}

// what was printed counts as a result: on a full device it is lost
int main(int count, char **arguments)
{
  int status = run_verb(count, arguments);
  bool lost = ferror(stdout) != 0;
  if (fflush(stdout) == 0 && !lost) return status;
  fprintf(stderr, "divan: error: the standard output cannot be written: %s\n", strerror(errno));
  return status ? status : DV_ERROR_INPUT;
}
