// Colours that a scene chooses for numbers (OglColorMap), and what stands elsewhere than it is simulated
// (VisualTransform): schemes by their formulas, pixels of both painters, arrays of the draw list.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "render/picture.h"
#include "state/state.h"
#include "view/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { W = 96, H = 72 };

typedef struct Shot {
  dvContext *context;
  dvScene *scene;
  dvPainter *painter;
} Shot;

static Shot open_shot(const char *text)
{
  Shot s = {.context = dv_divan_create(1)};
  assert_int_equal(dv_scene_parse(s.context, "test.scn", text, strlen(text), &s.scene), DV_OK);
  dv_scene_init(s.scene);
  s.painter = dv_painter_create(W, H, &s.context->log);
  return s;
}

static void close_shot(Shot *s)
{
  dv_painter_destroy(&s->painter);
  dv_scene_destroy(&s->scene);
  dv_divan_destroy(&s->context);
}

static const unsigned char *draw(Shot *s)
{
  static const dvCameraWish front = {.turned = true, .zoom = 1};
  const unsigned char *rgb = dv_painter_draw(s->painter, s->scene, &(dvStageOptions){.camera = &front});
  assert_non_null(rgb);
  return rgb;
}

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

// --- schemes ---

static void read_scheme(const char *attributes, dvColourMap *out)
{
  char text[300];
  snprintf(text, sizeof text, "<Node><OglColorMap %s/></Node>", attributes);
  Shot s = open_shot(text);
  dv_map_read(s.scene->root->objects.data[0], out);
  close_shot(&s);
}

static void test_schemes_have_their_colours(void **unused)
{
  DV_UNUSED(unused);
  static const struct {
    const char *name;
    unsigned char first[3], middle[3], last[3];
  } schemes[] = {{"HSV", {255, 0, 0}, {0, 255, 255}, {255, 0, 0}},
                 {"Red to Blue", {255, 0, 0}, {0, 255, 0}, {0, 0, 255}},
                 {"Blue to Red", {0, 0, 255}, {0, 255, 0}, {255, 0, 0}},
                 {"Yellow to Cyan", {255, 255, 0}, {0, 255, 0}, {0, 255, 255}},
                 {"Cyan to Yellow", {0, 255, 255}, {0, 255, 0}, {255, 255, 0}},
                 {"Red to Yellow", {255, 0, 0}, {255, 128, 0}, {255, 255, 0}},
                 {"Yellow to Red", {255, 255, 0}, {255, 128, 0}, {255, 0, 0}},
                 {"Yellow to Green", {255, 255, 0}, {128, 255, 0}, {0, 255, 0}},
                 {"Green to Yellow", {0, 255, 0}, {128, 255, 0}, {255, 255, 0}},
                 {"Green to Cyan", {0, 255, 0}, {0, 255, 128}, {0, 255, 255}},
                 {"Cyan to Green", {0, 255, 255}, {0, 255, 128}, {0, 255, 0}},
                 {"Cyan to Blue", {0, 255, 255}, {0, 128, 255}, {0, 0, 255}},
                 {"Blue to Cyan", {0, 0, 255}, {0, 128, 255}, {0, 255, 255}},
                 {"Red", {77, 0, 0}, {255, 0, 0}, {255, 179, 179}},
                 {"RedInv", {255, 179, 179}, {255, 0, 0}, {77, 0, 0}},
                 {"Green", {0, 77, 0}, {0, 255, 0}, {179, 255, 179}},
                 {"GreenInv", {179, 255, 179}, {0, 255, 0}, {0, 77, 0}},
                 {"Blue", {0, 0, 77}, {0, 0, 255}, {179, 179, 255}},
                 {"BlueInv", {179, 179, 255}, {0, 0, 255}, {0, 0, 77}}};
  for (size_t i = 0; i < DV_COUNT(schemes); i++) {
    char text[80];
    dvColourMap m;
    snprintf(text, sizeof text, "colorScheme='%s'", schemes[i].name);
    read_scheme(text, &m);
    assert_int_equal(m.count, 256);
    const unsigned char *want[3] = {schemes[i].first, schemes[i].middle, schemes[i].last};
    for (int k = 0; k < 3; k++) {
      unsigned char rgb[3];
      dv_map_at(&m, 0.5 * k, rgb);
      for (int c = 0; c < 3; c++) assert_true(abs(rgb[c] - want[k][c]) <= 1);
    }
  }
}

