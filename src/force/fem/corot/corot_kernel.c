// Corotational elements with a stiffness matrix, four at a time. See corot.h for the equations.
//
// The product with K is the main part: an upper block K_ij of 3 x 3 is read once and used twice, for f_i and for f_j.
// With a shared matrix its numbers are spread over the lanes as they are loaded. The number of corners is a variable: a
// block of 3 x 3 is work enough for a turn of a loop, and kernels of their own for each shape were no faster.
#include "force/fem/corot/corot.h"

#include "element/pack_math.h"

typedef const dvCorotData Data;

DV_INLINE dvPack entry(const double *k, int i, bool shared)
{
  return shared ? dv_pack(k[i]) : dv_pack_load(k + DV_LANES * i);
}

// a block between two corners: *s += K b, *t += K^T a
DV_INLINE void multiply_block(const double *k, bool shared, Vec a, Vec b, Vec *s, Vec *t)
{
  for (int r = 0; r < 3; r++) {
    dvPack x = entry(k, 3 * r, shared), y = entry(k, 3 * r + 1, shared), z = entry(k, 3 * r + 2, shared);
    dvPack sum = x * b.x + y * b.y + z * b.z, of = r == 0 ? a.x : r == 1 ? a.y : a.z;
    if (r == 0) s->x += sum;
    else if (r == 1) s->y += sum;
    else s->z += sum;
    *t = (Vec){t->x + x * of, t->y + y * of, t->z + z * of};
  }
}

// f = K u for m corners
DV_INLINE void multiply(const double *k, bool shared, int m, const Vec *u, Vec *f)
{
  int step = shared ? 1 : DV_LANES;
  for (int i = 0; i < m; i++) f[i] = (Vec){dv_pack(0), dv_pack(0), dv_pack(0)};
  for (int i = 0; i < m; i++) {
    Vec a = u[i], s = f[i];
    dvPack xx = entry(k, 0, shared), xy = entry(k, 1, shared), xz = entry(k, 2, shared);
    dvPack yy = entry(k, 3, shared), yz = entry(k, 4, shared), zz = entry(k, 5, shared);
    s = (Vec){s.x + xx * a.x + xy * a.y + xz * a.z, s.y + xy * a.x + yy * a.y + yz * a.z,
              s.z + xz * a.x + yz * a.y + zz * a.z};
    k += 6 * step;
    for (int j = i + 1; j < m; j++, k += 9 * step) {
      Vec t = f[j];
      multiply_block(k, shared, a, u[j], &s, &t);
      f[j] = t;
    }
    f[i] = s;
  }
}

// --- gather and scatter ---

// points of fewer than three numbers
DV_INLINE void gather(Data *c, size_t b, const double *x, double *local)
{
  if (c->width == 3) {
    dv_blocks_gather(c->blocks, b, x, local);
    return;
  }
  const dvElementBlock *block = &c->blocks->blocks[b];
  const int32_t *point = c->blocks->point + block->first_slot;
  size_t width = (size_t)c->width;
  for (size_t i = 0; i <= block->points; i++) {
    dv_pack_store(local + DV_BLOCK_STRIDE * i, dv_pack(0));
    for (size_t d = 0; d < width && i < block->points; d++)
      local[DV_BLOCK_STRIDE * i + d] = x[width * (size_t)point[i] + d];
  }
}

// corners behind the first, relative to it
DV_INLINE void load_corners(const double *local, const uint16_t *corner, int nodes, Vec *d)
{
  Vec first = dv_blocks_load(local, corner);
  for (int i = 1; i < nodes; i++) d[i - 1] = sub(dv_blocks_load(local, corner + DV_LANES * i), first);
}

DV_INLINE void scatter(double *out, const uint16_t *corner, int nodes, const Vec *f)
{
  dvPack sum[DV_LANES] = {dv_pack(0), dv_pack(0), dv_pack(0), dv_pack(0)};
  for (int i = 1; i < nodes; i++) {
    dvPack row[DV_LANES];
    dv_blocks_rows(f[i - 1], row);
    for (int lane = 0; lane < DV_LANES; lane++) {
      dv_blocks_add_row(out, corner[DV_LANES * i + lane], row[lane]);
      sum[lane] -= row[lane];
    }
  }
  for (int lane = 0; lane < DV_LANES; lane++) dv_blocks_add_row(out, corner[lane], sum[lane]);
}

// --- whole matrices ---

DV_INLINE const double *sums_of(Data *c, size_t pack, int nodes)
{
  return c->shared ? c->sums : c->sums + DV_LANES * 9 * (size_t)nodes * pack;
}

