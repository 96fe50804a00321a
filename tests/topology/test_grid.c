// Grids: numbers of elements against their closed forms, SOFA's numbering and order, sizes that are refused.
#include "topology/report.h"

#include <stdlib.h>

static void has_the_elements_of_a_grid(void **state)
{
  DV_UNUSED(state);
  static const int sizes[][3] = {{2, 2, 2}, {3, 4, 5}, {7, 2, 3}, {4, 4, 1},
                                 {1, 5, 3}, {6, 1, 2}, {9, 1, 1}, {1, 1, 1}};
  for (size_t s = 0; s < DV_COUNT(sizes); s++) {
    size_t x = (size_t)sizes[s][0], y = (size_t)sizes[s][1], z = (size_t)sizes[s][2];
    Report r;
    char *text = dv_format("<Node><RegularGridTopology name='g' n='%zu %zu %zu'/><RegularGridTopology name='lines' "
                           "n='%zu %zu %zu' computeTriangleList='0'/></Node>",
                           x, y, z, x, y, z);
    report_good(&r, text);
    dvTopology *g = report_topology(&r, "g"), *lines = report_topology(&r, "lines");
    size_t quads = (x - 1) * (y - 1) * z + (x - 1) * y * (z - 1) + x * (y - 1) * (z - 1);
    size_t edges = (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1), cells = (x - 1) * (y - 1) * (z - 1);
    assert_int_equal(dv_topology_point_count(g), x * y * z);
    assert_int_equal(dv_reals_size(dv_topology_positions(g)), x * y * z);
    assert_int_equal(dv_topology_count(g, DV_HEXAHEDRON), cells);
    assert_int_equal(dv_topology_count(g, DV_QUAD), quads);
    assert_int_equal(dv_topology_count(g, DV_TRIANGLE), 2 * quads);
    assert_int_equal(dv_topology_count(g, DV_EDGE), edges + quads);   // and a diagonal for each quad
    assert_int_equal(dv_topology_count(lines, DV_EDGE), edges);
    assert_int_equal(dv_topology_count(lines, DV_TRIANGLE), 0);
    // a box can be shrunk to a point
    assert_int_equal((long)(x * y * z) - (long)edges + (long)quads - (long)cells, 1);
    report_end(&r);
    dv_free(text);
  }
}

static void numbers_as_sofa_does(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><RegularGridTopology name='g' n='3 2 2'/><RegularGridTopology name='flat' n='2 2 1'/>"
                  "<RegularGridTopology name='lines' n='2 2 2' computeTriangleList='0'/></Node>");
  dvTopology *g = report_topology(&r, "g");
  check_elements(g, DV_HEXAHEDRON, "0 1 4 3 6 7 10 9, 1 2 5 4 7 8 11 10");
  check_elements(
      g, DV_QUAD,
      "0 1 4 3, 1 2 5 4, 6 7 10 9, 7 8 11 10, 0 1 7 6, 1 2 8 7, 3 4 10 9, 4 5 11 10, 0 3 9 6, 1 4 10 7, 2 5 11 8");
  dvTopology *flat = report_topology(&r, "flat");
  check_elements(flat, DV_TRIANGLE, "0 1 3, 0 3 2");
  check_elements(flat, DV_EDGE, "1 3, 3 0, 0 1, 3 2, 2 0");
  check_elements(report_topology(&r, "lines"), DV_EDGE, "0 1, 2 3, 4 5, 6 7, 0 2, 1 3, 4 6, 5 7, 0 4, 1 5, 2 6, 3 7");
  report_end(&r);
}

static void leaves_lists_out(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(
      &r,
      "<Node><RegularGridTopology name='g' n='2 2 2' computeQuadList='0' computeTriangleList='0' computeEdgeList='0'/>"
      "<RegularGridTopology name='h' n='2 2 2' computeHexaList='0'/></Node>");
  dvTopology *g = report_topology(&r, "g");
  // then they are those of the hexahedra
  check_elements(g, DV_QUAD, "0 2 3 1, 4 5 7 6, 0 1 5 4, 1 3 7 5, 2 6 7 3, 0 4 6 2");
  check_elements(g, DV_EDGE, "0 1, 0 2, 0 4, 1 3, 1 5, 2 3, 3 7, 2 6, 4 5, 4 6, 5 7, 6 7");
  assert_int_equal(dv_topology_count(report_topology(&r, "h"), DV_HEXAHEDRON), 0);
  report_end(&r);
}

static void check_point(dvTopology *t, size_t point, double x, double y, double z)
{
  const dvReals *p = dv_topology_positions(t);
  assert_true(3 * point + 2 < p->count);
  check_close(p->data[3 * point], x, 0);
  check_close(p->data[3 * point + 1], y, 0);
  check_close(p->data[3 * point + 2], z, 0);
}

