// Uniforms, buffers and batches of the OpenGL painter. See paint_inside.h.
#include "render/paint_inside.h"

// --- uniforms ------------------------------------------------------------------------------------

GLint dv_paint_place(const dvGlPainter *p, Program which, const char *name)
{
  return p->gl->GetUniformLocation(p->programs[which], name);
}

void dv_paint_vector(const dvGlPainter *p, Program which, const char *name, const double v[3])
{
  const float f[3] = {(float)v[0], (float)v[1], (float)v[2]};
  p->gl->Uniform3fv(dv_paint_place(p, which, name), 1, f);
}

void dv_paint_matrix(const dvGlPainter *p, Program which, const char *name, const double m[16])
{
  float f[16];
  for (int i = 0; i < 16; i++) f[i] = (float)m[i];
  p->gl->UniformMatrix4fv(dv_paint_place(p, which, name), 1, 0, f);
}

void dv_paint_number(const dvGlPainter *p, Program which, const char *name, double v)
{
  p->gl->Uniform1f(dv_paint_place(p, which, name), (float)v);
}

void dv_paint_integer(const dvGlPainter *p, Program which, const char *name, int v)
{
  p->gl->Uniform1i(dv_paint_place(p, which, name), v);
}

void dv_paint_use(const dvGlPainter *p, Program which, const dvStage *s, const double camera[16])
{
  p->gl->UseProgram(p->programs[which]);
  if (which >= OCCLUSION) return;
  dv_paint_matrix(p, which, "camera", camera);
  float planes[DV_MOST_PLANES][4];
  for (int i = 0; i < s->plane_count; i++)
    for (int k = 0; k < 4; k++) planes[i][k] = (float)s->planes[i][k];
  if (s->plane_count) p->gl->Uniform4fv(dv_paint_place(p, which, "planes"), s->plane_count, planes[0]);
  dv_paint_integer(p, which, "planeCount", which == GROUND ? 0 : s->plane_count);
  dv_paint_vector(p, which, "eye", s->camera.eye);
  p->gl->Uniform2f(dv_paint_place(p, which, "lift"), 0, 0);
}

void dv_paint_bind(const dvGlPainter *p, int unit, GLuint texture)
{
  p->gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
  p->gl->BindTexture(GL_TEXTURE_2D, texture);
}

void dv_paint_lights(const dvGlPainter *p, Program which, const dvStage *s)
{
  const dvGl *gl = p->gl;
  double up[3] = {0};
  up[s->camera.up] = 1;
  dv_paint_vector(p, which, "dvUp", up);
  dv_paint_vector(p, which, "dvKey", s->key);
  dv_paint_vector(p, which, "dvAmbient", s->ambient);
  dv_paint_integer(p, which, "dvLights", s->light_count);
  dv_paint_integer(p, which, "dvShadows", p->shadows);
  float place[DV_MOST_LIGHTS][4], way[DV_MOST_LIGHTS][4], colour[DV_MOST_LIGHTS][4], matrix[DV_MOST_SHADOWS][16];
  for (int i = 0, shadow = 0; i < s->light_count; i++) {
    for (int k = 0; k < 4; k++) place[i][k] = (float)s->lights[i].place[k], way[i][k] = (float)s->lights[i].way[k];
    for (int k = 0; k < 3; k++) colour[i][k] = (float)s->lights[i].colour[k];
    colour[i][3] = s->lights[i].shadow && shadow < p->shadows ? (float)shadow++ : -1;
  }
  if (s->light_count) {
    gl->Uniform4fv(dv_paint_place(p, which, "dvLightPlace"), s->light_count, place[0]);
    gl->Uniform4fv(dv_paint_place(p, which, "dvLightWay"), s->light_count, way[0]);
    gl->Uniform4fv(dv_paint_place(p, which, "dvLightColour"), s->light_count, colour[0]);
  }
  for (int i = 0; i < p->shadows; i++)
    for (int k = 0; k < 16; k++) matrix[i][k] = (float)p->shadow_matrix[i][k];
  if (p->shadows) {
    gl->UniformMatrix4fv(dv_paint_place(p, which, "dvShadowMatrix"), p->shadows, 0, matrix[0]);
    gl->Uniform4fv(dv_paint_place(p, which, "dvShadowWide"), p->shadows, p->shadow_wide[0]);
  }
  dv_paint_integer(p, which, "dvShadowMap", 1);
  dv_paint_integer(p, which, "dvOcclusion", 2);
  gl->Uniform2f(dv_paint_place(p, which, "dvOcclusionSize"), 1 / (float)p->view[2], 1 / (float)p->view[3]);
  gl->Uniform2f(dv_paint_place(p, which, "dvOcclusionFrom"), (float)p->view[0], (float)p->view[1]);
  static const char *const layers[] = {"dvBefore", "dvHere", "dvAfter"};   // paint_through.c binds them
  for (int k = 0; k < 3 && which == SURFACE; k++) dv_paint_integer(p, which, layers[k], 3 + k);
  dv_paint_bind(p, 1, p->shadow);
  dv_paint_bind(p, 2, p->occlusion);
  dv_paint_integer(p, which, "picture", 0);
}

