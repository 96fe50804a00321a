// Tissue that conducts: tetrahedra with fibres at rest, what is done to parts of it, and where it is stimulated. Shared
// by the models of its electricity and by its contraction.
#ifndef DV_HEART_MUSCLE_H
#define DV_HEART_MUSCLE_H

#include "base/array.h"
#include "math/vec.h"
#include "object/context.h"
#include "state/state.h"
#include "topology/topology.h"

// --- where: points by number, or near places ---

#define DV_PLACE_FIELDS(X)                                                                                        \
  X(indices, indices, "", "", "points, by their numbers")                                                         \
  X(vec3s, center, "", "m", "or all points of the shape at rest that are near one of these places")               \
  X(real, radius, "0.005", "m", "how near; when nothing is, the nearest point counts if it is within twice that", \
    .least = "0")

typedef struct dvPlaces {
  const dvInts *indices;
  const dvReals *center;
  const double *radius;
} dvPlaces;
// Marks the points that are meant. An error that points at the field when a place is outside of the tissue or an index
// is out of range.
dvStatus dv_places_mark(const dvObject *o, const dvPlaces *p, const double *x, size_t points, bool *mark);

// --- zones and stimuli, components of their own ---

typedef struct dvZoneEffect {
  double conduction;      // times the diffusivity
  double contractility;   // times the contraction
  double stiffness;       // times the passive stiffness, at any time
  bool alive;             // cells can be excited
} dvZoneEffect;
dvZoneEffect dv_zone_effect(const dvObject *zone);
bool dv_zone_active(const dvObject *zone, double time);
dvPlaces dv_zone_places(const dvObject *zone);
// The tetrahedra of a zone, beside those of its places: by their numbers, and those whose label is one of `segments`.
typedef struct dvZoneCells {
  const dvInts *tetrahedra, *segments, *labels;
} dvZoneCells;
dvZoneCells dv_zone_cells(const dvObject *zone);
unsigned dv_zone_version(const dvObject *zone);   // moves when a field was changed

typedef struct dvPulse {
  double start, duration, period, strength;
  int count;
} dvPulse;
dvPulse dv_stimulus_pulse(const dvObject *stimulus);
dvPlaces dv_stimulus_places(const dvObject *stimulus);
unsigned dv_stimulus_version(const dvObject *stimulus);
// Strength (1/s) at a time; the number of the pulse that begins in (from, to] with its time, or -1.
double dv_pulse_at(const dvPulse *p, double time);
int dv_pulse_begins(const dvPulse *p, double from, double to, double *when);

// --- tissue ---

typedef struct dvMuscle {
  dvObject *owner;
  dvTopology *mesh;
  const int32_t *tetra;
  const double *rest;            // three numbers a point
  DV_ARRAY(int32_t) own_tetra;   // both are copies: the mesh may change, which nothing here follows
  DV_ARRAY(double) own_rest;
  size_t count, points;
  DV_ARRAY(double) fibre;        // three numbers a tetrahedron, of length 1; none when there is no anisotropy
  DV_ARRAY(double) conduction;   // of each tetrahedron, times the diffusivity: zones
  DV_ARRAY(double) contractility;
  DV_ARRAY(double) stiffness;
  DV_ARRAY(double) alive;   // of each point: 1 or 0
  DV_ARRAY(bool) inside;    // scratch: tetrahedra of a zone
  DV_ARRAY(bool) lost;      // scratch: points with no other tetrahedra
  DV_ARRAY(dvObject *) zones;
  DV_ARRAY(dvObject *) stimuli;
  uint64_t zone_stamp, stimulus_stamp;   // of what is in force
  unsigned graph;                        // version of the scene that zones and stimuli were found in
  DV_ARRAY(bool) mark;                   // scratch
  size_t degenerate;                     // tetrahedra without a volume
  bool told;                             // that the mesh has changed
} dvMuscle;

// Finds mesh, shape, zones and stimuli of a component, and checks the fibres: `fibres` has one vector each tetrahedron,
// or none when `needs_fibres` is false. Reports everything that is wrong.
dvStatus dv_muscle_init(dvMuscle *t, dvObject *owner, dvLink *topology, const dvReals *fibres, bool needs_fibres);
void dv_muscle_free(dvMuscle *t);
// Brings conduction, contractility, stiffness and alive up to date for a time, with the zones and stimuli that there
// are now: they may come and go while the scene runs. *changed (may be NULL) tells whether they are others.
dvStatus dv_muscle_zones(dvMuscle *t, double time, bool *changed);
// Whether the mesh still has the points and tetrahedra that it had, and the state its points; an error, once, if not.
bool dv_muscle_holds(dvMuscle *t, const dvState *state);
// The state of the potential that a component looks at: the one that is named, or that of the node.
dvStatus dv_muscle_find_potential(dvObject *o, dvLink *state);
// An error unless the state has a number for each point, none of them farther from 0 than `most`.
dvStatus dv_muscle_check_potential(const dvMuscle *t, const dvLink *state, double most);
// Gradients of the shape functions at rest and the volume; false when the tetrahedron is flat.
bool dv_muscle_gradients(const dvMuscle *t, size_t tetrahedron, dvVec3 g[4], double *volume);
// Marks the points of the tissue that a zone touches.
dvStatus dv_muscle_in_zone(const dvMuscle *t, const dvObject *zone, bool *mark);
// The points that a stimulus acts on, in `mark` of the tissue.
dvStatus dv_muscle_stimulated(dvMuscle *t, const dvObject *stimulus);
// That of all stimuli, before the first step; warns of one that leaves no tissue to go to.
dvStatus dv_muscle_check_stimuli(dvMuscle *t);
// For the slot bwd_init of a stimulus or a zone: warns when no tissue looks for it where it stands.
void dv_muscle_finds(const dvObject *place);
// The tissue of a component that solves its potential; NULL for any other component.
const dvMuscle *dv_muscle_of(const dvObject *o);
const dvMuscle *dv_monodomain_tissue(const dvObject *solver);
const dvMuscle *dv_eikonal_tissue(const dvObject *solver);
// For the slot bwd_init of a solver: warns when nobody will call it, and when nothing will ever be excited.
dvStatus dv_muscle_ready(dvObject *solver);
// Diagonal of the box around it at rest.
double dv_muscle_size(const dvMuscle *t);
// The Vec3 state that shows where the tissue is now; NULL when there is none.
dvObject *dv_muscle_shape(const dvObject *o);

#endif
