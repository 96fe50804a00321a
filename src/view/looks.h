// What the scene says about the picture as a whole: background, lights, labels, planes that cut it open, a camera.
#ifndef DV_VIEW_LOOKS_H
#define DV_VIEW_LOOKS_H

#include "scene/node.h"

#include <jansson.h>

// {background, ambient, lights, labels, planes, camera, up}; docs/viewer.md describes them.
json_t *dv_looks(const dvScene *scene);
// The camera as it is now, of a scene whose camera follows a path (RecordedCamera); NULL for all others.
json_t *dv_looks_camera(const dvScene *scene);
// Second pictures inside the first, as they are now: NULL for none; and the lens [k1, k2] that bends the picture.
json_t *dv_looks_viewports(const dvScene *scene);
json_t *dv_looks_lens(const dvScene *scene);
// The texts of the labels as they are now, or NULL for a scene without any.
json_t *dv_looks_labels(const dvScene *scene);
// Notes, once, which components for drawing neither the page nor a picture shows.
void dv_looks_tell(const dvScene *scene);

#endif