// f_j += E_j0 u_0; returns what the first corner gets beyond minus the sum of the others
DV_INLINE Vec add_whole(const double *e, bool shared, int m, Vec start, const Vec *u, Vec *f)
{
  const Vec none = {dv_pack(0), dv_pack(0), dv_pack(0)};
  Vec more = none, t = none;
  multiply_block(e, shared, none, start, &more, &t);
  for (int j = 0; j < m; j++) {
    e += 9 * (shared ? 1 : DV_LANES);
    t = none;
    multiply_block(e, shared, start, u[j], &more, &t);
    f[j] = add(f[j], t);
    more = add(more, t);
  }
  return more;
}

DV_INLINE void scatter_first(double *out, const uint16_t *corner, Vec f)
{
  dvPack row[DV_LANES];
  dv_blocks_rows(f, row);
  for (int lane = 0; lane < DV_LANES; lane++) dv_blocks_add_row(out, corner[lane], row[lane]);
}

// --- frames ---

// combinations of corners with fixed weights
DV_INLINE Edges combine(const double *weights, int nodes, const Vec *d)
{
  Edges v = {scale(d[0], dv_pack(weights[1])), scale(d[0], dv_pack(weights[nodes + 1])),
             scale(d[0], dv_pack(weights[2 * nodes + 1]))};
  for (int i = 2; i < nodes; i++) {
    v.b = add(v.b, scale(d[i - 1], dv_pack(weights[i])));
    v.c = add(v.c, scale(d[i - 1], dv_pack(weights[nodes + i])));
    v.d = add(v.d, scale(d[i - 1], dv_pack(weights[2 * nodes + i])));
  }
  return v;
}

// columns of sum (x_i - x_0) (X_i - X)^T; directions that a plane or a line does not have turn by the identity
DV_INLINE Edges correlate(Data *c, const double *rest, int nodes, const Vec *d)
{
  dvPack zero = dv_pack(0), part = dv_pack(1.0 / nodes);
  Vec centre = {zero, zero, zero}, none = centre;
  for (int i = 1; i < nodes; i++) centre = add(centre, load_vec(rest + 12 * (i - 1)));
  centre = scale(centre, part);
  Edges v = {none, none, none};
  for (int i = 1; i < nodes; i++) {
    Vec q = sub(load_vec(rest + 12 * (i - 1)), centre);
    v.b = add(v.b, scale(d[i - 1], q.x));
    v.c = add(v.c, scale(d[i - 1], q.y));
    v.d = add(v.d, scale(d[i - 1], q.z));
  }
  dvPack size = square_root(norm2(v));
  if (c->width < 3) v.d.z = size;
  if (c->width < 2) v.c.y = size;
  return v;
}

static void stable_lane(const double *in, int lane, double *out)
{
  dvMat3 m = lane_of(in, lane), q;
  dv_polar_stable(&m, &q, NULL);
  for (int i = 0; i < 9; i++) out[DV_LANES * i + lane] = q.m[i / 3][i % 3];
}

// Newton's iteration where the determinant is positive and not small, singular values elsewhere
DV_INLINE Edges stable_factor(Edges v)
{
  dvPack size = norm2(v);
  dvPackMask bad = ~(determinant(v) > dv_pack(1e-6) * size * square_root(size)) & (size > dv_pack(0));
  Edges axes = orthogonal_factor(v);
  if (!any(bad)) return axes;
  double in[9 * DV_LANES], out[9 * DV_LANES];
  store_edges(in, v);
  store_edges(out, axes);
  for (int lane = 0; lane < DV_LANES; lane++)
    if (bad[lane]) stable_lane(in, lane, out);
  return load_edges(out);
}

static void find_axes(Data *c, size_t pack, int nodes, const Vec *d, Edges *out)
{
  if (c->frame == DV_FRAME_FIXED) {
    *out = load_edges(c->frames + DV_LANES * 9 * pack);
    return;
  }
  Edges v = c->weights ? combine(c->weights, nodes, d)
                       : correlate(c, c->rest + DV_LANES * 3 * (size_t)(nodes - 1) * pack, nodes, d);
  *out = c->frame == DV_FRAME_EDGES   ? frame_of_edges(v)
         : c->frame == DV_FRAME_POLAR ? orthogonal_factor(v)
                                      : stable_factor(v);
}

// --- blocks ---

DV_INLINE const double *matrix_of(Data *c, size_t pack, int nodes)
{
  return c->shared ? c->stiffness : c->stiffness + DV_LANES * dv_corot_entries((size_t)nodes) * pack;
}

