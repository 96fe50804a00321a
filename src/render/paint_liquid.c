// Liquids of drops as one surface, in the space of the picture: distances of balls, smoothed; how much of them is
// behind each other; and a surface with normals, light that is bent and swallowed. See shaders/liquid*.frag.
#include "render/paint_inside.h"

static bool any_liquid(const dvStage *s)
{
  for (size_t i = 0; i < s->shapes.batches.count; i++)
    if (dv_paint_liquid_batch(&s->shapes.batches.data[i])) return true;
  return false;
}

bool dv_paint_liquid_batch(const dvBatch *b)
{
  return b->kind == DV_BATCH_SURFACE && b->liquid[0] > 0 && b->count && !b->over;
}

typedef struct Pools {
  GLuint ways[2], targets[2], depth, sums, sums_target, picture, picture_target;
} Pools;

static bool open_pools(const dvGlPainter *p, Pools *o)
{
  const dvGl *gl = p->gl;
  bool good = true;
  o->depth = dv_gl_texture(gl, GL_DEPTH_COMPONENT24, p->width, p->height, false);
  for (int i = 0; i < 2; i++) {
    o->ways[i] = dv_gl_texture(gl, GL_RGBA32F, p->width, p->height, false);
    o->targets[i] = dv_gl_target(gl, o->ways[i], i ? 0 : o->depth);
    good = good && gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  }
  o->sums = dv_gl_texture(gl, GL_RGBA32F, p->width, p->height, false);
  o->sums_target = dv_gl_target(gl, o->sums, 0);
  o->picture = dv_gl_texture(gl, GL_RGBA8, p->width, p->height, true);
  o->picture_target = dv_gl_target(gl, o->picture, 0);
  return good && gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void close_pools(const dvGlPainter *p, Pools *o)
{
  const GLuint textures[] = {o->ways[0], o->ways[1], o->depth, o->sums, o->picture},
               targets[] = {o->targets[0], o->targets[1], o->sums_target, o->picture_target};
  p->gl->DeleteFramebuffers(DV_COUNT(targets), targets);
  p->gl->DeleteTextures(DV_COUNT(textures), textures);
}

static void set_rays(const dvGlPainter *p, Program which, const dvStage *s, const double camera[16])
{
  static const double none[3] = {0, 0, 0};
  double back[16];
  dv_matrix_invert(camera, back);
  dv_paint_vector(p, which, "eye", s->camera.eye);
  dv_paint_vector(p, which, "towards", s->camera.ortho ? s->camera.back : none);
  dv_paint_matrix(p, which, "unprojection", back);
  p->gl->Uniform2f(dv_paint_place(p, which, "pixelSize"), 1 / (float)p->width, 1 / (float)p->height);
}

// the balls, in one of the two programs that measure them
static void draw_balls(const dvGlPainter *p, Program which, const dvStage *s, const double camera[16])
{
  dv_paint_use(p, which, s, camera);
  dv_paint_integer(p, which, "planeCount", 0);
  set_rays(p, which, s, camera);
  dv_paint_integer(p, which, "depths", 0);
  dv_paint_bind(p, 0, p->depth);
  for (size_t i = 0; i < s->shapes.batches.count; i++) {
    const dvBatch *b = &s->shapes.batches.data[i];
    if (!dv_paint_liquid_batch(b)) continue;
    const float colour[4] = {b->colour[0], b->colour[1], b->colour[2], b->attenuation};
    if (which == FOG) p->gl->Uniform4fv(dv_paint_place(p, FOG, "colour"), 1, colour);
    dv_paint_batch(p, b);
  }
}

// widest smoothing and falloff of all liquids
static void widths(const dvStage *s, float out[2])
{
  out[0] = out[1] = 0;
  for (size_t i = 0; i < s->shapes.batches.count; i++) {
    const dvBatch *b = &s->shapes.batches.data[i];
    for (int k = 0; k < 2 && dv_paint_liquid_batch(b); k++) out[k] = b->liquid[k] > out[k] ? b->liquid[k] : out[k];
  }
}

static void smooth(const dvGlPainter *p, const dvStage *s, const Pools *o)
{
  const dvGl *gl = p->gl;
  float wide[2];
  widths(s, wide);
  gl->UseProgram(p->programs[LIQUID_SMOOTH]);
  dv_paint_integer(p, LIQUID_SMOOTH, "ways", 0);
  dv_paint_integer(p, LIQUID_SMOOTH, "flatView", s->camera.ortho);
  dv_paint_number(p, LIQUID_SMOOTH, "wide", wide[0]);
  dv_paint_number(p, LIQUID_SMOOTH, "falloff", wide[1]);
  dv_paint_number(p, LIQUID_SMOOTH, "pixels", 0.5 * p->height * s->camera.projection[5]);
  for (int pass = 0; pass < 4; pass++) {   // there and back, twice
    gl->BindFramebuffer(GL_FRAMEBUFFER, o->targets[1 - pass % 2]);
    gl->Uniform2f(dv_paint_place(p, LIQUID_SMOOTH, "along"), pass % 2 ? 0 : 1 / (float)p->width,
                  pass % 2 ? 1 / (float)p->height : 0);
    dv_paint_bind(p, 0, o->ways[pass % 2]);
    dv_paint_square(p);
  }
}

static void shade(const dvGlPainter *p, const dvStage *s, const double camera[16], const Pools *o)
{
  const dvGl *gl = p->gl;
  float wide[2], w = (float)p->width, h = (float)p->height;
  const float part[4] = {(float)p->view[0] / w, (float)p->view[1] / h, (float)p->view[2] / w, (float)p->view[3] / h};
  widths(s, wide);
  gl->UseProgram(p->programs[LIQUID]);
  dv_paint_lights(p, LIQUID, s);
  set_rays(p, LIQUID, s, camera);
  dv_paint_matrix(p, LIQUID, "toPicture", camera);
  dv_paint_number(p, LIQUID, "bend", wide[0]);
  gl->Uniform4fv(dv_paint_place(p, LIQUID, "part"), 1, part);
  dv_paint_integer(p, LIQUID, "ways", 0);
  dv_paint_integer(p, LIQUID, "sums", 3);
  dv_paint_integer(p, LIQUID, "behind", 4);
  dv_paint_bind(p, 0, o->ways[0]);
  dv_paint_bind(p, 3, o->sums);
  dv_paint_bind(p, 4, o->picture);
  dv_paint_square(p);
}

void dv_paint_liquid(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  const dvGl *gl = p->gl;
  Pools o;
  if (!any_liquid(s)) return;
  bool good = open_pools(p, &o);
  if (good) {
    gl->Disable(GL_SCISSOR_TEST);
    gl->Disable(GL_BLEND);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, p->main_target);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, o.picture_target);
    gl->BlitFramebuffer(0, 0, p->width, p->height, 0, 0, p->width, p->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl->BindFramebuffer(GL_FRAMEBUFFER, o.targets[0]);
    gl->Viewport(0, 0, p->width, p->height);
    gl->ClearColor(0, 0, 0, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_balls(p, LIQUID_DEPTH, s, camera);
    gl->Disable(GL_DEPTH_TEST);
    smooth(p, s, &o);
    gl->Enable(GL_BLEND);
    gl->BindFramebuffer(GL_FRAMEBUFFER, o.sums_target);
    gl->Clear(GL_COLOR_BUFFER_BIT);
    gl->BlendFunc(GL_ONE, GL_ONE);
    draw_balls(p, FOG, s, camera);
    gl->BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->Enable(GL_DEPTH_TEST);
    gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
    dv_paint_view(p);
    gl->Enable(GL_SCISSOR_TEST);
    shade(p, s, camera, &o);
  }
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
  close_pools(p, &o);
}
