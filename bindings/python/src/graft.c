// Nodes and components that go from one scene to another. Scripts for SOFA make nodes and components that stand nowhere
// and put them into a graph later: each has a scene of its own until then. Handles stay valid.
#include "accessors.h"
#include "component.h"
#include "pins.h"

#include "scene/names.h"

static bool may_leave(Scene *from, Scene *to)
{
  if (!may_change(from) || !may_change(to) || !scene_use(from) || !scene_use(to)) return false;
  if (from->context != to->context) {
    PyErr_SetString(PyExc_ValueError, "it belongs to another context");
    return false;
  }
  return true;
}

static bool has_not_begun(const Scene *from, const dvObject *o)
{
  if (!from->scene->initialised && !o->initialised) return true;
  PyErr_Format(PyExc_RuntimeError, "%s was initialised where it stands: it cannot go elsewhere any more", o->name);
  return false;
}

// --- links that would lead out of a scene ----------------------------------------------------------

static bool leads_out(const dvObject *target, const dvScene *scene)
{
  const dvNode *node = dv_plays(target, DV_ROLE_NODE) ? (const dvNode *)target : target->node;
  return !node || node->scene != scene;
}

static void cut_link(dvLink *link, const dvScene *scene)
{
  if (link->target && leads_out(link->target, scene)) link->target = NULL;
}

// The texts of links stay: they are looked up again when the scene is initialised.
static void cut_links(dvObject *o, const dvScene *scene)
{
  for (int i = 0; i < o->field_count; i++) {
    dvField *f = &o->fields[i];
    if (f->source && leads_out(f->source->owner, scene)) dv_field_unlink(f);
    if (f->desc->type == DV_T_LINK) cut_link(f->value, scene);
    if (f->desc->type != DV_T_LINKS) continue;
    dvLinks *links = f->value;
    for (size_t k = 0; k < links->count; k++) cut_link(&links->data[k], scene);
  }
}

static dvWalk cut_node(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  cut_links(&node->base, node->scene);
  for (size_t i = 0; i < node->objects.count; i++) cut_links(node->objects.data[i], node->scene);
  return DV_WALK_ON;
}

static void cut_all(dvScene *scene)
{
  dvVisitor v = {.top_down = cut_node, .everything = true};
  dv_visit(scene->root, &v);
  scene->version++;
}

// --- moving ----------------------------------------------------------------------------------------

typedef struct Move {
  dvVisitor visitor;
  Scene *to;
} Move;

static void arrive(dvObject *o, Scene *to)
{
  o->as_sofa = to->scene->root->base.as_sofa;
  handle_rehome(o, to);
  script_rehome(o, to);
}

static dvWalk move_node(dvVisitor *v, dvNode *node)
{
  Scene *to = ((Move *)v)->to;
  node->scene = to->scene;
  arrive(&node->base, to);
  for (size_t i = 0; i < node->objects.count; i++) arrive(node->objects.data[i], to);
  return DV_WALK_ON;
}

static void move_tree(dvNode *node, Scene *to)
{
  Move move = {{.top_down = move_node, .everything = true}, to};
  dv_visit(node, &move.visitor);
  if (to->scene->initialised) to->pending = true;
}

static bool two_handles(PyObject *args, PyObject **where, PyObject *type, PyObject **what)
{
  return PyArg_ParseTuple(args, "O!O!", (PyTypeObject *)type_node, where, (PyTypeObject *)type, what);
}

