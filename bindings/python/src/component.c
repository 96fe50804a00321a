// Components written in Python: their classes, events, life and memory. See component.h.
#include "component.h"

#include "object/compat.h"

#include <string.h>

// A class of the library for a class of Python. It lives as long as the context.
typedef struct ScriptClass {
  dvClass cls;
  Role role;
  const void *type;   // of the instances; compared only
  dvForceOps force;
  dvMappingOps mapping;
} ScriptClass;

Script *script_of(dvObject *o)
{
  switch (((const ScriptClass *)o->cls)->role) {
  case ROLE_FORCE:
    return &((ScriptForce *)o)->script;
  case ROLE_MASS:
    return &((ScriptMass *)o)->script;
  case ROLE_MAPPING:
    return &((ScriptMapping *)o)->script;
  default:
    return &((ScriptObject *)o)->script;
  }
}

bool script_has(PyObject *self, const char *method)
{
  PyObject *m = PyObject_GetAttrString((PyObject *)Py_TYPE(self), method);
  const bool has = m && PyCallable_Check(m);
  Py_XDECREF(m);
  PyErr_Clear();
  return has;
}

static void script_destroy(dvObject *o);

PyObject *script_instance(dvObject *o)
{
  return Py_NewRef(o->cls->destroy == script_destroy && script_of(o)->self ? script_of(o)->self : Py_None);
}

// --- calls ---------------------------------------------------------------------------------------

Visit script_enter(dvObject *o, bool computing)
{
  Visit v = {PyGILState_Ensure(), script_of(o), o, computing};
  v.script->scene->context->visits++;
  if (computing) v.script->scene->context->computing++;
  return v;
}

void script_leave(Visit *v)
{
  Context *c = v->script->scene->context;
  c->visits--;
  if (v->computing) c->computing--;
  if (PyErr_Occurred()) context_fail(c, v->object);
  PyGILState_Release(v->lock);
}

PyObject *script_call(const Visit *v, const char *method, const char *format, ...)
{
  PyObject *function = PyObject_GetAttrString(v->script->self, method);
  if (!function) return NULL;
  PyObject *args = NULL, *result = NULL;
  if (*format) {
    va_list list;
    va_start(list, format);
    args = Py_VaBuildValue(format, list);
    va_end(list);
    if (args && !PyTuple_Check(args)) {
      PyObject *one = PyTuple_New(1);
      if (one) PyTuple_SetItem(one, 0, args);
      args = one;
    }
  } else {
    args = PyTuple_New(0);
  }
  if (args) result = PyObject_Call(function, args, NULL);
  Py_XDECREF(args);
  Py_DECREF(function);
  return result;
}

// --- life ----------------------------------------------------------------------------------------

static dvStatus hook(dvObject *o, const char *method)
{
  Visit v = script_enter(o, false);
  dvStatus status = DV_OK;
  if (v.script->self && script_has(v.script->self, method)) {
    PyObject *done = script_call(&v, method, "");
    if (!done) status = DV_ERROR_INPUT;
    Py_XDECREF(done);
  }
  script_leave(&v);
  return status;
}

static dvStatus script_link(dvObject *o) { return hook(o, "link"); }

static dvStatus script_init(dvObject *o)
{
  const Role role = ((const ScriptClass *)o->cls)->role;
  if (role == ROLE_FORCE) DV_TRY(dv_force_init(o));
  if (role == ROLE_MASS) DV_TRY(dv_mass_init(o));
  return hook(o, "init");
}

static dvStatus mapping_link(dvObject *o)
{
  DV_TRY(dv_mapping_init_multi(o));
  return hook(o, "link");
}

static dvStatus script_bwd_init(dvObject *o) { return hook(o, "bwd_init"); }
static dvStatus script_reinit(dvObject *o) { return hook(o, "reinit"); }
static void script_store_reset(dvObject *o) { hook(o, "store_reset"); }
static void script_cleanup(dvObject *o) { hook(o, "cleanup"); }

