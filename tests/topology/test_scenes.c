// The example scenes of this room and of the loaders: they load without a word, run, and what hangs has moved.
#include "support/check.h"

#include "support/scene.h"

static void runs(const char *name)
{
  char *path = dv_format("scenes/%s.scn", name);
  dvScene *scene = check_scene_file(path, 1);
  assert_int_equal(scene->context->log.counts[DV_WARNING], 0);
  dvState *s = dv_state(check_find(scene, "dofs"));
  double before = 0, after = 0;
  for (size_t i = 0; i < s->count; i++) before += dv_state_read(s, DV_X)[3 * i + 1];
  check_steps(scene, 20);
  for (size_t i = 0; i < s->count; i++) after += dv_state_read(s, DV_X)[3 * i + 1];
  if (!(after < before)) print_error("%s: sum of heights %.17g, then %.17g\n", path, before, after);
  assert_true(after < before);
  check_close_scene(&scene);
  dv_free(path);
}

static void example_scenes_run(void **state)
{
  DV_UNUSED(state);
  static const char *const names[] = {"MeshTopology",
                                      "PointSetTopologyContainer",
                                      "EdgeSetTopologyContainer",
                                      "TriangleSetTopologyContainer",
                                      "QuadSetTopologyContainer",
                                      "TetrahedronSetTopologyContainer",
                                      "HexahedronSetTopologyContainer",
                                      "GridTopology",
                                      "RegularGridTopology",
                                      "SphereGridTopology",
                                      "CylinderGridTopology",
                                      "CubeTopology",
                                      "MeshGmshLoader",
                                      "MeshOBJLoader",
                                      "MeshLoader",
                                      "SphereLoader",
                                      "MeshVTKLoader",
                                      "GIDMeshLoader",
                                      "MeshOffLoader",
                                      "MeshTrianLoader",
                                      "MeshSTLLoader",
                                      "MeshXspLoader",
                                      "StringMeshCreator",
                                      "GridMeshCreator",
                                      "Hexa2TetraTopologicalMapping",
                                      "Tetra2TriangleTopologicalMapping",
                                      "Hexa2QuadTopologicalMapping",
                                      "Quad2TriangleTopologicalMapping",
                                      "Triangle2EdgeTopologicalMapping",
                                      "Hexa2PrismTopologicalMapping",
                                      "SimpleTesselatedTetraTopologicalMapping",
                                      "SimpleTesselatedHexaTopologicalMapping",
                                      "Mesh2PointTopologicalMapping",
                                      "CenterPointTopologicalMapping",
                                      "Edge2QuadTopologicalMapping",
                                      "SubsetTopologicalMapping",
                                      "IdentityTopologicalMapping"};
  for (size_t i = 0; i < DV_COUNT(names); i++) runs(names[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(example_scenes_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
