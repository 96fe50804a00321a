// Stress and its change, P(F) and dP(F, dF), of four elements at a time for every hyperelastic law: the energy is a sum
// of products of functions of J and of other invariants (S. Marchesseau, T. Heimann, S. Chatelin, R. Willinger, H.
// Delingette, Multiplicative Jacobian energy decomposition method for fast porous visco-hyperelastic soft tissue model,
// 2010), so that C is never inverted. Included by hyper_kernel.c only. All stresses are times the volume.
//
// Isotropic, W(I1, I2, J) with I1 = F : F, FC = F F^T F, and cof F = dJ/dF:
//   P  = 2 (W1 + I1 W2) F - 2 W2 FC + WJ cof F,
//   dP = 2 (dW1 + I1 dW2 + W2 dI1) F + 2 (W1 + I1 W2) dF - 2 dW2 FC - 2 W2 (dF C + F dC) + dWJ cof F + WJ d(cof F),
// with dI1 = 2 F : dF, dI2 = I1 dI1 - 2 FC : dF, dJ = cof F : dF. Laws without I2 skip its terms.
//
// Costa and Ogden, f(J) g(C) + U(J): P = f (F A + r cof F / J) + U' cof F, with A half the derivative of g by E. Where
// J is below the smallest, f does not change with J.
#ifndef DV_FORCE_FEM_HYPER_HYPER_PACK_H
#define DV_FORCE_FEM_HYPER_HYPER_PACK_H

#include "force/fem/hyper/hyper_terms.h"

typedef const dvHyperData Data;
typedef struct {
  dvPack xx, yy, zz, xy, yz, zx;
} Sym;

DV_INLINE dvPack inner(Edges a, Edges b) { return dot(a.b, b.b) + dot(a.c, b.c) + dot(a.d, b.d); }
DV_INLINE Edges combine(Edges a, dvPack k, Edges b, dvPack l)   // k a + l b
{
  return (Edges){add(scale(a.b, k), scale(b.b, l)), add(scale(a.c, k), scale(b.c, l)),
                 add(scale(a.d, k), scale(b.d, l))};
}
DV_INLINE Edges cofactor(Edges f) { return (Edges){cross(f.c, f.d), cross(f.d, f.b), cross(f.b, f.c)}; }
DV_INLINE Edges cofactor_change(Edges f, Edges d)
{
  return (Edges){add(cross(d.c, f.d), cross(f.c, d.d)), add(cross(d.d, f.b), cross(f.d, d.b)),
                 add(cross(d.b, f.c), cross(f.b, d.c))};
}

DV_INLINE Sym gram(Edges f)
{
  return (Sym){dot(f.b, f.b), dot(f.c, f.c), dot(f.d, f.d), dot(f.b, f.c), dot(f.c, f.d), dot(f.d, f.b)};
}
DV_INLINE Sym gram_change(Edges f, Edges d)
{
  dvPack two = dv_pack(2);
  return (Sym){two * dot(f.b, d.b),           two * dot(f.c, d.c),           two * dot(f.d, d.d),
               dot(f.b, d.c) + dot(d.b, f.c), dot(f.c, d.d) + dot(d.c, f.d), dot(f.d, d.b) + dot(d.d, f.b)};
}
// matrix of columns times a symmetric one
DV_INLINE Edges times(Edges f, Sym s)
{
  return (Edges){add(add(scale(f.b, s.xx), scale(f.c, s.xy)), scale(f.d, s.zx)),
                 add(add(scale(f.b, s.xy), scale(f.c, s.yy)), scale(f.d, s.yz)),
                 add(add(scale(f.b, s.zx), scale(f.c, s.yz)), scale(f.d, s.zz))};
}
DV_INLINE dvPack inner_sym(Sym a, Sym b)
{
  return a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + dv_pack(2) * (a.xy * b.xy + a.yz * b.yz + a.zx * b.zx);
}

