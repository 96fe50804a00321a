// Corotational tetrahedra: the data of the kernels (tetra_corot_kernel.c), and the order of their work.
//
// dF_i/dx_j = -V (lambda g_i g_j^T + mu (g_i . g_j) 1 + mu g_j g_i^T) with turned gradients g.
#include "force/fem/corot/tetra_corot.h"

#include "math/vec.h"

#include <string.h>

enum { DFORCE_NS = 8 };   // about, of an element

struct dvTetraCorot {
  dvTetraData data;
  dvElementBlocks *blocks;
  const dvTetraCorotKernels *kernels;
  dvCorotMethod method;
  size_t record;                // packs of a rest record
  bool mixed;                   // normal and shear strains have different gradients (LARGE with present ones)
  bool no_tangents;             // force leaves `moving` and `frames` as they are
  dvBlocksRoom room;            // of the arrays
  dvNumbers patched;            // packs that a change concerns
  double *volume;               // [elements] signed, 0 for a flat one
  double *energy, *von_mises;   // [lanes] scratch of the measures
};

// --- creation ---

// Six times the smallest volume, in cubes of the longest edge, at which shape functions have a direction.
static const double flat_limit = 1e-14;

static double edges_of(const dvTetraCorotDef *def, size_t e, dvVec3 edge[3])
{
  const int32_t *node = def->tetrahedra + 4 * e;
  dvVec3 a = dv_vec3_load(def->rest + 3 * (size_t)node[0]);
  for (int k = 0; k < 3; k++) edge[k] = dv_vec3_sub(dv_vec3_load(def->rest + 3 * (size_t)node[k + 1]), a);
  return dv_vec3_dot(dv_vec3_cross(edge[0], edge[1]), edge[2]) / 6.0;
}

static bool is_flat(const dvVec3 edge[3], double volume)
{
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    longest = fmax(longest, dv_vec3_norm2(edge[k]));
    longest = fmax(longest, dv_vec3_norm2(dv_vec3_sub(edge[k], edge[(k + 1) % 3])));
  }
  // a volume that is not a number is flat as well
  return !(6.0 * fabs(volume) > flat_limit * longest * sqrt(longest)) || !isfinite(volume);
}

static bool find_volume(dvTetraCorot *t, const dvTetraCorotDef *def, size_t e, double *volume)
{
  dvVec3 edge[3];
  *volume = edges_of(def, e, edge);
  bool flat = is_flat(edge, *volume);
  t->volume[e] = flat ? 0 : *volume;
  return flat;
}

static void find_volumes(dvTetraCorot *t, const dvTetraCorotDef *def, dvTetraReport *report)
{
  *report = (dvTetraReport){0};
  for (size_t e = 0; e < def->count; e++) {
    double volume;
    bool flat = find_volume(t, def, e, &volume);
    if (flat && report->flat++ == 0) {
      report->first_flat = e;
      report->first_flat_volume = volume;
    }
    if (!flat && volume < 0 && report->inverted++ == 0) {
      report->first_inverted = e;
      report->first_inverted_volume = volume;
    }
  }
}

// Rest records and gradients, pack by pack. Lanes without an element, or with a flat one, are zero:
// whatever their corners do, they give no force.
static void fill_pack(dvTetraCorot *t, const dvTetraCorotDef *def, size_t pack)
{
  double edges[9 * DV_LANES] __attribute__((aligned(64))) = {0};
  double *record = t->data.rest + DV_LANES * t->record * pack;
  double *gradient = t->data.moving + DV_LANES * (DV_TETRA_MOVING * pack + DV_TETRA_GRADIENTS);
  const int32_t *element = t->blocks->element + DV_LANES * pack;
  for (int lane = 0; lane < DV_LANES; lane++) {
    dvVec3 edge[3];
    dvMat3 inverse = {0};
    if (element[lane] < 0 || t->volume[element[lane]] == 0) continue;
    edges_of(def, (size_t)element[lane], edge);
    dv_mat3_inverse(dv_mat3_from_columns(edge[0], edge[1], edge[2]), &inverse);
    double numbers[9];
    dv_mat3_store(numbers, dv_mat3_from_rows(edge[0], edge[1], edge[2]));
    for (int i = 0; i < 9; i++) {
      edges[DV_LANES * i + lane] = numbers[i];
      gradient[DV_LANES * i + lane] = inverse.m[i / 3][i % 3];
    }
  }
  t->kernels->rest[t->method](edges, record);
  for (int lane = 0; lane < DV_LANES; lane++) {
    if (element[lane] >= 0 && t->volume[element[lane]] != 0) continue;
    for (size_t i = 0; i < t->record; i++) record[DV_LANES * i + (size_t)lane] = 0;
  }
}

