// Everything that a picture shows: shapes, camera, lights, background. Made from a scene; drawn by a painter.
#ifndef DV_RENDER_STAGE_H
#define DV_RENDER_STAGE_H

#include "render/camera.h"
#include "render/shapes.h"

enum { DV_MOST_LIGHTS = 8, DV_MOST_PLANES = 6, DV_MOST_SHADOWS = 4, DV_MOST_INSETS = 4 };

typedef struct dvLight {
  double place[4];    // position and 1, or the direction towards it and 0
  double way[4];      // axis of its cone and the cosine of the half angle; -2: everywhere
  double colour[3];   // linear
  bool shadow;
} dvLight;

typedef struct dvLabel {
  double x, y, size;   // pixels from the left and the top
  double colour[3];
  char *text;
} dvLabel;

typedef struct dvInset {     // a second picture inside the first
  int x, y, width, height;   // pixels from the lower left corner
  dvCamera camera;
} dvInset;

typedef struct dvStage {
  dvDraw draw;
  dvShapes shapes;
  dvCamera camera;
  double aspect;
  unsigned groups;
  dvLight lights[DV_MOST_LIGHTS];
  int light_count;           // 0: those of the studio
  double ambient[3];         // of the scene's own, linear
  double background[2][3];   // at the top and at the bottom, as seen
  double planes[DV_MOST_PLANES][4];
  int plane_count;
  DV_ARRAY(dvLabel) labels;
  dvInset insets[DV_MOST_INSETS];
  int inset_count;
  double lens[2];   // that bends the picture
  bool ground;
  double floor, step;   // height of the ground, and by how much it sinks when something falls below
  double key[3];        // towards the key light of the studio
  double xray;          // 1/m: how fast bodies swallow rays; 0: a picture of light
  // kept: how the first picture was
  bool begun, stays;   // the camera was given its place
  double first_low[3], first_high[3];
  double anchor[3], offset[3];   // the middle of what moves, and by how much the camera still has to follow
} dvStage;

typedef struct dvStageOptions {
  int width, height;
  unsigned groups;              // bits; 0: as the scene wants it
  const dvCameraWish *camera;   // NULL: as the scene wants it, or a little from above
  bool dark;                    // background of the dark theme
  bool still;                   // every picture is fitted anew; else the camera goes along with what falls
  bool no_ground;
  double xray;   // 1/m; 0: none
} dvStageOptions;

// The scene as it is now.
void dv_stage_set(dvStage *s, dvScene *scene, const dvStageOptions *o);
void dv_stage_free(dvStage *s);

// --- insets.c ---
void dv_stage_insets(dvStage *s, const dvScene *scene, int width, int height);
void dv_stage_bend(const dvStage *s, int width, int height, unsigned char *rgb);
void dv_stage_frame(const dvInset *inset, int width, int height, unsigned char *rgb);   // a line around it

// sRGB to linear, and back.
double dv_linear(double c);
double dv_encoded(double c);

#endif
