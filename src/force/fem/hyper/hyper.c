// Hyperelastic tetrahedra: their data, and the order of their work. See hyper.h for the equations.
#include "force/fem/hyper/hyper.h"

#include <string.h>

struct dvHyper {
  dvHyperData data;
  dvElementBlocks *blocks;
  const dvHyperKernels *kernels;
  size_t record;       // packs of a moving record
  int which;           // of the kernels
  double *energy;      // [lanes] scratch
  dvBlocksRoom room;   // of the arrays
  dvNumbers patched;   // packs that a change concerns
  double prony[2 * DV_HYPER_TERMS], dt;
};

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
  if (!(6 * volume > 1e-14 * longest * sqrt(longest)) || !isfinite(volume) || !dv_mat3_inverse(edges, &inverse))
    return false;
  rest[0] = def->factors ? def->factors[e] * volume : volume;   // all stresses are times the volume
  if (def->axes) inverse = dv_mat3_mul_t(inverse, dv_mat3_load(def->axes + 9 * e));
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
  h->room = dv_blocks_room(h->blocks);
  bool good = h->data.rest && h->data.moving && h->data.slots && h->energy;
  if (h->data.terms == 0 || !good) return good;
  h->data.gamma = dv_alloc_aligned(((size_t)h->data.terms * 6 * lanes + 1) * sizeof(double));
  h->data.memory = dv_alloc_aligned((6 * lanes + 1) * sizeof(double));
  return h->data.gamma && h->data.memory;
}

dvStatus dv_hyper_create(const dvHyperDef *def, dvHyper **out, size_t *flat)
{
  *out = NULL;
  DV_REQUIRE(def->law >= 0 && def->law < DV_HYPER_LAWS && def->terms >= 0 && def->terms <= DV_HYPER_TERMS);
  dvElementBlocks *blocks = NULL;
  DV_TRY(dv_blocks_create(def->tetrahedra, 4, def->count, def->points, def->rest, 0, &blocks));
  dvHyper *h = dv_alloc(sizeof *h);
  *h = (dvHyper){.blocks = blocks,
                 .kernels = DV_KERNEL_CHOOSE_WIDE(dv_hyper_kernels),
                 .which = def->by_tensor ? DV_HYPER_LAWS : (int)def->law,
                 .record = def->by_tensor || def->law == DV_OGDEN || def->law == DV_HOLZAPFEL_OGDEN
                               ? DV_HYPER_TENSOR
                               : DV_HYPER_ISOTROPIC};
  h->data = (dvHyperData){.blocks = blocks, .law = def->law, .terms = def->terms, .present = 1};
  for (int i = 0; i < 2 * def->terms; i++) h->prony[i] = def->prony[i];
  memcpy(h->data.parameters, def->parameters, (size_t)dv_hyper_parameters[def->law] * sizeof(double));
  if (!allocate(h)) {
    dv_hyper_destroy(&h);
    return DV_ERROR_USAGE;
  }
  size_t bad = 0;
  for (size_t e = 0; e < def->count; e++) bad += !place_element(h, def, e);
  if (flat) *flat = bad;
  for (size_t b = 0; b < blocks->count; b++)
    h->kernels->force[h->which](&h->data, b, def->rest);   // leaves the shape at rest
  *out = h;
  return DV_OK;
}

// --- a mesh that changes ---

static bool make_room(dvHyper *h)
{
  const dvBlocksArray arrays[] = {{&h->data.rest, DV_HYPER_REST, DV_PER_LANE},
                                  {&h->data.moving, h->record, DV_PER_LANE},
                                  {&h->energy, 1, DV_PER_LANE},
                                  {&h->data.slots, 1, DV_PER_SLOT},
                                  {&h->data.gamma, 6 * (size_t)h->data.terms, DV_PER_LANE},
                                  {&h->data.memory, 6, DV_PER_LANE}};
  return dv_blocks_make_room(h->blocks, &h->room, arrays, DV_COUNT(arrays));
}

