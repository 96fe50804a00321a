// TearingEngine: stresses against their closed form, the threshold, what is kept, bounds on tears, bad input.
#include "topology/report.h"

#include "math/vec.h"
#include "mechanics/mechanics.h"
#include "state/state.h"
#include "support/scene.h"

#include <math.h>

static double sum_of(dvObject *o, const char *field)
{
  dvField *f = dv_object_field(o, field);
  assert_int_equal(dv_field_pull(f), DV_OK);
  const dvReals *r = f->value;
  double sum = 0;
  for (size_t i = 0; i < r->count; i++) sum += r->data[i];
  return sum;
}

static double number(const Report *r, const char *path, const char *field)
{
  return *(const double *)dv_object_field(report_find(r, path), field)->value;
}

static int count(const Report *r, const char *path, const char *field)
{
  return *(const int32_t *)dv_object_field(report_find(r, path), field)->value;
}

static double rest_area(dvTopology *t, const dvState *s)
{
  const dvInts *list = dv_topology_elements(t, DV_TRIANGLE);
  const double *x = dv_state_read(s, DV_X_REST);
  double sum = 0;
  for (size_t i = 0; i < dv_ints_size(list); i++) {
    const int32_t *c = list->data + 3 * i;
    dvVec3 a = dv_vec3_load(x + 3 * (size_t)c[0]), u = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)c[1]), a),
           v = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)c[2]), a);
    sum += 0.5 * dv_vec3_norm(dv_vec3_cross(u, v));
  }
  return sum;
}

// a sheet without a solver: it is where the test puts it
#define SHEET(more)                                                                                      \
  "<Node name='root' dt='0.01'><RegularGridTopology name='grid' n='7 5 1' min='0 0 0' max='0.6 0.4 0'/>" \
  "<Node name='cells'><TriangleSetTopologyContainer name='all' position='@/grid.position'/>"             \
  "<Quad2TriangleTopologicalMapping input='@/grid' output='@all'/></Node>"                               \
  "<Node name='m'><TriangleSetTopologyContainer name='mesh' position='@/grid.position' "                 \
  "triangles='@/cells/all.triangles'/>"                                                                  \
  "<MechanicalObject name='dofs'/><DiagonalMass name='mass' massDensity='2'/>"                           \
  "<TriangularFEMForceField youngModulus='1000' poissonRatio='0.3' method='large'/>"                     \
  "<TearingEngine name='tearing' " more "/></Node></Node>"

static void stretch(dvState *s, double x, double y)
{
  const double *rest = dv_state_read(s, DV_X_REST);
  double *to = dv_state_write(s, DV_X);
  // turned by a third of a circle about z, which changes no stress
  double c = cos(2), n = sin(2);
  for (size_t i = 0; i < s->count; i++) {
    double a = x * rest[3 * i], b = y * rest[3 * i + 1];
    to[3 * i] = c * a - n * b, to[3 * i + 1] = n * a + c * b, to[3 * i + 2] = 0;
  }
  dv_state_touch(s, DV_X);
}

static void a_sheet_tears_at_the_stated_stress(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, SHEET("stressThreshold='100'"));
  dvState *s = dv_state(report_find(&r, "m/dofs"));
  dvTopology *t = dv_topology(report_find(&r, "m/mesh"));
  double mass = sum_of(report_find(&r, "m/mass"), "vertexMass"), area = rest_area(t, s);
  size_t points = s->count;
  check_close(area, 0.24, 1e-12);
  check_close(mass, 0.48, 1e-12);
  // stretched both ways: s1 = E / (1 - nu^2) (e1 + nu e2)
  stretch(s, 1.05, 1.02);
  assert_int_equal(dv_scene_step(r.scene, 0.01), DV_OK);
  check_close(number(&r, "m/tearing", "maxStress"), 1000 / 0.91 * (0.05 + 0.3 * 0.02), 1e-10);
  assert_int_equal(count(&r, "m/tearing", "tears"), 0);
  // a strip that narrows as it likes: s1 = E e
  stretch(s, 1.09999, 1 - 0.3 * 0.09999);
  assert_int_equal(dv_scene_step(r.scene, 0.01), DV_OK);
  check_close(number(&r, "m/tearing", "maxStress"), 99.99, 1e-10);
  assert_int_equal(count(&r, "m/tearing", "tears"), 0);
  assert_int_equal(s->count, points);
  stretch(s, 1.10001, 1 - 0.3 * 0.10001);
  assert_int_equal(dv_scene_step(r.scene, 0.01), DV_OK);
  assert_int_equal(count(&r, "m/tearing", "tears"), 1);   // one in a step
  assert_true(s->count > points);
  check_close(sum_of(report_find(&r, "m/mass"), "vertexMass"), mass, 1e-12);
  check_close(rest_area(t, s), area, 1e-12);
  report_end(&r);
}

