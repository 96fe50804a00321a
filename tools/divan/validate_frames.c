// divan validate: a bar that is bent, blended from a few frames (FrameBlendingMapping) beside corotational finite
// elements.
//
// The bar of 10 x 1 x 1, Poisson's ratio 0.3, is held at one end and pulled across at the other until it has come to
// rest. Its end sinks by almost half of its length. The reference is that of hexahedra, from their two finest meshes by
// Richardson's extrapolation. Times are those of a step of implicit Euler with a direct solver on one thread, in CPU
// time. The time that elements need for the error of a model of frames lies on the line through their own times and
// errors, in logarithms; when the finest mesh is not that good, it is more than that of the finest mesh.
#include "validate.h"

#include "base/clock.h"
#include "scene/node.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH = 10, MOST = 16, STEPS = 120 };

typedef struct Model {
  const char *name, *force;
  dvElementKind kind;   // DV_POINT: frames
  int size;             // cells in the height, or frames
} Model;

#define HEXAHEDRA "HexahedronFEMForceField method='large'"
#define TETRAHEDRA "TetrahedronFEMForceField method='polar'"
static const Model models[] = {
    {"hexahedra, 2 cells in the height", HEXAHEDRA, DV_HEXAHEDRON, 2},
    {"hexahedra, 4", HEXAHEDRA, DV_HEXAHEDRON, 4},
    {"hexahedra, 6", HEXAHEDRA, DV_HEXAHEDRON, 6},
    {"hexahedra, 8", HEXAHEDRA, DV_HEXAHEDRON, 8},
    {"tetrahedra, 2", TETRAHEDRA, DV_TETRAHEDRON, 2},
    {"tetrahedra, 4", TETRAHEDRA, DV_TETRAHEDRON, 4},
    {"tetrahedra, 8", TETRAHEDRA, DV_TETRAHEDRON, 8},
    {"3 quadratic frames", NULL, DV_POINT, 3},
    {"4 quadratic frames", NULL, DV_POINT, 4},
    {"6 quadratic frames", NULL, DV_POINT, 6},
    {"8 quadratic frames", NULL, DV_POINT, 8},
    {"12 quadratic frames", NULL, DV_POINT, 12},
};

typedef struct Outcome {
  size_t scalars;   // degrees of freedom
  double sinks, ms;
} Outcome;

#define MATERIAL "youngModulus='1e6' poissonRatio='0.3'"
// four points of the end carry the load as the whole face would
#define END                                                                                             \
  "<MechanicalObject name='end' position='10 0.211324865405187 0.211324865405187 10 0.788675134594813 " \
  "0.211324865405187 10 0.211324865405187 0.788675134594813 10 0.788675134594813 0.788675134594813'/>"  \
  "<ConstantForceField indices='0 1 2 3' totalForce='0 -1500 0'/>"

static void element_scene(dvText *t, const Model *m)
{
  Blocks b = {m->kind, {LENGTH * m->size, m->size, m->size}, {LENGTH, 1, 1}, 0};
  dv_text_add(t, "<MeshTopology name='mesh'");
  blocks_add(t, &b);
  dv_text_printf(t,
                 "/><MechanicalObject name='dofs'/><UniformMass totalMass='10'/><%s " MATERIAL
                 "/><BoxROI name='held' box='-0.1 -0.1 -0.1 0.01 1.1 1.1'/>"
                 "<FixedProjectiveConstraint indices='@held.indices'/><Node name='end'>" END
                 "<BarycentricMapping/></Node>",
                 m->force);
}

// one frame at the held end, one where the end hinders the material, the others where there is room
static void frame_scene(dvText *t, const Model *m)
{
  dv_text_printf(t,
                 "<MaterialMap name='map' resolution='80 8 8' voxelSize='0.125 0.125 0.125' " MATERIAL " density='1'/>"
                 "<FrameSampler name='placed' template='Quadratic3' map='@map' count='%d' fixed='0 0.5 0.5  0.5 0.5 "
                 "0.5' iterations='100'/>"
                 "<MechanicalObject name='dofs' template='Quadratic3' "
                 "position='@placed.position'/><FixedProjectiveConstraint indices='0'/>"
                 "<VoxelShapeFunction name='shape' map='@map' frames='@dofs'/><IntegrationPointSampler name='points' "
                 "shapeFunction='@shape' halvings='1' order='2'/>"
                 "<Node name='material'><MechanicalObject/><FrameBlendingMapping gradients='1' "
                 "shapeFunction='@../shape' integrationPoints='@../points.position'/>"
                 "<GreenLagrangeForceField strain='Corotational' volume='@../points.volume' " MATERIAL "/></Node>"
                 "<Node name='mass'><MechanicalObject/><FrameBlendingMapping shapeFunction='@../shape' "
                 "integrationPoints='@../points.position'/><DiagonalMass vertexMass='@../points.mass'/></Node>"
                 "<Node name='end'>" END "<FrameBlendingMapping shapeFunction='@../shape'/></Node>",
                 m->size);
}

