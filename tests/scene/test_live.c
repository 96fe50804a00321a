// The live part of plans: springs that are replaced by others in every step change neither the graph nor a matrix'
// pattern, allocate nothing, act as if they stood in the graph, with every kind of linear solver, and give the same
// bits for any number of threads.
#include "linear/solver.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "scene/live.h"
#include "support/check.h"
#include "support/count.h"
#include "support/scene.h"

#include <string.h>

// --- a spring without rest length between a point of one state and one of another -------------------

typedef struct TestSpring {
  dvObject base;
  dvState *first, *second;
  size_t i, j;
  double k;
} TestSpring;

static dvVec3 at(dvState *s, int id, size_t i) { return dv_vec3_load(dv_state_read(s, id) + 3 * i); }

static void pull(const TestSpring *s, int from, int to, double k)
{
  dvVec3 f = dv_vec3_scale(dv_vec3_sub(at(s->second, from, s->j), at(s->first, from, s->i)), k);
  dv_vec3_accumulate(dv_state_write(s->first, to) + 3 * s->i, f);
  dv_vec3_accumulate(dv_state_write(s->second, to) + 3 * s->j, dv_vec3_scale(f, -1));
}

static void test_spring_add_force(dvObject *o, const dvMech *m)
{
  const TestSpring *s = (const TestSpring *)o;
  pull(s, m->x, m->f, s->k);
}

static void test_spring_add_dforce(dvObject *o, const dvMech *m)
{
  const TestSpring *s = (const TestSpring *)o;
  pull(s, m->dx, m->df, m->k * s->k);
}

static void test_spring_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const TestSpring *s = (const TestSpring *)o;
  double k = m->k * s->k;
  const double plus[9] = {k, 0, 0, 0, k, 0, 0, 0, k}, minus[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k};
  sink->add(sink, s->first, s->i, s->first, s->i, 3, 3, minus);
  sink->add(sink, s->first, s->i, s->second, s->j, 3, 3, plus);
  sink->add(sink, s->second, s->j, s->first, s->i, 3, 3, plus);
  sink->add(sink, s->second, s->j, s->second, s->j, 3, 3, minus);
}

static int test_spring_states(dvObject *o, dvObject **out)
{
  out[0] = &((TestSpring *)o)->first->base;
  out[1] = &((TestSpring *)o)->second->base;
  return 2;
}

static const dvForceOps test_spring_ops = {.add_force = test_spring_add_force,
                                           .add_dforce = test_spring_add_dforce,
                                           .add_stiffness = test_spring_add_stiffness,
                                           .states = test_spring_states};

static const dvClass test_spring_class = {.struct_size = sizeof(dvClass),
                                          .name = "TestSpring",
                                          .help = "a spring of the tests",
                                          .size = sizeof(TestSpring),
                                          .blocks = {&dv_object_block},
                                          .ops = {[DV_ROLE_FORCE] = &test_spring_ops}};

typedef struct Pair {
  dvState *first, *second;
  dvNode *node;
} Pair;

static TestSpring *set_spring(dvObject *o, Pair p, size_t i, size_t j, double k)
{
  TestSpring *s = (TestSpring *)o;
  s->first = p.first, s->second = p.second;
  s->i = i, s->j = j, s->k = k;
  return s;
}

// springs that depend on the step: other points, another number of them
static void replace(dvLiveGroup *g, Pair p, long step, size_t most)
{
  dv_live_give_all(g);
  size_t count = most - (size_t)(step * 7 % 40);
  for (size_t n = 0; n < count; n++) {
    dvObject *o = dv_live_take(g, &test_spring_class, NULL, p.node);
    size_t i = (n * 13 + (size_t)step * 5) % p.first->count, j = (n * 29 + (size_t)step * 11 + 3) % p.second->count;
    set_spring(o, p, i, j, 20 + (double)(n % 5));
    dv_live_add(g, o);
  }
}

// the same springs as components of the graph
static void put_into_graph(Pair p, long step, size_t most, dvObject **made, size_t *count)
{
  for (size_t n = 0; n < *count; n++) {
    dv_node_remove(made[n]->node, made[n]);
    dv_object_destroy(&made[n]);
  }
  *count = most - (size_t)(step * 7 % 40);
  for (size_t n = 0; n < *count; n++) {
    made[n] = dv_object_create(p.node->scene->context, &test_spring_class, "spring", NULL);
    size_t i = (n * 13 + (size_t)step * 5) % p.first->count, j = (n * 29 + (size_t)step * 11 + 3) % p.second->count;
    set_spring(made[n], p, i, j, 20 + (double)(n % 5));
    dv_node_add(p.node, made[n]);
  }
}

