// Vectors and rotations of four elements at a time, for element kernels. Included by kernel files only: everything is
// inlined into them.
#ifndef DV_ELEMENT_PACK_MATH_H
#define DV_ELEMENT_PACK_MATH_H

#include "element/blocks.h"
#include "math/decompose.h"

#include <float.h>
#include <math.h>

typedef dvPackVec Vec;
typedef struct {
  Vec b, c, d;
} Edges;   // three vectors: edges of a tetrahedron, the axes of a frame, the columns of a matrix

DV_INLINE Vec add(Vec a, Vec b) { return (Vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
DV_INLINE Vec sub(Vec a, Vec b) { return (Vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
DV_INLINE Vec scale(Vec a, dvPack k) { return (Vec){a.x * k, a.y * k, a.z * k}; }
DV_INLINE dvPack dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DV_INLINE Vec cross(Vec a, Vec b) { return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

DV_INLINE dvPack square_root(dvPack a) { return (dvPack){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])}; }

// for divisors of lanes without an element, whose moduli are 0
DV_INLINE dvPack unless_zero(dvPack a) { return dv_pack_select(a == dv_pack(0), dv_pack(1), a); }

// a vector no longer than the rounding unit stays as it is
DV_INLINE Vec normalise(Vec a)
{
  dvPack one = dv_pack(1), length = square_root(dot(a, a));
  return scale(a, one / dv_pack_select(length > dv_pack(DBL_EPSILON), length, one));
}

DV_INLINE Vec load_vec(const double *p) { return (Vec){dv_pack_load(p), dv_pack_load(p + 4), dv_pack_load(p + 8)}; }
DV_INLINE void store_vec(double *p, Vec a)
{
  dv_pack_store(p, a.x);
  dv_pack_store(p + 4, a.y);
  dv_pack_store(p + 8, a.z);
}
DV_INLINE Edges load_edges(const double *p) { return (Edges){load_vec(p), load_vec(p + 12), load_vec(p + 24)}; }
DV_INLINE void store_edges(double *p, Edges a)
{
  store_vec(p, a.b);
  store_vec(p + 12, a.c);
  store_vec(p + 24, a.d);
}

// --- frames ---

// columns of the frame, the local axes, times components
DV_INLINE Vec to_world(Edges axes, Vec a)
{
  return add(add(scale(axes.b, a.x), scale(axes.c, a.y)), scale(axes.d, a.z));
}
DV_INLINE Vec to_local(Edges axes, Vec a) { return (Vec){dot(axes.b, a), dot(axes.c, a), dot(axes.d, a)}; }

DV_INLINE Edges edges_to_world(Edges axes, Edges e)
{
  return (Edges){to_world(axes, e.b), to_world(axes, e.c), to_world(axes, e.d)};
}
DV_INLINE Edges edges_to_local(Edges axes, Edges e)
{
  return (Edges){to_local(axes, e.b), to_local(axes, e.c), to_local(axes, e.d)};
}

DV_INLINE Edges frame_of_edges(Edges e)
{
  Vec x = normalise(e.b), z = normalise(cross(x, e.c));
  return (Edges){x, cross(z, x), z};
}

DV_INLINE dvPack determinant(Edges e) { return dot(e.b, cross(e.c, e.d)); }

// columns of sum e_k (x) g_k: the deformation gradient of edges e, with g the gradients at rest
DV_INLINE Edges deformation(Edges e, Edges g)
{
  return (Edges){add(add(scale(e.b, g.b.x), scale(e.c, g.c.x)), scale(e.d, g.d.x)),
                 add(add(scale(e.b, g.b.y), scale(e.c, g.c.y)), scale(e.d, g.d.y)),
                 add(add(scale(e.b, g.b.z), scale(e.c, g.c.z)), scale(e.d, g.d.z))};
}

// edges of a tetrahedron, from corner a to b, c, d
DV_INLINE Edges gather_edges(const double *local, const uint16_t *corner)
{
  Vec a = dv_blocks_load(local, corner);
  return (Edges){sub(dv_blocks_load(local, corner + 4), a), sub(dv_blocks_load(local, corner + 8), a),
                 sub(dv_blocks_load(local, corner + 12), a)};
}

// forces on corners b, c, d; corner a gets minus their sum
DV_INLINE void scatter_forces(double *local, const uint16_t *corner, Edges f)
{
  dvPack b[4], c[4], d[4];
  dv_blocks_rows(f.b, b);
  dv_blocks_rows(f.c, c);
  dv_blocks_rows(f.d, d);
  for (int lane = 0; lane < DV_LANES; lane++) {
    dv_blocks_sub_row(local, corner[lane], b[lane] + c[lane] + d[lane]);
    dv_blocks_add_row(local, corner[4 + lane], b[lane]);
    dv_blocks_add_row(local, corner[8 + lane], c[lane]);
    dv_blocks_add_row(local, corner[12 + lane], d[lane]);
  }
}

// --- the orthogonal factor: Newton's iteration of math/decompose.c, scaled by Frobenius norms while it is far from its
// end ---

DV_INLINE dvPack norm2(Edges a) { return dot(a.b, a.b) + dot(a.c, a.c) + dot(a.d, a.d); }
DV_INLINE dvPack size_of(dvPack a) { return dv_pack_select(a < dv_pack(0), -a, a); }
DV_INLINE int any(dvPackMask m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }

DV_INLINE Vec select_vec(dvPackMask m, Vec yes, Vec no)
{
  return (Vec){dv_pack_select(m, yes.x, no.x), dv_pack_select(m, yes.y, no.y), dv_pack_select(m, yes.z, no.z)};
}

// One step in the lanes of *active; a lane leaves when its step is small, and stops where it is when
// its matrix is singular, so that nothing is divided by zero. *far tells that some lane has still far to go.
DV_INLINE Edges polar_step(Edges a, dvPackMask *active, int *far)
{
  Edges co = {cross(a.c, a.d), cross(a.d, a.b), cross(a.b, a.c)};
  dvPack one = dv_pack(1), half = dv_pack(0.5), det = dot(a.b, co.b), p = half;
  *active &= det != dv_pack(0);
  det = dv_pack_select(*active, det, one);
  dvPack q = half / det;
  if (*far) {
    dvPack ratio = dv_pack_select(*active, norm2(co) / norm2(a), one),
           g = square_root(square_root(ratio) / size_of(det));
    p = half * g;
    q = q / g;
  }
  Edges next = {select_vec(*active, add(scale(a.b, p), scale(co.b, q)), a.b),
                select_vec(*active, add(scale(a.c, p), scale(co.c, q)), a.c),
                select_vec(*active, add(scale(a.d, p), scale(co.d, q)), a.d)};
  Edges step = {sub(next.b, a.b), sub(next.c, a.c), sub(next.d, a.d)};
  dvPack moved = norm2(step), size = norm2(next);
  *active &= moved > dv_pack(1e-16) * size;
  *far = any(*active & (moved > dv_pack(0.01) * size));
  return next;
}

DV_INLINE Edges orthogonal_factor(Edges a)
{
  dvPackMask active = ~(dvPackMask){0};
  int far = 1;
  for (int i = 0; i < 100 && any(active); i++) a = polar_step(a, &active, &far);
  return a;
}

// --- logarithm and exponential, to the last bit or two; reductions and polynomials as in fdlibm (Sun Microsystems,
// 1993) ---

typedef uint64_t dvPackBits __attribute__((vector_size(32), aligned(32)));

// of positive numbers that are not subnormal
DV_INLINE dvPack pack_log(dvPack x)
{
  const dvPackBits one = (dvPackBits)dv_pack(1), mantissa = one - one + 0x000fffffffffffffULL,
                   big = one - one + 0x4330000000000000ULL;
  dvPackBits bits = (dvPackBits)x;
  dvPack m = (dvPack)((bits & mantissa) | one), e = (dvPack)((bits >> 52) | big) - dv_pack(4503599627370496.0 + 1023.0);
  dvPackMask upper = m > dv_pack(1.4142135623730951);
  m = dv_pack_select(upper, dv_pack(0.5) * m, m);
  e = dv_pack_select(upper, e + dv_pack(1), e);
  dvPack f = m - dv_pack(1), s = f / (dv_pack(2) + f), z = s * s, half = dv_pack(0.5) * f * f;
  dvPack r = dv_pack(1.479819860511658591e-01);
  r = r * z + dv_pack(1.531383769920937332e-01);
  r = r * z + dv_pack(1.818357216161805012e-01);
  r = r * z + dv_pack(2.222219843214978396e-01);
  r = r * z + dv_pack(2.857142874366239149e-01);
  r = r * z + dv_pack(3.999999999940941908e-01);
  r = r * z + dv_pack(6.666666666666735130e-01);
  return e * dv_pack(6.93147180369123816490e-01) -
         ((half - (s * (half + r * z) + e * dv_pack(1.90821492927058770002e-10))) - f);
}

// of numbers between -700 and 700; what is beyond counts as these
DV_INLINE dvPack pack_exp(dvPack x)
{
  x = dv_pack_select(x > dv_pack(700), dv_pack(700), dv_pack_select(x < dv_pack(-700), dv_pack(-700), x));
  const dvPack magic = dv_pack(6755399441055744.0);   // 1.5 2^52: adding it rounds to an integer
  dvPack shifted = x * dv_pack(1.4426950408889634) + magic, n = shifted - magic;
  dvPack high = x - n * dv_pack(6.93147180369123816490e-01), low = n * dv_pack(1.90821492927058770002e-10),
         r = high - low, t = r * r;
  dvPack c = dv_pack(4.13813679705723846039e-08);
  c = c * t + dv_pack(-1.65339022054652515390e-06);
  c = c * t + dv_pack(6.61375632143793436117e-05);
  c = c * t + dv_pack(-2.77777777770155933842e-03);
  c = c * t + dv_pack(1.66666666666666019037e-01);
  c = r - t * c;
  dvPack y = dv_pack(1) - ((low - r * c / (dv_pack(2) - c)) - high);
  return (dvPack)((dvPackBits)y + (((dvPackBits)shifted - (dvPackBits)magic) << 52));
}

DV_INLINE dvMat3 lane_of(const double *packs, int lane)
{
  dvMat3 m;
  for (int i = 0; i < 9; i++) m.m[i / 3][i % 3] = packs[DV_LANES * i + lane];
  return m;
}

#endif
