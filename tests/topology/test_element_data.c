// Per-element data through additions, removals and renumbering. Every element and point carries an identity that the
// component's arrays know as well; after each change all of them must still tell the same story.
#include "topology/report.h"

#include "support/scene.h"
#include "topology/change/element_data.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct Cell {
  int id;
  int corners[4];   // identities of its points
} Cell;

typedef struct Component {
  dvTopology *topology;
  dvElementData points, cells;
  dvElementList some, pairs;
  DV_ARRAY(int) point_id;
  DV_ARRAY(Cell) cell;
  dvReals weight;    // one for each cell
  dvReals uniform;   // one for all
  dvInts chosen;     // some cells, by number, and their identities
  DV_ARRAY(int) chosen_id;
  dvInts pair;   // pairs of points, and their identities
  DV_ARRAY(Cell) pair_id;
  dvWatcher watcher;
  int next_id, created, destroyed, accepted, dropped, ends;
} Component;

static void point_create(void *user, const dvNewElement *e)
{
  Component *c = user;
  assert_null(e->points);
  c->point_id.data[e->row] = c->next_id++;
}

static void cell_fill(Component *c, size_t row, const int32_t *points)
{
  c->cell.data[row].id = c->next_id++;
  for (int k = 0; k < 4; k++) c->cell.data[row].corners[k] = c->point_id.data[points[k]];
}

static void cell_create(void *user, const dvNewElement *e)
{
  Component *c = user;
  assert_int_equal(e->row, e->index);
  cell_fill(c, e->row, e->points);
  c->created++;
}

static void cell_destroy(void *user, size_t row)
{
  Component *c = user;   // the topology still has the element
  const dvInts *cells = dv_topology_elements(c->topology, DV_TETRAHEDRON);
  assert_true(row < c->cell.count && dv_ints_size(cells) > row);
  c->destroyed++;
}

static void some_create(void *user, const dvNewElement *e)
{
  Component *c = user;
  c->chosen_id.data[e->row] = c->cell.data[e->index].id;
  c->accepted++;
}

static void pair_destroy(void *user, size_t row)
{
  Component *c = user;
  assert_true(row < c->pair_id.count);
  c->dropped++;
}

static void count_end(dvWatcher *w, const dvChange *change)
{
  Component *c = (Component *)((char *)w - offsetof(Component, watcher));
  c->ends += change->what == DV_CHANGES_END;
}

static void component_init(Component *c, dvTopology *t)
{
  *c = (Component){.topology = t, .weight.width = 1, .uniform.width = 1, .chosen.width = 1, .pair.width = 2};
  size_t points = dv_topology_point_count(t), cells = dv_topology_count(t, DV_TETRAHEDRON);
  const dvInts *list = dv_topology_elements(t, DV_TETRAHEDRON);
  for (size_t i = 0; i < points; i++) dv_push(&c->point_id, c->next_id++);
  dv_array_resize(&c->cell, cells);
  for (size_t i = 0; i < cells; i++) cell_fill(c, i, list->data + 4 * i);
  DV_MUST(dv_reals_resize(&c->weight, cells));
  for (size_t i = 0; i < cells; i++) c->weight.data[i] = 1;
  DV_MUST(dv_reals_assign(&c->uniform, (const double[]){7}, 1));
  dv_element_data_init(&c->points, NULL, t, DV_POINT);
  c->points.user = c, c->points.create = point_create;
  assert_int_equal(dv_element_data_add_array(&c->points, &c->point_id), DV_OK);
  dv_element_data_init(&c->cells, NULL, t, DV_TETRAHEDRON);
  c->cells.user = c, c->cells.create = cell_create, c->cells.destroy = cell_destroy;
  c->watcher.notice = count_end;
  dv_topology_watch(t, &c->watcher);
  assert_int_equal(dv_element_data_add_array(&c->cells, &c->cell), DV_OK);
  assert_int_equal(dv_element_data_add_reals(&c->cells, &c->weight, false), DV_OK);
  assert_int_equal(dv_element_data_add_reals(&c->cells, &c->uniform, true), DV_OK);
  dvReals few = {.width = 1};
  assert_int_equal(dv_element_data_add_reals(&c->cells, &few, false), DV_ERROR_INPUT);
  // every third cell, the first of them twice
  DV_MUST(dv_ints_resize(&c->chosen, cells / 3 + 1));
  for (size_t i = 0; i < c->chosen.count; i++) {
    c->chosen.data[i] = i ? 3 * (int32_t)(i - 1) : 0;
    dv_push(&c->chosen_id, c->cell.data[c->chosen.data[i]].id);
  }
  dv_element_list_init(&c->some, NULL, t, DV_TETRAHEDRON, &c->chosen);
  c->some.user = c, c->some.heirs = true, c->some.create = some_create;
  assert_int_equal(dv_element_list_add_array(&c->some, &c->chosen_id), DV_OK);
  DV_MUST(dv_ints_resize(&c->pair, 2 * (points - 1)));
  for (size_t i = 0; i + 1 < points; i++) {
    c->pair.data[2 * i] = (int32_t)i, c->pair.data[2 * i + 1] = (int32_t)((i * 7 + 3) % points);
    dv_push(&c->pair_id,
            ((Cell){.corners = {c->point_id.data[c->pair.data[2 * i]], c->point_id.data[c->pair.data[2 * i + 1]]}}));
  }
  dv_element_list_init(&c->pairs, NULL, t, DV_POINT, &c->pair);
  c->pairs.user = c, c->pairs.destroy = pair_destroy;
  assert_int_equal(dv_element_list_add_array(&c->pairs, &c->pair_id), DV_OK);
}