// --- scenes ------------------------------------------------------------------------------------------

// Two bars under one solver; the second carries points of a mapping. `mapped`: springs hold the mapped points.
static dvScene *two_bars(const char *solver, int threads)
{
  char *text = dv_format(
      "<Node dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='both'><EulerImplicitSolver "
      "rayleighMass='0.1'/>%s"
      "<Node name='a'><RegularGridTopology n='3 3 6' min='0 0 0' max='1 1 4'/><MechanicalObject name='dofs'/>"
      "<UniformMass totalMass='5'/><FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"
      "<HexahedronFEMForceField youngModulus='2000' poissonRatio='0.3'/></Node>"
      "<Node name='b'><RegularGridTopology n='3 3 6' min='0 1.5 0' max='1 2.5 4'/><MechanicalObject name='dofs'/>"
      "<UniformMass totalMass='4'/><FixedProjectiveConstraint indices='0 1 2 3'/>"
      "<HexahedronFEMForceField youngModulus='3000' poissonRatio='0.2'/>"
      "<Node name='skin'><MechanicalObject name='points' position='0.2 1.6 0.3 0.9 1.7 1.1 0.5 2.2 2 0.4 2 3.3 0.7 1.9 "
      "3.9'/><BarycentricMapping/></Node></Node></Node></Node>",
      solver);
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  return s;
}

static Pair pair_of(dvScene *s, bool mapped)
{
  return (Pair){dv_state(check_find(s, "both/a/dofs")),
                dv_state(check_find(s, mapped ? "both/b/skin/points" : "both/b/dofs")), dv_node_child(s->root, "both")};
}

static double distance(dvScene *a, dvScene *b, const char *path)
{
  dvState *s = dv_state(check_find(a, path)), *t = dv_state(check_find(b, path));
  const double *x = dv_state_read(s, DV_X), *y = dv_state_read(t, DV_X);
  double most = 0;
  for (size_t i = 0; i < dv_state_scalars(s, DV_X); i++) most = dv_max(most, fabs(x[i] - y[i]));
  return most;
}

// --- tests -------------------------------------------------------------------------------------------

static const char *const solvers[] = {
    "<CGLinearSolver iterations='2000' tolerance='1e-14' threshold='1e-30'/>",
    "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3' iterations='2000' tolerance='1e-14' "
    "threshold='1e-30'/>",
    "<SparseLDLSolver/>",
    "<EigenSimplicialLLT/>",
    "<EigenSparseLU/>",
    "<CholeskySolver/>",
    "<SVDLinearSolver/>",
    "<MinResLinearSolver iterations='2000' tolerance='1e-15'/>",
    "<PCGLinearSolver iterations='2000' tolerance='1e-25' preconditioner='@p'/><SparseLDLSolver name='p' "
    "template='CompressedRowSparseMatrixMat3x3'/>",
};

static void compare(const char *solver, bool mapped, size_t most)
{
  dvScene *live = two_bars(solver, 1), *graph = two_bars(solver, 1);
  dvObject *made[200] = {0};
  size_t count = 0;
  dvLiveGroup group = {0};
  dv_live_enter(&group, live);
  unsigned version = live->version;
  for (long step = 0; step < 6; step++) {
    replace(&group, pair_of(live, mapped), step, most);
    put_into_graph(pair_of(graph, mapped), step, most, made, &count);
    check_steps(live, 1);
    check_steps(graph, 1);
    double d = fmax(distance(live, graph, "both/a/dofs"), distance(live, graph, "both/b/dofs"));
    if (!(d < 1e-9)) print_error("%s, %s, %zu springs, step %ld\n", solver, mapped ? "mapped" : "main", most, step);
    check_close(d, 0, 1e-9);
  }
  assert_int_equal(live->version, version);
  check_close_scene(&live);
  check_close_scene(&graph);
}

static void as_in_the_graph(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    compare(solvers[i], false, 60);
    compare(solvers[i], true, 60);
  }
}

static const dvAssembly *assembly_of(dvScene *s)
{
  dvObject *solver = dv_node_find(dv_node_child(s->root, "both"), DV_ROLE_LINEAR_SOLVER);
  return dv_linear_system(dv_linear_solver(solver)->system)->assembly;
}

