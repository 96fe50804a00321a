// Inside of wires: what sockets and ZeroMQ share.
#ifndef DV_ROBOT_WIRE_INSIDE_H
#define DV_ROBOT_WIRE_INSIDE_H

#include "robot/wire.h"

#include "base/array.h"

#include <sys/socket.h>

enum { DV_WIRE_PARTNERS = 16 };   // receivers of one sender

typedef struct dvWirePartner {
  int socket;   // TCP
  bool connecting, asked;
  struct sockaddr_storage address;   // UDP
  double heard;                      // when, by the clock
  dvText out;                        // what the socket has not taken yet
  size_t sent;
} dvWirePartner;

typedef struct dvWireZeromq dvWireZeromq;   // wire_zeromq.c

struct dvWire {
  dvWireOptions options;
  struct sockaddr_storage address;   // to listen on or to go to
  socklen_t address_size;
  char *ip;
  int socket;   // TCP of a sender: listens; UDP: all of it; else -1
  int port;
  DV_ARRAY(dvWirePartner) partners;
  dvText in;       // TCP of a receiver: bytes behind the last whole line
  dvText newest;   // the last whole message
  bool fresh;
  double again;   // when it is tried again
  const char *trouble;
  dvWireZeromq *zeromq;
};

void dv_wire_keep(dvWire *w, const char *bytes, size_t length);   // as the newest message

bool dv_zeromq_open(dvWire *w);
void dv_zeromq_attend(dvWire *w);
size_t dv_zeromq_send(dvWire *w, const char *text, size_t length);
void dv_zeromq_close(dvWire *w);

#endif
