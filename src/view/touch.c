// The hand of the user: what a ray hits, a spring that pulls on it, points that are held. See inside.h.
#include "view/inside.h"

#include "haptic/driver.h"
#include "mechanics/mechanics.h"
#include "scene/plan.h"

#include <math.h>
#include <string.h>

// --- rays ----------------------------------------------------------------------------------------

typedef struct Hit {
  double distance;   // along the ray; INFINITY for none
  dvObject *model;   // visual model, collision model or state that was hit
} Hit;

// Moeller and Trumbore: distance along the ray, or infinity
double dv_view_hit_triangle(const dvRay *r, dvVec3 a, dvVec3 b, dvVec3 c)
{
  dvVec3 e1 = dv_vec3_sub(b, a), e2 = dv_vec3_sub(c, a), p = dv_vec3_cross(r->direction, e2);
  double det = dv_vec3_dot(e1, p);
  if (det == 0) return INFINITY;
  dvVec3 t = dv_vec3_sub(r->origin, a);
  double u = dv_vec3_dot(t, p) / det;
  if (!(u >= 0 && u <= 1)) return INFINITY;
  dvVec3 q = dv_vec3_cross(t, e1);
  double v = dv_vec3_dot(r->direction, q) / det;
  if (!(v >= 0 && u + v <= 1)) return INFINITY;
  double d = dv_vec3_dot(e2, q) / det;
  return d > 0 ? d : INFINITY;
}

static double hit_sphere(const dvRay *r, dvVec3 centre, double radius)
{
  dvVec3 t = dv_vec3_sub(centre, r->origin);
  double along = dv_vec3_dot(t, r->direction), square = dv_vec3_norm2(t) - along * along;
  double half = radius * radius - square;
  return along > 0 && half >= 0 ? along - sqrt(half) : INFINITY;
}

static dvVec3 corner(const dvDrawArray *a, uint32_t index)
{
  float p[3];
  memcpy(p, a->data + 3 * (size_t)index, sizeof p);
  return dv_vec3(p[0], p[1], p[2]);
}

static double hit_drawable(const dvDraw *d, const dvDrawable *a, const dvRay *r)
{
  const dvDrawArray *x = &d->arrays.data[a->positions];
  double nearest = INFINITY;
  if (a->kind == DV_DRAW_TRIANGLES) {
    const dvDrawArray *t = &d->arrays.data[a->indices];
    for (size_t i = 0; i + 3 <= t->count; i += 3) {
      const uint32_t *c = t->data + i;
      if (c[0] >= x->count / 3 || c[1] >= x->count / 3 || c[2] >= x->count / 3) continue;
      nearest = dv_min(nearest, dv_view_hit_triangle(r, corner(x, c[0]), corner(x, c[1]), corner(x, c[2])));
    }
  } else if (a->kind == DV_DRAW_BOXES) {   // by the spheres inside
    const dvDrawArray *sides = &d->arrays.data[a->sizes];
    for (size_t i = 0; i < x->count / 3 && 3 * i + 2 < sides->count; i++) {
      float side[3];
      memcpy(side, sides->data + 3 * i, sizeof side);
      nearest = dv_min(nearest, hit_sphere(r, corner(x, (uint32_t)i), 0.5 * dv_max(side[0], dv_max(side[1], side[2]))));
    }
  } else if (a->kind == DV_DRAW_SPHERES) {
    for (size_t i = 0; i < x->count / 3; i++) {
      float radius = (float)a->radius;
      if (a->radii >= 0 && i < d->arrays.data[a->radii].count)
        memcpy(&radius, d->arrays.data[a->radii].data + i, sizeof radius);
      nearest = dv_min(nearest, hit_sphere(r, corner(x, (uint32_t)i), radius));
    }
  }
  return nearest;
}

// points and frames are hit within a fiftieth of the scene's size
static double hit_points(const dvDraw *d, const dvDrawable *a, const dvRay *r, double near)
{
  const dvDrawArray *x = &d->arrays.data[a->positions];
  double nearest = INFINITY;
  for (size_t i = 0; i < x->count / 3; i++) nearest = dv_min(nearest, hit_sphere(r, corner(x, (uint32_t)i), near));
  return nearest;
}

