// Sorting without allocating (qsort of the C library does), in a time that does not depend on what is sorted.
#ifndef DV_BASE_SORT_H
#define DV_BASE_SORT_H

#include "base/base.h"

DV_PUBLIC_BEGIN

// Ascending order. `scratch` has room for as many.
void dv_sort_u64(uint64_t *keys, uint64_t *scratch, size_t count);
void dv_sort_i32(int32_t *numbers, int32_t *scratch, size_t count);   // numbers from 0 on

DV_PUBLIC_END

#endif