// u = X - R^T d
DV_INLINE void displace(Data *c, size_t pack, int nodes, Edges axes, const Vec *d, Vec *u)
{
  const double *rest = c->rest + DV_LANES * 3 * (size_t)(nodes - 1) * pack;
  for (int i = 0; i < nodes - 1; i++) u[i] = sub(load_vec(rest + 12 * i), to_local(axes, d[i]));
}

DV_INLINE void force_block(Data *c, size_t b, const double *x, bool shared)
{
  const int nodes = (int)c->blocks->nodes;
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &c->blocks->blocks[b];
  double *out = dv_blocks_clear(c->blocks, b, c->slots);
  gather(c, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(c->blocks, i);
    Vec d[DV_COROT_NODES], u[DV_COROT_NODES], f[DV_COROT_NODES];
    load_corners(local, corner, nodes, d);
    Edges axes;
    find_axes(c, i, nodes, d, &axes);
    store_edges(c->frames + DV_LANES * 9 * i, axes);
    displace(c, i, nodes, axes, d, u);
    multiply(matrix_of(c, i, nodes), shared, nodes - 1, u, f);
    if (c->sums) {
      Vec start = sub(load_vec(c->origin + DV_LANES * 3 * i), to_local(axes, dv_blocks_load(local, corner)));
      scatter_first(out, corner, to_world(axes, add_whole(sums_of(c, i, nodes), shared, nodes - 1, start, u, f)));
    }
    for (int k = 0; k < nodes - 1; k++) f[k] = to_world(axes, f[k]);
    scatter(out, corner, nodes, f);
  }
}

DV_INLINE void dforce_block(Data *c, size_t b, const double *dx, double k, bool shared)
{
  const int nodes = (int)c->blocks->nodes;
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &c->blocks->blocks[b];
  double *out = dv_blocks_clear(c->blocks, b, c->slots);
  gather(c, b, dx, local);
  dvPack factor = dv_pack(-k);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(c->blocks, i);
    Vec d[DV_COROT_NODES], f[DV_COROT_NODES];
    load_corners(local, corner, nodes, d);
    Edges axes = load_edges(c->frames + DV_LANES * 9 * i);
    for (int n = 0; n < nodes - 1; n++) d[n] = scale(to_local(axes, d[n]), factor);
    multiply(matrix_of(c, i, nodes), shared, nodes - 1, d, f);
    if (c->sums) {
      Vec start = scale(to_local(axes, dv_blocks_load(local, corner)), factor);
      scatter_first(out, corner, to_world(axes, add_whole(sums_of(c, i, nodes), shared, nodes - 1, start, d, f)));
    }
    for (int n = 0; n < nodes - 1; n++) f[n] = to_world(axes, f[n]);
    scatter(out, corner, nodes, f);
  }
}

static void measure(Data *c, size_t b, const double *x, double *energy)
{
  int nodes = (int)c->blocks->nodes;
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &c->blocks->blocks[b];
  gather(c, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    Vec d[DV_COROT_NODES], u[DV_COROT_NODES], f[DV_COROT_NODES];
    load_corners(local, dv_blocks_corners(c->blocks, i), nodes, d);
    Edges axes;
    find_axes(c, i, nodes, d, &axes);
    displace(c, i, nodes, axes, d, u);
    multiply(matrix_of(c, i, nodes), c->shared, nodes - 1, u, f);
    dvPack sum = dot(u[0], f[0]);
    for (int k = 1; k < nodes - 1; k++) sum += dot(u[k], f[k]);
    dv_pack_store(energy + DV_LANES * i, dv_pack(0.5) * sum);
  }
}

static void force(Data *c, size_t b, const double *x)
{
  if (c->shared) force_block(c, b, x, true);
  else force_block(c, b, x, false);
}

static void dforce(Data *c, size_t b, const double *dx, double k)
{
  if (c->shared) dforce_block(c, b, dx, k, true);
  else dforce_block(c, b, dx, k, false);
}

// --- turned matrices, whole or straight into the sums of pairs of points (math/element_sum.h) ---

// A block of K, 3 x 3 numbers k_ab, stands for the sum of dyads k_ab v_a (x) v_b of the axes. In other words, of the
// three v_a v_a with the numbers xx yy zz, the three v_a v_b + v_b v_a with half the sums of yz and zy, zx and xz, xy
// and yx, and the three v_a v_b - v_b v_a with half their differences. What these nine dyads are in world axes depends
// on the frame alone: they are made once, and fifteen products of packs turn a block.
enum { NUMBERS = 9 };

