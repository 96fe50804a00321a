// Conversions that the desktop's GLSL makes by itself and ES does not: a whole number where another is wanted.
//
//   float x = 1;      float x = 1.0;          float y = i * 0.5;      float y = float(i) * 0.5;
//   2 * normal        2.0 * normal            return 1;               return 1.0;
//
// The text is read as far as types matter: declarations, functions, structures, macros of one value, expressions with
// their precedence. A type that is not found is DV_GLSL_NOTHING, and nothing is converted then; whatever cannot be read
// is skipped up to the next semicolon or brace. So a text that is not GLSL at all comes out as it was.
#include "view/glsl_types.h"

#include <string.h>

// --- types --------------------------------------------------------------------------------------------

static const dvGlslType nothing = {0};
dvGlslType dv_glsl_number_of(dvGlslBase base) { return (dvGlslType){.base = base, .rows = 1, .columns = 1}; }

bool dv_glsl_here(const dvGlslReader *r, const char *text) { return dv_glsl_is(r->text, r->at, text); }

// words of directives are no part of what is read
void dv_glsl_skip_directives(dvGlslReader *r)
{
  while (r->at < r->text->words.count && r->text->words.data[r->at].directive) r->at++;
}

void dv_glsl_next(dvGlslReader *r)
{
  if (r->at < r->text->words.count) r->at++;
  dv_glsl_skip_directives(r);
}

bool dv_glsl_take(dvGlslReader *r, const char *text)
{
  if (!dv_glsl_here(r, text)) return false;
  dv_glsl_next(r);
  return true;
}

bool dv_glsl_same(const dvGlslText *t, size_t a, size_t b)
{
  const dvGlslWord *x = &t->words.data[a], *y = &t->words.data[b];
  return x->length == y->length && memcmp(t->source + x->start, t->source + y->start, x->length) == 0;
}

bool dv_glsl_is_name(const dvGlslReader *r, size_t word)
{
  return word < r->text->words.count && r->text->words.data[word].kind == DV_GLSL_NAME;
}

// float, ivec3, mat4x2, ...
static dvGlslType plain_type(const dvGlslReader *r, size_t word)
{
  static const struct {
    const char *name;
    dvGlslBase base;
  } numbers[] = {{"float", DV_GLSL_FLOAT},
                 {"int", DV_GLSL_INT},
                 {"uint", DV_GLSL_UINT},
                 {"bool", DV_GLSL_BOOL},
                 {"double", DV_GLSL_FLOAT}},
    vectors[] = {{"vec", DV_GLSL_FLOAT}, {"ivec", DV_GLSL_INT}, {"uvec", DV_GLSL_UINT}, {"bvec", DV_GLSL_BOOL}};
  if (!dv_glsl_is_name(r, word)) return nothing;
  for (size_t i = 0; i < DV_COUNT(numbers); i++)
    if (dv_glsl_is(r->text, word, numbers[i].name)) return dv_glsl_number_of(numbers[i].base);
  const dvGlslWord *w = &r->text->words.data[word];
  const char *s = r->text->source + w->start;
  for (size_t i = 0; i < DV_COUNT(vectors); i++) {
    size_t n = strlen(vectors[i].name);
    if (w->length == n + 1 && memcmp(s, vectors[i].name, n) == 0 && s[n] >= '2' && s[n] <= '4')
      return (dvGlslType){.base = vectors[i].base, .rows = s[n] - '0', .columns = 1};
  }
  if ((w->length == 4 || w->length == 6) && memcmp(s, "mat", 3) == 0 && s[3] >= '2' && s[3] <= '4') {
    dvGlslType m = {.base = DV_GLSL_FLOAT, .rows = s[3] - '0', .columns = s[3] - '0'};
    if (w->length == 4) return m;
    if (s[4] == 'x' && s[5] >= '2' && s[5] <= '4') return m.rows = s[5] - '0', m;
  }
  return nothing;
}

dvGlslType dv_glsl_type_at(const dvGlslReader *r, size_t word)
{
  dvGlslType t = plain_type(r, word);
  if (t.base || !dv_glsl_is_name(r, word)) return t;
  for (size_t i = r->structures.count; i-- > 0;)
    if (dv_glsl_same(r->text, r->structures.data[i], word))
      return (dvGlslType){.base = DV_GLSL_STRUCT, .structure = (int)i};
  return nothing;
}

