// Blood in vessels: the speed of pulse waves, ends that do not reflect, reflection where a vessel divides, Poiseuille's
// resistance, what is kept, contrast agent, leaks, bad input.
#include "topology/report.h"

#include "fluid/vessel/parts.h"
#include "state/state.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>

static double number(dvScene *s, const char *path, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, path), name)->value;
}

static const double *list(dvScene *s, const char *path, const char *name)
{
  return ((const dvReals *)dv_object_field(check_find(s, path), name)->value)->data;
}

// a line of four points on a metre
#define LINE                                                                                                  \
  "<MeshTopology position='0 0 0  0.25 0 0  0.75 0 0  1 0 0' edges='0 1  1 2  2 3'/><VesselNetwork name='n' " \
  "radius='0.01' "                                                                                            \
  "thickness='0.001' youngModulus='400000' cellLength='0.005' restPressure='1000' venousPressure='1000' "
#define PULSE "inflow='1e-6 * exp(-((t - 0.03) / 0.006)^2)' "

// the moment at which a field's value is largest, by a parabola through three of them
typedef struct Peak {
  double value, time, before[2], last;
} Peak;

static void watch(Peak *p, double time, double dt, double value)
{
  if (p->before[0] > p->value && p->before[0] >= p->before[1] && p->before[0] >= value) {
    double a = p->before[1], b = p->before[0], c = value;
    p->value = b, p->time = time - dt + 0.5 * dt * (a - c) / (a - 2 * b + c);
  }
  p->before[1] = p->before[0], p->before[0] = value;
}

static void pulse_waves_have_their_speed(void **state)
{
  DV_UNUSED(state);
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    char text[800];
    snprintf(text, sizeof text,
             "<Node dt='0.0005'><DefaultAnimationLoop/>" LINE PULSE "%s viscosity='0' resistance='0'/></Node>", "");
    dvScene *s = check_scene(text, 1);
    if (fine) {
      check_close_scene(&s);
      char *at = strstr(text, "cellLength='0.005'");
      memcpy(at, "cellLength='0.002'", 18);
      s = check_scene(text, 1);
    }
    Peak first = {0}, second = {0};
    for (int i = 0; i < 660; i++) {
      check_steps(s, 1);
      const double *p = list(s, "n", "pressures");
      watch(&first, 0.0005 * (i + 1), 0.0005, p[1] - 1000), watch(&second, 0.0005 * (i + 1), 0.0005, p[2] - 1000);
    }
    double theory = sqrt(2 * 400000 * 0.001 / (3 * 1060 * 0.01)), found = 0.5 / (second.time - first.time);
    error[fine] = found / theory - 1;
    assert_true(fabs(error[fine]) < 0.005);
    // the wave keeps its height, that of the inflow times the resistance that waves find
    double height = 1060 * theory / (M_PI * 1e-4) * 1e-6;
    check_close(first.value, height, 0.01 * height);
    check_close(second.value, height, 0.02 * height);
    // and leaves without a trace
    const double *p = list(s, "n", "pressures");
    for (int i = 0; i < 4; i++) check_close(p[i], 1000, 0.01 * height);
    check_close_scene(&s);
  }
}

// Where a vessel divides into two a part (Y - Y1 - Y2) / (Y + Y1 + Y2) of a wave comes back, Y = A / (rho c).
static void waves_are_reflected_where_a_vessel_divides(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.0005'><DefaultAnimationLoop/><MeshTopology position='0 0 0  0.5 0 0  1 0 0  "
                           "1.001 0 0  2 0.5 0  2 -0.5 0' "
                           "edges='0 1  1 2  2 3  3 4  3 5'/><VesselNetwork name='n' radius='0.01 0.01 0.01 0.006 "
                           "0.006 0.006' thickness='0.001' "
                           "restPressure='0' venousPressure='0' cellLength='0.004' viscosity='0' resistance='0' " PULSE
                           "/></Node>",
                           1);
  Peak there = {0}, back = {.value = 0};
  double least = 0;
  for (int i = 0; i < 700; i++) {
    check_steps(s, 1);
    double time = 0.0005 * (i + 1), p = list(s, "n", "pressures")[1];
    if (time < 0.2) watch(&there, time, 0.0005, p);
    else watch(&back, time, 0.0005, p), least = fmin(least, p);
  }
  // beta = 4/3 sqrt(pi) E h / A, c = sqrt(beta sqrt A / 2 rho) = sqrt(2 E h / (3 rho r)): Y ~ r^2.5
  double y = pow(0.01, 2.5), y2 = 2 * pow(0.006, 2.5), part = (y - y2) / (y + y2);
  assert_true(part > 0);
  check_close(back.value / there.value, part, 0.02);
  check_close_scene(&s);
}

