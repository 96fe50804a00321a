// Hyperelastic tetrahedra: their data, and the order of their work. See hyper.h for the equations.
#include "force/fem/hyper.h"

#include <string.h>

struct dvHyper {
  dvHyperData data;
  dvElementBlocks *blocks;
  const dvHyperKernels *kernels;
  size_t record;       // packs of a moving record
  double *energy;      // [lanes] scratch
};

static bool by_tensor(dvHyperLaw law) { return law == DV_OGDEN || law == DV_COSTA; }

// --- creation ---

// False when an element has no volume to speak of.
static bool place_element(dvHyper *h, const dvHyperDef *def, size_t e)
{
  size_t lane = (size_t)h->blocks->lane[e];
  double *rest = h->data.rest + DV_LANES * DV_HYPER_REST * (lane / DV_LANES) + lane % DV_LANES;
  const int32_t *node = def->tetrahedra + 4 * e;
  dvVec3 a = dv_vec3_load(def->rest + 3 * (size_t)node[0]), edge[3];
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    edge[k] = dv_vec3_sub(dv_vec3_load(def->rest + 3 * (size_t)node[k + 1]), a);
    longest = fmax(longest, dv_vec3_norm2(edge[k]));
  }
  dvMat3 edges = dv_mat3_from_columns(edge[0], edge[1], edge[2]), inverse;
  double volume = fabs(dv_mat3_det(edges)) / 6;
  if (!(6 * volume > 1e-14 * longest * sqrt(longest)) || !isfinite(volume) || !dv_mat3_inverse(edges, &inverse)) return false;
  rest[0] = volume;
  for (int i = 0; i < 9; i++) rest[DV_LANES * (1 + i)] = inverse.m[i / 3][i % 3];
  return true;
}

static bool allocate(dvHyper *h)
{
  size_t lanes = DV_LANES * h->blocks->packs;
  h->data.rest = dv_alloc_aligned((DV_HYPER_REST * lanes + 1) * sizeof(double));
  h->data.moving = dv_alloc_aligned((h->record * lanes + 1) * sizeof(double));
  h->data.slots = dv_alloc_aligned((DV_BLOCK_STRIDE * h->blocks->slots + 1) * sizeof(double));
  h->energy = dv_alloc_aligned((lanes + 1) * sizeof(double));
  return h->data.rest && h->data.moving && h->data.slots && h->energy;
}

dvStatus dv_hyper_create(const dvHyperDef *def, dvHyper **out, size_t *flat)
{
  *out = NULL;
  DV_REQUIRE(def->law >= 0 && def->law < DV_HYPER_LAWS);
  dvElementBlocks *blocks = NULL;
  DV_TRY(dv_blocks_create(def->tetrahedra, 4, def->count, def->points, def->rest, 0, &blocks));
  dvHyper *h = dv_alloc(sizeof *h);
  *h = (dvHyper){.blocks = blocks, .kernels = DV_KERNEL_CHOOSE(dv_hyper_kernels), .record = by_tensor(def->law) ? DV_HYPER_TENSOR : DV_HYPER_ISOTROPIC};
  h->data = (dvHyperData){.blocks = blocks, .law = def->law};
  memcpy(h->data.parameters, def->parameters, (size_t)dv_hyper_parameters[def->law] * sizeof(double));
  if (!allocate(h)) {
    dv_hyper_destroy(&h);
    return DV_ERROR_USAGE;
  }
  size_t bad = 0;
  for (size_t e = 0; e < def->count; e++) bad += !place_element(h, def, e);
  if (flat) *flat = bad;
  for (size_t b = 0; b < blocks->count; b++) h->kernels->force[def->law](&h->data, b, def->rest);   // leaves the shape at rest
  *out = h;
  return DV_OK;
}

void dv_hyper_destroy(dvHyper **hyper)
{
  dvHyper *h = *hyper;
  if (!h) return;
  dv_blocks_destroy(&h->blocks);
  dv_free(h->data.rest);
  dv_free(h->data.moving);
  dv_free(h->data.slots);
  dv_free(h->energy);
  dv_free(h);
  *hyper = NULL;
}

// --- force and dforce ---

typedef struct {
  dvHyper *h;
  const double *x;
  double k;
} Job;

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvHyper *h = job->h;
  for (size_t b = begin; b < end; b++) h->kernels->force[h->data.law](&h->data, b, job->x);
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvHyper *h = job->h;
  for (size_t b = begin; b < end; b++) h->kernels->dforce[h->data.law](&h->data, b, job->x, job->k);
}

static void measure_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvHyper *h = job->h;
  for (size_t b = begin; b < end; b++) h->kernels->measure[h->data.law](&h->data, b, job->x, h->energy);
}

void dv_hyper_add_force(dvHyper *h, dvPool *pool, const double *x, double *f)
{
  dv_blocks_run(h->blocks, pool, force_blocks, &(Job){.h = h, .x = x}, h->data.slots, 3, f);
}

void dv_hyper_add_dforce(dvHyper *h, dvPool *pool, const double *dx, double k, double *df)
{
  dv_blocks_run(h->blocks, pool, dforce_blocks, &(Job){.h = h, .x = dx, .k = k}, h->data.slots, 3, df);
}

