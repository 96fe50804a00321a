// divan view: serves a scene to a browser.
#include "command.h"

#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

// --- examples: each in a program of its own, which ends with this one ---

enum { MOST_EXAMPLES = 4, PATIENCE = 15000 };   // the oldest one goes; ms until an example has its address

static pid_t examples[MOST_EXAMPLES];
static size_t next_example;

// where the scenes are that come with the program: beside it as it is installed, or as it is built; NULL
static char *examples_directory(void)
{
  static const char *const places[] = {"../share/divan/scenes", "../scenes"};
  char *self = realpath("/proc/self/exe", NULL), *folder = self ? dv_path_directory(self) : NULL, *found = NULL;
  for (size_t i = 0; folder && i < DV_COUNT(places) && !found; i++) {
    char *path = dv_path_join(folder, places[i]), *real = realpath(path, NULL);
    if (real && dv_path_is_directory(real)) found = dv_strdup(real);
    free(real);
    dv_free(path);
  }
  free(self);
  dv_free(folder);
  return found;
}

static void end_example(pid_t *child)
{
  if (*child > 0) kill(*child, SIGTERM), waitpid(*child, NULL, 0);
  *child = 0;
}

static void be_example(const char *scene, int out)
{
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(out, STDOUT_FILENO);
  execl("/proc/self/exe", "divan", "view", scene, "--no-browser", "--port", "0", "--animate", (char *)NULL);
  _exit(127);
}

// the line with the address
static bool read_address(int from, dvText *address)
{
  char c;
  struct pollfd wait = {.fd = from, .events = POLLIN};
  while (poll(&wait, 1, PATIENCE) == 1 && read(from, &c, 1) == 1) {
    if (c == '\n') return dv_starts_with(address->text, "http");
    dv_text_add_n(address, &c, 1);
  }
  return false;
}

static bool open_example(void *user, const char *scene, dvText *address, dvText *why)
{
  DV_UNUSED(user);
  pid_t *slot = &examples[next_example++ % MOST_EXAMPLES];
  int ends[2];
  end_example(slot);
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  pid_t child = fork();
  if (child == 0) be_example(scene, ends[1]);
  close(ends[1]);
  dv_text_add(address, "");
  bool good = child > 0 && read_address(ends[0], address);
  close(ends[0]);
  *slot = child;
  if (good) return true;
  end_example(slot);
  dv_text_add(why, "it did not start; `divan view` on its file tells why");
  return false;
}

// the scene that is meant: of a directory its scene.scn; NULL when there is none
static char *find_scene(const char *path)
{
  if (dv_file_exists(path)) return dv_strdup(path);
  char *inside = dv_format("%s/scene.scn", path);
  if (dv_file_exists(inside)) return inside;
  dv_free(inside);
  return NULL;
}

static int run(const Options *v)
{
  if (v->token && !is_token(v->token))
    return usage_error(&command_view, "a token is made of 8 to 100 letters and digits");
  if (v->second && !dv_file_exists(v->second)) {
    fprintf(stderr, "divan view: there is no file %s\n", v->second);
    return DV_ERROR_INPUT;
  }
  char *scene = v->scene ? find_scene(v->scene) : NULL;
  if (v->scene && !scene) {
    fprintf(stderr, "divan view: there is no scene %s, nor %s/scene.scn\n", v->scene, v->scene);
    return DV_ERROR_INPUT;
  }
  size_t length;
  char *examples_at = examples_directory();
  dvServerOptions o = {.host = v->host, .token = v->token, .page = viewer_page_text(&length)};
  o.page_length = length;
  o.port = v->port < 0 ? USUAL_PORT : (int)v->port;
  o.session = (dvSessionOptions){.scene = scene,
                                 .second = v->second,
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
                                 .animate = v->animate,
                                 .examples = examples_at,
                                 .open_example = v->host ? NULL : open_example};
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
  for (size_t i = 0; i < MOST_EXAMPLES; i++) end_example(&examples[i]);
  dv_text_free(&why);
  dv_free(examples_at);
  dv_free(scene);
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
    .summary = "look at a scene, touch it and build it, in the browser",
    .usage = "divan view [SCENE] [STATES] [options]\n"
             "       divan view RECORDING.divr [OTHER.divr] [options]\n",
    .about = "Serves the scene, or the scene.scn of a directory, to a browser on this machine, prints the address\n"
             "and opens it where there is a desktop. Only who knows the address, which ends in a random token, can\n"
             "look. Ctrl-C ends it.\n"
             "Without a scene an empty one is there, to build in (docs/studio.md).\n\n"
             "A recording (divan run --record) is played, forward and backward; the simulation goes on from any\n"
             "moment of it where its scene is still there. Two recordings are shown side by side or one over the\n"
             "other, coloured by how far they are apart. STATES is a file of SOFA's WriteState: it is played too.\n",
    .examples = "  divan view scenes/liver.scn\n"
                "  divan view liver.divr stiffer.divr\n"
                "  divan view scenes/MeshSpringForceField.scn --port 9000 --no-browser\n",
    .most_names = 2,
    .run = run,
};