DV_INLINE Sym load_sym(const double *p)
{
  return (Sym){dv_pack_load(p),      dv_pack_load(p + 4),  dv_pack_load(p + 8),
               dv_pack_load(p + 12), dv_pack_load(p + 16), dv_pack_load(p + 20)};
}
DV_INLINE void store_sym(double *p, Sym s)
{
  const dvPack *numbers = (const dvPack *)&s;
  for (int i = 0; i < 6; i++) dv_pack_store(p + DV_LANES * i, numbers[i]);
}

DV_INLINE bool has_second(dvHyperLaw law)
{
  return law == DV_ST_VENANT_KIRCHHOFF || law == DV_MOONEY_RIVLIN || law == DV_VERONDA_WESTMANN;
}

// --- isotropic laws: keeps F, W1 W2 WJ W11 W1J W2J WJJ ---

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

DV_INLINE Edges isotropic_stress(Data *h, dvHyperLaw law, Edges f, dvPack volume, double *kept)
{
  Edges co = cofactor(f);
  Terms t = terms_of(h, law, f, co);
  dvPack two = dv_pack(2), *numbers = (dvPack *)&t;
  for (int i = 1; i < 8; i++) numbers[i] *= volume;
  if (kept)
    for (int i = 0; i < 7; i++) dv_pack_store(kept + DV_LANES * i, numbers[1 + i]);
  Edges p = combine(f, two * (t.w1 + (has_second(law) ? norm2(f) * t.w2 : dv_pack(0))), co, t.wj);
  return has_second(law) ? combine(p, dv_pack(1), times(f, gram(f)), -two * t.w2) : p;
}

DV_INLINE Edges isotropic_change(dvHyperLaw law, Edges f, Edges d, const double *n)
{
  Edges co = cofactor(f);
  dvPack w1 = dv_pack_load(n), w2 = dv_pack_load(n + 4), wj = dv_pack_load(n + 8), w11 = dv_pack_load(n + 12),
         w1j = dv_pack_load(n + 16);
  dvPack w2j = dv_pack_load(n + 20), wjj = dv_pack_load(n + 24), two = dv_pack(2), one = dv_pack(1);
  dvPack di1 = two * inner(f, d), dj = inner(co, d), dw1 = w11 * di1 + w1j * dj, dwj = w1j * di1 + wjj * dj;
  if (!has_second(law)) {
    Edges p = combine(combine(f, two * dw1, d, two * w1), one, cofactor_change(f, d), wj);
    return combine(p, one, co, dwj);
  }
  Sym c = gram(f);
  dvPack i1 = norm2(f), dw2 = w2j * dj;
  Edges fc = times(f, c);
  dwj += w2j * (i1 * di1 - two * inner(fc, d));
  Edges p = combine(f, two * (dw1 + i1 * dw2 + w2 * di1), d, two * (w1 + i1 * w2));
  p = combine(p, one, combine(fc, dw2, combine(times(d, c), one, times(f, gram_change(f, d)), one), w2), -two);
  p = combine(p, one, cofactor_change(f, d), wj);
  return combine(p, one, co, dwj);
}

// --- Holzapfel and Ogden: an isotropic part, and fibres along the first and sheets along the second axis; keeps what
// the isotropic part does, and Wf Wff Ws Wss Wx Wxx ---

DV_INLINE Edges holzapfel_ogden_stress(Data *h, Edges f, dvPack volume, double *kept)
{
  Edges p = isotropic_stress(h, DV_HOLZAPFEL_OGDEN, f, volume, kept);
  FibreTerms t = fibre_terms(h->parameters + 2, dot(f.b, f.b), dot(f.c, f.c), dot(f.b, f.c));
  dvPack two = dv_pack(2), *numbers = (dvPack *)&t;
  for (int i = 1; i < 7; i++) numbers[i] *= volume;
  if (kept)
    for (int i = 0; i < 6; i++) dv_pack_store(kept + DV_LANES * (7 + i), numbers[1 + i]);
  p.b = add(p.b, add(scale(f.b, two * t.f), scale(f.c, t.x)));
  p.c = add(p.c, add(scale(f.c, two * t.s), scale(f.b, t.x)));
  return p;
}

