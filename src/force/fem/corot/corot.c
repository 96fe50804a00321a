// Corotational elements: their data, and the order of their work. See corot.h for the equations.
#include "force/fem/corot/corot.h"

#include "math/decompose.h"

#include <string.h>

struct dvCorot {
  dvCorotData data;
  dvElementBlocks *blocks;
  const dvCorotKernels *kernels;
  size_t nodes, entries;   // entries of a stored matrix
  double weights[3 * DV_COROT_NODES];
  dvCorotStiffness stiffness;
  void *user;
  double *first;       // nine packs: axes at rest, NULL when they are those of the world
  double *energy;      // [lanes] scratch
  dvBlocksRoom room;   // of the arrays
  dvNumbers patched;   // packs that a change concerns
};

// --- one element ---

static const double *lane_at(const double *packs, size_t record, size_t lane)
{
  return packs + DV_LANES * record * (lane / DV_LANES) + lane % DV_LANES;
}

// corners relative to the first
static void corners_of(const dvCorotDef *def, size_t e, dvVec3 d[DV_COROT_NODES])
{
  double p[DV_COROT_NODES][3] = {{0}};
  for (size_t i = 0; i < def->nodes; i++)
    for (int k = 0; k < def->width; k++)
      p[i][k] = def->rest[(size_t)def->width * (size_t)def->connectivity[def->nodes * e + i] + (size_t)k];
  for (size_t i = 0; i < def->nodes; i++) d[i] = dv_vec3_sub(dv_vec3_load(p[i]), dv_vec3_load(p[0]));
}

// rows are the axes of an element whose frame comes from weights
static dvMat3 axes_of(const dvCorot *c, const dvVec3 d[DV_COROT_NODES])
{
  dvVec3 v[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < 3; k++)
    for (size_t i = 0; i < c->nodes; i++) v[k] = dv_vec3_add_scaled(v[k], d[i], c->weights[(size_t)k * c->nodes + i]);
  if (c->data.frame == DV_FRAME_EDGES) {
    dvVec3 x = dv_vec3_normalise(v[0]), z = dv_vec3_normalise(dv_vec3_cross(x, v[1]));
    return dv_mat3_from_rows(x, dv_vec3_cross(z, x), z);
  }
  dvMat3 m = dv_mat3_from_rows(v[0], v[1], v[2]), q;
  if (c->data.frame == DV_FRAME_POLAR) dv_polar(&m, &q, NULL);
  else dv_polar_stable(&m, &q, NULL);
  return q;
}

// blocks of the upper triangle without the first corner, in the order of the kernels
static void pack_matrix(size_t nodes, const double *k, double *out)
{
  size_t n = 3 * nodes;
  for (size_t i = 1; i < nodes; i++)
    for (size_t j = i; j < nodes; j++)
      for (size_t r = 0; r < 3; r++)
        for (size_t s = i == j ? r : 0; s < 3; s++) *out++ = k[n * (3 * i + r) + 3 * j + s];
}

// sum_j K_0j, then sum_i K_ij; the upper triangle of K counts
static void sum_rows(size_t nodes, const double *k, double *out)
{
  size_t n = 3 * nodes;
  memset(out, 0, 9 * nodes * sizeof *out);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) out[9 * (j / 3) + 3 * (i % 3) + j % 3] += i <= j ? k[n * i + j] : k[n * j + i];
  dv_mat3_store(out, dv_mat3_transpose(dv_mat3_load(out)));
}

typedef struct Matrix {
  double packed[DV_COROT_ENTRIES], sums[9 * DV_COROT_NODES];
} Matrix;

static void store_numbers(const dvCorot *c, size_t e, const double *from, size_t count, double *to)
{
  size_t step = c->data.shared ? 1 : DV_LANES;
  double *at = c->data.shared ? to : (double *)lane_at(to, count, (size_t)c->blocks->lane[e]);
  for (size_t i = 0; i < count; i++) at[step * i] = from[i];
}

static void store_matrix(dvCorot *c, size_t e, const Matrix *m)
{
  store_numbers(c, e, m->packed, c->entries, c->data.stiffness);
  if (c->data.sums) store_numbers(c, e, m->sums, 9 * c->nodes, c->data.sums);
}

