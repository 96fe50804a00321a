// Contraction: its derivative beside differences, a string that is held beside its steady stress, free fibres beside
// their steady length, work beside energy; laws with fibres; bad input.
#include "topology/report.h"

#include "force/fem/hyper/hyper.h"
#include "state/state.h"
#include "support/fd.h"
#include "support/scene.h"

#include <math.h>

#define TETRA \
  "<MeshTopology name='m' position='0 0 0  1 0.1 0  0.1 1 0  0 0.2 1  1 1 1' tetrahedra='0 1 2 3  1 2 4 3'/>"
#define STATES(u) "<MechanicalObject name='x'/><Node name='E'><ElectricalState name='u' position='" u "'/></Node>"

static void the_derivative_is_exact(void **state)
{
  DV_UNUSED(state);
  static const char *const potentials[] = {"1 1 1 1 1", "0.5 0.4 0.6 0.3 0.5", "0 0 0 0 0"};
  for (int k = 0; k < 3; k++) {
    char *text = dv_format("<Node dt='0.01'><DefaultAnimationLoop/>" TETRA
                           "<MechanicalObject name='x'/><Node name='E'><ElectricalState name='u' position='%s'/></Node>"
                           "<ContractionForceField name='ff' fibres='1 0.3 0.1  0.2 1 0' seriesStiffness='4e5' "
                           "viscosity='500'/></Node>",
                           potentials[k]);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
    o.move_x = 0.05;
    o.tolerance = 1e-5;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    // and with bridges that have formed before
    dvObject *ff = fd_find(&s, "ff");
    for (int i = 0; i < 10; i++) {
      fd_force_on(ff, fd_find(&s, "x"));
      ff->cls->end_step(ff);
    }
    assert_true(fd_check_force(ff, &o));
    fd_close(&s);
    dv_free(text);
  }
}

static void turned_bodies_have_turned_forces(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node dt='0.01'><DefaultAnimationLoop/>" TETRA STATES(
      "1 1 1 1 1") "<ContractionForceField name='ff' fibres='1 0.3 0.1  0.2 1 0'/></Node>");
  fdOptions o = fd_options();
  o.checks = FD_RIGID;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// held at its length: e_c' goes to 0, and t_c to s_0; the spring carries it
static void a_held_fibre_reaches_its_stress(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node dt='0.001'><DefaultAnimationLoop/>" TETRA STATES(
      "1 1 1 1 1") "<ContractionForceField name='ff' fibres='1 0 0  0 1 0' stress='50000' stiffness='20000' "
                   "contractionRate='20' seriesStiffness='3e7' viscosity='70'/></Node>");
  dvObject *ff = fd_find(&s, "ff");
  for (int i = 0; i < 1000; i++) {
    fd_force_on(ff, fd_find(&s, "x"));
    ff->cls->end_step(ff);
  }
  const dvReals *t = dv_object_field(ff, "tension")->value, *e = dv_object_field(ff, "contraction")->value;
  for (size_t i = 0; i < 2; i++) {
    double b = 1 + 2 * e->data[i];
    check_close(t->data[i] * 1 / b, 50000, 5);   // t_c = S (1 + 2 e) / (1 + 2 e_c) with e = 0
    assert_true(e->data[i] < 0);
  }
  fd_close(&s);
}

// Without a load the string shortens until the bridges are slack; with relaxation it returns.
static void a_strip_contracts_and_relaxes(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/heart/contraction.scn", 1);
  dvState *x = dv_state(check_find(s, "Strip/shape"));
  size_t tip = 0;
  const double *rest = dv_state_read(x, DV_X_REST);
  for (size_t i = 0; i < x->count; i++)
    if (rest[3 * i] > rest[3 * tip]) tip = i;
  check_steps(s, 40);
  double shortest = dv_state_read(x, DV_X)[3 * tip];
  assert_true(shortest < 0.9 * 0.04);
  check_steps(s, 118);
  check_close(dv_state_read(x, DV_X)[3 * tip], 0.04, 0.002);
  check_close_scene(&s);
}

// --- fibres of hyperelastic laws ---

// axes of an element turn the law: energy and force as of the turned piece of material
static void fibres_turn_the_law(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *law, *parameters;
  } laws[] = {{"Costa", "2000 50000 8 4 2 4 2 2"}, {"HolzapfelOgden", "500 8 18000 16 2500 11 200 11 50000"}};
  for (size_t k = 0; k < DV_COUNT(laws); k++) {
    char *text = dv_format("<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject name='x'/>"
                           "<TetrahedronHyperelasticityFEMForceField name='ff' materialName='%s' ParameterSet='%s' "
                           "fibres='0 1 0  1 1 0' sheets='0 0 1  0 0 1'/></Node>",
                           laws[k].law, laws[k].parameters);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY | FD_RIGID;
    o.tolerance = 1e-5;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
}

