// What lets light through, from far to near in each pixel, however bodies lie inside and across each other: the depths
// of its surfaces are peeled off, the nearest first, until none is left, and the bodies are drawn once for each slice
// between them (shaders/layers.glsl). What is alike deep is drawn in the order of colours, not of the scene. Behind
// more surfaces than are peeled, triangles and copies are sorted by their middles.
#include "render/paint_inside.h"

#include <stdlib.h>

enum { MOST_LAYERS = 32, LEAST_LAYERS = 8 };
static const double most_bytes = 1e9, most_triangles = 1.3e8;   // of all layers together

typedef struct Through {
  DV_ARRAY(uint32_t) batches;   // in the order of their colours
  double triangles;
  GLuint depths[MOST_LAYERS];   // textures, the nearest surface first
  int layers;
  bool more;   // there is something behind them
} Through;

static bool lets_light_through(const dvGlPainter *p, const dvBatch *b)
{
  return b->kind == DV_BATCH_SURFACE && !b->over && !(b->attenuation > 0) && b->count && !dv_paint_solid(b) &&
         !dv_paint_shaded(p, b);
}

static bool colour_before(const dvBatch *a, const dvBatch *b)
{
  for (int k = 3; k >= 0; k--)
    if (a->colour[k] != b->colour[k]) return a->colour[k] > b->colour[k];
  return a->count > b->count;
}

static void gather(const dvGlPainter *p, const dvStage *s, Through *t)
{
  for (uint32_t i = 0; i < s->shapes.batches.count; i++) {
    const dvBatch *b = &s->shapes.batches.data[i];
    if (!lets_light_through(p, b)) continue;
    t->triangles += (double)b->count / 3 * (double)(b->copies ? b->copies : 1);
    dv_push(&t->batches, i);
    for (size_t k = t->batches.count - 1; k > 0; k--) {
      uint32_t *at = t->batches.data + k;
      if (!colour_before(b, &s->shapes.batches.data[at[-1]])) break;
      at[0] = at[-1], at[-1] = i;
    }
  }
}

// --- layers --------------------------------------------------------------------------------------

static int most_layers(const dvGlPainter *p, const Through *t)
{
  double room = most_bytes / (4.0 * p->width * p->height), time = most_triangles / t->triangles;
  int most = time < LEAST_LAYERS ? LEAST_LAYERS : time < MOST_LAYERS ? (int)time : MOST_LAYERS;
  return room < most ? (int)room : most;
}

static void set_slice(const dvGlPainter *p, Program which, const Through *t, int before, int here, int after)
{
  static const char *const names[] = {"dvBefore", "dvHere", "dvAfter"};
  const int layers[] = {before, here, after};
  int slice = 0;
  for (int k = 0; k < 3; k++) {
    bool there = layers[k] >= 0 && layers[k] < t->layers;
    if (there) slice |= 1 << k;
    dv_paint_integer(p, which, names[k], 3 + k);
    dv_paint_bind(p, 3 + k, there ? t->depths[layers[k]] : p->white);
  }
  dv_paint_integer(p, which, "dvSlice", slice);
}

// one more surface of each pixel; false where there was none, or no memory for it
static bool peel_one(const dvGlPainter *p, const dvStage *s, Through *t, GLuint query)
{
  const dvGl *gl = p->gl;
  GLuint seen = 0, depth = dv_gl_texture(gl, GL_DEPTH_COMPONENT32F, p->width, p->height, false),
         target = dv_gl_target(gl, 0, depth);
  bool good = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  if (good) {
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    set_slice(p, LAYER, t, t->layers - 1, -1, -1);
    gl->BeginQuery(GL_ANY_SAMPLES_PASSED, query);
    for (size_t i = 0; i < t->batches.count; i++) dv_paint_batch(p, &s->shapes.batches.data[t->batches.data[i]]);
    gl->EndQuery(GL_ANY_SAMPLES_PASSED);
    gl->GetQueryObjectuiv(query, GL_QUERY_RESULT, &seen);
  }
  gl->DeleteFramebuffers(1, &target);
  if (seen) t->depths[t->layers++] = depth;
  else gl->DeleteTextures(1, &depth);
  t->more = !good || seen;
  return seen;
}

static void peel(const dvGlPainter *p, const dvStage *s, const double camera[16], Through *t)
{
  const dvGl *gl = p->gl;
  GLuint query;
  const int most = most_layers(p, t);
  t->more = true;
  gl->GenQueries(1, &query);
  gl->Disable(GL_BLEND);
  dv_paint_use(p, LAYER, s, camera);
  while (t->layers < most && peel_one(p, s, t, query)) continue;
  gl->Enable(GL_BLEND);
  gl->DeleteQueries(1, &query);
  gl->BindFramebuffer(GL_FRAMEBUFFER, p->main_target);
}

