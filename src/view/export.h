// A recording as objects that move: what writers of other formats (export_gltf.c, export_usd.c) have in common.
//
// Every drawable of triangles, lines or points becomes an object with the points that it has in each frame; boxes and
// spheres become surfaces. An object whose points keep their distances in all frames is a rigid body: it then has a
// pose in each frame, x = R(q) b + t with b its points in the first one. Where the layout of a recording changes (a
// mesh was cut) new objects take over.
#ifndef DV_VIEW_EXPORT_H
#define DV_VIEW_EXPORT_H

#include "view/recording.h"

typedef enum dvExportKind { DV_EXPORT_TRIANGLES, DV_EXPORT_LINES, DV_EXPORT_POINTS } dvExportKind;
typedef enum dvExportMotion { DV_EXPORT_STILL, DV_EXPORT_RIGID, DV_EXPORT_DEFORMING } dvExportMotion;

typedef struct dvExportPart {
  size_t first, count;   // of the indices
  double colour[4];
  double shininess;
  char *texture;   // file of its picture, NULL for none
} dvExportPart;

typedef struct dvExportPose {
  double q[4], t[3];   // x y z w
} dvExportPose;

typedef struct dvExportObject {
  char *name;
  dvExportKind kind;
  dvExportMotion motion;
  uint32_t layout;
  size_t first, frames;   // of the frames that are exported, those in which it is there
  size_t points;
  DV_ARRAY(float) positions;   // frames x points x 3
  DV_ARRAY(uint32_t) indices;
  DV_ARRAY(float) coordinates;   // of pictures, two a point, v upwards; none where there are none
  DV_ARRAY(dvExportPart) parts;
  DV_ARRAY(dvExportPose) poses;   // of a rigid body, one for each frame
  // how it is found in a frame
  uint32_t id, indices_id, radii_id, frames_id, sizes_id;
  int shape;         // 0 as it stands, 1 spheres, 2 boxes
  size_t instance;   // of the spheres or boxes
  double radius;
  bool lost;   // its number of points has changed: it ends there
} dvExportObject;

typedef struct dvExport {
  DV_ARRAY(dvExportObject) objects;
  DV_ARRAY(double) times;
  size_t every, left_out;
  bool z_up;   // gravity points down z, else y is taken for up
} dvExport;

// Reads a recording, at most so many frames of it; false with the reason.
bool dv_export_read(dvExport *e, dvRecording *r, size_t most_frames, dvText *why);
void dv_export_free(dvExport *e);
// Normals of the points of a surface, weighted by area, as the frame has them; the caller frees them.
float *dv_export_normals(const dvExportObject *o, size_t frame);
// The rotation and translation that bring points nearest to others, in the sense of least squares; the largest distance
// that is left.
double dv_export_fit(const float *from, const float *to, size_t points, dvExportPose *pose);

bool dv_export_gltf(const dvExport *e, const char *path, dvText *why);
bool dv_export_usd(const dvExport *e, const char *path, dvText *why);

#endif