static void set_material(dvTetraCorot *t, size_t e, double young, double nu)
{
  size_t lane = (size_t)t->blocks->lane[e];
  double *moving = t->data.moving + DV_LANES * DV_TETRA_MOVING * (lane / DV_LANES) + lane % DV_LANES;
  double volume = fabs(t->volume[e]);
  bool flat = volume == 0;
  moving[DV_LANES * DV_TETRA_LAMBDA] = flat ? 0 : volume * young * nu / ((1 + nu) * (1 - 2 * nu));
  moving[DV_LANES * DV_TETRA_MU] = flat ? 0 : volume * young / (2 * (1 + nu));
}

void dv_tetra_corot_set_material(dvTetraCorot *t, const double *young, const double *poisson)
{
  for (size_t e = 0; e < t->blocks->elements; e++) set_material(t, e, young[e], poisson[e]);
}

static size_t plastic_numbers(const dvTetraCorot *t) { return DV_LANES * DV_TETRA_PLASTIC * t->blocks->packs; }

// where the factor and, one pack further each, the six numbers of a lane are
static size_t plastic_at(size_t lane) { return DV_LANES * DV_TETRA_PLASTIC * (lane / DV_LANES) + lane % DV_LANES; }

// What strains are measured times; lanes without an element divide by 1.
static double plastic_scale(const dvTetraCorot *t, size_t lane, bool by_volume)
{
  int32_t element = t->blocks->element[lane];
  double volume = element >= 0 ? fabs(t->volume[element]) : 0;
  return by_volume && volume > 0 ? 6 * volume : 1;
}

void dv_tetra_corot_plastic(const dvTetraCorot *t, size_t lane, double out[6])
{
  const double *record = t->data.plastic + plastic_at(lane);
  for (size_t i = 0; i < 6; i++) out[i] = record[DV_LANES * (1 + i)] / record[0];
}

void dv_tetra_corot_set_plastic(dvTetraCorot *t, size_t e, const double strain[6])
{
  size_t at = plastic_at((size_t)t->blocks->lane[e]);
  double *record = t->data.plastic + at, *flowed = t->data.flowed + at;
  for (size_t i = 1; i <= 6; i++) record[DV_LANES * i] = flowed[DV_LANES * i] = strain[i - 1] * record[0];
}

// of lanes whose elements stay, the strain does
static void patch_plastic(dvTetraCorot *t, const dvTetraCorotDef *def, size_t pack)
{
  for (size_t lane = DV_LANES * pack; lane < DV_LANES * (pack + 1); lane++) {
    double *record = t->data.plastic + plastic_at(lane), scale = plastic_scale(t, lane, def->plastic_by_volume);
    double change = record[0] > 0 && t->blocks->element[lane] >= 0 ? scale / record[0] : 0;
    record[0] = scale;
    for (size_t i = 1; i <= 6; i++) record[DV_LANES * i] *= change;
    for (size_t i = 0; i <= 6; i++) t->data.flowed[plastic_at(lane) + DV_LANES * i] = record[DV_LANES * i];
  }
}

void dv_tetra_corot_end_step(dvTetraCorot *t)
{
  if (t->data.plastic) memcpy(t->data.plastic, t->data.flowed, plastic_numbers(t) * sizeof(double));
}

