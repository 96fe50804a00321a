// The viewer of a scene that the interpreter runs: the page shows the scene itself, not a copy.
//
// Whoever has the scene's context has the session too. While nobody uses the scene a thread of the viewer enters the
// context for a round: others who come meanwhile wait for its end. While a step runs the stepping thread does the
// rounds itself, between two steps.
#ifndef DIVAN_PYTHON_VIEWER_H
#define DIVAN_PYTHON_VIEWER_H

#include "bind.h"

bool viewer_add_type(PyObject *module);
// Between two steps, without the interpreter's lock, by who steps: a round when one is due.
void viewer_between_steps(Scene *s);
void viewer_note(dvSession *session, const dvMessage *m);

#endif
