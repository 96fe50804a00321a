// HTTP and WebSocket. See server.h.
//
// Threads: the caller of dv_server_run owns the session. The door (door.h) reads what newcomers want and sends away who
// does not know the token; each of the others, the guests, has a thread of its own, which answers one request or reads
// the messages of a socket and hands them over in a queue. A sender for each socket writes what lies in its outbox, so
// that a slow browser holds up nobody. `lock` guards queue, outboxes and the list of guests.
#include "view/server.h"

#include "base/clock.h"
#include "base/file.h"
#include "view/door.h"
#include "view/websocket.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
  OUTBOX_LIMIT = 256 << 20,
  PENDING_LIMIT = 2000,
  PONG_LIMIT = 1 << 20,   // bytes that wait; more pings than that are not answered
  GUESTS = 32,            // who know the token, at a time
  SEND_PATIENCE = 20,     // seconds that a client may take nothing off its socket
};

typedef struct Message {
  dvWebKind kind;
  char *data;
  size_t length;
} Message;

typedef struct Client {
  dvViewer viewer;
  dvServer *server;
  int socket;
  pthread_t sender;
  pthread_cond_t filled;
  dvText frame;   // one is on its way at most; its memory is used again
  bool frame_busy;
  DV_ARRAY(Message) outbox;
  size_t outbox_bytes;
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

typedef struct Guest {   // a connection of somebody who knows the token
  dvServer *server;
  pthread_t thread;
  int socket;
  bool done;
  char *method, *rest, *key;   // what it asks for below the token; the key of one that wants a WebSocket
  dvText ahead;                // bytes that came behind its head
} Guest;

struct dvServer {
  dvDoor *door;
  dvSession *session;
  char *host, *token, *root, *address;
  const char *page;
  size_t page_length;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  DV_ARRAY(Event) events;
  DV_ARRAY(Client *) clients;   // of the session's thread
  DV_ARRAY(Guest *) guests;
  int sockets;                 // guests that are clients
  DV_ARRAY(char *) pictures;   // files that may be asked for
  unsigned pictures_serial;    // number of that list, in their addresses
  unsigned pictures_revision;
};

// --- outboxes ------------------------------------------------------------------------------------

static void free_client(Client *c)
{
  for (size_t i = 0; i < c->outbox.count; i++)
    if (c->outbox.data[i].kind != DV_WEB_BINARY) dv_free(c->outbox.data[i].data);
  dv_array_free(&c->outbox);
  dv_text_free(&c->frame);
  pthread_cond_destroy(&c->filled);
  dv_free(c);
}

static void post(Client *c, dvWebKind kind, const char *data, size_t length)
{
  dvServer *s = c->server;
  char *copy = dv_try_alloc(length + 1);
  if (!copy) return;
  memcpy(copy, data, length);
  pthread_mutex_lock(&s->lock);
  bool room = !c->closing && c->outbox_bytes + length <= OUTBOX_LIMIT;
  if (room) {
    dv_push(&c->outbox, ((Message){kind, copy, length}));
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
    if (!to || to->transport == s->clients.data[i]) post(s->clients.data[i], DV_WEB_TEXT, text, length);
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
    bool good = dv_web_write(c->socket, m.kind, m.data, m.length);
    if (m.kind != DV_WEB_BINARY) dv_free(m.data);
    pthread_mutex_lock(&s->lock);
    if (m.kind == DV_WEB_BINARY) c->frame_busy = false;
    if (!good) c->closing = true;
  }
  pthread_mutex_unlock(&s->lock);
  shutdown(c->socket, SHUT_RD);   // whoever reads from it hears of the end
  return NULL;
}

// --- a WebSocket: what the guest's thread does --------------------------------------------------

static void queue(dvServer *s, Event e)
{
  dv_push(&s->events, e);
  pthread_cond_signal(&s->wake);
}

static bool hand_over(Client *c, dvText *message)
{
  dvServer *s = c->server;
  size_t n = message->length;
  char *text = dv_text_take(message);
  if (!text) return true;
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

static void answer_ping(Client *c, const dvText *ping)
{
  pthread_mutex_lock(&c->server->lock);
  bool room = c->outbox_bytes < PONG_LIMIT;
  pthread_mutex_unlock(&c->server->lock);
  if (room) post(c, DV_WEB_PONG, ping->text ? ping->text : "", ping->length);
}

static void read_messages(Client *c, Guest *g)
{
  dvWebReader reader = {g->socket, g->ahead.text, g->ahead.length};
  dvText partial = {0}, message = {0};
  dvWebKind kind;
  bool good = true;
  while (good && dv_web_read(&reader, &partial, DV_VIEW_MESSAGE_LIMIT, &kind, &message)) {
    if (kind == DV_WEB_TEXT) good = hand_over(c, &message);
    else if (kind == DV_WEB_PING) answer_ping(c, &message);
    else if (kind == DV_WEB_CLOSE) good = false;
  }
  dv_text_free(&partial);
  dv_text_free(&message);
}

static void close_with(Guest *g, const char *reason)   // two bytes of a code, and words
{
  dv_web_write(g->socket, DV_WEB_CLOSE, reason, strlen(reason));
}

static void be_client(Guest *g)
{
  dvServer *s = g->server;
  char accept[29];
  dv_web_accept(g->key, accept);
  char *answer = dv_format("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           "Sec-WebSocket-Accept: %s\r\n\r\n",
                           accept);
  bool good = dv_socket_write(g->socket, answer, strlen(answer));
  dv_free(answer);
  if (!good) return;
  Client *c = dv_alloc(sizeof *c);
  c->server = s;
  c->socket = g->socket;
  c->viewer.transport = c;
  pthread_cond_init(&c->filled, NULL);
  if (pthread_create(&c->sender, NULL, send_outbox, c) != 0) {   // others go on; this one may try again (1013)
    free_client(c);
    close_with(g, "\x03\xf5no thread is left for another viewer");
    return;
  }
  pthread_mutex_lock(&s->lock);
  queue(s, (Event){.kind = EVENT_JOIN, .client = c});
  pthread_mutex_unlock(&s->lock);
  read_messages(c, g);
  pthread_mutex_lock(&s->lock);
  c->closing = true;
  pthread_cond_signal(&c->filled);
  pthread_mutex_unlock(&s->lock);
  pthread_join(c->sender, NULL);
  close_with(g, "\x03\xe8");
  pthread_mutex_lock(&s->lock);
  queue(s, (Event){.kind = EVENT_LEAVE, .client = c});
  pthread_mutex_unlock(&s->lock);
}

// --- HTTP ----------------------------------------------------------------------------------------

static void respond(int socket, bool with_body, const char *status, const char *type, const char *body, size_t length)
{
  char *head =
      dv_format("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: "
                "no-store\r\nX-Content-Type-Options: nosniff\r\n"
                "Referrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\nConnection: close\r\n"
                "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                "img-src 'self' data: blob:; media-src blob:; "
                "connect-src 'self' blob: data:; font-src data:; frame-ancestors 'none'; base-uri 'none'; form-action "
                "'none'\r\n\r\n",
                status, type, length);
  if (dv_socket_write(socket, head, strlen(head)) && with_body) dv_socket_write(socket, body, length);
  dv_free(head);
}

static void refuse(int socket, bool with_body, const char *status)
{
  const char *reason = strchr(status, ' ') + 1;
  respond(socket, with_body, status, "text/plain; charset=utf-8", reason, strlen(reason));
}

static const char *picture_type(const char *data, size_t length)
{
  if (length > 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0) return "image/png";
  if (length > 3 && memcmp(data, "\xff\xd8\xff", 3) == 0) return "image/jpeg";
  if (length > 2 && memcmp(data, "BM", 2) == 0) return "image/bmp";
  if (length > 4 && memcmp(data, "GIF8", 4) == 0) return "image/gif";
  return NULL;   // nothing but pictures leaves the machine
}

static bool read_number(const char **at, unsigned long *number)
{
  char *end;
  if (**at < '0' || **at > '9') return false;
  errno = 0;
  *number = strtoul(*at, &end, 10);
  *at = end;
  return errno == 0;
}

// the picture of an address `SERIAL/N`; one of a list that was there before is gone: no content, of which no browser
// complains
static void send_picture(const Guest *g, bool with_body, const char *name)
{
  dvServer *s = g->server;
  char *path = NULL;
  unsigned long serial = 0, index = 0;
  bool good = read_number(&name, &serial) && *name++ == '/' && read_number(&name, &index) && !*name, gone = false;
  pthread_mutex_lock(&s->lock);
  gone = good && serial > 0 && serial < s->pictures_serial;
  if (good && serial == s->pictures_serial && index < s->pictures.count) path = dv_strdup(s->pictures.data[index]);
  pthread_mutex_unlock(&s->lock);
  size_t length = 0;
  char *data = dv_file_read(path, &length);
  const char *type = data ? picture_type(data, length) : NULL;
  static const char nothing[] = "HTTP/1.1 204 No Content\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
  if (type) respond(g->socket, with_body, "200 OK", type, data, length);
  else if (gone) dv_socket_write(g->socket, nothing, sizeof nothing - 1);
  else refuse(g->socket, with_body, "404 Not Found");
  dv_free(path);
  dv_free(data);
}

static void serve_request(Guest *g)
{
  dvServer *s = g->server;
  bool get = dv_same(g->method, "GET");
  if (!get && !dv_same(g->method, "HEAD")) {
    refuse(g->socket, true, "405 Method Not Allowed");
  } else if (!g->rest) {   // without the slash at the end relative addresses would lose the token
    char *answer = dv_format("HTTP/1.1 308 Permanent Redirect\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: "
                             "close\r\n\r\n",
                             s->root);
    dv_socket_write(g->socket, answer, strlen(answer));
    dv_free(answer);
  } else if (!*g->rest) {
    respond(g->socket, get, "200 OK", "text/html; charset=utf-8", s->page, s->page_length);
  } else if (dv_starts_with(g->rest, "file/")) {
    send_picture(g, get, g->rest + 5);
  } else {
    refuse(g->socket, get, "404 Not Found");
  }
}

// --- guests --------------------------------------------------------------------------------------

static bool same_secret(const char *a, const char *b, size_t n)   // takes the same time wherever they differ
{
  unsigned char differ = 0;
  for (size_t i = 0; i < n; i++) differ |= (unsigned char)(a[i] ^ b[i]);
  return differ == 0;
}

static void free_guest(Guest *g)
{
  if (g->socket >= 0) close(g->socket);
  dv_free(g->method), dv_free(g->rest), dv_free(g->key);
  dv_text_free(&g->ahead);
  dv_free(g);
}

// What is still on its way to us is read for a moment: closing over it would take our last words back from the other
// side. Whoever does not stop to send is cut off then.
static void part_from(int socket)
{
  char unread[4096];
  struct timeval patience = {.tv_usec = 200000};
  double began = dv_now();
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  shutdown(socket, SHUT_WR);
  while (dv_now() - began < 0.5 && recv(socket, unread, sizeof unread, 0) > 0) continue;
}

static void *be_guest(void *user)
{
  Guest *g = user;
  dvServer *s = g->server;
  if (!g->key) serve_request(g);
  else be_client(g);
  pthread_mutex_lock(&s->lock);
  if (g->key) s->sockets--;
  pthread_mutex_unlock(&s->lock);
  part_from(g->socket);
  pthread_mutex_lock(&s->lock);
  close(g->socket);   // not when the next one comes: whoever goes on to send would wait until then
  g->socket = -1;
  g->done = true;
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

// those who have gone; all of them when `wait` is set
static void see_off(dvServer *s, bool wait)
{
  pthread_mutex_lock(&s->lock);
  for (size_t i = s->guests.count; i-- > 0;) {
    Guest *g = s->guests.data[i];
    if (wait && g->socket >= 0) shutdown(g->socket, SHUT_RDWR);
    if (!g->done && !wait) continue;
    dv_array_remove(&s->guests, i);
    pthread_mutex_unlock(&s->lock);
    pthread_join(g->thread, NULL);
    free_guest(g);
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
}

static void send_away(int socket, const char *status)
{
  refuse(socket, true, status);   // fits into the socket's own memory
  shutdown(socket, SHUT_WR);
  close(socket);
}

// what the door calls, in its own thread, for everybody who has said what it wants
static void on_guest(void *user, int socket, const dvHead *h)
{
  dvServer *s = user;
  size_t n = strlen(s->root);   // "/TOKEN/"
  if (!dv_head_is_local(h, socket, s->host) || strlen(h->path) < n - 1 || !same_secret(h->path, s->root, n - 1) ||
      (h->path[n - 1] != 0 && h->path[n - 1] != '/')) {
    send_away(socket, "403 Forbidden");
    return;
  }
  const char *rest = h->path[n - 1] ? h->path + n : NULL;
  bool web = dv_same(rest, "socket");
  if (web && (!h->key || !h->upgrade || strcasecmp(h->upgrade, "websocket") != 0 || !dv_same(h->version, "13"))) {
    send_away(socket, "400 Bad Request");
    return;
  }
  see_off(s, false);
  struct timeval patience = {SEND_PATIENCE, 0};
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
  Guest *g = dv_alloc(sizeof *g);
  *g = (Guest){.server = s, .socket = socket, .method = dv_strdup(h->method), .rest = dv_strdup(rest)};
  if (web) g->key = dv_strdup(h->key);
  if (h->rest_length) dv_text_add_n(&g->ahead, h->rest, h->rest_length);
  pthread_mutex_lock(&s->lock);
  bool room = s->guests.count < GUESTS && (!web || s->sockets < DV_VIEW_VIEWERS);
  room = room && pthread_create(&g->thread, NULL, be_guest, g) == 0;
  if (room) dv_push(&s->guests, g);
  if (room && web) s->sockets++;
  pthread_mutex_unlock(&s->lock);
  if (room) return;
  refuse(socket, true, "503 Service Unavailable");
  free_guest(g);
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

static void publish_pictures(dvServer *s)
{
  unsigned revision = dv_session_revision(s->session);
  if (revision == s->pictures_revision) return;
  s->pictures_revision = revision;
  unsigned serial = dv_session_pictures(s->session);
  pthread_mutex_lock(&s->lock);
  s->pictures_serial = serial;
  for (size_t i = 0; i < s->pictures.count; i++) dv_free(s->pictures.data[i]);
  s->pictures.count = 0;
  for (size_t i = 0; i < dv_session_texture_count(s->session); i++)
    dv_push(&s->pictures, dv_session_texture(s->session, i));
  pthread_mutex_unlock(&s->lock);
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
    publish_pictures(s);   // before their addresses are told
    if (reply.length) post(c, DV_WEB_TEXT, reply.text, reply.length);
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
    dv_push(&c->outbox, ((Message){DV_WEB_BINARY, c->frame.text, c->frame.length}));
    c->outbox_bytes += c->frame.length;
    pthread_cond_signal(&c->filled);
    pthread_mutex_unlock(&s->lock);
  }
}

void dv_server_wait(dvServer *s, double seconds)
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

void dv_server_wake(dvServer *s)
{
  pthread_mutex_lock(&s->lock);
  pthread_cond_signal(&s->wake);
  pthread_mutex_unlock(&s->lock);
}

bool dv_server_has_mail(dvServer *s)
{
  pthread_mutex_lock(&s->lock);
  bool mail = s->events.count > 0;
  pthread_mutex_unlock(&s->lock);
  return mail;
}

double dv_server_turn(dvServer *s)
{
  handle_events(s);
  double wait = dv_session_advance(s->session);
  publish_pictures(s);
  send_frames(s);
  return wait;
}

void dv_server_run(dvServer *s, const atomic_int *stop)
{
  while (!atomic_load(stop)) {
    double wait = dv_server_turn(s);
    if (wait > 0) dv_server_wait(s, dv_min(wait, 0.5));
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

dvServer *dv_server_create(const dvServerOptions *o, dvText *why)
{
  dvServer *s = dv_alloc(sizeof *s);
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
  s->door = dv_door_open(s->host, o->port, on_guest, s, why);
  if (!s->door) {
    dv_server_destroy(&s);
    return NULL;
  }
  char *host = dv_host_in_address(s->host);
  s->address = dv_format("http://%s:%d%s", host, dv_door_port(s->door), s->root);
  dv_free(host);
  dvSessionOptions session = o->session;
  session.send = session_sends;
  session.user = s;
  s->session = dv_session_create(&session);
  return s;
}

void dv_server_destroy(dvServer **server)
{
  dvServer *s = *server;
  if (!s) return;
  dv_door_close(&s->door);
  see_off(s, true);
  if (s->session) handle_events(s);
  dv_session_destroy(&s->session);
  for (size_t i = 0; i < s->pictures.count; i++) dv_free(s->pictures.data[i]);
  dv_array_free(&s->pictures);
  dv_array_free(&s->events);
  dv_array_free(&s->clients);
  dv_array_free(&s->guests);
  pthread_cond_destroy(&s->wake);
  pthread_mutex_destroy(&s->lock);
  dv_free(s->host), dv_free(s->token), dv_free(s->root), dv_free(s->address);
  dv_free(s);
  *server = NULL;
}

const char *dv_server_address(const dvServer *s) { return s->address; }
dvSession *dv_server_session(dvServer *s) { return s->session; }
