// HTTP and WebSocket with civetweb. See server.h.
//
// Threads: the caller of dv_server_run owns the session; the library's workers read requests and hand them over in a
// queue; a sender for each client writes what lies in its outbox, so that a slow browser holds up nobody. `lock` guards
// queue and outboxes.
#include "view/server.h"

#include "base/clock.h"
#include "base/file.h"

#include <civetweb.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
  OUTBOX_LIMIT = 256 << 20,
  PENDING_LIMIT = 2000,
  TEXT = MG_WEBSOCKET_OPCODE_TEXT,
  BINARY = MG_WEBSOCKET_OPCODE_BINARY
};

typedef struct Message {
  int opcode;
  char *data;
  size_t length;
} Message;

typedef struct Client {
  dvViewer viewer;
  dvServer *server;
  struct mg_connection *connection;
  pthread_t sender;
  pthread_cond_t filled;
  dvText frame;   // one is on its way at most; its memory is used again
  bool frame_busy;
  DV_ARRAY(Message) outbox;
  size_t outbox_bytes;
  dvText partial;   // a request in several pieces; only its worker touches it
  size_t pending;   // requests in the queue
  bool joined, closing;
} Client;

typedef enum EventKind { EVENT_JOIN, EVENT_REQUEST, EVENT_LEAVE } EventKind;
typedef struct Event {
  EventKind kind;
  Client *client;
  char *text;
  size_t length;
} Event;

struct dvServer {
  struct mg_context *web;
  dvSession *session;
  char *host, *token, *root, *address;
  const char *page;
  size_t page_length;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  DV_ARRAY(Event) events;
  DV_ARRAY(Client *) clients;   // of the session's thread
  int connections;
  DV_ARRAY(char *) pictures;   // files that may be asked for
  unsigned pictures_revision;
};

// --- outboxes ------------------------------------------------------------------------------------

static void free_client(Client *c)
{
  for (size_t i = 0; i < c->outbox.count; i++)
    if (c->outbox.data[i].opcode != BINARY) dv_free(c->outbox.data[i].data);
  dv_array_free(&c->outbox);
  dv_text_free(&c->frame);
  pthread_cond_destroy(&c->filled);
  dv_free(c);
}

static void post(Client *c, int opcode, const char *data, size_t length)
{
  dvServer *s = c->server;
  char *copy = dv_try_alloc(length + 1);
  if (!copy) return;
  memcpy(copy, data, length);
  pthread_mutex_lock(&s->lock);
  bool room = !c->closing && c->outbox_bytes + length <= OUTBOX_LIMIT;
  if (room) {
    dv_push(&c->outbox, ((Message){opcode, copy, length}));
    c->outbox_bytes += length;
    pthread_cond_signal(&c->filled);
  } else {
    c->closing = true;   // it does not keep up with what it asked for
  }
  pthread_mutex_unlock(&s->lock);
  if (!room) dv_free(copy);
}

static void session_sends(void *user, dvViewer *to, const char *text, size_t length)
{
  dvServer *s = user;
  for (size_t i = 0; i < s->clients.count; i++)
    if (!to || to->transport == s->clients.data[i]) post(s->clients.data[i], TEXT, text, length);
}