// i / (n - 1) of the way, for every number of colours: SOFA's mixtures stop one colour short (docs/differences.md)
static void test_palettes_end_where_they_say(void **unused)
{
  DV_UNUSED(unused);
  static const struct {
    const char *name;
    int last[3];
  } ends[] = {{"Red to Yellow", {255, 255, 0}}, {"Yellow to Green", {0, 255, 0}}, {"Blue to Cyan", {0, 255, 255}},
              {"Red to Blue", {0, 0, 255}},     {"Red", {255, 179, 179}},         {"GreenInv", {0, 77, 0}}};
  static const int sizes[] = {2, 3, 8, 256};
  for (size_t i = 0; i < DV_COUNT(ends); i++)
    for (size_t k = 0; k < DV_COUNT(sizes); k++) {
      char text[80];
      dvColourMap m;
      snprintf(text, sizeof text, "colorScheme='%s' paletteSize='%d'", ends[i].name, sizes[k]);
      read_scheme(text, &m);
      const unsigned char *last = m.rgb[m.count - 1];
      for (int c = 0; c < 3; c++)
        if (abs(last[c] - ends[i].last[c]) > 1)
          fail_msg("%s of %d colours ends with %d in channel %d, not %d", ends[i].name, sizes[k], last[c], c,
                   ends[i].last[c]);
    }
}

static void test_sizes_of_palettes(void **unused)
{
  DV_UNUSED(unused);
  dvColourMap m;
  unsigned char rgb[3];
  read_scheme("colorScheme='Red to Blue' paletteSize='2'", &m);   // two colours, mixed between them: no green
  assert_int_equal(m.count, 2);
  dv_map_at(&m, 0.5, rgb);
  assert_true(abs(rgb[0] - 128) <= 1 && rgb[1] == 0 && abs(rgb[2] - 128) <= 1);
  static const char *const nonsense[] = {"paletteSize='1'", "paletteSize='-7'", "paletteSize='2000000000'"};
  for (size_t i = 0; i < DV_COUNT(nonsense); i++) {
    read_scheme(nonsense[i], &m);
    assert_int_equal(m.count, 256);
  }
  dv_map_at(&m, NAN, rgb);
  dv_map_at(&m, -1e300, rgb);
  assert_int_equal(rgb[0], 255);
  dv_map_at(&m, 1e300, rgb);
  assert_int_equal(rgb[0], 255);
}

// --- in the picture ---

#define SQUARE(map, more)                                                                                         \
  "<Node gravity='0 0 0'>" map "<Node name='n'><MeshTopology name='g' position='-1 -1 0 1 -1 0 -1 1 0 1 1 0' "    \
  "triangles='0 1 3 0 3 2'/><DataDisplay name='d' topology='@g' position='@g.position' pointData='0 1 0 1' " more \
  "/></Node></Node>"

static void test_a_map_of_the_scene_colours_numbers(void **unused)
{
  DV_UNUSED(unused);
  for (int plain = 0; plain < 2; plain++) {
    if (plain) setenv("DIVAN_RENDERER", "plain", 1);
    Shot s = open_shot(SQUARE("<OglColorMap colorScheme='Green' showLegend='0'/>"
                              "<OglColorMap name='map' colorScheme='Blue to Red' showLegend='0'/>",
                              ""));
    const unsigned char *rgb = draw(&s), *low = at(&s, rgb, -0.95, 0, 0), *high = at(&s, rgb, 0.95, 0, 0);
    assert_true(low[2] > 150 && low[0] < 90);   // the last one counts
    assert_true(high[0] > 150 && high[2] < 90);
    const dvShapes *shapes = &dv_painter_stage(s.painter)->shapes;
    assert_int_equal(shapes->map_count, 2);
    assert_string_equal(shapes->maps[1]->name, "map");
    close_shot(&s);
    unsetenv("DIVAN_RENDERER");
  }
}

