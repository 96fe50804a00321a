// Components whose class is written in Python: the library calls methods of an instance.
#ifndef DIVAN_PYTHON_COMPONENT_H
#define DIVAN_PYTHON_COMPONENT_H

#include "graph.h"
#include "mechanics/component.h"

typedef enum Role { ROLE_CONTROLLER, ROLE_ENGINE, ROLE_FORCE, ROLE_MASS, ROLE_MAPPING } Role;

// What a component of any role has behind the struct of its role.
typedef struct Script {
  PyObject *self;   // the instance; the scene holds the reference
  Scene *scene;
  DV_ARRAY(unsigned char) state;   // what the instance remembers, as bytes
  bool stale;                      // of a mapping: `jacobian` belongs to other positions
  DV_ARRAY(double) jacobian;       // of a mapping without `jacobian`: rows of J by apply_jt
} Script;

typedef struct ScriptObject {
  dvObject base;
  Script script;
} ScriptObject;
typedef struct ScriptForce {
  dvForce force;
  Script script;
} ScriptForce;
typedef struct ScriptMass {
  dvMass mass;
  Script script;
} ScriptMass;
typedef struct ScriptMapping {
  dvMapping mapping;
  Script script;
} ScriptMapping;

Script *script_of(dvObject *o);
PyObject *script_instance(dvObject *o);   // new reference: the instance of a component in Python, else None
bool script_has(PyObject *self, const char *method);

// Entering Python from the library: the lock is taken, and changes of the graph are refused while `computing`.
typedef struct Visit {
  PyGILState_STATE lock;
  Script *script;
  dvObject *object;
  bool computing;
} Visit;
Visit script_enter(dvObject *o, bool computing);
void script_leave(Visit *v);   // an exception that is set stops what runs
// Calls a method with arguments as for Py_BuildValue; NULL, with an exception, when it fails.
PyObject *script_call(const Visit *v, const char *method, const char *format, ...);

// The tables of the roles (component_roles.c), and the hooks that find states.
extern const dvMassOps script_mass_ops;
void script_force_slots(dvForceOps *ops, PyObject *self);
void script_mapping_slots(dvMappingOps *ops, PyObject *self);

// It stands in another scene now; nothing happens to components that are not written in Python.
void script_rehome(dvObject *o, Scene *to);

PyObject *component_make(PyObject *module, PyObject *args);
PyObject *scene_send_event(PyObject *self, PyObject *args);

#endif
