// See door.h.
#include "view/door.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PLACES = 256, BACKLOG = 512 };
#define PATIENCE 5.0   // seconds for a head

// --- heads ---------------------------------------------------------------------------------------

static char *cut(char **at, char end)   // up to `end`, which becomes a 0
{
  char *begin = *at, *found = strchr(begin, end);
  if (!found) return NULL;
  *found = 0;
  *at = found + 1;
  return begin;
}

static void take_line(dvHead *h, char *line)
{
  const struct {
    const char *name, **to;
  } wanted[] = {{"Host", &h->host},
                {"Origin", &h->origin},
                {"Upgrade", &h->upgrade},
                {"Sec-WebSocket-Key", &h->key},
                {"Sec-WebSocket-Version", &h->version}};
  char *colon = strchr(line, ':');
  if (!colon) return;
  *colon = 0;
  char *value = colon + 1 + strspn(colon + 1, " \t");
  for (size_t n = strlen(value); n && (value[n - 1] == ' ' || value[n - 1] == '\t');) value[--n] = 0;
  for (size_t i = 0; i < DV_COUNT(wanted); i++)
    if (strcasecmp(line, wanted[i].name) == 0) *wanted[i].to = value;
}

bool dv_head_parse(char *text, size_t length, dvHead *out)
{
  *out = (dvHead){0};
  char *end = strstr(text, "\r\n\r\n");
  if (!end) return false;
  out->rest = end + 4;
  out->rest_length = length - (size_t)(end + 4 - text);
  end[2] = 0;
  char *at = text, *line = cut(&at, '\n');
  out->method = cut(&line, ' ');
  char *path = out->method ? cut(&line, ' ') : NULL;
  if (!path || *path != '/' || strncmp(line, "HTTP/1.", 7) != 0) return false;
  path[strcspn(path, "?#")] = 0;
  out->path = path;
  while (*at && (line = cut(&at, '\n'))) {
    size_t n = strlen(line);
    if (n && line[n - 1] == '\r') line[n - 1] = 0;
    take_line(out, line);
  }
  return true;
}

// --- who calls, and whom ------------------------------------------------------------------------

// "localhost:8080" names the host h
static bool names_host(const char *text, const char *h)
{
  size_t n = strlen(h);
  return n && strncasecmp(text, h, n) == 0 && (text[n] == 0 || text[n] == ':');
}

// an address of IPv6 stands in brackets
char *dv_host_in_address(const char *host) { return dv_format(strchr(host, ':') ? "[%s]" : "%s", host); }

// the address of this machine that the client has called, and the machine's own name
static bool names_this_machine(int socket, const char *host)
{
  struct sockaddr_storage here;
  socklen_t size = sizeof here;
  char text[256], name[256] = "";
  if (getsockname(socket, (struct sockaddr *)&here, &size) != 0 ||
      getnameinfo((struct sockaddr *)&here, size, text, sizeof text, NULL, 0, NI_NUMERICHOST) != 0)
    return false;
  char *plain = dv_host_in_address(dv_starts_with(text, "::ffff:") ? text + 7 : text);
  bool same = names_host(host, plain) || (gethostname(name, sizeof name - 1) == 0 && names_host(host, name));
  dv_free(plain);
  return same;
}

bool dv_head_is_local(const dvHead *h, int socket, const char *host)
{
  char *own = dv_host_in_address(host);
  bool known = h->host && (names_host(h->host, "127.0.0.1") || names_host(h->host, "localhost") ||
                           names_host(h->host, own) || names_this_machine(socket, h->host));
  dv_free(own);
  if (!known || !h->origin) return known;
  return (strncmp(h->origin, "http://", 7) == 0 && dv_same(h->origin + 7, h->host)) ||
         (strncmp(h->origin, "https://", 8) == 0 && dv_same(h->origin + 8, h->host));
}

// --- who waits -----------------------------------------------------------------------------------

typedef struct Waiting {
  int socket;
  double since;
  size_t length;
  char head[DV_DOOR_HEAD + 1];
} Waiting;

struct dvDoor {
  int listening, wake[2], port;
  dvDoorGuest guest;
  void *user;
  pthread_t thread;
  size_t count;
  Waiting *waiting[PLACES];   // in the order in which they came
};

static void remove_at(dvDoor *d, size_t i)
{
  free(d->waiting[i]);
  memmove(d->waiting + i, d->waiting + i + 1, (--d->count - i) * sizeof *d->waiting);
}

static void hang_up(dvDoor *d, size_t i)
{
  close(d->waiting[i]->socket);
  remove_at(d, i);
}

