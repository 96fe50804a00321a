// A chamber of the heart: the volume inside a wall of triangles, and the circulation that its valves open to.
//
// The wall's normals point away from the blood. Its openings are closed by lids, fans around the mean c of the points
// of their rim:  V = sum of a . (b x c) / 6,  g = dV/dx,  and products with d2V/dx2, all exact, the lids included: the
// ring of a valve carries the pressure on it.
//
// Pressure and volume of a step of length h, in four phases:
//   filling                     p = p_at - R_in (V - V_n) / h                          blood comes from the atrium
//   isovolumetric contraction   p = p_0 - k (V - V_0)                                  both valves closed
//   ejection                    p = A + (Z + B) (V_n - V) / h                          into a Windkessel
//   isovolumetric relaxation    as the contraction
// so that the pressure is p_b - s (V - V_b) in each of them, linear in the volume. The Windkessel of three elements has
// a resistance Z, a compliance C at the pressure p_d and a resistance R to the veins: C p_d' = q - (p_d - p_v) / R, by
// backward Euler p_d = A + B q. V_0 and p_0 are those at which a valve closed, and 1/k is the compliance of the blood.
// A valve closes when its flow turns, and opens when the pressure passes that behind it; phases change between steps.
// Where the pressure of a step is an unknown (Newton's iterations, multipliers), a valve whose flow would turn is
// closed within the step: the slope is k then, from V_n on, and less than p / k flows back.
#ifndef DV_HEART_CHAMBER_H
#define DV_HEART_CHAMBER_H

#include "base/array.h"
#include "math/vec.h"
#include "mechanics/component.h"

typedef enum dvPhase { DV_FILLING, DV_CONTRACTION, DV_EJECTION, DV_RELAXATION } dvPhase;

#define DV_CHAMBER_FIELDS(X)                                                                                         \
  X(triangles, triangles, "", "", "wall of the chamber, open at its valves; normals point away from the blood")      \
  X(int, lids, "1", "", "openings of the wall, which are closed by lids", .least = "0")                              \
  X(real, atrialPressure, "1300", "Pa", "behind the valve that fills the chamber: the preload")                      \
  X(real, inflowResistance, "5e6", "Pa s/m3", "of the valve that fills it", .least = "0")                            \
  X(real, arterialPressure, "10500", "Pa", "p_d of the Windkessel at the start; then as it is", .alias = "arterial") \
  X(real, outflowResistance, "8e6", "Pa s/m3", "Z: of the other valve and the root of the artery", .least = "0")     \
  X(real, peripheralResistance, "1.4e8", "Pa s/m3", "R: of the vessels behind", .least = "0")                        \
  X(real, arterialCompliance, "1.2e-8", "m3/Pa", "C: of the artery", .least = "0")                                   \
  X(real, venousPressure, "600", "Pa", "p_v: behind the vessels")                                                    \
  X(real, bloodStiffness, "5e11", "Pa/m3", "k: rise of the pressure with the volume while valves are closed",        \
    .least = "0")                                                                                                    \
  X(real, volume, "0", "m3", "at the end of the step", .flags = DV_READ_ONLY)                                        \
  X(real, pressure, "0", "Pa", "of the blood in the chamber", .flags = DV_READ_ONLY)                                 \
  X(real, flow, "0", "m3/s", "out of the chamber", .flags = DV_READ_ONLY)                                            \
  X(choice, phase, "filling", "", "of the beat", .options = "filling|contraction|ejection|relaxation",               \
    .flags = DV_READ_ONLY)                                                                                           \
  X(real, work, "0", "J", "done on the blood since the start: -p dV", .flags = DV_READ_ONLY)                         \
  X(int, beats, "0", "", "ejections that have ended", .flags = DV_READ_ONLY)                                         \
  X(real, endDiastolicVolume, "0", "m3", "when it last began to contract", .flags = DV_READ_ONLY)                    \
  X(real, endSystolicVolume, "0", "m3", "when the last ejection ended", .flags = DV_READ_ONLY)                       \
  X(real, ejectionFraction, "0", "", "of the last beat", .flags = DV_READ_ONLY)

typedef struct dvChamber {
  DV_CHAMBER_FIELDS(DV_MEMBER)
  DV_ARRAY(int32_t) wall;                  // its triangles as they were at the start, all within the state
  DV_ARRAY(int32_t) rims;                  // points of the lids, one after the other, in the order of their edges
  DV_ARRAY(int32_t) rim_first;             // where each begins, and the end
  DV_ARRAY(int32_t) points;                // of the wall, each once, ascending
  DV_ARRAY(double) g;                      // dV/dx of the last evaluation, three numbers for each of `points`
  DV_ARRAY(int32_t) place;                 // of a point of the state among them, or -1
  DV_ARRAY(double) matrix;                 // scratch of a rim
  double before;                           // V_n
  double closed_volume, closed_pressure;   // V_0, p_0
  double step, first_volume;               // of the last step; at the start
  dvVec3 middle, first_middle;             // of its points, after the last step and at the start
  bool stepped;                            // `middle` is known
  bool told;                               // one was told that a step has thrown it or turned it inside out
} dvChamber;

// What the pressure is in a step: p_b - s (V - V_b).
typedef struct dvChamberLaw {
  double pressure, volume, slope;
} dvChamberLaw;

// The members of a component that is a chamber, so that the fields are its own.
#define DV_CHAMBER_MEMBERS         \
  union {                          \
    dvChamber chamber;             \
    struct {                       \
      DV_CHAMBER_FIELDS(DV_MEMBER) \
    };                             \
  };

// Finds rims and points. Errors: no triangles, another number of openings than lids, contradicting pressures.
dvStatus dv_chamber_init(dvChamber *c, dvObject *o, const dvState *s);
dvStatus dv_chamber_check(dvChamber *c, dvObject *o);
// For the slot bwd_init: an error when the wall is also that of a chamber before this one, a warning when the tissue
// lies inside.
dvStatus dv_chamber_compare(const dvChamber *c, dvObject *o, const double *x);
void dv_chamber_start(dvChamber *c, const double *x);   // volume and phase of the first step
void dv_chamber_free(dvChamber *c);
double dv_chamber_volume(const dvChamber *c, const double *x);
double dv_chamber_gradient(dvChamber *c, const double *x);   // fills g; the volume too
// out += factor d2V/dx2 dx, for all points of the state.
void dv_chamber_curvature(const dvChamber *c, const double *x, const double *dx, double factor, double *out);
// The same as matrices of triangles and rims.
void dv_chamber_add_curvature(dvChamber *c, const double *x, double factor, dvMatrixSink *sink, const dvState *s);
// `turned`: with the valve closed that was open at the start of the step.
dvChamberLaw dv_chamber_law(const dvChamber *c, double h, bool turned);
// True when blood would flow back through the open valve at a pressure at the end of a step.
bool dv_chamber_turns(const dvChamber *c, double h, double pressure);
// The end of a step that led to volume v with a pressure p: circulation and phases move on.
void dv_chamber_end(dvChamber *c, double h, double v, double p);
// Warns, once, when a step has thrown the chamber as a whole, or has turned its wall inside out: no numbers of a beat
// are right from then on. `searched`: steps are found by Newton's iterations.
void dv_chamber_warn(dvChamber *c, const dvObject *o, const double *x, bool searched);
void dv_chamber_remember(dvChamber *c, dvMemoryStream *s);
void dv_chamber_touch(dvChamber *c, dvObject *o);

#endif
