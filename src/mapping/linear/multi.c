// IdentityMultiMapping: the points of all inputs, one input after the other. SubsetMultiMapping: chosen points of
// several inputs, as pairs (number of the input, point in it).
//
// Frames may go to points; forces then come back without torque.
#include "mapping/linear/linear.h"
#include "mapping/register.h"

static dvStatus check_sizes(const dvObject *o)
{
  const dvMapping *m = (const dvMapping *)o;
  size_t total = 0;
  for (int k = 0; k < m->input_count; k++) total += dv_mapping_in(m, k)->count;
  return total <= INT32_MAX ? DV_OK : dv_error(o, NULL, "%zu points are too many", total);
}

static dvStatus identity_multi_init(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  DV_TRY(check_sizes(o));
  dv_linear_clear(o);
  for (int k = 0; k < l->base.input_count; k++)
    for (size_t i = 0; i < dv_mapping_in(&l->base, k)->count; i++) {
      dv_weights_add(dv_linear_weights(l, k), (int32_t)i, 1);
      dv_linear_end_row(o);
    }
  DV_TRY(dv_linear_settle(o));
  dv_mapping_first_apply(o, &dv_linear_ops);
  return DV_OK;
}

static const dvDofPair identity_pairs[] = {{DV_DOF_VEC1, 0, DV_DOF_VEC1},
                                           {DV_DOF_VEC2, 0, DV_DOF_VEC2},
                                           {DV_DOF_VEC3, 0, DV_DOF_VEC3},
                                           {DV_DOF_RIGID3, 0, DV_DOF_RIGID3},
                                           {0}};

const dvClass dv_identity_multi_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "IdentityMultiMapping",
    .help = "the points of several states in one, one state after the other",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_ALL,
    .dofs_out = DV_DOF_ALL,
    .pairs = identity_pairs,
    .size = sizeof(dvLinearMapping),
    .blocks = {&dv_object_block, &dv_mapping_block},
    .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops},
    .link = dv_mapping_link_multi,
    .init = identity_multi_init,
    .destroy = dv_linear_destroy,
    .topology_changed = dv_mapping_remake,
};

// --- subsets -------------------------------------------------------------------------------------

#define SUBSET_MULTI_FIELDS(X) \
  X(indices, indexPairs, "", "", "for each output point the number of its input and the point in it")

typedef struct SubsetMulti {
  dvLinearMapping linear;
  SUBSET_MULTI_FIELDS(DV_MEMBER)
} SubsetMulti;

#define SELF SubsetMulti
static const dvFieldDesc subset_multi_fields[] = {SUBSET_MULTI_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus subset_multi_init(dvObject *o)
{
  SubsetMulti *s = (SubsetMulti *)o;
  const dvMapping *m = &s->linear.base;
  DV_TRY(check_sizes(o));
  if (s->indexPairs.count % 2)
    return dv_field_error(o, &s->indexPairs, NULL, "indexPairs has %zu numbers, which do not make pairs",
                          s->indexPairs.count);
  dv_linear_clear(o);
  for (size_t i = 0; i < s->indexPairs.count; i += 2) {
    int32_t input = s->indexPairs.data[i], point = s->indexPairs.data[i + 1];
    if (input < 0 || input >= m->input_count)
      return dv_field_error(o, &s->indexPairs, NULL, "pair %zu names input %d, but there are %d (0 to %d)", i / 2,
                            input, m->input_count, m->input_count - 1);
    if (point < 0 || (size_t)point >= dv_mapping_in(m, input)->count)
      return dv_field_error(o, &s->indexPairs, NULL, "pair %zu names point %d of %s, which has %zu points", i / 2,
                            point, dv_mapping_in(m, input)->base.name, dv_mapping_in(m, input)->count);
    dv_weights_add(dv_linear_weights(&s->linear, input), point, 1);
    dv_linear_end_row(o);
  }
  DV_TRY(dv_linear_settle(o));
  dv_mapping_first_apply(o, &dv_linear_ops);
  return DV_OK;
}

static const dvDofPair subset_pairs[] = {{DV_DOF_VEC1, 0, DV_DOF_VEC1},
                                         {DV_DOF_VEC2, 0, DV_DOF_VEC2},
                                         {DV_DOF_VEC3, 0, DV_DOF_VEC3},
                                         {DV_DOF_RIGID3, 0, DV_DOF_RIGID3 | DV_DOF_VEC3},
                                         {0}};

const dvClass dv_subset_multi_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "SubsetMultiMapping",
    .help = "chosen points of several states",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_ALL,
    .dofs_out = DV_DOF_ALL,
    .pairs = subset_pairs,
    .size = sizeof(SubsetMulti),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(subset_multi_fields)},
    .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops},
    .link = dv_mapping_link_multi,
    .init = subset_multi_init,
    .destroy = dv_linear_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};