// --- drawing -------------------------------------------------------------------------------------

void dv_paint_upload(const dvGlPainter *p, const dvStage *s)
{
  const dvGl *gl = p->gl;
  const dvShapes *f = &s->shapes;
  gl->BindVertexArray(p->array);
  gl->BindBuffer(GL_ARRAY_BUFFER, p->copies);
  gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(f->copies.count * sizeof(dvInstance)), f->copies.data, GL_DYNAMIC_DRAW);
  gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->elements);
  gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(f->indices.count * sizeof(uint32_t)), f->indices.data,
                 GL_DYNAMIC_DRAW);
  gl->BindBuffer(GL_ARRAY_BUFFER, p->vertices);
  gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(f->vertices.count * sizeof(dvVertex)), f->vertices.data,
                 GL_DYNAMIC_DRAW);
  static const struct {
    GLuint place;
    GLint width;
    size_t offset;
  } all[] = {{0, 3, offsetof(dvVertex, place)},
             {1, 3, offsetof(dvVertex, normal)},
             {2, 2, offsetof(dvVertex, at)},
             {7, 4, offsetof(dvVertex, paint)}};
  for (size_t i = 0; i < DV_COUNT(all); i++) {
    gl->EnableVertexAttribArray(all[i].place);
    gl->VertexAttribPointer(all[i].place, all[i].width, GL_FLOAT, 0, sizeof(dvVertex),
                            (const void *)(uintptr_t)all[i].offset);
  }
}

void dv_paint_copies(const dvGlPainter *p, size_t first, size_t copies)
{
  static const float once[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {1, 1, 1, 1}};
  const dvGl *gl = p->gl;
  gl->BindBuffer(GL_ARRAY_BUFFER, p->copies);
  for (GLuint i = 0; i < 4; i++) {
    if (!copies) {
      gl->DisableVertexAttribArray(3 + i);
      gl->VertexAttrib4fv(3 + i, once[i]);
      continue;
    }
    size_t offset = first * sizeof(dvInstance) + 4 * i * sizeof(float);
    gl->EnableVertexAttribArray(3 + i);
    gl->VertexAttribPointer(3 + i, 4, GL_FLOAT, 0, sizeof(dvInstance), (const void *)(uintptr_t)offset);
    gl->VertexAttribDivisor(3 + i, 1);
  }
}

void dv_paint_batch(const dvGlPainter *p, const dvBatch *b)
{
  static const GLenum kinds[] = {GL_TRIANGLES, GL_LINES, GL_POINTS};
  if (!b->count) return;
  dv_paint_copies(p, b->first_copy, b->copies);
  p->gl->DrawElementsInstanced(kinds[b->kind], (GLsizei)b->count, GL_UNSIGNED_INT,
                               (const void *)(uintptr_t)(b->first * sizeof(uint32_t)),
                               b->copies ? (GLsizei)b->copies : 1);
}

bool dv_paint_solid(const dvBatch *b)
{
  return b->kind == DV_BATCH_SURFACE && !b->over && !(b->attenuation > 0) && b->colour[3] > 0.999f;
}

// --- looks ---

static GLuint texture_of(const dvGlPainter *p, const dvBatch *b)
{
  if (b->texture == DV_COLOUR_MAP) return p->map;
  return b->texture >= 0 && (size_t)b->texture < p->pictures.count ? p->pictures.data[b->texture] : 0;
}

void dv_paint_look(const dvGlPainter *p, const dvBatch *b)
{
  const dvGl *gl = p->gl;
  GLuint texture = texture_of(p, b);
  float colour[4], emissive[3], specular[3];
  for (int k = 0; k < 3; k++) {
    colour[k] = (float)dv_linear(b->colour[k]), emissive[k] = (float)dv_linear(b->emissive[k]);
    specular[k] = (float)dv_linear(b->specular[k]);
  }
  colour[3] = b->colour[3];
  gl->Uniform4fv(dv_paint_place(p, SURFACE, "colour"), 1, colour);
  gl->Uniform3fv(dv_paint_place(p, SURFACE, "specular"), 1, specular);
  gl->Uniform3fv(dv_paint_place(p, SURFACE, "emissive"), 1, emissive);
  dv_paint_number(p, SURFACE, "shininess", b->shininess);
  dv_paint_integer(p, SURFACE, "textured", texture != 0);
  dv_paint_integer(p, SURFACE, "flatFaces", b->flat);
  dv_paint_bind(p, 0, texture ? texture : p->white);
}
