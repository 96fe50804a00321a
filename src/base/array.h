// Growable arrays of any element type.
//
//   DV_ARRAY(int) numbers = {0};
//   dv_push(&numbers, 42);
//   for (size_t i = 0; i < numbers.count; i++) use(numbers.data[i]);
//   dv_array_free(&numbers);
#ifndef DV_BASE_ARRAY_H
#define DV_BASE_ARRAY_H

#include "base/base.h"

#include <string.h>

DV_PUBLIC_BEGIN

#define DV_ARRAY(T)         \
  struct {                  \
    T *data;                \
    size_t count, capacity; \
  }

// makes room for `extra` more elements; false when memory is short
#define dv_try_reserve(a, extra) \
  dv_array_grow_((void **)&(a)->data, &(a)->capacity, (a)->count, (extra), sizeof *(a)->data)
#define dv_reserve(a, extra)                     \
  ((size_t)(extra) <= (a)->capacity - (a)->count \
       ? (void)0                                 \
       : dv_array_must_grow_((void **)&(a)->data, &(a)->capacity, (a)->count, (extra), sizeof *(a)->data))
#define dv_push(a, value) (dv_reserve(a, 1), (a)->data[(a)->count++] = (value))
// grows or shrinks; new elements are zero
#define dv_array_resize(a, n) dv_array_resize_((void **)&(a)->data, &(a)->count, &(a)->capacity, (n), sizeof *(a)->data)
#define dv_array_free(a) (dv_free((a)->data), (a)->data = NULL, (a)->count = (a)->capacity = 0)
#define dv_array_remove(a, index)                                                                        \
  do {                                                                                                   \
    memmove((a)->data + (index), (a)->data + (index) + 1, ((a)->count - (index)-1) * sizeof *(a)->data); \
    (a)->count--;                                                                                        \
  } while (0)

DV_CHECK_RESULT bool dv_array_grow_(void **data, size_t *capacity, size_t count, size_t extra, size_t element);
void dv_array_must_grow_(void **data, size_t *capacity, size_t count, size_t extra, size_t element);   // like dv_alloc
void dv_array_resize_(void **data, size_t *count, size_t *capacity, size_t n, size_t element);

DV_PUBLIC_END

#endif
