// The table of SOFA's mistakes. See compat.h.
#include "object/compat.h"

#include <stdlib.h>
#include <strings.h>

_Static_assert(DV_COMPAT_COUNT <= 64, "an object keeps one bit for each case");

#define HEXA_MASSES                                                                                         \
  "HexahedronFEMForceFieldAndMass HexahedralFEMForceFieldAndMass NonUniformHexahedronFEMForceFieldAndMass " \
  "HexahedronCompositeFEMForceFieldAndMass"

const dvCompatCase dv_compat_cases[DV_COMPAT_COUNT] = {
    // --- what a scene says ---
    [DV_COMPAT_ATTRIBUTE_ORDER] = {.name = "attribute-order",
                                   .components = "",
                                   .since = "v26.12",
                                   .wrong = "attributes apply in the alphabetical order of their names",
                                   .right =
                                       "a single field goes before a name that stands for several, else the file's "
                                       "order counts"},
    [DV_COMPAT_WHOLE_EXPONENT] = {.name = "whole-exponent",
                                  .components = "",
                                  .since = "v26.12",
                                  .wrong = "a whole number is read up to the first letter: 1e4 is 1",
                                  .right = "1e4 is 10000"},
    [DV_COMPAT_SINGLE_ATTRIBUTES] =
        {.name = "single-attributes",
         .components =
             "MechanicalObject RegularGridTopology CubeTopology SphereQuadTopology MeshOBJLoader MeshGmshLoader "
             "MeshVTKLoader MeshSTLLoader MeshOffLoader MeshTrianLoader MeshXspLoader GIDMeshLoader "
             "SphereLoader VoxelGridLoader OffSequenceLoader OglModel VisualModelImpl",
         .since = "v26.12",
         .wrong = "scale, dx, rx, xmin and their kin are rounded to single precision",
         .right = "scale, dx, rx, xmin and their kin are read in double precision"},
    [DV_COMPAT_REST_ONLY] = {.name = "rest-only",
                             .components = "MechanicalObject",
                             .since = "v26.12",
                             .wrong = "a state that has rest_position alone starts at the origin",
                             .right = "a state that has rest_position alone starts there"},
    [DV_COMPAT_VELOCITY_ONLY] = {.name = "velocity-only",
                                 .components = "MechanicalObject",
                                 .since = "v26.12",
                                 .wrong = "a state with velocities but no positions starts at the origin, whatever its "
                                          "topology says",
                                 .right =
                                     "a state with velocities but no positions starts at the points of its topology"},
    [DV_COMPAT_MOVED_THRICE] =
        {.name = "moved-thrice",
         .components = "MeshOBJLoader MeshGmshLoader MeshVTKLoader MeshSTLLoader MeshOffLoader MeshTrianLoader "
                       "MeshXspLoader GIDMeshLoader OffSequenceLoader",
         .since = "v26.12",
         .wrong = "points are moved, taken back and moved again: their last digits are those of three roundings",
         .right = "points are moved once"},
    // --- integration ---
    [DV_COMPAT_BDF_HISTORY] = {.name = "bdf-history",
                               .components = "BDFOdeSolver",
                               .field = "keepHistory",
                               .sofa = "0",
                               .since = "v26.12",
                               .wrong =
                                   "earlier states are overwritten with the present one: motion runs at 2/3 of its "
                                   "speed with order 2, 6/11 with order 3",
                               .right = "earlier states are kept: the method of its order"},
    [DV_COMPAT_TRAPEZOID_POSITION] =
        {.name = "trapezoid-position",
         .components = "EulerImplicitSolver",
         .since = "v26.12",
         .wrong = "positions of the trapezoidal rule move with the new velocity: first "
                  "order",
         .right = "positions of the trapezoidal rule move with the mean of both velocities: second order"},
    [DV_COMPAT_MULTI_STEP_CLOCK] = {.name = "multi-step-clock",
                                    .components = "MultiStepAnimationLoop",
                                    .since = "v26.12",
                                    .wrong = "time starts anew with each collision step: the clock runs slow by "
                                             "collisionSteps",
                                    .right = "time moves by dt in a step"},
    // --- masses ---
    [DV_COMPAT_MESH_MATRIX_MASS] = {.name = "mesh-matrix-mass",
                                    .components = "MeshMatrixMass",
                                    .field = "exact",
                                    .sofa = "0",
                                    .since = "v26.12",
                                    .wrong = "masses of quads and hexahedra couple along edges only: the matrix is "
                                             "singular, indefinite for hexahedra",
                                    .right = "masses of quads and hexahedra are integrals of shape functions"},
    [DV_COMPAT_HEXA_INERTIA] = {.name = "hexa-inertia",
                                .components = HEXA_MASSES,
                                .since = "v26.12",
                                .wrong =
                                    "hexahedra have 19 times their inertia, and none against motion whose mean is 0",
                                .right = "hexahedra have their consistent mass matrix"},
    [DV_COMPAT_NONUNIFORM_MASS] = {.name = "nonuniform-mass",
                                   .components = "NonUniformHexahedronFEMForceFieldAndMass "
                                                 "HexahedronCompositeFEMForceFieldAndMass",
                                   .since = "v26.12",
                                   .wrong = "the mass of fine cells is scaled by the coefficient of their stiffness",
                                   .right = "the mass of fine cells is scaled by its own coefficient"},
    [DV_COMPAT_POINTS_MASS] = {.name = "points-mass",
                               .components = "NonUniformHexahedronFEMForceFieldAndMass "
                                             "HexahedronCompositeFEMForceFieldAndMass",
                               .since = "v26.12",
                               .wrong = "without useMass every point has totalMass over the number of cells",
                               .right = "without useMass the points share totalMass"},
    [DV_COMPAT_GYROSCOPIC] =
        {.name = "gyroscopic",
         .components = "UniformMass DiagonalMass",
         .field = "gyroscopic",
         .sofa = "0",
         .since = "v26.12",
         .wrong = "the inertia of frames does not turn with them and there is no gyroscopic torque",
         .right = "the inertia of frames turns with them and they feel the gyroscopic torque: a free body keeps its "
                  "angular momentum"},
    [DV_COMPAT_UNIFORM_RANGE] = {.name = "uniform-range",
                                 .components = "UniformMass",
                                 .since = "v26.12",
                                 .wrong = "a localRange that ends with the last point counts as none",
                                 .right = "a localRange that ends with the last point counts"},
    // --- constraints ---
    [DV_COMPAT_ATTACH_ROWS] = {.name = "attach-rows",
                               .components = "AttachProjectiveConstraint",
                               .field = "holdSecond",
                               .sofa = "0",
                               .since = "v26.12",
                               .wrong =
                                   "assembled matrices hold points of the first state that have the numbers of the "
                                   "second's",
                               .right = "assembled matrices hold the points that are attached"},
    [DV_COMPAT_LINEAR_VELOCITY] = {.name = "linear-velocity",
                                   .components = "LinearVelocityProjectiveConstraint",
                                   .since = "v26.12",
                                   .wrong = "points move on with every projection, also the one at the start",
                                   .right = "points move with the clock"},
    [DV_COMPAT_NEAR_ROTATIONS] = {.name = "near-rotations",
                                  .components = "LinearMovementProjectiveConstraint",
                                  .since = "v26.12",
                                  .wrong = "between two keys less than 0.002 rad apart a frame has their mean all the "
                                           "time",
                                  .right = "a frame turns from one key to the next, however near they are"},
    [DV_COMPAT_HERMITE_VELOCITY] = {.name = "hermite-velocity",
                                    .components = "HermiteSplineProjectiveConstraint",
                                    .since = "v26.12",
                                    .wrong = "the velocity is the derivative by the parameter of the curve",
                                    .right = "the velocity is the derivative by time"},
    // --- solvers ---
    [DV_COMPAT_WARP_ROTATIONS] = {.name = "warp-rotations",
                                  .components = "RotationMatrixSystem",
                                  .field = "rotations",
                                  .sofa = "SOFA",
                                  .since = "v26.12",
                                  .wrong = "rotations are counted from rest, those of hexahedra are parts of the "
                                           "inverse, and seven eighths of an identity are not written",
                                  .right = "rotations are those of the points since the matrix in use"},
    // --- forces ---
    [DV_COMPAT_HEXAHEDRAL_SINGLE] = {.name = "hexahedral-single",
                                     .components = "HexahedralFEMForceField HexahedralFEMForceFieldAndMass",
                                     .field = "singlePrecision",
                                     .sofa = "1",
                                     .since = "v26.12",
                                     .wrong = "matrices are rounded to single precision: a cell that only moves is "
                                              "pushed",
                                     .right = "matrices stay in double precision"},
    [DV_COMPAT_TARGET_SINGLE] = {.name = "target-single",
                                 .components = "DistanceFromTargetMapping",
                                 .field = "singlePrecision",
                                 .sofa = "1",
                                 .since = "v26.12",
                                 .wrong = "distances and their directions are rounded to single precision",
                                 .right = "distances and their directions stay in double precision"},
    [DV_COMPAT_PLASTIC_VOLUME] = {.name = "plastic-volume",
                                  .components = "TetrahedronFEMForceField",
                                  .since = "v26.12",
                                  .wrong = "plastic thresholds are compared with strains times six volumes of the "
                                           "element",
                                  .right = "plastic thresholds are compared with strains"},
    [DV_COMPAT_ANISOTROPIC_AREA] = {.name = "anisotropic-area",
                                    .components = "TriangularAnisotropicFEMForceField",
                                    .since = "v26.12",
                                    .wrong = "stiffness is not multiplied by the area: a finer mesh is a stiffer sheet",
                                    .right =
                                        "stiffness is multiplied by the area: the sheet does not depend on the mesh"},
    [DV_COMPAT_HALF_STRESS] = {.name = "half-stress",
                               .components = "TriangularFEMForceFieldOptim",
                               .since = "v26.12",
                               .wrong =
                                   "stressMaxValue is half of the largest principal stress, tension being negative",
                               .right = "stressMaxValue is the largest principal stress"},
    [DV_COMPAT_ANGULAR_REACTION] = {.name = "angular-reaction",
                                    .components = "AngularSpringForceField",
                                    .since = "v26.12",
                                    .wrong = "the frame that a frame is turned towards feels nothing",
                                    .right = "the frame that a frame is turned towards feels the opposite torque"},
    [DV_COMPAT_FRAME_SPRING] =
        {.name = "frame-spring",
         .components = "FrameSpringForceField",
         .since = "v26.12",
         .wrong = "damping of rotations drives the second frame, and torques stand in the axes of "
                  "the first",
         .right = "damping of rotations damps both frames, and torques stand in the axes of the world"},
    [DV_COMPAT_JOINT_REST] = {.name = "joint-rest",
                              .components = "JointSpringForceField",
                              .since = "v26.12",
                              .wrong = "a joint with REST_T rests where it starts, whatever the numbers say",
                              .right = "a joint with REST_T rests where the numbers say"},
    [DV_COMPAT_FORCE_AFTER_END] = {.name = "force-after-end",
                                   .components = "LinearForceField",
                                   .since = "v26.12",
                                   .wrong = "from the last key time on the factor `force` is left out",
                                   .right = "the factor `force` also holds from the last key time on"},
    [DV_COMPAT_CONE_DAMPING] = {.name = "cone-damping",
                                .components = "ConicalForceField",
                                .since = "v26.12",
                                .wrong = "beyond the end of the cone the damping feeds the motion",
                                .right = "beyond the end of the cone the damping damps, as at its sides"},
    [DV_COMPAT_ELLIPSOID_TORQUE] = {.name = "ellipsoid-torque",
                                    .components = "InteractionEllipsoidForceField",
                                    .since = "v26.12",
                                    .wrong = "the frame feels the forces on its ellipsoids, but not their torque",
                                    .right = "the frame feels the forces on its ellipsoids and their torque"},
    [DV_COMPAT_EDGE_LENGTH] = {.name = "edge-length",
                               .components = "EdgePressureForceField",
                               .since = "v26.12",
                               .wrong = "the i-th chosen edge has the length of the i-th edge of the mesh",
                               .right = "each chosen edge has its own length"},
    [DV_COMPAT_OSCILLATION_PERIOD] = {.name = "oscillation-period",
                                      .components = "OscillatingTorsionPressureForceField",
                                      .since = "v26.12",
                                      .wrong = "a period is 6.2831853",
                                      .right = "a period is 2 pi"},
    // --- skeletons, meshes ---
    [DV_COMPAT_BVH_DEGREES] = {.name = "bvh-degrees",
                               .components = "ArticulatedHierarchyContainer",
                               .since = "v26.12",
                               .wrong = "180 degrees of a .bvh file are 3.14",
                               .right = "180 degrees of a .bvh file are pi"},
    [DV_COMPAT_BVH_CLOCK] = {.name = "bvh-clock",
                             .components = "ArticulatedHierarchyBVHController",
                             .since = "v26.12",
                             .wrong = "a recorded frame lasts 1 / (frame time) steps, whatever the time step",
                             .right = "a recorded frame lasts its frame time"},
    [DV_COMPAT_QUAD_POINTS] = {.name = "quad-points",
                               .components = "Mesh2PointTopologicalMapping Mesh2PointMechanicalMapping",
                               .since = "v26.12",
                               .wrong = "points in quads take the corners in the order of a grid",
                               .right = "points in quads take the corners around the quad"},
    [DV_COMPAT_VOXEL_EXTENT] = {.name = "voxel-extent",
                                .components = "SparseGridTopology SparseGridMultipleTopology "
                                              "SparseGridRamificationTopology",
                                .since = "v26.12",
                                .wrong = "the extent of a .voxel file is cut to whole numbers",
                                .right = "the extent of a .voxel file is the number of voxels times their size"},
    [DV_COMPAT_RAMIFIED_FACES] = {.name = "ramified-faces",
                                  .components = "SparseGridRamificationTopology",
                                  .since = "v26.12",
                                  .wrong = "cells are also joined where an edge of the surface would cross their face "
                                           "behind its first point, and not where the last edge of a polygon does",
                                  .right = "cells are joined where an edge of the surface crosses their face"},
    // --- contacts ---
    [DV_COMPAT_LINE_SPHERE] = {.name = "line-sphere",
                               .components = "MinProximityIntersection",
                               .since = "v26.12",
                               .wrong = "a sphere meets a line as far from its first end as it is from the second",
                               .right = "a sphere meets a line where that is nearest"},
    [DV_COMPAT_FIRST_CORNER] = {.name = "first-corner",
                                .components = "NewProximityIntersection",
                                .since = "v26.12",
                                .wrong = "the first corner of a triangle touches another triangle once for every "
                                         "triangle that begins with it",
                                .right = "a corner that triangles share touches another triangle once"},
    [DV_COMPAT_PAIR_ORDER] =
        {.name = "pair-order",
         .components = "CollisionPipeline SubCollisionPipeline",
         .since = "v26.12",
         .wrong = "pairs of models are answered in the order in which a search first compared their models, however "
                  "long ago",
         .right = "pairs of models are answered in the order of detection: a step depends on its state alone"},
    [DV_COMPAT_DISTANCE_STEPS] = {.name = "distance-steps",
                                  .components = "DistanceGridForceField RigidDistanceGridCollisionModel "
                                                "FFDDistanceGridCollisionModel",
                                  .since = "v26.12",
                                  .wrong = "distances of a grid grow by steps along its axes, and slopes are "
                                           "differences over a cell of any width",
                                  .right =
                                      "distances of a grid are those to the nearest triangle, slopes have length 1"},
    [DV_COMPAT_DISTANCE_STIFFNESS] = {.name = "distance-stiffness",
                                      .components = "DistanceGridForceField",
                                      .since = "v26.12",
                                      .wrong = "products take the force of a point in place of its stiffness, with the "
                                               "sign that makes it unstable",
                                      .right = "products take the stiffness"},
    [DV_COMPAT_LATE_NORMALS] = {.name = "late-normals",
                                .components = "TriangleOctreeCollisionModel",
                                .since = "v26.12",
                                .wrong = "normals at points are those of the triangles as they lay a step before, "
                                         "without the first triangle",
                                .right = "normals at points are those of the triangles around them"},
    [DV_COMPAT_AUGMENTED_SLIDING] =
        {.name = "augmented-sliding",
         .components = "CollisionResponse RuleBasedContactManager",
         .since = "v26.12",
         .wrong = "friction of augmented contacts that slide grows along the motion, steps have any length",
         .right = "friction of augmented contacts that slide is mu times the normal force, against the motion; steps "
                  "do not overshoot"},
    [DV_COMPAT_PRECOMPUTED_COMPLIANCE] =
        {.name = "precomputed-compliance",
         .components = "PrecomputedConstraintCorrection",
         .since = "v26.12",
         .wrong = "rotations are computed and thrown away, regularizationTerm is added for every point of a row",
         .right = "the compliance turns with the points, regularizationTerm is added once"},
    [DV_COMPAT_UNBUILT_STEP] =
        {.name = "unbuilt-step",
         .components = "LCPConstraintSolver",
         .since = "v26.12",
         .wrong =
             "with build_lcp=\"0\" compliances of UncoupledConstraintCorrection with the integrator's factors lack "
             "the time step: contacts push too little by that factor",
         .right = "multipliers do not depend on build_lcp"},
    [DV_COMPAT_UNBUILT_GUESS] =
        {.name = "unbuilt-guess",
         .components = "LCPConstraintSolver",
         .since = "v26.12",
         .wrong = "with build_lcp=\"0\" the first sweep leaves out what the multipliers of the last step move",
         .right = "the first sweep begins with the motion of the multipliers that it begins with"},
    [DV_COMPAT_LATE_GUESS] =
        {.name = "late-guess",
         .components = "LCPConstraintSolver",
         .since = "v26.12",
         .wrong =
             "contacts of two models begin at 0 in the second step in which these touch, whatever initial_guess says",
         .right = "contacts begin with their multipliers of the last step from their second step on"},
    [DV_COMPAT_LCP_HELD] = {.name = "lcp-held",
                            .components = "LCPConstraintSolver",
                            .since = "v26.12",
                            .wrong = "contacts move points that projective constraints hold",
                            .right = "points that projective constraints hold stay where they are"},
    [DV_COMPAT_EXPLICIT_FACTORS] =
        {.name = "explicit-factors",
         .components = "UncoupledConstraintCorrection",
         .since = "v26.12",
         .wrong = "below an EulerExplicitSolver constraints move bodies by dt times less than others",
         .right = "a constraint moves all bodies by the same impulse, whatever integrates them"},
    [DV_COMPAT_RESIDUAL_ROW] = {.name = "residual-row",
                                .components = "PreconditionedConjugateResidual",
                                .since = "v26.12",
                                .wrong = "the residual of the row whose number the iteration has stands for all rows",
                                .right = "the iteration ends when the residuals of all rows are small"},
    [DV_COMPAT_LAST_MASS] = {.name = "last-mass",
                             .components = "AdaptiveBeamForceFieldAndMass",
                             .since = "v26.12",
                             .wrong = "of several masses in a node only the last takes part in products: damping by "
                                      "mass leaves out the others",
                             .right = "every mass takes part in products"},
    [DV_COMPAT_FRAME_LENGTH] =
        {.name = "frame-length",
         .components = "BeamInterpolation",
         .since = "v26.12",
         .wrong = "beams between frames whose quaternions are not of unit length are shorter or longer at rest than "
                  "their ends are apart, by where they lie in the world",
         .right = "frames are rotations, whatever the length of their quaternions"},
    // --- engines ---
    [DV_COMPAT_MEAN_ADDS] = {.name = "mean-adds",
                             .components = "MeanComputation",
                             .since = "v26.12",
                             .wrong = "the mean of the step before is added to the sum of the states",
                             .right = "the mean is the sum of the states over their number"},
    [DV_COMPAT_OUTSIDE_ROWS] =
        {.name = "outside-rows",
         .components = "MatrixLinearSystem TypedMatrixLinearSystem ConstantSparsityPatternSystem",
         .since = "v26.12",
         .wrong = "in an assembled matrix the stiffness of a contact between a body and an obstacle outside of its "
                  "system also couples the body with its own first points",
         .right = "an obstacle outside of the system rests while the body is solved"},
    [DV_COMPAT_FAR_BLOCKS] = {.name = "far-blocks",
                              .components = "BTDLinearSolver",
                              .since = "v26.12",
                              .wrong = "blocks far below the diagonal are added to blocks of other points",
                              .right = "blocks far from the diagonal are left out, those of contacts are kept"},
    [DV_COMPAT_SPHERE_EDGES] = {.name = "sphere-edges",
                                .components = "NewProximityIntersection",
                                .since = "v26.12",
                                .wrong = "a sphere touches two edges of a triangle where the triangle stands for "
                                         "another one, and edges beyond their first end",
                                .right = "a sphere touches an edge once, on the edge"},
    [DV_COMPAT_SPH_FLUID] = {.name = "sph-fluid",
                             .components = "SPHFluidForceField",
                             .since = "v26.12",
                             .wrong = "artificial viscosity mixes r/h with r, normals of the surface have the wrong "
                                      "sign for one of two particles, pressureType 0 and cohesion are not read",
                             .right = "viscosity of Monaghan, surface tension of Mueller, cohesion of Becker and "
                                      "Teschner"},
    [DV_COMPAT_ROBOT_IMPULSES] =
        {.name = "robot-impulses",
         .components = "CableConstraint SurfacePressureConstraint PositionConstraint JointConstraint CableActuator "
                       "SurfacePressureActuator ForcePointActuator SlidingActuator JointActuator CableEquality "
                       "SurfacePressureEquality PositionEquality",
         .since = "v26.12",
         .wrong = "forces and pressures, imposed, limits and told, are impulses of a step: force times dt",
         .right = "forces are in newtons and pressures in pascals, whatever dt is"},
    [DV_COMPAT_HELD_MOTION] = {.name = "held-motion",
                               .components = "FreeMotionAnimationLoop",
                               .since = "v26.12",
                               .wrong =
                                   "a body that a scene moves rests while contacts are solved: it drags nobody along",
                               .right = "a body that a scene moves has its velocity while contacts are solved"},
    [DV_COMPAT_CABLE_AREAS] = {.name = "cable-areas",
                               .components = "CableConstraint CableActuator CableEquality CableEffector CableSensor",
                               .since = "v26.12",
                               .wrong = "a cable that pulls at areas has the length through one point of each, so that "
                                        "tension times displacement is not its work",
                               .right = "a cable that pulls at areas runs through their means, weighted as its force"},
};

