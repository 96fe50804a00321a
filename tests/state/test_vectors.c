// Vectors by owner: numbers that are taken and given back, what a state holds under them, what the last good step
// shares, tangents that only implicit steps keep, and states that live elsewhere.
#include "support/check.h"
#include "support/scene.h"

#include "mechanics/component.h"

#include <string.h>

// --- numbers -------------------------------------------------------------------------------------

#define POINTS                                                                                               \
  "<Node name='root' gravity='0 0 0' dt='0.01'><MechanicalObject name='mo' position='0 0 0  1 0 0  0 2 0'/>" \
  "<MechanicalObject name='other' template='Rigid3' position='0 0 0 0 0 0 1'/></Node>"

static void numbers_belong_to_their_owner(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene(POINTS, 1);
  const dvObject *one = &scene->root->base, *two = check_find(scene, "mo");
  int a = 0, b = 0, c = 0, x = 0;
  dv_vecs_take(one, DV_VEC_DERIV, &a, &b);
  dv_vec_take(two, DV_VEC_DERIV, &c);
  dv_vec_take(two, DV_VEC_COORD, &x);
  assert_true(a >= DV_VEC_SCENE && a != b && a != c && b != c);
  assert_true(!dv_vec_is_coord(a) && !dv_vec_is_coord(b) && !dv_vec_is_coord(c) && dv_vec_is_coord(x));
  int before = a;
  dv_vec_take(one, DV_VEC_DERIV, &a);   // it has one
  assert_int_equal(a, before);
  dv_vec_give(one, &a);
  assert_int_equal(a, 0);
  dv_vec_give(one, &a);   // nothing to give
  dv_vec_take(two, DV_VEC_DERIV, &a);
  assert_int_equal(a, before);   // numbers stay small
  dv_vecs_give(two, &a, &c, &x);
  dv_vec_give(one, &b);
  check_close_scene(&scene);
}

static void a_number_starts_from_zeros_whoever_had_it(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene(POINTS, 1);
  dvState *s = dv_state(check_find(scene, "mo")), *rigid = dv_state(check_find(scene, "other"));
  int v = 0, x = 0;
  for (int round = 0; round < 3; round++) {
    dv_vec_take(&s->base, DV_VEC_DERIV, &v);
    dv_vec_take(&s->base, DV_VEC_COORD, &x);
    assert_false(dv_state_has(s, v));
    const double *zeros = dv_state_read(s, v);
    for (size_t i = 0; i < 9; i++) check_close(zeros[i], 0, 0);
    assert_false(dv_state_has(s, v));   // reading makes nothing
    double *values = dv_state_write(s, v);
    for (size_t i = 0; i < 9; i++) {
      check_close(values[i], 0, 0);
      values[i] = 7 + round;
    }
    assert_true(dv_state_has(s, v));
    check_close(dv_state_read(s, v)[8], 7 + round, 0);
    double *frame = dv_state_write(rigid, x);   // new frames are the identity
    check_close(frame[6], 1, 0);
    frame[6] = 3;
    dv_vecs_give(&s->base, &v, &x);
  }
  check_close_scene(&scene);
}

static void count_vector(void *user, dvState *s, int id, dvReals *values)
{
  int *count = user;
  assert_int_equal(values->count, dv_state_scalars(s, id));
  ++*count;
}

static void vectors_follow_the_size_of_their_state(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene(POINTS, 1);
  dvState *s = dv_state(check_find(scene, "mo"));
  int v = 0, gone = 0, before = 0, after = 0;
  dv_state_each_vector(s, count_vector, &before);
  dv_vecs_take(&s->base, DV_VEC_DERIV, &v, &gone);
  dv_state_write(s, v)[8] = 5;
  dv_state_write(s, gone)[8] = 5;
  dv_vec_give(&s->base, &gone);
  assert_true(dv_state_resize(s, 5));
  dv_state_each_vector(s, count_vector, &after);
  assert_int_equal(after, before + 1);   // what nobody owns does not count
  check_close(dv_state_read(s, v)[8], 5, 0);
  check_close(dv_state_read(s, v)[14], 0, 0);
  dv_vec_give(&s->base, &v);
  check_close_scene(&scene);
}

// --- two integrators in a node -------------------------------------------------------------------

