// Functions of the module that the Sofa layer uses (accessors.c, graft.c).
#ifndef DIVAN_PYTHON_ACCESSORS_H
#define DIVAN_PYTHON_ACCESSORS_H

#include "graph.h"

PyObject *graft_take(PyObject *module, PyObject *args);
PyObject *graft_graft(PyObject *module, PyObject *args);
PyObject *graft_release(PyObject *module, PyObject *args);
bool accessors_add(PyObject *module);

#endif
