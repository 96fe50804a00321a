// Engines that make meshes and move points, against closed forms.
#include "engine/outputs.h"

#include "engine/generate/bezier.h"
#include "math/vec.h"
#include "topology/geometry.h"
#include "topology/search/rays.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static const dvReals *reals(dvScene *s, const char *path, const char *name) { return output(s, path, name)->value; }
static const dvInts *ints(dvScene *s, const char *path, const char *name) { return output(s, path, name)->value; }

static double volume_of_tetrahedra(const dvReals *x, const dvInts *t)
{
  double sum = 0;
  for (size_t i = 0; i + 4 <= t->count; i += 4) sum += dv_tetrahedron_volume(x->data, t->data + i);
  return sum;
}

static double volume_inside(const dvReals *x, const dvInts *t)
{
  double sum = 0;
  for (size_t i = 0; i + 3 <= t->count; i += 3)
    sum += dv_vec3_dot(dv_point_at(x->data, t->data[i]),
                       dv_vec3_cross(dv_point_at(x->data, t->data[i + 1]), dv_point_at(x->data, t->data[i + 2]))) /
           6;
  return sum;
}

// --- cylinder and sphere -------------------------------------------------------------------------

static void a_cylinder_has_the_volume_of_a_prism(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><GenerateCylinder name='open' radius='2' height='3' origin='1 2 3' "
                           "resCircumferential='8' resRadial='3' resHeight='4'/>"
                           "<GenerateCylinder name='closed' radius='2' height='3' openSurface='0' "
                           "resCircumferential='8' resRadial='3' resHeight='4'/>"
                           "<GenerateCylinder name='thin' radius='2' height='3' openSurface='0' resCircumferential='8' "
                           "resRadial='1' resHeight='2'/></Node>",
                           1);
  double expected = 3 * 8 * 0.5 * 4 * sin(2 * pi / 8);   // an octagon times the height
  const char *const names[] = {"open", "closed", "thin"};
  for (int i = 0; i < 3; i++)
    check_close(volume_of_tetrahedra(reals(s, names[i], "output_TetrahedraPosition"), ints(s, names[i], "tetrahedra")),
                expected, 1e-12);
  for (int i = 1; i < 3; i++) {
    const dvInts *t = ints(s, names[i], "triangles");
    check_close(volume_inside(reals(s, names[i], "output_TrianglesPosition"), t), expected, 1e-12);
    assert_int_equal(dv_surface_open_edges(t->data, t->count / 3, NULL, 0, NULL), 0);
  }
  const dvInts *t = ints(s, "open", "triangles");
  assert_int_equal(dv_surface_open_edges(t->data, t->count / 3, NULL, 0, NULL), 16);   // a circle at each end
  assert_int_equal(reals(s, "open", "position")->count / 3, (8 * 3 + 1) * 4);
  check_close(reals(s, "open", "position")->data[2], 3, 0);
  check_close_scene(&s);
}

