// What lets light through: the triangles and copies of all such bodies together, from far to near. See paint_inside.h.
#include "render/paint_inside.h"

#include <stdlib.h>

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

static void gather(const dvGlPainter *p, const dvStage *s, Pieces *pieces)
{
  const dvShapes *f = &s->shapes;
  const double *back = s->camera.back;
  for (uint32_t i = 0; i < f->batches.count; i++) {
    const dvBatch *b = &f->batches.data[i];
    if (b->kind != DV_BATCH_SURFACE || b->over || b->attenuation > 0 || dv_paint_solid(b) || dv_paint_shaded(p, b) ||
        !b->count)
      continue;
    size_t count = b->copies ? b->copies : b->count / 3;
    for (uint32_t k = 0; k < count; k++) {
      Piece piece = {.batch = i, .which = k};
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

void dv_paint_through(const dvGlPainter *p, const dvStage *s)
{
  Pieces pieces = {0};
  gather(p, s, &pieces);
  if (pieces.count) {
    qsort(pieces.data, pieces.count, sizeof *pieces.data, nearer);
    p->gl->DepthMask(0);
    draw_pieces(p, s, &pieces);
    p->gl->DepthMask(1);
  }
  dv_array_free(&pieces);
}
