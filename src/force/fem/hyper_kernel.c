// Hyperelastic tetrahedra, four at a time. See hyper.h for the laws.
//
// For an isotropic energy W(I1, I2, J) with I1 = F : F, FC = F F^T F, and cof F = dJ/dF,
//
//   P  = 2 (W1 + I1 W2) F - 2 W2 FC + WJ cof F,
//   dP = 2 (dW1 + I1 dW2 + W2 dI1) F + 2 (W1 + I1 W2) dF - 2 dW2 FC - 2 W2 (dF C + F dC) + dWJ cof F + WJ d(cof F),
//
// with dI1 = 2 F : dF, dI2 = I1 dI1 - 2 FC : dF, dJ = cof F : dF. Nothing is divided by J, and no matrix is inverted. Laws without
// I2 skip its terms. The other laws give S and D = dS/dC for each element: P = F S, dP = dF S + F (D : dC).
#include "force/fem/hyper_terms.h"

typedef const dvHyperData Data;
typedef struct { dvPack xx, yy, zz, xy, yz, zx; } Sym;

DV_INLINE dvPack inner(Edges a, Edges b) { return dot(a.b, b.b) + dot(a.c, b.c) + dot(a.d, b.d); }
DV_INLINE Edges combine(Edges a, dvPack k, Edges b, dvPack l)   // k a + l b
{
  return (Edges){add(scale(a.b, k), scale(b.b, l)), add(scale(a.c, k), scale(b.c, l)), add(scale(a.d, k), scale(b.d, l))};
}
DV_INLINE Edges cofactor(Edges f) { return (Edges){cross(f.c, f.d), cross(f.d, f.b), cross(f.b, f.c)}; }
DV_INLINE Edges cofactor_change(Edges f, Edges d)
{
  return (Edges){add(cross(d.c, f.d), cross(f.c, d.d)), add(cross(d.d, f.b), cross(f.d, d.b)), add(cross(d.b, f.c), cross(f.b, d.c))};
}

DV_INLINE Sym gram(Edges f) { return (Sym){dot(f.b, f.b), dot(f.c, f.c), dot(f.d, f.d), dot(f.b, f.c), dot(f.c, f.d), dot(f.d, f.b)}; }
DV_INLINE Sym gram_change(Edges f, Edges d)
{
  dvPack two = dv_pack(2);
  return (Sym){two * dot(f.b, d.b), two * dot(f.c, d.c), two * dot(f.d, d.d), dot(f.b, d.c) + dot(d.b, f.c), dot(f.c, d.d) + dot(d.c, f.d),
               dot(f.d, d.b) + dot(d.d, f.b)};
}
// matrix of columns times a symmetric one
DV_INLINE Edges times(Edges f, Sym s)
{
  return (Edges){add(add(scale(f.b, s.xx), scale(f.c, s.xy)), scale(f.d, s.zx)), add(add(scale(f.b, s.xy), scale(f.c, s.yy)), scale(f.d, s.yz)),
                 add(add(scale(f.b, s.zx), scale(f.c, s.yz)), scale(f.d, s.zz))};
}
// P g_k for the three corners
DV_INLINE Edges tractions(Edges p, Edges g) { return (Edges){to_world(p, g.b), to_world(p, g.c), to_world(p, g.d)}; }

DV_INLINE Sym load_sym(const double *p)
{
  return (Sym){dv_pack_load(p),      dv_pack_load(p + 4),  dv_pack_load(p + 8),
               dv_pack_load(p + 12), dv_pack_load(p + 16), dv_pack_load(p + 20)};
}

DV_INLINE bool has_second(dvHyperLaw law) { return law == DV_ST_VENANT_KIRCHHOFF || law == DV_MOONEY_RIVLIN || law == DV_VERONDA_WESTMANN; }

// --- isotropic laws ---

DV_INLINE dvPack second_invariant(dvPack i1, Sym c)
{
  dvPack squares = c.xx * c.xx + c.yy * c.yy + c.zz * c.zz, shear = c.xy * c.xy + c.yz * c.yz + c.zx * c.zx;
  return dv_pack(0.5) * (i1 * i1 - squares) - shear;
}

DV_INLINE Terms terms_of(Data *h, dvHyperLaw law, Edges f, Edges co)
{
  dvPack i1 = norm2(f), i2 = has_second(law) ? second_invariant(i1, gram(f)) : dv_pack(0);
  return isotropic_terms(law, h->parameters, i1, i2, dot(f.b, co.b));
}

