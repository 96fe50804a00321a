// Damping of velocities: f = -c v. UniformVelocityDampingForceField has one coefficient and is part of the implicit
// matrix only when asked; DiagonalVelocityDampingForceField has one for each direction, for all points or each, and
// always is.
#include "mechanics/component.h"

extern const dvClass dv_uniform_damping_class, dv_diagonal_damping_class;

#define UNIFORM_DAMPING_FIELDS(X)                                                       \
  X(real, dampingCoefficient, "0.1", "N s/m", "force per velocity", .alias = "damping") \
  X(bool, implicit, "0", "", "make it part of the implicit system, not only of the force")

typedef struct UniformDamping {
  dvForce force;
  UNIFORM_DAMPING_FIELDS(DV_MEMBER)
} UniformDamping;

#define SELF UniformDamping
static const dvFieldDesc uniform_damping_fields[] = {UNIFORM_DAMPING_FIELDS(DV_DESCRIBE)};
#undef SELF

#define DIAGONAL_DAMPING_FIELDS(X)           \
  X(derivs, dampingCoefficient, "", "N s/m", \
    "force per velocity in each direction: for all points or each; the last holds for those that have none")

typedef struct DiagonalDamping {
  dvForce force;
  DIAGONAL_DAMPING_FIELDS(DV_MEMBER)
} DiagonalDamping;

#define SELF DiagonalDamping
static const dvFieldDesc diagonal_damping_fields[] = {DIAGONAL_DAMPING_FIELDS(DV_DESCRIBE)};
#undef SELF

// coefficients of one point
static const double *coefficients(const DiagonalDamping *d, size_t point)
{
  size_t last = dv_reals_size(&d->dampingCoefficient) - 1;
  return d->dampingCoefficient.data + dv_min_size(point, last) * (size_t)d->dampingCoefficient.width;
}

static double coefficient(const dvObject *o, size_t scalar)
{
  if (o->cls == &dv_uniform_damping_class) return ((const UniformDamping *)o)->dampingCoefficient;
  size_t w = (size_t)o->dof->deriv;
  return coefficients((const DiagonalDamping *)o, scalar / w)[scalar % w];
}

static bool is_implicit(const dvObject *o)
{
  return o->cls == &dv_diagonal_damping_class || ((const UniformDamping *)o)->implicit;
}

// out -= factor c v
static void damp(dvObject *o, int out, int v, double factor)
{
  dvState *s = ((dvForce *)o)->state;
  const double *from = dv_state_read(s, v);
  double *to = dv_state_write(s, out);
  size_t n = dv_state_scalars(s, DV_V);
  for (size_t i = 0; i < n; i++) to[i] -= factor * coefficient(o, i) * from[i];
}

static void velocity_damping_add_force(dvObject *o, const dvMech *m) { damp(o, m->f, m->v, 1); }

static void velocity_damping_add_dforce(dvObject *o, const dvMech *m)
{
  if (is_implicit(o) && m->b != 0) damp(o, m->df, m->dx, m->b);
}

static void velocity_damping_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  dvState *s = ((dvForce *)o)->state;
  int w = s->base.dof->deriv;
  if (!is_implicit(o)) return;
  for (size_t i = 0; i < s->count; i++) {
    double block[36] = {0};
    for (int k = 0; k < w; k++) block[k * w + k] = -m->b * coefficient(o, i * (size_t)w + (size_t)k);
    sink->add(sink, s, i, s, i, w, w, block);
  }
}

static const dvForceOps velocity_damping_ops = {
    .add_force = velocity_damping_add_force,
    .add_dforce = velocity_damping_add_dforce,
    .add_stiffness = velocity_damping_add_stiffness,
    DV_FORCE_SLOTS,
};

static dvStatus diagonal_damping_init(dvObject *o)
{
  DiagonalDamping *d = (DiagonalDamping *)o;
  DV_TRY(dv_force_init(o));
  size_t given = dv_reals_size(&d->dampingCoefficient), count = d->force.state->count;
  if (d->force.state->base.dof != o->dof)
    return dv_error(o, "leave the template away, it follows the state",
                    "the coefficients are of type %s and the state is of type %s", o->dof->name,
                    d->force.state->base.dof->name);
  if (given == 0)
    return dv_field_error(o, &d->dampingCoefficient,
                          "give a coefficient for each direction, such as dampingCoefficient=\"1 1 1\"",
                          "there is no damping coefficient");
  if (given > 1 && given != count)
    dv_field_warning(o, &d->dampingCoefficient, NULL, "there are %zu coefficients for %zu points", given, count);
  dv_element_data_add_reals(dv_follow_rows(o, d->force.state), &d->dampingCoefficient, true);
  return DV_OK;
}

const dvClass dv_uniform_damping_class = {
    .struct_size = sizeof(dvClass),
    .name = "UniformVelocityDampingForceField",
    .help = "a force against the velocity of every point",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_ALL,
    .size = sizeof(UniformDamping),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(uniform_damping_fields)},
    .ops = {[DV_ROLE_FORCE] = &velocity_damping_ops},
    .init = dv_force_init,
};

const dvClass dv_diagonal_damping_class = {
    .struct_size = sizeof(dvClass),
    .name = "DiagonalVelocityDampingForceField",
    .help = "a force against the velocity, with a coefficient for each direction",
    .module = "Sofa.Component.MechanicalLoad",
    .dofs = DV_DOF_ALL,
    .size = sizeof(DiagonalDamping),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(diagonal_damping_fields)},
    .ops = {[DV_ROLE_FORCE] = &velocity_damping_ops},
    .init = diagonal_damping_init,
};
