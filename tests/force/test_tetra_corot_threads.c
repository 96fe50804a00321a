// Forces and products of corotational tetrahedra have the same bits for 1, 2 and 3 threads.
#include "support/check.h"

#include "force/fem/corot/tetra_corot.h"
#include "force/tetra_mesh.h"

#include <string.h>

typedef struct {
  double *f, *df, *stress, energy;
} Result;

static Result run(const TetraMesh *m, dvCorotMethod method, int threads)
{
  size_t n = 3 * m->points;
  dvPool *pool = dv_pool_create(threads);
  dvTetraCorot *t = NULL;
  dvTetraCorotDef def = {.rest = m->rest,
                         .points = m->points,
                         .tetrahedra = m->tetrahedra,
                         .count = m->count,
                         .young = m->young,
                         .poisson = m->poisson,
                         .method = method,
                         .plastic_limit = 0.1,
                         .plastic_yield = 0.01,
                         .plastic_creep = 0.3};
  assert_int_equal(dv_tetra_corot_create(&def, &t, NULL), DV_OK);
  Result r = {.f = mesh_noise(n, NULL, 1, 2), .df = mesh_noise(n, NULL, 1, 3), .stress = dv_alloc(m->count * 8)};
  double *x = mesh_noise(n, m->rest, 0.2, 4);
  for (int step = 0; step < 5; step++) {
    dv_tetra_corot_add_force(t, pool, x, r.f);
    dv_tetra_corot_add_dforce(t, pool, r.f, -1e-4, r.df);
    for (size_t i = 0; i < n; i++) x[i] += 1e-7 * r.df[i];
  }
  r.energy = dv_tetra_corot_energy(t, pool, x);
  dv_tetra_corot_von_mises(t, pool, x, r.stress);
  dv_free(x);
  dv_tetra_corot_destroy(&t);
  dv_pool_destroy(&pool);
  return r;
}

static void free_result(Result *r)
{
  dv_free(r->f);
  dv_free(r->df);
  dv_free(r->stress);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  TetraMesh m = mesh_box(10, 9, 12);   // thirteen blocks
  for (int method = DV_COROT_SMALL; method < DV_COROT_METHODS; method++) {
    Result one = run(&m, (dvCorotMethod)method, 1);
    for (int threads = 2; threads <= 3; threads++) {
      Result more = run(&m, (dvCorotMethod)method, threads);
      assert_memory_equal(one.f, more.f, 3 * m.points * sizeof(double));
      assert_memory_equal(one.df, more.df, 3 * m.points * sizeof(double));
      assert_memory_equal(one.stress, more.stress, m.count * sizeof(double));
      assert_memory_equal(&one.energy, &more.energy, sizeof(double));
      free_result(&more);
    }
    assert_true(isfinite(one.energy) && one.energy > 0);
    free_result(&one);
  }
  mesh_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_for_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
