// Random changes of meshes of every kind, with topological mappings below them: after each of them everything is
// compared with what can be counted from the lists alone. The number of changes is 20,000 for each kind of element, or
// DIVAN_OPERATIONS:
//
//   DIVAN_OPERATIONS=1000000 build/tests/test_topology_modify      (six minutes of a processor)
#include "topology/report.h"

#include "support/scene.h"
#include "topology/change/element_data.h"
#include "topology/change/modify.h"
#include "topology/geometry.h"
#include "topology/mapping/mapping.h"

#include <math.h>
#include <stdlib.h>

// --- random numbers, the same in every run -------------------------------------------------------

static uint64_t seed = 1;

static size_t below(size_t n)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return n ? (size_t)(seed >> 33) % n : 0;
}

// --- observers -----------------------------------------------------------------------------------

typedef struct Cell {
  int id;
  int corners[8];   // identities of its points
} Cell;

typedef struct Watch {
  dvTopology *mesh;
  dvElementKind kind;
  dvElementData points, cells;
  dvElementList some;
  DV_ARRAY(int) point_id;
  DV_ARRAY(Cell) cell;
  dvReals weight;   // of each cell: those of the pieces add up
  dvInts chosen;    // some cells, and their identities
  DV_ARRAY(int) chosen_id;
  double total, volume;
  int next;
} Watch;

static void point_create(void *user, const dvNewElement *e)
{
  Watch *w = user;
  w->point_id.data[e->row] = w->next++;
}

static void cell_create(void *user, const dvNewElement *e)
{
  Watch *w = user;
  Cell *c = &w->cell.data[e->row];
  c->id = w->next++;
  for (int k = 0; k < dv_element_points(w->kind); k++) c->corners[k] = w->point_id.data[e->points[k]];
  if (e->ancestor_count) return;
  dv_reals_edit(&w->weight)[e->row] = 1;
  w->total += 1;
}

static void cell_destroy(void *user, size_t row)
{
  Watch *w = user;
  w->total -= w->weight.data[row];
}

static void chosen_create(void *user, const dvNewElement *e)
{
  Watch *w = user;
  w->chosen_id.data[e->row] = w->cell.data[e->index].id;
}

static double measure(Watch *w, int32_t element)
{
  const dvInts *list = dv_topology_elements(w->mesh, w->kind);
  return fabs(dv_element_measure(w->kind, dv_topology_positions(w->mesh)->data,
                                 list->data + (size_t)element * (size_t)list->width));
}

static void watch(Watch *w, dvTopology *mesh, dvElementKind kind)
{
  *w = (Watch){.mesh = mesh, .kind = kind, .weight = {.width = 1}, .chosen = {.width = 1}};
  size_t n = dv_topology_count(mesh, kind), points = dv_topology_point_count(mesh);
  const dvInts *list = dv_topology_elements(mesh, kind);
  for (size_t i = 0; i < points; i++) dv_push(&w->point_id, w->next++);
  assert_true(dv_reals_resize(&w->weight, n));
  for (size_t i = 0; i < n; i++) {
    Cell c = {.id = w->next++};
    for (int k = 0; k < list->width; k++)
      c.corners[k] = w->point_id.data[list->data[i * (size_t)list->width + (size_t)k]];
    dv_push(&w->cell, c);
    dv_reals_edit(&w->weight)[i] = 1;
    w->volume += measure(w, (int32_t)i);
    if (i % 3) continue;
    assert_true(dv_ints_resize(&w->chosen, w->chosen.count + 1));
    dv_ints_edit(&w->chosen)[w->chosen.count - 1] = (int32_t)i;
    dv_push(&w->chosen_id, c.id);
  }
  w->total = (double)n;
  dv_element_data_init(&w->points, NULL, mesh, DV_POINT);
  dv_element_data_init(&w->cells, NULL, mesh, kind);
  dv_element_list_init(&w->some, NULL, mesh, kind, &w->chosen);
  w->points.user = w->cells.user = w->some.user = w;
  w->points.create = point_create, w->cells.create = cell_create, w->cells.destroy = cell_destroy;
  w->some.heirs = true, w->some.create = chosen_create;
  assert_int_equal(dv_element_data_add_array(&w->points, &w->point_id), DV_OK);
  assert_int_equal(dv_element_data_add_array(&w->cells, &w->cell), DV_OK);
  assert_int_equal(dv_element_data_add_reals(&w->cells, &w->weight, false), DV_OK);
  assert_int_equal(dv_element_list_add_array(&w->some, &w->chosen_id), DV_OK);
}