typedef struct Dyads {
  dvPack diagonal[6], even[6], odd[3];
} Dyads;   // in the parts of dvPairSum

DV_INLINE Dyads dyads_of(const dvPack axis[3])
{
  Dyads d;
  dvPack once[3], twice[3];   // (y z x 0), (z x y 0)
  for (int a = 0; a < 3; a++)
    once[a] = DV_SHUFFLE(axis[a], axis[a], 1, 2, 0, 3), twice[a] = DV_SHUFFLE(axis[a], axis[a], 2, 0, 1, 3);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    d.diagonal[a] = axis[a] * axis[a];
    d.even[a] = once[a] * twice[a];
    d.diagonal[3 + a] = dv_pack(2) * axis[b] * axis[c];
    d.even[3 + a] = once[b] * twice[c] + twice[b] * once[c];
    d.odd[a] = once[b] * twice[c] - twice[b] * once[c];
  }
  return d;
}

// s += the block with these numbers, which are `stride` apart
DV_INLINE dvPairSum add_turned(const Dyads *d, const double *number, size_t stride, bool symmetric, dvPairSum s)
{
  for (size_t i = 0; i < 6; i++) {
    dvPack k = dv_pack(number[stride * i]);
    s.diagonal += k * d->diagonal[i];
    s.even += k * d->even[i];
  }
  for (size_t i = 0; i < 3 && !symmetric; i++) s.odd += dv_pack(number[stride * (6 + i)]) * d->odd[i];
  return s;
}

typedef struct Numbers {
  dvPack n[NUMBERS];
} Numbers;

