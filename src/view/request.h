// A request of a client and the verbs that answer it, by subject. docs/viewer.md lists them.
#ifndef DV_VIEW_REQUEST_H
#define DV_VIEW_REQUEST_H

#include "view/inside.h"

typedef struct dvRequest {
  dvSession *session;
  dvViewer *viewer;
  json_t *body;
} dvRequest;

const char *dv_request_text(const dvRequest *r, const char *key);   // "" when it is not there
bool dv_request_number(const dvRequest *r, const char *key, double *out);
bool dv_request_point(const dvRequest *r, const char *key, double out[3]);
json_t *dv_view_not_ready(void);

// requests_run.c: the simulation
json_t *dv_do_animate(dvRequest *r);
json_t *dv_do_step(dvRequest *r);
json_t *dv_do_reset(dvRequest *r);
json_t *dv_do_dt(dvRequest *r);
json_t *dv_do_realtime(dvRequest *r);
json_t *dv_do_stats(dvRequest *r);
json_t *dv_do_watch(dvRequest *r);

// requests_files.c: scenes that are opened, what is written
json_t *dv_do_reload(dvRequest *r);
json_t *dv_do_compat(dvRequest *r);
json_t *dv_do_skip(dvRequest *r);
json_t *dv_do_open(dvRequest *r);
json_t *dv_do_drop(dvRequest *r);
json_t *dv_do_files(dvRequest *r);
json_t *dv_do_thumbnail(dvRequest *r);
json_t *dv_do_save_node(dvRequest *r);
json_t *dv_do_add_node(dvRequest *r);
json_t *dv_do_save_view(dvRequest *r);
json_t *dv_do_dump(dvRequest *r);
json_t *dv_view_stored(const dvSession *s);   // what save_view has written, or null

// requests_edit.c: building a scene
json_t *dv_do_library(dvRequest *r);
json_t *dv_do_class(dvRequest *r);
json_t *dv_do_example(dvRequest *r);
json_t *dv_do_text(dvRequest *r);
json_t *dv_do_add(dvRequest *r);
json_t *dv_do_copy(dvRequest *r);
json_t *dv_do_take_out(dvRequest *r);
json_t *dv_do_move(dvRequest *r);
json_t *dv_do_rename(dvRequest *r);
json_t *dv_do_attribute(dvRequest *r);
json_t *dv_do_place(dvRequest *r);
json_t *dv_do_redo(dvRequest *r);
json_t *dv_do_check(dvRequest *r);
json_t *dv_do_mesh_part(dvRequest *r);
json_t *dv_do_fill(dvRequest *r);
json_t *dv_do_select(dvRequest *r);
json_t *dv_do_where(dvRequest *r);
json_t *dv_do_use(dvRequest *r);
json_t *dv_do_save(dvRequest *r);

// requests_touch.c: the hand, keys and mouse
json_t *dv_do_grab(dvRequest *r);
json_t *dv_do_pull(dvRequest *r);
json_t *dv_do_release(dvRequest *r);
json_t *dv_do_probe(dvRequest *r);
json_t *dv_do_fix(dvRequest *r);
json_t *dv_do_key(dvRequest *r);
json_t *dv_do_mouse(dvRequest *r);
json_t *dv_do_tool(dvRequest *r);
json_t *dv_do_undo(dvRequest *r);

// requests_record.c: recordings
json_t *dv_do_record(dvRequest *r);
json_t *dv_do_play(dvRequest *r);
json_t *dv_do_resume(dvRequest *r);
json_t *dv_do_save_recording(dvRequest *r);
json_t *dv_do_tracks(dvRequest *r);
json_t *dv_do_curves(dvRequest *r);

#endif
