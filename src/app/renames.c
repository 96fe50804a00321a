// Other names of components and what they are called here: those of SOFA's recent versions, older and newer than the
// one that Divan follows, and those of 2011.
#include "app/renames.h"

static const char cutting[] = "its operations are part of the modifier of the same elements";

static const dvRename renames[] = {
    // projective constraints got their family's name
    {"AffineMovementConstraint", "AffineMovementProjectiveConstraint", NULL, NULL},
    {"AttachConstraint", "AttachProjectiveConstraint", NULL, NULL},
    {"FixedConstraint", "FixedProjectiveConstraint", NULL, NULL},
    {"FixedPlaneConstraint", "FixedPlaneProjectiveConstraint", NULL, NULL},
    {"FixedRotationConstraint", "FixedRotationProjectiveConstraint", NULL, NULL},
    {"FixedTranslationConstraint", "FixedTranslationProjectiveConstraint", NULL, NULL},
    {"HermiteSplineConstraint", "HermiteSplineProjectiveConstraint", NULL, NULL},
    {"LinearMovementConstraint", "LinearMovementProjectiveConstraint", NULL, NULL},
    {"LinearVelocityConstraint", "LinearVelocityProjectiveConstraint", NULL, NULL},
    {"OscillatorConstraint", "OscillatorProjectiveConstraint", NULL, NULL},
    {"ParabolicConstraint", "ParabolicProjectiveConstraint", NULL, NULL},
    {"PartialFixedConstraint", "PartialFixedProjectiveConstraint", NULL, NULL},
    {"PartialLinearMovementConstraint", "PartialLinearMovementProjectiveConstraint", NULL, NULL},
    {"PatchTestMovementConstraint", "PatchTestMovementProjectiveConstraint", NULL, NULL},
    {"PositionBasedDynamicsConstraint", "PositionBasedDynamicsProjectiveConstraint", NULL, NULL},
    {"ProjectDirectionConstraint", "DirectionProjectiveConstraint", NULL, NULL},
    {"ProjectToLineConstraint", "LineProjectiveConstraint", NULL, NULL},
    {"ProjectToPlaneConstraint", "PlaneProjectiveConstraint", NULL, NULL},
    {"ProjectToPointConstraint", "PointProjectiveConstraint", NULL, NULL},
    {"SkeletalMotionConstraint", "SkeletalMotionProjectiveConstraint", NULL, NULL},
    {"PlaneConstraint", "PlaneProjectiveConstraint", NULL, NULL},
    // so did Lagrangian ones
    {"BilateralInteractionConstraint", "BilateralLagrangianConstraint", NULL, NULL},
    {"SlidingConstraint", "SlidingLagrangianConstraint", NULL, NULL},
    {"StopperConstraint", "StopperLagrangianConstraint", NULL, NULL},
    {"UniformConstraint", "UniformLagrangianConstraint", NULL, NULL},
    {"UnilateralInteractionConstraint", "UnilateralLagrangianConstraint", NULL, NULL},
    // forces, solvers, engines, looks
    {"StiffSpringForceField", "SpringForceField", NULL, NULL},
    {"ParallelStiffSpringForceField", "ParallelSpringForceField", NULL, NULL},
    {"ShewchukPCGLinearSolver", "PCGLinearSolver", NULL, NULL},
    {"VolumeFromTetrahedrons", "VolumeFromVolumetricElements", NULL, NULL},
    {"OglCylinderModel", "CylinderVisualModel", NULL, NULL},
    {"VisualModel", "VisualModelImpl", NULL, NULL},
    // integrators after v26.12, as newer scripts name them
    {"EulerImplicitIntegrationScheme", "EulerImplicitSolver", NULL, NULL},
    {"NewmarkImplicitIntegrationScheme", "NewmarkImplicitSolver", NULL, NULL},
    {"EulerExplicitIntegrationScheme", "EulerExplicitSolver", NULL, NULL},
    {"CentralDifferenceIntegrationScheme", "CentralDifferenceSolver", NULL, NULL},
    {"RungeKutta2IntegrationScheme", "RungeKutta2Solver", NULL, NULL},
    {"RungeKutta4IntegrationScheme", "RungeKutta4Solver", NULL, NULL},
    // states, solvers and topologies of 2011
    {"MechanicalState", "MechanicalObject", NULL, NULL},
    {"EulerSolver", "EulerExplicitSolver", NULL, NULL},
    {"EulerImplicit", "EulerImplicitSolver", NULL, NULL},
    {"CGImplicit", "EulerImplicitSolver", "CGLinearSolver", NULL},
    {"CGImplicitSolver", "EulerImplicitSolver", "CGLinearSolver", NULL},
    {"VerletSolver", "CentralDifferenceSolver", NULL, NULL},
    {"SparseGrid", "SparseGridTopology", NULL, NULL},
    {"RigidRigidMapping", "RigidMapping", NULL, NULL},
    {"ManifoldEdgeSetTopologyContainer", "EdgeSetTopologyContainer", NULL, NULL},
    {"ManifoldTriangleSetTopologyContainer", "TriangleSetTopologyContainer", NULL, NULL},
    {"PointSetTopologyAlgorithms", "PointSetTopologyModifier", NULL, cutting},
    {"EdgeSetTopologyAlgorithms", "EdgeSetTopologyModifier", NULL, cutting},
    {"TriangleSetTopologyAlgorithms", "TriangleSetTopologyModifier", NULL, cutting},
    {"QuadSetTopologyAlgorithms", "QuadSetTopologyModifier", NULL, cutting},
    {"TetrahedronSetTopologyAlgorithms", "TetrahedronSetTopologyModifier", NULL, cutting},
    {"HexahedronSetTopologyAlgorithms", "HexahedronSetTopologyModifier", NULL, cutting},
    // collisions of 2011
    {"DefaultPipeline", "CollisionPipeline", NULL, NULL},
    {"DefaultContactManager", "CollisionResponse", NULL, NULL},
    {"CollisionGroup", "DefaultCollisionGroupManager", NULL, NULL},
    {"ProximityIntersection", "NewProximityIntersection", NULL, NULL},
    {"SphereModel", "SphereCollisionModel", NULL, NULL},
    {"TriangleModel", "TriangleCollisionModel", NULL, NULL},
    {"TriangleMeshModel", "TriangleCollisionModel", NULL, NULL},
    {"TriangleSet", "TriangleCollisionModel", NULL, NULL},
    {"LineModel", "LineCollisionModel", NULL, NULL},
    {"LineSet", "LineCollisionModel", NULL, NULL},
    {"PointModel", "PointCollisionModel", NULL, NULL},
    {"PointSet", "PointCollisionModel", NULL, NULL},
    {"TetrahedronModel", "TetrahedronCollisionModel", NULL, NULL},
    {"TriangleOctreeModel", "TriangleOctreeCollisionModel", NULL, NULL},
};

void dv_register_renames(dvRegistry *r)
{
  for (size_t i = 0; i < DV_COUNT(renames); i++) dv_registry_add_rename(r, &renames[i]);
}