static void test_a_link_and_a_range_of_its_own(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(SQUARE("<OglColorMap name='map' colorScheme='Blue to Red'/><OglColorMap colorScheme='Green'/>",
                            "colorMap='@../map' userRange='-1 1'"));
  const unsigned char *rgb = draw(&s), *middle = at(&s, rgb, -0.95, 0, 0);
  assert_true(middle[1] > 150 && middle[0] < 110 && middle[2] < 110);   // 0 is the middle of -1 to 1: green
  const dvRange *r = &dv_painter_stage(s.painter)->shapes.ranges.data[0];
  assert_true(r->fixed && r->low == -1 && r->high == 1);
  close_shot(&s);
}

static void test_an_unknown_scheme_is_told_once(void **unused)
{
  DV_UNUSED(unused);
  Shot s = open_shot(SQUARE("<OglColorMap colorScheme='Sunset'/>", ""));
  int before = s.context->log.counts[DV_WARNING];
  draw(&s), draw(&s);
  assert_int_equal(s.context->log.counts[DV_WARNING] - before, 1);
  close_shot(&s);
}

static int ink_of_legend(Shot *s)
{
  const unsigned char *rgb = draw(s);
  int blue = 0;
  for (int i = 3 * W * (H - 34); i < 3 * W * H; i += 3) blue += rgb[i + 2] > 240 && rgb[i] < 60 && rgb[i + 1] < 60;
  return blue;
}

static void test_legends_are_shown_and_hidden(void **unused)
{
  DV_UNUSED(unused);
  static const char *const maps[] = {"showLegend='1'", "", "showLegend='0'"};
  for (int i = 0; i < 3; i++) {
    char text[600];
    snprintf(text, sizeof text, SQUARE("<OglColorMap colorScheme='Blue' %s/>", ""), maps[i]);
    Shot s = open_shot(text);
    assert_true(i < 2 ? ink_of_legend(&s) > 0 : ink_of_legend(&s) == 0);
    close_shot(&s);
  }
  // one that nothing uses
  Shot s =
      open_shot("<Node><OglColorMap colorScheme='Blue' min='2' max='3' showLegend='1'/><Node name='A'>"
                "<RegularGridTopology name='g' n='2 2 2' min='0 0 0' max='1 1 1'/><OglModel src='@g'/></Node></Node>");
  const dvObject *lone[2];
  assert_true(ink_of_legend(&s) > 0);
  assert_int_equal(dv_map_lone(&dv_painter_stage(s.painter)->draw, lone, 2), 1);
  close_shot(&s);
}

// --- VisualTransform ---

#define TURNED "3 0 0  0 0 0.7071067811865476 0.7071067811865476"   // by a quarter about z
#define MOVED(where, above)                                             \
  "<Node gravity='0 0 0'>" above "<Node name='A'>" where                \
  "<OglModel name='m' position='0 0 0 1 0 0 0 2 0' triangles='0 1 2'/>" \
  "<MechanicalObject name='f' template='Rigid3' position='1 0 0 0 0 0 1'/></Node></Node>"

static const dvDrawable *drawable(const dvDraw *d, dvDrawGroup group, dvDrawKind kind)
{
  for (size_t i = 0; i < d->list.count; i++)
    if (d->list.data[i].group == group && d->list.data[i].kind == kind) return &d->list.data[i];
  fail();
  return NULL;
}

static void check_numbers(const dvDraw *d, int array, const double *want, size_t count)
{
  assert_true(array >= 0 && d->arrays.data[array].count >= count);
  const float *x = (const float *)(const void *)d->arrays.data[array].data;
  for (size_t i = 0; i < count; i++) {
    if (!(fabs(x[i] - want[i]) < 1e-6)) print_message("number %zu is %g, not %g\n", i, x[i], want[i]);
    assert_true(fabs(x[i] - want[i]) < 1e-6);
  }
}

