// The container: what follows from what was given, in which order, who sees it, and what is refused.
#include "topology/report.h"

#define TETRAHEDRON "position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'"
#define HEXAHEDRON "position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' hexahedra='0 1 2 3 4 5 6 7'"

static void derives_parts_of_a_tetrahedron(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><MeshTopology name='t' " TETRAHEDRON "/></Node>");
  dvTopology *t = report_topology(&r, "t");
  check_elements(t, DV_EDGE, "0 1, 0 2, 0 3, 1 2, 1 3, 2 3");
  check_elements(t, DV_TRIANGLE, "1 2 3, 0 3 2, 0 1 3, 0 2 1");
  check_elements(t, DV_QUAD, "");
  assert_int_equal(dv_topology_point_count(t), 4);
  assert_int_equal(dv_topology_given(t, DV_EDGE)->count, 0);
  assert_int_equal(dv_topology_given(t, DV_TETRAHEDRON)->count, 4);
  assert_int_equal(dv_topology_largest(t), DV_TETRAHEDRON);
  report_end(&r);
}

static void derives_parts_of_a_hexahedron(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><HexahedronSetTopologyContainer name='t' " HEXAHEDRON "/></Node>");
  dvTopology *t = report_topology(&r, "t");
  check_elements(t, DV_EDGE, "0 1, 0 3, 0 4, 1 2, 1 5, 2 3, 2 6, 3 7, 4 5, 4 7, 5 6, 6 7");
  check_elements(t, DV_QUAD, "0 3 2 1, 4 5 6 7, 0 1 5 4, 1 2 6 5, 2 3 7 6, 0 4 7 3");
  check_elements(t, DV_TRIANGLE, "");
  report_end(&r);
}

// a ball of two tetrahedra: 5 points - 9 edges + 7 triangles - 2 cells = 1
static void shares_faces(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><TetrahedronSetTopologyContainer name='t' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
                  "tetrahedra='0 1 2 3 1 2 3 4'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  assert_int_equal(dv_topology_count(t, DV_EDGE), 9);
  assert_int_equal(dv_topology_count(t, DV_TRIANGLE), 7);
  const dvIncidence *around = dv_topology_around(t, DV_TRIANGLE, DV_TETRAHEDRON);
  assert_int_equal(around->offsets[1] - around->offsets[0], 2);
  assert_int_equal(around->items[0], 0);
  assert_int_equal(around->items[1], 1);
  report_end(&r);
}

// the second tetrahedron is inside out: MeshTopology lists the common face twice, the others do not
static void counts_faces_of_turned_elements(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r,
              "<Node><MeshTopology name='m' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 2 1 3 4'/>"
              "<TetrahedronSetTopologyContainer name='t' position='@m.position' tetrahedra='@m.tetrahedra'/></Node>");
  assert_int_equal(dv_topology_count(report_topology(&r, "m"), DV_TRIANGLE), 8);
  assert_int_equal(dv_topology_count(report_topology(&r, "t"), DV_TRIANGLE), 7);
  report_end(&r);
}

static void derives_edges_of_surfaces(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><MeshTopology name='t' triangles='2 1 0 1 2 3' quads='3 2 4 5'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  // those of triangles run as in the first triangle, those of quads from the smaller to the larger
  check_elements(t, DV_EDGE, "1 0, 0 2, 2 1, 2 3, 3 1, 2 4, 4 5, 3 5");
  assert_int_equal(dv_topology_point_count(t), 6);
  report_end(&r);
}

static void keeps_what_is_given(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><MeshTopology name='t' edges='3 0' " TETRAHEDRON "/></Node>");
  check_elements(report_topology(&r, "t"), DV_EDGE, "3 0");
  check_elements(report_topology(&r, "t"), DV_TRIANGLE, "1 2 3, 0 3 2, 0 1 3, 0 2 1");
  report_end(&r);
}

