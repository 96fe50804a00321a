// Derivatives of isotropic energies W(I1, I2, J), four at a time. Shared by the kernels and the evaluation of one piece
// of material: see hyper.h for the laws. All of them are linear in I2 and have no term in I1 and I2 both.
#ifndef DV_FORCE_FEM_HYPER_HYPER_TERMS_H
#define DV_FORCE_FEM_HYPER_HYPER_TERMS_H

#include "element/pack_math.h"
#include "force/fem/hyper/hyper.h"

typedef struct {
  dvPack w, w1, w2, wj, w11, w1j, w2j, wjj;
} Terms;

#define DV_SMALLEST_J 0.01
#define DV_LARGEST_EXPONENT 100.0   // of exponential laws: crushed elements stay finite

// derivatives by I1, I2 and l = ln J
typedef struct {
  dvPack w, w1, w2, wl, w11, w1l, w2l, wll;
} LogTerms;

// adds G(x), x = J^-2/3 I1, given G' and G''
DV_INLINE void add_first(LogTerms *t, dvPack i1, dvPack power, dvPack g1, dvPack g2)
{
  dvPack x = i1 * power, slope = g1 + g2 * x;
  t->w1 += g1 * power;
  t->wl += dv_pack(-2.0 / 3) * g1 * x;
  t->w11 += g2 * power * power;
  t->w1l += dv_pack(-2.0 / 3) * power * slope;
  t->wll += dv_pack(4.0 / 9) * x * slope;
}

// adds c (J^-4/3 I2 - 3)
DV_INLINE void add_second(LogTerms *t, dvPack i2, dvPack power, dvPack c)
{
  dvPack part = c * power * power;
  t->w += part * i2 - dv_pack(3) * c;
  t->w2 += part;
  t->wl += dv_pack(-4.0 / 3) * part * i2;
  t->w2l += dv_pack(-4.0 / 3) * part;
  t->wll += dv_pack(16.0 / 9) * part * i2;
}

DV_INLINE LogTerms log_terms(dvHyperLaw law, const double *p, dvPack i1, dvPack i2, dvPack l)
{
  dvPack zero = dv_pack(0), first = dv_pack(p[0]), second = dv_pack(p[1]), third = dv_pack(p[2]), half = dv_pack(0.5),
         three = dv_pack(3);
  LogTerms t = {zero, zero, zero, zero, zero, zero, zero, zero};
  if (law == DV_NEO_HOOKEAN) {
    t.w = half * first * (i1 - three) - first * l + half * second * l * l;
    t.w1 = half * first;
    t.wl = second * l - first;
    t.wll = second;
    return t;
  }
  if (law == DV_SPLIT_NEO_HOOKEAN) {
    dvPack shrunk = pack_exp(dv_pack(-2.0 / 3) * l);
    t.w = half * first * (i1 * shrunk - three);
    add_first(&t, i1, shrunk, half * first, zero);
    return t;
  }
  dvPack power = pack_exp(dv_pack(-2.0 / 3) * l), x = i1 * power,
         bulk = law == DV_ARRUDA_BOYCE      ? second
                : law == DV_HOLZAPFEL_OGDEN ? dv_pack(p[8])
                                            : third;
  if (law == DV_ARRUDA_BOYCE) {
    // inverse Langevin function, chains of 8 links
    const double c1 = 0.5, c2 = 1.0 / 160, c3 = 11.0 / (1050.0 * 64), c4 = 19.0 / (7000.0 * 512),
                 c5 = 519.0 / (673750.0 * 4096);
    dvPack g = (((dv_pack(c5) * x + dv_pack(c4)) * x + dv_pack(c3)) * x + dv_pack(c2)) * x + dv_pack(c1);
    dvPack g1 =
        (((dv_pack(5 * c5) * x + dv_pack(4 * c4)) * x + dv_pack(3 * c3)) * x + dv_pack(2 * c2)) * x + dv_pack(c1);
    dvPack g2 = ((dv_pack(20 * c5) * x + dv_pack(12 * c4)) * x + dv_pack(6 * c3)) * x + dv_pack(2 * c2);
    t.w = first * (g * x - dv_pack((((c5 * 3 + c4) * 3 + c3) * 3 + c2) * 9 + c1 * 3));
    add_first(&t, i1, power, first * g1, first * g2);
  } else if (law == DV_MOONEY_RIVLIN) {
    t.w = first * (x - three);
    add_first(&t, i1, power, first, zero);
    add_second(&t, i2, power, second);
  } else if (law == DV_HOLZAPFEL_OGDEN) {
    dvPack argument = second * (x - three), most = dv_pack(DV_LARGEST_EXPONENT);
    dvPack e = pack_exp(dv_pack_select(argument > most, most, argument)), g1 = half * first * e;
    t.w = half * first / second * (e - dv_pack(1));
    add_first(&t, i1, power, g1, second * g1);
  } else {
    dvPack argument = second * (x - three), most = dv_pack(DV_LARGEST_EXPONENT);
    dvPack e = pack_exp(dv_pack_select(argument > most, most, argument)), g1 = first * second * e;
    t.w = first * (e - dv_pack(1));
    add_first(&t, i1, power, g1, second * g1);
    add_second(&t, i2, power, -half * first * second);
  }
  t.w += half * bulk * l * l;
  t.wl += bulk * l;
  t.wll += bulk;
  return t;
}