bool dv_hyper_patch(dvHyper *h, const dvHyperDef *def, dvTopology *mesh)
{
  if (!dv_blocks_patch(h->blocks, mesh, DV_TETRAHEDRON, &h->patched) || h->blocks->elements != def->count ||
      h->blocks->points > def->points || !make_room(h))
    return false;
  for (size_t i = 0; i < h->patched.count; i++) {
    size_t pack = (size_t)h->patched.data[i];
    memset(h->data.rest + DV_LANES * DV_HYPER_REST * pack, 0, DV_LANES * DV_HYPER_REST * sizeof(double));
    memset(h->data.moving + DV_LANES * h->record * pack, 0, DV_LANES * h->record * sizeof(double));
    for (size_t lane = DV_LANES * pack; lane < DV_LANES * (pack + 1); lane++)
      if (h->blocks->element[lane] >= 0) place_element(h, def, (size_t)h->blocks->element[lane]);
  }
  return true;
}

void dv_hyper_destroy(dvHyper **hyper)
{
  dvHyper *h = *hyper;
  if (!h) return;
  dv_blocks_destroy(&h->blocks);
  dv_free(h->data.rest);
  dv_free(h->data.moving);
  dv_free(h->data.slots);
  dv_free(h->data.gamma);
  dv_free(h->data.memory);
  dv_free(h->energy);
  dv_array_free(&h->patched);
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
  void (*force)(const dvHyperData *, size_t, const double *) =
      h->data.no_tangents ? h->kernels->lone_force[h->which] : h->kernels->force[h->which];
  for (size_t b = begin; b < end; b++) force(&h->data, b, job->x);
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvHyper *h = job->h;
  for (size_t b = begin; b < end; b++) h->kernels->dforce[h->which](&h->data, b, job->x, job->k);
}

static void measure_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvHyper *h = job->h;
  for (size_t b = begin; b < end; b++) h->kernels->measure[h->which](&h->data, b, job->x, h->energy);
}

// about, of an element: laws with powers of stretches and those by tensors are the slow ones
static double force_ns(const dvHyper *h)
{
  return h->which == DV_HYPER_LAWS ? 500 : h->data.law == DV_OGDEN ? 160 : h->data.law == DV_HOLZAPFEL_OGDEN ? 60 : 20;
}

void dv_hyper_keep(dvHyper *h, bool tangents) { h->data.no_tangents = !tangents; }

void dv_hyper_add_force(dvHyper *h, dvPool *pool, const double *x, double *f)
{
  dv_blocks_run(h->blocks, &(dvBlocksJob){pool, force_blocks, &(Job){.h = h, .x = x}, force_ns(h)}, h->data.slots, 3,
                f);
}

void dv_hyper_add_dforce(dvHyper *h, dvPool *pool, const double *dx, double k, double *df)
{
  DV_ASSERT(!h->data.no_tangents);   // the forces were evaluated for an implicit step
  dv_blocks_run(h->blocks, &(dvBlocksJob){pool, dforce_blocks, &(Job){.h = h, .x = dx, .k = k}, 18}, h->data.slots, 3,
                df);
}

double dv_hyper_energy(dvHyper *h, dvPool *pool, const double *x)
{
  dv_blocks_each(h->blocks, &(dvBlocksJob){pool, measure_blocks, &(Job){.h = h, .x = x}, force_ns(h)});
  double sum = 0;
  for (size_t i = 0; i < DV_LANES * h->blocks->packs; i++) sum += h->energy[i];
  return sum;
}

// --- matrices ---

static void pack_matrices(const void *elements, size_t pack, double k, double *out)
{
  const dvHyper *h = elements;
  h->kernels->matrix[h->which](&h->data, pack, k, out);
}

dvElementMatrices dv_hyper_matrices(const dvHyper *h, double k)
{
  return (dvElementMatrices){.blocks = h->blocks, .width = 3, .elements = h, .k = k, .pack = pack_matrices};
}

// --- viscosity ---

// what earlier stresses leave in the present step
static void recall_pack(const dvHyper *h, size_t pack)
{
  const dvHyperData *d = &h->data;
  memset(d->memory + 6 * DV_LANES * pack, 0, 6 * DV_LANES * sizeof *d->memory);
  for (size_t i = 0; i < (size_t)d->terms * 6 * DV_LANES; i++)
    d->memory[6 * DV_LANES * pack + i % (6 * DV_LANES)] +=
        d->keep[i / (6 * DV_LANES)] * d->gamma[(size_t)d->terms * 6 * DV_LANES * pack + i];
}

static void recall(dvHyper *h)
{
  for (size_t pack = 0; pack < h->blocks->packs; pack++) recall_pack(h, pack);
}

