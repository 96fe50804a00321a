// Pictures and films that `divan run` makes.
#ifndef DIVAN_FILM_H
#define DIVAN_FILM_H

#include "command.h"
#include "scene/node.h"

typedef struct Camera Camera;

// NULL with status 0 where neither is asked for, and with another after a message.
Camera *camera_open(const Options *o, dvScene *scene, int *status);
// After each step, and before the first. A camera that is NULL takes nothing.
dvStatus camera_film(Camera *c, dvScene *scene, long step);
dvStatus camera_picture(Camera *c, dvScene *scene);   // at the end
dvStatus camera_close(Camera **c);
// Before anything is computed: the options make sense and the places can be written. False after a message.
bool camera_check(const Options *o);

#endif
