// Corotational elements with a stiffness matrix, four at a time. See corot.h for the equations.
//
// The product with K is the main part: an upper block K_ij of 3 x 3 is read once and used twice, for f_i and for f_j.
// With a shared matrix its numbers are spread over the lanes as they are loaded. The number of corners is a variable: a block
// of 3 x 3 is work enough for a turn of a loop, and kernels of their own for each shape were no faster.
#include "force/fem/corot.h"

#include "force/fem/pack_math.h"

typedef const dvCorotData Data;

DV_INLINE dvPack entry(const double *k, int i, bool shared) { return shared ? dv_pack(k[i]) : dv_pack_load(k + DV_LANES * i); }

// f = K u for m corners
DV_INLINE void multiply(const double *k, bool shared, int m, const Vec *u, Vec *f)
{
  int step = shared ? 1 : DV_LANES;
  for (int i = 0; i < m; i++) f[i] = (Vec){dv_pack(0), dv_pack(0), dv_pack(0)};
  for (int i = 0; i < m; i++) {
    Vec a = u[i], s = f[i];
    dvPack xx = entry(k, 0, shared), xy = entry(k, 1, shared), xz = entry(k, 2, shared);
    dvPack yy = entry(k, 3, shared), yz = entry(k, 4, shared), zz = entry(k, 5, shared);
    s = (Vec){s.x + xx * a.x + xy * a.y + xz * a.z, s.y + xy * a.x + yy * a.y + yz * a.z, s.z + xz * a.x + yz * a.y + zz * a.z};
    k += 6 * step;
    for (int j = i + 1; j < m; j++, k += 9 * step) {
      Vec b = u[j], t = f[j];
      for (int r = 0; r < 3; r++) {
        dvPack x = entry(k, 3 * r, shared), y = entry(k, 3 * r + 1, shared), z = entry(k, 3 * r + 2, shared);
        dvPack sum = x * b.x + y * b.y + z * b.z, of = r == 0 ? a.x : r == 1 ? a.y : a.z;
        if (r == 0) s.x += sum;
        else if (r == 1) s.y += sum;
        else s.z += sum;
        t = (Vec){t.x + x * of, t.y + y * of, t.z + z * of};
      }
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
    for (size_t d = 0; d < width && i < block->points; d++) local[DV_BLOCK_STRIDE * i + d] = x[width * (size_t)point[i] + d];
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

DV_INLINE const double *sums_of(Data *c, size_t pack, int nodes) { return c->shared ? c->sums : c->sums + DV_LANES * 9 * (size_t)nodes * pack; }

// f_j += E_j0 u_0; returns what the first corner gets beyond minus the sum of the others
DV_INLINE Vec add_whole(const double *e, bool shared, int m, Vec start, const Vec *u, Vec *f)
{
  Vec more = {dv_pack(0), dv_pack(0), dv_pack(0)};
  for (int j = -1; j < m; j++, e += 9 * (shared ? 1 : DV_LANES)) {
    Vec b = j < 0 ? start : u[j], t = {dv_pack(0), dv_pack(0), dv_pack(0)};
    for (int r = 0; r < 3; r++) {
      dvPack x = entry(e, 3 * r, shared), y = entry(e, 3 * r + 1, shared), z = entry(e, 3 * r + 2, shared);
      dvPack sum = x * b.x + y * b.y + z * b.z, of = r == 0 ? start.x : r == 1 ? start.y : start.z;
      if (r == 0) more.x += sum;
      else if (r == 1) more.y += sum;
      else more.z += sum;
      t = (Vec){t.x + x * of, t.y + y * of, t.z + z * of};
    }
    if (j < 0) continue;
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
  Edges v = {scale(d[0], dv_pack(weights[1])), scale(d[0], dv_pack(weights[nodes + 1])), scale(d[0], dv_pack(weights[2 * nodes + 1]))};
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
  *out = c->frame == DV_FRAME_EDGES ? frame_of_edges(v) : c->frame == DV_FRAME_POLAR ? orthogonal_factor(v) : stable_factor(v);
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
  gather(c, b, x, local);
  double *out = dv_blocks_clear(c->blocks, b, c->slots);
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
  gather(c, b, dx, local);
  double *out = dv_blocks_clear(c->blocks, b, c->slots);
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

// --- the matrix of one element ---

typedef struct { dvPack row[3]; } Block;   // (x y z .) each

DV_INLINE Block transposed(Block b)
{
  dvPack none = dv_pack(0);
  dv_pack_transpose(&b.row[0], &b.row[1], &b.row[2], &none);
  return b;
}

DV_INLINE void store_block(double *out, size_t side, size_t i, size_t j, Block b)
{
  for (size_t r = 0; r < 3; r++) dv_pack_store3(out + side * (3 * i + r) + 3 * j, b.row[r]);
}

DV_INLINE void subtract(Block *a, Block b)
{
  for (int r = 0; r < 3; r++) a->row[r] -= b.row[r];
}

// a row of a product: the rows of the right factor with the numbers of the left one
DV_INLINE dvPack of_rows(const dvPack *right, double a, double b, double c) { return dv_pack(a) * right[0] + dv_pack(b) * right[1] + dv_pack(c) * right[2]; }

// the block of two corners that comes next in a stored matrix, turned: axes^T stored right, right being factor times axes
DV_INLINE Block next_block(const double **stored, size_t stride, bool diagonal, const double axes[9], const dvPack *right)
{
  static const size_t all[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, upper[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  const size_t *at = diagonal ? upper : all;
  const double *s = *stored;
  Block half, b;
  for (int r = 0; r < 3; r++) half.row[r] = of_rows(right, s[stride * at[3 * r]], s[stride * at[3 * r + 1]], s[stride * at[3 * r + 2]]);
  for (int r = 0; r < 3; r++) b.row[r] = of_rows(half.row, axes[r], axes[3 + r], axes[6 + r]);
  *stored += stride * (diagonal ? 6 : 9);
  return b;
}

static void corot_turn(const double *stored, size_t stride, size_t nodes, const double axes[9], double factor, double *out)
{
  dvPack right[3];   // of the product, scaled
  Block first[DV_COROT_NODES] = {{{{0}}}};
  size_t side = 3 * nodes;
  for (int r = 0; r < 3; r++) right[r] = dv_pack(factor) * dv_pack_load3(axes + 3 * r);
  for (size_t i = 1; i < nodes; i++)
    for (size_t j = i; j < nodes; j++) {
      Block b = next_block(&stored, stride, i == j, axes, right), t = transposed(b);
      store_block(out, side, i, j, b);
      subtract(&first[j], b);
      if (i == j) continue;
      store_block(out, side, j, i, t);
      subtract(&first[i], t);
    }
  for (size_t j = 1; j < nodes; j++) {
    subtract(&first[0], first[j]);
    store_block(out, side, 0, j, first[j]);
    store_block(out, side, j, 0, transposed(first[j]));
  }
  store_block(out, side, 0, 0, first[0]);
}

// --- matrices of a block, straight into the sums of their pairs (math/element_sum.h) ---

DV_INLINE void add_block(double *to, Block b)
{
  for (size_t r = 0; r < 3; r++) dv_pack_store(to + 4 * r, dv_pack_load(to + 4 * r) + b.row[r]);
}

// where corners i and j of an element meet; what goes there is the block (i, j), or its transpose where j has the smaller point
typedef struct { const uint16_t *entry; size_t rank[DV_COROT_NODES], nodes; } Places;

DV_INLINE void add_pair(const Places *p, size_t i, size_t j, Block b, Block turned, double *local)
{
  size_t k = p->rank[i], l = p->rank[j], low = k < l ? k : l, high = k < l ? l : k;
  add_block(local + 4 * (size_t)p->entry[low * p->nodes - low * (low + 1) / 2 + high], k <= l ? b : turned);
}

// as corot_turn, half of the matrix
DV_INLINE void sum_element(const double *stored, size_t stride, size_t nodes, const double axes[9], double factor, const Places *places, double *local)
{
  dvPack right[3];
  Block first[DV_COROT_NODES] = {{{{0}}}};
  for (int r = 0; r < 3; r++) right[r] = dv_pack(factor) * dv_pack_load3(axes + 3 * r);
  for (size_t i = 1; i < nodes; i++)
    for (size_t j = i; j < nodes; j++) {
      Block b = next_block(&stored, stride, i == j, axes, right), t = transposed(b);
      add_pair(places, i, j, b, t, local);
      subtract(&first[j], b);
      if (i != j) subtract(&first[i], t);
    }
  for (size_t j = 1; j < nodes; j++) {
    subtract(&first[0], first[j]);
    add_pair(places, 0, j, first[j], transposed(first[j]), local);
  }
  add_pair(places, 0, 0, first[0], first[0], local);
}

static void corot_sum(Data *c, const dvElementSum *sum, size_t b, double k, double *local)
{
  const dvElementBlock *block = &c->blocks->blocks[b];
  const size_t nodes = c->blocks->nodes, entries = dv_corot_entries(nodes);
  for (size_t lane = DV_LANES * (size_t)block->first_pack; lane < DV_LANES * (size_t)(block->first_pack + block->packs); lane++) {
    if (c->blocks->element[lane] < 0) continue;
    const uint8_t *order = dv_element_sum_order(sum, lane);
    const double *frame = c->frames + DV_LANES * 9 * (lane / DV_LANES) + lane % DV_LANES;
    Places places = {.entry = dv_element_sum_entries(sum, lane), .nodes = nodes};
    double axes[9];
    for (size_t i = 0; i < nodes; i++) places.rank[order[i]] = i;
    for (int i = 0; i < 9; i++) axes[i] = frame[DV_LANES * i];
    if (c->shared && nodes == 8) sum_element(c->stiffness, 1, 8, axes, -k, &places, local);
    else if (c->shared) sum_element(c->stiffness, 1, nodes, axes, -k, &places, local);
    else sum_element(c->stiffness + DV_LANES * entries * (lane / DV_LANES) + lane % DV_LANES, DV_LANES, nodes, axes, -k, &places, local);
  }
}

const dvCorotKernels DV_KERNEL_NAME(dv_corot_kernels) = {.force = force, .dforce = dforce, .measure = measure, .turn = corot_turn, .sum = corot_sum};