// Poiseuille: p_1 - p_2 = 8 mu L Q / (pi r^4), and what the outlet's resistance makes.
static void steady_flow_has_poiseuilles_resistance(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node dt='0.002'><DefaultAnimationLoop/><MeshTopology position='0 0 0  0.1 0 0  0.2 0 0  0.2 0.1 0' "
                  "edges='0 1  1 2  1 3'/><VesselNetwork name='n' radius='0.002' thickness='0.0005' "
                  "youngModulus='4e6' inflow='4e-6' resistance='2e9 3e9' restPressure='5000' cellLength='0.01'/>"
                  "</Node>",
                  1);
  check_steps(s, 600);
  const double *p = list(s, "n", "pressures"), *q = list(s, "n", "flows"), *r = list(s, "n", "radii");
  check_close(q[0], 4e-6, 1e-9);
  check_close(q[1] + q[2], 4e-6, 1e-9);
  check_close(p[2], 2e9 * q[1], 0.002 * p[2]);
  check_close(p[3], 3e9 * q[2], 0.002 * p[3]);
  for (int e = 0; e < 3; e++) {
    int a = e ? 1 : 0, b = e + 1;
    double mean = 0.5 * (r[a] + r[b]), length = e == 2 ? hypot(0.1, 0.1) : 0.1;
    // beside friction blood is slowed where its flow divides: that is pressure won, and small
    double theory = 8 * 0.0035 * length * q[e] / (M_PI * pow(mean, 4));
    check_close(p[a] - p[b], theory, 0.02 * theory);
  }
  check_close_scene(&s);
}

static void nothing_is_lost(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.005'><DefaultAnimationLoop/><Node name='V'><MeshTopology position='0 0 0  0.1 0 0  0.2 0.05 0  0.2 "
      "-0.05 0' "
      "edges='0 1  1 2  1 3'/><VesselNetwork name='n' radius='0.003' inflow='5e-6 * (1 + sin(6 * t))' resistance='1e9' "
      "compliance='1e-10' contrastInflow='pulse(t / 10, 0.05)'/></Node>"
      "<Node name='B'><EulerExplicitSolver/><MechanicalObject name='mo'/><UniformMass vertexMass='1.06e-5'/>"
      "<VesselLeak name='leak' network='@../V/n' point='2' area='1e-6' start='0.2'/></Node></Node>",
      1);
  const dvBloodFlow *v = dv_network_vessels(check_find(s, "V/n"));
  double start = number(s, "V/n", "volume"), dye = 0, most = 0;
  check_steps(s, 39);
  assert_true(number(s, "B/leak", "lost") == 0);
  check_steps(s, 161);
  double lost = number(s, "B/leak", "lost"), now = number(s, "V/n", "volume");
  assert_true(lost > 1e-7);
  // the leak learns of its last loss in the next step
  double hole = dv_leak_hole(check_find(s, "B/leak"))->lost;
  check_close(now - start, number(s, "V/n", "totalIn") - number(s, "V/n", "totalOut") - hole, 1e-12 * start);
  for (size_t i = 0; i < v->dye.count; i++) {
    double part = v->dye.data[i] / v->volume.data[i];
    assert_true(part >= 0 && part <= 1 + 1e-9);
    dye += v->dye.data[i], most = fmax(most, part);
  }
  assert_true(dye > 0 && most > 0.05);
  // particles carry what was lost, and the hole lets through what its pressure drives
  int32_t count = *(const int32_t *)dv_object_field(check_find(s, "B/leak"), "count")->value;
  assert_int_equal(count, (int)floor(lost / 1e-8));
  assert_int_equal(dv_state(check_find(s, "B/mo"))->count, count);
  double p = list(s, "V/n", "pressures")[2], theory = 0.6 * 1e-6 * sqrt(2 * p / 1060);
  check_close(number(s, "B/leak", "flow"), theory, 0.02 * theory);
  check_close_scene(&s);
}

