// The viewer's transport over real sockets: who gets in, what comes back, two clients at once, a client that never
// reads.
#include "support/check.h"

#include "base/clock.h"
#include "base/file.h"
#include "view/server.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char page[] = "<!doctype html><title>page</title>";

typedef struct Running {
  dvServer *server;
  pthread_t thread;
  atomic_int stop;
  int port;
  char *root;   // "/TOKEN/"
} Running;

static void *serve(void *user)
{
  Running *r = user;
  dv_server_run(r->server, &r->stop);
  return NULL;
}

static void start_on(Running *r, bool animate, const char *host)
{
  *r = (Running){0};
  dvText why = {0};
  dvServerOptions o = {.host = host, .page = page, .page_length = strlen(page)};
  o.session = (dvSessionOptions){.scene = DIVAN_SOURCE_DIR "/scenes/liver.scn", .threads = 1, .animate = animate};
  r->server = dv_server_create(&o, &why);
  if (!r->server) fail_msg("%s", why.text);
  const char *address = dv_server_address(r->server), *path = strchr(address + 7, '/');
  const char *colon = path;
  while (*colon != ':') colon--;
  r->port = atoi(colon + 1);
  r->root = dv_strdup(path);
  assert_int_equal(pthread_create(&r->thread, NULL, serve, r), 0);
}

static void start(Running *r, bool animate) { start_on(r, animate, NULL); }

static void stop(Running *r)
{
  r->stop = 1;
  pthread_join(r->thread, NULL);
  dv_server_destroy(&r->server);
  dv_free(r->root);
}

static int dial(int port)
{
  int s = socket(AF_INET, SOCK_STREAM, 0);
  struct timeval patience = {20, 0};
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  assert_int_equal(connect(s, (struct sockaddr *)&to, sizeof to), 0);
  return s;
}

static void say(int s, const char *text, size_t n)
{
  while (n) {
    ssize_t done = send(s, text, n, MSG_NOSIGNAL);
    assert_true(done > 0);
    text += done, n -= (size_t)done;
  }
}

static bool hear(int s, void *to, size_t n)
{
  char *at = to;
  while (n) {
    ssize_t done = recv(s, at, n, 0);
    if (done <= 0) return false;
    at += done, n -= (size_t)done;
  }
  return true;
}

// the status of a plain request; `extra` are header lines
static int status_of(const Running *r, const char *method, const char *path, const char *host, const char *extra,
                     dvText *body)
{
  int s = dial(r->port);
  char *request = dv_format("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method, path, host, extra);
  say(s, request, strlen(request));
  dv_free(request);
  dvText all = {0};
  char piece[4096];
  for (ssize_t n; (n = recv(s, piece, sizeof piece, 0)) > 0;) dv_text_add_n(&all, piece, (size_t)n);
  close(s);
  int status = 0;
  if (!all.text) return 0;   // hung up on
  if (sscanf(all.text, "HTTP/1.%*d %d", &status) != 1)
    status = 0;   // the library refuses a socket without a status line
  const char *blank = strstr(all.text, "\r\n\r\n");
  if (body && blank) dv_text_add(body, blank + 4);
  dv_text_free(&all);
  return status;
}

static char *path_of(const Running *r, const char *rest) { return dv_format("%s%s", r->root, rest); }

static void test_who_gets_in(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, false);
  char *host = dv_format("127.0.0.1:%d", r.port), *other_port = dv_format("localhost:%d", r.port + 1);
  dvText body = {0};
  assert_int_equal(status_of(&r, "GET", r.root, host, "", &body), 200);
  assert_string_equal(body.text, page);
  dv_text_free(&body);
  assert_int_equal(status_of(&r, "GET", r.root, other_port, "", NULL), 200);   // through a tunnel
  assert_int_equal(status_of(&r, "GET", "/", host, "", NULL), 403);
  assert_int_equal(status_of(&r, "GET", "/0123456789abcdef0123456789abcdef/", host, "", NULL), 403);
  assert_int_equal(status_of(&r, "GET", "/../../etc/passwd", host, "", NULL), 403);
  assert_int_equal(status_of(&r, "GET", r.root, "evil.example", "", NULL), 403);
  assert_int_equal(status_of(&r, "GET", r.root, host, "Origin: http://evil.example\r\n", NULL), 403);
  static const char *const inside[] = {"nothing",
                                       "file/0",
                                       "file/-1",
                                       "file/99999999999999999999",
                                       "file/",
                                       "file/../../etc/passwd",
                                       "file/1/0",
                                       "file/0/0",
                                       "file/1/",
                                       "file/1//0",
                                       "file/1/0/",
                                       "file/1/-1",
                                       "file/ 1/0",
                                       "file/1/+0",
                                       "file//0",
                                       "file/1/99999999999999999999",
                                       "file/4294967297/0"};
  for (size_t i = 0; i < DV_COUNT(inside); i++) {
    char *path = path_of(&r, inside[i]);
    int status = status_of(&r, "GET", path, host, "", NULL);
    if (status != 404 && status != 403 && status != 400) fail_msg("%s: %d", path, status);
    dv_free(path);
  }
  assert_int_equal(status_of(&r, "POST", r.root, host, "Content-Length: 0\r\n", NULL), 405);
  // a socket for another site's page, and one without the token
  const char *upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
                        "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
  char *foreign = dv_format("%sOrigin: http://evil.example\r\n", upgrade), *socket_path = path_of(&r, "socket");
  assert_int_not_equal(status_of(&r, "GET", socket_path, host, foreign, NULL), 101);
  assert_int_not_equal(status_of(&r, "GET", "/socket", host, upgrade, NULL), 101);
  dv_free(foreign), dv_free(socket_path), dv_free(host), dv_free(other_port);
  stop(&r);
}