bool dv_glsl_is_sampler(const dvGlslReader *r, size_t word)
{
  static const char *const kinds[] = {"sampler", "isampler", "usampler", "image"};
  if (!dv_glsl_is_name(r, word)) return false;
  const dvGlslWord *w = &r->text->words.data[word];
  for (size_t i = 0; i < DV_COUNT(kinds); i++)
    if (w->length > strlen(kinds[i]) && memcmp(r->text->source + w->start, kinds[i], strlen(kinds[i])) == 0)
      return true;
  return false;
}

// --- conversions ---------------------------------------------------------------------------------

bool dv_glsl_is_whole(dvGlslType t)
{
  return (t.base == DV_GLSL_INT || t.base == DV_GLSL_UINT) && t.columns == 1 && !t.array;
}
bool dv_glsl_is_real(dvGlslType t) { return t.base == DV_GLSL_FLOAT && !t.array; }

static bool is_literal(const dvGlslReader *r, dvGlslValue v)
{
  return v.first == v.last && r->text->words.data[v.first].kind == DV_GLSL_NUMBER;
}

// around a word: what was put there by what is inside stays inside
static void put_before(dvGlslText *t, size_t word, const char *text)
{
  dvText *before = &t->words.data[word].before, fresh = {0};
  dv_text_add(&fresh, text);
  if (before->length) dv_text_add(&fresh, before->text);
  dv_text_free(before);
  *before = fresh;
}

dvGlslValue dv_glsl_converted(dvGlslReader *r, dvGlslValue v)
{
  static const char *const names[] = {"", "float(", "vec2(", "vec3(", "vec4("};
  if (!dv_glsl_is_whole(v.type)) return v;
  dvGlslWord *w = &r->text->words.data[v.last];
  if (is_literal(r, v)) {
    char last = r->text->source[w->start + w->length - 1];
    bool plain = last >= '0' && last <= '9';   // 12, not 12u or 0x1F
    plain = plain && !(w->length > 1 && (r->text->source[w->start + 1] == 'x' || r->text->source[w->start + 1] == 'X'));
    if (plain) {
      dv_text_add(&w->after, ".0");
      v.type.base = DV_GLSL_FLOAT;
      return v;
    }
  }
  put_before(r->text, v.first, names[v.type.rows]);
  dv_text_add(&w->after, ")");
  v.type.base = DV_GLSL_FLOAT;
  return v;
}

// --- expressions ---------------------------------------------------------------------------------

static dvGlslValue read_binary(dvGlslReader *r, int lowest);

static dvGlslType variable_type(const dvGlslReader *r, size_t word)
{
  static const struct {
    const char *name;
    dvGlslBase base;
    int rows, columns;
  } known[] = {{"gl_Vertex", DV_GLSL_FLOAT, 4, 1},
               {"gl_Normal", DV_GLSL_FLOAT, 3, 1},
               {"gl_Color", DV_GLSL_FLOAT, 4, 1},
               {"gl_Position", DV_GLSL_FLOAT, 4, 1},
               {"gl_FragColor", DV_GLSL_FLOAT, 4, 1},
               {"gl_FragCoord", DV_GLSL_FLOAT, 4, 1},
               {"gl_FragDepth", DV_GLSL_FLOAT, 1, 1},
               {"gl_PointSize", DV_GLSL_FLOAT, 1, 1},
               {"gl_PointCoord", DV_GLSL_FLOAT, 2, 1},
               {"gl_FrontFacing", DV_GLSL_BOOL, 1, 1},
               {"gl_FrontColor", DV_GLSL_FLOAT, 4, 1},
               {"gl_BackColor", DV_GLSL_FLOAT, 4, 1},
               {"gl_FogFragCoord", DV_GLSL_FLOAT, 1, 1},
               {"gl_MultiTexCoord0", DV_GLSL_FLOAT, 4, 1},
               {"gl_ModelViewMatrix", DV_GLSL_FLOAT, 4, 4},
               {"gl_ProjectionMatrix", DV_GLSL_FLOAT, 4, 4},
               {"gl_ModelViewProjectionMatrix", DV_GLSL_FLOAT, 4, 4},
               {"gl_NormalMatrix", DV_GLSL_FLOAT, 3, 3},
               {"gl_MaxLights", DV_GLSL_INT, 1, 1},
               {"gl_VertexID", DV_GLSL_INT, 1, 1},
               {"gl_InstanceID", DV_GLSL_INT, 1, 1},
               {"gl_VerticesIn", DV_GLSL_INT, 1, 1}};
  for (size_t i = r->variables.count; i-- > 0;)
    if (dv_glsl_same(r->text, r->variables.data[i].name, word)) return r->variables.data[i].type;
  for (size_t i = 0; i < DV_COUNT(known); i++)
    if (dv_glsl_is(r->text, word, known[i].name))
      return (dvGlslType){.base = known[i].base, .rows = known[i].rows, .columns = known[i].columns};
  if (dv_glsl_is(r->text, word, "gl_TexCoord") || dv_glsl_is(r->text, word, "gl_FragData"))
    return (dvGlslType){.base = DV_GLSL_FLOAT, .rows = 4, .columns = 1, .array = true};
  return nothing;
}

