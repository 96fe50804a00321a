// See module.h. Looked for: the file that the environment names, then beside the program, above it (tests), and where
// it is installed.
#include "base/module.h"

#include "base/file.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *find_module(const dvModule *m)
{
  const char *named = getenv(m->variable);
  if (named) return *named ? dv_strdup(named) : NULL;
  static const char *const places[] = {"", "../", DIVAN_LIB_FROM_BIN "/divan/"};
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = 0;
  char *directory = dv_path_directory(self), *found = NULL;
  for (size_t i = 0; i <= DV_COUNT(places) && !found && n > 0; i++) {
    char *path = i < DV_COUNT(places) ? dv_format("%s/%s%s", directory, places[i], m->file)
                                      : dv_format(DIVAN_LIB_DIR "/divan/%s", m->file);
    if (dv_file_is_regular(path)) found = path;
    else dv_free(path);
  }
  dv_free(directory);
  return found;
}

const void *dv_module_load(const dvModule *m, dvText *why, dvText *advice)
{
  char *path = find_module(m);
  if (!path) {
    dv_text_printf(why, "%s is not built in (there is no %s)", m->what, m->file);
    dv_text_add(advice, m->advice);
    return NULL;
  }
  void *library = dlopen(path, RTLD_NOW | (m->global ? RTLD_GLOBAL : RTLD_LOCAL));
  const char *complaint = library ? NULL : dlerror();
  void *symbol = library ? dlsym(library, m->symbol) : NULL;
  const void *(*function)(void);
  memcpy(&function, &symbol, sizeof function);
  const uint32_t *table = function ? function() : NULL;
  if (!library) dv_text_printf(why, "%s cannot be loaded: %s", m->what, complaint);
  else if (!table || *table != m->abi) dv_text_printf(why, "%s belongs to another version of divan", path);
  dv_text_add(advice, !library ? m->advice : "build it again, together with the program");
  dv_free(path);
  return why->length ? NULL : table;
}
