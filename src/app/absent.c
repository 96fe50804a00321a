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
    {"CollisionOBBCapsule", "CapsuleCollisionModel OBBCollisionModel"},
    {"Geomagic", "GeomagicDriver GeomagicEmulator"},
    {"PersistentContact", "PersistentContactBarycentricMapping PersistentContactRigidMapping"},
    {"Sensable", "EnslavementForceFeedback NewOmniDriver OmniDriver"},
    {"Sofa.Component.AnimationLoop", "ConstraintAnimationLoop"},
    {"Sofa.Component.Collision.Geometry",
     "CubeCollisionModel CylinderCollisionModel RayCollisionModel "
     "TetrahedronCollisionModel TriangleModelInRegularGrid TriangleOctreeCollisionModel"},
    {"Sofa.Component.Collision.Response.Contact", "ContactListener"},
    {"Sofa.Component.Constraint.Lagrangian.Correction", "PrecomputedConstraintCorrection "
                                                        "UncoupledConstraintCorrection"},
    {"Sofa.Component.Constraint.Lagrangian.Model",
     "AugmentedLagrangianConstraint FixedLagrangianConstraint "
     "SlidingLagrangianConstraint StopperLagrangianConstraint UniformLagrangianConstraint "
     "UnilateralLagrangianConstraint"},
    {"Sofa.Component.Constraint.Lagrangian.Solver",
     "ImprovedJacobiConstraintSolver LCPConstraintSolver NNCGConstraintSolver "
     "PreconditionedConjugateResidual UnbuiltGaussSeidelConstraintSolver"},
    {"Sofa.Component.Haptics", "LCPForceFeedback NullForceFeedback NullForceFeedbackT"},
    {"Sofa.Component.Topology.Utility", "TopologicalChangeProcessor TopologyBoundingTrasher"},
    {"SofaCUDA", "CudaCorotationalFEMForceField CudaLinearSmallStrainFEMForceField CudaPointCollisionModel "
                 "CudaProximityIntersection CudaVisualModel MouseInteractor"},
    {"SofaCarving", "CarvingManager"},
    {"SofaDistanceGrid", "CudaCollisionDetection CudaRigidDistanceGridCollisionModel DistanceGridForceField "
                         "FFDDistanceGridCollisionModel RigidDistanceGridCollisionModel"},
    {"SofaEulerianFluid", "Fluid2D Fluid3D"},
    {"SofaMatrix", "ComplianceMatrixExporter ComplianceMatrixImage"},
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
