// Pictures without a screen: what is where on them, light and shadow, order of what is translucent, the plain painter
// against OpenGL, PNG, films. What needs OpenGL is left out, with a word, where it is not installed.
#include "support/check.h"

#include "app/divan.h"
#include "base/file.h"
#include "io/mesh/image.h"
#include "io/scene/scene_file.h"
#include "render/picture.h"
#include "render/png.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { W = 96, H = 72 };

typedef struct Shot {
  dvContext *context;
  dvScene *scene;
  dvPainter *painter;
  dvStageOptions options;
} Shot;

static Shot open_shot(const char *text)
{
  Shot s = {.context = dv_divan_create(1)};
  assert_int_equal(dv_scene_parse(s.context, "test.scn", text, strlen(text), &s.scene), DV_OK);
  dv_scene_init(s.scene);
  assert_int_equal(s.context->log.worst, DV_OK);
  s.painter = dv_painter_create(W, H, &s.context->log);
  return s;
}

static const unsigned char *draw(Shot *s)
{
  const unsigned char *rgb = dv_painter_draw(s->painter, s->scene, &s->options);
  assert_non_null(rgb);
  return rgb;
}

static void close_shot(Shot *s)
{
  dv_painter_destroy(&s->painter);
  dv_scene_destroy(&s->scene);
  dv_divan_destroy(&s->context);
}

static bool has_gl(const Shot *s) { return !dv_same(dv_painter_renderer(s->painter), "plain"); }

static bool no_gl(Shot *s)
{
  if (has_gl(s)) return false;
  print_message("without OpenGL: left out\n");
  close_shot(s);
  return true;
}

// where a point of the scene is on the picture
static const unsigned char *at(const Shot *s, const unsigned char *rgb, double x, double y, double z)
{
  const dvCamera *c = &dv_painter_stage(s->painter)->camera;
  double m[16], h[4];
  dv_matrix_multiply(c->projection, c->view, m);
  for (int i = 0; i < 4; i++) h[i] = m[i] * x + m[4 + i] * y + m[8 + i] * z + m[12 + i];
  int px = (int)floor((0.5 + 0.5 * h[0] / h[3]) * W), py = (int)floor((0.5 - 0.5 * h[1] / h[3]) * H);
  assert_true(px >= 0 && px < W && py >= 0 && py < H);
  return rgb + 3 * (py * W + px);
}

static int light_of(const unsigned char *p) { return p[0] + p[1] + p[2]; }

#define CUBE(colour, more)                                                              \
  "<Node gravity='0 -9.81 0'>" more                                                     \
  "<Node name='A'><RegularGridTopology name='g' n='2 2 2' min='-1 -1 -1' max='1 1 1'/>" \
  "<OglModel name='skin' src='@g' color='" colour "'/></Node></Node>"

static void test_a_body_stands_in_the_middle_and_casts_a_shadow(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(CUBE("0.8 0.1 0.1 1", ""));
  const unsigned char *rgb = draw(&s), *middle = at(&s, rgb, 0, 0, 0);
  assert_true(middle[0] > 90 && middle[0] > 2 * middle[1] && middle[0] > 2 * middle[2]);
  // the top is lighter than the side that turns away from the light, on the right
  assert_true(light_of(at(&s, rgb, 0, 1, 0)) > light_of(at(&s, rgb, 1, 0, 0)) + 40);
  assert_true(light_of(rgb) > light_of(rgb + 3 * ((H - 1) * W)));   // brighter above than below
  const dvStage *stage = dv_painter_stage(s.painter);
  assert_int_equal(stage->camera.up, 1);
  if (has_gl(&s)) {   // where the light's ray through the middle of the cube meets the ground
    double t = (stage->floor - 0.6) / stage->key[1];
    const unsigned char *dark = at(&s, rgb, 0.6 + t * stage->key[0], stage->floor, -0.6 + t * stage->key[2]);
    const unsigned char *light = rgb + 3 * ((dark - rgb) / (3 * W) * W + 1);   // same height, at the left rim
    assert_true(light_of(dark) < light_of(light) - 40);
  }
  close_shot(&s);
}

