// See wire.h.
#include "robot/wire_inside.h"

#include "base/clock.h"
#include "robot/telegram.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAUSE 0.25   // s between attempts, and between signs of life on UDP
enum {
  CHUNK = 65536,
  MOST_READS = 64,    // in a step: who sends without end does not stop it
  LINE_MARK = '\n',   // ends a message on TCP
};

static const char hello[] = "{}\n";   // of receivers

// --- addresses -----------------------------------------------------------------------------------

static bool find_address(dvWire *w, dvText *why)
{
  char number[16];
  snprintf(number, sizeof number, "%d", w->options.port);
  const char *ip = dv_same(w->ip, "localhost") ? "127.0.0.1" : w->ip;
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found = NULL;
  if (getaddrinfo(ip, number, &hints, &found) != 0 || !found) {
    dv_text_printf(why, "'%.100s' is no address in numbers", w->ip);
    return false;
  }
  memcpy(&w->address, found->ai_addr, found->ai_addrlen);
  w->address_size = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

static bool same_address(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
  if (a->ss_family != b->ss_family) return false;
  if (a->ss_family == AF_INET) {
    const struct sockaddr_in *x = (const struct sockaddr_in *)a, *y = (const struct sockaddr_in *)b;
    return x->sin_port == y->sin_port && x->sin_addr.s_addr == y->sin_addr.s_addr;
  }
  const struct sockaddr_in6 *x = (const struct sockaddr_in6 *)a, *y = (const struct sockaddr_in6 *)b;
  return x->sin6_port == y->sin6_port && memcmp(&x->sin6_addr, &y->sin6_addr, sizeof x->sin6_addr) == 0;
}

static int port_of(int socket)
{
  struct sockaddr_storage here;
  socklen_t size = sizeof here;
  if (getsockname(socket, (struct sockaddr *)&here, &size) != 0) return 0;
  return ntohs(here.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&here)->sin6_port
                                          : ((struct sockaddr_in *)&here)->sin_port);
}

// --- partners ------------------------------------------------------------------------------------

