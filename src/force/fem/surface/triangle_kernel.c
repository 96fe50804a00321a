// Linear triangles, four at a time (M. Nesme, Y. Payan, F. Faure, Efficient, physically plausible finite elements,
// 2005).
//
// In the frame (u, v) of a triangle, D_k = X_k - (u, v)^T (x_k - x_a) is how far corner k = b, c is from its place at
// rest, and g_k is the gradient of its shape function. Then
//
//   e = sum (D_x g_x, D_y g_y, D_x g_y + D_y g_x),   s = A t C e,
//   f_k = (u, v) (s_xx g_x + s_xy g_y, s_xy g_x + s_yy g_y),
//
// and the force on corner a is minus the sum of the others. dforce is the same with D_k = -(u, v)^T (dx_k - dx_a),
// frame and gradients held. With edges (bx, by) and (cx, cy) in the frame, g_b = (cy, -cx) / det and g_c = (-by, bx) /
// det.
//
// A triangle that collapses has no gradients of its own: it takes those at rest.
//
// With Green's strain u and v are what becomes of the axes at rest, u = sum x_k g_kx and v = sum x_k g_ky, and
//
//   e = (1 - u u, 1 - v v, -2 u v) / 2   (2 xy),
//
// of which f_k as above is the gradient of the energy. With u and v held its product is that of the material; what
// their change adds is du_k = sum dx_k g_kx and dv_k in the place of u and v, with the part of s that pulls: without it
// a sheet under tension could be moved out of its plane by nothing, with the part that pushes steps would run away from
// where it folds.
#include "element/pack_math.h"
#include "force/fem/surface/triangle.h"

typedef struct {
  dvPack bx, by, cx, cy;
} Plane;   // a vector of the plane for b and for c
typedef struct {
  dvPack xx, yy, xy;
} Sym;   // strains hold twice the shear

// a vector no longer than the rounding unit stays as it is; divided for the sake of dv_triangle_axes
DV_INLINE Vec unit(Vec a)
{
  dvPack length = square_root(dot(a, a));
  length = dv_pack_select(length > dv_pack(DBL_EPSILON), length, dv_pack(1));
  return (Vec){a.x / length, a.y / length, a.z / length};
}

DV_INLINE Plane load_plane(const double *p)
{
  return (Plane){dv_pack_load(p), dv_pack_load(p + 4), dv_pack_load(p + 8), dv_pack_load(p + 12)};
}
DV_INLINE void store_plane(double *p, Plane a)
{
  dv_pack_store(p, a.bx);
  dv_pack_store(p + 4, a.by);
  dv_pack_store(p + 8, a.cx);
  dv_pack_store(p + 12, a.cy);
}
DV_INLINE Plane select_plane(dvPackMask m, Plane yes, Plane no)
{
  return (Plane){dv_pack_select(m, yes.bx, no.bx), dv_pack_select(m, yes.by, no.by), dv_pack_select(m, yes.cx, no.cx),
                 dv_pack_select(m, yes.cy, no.cy)};
}

// --- strain, stress, forces ---

DV_INLINE Sym strain(Plane d, Plane g)
{
  return (Sym){d.bx * g.bx + d.cx * g.cx, d.by * g.by + d.cy * g.cy,
               d.bx * g.by + d.by * g.bx + d.cx * g.cy + d.cy * g.cx};
}

DV_INLINE Sym stress(const double *material, Sym e)
{
  dvPack m01 = dv_pack_load(material + 4), m02 = dv_pack_load(material + 8), m12 = dv_pack_load(material + 16);
  return (Sym){dv_pack_load(material) * e.xx + m01 * e.yy + m02 * e.xy,
               m01 * e.xx + dv_pack_load(material + 12) * e.yy + m12 * e.xy,
               m02 * e.xx + m12 * e.yy + dv_pack_load(material + 20) * e.xy};
}

DV_INLINE void add_forces(double *slots, const uint16_t *corner, Sym s, Plane g, Vec u, Vec v)
{
  Vec b = add(scale(u, s.xx * g.bx + s.xy * g.by), scale(v, s.xy * g.bx + s.yy * g.by));
  Vec c = add(scale(u, s.xx * g.cx + s.xy * g.cy), scale(v, s.xy * g.cx + s.yy * g.cy));
  dvPack fb[4], fc[4];
  dv_blocks_rows(b, fb);
  dv_blocks_rows(c, fc);
  for (int lane = 0; lane < DV_LANES; lane++) {
    dv_blocks_add_row(slots, corner[lane], -(fb[lane] + fc[lane]));
    dv_blocks_add_row(slots, corner[4 + lane], fb[lane]);
    dv_blocks_add_row(slots, corner[8 + lane], fc[lane]);
  }
}

