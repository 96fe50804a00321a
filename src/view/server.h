// The transport of the viewer: HTTP and WebSocket on one side, a session on the other. docs/viewer.md has the
// addresses.
#ifndef DV_VIEW_SERVER_H
#define DV_VIEW_SERVER_H

#include "view/session.h"

#include <stdatomic.h>

typedef struct dvServer dvServer;

typedef struct dvServerOptions {
  const char *host;    // address to listen on; NULL for 127.0.0.1
  int port;            // 0 takes any that is free
  const char *token;   // NULL makes a random one
  const char *page;    // the page, and its length
  size_t page_length;
  dvSessionOptions session;   // `send` and `user` are the server's
} dvServerOptions;

// NULL with a sentence in `why` when it cannot listen.
dvServer *dv_server_create(const dvServerOptions *options, dvText *why);
void dv_server_destroy(dvServer **server);
// "http://127.0.0.1:PORT/TOKEN/"; lives as long as the server.
const char *dv_server_address(const dvServer *server);
dvSession *dv_server_session(dvServer *server);
// One round: answers what has come, does what is due, sends frames. Returns how many seconds there is nothing to do.
double dv_server_turn(dvServer *server);
// Waits until something comes, at most so long; any thread may, and dv_server_wake ends it.
void dv_server_wait(dvServer *server, double seconds);
void dv_server_wake(dvServer *server);
bool dv_server_has_mail(dvServer *server);   // something has come that waits for a turn
// Simulates and answers until *stop is not 0.
void dv_server_run(dvServer *server, const atomic_int *stop);

#endif