static void unwatch(Watch *w)
{
  dv_element_data_fini(&w->points), dv_element_data_fini(&w->cells), dv_element_list_fini(&w->some);
  dv_array_free(&w->point_id), dv_array_free(&w->cell), dv_array_free(&w->chosen_id);
  dv_reals_free(&w->weight), dv_ints_free(&w->chosen);
}

// --- what must hold ------------------------------------------------------------------------------

// every part of every element is there, once, and every part has an element
static void check_parts(dvTopology *t, dvElementKind kind)
{
  const dvInts *list = dv_topology_elements(t, kind);
  size_t width = (size_t)list->width;
  for (const dvElementParts *p = dv_element_parts(kind); p->count; p++) {
    int corners = dv_element_points(p->kind);
    bool *seen = dv_alloc(dv_topology_count(t, p->kind) + 1);
    for (size_t i = 0; i < dv_ints_size(list); i++)
      for (int j = 0; j < p->count; j++) {
        int32_t part[4], found[2];
        for (int k = 0; k < corners; k++) part[k] = list->data[i * width + (size_t)p->table[j * corners + k]];
        assert_int_equal(dv_mesh_around(t, p->kind, part, (size_t)corners, found, 2), 1);
        seen[found[0]] = true;
      }
    for (size_t i = 0; i < dv_topology_count(t, p->kind); i++) assert_true(seen[i]);
    dv_free(seen);
  }
}

// neighbours around points, from the chains and from the lists
static void check_shells(dvTopology *t, dvElementKind kind)
{
  const dvInts *list = dv_topology_elements(t, kind);
  size_t width = (size_t)list->width, points = dv_topology_point_count(t), named = 0;
  for (size_t i = 0; i < list->count; i++) assert_true(list->data[i] >= 0 && (size_t)list->data[i] < points);
  for (size_t p = 0; p < points; p++)
    for (int32_t at = dv_topology_first_at(t, kind, (int32_t)p); at >= 0;
         at = dv_topology_next_at(t, kind, at), named++)
      assert_int_equal(list->data[at], p);
  assert_int_equal(named, list->count);
  const dvIncidence *around = dv_topology_around_point(t, kind);
  assert_int_equal(around->offsets[points], dv_ints_size(list) * width);
}

static void check_watch(Watch *w)
{
  const dvInts *list = dv_topology_elements(w->mesh, w->kind);
  size_t width = (size_t)list->width, n = dv_ints_size(list);
  double total = 0, volume = 0;
  assert_int_equal(w->cell.count, n);
  assert_int_equal(w->weight.count, n);
  assert_int_equal(w->point_id.count, dv_topology_point_count(w->mesh));
  assert_int_equal(dv_reals_size(dv_topology_positions(w->mesh)), w->point_id.count);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < width; k++)
      assert_int_equal(w->cell.data[i].corners[k], w->point_id.data[list->data[i * width + k]]);
    total += w->weight.data[i];
    volume += measure(w, (int32_t)i);
  }
  assert_true(fabs(total - w->total) <= 1e-9 * (1 + w->total));
  assert_true(fabs(volume - w->volume) <= 1e-9 * (1 + w->volume));
  assert_int_equal(w->chosen.count, w->chosen_id.count);
  for (size_t i = 0; i < w->chosen.count; i++)
    assert_int_equal(w->cell.data[w->chosen.data[i]].id, w->chosen_id.data[i]);
}

static bool same_points(const int32_t *a, const int32_t *b, int n)
{
  int same = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) same += a[i] == b[k];
  return same == n;
}