// The acceleration that Newmark carries from step to step is its own, whatever runs beside it: a mass on a spring,
// moved by both in turn, against both formulas for one number.
static void newmark_keeps_its_acceleration_beside_another(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='0 0 0' dt='0.02'><DefaultAnimationLoop/><Node name='A'><NewmarkImplicitSolver/>"
      "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-15' threshold='1e-300'/>"
      "<MechanicalObject name='mo' template='Vec1' position='1' rest_position='0'/><UniformMass totalMass='1'/>"
      "<RestShapeSpringsForceField points='0' stiffness='100'/></Node></Node>",
      1);
  double h = 0.02, k = 100, x = 1, v = 0, a = -k * x;
  for (int n = 0; n < 40; n++) {
    double next = (-k * x - h * h / 4 * k * a - h * k * v) / (1 + h * h / 4 * k);
    x += h * v + h * h / 4 * (a + next);
    v += h / 2 * (a + next);
    a = next;
    v += h * (-k * x - h * k * v) / (1 + h * h * k);
    x += h * v;
  }
  check_steps(s, 40);
  check_close(check_value(s, "A/mo", DV_X, 0), x, 1e-12);
  check_close(check_value(s, "A/mo", DV_V, 0), v, 1e-11);
  check_close_scene(&s);
}

// --- geometric stiffness -------------------------------------------------------------------------

#define PENDULUM(solvers)                                                                                      \
  "<Node name='root' gravity='0 -10 0' dt='0.01'>" solvers "<MechanicalObject name='frame' template='Rigid3' " \
  "position='0 0 0 0 0 0 1'/><UniformMass totalMass='1'/><Node name='tip'><MechanicalObject name='points' "    \
  "position='0 1 0  1 1 0'/><RigidMapping geometricStiffness='1'/><ConstantForceField indices='0 1' "          \
  "forces='3 -7 2  1 4 -2'/></Node></Node>"

static void geometric_stiffness_takes_the_forces_of_its_evaluation(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene(PENDULUM("<EulerImplicitSolver/><CGLinearSolver/>"), 1);
  dvState *frame = dv_state(check_find(scene, "frame")), *tip = dv_state(check_find(scene, "tip/points"));
  int f = 0, p = 0, q = 0;
  double product[2][6];
  dv_vecs_take(&scene->root->base, DV_VEC_DERIV, &f, &p, &q);
  for (int own = 0; own < 2; own++) {
    dvMech m = {.x = DV_X, .v = DV_V, .f = own ? f : DV_F, .k = -1, .implicit = true};
    dv_mech_compute_force(scene->plan, &m);
    if (own)   // nobody may look there
      for (size_t i = 0; i < dv_state_scalars(tip, DV_F); i++) dv_state_write(tip, DV_F)[i] = NAN;
    for (size_t i = 0; i < 6; i++) dv_state_write(frame, p)[i] = 0.1 * (double)(i + 1);
    dv_mech_product(scene->plan, &m, q, p);
    memcpy(product[own], dv_state_read(frame, q), sizeof product[own]);
  }
  double size = 0;
  for (size_t i = 0; i < 6; i++) {
    check_close(product[1][i], product[0][i], 0);
    size += fabs(product[0][i]);
  }
  assert_true(size > 0.1);   // the forces turn with the frame
  dv_vecs_give(&scene->root->base, &f, &p, &q);
  check_close_scene(&scene);
}

static void bdf_leaves_forces_of_mapped_states(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene(PENDULUM("<BDFOdeSolver/><NewtonRaphsonSolver maxNbIterationsNewton='3' "
                                        "warnWhenDiverge='0'/><CGLinearSolver iterations='50'/>"),
                               1);
  check_steps(scene, 1);
  check_close(check_value(scene, "tip/points", DV_F, 1), -7, 1e-14);
  check_close_scene(&scene);
}

// --- who asks for tangents -----------------------------------------------------------------------

typedef struct Witness {
  dvForce force;
  int asked, other;   // evaluations that keep tangents, and that do not
} Witness;

static void witness_add_force(dvObject *o, const dvMech *m)
{
  Witness *w = (Witness *)o;
  ++*(m->implicit ? &w->asked : &w->other);
}

