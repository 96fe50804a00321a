// Finding, checking and loading plugins. See plugin.h.
#include "control/plugin.h"

#include "base/file.h"
#include "divan/sdk/plugin.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

// --- where they are ------------------------------------------------------------------------------

static char *try_in(const char *directory, const char *name)
{
  static const char *const prefixes[] = {"lib", ""};
  for (size_t i = 0; i < DV_COUNT(prefixes); i++) {
    char *path = dv_format("%s/%s%s.so", directory, prefixes[i], name);
    if (dv_file_is_regular(path)) return path;
    dv_free(path);
  }
  return NULL;
}

char *dv_plugin_find(const dvContext *c, const char *name)
{
  if (!*name || strchr(name, '/') || strlen(name) > 200) return NULL;
  char *found = NULL;
  for (size_t i = 0; i < c->plugin_paths.count && !found; i++) found = try_in(c->plugin_paths.data[i], name);
  char *list = dv_strdup(getenv("DIVAN_PLUGIN_PATH")), *rest = list;
  for (char *one = list ? strsep(&rest, ":") : NULL; one && !found; one = strsep(&rest, ":"))
    if (*one) found = try_in(one, name);
  dv_free(list);
  return found ? found : try_in(DIVAN_PLUGIN_DIR, name);
}

bool dv_plugin_is_loaded(const dvContext *c, const char *name)
{
  for (size_t i = 0; i < c->plugins.count; i++)
    if (dv_same(c->plugins.data[i].name, name) || dv_same(c->plugins.data[i].asked, name)) return true;
  return false;
}

// --- what is in them -----------------------------------------------------------------------------

static dvStatus refuse(dvText *why, dvText *advice, const char *what_to_do, const char *format, ...) DV_PRINTF(4, 5);
static dvStatus refuse(dvText *why, dvText *advice, const char *what_to_do, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  dv_text_vprintf(why, format, args);
  va_end(args);
  if (what_to_do) dv_text_add(advice, what_to_do);
  return DV_ERROR_INPUT;
}

static dvStatus check(const dvContext *c, const dvPlugin *p, const char *path, dvText *why, dvText *advice)
{
  static const char again[] =
      "compile it again with the headers of divan " DIVAN_VERSION " (`divan new-plugin --flags` names them)";
  if (!p) return refuse(why, advice, NULL, "%s describes no plugin", path);
  if (p->abi != DV_SDK_ABI)
    return refuse(why, advice, again,
                  "the plugin %s was made for version %u of the component interface; this divan has version %d", path,
                  p->abi, DV_SDK_ABI);
  if (p->layout != DV_SDK_LAYOUT)
    return refuse(why, advice, again, "the plugin %s was compiled with headers of another divan", path);
  if (!p->name || !*p->name || !p->classes)
    return refuse(why, advice, NULL, "the plugin %s has no name or no components", path);
  for (size_t i = 0; p->classes[i]; i++) {
    const dvClass *cls = p->classes[i];
    if (cls->struct_size != sizeof *cls || !cls->name || cls->size < sizeof(dvObject))
      return refuse(why, advice, NULL,
                    "component %zu of the plugin %s is incomplete: it needs struct_size, name and size", i, p->name);
    const char *slot = dv_class_lacks(cls);
    if (slot)
      return refuse(why, advice, NULL, "the component %s of the plugin %s is incomplete: its table lacks `%s`",
                    cls->name, p->name, slot);
    if (dv_registry_find(&c->registry, cls->name))
      return refuse(why, advice, "give it another name", "the plugin %s brings the component %s, which exists already",
                    p->name, cls->name);
  }
  return DV_OK;
}

// A copy that was cut off: the loader would map parts that are not there, and end the program.
static bool is_cut_off(const char *path)
{
  size_t length = 0;
  char *bytes = dv_file_read(path, &length);
  Elf64_Ehdr head = {0};
  bool cut = false;
  if (bytes && length >= sizeof head) memcpy(&head, bytes, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64) {
    cut = head.e_shoff > length || (size_t)head.e_shnum * head.e_shentsize > length - head.e_shoff ||
          head.e_phoff > length || (size_t)head.e_phnum * head.e_phentsize > length - head.e_phoff;
    for (size_t i = 0; i < head.e_phnum && !cut && head.e_phentsize >= sizeof(Elf64_Phdr); i++) {
      Elf64_Phdr part;
      memcpy(&part, bytes + head.e_phoff + i * head.e_phentsize, sizeof part);
      cut = part.p_type == PT_LOAD && (part.p_offset > length || part.p_filesz > length - part.p_offset);
    }
  }
  dv_free(bytes);
  return cut;
}

static dvStatus load_file(dvContext *c, const char *path, const char *asked, dvText *why, dvText *advice)
{
  if (is_cut_off(path))
    return refuse(why, advice, "copy or build it again", "the plugin %s cannot be loaded: the file is cut off", path);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return refuse(why, advice, NULL, "the plugin %s cannot be loaded: %s", path, dlerror());
  void *symbol = dlsym(library, DV_PLUGIN_SYMBOL);
  dvPluginInit init;
  memcpy(&init, &symbol, sizeof init);
  if (!init) {
    dlclose(library);
    return refuse(why, advice, "`divan new-plugin NAME` writes one",
                  "%s is no plugin of Divan: it has no function " DV_PLUGIN_SYMBOL, path);
  }
  const dvPlugin *p = init();
  bool loaded = p && p->abi == DV_SDK_ABI && p->name && dv_plugin_is_loaded(c, p->name);
  dvStatus status = loaded ? DV_OK : check(c, p, path, why, advice);
  if (loaded || status != DV_OK) {
    dlclose(library);
    return status;
  }
  for (size_t i = 0; p->classes[i]; i++) dv_registry_add(&c->registry, p->classes[i]);
  dv_push(&c->plugins, ((dvLoadedPlugin){library, p->name, dv_strdup(asked)}));
  return DV_OK;
}

dvStatus dv_plugin_load(dvContext *c, const char *name, dvText *why, dvText *advice)
{
  if (dv_plugin_is_loaded(c, name)) return DV_OK;
  bool is_file = strchr(name, '/') || dv_ends_with_nocase(name, ".so");
  if (is_file && dv_file_confined())
    return refuse(why, advice, "start the program with --plugin",
                  "a scene that came through the page loads no code: %s", name);
  // without a slash the loader would search the system's directories
  char *path = !is_file                   ? dv_plugin_find(c, name)
               : dv_file_is_regular(name) ? dv_format("%s%s", strchr(name, '/') ? "" : "./", name)
                                          : NULL;
  dvStatus status =
      path      ? load_file(c, path, name, why, advice)
      : is_file ? refuse(why, advice, NULL, "there is no file %s", name)
                : refuse(why, advice, "give its file, or its directory with --plugin-path or in DIVAN_PLUGIN_PATH",
                         "the plugin %s was not found", name);
  dv_free(path);
  return status;
}
