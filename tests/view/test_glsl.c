// Programs of scenes: old GLSL becomes ES 3.00. What is renamed, declared and converted; lines stay on their lines;
// texts that are no GLSL come out as they were. That the results compile is for render.picture and the tests of the
// page.
#include "support/check.h"

#include "view/glsl.h"

#include <string.h>

static char *translated(dvGlslStage stage, const char *text)
{
  static const char *const given[] = {"given"};
  dvGlsl how = {.stage = stage, .given = given, .given_count = 1, .corners = 3, .strip = 3, .most = 9};
  char why[100];
  dv_glsl_scan(text, strlen(text), &how.shared);
  char *out = dv_glsl_translate(text, strlen(text), &how, why);
  assert_non_null(out);
  return out;
}

// what comes behind the declarations
static void expect(dvGlslStage stage, const char *text, const char *wanted)
{
  char *out = translated(stage, text), *body = strstr(out, "#line 1\n");
  assert_non_null(body);
  body += strlen("#line 1\n");
  body[strlen(body) - 1] = 0;   // the last line is ended
  assert_string_equal(body, wanted);
  dv_free(out);
}

static void expect_head(dvGlslStage stage, const char *text, const char *wanted, bool there)
{
  char *out = translated(stage, text), *body = strstr(out, "#line 1\n");
  *body = 0;
  if ((strstr(out, wanted) != NULL) != there) fail_msg("%s \"%s\" in:\n%s", there ? "no" : "a", wanted, out);
  dv_free(out);
}

static void test_names(void **state)
{
  DV_UNUSED(state);
  expect(DV_GLSL_VERTEX, "attribute vec3 a; varying vec2 b;", "in vec3 a; out vec2 b;");
  expect(DV_GLSL_FRAGMENT, "varying vec2 b;", "in vec2 b;");
  expect(DV_GLSL_VERTEX, "gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;",
         "gl_Position = (dv_Projection * dv_ModelView) * vec4(dv_place, 1.0);");
  expect(DV_GLSL_VERTEX, "gl_Position = ftransform();", "gl_Position = dv_ftransform();");
  expect(DV_GLSL_VERTEX, "vec3 n = gl_NormalMatrix * gl_Normal;", "vec3 n = dv_NormalMatrix * dv_normal;");
  expect(DV_GLSL_VERTEX, "gl_FrontColor = gl_Color;", "dv_FrontColor = dv_Material.diffuse;");
  expect(DV_GLSL_FRAGMENT, "gl_FragColor = gl_Color * texture2D(t, gl_TexCoord[0].st);",
         "dv_FragColor = dv_FrontColor * texture(t, dv_TexCoord[0].st);");
  expect(DV_GLSL_FRAGMENT, "vec4 c = gl_LightSource[2].diffuse;", "vec4 c = dv_LightSource[2].diffuse;");
  expect(DV_GLSL_FRAGMENT, "shadow2D(s, p).r", "dv_shadow2D(s, p).r");
  expect(DV_GLSL_FRAGMENT, "// gl_FragColor\nvaryings gl_FragColors /* varying */",
         "// gl_FragColor\nvaryings gl_FragColors /* varying */");
  expect(DV_GLSL_GEOMETRY, "vec4 p = gl_PositionIn[min(i, gl_VerticesIn)];", "vec4 p = gl_in[min(i, 3)].gl_Position;");
  expect(DV_GLSL_GEOMETRY, "varying in vec3 a[]; varying out vec3 b;", " in vec3 a[];  out vec3 b;");
}

static void test_declarations(void **state)
{
  DV_UNUSED(state);
  expect_head(DV_GLSL_VERTEX, "gl_Vertex", "in vec3 dv_place;", true);
  expect_head(DV_GLSL_VERTEX, "gl_Normal", "in vec3 dv_place;", false);
  expect_head(DV_GLSL_VERTEX, "gl_TexCoord[2] = vec4(1.0);", "out vec4 dv_TexCoord[3];", true);
  expect_head(DV_GLSL_FRAGMENT, "gl_TexCoord[i]", "in vec4 dv_TexCoord[8];", true);
  expect_head(DV_GLSL_FRAGMENT, "gl_FragColor", "out vec4 dv_FragColor;", true);
  expect_head(DV_GLSL_FRAGMENT, "out vec4 c;", "dv_FragColor", false);
  expect_head(DV_GLSL_GEOMETRY, "", "layout(triangle_strip, max_vertices = 9) out;", true);
  expect_head(DV_GLSL_GEOMETRY, "layout(lines) in;", "layout(triangles) in;", false);
  dvGlsl how = {.defines = "#define A 1\n"};
  char why[100], *out = dv_glsl_translate("A", 1, &how, why);
  assert_non_null(strstr(out, "#define A 1\n#line 1\nA"));
  dv_free(out);
}

static void test_versions(void **state)
{
  DV_UNUSED(state);
  expect(DV_GLSL_VERTEX, "#version 120\n#extension GL_x : enable\nint i;", " \n   \nint i;");
  expect(DV_GLSL_VERTEX, "#version 330 core\nin vec3 varyings;", "  \nin vec3 varyings;");
  expect(DV_GLSL_VERTEX, "#version 300 es\nfloat varying = 1;", "  \nfloat varying = 1;");   // ES is left alone
  expect(DV_GLSL_VERTEX, "uniform float free = 2.0; uniform vec3 given = vec3(1.0);",
         "const float free = 2.0; uniform vec3 given  ;");
}

