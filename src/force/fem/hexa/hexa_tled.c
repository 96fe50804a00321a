// Hexahedra of total Lagrangian explicit dynamics: their data, and the order of their work. See hexa_tled.h.
#include "force/fem/hexa/hexa_tled.h"

#include "element/shape.h"
#include "topology/change/fill.h"

#include <string.h>

enum { ELEMENT_NS = 60 };   // about, of a force or product

struct dvHexaTled {
  dvHexaTledData data;
  dvElementBlocks *blocks;
  const dvHexaTledKernels *kernels;
  double *energy;      // [lanes] scratch
  dvBlocksRoom room;   // of the arrays
  dvNumbers patched;   // packs that a change concerns
};

// --- creation ---

// Mean gradients and the volume.
static double mean_gradients(const double x[24], dvVec3 b[8])
{
  const dvQuadrature *rule = dv_shape_quadrature(DV_HEXAHEDRON);
  double volume = 0;
  for (int i = 0; i < 8; i++) b[i] = dv_vec3(0, 0, 0);
  for (int q = 0; q < rule->points; q++) {
    dvVec3 g[DV_SHAPE_NODES];
    double weight = rule->weight[q] * dv_shape_gradients(DV_HEXAHEDRON, rule->at[q], x, g);
    volume += weight;
    for (int i = 0; i < 8; i++) b[i] = dv_vec3_add_scaled(b[i], g[i], weight);
  }
  for (int i = 0; i < 8; i++) b[i] = dv_vec3_scale(b[i], volume > 0 ? 1 / volume : 0);
  return volume;
}

static bool place_element(dvHexaTled *h, const dvHexaTledDef *def, size_t e)
{
  // xy, yz, zx and xyz at the corners
  static const int pattern[4][8] = {{1, -1, 1, -1, 1, -1, 1, -1},
                                    {1, 1, -1, -1, -1, -1, 1, 1},
                                    {1, -1, -1, 1, -1, 1, 1, -1},
                                    {-1, 1, -1, 1, 1, -1, 1, -1}};
  size_t lane = (size_t)h->blocks->lane[e];
  double *rest = h->data.rest + DV_LANES * DV_TLED_REST * (lane / DV_LANES) + lane % DV_LANES, x[24], square = 0;
  dvVec3 b[8];
  for (size_t i = 0; i < 24; i++) x[i] = def->rest[3 * (size_t)def->hexahedra[8 * e + i / 3] + i % 3];
  double volume = mean_gradients(x, b), longest = 0;
  for (int i = 1; i < 8; i++)
    longest = fmax(longest, dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(x + 3 * i), dv_vec3_load(x))));
  if (!(volume > 1e-14 * longest * sqrt(longest)) || !isfinite(volume)) return false;
  for (int i = 0; i < 8; i++) {
    double numbers[3];
    square += dv_vec3_norm2(b[i]);
    dv_vec3_store(numbers, b[i]);
    for (int a = 0; a < 3; a++) rest[DV_LANES * (DV_TLED_GRADIENTS + 3 * i + a)] = numbers[a];
  }
  double stiff = def->bulk + 4.0 / 3 * def->mu;   // lambda + 2 mu
  volume *= dv_topology_filled(def->cells, DV_HEXAHEDRON, e);
  rest[0] = volume;
  rest[DV_LANES] = def->hourglass * stiff * volume * square / 8;
  for (int m = 0; m < 4; m++) {
    dvVec3 along = {0, 0, 0};   // h . X along each axis
    for (int i = 0; i < 8; i++) along = dv_vec3_add_scaled(along, dv_vec3_load(x + 3 * i), pattern[m][i]);
    for (int i = 0; i < 8; i++)
      rest[DV_LANES * (DV_TLED_MODES + 8 * m + i)] = (pattern[m][i] - dv_vec3_dot(along, b[i])) / sqrt(8.0);
  }
  return true;
}

