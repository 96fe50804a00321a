// Corotational tetrahedra, four at a time (M. Müller, M. Gross, Interactive virtual materials, 2004;
// M. Nesme, Y. Payan, F. Faure, Efficient, physically plausible finite elements, 2005).
//
// In the frame of an element, D_k = X_k - R^T (x_k - x_a) is how far corner k = b, c, d is from its
// place at rest, and g_k is the gradient of its shape function. Then
//
//   H = sum D_k (x) g_k,   e = (H + H^T) / 2,   s = V (lambda tr(e) 1 + 2 mu e),   f_k = R s g_k,
//
// and the force on corner a is minus the sum of the others. With a frozen rotation, dforce is the same
// product with the gradients turned once and for all, g'_k = R g_k:
//
//   H = sum (dx_k - dx_a) (x) g'_k,   df_k = -s g'_k,
//
// which is the product with R B^T C B R^T without its matrices: an isotropic material commutes with R.
// Besides corners it reads eleven numbers an element and takes about 100 operations.
//
// SVD is POLAR until an element is inverted or flat (the determinant of the deformation is below 1e-6): then the
// rotation comes from singular values, which keep it a rotation, and the element finds its way back.
#include "force/fem/corot/tetra_corot.h"

#include "element/pack_math.h"

typedef struct {
  dvPack xx, yy, zz, xy, yz, zx;
} Sym;   // strains hold twice the shear
typedef const dvTetraData Data;

// --- the general element: strain, stress, forces ---

DV_INLINE Sym strain(Edges d, Edges g)   // of sum d_k (x) g_k
{
  Sym e;
  e.xx = d.b.x * g.b.x + d.c.x * g.c.x + d.d.x * g.d.x;
  e.yy = d.b.y * g.b.y + d.c.y * g.c.y + d.d.y * g.d.y;
  e.zz = d.b.z * g.b.z + d.c.z * g.c.z + d.d.z * g.d.z;
  e.xy = d.b.x * g.b.y + d.c.x * g.c.y + d.d.x * g.d.y + d.b.y * g.b.x + d.c.y * g.c.x + d.d.y * g.d.x;
  e.yz = d.b.y * g.b.z + d.c.y * g.c.z + d.d.y * g.d.z + d.b.z * g.b.y + d.c.z * g.c.y + d.d.z * g.d.y;
  e.zx = d.b.z * g.b.x + d.c.z * g.c.x + d.d.z * g.d.x + d.b.x * g.b.z + d.c.x * g.c.z + d.d.x * g.d.z;
  return e;
}

DV_INLINE Sym stress(Sym e, dvPack lambda, dvPack mu)
{
  dvPack p = lambda * (e.xx + e.yy + e.zz), twice = mu + mu;
  return (Sym){p + twice * e.xx, p + twice * e.yy, p + twice * e.zz, mu * e.xy, mu * e.yz, mu * e.zx};
}

DV_INLINE Vec traction(Sym s, Vec g)
{
  return (Vec){s.xx * g.x + s.xy * g.y + s.zx * g.z, s.xy * g.x + s.yy * g.y + s.yz * g.z,
               s.zx * g.x + s.yz * g.y + s.zz * g.z};
}

// --- dforce, the same for all methods ---

static void tetra_dforce(const dvTetraData *t, size_t b, const double *dx, double k)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &t->blocks->blocks[b];
  dv_blocks_gather(t->blocks, b, dx, local);
  double *out = dv_blocks_clear(t->blocks, b, t->slots);
  dvPack factor = dv_pack(-k);
  const uint16_t *corner = dv_blocks_corners(t->blocks, block->first_pack);
  const double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * (size_t)block->first_pack;
  for (uint32_t i = 0; i < block->packs; i++, corner += 16, moving += DV_LANES * DV_TETRA_MOVING) {
    Edges g = load_edges(moving + DV_LANES * DV_TETRA_GRADIENTS);
    dvPack lambda = factor * dv_pack_load(moving), mu = factor * dv_pack_load(moving + DV_LANES);
    Sym s = stress(strain(gather_edges(local, corner), g), lambda, mu);
    scatter_forces(out, corner, (Edges){traction(s, g.b), traction(s, g.c), traction(s, g.d)});
  }
}