static void rest_shape(const dvCorot *c, size_t e, double *x)
{
  const double *at = lane_at(c->data.rest, 3 * (c->nodes - 1), (size_t)c->blocks->lane[e]);
  x[0] = x[1] = x[2] = 0;
  for (size_t i = 0; i < 3 * (c->nodes - 1); i++) x[3 + i] = at[DV_LANES * i];
}

static void compute_matrix(const dvCorot *c, size_t e, const double *x, Matrix *m)
{
  double k[DV_COROT_MATRIX];
  c->stiffness(c->user, e, x, k);
  pack_matrix(c->nodes, k, m->packed);
  if (c->data.origin) sum_rows(c->nodes, k, m->sums);   // they are zero otherwise
}

// --- creation ---

static void store_lane(double *at, dvVec3 v)
{
  double numbers[3];
  dv_vec3_store(numbers, v);
  for (size_t k = 0; k < 3; k++) at[DV_LANES * k] = numbers[k];
}

static void place_element(dvCorot *c, const dvCorotDef *def, size_t e)
{
  dvVec3 d[DV_COROT_NODES];
  size_t lane = (size_t)c->blocks->lane[e];
  double *rest = (double *)lane_at(c->data.rest, 3 * (c->nodes - 1), lane),
         *frame = (double *)lane_at(c->data.frames, 9, lane);
  corners_of(def, e, d);
  dvMat3 axes = def->weights && def->frame != DV_FRAME_FIXED ? axes_of(c, d) : dv_mat3_identity();
  double *first = c->first ? (double *)lane_at(c->first, 9, lane) : NULL;
  for (int i = 0; i < 9; i++) frame[DV_LANES * i] = axes.m[i / 3][i % 3];
  for (int i = 0; i < 9 && first; i++) first[DV_LANES * i] = axes.m[i / 3][i % 3];
  for (size_t i = 1; i < c->nodes; i++) store_lane(rest + DV_LANES * 3 * (i - 1), dv_mat3_mul_vec(axes, d[i]));
  if (!c->data.origin) return;
  double corner[3] = {0};
  for (int k = 0; k < def->width; k++)
    corner[k] = def->rest[(size_t)def->width * (size_t)def->connectivity[def->nodes * e] + (size_t)k];
  store_lane((double *)lane_at(c->data.origin, 3, lane), dv_mat3_mul_vec(axes, dv_vec3_load(corner)));
}

// the matrices of an element and of another are the same up to rounding
static bool has_matrix(const dvCorot *c, size_t e, const double *packed)
{
  double x[3 * DV_COROT_NODES], most = 0;
  Matrix own;
  bool same = true;
  rest_shape(c, e, x);
  compute_matrix(c, e, x, &own);
  for (size_t i = 0; i < c->entries; i++) most = dv_max(most, packed[i] < 0 ? -packed[i] : packed[i]);
  for (size_t i = 0; i < c->entries && same; i++) {
    double gap = packed[i] - own.packed[i];
    same = gap <= 1e-13 * most && gap >= -1e-13 * most;
  }
  return same;
}

static bool same_matrices(const dvCorot *c)
{
  double x[3 * DV_COROT_NODES];
  Matrix first;
  bool same = true;
  for (size_t e = 0; e < c->blocks->elements && same; e++) {
    if (e > 0) same = has_matrix(c, e, first.packed);
    else rest_shape(c, e, x), compute_matrix(c, e, x, &first);
  }
  return same;
}

void dv_corot_reset_stiffness(dvCorot *c)
{
  double x[3 * DV_COROT_NODES];
  Matrix m;
  size_t count = c->data.shared ? dv_min_size(1, c->blocks->elements) : c->blocks->elements;
  for (size_t e = 0; e < count; e++) {
    rest_shape(c, e, x);
    compute_matrix(c, e, x, &m);
    store_matrix(c, e, &m);
  }
}