// --- frames and gradients ---

typedef struct Shape {
  Vec u, v;
  Plane edges;   // present edges in the frame
  Plane gradients;
} Shape;

// Gradients of edges in the plane; those at rest where the determinant is no larger than the limit.
DV_INLINE Plane gradients(Plane e, dvPack det, const double *rest)
{
  dvPackMask round = det > dv_pack_load(rest + 4 * DV_TRIANGLE_FLAT);
  dvPack k = dv_pack(1) / dv_pack_select(round, det, dv_pack(1));
  return select_plane(round, (Plane){e.cy * k, -e.cx * k, -e.by * k, e.bx * k},
                      load_plane(rest + 4 * DV_TRIANGLE_REST_GRADIENTS));
}

DV_INLINE Shape shape_of(dvTriangleMethod method, const double *rest, Vec ab, Vec ac)
{
  dvPack zero = dv_pack(0), one = dv_pack(1);
  Shape s;
  if (method == DV_TRIANGLE_SMALL) {
    Vec n = cross(ab, ac);
    s.u = (Vec){one, zero, zero};
    s.v = (Vec){zero, one, zero};
    s.edges = (Plane){ab.x, ab.y, ac.x, ac.y};
    s.gradients = gradients(s.edges, square_root(dot(n, n)), rest);
    return s;
  }
  if (method == DV_TRIANGLE_GREEN) {
    Plane g = s.gradients = load_plane(rest + 4 * DV_TRIANGLE_REST_GRADIENTS);
    s.u = add(scale(ab, g.bx), scale(ac, g.cx));
    s.v = add(scale(ab, g.by), scale(ac, g.cy));
    s.edges = (Plane){zero, zero, zero, zero};   // not asked for
    return s;
  }
  s.u = unit(ab);
  s.v = cross(unit(cross(s.u, ac)), s.u);
  s.edges = (Plane){dot(s.u, ab), zero, dot(s.u, ac), dot(s.v, ac)};
  s.gradients = method == DV_TRIANGLE_REST ? load_plane(rest + 4 * DV_TRIANGLE_REST_GRADIENTS)
                                           : gradients(s.edges, s.edges.bx * s.edges.cy, rest);
  return s;
}

DV_INLINE Sym strain_of(dvTriangleMethod method, const double *rest, const Shape *s)
{
  dvPack one = dv_pack(1), half = dv_pack(0.5);
  if (method == DV_TRIANGLE_GREEN)
    return (Sym){half * (one - dot(s->u, s->u)), half * (one - dot(s->v, s->v)), -dot(s->u, s->v)};
  Plane r = load_plane(rest);
  return strain((Plane){r.bx - s->edges.bx, r.by - s->edges.by, r.cx - s->edges.cx, r.cy - s->edges.cy}, s->gradients);
}

// the part of a stress that pulls (its negative eigenvalues): a s + b for both eigenvalues of s
DV_INLINE Sym pulling(Sym s)
{
  dvPack zero = dv_pack(0), half = dv_pack(0.5), middle = half * (s.xx + s.yy), way = half * (s.xx - s.yy);
  dvPack radius = square_root(way * way + s.xy * s.xy), high = middle + radius, low = middle - radius;
  dvPack over = dv_pack_select(high < zero, high, zero), under = dv_pack_select(low < zero, low, zero);
  dvPackMask apart = radius > zero;
  dvPack a = dv_pack_select(apart, (over - under) / dv_pack_select(apart, radius + radius, dv_pack(1)), zero);
  dvPack b = over - a * high;
  return (Sym){a * s.xx + b, a * s.yy + b, a * s.xy};
}

// --- loops over a block ---