// --- plasticity: a part of the strain stays (M. Müller, M. Gross, 2004, section 4.3) ---

DV_INLINE Sym sym_add(Sym a, Sym b, dvPack k)   // a + k b
{
  return (Sym){a.xx + k * b.xx, a.yy + k * b.yy, a.zz + k * b.zz, a.xy + k * b.xy, a.yz + k * b.yz, a.zx + k * b.zx};
}
DV_INLINE dvPack sym_norm2(Sym a)
{
  return a.xx * a.xx + a.yy * a.yy + a.zz * a.zz + a.xy * a.xy + a.yz * a.yz + a.zx * a.zx;
}
DV_INLINE Sym load_sym(const double *p)
{
  return (Sym){dv_pack_load(p),      dv_pack_load(p + 4),  dv_pack_load(p + 8),
               dv_pack_load(p + 12), dv_pack_load(p + 16), dv_pack_load(p + 20)};
}
DV_INLINE void store_sym(double *p, Sym a)
{
  dv_pack_store(p, a.xx);
  dv_pack_store(p + 4, a.yy);
  dv_pack_store(p + 8, a.zz);
  dv_pack_store(p + 12, a.xy);
  dv_pack_store(p + 16, a.yz);
  dv_pack_store(p + 20, a.zx);
}

// the strain without its plastic part
DV_INLINE Sym elastic(const dvTetraData *t, size_t pack, Sym e)
{
  if (!t->plastic) return e;
  const double *record = t->plastic + DV_LANES * DV_TETRA_PLASTIC * pack;
  return sym_add(e, load_sym(record + DV_LANES), dv_pack(-1) / dv_pack_load(record));
}

// Elastic strain over the yield threshold flows into the plastic one, which grows up to a limit. Strains are measured
// times the factor of the record. The step that is on its way keeps what it began with.
DV_INLINE Sym flow(const dvTetraData *t, size_t pack, Sym e)
{
  if (!t->plastic) return e;
  const double *record = t->plastic + DV_LANES * DV_TETRA_PLASTIC * pack;
  dvPack zero = dv_pack(0), one = dv_pack(1), six = dv_pack_load(record);
  Sym kept = load_sym(record + DV_LANES),
      free = sym_add((Sym){-kept.xx, -kept.yy, -kept.zz, -kept.xy, -kept.yz, -kept.zx}, e, six);
  kept = sym_add(kept, free, dv_pack_select(sym_norm2(free) > dv_pack(t->yield * t->yield), dv_pack(t->creep), zero));
  dvPack size2 = sym_norm2(kept);
  dvPackMask over = size2 > dv_pack(t->limit * t->limit);
  dvPack shrink = dv_pack_select(over, dv_pack(t->limit) / square_root(dv_pack_select(over, size2, one)), one);
  kept = sym_add((Sym){zero, zero, zero, zero, zero, zero}, kept, shrink);
  store_sym(t->flowed + DV_LANES * (DV_TETRA_PLASTIC * pack + 1), kept);
  return sym_add(e, kept, dv_pack(-1) / six);
}

// --- LARGE: in the frame of the edges the matrix of edges is triangular, and so is its inverse ---

typedef struct {
  dvPack bx, cx, cy, dx, dy, dz;
} Triangle;

DV_INLINE Triangle load_triangle(const double *p)
{
  return (Triangle){dv_pack_load(p),      dv_pack_load(p + 4),  dv_pack_load(p + 8),
                    dv_pack_load(p + 12), dv_pack_load(p + 16), dv_pack_load(p + 20)};
}
DV_INLINE void store_triangle(double *p, Triangle a)
{
  dv_pack_store(p, a.bx);
  dv_pack_store(p + 4, a.cx);
  dv_pack_store(p + 8, a.cy);
  dv_pack_store(p + 12, a.dx);
  dv_pack_store(p + 16, a.dy);
  dv_pack_store(p + 20, a.dz);
}

