// Robots in URDF (the Unified Robot Description Format of ROS), as scenes.
//
// A robot is a tree of links, joined by joints. Links that fixed joints hold together are one body. Body b has a frame
// at its centre of mass, turned as the world when all joints are at 0; joint j turns the body below it about
//
//   n_j = R_j a_j through p_j,   (R_j, p_j) = pose of the joint in the world when all joints are at 0
//
// so that the coordinates of an ArticulatedSystemMapping are the joints' own (rad, m). Mass, centre and inertia of a
// body are those of its links: m = sum m_i, m c = sum m_i c_i, I = sum R_i I_i R_i^T + m_i (|d|^2 1 - d d^T), d = c_i -
// c. Joints with limits have stops (StopperLagrangianConstraint), those with damping a force.
#ifndef DV_IO_SCENE_URDF_H
#define DV_IO_SCENE_URDF_H

#include "base/text.h"
#include "io/scene/element.h"
#include "math/vec.h"

typedef struct dvUrdfPose {
  dvMat3 r;
  dvVec3 p;
} dvUrdfPose;

typedef struct dvUrdfLink {
  const char *name;
  const dvElement *element;
  double mass;
  dvVec3 centre;    // in the link
  dvMat3 inertia;   // about it, along the link's axes
  int joint;        // that holds it, -1 for the first
  dvUrdfPose pose;
  int body;
} dvUrdfLink;

typedef enum dvUrdfKind {
  DV_URDF_FIXED,
  DV_URDF_REVOLUTE,
  DV_URDF_CONTINUOUS,
  DV_URDF_PRISMATIC,
  DV_URDF_PLANAR,
  DV_URDF_FLOATING
} dvUrdfKind;

typedef struct dvUrdfJoint {
  const char *name;
  const dvElement *element;
  dvUrdfKind kind;
  int parent, child;
  dvUrdfPose origin;
  dvVec3 axis;
  bool limited;
  double lower, upper, damping;
  int mimic;        // joint whose coordinate it has, -1 for its own
  int coordinate;   // the first of its own
} dvUrdfJoint;

typedef struct dvUrdfBody {
  int joint;   // above it, -1 for the base
  int parent;
  double mass;
  dvVec3 centre;   // in the world, as the pose
  dvMat3 inertia;
} dvUrdfBody;

typedef struct dvUrdf {
  const char *name;
  const dvElement *robot;
  DV_ARRAY(dvUrdfLink) links;
  DV_ARRAY(dvUrdfJoint) joints;
  DV_ARRAY(int) order;   // links, parents first
  DV_ARRAY(dvUrdfBody) bodies;
  int coordinates;
} dvUrdf;

bool dv_urdf_is(const dvElement *root);
// The scene of a robot as text; false after an error in the context's log. `path` is where its meshes are looked for.
bool dv_urdf_to_scene(dvContext *context, const dvElement *robot, const char *path, dvText *out);

// --- urdf_write.c ---
void dv_urdf_write(dvContext *context, const dvUrdf *u, const char *path, dvText *out);
// --- urdf.c ---
dvUrdfPose dv_urdf_origin(dvContext *context, const dvElement *e);   // of its child <origin>
const dvElement *dv_urdf_child(const dvElement *e, const char *tag);
bool dv_urdf_numbers(const char *text, double *out, int count);
void dv_urdf_say(dvContext *context, dvLevel level, dvPlace place, const char *advice, const char *format, ...)
    DV_PRINTF(5, 6);

#endif
