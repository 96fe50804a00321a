// See parts.h.
#include "visual/parts.h"

#include "base/file.h"

#include <string.h>

// one look for all is that of the model
static void settle(dvVisualParts *p)
{
  const dvInts *f = &p->of_face;
  for (size_t i = 1; i < f->count; i++)
    if (f->data[i] != f->data[0]) return;
  dv_visual_parts_free(p);
}

char *dv_material_picture(const dvMaterial *m, const char *path)
{
  if (!m->texture) return NULL;
  char *directory = dv_path_directory(path), *picture = dv_path_join(directory, m->texture);
  dv_free(directory);
  if (dv_file_exists(picture)) return picture;
  dv_free(picture);
  return NULL;
}

void dv_visual_parts_of_mesh(dvVisualParts *p, const dvMesh *mesh, const dvSplit *split, const char *path)
{
  const dvInts *triangles = &split->triangle_material, *quads = &split->quad_material;
  dv_visual_parts_free(p);
  DV_MUST(dv_ints_resize(&p->of_face, triangles->count + quads->count));
  if (triangles->count) memcpy(p->of_face.data, triangles->data, triangles->count * sizeof *triangles->data);
  if (quads->count) memcpy(p->of_face.data + triangles->count, quads->data, quads->count * sizeof *quads->data);
  for (size_t i = 0; i < mesh->materials.count; i++) {
    dvText text = {0};
    dv_material_print(&text, &mesh->materials.data[i]);
    dv_push(&p->list, ((dvVisualPart){dv_strdup(text.text), dv_material_picture(&mesh->materials.data[i], path)}));
    dv_text_free(&text);
  }
  settle(p);
}

// "name material number first count", where names may have blanks: the last three words count
static bool read_group(const char *text, long long numbers[3])
{
  const char *at = text + strlen(text);
  for (int words = 0; words < 3; words++) {
    while (at > text && dv_is_space(at[-1])) at--;
    while (at > text && !dv_is_space(at[-1])) at--;
  }
  for (int i = 0; i < 3; i++)
    if (!dv_scan_int(&at, &numbers[i])) return false;
  return true;
}

static void mark_groups(dvVisualParts *p, const dvField *groups, int32_t *faces, size_t count)
{
  const dvStrings *list = groups && groups->desc->type == DV_T_STRINGS ? groups->value : &(const dvStrings){0};
  for (size_t i = 0; i < list->count; i++) {
    long long g[3];
    if (!read_group(list->data[i], g) || g[0] < 0 || (size_t)g[0] >= p->list.count || g[1] < 0) continue;
    for (size_t k = (size_t)g[1]; k < count && k < (size_t)g[1] + (size_t)dv_max((double)g[2], 0); k++)
      faces[k] = (int32_t)g[0];
  }
}

void dv_visual_parts_of_loader(dvVisualParts *p, const dvObject *loader, size_t triangles, size_t quads)
{
  const dvField *materials = dv_object_field(loader, "materials");
  dv_visual_parts_free(p);
  if (!materials || materials->desc->type != DV_T_STRINGS) return;
  const dvStrings *texts = materials->value;
  DV_MUST(dv_ints_resize(&p->of_face, triangles + quads));
  for (size_t i = 0; i < triangles + quads; i++) p->of_face.data[i] = -1;
  for (size_t i = 0; i < texts->count; i++) dv_push(&p->list, ((dvVisualPart){dv_strdup(texts->data[i]), NULL}));
  mark_groups(p, dv_object_field(loader, "trianglesGroups"), p->of_face.data, triangles);
  mark_groups(p, dv_object_field(loader, "quadsGroups"), p->of_face.data + triangles, quads);
  settle(p);
}

void dv_visual_parts_free(dvVisualParts *p)
{
  for (size_t i = 0; i < p->list.count; i++) dv_free(p->list.data[i].material), dv_free(p->list.data[i].texture);
  dv_array_free(&p->list);
  dv_ints_free(&p->of_face);
  p->of_face.width = 1;
}
