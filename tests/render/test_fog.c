// Volumes that swallow light, second pictures and lenses: what is where in a picture. What needs OpenGL is left out,
// with a word, where it is not installed.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "render/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 80, H = 60 };

typedef struct Shot {
  dvContext *context;
  dvScene *scene;
  dvPainter *painter;
  const unsigned char *rgb;
} Shot;

static Shot shoot(const char *inside)
{
  Shot s = {.context = dv_divan_create(1)};
  char *text = dv_format("<Node gravity='0 0 0'><BackgroundSetting color='0 0 0 1'/>%s</Node>", inside);
  assert_int_equal(dv_scene_parse(s.context, "test.scn", text, strlen(text), &s.scene), DV_OK);
  assert_int_equal(dv_scene_init(s.scene), DV_OK);
  s.painter = dv_painter_create(W, H, &s.context->log);
  dvCameraWish camera = {.placed = true, .position = {0, 0, 6}};
  s.rgb = dv_painter_draw(s.painter, s.scene, &(dvStageOptions){.camera = &camera, .no_ground = true});
  assert_non_null(s.rgb);
  dv_free(text);
  return s;
}

static void end(Shot *s)
{
  dv_painter_destroy(&s->painter);
  dv_scene_destroy(&s->scene);
  dv_divan_destroy(&s->context);
}

static bool no_gl(const Shot *s)
{
  bool none = dv_same(dv_painter_renderer(s->painter), "plain");
  if (none) print_message("without OpenGL: left out\n");
  return none;
}

static const unsigned char *at(const Shot *s, double x, double y)   // parts of the picture, from the lower left corner
{
  return s->rgb + 3 * ((size_t)((1 - y) * H) * W + (size_t)(x * W));
}

#define VOLUME(mu)                                                                                           \
  "<Node name='v'><RegularGridTopology name='g' n='3 3 4' min='-1 -1 -1' max='1 1 0.5'/><MechanicalObject/>" \
  "<OglVolumetricModel attenuation='" mu "' color='1 1 1 1'/></Node>"

static void test_law(void **state)
{
  DV_UNUSED(state);
  Shot s = shoot(VOLUME("0.8"));
  if (!no_gl(&s)) check_close(at(&s, 0.5, 0.5)[0], 255 * (1 - exp(-0.8 * 1.5)), 1.5);   // a way of 1.5 m
  if (!no_gl(&s)) assert_int_equal(at(&s, 0.02, 0.98)[0], 0);
  end(&s);
  // a solid body in the middle ends the way of a ray: 0.5 m are left before it
  s = shoot(VOLUME("0.8") "<OglModel position='-2 -2 0  2 -2 0  2 2 0  -2 2 0' quads='0 1 2 3' "
                          "material='m Diffuse 1 0 0 0 1 Ambient 0 0 0 0 1 Specular 0 0 0 0 1'/>");
  if (!no_gl(&s)) {
    double behind = at(&s, 0.2, 0.5)[1];   // the body itself, beside the volume
    check_close(at(&s, 0.5, 0.5)[1], behind + (255 - behind) * (1 - exp(-0.8 * 0.5)), 6);
  }
  end(&s);
}

// 50 slices over a width of 2 m swallow a twentieth each: of a way of 1.5 m, 37.5 of them, 0.95^37.5 is seen
static void test_slices(void **state)
{
  DV_UNUSED(state);
#define CELLS "<RegularGridTopology name='g' n='3 3 4' min='-1 -1 -1' max='1 1 0.5'/><MechanicalObject/>"
  Shot s = shoot("<Node name='v'>" CELLS "<SlicedVolumetricModel alpha='0.05' nbSlices='50'/></Node>");
  if (!no_gl(&s)) check_close(at(&s, 0.5, 0.5)[0], 255 * (1 - pow(0.95, 37.5)), 1.5);
  if (!no_gl(&s)) assert_int_equal(at(&s, 0.02, 0.98)[0], 0);
  end(&s);
  // nothing to see through: the picture is as without it
  static const char *const nothing[][2] = {
      {"<Node name='v'>" CELLS "</Node>", "<Node name='v'>" CELLS "<SlicedVolumetricModel enable='0'/></Node>"},
      {"<Node name='v'>" CELLS "</Node>", "<Node name='v'>" CELLS "<SlicedVolumetricModel nbSlices='-3'/></Node>"},
      {"<Node name='v'><MechanicalObject/></Node>",
       "<Node name='v'><MechanicalObject/><SlicedVolumetricModel/></Node>"},
      {"", "<SlicedVolumetricModel/>"}};
  for (size_t i = 0; i < DV_COUNT(nothing); i++) {
    Shot without = shoot(nothing[i][0]), with = shoot(nothing[i][1]);
    assert_memory_equal(with.rgb, without.rgb, 3 * W * H);
    end(&without), end(&with);
  }
}

#define SQUARE "<OglModel position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3' color='0.9 0.9 0.9 1'/>"

static void test_inset(void **state)
{
  DV_UNUSED(state);
  // a camera that looks the other way sees nothing; one at the side sees the square
  Shot s = shoot(
      SQUARE "<OglViewport screenPosition='0 0' screenSize='40 30' cameraPosition='0 0 3' cameraOrientation='0 1 0 0'/>"
             "<OglViewport screenPosition='-20 -15' screenSize='20 15' cameraPosition='0 0 3' fovy='20'/>");
  assert_true(at(&s, 0.25, 0.25)[0] < 40);    // background, where the main picture has nothing either
  assert_true(at(&s, 0.48, 0.48)[0] < 40);    // and here it covers the square
  assert_true(at(&s, 0.55, 0.55)[0] > 100);   // of the main picture
  assert_true(at(&s, 0.88, 0.88)[0] > 100);   // filled by the square, seen from near
  end(&s);
}

static void test_lens(void **state)
{
  DV_UNUSED(state);
  Shot plain = shoot(SQUARE), bent = shoot(SQUARE "<LensDistortion k1='0.8'/>");
  int wide[2] = {0, 0};
  for (int x = 0; x < W; x++) {
    wide[0] += plain.rgb[3 * (H / 2 * W + x)] > 90;
    wide[1] += bent.rgb[3 * (H / 2 * W + x)] > 90;
  }
  // the square's edge at r comes from r (1 + 0.8 r2)
  double edge = wide[0] / (double)H, r = edge;
  for (int i = 0; i < 30; i++) r -= (r * (1 + 0.8 * r * r) - edge) / (1 + 2.4 * r * r);
  check_close(wide[1], r * H, 2.5);
  end(&plain), end(&bent);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_law), cmocka_unit_test(test_slices),
                                     cmocka_unit_test(test_inset), cmocka_unit_test(test_lens)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