// minus the forces of b, c, d
DV_INLINE Edges pack_force(Data *h, size_t pack, dvHyperLaw law, Edges e)
{
  const double *rest = h->rest + DV_LANES * DV_HYPER_REST * pack;
  double *moving = h->moving + DV_LANES * DV_HYPER_ISOTROPIC * pack;
  Edges g = load_edges(rest + DV_LANES), f = deformation(e, g), co = cofactor(f);
  Terms t = terms_of(h, law, f, co);
  dvPack volume = dv_pack_load(rest), two = dv_pack(2), *numbers = (dvPack *)&t;
  for (int i = 1; i < 8; i++) numbers[i] *= volume;
  store_edges(moving, f);
  for (int i = 0; i < 7; i++) dv_pack_store(moving + DV_LANES * (9 + i), numbers[1 + i]);
  Edges p = combine(f, two * (t.w1 + (has_second(law) ? norm2(f) * t.w2 : dv_pack(0))), co, t.wj);
  if (has_second(law)) p = combine(p, dv_pack(1), times(f, gram(f)), -two * t.w2);
  return tractions(p, g);
}

DV_INLINE Edges pack_dforce(Data *h, size_t pack, dvHyperLaw law, Edges du)
{
  const double *moving = h->moving + DV_LANES * DV_HYPER_ISOTROPIC * pack, *n = moving + DV_LANES * 9;
  Edges g = load_edges(h->rest + DV_LANES * (DV_HYPER_REST * pack + 1)), f = load_edges(moving), d = deformation(du, g), co = cofactor(f);
  dvPack w1 = dv_pack_load(n), w2 = dv_pack_load(n + 4), wj = dv_pack_load(n + 8), w11 = dv_pack_load(n + 12), w1j = dv_pack_load(n + 16);
  dvPack w2j = dv_pack_load(n + 20), wjj = dv_pack_load(n + 24), two = dv_pack(2), one = dv_pack(1);
  dvPack di1 = two * inner(f, d), dj = inner(co, d), dw1 = w11 * di1 + w1j * dj, dwj = w1j * di1 + wjj * dj;
  if (!has_second(law)) {
    Edges p = combine(combine(f, two * dw1, d, two * w1), one, cofactor_change(f, d), wj);
    return tractions(combine(p, one, co, dwj), g);
  }
  Sym c = gram(f);
  dvPack i1 = norm2(f), dw2 = w2j * dj;
  Edges fc = times(f, c);
  dwj += w2j * (i1 * di1 - two * inner(fc, d));
  Edges p = combine(f, two * (dw1 + i1 * dw2 + w2 * di1), d, two * (w1 + i1 * w2));
  p = combine(p, one, combine(fc, dw2, combine(times(d, c), one, times(f, gram_change(f, d)), one), w2), -two);
  p = combine(p, one, cofactor_change(f, d), wj);
  return tractions(combine(p, one, co, dwj), g);
}

// --- laws by tensors ---

static void evaluate_lane(Data *h, size_t pack, int lane)
{
  double *moving = h->moving + DV_LANES * DV_HYPER_TENSOR * pack + lane;
  double volume = h->rest[DV_LANES * DV_HYPER_REST * pack + (size_t)lane], s[6], d[6][6];
  dvMat3 f;
  for (int i = 0; i < 9; i++) f.m[i % 3][i / 3] = moving[DV_LANES * i];   // stored by columns
  dv_hyper_evaluate(h->law, h->parameters, f, s, d);
  double *out = moving + DV_LANES * 9;
  for (int i = 0; i < 6; i++, out += DV_LANES) *out = volume > 0 ? volume * s[i] : 0;
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++, out += DV_LANES) *out = volume > 0 ? volume * d[i][j] : 0;
}

DV_INLINE Edges tensor_force(Data *h, size_t pack, Edges e)
{
  double *moving = h->moving + DV_LANES * DV_HYPER_TENSOR * pack;
  Edges g = load_edges(h->rest + DV_LANES * (DV_HYPER_REST * pack + 1)), f = deformation(e, g);
  store_edges(moving, f);
  for (int lane = 0; lane < DV_LANES; lane++) evaluate_lane(h, pack, lane);
  return tractions(times(f, load_sym(moving + DV_LANES * 9)), g);
}

