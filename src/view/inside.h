// The rooms of the session: what its files share.
#ifndef DV_VIEW_INSIDE_H
#define DV_VIEW_INSIDE_H

#include "math/vec.h"
#include "scene/live.h"
#include "state/state.h"
#include "view/session.h"

#include <jansson.h>

typedef struct dvNews {   // a message of the log, kept for the graph
  dvLevel level;
  char *path, *text, *advice, *file;
  int line;
  bool check, stale;   // of dv_edit_check; of the one before
} dvNews;

typedef struct dvWatch {
  char *path, *field;
  size_t index;
} dvWatch;

// What was changed since the scene was read. A scene that is read again gets the same changes again.
typedef enum dvEditKind { DV_EDIT_SET, DV_EDIT_REMOVE, DV_EDIT_ADD } dvEditKind;
typedef struct dvEdit {
  dvEditKind kind;
  char *path, *field, *text;   // ADD: text is the file
  bool words;                  // SET: a field of text, which may name a file
} dvEdit;

typedef struct dvFixed {   // a point that the user holds
  char *path;
  int32_t index;
  dvObject *object;   // the constraint, NULL when it does not exist in the present scene
} dvFixed;

typedef struct dvUndo {   // how the scene was before a mesh was changed
  void *bytes;            // a snapshot; NULL where a component was added:
  size_t length;
  char *path;   // of that one
  char *what;
} dvUndo;

typedef struct dvStepCost {   // the thread's time for some steps
  long steps;
  double time;
} dvStepCost;

struct dvSession {
  dvSessionOptions options;
  DV_ARRAY(char *) roots;   // directories that may be read, absolute
  dvContext *context;
  dvScene *scene;
  char *file;      // of the scene, absolute; NULL for a dropped text
  char *name;      // shown
  char *dropped;   // text of a dropped scene, for reload
  char *first;     // the scene that the program was started with: the only one whose author is trusted with any file
  bool ready;
  dvDraw draw;
  DV_ARRAY(char *) pictures;   // of the draw list when that was looked at last
  unsigned pictures_serial;    // number of that list
  unsigned graph;              // revision of the graph
  unsigned graph_version;      // of the scene at that revision
  DV_ARRAY(dvViewer *) viewers;
  dvViewer *editor;
  char editor_key[33];
  double editor_left;   // when it went, or 0
  DV_ARRAY(dvEdit) edits;
  // running
  bool animating, realtime;
  double factor, pace_wall, pace_time;
  long steps_wanted;
  double rate, rate_wall, rtf, ms;
  long rate_steps;
  double rate_time, busy;
  double frame_wall, frame_cost;   // when the last frame was due and what it took of the thread's time
  double frame_had;                // time that the thread had had by then
  bool held;                       // no steps of its own now
  long host_step;                  // of the program that runs the scene, when it was looked at last, and when that was
  double host_wall, host_looked;
  double idle, left_at;   // how long it had nothing to do, and since when
  bool moved;             // since then
  DV_ARRAY(dvNews) news;
  // statistics since the last message
  DV_ARRAY(double) step_times;   // time, ms
  DV_ARRAY(double) solves;       // time, rows, iterations, error, largest force (N) of the constraint solver
  DV_ARRAY(double) robot;        // time and columns of dv_view_record_robot
  size_t robot_width;
  DV_ARRAY(dvWatch) watches;
  DV_ARRAY(double) watched;   // time, one value a watch
  long stats_steps;
  long packed;   // frames, and the thread's time for them
  double pack_time;
  bool fresh_frame;   // one was packed since the last step
  dvStepCost after_frame, between_frames;
  // the hand
  dvLiveGroup hand;   // what the user adds to the scene
  dvObject *spring;   // MouseSpring that pulls, or NULL
  dvObject *device;   // driver whose emulated hand the mouse is, or NULL
  DV_ARRAY(dvFixed) fixed;
  int32_t keys[16];   // that are held
  size_t key_count;
  double spring_offset[3];   // from the pulled point to where the surface was held
  DV_ARRAY(dvUndo) undo;     // what was done to meshes, the last one last
  // recordings (play.h)
  struct dvRecorder *recorder;   // that the steps go to, or NULL
  struct dvPlayer *player;       // of a recording that was opened or made, or NULL
  double recorded_time;
  struct dvEditing *editing;   // the scene's text (view/edit.h), or NULL: it has none
  bool checking;               // messages are those of a check
};

