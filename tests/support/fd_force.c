// See fd.h: forces.
#include "support/fd_record.h"
#include "support/fd_space.h"

#include "math/vec.h"
#include "support/check.h"

#include <string.h>

static void force_at(dvObject *o, const fdSpace *p, double *f)
{
  dvMech m = fd_mech_of(o);
  fd_space_fill(p, DV_F, 0);
  ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->add_force(o, &m);
  if (f) fd_space_get(p, DV_F, f);
}

const double *fd_force_on(dvObject *force, dvObject *state)
{
  dvObject *states[FD_STATES];
  fdSpace p = {.count = dv_force_states(force, states)};
  for (int i = 0; i < p.count; i++) p.states[i] = dv_state(states[i]);
  force_at(force, &p, NULL);
  return dv_state_read(dv_state(state), DV_F);
}

double fd_energy_of(dvObject *force)
{
  dvMech m = fd_mech_of(force);
  return ((const dvForceOps *)dv_ops(force, DV_ROLE_FORCE))->energy(force, &m);
}

static double energy_at(dvObject *o, const fdSpace *p)
{
  dvMech m = fd_mech_of(o);
  force_at(o, p, NULL);
  return ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->energy(o, &m);
}

// df/dx or df/dv by central differences; column by column
static void difference_forces(dvObject *o, fdSpace *p, double h, bool velocity, double *k)
{
  size_t n = fd_space_size(p);
  double *plus = fd_matrix(n, 1), *minus = fd_matrix(n, 1);
  for (size_t j = 0; j < n; j++) {
    for (int side = 0; side < 2; side++) {
      if (velocity) fd_space_move_v(p, j, side ? -h : h);
      else fd_space_move_x(p, j, side ? -h : h);
      force_at(o, p, side ? minus : plus);
      fd_space_restore(p);
    }
    for (size_t i = 0; i < n; i++) k[i * n + j] = (plus[i] - minus[i]) / (2 * h);
  }
  force_at(o, p, NULL);
  dv_free(plus);
  dv_free(minus);
}

static void dforce_matrix(dvObject *o, const fdSpace *p, double k, double b, double *out)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  size_t n = fd_space_size(p);
  double *column = fd_matrix(n, 1);
  dvMech m = fd_mech_of(o);
  m.k = k;
  m.b = b;
  for (size_t j = 0; j < n && ops->add_dforce; j++) {
    fd_space_set_unit(p, DV_DX, j);
    fd_space_fill(p, DV_DF, 1);   // it must add
    ops->add_dforce(o, &m);
    fd_space_get(p, DV_DF, column);
    for (size_t i = 0; i < n; i++) out[i * n + j] = column[i] - 1;
  }
  dv_free(column);
}

double *fd_dense_stiffness(dvObject *force, double k, double b, size_t *n)
{
  dvObject *states[FD_STATES];
  fdSpace p;
  fd_space_init(&p, states, dv_force_states(force, states));
  force_at(force, &p, NULL);
  *n = fd_space_size(&p);
  double *out = fd_matrix(*n, *n);
  dforce_matrix(force, &p, k, b, out);
  fd_space_fini(&p);
  return out;
}

static bool check_energy(dvObject *o, fdSpace *p, const fdOptions *options)
{
  size_t n = fd_space_size(p);
  double *f = fd_matrix(n, 1), *slope = fd_matrix(n, 1);
  for (size_t j = 0; j < n; j++) {
    fd_space_move_x(p, j, options->step);
    double plus = energy_at(o, p);
    fd_space_restore(p);
    fd_space_move_x(p, j, -options->step);
    double minus = energy_at(o, p);
    fd_space_restore(p);
    slope[j] = (minus - plus) / (2 * options->step);
  }
  fd_space_fill(p, DV_V, 0);   // without what dissipates
  force_at(o, p, f);
  fd_space_restore(p);
  force_at(o, p, NULL);
  bool good = fd_compare(
      o, options,
      &(fdCompared){"force against energy", "add_force", "-dE/dx", f, slope, p, NULL, options->energy_tolerance});
  dv_free(f);
  dv_free(slope);
  return good;
}

