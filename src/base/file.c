// See file.h.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

char *dv_file_read(const char *path, size_t *length)
{
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  struct stat info;
  if (fstat(fileno(f), &info) == 0 && S_ISDIR(info.st_mode)) {
    fclose(f);
    errno = EISDIR;
    return NULL;
  }
  size_t capacity = S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size + 1 : 65536, used = 0;
  char *bytes = dv_try_alloc(capacity);
  while (bytes) {
    used += fread(bytes + used, 1, capacity - used - 1, f);
    if (used < capacity - 1) break;
    int c = fgetc(f);
    if (c == EOF) break;
    char *grown = dv_try_realloc(bytes, capacity, capacity * 2);
    if (!grown) {
      dv_free(bytes);
      bytes = NULL;
      break;
    }
    bytes = grown;
    capacity *= 2;
    bytes[used++] = (char)c;
  }
  bool bad = ferror(f) != 0;
  fclose(f);
  if (bad || !bytes) {
    dv_free(bytes);
    if (!bytes) errno = ENOMEM;
    return NULL;
  }
  bytes[used] = 0;
  if (length) *length = used;
  return bytes;
}

bool dv_file_exists(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

char *dv_path_directory(const char *path)
{
  const char *slash = strrchr(path, '/');
  if (!slash) return dv_strdup("");
  return dv_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *dv_path_join(const char *directory, const char *name)
{
  if (!directory || !*directory || name[0] == '/') return dv_strdup(name);
  return dv_format("%s%s%s", directory, directory[strlen(directory) - 1] == '/' ? "" : "/", name);
}

const char *dv_path_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *dv_path_extension(const char *path)
{
  const char *dot = strrchr(dv_path_name(path), '.');
  return dot ? dot + 1 : "";
}

bool dv_make_directories(const char *path)
{
  char *copy = dv_strdup(path);
  bool good = true;
  for (char *s = copy + 1; good; s++) {
    if (*s && *s != '/') continue;
    char saved = *s;
    *s = 0;
    if (*copy && mkdir(copy, 0777) != 0 && errno != EEXIST) good = false;
    *s = saved;
    if (!saved) break;
  }
  dv_free(copy);
  struct stat info;
  return good && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool dv_path_is_directory(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

// scenes and scripts are no meshes or pictures
static bool is_scene_name(const char *name)
{
  return dv_ends_with_nocase(name, ".scn") || dv_ends_with_nocase(name, ".xml") || dv_ends_with_nocase(name, ".py");
}

char *dv_file_similar(const char *directory, const char *name)
{
  DIR *d = opendir(*directory ? directory : ".");
  if (!d) return NULL;
  char *best = NULL;
  int best_distance = dv_max_int(2, (int)strlen(name) / 3) + 1;
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    if (e->d_name[0] == '.' || is_scene_name(e->d_name) != is_scene_name(name)) continue;
    int distance = dv_distance(name, e->d_name);
    // ties go to the first name in the alphabet: the order of readdir is not fixed
    if (distance < best_distance || (best && distance == best_distance && strcmp(e->d_name, best) < 0)) {
      dv_free(best);
      best = dv_strdup(e->d_name);
      best_distance = distance;
    }
  }
  closedir(d);
  return best;
}