static Hit cast_ray(dvSession *s, const dvRay *r)
{
  dvDraw *d = &s->draw;
  Hit best = {INFINITY, NULL};
  dv_draw_refresh(d, 1u << DV_DRAW_VISUAL | 1u << DV_DRAW_COLLISION | 1u << DV_DRAW_BEHAVIOR);
  double low[3], high[3], size = 0;
  if (dv_draw_box(d, low, high))
    for (int k = 0; k < 3; k++) size = dv_max(size, high[k] - low[k]);
  for (int pass = 0; pass < 2 && !best.model; pass++)   // surfaces, else points
    for (size_t i = 0; i < d->list.count; i++) {
      const dvDrawable *a = &d->list.data[i];
      double t = INFINITY;
      if (pass == 0 && (a->group == DV_DRAW_VISUAL || a->group == DV_DRAW_COLLISION)) t = hit_drawable(d, a, r);
      if (pass == 1 && a->group == DV_DRAW_BEHAVIOR) t = hit_points(d, a, r, size / 50);
      if (t < best.distance) best = (Hit){t, a->object};
    }
  return best;
}

// --- from what is seen to what moves -------------------------------------------------------------

static dvObject *driver_of(const dvPlan *p, const dvObject *state)
{
  dvObject *out;
  for (size_t k = 0; k < p->mappings.count + p->visual_mappings.count; k++) {
    dvObject *m = k < p->mappings.count ? p->mappings.data[k].object : p->visual_mappings.data[k - p->mappings.count];
    for (size_t i = 0; (out = dv_mapping_output(m, i)); i++)
      if (out == state && dv_mapping_input(m, 0)) return dv_mapping_input(m, 0);
  }
  return NULL;
}

static bool is_independent(const dvPlan *p, const dvObject *state)
{
  for (size_t i = 0; i < p->independent.count; i++)
    if (p->independent.data[i] == state) return true;
  return false;
}

// the driver of an emulated device that holds a model, over any number of mappings; NULL for none
static dvDriver *device_of(dvSession *s, dvObject *model)
{
  const dvPlan *p = s->scene->plan;
  dvObject *state = dv_plays(model, DV_ROLE_STATE) ? model : dv_node_state_up(model->node);
  for (int depth = 0; state && depth < 64; depth++, state = driver_of(p, state)) {
    dvDriver *d = dv_driver_holding(s->scene, dv_state(state));
    if (d) return d;
  }
  return NULL;
}

// the state that moves a model, over any number of mappings; NULL for what stands still
static dvState *mover_of(dvSession *s, dvObject *model)
{
  const dvPlan *p = s->scene->plan;
  dvObject *state = dv_plays(model, DV_ROLE_STATE) ? model : dv_node_state_up(model->node);
  for (int depth = 0; state && depth < 64; depth++) {
    if (is_independent(p, state)) {
      dvDofKind kind = state->dof->kind;
      return dv_node_find_up(state->node, DV_ROLE_ODE) && (kind == DV_VEC3 || kind == DV_RIGID3) ? dv_state(state)
                                                                                                 : NULL;
    }
    state = driver_of(p, state);
  }
  return NULL;
}

static size_t nearest_freedom(dvState *state, dvVec3 point)
{
  const double *x = dv_state_read(state, DV_X);
  size_t width = (size_t)state->base.dof->coord, best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < state->count; i++) {
    double d = dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(x + i * width), point));
    if (d < least) least = d, best = i;
  }
  return best;
}

dvRay dv_view_ray(const double origin[3], const double direction[3])
{
  return (dvRay){dv_vec3_load(origin), dv_vec3_normalise(dv_vec3_load(direction))};
}

bool dv_view_touched(dvSession *s, dvRay r, dvTouched *out)
{
  if (!(dv_vec3_norm(r.direction) > 0.5)) return false;
  Hit h = cast_ray(s, &r);
  if (!h.model) return false;
  dv_scene_refresh(s->scene);
  dvState *state = mover_of(s, h.model);
  if (!state || state->count == 0) return false;
  out->point = dv_vec3_add_scaled(r.origin, r.direction, h.distance);
  out->state = state;
  out->model = h.model;
  out->index = nearest_freedom(state, out->point);
  return true;
}

bool dv_view_meets(dvSession *s, dvRay r, dvVec3 *where)
{
  Hit h = dv_vec3_norm(r.direction) > 0.5 ? cast_ray(s, &r) : (Hit){INFINITY, NULL};
  if (h.model) *where = dv_vec3_add_scaled(r.origin, r.direction, h.distance);
  return h.model != NULL;
}

#define DEFAULT_STIFFNESS 1000.0   // N/m

// --- pulling -------------------------------------------------------------------------------------

static void set_text(dvObject *o, const char *field, const char *format, double a, double b, double c)
{
  char *text = dv_format(format, a, b, c);
  dv_field_parse(dv_object_field(o, field), text, NULL);
  dv_free(text);
}