DV_INLINE Edges tensor_dforce(Data *h, size_t pack, Edges du)
{
  const double *moving = h->moving + DV_LANES * DV_HYPER_TENSOR * pack, *upper = moving + DV_LANES * 15;
  Edges g = load_edges(h->rest + DV_LANES * (DV_HYPER_REST * pack + 1)), f = load_edges(moving), d = deformation(du, g);
  Sym change = gram_change(f, d);
  dvPack two = dv_pack(2), in[6] = {change.xx, change.yy, change.zz, two * change.xy, two * change.yz, two * change.zx}, out[6];
  for (int i = 0; i < 6; i++) out[i] = dv_pack(0);
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++, upper += DV_LANES) {
      dvPack entry = dv_pack_load(upper);
      out[i] += entry * in[j];
      if (j > i) out[j] += entry * in[i];
    }
  Sym ds = {out[0], out[1], out[2], out[3], out[4], out[5]};
  dvPack one = dv_pack(1);
  return tractions(combine(times(d, load_sym(moving + DV_LANES * 9)), one, times(f, ds), one), g);
}

// --- blocks ---

DV_INLINE bool by_tensor(dvHyperLaw law) { return law == DV_OGDEN || law == DV_COSTA; }
DV_INLINE Edges scaled(Edges a, dvPack k) { return (Edges){scale(a.b, k), scale(a.c, k), scale(a.d, k)}; }

DV_INLINE void force_block(Data *h, size_t b, const double *x, dvHyperLaw law)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  double *out = h->slots + DV_BLOCK_STRIDE * (size_t)block->first_slot;
  dv_blocks_gather(h->blocks, b, x, local);
  dv_blocks_clear(h->blocks, b, out);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(h->blocks, i);
    Edges e = gather_edges(local, corner);
    Edges f = by_tensor(law) ? tensor_force(h, i, e) : pack_force(h, i, law, e);
    scatter_forces(out, corner, scaled(f, dv_pack(-1)));
  }
}

DV_INLINE void dforce_block(Data *h, size_t b, const double *dx, double k, dvHyperLaw law)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  double *out = h->slots + DV_BLOCK_STRIDE * (size_t)block->first_slot;
  dv_blocks_gather(h->blocks, b, dx, local);
  dv_blocks_clear(h->blocks, b, out);
  dvPack factor = dv_pack(-k);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(h->blocks, i);
    Edges e = scaled(gather_edges(local, corner), factor);
    scatter_forces(out, corner, by_tensor(law) ? tensor_dforce(h, i, e) : pack_dforce(h, i, law, e));
  }
}

static void energy_lanes(Data *h, size_t pack, Edges f, double *energy)
{
  double numbers[9 * DV_LANES];
  store_edges(numbers, f);
  for (int lane = 0; lane < DV_LANES; lane++) {
    double volume = h->rest[DV_LANES * DV_HYPER_REST * pack + (size_t)lane];
    energy[lane] = volume > 0 ? volume * dv_hyper_evaluate(h->law, h->parameters, dv_mat3_transpose(lane_of(numbers, lane)), NULL, NULL) : 0;
  }
}

DV_INLINE void measure_block(Data *h, size_t b, const double *x, double *energy, dvHyperLaw law)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *rest = h->rest + DV_LANES * DV_HYPER_REST * i;
    Edges f = deformation(gather_edges(local, dv_blocks_corners(h->blocks, i)), load_edges(rest + DV_LANES));
    if (by_tensor(law)) energy_lanes(h, i, f, energy + DV_LANES * i);
    else dv_pack_store(energy + DV_LANES * i, dv_pack_load(rest) * terms_of(h, law, f, cofactor(f)).w);
  }
}

#define LOOPS(name, law)                                                                                              \
  static void force_##name(Data *h, size_t b, const double *x) { force_block(h, b, x, law); }                         \
  static void dforce_##name(Data *h, size_t b, const double *dx, double k) { dforce_block(h, b, dx, k, law); }        \
  static void measure_##name(Data *h, size_t b, const double *x, double *energy) { measure_block(h, b, x, energy, law); }
LOOPS(arruda_boyce, DV_ARRUDA_BOYCE)
LOOPS(st_venant_kirchhoff, DV_ST_VENANT_KIRCHHOFF)
LOOPS(neo_hookean, DV_NEO_HOOKEAN)
LOOPS(mooney_rivlin, DV_MOONEY_RIVLIN)
LOOPS(veronda_westmann, DV_VERONDA_WESTMANN)
LOOPS(tensor, DV_OGDEN)
LOOPS(stable_neo_hookean, DV_STABLE_NEO_HOOKEAN)

#define TABLE(k)                                                                                                      \
  {                                                                                                                   \
    k##_arruda_boyce, k##_st_venant_kirchhoff, k##_neo_hookean, k##_mooney_rivlin, k##_veronda_westmann, k##_tensor, k##_tensor, k##_stable_neo_hookean \
  }
const dvHyperKernels DV_KERNEL_NAME(dv_hyper_kernels) = {.force = TABLE(force), .dforce = TABLE(dforce), .measure = TABLE(measure)};