static void shows_derived_elements_through_links(void **state)
{
  DV_UNUSED(state);
  Report r;
  // the one that follows stands first: the value is made when it asks
  report_good(&r, "<Node><EdgeSetTopologyContainer name='e' position='@t.position' edges='@t.edges'/><MeshTopology "
                  "name='t' " TETRAHEDRON "/></Node>");
  check_elements(report_topology(&r, "e"), DV_EDGE, "0 1, 0 2, 0 3, 1 2, 1 3, 2 3");
  assert_int_equal(dv_topology_given(report_topology(&r, "t"), DV_EDGE)->count, 0);
  report_end(&r);
}

static void takes_only_its_own_kinds(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><MeshTopology name='m' triangles='0 1 2' " TETRAHEDRON
                  "/><TriangleSetTopologyContainer name='t' src='@m'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  check_elements(t, DV_TRIANGLE, "0 1 2");
  check_elements(t, DV_EDGE, "0 1, 0 2, 0 3, 1 2, 1 3, 2 3");   // handed over by src
  check_elements(t, DV_TETRAHEDRON, "");
  assert_null(dv_object_field(&t->base, "tetrahedra"));
  report_end(&r);
}

static void gives_points_before_it_is_initialised(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><MechanicalObject name='s'/><RegularGridTopology n='2 3 4'/></Node>");
  const dvReals *x = dv_object_field(report_find(&r, "s"), "position")->value;
  assert_int_equal(dv_reals_size(x), 24);
  report_end(&r);
}

static void notices_changes(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(
      &r, "<Node><TriangleSetTopologyContainer name='t' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  assert_int_equal(dv_topology_count(t, DV_EDGE), 3);
  unsigned before = t->revision;
  assert_int_equal(dv_object_set(&t->base, "triangles", "0 1 2 1 3 2"), DV_OK);
  assert_int_equal(dv_topology_count(t, DV_EDGE), 5);
  assert_int_not_equal(t->revision, before);
  const dvIncidence *around = dv_topology_around_point(t, DV_TRIANGLE);
  assert_int_equal(around->offsets[2] - around->offsets[1], 2);
  // memory is only taken when something changed
  int32_t *items = around->items;
  assert_ptr_equal(dv_topology_around_point(t, DV_TRIANGLE)->items, items);
  report_end(&r);
}

static void numbers_neighbours(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><MeshTopology name='t' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 1 3 2' "
                  "computeAllBuffers='1'/></Node>");
  dvTopology *t = report_topology(&r, "t");
  check_elements(t, DV_EDGE, "1 2, 2 0, 0 1, 3 2, 1 3");
  check_ints(dv_topology_parts(t, DV_EDGE, DV_TRIANGLE), "0 1 2, 3 0 4");   // edge i lies opposite to corner i
  const dvIncidence *around = dv_topology_around(t, DV_EDGE, DV_TRIANGLE);
  assert_int_equal(around->count, 5);
  assert_int_equal(around->offsets[1], 2);
  assert_int_equal(around->items[0], 0);   // runs along the edge 1 2
  assert_int_equal(around->items[1], 1);
  assert_null(dv_topology_parts(t, DV_QUAD, DV_TETRAHEDRON));
  report_end(&r);
}

static void puts_triangles_along_an_edge_first(void **state)
{
  DV_UNUSED(state);
  Report r;
  // three triangles at the edge 0 1: the first against it, the others along it
  report_good(&r, "<Node><MeshTopology name='t' edges='0 1' triangles='1 0 2 0 1 3 0 1 4'/></Node>");
  const dvIncidence *around = dv_topology_around(report_topology(&r, "t"), DV_EDGE, DV_TRIANGLE);
  assert_int_equal(around->offsets[1], 3);
  assert_int_equal(around->items[0], 2);
  assert_int_equal(around->items[1], 1);
  assert_int_equal(around->items[2], 0);
  report_end(&r);
}

static void refuses_bad_indices(void **state)
{
  DV_UNUSED(state);
  static const Refusal cases[] = {
      {"<Node>\n<MeshTopology position='0 0 0 1 0 0' edges='0 1 1 2'/></Node>",
       "test.scn:2 edges: element 1 names point 2, but there are 2 points"},
      {"<Node><MeshTopology triangles='0 1 -1'/></Node>", "triangles: element 0 names point -1"},
      {"<Node><MeshTopology edges='0 2000000000'/></Node>",
       "edges: element 0 names point 2000000000, more than can be simulated"},
      {"<Node><PointSetTopologyContainer nbPoints='-3'/></Node>", "nbPoints -3 is negative"},
      {"<Node><PointSetTopologyContainer nbPoints='100000000'/></Node>", "100000000 points are more than"},
  };
  report_refused(cases, DV_COUNT(cases));
}

