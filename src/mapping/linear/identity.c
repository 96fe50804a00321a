// IdentityMapping: every point of the output is the input's point of the same number.
//
// Between different types the leading numbers carry over: the position of a frame to a point, a force on the point
// back to the frame without torque.
#include "mapping/linear/linear.h"
#include "mapping/register.h"

static bool fits_types(dvDofKind in, dvDofKind out)
{
  return in == out || (in == DV_RIGID3 && out == DV_VEC3) || (in == DV_VEC6 && out == DV_VEC3) || (in == DV_RIGID2 && out == DV_VEC2);
}

static dvStatus identity_init(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  const dvMapping *m = &l->base;
  if (!fits_types(o->dof->kind, o->dof_out->kind))
    return dv_error(o, "states of the same type, or from Rigid3 or Vec6 to Vec3, or from Rigid2 to Vec2",
                    "IdentityMapping cannot map %s to %s", o->dof->name, o->dof_out->name);
  if (m->in->count > INT32_MAX) return dv_error(o, NULL, "%zu points are too many", m->in->count);
  dv_weights_clear(&l->weights);
  for (size_t i = 0; i < m->in->count; i++) {
    dv_weights_add(&l->weights, (int32_t)i, 1);
    dv_weights_end_row(&l->weights);
  }
  DV_TRY(dv_linear_settle(o));
  dv_mapping_first_apply(o, &dv_linear_ops);
  return DV_OK;
}

const dvClass dv_identity_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "IdentityMapping",
    .help = "gives the output the positions of the input, point by point",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_ALL,
    .dofs_out = DV_DOF_ALL,
    .size = sizeof(dvLinearMapping),
    .blocks = {&dv_object_block, &dv_mapping_block},
    .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops},
    .link = dv_mapping_link,
    .init = identity_init,
    .destroy = dv_linear_destroy,
};
