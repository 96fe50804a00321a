// CarvingManager: what a tool comes close to is removed.
//
// After a step the contacts between the tool and the surfaces are looked at. Where a distance, less the contact
// distances, is below carvingDistance, the element of the surface goes: with it the volume element that it is the
// border of, in the topology at the top of the topological mappings.
#include "collision/collision.h"
#include "topology/change/modifier.h"
#include "topology/mapping/live.h"

#define CARVING_FIELDS(X)                                                                                       \
  X(link, toolModel, "", "",                                                                                    \
    "collision model of the tool; by default one with the tag CarvingTool, or the one of "                      \
    "the node",                                                                                                 \
    .alias = "modelTool toolModelPath", .role = DV_ROLE_COLLISION_MODEL)                                        \
  X(link, surfaceModelPath, "", "",                                                                             \
    "collision model to carve; by default those with the tag CarvingSurface, or all that can be carved",        \
    .alias = "modelSurface", .role = DV_ROLE_COLLISION_MODEL)                                                   \
  X(link, narrowPhaseDetection, "", "", "no effect: contacts of all pipelines are looked at", .flags = DV_IDLE) \
  X(real, carvingDistance, "0", "m", "distance, less the contact distances, below which elements are removed",  \
    .alias = "penetration")                                                                                     \
  X(bool, active, "0", "", "carve")                                                                             \
  X(string, key, "1", "", "carve as long as this key is held")                                                  \
  X(string, keySwitch, "4", "", "key that switches carving on and off")                                         \
  X(bool, mouseEvent, "1", "", "carve as long as the middle button of the mouse is held")                       \
  X(bool, omniEvent, "1", "", "no effect: there is no such device", .flags = DV_IDLE)                           \
  X(string, activatorName, "button1", "", "no effect: there are no events of scripts", .flags = DV_IDLE)

typedef struct Carving {
  dvObject base;
  CARVING_FIELDS(DV_MEMBER)
  const dvCollisionModel *tool;
} Carving;

#define SELF Carving
static const dvFieldDesc carving_fields[] = {CARVING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc carving_memory[] = {DV_REMEMBER(numbers, active)};
#undef SELF

static bool has_tag(const dvObject *o, const char *tag)
{
  for (size_t i = 0; i < o->tags.count; i++)
    if (dv_same(o->tags.data[i], tag)) return true;
  return false;
}

static dvObject *find_tagged(const dvNode *node, const char *tag)
{
  for (size_t i = 0; i < node->objects.count; i++)
    if (dv_plays(node->objects.data[i], DV_ROLE_COLLISION_MODEL) && has_tag(node->objects.data[i], tag))
      return node->objects.data[i];
  for (size_t i = 0; i < node->children.count; i++) {
    dvObject *found = find_tagged(node->children.data[i], tag);
    if (found) return found;
  }
  return NULL;
}

static dvStatus carving_init(dvObject *o)
{
  Carving *c = (Carving *)o;
  const dvNode *root = o->node->scene->root;
  dvObject *tool = c->toolModel.target;
  if (!tool && !c->toolModel.path) tool = find_tagged(root, "CarvingTool");
  if (!tool && !c->toolModel.path) tool = dv_node_find(o->node, DV_ROLE_COLLISION_MODEL);
  if (!tool)
    return dv_error(o, "give toolModel=\"@path\", or a collision model the tag CarvingTool",
                    "CarvingManager finds no collision model to carve with");
  c->tool = (const dvCollisionModel *)tool;
  return DV_OK;
}

// may it be carved?
static bool is_surface(const Carving *c, const dvCollisionModel *m)
{
  if (m == c->tool || !m->mesh || (m->shape != DV_SHAPE_TRIANGLE && m->shape != DV_SHAPE_TETRAHEDRON)) return false;
  if (c->surfaceModelPath.target) return c->surfaceModelPath.target == &m->base;
  bool tagged = find_tagged(c->base.node->scene->root, "CarvingSurface") != NULL;
  return tagged ? has_tag(&m->base, "CarvingSurface") : m->mesh->dynamic || m->mesh->filler;
}

typedef DV_ARRAY(int32_t) Numbers;

// elements of the mesh behind those of a model; triangles come from triangles and, in pairs, from quads
static void carve(const Carving *c, const dvCollisionModel *m, dvElementKind kind, const Numbers *found)
{
  size_t count = found->count;
  if (count == 0) return;
  int32_t *list = dv_alloc(count * sizeof *list);
  memcpy(list, found->data, count * sizeof *list);
  dvTopology *top = dv_topology_climb(m->mesh, &kind, &list, &count);
  if (!top)
    dv_warning(&c->base, "carve a surface of Tetra2TriangleTopologicalMapping or another one that tells its sources",
               "%s is made by %s: what its elements belong to is not known", m->mesh->base.name, m->mesh->filler->name);
  else if (dv_modifier_remove(top, &c->base, kind, list, count) == DV_OK) dv_topology_end_changes(top);
  dv_free(list);
}

static void carve_touch(const Carving *c, const dvTouch *touch)
{
  int tool = touch->model[0] == c->tool ? 0 : touch->model[1] == c->tool ? 1 : -1;
  if (tool < 0 || !is_surface(c, touch->model[!tool])) return;
  const dvCollisionModel *m = touch->model[!tool];
  Numbers whole = {0}, quads = {0};
  for (size_t i = 0; i < touch->count; i++) {
    int32_t element = touch->contacts[i].element[!tool];
    if (touch->contacts[i].distance >= c->carvingDistance) continue;
    if (m->shape == DV_SHAPE_TRIANGLE && (size_t)element >= m->from_quads)
      dv_push(&quads, (element - (int32_t)m->from_quads) / 2);
    else dv_push(&whole, element);
  }
  carve(c, m, m->shape == DV_SHAPE_TRIANGLE ? DV_TRIANGLE : DV_TETRAHEDRON, &whole);
  carve(c, m, DV_QUAD, &quads);
  dv_array_free(&whole);
  dv_array_free(&quads);
}

static bool is_key(const dvEvent *event, const char *key) { return key && *key && event->key == (unsigned char)*key; }

static void carving_event(dvObject *o, const dvEvent *event)
{
  Carving *c = (Carving *)o;
  if (!o->listening) return;
  if (event->kind == DV_EVENT_KEY && is_key(event, c->key)) c->active = !event->released;
  if (event->kind == DV_EVENT_KEY && is_key(event, c->keySwitch) && !event->released) c->active = !c->active;
  if (event->kind == DV_EVENT_MOUSE && event->mouse == DV_MOUSE_MIDDLE && c->mouseEvent) c->active = !event->released;
  if (event->kind != DV_EVENT_ANIMATE_END || !c->active) return;
  dvTouch touch;
  for (size_t i = 0; dv_scene_touch(o->node->scene, i, &touch); i++) carve_touch(c, &touch);
}

const dvClass dv_carving_manager_class = {
    .struct_size = sizeof(dvClass),
    .name = "CarvingManager",
    .help = "removes elements that a tool comes close to",
    .module = "SofaCarving",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Carving),
    .blocks = {&dv_object_block, DV_BLOCK(carving_fields)},
    .presets = "listening=1",
    .bwd_init = carving_init,
    .handle_event = carving_event,
    DV_MEMORY(carving_memory),
};