DV_INLINE Edges holzapfel_ogden_change(Edges f, Edges d, const double *n)
{
  Edges p = isotropic_change(DV_HOLZAPFEL_OGDEN, f, d, n);
  const double *last = n + DV_LANES * 7;
  dvPack two = dv_pack(2), wf = dv_pack_load(last), wff = dv_pack_load(last + 4), ws = dv_pack_load(last + 8),
         wss = dv_pack_load(last + 12), wx = dv_pack_load(last + 16), wxx = dv_pack_load(last + 20);
  dvPack df = two * wff * two * dot(f.b, d.b), ds = two * wss * two * dot(f.c, d.c),
         dx = wxx * (dot(f.b, d.c) + dot(d.b, f.c));
  p.b = add(p.b, add(add(scale(f.b, df), scale(d.b, two * wf)), add(scale(f.c, dx), scale(d.c, wx))));
  p.c = add(p.c, add(add(scale(f.c, ds), scale(d.c, two * ws)), add(scale(f.b, dx), scale(d.b, wx))));
  return p;
}

// --- J of the other laws ---

typedef struct {
  dvPack j, kept, inverse, log;
} Volume;   // inverse: 1/J, 0 where J is below the smallest

DV_INLINE Volume volume_of(Edges f, Edges co)
{
  dvPack j = dot(f.b, co.b), least = dv_pack(DV_SMALLEST_J);
  dvPackMask large = j > least;
  dvPack kept = dv_pack_select(large, j, least);
  return (Volume){j, kept, dv_pack_select(large, dv_pack(1) / kept, dv_pack(0)), pack_log(kept)};
}

// --- Costa: A = b E, r = -2/3 Q; keeps F, V a exp(..) J^-4/3, Q, J^-4/3, U', U'' ---

DV_INLINE Sym weighted(const double *b, Sym e)   // b: xx xy yy xz yz zz
{
  return (Sym){dv_pack(b[0]) * e.xx, dv_pack(b[2]) * e.yy, dv_pack(b[5]) * e.zz,
               dv_pack(b[1]) * e.xy, dv_pack(b[4]) * e.yz, dv_pack(b[3]) * e.zx};
}

DV_INLINE Sym green(Edges f)
{
  Sym c = gram(f);
  dvPack half = dv_pack(0.5), one = dv_pack(1);
  return (Sym){half * (c.xx - one), half * (c.yy - one), half * (c.zz - one), half * c.xy, half * c.yz, half * c.zx};
}

DV_INLINE Edges costa_stress(Data *h, Edges f, dvPack volume, double *kept)
{
  const double *p = h->parameters;
  Edges co = cofactor(f);
  Volume v = volume_of(f, co);
  Sym e = green(f), a = weighted(p + 2, e);
  dvPack q = inner_sym(a, e), power = pack_exp(dv_pack(-4.0 / 3) * v.log), most = dv_pack(DV_LARGEST_EXPONENT),
         exponent = power * q;
  dvPack growth = volume * dv_pack(p[0]) * power * pack_exp(dv_pack_select(exponent > most, most, exponent));
  dvPack slope = volume * dv_pack(p[1]) / v.kept, pressure = volume * dv_pack(p[1]) * v.log + slope * (v.j - v.kept);
  const dvPack numbers[5] = {growth, q, power, pressure, slope};
  if (kept)
    for (int i = 0; i < 5; i++) dv_pack_store(kept + DV_LANES * i, numbers[i]);
  return combine(times(f, a), growth, co, pressure - dv_pack(2.0 / 3) * growth * q * v.inverse);
}

