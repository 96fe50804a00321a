// Triangles: the data of the kernels (triangle_kernel.c), and the order of their work.
#include "force/fem/surface/triangle.h"

#include <string.h>

enum { ELEMENT_NS = 20 };   // about, of a force or product

// Twice the smallest area, in squares of the longest edge, at which shape functions have a direction; and the smallest
// part of the determinant at rest down to which the present gradients are used.
static const double flat_limit = 1e-14, collapse_limit = 1e-12;

struct dvTriangleFem {
  dvTriangleData data;
  dvElementBlocks *blocks;
  const dvTriangleKernels *kernels;
  dvTriangleMethod method;
  double *energy;      // [lanes] scratch
  dvBlocksRoom room;   // of the arrays
  dvNumbers patched;   // packs that a change concerns
};

static dvVec3 unit(dvVec3 a)
{
  double length = dv_vec3_norm(a);
  return dv_vec3(a.x / length, a.y / length, a.z / length);
}

void dv_triangle_axes(dvVec3 ab, dvVec3 ac, dvVec3 *u, dvVec3 *v)
{
  *u = unit(ab);
  *v = dv_vec3_cross(unit(dv_vec3_cross(*u, ac)), *u);
}

bool dv_triangle_shape(const double *a, const double *b, const double *c, dvTriangleRest *rest)
{
  dvVec3 origin = dv_vec3_load(a), ab = dv_vec3_sub(dv_vec3_load(b), origin), ac = dv_vec3_sub(dv_vec3_load(c), origin);
  dvVec3 n = dv_vec3_cross(ab, ac);
  double longest = fmax(dv_vec3_norm2(ab), fmax(dv_vec3_norm2(ac), dv_vec3_norm2(dv_vec3_sub(ac, ab)))),
         size = dv_vec3_norm(n);
  rest->bx = rest->by = rest->cx = rest->cy = rest->twice_area = 0;
  if (!(size > flat_limit * longest) || !isfinite(size)) return false;
  dvVec3 u, v;
  dv_triangle_axes(ab, ac, &u, &v);
  rest->bx = dv_vec3_dot(u, ab);
  rest->cx = dv_vec3_dot(u, ac);
  rest->cy = dv_vec3_dot(v, ac);
  rest->twice_area = size;
  return true;
}

void dv_triangle_isotropic(double young, double poisson, bool plane_strain, double factor, double material[6])
{
  double scale = plane_strain ? young / ((1 + poisson) * (1 - 2 * poisson)) : young / (1 - poisson * poisson);
  material[0] = material[3] = factor * scale * (plane_strain ? 1 - poisson : 1);
  material[1] = factor * scale * poisson;
  material[2] = material[4] = 0;
  material[5] = factor * young / (2 * (1 + poisson));
}

// --- creation ---

static bool allocate(dvTriangleFem *t)
{
  size_t lanes = DV_LANES * t->blocks->packs;
  t->data.blocks = t->blocks;
  t->room = dv_blocks_room(t->blocks);
  t->data.rest = dv_alloc_aligned((lanes * DV_TRIANGLE_RECORD + 1) * sizeof(double));
  t->data.moving = dv_alloc_aligned((lanes * DV_TRIANGLE_MOVING + 1) * sizeof(double));
  t->data.slots = dv_alloc_aligned((DV_BLOCK_STRIDE * t->blocks->slots + 1) * sizeof(double));
  t->energy = dv_alloc_aligned((lanes + 1) * sizeof(double));
  return t->data.rest && t->data.moving && t->data.slots && t->energy;
}

// an element's lane of a record of `packs` packs
static double *lane_of(const dvTriangleFem *t, double *records, size_t packs, size_t triangle)
{
  size_t lane = (size_t)t->blocks->lane[triangle];
  return records + DV_LANES * packs * (lane / DV_LANES) + lane % DV_LANES;
}

static void fill(dvTriangleFem *t, size_t triangle, const dvTriangleRest *r)
{
  double *rest = lane_of(t, t->data.rest, DV_TRIANGLE_RECORD, triangle),
         *moving = lane_of(t, t->data.moving, DV_TRIANGLE_MOVING, triangle);
  double det = r->twice_area;
  if (!(det > 0)) return;   // all zero: no force whatever its corners do
  const double numbers[9] = {
      r->bx, r->by, r->cx, r->cy, r->cy / det, -r->cx / det, -r->by / det, r->bx / det, collapse_limit * det};
  for (int i = 0; i < 9; i++) rest[DV_LANES * i] = numbers[i];
  for (int i = 0; i < 6; i++) moving[DV_LANES * (DV_TRIANGLE_MATERIAL + i)] = r->material[i];
}

