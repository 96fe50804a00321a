// CenterOfMassMapping, CenterOfMassMultiMapping, CenterOfMassMulti2Mapping: one point at the centre of mass of one or
// more states.
//
//   x = sum m_i x_i / sum m_i,   f_i += m_i / sum m  f
//
// The masses are those of the mass component in the node of each input, as they are at the start. Of frames the
// positions count.
#include "mapping/linear/linear.h"
#include "mapping/register.h"

#include <math.h>

#define TWO_FIELDS(X)                                                   \
  X(links, input1, "", "", "states with points", .role = DV_ROLE_STATE) \
  X(links, input2, "", "", "states with frames", .role = DV_ROLE_STATE)

typedef struct CenterOfMass {
  dvLinearMapping linear;
  TWO_FIELDS(DV_MEMBER)
} CenterOfMass;

#define SELF CenterOfMass
static const dvFieldDesc two_fields[] = {TWO_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus mass_of(const dvObject *o, const dvState *input, dvObject **mass)
{
  *mass = dv_node_find(input->base.node, DV_ROLE_MASS);
  if (!*mass)
    return dv_error(o, "add a mass to the node of the input", "%s needs the masses of %s, and its node has none",
                    o->cls->name, input->base.name);
  DV_TRY(dv_object_ensure(*mass));
  const dvMassOps *ops = dv_ops(*mass, DV_ROLE_MASS);
  return ops && ops->of_element ? DV_OK
                                : dv_error(o, NULL, "%s does not tell the masses of its points", (*mass)->cls->name);
}

static double mass_at(dvObject *mass, size_t point)
{
  return ((const dvMassOps *)dv_ops(mass, DV_ROLE_MASS))->of_element(mass, point);
}

static dvStatus center_of_mass_init(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  const dvMapping *m = &l->base;
  dvObject *mass;
  double total = 0;
  for (int k = 0; k < m->input_count; k++) {
    DV_TRY(mass_of(o, dv_mapping_in(m, k), &mass));
    if (dv_mapping_in(m, k)->count > INT32_MAX)
      return dv_error(o, NULL, "%zu points are too many", dv_mapping_in(m, k)->count);
    for (size_t i = 0; i < dv_mapping_in(m, k)->count; i++) total += mass_at(mass, i);
  }
  if (!(total > 0) || !isfinite(total))
    return dv_error(o, NULL, "the inputs have a mass of %g together: there is no centre", total);
  dv_linear_clear(o);
  for (int k = 0; k < m->input_count; k++) {
    DV_TRY(mass_of(o, dv_mapping_in(m, k), &mass));
    for (size_t i = 0; i < dv_mapping_in(m, k)->count; i++)
      dv_weights_add(dv_linear_weights(l, k), (int32_t)i, mass_at(mass, i) / total);
  }
  dv_linear_end_row(o);
  l->leading = o->dof_out->space;
  DV_TRY(dv_linear_settle(o));
  dv_mapping_first_apply(o, &dv_linear_ops);
  return DV_OK;
}

static dvStatus two_link(dvObject *o)
{
  const CenterOfMass *c = (const CenterOfMass *)o;
  return o->failed ? DV_OK : dv_mapping_init_two(o, &c->input1, &c->input2, false);
}

static const dvMappingOps two_ops = {
    .apply = dv_linear_apply,
    .apply_j = dv_linear_apply_j,
    .apply_jt = dv_linear_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = dv_linear_row,
    DV_MAPPING_SLOTS,
};

static const dvDofPair single_pairs[] = {{DV_DOF_RIGID3, 0, DV_DOF_VEC3}, {DV_DOF_RIGID2, 0, DV_DOF_VEC2}, {0}};
static const dvDofPair multi_pairs[] = {
    {DV_DOF_VEC3, 0, DV_DOF_VEC3}, {DV_DOF_RIGID3, 0, DV_DOF_VEC3 | DV_DOF_RIGID3}, {0}};
static const dvDofPair two_pairs[] = {{DV_DOF_VEC3, DV_DOF_RIGID3, DV_DOF_VEC3}, {0}};

#define CENTER_CLASS(symbol, name_, help_, ...)                      \
  const dvClass symbol = {.struct_size = sizeof(dvClass),            \
                          .name = name_,                             \
                          .help = help_,                             \
                          .module = "Sofa.Component.Mapping.Linear", \
                          .dofs = DV_DOF_ALL,                        \
                          .dofs_out = DV_DOF_ALL,                    \
                          .size = sizeof(CenterOfMass),              \
                          .init = center_of_mass_init,               \
                          .destroy = dv_linear_destroy,              \
                          .topology_changed = dv_mapping_remake,     \
                          __VA_ARGS__}

CENTER_CLASS(dv_center_of_mass_mapping_class, "CenterOfMassMapping", "the centre of mass of frames",
             .pairs = single_pairs, .link = dv_mapping_link, .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops},
             .blocks = {&dv_object_block, &dv_mapping_block});
CENTER_CLASS(dv_center_of_mass_multi_mapping_class, "CenterOfMassMultiMapping",
             "the centre of mass of several states of one type", .pairs = multi_pairs, .link = dv_mapping_link_multi,
             .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops}, .blocks = {&dv_object_block, &dv_mapping_block});
CENTER_CLASS(dv_center_of_mass_multi2_mapping_class, "CenterOfMassMulti2Mapping",
             "the centre of mass of states with points and states with frames", .pairs = two_pairs, .link = two_link,
             .ops = {[DV_ROLE_MAPPING] = &two_ops},
             .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(two_fields)});
