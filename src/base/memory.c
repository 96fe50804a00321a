// Memory blocks and the failure hook. See base.h.
#include "base/checking.h"

#include <pthread.h>
#include <stdatomic.h>
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

// --- the reserve ---------------------------------------------------------------------------------
//
// Memory belongs to the process, so the reserve is the one thing that contexts share. It is never touched: it costs
// address space only. Who ran short is told apart by the thread that asked.

enum { RESERVE = 16 << 20 };
static _Atomic(void *) reserve;
static atomic_int holders;
static dvMemory nobody;
static _Thread_local dvMemory *owner;

dvMemory *dv_memory_enter(dvMemory *next)
{
  dvMemory *before = owner;
  owner = next;
  return before;
}

dvMemory *dv_memory_owner(void) { return owner; }

static void set_short(int value)
{
  __atomic_store_n(owner ? &owner->is_short : &nobody.is_short, value, __ATOMIC_RELAXED);
}

bool dv_memory_is_short(void)
{
  return __atomic_load_n(owner ? &owner->is_short : &nobody.is_short, __ATOMIC_RELAXED) != 0;
}

bool dv_memory_refill(void)
{
  if (!atomic_load(&reserve)) {
    void *block = malloc(RESERVE), *none = NULL;
    if (!block) return false;
    if (!atomic_compare_exchange_strong(&reserve, &none, block)) free(block);
  }
  set_short(0);
  return true;
}

bool dv_stack_is_short(void)
{
  static _Thread_local const char *limit;
  if (!limit) {
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    limit = (const char *)1;   // where nobody tells
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) limit = (const char *)lowest + size / 4;
      pthread_attr_destroy(&attributes);
    }
  }
  return (const char *)__builtin_frame_address(0) < limit;
}

void dv_memory_hold(void)
{
  atomic_fetch_add(&holders, 1);
  dv_memory_refill();
}

void dv_memory_let_go(void)
{
  if (atomic_fetch_sub(&holders, 1) == 1) free(atomic_exchange(&reserve, NULL));
}

void dv_memory_give_up_reserve(void)
{
  set_short(1);
  free(atomic_exchange(&reserve, NULL));
}

_Noreturn void dv_out_of_memory(size_t bytes)
{
  if (bytes) fprintf(stderr, "divan: out of memory (%zu bytes wanted)\n", bytes);
  else fprintf(stderr, "divan: out of memory\n");
  exit(4);
}

// --- blocks --------------------------------------------------------------------------------------

// what could not be had is reported in the end, also where a caller makes do without it
static void *noted(void *block)
{
  if (!block) set_short(1);
  return block;
}

#ifdef DV_CHECKING
static atomic_size_t allocations, failing;

size_t dv_memory_fail_at(size_t n)
{
  atomic_store(&failing, n);
  return atomic_exchange(&allocations, 0);
}

static bool must_fail(void) { return atomic_fetch_add(&allocations, 1) + 1 == atomic_load(&failing); }
#else
static inline bool must_fail(void) { return false; }
#endif

void *dv_try_alloc(size_t bytes)
{
  if (bytes > PTRDIFF_MAX) return NULL;
  return noted(must_fail() ? NULL : calloc(1, bytes ? bytes : 1));
}

void *dv_alloc(size_t bytes)
{
  void *block = dv_try_alloc(bytes);
  if (block) return block;
  dv_memory_give_up_reserve();
  block = dv_try_alloc(bytes);
  if (!block) dv_out_of_memory(bytes);
  return block;
}

void *dv_try_realloc(void *block, size_t old_bytes, size_t new_bytes)
{
  if (new_bytes > PTRDIFF_MAX) return NULL;
  void *grown = noted(must_fail() ? NULL : realloc(block, new_bytes ? new_bytes : 1));
  if (grown && new_bytes > old_bytes) memset((char *)grown + old_bytes, 0, new_bytes - old_bytes);
  return grown;
}

void *dv_realloc(void *block, size_t old_bytes, size_t new_bytes)
{
  void *grown = dv_try_realloc(block, old_bytes, new_bytes);
  if (grown) return grown;
  dv_memory_give_up_reserve();
  grown = dv_try_realloc(block, old_bytes, new_bytes);
  if (!grown) dv_out_of_memory(new_bytes);
  return grown;
}

void dv_free(void *block) { free(block); }

static void *aligned_block(size_t bytes, bool clear)
{
  if (bytes > PTRDIFF_MAX - HUGE_PAGE) return NULL;
  bool large = bytes >= LARGE;
  size_t step = large ? HUGE_PAGE : 64, rounded = bytes ? (bytes + step - 1) & ~(step - 1) : step;
  void *block = noted(must_fail() ? NULL : aligned_alloc(step, rounded));
#ifdef MADV_HUGEPAGE
  if (block && large) madvise(block, rounded, MADV_HUGEPAGE);   // a wish: streams pass fewer page borders
#endif
  if (block && clear) memset(block, 0, rounded);
  return block;
}

void *dv_alloc_aligned(size_t bytes) { return aligned_block(bytes, true); }
void *dv_alloc_unset(size_t bytes) { return aligned_block(bytes, false); }

char *dv_strndup(const char *text, size_t length)
{
  char *copy = dv_alloc(length + 1);
  memcpy(copy, text, length);
  return copy;
}

char *dv_strdup(const char *text) { return text ? dv_strndup(text, strlen(text)) : NULL; }