static void tears_are_bounded(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, SHEET("elongationThreshold='1.1' maxPerStep='3' nbFractureMax='7'"));
  dvState *s = dv_state(report_find(&r, "m/dofs"));
  const int expected[] = {3, 6, 7, 7};
  for (size_t i = 0; i < DV_COUNT(expected); i++) {
    stretch(s, 1.2, 1);
    assert_int_equal(dv_scene_step(r.scene, 0.01), DV_OK);
    assert_int_equal(count(&r, "m/tearing", "tears"), expected[i]);
  }
  check_close(sum_of(report_find(&r, "m/mass"), "vertexMass"), 0.48, 1e-12);
  report_end(&r);
}

// the longest edges go first, points stay
static void threads_of_a_net_break(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node name='root' dt='0.01'><EdgeSetTopologyContainer name='net' position='0 0 0 1 0 0 2 0 0 3 0 0' "
                  "edges='0 1 1 2 2 3'/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"
                  "<MeshSpringForceField name='springs' linesStiffness='1'/>"
                  "<TearingEngine name='tearing' elongationThreshold='1.25'/></Node>");
  dvState *s = dv_state(report_find(&r, "dofs"));
  dvTopology *t = dv_topology(report_find(&r, "net"));
  const double x[] = {0, 1.2, 2.6, 4.1};
  for (size_t i = 0; i < 4; i++) dv_state_write(s, DV_X)[3 * i] = x[i];
  const size_t left[] = {2, 1, 1};   // 1.5, then 1.4; 1.2 holds
  for (size_t i = 0; i < DV_COUNT(left); i++) {
    assert_int_equal(dv_scene_step(r.scene, 0.01), DV_OK);
    assert_int_equal(dv_topology_count(t, DV_EDGE), left[i]);
  }
  assert_int_equal(dv_topology_elements(t, DV_EDGE)->data[1], 1);
  assert_int_equal(s->count, 4);
  report_end(&r);
}

static size_t pieces(dvTopology *t)
{
  size_t n = dv_topology_point_count(t), found = 0;
  const dvInts *list = dv_topology_elements(t, DV_TRIANGLE);
  int32_t *piece = dv_alloc((n + 1) * sizeof *piece);
  for (size_t i = 0; i < n; i++) piece[i] = (int32_t)i;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < list->count; i++) {
      int32_t *a = &piece[list->data[i]], *b = &piece[list->data[i / 3 * 3]], least = *a < *b ? *a : *b;
      changed = changed || *a != *b;
      *a = *b = least;
    }
  }
  for (size_t i = 0; i < n; i++) found += piece[i] == (int32_t)i;
  dv_free(piece);
  return found;
}

// the scene of the component: from a notch right across, with the same bits each time
static void a_notched_strip_parts(void **state)
{
  DV_UNUSED(state);
  uint64_t hash[2];
  for (int run = 0; run < 2; run++) {
    dvScene *scene = check_scene_file("scenes/TearingEngine.scn", run + 1);
    dvTopology *t = dv_topology(check_find(scene, "Membrane/mesh"));
    double mass = sum_of(check_find(scene, "Membrane/DiagonalMass1"), "vertexMass");
    check_steps(scene, 40);
    assert_int_equal(pieces(t), 1);
    check_steps(scene, 80);
    assert_int_equal(pieces(t), 2);
    check_close(sum_of(check_find(scene, "Membrane/DiagonalMass1"), "vertexMass"), mass, 1e-12);
    hash[run] = dv_scene_hash(scene);
    check_close_scene(&scene);
  }
  assert_true(hash[0] == hash[1]);
}

static void says(const char *text, const char *part)
{
  Report r;
  report_start(&r, text);
  report_says(&r, part);
  report_end(&r);
}

static void bad_input_is_told(void **state)
{
  DV_UNUSED(state);
  says(SHEET(""), "there is no threshold");
  says(SHEET("stressThreshold='1' maxPerStep='0'"), "maxPerStep is at least 1");
  says(SHEET("stressThreshold='1' snap='2'"), "snap from 0 to 0.49");
  says("<Node name='root'><TearingEngine/></Node>", "finds no topology");
  says("<Node name='root'><TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
       "<TearingEngine elongationThreshold='2'/></Node>",
       "has no points that move");
  says("<Node name='root'><TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
       "<MechanicalObject/><TearingEngine stressThreshold='2'/></Node>",
       "needs a force with youngModulus");
  says("<Node name='root'><TetrahedronSetTopologyContainer position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"
       "<MechanicalObject/><TearingEngine elongationThreshold='2'/></Node>",
       "has volumes");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sheet_tears_at_the_stated_stress),
      cmocka_unit_test(tears_are_bounded),
      cmocka_unit_test(threads_of_a_net_break),
      cmocka_unit_test(a_notched_strip_parts),
      cmocka_unit_test(bad_input_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