static void set_waits(int socket, bool waits)
{
  int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

// false when the place is free afterwards
static bool listen_to(dvDoor *d, size_t i)
{
  Waiting *w = d->waiting[i];
  ssize_t n = recv(w->socket, w->head + w->length, DV_DOOR_HEAD - w->length, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (n <= 0) {
    hang_up(d, i);
    return false;
  }
  w->length += (size_t)n;
  w->head[w->length] = 0;
  dvHead head;
  bool whole = strstr(w->head, "\r\n\r\n") != NULL;
  if (!whole && w->length < DV_DOOR_HEAD && !memchr(w->head, 0, w->length)) return true;
  if (whole && dv_head_parse(w->head, w->length, &head)) {
    set_waits(w->socket, true);
    d->guest(d->user, w->socket, &head);
    remove_at(d, i);
  } else {
    static const char bad[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    send(w->socket, bad, sizeof bad - 1, MSG_NOSIGNAL);
    hang_up(d, i);
  }
  return false;
}

static void let_in(dvDoor *d)
{
  for (int k = 0; k < PLACES; k++) {
    int socket = accept(d->listening, NULL, NULL), one = 1;
    if (socket < 0) {
      if (errno == EMFILE || errno == ENFILE) {   // those who wait make room
        if (d->count) hang_up(d, 0);
        else poll(NULL, 0, 50);
      }
      return;
    }
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    set_waits(socket, false);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (d->count == PLACES) hang_up(d, 0);
    Waiting *w = malloc(sizeof *w);
    if (!w) {
      close(socket);
      return;
    }
    w->socket = socket;
    w->since = dv_now();
    w->length = 0;
    w->head[0] = 0;
    d->waiting[d->count++] = w;
    listen_to(d, d->count - 1);   // most say at once what they want
  }
}

static void *keep_door(void *user)
{
  dvDoor *d = user;
  struct pollfd all[PLACES + 2];
  for (;;) {
    all[0] = (struct pollfd){.fd = d->wake[0], .events = POLLIN};
    all[1] = (struct pollfd){.fd = d->listening, .events = POLLIN};
    size_t count = d->count;
    for (size_t i = 0; i < count; i++) all[i + 2] = (struct pollfd){.fd = d->waiting[i]->socket, .events = POLLIN};
    poll(all, count + 2, count ? 500 : -1);
    if (all[0].revents) return NULL;
    for (size_t i = count; i-- > 0;)   // from behind: places close up
      if (all[i + 2].revents) listen_to(d, i);
    while (d->count && dv_now() - d->waiting[0]->since > PATIENCE) hang_up(d, 0);
    if (all[1].revents) let_in(d);
  }
}

// --- beginning and end ---------------------------------------------------------------------------

static int listen_on(const char *host, int port, int *actual)
{
  char number[16];
  snprintf(number, sizeof number, "%d", port);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *list = NULL;
  if (getaddrinfo(host, number, &hints, &list) != 0) return -1;
  int listening = -1, one = 1;
  for (struct addrinfo *a = list; a && listening < 0; a = a->ai_next) {
    int s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    if (s < 0) continue;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s, a->ai_addr, a->ai_addrlen) == 0 && listen(s, BACKLOG) == 0) listening = s;
    else close(s);
  }
  freeaddrinfo(list);
  struct sockaddr_storage here;
  socklen_t size = sizeof here;
  if (listening >= 0 && getsockname(listening, (struct sockaddr *)&here, &size) == 0)
    *actual = ntohs(here.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&here)->sin6_port
                                               : ((struct sockaddr_in *)&here)->sin_port);
  return listening;
}

dvDoor *dv_door_open(const char *host, int port, dvDoorGuest guest, void *user, dvText *why)
{
  dvDoor *d = dv_alloc(sizeof *d);
  d->guest = guest;
  d->user = user;
  d->wake[0] = d->wake[1] = -1;
  d->listening = listen_on(host, port, &d->port);
  bool good = d->listening >= 0 && pipe(d->wake) == 0;
  if (good && pthread_create(&d->thread, NULL, keep_door, d) == 0) return d;
  dv_text_printf(why,
                 "nothing can listen on %s, port %d; another program may, or --port and --host do not fit this machine",
                 host, port);
  for (int i = 0; i < 2; i++)
    if (d->wake[i] >= 0) close(d->wake[i]);
  if (d->listening >= 0) close(d->listening);
  dv_free(d);
  return NULL;
}

void dv_door_close(dvDoor **door)
{
  dvDoor *d = *door;
  if (!d) return;
  close(d->wake[1]);   // the reading end hears of it
  pthread_join(d->thread, NULL);
  while (d->count) hang_up(d, 0);
  close(d->wake[0]);
  close(d->listening);
  dv_free(d);
  *door = NULL;
}

int dv_door_port(const dvDoor *d) { return d->port; }
