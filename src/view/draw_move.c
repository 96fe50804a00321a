// VisualTransform: what is drawn of its node, and with `recursive` of the nodes below, stands elsewhere than what is
// simulated, x' = t + R x. Arrays of what is moved are arrays of their own, so page, pictures and recordings need not
// know. Transforms of several nodes one below the other: the nearest counts. See draw_inside.h.
#include "view/draw_inside.h"

#include "math/pose.h"

#include <math.h>
#include <string.h>

static const dvField *field_of(const dvObject *o, const char *name, dvFieldType type)
{
  dvField *f = dv_object_field((dvObject *)o, name);
  if (!f || f->desc->type != type) return NULL;
  dv_field_pull(f);
  return f;
}

static bool is_on(const dvObject *o, const char *name)
{
  const dvField *f = field_of(o, name, DV_T_BOOL);
  return f && *(const bool *)f->value;
}

// position and unit quaternion; false for none
static bool frame_of(const dvObject *o, double frame[7])
{
  const dvField *f = field_of(o, "transform", DV_T_REALS);
  const dvReals *r = f ? f->value : NULL;
  double size = 0;
  if (!r || r->count < 7) return false;
  for (int k = 0; k < 7; k++) {
    if (!isfinite(r->data[k])) return false;
    frame[k] = r->data[k];
    if (k >= 3) size += frame[k] * frame[k];
  }
  if (!(size > 0)) return false;
  for (int k = 3; k < 7; k++) frame[k] /= sqrt(size);
  return true;
}

static dvObject *transform_of(const dvNode *node)
{
  double frame[7];
  for (const dvNode *n = node; n; n = n->parents.count ? n->parents.data[0] : NULL)
    for (size_t i = n->objects.count; i-- > 0;) {
      dvObject *o = n->objects.data[i];
      if (dv_same(o->cls->name, "VisualTransform") && !o->failed && o->initialised && is_on(o, "enable") &&
          (n == node || is_on(o, "recursive")) && frame_of(o, frame))
        return o;
    }
  return NULL;
}

static int moved_array(dvDraw *d, const dvDrawable *a, int array, dvObject *by, dvDrawMove as)
{
  if (array < 0) return array;
  dvDrawArray want = d->arrays.data[array];
  want.moved = by, want.as = as;
  want.groups = 1u << a->group;
  want.data = NULL, want.count = want.capacity = 0, want.changed = 0;
  want.dynamic = true;   // the transform may move, too
  for (size_t i = 0; i < d->arrays.count; i++) {
    dvDrawArray *b = &d->arrays.data[i];
    if (b->moved != by || b->as != as || b->source != want.source || b->object != want.object ||
        b->vector != want.vector || b->reals != want.reals || b->pairs != want.pairs || b->topology != want.topology ||
        b->cells[0] != want.cells[0] || b->part != want.part)
      continue;
    b->groups |= want.groups;
    return (int)i;
  }
  dv_push(&d->arrays, want);
  return (int)d->arrays.count - 1;
}

void dv_draw_move(dvDraw *d)
{
  for (size_t i = 0; i < d->list.count; i++) {
    dvDrawable *a = &d->list.data[i];
    dvObject *by = transform_of(a->object->node);
    if (!by || a->group == DV_DRAW_CONTACTS) continue;
    a->positions = moved_array(d, a, a->positions, by, DV_MOVE_PLACES);
    a->second = moved_array(d, a, a->second, by, a->kind == DV_DRAW_VECTORS ? DV_MOVE_WAYS : DV_MOVE_PLACES);
    a->frames = moved_array(d, a, a->frames, by, DV_MOVE_TURNS);
  }
}

void dv_draw_move_place(const dvDrawArray *a, double x[3])
{
  double frame[7];
  if (!a->moved || !frame_of(a->moved, frame)) return;
  dv_vec3_store(x, dv_pose_point(dv_pose_load(frame), dv_vec3_load(x)));
}

void dv_draw_moved(dvDrawArray *a)
{
  double frame[7];
  float *x = (float *)(void *)a->data;
  size_t width = (size_t)a->width;
  if (!frame_of(a->moved, frame) || width != (a->as == DV_MOVE_TURNS ? 4 : 3)) return;
  dvPose pose = dv_pose_load(frame);
  if (a->as == DV_MOVE_WAYS) pose.at = (dvVec3){0};
  for (size_t i = 0; i + width <= a->count; i += width) {
    double to[4] = {0};
    for (size_t k = 0; k < width; k++) to[k] = x[i + k];
    if (a->as == DV_MOVE_TURNS) dv_quat_store(to, dv_quat_mul(pose.turn, dv_quat_load(to)));
    else dv_vec3_store(to, dv_pose_point(pose, dv_vec3_load(to)));
    for (size_t k = 0; k < width; k++) x[i + k] = (float)to[k];
  }
}
