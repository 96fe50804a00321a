// Messages over a socket by RFC 6455, the server's side.
#ifndef DV_VIEW_WEBSOCKET_H
#define DV_VIEW_WEBSOCKET_H

#include "base/text.h"

typedef enum dvWebKind {
  DV_WEB_MORE = 0,   // goes on with what came before
  DV_WEB_TEXT = 1,
  DV_WEB_BINARY = 2,
  DV_WEB_CLOSE = 8,
  DV_WEB_PING = 9,
  DV_WEB_PONG = 10,
} dvWebKind;

typedef struct dvWebReader {
  int socket;
  const char *ahead;   // read before, with the request
  size_t ahead_length;
} dvWebReader;

// The answer to the key of a client: base64 of the SHA-1 of the key and a name that the standard gives.
void dv_web_accept(const char *key, char out[29]);
// The next message of the client, pieces put together; control messages come in between. False at the end, for what is
// no message, and for one of more than `limit` bytes. `partial` holds the pieces.
bool dv_web_read(dvWebReader *reader, dvText *partial, size_t limit, dvWebKind *kind, dvText *message);
bool dv_web_write(int socket, dvWebKind kind, const char *data, size_t length);
bool dv_socket_write(int socket, const char *data, size_t length);

#endif