static void hides_bad_elements(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_start(&r, "<Node><TriangleSetTopologyContainer name='t' position='0 0 0' triangles='0 5 6'/></Node>");
  assert_int_equal(dv_topology_elements(report_topology(&r, "t"), DV_TRIANGLE)->count, 0);
  assert_int_equal(dv_topology_elements(report_topology(&r, "t"), DV_EDGE)->count, 0);
  assert_int_equal(dv_topology_point_count(report_topology(&r, "t")), 0);
  report_end(&r);
}

static void counts_points(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r,
              "<Node><EdgeSetTopologyContainer name='a' edges='0 7'/><PointSetTopologyContainer name='b' nbPoints='5'/>"
              "<PointSetTopologyContainer name='c' points='0 0 0 1 1 1'/></Node>");
  assert_int_equal(dv_topology_point_count(report_topology(&r, "a")), 8);
  assert_int_equal(dv_topology_point_count(report_topology(&r, "b")), 5);
  assert_int_equal(dv_topology_point_count(report_topology(&r, "c")), 2);
  assert_int_equal(*(int32_t *)dv_object_field(report_find(&r, "c"), "nbPoints")->value, 2);
  report_end(&r);
}

static void looks_for_flaws(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><TriangleSetTopologyContainer checkTopology='1' checkConnexity='1' triangles='0 1 2 3 4 5 4 4 "
                  "5 2 0 1'/></Node>");
  report_says(&r, "the triangles fall into 2 pieces");
  report_says(&r, "1 of the triangles name a point twice, first number 2");
  report_says(&r, "1 of the triangles are there already, first number 3");
  report_end(&r);
}

static void turns_triangles_the_same_way(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r,
              "<Node><TriangleSetTopologyContainer name='t' position='0 0 0 1 0 0 0 1 0 1 1 0 2 0 0 2 1 0 3 0 0 3 1 0' "
              "triangles='0 1 2 1 2 3 1 4 3 3 5 4'/>"
              "<TriangleSetGeometryAlgorithms template='Vec3' recomputeTrianglesOrientation='1'/></Node>");
  check_elements(report_topology(&r, "t"), DV_TRIANGLE, "0 1 2, 1 3 2, 1 4 3, 3 4 5");
  report_end(&r);
}

static void companions_find_their_container(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r,
              "<Node><Node name='n'><TetrahedronSetTopologyContainer " TETRAHEDRON "/><TetrahedronSetTopologyModifier/>"
              "<TetrahedronSetGeometryAlgorithms template='Vec3'/><TetrahedronSetTopologyAlgorithms "
              "template='Vec3'/></Node></Node>");
  assert_null(r.messages.text);
  report_end(&r);
  report_good(&r, "<Node><TetrahedronSetTopologyModifier/></Node>");
  report_says(&r, "finds no topology that it could change");
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derives_parts_of_a_tetrahedron),
      cmocka_unit_test(derives_parts_of_a_hexahedron),
      cmocka_unit_test(shares_faces),
      cmocka_unit_test(counts_faces_of_turned_elements),
      cmocka_unit_test(derives_edges_of_surfaces),
      cmocka_unit_test(keeps_what_is_given),
      cmocka_unit_test(shows_derived_elements_through_links),
      cmocka_unit_test(takes_only_its_own_kinds),
      cmocka_unit_test(gives_points_before_it_is_initialised),
      cmocka_unit_test(notices_changes),
      cmocka_unit_test(numbers_neighbours),
      cmocka_unit_test(puts_triangles_along_an_edge_first),
      cmocka_unit_test(refuses_bad_indices),
      cmocka_unit_test(hides_bad_elements),
      cmocka_unit_test(counts_points),
      cmocka_unit_test(looks_for_flaws),
      cmocka_unit_test(turns_triangles_the_same_way),
      cmocka_unit_test(companions_find_their_container),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
