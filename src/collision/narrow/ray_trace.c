// RayTraceNarrowPhase: contacts of two closed surfaces, found with rays.
//
// Hermann, Faure, Raffin: Ray-traced collision detection for deformable bodies (GRAPP 2008). From each point of a
// surface a ray goes inward, against its normal. The point is inside of another body if the ray leaves that body,
// through a triangle that looks the other way, before it leaves its own: then point and hit are pushed apart along the
// normal. Both surfaces are looked at in turn, with a list of contacts each. Rays walk the trees of the models.
#include "base/pool.h"
#include "collision/phases.h"
#include "collision/register.h"
#include "math/vec.h"
#include "object/context.h"

#include <math.h>

#define EDGE 1e-12   // so much of a triangle overlaps its neighbours: no ray slips through between them

typedef struct Ray {
  dvVec3 from, along;
  double start[3], inverse[3];
  double least;   // what is nearer is where it comes from
} Ray;

typedef struct Hit {
  int32_t triangle;   // -1: none
  double t, u, v;
} Hit;

typedef struct Tracing {
  dvCollisionModel *model[2];   // rays from points of the first into the second
  dvContactList found;
} Tracing;

struct dvRayScratch {
  DV_ARRAY(Tracing) tasks;
  size_t used;
  bool told;
};

// --- a ray ---------------------------------------------------------------------------------------

static Ray ray_from(dvVec3 from, dvVec3 along, double least)
{
  Ray r = {.from = from, .along = along, .least = least};
  double d[3];
  dv_vec3_store(d, along);
  dv_vec3_store(r.start, from);
  for (int k = 0; k < 3; k++) r.inverse[k] = 1 / d[k];
  return r;
}

// does it come into the box before t?
static bool enters(const Ray *r, const dvBox *b, double t)
{
  double near = 0, far = t;
  for (int k = 0; k < 3; k++) {
    double p = (b->low[k] - r->start[k]) * r->inverse[k], q = (b->high[k] - r->start[k]) * r->inverse[k];
    if (isnan(p) || isnan(q)) continue;   // along the side of the box
    near = dv_max(near, dv_min(p, q));
    far = dv_min(far, dv_max(p, q));
  }
  return near <= far * (1 + 1e-12) + 1e-300;
}

static void meet(const Ray *r, const dvCollisionModel *m, int32_t triangle, Hit *best)
{
  const int32_t *e = m->elements.data + 3 * triangle;
  dvVec3 a = dv_vec3_load(dv_collision_point(m, e[0]));
  dvVec3 ab = dv_vec3_sub(dv_vec3_load(dv_collision_point(m, e[1])), a);
  dvVec3 ac = dv_vec3_sub(dv_vec3_load(dv_collision_point(m, e[2])), a);
  dvVec3 p = dv_vec3_cross(r->along, ac), from = dv_vec3_sub(r->from, a), q = dv_vec3_cross(from, ab);
  double det = dv_vec3_dot(ab, p);
  if (det == 0) return;
  double u = dv_vec3_dot(from, p) / det, v = dv_vec3_dot(r->along, q) / det, t = dv_vec3_dot(ac, q) / det;
  if (!(u >= -EDGE && v >= -EDGE && u + v <= 1 + EDGE) || !(t > r->least)) return;
  if (t < best->t || (t == best->t && triangle < best->triangle)) *best = (Hit){triangle, t, u, v};
}

static Hit trace(const Ray *r, const dvCollisionModel *m)
{
  const dvCubeTree *tree = &m->tree;
  Hit best = {.triangle = -1, .t = INFINITY};
  int32_t stack[128];   // two for each level, and levels halve
  int count = 0;
  stack[count++] = 0;
  while (count) {
    const dvCube *c = &tree->cubes.data[stack[--count]];
    if (!enters(r, &c->box, best.t)) continue;
    for (int32_t i = c->first; i < c->end; i++) {
      if (!c->leaves) stack[count++] = i;
      else if (enters(r, &tree->leaves.data[i], best.t)) meet(r, m, tree->elements.data[i], &best);
    }
  }
  return best;
}

// --- two surfaces --------------------------------------------------------------------------------

static dvVec3 normal_of(const dvCollisionModel *m, int32_t triangle)
{
  return dv_vec3_load(m->surface->triangles.data + 3 * triangle);
}

static bool is_inside(const dvBox *b, const double *p)
{
  for (int k = 0; k < 3; k++)
    if (p[k] < b->low[k] || p[k] > b->high[k]) return false;
  return true;
}

