// Numbers of vectors by owner. Positions, velocities, forces and their kin have fixed numbers (dvVecId); whoever needs
// another vector of the states takes a number, and it is his until he gives it back, across steps too.
//
// States have storage for a vector when it is first written; until then it reads as zeros, whoever had the number
// before: each time a number is taken it gets a new stamp, and what was written under an older one no longer counts.
#ifndef DV_OBJECT_VECTORS_H
#define DV_OBJECT_VECTORS_H

#include "base/array.h"
#include "object/roles.h"

DV_PUBLIC_BEGIN

typedef enum dvVecKind { DV_VEC_COORD, DV_VEC_DERIV } dvVecKind;   // also the lowest bit of the number

typedef struct dvVecOwner {
  const dvObject *owner;   // NULL: the number is free
  uint32_t stamp;          // how often it was taken
} dvVecOwner;

// Of a context, so that scenes can be put together.
typedef struct dvVectors {
  DV_ARRAY(dvVecOwner) list;   // behind those of the scene
  DV_ARRAY(int) free[2];       // numbers that were given back, by kind
  double *zeros;               // what vectors that nobody has written read as: in `zero_block`, aligned as they are
  size_t zero_count;
  void *zero_block;
} dvVectors;

// Takes a number, unless *id has one: a member of the component that is 0 at first. Nothing is allocated for a number
// that was given back before.
void dv_vec_take(const dvObject *owner, dvVecKind kind, int *id);
// Gives it back; *id is 0 afterwards. 0 has nothing to give.
void dv_vec_give(const dvObject *owner, int *id);
// The same for the addresses of several members.
#define dv_vecs_take(owner, kind, ...) dv_vecs_take_(owner, kind, (int *const[]){__VA_ARGS__, NULL})
#define dv_vecs_give(owner, ...) dv_vecs_give_(owner, (int *const[]){__VA_ARGS__, NULL})
void dv_vecs_take_(const dvObject *owner, dvVecKind kind, int *const *ids);
void dv_vecs_give_(const dvObject *owner, int *const *ids);
// Stamp of a taken number; 0 when it is free.
static inline uint32_t dv_vec_stamp(const dvVectors *v, int id)
{
  const dvVecOwner *o = &v->list.data[id - DV_VEC_SCENE];
  return o->owner ? o->stamp : 0;
}

// At least so many zeros; false when memory is short. Pointers to fewer are no longer valid.
DV_CHECK_RESULT bool dv_vectors_reserve_zeros(dvVectors *v, size_t count);
void dv_vectors_free(dvVectors *v);

DV_PUBLIC_END

#endif