// a head alone, as long as the answer to GET
static void test_head_has_no_body(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, false);
  char *host = dv_format("127.0.0.1:%d", r.port), *nothing = path_of(&r, "nothing");
  dvText body = {0};
  assert_int_equal(status_of(&r, "HEAD", r.root, host, "", &body), 200);
  assert_int_equal(body.length, 0);
  assert_int_equal(status_of(&r, "HEAD", nothing, host, "", &body), 404);
  assert_int_equal(body.length, 0);
  dv_text_free(&body);
  dv_free(host), dv_free(nothing);
  stop(&r);
}

// who begins a request and does not end it holds up nobody, however many they are
static void test_half_sent_requests(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, false);
  char *host = dv_format("127.0.0.1:%d", r.port);
  int silent[400];
  for (int i = 0; i < 400; i++) {
    silent[i] = dial(r.port);
    say(silent[i], "GET / HTTP/1.1\r\nHost: 127", 25);
    if (i != 39 && i != 199 && i != 399) continue;
    double began = dv_now();
    assert_int_equal(status_of(&r, "GET", r.root, host, "", NULL), 200);
    assert_true(dv_now() - began < 2);
  }
  // the first ones have made room, the last are let go after a while
  char byte;
  assert_int_equal(recv(silent[0], &byte, 1, 0), 0);
  double began = dv_now();
  assert_true(recv(silent[399], &byte, 1, 0) <= 0);
  assert_true(dv_now() - began < 15);
  for (int i = 0; i < 400; i++) close(silent[i]);
  dv_free(host);
  stop(&r);
}

// an address of this machine other than the loopback, or NULL
static char *own_address(void)
{
  struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0xC0000201)}, here;
  socklen_t size = sizeof here;
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  bool good =
      connect(s, (struct sockaddr *)&far, sizeof far) == 0 && getsockname(s, (struct sockaddr *)&here, &size) == 0;
  close(s);
  char text[64];
  return good && inet_ntop(AF_INET, &here.sin_addr, text, sizeof text) ? dv_strdup(text) : NULL;
}

static void test_every_address(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start_on(&r, false, "0.0.0.0");
  char *own = own_address(), *local = dv_format("127.0.0.1:%d", r.port);
  assert_int_equal(status_of(&r, "GET", r.root, local, "", NULL), 200);
  assert_int_equal(status_of(&r, "GET", r.root, "evil.example", "", NULL), 403);
  if (own) {   // called by that address, it answers to it; called by another, it does not
    char *host = dv_format("%s:%d", own, r.port);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)r.port)};
    inet_pton(AF_INET, own, &to.sin_addr);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(s, (struct sockaddr *)&to, sizeof to), 0);
    char *request = dv_format("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", r.root, host), answer[16] = {0};
    say(s, request, strlen(request));
    assert_true(hear(s, answer, 12));
    assert_string_equal(answer, "HTTP/1.1 200");
    close(s);
    if (strcmp(own, "127.0.0.1") != 0) assert_int_equal(status_of(&r, "GET", r.root, host, "", NULL), 403);
    dv_free(request), dv_free(host);
  }
  dv_free(own), dv_free(local);
  stop(&r);
}

