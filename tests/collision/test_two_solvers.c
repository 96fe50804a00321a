// Two bodies with a solver each, a spring between them and contacts: figure 6 of the chapter on SOFA (2012). What acts
// between them is computed once, before the solvers, and is a constant external force for both during the step.
#include "collision/collision.h"
#include "math/vec.h"
#include "support/check.h"
#include "support/scene.h"

typedef struct Pair {
  dvVec3 x[2], v[2];
} Pair;

// the spring of the deformable body: stiffness 60, damping 0.2, length 1, and `outer` on the first particle
static Pair rate(Pair p, dvVec3 outer)
{
  dvVec3 d = dv_vec3_sub(p.x[1], p.x[0]), n = dv_vec3_normalise(d);
  double tension = 60 * (dv_vec3_norm(d) - 1) + 0.2 * dv_vec3_dot(dv_vec3_sub(p.v[1], p.v[0]), n);
  return (Pair){{p.v[0], p.v[1]}, {dv_vec3_add_scaled(outer, n, tension), dv_vec3_scale(n, -tension)}};
}

static Pair add(Pair p, Pair q, double h)
{
  for (int i = 0; i < 2; i++) {
    p.x[i] = dv_vec3_add_scaled(p.x[i], q.x[i], h);
    p.v[i] = dv_vec3_add_scaled(p.v[i], q.v[i], h);
  }
  return p;
}

static Pair runge_kutta(Pair p, dvVec3 outer, double h)
{
  Pair a = rate(p, outer), b = rate(add(p, a, h / 2), outer), c = rate(add(p, b, h / 2), outer),
       d = rate(add(p, c, h), outer);
  return add(add(add(add(p, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
}

static Pair particles(dvScene *s)
{
  Pair p;
  for (size_t i = 0; i < 2; i++) {
    p.x[i] = dv_vec3_load(dv_state_read(dv_state(check_find(s, "deformable/particleDofs")), DV_X) + 3 * i);
    p.v[i] = dv_vec3_load(dv_state_read(dv_state(check_find(s, "deformable/particleDofs")), DV_V) + 3 * i);
  }
  return p;
}

static dvVec3 body(dvScene *s, int id)
{
  return dv_vec3_load(dv_state_read(dv_state(check_find(s, "rigid/rigidDofs")), id));
}

static void check_vec(dvVec3 a, dvVec3 b, double tolerance)
{
  check_close(dv_vec3_norm(dv_vec3_sub(a, b)), 0, tolerance);
}

// before they touch: explicit Euler on one side, Runge-Kutta on the other, under the force at the start of the step
static void a_constant_force(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/two_solvers.scn", 1);
  const double h = 0.005;
  for (int step = 0; step < 40; step++) {
    Pair p = particles(s);
    dvVec3 x = body(s, DV_X), v = body(s, DV_V), d = dv_vec3_sub(p.x[0], x);
    dvVec3 force = dv_vec3_scale(dv_vec3_normalise(d), 15 * (dv_vec3_norm(d) - 0.8));
    check_steps(s, 1);
    assert_int_equal(dv_scene_contacts(s), 0);
    p = runge_kutta(p, dv_vec3_neg(force), h);
    v = dv_vec3_add_scaled(v, force, h / 2);   // it weighs 2
    check_vec(body(s, DV_V), v, 1e-13);
    check_vec(body(s, DV_X), dv_vec3_add_scaled(x, v, h), 1e-13);
    for (int i = 0; i < 2; i++) {
      check_vec(particles(s).x[i], p.x[i], 1e-13);
      check_vec(particles(s).v[i], p.v[i], 1e-13);
    }
  }
  check_close_scene(&s);
}

// detection makes contacts between the two, which push from then on and go again; momentum stays whatever the solvers
static void contacts_come_and_go(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/two_solvers.scn", 1);
  const dvNode *root = s->root;
  size_t children = root->children.count, objects = root->objects.count;
  int with = 0, without_after = 0;
  double pushed = 0;
  for (int step = 0; step < 400; step++) {
    check_steps(s, 1);
    dvTouch t;
    for (size_t i = 0; dv_scene_touch(s, i, &t); i++) {
      assert_ptr_equal(t.model[0]->base.node, check_find(s, "deformable/particleDofs")->node);
      assert_ptr_equal(t.model[1]->base.node, check_find(s, "rigid/contactModel/sphereCenters")->node);
      pushed = dv_max(pushed, t.force);
    }
    with += dv_scene_contacts(s) > 0;
    without_after += with > 0 && dv_scene_contacts(s) == 0;
    Pair p = particles(s);
    check_vec(dv_vec3_add(dv_vec3_scale(body(s, DV_V), 2), dv_vec3_add(p.v[0], p.v[1])), dv_vec3(0, 0, 0), 1e-12);
  }
  assert_true(with > 10 && without_after > 10);
  assert_true(pushed > 1);
  assert_int_equal(root->children.count, children);   // the user's graph is as it was
  assert_int_equal(root->objects.count, objects);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_constant_force), cmocka_unit_test(contacts_come_and_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
