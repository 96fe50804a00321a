// Components of SOFA and its plugins that Divan does not have: a scene that asks for one is told so, instead of being
// sent to a component of a similar name. A test keeps the list free of names that exist.
#include "app/renames.h"

static const dvAbsent absent[] = {
    {"BeamAdapter",
     "AdaptiveBeamController AdaptiveBeamForceFieldAndMass AdaptiveBeamLengthConstraint AdaptiveBeamMapping "
     "AdaptiveBeamSlidingConstraint AdaptiveInflatableBeamForceField BeamAdapterActionController BeamInterpolation "
     "BeamLengthMapping BeamProjectionDifferenceMultiMapping InterventionalRadiologyController "
     "MultiAdaptiveBeamMapping RodMeshSection RodSpireSection RodStraightSection SutureController "
     "WireBeamInterpolation WireRestShape"},
    {"Geomagic", "GeomagicDriver GeomagicEmulator"},
    {"PersistentContact", "PersistentContactBarycentricMapping PersistentContactRigidMapping"},
    {"Sensable", "EnslavementForceFeedback NewOmniDriver OmniDriver"},
    {"Sofa.Component.Constraint.Lagrangian.Correction", "PrecomputedConstraintCorrection"},
    {"Sofa.Component.Constraint.Lagrangian.Model", "AugmentedLagrangianConstraint"},
    {"Sofa.Component.Haptics", "LCPForceFeedback NullForceFeedback NullForceFeedbackT"},
    {"SofaCUDA", "CudaCorotationalFEMForceField CudaLinearSmallStrainFEMForceField CudaPointCollisionModel "
                 "CudaProximityIntersection CudaVisualModel MouseInteractor"},
    {"SofaDistanceGrid", "CudaCollisionDetection CudaRigidDistanceGridCollisionModel"},
    {"SofaEulerianFluid", "Fluid2D Fluid3D"},
    {"SofaSphFluid", "OglFluidModel ParticleSink ParticleSource ParticlesRepulsionForceField SPHFluidForceField "
                     "SPHFluidSurfaceMapping SpatialGridContainer SpatialGridPointModel"},
    {"SoftRobots",
     "AnimationEditor CableConstraint CenterOfMass CommunicationController DataControllerRobot DataVariationLimiter "
     "GameTrakController InteractiveControl JointConstraint PREquivalentStiffnessForceField "
     "PartialRigidificationConstraint PartialRigidificationForceField PipeForceField PointCloudProcessing "
     "PositionConstraint SerialPortBridgeGeneric SurfacePressureConstraint UnilateralPlaneConstraint"},
    {"SoftRobots.Inverse",
     "BarycentricCenterEffector BeamRestPositionActuator CableActuator CableEffector CableEquality CableSensor "
     "ForcePointActuator ForceSurfaceActuator JointActuator PositionEffector PositionEquality QPInverseProblemSolver "
     "SlidingActuator SurfacePressureActuator SurfacePressureEquality SurfacePressureSensor VolumeEffector "
     "YoungModulusActuator"},
    {"VolumetricRendering", "OglTetrahedralModel"},
};

void dv_register_absent(dvRegistry *r)
{
  for (size_t i = 0; i < DV_COUNT(absent); i++) dv_registry_add_absent(r, &absent[i]);
}