// the border is what one element alone has, and both maps say so
static void check_border(dvTopologyMapping *m, dvElementKind part, dvElementKind whole)
{
  const dvInts *parts = dv_topology_elements(m->from, part), *made = dv_topology_elements(m->to, part);
  size_t width = (size_t)parts->width, border = 0;
  assert_int_equal(dv_topology_point_count(m->from), dv_topology_point_count(m->to));
  assert_int_equal(dv_ints_size(made), m->sources.count);
  for (size_t i = 0; i < dv_ints_size(parts); i++) {
    int32_t around[2];
    bool alone = dv_mesh_around(m->from, whole, parts->data + i * width, width, around, 2) == 1;
    border += alone;
    if (m->live) assert_int_equal(m->places.data[i] >= 0, alone);
  }
  assert_int_equal(border, dv_ints_size(made));
  for (size_t i = 0; i < dv_ints_size(made); i++) {
    int32_t source = m->sources.data[i];
    assert_true(same_points(made->data + i * width, parts->data + width * (size_t)source, (int)width));
    if (m->live) assert_int_equal(m->places.data[source], i);
  }
  check_parts(m->to, part);
}

// each element is cut into its pieces
static void check_pieces(dvTopologyMapping *m, dvElementKind kind, dvElementKind piece)
{
  const dvInts *cells = dv_topology_elements(m->from, kind), *made = dv_topology_elements(m->to, piece);
  size_t corners = (size_t)made->width, width = (size_t)cells->width;
  assert_int_equal(dv_topology_point_count(m->from), dv_topology_point_count(m->to));
  assert_int_equal(dv_ints_size(made), m->sources.count);
  for (size_t i = 0; i < dv_ints_size(made); i++) {
    const int32_t *cell = cells->data + width * (size_t)m->sources.data[i];
    for (size_t k = 0; k < corners; k++) {
      size_t j = 0;
      while (j < width && cell[j] != made->data[i * corners + k]) j++;
      assert_true(j < width);
    }
  }
  for (size_t i = 0; m->live && i < m->places.count; i++)
    assert_int_equal(m->sources.data[m->places.data[i]], i / m->pieces);
  if (m->live) assert_int_equal(m->places.count, m->sources.count);
}

// --- meshes --------------------------------------------------------------------------------------

typedef struct Mesh {
  dvElementKind kind;
  const char *body;
} Mesh;

#define GRID(n, kind, container)                                                 \
  "<RegularGridTopology name=\"grid\" n=\"" n "\" min=\"0 0 0\" max=\"3 3 3\"/>" \
  "<Node name=\"n\"><" container " name=\"mesh\" position=\"@../grid.position\" " kind "=\"@../grid." kind "\"/>"
#define EDGES \
  "<Node name=\"e\"><EdgeSetTopologyContainer name=\"t\"/><Triangle2EdgeTopologicalMapping name=\"m\"/></Node>"
#define SKIN                                                                                                        \
  "<Node name=\"s\"><TriangleSetTopologyContainer name=\"t\"/><Tetra2TriangleTopologicalMapping name=\"m\"/>" EDGES \
  "</Node>"
#define HALVES                                                                                                     \
  "<Node name=\"h\"><TriangleSetTopologyContainer name=\"t\"/><Quad2TriangleTopologicalMapping name=\"m\"/>" EDGES \
  "</Node>"

static const Mesh meshes[] = {
    {DV_EDGE, GRID("4 4 1", "edges", "EdgeSetTopologyContainer") "</Node>"},
    {DV_TRIANGLE, GRID("4 4 1", "triangles", "TriangleSetTopologyContainer") EDGES "</Node>"},
    {DV_QUAD, GRID("5 5 1", "quads", "QuadSetTopologyContainer") HALVES "</Node>"},
    {DV_TETRAHEDRON, "<RegularGridTopology name=\"grid\" n=\"3 3 3\" min=\"0 0 0\" max=\"3 3 3\"/><Node name=\"k\">"
                     "<TetrahedronSetTopologyContainer name=\"c\" position=\"@../grid.position\"/>"
                     "<Hexa2TetraTopologicalMapping input=\"@../grid\" output=\"@c\"/></Node>"
                     "<Node name=\"n\"><TetrahedronSetTopologyContainer name=\"mesh\" position=\"@../grid.position\" "
                     "tetrahedra=\"@../k/c.tetrahedra\"/>" SKIN "</Node>"},
    {DV_HEXAHEDRON,
     GRID("4 4 3", "hexahedra",
          "HexahedronSetTopologyContainer") "<Node name=\"q\"><QuadSetTopologyContainer "
                                            "name=\"t\"/><Hexa2QuadTopologicalMapping name=\"m\"/>" HALVES
                                            "</Node><Node name=\"v\"><TetrahedronSetTopologyContainer name=\"t\"/>"
                                            "<Hexa2TetraTopologicalMapping name=\"m\"/>" SKIN "</Node></Node>"},
};

