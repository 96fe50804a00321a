// Surfaces that the scene draws with programs of its own (view/shaders.h). What a program is given is found by asking
// it which uniforms it has; those that begin with dv_ are what old GLSL had built in (view/glsl.h), in the frame of the
// eye.
#include "render/paint_inside.h"

#include <math.h>

enum { MOST_UNIFORM = 256 };   // numbers of one uniform

// --- programs ------------------------------------------------------------------------------------

static GLuint compile(const dvGl *gl, GLenum kind, const char *text, bool geometry, char *why, size_t room)
{
  const char *all[2] = {geometry ? "#version 320 es\n" : "#version 300 es\n", text};
  GLuint shader = gl->CreateShader(kind);
  GLint good = 0;
  gl->ShaderSource(shader, 2, all, NULL);
  gl->CompileShader(shader);
  gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return shader;
  gl->GetShaderInfoLog(shader, (GLsizei)room, NULL, why);
  gl->DeleteShader(shader);
  return 0;
}

static void tell(const dvDrawShader *s, int stage, const char *log)
{
  static const char *const stages[] = {"vertex", "fragment", "geometry"};
  if (stage < 3)
    dv_warning(s->object, "the number behind the first colon is the line of the file",
               "the %s shader %s does not compile; what it draws is drawn plainly: %s", stages[stage], s->files[stage],
               log);
  else
    dv_warning(s->object, "what the fragment shader reads the stages before must write",
               "%s and %s do not fit together; what they draw is drawn plainly: %s", s->files[0], s->files[1], log);
}

static GLuint make_program(const dvGl *gl, const dvDrawShader *s)
{
  static const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER, GL_GEOMETRY_SHADER};
  const char *const texts[] = {s->vertex, s->fragment, s->geometry};
  GLuint stages[3] = {0}, program = 0;
  char log[1000] = "";
  GLint good = s->vertex && s->fragment;
  for (int i = 0; i < 3 && good; i++) {
    if (!texts[i]) continue;
    stages[i] = compile(gl, kinds[i], texts[i], s->geometry != NULL, log, sizeof log);
    good = stages[i] != 0;
    if (!good) tell(s, i, log);
  }
  if (good) {
    program = gl->CreateProgram();
    for (int i = 0; i < 3; i++)
      if (stages[i]) gl->AttachShader(program, stages[i]);
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good) gl->GetProgramInfoLog(program, sizeof log, NULL, log), tell(s, 3, log), gl->DeleteProgram(program);
    if (!good) program = 0;
  }
  for (int i = 0; i < 3; i++)
    if (stages[i]) gl->DeleteShader(stages[i]);
  return program;
}

void dv_paint_forget_shaders(dvGlPainter *p)
{
  for (size_t i = 0; i < p->shaders.count; i++)
    if (p->shaders.data[i]) p->gl->DeleteProgram(p->shaders.data[i]);
  p->shaders.count = 0;
}

void dv_paint_shaders(dvGlPainter *p, const dvStage *s)
{
  dv_paint_forget_shaders(p);
  for (size_t i = 0; i < s->draw.shaders.count; i++) {
    GLuint program = make_program(p->gl, &s->draw.shaders.data[i]);
    dv_push(&p->shaders, program);
  }
}

bool dv_paint_shaded(const dvGlPainter *p, const dvBatch *b)
{
  return b->kind == DV_BATCH_SURFACE && b->shader >= 0 && (size_t)b->shader < p->shaders.count &&
         p->shaders.data[b->shader];
}

// --- what old GLSL had built in ------------------------------------------------------------------

typedef struct Lamp {   // in the frame of the eye, colours as they are seen
  double ambient[4], diffuse[4], specular[4], position[4], half[4], way[4];
  double exponent, cutoff, cosine;
} Lamp;

typedef struct Seen {
  const dvStage *stage;
  const dvBatch *batch;
  Lamp lamps[DV_MOST_LIGHTS];
  double ambient[4];    // of the scene
  const dvPost *post;   // of a program that works on the finished picture, or NULL
} Seen;

