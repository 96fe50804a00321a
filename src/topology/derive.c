// Parts of elements. See derive.h.
#include "topology/derive.h"

#include "topology/search/tuple_set.h"

const int dv_edges_of_triangle[3][2] = {{1, 2}, {2, 0}, {0, 1}};
const int dv_edges_of_quad[4][2] = {{1, 2}, {2, 3}, {3, 0}, {0, 1}};
const int dv_edges_of_tetrahedron[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const int dv_edges_of_hexahedron[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                           {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
const int dv_triangles_of_tetrahedron[4][3] = {{1, 2, 3}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
const int dv_quads_of_hexahedron[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                          {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
const int dv_quads_of_prism[3][4] = {{0, 3, 4, 1}, {0, 2, 5, 3}, {1, 4, 5, 2}};
const int dv_triangles_of_prism[2][3] = {{0, 1, 2}, {4, 3, 5}};
const int dv_quads_of_pyramid[1][4] = {{0, 3, 2, 1}};
const int dv_triangles_of_pyramid[4][3] = {{0, 1, 4}, {1, 2, 4}, {3, 4, 2}, {0, 4, 3}};

// --- numbering -----------------------------------------------------------------------------------

dvPartList dv_parts_given(const int32_t *elements, size_t count, int width)
{
  static const int itself[4] = {0, 1, 2, 3};
  return (dvPartList){elements, count, width, itself, 1};
}

size_t dv_parts_count(const dvPartList *lists, int count)
{
  size_t n = 0;
  for (int i = 0; i < count; i++) n += lists[i].count * (size_t)lists[i].parts;
  return n;
}

// turns the cycle until its smallest index comes first
static void turn(int32_t *v, int n)
{
  int first = 0;
  for (int i = 1; i < n; i++)
    if (v[i] < v[first]) first = i;
  int32_t turned[4];
  for (int i = 0; i < n; i++) turned[i] = v[(first + i) % n];
  memcpy(v, turned, (size_t)n * sizeof *v);
}

// one side of a cycle stands for both: the one whose second index is smaller
static void choose_side(int32_t *v, int n)
{
  turn(v, n);
  if (v[1] <= v[n - 1]) return;
  for (int i = 1; i < n - i; i++) {
    int32_t swap = v[i];
    v[i] = v[n - i];
    v[n - i] = swap;
  }
}

// inlined with a constant number of corners
static inline __attribute__((always_inline)) void fill_keys(const dvPartList *list, const int corners,
                                                            dvPartOrder order, int32_t *out)
{
  for (size_t i = 0; i < list->count; i++) {
    const int32_t *element = list->elements + i * (size_t)list->width;
    for (int j = 0; j < list->parts; j++, out += corners) {
      for (int k = 0; k < corners; k++) out[k] = element[list->table[j * corners + k]];
      if (order == DV_PART_CYCLE) choose_side(out, corners);
      else dv_tuple_sort(out, corners);
    }
  }
}

static void write_keys(const dvPartList *list, int corners, dvPartOrder order, int32_t *out)
{
  if (corners == 1) fill_keys(list, 1, order, out);
  else if (corners == 2) fill_keys(list, 2, order, out);
  else if (corners == 3) fill_keys(list, 3, order, out);
  else fill_keys(list, 4, order, out);
}

int32_t dv_parts_number(const dvPartList *lists, int count, int corners, dvPartOrder order, int32_t **numbers)
{
  size_t n = dv_parts_count(lists, count);
  int32_t *keys = dv_try_alloc((n + 1) * (size_t)corners * sizeof *keys), *at = keys, different = -1;
  *numbers = dv_try_alloc((n + 1) * sizeof **numbers);
  for (int i = 0; i < count && keys; i++) {
    write_keys(&lists[i], corners, order, at);
    at += lists[i].count * (size_t)lists[i].parts * (size_t)corners;
  }
  if (keys && *numbers) different = dv_tuples_number(keys, n, corners, *numbers);
  dv_free(keys);
  if (different < 0) {
    dv_free(*numbers);
    *numbers = NULL;
  }
  return different;
}

// --- deriving ------------------------------------------------------------------------------------

// whether a part is to be listed, and how: changes `corners` if need be
typedef bool (*Choose)(void *user, int list, int32_t number, int32_t *corners);

// walks over all parts in order and lists those that are chosen
static bool list_parts(const dvPartList *lists, int count, int corners, const int32_t *numbers, Choose choose,
                       void *user, dvInts *out)
{
  DV_ARRAY(int32_t) chosen = {0};
  bool good = true;
  size_t p = 0;
  for (int l = 0; l < count && good; l++)
    for (size_t i = 0; i < lists[l].count && good; i++)
      for (int j = 0; j < lists[l].parts && good; j++, p++) {
        int32_t part[4];
        for (int k = 0; k < corners; k++)
          part[k] = lists[l].elements[i * (size_t)lists[l].width + (size_t)lists[l].table[j * corners + k]];
        if (!choose(user, l, numbers[p], part)) continue;
        good = dv_try_reserve(&chosen, (size_t)corners);
        for (int k = 0; k < corners && good; k++) chosen.data[chosen.count++] = part[k];
      }
  out->width = corners;
  good = good && dv_ints_assign(out, chosen.data, chosen.count);
  if (!good) DV_MUST(dv_ints_resize(out, 0));
  dv_array_free(&chosen);
  return good;
}

static bool no_parts(dvInts *out, int corners)
{
  out->width = corners;
  DV_MUST(dv_ints_resize(out, 0));
  return false;
}

static dvPartList parts_of(const dvInts *elements, const int *table, int parts)
{
  return (dvPartList){elements->data, dv_ints_size(elements), elements->width, table, parts};
}

typedef struct EdgeChoice {
  int32_t next;     // number of the first part that has not been listed
  int as_it_runs;   // lists before this one keep the direction of their edges
} EdgeChoice;

static bool choose_edge(void *user, int list, int32_t number, int32_t *corners)
{
  EdgeChoice *c = user;
  if (number != c->next) return false;
  c->next++;
  if (list >= c->as_it_runs) dv_tuple_sort(corners, 2);
  return true;
}

static bool derive_edges(const dvPartList lists[2], int as_it_runs, dvInts *out)
{
  int32_t *numbers;
  if (dv_parts_number(lists, 2, 2, DV_PART_CORNERS, &numbers) < 0) return no_parts(out, 2);
  EdgeChoice choice = {.as_it_runs = as_it_runs};
  bool good = list_parts(lists, 2, 2, numbers, choose_edge, &choice, out);
  dv_free(numbers);
  return good;
}

bool dv_derive_volume_edges(const dvInts *tetrahedra, const dvInts *hexahedra, dvInts *out)
{
  const dvPartList lists[2] = {parts_of(tetrahedra, dv_edges_of_tetrahedron[0], 6),
                               parts_of(hexahedra, dv_edges_of_hexahedron[0], 12)};
  return derive_edges(lists, 0, out);
}

bool dv_derive_surface_edges(const dvInts *triangles, const dvInts *quads, dvInts *out)
{
  const dvPartList lists[2] = {parts_of(triangles, dv_edges_of_triangle[0], 3),
                               parts_of(quads, dv_edges_of_quad[0], 4)};
  return derive_edges(lists, 1, out);
}

enum { SIDE = 1, OTHER_SIDE = 2 };

typedef struct FaceChoice {
  int corners;
  bool repeat;
  uint8_t *seen;   // the sides that were seen of each face
} FaceChoice;

// a face that was seen from its other side is there already
static bool choose_triangle(void *user, int list, int32_t number, int32_t *corners)
{
  FaceChoice *c = user;
  DV_UNUSED(list);
  turn(corners, c->corners);
  int own = corners[1] < corners[2] ? SIDE : OTHER_SIDE, other = SIDE + OTHER_SIDE - own;
  uint8_t *seen = &c->seen[number];
  if (corners[1] == corners[2]) other = own;   // no triangle: both sides are the same
  if (*seen & other) return false;
  bool listed = !(*seen & own) || c->repeat;
  *seen |= (uint8_t)own;
  return listed;
}

static bool choose_quad(void *user, int list, int32_t number, int32_t *corners)
{
  FaceChoice *c = user;
  DV_UNUSED(list);
  if (c->seen[number]) return false;
  c->seen[number] = SIDE;
  turn(corners, c->corners);
  return true;
}

static bool derive_faces(const dvPartList *list, FaceChoice *choice, Choose choose, dvInts *out)
{
  int32_t *numbers, different = dv_parts_number(list, 1, choice->corners,
                                                choice->corners == 3 ? DV_PART_CORNERS : DV_PART_CYCLE, &numbers);
  if (different < 0) return no_parts(out, choice->corners);
  choice->seen = dv_try_alloc((size_t)different + 1);
  bool good = choice->seen ? list_parts(list, 1, choice->corners, numbers, choose, choice, out)
                           : no_parts(out, choice->corners);
  dv_free(choice->seen);
  dv_free(numbers);
  return good;
}

bool dv_derive_triangles(const dvInts *tetrahedra, bool repeat, dvInts *out)
{
  dvPartList list = parts_of(tetrahedra, dv_triangles_of_tetrahedron[0], 4);
  return derive_faces(&list, &(FaceChoice){.corners = 3, .repeat = repeat}, choose_triangle, out);
}

bool dv_derive_quads(const dvInts *hexahedra, dvInts *out)
{
  dvPartList list = parts_of(hexahedra, dv_quads_of_hexahedron[0], 6);
  return derive_faces(&list, &(FaceChoice){.corners = 4}, choose_quad, out);
}
