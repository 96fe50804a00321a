// divan bench kernels: sparse matrices. A beam is assembled, multiplied, factorised and solved.
#include "bench_kernels.h"

#include "io/scene/scene_file.h"
#include "linear/direct/ldl.h"
#include "linear/system/assembly.h"
#include "state/state.h"

#include <stdio.h>
#include <string.h>

enum {
  LARGEST_FACTOR = 8
};   // points along the side of the largest beam that is assembled and factorised again and again

typedef struct Matrix {
  dvPool *pool;
  dvScene *scene;
  dvAssembly assembly;
  dvLdl ldl;
  dvMech m;
  double *x, *y, *work;
} Matrix;

static void loop_build(void *user)
{
  Matrix *m = user;
  dv_assembly_build(&m->assembly, m->scene->loop, m->scene->plan, &m->m, DV_ASSEMBLE_ALL);
}
static void loop_product(void *user)
{
  Matrix *m = user;
  dv_block_matrix_product(&m->assembly.matrix, m->pool, m->x, m->y);
}
static void loop_factorise(void *user)
{
  Matrix *m = user;
  size_t pivot;
  dv_ldl_factorise(&m->ldl, &m->assembly.matrix, m->pool, DV_LDL_SMALL, &pivot);
}
static void loop_solve(void *user)
{
  Matrix *m = user;
  dv_ldl_solve(&m->ldl, m->x, m->y, m->work);
}

static void time_factor(Series *s, Matrix *m)
{
  if (!dv_ldl_analyse(&m->ldl, &m->assembly.matrix.pattern, m->assembly.matrix.block, DV_ORDER_AMD)) return;
  m->work = bench_filled(dv_ldl_work(&m->ldl), 0);
  loop_factorise(m);
  size_t blocks = dv_ldl_count(&m->ldl);
  bench_time_loop(s,
                  (Loop){"factorisation", blocks, dv_ldl_flops(&m->ldl) / (double)blocks, 80, 72, loop_factorise, m});
  bench_time_loop(s, (Loop){"solution with the factor", blocks, 36, 2 * 76, 76, loop_solve, m});
  dv_free(m->work);
  dv_ldl_free(&m->ldl);
}

// `force` acts on a grid of n x n x 4n points; `elements` of them
static void time_matrix(Series *s, int n, const char *name, const char *force, size_t elements, int corners)
{
  char *text = dv_format(
      "<Node><EulerImplicitSolver/><CGLinearSolver/><RegularGridTopology n='%d %d %d' max='1 1 4'/><MechanicalObject/>"
      "<UniformMass totalMass='1'/>%s<FixedProjectiveConstraint indices='0 1 2 3'/></Node>",
      n, n, 4 * n, force);
  Matrix m = {
      .pool = s->pool,
      .m = {
          .x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .m = 1, .b = -0.01, .k = -1e-4, .implicit = true}};
  dvContext *context = dv_divan_create(s->limits.threads);
  context->log.threshold = DV_ERROR;
  if (dv_scene_parse(context, "matrix", text, strlen(text), &m.scene) == DV_OK && dv_scene_init(m.scene) == DV_OK &&
      dv_scene_step(m.scene, 0) == DV_OK) {
    loop_build(&m);
    size_t blocks = dv_pattern_count(&m.assembly.matrix.pattern);
    m.x = bench_filled(m.assembly.size, 1), m.y = bench_filled(m.assembly.size, 1);
    // a pair of corners: where it goes, and twelve numbers that are added
    // the largest is there for a product that leaves the caches
    bool small = n <= LARGEST_FACTOR;
    double pairs = 0.5 * corners * (corners + 1);
    if (small) bench_time_loop(s, (Loop){name, elements, 0, (2 + 192) * pairs, 96 * pairs, loop_build, &m});
    bench_time_reading(s, (Loop){"matrix product", blocks, 18, 76 + 52 * (double)m.assembly.size / 3 / (double)blocks,
                                 0, loop_product, &m});
    if (!s->pool && small) time_factor(s, &m);
  }
  dv_free(m.x), dv_free(m.y);
  dv_assembly_free(&m.assembly);
  dv_scene_destroy(&m.scene);
  dv_divan_destroy(&context);
  dv_free(text);
}

void bench_time_matrices(Series *s)
{
  static const int sizes[] = {4, LARGEST_FACTOR, 14};
  for (size_t i = 0; i < DV_COUNT(sizes); i++) {
    size_t n = (size_t)sizes[i], cells = (n - 1) * (n - 1) * (4 * n - 1);
    time_matrix(s, sizes[i], "assembly of hexahedra",
                "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>", cells, 8);
    time_matrix(s, sizes[i], "assembly of tetrahedra",
                "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>", 5 * cells, 4);
  }
}
