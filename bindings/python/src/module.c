// The module `divan._divan`.
#include "batch.h"

#include "accessors.h"
#include "command_line.h"
#include "component.h"
#include "graph.h"
#include "picture.h"
#include "viewer.h"

#include <dlfcn.h>

PyObject *numpy_wrap;
PyObject *writing_class;

// The classes of messages and exceptions are written in Python: _base.py hands them over when it is imported.
static PyObject *module_adopt(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *error, *warning, *message, *scene, *writing, *wrap;
  if (!PyArg_ParseTuple(args, "OOOOOO", &error, &warning, &message, &scene, &writing, &wrap)) return NULL;
  error_scene = Py_NewRef(error);
  warning_scene = Py_NewRef(warning);
  type_message = Py_NewRef(message);
  type_scene = Py_NewRef(scene);   // scenes that the library makes are of this class
  writing_class = Py_NewRef(writing);
  numpy_wrap = wrap == Py_None ? NULL : Py_NewRef(wrap);
  return Py_NewRef(Py_None);
}

static PyObject *module_skip_frames(PyObject *module, PyObject *directory)
{
  DV_UNUSED(module);
  return add_package(directory) ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef module_methods[] = {
    {"_adopt", module_adopt, METH_VARARGS, NULL},
    {"_step_batch", batch_step, METH_VARARGS, NULL},
    {"_picture", picture_draw, METH_VARARGS, NULL},
    {"_main", command_main, METH_VARARGS, NULL},
    {"_component", component_make, METH_VARARGS, NULL},
    {"_skip_frames", module_skip_frames, METH_O, "messages name the first caller outside of this directory"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_divan", "Divan for Python.", -1, module_methods, NULL, NULL, NULL, NULL};

// A plugin finds the library's functions in the program that loads it: those of this file become visible to it.
static void show_to_plugins(void)
{
  Dl_info self;
  if (dladdr((void *)definition.m_name, &self) && self.dli_fname)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

PyMODINIT_FUNC PyInit__divan(void);
PyMODINIT_FUNC PyInit__divan(void)
{
  PyObject *module = PyModule_Create(&definition);
  if (!module) return NULL;
  show_to_plugins();
  if (PyModule_AddStringConstant(module, "version", divan_version()) < 0 || !context_add_type(module) ||
      !array_add_type(module) || !field_add_type(module) || !handle_add_types(module) || !scene_add_type(module) ||
      !viewer_add_type(module) || !accessors_add(module)) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
