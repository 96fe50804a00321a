// What a picture of a scene is made of: arrays of numbers, and drawables that refer to them by number.
//
// Positions that several drawables share (a state's points, its springs, its elements) are one array. Arrays hold
// float32 or uint32, as they are sent; an array is filled when a group that needs it is shown, and `changed` tells in
// which refresh its numbers last differed from those before. docs/viewer.md describes the same from outside.
#ifndef DV_VIEW_DRAW_H
#define DV_VIEW_DRAW_H

#include "scene/node.h"
#include "view/shaders.h"
#include "visual/material.h"

typedef enum dvDrawGroup {
  DV_DRAW_VISUAL,
  DV_DRAW_BEHAVIOR,
  DV_DRAW_VELOCITIES,
  DV_DRAW_FORCES,
  DV_DRAW_COLLISION,
  DV_DRAW_BOUNDS,
  DV_DRAW_MAPPINGS,   // of visual models
  DV_DRAW_MECHANICAL_MAPPINGS,
  DV_DRAW_FORCE_FIELDS,
  DV_DRAW_INTERACTIONS,
  DV_DRAW_CONTACTS,
  DV_DRAW_GROUPS
} dvDrawGroup;
extern const char *const dv_draw_group_names[DV_DRAW_GROUPS];

typedef enum dvDrawKind {
  DV_DRAW_TRIANGLES,
  DV_DRAW_LINES,
  DV_DRAW_POINTS,
  DV_DRAW_VECTORS,
  DV_DRAW_SPHERES,
  DV_DRAW_FRAMES,
  DV_DRAW_BOXES
} dvDrawKind;
extern const char *const dv_draw_kind_names[];

typedef enum dvDrawSource {
  DV_FROM_POINTS,      // positions of a state
  DV_FROM_SOME,        // of the points of a state that `pairs` lists
  DV_FROM_TURNS,       // orientations of frames
  DV_FROM_VECTOR,      // velocities or forces of a state
  DV_FROM_VERTICES,    // of a visual model
  DV_FROM_REALS,       // a field of numbers
  DV_FROM_FIELD,       // the same, of a component that nobody else updates
  DV_FROM_BOX,         // corners of the box around a state
  DV_FROM_TRIANGLES,   // faces of a visual model
  DV_FROM_BOUNDARY,    // outer triangles of a topology
  DV_FROM_EDGES,       // edges of a topology
  DV_FROM_PAIRS,       // a list of pairs
  DV_FROM_COLLISION,   // elements of a collision model
  DV_FROM_SPRINGS,     // pairs of a force
  DV_FROM_MAPPING,     // pairs of an output point and an input point
  DV_FROM_BOX_EDGES,
  DV_FROM_INERTIA,      // sides of boxes that turn as heavily as the frames of a mass
  DV_FROM_CONTACTS,     // of the scene: `vector` 0 and 1 the points on both sides, 2 the normals
  DV_FROM_CELLS,        // corners of the cells of `topology`, drawn towards their middles
  DV_FROM_CELL_FACES,   // their faces
  DV_FROM_ORNAMENT,     // lines of axes, grids and boxes; `vector` the part (ornaments.h)
  DV_FROM_TREE,         // edges of the boxes around a collision model and its parts, two points each
} dvDrawSource;

typedef enum dvDrawMove { DV_MOVE_PLACES, DV_MOVE_WAYS, DV_MOVE_TURNS } dvDrawMove;

