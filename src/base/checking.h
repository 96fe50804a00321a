// For tests, in checking builds only.
#ifndef DV_BASE_CHECKING_H
#define DV_BASE_CHECKING_H

#include "base/base.h"

#ifdef DV_CHECKING
// The n-th allocation from now on fails; 0 switches that off. Returns how many there were since the last call.
size_t dv_memory_fail_at(size_t n);
#endif

#endif
