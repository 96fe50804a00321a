// What forces answer when they are asked for the rotations of their points, on bodies that turn as a whole.
#include "support/check.h"
#include "support/scene.h"

#include "math/decompose.h"
#include "math/vec.h"

#include <math.h>

static const double angle = 0.7;

static dvMat3 turn(double by) { return (dvMat3){{{cos(by), -sin(by), 0}, {sin(by), cos(by), 0}, {0, 0, 1}}}; }

// a grid that stands `before` turned at rest, turned further by `angle`, and the force's answer
static double *answer(const char *force, double before, size_t *points)
{
  char *text = dv_format("<Node><RegularGridTopology name='grid' n='3 4 3' min='0 0 0' max='2 3 2'/><MechanicalObject "
                         "name='mo'/>%s</Node>",
                         force);
  dvScene *s = check_scene(text, 2);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *o = check_find(s, "force");
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  double *rest = dv_state_write(mo, DV_X_REST), *x = dv_state_write(mo, DV_X);
  for (size_t i = 0; i < mo->count; i++) {
    dvVec3 p = dv_mat3_mul_vec(turn(before), dv_vec3_load(rest + 3 * i));
    dv_vec3_store(rest + 3 * i, p);
    dv_vec3_store(x + 3 * i, dv_mat3_mul_vec(turn(angle), p));
  }
  assert_int_equal(o->cls->reinit(o), DV_OK);
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .implicit = true};
  ops->add_force(o, &m);
  double *out = dv_alloc(9 * mo->count * sizeof *out);
  ops->rotations(o, out);
  *points = mo->count;
  check_close_scene(&s);
  dv_free(text);
  return out;
}

static void tetrahedra_answer_with_the_rotation(void **state)
{
  static const char *const methods[] = {"large", "polar", "svd"};
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(methods); k++) {
    char *force = dv_format("<TetrahedronFEMForceField name='force' method='%s'/>", methods[k]);
    size_t points;
    double *r = answer(force, 0.4, &points);
    for (size_t i = 0; i < 9 * points; i++) check_close(r[i], ((const double *)turn(angle).m)[i % 9], 1e-12);
    dv_free(r);
    dv_free(force);
  }
}

// one, two, four or eight cells around a point: the polar factor of 1 + n A, A being the axes now in those at rest
static void hexahedra_answer_as_in_sofa(void **state)
{
  static const int cells[3][4] = {{1, 2, 1}, {1, 2, 2, 1}, {1, 2, 1}};
  DV_UNUSED(state);
  for (int turned = 0; turned < 2; turned++) {
    size_t points;
    double *r = answer("<HexahedronFEMForceField name='force' method='large'/>", turned ? 0.4 : 0, &points);
    for (size_t i = 0; i < points; i++) {
      int n = cells[0][i % 3] * cells[1][i / 3 % 4] * cells[2][i / 12];
      dvMat3 sum = dv_mat3_add(dv_mat3_identity(), dv_mat3_scale(turn(-angle), n)),
             expected;   // turns about one axis commute: A = R^-1
      dv_polar(&sum, &expected, NULL);
      for (size_t k = 0; k < 9; k++) check_close(r[9 * i + k], expected.m[k / 3][k % 3], 1e-12);
    }
    dv_free(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tetrahedra_answer_with_the_rotation),
                                     cmocka_unit_test(hexahedra_answer_as_in_sofa)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
