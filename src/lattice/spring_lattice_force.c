// SpringLattice as a force and a mass, in plain double arithmetic: for energies, pictures, implicit solvers above it,
// and to hold its kernels against.
//
//   f_a = T n,  df_a = (T' / l n n^T + T / r (1 - n n^T)) (dx_b - dx_a),  T = K e (1 + c e^2) + D de/dt
#include "lattice/layout.h"
#include "lattice/spring_lattice.h"

#include "math/vec.h"

#include <math.h>

typedef struct Spring {
  size_t a, b;
  dvVec3 n;
  double r, length, strain;
  const dvSpringClass *c;
} Spring;

// false when it has broken
static bool look_at(const dvSpringLattice *s, const dvLatticeDef *def, const double *x, size_t i, Spring *out)
{
  if (s->breaks && s->broken.data[i]) return false;
  out->a = (size_t)def->pairs[2 * i], out->b = (size_t)def->pairs[2 * i + 1];
  dvVec3 d = dv_vec3_sub(dv_vec3_load(x + 3 * out->b), dv_vec3_load(x + 3 * out->a));
  out->r = dv_vec3_norm(d);
  out->n = out->r > 0 ? dv_vec3_scale(d, 1 / out->r) : dv_vec3(0, 0, 0);
  out->length = dv_layout_length(def, i);
  out->c = &s->lattice->classes[def->classes[i]];
  out->strain = out->r / out->length - out->c->reach;
  return true;
}

static void bring_broken(dvSpringLattice *s, const dvLatticeDef *def)
{
  if (s->breaks) dv_lattice_broken(s->lattice, def, s->broken.data);
}

static double pull(const Spring *p) { return p->c->force * p->strain * (1 + p->c->cubic * p->strain * p->strain); }

static void lattice_add_force(dvObject *o, const dvMech *m)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (s->silent || !s->lattice) return;   // a change that did not work has left none
  dvLatticeDef def = dv_spring_lattice_def(s);
  bring_broken(s, &def);
  const double *x = dv_state_read(s->state, m->x), *v = dv_state_read(s->state, m->v);
  double *f = dv_state_write(s->state, m->f);
  Spring p;
  for (size_t i = 0; i < def.springs; i++) {
    if (!look_at(s, &def, x, i, &p)) continue;
    dvVec3 u = dv_vec3_sub(dv_vec3_load(v + 3 * p.b), dv_vec3_load(v + 3 * p.a));
    dvVec3 force = dv_vec3_scale(p.n, pull(&p) + p.c->damping * dv_vec3_dot(u, p.n) / p.length);
    dv_vec3_accumulate(f + 3 * p.a, force);
    dv_vec3_accumulate(f + 3 * p.b, dv_vec3_neg(force));
  }
}

static void lattice_add_dforce(dvObject *o, const dvMech *m)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return;
  dvLatticeDef def = dv_spring_lattice_def(s);
  const double *x = dv_state_read(s->state, m->x), *dx = dv_state_read(s->state, m->dx);
  double *df = dv_state_write(s->state, m->df);
  Spring p;
  for (size_t i = 0; i < def.springs; i++) {
    if (!look_at(s, &def, x, i, &p) || p.r == 0) continue;
    dvVec3 u = dv_vec3_sub(dv_vec3_load(dx + 3 * p.b), dv_vec3_load(dx + 3 * p.a));
    double along = dv_vec3_dot(u, p.n);
    double slope = p.c->force * (1 + 3 * p.c->cubic * p.strain * p.strain) / p.length, across = pull(&p) / p.r;
    dvVec3 force = dv_vec3_scale(dv_vec3_sub(u, dv_vec3_scale(p.n, along)), m->k * across);
    force = dv_vec3_add(force, dv_vec3_scale(p.n, along * (m->k * slope + m->b * p.c->damping / p.length)));
    dv_vec3_accumulate(df + 3 * p.a, force);
    dv_vec3_accumulate(df + 3 * p.b, dv_vec3_neg(force));
  }
}

static void lattice_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return;
  dvLatticeDef def = dv_spring_lattice_def(s);
  const double *x = dv_state_read(s->state, m->x);
  Spring p;
  for (size_t i = 0; i < def.springs; i++) {
    if (!look_at(s, &def, x, i, &p) || p.r == 0) continue;
    double slope =
        m->k * p.c->force * (1 + 3 * p.c->cubic * p.strain * p.strain) / p.length + m->b * p.c->damping / p.length;
    double across = m->k * pull(&p) / p.r, n[3] = {p.n.x, p.n.y, p.n.z}, block[9], minus[9];
    for (int k = 0; k < 9; k++) {
      block[k] = (slope - across) * n[k / 3] * n[k % 3] + (k % 4 == 0 ? across : 0);
      minus[k] = -block[k];
    }
    sink->add(sink, s->state, p.a, s->state, p.a, 3, 3, minus);
    sink->add(sink, s->state, p.b, s->state, p.b, 3, 3, minus);
    sink->add(sink, s->state, p.a, s->state, p.b, 3, 3, block);
    sink->add(sink, s->state, p.b, s->state, p.a, 3, 3, block);
  }
}

