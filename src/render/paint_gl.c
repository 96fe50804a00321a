// See paint_gl.h. The passes: depths as the light sees them, depths as the camera sees them, occlusion out of these,
// and the picture itself with several samples a pixel. What lets light through comes last, from far to near in
// each pixel.
#include "render/paint_inside.h"

#include <math.h>
#include <stdio.h>

static void draw_solids(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  dv_paint_use(p, DEPTH, s, camera);
  for (size_t i = 0; i < s->shapes.batches.count; i++)
    if (dv_paint_solid(&s->shapes.batches.data[i])) dv_paint_batch(p, &s->shapes.batches.data[i]);
}

// --- shadows -------------------------------------------------------------------------------------

static void sphere_around(const dvStage *s, double middle[3], double *radius)
{
  double square = 0;
  for (int k = 0; k < 3; k++) {
    double low = fmin(s->shapes.low[k], s->shapes.high[k]), high = fmax(s->shapes.low[k], s->shapes.high[k]);
    if (!isfinite(low + high)) low = s->first_low[k], high = s->first_high[k];
    middle[k] = 0.5 * (low + high);
    square += 0.25 * (high - low) * (high - low);
  }
  *radius = fmax(1e-6, 1.02 * sqrt(square));
}

// a matrix that sees the whole scene from a light; `wide`: radius of the blur
static void light_matrix(const dvStage *s, const double place[4], double out[16], float wide[4])
{
  double middle[3], radius, back[3], right[3], above[3], eye[3], away = 0, view[16], projection[16];
  sphere_around(s, middle, &radius);
  for (int k = 0; k < 3; k++) back[k] = place[3] > 0.5 ? place[k] - middle[k] : place[k], away += back[k] * back[k];
  away = sqrt(away);
  for (int k = 0; k < 3; k++) back[k] /= away > 0 ? away : 1;
  int least = fabs(back[0]) < fabs(back[1])   ? (fabs(back[0]) < fabs(back[2]) ? 0 : 2)
              : fabs(back[1]) < fabs(back[2]) ? 1
                                              : 2;
  double e[3] = {0}, length = 0;
  e[least] = 1;
  right[0] = e[1] * back[2] - e[2] * back[1], right[1] = e[2] * back[0] - e[0] * back[2];
  right[2] = e[0] * back[1] - e[1] * back[0];
  for (int k = 0; k < 3; k++) length += right[k] * right[k];
  for (int k = 0; k < 3; k++) right[k] /= length > 0 ? sqrt(length) : 1;
  above[0] = back[1] * right[2] - back[2] * right[1], above[1] = back[2] * right[0] - back[0] * right[2];
  above[2] = back[0] * right[1] - back[1] * right[0];
  double soft = 0.011 * s->shapes.diagonal;
  if (place[3] > 0.5) {
    for (int k = 0; k < 3; k++) eye[k] = place[k];
    double near = fmax(away - radius, 0.02 * radius),
           half = away > 1.05 * radius ? radius / sqrt(away * away - radius * radius) : 3;
    dv_matrix_frustum(fmin(half, 3), 1, near, away + radius, projection);
    wide[0] = (float)(soft / (2 * fmin(half, 3) * fmax(away, radius)));
  } else {
    for (int k = 0; k < 3; k++) eye[k] = middle[k] + 2 * radius * back[k];
    dv_matrix_box(radius, radius, 0.9 * radius, 5 * radius, projection);
    wide[0] = (float)(soft / (2 * radius));
  }
  wide[1] = (float)soft, wide[2] = wide[3] = 0;
  dv_matrix_look(eye, right, above, back, view);
  dv_matrix_multiply(projection, view, out);
}

static void draw_shadows(dvGlPainter *p, const dvStage *s)
{
  const dvGl *gl = p->gl;
  static const double into[16] = {0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1};
  const double *places[DV_MOST_SHADOWS];
  double key[4] = {s->key[0], s->key[1], s->key[2], 0};
  p->shadows = 0;
  if (!s->light_count) places[p->shadows++] = key;
  for (int i = 0; i < s->light_count && p->shadows < DV_MOST_SHADOWS; i++)
    if (s->lights[i].shadow) places[p->shadows++] = s->lights[i].place;
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->shadow_target);
  gl->Viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
  gl->Clear(GL_DEPTH_BUFFER_BIT);
  gl->Enable(GL_POLYGON_OFFSET_FILL);
  gl->PolygonOffset(1.5f, 4);
  for (int i = 0; i < p->shadows; i++) {
    double matrix[16];
    int part = p->shadows > 1 ? SHADOW_SIZE / 2 : SHADOW_SIZE;
    light_matrix(s, places[i], matrix, p->shadow_wide[i]);
    gl->Viewport((i & 1) * part, (i >> 1) * part, part, part);
    draw_solids(p, s, matrix);
    dv_matrix_multiply(into, matrix, p->shadow_matrix[i]);
  }
  gl->Disable(GL_POLYGON_OFFSET_FILL);
}