DV_INLINE Edges costa_change(Data *h, Edges f, Edges d, const double *n)
{
  Edges co = cofactor(f);
  dvPack growth = dv_pack_load(n), q = dv_pack_load(n + 4), power = dv_pack_load(n + 8),
         pressure = dv_pack_load(n + 12), slope = dv_pack_load(n + 16);
  dvPack j = dot(f.b, co.b), one = dv_pack(1), dj = inner(co, d), third = dv_pack(2.0 / 3);
  dvPack inverse = dv_pack_select(j > dv_pack(DV_SMALLEST_J), one / j, dv_pack(0)), dl = inverse * dj;
  Sym a = weighted(h->parameters + 2, green(f)), change = gram_change(f, d), half = weighted(h->parameters + 2, change);
  dvPack dq = inner_sym(a, change), rate = growth * (power * (dq - dv_pack(4.0 / 3) * q * dl) - dv_pack(4.0 / 3) * dl);
  Edges p = combine(combine(times(d, a), growth, times(f, half), dv_pack(0.5) * growth), one, times(f, a), rate);
  p = combine(p, one, cofactor_change(f, d), pressure - third * growth * q * inverse);
  return combine(p, one, co, slope * dj - third * inverse * (rate * q + growth * (dq - q * dl)));
}

// --- Ogden: A = C^m with m = a/2 - 1, r = -tr C^(m + 1) / 3; keeps F, axes of C, divided powers, C^m, V mu/a J^-a/3,
// the trace, U', U'' ---

// one rotation of Jacobi's method: clears entry pq of a symmetric matrix with entries at [p][q]
DV_INLINE void rotate(dvPack a[3][3], Edges *axes, int p, int q)
{
  int r = 3 - p - q;
  dvPack one = dv_pack(1), off = a[p][q], gap = dv_pack(0.5) * (a[q][q] - a[p][p]),
         root = square_root(gap * gap + off * off);
  dvPack bottom = gap + dv_pack_select(gap < dv_pack(0), -root, root),
         tangent = dv_pack_select(off == dv_pack(0), dv_pack(0), off / unless_zero(bottom));
  dvPack cosine = one / square_root(one + tangent * tangent), sine = tangent * cosine, pr = a[p][r], qr = a[q][r];
  a[p][p] -= tangent * off;
  a[q][q] += tangent * off;
  a[p][q] = a[q][p] = dv_pack(0);
  a[p][r] = a[r][p] = cosine * pr - sine * qr;
  a[q][r] = a[r][q] = sine * pr + cosine * qr;
  Vec *columns = (Vec *)axes, x = columns[p], y = columns[q];
  columns[p] = sub(scale(x, cosine), scale(y, sine));
  columns[q] = add(scale(x, sine), scale(y, cosine));
}

DV_INLINE Edges eigen(Sym c, dvPack values[3])
{
  dvPack a[3][3] = {{c.xx, c.xy, c.zx}, {c.xy, c.yy, c.yz}, {c.zx, c.yz, c.zz}}, zero = dv_pack(0), one = dv_pack(1);
  Edges axes = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
  for (int sweep = 0; sweep < 8; sweep++) {
    dvPack off = a[0][1] * a[0][1] + a[1][2] * a[1][2] + a[0][2] * a[0][2],
           size = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
    if (!any(off > dv_pack(1e-34) * size)) break;
    rotate(a, &axes, 0, 1);
    rotate(a, &axes, 0, 2);
    rotate(a, &axes, 1, 2);
  }
  for (int i = 0; i < 3; i++) values[i] = dv_pack_select(a[i][i] > dv_pack(1e-8), a[i][i], dv_pack(1e-8));
  return axes;
}

// sum of s_i v_i v_i^T
DV_INLINE Sym from_axes(Edges v, const dvPack s[3])
{
  Vec x = v.b, y = v.c, z = v.d, a = scale(x, s[0]), b = scale(y, s[1]), c = scale(z, s[2]);
  return (Sym){a.x * x.x + b.x * y.x + c.x * z.x, a.y * x.y + b.y * y.y + c.y * z.y, a.z * x.z + b.z * y.z + c.z * z.z,
               a.x * x.y + b.x * y.y + c.x * z.y, a.y * x.z + b.y * y.z + c.y * z.z, a.z * x.x + b.z * y.x + c.z * z.x};
}

