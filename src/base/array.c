// Growth of the arrays in array.h.
#include "base/array.h"

bool dv_array_grow_(void **data, size_t *capacity, size_t count, size_t extra, size_t element)
{
  if (extra > SIZE_MAX - count) return false;
  size_t need = count + extra;
  if (need <= *capacity) return true;
  size_t room = *capacity < 8 ? 8 : *capacity + *capacity / 2;
  if (room < need) room = need;
  if (room > PTRDIFF_MAX / element) return false;
  void *grown = dv_try_realloc(*data, *capacity * element, room * element);
  if (!grown) return false;
  *data = grown;
  *capacity = room;
  return true;
}

void dv_array_resize_(void **data, size_t *count, size_t *capacity, size_t n, size_t element)
{
  if (n > *count) {
    DV_REQUIRE(dv_array_grow_(data, capacity, *count, n - *count, element));
    memset((char *)*data + *count * element, 0, (n - *count) * element);
  }
  *count = n;
}
