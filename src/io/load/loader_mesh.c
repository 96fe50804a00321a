// What loaders do to a mesh before they hand it on. Orders and rules are SOFA's. See loader.h.
#include "io/load/loader.h"
#include "math/vec.h"
#include "topology/derive.h"
#include "topology/search/tuple_set.h"

#include <stdlib.h>

static bool push(dvMeshIndices *list, const int32_t *values, size_t count)
{
  if (!dv_try_reserve(list, count)) return false;
  memcpy(list->data + list->count, values, count * sizeof *values);
  list->count += count;
  return true;
}

// --- faces of OBJ files --------------------------------------------------------------------------

void dv_seams_free(dvSeams *s)
{
  dv_array_free(&s->texcoords);
  dv_array_free(&s->normals);
  dv_array_free(&s->origin);
  dv_array_free(&s->normal_number);
}

// a point as some face sees it
typedef struct View {
  int32_t point, texcoord, normal, number;
} View;

static int compare_views(const void *a, const void *b)
{
  const int32_t *x = &((const View *)a)->point, *y = &((const View *)b)->point;
  for (int i = 0; i < 3; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

// all different views, sorted by point, texture coordinate, normal; NULL when memory is short
static View *collect_views(const dvMesh *mesh, size_t *count)
{
  const dvMeshFacets *f = &mesh->facets;
  size_t n = f->position.count, edges = mesh->edges.count;
  View *views = dv_try_alloc((n + edges + 1) * sizeof *views);
  if (!views) return NULL;
  for (size_t i = 0; i < n; i++) views[i] = (View){f->position.data[i], f->texcoord.data[i], f->normal.data[i], 0};
  for (size_t i = 0; i < edges; i++) views[n + i] = (View){mesh->edges.data[i], -1, -1, 0};
  qsort(views, n + edges, sizeof *views, compare_views);
  *count = 0;
  for (size_t i = 0; i < n + edges; i++)
    if (*count == 0 || compare_views(&views[i], &views[*count - 1]) != 0) views[(*count)++] = views[i];
  for (size_t i = 0; i < *count; i++) views[i].number = (int32_t)i;
  return views;
}

// numbers equal normals of one point alike
static bool number_normals(const View *views, size_t count, dvSeams *s)
{
  dvTupleSet set;
  dv_tuple_set_init(&set, 2);
  for (size_t i = 0; i < count; i++)
    dv_push(&s->normal_number, dv_tuple_set_add(&set, (int32_t[]){views[i].point, views[i].normal}, NULL));
  if (dv_tuple_set_count(&set) == count) s->normal_number.count = 0;   // no two share one
  bool good = !set.failed;
  dv_tuple_set_free(&set);
  return good;
}

static void renumber(dvMeshIndices *list, const dvMeshFacets *seen, View *views, size_t count)
{
  for (size_t i = 0; i < list->count; i++) {
    View wanted = {list->data[i], seen ? seen->texcoord.data[i] : -1, seen ? seen->normal.data[i] : -1, 0};
    list->data[i] = ((const View *)bsearch(&wanted, views, count, sizeof *views, compare_views))->number;
  }
}

// one point for each view; faces are told to use it
static bool split_points(dvMesh *mesh, dvSeams *s)
{
  size_t count, points = dv_mesh_point_count(mesh);
  View *views = collect_views(mesh, &count);
  dvMeshReals positions = {0};
  if (!views || !dv_try_reserve(&positions, 3 * count + 1) || !dv_try_reserve(&s->texcoords, 2 * count + 1) ||
      !dv_try_reserve(&s->normals, 3 * count + 1) || !dv_try_reserve(&s->origin, count + 1) ||
      !dv_try_reserve(&s->normal_number, count + 1)) {
    dv_free(views);
    dv_array_free(&positions);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const View *v = &views[i];
    for (int k = 0; k < 3; k++)
      positions.data[positions.count++] = mesh->positions.data[3 * (size_t)v->point + (size_t)k];
    const double *uv = v->texcoord < 0 ? (const double[]){0, 0} : mesh->texcoords.data + 2 * (size_t)v->texcoord;
    for (int k = 0; k < 2; k++) s->texcoords.data[s->texcoords.count++] = uv[k];
    dvVec3 n =
        v->normal < 0 ? dv_vec3(0, 0, 0) : dv_vec3_normalise(dv_vec3_load(mesh->normals.data + 3 * (size_t)v->normal));
    dv_vec3_store(s->normals.data + s->normals.count, n);
    s->normals.count += 3;
    if (count != points) dv_push(&s->origin, v->point);
  }
  bool good = count == points || number_normals(views, count, s);
  renumber(&mesh->facets.position, &mesh->facets, views, count);
  renumber(&mesh->edges, NULL, views, count);
  renumber(&mesh->polylines.index, NULL, views, count);   // their pieces are among the edges
  dv_array_free(&mesh->positions);
  mesh->positions = positions;
  dv_free(views);
  return good;
}

// groups of triangles and quads from those of the faces; `starts` has the counts before each face
static void regroup(dvMesh *mesh, const int32_t (*starts)[2])
{
  size_t kept = 0, old = mesh->groups.count;
  for (size_t i = 0; i < old; i++) {
    dvMeshGroup group = mesh->groups.data[i];
    if (group.kind != DV_MESH_TRIANGLE && group.kind != DV_MESH_QUAD) {
      mesh->groups.data[kept++] = group;
      continue;
    }
    dv_free(group.name);
    dv_free(group.material);
  }
  mesh->groups.count = old = kept;
  for (size_t i = 0; i < old; i++) {
    dvMeshGroup faces = mesh->groups.data[i];
    if (faces.kind != DV_MESH_FACET) continue;
    for (int k = 0; k < 2; k++) {
      int32_t first = starts[faces.first][k], count = starts[faces.first + faces.count][k] - first;
      dvMeshGroup group = {.name = dv_strdup(faces.name),
                           .material = dv_strdup(faces.material),
                           .kind = k ? DV_MESH_QUAD : DV_MESH_TRIANGLE,
                           .tag = -1,
                           .first = first,
                           .count = count};
      if (count > 0) dv_push(&mesh->groups, group);
      else dv_free(group.name), dv_free(group.material);
    }
  }
}

bool dv_loader_faces(dvMesh *mesh, bool triangulate, dvSeams *seams)
{
  if (seams && !split_points(mesh, seams)) return false;
  size_t faces = dv_mesh_lists_count(&mesh->facets.offset);
  int32_t(*starts)[2] = dv_try_alloc((faces + 1) * sizeof *starts);
  bool good = starts != NULL;
  mesh->triangles.count = mesh->quads.count = 0;
  for (size_t i = 0; i < faces && good; i++) {
    int32_t begin = mesh->facets.offset.data[i], corners = mesh->facets.offset.data[i + 1] - begin;
    const int32_t *p = mesh->facets.position.data + begin;
    starts[i][0] = (int32_t)(mesh->triangles.count / 3);
    starts[i][1] = (int32_t)(mesh->quads.count / 4);
    if (corners == 4 && !triangulate) good = push(&mesh->quads, p, 4);
    else
      for (int32_t k = 2; k < corners && good; k++) good = push(&mesh->triangles, (int32_t[]){p[0], p[k - 1], p[k]}, 3);
  }
  if (good) {
    starts[faces][0] = (int32_t)(mesh->triangles.count / 3);
    starts[faces][1] = (int32_t)(mesh->quads.count / 4);
    regroup(mesh, (const int32_t(*)[2])starts);
  }
  dv_free(starts);
  return good;
}

void dv_loader_triangulate(dvMesh *mesh)
{
  for (size_t i = 0; i + 3 < mesh->quads.count; i += 4) {
    const int32_t *q = mesh->quads.data + i;
    const int32_t two[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
    for (int k = 0; k < 6; k++) dv_push(&mesh->triangles, two[k]);
  }
  mesh->quads.count = 0;
}

static void reverse(int32_t *v, size_t n)
{
  for (size_t i = 0; i < n / 2; i++) {
    int32_t swap = v[i];
    v[i] = v[n - 1 - i];
    v[n - 1 - i] = swap;
  }
}

void dv_loader_flip(dvMesh *mesh)
{
  for (size_t i = 0; i + 2 < mesh->triangles.count; i += 3) reverse(mesh->triangles.data + i, 3);
  for (size_t i = 0; i + 3 < mesh->quads.count; i += 4) reverse(mesh->quads.data + i, 4);
  size_t polygons = dv_mesh_lists_count(&mesh->polygons.offset);
  for (size_t i = 0; i < polygons; i++) {
    int32_t begin = mesh->polygons.offset.data[i];
    reverse(mesh->polygons.index.data + begin, (size_t)(mesh->polygons.offset.data[i + 1] - begin));
  }
}

// --- parts of elements ---------------------------------------------------------------------------

// appends to `list` the parts of other lists that are not in it yet, whatever way they run
static bool add_parts(dvMeshIndices *list, int corners, dvPartList *lists, int count)
{
  int32_t *numbers, next;
  lists[0] = dv_parts_given(list->data, list->count / (size_t)corners, corners);
  if (dv_parts_number(lists, count, corners, DV_PART_CORNERS, &numbers) < 0) return false;
  size_t p = lists[0].count;
  next = 0;
  for (size_t i = 0; i < p; i++) next = (int32_t)dv_max_int(next, numbers[i] + 1);
  bool good = true;
  for (int l = 1; l < count && good; l++)
    for (size_t i = 0; i < lists[l].count && good; i++)
      for (int j = 0; j < lists[l].parts && good; j++, p++) {
        if (numbers[p] != next) continue;
        int32_t part[4];
        for (int k = 0; k < corners; k++)
          part[k] = lists[l].elements[i * (size_t)lists[l].width + (size_t)lists[l].table[j * corners + k]];
        good = push(list, part, (size_t)corners);
        next++;
      }
  dv_free(numbers);
  return good;
}

// tables of faces, places row by row; of each element first the quads, then the triangles
typedef struct Faces {
  dvMeshKind kind;
  int quad_count, triangle_count;
  const int (*quads)[4];
  const int (*triangles)[3];
} Faces;

static const int tetrahedron_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static const Faces faces_of[] = {
    {DV_MESH_HEXAHEDRON, 6, 0, dv_quads_of_hexahedron, NULL},
    {DV_MESH_PRISM, 3, 2, dv_quads_of_prism, dv_triangles_of_prism},
    {DV_MESH_PYRAMID, 1, 4, dv_quads_of_pyramid, dv_triangles_of_pyramid},
    {DV_MESH_TETRAHEDRON, 0, 4, NULL, tetrahedron_triangles},
};

bool dv_loader_subelements(dvMesh *mesh)
{
  dvPartList quads[1 + DV_COUNT(faces_of)], triangles[1 + DV_COUNT(faces_of)], edges[3];
  int quad_lists = 1, triangle_lists = 1;
  for (size_t i = 0; i < DV_COUNT(faces_of); i++) {
    const Faces *f = &faces_of[i];
    const dvMeshIndices *elements = dv_mesh_elements(mesh, f->kind);
    int width = dv_mesh_corners(f->kind);
    size_t n = elements->count / (size_t)width;
    if (f->quad_count) quads[quad_lists++] = (dvPartList){elements->data, n, width, f->quads[0], f->quad_count};
    if (f->triangle_count)
      triangles[triangle_lists++] = (dvPartList){elements->data, n, width, f->triangles[0], f->triangle_count};
  }
  if (!add_parts(&mesh->quads, 4, quads, quad_lists) || !add_parts(&mesh->triangles, 3, triangles, triangle_lists))
    return false;
  edges[1] = (dvPartList){mesh->quads.data, mesh->quads.count / 4, 4, dv_edges_of_quad[0], 4};
  edges[2] = (dvPartList){mesh->triangles.data, mesh->triangles.count / 3, 3, dv_edges_of_triangle[0], 3};
  return add_parts(&mesh->edges, 2, edges, 3);
}

// --- points --------------------------------------------------------------------------------------

bool dv_loader_attached(dvMesh *mesh, dvMeshIndices *kept)
{
  size_t points = dv_mesh_point_count(mesh);
  int32_t *fresh = dv_try_alloc((points + 1) * sizeof *fresh);   // 0: not used, then new number + 1
  if (!fresh) return false;
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    const dvMeshIndices *list = dv_mesh_elements(mesh, (dvMeshKind)kind);
    for (size_t i = 0; i < list->count; i++) fresh[list->data[i]] = 1;
  }
  for (size_t i = 0; i < mesh->polygons.index.count; i++) fresh[mesh->polygons.index.data[i]] = 1;
  for (size_t i = 0; i < mesh->polylines.index.count; i++) fresh[mesh->polylines.index.data[i]] = 1;
  for (size_t p = 0; p < points; p++) {
    if (!fresh[p]) continue;
    memmove(mesh->positions.data + 3 * kept->count, mesh->positions.data + 3 * p, 3 * sizeof(double));
    dv_push(kept, (int32_t)p);
    fresh[p] = (int32_t)kept->count;
  }
  mesh->positions.count = 3 * kept->count;
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    dvMeshIndices *list = dv_mesh_elements(mesh, (dvMeshKind)kind);
    for (size_t i = 0; i < list->count; i++) list->data[i] = fresh[list->data[i]] - 1;
  }
  for (size_t i = 0; i < mesh->polygons.index.count; i++)
    mesh->polygons.index.data[i] = fresh[mesh->polygons.index.data[i]] - 1;
  for (size_t i = 0; i < mesh->polylines.index.count; i++)
    mesh->polylines.index.data[i] = fresh[mesh->polylines.index.data[i]] - 1;
  dv_free(fresh);
  return true;
}

// adds the normal at each corner, made of the corner's two sides
static void add_corner_normals(const dvMesh *mesh, const int32_t *face, int n, double *out)
{
  for (int i = 0; i < n; i++) {
    const double *x = mesh->positions.data;
    dvVec3 at = dv_vec3_load(x + 3 * (size_t)face[i]);
    dvVec3 next = dv_vec3_load(x + 3 * (size_t)face[(i + 1) % n]),
           last = dv_vec3_load(x + 3 * (size_t)face[(i + n - 1) % n]);
    dvVec3 normal = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(next, at), dv_vec3_sub(last, at)));
    dv_vec3_accumulate(out + 3 * (size_t)face[i], normal);
  }
}

void dv_loader_normals(const dvMesh *mesh, double *out)
{
  size_t points = dv_mesh_point_count(mesh);
  memset(out, 0, 3 * points * sizeof *out);
  for (size_t i = 0; i + 3 <= mesh->triangles.count; i += 3) add_corner_normals(mesh, mesh->triangles.data + i, 3, out);
  for (size_t i = 0; i + 4 <= mesh->quads.count; i += 4) add_corner_normals(mesh, mesh->quads.data + i, 4, out);
  for (size_t p = 0; p < points; p++) dv_vec3_store(out + 3 * p, dv_vec3_normalise(dv_vec3_load(out + 3 * p)));
}
