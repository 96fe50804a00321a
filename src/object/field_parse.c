// Fields from text. See field.h.
#include "object/field_parse.h"

#include "object/compat.h"

#include "object/object.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- colours -------------------------------------------------------------------------------------

static const struct {
  const char *name;
  double rgba[4];
} colours[] = {
    {"white", {1, 1, 1, 1}},
    {"black", {0, 0, 0, 1}},
    {"red", {1, 0, 0, 1}},
    {"green", {0, 1, 0, 1}},
    {"blue", {0, 0, 1, 1}},
    {"cyan", {0, 1, 1, 1}},
    {"magenta", {1, 0, 1, 1}},
    {"yellow", {1, 1, 0, 1}},
    {"gray", {0.5, 0.5, 0.5, 1}},
    {"grey", {0.5, 0.5, 0.5, 1}},
    {"orange", {1, 0.5, 0, 1}},
    {"pink", {1, 0, 0.5, 1}},
    {"purple", {0.5, 0, 0.5, 1}},
    {"darkgray", {0.25, 0.25, 0.25, 1}},
    {"lightgray", {0.75, 0.75, 0.75, 1}},
    {"lime", {0, 1, 0, 1}},
    {"navy", {0, 0, 0.5, 1}},
    {"teal", {0, 0.5, 0.5, 1}},
    {"olive", {0.5, 0.5, 0, 1}},
    {"maroon", {0.5, 0, 0, 1}},
    {"silver", {0.75, 0.75, 0.75, 1}},
};

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static bool hex_colour(const char *s, double rgba[4])
{
  size_t n = strspn(s, "0123456789abcdefABCDEF");
  if (s[n] && !dv_is_space(s[n])) return false;
  int digits = n == 3 || n == 4 ? 1 : n == 6 || n == 8 ? 2 : 0;
  if (!digits) return false;
  rgba[3] = 1;
  for (size_t i = 0; i * (size_t)digits < n; i++) {
    int high = hex_digit(s[i * (size_t)digits]), low = digits == 2 ? hex_digit(s[2 * i + 1]) : high;
    rgba[i] = (high * 16 + low) / 255.0;
  }
  return true;
}

bool dv_colour_parse(const char *text, double rgba[4])
{
  while (dv_is_space(*text)) text++;
  if (*text == '#') return hex_colour(text + 1, rgba);
  for (size_t i = 0; i < DV_COUNT(colours); i++) {
    size_t n = strlen(colours[i].name);
    if (strncasecmp(text, colours[i].name, n) == 0 && (!text[n] || dv_is_space(text[n]))) {
      memcpy(rgba, colours[i].rgba, sizeof colours[i].rgba);
      return true;
    }
  }
  double values[4] = {0, 0, 0, 1};
  int count = 0;
  while (count < 4 && dv_scan_real(&text, &values[count])) count++;
  while (dv_is_space(*text)) text++;
  if (*text || count < 3) return false;
  memcpy(rgba, values, sizeof values);
  return true;
}

// --- reading -------------------------------------------------------------------------------------

static dvStatus bad_value(dvText *why, const char *wanted, const char *text)
{
  if (why) {
    size_t n = strlen(text);
    dv_text_printf(why, "%s expected, found '%.*s%s'", wanted, (int)dv_min_size(n, 40), text, n > 40 ? "…" : "");
  }
  return DV_ERROR_INPUT;
}

// brackets and commas separate numbers as spaces do
static const char *skip_separators(const char *s)
{
  while (dv_is_space(*s) || *s == ',' || *s == '[' || *s == ']' || *s == ';' || *s == '{' || *s == '}' || *s == '(' ||
         *s == ')')
    s++;
  return s;
}

static bool is_range_end(char c) { return c == 0 || dv_is_space(c) || strchr(",[];{}()-", c) != NULL; }

static dvStatus read_reals(dvReals *into, const char *text, dvText *why)
{
  dvReals fresh = {.width = into->width};
  size_t count = 0;
  for (const char *s = skip_separators(text); *s; s = skip_separators(s)) {
    double value;
    if (!dv_scan_real(&s, &value) || !(is_range_end(*s) || *s == '+')) {
      dv_reals_free(&fresh);
      return bad_value(why, "a number", s);
    }
    if (!isfinite(value)) {
      dv_reals_free(&fresh);
      if (why) dv_text_printf(why, "number %zu is not finite", count + 1);
      return DV_ERROR_INPUT;
    }
    if (!dv_reals_resize(&fresh, count + 1)) {
      dv_reals_free(&fresh);
      if (why) dv_text_add(why, "out of memory");
      return DV_ERROR_INPUT;
    }
    fresh.data[count++] = value;
  }
  dv_reals_free(into);
  into->data = fresh.data, into->count = fresh.count, into->buffer = fresh.buffer;
  return DV_OK;
}

