// Scenes in Python: the command goes on in an interpreter, as `python3 -m divan`, whose module holds the same command.
//
// The interpreter is the one of DIVAN_PYTHON, else python3 of PATH, so that virtual environments work. The module is
// looked for beside the command (as it was built, as it was installed); else the interpreter finds it among its own.
#include "command.h"

#include "base/file.h"
#include "base/text.h"
#include "io/scene/scene_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool takes_scenes(const char *verb)
{
  static const char *const verbs[] = {"run", "view", "check", "convert", "sweep"};
  for (size_t i = 0; i < DV_COUNT(verbs); i++)
    if (dv_same(verb, verbs[i])) return true;
  return false;
}

// the module's directory, seen from the command; NULL when it is not there
static char *module_directory(void)
{
  static const char *const places[] = {"python", "../" DIVAN_PYTHON_FROM_PREFIX};
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return NULL;
  self[n] = 0;
  char *directory = dv_path_directory(self), *found = NULL;
  for (size_t i = 0; i < DV_COUNT(places) && !found; i++) {
    char *place = dv_path_join(directory, places[i]), *file = dv_path_join(place, "divan/__init__.py");
    if (dv_file_exists(file)) found = dv_strdup(place);
    dv_free(file);
    dv_free(place);
  }
  dv_free(directory);
  return found;
}

static int no_python(const char *python)
{
  fprintf(stderr,
          "divan: error: a scene in Python needs an interpreter, and '%s' cannot be run: %s\n"
          "    install python3 (3.11 or later), or name one: DIVAN_PYTHON=/usr/bin/python3\n",
          python, strerror(errno));
  return DV_ERROR_INPUT;
}

// whether the interpreter has the module among its own: asked without a shell
static bool importable(const char *python)
{
  const pid_t child = fork();
  if (child == 0) {
    execlp(python, python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('divan') is None)",
           (char *)NULL);
    _exit(0);   // that there is no interpreter is told later
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int no_module(const char *scene)
{
  fprintf(stderr,
          "divan: error: %s is a scene in Python, and the module divan is not installed\n"
          "    build it (python3-dev, then make build), install it (make install, or pip install the wheel of make "
          "wheel)\n",
          scene);
  return DV_ERROR_INPUT;
}

int enter_python(int count, char **arguments)
{
  const char *scene = NULL;
  if (count < 3 || !takes_scenes(arguments[1])) return -1;
  for (int i = 2; i < count && !scene && !dv_same(arguments[i], "--"); i++)
    if (arguments[i][0] != '-' && dv_scene_is_script(arguments[i])) scene = arguments[i];
  if (!scene) return -1;
  const char *chosen = getenv("DIVAN_PYTHON"), *python = chosen && *chosen ? chosen : "python3";
  char *directory = module_directory();
  if (!directory && !importable(python)) return no_module(scene);
  if (directory) {
    const char *path = getenv("PYTHONPATH");
    char *all = path && *path ? dv_format("%s:%s", directory, path) : dv_strdup(directory);
    setenv("PYTHONPATH", all, 1);
    dv_free(all);
    dv_free(directory);
  }
  char **line = dv_alloc((size_t)(count + 3) * sizeof *line);
  int n = 0;
  line[n++] = (char *)python;
  line[n++] = "-m";
  line[n++] = "divan";
  for (int i = 1; i < count; i++) line[n++] = arguments[i];
  execvp(python, line);
  dv_free(line);
  return no_python(python);
}