static void a_sphere_comes_near_to_one(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><GenerateSphere name='tetrahedron' radius='2' platonicSolid='tetrahedron'/><GenerateSphere "
      "name='octahedron' radius='2' platonicSolid='octahedron'/>"
      "<GenerateSphere name='icosahedron' radius='2' origin='1 0 0'/><GenerateSphere name='fine' radius='2' origin='1 "
      "0 0' tessellationDegree='16'/>"
      "<GenerateSphere name='fine8' radius='2' platonicSolid='octahedron' tessellationDegree='5'/><GenerateSphere "
      "name='fine4' radius='2' platonicSolid='tetrahedron' tessellationDegree='4'/></Node>",
      1);
  // of edge a: a^3 / (6 sqrt 2), a^3 sqrt 2 / 3, 5 (3 + sqrt 5) a^3 / 12
  double a4 = 2 * 4 / sqrt(6), a8 = 2 * sqrt(2), a20 = 2 / sin(2 * pi / 5);
  check_close(volume_of_tetrahedra(reals(s, "tetrahedron", "position"), ints(s, "tetrahedron", "tetrahedra")),
              a4 * a4 * a4 / (6 * sqrt(2)), 1e-12);
  check_close(volume_of_tetrahedra(reals(s, "octahedron", "position"), ints(s, "octahedron", "tetrahedra")),
              a8 * a8 * a8 * sqrt(2) / 3, 1e-12);
  check_close(volume_of_tetrahedra(reals(s, "icosahedron", "position"), ints(s, "icosahedron", "tetrahedra")),
              5 * (3 + sqrt(5)) * a20 * a20 * a20 / 12, 1e-11);
  double fine = volume_of_tetrahedra(reals(s, "fine", "position"), ints(s, "fine", "tetrahedra"));
  assert_true(fine < 4.0 / 3 * pi * 8 && fine > 0.99 * 4.0 / 3 * pi * 8);
  const char *const names[] = {"fine", "fine8", "fine4"};
  const size_t faces[] = {20 * 256, 8 * 25, 4 * 16};
  for (int i = 0; i < 3; i++) {
    const dvReals *x = reals(s, names[i], "output_TrianglesPosition");
    const dvInts *t = ints(s, names[i], "triangles");
    assert_int_equal(t->count / 3, faces[i]);
    assert_int_equal(x->count / 3, faces[i] / 2 + 2);   // Euler: every point is used once
    assert_int_equal(dv_surface_open_edges(t->data, t->count / 3, NULL, 0, NULL), 0);
    check_close(fabs(volume_inside(x, t)),
                volume_of_tetrahedra(reals(s, names[i], "position"), ints(s, names[i], "tetrahedra")), 1e-11);
    for (size_t k = 0; k + 3 <= x->count; k += 3)
      check_close(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x->data + k), dv_vec3(i == 0, 0, 0))), 2, 1e-14);
  }
  check_close_scene(&s);
}

// a rational curve at a parameter, from the points of an edge with its ends
static dvVec3 rational_at(const dvReals *x, const dvReals *w, const size_t *points, int degree, double t)
{
  double h[4] = {0}, b = pow(1 - t, degree);
  for (int i = 0; i <= degree; i++) {
    double weight = b * w->data[points[i]];
    for (size_t k = 0; k < 3; k++) h[k] += weight * x->data[3 * points[i] + k];
    h[3] += weight;
    b *= t / (1 - t) * (degree - i) / (i + 1);
  }
  return dv_vec3(h[0] / h[3], h[1] / h[3], h[2] / h[3]);
}

// curved edges lie on the surface for any degree: the first edge of the first triangle, from corner 1 to corner 2
static void bezier_edges_lie_on_the_surface(void **state)
{
  DV_UNUSED(state);
  for (int degree = 2; degree <= 5; degree++) {
    char *text = dv_format("<Node><GenerateSphere name='ball' radius='1' platonicSolid='octahedron' "
                           "BezierTriangleDegree='%d' BezierTetrahedronDegree='%d'/>"
                           "<GenerateCylinder name='tube' radius='1' resCircumferential='5' BezierTriangleDegree='%d' "
                           "BezierTetrahedronDegree='%d'/></Node>",
                           degree, degree, degree, degree);
    dvScene *s = check_scene(text, 1);
    const char *const names[] = {"ball", "tube"};
    for (int n = 0; n < 2; n++) {
      const dvReals *x = reals(s, names[n], "output_TrianglesPosition"),
                    *w = reals(s, names[n], "BezierTriangleWeights");
      const dvInts *t = ints(s, names[n], "triangles"), *curved = ints(s, names[n], "isBezierTriangleRational");
      size_t corners = n == 0 ? 6 : 25, points[6] = {(size_t)t->data[1]};
      assert_int_equal(w->count, x->count / 3);
      assert_int_equal(curved->count, t->count / 3);
      for (int k = 1; k < degree; k++) points[k] = corners + (size_t)k - 1;
      points[degree] = (size_t)t->data[2];
      for (double u = 0.1; u < 1; u += 0.2) {
        dvVec3 p = rational_at(x, w, points, degree, u);
        check_close(n == 0 ? dv_vec3_norm(p) : hypot(p.x, p.y), 1, 1e-12);
      }
      for (size_t i = 0; i < curved->count; i++) assert_int_equal(curved->data[i], 1);
    }
    // octahedron: 8 triangles, 12 edges; with the centre 18 edges and 20 triangles, 8 tetrahedra
    size_t d = (size_t)degree, inside = (d - 1) * (d - 2) / 2;
    assert_int_equal(reals(s, "ball", "output_TrianglesPosition")->count / 3, 6 + 12 * (d - 1) + 8 * inside);
    assert_int_equal(reals(s, "ball", "output_TetrahedraPosition")->count / 3,
                     7 + 18 * (d - 1) + 20 * inside + 8 * ((d - 1) * (d - 2) * (d - 3) / 6));
    check_close_scene(&s);
    dv_free(text);
  }
}

