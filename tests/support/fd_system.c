// See fd.h: whole scenes as one system.
#include "support/fd_space.h"

#include "linear/system/assembly.h"
#include "support/check.h"

#include <string.h>

typedef struct SystemCheck {
  dvPlan *plan;
  dvObject *root;
  const fdOptions *options;
  fdSpace p;   // independent states
} SystemCheck;

static void system_force(SystemCheck *c, double *f)
{
  dvMech m = fd_mech_of(c->root);
  dv_mech_propagate_x(c->plan, DV_X);
  dv_mech_propagate_v(c->plan, DV_V);
  dv_mech_compute_force(c->plan, &m);
  if (f) fd_space_get(&c->p, DV_F, f);
}

static double system_energy(SystemCheck *c)
{
  dvMech m = fd_mech_of(c->root);
  double kinetic, potential;
  system_force(c, NULL);
  dv_mech_energy(c->plan, &m, &kinetic, &potential);
  return potential;
}

static bool check_system_energy(SystemCheck *c)
{
  size_t n = fd_space_size(&c->p);
  double *f = fd_matrix(n, 1), *slope = fd_matrix(n, 1), h = c->options->step;
  for (size_t j = 0; j < n; j++) {
    fd_space_move_x(&c->p, j, h);
    double plus = system_energy(c);
    fd_space_restore(&c->p);
    fd_space_move_x(&c->p, j, -h);
    slope[j] = (system_energy(c) - plus) / (2 * h);
    fd_space_restore(&c->p);
  }
  system_force(c, f);
  bool good = fd_compare(c->root, c->options,
                         &(fdCompared){"forces of the scene", "compute_force", "-dE/dx", f, slope, &c->p, NULL,
                                       c->options->energy_tolerance});
  dv_free(f);
  dv_free(slope);
  return good;
}

static bool check_system_stiffness(SystemCheck *c)
{
  size_t n = fd_space_size(&c->p);
  double *k = fd_matrix(n, n), *fd = fd_matrix(n, n), *plus = fd_matrix(n, 1), *minus = fd_matrix(n, 1),
         h = c->options->step;
  for (size_t j = 0; j < n; j++) {
    fd_space_move_x(&c->p, j, h);
    system_force(c, plus);
    fd_space_restore(&c->p);
    fd_space_move_x(&c->p, j, -h);
    system_force(c, minus);
    fd_space_restore(&c->p);
    for (size_t i = 0; i < n; i++) fd[i * n + j] = (plus[i] - minus[i]) / (2 * h);
  }
  system_force(c, NULL);
  dvMech m = fd_mech_of(c->root);
  for (size_t j = 0; j < n; j++) {
    fd_space_set_unit(&c->p, DV_DX, j);
    dv_mech_product(c->plan, &m, DV_DF, DV_DX);
    fd_space_get(&c->p, DV_DF, plus);
    for (size_t i = 0; i < n; i++) k[i * n + j] = plus[i];
  }
  bool good = !(c->options->checks & FD_STIFFNESS) ||
              fd_compare(c->root, c->options,
                         &(fdCompared){"stiffness of the scene", "product", "the difference of forces", k, fd, &c->p,
                                       &c->p, c->options->tolerance});
  dvAssembly a = {0};
  if ((c->options->checks & FD_ASSEMBLY) && dv_assembly_build(&a, c->root, c->plan, &m, DV_ASSEMBLE_ALL) == DV_OK &&
      a.size == n) {
    memset(fd, 0, n * n * sizeof *fd);
    for (size_t j = 0; j < n; j++) {
      fd_space_set_unit(&c->p, DV_DX, j);
      dv_assembly_product(&a, c->root->context->pool, DV_DF, DV_DX);
      fd_space_get(&c->p, DV_DF, plus);
      for (size_t i = 0; i < n; i++) fd[i * n + j] = plus[i];
    }
    good = fd_compare(
               c->root, c->options,
               &(fdCompared){"assembled stiffness of the scene", "assembly", "product", fd, k, &c->p, &c->p, 1e-10}) &&
           good;
  }
  dv_assembly_free(&a);
  dv_free(k);
  dv_free(fd);
  dv_free(plus);
  dv_free(minus);
  return good;
}

// the power of forces on every state, before they are collected, is the power at the independent states afterwards
static bool check_system_power(SystemCheck *c, uint64_t *random)
{
  double below = 0, above = 0;
  size_t n = fd_space_size(&c->p);
  double *v = fd_matrix(n, 1), *f = fd_matrix(n, 1);
  fd_random_fill(random, v, n);
  fd_space_set(&c->p, DV_V, v);
  system_force(c, f);
  for (size_t i = 0; i < n; i++) above += f[i] * v[i];
  dvMech m = fd_mech_of(c->root);
  for (size_t i = 0; i < c->plan->states.count; i++) {
    dvState *s = dv_state(c->plan->states.data[i]);
    memset(dv_state_write(s, DV_F), 0, dv_state_scalars(s, DV_F) * sizeof(double));
  }
  for (size_t i = 0; i < c->plan->masses.count; i++) {
    memcpy(m.gravity, c->plan->masses.data[i].node->gravity, sizeof m.gravity);
    ((const dvMassOps *)dv_ops(c->plan->masses.data[i].object, DV_ROLE_MASS))
        ->add_gravity(c->plan->masses.data[i].object, &m);
  }
  for (size_t i = 0; i < c->plan->forces.count; i++)
    ((const dvForceOps *)dv_ops(c->plan->forces.data[i].object, DV_ROLE_FORCE))
        ->add_force(c->plan->forces.data[i].object, &m);
  for (size_t i = 0; i < c->plan->states.count; i++) {
    dvState *s = dv_state(c->plan->states.data[i]);
    const double *force = dv_state_read(s, DV_F), *velocity = dv_state_read(s, DV_V);
    for (size_t k = 0; k < dv_state_scalars(s, DV_F); k++) below += force[k] * velocity[k];
  }
  fd_space_restore(&c->p);
  bool good = fabs(below - above) <= 1e-10 * (fabs(below) + fabs(above) + 1e-300);
  if (!good) print_error("power of the forces where they act %.12g, at the independent states %.12g\n", below, above);
  dv_free(v);
  dv_free(f);
  return good;
}

bool fd_check_system(const fdScene *s, const fdOptions *options)
{
  SystemCheck c = {.root = &s->scene->root->base, .options = options};
  uint64_t random = options->seed;
  bool good = true;
  dv_plan_get(&c.plan, s->scene->root);
  fd_space_init(&c.p, c.plan->independent.data, (int)c.plan->independent.count);
  for (int i = 0; i < options->samples; i++) {
    fd_space_shake(&c.p, options, &random);
    system_force(&c, NULL);
    if (options->checks & FD_ENERGY) good = check_system_energy(&c) && good;
    if (options->checks & (FD_STIFFNESS | FD_ASSEMBLY)) good = check_system_stiffness(&c) && good;
    good = check_system_power(&c, &random) && good;
  }
  fd_space_fini(&c.p);
  system_force(&c, NULL);
  dv_plan_destroy(&c.plan);
  return good;
}