DV_INLINE Triangle edges_in_frame(Edges axes, Edges e)
{
  return (Triangle){dot(axes.b, e.b), dot(axes.b, e.c), dot(axes.c, e.c),
                    dot(axes.b, e.d), dot(axes.c, e.d), dot(axes.d, e.d)};
}

// Gradients are named by corner too: g.bx of corner b along x, g.cx of corner b along y, g.cy of corner
// c along y, and g.dx, g.dy, g.dz of corners b, c, d along z: the rows of the inverse of the matrix of edges.
DV_INLINE Triangle invert(Triangle a)
{
  dvPack x = dv_pack(1) / a.bx, y = dv_pack(1) / a.cy, z = dv_pack(1) / a.dz;
  return (Triangle){x, -a.cx * x * y, y, (a.cx * a.dy - a.cy * a.dx) * x * y * z, -a.dy * y * z, z};
}

DV_INLINE Sym strain_large(Triangle rest, Triangle now, Triangle g)
{
  dvPack bx = rest.bx - now.bx, cx = rest.cx - now.cx, cy = rest.cy - now.cy;
  dvPack dx = rest.dx - now.dx, dy = rest.dy - now.dy, dz = rest.dz - now.dz;
  return (Sym){
      bx * g.bx, cy * g.cy, dz * g.dz, bx * g.cx + cx * g.cy, cy * g.dy + dy * g.dz, bx * g.dx + cx * g.dy + dx * g.dz};
}

static void rest_large(const double *edges, double *record)
{
  Edges e = load_edges(edges);
  Triangle rest = edges_in_frame(frame_of_edges(e), e);
  store_triangle(record, rest);
  store_triangle(record + 24, invert(rest));
}

DV_INLINE void force_large(Data *t, size_t pack, const Edges *edges, Edges *f, bool keeps)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_LARGE * pack;
  double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * pack;
  Edges e = *edges;
  Edges axes = frame_of_edges(e);
  Triangle g = load_triangle(rest + 24);
  if (keeps) {
    Edges turned = {to_world(axes, (Vec){g.bx, g.cx, g.dx}), add(scale(axes.c, g.cy), scale(axes.d, g.dy)),
                    scale(axes.d, g.dz)};
    store_edges(moving + DV_LANES * DV_TETRA_GRADIENTS, turned);
  }
  Sym strains = flow(t, pack, strain_large(load_triangle(rest), edges_in_frame(axes, e), g));
  Sym s = stress(strains, dv_pack_load(moving), dv_pack_load(moving + DV_LANES));
  Vec c = {s.xy * g.cy + s.zx * g.dy, s.yy * g.cy + s.yz * g.dy, s.yz * g.cy + s.zz * g.dy};
  Vec d = {s.zx * g.dz, s.yz * g.dz, s.zz * g.dz};
  *f = (Edges){to_world(axes, traction(s, (Vec){g.bx, g.cx, g.dx})), to_world(axes, c), to_world(axes, d)};
}

DV_INLINE void measure_large(Data *t, size_t pack, const Edges *edges, Sym *out)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_LARGE * pack;
  Edges e = *edges;
  *out = strain_large(load_triangle(rest), edges_in_frame(frame_of_edges(e), e), load_triangle(rest + 24));
}

// --- LARGE with gradients of the present shape, as SOFA's updateStiffnessMatrix: only the normal strains follow, the
// shear strains keep the gradients at rest ---

// gradients of the present shape on the volume at rest
DV_INLINE Triangle present_gradients(Triangle rest, Triangle now)
{
  dvPack inverse = dv_pack(1) / unless_zero(rest.bx * rest.cy * rest.dz);
  return (Triangle){now.cy * now.dz * inverse,  -now.cx * now.dz * inverse,
                    now.bx * now.dz * inverse,  (now.cx * now.dy - now.cy * now.dx) * inverse,
                    -now.bx * now.dy * inverse, now.bx * now.cy * inverse};
}

