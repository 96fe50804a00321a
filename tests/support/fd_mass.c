// See fd.h: masses.
#include "support/fd_record.h"
#include "support/fd_space.h"

#include "support/check.h"

#include <string.h>

typedef struct MassCheck {
  dvObject *object;
  const dvMassOps *ops;
  const fdOptions *options;
  fdSpace p;
  double *m;   // n x n, by add_mdx
} MassCheck;

static void mass_matrix(MassCheck *c, double factor)
{
  size_t n = fd_space_size(&c->p);
  dvMech mech = fd_mech_of(c->object);
  double *column = fd_matrix(n, 1);
  for (size_t j = 0; j < n; j++) {
    fd_space_set_unit(&c->p, DV_DX, j);
    fd_space_fill(&c->p, DV_DF, 1);
    c->ops->add_mdx(c->object, &mech, factor);
    fd_space_get(&c->p, DV_DF, column);
    for (size_t i = 0; i < n; i++) c->m[i * n + j] = (column[i] - 1) / factor;
  }
  dv_free(column);
}

static void multiply(const double *a, const double *x, double *y, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (size_t j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
  }
}

static bool check_mass_matrix(MassCheck *c)
{
  size_t n = fd_space_size(&c->p);
  bool good = fd_check_symmetry(c->object, &c->p, c->options, c->m, "symmetry of M");
  if (!c->ops->add_matrix) return good;
  fdDenseSink sink = fd_dense_sink(&c->p, &c->p);
  c->ops->add_matrix(c->object, 0.7, &sink.sink);
  for (size_t i = 0; i < n * n; i++) sink.values[i] /= 0.7;
  good = fd_compare(c->object, c->options,
                    &(fdCompared){"assembled M", "add_matrix", "add_mdx", sink.values, c->m, &c->p, &c->p, 1e-10}) &&
         !sink.bad && good;
  dv_free(sink.values);
  return good;
}

// 1/2 v M v, and M^-1 M v = v
static bool check_mass_vectors(MassCheck *c, uint64_t *random)
{
  size_t n = fd_space_size(&c->p);
  double *v = fd_matrix(n, 1), *mv = fd_matrix(n, 1), *back = fd_matrix(n, 1);
  bool good = true;
  fd_random_fill(random, v, n);
  multiply(c->m, v, mv, n);
  if (c->ops->kinetic) {
    double wanted = 0;
    for (size_t i = 0; i < n; i++) wanted += 0.5 * v[i] * mv[i];
    fd_space_set(&c->p, DV_V, v);
    double energy = c->ops->kinetic(c->object, DV_V);
    fd_space_restore(&c->p);
    good = fabs(energy - wanted) <= c->options->energy_tolerance * fabs(wanted);
    if (!good && !c->options->quiet)
      print_error("%s: kinetic energy %.12g, 1/2 v M v %.12g\n", c->object->name, energy, wanted);
  }
  if (c->ops->acc_from_f) {
    fd_space_set(&c->p, DV_F, mv);
    c->ops->acc_from_f(c->object, DV_DX, DV_F);
    fd_space_get(&c->p, DV_DX, back);
    good = fd_compare(c->object, c->options,
                      &(fdCompared){"M^-1 M v", "acc_from_f", "v", back, v, &c->p, NULL, c->options->tolerance}) &&
           good;
  }
  dv_free(v);
  dv_free(mv);
  dv_free(back);
  return good;
}

static bool check_mass_gravity(MassCheck *c)
{
  size_t n = fd_space_size(&c->p);
  dvMech mech = fd_mech_of(c->object);
  const dvDof *dof = c->p.states[0]->base.dof;
  double *g = fd_matrix(n, 1), *wanted = fd_matrix(n, 1), *f = fd_matrix(n, 1);
  bool good = true;
  if (mech.gravity[0] == 0 && mech.gravity[1] == 0 && mech.gravity[2] == 0) mech.gravity[1] = -9.81;
  for (size_t i = 0; i < n; i++)
    if ((int)i % dof->deriv < dof->space) g[i] = mech.gravity[(int)i % dof->deriv];
  multiply(c->m, g, wanted, n);
  const dvField *separate = dv_object_field(c->object, "separateGravity");
  if (c->ops->add_gravity && !(separate && *(const bool *)separate->value)) {
    fd_space_fill(&c->p, DV_F, 0);
    c->ops->add_gravity(c->object, &mech);
    fd_space_get(&c->p, DV_F, f);
    good = fd_compare(c->object, c->options,
                      &(fdCompared){"gravity", "add_gravity", "M g", f, wanted, &c->p, NULL, c->options->tolerance});
  }
  if (c->ops->potential) {
    for (size_t j = 0; j < n; j++) {
      fd_space_move_x(&c->p, j, c->options->step);
      double plus = c->ops->potential(c->object, &mech);
      fd_space_restore(&c->p);
      fd_space_move_x(&c->p, j, -c->options->step);
      f[j] = (c->ops->potential(c->object, &mech) - plus) / (2 * c->options->step);
      fd_space_restore(&c->p);
    }
    good = fd_compare(c->object, c->options,
                      &(fdCompared){"potential energy", "-dE/dx", "M g", f, wanted, &c->p, NULL,
                                    c->options->energy_tolerance}) &&
           good;
  }
  dv_free(g);
  dv_free(wanted);
  dv_free(f);
  return good;
}

bool fd_check_mass(dvObject *mass, const fdOptions *options)
{
  MassCheck c = {.object = mass, .ops = dv_ops(mass, DV_ROLE_MASS), .options = options};
  uint64_t random = options->seed;
  bool good = true;
  DV_REQUIRE(c.ops);
  dvObject *states[DV_FORCE_STATES];   // a force that is a mass too begins with the force
  if (dv_ops(mass, DV_ROLE_FORCE)) dv_force_states(mass, states);
  else states[0] = &((dvMass *)mass)->state->base;
  fd_space_init(&c.p, states, 1);
  for (int i = 0; i < options->samples; i++) {
    fd_space_shake(&c.p, options, &random);
    c.m = fd_matrix(fd_space_size(&c.p), fd_space_size(&c.p));
    mass_matrix(&c, 0.3);
    good = check_mass_matrix(&c) && good;
    good = check_mass_vectors(&c, &random) && good;
    if (options->checks & FD_WEIGHT) good = check_mass_gravity(&c) && good;
    dv_free(c.m);
  }
  fd_space_fini(&c.p);
  if (good && options->samples > 0) fd_record(mass, DV_ROLE_MASS, "derivative");
  return good;
}