// --- extrusion -----------------------------------------------------------------------------------

static void extrudes_curves_and_surfaces(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><ExtrudeEdgesAndGenerateQuads name='curve' extrudeDirection='0 0 1' thicknessIn='1' "
                  "thicknessOut='3' numberOfSections='2' curveVertices='0 0 0 1 0 0 2 0 0' curveEdges='0 1 1 2'/>"
                  "<ExtrudeQuadsAndGenerateHexas name='plate' thicknessOut='2' thicknessIn='1' numberOfSlices='3' "
                  "surfaceVertices='0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0' surfaceQuads='0 1 2 3 1 4 5 2'/>"
                  "<ExtrudeQuadsAndGenerateHexas name='flip' flipNormals='1' scale='2 2 1' surfaceVertices='0 0 0 1 0 "
                  "0 1 1 0 0 1 0' surfaceQuads='0 1 2 3'/></Node>",
                  1);
  check_reals(s, "curve", "extrudedVertices",
              (const double[]){0, 0, -1, 1, 0, -1, 2, 0, -1, 0, 0, 1, 1, 0, 1, 2, 0, 1, 0, 0, 3, 1, 0, 3, 2, 0, 3}, 27);
  check_text(s, "curve", "extrudedQuads", "0 1 4 3 3 4 7 6 1 2 5 4 4 5 8 7");
  check_text(s, "curve", "extrudedEdges", "0 1 3 4 6 7 0 3 3 6 1 2 4 5 7 8 1 4 4 7 2 5 5 8");
  const dvReals *x = reals(s, "plate", "extrudedVertices");
  const dvInts *h = ints(s, "plate", "extrudedHexas");
  double volume = 0;
  for (size_t i = 0; i + 8 <= h->count; i += 8) volume += dv_hexahedron_volume(x->data, h->data + i);
  check_close(volume, 6, 1e-13);   // 2 x 1, three thick
  assert_int_equal(h->count / 8, 6);
  check_text(s, "plate", "extrudedSurfaceQuads", "0 4 8 12 4 16 20 8");
  assert_int_equal(ints(s, "plate", "extrudedQuads")->count / 4, 2 * (2 + 2 * 2 + 4 * 3));
  check_text(s, "flip", "extrudedHexas", "0 2 4 6 1 3 5 7");
  check_reals(s, "flip", "extrudedVertices",
              (const double[]){0, 0, 0, 0, 0, 1, 2, 0, 0, 2, 0, 1, 2, 2, 0, 2, 2, 1, 0, 2, 0, 0, 2, 1}, 24);
  check_text(s, "flip", "extrudedQuads", "0 2 4 6 7 5 3 1 0 1 3 2 2 3 5 4 4 5 7 6 6 7 1 0");
  check_close_scene(&s);
}

// --- surfaces ------------------------------------------------------------------------------------

#define BOX_POINTS "1 2 3 3 2 3 3 5 3 1 5 3 1 2 7 3 2 7 3 5 7 1 5 7"
#define BOX_QUADS "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7"
#define BOX_TRIANGLES "0 3 2 0 2 1 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"

