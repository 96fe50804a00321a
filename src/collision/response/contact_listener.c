// ContactListener: what touches in a step, as fields that others can read: of one model, or of two with each other.
#include "collision/collision.h"
#include "collision/register.h"

#define LISTENER_FIELDS(X)                                                                                    \
  X(link, collisionModel1, "", "", "model that is listened to; the first of the node by default",             \
    .role = DV_ROLE_COLLISION_MODEL)                                                                          \
  X(link, collisionModel2, "", "", "the other model; any by default", .role = DV_ROLE_COLLISION_MODEL)        \
  X(int, numberOfContacts, "0", "", "contacts in the last step", .flags = DV_READ_ONLY)                       \
  X(real, force, "0", "N", "sum of what acts along the normals", .flags = DV_READ_ONLY)                       \
  X(ints, elements, "", "", "elements of each contact, that of the first model first", .flags = DV_READ_ONLY) \
  X(vec3s, points, "", "m", "where each contact is on the first model", .flags = DV_READ_ONLY)                \
  X(vec3s, others, "", "m", "where each contact is on the other model", .flags = DV_READ_ONLY)                \
  X(vec3s, normals, "", "", "unit vector from the first model to the other", .flags = DV_READ_ONLY)           \
  X(reals, distances, "", "m", "distance of each contact less the contact distance", .flags = DV_READ_ONLY)   \
  X(ints, since, "", "", "step in which each pair of models began to touch", .flags = DV_READ_ONLY)

typedef struct Listener {
  dvObject base;
  LISTENER_FIELDS(DV_MEMBER)
} Listener;

#define SELF Listener
static const dvFieldDesc listener_fields[] = {LISTENER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus listener_link(dvObject *o)
{
  Listener *l = (Listener *)o;
  if (!l->collisionModel1.target) l->collisionModel1.target = dv_node_find(o->node, DV_ROLE_COLLISION_MODEL);
  if (l->collisionModel1.target) return DV_OK;
  return dv_error(o, "name one in collisionModel1", "it finds no collision model to listen to");
}

// which side of the touch is the first model; -1 when it is none of ours
static int side_of(const Listener *l, const dvTouch *t)
{
  for (int side = 0; side < 2; side++)
    if (&t->model[side]->base == l->collisionModel1.target &&
        (!l->collisionModel2.target || &t->model[!side]->base == l->collisionModel2.target))
      return side;
  return -1;
}

static size_t count_all(const Listener *l)
{
  dvTouch t;
  size_t count = 0;
  for (size_t i = 0; dv_scene_touch(l->base.node->scene, i, &t); i++)
    if (side_of(l, &t) >= 0) count += t.count;
  return count;
}

static void write_down(Listener *l, size_t at, const dvTouch *t, int side)
{
  for (size_t i = 0; i < t->count; i++, at++) {
    const dvContact *c = &t->contacts[i];
    l->elements.data[2 * at] = c->element[side], l->elements.data[2 * at + 1] = c->element[!side];
    for (size_t k = 0; k < 3; k++) {
      l->points.data[3 * at + k] = c->point[side][k];
      l->others.data[3 * at + k] = c->point[!side][k];
      l->normals.data[3 * at + k] = side ? -c->normal[k] : c->normal[k];
    }
    l->distances.data[at] = c->distance;
    l->since.data[at] = (int32_t)t->since;
  }
}

static void listen(Listener *l)
{
  dvTouch t;
  size_t count = count_all(l), at = 0;
  l->numberOfContacts = 0;
  l->force = 0;
  if (!dv_ints_resize(&l->elements, 2 * count) || !dv_reals_resize(&l->points, 3 * count) ||
      !dv_reals_resize(&l->others, 3 * count) || !dv_reals_resize(&l->normals, 3 * count) ||
      !dv_reals_resize(&l->distances, count) || !dv_ints_resize(&l->since, count)) {
    dv_error(&l->base, NULL, "out of memory for %zu contacts", count);
    return;
  }
  for (size_t i = 0; dv_scene_touch(l->base.node->scene, i, &t); i++) {
    int side = side_of(l, &t);
    if (side < 0) continue;
    write_down(l, at, &t, side);
    at += t.count;
    l->force += t.force;
  }
  l->numberOfContacts = (int32_t)count;
}

static void listener_handle_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_COLLISION_END) listen((Listener *)o);
}

const dvClass dv_contact_listener_class = {
    .struct_size = sizeof(dvClass),
    .name = "ContactListener",
    .help = "tells what touches a collision model",
    .module = "Sofa.Component.Collision.Response.Contact",
    .size = sizeof(Listener),
    .blocks = {&dv_object_block, DV_BLOCK(listener_fields)},
    .link = listener_link,
    .handle_event = listener_handle_event,
};
