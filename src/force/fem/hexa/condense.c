// Trilinear condensation, see condense.h.
#include "force/fem/hexa/condense.h"

#include <string.h>

void dv_corner_weights(const double at[3], double weights[8])
{
  for (int w = 0; w < 8; w++) {
    int place[3];
    dv_corner_place(w, place);
    weights[w] = 1;
    for (int a = 0; a < 3; a++) weights[w] *= place[a] ? at[a] : 1 - at[a];
  }
}

typedef struct Matrices {
  double k[DV_CONDENSE_K], m[64];
  double cells;
} Matrices;

typedef struct Condenser {
  const dvCondenseDef *def;
  double to_fine[8][8][8];   // [child][fine corner][coarse corner]
  Matrices *full;            // [depth + 1] a full cell of each level
} Condenser;

// coarse += P^T fine P
static void add_child(const double p[8][8], const Matrices *fine, Matrices *coarse)
{
  double a[DV_CONDENSE_K] = {0}, b[64] = {0};
  for (int i = 0; i < 24; i++)
    for (int n = 0; n < 8; n++)
      for (int c = 0; c < 8; c++)
        for (int x = 0; x < 3 && p[n][c] != 0; x++) a[24 * i + 3 * c + x] += fine->k[24 * i + 3 * n + x] * p[n][c];
  for (int n = 0; n < 8; n++)
    for (int c = 0; c < 8; c++) {
      double weight = p[n][c];
      if (weight == 0) continue;
      for (int x = 0; x < 3; x++)
        for (int j = 0; j < 24; j++) coarse->k[24 * (3 * c + x) + j] += weight * a[24 * (3 * n + x) + j];
    }
  for (int i = 0; i < 8; i++)
    for (int c = 0; c < 8; c++)
      for (int n = 0; n < 8; n++) b[8 * i + c] += fine->m[8 * i + n] * p[n][c];
  for (int c = 0; c < 8; c++)
    for (int n = 0; n < 8; n++)
      for (int j = 0; j < 8; j++) coarse->m[8 * c + j] += p[n][c] * b[8 * n + j];
  coarse->cells += fine->cells;
}

static void prepare(Condenser *c)
{
  for (int child = 0; child < 8; child++)
    for (int w = 0; w < 8; w++) {
      int place[3];
      double at[3];
      dv_corner_place(w, place);
      for (int a = 0; a < 3; a++) at[a] = 0.5 * (place[a] + (child >> a & 1));
      dv_corner_weights(at, c->to_fine[child][w]);
    }
  int depth = c->def->depth;
  c->full = dv_alloc(((size_t)depth + 1) * sizeof *c->full);
  memcpy(c->full[depth].k, c->def->stiffness, sizeof c->full[depth].k);
  memcpy(c->full[depth].m, c->def->mass, sizeof c->full[depth].m);
  c->full[depth].cells = 1;
  for (int level = depth - 1; level >= 0; level--)
    for (int child = 0; child < 8; child++) add_child(c->to_fine[child], &c->full[level + 1], &c->full[level]);
}

// All of a cell is there and has one coefficient of stiffness and one of mass.
static bool is_full(const Condenser *c, int level, int32_t element, double value[2])
{
  if (level == c->def->depth) {
    value[0] = dv_condense_stiffness(c->def, level, element);
    value[1] = dv_condense_mass(c->def, level, element);
    return true;
  }
  const dvSparseLevel *l = c->def->level[level];
  int32_t begin = l->child_offset.data[element], end = l->child_offset.data[element + 1];
  unsigned places = 0;
  if (end - begin != 8) return false;
  for (int32_t i = begin; i < end; i++) {
    double other[2] = {0};
    if (!is_full(c, level + 1, l->child.data[i], other)) return false;
    if (i > begin && (other[0] != value[0] || other[1] != value[1])) return false;
    value[0] = other[0], value[1] = other[1];
    places |= 1u << l->child_place.data[i];
  }
  return places == 255;
}

static void add_cell(const Condenser *c, int level, int32_t element, Matrices *out)
{
  double value[2] = {0};
  memset(out, 0, sizeof *out);
  if (is_full(c, level, element, value)) {
    const Matrices *full = &c->full[level];
    for (int i = 0; i < DV_CONDENSE_K; i++) out->k[i] = value[0] * full->k[i];
    for (int i = 0; i < 64; i++) out->m[i] = value[1] * full->m[i];
    out->cells = full->cells;
    return;
  }
  const dvSparseLevel *l = c->def->level[level];
  for (int32_t i = l->child_offset.data[element]; i < l->child_offset.data[element + 1]; i++) {
    Matrices fine;
    add_cell(c, level + 1, l->child.data[i], &fine);
    add_child(c->to_fine[l->child_place.data[i]], &fine, out);
  }
}

void dv_condense_trilinear(const dvCondenseDef *def, double *k, double *m, double *cells)
{
  Condenser c = {.def = def};
  prepare(&c);
  size_t count = def->level[0]->cell_of.count;
  for (size_t e = 0; e < count; e++) {
    Matrices out;
    add_cell(&c, 0, (int32_t)e, &out);
    memcpy(k + DV_CONDENSE_K * e, out.k, sizeof out.k);
    for (int a = 0; a < 3; a++) memcpy(m + DV_CONDENSE_M * e + 64 * a, out.m, sizeof out.m);
    if (cells) cells[e] = out.cells;
  }
  dv_free(c.full);
}