// a box of 2 x 3 x 4 about (2, 3.5, 5)
static void a_box_has_mass_and_inertia(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><GenerateRigidMass name='quads' density='10' position='" BOX_POINTS "' quads='" BOX_QUADS
                  "'/><GenerateRigidMass name='triangles' position='" BOX_POINTS "' triangles='" BOX_TRIANGLES "'/>"
                  "<GenerateRigidMass name='polygons' density='10' position='" BOX_POINTS
                  "' polygons='4 0 3 2 1 4 4 5 6 7 4 0 1 5 4 4 1 2 6 5 4 2 3 7 6 4 3 0 4 7'/></Node>",
                  1);
  const char *const names[] = {"quads", "triangles", "polygons"};
  const double inertia[9] = {25.0 / 12, 0, 0, 0, 20.0 / 12, 0, 0, 0, 13.0 / 12}, centre[3] = {2, 3.5, 5};
  for (int i = 0; i < 3; i++) {
    double density = i == 1 ? 1000 : 10;
    check_close(check_real(s, names[i], "volume"), 24, 1e-12);
    check_close(check_real(s, names[i], "mass"), 24 * density, 1e-9);
    const double *found = output(s, names[i], "inertiaMatrix")->value, *at = output(s, names[i], "massCenter")->value,
                 *back = output(s, names[i], "centerToOrigin")->value;
    const dvReals *mass = reals(s, names[i], "rigidMass");
    for (int k = 0; k < 9; k++) check_close(found[k], inertia[k], 1e-12);
    for (int k = 0; k < 3; k++) check_close(at[k], centre[k], 1e-13);
    for (int k = 0; k < 3; k++) check_close(back[k], -centre[k], 1e-13);
    assert_int_equal(mass->count, 11);
    check_close(mass->data[0], 24 * density, 1e-9);
    check_close(mass->data[10], 13.0 / 12, 1e-12);
  }
  check_close_scene(&s);
}

// a cube without top: its border is the square 4 5 6 7
static void closes_holes(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MeshClosingEngine name='one' inputPosition='" BOX_POINTS
      "' inputQuads='0 3 2 1 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/>"
      "<MeshClosingEngine name='two' inputPosition='" BOX_POINTS
      "' inputQuads='0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MeshClosingEngine name='none' inputPosition='" BOX_POINTS
      "' inputQuads='" BOX_QUADS "'/>"
      "<GenerateRigidMass name='volume' density='1' position='@two.position' quads='@two.quads' "
      "triangles='@two.triangles'/></Node>",
      1);
  check_text(s, "one", "triangles", "8 4 5 8 7 4 8 6 7 8 5 6");
  check_text(s, "one", "indices", "[4,7,6,5,8]");
  check_text(s, "one", "closingTriangles", "4 0 3 4 1 0 4 2 1 4 3 2");
  check_reals(s, "one", "closingPosition", (const double[]){1, 2, 7, 1, 5, 7, 3, 5, 7, 3, 2, 7, 2, 3.5, 7}, 15);
  assert_int_equal(reals(s, "one", "position")->count, 27);
  check_text(s, "one", "quads", "0 3 2 1 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7");
  check_close(check_real(s, "volume", "volume"), 24, 1e-12);
  check_text(s, "none", "triangles", "");
  check_text(s, "none", "indices", "");
  check_close_scene(&s);
}

