// One piece of hyperelastic material: energy, stress and its derivative. See hyper.h for the laws.
//
// With S = 2 dW/dC and a change H of C,
//   isotropic:  dS = 2 dW1 1 + 2 dW2 (I1 1 - C) + 2 W2 (tr H 1 - H) + d(J WJ) C^-1 - J WJ C^-1 H C^-1
//   Ogden:      dC^m in the axes of C: (l_i^m - l_j^m) / (l_i - l_j) H_ij
#include "force/fem/hyper/hyper_terms.h"

const int dv_hyper_parameters[DV_HYPER_LAWS] = {2, 2, 2, 3, 3, 8, 3, 2, 9, 2};

// order of the six numbers of a symmetric matrix
static const int row_of[6] = {0, 1, 2, 0, 1, 2}, column_of[6] = {0, 1, 2, 1, 2, 0};

static dvMat3 unit_change(int k)   // of C: both entries of a shear
{
  dvMat3 h = {0};
  h.m[row_of[k]][column_of[k]] = h.m[column_of[k]][row_of[k]] = 1;
  return h;
}

static double inner(dvMat3 a, dvMat3 b)
{
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += a.m[i / 3][i % 3] * b.m[i / 3][i % 3];
  return sum;
}

static dvMat3 plus(dvMat3 a, double k, dvMat3 b) { return dv_mat3_add(a, dv_mat3_scale(b, k)); }

// --- what all laws have in common ---

typedef struct Piece {
  dvHyperLaw law;
  const double *p;
  dvMat3 c, inverse;                           // C and C^-1
  double moves;                                // 1, or 0 where J is below the smallest and powers of J do not change
  double i1, i2, j, kept;                      // kept: J, but not below the smallest
  Terms terms;                                 // isotropic laws
  double values[3], powers[3], trace, scale;   // Ogden: eigenvalues of C, those of C^(a/2 - 1), tr C^(a/2), J^(-a/3)
  dvMat3 axes, power;
  double q, growth;   // Costa: Q and a exp(J^-4/3 Q) J^-4/3
} Piece;

static dvMat3 safe_inverse(dvMat3 c)
{
  dvMat3 co = dv_mat3_cofactor(c);
  double det = dv_vec3_dot(dv_mat3_row(c, 0), dv_mat3_row(co, 0));
  return dv_mat3_scale(co, 1 / (det > 1e-12 ? det : 1e-12));
}

// --- Costa ---

static dvMat3 weighted(const Piece *w, dvMat3 e)
{
  const double *b = w->p + 2;   // xx xy yy xz yz zz
  const double weight[3][3] = {{b[0], b[1], b[3]}, {b[1], b[2], b[4]}, {b[3], b[4], b[5]}};
  for (int i = 0; i < 9; i++) e.m[i / 3][i % 3] *= weight[i / 3][i % 3];
  return e;
}

static dvMat3 green(const Piece *w) { return dv_mat3_scale(dv_mat3_sub(w->c, dv_mat3_identity()), 0.5); }

static double costa_energy(Piece *w)
{
  dvMat3 e = green(w);
  double power = pow(w->kept, -4.0 / 3), bend = w->p[1] / w->kept, gap = w->j - w->kept, l = log(w->kept);
  w->q = inner(weighted(w, e), e);
  double exponential = exp(dv_min(power * w->q, DV_LARGEST_EXPONENT));
  w->growth = w->p[0] * exponential * power;
  return 0.5 * w->p[0] * (exponential - 1) + w->p[1] * (w->kept * l - w->kept + 1) +
         gap * (w->p[1] * l + 0.5 * bend * gap);
}

// J dU/dJ of the volume term U, and J times the derivative of that
static double costa_pressure(const Piece *w) { return w->p[1] * w->j * (log(w->kept) + (w->j - w->kept) / w->kept); }
static double costa_pressure_change(const Piece *w) { return costa_pressure(w) + w->p[1] * w->j * w->j / w->kept; }

