// See check.h.
#include "support/check.h"

#include "base/file.h"
#include "base/text.h"

#include <dirent.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
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

static int each_scene(const char *directory, const char *only, void (*visit)(const char *path, void *user), void *user)
{
  struct dirent **list;
  int n = scandir(directory, &list, NULL, alphasort), scenes = 0;
  assert_true(n > 0);
  for (int i = 0; i < n; i++) {
    char *path = dv_path_join(directory, list[i]->d_name);
    const bool folder = list[i]->d_type == DT_DIR && list[i]->d_name[0] != '.';
    if (folder) scenes += each_scene(path, only, visit, user);
    else if (dv_ends_with_nocase(path, ".scn") && (!only || strstr(path, only))) visit(path, user), scenes++;
    dv_free(path);
    free(list[i]);
  }
  free(list);
  return scenes;
}

int check_each_scene(const char *folder, void (*visit)(const char *path, void *user), void *user)
{
  char *directory = dv_path_join(DIVAN_SOURCE_DIR, folder);
  const int scenes = each_scene(directory, getenv("DIVAN_TEST_SCENE"), visit, user);
  dv_free(directory);
  return scenes;
}

typedef struct Sieve {
  void (*visit)(const char *path, void *user);
  void *user;
  int every, met;
} Sieve;

static void sift(const char *path, void *user)
{
  Sieve *s = user;
  if (s->met++ % s->every == 0) s->visit(path, s->user);
}

int check_some_scenes(const char *folder, void (*visit)(const char *path, void *user), void *user)
{
#ifdef DV_CHECKING
  Sieve s = {visit, user, getenv("DIVAN_TEST_SCENE") ? 1 : 5, 0};
#else
  Sieve s = {visit, user, 1, 0};
#endif
  return check_each_scene(folder, sift, &s);
}