static void witness_add_dforce(dvObject *o, const dvMech *m)
{
  Witness *w = (Witness *)o;
  DV_UNUSED(m);
  assert_true(w->asked > 0 && w->other == 0);   // whoever multiplies has asked before
}

static const dvForceOps witness_ops = {
    .add_force = witness_add_force, .add_dforce = witness_add_dforce, .states = dv_force_state};
static const dvClass witness_class = {
    .struct_size = sizeof(dvClass),
    .name = "TestWitness",
    .dofs = DV_DOF_ALL,
    .size = sizeof(Witness),
    .blocks = {&dv_object_block, &dv_force_block},
    .ops = {[DV_ROLE_FORCE] = &witness_ops},
    .init = dv_force_init,
};

static dvScene *scene_with(const dvClass *cls, const char *text)
{
  dvContext *context = dv_divan_create(1);
  context->log.threshold = DV_ERROR;
  dv_registry_add(&context->registry, cls);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  return s;
}

static void integrators_say_whether_they_need_tangents(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *solver;
    bool implicit;
  } cases[] = {{"EulerExplicitSolver", false},
               {"CentralDifferenceSolver", false},
               {"RungeKutta2Solver", false},
               {"RungeKutta4Solver", false},
               {"EulerImplicitSolver", true},
               {"NewmarkImplicitSolver", true},
               {"VariationalSymplecticSolver", true},
               {"QuasiDynamicSolver", true},
               {"StaticSolver", true},
               {"BDFOdeSolver", true}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node dt='0.01'><%s/><NewtonRaphsonSolver/><CGLinearSolver/><MechanicalObject name='mo'/>"
                           "<UniformMass/><RestShapeSpringsForceField stiffness='10'/><TestWitness name='w'/></Node>",
                           cases[i].solver);
    dvScene *s = scene_with(&witness_class, text);
    check_steps(s, 3);
    const Witness *w = (const Witness *)check_find(s, "w");
    if (cases[i].implicit ? w->asked == 0 || w->other > 0 : w->asked > 0 || w->other == 0)
      print_error("%s: %d evaluations with tangents, %d without\n", cases[i].solver, w->asked, w->other);
    assert_true(cases[i].implicit ? w->asked > 0 && w->other == 0 : w->asked == 0 && w->other > 0);
    check_close_scene(&s);
    dv_free(text);
  }
}

// An evaluation without them leaves the tangents of the one before, and gives the same forces.
static void explicit_evaluations_leave_tangents_alone(void **state)
{
  DV_UNUSED(state);
  static const char *const forces[] = {
      "<TetrahedronFEMForceField name='f' method='large' youngModulus='100' poissonRatio='0.3'/>",
      "<TetrahedronFEMForceField name='f' method='polar' youngModulus='100' poissonRatio='0.3'/>",
      "<TetrahedronHyperelasticityFEMForceField name='f' materialName='Ogden' ParameterSet='20 2.5 100'/>",
      "<TetrahedronHyperelasticityFEMForceField name='f' materialName='NeoHookean' ParameterSet='20 100'/>",
      "<MeshSpringForceField name='f' stiffness='10'/>",
      "<SpringForceField name='f' spring='0 1 10 1 0.5  1 2 10 1 0.5'/>"};
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    dvText text = {0};
    dv_text_add(&text, "<Node gravity='0 0 0'><MeshTopology ");
    check_add_tetra_box(&text, (const int[]){3, 2, 2}, 1);
    dv_text_printf(&text, "/><MechanicalObject name='mo'/>%s</Node>", forces[i]);
    dvScene *scene = check_scene(text.text, 1);
    dv_text_free(&text);
    dvState *s = dv_state(check_find(scene, "mo"));
    dvObject *o = check_find(scene, "f");
    const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
    size_t n = dv_state_scalars(s, DV_V), bytes = n * sizeof(double);
    double *kept = dv_alloc(2 * bytes), *x = dv_state_write(s, DV_X);
    dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .k = 1, .implicit = true};
    for (size_t k = 0; k < n; k++) x[k] *= 1 + 0.01 * (double)(k % 5), dv_state_write(s, DV_DX)[k] = sin((double)k);
    ops->add_force(o, &m);
    ops->add_dforce(o, &m);
    memcpy(kept, dv_state_read(s, DV_DF), bytes);
    for (int implicit = 0; implicit < 2; implicit++) {   // elsewhere
      for (size_t k = 0; k < n && !implicit; k++) x[k] += 0.05 * cos((double)k);
      m.implicit = implicit;
      memset(dv_state_write(s, DV_F), 0, bytes);
      memset(dv_state_write(s, DV_DF), 0, bytes);
      ops->add_force(o, &m);
      const double *f = dv_state_read(s, DV_F);
      if (!implicit) memcpy(kept + n, f, bytes);
      else assert_memory_equal(kept + n, f, bytes);
#ifdef DV_CHECKING
      if (!implicit) continue;   // asking for a product now is a mistake, and told so
#endif
      ops->add_dforce(o, &m);
      double gap = 0;
      for (size_t k = 0; k < n; k++) gap = fmax(gap, fabs(dv_state_read(s, DV_DF)[k] - kept[k]));
      if (implicit ? !(gap > 1e-6) : gap != 0) print_error("%s: %d, products differ by %g\n", forces[i], implicit, gap);
      assert_true(implicit ? gap > 1e-6 : gap == 0);
    }
    dv_free(kept);
    check_close_scene(&scene);
  }
}