// s n for the corners b, c, d in the frame, with the normal stresses on gradients p, the shear stresses on g
DV_INLINE Edges mixed_tractions(Sym s, Triangle p, Triangle g)
{
  Vec b = {s.xx * p.bx + s.xy * g.cx + s.zx * g.dx, s.xy * g.bx + s.yy * p.cx + s.yz * g.dx,
           s.zx * g.bx + s.yz * g.cx + s.zz * p.dx};
  Vec c = {s.xy * g.cy + s.zx * g.dy, s.yy * p.cy + s.yz * g.dy, s.yz * g.cy + s.zz * p.dy};
  Vec d = {s.zx * g.dz, s.yz * g.dz, s.zz * p.dz};
  return (Edges){b, c, d};
}

DV_INLINE Sym mixed_strain(Edges u, Triangle p, Triangle g)
{
  Sym e;
  e.xx = u.b.x * p.bx;
  e.yy = u.b.y * p.cx + u.c.y * p.cy;
  e.zz = u.b.z * p.dx + u.c.z * p.dy + u.d.z * p.dz;
  e.xy = u.b.x * g.cx + u.c.x * g.cy + u.b.y * g.bx;
  e.yz = u.b.y * g.dx + u.c.y * g.dy + u.d.y * g.dz + u.b.z * g.cx + u.c.z * g.cy;
  e.zx = u.b.x * g.dx + u.c.x * g.dy + u.d.x * g.dz + u.b.z * g.bx;
  return e;
}

DV_INLINE void force_present(Data *t, size_t pack, const Edges *edges, Edges *f, bool keeps)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_LARGE * pack;
  double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * pack, *frame = t->frames + DV_LANES * DV_TETRA_FRAME * pack;
  Edges e = *edges;
  Edges axes = frame_of_edges(e);
  Triangle first = load_triangle(rest), now = edges_in_frame(axes, e), g = load_triangle(rest + 24);
  Triangle p = present_gradients(first, now);
  if (keeps) {
    store_edges(frame, axes);
    store_triangle(frame + 36, p);
    store_edges(
        moving + DV_LANES * DV_TETRA_GRADIENTS,
        edges_to_world(axes, (Edges){{g.bx, g.cx, g.dx}, {dv_pack(0), g.cy, g.dy}, {dv_pack(0), dv_pack(0), g.dz}}));
  }
  dvPack zero = dv_pack(0);
  Edges gap = {{first.bx - now.bx, zero, zero},
               {first.cx - now.cx, first.cy - now.cy, zero},
               {first.dx - now.dx, first.dy - now.dy, first.dz - now.dz}};
  Sym s = stress(flow(t, pack, mixed_strain(gap, p, g)), dv_pack_load(moving), dv_pack_load(moving + DV_LANES));
  *f = edges_to_world(axes, mixed_tractions(s, p, g));
}

static void tetra_dforce_present(Data *t, size_t b, const double *dx, double k)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &t->blocks->blocks[b];
  dv_blocks_gather(t->blocks, b, dx, local);
  double *out = dv_blocks_clear(t->blocks, b, t->slots);
  dvPack factor = dv_pack(-k);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(t->blocks, i);
    const double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * i,
                 *frame = t->frames + DV_LANES * DV_TETRA_FRAME * i;
    Edges axes = load_edges(frame), u = edges_to_local(axes, gather_edges(local, corner));
    Triangle p = load_triangle(frame + 36), g = load_triangle(t->rest + DV_LANES * (DV_TETRA_REST_LARGE * i + 6));
    Sym s = stress(mixed_strain(u, p, g), factor * dv_pack_load(moving), factor * dv_pack_load(moving + DV_LANES));
    scatter_forces(out, corner, edges_to_world(axes, mixed_tractions(s, p, g)));
  }
}

