// The door of the viewer's server: listens, and reads the heads of requests.
//
// One thread holds all connections that have not yet said what they want: as many as there are places, each for a few
// seconds at most, the oldest giving way to a newcomer. Whoever says a whole sentence is handed over at once, so that
// any number of silent ones delay nobody.
#ifndef DV_VIEW_DOOR_H
#define DV_VIEW_DOOR_H

#include "base/text.h"

enum { DV_DOOR_HEAD = 8192 };   // bytes of a head

// A request, cut in its buffer. Header lines that are not there are NULL.
typedef struct dvHead {
  const char *method, *path;   // the path without what follows a question mark
  const char *host, *origin, *upgrade, *key, *version;
  const char *rest;   // bytes that came behind the head
  size_t rest_length;
} dvHead;

// False for what is no request of HTTP/1. `text` ends with a 0 at `length` and is cut into pieces.
bool dv_head_parse(char *text, size_t length, dvHead *out);

// The request names this machine: `host`, which is listened on, a name of the loopback, the machine's own name or the
// address that was called. A page of another site cannot get here under a name of its own (Host) nor from its own
// address (Origin).
bool dv_head_is_local(const dvHead *head, int socket, const char *host);
char *dv_host_in_address(const char *host);   // an address of IPv6 stands in brackets; the caller frees it

// A guest is handed over with its head, which lives as long as the call. The socket is the receiver's, and waits.
typedef void (*dvDoorGuest)(void *user, int socket, const dvHead *head);

typedef struct dvDoor dvDoor;
// `host` is an address or a name; NULL with a sentence in `why` when nothing can listen there.
dvDoor *dv_door_open(const char *host, int port, dvDoorGuest guest, void *user, dvText *why);
void dv_door_close(dvDoor **door);   // no guest comes afterwards
int dv_door_port(const dvDoor *door);

#endif
