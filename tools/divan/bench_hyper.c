// divan bench kernels: hyperelastic laws, by decomposed energies (MJED) and the usual way, by S and dS/dC of each
// element.
#include "bench_kernels.h"

#include "force/fem/hyper/hyper.h"

typedef struct Hyper {
  dvPool *pool;
  dvHyper *h;
  double *x, *f;
} Hyper;

static void loop_force(void *user)
{
  Hyper *t = user;
  dv_hyper_add_force(t->h, t->pool, t->x, t->f);
}

static void loop_dforce(void *user)
{
  Hyper *t = user;
  dv_hyper_add_dforce(t->h, t->pool, t->x, 1e-9, t->f);
}

static void loop_matrix(void *user)
{
  Hyper *t = user;
  double matrices[DV_LANES * 144];
  dvElementMatrices m = dv_hyper_matrices(t->h, 1);
  for (size_t pack = 0; pack < m.blocks->packs; pack++) {
    m.pack(m.elements, pack, m.k, matrices);
    t->f[0] += 1e-30 * matrices[pack % 144];
  }
}

void bench_hyper(Series *s, const Box *box)
{
  static const struct {
    const char *force[2], *dforce[2];
    dvHyperLaw law;
    double parameters[DV_HYPER_PARAMETERS];
  } laws[] = {{{"hyper force, St Venant-Kirchhoff", "hyper force by tensors, St Venant-Kirchhoff"},
               {"hyper dforce, St Venant-Kirchhoff", "hyper dforce by tensors, St Venant-Kirchhoff"},
               DV_ST_VENANT_KIRCHHOFF,
               {3, 20}},
              {{"hyper force, Neo-Hookean", "hyper force by tensors, Neo-Hookean"},
               {"hyper dforce, Neo-Hookean", "hyper dforce by tensors, Neo-Hookean"},
               DV_NEO_HOOKEAN,
               {3, 20}},
              {{"hyper force, stable Neo-Hookean", "hyper force by tensors, stable Neo-Hookean"},
               {"hyper dforce, stable Neo-Hookean", "hyper dforce by tensors, stable Neo-Hookean"},
               DV_STABLE_NEO_HOOKEAN,
               {3, 20}},
              {{"hyper force, Mooney-Rivlin", "hyper force by tensors, Mooney-Rivlin"},
               {"hyper dforce, Mooney-Rivlin", "hyper dforce by tensors, Mooney-Rivlin"},
               DV_MOONEY_RIVLIN,
               {3, 2, 20}},
              {{"hyper force, Veronda-Westmann", "hyper force by tensors, Veronda-Westmann"},
               {"hyper dforce, Veronda-Westmann", "hyper dforce by tensors, Veronda-Westmann"},
               DV_VERONDA_WESTMANN,
               {3, 0.7, 20}},
              {{"hyper force, Arruda-Boyce", "hyper force by tensors, Arruda-Boyce"},
               {"hyper dforce, Arruda-Boyce", "hyper dforce by tensors, Arruda-Boyce"},
               DV_ARRUDA_BOYCE,
               {3, 20}},
              {{"hyper force, Costa", "hyper force by tensors, Costa"},
               {"hyper dforce, Costa", "hyper dforce by tensors, Costa"},
               DV_COSTA,
               {2, 20, 8, 3, 4, 2, 1, 5}},
              {{"hyper force, Ogden", "hyper force by tensors, Ogden"},
               {"hyper dforce, Ogden", "hyper dforce by tensors, Ogden"},
               DV_OGDEN,
               {3, 5, 20}}};
  for (size_t i = 0; i < DV_COUNT(laws); i++)
    for (int usual = 0; usual < 2; usual++) {
      dvHyperDef def = {.rest = box->position,
                        .points = box->points,
                        .tetrahedra = box->tetrahedra,
                        .count = box->count,
                        .law = laws[i].law,
                        .parameters = laws[i].parameters,
                        .by_tensor = usual};
      Hyper t = {.pool = s->pool, .x = bench_filled(3 * box->points, 0), .f = bench_filled(3 * box->points, 0)};
      for (size_t k = 0; k < 3 * box->points; k++) t.x[k] += box->position[k];
      if (dv_hyper_create(&def, &t.h, NULL) == DV_OK) {
        bench_time_loop(s, (Loop){laws[i].force[usual], box->count, 0, 0, 0, loop_force, &t});
        bench_time_loop(s, (Loop){laws[i].dforce[usual], box->count, 0, 0, 0, loop_dforce, &t});
        if (laws[i].law == DV_NEO_HOOKEAN && !usual && !s->pool)
          bench_time_loop(s, (Loop){"hyper matrices, Neo-Hookean", box->count, 0, 0, 0, loop_matrix, &t});
        dv_hyper_destroy(&t.h);
      }
      dv_free(t.x), dv_free(t.f);
    }
}