// --- POLAR ---

DV_INLINE Edges gap(Edges a, Edges b) { return (Edges){sub(a.b, b.b), sub(a.c, b.c), sub(a.d, b.d)}; }

// gradients of b, c, d on a determinant: (c x d, d x b, b x c) / det
DV_INLINE Edges gradients(Edges e, dvPack det)
{
  Edges co = {cross(e.c, e.d), cross(e.d, e.b), cross(e.b, e.c)};
  dvPack inverse = dv_pack(1) / det;
  return (Edges){scale(co.b, inverse), scale(co.c, inverse), scale(co.d, inverse)};
}
static void rest_polar(const double *edges, double *record)
{
  Edges e = load_edges(edges), rest = edges_to_local(orthogonal_factor(e), e);
  store_edges(record, rest);
  store_edges(record + 36, gradients(rest, determinant(rest)));
}

static void rest_svd(const double *edges, double *record)
{
  rest_polar(edges, record);
  store_edges(record + 72, orthogonal_factor(load_edges(edges)));
}

// what remains when the axes are found
DV_INLINE void force_in_axes(Data *t, size_t pack, const double *rest, Edges axes, const Edges *edges, Edges *f,
                             bool keeps)
{
  double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * pack;
  Edges first = load_edges(rest), g = load_edges(rest + 36), now = edges_to_local(axes, *edges);
  if (t->frames) {   // gradients of the present shape on the volume at rest
    if (keeps) store_edges(t->frames + DV_LANES * DV_TETRA_FRAME * pack, edges_to_world(axes, g));
    g = gradients(now, unless_zero(determinant(first)));
  }
  if (keeps) store_edges(moving + DV_LANES * DV_TETRA_GRADIENTS, edges_to_world(axes, g));
  Sym strains = flow(t, pack, strain(gap(first, now), g));
  Sym s = stress(strains, dv_pack_load(moving), dv_pack_load(moving + DV_LANES));
  *f = edges_to_world(axes, (Edges){traction(s, g.b), traction(s, g.c), traction(s, g.d)});
}

DV_INLINE void force_polar(Data *t, size_t pack, const Edges *edges, Edges *f, bool keeps)
{
  Edges e = *edges;
  force_in_axes(t, pack, t->rest + DV_LANES * DV_TETRA_REST_POLAR * pack, orthogonal_factor(e), &e, f, keeps);
}

DV_INLINE void measure_polar(Data *t, size_t pack, const Edges *edges, Sym *out)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_POLAR * pack;
  Edges e = *edges;
  *out = strain(gap(load_edges(rest), edges_to_local(orthogonal_factor(e), e)), load_edges(rest + 36));
}

// Axes of one lane from singular values. With rows of edges, A = now and A0 = at rest = L R0 (L the edges in the
// frame at rest, R0 its axes): A A0^-1 = A R0^T L^-1, and L^-1 is the transpose of the gradients.
static void stable_axes(const double *rest, const double *edges, int lane, double *axes)
{
  dvMat3 first = lane_of(rest + 72, lane), q;
  dvMat3 f = dv_mat3_mul_t(dv_mat3_mul_t(lane_of(edges, lane), first), lane_of(rest + 36, lane));
  dv_polar_stable(&f, &q, NULL);
  q = dv_mat3_mul(q, first);
  for (int i = 0; i < 9; i++) axes[DV_LANES * i + lane] = q.m[i / 3][i % 3];
}

DV_INLINE Edges axes_svd(const double *rest, Edges e)
{
  Edges axes = orthogonal_factor(e);
  dvPack first = determinant(load_edges(rest)) * determinant(load_edges(rest + 72));
  dvPackMask bad = (determinant(e) / unless_zero(first) < dv_pack(1e-6)) & (first != dv_pack(0));
  if (!any(bad)) return axes;
  double edges[9 * DV_LANES], out[9 * DV_LANES];
  store_edges(edges, e);
  store_edges(out, axes);
  for (int lane = 0; lane < DV_LANES; lane++)
    if (bad[lane]) stable_axes(rest, edges, lane, out);
  return load_edges(out);
}