static void into_eye(const dvStage *s, const double p[4], double out[4])
{
  const double *m = s->camera.view;
  for (int k = 0; k < 4; k++) out[k] = m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k] * p[3];
}

static void find_half(Lamp *l)
{
  double length =
      sqrt(l->position[0] * l->position[0] + l->position[1] * l->position[1] + l->position[2] * l->position[2]);
  for (int k = 0; k < 3; k++) l->half[k] = (length > 0 ? l->position[k] / length : 0) + (k == 2);
  length = sqrt(l->half[0] * l->half[0] + l->half[1] * l->half[1] + l->half[2] * l->half[2]);
  for (int k = 0; k < 3; k++) l->half[k] /= length > 0 ? length : 1;
}

static void see_lights(Seen *seen)
{
  const dvStage *s = seen->stage;
  for (int i = 0; i < DV_MOST_LIGHTS; i++) {
    Lamp *l = &seen->lamps[i];
    *l = (Lamp){.position = {0, 0, 1, 0}, .way = {0, 0, -1, 0}, .ambient = {0, 0, 0, 1}, .cutoff = 180, .cosine = -1};
    l->diffuse[3] = l->specular[3] = 1;
    const double key[4] = {s->key[0], s->key[1], s->key[2], 0};
    if (i >= s->light_count && !(i == 0 && s->light_count == 0)) continue;
    const double *place = s->light_count ? s->lights[i].place : key;
    into_eye(s, place, l->position);
    find_half(l);
    for (int k = 0; k < 3; k++)
      l->diffuse[k] = l->specular[k] = s->light_count ? dv_encoded(s->lights[i].colour[k]) : 1;
    if (!s->light_count || s->lights[i].way[3] < -1.5) continue;
    const double way[4] = {s->lights[i].way[0], s->lights[i].way[1], s->lights[i].way[2], 0};
    into_eye(s, way, l->way);
    l->cosine = s->lights[i].way[3], l->cutoff = acos(l->cosine) * 180 / M_PI, l->exponent = 1;
  }
  for (int k = 0; k < 4; k++) seen->ambient[k] = k == 3 ? 1 : s->light_count ? dv_encoded(s->ambient[k]) : 0.3;
}

// name[i].member: the number, and what follows
static const char *member_of(const char *name, const char *list, int *index)
{
  if (!dv_starts_with(name, list)) return NULL;
  const char *at = name + strlen(list);
  *index = 0;
  if (*at == '[') {
    if (at[1] < '0' || at[1] > '7' || at[2] != ']') return NULL;
    *index = at[1] - '0';
    at += 3;
  }
  return *at == '.' ? at + 1 : NULL;
}

static int four(const double v[4], double *out) { return memcpy(out, v, 4 * sizeof *out), 4; }

static int lamp_value(const Lamp *l, const char *member, double *out)
{
  const struct {
    const char *name;
    const double *value;
    int count;
  } all[] = {{"ambient", l->ambient, 4},    {"diffuse", l->diffuse, 4},        {"specular", l->specular, 4},
             {"position", l->position, 4},  {"halfVector", l->half, 4},        {"spotDirection", l->way, 3},
             {"spotCutoff", &l->cutoff, 1}, {"spotExponent", &l->exponent, 1}, {"spotCosCutoff", &l->cosine, 1}};
  for (size_t i = 0; i < DV_COUNT(all); i++)
    if (dv_same(member, all[i].name))
      return memcpy(out, all[i].value, (size_t)all[i].count * sizeof *out), all[i].count;
  out[0] = dv_same(member, "constantAttenuation") ? 1 : 0;
  return 1;
}

static int material_value(const dvBatch *b, const char *member, double *out)
{
  const float *three = dv_same(member, "emission")   ? b->emissive
                       : dv_same(member, "specular") ? b->specular
                       : dv_same(member, "ambient")  ? b->ambient
                                                     : b->colour;
  for (int k = 0; k < 3; k++) out[k] = three[k];
  out[3] = three == b->colour ? b->colour[3] : 1;
  if (!dv_same(member, "shininess")) return 4;
  out[0] = b->shininess;
  return 1;
}

