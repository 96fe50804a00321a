// What `divan check` looks for beyond what stops a run: things that are legal and most likely not meant.
#ifndef DV_APP_LINT_H
#define DV_APP_LINT_H

#include "scene/node.h"

// Looks over an initialised scene and reports what it finds as warnings. Returns how many.
int dv_scene_lint(dvScene *scene);
// Only: states with masses or forces that no solver moves, constraints that nothing solves. Worth telling before every
// run.
void dv_scene_lint_motion(dvScene *scene);
// A part of it: constraints that repeat or contradict each other.
void dv_lint_ties(dvScene *scene);
// Names each of SOFA's mistakes (object/compat.h) that the scene touches, and what the other mode would do, as notes.
// Returns how many. Cases that show within the tolerance of iterations only are told with `minor`.
int dv_scene_tell_compat(dvScene *scene, bool minor);

#endif
