// What lets light through, in any order: bodies inside, behind and across each other look the same whichever the scene
// names first, and each pixel has the colour that follows from the bodies alone, from far to near:
// c = a1 c1 + (1 - a1) (a2 c2 + (1 - a2) (...)). With OpenGL, where it is installed, and without.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "render/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 96, H = 72 };

typedef struct Picture {
  unsigned char rgb[3 * W * H];
  double camera[16];
} Picture;

static void shoot(const char *inside, Picture *out)
{
  dvContext *context = dv_divan_create(1);
  dvScene *scene = NULL;
  char *text = dv_format("<Node gravity='0 0 0'><BackgroundSetting color='0 0 0 1'/>%s</Node>", inside);
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  dvPainter *painter = dv_painter_create(W, H, &context->log);
  dvCameraWish camera = {.placed = true, .position = {0.9, 0.7, 6}};
  const unsigned char *rgb = dv_painter_draw(painter, scene, &(dvStageOptions){.camera = &camera, .no_ground = true});
  assert_non_null(rgb);
  memcpy(out->rgb, rgb, sizeof out->rgb);
  const dvCamera *c = &dv_painter_stage(painter)->camera;
  dv_matrix_multiply(c->projection, c->view, out->camera);
  dv_painter_destroy(&painter);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  dv_free(text);
}

static const unsigned char *at(const Picture *p, const double x[3])
{
  double h[4];
  for (int i = 0; i < 4; i++)
    h[i] = p->camera[i] * x[0] + p->camera[4 + i] * x[1] + p->camera[8 + i] * x[2] + p->camera[12 + i];
  int px = (int)floor((0.5 + 0.5 * h[0] / h[3]) * W), py = (int)floor((0.5 - 0.5 * h[1] / h[3]) * H);
  assert_true(px >= 0 && px < W && py >= 0 && py < H);
  return p->rgb + 3 * (py * W + px);
}

// the bodies `text[order[i]]` one after the other; all see the same: an invisible frame keeps the box of the scene
static void shoot_all(const char *const text[], const int *order, int count, Picture *out)
{
  char *all = dv_format("<OglModel name='frame' position='-2 -2 -2  2 2 2  2 2 2' triangles='0 1 2'/>");
  for (int i = 0; i < count; i++) {
    char *more = dv_format("%s<Node name='n%d'>%s</Node>", all, i, text[order[i]]);
    dv_free(all);
    all = more;
  }
  shoot(all, out);
  dv_free(all);
}

#define BOX(r, colour)                                                                                              \
  "<RegularGridTopology name='g' n='2 2 2' min='-" r " -" r " -" r "' max='" r " " r " " r "'/><OglModel src='@g' " \
  "color='" colour "'/>"

// a box around a box around a solid one, and a pane through all of them
static void check_nested(void)
{
  static const char *const bodies[] = {
      BOX("1.5", "0.2 0.4 1 0.3"), BOX("1", "1 0.3 0.2 0.4"), BOX("0.4", "0.2 0.9 0.3 1"),
      "<OglModel position='-1.8 -0.2 -1.8  1.8 -0.2 -1.8  1.8 0.3 1.8  -1.8 0.3 1.8' quads='0 1 2 3' "
      "color='1 0.9 0.2 0.5'/>"};
  static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 0, 3, 2}, {2, 3, 0, 1}, {1, 3, 0, 2}};
  Picture *first = dv_alloc(sizeof *first), *other = dv_alloc(sizeof *other);
  shoot_all(bodies, orders[0], 4, first);
  for (size_t i = 1; i < DV_COUNT(orders); i++) {
    shoot_all(bodies, orders[i], 4, other);
    int differ = 0, most = 0;
    for (int k = 0; k < 3 * W * H; k++) {
      int d = abs(first->rgb[k] - other->rgb[k]);
      differ += d > 0, most = d > most ? d : most;
    }
    if (differ) print_message("order %zu: %d numbers differ, by %d at most\n", i, differ, most);
    assert_int_equal(differ, 0);
  }
  // the solid one is seen through all of it, greener than what is around it
  const unsigned char *in = at(first, (double[]){0.2, 0.3, 0.4}), *beside = at(first, (double[]){-0.8, 0.6, 0.8});
  if (!(in[1] > in[0] && in[1] > in[2])) print_message("%d %d %d\n", in[0], in[1], in[2]);
  assert_true(in[1] > in[0] && in[1] > in[2] && !(beside[1] > beside[0] && beside[1] > beside[2]));
  dv_free(first);
  dv_free(other);
}

