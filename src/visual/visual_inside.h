// What the files of visual models share: the hooks of their classes.
#ifndef DV_VISUAL_VISUAL_INSIDE_H
#define DV_VISUAL_VISUAL_INSIDE_H

#include "visual/visual_model.h"

dvStatus dv_visual_model_parse(dvObject *o, dvAttributes *a);
dvStatus dv_visual_model_init(dvObject *o);
dvStatus dv_visual_model_compute(dvObject *o);
void dv_visual_model_destroy(dvObject *o);
void dv_visual_model_topology_changed(dvObject *o);
dvStatus dv_visual_state_init(dvObject *o);
void dv_visual_state_destroy(dvObject *o);
void dv_visual_state_update(dvObject *o);
void dv_visual_state_create(dvObject *o);
size_t dv_visual_first_outside(const dvInts *list, size_t count);

#endif