static dvMat3 costa_stress(const Piece *w)
{
  dvMat3 u = plus(weighted(w, green(w)), -2.0 / 3 * w->moves * w->q, w->inverse);
  return plus(dv_mat3_scale(u, w->growth), costa_pressure(w), w->inverse);
}

static dvMat3 costa_change(const Piece *w, dvMat3 h)
{
  dvMat3 ue = weighted(w, green(w)), turned = dv_mat3_mul(w->inverse, dv_mat3_mul(h, w->inverse)),
         u = plus(ue, -2.0 / 3 * w->moves * w->q, w->inverse);
  double dl = 0.5 * inner(w->inverse, h), dm = w->moves * dl, dq = inner(ue, h), power = pow(w->kept, -4.0 / 3);
  dvMat3 du = plus(plus(dv_mat3_scale(weighted(w, h), 0.5), -2.0 / 3 * w->moves * dq, w->inverse),
                   2.0 / 3 * w->moves * w->q, turned);
  double rate = -4.0 / 3 * dm + power * (dq - 4.0 / 3 * w->q * dm);   // of the growth
  dvMat3 ds = dv_mat3_scale(plus(du, rate, u), w->growth);
  return plus(plus(ds, costa_pressure_change(w) * dl, w->inverse), -costa_pressure(w), turned);
}

// --- Ogden ---

static double ogden_energy(Piece *w)
{
  double mu = w->p[0], a = w->p[1], k = w->p[2], l = log(w->kept), gap = w->j - w->kept;
  dvVec3 values;
  dv_eigen_symmetric(&w->c, &values, &w->axes);
  const double given[3] = {values.x, values.y, values.z};
  dvMat3 diagonal = {0};
  w->trace = 0;
  for (int i = 0; i < 3; i++) {
    w->values[i] = dv_max(given[i], 1e-8);
    w->powers[i] = pow(w->values[i], 0.5 * a - 1);
    w->trace += w->powers[i] * w->values[i];
    diagonal.m[i][i] = w->powers[i];
  }
  w->power = dv_mat3_mul_t(dv_mat3_mul(w->axes, diagonal), w->axes);
  w->scale = pow(w->kept, -a / 3);
  return mu / (a * a) * (w->scale * w->trace - 3) + 0.5 * k * l * l +
         gap * k / w->kept * (l + 0.5 * gap * (1 - l) / w->kept);
}

static double ogden_pressure(const Piece *w)
{
  double l = log(w->kept);
  return w->p[2] * w->j / w->kept * (l + (w->j - w->kept) * (1 - l) / w->kept);
}
static double ogden_pressure_change(const Piece *w)
{
  return ogden_pressure(w) + w->p[2] * (1 - log(w->kept)) * w->j * w->j / (w->kept * w->kept);
}

static dvMat3 ogden_stress(const Piece *w)
{
  double mu = w->p[0], a = w->p[1];
  dvMat3 s = dv_mat3_scale(plus(w->power, -w->moves * w->trace / 3, w->inverse), w->scale * mu / a);
  return plus(s, ogden_pressure(w), w->inverse);
}

// (x^m - y^m) / (x - y), also for x near y
static double divided_power(double x, double y, double m)
{
  double d = (x - y) / y;
  return pow(y, m - 1) * (d != 0 ? expm1(m * log1p(d)) / d : m);
}

static dvMat3 ogden_change(const Piece *w, dvMat3 h)
{
  double mu = w->p[0], a = w->p[1], part = inner(w->inverse, h);
  dvMat3 turned = dv_mat3_mul(w->inverse, dv_mat3_mul(h, w->inverse)),
         own = dv_mat3_t_mul(w->axes, dv_mat3_mul(h, w->axes));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) own.m[i][j] *= divided_power(w->values[i], w->values[j], 0.5 * a - 1);
  dvMat3 ds = dv_mat3_mul_t(dv_mat3_mul(w->axes, own), w->axes);
  ds = plus(ds, -a / 6 * w->moves * part, plus(w->power, -w->moves * w->trace / 3, w->inverse));
  ds = plus(plus(ds, -a / 6 * w->moves * inner(w->power, h), w->inverse), w->moves * w->trace / 3, turned);
  ds = dv_mat3_scale(ds, w->scale * mu / a);
  return plus(plus(ds, 0.5 * part * ogden_pressure_change(w), w->inverse), -ogden_pressure(w), turned);
}