// Two panes cross in the middle: the left half of the one is in front, and the right half of the other. Both are large
// triangles, and their middles say nothing.
static void check_crossing(void)
{
  static const char *const bodies[] = {
      "<OglModel position='-1.5 -1 1  1.5 -1 -1  1.5 1 -1  -1.5 1 1' quads='0 1 2 3' color='1 0.2 0.1 0.6'/>",
      "<OglModel position='-1.5 -1 -1  1.5 -1 1  1.5 1 1  -1.5 1 -1' quads='0 1 2 3' color='0.1 0.3 1 0.45'/>"};
  static const double alpha[] = {0.6, 0.45};
  static const int orders[][2] = {{0, 1}, {1, 0}};
  Picture *alone = dv_alloc(2 * sizeof *alone), *both = dv_alloc(sizeof *both);
  for (int i = 0; i < 2; i++) shoot_all(bodies, (int[]){i}, 1, &alone[i]);
  for (int i = 0; i < 2; i++) {
    shoot_all(bodies, orders[i], 2, both);
    for (int k = 0; k < 8; k++) {   // points of the pane that is in front there
      bool left = k < 4;
      double x = left ? -0.9 + 0.2 * k : 0.9 - 0.2 * (k - 4), p[3] = {x, k % 2 ? 0.6 : -0.4, fabs(x) / 1.5};
      const unsigned char *front = at(&alone[!left], p), *back = at(&alone[left], p), *seen = at(both, p);
      for (int c = 0; c < 3; c++) check_close(seen[c], front[c] + (1 - alpha[!left]) * back[c], 1.5);
    }
  }
  dv_free(alone);
  dv_free(both);
}

// More panes behind each other than a painter keeps depths of, red and blue in turn, named in a mixed order.
static void check_many(int panes)
{
  const double alpha = 0.05;
  DV_ARRAY(char *) bodies = {0};
  int *order = dv_alloc((size_t)panes * sizeof *order);
  for (int i = 0; i < panes; i++) {
    double z = -1 + 2.0 * i / panes;
    char *text = dv_format("<OglModel position='-1 -1 %g  1 -1 %g  1 1 %g  -1 1 %g' quads='0 1 2 3' color='%s 0.05' "
                           "material='m Diffuse 1 %s 0.05 Ambient 0 0 0 0 1 Specular 0 0 0 0 1 Emissive 0 0 0 0 1 "
                           "Shininess 0 1'/>",
                           z, z, z, z, i % 2 ? "1 0 0" : "0 0 1", i % 2 ? "1 0 0" : "0 0 1");
    dv_push(&bodies, text);
    order[i] = (i * 17) % panes;   // 17 is prime to their number
  }
  Picture *all = dv_alloc(3 * sizeof *all);
  const char *const *texts = (const char *const *)(const void *)bodies.data;
  shoot_all(texts, order, panes, all);
  for (int i = 0; i < 2; i++) shoot_all(texts, (int[]){i}, 1, &all[1 + i]);
  const double p[3] = {0.1, 0.1, 1};
  double seen[3] = {0};
  for (int i = 0; i < panes; i++)
    for (int c = 0; c < 3; c++) seen[c] = at(&all[1 + i % 2], p)[c] + (1 - alpha) * seen[c];
  // a colour of 5 % is rounded to whole numbers of 255 parts, and all are summed up
  for (int c = 0; c < 3; c++) check_close(at(all, p)[c], seen[c], 0.5 * (1 - pow(1 - alpha, panes)) / alpha + 8);
  if (at(all, p)[0] <= at(all, p)[2]) print_message("%d of red, %d of blue\n", at(all, p)[0], at(all, p)[2]);
  for (int i = 0; i < panes; i++) dv_free(bodies.data[i]);
  dv_array_free(&bodies);
  dv_free(order);
  dv_free(all);
}

static void test_with_opengl(void **state)
{
  DV_UNUSED(state);
  check_nested();
  check_crossing();
  check_many(20);
  check_many(50);
}

static void test_plainly(void **state)
{
  DV_UNUSED(state);
  setenv("DIVAN_RENDERER", "plain", 1);
  check_nested();
  check_crossing();
  check_many(20);
  check_many(50);
  unsetenv("DIVAN_RENDERER");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_with_opengl), cmocka_unit_test(test_plainly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