static dvObject *add_component(dvSession *s, const char *name, const char *label, dvState *state)
{
  const dvClass *cls = dv_registry_find(&s->context->registry, name);
  DV_REQUIRE(cls);
  dvObject *o = dv_object_create(s->context, cls, label, state->base.dof);
  dv_node_add(state->base.node, o);
  return o;
}

static json_t *touch_row(const dvTouched *t)
{
  char *path = dv_object_path(&t->state->base), *model = dv_object_path(t->model);
  json_t *row = json_pack("{s:[f, f, f], s:I, s:i}", "point", t->point.x, t->point.y, t->point.z, "index",
                          (json_int_t)t->index, "width", t->state->base.dof->coord);
  dv_view_put_text(row, "path", path);
  dv_view_put_text(row, "model", model);
  dv_free(path);
  dv_free(model);
  return row;
}

// a tool in an emulated hand: the mouse becomes that hand
static bool take_hand(dvSession *s, const dvRay *r, json_t *answer)
{
  Hit h = dv_vec3_norm(r->direction) > 0.5 ? cast_ray(s, r) : (Hit){INFINITY, NULL};
  dvDriver *d = h.model ? device_of(s, h.model) : NULL;
  if (!d) return false;
  dvVec3 point = dv_vec3_add_scaled(r->origin, r->direction, h.distance);
  dv_vec3_store(s->spring_offset, dv_vec3_sub(point, dv_vec3_load(d->seen)));
  s->device = &d->base;
  json_t *row = json_pack("{s:[f, f, f], s:i, s:i}", "point", point.x, point.y, point.z, "index", 0, "width", 7);
  char *path = dv_object_path(&d->base), *model = dv_object_path(h.model);
  dv_view_put_text(row, "path", path);
  dv_view_put_text(row, "model", model);
  json_object_set_new(answer, "hit", row);
  dv_free(path);
  dv_free(model);
  return true;
}

json_t *dv_view_grab(dvSession *s, const double origin[3], const double direction[3], double stiffness)
{
  dv_view_release(s);
  dvTouched t;
  dvRay ray = dv_view_ray(origin, direction);
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "hit", json_null());
  if (take_hand(s, &ray, answer)) return answer;
  if (!dv_view_touched(s, dv_view_ray(origin, direction), &t)) return answer;
  const double *x = dv_state_read(t.state, DV_X) + t.index * (size_t)t.state->base.dof->coord;
  dvVec3 offset = dv_vec3_sub(t.point, dv_vec3_load(x)), arm = dv_vec3(0, 0, 0);
  if (t.state->base.dof->kind == DV_RIGID3) {   // the spring holds the frame where the surface is
    arm = dv_quat_inverse_rotate(dv_quat_load(x + 3), offset);
    offset = dv_vec3(0, 0, 0);
  }
  const dvClass *cls = dv_registry_find(&s->context->registry, "MouseSpring");
  DV_REQUIRE(cls);
  if (!s->hand.scene) dv_live_enter(&s->hand, s->scene);
  dvObject *spring = dv_live_take(&s->hand, cls, t.state->base.dof, t.state->base.node);
  dvVec3 target = dv_vec3_sub(t.point, offset);
  set_text(spring, "index", "%.0f", (double)t.index, 0, 0);
  set_text(spring, "arm", "%.17g %.17g %.17g", arm.x, arm.y, arm.z);
  set_text(spring, "target", "%.17g %.17g %.17g", target.x, target.y, target.z);
  set_text(spring, "stiffness", "%.17g", stiffness >= 0 ? stiffness : DEFAULT_STIFFNESS, 0, 0);
  set_text(spring, "active", "1", 0, 0, 0);
  if (dv_object_ensure(spring) != DV_OK) {
    dv_live_give(&s->hand, spring);
    return answer;
  }
  dv_live_add(&s->hand, spring);
  s->spring = spring;
  dv_vec3_store(s->spring_offset, offset);
  json_object_set_new(answer, "hit", touch_row(&t));
  return answer;
}