static void scatters_points_inside(void **state)
{
  DV_UNUSED(state);
  const char *input =
      "vertices='" BOX_POINTS "' triangles='" BOX_TRIANGLES "' numberOfInPoints='60' minDistanceBetweenPoints='0.3'";
  char *text = dv_format("<Node><RandomPointDistributionInSurface name='a' %s/><RandomPointDistributionInSurface "
                         "name='b' %s/><RandomPointDistributionInSurface name='c' randomSeed='7' %s/></Node>",
                         input, input, input);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  const dvReals *x = reals(s, "a", "inPoints");
  assert_int_equal(x->count / 3, 60);
  for (size_t i = 0; i < x->count; i += 3) {
    assert_true(x->data[i] > 1 && x->data[i] < 3 && x->data[i + 1] > 2 && x->data[i + 1] < 5 && x->data[i + 2] > 3 &&
                x->data[i + 2] < 7);
    for (size_t j = 0; j < i; j += 3)
      assert_true(dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x->data + i), dv_vec3_load(x->data + j))) >= 0.3);
  }
  const dvReals *out = reals(s, "a", "outPoints");
  for (size_t i = 0; i < out->count; i += 3) {   // all of the box is inside: others were too near
    bool near = false;
    for (size_t j = 0; j < x->count; j += 3)
      near = near || dv_vec3_norm(dv_vec3_sub(dv_vec3_load(out->data + i), dv_vec3_load(x->data + j))) < 0.3;
    assert_true(near);
  }
  check_reals(s, "b", "inPoints", x->data, x->count);
  assert_true(reals(s, "c", "inPoints")->data[0] != x->data[0]);
  check_close_scene(&s);
}

static void finds_places_in_elements(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><Node name='t'><MeshTopology name='m' position='0 0 0 1 0 0 0 2 0 0 0 4 5 5 5' tetrahedra='0 1 2 3 1 2 3 "
      "4'/>"
      "<MeshBarycentricMapperEngine name='e' inputPositions='@m.position' mappedPointPositions='0.25 0.5 1 0 0 -1' "
      "computeLinearInterpolation='1'/></Node>"
      "<Node name='f'><MeshTopology name='m' position='0 0 0 2 0 0 0 2 0' triangles='0 1 "
      "2'/><MeshBarycentricMapperEngine name='e' inputPositions='@m.position' mappedPointPositions='1 0.5 0' "
      "computeLinearInterpolation='1'/></Node>"
      "<Node name='h'><RegularGridTopology name='m' n='3 2 2' min='0 0 0' max='4 1 1'/><MeshBarycentricMapperEngine "
      "name='e' inputPositions='@m.position' mappedPointPositions='3 0.5 0.25'/></Node>"
      "<Node name='l'><MeshTopology name='m' position='0 0 0 2 0 0 4 0 0' edges='0 1 1 "
      "2'/><MeshBarycentricMapperEngine name='e' inputPositions='@m.position' mappedPointPositions='3 9 0' "
      "computeLinearInterpolation='1'/></Node></Node>",
      1);
  check_reals(s, "t/e", "barycentricPositions", (const double[]){0.25, 0.25, 0.25, 0, 0, -0.25}, 6);
  check_text(s, "t/e", "tableElements", "0 0");
  check_text(s, "t/e", "linearInterpolationIndices", "[0,1,2,3] [0,1,2,3]");
  check_reals(s, "t/e", "linearInterpolationValues", (const double[]){0.25, 0.25, 0.25, 0.25, 1.25, 0, 0, -0.25}, 8);
  check_reals(s, "f/e", "barycentricPositions", (const double[]){0.5, 0.25, 0}, 3);
  check_reals(s, "f/e", "linearInterpolationValues", (const double[]){0.25, 0.5, 0.25}, 3);
  check_text(s, "h/e", "tableElements", "1");
  check_reals(s, "h/e", "barycentricPositions", (const double[]){0.5, 0.5, 0.25}, 3);
  check_text(s, "l/e", "tableElements", "1");
  check_reals(s, "l/e", "linearInterpolationValues", (const double[]){0.5, 0.5}, 2);
  check_close_scene(&s);
}

// --- positions -----------------------------------------------------------------------------------

