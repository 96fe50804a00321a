// Hyperelastic tetrahedra, four at a time: loops over blocks. See hyper.h for the laws and hyper_pack.h for their
// stresses.
//
// With viscosity the stress is c P - F G: c = 1 - sum a_i, and G = V sum b_i gamma_i holds what is left of earlier
// stresses.
#include "force/fem/hyper/hyper_pack.h"

enum { BY_TENSOR = DV_HYPER_LAWS };

// P g_k for the three corners
DV_INLINE Edges tractions(Edges p, Edges g) { return (Edges){to_world(p, g.b), to_world(p, g.c), to_world(p, g.d)}; }
DV_INLINE Edges scaled(Edges a, dvPack k) { return (Edges){scale(a.b, k), scale(a.c, k), scale(a.d, k)}; }

DV_INLINE size_t record_of(int law)
{
  return law == BY_TENSOR || law == DV_OGDEN || law == DV_HOLZAPFEL_OGDEN ? DV_HYPER_TENSOR : DV_HYPER_ISOTROPIC;
}

// kept: for changes of the stress; may be NULL
DV_INLINE Edges stress_of(Data *h, size_t pack, int law, Edges f, double *kept)
{
  dvPack volume = dv_pack_load(h->rest + DV_LANES * DV_HYPER_REST * pack);
  if (law == BY_TENSOR) return tensor_stress(h, pack, f, kept);
  if (law == DV_COSTA) return costa_stress(h, f, volume, kept);
  if (law == DV_OGDEN) return ogden_stress(h, f, volume, kept);
  if (law == DV_HOLZAPFEL_OGDEN) return holzapfel_ogden_stress(h, f, volume, kept);
  return isotropic_stress(h, (dvHyperLaw)law, f, volume, kept);
}

DV_INLINE Edges with_memory(Data *h, size_t pack, Edges f, Edges p)
{
  return combine(p, dv_pack(h->present), times(f, load_sym(h->memory + DV_LANES * 6 * pack)), dv_pack(-1));
}

// minus the forces of b, c, d; law and keeps are constants where this is inlined
DV_INLINE Edges pack_force(Data *h, size_t pack, int law, Edges e, bool keeps)
{
  double *moving = h->moving + DV_LANES * record_of(law) * pack;
  Edges g = load_edges(h->rest + DV_LANES * (DV_HYPER_REST * pack + 1)), f = deformation(e, g);
  if (keeps) store_edges(moving, f);
  Edges p = stress_of(h, pack, law, f, keeps ? moving + DV_LANES * 9 : NULL);
  return tractions(h->memory ? with_memory(h, pack, f, p) : p, g);
}

DV_INLINE Edges pack_dforce(Data *h, size_t pack, int law, Edges du)
{
  const double *moving = h->moving + DV_LANES * record_of(law) * pack, *n = moving + DV_LANES * 9;
  Edges g = load_edges(h->rest + DV_LANES * (DV_HYPER_REST * pack + 1)), f = load_edges(moving), d = deformation(du, g);
  Edges p = law == BY_TENSOR            ? tensor_change(f, d, n)
            : law == DV_COSTA           ? costa_change(h, f, d, n)
            : law == DV_OGDEN           ? ogden_change(h, f, d, n)
            : law == DV_HOLZAPFEL_OGDEN ? holzapfel_ogden_change(f, d, n)
                                        : isotropic_change((dvHyperLaw)law, f, d, n);
  return tractions(h->memory ? with_memory(h, pack, d, p) : p, g);
}

// --- blocks ---

DV_INLINE void force_block(Data *h, size_t b, const double *x, int law, bool keeps)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, x, local);
  double *out = dv_blocks_clear(h->blocks, b, h->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(h->blocks, i);
    scatter_forces(out, corner, scaled(pack_force(h, i, law, gather_edges(local, corner), keeps), dv_pack(-1)));
  }
}

DV_INLINE void dforce_block(Data *h, size_t b, const double *dx, double k, int law)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, dx, local);
  double *out = dv_blocks_clear(h->blocks, b, h->slots);
  dvPack factor = dv_pack(-k);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(h->blocks, i);
    scatter_forces(out, corner, pack_dforce(h, i, law, scaled(gather_edges(local, corner), factor)));
  }
}

// Matrices of the four elements one after the other, 12 x 12. They are symmetric: columns serve as rows. Corner a moves
// and is pushed against the other three.
DV_INLINE void matrix_pack(Data *h, size_t pack, double k, double *out, int law)
{
  dvPack column[12][12], zero = dv_pack(0);
  for (int c = 3; c < 12; c++) {
    dvPack unit[9];
    for (int i = 0; i < 9; i++) unit[i] = i == c - 3 ? dv_pack(-k) : zero;
    Edges du = {{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}, {unit[6], unit[7], unit[8]}},
          f = pack_dforce(h, pack, law, du);
    const dvPack *numbers = (const dvPack *)&f;
    for (int i = 0; i < 9; i++) column[c][3 + i] = numbers[i];
    for (int i = 0; i < 3; i++) column[c][i] = -numbers[i] - numbers[3 + i] - numbers[6 + i];
  }
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < 12; i++) column[c][i] = -column[3 + c][i] - column[6 + c][i] - column[9 + c][i];
  for (int c = 0; c < 12; c++)
    for (int i = 0; i < 12; i += 4) {
      dvPack *p = &column[c][i];
      dv_pack_transpose(&p[0], &p[1], &p[2], &p[3]);
      for (int lane = 0; lane < 4; lane++) dv_pack_store(out + 144 * lane + 12 * c + i, p[lane]);
    }
}

