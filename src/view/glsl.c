// See glsl.h: words, names that ES does not have, and what is declared for them.
#include "view/glsl_inside.h"

#include <string.h>

// --- words ---------------------------------------------------------------------------------------

bool dv_glsl_is(const dvGlslText *t, size_t word, const char *text)
{
  if (word >= t->words.count) return false;
  const dvGlslWord *w = &t->words.data[word];
  return w->length == strlen(text) && memcmp(t->source + w->start, text, w->length) == 0;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_comment(const char *s, size_t at, size_t length)
{
  if (at + 1 >= length || s[at] != '/') return at;
  if (s[at + 1] == '/') {
    while (at < length && s[at] != '\n') at++;
  } else if (s[at + 1] == '*') {
    for (at += 3; at < length; at++)
      if (s[at - 1] == '*' && s[at] == '/') return at + 1;
    return length;
  }
  return at;
}

static size_t number_end(const char *s, size_t at, size_t length)
{
  while (at < length && (is_letter(s[at]) || is_digit(s[at]) || s[at] == '.' ||
                         ((s[at] == '+' || s[at] == '-') && (s[at - 1] == 'e' || s[at - 1] == 'E'))))
    at++;
  return at;
}

static size_t sign_end(const char *s, size_t at, size_t length)
{
  static const char *const signs[] = {"<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "^^", "<<", ">>",
                                      "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
  for (size_t i = 0; i < DV_COUNT(signs); i++) {
    size_t n = strlen(signs[i]);
    if (at + n <= length && memcmp(s + at, signs[i], n) == 0) return at + n;
  }
  return at + 1;
}

static void find_words(dvGlslText *t)
{
  const char *s = t->source;
  bool fresh = true, directive = false;   // at the beginning of a line, on one that begins with #
  for (size_t at = 0, next; at < t->length; at = next) {
    next = skip_comment(s, at, t->length);
    if (next > at) continue;
    next = at + 1;
    if (s[at] == '\n') {
      if (!(at > 0 && s[at - 1] == '\\')) directive = false;
      fresh = true;
      continue;
    }
    if (dv_is_space(s[at]) || s[at] == '\\') continue;
    if (s[at] == '#' && fresh) directive = true;
    fresh = false;
    dvGlslWord w = {.kind = DV_GLSL_SIGN, .directive = directive, .start = at};
    if (is_letter(s[at])) {
      w.kind = DV_GLSL_NAME;
      while (next < t->length && (is_letter(s[next]) || is_digit(s[next]))) next++;
    } else if (is_digit(s[at]) || (s[at] == '.' && at + 1 < t->length && is_digit(s[at + 1]))) {
      w.kind = DV_GLSL_NUMBER;
      next = number_end(s, next, t->length);
    } else {
      next = sign_end(s, at, t->length);
    }
    w.length = next - at;
    dv_push(&t->words, w);
  }
}

static int number_at(const dvGlslText *t, size_t word)
{
  if (word >= t->words.count || t->words.data[word].kind != DV_GLSL_NUMBER) return -1;
  int value = 0;
  for (size_t i = 0; i < t->words.data[word].length && i < 6; i++) {
    char c = t->source[t->words.data[word].start + i];
    if (!is_digit(c)) break;
    value = 10 * value + (c - '0');
  }
  return value;
}

// a directive that ES does not take, up to the end of its line
static void take_out(dvGlslText *t, size_t first)
{
  const char *s = t->source;
  for (size_t i = first; i < t->words.count && t->words.data[i].directive; i++) {
    dvGlslWord *w = &t->words.data[i];
    if (i > first && memchr(s + t->words.data[first].start, '\n', w->start - t->words.data[first].start)) break;
    w->instead = "";
  }
}

static void read_directives(dvGlslText *t)
{
  t->version = 110;
  for (size_t i = 0; i + 1 < t->words.count; i++) {
    if (!t->words.data[i].directive || !dv_glsl_is(t, i, "#")) continue;
    if (dv_glsl_is(t, i + 1, "version")) {
      int version = number_at(t, i + 2);
      if (version > 0) t->version = version;
      t->es = dv_glsl_is(t, i + 3, "es") || version == 100;
      take_out(t, i);
    } else if (dv_glsl_is(t, i + 1, "extension")) {
      take_out(t, i);
    }
  }
}

static void forget_words(dvGlslText *t)
{
  for (size_t i = 0; i < t->words.count; i++)
    dv_text_free(&t->words.data[i].before), dv_text_free(&t->words.data[i].after);
  dv_array_free(&t->words);
}

void dv_glsl_scan(const char *text, size_t length, dvGlslShared *shared)
{
  if (length > DV_GLSL_LONGEST) return;
  dvGlslText t = {.source = text, .length = length};
  find_words(&t);
  for (size_t i = 0; i < t.words.count; i++) {
    if (dv_glsl_is(&t, i, "gl_TexCoord")) {
      int which = dv_glsl_is(&t, i + 1, "[") && dv_glsl_is(&t, i + 3, "]") ? number_at(&t, i + 2) : -1;
      int need = which >= 0 && which < DV_GLSL_COORDINATES ? which + 1 : DV_GLSL_COORDINATES;
      if (need > shared->coordinates) shared->coordinates = need;
    }
    // gl_Color is an attribute of vertices and comes from gl_FrontColor in fragments: it is shared in any case
    if (dv_glsl_is(&t, i, "gl_FrontColor") || dv_glsl_is(&t, i, "gl_Color")) shared->front = true;
    if (dv_glsl_is(&t, i, "gl_BackColor")) shared->back = true;
    if (dv_glsl_is(&t, i, "gl_FogFragCoord")) shared->fog = true;
  }
  forget_words(&t);
}

// --- names ---------------------------------------------------------------------------------------

typedef enum Need {   // what is declared before the text
  PLACE = 1 << 0,
  NORMAL = 1 << 1,
  COORDINATES = 1 << 2,
  MODELVIEW = 1 << 3,
  PROJECTION = 1 << 4,
  NORMAL_MATRIX = 1 << 5,
  LIGHTS = 1 << 6,
  MATERIAL = 1 << 7,
  LIGHT_MODEL = 1 << 8,
  PRODUCTS = 1 << 9,
  FOG = 1 << 10,
  TEXTURE_MATRIX = 1 << 11,
  FRAG_COLOUR = 1 << 12,
  FRAG_DATA = 1 << 13,
  TRANSFORM = 1 << 14,
  CLIP = 1 << 15,
  SHADOWS = 1 << 16,
  LINES = 1 << 17,
  RECTANGLES = 1 << 18,
  SCENE_COLOUR = 1 << 19,
  LIGHT_TYPE = 1 << 20,
} Need;

typedef struct Rename {
  const char *old, *now;
  unsigned needs;
} Rename;

#define MVP "(dv_Projection * dv_ModelView)"
static const Rename everywhere[] = {
    {"gl_ModelViewMatrix", "dv_ModelView", MODELVIEW},
    {"gl_ProjectionMatrix", "dv_Projection", PROJECTION},
    {"gl_ModelViewProjectionMatrix", MVP, MODELVIEW | PROJECTION},
    {"gl_NormalMatrix", "dv_NormalMatrix", NORMAL_MATRIX},
    {"gl_ModelViewMatrixInverse", "inverse(dv_ModelView)", MODELVIEW},
    {"gl_ProjectionMatrixInverse", "inverse(dv_Projection)", PROJECTION},
    {"gl_ModelViewProjectionMatrixInverse", "inverse" MVP, MODELVIEW | PROJECTION},
    {"gl_ModelViewMatrixTranspose", "transpose(dv_ModelView)", MODELVIEW},
    {"gl_ProjectionMatrixTranspose", "transpose(dv_Projection)", PROJECTION},
    {"gl_ModelViewProjectionMatrixTranspose", "transpose" MVP, MODELVIEW | PROJECTION},
    {"gl_ModelViewMatrixInverseTranspose", "transpose(inverse(dv_ModelView))", MODELVIEW},
    {"gl_TextureMatrix", "dv_TextureMatrix", TEXTURE_MATRIX},
    {"gl_NormalScale", "1.0", 0},
    {"gl_LightSource", "dv_LightSource", LIGHTS | LIGHT_TYPE},
    {"gl_LightSourceParameters", "dv_Light", LIGHT_TYPE},
    {"gl_FrontMaterial", "dv_Material", MATERIAL},
    {"gl_BackMaterial", "dv_Material", MATERIAL},
    {"gl_MaterialParameters", "dv_MaterialType", MATERIAL},
    {"gl_LightModel", "dv_LightModel", LIGHT_MODEL},
    {"gl_FrontLightModelProduct", "dv_LightModelProduct", SCENE_COLOUR},
    {"gl_BackLightModelProduct", "dv_LightModelProduct", SCENE_COLOUR},
    {"gl_FrontLightProduct", "dv_LightProduct", PRODUCTS},
    {"gl_BackLightProduct", "dv_LightProduct", PRODUCTS},
    {"gl_Fog", "dv_Fog", FOG},
    {"gl_FogParameters", "dv_FogType", FOG},
    {"gl_TexCoord", "dv_TexCoord", 0},
    {"gl_FogFragCoord", "dv_FogFragCoord", 0},
    {"gl_MaxLights", "8", 0},
    {"gl_MaxTextureCoords", "8", 0},
    {"gl_MaxTextureUnits", "8", 0},
    {"gl_MaxClipPlanes", "6", 0},
    {"gl_MaxVaryingFloats", "60", 0},
    {"texture1D", "dv_texture1D", LINES},
    {"sampler1D", "sampler2D", 0},
    {"texture2D", "texture", 0},
    {"texture3D", "texture", 0},
    {"textureCube", "texture", 0},
    {"texture2DProj", "textureProj", 0},
    {"texture2DLod", "textureLod", 0},
    {"texture2DLodEXT", "textureLod", 0},
    {"texture2DProjLod", "textureProjLod", 0},
    {"textureCubeLod", "textureLod", 0},
    {"texture3DLod", "textureLod", 0},
    {"texture2DGradARB", "textureGrad", 0},
    {"texture2DGrad", "textureGrad", 0},
    {"texture2DRect", "dv_texture2DRect", RECTANGLES},
    {"sampler2DRect", "sampler2D", 0},
    {"shadow2D", "dv_shadow2D", SHADOWS},
    {"shadow2DProj", "dv_shadow2DProj", SHADOWS},
    {"noperspective", "", 0},
};

static const Rename of_vertices[] = {
    {"attribute", "in", 0},
    {"varying", "out", 0},
    {"gl_Vertex", "vec4(dv_place, 1.0)", PLACE},
    {"gl_Normal", "dv_normal", NORMAL},
    {"gl_Color", "dv_Material.diffuse", MATERIAL},
    {"gl_SecondaryColor", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_FogCoord", "0.0", 0},
    {"gl_MultiTexCoord0", "vec4(dv_at, 0.0, 1.0)", COORDINATES},
    {"gl_MultiTexCoord1", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_MultiTexCoord2", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_MultiTexCoord3", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_MultiTexCoord4", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_MultiTexCoord5", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_MultiTexCoord6", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_MultiTexCoord7", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"ftransform", "dv_ftransform", TRANSFORM | PLACE | MODELVIEW | PROJECTION},
    {"gl_ClipVertex", "dv_ClipVertex", CLIP},
    {"gl_ClipDistance", "dv_ClipDistance", CLIP},
    {"gl_FrontColor", "dv_FrontColor", 0},
    {"gl_FrontSecondaryColor", "dv_ClipVertex", CLIP},
    {"gl_BackSecondaryColor", "dv_ClipVertex", CLIP},
    {"gl_BackColor", "dv_BackColor", 0},
};

static const Rename of_fragments[] = {
    {"varying", "in", 0},
    {"gl_Color", "dv_FrontColor", 0},
    {"gl_SecondaryColor", "vec4(0.0, 0.0, 0.0, 1.0)", 0},
    {"gl_FragColor", "dv_FragColor", FRAG_COLOUR},
    {"gl_FragData", "dv_FragData", FRAG_DATA},
};

static const Rename of_geometry[] = {
    {"gl_PositionIn", "gl_in", 0},
    {"varying", "", 0},
};

typedef struct Names {
  const Rename *list;
  size_t count;
} Names;

static const Rename *find_rename(const dvGlslText *t, size_t word, Names names)
{
  for (size_t i = 0; i < names.count; i++)
    if (dv_glsl_is(t, word, names.list[i].old)) return &names.list[i];
  return NULL;
}

// gl_PositionIn[i] is gl_in[i].gl_Position now
static void end_position(dvGlslText *t, size_t word)
{
  int deep = 0;
  for (size_t i = word + 1; i < t->words.count; i++) {
    deep += dv_glsl_is(t, i, "[") ? 1 : dv_glsl_is(t, i, "]") ? -1 : 0;
    if (deep == 0) {
      if (i > word + 1) dv_text_add(&t->words.data[i].after, ".gl_Position");
      return;
    }
  }
}

static unsigned rename_words(dvGlslText *t, const dvGlsl *how)
{
  static const Names stages[] = {{of_vertices, DV_COUNT(of_vertices)},
                                 {of_fragments, DV_COUNT(of_fragments)},
                                 {of_geometry, DV_COUNT(of_geometry)}};
  static const char *const corners[] = {"1", "1", "2", "3"};
  unsigned needs = 0;
  for (size_t i = 0; i < t->words.count; i++) {
    dvGlslWord *w = &t->words.data[i];
    if (w->kind != DV_GLSL_NAME || w->instead) continue;
    const Rename *r = find_rename(t, i, stages[how->stage]);
    if (!r) r = find_rename(t, i, (Names){everywhere, DV_COUNT(everywhere)});
    if (how->stage == DV_GLSL_GEOMETRY && dv_glsl_is(t, i, "gl_VerticesIn"))
      w->instead = corners[how->corners >= 1 && how->corners <= 3 ? how->corners : 3];
    if (how->stage == DV_GLSL_GEOMETRY && dv_glsl_is(t, i, "gl_PositionIn")) end_position(t, i);
    if (!r) continue;
    w->instead = r->now;
    needs |= r->needs;
  }
  return needs;
}

// --- uniforms that begin with a value ------------------------------------------------------------

static bool is_given(const dvGlslText *t, size_t word, const dvGlsl *how)
{
  for (size_t i = 0; i < how->given_count; i++)
    if (how->given[i] && dv_glsl_is(t, word, how->given[i])) return true;
  return false;
}

// `uniform float a = 1.0;` that nobody sets becomes a constant; else its value goes
static void settle_uniforms(dvGlslText *t, const dvGlsl *how)
{
  for (size_t i = 0; i < t->words.count; i++) {
    if (!dv_glsl_is(t, i, "uniform") || t->words.data[i].directive) continue;
    size_t equals = 0, end = i + 1;
    for (; end < t->words.count && !dv_glsl_is(t, end, ";") && !dv_glsl_is(t, end, "{"); end++)
      if (!equals && dv_glsl_is(t, end, "=")) equals = end;
    if (!equals || !dv_glsl_is(t, end, ";")) continue;
    size_t name = equals - 1;
    while (name > i && !(t->words.data[name].kind == DV_GLSL_NAME)) name--;
    if (!is_given(t, name, how)) {
      t->words.data[i].instead = "const";
      continue;
    }
    for (size_t k = equals; k < end; k++) t->words.data[k].instead = "";
  }
}

// --- what is declared before ---------------------------------------------------------------------

static const char light_type[] =
    "struct dv_Light { vec4 ambient, diffuse, specular, position, halfVector; vec3 spotDirection; float spotExponent, "
    "spotCutoff, spotCosCutoff, constantAttenuation, linearAttenuation, quadraticAttenuation; };\n";
static const char material_type[] =
    "struct dv_MaterialType { vec4 emission, ambient, diffuse, specular; float shininess; };\n"
    "uniform dv_MaterialType dv_Material;\n";

static void declare(dvText *out, unsigned needs, dvGlslStage stage)
{
  const struct {
    unsigned need;
    const char *text;
  } all[] = {
      {PLACE, "in vec3 dv_place;\n"},
      {NORMAL, "in vec3 dv_normal;\n"},
      {COORDINATES, "in vec2 dv_at;\n"},
      {MODELVIEW, "uniform mat4 dv_ModelView;\n"},
      {PROJECTION, "uniform mat4 dv_Projection;\n"},
      {NORMAL_MATRIX, "uniform mat3 dv_NormalMatrix;\n"},
      {LIGHT_TYPE, light_type},
      {LIGHTS, "uniform dv_Light dv_LightSource[8];\n"},
      {MATERIAL, material_type},
      {LIGHT_MODEL, "struct dv_LightModelType { vec4 ambient; };\nuniform dv_LightModelType dv_LightModel;\n"},
      {SCENE_COLOUR, "struct dv_SceneColor { vec4 sceneColor; };\nuniform dv_SceneColor dv_LightModelProduct;\n"},
      {PRODUCTS, "struct dv_Product { vec4 ambient, diffuse, specular; };\nuniform dv_Product dv_LightProduct[8];\n"},
      {FOG, "struct dv_FogType { vec4 color; float density, start, end, scale; };\n"
            "const dv_FogType dv_Fog = dv_FogType(vec4(0.0), 1.0, 0.0, 1.0, 1.0);\n"},
      {TEXTURE_MATRIX,
       "const mat4 dv_TextureMatrix[8] = mat4[8](mat4(1.0), mat4(1.0), mat4(1.0), mat4(1.0), mat4(1.0), "
       "mat4(1.0), mat4(1.0), mat4(1.0));\n"},
      {FRAG_DATA, "layout(location = 0) out vec4 dv_FragData[4];\n"},
      {TRANSFORM, "vec4 dv_ftransform() { return dv_Projection * (dv_ModelView * vec4(dv_place, 1.0)); }\n"},
      {CLIP, "vec4 dv_ClipVertex;\nfloat dv_ClipDistance[8];\n"},
      {SHADOWS, "vec4 dv_shadow2D(sampler2DShadow s, vec3 p) { return vec4(texture(s, p)); }\n"
                "vec4 dv_shadow2DProj(sampler2DShadow s, vec4 p) { return vec4(textureProj(s, p)); }\n"},
      {LINES, "vec4 dv_texture1D(sampler2D s, float x) { return texture(s, vec2(x, 0.5)); }\n"},
      {RECTANGLES, "vec4 dv_texture2DRect(sampler2D s, vec2 p) { return texture(s, p / vec2(textureSize(s, 0))); }\n"},
  };
  for (size_t i = 0; i < DV_COUNT(all); i++)
    if (needs & all[i].need) dv_text_add(out, all[i].text);
  if (needs & FRAG_COLOUR && stage == DV_GLSL_FRAGMENT && !(needs & FRAG_DATA))
    dv_text_add(out, "out vec4 dv_FragColor;\n");
}

static void declare_shared(dvText *out, const dvGlsl *how)
{
  const char *way = how->stage == DV_GLSL_VERTEX ? "out" : "in";
  if (how->stage == DV_GLSL_GEOMETRY) return;
  if (how->shared.coordinates > 0) dv_text_printf(out, "%s vec4 dv_TexCoord[%d];\n", way, how->shared.coordinates);
  if (how->shared.front) dv_text_printf(out, "%s vec4 dv_FrontColor;\n", way);
  if (how->shared.back) dv_text_printf(out, "%s vec4 dv_BackColor;\n", way);
  if (how->shared.fog) dv_text_printf(out, "%s float dv_FogFragCoord;\n", way);
}

static bool has_layout(const dvGlslText *t, const char *way)
{
  for (size_t i = 0; i + 1 < t->words.count; i++)
    if (dv_glsl_is(t, i, ")") && dv_glsl_is(t, i + 1, way) && dv_glsl_is(t, i + 2, ";")) return true;
  return false;
}

static void declare_geometry(dvText *out, const dvGlslText *t, const dvGlsl *how)
{
  static const char *const takes[] = {"", "points", "lines", "triangles"}, *const gives[] = {"", "points", "line_strip",
                                                                                             "triangle_strip"};
  int in = how->corners >= 1 && how->corners <= 3 ? how->corners : 3;
  int strip = how->strip >= 1 && how->strip <= 3 ? how->strip : 3;
  if (!has_layout(t, "in")) dv_text_printf(out, "layout(%s) in;\n", takes[in]);
  if (!has_layout(t, "out"))
    dv_text_printf(out, "layout(%s, max_vertices = %d) out;\n", gives[strip],
                   how->most > 0 && how->most <= 256 ? how->most : 64);
}

static const char precisions[] =
    "precision highp float;\nprecision highp int;\nprecision highp sampler2D;\nprecision highp sampler3D;\n"
    "precision highp samplerCube;\nprecision highp sampler2DShadow;\nprecision highp sampler2DArray;\n";

// --- all -----------------------------------------------------------------------------------------

static void copy(dvText *out, const char *s, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++) {   // only comments have other letters; ES and JSON want no odd bytes
    char c = s[i];
    if (c == '\r' || c == 0) continue;
    if ((unsigned char)c >= 0x80 || ((unsigned char)c < 0x20 && !dv_is_space(c))) c = '?';
    dv_text_add_n(out, &c, 1);
  }
}

static void write_words(dvText *out, const dvGlslText *t)
{
  size_t at = 0;
  for (size_t i = 0; i < t->words.count; i++) {
    const dvGlslWord *w = &t->words.data[i];
    copy(out, t->source, at, w->start);
    if (w->before.length) dv_text_add(out, w->before.text);
    if (w->instead) dv_text_add(out, w->instead);
    else copy(out, t->source, w->start, w->start + w->length);
    if (w->after.length) dv_text_add(out, w->after.text);
    at = w->start + w->length;
  }
  copy(out, t->source, at, t->length);
}

char *dv_glsl_translate(const char *text, size_t length, const dvGlsl *how, char *why)
{
  if (length > DV_GLSL_LONGEST) {
    dv_snprintf(why, 100, "it has %zu bytes, at most %d are read", length, DV_GLSL_LONGEST);
    return NULL;
  }
  dvGlslText t = {.source = text, .length = length};
  dvText out = {0};
  find_words(&t);
  read_directives(&t);
  unsigned needs = 0;
  bool old = !t.es || t.version == 100;
  if (old) {
    settle_uniforms(&t, how);
    if (!t.es) dv_glsl_convert(&t);
    needs = rename_words(&t, how);
  }
  dv_text_add(&out, precisions);
  if (how->defines) dv_text_add(&out, how->defines);
  if (old) declare(&out, needs, how->stage), declare_shared(&out, how);
  if (how->stage == DV_GLSL_GEOMETRY) declare_geometry(&out, &t, how);
  dv_text_add(&out, "#line 1\n");
  write_words(&out, &t);
  dv_text_add(&out, "\n");
  forget_words(&t);
  return dv_text_take(&out);
}
