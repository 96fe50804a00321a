// divan view: serves a scene to a browser.
#include "command.h"

#include "base/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

const char *viewer_page_text(size_t *length)
{
  *length = (size_t)(viewer_page_end - viewer_page);
  return viewer_page;
}

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

static bool is_token(const char *t)
{
  size_t n = strlen(t);
  return n >= 8 && n <= 100 && strspn(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == n;
}

// A page that only this user can read and that leads to the address: the token must not stand in a command line, which
// every user of the machine can see. NULL when it cannot be written.
static char *write_way(const char *address)
{
  const char *place = getenv("XDG_RUNTIME_DIR");
  char *path = dv_format("%s/divan-XXXXXX.html", place && *place ? place : "/tmp");
  int file = mkstemps(path, 5);   // 0600
  bool good = file >= 0 && dprintf(file,
                                   "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" "
                                   "content=\"no-referrer\"><title>Divan</title>"
                                   "<script>location.replace(\"%s\")</script>\n",
                                   address) > 0;
  if (file >= 0) good = close(file) == 0 && good;
  if (good) return path;
  dv_free(path);
  return NULL;
}

static void open_browser(const char *file)
{
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {   // the browser is nobody's child and is not waited for
      freopen("/dev/null", "w", stdout);
      freopen("/dev/null", "w", stderr);
      execlp("xdg-open", "xdg-open", file, (char *)NULL);
    }
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

static int run(const Options *v)
{
  if (!v->scene) return usage_error(&command_view, "name a scene");
  if (v->token && !is_token(v->token))
    return usage_error(&command_view, "a token is made of 8 to 100 letters and digits");
  if (!dv_file_exists(v->scene)) {
    fprintf(stderr, "divan view: there is no scene %s\n", v->scene);
    return DV_ERROR_INPUT;
  }
  size_t length;
  dvServerOptions o = {.host = v->host, .token = v->token, .page = viewer_page_text(&length)};
  o.page_length = length;
  o.port = v->port < 0 ? USUAL_PORT : (int)v->port;
  o.session = (dvSessionOptions){.scene = v->scene,
                                 .data = v->data.data,
                                 .data_count = v->data.count,
                                 .threads = (int)v->threads,
                                 .plugins = v->plugins.data,
                                 .plugin_count = v->plugins.count,
                                 .plugin_paths = v->plugin_paths.data,
                                 .plugin_path_count = v->plugin_paths.count,
                                 .compat = v->compat,
                                 .skip_missing = v->skip_missing,
                                 .emulate_devices = v->emulate_devices,
                                 .read_script = v->read_script,
                                 .print = true,
                                 .progress = progress_begin(false),
                                 .animate = v->animate};
  struct sigaction act = {.sa_handler = on_signal}, end = {.sa_handler = at_once};
  sigaction(SIGINT, &act, NULL);
  sigaction(SIGTERM, &act, NULL);
  sigaction(SIGALRM, &end, NULL);
  dvText why = {0};
  dvServer *server = dv_server_create(&o, &why);
  if (!server && v->port < 0) {   // the usual port is taken
    dv_text_clear(&why);
    o.port = 0;
    server = dv_server_create(&o, &why);
  }
  progress_end();
  int status = 0;
  if (!server) {
    fprintf(stderr, "divan view: %s\n", why.text);
    if (v->port > 0) fprintf(stderr, "    leave --port out: then a port that is free is taken\n");
    status = DV_ERROR_INPUT;
  } else {
    if (v->host)
      fprintf(stderr, "divan view: listening on %s, not only for this machine, without encryption\n", v->host);
    printf("%s\n", dv_server_address(server));
    fflush(stdout);
    bool desktop = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
    char *way = desktop && !v->no_browser ? write_way(dv_server_address(server)) : NULL;
    if (way) open_browser(way);
    dv_server_run(server, &stopped);
    if (way) unlink(way);
    dv_free(way);
    dv_server_destroy(&server);
  }
  dv_text_free(&why);
  return status;
}

#else

static int run(const Options *v)
{
  DV_UNUSED(v);
  fprintf(stderr, "divan view: this program was built without its viewer (-DDIVAN_VIEWER=OFF)\n");
  return DV_ERROR_USAGE;
}

#endif

const Command command_view = {
    .verb = VERB_VIEW,
    .name = "view",
    .summary = "look at a scene and touch it, in the browser",
    .usage = "divan view SCENE [options]\n",
    .about = "Serves the scene to a browser on this machine, prints the address and opens it where there is a\n"
             "desktop. Only who knows the address, which ends in a random token, can look. Ctrl-C ends it.\n",
    .examples = "  divan view scenes/liver.scn\n"
                "  divan view scenes/MeshSpringForceField.scn --port 9000 --no-browser\n",
    .most_names = 1,
    .run = run,
};