// What fibres of Holzapfel and Ogden's law add: first and second derivatives by C_ff, C_ss and C_fs. p: af bf as bs afs
// bfs.
typedef struct {
  dvPack w, f, ff, s, ss, x, xx;
} FibreTerms;

DV_INLINE void fibre_term(double a, double b, dvPack strain, dvPack out[3])
{
  dvPack square = dv_pack(b) * strain * strain, most = dv_pack(DV_LARGEST_EXPONENT),
         e = dv_pack(a) * pack_exp(dv_pack_select(square > most, most, square));
  out[0] = dv_pack(0.5 / b) * (e - dv_pack(a));
  out[1] = e * strain;
  out[2] = e * (dv_pack(1) + dv_pack(2) * square);
}

DV_INLINE FibreTerms fibre_terms(const double *p, dvPack cff, dvPack css, dvPack cfs)
{
  dvPack zero = dv_pack(0), one = dv_pack(1), f[3], s[3], x[3];
  dvPackMask stretched = cff > one, widened = css > one;
  fibre_term(p[0], p[1], dv_pack_select(stretched, cff - one, zero), f);
  fibre_term(p[2], p[3], dv_pack_select(widened, css - one, zero), s);
  fibre_term(p[4], p[5], cfs, x);
  return (FibreTerms){f[0] + s[0] + x[0],
                      f[1],
                      dv_pack_select(stretched, f[2], zero),
                      s[1],
                      dv_pack_select(widened, s[2], zero),
                      x[1],
                      x[2]};
}

DV_INLINE Terms isotropic_terms(dvHyperLaw law, const double *p, dvPack i1, dvPack i2, dvPack j)
{
  dvPack zero = dv_pack(0), first = dv_pack(p[0]), second = dv_pack(p[1]), half = dv_pack(0.5), three = dv_pack(3);
  if (law == DV_ST_VENANT_KIRCHHOFF) {
    dvPack s = i1 - three, quarter = dv_pack(0.25);
    return (Terms){dv_pack(0.125) * second * s * s + quarter * first * (i1 * i1 - dv_pack(2) * (i2 + i1) + three),
                   half * first * (i1 - dv_pack(1)) + quarter * second * s,
                   -half * first,
                   zero,
                   quarter * second + half * first,
                   zero,
                   zero,
                   zero};
  }
  if (law == DV_STABLE_NEO_HOOKEAN) {
    double shift = p[0] / (p[0] + p[1]);
    dvPack bulk = first + second, gap = j - dv_pack(1 + shift);
    return (Terms){half * (first * (i1 - three) + bulk * (gap * gap - dv_pack(shift * shift))),
                   half * first,
                   zero,
                   bulk * gap,
                   zero,
                   zero,
                   zero,
                   bulk};
  }
  dvPack least = dv_pack(DV_SMALLEST_J), kept = dv_pack_select(j > least, j, least), inverse = dv_pack(1) / kept,
         gap = j - kept;
  LogTerms t = log_terms(law, p, i1, i2, pack_log(kept));
  dvPack wj = t.wl * inverse, wjj = (t.wll - t.wl) * inverse * inverse;
  Terms all = {
      t.w + gap * (wj + half * wjj * gap), t.w1, t.w2, wj + wjj * gap, t.w11, t.w1l * inverse, t.w2l * inverse, wjj};
  if (law == DV_SPLIT_NEO_HOOKEAN) {
    dvPack swell = j - dv_pack(1);
    all.w += half * second * swell * swell;
    all.wj += second * swell;
    all.wjj += second;
  }
  return all;
}

#endif