// members of lights and materials, which are all float
static dvGlslType builtin_member(const dvGlslReader *r, size_t word)
{
  static const char *const vectors[] = {"ambient",  "diffuse",    "specular",  "position",
                                        "emission", "halfVector", "sceneColor"},
                           *const numbers[] = {
                               "spotExponent",      "spotCutoff",           "spotCosCutoff", "constantAttenuation",
                               "linearAttenuation", "quadraticAttenuation", "shininess",     "density"};
  for (size_t i = 0; i < DV_COUNT(vectors); i++)
    if (dv_glsl_is(r->text, word, vectors[i])) return (dvGlslType){.base = DV_GLSL_FLOAT, .rows = 4, .columns = 1};
  for (size_t i = 0; i < DV_COUNT(numbers); i++)
    if (dv_glsl_is(r->text, word, numbers[i])) return dv_glsl_number_of(DV_GLSL_FLOAT);
  if (dv_glsl_is(r->text, word, "spotDirection")) return (dvGlslType){.base = DV_GLSL_FLOAT, .rows = 3, .columns = 1};
  return nothing;
}

static dvGlslType member_type(const dvGlslReader *r, dvGlslType of, size_t word)
{
  if (of.base == DV_GLSL_STRUCT && !of.array) {
    for (size_t i = 0; i < r->members.count; i++)
      if (r->members.data[i].depth == of.structure && dv_glsl_same(r->text, r->members.data[i].name, word))
        return r->members.data[i].type;
    return nothing;
  }
  if (!of.base) return builtin_member(r, word);
  size_t length = r->text->words.data[word].length;
  if (of.columns > 1 || of.array || length > 4) return nothing;
  return (dvGlslType){.base = of.base, .rows = (int)length, .columns = 1};   // .xyz
}

static dvGlslType indexed_type(dvGlslType of)
{
  if (of.array) return of.array = false, of;
  if (of.columns > 1) return of.columns = 1, of;
  if (of.rows > 1) return of.rows = 1, of;
  return nothing;
}

typedef enum Rule { GENERIC, ONE_NUMBER, COLOUR, LIKE_FIRST_OR_WHOLE, TRUTH } Rule;

// functions of the language: what they give
static bool builtin_rule(const dvGlslReader *r, size_t word, Rule *rule)
{
  static const struct {
    const char *names;
    Rule rule;
  } all[] = {
      {"radians degrees sin cos tan asin acos atan sinh cosh tanh pow exp log exp2 log2 sqrt inversesqrt floor ceil "
       "fract mod mix step smoothstep normalize faceforward reflect refract dFdx dFdy fwidth cross trunc round "
       "matrixCompMult transpose inverse",
       GENERIC},
      {"length distance dot determinant noise1", ONE_NUMBER},
      {"texture1D texture2D texture3D textureCube texture2DProj texture2DLod textureCubeLod shadow2D shadow2DProj "
       "texture2DRect texture textureLod textureProj textureGrad ftransform",
       COLOUR},
      {"abs sign min max clamp", LIKE_FIRST_OR_WHOLE},
      {"any all not lessThan greaterThan equal notEqual lessThanEqual greaterThanEqual", TRUTH}};
  char name[32];
  const dvGlslWord *w = &r->text->words.data[word];
  if (w->length >= sizeof name) return false;
  memcpy(name, r->text->source + w->start, w->length);
  name[w->length] = 0;
  for (size_t i = 0; i < DV_COUNT(all); i++)
    if (dv_list_has(all[i].names, name)) return *rule = all[i].rule, true;
  return false;
}