static void script_destroy(dvObject *o)
{
  Script *s = script_of(o);
  dv_array_free(&s->state);
  dv_array_free(&s->jacobian);
}

// an engine sets its outputs: they count as made by it, not as given by the scene
static dvStatus script_update(dvObject *o)
{
  const dvStatus status = hook(o, "update");
  for (int i = 0; i < o->field_count; i++)
    if (o->fields[i].desc->flags & DV_OUTPUT) o->fields[i].edited = o->fields[i].was_set = false;
  return status;
}

static void script_remember(dvObject *o, dvMemoryStream *stream)
{
  Script *s = script_of(o);
  if (!dv_memory_restores(stream)) {
    Visit v = script_enter(o, false);
    PyObject *bytes = s->self && script_has(s->self, "save_state") ? script_call(&v, "save_state", "") : NULL;
    char *data;
    Py_ssize_t length;
    if (bytes && PyBytes_AsStringAndSize(bytes, &data, &length) == 0) {
      dv_array_resize(&s->state, (size_t)length);
      if (length) memcpy(s->state.data, data, (size_t)length);
    }
    Py_XDECREF(bytes);
    script_leave(&v);
  }
  dv_remember_array(stream, "state", &s->state);
}

static bool script_restored(dvObject *o)
{
  Visit v = script_enter(o, false);
  Script *s = v.script;
  bool good = true;
  PyObject *self = s->self;
  if (self && script_has(self, "load_state")) {
    PyObject *bytes = PyBytes_FromStringAndSize((char *)s->state.data, (Py_ssize_t)s->state.count);
    PyObject *done = bytes ? script_call(&v, "load_state", "(O)", bytes) : NULL;
    good = done != NULL;
    Py_XDECREF(done);
    Py_XDECREF(bytes);
  }
  if (good && self && script_has(self, "restored")) {
    PyObject *done = script_call(&v, "restored", "");
    good = done != NULL;
    Py_XDECREF(done);
  }
  script_leave(&v);
  return good;
}

static void script_end_step(dvObject *o) { hook(o, "end_step"); }

// --- events --------------------------------------------------------------------------------------

// what scene.send gives to components in Python
typedef struct Parcel {
  const char *mark, *kind;
  PyObject *value;
} Parcel;
static const char parcel_mark[] = "divan.python";

static PyObject *event_data(const dvEvent *e, const char **kind)
{
  static const char *const names[] = {[DV_EVENT_ANIMATE_BEGIN] = "AnimateBegin",
                                      [DV_EVENT_ANIMATE_END] = "AnimateEnd",
                                      [DV_EVENT_COLLISION_BEGIN] = "CollisionBegin",
                                      [DV_EVENT_COLLISION_END] = "CollisionEnd",
                                      [DV_EVENT_INTEGRATE_BEGIN] = "IntegrateBegin",
                                      [DV_EVENT_INTEGRATE_END] = "IntegrateEnd",
                                      [DV_EVENT_KEY] = "KeyPressed",
                                      [DV_EVENT_MOUSE] = "Mouse",
                                      [DV_EVENT_PAUSE] = "Pause",
                                      [DV_EVENT_USER] = "User",
                                      [DV_EVENT_INIT_DONE] = "SimulationInit",
                                      [DV_EVENT_CONSTRAINTS_BUILT] = "BuildConstraintSystemEnd",
                                      [DV_EVENT_CONSTRAINTS_SOLVED] = "SolveConstraintSystemEnd"};
  static const char *const buttons[] = {"move", "left", "right", "middle", "wheel"};
  *kind = (size_t)e->kind < DV_COUNT(names) ? names[e->kind] : "User";
  if (e->kind == DV_EVENT_KEY) {
    if (e->released) *kind = "KeyReleased";
    return Py_BuildValue("{s:C,s:i}", "key", e->key > 0 && e->key < 0x110000 ? e->key : '?', "code", e->key);
  }
  if (e->kind == DV_EVENT_MOUSE)
    return Py_BuildValue("{s:s,s:O,s:i,s:i,s:i}", "button", buttons[e->mouse % 5], "released",
                         e->released ? Py_True : Py_False, "x", e->x, "y", e->y, "wheel", e->wheel);
  const Parcel *p = e->data;
  if (e->kind == DV_EVENT_USER && p && p->mark == parcel_mark) {
    *kind = p->kind;
    return Py_NewRef(p->value);
  }
  return Py_BuildValue("{s:d}", "dt", e->dt);
}

