// Scenes for tests.
#ifndef DV_TESTS_SCENE_H
#define DV_TESTS_SCENE_H

#include "app/divan.h"
#include "base/text.h"
#include "io/scene/scene_file.h"
#include "mechanics/mechanics.h"

// A scene from a text, initialised; the test fails when it has a mistake. Destroy with check_close_scene.
dvScene *check_scene(const char *text, int threads);
// The same with SOFA's mistakes (object/compat.h).
dvScene *check_scene_as_sofa(const char *text, int threads);
// A scene of the project's own, by its path in the source tree.
dvScene *check_scene_file(const char *path, int threads);
void check_close_scene(dvScene **scene);
void check_steps(dvScene *scene, int steps);
// The component at a path such as "Liver/dofs".
dvObject *check_find(dvScene *scene, const char *path);
// A scalar of a state's vector.
double check_value(dvScene *scene, const char *path, int id, size_t scalar);
// Appends a MeshTopology-like list of positions and tetrahedra of a box cut into n[0] x n[1] x n[2] cells of five
// tetrahedra each, as attributes position and tetrahedra.
void check_add_tetra_box(dvText *out, const int n[3], double cell);

#endif
