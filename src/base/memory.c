// Memory blocks and the failure hook. See base.h.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21, LARGE = 4 * HUGE_PAGE };

_Noreturn void dv_fail(const char *condition, const char *file, int line, const char *function)
{
  fprintf(stderr, "divan: internal error: %s is false in %s (%s:%d)\n", condition, function, file, line);
  abort();
}

static _Noreturn void out_of_memory(size_t bytes)
{
  fprintf(stderr, "divan: out of memory (%zu bytes wanted)\n", bytes);
  exit(4);
}

void *dv_try_alloc(size_t bytes)
{
  if (bytes > PTRDIFF_MAX) return NULL;
  return calloc(1, bytes ? bytes : 1);
}

void *dv_alloc(size_t bytes)
{
  void *block = dv_try_alloc(bytes);
  if (!block) out_of_memory(bytes);
  return block;
}

void *dv_try_realloc(void *block, size_t old_bytes, size_t new_bytes)
{
  if (new_bytes > PTRDIFF_MAX) return NULL;
  void *grown = realloc(block, new_bytes ? new_bytes : 1);
  if (grown && new_bytes > old_bytes) memset((char *)grown + old_bytes, 0, new_bytes - old_bytes);
  return grown;
}

void *dv_realloc(void *block, size_t old_bytes, size_t new_bytes)
{
  void *grown = dv_try_realloc(block, old_bytes, new_bytes);
  if (!grown) out_of_memory(new_bytes);
  return grown;
}

void dv_free(void *block) { free(block); }

void *dv_alloc_aligned(size_t bytes)
{
  if (bytes > PTRDIFF_MAX - HUGE_PAGE) return NULL;
  bool large = bytes >= LARGE;
  size_t step = large ? HUGE_PAGE : 64, rounded = bytes ? (bytes + step - 1) & ~(step - 1) : step;
  void *block = aligned_alloc(step, rounded);
#ifdef MADV_HUGEPAGE
  if (block && large) madvise(block, rounded, MADV_HUGEPAGE);   // a wish: streams pass fewer page borders
#endif
  if (block) memset(block, 0, rounded);
  return block;
}

char *dv_strndup(const char *text, size_t length)
{
  char *copy = dv_alloc(length + 1);
  memcpy(copy, text, length);
  return copy;
}

char *dv_strdup(const char *text) { return text ? dv_strndup(text, strlen(text)) : NULL; }
