// Topological mappings: elements, index maps and points against what can be counted and measured by hand, in any order
// of the components, and the messages for links that cannot work.
#include "report.h"

#include "topology/geometry.h"
#include "topology/mapping/mapping.h"

static dvTopology *topology(Report *r, const char *path)
{
  return dv_topology(dv_link_find(&r->scene->root->base, path, DV_ROLE_TOPOLOGY));
}

static dvTopologyMapping *mapping(Report *r, const char *path)
{
  return (dvTopologyMapping *)dv_link_find(&r->scene->root->base, path, DV_ROLE_ANY);
}

static double measure(dvTopology *t, dvElementKind kind, const double *x)
{
  const dvInts *elements = dv_topology_elements(t, kind);
  double sum = 0;
  for (size_t i = 0; i < dv_ints_size(elements); i++)
    sum += kind == DV_TETRAHEDRON ? dv_tetrahedron_signed_volume(x, elements->data + 4 * i)
                                  : dv_element_measure(kind, x, elements->data + i * (size_t)elements->width);
  return sum;
}

static void start(Report *r, const char *body)
{
  char *text = dv_format("<Node name=\"root\">%s</Node>", body);
  report_start(r, text);
  dv_free(text);
  if (r->status != DV_OK) print_error("%s", r->messages.text);
  assert_int_equal(r->status, DV_OK);
}

// six or five tetrahedra fill the box, none is inside out, and their border is the box's surface
static void tetrahedra_fill_the_box(void **state)
{
  DV_UNUSED(state);
  static const char *const ways[] = {"", "swapping=\"1\"", "pieces=\"5\""};
  for (int w = 0; w < 3; w++) {
    char *body =
        dv_format("<RegularGridTopology name=\"grid\" n=\"4 3 3\" min=\"0 0 0\" max=\"3 2 2\"/>"
                  "<Node name=\"skin\"><Tetra2TriangleTopologicalMapping input=\"@../cells\" output=\"@border\"/>"
                  "<TriangleSetTopologyContainer name=\"border\"/></Node>"
                  "<Hexa2TetraTopologicalMapping name=\"cut\" input=\"@grid\" output=\"@cells\" %s/>"
                  "<TetrahedronSetTopologyContainer name=\"cells\"/>",
                  ways[w]);
    Report r;
    start(&r, body);
    dv_free(body);
    dvTopology *grid = topology(&r, "grid"), *cells = topology(&r, "cells"), *border = topology(&r, "skin/border");
    const double *x = dv_topology_positions(grid)->data;
    size_t pieces = w == 2 ? 5 : 6;
    assert_int_equal(dv_topology_count(cells, DV_TETRAHEDRON), 12 * pieces);
    assert_int_equal(dv_topology_point_count(cells), 36);
    const dvInts *tetrahedra = dv_topology_elements(cells, DV_TETRAHEDRON);
    for (size_t i = 0; i < 12 * pieces; i++) assert_true(dv_tetrahedron_signed_volume(x, tetrahedra->data + 4 * i) > 0);
    check_close(measure(cells, DV_TETRAHEDRON, x), 12, 1e-12);
    check_close(measure(border, DV_TRIANGLE, x), 2 * (6 + 6 + 4), 1e-12);
    const dvIncidence *made = dv_topology_mapping_made(mapping(&r, "cut"));
    assert_int_equal(made->count, 12);
    for (size_t c = 0; c < 12; c++)
      for (int32_t k = made->offsets[c]; k < made->offsets[c + 1]; k++) {
        assert_int_equal(made->offsets[c + 1] - made->offsets[c], pieces);
        assert_int_equal(mapping(&r, "cut")->sources.data[made->items[k]], c);
      }
    report_end(&r);
  }
}