void dv_hyper_set_step(dvHyper *h, double dt)
{
  dvHyperData *d = &h->data;
  if (d->terms == 0 || dt == h->dt || !(dt >= 0)) return;
  h->dt = dt;
  d->present = 1;
  for (int i = 0; i < d->terms; i++) {
    double alpha = h->prony[2 * i], tau = h->prony[2 * i + 1];
    d->take[i] = dt * alpha / (dt + tau);
    d->keep[i] = tau / (dt + tau);
    d->present -= d->take[i];
  }
  recall(h);
}

static void remember_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvHyper *h = job->h;
  for (size_t b = begin; b < end; b++) {
    const dvElementBlock *block = &h->blocks->blocks[b];
    h->kernels->remember[h->which](&h->data, b, job->x);
    for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) recall_pack(h, i);
  }
}

void dv_hyper_end_step(dvHyper *h, dvPool *pool, const double *x)
{
  if (h->data.terms == 0) return;
  dv_blocks_each(h->blocks, &(dvBlocksJob){pool, remember_blocks, &(Job){.h = h, .x = x}, force_ns(h)});
}

void dv_hyper_remember(dvHyper *h, dvMemoryStream *s)
{
  size_t numbers = (size_t)h->data.terms * 6 * DV_LANES * h->blocks->packs;
  dv_remember_numbers(s, "viscous stress", h->data.gamma, numbers * sizeof(double));
  if (h->data.terms && dv_memory_restores(s)) recall(h);
}

// --- viscous stresses while a mesh changes ---

static double *gamma_of(const dvHyper *h, size_t lane)
{
  return h->data.gamma + (size_t)h->data.terms * 6 * DV_LANES * (lane / DV_LANES) + lane % DV_LANES;
}

static void read_gamma(void *user, size_t element, size_t lane, double *out)
{
  const dvHyper *h = user;
  DV_UNUSED(element);
  for (size_t i = 0; i < 6 * (size_t)h->data.terms; i++) out[i] = gamma_of(h, lane)[DV_LANES * i];
}

static void write_gamma(void *user, size_t element, const double *numbers)
{
  const dvHyper *h = user;
  for (size_t i = 0; i < 6 * (size_t)h->data.terms; i++)
    gamma_of(h, (size_t)h->blocks->lane[element])[DV_LANES * i] = numbers[i];
}

static void create_gamma(void *user, const dvNewElement *e) { dv_lane_memory_create(user, e); }

void dv_hyper_follow(dvHyper *h, dvLaneMemory *memory, dvElementData *d)
{
  memory->width = 6 * (size_t)h->data.terms;
  memory->user = h;
  memory->read = read_gamma;
  memory->write = write_gamma;
  if (!memory->width) return;
  dv_lane_memory_begin(memory, h->blocks);
  dv_element_data_add_ints(d, &memory->home, false);
  d->user = memory;
  d->create = create_gamma;
}

void dv_hyper_settle(dvHyper *h, dvLaneMemory *memory, dvTopology *mesh)
{
  size_t record = 6 * (size_t)h->data.terms;
  if (!record) return;
  for (size_t i = 0; i < h->patched.count; i++)   // of lanes that are empty
    for (size_t lane = DV_LANES * (size_t)h->patched.data[i]; lane < DV_LANES * ((size_t)h->patched.data[i] + 1);
         lane++)
      for (size_t k = 0; k < record && h->blocks->element[lane] < 0; k++) gamma_of(h, lane)[DV_LANES * k] = 0;
  dv_lane_memory_settle(memory, mesh, DV_TETRAHEDRON, h->blocks);
  for (size_t i = 0; i < h->patched.count; i++) recall_pack(h, (size_t)h->patched.data[i]);
}

bool dv_hyper_take(const dvLaneMemory *memory, size_t elements, dvReals *rows)
{
  size_t width = memory->width;
  if (!width || memory->home.count != elements || !dv_reals_resize(rows, width * elements)) return false;
  double *out = dv_reals_edit(rows);
  for (size_t e = 0; e < elements; e++) dv_lane_memory_get(memory, e, out + width * e);
  return true;
}

void dv_hyper_put(dvHyper *h, const dvReals *rows)
{
  size_t width = 6 * (size_t)h->data.terms;
  if (!width || rows->count != width * h->blocks->elements) return;
  for (size_t e = 0; e < h->blocks->elements; e++) write_gamma(h, e, rows->data + width * e);
  recall(h);
}