// one index, or a range a-b, or a-b-step
static bool scan_range(const char **cursor, long long *first, long long *last, long long *step)
{
  const char *s = *cursor;
  if (!dv_scan_int(&s, first)) return false;
  *last = *first;
  *step = 1;
  if (*s == '.') {   // an index written as a real: 3.0
    while (*s == '.' || *s == '0') s++;
  }
  if (*s == '-' && s[1] >= '0' && s[1] <= '9') {
    s++;
    if (!dv_scan_int(&s, last)) return false;
    if (*s == '-' && s[1] >= '0' && s[1] <= '9') {
      s++;
      if (!dv_scan_int(&s, step) || *step <= 0) return false;
    }
  }
  *cursor = s;
  return is_range_end(*s);
}

enum { LONGEST_RANGE = 5000000 };   // a few bytes of a scene should not take more than 20 MB

static dvStatus read_ints(dvInts *into, const char *text, dvText *why)
{
  dvInts fresh = {.width = into->width};
  dvStatus status = DV_OK;
  for (const char *s = skip_separators(text); *s && status == DV_OK; s = skip_separators(s)) {
    const char *word = s;
    long long first, last, step;
    if (strncasecmp(s, "true", 4) == 0 && is_range_end(s[4])) {
      first = last = step = 1, s += 4;
    } else if (strncasecmp(s, "false", 5) == 0 && is_range_end(s[5])) {
      first = last = 0, step = 1, s += 5;
    } else if (!scan_range(&s, &first, &last, &step) || first < INT32_MIN || first > UINT32_MAX || last < INT32_MIN ||
               last > UINT32_MAX) {
      status = bad_value(why, "a whole number or a range such as 0-9", word);
      break;
    }
    long long length = first <= last ? (last - first) / step + 1 : (first - last) / step + 1;
    if (length > 1 && fresh.count + (size_t)length > LONGEST_RANGE) {
      status = bad_value(why, "at most 5 million indices", word);
      break;
    }
    if (!dv_ints_resize(&fresh, fresh.count + (size_t)length)) {
      if (why) dv_text_add(why, "out of memory");
      status = DV_ERROR_INPUT;
      break;
    }
    int32_t *out = fresh.data + fresh.count - length;
    for (long long i = 0; i < length; i++)
      out[i] = (int32_t)(uint32_t)(first <= last ? first + i * step : first - i * step);
  }
  if (status != DV_OK) {
    dv_ints_free(&fresh);
    return status;
  }
  dv_ints_free(into);
  into->data = fresh.data, into->count = fresh.count, into->buffer = fresh.buffer;
  return DV_OK;
}

// numbers that do not make a whole group are left out, as SOFA does, and told
static size_t whole_tuples(const dvField *f, size_t count, dvText *why)
{
  size_t rest = f->width > 1 ? count % (size_t)f->width : 0;
  if (rest && why)
    dv_text_printf(why, "%zu numbers do not make whole groups of %d; the last %zu are left out", count, f->width, rest);
  return count - rest;
}

static dvStatus parse_bool(dvField *f, const char *text, dvText *why)
{
  const char *word;
  size_t n;
  const char *s = text;
  if (!dv_scan_word(&s, &word, &n)) return bad_value(why, "true or false", text);
  double number;
  const char *digits = word;
  if (n == 1 && strchr("tTyY", *word)) *(bool *)f->value = true;
  else if (n == 1 && strchr("fFnN", *word)) *(bool *)f->value = false;
  else if (n == 4 && strncasecmp(word, "true", 4) == 0) *(bool *)f->value = true;
  else if (n == 5 && strncasecmp(word, "false", 5) == 0) *(bool *)f->value = false;
  else if (dv_scan_real(&digits, &number) && (size_t)(digits - word) == n) *(bool *)f->value = number != 0;
  else return bad_value(why, "true or false", text);
  return DV_OK;
}

