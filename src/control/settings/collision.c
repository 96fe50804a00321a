// Rows of settings.h. What collision has no components for yet.
#include "control/settings/settings.h"

#define DETECTION_MODULE "Sofa.Component.Collision.Detection.Algorithm"

static const char box[] = "box vec6 | region outside of which nothing is tested: minimum, maximum [m]\n";

static const dvSettingRow rows[] = {
    {"RayTraceNarrowPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs of elements with rays", "", NULL,
     NULL, NULL},
    {"RayTraceDetection", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "finds pairs by testing all models, then with rays", box, NULL, NULL, NULL},
};
const dvSettingTable dv_collision_settings = {rows, DV_COUNT(rows)};