void dv_tetra_corot_remember(dvTetraCorot *t, dvMemoryStream *s)
{
  dv_remember_numbers(s, "plastic strain", t->data.plastic, plastic_numbers(t) * sizeof(double));
  if (!t->data.plastic || !dv_memory_restores(s)) return;
  size_t record = DV_LANES * DV_TETRA_PLASTIC;   // the factors are those of the mesh, whatever was read
  for (size_t pack = 0; pack < t->blocks->packs; pack++)
    memcpy(t->data.plastic + record * pack, t->data.flowed + record * pack, DV_LANES * sizeof(double));
  memcpy(t->data.flowed, t->data.plastic, plastic_numbers(t) * sizeof(double));
}

static bool allocate_options(dvTetraCorot *t, const dvTetraCorotDef *def)
{
  size_t lanes = DV_LANES * t->blocks->packs;
  t->data.limit = def->plastic_limit;
  t->data.yield = def->plastic_yield;
  t->data.creep = def->plastic_creep;
  if (def->plastic_limit > 0) {
    t->data.plastic = dv_alloc_aligned((lanes * DV_TETRA_PLASTIC + 1) * sizeof(double));
    t->data.flowed = dv_alloc_aligned((lanes * DV_TETRA_PLASTIC + 1) * sizeof(double));
  }
  bool present = def->present_gradients && t->method != DV_COROT_SMALL;
  if (present) t->data.frames = dv_alloc_aligned((lanes * DV_TETRA_FRAME + 1) * sizeof(double));
  t->mixed = present && t->method == DV_COROT_LARGE;
  return (!present || t->data.frames) && (def->plastic_limit <= 0 || (t->data.plastic && t->data.flowed));
}

static bool allocate(dvTetraCorot *t)
{
  size_t lanes = DV_LANES * t->blocks->packs;
  t->data.blocks = t->blocks;
  t->data.rest = dv_alloc_aligned((lanes * t->record + 1) * sizeof(double));
  t->data.moving = dv_alloc_aligned((lanes * DV_TETRA_MOVING + 1) * sizeof(double));
  t->data.slots = dv_alloc_aligned((DV_BLOCK_STRIDE * t->blocks->slots + 1) * sizeof(double));
  t->volume = dv_alloc_aligned((t->blocks->elements + 1) * sizeof(double));
  t->energy = dv_alloc_aligned((lanes + 1) * sizeof(double));
  t->von_mises = dv_alloc_aligned((lanes + 1) * sizeof(double));
  t->room = dv_blocks_room(t->blocks);
  return t->data.rest && t->data.moving && t->data.slots && t->volume && t->energy && t->von_mises;
}

typedef struct {
  dvTetraCorot *t;
  const double *x;
  double k;
} Job;

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvTetraCorot *t = job->t;
  const dvTetraCorotKernels *k = t->kernels;
  void (*force)(const dvTetraData *, size_t, const double *) = t->mixed ? k->force_present : k->force[t->method];
  if (t->no_tangents) force = t->mixed ? k->lone_force_present : k->lone_force[t->method];
  for (size_t b = begin; b < end; b++) force(&t->data, b, job->x);
}

dvStatus dv_tetra_corot_create(const dvTetraCorotDef *def, dvTetraCorot **out, dvTetraReport *report)
{
  static const size_t records[] = {DV_TETRA_REST_SMALL, DV_TETRA_REST_LARGE, DV_TETRA_REST_POLAR, DV_TETRA_REST_SVD,
                                   DV_TETRA_REST_POLAR};
  dvTetraReport unread;
  *out = NULL;
  DV_REQUIRE(def->method >= DV_COROT_SMALL && def->method < DV_COROT_METHODS);
  dvElementBlocks *blocks = NULL;
  DV_TRY(dv_blocks_create(def->tetrahedra, 4, def->count, def->points, def->rest, def->block_elements, &blocks));
  dvTetraCorot *t = dv_alloc(sizeof *t);
  *t = (dvTetraCorot){.blocks = blocks,
                      .kernels = DV_KERNEL_CHOOSE(dv_tetra_corot_kernels),
                      .method = def->method,
                      .record = records[def->method]};
  if (!allocate(t) || !allocate_options(t, def)) {
    dv_tetra_corot_destroy(&t);
    return DV_ERROR_USAGE;
  }
  find_volumes(t, def, report ? report : &unread);
  for (size_t pack = 0; pack < blocks->packs; pack++) fill_pack(t, def, pack);
  dv_tetra_corot_set_material(t, def->young, def->poisson);
  if (t->data.plastic) {
    for (size_t lane = 0; lane < DV_LANES * blocks->packs; lane++)
      t->data.plastic[plastic_at(lane)] = plastic_scale(t, lane, def->plastic_by_volume);
    memcpy(t->data.flowed, t->data.plastic, plastic_numbers(t) * sizeof(double));
  }
  if (t->data.frames) force_blocks(&(Job){.t = t, .x = def->rest}, 0, blocks->count);   // leaves the frames at rest
  *out = t;
  return DV_OK;
}