double dv_hyper_energy(dvHyper *h, dvPool *pool, const double *x)
{
  dv_blocks_each(h->blocks, pool, measure_blocks, &(Job){.h = h, .x = x});
  double sum = 0;
  for (size_t i = 0; i < DV_LANES * h->blocks->packs; i++) sum += h->energy[i];
  return sum;
}

// --- one element at a time ---

typedef struct Element {
  dvMat3 f;                    // deformation gradient
  dvMat3 c, cofactor, fc;      // C, cof F, F C
  double n[27];                // isotropic: W1 W2 WJ W11 W1J W2J WJJ; else S and the upper triangle of D
} Element;

static double inner(dvMat3 a, dvMat3 b)
{
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += a.m[i / 3][i % 3] * b.m[i / 3][i % 3];
  return sum;
}
static dvMat3 plus(dvMat3 a, double k, dvMat3 b) { return dv_mat3_add(a, dv_mat3_scale(b, k)); }

// d(cof F): rows are cross products of rows
static dvMat3 cofactor_change(dvMat3 f, dvMat3 d)
{
  dvVec3 rows[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    rows[i] = dv_vec3_add(dv_vec3_cross(dv_mat3_row(d, j), dv_mat3_row(f, k)), dv_vec3_cross(dv_mat3_row(f, j), dv_mat3_row(d, k)));
  }
  return dv_mat3_from_rows(rows[0], rows[1], rows[2]);
}

// dP for a change of F, as in the kernel
static dvMat3 isotropic_change(const Element *e, dvMat3 d)
{
  const double *n = e->n;
  dvMat3 dc = dv_mat3_add(dv_mat3_t_mul(d, e->f), dv_mat3_t_mul(e->f, d));
  double i1 = dv_mat3_trace(e->c), di1 = 2 * inner(e->f, d), dj = inner(e->cofactor, d), di2 = i1 * di1 - 2 * inner(e->fc, d);
  double dw1 = n[3] * di1 + n[4] * dj, dw2 = n[5] * dj, dwj = n[4] * di1 + n[5] * di2 + n[6] * dj;
  dvMat3 p = plus(dv_mat3_scale(e->f, 2 * (dw1 + i1 * dw2 + n[1] * di1)), 2 * (n[0] + i1 * n[1]), d);
  p = plus(plus(p, -2 * dw2, e->fc), -2 * n[1], dv_mat3_add(dv_mat3_mul(d, e->c), dv_mat3_mul(e->f, dc)));
  return plus(plus(p, dwj, e->cofactor), n[2], cofactor_change(e->f, d));
}

static dvMat3 symmetric(const double *s) { return (dvMat3){{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}}; }

static dvMat3 tensor_change(const Element *e, dvMat3 d)
{
  dvMat3 h = dv_mat3_add(dv_mat3_t_mul(d, e->f), dv_mat3_t_mul(e->f, d));
  const double in[6] = {h.m[0][0], h.m[1][1], h.m[2][2], 2 * h.m[0][1], 2 * h.m[1][2], 2 * h.m[2][0]}, *upper = e->n + 6;
  double out[6] = {0};
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++, upper++) {
      out[i] += *upper * in[j];
      if (j > i) out[j] += *upper * in[i];
    }
  return dv_mat3_add(dv_mat3_mul(d, symmetric(e->n)), dv_mat3_mul(e->f, symmetric(out)));
}

static void load_element(const dvHyper *h, size_t element, Element *e, dvVec3 g[4])
{
  size_t lane = (size_t)h->blocks->lane[element];
  const double *moving = h->data.moving + DV_LANES * h->record * (lane / DV_LANES) + lane % DV_LANES;
  const double *rest = h->data.rest + DV_LANES * DV_HYPER_REST * (lane / DV_LANES) + lane % DV_LANES;
  for (int i = 0; i < 9; i++) e->f.m[i % 3][i / 3] = moving[DV_LANES * i];   // stored by columns
  for (size_t i = 0; i < h->record - 9; i++) e->n[i] = moving[DV_LANES * (9 + i)];
  e->c = dv_mat3_t_mul(e->f, e->f);
  e->cofactor = dv_mat3_cofactor(e->f);
  e->fc = dv_mat3_mul(e->f, e->c);
  g[0] = dv_vec3(0, 0, 0);
  for (int k = 1; k < 4; k++) {
    const double *p = rest + DV_LANES * (3 * k - 2);
    g[k] = dv_vec3(p[0], p[DV_LANES], p[2 * DV_LANES]);
    g[0] = dv_vec3_sub(g[0], g[k]);
  }
}

void dv_hyper_stiffness(const dvHyper *h, size_t element, double k, double out[144])
{
  Element e;
  dvVec3 g[4];
  load_element(h, element, &e, g);
  for (int c = 0; c < 12; c++) {
    dvVec3 axis = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
    dvMat3 d = dv_mat3_outer(axis, g[c / 3]), dp = by_tensor(h->data.law) ? tensor_change(&e, d) : isotropic_change(&e, d);
    for (int i = 0; i < 4; i++) {
      dvVec3 f = dv_vec3_scale(dv_mat3_mul_vec(dp, g[i]), -k);
      out[12 * (3 * i) + c] = f.x;
      out[12 * (3 * i + 1) + c] = f.y;
      out[12 * (3 * i + 2) + c] = f.z;
    }
  }
}
