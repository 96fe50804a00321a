// A picture of a scene, drawn here: for notebooks and machines without a screen.
#ifndef DIVAN_PYTHON_PICTURE_H
#define DIVAN_PYTHON_PICTURE_H

#include "bind.h"

PyObject *picture_draw(PyObject *module, PyObject *args);

#endif
