// What a step of the simulation tells the haptic loop, and the force that follows from it.
//
// The loop runs a thousand times a second, the simulation perhaps thirty times. A message has all that the loop needs
// until the next one comes, so that it reads nothing of the scene; it is made of numbers alone, a head and lists behind
// it. Kinds of force:
//
//   nothing      none
//   held         the force as the step had it, until the next one: direct coupling (figure 16 of the SOFA papers)
//   coupling     a damped spring from the hand to where the step has left the tool, K (x - p) + D (v - p')
//   mechanism    the constraints that the tool takes part in (compliant mechanisms, Peterlik et al., IEEE Trans. on
//                Haptics 2011): with W, free violations, directions, laws and multipliers of the step the loop moves
//                the tool with the hand, d = d_free + G (p - p_step), solves the laws anew, and feels H^T lambda
//
// G = H where the tool follows the hand stiffly. Where a control spring K between them is known G = C K h, C the
// compliance between the constraints and the frame that the spring holds: then the hand feels the spring in series with
// what it touches, whatever the masses and the length of the step are; a damper D beside the spring moves violations by
// G D / K (p' - p'_step).
//
// What slides along a needle and what its tip cuts is not undone: its way counts from tick to tick, so that a hand that
// stops or turns feels it at once. Friction that grows with the speed is stated for the way within a step; its
// coefficient is larger by as much as a tick is shorter. The first tick with a message takes the way of the hand since
// the step began as a whole. The tip of a needle that pushes as hard as the surface allows goes in at once; the
// simulation finds that out some steps later.
#ifndef DV_HAPTIC_SENSATION_H
#define DV_HAPTIC_SENSATION_H

#include "constraint/lagrangian/problem.h"

typedef enum dvRendering { DV_RENDER_NOTHING, DV_RENDER_HELD, DV_RENDER_COUPLING, DV_RENDER_MECHANISM } dvRendering;

enum { DV_MECHANISM_ROWS = 300 };   // the most that are solved at the rate of the loop

// The head: doubles only.
typedef struct dvSensation {
  double kind;                       // dvRendering
  double step;                       // s, of the simulation
  double blend;                      // s, over which its force takes the place of the last one
  double reference[7];               // where the hand was when the step began,
  double speed[6];                   // how fast,
  double ticks;                      // and how many ticks of the loop there had been
  double wrench[6];                  // held: N, N m
  double pose[7], velocity[6];       // coupling: of the tool
  double stiffness[2], damping[2];   // linear, angular: N/m, N m; N s/m, N m s
  double touches, quiet;             // something touches; no force where nothing does
  double coefficient;                // mechanism: force for an impulse
  double rotations;                  // turns of the hand count
  double lag[2];                     // s, D / K of the control spring, linear and angular
  double begun, settled;             // ways along needles are counted; the tick up to which they are
  double laws, rows;
  double iterations, tolerance, timeout;   // of the solver; m, s
} dvSensation;

// A law in a message. Those of needles have kinds from DV_LAW_OWN on.
typedef struct dvSensationLaw {
  double kind, rows, mu, low, high, compliance;
} dvSensationLaw;

// The lists behind the head of a mechanism.
typedef struct dvMechanism {
  dvSensationLaw *laws;
  double *response;     // G: rows x 6
  double *directions;   // H: rows x 6
  double *free;         // d_free, the multipliers of all other constraints at work
  double *lambda;       // begins with that of the step
  double *slip;         // along needles: how far the tool has slid up to the tick `settled`
  double *w;            // rows x rows
} dvMechanism;

size_t dv_sensation_size(size_t laws, size_t rows);   // numbers
dvMechanism dv_sensation_mechanism(double *message);
// Whether numbers that were read from somewhere are a message.
bool dv_sensation_is_sound(const double *message, size_t count);

typedef struct dvHapticTool {
  double pose[7], velocity[6];
  double ticks, period;   // of the loop so far; s, of one
  double pierced;         // a needle's tip has gone in, of which messages do not know yet; changes
  bool timed;             // the clock may end the search for multipliers
} dvHapticTool;

// The wrench on the hand in the axes of the scene, about the origin of the tool. Changes the multipliers of the message
// only.
void dv_sensation_force(double *message, dvHapticTool *tool, double wrench[6]);

#endif
