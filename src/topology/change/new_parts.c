// See new_parts.h. Parts of all elements are listed one after the other and numbered at once, equal ones alike
// (tuple_set.h), so that the mesh is searched for each of them once. Those of elements that go stand behind those of
// new ones: what has a number from there stays.
#include "topology/change/new_parts.h"

#include "topology/search/tuple_set.h"

// parts of one kind, in the order in which they are met
typedef struct Listed {
  dvElementKind kind;
  dvNumbers points, keys;   // of each as it stands in its element, and in descending order
  dvNumbers places;         // equal ones have the same, in the order of their first appearance
  dvNumbers numbers;        // of each place in the mesh; of one that it lacks -1 - its place among those
  size_t fresh;             // so many are parts of new elements
  size_t different;         // so many places do they have
} Listed;

typedef struct Finder {
  dvTopology *mesh;
  dvElementKind kind;
  Listed listed[DV_QUAD + 1];
  dvNewParts *out;
} Finder;

static size_t width_of(const Listed *l) { return (size_t)dv_element_points(l->kind); }

// Keys descend: the newest points, in whose order parts are numbered, have the fewest of them.
static inline void write_key(int32_t *key, const int32_t *p, int width)
{
  if (width == 3) {   // without branches, which nobody could guess
    int32_t low = dv_min_int(p[0], p[1]), high = dv_max_int(p[0], p[1]), middle = dv_min_int(high, p[2]);
    key[0] = dv_max_int(high, p[2]), key[1] = dv_max_int(low, middle), key[2] = dv_min_int(low, middle);
    return;
  }
  if (width == 2) {
    key[0] = dv_max_int(p[0], p[1]), key[1] = dv_min_int(p[0], p[1]);
    return;
  }
  int32_t ascending[4] = {p[0], p[1], p[2], p[3]};
  dv_tuple_sort(ascending, 4);
  for (int k = 0; k < 4; k++) key[k] = ascending[3 - k];
}

static void list_parts(Listed *l, const dvElementParts *p, const int32_t *element)
{
  int width = dv_element_points(p->kind);
  size_t numbers = (size_t)(width * p->count);
  dv_reserve(&l->points, numbers);
  dv_reserve(&l->keys, numbers);
  int32_t *points = l->points.data + l->points.count, *keys = l->keys.data + l->keys.count;
  for (size_t i = 0; i < numbers; i++) points[i] = element[p->table[i]];
  for (int i = 0; i < p->count; i++) write_key(keys + i * width, points + i * width, width);
  l->points.count += numbers;
  l->keys.count += numbers;
}

// few in a large mesh are told apart by a set, which costs as much as there are of them
static bool number_few(Listed *l, size_t count)
{
  dvTupleSet set;
  dv_tuple_set_init(&set, (int)width_of(l));
  dv_tuple_set_expect(&set, count);
  for (size_t i = 0; i < count; i++) l->places.data[i] = dv_tuple_set_add(&set, l->keys.data + i * width_of(l), NULL);
  bool good = !set.failed;
  dv_tuple_set_free(&set);
  return good;
}

static bool number(Listed *l, size_t points)
{
  size_t count = l->keys.count / width_of(l);
  dv_array_resize(&l->places, count);
  if (4 * count < points) return number_few(l, count);
  return dv_tuples_number(l->keys.data, count, (int)width_of(l), l->places.data) >= 0;
}

// looks for parts of new elements in the mesh; those that it lacks are missing
static void resolve(Finder *f, Listed *l)
{
  dvNumbers *missing = &f->out->missing[l->kind];
  size_t width = width_of(l);
  for (size_t i = 0; i < l->fresh; i++) {
    if ((size_t)l->places.data[i] < l->different) continue;
    const int32_t *points = l->points.data + i * width;
    int32_t there = dv_mesh_find(f->mesh, l->kind, points);
    dv_push(&l->numbers, there >= 0 ? there : -1 - (int32_t)(missing->count / width));
    for (size_t k = 0; k < width && there < 0; k++) dv_push(missing, points[k]);
    l->different++;
  }
}

// the others: of elements that go
static void resolve_leaving(Finder *f, Listed *l)
{
  size_t width = width_of(l);
  for (size_t i = l->fresh; i < l->places.count; i++) {
    if ((size_t)l->places.data[i] < l->numbers.count) continue;
    int32_t there = dv_mesh_find(f->mesh, l->kind, l->points.data + i * width);
    if (there >= 0) dv_push(&f->out->leaving[l->kind], there);
    dv_push(&l->numbers, there);
  }
}

static dvStatus settle(Finder *f, Listed *l)
{
  if (!number(l, dv_topology_point_count(f->mesh)))
    return dv_error(&f->mesh->base, "use a coarser mesh", "out of memory for the %s", dv_element_name(l->kind));
  resolve(f, l);
  resolve_leaving(f, l);
  return DV_OK;
}

