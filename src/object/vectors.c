// Who owns which vector. See vectors.h.
#include "object/vectors.h"

#include "object/context.h"

void dv_vec_take(const dvObject *owner, dvVecKind kind, int *id)
{
  dvVectors *v = &owner->context->vectors;
  if (*id) return;
  if (v->free[kind].count == 0) {   // numbers come in pairs, one of each kind
    int first = DV_VEC_SCENE + (int)v->list.count;
    dv_array_resize(&v->list, v->list.count + 2);
    dv_reserve(&v->free[DV_VEC_COORD], v->list.count);   // giving back never allocates
    dv_reserve(&v->free[DV_VEC_DERIV], v->list.count);
    dv_push(&v->free[DV_VEC_COORD], first + DV_VEC_COORD);
    dv_push(&v->free[DV_VEC_DERIV], first + DV_VEC_DERIV);
  }
  *id = v->free[kind].data[--v->free[kind].count];
  dvVecOwner *o = &v->list.data[*id - DV_VEC_SCENE];
  *o = (dvVecOwner){owner, o->stamp + 1 ? o->stamp + 1 : 1};
}

void dv_vecs_take_(const dvObject *owner, dvVecKind kind, int *const *ids)
{
  for (; *ids; ids++) dv_vec_take(owner, kind, *ids);
}

void dv_vec_give(const dvObject *owner, int *id)
{
  if (!*id) return;
  dvVectors *v = &owner->context->vectors;
  dvVecOwner *o = &v->list.data[*id - DV_VEC_SCENE];
  DV_REQUIRE(o->owner == owner);
  o->owner = NULL;
  dv_push(&v->free[*id & 1], *id);
  *id = 0;
}

void dv_vecs_give_(const dvObject *owner, int *const *ids)
{
  for (; *ids; ids++) dv_vec_give(owner, *ids);
}

bool dv_vectors_reserve_zeros(dvVectors *v, size_t count)
{
  if (v->zeros && count <= v->zero_count) return true;
  if (count > PTRDIFF_MAX / sizeof(double) / 2) return false;
  enum { LINE = 64 };
  char *block = dv_try_alloc(count * sizeof(double) + 2 * LINE);   // pages that nobody reads are never there
  if (!block) return false;
  dv_free(v->zero_block);
  v->zero_block = block;
  v->zeros = (double *)(block + (LINE - (uintptr_t)block % LINE));
  v->zero_count = count;
  return true;
}

void dv_vectors_free(dvVectors *v)
{
  dv_array_free(&v->list);
  dv_array_free(&v->free[DV_VEC_COORD]);
  dv_array_free(&v->free[DV_VEC_DERIV]);
  dv_free(v->zero_block);
  v->zero_block = v->zeros = NULL;
  v->zero_count = 0;
}