static bool allocate(dvCorot *c, const dvCorotDef *def)
{
  size_t lanes = DV_LANES * c->blocks->packs;
  c->data.rest = dv_alloc_aligned((3 * (c->nodes - 1) * lanes + 1) * sizeof(double));
  c->data.frames = dv_alloc_aligned((9 * lanes + 1) * sizeof(double));
  c->data.slots = dv_alloc_aligned((DV_BLOCK_STRIDE * c->blocks->slots + 1) * sizeof(double));
  c->energy = dv_alloc_aligned((lanes + 1) * sizeof(double));
  c->room = dv_blocks_room(c->blocks);
  bool turned = def->weights && def->frame != DV_FRAME_FIXED;
  if (turned) c->first = dv_alloc_aligned((9 * lanes + 1) * sizeof(double));
  if (def->whole) c->data.origin = dv_alloc_aligned((3 * lanes + 1) * sizeof(double));
  return c->data.rest && c->data.frames && c->data.slots && c->energy && (!turned || c->first) &&
         (!def->whole || c->data.origin);
}

dvStatus dv_corot_create(const dvCorotDef *def, dvCorot **out)
{
  *out = NULL;
  DV_REQUIRE(def->nodes >= 2 && def->nodes <= DV_COROT_NODES && def->nodes != 7 && def->width >= 1 && def->width <= 3);
  dvElementBlocks *blocks = NULL;
  DV_TRY(dv_blocks_create(def->connectivity, def->nodes, def->count, def->points, def->width == 3 ? def->rest : NULL, 0,
                          &blocks));
  dvCorot *c = dv_alloc(sizeof *c);
  *c = (dvCorot){.blocks = blocks,
                 .kernels = DV_KERNEL_CHOOSE(dv_corot_kernels),
                 .nodes = def->nodes,
                 .entries = dv_corot_entries(def->nodes),
                 .stiffness = def->stiffness,
                 .user = def->user};
  c->data = (dvCorotData){.blocks = blocks, .width = def->width, .frame = def->frame};
  if (def->weights) {
    memcpy(c->weights, def->weights, 3 * def->nodes * sizeof *c->weights);
    c->data.weights = c->weights;
  }
  bool good = allocate(c, def);
  for (size_t e = 0; e < def->count && good; e++) place_element(c, def, e);
  if (good) {
    c->data.shared = !def->changing && same_matrices(c);
    size_t count = c->data.shared ? 1 : DV_LANES * blocks->packs;
    good = count < SIZE_MAX / 8 / c->entries;
    if (good) c->data.stiffness = dv_alloc_aligned((c->entries * count + 1) * sizeof(double));
    if (good && def->whole) c->data.sums = dv_alloc_aligned((9 * c->nodes * count + 1) * sizeof(double));
    good = good && c->data.stiffness && (!def->whole || c->data.sums);
  }
  if (!good) {
    dv_corot_destroy(&c);
    return DV_ERROR_USAGE;
  }
  dv_corot_reset_stiffness(c);
  *out = c;
  return DV_OK;
}

// --- a mesh that changes ---

// matrices that are shared are not among the arrays
static size_t arrays_of(dvCorot *c, dvBlocksArray out[8])
{
  const dvBlocksArray arrays[] = {{&c->data.rest, 3 * (c->nodes - 1), DV_PER_LANE},
                                  {&c->data.frames, 9, DV_PER_LANE},
                                  {&c->first, 9, DV_PER_LANE},
                                  {&c->data.origin, 3, DV_PER_LANE},
                                  {&c->energy, 1, DV_PER_LANE},
                                  {&c->data.slots, 1, DV_PER_SLOT},
                                  {&c->data.stiffness, c->entries, DV_PER_LANE},
                                  {&c->data.sums, 9 * c->nodes, DV_PER_LANE}};
  memcpy(out, arrays, sizeof arrays);
  return c->data.shared ? 6 : 8;
}

static bool patch_element(dvCorot *c, const dvCorotDef *def, size_t e)
{
  double x[3 * DV_COROT_NODES];
  Matrix m;
  place_element(c, def, e);
  if (c->data.shared) return has_matrix(c, e, c->data.stiffness);
  rest_shape(c, e, x);
  compute_matrix(c, e, x, &m);
  store_matrix(c, e, &m);
  return true;
}

