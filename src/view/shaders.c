// See shaders.h. The components are rows of control/settings: their fields are found by name.
#include "view/shaders.h"

#include "base/file.h"
#include "view/draw_inside.h"
#include "view/glsl.h"

#include <string.h>

enum { MOST_GIVEN = 64 };   // variables, attributes or pictures of a shader

// --- fields --------------------------------------------------------------------------------------

static dvField *field_of(const dvObject *o, const char *name, dvFieldType type)
{
  dvField *f = dv_object_field(o, name);
  if (!f || f->desc->type != type) return NULL;
  dv_field_pull(f);
  return f;
}

static bool flag(const dvObject *o, const char *name, bool otherwise)
{
  dvField *f = field_of(o, name, DV_T_BOOL);
  return f ? *(const bool *)f->value : otherwise;
}

static int whole(const dvObject *o, const char *name)
{
  dvField *f = field_of(o, name, DV_T_INT);
  return f ? *(const int *)f->value : 0;
}

static const char *word(const dvObject *o, const char *name)
{
  dvField *f = field_of(o, name, DV_T_STRING);
  if (!f) f = field_of(o, name, DV_T_FILE);
  const char *text = f ? *(char *const *)f->value : NULL;
  return text ? text : "";
}

static const char *file_of(const dvObject *o, const char *name)
{
  dvField *f = field_of(o, name, DV_T_STRINGS);
  const dvStrings *list = f ? f->value : NULL;
  int which = whole(o, "indexActiveShader");
  if (!list || !list->count) return "";
  size_t at = which > 0 ? dv_min_size((size_t)which, list->count - 1) : 0;
  return list->data[at] ? list->data[at] : "";
}

// --- which shader --------------------------------------------------------------------------------

static bool is_shader(const dvObject *o) { return dv_same(o->cls->name, "OglShader") && !o->failed && o->initialised; }

// the last one of the node, or of the nearest node above; passive ones wait for another component
static dvObject *nearest_shader(const dvNode *node, bool passive)
{
  for (int depth = 0; node && depth < 1000; depth++) {
    for (size_t i = node->objects.count; i-- > 0;) {
      dvObject *o = node->objects.data[i];
      if (is_shader(o) && (passive || !flag(o, "passive", false))) return o;
    }
    node = node->parents.count ? node->parents.data[0] : NULL;
  }
  return NULL;
}

dvObject *dv_shader_of(const dvNode *node)
{
  dvObject *o = nearest_shader(node, false);
  return o && flag(o, "turnOn", true) ? o : NULL;
}

static bool belongs_to(const dvObject *element, const dvObject *shader)
{
  dvField *f = field_of(element, "shader", DV_T_LINKS);
  const dvLinks *links = f ? f->value : NULL;
  bool named = false;
  for (size_t i = 0; links && i < links->count; i++) {
    named = named || links->data[i].target;
    if (links->data[i].target == shader) return true;
  }
  return !named && element->node && nearest_shader(element->node, true) == shader;
}

// --- texts ---------------------------------------------------------------------------------------

bool dv_draw_told(dvDraw *d, const dvObject *o, const char *what)
{
  uint64_t key = dv_hash_bytes(what, strlen(what), (uint64_t)(uintptr_t)o);
  for (size_t i = 0; i < d->told.count; i++)
    if (d->told.data[i] == key) return true;
  dv_push(&d->told, key);
  return false;
}

static const char *const stage_fields[] = {"fileVertexShaders", "fileFragmentShaders", "fileGeometryShaders"};

typedef struct Texts {
  char *text[3];
  size_t length[3];
} Texts;

// programs of our own: for shaders without files, and in place of some of SOFA's that many scenes name
static const struct {
  const char *files[2], *texts[2], *name;
} own_programs[] = {
    {{"shaders/toonShading.vert", "shaders/toonShading.frag"}, {dv_toon_vertex, dv_toon_fragment}, "toon shading"},
    {{"shaders/depthOfField.vert", "shaders/depthOfField.frag"},
     {dv_focus_vertex, dv_focus_fragment},
     "depth of field"}};

static void take_own(dvDrawShader *s, Texts *t, int stage, size_t which)
{
  t->text[stage] = dv_strdup(own_programs[which].texts[stage]);
  t->length[stage] = strlen(t->text[stage]);
  s->files[stage] = dv_strdup(own_programs[which].name);
}

static bool take_named(dvDrawShader *s, Texts *t, int stage, const char *name)
{
  for (size_t k = 0; stage < 2 && k < DV_COUNT(own_programs); k++)
    if (dv_ends_with_nocase(name, own_programs[k].files[stage])) return take_own(s, t, stage, k), true;
  return false;
}