DV_INLINE Numbers numbers_of(const double *k, bool shared, bool symmetric, dvPack factor)
{
  static const int all[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, upper[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  const int *at = symmetric ? upper : all;
  Numbers out;
  dvPack half = dv_pack(0.5) * factor;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    dvPack bc = entry(k, at[3 * b + c], shared), cb = entry(k, at[3 * c + b], shared);
    out.n[a] = factor * entry(k, at[4 * a], shared);
    out.n[3 + a] = half * (bc + cb);
    out.n[6 + a] = half * (bc - cb);
  }
  return out;
}

DV_INLINE void subtract(Numbers *sum, Numbers a)
{
  for (int i = 0; i < NUMBERS; i++) sum->n[i] -= a.n[i];
}

// numbers of the block of corners i and j at i nodes + j, of the four elements of a pack, or of the one matrix that is
// shared
DV_INLINE void put_numbers(double *table, size_t at, Numbers a, bool shared)
{
  for (size_t i = 0; i < NUMBERS; i++) {
    if (shared) table[NUMBERS * at + i] = a.n[i][0];
    else dv_pack_store(table + DV_LANES * (NUMBERS * at + i), a.n[i]);
  }
}

DV_INLINE Numbers transposed(Numbers a)
{
  for (int i = 6; i < NUMBERS; i++) a.n[i] = -a.n[i];
  return a;
}

// All blocks of K times a factor, with those of the first corner: their rows and columns are minus the sums of the
// others, and what matrices have that are whole.
DV_INLINE void list_numbers(Data *c, size_t pack, double factor, bool shared, double *table)
{
  const size_t nodes = c->blocks->nodes;
  const double *k = matrix_of(c, pack, (int)nodes);
  Numbers first[DV_COROT_NODES] = {{{{0}}}};
  for (size_t i = 1; i < nodes; i++) {
    Numbers a = numbers_of(k, shared, true, dv_pack(factor));
    put_numbers(table, nodes * i + i, a, shared);
    subtract(&first[i], a);
    k += 6 * (shared ? 1 : DV_LANES);
    for (size_t j = i + 1; j < nodes; j++, k += 9 * (shared ? 1 : DV_LANES)) {
      a = numbers_of(k, shared, false, dv_pack(factor));
      put_numbers(table, nodes * i + j, a, shared);
      put_numbers(table, nodes * j + i, transposed(a), shared);
      subtract(&first[j], a);
      subtract(&first[i], transposed(a));
    }
  }
  for (size_t j = 0; j < nodes && c->sums; j++)
    subtract(&first[j], numbers_of(sums_of(c, pack, (int)nodes) + 9 * j * (shared ? 1 : DV_LANES), shared, false,
                                   dv_pack(-factor)));
  for (size_t j = 1; j < nodes; j++) {
    subtract(&first[0], first[j]);
    put_numbers(table, j, first[j], shared);
    put_numbers(table, nodes * j, transposed(first[j]), shared);
  }
  put_numbers(table, 0, first[0], shared);
}

enum { TABLE = DV_LANES * NUMBERS * DV_COROT_NODES * DV_COROT_NODES };

static void corot_turn(Data *c, size_t lane, const double axes[9], double factor, double *out)
{
  double table[TABLE] __attribute__((aligned(64)));
  const size_t nodes = c->blocks->nodes, stride = c->shared ? 1 : DV_LANES;
  const dvPack axis[3] = {dv_pack_load3(axes), dv_pack_load3(axes + 3), dv_pack_load3(axes + 6)}, zero = dv_pack(0);
  const Dyads dyads = dyads_of(axis);
  list_numbers(c, lane / DV_LANES, factor, c->shared, table);
  for (size_t i = 0; i < nodes; i++)
    for (size_t j = 0; j < nodes; j++) {
      dvPack row[3];
      const double *number = table + stride * NUMBERS * (nodes * i + j) + (c->shared ? 0 : lane % DV_LANES);
      dvPairSum b = add_turned(&dyads, number, stride, i == j, (dvPairSum){zero, zero, zero});
      dv_pair_sum_rows(b.diagonal, b.even + b.odd, b.even - b.odd, row);
      for (size_t r = 0; r < 3; r++) dv_pack_store3(out + 3 * (nodes * (3 * i + r) + j), row[r]);
    }
}

// half of the matrix of an element
DV_INLINE void sum_element(const dvElementSum *sum, size_t nodes, size_t lane, const Dyads *dyads, const double *table,
                           size_t stride, double *local)
{
  const uint16_t *entry = dv_element_sum_entries(sum, lane);
  const uint8_t *order = dv_element_sum_order(sum, lane);
  const size_t step = stride * NUMBERS;
  for (size_t i = 0; i < nodes; i++) {
    const double *row = table + step * nodes * order[i];
    double *to = local + 4 * (size_t)*entry++;
    dvPairSum s = add_turned(dyads, row + step * order[i], stride, true, dv_pair_sum_load(to));
    dv_pack_store(to, s.diagonal);
    dv_pack_store(to + 4, s.even);
    for (size_t j = i + 1; j < nodes; j++) {
      to = local + 4 * (size_t)*entry++;
      dv_pair_sum_store(to, add_turned(dyads, row + step * order[j], stride, false, dv_pair_sum_load(to)));
    }
  }
}

DV_INLINE void sum_block(Data *c, const dvElementSum *sum, size_t b, double k, bool shared, double *local)
{
  double table[TABLE] __attribute__((aligned(64)));
  const dvElementBlock *block = &c->blocks->blocks[b];
  if (shared) list_numbers(c, 0, -k, true, table);
  for (size_t pack = block->first_pack; pack < block->first_pack + block->packs; pack++) {
    const double *frame = c->frames + DV_LANES * 9 * pack;
    dvPack axis[3][DV_LANES];   // rows of each element
    for (int a = 0; a < 3; a++) {
      for (int r = 0; r < 3; r++) axis[a][r] = dv_pack_load(frame + DV_LANES * (3 * a + r));
      axis[a][3] = dv_pack(0);
      dv_pack_transpose(&axis[a][0], &axis[a][1], &axis[a][2], &axis[a][3]);
    }
    if (!shared) list_numbers(c, pack, -k, false, table);
    for (size_t lane = 0; lane < DV_LANES; lane++) {
      if (c->blocks->element[DV_LANES * pack + lane] < 0) continue;
      const dvPack axes[3] = {axis[0][lane], axis[1][lane], axis[2][lane]};
      const Dyads dyads = dyads_of(axes);
      if (sum->nodes == 8)
        sum_element(sum, 8, DV_LANES * pack + lane, &dyads, table + (shared ? 0 : lane), shared ? 1 : DV_LANES, local);
      else
        sum_element(sum, sum->nodes, DV_LANES * pack + lane, &dyads, table + (shared ? 0 : lane), shared ? 1 : DV_LANES,
                    local);
    }
  }
}

static void corot_sum(Data *c, const dvElementSum *sum, size_t b, double k, double *local)
{
  if (c->shared) sum_block(c, sum, b, k, true, local);
  else sum_block(c, sum, b, k, false, local);
}

const dvCorotKernels DV_KERNEL_NAME(dv_corot_kernels) = {
    .force = force, .dforce = dforce, .measure = measure, .turn = corot_turn, .sum = corot_sum};
