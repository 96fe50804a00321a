// The context, its registry and the search for files. See context.h.
#include "object/context.h"

#include "base/file.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

dvContext *dv_context_create(int threads)
{
  dv_memory_hold();
  dvContext *c = dv_alloc(sizeof *c);
  c->moves = 1;   // 0 stands for never
  dv_log_init(&c->log);
  c->pool = dv_pool_create(threads);
  return c;
}

void dv_context_destroy(dvContext **context)
{
  dvContext *c = *context;
  if (!c) return;
  dv_pool_destroy(&c->pool);
  for (size_t i = 0; i < c->data_paths.count; i++) dv_free(c->data_paths.data[i]);
  for (size_t i = 0; i < c->file_names.count; i++) dv_free(c->file_names.data[i]);
  for (size_t i = 0; i < c->registry.owned.count; i++) dv_free(c->registry.owned.data[i]);
  for (size_t i = 0; i < c->plugin_paths.count; i++) dv_free(c->plugin_paths.data[i]);
  for (size_t i = 0; i < c->plugins.count; i++) {
    dlclose(c->plugins.data[i].library);   // its classes are gone from here on
    dv_free(c->plugins.data[i].asked);
  }
  dv_array_free(&c->plugin_paths);
  dv_array_free(&c->plugins);
  dv_array_free(&c->data_paths);
  dv_array_free(&c->file_names);
  dv_array_free(&c->registry.classes);
  dv_array_free(&c->registry.renames);
  dv_array_free(&c->registry.absent);
  dv_array_free(&c->registry.modules);
  dv_array_free(&c->registry.owned);
  dv_log_fini(&c->log);
  dv_vectors_free(&c->vectors);
  dv_free(c);
  *context = NULL;
  dv_memory_let_go();
}

dvStatus dv_context_check_memory(dvContext *c)
{
  dvMemory *before = dv_memory_enter(&c->memory);
  bool is_short = dv_memory_is_short();
  dv_memory_enter(before);
  if (!is_short) return DV_OK;
  dv_log_send(&c->log, &(dvMessage){.level = DV_ERROR,
                                    .status = DV_ERROR_INPUT,
                                    .text = "out of memory",
                                    .advice = "simulate a smaller scene, or allow the process more memory"});
  return DV_ERROR_INPUT;
}

void dv_context_add_data_path(dvContext *c, const char *directory) { dv_push(&c->data_paths, dv_strdup(directory)); }

void dv_context_add_plugin_path(dvContext *c, const char *directory)
{
  dv_push(&c->plugin_paths, dv_strdup(directory));
}

const char *dv_context_intern(dvContext *c, const char *file_name)
{
  for (size_t i = 0; i < c->file_names.count; i++)
    if (dv_same(c->file_names.data[i], file_name)) return c->file_names.data[i];
  dv_push(&c->file_names, dv_strdup(file_name));
  return c->file_names.data[c->file_names.count - 1];
}

// --- files ---------------------------------------------------------------------------------------

static char *try_in(const char *directory, const char *name)
{
  char *path = dv_path_join(directory, name);
  if (dv_file_exists(path)) return path;
  dv_free(path);
  return NULL;
}

static void propose(const char *directory, const char *name, dvText *advice)
{
  if (!advice || advice->length) return;
  char *path = dv_path_join(directory, name), *folder = dv_path_directory(path);
  char *similar = dv_file_similar(folder, dv_path_name(name));
  if (similar) {
    char *inside = dv_path_directory(name);
    dv_text_printf(advice, "did you mean '%s%s%s'?", inside, *inside ? "/" : "", similar);
    dv_free(inside);
  }
  dv_free(similar);
  dv_free(folder);
  dv_free(path);
}

// a file of that very name that lies elsewhere: beside the scene, in a folder there, or in one next to it
static void propose_elsewhere(const char *directory, const char *name, dvText *advice)
{
  static const char *const places[] = {"", "..", "mesh", "meshes", "data", "../mesh", "../meshes", "../data"};
  const char *slash = strrchr(name, '\\'), *bare = dv_path_name(slash ? slash + 1 : name);
  for (size_t i = 0; advice && !advice->length && *bare && i < DV_COUNT(places); i++) {
    char *folder = dv_path_join(directory, places[i]), *path = dv_path_join(*places[i] ? folder : directory, bare);
    if (dv_file_exists(path)) dv_text_printf(advice, "did you mean '%s%s%s'?", places[i], *places[i] ? "/" : "", bare);
    dv_free(path);
    dv_free(folder);
  }
}

