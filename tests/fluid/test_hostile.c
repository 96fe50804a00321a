// Every field of every component of fluids, with values that nobody should give (support/hostile.h); scenes with
// nothing in them.
#include "support/hostile.h"

#include "support/check.h"
#include "support/scene.h"

// --- scenes: small ones, in which each component is at work ---

#define PARTICLES                                                                                                    \
  "<Node name='root' dt='0.005' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node "                                   \
  "name='P'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0  0.05 0 0  0.1 0 0  0 0.05 0  0.05 " \
  "0.05 0  0.1 0.05 0  0 0.1 0  0.05 0.1 0  0.1 0.1 0  0 0 0.05  0.05 0 0.05  0.1 0 0.05  0 0.05 0.05  0.05 0.05 "   \
  "0.05  0.1 0.05 0.05  0 0.1 0.05  0.05 0.1 0.05  0.1 0.1 0.05  0 0 0.1  0.05 0 0.1  0.1 0 0.1  0 0.05 0.1  0.05 "  \
  "0.05 0.1  0.1 0.05 0.1  0 0.1 0.1  0.05 0.1 0.1  0.1 0.1 0.1'/><UniformMass vertexMass='0.125'/>"
#define BLOCK                                                                                                        \
  "position='-0.3 -0.3 -0.3  0.3 -0.3 -0.3  0.3 0.3 -0.3  -0.3 0.3 -0.3  -0.3 -0.3 0.3  0.3 -0.3 0.3  0.3 0.3 0.3  " \
  "-0.3 0.3 0.3' quads='0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7'"

static const HostileCase cases[] = {
    {"<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/><Fluid2D name='f' nx='10' ny='10' "
     "cellwidth='0.1' height='4'/><FluidGridSource name='s' center='0 0.2 0' radius='0.2' velocity='1 0 0' smoke='1' "
     "temperature='10'/><Node name='N'><MechanicalObject name='b' template='Rigid3' position='0 0 0 0 0 0 "
     "1'/><Node name='M'><MeshTopology "
     "name='m' " BLOCK "/><FluidGridObstacle name='o' topology='@m' body='@../b' resolution='8'/></Node></Node></Node>",
     "f s N/M/o"},
    {"<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='8' ny='8' nz='8' "
     "cellwidth='0.1' height='4' surfaceTension='0.07' viscosity='0.1' sampled='1'/></Node>",
     "f"},
    {"<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='8' ny='8' nz='8' "
     "cellwidth='0.1' freeSurface='0' expansion='0.01' smokeWeight='0.1'/><FluidGridSource name='s' radius='0.2' "
     "smoke='1' temperature='10'/></Node>",
     "f s"},
    {PARTICLES
     "<SpatialGridContainer name='g' cellWidth='0.1'/><SPHFluidForceField name='f' radius='0.1' mass='0.125' "
     "density='1000' pressure='10' viscosity='10' surfaceTension='1'/><ParticleSource name='s' center='0 0 0  "
     "0.1 0 0' translation='0 0.4 0' radius='0.01 0 0.01' velocity='0 -1 0' delay='0.005'/><ParticleSink "
     "name='d' normal='0 1 0' d0='-1' d1='-1.2'/></Node><OglFluidModel name='p' "
     "position='@P/dofs.position'/></Node>",
     "P/g P/f P/s P/d p"},
    {PARTICLES "<SpatialGridContainer cellWidth='0.1'/><ParticlesRepulsionForceField name='r' distance='0.1' "
               "stiffness='20' damping='0.5'/><SpatialGridPointModel name='c'/><Node name='S'><OglModel "
               "name='skin'/><ImplicitSurfaceMapping name='m' input='@../dofs' output='@skin' radius='0.1' "
               "step='0.03'/></Node></Node></Node>",
     "P/r P/c P/S/m"},
    {PARTICLES "<IncompressibleFluidForceField name='f' radius='0.1' density='1000' viscosity='1'/><Node "
               "name='S'><OglModel name='skin'/><SPHFluidSurfaceMapping name='m' input='@../dofs' output='@skin' "
               "radius='0.1' step='0.04' isoValue='0.4'/></Node></Node><Node name='B'><MeshTopology " BLOCK
               "/><FluidBoundary name='b'/></Node><Node name='D'><SphericalField name='s' "
               "radius='0.4'/><FluidBoundary name='b' field='@s' min='-0.5 -0.5 -0.5' max='0.5 0.5 "
               "0.5'/></Node></Node>",
     "P/f P/S/m B/b D/b"},
    {"<Node name='root' dt='0.01'><DefaultAnimationLoop/><SphericalField name='ball' radius='0.5'/><StarShapedField "
     "name='star' radius='0.7' branches='9' branchesRadius='0.05'/><BottleField name='bottle' radius='0.8' shift='0.6' "
     "ellipsoidRadius='0.75' excentricity='2'/><BlendedField name='shape' fields='@star @ball @bottle' "
     "operation='union' blend='0.1'/><FieldToSurfaceMesh name='mesh' field='@shape' step='0.3' min='-1 -1 -1' max='1 1 "
     "1'/><OglModel position='@mesh.outputPoints' triangles='@mesh.outputTriangles'/></Node>",
     "ball star bottle shape mesh"},
    {"<Node name='root' dt='0.01'><DefaultAnimationLoop/><DiscreteGridField name='image' "
     "file='" DIVAN_SOURCE_DIR "/scenes/mesh/patient.nii.gz' label='1' scale='0.001'/><FieldToSurfaceMesh "
     "field='@image' step='0.05' min='-0.15 -0.12 -0.1' max='0.15 0.12 0.1'/></Node>",
     "image"},
    {"<Node name='root' dt='0.002' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='V'><MeshTopology "
     "position='0 0 0  0 0.06 0  -0.04 0.1 0  0.04 0.1 0' edges='0 1  1 2  1 3'/><VesselNetwork name='n' sides='5' "
     "radius='0.004' thickness='0.0004' cellLength='0.01' inflow='1e-5' contrastInflow='0.5' "
     "absorption='10'/></Node><Node name='B'><EulerExplicitSolver/><MechanicalObject/><VesselLeak name='l' "
     "network='@../V/n' point='1' area='8e-6' direction='0.3 1 0.1'/><UniformMass vertexMass='6.8e-5'/></Node></Node>",
     "V/n B/l"},
};