static void moves_points_in_nine_ways(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *trm = check_write(directory, "a.trm", "10 20 30\n0 -1 0\n1 0 0\n0 0 1\n"),
       *tfm = check_write(directory, "a.tfm", "#Insight\nParameters: 0 -1 0 1 0 0 0 0 1 30 20 10\nFixed: 0 0 0\n");
  char *xfm = check_write(directory, "a.xfm", "0 -1 0 10\n1 0 0 20\n0 0 1 30\n0 0 0 1\n"),
       *bad = check_write(directory, "b.xfm", "1 2 3\n");
  const char *in = "input_position='1 2 3 4 5 6'";
  dvText t = {0};
  dv_text_add(&t, "<Node>");
  dv_text_printf(&t,
                 "<TransformPosition name='plane' method='projectOnPlane' origin='0 0 1' normal='0 0 2' "
                 "%s/><TransformPosition name='shift' method='translation' translation='1 1 1' fixedIndices='1' %s/>",
                 in, in);
  dv_text_printf(&t,
                 "<TransformPosition name='turn' method='rotation' rotation='0 0 90' %s/><TransformPosition "
                 "name='scale' method='scale' origin='1 1 1' scale='2 2 2' %s/>",
                 in, in);
  dv_text_printf(
      &t,
      "<TransformPosition name='st' method='scaleTranslation' scale='2 1 1' translation='0 0 5' %s/><TransformPosition "
      "name='srt' method='scaleRotationTranslation' scale='2 1 1' rotation='0 0 90' translation='0 0 5' %s/>",
      in, in);
  dv_text_printf(&t,
                 "<TransformPosition name='affine' method='affine' matrix='1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 2' "
                 "%s/><TransformPosition name='r' method='random' maxRandomDisplacement='0.5' seedValue='3' %s/>",
                 in, in);
  dv_text_printf(
      &t,
      "<TransformPosition name='trm' method='fromFile' filename='%s' %s/><TransformPosition name='tfm' "
      "method='fromFile' filename='%s' %s/><TransformPosition name='xfm' method='fromFile' filename='%s' %s/></Node>",
      trm, in, tfm, in, xfm, in);
  dvScene *s = check_scene(t.text, 1);
  check_reals(s, "plane", "output_position", (const double[]){1, 2, 1, 4, 5, 1}, 6);
  check_reals(s, "shift", "output_position", (const double[]){2, 3, 4, 4, 5, 6}, 6);
  check_reals(s, "turn", "output_position", (const double[]){-2, 1, 3, -5, 4, 6}, 6);
  check_reals(s, "scale", "output_position", (const double[]){1, 3, 5, 7, 9, 11}, 6);
  check_reals(s, "st", "output_position", (const double[]){2, 2, 8, 8, 5, 11}, 6);
  check_reals(s, "srt", "output_position", (const double[]){-2, 2, 8, -5, 8, 11}, 6);
  check_reals(s, "affine", "output_position", (const double[]){0.5, 1, 1.5, 2, 2.5, 3}, 6);
  const char *const files[] = {"trm", "tfm", "xfm"};
  for (int i = 0; i < 3; i++) check_reals(s, files[i], "output_position", (const double[]){8, 21, 33, 5, 24, 36}, 6);
  // the generator of POSIX with seed 3: its 32 upper bits
  uint64_t state48 = 3ull << 16 | 0x330e;
  for (size_t i = 0; i < 6; i++) {
    state48 = (state48 * 0x5deece66dull + 11) % (1ull << 48);
    check_close(reals(s, "r", "output_position")->data[i],
                (double)(i + 1) - 0.5 + (double)(state48 >> 16) / 4294967295.0, 1e-15);
  }
  check_close_scene(&s);
  char *refused =
      dv_format("<TransformPosition name='e' method='fromFile' filename='%s' input_position='0 0 0'/>", bad);
  check_refused(refused, "output_position", "does not hold a matrix");
  dv_free(refused);
  dv_text_free(&t);
  char *const names[] = {trm, tfm, xfm, bad};
  for (size_t i = 0; i < 4; i++) dv_free(names[i]);
  check_rmdir(directory);
}

