// By bytes from the lowest to the highest, each pass stable; bytes that are the same in all keys are passed over.
#include "base/sort.h"

#include <string.h>

enum { FEW = 48 };

static void sort_few(uint64_t *keys, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    uint64_t key = keys[i];
    size_t k = i;
    for (; k > 0 && keys[k - 1] > key; k--) keys[k] = keys[k - 1];
    keys[k] = key;
  }
}

static void sort_byte(const uint64_t *from, uint64_t *to, size_t count, int shift)
{
  size_t start[257] = {0};
  for (size_t i = 0; i < count; i++) start[(from[i] >> shift & 255) + 1]++;
  for (size_t b = 0; b < 256; b++) start[b + 1] += start[b];
  for (size_t i = 0; i < count; i++) to[start[from[i] >> shift & 255]++] = from[i];
}

void dv_sort_u64(uint64_t *keys, uint64_t *scratch, size_t count)
{
  if (count <= FEW) {
    sort_few(keys, count);
    return;
  }
  uint64_t differ = 0, *from = keys, *to = scratch;
  for (size_t i = 1; i < count; i++) differ |= keys[i] ^ keys[0];
  for (int shift = 0; shift < 64; shift += 8) {
    if ((differ >> shift & 255) == 0) continue;
    sort_byte(from, to, count, shift);
    uint64_t *swap = from;
    from = to, to = swap;
  }
  if (from != keys) memcpy(keys, from, count * sizeof *keys);
}

static void sort_few_numbers(int32_t *numbers, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    int32_t number = numbers[i];
    size_t k = i;
    for (; k > 0 && numbers[k - 1] > number; k--) numbers[k] = numbers[k - 1];
    numbers[k] = number;
  }
}

static void sort_digit(const int32_t *from, int32_t *to, size_t count, int shift)
{
  uint32_t start[257] = {0};
  for (size_t i = 0; i < count; i++) start[((uint32_t)from[i] >> shift & 255) + 1]++;
  for (size_t b = 0; b < 256; b++) start[b + 1] += start[b];
  for (size_t i = 0; i < count; i++) to[start[(uint32_t)from[i] >> shift & 255]++] = from[i];
}

void dv_sort_i32(int32_t *numbers, int32_t *scratch, size_t count)
{
  if (count <= FEW) {
    sort_few_numbers(numbers, count);
    return;
  }
  uint32_t differ = 0;
  int32_t *from = numbers, *to = scratch;
  for (size_t i = 1; i < count; i++) differ |= (uint32_t)numbers[i] ^ (uint32_t)numbers[0];
  for (int shift = 0; shift < 32; shift += 8) {
    if ((differ >> shift & 255) == 0) continue;
    sort_digit(from, to, count, shift);
    int32_t *swap = from;
    from = to, to = swap;
  }
  if (from != numbers) memcpy(numbers, from, count * sizeof *numbers);
}
