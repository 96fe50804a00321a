// The command inside of Python, and scenes that are programs.
#ifndef DIVAN_PYTHON_COMMAND_LINE_H
#define DIVAN_PYTHON_COMMAND_LINE_H

#include "bind.h"

PyObject *command_main(PyObject *module, PyObject *args);

#endif
