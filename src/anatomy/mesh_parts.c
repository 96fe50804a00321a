// MeshParts: the parts that tetrahedra, or a closed surface, fall into while they are cut, with the volume of each at
// rest.
//
//   V = sum over its tetrahedra of det(x1 - x0, x2 - x0, x3 - x0) / 6
//   V = sum over its triangles of det(x0 - o, x1 - o, x2 - o) / 6
//
// at rest, so that volumes change with the mesh only, not with its motion: what a cut parts is there on both sides.
// What remains is the part, or are the parts, with points of `kept` (those by which an organ is held, say), else the
// largest; the rest is resected. What was carved away is in neither. A hollow in a surface is a part that looks
// inwards: its volume is negative, and taken from what remains.
#include "anatomy/parts.h"
#include "anatomy/register.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "state/of_mesh.h"
#include "topology/change/follow.h"
#include "topology/search/rays.h"

#include <stdlib.h>

#define PARTS_FIELDS(X)                                                                           \
  X(link, topology, "", "",                                                                       \
    "tetrahedra, or triangles of a closed surface; the topology of the node or above by default", \
    .role = DV_ROLE_TOPOLOGY)                                                                     \
  X(indices, kept, "", "", "points whose parts remain; without, the largest part does")           \
  X(int, parts, "0", "", "parts that do not hang together", .flags = DV_READ_ONLY)                \
  X(reals, volumes, "", "m3", "volume of each at rest, the largest first", .flags = DV_READ_ONLY) \
  X(real, remaining, "0", "m3", "volume of what remains", .flags = DV_READ_ONLY)                  \
  X(real, resected, "0", "m3", "volume of the other parts", .flags = DV_READ_ONLY)                \
  X(real, segment, "0", "m3", "volume of the largest of them", .flags = DV_READ_ONLY)             \
  X(real, removed, "0", "m3", "volume that is no longer there", .flags = DV_READ_ONLY)

typedef struct MeshParts {
  dvObject base;
  PARTS_FIELDS(DV_MEMBER)
  dvTopology *mesh;
  dvState *state;
  dvElementKind kind;
  double all;   // at the start
} MeshParts;

#define SELF MeshParts
static const dvFieldDesc parts_fields[] = {PARTS_FIELDS(DV_DESCRIBE)};
#undef SELF

static double volume_at_rest(const MeshParts *p, const int32_t *t)
{
  const double *x = dv_state_read(p->state, DV_X_REST);
  bool solid = p->kind == DV_TETRAHEDRON;
  dvVec3 o = dv_vec3_load(x + (solid ? 3 * (size_t)t[0] : 0)), e[3];
  for (int k = 0; k < 3; k++) e[k] = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)t[k + solid]), o);
  double six = dv_vec3_dot(e[0], dv_vec3_cross(e[1], e[2]));
  return (solid ? fabs(six) : six) / 6;
}

static int larger_first(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

static void find_kept(const MeshParts *p, const dvInts *list, const int32_t *part, const double *volume, uint8_t *keep)
{
  bool any = false;
  size_t width = (size_t)dv_element_points(p->kind);
  for (int32_t i = 0; i < p->parts; i++) keep[i] = volume[i] < 0;   // a hollow
  for (size_t i = 0; i < p->kept.count; i++)
    for (size_t k = 0; k < list->count; k++)
      if (list->data[k] == p->kept.data[i]) keep[part[k / width]] = 1, any = true;
  int32_t largest = 0;
  for (int32_t i = 1; i < p->parts; i++)
    if (volume[i] > volume[largest]) largest = i;
  if (!any && p->parts) keep[largest] = 1;
}

static dvStatus count_parts(MeshParts *p)
{
  dvObject *o = &p->base;
  const dvInts *list = dv_topology_elements(p->mesh, p->kind);
  size_t width = (size_t)dv_element_points(p->kind), count = list->count / width;
  int32_t *part = dv_try_alloc(count * sizeof *part + 1);
  int32_t parts = part ? dv_mesh_parts(list, width, p->state->count, part) : -1;
  uint8_t *keep = parts >= 0 ? dv_try_alloc((size_t)parts + 1) : NULL;
  if (!keep || !dv_reals_resize(&p->volumes, (size_t)parts)) {
    dv_free(part);
    dv_free(keep);
    return dv_error(o, NULL, "out of memory for the parts of %zu elements", count);
  }
  p->parts = parts;
  for (int32_t i = 0; i < parts; i++) p->volumes.data[i] = 0;
  for (size_t i = 0; i < count; i++) p->volumes.data[part[i]] += volume_at_rest(p, list->data + width * i);
  find_kept(p, list, part, p->volumes.data, keep);
  p->remaining = p->resected = p->segment = 0;
  for (int32_t i = 0; i < parts; i++) {
    *(keep[i] ? &p->remaining : &p->resected) += p->volumes.data[i];
    if (!keep[i]) p->segment = dv_max(p->segment, p->volumes.data[i]);
  }
  if (parts) qsort(p->volumes.data, (size_t)parts, sizeof(double), larger_first);
  p->removed = dv_max(p->all - p->remaining - p->resected, 0);
  dv_touch(o, &p->parts), dv_touch(o, &p->volumes), dv_touch(o, &p->remaining), dv_touch(o, &p->resected);
  dv_touch(o, &p->removed), dv_touch(o, &p->segment);
  dv_free(part);
  dv_free(keep);
  return DV_OK;
}

static void mesh_parts_changed(dvObject *o)
{
  if (count_parts((MeshParts *)o) != DV_OK) o->failed = true;
}

static bool mesh_parts_restored(dvObject *o) { return count_parts((MeshParts *)o) == DV_OK; }

static dvStatus mesh_parts_init(dvObject *o)
{
  MeshParts *p = (MeshParts *)o;
  DV_TRY(dv_state_of_mesh(o, &p->topology, &p->mesh, &p->state));
  p->kind = dv_topology_count(p->mesh, DV_TETRAHEDRON) ? DV_TETRAHEDRON : DV_TRIANGLE;
  const dvInts *list = dv_topology_elements(p->mesh, p->kind);
  if (!list->count)
    return dv_error(o, "name a topology with tetrahedra, or with the triangles of a closed surface", "%s has neither",
                    p->mesh->base.name);
  int32_t first[2] = {0, 0};
  size_t open = p->kind == DV_TRIANGLE ? dv_surface_open_edges(list->data, list->count / 3, NULL, 0, first) : 0;
  if (open)
    return dv_error(o, "close it: only a closed surface has a volume",
                    "the surface %s is open at %zu edges, first between points %d and %d", p->mesh->base.name, open,
                    first[0], first[1]);
  for (size_t i = 0; i < p->kept.count; i++)
    if (p->kept.data[i] < 0 || (size_t)p->kept.data[i] >= p->state->count)
      return dv_field_error(o, &p->kept, "indices count from 0", "entry %zu is %d, but there are %zu points", i,
                            p->kept.data[i], p->state->count);
  dv_follow_list(o, p->mesh, DV_POINT, &p->kept);
  DV_TRY(count_parts(p));
  p->all = p->remaining + p->resected;
  return DV_OK;
}

const dvClass dv_mesh_parts_class = {
    .struct_size = sizeof(dvClass),
    .name = "MeshParts",
    .help = "tells into how many parts tetrahedra or a closed surface have been cut, and the volume of what remains "
            "and is resected",
    .module = "Anatomy",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(MeshParts),
    .blocks = {&dv_object_block, DV_BLOCK(parts_fields)},
    .bwd_init = mesh_parts_init,
    .topology_changed = mesh_parts_changed,
    .restored = mesh_parts_restored,
};
