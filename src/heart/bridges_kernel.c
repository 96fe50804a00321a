// Strings of heart muscle, packs of four at a time. The equations stand in contraction.c.
#include "heart/bridges.h"

enum { PACKS = 4 };   // at once

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

// Of the contractile part at a strain e_c: stiffness and stress of the bridges, the derivative of that stress by e_c,
// and 1 / (1 + 2 e_c).
typedef struct Bridge {
  dvPack k, t, dt, inverse;
} Bridge;

DV_INLINE Bridge bridge_at(const dvBridges *s, const Start *o, dvPack ec)
{
  dvPack move = ec - o->e, tear = dv_pack(s->destruction), one = dv_pack(1), stretch = one + dv_pack(2) * ec,
         loss = o->let_go + tear * absolute(move), both = one / (loss * stretch), kept = both * stretch,
         dlost = tear * dv_pack_select(move < dv_pack(0), dv_pack(-1), one);
  dvPack k = (o->k + o->bind_k) * kept, t = (o->t + k * move + o->bind_t) * kept;
  return (Bridge){k, t, (k - (k * kept * move + t) * dlost) * kept, both * loss};
}

// the residual of the contractile part and its derivative by e_c
DV_INLINE dvPack residual(const dvBridges *s, const Start *o, const Bridge *b, dvPack e, dvPack ec, dvPack *slope)
{
  dvPack one = dv_pack(1), drag = dv_pack(s->viscosity / s->dt), gap = e - ec,
         pull = dv_pack(s->series) * (one + dv_pack(2) * e) * b->inverse * b->inverse * b->inverse;
  *slope = b->dt + drag + pull * (one + dv_pack(6) * gap * b->inverse);
  return b->t + drag * (ec - o->e) - pull * gap;
}

// Between which bounds e_c is searched, and whether it was found.
typedef struct Search {
  dvPack low, high;
  dvPackMask done;
} Search;

DV_INLINE dvPack step_in(const dvBridges *s, const Start *o, dvPack e, dvPack ec, Search *at)
{
  dvPack zero = dv_pack(0), slope;
  Bridge b = bridge_at(s, o, ec);
  dvPack f = residual(s, o, &b, e, ec, &slope), step = dv_pack_select(slope > zero, -f / slope, at->high - at->low);
  at->high = dv_pack_select(f > zero, ec, at->high);
  at->low = dv_pack_select(f > zero, at->low, ec);
  dvPack next = ec + step;
  dvPackMask inside = (next > at->low) & (next < at->high), near = absolute(step) <= dv_pack(1e-7);
  next = dv_pack_select(inside | near, next, dv_pack(0.5) * (at->low + at->high));
  ec = dv_pack_select(at->done, ec, next);
  at->done |= near;   // the last change was the square of that
  return ec;
}

// e_c for strains e of n packs, by Newton's method between bounds. The spring in series is stiff: e_c is near e.
DV_INLINE void solve(const dvBridges *s, size_t n, const Start *o, const dvPack *e, dvPack *ec)
{
  dvPack one = dv_pack(1), low = dv_pack(-0.495);
  Search at[PACKS];
  dvPackMask done = {0, 0, 0, 0};
  for (size_t p = 0; p < n; p++) {
    at[p] = (Search){low, larger(dv_pack(2) * e[p] + one, one), done};
    ec[p] = larger(low, smaller(at[p].high, e[p]));
  }
  for (int i = 0; i < 60 && !all(done); i++) {
    done = (dvPackMask){-1, -1, -1, -1};
    for (size_t p = 0; p < n; p++) {
      ec[p] = step_in(s, &o[p], e[p], ec[p], &at[p]);
      done &= at[p].done;
    }
  }
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

// what the strings of a pack have at e_c, and their records
DV_INLINE void record(const dvBridges *s, size_t pack, const Start *o, dvPackVec l, dvPack e, dvPack ec, bool ends)
{
  double *to = s->record + DV_LANES * DV_BRIDGE_RECORD * pack, *now = s->now + DV_LANES * DV_BRIDGE_STATE * pack;
  Bridge b = bridge_at(s, o, ec);
  dvPack zero = dv_pack(0), one = dv_pack(1), two = dv_pack(2), slope, gap = e - ec,
         series = dv_pack(s->series) * b.inverse * b.inverse;
  residual(s, o, &b, e, ec, &slope);
  // d residual / de = -E_s ((1 + 2 e) + 2 (e - e_c)) / (1 + 2 e_c)^3
  dvPack dec = dv_pack_select(slope == zero, zero, series * b.inverse * (one + two * e + two * gap) / slope);
  dv_pack_store(to, series * gap);
  dv_pack_store(to + DV_LANES, series - series * (one + dv_pack(4) * gap * b.inverse) * dec);
  dv_pack_store(to + 2 * DV_LANES, l.x);
  dv_pack_store(to + 3 * DV_LANES, l.y);
  dv_pack_store(to + 4 * DV_LANES, l.z);
  if (!ends) return;
  dv_pack_store(now, ec);
  dv_pack_store(now + DV_LANES, b.k);
  dv_pack_store(now + 2 * DV_LANES, b.t);
}

// The records of n packs; at the end of a step their new state too. Several packs at once: each waits for its
// divisions.
DV_INLINE void evaluate(const dvBridges *s, size_t n, size_t pack, const double *local, bool ends)
{
  dvPack e[PACKS], ec[PACKS];
  dvPackVec l[PACKS];
  Start o[PACKS];
  for (size_t p = 0; p < n; p++) {
    const double *rest = s->rest + DV_LANES * DV_BRIDGE_REST * (pack + p);
    l[p] = fibre_of(rest, local, dv_blocks_corners(s->blocks, pack + p));
    o[p] = start_of(s, pack + p);
    e[p] = dv_pack_select(dv_pack_load(rest) > dv_pack(0), dv_pack(0.5) * (dot(l[p], l[p]) - dv_pack(1)), dv_pack(0));
  }
  solve(s, n, o, e, ec);
  for (size_t p = 0; p < n; p++) record(s, pack + p, &o[p], l[p], e[p], ec[p], ends);
}

static void evaluate_block(const dvBridges *s, const dvElementBlock *block, const double *local, bool ends)
{
  size_t pack = block->first_pack, end = pack + block->packs;
  for (; pack + PACKS <= end; pack += PACKS) evaluate(s, PACKS, pack, local, ends);
  for (; pack < end; pack++) evaluate(s, 1, pack, local, ends);
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
  evaluate_block(s, block, local, false);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *rest = s->rest + DV_LANES * DV_BRIDGE_REST * i, *r = s->record + DV_LANES * DV_BRIDGE_RECORD * i;
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
  evaluate_block(s, block, local, true);
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