static dvTopologyMapping *mapping(Report *r, const char *path)
{
  return (dvTopologyMapping *)dv_link_find(&r->scene->root->base, path, DV_ROLE_ANY);
}

static void check_all(Report *r, Watch *w)
{
  check_watch(w);
  check_parts(w->mesh, w->kind);
  for (dvElementKind k = DV_EDGE; k <= w->kind; k++) check_shells(w->mesh, k);
  if (w->kind == DV_TRIANGLE) check_border(mapping(r, "n/e/m"), DV_EDGE, DV_TRIANGLE);
  if (w->kind == DV_QUAD) {
    check_pieces(mapping(r, "n/h/m"), DV_QUAD, DV_TRIANGLE);
    check_border(mapping(r, "n/h/e/m"), DV_EDGE, DV_TRIANGLE);
  }
  if (w->kind == DV_TETRAHEDRON) {
    check_border(mapping(r, "n/s/m"), DV_TRIANGLE, DV_TETRAHEDRON);
    check_border(mapping(r, "n/s/e/m"), DV_EDGE, DV_TRIANGLE);
  }
  if (w->kind == DV_HEXAHEDRON) {
    check_border(mapping(r, "n/q/m"), DV_QUAD, DV_HEXAHEDRON);
    check_pieces(mapping(r, "n/q/h/m"), DV_QUAD, DV_TRIANGLE);
    check_pieces(mapping(r, "n/v/m"), DV_HEXAHEDRON, DV_TETRAHEDRON);
    check_border(mapping(r, "n/v/s/m"), DV_TRIANGLE, DV_TETRAHEDRON);
  }
}

// --- operations ----------------------------------------------------------------------------------

static void remove_some(Watch *w, size_t count)
{
  int32_t list[8];
  size_t n = 0;
  while (n < count) {
    int32_t e = (int32_t)below(dv_topology_count(w->mesh, w->kind));
    bool again = false;
    for (size_t i = 0; i < n; i++) again = again || list[i] == e;
    if (!again) list[n++] = e;
  }
  for (size_t i = 0; i < n; i++) w->volume -= measure(w, list[i]);
  assert_int_equal(dv_mesh_remove(w->mesh, w->kind, list, n, DV_REMOVE_POINTS), DV_OK);
}

// a new element on a face (edge, point) that only one has, with new points beyond
static void grow(Watch *w)
{
  static const dvElementKind faces[] = {[DV_EDGE] = DV_POINT,
                                        [DV_TRIANGLE] = DV_EDGE,
                                        [DV_QUAD] = DV_EDGE,
                                        [DV_TETRAHEDRON] = DV_TRIANGLE,
                                        [DV_HEXAHEDRON] = DV_QUAD};
  dvElementKind face = faces[w->kind];
  size_t corners = (size_t)dv_element_points(face), fresh = (size_t)dv_element_points(w->kind) - corners;
  size_t number = below(dv_topology_count(w->mesh, face));
  int32_t element[8], around[2];
  if (face == DV_POINT) element[0] = (int32_t)number;
  else memcpy(element, dv_topology_elements(w->mesh, face)->data + number * corners, corners * sizeof *element);
  if (face != DV_POINT && dv_mesh_around(w->mesh, w->kind, element, corners, around, 2) != 1) return;
  size_t points = dv_topology_point_count(w->mesh);
  double x[12];
  for (size_t i = 0; i < 3 * fresh; i++) x[i] = (double)below(3000) / 1000;
  for (size_t i = 0; i < fresh; i++)
    element[corners + i] = (int32_t)(points + (w->kind == DV_QUAD ? fresh - 1 - i : i));
  assert_int_equal(dv_topology_add_points(w->mesh, fresh, x, (dvOrigin){0}), DV_OK);
  assert_int_equal(dv_mesh_add(w->mesh, w->kind, element, 1, (dvOrigin){0}), DV_OK);
  w->volume += measure(w, (int32_t)dv_topology_count(w->mesh, w->kind) - 1);
}