static void draw_slices(const dvGlPainter *p, const dvStage *s, const Through *t)
{
  for (int layer = t->more ? t->layers - 1 : t->layers; layer >= 0; layer--) {
    set_slice(p, SURFACE, t, layer - 1, layer, layer + 1);
    for (size_t i = 0; i < t->batches.count; i++) {
      const dvBatch *b = &s->shapes.batches.data[t->batches.data[i]];
      dv_paint_look(p, b);
      dv_paint_batch(p, b);
    }
  }
}

// --- what is behind them -------------------------------------------------------------------------

typedef struct Piece {   // a triangle, or a copy of a body
  double depth;          // towards the camera
  uint32_t batch, which;
} Piece;

static int nearer(const void *a, const void *b)
{
  const Piece *x = a, *y = b;
  if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
  if (x->batch != y->batch) return x->batch < y->batch ? -1 : 1;
  return x->which < y->which ? -1 : x->which > y->which;
}

typedef DV_ARRAY(Piece) Pieces;

static void gather_pieces(const dvStage *s, const Through *t, Pieces *pieces)
{
  const dvShapes *f = &s->shapes;
  const double *back = s->camera.back;
  for (size_t i = 0; i < t->batches.count; i++) {
    const dvBatch *b = &f->batches.data[t->batches.data[i]];
    size_t count = b->copies ? b->copies : b->count / 3;
    for (uint32_t k = 0; k < count; k++) {
      Piece piece = {.batch = t->batches.data[i], .which = k};
      for (int n = 0; n < 3; n++) {
        if (b->copies) {
          piece.depth += back[n] * f->copies.data[b->first_copy + k].row[n][3];
          continue;
        }
        const float *x = f->vertices.data[f->indices.data[b->first + 3 * k + (size_t)n]].place;
        piece.depth += (back[0] * x[0] + back[1] * x[1] + back[2] * x[2]) / 3;
      }
      dv_push(pieces, piece);
    }
  }
  qsort(pieces->data, pieces->count, sizeof *pieces->data, nearer);
}

static void draw_pieces(const dvGlPainter *p, const dvStage *s, const Pieces *pieces)
{
  const dvGl *gl = p->gl;
  DV_ARRAY(uint32_t) order = {0};
  for (size_t i = 0; i < pieces->count; i++) {
    const dvBatch *b = &s->shapes.batches.data[pieces->data[i].batch];
    for (size_t k = 0; k < 3; k++)
      dv_push(&order, s->shapes.indices.data[b->first + (b->copies ? 0 : 3 * (size_t)pieces->data[i].which) + k]);
  }
  gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->sorted);
  gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(order.count * sizeof(uint32_t)), order.data, GL_DYNAMIC_DRAW);
  for (size_t i = 0, end; i < pieces->count; i = end) {
    const Piece *first = &pieces->data[i];
    const dvBatch *b = &s->shapes.batches.data[first->batch];
    for (end = i + 1; end < pieces->count && !b->copies && pieces->data[end].batch == first->batch;) end++;
    dv_paint_look(p, b);
    if (!b->copies) {
      dv_paint_copies(p, 0, 0);
      gl->DrawElementsInstanced(GL_TRIANGLES, (GLsizei)(3 * (end - i)), GL_UNSIGNED_INT,
                                (const void *)(uintptr_t)(3 * i * sizeof(uint32_t)), 1);
      continue;
    }
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->elements);
    dv_paint_copies(p, b->first_copy + first->which, 1);
    gl->Enable(GL_CULL_FACE);
    for (int side = 0; side < 2; side++) {   // the far side of a body first
      gl->CullFace(side ? GL_BACK : GL_FRONT);
      gl->DrawElementsInstanced(GL_TRIANGLES, (GLsizei)b->count, GL_UNSIGNED_INT,
                                (const void *)(uintptr_t)(b->first * sizeof(uint32_t)), 1);
    }
    gl->Disable(GL_CULL_FACE);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->sorted);
  }
  gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->elements);
  dv_array_free(&order);
}

void dv_paint_through(const dvGlPainter *p, const dvStage *s, const double camera[16])
{
  Through t = {0};
  gather(p, s, &t);
  if (t.batches.count) {
    peel(p, s, camera, &t);
    dv_paint_use(p, SURFACE, s, camera);
    dv_paint_lights(p, SURFACE, s);
    p->gl->DepthMask(0);
    if (t.more) {
      Pieces pieces = {0};
      gather_pieces(s, &t, &pieces);
      set_slice(p, SURFACE, &t, t.layers - 1, -1, -1);
      draw_pieces(p, s, &pieces);
      dv_array_free(&pieces);
    }
    draw_slices(p, s, &t);
    p->gl->DepthMask(1);
    dv_paint_integer(p, SURFACE, "dvSlice", 0);   // solid bodies are drawn with it, too
    p->gl->DeleteTextures(t.layers, t.depths);
  }
  dv_array_free(&t.batches);
}
