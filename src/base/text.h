// Text: a builder, numbers, read and written in the C locale, nearest names, paths.
#ifndef DV_BASE_TEXT_H
#define DV_BASE_TEXT_H

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>

DV_PUBLIC_BEGIN

// A growing text. Zero-initialise, append, read `.text` (never NULL after an append), free.
typedef struct dvText {
  char *text;
  size_t length, capacity;
} dvText;

void dv_text_add(dvText *t, const char *s);
void dv_text_add_n(dvText *t, const char *s, size_t n);
void dv_text_printf(dvText *t, const char *format, ...) DV_PRINTF(2, 3);
void dv_text_vprintf(dvText *t, const char *format, va_list args);
bool dv_text_reserve(dvText *t, size_t more);   // room for so many characters; false when memory is short
void dv_text_clear(dvText *t);
void dv_text_free(dvText *t);
char *dv_text_take(dvText *t);   // hands the buffer to the caller and empties the builder
// the shortest decimal form that reads back as the same double (nan and inf included)
void dv_text_add_real(dvText *t, double value);

// A printed string on the heap.
char *dv_format(const char *format, ...) DV_PRINTF(1, 2);
// printf with a decimal point, whatever locale the program around has chosen; the builder and dv_format do the same
int dv_vsnprintf(char *out, size_t size, const char *format, va_list args);
int dv_snprintf(char *out, size_t size, const char *format, ...) DV_PRINTF(3, 4);
void dv_print(FILE *file, const char *format, ...) DV_PRINTF(2, 3);

static inline bool dv_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool dv_same(const char *a, const char *b);             // equal, NULL equals NULL
bool dv_list_has(const char *list, const char *word);   // a word of a list separated by spaces; list may be NULL
bool dv_same_nocase(const char *a, const char *b);
bool dv_starts_with(const char *text, const char *prefix);
bool dv_ends_with_nocase(const char *text, const char *suffix);

// Scan one number at *cursor, after white space. On success moves the cursor behind it.
// Reals accept nan and inf in any case and a Fortran `d` exponent is not accepted.
bool dv_scan_real(const char **cursor, double *out);
bool dv_scan_int(const char **cursor, long long *out);
// Next word of non-space characters: its start and length, false at the end.
bool dv_scan_word(const char **cursor, const char **word, size_t *length);

// Edit distance (with transposition), letters compared without case.
int dv_distance(const char *a, const char *b);
// Index of the name nearest to `wanted`, or -1 when none is close enough to propose.
int dv_nearest(const char *wanted, const char *const *names, int count);

uint64_t dv_hash_bytes(const void *bytes, size_t count, uint64_t seed);   // FNV-1a
// The same by whole numbers, in a quarter of the time.
uint64_t dv_hash_numbers(const int32_t *numbers, size_t count, uint64_t seed);

DV_PUBLIC_END

#endif
