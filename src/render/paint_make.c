// Programs, targets and textures of the OpenGL painter. See paint_inside.h.
#include "render/paint_inside.h"

#include "io/mesh/image.h"
#include "render/programs.h"

#include <stdio.h>

static bool make_programs(dvGlPainter *p, char *why)
{
  const char *const light = dv_shader_light, *const vertex[] = {dv_shader_vertex, NULL},
                    *const square[] = {dv_shader_square, NULL};
  const char *const texts[PROGRAMS][4] = {[SURFACE] = {light, dv_shader_layers, dv_shader_surface},
                                          [LAYER] = {dv_shader_layers, dv_shader_layer},
                                          [PLAIN] = {dv_shader_plain},
                                          [DEPTH] = {dv_shader_depth},
                                          [GROUND] = {light, dv_shader_ground},
                                          [OCCLUSION] = {dv_shader_occlusion},
                                          [BLUR] = {dv_shader_blur},
                                          [BACKGROUND] = {dv_shader_background},
                                          [XRAY] = {dv_shader_xray},
                                          [FILM] = {dv_shader_film},
                                          [FOG] = {dv_shader_fog},
                                          [FOGGED] = {dv_shader_fogged},
                                          [DEPTHS] = {dv_shader_depths},
                                          [LIQUID_DEPTH] = {dv_shader_liquid_depth},
                                          [LIQUID_SMOOTH] = {dv_shader_liquid_smooth},
                                          [LIQUID] = {light, dv_shader_liquid}};
  for (int i = 0; i < PROGRAMS; i++) {
    char log[150] = "";
    p->programs[i] = dv_gl_program(p->gl, i < OCCLUSION ? vertex : square, texts[i], log, sizeof log);
    if (!p->programs[i]) {
      snprintf(why, 200, "a program of the renderer does not compile: %s", log);
      return false;
    }
  }
  return true;
}

static GLuint make_image(const dvGl *gl, const unsigned char *rgba, int width, int height, bool repeat, GLint format)
{
  GLuint t;
  gl->GenTextures(1, &t);
  gl->BindTexture(GL_TEXTURE_2D, t);
  gl->TexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  gl->GenerateMipmap(GL_TEXTURE_2D);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, repeat ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
  gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  for (int k = 0; k < 2; k++)
    gl->TexParameteri(GL_TEXTURE_2D, k ? GL_TEXTURE_WRAP_S : GL_TEXTURE_WRAP_T, repeat ? GL_REPEAT : GL_CLAMP_TO_EDGE);
  return t;
}

GLuint dv_paint_image(const dvGl *gl, const unsigned char *rgba, int width, int height, bool repeat)
{
  return make_image(gl, rgba, width, height, repeat, GL_SRGB8_ALPHA8);
}

// one row a map; they are small, and the scene may choose others at any time
static void make_maps(dvGlPainter *p, const dvShapes *s)
{
  enum { WIDE = 256 };
  unsigned char pixels[DV_MAP_ROWS][WIDE][4] = {0};
  for (size_t row = 0; row < s->map_count; row++)
    for (int i = 0; i < WIDE; i++)
      dv_map_at(&s->colours[row], (double)i / (WIDE - 1), pixels[row][i]), pixels[row][i][3] = 255;
  if (p->map) p->gl->DeleteTextures(1, &p->map);
  p->map = dv_paint_image(p->gl, &pixels[0][0][0], WIDE, DV_MAP_ROWS, false);
}