static void test_ipv6(void **unused)
{
  DV_UNUSED(unused);
  struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  int s = socket(AF_INET6, SOCK_STREAM, 0);
  if (s < 0 || bind(s, (struct sockaddr *)&to, sizeof to) != 0) {   // a machine without it
    if (s >= 0) close(s);
    skip();
  }
  close(s);
  Running r;
  start_on(&r, false, "::1");
  assert_true(dv_starts_with(dv_server_address(r.server), "http://[::1]:"));
  to.sin6_port = htons((uint16_t)r.port);
  s = socket(AF_INET6, SOCK_STREAM, 0);
  assert_int_equal(connect(s, (struct sockaddr *)&to, sizeof to), 0);
  char *request =
           dv_format("GET %s HTTP/1.1\r\nHost: [::1]:%d\r\nOrigin: http://[::1]:%d\r\n\r\n", r.root, r.port, r.port),
       answer[16] = {0};
  say(s, request, strlen(request));
  assert_true(hear(s, answer, 12));
  assert_string_equal(answer, "HTTP/1.1 200");
  close(s);
  dv_free(request);
  stop(&r);
}

// --- WebSocket -----------------------------------------------------------------------------------

static int open_socket(const Running *r)
{
  int s = dial(r->port);
  char *request = dv_format("GET %ssocket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\nUpgrade: "
                            "websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                            r->root, r->port, r->port);
  say(s, request, strlen(request));
  dv_free(request);
  char answer[2048] = {0};
  for (size_t n = 0; n < sizeof answer - 1 && !strstr(answer, "\r\n\r\n"); n++) assert_true(hear(s, answer + n, 1));
  assert_non_null(strstr(answer, " 101 "));
  return s;
}

static void tell(int s, const char *text)
{
  size_t n = strlen(text);
  unsigned char head[8] = {0x81, (unsigned char)(0x80 | (n < 126 ? n : 126)), (unsigned char)(n >> 8),
                           (unsigned char)n};
  dvText frame = {0};
  dv_text_add_n(&frame, (char *)head, n < 126 ? 2 : 4);
  dv_text_add_n(&frame, "\0\0\0\0", 4);   // a mask of zeros
  dv_text_add(&frame, text);
  say(s, frame.text, frame.length);
  dv_text_free(&frame);
}

// the next message: its opcode, 0 at the end
static int listen_to(int s, dvText *out)
{
  unsigned char head[2], more[8];
  dv_text_clear(out);
  if (!hear(s, head, 2)) return 0;
  uint64_t n = head[1] & 127;
  int wide = n == 126 ? 2 : n == 127 ? 8 : 0;
  if (!hear(s, more, (size_t)wide)) return 0;
  if (wide) n = 0;
  for (int i = 0; i < wide; i++) n = n << 8 | more[i];
  char *data = dv_alloc(n + 1);
  bool good = hear(s, data, n);
  dv_text_add_n(out, data, n);
  dv_free(data);
  return good ? head[0] & 15 : 0;
}

// waits for a text that contains `part`, or with part NULL for a binary message
static void wait_for(int s, const char *part, dvText *out)
{
  for (int i = 0; i < 10000; i++) {
    int kind = listen_to(s, out);
    assert_int_not_equal(kind, 0);
    if (part ? kind == 1 && strstr(out->text, part) != NULL : kind == 2) return;
  }
  fail_msg("never heard %s", part ? part : "a frame");
}

static void test_conversation(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, false);
  int a = open_socket(&r), b = open_socket(&r);
  dvText text = {0};
  tell(a, "{\"do\":\"hello\",\"id\":1}");
  wait_for(a, "\"re\":1", &text);
  assert_non_null(strstr(text.text, "\"editor\":true"));
  tell(b, "{\"do\":\"hello\",\"id\":1}");
  wait_for(b, "\"re\":1", &text);
  assert_non_null(strstr(text.text, "\"editor\":false"));
  tell(a, "{\"do\":\"scene\",\"id\":2}");
  wait_for(a, "\"re\":2", &text);
  wait_for(a, NULL, &text);
  assert_memory_equal(text.text, "DVF1", 4);
  tell(a, "{\"do\":\"animate\",\"id\":3,\"on\":true}");
  wait_for(a, "\"re\":3", &text);
  for (uint32_t frame = 1; frame < 6; frame++) {
    char *ack = dv_format("{\"do\":\"ack\",\"frame\":%u}", frame);
    tell(a, ack);
    dv_free(ack);
    wait_for(a, NULL, &text);
    uint32_t number;
    memcpy(&number, text.text + 4, 4);
    assert_int_equal(number, frame + 1);
  }
  wait_for(b, "\"animating\":true", &text);
  tell(b, "{\"do\":\"animate\",\"id\":4,\"on\":false}");
  wait_for(b, "\"re\":4", &text);
  assert_non_null(strstr(text.text, "error"));
  close(a);   // the other may take over after a while, and the simulation goes on
  wait_for(b, "\"clients\":1", &text);
  close(b);
  dv_text_free(&text);
  stop(&r);
}

