// An outbox hands the newest of a series of messages from one thread to one other; neither ever waits.
//
// There are three buffers: the writer fills one, the reader looks at one, and the third lies between them. Publishing
// and taking exchange a buffer for the one in the middle, so a message is whole when the reader sees it and stays as it
// is until he takes the next. Messages that nobody has taken are overwritten by newer ones.
#ifndef DV_BASE_OUTBOX_H
#define DV_BASE_OUTBOX_H

#include "base/base.h"

#include <stdatomic.h>

typedef struct dvOutboxBuffer {
  void *data;   // 64-byte aligned
  size_t size, capacity;
} dvOutboxBuffer;

// A writer and a reader may use it at the same time.
typedef struct dvOutbox {
  dvOutboxBuffer buffer[3];
  atomic_uint middle;       // which one lies there, and whether it is new
  unsigned writes, reads;   // the writer's and the reader's
  bool taken;               // the reader has a message
} dvOutbox;

void dv_outbox_init(dvOutbox *o);

// For the writer: room for a message of so many bytes, with anything in it; NULL when memory is short. Once the largest
// message has passed three times nothing is allocated.
void *dv_outbox_begin(dvOutbox *o, size_t bytes);
void dv_outbox_publish(dvOutbox *o);
// For the reader: the newest message, NULL before the first; *fresh (may be NULL) tells whether it is another one than
// the last time. It stays as it is until the next call.
const void *dv_outbox_take(dvOutbox *o, size_t *bytes, bool *fresh);
// When both have ended.
void dv_outbox_free(dvOutbox *o);

#endif