static bool make_targets(dvGlPainter *p, char *why)
{
  const dvGl *gl = p->gl;
  int w = p->width, h = p->height;
  p->shadow = dv_gl_texture(gl, GL_DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE, true);
  p->depth = dv_gl_texture(gl, GL_DEPTH_COMPONENT24, w, h, false);
  p->raw = dv_gl_texture(gl, GL_RGBA8, w, h, false);
  p->occlusion = dv_gl_texture(gl, GL_RGBA8, w, h, true);
  p->shadow_target = dv_gl_target(gl, 0, p->shadow);
  p->depth_target = dv_gl_target(gl, 0, p->depth);
  p->raw_target = dv_gl_target(gl, p->raw, 0);
  p->occlusion_target = dv_gl_target(gl, p->occlusion, 0);
  GLint samples = p->gl->most_samples < SAMPLES ? p->gl->most_samples : SAMPLES;
  GLuint *const buffers[3] = {&p->main_colour, &p->main_depth, &p->last_colour};
  for (int i = 0; i < 3; i++) {
    gl->GenRenderbuffers(1, buffers[i]);
    gl->BindRenderbuffer(GL_RENDERBUFFER, *buffers[i]);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, i < 2 ? samples : 0, i == 1 ? GL_DEPTH_COMPONENT24 : GL_RGBA8,
                                       w, h);
  }
  p->main_target = dv_gl_target(gl, 0, 0);
  gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, p->main_colour);
  gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, p->main_depth);
  bool good = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  p->last_target = dv_gl_target(gl, 0, 0);
  gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, p->last_colour);
  good = good && gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  if (!good) snprintf(why, 200, "OpenGL has no memory for a picture of %d x %d", w, h);
  return good;
}

dvGlPainter *dv_gl_painter_create(dvGl *gl, int width, int height, char *why)
{
  if (width > gl->largest || height > gl->largest) {
    snprintf(why, 200, "OpenGL draws at most %d x %d pixels here", gl->largest, gl->largest);
    return NULL;
  }
  dvGlPainter *p = dv_alloc(sizeof *p);
  *p = (dvGlPainter){.gl = gl, .width = width, .height = height};
  if (!make_programs(p, why) || !make_targets(p, why)) {
    dv_gl_painter_destroy(&p);
    return NULL;
  }
  GLuint *const buffers[4] = {&p->vertices, &p->elements, &p->copies, &p->sorted};
  for (int i = 0; i < 4; i++) gl->GenBuffers(1, buffers[i]);
  gl->GenVertexArrays(1, &p->array);
  gl->GenVertexArrays(1, &p->empty);
  static const unsigned char white[4] = {255, 255, 255, 255};
  p->white = dv_paint_image(gl, white, 1, 1, true);
  return p;
}

static void forget_pictures(dvGlPainter *p)
{
  for (size_t i = 0; i < p->pictures.count; i++) p->gl->DeleteTextures(1, &p->pictures.data[i]);
  for (size_t i = 0; i < p->samplers.count; i++) p->gl->DeleteTextures(1, &p->samplers.data[i]);
  p->pictures.count = p->samplers.count = 0;
}

void dv_gl_painter_destroy(dvGlPainter **place)
{
  dvGlPainter *p = *place;
  *place = NULL;
  if (!p) return;
  const dvGl *gl = p->gl;
  forget_pictures(p);
  dv_paint_forget_shaders(p);
  dv_array_free(&p->pictures);
  dv_array_free(&p->shaders);
  dv_array_free(&p->samplers);
  for (int i = 0; i < PROGRAMS; i++)
    if (p->programs[i]) gl->DeleteProgram(p->programs[i]);
  const GLuint textures[] = {p->shadow, p->depth, p->raw, p->occlusion, p->white, p->map},
               targets[] = {p->shadow_target,    p->depth_target, p->raw_target,
                            p->occlusion_target, p->main_target,  p->last_target},
               buffers[] = {p->vertices, p->elements, p->copies, p->sorted}, arrays[] = {p->array, p->empty},
               renders[] = {p->main_colour, p->main_depth, p->last_colour};
  gl->DeleteTextures(DV_COUNT(textures), textures);
  gl->DeleteFramebuffers(DV_COUNT(targets), targets);
  gl->DeleteBuffers(DV_COUNT(buffers), buffers);
  gl->DeleteVertexArrays(DV_COUNT(arrays), arrays);
  gl->DeleteRenderbuffers(DV_COUNT(renders), renders);
  dv_free(p);
}

