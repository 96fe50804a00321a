// Conjugate gradients with or without a matrix, where the scene asks for neither: what is chosen, that it changes
// nothing but rounding, and that it is the same for any number of threads.
#include "support/check.h"

#include "app/divan.h"
#include "base/text.h"
#include "io/scene/scene_file.h"
#include "scene/node.h"
#include "scene/timer.h"
#include "state/state.h"

#include <string.h>

#define TETRA "<TetrahedronFEMForceField youngModulus='3000' poissonRatio='0.3' method='polar'/>"
#define HYPER "<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' ParameterSet='1000 1000'/>"
#define HEXA "<HexahedronFEMForceField topology='@../g' youngModulus='3000' poissonRatio='0.3'/>"

typedef struct Case {
  const char *force, *solver;   // attributes
  const char *below;            // more of the scene
  bool as_sofa;
  int threads;
} Case;

// five steps of a bar that is held at one end: positions, and whether a step chose a matrix
static double *run(const Case *k, bool *matrix, uint64_t *hash, size_t *count)
{
  char *text = dv_format(
      "<Node dt='0.02' gravity='0 -2 0'%s><EulerImplicitSolver/><CGLinearSolver threshold='1e-30' %s/>"
      "<RegularGridTopology name='g' n='4 4 12' min='0 0 0' max='1 1 3'/><MechanicalObject name='dofs'/>"
      "<UniformMass totalMass='5'/><BoxROI name='box' box='-1 -1 -0.1 2 2 0.1'/>"
      "<FixedProjectiveConstraint indices='@box.indices'/><Node><TetrahedronSetTopologyContainer name='t'/>"
      "<TetrahedronSetTopologyModifier/><Hexa2TetraTopologicalMapping input='@../g' output='@t'/>%s</Node>%s</Node>",
      k->as_sofa ? " compat='sofa'" : "", k->solver, k->force, k->below ? k->below : "");
  dvContext *c = dv_divan_create(k->threads ? k->threads : 1);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "bar.scn", text, strlen(text), &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  for (int i = 0; i < 5; i++) assert_int_equal(dv_scene_step(s, 0), DV_OK);
  *matrix = false;
  for (size_t i = 0; i < c->timers->list.count; i++)
    *matrix = *matrix || dv_same(c->timers->list.data[i].name, "with a matrix, by choice");
  *hash = dv_scene_hash(s);
  const dvState *dofs = dv_state(dv_node_object(s->root, "dofs"));
  *count = 3 * dofs->count;
  double *out = dv_alloc(*count * sizeof *out);
  memcpy(out, dv_state_read(dofs, DV_X), *count * sizeof *out);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(text);
  return out;
}

#define MANY "iterations='200' tolerance='1e-10'"
#define FEW "iterations='15' tolerance='1e-10'"

static void is_made_by_element_and_iterations(void **state)
{
  DV_UNUSED(state);
  static const struct {
    Case k;
    bool matrix;   // chosen in some step
  } cases[] = {
      {{TETRA, MANY, NULL, false, 1}, true},
      {{HYPER, MANY, NULL, false, 1}, true},
      {{TETRA, FEW, NULL, false, 1}, false},
      {{HYPER, FEW, NULL, false, 1}, false},
      {{HEXA, MANY, NULL, false, 1}, false},
      {{HYPER, MANY " template='GraphScattered'", NULL, false, 1}, false},
      {{HYPER, FEW " template='CompressedRowSparseMatrixMat3x3d'", NULL, false, 1}, false} /* asked for */,
      {{HYPER, MANY, NULL, true, 1}, false},   // SOFA has none
      // what acts through a mapping costs more in a matrix
      {{HYPER, MANY, "<Node><MechanicalObject/><IdentityMapping/><ConstantForceField totalForce='0 0 1'/></Node>",
        false, 1},
       false},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    bool matrix;
    uint64_t hash;
    size_t count;
    dv_free(run(&cases[i].k, &matrix, &hash, &count));
    if (matrix != cases[i].matrix) fail_msg("case %zu: matrix %d", i, matrix);
  }
}

static void changes_rounding_only(void **state)
{
  DV_UNUSED(state);
  static const char *const forces[] = {TETRA, HYPER};
  for (size_t f = 0; f < DV_COUNT(forces); f++) {
    bool matrix;
    uint64_t chosen_hash, hash;
    size_t count;
    const Case chosen = {forces[f], MANY, NULL, false, 1},
               free_of_it = {forces[f], MANY " template='GraphScattered'", NULL, false, 1};
    double *a = run(&chosen, &matrix, &chosen_hash, &count);
    double *b = run(&free_of_it, &matrix, &hash, &count);
    for (size_t i = 0; i < count; i++) check_close(a[i], b[i], 1e-8);
    for (int threads = 2; threads <= 3; threads++) {
      Case more = chosen;
      more.threads = threads;
      dv_free(run(&more, &matrix, &hash, &count));
      assert_true(matrix);
      assert_true(hash == chosen_hash);
    }
    dv_free(a), dv_free(b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_made_by_element_and_iterations),
                                     cmocka_unit_test(changes_rounding_only)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