dvStatus dv_triangle_fem_create(const dvTriangleDef *def, dvTriangleFem **out)
{
  *out = NULL;
  DV_REQUIRE(def->method >= 0 && def->method < DV_TRIANGLE_METHODS);
  dvElementBlocks *blocks = NULL;
  DV_TRY(dv_blocks_create(def->triangles, 3, def->count, def->points, def->positions, def->block_elements, &blocks));
  dvTriangleFem *t = dv_alloc(sizeof *t);
  *t = (dvTriangleFem){.blocks = blocks, .kernels = DV_KERNEL_CHOOSE(dv_triangle_kernels), .method = def->method};
  if (!allocate(t)) {
    dv_triangle_fem_destroy(&t);
    return DV_ERROR_USAGE;
  }
  for (size_t i = 0; i < def->count; i++) fill(t, i, &def->rest[i]);
  *out = t;
  return DV_OK;
}

static bool make_room(dvTriangleFem *t)
{
  const dvBlocksArray arrays[] = {{&t->data.rest, DV_TRIANGLE_RECORD, DV_PER_LANE},
                                  {&t->data.moving, DV_TRIANGLE_MOVING, DV_PER_LANE},
                                  {&t->energy, 1, DV_PER_LANE},
                                  {&t->data.slots, 1, DV_PER_SLOT}};
  return dv_blocks_make_room(t->blocks, &t->room, arrays, DV_COUNT(arrays));
}

bool dv_triangle_fem_patch(dvTriangleFem *t, dvTopology *mesh, size_t points, dvTriangleRestOf rest_of, void *user)
{
  if (!dv_blocks_patch(t->blocks, mesh, DV_TRIANGLE, &t->patched) || t->blocks->points > points || !make_room(t))
    return false;
  for (size_t i = 0; i < t->patched.count; i++) {
    size_t pack = (size_t)t->patched.data[i], lanes = DV_LANES * pack;
    memset(t->data.rest + DV_TRIANGLE_RECORD * lanes, 0, DV_TRIANGLE_RECORD * DV_LANES * sizeof(double));
    memset(t->data.moving + DV_TRIANGLE_MOVING * lanes, 0, DV_TRIANGLE_MOVING * DV_LANES * sizeof(double));
    for (size_t lane = lanes; lane < lanes + DV_LANES; lane++) {
      int32_t triangle = t->blocks->element[lane];
      dvTriangleRest rest = {0};
      if (triangle >= 0 && rest_of(user, (size_t)triangle, &rest)) fill(t, (size_t)triangle, &rest);
    }
  }
  return true;
}

void dv_triangle_fem_destroy(dvTriangleFem **triangles)
{
  dvTriangleFem *t = *triangles;
  if (!t) return;
  dv_blocks_destroy(&t->blocks);
  dv_free(t->data.rest);
  dv_free(t->data.moving);
  dv_free(t->data.slots);
  dv_free(t->energy);
  dv_array_free(&t->patched);
  dv_free(t);
  *triangles = NULL;
}

// --- blocks, then the ordered reduction ---

typedef struct Job {
  dvTriangleFem *t;
  const double *x;
  double k;
} Job;

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) job->t->kernels->force[job->t->method](&job->t->data, b, job->x);
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++) job->t->kernels->dforce[job->t->method](&job->t->data, b, job->x, job->k);
}

static void energy_blocks(void *user, size_t begin, size_t end)
{
  const Job *job = user;
  for (size_t b = begin; b < end; b++)
    job->t->kernels->energy[job->t->method](&job->t->data, b, job->x, job->t->energy);
}

void dv_triangle_fem_add_force(dvTriangleFem *t, dvPool *pool, const double *x, double *f)
{
  dv_blocks_run(t->blocks, &(dvBlocksJob){pool, force_blocks, &(Job){t, x, 0}, ELEMENT_NS}, t->data.slots, 3, f);
}

void dv_triangle_fem_add_dforce(dvTriangleFem *t, dvPool *pool, const double *dx, double k, double *df)
{
  dv_blocks_run(t->blocks, &(dvBlocksJob){pool, dforce_blocks, &(Job){t, dx, k}, ELEMENT_NS}, t->data.slots, 3, df);
}

double dv_triangle_fem_energy(dvTriangleFem *t, dvPool *pool, const double *x)
{
  double sum = 0;
  dv_blocks_each(t->blocks, &(dvBlocksJob){pool, energy_blocks, &(Job){t, x, 0}, ELEMENT_NS});
  for (size_t i = 0; i < DV_LANES * t->blocks->packs; i++) sum += t->energy[i];
  return sum;
}

// --- one element ---