static void mooney_and_rivlin_by_name(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject name='x'/>"
                      "<MooneyRivlin name='ff' ParameterSet='800 200 100000'/></Node>");
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY | FD_RIGID;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// factors are times the energy of each tetrahedron, and forces are its derivative
static void stiffness_has_a_factor_for_each_tetrahedron(void **state)
{
  DV_UNUSED(state);
  static const char *const factors[] = {"1 1", "3 1", "1 0.5", "3 0.5"};
  double energy[DV_COUNT(factors)];
  for (size_t k = 0; k < DV_COUNT(factors); k++) {
    char *text = dv_format("<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject name='x'/>"
                           "<MooneyRivlin name='ff' ParameterSet='800 200 100000' stiffnessFactors='%s'/></Node>",
                           factors[k]);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY | FD_RIGID;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    dvState *x = dv_state(fd_find(&s, "x"));
    double *p = dv_state_write(x, DV_X);
    const double *rest = dv_state_read(x, DV_X_REST);
    for (size_t i = 0; i < x->count; i++) p[3 * i + 1] = 1.2 * rest[3 * i + 1];
    energy[k] = fd_energy_of(fd_find(&s, "ff"));
    fd_close(&s);
    dv_free(text);
  }
  double first = (energy[1] - energy[0]) / 2, second = (energy[0] - energy[2]) / 0.5;
  check_close((first + second) / energy[0], 1, 1e-12);
  check_close((3 * first + 0.5 * second) / energy[3], 1, 1e-12);
}

// stretched along y with fibres along y: the law stretched along its first axis
static void fibres_are_where_they_are_said_to_be(void **state)
{
  DV_UNUSED(state);
  double parameters[9] = {500, 8, 18000, 16, 2500, 11, 200, 11, 50000};
  fdScene s = fd_open("<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject name='x'/>"
                      "<TetrahedronHyperelasticityFEMForceField name='ff' materialName='HolzapfelOgden' "
                      "ParameterSet='500 8 18000 16 2500 11 200 11 50000' fibres='0 1 0  0 1 0' sheets='1 0 0  1 0 0'/>"
                      "</Node>");
  dvState *x = dv_state(fd_find(&s, "x"));
  double *p = dv_state_write(x, DV_X), volume = 0;
  const double *rest = dv_state_read(x, DV_X_REST);
  const int32_t tetra[2][4] = {{0, 1, 2, 3}, {1, 2, 4, 3}};
  for (int k = 0; k < 2; k++) {
    dvVec3 c[4];
    for (int i = 0; i < 4; i++) c[i] = dv_vec3_load(rest + 3 * tetra[k][i]);
    volume +=
        fabs(dv_vec3_dot(dv_vec3_sub(c[1], c[0]), dv_vec3_cross(dv_vec3_sub(c[2], c[0]), dv_vec3_sub(c[3], c[0])))) / 6;
  }
  for (size_t i = 0; i < x->count; i++) p[3 * i + 1] = 1.2 * rest[3 * i + 1];
  dvMat3 f = dv_mat3_diagonal(dv_vec3(1.2, 1, 1));
  check_close(fd_energy_of(fd_find(&s, "ff")),
              volume * dv_hyper_evaluate(DV_HOLZAPFEL_OGDEN, parameters, f, NULL, NULL), 1e-9 * volume * parameters[2]);
  // by hand: 18000 / 32 (exp(16 * 0.44^2) - 1) for the fibres
  double fibres = 18000.0 / 32 * (exp(16 * 0.44 * 0.44) - 1), i1 = pow(1.2, -2.0 / 3) * (1.44 + 2),
         ground = 500.0 / 16 * (exp(8 * (i1 - 3)) - 1), bulk = 25000 * log(1.2) * log(1.2);
  check_close(dv_hyper_evaluate(DV_HOLZAPFEL_OGDEN, parameters, f, NULL, NULL), fibres + ground + bulk, 1e-6);
  fd_close(&s);
}

// --- bad input ---

static void passive_laws_that_give_way_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *law;
    bool stable;
  } laws[] = {{"'MooneyRivlin' ParameterSet='800 200 100000'", true},
              {"'MooneyRivlin' ParameterSet='800 -200 100000'", true},
              {"'MooneyRivlin' ParameterSet='5000 0 0'", true},   // nothing but rounding
              {"'MooneyRivlin' ParameterSet='-800 200 100000'", false},
              {"'MooneyRivlin' ParameterSet='800 200 -100000'", false},
              {"'Ogden' ParameterSet='1000 -2 1000'", true},
              {"'Ogden' ParameterSet='-1000 2 1000'", false},
              {"'Guccione' ParameterSet='-2000 1e5 8 2 4'", false}};
  for (size_t i = 0; i < DV_COUNT(laws); i++) {
    Report r;
    char *text = dv_format("<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/>"
                           "<TetrahedronHyperelasticityFEMForceField materialName=%s/></Node>",
                           laws[i].law);
    report_good(&r, text);
    if (laws[i].stable) assert_null(strstr(r.messages.text ? r.messages.text : "", "not stable"));
    else report_says(&r, "not stable at rest");
    report_end(&r);
    dv_free(text);
  }
}