// --- pictures of materials -----------------------------------------------------------------------

// four numbers a pixel, rows from bottom to top, as coordinates count, or from above; NULL where there is no such
// picture
static unsigned char *read_pixels(const char *file, bool from_above, int *width, int *height)
{
  dvImage image = {0};
  char why[100];
  if (dv_image_read(file, &image, why) != DV_OK) return NULL;
  size_t pixels = (size_t)image.width * (size_t)image.height, wide = (size_t)image.width;
  unsigned char *rgba = dv_try_alloc(4 * pixels);
  for (size_t i = 0; rgba && i < pixels; i++) {
    size_t row = i / wide, from = (from_above ? row : (size_t)image.height - 1 - row) * wide + i % wide;
    const uint8_t *c = image.pixels + from * (size_t)image.channels;
    for (int k = 0; k < 3; k++) rgba[4 * i + (size_t)k] = image.channels < 3 ? c[0] : c[k];
    rgba[4 * i + 3] = image.channels == 4 ? c[3] : image.channels == 2 ? c[1] : 255;
  }
  *width = image.width, *height = image.height;
  dv_image_free(&image);
  return rgba;
}

static GLuint load_picture(const dvGl *gl, const char *file, bool srgb)
{
  int width, height;
  unsigned char *rgba = read_pixels(file, false, &width, &height);
  GLuint t = rgba ? make_image(gl, rgba, width, height, true, srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8) : 0;
  dv_free(rgba);
  return t;
}

// six squares of one size; white where they are none, so that a program can be drawn with it
static GLuint load_cube(const dvGl *gl, const dvStage *s, const dvDrawSampler *sampler)
{
  unsigned char *sides[6] = {NULL}, white[4] = {255, 255, 255, 255};
  int size = 0;
  bool good = true;
  for (int k = 0; k < 6 && good; k++) {
    int width = 0, height = 0;
    sides[k] =
        sampler->sides[k] >= 0 ? read_pixels(s->draw.textures.data[sampler->sides[k]], true, &width, &height) : NULL;
    size = k ? size : width;
    good = sides[k] && width == size && height == size;
  }
  GLuint t;
  gl->GenTextures(1, &t);
  gl->BindTexture(GL_TEXTURE_CUBE_MAP, t);
  for (int k = 0; k < 6; k++) {
    gl->TexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)k, 0, sampler->srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8,
                   good ? size : 1, good ? size : 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, good ? sides[k] : white);
    dv_free(sides[k]);
  }
  gl->GenerateMipmap(GL_TEXTURE_CUBE_MAP);
  gl->TexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, sampler->smooth ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
  gl->TexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, sampler->smooth ? GL_LINEAR : GL_NEAREST);
  for (int k = 0; k < 2; k++)
    gl->TexParameteri(GL_TEXTURE_CUBE_MAP, k ? GL_TEXTURE_WRAP_S : GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  gl->BindTexture(GL_TEXTURE_CUBE_MAP, 0);
  return t;
}

void dv_paint_pictures(dvGlPainter *p, const dvStage *s)
{
  make_maps(p, &s->shapes);
  if (p->revision == s->draw.revision) return;
  forget_pictures(p);
  p->revision = s->draw.revision;
  for (size_t i = 0; i < s->draw.textures.count; i++) {
    GLuint t = load_picture(p->gl, s->draw.textures.data[i], true);
    dv_push(&p->pictures, t);
  }
  for (size_t i = 0; i < s->draw.shaders.count; i++)   // programs of the scene read them as they are in the file
    for (size_t k = 0; k < s->draw.shaders.data[i].samplers.count; k++) {
      const dvDrawSampler *t = &s->draw.shaders.data[i].samplers.data[k];
      GLuint own = t->cube           ? load_cube(p->gl, s, t)
                   : t->texture >= 0 ? load_picture(p->gl, s->draw.textures.data[t->texture], t->srgb)
                                     : 0;
      dv_push(&p->samplers, own);
    }
  dv_paint_shaders(p, s);
}