// A front of contrast agent goes with the mean speed of the blood and stays a front.
static void contrast_goes_with_the_blood(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.01'><DefaultAnimationLoop/>" LINE
                           "inflow='3.14159265e-5' contrastInflow='1' viscosity='0' resistance='0'/></Node>",
                           1);
  check_steps(s, 500);   // 0.1 m/s for 5 s: half a metre
  const dvBloodFlow *v = dv_network_vessels(check_find(s, "n"));
  double dye = 0, area = 0, wide = 0;
  for (size_t i = 0; i < v->dye.count; i++) {
    double part = v->dye.data[i] / v->volume.data[i];
    dye += v->dye.data[i];
    if (part > 0.05 && part < 0.95) wide += v->points.data[i].length;
    area = fmax(area, v->volume.data[i] / v->points.data[i].length);
  }
  check_close(dye, 3.14159265e-5 * 5, 1e-4 * dye);
  check_close(dye / area, 0.5, 0.01);
  assert_true(wide < 0.08);
  check_close_scene(&s);
}

// Vessels on points that move: a leak drips where its point is, with its speed, and the flow is that of vessels at
// rest.
static void vessels_go_with_their_points(void **state)
{
  DV_UNUSED(state);
  dvScene *scenes[2];
  for (int moves = 0; moves < 2; moves++) {
    char *text = dv_format(
        "<Node dt='0.005' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/><Node name='Frame'>"
        "<MechanicalObject name='body' template='Rigid3' position='0 0 0 0 0 0 1' velocity='0 %d 0 0 0 "
        "0'/><UniformMass "
        "totalMass='1'/><Node name='V'><MeshTopology name='tree' position='0 0 0  0.1 0 0  0.2 0 0' edges='0 1  1 2'/>"
        "<MechanicalObject name='points' position='@tree.position'/><RigidMapping/><VesselNetwork name='n' "
        "radius='0.003' inflow='5e-6' resistance='1e9'/></Node></Node><Node name='B'><MechanicalObject name='mo'/>"
        "<UniformMass vertexMass='1.06e-5'/><VesselLeak name='leak' network='@../Frame/V/n' point='2' area='1e-6' "
        "direction='1 0 0'/></Node></Node>",
        moves);
    scenes[moves] = check_scene(text, 1);
    dv_free(text);
    check_steps(scenes[moves], 100);
  }
  const dvState *still = dv_state(check_find(scenes[0], "B/mo")), *moved = dv_state(check_find(scenes[1], "B/mo"));
  assert_true(still->count > 3 && moved->count == still->count);
  check_close(number(scenes[0], "B/leak", "lost"), number(scenes[1], "B/leak", "lost"), 0);
  // nothing holds the particles: all are as high as the frame, 0.5 m up, and where they would be along the jet
  for (size_t i = 0; i < moved->count; i++) {
    const double *a = dv_state_read(still, DV_X) + 3 * i, *b = dv_state_read(moved, DV_X) + 3 * i;
    check_close(b[0], a[0], 1e-12);
    check_close(b[1], a[1] + 0.5, 0.0051);   // particles leave with the points of the step before
    check_close(dv_state_read(moved, DV_V)[3 * i + 1], 1, 1e-12);
  }
  for (int k = 0; k < 2; k++) check_close_scene(&scenes[k]);
}

// Tubes around the vessels: closed, as wide as these, with the contrast agent of their piece.
static void tubes_are_closed_and_as_wide_as_vessels(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.01'><DefaultAnimationLoop/><MeshTopology position='0 0 0  0.1 0 0  0.1 0.2 0' "
                           "edges='0 1  1 2'/><VesselNetwork name='n' radius='0.01' cellLength='0.02' sides='16' "
                           "absorption='100' inflow='1e-5' contrastInflow='0.5'/></Node>",
                           1);
  check_steps(s, 100);
  dvSketch sketch = {0};
  dvObject *o = check_find(s, "n");
  ((const dvVisualOps *)dv_ops(o, DV_ROLE_VISUAL))->sketch(o, &sketch);
  assert_int_equal(sketch.kind, DV_SKETCH_SKIN);
  check_close(sketch.absorption, 100, 0);
  const dvReals *x = sketch.positions->value, *c = sketch.values->value;
  const int32_t *t = sketch.triangles->data;
  double volume = 0, flat[3] = {0}, radius = list(s, "n", "radii")[1];
  for (size_t i = 0; i < sketch.triangles->count; i += 3) {
    const double *p[3];
    for (int k = 0; k < 3; k++) p[k] = x->data + 3 * t[i + (size_t)k];
    for (int k = 0; k < 3; k++) {
      int m = (k + 1) % 3, n = (k + 2) % 3;
      flat[k] += (p[1][m] - p[0][m]) * (p[2][n] - p[0][n]) - (p[1][n] - p[0][n]) * (p[2][m] - p[0][m]);
      volume += p[0][k] * (p[1][m] * p[2][n] - p[1][n] * p[2][m]) / 6;
    }
  }
  for (int k = 0; k < 3; k++) check_close(flat[k], 0, 1e-12);   // closed: the faces have no sum
  double polygon = 8 * sin(2 * M_PI / 16);                      // of 16 sides, in squares of its radius
  check_close(volume / (polygon * radius * radius * 0.3), 1, 0.02);
  assert_true(c->data[0] > 0.2 && c->data[0] <= 0.5 && c->data[c->count - 1] < c->data[0]);
  check_close_scene(&s);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