// k |where the hand is - where it holds the body|
double dv_view_pull_force(const dvSession *s)
{
  dvObject *o = s->spring;
  dvState *state = dv_state(dv_node_state_up(o->node));
  int32_t index = *(const int32_t *)dv_object_field(o, "index")->value;
  const double *target = dv_object_field(o, "target")->value, *arm = dv_object_field(o, "arm")->value;
  double stiffness = *(const double *)dv_object_field(o, "stiffness")->value;
  if (index < 0 || (size_t)index >= state->count) return 0;
  const double *x = dv_state_read(state, DV_X) + (size_t)index * (size_t)state->base.dof->coord;
  dvVec3 held = dv_vec3_load(x);
  if (state->base.dof->kind == DV_RIGID3)
    held = dv_vec3_add(held, dv_quat_rotate(dv_quat_load(x + 3), dv_vec3_load(arm)));
  double force = stiffness * dv_vec3_norm(dv_vec3_sub(dv_vec3_load(target), held));
  return isfinite(force) ? force : 0;
}

// what is under the ray: the same as `hit` of a grab, without taking hold of it
json_t *dv_view_probe(dvSession *s, const double origin[3], const double direction[3])
{
  dvTouched t;
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "hit",
                      dv_view_touched(s, dv_view_ray(origin, direction), &t) ? touch_row(&t) : json_null());
  return answer;
}

void dv_view_pull(dvSession *s, const double to[3])
{
  if (s->device) dv_driver_lead(dv_driver(s->device), dv_vec3_sub(dv_vec3_load(to), dv_vec3_load(s->spring_offset)));
  if (!s->spring) return;
  set_text(s->spring, "target", "%.17g %.17g %.17g", to[0] - s->spring_offset[0], to[1] - s->spring_offset[1],
           to[2] - s->spring_offset[2]);
}

void dv_view_release(dvSession *s)
{
  if (s->spring) dv_live_give(&s->hand, s->spring);
  s->spring = s->device = NULL;   // a hand that was led stays where it is
}

// --- holding -------------------------------------------------------------------------------------

static dvObject *hold(dvSession *s, dvState *state, int32_t index)
{
  dvObject *o = add_component(s, "FixedProjectiveConstraint", "mouseFixed", state);
  char *text = dv_format("%d", index);
  dv_object_set(o, "indices", text);
  dv_free(text);
  if (dv_object_ensure(o) == DV_OK) return o;
  dv_scene_bury(s->scene, o);
  return NULL;
}

// points get other numbers when their mesh changes, and the constraint follows
static int32_t held_index(const dvFixed *f)
{
  const dvInts *indices = f->object ? dv_object_field(f->object, "indices")->value : NULL;
  return !f->object ? f->index : indices->count ? indices->data[0] : -1;
}

json_t *dv_view_fix(dvSession *s, const double origin[3], const double direction[3])
{
  dvTouched t;
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "fixed", json_null());
  if (!dv_view_touched(s, dv_view_ray(origin, direction), &t)) return answer;
  char *path = dv_object_path(&t.state->base);
  for (size_t i = 0; i < s->fixed.count; i++) {
    dvFixed *f = &s->fixed.data[i];
    if (held_index(f) != (int32_t)t.index || !dv_same(f->path, path)) continue;
    if (f->object) dv_scene_bury(s->scene, f->object);
    dv_free(f->path);
    dv_array_remove(&s->fixed, i);
    dv_free(path);
    json_object_set_new(answer, "fixed", json_false());
    return answer;
  }
  size_t width = (size_t)t.state->base.dof->deriv;
  memset(dv_state_write(t.state, DV_V) + t.index * width, 0,
         width * sizeof(double));   // the constraint only keeps velocities as they are
  dvObject *o = s->fixed.count < 1000 ? hold(s, t.state, (int32_t)t.index) : NULL;
  if (o) {
    dv_push(&s->fixed, ((dvFixed){path, (int32_t)t.index, o}));
    const double *x = dv_state_read(t.state, DV_X) + t.index * (size_t)t.state->base.dof->coord;
    json_object_set_new(answer, "fixed", json_true());
    json_object_set_new(answer, "point", json_pack("[f, f, f]", x[0], x[1], x[2]));
  } else {
    dv_free(path);
  }
  return answer;
}

void dv_view_forget_touch(dvSession *s)
{
  s->spring = s->device = NULL;
  dv_live_leave(&s->hand);
  for (size_t i = 0; i < s->fixed.count; i++) s->fixed.data[i].object = NULL;
}

void dv_view_fix_again(dvSession *s)
{
  for (size_t i = 0; i < s->fixed.count; i++) {
    dvFixed *f = &s->fixed.data[i];
    dvObject *o = dv_view_find(s, f->path);
    dvState *state = o && dv_is_mechanical_state(o) ? dv_state(o) : NULL;
    if (state && f->index >= 0 && (size_t)f->index < state->count) f->object = hold(s, state, f->index);
  }
}
