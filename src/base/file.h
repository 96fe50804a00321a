// Files and where to find them.
#ifndef DV_BASE_FILE_H
#define DV_BASE_FILE_H

#include "base/base.h"
#include "base/text.h"

#include <stdio.h>

DV_PUBLIC_BEGIN

// The whole file with a 0 behind it, or NULL (dv_file_why tells why; a path that is NULL is not there). The caller
// frees it. Every file that is read comes through here: only regular files of at most dv_file_limit bytes are read,
// since a scene may name any path, and a device or a pipe might never end.
char *dv_file_read(const char *path, size_t *length);
const char *dv_file_why(void);   // errno in words, after dv_file_read
size_t dv_file_limit(void);      // 1 GiB, or the bytes that the environment variable DIVAN_FILE_LIMIT names
// Like fopen, for files that are written: every file that a scene can name is opened here or asked for below.
FILE *dv_file_write(const char *path, const char *mode);
// The gate, for the whole process: once it is closed only files below these directories are there at all, links
// followed; the first `writable` of them may be written to. Whoever runs a scene of somebody else's closes it. Without
// directories it opens again.
void dv_file_confine(const char *const *directories, size_t count, size_t writable);
bool dv_file_confined(void);
bool dv_file_permitted(const char *path, bool to_write);   // else errno is EPERM
bool dv_file_exists(const char *path);                     // something that is no directory; dv_file_read may refuse it
bool dv_file_is_regular(const char *path);
char *dv_path_directory(const char *path);   // "" for a bare name
char *dv_path_join(const char *directory, const char *name);
const char *dv_path_extension(const char *path);   // behind the last dot, "" without one
const char *dv_path_name(const char *path);        // behind the last slash
bool dv_make_directories(const char *path);        // like mkdir -p
bool dv_path_is_directory(const char *path);
// Name of a file in `directory` that resembles `name`, or NULL. The caller frees it.
char *dv_file_similar(const char *directory, const char *name);
// Bytes of memory that the machine and the limits of the process leave, about: the system tells it in a file.
double dv_memory_available(void);

// A program in the directories of PATH, or NULL. The caller frees it.
char *dv_program_find(const char *name);

DV_PUBLIC_END

#endif
