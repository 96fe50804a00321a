// Building a scene: its text is edited, and what runs follows.
//
// An edit is a list of pieces of the text that were replaced; its inverse puts them back. After each one the running
// scene is made again from the text, as little of it as can be (edit_scope.c): nodes whose text is the same as before
// stay as they are, with their states.
#ifndef DV_VIEW_EDIT_H
#define DV_VIEW_EDIT_H

#include "io/scene/scene_trace.h"
#include "view/document.h"
#include "view/inside.h"

struct dvUpload;
struct dvFilling;

typedef struct dvSplice {
  size_t at;
  char *before, *after;
} dvSplice;

typedef struct dvTextEdit {
  char *what;   // in words: "add UniformMass"
  DV_ARRAY(dvSplice) splices;
  char *path, *field, *was, *value;   // of a field that can be set while it runs; NULL: absent
  bool fresh;                         // what it touches begins anew, at its start
} dvTextEdit;

struct dvEditing {
  dvDocument document;   // as it stands
  dvDocument built;      // that the running scene was made of
  dvFromTags origins;    // tags of `built`
  DV_ARRAY(dvTextEdit) done, undone;
  dvTextEdit now;   // between begin and commit
  bool broken;      // it left tags that do not nest
  size_t saved;     // how many were done when the file was written; SIZE_MAX: none of the states that are left
  char *raw;        // as it was read, where that is not `document`: slips are told of once
  size_t raw_length;
  bool by_page;                // texts came through the page, which may name files
  bool written;                // the first scene was written by the page
  struct dvUpload *upload;     // a mesh that is coming
  struct dvFilling *filling;   // a surface that gmsh is filling
  size_t parts;                // how often only a part of the scene was made again
};

// --- edit.c ---
// The text of the scene, from the start: nothing was done to it yet. Nothing happens when it is no scene.
void dv_edit_open(dvSession *s, const char *bytes, size_t length);
void dv_edit_close(dvSession *s);
void dv_edit_read_again(dvSession *s);   // the file counts, unless something was done to its text
bool dv_edit_parse(dvSession *s);        // the scene from the text; false when there is no text
void dv_edit_built(dvSession *s);        // the scene was made of it
// NULL when the scene can be edited, else why not.
json_t *dv_edit_refusal(const dvSession *s);
// The tag of a component or node, or -1 with the reason.
int dv_edit_tag(dvSession *s, const dvObject *o, json_t **error);

void dv_edit_begin(dvSession *s, const char *what_format, ...) DV_PRINTF(2, 3);
void dv_edit_replace(dvSession *s, dvSpan piece, const char *by);
typedef enum dvEditMode {
  DV_EDIT_ANY,        // the scene may stop working: what is wrong is shown at the components
  DV_EDIT_WORKING,    // a scene that worked goes on working, else everything is as before
  DV_EDIT_ONLY_TEXT   // what runs has the change already
} dvEditMode;
// Ends what begin began. NULL, or why everything is as before.
json_t *dv_edit_commit(dvSession *s, dvEditMode mode);
json_t *dv_edit_undo(dvSession *s);
json_t *dv_edit_redo(dvSession *s);
void dv_edit_forget_undone(dvSession *s);
void dv_edit_status(const dvSession *s, json_t *out);   // what can be undone and done again
// As `divan check` would: looks over the scene and tells what is most likely not meant.
void dv_edit_check(dvSession *s);

// --- edit_scope.c ---
// Makes what differs between the two texts again and leaves the rest; false, and nothing is done, when that cannot be.
bool dv_edit_rebuild_parts(dvSession *s, bool fresh);

// --- edit_ops.c: one change each, begun and committed ---
json_t *dv_edit_insert(dvSession *s, const char *parent, const char *before, const char *xml, const char *what);
json_t *dv_edit_remove(dvSession *s, const char *path, dvEditMode mode);
json_t *dv_edit_move(dvSession *s, const char *path, const char *parent, const char *before);
json_t *dv_edit_rename(dvSession *s, const char *path, const char *name);
// An attribute; NULL takes it away. NULL when that was done.
json_t *dv_edit_attribute(dvSession *s, const char *path, const char *name, const char *value, dvEditMode mode);
// An edit of the old kind as one of the text; false when what it concerns is not in the text.
bool dv_edit_takes(dvSession *s, const dvEdit *edit, json_t **answer);
json_t *dv_edit_bad_name(const char *name);   // NULL when it can be one
// A name that no child of the node has, made from one; the caller frees it.
char *dv_edit_free_name(dvSession *s, const char *parent, const char *wanted);

// --- edit_place.c ---
typedef struct dvPlacing {
  dvVec3 translate, scale;   // scale along the axes of the body, about the pivot
  dvQuat turn;
  dvVec3 pivot;
} dvPlacing;
json_t *dv_edit_place(dvSession *s, const char *path, const dvPlacing *placing);

// --- presets.c, library.c ---
json_t *dv_view_presets(void);
json_t *dv_view_add_preset(dvSession *s, const char *name);
// A body with what it needs at the root, as one edit; `size` is its own, 0 when it touches nothing.
json_t *dv_view_add_body(dvSession *s, const char *xml, double size, const char *what);
json_t *dv_view_library(dvSession *s);
json_t *dv_view_class(dvSession *s, const char *name);
json_t *dv_view_example(dvSession *s, const char *file, bool open);   // its text, or the address where it runs
json_t *dv_view_fields(dvObject *o);                                  // graph.c

// --- edit_mesh.c: meshes that are dropped onto the page ---
typedef struct dvUpload dvUpload;
json_t *dv_upload_part(dvSession *s, const char *name, double at, double total, const char *base64);
void dv_upload_free(dvUpload **u);
// `inside`: the file with the tetrahedra of a surface, or "": MeshTetraStuffing makes them.
json_t *dv_view_add_mesh(dvSession *s, const char *file, const char *as, const char *inside);
char *dv_edit_free_file(const dvSession *s, const char *name);   // a path next to the scene that nothing has

// --- edit_fill.c: tetrahedra by gmsh ---
typedef struct dvFilling dvFilling;
bool dv_filling_possible(void);   // gmsh is installed
// Begins, or looks how far it is: `running`, or the `file` next to the scene.
json_t *dv_view_fill_mesh(dvSession *s, const char *file, bool stop);
void dv_filling_free(dvFilling **f);

// --- select.c ---
typedef struct dvSelecting {
  double matrix[16];       // from the scene to the picture, by columns
  const double *polygon;   // x y of each corner, -1 to 1
  size_t count;
  dvVec3 eye;      // where the camera is, or along what it looks
  bool parallel;   // the latter
  bool through;    // also what is hidden
  bool elements;   // of the largest kind, else points
} dvSelecting;
dvState *dv_select_body(dvSession *s, const char *path);
json_t *dv_select_area(dvSession *s, const char *path, const dvSelecting *area);
json_t *dv_select_where(dvSession *s, const char *path, const int32_t *points, size_t count);
json_t *dv_select_use(dvSession *s, const char *path, const char *as, const int32_t *points, size_t count);

#endif