static void projects_and_dilates(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><ProjectiveTransformEngine name='camera' proj_mat='1 0 0 0 0 1 0 0 0 0 1 0' "
                           "focal_distance='2' input_position='1 2 4 3 0 -1'/>"
                           "<DilateEngine name='box' distance='0.5' position='" BOX_POINTS "' quads='" BOX_QUADS
                           "'/><DilateEngine name='thin' minThickness='1' position='0 0 0 1 0 0 0 1 0 0 0 0.2 1 0 0.2 "
                           "0 1 0.2' triangles='0 2 1 3 4 5'/></Node>",
                           1);
  check_reals(s, "camera", "output_position", (const double[]){0.5, 1, 2, -6, 0, 2}, 6);
  double a[3], n[3] = {-12, -8, -6};   // at a corner of the box each face counts by its area
  dv_vec3_store(a, dv_vec3_normalise(dv_vec3_load(n)));
  for (size_t k = 0; k < 3; k++) {
    check_close(reals(s, "box", "normal")->data[k], a[k], 1e-14);
    check_close(reals(s, "box", "output_position")->data[k], (double)k + 1 + 0.5 * a[k], 1e-14);
  }
  // two sheets 0.2 apart: each is moved by half of the missing 0.8
  for (size_t i = 0; i < 6; i++) {
    check_close(reals(s, "thin", "thickness")->data[i], 0.2, 1e-14);
    check_close(reals(s, "thin", "output_position")->data[3 * i + 2], i < 3 ? -0.4 : 0.6, 1e-14);
  }
  check_close_scene(&s);
}

static void takes_frames_apart_and_together(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><QuatToRigidEngine name='join' positions='1 2 3 4 5 6' orientations='0 0 0 1'/><QuatToRigidEngine "
      "name='line' positions='1 2 3' orientations='0 0 0 1' colinearPositions='9 9 0'/>"
      "<RigidToQuatEngine name='split' rigids='1 2 3 0 0 0.70710678118654757 0.70710678118654757'/>"
      "<Vertex2Frame name='up' template='Rigid3' position='1 2 3 4 5 6' normals='0 0 2 0 1 0'/><Vertex2Frame "
      "name='down' template='Rigid3' invertNormals='1' position='1 2 3' normals='0 0 -5' rotation='2' "
      "rotationAngle='90'/>"
      "<Vertex2Frame name='path' template='Rigid3' useNormals='0' position='0 0 0 0 2 0 0 2 5'/></Node>",
      1);
  double h = sqrt(0.5);
  check_reals(s, "join", "rigids", (const double[]){1, 2, 3, 0, 0, 0, 1, 4, 5, 6, 0, 0, 0, 1}, 14);
  check_reals(s, "line", "rigids", (const double[]){9, 9, 3, 0, 0, 0, 1}, 7);
  check_reals(s, "split", "positions", (const double[]){1, 2, 3}, 3);
  check_reals(s, "split", "orientations", (const double[]){0, 0, h, h}, 4);
  check_reals(s, "split", "orientationsEuler", (const double[]){0, 0, pi / 2}, 3);
  // z along z: no rotation; z along y: x = z x y = -x ... the frame -x, z, y
  check_reals(s, "up", "frames", (const double[]){1, 2, 3, 0, 0, 0, 1, 4, 5, 6, 0, h, h, 0}, 14);
  check_reals(s, "down", "frames", (const double[]){1, 2, 3, 0, 0, h, h}, 7);
  const double *x = reals(s, "path", "frames")->data;
  dvVec3 along = dv_quat_rotate(dv_quat_load(x + 3), dv_vec3(1, 0, 0)),
         then = dv_quat_rotate(dv_quat_load(x + 10), dv_vec3(1, 0, 0)),
         last = dv_quat_rotate(dv_quat_load(x + 17), dv_vec3(1, 0, 0));
  check_close(along.y, 1, 1e-14);
  check_close(then.z, 1, 1e-14);
  check_close(last.z, 1, 1e-14);
  check_close_scene(&s);
}

// --- mistakes ------------------------------------------------------------------------------------