// A body on the ground has a dark shadow, one high above it a pale one: in the middle of each, against the rim.
static int shadow_depth(const char *text, double high)
{
  Shot s = open_shot(text);
  int deep = -1;
  if (has_gl(&s)) {
    const unsigned char *rgb = draw(&s);
    const dvStage *stage = dv_painter_stage(s.painter);
    double t = (stage->floor - high) / stage->key[1];
    const unsigned char *dark = at(&s, rgb, t * stage->key[0], stage->floor, t * stage->key[2]);
    deep = light_of(rgb + 3 * ((dark - rgb) / (3 * W) * W + 1)) - light_of(dark);
  }
  close_shot(&s);
  return deep;
}

static void test_shadows_are_paler_the_higher_the_body_is(void **unused)
{
  DV_UNUSED(unused);
#define BALL(y) "<VisualPointCloud drawMode='Sphere' sphereRadius='1' position='0 " y " 0'/>"
#define POST \
  "<VisualPointCloud drawMode='Sphere' sphereRadius='0.05' position='-2 -0.95 0  -2 6.95 0'/>"   // the same scene
  int low = shadow_depth("<Node gravity='0 -9.81 0'>" BALL("0.2") POST "</Node>", 0.2),
      high = shadow_depth("<Node gravity='0 -9.81 0'>" BALL("5") POST "</Node>", 5);
  if (low < 0) {
    print_message("without OpenGL: left out\n");
    return;
  }
  if (!(high > 15 && low > high + 20)) fail_msg("a shadow is %d deep below, %d from high above", low, high);
}

static void test_the_same_scene_gives_the_same_bytes(void **unused)
{
  DV_UNUSED(unused);
  unsigned char *first = dv_alloc(3 * W * H);
  for (int i = 0; i < 2; i++) {
    Shot s = open_shot(CUBE("0.2 0.5 0.8 1", ""));
    const unsigned char *rgb = draw(&s);
    if (i) assert_memory_equal(first, rgb, 3 * W * H);
    memcpy(first, rgb, 3 * W * H);
    assert_memory_equal(first, draw(&s), 3 * W * H);
    close_shot(&s);
  }
  dv_free(first);
}

// a ball: its outline is an ellipse whose area follows from the camera alone
static void test_a_ball_covers_what_it_must(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot("<Node gravity='0 -9.81 0'><VisualPointCloud drawMode='Sphere' position='0 0 0' sphereRadius='1' "
                     "color='0.1 0.6 0.2 1'/></Node>");
  s.options.no_ground = true;
  const unsigned char *rgb = draw(&s);
  const dvCamera *c = &dv_painter_stage(s.painter)->camera;
  int covered = 0;
  for (int i = 0; i < W * H; i++) covered += rgb[3 * i + 1] > rgb[3 * i] + 25;
  // tangent cone of half angle a, cut by a plane at distance 1: a circle, since the ball is in the middle
  double a = asin(1 / c->distance), radius = tan(a) / 0.32491969623290634 * H / 2, area = M_PI * radius * radius;
  assert_true(fabs(covered - area) < 0.03 * area);
  close_shot(&s);
}

// a body falls by 4.9 m: by how much what the camera looks at sinks with it, meanwhile
static double sinking(const char *camera)
{
  char *text =
      dv_format("<Node gravity='0 -9.81 0' dt='0.02'>%s<Node name='A'><EulerExplicitSolver/><MechanicalObject name='x' "
                "position='0 0 0  1 1 1'/><UniformMass vertexMass='1'/><OglModel position='@x.position' triangles='0 1 "
                "1'/></Node></Node>",
                camera);
  Shot s = open_shot(text);
  draw(&s);
  double from = dv_painter_stage(s.painter)->camera.target[1];
  for (int i = 0; i < 50; i++) {
    assert_int_equal(dv_scene_step(s.scene, 0), DV_OK);
    draw(&s);
  }
  double to = dv_painter_stage(s.painter)->camera.target[1];
  close_shot(&s);
  dv_free(text);
  return from - to;
}