static void trace_point(Tracing *t, int32_t triangle, int32_t point, int number)
{
  const dvCollisionModel *a = t->model[0], *b = t->model[1];
  const double *x = dv_collision_point(a, point);
  if (!is_inside(&b->box, x)) return;
  dvVec3 n = dv_vec3_load(a->surface->points.data + 3 * point), p = dv_vec3_load(x);
  Ray ray = ray_from(p, dv_vec3_neg(n),
                     EDGE * dv_vec3_norm(dv_vec3_sub(dv_vec3_load(a->box.high), dv_vec3_load(a->box.low))));
  Hit other = trace(&ray, b);
  if (other.triangle < 0 || dv_vec3_dot(normal_of(a, triangle), normal_of(b, other.triangle)) > 0) return;
  Hit own = trace(&ray, a);
  if (own.triangle < 0 || own.t < other.t || dv_vec3_dot(normal_of(a, triangle), normal_of(a, own.triangle)) > 0)
    return;
  dvContact c = {
      .element = {triangle, other.triangle}, .distance = -other.t, .id = (uint64_t)triangle * 3 + (uint64_t)number};
  dv_vec3_store(c.point[0], p);
  dv_vec3_store(c.point[1], dv_vec3_add_scaled(p, n, -other.t));
  dv_vec3_store(c.normal, n);
  dv_push(&t->found.contacts, c);
}

static void trace_surface(Tracing *t)
{
  const dvCollisionModel *a = t->model[0];
  int32_t count = (int32_t)dv_ints_size(&a->elements);
  for (int32_t i = 0; i < count; i++) {
    int number = 0;
    for (int k = 0; k < 3; k++)   // each point with the first triangle that has it
      if (a->flags.data[i] & DV_CORNER << k) trace_point(t, i, a->elements.data[3 * i + k], number++);
  }
}

static void trace_surfaces(void *user, size_t begin, size_t end)
{
  struct dvRayScratch *s = user;
  for (size_t i = begin; i < end; i++) trace_surface(&s->tasks.data[i]);
}

// --- phase ---------------------------------------------------------------------------------------

static void add_tracing(struct dvRayScratch *s, dvCollisionModel *a, dvCollisionModel *b)
{
  if (s->used == s->tasks.count) dv_push(&s->tasks, (Tracing){0});
  Tracing *t = &s->tasks.data[s->used++];
  t->model[0] = a, t->model[1] = b;
  t->found.contacts.count = 0;
}

static void tell_other(dvObject *o, struct dvRayScratch *s, const dvModelPair *pair)
{
  if (s->told) return;
  s->told = true;
  const dvCollisionModel *m = pair->model[pair->model[0]->surface ? 1 : 0];
  dv_warning(o, "take TriangleOctreeCollisionModel for all, or a BVHNarrowPhase",
             "%s traces rays between TriangleOctreeCollisionModels; others, such as %s, pass through", o->cls->name,
             m->base.name);
}

static dvStatus ray_trace_contacts(dvObject *o, dvObject *intersection, const dvModelPairs *pairs, dvContactLists *out)
{
  DV_UNUSED(intersection);
  dvBroadPhase *n = (dvBroadPhase *)o;
  if (!n->rays) n->rays = dv_alloc(sizeof *n->rays);
  struct dvRayScratch *s = n->rays;
  s->used = 0;
  double points = 0;
  for (size_t i = 0; i < pairs->count; i++) {
    dvCollisionModel *a = pairs->data[i].model[0], *b = pairs->data[i].model[1];
    if (a == b) continue;   // what its own rays leave is itself
    if (!a->surface || !b->surface) {
      tell_other(o, s, &pairs->data[i]);
      continue;
    }
    dv_collision_model_grow(a);
    dv_collision_model_grow(b);
    add_tracing(s, a, b);
    add_tracing(s, b, a);
    points += (double)(a->boxes.count + b->boxes.count);
  }
  dv_parallel_for(dv_pool_for(o->context->pool, 100 * points), s->used, 1, trace_surfaces, s);
  for (size_t i = 0; i < s->used; i++) {
    const Tracing *t = &s->tasks.data[i];
    if (t->found.contacts.count == 0) continue;
    dvContactList *list = dv_contact_lists_add(out, t->model[0], t->model[1]);
    for (size_t k = 0; k < t->found.contacts.count; k++) dv_push(&list->contacts, t->found.contacts.data[k]);
  }
  return dv_memory_is_short() ? dv_error(o, NULL, "out of memory for contacts") : DV_OK;
}

void dv_ray_trace_destroy(dvObject *o)
{
  struct dvRayScratch *s = ((dvBroadPhase *)o)->rays;
  if (!s) return;
  for (size_t i = 0; i < s->tasks.count; i++) dv_array_free(&s->tasks.data[i].found.contacts);
  dv_array_free(&s->tasks);
  dv_free(s);
}

const dvNarrowPhaseOps dv_ray_trace_ops = {.contacts = ray_trace_contacts};
