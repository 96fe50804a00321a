// See scene.h.
#include "support/check.h"

#include "support/scene.h"

#include "object/compat.h"

#include <string.h>

static dvScene *start(dvContext *context, dvScene *scene, dvStatus status)
{
  if (status == DV_OK) status = dv_scene_init(scene);
  if (status != DV_OK) print_error("the scene of the test has a mistake (status %d)\n", status);
  assert_int_equal(status, DV_OK);
  DV_UNUSED(context);
  return scene;
}

static dvScene *check_scene_in(dvCompatMode mode, const char *text, int threads)
{
  dvContext *context = dv_divan_create(threads);
  dvScene *scene = NULL;
  if (mode != DV_COMPAT_NONE) dv_compat_choose(context, mode);
  dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
  return start(context, scene, status);
}

dvScene *check_scene(const char *text, int threads) { return check_scene_in(DV_COMPAT_NONE, text, threads); }
dvScene *check_scene_as_sofa(const char *text, int threads) { return check_scene_in(DV_COMPAT_SOFA, text, threads); }

dvScene *check_scene_file(const char *path, int threads)
{
  dvContext *context = dv_divan_create(threads);
  char *full = dv_format("%s/%s", DIVAN_SOURCE_DIR, path);
  dvScene *scene = NULL;
  dvStatus status = dv_scene_read(context, full, &scene);
  dv_free(full);
  return start(context, scene, status);
}

void check_close_scene(dvScene **scene)
{
  dvContext *context = (*scene)->context;
  dv_scene_destroy(scene);
  dv_divan_destroy(&context);
}

void check_steps(dvScene *scene, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(dv_scene_step(scene, 0), DV_OK);
}

dvObject *check_find(dvScene *scene, const char *path)
{
  dvObject *o = dv_link_find(&scene->root->base, path, DV_ROLE_ANY);
  if (!o) print_error("nothing at %s\n", path);
  assert_non_null(o);
  return o;
}

double check_value(dvScene *scene, const char *path, int id, size_t scalar)
{
  dvState *s = dv_state(check_find(scene, path));
  assert_true(scalar < dv_state_scalars(s, id));
  return dv_state_read(s, id)[scalar];
}

void check_add_tetra_box(dvText *out, const int n[3], double cell)
{
  // corners of a cell: bit 0 is x, bit 1 y, bit 2 z; neighbouring cells are mirrored so that faces match
  static const int even[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
  int points[3] = {n[0] + 1, n[1] + 1, n[2] + 1};
  dv_text_add(out, " position=\"");
  for (int z = 0; z < points[2]; z++)
    for (int y = 0; y < points[1]; y++)
      for (int x = 0; x < points[0]; x++) dv_text_printf(out, "%g %g %g ", cell * x, cell * y, cell * z);
  dv_text_add(out, "\" tetrahedra=\"");
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++)
        for (int t = 0; t < 5; t++) {
          int odd = (x + y + z) & 1, index[4];
          for (int c = 0; c < 4; c++) {
            int corner = even[t][c] ^ odd;   // mirror in x
            index[c] = ((z + (corner >> 2)) * points[1] + y + ((corner >> 1) & 1)) * points[0] + x + (corner & 1);
          }
          if (odd) dv_text_printf(out, "%d %d %d %d ", index[1], index[0], index[2], index[3]);
          else dv_text_printf(out, "%d %d %d %d ", index[0], index[1], index[2], index[3]);
        }
  dv_text_add(out, "\"");
}