static int normal_matrix(const dvStage *s, double *out)   // of a camera that only turns
{
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++) out[3 * c + r] = s->camera.view[4 * c + r];
  return 9;
}

static int product_value(const Seen *seen, int light, const char *member, double *out)
{
  double a[4], b[4];
  material_value(seen->batch, member, a);
  lamp_value(&seen->lamps[light], member, b);
  for (int k = 0; k < 4; k++) out[k] = a[k] * b[k];
  return 4;
}

static int identity(int size, double *out)
{
  for (int i = 0; i < size * size; i++) out[i] = i % (size + 1) == 0;
  return size * size;
}

// of a program that is drawn over the whole view
static int over_value(const dvPost *post, const char *name, double *out)
{
  if (dv_same(name, "dv_ModelView") || dv_same(name, "dv_Projection")) return identity(4, out);
  if (dv_same(name, "dv_NormalMatrix")) return identity(3, out);
  if (!dv_same(name, "pixelSize")) return 0;
  out[0] = 1.0 / post->width, out[1] = 1.0 / post->height;
  return 2;
}

// how many numbers; 0 for none
static int built_in(const Seen *seen, const char *name, double *out)
{
  const dvStage *s = seen->stage;
  const char *member;
  int index;
  int n = seen->post ? over_value(seen->post, name, out) : 0;
  if (n) return n;
  if (dv_same(name, "dv_ModelView")) return memcpy(out, s->camera.view, 16 * sizeof *out), 16;
  if (dv_same(name, "dv_Projection")) return memcpy(out, s->camera.projection, 16 * sizeof *out), 16;
  if (dv_same(name, "dv_NormalMatrix")) return normal_matrix(s, out);
  if ((member = member_of(name, "dv_LightSource", &index))) return lamp_value(&seen->lamps[index], member, out);
  if ((member = member_of(name, "dv_LightProduct", &index))) return product_value(seen, index, member, out);
  if (member_of(name, "dv_LightModelProduct", &index)) {
    double ambient[4], emission[4];
    material_value(seen->batch, "ambient", ambient), material_value(seen->batch, "emission", emission);
    for (int k = 0; k < 4; k++) out[k] = emission[k] + ambient[k] * seen->ambient[k];
    return 4;
  }
  if (member_of(name, "dv_LightModel", &index)) return four(seen->ambient, out);
  if ((member = member_of(name, "dv_Material", &index))) return material_value(seen->batch, member, out);
  return 0;
}

// --- uniforms ------------------------------------------------------------------------------------

static int given_value(const dvStage *s, const dvDrawShader *shader, const char *name, double *out, bool *transpose)
{
  for (size_t i = 0; i < shader->uniforms.count; i++) {
    const dvDrawUniform *u = &shader->uniforms.data[i];
    if (!dv_same(u->name, name)) continue;
    const dvDrawArray *a = &s->draw.arrays.data[u->array];
    const float *values = (const float *)(const void *)a->data;
    int count = (int)dv_min_size(a->count, MOST_UNIFORM);
    for (int k = 0; k < count; k++) out[k] = isfinite(values[k]) ? values[k] : 0;
    *transpose = u->transpose;
    return count;
  }
  return 0;
}

typedef struct Active {
  GLint size;
  GLenum type;
  GLint place;
  char name[128];
} Active;

static void transpose_all(double *v, int count, int rows, int columns)
{
  double t[16];
  for (int m = 0; (m + 1) * rows * columns <= count; m++) {
    double *x = v + m * rows * columns;
    for (int c = 0; c < columns; c++)
      for (int r = 0; r < rows; r++) t[c * rows + r] = x[r * columns + c];
    memcpy(x, t, (size_t)(rows * columns) * sizeof *t);
  }
}

