// A set of index tuples of one width, numbered in the order in which they came: edges, faces.
//
//   dvTupleSet set;
//   dv_tuple_set_init(&set, 2);
//   bool fresh;
//   int32_t number = dv_tuple_set_add(&set, (int32_t[]){3, 7}, &fresh);
//   dv_tuple_set_free(&set);
//
// Tuples are compared as they stand: whoever wants {7, 3} to be {3, 7} sorts first.
#ifndef DV_TOPOLOGY_SEARCH_TUPLE_SET_H
#define DV_TOPOLOGY_SEARCH_TUPLE_SET_H

#include "base/array.h"

enum { DV_TUPLE_WIDTH = 8 };   // the widest

typedef struct dvTupleSet {
  int width;
  bool failed;              // memory ran out: what was added after that is missing
  DV_ARRAY(int32_t) keys;   // the tuples, one after the other
  int32_t *slots;           // number + 1 of a tuple, 0 where there is none
  size_t slot_count;        // a power of two
} dvTupleSet;

void dv_tuple_set_init(dvTupleSet *s, int width);
void dv_tuple_set_free(dvTupleSet *s);
static inline size_t dv_tuple_set_count(const dvTupleSet *s) { return s->keys.count / (size_t)s->width; }
// Makes room for so many tuples, when that is known before.
void dv_tuple_set_expect(dvTupleSet *s, size_t count);
// The number of the tuple, which is added when it is not there yet; `fresh` (may be NULL) tells. -1 when memory ran
// out.
int32_t dv_tuple_set_add(dvTupleSet *s, const int32_t *key, bool *fresh);
// The number of the tuple, or -1.
int32_t dv_tuple_set_find(const dvTupleSet *s, const int32_t *key);

// Numbers many tuples at once, equal ones alike, in the order in which each first appears; the first index of a tuple
// must not be negative. Faster than a set: tuples are sorted by their first index, so that those of one region of a
// mesh stand together in memory. `numbers` has `count` places. Returns how many different ones there are, -1 when
// memory is short.
int32_t dv_tuples_number(const int32_t *keys, size_t count, int width, int32_t *numbers);

// Sorts a few indices in place.
static inline void dv_tuple_sort(int32_t *v, int n)
{
  for (int i = 1; i < n; i++) {
    int32_t key = v[i];
    int k = i;
    for (; k > 0 && v[k - 1] > key; k--) v[k] = v[k - 1];
    v[k] = key;
  }
}

#endif