dvStatus dv_hexa_tled_create(const dvHexaTledDef *def, dvHexaTled **out, size_t *flat)
{
  *out = NULL;
  dvElementBlocks *blocks = NULL;
  DV_TRY(dv_blocks_create(def->hexahedra, 8, def->count, def->points, def->rest, 0, &blocks));
  dvHexaTled *h = dv_alloc(sizeof *h);
  *h = (dvHexaTled){.blocks = blocks, .kernels = DV_KERNEL_CHOOSE(dv_hexa_tled_kernels)};
  h->data =
      (dvHexaTledData){.blocks = blocks, .law = {.law = DV_SPLIT_NEO_HOOKEAN, .parameters = {def->mu, def->bulk}}};
  size_t lanes = DV_LANES * blocks->packs, bad = 0;
  h->room = dv_blocks_room(blocks);
  h->data.rest = dv_alloc_aligned((DV_TLED_REST * lanes + 1) * sizeof(double));
  h->data.law.moving = dv_alloc_aligned((DV_HYPER_ISOTROPIC * lanes + 1) * sizeof(double));
  h->data.slots = dv_alloc_aligned((DV_BLOCK_STRIDE * blocks->slots + 1) * sizeof(double));
  h->energy = dv_alloc_aligned((lanes + 1) * sizeof(double));
  if (!h->data.rest || !h->data.law.moving || !h->data.slots || !h->energy) {
    dv_hexa_tled_destroy(&h);
    return DV_ERROR_USAGE;
  }
  for (size_t e = 0; e < def->count; e++) bad += !place_element(h, def, e);
  if (flat) *flat = bad;
  for (size_t b = 0; b < blocks->count; b++) h->kernels->force(&h->data, b, def->rest);   // leaves the shape at rest
  *out = h;
  return DV_OK;
}

bool dv_hexa_tled_patch(dvHexaTled *h, const dvHexaTledDef *def, dvTopology *mesh)
{
  const dvBlocksArray arrays[] = {{&h->data.rest, DV_TLED_REST, DV_PER_LANE},
                                  {&h->data.law.moving, DV_HYPER_ISOTROPIC, DV_PER_LANE},
                                  {&h->energy, 1, DV_PER_LANE},
                                  {&h->data.slots, 1, DV_PER_SLOT}};
  if (!dv_blocks_patch(h->blocks, mesh, DV_HEXAHEDRON, &h->patched) || h->blocks->elements != def->count ||
      h->blocks->points > def->points || !dv_blocks_make_room(h->blocks, &h->room, arrays, DV_COUNT(arrays)))
    return false;
  for (size_t i = 0; i < h->patched.count; i++) {
    size_t pack = (size_t)h->patched.data[i];
    dv_blocks_clear_pack(arrays, DV_COUNT(arrays), pack);
    for (size_t lane = DV_LANES * pack; lane < DV_LANES * (pack + 1); lane++)
      if (h->blocks->element[lane] >= 0) place_element(h, def, (size_t)h->blocks->element[lane]);
  }
  return true;
}

void dv_hexa_tled_destroy(dvHexaTled **tled)
{
  dvHexaTled *h = *tled;
  if (!h) return;
  dv_blocks_destroy(&h->blocks);
  dv_free(h->data.rest);
  dv_free(h->data.law.moving);
  dv_free(h->data.slots);
  dv_free(h->energy);
  dv_array_free(&h->patched);
  dv_free(h);
  *tled = NULL;
}

// --- force and dforce ---

typedef struct {
  dvHexaTled *h;
  const double *x;
  double k;
} Job;

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) job->h->kernels->force(&job->h->data, b, job->x);
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) job->h->kernels->dforce(&job->h->data, b, job->x, job->k);
}

static void measure_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) job->h->kernels->measure(&job->h->data, b, job->x, job->h->energy);
}

void dv_hexa_tled_keep(dvHexaTled *h, bool tangents) { h->data.law.no_tangents = !tangents; }

void dv_hexa_tled_add_force(dvHexaTled *h, dvPool *pool, const double *x, double *f)
{
  dv_blocks_run(h->blocks, &(dvBlocksJob){pool, force_blocks, &(Job){.h = h, .x = x}, ELEMENT_NS}, h->data.slots, 3, f);
}