// --- the mode ------------------------------------------------------------------------------------

static const char *const modes[] = {[DV_COMPAT_NONE] = "none", [DV_COMPAT_SOFA] = "sofa"};

const char *dv_compat_name(dvCompatMode mode) { return modes[mode]; }

bool dv_compat_parse(const char *text, dvCompatMode *mode)
{
  for (int i = 0; i < (int)DV_COUNT(modes); i++)
    if (strcasecmp(text, modes[i]) == 0) {
      *mode = (dvCompatMode)i;
      return true;
    }
  return false;
}

void dv_compat_choose(dvContext *context, dvCompatMode mode)
{
  context->compat = context->compat_choice = mode;
  context->compat_chosen = true;
}

static dvStatus unknown_mode(dvContext *context, const char *where, const char *text, dvPlace place)
{
  char *message = dv_format("%s '%s' is not known", where, text);
  dv_log_send(&context->log, &(dvMessage){.level = DV_ERROR,
                                          .status = DV_ERROR_INPUT,
                                          .place = place,
                                          .text = message,
                                          .advice = "there are " DV_COMPAT_MODES});
  dv_free(message);
  return DV_ERROR_INPUT;
}

dvStatus dv_compat_begin(dvContext *context, const char *attribute, dvPlace place)
{
  const char *variable = getenv("DIVAN_COMPAT");
  dvCompatMode by_scene = DV_COMPAT_NONE, by_environment = DV_COMPAT_NONE;
  bool said = attribute && *attribute, set = variable && *variable && !said && !context->compat_chosen;
  dvStatus status = DV_OK;
  if (said && !dv_compat_parse(attribute, &by_scene)) status = unknown_mode(context, "compat", attribute, place);
  if (set && !dv_compat_parse(variable, &by_environment))
    status = unknown_mode(context, "the environment variable DIVAN_COMPAT:", variable, (dvPlace){0});
  context->compat = context->compat_chosen ? context->compat_choice : said ? by_scene : by_environment;
  return status;
}

// --- asking --------------------------------------------------------------------------------------

bool dv_compat(dvObject *o, dvCompatId id)
{
  o->compat_cases |= (uint64_t)1 << id;
  return o->as_sofa;
}

void dv_compat_field(dvObject *o, bool *member, dvCompatId id)
{
  if (dv_was_set(o, member)) return;
  bool sofa = dv_compat_cases[id].sofa[0] == '1';
  *member = dv_compat(o, id) ? sofa : !sofa;
}

double dv_compat_attribute(dvObject *o, double value)
{
  volatile float single = (float)value;   // gcc 12 drops a cast to float and back in vector code
  return (double)single != value && dv_compat(o, DV_COMPAT_SINGLE_ATTRIBUTES) ? (double)single : value;
}

const dvCompatCase *dv_compat_of_field(const dvClass *cls, const char *field)
{
  for (int i = 0; i < DV_COMPAT_COUNT; i++) {
    const dvCompatCase *c = &dv_compat_cases[i];
    if (c->field && dv_same(c->field, field) && dv_list_has(c->components, cls->name)) return c;
  }
  return NULL;
}