// --- the last good step --------------------------------------------------------------------------

static void the_last_good_step_is_shared_not_copied(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {"<EulerExplicitSolver/>", "<EulerImplicitSolver/><CGLinearSolver/>",
                                        "<RungeKutta4Solver/>"};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char *text = dv_format("<Node gravity='0 -10 0' dt='0.001'>%s<RegularGridTopology n='3 3 3'/><MechanicalObject "
                           "name='mo'/><UniformMass totalMass='1'/><MeshSpringForceField stiffness='10'/><Node "
                           "name='below'><MechanicalObject name='mo' position='0.3 0.2 0.1'/><BarycentricMapping/>"
                           "</Node></Node>",
                           solvers[i]);
    dvScene *scene = check_scene(text, 1);
    dv_free(text);
    const dvState *states[] = {dv_state(check_find(scene, "mo")), dv_state(check_find(scene, "below/mo"))};
    check_steps(scene, 3);
    size_t before = dv_buffer_copies();
    for (int step = 0; step < 4; step++) {
      double last[2];
      for (int k = 0; k < 2; k++) last[k] = dv_state_read(states[k], DV_X)[1];
      check_steps(scene, 1);
      for (int k = 0; k < 2; k++) {
        assert_ptr_equal(dv_state_read(states[k], DV_X), dv_state_read(states[k], DV_X_GOOD));
        assert_ptr_equal(dv_state_read(states[k], DV_V), dv_state_read(states[k], DV_V_GOOD));
        assert_true(dv_state_read(states[k], DV_X)[1] < last[k]);
      }
    }
    assert_int_equal(dv_buffer_copies(), before);
    check_close_scene(&scene);
  }
}

// --- a state that lives elsewhere ----------------------------------------------------------------

// A lattice that keeps its vectors back to front, and a force that works on them there: a pull to the origin.
enum { LATTICE_VECTORS = 64 };
typedef struct Lattice {
  double *vector[LATTICE_VECTORS];   // by number
  int fetched, published;
} Lattice;

static double *place_of(Lattice *l, const dvState *s, int id)
{
  assert_true(id < LATTICE_VECTORS);
  if (!l->vector[id]) l->vector[id] = dv_alloc(dv_state_scalars(s, id) * sizeof(double));
  return l->vector[id];
}

static void lattice_fetch(const dvState *s, int id, double *here)
{
  Lattice *l = s->home_data;
  const double *there = place_of(l, s, id);
  size_t n = dv_state_scalars(s, id);
  for (size_t i = 0; i < n; i++) here[i] = there[n - 1 - i];
  l->fetched++;
}

static void lattice_publish(const dvState *s, int id, const double *here)
{
  Lattice *l = s->home_data;
  double *there = place_of(l, s, id);
  size_t n = dv_state_scalars(s, id);
  for (size_t i = 0; i < n; i++) there[n - 1 - i] = here[i];
  l->published++;
}

static const dvStateHome lattice_home = {lattice_fetch, lattice_publish};