// --- a mesh that changes ---

static bool make_room(dvTetraCorot *t)
{
  const dvBlocksArray arrays[] = {{&t->data.rest, t->record, DV_PER_LANE},
                                  {&t->data.moving, DV_TETRA_MOVING, DV_PER_LANE},
                                  {&t->energy, 1, DV_PER_LANE},
                                  {&t->von_mises, 1, DV_PER_LANE},
                                  {&t->data.slots, 1, DV_PER_SLOT},
                                  {&t->volume, 1, DV_PER_ELEMENT},
                                  {&t->data.frames, DV_TETRA_FRAME, DV_PER_LANE},
                                  {&t->data.plastic, DV_TETRA_PLASTIC, DV_PER_LANE},
                                  {&t->data.flowed, DV_TETRA_PLASTIC, DV_PER_LANE}};
  return dv_blocks_make_room(t->blocks, &t->room, arrays, DV_COUNT(arrays));
}

static void patch_pack(dvTetraCorot *t, const dvTetraCorotDef *def, size_t pack)
{
  const int32_t *element = t->blocks->element + DV_LANES * pack;
  for (int lane = 0; lane < DV_LANES; lane++) {
    double volume, *moving = t->data.moving + DV_LANES * DV_TETRA_MOVING * pack + lane;
    for (size_t i = 0; i < DV_TETRA_MOVING; i++) moving[DV_LANES * i] = 0;
    if (element[lane] >= 0) find_volume(t, def, (size_t)element[lane], &volume);
  }
  fill_pack(t, def, pack);
  for (int lane = 0; lane < DV_LANES; lane++)
    if (element[lane] >= 0)
      set_material(t, (size_t)element[lane], def->young[element[lane]], def->poisson[element[lane]]);
  if (t->data.plastic) patch_plastic(t, def, pack);
}

// the blocks have followed
static bool patch_packs(dvTetraCorot *t, const dvTetraCorotDef *def, const dvNumbers *rows)
{
  if (t->blocks->elements != def->count || t->blocks->points > def->points || !make_room(t)) return false;
  for (size_t i = 0; i < rows->count; i++) {   // volumes have moved with the numbers of their elements
    double volume;
    find_volume(t, def, (size_t)rows->data[i], &volume);
  }
  for (size_t i = 0; i < t->patched.count; i++) patch_pack(t, def, (size_t)t->patched.data[i]);
  return true;
}

bool dv_tetra_corot_patch(dvTetraCorot *t, const dvTetraCorotDef *def, dvTopology *mesh)
{
  return dv_blocks_patch(t->blocks, mesh, DV_TETRAHEDRON, &t->patched) &&
         patch_packs(t, def, dv_trace_rows(mesh, DV_TETRAHEDRON));
}

bool dv_tetra_corot_patch_cut(dvTetraCorot *t, const dvTetraCorotDef *def, dvTopology *mesh,
                              const dvBlocksChange *change, const dvNumbers *rows)
{
  if (!dv_blocks_follow(t->blocks, change, &t->patched)) return false;
  dvNumbers moved = {0};
  dv_trace_moved(mesh, DV_HEXAHEDRON, &moved);
  size_t parts = change->count / dv_max_size(dv_topology_count(mesh, DV_HEXAHEDRON), 1);
  for (size_t i = 0; i < parts * moved.count; i++)
    dv_push(&t->patched, t->blocks->lane[parts * (size_t)moved.data[i / parts] + i % parts] / DV_LANES);
  dv_numbers_unique(&t->patched);
  dv_array_free(&moved);
  return patch_packs(t, def, rows);
}