static void set_numbers(const dvGl *gl, const Active *u, double *v, int count, bool transpose)
{
  static const struct {
    GLenum type;
    int rows, columns;
    char kind;   // f, i (and booleans), u, m
  } types[] = {{0x1406, 1, 1, 'f'}, {0x8B50, 2, 1, 'f'}, {0x8B51, 3, 1, 'f'}, {0x8B52, 4, 1, 'f'}, {0x1404, 1, 1, 'i'},
               {0x8B53, 2, 1, 'i'}, {0x8B54, 3, 1, 'i'}, {0x8B55, 4, 1, 'i'}, {0x8B56, 1, 1, 'i'}, {0x8B57, 2, 1, 'i'},
               {0x8B58, 3, 1, 'i'}, {0x8B59, 4, 1, 'i'}, {0x1405, 1, 1, 'u'}, {0x8DC6, 2, 1, 'u'}, {0x8DC7, 3, 1, 'u'},
               {0x8DC8, 4, 1, 'u'}, {0x8B5A, 2, 2, 'm'}, {0x8B5B, 3, 3, 'm'}, {0x8B5C, 4, 4, 'm'}, {0x8B65, 3, 2, 'm'},
               {0x8B66, 4, 2, 'm'}, {0x8B67, 2, 3, 'm'}, {0x8B68, 4, 3, 'm'}, {0x8B69, 2, 4, 'm'}, {0x8B6A, 3, 4, 'm'}};
  size_t t = 0;
  while (t < DV_COUNT(types) && types[t].type != u->type) t++;
  if (t == DV_COUNT(types)) return;
  int rows = types[t].rows, columns = types[t].columns, n = count / (rows * columns);
  n = n < u->size ? n : u->size;
  if (n < 1) return;
  if (transpose && columns > 1) transpose_all(v, count, rows, columns);
  GLfloat f[MOST_UNIFORM];
  GLint i[MOST_UNIFORM];
  GLuint w[MOST_UNIFORM];
  for (int k = 0; k < n * rows * columns; k++) {
    f[k] = (GLfloat)v[k];
    i[k] = (GLint)fmax(-2e9, fmin(2e9, v[k]));
    w[k] = (GLuint)fmax(0, fmin(4e9, v[k]));
  }
  if (types[t].kind == 'f') {
    void (*const set[])(GLint, GLsizei, const GLfloat *) = {gl->Uniform1fv, gl->Uniform2fv, gl->Uniform3fv,
                                                            gl->Uniform4fv};
    set[rows - 1](u->place, n, f);
  } else if (types[t].kind == 'i') {
    void (*const set[])(GLint, GLsizei, const GLint *) = {gl->Uniform1iv, gl->Uniform2iv, gl->Uniform3iv,
                                                          gl->Uniform4iv};
    set[rows - 1](u->place, n, i);
  } else if (types[t].kind == 'u') {
    void (*const set[])(GLint, GLsizei, const GLuint *) = {gl->Uniform1uiv, gl->Uniform2uiv, gl->Uniform3uiv,
                                                           gl->Uniform4uiv};
    set[rows - 1](u->place, n, w);
  } else {
    void (*const set[5][5])(GLint, GLsizei, GLboolean, const GLfloat *) = {
        [2] = {[2] = gl->UniformMatrix2fv, [3] = gl->UniformMatrix2x3fv, [4] = gl->UniformMatrix2x4fv},
        [3] = {[2] = gl->UniformMatrix3x2fv, [3] = gl->UniformMatrix3fv, [4] = gl->UniformMatrix3x4fv},
        [4] = {[2] = gl->UniformMatrix4x2fv, [3] = gl->UniformMatrix4x3fv, [4] = gl->UniformMatrix4fv}};
    set[columns][rows](u->place, n, 0, f);
  }
}

static bool is_sampler(GLenum type) { return type == 0x8B5E || type == 0x8B62 || type == 0x8B60 || type == 0x8B5F; }

enum { SAMPLER_CUBE = 0x8B60 };

// a cube stands at its unit beside the flat picture of another program; a cube that nobody gives is none
static bool set_cube(const dvGlPainter *p, const dvDrawSampler *given, GLuint texture, const Active *u, int unit)
{
  if (u->type != SAMPLER_CUBE) return false;
  p->gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  p->gl->BindTexture(GL_TEXTURE_CUBE_MAP, given && given->cube ? texture : 0);
  p->gl->Uniform1i(u->place, unit);
  return true;
}