DV_INLINE void force_block(dvTriangleMethod method, const dvTriangleData *t, size_t b, const double *x)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &t->blocks->blocks[b];
  dv_blocks_gather(t->blocks, b, x, local);
  double *out = dv_blocks_clear(t->blocks, b, t->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(t->blocks, i);
    double *rest = t->rest + DV_LANES * DV_TRIANGLE_RECORD * i, *moving = t->moving + DV_LANES * DV_TRIANGLE_MOVING * i;
    Vec a = dv_blocks_load(local, corner);
    Shape s =
        shape_of(method, rest, sub(dv_blocks_load(local, corner + 4), a), sub(dv_blocks_load(local, corner + 8), a));
    Sym e = strain_of(method, rest, &s);
    store_vec(moving, s.u);
    store_vec(moving + 12, s.v);
    store_plane(moving + 4 * DV_TRIANGLE_GRADIENTS, s.gradients);
    store_vec(rest + 4 * DV_TRIANGLE_STRAIN, (Vec){e.xx, e.yy, e.xy});
    add_forces(out, corner, stress(moving + 4 * DV_TRIANGLE_MATERIAL, e), s.gradients, s.u, s.v);
  }
}

DV_INLINE void energy_block(dvTriangleMethod method, const dvTriangleData *t, size_t b, const double *x, double *energy)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &t->blocks->blocks[b];
  dv_blocks_gather(t->blocks, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(t->blocks, i);
    const double *rest = t->rest + DV_LANES * DV_TRIANGLE_RECORD * i;
    Vec a = dv_blocks_load(local, corner);
    Shape s =
        shape_of(method, rest, sub(dv_blocks_load(local, corner + 4), a), sub(dv_blocks_load(local, corner + 8), a));
    Sym e = strain_of(method, rest, &s),
        p = stress(t->moving + DV_LANES * DV_TRIANGLE_MOVING * i + 4 * DV_TRIANGLE_MATERIAL, e);
    dv_pack_store(energy + DV_LANES * i, dv_pack(0.5) * (e.xx * p.xx + e.yy * p.yy + e.xy * p.xy));
  }
}

DV_INLINE void dforce_block(dvTriangleMethod method, const dvTriangleData *t, size_t b, const double *dx, double k)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &t->blocks->blocks[b];
  dv_blocks_gather(t->blocks, b, dx, local);
  double *out = dv_blocks_clear(t->blocks, b, t->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(t->blocks, i);
    const double *moving = t->moving + DV_LANES * DV_TRIANGLE_MOVING * i;
    Vec a = dv_blocks_load(local, corner), u = load_vec(moving), v = load_vec(moving + 12);
    Vec ab = scale(sub(a, dv_blocks_load(local, corner + 4)), dv_pack(k)),
        ac = scale(sub(a, dv_blocks_load(local, corner + 8)), dv_pack(k));
    Plane g = load_plane(moving + 4 * DV_TRIANGLE_GRADIENTS), d = {dot(u, ab), dot(v, ab), dot(u, ac), dot(v, ac)};
    add_forces(out, corner, stress(moving + 4 * DV_TRIANGLE_MATERIAL, strain(d, g)), g, u, v);
    if (method != DV_TRIANGLE_GREEN) continue;
    Vec e = load_vec(t->rest + DV_LANES * DV_TRIANGLE_RECORD * i + 4 * DV_TRIANGLE_STRAIN);
    Sym pull = pulling(stress(moving + 4 * DV_TRIANGLE_MATERIAL, (Sym){e.x, e.y, e.z}));
    add_forces(out, corner, (Sym){-pull.xx, -pull.yy, -pull.xy}, g, add(scale(ab, g.bx), scale(ac, g.cx)),
               add(scale(ab, g.by), scale(ac, g.cy)));
  }
}

#define METHOD(name, method)                                                                                     \
  static void force_##name(const dvTriangleData *t, size_t b, const double *x) { force_block(method, t, b, x); } \
  static void dforce_##name(const dvTriangleData *t, size_t b, const double *dx, double k)                       \
  {                                                                                                              \
    dforce_block(method, t, b, dx, k);                                                                           \
  }                                                                                                              \
  static void energy_##name(const dvTriangleData *t, size_t b, const double *x, double *e)                       \
  {                                                                                                              \
    energy_block(method, t, b, x, e);                                                                            \
  }
METHOD(small, DV_TRIANGLE_SMALL)
METHOD(present, DV_TRIANGLE_PRESENT)
METHOD(rest, DV_TRIANGLE_REST)
METHOD(green, DV_TRIANGLE_GREEN)

const dvTriangleKernels DV_KERNEL_NAME(dv_triangle_kernels) = {
    .force = {force_small, force_present, force_rest, force_green},
    .dforce = {dforce_small, dforce_present, dforce_rest, dforce_green},
    .energy = {energy_small, energy_present, energy_rest, energy_green},
};
