// Springs within one state of points in space, four at a time. See spring.h for the equations and fem/blocks.h for the
// frame.
#include "force/spring/spring.h"

#include <math.h>

typedef dvPackVec Vec;

DV_INLINE Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
DV_INLINE Vec scale(Vec a, dvPack k) { return (Vec){a.x * k, a.y * k, a.z * k}; }
DV_INLINE dvPack dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DV_INLINE dvPack square_root(dvPack a) { return (dvPack){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }
DV_INLINE dvPack item(const double *record, int i) { return dv_pack_load(record + DV_LANES * i); }
DV_INLINE void set_item(double *record, int i, dvPack value) { dv_pack_store(record + DV_LANES * i, value); }

// Keeps a product from being fused with the sum it goes into.
#ifdef __FMA__
#define SEPARATE(a) __asm__("" : "+x"(a))
#else
#define SEPARATE(a) ((void)0)
#endif

// The length with the rounding of plain C, in which lengths at rest are found: a spring at rest has no force at all.
DV_INLINE dvPack length_of(Vec e)
{
  dvPack xx = e.x * e.x, yy = e.y * e.y, zz = e.z * e.z;
  SEPARATE(xx);
  SEPARATE(yy);
  SEPARATE(zz);
  return square_root(xx + yy + zz);
}

// from the second end minus the first
DV_INLINE Vec gap(const double *local, const uint16_t *corner)
{
  return sub(dv_blocks_load(local, corner + DV_LANES), dv_blocks_load(local, corner));
}

DV_INLINE void scatter(double *local, const uint16_t *corner, Vec f)
{
  dvPack row[DV_LANES];
  dv_blocks_rows(f, row);
  for (int lane = 0; lane < DV_LANES; lane++) {
    dv_blocks_add_row(local, corner[lane], row[lane]);
    dv_blocks_sub_row(local, corner[DV_LANES + lane], row[lane]);
  }
}

// What kind of springs these are, and whether products follow: constants where this is inlined.
typedef struct {
  bool damped, limited, keeps;
} Kind;

// A spring that does not act gets a direction of zero.
DV_INLINE Vec force_of_pack(const double *constant, double *moving, Vec e, Vec velocity, Kind kind)
{
  dvPack one = dv_pack(1), length = length_of(e);
  dvPackMask acts = length > dv_pack(DV_SPRING_SHORTEST);
  if (kind.limited) acts = (length > item(constant, DV_SPRING_LOW)) & (length < item(constant, DV_SPRING_HIGH));
  dvPack inverse = (dvPack)(acts & (dvPackMask)(one / length));
  Vec u = scale(e, inverse);
  dvPack tension = item(constant, DV_SPRING_KS) * (length - item(constant, DV_SPRING_REST));
  if (kind.damped) tension += item(constant, DV_SPRING_KD) * dot(u, velocity);
  if (kind.keeps) {
    set_item(moving, DV_SPRING_TANGENT, tension * inverse);
    set_item(moving, DV_SPRING_U, u.x);
    set_item(moving, DV_SPRING_U + 1, u.y);
    set_item(moving, DV_SPRING_U + 2, u.z);
  }
  return scale(u, tension);
}

DV_INLINE void force_block(const dvSpringPacks *p, size_t b, const double *x, const double *v, Kind kind)
{
  double place[DV_BLOCK_DOUBLES] __attribute__((aligned(64))), speed[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &p->blocks->blocks[b];
  size_t constants = kind.limited ? DV_SPRING_CONSTANTS : kind.damped ? DV_SPRING_LOW : DV_SPRING_KD;
  dv_blocks_gather(p->blocks, b, x, place);
  if (kind.damped) dv_blocks_gather(p->blocks, b, v, speed);
  double *out = dv_blocks_clear(p->blocks, b, p->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(p->blocks, i);
    Vec velocity = {dv_pack(0), dv_pack(0), dv_pack(0)};
    if (kind.damped) velocity = gap(speed, corner);
    Vec f = force_of_pack(p->constant + DV_LANES * constants * i, p->moving + DV_LANES * DV_SPRING_PACKED * i,
                          gap(place, corner), velocity, kind);
    scatter(out, corner, f);
  }
}

DV_INLINE void choose_kind(const dvSpringPacks *p, size_t b, const double *x, const double *v, bool keeps)
{
  if (p->limited && v) force_block(p, b, x, v, (Kind){.damped = true, .limited = true, .keeps = keeps});
  else if (p->limited) force_block(p, b, x, v, (Kind){.limited = true, .keeps = keeps});
  else if (v) force_block(p, b, x, v, (Kind){.damped = true, .keeps = keeps});
  else force_block(p, b, x, v, (Kind){.keeps = keeps});
}

static void spring_force(const dvSpringPacks *p, size_t b, const double *x, const double *v)
{
  if (p->no_tangents) choose_kind(p, b, x, v, false);
  else choose_kind(p, b, x, v, true);
}

static void spring_dforce(const dvSpringPacks *p, size_t b, const double *dx, double k)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &p->blocks->blocks[b];
  dvPack factor = dv_pack(k);
  dv_blocks_gather(p->blocks, b, dx, local);
  double *out = dv_blocks_clear(p->blocks, b, p->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(p->blocks, i);
    const double *moving = p->moving + DV_LANES * DV_SPRING_PACKED * i,
                 *constant = p->constant + DV_LANES * p->constants * i;
    Vec d = gap(local, corner),
        u = {item(moving, DV_SPRING_U), item(moving, DV_SPRING_U + 1), item(moving, DV_SPRING_U + 2)};
    dvPack tangent = item(moving, DV_SPRING_TANGENT), across = factor * tangent;
    dvPack along = factor * (item(constant, DV_SPRING_KS) - tangent) * dot(u, d);
    scatter(out, corner, (Vec){along * u.x + across * d.x, along * u.y + across * d.y, along * u.z + across * d.z});
  }
}

static void spring_add(const dvSpringPacks *p, double *f) { dv_blocks_add(p->blocks, 0, p->slots, f); }

static void spring_reduce(const dvSpringPacks *p, size_t begin, size_t end, double *f)
{
  dv_blocks_reduce(p->blocks, p->slots, begin, end, f);
}

const dvSpringKernels DV_KERNEL_NAME(dv_spring_kernels) = {
    .force = spring_force,
    .dforce = spring_dforce,
    .add = spring_add,
    .reduce = spring_reduce,
};
