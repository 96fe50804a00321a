// Storage of state vectors. See state.h.
#include "state/state.h"

#include "math/kernels.h"
#include "scene/remember.h"

#include <math.h>
#include <string.h>

void dv_state_bind(dvState *s, int id, dvReals *field) { s->scene[id].field = field; }

// --- storage -------------------------------------------------------------------------------------

static const dvVectors *vectors_of(const dvState *s) { return &s->base.context->vectors; }
static dvReals *values_of(dvStateVector *v) { return v->field ? v->field : &v->own; }

// the vector as far as it has storage: what was written under a number's last owner is left over, and does not count
static dvStateVector *find(const dvState *s, int id)
{
  if (id < DV_VEC_SCENE) return (dvStateVector *)&s->scene[id];
  uint32_t stamp = dv_vec_stamp(vectors_of(s), id);
  DV_ASSERT(stamp);   // a number that nobody has taken
  for (size_t i = 0; i < s->taken.count; i++)
    if (s->taken.data[i].id == id) return s->taken.data[i].stamp == stamp ? &s->taken.data[i] : NULL;
  return NULL;
}

static dvStateVector *find_or_add(dvState *s, int id)
{
  if (id < DV_VEC_SCENE) return &s->scene[id];
  for (size_t i = 0; i < s->taken.count; i++)
    if (s->taken.data[i].id == id) return &s->taken.data[i];
  dv_push(&s->taken, ((dvStateVector){.id = id}));
  return &s->taken.data[s->taken.count - 1];
}

static bool is_full(const dvState *s, dvStateVector *v, int id)
{
  return v && values_of(v)->buffer && values_of(v)->count == dv_state_scalars(s, id);
}

static void fill_identity(const dvState *s, dvReals *r, int id, size_t from)
{
  const dvDof *dof = s->base.dof;
  size_t width = (size_t)dof->coord;
  if (!dv_vec_is_coord(id) || dof->kind < DV_RIGID3) return;   // zeros
  for (size_t i = from; i < r->count / width; i++) dv_dof_identity(dof, r->data + i * width);
}

// storage for a vector; zeros when it is new to its owner, unless `anything` will do
static dvStateVector *sized(dvState *s, int id, bool anything)
{
  dvStateVector *v = find_or_add(s, id);
  dvReals *r = values_of(v);
  size_t want = dv_state_scalars(s, id);
  uint32_t stamp = id < DV_VEC_SCENE ? 0 : dv_vec_stamp(vectors_of(s), id);
  DV_ASSERT(id < DV_VEC_SCENE || stamp);   // a number that nobody has taken
  if (v->stamp != stamp) {
    if (!anything || r->count != want) r->count = 0;
    v->stamp = stamp;
    v->where = DV_BOTH;
  }
  if (!v->field) r->width = dv_state_width(s, id);
  if (r->count != want || !r->buffer) {   // an empty state has an address too
    size_t old = r->count / (size_t)dv_max_int(r->width, 1);
    DV_MUST(dv_reals_resize(r, want));
    fill_identity(s, r, id, old);
  }
  return v;
}

static void bring_here(const dvState *s, int id, dvStateVector *v)
{
  if (v->where != DV_THERE) return;
  s->home->fetch(s, id, dv_reals_edit(values_of(v)));
  v->where = DV_BOTH;
}

const double *dv_state_read(const dvState *s, int id)
{
  dvStateVector *v = find(s, id);
  if (!is_full(s, v, id)) {
    DV_ASSERT(dv_state_scalars(s, id) <= vectors_of(s)->zero_count);
    return vectors_of(s)->zeros;
  }
  bring_here(s, id, v);
  return values_of(v)->data;
}

double *dv_state_write(dvState *s, int id)
{
  dvStateVector *v = sized(s, id, false);
  bring_here(s, id, v);
  if (s->home) v->where = DV_HERE;
  return dv_reals_edit(values_of(v));
}

double *dv_state_overwrite(dvState *s, int id)
{
  dvStateVector *v = sized(s, id, true);
  if (s->home) v->where = DV_HERE;
#ifdef DV_CHECKING
  const double *before = values_of(v)->data, *now = dv_reals_overwrite(values_of(v));
  for (size_t i = 0; now != before && i < values_of(v)->count; i++) values_of(v)->data[i] = NAN;   // none may stay
#endif
  return dv_reals_overwrite(values_of(v));
}

bool dv_state_has(const dvState *s, int id) { return s->count > 0 && is_full(s, find(s, id), id); }

const dvReals *dv_state_values(const dvState *s, int id)
{
  dvStateVector *v = find(s, id);
  if (!is_full(s, v, id)) return NULL;
  bring_here(s, id, v);
  return values_of(v);
}