// the address of the one picture that the scene of this name has
static void picture_of(int socket, const char *scene, char address[64])
{
  dvText text = {0};
  char *open = dv_format("{\"do\":\"open\",\"id\":5,\"file\":\"%s\"}", scene);
  tell(socket, open);
  wait_for(socket, "\"re\":5", &text);
  tell(socket, "{\"do\":\"scene\",\"id\":6}");
  wait_for(socket, "\"re\":6", &text);
  const char *at = strstr(text.text, "\"file/");
  assert_non_null(at);
  assert_int_equal(sscanf(at, "\"%63[^\"]", address), 1);
  dv_free(open);
  dv_text_free(&text);
}

static int status_of_picture(const Running *r, const char *address)
{
  char *host = dv_format("127.0.0.1:%d", r->port), *path = path_of(r, address);
  int status = status_of(r, "GET", path, host, "", NULL);
  dv_free(host), dv_free(path);
  return status;
}

// an address stands for one picture as long as the program runs, and is there as soon as it has been told
static void test_pictures_of_gone_scenes(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, false);
  int a = open_socket(&r);
  dvText text = {0};
  tell(a, "{\"do\":\"hello\",\"id\":1}");
  wait_for(a, "\"re\":1", &text);
  char first[64], second[64], again[64];
  picture_of(a, "looks.scn", first);
  assert_int_equal(status_of_picture(&r, first), 200);
  tell(a, "{\"do\":\"open\",\"id\":2,\"file\":\"liver.scn\"}");   // it has none
  wait_for(a, "\"re\":2", &text);
  tell(a, "{\"do\":\"scene\",\"id\":3}");
  wait_for(a, "\"re\":3", &text);
  assert_int_equal(status_of_picture(&r, first), 204);
  picture_of(a, "mirror.scn", second);
  assert_string_not_equal(first, second);
  assert_int_equal(status_of_picture(&r, second), 200);
  picture_of(a, "looks.scn", again);
  assert_string_not_equal(first, again);
  assert_int_equal(status_of_picture(&r, first), 204);
  assert_int_equal(status_of_picture(&r, second), 204);
  assert_int_equal(status_of_picture(&r, again), 200);
  picture_of(a, "looks.scn", second);   // the same pictures once more
  assert_string_equal(second, again);
  char *next = dv_format("%s9", again), *later = dv_format("file/9%s", again + 5);
  assert_int_equal(status_of_picture(&r, next), 404);
  assert_int_equal(status_of_picture(&r, later), 404);
  dv_free(next), dv_free(later);
  close(a);
  dv_text_free(&text);
  stop(&r);
}