char *dv_context_find_file(const dvContext *c, const char *name, const char *beside, dvText *advice)
{
  if (!*name) return NULL;
  char *beside_directory = beside ? dv_path_directory(beside) : dv_strdup("");
  char *found = try_in(name[0] == '/' ? "" : beside_directory, name);
  for (size_t i = 0; i < c->data_paths.count && !found; i++) found = try_in(c->data_paths.data[i], name);
  char *list = dv_strdup(getenv("DIVAN_PATH")), *rest = list;
  for (char *one = list ? strsep(&rest, ":") : NULL; one && !found; one = strsep(&rest, ":"))
    if (*one) found = try_in(one, name);
  dv_free(list);
  if (!found) {
    propose_elsewhere(beside_directory, name, advice);
    propose(beside_directory, name, advice);
    for (size_t i = 0; i < c->data_paths.count; i++) propose(c->data_paths.data[i], name, advice);
  }
  dv_free(beside_directory);
  return found;
}

// --- registry ------------------------------------------------------------------------------------

void dv_registry_add(dvRegistry *r, const dvClass *cls)
{
  DV_REQUIRE(cls->struct_size == sizeof(dvClass) && !dv_class_lacks(cls));
  dv_push(&r->classes, cls);
  if (cls->module && !dv_registry_knows_module(r, cls->module)) dv_registry_add_module(r, cls->module);
}

void dv_registry_add_rename(dvRegistry *r, const dvRename *rename) { dv_push(&r->renames, rename); }
void dv_registry_add_absent(dvRegistry *r, const dvAbsent *absent) { dv_push(&r->absent, absent); }
void dv_registry_add_module(dvRegistry *r, const char *name) { dv_push(&r->modules, name); }

const dvClass *dv_registry_find(const dvRegistry *r, const char *name)
{
  for (size_t i = 0; i < r->classes.count; i++)
    if (dv_same(r->classes.data[i]->name, name)) return r->classes.data[i];
  for (size_t i = 0; i < r->classes.count; i++)
    if (dv_list_has(r->classes.data[i]->aliases, name)) return r->classes.data[i];
  return NULL;
}

const char *dv_registry_absent_from(const dvRegistry *r, const char *name)
{
  for (size_t i = 0; i < r->absent.count; i++)
    if (dv_list_has(r->absent.data[i]->names, name)) return r->absent.data[i]->module;
  return NULL;
}

const dvRename *dv_registry_find_rename(const dvRegistry *r, const char *name)
{
  for (size_t i = 0; i < r->renames.count; i++)
    if (dv_same(r->renames.data[i]->old_name, name)) return r->renames.data[i];
  return NULL;
}

// Names of components end alike (ForceField, Constraint): what stands before must be alike too.
static bool is_alike(const char *a, const char *b)
{
  if (strcasestr(a, b) || strcasestr(b, a)) return true;
  size_t n = strlen(a), m = strlen(b);
  while (n && m && tolower((unsigned char)a[n - 1]) == tolower((unsigned char)b[m - 1])) n--, m--;
  char *x = dv_strndup(a, n), *y = dv_strndup(b, m);
  bool alike = dv_distance(x, y) <= dv_max_int(2, (int)(n > m ? n : m) / 2);
  dv_free(x), dv_free(y);
  return alike;
}

const char *dv_registry_nearest(const dvRegistry *r, const char *name)
{
  size_t most = r->classes.count + r->renames.count, count = 0;
  const char **names = dv_alloc(2 * (most + 1) * sizeof *names), **today = names + most + 1;
  for (size_t i = 0; i < r->classes.count; i++)
    if (is_alike(name, r->classes.data[i]->name)) names[count] = today[count] = r->classes.data[i]->name, count++;
  for (size_t i = 0; i < r->renames.count; i++) {   // an old name leads to today's
    const dvRename *old = r->renames.data[i];
    if (!is_alike(name, old->old_name) || !dv_registry_find(r, old->name)) continue;
    names[count] = old->old_name, today[count++] = dv_registry_find(r, old->name)->name;
  }
  int best = dv_nearest(name, names, (int)count);
  const char *found = best < 0 ? NULL : today[best];
  dv_free(names);
  return found;
}

bool dv_registry_knows_module(const dvRegistry *r, const char *name)
{
  for (size_t i = 0; i < r->modules.count; i++)
    if (dv_same(r->modules.data[i], name)) return true;
  return false;
}
