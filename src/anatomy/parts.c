// See parts.h.
#include "anatomy/parts.h"

#include "topology/search/tuple_set.h"

static int32_t root_of(int32_t *above, int32_t p)
{
  while (above[p] != p) p = above[p] = above[above[p]];
  return p;
}

int32_t dv_mesh_parts(const dvInts *elements, size_t width, size_t points, int32_t *part)
{
  size_t count = elements->count / width;
  int32_t *above = dv_try_alloc(points * sizeof *above + 1), *number = dv_try_alloc(points * sizeof *number + 1);
  int32_t parts = above && number ? 0 : -1;
  for (size_t p = 0; parts == 0 && p < points; p++) above[p] = (int32_t)p, number[p] = -1;
  for (size_t i = 0; parts == 0 && i < width * count; i++) {
    int32_t a = root_of(above, elements->data[i]), b = root_of(above, elements->data[i / width * width]);
    if (a < b) above[b] = a;
    else above[a] = b;
  }
  for (size_t i = 0; parts >= 0 && i < count; i++) {
    int32_t root = root_of(above, elements->data[width * i]);
    if (number[root] < 0) number[root] = parts++;
    part[i] = number[root];
  }
  dv_free(above);
  dv_free(number);
  return parts;
}

bool dv_tetra_neighbours(const dvInts *tetrahedra, int32_t *out)
{
  size_t count = tetrahedra->count / 4;
  dvTupleSet faces;
  DV_ARRAY(int32_t) first = {0};   // of each face: its first place in `out`
  dv_tuple_set_init(&faces, 3);
  dv_tuple_set_expect(&faces, 2 * count + 100);
  bool good = true;
  for (size_t i = 0; good && i < 4 * count; i++) {
    const int32_t *t = tetrahedra->data + i / 4 * 4;
    int32_t key[3];
    for (size_t k = 0, n = 0; k < 4; k++)
      if (k != i % 4) key[n++] = t[k];
    dv_tuple_sort(key, 3);
    bool fresh;
    int32_t face = dv_tuple_set_add(&faces, key, &fresh);
    out[i] = -1;
    good = face >= 0 && (!fresh || dv_try_reserve(&first, 1));
    if (!good) break;
    if (fresh) {
      first.data[first.count++] = (int32_t)i;
    } else {
      out[i] = first.data[face] / 4;
      out[first.data[face]] = (int32_t)(i / 4);
    }
  }
  dv_array_free(&first);
  dv_tuple_set_free(&faces);
  return good;
}
