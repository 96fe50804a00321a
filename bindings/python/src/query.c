// Contacts and timers. See query.h.
#include "query.h"

#include "base/file.h"
#include "collision/collision.h"
#include "scene/timer.h"

#include <string.h>

static PyObject *path_of(const dvObject *o)
{
  char *path = dv_object_path(o);
  PyObject *text = text_of(path);
  dv_free(path);
  return text;
}

PyObject *query_touches(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  dvScene *scene = scene_use(s);
  PyObject *list = scene ? PyList_New(0) : NULL;
  dvTouch t;
  for (size_t i = 0; list && scene->initialised && dv_scene_touch(scene, i, &t); i++) {
    list_take(&list,
              Py_BuildValue("{s:(NN),s:n,s:d,s:l}", "models", path_of(&t.model[0]->base), path_of(&t.model[1]->base),
                            "contacts", (Py_ssize_t)t.count, "force", t.force, "since", t.since));
  }
  return list;
}

PyObject *query_contacts(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  dvScene *scene = scene_use(s);
  if (!scene) return NULL;
  size_t count = 0;
  dvTouch t;
  for (size_t i = 0; scene->initialised && dv_scene_touch(scene, i, &t); i++) count += t.count;
  double *points[2] = {dv_alloc(24 * count), dv_alloc(24 * count)}, *normals = dv_alloc(24 * count),
         *distances = dv_alloc(8 * count);
  int32_t *elements = dv_alloc(8 * count), *pairs = dv_alloc(4 * count);
  size_t at = 0;
  for (size_t i = 0; scene->initialised && dv_scene_touch(scene, i, &t); i++)
    for (size_t k = 0; k < t.count && at < count; k++, at++) {
      const dvContact *c = &t.contacts[k];
      for (int side = 0; side < 2; side++) memcpy(points[side] + 3 * at, c->point[side], 24);
      memcpy(normals + 3 * at, c->normal, 24);
      distances[at] = c->distance;
      elements[2 * at] = c->element[0], elements[2 * at + 1] = c->element[1];
      pairs[at] = (int32_t)i;
    }
  PyObject *out = Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N}", "points_a", array_fresh(points[0], count, 3), "points_b",
                                array_fresh(points[1], count, 3), "normals", array_fresh(normals, count, 3),
                                "distances", array_fresh(distances, count, 0), "elements",
                                array_fresh_ints(elements, count, 2), "pairs", array_fresh_ints(pairs, count, 0));
  for (int side = 0; side < 2; side++) dv_free(points[side]);
  dv_free(normals);
  dv_free(distances);
  dv_free(elements);
  dv_free(pairs);
  return out;
}

PyObject *query_timers(PyObject *self, PyObject *none)
{
  DV_UNUSED(none);
  Scene *s = (Scene *)self;
  dvScene *scene = scene_use(s);
  const dvTimers *timers = scene ? scene->context->timers : NULL;
  PyObject *list = scene ? PyList_New(0) : NULL;
  for (size_t i = 0; list && timers && i < timers->list.count; i++) {
    const dvTimer *t = &timers->list.data[i];
    list_take(&list, Py_BuildValue("{s:s,s:d,s:l,s:i}", "name", t->name, "seconds", dv_timer_seconds(timers, (int)i),
                                   "count", t->count, "parent", t->parent));
  }
  return list;
}

PyObject *query_has_scripts(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  return PyBool_FromLong(((Scene *)self)->components.count > 0);
}

// where files of the scene are looked for
PyObject *query_directories(PyObject *self, void *closure)
{
  DV_UNUSED(closure);
  dvScene *scene = scene_use((Scene *)self);
  PyObject *list = scene ? PyList_New(0) : NULL;
  const dvContext *c = scene ? scene->context : NULL;
  for (size_t i = 0; list && i < c->file_names.count + c->data_paths.count; i++) {
    const bool file = i < c->file_names.count;
    if (file && !strpbrk(c->file_names.data[i], "/.")) continue;   // a text, not a file
    char *directory =
        file ? dv_path_directory(c->file_names.data[i]) : dv_strdup(c->data_paths.data[i - c->file_names.count]);
    PyObject *text = text_of(*directory ? directory : ".");
    const int there = text ? PySequence_Contains(list, text) : -1;
    if (there < 0 || (there == 0 && PyList_Append(list, text) < 0)) Py_CLEAR(list);
    Py_XDECREF(text);
    dv_free(directory);
  }
  return list;
}