static void test_cameras_go_along_unless_they_have_a_place(void **unused)
{
  DV_UNUSED(unused);
  assert_true(sinking("") > 3);
  check_close(sinking("<InteractiveCamera position='0 0 8' lookAt='0 0 0'/>"), 0, 1e-12);
}

static int upright(const char *gravity, const char *camera)
{
  char *text = dv_format("<Node gravity='%s'>%s<OglModel position='0 0 0  1 0 0  0 1 1' triangles='0 1 2'/></Node>",
                         gravity, camera);
  Shot s = open_shot(text);
  draw(&s);
  int up = dv_painter_stage(s.painter)->camera.up;
  close_shot(&s);
  dv_free(text);
  return up;
}

static void test_upright_as_gravity_or_the_camera_has_it(void **unused)
{
  DV_UNUSED(unused);
  // turned about x by 90 degrees: looks along y, z is above; by -90 with x above: about y after that
  const char *along_y = "<InteractiveCamera position='0 -5 0' orientation='0.7071068 0 0 0.7071068'/>",
             *x_above = "<InteractiveCamera position='0 0 5' orientation='0 0 -0.7071068 0.7071068'/>";
  assert_int_equal(upright("0 0 0", ""), 1);
  assert_int_equal(upright("0 0 -9.81", ""), 2);
  assert_int_equal(upright("0 0 0", along_y), 2);
  assert_int_equal(upright("0 0 0", x_above), 0);
  assert_int_equal(upright("0 -9.81 0", along_y), 1);
  assert_int_equal(upright("0 0 0", "<InteractiveCamera position='0 -5 0' lookAt='0 0 0'/>"), 1);
}

static void test_plain_and_gl_agree_where_bodies_are(void **unused)
{
  DV_UNUSED(unused);
  static const char text[] = CUBE(
      "0.8 0.3 0.1 1", "<VisualPointCloud drawMode='Sphere' position='2 0 0' sphereRadius='0.5' color='0 0.3 0.9 1'/>");
  Shot s = open_shot(text);
  if (no_gl(&s)) return;
  s.options.no_ground = true;
  setenv("DIVAN_RENDERER", "plain", 1);
  Shot plain = open_shot(text);
  unsetenv("DIVAN_RENDERER");
  assert_false(has_gl(&plain));
  const unsigned char *a = draw(&s), *b = draw(&plain);
  int apart = 0, bodies = 0;
  for (int i = 0; i < W * H; i++) {
    int hue_a = a[3 * i] - a[3 * i + 2], hue_b = b[3 * i] - b[3 * i + 2];   // red cube, blue ball, grey background
    int kind_a = hue_a > 40 ? 1 : hue_a < -60 ? 2 : 0, kind_b = hue_b > 40 ? 1 : hue_b < -60 ? 2 : 0;
    bodies += kind_a != 0;
    apart += kind_a != kind_b;
  }
  assert_true(bodies > W * H / 10);
  assert_true(apart < bodies / 20);   // the rims
  close_shot(&s);
  close_shot(&plain);
}

// --- lights of the scene -------------------------------------------------------------------------

