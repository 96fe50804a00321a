// Strings of heart muscle, four at a time. The equations stand in contraction.c.
#include "heart/bridges.h"

DV_INLINE dvPack smaller(dvPack a, dvPack b) { return dv_pack_select(a < b, a, b); }
DV_INLINE dvPack larger(dvPack a, dvPack b) { return dv_pack_select(a > b, a, b); }
DV_INLINE dvPack absolute(dvPack a) { return larger(a, -a); }
DV_INLINE dvPack dot(dvPackVec a, dvPackVec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DV_INLINE bool all(dvPackMask m) { return m[0] & m[1] & m[2] & m[3]; }

// what a pack begins the step with, and its rates times the step
typedef struct Start {
  dvPack e, k, t, bind_k, bind_t, let_go;
} Start;

DV_INLINE Start start_of(const dvBridges *s, size_t pack)
{
  const double *old = s->old + DV_LANES * DV_BRIDGE_STATE * pack, *rates = s->rates + DV_LANES * DV_BRIDGE_RATES * pack;
  dvPack bind = dv_pack(s->dt) * dv_pack_load(rates) * dv_pack_load(rates + 2 * DV_LANES);
  return (Start){dv_pack_load(old),
                 dv_pack_load(old + DV_LANES),
                 dv_pack_load(old + 2 * DV_LANES),
                 dv_pack(s->stiffness) * bind,
                 dv_pack(s->stress) * bind,
                 dv_pack(1) + dv_pack(s->dt) * dv_pack_load(rates + DV_LANES)};
}

typedef struct Bridge {
  dvPack k, t, dt;   // k_c, t_c and the derivative of t_c by e_c
} Bridge;

DV_INLINE Bridge bridge_at(const dvBridges *s, const Start *o, dvPack ec)
{
  dvPack move = ec - o->e, tear = dv_pack(s->destruction), one = dv_pack(1),
         inverse = one / (o->let_go + tear * absolute(move)),
         dlost = tear * dv_pack_select(move < dv_pack(0), dv_pack(-1), one);
  dvPack k = (o->k + o->bind_k) * inverse, t = (o->t + k * move + o->bind_t) * inverse;
  return (Bridge){k, t, (k - (k * inverse * move + t) * dlost) * inverse};
}

// the residual of the contractile part and its derivative by e_c
DV_INLINE dvPack residual(const dvBridges *s, const Start *o, dvPack e, dvPack ec, dvPack *slope)
{
  dvPack one = dv_pack(1), two = dv_pack(2), inverse = one / (one + two * ec), cube = inverse * inverse * inverse,
         drag = dv_pack(s->viscosity / s->dt), pull = dv_pack(s->series) * (one + two * e) * cube, gap = e - ec;
  Bridge b = bridge_at(s, o, ec);
  *slope = b.dt + drag + pull * (one + dv_pack(6) * gap * inverse);
  return b.t + drag * (ec - o->e) - pull * gap;
}

// e_c for a strain e, by Newton's method between bounds. The spring in series is stiff: e_c is near e.
DV_INLINE dvPack solve(const dvBridges *s, const Start *o, dvPack e)
{
  dvPack zero = dv_pack(0), one = dv_pack(1), low = dv_pack(-0.495), high = larger(dv_pack(2) * e + one, one), slope,
         ec = larger(low, smaller(high, e));
  dvPackMask done = {0, 0, 0, 0};
  for (int i = 0; i < 60 && !all(done); i++) {
    dvPack f = residual(s, o, e, ec, &slope), step = dv_pack_select(slope > zero, -f / slope, high - low);
    high = dv_pack_select(f > zero, ec, high);
    low = dv_pack_select(f > zero, low, ec);
    dvPack next = ec + step;
    dvPackMask inside = (next > low) & (next < high), near = absolute(step) <= dv_pack(1e-7);
    next = dv_pack_select(inside | near, next, dv_pack(0.5) * (low + high));
    ec = dv_pack_select(done, ec, next);
    done |= near;   // the last change was the square of that
  }
  return ec;
}

DV_INLINE dvPackVec fibre_of(const double *rest, const double *local, const uint16_t *corner)
{
  dvPackVec l = {dv_pack(0), dv_pack(0), dv_pack(0)};
  for (int k = 0; k < 4; k++) {
    dvPackVec p = dv_blocks_load(local, corner + DV_LANES * k);
    dvPack g = dv_pack_load(rest + DV_LANES * (1 + k));
    l.x += g * p.x, l.y += g * p.y, l.z += g * p.z;
  }
  return l;
}

// writes the record of a pack; e_c and the rest of it when `now` is not NULL
DV_INLINE void evaluate(const dvBridges *s, size_t pack, const double *local, double *now)
{
  const double *rest = s->rest + DV_LANES * DV_BRIDGE_REST * pack;
  double *record = s->record + DV_LANES * DV_BRIDGE_RECORD * pack;
  dvPackVec l = fibre_of(rest, local, dv_blocks_corners(s->blocks, pack));
  dvPack zero = dv_pack(0), one = dv_pack(1), two = dv_pack(2), volume = dv_pack_load(rest),
         e = dv_pack_select(volume > zero, dv_pack(0.5) * (dot(l, l) - one), zero), slope;
  Start o = start_of(s, pack);
  dvPack ec = solve(s, &o, e), inverse = one / (one + two * ec), series = dv_pack(s->series) * inverse * inverse,
         gap = e - ec;
  residual(s, &o, e, ec, &slope);
  // d residual / de = -E_s ((1 + 2 e) + 2 (e - e_c)) / (1 + 2 e_c)^3
  dvPack dec = dv_pack_select(slope == zero, zero, series * inverse * (one + two * e + two * gap) / slope);
  dv_pack_store(record, series * gap);
  dv_pack_store(record + DV_LANES, series - series * (one + dv_pack(4) * gap * inverse) * dec);
  dv_pack_store(record + 2 * DV_LANES, l.x);
  dv_pack_store(record + 3 * DV_LANES, l.y);
  dv_pack_store(record + 4 * DV_LANES, l.z);
  if (!now) return;
  Bridge b = bridge_at(s, &o, ec);
  dv_pack_store(now, ec);
  dv_pack_store(now + DV_LANES, b.k);
  dv_pack_store(now + 2 * DV_LANES, b.t);
}

// out of each corner k: g_k v
DV_INLINE void scatter(const double *rest, double *out, const uint16_t *corner, dvPackVec v)
{
  for (int k = 0; k < 4; k++) {
    dvPack g = dv_pack_load(rest + DV_LANES * (1 + k)), row[DV_LANES];
    dv_blocks_rows((dvPackVec){g * v.x, g * v.y, g * v.z}, row);
    for (int lane = 0; lane < DV_LANES; lane++) dv_blocks_sub_row(out, corner[DV_LANES * k + lane], row[lane]);
  }
}

static void force_block(const dvBridges *s, size_t b, const double *x)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &s->blocks->blocks[b];
  dv_blocks_gather(s->blocks, b, x, local);
  double *out = dv_blocks_clear(s->blocks, b, s->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *rest = s->rest + DV_LANES * DV_BRIDGE_REST * i, *r = s->record + DV_LANES * DV_BRIDGE_RECORD * i;
    evaluate(s, i, local, NULL);
    dvPack p = dv_pack_load(rest) * dv_pack_load(r);
    scatter(rest, out, dv_blocks_corners(s->blocks, i),
            (dvPackVec){p * dv_pack_load(r + 2 * DV_LANES), p * dv_pack_load(r + 3 * DV_LANES),
                        p * dv_pack_load(r + 4 * DV_LANES)});
  }
}

