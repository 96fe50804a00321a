// Methods of nodes that change or walk the graph (graph.c), for the table in handle.c.
#ifndef DIVAN_PYTHON_GRAPH_H
#define DIVAN_PYTHON_GRAPH_H

#include "bind.h"

dvNode *node_use(PyObject *self);
void handle_forget(dvObject *o);              // it was taken out: its handle says so from now on
void handle_rehome(dvObject *o, Scene *to);   // it belongs to another scene now
bool add_package(PyObject *directory);

PyObject *node_parent(PyObject *self, void *closure);
PyObject *node_parents(PyObject *self, void *closure);
PyObject *node_children(PyObject *self, void *closure);
PyObject *node_objects(PyObject *self, void *closure);
PyObject *node_active(PyObject *self, void *closure);
int node_set_active(PyObject *self, PyObject *value, void *closure);
PyObject *node_add(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *node_add_child(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *node_remove(PyObject *self, PyObject *what);
PyObject *node_attach(PyObject *self, PyObject *what);
PyObject *node_detach(PyObject *self, PyObject *what);
PyObject *node_move(PyObject *self, PyObject *where);
PyObject *node_init(PyObject *self, PyObject *none);
PyObject *node_child(PyObject *self, PyObject *name);
PyObject *node_object(PyObject *self, PyObject *name);
PyObject *handle_add_field(PyObject *self, PyObject *args, PyObject *names);

// Gives a component or node its fields from keywords: names (a tuple, may be NULL) and their values.
bool build_with(Scene *s, dvObject *o, PyObject *const *values, PyObject *names);
// Whether the graph may change now: not inside of a force, mass or mapping.
bool may_change(Scene *s);
// What has come since the scene was initialised is initialised. False with an exception.
bool initialise_more(Scene *s);

#endif
