/* Divan for host programs: load or build a scene, step it, read and write its states.
 *
 *   dvContext *divan = divan_create(0);
 *   dvScene *scene = divan_load(divan, "liver.scn");
 *   if (divan_init(scene) == DIVAN_OK)
 *     for (int i = 0; i < 100; i++) divan_step(scene, 0);
 *   size_t count; const double *x = divan_read(scene, "/Liver/dofs", "position", &count);
 *   divan_close(&scene);
 *   divan_destroy(&divan);
 *
 * A context owns its log, components and worker threads; contexts do not share anything, so several can be used side by
 * side, each from one thread at a time. Strings are UTF-8 and are copied. Pointers to values live until the next call
 * that changes the scene (step, set, reset, close). */
#ifndef DIVAN_DIVAN_H
#define DIVAN_DIVAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DIVAN_API __attribute__((visibility("default")))
#else
#define DIVAN_API
#endif

/* Moves when a host program must be compiled again. */
#define DIVAN_ABI 1

typedef struct dvContext dvContext;
typedef struct dvScene dvScene;

/* Results; the same numbers as the exit status of the command. */
enum { DIVAN_OK = 0, DIVAN_USAGE = 2, DIVAN_UNKNOWN_COMPONENT = 3, DIVAN_INPUT = 4, DIVAN_DIVERGED = 5 };

/* A message of the log: level 0 info, 1 note, 2 warning, 3 error. `file`, `path` (of the component) and `advice` may be
 * NULL, `line` 0. */
typedef struct divanMessage {
  int level;
  const char *file;
  int line;
  const char *path, *text, *advice;
} divanMessage;
typedef void (*divanListener)(void *user, const divanMessage *message);

DIVAN_API const char *divan_version(void);
DIVAN_API int divan_abi(void);

/* A context with all components. `threads` counts the caller; 0 takes the number of cores. */
DIVAN_API dvContext *divan_create(int threads);
DIVAN_API void divan_destroy(dvContext **context);
/* Sends messages to `listener` instead of printing warnings and errors to stderr; NULL silences them. */
DIVAN_API void divan_listen(dvContext *context, divanListener listener, void *user);
/* A directory to look for files in. */
DIVAN_API void divan_add_data_path(dvContext *context, const char *directory);
/* Loads a plugin: a file (with a slash or the ending .so), or a name that is looked for in the plugin directories.
 * Scenes load the plugins they require from these directories themselves. */
DIVAN_API void divan_add_plugin_path(dvContext *context, const char *directory);
DIVAN_API int divan_load_plugin(dvContext *context, const char *name);
/* How scenes that are loaded or made from now on run: "sofa" as SOFA does, its mistakes included, "none" without them,
 * whatever the scene's attribute `compat` and the environment variable DIVAN_COMPAT say. DIVAN_USAGE for another name.
 */
DIVAN_API int divan_set_compat(dvContext *context, const char *mode);
/* Scenes that are loaded from now on are read without components that do not exist and what cannot do without them;
 * warnings name each kind once: "left out: 11 x TYPE (why)". Otherwise they are DIVAN_UNKNOWN_COMPONENT. */
DIVAN_API void divan_set_skip_missing(dvContext *context, bool skip);

/* Reads a scene file, or a text as if it were one. NULL when no graph could be built; mistakes go to the log, and
 * divan_init returns the worst of them. */
DIVAN_API dvScene *divan_load(dvContext *context, const char *path);
DIVAN_API dvScene *divan_parse(dvContext *context, const char *text, size_t length);
/* An empty scene: only the root node, "/". */
DIVAN_API dvScene *divan_new(dvContext *context);
DIVAN_API void divan_close(dvScene **scene);

/* Building: a node below `parent` ("/" for the root), and a component in a node. `name` may be NULL. The results say
 * whether it worked; divan_init is called once, after everything is there. */
DIVAN_API int divan_add_node(dvScene *scene, const char *parent, const char *name);
DIVAN_API int divan_add(dvScene *scene, const char *node, const char *component, const char *name);
/* Sets a field from text as in a scene file (links included, before divan_init), or from numbers. After divan_init the
 * component is told of the change; one that it does not work with is refused with a message, and the field is as it
 * was. Links, and the lengths of lists of components that cannot follow, do not change any more then. `path` is that of
 * a component or node. */
DIVAN_API int divan_set(dvScene *scene, const char *path, const char *field, const char *text);
DIVAN_API int divan_set_reals(dvScene *scene, const char *path, const char *field, const double *values, size_t count);
DIVAN_API int divan_set_ints(dvScene *scene, const char *path, const char *field, const int32_t *values, size_t count);

DIVAN_API int divan_init(dvScene *scene);
/* One step; dt 0 takes the scene's. */
DIVAN_API int divan_step(dvScene *scene, double dt);
/* Back to the start: the same steps then give the same bits. Meshes that have changed while the scene ran are what they
 * were, with all that follows them. Fields that a program has set keep their values. */
