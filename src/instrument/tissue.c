// See tissue.h. The surface is what faces only one element has. A direction d at the deformed shape is F^-1 d at rest,
// with the deformation gradient F = sum of x_i grad N_i in the middle of the element.
#include "instrument/tissue.h"

#include "element/shape.h"
#include "topology/search/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int tetra_faces[4][4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}};
static const int hexa_faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                     {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// --- the surface ---

typedef struct Face {
  int32_t key[4], corner[4], cell;   // corners sorted; in their order, -1 last for triangles; whose it is
} Face;

static int compare_faces(const void *a, const void *b)
{
  return memcmp(((const Face *)a)->key, ((const Face *)b)->key, sizeof((const Face *)a)->key);
}

static Face face_of(const int32_t *e, const int *corners, size_t cell)
{
  Face f = {.cell = (int32_t)cell};
  for (int k = 0; k < 4; k++) f.corner[k] = f.key[k] = corners[k] < 0 ? -1 : e[corners[k]];
  for (int i = 1; i < 4; i++)
    for (int k = i; k > 0 && f.key[k] < f.key[k - 1]; k--) {
      int32_t swap = f.key[k];
      f.key[k] = f.key[k - 1];
      f.key[k - 1] = swap;
    }
  return f;
}

// whatever way round the element is
static void add_outwards(dvTissue *t, const int32_t *e, size_t corners, int32_t a, int32_t b, int32_t c)
{
  const double *rest = dv_state_read(t->state, DV_X_REST);
  const int32_t face[3] = {a, b, c};
  dvVec3 out = {0, 0, 0};
  for (size_t k = 0; k < corners; k++)
    out = dv_vec3_add(out, dv_vec3_sub(dv_vec3_load(rest + 3 * (size_t)a), dv_vec3_load(rest + 3 * (size_t)e[k])));
  bool turned = dv_vec3_dot(dv_element_normal(DV_TRIANGLE, rest, face), out) < 0;
  dv_push(&t->surface, a);
  dv_push(&t->surface, turned ? c : b);
  dv_push(&t->surface, turned ? b : c);
}

static bool find_surface(dvTissue *t, const dvInts *elements)
{
  size_t corners = t->kind == DV_HEXAHEDRON ? 8 : 4, faces = t->kind == DV_HEXAHEDRON ? 6 : 4,
         count = elements->count / corners;
  Face *list = dv_try_alloc((count * faces + 1) * sizeof *list);
  if (!list) return false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < faces; k++)
      list[i * faces + k] =
          face_of(elements->data + i * corners, t->kind == DV_HEXAHEDRON ? hexa_faces[k] : tetra_faces[k], i);
  qsort(list, count * faces, sizeof *list, compare_faces);
  t->surface.count = 0;
  for (size_t i = 0; i < count * faces; i++) {
    bool twice = (i > 0 && compare_faces(&list[i], &list[i - 1]) == 0) ||
                 (i + 1 < count * faces && compare_faces(&list[i], &list[i + 1]) == 0);
    const int32_t *c = list[i].corner, *e = elements->data + (size_t)list[i].cell * corners;
    if (twice) continue;
    add_outwards(t, e, corners, c[0], c[1], c[2]);
    if (c[3] >= 0) add_outwards(t, e, corners, c[0], c[2], c[3]);
  }
  dv_free(list);
  return true;
}

// --- elements at rest ---

static void measure(dvTissue *t, const dvInts *elements)
{
  const double *rest = dv_state_read(t->state, DV_X_REST);
  size_t corners = t->kind == DV_HEXAHEDRON ? 8 : 4, count = elements->count / corners;
  double sum = 0;
  dv_array_resize(&t->boxes, 6 * count);
  for (size_t i = 0; i < count; i++) {
    const int32_t *e = elements->data + i * corners;
    double *box = t->boxes.data + 6 * i;
    for (int k = 0; k < 3; k++) box[k] = INFINITY, box[3 + k] = -INFINITY;
    for (size_t c = 0; c < corners; c++)
      for (int k = 0; k < 3; k++) {
        double x = rest[3 * (size_t)e[c] + (size_t)k];
        box[k] = fmin(box[k], x);
        box[3 + k] = fmax(box[3 + k], x);
      }
    sum += dv_vec3_norm(dv_vec3_sub(dv_vec3_load(rest + 3 * (size_t)e[1]), dv_vec3_load(rest + 3 * (size_t)e[0])));
  }
  t->size = count ? sum / (double)count : 0;
}