void dv_tetra_corot_destroy(dvTetraCorot **tetra)
{
  dvTetraCorot *t = *tetra;
  if (!t) return;
  dv_blocks_destroy(&t->blocks);
  dv_free(t->data.rest);
  dv_free(t->data.moving);
  dv_free(t->data.slots);
  dv_free(t->data.frames);
  dv_free(t->data.plastic);
  dv_free(t->data.flowed);
  dv_free(t->volume);
  dv_free(t->energy);
  dv_free(t->von_mises);
  dv_array_free(&t->patched);
  dv_free(t);
  *tetra = NULL;
}

// --- force and dforce: blocks, then the ordered reduction ---

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  const dvTetraCorot *t = job->t;
  for (size_t b = begin; b < end; b++)
    (t->mixed ? t->kernels->dforce_present : t->kernels->dforce)(&t->data, b, job->x, job->k);
}

static void measure_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  dvTetraCorot *t = job->t;
  for (size_t b = begin; b < end; b++) t->kernels->measure[t->method](&t->data, b, job->x, t->energy, t->von_mises);
}

static double force_ns(const dvTetraCorot *t)
{
  return t->method == DV_COROT_SMALL ? 9 : t->method == DV_COROT_LARGE ? 18 : 70;
}

void dv_tetra_corot_keep(dvTetraCorot *t, bool tangents) { t->no_tangents = !tangents; }

void dv_tetra_corot_add_force(dvTetraCorot *t, dvPool *pool, const double *x, double *f)
{
  dv_blocks_run(t->blocks, &(dvBlocksJob){pool, force_blocks, &(Job){.t = t, .x = x}, force_ns(t)}, t->data.slots, 3,
                f);
}

void dv_tetra_corot_add_dforce(dvTetraCorot *t, dvPool *pool, const double *dx, double k, double *df)
{
  DV_ASSERT(!t->no_tangents);   // the forces were evaluated for an implicit step
  dv_blocks_run(t->blocks, &(dvBlocksJob){pool, dforce_blocks, &(Job){.t = t, .x = dx, .k = k}, DFORCE_NS},
                t->data.slots, 3, df);
}

// --- measures ---

double dv_tetra_corot_energy(dvTetraCorot *t, dvPool *pool, const double *x)
{
  dv_blocks_each(t->blocks, &(dvBlocksJob){pool, measure_blocks, &(Job){.t = t, .x = x}, force_ns(t)});
  double sum = 0;
  for (size_t i = 0; i < DV_LANES * t->blocks->packs; i++) sum += t->energy[i];
  return sum;
}

void dv_tetra_corot_von_mises(dvTetraCorot *t, dvPool *pool, const double *x, double *out)
{
  dv_blocks_each(t->blocks, &(dvBlocksJob){pool, measure_blocks, &(Job){.t = t, .x = x}, force_ns(t)});
  for (size_t e = 0; e < t->blocks->elements; e++)
    out[e] = t->volume[e] != 0 ? t->von_mises[t->blocks->lane[e]] / fabs(t->volume[e]) : 0;
}

// gradients of corners b, c, d in the frame at rest; those of LARGE are stored as a triangle (tetra_corot_kernel.c)
static dvMat3 rest_gradients(const dvTetraCorot *t, size_t lane)
{
  const double *rest = t->data.rest + DV_LANES * t->record * (lane / DV_LANES) + lane % DV_LANES;
  const double *moving = t->data.moving + DV_LANES * DV_TETRA_MOVING * (lane / DV_LANES) + lane % DV_LANES;
  static const int triangle[9] = {0, 1, 3, -1, 2, 4, -1, -1, 5};
  dvMat3 g = {0};
  for (int i = 0; i < 9; i++) {
    double *entry = &g.m[i / 3][i % 3];
    if (t->method == DV_COROT_SMALL) *entry = moving[DV_LANES * (DV_TETRA_GRADIENTS + i)];
    else if (t->method != DV_COROT_LARGE) *entry = rest[DV_LANES * (9 + i)];
    else if (triangle[i] >= 0) *entry = rest[DV_LANES * (6 + triangle[i])];
  }
  return g;
}

