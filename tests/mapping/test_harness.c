// Every mapping against finite differences: J, J^T, assembled J, dJ^T and its matrix, rows of constraints,
// accelerations; and whole scenes with chains of mappings and several inputs.
#include "support/check.h"
#include "support/fd.h"

#include "app/divan.h"

#include <string.h>

typedef struct Row {
  const char *name;    // class of the mapping
  const char *scene;   // in it the mapping is called `map`
  bool inexact;        // its geometric stiffness is an approximation, or is left out
} Row;

#define POINTS "<MechanicalObject name='in' position='0 0 0  1 0.1 0  0.2 1 0.1  0.1 0.3 1.2  1.3 0.9 0.8'/>"
#define FRAMES                                                                                                       \
  "<MechanicalObject name='in' template='Rigid3' position='0 0 0 0 0 0 1  1 0.2 0 0.5 0.5 0.5 0.5  2 0 0.3 0.1 0.7 " \
  "0.1 0.7'/>"
#define AFFINE                                                                                                      \
  "<MechanicalObject name='in' template='Affine3' position='0 0 0 1 0 0 0 1 0 0 0 1  1 0.2 0 0 1 0 -1 0.2 0 0.1 0 " \
  "1.3'/>"
#define QUADRATIC                                                                                                      \
  "<MechanicalObject name='in' template='Quadratic3' position='0.2 0 0 1 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " \
  "0 0 0 0  "                                                                                                          \
  "1.7 0.2 0 0 1 0 -1 0.2 0 0.1 0 1.3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'/>"
#define VOXELS                                                                                                        \
  "<MaterialMap resolution='8 4 4' voxelSize='0.25 0.25 0.25' origin='0 -0.5 -0.5' youngModulus='500 2000' boxes='1 " \
  "-1 -1 4 1 1' boxMaterials='2'/>"
#define CHILD(out, map) "<Node><MechanicalObject name='out' " out "/>" map "</Node>"

// three frames in a chain: a centre with three articulations, then one with one
#define SKELETON(process, root_state, root)                                                                            \
  "<Node>" root_state "<Node name='j'><MechanicalObject name='in' template='Vec1' position='0.3 -0.2 0.5 0.1'/><Node " \
  "name='f'><MechanicalObject name='out' "                                                                             \
  "template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1  2 0 0 0 0 0 1'/><ArticulatedSystemMapping name='map' "    \
  "input1='@../in' " root "/></Node>"                                                                                  \
  "<ArticulatedHierarchyContainer/><Node name='c'><Node name='a'><ArticulationCenter parentIndex='0' childIndex='1' "  \
  "posOnParent='0.5 0.1 0' posOnChild='-0.4 0 0.2' "                                                                   \
  "articulationProcess='" process "'/><Node><Articulation rotation='1' axis='0 0 1' "                                  \
  "articulationIndex='0'/><Articulation translation='1' axis='1 1 0' "                                                 \
  "articulationIndex='1'/><Articulation rotation='1' axis='0 1 0' articulationIndex='2'/></Node></Node><Node "         \
  "name='b'><ArticulationCenter parentIndex='1' "                                                                      \
  "childIndex='2' posOnParent='0.5 0 0' posOnChild='-0.5 0 0'/><Node><Articulation rotation='1' translation='1' "      \
  "axis='0 1 1' articulationIndex='3'/></Node></Node></Node></Node></Node>"
#define MESHES DIVAN_SOURCE_DIR "/scenes/mesh/"