void dv_state_show(const dvState *s, int id, dvReals *field)
{
  const dvReals *values = dv_state_values(s, id);
  if (values) dv_reals_share(field, values);
  else dv_reals_free(field);
}

void dv_state_share(dvState *s, int to, int from)
{
  sized(s, from, false);
  bring_here(s, from, find(s, from));
  dvStateVector *t = find_or_add(s, to);
  dv_reals_share(values_of(t), values_of(find(s, from)));   // found again: adding may have moved it
  if (to >= DV_VEC_SCENE) t->stamp = dv_vec_stamp(vectors_of(s), to);
  t->where = s->home ? DV_HERE : DV_BOTH;
}

static bool resize_one(dvState *s, dvStateVector *v, int id)
{
  dvReals *r = values_of(v);
  if (r->count == 0 || r->count == dv_state_scalars(s, id)) return true;
  size_t had = r->count / (size_t)dv_state_width(s, id);   // given frames keep their orientation
  if (!dv_reals_resize(r, dv_state_scalars(s, id))) return false;
  fill_identity(s, r, id, had);
  v->where = s->home ? DV_HERE : DV_BOTH;
  return true;
}

bool dv_state_resize(dvState *s, size_t count)
{
  size_t old = s->count, width = (size_t)dv_max_int(s->base.dof->coord, s->base.dof->deriv);
  bool good = count <= PTRDIFF_MAX / width && dv_vectors_reserve_zeros(&s->base.context->vectors, count * width);
  for (int id = 0; id < DV_VEC_SCENE; id++) bring_here(s, id, &s->scene[id]);
  for (size_t i = 0; i < s->taken.count; i++) bring_here(s, s->taken.data[i].id, &s->taken.data[i]);
  s->count = count;
  for (int id = 0; id < DV_VEC_SCENE && good; id++) good = resize_one(s, &s->scene[id], id);
  for (size_t i = 0; i < s->taken.count && good; i++) good = resize_one(s, &s->taken.data[i], s->taken.data[i].id);
  if (!good) s->count = old;
  return good;
}

void dv_state_count_positions(dvState *s)
{
  dvVectors *v = &s->base.context->vectors;
  s->count = values_of(&s->scene[DV_X])->count / (size_t)s->base.dof->coord;
  DV_MUST(dv_vectors_reserve_zeros(v, dv_max_size(dv_state_scalars(s, DV_X), dv_state_scalars(s, DV_V))));
}

void dv_state_each_vector(dvState *s, void (*each)(void *user, dvState *s, int id, dvReals *values), void *user)
{
  for (int id = 0; id < DV_VEC_SCENE; id++) {
    dvStateVector *v = &s->scene[id];
    if (values_of(v)->count == 0) continue;
    bring_here(s, id, v);
    each(user, s, id, values_of(v));
  }
  for (size_t i = 0; i < s->taken.count; i++) {
    dvStateVector *v = &s->taken.data[i];
    if (v->stamp != dv_vec_stamp(vectors_of(s), v->id)) continue;
    bring_here(s, v->id, v);
    each(user, s, v->id, values_of(v));
  }
}

void dv_state_free(dvState *s)
{
  for (int id = 0; id < DV_VEC_SCENE; id++) dv_reals_free(&s->scene[id].own);
  for (size_t i = 0; i < s->taken.count; i++) dv_reals_free(&s->taken.data[i].own);
  dv_array_free(&s->taken);
}

void dv_state_touch(dvState *s, int id)
{
  dvReals *field = id < DV_VEC_SCENE ? s->scene[id].field : NULL;
  if (field) dv_field_touch(dv_field_of(&s->base, field));
}

// --- states that live elsewhere ------------------------------------------------------------------

void dv_state_move(dvState *s, const dvStateHome *home, void *data)
{
  for (int id = 0; id < DV_VEC_SCENE; id++) {
    bring_here(s, id, &s->scene[id]);
    s->scene[id].where = home ? DV_HERE : DV_BOTH;
  }
  for (size_t i = 0; i < s->taken.count; i++) {
    bring_here(s, s->taken.data[i].id, &s->taken.data[i]);
    s->taken.data[i].where = home ? DV_HERE : DV_BOTH;
  }
  s->home = home;
  s->home_data = data;
}

void dv_state_there(dvState *s, int id, bool write)
{
  DV_REQUIRE(s->home);
  dvStateVector *v = sized(s, id, false);
  if (v->where == DV_HERE) s->home->publish(s, id, values_of(v)->data);
  v->where = write ? DV_THERE : v->where == DV_HERE ? DV_BOTH : v->where;
}

// --- checks --------------------------------------------------------------------------------------

long dv_state_first_bad(const dvState *s, int id)
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