static void script_handle_event(dvObject *o, const dvEvent *e)
{
  Script *script = script_of(o);
  if (script->scene->context->failure && e->kind != DV_EVENT_USER) return;   // the step has ended for Python
  const bool inside = e->kind == DV_EVENT_CONSTRAINTS_BUILT || e->kind == DV_EVENT_CONSTRAINTS_SOLVED;
  Visit v = script_enter(o, inside);
  Scene *s = v.script->scene;
  const char *kind;
  PyObject *data = event_data(e, &kind);
  PyObject *done = data ? script_call(&v, "on_event", "sO", kind, data) : NULL;
  Py_XDECREF(done);
  Py_XDECREF(data);
  if (done && s->pending && s->scene->initialised) initialise_more(s);
  script_leave(&v);
}

// scene.send(kind, value): an event to all components that listen
PyObject *scene_send_event(PyObject *self, PyObject *args)
{
  Scene *s = (Scene *)self;
  const char *kind;
  PyObject *value = Py_None;
  if (!PyArg_ParseTuple(args, "s|O:send", &kind, &value)) return NULL;
  dvScene *scene = scene_use(s);
  if (!scene || !context_enter(s->context)) return NULL;
  Parcel parcel = {parcel_mark, kind, value};
  dvEvent e = {.kind = DV_EVENT_USER, .data = &parcel};
  if (strcmp(kind, "KeyPressed") == 0 || strcmp(kind, "KeyReleased") == 0) {
    Py_ssize_t length = 0;
    const char *key = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    e = (dvEvent){.kind = DV_EVENT_KEY, .released = kind[3] == 'R'};
    e.key = key && length ? (int)(unsigned char)key[0] : PyLong_Check(value) ? (int)PyLong_AsLong(value) : 0;
  }
  const bool stepping = s->stepping;
  s->stepping = true;
  s->context->context->log.recent = DV_OK;
  dv_scene_refresh(scene);
  Py_BEGIN_ALLOW_THREADS dv_scene_send(scene, &e);
  Py_END_ALLOW_THREADS s->stepping = stepping;
  context_leave(s->context);
  return context_tell(s->context, s, s->context->context->log.recent, "the event failed") ? Py_NewRef(Py_None) : NULL;
}

// --- classes -------------------------------------------------------------------------------------

static void fill_role(ScriptClass *c, PyObject *self)
{
  static const dvDofPair any[] = {{DV_DOF_ALL, 0, DV_DOF_ALL}, {0, 0, 0}};
  dvClass *cls = &c->cls;
  switch (c->role) {
  case ROLE_FORCE:
    cls->blocks[1] = &dv_force_block;
    cls->size = sizeof(ScriptForce);
    cls->dofs = DV_DOF_ALL;
    script_force_slots(&c->force, self);
    cls->ops[DV_ROLE_FORCE] = &c->force;
    break;
  case ROLE_MASS:
    cls->blocks[1] = &dv_mass_block;
    cls->size = sizeof(ScriptMass);
    cls->dofs = DV_DOF_ALL;
    cls->ops[DV_ROLE_MASS] = &script_mass_ops;
    break;
  case ROLE_MAPPING:
    cls->blocks[1] = &dv_mapping_block;
    cls->size = sizeof(ScriptMapping);
    cls->dofs = cls->dofs_out = DV_DOF_ALL;
    cls->pairs = any;
    cls->link = mapping_link;
    script_mapping_slots(&c->mapping, self);
    cls->ops[DV_ROLE_MAPPING] = &c->mapping;
    break;
  case ROLE_ENGINE:
    cls->roles = DV_PLAYS(DV_ROLE_ENGINE);
    cls->update = script_update;
    break;
  default:
    cls->roles = DV_PLAYS(DV_ROLE_CONTROLLER);
  }
}