// log(1 + d) / d
DV_INLINE dvPack log_slope(dvPack d)
{
  dvPack one = dv_pack(1), s = d / (dv_pack(2) + d), z = s * s, series = dv_pack(1.0 / 17);
  dvPackMask near = size_of(d) < dv_pack(0.2);
  for (int i = 15; i > 0; i -= 2) series = series * z + dv_pack(1.0 / i);
  dvPack far = pack_log(dv_pack_select(near, one, one + d)) / dv_pack_select(near, one, d);
  return dv_pack_select(near, dv_pack(2) * series / (dv_pack(2) + d), far);
}

// (exp(u) - 1) / u
DV_INLINE dvPack exp_slope(dvPack u)
{
  dvPack one = dv_pack(1), series = one;
  dvPackMask near = size_of(u) < dv_pack(0.5);
  for (int i = 15; i > 1; i--) series = series * u * dv_pack(1.0 / i) + one;
  return dv_pack_select(near, series, (pack_exp(u) - one) / dv_pack_select(near, one, u));
}

// (x^m - y^m) / (x - y), also for x near y; y^m is given
DV_INLINE dvPack divided_power(dvPack x, dvPack y, dvPack ym, double m)
{
  dvPack d = (x - y) / y, slope = log_slope(d);
  return dv_pack(m) * ym / y * slope * exp_slope(dv_pack(m) * d * slope);
}

// symmetric matrix in the axes: rows of v . s v
DV_INLINE Sym to_axes(Edges v, Sym s)
{
  Edges t = {{s.xx, s.xy, s.zx}, {s.xy, s.yy, s.yz}, {s.zx, s.yz, s.zz}};   // columns of s
  Vec x = to_world(t, v.b), y = to_world(t, v.c), z = to_world(t, v.d);
  return (Sym){dot(v.b, x), dot(v.c, y), dot(v.d, z), dot(v.b, y), dot(v.c, z), dot(v.d, x)};
}

DV_INLINE Sym to_world_sym(Edges v, Sym s)
{
  Edges rows = {{v.b.x, v.c.x, v.d.x}, {v.b.y, v.c.y, v.d.y}, {v.b.z, v.c.z, v.d.z}};   // the transposed matrix
  return to_axes(rows, s);
}

// slopes of l^m between the stretches, in the axes
DV_INLINE Sym divided_powers(const dvPack l[3], const dvPack power[3], double m)
{
  return (Sym){dv_pack(m) * power[0] / l[0],           dv_pack(m) * power[1] / l[1],
               dv_pack(m) * power[2] / l[2],           divided_power(l[0], l[1], power[1], m),
               divided_power(l[1], l[2], power[2], m), divided_power(l[2], l[0], power[0], m)};
}

DV_INLINE Edges ogden_stress(Data *h, Edges f, dvPack volume, double *kept)
{
  double mu = h->parameters[0], a = h->parameters[1], bulk = h->parameters[2], m = 0.5 * a - 1;
  Edges co = cofactor(f);
  Volume v = volume_of(f, co);
  dvPack l[3], power[3], trace = dv_pack(0);
  Edges axes = eigen(gram(f), l);
  for (int i = 0; i < 3; i++) {
    power[i] = pack_exp(dv_pack(m) * pack_log(l[i]));
    trace += power[i] * l[i];
  }
  Sym c = from_axes(axes, power);
  dvPack growth = volume * dv_pack(mu / a) * pack_exp(dv_pack(-a / 3) * v.log), one = dv_pack(1),
         part = volume * dv_pack(bulk) / v.kept;
  dvPack slope = part * (one - v.log) / v.kept, pressure = part * v.log + slope * (v.j - v.kept);
  if (kept) {
    const dvPack numbers[4] = {growth, trace, pressure, slope};
    store_edges(kept, axes);
    store_sym(kept + DV_LANES * 9, divided_powers(l, power, m));
    store_sym(kept + DV_LANES * 15, c);
    for (int i = 0; i < 4; i++) dv_pack_store(kept + DV_LANES * (21 + i), numbers[i]);
  }
  return combine(times(f, c), growth, co, pressure - growth * trace * v.inverse * dv_pack(1.0 / 3));
}