static void set_sampler(const dvGlPainter *p, const Seen *seen, const dvDrawShader *shader, const Active *u, int unit)
{
  const dvStage *s = seen->stage;
  const dvBatch *b = seen->batch;
  GLuint texture = 0;
  const dvDrawSampler *given = NULL;
  size_t number = 0;   // of this shader's first one
  for (const dvDrawShader *before = s->draw.shaders.data; before < shader; before++) number += before->samplers.count;
  for (size_t i = 0; i < shader->samplers.count && !given; i++)
    if (dv_same(shader->samplers.data[i].name, u->name)) given = &shader->samplers.data[i], number += i;
  if (given && number < p->samplers.count) texture = p->samplers.data[number];
  if (set_cube(p, given, texture, u, unit)) return;
  if (given && given->cube) texture = 0, given = NULL;
  if (!given && b->texture >= 0 && (size_t)b->texture < p->pictures.count)
    texture = p->pictures.data[b->texture];   // one that nobody gives is the body's own picture
  if (seen->post && dv_same(u->name, "colorTexture")) texture = seen->post->colour, given = NULL;
  if (seen->post && dv_same(u->name, "depthTexture")) texture = seen->post->depth, given = NULL;
  dv_paint_bind(p, unit, texture ? texture : p->white);
  if (given && texture) {
    GLint wrap = given->repeat ? GL_REPEAT : GL_CLAMP_TO_EDGE, filter = given->smooth ? GL_LINEAR : GL_NEAREST;
    p->gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    p->gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
    p->gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    p->gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, given->smooth ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
  }
  p->gl->Uniform1i(u->place, unit);
}

static void set_uniforms(const dvGlPainter *p, GLuint program, const Seen *seen)
{
  const dvGl *gl = p->gl;
  const dvDrawShader *shader = &seen->stage->draw.shaders.data[seen->batch->shader];
  GLint count = 0;
  int unit = 0;
  gl->GetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
  for (GLint i = 0; i < count; i++) {
    Active u = {0};
    double v[MOST_UNIFORM];
    bool transpose = false;
    gl->GetActiveUniform(program, (GLuint)i, sizeof u.name, NULL, &u.size, &u.type, u.name);
    u.place = gl->GetUniformLocation(program, u.name);
    size_t length = strlen(u.name);
    if (length > 3 && dv_same(u.name + length - 3, "[0]")) u.name[length - 3] = 0;
    if (is_sampler(u.type)) {
      set_sampler(p, seen, shader, &u, unit++ % 8);
      continue;
    }
    int n = given_value(seen->stage, shader, u.name, v, &transpose);
    if (!n) n = built_in(seen, u.name, v);
    if (n) set_numbers(gl, &u, v, n, transpose);
  }
}

// --- attributes and drawing ----------------------------------------------------------------------

typedef DV_ARRAY(GLuint) Buffers;

// place, normal and texture coordinate out of the buffer that is bound
static void set_own(const dvGl *gl, GLuint program)
{
  static const struct {
    const char *name;
    int width;
    size_t offset;
  } own[] = {{"dv_place", 3, offsetof(dvVertex, place)},
             {"dv_normal", 3, offsetof(dvVertex, normal)},
             {"dv_at", 2, offsetof(dvVertex, at)}};
  for (size_t i = 0; i < DV_COUNT(own); i++) {
    GLint at = gl->GetAttribLocation(program, own[i].name);
    if (at < 0) continue;
    gl->EnableVertexAttribArray((GLuint)at);
    gl->VertexAttribPointer((GLuint)at, own[i].width, GL_FLOAT, 0, sizeof(dvVertex),
                            (const void *)(uintptr_t)own[i].offset);
  }
}

