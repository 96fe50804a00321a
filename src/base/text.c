// See text.h.
#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the C locale --------------------------------------------------------------------------------

static locale_t c_locale(void)
{
  static locale_t made_once;   // never changes: a cache, not state
  locale_t have = __atomic_load_n(&made_once, __ATOMIC_ACQUIRE);
  if (have) return have;
  locale_t made = newlocale(LC_ALL_MASK, "C", (locale_t)0), expected = (locale_t)0;
  if (__atomic_compare_exchange_n(&made_once, &expected, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return made;
  freelocale(made);
  return expected;
}

int dv_vsnprintf(char *out, size_t size, const char *format, va_list args)
{
  locale_t before = uselocale(c_locale());
  int n = vsnprintf(out, size, format, args);
  uselocale(before);
  return n;
}

int dv_snprintf(char *out, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int n = dv_vsnprintf(out, size, format, args);
  va_end(args);
  return n;
}

void dv_print(FILE *file, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  locale_t before = uselocale(c_locale());
  vfprintf(file, format, args);
  uselocale(before);
  va_end(args);
}

// --- texts ---------------------------------------------------------------------------------------

static void text_room(dvText *t, size_t extra)
{
  size_t need = t->length + extra + 1;
  if (need <= t->capacity) return;
  size_t room = t->capacity < 32 ? 64 : t->capacity * 2;
  if (room < need) room = need;
  t->text = dv_realloc(t->text, t->capacity, room);
  t->capacity = room;
}

bool dv_text_reserve(dvText *t, size_t more)
{
  size_t need = t->length + more + 1;
  if (need <= t->capacity) return true;
  char *room = dv_try_realloc(t->text, t->capacity, need);
  if (!room) return false;
  t->text = room;
  t->capacity = need;
  return true;
}

void dv_text_add_n(dvText *t, const char *s, size_t n)
{
  text_room(t, n);
  if (n) memcpy(t->text + t->length, s, n);
  t->length += n;
  t->text[t->length] = 0;
}

void dv_text_add(dvText *t, const char *s) { dv_text_add_n(t, s ? s : "", s ? strlen(s) : 0); }

void dv_text_vprintf(dvText *t, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int n = dv_vsnprintf(NULL, 0, format, args);
  if (n > 0) {
    text_room(t, (size_t)n);
    dv_vsnprintf(t->text + t->length, (size_t)n + 1, format, again);
    t->length += (size_t)n;
  }
  va_end(again);
}

void dv_text_printf(dvText *t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  dv_text_vprintf(t, format, args);
  va_end(args);
}

char *dv_format(const char *format, ...)
{
  dvText t = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&t, format, args);
  va_end(args);
  return dv_text_take(&t);
}

void dv_text_clear(dvText *t)
{
  t->length = 0;
  if (t->text) t->text[0] = 0;
}

void dv_text_free(dvText *t)
{
  dv_free(t->text);
  *t = (dvText){0};
}

char *dv_text_take(dvText *t)
{
  if (!t->text) dv_text_add(t, "");
  char *taken = t->text;
  *t = (dvText){0};
  return taken;
}

bool dv_same(const char *a, const char *b)
{
  if (!a || !b) return a == b;
  return strcmp(a, b) == 0;
}

bool dv_list_has(const char *list, const char *word)
{
  size_t n = strlen(word);
  for (const char *s = list; s && *s;) {
    size_t m = strcspn(s, " ");
    if (m == n && strncmp(s, word, n) == 0) return true;
    s += m + strspn(s + m, " ");
  }
  return false;
}

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

bool dv_same_nocase(const char *a, const char *b)
{
  if (!a || !b) return a == b;
  while (*a && lower((unsigned char)*a) == lower((unsigned char)*b)) a++, b++;
  return lower((unsigned char)*a) == lower((unsigned char)*b);
}

bool dv_starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

bool dv_ends_with_nocase(const char *text, const char *suffix)
{
  size_t n = strlen(text), m = strlen(suffix);
  return n >= m && dv_same_nocase(text + n - m, suffix);
}

static const char *skip_space(const char *s)
{
  while (dv_is_space(*s)) s++;
  return s;
}

// exact powers of ten: with at most 15 digits and one of these, one rounding gives the right double
static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// slow path: the C library
static double slow_real(const char *s, char **end) { return strtod_l(s, end, c_locale()); }

bool dv_scan_real(const char **cursor, double *out)
{
  const char *start = skip_space(*cursor), *s = start;
  bool negative = *s == '-';
  if (*s == '-' || *s == '+') s++;
  uint64_t mantissa = 0;
  int digits = 0, exponent = 0;
  bool any = false;
  for (; *s >= '0' && *s <= '9'; s++, any = true) {
    if (mantissa || *s != '0') digits++;
    if (digits <= 18) mantissa = mantissa * 10 + (uint64_t)(*s - '0');
  }
  if (*s == '.') {
    for (s++; *s >= '0' && *s <= '9'; s++, any = true) {
      if (mantissa || *s != '0') digits++;
      if (digits <= 18) mantissa = mantissa * 10 + (uint64_t)(*s - '0'), exponent--;
    }
  }
  if (!any) {   // not a plain number: nan, inf, or nothing
    const char *word = *start == '-' || *start == '+' ? start + 1 : start;
    if (strncasecmp(word, "nan", 3) != 0 && strncasecmp(word, "inf", 3) != 0) return false;
    char *end;
    *out = slow_real(start, &end);
    *cursor = end;
    return end != start;
  }
  if (*s == 'e' || *s == 'E') {
    const char *e = s + 1;
    bool minus = *e == '-';
    if (*e == '-' || *e == '+') e++;
    if (*e >= '0' && *e <= '9') {
      int value = 0;
      for (; *e >= '0' && *e <= '9'; e++)
        if (value < 100000) value = value * 10 + (*e - '0');
      exponent += minus ? -value : value;
      s = e;
    }
  }
  if (digits <= 15 && exponent >= -22 && exponent <= 22) {
    double value = (double)mantissa;
    value = exponent < 0 ? value / powers_of_ten[-exponent] : value * powers_of_ten[exponent];
    *out = negative ? -value : value;
    *cursor = s;
    return true;
  }
  char *end;
  *out = slow_real(start, &end);
  *cursor = end > s ? s : end;   // the C library also reads hexadecimal; we do not
  return true;
}

bool dv_scan_int(const char **cursor, long long *out)
{
  const char *s = skip_space(*cursor);
  bool negative = *s == '-';
  if (*s == '-' || *s == '+') s++;
  if (*s < '0' || *s > '9') return false;
  long long value = 0;
  for (; *s >= '0' && *s <= '9'; s++) {
    int digit = *s - '0';
    if (value > (LLONG_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = negative ? -value : value;
  *cursor = s;
  return true;
}

bool dv_scan_word(const char **cursor, const char **word, size_t *length)
{
  const char *s = skip_space(*cursor);
  if (!*s) return false;
  *word = s;
  while (*s && !dv_is_space(*s)) s++;
  *length = (size_t)(s - *word);
  *cursor = s;
  return true;
}

int dv_distance(const char *a, const char *b)
{
  enum { LIMIT = 96 };
  int n = (int)dv_min_size(strlen(a), LIMIT), m = (int)dv_min_size(strlen(b), LIMIT);
  int rows[3][LIMIT + 1];
  int *before = rows[0], *last = rows[1], *now = rows[2];
  for (int j = 0; j <= m; j++) last[j] = j;
  for (int i = 1; i <= n; i++) {
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int ca = lower((unsigned char)a[i - 1]), cb = lower((unsigned char)b[j - 1]);
      int best = last[j - 1] + (ca != cb);
      best = dv_min_int(best, dv_min_int(last[j], now[j - 1]) + 1);
      if (i > 1 && j > 1 && ca == lower((unsigned char)b[j - 2]) && cb == lower((unsigned char)a[i - 2]))
        best = dv_min_int(best, before[j - 2] + 1);
      now[j] = best;
    }
    int *swap = before;
    before = last, last = now, now = swap;
  }
  return last[m];
}

// is it a shorter way to write the name: its letters in their order, the first three at the start?
static bool abbreviates(const char *wanted, const char *name)
{
  if (strlen(wanted) < 6 || 2 * strlen(wanted) < strlen(name) || strncasecmp(wanted, name, 3) != 0) return false;
  for (; *name && *wanted; name++) wanted += tolower((unsigned char)*name) == tolower((unsigned char)*wanted);
  return !*wanted;
}

int dv_nearest(const char *wanted, const char *const *names, int count)
{
  int length = (int)strlen(wanted);
  int best = -1, best_distance = dv_max_int(3, length / 3) + 1;
  for (int i = 0; i < count; i++) {
    int d = dv_distance(wanted, names[i]);
    if ((d == 3 && length < 6) || (d == 2 && length < 3)) continue;   // so many changes make another word
    // a name that contains the wanted one (or the reverse) is a fair guess, but a near one is better
    bool contains =
        length >= 4 && (strcasestr(names[i], wanted) || (strlen(names[i]) >= 4 && strcasestr(wanted, names[i])));
    if (contains) d = dv_min_int(d, 3);
    if (abbreviates(wanted, names[i])) d = dv_min_int(d, 2);
    if (d < best_distance) best = i, best_distance = d;
  }
  return best;
}

uint64_t dv_hash_bytes(const void *bytes, size_t count, uint64_t seed)
{
  const unsigned char *p = bytes;
  uint64_t h = seed ? seed : 14695981039346656037ull;
  for (size_t i = 0; i < count; i++) h = (h ^ p[i]) * 1099511628211ull;
  return h;
}

uint64_t dv_hash_numbers(const int32_t *numbers, size_t count, uint64_t seed)
{
  uint64_t h = seed ? seed : 14695981039346656037ull;
  for (size_t i = 0; i < count; i++) h = (h ^ (uint32_t)numbers[i]) * 1099511628211ull;
  return h;
}