static void *send_outbox(void *user)
{
  Client *c = user;
  dvServer *s = c->server;
  pthread_mutex_lock(&s->lock);
  while (!c->closing) {
    if (c->outbox.count == 0) {
      pthread_cond_wait(&c->filled, &s->lock);
      continue;
    }
    Message m = c->outbox.data[0];
    dv_array_remove(&c->outbox, 0);
    c->outbox_bytes -= m.length;
    pthread_mutex_unlock(&s->lock);
    bool good = mg_websocket_write(c->connection, m.opcode, m.data, m.length) > 0;
    if (m.opcode != BINARY) dv_free(m.data);
    pthread_mutex_lock(&s->lock);
    if (m.opcode == BINARY) c->frame_busy = false;
    if (!good) c->closing = true;
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

// --- WebSocket: what the library's workers call --------------------------------------------------

static void queue(dvServer *s, Event e)
{
  dv_push(&s->events, e);
  pthread_cond_signal(&s->wake);
}

static bool same_secret(const char *a, const char *b, size_t n)   // takes the same time wherever they differ
{
  unsigned char differ = 0;
  for (size_t i = 0; i < n; i++) differ |= (unsigned char)(a[i] ^ b[i]);
  return differ == 0;
}

// "localhost:8080" names the host h
static bool names_host(const char *text, const char *h)
{
  size_t n = strlen(h);
  return strncmp(text, h, n) == 0 && (text[n] == 0 || text[n] == ':');
}

// a page of another site cannot get here under a name of its own (Host) nor from its own address (Origin)
static bool is_local_request(const dvServer *s, const struct mg_connection *c)
{
  const char *host = mg_get_header(c, "Host"), *origin = mg_get_header(c, "Origin");
  if (!host || (!names_host(host, "127.0.0.1") && !names_host(host, "localhost") && !names_host(host, s->host)))
    return false;
  if (!origin) return true;
  return (strncmp(origin, "http://", 7) == 0 && dv_same(origin + 7, host)) ||
         (strncmp(origin, "https://", 8) == 0 && dv_same(origin + 8, host));
}

static int on_connect(const struct mg_connection *connection, void *user)
{
  dvServer *s = user;
  if (!is_local_request(s, connection)) return 1;
  pthread_mutex_lock(&s->lock);
  bool room = s->connections < DV_VIEW_VIEWERS;
  if (room) s->connections++;
  pthread_mutex_unlock(&s->lock);
  return room ? 0 : 1;
}

static void on_ready(struct mg_connection *connection, void *user)
{
  dvServer *s = user;
  Client *c = dv_alloc(sizeof *c);
  c->server = s;
  c->connection = connection;
  c->viewer.transport = c;
  pthread_cond_init(&c->filled, NULL);
  if (pthread_create(&c->sender, NULL, send_outbox, c) != 0) {                   // others go on; this one may try again
    static const char busy[] = "\x03\xf5no thread is left for another viewer";   // 1013: try again later
    free_client(c);
    mg_websocket_write(connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, busy, sizeof busy - 1);
    return;
  }
  mg_set_user_connection_data(connection, c);
  pthread_mutex_lock(&s->lock);
  queue(s, (Event){.kind = EVENT_JOIN, .client = c});
  pthread_mutex_unlock(&s->lock);
}

static int on_data(struct mg_connection *connection, int bits, char *data, size_t length, void *user)
{
  dvServer *s = user;
  Client *c = mg_get_user_connection_data(connection);
  int opcode = bits & 0xf;
  bool last = (bits & 0x80) != 0;
  if (opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE || !c) return 0;
  if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG) return 1;
  if (c->partial.length + length > DV_VIEW_MESSAGE_LIMIT) return 0;
  dv_text_add_n(&c->partial, data, length);
  if (!last) return 1;
  size_t n = c->partial.length;
  char *text = dv_text_take(&c->partial);
  if (!text) return 1;
  pthread_mutex_lock(&s->lock);
  bool good = !c->closing && c->pending < PENDING_LIMIT;
  if (good) {
    c->pending++;
    queue(s, (Event){EVENT_REQUEST, c, text, n});
  }
  pthread_mutex_unlock(&s->lock);
  if (!good) dv_free(text);
  return good;
}

static void on_close(const struct mg_connection *connection, void *user)
{
  dvServer *s = user;
  Client *c = mg_get_user_connection_data(connection);
  pthread_mutex_lock(&s->lock);
  s->connections--;
  if (c) {
    c->closing = true;
    pthread_cond_signal(&c->filled);
  }
  pthread_mutex_unlock(&s->lock);
  if (!c) return;
  pthread_join(c->sender, NULL);
  dv_text_free(&c->partial);
  pthread_mutex_lock(&s->lock);
  queue(s, (Event){.kind = EVENT_LEAVE, .client = c});
  pthread_mutex_unlock(&s->lock);
}

// --- HTTP ----------------------------------------------------------------------------------------

static void respond(struct mg_connection *c, int status, const char *reason, const char *type, const char *body,
                    size_t length)
{
  mg_printf(c,
            "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: "
            "no-store\r\nX-Content-Type-Options: nosniff\r\n"
            "Referrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\nConnection: close\r\n"
            "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
            "img-src 'self' data: blob:; "
            "connect-src 'self' blob: data:; font-src data:; frame-ancestors 'none'; base-uri 'none'; form-action "
            "'none'\r\n\r\n",
            status, reason, type, length);
  mg_write(c, body, length);
}

static int refuse(struct mg_connection *c, int status, const char *reason)
{
  respond(c, status, reason, "text/plain; charset=utf-8", reason, strlen(reason));
  return status;
}

static const char *picture_type(const char *data, size_t length)
{
  if (length > 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0) return "image/png";
  if (length > 3 && memcmp(data, "\xff\xd8\xff", 3) == 0) return "image/jpeg";
  if (length > 2 && memcmp(data, "BM", 2) == 0) return "image/bmp";
  if (length > 4 && memcmp(data, "GIF8", 4) == 0) return "image/gif";
  return NULL;   // nothing but pictures leaves the machine
}

static int send_picture(dvServer *s, struct mg_connection *c, const char *number)
{
  char *end, *path = NULL;
  errno = 0;
  unsigned long index = *number >= '0' && *number <= '9' ? strtoul(number, &end, 10) : (end = (char *)number, 0);
  pthread_mutex_lock(&s->lock);
  if (end != number && *end == 0 && errno == 0 && index < s->pictures.count) path = dv_strdup(s->pictures.data[index]);
  pthread_mutex_unlock(&s->lock);
  size_t length = 0;
  char *data = dv_file_read(path, &length);
  const char *type = data ? picture_type(data, length) : NULL;
  if (type) respond(c, 200, "OK", type, data, length);
  dv_free(path);
  dv_free(data);
  return type ? 200 : refuse(c, 404, "Not Found");
}

static int on_request(struct mg_connection *c, void *user)
{
  dvServer *s = user;
  const struct mg_request_info *info = mg_get_request_info(c);
  const char *uri = info->local_uri ? info->local_uri : "";
  size_t n = strlen(s->root);   // "/TOKEN/"
  if (!is_local_request(s, c)) return refuse(c, 403, "Forbidden");
  if (strlen(uri) < n - 1 || !same_secret(uri, s->root, n - 1) || (uri[n - 1] != 0 && uri[n - 1] != '/'))
    return refuse(c, 403, "Forbidden");
  if (!dv_same(info->request_method, "GET") && !dv_same(info->request_method, "HEAD"))
    return refuse(c, 405, "Method Not Allowed");
  if (uri[n - 1] == 0) {   // without the slash at the end relative addresses would lose the token
    mg_printf(c, "HTTP/1.1 308 Permanent Redirect\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
              s->root);
    return 308;
  }
  const char *rest = uri + n;
  if (!*rest) {
    respond(c, 200, "OK", "text/html; charset=utf-8", s->page, s->page_length);
    return 200;
  }
  if (dv_starts_with(rest, "file/")) return send_picture(s, c, rest + 5);
  return refuse(c, 404, "Not Found");
}

// --- the session's thread ------------------------------------------------------------------------

static void client_leaves(dvServer *s, Client *c)
{
  if (c->joined) dv_session_leave(s->session, &c->viewer);
  for (size_t i = 0; i < s->clients.count; i++)
    if (s->clients.data[i] == c) {
      dv_array_remove(&s->clients, i);
      break;
    }
  free_client(c);
}

static void handle(dvServer *s, Event *e)
{
  Client *c = e->client;
  dvText reply = {0};
  switch (e->kind) {
  case EVENT_JOIN:
    c->joined = dv_session_join(s->session, &c->viewer);
    dv_push(&s->clients, c);
    break;
  case EVENT_LEAVE:
    client_leaves(s, c);
    break;
  case EVENT_REQUEST:
    if (c->joined) dv_session_handle(s->session, &c->viewer, e->text, e->length, &reply);
    if (reply.length) post(c, TEXT, reply.text, reply.length);
    dv_text_free(&reply);
    dv_free(e->text);
    pthread_mutex_lock(&s->lock);
    c->pending--;
    pthread_mutex_unlock(&s->lock);
  }
}

static void handle_events(dvServer *s)
{
  pthread_mutex_lock(&s->lock);
  while (s->events.count) {
    Event e = s->events.data[0];
    dv_array_remove(&s->events, 0);
    pthread_mutex_unlock(&s->lock);
    handle(s, &e);
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
}

static void publish_pictures(dvServer *s)
{
  unsigned revision = dv_session_revision(s->session);
  if (revision == s->pictures_revision) return;
  s->pictures_revision = revision;
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < s->pictures.count; i++) dv_free(s->pictures.data[i]);
  s->pictures.count = 0;
  for (size_t i = 0; i < dv_session_texture_count(s->session); i++)
    dv_push(&s->pictures, dv_session_texture(s->session, i));
  pthread_mutex_unlock(&s->lock);
}

static void send_frames(dvServer *s)
{
  for (size_t i = 0; i < s->clients.count; i++) {
    Client *c = s->clients.data[i];
    pthread_mutex_lock(&s->lock);
    bool free_now = c->joined && !c->frame_busy && !c->closing;
    pthread_mutex_unlock(&s->lock);
    if (!free_now) continue;
    dv_text_clear(&c->frame);
    if (!dv_session_frame(s->session, &c->viewer, &c->frame)) continue;
    pthread_mutex_lock(&s->lock);
    c->frame_busy = true;
    dv_push(&c->outbox, ((Message){BINARY, c->frame.text, c->frame.length}));
    c->outbox_bytes += c->frame.length;
    pthread_cond_signal(&c->filled);
    pthread_mutex_unlock(&s->lock);
  }
}

static void wait_for_events(dvServer *s, double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  long nanoseconds = until.tv_nsec + (long)(1e9 * seconds);
  until.tv_sec += nanoseconds / 1000000000;
  until.tv_nsec = nanoseconds % 1000000000;
  pthread_mutex_lock(&s->lock);
  if (s->events.count == 0) pthread_cond_timedwait(&s->wake, &s->lock, &until);
  pthread_mutex_unlock(&s->lock);
}

void dv_server_run(dvServer *s, const atomic_int *stop)
{
  while (!atomic_load(stop)) {
    handle_events(s);
    double wait = dv_session_advance(s->session);
    publish_pictures(s);
    send_frames(s);
    if (wait > 0) wait_for_events(s, dv_min(wait, 0.5));
  }
}

// --- beginning and end ---------------------------------------------------------------------------

static char *random_token(void)
{
  unsigned char bytes[16];
  DV_REQUIRE(getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes);
  char *token = dv_alloc(33);
  for (int i = 0; i < 16; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return token;
}

static int quiet(const struct mg_connection *c, const char *message)
{
  DV_UNUSED(c), DV_UNUSED(message);
  return 1;   // the library's own log goes nowhere
}

static bool listen_on(dvServer *s, int port, dvText *why)
{
  char *ports = dv_format("%s:%d", s->host, port);
  const char *options[] = {"listening_ports",
                           ports,
                           "num_threads",
                           "12",
                           "request_timeout_ms",
                           "10000",
                           "websocket_timeout_ms",
                           "3600000",
                           "enable_directory_listing",
                           "no",
                           "enable_keep_alive",
                           "no",
                           "tcp_nodelay",
                           "1",
                           NULL};
  struct mg_callbacks callbacks = {.log_message = quiet};
  s->web = mg_start(&callbacks, s, options);
  struct mg_server_port listening = {0};
  bool good = s->web && mg_get_server_ports(s->web, 1, &listening) == 1;
  if (good) s->address = dv_format("http://%s:%d%s", s->host, listening.port, s->root);
  else
    dv_text_printf(why, "nothing can listen on %s; another program may, or --port and --host do not fit this machine",
                   ports);
  dv_free(ports);
  return good;
}

dvServer *dv_server_create(const dvServerOptions *o, dvText *why)
{
  dvServer *s = dv_alloc(sizeof *s);
  mg_init_library(MG_FEATURES_WEBSOCKET);
  pthread_mutex_init(&s->lock, NULL);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&s->wake, &monotonic);
  pthread_condattr_destroy(&monotonic);
  s->host = dv_strdup(o->host ? o->host : "127.0.0.1");
  s->token = o->token ? dv_strdup(o->token) : random_token();
  s->root = dv_format("/%s/", s->token);
  s->page = o->page;
  s->page_length = o->page_length;
  if (!listen_on(s, o->port, why)) {
    dv_server_destroy(&s);
    return NULL;
  }
  dvSessionOptions session = o->session;
  session.send = session_sends;
  session.user = s;
  s->session = dv_session_create(&session);
  char *socket_uri = dv_format("%ssocket$", s->root);
  mg_set_websocket_handler(s->web, socket_uri, on_connect, on_ready, on_data, on_close, s);
  mg_set_request_handler(s->web, "/", on_request, s);
  dv_free(socket_uri);
  return s;
}

void dv_server_destroy(dvServer **server)
{
  dvServer *s = *server;
  if (!s) return;
  if (s->web) mg_stop(s->web);   // closes every connection
  if (s->session) handle_events(s);
  dv_session_destroy(&s->session);
  for (size_t i = 0; i < s->pictures.count; i++) dv_free(s->pictures.data[i]);
  dv_array_free(&s->pictures);
  dv_array_free(&s->events);
  dv_array_free(&s->clients);
  pthread_cond_destroy(&s->wake);
  pthread_mutex_destroy(&s->lock);
  dv_free(s->host), dv_free(s->token), dv_free(s->root), dv_free(s->address);
  mg_exit_library();
  dv_free(s);
  *server = NULL;
}

const char *dv_server_address(const dvServer *s) { return s->address; }
dvSession *dv_server_session(dvServer *s) { return s->session; }