static const int32_t *corners_of(const Finder *f, int32_t element)
{
  return dv_topology_list(f->mesh, f->kind)->data + (size_t)dv_element_points(f->kind) * (size_t)element;
}

// parts whose own parts, if they have any, are listed later
static dvStatus find_largest(Finder *f, const int32_t *elements, size_t count, const dvNumbers *gone)
{
  size_t width = (size_t)dv_element_points(f->kind);
  for (const dvElementParts *p = dv_element_parts(f->kind); p->count; p++) {
    Listed *l = &f->listed[p->kind];
    if (p->kind == DV_EDGE && dv_element_dimension(f->kind) == 3) continue;
    dv_reserve(&l->points, (count + gone->count) * (size_t)p->count * width_of(l));
    dv_reserve(&l->keys, (count + gone->count) * (size_t)p->count * width_of(l));
    for (size_t i = 0; i < count; i++) list_parts(l, p, elements + i * width);
    l->fresh = l->keys.count / width_of(l);
    for (size_t i = 0; i < gone->count; i++) list_parts(l, p, corners_of(f, gone->data[i]));
    DV_TRY(settle(f, l));
  }
  return DV_OK;
}

// Edges of volumes come with the faces that are missing, at their first appearance; where a face is in the mesh, those
// of the volume are looked at too, since whoever has made the face may have left its edges out.
static void list_edges(Finder *f, const int32_t *element, size_t at, size_t seen[DV_QUAD + 1])
{
  const dvElementParts *p = dv_element_parts(f->kind);
  Listed *edges = &f->listed[DV_EDGE];
  bool known = true;
  for (; p->kind != DV_EDGE; p++) {
    const Listed *l = &f->listed[p->kind];
    for (size_t i = at * (size_t)p->count; i < (at + 1) * (size_t)p->count; i++) {
      size_t place = (size_t)l->places.data[i];
      bool missing = l->numbers.data[place] < 0;
      if (place == seen[p->kind] && missing)
        list_parts(edges, dv_element_parts(p->kind), l->points.data + i * width_of(l));
      seen[p->kind] += place == seen[p->kind];
      known = known && missing;
    }
  }
  if (!known) list_parts(edges, p, element);
}

static dvStatus find_edges(Finder *f, const int32_t *elements, size_t count, const dvNumbers *gone)
{
  size_t seen[DV_QUAD + 1] = {0}, width = (size_t)dv_element_points(f->kind);
  const dvElementParts *p = dv_element_parts(f->kind);
  Listed *l = &f->listed[DV_EDGE];
  while (p->kind != DV_EDGE) p++;
  for (size_t i = 0; i < count; i++) list_edges(f, elements + i * width, i, seen);
  l->fresh = l->keys.count / 2;
  for (size_t i = 0; i < gone->count; i++) list_parts(l, p, corners_of(f, gone->data[i]));
  return settle(f, l);
}

static void take_largest(Finder *f, size_t count, size_t gone)
{
  const dvElementParts *p = dv_element_parts(f->kind);
  const Listed *l = &f->listed[p->kind];
  size_t each = (size_t)p->count;
  int32_t before = (int32_t)dv_topology_count(f->mesh, p->kind);
  dv_reserve(&f->out->largest, count * each);
  dv_reserve(&f->out->going, gone * each);
  for (size_t i = 0; i < count * each; i++) {
    int32_t there = l->numbers.data[l->places.data[i]];
    dv_push(&f->out->largest, there >= 0 ? there : before - 1 - there);
  }
  for (size_t i = gone; i-- > 0;)
    for (size_t k = 0; k < each; k++) {
      int32_t place = l->places.data[l->fresh + i * each + k];
      dv_push(&f->out->going, (size_t)place < l->different ? -1 : l->numbers.data[place]);
    }
}

dvStatus dv_new_parts_find(dvNewParts *out, dvTopology *t, dvElementKind kind, const int32_t *elements, size_t count,
                           const dvNumbers *gone)
{
  Finder f = {.mesh = t, .kind = kind, .out = out};
  dvStatus status = DV_OK;
  for (dvElementKind k = DV_EDGE; k <= DV_QUAD; k++) f.listed[k].kind = k;
  if (dv_element_dimension(kind) > 1) {
    status = find_largest(&f, elements, count, gone);
    if (status == DV_OK && dv_element_dimension(kind) == 3) status = find_edges(&f, elements, count, gone);
    if (status == DV_OK) take_largest(&f, count, gone->count);
  }
  for (dvElementKind k = DV_EDGE; k <= DV_QUAD; k++) {
    Listed *l = &f.listed[k];
    dv_array_free(&l->points), dv_array_free(&l->keys), dv_array_free(&l->places), dv_array_free(&l->numbers);
  }
  return status;
}

void dv_new_parts_free(dvNewParts *p)
{
  for (dvElementKind k = DV_EDGE; k <= DV_QUAD; k++) {
    dv_array_free(&p->missing[k]);
    dv_array_free(&p->leaving[k]);
  }
  dv_array_free(&p->largest);
  dv_array_free(&p->going);
}
