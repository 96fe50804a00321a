// divan view: serves a scene to a browser.
#include "command.h"

#include "base/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
    "divan view SCENE [--port P] [--no-browser] [--host ADDRESS] [--animate] [--data DIR]... [--threads N]\n"
    "                 [--compat none|sofa]\n\n"
    "Serves the scene to a browser on this machine, prints the address and opens it where there is a desktop. Only who "
    "knows the\n"
    "address, which ends in a random token, can look. Ctrl-C ends it.\n\n"
    "  --port P         listen on this port (default: 8123, or any that is free when that is taken)\n"
    "  --no-browser     only print the address\n"
    "  --animate        start the simulation at once\n"
    "  --compat MODE    sofa: as SOFA does it, its mistakes included; none: without them. The page can change it\n"
    "  --token TEXT     use this token instead of a random one: letters and digits, at least 8\n"
    "  --host ADDRESS   listen on another address than 127.0.0.1. Others can then reach it over the network, without\n"
    "                   encryption; a tunnel (ssh -L 8123:127.0.0.1:8123 machine) is the better way.\n\n"
    "examples:\n"
    "  divan view scenes/liver.scn\n"
    "  divan view scenes/MeshSpringForceField.scn --port 9000 --no-browser\n";

#ifdef DV_HAVE_VIEWER

#include "view/server.h"

// the page as it stands in the file, between the two names
__asm__(".section .rodata\n"
        ".balign 16\n"
        "viewer_page:\n"
        ".incbin \"" DV_VIEWER_PAGE "\"\n"
        "viewer_page_end:\n"
        ".byte 0\n"
        ".previous\n");
extern const char viewer_page[], viewer_page_end[];

enum { USUAL_PORT = 8123, GRACE = 1 };   // seconds that an orderly end may wait for

static atomic_int stopped;   // the first signal; lock-free: a signal may set it
static void at_once(int number)
{
  DV_UNUSED(number);
  _exit(128 + stopped);
}

// The first signal ends the program in order, between two steps. Loading a scene and working on an edit may take
// minutes: then, or at the second signal, it ends at once.
static void on_signal(int number)
{
  if (stopped) _exit(128 + number);
  stopped = number;
  alarm(GRACE);
}

typedef struct View {
  Options common;
  const char *host, *token;
  int port;
  bool browser, animate;
} View;

static bool is_token(const char *t)
{
  size_t n = strlen(t);
  return n >= 8 && n <= 100 && strspn(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == n;
}

static int parse(View *v, int count, char **arguments)
{
  *v = (View){.browser = true};
  for (int i = 0; i < count;) {
    const char *a = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
    long number;
    if (dv_same(a, "--port")) {
      if (!option_count(&command_view, a, value, 0, 65535, &number)) return DV_ERROR_USAGE;
      v->port = number == 0 ? -1 : (int)number, i += 2;
    } else if (dv_same(a, "--host") || dv_same(a, "--token")) {
      if (!value) return usage_error(&command_view, "%s needs a value", a);
      if (dv_same(a, "--host")) v->host = value;
      else v->token = value;
      i += 2;
    } else if (dv_same(a, "--no-browser")) {
      v->browser = false, i++;
    } else if (dv_same(a, "--animate")) {
      v->animate = true, i++;
    } else {
      int used = option_common(&command_view, &v->common, count - i, arguments + i);
      if (used < 0) return DV_ERROR_USAGE;
      if (used == 0) return unknown_option(&command_view, a);
      i += used;
    }
  }
  if (!v->common.scene) return usage_error(&command_view, "name a scene");
  if (v->common.second) return usage_error(&command_view, "unexpected argument '%s'", v->common.second);
  if (v->token && !is_token(v->token))
    return usage_error(&command_view, "a token is made of 8 to 100 letters and digits");
  return 0;
}

static void open_browser(const char *address)
{
  if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {   // the browser is nobody's child and is not waited for
      freopen("/dev/null", "w", stdout);
      freopen("/dev/null", "w", stderr);
      execlp("xdg-open", "xdg-open", address, (char *)NULL);
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

static int run(int count, char **arguments)
{
  if (wants_help(&command_view, count, arguments)) return 0;
  View v;
  int bad = parse(&v, count, arguments);
  if (bad) return bad;
  if (!dv_file_exists(v.common.scene)) {
    fprintf(stderr, "divan view: there is no scene %s\n", v.common.scene);
    return DV_ERROR_INPUT;
  }
  dvServerOptions o = {
      .host = v.host, .token = v.token, .page = viewer_page, .page_length = (size_t)(viewer_page_end - viewer_page)};
  o.port = v.port > 0 ? v.port : v.port < 0 ? 0 : USUAL_PORT;
  o.session = (dvSessionOptions){.scene = v.common.scene,
                                 .data = v.common.data.data,
                                 .data_count = v.common.data.count,
                                 .threads = v.common.threads,
                                 .compat = v.common.compat,
                                 .print = true,
                                 .animate = v.animate};
  struct sigaction act = {.sa_handler = on_signal}, end = {.sa_handler = at_once};
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  sigaction(SIGALRM, &end, NULL);
  dvText why = {0};
  dvServer *server = dv_server_create(&o, &why);
  if (!server && v.port == 0) {   // the usual port is taken
    dv_text_clear(&why);
    o.port = 0;
    server = dv_server_create(&o, &why);
  }
  int status = 0;
  if (!server) {
    fprintf(stderr, "divan view: %s\n", why.text);
    if (v.port > 0) fprintf(stderr, "    leave --port out: then a port that is free is taken\n");
    status = DV_ERROR_INPUT;
  } else {
    if (v.host) fprintf(stderr, "divan view: listening on %s, not only for this machine, without encryption\n", v.host);
    printf("%s\n", dv_server_address(server));
    fflush(stdout);
    if (v.browser) open_browser(dv_server_address(server));
    if (!stopped) dv_server_run(server, &stopped);
    alarm(0);   // in order from here on: files are completed
    dv_server_destroy(&server);
  }
  dv_text_free(&why);
  options_free(&v.common);
  return status;
}

#else

static int run(int count, char **arguments)
{
  if (wants_help(&command_view, count, arguments)) return 0;
  fprintf(stderr,
          "divan view: this program was built without its viewer; install libcivetweb-dev and build it again\n");
  return DV_ERROR_USAGE;
}

#endif

const Command command_view = {"view", "look at a scene and touch it, in the browser", usage, run};