// --- ground and occlusion ------------------------------------------------------------------------

static double ground_radius(const dvStage *s) { return 2.6 * fmax(s->shapes.diagonal, 1e-6); }

// six corners behind the vertices of the shapes, which are uploaded anew: a picture has few
static void draw_ground(const dvGlPainter *p, const dvStage *s)
{
  const dvGl *gl = p->gl;
  dvVertex v[6] = {0};
  static const int corners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
  int up = s->camera.up, a = (up + 1) % 3, b = (up + 2) % 3;
  double middle[3], r = ground_radius(s);
  for (int k = 0; k < 3; k++) middle[k] = 0.5 * (s->shapes.low[k] + s->shapes.high[k]);
  for (int i = 0; i < 6; i++) {
    v[i].place[up] = (float)s->floor;
    v[i].place[a] = (float)(middle[a] + r * corners[i][0]), v[i].place[b] = (float)(middle[b] + r * corners[i][1]);
  }
  gl->BindVertexArray(p->empty);
  gl->BindBuffer(GL_ARRAY_BUFFER, p->sorted);
  gl->BufferData(GL_ARRAY_BUFFER, sizeof v, v, GL_DYNAMIC_DRAW);
  gl->EnableVertexAttribArray(0);
  gl->VertexAttribPointer(0, 3, GL_FLOAT, 0, sizeof(dvVertex), NULL);
  dv_paint_copies(p, 0, 0);
  gl->DrawArrays(GL_TRIANGLES, 0, 6);
  gl->DisableVertexAttribArray(0);
  gl->BindVertexArray(p->array);
}

void dv_paint_square(const dvGlPainter *p)
{
  p->gl->BindVertexArray(p->empty);
  p->gl->DrawArrays(GL_TRIANGLES, 0, 3);
  p->gl->BindVertexArray(p->array);
}

static void occlude(const dvGlPainter *p, const dvStage *s, Program which, GLuint target)
{
  const dvGl *gl = p->gl;
  double unprojection[16];
  dv_matrix_invert(s->camera.projection, unprojection);
  gl->BindFramebuffer(GL_FRAMEBUFFER, target);
  gl->UseProgram(p->programs[which]);
  dv_paint_matrix(p, which, "projection", s->camera.projection);
  dv_paint_matrix(p, which, "unprojection", unprojection);
  gl->Uniform2f(dv_paint_place(p, which, "pixelSize"), 1 / (float)p->width, 1 / (float)p->height);
  dv_paint_number(p, which, "reach", 0.055 * s->shapes.diagonal);
  dv_paint_integer(p, which, "depths", 0);
  dv_paint_integer(p, which, "raw", 1);
  dv_paint_bind(p, 0, p->depth);
  dv_paint_bind(p, 1, p->raw);
  dv_paint_square(p);
}

static void draw_occlusion(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  const dvGl *gl = p->gl;
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->depth_target);
  gl->Viewport(0, 0, p->width, p->height);
  gl->Clear(GL_DEPTH_BUFFER_BIT);
  draw_solids(p, s, camera);
  if (s->ground) draw_ground(p, s);
  gl->Disable(GL_DEPTH_TEST);
  dv_paint_bind(p, 1, p->white);
  occlude(p, s, OCCLUSION, p->raw_target);
  occlude(p, s, BLUR, p->occlusion_target);
  gl->Enable(GL_DEPTH_TEST);
}

static void set_plain(const dvGlPainter *p, const dvStage *s, const dvBatch *b, float alpha)
{
  const float colour[4] = {b->colour[0], b->colour[1], b->colour[2], b->colour[3] * alpha};
  bool points = b->kind == DV_BATCH_POINTS;
  p->gl->Uniform4fv(dv_paint_place(p, PLAIN, "colour"), 1, colour);
  dv_paint_number(p, PLAIN, "pointSize", 6);
  dv_paint_integer(p, PLAIN, "disc", points);
  double pixel = 2 * 0.325 / p->height * (s->camera.ortho ? 0 : 1);
  p->gl->Uniform2f(dv_paint_place(p, PLAIN, "lift"), points ? (float)fmin(0.5, 1.2 * 6 * pixel) : 0, 0);
}

// --- the picture ---------------------------------------------------------------------------------

