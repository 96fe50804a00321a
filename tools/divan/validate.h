// The parts of `divan validate`. Each prints its tables as Markdown and returns false when a scene did not run or a
// test failed that must hold (patch tests, orders, laws).
#ifndef DIVAN_VALIDATE_H
#define DIVAN_VALIDATE_H

#include "command.h"

#include "base/text.h"
#include "mechanics/component.h"
#include "topology/topology.h"

#include <math.h>

bool validate_cantilevers(bool quick);
bool validate_patches(void);
bool validate_order(bool quick);
bool validate_laws(void);
bool validate_shells(bool quick);
bool validate_frames(bool quick);
bool validate_contact(bool quick);
bool validate_instruments(bool quick);
bool validate_needle(bool quick);
bool validate_lattice(bool quick, const char *filter);   // of cantilevers, energies, spectra; NULL: all
bool validate_fluid_standing(bool quick);
bool validate_fluid_channel(bool quick);
bool validate_fluid_vortices(bool quick);
bool validate_fluid_block(bool quick);
bool validate_fluid_dam(bool quick);
bool validate_heart_waves(bool quick);
bool validate_heart_slab(bool quick);
bool validate_heart_slab_full(void);   // the mesh of 0.1 mm, too
bool validate_heart_models(bool quick);
bool validate_heart_models_full(void);   // a grown person's ventricle, too
bool validate_heart_beats(bool quick);
bool validate_heart_energy(bool quick);
bool validate_heart_steps(bool quick);
bool validate_heart_beam(bool quick);
bool validate_heart_inflation(bool quick);
bool validate_heart_contraction(bool quick);
bool validate_grid_cavity(bool quick);
bool validate_grid_vortices(bool quick);
bool validate_grid_dam(bool quick);
bool validate_grid_pressure(bool quick);
bool validate_grid_drop(bool quick);
bool validate_vessels(bool quick);
bool validate_cylinder_is_there(const char *directory);   // its files; false after a message
bool validate_cylinder(const char *directory);

// --- a scene that is solved for one load after the other ---

typedef struct Trial {
  dvContext *context;
  dvScene *scene;
  dvState *dofs;
  dvReals *forces;   // of the ConstantForceField "load", one each point; NULL when there is none
} Trial;

// A scene with the state "dofs" and, where loads are wanted, <ConstantForceField name='load'/>. False when it has a
// mistake.
bool trial_open(Trial *t, const char *text);
bool trial_open_with(Trial *t, const char *text, int threads);   // two threads otherwise
void trial_close(Trial *t);
dvObject *trial_find(const Trial *t, const char *path);
// One step from rest with the loads in `forces`; displacements are then x - rest.
bool trial_solve(Trial *t);
double trial_moved(const Trial *t, size_t scalar);   // x - rest

// --- boxes ---

typedef struct Blocks {
  dvElementKind kind;
  int n[3];   // cells; n[2] = 0 for a plane
  double size[3];
  double wobble;   // how far inner points are moved, in cells
} Blocks;

// Adds position='…' and the elements as attributes. Cells are cut into six tetrahedra, two prisms, six pyramids around
// a point in the middle, or two triangles.
void blocks_add(dvText *out, const Blocks *b);
// True for points on the outer faces, given where they are.
bool blocks_outside(const Blocks *b, const double *x);

// --- hearts ---

bool heart_run(Trial *t, int steps);                                              // false when a step failed
const void *heart_value(const Trial *t, const char *object, const char *field);   // of an object of the scene
// A scene of a box of tetrahedra with the FibreField "fibres" along x, and `rest` beside it.
void heart_box(dvText *text, const int n[3], const double size[3], double dt, const char *rest);

static inline double order_of(double coarse, double fine, double ratio)
{
  return log(fabs(coarse / fine)) / log(ratio);
}

#endif