static dvStatus parse_int(dvField *f, const char *text, dvText *why)
{
  double value;
  const char *s = text;
  while (dv_is_space(*s)) s++;
  if (strncasecmp(s, "true", 4) == 0 && !s[4]) value = 1, s += 4;
  else if (strncasecmp(s, "false", 5) == 0 && !s[5]) value = 0, s += 5;
  else if (!dv_scan_real(&s, &value)) return bad_value(why, "a whole number", text);
  while (dv_is_space(*s)) s++;
  long long whole;
  const char *exponent = text;
  if (!*s && dv_scan_int(&exponent, &whole) && (*exponent == 'e' || *exponent == 'E')) {
    // SOFA reads whole numbers up to the first letter
    if (dv_compat(f->owner, DV_COMPAT_WHOLE_EXPONENT)) {
      if (why)
        dv_text_printf(why, "%s counts as %lld here, as in SOFA; write the number without an exponent", text, whole);
      value = (double)whole;
    }
  }
  if (*s || value != floor(value)) return bad_value(why, "a whole number", text);
  if (value < INT32_MIN || value > UINT32_MAX) return bad_value(why, "a number that fits 32 bits", text);
  *(int32_t *)f->value = (int32_t)(uint32_t)(int64_t)value;
  return DV_OK;
}

static dvStatus parse_real(dvField *f, const char *text, dvText *why)
{
  double value;
  const char *s = text;
  if (!dv_scan_real(&s, &value)) return bad_value(why, "a number", text);
  s = skip_separators(s);
  if (*s == 'f' && !s[1]) s++;
  if (*s) return bad_value(why, "one number", text);
  if (!isfinite(value)) return bad_value(why, "a finite number", text);
  *(double *)f->value = value;
  return DV_OK;
}

// as SOFA does, and told
static void tell_count(size_t count, size_t want, dvText *why)
{
  if (why && count != want && count > 0)
    dv_text_printf(why, "%zu number%s given, %zu expected; %s", count, count == 1 ? "" : "s", want,
                   count < want ? "the others stay as they are" : "the rest is left out");
}

static dvStatus parse_fixed(dvField *f, const char *text, dvText *why)
{
  if (f->desc->type == DV_T_COLOUR) {
    double rgba[4];
    if (!dv_colour_parse(text, rgba)) return bad_value(why, "a colour (a name, #rrggbb, or 3 to 4 numbers)", text);
    memcpy(f->value, rgba, sizeof rgba);
    return DV_OK;
  }
  dvReals list = {.width = 1};
  DV_TRY(read_reals(&list, text, why));
  double *out = f->value;
  size_t want = (size_t)f->width;
  dvStatus status = DV_OK;
  if (f->desc->type == DV_T_VEC) tell_count(list.count, want, why);
  if (list.count == want || (list.count > want && f->desc->type == DV_T_VEC))
    memcpy(out, list.data, want * sizeof *out);
  else if (list.count == 0) status = DV_OK;   // an empty text keeps the value
  else if (list.count < want) {
    // fewer numbers fill the first places, as SOFA does
    memcpy(out, list.data, list.count * sizeof *out);
  } else {
    if (why) dv_text_printf(why, "%zu numbers expected, found %zu", want, list.count);
    status = DV_ERROR_INPUT;
  }
  dv_reals_free(&list);
  return status;
}

static dvStatus parse_fixed_ints(dvField *f, const char *text, dvText *why)
{
  int32_t values[8];
  int count = 0;
  for (const char *s = skip_separators(text); *s; s = skip_separators(s)) {
    double value;
    if (!dv_scan_real(&s, &value) || value != floor(value) || fabs(value) > UINT32_MAX)
      return bad_value(why, "a whole number", s);
    if (count < f->width) values[count] = (int32_t)(uint32_t)(int64_t)value;
    count++;
  }
  tell_count((size_t)count, (size_t)f->width, why);
  memcpy(f->value, values, (size_t)dv_min_int(count, f->width) * sizeof *values);
  return DV_OK;
}

static dvStatus parse_choice(dvField *f, const char *text, dvText *why)
{
  const char *word = text, *s = text;
  size_t n = 0;
  if (!dv_scan_word(&s, &word, &n)) return DV_OK;
  int index = 0;
  for (const char *o = f->desc->options; o;) {
    size_t length = strcspn(o, "|");
    if (length == n && strncasecmp(o, word, n) == 0) {
      *(int32_t *)f->value = index;
      return DV_OK;
    }
    index++;
    o = o[length] ? o + length + 1 : NULL;
  }
  long long number;
  if (dv_scan_int(&word, &number) && number >= 0 && number < index) {
    *(int32_t *)f->value = (int32_t)number;
    return DV_OK;
  }
  if (why) dv_text_printf(why, "'%.*s' is none of %s", (int)n, text, f->desc->options);
  return DV_ERROR_INPUT;
}