bool dv_corot_patch(dvCorot *c, const dvCorotDef *def, dvTopology *mesh, dvElementKind kind)
{
  dvBlocksArray arrays[8];
  if (!dv_blocks_patch(c->blocks, mesh, kind, &c->patched) || c->blocks->elements != def->count ||
      c->blocks->points > def->points)
    return false;
  size_t count = arrays_of(c, arrays);
  bool good = dv_blocks_make_room(c->blocks, &c->room, arrays, count);
  for (size_t i = 0; i < c->patched.count && good; i++) {
    size_t first = DV_LANES * (size_t)c->patched.data[i];
    dv_blocks_clear_pack(arrays, count, first / DV_LANES);
    for (size_t lane = first; lane < first + DV_LANES && good; lane++)
      if (c->blocks->element[lane] >= 0) good = patch_element(c, def, (size_t)c->blocks->element[lane]);
  }
  return good;
}

void dv_corot_destroy(dvCorot **corot)
{
  dvCorot *c = *corot;
  if (!c) return;
  dv_blocks_destroy(&c->blocks);
  dv_free(c->data.rest);
  dv_free(c->data.frames);
  dv_free(c->data.stiffness);
  dv_free(c->data.sums);
  dv_free(c->data.origin);
  dv_free(c->data.slots);
  dv_free(c->first);
  dv_free(c->energy);
  dv_array_free(&c->patched);
  dv_free(c);
  *corot = NULL;
}

// --- force and dforce ---

typedef struct {
  dvCorot *c;
  const double *x;
  double k;
} Job;

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvCorot *c = job->c;
  for (size_t b = begin; b < end; b++) c->kernels->force(&c->data, b, job->x);
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvCorot *c = job->c;
  for (size_t b = begin; b < end; b++) c->kernels->dforce(&c->data, b, job->x, job->k);
}

static void measure_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvCorot *c = job->c;
  for (size_t b = begin; b < end; b++) c->kernels->measure(&c->data, b, job->x, c->energy);
}

// about, of a force or product: it grows with the matrix
static double element_ns(const dvCorot *c) { return 5 + 0.25 * (double)c->entries; }

void dv_corot_add_force(dvCorot *c, dvPool *pool, const double *x, double *f)
{
  dv_blocks_run(c->blocks, &(dvBlocksJob){pool, force_blocks, &(Job){.c = c, .x = x}, element_ns(c)}, c->data.slots,
                c->data.width, f);
}

void dv_corot_add_dforce(dvCorot *c, dvPool *pool, const double *dx, double k, double *df)
{
  dv_blocks_run(c->blocks, &(dvBlocksJob){pool, dforce_blocks, &(Job){.c = c, .x = dx, .k = k}, element_ns(c)},
                c->data.slots, c->data.width, df);
}

double dv_corot_energy(dvCorot *c, dvPool *pool, const double *x)
{
  dv_blocks_each(c->blocks, &(dvBlocksJob){pool, measure_blocks, &(Job){.c = c, .x = x}, element_ns(c)});
  double sum = 0;
  for (size_t i = 0; i < DV_LANES * c->blocks->packs; i++) sum += c->energy[i];
  return sum;
}

// --- one element at a time ---

static dvMat3 axes_at(const dvCorot *c, const double *packs, size_t e)
{
  const double *at = lane_at(packs, 9, (size_t)c->blocks->lane[e]);
  dvMat3 axes;
  for (int i = 0; i < 9; i++) axes.m[i / 3][i % 3] = at[DV_LANES * i];
  return axes;
}

static dvMat3 frame_of(const dvCorot *c, size_t e) { return axes_at(c, c->data.frames, e); }