DIVAN_API void divan_reset(dvScene *scene);
DIVAN_API double divan_time(const dvScene *scene);
/* Snapshots: everything that the next step depends on. A scene that was read from the same file, in this program or
 * another, goes on from there with the same bits; saving changes nothing. A snapshot that does not fit (of another
 * scene, of another version's layout, damaged) is refused with DIVAN_INPUT and a message that says what differs, and
 * the scene stays as it was. divan_save replaces the file by a complete one or not at all. Changes of meshes go with a
 * snapshot; restoring one that was taken before a change undoes it. */
DIVAN_API int divan_save(dvScene *scene, const char *path);
DIVAN_API int divan_restore(dvScene *scene, const char *path);
/* The same in memory. The bytes of divan_snapshot belong to the caller, who frees them with divan_free; NULL before
 * divan_init, and when it cannot be saved. */
DIVAN_API void *divan_snapshot(dvScene *scene, size_t *length);
DIVAN_API int divan_restore_snapshot(dvScene *scene, const void *bytes, size_t length);
/* Who touches whom after the last step: a pair of collision models, with the paths of both. `force` is the sum of what
 * acts along the normals, `since` the number of the step in which they began to touch, -1 when nothing answers their
 * contacts. */
typedef struct divanTouch {
  char path[2][256]; /* of the collision models, cut where they are longer */
  size_t contacts;   /* pairs of elements that touch */
  double force;      /* N */
  long since;
} divanTouch;
/* One contact of such a pair: an element and a point of each model, the unit vector from the first to the second, and
 * their distance less the contact distances (below 0 where they push). */
typedef struct divanContact {
  int element[2];
  double point[2][3], normal[3], distance;
} divanContact;
/* The index-th pair of models in contact, and the contact-th contact of that pair; false behind the last. */
DIVAN_API bool divan_touch(dvScene *scene, size_t index, divanTouch *out);
DIVAN_API bool divan_contact(dvScene *scene, size_t index, size_t contact, divanContact *out);
/* A hash of all positions and velocities, and of what else the next step depends on: equal for equal runs, whatever the
 * number of threads. */
DIVAN_API uint64_t divan_hash(dvScene *scene);

/* The numbers of a field without a copy: NULL when there is no such field of numbers. `count` (may be NULL) gets how
 * many there are. The pointer holds until the next call that changes the scene: divan_init, divan_step, divan_reset,
 * divan_close, a set, divan_write and divan_written, of whatever field. Read anew after each of them: an array may have
 * moved, and fields that nobody asked for in between may not be up to date. Calls that only read leave it as it is. A
 * library built with -DDIVAN_SANITIZE=address hands out copies and frees them then, so that a use that comes too late
 * is reported. */
DIVAN_API const double *divan_read(dvScene *scene, const char *path, const char *field, size_t *count);
DIVAN_API const int32_t *divan_read_ints(dvScene *scene, const char *path, const char *field, size_t *count);
/* The same for writing; call divan_written afterwards, so that what depends on it is updated. The number cannot change.
 * The pointer holds as long as one of divan_read. */
DIVAN_API double *divan_write(dvScene *scene, const char *path, const char *field, size_t *count);
DIVAN_API int divan_written(dvScene *scene, const char *path, const char *field);
/* A field as text; free it with divan_free. NULL when there is no such field. */
DIVAN_API char *divan_get(dvScene *scene, const char *path, const char *field);
DIVAN_API void divan_free(void *text);

/* The state for another thread: a picture, a haptic device, a recorder. After each step an outbox holds a copy of
 * chosen vectors, with time and number of the step; the vectors are named as in links, "/Liver/dofs.position"
 * (position, velocity, force, rest_position, ... of a state). One other thread reads it while the scene steps: what it
 * gets belongs to one step, and neither thread ever waits. Several readers have an outbox each.
 *
 * Opened after divan_init and closed by the thread that steps, between steps; the reader has ended when it is closed.
 * NULL when a name leads to no vector of a state. An outbox may outlive its scene, and keeps the last state then. */
typedef struct divanOutbox divanOutbox;
DIVAN_API divanOutbox *divan_outbox_open(dvScene *scene, const char *const *names, size_t count);
DIVAN_API void divan_outbox_close(divanOutbox **outbox);
/* For the reader: turns to the newest state; true when it is another one than before. `time` and `step` (steps done;
 * both may be NULL) are its. */
DIVAN_API bool divan_outbox_read(divanOutbox *outbox, double *time, long *step);
/* The numbers of the vector with this index in `names`, of the state that divan_outbox_read has turned to; they stay as
 * they are until it is called again. */
DIVAN_API const double *divan_outbox_values(const divanOutbox *outbox, size_t index, size_t *count);

/* What there is: components of the context by number, with their help; fields of one by number. NULL behind the last.
 */
DIVAN_API const char *divan_component(const dvContext *context, size_t index);
DIVAN_API const char *divan_component_help(const dvContext *context, const char *component);
DIVAN_API const char *divan_field(const dvContext *context, const char *component, size_t index);
DIVAN_API const char *divan_field_help(const dvContext *context, const char *component, const char *field);
/* Paths of the components of a scene in the order of the graph; free with divan_free. NULL behind the last. */
DIVAN_API char *divan_path(dvScene *scene, size_t index);

#ifdef __cplusplus
}
#endif

#endif