static void pull_add_force(dvObject *o, const dvMech *m)
{
  dvState *s = ((dvForce *)o)->state;
  size_t n = dv_state_scalars(s, DV_V);
  if (!s->home) {
    const double *x = dv_state_read(s, m->x);
    double *f = dv_state_write(s, m->f);
    for (size_t i = 0; i < n; i++) f[i] -= 50 * x[i];
    return;
  }
  dv_state_there(s, m->x, false);
  dv_state_there(s, m->f, true);
  const double *x = place_of(s->home_data, s, m->x);
  double *f = place_of(s->home_data, s, m->f);
  for (size_t i = 0; i < n; i++) f[i] -= 50 * x[i];
}

static void pull_add_dforce(dvObject *o, const dvMech *m)
{
  dvState *s = ((dvForce *)o)->state;
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df);
  for (size_t i = 0; i < dv_state_scalars(s, DV_V); i++) df[i] -= 50 * m->k * dx[i];
}

static const dvForceOps pull_ops = {
    .add_force = pull_add_force, .add_dforce = pull_add_dforce, .states = dv_force_state};
static const dvClass pull_class = {
    .struct_size = sizeof(dvClass),
    .name = "TestPull",
    .dofs = DV_DOF_ALL,
    .size = sizeof(dvForce),
    .blocks = {&dv_object_block, &dv_force_block},
    .ops = {[DV_ROLE_FORCE] = &pull_ops},
    .init = dv_force_init,
};

static uint64_t run_lattice(const char *solver, bool elsewhere)
{
  char *text = dv_format("<Node gravity='0 -10 0' dt='0.01'>%s<RegularGridTopology n='3 2 2'/><MechanicalObject "
                         "name='mo'/><UniformMass totalMass='1'/><MeshSpringForceField stiffness='10'/><TestPull/>"
                         "<FixedProjectiveConstraint indices='2'/><Node><MechanicalObject position='0.3 0.2 "
                         "0.1'/><BarycentricMapping/><ConstantForceField forces='1 2 3'/></Node></Node>",
                         solver);
  dvScene *scene = scene_with(&pull_class, text);
  dvState *s = dv_state(check_find(scene, "mo"));
  Lattice l = {0};
  dv_free(text);
  if (elsewhere) dv_state_move(s, &lattice_home, &l);
  check_steps(scene, 10);
  if (elsewhere) assert_true(l.fetched >= 10 && l.published >= 10);
  dv_scene_reset(scene);
  check_steps(scene, 5);
  if (elsewhere) dv_state_there(s, DV_X, false);   // what stands there is what is read here
  if (elsewhere) check_close(l.vector[DV_X][dv_state_scalars(s, DV_X) - 1], dv_state_read(s, DV_X)[0], 0);
  uint64_t hash = dv_scene_hash(scene);
  if (elsewhere) dv_state_move(s, NULL, NULL);
  assert_true(dv_scene_hash(scene) == hash);   // it has come home
  check_close_scene(&scene);
  for (int i = 0; i < LATTICE_VECTORS; i++) dv_free(l.vector[i]);
  return hash;
}

static void a_state_may_live_elsewhere(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {"<EulerExplicitSolver/>", "<EulerImplicitSolver/><CGLinearSolver/>",
                                        "<NewmarkImplicitSolver/><SparseLDLSolver/>"};
  for (size_t i = 0; i < DV_COUNT(solvers); i++)
    assert_true(run_lattice(solvers[i], true) == run_lattice(solvers[i], false));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_belong_to_their_owner),
      cmocka_unit_test(a_number_starts_from_zeros_whoever_had_it),
      cmocka_unit_test(vectors_follow_the_size_of_their_state),
      cmocka_unit_test(newmark_keeps_its_acceleration_beside_another),
      cmocka_unit_test(geometric_stiffness_takes_the_forces_of_its_evaluation),
      cmocka_unit_test(bdf_leaves_forces_of_mapped_states),
      cmocka_unit_test(integrators_say_whether_they_need_tangents),
      cmocka_unit_test(explicit_evaluations_leave_tangents_alone),
      cmocka_unit_test(the_last_good_step_is_shared_not_copied),
      cmocka_unit_test(a_state_may_live_elsewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