static void energy_lanes(Data *h, size_t pack, Edges f, double *energy)
{
  double numbers[9 * DV_LANES];
  store_edges(numbers, f);
  for (int lane = 0; lane < DV_LANES; lane++) {
    double volume = h->rest[DV_LANES * DV_HYPER_REST * pack + (size_t)lane];
    energy[lane] = volume > 0 ? volume * dv_hyper_evaluate(h->law, h->parameters,
                                                           dv_mat3_transpose(lane_of(numbers, lane)), NULL, NULL)
                              : 0;
  }
}

DV_INLINE void measure_block(Data *h, size_t b, const double *x, double *energy, int law)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *rest = h->rest + DV_LANES * DV_HYPER_REST * i;
    Edges f = deformation(gather_edges(local, dv_blocks_corners(h->blocks, i)), load_edges(rest + DV_LANES));
    if (law == BY_TENSOR || law == DV_COSTA || law == DV_OGDEN || law == DV_HOLZAPFEL_OGDEN)
      energy_lanes(h, i, f, energy + DV_LANES * i);
    else dv_pack_store(energy + DV_LANES * i, dv_pack_load(rest) * terms_of(h, (dvHyperLaw)law, f, cofactor(f)).w);
  }
}

// gamma_i = a_i S + b_i gamma_i with S = F^-1 P at x
DV_INLINE void remember_block(Data *h, size_t b, const double *x, int law)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *rest = h->rest + DV_LANES * DV_HYPER_REST * i;
    Edges f = deformation(gather_edges(local, dv_blocks_corners(h->blocks, i)), load_edges(rest + DV_LANES)),
          co = cofactor(f), p = stress_of(h, i, law, f, NULL);
    dvPack j = dot(f.b, co.b), least = dv_pack(DV_SMALLEST_J),
           inverse = dv_pack(1) / dv_pack_select(j > least, j, least);
    const dvPack s[6] = {inverse * dot(co.b, p.b), inverse * dot(co.c, p.c), inverse * dot(co.d, p.d),
                         inverse * dot(co.b, p.c), inverse * dot(co.c, p.d), inverse * dot(co.d, p.b)};
    double *gamma = h->gamma + DV_LANES * 6 * (size_t)h->terms * i;
    for (int k = 0; k < h->terms; k++)
      for (int c = 0; c < 6; c++, gamma += DV_LANES)
        dv_pack_store(gamma, dv_pack(h->take[k]) * s[c] + dv_pack(h->keep[k]) * dv_pack_load(gamma));
  }
}

#define LOOPS(name, law)                                                                                        \
  static void force_##name(Data *h, size_t b, const double *x) { force_block(h, b, x, law, true); }             \
  static void lone_force_##name(Data *h, size_t b, const double *x) { force_block(h, b, x, law, false); }       \
  static void dforce_##name(Data *h, size_t b, const double *dx, double k) { dforce_block(h, b, dx, k, law); }  \
  static void matrix_##name(Data *h, size_t pack, double k, double *out) { matrix_pack(h, pack, k, out, law); } \
  static void measure_##name(Data *h, size_t b, const double *x, double *energy)                                \
  {                                                                                                             \
    measure_block(h, b, x, energy, law);                                                                        \
  }                                                                                                             \
  static void remember_##name(Data *h, size_t b, const double *x) { remember_block(h, b, x, law); }
LOOPS(arruda_boyce, DV_ARRUDA_BOYCE)
LOOPS(st_venant_kirchhoff, DV_ST_VENANT_KIRCHHOFF)
LOOPS(neo_hookean, DV_NEO_HOOKEAN)
LOOPS(mooney_rivlin, DV_MOONEY_RIVLIN)
LOOPS(veronda_westmann, DV_VERONDA_WESTMANN)
LOOPS(costa, DV_COSTA)
LOOPS(ogden, DV_OGDEN)
LOOPS(stable_neo_hookean, DV_STABLE_NEO_HOOKEAN)
LOOPS(holzapfel_ogden, DV_HOLZAPFEL_OGDEN)
LOOPS(split_neo_hookean, DV_SPLIT_NEO_HOOKEAN)
LOOPS(tensor, BY_TENSOR)

#define TABLE(k)                                                                                                    \
  {                                                                                                                 \
    k##_arruda_boyce, k##_st_venant_kirchhoff, k##_neo_hookean, k##_mooney_rivlin, k##_veronda_westmann, k##_costa, \
        k##_ogden, k##_stable_neo_hookean, k##_holzapfel_ogden, k##_split_neo_hookean, k##_tensor                   \
  }
const dvHyperKernels DV_KERNEL_NAME(dv_hyper_kernels) = {.force = TABLE(force),
                                                         .lone_force = TABLE(lone_force),
                                                         .dforce = TABLE(dforce),
                                                         .matrix = TABLE(matrix),
                                                         .measure = TABLE(measure),
                                                         .remember = TABLE(remember)};
