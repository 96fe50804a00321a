// Splitting edges and triangles, and incisions: area and mass stay, the lips part, pieces fall apart where a cut goes
// from border to border.
#include "topology/report.h"

#include "state/state.h"
#include "topology/change/element_data.h"
#include "topology/change/incise.h"
#include "topology/geometry.h"

#include <math.h>
#include <unistd.h>

typedef struct Sheet {
  Report r;
  dvTopology *mesh;
  dvElementData cells;
  dvReals mass;
} Sheet;

static const double *positions(void *user) { return dv_topology_positions(((Sheet *)user)->mesh)->data; }

// 8 x 8 cells of two triangles over the unit square
static void start(Sheet *s)
{
  *s = (Sheet){.mass = {.width = 1}};
  report_good(&s->r, "<Node name=\"root\"><RegularGridTopology name=\"grid\" n=\"9 9 1\" min=\"0 0 0\" max=\"1 1 0\"/>"
                     "<TriangleSetTopologyContainer name=\"mesh\" position=\"@grid.position\" "
                     "triangles=\"@grid.triangles\"/></Node>");
  s->mesh = dv_topology(report_find(&s->r, "mesh"));
  size_t n = dv_topology_count(s->mesh, DV_TRIANGLE);
  assert_int_equal(n, 128);
  assert_true(dv_reals_resize(&s->mass, n));
  for (size_t i = 0; i < n; i++) dv_reals_edit(&s->mass)[i] = 1.0 / 128;
  dv_element_data_init(&s->cells, NULL, s->mesh, DV_TRIANGLE);
  assert_int_equal(dv_element_data_add_reals(&s->cells, &s->mass, false), DV_OK);
}

static void end(Sheet *s)
{
  dv_element_data_fini(&s->cells);
  dv_reals_free(&s->mass);
  report_end(&s->r);
}

static double area(Sheet *s, size_t i)
{
  const dvInts *list = dv_topology_elements(s->mesh, DV_TRIANGLE);
  return dv_element_measure(DV_TRIANGLE, positions(s), list->data + 3 * i);
}

// every triangle still has mass in proportion to its area, and both add up; every edge has one triangle or two
static void check_sheet(Sheet *s)
{
  double total = 0, mass = 0;
  size_t n = dv_topology_count(s->mesh, DV_TRIANGLE);
  assert_int_equal(s->mass.count, n);
  for (size_t i = 0; i < n; i++) {
    check_close(s->mass.data[i], area(s, i), 1e-12);
    total += area(s, i), mass += s->mass.data[i];
  }
  check_close(total, 1, 1e-12);
  check_close(mass, 1, 1e-12);
  const dvIncidence *around = dv_topology_around(s->mesh, DV_EDGE, DV_TRIANGLE);
  for (size_t i = 0; i < around->count; i++) {
    int32_t count = around->offsets[i + 1] - around->offsets[i];
    assert_true(count == 1 || count == 2);
  }
}

static size_t pieces(Sheet *s)
{
  size_t n = dv_topology_count(s->mesh, DV_TRIANGLE), found = 0;
  const dvInts *list = dv_topology_elements(s->mesh, DV_TRIANGLE);
  int *piece = dv_alloc((dv_topology_point_count(s->mesh) + 1) * sizeof *piece);
  for (size_t seed = 0; seed < n; seed++) {
    if (piece[list->data[3 * seed]]) continue;
    piece[list->data[3 * seed]] = (int)++found;
    for (bool grown = true; grown;) {
      grown = false;
      for (size_t i = 0; i < n; i++) {
        const int32_t *c = list->data + 3 * i;
        bool in = false, all = true;
        for (int k = 0; k < 3; k++) in = in || piece[c[k]] == (int)found, all = all && piece[c[k]] == (int)found;
        for (int k = 0; k < 3 && in && !all; k++) piece[c[k]] = (int)found, grown = true;
      }
    }
  }
  dv_free(piece);
  return found;
}