static void quads_triangles_and_edges_of_the_border(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(&r, "<RegularGridTopology name=\"grid\" n=\"3 3 3\" min=\"0 0 0\" max=\"2 2 2\"/>"
            "<HexahedronSetTopologyContainer name=\"hexas\" hexahedra=\"@grid.hexahedra\"/>"
            "<QuadSetTopologyContainer name=\"quads\"/><Hexa2QuadTopologicalMapping object1=\"hexas\" "
            "object2=\"quads\" flipNormals=\"1\"/>"
            "<TriangleSetTopologyContainer name=\"triangles\"/><Quad2TriangleTopologicalMapping input=\"@quads\" "
            "output=\"@triangles\"/>"
            "<Node name=\"hem\"><EdgeSetTopologyContainer name=\"edges\"/>"
            "<Triangle2EdgeTopologicalMapping input=\"@../sheet\" output=\"@edges\"/></Node>"
            "<MeshTopology name=\"sheet\" triangles=\"0 1 2 0 2 3\"/>"
            "<MeshTopology name=\"prisms\"/><Hexa2PrismTopologicalMapping input=\"@grid\" output=\"@prisms\"/>");
  const double *x = dv_topology_positions(topology(&r, "grid"))->data;
  check_close(measure(topology(&r, "quads"), DV_QUAD, x), 24, 1e-12);
  check_close(measure(topology(&r, "triangles"), DV_TRIANGLE, x), 24, 1e-12);
  check_close(measure(topology(&r, "prisms"), DV_PRISM, x), 8, 1e-12);
  const dvInts *quads = dv_topology_elements(topology(&r, "quads"), DV_QUAD);
  dvVec3 centre = {1, 1, 1};
  for (size_t i = 0; i < dv_ints_size(quads); i++) {   // flipped: they look inwards
    dvVec3 out = dv_vec3_sub(dv_element_centre(DV_QUAD, x, quads->data + 4 * i), centre);
    assert_true(dv_vec3_dot(dv_triangle_area_vector(x, quads->data + 4 * i), out) < 0);
  }
  assert_int_equal(dv_topology_count(topology(&r, "hem/edges"), DV_EDGE), 4);   // the diagonal is inside
  report_end(&r);
}

static void refinement_keeps_the_volume(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(&r, "<MeshTopology name=\"tetra\" position=\"0 0 0 1 0 0 0 1 0 0 0 1\" tetrahedra=\"0 1 2 3\"/>"
            "<TetrahedronSetTopologyContainer name=\"eight\"/><SimpleTesselatedTetraTopologicalMapping name=\"t\" "
            "input=\"@tetra\" output=\"@eight\"/>"
            "<RegularGridTopology name=\"grid\" n=\"3 2 2\" min=\"0 0 0\" max=\"2 1 1\"/>"
            "<HexahedronSetTopologyContainer name=\"fine\"/><SimpleTesselatedHexaTopologicalMapping input=\"@grid\" "
            "output=\"@fine\"/>");
  dvTopology *eight = topology(&r, "eight"), *fine = topology(&r, "fine");
  assert_int_equal(dv_topology_point_count(eight), 10);
  assert_int_equal(dv_topology_count(eight, DV_TETRAHEDRON), 8);
  const double *x = dv_topology_positions(eight)->data;
  double volume = 0;
  for (size_t i = 0; i < 8; i++)
    volume += dv_tetrahedron_volume(x, dv_topology_elements(eight, DV_TETRAHEDRON)->data + 4 * i);
  check_close(volume, 1.0 / 6, 1e-15);
  assert_int_equal(dv_topology_point_count(fine), 5 * 3 * 3);   // no point twice
  assert_int_equal(dv_topology_count(fine, DV_HEXAHEDRON), 16);
  check_close(measure(fine, DV_HEXAHEDRON, dv_topology_positions(fine)->data), 2, 1e-12);
  const dvInts *source = dv_object_field(&mapping(&r, "t")->base, "pointSource")->value;
  assert_int_equal(source->data[3], 4);
  assert_int_equal(source->data[4], -1);
  report_end(&r);
}

