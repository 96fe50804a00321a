// Many scenes stepped side by side.
#ifndef DIVAN_PYTHON_BATCH_H
#define DIVAN_PYTHON_BATCH_H

#include "bind.h"

PyObject *batch_step(PyObject *module, PyObject *args);

#endif