static bool same_type(dvGlslType a, dvGlslType b)
{
  return a.base == b.base && a.rows == b.rows && a.columns == b.columns && a.structure == b.structure &&
         a.array == b.array;
}

// one function of that name takes so many arguments
static const dvGlslFunction *only_function(const dvGlslReader *r, size_t word, int count)
{
  const dvGlslFunction *found = NULL;
  for (size_t i = 0; i < r->functions.count; i++) {
    const dvGlslFunction *f = &r->functions.data[i];
    if (f->count != count || !dv_glsl_same(r->text, f->name, word)) continue;
    for (int k = 0; found && k < count; k++)
      if (!same_type(found->parameters[k], f->parameters[k])) return NULL;
    found = f;
  }
  return found;
}

static dvGlslType builtin_result(dvGlslReader *r, Rule rule, dvGlslValue *arguments, int count, bool whole)
{
  dvGlslType largest = nothing;
  for (int i = 0; i < count; i++) {
    bool coordinates = rule != COLOUR || i > 0;   // the first argument of a texture is the sampler
    if (!whole && coordinates) arguments[i] = dv_glsl_converted(r, arguments[i]);
    if (arguments[i].type.rows * arguments[i].type.columns > largest.rows * largest.columns)
      largest = arguments[i].type;
  }
  switch (rule) {
  case ONE_NUMBER:
    return dv_glsl_number_of(DV_GLSL_FLOAT);
  case COLOUR:
    return (dvGlslType){.base = DV_GLSL_FLOAT, .rows = 4, .columns = 1};
  case TRUTH:
    return nothing;
  default:
    return largest;
  }
}

static dvGlslType call_type(dvGlslReader *r, size_t word, dvGlslValue *arguments, int count)
{
  dvGlslType made = dv_glsl_type_at(r, word);   // vec3(...): takes all kinds of numbers
  if (made.base) return made;
  const dvGlslFunction *f = only_function(r, word, count);
  Rule rule;
  if (f) {
    for (int i = 0; i < count; i++)
      if (dv_glsl_is_real(f->parameters[i])) arguments[i] = dv_glsl_converted(r, arguments[i]);
    return f->result;
  }
  for (size_t i = 0; i < r->functions.count; i++)
    if (dv_glsl_same(r->text, r->functions.data[i].name, word)) return nothing;   // several: the compiler chooses
  if (!builtin_rule(r, word, &rule) || rule == TRUTH) return nothing;
  // min(1, 2) is a whole number since 1.30; what cannot be read may be one, too
  bool whole = rule == LIKE_FIRST_OR_WHOLE, known = true;
  for (int i = 0; i < count; i++)
    whole = whole && !dv_glsl_is_real(arguments[i].type), known = known && arguments[i].type.base;
  if (whole && known && r->text->version < 130) whole = false;
  return builtin_result(r, rule, arguments, count, whole);
}

static dvGlslValue read_call(dvGlslReader *r, size_t word)
{
  dvGlslValue arguments[DV_GLSL_PARAMETERS], v = {.first = word, .last = word};
  int count = 0;
  bool many = false;
  dv_glsl_next(r);   // (
  while (!r->lost && !dv_glsl_here(r, ")") && r->at < r->text->words.count) {
    if (dv_glsl_take(r, "void")) continue;
    dvGlslValue a = dv_glsl_read(r);
    if (count < DV_GLSL_PARAMETERS) arguments[count++] = a;
    else many = true;
    if (!dv_glsl_take(r, ",") && !dv_glsl_here(r, ")")) r->lost = true;
  }
  v.last = r->at < r->text->words.count ? r->at : word;
  if (!dv_glsl_take(r, ")")) r->lost = true;
  if (!r->lost && !many) v.type = call_type(r, word, arguments, count);
  return v;
}

