// The inside of a surface by the program gmsh, where it is installed: tetrahedra whose outside is the surface as it
// stands. It runs beside the scene, in a directory of its own next to it, within limits of time, memory and disk; the
// page asks again until it is done. What gmsh reads is written here, so a mesh that somebody dropped is only numbers.
#include "view/edit.h"

#include "base/clock.h"
#include "base/file.h"
#include "io/load/loader.h"
#include "io/mesh/write_mesh.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_SECONDS 60
#define MOST_MEMORY ((rlim_t)8 << 30)
#define MOST_WRITTEN ((rlim_t)1 << 30)

static const char *const left_behind[] = {"surface.stl", "fill.geo", "inside.msh", "log"};

struct dvFilling {
  char *mesh;        // as the page calls it
  char *directory;   // where gmsh works
  pid_t child;       // 0 when it has ended
  double began;
};

bool dv_filling_possible(void)
{
  char *program = dv_program_find("gmsh");
  const bool there = program != NULL;
  dv_free(program);
  return there;
}

static void end_child(dvFilling *f)
{
  if (f->child <= 0) return;
  kill(-f->child, SIGKILL);
  kill(f->child, SIGKILL);   // before it has its own group
  while (waitpid(f->child, NULL, 0) < 0 && errno == EINTR) continue;
  f->child = 0;
}

void dv_filling_free(dvFilling **filling)
{
  dvFilling *f = *filling;
  if (!f) return;
  end_child(f);
  for (size_t i = 0; f->directory && i < DV_COUNT(left_behind); i++) {
    char *path = dv_path_join(f->directory, left_behind[i]);
    unlink(path);
    dv_free(path);
  }
  if (f->directory) rmdir(f->directory);
  dv_free(f->mesh), dv_free(f->directory);
  dv_free(f);
  *filling = NULL;
}

// --- starting ------------------------------------------------------------------------------------

// NULL, or an answer instead of a surface
static json_t *read_surface(const dvSession *s, const char *file, dvMesh *mesh)
{
  char *path = dv_view_allowed(s, file);
  if (!path)
    return dv_view_error("drop it onto the page, or put it next to the scene", "there is no mesh %.200s", file);
  dvMeshError why = {0};
  const dvStatus status = dv_mesh_read(path, mesh, &why);
  dv_free(path);
  if (status != DV_OK) return dv_view_error(why.text, "%.200s cannot be read", file);
  dv_loader_triangulate(mesh);
  json_t *error = NULL;
  if (mesh->tetrahedra.count) {
    error = dv_view_ok();   // nothing is to be filled
    json_object_set_new(error, "file", json_null());
  } else if (!mesh->triangles.count)
    error = dv_view_error("it takes triangles or quads", "%.200s has no surface", file);
  if (error) dv_mesh_free(mesh);
  return error;
}

static bool write_text(const char *directory, const char *name, const char *text)
{
  char *path = dv_path_join(directory, name);
  const bool good = dv_file_replace(path, text, strlen(text)) == DV_OK;
  dv_free(path);
  return good;
}

// the surface and what gmsh shall do with it
static json_t *prepare(dvSession *s, dvFilling *f, const dvMesh *mesh)
{
  char *folder = dv_path_directory(s->file ? s->file : s->name), *pattern = dv_path_join(folder, ".filling-XXXXXX");
  dv_free(folder);
  if (!dv_file_permitted(pattern, true) || !mkdtemp(pattern)) {
    json_t *error = dv_view_error(strerror(errno), "next to the scene nothing can be written");
    dv_free(pattern);
    return error;
  }
  f->directory = pattern;
  char *surface = dv_path_join(f->directory, "surface.stl");
  dvMeshError why = {0};
  bool good =
      dv_mesh_write(surface, mesh, NULL, &why) == DV_OK &&
      write_text(f->directory, "fill.geo", "Merge \"surface.stl\";\nSurface Loop(1) = Surface{:};\nVolume(1) = {1};\n");
  dv_free(surface);
  return good ? NULL : dv_view_error(why.text, "the surface cannot be written for gmsh");
}

static void limit(int what, rlim_t most)
{
  struct rlimit now;
  if (getrlimit(what, &now) == 0 && (now.rlim_max == RLIM_INFINITY || now.rlim_max > most))
    setrlimit(what, &(struct rlimit){most, most});
}

static void become_gmsh(const char *program, const char *directory)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  if (chdir(directory) != 0) _exit(127);
  int nothing = open("/dev/null", O_RDONLY), log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (nothing < 0 || log < 0) _exit(127);
  dup2(nothing, STDIN_FILENO), dup2(log, STDOUT_FILENO), dup2(log, STDERR_FILENO);
  for (int i = 3; i < 4096; i++) close(i);   // sockets of those who look
  limit(RLIMIT_AS, MOST_MEMORY), limit(RLIMIT_FSIZE, MOST_WRITTEN), limit(RLIMIT_CORE, 0);
  execl(program, "gmsh", "fill.geo", "-3", "-format", "msh2", "-o", "inside.msh", "-v", "2", (char *)NULL);
  _exit(127);
}