static void places_its_points(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><RegularGridTopology name='a' nx='3' ny='2' nz='2' xmin='-1' xmax='1' ymin='0' ymax='4' "
                  "zmin='2' zmax='3'/>"
                  "<RegularGridTopology name='b' n='3 2 2' min='-1 0 2' max='1 4 3' p0='10 0 0'/>"
                  "<RegularGridTopology name='c' n='1 1 1' min='0 0 0' max='2 4 6'/>"
                  "<RegularGridTopology name='d' cellWidth='0.5' min='0 0 0' max='1 1.2 0'/>"
                  "<RegularGridTopology name='e' nx='2' ny='2' nz='2' xmin='0.1' xmax='1' ymin='0' ymax='1' zmin='0' "
                  "zmax='1' scale='2'/></Node>");
  check_point(report_topology(&r, "a"), 0, -1, 0, 2);
  check_point(report_topology(&r, "a"), 1, 0, 0, 2);
  check_point(report_topology(&r, "a"), 11, 1, 4, 3);
  check_point(report_topology(&r, "b"), 0, 10, 0, 0);
  check_point(report_topology(&r, "b"), 11, 12, 4, 1);
  check_point(report_topology(&r, "c"), 0, 1, 2, 0);   // flat: the middle in x and y, the bottom in z
  assert_int_equal(dv_topology_point_count(report_topology(&r, "d")), 3 * 4 * 1);
  check_point(report_topology(&r, "d"), 4, 0.5, 0.5, 0);
  check_point(report_topology(&r, "e"), 0, 0.1 * 2, 0, 0);
  report_end(&r);
}

static void takes_over_another_grid(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><Node name='n'><RegularGridTopology name='b' src='@../a'/></Node><RegularGridTopology "
                  "name='a' n='3 1 1' min='0 2 0' max='1 4 0'/></Node>");
  check_point(report_topology(&r, "n/b"), 2, 1, 3, 0);
  assert_int_equal(dv_topology_point_count(report_topology(&r, "n/b")), 3);
  report_end(&r);
}

// the grid feeds the state, not the other way round
static void ignores_a_link_to_the_state(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><RegularGridTopology name='g' n='3 1 1' max='2 0 0' position='@s.position'/><MechanicalObject "
                  "name='s'/></Node>");
  check_point(report_topology(&r, "g"), 2, 2, 0, 0);
  assert_int_equal(dv_reals_size(dv_object_field(report_find(&r, "s"), "position")->value), 3);
  report_end(&r);
}

static void writes_attributes_of_old_back(void **state)
{
  DV_UNUSED(state);
  dvContext *c = dv_divan_create(1);
  const char *text =
      "<Node><RegularGridTopology nx='3' ny='4' nz='5' xmin='0' xmax='1' ymin='0' ymax='2' zmin='0' zmax='3'/></Node>";
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "test.scn", text, strlen(text), &s), DV_OK);
  dvText out = {0};
  dv_scene_print(s, &out);
  assert_non_null(strstr(out.text, "n=\"3 4 5\""));
  assert_non_null(strstr(out.text, "max=\"1 2 3\""));
  dv_text_free(&out);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void refuses_absurd_sizes(void **state)
{
  DV_UNUSED(state);
  static const Refusal cases[] = {
      {"<Node><RegularGridTopology n='2000000000 2000000000 2000000000'/></Node>",
       "is more than the 50000000 that can be simulated use fewer points"},
      {"<Node><RegularGridTopology n='400 400 400'/></Node>", "a grid of 400 x 400 x 400 points is more than"},
      {"<Node><RegularGridTopology cellWidth='1e-12'/></Node>", "are too many"},
      {"<Node><RegularGridTopology min='nan 0 0'/></Node>", "min: number 1 is not finite"},
      {"<Node><RegularGridTopology nx='many' ny='2' nz='2'/></Node>", "nx=\"many\" is not a number of points"},
      {"<Node><SphereGridTopology axis='0 0 0'/></Node>", "the axis has no length"},
      {"<Node><CubeTopology nx='-1' ny='2' nz='2'/></Node>", "a box of -1 x 2 x 2 points"},
      {"<Node><CubeTopology nx='30000' ny='30000' nz='2'/></Node>", "is more than the 50000000"},
  };
  report_refused(cases, DV_COUNT(cases));
}

static void takes_empty_grids_as_cells(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r,
              "<Node><RegularGridTopology name='g' n='0 5 5'/><RegularGridTopology name='h' nx='4' ny='4'/></Node>");
  report_says(&r, "a grid of 0 x 5 x 5 points is taken as 2 x 2 x 2");
  report_says(&r, "nx, ny and nz count only when all three are given");
  assert_int_equal(dv_topology_point_count(report_topology(&r, "g")), 8);
  assert_int_equal(dv_topology_point_count(report_topology(&r, "h")), 8);
  report_end(&r);
}

