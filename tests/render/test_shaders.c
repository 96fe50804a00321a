// Programs of the scene in a picture: which shader draws what, what it is given, geometry shaders, and what becomes of
// a program that does not compile. Left out, with a word, where there is no OpenGL.
#include "support/check.h"

#include "app/divan.h"
#include "base/file.h"
#include "io/scene/scene_file.h"
#include "render/picture.h"
#include "render/png.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { W = 60, H = 40 };
static char directory[] = "/tmp/divan-shaders-XXXXXX";
static dvText log_text;
static dvPainter *painter;   // compiles its own programs once
static struct {
  dvContext *context;
  dvScene *scene;
} all[60];   // they live as long as the painter: it tells scenes apart by their address
static int count;

static void write_file(const char *name, const char *text)
{
  char path[100];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void keep(void *user, const dvMessage *m)
{
  DV_UNUSED(user);
  dv_text_printf(&log_text, "%s|", m->text);
}

// the colour in the middle of a picture of a square, or of its left half
static bool middle(const char *inside, double part, unsigned char rgb[3])
{
  static const char square[] =
      "<OglModel position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3' color='0.2 0.4 0.6 1'/>";
  char *text = dv_format("<Node gravity='0 0 0'>%s%s</Node>", inside, strstr(inside, "<OglModel") ? "" : square);
  dvContext *context = dv_divan_create(1);
  dvLogTap tap = {.sink = keep};
  dvScene *scene = NULL;
  char name[100];
  dv_text_clear(&log_text);
  dv_log_tap(&context->log, &tap);
  snprintf(name, sizeof name, "%s/test.scn", directory);
  assert_int_equal(dv_scene_parse(context, name, text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  if (!painter) painter = dv_painter_create(W, H, NULL);
  bool there = !dv_same(dv_painter_renderer(painter), "plain");
  dvCameraWish camera = {.placed = true, .position = {0, 0, 4}};
  dvStageOptions options = {.camera = &camera, .no_ground = true, .still = true};
  const unsigned char *picture = dv_painter_draw(painter, scene, &options);
  assert_non_null(picture);
  memcpy(rgb, picture + 3 * (H / 2 * W + (int)(part * W)), 3);
  if (there) dv_painter_draw(painter, scene, &options);   // messages come once
  dv_log_untap(&context->log, &tap);
  assert_true(count < (int)DV_COUNT(all));
  all[count].context = context, all[count++].scene = scene;
  dv_free(text);
  if (!there) print_message("without OpenGL: left out\n");
  return there;
}

static void check_near(const unsigned char *rgb, int r, int g, int b)
{
  if (abs(rgb[0] - r) > 3 || abs(rgb[1] - g) > 3 || abs(rgb[2] - b) > 3)
    fail_msg("%d %d %d, wanted %d %d %d; log: %s", rgb[0], rgb[1], rgb[2], r, g, b, log_text.text ? log_text.text : "");
}

#define SHADER(fragment) "<OglShader fileVertexShaders='plain.vert' fileFragmentShaders='" fragment "'/>"

static void test_values(void **state)
{
  DV_UNUSED(state);
  unsigned char rgb[3];
  write_file("plain.vert", "void main() { gl_Position = ftransform(); }");
  write_file("values.frag",
             "uniform float r; uniform vec3 v[2]; uniform mat2 m; uniform ivec2 i;\n"
             "void main() { gl_FragColor = vec4(r, v[1].y + 0.01 * i.y, (m * vec2(0, 1)).x + ADD, 1); }");
  const char *given = "<OglFloatVariable id='r' value='0.5'/><OglFloatVector3Variable id='v' values='9 9 9  9 0.25 9'/>"
                      "<OglMatrix2Variable id='m' value='0 0 0.75 0'/><OglInt2Variable id='i' value='3 20'/>"
                      "<OglShaderDefineMacro id='ADD' value='0.125'/>";
  char *text = dv_format("%s%s", SHADER("values.frag"), given);
  if (middle(text, 0.5, rgb)) check_near(rgb, 128, 115, 223);
  dv_free(text);
  text = dv_format("%s%s", SHADER("values.frag"),
                   "<OglMatrix2Variable id='m' value='0 0.5 0 0' transpose='1'/>"
                   "<OglShaderDefineMacro id='ADD' value='0.25'/>");
  if (middle(text, 0.5, rgb)) check_near(rgb, 0, 0, 191);   // what is not given is 0
  dv_free(text);
}

static void test_scope(void **state)
{
  DV_UNUSED(state);
  unsigned char rgb[3];
  write_file("plain.vert", "void main() { gl_Position = ftransform(); }");
  write_file("red.frag", "void main() { gl_FragColor = vec4(1, 0, 0, 1); }");
  write_file("green.frag", "void main() { gl_FragColor = vec4(0, 1, 0, 1); }");
#define SQUARE "<OglModel position='-1 -1 0  1 -1 0  1 1 0  -1 1 0' quads='0 1 2 3' color='0.2 0.4 0.6 1'/>"
  if (!middle(SHADER("red.frag") SHADER("green.frag"), 0.5, rgb)) return;
  check_near(rgb, 0, 255, 0);   // the last one wins
  middle(SHADER("red.frag") "<Node name='a'><Node name='b'>" SQUARE "</Node></Node>", 0.5, rgb);
  check_near(rgb, 255, 0, 0);   // it holds below
  middle(SHADER("red.frag") "<Node name='a'>" SHADER("green.frag") SQUARE "</Node>", 0.5, rgb);
  check_near(rgb, 0, 255, 0);   // the nearer one
  middle("<Node name='a'>" SHADER("red.frag") "</Node><Node name='b'>" SQUARE "</Node>", 0.5, rgb);
  assert_true(rgb[2] > rgb[0]);   // not beside
  middle("<OglShader turnOn='0' fileVertexShaders='plain.vert' fileFragmentShaders='red.frag'/>", 0.5, rgb);
  assert_true(rgb[2] > rgb[0]);
}

static void test_attributes_and_light(void **state)
{
  DV_UNUSED(state);
  unsigned char rgb[3];
  write_file("weights.vert", "attribute float weight; varying float w;\n"
                             "void main() { w = weight; gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; }");
  write_file("weights.frag", "varying float w; void main() { gl_FragColor = vec4(w, 1 - w, 0, 1); }");
  const char *text = "<OglShader fileVertexShaders='weights.vert' fileFragmentShaders='weights.frag'/>"
                     "<OglFloatAttribute id='weight' value='0 1 1 0'/>" SQUARE;
  if (!middle(text, 0.5, rgb)) return;
  check_near(rgb, 130, 125, 0);   // half way
  write_file("light.vert",
             "varying vec3 n; void main() { n = gl_NormalMatrix * gl_Normal; gl_Position = ftransform(); }");
  write_file("light.frag", "varying vec3 n; void main() {\n"
                           "  float d = abs(dot(normalize(n), normalize(gl_LightSource[0].position.xyz)));\n"
                           "  gl_FragColor = gl_FrontMaterial.diffuse * gl_LightSource[0].diffuse * d; }");
  middle("<LightManager/><DirectionalLight direction='0 0 -1' color='1 0.5 1 1'/>"
         "<OglShader fileVertexShaders='light.vert' fileFragmentShaders='light.frag'/>" SQUARE,
         0.5, rgb);
  check_near(rgb, 51, 51, 153);
}

static void test_geometry(void **state)
{
  DV_UNUSED(state);
  unsigned char rgb[3];
  write_file("plain.vert", "void main() { gl_Position = gl_ModelViewMatrix * gl_Vertex; }");
  write_file("blue.frag", "void main() { gl_FragColor = vec4(0, 0, 1, 1); }");
  write_file("shift.geom",
             "#version 120\n#extension GL_EXT_geometry_shader4 : enable\n"
             "void main() { for (int i = 0; i < gl_VerticesIn; i++) {\n"
             "  gl_Position = gl_ProjectionMatrix * (gl_PositionIn[i] + vec4(-1, 0, 0, 0)); EmitVertex(); }\n"
             "  EndPrimitive(); }");
  const char *text = "<OglShader fileVertexShaders='plain.vert' fileGeometryShaders='shift.geom' "
                     "fileFragmentShaders='blue.frag' geometryInputType='4' geometryOutputType='5' "
                     "geometryVerticesOut='3'/>" SQUARE;
  if (!middle(text, 0.3, rgb)) return;
  check_near(rgb, 0, 0, 255);
  middle(text, 0.62, rgb);
  assert_true(rgb[0] > 128);   // nothing is left here
}

// the scene goes on with the plain look, and the log names the line
static void test_bad(void **state)
{
  DV_UNUSED(state);
  unsigned char rgb[3];
  write_file("plain.vert", "void main() { gl_Position = ftransform(); }");
  write_file("bad.frag", "// one\n// two\nvoid main() { gl_FragColor = vec4(1, 0, 0, oops); }");
  if (!middle(SHADER("bad.frag"), 0.5, rgb)) return;
  assert_true(rgb[2] > rgb[0]);
  assert_non_null(strstr(log_text.text, "bad.frag does not compile"));
  assert_non_null(strstr(log_text.text, ":3("));
  assert_null(strstr(strstr(log_text.text, "bad.frag") + 8, "bad.frag"));   // once
  middle(SHADER("nowhere.frag"), 0.5, rgb);
  assert_true(rgb[2] > rgb[0]);
  assert_non_null(strstr(log_text.text, "nowhere.frag: there is no such file"));
  write_file("reads.frag", "varying vec3 a; void main() { gl_FragColor = vec4(a, 1.0); }");
  middle(SHADER("reads.frag"), 0.5, rgb);
  assert_true(rgb[2] > rgb[0]);
  assert_non_null(strstr(log_text.text, "do not fit together"));
  write_file("red.frag", "void main() { gl_FragColor = vec4(1, 0, 0, 1); }");
  middle(SHADER("red.frag") "<OglFloat3Variable id='a' value='1 2'/><OglTexture2D id='t' texture2DFilename='no.png'/>"
                            "<OglShaderDefineMacro id='a b'/>",
         0.5, rgb);
  check_near(rgb, 255, 0, 0);
  assert_non_null(strstr(log_text.text, "a multiple of 3 is wanted"));
  assert_non_null(strstr(log_text.text, "no.png: there is no such file"));
  assert_non_null(strstr(log_text.text, "is no name of a macro"));
}

static int begin(void **state)
{
  DV_UNUSED(state);
  return mkdtemp(directory) ? 0 : 1;
}

static int end(void **state)
{
  DV_UNUSED(state);
  dv_painter_destroy(&painter);
  for (int i = 0; i < count; i++) dv_scene_destroy(&all[i].scene), dv_divan_destroy(&all[i].context);
  char *command = dv_format("rm -r %s", directory);
  int status = system(command);
  dv_free(command);
  dv_text_free(&log_text);
  return status;
}

// a program that works on the finished picture
static void test_post(void **state)
{
  DV_UNUSED(state);
  unsigned char rgb[3];
#define POST(more) "<OglShader passive='1' fileVertexShaders='over.vert' fileFragmentShaders='over.frag'/>" more
  write_file("over.vert", "varying vec2 p; void main() { p = gl_MultiTexCoord0.xy; gl_Position = gl_Vertex; }");
  write_file("plain.vert", "void main() { gl_Position = ftransform(); }");
  write_file("red.frag", "void main() { gl_FragColor = vec4(1, 0, 0, 1); }");
  write_file("over.frag", "uniform sampler2D colorTexture, depthTexture; uniform vec2 pixelSize; varying vec2 p;\n"
                          "void main() { vec4 c = texture2D(colorTexture, p);\n"
                          "  gl_FragColor = vec4(1.0 - c.r, texture2D(depthTexture, p).x, 10.0 * pixelSize.y, 1.0); }");
  // the square is 4 m away: (1/2 - 1/4) / (1/2 - 1/10) of the way from 2 to 10; a pixel is 1/40 of the height
  const char *text = SHADER("red.frag") SQUARE POST("<PostProcessManager zNear='2' zFar='10'/>");
  if (!middle(text, 0.5, rgb)) return;
  check_near(rgb, 0, (int)(255 * 0.25 / 0.4 + 0.5), 64);
  middle(text, 0.02, rgb);   // nothing is there: white in depths
  assert_int_equal(rgb[1], 255);
  middle(SHADER("red.frag") SQUARE POST("<PostProcessManager enable='0'/>"), 0.5, rgb);
  check_near(rgb, 255, 0, 0);
  middle(SHADER("red.frag") SQUARE POST("<PostProcessManager zNear='-1' zFar='10'/>"), 0.5, rgb);
  check_near(rgb, 0, (int)(255 * 0.75 / 0.99 + 0.5), 64);   // of 1 to 100
  assert_non_null(strstr(log_text.text, "no distances"));
  middle("<PostProcessManager/>" SQUARE, 0.5, rgb);
  assert_true(rgb[2] > rgb[0]);   // it stays as it is
  assert_non_null(strstr(log_text.text, "no OglShader"));
  // SOFA's file is not there: a program of our own blurs what is out of focus, or shows depths
#define FOCUS(more)                                                              \
  SQUARE "<OglShader passive='1' fileVertexShaders='shaders/depthOfField.vert' " \
         "fileFragmentShaders='shaders/depthOfField.frag'/><PostProcessManager zNear='2' zFar='10'/>" more
  middle(FOCUS("<OglIntVariable id='showDepthMap' value='1'/>"), 0.5, rgb);
  check_near(rgb, 159, 159, 159);
  unsigned char sharp[3], blurred[3];
  middle(SQUARE, 0.7, sharp);
  middle(FOCUS("<OglFloatVariable id='blurIntensity' value='0.5'/><OglFloatVariable id='focusDistance' value='0.6'/>"
               "<OglFloatVariable id='focusLength' value='0.1'/>"),
         0.7, blurred);
  check_near(blurred, sharp[0], sharp[1], sharp[2]);   // in focus
  middle(FOCUS("<OglFloatVariable id='blurIntensity' value='0.5'/>"), 0.7, blurred);
  assert_true(blurred[0] > sharp[0] + 20);   // the bright background comes in
  // a program that does not compile is told, and the picture stays as it is
  write_file("over.frag", "void main() { gl_FragColor = nonsense; }");
  middle(SHADER("red.frag") SQUARE POST("<PostProcessManager/>"), 0.5, rgb);
  check_near(rgb, 255, 0, 0);
  assert_non_null(strstr(log_text.text, "does not compile"));
}

// a picture whose left and right halves have a colour each
static void write_picture(const char *name, int width, int height, const unsigned char left[3],
                          const unsigned char right[3])
{
  char path[100];
  unsigned char *rgb = malloc((size_t)(3 * width * height));
  for (int i = 0; i < width * height; i++) memcpy(rgb + 3 * i, 2 * (i % width) < width ? left : right, 3);
  snprintf(path, sizeof path, "%s/%s", directory, name);
  assert_int_equal(dv_png_write(path, rgb, width, height), DV_OK);
  free(rgb);
}

// six pictures of a cube: each direction reads its own
static void test_cubes(void **state)
{
  DV_UNUSED(state);
  static const unsigned char colours[6][3] = {{250, 0, 0},   {0, 250, 0},   {0, 0, 250},
                                              {250, 250, 0}, {0, 250, 250}, {250, 0, 250}};
  static const char *const ways[] = {"1, 0.1, 0.2",  "-1, 0.1, 0.2", "0.1, 1, 0.2",
                                     "0.1, -1, 0.2", "0.1, 0.2, 1",  "0.1, 0.2, -1"};
  static const char *const names[] = {"PosX", "NegX", "PosY", "NegY", "PosZ", "NegZ"};
  unsigned char rgb[3];
  char text[900] = SHADER("cube.frag") "<OglTexture id='sky'";
  write_file("plain.vert", "void main() { gl_Position = ftransform(); }");
  for (int k = 0; k < 6; k++) {
    char file[20], more[60];
    snprintf(file, sizeof file, "side%d.png", k);
    write_picture(file, 4, 4, colours[k], colours[k]);
    snprintf(more, sizeof more, " cubemapFilename%s='%s'", names[k], file);
    strcat(text, more);
  }
  strcat(text, "/>");
  for (int k = 0; k < 6; k++) {
    char *program =
        dv_format("uniform samplerCube sky; void main() { gl_FragColor = textureCube(sky, vec3(%s)); }", ways[k]);
    write_file("cube.frag", program);
    dv_free(program);
    if (!middle(text, 0.5, rgb)) return;
    check_near(rgb, colours[k][0], colours[k][1], colours[k][2]);
  }
  // pictures that are missing or no squares are told, or leave it white; nothing is drawn with what is not there
  middle(SHADER("cube.frag") "<OglTexture id='sky' cubemapFilenamePosX='side0.png' cubemapFilenameNegX='lost.png'/>",
         0.5, rgb);
  check_near(rgb, 255, 255, 255);
  assert_non_null(strstr(log_text.text, "lost.png"));
}

// the picture behind everything, in its own size or made smaller
static void test_backdrops(void **state)
{
  DV_UNUSED(state);
  static const unsigned char red[3] = {200, 30, 30}, blue[3] = {30, 30, 200};
  unsigned char rgb[3];
  write_picture("large.png", 4 * W, 3 * H, red, blue);
  write_picture("small.png", 20, 10, red, blue);
#define BACK(file) "<OglModel position='5 5 0'/><BackgroundSetting color='0 1 0 1' image='" file "'/>"
  middle(BACK("large.png"), 0.02, rgb);
  check_near(rgb, 200, 30, 30);
  middle(BACK("large.png"), 0.98, rgb);
  check_near(rgb, 30, 30, 200);
  middle(BACK("small.png"), 0.02, rgb);   // ten pixels on each side of the middle
  check_near(rgb, 0, 255, 0);
  middle(BACK("small.png"), 0.5 - 8.0 / W, rgb);
  check_near(rgb, 200, 30, 30);
  middle(BACK("small.png"), 0.5 + 8.0 / W, rgb);
  check_near(rgb, 30, 30, 200);
  middle(BACK("none.png"), 0.5, rgb);
  check_near(rgb, 0, 255, 0);
  assert_non_null(strstr(log_text.text, "none.png"));
  setenv("DIVAN_RENDERER", "plain", 1);   // the plain painter draws it as well
  dvPainter *other = painter;
  painter = NULL;
  middle(BACK("small.png"), 0.5 + 8.0 / W, rgb);
  check_near(rgb, 30, 30, 200);
  middle(BACK("large.png"), 0.02, rgb);
  check_near(rgb, 200, 30, 30);
  dv_painter_destroy(&painter);
  painter = other;
  unsetenv("DIVAN_RENDERER");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_post),     cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_scope),    cmocka_unit_test(test_attributes_and_light),
                                     cmocka_unit_test(test_geometry), cmocka_unit_test(test_bad),
                                     cmocka_unit_test(test_cubes),    cmocka_unit_test(test_backdrops)};
  return cmocka_run_group_tests(tests, begin, end);
}