static void draw_background(const dvGlPainter *p, const dvStage *s)
{
  p->gl->UseProgram(p->programs[BACKGROUND]);
  dv_paint_vector(p, BACKGROUND, "above", s->background[0]);
  dv_paint_vector(p, BACKGROUND, "below", s->background[1]);
  GLuint picture =
      s->draw.backdrop >= 0 && (size_t)s->draw.backdrop < p->pictures.count ? p->pictures.data[s->draw.backdrop] : 0;
  dv_paint_integer(p, BACKGROUND, "pictured", picture != 0);
  dv_paint_integer(p, BACKGROUND, "picture", 0);
  p->gl->Uniform2f(dv_paint_place(p, BACKGROUND, "wide"), (float)p->width, (float)p->height);
  dv_paint_bind(p, 0, picture ? picture : p->white);
  p->gl->Disable(GL_DEPTH_TEST);
  dv_paint_square(p);
  p->gl->Enable(GL_DEPTH_TEST);
}

static void draw_lines(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  const dvGl *gl = p->gl;
  dv_paint_use(p, PLAIN, s, camera);
  for (int pass = 0; pass < 2; pass++) {   // what is hidden, faintly, behind what is not
    gl->DepthFunc(pass ? GL_LEQUAL : GL_GREATER);
    gl->DepthMask(pass ? 1 : 0);
    for (size_t i = 0; i < s->shapes.batches.count; i++) {
      const dvBatch *b = &s->shapes.batches.data[i];
      if (b->kind == DV_BATCH_SURFACE || (!pass && !b->through)) continue;
      set_plain(p, s, b, pass ? 1 : 0.28f);
      dv_paint_batch(p, b);
    }
  }
}

static void draw_over(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  dv_paint_use(p, PLAIN, s, camera);
  p->gl->Disable(GL_DEPTH_TEST);
  for (size_t i = 0; i < s->shapes.batches.count; i++) {
    const dvBatch *b = &s->shapes.batches.data[i];
    if (!b->over) continue;
    set_plain(p, s, b, 1);
    dv_paint_batch(p, b);
  }
  p->gl->Enable(GL_DEPTH_TEST);
}

static void draw_main(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  const dvGl *gl = p->gl;
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
  dv_paint_view(p);
  gl->Enable(GL_SCISSOR_TEST);
  gl->Clear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
  draw_background(p, s);
  gl->Enable(GL_BLEND);
  if (s->ground) {
    dv_paint_use(p, GROUND, s, camera);
    dv_paint_lights(p, GROUND, s);
    double middle[3];
    for (int k = 0; k < 3; k++) middle[k] = k == s->camera.up ? s->floor : 0.5 * (s->shapes.low[k] + s->shapes.high[k]);
    dv_paint_vector(p, GROUND, "middle", middle);
    dv_paint_number(p, GROUND, "radius", ground_radius(s));
    gl->DepthMask(0);
    draw_ground(p, s);
    gl->DepthMask(1);
  }
  dv_paint_use(p, SURFACE, s, camera);
  dv_paint_lights(p, SURFACE, s);
  static const double none[3] = {0, 0, 0};
  dv_paint_vector(p, SURFACE, "towards", s->camera.ortho ? s->camera.back : none);
  for (size_t i = 0; i < s->shapes.batches.count; i++) {
    const dvBatch *b = &s->shapes.batches.data[i];
    if (!dv_paint_solid(b) || dv_paint_shaded(p, b)) continue;
    bool behind = b->group != DV_DRAW_VISUAL;   // lines of the same elements stand before their faces
    if (behind) gl->Enable(GL_POLYGON_OFFSET_FILL), gl->PolygonOffset(2, 4);
    dv_paint_look(p, b);
    dv_paint_batch(p, b);
    if (behind) gl->Disable(GL_POLYGON_OFFSET_FILL);
  }
  dv_paint_with_shaders(p, s);
  draw_lines(p, s, camera);
  dv_paint_liquid(p, s, camera);
  dv_paint_through(p, s, camera);
  dv_paint_fog(p, s, camera);
  draw_over(p, s, camera);
  gl->Disable(GL_BLEND);
  gl->Disable(GL_SCISSOR_TEST);
}

void dv_paint_view(const dvGlPainter *p)
{
  p->gl->Viewport(p->view[0], p->view[1], p->view[2], p->view[3]);
  p->gl->Scissor(p->view[0], p->view[1], p->view[2], p->view[3]);
}