static void set_attributes(const dvGlPainter *p, GLuint program, const dvStage *s, const dvBatch *b, Buffers *made)
{
  const dvGl *gl = p->gl;
  gl->BindBuffer(GL_ARRAY_BUFFER, p->vertices);
  set_own(gl, program);
  const dvDrawShader *shader = &s->draw.shaders.data[b->shader];
  const dvCreases *c = &s->shapes.creases.data[b->drawable];
  for (size_t i = 0; i < shader->attributes.count; i++) {
    const dvDrawUniform *u = &shader->attributes.data[i];
    const dvDrawArray *a = &s->draw.arrays.data[u->array];
    GLint at = gl->GetAttribLocation(program, u->name);
    size_t width = (size_t)u->rows, rows = b->base + c->source.count;
    float *values = at >= 0 ? dv_try_alloc((rows * width + 1) * sizeof *values) : NULL;
    if (!values) continue;
    for (size_t v = 0; v < c->source.count; v++)
      for (size_t k = 0; k < width; k++) {
        size_t from = width * c->source.data[v] + k;
        values[(b->base + v) * width + k] = from < a->count ? ((const float *)(const void *)a->data)[from] : 0;
      }
    GLuint buffer;
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(rows * width * sizeof *values), values, GL_DYNAMIC_DRAW);
    gl->EnableVertexAttribArray((GLuint)at);
    gl->VertexAttribPointer((GLuint)at, u->rows, GL_FLOAT, 0, 0, NULL);
    dv_push(made, buffer);
    dv_free(values);
  }
}

static void draw_shaded(const dvGlPainter *p, const dvStage *s, Seen *seen, const dvBatch *b)
{
  const dvGl *gl = p->gl;
  GLuint program = p->shaders.data[b->shader], array;
  seen->batch = b;
  gl->GenVertexArrays(1, &array);
  gl->BindVertexArray(array);
  gl->UseProgram(program);
  set_uniforms(p, program, seen);
  Buffers made = {0};
  set_attributes(p, program, s, b, &made);
  gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->elements);
  gl->DrawElementsInstanced(GL_TRIANGLES, (GLsizei)b->count, GL_UNSIGNED_INT,
                            (const void *)(uintptr_t)(b->first * sizeof(uint32_t)), 1);
  gl->BindVertexArray(p->array);
  gl->DeleteVertexArrays(1, &array);
  gl->DeleteBuffers((GLsizei)made.count, made.data);
  dv_array_free(&made);
}

void dv_paint_with_shaders(const dvGlPainter *p, const dvStage *s)
{
  if (!p->shaders.count) return;
  Seen seen = {.stage = s};
  see_lights(&seen);
  for (int pass = 0; pass < 2; pass++)   // what lets light through comes later
    for (size_t i = 0; i < s->shapes.batches.count; i++) {
      const dvBatch *b = &s->shapes.batches.data[i];
      if (!dv_paint_shaded(p, b) || !b->count || (b->colour[3] > 0.999f) != (pass == 0)) continue;
      if (pass == 0) p->gl->Disable(GL_BLEND);
      draw_shaded(p, s, &seen, b);
      p->gl->Enable(GL_BLEND);
    }
}

void dv_paint_over(const dvGlPainter *p, const dvStage *s, int shader, const dvPost *post)
{
  static const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
  const dvGl *gl = p->gl;
  const dvBatch all = {.shader = shader, .texture = -1, .colour = {1, 1, 1, 1}};
  Seen seen = {.stage = s, .batch = &all, .post = post};
  GLuint program = p->shaders.data[shader], array;
  dvVertex v[6] = {0};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 2; k++) v[i].place[k] = 2 * corners[i][k] - 1, v[i].at[k] = corners[i][k];
  see_lights(&seen);
  gl->GenVertexArrays(1, &array);
  gl->BindVertexArray(array);
  gl->UseProgram(program);
  set_uniforms(p, program, &seen);
  gl->BindBuffer(GL_ARRAY_BUFFER, p->sorted);
  gl->BufferData(GL_ARRAY_BUFFER, sizeof v, v, GL_DYNAMIC_DRAW);
  set_own(gl, program);
  gl->DrawArrays(GL_TRIANGLES, 0, 6);
  gl->BindVertexArray(p->array);
  gl->DeleteVertexArrays(1, &array);
}
