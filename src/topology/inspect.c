// See inspect.h.
#include "topology/inspect.h"

#include "topology/derive.h"
#include "topology/geometry.h"
#include "topology/search/tuple_set.h"

#include <math.h>

static const double flat_limit = 1e-12;     // size, in powers of the longest side
static const double hanging_limit = 1e-9;   // distance from an edge, in its lengths

static void note(dvFlaw *f, size_t number)
{
  if (f->count++ == 0) f->first = number;
}

// elements of one dimension, numbered through: one kind behind the other
typedef struct Elements {
  dvElementKind kinds[4];
  const dvInts *lists[4];
  size_t first[5], corner[5];   // element and corner with which each list begins
  int count;
} Elements;

static int dimension_of(dvElementKind k) { return k == DV_POINT ? 0 : k == DV_EDGE ? 1 : k <= DV_QUAD ? 2 : 3; }

static Elements collect(dvTopology *t, int dimension)
{
  Elements e = {0};
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
    const dvInts *list = dimension_of(k) == dimension ? dv_topology_elements(t, k) : NULL;
    if (!list || !list->count) continue;
    e.kinds[e.count] = k;
    e.lists[e.count] = list;
    e.first[e.count + 1] = e.first[e.count] + dv_ints_size(list);
    e.corner[e.count + 1] = e.corner[e.count] + list->count;
    e.count++;
  }
  return e;
}

// --- single elements -----------------------------------------------------------------------------

static double longest_side(const double *x, const int32_t *e, int n)
{
  double longest = 0;
  for (int i = 1; i < n; i++) longest = dv_max(longest, dv_edge_length(x, (const int32_t[]){e[0], e[i]}));
  return longest;
}

static bool find_single_flaws(const Elements *e, const double *x, dvInspection *out)
{
  bool good = true;
  for (int l = 0; l < e->count; l++) {
    const dvInts *list = e->lists[l];
    dvElementKind kind = e->kinds[l];
    int width = list->width;
    dvTupleSet set;
    dv_tuple_set_init(&set, width);
    for (size_t i = 0; i < dv_ints_size(list); i++) {
      const int32_t *element = list->data + i * (size_t)width;
      size_t number = e->first[l] + i;
      int32_t key[DV_TUPLE_WIDTH];
      memcpy(key, element, (size_t)width * sizeof *key);
      dv_tuple_sort(key, width);
      bool twice = false, fresh = true;
      for (int k = 1; k < width; k++) twice = twice || key[k] == key[k - 1];
      if (twice) note(&out->pinched, number);
      if (dv_tuple_set_add(&set, key, &fresh) >= 0 && !fresh) note(&out->repeated, number);
      if (!x) continue;
      double longest = longest_side(x, element, width), size = dv_element_measure(kind, x, element);
      if (!(size > flat_limit * pow(longest, out->dimension))) note(&out->flat, number);
      else if (out->dimension == 3 && dv_element_signed_volume(kind, x, element) < 0) note(&out->inverted, number);
    }
    good = good && !set.failed;
    dv_tuple_set_free(&set);
  }
  return good;
}

// --- parts ---------------------------------------------------------------------------------------

// parts of one shape: the tables for each kind of element
typedef struct PartTable {
  dvElementKind kind;
  const int *table;
  int parts;
} PartTable;

static const int ends[2][1] = {{0}, {1}};
static const PartTable point_parts[] = {{DV_EDGE, ends[0], 2}};
static const PartTable edge_parts[] = {{DV_TRIANGLE, dv_edges_of_triangle[0], 3}, {DV_QUAD, dv_edges_of_quad[0], 4}};
static const PartTable triangle_parts[] = {{DV_TETRAHEDRON, dv_triangles_of_tetrahedron[0], 4},
                                           {DV_PRISM, dv_triangles_of_prism[0], 2},
                                           {DV_PYRAMID, dv_triangles_of_pyramid[0], 4}};
static const PartTable quad_parts[] = {{DV_HEXAHEDRON, dv_quads_of_hexahedron[0], 6},
                                       {DV_PRISM, dv_quads_of_prism[0], 3},
                                       {DV_PYRAMID, dv_quads_of_pyramid[0], 1}};