DV_INLINE void force_svd(Data *t, size_t pack, const Edges *edges, Edges *f, bool keeps)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_SVD * pack;
  Edges e = *edges;
  force_in_axes(t, pack, rest, axes_svd(rest, e), &e, f, keeps);
}

DV_INLINE void measure_svd(Data *t, size_t pack, const Edges *edges, Sym *out)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_SVD * pack;
  Edges e = *edges;
  *out = strain(gap(load_edges(rest), edges_to_local(axes_svd(rest, e), e)), load_edges(rest + 36));
}

// --- DEFORMATION: the frame at rest is that of the world ---

static void rest_deformation(const double *edges, double *record)
{
  Edges e = load_edges(edges);
  store_edges(record, e);
  store_edges(record + 36, gradients(e, determinant(e)));
}

DV_INLINE void force_deformation(Data *t, size_t pack, const Edges *edges, Edges *f, bool keeps)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_POLAR * pack;
  Edges e = *edges;
  force_in_axes(t, pack, rest, orthogonal_factor(deformation(e, load_edges(rest + 36))), &e, f, keeps);
}

DV_INLINE void measure_deformation(Data *t, size_t pack, const Edges *edges, Sym *out)
{
  const double *rest = t->rest + DV_LANES * DV_TETRA_REST_POLAR * pack;
  Edges e = *edges, g = load_edges(rest + 36);
  *out = strain(gap(load_edges(rest), edges_to_local(orthogonal_factor(deformation(e, g)), e)), g);
}

// --- SMALL: no rotation, the gradients stay as they are at rest ---

static void rest_small(const double *edges, double *record) { store_edges(record, load_edges(edges)); }

DV_INLINE void measure_small(Data *t, size_t pack, const Edges *edges, Sym *out)
{
  Edges e = *edges;
  *out = strain(gap(load_edges(t->rest + DV_LANES * DV_TETRA_REST_SMALL * pack), e),
                load_edges(t->moving + DV_LANES * (DV_TETRA_MOVING * pack + DV_TETRA_GRADIENTS)));
}

DV_INLINE void force_small(Data *t, size_t pack, const Edges *edges, Edges *f, bool keeps)
{
  (void)keeps;
  const double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * pack;
  Edges g = load_edges(moving + DV_LANES * DV_TETRA_GRADIENTS);
  Sym s;
  measure_small(t, pack, edges, &s);
  s = stress(flow(t, pack, s), dv_pack_load(moving), dv_pack_load(moving + DV_LANES));
  *f = (Edges){traction(s, g.b), traction(s, g.c), traction(s, g.d)};
}

// --- loops over a block ---

// the force of a pack leaves tangents behind where `keeps` says so, a constant where it is inlined
typedef void (*ForceOfPack)(Data *t, size_t pack, const Edges *edges, Edges *f, bool keeps);
typedef void (*StrainOfPack)(Data *t, size_t pack, const Edges *edges, Sym *e);

DV_INLINE void force_block(Data *t, size_t b, const double *x, ForceOfPack force, bool keeps)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &t->blocks->blocks[b];
  dv_blocks_gather(t->blocks, b, x, local);
  double *out = dv_blocks_clear(t->blocks, b, t->slots);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const uint16_t *corner = dv_blocks_corners(t->blocks, i);
    Edges e = gather_edges(local, corner), f;
    force(t, i, &e, &f, keeps);
    scatter_forces(out, corner, f);
  }
}

DV_INLINE void store_measures(Sym e, Sym s, double *energy, double *von_mises)
{
  dvPack half = dv_pack(0.5), three = dv_pack(3);
  dv_pack_store(energy, half * (e.xx * s.xx + e.yy * s.yy + e.zz * s.zz + e.xy * s.xy + e.yz * s.yz + e.zx * s.zx));
  dvPack p = s.xx - s.yy, q = s.yy - s.zz, r = s.zz - s.xx;
  dvPack shear = s.xy * s.xy + s.yz * s.yz + s.zx * s.zx;
  dv_pack_store(von_mises, square_root(half * (p * p + q * q + r * r) + three * shear));
}

