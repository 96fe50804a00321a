// IdentityMapping: every point of the output is the input's point of the same number.
//
// Between different types the leading numbers carry over: the position of a frame to a point, a force on the point
// back to the frame without torque.
#include "mapping/linear/linear.h"
#include "mapping/register.h"

static dvStatus identity_make(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  const dvMapping *m = &l->base;
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

// the points of the output are those of the mesh of the input, unless it has a mesh of its own
static dvStatus identity_init(dvObject *o)
{
  const dvMapping *m = (const dvMapping *)o;
  DV_TRY(identity_make(o));
  if (!m->out->topology && m->in->topology) dv_state_follow(m->out, m->in->topology);
  return DV_OK;
}

// Rows of the output have moved with those of the input: only their number is another one.
static bool patch(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  const dvMapping *m = &l->base;
  const dvTrace *in = m->in->topology ? dv_follow_trace(o, m->in->topology) : NULL,
                *out = m->out->topology ? dv_follow_trace(o, m->out->topology) : NULL;
  if (!in || !out || !dv_trace_same_points(in, out) || m->out->count != m->in->count) return false;
  return dv_weights_resize_identity(&l->weights, m->in->count) && dv_follow_patched(o);
}

static void identity_topology_changed(dvObject *o)
{
  if (!patch(o)) identity_make(o);
}

static const dvDofPair pairs[] = {{DV_DOF_VEC1, 0, DV_DOF_VEC1},
                                  {DV_DOF_VEC2, 0, DV_DOF_VEC2},
                                  {DV_DOF_VEC3, 0, DV_DOF_VEC3},
                                  {DV_DOF_VEC6, 0, DV_DOF_VEC6 | DV_DOF_VEC3},
                                  {DV_DOF_RIGID2, 0, DV_DOF_RIGID2 | DV_DOF_VEC2},
                                  {DV_DOF_RIGID3, 0, DV_DOF_RIGID3 | DV_DOF_VEC3},
                                  {0}};

const dvClass dv_identity_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "IdentityMapping",
    .help = "gives the output the positions of the input, point by point",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_ALL,
    .dofs_out = DV_DOF_ALL,
    .pairs = pairs,
    .size = sizeof(dvLinearMapping),
    .blocks = {&dv_object_block, &dv_mapping_block},
    .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops},
    .link = dv_mapping_link,
    .init = identity_init,
    .destroy = dv_linear_destroy,
    .topology_changed = identity_topology_changed,
};
