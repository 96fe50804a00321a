// See file.h.
#include "base/file.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

size_t dv_file_limit(void)
{
  const char *text = getenv("DIVAN_FILE_LIMIT");
  double bytes;
  if (!text || !dv_scan_real(&text, &bytes) || !(bytes >= 1)) return (size_t)1 << 30;
  return bytes < 0x1p62 ? (size_t)bytes : (size_t)1 << 62;
}

const char *dv_file_why(void)
{
  switch (errno) {
  case EISDIR:
    return "it is a directory";
  case ENOTSUP:
    return "it is no regular file";
  case EPERM:
    return "it lies outside of the directories that are permitted for a scene which came through the viewer's page";
  case EFBIG:
    return "it is larger than 1 GiB, or than DIVAN_FILE_LIMIT allows";
  default:
    return strerror(errno);
  }
}

// --- the gate ------------------------------------------------------------------------------------

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  DV_ARRAY(char *) directories;   // real ones
  size_t writable;
  bool closed;
} gate;

void dv_file_confine(const char *const *directories, size_t count, size_t writable)
{
  pthread_mutex_lock(&gate_lock);
  for (size_t i = 0; i < gate.directories.count; i++) dv_free(gate.directories.data[i]);
  dv_array_free(&gate.directories);
  gate.closed = count > 0;
  gate.writable = 0;
  for (size_t i = 0; i < count; i++) {
    char *real = realpath(directories[i], NULL);
    if (!real) continue;
    dv_push(&gate.directories, dv_strdup(real));
    if (i < writable) gate.writable = gate.directories.count;
    free(real);
  }
  pthread_mutex_unlock(&gate_lock);
}

bool dv_file_confined(void)
{
  pthread_mutex_lock(&gate_lock);
  bool closed = gate.closed;
  pthread_mutex_unlock(&gate_lock);
  return closed;
}

// where a file is, or would be: of what is not there yet, the nearest directory that is
static char *real_place(const char *path)
{
  char *real = realpath(path, NULL), *place = dv_strdup(path);
  struct stat info;
  while (!real && lstat(place, &info) != 0) {   // a link that leads to nothing is no place
    const char *name = dv_path_name(place);
    char *above = dv_path_directory(place);
    bool upwards = dv_same(name, "..");
    dv_free(place);
    place = above;
    if (upwards) break;
    real = realpath(*place ? place : ".", NULL);
  }
  dv_free(place);
  return real;
}

bool dv_file_permitted(const char *path, bool to_write)
{
  if (!dv_file_confined()) return true;
  char *real = real_place(path);
  bool good = false;
  pthread_mutex_lock(&gate_lock);
  for (size_t i = 0; real && !good && i < (to_write ? gate.writable : gate.directories.count); i++) {
    const char *directory = gate.directories.data[i];
    size_t n = strlen(directory);
    good = strncmp(real, directory, n) == 0 && (real[n] == '/' || real[n] == 0 || directory[n - 1] == '/');
  }
  pthread_mutex_unlock(&gate_lock);
  free(real);
  if (!good) errno = EPERM;
  return good;
}

FILE *dv_file_write(const char *path, const char *mode)
{
  return dv_file_permitted(path, true) ? fopen(path, mode) : NULL;
}

// --- reading -------------------------------------------------------------------------------------

// a regular file of a size that is allowed; opening a pipe or a device does not wait
static FILE *open_regular(const char *path, size_t limit, size_t *size)
{
  bool there = path && dv_file_permitted(path, false);
  int file = there ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  if (!path) errno = ENOENT;
  if (file < 0) return NULL;
  struct stat info;
  int why = 0;
  if (fstat(file, &info) != 0) why = errno;
  else if (S_ISDIR(info.st_mode)) why = EISDIR;
  else if (!S_ISREG(info.st_mode)) why = ENOTSUP;
  else if ((uint64_t)info.st_size > limit) why = EFBIG;
  FILE *f = why ? NULL : fdopen(file, "rb");
  if (f) {
    *size = (size_t)info.st_size;
    return f;
  }
  if (!why) why = errno;
  close(file);
  errno = why;
  return NULL;
}

char *dv_file_read(const char *path, size_t *length)
{
  size_t limit = dv_file_limit(), size = 0, used = 0;
  FILE *f = open_regular(path, limit, &size);
  if (!f) return NULL;
  size_t capacity = size ? size + 1 : 65536;   // files of /proc do not tell their size
  char *bytes = dv_try_alloc(capacity);
  while (bytes) {
    used += fread(bytes + used, 1, capacity - used - 1, f);
    if (used < capacity - 1) break;
    int c = used <= limit ? fgetc(f) : EOF;   // a file that grows as it is read ends as well
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
  int why = !bytes ? ENOMEM : ferror(f) ? EIO : used > limit ? EFBIG : 0;
  fclose(f);
  if (why) {
    dv_free(bytes);
    errno = why;
    return NULL;
  }
  bytes[used] = 0;
  if (length) *length = used;
  return bytes;
}

bool dv_file_exists(const char *path)
{
  struct stat info;
  return dv_file_permitted(path, false) && stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool dv_file_is_regular(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
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
  if (!dv_file_permitted(path, true)) return false;
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
  const char *place = *directory ? directory : ".";
  DIR *d = dv_file_permitted(place, false) ? opendir(place) : NULL;
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

double dv_memory_available(void)
{
  double free_kb = 0;
  char line[128];
  FILE *f = fopen("/proc/meminfo", "re");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %lf", &free_kb) == 1) break;
  if (f) fclose(f);
  struct rlimit limit;
  double bytes = free_kb > 0 ? 1024 * free_kb : 1e300;   // not known: no reason to warn
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = dv_min(bytes, (double)limit.rlim_cur);
  return bytes;
}

char *dv_program_find(const char *name)
{
  const char *at = getenv("PATH");
  while (at && *at) {
    size_t length = strcspn(at, ":");
    char *directory = dv_strndup(at, length), *path = dv_path_join(directory, name);
    dv_free(directory);
    if (length && access(path, X_OK) == 0 && !dv_path_is_directory(path)) return path;
    dv_free(path);
    at += length + (at[length] == ':');
  }
  return NULL;
}
