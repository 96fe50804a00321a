// A camera that turns about a target with an upright axis, as that of the page: the same pose gives the same picture.
#ifndef DV_RENDER_CAMERA_H
#define DV_RENDER_CAMERA_H

#include "base/base.h"

typedef struct dvCamera {
  double target[3];
  double azimuth, elevation;   // radians
  double distance;
  double reach;   // radius of what is to be seen
  double zoom;    // of the fit; 1: the box just fits
  bool ortho;
  int up;   // axis of the scene
  // what follows from them, by dv_camera_update
  double eye[3], right[3], above[3], back[3];
  double view[16], projection[16];   // columns
  double near, far;
} dvCamera;

extern const dvCamera dv_usual_camera;

void dv_camera_update(dvCamera *c, double aspect);
// Looks at the middle of the box from where its corners are all in the picture.
void dv_camera_fit(dvCamera *c, const double low[3], const double high[3], double aspect);
// Stands at a point and looks at another.
void dv_camera_place(dvCamera *c, const double position[3], const double target[3]);

// What --camera means: front, back, left, right, top, bottom; AZIMUTH,ELEVATION[,ZOOM] in degrees; or X,Y,Z/X,Y,Z, the
// place and what it looks at. False after `why` (100 bytes) for anything else.
typedef struct dvCameraWish {
  bool turned, placed, directed;   // directed: seen from a direction, `position`
  double azimuth, elevation, zoom;
  double position[3], target[3];
} dvCameraWish;
bool dv_camera_parse(const char *text, dvCameraWish *out, char *why);

// --- matrices of 4 x 4, columns ---
void dv_matrix_multiply(const double a[16], const double b[16], double out[16]);
bool dv_matrix_invert(const double m[16], double out[16]);
void dv_matrix_look(const double eye[3], const double right[3], const double above[3], const double back[3],
                    double out[16]);
void dv_matrix_frustum(double half_height, double aspect, double near, double far, double out[16]);   // half at 1
void dv_matrix_box(double half_width, double half_height, double near, double far, double out[16]);

#endif
