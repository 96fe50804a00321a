// What a scene tells of itself (query.c, matrix.c), for the table in scene.c.
#ifndef DIVAN_PYTHON_QUERY_H
#define DIVAN_PYTHON_QUERY_H

#include "bind.h"

PyObject *query_touches(PyObject *self, PyObject *none);
PyObject *query_contacts(PyObject *self, PyObject *none);
PyObject *query_timers(PyObject *self, PyObject *none);
PyObject *query_matrix(PyObject *self, PyObject *args, PyObject *kw);
PyObject *query_multipliers(PyObject *self, PyObject *none);
PyObject *query_compliance(PyObject *self, PyObject *none);
PyObject *query_constraint_rows(PyObject *self, PyObject *none);
PyObject *query_energies(PyObject *self, PyObject *none);
PyObject *query_unknowns(PyObject *self, PyObject *none);
PyObject *query_has_scripts(PyObject *self, void *closure);
PyObject *query_directories(PyObject *self, void *closure);

#define QUERY_METHODS                                                                                                  \
  {"matrix", (PyCFunction)(void (*)(void))query_matrix, METH_VARARGS | METH_KEYWORDS,                                  \
   "matrix(kind, node=None, projected=False): 'mass', 'stiffness' (df/dx), 'damping' (df/dv) as they are now, or "     \
   "'system' as a solver assembled it last; (indptr, indices, data, shape) in compressed rows"},                       \
      {"multipliers", query_multipliers, METH_NOARGS,                                                                  \
       "forces of the constraints in the last step, as impulses (N s)"},                                               \
      {"compliance", query_compliance, METH_NOARGS, "W of the constraints in the last step, a square array"},          \
      {"constraint_rows", query_constraint_rows, METH_NOARGS, "H: directions of the constraints, as compressed rows"}, \
      {"energies", query_energies, METH_NOARGS, "kinetic, potential and total energy, J"},                             \
      {"unknowns", query_unknowns, METH_NOARGS, "states in the order of the matrices, with their scalars"},            \
      {"touches", query_touches, METH_NOARGS, "pairs of collision models in contact: a list of dicts"},                \
      {"contacts", query_contacts, METH_NOARGS, "all contacts of the last step: a dict of arrays"},                    \
  {                                                                                                                    \
    "timers", query_timers, METH_NOARGS, "where the time went: a list of dicts with name, seconds, count, parent"      \
  }

#endif