static void says_what_is_wrong(void **state)
{
  DV_UNUSED(state);
  check_refused("<GenerateCylinder name='e' resCircumferential='2'/>", "tetrahedra", "cannot be made");
  check_refused("<GenerateCylinder name='e' radius='-1'/>", "tetrahedra", "give a positive one");
  check_refused("<GenerateCylinder name='e' resRadial='100000' resCircumferential='100000'/>", "tetrahedra",
                "too many");
  check_refused("<GenerateSphere name='e' platonicSolid='cube'/>", "tetrahedra", "from a 'cube'");
  check_refused("<GenerateSphere name='e' tessellationDegree='-4'/>", "tetrahedra", "into -4 parts");
  check_refused("<GenerateSphere name='e' BezierTriangleDegree='99'/>", "tetrahedra", "degree of 99");
  check_refused("<ExtrudeEdgesAndGenerateQuads name='e' curveVertices='0 0 0' curveEdges='0 1'/>", "extrudedQuads",
                "entry 1 is 1");
  check_refused("<ExtrudeEdgesAndGenerateQuads name='e' curveVertices='0 0 0' numberOfSections='0'/>", "extrudedQuads",
                "in 0 steps");
  check_refused("<ExtrudeQuadsAndGenerateHexas name='e' surfaceVertices='0 0 0' numberOfSlices='2000000000'/>",
                "extrudedHexas", "too many");
  check_refused("<GenerateRigidMass name='e' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>", "mass", "no volume");
  check_refused("<GenerateRigidMass name='e' position='0 0 0' polygons='5 0 0'/>", "mass", "not complete");
  check_refused("<RandomPointDistributionInSurface name='e'/>", "inPoints", "no surface");
  check_refused("<MeshTetraStuffing name='e'/>", "outputPoints", "no surface to fill");
  check_refused("<MeshTetraStuffing name='e' size='1e-9' inputPoints='0 0 0 1 0 0 0 1 0' inputTriangles='0 1 2'/>",
                "outputPoints", "too many points");
  check_refused("<MeshTetraStuffing name='e' size='0' inputPoints='0 0 0 1 0 0 0 1 0' inputTriangles='0 1 2'/>",
                "outputPoints", "cannot be made");
  check_refused("<MeshBarycentricMapperEngine name='e' mappedPointPositions='0 0 0'/>", "tableElements",
                "finds no mesh");
  check_refused("<MeshTopology position='0 0 0 1 0 0' edges='0 1'/><MeshBarycentricMapperEngine name='e' "
                "inputPositions='0 0 0' mappedPointPositions='0 0 0'/>",
                "tableElements", "inputPositions has 1 points");
  check_refused("<TransformPosition name='e' input_position='0 0 0'/>", "output_position", "needs a normal");
  check_refused("<TransformPosition name='e' method='fromFile' filename='a.doc' input_position='0 0 0'/>",
                "output_position", "no file of a matrix");
  check_refused("<ProjectiveTransformEngine name='e' input_position='0 0 1'/>", "output_position",
                "proj_mat is missing");
  check_refused("<QuatToRigidEngine name='e' positions='0 0 0'/>", "rigids", "no orientations");
  check_refused("<Vertex2Frame name='e' position='0 0 0'/>", "frames", "1 points and 0 normals");
  check_refused("<Vertex2Frame name='e' position='0 0 0' normals='0 0 1' rotation='7'/>", "frames", "7 is no axis");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cylinder_has_the_volume_of_a_prism),
      cmocka_unit_test(a_sphere_comes_near_to_one),
      cmocka_unit_test(bezier_edges_lie_on_the_surface),
      cmocka_unit_test(extrudes_curves_and_surfaces),
      cmocka_unit_test(a_box_has_mass_and_inertia),
      cmocka_unit_test(closes_holes),
      cmocka_unit_test(scatters_points_inside),
      cmocka_unit_test(finds_places_in_elements),
      cmocka_unit_test(moves_points_in_nine_ways),
      cmocka_unit_test(projects_and_dilates),
      cmocka_unit_test(takes_frames_apart_and_together),
      cmocka_unit_test(says_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
