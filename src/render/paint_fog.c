// Volumes with attenuation: the way of each ray inside their cells, which are closed and turn outwards, up to the first
// solid body; a part exp(-mu way) of what is behind gets through. See paint_inside.h and shaders/fog.frag.
#include "render/paint_inside.h"

static bool is_fog(const dvBatch *b)
{
  return b->kind == DV_BATCH_SURFACE && b->attenuation > 0 && b->count && !dv_paint_liquid_batch(b);
}

static bool any_fog(const dvStage *s)
{
  for (size_t i = 0; i < s->shapes.batches.count; i++)
    if (is_fog(&s->shapes.batches.data[i])) return true;
  return false;
}

static void sum_up(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  static const double none[3] = {0, 0, 0};
  const dvGl *gl = p->gl;
  double back[16];
  dv_matrix_invert(camera, back);
  dv_paint_use(p, FOG, s, camera);
  dv_paint_integer(p, FOG, "planeCount", 0);   // a volume that is cut open has no end
  dv_paint_vector(p, FOG, "towards", s->camera.ortho ? s->camera.back : none);
  dv_paint_matrix(p, FOG, "unprojection", back);
  gl->Uniform2f(dv_paint_place(p, FOG, "pixelSize"), 1 / (float)p->width, 1 / (float)p->height);
  dv_paint_integer(p, FOG, "depths", 0);
  dv_paint_bind(p, 0, p->depth);
  for (size_t i = 0; i < s->shapes.batches.count; i++) {
    const dvBatch *b = &s->shapes.batches.data[i];
    if (!is_fog(b)) continue;
    const float colour[4] = {b->colour[0], b->colour[1], b->colour[2], b->attenuation};
    gl->Uniform4fv(dv_paint_place(p, FOG, "colour"), 1, colour);
    dv_paint_batch(p, b);
  }
}

void dv_paint_fog(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  const dvGl *gl = p->gl;
  if (!any_fog(s)) return;
  GLuint ways = dv_gl_texture(gl, GL_RGBA32F, p->width, p->height, false), target = dv_gl_target(gl, ways, 0);
  if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) {
    gl->Viewport(0, 0, p->width, p->height);
    gl->Disable(GL_SCISSOR_TEST);
    gl->ClearColor(0, 0, 0, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT);
    gl->Disable(GL_DEPTH_TEST);
    gl->BlendFunc(GL_ONE, GL_ONE);
    sum_up(p, s, camera);
    gl->BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
    dv_paint_view(p);
    gl->Enable(GL_SCISSOR_TEST);
    gl->UseProgram(p->programs[FOGGED]);
    dv_paint_integer(p, FOGGED, "ways", 0);
    dv_paint_bind(p, 0, ways);
    dv_paint_square(p);
    gl->Enable(GL_DEPTH_TEST);
  }
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
  gl->DeleteFramebuffers(1, &target);
  gl->DeleteTextures(1, &ways);
}
