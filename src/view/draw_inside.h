// What the files of the draw list share. See draw.h.
#ifndef DV_VIEW_DRAW_INSIDE_H
#define DV_VIEW_DRAW_INSIDE_H

#include "view/draw.h"

// The array of a field of numbers, `width` each; -1 for none or another number of them.
int dv_draw_field_array(dvDraw *d, dvField *f, int width);
// The number of a picture that a component names; -1 where there is no such file.
int dv_draw_texture(dvDraw *d, const dvObject *o, const char *name);
// What is drawn anew again and again is told once: whether it was.
bool dv_draw_told(dvDraw *d, const dvObject *o, const char *what);
// VisualTransform (draw_move.c): gives arrays of their own to what it moves, and moves the numbers of one that is
// filled.
void dv_draw_move(dvDraw *d);
void dv_draw_moved(dvDrawArray *a);
void dv_draw_move_place(const dvDrawArray *a, double x[3]);
// The picture behind everything (backdrop.c); `read`: one that there is not is told.
void dv_backdrop_add(dvDraw *d, bool read);
// Colours of the bodies for which nobody chose one (draw_colours.c).
void dv_draw_choose_colours(dvDraw *d);
// Ranges and colours of numbers; `tell`: those that there are not.
void dv_draw_choose_maps(dvDraw *d, bool tell);

extern const char dv_toon_vertex[], dv_toon_fragment[];     // what OglShader draws with where no file is named
extern const char dv_focus_vertex[], dv_focus_fragment[];   // the same for PostProcessManager

#endif