static void points_in_elements(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(&r,
        "<RegularGridTopology name=\"grid\" n=\"2 2 2\" min=\"0 0 0\" max=\"2 2 2\"/>"
        "<PointSetTopologyContainer name=\"p\"/><Mesh2PointTopologicalMapping name=\"m\" input=\"@grid\" output=\"@p\" "
        "pointBaryCoords=\"0 0 0\" edgeBaryCoords=\"0.25 0 0\" hexaBaryCoords=\"0.5 0.25 0.75\"/>"
        "<PointSetTopologyContainer name=\"c\"/><CenterPointTopologicalMapping input=\"@grid\" output=\"@c\"/>"
        "<MeshTopology name=\"copy\"/><Mesh2PointTopologicalMapping input=\"@line\" output=\"@copy\" copyEdges=\"1\" "
        "pointBaryCoords=\"0 0 0  0 1 0\"/>"
        "<MeshTopology name=\"line\" position=\"0 0 0 1 0 0\" edges=\"0 1\"/>");
  dvTopology *grid = topology(&r, "grid"), *p = topology(&r, "p"), *c = topology(&r, "c");
  size_t edges = dv_topology_count(grid, DV_EDGE);
  assert_int_equal(dv_topology_point_count(p), 8 + edges + 1);
  const double *x = dv_topology_positions(p)->data + 3 * (8 + edges);
  check_close(x[0], 1, 1e-15);
  check_close(x[1], 0.5, 1e-15);
  check_close(x[2], 1.5, 1e-15);
  const int32_t *e = dv_topology_elements(grid, DV_EDGE)->data;
  const double *g = dv_topology_positions(grid)->data;
  for (int k = 0; k < 3; k++)
    check_close(dv_topology_positions(p)->data[3 * 8 + k], 0.75 * g[3 * e[0] + k] + 0.25 * g[3 * e[1] + k], 1e-15);
  assert_int_equal(dv_topology_point_count(c), 1);
  check_close(dv_topology_positions(c)->data[1], 1, 1e-15);
  const dvInts *copied = dv_topology_elements(topology(&r, "copy"), DV_EDGE);
  assert_int_equal(copied->data[0], 0);
  assert_int_equal(copied->data[1], 2);   // the first of the two points made of point 1
  report_end(&r);
}

// the area of a tube with N sides of length L is N L 2 r sin(pi / N)
static void tube_around_a_line(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(&r, "<EdgeSetTopologyContainer name=\"line\" position=\"0 0 0 0 0 0\" edges=\"0 1\"/>"
            "<MechanicalObject name=\"frames\" template=\"Rigid3\" position=\"1 0 0 0 0 0 1  4 0 0 0 0 0 1\"/>"
            "<Node name=\"tube\"><QuadSetTopologyContainer name=\"quads\"/>"
            "<Edge2QuadTopologicalMapping input=\"@../line\" output=\"@quads\" nbPointsOnEachCircle=\"7\" "
            "radius=\"0.5\"/></Node>");
  dvTopology *t = topology(&r, "tube/quads");
  assert_int_equal(dv_topology_count(t, DV_QUAD), 7);
  assert_int_equal(dv_topology_point_count(t), 14);
  check_close(measure(t, DV_QUAD, dv_topology_positions(t)->data), 7 * 3 * 2 * 0.5 * sin(M_PI / 7), 1e-12);
  report_end(&r);
}

static void subset_finds_its_numbers(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(&r, "<MeshTopology name=\"whole\" position=\"0 0 0 1 0 0 1 1 0 0 1 0 2 0 0\" triangles=\"0 1 2 0 2 3 1 4 2\"/>"
            "<MeshTopology name=\"part\" position=\"1 1 0 2 0 0 1 0 0\" triangles=\"0 2 1\"/>"
            "<SubsetTopologicalMapping name=\"m\" input=\"@whole\" output=\"@part\" handleTriangles=\"1\" "
            "handleEdges=\"1\"/>");
  dvObject *m = &mapping(&r, "m")->base;
  const dvInts *d2s = dv_object_field(m, "pointD2S")->value, *s2d = dv_object_field(m, "pointS2D")->value;
  const dvInts *triangle = dv_object_field(m, "triangleD2S")->value, *edges = dv_object_field(m, "edgeD2S")->value;
  const int32_t to_whole[3] = {2, 4, 1}, to_part[5] = {-1, 2, 0, -1, 1};
  assert_memory_equal(d2s->data, to_whole, sizeof to_whole);
  assert_memory_equal(s2d->data, to_part, sizeof to_part);
  assert_int_equal(triangle->data[0], 2);
  assert_int_equal(edges->count, 3);
  for (size_t i = 0; i < 3; i++) assert_true(edges->data[i] >= 0);
  report_end(&r);
}

