// VoidMapping: does nothing. The state of its node counts as driven by somebody else, so that solvers leave it alone
// and what acts on it reaches nobody.
#include "mapping/register.h"
#include "mechanics/component.h"

static void void_apply(dvObject *o, int out, int in)
{
  DV_UNUSED(o);
  DV_UNUSED(out);
  DV_UNUSED(in);
}

static void void_build_j(dvObject *o, dvMatrixSink *sink)
{
  DV_UNUSED(o);
  DV_UNUSED(sink);
}

static dvObject *void_input(const dvObject *o, size_t index)
{
  DV_UNUSED(o);
  DV_UNUSED(index);
  return NULL;
}

static dvObject *void_output(const dvObject *o, size_t index) { return index == 0 ? dv_node_state(o->node) : NULL; }

static const dvMappingOps void_ops = {.apply = void_apply,
                                      .apply_j = void_apply,
                                      .apply_jt = void_apply,
                                      .build_j = void_build_j,
                                      .input = void_input,
                                      .output = void_output};

#define VOID_FIELDS(X)                                                                                                \
  X(bool, mapForces, "1", "", "accepted: there is nothing to hand back", .alias = "isMechanical", .flags = DV_HIDDEN) \
  X(bool, mapConstraints, "1", "", "accepted: there is nothing to hand back", .flags = DV_HIDDEN)                     \
  X(bool, mapMasses, "1", "", "accepted: there is nothing to hand back", .alias = "isMechanical", .flags = DV_HIDDEN) \
  X(bool, mapMatrices, "0", "", "accepted: there is nothing to hand back", .flags = DV_HIDDEN)

typedef struct Void {
  dvObject base;
  VOID_FIELDS(DV_MEMBER)
} Void;

#define SELF Void
static const dvFieldDesc void_fields[] = {VOID_FIELDS(DV_DESCRIBE)};
#undef SELF

const dvClass dv_void_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "VoidMapping",
    .help = "marks the state of its node as driven by somebody else; does nothing",
    .module = "Sofa.Component.Mapping.Linear",
    .size = sizeof(Void),
    .blocks = {&dv_object_block, DV_BLOCK(void_fields)},
    .ops = {[DV_ROLE_MAPPING] = &void_ops},
};