static double lattice_energy(dvObject *o, const dvMech *m)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return 0;
  dvLatticeDef def = dv_spring_lattice_def(s);
  const double *x = dv_state_read(s->state, m->x);
  double sum = 0;
  Spring p;
  for (size_t i = 0; i < def.springs; i++)
    if (look_at(s, &def, x, i, &p))
      sum += p.length * p.c->force * p.strain * p.strain * (0.5 + 0.25 * p.c->cubic * p.strain * p.strain);
  return sum;
}

static int lattice_states(dvObject *o, dvObject **out)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->state) return 0;
  out[0] = &s->state->base;
  return 1;
}

// Of very many springs those of the outside: the others are behind them, and take ten times as long to draw.
static bool outer_pairs(const dvSpringLattice *s, dvInts *out)
{
  uint8_t *on = dv_try_alloc(s->state->count + 1);
  if (!on) return false;
  size_t n = s->springs.count, count = 0;
  const int32_t *ends = s->springs.data;
  for (size_t i = 0; i < s->skin.points.count; i++) on[s->skin.points.data[i]] = 1;
  for (size_t i = 0; i < n; i += 2) count += 2 * (on[ends[i]] && on[ends[i + 1]]);
  bool good = dv_ints_resize(out, count);
  int32_t *to = good ? dv_ints_edit(out) : NULL;
  for (size_t i = 0; good && i < n; i += 2)
    if (on[ends[i]] && on[ends[i + 1]]) *to++ = ends[i], *to++ = ends[i + 1];
  dv_free(on);
  return good;
}

static void lattice_pairs(dvObject *o, dvInts *out)
{
  enum { VERY_MANY = 200000 };
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->showSprings) return;
  if (s->skin.points.count && dv_ints_size(&s->springs) > VERY_MANY && outer_pairs(s, out)) return;
  dv_ints_share(out, &s->springs);
}

const dvForceOps dv_spring_lattice_force = {.add_force = lattice_add_force,
                                            .add_dforce = lattice_add_dforce,
                                            .add_stiffness = lattice_add_stiffness,
                                            .energy = lattice_energy,
                                            .states = lattice_states,
                                            .pairs = lattice_pairs,
                                            .sketch = dv_lattice_sketch};

// --- masses --------------------------------------------------------------------------------------

static void lattice_add_mdx(dvObject *o, const dvMech *m, double factor)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return;
  const double *dx = dv_state_read(s->state, m->dx);
  double *df = dv_state_write(s->state, m->df);
  for (size_t i = 0; i < 3 * s->state->count; i++) df[i] += factor * s->mass[i / 3] * dx[i];
}

static void lattice_add_gravity(dvObject *o, const dvMech *m)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (s->silent || !s->lattice) return;
  double *f = dv_state_write(s->state, m->f);
  for (size_t i = 0; i < 3 * s->state->count; i++) f[i] += s->mass[i / 3] * m->gravity[i % 3];
}

static void lattice_add_gravity_to_v(dvObject *o, const dvMech *m)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  double *v = dv_state_write(s->state, m->v);
  for (size_t i = 0; i < 3 * s->state->count; i++) v[i] += m->dt * m->gravity[i % 3];
}

static void lattice_acc_from_f(dvObject *o, int a, int f)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return;
  const double *force = dv_state_read(s->state, f);
  double *out = dv_state_overwrite(s->state, a);
  for (size_t i = 0; i < 3 * s->state->count; i++) out[i] = force[i] / s->mass[i / 3];
}

static double lattice_kinetic(dvObject *o, int v)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return 0;
  const double *u = dv_state_read(s->state, v);
  double sum = 0;
  for (size_t i = 0; i < 3 * s->state->count; i++) sum += 0.5 * s->mass[i / 3] * u[i] * u[i];
  return sum;
}

static double lattice_potential(dvObject *o, const dvMech *m)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return 0;
  const double *x = dv_state_read(s->state, m->x);
  double sum = 0;
  for (size_t i = 0; i < 3 * s->state->count; i++) sum -= s->mass[i / 3] * m->gravity[i % 3] * x[i];
  return sum;
}

static double lattice_mass_of(dvObject *o, size_t index)
{
  const dvSpringLattice *s = (dvSpringLattice *)o;
  return s->lattice ? s->mass[index] : 0;
}

static void lattice_add_matrix(dvObject *o, double factor, dvMatrixSink *sink)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice) return;
  for (size_t i = 0; i < s->state->count; i++) {
    double m = factor * s->mass[i], block[9] = {m, 0, 0, 0, m, 0, 0, 0, m};
    sink->add(sink, s->state, i, s->state, i, 3, 3, block);
  }
}

static const double *lattice_rayleigh_mass(const dvObject *o) { return &((const dvSpringLattice *)o)->rayleighMass; }

const dvMassOps dv_spring_lattice_mass = {.add_mdx = lattice_add_mdx,
                                          .add_gravity = lattice_add_gravity,
                                          .add_gravity_to_v = lattice_add_gravity_to_v,
                                          .acc_from_f = lattice_acc_from_f,
                                          .add_matrix = lattice_add_matrix,
                                          .kinetic = lattice_kinetic,
                                          .potential = lattice_potential,
                                          .of_element = lattice_mass_of,
                                          .rayleigh_mass = lattice_rayleigh_mass};
