// Memory blocks and the failure hook. See base.h.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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
  enum { LARGE = 4 << 20, PAGE = 2 << 20 };
  size_t align = bytes >= LARGE ? PAGE : 64;   // large pages for large blocks: their addresses are found faster
  if (bytes > PTRDIFF_MAX - align) return NULL;
  size_t rounded = (bytes + align - 1) & ~(align - 1);
  if (rounded == 0) rounded = align;
  void *block = aligned_alloc(align, rounded);
  if (!block) return NULL;
  if (align == PAGE) (void)madvise(block, rounded, MADV_HUGEPAGE);   // a wish only
  memset(block, 0, rounded);
  return block;
}

char *dv_strndup(const char *text, size_t length)
{
  char *copy = dv_alloc(length + 1);
  memcpy(copy, text, length);
  return copy;
}

char *dv_strdup(const char *text) { return text ? dv_strndup(text, strlen(text)) : NULL; }