DV_INLINE void measure_block(Data *t, size_t b, const double *x, StrainOfPack strain_of, double *energy,
                             double *von_mises)
{
  double local[DV_BLOCK_DOUBLES] __attribute__((aligned(64)));
  const dvElementBlock *block = &t->blocks->blocks[b];
  dv_blocks_gather(t->blocks, b, x, local);
  for (size_t i = block->first_pack; i < block->first_pack + block->packs; i++) {
    const double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * i;
    Edges edges = gather_edges(local, dv_blocks_corners(t->blocks, i));
    Sym e;
    strain_of(t, i, &edges, &e);
    e = elastic(t, i, e);
    Sym s = stress(e, dv_pack_load(moving), dv_pack_load(moving + DV_LANES));
    store_measures(e, s, energy + DV_LANES * i, von_mises + DV_LANES * i);
  }
}

#define LOOPS(method)                                                                                                  \
  static void tetra_force_##method(Data *t, size_t b, const double *x) { force_block(t, b, x, force_##method, true); } \
  static void tetra_lone_force_##method(Data *t, size_t b, const double *x)                                            \
  {                                                                                                                    \
    force_block(t, b, x, force_##method, false);                                                                       \
  }                                                                                                                    \
  static void tetra_measure_##method(Data *t, size_t b, const double *x, double *energy, double *von_mises)            \
  {                                                                                                                    \
    measure_block(t, b, x, measure_##method, energy, von_mises);                                                       \
  }
LOOPS(small)
LOOPS(large)
LOOPS(polar)
LOOPS(svd)
LOOPS(deformation)

static void tetra_force_present(Data *t, size_t b, const double *x) { force_block(t, b, x, force_present, true); }
static void tetra_lone_force_present(Data *t, size_t b, const double *x) { force_block(t, b, x, force_present, false); }

// --- the matrix of one element ---

static void tetra_stiffness(const double gradient[16], double lambda, double mu, double out[144])
{
  static const dvPack unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  for (size_t i = 0; i < 4; i++)
    for (size_t j = i; j < 4; j++) {
      const double *p = gradient + 4 * i, *q = gradient + 4 * j;
      dvPack gi = dv_pack_load(p), gj = dv_pack_load(q),
             diagonal = dv_pack(mu * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2])), b[4] = {{0}};
      for (int r = 0; r < 3; r++) b[r] = dv_pack(lambda * p[r]) * gj + dv_pack(mu * q[r]) * gi + diagonal * unit[r];
      for (size_t r = 0; r < 3; r++) dv_pack_store3(out + 12 * (3 * i + r) + 3 * j, b[r]);
      if (i == j) continue;
      dv_pack_transpose(&b[0], &b[1], &b[2], &b[3]);
      for (size_t r = 0; r < 3; r++) dv_pack_store3(out + 12 * (3 * j + r) + 3 * i, b[r]);
    }
}

// --- matrices of a block, straight into the sums of their pairs (math/element_sum.h) ---

// With g = (x y z), g' = (y z x), g" = (z x y) and the products of single numbers, the block of corners i and j has
//   the diagonal (lambda + mu) g_i g_j + mu g_i . g_j,
//   beside it the symmetric part (lambda + mu)/2 (g'_i g"_j + g"_i g'_j) and the antisymmetric one (lambda - mu)/2
//   (g'_i g"_j - g"_i g'_j).
// The three products of mu g_i . g_j come along in the fourth places.
typedef struct Factors {
  dvPack diagonal, even, odd;
} Factors;   // (lambda + mu, .., mu), half of it with the same mu, (lambda - mu, .., 0)/2

