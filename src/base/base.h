// Common ground of every room: status codes, assertions, small helpers, memory.
#ifndef DV_BASE_BASE_H
#define DV_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Result of a fallible operation. The values double as the exit codes of the command.
typedef enum dvStatus {
  DV_OK = 0,
  DV_ERROR_USAGE = 2,      // bad command line or bad call
  DV_ERROR_UNKNOWN = 3,    // the scene names a component that does not exist
  DV_ERROR_INPUT = 4,      // the scene or a file it names is malformed or missing
  DV_ERROR_DIVERGED = 5,   // a state is no longer finite
} dvStatus;

// Calls a fallible function and hands its failure on to the caller.
#define DV_TRY(call)                                    \
  do {                                                  \
    dvStatus dv_try_status_ = (call);                   \
    if (dv_try_status_ != DV_OK) return dv_try_status_; \
  } while (0)

#define DV_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DV_UNUSED(x) ((void)(x))
#define DV_CHECK_RESULT __attribute__((warn_unused_result))   // the result may not be ignored
#define DV_PRINTF(text, first) __attribute__((format(printf, text, first)))

// Functions between these are for plugins too: the library is compiled with hidden symbols. All headers of the SDK
// (cmake/install.cmake lists them) put their declarations between them.
#define DV_PUBLIC_BEGIN _Pragma("GCC visibility push(default)")
#define DV_PUBLIC_END _Pragma("GCC visibility pop")

DV_PUBLIC_BEGIN

// Cheap assertion at the edge of an API: stays on in every build.
#define DV_REQUIRE(condition) ((condition) ? (void)0 : dv_fail(#condition, __FILE__, __LINE__, __func__))
// Expensive assertion: only in checking builds.
#ifdef DV_CHECKING
#define DV_ASSERT(condition) DV_REQUIRE(condition)
#else
#define DV_ASSERT(condition) ((void)0)
#endif
_Noreturn void dv_fail(const char *condition, const char *file, int line, const char *function);

static inline int dv_min_int(int a, int b) { return a < b ? a : b; }
static inline int dv_max_int(int a, int b) { return a > b ? a : b; }
static inline size_t dv_min_size(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t dv_max_size(size_t a, size_t b) { return a > b ? a : b; }
static inline double dv_min(double a, double b) { return a < b ? a : b; }
static inline double dv_max(double a, double b) { return a > b ? a : b; }

// Memory. Every block is zeroed. dv_alloc never returns NULL: when memory is short the process gives up a reserve of
// 16 MB, the block comes out of it, and what loads or steps a scene soon sees dv_memory_is_short and ends with an
// error. Only when the reserve is used up does the program end, with a message. Sizes that come from input go through
// dv_try_alloc, which may fail; then memory is short too.
void *dv_alloc(size_t bytes);
DV_CHECK_RESULT void *dv_try_alloc(size_t bytes);
void *dv_realloc(void *block, size_t old_bytes, size_t new_bytes);
DV_CHECK_RESULT void *dv_try_realloc(void *block, size_t old_bytes, size_t new_bytes);
void dv_free(void *block);
char *dv_strdup(const char *text);   // NULL stays NULL
char *dv_strndup(const char *text, size_t length);
bool dv_memory_is_short(void);          // for whom this thread works
void dv_memory_give_up_reserve(void);   // memory is short; for code that uses allocators of others
// Who runs short. Memory and its reserve belong to the process, but a shortage to the one who asked for more: a thread
// says for whom it works (a context has one of these), and gives back what was there before. Threads of a pool work for
// whom the loop is.
typedef struct dvMemory {
  int is_short;   // read and written by all of its threads
} dvMemory;
dvMemory *dv_memory_enter(dvMemory *owner);   // NULL: for nobody in particular
dvMemory *dv_memory_owner(void);
_Noreturn void dv_out_of_memory(size_t bytes);
// For calls that are false when memory is short, where the caller cannot fail: the second try has the reserve.
#define DV_MUST(call)                   \
  do {                                  \
    if (!(call)) {                      \
      dv_memory_give_up_reserve();      \
      if (!(call)) dv_out_of_memory(0); \
    }                                   \
  } while (0)
// Begins anew, with the reserve, for whom this thread works; false while memory is short.
bool dv_memory_refill(void);
// Counts those who need the reserve: it is given back with the last.
void dv_memory_hold(void);
void dv_memory_let_go(void);

// Three quarters of this thread's stack are used: for what follows a scene as deep as it goes.
bool dv_stack_is_short(void);

// 64-byte aligned, zeroed blocks for numbers; NULL when memory is short. Free with dv_free.
DV_CHECK_RESULT void *dv_alloc_aligned(size_t bytes);
// The same without zeros, for large work space that is always written before it is read.
DV_CHECK_RESULT void *dv_alloc_unset(size_t bytes);

DV_PUBLIC_END

#endif
