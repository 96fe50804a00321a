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

static const Command *const commands[] = {&command_run,        &command_view,    &command_check, &command_info,
                                          &command_list,       &command_convert, &command_bench, &command_validate,
                                          &command_new_plugin, &command_anatomy, &command_sweep};

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

dvContext *context_for(const Options *o)
{
  dvContext *context = dv_divan_create((int)o->threads);
  dvCompatMode mode;
  context->skip_missing = o->skip_missing;
  context->emulate_devices = o->emulate_devices;
  context->log.strict = o->strict;
  context->read_script = o->read_script;
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

// reads the rest of the command line and does what it asks for
static int obey(const Command *c, int count, char **arguments, dvScriptReader read_script)
{
  for (int i = 0; i < count; i++)
    if (dv_same(arguments[i], "--help") || dv_same(arguments[i], "-h")) {
      print_command_help(c);
      return 0;
    }
  Options o;
  int status = options_read(c, &o, count, arguments);
  o.read_script = read_script;
  if (!status) status = c->run(&o);
  options_free(&o);
  return status;
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

static int run_verb(int count, char **arguments, dvScriptReader read_script)
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
    if (dv_same(commands[i]->name, verb)) return obey(commands[i], count - 2, arguments + 2, read_script);
  }
  int near = dv_nearest(verb, names, (int)DV_COUNT(commands));
  if (near >= 0) return usage_error(NULL, "there is no verb '%s'; did you mean '%s'?", verb, names[near]);
  return usage_error(NULL, "there is no verb '%s'", verb);
}

// what was printed counts as a result: on a full device it is lost
int divan_command(int count, char **arguments, dvScriptReader read_script)
{
  for (int i = 0; i < count; i++)   // what follows is the script's
    if (dv_same(arguments[i], "--")) count = i;
  int status = run_verb(count, arguments, read_script);
  bool lost = ferror(stdout) != 0;
  if (fflush(stdout) == 0 && !lost) return status;
  fprintf(stderr, "divan: error: the standard output cannot be written: %s\n", strerror(errno));
  return status ? status : DV_ERROR_INPUT;
}