static void test_what_is_drawn_stands_elsewhere(void **unused)
{
  DV_UNUSED(unused);
  static const char *const scenes[] = {MOVED("<VisualTransform transform='" TURNED "'/>", ""),
                                       MOVED("", "<VisualTransform recursive='1' transform='" TURNED "'/>"),
                                       MOVED("", "<VisualTransform transform='" TURNED "'/>"),
                                       MOVED("<VisualTransform transform='1 2 3'/>", "")};
  for (int i = 0; i < 4; i++) {
    Shot s = open_shot(scenes[i]);
    dvDraw d = {0};
    double low[3], high[3];
    dv_draw_build(&d, s.scene);
    assert_true(dv_draw_box(&d, low, high));   // before anything is filled, as the page asks for it
    double box[2] = {i < 2 ? 1 : 0, i < 2 ? 3 : 1};
    assert_true(fabs(low[0] - box[0]) < 1e-6 && fabs(high[0] - box[1]) < 1e-6);
    dvNode *node = s.scene->root->children.data[0];
    dv_state_write(dv_state(node->objects.data[node->objects.count - 1]), DV_V)[0] = 1;
    uint64_t first = dv_draw_refresh(&d, ~0u);
    const dvDrawable *skin = drawable(&d, DV_DRAW_VISUAL, DV_DRAW_TRIANGLES),
                     *frame = drawable(&d, DV_DRAW_BEHAVIOR, DV_DRAW_FRAMES),
                     *arrow = drawable(&d, DV_DRAW_VELOCITIES, DV_DRAW_VECTORS);
    const double h = sqrt(0.5);
    if (i < 2) {   // x goes to y, y to -x
      check_numbers(&d, skin->positions, (const double[]){3, 0, 0, 3, 1, 0, 1, 0, 0}, 9);
      check_numbers(&d, frame->positions, (const double[]){3, 1, 0}, 3);
      check_numbers(&d, frame->frames, (const double[]){0, 0, h, h}, 4);
      check_numbers(&d, arrow->second, (const double[]){0, 1, 0}, 3);
    } else {   // nodes below are not meant, and three numbers are no frame
      check_numbers(&d, skin->positions, (const double[]){0, 0, 0, 1, 0, 0, 0, 2, 0}, 9);
      check_numbers(&d, frame->frames, (const double[]){0, 0, 0, 1}, 4);
    }
    // nothing moves: nothing is sent again
    dv_draw_refresh(&d, ~0u);
    assert_true(d.arrays.data[skin->positions].changed == first);
    dv_draw_free(&d);
    close_shot(&s);
  }
}

// --- tissue of the heart ---

#define TISSUE                                                                                                      \
  "<Node dt='0.01'><MeshTopology name='m' position='0 0 0 0.01 0 0 0 0.01 0 0 0 0.01' tetrahedra='0 1 2 3'/>"       \
  "<ElectricalState name='u' position='1 1 1 1'/><FibreField name='f' vectors='1 0 0' %s/><EikonalSolver name='e' " \
  "fibres='@f.fibres' speed='1'/><CardiacStimulus indices='0'/></Node>"

// Colours of a potential span 0 to 1, whatever it is; fibres stand where the tissue is, and are not drawn over it.
static void test_potentials_and_fibres(void **unused)
{
  DV_UNUSED(unused);
  for (int asked = 0; asked < 2; asked++) {
    char *text = dv_format(TISSUE, asked ? "draw='angles'" : "");
    Shot s = open_shot(text);
    dvDraw d = {0};
    double low[3], high[3];
    int surfaces = 0;
    dv_draw_build(&d, s.scene);
    assert_true(dv_draw_box(&d, low, high));
    for (int k = 0; k < 3; k++) assert_true(fabs(low[k]) < 1e-6 && fabs(high[k] - 0.01) < 1e-6);
    for (size_t i = 0; i < d.list.count; i++) {
      const dvDrawable *a = &d.list.data[i];
      if (a->kind != DV_DRAW_TRIANGLES || a->values < 0) continue;
      surfaces++;
      if (!dv_same(a->label, "potential")) continue;
      assert_true(a->range[0] == 0 && a->range[1] == 1);
    }
    assert_int_equal(surfaces, 1 + asked);
    dv_draw_free(&d);
    close_shot(&s);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_schemes_have_their_colours),
                                     cmocka_unit_test(test_palettes_end_where_they_say),
                                     cmocka_unit_test(test_sizes_of_palettes),
                                     cmocka_unit_test(test_a_map_of_the_scene_colours_numbers),
                                     cmocka_unit_test(test_a_link_and_a_range_of_its_own),
                                     cmocka_unit_test(test_an_unknown_scheme_is_told_once),
                                     cmocka_unit_test(test_legends_are_shown_and_hidden),
                                     cmocka_unit_test(test_what_is_drawn_stands_elsewhere),
                                     cmocka_unit_test(test_potentials_and_fibres)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