typedef struct dvDrawArray {
  dvDrawSource source;
  dvObject *object;         // state, visual model, topology, force or mapping
  int vector;               // DV_FROM_VECTOR: its number
  const dvReals *reals;     // DV_FROM_REALS, DV_FROM_FIELD
  dvField *field;           // DV_FROM_FIELD
  const dvInts *pairs;      // DV_FROM_PAIRS, DV_FROM_SOME
  dvObject *topology;       // DV_FROM_CELLS
  const dvInts *cells[2];   // DV_FROM_CELLS, DV_FROM_CELL_FACES: tetrahedra and hexahedra; NULL: those of the topology
  double part;              // DV_FROM_CELLS: of a cell that is left
  dvObject *moved;          // VisualTransform that shifts and turns it; NULL: it stays where it is
  dvDrawMove as;            // what is moved
  bool integers, dynamic;
  bool varies;   // its length may change without the list being made again
  int width;
  unsigned groups;   // bits of the groups that need it
  size_t count;      // numbers; 0 before the first fill
  size_t capacity;
  uint32_t *data;     // the bits of a float or an index
  uint64_t changed;   // refresh in which it last changed; 0 never filled
  uint64_t stamp;     // of the fields that it was last filled from, where these may move without it being dynamic
} dvDrawArray;

typedef struct dvDrawPart {   // of the indices of a surface
  size_t first, count;
  dvShading material;
  int texture;
} dvDrawPart;

typedef struct dvDrawable {
  dvDrawGroup group;
  dvDrawKind kind;
  dvObject *object;
  signed char say;   // what the flags of its node say of its group (flags.h)
  bool wireframe;    // they want it so, and not all over the scene
  bool faced;        // lines of elements whose faces are drawn, too: these hide them
  bool aside;        // is not looked at when the camera is placed
  int positions, indices, second, values, texcoords, radii, frames, sizes, paint;   // arrays, -1 for none
  double radius;
  double attenuation;    // of a volume that swallows light, 1/m; 0: a surface
  double absorption;     // in X-ray pictures, 1/m for a value of 1; 0: that of bodies
  double liquid[2];      // of balls of a liquid: metres over which its surface is smoothed, and in depth; 0: balls
  double scale;          // of arrows: how many metres a unit is long; 0: whoever draws chooses
  bool directed;         // arrows in the colours of their directions
  const char *label;     // of the values
  double range[2];       // of the values; the first below the second: the scene wants it so
  const dvObject *map;   // OglColorMap that colours them; NULL: viridis, or what the user chooses
  bool has_material;
  dvShading material;
  int texture;                // number of the picture, -1 for none
  int shader;                 // program of the scene that draws it, -1 for none
  size_t first_part, parts;   // where it has looks of its own for some indices
} dvDrawable;

typedef struct dvDraw {
  dvScene *scene;
  unsigned version;    // of the scene when the list was made
  unsigned revision;   // moves when the list is made again
  uint64_t refreshes;
  DV_ARRAY(dvDrawArray) arrays;
  DV_ARRAY(dvDrawable) list;
  DV_ARRAY(dvDrawPart) parts;
  DV_ARRAY(char *) textures;   // files
  DV_ARRAY(dvDrawShader) shaders;
  int post;                     // shader that works on the finished picture, -1 for none
  double post_near, post_far;   // distances between which depths go from 0 to 1 there, m
  int backdrop;                 // texture behind everything, -1 for none
  size_t own_arrays;            // before those of shaders
  DV_ARRAY(uint64_t) told;      // messages that came once and are not repeated
  bool again;                   // sizes have changed: make the list again
} dvDraw;

// Makes the list for a scene (initialised); `scene` may be NULL for nothing.
void dv_draw_build(dvDraw *draw, dvScene *scene);
// The same, only when what is drawn has changed.
void dv_draw_follow(dvDraw *draw, dvScene *scene);
void dv_draw_free(dvDraw *draw);
// Fills the arrays that the groups (bits) need; returns the number of this refresh.
uint64_t dv_draw_refresh(dvDraw *draw, unsigned groups);
// Red, green, blue of the bodies for which nobody chose a colour.
const double *dv_draw_palette(size_t which);
// Box around all that is drawn of visual models, or of states where there are none; false for nothing.
bool dv_draw_box(const dvDraw *draw, double low[3], double high[3]);

#endif
