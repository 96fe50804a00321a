// See check.h.
#include "support/check.h"

#include "base/file.h"
#include "base/text.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

char *check_mkdir(void)
{
  char *name = dv_strdup("/tmp/divan-test-XXXXXX");
  assert_non_null(mkdtemp(name));
  return name;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
  DV_UNUSED(info), DV_UNUSED(kind), DV_UNUSED(walk);
  return remove(path);
}

void check_rmdir(char *directory)
{
  nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  dv_free(directory);
}

char *check_write(const char *directory, const char *name, const char *content)
{
  char *path = dv_path_join(directory, name);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fputs(content, f);
  fclose(f);
  return path;
}