DV_INLINE void sum_element(const dvPack g[4], const Factors *f, const uint16_t *entry, double *local)
{
  dvPack plain[4], once[4], twice[4];   // (x y z x), (y z x z), (z x y y)
  for (int i = 0; i < 4; i++) {
    plain[i] = DV_SHUFFLE(g[i], g[i], 0, 1, 2, 0);
    once[i] = DV_SHUFFLE(g[i], g[i], 1, 2, 0, 2);
    twice[i] = DV_SHUFFLE(g[i], g[i], 2, 0, 1, 1);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    dvPack diagonal = f->diagonal * plain[i], odd = f->odd * once[i], other = f->odd * twice[i];
    dvPack even = f->even * DV_SHUFFLE(once[i], twice[i], 0, 1, 2, 7),
           even_other = f->even * DV_SHUFFLE(twice[i], once[i], 0, 1, 2, 7);
#pragma GCC unroll 4
    for (int j = i; j < 4; j++, entry++) {
      double *to = local + 4 * (size_t)*entry;
      dv_pack_store(to, dv_pack_load(to) + diagonal * plain[j]);
      dv_pack_store(to + 4, dv_pack_load(to + 4) + even * twice[j] + even_other * once[j]);
      if (i != j) dv_pack_store(to + 8, dv_pack_load(to + 8) + odd * twice[j] - other * once[j]);
    }
  }
}

static void tetra_sum(Data *t, const dvElementSum *sum, size_t b, double k, double *local)
{
  const dvElementBlock *block = &t->blocks->blocks[b];
  for (size_t pack = block->first_pack; pack < block->first_pack + block->packs; pack++) {
    const double *moving = t->moving + DV_LANES * DV_TETRA_MOVING * pack;
    Edges g = load_edges(moving + DV_LANES * DV_TETRA_GRADIENTS);
    Vec first = scale(add(add(g.b, g.c), g.d), dv_pack(-1)), all[4] = {first, g.b, g.c, g.d};
    dvPack row[4][DV_LANES];   // of corners, an element each
    for (int i = 0; i < 4; i++) {
      row[i][0] = all[i].x, row[i][1] = all[i].y, row[i][2] = all[i].z, row[i][3] = dv_pack(0);
      dv_pack_transpose(&row[i][0], &row[i][1], &row[i][2], &row[i][3]);
    }
    for (size_t lane = 0; lane < DV_LANES; lane++) {
      double lambda = -k * moving[DV_LANES * DV_TETRA_LAMBDA + lane], mu = -k * moving[DV_LANES * DV_TETRA_MU + lane];
      double s = lambda + mu, h = 0.5 * s, d = 0.5 * (lambda - mu);
      const uint8_t *order = dv_element_sum_order(sum, DV_LANES * pack + lane);
      const dvPack sorted[4] = {row[order[0]][lane], row[order[1]][lane], row[order[2]][lane], row[order[3]][lane]};
      const Factors factors = {{s, s, s, mu}, {h, h, h, mu}, {d, d, d, 0}};
      sum_element(sorted, &factors, dv_element_sum_entries(sum, DV_LANES * pack + lane), local);
    }
  }
}

const dvTetraCorotKernels DV_KERNEL_NAME(dv_tetra_corot_kernels) = {
    .rest = {rest_small, rest_large, rest_polar, rest_svd, rest_deformation},
    .force = {tetra_force_small, tetra_force_large, tetra_force_polar, tetra_force_svd, tetra_force_deformation},
    .lone_force = {tetra_lone_force_small, tetra_lone_force_large, tetra_lone_force_polar, tetra_lone_force_svd,
                   tetra_lone_force_deformation},
    .force_present = tetra_force_present,
    .lone_force_present = tetra_lone_force_present,
    .dforce = tetra_dforce,
    .dforce_present = tetra_dforce_present,
    .measure = {tetra_measure_small, tetra_measure_large, tetra_measure_polar, tetra_measure_svd,
                tetra_measure_deformation},
    .stiffness = tetra_stiffness,
    .sum = tetra_sum,
};
