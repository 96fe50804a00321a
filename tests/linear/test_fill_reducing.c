// FillReducingOrdering: the same mesh in another order, in which less has to be eliminated.
#include "support/check.h"
#include "support/scene.h"

#include "object/field.h"

#define SCENE                                                                                                       \
  "<Node gravity='0 -10 0'><DefaultAnimationLoop/><Node name='mesh'><RegularGridTopology name='grid' n='10 10 10' " \
  "min='0 0 0' max='9 9 9'/>"                                                                                       \
  "<FillReducingOrdering name='order' orderingMethod='%s'/></Node>"                                                 \
  "<Node name='old'>" BODY("@../mesh/grid") "</Node><Node name='new'>" BODY("@../mesh/order") "</Node></Node>"
#define BODY(from)                                                                                              \
  "<EulerImplicitSolver/><NaturalOrderingMethod/><SparseLDLSolver name='solver'/><MeshTopology position='" from \
  ".position' hexahedra='" from ".hexahedra'/>"                                                                 \
  "<MechanicalObject name='mo'/><UniformMass totalMass='100'/><BoxROI name='box' box='-1 -1 -0.1 10 10 "        \
  "0.1'/><FixedProjectiveConstraint indices='@box.indices'/>"                                                   \
  "<HexahedronFEMForceField youngModulus='4000' poissonRatio='0.3'/>"

static const dvInts *ints_of(dvScene *s, const char *path, const char *name)
{
  dvField *f = dv_object_field(check_find(s, path), name);
  assert_non_null(f);
  return f->value;
}

static int stored(dvScene *s, const char *path)
{
  return *(const int32_t *)dv_object_field(check_find(s, path), "L_nnz")->value;
}

static void less_to_eliminate(void **state)
{
  DV_UNUSED(state);
  static const char *const methods[] = {"nestedDissection", "approximateMinimumDegree", "AMD"};
  for (int m = 0; m < 2; m++) {
    char *text = dv_format(SCENE, methods[m]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 5);
    const dvInts *there = ints_of(s, "mesh/order", "permutation"), *back = ints_of(s, "mesh/order", "invPermutation");
    assert_int_equal(there->count, 1000);
    for (int32_t k = 0; k < 1000; k++) {
      assert_int_equal(back->data[there->data[k]], k);
      for (size_t c = 0; c < 3; c++)   // the order changes rounding only
        check_close(check_value(s, "new/mo", DV_X, 3 * (size_t)k + c),
                    check_value(s, "old/mo", DV_X, 3 * (size_t)there->data[k] + c), 1e-9);
    }
    print_message("%d numbers instead of %d\n", stored(s, "new/solver"), stored(s, "old/solver"));
    assert_true(stored(s, "new/solver") < stored(s, "old/solver"));
    check_close_scene(&s);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(less_to_eliminate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
