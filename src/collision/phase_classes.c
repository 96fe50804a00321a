// Names of broad and narrow phases. Those of SOFA's that are both in one do both here.
#include "collision/phases.h"
#include "collision/register.h"

#define DETECTION_MODULE "Sofa.Component.Collision.Detection.Algorithm"
#define THREAD_FIELDS(X)                                                                  \
  X(int, nbThreads, "0", "", "wished number of threads; the command's --threads decides") \
  X(string, taskSchedulerType, "_default", "", "accepted: there is one kind of task scheduler")
#define SAP_FIELDS(X)                                                                                    \
  X(bool, showOnlyInvestigatedBoxes, "1", "", "draw only the boxes that were tested", .flags = DV_LOOKS) \
  X(int, nbPairs, "0", "", "number of pairs found", .flags = DV_READ_ONLY)
#define RAY_FIELDS(X) X(bool, draw, "0", "", "draw the rays that hit", .flags = DV_LOOKS)

typedef struct Phase {
  dvBroadPhase base;
  THREAD_FIELDS(DV_MEMBER)
  SAP_FIELDS(DV_MEMBER)
  RAY_FIELDS(DV_MEMBER)
} Phase;

#define SELF Phase
static const dvFieldDesc thread_fields[] = {THREAD_FIELDS(DV_DESCRIBE)}, sap_fields[] = {SAP_FIELDS(DV_DESCRIBE)},
                         ray_fields[] = {RAY_FIELDS(DV_DESCRIBE)};
#undef SELF

static void phase_destroy(dvObject *o)
{
  dv_narrow_phase_destroy(o);
  dv_ray_trace_destroy(o);
}

#define BROAD [DV_ROLE_BROAD_PHASE] = &dv_broad_phase_ops
#define NARROW [DV_ROLE_NARROW_PHASE] = &dv_narrow_phase_ops
#define RAYS [DV_ROLE_NARROW_PHASE] = &dv_ray_trace_ops
#define PHASE(name_, module_, help_, ...)                                                                   \
  {                                                                                                         \
    .struct_size = sizeof(dvClass), .name = name_, .module = module_, .help = help_, .size = sizeof(Phase), \
    .destroy = phase_destroy, __VA_ARGS__                                                                   \
  }

static const dvClass classes[] = {
    PHASE("BruteForceBroadPhase", DETECTION_MODULE, "finds pairs of models by testing all",
          .blocks = {&dv_object_block, &dv_broad_phase_block}, .ops = {BROAD}),
    PHASE("ParallelBruteForceBroadPhase", "MultiThreading", "finds pairs of models by testing all",
          .blocks = {&dv_object_block, &dv_broad_phase_block, DV_BLOCK(thread_fields)}, .ops = {BROAD}),
    PHASE("BVHNarrowPhase", DETECTION_MODULE, "finds contacts of two models with bounding trees",
          .blocks = {&dv_object_block}, .ops = {NARROW}),
    PHASE("ParallelBVHNarrowPhase", "MultiThreading", "finds contacts of two models with bounding trees",
          .blocks = {&dv_object_block, DV_BLOCK(thread_fields)}, .ops = {NARROW}),
    PHASE("DirectSAPNarrowPhase", DETECTION_MODULE, "finds contacts of two models",
          .blocks = {&dv_object_block, DV_BLOCK(sap_fields)}, .ops = {NARROW}),
    PHASE("BruteForceDetection", DETECTION_MODULE, "finds pairs of models by testing all, their contacts with trees",
          .blocks = {&dv_object_block, &dv_broad_phase_block}, .ops = {BROAD, NARROW}),
    PHASE("DirectSAP", DETECTION_MODULE, "finds pairs of models and their contacts",
          .blocks = {&dv_object_block, &dv_broad_phase_block}, .ops = {BROAD, NARROW}),
    PHASE("IncrSAP", DETECTION_MODULE, "finds pairs of models and their contacts",
          .blocks = {&dv_object_block, &dv_broad_phase_block}, .ops = {BROAD, NARROW}),
    PHASE("RayTraceNarrowPhase", DETECTION_MODULE, "finds contacts of closed surfaces with rays from their points",
          .blocks = {&dv_object_block, DV_BLOCK(ray_fields)}, .ops = {RAYS}),
    PHASE("RayTraceDetection", DETECTION_MODULE,
          "finds pairs of models by testing all, contacts of closed surfaces with rays from their points",
          .blocks = {&dv_object_block, &dv_broad_phase_block, DV_BLOCK(ray_fields)}, .ops = {BROAD, RAYS}),
};

void dv_register_phases(dvRegistry *r)
{
  for (size_t i = 0; i < DV_COUNT(classes); i++) dv_registry_add(r, &classes[i]);
}