static json_t *start(dvSession *s, const char *file)
{
  char *program = dv_program_find("gmsh");
  if (!program)
    return dv_view_error("install it (Debian: gmsh), or let MeshTetraStuffing fill the surface",
                         "the program gmsh is not there");
  dvMesh mesh;
  json_t *error = read_surface(s, file, &mesh);
  if (error) {
    dv_free(program);
    return error;
  }
  dvFilling *f = s->editing->filling = dv_alloc(sizeof *f);
  *f = (dvFilling){.mesh = dv_strdup(file), .began = dv_now()};
  error = prepare(s, f, &mesh);
  dv_mesh_free(&mesh);
  if (!error) {
    f->child = fork();
    if (f->child == 0) become_gmsh(program, f->directory);
    if (f->child < 0) error = dv_view_error(strerror(errno), "gmsh cannot be started");
  }
  dv_free(program);
  if (error) dv_filling_free(&s->editing->filling);
  return error;
}

// --- ending --------------------------------------------------------------------------------------

// what gmsh complained of last, or NULL
static char *complaint(const dvFilling *f)
{
  char *path = dv_path_join(f->directory, "log"), *text = dv_file_read(path, NULL), *found = NULL;
  for (char *line = text; line && *line;) {
    size_t length = strcspn(line, "\n");
    char *error = strstr(line, "Error");
    if (error && error < line + length) {
      char *words = error + strcspn(error, ":");
      words += strspn(words, ": ");
      dv_free(found);
      found = dv_strndup(words, dv_min_size(200, (size_t)(line + length > words ? line + length - words : 0)));
    }
    line += length + (line[length] == '\n');
  }
  dv_free(path), dv_free(text);
  return found;
}

// the result next to the scene, under a name that nothing has
static json_t *take_result(dvSession *s, const dvFilling *f)
{
  char *from = dv_path_join(f->directory, "inside.msh"), *why = NULL;
  dvMesh mesh;
  dvMeshError bad = {0};
  const bool read = dv_file_is_regular(from) && dv_mesh_read(from, &mesh, &bad) == DV_OK;
  const size_t count = read ? mesh.tetrahedra.count / 4 : 0;
  if (read) dv_mesh_free(&mesh);
  if (!count) {
    why = complaint(f);
    dv_free(from);
    json_t *error = dv_view_error(
        why && *why ? why : "the surface must be closed and must not cross itself; MeshTetraStuffing may still fill it",
        "gmsh made no tetrahedra of %.200s", f->mesh);
    dv_free(why);
    return error;
  }
  const char *dot = strrchr(dv_path_name(f->mesh), '.');
  const char *base = dv_path_name(f->mesh);
  char *name = dv_format("%.*s-tetrahedra.msh", (int)(dot ? dot - base : (long)strlen(base)), base);
  char *path = dv_edit_free_file(s, name);
  const bool good = dv_file_permitted(path, true) && rename(from, path) == 0;
  json_t *answer = good ? dv_view_ok() : dv_view_error(strerror(errno), "%.300s cannot be written", path);
  if (good) {
    dv_view_put_text(answer, "file", dv_path_name(path));
    json_object_set_new(answer, "tetrahedra", json_integer((json_int_t)count));
  }
  dv_free(from), dv_free(name), dv_free(path);
  return answer;
}

static json_t *still_running(const dvFilling *f)
{
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "running", json_true());
  json_object_set_new(answer, "seconds", json_real(dv_now() - f->began));
  return answer;
}

// NULL while it runs
static json_t *look_after(dvSession *s, dvFilling *f)
{
  const double most = s->options.fill_seconds > 0 ? s->options.fill_seconds : USUAL_SECONDS;
  int code = 0;
  const pid_t ended = waitpid(f->child, &code, WNOHANG);
  if (ended == 0 && dv_now() - f->began > most) {
    end_child(f);
    return dv_view_error("MeshTetraStuffing takes less; or fill it beforehand and drop the tetrahedra",
                         "gmsh was stopped: %.200s took more than %g s", f->mesh, most);
  }
  if (ended == 0) return NULL;
  f->child = 0;
  if (ended > 0 && WIFSIGNALED(code))
    return dv_view_error("MeshTetraStuffing takes less memory", "gmsh ended by signal %d at %.200s", WTERMSIG(code),
                         f->mesh);
  if (ended > 0 && WIFEXITED(code) && WEXITSTATUS(code) == 127)
    return dv_view_error("is it installed properly? `gmsh --version` tells", "gmsh cannot be run");
  return take_result(s, f);
}

json_t *dv_view_fill_mesh(dvSession *s, const char *file, bool stop)
{
  json_t *answer = dv_edit_refusal(s);
  if (answer) return answer;
  dvFilling *f = s->editing->filling;
  if (f && !dv_same(f->mesh, file)) {
    if (!stop) return dv_view_error("wait for it, or stop it", "gmsh is at work on %.200s", f->mesh);
    return dv_view_ok();
  }
  if (stop) {
    dv_filling_free(&s->editing->filling);
    return dv_view_ok();
  }
  if (!f) {
    answer = start(s, file);
    return answer ? answer : still_running(s->editing->filling);
  }
  answer = look_after(s, f);
  if (!answer) return still_running(f);
  dv_filling_free(&s->editing->filling);
  return answer;
}