// --- replies ---
json_t *dv_view_error(const char *advice, const char *format, ...) DV_PRINTF(2, 3);
json_t *dv_view_ok(void);
void dv_view_put_text(json_t *o, const char *key, const char *text);   // null for NULL and for what is not UTF-8
json_t *dv_view_news(const dvNews *n);
void dv_session_send(dvSession *s, dvViewer *to, json_t *message);   // takes the message over

// --- describe.c ---
json_t *dv_view_scene(dvSession *s);                       // everything that can be drawn
void dv_view_name_pictures(dvSession *s, json_t *scene);   // `file/N` becomes `file/SERIAL/N` there
long dv_view_picture_number(const json_t *address);        // N of `file/N`, -1 for anything else
void dv_view_free_pictures(dvSession *s);

// --- graph.c ---
json_t *dv_view_graph(dvSession *s);
json_t *dv_view_object(dvSession *s, dvObject *o);
dvObject *dv_view_find(dvSession *s, const char *path);
json_t *dv_view_set(dvSession *s, const char *path, const char *field, const char *text);
json_t *dv_view_remove(dvSession *s, const char *path);
const char *dv_view_level_name(dvLevel level);

// --- touch.c ---
json_t *dv_view_grab(dvSession *s, const double origin[3], const double direction[3], double stiffness);
void dv_view_pull(dvSession *s, const double to[3]);
void dv_view_release(dvSession *s);
void dv_view_release_keys(dvSession *s);
double dv_view_pull_force(const dvSession *s);   // of the spring that pulls, N
json_t *dv_view_probe(dvSession *s, const double origin[3], const double direction[3]);
void dv_view_forget_touch(dvSession *s);   // the scene goes
void dv_view_fix_again(dvSession *s);      // it was read again
json_t *dv_view_fix(dvSession *s, const double origin[3], const double direction[3]);

typedef struct dvRay {
  dvVec3 origin, direction;   // of length 1
} dvRay;
typedef struct dvTouched {   // what a ray meets
  dvState *state;            // that moves it
  size_t index;              // the nearest degree of freedom
  dvVec3 point;
  dvObject *model;
} dvTouched;
dvRay dv_view_ray(const double origin[3], const double direction[3]);
bool dv_view_touched(dvSession *s, dvRay ray, dvTouched *out);
bool dv_view_meets(dvSession *s, dvRay ray, dvVec3 *where);   // anything that is seen, whether it moves or not
double dv_view_hit_triangle(const dvRay *ray, dvVec3 a, dvVec3 b, dvVec3 c);   // distance along the ray, or infinity

// --- tools.c: changes of meshes by hand ---
typedef enum dvTool {
  DV_TOOL_REMOVE,
  DV_TOOL_CARVE,
  DV_TOOL_REFINE,
  DV_TOOL_PACE,
  DV_TOOL_ABLATE,
  DV_TOOL_CUT,   // from here on with two rays and more
  DV_TOOL_INCISE
} dvTool;
typedef struct dvStroke {
  dvTool tool;
  const dvRay *rays;   // along which the tool was drawn; one for those that only pick
  size_t count;
  double size;     // radius around what is picked, or depth of an incision; negative: as the tool likes
  double spread;   // by which the radius grows along the ray: a circle on a picture in perspective
  bool goes_on;    // belongs to the stroke before: undone with it
} dvStroke;
json_t *dv_view_use_tool(dvSession *s, const dvStroke *stroke);
double dv_stroke_radius(const dvStroke *stroke, dvVec3 where);   // of the circle on the picture; negative: none