static dvGlslValue read_primary(dvGlslReader *r)
{
  dvGlslValue v = {.first = r->at, .last = r->at};
  if (r->at >= r->text->words.count) return r->lost = true, v.first = v.last = 0, v;
  const dvGlslWord *w = &r->text->words.data[r->at];
  if (dv_glsl_take(r, "(")) {
    v.type = dv_glsl_read(r).type;
    while (!r->lost && dv_glsl_take(r, ",")) v.type = dv_glsl_read(r).type;
    if (!dv_glsl_here(r, ")")) return r->lost = true, v;
    v.last = r->at;
    dv_glsl_next(r);
    return v;
  }
  if (w->kind == DV_GLSL_NUMBER) {
    const char *s = r->text->source + w->start;
    bool hex = w->length > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), real = false;
    for (size_t i = 0; i < w->length; i++) real = real || (!hex && strchr(".eEfF", s[i]));
    v.type = dv_glsl_number_of(real                                                 ? DV_GLSL_FLOAT
                               : s[w->length - 1] == 'u' || s[w->length - 1] == 'U' ? DV_GLSL_UINT
                                                                                    : DV_GLSL_INT);
    dv_glsl_next(r);
    return v;
  }
  if (w->kind != DV_GLSL_NAME) return r->lost = true, v;
  size_t word = r->at;
  dv_glsl_next(r);
  if (dv_glsl_here(r, "(")) return read_call(r, word);
  if (dv_glsl_is(r->text, word, "true") || dv_glsl_is(r->text, word, "false")) v.type = dv_glsl_number_of(DV_GLSL_BOOL);
  else v.type = variable_type(r, word);
  return v;
}

static dvGlslValue read_postfix(dvGlslReader *r)
{
  dvGlslValue v = read_primary(r);
  while (!r->lost) {
    if (dv_glsl_take(r, "[")) {
      if (!dv_glsl_here(r, "]")) dv_glsl_read(r);
      v.last = r->at;
      if (!dv_glsl_take(r, "]")) r->lost = true;
      v.type = indexed_type(v.type);
      if (dv_glsl_here(r, "(")) {   // float[3](...)
        v.last = read_call(r, v.first).last;
        v.type = nothing;
      }
    } else if (dv_glsl_take(r, ".")) {
      size_t name = r->at;
      if (!dv_glsl_is_name(r, name)) return r->lost = true, v;
      dv_glsl_next(r);
      v.last = name;
      if (dv_glsl_here(r, "(")) {   // length()
        v.last = read_call(r, name).last;
        v.type = dv_glsl_number_of(DV_GLSL_INT);
      } else {
        v.type = member_type(r, v.type, name);
      }
    } else if (dv_glsl_here(r, "++") || dv_glsl_here(r, "--")) {
      v.last = r->at;
      dv_glsl_next(r);
    } else {
      break;
    }
  }
  return v;
}

static dvGlslValue read_unary(dvGlslReader *r)
{
  static const char *const signs[] = {"-", "+", "!", "~", "++", "--"};
  size_t first = r->at;
  if (++r->nested > DV_GLSL_DEEPEST) r->lost = true;
  for (size_t i = 0; !r->lost && i < DV_COUNT(signs); i++)
    if (dv_glsl_take(r, signs[i])) {
      dvGlslValue v = read_unary(r);
      v.first = first;
      r->nested--;
      return v;
    }
  dvGlslValue v = r->lost ? (dvGlslValue){.first = first, .last = first} : read_postfix(r);
  r->nested--;
  return v;
}

typedef struct Sign {
  const char *text;
  int level;
  enum { SUM, COMPARISON, OTHER, BITS } kind;
} Sign;

static const Sign *sign_here(const dvGlslReader *r)
{
  static const Sign signs[] = {{"||", 1, OTHER},     {"^^", 2, OTHER},     {"&&", 3, OTHER},      {"|", 4, BITS},
                               {"^", 5, BITS},       {"&", 6, BITS},       {"==", 7, COMPARISON}, {"!=", 7, COMPARISON},
                               {"<", 8, COMPARISON}, {">", 8, COMPARISON}, {"<=", 8, COMPARISON}, {">=", 8, COMPARISON},
                               {"<<", 9, BITS},      {">>", 9, BITS},      {"+", 10, SUM},        {"-", 10, SUM},
                               {"*", 11, SUM},       {"/", 11, SUM},       {"%", 11, BITS}};
  for (size_t i = 0; i < DV_COUNT(signs); i++)
    if (dv_glsl_here(r, signs[i].text)) return &signs[i];
  return NULL;
}