static bool run_model(const Model *m, Outcome *out)
{
  dvText text = {0};
  Trial t;
  dv_text_add(&text, "<Node gravity='0 0 0' dt='0.1'><EulerImplicitSolver rayleighStiffness='0.1' "
                     "rayleighMass='1'/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>");
  (m->kind == DV_POINT ? frame_scene : element_scene)(&text, m);
  dv_text_add(&text, "</Node>");
  bool good = trial_open_with(&t, text.text, 1);
  dv_text_free(&text);
  if (!good) return false;
  double begin = 0;
  for (int i = 0; i < STEPS && good; i++) {
    if (i == 1) begin = dv_cpu_now();   // the first step also prepares
    good = dv_scene_step(t.scene, 0) == DV_OK;
  }
  *out = (Outcome){.scalars = dv_state_scalars(t.dofs, DV_V), .ms = 1e3 * (dv_cpu_now() - begin) / (STEPS - 1)};
  const double *end = dv_state_read(dv_state(trial_find(&t, "end/end")), DV_X);
  for (int i = 0; i < 4 && good; i++) out->sinks += (0.5 - end[3 * i + 1]) / 4;
  trial_close(&t);
  return good;
}

// from the two finest of the hexahedra, with errors that fall with the square of the size
static double reference_of(const Outcome *o, size_t count)
{
  size_t fine = 0, coarse = 0;
  for (size_t i = 0; i < count; i++)
    if (models[i].kind == DV_HEXAHEDRON) coarse = fine, fine = i;
  double a = models[coarse].size * models[coarse].size, b = models[fine].size * models[fine].size;
  return (b * o[fine].sinks - a * o[coarse].sinks) / (b - a);
}

// of elements that have an error; that of the finest mesh when `*beyond` it
static double time_of(const Outcome *o, size_t count, dvElementKind kind, double reference, double error, bool *beyond)
{
  double ms = NAN;
  for (size_t i = 0; i + 1 < count; i++) {
    if (models[i].kind != kind || models[i + 1].kind != kind) continue;
    double first = log(fabs(o[i].sinks / reference - 1)), second = log(fabs(o[i + 1].sinks / reference - 1)),
           at = (log(error) - first) / (second - first);
    *beyond = at > 1;
    ms = exp(log(o[i].ms) + fmin(at, 1) * (log(o[i + 1].ms) - log(o[i].ms)));
    if (at <= 1) break;
  }
  return ms;
}

bool validate_frames(bool quick)
{
  Outcome o[MOST] = {0};
  const size_t count = DV_COUNT(models);
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    if (quick && models[i].size > 4) continue;
    good = run_model(&models[i], &o[i]) && good;
  }
  if (quick) return good && o[8].sinks > o[7].sinks && o[1].sinks > o[0].sinks;
  double reference = reference_of(o, count), last = 0;
  printf("## Frames beside finite elements\n\nThe bar, with Poisson's ratio 0.3, bent until its end has sunk by %.4g m "
         "(hexahedra, extrapolated). Quadratic frames: two at the held end, the others and the "
         "integration points placed by themselves in 80 x 8 x 8 voxels. Time of a step with a direct solver, one "
         "thread, and what elements need at the same error, from the lines through theirs (>: the finest mesh is not "
         "that good).\n\n",
         reference);
  printf("| model | degrees of freedom | end [m] | error | ms a step | hexahedra at this error [ms] | tetrahedra at "
         "this error [ms] |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < count; i++) {
    double error = o[i].sinks / reference - 1;
    printf("| %s | %zu | %.4f | %+.2f %% | %.2f |", models[i].name, o[i].scalars, o[i].sinks, 100 * error, o[i].ms);
    if (models[i].kind == DV_POINT) {
      for (int k = 0; k < 2; k++) {
        bool beyond = false;
        double same = time_of(o, count, k ? DV_TETRAHEDRON : DV_HEXAHEDRON, reference, fabs(error), &beyond);
        printf(" %s%.3g, %.2g times |", beyond ? "> " : "", same, same / o[i].ms);
      }
      printf("\n");
      last = fabs(error);
    } else {
      printf(" | |\n");
    }
  }
  printf("\n");
  return good && last < 0.01;
}
