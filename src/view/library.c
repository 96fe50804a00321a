// What a scene can be built of: all components with their role and help, and an example of each. See edit.h.
//
// Examples are the scenes that come with the program (session.h, `examples`): of those in which a component stands, the
// one that has its name, else the smallest.
#include "view/edit.h"

#include "base/file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_EXAMPLES = 5000, DEEPEST = 4 };

typedef struct Example {
  char *file;   // below the directory of examples; NULL: none
  size_t size;
  bool namesake;
} Example;

typedef struct Index {
  dvSession *session;
  Example *of;   // for each class of the registry
  size_t files;
} Index;

static size_t class_number(const dvRegistry *r, const char *name)
{
  const dvClass *cls = dv_registry_find(r, name);
  const dvRename *rename = cls ? NULL : dv_registry_find_rename(r, name);
  if (rename) cls = dv_registry_find(r, rename->name);
  for (size_t i = 0; cls && i < r->classes.count; i++)
    if (r->classes.data[i] == cls) return i;
  return SIZE_MAX;
}

static void note_example(Index *x, size_t number, const char *file, size_t size)
{
  Example *e = &x->of[number];
  const char *name = x->session->context->registry.classes.data[number]->name, *base = dv_path_name(file);
  bool namesake = dv_starts_with(base, name) && dv_same(base + strlen(name), ".scn");
  if (e->file && (e->namesake > namesake || (e->namesake == namesake && e->size <= size))) return;
  dv_free(e->file);
  *e = (Example){dv_strdup(file), size, namesake};
}

static void read_example(Index *x, const char *directory, const char *file)
{
  char *path = dv_path_join(directory, file);
  size_t length = 0;
  char *bytes = dv_file_read(path, &length);
  dvDocument d = {0};
  if (bytes && dv_document_take(&d, bytes, length))
    for (int tag = 0; tag < (int)d.tags.count; tag++) {
      char *name = dv_document_is(&d, tag, "Object") ? dv_document_value(&d, tag, "type") : dv_document_name(&d, tag);
      size_t number = name ? class_number(&x->session->context->registry, name) : SIZE_MAX;
      if (number != SIZE_MAX) note_example(x, number, file, length);
      dv_free(name);
    }
  dv_document_free(&d);
  dv_free(bytes);
  dv_free(path);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void look_through(Index *x, const char *directory, const char *below, int depth)
{
  char *here = *below ? dv_path_join(directory, below) : dv_strdup(directory);
  struct dirent **list = NULL;
  int count = scandir(here, &list, NULL, by_name);
  for (int i = 0; i < count; i++) {
    const char *name = list[i]->d_name;
    char *file = *below ? dv_path_join(below, name) : dv_strdup(name), *path = dv_path_join(directory, file);
    struct stat info;
    bool there = name[0] != '.' && stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode) && depth < DEEPEST) look_through(x, directory, file, depth + 1);
    else if (there && S_ISREG(info.st_mode) && dv_ends_with_nocase(name, ".scn") && x->files++ < MOST_EXAMPLES)
      read_example(x, directory, file);
    dv_free(file), dv_free(path);
    free(list[i]);
  }
  free(list);
  dv_free(here);
}

static Example *index_examples(dvSession *s)
{
  Index x = {.session = s, .of = dv_alloc((s->context->registry.classes.count + 1) * sizeof(Example))};
  if (s->options.examples) look_through(&x, s->options.examples, "", 0);
  return x.of;
}

static const char *role_of(const dvClass *c)
{
  for (int r = DV_ROLE_NODE; r < DV_ROLE_COUNT; r++)
    if (c->ops[r]) return dv_role_name((dvRole)r);
  for (int r = DV_ROLE_NODE; r < DV_ROLE_COUNT; r++)
    if (c->roles & DV_PLAYS(r)) return dv_role_name((dvRole)r);
  return "component";
}

json_t *dv_view_library(dvSession *s)
{
  const dvRegistry *r = &s->context->registry;
  Example *examples = index_examples(s);
  json_t *answer = dv_view_ok(), *list = json_array();
  for (size_t i = 0; i < r->classes.count; i++) {
    const dvClass *c = r->classes.data[i];
    if (c->ops[DV_ROLE_NODE] || dv_same(c->module, "Python")) continue;
    json_t *row = json_pack("{s:s, s:s}", "name", c->name, "role", role_of(c));
    dv_view_put_text(row, "help", c->help);
    dv_view_put_text(row, "aliases", c->aliases);
    dv_view_put_text(row, "example", examples[i].file);
    json_array_append_new(list, row);
  }
  for (size_t i = 0; i < r->classes.count; i++) dv_free(examples[i].file);
  dv_free(examples);
  json_object_set_new(answer, "components", list);
  json_object_set_new(answer, "presets", dv_view_presets());
  json_object_set_new(answer, "gmsh", json_boolean(dv_filling_possible()));
  json_object_set_new(answer, "opens", json_boolean(s->options.open_example != NULL));
  return answer;
}

json_t *dv_view_class(dvSession *s, const char *name)
{
  const dvClass *c = dv_registry_find(&s->context->registry, name);
  if (!c) return dv_view_error("`library` lists them", "there is no component '%.100s'", name);
  dvObject *sample = dv_object_create(s->context, c, "", c->dofs ? dv_dof(DV_VEC3) : NULL);
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "name", json_string(c->name));
  json_object_set_new(answer, "role", json_string(role_of(c)));
  dv_view_put_text(answer, "help", c->help);
  dv_view_put_text(answer, "aliases", c->aliases);
  dv_view_put_text(answer, "module", c->module);
  json_t *types = json_array();
  for (int k = 0; k < DV_DOF_COUNT; k++)
    if (c->dofs & (1u << k)) json_array_append_new(types, json_string(dv_dof((dvDofKind)k)->name));
  json_object_set_new(answer, "templates", types);
  json_object_set_new(answer, "fields", dv_view_fields(sample));
  dv_object_destroy(&sample);
  return answer;
}

// the path of an example as the library named it, or NULL; the caller frees it
static char *example_path(const dvSession *s, const char *file)
{
  if (!s->options.examples || !*file || *file == '/' || strstr(file, "..") || !dv_ends_with_nocase(file, ".scn"))
    return NULL;
  char *path = dv_path_join(s->options.examples, file);
  if (!dv_file_is_regular(path)) dv_free(path), path = NULL;
  return path;
}

json_t *dv_view_example(dvSession *s, const char *file, bool open)
{
  char *path = example_path(s, file);
  if (!path) return dv_view_error(NULL, "there is no example '%.100s'", file);
  json_t *answer = dv_view_ok();
  char *text = open ? NULL : dv_file_read(path, NULL);
  dv_view_put_text(answer, "text", text);
  dv_free(text);
  dvText address = {0}, why = {0};
  if (open && s->options.open_example && s->options.open_example(s->options.example_user, path, &address, &why)) {
    dv_view_put_text(answer, "address", address.text);
  } else if (open) {
    json_decref(answer);
    answer = dv_view_error(why.length ? why.text : NULL, "the example cannot be opened in a tab of its own");
  }
  dv_text_free(&address);
  dv_text_free(&why);
  dv_free(path);
  return answer;
}