static size_t cut(Sheet *s, const double *corners, size_t count, double snap)
{
  size_t doubled = 0;
  dvIncision how = {&s->mesh->base, positions, s, snap, snap, 0, 0};
  assert_int_equal(dv_mesh_incise(s->mesh, &how, corners, NULL, count, &doubled), DV_OK);
  dv_topology_end_changes(s->mesh);
  check_sheet(s);
  return doubled;
}

static void splits_keep_area_and_mass(void **state)
{
  DV_UNUSED(state);
  Sheet s;
  start(&s);
  const int32_t *e = dv_topology_elements(s.mesh, DV_EDGE)->data;
  int32_t a = e[100], b = e[101];
  assert_int_equal(dv_mesh_split_edge(s.mesh, a, b, 0.25), 81);
  assert_int_equal(dv_mesh_split_triangle(s.mesh, 3, (double[]){0.2, 0.3, 0.5}), 82);
  check_sheet(&s);
  assert_int_equal(pieces(&s), 1);
  assert_int_equal(dv_mesh_split_edge(s.mesh, a, b, 0.5), -1);   // it is there no more
  report_says(&s.r, "there is no edge that could be split");
  assert_int_equal(dv_mesh_split_triangle(s.mesh, 100000, (double[]){0.2, 0.3, 0.5}), -1);
  report_says(&s.r, "it does not exist");
  end(&s);
}

// from border to border: two pieces; through points and along edges as well as across
static void a_cut_across_makes_two_pieces(void **state)
{
  DV_UNUSED(state);
  static const double ways[][9] = {{0, 0.31, 0, 0.52, 0.43, 0, 1, 0.37, 0},   // across
                                   {0, 0.5, 0, 0.5, 0.5, 0, 1, 0.5, 0},       // along edges
                                   {0, 0, 0, 0.5, 0.5, 0, 1, 1, 0},           // along diagonals, or across them
                                   {0, 1, 0, 0.5, 0.5, 0, 1, 0, 0},
                                   {0.3, 0, 0, 0.31, 0.6, 0, 0.29, 1, 0}};
  for (size_t i = 0; i < DV_COUNT(ways); i++)
    for (int snapped = 0; snapped < 3; snapped++) {
      Sheet s;
      start(&s);
      size_t doubled = cut(&s, ways[i], 3, (double[]){0, 0.1, 0.25}[snapped]);
      assert_true(doubled >= 9);
      assert_int_equal(pieces(&s), 2);
      end(&s);
    }
}

// inside the surface nothing falls off, and the ends stay closed; a second cut goes on where the first one ended
static void cuts_inside_stay_closed_at_their_ends(void **state)
{
  DV_UNUSED(state);
  Sheet s;
  start(&s);
  size_t before = dv_topology_point_count(s.mesh);
  size_t doubled = cut(&s, (double[]){0.2, 0.2, 0, 0.7, 0.2, 0}, 2, 0.1);
  assert_true(doubled >= 3);
  assert_true(dv_topology_point_count(s.mesh) > before);
  assert_int_equal(pieces(&s), 1);
  cut(&s, (double[]){0.7, 0.2, 0, 0.7, 0.7, 0}, 2, 0.1);
  cut(&s, (double[]){0.7, 0.7, 0, 0.2, 0.7, 0}, 2, 0.1);
  assert_int_equal(pieces(&s), 1);
  cut(&s, (double[]){0.2, 0.7, 0, 0.2, 0.2, 0}, 2, 0.1);
  assert_int_equal(pieces(&s), 2);
  end(&s);
}

static void a_miss_changes_nothing(void **state)
{
  DV_UNUSED(state);
  Sheet s;
  start(&s);
  dvIncision how = {&s.mesh->base, positions, &s, 0.1, 0.25, 0, 0};
  assert_int_equal(dv_mesh_incise(s.mesh, &how, (double[]){0.5, 0.5, 3, 0.7, 0.5, 3}, NULL, 2, NULL), DV_ERROR_USAGE);
  report_says(&s.r, "the incision misses mesh");
  assert_int_equal(dv_topology_count(s.mesh, DV_TRIANGLE), 128);
  end(&s);
}