// Frames that need the positions at rest are those that the force has left: call it first.
void dv_corot_update(dvCorot *c, const double *x)
{
  DV_REQUIRE(!c->data.shared);
  Matrix m;
  for (size_t b = 0; b < c->blocks->count; b++) {
    const dvElementBlock *block = &c->blocks->blocks[b];
    for (size_t lane = DV_LANES * (size_t)block->first_pack;
         lane < DV_LANES * (size_t)(block->first_pack + block->packs); lane++) {
      if (c->blocks->element[lane] < 0) continue;
      const uint16_t *corner = dv_blocks_corners(c->blocks, lane / DV_LANES) + lane % DV_LANES;
      dvVec3 d[DV_COROT_NODES];
      double p[DV_COROT_NODES][3] = {{0}}, local[3 * DV_COROT_NODES];
      for (size_t i = 0; i < c->nodes; i++)
        for (int k = 0; k < c->data.width; k++)
          p[i][k] = x[(size_t)c->data.width *
                          (size_t)c->blocks->point[block->first_slot + corner[DV_LANES * i] / DV_BLOCK_STRIDE] +
                      (size_t)k];
      for (size_t i = 0; i < c->nodes; i++) d[i] = dv_vec3_sub(dv_vec3_load(p[i]), dv_vec3_load(p[0]));
      size_t e = (size_t)c->blocks->element[lane];
      dvMat3 axes = c->data.weights && c->data.frame != DV_FRAME_FIXED ? axes_of(c, d) : frame_of(c, e);
      for (size_t i = 0; i < c->nodes; i++) dv_vec3_store(local + 3 * i, dv_mat3_mul_vec(axes, d[i]));
      compute_matrix(c, e, local, &m);
      store_matrix(c, e, &m);
    }
  }
}

// the matrix of an element, turned by rows of axes and times a factor, `width` numbers a corner
static void whole_matrix(const dvCorot *c, size_t element, dvMat3 axes, double factor, size_t width, double *out)
{
  double rows[9], full[DV_COROT_MATRIX];
  dv_mat3_store(rows, axes);
  c->kernels->turn(&c->data, (size_t)c->blocks->lane[element], rows, factor, width == 3 ? out : full);
  if (width == 3) return;
  size_t n = c->nodes;
  for (size_t i = 0; i < n; i++)
    for (size_t r = 0; r < width; r++)
      for (size_t k = 0; k < n; k++)
        memcpy(out + width * (n * (width * i + r) + k), full + 3 * n * (3 * i + r) + 3 * k, width * sizeof *out);
}

void dv_corot_stiffness(const dvCorot *c, size_t element, double k, double *out)
{
  whole_matrix(c, element, frame_of(c, element), -k, (size_t)c->data.width, out);
}

static void pack_matrices(const void *elements, size_t pack, double k, double *out)
{
  const dvCorot *c = elements;
  size_t size = c->nodes * c->nodes * (size_t)(c->data.width * c->data.width);
  for (size_t lane = 0; lane < DV_LANES; lane++) {
    int32_t element = c->blocks->element[DV_LANES * pack + lane];
    if (element >= 0) dv_corot_stiffness(c, (size_t)element, k, out + size * lane);
    else memset(out + size * lane, 0, size * sizeof *out);
  }
}

static void sum_matrices(const void *elements, const dvElementSum *sum, size_t block, double k, double *local)
{
  const dvCorot *c = elements;
  c->kernels->sum(&c->data, sum, block, k, local);
}

dvElementMatrices dv_corot_matrices(const dvCorot *c, double k)
{
  return (dvElementMatrices){
      .blocks = c->blocks, .width = c->data.width, .elements = c, .k = k, .pack = pack_matrices, .sum = sum_matrices};
}

void dv_corot_local_stiffness(const dvCorot *c, size_t element, double *out)
{
  whole_matrix(c, element, dv_mat3_identity(), 1, 3, out);
}

static dvMat3 first_frame_of(const dvCorot *c, size_t e)
{
  return c->first ? axes_at(c, c->first, e) : dv_mat3_identity();
}

// rows of axes: R = now^T first
void dv_corot_rotation(const dvCorot *c, size_t element, double out[9])
{
  dv_mat3_store(out, dv_mat3_t_mul(frame_of(c, element), first_frame_of(c, element)));
}

void dv_corot_axes(const dvCorot *c, size_t element, double out[9])
{
  dv_mat3_store(out, dv_mat3_mul_t(frame_of(c, element), first_frame_of(c, element)));
}

const dvElementBlocks *dv_corot_blocks(const dvCorot *c) { return c->blocks; }
bool dv_corot_shares(const dvCorot *c) { return c->data.shared; }