static const struct {
  int dimension, corners;
  const PartTable *tables;
  int count;
} shapes[] = {{1, 1, point_parts, 1}, {2, 2, edge_parts, 2}, {3, 3, triangle_parts, 3}, {3, 4, quad_parts, 3}};

// what is known while parts are gone through
typedef struct Search {
  const Elements *elements;
  dvInspection *out;
  int32_t *parent;            // union of corners of a point that hang together
  DV_ARRAY(int32_t) border;   // edges of the border, two points each
  size_t parts;               // of the shapes before this one
} Search;

static int32_t find_root(int32_t *parent, int32_t i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void join(int32_t *parent, int32_t a, int32_t b)
{
  a = find_root(parent, a), b = find_root(parent, b);
  parent[a < b ? b : a] = a < b ? a : b;
}

// which way a part runs: two neighbours see it in opposite ways
static bool runs_forward(const int32_t *v, int n)
{
  int first = 0;
  for (int i = 1; i < n; i++)
    if (v[i] < v[first]) first = i;
  return n == 2 ? v[0] < v[1] : v[(first + 1) % n] < v[(first + n - 1) % n];
}

// a part of an element: its points and where they stand among all corners
typedef struct Part {
  int32_t points[4], places[4];
} Part;

static Part part_at(const Elements *e, int l, const PartTable *table, size_t element, int part, int corners)
{
  Part p = {0};
  size_t width = (size_t)e->lists[l]->width;
  for (int k = 0; k < corners; k++) {
    size_t place = element * width + (size_t)table->table[part * corners + k];
    p.points[k] = e->lists[l]->data[place];
    p.places[k] = (int32_t)(e->corner[l] + place);
  }
  return p;
}

static void join_parts(Search *s, const Part *a, const Part *b, int corners)
{
  for (int i = 0; i < corners; i++)
    for (int k = 0; k < corners; k++)
      if (a->points[i] == b->points[k]) join(s->parent, a->places[i], b->places[k]);
}

static void note_border(Search *s, const Part *p, int corners)
{
  s->out->border++;
  for (int k = 0; k < corners && corners > 1; k++) {
    if (corners == 2 && k) break;
    dv_push(&s->border, p->points[k]);
    dv_push(&s->border, p->points[(k + 1) % corners]);
  }
}

// parts of one shape
static bool search_shape(Search *s, const PartTable *tables, int table_count, int corners)
{
  const Elements *e = s->elements;
  dvPartList lists[4];
  const PartTable *used[4];
  int of[4], count = 0;
  for (int l = 0; l < e->count; l++)
    for (int i = 0; i < table_count; i++) {
      if (tables[i].kind != e->kinds[l]) continue;
      used[count] = &tables[i];
      of[count] = l;
      lists[count++] = (dvPartList){e->lists[l]->data, dv_ints_size(e->lists[l]), e->lists[l]->width, tables[i].table,
                                    tables[i].parts};
    }
  if (!count) return true;
  int32_t *numbers,
      different = dv_parts_number(lists, count, corners, corners == 4 ? DV_PART_CYCLE : DV_PART_CORNERS, &numbers);
  if (different < 0) return false;
  struct {
    int32_t met;
    dvElementKind kind;
    Part first;
  } *seen = dv_try_alloc(((size_t)different + 1) * sizeof *seen);
  size_t p = 0;
  for (int c = 0; c < count && seen; c++)
    for (size_t i = 0; i < lists[c].count; i++)
      for (int j = 0; j < lists[c].parts; j++, p++) {
        Part part = part_at(e, of[c], used[c], i, j, corners);
        int32_t number = numbers[p], met = seen[number].met++;
        if (met == 0) seen[number].first = part, seen[number].kind = e->kinds[of[c]];
        else join_parts(s, &seen[number].first, &part, corners);
        bool numbered = e->kinds[of[c]] != DV_PRISM && seen[number].kind != DV_PRISM;   // prisms go either way
        if (met == 1 && corners > 1 && numbered &&
            runs_forward(part.points, corners) == runs_forward(seen[number].first.points, corners))
          note(&s->out->turned, s->parts + (size_t)number);
        if (met == 2) note(&s->out->crowded, s->parts + (size_t)number);
      }
  for (int32_t i = 0; i < different && seen; i++)
    if (seen[i].met == 1) note_border(s, &seen[i].first, corners);
  s->parts += (size_t)different;
  bool good = seen != NULL;
  dv_free(seen);
  dv_free(numbers);
  return good;
}

// points whose corners fall into several groups
static bool find_split_points(Search *s, size_t points)
{
  const Elements *e = s->elements;
  int32_t *group = dv_try_alloc((points + 1) * sizeof *group);   // root + 1 of the first corner
  bool *told = dv_try_alloc(points + 1);
  for (int l = 0; l < e->count && group && told; l++)
    for (size_t i = 0; i < e->lists[l]->count; i++) {
      int32_t point = e->lists[l]->data[i], root = find_root(s->parent, (int32_t)(e->corner[l] + i)) + 1;
      if (!group[point]) group[point] = root;
      else if (group[point] != root && !told[point]) {
        told[point] = true;
        note(&s->out->split, (size_t)point);
      }
    }
  bool good = group && told;
  dv_free(group);
  dv_free(told);
  return good;
}

// --- points inside of edges ----------------------------------------------------------------------

// points of the border in cells of space
typedef struct Cells {
  dvTupleSet set;
  DV_ARRAY(int32_t) first, next, point;
  double width;
} Cells;

static void cell_at(const Cells *c, dvVec3 p, int32_t out[3])
{
  const double place[3] = {p.x / c->width, p.y / c->width, p.z / c->width};
  for (int k = 0; k < 3; k++) out[k] = (int32_t)floor(dv_max(dv_min(place[k], 1e9), -1e9));
}

static void cells_add(Cells *c, int32_t point, dvVec3 p)
{
  int32_t key[3];
  bool fresh;
  cell_at(c, p, key);
  int32_t cell = dv_tuple_set_add(&c->set, key, &fresh);
  if (cell < 0) return;
  if (fresh) dv_push(&c->first, -1);
  dv_push(&c->next, c->first.data[cell]);
  dv_push(&c->point, point);
  c->first.data[cell] = (int32_t)c->point.count - 1;
}

static bool lies_inside(dvVec3 p, dvVec3 a, dvVec3 b)
{
  dvVec3 along = dv_vec3_sub(b, a), from = dv_vec3_sub(p, a);
  double length2 = dv_vec3_norm2(along), at = length2 > 0 ? dv_vec3_dot(from, along) / length2 : 0;
  if (!(at > hanging_limit && at < 1 - hanging_limit)) return false;
  return dv_vec3_norm2(dv_vec3_sub(from, dv_vec3_scale(along, at))) < hanging_limit * hanging_limit * length2;
}

static void look_along(const Cells *c, const double *x, const int32_t edge[2], bool *told, dvInspection *out)
{
  dvVec3 a = dv_point_at(x, edge[0]), b = dv_point_at(x, edge[1]);
  double steps = ceil(2 * dv_vec3_norm(dv_vec3_sub(b, a)) / c->width);
  if (!(steps >= 0 && steps < 1e6)) return;
  for (double s = 0; s <= steps; s++) {
    int32_t middle[3];
    cell_at(c, dv_vec3_add_scaled(a, dv_vec3_sub(b, a), steps > 0 ? s / steps : 0), middle);
    for (int n = 0; n < 27; n++) {
      const int32_t key[3] = {middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1};
      int32_t cell = dv_tuple_set_find(&c->set, key);
      for (int32_t i = cell < 0 ? -1 : c->first.data[cell]; i >= 0; i = c->next.data[i]) {
        int32_t p = c->point.data[i];
        if (p == edge[0] || p == edge[1] || told[p] || !lies_inside(dv_point_at(x, p), a, b)) continue;
        told[p] = true;
        note(&out->hanging, (size_t)p);
      }
    }
  }
}

static bool find_hanging(const Search *s, const double *x, size_t points)
{
  size_t edges = s->border.count / 2;
  bool *told = dv_try_alloc(points + 1);
  if (!told) return false;
  Cells c = {.width = 0};
  dv_tuple_set_init(&c.set, 3);
  for (size_t i = 0; i < edges; i++) c.width += dv_edge_length(x, s->border.data + 2 * i) / (double)edges;
  if (c.width > 0 && isfinite(c.width)) {
    for (size_t i = 0; i < s->border.count; i++) {
      int32_t p = s->border.data[i];
      if (!told[p]) cells_add(&c, p, dv_point_at(x, p));
      told[p] = true;
    }
    memset(told, 0, points);
    for (size_t i = 0; i < edges; i++) look_along(&c, x, s->border.data + 2 * i, told, s->out);
  }
  bool good = !c.set.failed;
  dv_tuple_set_free(&c.set);
  dv_array_free(&c.first);
  dv_array_free(&c.next);
  dv_array_free(&c.point);
  dv_free(told);
  return good;
}

// --- all -----------------------------------------------------------------------------------------

bool dv_topology_inspect(dvTopology *t, const double *x, dvInspection *out)
{
  *out = (dvInspection){.dimension = dimension_of(dv_topology_largest(t))};
  if (!out->dimension) return true;
  Elements e = collect(t, out->dimension);
  size_t points = dv_topology_point_count(t), corners = e.corner[e.count];
  out->elements = e.first[e.count];
  if (corners > INT32_MAX - 2 || !find_single_flaws(&e, x, out)) return false;
  Search s = {.elements = &e, .out = out, .parent = dv_try_alloc((corners + 1) * sizeof *s.parent)};
  bool good = s.parent != NULL;
  for (size_t i = 0; i < corners && good; i++) s.parent[i] = (int32_t)i;
  for (size_t i = 0; i < DV_COUNT(shapes) && good; i++)
    if (shapes[i].dimension == out->dimension)
      good = search_shape(&s, shapes[i].tables, shapes[i].count, shapes[i].corners);
  if (good && out->dimension > 1) good = find_split_points(&s, points);
  if (good && x) good = find_hanging(&s, x, points);
  dv_array_free(&s.border);
  dv_free(s.parent);
  return good;
}

bool dv_inspection_conformal(const dvInspection *i)
{
  return !i->pinched.count && !i->repeated.count && !i->hanging.count;
}
bool dv_inspection_manifold(const dvInspection *i)
{
  return dv_inspection_conformal(i) && !i->crowded.count && !i->split.count;
}

bool dv_inspection_report(const dvInspection *i, const dvObject *o, bool manifold)
{
  static const char *const elements[4] = {"points", "edges", "faces", "volumes"}, *const parts[4] = {"", "points",
                                                                                                     "edges", "faces"};
  const struct {
    dvFlaw flaw;
    bool wanted;
    const char *of, *what, *advice;
  } flaws[] = {
      {i->pinched, true, elements[i->dimension], "name a point twice", "remove them from the mesh"},
      {i->repeated, true, elements[i->dimension], "are there already", "remove them from the mesh"},
      {i->flat, true, elements[i->dimension], "have no size", "remove them, or move their points apart"},
      {i->inverted, true, elements[i->dimension], "are turned inside out", "swap two of their points"},
      {i->hanging, true, "points", "lie inside of an edge of other elements: the mesh is not conformal",
       "divide the elements beside them too"},
      {i->crowded, manifold, parts[i->dimension], "belong to more than two elements: the mesh is not manifold",
       "separate the sheets that meet there"},
      {i->split, manifold, "points", "join elements that do not hang together otherwise: the mesh is not manifold",
       "double these points"},
      {i->turned, manifold, parts[i->dimension], "lie between two elements that run the same way",
       "turn one of them, for surfaces with recomputeTrianglesOrientation=\"1\" of TriangleSetGeometryAlgorithms"}};
  bool found = false;
  for (size_t k = 0; k < DV_COUNT(flaws); k++) {
    if (!flaws[k].wanted || !flaws[k].flaw.count) continue;
    found = true;
    dv_warning(o, flaws[k].advice, "%zu %s %s; the first is number %zu", flaws[k].flaw.count, flaws[k].of,
               flaws[k].what, flaws[k].flaw.first);
  }
  return found;
}
