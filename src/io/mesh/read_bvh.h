// Skeletons with recorded motion: Biovision hierarchy files (.bvh).
//
//   HIERARCHY ROOT name { OFFSET x y z CHANNELS n Xposition … Zrotation JOINT name { … } End Site { OFFSET x y z } }
//   MOTION Frames: n Frame Time: s, then n rows with a number for each channel, joints in the order of the file
#ifndef DV_IO_MESH_READ_BVH_H
#define DV_IO_MESH_READ_BVH_H

#include "base/array.h"
#include "io/mesh/mesh.h"

typedef enum dvBvhChannel {
  DV_BVH_X,
  DV_BVH_Y,
  DV_BVH_Z,
  DV_BVH_TURN_X,
  DV_BVH_TURN_Y,
  DV_BVH_TURN_Z,
  DV_BVH_NONE
} dvBvhChannel;

typedef struct dvBvhJoint {
  int32_t parent;            // -1 for the root; parents come before their children
  bool end;                  // an end site: a place without channels
  double offset[3];          // from the parent
  int32_t first, channels;   // in `channel`, and the columns of the motion
} dvBvhJoint;

typedef struct dvBvh {
  DV_ARRAY(dvBvhJoint) joints;
  DV_ARRAY(unsigned char) channel;   // dvBvhChannel, of all joints
  size_t frames;
  double frame_time;         // s
  DV_ARRAY(double) motion;   // frames x channels; lengths, and degrees
} dvBvh;

dvStatus dv_bvh_read(const char *bytes, size_t length, dvBvh *out, dvMeshError *error);
void dv_bvh_free(dvBvh *bvh);

#endif