static void component_fini(Component *c)
{
  dv_topology_unwatch(&c->watcher);
  dv_element_data_fini(&c->points);
  dv_element_data_fini(&c->cells);
  dv_element_list_fini(&c->some);
  dv_element_list_fini(&c->pairs);
  dv_array_free(&c->point_id);
  dv_array_free(&c->cell);
  dv_array_free(&c->chosen_id);
  dv_array_free(&c->pair_id);
  dv_reals_free(&c->weight);
  dv_reals_free(&c->uniform);
  dv_ints_free(&c->chosen);
  dv_ints_free(&c->pair);
}

static void check_chains(dvElementList *l)
{
  assert_true(dv_element_list_chain(l));
  size_t found = 0;
  for (size_t e = 0; e < l->first.count; e++)
    for (int32_t at = l->first.data[e]; at; at = l->next.data[at - 1], found++)
      assert_int_equal(l->list->data[at - 1], e);
  assert_int_equal(found, l->list->count);
}

static void check_story(Component *c)
{
  dvTopology *t = c->topology;
  const dvInts *cells = dv_topology_elements(t, DV_TETRAHEDRON);
  assert_int_equal(c->point_id.count, dv_topology_point_count(t));
  assert_int_equal(dv_reals_size(dv_topology_positions(t)), dv_topology_point_count(t));
  assert_int_equal(c->cell.count, dv_ints_size(cells));
  assert_int_equal(c->weight.count, c->cell.count);
  assert_int_equal(c->uniform.count, 1);
  for (size_t i = 0; i < cells->count; i++)
    assert_int_equal(c->point_id.data[cells->data[i]], c->cell.data[i / 4].corners[i % 4]);
  assert_int_equal(c->chosen.count, c->chosen_id.count);
  for (size_t i = 0; i < c->chosen.count; i++)
    assert_int_equal(c->cell.data[c->chosen.data[i]].id, c->chosen_id.data[i]);
  assert_int_equal(c->pair.count, 2 * c->pair_id.count);
  for (size_t i = 0; i < c->pair.count; i++)
    assert_int_equal(c->point_id.data[c->pair.data[i]], c->pair_id.data[i / 2].corners[i % 2]);
  check_chains(&c->some);
  check_chains(&c->pairs);
}

static dvTopology *start(Report *r, int n, const char *container)
{
  dvText text = {0};
  dv_text_printf(&text, "<Node><%s name='t' ", container);
  check_add_tetra_box(&text, (const int[3]){n, n, n}, 1);
  dv_text_add(&text, "/></Node>");
  report_good(r, text.text);
  dv_text_free(&text);
  return report_topology(r, "t");
}

