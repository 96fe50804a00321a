// PostProcessManager: a program of the scene works on the finished picture, which it reads as colorTexture, with the
// depths of solid bodies and the ground as depthTexture, 0 at zNear and 1 at zFar. See view/shaders.h.
#include "render/paint_inside.h"

// the picture, its samples brought together
static GLuint take_colours(const dvGlPainter *p, GLuint *target)
{
  const dvGl *gl = p->gl;
  GLuint colours = dv_gl_texture(gl, GL_RGBA8, p->width, p->height, true);
  *target = dv_gl_target(gl, colours, 0);
  gl->BindFramebuffer(GL_READ_FRAMEBUFFER, p->main_target);
  gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, *target);
  gl->BlitFramebuffer(0, 0, p->width, p->height, 0, 0, p->width, p->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  return colours;
}

// false when OpenGL keeps no numbers in pictures here
static bool take_depths(const dvGlPainter *p, const dvStage *s, GLuint target)
{
  const dvGl *gl = p->gl;
  double back[16];
  gl->BindFramebuffer(GL_FRAMEBUFFER, target);
  if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
  gl->Viewport(0, 0, p->width, p->height);
  dv_matrix_invert(s->camera.projection, back);
  gl->UseProgram(p->programs[DEPTHS]);
  dv_paint_matrix(p, DEPTHS, "unprojection", back);
  gl->Uniform2f(dv_paint_place(p, DEPTHS, "between"), (float)s->draw.post_near, (float)s->draw.post_far);
  dv_paint_integer(p, DEPTHS, "depths", 0);
  dv_paint_bind(p, 0, p->depth);
  dv_paint_square(p);
  return true;
}

void dv_paint_post(const dvGlPainter *p, const dvStage *s)
{
  const dvGl *gl = p->gl;
  const int which = s->draw.post;
  if (which < 0 || (size_t)which >= p->shaders.count || !p->shaders.data[which]) return;
  GLuint colour_target, depths = dv_gl_texture(gl, GL_RGBA32F, p->width, p->height, false),
                        depth_target = dv_gl_target(gl, depths, 0), colours = take_colours(p, &colour_target);
  gl->Disable(GL_DEPTH_TEST);
  if (take_depths(p, s, depth_target)) {
    gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
    dv_paint_view(p);
    dv_paint_over(p, s, which, &(dvPost){colours, depths, p->width, p->height});
  }
  gl->Enable(GL_DEPTH_TEST);
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
  const GLuint targets[] = {colour_target, depth_target}, textures[] = {colours, depths};
  gl->DeleteFramebuffers(2, targets);
  gl->DeleteTextures(2, textures);
}