static void test_lights_of_the_scene(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(CUBE("1 1 1 1", "<LightManager/><DirectionalLight direction='-1 0 0' color='0 1 0 1'/>"));
  if (no_gl(&s)) return;
  const unsigned char *rgb = draw(&s), *right = at(&s, rgb, 1, 0, 0), *top = at(&s, rgb, 0, 1, 0);
  assert_true(right[1] > right[0] + 60);    // green light from the right
  assert_true(abs(top[1] - top[0]) < 25);   // none from above
  close_shot(&s);
  s = open_shot(
      CUBE("1 1 1 1", "<LightManager/><SpotLight position='0 6 0' direction='0 -1 0' cutoff='6' color='1 0 0 1'/>"));
  rgb = draw(&s);
  const unsigned char *inside = at(&s, rgb, 0, 1, 0), *outside = at(&s, rgb, 0.9, 1, 0.9);
  assert_true(inside[0] > inside[1] + 60);   // a cone of 6 degrees from 5 m: a circle of 0.53 m
  assert_true(abs(outside[0] - outside[1]) < 25);
  close_shot(&s);
}

static void test_a_light_of_the_scene_casts_shadows(void **unused)
{
  DV_UNUSED(unused);
#define SHADED(shadows)                                                                                                \
  "<Node gravity='0 -9.81 0'><LightManager" shadows "/><PositionalLight position='0 8 0'/>"                            \
  "<Node name='F'><RegularGridTopology name='g' n='9 1 9' min='-2 0 -2' max='2 0 2'/><OglModel src='@g' color='1 1 1 " \
  "1'/></Node>"                                                                                                        \
  "<VisualPointCloud drawMode='Sphere' position='0 1.5 0' sphereRadius='0.5' color='0.5 0.5 0.5 1'/></Node>"
  int under[2], beside[2];
  for (int i = 0; i < 2; i++) {
    Shot s = open_shot(i ? SHADED(" shadows='0'") : SHADED(""));
    if (no_gl(&s)) return;
    static const dvCameraWish above = {.turned = true, .zoom = 1, .elevation = 0.9};
    s.options.camera = &above;
    const unsigned char *rgb = draw(&s);
    under[i] = light_of(at(&s, rgb, 0, 0, 0.2)), beside[i] = light_of(at(&s, rgb, 1.5, 0, 1));
    close_shot(&s);
  }
  assert_true(under[0] < beside[0] - 100);   // shadows='1' or nothing said
  assert_true(under[1] > under[0] + 100);    // shadows='0'
}

// --- translucent, cut, coloured ------------------------------------------------------------------

static void test_translucent_bodies_in_any_order(void **unused)
{
  DV_UNUSED(unused);
#define PANE(name, z, colour)                                                                         \
  "<Node name='" name "'><RegularGridTopology name='g' n='2 2 1' min='-1 -1 " z "' max='1 1 " z "'/>" \
  "<OglModel src='@g' color='" colour "'/></Node>"
  unsigned char *first = dv_alloc(3 * W * H);
  for (int i = 0; i < 2; i++) {
    Shot s = open_shot(i ? "<Node>" PANE("B", "1", "0 0 1 0.5") PANE("A", "-1", "1 0 0 0.5") "</Node>"
                         : "<Node>" PANE("A", "-1", "1 0 0 0.5") PANE("B", "1", "0 0 1 0.5") "</Node>");
    if (no_gl(&s)) {
      dv_free(first);
      return;
    }
    static const dvCameraWish front = {.turned = true, .zoom = 1};
    s.options.camera = &front;
    const unsigned char *rgb = draw(&s), *p = at(&s, rgb, 0, 0, 1);
    assert_true(p[2] > p[0] + 20 && p[0] > 60);   // the blue one is in front, the red one behind it
    if (i) assert_memory_equal(first, rgb, 3 * W * H);
    memcpy(first, rgb, 3 * W * H);
    close_shot(&s);
  }
  dv_free(first);
}