// the input changes: the output follows, as do its own edges
static void output_follows_the_input(void **state)
{
  DV_UNUSED(state);
  Report r;
  start(&r, "<MeshTopology name=\"cells\" position=\"0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\" tetrahedra=\"0 1 2 3\"/>"
            "<Node name=\"skin\"><TriangleSetTopologyContainer name=\"border\" triangles=\"0 1 2\"/>"
            "<Tetra2TriangleTopologicalMapping input=\"@../cells\" output=\"@border\"/></Node>");
  dvTopology *cells = topology(&r, "cells"), *border = topology(&r, "skin/border");
  assert_int_equal(dv_topology_count(border, DV_TRIANGLE), 4);   // what the scene gave is replaced
  assert_int_equal(dv_topology_count(border, DV_EDGE), 6);
  const int32_t two[8] = {0, 1, 2, 3, 1, 2, 3, 4};
  DV_MUST(dv_ints_assign(&cells->tetrahedra, two, 8));
  dv_touch(&cells->base, &cells->tetrahedra);
  assert_int_equal(dv_topology_count(border, DV_TRIANGLE), 6);
  assert_int_equal(dv_topology_count(border, DV_EDGE), 9);
  report_end(&r);
}

static void links_that_cannot_work_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *body, *message;
  } cases[] = {
      {"<MeshTopology name=\"a\"/><Tetra2TriangleTopologicalMapping input=\"@a\" output=\"@a\"/>", "same topology"},
      {"<MeshTopology name=\"a\"/><Tetra2TriangleTopologicalMapping input=\"@a\" output=\"@b\"/>",
       "leads to no topology"},
      {"<Node name=\"n\"><Hexa2TetraTopologicalMapping/></Node>", "no topology to take"},
      {"<MeshTopology name=\"a\"/><PointSetTopologyContainer name=\"p\"/><Hexa2TetraTopologicalMapping input=\"@a\" "
       "output=\"@p\"/>",
       "has no tetrahedra"},
      {"<MeshTopology name=\"a\" edges=\"0 1\"/><QuadSetTopologyContainer name=\"q\"/>"
       "<Edge2QuadTopologicalMapping input=\"@a\" output=\"@q\" radius=\"1\" nbPointsOnEachCircle=\"2\"/>",
       "make no circle"},
      {"<MeshTopology name=\"a\" edges=\"0 1\"/><QuadSetTopologyContainer name=\"q\"/>"
       "<Edge2QuadTopologicalMapping input=\"@a\" output=\"@q\" radius=\"1\" nbPointsOnEachCircle=\"4\" "
       "edgeList=\"3\"/>",
       "edge 3 does not exist"},
      // points and elements come from one place
      {"<MeshTopology name=\"grid\"/><MechanicalObject/><RegularGridTopology/><Hexa2TetraTopologicalMapping "
       "input=\"@grid\"/>",
       "makes its own points and elements: Hexa2TetraTopologicalMapping cannot fill it"},
      {"<MeshTopology name=\"a\"/><CubeTopology name=\"c\"/><Mesh2PointTopologicalMapping input=\"@a\" output=\"@c\"/>",
       "makes its own points"},
      {"<RegularGridTopology name=\"g\"/><Node><MeshTopology name=\"t\"/><Hexa2TetraTopologicalMapping name=\"one\"/>"
       "<Hexa2TetraTopologicalMapping name=\"two\"/></Node>",
       "t is already filled by one"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node name=\"root\">%s</Node>", cases[i].body);
    Report r;
    report_start(&r, text);
    dv_free(text);
    if (r.status == DV_OK || !r.messages.text || !strstr(r.messages.text, cases[i].message))
      print_error("%s: status %d, said: %s\n", cases[i].body, r.status, r.messages.text ? r.messages.text : "nothing");
    assert_int_equal(r.status, DV_ERROR_INPUT);
    assert_non_null(strstr(r.messages.text, cases[i].message));
    report_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tetrahedra_fill_the_box),     cmocka_unit_test(quads_triangles_and_edges_of_the_border),
      cmocka_unit_test(refinement_keeps_the_volume), cmocka_unit_test(points_in_elements),
      cmocka_unit_test(tube_around_a_line),          cmocka_unit_test(subset_finds_its_numbers),
      cmocka_unit_test(output_follows_the_input),    cmocka_unit_test(links_that_cannot_work_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