// light and shadows are those of the picture around it
static void draw_inset(dvGlPainter *p, const dvStage *s, const dvInset *inset)
{
  dvStage inside = *s;   // borrows everything
  double camera[16];
  inside.camera = inset->camera;
  inside.ground = s->ground && inside.camera.eye[inside.camera.up] > s->floor;
  const int view[4] = {inset->x, inset->y, inset->width, inset->height};
  memcpy(p->view, view, sizeof view);
  dv_matrix_multiply(inside.camera.projection, inside.camera.view, camera);
  draw_occlusion(p, &inside, camera);
  draw_main(p, &inside, camera);
}

// The way of each ray inside bodies is summed up in a picture of numbers, and what gets through is shown. Closed
// surfaces only, with all faces outwards: an open one has ways without an end, a turned face counts the wrong way.
static bool draw_xray(const dvGlPainter *p, const dvStage *s, const double camera[16], char *why)
{
  const dvGl *gl = p->gl;
  static const double none[3] = {0, 0, 0};
  GLuint ways = dv_gl_texture(gl, GL_RGBA32F, p->width, p->height, false), target = dv_gl_target(gl, ways, 0);
  bool good = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  if (!good) snprintf(why, 200, "OpenGL sums up no numbers here (EXT_color_buffer_float)");
  gl->Viewport(0, 0, p->width, p->height);
  gl->ClearColor(0, 0, 0, 0);
  gl->Clear(GL_COLOR_BUFFER_BIT);
  gl->Disable(GL_DEPTH_TEST);
  gl->Enable(GL_BLEND);
  gl->BlendFunc(GL_ONE, GL_ONE);
  dv_paint_use(p, XRAY, s, camera);
  dv_paint_vector(p, XRAY, "towards", s->camera.ortho ? s->camera.back : none);
  dv_paint_number(p, XRAY, "base", s->camera.distance);
  for (size_t i = 0; good && i < s->shapes.batches.count; i++) {
    const dvBatch *b = &s->shapes.batches.data[i];
    if (b->kind != DV_BATCH_SURFACE || b->over) continue;
    const double contrast[3] = {b->contrast[0], b->contrast[1], b->contrast[2] / s->xray};
    dv_paint_vector(p, XRAY, "contrast", contrast);
    dv_paint_batch(p, b);
  }
  gl->Disable(GL_BLEND);
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
  gl->UseProgram(p->programs[FILM]);
  dv_paint_number(p, FILM, "mu", s->xray);
  dv_paint_integer(p, FILM, "ways", 0);
  dv_paint_bind(p, 0, ways);
  dv_paint_square(p);
  gl->DeleteFramebuffers(1, &target);
  gl->DeleteTextures(1, &ways);
  return good;
}

static bool read_back(const dvGlPainter *p, unsigned char *rgb, char *why)
{
  const dvGl *gl = p->gl;
  size_t w = (size_t)p->width, h = (size_t)p->height;
  gl->BindFramebuffer(GL_READ_FRAMEBUFFER, p->main_target);
  gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, p->last_target);
  gl->BlitFramebuffer(0, 0, p->width, p->height, 0, 0, p->width, p->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->last_target);
  unsigned char *rgba = dv_try_alloc(4 * w * h);
  if (!rgba) {
    snprintf(why, 200, "not enough memory for a picture of %zu x %zu", w, h);
    return false;
  }
  gl->ReadPixels(0, 0, p->width, p->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
  for (size_t y = 0; y < h; y++)
    for (size_t x = 0; x < w; x++) memcpy(rgb + 3 * (y * w + x), rgba + 4 * ((h - 1 - y) * w + x), 3);
  dv_free(rgba);
  GLenum error = gl->GetError();
  if (error != GL_NO_ERROR) snprintf(why, 200, "OpenGL reports error 0x%04x", error);
  return error == GL_NO_ERROR;
}

bool dv_gl_painter_draw(dvGlPainter *p, const dvStage *s, unsigned char *rgb, char *why)
{
  const dvGl *gl = p->gl;
  double camera[16];
  const int view[4] = {0, 0, p->width, p->height};
  memcpy(p->view, view, sizeof view);
  dv_matrix_multiply(s->camera.projection, s->camera.view, camera);
  gl->Enable(GL_DEPTH_TEST);
  gl->DepthFunc(GL_LEQUAL);
  gl->DepthMask(1);
  gl->BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  dv_paint_upload(p, s);
  dv_paint_pictures(p, s);
  if (s->xray > 0) return draw_xray(p, s, camera, why) && read_back(p, rgb, why);
  draw_shadows(p, s);
  draw_occlusion(p, s, camera);
  draw_main(p, s, camera);
  dv_paint_post(p, s);
  for (int i = 0; i < s->inset_count; i++) draw_inset(p, s, &s->insets[i]);
  return read_back(p, rgb, why);
}
