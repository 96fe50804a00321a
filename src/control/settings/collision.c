// Rows of settings.h. Detection of collisions and what answers contacts.
#include "control/settings/settings.h"

#define DETECTION_MODULE "Sofa.Component.Collision.Detection.Algorithm"
#define INTERSECTION_MODULE "Sofa.Component.Collision.Detection.Intersection"
#define CONTACT_MODULE "Sofa.Component.Collision.Response.Contact"

static const char threads[] = "nbThreads int = 0 | wished number of threads; the command's --threads decides\n"
                              "taskSchedulerType string = _default | kind of task scheduler\n";

static const char box[] = "box vec6 | region outside of which nothing is tested: minimum, maximum [m]\n";

static const char proximity[] = "alarmDistance real = 1 | distance at which pairs are looked at [m]\n"
                                "contactDistance real = 0.5 | distance at which contacts act [m]\n";

static const dvSettingRow rows[] = {
    {"CollisionPipeline", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "the order of collision detection; this version computes no contacts", threads,
     "parallelDetection bool = 0 | detect in parallel\n"
     "verbose bool = 0 | print what happens\n"
     "draw bool = 0 | draw the contacts\n"
     "depth int = 6 | levels of the bounding trees\n"
     "subCollisionPipelines links | parts of the pipeline\n",
     NULL, dv_collision_pipeline_init},
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
    {"BruteForceBroadPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs of models by testing all", box,
     NULL, NULL, NULL},
    {"ParallelBruteForceBroadPhase", NULL, "MultiThreading", DV_ROLE_COLLISION, "finds pairs of models by testing all",
     box, threads, NULL, NULL},
    {"BVHNarrowPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs of elements with bounding trees", "",
     NULL, NULL, NULL},
    {"ParallelBVHNarrowPhase", NULL, "MultiThreading", DV_ROLE_COLLISION, "finds pairs of elements with bounding trees",
     threads, NULL, NULL, NULL},
    {"RayTraceNarrowPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs of elements with rays", "", NULL,
     NULL, NULL},
    {"DirectSAPNarrowPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "finds pairs of elements by sweeping along an axis",
     "showOnlyInvestigatedBoxes bool = 1 | draw only the boxes that were tested\n"
     "nbPairs int = 0 | number of pairs found\n",
     NULL, NULL, NULL},
    {"IncrSAP", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs by sweeping along an axis, step by step", box,
     NULL, NULL, NULL},
    {"BruteForceDetection", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "finds pairs by testing all models, then with bounding trees", box, NULL, NULL, NULL},
    {"RayTraceDetection", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "finds pairs by testing all models, then with rays", box, NULL, NULL, NULL},
    {"DirectSAP", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs by sweeping along an axis", box, NULL, NULL,
     NULL},
    {"DiscreteIntersection", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION, "contacts where elements overlap", "", NULL,
     NULL, NULL},
    {"MinProximityIntersection", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION,
     "contacts where elements are near each other", proximity,
     "useSphereTriangle bool = 1 | test spheres and triangles\n"
     "usePointPoint bool = 1 | test points and points\n"
     "useSurfaceNormals bool = 0 | contact directions from the surface\n"
     "useLinePoint bool = 1 | test lines and points\n"
     "useLineLine bool = 1 | test lines and lines\n",
     NULL, NULL},
    {"NewProximityIntersection", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION,
     "contacts where elements are near each other", proximity, "useLineLine bool = 0 | test lines and lines\n", NULL,
     NULL},
    {"LocalMinDistance", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION, "contacts at the local minima of the distance",
     proximity,
     "filterIntersection bool = 1 | leave out contacts outside of the normals' cones\n"
     "angleCone real = 0 | angle of the cones [radians]\n"
     "coneFactor real = 0.5 | factor of the cones\n"
     "useLMDFilters bool = 0 | use filters of the models\n",
     NULL, NULL},
    {"CollisionResponse", NULL, CONTACT_MODULE, DV_ROLE_COLLISION, "what answers contacts",
     "response string | kind of response, such as PenalityContactForceField or FrictionContactConstraint\n"
     "responseParams string | its parameters, such as mu=0.3\n",
     NULL, NULL, NULL},
    {"RuleBasedContactManager", NULL, CONTACT_MODULE, DV_ROLE_COLLISION,
     "what answers contacts, by rules for pairs of models",
     "response string | kind of response where no rule fits\n"
     "responseParams string | its parameters\n"
     "variables string | values used in the rules\n"
     "rules string | pairs of names or groups, and their response\n",
     NULL, NULL, NULL},
    {"DefaultCollisionGroupManager", NULL, CONTACT_MODULE, DV_ROLE_COLLISION, "puts bodies in contact under one solver",
     "", NULL, NULL, NULL},
};
const dvSettingTable dv_collision_settings = {rows, DV_COUNT(rows)};
