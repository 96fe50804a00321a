// Files and where to find them.
#ifndef DV_BASE_FILE_H
#define DV_BASE_FILE_H

#include "base/base.h"
#include "base/text.h"

DV_PUBLIC_BEGIN

// The whole file with a 0 behind it, or NULL (errno tells why). The caller frees it.
char *dv_file_read(const char *path, size_t *length);
bool dv_file_exists(const char *path);       // a regular file (or a pipe) that can be opened
char *dv_path_directory(const char *path);   // "" for a bare name
char *dv_path_join(const char *directory, const char *name);
const char *dv_path_extension(const char *path);   // behind the last dot, "" without one
const char *dv_path_name(const char *path);        // behind the last slash
bool dv_make_directories(const char *path);        // like mkdir -p
bool dv_path_is_directory(const char *path);
// Name of a file in `directory` that resembles `name`, or NULL. The caller frees it.
char *dv_file_similar(const char *directory, const char *name);

DV_PUBLIC_END

#endif