static void split(Watch *w)
{
  size_t width = (size_t)dv_element_points(w->kind);
  if (w->kind != DV_EDGE && w->kind != DV_TRIANGLE && w->kind != DV_TETRAHEDRON) return;
  int32_t e = (int32_t)below(dv_topology_count(w->mesh, w->kind)), corners[4], fresh[16], offsets[5] = {0, 1, 2, 3, 4},
          from[4] = {e, e, e, e}, point_offsets[2] = {0, (int32_t)width},
          middle = (int32_t)dv_topology_point_count(w->mesh);
  double share = 1.0 / (double)width, shares[4] = {share, share, share, share};
  memcpy(corners, dv_topology_elements(w->mesh, w->kind)->data + width * (size_t)e, width * sizeof *corners);
  assert_int_equal(dv_topology_add_points(w->mesh, 1, NULL, (dvOrigin){point_offsets, corners, shares}), DV_OK);
  for (size_t i = 0; i < width; i++)
    for (size_t k = 0; k < width; k++) fresh[width * i + k] = k == i ? middle : corners[k];
  double total = w->total;
  assert_int_equal(dv_mesh_add(w->mesh, w->kind, fresh, width, (dvOrigin){offsets, from, shares}), DV_OK);
  w->total = total + w->weight.data[e];   // until the parent goes
  assert_int_equal(dv_mesh_remove(w->mesh, w->kind, &e, 1, DV_REMOVE_POINTS), DV_OK);
}

static void shuffle(Watch *w)
{
  dvElementKind kind = below(2) ? w->kind : (dvElementKind)below(w->kind + 1);
  size_t n = dv_topology_count(w->mesh, kind);
  int32_t *order = dv_alloc((n + 1) * sizeof *order);
  for (size_t i = 0; i < n; i++) order[i] = (int32_t)i;
  for (size_t i = n; i > 1; i--) {
    size_t k = below(i);
    int32_t swap = order[k];
    order[k] = order[i - 1], order[i - 1] = swap;
  }
  assert_int_equal(dv_topology_renumber(w->mesh, kind, order), DV_OK);
  dv_free(order);
}

static void start(Report *r, const char *body)
{
  char *text = dv_format("<Node name=\"root\">%s</Node>", body);
  report_start(r, text);
  dv_free(text);
  if (r->status != DV_OK) print_error("%s", r->messages.text);
  assert_int_equal(r->status, DV_OK);
}

static void everything_holds_after_random_changes(void **state)
{
  DV_UNUSED(state);
  const char *wish = getenv("DIVAN_OPERATIONS");
  long operations = wish ? atol(wish) : 20000;
  for (size_t m = 0; m < DV_COUNT(meshes); m++) {
    Report r;
    Watch w;
    start(&r, meshes[m].body);
    watch(&w, dv_topology(dv_link_find(&r.scene->root->base, "n/mesh", DV_ROLE_TOPOLOGY)), meshes[m].kind);
    assert_true(dv_topology_count(w.mesh, w.kind) >= 12);
    for (long i = 0; i < operations; i++) {
      size_t n = dv_topology_count(w.mesh, w.kind), what = below(20);
      if (n < 8 || (what < 10 && n < 24)) grow(&w);
      else if (n > 36 || what < 12) remove_some(&w, 1 + below(4));
      else if (what < 18) split(&w);
      else shuffle(&w);
      if (i % 7 == 0) dv_topology_end_changes(w.mesh);
      check_all(&r, &w);
    }
    assert_int_equal(r.messages.length, 0);
    unwatch(&w);
    report_end(&r);
  }
}

// --- defined results -----------------------------------------------------------------------------

static void everything_can_be_removed(void **state)
{
  DV_UNUSED(state);
  for (size_t m = 0; m < DV_COUNT(meshes); m++) {
    Report r;
    Watch w;
    start(&r, meshes[m].body);
    watch(&w, dv_topology(dv_link_find(&r.scene->root->base, "n/mesh", DV_ROLE_TOPOLOGY)), meshes[m].kind);
    size_t n = dv_topology_count(w.mesh, w.kind);
    int32_t *all = dv_alloc(n * sizeof *all);
    for (size_t i = 0; i < n; i++) all[i] = (int32_t)i, w.volume -= measure(&w, (int32_t)i);
    assert_int_equal(dv_mesh_remove(w.mesh, w.kind, all, n, DV_REMOVE_POINTS), DV_OK);
    dv_topology_end_changes(w.mesh);
    dv_free(all);
    for (dvElementKind k = DV_POINT; k <= w.kind; k++) assert_int_equal(dv_topology_count(w.mesh, k), 0);
    check_all(&r, &w);
    unwatch(&w);
    report_end(&r);
  }
}