static uint64_t seed = 7;
static double random_share(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 40) / (double)(1 << 24);
}

static void random_cuts_keep_area_and_mass(void **state)
{
  DV_UNUSED(state);
  for (int i = 0; i < 200; i++) {
    Sheet s;
    start(&s);
    for (int k = 0; k < 5; k++) {
      double way[6] = {random_share(), random_share(), 0, random_share(), random_share(), 0};
      cut(&s, way, 2, 0.3 * random_share());
    }
    end(&s);
  }
}

// in a scene, by a processor: the sheet hangs from its upper border and is cut in two while it moves
static void a_processor_cuts(void **state)
{
  DV_UNUSED(state);
  char *path = dv_format("/tmp/divan_incise_%d.txt", (int)getpid());
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("T= 0.02\n  INCISE= 2\n0 0.52 0 1 0.48 0\nT= 0.04\n  ADD= Cheese 1\n3\n  REMOVE= 2\n0 5000\n"
        "T= 9\n  REMUVE= 1\n3\n",
        f);
  fclose(f);
  char *text = dv_format(
      "<Node name=\"root\" dt=\"0.01\" gravity=\"0 -10 0\"><RegularGridTopology name=\"grid\" n=\"9 9 1\" min=\"0 0 "
      "0\" "
      "max=\"1 1 0\"/><Node name=\"n\"><EulerImplicitSolver/><CGLinearSolver iterations=\"50\" tolerance=\"1e-9\" "
      "threshold=\"1e-12\"/><TriangleSetTopologyContainer name=\"mesh\" position=\"@../grid.position\" "
      "triangles=\"@../grid.triangles\"/><TriangleSetTopologyModifier/><MechanicalObject name=\"dofs\"/>"
      "<DiagonalMass massDensity=\"1\"/><TriangularFEMForceField youngModulus=\"1000\" poissonRatio=\"0.3\"/>"
      "<BoxROI name=\"top\" box=\"-1 0.99 -1 2 1.1 1\"/><FixedProjectiveConstraint indices=\"@top.indices\"/>"
      "<TopologicalChangeProcessor filename=\"%s\"/></Node></Node>",
      path);
  Sheet s = {0};
  report_good(&s.r, text);
  s.mesh = dv_topology(report_find(&s.r, "n/mesh"));
  for (int i = 0; i < 50; i++) assert_int_equal(dv_scene_step(s.r.scene, 0.01), DV_OK);
  assert_int_equal(pieces(&s), 2);
  report_says(&s.r, "line 10 of");
  report_says(&s.r, "is ignored: 'REMUVE= 1'");
  report_says(&s.r, "'ADD= Cheese 1' is not understood");
  report_says(&s.r, "1 of the 2 triangles to remove do not exist");
  dvState *dofs = dv_state(report_find(&s.r, "n/dofs"));
  assert_int_equal(dofs->count, dv_topology_point_count(s.mesh));
  double lowest = 0;
  for (size_t i = 0; i < dofs->count; i++) lowest = fmin(lowest, dv_state_read(dofs, DV_X)[3 * i + 1]);
  assert_true(lowest < -0.5);   // the lower half falls: 1/2 g t^2
  remove(path);
  dv_free(path), dv_free(text);
  report_end(&s.r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splits_keep_area_and_mass),
      cmocka_unit_test(a_cut_across_makes_two_pieces),
      cmocka_unit_test(cuts_inside_stay_closed_at_their_ends),
      cmocka_unit_test(a_miss_changes_nothing),
      cmocka_unit_test(random_cuts_keep_area_and_mass),
      cmocka_unit_test(a_processor_cuts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
