// Contacts and trees in the draw list: as many as there are in each step, without the list being made again.
#include "collision/collision.h"
#include "support/check.h"
#include "support/scene.h"
#include "view/draw.h"

#include <string.h>

// a box that lies in another one and flies off, and a sheet of triangles with a tree of its own
static const char text[] =
    "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline name='pipeline'/><BruteForceBroadPhase/>"
    "<BVHNarrowPhase/><NewProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
    "<CollisionResponse response='PenalityContactForceField'/>"
    "<Node name='box'><EulerExplicitSolver/><MechanicalObject template='Rigid3' position='0 0.98 0 0 0 0 1' "
    "velocity='0 20 0 0 0 0'/><UniformMass totalMass='1'/><OBBCollisionModel name='model' extents='0.5 0.5 0.5' "
    "contactStiffness='0'/></Node>"
    "<Node name='sheet'><RegularGridTopology n='9 1 9' min='-2 0.5 -2' max='2 0.5 2'/><MechanicalObject/>"
    "<TriangleCollisionModel name='model' simulated='0' contactStiffness='0'/></Node></Node>";

static const dvDrawable *drawable_of(const dvDraw *d, dvDrawGroup group, dvDrawKind kind, const dvObject *o)
{
  for (size_t i = 0; i < d->list.count; i++) {
    const dvDrawable *a = &d->list.data[i];
    if (a->group == group && a->kind == kind && a->object == o) return a;
  }
  fail_msg("%s has nothing in group %s", o->name, dv_draw_group_names[group]);
  return NULL;
}

static double number(const dvDrawArray *a, size_t i)
{
  float f;
  memcpy(&f, &a->data[i], sizeof f);
  return f;
}

static void check_contacts(const dvDraw *d, dvScene *s)
{
  const dvObject *pipeline = check_find(s, "pipeline");
  const dvDrawArray *first = &d->arrays.data[drawable_of(d, DV_DRAW_CONTACTS, DV_DRAW_LINES, pipeline)->positions];
  const dvDrawable *arrows = drawable_of(d, DV_DRAW_CONTACTS, DV_DRAW_VECTORS, pipeline);
  const dvDrawArray *second = &d->arrays.data[arrows->positions], *normal = &d->arrays.data[arrows->second];
  size_t count = dv_scene_contacts(s), at = 0;
  assert_int_equal(first->count, 3 * count);
  assert_int_equal(second->count, 3 * count);
  assert_int_equal(normal->count, 3 * count);
  dvTouch touch;
  for (size_t i = 0; dv_scene_touch(s, i, &touch); i++)
    for (size_t k = 0; k < touch.count; k++)
      for (int n = 0; n < 3; n++, at++) {
        check_close(number(first, at), touch.contacts[k].point[0][n], 1e-6);
        check_close(number(second, at), touch.contacts[k].point[1][n], 1e-6);
        check_close(number(normal, at), touch.contacts[k].normal[n], 1e-6);
      }
  assert_int_equal(at, 3 * count);
}

static void as_many_as_there_are(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(text, 1);
  dvDraw d = {0};
  dv_draw_build(&d, s);
  unsigned revision = d.revision;
  dv_draw_refresh(&d, 1u << DV_DRAW_CONTACTS);
  check_contacts(&d, s);
  size_t most = 0, none = 0;
  for (int i = 0; i < 8; i++) {   // 0.2 m a step
    check_steps(s, 1);
    dv_draw_follow(&d, s);
    dv_draw_refresh(&d, 1u << DV_DRAW_CONTACTS);
    check_contacts(&d, s);
    most = dv_max_size(most, dv_scene_contacts(s));
    none += dv_scene_contacts(s) == 0;
  }
  assert_true(most >= 4 && none > 0);
  assert_int_equal(d.revision, revision);
  assert_false(d.again);
  dv_draw_free(&d);
  check_close_scene(&s);
}

// the boxes of a tree hold their parts; where nobody is near there is the box around all
static void boxes_of_trees(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(text, 1);
  dvDraw d = {0};
  dv_draw_build(&d, s);
  dvObject *sheet = check_find(s, "sheet/model");
  const dvDrawArray *a = &d.arrays.data[drawable_of(&d, DV_DRAW_BOUNDS, DV_DRAW_LINES, sheet)->positions];
  size_t boxes[2];
  for (int i = 0; i < 2; i++) {
    check_steps(s, i == 0 ? 1 : 8);
    dv_draw_refresh(&d, 1u << DV_DRAW_BOUNDS);
    a = &d.arrays.data[drawable_of(&d, DV_DRAW_BOUNDS, DV_DRAW_LINES, sheet)->positions];
    assert_int_equal(a->count % 72, 0);
    boxes[i] = a->count / 72;
    for (size_t k = 0; k < a->count; k += 3) assert_true(fabs(number(a, k)) <= 2.2 && fabs(number(a, k + 2)) <= 2.2);
    check_close(number(a, 3) - number(a, 0), 4, 0.5);   // the first edge of the box around all
  }
  assert_true(boxes[0] > 10);
  assert_int_equal(boxes[1], 1);
  dv_draw_free(&d);
  check_close_scene(&s);
}

// what makes a surface anew may leave the number of its points and faces: the list has the faces of now
static void faces_that_are_made_anew(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><OglModel name='o' position='0 0 0  1 0 0  1 1 0  0 1 0' triangles='0 1 2'/></Node>", 1);
  dvDraw d = {0};
  dv_draw_build(&d, s);
  dvObject *o = check_find(s, "o");
  dvVisualModel *v = (dvVisualModel *)o;
  const uint64_t first = dv_draw_refresh(&d, 1u << DV_DRAW_VISUAL);
  const int which = drawable_of(&d, DV_DRAW_VISUAL, DV_DRAW_TRIANGLES, o)->indices;
  assert_int_equal(d.arrays.data[which].data[1], 1);
  dv_draw_refresh(&d, 1u << DV_DRAW_VISUAL);
  assert_int_equal(d.arrays.data[which].changed, first);   // nothing has changed
  dv_ints_edit(&v->triangles)[1] = 2, dv_ints_edit(&v->triangles)[2] = 3;
  dv_touch(o, &v->triangles);
  const uint64_t then = dv_draw_refresh(&d, 1u << DV_DRAW_VISUAL);
  assert_int_equal(d.arrays.data[which].changed, then);
  assert_int_equal(d.arrays.data[which].data[1], 2);
  assert_int_equal(d.arrays.data[which].data[2], 3);
  dv_draw_free(&d);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_many_as_there_are), cmocka_unit_test(boxes_of_trees),
                                     cmocka_unit_test(faces_that_are_made_anew)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