static dvStatus parse_lists(dvField *f, const char *text, dvText *why)
{
  dvLists fresh = {{.width = 1}, {.width = 1}};
  dvInts list = {.width = 1};
  dvStatus status = DV_OK;
  const char *s = text;
  while (status == DV_OK) {
    while (dv_is_space(*s) || *s == ',') s++;
    if (!*s) break;
    bool open = *s == '[';
    size_t n = open ? strcspn(++s, "[]") : strcspn(s, ", \t\r\n[]");
    if (open ? s[n] != ']' : n == 0) {
      status = bad_value(why, "lists such as [0,1,2] [3,4]", text);
      break;
    }
    char *part = dv_strndup(s, n);
    status = read_ints(&list, part, why);
    if (status == DV_OK && !dv_lists_push(&fresh, list.data, list.count))
      status = bad_value(why, "a shorter list", part);
    dv_free(part);
    s += n + (open ? 1 : 0);
  }
  if (status == DV_OK) dv_lists_share(f->value, &fresh);
  dv_lists_free(&fresh);
  dv_ints_free(&list);
  return status;
}

static dvStatus parse_strings(dvField *f, const char *text)
{
  dvStrings fresh = {0};
  const char *s = text, *word;
  size_t n;
  // SOFA also writes lists of strings as ['a','b']
  if (strchr(text, '[') && strchr(text, '\'')) {
    for (const char *a = strchr(text, '\''); a; a = strchr(a + 1, '\'')) {
      const char *b = strchr(a + 1, '\'');
      if (!b) break;
      dv_strings_push(&fresh, a + 1, (size_t)(b - a - 1));
      a = b;
    }
  } else {
    while (dv_scan_word(&s, &word, &n)) dv_strings_push(&fresh, word, n);
  }
  dv_strings_free(f->value);
  *(dvStrings *)f->value = fresh;
  return DV_OK;
}

void dv_link_parse(dvLink *link, const char *text)
{
  dv_free(link->path);
  while (dv_is_space(*text)) text++;
  size_t n = strlen(text);
  while (n && dv_is_space(text[n - 1])) n--;
  link->path = n ? dv_strndup(text, n) : NULL;
  link->target = NULL;
}

static void parse_links(dvLinks *links, const char *text)
{
  for (size_t i = 0; i < links->count; i++) dv_free(links->data[i].path);
  dv_free(links->data);
  *links = (dvLinks){0};
  const char *s = text, *word;
  size_t n;
  while (dv_scan_word(&s, &word, &n)) {
    links->data = dv_realloc(links->data, links->count * sizeof *links->data, (links->count + 1) * sizeof *links->data);
    links->data[links->count++] = (dvLink){.path = dv_strndup(word, n)};
  }
}

dvStatus dv_field_parse_value(dvField *f, const char *text, dvText *why)
{
  switch (f->desc->type) {
  case DV_T_BOOL:
    return parse_bool(f, text, why);
  case DV_T_INT:
    return parse_int(f, text, why);
  case DV_T_REAL:
    return parse_real(f, text, why);
  case DV_T_CHOICE:
    return parse_choice(f, text, why);
  case DV_T_IVEC:
    return parse_fixed_ints(f, text, why);
  case DV_T_LISTS:
    return parse_lists(f, text, why);
  case DV_T_STRINGS:
    return parse_strings(f, text);
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV:
    return parse_fixed(f, text, why);
  case DV_T_STRING:
  case DV_T_FILE:
    dv_free(*(char **)f->value);
    *(char **)f->value = dv_strdup(text);
    return DV_OK;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS: {
    dvReals list = {.width = f->width};
    DV_TRY(read_reals(&list, text, why));
    list.count = whole_tuples(f, list.count, why);
    dv_reals_share(f->value, &list);
    dv_reals_free(&list);
    return DV_OK;
  }
  case DV_T_INTS: {
    dvInts list = {.width = f->width};
    DV_TRY(read_ints(&list, text, why));
    list.count = whole_tuples(f, list.count, why);
    dv_ints_share(f->value, &list);
    dv_ints_free(&list);
    return DV_OK;
  }
  case DV_T_LINK:
    dv_link_parse(f->value, text);
    return DV_OK;
  case DV_T_LINKS:
    parse_links(f->value, text);
    return DV_OK;
  }
  return DV_ERROR_INPUT;
}

dvStatus dv_field_parse(dvField *f, const char *text, dvText *why)
{
  DV_TRY(dv_field_parse_value(f, text, why));
  f->was_set = true;
  dv_field_touch(f);
  return DV_OK;
}
