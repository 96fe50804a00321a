// Every pair of shapes that an intersection method tests, and every method, has an example in scenes/collision in which
// such contacts are found.
#include "collision/collision.h"
#include "collision/intersection/primitives.h"
#include "object/context.h"
#include "support/check.h"
#include "support/scene.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 150 };

static const char *const shapes[] = {"nothing",  "points",    "lines",  "triangles", "tetrahedra", "spheres",
                                     "capsules", "cylinders", "bricks", "rays",      "cubes",      "fields"};

typedef struct Found {
  bool pair[DV_SHAPE_COUNT][DV_SHAPE_COUNT];
  const dvClass *methods[32];   // with contacts
  size_t count;
} Found;

static void note_method(Found *f, const dvClass *method)
{
  for (size_t i = 0; i < f->count; i++)
    if (f->methods[i] == method) return;
  assert_true(f->count < DV_COUNT(f->methods));
  f->methods[f->count++] = method;
}

typedef struct Finder {
  dvVisitor visitor;
  Found *found;
} Finder;

static dvWalk note_methods(dvVisitor *v, dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (o->cls->ops[DV_ROLE_INTERSECTION]) note_method(((Finder *)v)->found, o->cls);
  }
  return DV_WALK_ON;
}

static void run_scene(const char *name, Found *f)
{
  char *path = dv_format("scenes/collision/%s", name);
  dvScene *s = check_scene_file(path, 1);
  bool any = false;
  dvTouch t;
  for (int step = 0; step < STEPS; step++) {
    check_steps(s, 1);
    for (size_t i = 0; dv_scene_touch(s, i, &t); i++) {
      any = true;
      f->pair[t.model[0]->shape][t.model[1]->shape] = f->pair[t.model[1]->shape][t.model[0]->shape] = true;
    }
  }
  Finder finder = {.visitor = {.top_down = note_methods}, .found = f};
  if (any) dv_visit(s->root, &finder.visitor);
  check_close_scene(&s);
  dv_free(path);
}

static size_t lacking(const Found *f, const dvShapePair *pairs)
{
  size_t count = 0;
  for (; pairs && pairs->first; pairs++)
    if (pairs->contacts && !f->pair[pairs->first][pairs->second]) {
      print_error("no scene of scenes/collision has contacts of %s with %s\n", shapes[pairs->first],
                  shapes[pairs->second]);
      count++;
    }
  return count;
}

static void every_pair_and_method(void **state)
{
  DV_UNUSED(state);
  static Found f;
  struct dirent **list;
  int n = scandir(DIVAN_SOURCE_DIR "/scenes/collision", &list, NULL, alphasort);
  assert_true(n > 2);
  for (int i = 0; i < n; i++) {
    const char *dot = strrchr(list[i]->d_name, '.');
    if (dot && strcmp(dot, ".scn") == 0) run_scene(list[i]->d_name, &f);
    free(list[i]);
  }
  free(list);
  dvContext *context = dv_divan_create(1);
  size_t missing = lacking(&f, dv_distance_pairs);
  for (size_t i = 0; i < context->registry.classes.count; i++) {
    const dvClass *c = context->registry.classes.data[i];
    const dvIntersectionOps *ops = c->ops[DV_ROLE_INTERSECTION];
    if (!ops) continue;
    bool stands = false;
    for (size_t k = 0; k < f.count; k++) stands = stands || strcmp(f.methods[k]->name, c->name) == 0;
    if (!stands) print_error("no scene of scenes/collision has contacts by %s\n", c->name);
    missing += !stands + lacking(&f, ops->pairs) + lacking(&f, ops->also);
  }
  assert_int_equal(missing, 0);
  dv_divan_destroy(&context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_pair_and_method)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