// removes random cells, then the points that nothing uses any more
static void remove_some(dvTopology *t)
{
  size_t n = dv_topology_count(t, DV_TETRAHEDRON), wanted = n ? 1 + (size_t)rand() % dv_min_size(n, 9) : 0, count = 0;
  int32_t list[9];
  while (count < wanted) {
    int32_t e = rand() % (int32_t)n;
    size_t k = 0;
    while (k < count && list[k] != e) k++;
    if (k == count) list[count++] = e;
  }
  assert_int_equal(dv_topology_remove(t, DV_TETRAHEDRON, list, count), DV_OK);
  count = 0;
  for (size_t p = 0; p < dv_topology_point_count(t) && count < 9; p++) {
    bool used = false;
    for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
      used = used || dv_topology_first_at(t, k, (int32_t)p) >= 0;
    if (!used) list[count++] = (int32_t)p;
  }
  assert_int_equal(dv_topology_remove(t, DV_POINT, list, count), DV_OK);
}

// a point in the middle of a cell cuts it into four, each with a quarter of its weight
static void split_one(dvTopology *t)
{
  size_t n = dv_topology_count(t, DV_TETRAHEDRON);
  if (!n) return;
  int32_t e = rand() % (int32_t)n, corners[4], fresh[16], point_offsets[2] = {0, 4}, offsets[5] = {0, 1, 2, 3, 4},
          ancestors[4] = {e, e, e, e};
  const double quarter[4] = {0.25, 0.25, 0.25, 0.25};
  memcpy(corners, dv_topology_elements(t, DV_TETRAHEDRON)->data + 4 * (size_t)e, sizeof corners);
  int32_t middle = (int32_t)dv_topology_point_count(t);
  double sum = 0;
  for (int k = 0; k < 4; k++) sum += 0.25 * dv_topology_positions(t)->data[3 * (size_t)corners[k]];
  assert_int_equal(dv_topology_add_points(t, 1, NULL, (dvOrigin){point_offsets, corners, quarter}), DV_OK);
  check_close(dv_topology_positions(t)->data[3 * (size_t)middle], sum, 1e-12);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) fresh[4 * i + k] = k == i ? middle : corners[k];
  assert_int_equal(dv_topology_add(t, DV_TETRAHEDRON, fresh, 4, (dvOrigin){offsets, ancestors, quarter}), DV_OK);
  assert_int_equal(dv_topology_remove(t, DV_TETRAHEDRON, &e, 1), DV_OK);
}

static void shuffle(dvTopology *t, dvElementKind kind)
{
  size_t n = dv_topology_count(t, kind);
  int32_t *order = dv_alloc((n + 1) * sizeof *order);
  for (size_t i = 0; i < n; i++) order[i] = (int32_t)i;
  for (size_t i = n; i > 1; i--) {
    size_t k = (size_t)rand() % i;
    int32_t swap = order[k];
    order[k] = order[i - 1];
    order[i - 1] = swap;
  }
  assert_int_equal(dv_topology_renumber(t, kind, order), DV_OK);
  dv_free(order);
}

static double total(const dvReals *r)
{
  double sum = 0;
  for (size_t i = 0; i < r->count; i++) sum += r->data[i];
  return sum;
}

static void test_random_changes(void **state)
{
  DV_UNUSED(state);
  srand(5);
  Report r;
  dvTopology *t = start(&r, 4, "TetrahedronSetTopologyContainer");
  // an edge or triangle would hold its points: this container is one of tetrahedra alone
  Component c;
  component_init(&c, t);
  check_story(&c);
  int32_t *all = dv_alloc(10000 * sizeof *all);
  for (dvElementKind k = DV_EDGE; k <= DV_TRIANGLE; k++) {
    size_t n = dv_topology_count(t, k);
    for (size_t i = 0; i < n; i++) all[i] = (int32_t)i;
    assert_int_equal(dv_topology_remove(t, k, all, n), DV_OK);
    assert_int_equal(dv_topology_count(t, k), 0);
  }
  dv_free(all);
  for (int i = 0; i < 400; i++) {
    int what = rand() % 10;
    double weight = total(&c.weight);
    if (what < 5) {
      split_one(t);
      check_close(total(&c.weight), weight, 1e-12);
    } else if (what < 8) remove_some(t);
    else shuffle(t, what == 8 ? DV_POINT : DV_TETRAHEDRON);
    dv_topology_end_changes(t);
    check_story(&c);
  }
  assert_int_equal(c.ends, 400);
  assert_true(c.created > 500 && c.destroyed > 200 && c.accepted > 100 && c.dropped > 20);
  print_message("%d cells created, %d destroyed, %d entered the list, %d pairs dropped\n", c.created, c.destroyed,
                c.accepted, c.dropped);
  component_fini(&c);
  report_end(&r);
}