static void test_planes_cut_and_labels_are_written(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(CUBE("0.9 0.1 0.1 1",
                          "<BackgroundSetting color='0 0 0 1'/><ClipPlane position='0 0 0' normal='-1 0 0'/>"
                          "<OglLabel label='Hi' x='4' y='4' fontsize='20' color='1 1 0 1'/>"));
  static const dvCameraWish front = {.turned = true, .zoom = 1};
  s.options.camera = &front;
  s.options.no_ground = true;
  const unsigned char *rgb = draw(&s), *kept = at(&s, rgb, -0.5, 0, 1), *gone = at(&s, rgb, 0.5, 0.2, 1);
  assert_true(kept[0] > 80 && kept[0] > 2 * kept[1]);
  assert_int_equal(light_of(gone), 0);
  int yellow = 0;
  for (int y = 4; y < 26; y++)
    for (int x = 2; x < 30; x++)
      yellow += rgb[3 * (y * W + x)] > 150 && rgb[3 * (y * W + x) + 1] > 150 && rgb[3 * (y * W + x) + 2] < 60;
  assert_true(yellow > 20 && yellow < 300);
  close_shot(&s);
}

static void test_numbers_become_colours(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(
      "<Node gravity='0 0 0'><MeshTopology name='g' position='-1 -1 0 1 -1 0 -1 1 0 1 1 0' triangles='0 1 3 0 3 2'/>"
      "<VisualMesh topology='@g' position='@g.position' vertexValues='0 1 0 1'/></Node>");
  if (no_gl(&s)) return;
  static const dvCameraWish front = {.turned = true, .zoom = 1};
  s.options.camera = &front;
  const unsigned char *rgb = draw(&s), *low = at(&s, rgb, -0.95, 0, 0), *high = at(&s, rgb, 0.95, 0, 0);
  assert_true(low[2] > low[1] && low[0] < 120);   // viridis begins violet
  assert_true(high[0] > 150 && high[2] < 110);    // and ends yellow
  assert_int_equal(dv_painter_stage(s.painter)->shapes.ranges.count, 1);
  close_shot(&s);
}

// fibres as arrows: red along x, green along y, blue along z
static void test_arrows_have_the_colours_of_their_directions(void **unused)
{
  DV_UNUSED(unused);
  for (int way = 0; way < 3; way++) {
    char *text = dv_format("<Node><DefaultAnimationLoop/><VisualStyle displayFlags='showVisual'/><MeshTopology "
                           "position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><FibreField draw='arrows' "
                           "vectors='%d %d %d'/></Node>",
                           way == 0, way == 1, way == 2);
    Shot s = open_shot(text);
    const unsigned char *rgb = draw(&s);
    int count[3] = {0};
    for (int i = 0; i < W * H; i++)
      for (int k = 0; k < 3; k++) {
        const unsigned char *p = rgb + 3 * i;
        count[k] += p[k] > p[(k + 1) % 3] + 40 && p[k] > p[(k + 2) % 3] + 40;
      }
    for (int k = 0; k < 3; k++)
      if (k == way) assert_true(count[k] > 0);
      else assert_int_equal(count[k], 0);
    close_shot(&s);
    dv_free(text);
  }
}

// a ray through a ball at a distance b from its middle goes 2 sqrt(r2 - b2) through it
static void test_xrays_are_swallowed_as_beer_says(void **unused)
{
  DV_UNUSED(unused);
  static const double mu = 0.7;
  Shot s = open_shot("<Node><VisualPointCloud drawMode='Sphere' position='0 0 0' sphereRadius='1'/></Node>");
  if (no_gl(&s)) return;
  s.options.xray = mu;
  const unsigned char *rgb = draw(&s);
  const dvCamera *c = &dv_painter_stage(s.painter)->camera;
  int rays = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      // the ray through the middle of a pixel, and its distance from the middle of the ball
      double u = (2 * (x + 0.5) / W - 1) * W / H * 0.32491969623290634,
             v = (1 - 2 * (y + 0.5) / H) * 0.32491969623290634;
      double b = c->distance * sqrt((u * u + v * v) / (1 + u * u + v * v));
      if (b > 0.98 && b < 1.02) continue;   // the rim, where one pixel sees much
      double want = b < 1 ? exp(-2 * mu * sqrt(1 - b * b)) : 1, got = rgb[3 * (y * W + x)] / 255.0;
      check_close(got, want, 0.01);
      rays += b < 1;
    }
  assert_true(rays > 1000);
  close_shot(&s);
}