// 500 springs, others in every step: nothing allocated, nothing analysed, the same bits
static void five_hundred(void **state)
{
  DV_UNUSED(state);
  static const char *const both[] = {"<SparseLDLSolver/>",
                                     "<CGLinearSolver iterations='60' tolerance='1e-9' threshold='1e-20'/>"};
  for (size_t k = 0; k < DV_COUNT(both); k++) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *s = two_bars(both[k], threads);
      dvLiveGroup group = {0};
      dv_live_enter(&group, s);
      unsigned version = s->version, pattern = 0;
      Pair pair = pair_of(s, false);
      size_t before = 0;
      for (long step = 0; step < 60; step++) {
        if (step == 45) before = check_allocations(), pattern = k == 0 ? assembly_of(s)->pattern_stamp : 0;
        replace(&group, pair, step, 500);
        check_steps(s, 1);
      }
      assert_int_equal(check_allocations(), before);
      assert_int_equal(s->version, version);
      if (k == 0) assert_int_equal(assembly_of(s)->pattern_stamp, pattern);
      if (threads == 1) hash = dv_scene_hash(s);
      assert_true(dv_scene_hash(s) == hash);
      check_close_scene(&s);
    }
  }
}

// plans: what is live stands behind the fixed part, only below the plan's node, and is gone when it is taken out
static void plans(void **state)
{
  DV_UNUSED(state);
  dvScene *s = two_bars("<SparseLDLSolver/>", 1);
  dvLiveGroup group = {0};
  dv_live_enter(&group, s);
  Pair p = pair_of(s, true);
  dvPlan *all = NULL, *a = NULL;
  size_t forces = dv_plan_get(&all, s->root)->forces.count;
  assert_int_equal(all->mappings.count, 1);
  assert_false(all->mappings.data[0].carries);
  dvObject *o = dv_live_take(&group, &test_spring_class, NULL, p.node);
  set_spring(o, p, 0, 1, 5);
  dv_live_add(&group, o);
  assert_int_equal(dv_plan_get(&all, s->root)->forces.count, forces + 1);
  assert_ptr_equal(all->forces.data[forces].object, o);
  assert_true(all->mappings.data[0].carries && !all->mappings.data[0].carries_always);
  assert_int_equal(all->outside.count, 0);
  size_t below = dv_plan_get(&a, check_find(s, "both/a/dofs")->node)->forces.count;
  o->node = check_find(s, "both/a/dofs")->node;   // in the subgraph of a, where the second state is outside
  dv_live_clear(&group);
  dv_live_add(&group, o);
  assert_int_equal(dv_plan_get(&a, o->node)->forces.count, below + 1);
  assert_int_equal(a->outside.count, 1);
  assert_ptr_equal(a->outside.data[0], &p.second->base);
  dv_live_give(&group, o);
  assert_int_equal(dv_plan_get(&a, o->node)->forces.count, below);
  assert_int_equal(dv_plan_get(&all, s->root)->forces.count, forces);
  assert_false(all->mappings.data[0].carries);
  assert_ptr_equal(dv_live_take(&group, &test_spring_class, NULL, p.node), o);
  dv_plan_destroy(&all);
  dv_plan_destroy(&a);
  dv_live_leave(&group);
  assert_int_equal(s->live.count, 0);
  check_steps(s, 1);
  check_close_scene(&s);
}

// outside of every solver a live force acts when the walk reaches its node: before the solvers below it, not after them
static void outside_of_solvers(void **state)
{
  DV_UNUSED(state);
  static const char *const text =
      "<Node dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<Node name='a'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0'/><UniformMass "
      "totalMass='1'/></Node>"
      "<Node name='b'><EulerExplicitSolver/><MechanicalObject name='dofs' position='1 0 0'/><UniformMass "
      "totalMass='1'/></Node><Node name='last'/></Node>";
  for (int late = 0; late < 2; late++) {
    dvScene *s = check_scene(text, 1);
    dvLiveGroup group = {0};
    dv_live_enter(&group, s);
    Pair p = {dv_state(check_find(s, "a/dofs")), dv_state(check_find(s, "b/dofs")),
              late ? dv_node_child(s->root, "last") : s->root};
    dvObject *o = dv_live_take(&group, &test_spring_class, NULL, p.node);
    set_spring(o, p, 0, 0, 3);
    dv_live_add(&group, o);
    check_steps(s, 1);
    check_close(check_value(s, "a/dofs", DV_V, 0), late ? 0 : 0.3, 1e-15);
    check_close(check_value(s, "b/dofs", DV_V, 0), late ? 0 : -0.3, 1e-15);
    dv_live_leave(&group);
    check_steps(s, 1);
    check_close(check_value(s, "a/dofs", DV_V, 0), late ? 0 : 0.3, 1e-15);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(plans), cmocka_unit_test(outside_of_solvers),
                                     cmocka_unit_test(as_in_the_graph), cmocka_unit_test(five_hundred)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