// the last element takes the number of a removed one
static void test_order_of_removal(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><EdgeSetTopologyContainer name='t' position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0' edges='0 1 "
                  "1 2 2 3 3 4 4 5'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  dvElementData d = {0};
  DV_ARRAY(int) values = {0};
  for (int i = 0; i < 5; i++) dv_push(&values, 10 * i);
  dv_element_data_init(&d, NULL, t, DV_EDGE);
  assert_int_equal(dv_element_data_add_array(&d, &values), DV_OK);
  assert_int_equal(dv_topology_remove(t, DV_EDGE, (const int32_t[]){0, 3}, 2),
                   DV_OK);   // 4 becomes 3, then 3 (formerly 4) becomes 0
  check_elements(t, DV_EDGE, "4 5, 1 2, 2 3");
  assert_int_equal(values.count, 3);
  assert_int_equal(values.data[0], 40);
  assert_int_equal(values.data[2], 20);
  assert_int_equal(dv_topology_remove(t, DV_POINT, (const int32_t[]){0}, 1), DV_OK);   // point 5 becomes 0
  check_elements(t, DV_EDGE, "4 0, 1 2, 2 3");
  check_close(dv_topology_positions(t)->data[0], 5, 0);
  dv_element_data_fini(&d);
  dv_array_free(&values);
  report_end(&r);
}

static void test_refusals(void **state)
{
  DV_UNUSED(state);
  Report r;
  dvTopology *t = start(&r, 1, "MeshTopology");
  const dvOrigin none = {0};
  assert_int_equal(dv_topology_remove(t, DV_POINT, (const int32_t[]){0}, 1), DV_ERROR_USAGE);
  report_says(&r, "it belongs to some of the edges");
  assert_int_equal(dv_topology_remove(t, DV_TETRAHEDRON, (const int32_t[]){5}, 1), DV_ERROR_USAGE);
  assert_int_equal(dv_topology_remove(t, DV_TETRAHEDRON, (const int32_t[]){1, 1}, 2), DV_ERROR_USAGE);
  assert_int_equal(dv_topology_add(t, DV_TRIANGLE, (const int32_t[]){0, 1, 8}, 1, none), DV_ERROR_USAGE);
  assert_int_equal(dv_topology_renumber(t, DV_TETRAHEDRON, (const int32_t[]){0, 1, 2, 3, 3}), DV_ERROR_USAGE);
  assert_int_equal(dv_topology_add_points(t, 1, NULL, (dvOrigin){(const int32_t[]){0, 1}, (const int32_t[]){99}, NULL}),
                   DV_ERROR_USAGE);
  assert_int_equal(dv_topology_count(t, DV_TETRAHEDRON), 5);
  assert_int_equal(dv_topology_point_count(t), 8);
  report_end(&r);
}

// the topology may go before those who watch it
static void test_either_may_go_first(void **state)
{
  DV_UNUSED(state);
  Report r;
  dvTopology *t = start(&r, 1, "MeshTopology");
  dvElementData d = {0};
  dv_element_data_init(&d, NULL, t, DV_POINT);
  report_end(&r);
  assert_null(d.watcher.topology);
  dv_element_data_fini(&d);
}

// a container that followed a loader keeps what it has, and fields that follow it see the change
static void test_links(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><GridMeshCreator name='l' resolution='3 3'/><MeshTopology name='t' src='@l'/>"
                  "<MeshTopology name='u' position='@t.position' triangles='@t.triangles'/></Node>");
  dvTopology *t = report_topology(&r, "t"), *u = report_topology(&r, "u");
  size_t before = dv_topology_count(u, DV_TRIANGLE);
  assert_int_equal(dv_topology_remove(t, DV_TRIANGLE, (const int32_t[]){2}, 1), DV_OK);
  assert_int_equal(dv_topology_count(t, DV_TRIANGLE), before - 1);
  assert_int_equal(dv_topology_count(u, DV_TRIANGLE), before - 1);
  assert_true(dv_topology_around_point(t, DV_TRIANGLE)->count == 9);
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_changes), cmocka_unit_test(test_order_of_removal),
                                     cmocka_unit_test(test_refusals), cmocka_unit_test(test_either_may_go_first),
                                     cmocka_unit_test(test_links)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