// A vessel full of contrast agent takes exp(-absorption amount way) of a ray, beside what bodies take; an empty one
// takes nothing.
static void test_contrast_agent_swallows_xrays(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(
      "<Node dt='0.5'><DefaultAnimationLoop/><Node name='V'><MeshTopology position='-1 0 0  1 0 0' edges='0 1'/>"
      "<VesselNetwork name='n' radius='0.1' thickness='0.01' cellLength='0.1' sides='48' absorption='6' "
      "restPressure='0' inflow='0.02' contrastInflow='0.5' resistance='0'/></Node><Node>"
      "<VisualPointCloud drawMode='Sphere' position='0 0.6 0' sphereRadius='0.2'/></Node></Node>");
  if (no_gl(&s)) return;
  static const dvCameraWish front = {.turned = true, .zoom = 1};
  s.options.camera = &front;
  s.options.xray = 2;
  assert_int_equal(s.context->log.worst, DV_OK);
  const unsigned char *rgb = draw(&s);
  check_close(at(&s, rgb, 0.5, 0, 0)[0] / 255.0, 1, 0.01);
  for (int i = 0; i < 12; i++) assert_int_equal(dv_scene_step(s.scene, 0), DV_OK);
  rgb = draw(&s);
  dvNode *node = s.scene->root->children.data[0];
  const dvReals *radii = dv_object_field(dv_node_object(node, "n"), "radii")->value;   // pressure widens it
  check_close(at(&s, rgb, 0.5, 0, 0)[0] / 255.0, exp(-6 * 0.5 * 2 * (0.75 * radii->data[1] + 0.25 * radii->data[0])),
              0.02);
  check_close(at(&s, rgb, 0, 0.6, 0)[0] / 255.0, exp(-2 * 0.4), 0.02);
  close_shot(&s);
}

// Drops of a liquid are one surface that lets through what is behind; as balls they hide it.
static void test_liquids_are_one_surface(void **unused)
{
  DV_UNUSED(unused);
  int red[2], rough[2];
  for (int balls = 0; balls < 2; balls++) {
    char text[700];
    snprintf(text, sizeof text,
             "<Node><RegularGridTopology name='g' n='9 9 1' min='-0.8 -0.8 0' max='0.8 0.8 0'/><OglFluidModel "
             "position='@g.position' spriteRadius='0.16' spriteDiffuseColor='0.1 0.3 0.9 1' debugFBO='%d'/><Node>"
             "<RegularGridTopology name='b' n='2 2 2' min='-3 -3 -3' max='3 3 -2'/><OglModel src='@b' color='1 0 0 "
             "1'/></Node></Node>",
             balls ? 0 : 9);
    Shot s = open_shot(text);
    if (no_gl(&s)) return;
    static const dvCameraWish front = {.turned = true, .zoom = 1.5};
    s.options.camera = &front;
    const unsigned char *rgb = draw(&s);
    red[balls] = at(&s, rgb, 0, 0, 0)[0];
    rough[balls] = 0;   // from one drop to the next
    for (int i = -6; i < 6; i++)
      rough[balls] += abs(light_of(at(&s, rgb, 0.05 * i, 0.1, 0)) - light_of(at(&s, rgb, 0.05 * (i + 1), 0.1, 0)));
    assert_true(at(&s, rgb, 0, 0, 0)[2] > at(&s, rgb, 0, 2, -2)[2] + 30);   // water is there
    close_shot(&s);
  }
  assert_true(red[0] > red[1] + 15);
  assert_true(2 * rough[0] < rough[1]);
}