// --- tools_heart.c: leads and lesions ---
json_t *dv_view_treat(dvSession *s, const dvStroke *stroke);

// --- undo.c ---
// Keeps the scene as it is; false, and nothing kept, when it cannot be saved.
bool dv_view_undo_keep(dvSession *s, const char *what);
void dv_view_undo_added(dvSession *s, const dvObject *o, const char *what);   // undoing takes it away
void dv_view_undo_drop(dvSession *s);                                         // the last one: nothing came of it
void dv_view_undo_clear(dvSession *s);
// Takes the scene back to where the last one was kept.
json_t *dv_view_undo(dvSession *s);

// --- files.c ---
// The absolute path of an existing file below the directories of the session, or NULL. The caller frees it.
char *dv_view_allowed(const dvSession *s, const char *path);
// The same for a file that is to be written next to the scene: a plain name with the given ending.
char *dv_view_writable(const dvSession *s, const char *name, const char *ending, json_t **error);
json_t *dv_view_files(const dvSession *s, const char *directory);
// Closes the gate (base/file.h) for a scene that came through the page, opens it for the first one as it stands.
void dv_view_confine(dvSession *s);

// --- host.c: the scene of a program that runs it ---
void dv_view_host_begin(dvSession *s);
void dv_view_host_follow(dvSession *s, double now);   // what the program has done since
json_t *dv_view_host_refuses(void);                   // what would need the scene to be read again

// --- compat.c ---
json_t *dv_view_compat(dvSession *s, const char *mode);       // reads the scene again, with its edits, from the start
dvScene *dv_view_read_more(dvSession *s, const char *file);   // a scene that becomes part of the present one

// --- stats.c ---
void dv_view_record_step(dvSession *s, double seconds);
json_t *dv_view_rows(const double *values, size_t count, size_t width);   // lists of `width` numbers
// Effectors and actuators of a soft robot (stats_robot.c); null where there are none.
void dv_view_record_robot(dvSession *s);
json_t *dv_view_robot(dvSession *s);
json_t *dv_view_stats(dvSession *s);
void dv_view_clear_stats(dvSession *s);
json_t *dv_view_watch(dvSession *s, json_t *items);

// --- session.c ---
extern const char dv_session_blank[];   // a scene to be built
bool dv_session_load(dvSession *s);     // the file or text that it has, with its edits
// What goes on over a reading: keep it, read, go on (which frees it).
typedef struct dvKept dvKept;
dvKept *dv_view_keep(dvSession *s);
void dv_view_keep_not(dvKept *kept, const char *path);   // states of a node or component and below it begin anew
void dv_view_keep_nothing(dvKept **kept);                // it is not needed any more
void dv_view_go_on(dvSession *s, dvKept **kept);
bool dv_view_meshes_changed(dvSession *s);   // since the scene was read
json_t *dv_session_first_error(const dvSession *s);
// Messages of a check take the place of those of the one before; what was told already is not told again.
void dv_session_begin_check(dvSession *s);
void dv_session_end_check(dvSession *s);
void dv_session_forget_news(dvSession *s, const dvObject *o);   // of an object and what is below it
void dv_session_start_pace(dvSession *s);                       // real time counts from here
json_t *dv_session_status(const dvSession *s, const dvViewer *v);
// The editor's place: free, its own from before, or given up.
bool dv_session_may_edit(const dvSession *s, const dvViewer *v);
void dv_session_become_editor(dvSession *s, dvViewer *v);
void dv_session_forget_edits(dvSession *s);
// Takes an edit over for the next time the scene is read.
void dv_session_remember(dvSession *s, dvEdit edit);
// Reads the scene again with one more edit and goes on where it was: positions, velocities and time are kept. When that
// does not work everything is as before and the reason is returned.
json_t *dv_session_edit(dvSession *s, dvEdit edit);

#endif
