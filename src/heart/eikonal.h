// Fronts of excitation: when each point of tissue is excited, again and again.
//
// A front moves with the speed c along fibres and c sqrt(r) across: sqrt(grad T . C grad T) = 1 with C = c^2 (f f^T + r
// (1 - f f^T)). In the metric of C^-1 a tetrahedron has the squared edges d2, all that is needed of its shape. From
// corners with known times T_i the front reaches another corner at t with tau^T Q^-1 tau = 1, tau_i = t - T_i, Q_ij =
// e_i . e_j of the edges that meet there, provided that it comes through the known face (Q^-1 tau >= 0), else through
// one of its edges or corners (J. A. Sethian and A. Vladimirsky, 2000).
//
// Points are excited in the order of their times, out of a queue. Where fibres make a front arrive from behind, a time
// is corrected and its neighbours are asked again: that can only be where an angle is blunt, because tau = Q w with w
// >= 0 is not negative where no Q_ij is. A point that was excited is refractory until it recovers, after a time that
// depends on its rest before (cells.h); a front that arrives earlier waits there, but no longer than `window` after the
// points it came from were excited, then it has died. So several fronts run at once, meet and go out, and a front that
// finds a way around a block returns (E. Pernod et al., 2011). Tissue that rested little lets fronts pass more slowly:
// the edges that end at a point are longer then (cells.h).
#ifndef DV_HEART_EIKONAL_H
#define DV_HEART_EIKONAL_H

#include "base/heap.h"
#include "heart/cells.h"
#include "heart/muscle.h"

// A tetrahedron as one of its corners, p, sees it: what a front that starts there needs, side by side.
typedef struct dvFan {
  int32_t to[3];    // the other corners a, b, c, in the order of the tetrahedron
  uint32_t blunt;   // bit k: seen from `to[k]`, an edge to p meets another one at more than a right angle
  double near[3];   // squared edges pa, pb, pc in s^2; 0 where nothing conducts
  double far[3];    // bc, ac, ab: opposite of each
} dvFan;

// An edge, as one of its ends sees it.
typedef struct dvSpoke {
  double time;   // along it, in the fastest of the tetrahedra around it; INFINITY where nothing conducts
  int32_t to;
} dvSpoke;

typedef struct dvEikonal {
  size_t points, count;
  const int32_t *tetra;
  dvFan *fans;                       // around each point; a line of the cache each
  DV_ARRAY(int32_t) first, around;   // where they begin, and their tetrahedra
  DV_ARRAY(dvSpoke) spokes;          // around each point
  DV_ARRAY(int32_t) first_spoke;     // where they begin
  DV_ARRAY(double) excited;          // when it was last excited; -INFINITY for never
  DV_ARRAY(double) recovers;         // when it can be excited again; -INFINITY
  DV_ARRAY(double) next;             // when a front that is under way arrives; INFINITY
  DV_ARRAY(double) slow;             // how many times longer than in rested tissue the last front took to it
  const double *alive;
  // points that a front is under way to, the next one first: four children each, one place a point (-1: none)
  DV_ARRAY(int32_t) queue, place;
  size_t queued;
  dvHeap corrected;     // points whose time was corrected, until their neighbours have been asked again
  dvCell cell;          // for durations
  bool restitution;     // `slow` is that of the cells, else 1
  double window, gap;   // gap: shortest rest after which a point can be excited again
  size_t events;        // points that were excited since the start
} dvEikonal;

bool dv_eikonal_init(dvEikonal *e, const dvMuscle *t);
// The metric, whenever speeds or conduction change.
void dv_eikonal_fill(dvEikonal *e, const dvMuscle *t, double speed, double ratio);
// Durations, and how long a front waits. A point rests at least so long that it is then excited for twice the window: a
// front never turns back into its own wake. With `restitution` also so long that a front has a tenth of its speed.
// False when no rest is long enough.
bool dv_eikonal_set_cell(dvEikonal *e, const dvCell *cell, double window, bool restitution);
// A point is excited from outside at a time, if it is not refractory then.
void dv_eikonal_excite(dvEikonal *e, size_t point, double time);
// Everything that happens up to a time.
void dv_eikonal_advance(dvEikonal *e, double until);
void dv_eikonal_restart(dvEikonal *e);   // the queue again, from `next`
void dv_eikonal_free(dvEikonal *e);

#endif