static bool would_wait(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static void lose(dvWire *w, size_t i)
{
  dvWirePartner *p = &w->partners.data[i];
  if (p->socket >= 0) close(p->socket);
  dv_text_free(&p->out);
  dv_array_remove(&w->partners, i);
}

static dvWirePartner *add_partner(dvWire *w, int socket, bool connecting)
{
  dvWirePartner p = {.socket = socket, .connecting = connecting, .heard = dv_now()};
  dv_push(&w->partners, p);
  return &w->partners.data[w->partners.count - 1];
}

static int new_socket(const dvWire *w)
{
  int type = w->options.kind == DV_WIRE_TCP ? SOCK_STREAM : SOCK_DGRAM, one = 1;
  int s = socket(w->address.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s >= 0 && type == SOCK_STREAM) setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return s;
}

static void cannot(dvWire *w, int *socket)
{
  w->trouble = strerror(errno);   // constant for numbers that there are
  if (*socket >= 0) close(*socket);
  *socket = -1;
}

static bool listen_there(dvWire *w)
{
  int s = new_socket(w), one = 1;
  if (s >= 0 && w->options.kind == DV_WIRE_TCP) setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  bool good = s >= 0 && bind(s, (const struct sockaddr *)&w->address, w->address_size) == 0;
  if (good && w->options.kind == DV_WIRE_TCP) good = listen(s, DV_WIRE_PARTNERS) == 0;
  if (!good) cannot(w, &s);
  else w->trouble = NULL, w->port = port_of(s);
  w->socket = s;
  return good;
}

static bool go_there(dvWire *w)
{
  int s = new_socket(w);
  bool good =
      s >= 0 && (connect(s, (const struct sockaddr *)&w->address, w->address_size) == 0 || errno == EINPROGRESS);
  if (!good) {
    cannot(w, &s);
    return false;
  }
  if (w->options.kind == DV_WIRE_UDP) w->socket = s;   // a partner once it has answered
  else add_partner(w, s, true);
  return true;
}

// --- what comes ----------------------------------------------------------------------------------

void dv_wire_keep(dvWire *w, const char *bytes, size_t length)
{
  dv_text_clear(&w->newest);
  dv_text_add_n(&w->newest, bytes, length);
  w->fresh = true;
}

// a chunk of lines: the last whole one counts, what follows it waits for its end; false when that becomes too long
static bool take_lines(dvWire *w, const char *bytes, size_t length)
{
  const char *end = memrchr(bytes, LINE_MARK, length);
  if (end) {
    const char *begin = end > bytes ? memrchr(bytes, LINE_MARK, (size_t)(end - bytes)) : NULL;
    if (begin) dv_wire_keep(w, begin + 1, (size_t)(end - begin - 1));
    else {
      dv_text_add_n(&w->in, bytes, (size_t)(end - bytes));
      dv_wire_keep(w, w->in.text ? w->in.text : "", w->in.length);
    }
    dv_text_clear(&w->in);
    length -= (size_t)(end + 1 - bytes);
    bytes = end + 1;
  }
  dv_text_add_n(&w->in, bytes, length);
  return w->in.length <= DV_TELEGRAM_BYTES;
}

// false when the partner is gone
static bool hear(dvWire *w, dvWirePartner *p)
{
  char bytes[CHUNK];
  if (p->connecting) {
    int wrong = 0;
    socklen_t size = sizeof wrong;
    struct sockaddr_storage there;
    socklen_t there_size = sizeof there;
    if (getsockopt(p->socket, SOL_SOCKET, SO_ERROR, &wrong, &size) != 0 || wrong) {
      w->trouble = wrong ? strerror(wrong) : "unknown reason";
      return false;
    }
    if (getpeername(p->socket, (struct sockaddr *)&there, &there_size) != 0) return true;   // not yet
    p->connecting = false;
    w->trouble = NULL;
  }
  for (int i = 0; i < MOST_READS; i++) {
    ssize_t n = recv(p->socket, bytes, sizeof bytes, 0);
    if (n < 0 && would_wait()) return true;
    if (n <= 0) return false;
    p->heard = dv_now();
    if (w->options.sender) p->asked |= memchr(bytes, LINE_MARK, (size_t)n) != NULL;
    else if (!take_lines(w, bytes, (size_t)n)) {
      w->trouble = "what came there is longer than 1 MiB without an end";
      return false;
    }
  }
  return true;
}

// hands over what waits; false when the partner is gone
static bool push_out(dvWirePartner *p)
{
  while (p->sent < p->out.length) {
    ssize_t n = send(p->socket, p->out.text + p->sent, p->out.length - p->sent, MSG_NOSIGNAL);
    if (n < 0 && would_wait()) return true;
    if (n <= 0) return false;
    p->sent += (size_t)n;
  }
  dv_text_clear(&p->out);
  p->sent = 0;
  return true;
}

static void let_in(dvWire *w)
{
  for (int i = 0; i < MOST_READS; i++) {
    int s = accept4(w->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), one = 1;
    if (s < 0) return;
    if (w->partners.count == DV_WIRE_PARTNERS) {
      close(s);
      continue;
    }
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    add_partner(w, s, false);
  }
}

static void attend_tcp(dvWire *w)
{
  if (w->options.sender && w->socket >= 0) let_in(w);
  for (size_t i = w->partners.count; i-- > 0;)
    if (!hear(w, &w->partners.data[i]) || !push_out(&w->partners.data[i])) {
      lose(w, i);
      dv_text_clear(&w->in);
    }
}

static void meet(dvWire *w, const struct sockaddr_storage *from)
{
  dvWirePartner *p = NULL;
  for (size_t i = 0; i < w->partners.count && !p; i++)
    if (!w->options.sender || same_address(&w->partners.data[i].address, from)) p = &w->partners.data[i];
  if (!p && w->partners.count == DV_WIRE_PARTNERS) return;
  if (!p) p = add_partner(w, -1, false);
  p->address = *from;
  p->heard = dv_now();
  p->asked = true;
}

static void attend_udp(dvWire *w)
{
  char bytes[CHUNK];
  for (int i = 0; i < MOST_READS && w->socket >= 0; i++) {
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    ssize_t n = recvfrom(w->socket, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size);
    if (n < 0 && would_wait()) break;
    if (n < 0) {   // nobody is there (yet)
      w->trouble = strerror(errno);
      continue;
    }
    w->trouble = NULL;
    meet(w, &from);
    if (!w->options.sender) dv_wire_keep(w, bytes, (size_t)n);
  }
  for (size_t i = w->partners.count; i-- > 0;)
    if (dv_now() - w->partners.data[i].heard > w->options.patience) lose(w, i);
}

// --- from outside --------------------------------------------------------------------------------

dvWire *dv_wire_create(const dvWireOptions *options, dvText *why)
{
  dvWire *w = dv_alloc(sizeof *w);
  w->options = *options;
  w->ip = dv_strdup(options->ip && *options->ip ? options->ip : "127.0.0.1");
  w->socket = -1;
  bool good = find_address(w, why);
  if (good && options->kind == DV_WIRE_ZEROMQ && !dv_wire_has_zeromq()) {
    dv_text_add(why, "the library of ZeroMQ (libzmq.so.5) is not installed");
    good = false;
  }
  if (!good) dv_wire_destroy(&w);
  return w;
}

void dv_wire_destroy(dvWire **wire)
{
  dvWire *w = *wire;
  if (!w) return;
  dv_zeromq_close(w);
  while (w->partners.count) lose(w, w->partners.count - 1);
  if (w->socket >= 0) close(w->socket);
  dv_array_free(&w->partners);
  dv_text_free(&w->in);
  dv_text_free(&w->newest);
  dv_free(w->ip);
  dv_free(w);
  *wire = NULL;
}

static bool is_open(const dvWire *w)
{
  if (w->options.kind == DV_WIRE_ZEROMQ) return w->zeromq != NULL;
  return w->socket >= 0 || (!w->options.sender && w->partners.count > 0);
}

void dv_wire_attend(dvWire *w)
{
  double now = dv_now();
  bool due = now >= w->again;
  if (due) w->again = now + PAUSE;
  if (!is_open(w)) {
    if (!due) return;
    bool open = w->options.kind == DV_WIRE_ZEROMQ ? dv_zeromq_open(w)
                : w->options.sender               ? listen_there(w)
                                                  : go_there(w);
    if (!open) return;
  }
  switch (w->options.kind) {
  case DV_WIRE_TCP:
    attend_tcp(w);
    if (!w->options.sender && w->options.by_request && w->partners.count && !w->partners.data[0].connecting &&
        !w->partners.data[0].out.length)
      dv_text_add_n(&w->partners.data[0].out, "\n", 1), push_out(&w->partners.data[0]);
    break;
  case DV_WIRE_UDP:
    attend_udp(w);
    if (!w->options.sender && (due || w->options.by_request)) (void)!send(w->socket, hello, sizeof hello - 1, 0);
    break;
  case DV_WIRE_ZEROMQ:
    dv_zeromq_attend(w);
    break;
  }
}

size_t dv_wire_send(dvWire *w, const char *text, size_t length)
{
  size_t to = 0;
  if (w->options.kind == DV_WIRE_ZEROMQ) return dv_zeromq_send(w, text, length);
  for (size_t i = w->partners.count; i-- > 0;) {
    dvWirePartner *p = &w->partners.data[i];
    if (p->out.length || (w->options.by_request && !p->asked)) continue;   // it does not keep up: it misses this one
    p->asked = false;
    if (w->options.kind == DV_WIRE_UDP) {
      socklen_t size = p->address.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
      to += sendto(w->socket, text, length, 0, (const struct sockaddr *)&p->address, size) == (ssize_t)length;
      continue;
    }
    dv_text_add_n(&p->out, text, length);
    dv_text_add_n(&p->out, "\n", 1);
    if (push_out(p)) to++;
    else lose(w, i);
  }
  return to;
}

const char *dv_wire_take(dvWire *w, size_t *length)
{
  if (!w->fresh) return NULL;
  w->fresh = false;
  *length = w->newest.length;
  return w->newest.text;
}

size_t dv_wire_partners(const dvWire *w)
{
  size_t n = 0;
  for (size_t i = 0; i < w->partners.count; i++) n += !w->partners.data[i].connecting;
  return n;
}

const char *dv_wire_trouble(const dvWire *w) { return w->trouble; }
int dv_wire_port(const dvWire *w) { return w->port; }
