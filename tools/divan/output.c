// Where results go: paths are checked before the work, so that hours of computing are not lost to a spelling.
#include "command.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cannot_write(const char *path)
{
  fprintf(stderr, "%s: error: cannot be written: %s\n", path, strerror(errno));
  return false;
}

bool output_file(const char *path)
{
  struct stat info;
  if (!path) return true;
  if (stat(path, &info) == 0) {
    if (S_ISDIR(info.st_mode)) errno = EISDIR;
    return !S_ISDIR(info.st_mode) && access(path, W_OK) == 0 ? true : cannot_write(path);
  }
  // beside it: other processes may be about to write the file itself (shares of a sweep)
  char *trial = dv_format("%s-XXXXXX", path);
  int file = *path ? mkstemp(trial) : -1;
  if (file >= 0) close(file), unlink(trial);
  dv_free(trial);
  return file >= 0 ? true : cannot_write(path);
}

// something can be made in it: permissions alone do not tell
static bool can_make_in(const char *directory)
{
  char *trial = dv_format("%s/divan-XXXXXX", *directory ? directory : ".");
  bool good = mkdtemp(trial) != NULL;
  if (good) rmdir(trial);
  dv_free(trial);
  return good;
}

// what is there of the path, from its end, must be a directory
bool output_directory(const char *path)
{
  if (!path) return true;
  char *part = dv_strdup(path);
  struct stat info;
  int found;
  while ((found = stat(*part ? part : ".", &info)) != 0 && errno == ENOENT && *part) {
    char *slash = strrchr(part, '/');
    if (slash == part && part[1]) part[1] = 0;
    else *(slash ? slash : part) = 0;
  }
  bool good = found == 0 && S_ISDIR(info.st_mode) && can_make_in(part);
  if (found == 0 && !S_ISDIR(info.st_mode)) errno = ENOTDIR;
  dv_free(part);
  return good ? true : cannot_write(path);
}
