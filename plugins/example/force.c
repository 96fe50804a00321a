// ExampleForceField: a wind that carries points along, f = c (w - v). Its derivative is B = df/dv = -c I, so that
// implicit integrators take any c. It needs a state of points in its node or above.
#include <divan/sdk/plugin.h>

extern const dvClass example_force_class;

// type, name, default, unit, help: members, reading, writing and `divan info` come from this list
#define EXAMPLE_FORCE_FIELDS(X)                                              \
  X(vec3, wind, "1 0 0", "m/s", "velocity of the air")                       \
  X(real, drag, "0.1", "N s/m", "force on each point per relative velocity") \
  X(indices, indices, "", "", "points in the wind; all when empty")

typedef struct ExampleForce {
  dvForce force;   // first, with what all forces have in common
  EXAMPLE_FORCE_FIELDS(DV_MEMBER)
  dvElementList *listed;   // keeps the indices in step with a mesh that changes
} ExampleForce;

#define SELF ExampleForce
static const dvFieldDesc example_force_fields[] = {EXAMPLE_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus example_force_init(dvObject *o)
{
  ExampleForce *e = (ExampleForce *)o;
  DV_TRY(dv_force_init(o));
  if (e->drag < 0)
    return dv_field_error(o, &e->drag, "write drag=\"0.1\"", "the drag cannot be negative, it is %g", e->drag);
  e->listed = dv_follow_points(o, e->force.state, &e->indices);
  return dv_check_indices(o, &e->indices, e->force.state->count, "points");
}

// how many points are in the wind, and which
static size_t count_points(const ExampleForce *e)
{
  return dv_names_all(&e->indices, e->listed) ? e->force.state->count : e->indices.count;
}
static size_t point_at(const ExampleForce *e, size_t i) { return e->indices.count ? (size_t)e->indices.data[i] : i; }

static void example_force_add_force(dvObject *o, const dvMech *m)
{
  const ExampleForce *e = (const ExampleForce *)o;
  dvState *s = e->force.state;
  const double *v = dv_state_read(s, m->v);
  double *f = dv_state_write(s, m->f);
  for (size_t i = 0; i < 3 * count_points(e); i++) {
    size_t at = 3 * point_at(e, i / 3) + i % 3;
    f[at] += e->drag * (e->wind[i % 3] - v[at]);
  }
}

static void example_force_add_dforce(dvObject *o, const dvMech *m)
{
  const ExampleForce *e = (const ExampleForce *)o;
  dvState *s = e->force.state;
  const double *dx = dv_state_read(s, m->dx);
  double *df = dv_state_write(s, m->df);
  for (size_t i = 0; i < 3 * count_points(e); i++) {
    size_t at = 3 * point_at(e, i / 3) + i % 3;
    df[at] -= m->b * e->drag * dx[at];
  }
}

static void example_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const ExampleForce *e = (const ExampleForce *)o;
  const double c = -m->b * e->drag, block[9] = {c, 0, 0, 0, c, 0, 0, 0, c};
  for (size_t i = 0; i < count_points(e); i++)
    sink->add(sink, e->force.state, point_at(e, i), e->force.state, point_at(e, i), 3, 3, block);
}

static const dvForceOps example_force_ops = {
    .add_force = example_force_add_force,
    .add_dforce = example_force_add_dforce,
    .add_stiffness = example_force_add_stiffness,
    DV_FORCE_SLOTS,
};

const dvClass example_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "ExampleForceField",
    .help = "a wind that carries points along",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(ExampleForce),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(example_force_fields)},
    .ops = {[DV_ROLE_FORCE] = &example_force_ops},
    .init = example_force_init,
};