static void test_cells_of_volumes(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(
      "<Node gravity='0 -9.81 0'><RegularGridTopology name='g' n='3 2 2' min='-1 0 0' max='1 1 1'/><MechanicalObject/>"
      "<OglVolumetricModel volumeScale='0.5' color='0.8 0.1 0.1 1'/></Node>");
  static const dvCameraWish front = {.turned = true, .zoom = 1};
  s.options.camera = &front;
  s.options.no_ground = true;
  const unsigned char *rgb = draw(&s), *cell = at(&s, rgb, 0.5, 0.5, 0.75), *gap = at(&s, rgb, 0, 0.5, 0.75);
  assert_true(cell[0] > 2 * cell[1]);   // two cells of half their size
  assert_true(gap[0] < gap[1] + 25);    // and air between them
  const dvShapes *shapes = &dv_painter_stage(s.painter)->shapes;
  check_close(shapes->low[0], -0.75, 1e-6);
  check_close(shapes->high[1], 0.75, 1e-6);
  close_shot(&s);
}

static void test_lines_beside_the_scene(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(CUBE("0.2 0.2 0.2 1", "<BackgroundSetting color='1 1 1 1'/><LineAxis axis='xz' size='100'/>"
                                           "<VisualGrid plane='y' size='4' nbSubdiv='4' color='1 0 1 1'/>"));
  s.options.no_ground = true;
  draw(&s);
  const dvShapes *shapes = &dv_painter_stage(s.painter)->shapes;
  check_close(shapes->high[0], 1, 1e-6);   // the camera looks at the cube, not at the axes
  size_t lines[3] = {0};
  for (size_t i = 0, k = 0; i < shapes->batches.count; i++)
    if (shapes->batches.data[i].kind == DV_BATCH_LINES && k < 3 && shapes->batches.data[i].count)
      lines[k++] = shapes->batches.data[i].count / 2;
  assert_int_equal(lines[0] + lines[1], 2);   // two axes
  assert_int_equal(lines[2], 10);             // five lines each way
  close_shot(&s);
}

// --- bad input -----------------------------------------------------------------------------------

static void test_nothing_and_nonsense(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot("<Node/>");   // nothing to see
  draw(&s);
  close_shot(&s);
  s = open_shot(
      "<Node><VisualPointCloud drawMode='Sphere' position='nan 0 0 1 0 0 1e300 0 0 inf 1 1' sphereRadius='0.1'/>"
      "<OglLabel label='&#233;&#10;x' x='1e9' y='-1e9' fontsize='1e9'/></Node>");
  draw(&s);
  close_shot(&s);
  dvCameraWish w;
  char why[100];
  static const char *const bad[] = {"",    "1",           "1,",        "1,2,3,4", "1,2,0",
                                    "a,b", "1,2,3/1,2,3", "1,2,3/4,5", "nan,0",   "upside"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) assert_false(dv_camera_parse(bad[i], &w, why));
  assert_true(dv_camera_parse("-30,20,1.5", &w, why) && w.turned && fabs(w.azimuth + M_PI / 6) < 1e-12 &&
              w.zoom == 1.5);
  assert_true(dv_camera_parse("1,2,3/0,0,-1e-2", &w, why) && w.placed && w.target[2] == -0.01);
}

// --- files ---------------------------------------------------------------------------------------

static void test_png(void **unused)
{
  DV_UNUSED(unused);
  unsigned char rgb[3 * 7 * 5];
  for (size_t i = 0; i < sizeof rgb; i++) rgb[i] = (unsigned char)(i * i * 37 + (i % 3) * 11);
  dvText text = {0};
  assert_true(dv_png_encode(&text, rgb, 7, 5));
  dvImage image = {0};
  char why[100] = "";
  if (dv_image_decode(text.text, text.length, &image, why) == DV_OK) {
    assert_int_equal(image.width, 7);
    assert_int_equal(image.height, 5);
    assert_int_equal(image.channels, 3);
    assert_memory_equal(image.pixels, rgb, sizeof rgb);
    dv_image_free(&image);
  }
  dv_text_free(&text);
}

