// MappedInertiaForceField: what masses on a mapped state feel because the mapping bends.
//
//   x = m(q), v = J q', a = J q'' + (dJ/dt) q'   so   J^T M J q'' = J^T (f - M (dJ/dt) q')
//
// The solver of q knows J^T M J; the last term, centrifugal and Coriolis forces of an articulated system, is a force on
// the mapped state. SOFA leaves it out, so that skeletons of several joints gain or lose energy as they swing. It is
// taken at the velocities of the beginning of the step, and has no part in the matrix. It needs a mapping between the
// state and one that is not mapped itself, and a mass.
#include "mechanics/component.h"

extern const dvClass dv_mapped_inertia_class;

typedef struct MappedInertia {
  dvForce force;
  dvObject *mapping, *mass;
  int a;   // vector: (dJ/dt) q'
} MappedInertia;

static dvStatus mapped_inertia_init(dvObject *o)
{
  MappedInertia *f = (MappedInertia *)o;
  DV_TRY(dv_force_init(o));
  dvNode *node = f->force.state->base.node;
  f->mapping = dv_node_find(node, DV_ROLE_MAPPING);
  f->mass = dv_node_find(node, DV_ROLE_MASS);
  if (!f->mapping || dv_mapping_output(f->mapping, 0) != &f->force.state->base)
    return dv_error(o, "put it beside the mapping, into the node of the state that is mapped",
                    "no mapping drives the state %s", f->force.state->base.name);
  if (!f->mass) return dv_error(o, "add a mass to the node", "the state %s has no mass", f->force.state->base.name);
  if (!((const dvMappingOps *)dv_ops(f->mapping, DV_ROLE_MAPPING))->add_jdot)
    dv_warning(o, "leave it out", "%s is linear: there is no such force", f->mapping->cls->name);
  for (size_t i = 0; dv_mapping_input(f->mapping, i); i++)
    if (dv_node_is_mapped(dv_mapping_input(f->mapping, i)->node))
      return dv_error(o, "map from the coordinates of the system in one step",
                      "%s drives the state from one that is mapped itself", f->mapping->cls->name);
  dv_vec_take(o, DV_VEC_DERIV, &f->a);
  return DV_OK;
}

static void mapped_inertia_destroy(dvObject *o) { dv_vec_give(o, &((MappedInertia *)o)->a); }

static void mapped_inertia_add_force(dvObject *o, const dvMech *m)
{
  MappedInertia *f = (MappedInertia *)o;
  const dvMappingOps *map = dv_ops(f->mapping, DV_ROLE_MAPPING);
  const dvMassOps *mass = dv_ops(f->mass, DV_ROLE_MASS);
  if (!map->add_jdot) return;
  double *a = dv_state_write(f->force.state, f->a);
  memset(a, 0, dv_state_scalars(f->force.state, f->a) * sizeof *a);
  map->add_jdot(f->mapping, f->a, m->v);
  dvMech products = *m;
  products.dx = f->a;
  products.df = m->f;
  mass->add_mdx(f->mass, &products, -1);
}

// it depends on positions and velocities, and counts as constant over a step: there is no product with it
static const dvForceOps mapped_inertia_ops = {.add_force = mapped_inertia_add_force, DV_FORCE_SLOTS};

const dvClass dv_mapped_inertia_class = {
    .struct_size = sizeof(dvClass),
    .name = "MappedInertiaForceField",
    .help = "centrifugal and Coriolis forces of masses that a mapping drives, as those of a robot",
    .module = "Divan",
    .dofs = DV_DOF_ALL,
    .size = sizeof(MappedInertia),
    .blocks = {&dv_object_block, &dv_force_block},
    .ops = {[DV_ROLE_FORCE] = &mapped_inertia_ops},
    .init = mapped_inertia_init,
    .destroy = mapped_inertia_destroy,
};
