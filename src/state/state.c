// Storage of state vectors. See state.h.
#include "state/state.h"

#include "math/kernels.h"
#include "scene/remember.h"

#include <math.h>
#include <string.h>

void dv_state_bind(dvState *s, int id, dvReals *field) { s->vec[id] = field; }

static dvReals *slot(dvState *s, int id)
{
  if (!s->vec[id]) {
    s->vec[id] = &s->own[id];
    s->own[id].width = dv_state_width(s, id);
  }
  return s->vec[id];
}

static void fill_identity(const dvState *s, dvReals *r, int id, size_t from)
{
  const dvDof *dof = s->base.dof;
  size_t width = (size_t)dof->coord;
  if (!dv_vec_is_coord(id) || dof->kind < DV_RIGID3) return;   // zeros
  for (size_t i = from; i < r->count / width; i++) dv_dof_identity(dof, r->data + i * width);
}

static dvReals *sized(dvState *s, int id)
{
  dvReals *r = slot(s, id);
  size_t want = dv_state_scalars(s, id);
  if (r->count != want || !r->buffer) {   // an empty state has an address too
    size_t old = r->count / (size_t)dv_max_int(r->width, 1);
    DV_MUST(dv_reals_resize(r, want));
    fill_identity(s, r, id, old);
  }
  return r;
}

const double *dv_state_read(dvState *s, int id) { return sized(s, id)->data; }
double *dv_state_write(dvState *s, int id) { return dv_reals_edit(sized(s, id)); }
bool dv_state_has(const dvState *s, int id)
{
  return s->vec[id] && s->vec[id]->count == dv_state_scalars(s, id) && s->count > 0;
}

bool dv_state_resize(dvState *s, size_t count)
{
  size_t old = s->count;
  s->count = count;
  for (int id = 0; id < DV_VEC_LIMIT; id++) {
    dvReals *r = s->vec[id];
    if (!r || r->count == 0) continue;
    size_t had = r->count / (size_t)dv_state_width(s, id);   // given frames keep their orientation
    if (!dv_reals_resize(r, dv_state_scalars(s, id))) {
      s->count = old;
      return false;
    }
    fill_identity(s, r, id, had);
  }
  return true;
}

void dv_state_free(dvState *s)
{
  for (int id = 0; id < DV_VEC_LIMIT; id++) dv_reals_free(&s->own[id]);
}

void dv_state_touch(dvState *s, int id)
{
  dvReals *r = s->vec[id];
  if (r && r != &s->own[id]) dv_field_touch(dv_field_of(&s->base, r));
}

long dv_state_first_bad(dvState *s, int id)
{
  const double *x = dv_state_read(s, id);
  size_t n = dv_state_scalars(s, id);
  // one fast pass: the sum is below the bound only when every number is, and never when one is not a number
  if (dv_norm2(s->base.context->pool, x, n) < DV_EXPLODED * DV_EXPLODED) return -1;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) < DV_EXPLODED)) return (long)i;
  return -1;
}

typedef struct Hasher {
  dvVisitor visitor;
  uint64_t hash;
} Hasher;

static dvWalk hash_node(dvVisitor *v, dvNode *node)
{
  Hasher *h = (Hasher *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!dv_is_mechanical_state(o) || o->failed) continue;
    dvState *s = dv_state(o);
    h->hash = dv_hash_bytes(dv_state_read(s, DV_X), dv_state_scalars(s, DV_X) * sizeof(double), h->hash);
    h->hash = dv_hash_bytes(dv_state_read(s, DV_V), dv_state_scalars(s, DV_V) * sizeof(double), h->hash);
  }
  return DV_WALK_ON;
}

uint64_t dv_scene_hash(dvScene *scene)
{
  Hasher h = {.visitor = {.top_down = hash_node}};
  dv_visit(scene->root, &h.visitor);
  return dv_scene_hash_memory(scene, h.hash);
}