static void meet(dvGlslReader *r, dvGlslValue *a, dvGlslValue *b)
{
  if (dv_glsl_is_real(a->type) && dv_glsl_is_whole(b->type)) *b = dv_glsl_converted(r, *b);
  else if (dv_glsl_is_real(b->type) && dv_glsl_is_whole(a->type)) *a = dv_glsl_converted(r, *a);
}

static dvGlslType product_type(const Sign *s, dvGlslType a, dvGlslType b)
{
  if (s->kind == COMPARISON || s->kind == OTHER) return dv_glsl_number_of(DV_GLSL_BOOL);
  if (!a.base || !b.base || a.array || b.array || a.base == DV_GLSL_STRUCT || b.base == DV_GLSL_STRUCT) return nothing;
  if (s->kind == BITS) return a.rows >= b.rows ? a : b;
  bool times = s->text[0] == '*';
  dvGlslType out = {.base = a.base == DV_GLSL_FLOAT || b.base == DV_GLSL_FLOAT ? DV_GLSL_FLOAT : a.base};
  if (times && a.columns > 1 && b.columns == 1 && b.rows > 1)
    out.rows = a.rows, out.columns = 1;   // matrix times column
  else if (times && b.columns > 1 && a.columns == 1 && a.rows > 1) out.rows = b.columns, out.columns = 1;
  else if (times && a.columns > 1 && b.columns > 1) out.rows = a.rows, out.columns = b.columns;
  else out.rows = a.rows > b.rows ? a.rows : b.rows, out.columns = a.columns > b.columns ? a.columns : b.columns;
  return out;
}

static dvGlslValue read_binary(dvGlslReader *r, int lowest)
{
  dvGlslValue a = read_unary(r);
  for (const Sign *s; !r->lost && (s = sign_here(r)) && s->level >= lowest;) {
    dv_glsl_next(r);
    if (++r->nested > DV_GLSL_DEEPEST) return r->lost = true, a;
    dvGlslValue b = read_binary(r, s->level + 1);
    r->nested--;
    if (r->lost) return a;
    if (s->kind == SUM || s->kind == COMPARISON) meet(r, &a, &b);
    a = (dvGlslValue){.type = product_type(s, a.type, b.type), .first = a.first, .last = b.last};
  }
  return a;
}

dvGlslValue dv_glsl_read(dvGlslReader *r)
{
  static const char *const sets[] = {"=", "+=", "-=", "*=", "/="}, *const others[] = {
                                                                       "%=", "<<=", ">>=", "&=", "|=", "^="};
  if (++r->nested > DV_GLSL_DEEPEST) r->lost = true;
  dvGlslValue a = r->lost ? (dvGlslValue){.first = r->at, .last = r->at} : read_binary(r, 1);
  if (!r->lost && dv_glsl_take(r, "?")) {
    dvGlslValue yes = dv_glsl_read(r);
    if (!dv_glsl_take(r, ":")) r->lost = true;
    dvGlslValue no = r->lost ? yes : dv_glsl_read(r);
    if (!r->lost) meet(r, &yes, &no);
    a = (dvGlslValue){.type = yes.type.base ? yes.type : no.type, .first = a.first, .last = no.last};
  }
  for (size_t i = 0; !r->lost && i < DV_COUNT(sets); i++)
    if (dv_glsl_take(r, sets[i])) {
      dvGlslValue b = dv_glsl_read(r);
      if (!r->lost && dv_glsl_is_real(a.type) && dv_glsl_is_whole(b.type)) b = dv_glsl_converted(r, b);
      a.last = b.last;
      r->nested--;
      return a;
    }
  for (size_t i = 0; !r->lost && i < DV_COUNT(others); i++)
    if (dv_glsl_take(r, others[i])) a.last = dv_glsl_read(r).last;
  r->nested--;
  return a;
}