// E = (F^T F - 1) / 2 with F = sum x_k (x) g_k, in the frame at rest; V lambda and V mu give V times the stress
static double green_von_mises(const dvTetraCorot *t, const dvElementBlock *block, size_t lane, const double *x)
{
  const uint16_t *corner = dv_blocks_corners(t->blocks, lane / DV_LANES) + lane % DV_LANES;
  const double *moving = t->data.moving + DV_LANES * DV_TETRA_MOVING * (lane / DV_LANES) + lane % DV_LANES;
  dvVec3 p[4];
  for (int k = 0; k < 4; k++)
    p[k] = dv_vec3_load(x + 3 * (size_t)t->blocks->point[block->first_slot + corner[DV_LANES * k] / DV_BLOCK_STRIDE]);
  dvMat3 edges = dv_mat3_from_columns(dv_vec3_sub(p[1], p[0]), dv_vec3_sub(p[2], p[0]), dv_vec3_sub(p[3], p[0]));
  dvMat3 f = dv_mat3_mul(edges, rest_gradients(t, lane));
  dvMat3 e = dv_mat3_scale(dv_mat3_sub(dv_mat3_t_mul(f, f), dv_mat3_identity()), 0.5);
  double mu = moving[DV_LANES * DV_TETRA_MU];
  // the pressure cancels in the differences of normal stresses
  double a = e.m[0][0] - e.m[1][1], b = e.m[1][1] - e.m[2][2], c = e.m[2][2] - e.m[0][0];
  double shear = e.m[0][1] * e.m[0][1] + e.m[1][2] * e.m[1][2] + e.m[2][0] * e.m[2][0];
  return 2 * mu * sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear);
}

void dv_tetra_corot_von_mises_green(const dvTetraCorot *t, const double *x, double *out)
{
  for (size_t b = 0; b < t->blocks->count; b++) {
    const dvElementBlock *block = &t->blocks->blocks[b];
    for (size_t lane = DV_LANES * (size_t)block->first_pack;
         lane < DV_LANES * (size_t)(block->first_pack + block->packs); lane++) {
      int32_t e = t->blocks->element[lane];
      if (e >= 0) out[e] = t->volume[e] != 0 ? green_von_mises(t, block, lane, x) / fabs(t->volume[e]) : 0;
    }
  }
}

// --- one element at a time ---

static const double *moving_lane(const dvTetraCorot *t, size_t e)
{
  size_t lane = (size_t)t->blocks->lane[e];
  return t->data.moving + DV_LANES * DV_TETRA_MOVING * (lane / DV_LANES) + lane % DV_LANES;
}

static dvVec3 strided_vec(const double *p) { return dv_vec3(p[0], p[DV_LANES], p[2 * DV_LANES]); }

