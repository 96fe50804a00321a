// A connection that never waits: TCP, UDP, or ZeroMQ where its library is installed.
//
// As in SOFA the sender listens on a port and receivers go there. Nothing here blocks: sockets are looked at when
// dv_wire_attend is called, once in a step. Of messages that come faster than steps the newest counts; a receiver that
// does not keep up misses some. A connection that breaks, or cannot be made yet, is tried again four times a second.
//
//   TCP      a message is a line; receivers that ask (by_request) send an empty one
//   UDP      a message is a datagram; receivers say four times a second, or for each request, that they are there
//   ZeroMQ   PUB and SUB, or REP and REQ
#ifndef DV_ROBOT_WIRE_H
#define DV_ROBOT_WIRE_H

#include "base/text.h"

typedef enum dvWireKind { DV_WIRE_TCP, DV_WIRE_UDP, DV_WIRE_ZEROMQ } dvWireKind;

typedef struct dvWireOptions {
  dvWireKind kind;
  bool sender, by_request;
  const char *ip;    // numbers or "localhost": where to listen, or the sender's; never looked up, which might take long
  int port;          // 0 for a sender on TCP and UDP: any that is free
  int most_queued;   // ZeroMQ: messages that wait for a receiver; 0 for any number
  double patience;   // s without a sign of life after which a partner on UDP or ZeroMQ counts as gone
} dvWireOptions;

typedef struct dvWire dvWire;

// Opens nothing yet. NULL with a sentence in `why` when the address is none or the library is not there.
dvWire *dv_wire_create(const dvWireOptions *options, dvText *why);
void dv_wire_destroy(dvWire **wire);

void dv_wire_attend(dvWire *w);   // takes in who comes and what has come
// Sender: hands a message to all who are there, or who have asked; returns to how many.
size_t dv_wire_send(dvWire *w, const char *text, size_t length);
// Receiver: the newest message since the last call, 0-terminated, or NULL. Valid until the next attend.
const char *dv_wire_take(dvWire *w, size_t *length);

size_t dv_wire_partners(const dvWire *w);       // who are there now
const char *dv_wire_trouble(const dvWire *w);   // why it cannot be opened at the moment, or NULL
int dv_wire_port(const dvWire *w);              // that it listens on; 0 before it does
bool dv_wire_has_zeromq(void);

#endif