static void keeps_given_points(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><GridTopology name='g' n='2 1 1' position='5 6 7 8 9 10'/></Node>");
  check_point(report_topology(&r, "g"), 1, 8, 9, 10);
  check_elements(report_topology(&r, "g"), DV_EDGE, "0 1");
  report_end(&r);
}

static void draws_grids_in(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><SphereGridTopology name='s' n='5 5 5' radius='3' center='1 2 3' axis='0 1 0'/>"
                  "<CylinderGridTopology name='c' n='5 5 3' radius='3' length='4' axis='1 0 0'/></Node>");
  const dvReals *s = dv_topology_positions(report_topology(&r, "s")),
                *c = dv_topology_positions(report_topology(&r, "c"));
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < 5; j++)
      for (int i = 0; i < 5; i++) {
        const double *p = s->data + 3 * (i + 5 * (j + 5 * k));
        int shell = dv_max_int(dv_max_int(abs(i - 2), abs(j - 2)), abs(k - 2));   // cubes become spheres
        check_close(sqrt(pow(p[0] - 1, 2) + pow(p[1] - 2, 2) + pow(p[2] - 3, 2)), 1.5 * shell, 1e-12);
      }
  for (int k = 0; k < 3; k++) {
    const double *corner = c->data + 3 * 25 * k;
    check_close(corner[0], 2.0 * k, 1e-12);
    check_close(hypot(corner[1], corner[2]), 3, 1e-12);
  }
  report_end(&r);
}

// the surface of a box: points - edges + quads = 2, however its points are numbered
static void makes_the_surface_of_a_box(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(
      &r,
      "<Node><CubeTopology name='a' nx='3' ny='4' nz='5' max='2 3 4'/><CubeTopology name='b' nx='3' ny='4' nz='5' "
      "max='2 3 4' internalPoints='1'/>"
      "<CubeTopology name='c' nx='3' ny='4' nz='5' max='2 3 4' splitNormals='1'/><CubeTopology name='empty'/></Node>");
  dvTopology *a = report_topology(&r, "a"), *b = report_topology(&r, "b"), *c = report_topology(&r, "c");
  size_t quads = 2 * (2 * 3 + 3 * 4 + 4 * 2);
  assert_int_equal(dv_topology_count(a, DV_QUAD), quads);
  assert_int_equal(dv_topology_point_count(a), 3 * 4 * 5 - 1 * 2 * 3);
  assert_int_equal(dv_topology_count(a, DV_EDGE), dv_topology_point_count(a) + quads - 2);
  assert_int_equal(dv_topology_point_count(b), 3 * 4 * 5);
  assert_int_equal(dv_topology_point_count(c), 2 * (3 * 4 + 4 * 5 + 5 * 3));
  assert_int_equal(dv_topology_point_count(report_topology(&r, "empty")), 0);
  dvTopology *all[3] = {a, b, c};
  for (int i = 0; i < 3; i++) {   // the quads cover the same surface and look outwards: their volume is the box's
    const dvInts *q = dv_topology_elements(all[i], DV_QUAD);
    const double *x = dv_topology_positions(all[i])->data;
    double volume = 0;
    for (size_t k = 0; k < q->count; k += 4) {
      double d[3][3];   // the volume under a quad is that of the pyramid to the origin
      for (int j = 0; j < 3; j++) {
        d[0][j] = x[3 * q->data[k] + j];
        d[1][j] = x[3 * q->data[k + 1] + j] - x[3 * q->data[k] + j];
        d[2][j] = x[3 * q->data[k + 3] + j] - x[3 * q->data[k] + j];
      }
      volume += (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                 d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
                3;
    }
    check_close(volume, 2 * 3 * 4, 1e-12);
  }
  report_end(&r);
}

static void makes_texture_coordinates(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><RegularGridTopology name='g' n='3 1 2' createTexCoords='1'/></Node>");
  const dvReals *uv = &report_topology(&r, "g")->uv;
  assert_int_equal(dv_reals_size(uv), 6);
  check_close(uv->data[2], 0.5, 0);
  check_close(uv->data[11], 1, 0);
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_the_elements_of_a_grid),
      cmocka_unit_test(numbers_as_sofa_does),
      cmocka_unit_test(leaves_lists_out),
      cmocka_unit_test(places_its_points),
      cmocka_unit_test(takes_over_another_grid),
      cmocka_unit_test(ignores_a_link_to_the_state),
      cmocka_unit_test(writes_attributes_of_old_back),
      cmocka_unit_test(refuses_absurd_sizes),
      cmocka_unit_test(takes_empty_grids_as_cells),
      cmocka_unit_test(keeps_given_points),
      cmocka_unit_test(draws_grids_in),
      cmocka_unit_test(makes_the_surface_of_a_box),
      cmocka_unit_test(makes_texture_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