// the desktop converts whole numbers by itself
static void test_conversions(void **state)
{
  DV_UNUSED(state);
  static const char *const pairs[][2] = {
      {"float a = 1;", "float a = 1.0;"},
      {"int a = 1;", "int a = 1;"},
      {"float a = 2, b = 0.5;", "float a = 2.0, b = 0.5;"},
      {"vec3 v; void f() { v = 2 * v; v *= 3; v.x += 1; }", "vec3 v; void f() { v = 2.0 * v; v *= 3.0; v.x += 1.0; }"},
      {"int i; float a = i * 0.5;", "int i; float a = float(i) * 0.5;"},
      {"int i; float a = i / 2;", "int i; float a = float(i / 2);"},   // divided as whole numbers, then converted
      {"float a = (1 + 2) * 0.5;", "float a = float((1 + 2)) * 0.5;"},
      {"float a = -1;", "float a = float(-1);"},
      {"float a = 0x10;", "float a = float(0x10);"},
      {"ivec2 i; vec2 a = i * vec2(0.5);", "ivec2 i; vec2 a = vec2(i) * vec2(0.5);"},
      {"float f() { return 1; }", "float f() { return 1.0; }"},
      {"int f() { return 1; }", "int f() { return 1; }"},
      {"float g(float x) { return x; } float a = g(3);", "float g(float x) { return x; } float a = g(3.0);"},
      {"float a = pow(2, 3);", "float a = pow(2.0, 3.0);"},
      {"vec3 v; float a = max(dot(v, v), 0);", "vec3 v; float a = max(dot(v, v), 0.0);"},
      {"#version 130\nint a = max(1, 2);", " \nint a = max(1, 2);"},
      {"vec4 a = vec4(1, 0, 0, 1);", "vec4 a = vec4(1, 0, 0, 1);"},   // makers take all numbers
      {"float a; bool b = a > 0 && 1 < a;", "float a; bool b = a > 0.0 && 1.0 < a;"},
      {"float a; float b = a > 0.0 ? 1 : a;", "float a; float b = a > 0.0 ? 1.0 : a;"},
      {"mat3 m; vec3 v; vec3 w = m * v * 2;", "mat3 m; vec3 v; vec3 w = m * v * 2.0;"},
      {"float t[3]; void f() { t[1] = 2; }", "float t[3]; void f() { t[1] = 2.0; }"},
      {"struct S { float a; int b; }; S s; void f() { s.a = 1; s.b = 1; }",
       "struct S { float a; int b; }; S s; void f() { s.a = 1.0; s.b = 1; }"},
      {"void f() { for (int i = 0; i < 4; i++) { float a = i; } }",
       "void f() { for (int i = 0; i < 4; i++) { float a = float(i); } }"},
      {"void f() { float i = 0; } int i; void g() { i = 1; }",
       "void f() { float i = 0.0; } int i; void g() { i = 1; }"},
      {"#define N 3\nfloat a = N;", "#define N 3\nfloat a = float(N);"},
      {"void f() { if (gl_FrontColor.a == 1) gl_FrontColor = gl_LightSource[0].diffuse * 2; }",
       "void f() { if (dv_FrontColor.a == 1.0) dv_FrontColor = dv_LightSource[0].diffuse * 2.0; }"},
      {"float a = unknown * 2;", "float a = unknown * 2;"}};
  for (size_t i = 0; i < DV_COUNT(pairs); i++) expect(DV_GLSL_VERTEX, pairs[i][0], pairs[i][1]);
}

static void test_rubbish(void **state)
{
  DV_UNUSED(state);
  static const char *const texts[] = {
      "",      "}}}}",         "((((",          "for for for (;;", "float",   "float a = ;",
      "\"a\"", "struct { } ;", "/* never ends", "a ? b",           "#define", "#version"};
  for (size_t i = 0; i < DV_COUNT(texts); i++) {
    char *out = translated(DV_GLSL_FRAGMENT, texts[i]);
    assert_non_null(strstr(out, "#line 1\n"));
    dv_free(out);
  }
  enum { DEEP = 5000 };   // brackets that would need as many calls
  char *deep = dv_alloc(2 * DEEP + 20);
  memcpy(deep, "float a = ", 10);
  memset(deep + 10, '(', DEEP), deep[10 + DEEP] = '1', memset(deep + 11 + DEEP, ')', DEEP), deep[11 + 2 * DEEP] = ';';
  char *out = translated(DV_GLSL_VERTEX, deep);
  assert_non_null(strstr(out, deep));
  dv_free(out), dv_free(deep);
  char why[100] = "", *big = dv_alloc(DV_GLSL_LONGEST + 2);
  memset(big, ' ', DV_GLSL_LONGEST + 1);
  assert_null(dv_glsl_translate(big, DV_GLSL_LONGEST + 1, &(dvGlsl){0}, why));
  assert_non_null(strstr(why, "at most"));
  dv_free(big);
  char odd[] = "int a;\r\n// \xff\x01\nint b;";   // no odd bytes, the same lines
  expect(DV_GLSL_VERTEX, odd, "int a;\n// ??\nint b;");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_declarations),
                                     cmocka_unit_test(test_versions), cmocka_unit_test(test_conversions),
                                     cmocka_unit_test(test_rubbish)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
