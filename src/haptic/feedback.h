// What a hand feels: components that make messages for the haptic loop (sensation.h) out of what a step has found.
//
// A driver (driver.h) has one. It tells it where the hand was when a step began, lets it draft a message at the end,
// and posts that: to the thread of the loop through an outbox, or to the loop in lock step as a copy.
#ifndef DV_HAPTIC_FEEDBACK_H
#define DV_HAPTIC_FEEDBACK_H

#include "base/outbox.h"
#include "haptic/sensation.h"
#include "mechanics/component.h"

#define DV_FEEDBACK_FIELDS(X)                                               \
  X(bool, activate, "0", "", "push the hand; else it feels nothing")        \
  X(int, indice, "0", "",                                                   \
    "number of the tool: which frame of the state, and which of the tools " \
    "that an OmniDriver switches between",                                  \
    .least = "0")

// What every feedback has; where it stands in the component is told by dv_feedback_of.
typedef struct dvFeedback {
  const dvObject *driver;   // who uses it; NULL: nobody
  double reference[7];      // where the hand was when the step began,
  double speed[6];          // how fast,
  double ticks;             // and which tick of the loop that was
  DV_ARRAY(double) draft;   // what this step says; empty before the first
  DV_ARRAY(double) held;    // what the loop has, in lock step
  dvOutbox outbox;          // the same for a thread
} dvFeedback;

// The table of feedbacks, the only one for DV_ROLE_CONTROLLER.
typedef struct dvFeedbackOps {
  dvFeedback *(*feedback)(dvObject *o);
  int (*tool)(const dvObject *o);   // its number
  bool (*active)(const dvObject *o);
  void (*draft)(dvObject *o, double dt);   // at the end of a step: fills the draft
  // Steps that the hand is expected ahead for its scene, along a direction; optional.
  double (*ahead)(const dvObject *o, double along[3]);
} dvFeedbackOps;

// NULL when the object is none.
static inline const dvFeedbackOps *dv_feedback_ops(const dvObject *o) { return dv_ops(o, DV_ROLE_CONTROLLER); }
static inline dvFeedback *dv_feedback_of(dvObject *o) { return dv_feedback_ops(o)->feedback(o); }

void dv_feedback_init(dvFeedback *f);
// An empty message of a step of h seconds, with room for a mechanism. NULL when memory is short.
dvSensation *dv_feedback_begin(dvFeedback *f, dvRendering kind, double h, size_t laws, size_t rows);
void dv_feedback_post(dvFeedback *f, bool thread);
void dv_feedback_remember(dvFeedback *f, dvMemoryStream *s);
void dv_feedback_free(dvFeedback *f);

// The spring that ties a frame of a state to the hand: N/m and N s/m, N m and N m s.
typedef struct dvControlSpring {
  double stiffness[2], damping[2];   // linear, angular
} dvControlSpring;
// That of a VirtualCoupling or a RestShapeSpringsForceField in its node. False when there is none that is known.
bool dv_control_spring(const dvNode *node, const dvState *state, dvControlSpring *out);
extern const dvClass dv_virtual_coupling_class;
dvControlSpring dv_virtual_coupling_spring(const dvObject *o);

#endif
