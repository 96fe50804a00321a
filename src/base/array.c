// Growth of the arrays in array.h.
#include "base/array.h"

// how many elements to make room for; 0 when there cannot be so many
static size_t new_capacity(size_t capacity, size_t count, size_t extra, size_t element)
{
  if (extra > SIZE_MAX - count) return 0;
  size_t need = count + extra, room = capacity < 8 ? 8 : capacity + capacity / 2;
  if (room < need) room = need;
  return room > PTRDIFF_MAX / element ? 0 : room;
}

bool dv_array_grow_(void **data, size_t *capacity, size_t count, size_t extra, size_t element)
{
  if (extra <= *capacity - count) return true;
  size_t room = new_capacity(*capacity, count, extra, element);
  void *grown = room ? dv_try_realloc(*data, *capacity * element, room * element) : NULL;
  if (!grown) return false;
  *data = grown;
  *capacity = room;
  return true;
}

void dv_array_must_grow_(void **data, size_t *capacity, size_t count, size_t extra, size_t element)
{
  if (extra <= *capacity - count) return;
  size_t room = new_capacity(*capacity, count, extra, element);
  DV_REQUIRE(room);
  *data = dv_realloc(*data, *capacity * element, room * element);
  *capacity = room;
}

void dv_array_resize_(void **data, size_t *count, size_t *capacity, size_t n, size_t element)
{
  if (n > *count) {
    dv_array_must_grow_(data, capacity, *count, n - *count, element);
    memset((char *)*data + *count * element, 0, (n - *count) * element);
  }
  *count = n;
}
