// What the files of `divan anatomy` share: the plan of what the labels are (anatomy_plan.c), surfaces (anatomy_skin.c),
// gaps between them (anatomy_touch.c), models (anatomy_model.c), parts of organs (anatomy_parts.c), the scene
// (anatomy_scene.c).
#ifndef DIVAN_ANATOMY_H
#define DIVAN_ANATOMY_H

#include "command.h"

#include "anatomy/surface.h"
#include "anatomy/vessels.h"

enum { MOST_THINGS = 64, NAME_LENGTH = 48 };

// An organ, vessels inside of one, or a part of one.
typedef struct Thing {
  char name[NAME_LENGTH];
  int32_t label;   // in the image; of surfaces: which file, from 1
  int line;        // where it was said
  bool is_vessel;
  bool is_part;                     // of an organ: tetrahedra of that with their own material
  double bone;                      // 1: it does not move, and is a surface only
  char inside[NAME_LENGTH];         // of vessels and parts: the organ
  double young, poisson, density;   // Pa, -, kg/m3
  double capsule;                   // stretching stiffness of the membrane on the organ, N/m; 0: none
  char hold[NAME_LENGTH];           // side by which it is held: +x -x +y -y +z -z, all, none
  double wall;                      // of vessels: thickness, in radii; 1: solid
  double least, longest;            // of vessels: thinnest radius, longest beam; m
  double colour[3];
  double cell;    // of its tetrahedra, m; 0: as the command says
  double grade;   // how many times as large they are deep inside
  // what is made of it
  dvSkin skin;
  double volume, gap;   // of the skin, m3; that is left to others, m
  dvMask mask;          // of parts, and of organs from an image: where they are
  DV_ARRAY(double) x;   // points of the tetrahedra
  DV_ARRAY(int32_t) tetrahedra;
  DV_ARRAY(uint8_t) border;   // of each point: it lies on the surface of the tetrahedra
  DV_ARRAY(uint8_t) fine;     // of each point: tetrahedra around it lie in several parts
  DV_ARRAY(int32_t) part;     // of each tetrahedron: which thing's material it has, -1: that of the organ
  dvVessels vessels;
  dvVesselBeams beams;
} Thing;

static inline bool is_organ(const Thing *t) { return !t->is_vessel && !t->is_part; }
static inline bool lies_in(const Thing *t, const Thing *organ) { return dv_same(t->inside, organ->name); }
static inline bool is_part_of(const Thing *t, const Thing *organ) { return t->is_part && lies_in(t, organ); }

typedef struct Ligament {
  char from[NAME_LENGTH], to[NAME_LENGTH];
  int line;
  double stiffness, reach;   // N/m of all of it; m
  DV_ARRAY(int32_t) pairs;   // points of both
  DV_ARRAY(double) lengths;
} Ligament;

typedef struct Plan {
  Thing things[MOST_THINGS];
  size_t count;
  Ligament ligaments[MOST_THINGS];
  size_t ligament_count;
  const char *file;   // in which the labels are told; NULL: the command line
  double gap;         // the smallest that is left between organs that touch, m
} Plan;

// Reads what the labels are, from a text or, when there is a file of that name, from it. `labels` and `names` are what
// the input holds; all of it when `text` is NULL. 0, or a status after a message.
int plan_read(Plan *p, const char *text, const int32_t *labels, char (*names)[NAME_LENGTH], size_t count);
void plan_free(Plan *p);
Thing *plan_find(Plan *p, const char *name);

// What models are made from.
typedef struct Maker {
  Plan *p;
  const Options *o;
  const dvVoxels *image;   // NULL with surfaces
  double unit;
  dvMesh *surfaces;
  dvContext *context;
  char why[300];   // what the context has complained of last
} Maker;

int thing_failed(const Thing *t, const char *why);   // says so: DV_ERROR_INPUT
void thing_warn(const Thing *t, const char *format, ...) DV_PRINTF(2, 3);
double longest_side(const double *x, size_t count);

// The surface of an organ, and surfaces and masks of its parts (anatomy_skin.c). 0, or a status after a message.
int skins_make(Maker *w, Thing *organ);
// The surface of a mask whose triangles are `wanted` long, a voxel at least; thick slices are divided first. False when
// memory is short.
bool skin_around(dvSkin *s, const dvMask *m, double wanted, int smoothing);
// The voxels inside of a closed surface of the input.
int mask_of_input(const Maker *w, const Thing *t, dvMask *m);

// Between organs of an image that touch (anatomy_touch.c): surfaces are drawn back until a gap is between them. 0, or a
// status after a message.
int leave_gaps(Maker *w);
// Organs that overlap, or lie in another one.
void tell_overlaps(const Maker *w);

// Which tetrahedra of an organ lie in its parts (anatomy_parts.c): first where they are to stay small, then which part
// each is of. False when memory is short; 0, or a status after a message.
bool parts_mark(const Plan *p, Thing *organ);
int parts_assign(Maker *w, Thing *organ);

// Models of all things. 0, or a status after a message.
int models_make(Plan *p, const Options *o, const dvVoxels *image, double unit, dvMesh *surfaces);
// Makes tetrahedra deep inside of an organ larger (anatomy_grade.c); the surface stays as it is. False when memory is
// short.
bool grade_tetrahedra(Thing *t);
// Meshes and scene into the directory. 0, or a status after a message.
int scene_write(Plan *p, const Options *o);

#endif