static void dforce_block(const dvBridges *s, size_t b, const double *dx, double k)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &s->blocks->blocks[b];
  dv_blocks_gather(s->blocks, b, dx, local);
  double *out = dv_blocks_clear(s->blocks, b, s->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *rest = s->rest + DV_LANES * DV_BRIDGE_REST * i, *r = s->record + DV_LANES * DV_BRIDGE_RECORD * i;
    const uint16_t *corner = dv_blocks_corners(s->blocks, i);
    dvPackVec l = {dv_pack_load(r + 2 * DV_LANES), dv_pack_load(r + 3 * DV_LANES), dv_pack_load(r + 4 * DV_LANES)},
              dl = fibre_of(rest, local, corner);
    dvPack v = dv_pack(k) * dv_pack_load(rest), p = v * dv_pack_load(r),
           q = v * dv_pack_load(r + DV_LANES) * dot(l, dl);
    scatter(rest, out, corner, (dvPackVec){p * dl.x + q * l.x, p * dl.y + q * l.y, p * dl.z + q * l.z});
  }
}

static void end_block(const dvBridges *s, size_t b, const double *x)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &s->blocks->blocks[b];
  dv_blocks_gather(s->blocks, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++)
    evaluate(s, i, local, s->now + DV_LANES * DV_BRIDGE_STATE * i);
}

static void matrix_pack(const dvBridges *s, size_t pack, double k, double *out)
{
  const double *rest = s->rest + DV_LANES * DV_BRIDGE_REST * pack, *r = s->record + DV_LANES * DV_BRIDGE_RECORD * pack;
  for (int lane = 0; lane < DV_LANES; lane++) {
    double d[3][3], g[4], *m = out + 144 * lane;
    for (int i = 0; i < 4; i++) g[i] = rest[DV_LANES * (1 + i) + lane];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        d[i][j] =
            -k * rest[lane] *
            ((i == j ? r[lane] : 0) + r[DV_LANES + lane] * r[DV_LANES * (2 + i) + lane] * r[DV_LANES * (2 + j) + lane]);
    for (int row = 0; row < 12; row++)
      for (int col = 0; col < 12; col++) m[12 * row + col] = g[row / 3] * g[col / 3] * d[row % 3][col % 3];
  }
}

const dvBridgeKernels DV_KERNEL_NAME(dv_bridge_kernels) = {
    .force = force_block, .dforce = dforce_block, .end = end_block, .matrix = matrix_pack};
