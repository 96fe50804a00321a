// A context owns what would otherwise be global: log, registry, worker threads, data directories.
#ifndef DV_OBJECT_CONTEXT_H
#define DV_OBJECT_CONTEXT_H

#include "base/array.h"
#include "base/log.h"
#include "base/pool.h"
#include "object/object.h"
#include "object/vectors.h"

DV_PUBLIC_BEGIN

// Components that are known by name only: a module and its names, separated by spaces.
typedef struct dvAbsent {
  const char *module, *names;
} dvAbsent;

// Old names of components that today are something else; `note` says what, NULL for a plain rename.
typedef struct dvRename {
  const char *old_name, *name;
  const char *companion;   // a component that the old one contained and that is added when missing
  const char *note;
} dvRename;

typedef struct dvRegistry {
  DV_ARRAY(const dvClass *) classes;   // in the order of registration
  DV_ARRAY(const dvRename *) renames;
  DV_ARRAY(const dvAbsent *) absent;
  DV_ARRAY(const char *) modules;   // names that RequiredPlugin may give
  DV_ARRAY(void *) owned;           // classes made at run time, freed with the registry
} dvRegistry;

typedef struct dvLoadedPlugin {
  void *library;      // of dlopen
  const char *name;   // its own
  char *asked;        // what was asked for
} dvLoadedPlugin;

struct dvScene;
// Reads a scene that is a program: as dv_scene_read does (io/scene/scene_file.h).
typedef dvStatus (*dvScriptReader)(dvContext *context, const char *path, struct dvScene **out);

// How far the setting up of a scene is, for another thread that looks.
typedef struct dvProgress {
  _Atomic(const char *) doing;   // class of the component that is being initialised; NULL: the scene is being read
  atomic_size_t done, total;     // components
} dvProgress;

struct dvContext {
  dvLog log;
  dvMemory memory;   // what works for its scenes enters it (dv_memory_enter)
  dvRegistry registry;
  dvPool *pool;
  dvVectors vectors;
  DV_ARRAY(char *) data_paths;
  DV_ARRAY(char *) plugin_paths;      // where RequiredPlugin finds plugins by name
  DV_ARRAY(dvLoadedPlugin) plugins;   // see control/plugin.h
  DV_ARRAY(char *) file_names;        // interned: a dvPlace may point here
  struct dvTimers *timers;
  atomic_ullong moves;   // changes of fields and links so far: while none comes, what was up to date is
  dvCompatMode compat;   // of the objects that are made now
  dvCompatMode compat_choice;
  bool compat_chosen;     // by the program: scenes and the environment do not change it
  bool realtime;          // work that runs beside the steps is used when it is ready, not after a fixed number of them
  bool emulate_devices;   // what hands hold is emulated, whatever is connected
  bool skip_missing;      // scenes are read without the components that do not exist
  int spare_fields;       // objects that are made now have room for so many fields that a program adds later
  dvProgress *progress;   // of who wants to know, else NULL
  dvScriptReader read_script;   // for scenes that end with .py; NULL: they are refused, nothing of them runs
  void (*listener)(void);       // of a host program (app/embed.c)
  void *listener_user;
};

dvContext *dv_context_create(int threads);
void dv_context_destroy(dvContext **context);
// DV_OK, or an error in the log when memory has run short since the scene was begun.
dvStatus dv_context_check_memory(dvContext *context);
void dv_context_add_data_path(dvContext *context, const char *directory);
void dv_context_add_plugin_path(dvContext *context, const char *directory);
const char *dv_context_intern(dvContext *context, const char *file_name);
// Finds a file: absolute, next to `beside` (a file, may be NULL), in the data paths, in DIVAN_PATH.
// NULL when it is nowhere; then `advice` (may be NULL) proposes a similar name. The caller frees the result.
char *dv_context_find_file(const dvContext *context, const char *name, const char *beside, dvText *advice);

void dv_registry_add(dvRegistry *r, const dvClass *cls);
void dv_registry_add_rename(dvRegistry *r, const dvRename *rename);
void dv_registry_add_absent(dvRegistry *r, const dvAbsent *absent);
void dv_registry_add_module(dvRegistry *r, const char *name);
// By name or alias; NULL when there is none.
const dvClass *dv_registry_find(const dvRegistry *r, const char *name);
const char *dv_registry_absent_from(const dvRegistry *r,
                                    const char *name);   // the module, or NULL when it is not known
const dvRename *dv_registry_find_rename(const dvRegistry *r, const char *name);
// The nearest name that exists, or NULL.
const char *dv_registry_nearest(const dvRegistry *r, const char *name);
bool dv_registry_knows_module(const dvRegistry *r, const char *name);

DV_PUBLIC_END

#endif