static void test_pings_are_answered(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, false);
  int a = open_socket(&r);
  dvText text = {0};
  say(a, "\x89\x85\1\2\3\4hellp", 11);   // masked
  int kind = 0;
  for (int i = 0; i < 100 && kind != 10; i++) kind = listen_to(a, &text);
  assert_int_equal(kind, 10);
  assert_memory_equal(text.text, "igohq", 5);
  // a message in pieces, with a ping in between
  say(a, "\x01\x88\0\0\0\0{\"do\":\"h", 14);
  say(a, "\x89\x80\0\0\0\0", 6);
  say(a, "\x80\x8d\0\0\0\0ello\",\"id\":7}", 19);
  wait_for(a, "\"re\":7", &text);
  say(a, "\x88\x80\0\0\0\0", 6);   // says farewell
  do kind = listen_to(a, &text);
  while (kind != 0 && kind != 8);
  assert_int_equal(kind, 8);
  // what is no message of a client ends it
  int b = open_socket(&r);
  say(b, "\x81\x02{}", 4);   // not masked
  do kind = listen_to(b, &text);
  while (kind != 0 && kind != 8);
  close(a), close(b);
  dv_text_free(&text);
  stop(&r);
}

// one that asks for much and never reads holds up nobody
static void test_slow_client(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, true);
  int slow = open_socket(&r), quick = open_socket(&r);
  tell(slow, "{\"do\":\"hello\",\"id\":1}");
  for (int i = 0; i < 200; i++) tell(slow, "{\"do\":\"graph\",\"id\":2}");
  dvText text = {0};
  tell(quick, "{\"do\":\"hello\",\"id\":1}");
  wait_for(quick, "\"re\":1", &text);
  double began = dv_now();
  for (int i = 0; i < 20; i++) {
    tell(quick, "{\"do\":\"object\",\"id\":9,\"path\":\"/\"}");
    wait_for(quick, "\"re\":9", &text);
  }
  assert_true(dv_now() - began < 10);
  // a message that is too long ends the connection
  char *noise = dv_alloc(70000);
  unsigned char head[14] = {0x81, 0x80 | 127, 0, 0, 0, 0, 0x40};   // says a gigabyte
  say(quick, (char *)head, sizeof head);
  memset(noise, ' ', 69999);
  for (int i = 0; i < 100; i++)
    if (send(quick, noise, 69999, MSG_NOSIGNAL) <= 0) break;
  dv_free(noise);
  close(quick);
  close(slow);
  dv_text_free(&text);
  stop(&r);
}

#ifndef __SANITIZE_THREAD__   // it takes pthread_create for itself

// stands before the one of the C library
static atomic_bool no_threads;
typedef int (*Create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
  void *symbol = dlsym(RTLD_NEXT, "pthread_create");
  Create create;
  memcpy(&create, &symbol, sizeof create);
  return no_threads ? EAGAIN : create(thread, attributes, run, argument);
}

// who comes when no thread is left is sent away; the others and the server go on
static void test_no_thread_is_left(void **unused)
{
  DV_UNUSED(unused);
  Running r;
  start(&r, false);
  dvText text = {0};
  int a = open_socket(&r);
  tell(a, "{\"do\":\"hello\",\"id\":1}");
  wait_for(a, "\"re\":1", &text);
  no_threads = true;
  char *host = dv_format("127.0.0.1:%d", r.port);
  assert_int_equal(status_of(&r, "GET", r.root, host, "", NULL), 503);
  dv_free(host);
  no_threads = false;
  tell(a, "{\"do\":\"object\",\"id\":2,\"path\":\"/\"}");
  wait_for(a, "\"re\":2", &text);
  int b = open_socket(&r);
  tell(b, "{\"do\":\"hello\",\"id\":3}");
  wait_for(b, "\"re\":3", &text);
  close(a);
  close(b);
  dv_text_free(&text);
  stop(&r);
}
#else
static void test_no_thread_is_left(void **unused)
{
  DV_UNUSED(unused);
  skip();
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_who_gets_in),
                                     cmocka_unit_test(test_head_has_no_body),
                                     cmocka_unit_test(test_half_sent_requests),
                                     cmocka_unit_test(test_every_address),
                                     cmocka_unit_test(test_ipv6),
                                     cmocka_unit_test(test_conversation),
                                     cmocka_unit_test(test_pictures_of_gone_scenes),
                                     cmocka_unit_test(test_pings_are_answered),
                                     cmocka_unit_test(test_slow_client),
                                     cmocka_unit_test(test_no_thread_is_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
