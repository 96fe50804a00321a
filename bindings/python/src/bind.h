// The Python module: what its files share.
//
// Objects of Python are handles on those of the library. A handle keeps its scene; the component tells its handle when
// it is destroyed (a belonging), so that a handle never leads to memory that is gone. A scene and its context are used
// by one thread at a time: who comes meanwhile gets RuntimeError, or waits where it is the turn of a viewer (viewer.h).
#ifndef DIVAN_PYTHON_BIND_H
#define DIVAN_PYTHON_BIND_H

// 3.11: the first whose stable interface has the buffer protocol, and the one that Debian 12 brings
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "divan/divan.h"
#include "scene/node.h"

#include <pthread.h>

// A message of the log, copied: it may come from any thread, without the interpreter's lock.
typedef struct Note {
  int level, line;
  dvStatus status;
  char *file, *path, *text, *advice;
} Note;

typedef struct Viewer Viewer;
typedef struct dvSession dvSession;

typedef struct Context {
  PyObject_HEAD dvContext *context;
  DV_ARRAY(Note) notes;             // under the lock of the log
  unsigned long owner;              // thread that uses it now; 0 for none
  int depth;                        // how often that thread has entered
  int visits;                       // callbacks that run
  int computing;                    // callbacks of forces, masses and mappings that run
  PyObject *failure;                // exception of a callback that stops what runs; NULL for none
  bool borrowed;                    // it belongs to the command
  DV_ARRAY(void *) classes;         // of components written in Python; the registry owns them
  DV_ARRAY(PyObject *) types;       // of their instances, held
  pthread_mutex_t turn;             // held by a viewer while it has its turn
  bool viewing;                     // it is the turn of a viewer
  int waiting;                      // threads that wait for its end
  DV_ARRAY(dvSession *) sessions;   // of viewers, which hear the messages too
  PyObject *weak;
} Context;

typedef struct Scene {
  PyObject_HEAD Context *context;
  dvScene *scene;                    // NULL when it is closed
  DV_ARRAY(PyObject *) components;   // instances of Python classes that stand in it
  PyObject *before, *after, *messages, *on_message;
  PyObject *keep;   // dict of the instance
  int writing;      // writable views that are open
  bool borrowed;    // it belongs to the command
  bool started;     // initialisation was tried
  bool stepping;    // a step or its initialisation runs
  bool skip;        // it was read without what does not exist
  Viewer *viewer;   // that shows it, or NULL; it holds the scene
  bool pending;     // something has come since it was initialised
  PyObject *weak;
} Scene;

typedef struct Handle Handle;

// Goes with the object of the library. The handle may be gone before, or the object.
typedef struct Tie {
  dvBelonging belonging;
  Handle *handle;
} Tie;

// A node or component.
struct Handle {
  PyObject_HEAD Scene *scene;
  dvObject *object;   // NULL when it is destroyed
  Tie *tie;
  bool removed;   // taken out of the graph
  PyObject *weak;
};

typedef struct FieldHandle {
  PyObject_HEAD Handle *owner;
  int index;
  PyObject *weak;
} FieldHandle;

extern PyObject *type_context, *type_scene, *type_node, *type_object, *type_field, *type_array;
extern PyObject *error_scene, *warning_scene, *type_message;   // classes of divan/_base.py, set when it is imported
extern PyObject *writing_class;                                // context manager of Field.writable
extern PyObject *numpy_wrap;                                   // callable that makes a numpy array of an Array, or NULL

// --- context.c ---
// Enters: false with an exception when another thread uses it. Leaves are counted.
bool context_enter(Context *c);
void context_leave(Context *c);
// Whether nobody else uses it; waits for the end of a viewer's turn.
bool context_is_mine(Context *c);
// What was sent since the last call: kept in scene->messages, warnings told, and, when `status` is not DV_OK or a
// callback has failed, an exception. `scene` may be NULL. Returns false with an exception set.
bool context_tell(Context *c, Scene *scene, dvStatus status, const char *what);
Context *context_wrap(dvContext *context);
// An exception is set: it stops what runs, and is raised where that was started.
void context_fail(Context *c, const dvObject *o);
void context_fresh(Context *c);   // forgets what an earlier call has left in the log
bool context_add_type(PyObject *module);

// --- scene.c ---
bool scene_add_type(PyObject *module);
dvScene *scene_use(Scene *s);   // NULL with an exception when it is closed
Scene *scene_wrap(dvScene *scene, Context *context, bool borrowed);
PyObject *scene_find(Scene *s, dvObject *from, const char *path);

// --- handle.c ---
bool handle_add_types(PyObject *module);
PyObject *handle_of(Scene *s, dvObject *o);   // new reference, always the same for the same object
dvObject *handle_use(PyObject *self);         // NULL with an exception when it was removed
bool is_handle(PyObject *o);
dvPlace calling_place(dvContext *context);
PyObject *text_of(const char *s);                  // None for NULL
void list_take(PyObject **list, PyObject *item);   // adds an item and gives it up; without one, the list goes

// --- field.c ---
bool field_add_type(PyObject *module);
PyObject *field_handle(Handle *owner, const dvField *f);
dvField *field_use(PyObject *self);
PyObject *field_value(Handle *owner, dvField *f);
bool field_assign(Handle *owner, dvField *f, PyObject *value);
bool field_link_to(Handle *owner, dvField *f, PyObject *target);

// --- convert.c ---
// A list of numbers out of whatever holds them: buffers, nested sequences, single numbers. `columns` gets the length of
// the rows, 0 when it is flat.
bool numbers_from(PyObject *value, dvReals *out, Py_ssize_t *columns);
// What a value is as text of a scene file; new reference to a str.
PyObject *value_as_text(PyObject *value);
bool value_is_typed(PyObject *value);   // numbers in rows: better not written as text

// --- array.c ---
bool array_add_type(PyObject *module);
// Rows of numbers that are held by count. `field` may be NULL.
PyObject *array_of_reals(const dvReals *r, PyObject *field, bool writable);
PyObject *array_of_ints(const dvInts *r, PyObject *field, bool writable);
PyObject *array_fresh(const double *data, size_t rows, size_t columns);   // a copy; columns 0: flat
PyObject *array_fresh_ints(const int32_t *data, size_t rows, size_t columns);
PyObject *array_wrap(PyObject *array);   // as numpy array where that is installed; steals the reference

#endif
