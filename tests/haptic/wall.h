// The scene that haptic tests share: a tool on a spring in the hand, and a rigid wall below y = 1 mm.
#ifndef DV_TESTS_HAPTIC_WALL_H
#define DV_TESTS_HAPTIC_WALL_H

#include "haptic/driver.h"
#include "support/check.h"
#include "support/scene.h"

#define WALL_TOP 0.001   // m

typedef struct Wall {
  double dt, mass, stiffness, mu;
  const char *device;     // attributes of the emulator
  const char *coupling;   // what ties the tool to the hand and feels; NULL: a spring and LCPForceFeedback
} Wall;

static inline char *wall_text(const Wall *w)
{
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node name='root' dt='%.17g' gravity='0 0 0'><FreeMotionAnimationLoop/>"
                 "<LCPConstraintSolver tolerance='1e-9' maxIt='1000' mu='%g'/><CollisionPipeline/>"
                 "<BruteForceBroadPhase/><BVHNarrowPhase/>"
                 "<NewProximityIntersection alarmDistance='0.04' contactDistance='0.001'/>"
                 "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=%g'/>"
                 "<GeomagicEmulator name='device' scale='0.01' maxForce='1000' %s/>"
                 "<Node name='hand'><MechanicalObject name='dofs' template='Rigid3' "
                 "position='@../device.positionDevice'/></Node>",
                 w->dt, w->mu, w->mu, w->device);
  dv_text_printf(&t,
                 "<Node name='tool'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
                 "<MechanicalObject name='dofs' template='Rigid3' position='0 0.02 0 0 0 0 1'/>"
                 "<UniformMass vertexMass='%g 1 0.01 0 0 0 0.01 0 0 0 0.01'/><LinearSolverConstraintCorrection/>",
                 w->mass);
  if (w->coupling) dv_text_add(&t, w->coupling);
  else
    dv_text_printf(&t,
                   "<RestShapeSpringsForceField stiffness='%g' angularStiffness='10' "
                   "external_rest_shape='@../hand/dofs' points='0' external_points='0'/>"
                   "<LCPForceFeedback name='feel' activate='1' newtons='1' forceCoef='1'/>",
                   w->stiffness);
  dv_text_add(&t, "<Node name='tip'><MechanicalObject name='point' position='0 0 0'/><PointCollisionModel/>"
                  "<RigidMapping/></Node></Node>"
                  "<Node name='wall'><MeshTopology position='-1 0 -1  1 0 -1  1 0 1  -1 0 1' "
                  "triangles='0 2 1  0 3 2'/><MechanicalObject position='-1 0 -1  1 0 -1  1 0 1  -1 0 1'/>"
                  "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>");
  return dv_text_take(&t);
}

static inline dvScene *wall_scene(const Wall *w)
{
  char *text = wall_text(w);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static inline dvDriver *the_driver(dvScene *s) { return dv_driver(check_find(s, "device")); }
static inline dvHapticState *the_hand(dvScene *s) { return &the_driver(s)->haptic->state; }

#endif