static bool check_derivative(dvObject *o, fdSpace *p, const fdOptions *options, bool velocity)
{
  size_t n = fd_space_size(p);
  double *k = fd_matrix(n, n), *fd = fd_matrix(n, n);
  difference_forces(o, p, options->step, velocity, fd);
  dforce_matrix(o, p, velocity ? 0 : 1, velocity ? 1 : 0, k);
  bool good = fd_compare(o, options,
                         &(fdCompared){velocity ? "df/dv" : "df/dx", "add_dforce", "the difference of add_force", k, fd,
                                       p, p, options->tolerance});
  dv_free(k);
  dv_free(fd);
  return good;
}

static bool check_assembly(dvObject *o, const fdSpace *p, const fdOptions *options)
{
  static const double factors[][2] = {{1, 0}, {0.7, -1.3}};
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  size_t n = fd_space_size(p);
  bool good = true;
  for (size_t i = 0; i < DV_COUNT(factors); i++) {
    fdDenseSink sink = fd_dense_sink(p, p);
    double *k = fd_matrix(n, n);
    dvMech m = fd_mech_of(o);
    m.k = factors[i][0];
    m.b = factors[i][1];
    ops->add_stiffness(o, &m, &sink.sink);
    dforce_matrix(o, p, m.k, m.b, k);
    fdCompared c = {
        i ? "assembled 0.7 K - 1.3 B" : "assembled K", "add_stiffness", "add_dforce", sink.values, k, p, p, 1e-10};
    good = fd_compare(o, options, &c) && !sink.bad && good;
    dv_free(sink.values);
    dv_free(k);
  }
  return good;
}

// turns every state about the origin and moves it
static void space_turn(fdSpace *p, dvQuat turn, dvVec3 move)
{
  for (int i = 0; i < p->count; i++) {
    dvState *s = p->states[i];
    size_t c = (size_t)s->base.dof->coord;
    double *x = dv_state_write(s, DV_X);
    for (size_t k = 0; k < s->count; k++) {
      dv_vec3_store(x + c * k, dv_vec3_add(dv_quat_rotate(turn, dv_vec3_load(x + c * k)), move));
      if (c == 7) dv_quat_store(x + c * k + 3, dv_quat_mul(turn, dv_quat_load(x + c * k + 3)));
    }
    dv_state_touch(s, DV_X);
  }
}

// force and torque about the origin that remain, as six numbers; also the sum of the amounts, for the scale
static double resultant(const fdSpace *p, const double *f, double out[6])
{
  double amount = 0;
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < p->count; i++) {
    const dvState *s = p->states[i];
    size_t c = (size_t)s->base.dof->coord, w = (size_t)s->base.dof->deriv;
    const double *x = dv_state_read(p->states[i], DV_X);
    for (size_t k = 0; k < s->count; k++) {
      dvVec3 force = dv_vec3_load(f + p->offset[i] + w * k), place = dv_vec3_load(x + c * k);
      dv_vec3_accumulate(out, force);
      dv_vec3_accumulate(out + 3, dv_vec3_cross(place, force));
      if (w == 6) dv_vec3_accumulate(out + 3, dv_vec3_load(f + p->offset[i] + w * k + 3));
      amount += dv_vec3_norm(force) * (1 + dv_vec3_norm(place));
    }
  }
  return amount;
}

