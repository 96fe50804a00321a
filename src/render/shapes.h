// A draw list (view/draw.h) as triangles, lines and points with looks: what a renderer draws, whichever it is.
//
// The page does the same in TypeScript (viewer/src/view): sizes of axes and arrows, colours of groups and creases
// agree.
#ifndef DV_RENDER_SHAPES_H
#define DV_RENDER_SHAPES_H

#include "render/creases.h"
#include "view/draw.h"
#include "view/maps.h"

typedef struct dvVertex {
  float place[3], normal[3], at[2];   // at: of the texture or in the colour map
  float paint[4];                     // a colour over it (linear), and how much of it
} dvVertex;

typedef struct dvInstance {   // a body that is there many times
  float row[3][4];            // place = row . (x, y, z, 1)
  float tint[4];
} dvInstance;

typedef enum dvBatchKind { DV_BATCH_SURFACE, DV_BATCH_LINES, DV_BATCH_POINTS } dvBatchKind;
enum { DV_NO_TEXTURE = -1, DV_COLOUR_MAP = -2 };

typedef struct dvBatch {   // one call to draw
  dvBatchKind kind;
  dvDrawGroup group;
  size_t first, count;         // indices
  size_t first_copy, copies;   // instances; 0: once, where it is
  float colour[4];             // red green blue as seen (sRGB), alpha
  float specular[3], emissive[3];
  float shininess;
  float attenuation;   // 1/m: a volume that swallows light; 0: a surface
  float contrast[3];   // X-rays: smallest value and what the others are above it, and 1/m for a value of 1; 0: a body
  float liquid[2];     // balls of a liquid: metres over which its surface is smoothed, and in depth; 0: balls
  float ambient[3];
  int shader;              // of the draw list, -1 for none
  size_t drawable, base;   // of the list, and its first vertex: of surfaces with a shader
  int texture;             // number of the picture, or one of the above
  size_t map;              // row of the colour map, where that is the texture
  bool flat;               // faces have no common normals
  bool over;               // drawn over everything, unlit
  bool through;            // what is hidden shines through faintly
  const dvObject *object;
} dvBatch;

typedef struct dvRange {   // of the numbers that are shown as colours; grows
  const char *label;
  double low, high;
  bool fixed;   // by the scene
  size_t map;   // row of the colour maps
} dvRange;

enum { DV_MAP_ROWS = 16 };   // of one texture

typedef struct dvShapes {
  DV_ARRAY(dvVertex) vertices;
  DV_ARRAY(uint32_t) indices;
  DV_ARRAY(dvInstance) copies;
  DV_ARRAY(dvBatch) batches;
  DV_ARRAY(dvRange) ranges;
  const dvObject
      *maps[DV_MAP_ROWS];   // OglColorMap of each row; the first is viridis, as are more than there is room for
  dvColourMap colours[DV_MAP_ROWS];
  size_t map_count;
  double low[3], high[3];   // box around all of it; low > high for nothing
  double diagonal;          // of the scene: the first box that was not empty
  // kept from one picture to the next
  DV_ARRAY(dvCreases) creases;   // one a drawable
  DV_ARRAY(uint64_t) creased;    // refresh of the indices that they were found in
  DV_ARRAY(double) longest;      // arrow of each drawable so far
  unsigned revision;
} dvShapes;

// Groups (bits) that a scene is shown with where nobody chooses, as the page does it.
unsigned dv_shapes_groups(const dvDraw *draw);
// Refreshes nothing: the arrays of these groups are filled.
void dv_shapes_fill(dvShapes *s, const dvDraw *draw, unsigned groups);
void dv_shapes_free(dvShapes *s);

#endif
