// Blood in a network of elastic vessels, in one dimension.
//
//   dA/dt + dQ/dx = 0,   dQ/dt + d(alpha Q^2/A)/dx = -A/rho dp/dx - 2 (gamma + 2) pi mu/rho Q/A
//   p = p_0 + beta (sqrt A - sqrt A_0),   beta = 4/3 sqrt(pi) E h / A_0         (Alastruey et al. 2012)
//
// alpha = (gamma + 2)/(gamma + 1) for a profile of the power gamma: 2 is Poiseuille's. Pulse waves have the speed
// c = sqrt(beta sqrt(A) / (2 rho)).
//
// The network is a graph: volumes at its points, flows on its edges (staggered), so that any number of vessels meet in
// a point, with one pressure, and what flows in flows out to the last bit. Flows take a step with the pressures,
// volumes with the new flows (leapfrog); friction is implicit. Ends have a resistance that waves do not notice, then a
// compliance and the rest of the resistance (three-element Windkessel). What blood carries is handed over with the
// flow, limited (van Leer), so that none is lost and nothing exceeds what was there.
#ifndef DV_FLUID_VESSELS_H
#define DV_FLUID_VESSELS_H

#include "base/array.h"

enum { DV_VESSELS_MOST = 2000000 /* points */, DV_VESSELS_PARTS = 20000 /* of a step */ };

typedef struct dvVesselPoint {
  double length;       // of the vessels that belong to it: half of each edge
  double area, beta;   // at rest
  int edges;           // how many meet here
  int end;             // number of the outlet, -1
} dvVesselPoint;

typedef struct dvVesselEdge {
  int a, b;
  double length;
  int before, behind;   // the edge that goes on at a, at b; -1 where there is none, or several
} dvVesselEdge;

typedef struct dvVesselEnd {
  int point;
  double first, rest, compliance, beyond;   // resistances Pa s/m3, m3/Pa, Pa
} dvVesselEnd;

typedef struct dvVesselHole {
  int point;
  double area, discharge, outside;   // m2, coefficient, Pa
  double lost;                       // volume, m3: grows
} dvVesselHole;

typedef struct dvBloodFlow {
  double density, viscosity, profile, rest;   // rest: pressure of vessels at rest, Pa
  DV_ARRAY(dvVesselPoint) points;
  DV_ARRAY(dvVesselEdge) edges;
  DV_ARRAY(dvVesselEnd) ends;
  // the state
  DV_ARRAY(double) volume;   // of points, m3
  DV_ARRAY(double) dye;      // of points: concentration times volume
  DV_ARRAY(double) flow;     // of edges, m3/s, from a to b
  DV_ARRAY(double) behind;   // of ends: pressure of the compliance, Pa
  // work
  DV_ARRAY(double) pressure;
  DV_ARRAY(double) flow_next;
  DV_ARRAY(double) gain;   // of points, m3/s
  DV_ARRAY(double) dye_gain;
} dvBloodFlow;

typedef struct dvVesselInlet {
  int point;
  bool by_pressure;
  double value;   // m3/s, or Pa
  double dye;     // concentration of what comes in
  // what has come in and gone out since: grows
  double in, out;   // m3
} dvVesselInlet;

void dv_blood_free(dvBloodFlow *v);
// Points and edges are set: fills in which edges go on where, takes the state, at rest. False when memory is short.
DV_CHECK_RESULT bool dv_blood_open(dvBloodFlow *v);
// The longest step: waves go less than an edge in it.
double dv_blood_limit(const dvBloodFlow *v);
// A step. False when a vessel has collapsed: its point in *where.
DV_CHECK_RESULT bool dv_blood_step(dvBloodFlow *v, double dt, dvVesselInlet *in, dvVesselHole *holes, size_t hole_count,
                                   int *where);
double dv_blood_pressure(const dvBloodFlow *v, size_t point);
double dv_blood_speed(const dvBloodFlow *v, size_t point);   // of waves

#endif
