// divan new-plugin: writes the sources of a plugin that compiles, from plugins/example, which is part of the command.
#include "command.h"

#include "base/file.h"
#include "base/text.h"
#include "plugin_files.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- where the headers are -----------------------------------------------------------------------

static bool has_headers(const char *directory)
{
  char *path = dv_path_join(directory, "object/object.h");
  bool found = dv_file_exists(path);
  dv_free(path);
  return found;
}

// installed: beside the directory of the command; else the sources it was built from
static int print_flags(void)
{
  char self[4096] = "";
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) self[n] = 0;
  char *bin = dv_path_directory(self), *prefix = dv_path_directory(bin), *include = dv_path_join(prefix, "include"),
       *sdk = dv_path_join(include, "divan/sdk");
  int status = 0;
  if (has_headers(sdk)) printf("-I%s -I%s\n", include, sdk);
  else if (has_headers(DIVAN_SOURCE_DIR "/src")) printf("-I%s/include -I%s/src\n", DIVAN_SOURCE_DIR, DIVAN_SOURCE_DIR);
  else {
    fprintf(stderr, "divan new-plugin: the headers are neither in %s nor in %s\n", sdk, DIVAN_SOURCE_DIR "/src");
    status = DV_ERROR_INPUT;
  }
  dv_free(bin), dv_free(prefix), dv_free(include), dv_free(sdk);
  return status;
}

// --- writing -------------------------------------------------------------------------------------

static char *lowered(const char *name)
{
  char *copy = dv_strdup(name);
  for (char *c = copy; *c; c++) *c = (char)tolower((unsigned char)*c);
  return copy;
}

// puts the name in the place of Example, in small letters in that of example
static void rename_in(dvText *out, const char *text, const char *name, const char *lower)
{
  static const size_t n = sizeof "Example" - 1;
  while (*text) {
    bool big = strncmp(text, "Example", n) == 0, small = strncmp(text, "example", n) == 0;
    if (big || small) dv_text_add(out, big ? name : lower);
    else dv_text_add_n(out, text, 1);
    text += big || small ? n : 1;
  }
}

static char *path_of(const char *directory, const PluginFile *file, const char *name, const char *lower)
{
  dvText path = {0};
  dv_text_printf(&path, "%s/", directory);
  rename_in(&path, file->name, name, lower);
  return dv_text_take(&path);
}

// nothing is written when one of the files is there
static bool is_free(const char *directory, const char *name, const char *lower)
{
  bool taken = false;
  for (size_t i = 0; i < DV_COUNT(plugin_files) && !taken; i++) {
    char *path = path_of(directory, &plugin_files[i], name, lower);
    taken = dv_file_exists(path);
    if (taken)
      fprintf(stderr,
              "divan new-plugin: %s is there already\n    give the plugin another name (divan new-plugin %s2), another "
              "directory (divan new-plugin %s %s2), or remove %s\n",
              path, name, name, directory, directory);
    dv_free(path);
  }
  return !taken;
}

static bool write_file(const char *directory, const PluginFile *file, const char *name, const char *lower)
{
  dvText content = {0};
  char *path = path_of(directory, file, name, lower);
  rename_in(&content, file->content, name, lower);
  FILE *f = fopen(path, "wx");
  bool good = f && fwrite(content.text, 1, content.length, f) == content.length;
  if (f && fclose(f) != 0) good = false;
  if (!good) cannot_write(path);
  dv_free(path);
  dv_text_free(&content);
  return good;
}

static bool is_name(const char *s)
{
  bool good = isalpha((unsigned char)*s) && strlen(s) < 60;
  for (; good && *s; s++) good = isalnum((unsigned char)*s) || *s == '_';
  return good;
}

static int new_plugin(const Options *o)
{
  if (o->flags) return print_flags();
  const char *name = o->scene, *directory = o->second ? o->second : name;
  if (!name) return usage_error(&command_new_plugin, "give the plugin a name");
  if (!is_name(name))
    return usage_error(&command_new_plugin, "'%s' cannot be a name: letters, digits and underscores, a letter first",
                       name);
  if (!output_directory(directory)) return DV_ERROR_INPUT;
  char *lower = lowered(name);
  bool good = is_free(directory, name, lower) && (dv_make_directories(directory) || cannot_write(directory));
  for (size_t i = 0; i < DV_COUNT(plugin_files) && good; i++)
    good = write_file(directory, &plugin_files[i], name, lower);
  if (good)
    printf("%s holds the plugin %s; build and try it:\n  make -C %s\n  divan run %s/%s.scn --plugin-path %s\n",
           directory, name, directory, directory, lower, directory);
  dv_free(lower);
  return good ? 0 : DV_ERROR_INPUT;
}

const Command command_new_plugin = {
    .verb = VERB_NEW_PLUGIN,
    .name = "new-plugin",
    .summary = "write a plugin that compiles",
    .usage = "divan new-plugin NAME [DIRECTORY]\n"
             "       divan new-plugin --flags\n",
    .about = "Writes a plugin with a force field and an engine, one file each, and a scene that uses them, into\n"
             "DIRECTORY (default NAME). NAME begins with a letter and consists of letters, digits and underscores.\n",
    .examples =
        "  divan new-plugin Weather && make -C Weather && divan run Weather/weather.scn --plugin-path Weather\n",
    .most_names = 2,
    .run = new_plugin,
};