static const dvClass *class_for(Context *owner, PyObject *self, Role role, const char *name, const char *help)
{
  dvContext *context = owner->context;
  PyObject *type = (PyObject *)Py_TYPE(self);
  for (size_t i = 0; i < owner->classes.count; i++) {
    const ScriptClass *c = owner->classes.data[i];
    if (c->type == type && c->role == role && dv_same(c->cls.name, name)) return &c->cls;
  }
  ScriptClass *c = dv_alloc(sizeof *c);
  c->role = role;
  c->type = type;
  c->cls = (dvClass){.struct_size = sizeof(dvClass),
                     .name = dv_context_intern(context, name),
                     .help = dv_context_intern(context, help),
                     .module = "Python",
                     .size = sizeof(ScriptObject),
                     .blocks = {&dv_object_block},
                     .link = script_link,
                     .init = script_init,
                     .bwd_init = script_bwd_init,
                     .reinit = script_reinit,
                     .store_reset = script_store_reset,
                     .cleanup = script_cleanup,
                     .destroy = script_destroy,
                     .restored = script_restored};
  if (script_has(self, "save_state")) c->cls.remember = script_remember;
  if (script_has(self, "on_event")) c->cls.handle_event = script_handle_event;
  if (script_has(self, "end_step")) c->cls.end_step = script_end_step;
  fill_role(c, self);
  dv_push(&owner->types, Py_NewRef(type));   // its address stands for it as long as the context lives
  dv_push(&context->registry.owned, (void *)c);
  dv_push(&owner->classes, (void *)c);
  return &c->cls;
}

static Role role_named(const char *name)
{
  static const char *const names[] = {"controller", "engine", "force", "mass", "mapping"};
  for (int i = 0; i < (int)DV_COUNT(names); i++)
    if (strcmp(names[i], name) == 0) return (Role)i;
  return ROLE_CONTROLLER;
}

// _component(node, instance, role, class name, name, help) -> Object
PyObject *component_make(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *where, *self;
  const char *role, *type, *name, *help, *template = NULL;
  if (!PyArg_ParseTuple(args, "O!Osszs|z", (PyTypeObject *)type_node, &where, &self, &role, &type, &name, &help,
                        &template))
    return NULL;
  dvNode *node = node_use(where);
  Scene *s = ((Handle *)where)->scene;
  if (!node || !may_change(s)) return NULL;
  dvContext *context = s->context->context;
  const char *note;
  const dvDof *given = template ? dv_dof_parse(template, &note) : NULL;
  if (template && !given) return PyErr_Format(PyExc_ValueError, "the template '%s' is not known", template);
  const dvClass *cls = class_for(s->context, self, role_named(role), type, help);
  dvObject *state = dv_node_state_up(node);
  context->compat = s->scene->root->base.as_sofa ? DV_COMPAT_SOFA : DV_COMPAT_NONE;
  const dvDof *dof = given ? given : state ? state->dof : dv_dof(DV_VEC3);
  dvObject *o = dv_object_create(context, cls, name ? name : "", cls->dofs ? dof : NULL);
  if (given) o->template_text = dv_strdup(template);
  o->place = calling_place(context);
  Script *script = script_of(o);
  script->scene = s;
  dv_push(&s->components, Py_NewRef(self));
  script->self = self;
  if (name) dv_attribute_add(&o->attributes, "name", name, o->place);
  o->listening = true;
  dv_node_add(node, o);
  if (s->scene->initialised) s->pending = true;
  return handle_of(s, o);
}

void script_rehome(dvObject *o, Scene *to)
{
  if (o->cls->destroy != script_destroy) return;
  Script *script = script_of(o);
  Scene *from = script->scene;
  if (from == to || !script->self) return;
  for (size_t i = 0; i < from->components.count; i++)
    if (from->components.data[i] == script->self) {
      dv_array_remove(&from->components, i);
      dv_push(&to->components, script->self);
      break;
    }
  script->scene = to;
}