static bool read_texts(dvDraw *d, dvDrawShader *s, Texts *t)
{
  const dvObject *o = s->object;
  const bool post = d->post >= 0 && s == &d->shaders.data[d->post];
  for (int i = 0; i < 3; i++) {
    const char *name = file_of(o, stage_fields[i]);
    if (!*name && i == 2) continue;
    const dvField *f = dv_object_field(o, stage_fields[i]);
    if (i < 2 && !(f && f->was_set)) {   // nobody chose one
      take_own(s, t, i, post ? 1 : 0);
      continue;
    }
    dvText advice = {0};
    char *path = dv_context_find_file(o->context, name, o->place.file, &advice);
    if (!path && take_named(s, t, i, name)) {
      dv_text_free(&advice);
      continue;
    }
    t->text[i] = path ? dv_file_read(path, &t->length[i]) : NULL;
    s->files[i] = path ? path : dv_strdup(name);
    if (!t->text[i] && !dv_draw_told(d, o, name))
      dv_warning(o, advice.length ? advice.text : "name a file that is there",
                 "%s: there is no such file; what it draws is drawn plainly", *name ? name : stage_fields[i]);
    dv_text_free(&advice);
    if (!t->text[i]) return false;
  }
  return true;
}

static int geometry_corners(int kind) { return kind == 0 ? 1 : kind == 1 ? 2 : 3; }   // GL_POINTS, GL_LINES, others
static int geometry_strip(int kind) { return kind == 0 ? 1 : kind == 3 ? 2 : 3; }     // GL_POINTS, GL_LINE_STRIP

static void translate(dvDraw *d, dvDrawShader *s, const Texts *t, const char *defines)
{
  const dvObject *o = s->object;
  const char *given[2 * MOST_GIVEN];
  char why[100];
  size_t count = 0;
  for (size_t i = 0; i < s->uniforms.count; i++) given[count++] = s->uniforms.data[i].name;
  for (size_t i = 0; i < s->samplers.count; i++) given[count++] = s->samplers.data[i].name;
  dvGlsl how = {.defines = defines, .given = given, .given_count = count};
  for (int i = 0; i < 3; i++)
    if (t->text[i]) dv_glsl_scan(t->text[i], t->length[i], &how.shared);
  how.corners = geometry_corners(whole(o, "geometryInputType"));
  how.strip = geometry_strip(whole(o, "geometryOutputType"));
  how.most = whole(o, "geometryVerticesOut");
  char **out[3] = {&s->vertex, &s->fragment, &s->geometry};
  for (int i = 0; i < 3; i++) {
    how.stage = i == 0 ? DV_GLSL_VERTEX : i == 1 ? DV_GLSL_FRAGMENT : DV_GLSL_GEOMETRY;
    if (!t->text[i]) continue;
    *out[i] = dv_glsl_translate(t->text[i], t->length[i], &how, why);
    if (*out[i]) continue;
    if (!dv_draw_told(d, o, s->files[i])) dv_warning(o, "make it shorter", "%s: %s", s->files[i], why);
    dv_free(s->vertex), dv_free(s->fragment), dv_free(s->geometry);
    s->vertex = s->fragment = s->geometry = NULL;
    return;
  }
}

// --- what shaders are given ----------------------------------------------------------------------

// the name that the shader uses: without an id the component's own
static const char *id_of(const dvObject *o)
{
  const char *id = word(o, "id");
  return *id ? id : o->name ? o->name : "";
}

// OglFloatVector3Variable, OglMatrix2x4Variable, OglUInt2Attribute: what and how wide
static bool read_kind(const char *name, dvDrawUniform *u, bool *attribute)
{
  static const struct {
    const char *name;
    dvUniformKind kind;
  } kinds[] = {{"OglFloat", DV_UNIFORM_FLOAT},
               {"OglInt", DV_UNIFORM_INT},
               {"OglUInt", DV_UNIFORM_INT},
               {"OglMatrix", DV_UNIFORM_MATRIX}};
  const char *at = NULL;
  for (size_t i = 0; i < DV_COUNT(kinds) && !at; i++)
    if (dv_starts_with(name, kinds[i].name)) at = name + strlen(kinds[i].name), u->kind = kinds[i].kind;
  if (!at) return false;
  if (dv_starts_with(at, "Vector")) at += 6;
  u->rows = u->columns = 1;
  if (*at >= '2' && *at <= '4') u->rows = *at++ - '0';
  if (u->kind == DV_UNIFORM_MATRIX) u->columns = u->rows;
  if (u->kind == DV_UNIFORM_MATRIX && *at == 'x' && at[1] >= '2' && at[1] <= '4') u->rows = at[1] - '0', at += 2;
  if (dv_starts_with(at, "Vector")) at += 6;   // OglMatrix4VectorVariable
  *attribute = dv_same(at, "Attribute");
  return *attribute || dv_same(at, "Variable");
}