static void what_cannot_be_is_refused(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(&r, meshes[3].body);
  dvTopology *mesh = dv_topology(dv_link_find(&r.scene->root->base, "n/mesh", DV_ROLE_TOPOLOGY));
  dvTopology *skin = dv_topology(dv_link_find(&r.scene->root->base, "n/s/t", DV_ROLE_TOPOLOGY));
  size_t n = dv_topology_count(mesh, DV_TETRAHEDRON);
  const int32_t *first = dv_topology_elements(mesh, DV_TETRAHEDRON)->data;
  int32_t there[4] = {first[0], first[1], first[2], first[3]}, twice[4] = {0, 1, 1, 2}, beyond[4] = {0, 1, 2, 1000};
  assert_int_equal(dv_mesh_add(mesh, DV_TETRAHEDRON, there, 1, (dvOrigin){0}), DV_ERROR_USAGE);
  assert_int_equal(dv_mesh_add(mesh, DV_TETRAHEDRON, twice, 1, (dvOrigin){0}), DV_ERROR_USAGE);
  assert_int_equal(dv_mesh_add(mesh, DV_TETRAHEDRON, beyond, 1, (dvOrigin){0}), DV_ERROR_USAGE);
  assert_int_equal(dv_topology_count(mesh, DV_TETRAHEDRON), n);
  assert_non_null(strstr(r.messages.text, "is there already"));
  assert_non_null(strstr(r.messages.text, "has point 1 twice"));
  assert_non_null(strstr(r.messages.text, "names point 1000, but there are 27 points"));
  int32_t mixed[4] = {0, 5, 5, (int32_t)n};
  assert_int_equal(dv_mesh_remove(mesh, DV_TETRAHEDRON, mixed, 4, DV_REMOVE_POINTS), DV_OK);
  assert_int_equal(dv_topology_count(mesh, DV_TETRAHEDRON), n - 2);
  assert_non_null(strstr(r.messages.text, "1 of the 4 tetrahedra to remove do not exist"));
  assert_non_null(strstr(r.messages.text, "1 of the 4 tetrahedra to remove are named more than once"));
  assert_true(dv_mesh_may_change(mesh, &mesh->base));
  assert_false(dv_mesh_may_change(skin, &skin->base));
  assert_non_null(strstr(r.messages.text, "change mesh instead"));
  report_end(&r);
}

// points go where their ancestors say, in the topology and in the state; elements measure themselves anew
static void points_move(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(
      &r,
      "<TriangleSetTopologyContainer name=\"mesh\" position=\"0 0 0  1 0 0  0 1 0  1 1 0\" triangles=\"0 1 2  1 3 2\"/>"
      "<MechanicalObject name=\"dofs\" position=\"0 0 0  2 0 0  0 2 0  2 2 0\"/>");
  dvTopology *mesh = dv_topology(dv_link_find(&r.scene->root->base, "mesh", DV_ROLE_TOPOLOGY));
  dvObject *dofs = dv_link_find(&r.scene->root->base, "dofs", DV_ROLE_STATE);
  int32_t point = 0, offsets[2] = {0, 2}, ancestors[2] = {0, 3};
  double half[2] = {0.5, 0.5};
  assert_int_equal(dv_mesh_move_points(mesh, &point, 1, (dvOrigin){offsets, ancestors, half}), DV_OK);
  dv_topology_end_changes(mesh);
  check_close(dv_topology_positions(mesh)->data[0], 0.5, 0);
  check_close(dv_state_read(dv_state(dofs), DV_X)[1], 1, 0);
  point = 4;
  assert_int_equal(dv_mesh_move_points(mesh, &point, 1, (dvOrigin){offsets, ancestors, half}), DV_ERROR_USAGE);
  assert_non_null(strstr(r.messages.text, "number 4 cannot be moved: there are 4 points"));
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_can_be_removed),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(points_move),
      cmocka_unit_test(everything_holds_after_random_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
