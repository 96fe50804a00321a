// Components of SOFA and its plugins that Divan does not have: a scene that asks for one is told so, instead of being
// sent to a component of a similar name. A test keeps the list free of names that exist.
#include "app/renames.h"

static const dvAbsent absent[] = {
    {"SofaCUDA", "CudaCorotationalFEMForceField CudaLinearSmallStrainFEMForceField CudaPointCollisionModel "
                 "CudaVisualModel MouseInteractor"},
    {"SofaDistanceGrid", "CudaCollisionDetection CudaRigidDistanceGridCollisionModel"},
    {"SoftRobots", "GameTrakController InteractiveControl PointCloudProcessing"},
};

void dv_register_absent(dvRegistry *r)
{
  for (size_t i = 0; i < DV_COUNT(absent); i++) dv_registry_add_absent(r, &absent[i]);
}