// --- isotropic laws ---

static dvMat3 isotropic_stress(const Piece *w)
{
  const Terms *t = &w->terms;
  dvMat3 s = dv_mat3_scale(dv_mat3_identity(), 2 * (t->w1[0] + w->i1 * t->w2[0]));
  return plus(plus(s, -2 * t->w2[0], w->c), w->j * t->wj[0], w->inverse);
}

static dvMat3 isotropic_change(const Piece *w, dvMat3 h)
{
  const Terms *t = &w->terms;
  dvMat3 one = dv_mat3_identity(), turned = dv_mat3_mul(w->inverse, dv_mat3_mul(h, w->inverse));
  double di1 = dv_mat3_trace(h), di2 = w->i1 * di1 - inner(w->c, h), dj = 0.5 * w->j * inner(w->inverse, h);
  double dw1 = t->w11[0] * di1 + t->w1j[0] * dj, dw2 = t->w2j[0] * dj,
         dwj = t->w1j[0] * di1 + t->w2j[0] * di2 + t->wjj[0] * dj;
  dvMat3 ds = dv_mat3_scale(one, 2 * (dw1 + dw2 * w->i1 + t->w2[0] * di1));
  ds = plus(plus(ds, -2 * dw2, w->c), -2 * t->w2[0], h);
  return plus(plus(ds, dj * t->wj[0] + w->j * dwj, w->inverse), -w->j * t->wj[0], turned);
}

// --- fibres of Holzapfel and Ogden ---

static double add_fibres(const Piece *w, double s[6], double d[6][6])
{
  FibreTerms t = fibre_terms(w->p + 2, dv_pack(w->c.m[0][0]), dv_pack(w->c.m[1][1]), dv_pack(w->c.m[0][1]));
  if (s) s[0] += 2 * t.f[0], s[1] += 2 * t.s[0], s[3] += t.x[0];
  if (d) d[0][0] += 2 * t.ff[0], d[1][1] += 2 * t.ss[0], d[3][3] += 0.5 * t.xx[0];
  return t.w[0];
}

double dv_hyper_evaluate(dvHyperLaw law, const double *parameters, dvMat3 f, double s[6], double d[6][6])
{
  dvMat3 c = dv_mat3_t_mul(f, f);
  double i1 = dv_mat3_trace(c), j = dv_mat3_det(f);
  Piece w = {.law = law,
             .p = parameters,
             .c = c,
             .inverse = safe_inverse(c),
             .i1 = i1,
             .i2 = 0.5 * (i1 * i1 - inner(c, c)),
             .j = j,
             .kept = dv_max(j, DV_SMALLEST_J),
             .moves = j > DV_SMALLEST_J};
  bool costa = law == DV_COSTA, ogden = law == DV_OGDEN;
  if (!costa && !ogden) w.terms = isotropic_terms(law, parameters, dv_pack(w.i1), dv_pack(w.i2), dv_pack(j));
  double energy = costa ? costa_energy(&w) : ogden ? ogden_energy(&w) : w.terms.w[0];
  dvMat3 stress = costa ? costa_stress(&w) : ogden ? ogden_stress(&w) : isotropic_stress(&w);
  for (int i = 0; i < 6 && s; i++) s[i] = stress.m[row_of[i]][column_of[i]];
  for (int k = 0; k < 6 && d; k++) {
    dvMat3 h = unit_change(k), ds = costa ? costa_change(&w, h) : ogden ? ogden_change(&w, h) : isotropic_change(&w, h);
    // a shear of H counts twice in the vector
    for (int i = 0; i < 6; i++) d[i][k] = ds.m[row_of[i]][column_of[i]] * (k < 3 ? 1 : 0.5);
  }
  if (law == DV_HOLZAPFEL_OGDEN) energy += add_fibres(&w, s, d);
  return energy;
}
