// Which files a client may read and write. See inside.h.
#include "base/file.h"
#include "view/edit.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_below(const char *path, const char *root)
{
  size_t n = strlen(root);
  return strncmp(path, root, n) == 0 && (path[n] == '/' || path[n] == 0 || (n && root[n - 1] == '/'));
}

static bool is_allowed(const dvSession *s, const char *real)
{
  for (size_t i = 0; i < s->roots.count; i++)
    if (is_below(real, s->roots.data[i])) return true;
  return false;
}

// as it stands, or below one of the directories
static char *resolve(const dvSession *s, const char *path)
{
  char *real = *path == '/' ? realpath(path, NULL) : NULL;
  for (size_t i = 0; !real && *path != '/' && i < s->roots.count; i++) {
    char *joined = dv_path_join(s->roots.data[i], path);
    real = realpath(joined, NULL);
    dv_free(joined);
  }
  if (real && !is_allowed(s, real)) free(real), real = NULL;
  char *out = dv_strdup(real);
  free(real);
  return out;
}

char *dv_view_allowed(const dvSession *s, const char *path)
{
  if (strlen(path) >= PATH_MAX) return NULL;
  char *real = resolve(s, path);
  struct stat info;
  if (real && (stat(real, &info) != 0 || !S_ISREG(info.st_mode))) dv_free(real), real = NULL;
  return real;
}

char *dv_view_writable(const dvSession *s, const char *name, const char *ending, json_t **error)
{
  size_t n = strlen(name), e = strlen(ending);
  if (n == 0 || n > 200 || strchr(name, '/') || name[0] == '.') {
    *error =
        dv_view_error("give a plain name; it is written next to the scene", "'%.100s' is not a name for a file", name);
    return NULL;
  }
  if (!s->file) {
    *error =
        dv_view_error("save the scene to a file and open that", "this scene has no file, so no directory to write to");
    return NULL;
  }
  char *directory = dv_path_directory(s->file);
  char *with = n > e && dv_same(name + n - e, ending) ? dv_strdup(name) : dv_format("%s%s", name, ending);
  char *path = dv_path_join(directory, with);
  dv_free(directory);
  dv_free(with);
  struct stat info;
  if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) {   // never through a link
    *error = dv_view_error(NULL, "%.300s is there and is not a file", path);
    dv_free(path);
    return NULL;
  }
  return path;
}

// Scenes that were dropped or opened, and edits of text, may name any path: they read below the directories of the
// first scene, of --data and of DIVAN_PATH, and write below the first two.
static bool came_through_the_page(const dvSession *s)
{
  if (s->editing && (s->editing->by_page || s->editing->written)) return true;
  if (dv_same(s->dropped, dv_session_blank)) return false;
  if (s->dropped || !dv_same(s->file, s->first)) return true;
  for (size_t i = 0; i < s->edits.count; i++)
    if (s->edits.data[i].words) return true;
  return false;
}

void dv_view_confine(dvSession *s)
{
  dv_file_confine(NULL, 0, 0);
  if (!came_through_the_page(s)) return;
  DV_ARRAY(const char *) places = {0};
  for (size_t i = 0; i < s->roots.count; i++) dv_push(&places, s->roots.data[i]);
  char *list = dv_strdup(getenv("DIVAN_PATH")), *rest = list;
  for (char *one = list ? strsep(&rest, ":") : NULL; one; one = strsep(&rest, ":"))
    if (*one) dv_push(&places, one);
  if (s->options.examples) dv_push(&places, s->options.examples);   // to be read
  if (places.count == 0) dv_push(&places, "/nowhere");
  dv_file_confine(places.data, places.count, s->roots.count);
  dv_array_free(&places);
  dv_free(list);
  dvText text = {0};
  dv_text_printf(&text, "this scene %s: it reads and writes files only below",
                 s->first ? "came through the page" : "was named by a recording");
  for (size_t i = 0; i < s->roots.count; i++) dv_text_printf(&text, "%s %s", i ? " and" : "", s->roots.data[i]);
  dv_log_send(&s->context->log,
              &(dvMessage){.level = DV_NOTE, .text = text.text, .advice = "--data DIRECTORY permits more"});
  dv_text_free(&text);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static bool is_scene(const char *name)
{
  return dv_ends_with_nocase(name, ".scn") || dv_ends_with_nocase(name, ".xml") || dv_ends_with_nocase(name, ".urdf") ||
         dv_ends_with_nocase(name, ".divr");
}

json_t *dv_view_files(const dvSession *s, const char *directory)
{
  json_t *entries = json_array();
  if (!*directory && s->roots.count > 1) {   // where to begin
    for (size_t i = 0; i < s->roots.count; i++)
      json_array_append_new(entries, json_pack("{s:s, s:b}", "name", s->roots.data[i], "directory", 1));
    return json_pack("{s:o, s:s}", "entries", entries, "directory", "");
  }
  char *real = strlen(directory) < PATH_MAX ? resolve(s, *directory ? directory : ".") : NULL;
  struct dirent **list = NULL;
  int count = real ? scandir(real, &list, NULL, by_name) : -1;
  if (count < 0) {
    dv_free(real);
    json_decref(entries);
    return dv_view_error("only directories of the scene and of --data can be listed", "the directory cannot be listed");
  }
  for (int i = 0; i < count; i++) {
    const char *name = list[i]->d_name;
    char *path = dv_path_join(real, name);
    struct stat info;
    bool there = name[0] != '.' && json_array_size(entries) < 5000 && stat(path, &info) == 0;
    bool folder = there && S_ISDIR(info.st_mode);
    if (folder || (there && is_scene(name))) {
      json_t *entry = json_pack("{s:s, s:b}", "name", name, "directory", (int)folder);
      if (entry) json_array_append_new(entries, entry);   // a name that is no UTF-8 is left out
    }
    dv_free(path);
    free(list[i]);
  }
  free(list);
  json_t *answer = json_pack("{s:o, s:s}", "entries", entries, "directory", real);
  dv_free(real);
  return answer ? answer : dv_view_error(NULL, "the directory's name is not text");
}