void dv_hexa_tled_add_dforce(dvHexaTled *h, dvPool *pool, const double *dx, double k, double *df)
{
  DV_ASSERT(!h->data.law.no_tangents);   // the forces were evaluated for an implicit step
  dv_blocks_run(h->blocks, &(dvBlocksJob){pool, dforce_blocks, &(Job){.h = h, .x = dx, .k = k}, ELEMENT_NS},
                h->data.slots, 3, df);
}

double dv_hexa_tled_energy(dvHexaTled *h, dvPool *pool, const double *x)
{
  dv_blocks_each(h->blocks, &(dvBlocksJob){pool, measure_blocks, &(Job){.h = h, .x = x}, ELEMENT_NS});
  double sum = 0;
  for (size_t i = 0; i < DV_LANES * h->blocks->packs; i++) sum += h->energy[i];
  return sum;
}

// --- one element ---

// dP of a change of F, from what the force has left
static dvMat3 stress_change(const double *moving, dvMat3 d)
{
  dvMat3 f, co;
  double n[7];
  for (int i = 0; i < 9; i++) f.m[i % 3][i / 3] = moving[DV_LANES * i];   // stored by columns
  for (int i = 0; i < 7; i++) n[i] = moving[DV_LANES * (9 + i)];
  co = dv_mat3_cofactor(f);
  double di1 = 0, dj = 0;
  for (int i = 0; i < 9; i++)
    di1 += 2 * f.m[i / 3][i % 3] * d.m[i / 3][i % 3], dj += co.m[i / 3][i % 3] * d.m[i / 3][i % 3];
  dvMat3 p = dv_mat3_add(dv_mat3_scale(f, 2 * (n[3] * di1 + n[4] * dj)), dv_mat3_scale(d, 2 * n[0]));
  p = dv_mat3_add(p, dv_mat3_scale(co, n[4] * di1 + n[6] * dj));
  dvVec3 rows[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    rows[i] = dv_vec3_add(dv_vec3_cross(dv_mat3_row(d, j), dv_mat3_row(f, k)),
                          dv_vec3_cross(dv_mat3_row(f, j), dv_mat3_row(d, k)));
  }
  return dv_mat3_add(p, dv_mat3_scale(dv_mat3_from_rows(rows[0], rows[1], rows[2]), n[2]));
}

static void lane_matrix(const dvHexaTled *h, size_t lane, double k, double out[576])
{
  const double *rest = h->data.rest + DV_LANES * DV_TLED_REST * (lane / DV_LANES) + lane % DV_LANES;
  const double *moving = h->data.law.moving + DV_LANES * DV_HYPER_ISOTROPIC * (lane / DV_LANES) + lane % DV_LANES;
  dvVec3 b[8];
  for (int i = 0; i < 8; i++) {
    const double *p = rest + DV_LANES * (DV_TLED_GRADIENTS + 3 * i);
    b[i] = dv_vec3(p[0], p[DV_LANES], p[2 * DV_LANES]);
  }
  for (int c = 0; c < 24; c++) {
    dvVec3 axis = {c % 3 == 0, c % 3 == 1, c % 3 == 2};
    dvMat3 dp = stress_change(moving, dv_mat3_outer(axis, b[c / 3]));
    for (int i = 0; i < 8; i++) {
      double held = 0, numbers[3];
      for (int m = 0; m < 4; m++)
        held += rest[DV_LANES * (DV_TLED_MODES + 8 * m + i)] * rest[DV_LANES * (DV_TLED_MODES + 8 * m + c / 3)];
      dv_vec3_store(numbers, dv_vec3_add_scaled(dv_mat3_mul_vec(dp, b[i]), axis, rest[DV_LANES] * held));
      for (int a = 0; a < 3; a++) out[24 * (3 * i + a) + c] = -k * numbers[a];
    }
  }
}

static void pack_matrices(const void *elements, size_t pack, double k, double *out)
{
  for (size_t lane = 0; lane < DV_LANES; lane++) lane_matrix(elements, DV_LANES * pack + lane, k, out + 576 * lane);
}

dvElementMatrices dv_hexa_tled_matrices(const dvHexaTled *h, double k)
{
  return (dvElementMatrices){.blocks = h->blocks, .width = 3, .elements = h, .k = k, .pack = pack_matrices};
}
