// Hexahedra of total Lagrangian explicit dynamics, four at a time. See hexa_tled.h.
#include "force/fem/hexa/hexa_tled.h"
#include "force/fem/hyper/hyper_pack.h"

typedef const dvHexaTledData Tled;

typedef struct {
  Vec at[8];
} Corners;

DV_INLINE Corners gather_corners(const double *local, const uint16_t *corner)
{
  Corners c;
  for (int i = 0; i < 8; i++) c.at[i] = dv_blocks_load(local, corner + 4 * i);
  return c;
}

DV_INLINE Edges gradient_of(const double *rest, const Corners *c)
{
  const double *b = rest + DV_LANES * DV_TLED_GRADIENTS;
  Vec g = load_vec(b);
  Edges f = {scale(c->at[0], g.x), scale(c->at[0], g.y), scale(c->at[0], g.z)};
  for (int i = 1; i < 8; i++) {
    g = load_vec(b + DV_LANES * 3 * i);
    f = (Edges){add(f.b, scale(c->at[i], g.x)), add(f.c, scale(c->at[i], g.y)), add(f.d, scale(c->at[i], g.z))};
  }
  return f;
}

DV_INLINE void scatter_corners(double *local, const uint16_t *corner, const Corners *f)
{
  for (int i = 0; i < 8; i++) {
    dvPack rows[4];
    dv_blocks_rows(f->at[i], rows);
    for (int lane = 0; lane < DV_LANES; lane++) dv_blocks_add_row(local, corner[4 * i + lane], rows[lane]);
  }
}

// what the modes hold of x
DV_INLINE void modes_of(const double *rest, const Corners *x, Vec q[4])
{
  const double *gamma = rest + DV_LANES * DV_TLED_MODES;
  for (int m = 0; m < 4; m++) {
    q[m] = scale(x->at[0], dv_pack_load(gamma + DV_LANES * 8 * m));
    for (int i = 1; i < 8; i++) q[m] = add(q[m], scale(x->at[i], dv_pack_load(gamma + DV_LANES * (8 * m + i))));
  }
}

// forces for a stress P and modes q, all with the factor -1
DV_INLINE Corners forces_of(const double *rest, Edges p, const Vec q[4])
{
  const double *gamma = rest + DV_LANES * DV_TLED_MODES;
  dvPack k = -dv_pack_load(rest + DV_LANES);
  Corners f;
  for (int i = 0; i < 8; i++) {
    f.at[i] = scale(to_world(p, load_vec(rest + DV_LANES * (DV_TLED_GRADIENTS + 3 * i))), dv_pack(-1));
    for (int m = 0; m < 4; m++) f.at[i] = add(f.at[i], scale(q[m], k * dv_pack_load(gamma + DV_LANES * (8 * m + i))));
  }
  return f;
}

static void tled_force(Tled *h, size_t b, const double *x)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, x, local);
  double *out = dv_blocks_clear(h->blocks, b, h->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(h->blocks, i);
    const double *rest = h->rest + DV_LANES * DV_TLED_REST * i;
    double *moving = h->law.no_tangents ? NULL : h->law.moving + DV_LANES * DV_HYPER_ISOTROPIC * i;
    Corners c = gather_corners(local, corner);
    Edges f = gradient_of(rest, &c);
    Vec q[4];
    if (moving) store_edges(moving, f);
    Edges p =
        isotropic_stress(&h->law, DV_SPLIT_NEO_HOOKEAN, f, dv_pack_load(rest), moving ? moving + DV_LANES * 9 : NULL);
    modes_of(rest, &c, q);
    c = forces_of(rest, p, q);
    scatter_corners(out, corner, &c);
  }
}

static void tled_dforce(Tled *h, size_t b, const double *dx, double k)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, dx, local);
  double *out = dv_blocks_clear(h->blocks, b, h->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(h->blocks, i);
    const double *rest = h->rest + DV_LANES * DV_TLED_REST * i,
                 *moving = h->law.moving + DV_LANES * DV_HYPER_ISOTROPIC * i;
    Corners c = gather_corners(local, corner);
    for (int j = 0; j < 8; j++) c.at[j] = scale(c.at[j], dv_pack(k));
    Edges d = gradient_of(rest, &c),
          p = isotropic_change(DV_SPLIT_NEO_HOOKEAN, load_edges(moving), d, moving + DV_LANES * 9);
    Vec q[4];
    modes_of(rest, &c, q);
    c = forces_of(rest, p, q);
    scatter_corners(out, corner, &c);
  }
}

static void tled_measure(Tled *h, size_t b, const double *x, double *energy)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &h->blocks->blocks[b];
  dv_blocks_gather(h->blocks, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *rest = h->rest + DV_LANES * DV_TLED_REST * i;
    Corners c = gather_corners(local, dv_blocks_corners(h->blocks, i));
    Edges f = gradient_of(rest, &c);
    Vec q[4];
    modes_of(rest, &c, q);
    dvPack held = dot(q[0], q[0]) + dot(q[1], q[1]) + dot(q[2], q[2]) + dot(q[3], q[3]);
    dvPack w = dv_pack_load(rest) * terms_of(&h->law, DV_SPLIT_NEO_HOOKEAN, f, cofactor(f)).w;
    dv_pack_store(energy + DV_LANES * i, w + dv_pack(0.5) * dv_pack_load(rest + DV_LANES) * held);
  }
}

const dvHexaTledKernels DV_KERNEL_NAME(dv_hexa_tled_kernels) = {tled_force, tled_dforce, tled_measure};