static void bad_contraction_is_told(void **state)
{
  DV_UNUSED(state);
  static const Refusal bad[] = {
      {"<Node><DefaultAnimationLoop/>" TETRA STATES("0") "<ContractionForceField/></Node>", "there are no fibres"},
      {"<Node><DefaultAnimationLoop/>" TETRA STATES("0") "<ContractionForceField fibres='0 0 0 1 0 0'/></Node>",
       "no direction"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><ContractionForceField fibres='1 0 0 1 0 0'/></Node>",
       "no potential"},
      {"<Node><DefaultAnimationLoop/>" TETRA STATES(
           "0 0 0 0 0") "<ContractionForceField fibres='1 0 0 1 0 0' seriesStiffness='0'/></Node>",
       "no stiffness"},
      {"<Node><DefaultAnimationLoop/>" TETRA STATES(
           "0 0 0 0 0") "<ContractionForceField fibres='1 0 0 1 0 0' viscosity='-1'/></Node>",
       "viscosity is -1"},
      {"<Node><DefaultAnimationLoop/>" TETRA STATES(
           "0 0 0 0 0") "<ContractionForceField fibres='1 0 0 1 0 0' thresholds='1 0'/></Node>",
       "thresholds"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><TetrahedronHyperelasticityFEMForceField "
       "materialName='HolzapfelOgden' ParameterSet='1 0 1 1 1 1 1 1 1'/></Node>",
       "exponent"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><TetrahedronHyperelasticityFEMForceField "
       "materialName='HolzapfelOgden' ParameterSet='1 1 -1 1 1 1 1 1 1'/></Node>",
       "a stress a is -1"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><TetrahedronHyperelasticityFEMForceField "
       "materialName='HolzapfelOgden' ParameterSet='1 1 1 1 1 1 1 1 1' fibres='1 0 0'/></Node>",
       "1 fibres"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><TetrahedronHyperelasticityFEMForceField "
       "materialName='HolzapfelOgden' ParameterSet='1 1 1 1 1 1 1 1 1' fibres='1 0 0 1 0 0' sheets='1 0 0 1 0 "
       "0'/></Node>",
       "runs along its fibre"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><MooneyRivlin ParameterSet='800 200 100000' "
       "stiffnessFactors='1'/></Node>",
       "1 factors for 2 tetrahedra"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><MooneyRivlin ParameterSet='800 200 100000' "
       "stiffnessFactors='1 0'/></Node>",
       "tetrahedron 1 would be 0 times as stiff"},
      {"<Node><DefaultAnimationLoop/>" TETRA "<MechanicalObject/><TissueZone name='z' tetrahedra='0' stiffness='0'/>"
       "<MooneyRivlin ParameterSet='800 200 100000' stiffnessFactors='@z.stiffnesses'/></Node>",
       "nothing is 0 times as stiff"},
  };
  report_refused(bad, DV_COUNT(bad));
}

static void odd_muscle_is_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *given, *says;
  } odd[] = {
      {"thresholds='2 3'", "thresholds are 2 and 3: the muscle will never pull"},
      {"thresholds='-3 -2'", "thresholds are -3 and -2: the muscle pulls all the time"},
      {"stress='0'", "stress is 0 Pa: the muscle does not pull"},
      {"stress='1e20'", "stress is 1e+20 Pa: no muscle pulls so"},
      {"seriesStiffness='1000'", "seriesStiffness is 1000 Pa: the spring in series would be stretched to 101 times"},
      {"viscosity='1e9'", "viscosity is 1e+09 Pa s: the muscle would pull 200000 times less than its own drag"},
      {"contractionRate='0'", "contractionRate is 0 1/s: bridges do not bind"},
      {"relaxationRate='1e-30'", "relaxationRate is 1e-30 1/s: the muscle does not relax"},
  };
  for (size_t i = 0; i < DV_COUNT(odd); i++) {
    Report r;
    char *text = dv_format("<Node><DefaultAnimationLoop/>" TETRA STATES(
                               "0 0 0 0 0") "<ContractionForceField fibres='1 0 0 1 0 0' %s/></Node>",
                           odd[i].given);
    report_good(&r, text);
    report_says(&r, odd[i].says);
    report_end(&r);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_derivative_is_exact),
                                     cmocka_unit_test(turned_bodies_have_turned_forces),
                                     cmocka_unit_test(a_held_fibre_reaches_its_stress),
                                     cmocka_unit_test(a_strip_contracts_and_relaxes),
                                     cmocka_unit_test(fibres_turn_the_law),
                                     cmocka_unit_test(mooney_and_rivlin_by_name),
                                     cmocka_unit_test(stiffness_has_a_factor_for_each_tetrahedron),
                                     cmocka_unit_test(fibres_are_where_they_are_said_to_be),
                                     cmocka_unit_test(passive_laws_that_give_way_are_told),
                                     cmocka_unit_test(odd_muscle_is_told),
                                     cmocka_unit_test(bad_contraction_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