static void test_films(void **unused)
{
  DV_UNUSED(unused);
  char directory[] = "/tmp/divan-film-XXXXXX", path[200], program[200], file[200];
  assert_non_null(mkdtemp(directory));
  unsigned char rgb[3 * 4 * 2] = {1, 2, 3};
  char *before = dv_strdup(getenv("PATH"));
  snprintf(path, sizeof path, "%s/film.webm", directory);
  // without ffmpeg: pictures
  setenv("PATH", directory, 1);
  dvFilm *film = dv_film_open(path, 4, 2, 25, NULL);
  for (int i = 0; i < 3; i++) assert_int_equal(dv_film_add(film, rgb), DV_OK);
  assert_int_equal(dv_film_close(&film), DV_OK);
  snprintf(file, sizeof file, "%s/film-00002.png", directory);
  assert_true(dv_file_exists(file));
  assert_false(dv_file_exists(path));
  // something that takes all bytes and its last argument as ffmpeg does
  snprintf(program, sizeof program, "%s/ffmpeg", directory);
  FILE *f = fopen(program, "w");
  fprintf(f, "#!/bin/sh\nfor last; do :; done\nexec /bin/cat > \"$last\"\n");
  fclose(f);
  chmod(program, 0755);
  film = dv_film_open(path, 4, 2, 25, NULL);
  for (int i = 0; i < 3; i++) assert_int_equal(dv_film_add(film, rgb), DV_OK);
  assert_int_equal(dv_film_close(&film), DV_OK);
  size_t length = 0;
  char *bytes = dv_file_read(path, &length);
  assert_int_equal(length, 3 * sizeof rgb);
  assert_memory_equal(bytes + sizeof rgb, rgb, sizeof rgb);
  dv_free(bytes);
  // one that refuses
  f = fopen(program, "w");
  fprintf(f, "#!/bin/sh\nexit 3\n");
  fclose(f);
  film = dv_film_open(path, 4, 2, 25, NULL);
  dv_film_add(film, rgb);
  assert_int_equal(dv_film_close(&film), DV_ERROR_INPUT);
  setenv("PATH", before, 1);
  dv_free(before);
  char *command = dv_format("rm -r %s", directory);
  assert_int_equal(system(command), 0);
  dv_free(command);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_body_stands_in_the_middle_and_casts_a_shadow),
      cmocka_unit_test(test_shadows_are_paler_the_higher_the_body_is),
      cmocka_unit_test(test_the_same_scene_gives_the_same_bytes),
      cmocka_unit_test(test_a_ball_covers_what_it_must),
      cmocka_unit_test(test_cameras_go_along_unless_they_have_a_place),
      cmocka_unit_test(test_upright_as_gravity_or_the_camera_has_it),
      cmocka_unit_test(test_plain_and_gl_agree_where_bodies_are),
      cmocka_unit_test(test_lights_of_the_scene),
      cmocka_unit_test(test_a_light_of_the_scene_casts_shadows),
      cmocka_unit_test(test_translucent_bodies_in_any_order),
      cmocka_unit_test(test_planes_cut_and_labels_are_written),
      cmocka_unit_test(test_numbers_become_colours),
      cmocka_unit_test(test_arrows_have_the_colours_of_their_directions),
      cmocka_unit_test(test_xrays_are_swallowed_as_beer_says),
      cmocka_unit_test(test_contrast_agent_swallows_xrays),
      cmocka_unit_test(test_liquids_are_one_surface),
      cmocka_unit_test(test_cells_of_volumes),
      cmocka_unit_test(test_lines_beside_the_scene),
      cmocka_unit_test(test_nothing_and_nonsense),
      cmocka_unit_test(test_png),
      cmocka_unit_test(test_films),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
