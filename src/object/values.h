// Vectors that fields hold. Their storage is shared between linked fields until one of them is
// written: a copy happens at the first write, not at the link.
#ifndef DV_OBJECT_VALUES_H
#define DV_OBJECT_VALUES_H

#include "base/base.h"

DV_PUBLIC_BEGIN

// A counted block; the numbers stand behind it, 64-byte aligned. References are counted atomically: a thread that holds
// one may read the numbers and let go of them whenever it likes, they do not change before.
typedef struct dvBuffer dvBuffer;

// `count` scalars, in tuples of `width` (3 for points). Read `.data` freely; before writing call edit.
typedef struct dvReals {
  double *data;
  size_t count;
  int width;
  dvBuffer *buffer;
} dvReals;

typedef struct dvInts {
  int32_t *data;
  size_t count;
  int width;
  dvBuffer *buffer;
} dvInts;

typedef struct dvStrings {
  char **data;
  size_t count;
} dvStrings;

// Lists of indices of different lengths: list i is items.data[starts.data[i]] to items.data[starts.data[i + 1] - 1].
// `starts` has one entry more than there are lists, or none.
typedef struct dvLists {
  dvInts starts, items;
} dvLists;

// Number of tuples.
static inline size_t dv_reals_size(const dvReals *r) { return r->width ? r->count / (size_t)r->width : 0; }
static inline size_t dv_ints_size(const dvInts *r) { return r->width ? r->count / (size_t)r->width : 0; }

// Sole owner from here on: copies when the storage is shared. The pointer is valid until the next resize.
double *dv_reals_edit(dvReals *r);
int32_t *dv_ints_edit(dvInts *r);
// The same when every number will be written: nothing is copied, what stands there is left over from something else.
double *dv_reals_overwrite(dvReals *r);
// Changes the number of scalars; kept ones keep their values, new ones are 0. False when memory is short.
DV_CHECK_RESULT bool dv_reals_resize(dvReals *r, size_t count);
DV_CHECK_RESULT bool dv_ints_resize(dvInts *r, size_t count);
// How many scalars the storage has room for.
size_t dv_reals_room(const dvReals *r);
// Makes room for so many scalars without setting them; `count` stays. For lists that are about to be written anew.
DV_CHECK_RESULT bool dv_ints_reserve(dvInts *r, size_t count);
DV_CHECK_RESULT bool dv_reals_assign(dvReals *r, const double *values, size_t count);
DV_CHECK_RESULT bool dv_ints_assign(dvInts *r, const int32_t *values, size_t count);
// Makes `r` show the numbers of `other` without copying them.
void dv_reals_share(dvReals *r, const dvReals *other);
void dv_ints_share(dvInts *r, const dvInts *other);
void dv_reals_free(dvReals *r);
void dv_ints_free(dvInts *r);

void dv_strings_push(dvStrings *s, const char *text, size_t length);
void dv_strings_free(dvStrings *s);
void dv_strings_copy(dvStrings *s, const dvStrings *other);

static inline size_t dv_lists_size(const dvLists *l) { return l->starts.count ? l->starts.count - 1 : 0; }
static inline size_t dv_lists_length(const dvLists *l, size_t i)
{
  return (size_t)(l->starts.data[i + 1] - l->starts.data[i]);
}
static inline const int32_t *dv_lists_at(const dvLists *l, size_t i) { return l->items.data + l->starts.data[i]; }
// Appends a list. False when memory is short or there are too many items to be counted.
bool dv_lists_push(dvLists *l, const int32_t *values, size_t count);
bool dv_lists_clear(dvLists *l);
void dv_lists_share(dvLists *l, const dvLists *other);
void dv_lists_free(dvLists *l);

// How often shared storage had to be copied by this thread: for tests.
size_t dv_buffer_copies(void);

DV_PUBLIC_END

#endif