// B^T C B with the strain matrix B written out: normal strains of gradients p, shear strains of g, in a frame
static void mixed_stiffness(const dvTetraCorot *t, size_t element, double k, double out[144])
{
  size_t lane = (size_t)t->blocks->lane[element];
  const double *moving = moving_lane(t, element);
  const double *frame = t->data.frames + DV_LANES * DV_TETRA_FRAME * (lane / DV_LANES) + lane % DV_LANES;
  double lambda = -k * moving[DV_LANES * DV_TETRA_LAMBDA], mu = -k * moving[DV_LANES * DV_TETRA_MU];
  static const int triangle[9] = {0, 1, 3, -1, 2, 4, -1, -1, 5};
  double p[4][3] = {0}, g[4][3] = {0}, axes[3][3], b[6][12] = {0}, c[6][12];
  dvMat3 rest = rest_gradients(t, lane);
  for (int i = 0; i < 9; i++) {
    axes[i / 3][i % 3] = frame[DV_LANES * i];
    g[1 + i / 3][i % 3] = rest.m[i / 3][i % 3];
    if (triangle[i] >= 0) p[1 + i / 3][i % 3] = frame[DV_LANES * (9 + triangle[i])];
  }
  for (int d = 0; d < 3; d++) {
    p[0][d] = -(p[1][d] + p[2][d] + p[3][d]);
    g[0][d] = -(g[1][d] + g[2][d] + g[3][d]);
  }
  for (int j = 0; j < 12; j++) {   // column of a world axis: its components in the frame
    const double *pj = p[j / 3], *gj = g[j / 3], u[3] = {axes[0][j % 3], axes[1][j % 3], axes[2][j % 3]};
    for (int d = 0; d < 3; d++) {
      b[d][j] = pj[d] * u[d];
      b[3 + d][j] = gj[d] * u[(d + 1) % 3] + gj[(d + 1) % 3] * u[d];   // xy, yz, zx
    }
    double pressure = lambda * (b[0][j] + b[1][j] + b[2][j]);
    for (int r = 0; r < 6; r++) c[r][j] = r < 3 ? pressure + 2 * mu * b[r][j] : mu * b[r][j];
  }
  for (int i = 0; i < 144; i++) {
    out[i] = 0;
    for (int r = 0; r < 6; r++) out[i] += b[r][i / 12] * c[r][i % 12];
  }
}

void dv_tetra_corot_stiffness(const dvTetraCorot *t, size_t element, double k, double out[144])
{
  if (t->mixed) {
    mixed_stiffness(t, element, k, out);
    return;
  }
  const double *moving = moving_lane(t, element);
  double lambda = -k * moving[DV_LANES * DV_TETRA_LAMBDA], mu = -k * moving[DV_LANES * DV_TETRA_MU];
  double g[16] = {0};
  for (int c = 0; c < 3; c++) {
    for (int i = 0; i < 3; i++) g[4 * (i + 1) + c] = moving[DV_LANES * (DV_TETRA_GRADIENTS + 3 * i + c)];
    g[c] = -(g[4 + c] + g[8 + c] + g[12 + c]);
  }
  t->kernels->stiffness(g, lambda, mu, out);
}

static void pack_matrices(const void *elements, size_t pack, double k, double *out)
{
  const dvTetraCorot *t = elements;
  for (size_t lane = 0; lane < DV_LANES; lane++) {
    int32_t element = t->blocks->element[DV_LANES * pack + lane];
    if (element >= 0) dv_tetra_corot_stiffness(t, (size_t)element, k, out + 144 * lane);
    else memset(out + 144 * lane, 0, 144 * sizeof *out);
  }
}

static void sum_matrices(const void *elements, const dvElementSum *sum, size_t block, double k, double *local)
{
  const dvTetraCorot *t = elements;
  t->kernels->sum(&t->data, sum, block, k, local);
}

dvElementMatrices dv_tetra_corot_matrices(const dvTetraCorot *t, double k)
{
  return (dvElementMatrices){.blocks = t->blocks,
                             .width = 3,
                             .elements = t,
                             .k = k,
                             .pack = pack_matrices,
                             .sum = t->mixed ? NULL : sum_matrices};
}

// sum g'_k (x) X_k = R sum g_k (x) X_k = R
void dv_tetra_corot_rotation(const dvTetraCorot *t, size_t element, const double rest_edges[9], double out[9])
{
  size_t lane = (size_t)t->blocks->lane[element];
  const double *gradient = moving_lane(t, element) + DV_LANES * DV_TETRA_GRADIENTS;
  if (t->data.frames && !t->mixed)
    gradient = t->data.frames + DV_LANES * DV_TETRA_FRAME * (lane / DV_LANES) + lane % DV_LANES;
  dvMat3 r = {0};
  for (int k = 0; k < 3; k++)
    r = dv_mat3_add(r, dv_mat3_outer(strided_vec(gradient + 3 * DV_LANES * k), dv_vec3_load(rest_edges + 3 * k)));
  dv_mat3_store(out, r);
}

const double *dv_tetra_corot_volumes(const dvTetraCorot *t) { return t->volume; }
const dvElementBlocks *dv_tetra_corot_blocks(const dvTetraCorot *t) { return t->blocks; }