DV_INLINE Edges ogden_change(Data *h, Edges f, Edges d, const double *n)
{
  double a = h->parameters[1];
  Edges co = cofactor(f), axes = load_edges(n);
  Sym divided = load_sym(n + DV_LANES * 9), c = load_sym(n + DV_LANES * 15), change = gram_change(f, d),
      own = to_axes(axes, change);
  const double *last = n + DV_LANES * 21;
  dvPack growth = dv_pack_load(last), trace = dv_pack_load(last + 4), pressure = dv_pack_load(last + 8),
         slope = dv_pack_load(last + 12);
  dvPack j = dot(f.b, co.b), one = dv_pack(1), third = dv_pack(1.0 / 3), dj = inner(co, d);
  dvPack inverse = dv_pack_select(j > dv_pack(DV_SMALLEST_J), one / j, dv_pack(0)), dl = inverse * dj;
  own = (Sym){own.xx * divided.xx, own.yy * divided.yy, own.zz * divided.zz,
              own.xy * divided.xy, own.yz * divided.yz, own.zx * divided.zx};
  dvPack dtrace = dv_pack(0.5 * a) * inner_sym(c, change), rate = dv_pack(-a / 3) * growth * dl;
  Edges p = combine(combine(times(d, c), growth, times(f, to_world_sym(axes, own)), growth), one, times(f, c), rate);
  p = combine(p, one, cofactor_change(f, d), pressure - third * growth * trace * inverse);
  return combine(p, one, co, slope * dj - third * inverse * (rate * trace + growth * (dtrace - trace * dl)));
}

// --- by S and D = dS/dC, as finite elements do it otherwise: for comparison ---

static void evaluate_lane(Data *h, size_t pack, Edges f, double *kept, int lane, bool changes)
{
  double numbers[9 * DV_LANES], volume = h->rest[DV_LANES * DV_HYPER_REST * pack + (size_t)lane], s[6], d[6][6];
  store_edges(numbers, f);
  dvMat3 one = dv_mat3_transpose(lane_of(numbers, lane));   // stored by columns
  dv_hyper_evaluate(h->law, h->parameters, one, s, changes ? d : NULL);
  double *out = kept + lane;
  for (int i = 0; i < 6; i++, out += DV_LANES) *out = volume > 0 ? volume * s[i] : 0;
  for (int i = 0; i < 6 && changes; i++)
    for (int j = i; j < 6; j++, out += DV_LANES) *out = volume > 0 ? volume * d[i][j] : 0;
}

DV_INLINE Edges tensor_stress(Data *h, size_t pack, Edges f, double *kept)
{
  double stress[DV_LANES * 6], *to = kept ? kept : stress;
  for (int lane = 0; lane < DV_LANES; lane++) evaluate_lane(h, pack, f, to, lane, kept != NULL);
  return times(f, load_sym(to));
}

DV_INLINE Edges tensor_change(Edges f, Edges d, const double *n)
{
  const double *upper = n + DV_LANES * 6;
  Sym change = gram_change(f, d);
  dvPack two = dv_pack(2), one = dv_pack(1),
         in[6] = {change.xx, change.yy, change.zz, two * change.xy, two * change.yz, two * change.zx}, out[6];
  for (int i = 0; i < 6; i++) out[i] = dv_pack(0);
  for (int i = 0; i < 6; i++)
    for (int j = i; j < 6; j++, upper += DV_LANES) {
      dvPack entry = dv_pack_load(upper);
      out[i] += entry * in[j];
      if (j > i) out[j] += entry * in[i];
    }
  Sym ds = {out[0], out[1], out[2], out[3], out[4], out[5]};
  return combine(times(d, load_sym(n)), one, times(f, ds), one);
}

#endif
