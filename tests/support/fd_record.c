// See fd_record.h.
#include "support/fd_record.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

void fd_record(const dvObject *o, dvRole role, const char *what)
{
  static bool begun;
  mkdir(DIVAN_FD_RECORDS, 0777);
  char *path = dv_format("%s/%s.txt", DIVAN_FD_RECORDS, program_invocation_short_name);
  FILE *file = fopen(path, begun ? "a" : "w");
  dv_free(path);
  begun = true;
  if (!file) return;
  fprintf(file, "%s %s %s\n", dv_role_name(role), o->cls->name, what);
  fclose(file);
}