#define MESH "<MeshTopology position='0 0 0  1 0 0' edges='0 1'/>"
  static const Refusal refusals[] = {
      {"<Node><VesselNetwork/></Node>", "there is no mesh of vessels"},
      {"<Node><MeshTopology position='0 0 0'/><VesselNetwork/></Node>", "there are no vessels"},
      {"<Node>" MESH
       "<Node name='N'><MechanicalObject name='m' position='0 0 0'/></Node><VesselNetwork state='@N/m'/></Node>",
       "the vessels have 2 points"},
      {"<Node>" MESH "<VesselNetwork inlet='7'/></Node>", "there is no point 7"},
      {"<Node>" MESH "<VesselNetwork radius='-1'/></Node>", "-1 is not above 0"},
      {"<Node>" MESH "<VesselNetwork radius='1 1 1'/></Node>", "3 numbers for 2 places"},
      {"<Node>" MESH "<VesselNetwork resistance='1 2'/></Node>", "2 numbers for 1 places"},
      {"<Node>" MESH "<VesselNetwork cellLength='1e-9'/></Node>", "would be more than 2000000"},
      {"<Node>" MESH "<VesselNetwork cellLength='0'/></Node>", "not above 0"},
      {"<Node>" MESH "<VesselNetwork inflow='1 +'/></Node>", "write an expression"},
      {"<Node>" MESH "<VesselNetwork density='0'/></Node>", "make no sense"},
      {"<Node><MeshTopology position='0 0 0  0 0 0' edges='0 1'/><VesselNetwork/></Node>", "has no length"},
      {"<Node><MeshTopology position='0 0 0  1 0 0  2 0 0' edges='0 1'/><VesselNetwork/></Node>", "have no edges"},
      {"<Node><MechanicalObject/><VesselLeak/></Node>", "there are no vessels to leak"},
      {"<Node>" MESH
       "<VesselNetwork name='n'/><Node><MechanicalObject/><VesselLeak network='@../n' point='9'/></Node></Node>",
       "has no point 9"},
      {"<Node>" MESH "<VesselNetwork name='n'/><Node><MechanicalObject/><VesselLeak network='@../n' direction='0 0 "
       "0'/></Node></Node>",
       "has no direction"},
  };
  for (size_t i = 0; i < DV_COUNT(refusals); i++) {
    Report r;
    report_start(&r, refusals[i].scene);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, refusals[i].message);
    report_end(&r);
  }
  static const Refusal runs[] = {
      {"<Node dt='0.01'><DefaultAnimationLoop/>" MESH "<VesselNetwork inflow='-1e-3' cellLength='0.1'/></Node>",
       "has collapsed"},
      {"<Node dt='1000'><DefaultAnimationLoop/>" MESH "<VesselNetwork/></Node>", "make dt shorter"},
      {"<Node dt='0.01'><DefaultAnimationLoop/>" MESH "<VesselNetwork inflow='log(0-1)'/></Node>", "is not finite"},
  };
  for (size_t i = 0; i < DV_COUNT(runs); i++) {
    Report r;
    report_good(&r, runs[i].scene);
    dvStatus status = DV_OK;
    for (int k = 0; k < 200 && status == DV_OK; k++) status = dv_scene_step(r.scene, 0);
    assert_int_not_equal(status, DV_OK);
    report_says(&r, runs[i].message);
    report_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pulse_waves_have_their_speed),
      cmocka_unit_test(waves_are_reflected_where_a_vessel_divides),
      cmocka_unit_test(steady_flow_has_poiseuilles_resistance),
      cmocka_unit_test(nothing_is_lost),
      cmocka_unit_test(contrast_goes_with_the_blood),
      cmocka_unit_test(vessels_go_with_their_points),
      cmocka_unit_test(tubes_are_closed_and_as_wide_as_vessels),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
