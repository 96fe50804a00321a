// Rows of settings.h. What collision has no components for yet.
#include "control/settings/settings.h"

#define DETECTION_MODULE "Sofa.Component.Collision.Detection.Algorithm"
#define CONTACT_MODULE "Sofa.Component.Collision.Response.Contact"

static const char threads[] = "nbThreads int = 0 | wished number of threads; the command's --threads decides\n"
                              "taskSchedulerType string = _default | kind of task scheduler\n";

static const dvSettingRow rows[] = {
    {"CompositeCollisionPipeline", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "several collision pipelines; this version computes no contacts", threads,
     "parallelDetection bool = 0 | detect in parallel\n"
     "subCollisionPipelines links | the pipelines\n",
     NULL, dv_collision_pipeline_init},
    {"SubCollisionPipeline", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "the pipeline of some of the collision models",
     "depth int = 6 | levels of the bounding trees\n"
     "collisionModels links | the models\n"
     "intersectionMethod link | how elements are tested\n"
     "contactManager link | what answers contacts\n"
     "broadPhaseDetection link | how pairs of models are found\n"
     "narrowPhaseDetection link | how pairs of elements are found\n",
     NULL, NULL, NULL},
    {"DefaultCollisionGroupManager", NULL, CONTACT_MODULE, DV_ROLE_COLLISION, "puts bodies in contact under one solver",
     "", NULL, NULL, NULL},
};
const dvSettingTable dv_collision_settings = {rows, DV_COUNT(rows)};