static void add_value(dvDraw *d, dvDrawShader *s, dvObject *o)
{
  dvDrawUniform u = {.name = id_of(o), .transpose = flag(o, "transpose", false)};
  bool attribute = false;
  dvField *f = field_of(o, "value", DV_T_REALS);
  if (!read_kind(o->cls->name, &u, &attribute) || !f) return;
  const dvReals *values = f->value;
  size_t width = (size_t)(u.rows * u.columns);
  if (values->count < width || values->count % width) {
    if (!dv_draw_told(d, o, "value"))
      dv_warning(o, NULL, "value has %zu numbers, a multiple of %zu is wanted", values->count, width);
    return;
  }
  u.array = dv_draw_field_array(d, f, attribute ? u.rows : 1);
  if (u.array < 0) return;
  if (attribute && s->attributes.count < MOST_GIVEN) dv_push(&s->attributes, u);
  else if (!attribute && s->uniforms.count < MOST_GIVEN) dv_push(&s->uniforms, u);
}

// six pictures around whoever looks; one that is missing leaves the cube white
static void add_sides(dvDraw *d, const dvObject *o, dvDrawSampler *out)
{
  static const char *const names[] = {"cubemapFilenamePosX", "cubemapFilenameNegX", "cubemapFilenamePosY",
                                      "cubemapFilenameNegY", "cubemapFilenamePosZ", "cubemapFilenameNegZ"};
  for (size_t k = 0; k < DV_COUNT(names); k++) out->cube = out->cube || *word(o, names[k]);
  for (size_t k = 0; k < DV_COUNT(names) && out->cube; k++) {
    const char *name = word(o, names[k]);
    out->sides[k] = dv_draw_texture(d, o, name);
    if (out->sides[k] < 0 && !dv_draw_told(d, o, names[k]))
      dv_warning((dvObject *)o, "a cube has six pictures, all of one size",
                 "%s: there is no picture %s; the cube is white", names[k], name);
  }
}

static void add_texture(dvDraw *d, dvDrawShader *s, dvObject *o)
{
  dvObject *from = o;
  if (dv_same(o->cls->name, "OglTexturePointer")) {
    dvField *f = field_of(o, "oglTexture", DV_T_LINK);
    from = f ? ((const dvLink *)f->value)->target : NULL;
  }
  if (!from || !flag(o, "enabled", true) || s->samplers.count == MOST_GIVEN) return;
  const char *name = word(from, "texture2DFilename");
  if (!*name) name = word(from, "textureFilename");
  dvDrawSampler sampler = {.name = id_of(o),
                           .repeat = flag(from, "repeat", false),
                           .smooth = flag(from, "linearInterpolation", true),
                           .srgb = flag(from, "srgbColorspace", false),
                           .texture = dv_draw_texture(d, from, name)};
  add_sides(d, from, &sampler);
  if (sampler.texture < 0 && *name && !dv_draw_told(d, o, name))
    dv_warning(o, "name a picture that is there", "%s: there is no such file; the shader reads white there", name);
  dv_push(&s->samplers, sampler);
}

static bool is_texture(const char *name)
{
  return dv_same(name, "OglTexture") || dv_same(name, "OglTexture2D") || dv_same(name, "OglTexturePointer");
}

static bool is_plain_name(const char *text)
{
  for (const char *c = text; *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (c > text && *c >= '0' && *c <= '9')))
      return false;
  return *text != 0;
}

static void add_macro(dvDraw *d, const dvObject *o, dvText *defines)
{
  const char *name = id_of(o), *value = word(o, "value");
  if (!is_plain_name(name) || strchr(value, '\n')) {
    if (!dv_draw_told(d, o, "macro"))
      dv_warning(o, "letters, digits and underlines", "\"%.40s\" is no name of a macro", name);
    return;
  }
  dv_text_printf(defines, "#define %s %s\n", name, value);
}

typedef struct Gathering {
  dvVisitor visitor;
  dvDraw *draw;
  dvDrawShader *shader;
  dvText defines;
} Gathering;

static dvWalk gather(dvVisitor *v, dvNode *node)
{
  Gathering *g = (Gathering *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !o->initialised || !dv_starts_with(o->cls->name, "Ogl") || !belongs_to(o, g->shader->object))
      continue;
    if (dv_same(o->cls->name, "OglShaderDefineMacro")) add_macro(g->draw, o, &g->defines);
    else if (is_texture(o->cls->name)) add_texture(g->draw, g->shader, o);
    else add_value(g->draw, g->shader, o);
  }
  return DV_WALK_ON;
}