// the part of a stress (xx, yy, xy) that pulls, as in the kernel
static void pulling(const double s[3], double out[3])
{
  double middle = 0.5 * (s[0] + s[1]), radius = hypot(0.5 * (s[0] - s[1]), s[2]);
  double high = middle + radius, low = middle - radius, over = fmin(high, 0), under = fmin(low, 0);
  double a = radius > 0 ? (over - under) / (2 * radius) : 0, b = over - a * high;
  out[0] = a * s[0] + b, out[1] = a * s[1] + b, out[2] = a * s[2];
}

// what the tension of Green's strain adds: dF_i/dx_j = g_i^T s g_j, along each axis
static void add_tension(const dvTriangleFem *t, size_t triangle, double k, const double gradient[3][2],
                        const double material[3][3], double out[81])
{
  double strain[3], stress[3] = {0}, s[3];
  dv_triangle_fem_strain(t, triangle, strain, NULL);
  for (int r = 0; r < 9; r++) stress[r / 3] += material[r / 3][r % 3] * strain[r % 3];
  pulling(stress, s);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double *g = gradient[i], *h = gradient[j];
      double sum = k * (s[0] * g[0] * h[0] + s[1] * g[1] * h[1] + s[2] * (g[0] * h[1] + g[1] * h[0]));
      for (int d = 0; d < 3; d++) out[9 * (3 * i + d) + 3 * j + d] += sum;
    }
}

// dF_i/dx_j = -sum over plane directions p, q of axis_p axis_q^T (B_i^T C B_j)_pq, with B_i = (g_x 0; 0 g_y; g_y g_x)
void dv_triangle_fem_stiffness(const dvTriangleFem *t, size_t triangle, double k, double out[81])
{
  const double *m = lane_of(t, t->data.moving, DV_TRIANGLE_MOVING, triangle), *g = m + DV_LANES * DV_TRIANGLE_GRADIENTS;
  const double *c = m + DV_LANES * DV_TRIANGLE_MATERIAL;
  double gradient[3][2], material[3][3], strain[3][3][2];
  static const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int d = 0; d < 2; d++) {
    gradient[1][d] = g[DV_LANES * d];
    gradient[2][d] = g[DV_LANES * (2 + d)];
    gradient[0][d] = -(gradient[1][d] + gradient[2][d]);
  }
  for (int r = 0; r < 9; r++) material[r / 3][r % 3] = c[DV_LANES * entry[r / 3][r % 3]];
  for (int i = 0; i < 3; i++) {
    const double b[3][2] = {{gradient[i][0], 0}, {0, gradient[i][1]}, {gradient[i][1], gradient[i][0]}};
    for (int r = 0; r < 6; r++) strain[i][r / 2][r % 2] = b[r / 2][r % 2];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double plane[2][2] = {{0}};
      for (int pq = 0; pq < 4; pq++)
        for (int r = 0; r < 9; r++)
          plane[pq / 2][pq % 2] -= k * strain[i][r / 3][pq / 2] * material[r / 3][r % 3] * strain[j][r % 3][pq % 2];
      for (int r = 0; r < 9; r++) {
        double sum = 0;
        for (int pq = 0; pq < 4; pq++)
          sum += m[DV_LANES * (3 * (pq / 2) + r / 3)] * plane[pq / 2][pq % 2] * m[DV_LANES * (3 * (pq % 2) + r % 3)];
        out[9 * (3 * i + r / 3) + 3 * j + r % 3] = sum;
      }
    }
  if (t->method == DV_TRIANGLE_GREEN) add_tension(t, triangle, k, gradient, material, out);
}

static void pack_matrices(const void *elements, size_t pack, double k, double *out)
{
  const dvTriangleFem *t = elements;
  for (size_t lane = 0; lane < DV_LANES; lane++) {
    int32_t triangle = t->blocks->element[DV_LANES * pack + lane];
    if (triangle >= 0) dv_triangle_fem_stiffness(t, (size_t)triangle, k, out + 81 * lane);
    else memset(out + 81 * lane, 0, 81 * sizeof *out);
  }
}

dvElementMatrices dv_triangle_fem_matrices(const dvTriangleFem *t, double k)
{
  return (dvElementMatrices){.blocks = t->blocks, .width = 3, .elements = t, .k = k, .pack = pack_matrices};
}

void dv_triangle_fem_strain(const dvTriangleFem *t, size_t triangle, double strain[3], double axes[6])
{
  const double *rest = lane_of(t, t->data.rest, DV_TRIANGLE_RECORD, triangle),
               *moving = lane_of(t, t->data.moving, DV_TRIANGLE_MOVING, triangle);
  for (int i = 0; i < 3; i++) strain[i] = rest[DV_LANES * (DV_TRIANGLE_STRAIN + i)];
  for (int i = 0; axes && i < 6; i++) axes[i] = moving[DV_LANES * (DV_TRIANGLE_FRAME + i)];
}
