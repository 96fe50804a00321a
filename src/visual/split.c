// See split.h. Vertices are numbered by position, then texture coordinate, then normal, as in SOFA; a missing one
// counts as the largest number.
#include "visual/split.h"

#include <stdlib.h>

typedef struct Corner {
  uint32_t position, texcoord, normal;
} Corner;

static int compare_corners(const void *a, const void *b)
{
  const Corner *x = a, *y = b;
  if (x->position != y->position) return x->position < y->position ? -1 : 1;
  if (x->texcoord != y->texcoord) return x->texcoord < y->texcoord ? -1 : 1;
  return x->normal < y->normal ? -1 : x->normal > y->normal;
}

static Corner corner_at(const dvMesh *mesh, size_t i, bool use_normals)
{
  const dvMeshFacets *f = &mesh->facets;
  return (Corner){(uint32_t)f->position.data[i], (uint32_t)f->texcoord.data[i],
                  use_normals ? (uint32_t)f->normal.data[i] : 0};
}

static size_t sort_unique(Corner *c, size_t n)
{
  qsort(c, n, sizeof *c, compare_corners);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (kept == 0 || compare_corners(&c[kept - 1], &c[i]) != 0) c[kept++] = c[i];
  return kept;
}

// numbers of the normals: one for each pair of position and normal
static void number_normals(dvSplit *s, const Corner *c, size_t n)
{
  DV_MUST(dv_ints_resize(&s->normal, n));
  int32_t next = 0;
  for (size_t first = 0; first < n;) {
    size_t end = first;
    for (; end < n && c[end].position == c[first].position; end++) {
      size_t same = first;
      while (same < end && c[same].normal != c[end].normal) same++;
      s->normal.data[end] = same < end ? s->normal.data[same] : next++;
    }
    first = end;
  }
  if ((size_t)next == n) dv_ints_free(&s->normal);
}

static void fill_vertices(dvSplit *s, const dvMesh *mesh, const Corner *c, size_t n, bool use_normals)
{
  DV_MUST(dv_reals_resize(&s->texcoords, 2 * n) && dv_reals_resize(&s->normals, 3 * n));
  for (size_t i = 0; i < n; i++) {
    size_t t = c[i].texcoord, m = c[i].normal;
    if (2 * t + 2 <= mesh->texcoords.count)
      memcpy(s->texcoords.data + 2 * i, mesh->texcoords.data + 2 * t, 2 * sizeof(double));
    if (use_normals && 3 * m + 3 <= mesh->normals.count)
      memcpy(s->normals.data + 3 * i, mesh->normals.data + 3 * m, 3 * sizeof(double));
  }
  if (!s->split) return;
  DV_MUST(dv_ints_resize(&s->position, n));
  for (size_t i = 0; i < n; i++) s->position.data[i] = (int32_t)c[i].position;
  number_normals(s, c, n);
}

static void push_face(dvInts *faces, dvInts *materials, const int32_t *corners, int32_t material)
{
  size_t n = (size_t)faces->width;
  DV_MUST(dv_ints_resize(faces, faces->count + n));
  DV_MUST(dv_ints_resize(materials, materials->count + 1));
  memcpy(faces->data + faces->count - n, corners, n * sizeof *corners);
  materials->data[materials->count - 1] = material;
}

// runs over the groups of faces, which follow each other in the order of the file
static int32_t material_of(const dvMesh *mesh, size_t face, size_t *group, int32_t *material)
{
  for (; *group < mesh->groups.count; ++*group) {
    const dvMeshGroup *g = &mesh->groups.data[*group];
    if (g->kind != DV_MESH_FACET || face >= (size_t)g->first + (size_t)g->count) continue;
    if (face == (size_t)g->first) *material = dv_mesh_material(mesh, g->material);
    return face >= (size_t)g->first ? *material : -1;
  }
  return -1;
}

static void fill_faces(dvSplit *s, const dvMesh *mesh, const Corner *c, size_t n, bool use_normals)
{
  const int32_t *offset = mesh->facets.offset.data;
  size_t group = 0;
  int32_t of_group = -1;
  for (size_t face = 0; face + 1 < mesh->facets.offset.count; face++) {
    int32_t v[4];
    size_t first = (size_t)offset[face], count = (size_t)offset[face + 1] - first;
    int32_t material = material_of(mesh, face, &group, &of_group);
    for (size_t k = 0; k < count; k++) {
      Corner wanted = corner_at(mesh, first + k, use_normals);
      const Corner *found = bsearch(&wanted, c, n, sizeof *c, compare_corners);
      v[k < 3 ? k : 3] = (int32_t)(found - c);
      if (count == 4 || k < 2) continue;
      // a fan of triangles around the first corner
      push_face(&s->triangles, &s->triangle_material, (int32_t[]){v[0], v[k == 2 ? 1 : 2], v[k == 2 ? 2 : 3]},
                material);
      if (k > 2) v[2] = v[3];
    }
    if (count == 4) push_face(&s->quads, &s->quad_material, v, material);
  }
}

void dv_split_mesh(const dvMesh *mesh, bool use_normals, dvSplit *out)
{
  *out = (dvSplit){.position.width = 1,
                   .normal.width = 1,
                   .texcoords.width = 2,
                   .normals.width = 3,
                   .triangles.width = 3,
                   .quads.width = 4,
                   .triangle_material.width = 1,
                   .quad_material.width = 1};
  size_t corners = mesh->facets.position.count, points = dv_mesh_point_count(mesh);
  if (corners == 0) {   // formats without faces of their own
    DV_MUST(dv_ints_assign(&out->triangles, mesh->triangles.data, mesh->triangles.count));
    DV_MUST(dv_ints_assign(&out->quads, mesh->quads.data, mesh->quads.count));
    return;
  }
  Corner *c = dv_alloc(corners * sizeof *c);
  for (size_t i = 0; i < corners; i++) c[i] = corner_at(mesh, i, use_normals);
  size_t n = sort_unique(c, corners);
  out->split = n != points;
  for (size_t i = 0; i < n && !out->split; i++) out->split = c[i].position != i;
  fill_vertices(out, mesh, c, n, use_normals);
  fill_faces(out, mesh, c, n, use_normals);
  dv_free(c);
}

void dv_split_free(dvSplit *s)
{
  dv_ints_free(&s->position);
  dv_ints_free(&s->normal);
  dv_reals_free(&s->texcoords);
  dv_reals_free(&s->normals);
  dv_ints_free(&s->triangles);
  dv_ints_free(&s->quads);
  dv_ints_free(&s->triangle_material);
  dv_ints_free(&s->quad_material);
}