static const Row rows[] = {
    {"DistanceMapping",
     "<Node>" POINTS "<MeshTopology name='t' edges='0 1 1 2 3 2'/>" CHILD(
         "template='Vec1'", "<DistanceMapping name='map' topology='@../t' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"DistanceMapping",
     "<Node>" FRAMES "<MeshTopology name='t' edges='0 1 1 2'/>" CHILD(
         "template='Vec1'", "<DistanceMapping name='map' topology='@../t' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"SquareDistanceMapping",
     "<Node>" POINTS "<MeshTopology name='t' edges='0 1 1 2 3 2'/>" CHILD(
         "template='Vec1'",
         "<SquareDistanceMapping name='map' topology='@../t' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"SquareMapping",
     "<Node><MechanicalObject template='Vec1' position='0.5 -2 3'/>" CHILD("template='Vec1'",
                                                                           "<SquareMapping name='map'/>") "</Node>",
     false},
    {"DistanceFromTargetMapping",
     "<Node>" POINTS CHILD("template='Vec1'", "<DistanceFromTargetMapping name='map' indices='0 2' targetPositions='3 "
                                              "0 0 0 3 1' singlePrecision='0' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"DistanceFromTargetMapping",
     "<Node>" FRAMES CHILD("template='Vec1'",
                           "<DistanceFromTargetMapping name='map' indices='2 0' targetPositions='3 1 0 0 0 0 1  0 3 1 "
                           "0 0 0 1' singlePrecision='0' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"DistanceMultiMapping",
     "<Node><Node name='a'><MechanicalObject name='a' position='0 0 0 1 0 0'/></Node><Node name='b'><MechanicalObject "
     "name='b' position='0 2 0.5 1 2 1 3 1 1'/></Node>"
     "<Node><MeshTopology name='t' edges='0 1 1 2 3 0'/><MechanicalObject name='out' "
     "template='Vec1'/><DistanceMultiMapping name='map' input='@../a/a @../b/b' topology='@t' "
     "indexPairs='0 1  1 2  0 0  1 0' geometricStiffness='Exact'/></Node></Node>",
     false},
    {"AreaMapping",
     "<Node>" POINTS "<MeshTopology name='t' triangles='0 1 2 1 4 3'/>" CHILD(
         "template='Vec1'", "<AreaMapping name='map' topology='@../t' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"VolumeMapping",
     "<Node>" POINTS "<MeshTopology name='t' tetrahedra='0 1 2 3 1 4 3 2'/>" CHILD(
         "template='Vec1'", "<VolumeMapping name='map' topology='@../t' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"IdentityMapping", "<Node>" POINTS CHILD("", "<IdentityMapping name='map'/>") "</Node>", false},
    {"IdentityMapping", "<Node>" FRAMES CHILD("", "<IdentityMapping name='map'/>") "</Node>", false},
    {"SubsetMapping", "<Node>" POINTS CHILD("", "<SubsetMapping name='map' indices='3 0 3'/>") "</Node>", false},
    {"BarycentricMapping",
     "<Node>" POINTS "<MeshTopology tetrahedra='0 1 2 3 1 4 3 2'/>" CHILD("position='0.3 0.3 0.3  0.8 0.7 0.6  3 3 3'",
                                                                          "<BarycentricMapping name='map'/>") "</Node>",
     false},
    {"IdentityMultiMapping",
     "<Node><Node name='a'><MechanicalObject name='a' position='0 0 0 1 0 0'/></Node><Node name='b'><MechanicalObject "
     "name='b' position='0 2 0.5'/></Node>"
     "<Node><MechanicalObject name='out'/><IdentityMultiMapping name='map' input='@../a/a @../b/b'/></Node></Node>",
     false},
    {"SubsetMultiMapping",
     "<Node><Node name='a'><MechanicalObject name='a' template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 "
     "1'/></Node><Node name='b'><MechanicalObject name='b' "
     "template='Rigid3' position='0 2 0.5 0.5 0.5 0.5 0.5'/></Node><Node><MechanicalObject "
     "name='out'/><SubsetMultiMapping name='map' input='@../a/a @../b/b' indexPairs='1 0 0 1 0 1'/></Node></Node>",
     false},
    {"CenterOfMassMapping",
     "<Node>" FRAMES "<UniformMass totalMass='3'/>" CHILD("", "<CenterOfMassMapping name='map'/>") "</Node>", false},
    {"CenterOfMassMultiMapping",
     "<Node><Node name='a'><MechanicalObject name='a' position='0 0 0 1 0 0'/><UniformMass totalMass='1'/></Node><Node "
     "name='b'><MechanicalObject name='b' position='0 2 0.5'/>"
     "<UniformMass totalMass='5'/></Node><Node><MechanicalObject name='out'/><CenterOfMassMultiMapping name='map' "
     "input='@../a/a @../b/b'/></Node></Node>",
     false},
    {"CenterOfMassMulti2Mapping",
     "<Node><Node name='a'><MechanicalObject name='a' position='0 0 0 1 0 0'/><UniformMass totalMass='1'/></Node><Node "
     "name='b'><MechanicalObject name='b' template='Rigid3' "
     "position='0 2 0.5 0 0 0 1'/><UniformMass totalMass='5'/></Node><Node><MechanicalObject "
     "name='out'/><CenterOfMassMulti2Mapping name='map' input1='@../a/a' input2='@../b/b'/></Node></Node>",
     false},
    {"DistanceToPlaneMapping",
     "<Node>" POINTS CHILD("template='Vec1'",
                           "<DistanceToPlaneMapping name='map' planeNormal='1 2 -1' planePoint='0 1 0'/>") "</Node>",
     false},
    {"DistanceToPlaneMapping",
     "<Node>" FRAMES CHILD("template='Vec1'", "<DistanceToPlaneMapping name='map' planeNormal='1 2 -1'/>") "</Node>",
     false},
    {"SimpleTesselatedTetraMechanicalMapping",
     "<Node>" POINTS "<TetrahedronSetTopologyContainer name='t' position='@in.position' tetrahedra='0 1 2 3 1 4 3 "
     "2'/><Node><TetrahedronSetTopologyContainer name='u'/>"
     "<SimpleTesselatedTetraTopologicalMapping input='@../t' output='@u'/><MechanicalObject "
     "name='out'/><SimpleTesselatedTetraMechanicalMapping name='map'/></Node></Node>",
     false},
    {"Mesh2PointMechanicalMapping",
     "<Node>" POINTS "<TetrahedronSetTopologyContainer name='t' position='@in.position' tetrahedra='0 1 2 3 1 4 3 "
     "2'/><Node><PointSetTopologyContainer name='u'/>"
     "<Mesh2PointTopologicalMapping input='@../t' output='@u' pointBaryCoords='0 0 0.1 0.2 0 0' edgeBaryCoords='0.3 0 "
     "0' tetraBaryCoords='0.2 0.3 0.1  0.1 0.1 0.1'/>"
     "<MechanicalObject name='out'/><Mesh2PointMechanicalMapping name='map'/></Node></Node>",
     false},
    {"TubularMapping",
     "<Node>" FRAMES CHILD("", "<TubularMapping name='map' nbPointsOnEachCircle='3' radius='0.4' peak='1'/>") "</Node>",
     true},
    {"BeamLinearMapping",
     "<Node>" FRAMES CHILD("position='0.3 0.1 0  1.7 0 0.2  -0.2 0 0  2.5 0.1 0.1'",
                           "<BeamLinearMapping name='map'/>") "</Node>",
     true},
    {"BeamLinearMapping_mt",
     "<Node>" FRAMES CHILD("position='0.3 0.1 0  1.7 0 0.2'",
                           "<BeamLinearMapping_mt name='map' localCoord='0'/>") "</Node>",
     true},
    {"AdaptiveBeamMapping",
     "<Node>" FRAMES "<MeshTopology edges='0 1 1 2'/><BeamInterpolation/>" CHILD(
         "", "<AdaptiveBeamMapping name='map' points='0 0 0  0.3 0 0  1.6 0 0  9 0 0'/>") "</Node>",
     true},
    {"MultiAdaptiveBeamMapping",
     "<Node><Node name='A'><RodStraightSection name='rod' length='4' nbBeams='4' nbEdgesCollis='6'/><WireRestShape "
     "name='shape' wireMaterials='@rod'/><EdgeSetTopologyContainer/></Node><MechanicalObject name='in' "
     "template='Rigid3' "
     "position='0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1'/>"
     "<MeshTopology edges='0 1 1 2 2 3 3 4 4 5'/><WireBeamInterpolation name='wire' WireRestShape='@A/shape'/>"
     "<FixedProjectiveConstraint/><InterventionalRadiologyController name='hand' instruments='wire' xtip='3.3'/>"
     "<Node name='C'><EdgeSetTopologyContainer/><MechanicalObject name='out'/><MultiAdaptiveBeamMapping name='map' "
     "controller='@../hand'/></Node></Node>",
     true},
    {"BeamLengthMapping",
     "<Node>" FRAMES "<MeshTopology edges='0 1 1 2'/><BeamInterpolation/>" CHILD(
         "template='Vec1'", "<BeamLengthMapping name='map' geometricStiffness='1'/>") "</Node>",
     false},
    {"LineSetSkinningMapping",
     "<Node>" FRAMES "<MeshTopology edges='0 1 1 2'/>" CHILD("position='0.3 0.1 0  1.7 0 0.2'",
                                                             "<LineSetSkinningMapping name='map'/>") "</Node>",
     true},
    {"SkinningMapping",
     "<Node>" FRAMES CHILD("position='0.3 0.1 0  1.7 0 0.2'", "<SkinningMapping name='map' nbRef='2'/>") "</Node>",
     true},
    {"SkinningMapping",
     "<Node>" FRAMES CHILD(
         "position='0.3 0.1 0  1.7 0 0.2'",
         "<SkinningMapping name='map' nbRef='2 1' indices='[0,2] [1]' weight='[0.3,0.9] [1]'/>") "</Node>",
     true},
    {"SkinningMapping",
     "<Node>" FRAMES CHILD("position='0.3 0.1 0  1.7 0 0.2'",
                           "<SkinningMapping name='map' nbRef='3' dualQuaternions='1'/>") "</Node>",
     true},
    {"DeformableOnRigidFrameMapping",
     "<Node><Node name='a'><MechanicalObject name='a' position='0 0 0 1 0 0 0.2 1 0.3'/></Node><Node name='f'>" FRAMES
     "</Node>"
     "<Node><MechanicalObject name='out'/><DeformableOnRigidFrameMapping name='map' input1='@../a/a' input2='@../f/in' "
     "repartition='1 1 1'/></Node></Node>",
     true},
    {"BarycentricMapping",
     "<Node>" POINTS "<MeshTopology tetrahedra='0 1 2 3 1 4 3 2'/>" CHILD(
         "template='Rigid3' position='0.3 0.3 0.3 0 0 0 1  0.8 0.7 0.6 0.5 0.5 0.5 0.5  3 3 3 0.6 0 0 0.8'",
         "<BarycentricMapping name='map'/>") "</Node>",
     true},
    {"BarycentricMapping",
     "<Node><RegularGridTopology n='2 3 2' min='0 0 0' max='1 2 1'/><MechanicalObject/>" CHILD(
         "template='Rigid3' position='0.3 0.3 0.3 0 0 0 1  0.8 1.7 0.6 0.5 0.5 0.5 0.5'",
         "<BarycentricMapping name='map'/>") "</Node>",
     true},
    {"ArticulatedSystemMapping", SKELETON("0", "", ""), true},
    {"ArticulatedSystemMapping", SKELETON("1", "", ""), true},
    {"ArticulatedSystemMapping", SKELETON("2", "", ""), true},
    {"ArticulatedSystemMapping",
     SKELETON("0", "<Node name='r'>" FRAMES "</Node>", "input2='@../../r/in' indexInput2='1'"), true},
    {"SplineMapping",
     "<Node><MechanicalObject position='0 0 0 1 1 0 2 1 0.5 3 0 0 4 -1 0 5 0 0 6 0 1'/>" CHILD(
         "", "<SplineMapping name='map' parameters='0 0.3 1 1.6 2'/>") "</Node>",
     false},
    {"SplineMapping",
     "<Node><MechanicalObject position='0 0 0 1 1 0 2 1 0.5 3 0 0'/>" CHILD(
         "", "<SplineMapping name='map' curve='Hermite' parameters='0.2 0.9'/>") "</Node>",
     false},
    {"SplineMapping",
     "<Node><MechanicalObject position='0 0 0 1 1 0 2 1 0.5 3 0 0'/>" CHILD(
         "position='0.5 1 0 2 2 2'", "<SplineMapping name='map' curve='CatmullRom'/>") "</Node>",
     false},
    {"HexahedronCompositeFEMMapping",
     "<Node><SparseGridMultipleTopology name='grid' n='2 2 2' fileTopology='" MESHES
     "block.obj' fileTopologies='" MESHES "block.obj " MESHES "block-half.obj' stiffnessCoefs='1 100' "
     "massCoefs='1 1' nbVirtualFinerLevels='2' finestConnectivity='0'/><MechanicalObject "
     "name='in'/><HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='2' youngModulus='2000' "
     "poissonRatio='0.3' useMass='0' totalMass='4'/>" CHILD("position='0.2 0.3 0.1  0.7 0.8 0.9'",
                                                            "<HexahedronCompositeFEMMapping name='map'/>") "</Node>",
     true},
    {"FrameBlendingMapping",
     "<Node>" FRAMES CHILD("position='0.3 0.1 0  1.7 0 0.2'", "<FrameBlendingMapping name='map' nbRef='2'/>") "</Node>",
     true},
    {"FrameBlendingMapping",
     "<Node>" FRAMES CHILD("", "<FrameBlendingMapping name='map' gradients='1' shape='Lines' integrationPoints='0.3 "
                               "0.1 0  1.7 0 0.2  0 0 0'/>") "</Node>",
     true},
    {"FrameBlendingMapping",
     "<Node>" FRAMES CHILD(
         "",
         "<FrameBlendingMapping name='map' gradients='1' integrationPoints='0.3 0.1 0  1.7 0 0.2  0 0 0'/>") "</Node>",
     true},
    {"FrameBlendingMapping",
     "<Node>" FRAMES CHILD("", "<FrameBlendingMapping name='map' gradients='1' integrationPoints='0.3 0.1 0  1.7 0 0.2 "
                               " 0 0 0' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"FrameBlendingMapping",
     "<Node>" AFFINE CHILD("position='0.3 0.1 0  1.7 0 0.2'", "<FrameBlendingMapping name='map'/>") "</Node>", false},
    {"FrameBlendingMapping",
     "<Node>" AFFINE CHILD("", "<FrameBlendingMapping name='map' gradients='1' shape='Lines' integrationPoints='0.3 "
                               "0.1 0  1.1 0 0.2'/>") "</Node>",
     false},
    {"FrameBlendingMapping",
     "<Node>" QUADRATIC CHILD("position='0.3 0.1 0  1.7 0 0.2'", "<FrameBlendingMapping name='map'/>") "</Node>",
     false},
    {"FrameBlendingMapping",
     "<Node>" VOXELS QUADRATIC
     "<VoxelShapeFunction name='shape' frames='@in'/><IntegrationPointSampler name='points' shapeFunction='@shape' "
     "count='3'/>" CHILD("", "<FrameBlendingMapping name='map' gradients='1' shapeFunction='@../shape' "
                             "integrationPoints='@../points.position'/>") "</Node>",
     false},
    {"FrameBlendingMapping",
     "<Node>" VOXELS
     "<FrameSampler name='frames' template='Rigid3' count='3'/><MechanicalObject name='in' template='Rigid3' "
     "position='@frames.position'/><VoxelShapeFunction name='shape' frames='@in'/>" CHILD(
         "", "<FrameBlendingMapping name='map' gradients='1' shapeFunction='@../shape' integrationPoints='0.3 0.1 0  "
             "1.7 0 0.2' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"VoidMapping", "<Node>" POINTS CHILD("position='1 2 3'", "<VoidMapping name='map'/>") "</Node>", true},
    {"RigidMapping",
     "<Node>" FRAMES CHILD(
         "position='1 0 0 0 2 0 1 1 1'",
         "<RigidMapping name='map' rigidIndexPerPoint='0 1 1' geometricStiffness='Exact'/>") "</Node>",
     false},
    {"RigidMapping",
     "<Node>" FRAMES CHILD("template='Rigid3' position='1 0 0 0 0 0 1  0 2 0 0.5 0.5 0.5 0.5'",
                           "<RigidMapping name='map' rigidIndexPerPoint='0 1'/>") "</Node>",
     true},
};

static void check_row(const Row *r)
{
  fdScene s = fd_open(r->scene);
  fdOptions o = fd_options();
  dvObject *map = fd_find(&s, "map");
  assert_string_equal(map->cls->name, r->name);
  if (r->inexact) o.checks &= ~(unsigned)FD_GEOMETRIC;
  bool good = strcmp(r->name, "VoidMapping") == 0 || fd_check_mapping(map, &o);   // which has no J
  if (!good) print_error("%s\n", r->scene);
  assert_true(good);
  fd_close(&s);
}

static void every_mapping_agrees_with_differences(void **state)
{
  (void)state;
  for (size_t i = 0; i < DV_COUNT(rows); i++) check_row(&rows[i]);
}

// without a Jacobian, with points that come with contacts, along a curve (own tests: collision, instrument)
static const char *const without[] = {"SPHFluidSurfaceMapping", "ImplicitSurfaceMapping",
                                      "PersistentContactRigidMapping", "PersistentContactBarycentricMapping",
                                      "BeamProjectionDifferenceMultiMapping"};

// what loads as a mapping has a row above
static void no_mapping_is_left_out(void **state)
{
  (void)state;
  dvContext *c = dv_divan_create(1);
  int missing = 0;
  for (size_t i = 0; i < c->registry.classes.count; i++) {
    const dvClass *cls = c->registry.classes.data[i];
    const dvMappingOps *ops = cls->ops[DV_ROLE_MAPPING];
    bool found = !ops || !ops->apply_j;
    for (size_t k = 0; k < DV_COUNT(without) && !found; k++) found = strcmp(without[k], cls->name) == 0;
    for (size_t k = 0; k < DV_COUNT(rows) && !found; k++) found = strcmp(rows[k].name, cls->name) == 0;
    if (!found) print_error("%s has no row in the harness\n", cls->name), missing++;
  }
  assert_int_equal(missing, 0);
  dv_divan_destroy(&c);
}

// --- whole scenes --------------------------------------------------------------------------------

typedef struct System {
  const char *scene;
  unsigned without;   // checks that do not hold there
} System;

static const System systems[] = {
    // frame -> points -> subset -> distance: three mappings, springs on the first and last level
    {"<Node gravity='0 -9.81 0'><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1  1 0.2 0 0.5 0.5 0.5 "
     "0.5'/><UniformMass totalMass='2'/>"
     "<Node name='a'><MechanicalObject name='p' position='1 0 0 0 2 0 1 1 1 0.3 0.1 -1'/><RigidMapping "
     "rigidIndexPerPoint='0 0 1 1' geometricStiffness='Exact'/>"
     "<SpringForceField spring='0 3 20 0 1'/>"
     "<Node name='b'><MechanicalObject name='q'/><SubsetMapping indices='0 2 3'/>"
     "<Node name='c'><MeshTopology name='t' edges='0 1 1 2'/><MechanicalObject name='d' "
     "template='Vec1'/><DistanceMapping topology='@t' geometricStiffness='Exact' restLengths='0.5 0.7'/>"
     "<RestShapeSpringsForceField stiffness='30'/></Node></Node></Node></Node>",
     0},
    // two inputs of a distance, each with a mapping of its own
    {"<Node gravity='0 0 0'><Node name='a'><MechanicalObject name='a' position='0 0 0 1 0 0'/><UniformMass "
     "totalMass='1'/></Node>"
     "<Node name='f'><MechanicalObject name='f' template='Rigid3' position='2 1 0 0 0 0 1'/><UniformMass "
     "totalMass='1'/>"
     "<Node name='g'><MechanicalObject name='g' position='0.5 0.5 0'/><RigidMapping "
     "geometricStiffness='Exact'/></Node></Node>"
     "<Node name='d'><MeshTopology name='t' edges='0 1 2 1'/><MechanicalObject name='d' template='Vec1'/>"
     "<DistanceMultiMapping input='@../a/a @../f/g/g' topology='@t' indexPairs='0 0  1 0  0 1' restLengths='1 1' "
     "geometricStiffness='Exact'/>"
     "<RestShapeSpringsForceField stiffness='25'/></Node></Node>",
     0},
};

static void scenes_with_chains_are_consistent(void **state)
{
  (void)state;
  for (size_t i = 0; i < DV_COUNT(systems); i++) {
    fdScene s = fd_open(systems[i].scene);
    fdOptions o = fd_options();
    o.checks &= ~systems[i].without;
    bool good = fd_check_system(&s, &o);
    if (!good) print_error("%s\n", systems[i].scene);
    assert_true(good);
    fd_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mapping_agrees_with_differences),
      cmocka_unit_test(no_mapping_is_left_out),
      cmocka_unit_test(scenes_with_chains_are_consistent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
