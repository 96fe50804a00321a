// Rigid parts in a soft body, and pipes: names that SOFA's scenes need so that the stiffness of a force on mapped
// points gets into the matrix.
//
//   soft points x, frames q  ->  RigidMapping  ->  SubsetMultiMapping  ->  all points, with the finite elements
//   points of a body         ->  BarycentricMapping                    ->  points of a pipe, with springs
//
// Here linear systems project entries of mapped states themselves, A += J^T K J, cross terms between x and q included
// (linear/system): PartialRigidificationForceField and PipeForceField have nothing to add, and would count it twice.
// They look whether what they name belongs together, which is where such scenes go wrong.
//
// PartialRigidificationConstraint puts six rows of a frame into the compliance, without a force, as a sensor does.
#include "robot/classes.h"
#include "robot/position.h"

#include "mechanics/component.h"

#define RIGID_FIELDS(X)                                                                                                \
  X(link, object1, "", "", "state of the soft points", .role = DV_ROLE_STATE)                                          \
  X(link, object2, "", "", "state of the frames", .role = DV_ROLE_STATE)                                               \
  X(link, rigidMapping, "", "", "mapping from the frames to the points that they hold", .role = DV_ROLE_MAPPING,       \
    .flags = DV_REQUIRED)                                                                                              \
  X(link, subsetMultiMapping, "", "", "mapping that puts soft points and held ones together", .role = DV_ROLE_MAPPING, \
    .flags = DV_REQUIRED)                                                                                              \
  X(link, mappedForceField, "", "", "force on all of them, whose stiffness acts on both", .role = DV_ROLE_FORCE,       \
    .flags = DV_REQUIRED)
#define PIPE_FIELDS(X)                                                                                            \
  X(link, barycentricMapping, "", "", "mapping from the body to the points of the pipe", .role = DV_ROLE_MAPPING, \
    .flags = DV_REQUIRED)                                                                                         \
  X(link, mappedForceField, "", "", "force of the pipe on its points, whose stiffness acts on the body",          \
    .role = DV_ROLE_FORCE, .flags = DV_REQUIRED)

typedef struct RigidParts {
  dvObject base;
  RIGID_FIELDS(DV_MEMBER)
} RigidParts;

typedef struct Pipe {
  dvObject base;
  PIPE_FIELDS(DV_MEMBER)
} Pipe;

#define SELF RigidParts
static const dvFieldDesc rigid_fields[] = {RIGID_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Pipe
static const dvFieldDesc pipe_fields[] = {PIPE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus find(const dvObject *o, const dvLink *link, const char *what)
{
  if (link->target && link->target->failed) return dv_error(o, NULL, "%s rests on what has failed", o->name);
  return link->target ? DV_OK : dv_field_error(o, link, "write its path: @../name", "%s needs %s", o->name, what);
}

// the force acts on the points that the mapping makes
static dvStatus check_force(const dvObject *o, const dvLink *mapping, const dvLink *force)
{
  const dvObject *out = &((const dvMapping *)mapping->target)->out->base;
  dvObject *states[2];
  int count = ((const dvForceOps *)dv_ops(force->target, DV_ROLE_FORCE))->states(force->target, states);
  for (int i = 0; i < count; i++)
    if (states[i] != out)
      return dv_field_error(o, force, "put the force beside the state that the mapping makes",
                            "%s does not act on the points that %s makes: its stiffness would go elsewhere",
                            force->target->name, mapping->target->name);
  dv_note(o, "the linear system maps the stiffness of %s itself: %s adds nothing to it", force->target->name, o->name);
  return DV_OK;
}

static dvStatus rigid_bwd_init(dvObject *o)
{
  const RigidParts *r = (const RigidParts *)o;
  DV_TRY(find(o, &r->rigidMapping, "the mapping of the rigid parts"));
  DV_TRY(find(o, &r->subsetMultiMapping, "the mapping that puts soft and rigid parts together"));
  DV_TRY(find(o, &r->mappedForceField, "the force on all points"));
  const dvMapping *rigid = (const dvMapping *)r->rigidMapping.target,
                  *all = (const dvMapping *)r->subsetMultiMapping.target;
  bool found = false;
  for (int i = 0; i < all->input_count; i++) found = found || dv_mapping_in(all, (size_t)i) == rigid->out;
  if (!found)
    return dv_field_error(o, &r->rigidMapping, "its output has to be an input of the other mapping",
                          "%s does not lead to %s: the rigid parts hold nothing", rigid->base.name, all->base.name);
  const dvObject *frames = r->object2.target;
  if (frames && frames != &rigid->in->base)
    return dv_field_error(o, &r->object2, "name the input of the mapping", "the frames of %s are others than object2",
                          rigid->base.name);
  return check_force(o, &r->subsetMultiMapping, &r->mappedForceField);
}

static dvStatus pipe_bwd_init(dvObject *o)
{
  const Pipe *p = (const Pipe *)o;
  DV_TRY(find(o, &p->barycentricMapping, "the mapping of the pipe"));
  DV_TRY(find(o, &p->mappedForceField, "the force of the pipe"));
  return check_force(o, &p->barycentricMapping, &p->mappedForceField);
}

const dvClass dv_rigid_parts_class = {
    .struct_size = sizeof(dvClass),
    .name = "PartialRigidificationForceField",
    .help = "checks rigid parts in a soft body; their stiffness is mapped by the linear system",
    .module = "SoftRobots",
    .size = sizeof(RigidParts),
    .blocks = {&dv_object_block, DV_BLOCK(rigid_fields)},
    .bwd_init = rigid_bwd_init,
};

const dvClass dv_pipe_class = {
    .struct_size = sizeof(dvClass),
    .name = "PipeForceField",
    .help = "checks a pipe in a body; its stiffness is mapped by the linear system",
    .module = "SoftRobots",
    .size = sizeof(Pipe),
    .blocks = {&dv_object_block, DV_BLOCK(pipe_fields)},
    .bwd_init = pipe_bwd_init,
};

// --- PartialRigidificationConstraint -----------------------------------------------------------------

static void no_aim(dvPart *p, double h) { DV_UNUSED(p), DV_UNUSED(h); }
static const dvGauge frame_gauge = {
    .rows = dv_position_rows, .measure = dv_position_measure, .aim = no_aim, .show = dv_position_show};

static dvStatus frame_init(dvObject *o) { return dv_part_init(o, &frame_gauge, DV_PART_SENSOR); }

const dvClass dv_rigid_rows_class = {
    .struct_size = sizeof(dvClass),
    .name = "PartialRigidificationConstraint",
    .help = "measures the six displacements of a frame, whose compliance stands in the system of constraints",
    .module = "SoftRobots",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(dvPosition),
    .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_position_block},
    .presets = "indices=0",
    .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops},
    .init = frame_init,
    .bwd_init = dv_position_bwd_init,
    .reinit = dv_position_check,
    .end_step = dv_part_end_step,
    .remember = dv_position_remember,
    .destroy = dv_position_destroy,
};