static bool check_rigid(dvObject *o, fdSpace *p, const fdOptions *options, uint64_t *random)
{
  size_t n = fd_space_size(p);
  double *here = fd_matrix(n, 1), *there = fd_matrix(n, 1), rest[6], r[4];
  force_at(o, p, here);
  double amount = resultant(p, here, rest);
  bool good = true;
  for (int k = 0; k < 6; k++)
    if (!(fabs(rest[k]) <= options->tolerance * amount)) {
      good = false;
      if (!options->quiet)
        print_error("%s (%s): component %d of the resultant is %.12g of %.12g\n", o->name, o->cls->name, k, rest[k],
                    amount);
    }
  for (int k = 0; k < 4; k++) r[k] = fd_random(random, 1);
  dvQuat turn = dv_quat_normalise(dv_quat_load(r));
  space_turn(p, turn, dv_vec3(0.3, -0.7, 0.2));
  force_at(o, p, there);
  for (size_t k = 0; k < n; k += 3) dv_vec3_store(here + k, dv_quat_rotate(turn, dv_vec3_load(here + k)));
  good = fd_compare(o, options,
                    &(fdCompared){"rigid motion", "turning the force", "the turned body", here, there, p, NULL,
                                  options->tolerance}) &&
         good;
  fd_space_restore(p);
  dv_free(here);
  dv_free(there);
  return good;
}

bool fd_check_force(dvObject *force, const fdOptions *options)
{
  const dvForceOps *ops = dv_ops(force, DV_ROLE_FORCE);
  dvObject *states[FD_STATES];
  uint64_t random = options->seed;
  bool good = true;
  DV_REQUIRE(ops);
  fdSpace p;
  fd_space_init(&p, states, dv_force_states(force, states));
  for (int i = 0; i < options->samples; i++) {
    fd_space_shake(&p, options, &random);
    force_at(force, &p, NULL);
    if ((options->checks & FD_ENERGY) && ops->energy) good = check_energy(force, &p, options) && good;
    if (options->checks & FD_STIFFNESS) good = check_derivative(force, &p, options, false) && good;
    if (options->checks & FD_DAMPING) good = check_derivative(force, &p, options, true) && good;
    if ((options->checks & FD_ASSEMBLY) && ops->add_stiffness) good = check_assembly(force, &p, options) && good;
    if (options->checks & FD_RIGID) good = check_rigid(force, &p, options, &random) && good;
    if (options->checks & FD_SYMMETRY) {
      double *k = fd_matrix(fd_space_size(&p), fd_space_size(&p));
      dforce_matrix(force, &p, 1, 0, k);
      good = fd_check_symmetry(force, &p, options, k, "symmetry of K") && good;
      dv_free(k);
    }
  }
  fd_space_fini(&p);
  force_at(force, &p, NULL);
  if (good && options->samples > 0 && (options->checks & (FD_STIFFNESS | FD_DAMPING)))
    fd_record(force, DV_ROLE_FORCE, "derivative");
  if (good && options->samples > 0 && (options->checks & FD_ASSEMBLY)) fd_record(force, DV_ROLE_FORCE, "matrix");
  return good;
}

fdScene fd_open_force(const char *mesh, const char *state, const char *force)
{
  char *text = dv_format("<Node>%s<MechanicalObject name='dofs' %s/>%s</Node>", mesh, state, force);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

bool fd_check_turned(const char *mesh, const char *const *forces, size_t count)
{
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    char *force = dv_format("<%s youngModulus='100' poissonRatio='0.3'/>", forces[i]);
    fdScene s = fd_open_force(mesh, "rotation2='20 -70 35' translation2='1 2 3'", force);
    fdOptions o = fd_options();
    o.checks = (o.checks | FD_SYMMETRY) & ~(unsigned)FD_ENERGY;
    o.move_x = 0;
    good = fd_check_force(fd_find(&s, "ff"), &o) && good;
    double energy = fd_energy_of(fd_find(&s, "ff"));
    if (!(fabs(energy) <= 1e-20)) {
      print_error("%s: energy %.3g of a body that was only turned\n", forces[i], energy);
      good = false;
    }
    fd_close(&s);
    dv_free(force);
  }
  return good;
}