// _take(node, object): the component stands in the node from here on
PyObject *graft_take(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *where, *what;
  if (!two_handles(args, &where, type_object, &what)) return NULL;
  dvNode *node = node_use(where);
  dvObject *o = node ? handle_use(what) : NULL;
  if (!o) return NULL;
  Scene *to = ((Handle *)where)->scene, *from = (Scene *)Py_NewRef((PyObject *)((Handle *)what)->scene);
  bool good = o->node == node || (may_leave(from, to) && has_not_begun(from, o));
  if (good && o->node != node && from->scene->loop == o) {
    PyErr_SetString(PyExc_ValueError, "the animation loop cannot be taken out");
    good = false;
  }
  if (good && o->node != node) {
    dv_node_remove(o->node, o);
    dv_node_add(node, o);
    if (from != to) {
      arrive(o, to);
      cut_all(from->scene);
      cut_links(o, to->scene);
    }
    if (to->scene->initialised) to->pending = true;
  }
  Py_DECREF((PyObject *)from);
  return good ? Py_NewRef(Py_None) : NULL;
}

// _graft(parent, root): the graph of another scene comes below a node; that scene is empty afterwards
PyObject *graft_graft(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *where, *what;
  if (!two_handles(args, &where, type_node, &what)) return NULL;
  dvNode *parent = node_use(where), *node = parent ? node_use(what) : NULL;
  if (!node) return NULL;
  Scene *to = ((Handle *)where)->scene, *from = (Scene *)Py_NewRef((PyObject *)((Handle *)what)->scene);
  bool good = from != to && may_leave(from, to) && has_not_begun(from, &node->base);
  if (!good && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the node belongs to this scene already");
  if (good && node != from->scene->root) {
    PyErr_Format(PyExc_ValueError, "%s stands in another scene: take it out of there first", node->base.name);
    good = false;
  }
  if (good && (size_t)dv_node_depth(parent) + 1 >= DV_DEPTH_LIMIT) {
    PyErr_SetString(PyExc_ValueError, "the graph would be too deep");
    good = false;
  }
  if (good) {
    Pins pins = {0};
    pins_take(&pins, node);
    move_tree(node, to);
    dvScene *other = from->scene;
    from->scene = NULL;
    dv_scene_adopt(parent, &other);
    to->scene->version++;
    pins_keep(&pins);
  }
  Py_DECREF((PyObject *)from);
  return good ? Py_NewRef(Py_None) : NULL;
}

static void leave_parent(dvNode *node)
{
  dvNode *parent = node->parents.data[0];
  for (size_t i = 0; i < parent->children.count; i++)
    if (parent->children.data[i] == node) {
      dv_array_remove(&parent->children, i);
      break;
    }
  node->parents.count = 0;
  dv_names_free(&parent->child_names);
  for (size_t i = 0; i < parent->children.count; i++)
    dv_names_add(&parent->child_names, &parent->children.data[i]->base);
}

// _release(node, scene): a node with one parent becomes the root of an empty scene
PyObject *graft_release(PyObject *module, PyObject *args)
{
  DV_UNUSED(module);
  PyObject *what, *where;
  if (!PyArg_ParseTuple(args, "O!O!", (PyTypeObject *)type_node, &what, (PyTypeObject *)type_scene, &where))
    return NULL;
  dvNode *node = node_use(what);
  Scene *to = (Scene *)where;
  if (!node) return NULL;
  Scene *from = (Scene *)Py_NewRef((PyObject *)((Handle *)what)->scene);
  bool good = from != to && may_leave(from, to) && has_not_begun(from, &node->base);
  if (good && (node->parents.count != 1 || to->scene->root->children.count || to->scene->root->objects.count)) {
    PyErr_SetString(PyExc_ValueError, "a node with one parent and an empty scene are wanted");
    good = false;
  }
  if (good) {
    Pins pins = {0};
    pins_take(&pins, from->scene->root);
    leave_parent(node);
    dvNode *old = to->scene->root;
    handle_forget(&old->base);
    to->scene->root = node;
    move_tree(node, to);
    dvObject *gone = &old->base;
    dv_object_destroy(&gone);
    cut_all(from->scene);
    cut_all(to->scene);
    pins_keep(&pins);
  }
  Py_DECREF((PyObject *)from);
  if (!good && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the node belongs to this scene already");
  return good ? Py_NewRef(Py_None) : NULL;
}
