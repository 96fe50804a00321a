// Which meshes are conformal and manifold, and which elements are flat, inside out, or there twice.
#include "topology/report.h"

#include "support/scene.h"
#include "topology/inspect.h"

static dvInspection inspect(const char *text)
{
  Report r;
  report_start(&r, text);
  dvTopology *t = report_topology(&r, "t");
  dvInspection i;
  bool known = dv_reals_size(dv_topology_positions(t)) >= dv_topology_point_count(t);
  assert_true(dv_topology_inspect(t, known ? dv_topology_positions(t)->data : NULL, &i));
  report_end(&r);
  return i;
}

static void check_flaw(dvFlaw flaw, size_t count, size_t first)
{
  assert_int_equal(flaw.count, count);
  assert_int_equal(flaw.first, first);
}

#define SQUARE "position='0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1'"

static void sound_meshes(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text;
    int dimension;
    size_t elements, border;
  } cases[] = {{"<Node><MeshTopology name='t' " SQUARE " triangles='0 1 2 0 2 3'/></Node>", 2, 2, 4},
               {"<Node><CubeTopology name='t' nx='4' ny='3' nz='5' min='0 0 0' max='1 2 3'/></Node>", 2,
                2 * (3 * 2 + 2 * 4 + 3 * 4), 0},
               {"<Node><SphereQuadTopology name='t' nx='4' ny='4' nz='4' radius='2'/></Node>", 2, 54, 0},
               {"<Node><RegularGridTopology name='t' n='3 3 3' min='0 0 0' max='1 1 1'/></Node>", 3, 8, 24},
               {"<Node><MeshTopology name='t' " SQUARE " edges='0 1 1 2 2 3'/></Node>", 1, 3, 2},
               {"<Node><MeshTopology name='t' " SQUARE "/></Node>", 0, 0, 0},
               // a pyramid on a hexahedron, a prism beside it: faces of both shapes
               {"<Node><MeshTopology name='t' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0.5 0.5 2 2 0 "
                "0 2 1 0' hexahedra='0 1 2 3 4 5 6 7' "
                "pyramids='4 5 6 7 8' prisms='1 9 5 2 10 6'/></Node>",
                3, 3, 6 + 5 + 5 - 4}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvInspection found = inspect(cases[i].text);
    if (!dv_inspection_manifold(&found) || found.turned.count || found.flat.count || found.inverted.count)
      print_error("%s: pinched %zu repeated %zu hanging %zu crowded %zu split %zu turned %zu flat %zu inverted %zu\n",
                  cases[i].text, found.pinched.count, found.repeated.count, found.hanging.count, found.crowded.count,
                  found.split.count, found.turned.count, found.flat.count, found.inverted.count);
    assert_true(dv_inspection_manifold(&found) && !found.turned.count && !found.flat.count && !found.inverted.count);
    assert_int_equal(found.dimension, cases[i].dimension);
    assert_int_equal(found.elements, cases[i].elements);
    assert_int_equal(found.border, cases[i].border);
  }
}

static void single_elements(void **state)
{
  DV_UNUSED(state);
  dvInspection i = inspect("<Node><MeshTopology name='t' " SQUARE " triangles='0 1 2 0 2 3 2 1 0 1 1 3'/></Node>");
  check_flaw(i.repeated, 1, 2);
  check_flaw(i.pinched, 1, 3);
  check_flaw(i.flat, 1, 3);
  assert_false(dv_inspection_conformal(&i));
  i = inspect("<Node><MeshTopology name='t' " SQUARE " tetrahedra='0 1 2 4 0 3 2 4 0 1 2 3'/></Node>");
  check_flaw(i.inverted, 1, 1);
  check_flaw(i.flat, 1, 2);
}

static void conformal_but_not_manifold(void **state)
{
  DV_UNUSED(state);
  // three triangles at one edge
  dvInspection i = inspect("<Node><MeshTopology name='t' " SQUARE " triangles='0 1 2 1 0 3 0 1 4'/></Node>");
  assert_true(dv_inspection_conformal(&i) && !dv_inspection_manifold(&i));
  assert_int_equal(i.crowded.count, 1);
  // two triangles that touch in a point
  i = inspect(
      "<Node><MeshTopology name='t' position='0 0 0 1 0 0 1 1 0 -1 0 0 -1 -1 0' triangles='0 1 2 0 3 4'/></Node>");
  assert_true(dv_inspection_conformal(&i) && !dv_inspection_manifold(&i));
  check_flaw(i.split, 1, 0);
  // a fork of lines
  i = inspect("<Node><MeshTopology name='t' " SQUARE " edges='0 1 0 2 0 3'/></Node>");
  assert_true(dv_inspection_conformal(&i) && !dv_inspection_manifold(&i));
  assert_int_equal(i.crowded.count, 1);
  // three tetrahedra at a face
  i = inspect("<Node><MeshTopology name='t' position='0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1 0 0 2' tetrahedra='0 1 2 3 0 2 1 "
              "4 0 1 2 5'/></Node>");
  assert_int_equal(i.crowded.count, 1);
  // a neighbour that is turned around
  i = inspect("<Node><MeshTopology name='t' " SQUARE " triangles='0 1 2 0 3 2'/></Node>");
  assert_true(dv_inspection_manifold(&i));
  assert_int_equal(i.turned.count, 1);
}

// one large triangle beside two small ones
static void not_conformal(void **state)
{
  DV_UNUSED(state);
  dvInspection i = inspect(
      "<Node><MeshTopology name='t' position='0 0 0 2 0 0 1 1 0 1 0 0 1 -1 0' triangles='0 1 2 0 4 3 3 4 1'/></Node>");
  check_flaw(i.hanging, 1, 3);
  assert_false(dv_inspection_conformal(&i));
}

static void components_tell(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><TriangleSetTopologyContainer name='t' " SQUARE
                  " triangles='0 1 2 1 0 3 0 1 4'/><TopologyChecker name='c' printLog='1'/>"
                  "<Node><ManifoldTriangleSetTopologyContainer position='@../t.position' triangles='@../t.triangles'/>"
                  "<ManifoldTriangleSetTopologyModifier/><ManifoldTriangleSetTopologyAlgorithms/"
                  "><ManifoldTriangleSetGeometryAlgorithms/></Node>"
                  "<Node><ManifoldEdgeSetTopologyContainer position='@../t.position' edges='0 1 1 2'/></Node></Node>");
  report_says(&r, "1 edges belong to more than two elements: the mesh is not manifold");
  report_says(&r, "3 elements of dimension 2, 6 parts on the border: conformal, not manifold");
  assert_int_equal(r.context->log.counts[DV_WARNING], 2);
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sound_meshes), cmocka_unit_test(single_elements),
                                     cmocka_unit_test(conformal_but_not_manifold), cmocka_unit_test(not_conformal),
                                     cmocka_unit_test(components_tell)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