static void every_field_bears_every_value(void **state)
{
  DV_UNUSED(state);
#ifdef DV_CHECKING   // a part of them, another for each field; all with DIVAN_TEST_FIELD=.
  hostile_walk(cases, DV_COUNT(cases), HOSTILE_TOLD, 6);
#else
  hostile_walk(cases, DV_COUNT(cases), HOSTILE_TOLD, 3);
#endif
}

static void the_scenes_run(void **state)
{
  DV_UNUSED(state);
  hostile_run_as_they_are(cases, DV_COUNT(cases));
}

// Nothing at all: no particles, no points, no box, no fluid. Scenes run or say why not, and make no numbers that are
// none.
static void nothing_is_no_trouble(void **state)
{
  DV_UNUSED(state);
#define EMPTY                                                                                                     \
  "<Node name='root' dt='0.005' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='P'><EulerExplicitSolver/>" \
  "<MechanicalObject name='dofs' size='0' position=''/><UniformMass vertexMass='0.125'/>"
  static const char *const scenes[] = {
      EMPTY "<SpatialGridContainer cellWidth='0.1'/><SPHFluidForceField radius='0.1' density='1000'/></Node>"
            "<OglFluidModel position='@P/dofs.position'/></Node>",
      EMPTY "<SpatialGridContainer cellWidth='0.1'/><ParticlesRepulsionForceField distance='0.1'/>"
            "<SpatialGridPointModel/><Node name='S'><OglModel name='skin'/><ImplicitSurfaceMapping input='@../dofs' "
            "output='@skin'/></Node></Node></Node>",
      EMPTY "<IncompressibleFluidForceField radius='0.1'/><Node name='S'><OglModel name='skin'/>"
            "<SPHFluidSurfaceMapping input='@../dofs' output='@skin'/></Node></Node><Node><MeshTopology/>"
            "<FluidBoundary/></Node></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><Fluid2D height='0' tstop='0'/><FluidGridObstacle/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><Fluid3D height='0' tstop='0'/><FluidGridSource radius='0'/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><BlendedField name='b'/><FieldToSurfaceMesh field='@b'/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><DiscreteGridField name='b'/><FieldToSurfaceMesh field='@b'/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><FieldToSurfaceMesh/><OglFluidModel/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><MeshTopology/><VesselNetwork/><VesselLeak/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    dvScene *s = hostile_open(scenes[i]);
    dvStatus status = dv_scene_init(s);
    for (int k = 0; k < 3 && status == DV_OK; k++) status = dv_scene_step(s, 0);
    char *bad = hostile_bad_field(s, NULL);
    int told = atomic_load(&s->context->log.counts[DV_WARNING]) + atomic_load(&s->context->log.counts[DV_ERROR]);
    print_message("scene %zu: status %d, %d told\n", i, status, told);
    if (bad) print_error("scene %zu: %s is no number\n", i, bad);
    assert_null(bad);
    assert_true(status == DV_OK || told > 0);
    dv_free(bad);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_scenes_run), cmocka_unit_test(nothing_is_no_trouble),
                                     cmocka_unit_test(every_field_bears_every_value)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
