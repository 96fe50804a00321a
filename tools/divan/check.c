// divan check: find the mistakes of a scene. divan convert: write a scene back.
#include "command.h"

#include "app/lint.h"
#include "io/scene_file.h"

#include <stdio.h>

static const char check_usage[] =
    "divan check SCENE [--data DIR]...\n\n"
    "Reads and initialises a scene and prints every mistake with its place and what to do about it.\n"
    "Warnings name what is legal and most likely not meant: no mass, an empty selection, a step too long for an\n"
    "explicit integrator, components that nobody uses, implausible sizes. The exit status is that of `divan run`;\n"
    "0 means that the scene is fit to run.\n\n"
    "example:\n"
    "  divan check my.scn --data meshes\n";

static const char convert_usage[] =
    "divan convert IN.scn OUT.scn [--data DIR]...\n\n"
    "Writes a scene back with includes expanded, today's names and values in their shortest form.\n"
    "Converting the result again gives the same bytes.\n\n"
    "example:\n"
    "  divan convert old.scn new.scn\n";

static int parse(const Command *c, Options *o, int count, char **arguments, bool two)
{
  *o = (Options){.threads = 1};
  for (int i = 0; i < count;) {
    int used = option_common(c, o, count - i, arguments + i);
    if (used < 0) return DV_ERROR_USAGE;
    if (used == 0) return usage_error(c, "unknown option '%s'", arguments[i]);
    i += used;
  }
  if (!o->scene) return usage_error(c, "name a scene");
  if (two && !o->second) return usage_error(c, "name the file to write");
  if (!two && o->second) return usage_error(c, "unexpected argument '%s'", o->second);
  return 0;
}

static int check(int count, char **arguments)
{
  if (wants_help(&command_check, count, arguments)) return 0;
  Options o;
  int bad = parse(&command_check, &o, count, arguments, false);
  if (bad) return bad;
  dvContext *context = context_for(&o);
  dvScene *scene = NULL;
  dv_scene_read(context, o.scene, &scene);
  if (scene && dv_scene_init(scene) == DV_OK) dv_scene_lint(scene);
  dvStatus status = context->log.worst;
  if (!scene && status == DV_OK) status = DV_ERROR_INPUT;
  print_summary_of_messages(&context->log);
  if (status == DV_OK && !context->log.counts[DV_WARNING]) printf("%s: no mistakes found\n", o.scene);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  dv_array_free(&o.data);
  return (int)status;
}

static int convert(int count, char **arguments)
{
  if (wants_help(&command_convert, count, arguments)) return 0;
  Options o;
  int bad = parse(&command_convert, &o, count, arguments, true);
  if (bad) return bad;
  dvContext *context = context_for(&o);
  dvScene *scene = NULL;
  dvStatus status = dv_scene_read(context, o.scene, &scene);
  if (status == DV_OK) status = dv_scene_write(scene, o.second);
  print_summary_of_messages(&context->log);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  dv_array_free(&o.data);
  return (int)status;
}

const Command command_check = {"check", "find the mistakes of a scene", check_usage, check};
const Command command_convert = {"convert", "write a scene back in today's form", convert_usage, convert};
