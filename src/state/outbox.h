// The state of a scene for another thread: a viewer, a haptic device, a recorder.
//
// At the end of each step chosen vectors of chosen states are copied into an outbox (base/outbox.h), with time and
// number of the step. One other thread reads: what it gets belongs to one step, neither waits for the other, and
// nothing is allocated once the sizes stand. Several readers have an outbox each.
#ifndef DV_STATE_OUTBOX_H
#define DV_STATE_OUTBOX_H

#include "state/state.h"

typedef struct dvChannel {
  const dvState *state;
  int id;   // of the vector
} dvChannel;

typedef struct dvFrame {
  double time;
  long step;   // steps done; 0 after initialisation and reset
  size_t channels;
  const size_t *first;   // channels + 1 places in `values`
  const double *values;
} dvFrame;

// The numbers of a channel.
static inline const double *dv_frame_values(const dvFrame *f, size_t channel, size_t *count)
{
  if (count) *count = f->first[channel + 1] - f->first[channel];
  return f->values + f->first[channel];
}

typedef struct dvStateOutbox dvStateOutbox;

// Opens and closes: by who steps the scene, between steps. When the scene is initialised the present state is posted at
// once. An outbox may outlive its scene.
dvStateOutbox *dv_state_outbox_open(dvScene *scene, const dvChannel *channels, size_t count);
void dv_state_outbox_close(dvStateOutbox **outbox);
// For the reader: the newest state, false while there is none; *fresh (may be NULL) tells whether it is another one
// than the last time. Pointers in the frame live until the next call.
bool dv_state_outbox_read(dvStateOutbox *outbox, dvFrame *frame, bool *fresh);

#endif