static void fill_shader(dvDraw *d, dvDrawShader *s)
{
  Gathering g = {.visitor = {.top_down = gather}, .draw = d, .shader = s};
  Texts texts = {{0}, {0}};
  dv_visit(d->scene->root, &g.visitor);
  if (read_texts(d, s, &texts)) translate(d, s, &texts, g.defines.text);
  for (int i = 0; i < 3; i++) dv_free(texts.text[i]);
  dv_text_free(&g.defines);
}

// --- all -----------------------------------------------------------------------------------------

static int shader_number(dvDraw *d, dvObject *o)
{
  for (size_t i = 0; i < d->shaders.count; i++)
    if (d->shaders.data[i].object == o) return (int)i;
  dv_push(&d->shaders, ((dvDrawShader){.object = o}));
  return (int)d->shaders.count - 1;
}

// The programs of volumes make cells out of points, which are there already.
static bool takes_shader(const dvDrawable *a)
{
  const char *name = a->object->cls->name;
  return a->group == DV_DRAW_VISUAL && a->kind == DV_DRAW_TRIANGLES && !dv_same(name, "OglVolumetricModel") &&
         !dv_same(name, "OglTetrahedralModel") && !dv_same(name, "SlicedVolumetricModel");
}

// --- the finished picture ------------------------------------------------------------------------

typedef struct Managers {
  dvVisitor visitor;
  dvObject *first;
} Managers;

static dvWalk find_manager(dvVisitor *v, dvNode *node)
{
  Managers *m = (Managers *)v;
  for (size_t i = 0; i < node->objects.count && !m->first; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_same(o->cls->name, "PostProcessManager") && !o->failed && o->initialised && flag(o, "enable", true))
      m->first = o;
  }
  return DV_WALK_ON;
}

// the first passive one of the node or above, else the one that would draw surfaces there
static dvObject *post_shader(const dvNode *node)
{
  for (const dvNode *n = node; n; n = n->parents.count ? n->parents.data[0] : NULL)
    for (size_t i = 0; i < n->objects.count; i++)
      if (is_shader(n->objects.data[i]) && flag(n->objects.data[i], "passive", false)) return n->objects.data[i];
  return nearest_shader(node, true);
}

static double distance_of(const dvObject *o, const char *name)
{
  dvField *f = field_of(o, name, DV_T_REAL);
  return f ? *(const double *)f->value : 0;
}

static dvObject *add_post(dvDraw *d, bool read)
{
  Managers m = {.visitor = {.top_down = find_manager}};
  d->post = -1;
  dv_visit(d->scene->root, &m.visitor);
  if (!m.first) return NULL;
  dvObject *shader = post_shader(m.first->node);
  if (!shader && read && !dv_draw_told(d, m.first, "shader"))
    dv_warning(m.first, "put an OglShader with passive=\"1\" into its node",
               "there is no OglShader that works on the picture: it stays as it is");
  if (!shader || !flag(shader, "turnOn", true)) return NULL;
  d->post_near = distance_of(m.first, "zNear"), d->post_far = distance_of(m.first, "zFar");
  if (!(d->post_near > 0 && d->post_far > d->post_near && d->post_far < 1e30)) {
    if (read && !dv_draw_told(d, m.first, "zNear"))
      dv_warning(m.first, "0 < zNear < zFar", "zNear %g and zFar %g are no distances; 1 and 100 are taken",
                 d->post_near, d->post_far);
    d->post_near = 1, d->post_far = 100;
  }
  return shader;
}

void dv_shaders_add(dvDraw *d, bool read)
{
  dvObject *post = add_post(d, read);
  for (size_t i = 0; i < d->list.count; i++) {
    dvDrawable *a = &d->list.data[i];
    dvObject *o = takes_shader(a) ? dv_shader_of(a->object->node) : NULL;
    a->shader = o && o != post ? shader_number(d, o) : -1;
  }
  if (post) d->post = shader_number(d, post);
  for (size_t i = 0; read && i < d->shaders.count; i++) fill_shader(d, &d->shaders.data[i]);
}

void dv_shaders_clear(dvDraw *d)
{
  for (size_t i = 0; i < d->shaders.count; i++) {
    dvDrawShader *s = &d->shaders.data[i];
    dv_free(s->vertex), dv_free(s->fragment), dv_free(s->geometry);
    for (int k = 0; k < 3; k++) dv_free(s->files[k]);
    dv_array_free(&s->uniforms);
    dv_array_free(&s->attributes);
    dv_array_free(&s->samplers);
  }
  d->shaders.count = 0;
}
