// The organ's skin: the boundary of tetrahedra, as a smooth surface, and spheres that touch it from inside.
#include "organ.h"

#include <stdlib.h>

// --- boundary ------------------------------------------------------------------------------------

typedef struct Face {
  int sorted[3];
  Triangle triangle;
} Face;

static int compare_faces(const void *a, const void *b)
{
  const Face *x = a, *y = b;
  for (int k = 0; k < 3; k++)
    if (x->sorted[k] != y->sorted[k]) return x->sorted[k] < y->sorted[k] ? -1 : 1;
  return 0;
}

static Face make_face(int a, int b, int c)
{
  int low = dv_min_int(a, dv_min_int(b, c)), high = dv_max_int(a, dv_max_int(b, c));
  return (Face){{low, a + b + c - low - high, high}, {{a, b, c}}};
}

void find_boundary(const Volume *volume, Triangles *out)
{
  DV_ARRAY(Face) faces = {0};
  for (size_t i = 0; i < volume->tetras.count; i++) {
    const int *v = volume->tetras.data[i].v;
    const Face four[4] = {make_face(v[0], v[2], v[1]), make_face(v[0], v[1], v[3]), make_face(v[0], v[3], v[2]),
                          make_face(v[1], v[2], v[3])};
    for (int k = 0; k < 4; k++) dv_push(&faces, four[k]);
  }
  qsort(faces.data, faces.count, sizeof *faces.data, compare_faces);
  for (size_t i = 0, next; i < faces.count; i = next) {
    for (next = i + 1; next < faces.count && compare_faces(&faces.data[i], &faces.data[next]) == 0;) next++;
    if (next == i + 1) dv_push(out, faces.data[i].triangle);
  }
  dv_array_free(&faces);
}

// --- the smooth surface --------------------------------------------------------------------------

void surface_of(const Volume *volume, Surface *out)
{
  Ints renumbered = {0};
  find_boundary(volume, &out->triangles);
  dv_array_resize(&renumbered, volume->points.count);
  for (size_t i = 0; i < out->triangles.count; i++)
    for (int k = 0; k < 3; k++) {
      int *v = &out->triangles.data[i].v[k];
      if (!renumbered.data[*v]) {
        dv_push(&out->points, volume->points.data[*v]);
        renumbered.data[*v] = (int)out->points.count;
      }
      *v = renumbered.data[*v] - 1;
    }
  dv_array_free(&renumbered);
}

void surface_even_out(Surface *surface, int passes)
{
  size_t n = surface->points.count;
  Points sum = {0};
  Ints count = {0};
  for (int pass = 0; pass < passes; pass++) {
    dv_array_resize(&sum, 0);
    dv_array_resize(&count, 0);
    dv_array_resize(&sum, n);
    dv_array_resize(&count, n);
    for (size_t i = 0; i < surface->triangles.count; i++)
      for (int k = 0; k < 3; k++) {
        const int *v = surface->triangles.data[i].v;
        int p = v[k], q = v[(k + 1) % 3];
        sum.data[p] = add(sum.data[p], surface->points.data[q]);
        count.data[p]++;
      }
    for (size_t i = 0; i < n; i++) {
      Vec3 middle = scale(sum.data[i], 1.0 / count.data[i]);
      surface->points.data[i] = organ_project(scale(add(surface->points.data[i], middle), 0.5));
    }
  }
  dv_array_free(&sum);
  dv_array_free(&count);
}

void surface_free(Surface *surface)
{
  dv_array_free(&surface->points);
  dv_array_free(&surface->triangles);
}

// --- spheres -------------------------------------------------------------------------------------

static double distance_to(const Surface *surface, Vec3 p)
{
  double best = INFINITY;
  for (size_t i = 0; i < surface->points.count; i++) {
    Vec3 d = sub(surface->points.data[i], p);
    best = dv_min(best, dot(d, d));
  }
  return sqrt(best);
}

// spheres that touch the surface from inside, none greater than `greatest`: large ones could not
// follow a deformation
static void find_candidates(const Surface *surface, double spacing, double greatest, Spheres *out)
{
  for (double z = organ_low[2]; z < organ_high[2]; z += spacing)
    for (double y = organ_low[1]; y < organ_high[1]; y += spacing)
      for (double x = organ_low[0]; x < organ_high[0]; x += spacing) {
        Sphere s = {vec(x, y, z), 0};
        if (organ_field(s.centre) >= 0) continue;
        s.radius = dv_min(distance_to(surface, s.centre), greatest);
        dv_push(out, s);
      }
}

// the largest sphere first; centres that lie well inside a chosen sphere are out of the running
static void pack(Spheres *candidates, double smallest, Spheres *out)
{
  for (;;) {
    size_t best = 0;
    for (size_t i = 1; i < candidates->count; i++)
      if (candidates->data[i].radius > candidates->data[best].radius) best = i;
    if (!candidates->count || candidates->data[best].radius < smallest) return;
    Sphere chosen = candidates->data[best];
    dv_push(out, chosen);
    size_t kept = 0;
    for (size_t i = 0; i < candidates->count; i++)
      if (norm(sub(candidates->data[i].centre, chosen.centre)) > chosen.radius)
        candidates->data[kept++] = candidates->data[i];
    candidates->count = kept;
  }
}

void surface_pack_spheres(const Surface *surface, double spacing, double smallest, double greatest, Spheres *out)
{
  Spheres candidates = {0};
  find_candidates(surface, spacing, greatest, &candidates);
  pack(&candidates, smallest, out);
  dv_array_free(&candidates);
}