dvStatus dv_tissue_init(dvTissue *t, dvObject *o, dvState *state, dvTopology *topology)
{
  t->state = state;
  t->topology = topology;
  t->kind = dv_topology_count(topology, DV_TETRAHEDRON) ? DV_TETRAHEDRON : DV_HEXAHEDRON;
  const dvInts *elements = dv_topology_elements(topology, t->kind);
  for (size_t i = 0; i < elements->count; i++)
    if (elements->data[i] < 0 || (size_t)elements->data[i] >= state->count)
      return dv_error(o, NULL, "an element of %s names point %d, but the state %s has %zu", topology->base.name,
                      elements->data[i], state->base.name, state->count);
  if (!find_surface(t, elements)) return dv_error(o, NULL, "out of memory for %zu elements", elements->count);
  measure(t, elements);
  return DV_OK;
}

void dv_tissue_fini(dvTissue *t)
{
  dv_array_free(&t->surface);
  dv_array_free(&t->boxes);
}

static bool contains(const dvTissue *t, size_t cell, dvVec3 at, dvSpot *out)
{
  const double *box = t->boxes.data + 6 * cell, slack = 1e-9 * t->size;
  const double p[3] = {at.x, at.y, at.z};
  for (int k = 0; k < 3; k++)
    if (!(p[k] >= box[k] - slack && p[k] <= box[3 + k] + slack)) return false;
  int corners = t->kind == DV_HEXAHEDRON ? 8 : 4;
  const int32_t *e = dv_topology_elements(t->topology, t->kind)->data + cell * (size_t)corners;
  if (!dv_element_coordinates(t->kind, dv_state_read(t->state, DV_X_REST), e, at, out->weight)) return false;
  for (int k = 0; k < corners; k++)
    if (!(out->weight[k] >= -1e-9)) return false;
  out->count = corners;
  out->cell = (int32_t)cell;
  memcpy(out->point, e, (size_t)corners * sizeof *e);
  return true;
}

bool dv_tissue_locate(const dvTissue *t, dvVec3 at, int32_t guess, dvSpot *out)
{
  size_t count = t->boxes.count / 6;
  if (guess >= 0 && (size_t)guess < count && contains(t, (size_t)guess, at, out)) return true;
  for (size_t i = 0; i < count; i++)
    if (contains(t, i, at, out)) return true;
  return false;
}

bool dv_tissue_enter(const dvTissue *t, const double *x, dvVec3 from, dvVec3 to, dvSpot *out, dvVec3 *normal)
{
  double nearest = 2;
  dvVec3 way = dv_vec3_sub(to, from);
  for (size_t i = 0; i < t->surface.count; i += 3) {
    const int32_t *e = t->surface.data + i;
    dvLineHit hit;
    if (!dv_line_meets_triangle(x, e, from, to, &hit) || !(hit.at >= 0 && hit.at <= 1 && hit.at < nearest)) continue;
    dvVec3 n = dv_element_normal(DV_TRIANGLE, x, e);
    if (dv_vec3_dot(n, way) >= 0) continue;
    nearest = hit.at;
    *normal = n;
    *out = (dvSpot){.count = 3, .cell = -1};
    for (int k = 0; k < 3; k++) out->point[k] = e[k], out->weight[k] = hit.weights[k];
  }
  return nearest <= 1;
}

dvVec3 dv_spot_at(const dvSpot *s, const double *x)
{
  dvVec3 sum = {0, 0, 0};
  for (int k = 0; k < s->count; k++)
    sum = dv_vec3_add_scaled(sum, dv_vec3_load(x + 3 * (size_t)s->point[k]), s->weight[k]);
  return sum;
}

dvVec3 dv_tissue_pull_back(const dvTissue *t, const dvSpot *s, const double *x, dvVec3 direction)
{
  const double *rest = dv_state_read(t->state, DV_X_REST), middle[3] = {0, 0, 0}, inside[3] = {0.25, 0.25, 0.25};
  double corners[3 * DV_SHAPE_NODES];
  dvVec3 g[DV_SHAPE_NODES];
  dvMat3 f = {{{0}}}, inverse;
  for (int k = 0; k < s->count; k++) memcpy(corners + 3 * k, rest + 3 * (size_t)s->point[k], 3 * sizeof *corners);
  if (s->cell < 0 || dv_shape_gradients(t->kind, t->kind == DV_HEXAHEDRON ? middle : inside, corners, g) == 0)
    return direction;
  for (int k = 0; k < s->count; k++) {
    const double *p = x + 3 * (size_t)s->point[k], grad[3] = {g[k].x, g[k].y, g[k].z};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) f.m[i][j] += p[i] * grad[j];
  }
  if (!dv_mat3_inverse(f, &inverse)) return direction;
  return dv_vec3_normalise(dv_mat3_mul_vec(inverse, direction));
}

void dv_tissue_add_row(const dvTissue *t, const dvSpot *s, dvVec3 direction, double factor, int32_t row, dvRowSet *set)
{
  const double h[3] = {direction.x, direction.y, direction.z};
  for (int k = 0; k < s->count; k++) dv_rows_add(set, t->state, row, (size_t)s->point[k], h, factor * s->weight[k]);
}
