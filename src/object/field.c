// Reading, printing, linking and updating fields. See field.h.
#include "object/field.h"

#include "object/object.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- colours -------------------------------------------------------------------------------

static const struct {
  const char *name;
  double rgba[4];
} colours[] = {
    {"white", {1, 1, 1, 1}},   {"black", {0, 0, 0, 1}},   {"red", {1, 0, 0, 1}},
    {"green", {0, 1, 0, 1}},   {"blue", {0, 0, 1, 1}},    {"cyan", {0, 1, 1, 1}},
    {"magenta", {1, 0, 1, 1}}, {"yellow", {1, 1, 0, 1}},  {"gray", {0.5, 0.5, 0.5, 1}},
    {"grey", {0.5, 0.5, 0.5, 1}}, {"orange", {1, 0.5, 0, 1}}, {"pink", {1, 0, 0.5, 1}}, {"purple", {0.5, 0, 0.5, 1}},
    {"darkgray", {0.25, 0.25, 0.25, 1}}, {"lightgray", {0.75, 0.75, 0.75, 1}}, {"lime", {0, 1, 0, 1}}, {"navy", {0, 0, 0.5, 1}},
    {"teal", {0, 0.5, 0.5, 1}}, {"olive", {0.5, 0.5, 0, 1}}, {"maroon", {0.5, 0, 0, 1}}, {"silver", {0.75, 0.75, 0.75, 1}},
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

// --- life ------------------------------------------------------------------------------------

static int resolved_width(const dvFieldDesc *desc, const dvDof *dof)
{
  switch (desc->type) {
  case DV_T_COORD:
  case DV_T_COORDS:
    return dof ? dof->coord : 3;
  case DV_T_DERIV:
  case DV_T_DERIVS:
    return dof ? dof->deriv : 3;
  default:
    return desc->width;
  }
}

static bool holds_reals(dvFieldType t) { return t == DV_T_REALS || t == DV_T_COORDS || t == DV_T_DERIVS; }
static bool holds_fixed_reals(dvFieldType t) { return t == DV_T_VEC || t == DV_T_COLOUR || t == DV_T_COORD || t == DV_T_DERIV; }

void dv_field_init(dvField *f, dvObject *owner, const dvFieldDesc *desc) { dv_field_init_at(f, owner, desc, (char *)owner + desc->offset); }

void dv_field_init_at(dvField *f, dvObject *owner, const dvFieldDesc *desc, void *value)
{
  *f = (dvField){.desc = desc, .owner = owner, .value = value};
  f->width = resolved_width(desc, owner->dof);
  if (holds_reals(desc->type)) ((dvReals *)f->value)->width = f->width;
  if (desc->type == DV_T_INTS) ((dvInts *)f->value)->width = f->width;
  if (desc->type == DV_T_STRING || desc->type == DV_T_FILE) *(char **)f->value = dv_strdup("");
  if (desc->initial && *desc->initial) {
    if (dv_field_parse(f, desc->initial, NULL) != DV_OK) {   // memory is short, else it is a mistake in the class and not in the scene
      dvText why = {0};
      dv_memory_give_up_reserve();
      if (dv_field_parse(f, desc->initial, &why) != DV_OK) dv_fail(why.text, owner->cls->name, 0, desc->name);
      dv_text_free(&why);
    }
  }
  f->was_set = false;
  f->counter = 1;
}

void dv_field_fini(dvField *f)
{
  switch (f->desc->type) {
  case DV_T_STRING:
  case DV_T_FILE:
    dv_free(*(char **)f->value);
    *(char **)f->value = NULL;
    break;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    dv_reals_free(f->value);
    break;
  case DV_T_INTS:
    dv_ints_free(f->value);
    break;
  case DV_T_LISTS:
    dv_lists_free(f->value);
    break;
  case DV_T_STRINGS:
    dv_strings_free(f->value);
    break;
  case DV_T_LINK:
    dv_free(((dvLink *)f->value)->path);
    break;
  case DV_T_LINKS: {
    dvLinks *links = f->value;
    for (size_t i = 0; i < links->count; i++) dv_free(links->data[i].path);
    dv_free(links->data);
    break;
  }
  default:
    break;
  }
  dv_free(f->link);
  f->link = NULL;
}

// --- reading ---------------------------------------------------------------------------------

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
  while (dv_is_space(*s) || *s == ',' || *s == '[' || *s == ']' || *s == ';' || *s == '{' || *s == '}' || *s == '(' || *s == ')') s++;
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
  if (*s == '.' ) {   // an index written as a real: 3.0
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
    for (long long i = 0; i < length; i++) out[i] = (int32_t)(uint32_t)(first <= last ? first + i * step : first - i * step);
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
  if (rest && why) dv_text_printf(why, "%zu numbers do not make whole groups of %d; the last %zu are left out", count, f->width, rest);
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
    // SOFA reads whole numbers up to the first letter, and scenes have results of that
    if (why) dv_text_printf(why, "%s counts as %lld here, as in SOFA; write the number without an exponent", text, whole);
    value = (double)whole;
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
  if (why && f->desc->type == DV_T_VEC && list.count != want && list.count > 0)
    dv_text_printf(why, "%zu number%s given, %zu expected; %s", list.count, list.count == 1 ? "" : "s", want,
                   list.count < want ? "the others stay as they are" : "the rest is left out");
  if (list.count == want || (list.count > want && f->desc->type == DV_T_VEC)) memcpy(out, list.data, want * sizeof *out);
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
  if (count > f->width) count = f->width;
  memcpy(f->value, values, (size_t)count * sizeof *values);
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
    if (status == DV_OK && !dv_lists_push(&fresh, list.data, list.count)) status = bad_value(why, "a shorter list", part);
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

static void parse_link(dvLink *link, const char *text)
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

static dvStatus parse_value(dvField *f, const char *text, dvText *why)
{
  switch (f->desc->type) {
  case DV_T_BOOL: return parse_bool(f, text, why);
  case DV_T_INT: return parse_int(f, text, why);
  case DV_T_REAL: return parse_real(f, text, why);
  case DV_T_CHOICE: return parse_choice(f, text, why);
  case DV_T_IVEC: return parse_fixed_ints(f, text, why);
  case DV_T_LISTS: return parse_lists(f, text, why);
  case DV_T_STRINGS: return parse_strings(f, text);
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV: return parse_fixed(f, text, why);
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
  case DV_T_LINK: parse_link(f->value, text); return DV_OK;
  case DV_T_LINKS: parse_links(f->value, text); return DV_OK;
  }
  return DV_ERROR_INPUT;
}

dvStatus dv_field_parse(dvField *f, const char *text, dvText *why)
{
  DV_TRY(parse_value(f, text, why));
  f->was_set = true;
  f->counter++;
  return DV_OK;
}

// --- printing --------------------------------------------------------------------------------

static void print_reals(dvText *out, const double *values, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (i) dv_text_add(out, " ");
    dv_text_add_real(out, values[i]);
  }
}

static void print_ints(dvText *out, const int32_t *values, size_t count)
{
  for (size_t i = 0; i < count; i++) dv_text_printf(out, "%s%d", i ? " " : "", values[i]);
}

static void print_lists(dvText *out, const dvLists *l)
{
  for (size_t i = 0; i < dv_lists_size(l); i++) {
    dv_text_add(out, i ? " [" : "[");
    for (size_t k = 0; k < dv_lists_length(l, i); k++) dv_text_printf(out, "%s%d", k ? "," : "", dv_lists_at(l, i)[k]);
    dv_text_add(out, "]");
  }
}

static void print_choice(const dvField *f, dvText *out)
{
  const char *o = f->desc->options;
  for (int i = *(int32_t *)f->value; i > 0 && o; i--) {
    o = strchr(o, '|');
    if (o) o++;
  }
  if (o) dv_text_add_n(out, o, strcspn(o, "|"));
}

// words, or ['a b','c'] where an entry would not be one word
static void print_strings(const dvStrings *s, dvText *out)
{
  bool quoted = false, quotes = false;
  for (size_t i = 0; i < s->count; i++) {
    const char *e = s->data[i];
    quotes = quotes || strchr(e, '\'');
    quoted = quoted || !*e;
    for (; *e; e++) quoted = quoted || dv_is_space(*e);
  }
  quoted = quoted && !quotes;
  if (quoted) dv_text_add(out, "[");
  for (size_t i = 0; i < s->count; i++) dv_text_printf(out, quoted ? "%s'%s'" : "%s%s", i ? quoted ? "," : " " : "", s->data[i]);
  if (quoted) dv_text_add(out, "]");
}

void dv_field_print(const dvField *f, dvText *out)
{
  dv_text_add(out, "");
  switch (f->desc->type) {
  case DV_T_BOOL: dv_text_add(out, *(bool *)f->value ? "1" : "0"); break;
  case DV_T_INT: dv_text_printf(out, "%d", *(int32_t *)f->value); break;
  case DV_T_REAL: dv_text_add_real(out, *(double *)f->value); break;
  case DV_T_STRING:
  case DV_T_FILE: dv_text_add(out, *(char **)f->value); break;
  case DV_T_CHOICE: print_choice(f, out); break;
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV: print_reals(out, f->value, (size_t)f->width); break;
  case DV_T_IVEC: print_ints(out, f->value, (size_t)f->width); break;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS: print_reals(out, ((dvReals *)f->value)->data, ((dvReals *)f->value)->count); break;
  case DV_T_INTS: print_ints(out, ((dvInts *)f->value)->data, ((dvInts *)f->value)->count); break;
  case DV_T_LISTS: print_lists(out, f->value); break;
  case DV_T_STRINGS: {
    print_strings(f->value, out);
    break;
  }
  case DV_T_LINK: dv_text_add(out, ((dvLink *)f->value)->path); break;
  case DV_T_LINKS: {
    const dvLinks *l = f->value;
    for (size_t i = 0; i < l->count; i++) dv_text_printf(out, "%s%s", i ? " " : "", l->data[i].path);
    break;
  }
  }
}

const char *dv_field_type_name(const dvFieldDesc *desc)
{
  static const char *const tuples[] = {"", "numbers", "pairs", "points", "quadruples", "quintuples", "sextuples"};
  static const char *const int_tuples[] = {"", "indices", "edges", "triangles", "quads or tetrahedra", "pyramids", "prisms", "", "hexahedra"};
  switch (desc->type) {
  case DV_T_BOOL: return "bool";
  case DV_T_INT: return "int";
  case DV_T_REAL: return "real";
  case DV_T_STRING: return "string";
  case DV_T_FILE: return "file";
  case DV_T_CHOICE: return "choice";
  case DV_T_COLOUR: return "colour";
  case DV_T_VEC: return desc->width == 3 ? "vec3" : desc->width == 9 ? "mat3" : desc->width == 16 ? "mat4" : "vec";
  case DV_T_IVEC: return desc->width == 2 ? "ivec2" : desc->width == 3 ? "ivec3" : "ivec6";
  case DV_T_REALS: return desc->width <= 6 ? tuples[desc->width] : "tuples";
  case DV_T_INTS: return desc->width <= 8 ? int_tuples[desc->width] : "index tuples";
  case DV_T_LISTS: return "lists of indices";
  case DV_T_STRINGS: return "strings";
  case DV_T_COORD: return "coordinate";
  case DV_T_DERIV: return "derivative";
  case DV_T_COORDS: return "coordinates";
  case DV_T_DERIVS: return "derivatives";
  case DV_T_LINK: return "link";
  case DV_T_LINKS: return "links";
  }
  return "";
}

// --- links and engines -------------------------------------------------------------------------

void dv_field_touch(dvField *f) { f->counter++; }

static bool share(dvField *f, const dvField *s)
{
  if (f->width != s->width) return false;
  if (holds_reals(f->desc->type) && holds_reals(s->desc->type)) {
    dv_reals_share(f->value, s->value);
    return true;
  }
  if (f->desc->type == DV_T_INTS && s->desc->type == DV_T_INTS) {
    dv_ints_share(f->value, s->value);
    return true;
  }
  if (f->desc->type == DV_T_LISTS && s->desc->type == DV_T_LISTS) {
    dv_lists_share(f->value, s->value);
    return true;
  }
  return false;
}

// points of one kind of DOF shown as another: the leading numbers carry over (frames to points and back)
static bool convert_tuples(dvField *f, const dvField *s)
{
  if (!holds_reals(f->desc->type) || !holds_reals(s->desc->type) || f->width == s->width) return false;
  // flat numbers are regrouped; coordinates of one dimension take the first number of each group
  if (s->width == 1 || (f->width == 1 && f->desc->type == DV_T_REALS)) {
    const dvReals *from = s->value;
    if (from->count % (size_t)f->width) return false;
    dvReals *to = f->value;
    dv_reals_share(to, from);
    return true;
  }
  const dvReals *from = s->value;
  dvReals *to = f->value;
  size_t n = dv_reals_size(from), common = (size_t)dv_min_int(f->width, s->width);
  if (!dv_reals_resize(to, n * (size_t)f->width)) return false;
  for (size_t i = 0; i < n; i++) {
    double *point = to->data + i * (size_t)f->width;
    memcpy(point, from->data + i * (size_t)s->width, common * sizeof(double));
    for (size_t k = common; k < (size_t)f->width; k++) point[k] = 0;
    if (f->width == 7 && common <= 3) point[6] = 1;
  }
  return true;
}

// whole numbers between lists of the two sorts; anything else goes through text, which says what does not fit
static bool convert_numbers(dvField *f, const dvField *s)
{
  if (holds_reals(f->desc->type) && s->desc->type == DV_T_INTS) {
    const dvInts *from = s->value;
    dvReals fresh = {.width = f->width};
    if (from->count % (size_t)f->width || !dv_reals_resize(&fresh, from->count)) return false;
    for (size_t i = 0; i < from->count; i++) fresh.data[i] = from->data[i];
    dv_reals_share(f->value, &fresh);
    dv_reals_free(&fresh);
    return true;
  }
  if (f->desc->type != DV_T_INTS || !holds_reals(s->desc->type)) return false;
  const dvReals *from = s->value;
  dvInts fresh = {.width = f->width};
  if (from->count % (size_t)f->width) return false;
  for (size_t i = 0; i < from->count; i++)
    if (!(fabs(from->data[i]) <= INT32_MAX) || from->data[i] != floor(from->data[i])) return false;
  if (!dv_ints_resize(&fresh, from->count)) return false;
  for (size_t i = 0; i < from->count; i++) fresh.data[i] = (int32_t)from->data[i];
  dv_ints_share(f->value, &fresh);
  dv_ints_free(&fresh);
  return true;
}

// single numbers of the same type; one that is not finite goes through text, which refuses it
static bool copy_number(dvField *f, const dvField *s)
{
  dvFieldType type = f->desc->type;
  if (type != s->desc->type) return false;
  if (type == DV_T_REAL && isfinite(*(const double *)s->value)) *(double *)f->value = *(const double *)s->value;
  else if (type == DV_T_INT) *(int32_t *)f->value = *(const int32_t *)s->value;
  else if (type == DV_T_BOOL) *(bool *)f->value = *(const bool *)s->value;
  else if (type == DV_T_IVEC && f->width == s->width) memcpy(f->value, s->value, (size_t)f->width * sizeof(int32_t));
  else return false;
  return true;
}

dvStatus dv_field_copy(dvField *f, const dvField *source, dvText *why)
{
  bool done = share(f, source) || convert_tuples(f, source) || convert_numbers(f, source) || copy_number(f, source);
  if (!done && f->desc->type == DV_T_LINK && source->desc->type == DV_T_LINK) {
    dvLink *to = f->value;
    const dvLink *from = source->value;
    parse_link(to, from->path ? from->path : "");
    to->target = from->target;
    done = true;
  }
  if (!done && f->desc->type == DV_T_STRINGS && source->desc->type == DV_T_STRINGS) {   // entries may hold spaces
    dv_strings_copy(f->value, source->value);
    done = true;
  }
  if (!done && f->width == source->width && holds_fixed_reals(f->desc->type) && holds_fixed_reals(source->desc->type)) {
    memcpy(f->value, source->value, (size_t)f->width * sizeof(double));
    done = true;
  }
  if (!done) {   // everything else goes through text
    dvText text = {0};
    dv_field_print(source, &text);
    dvStatus status = *text.text || f->desc->type == DV_T_STRING ? parse_value(f, text.text, why) : DV_OK;
    dv_text_free(&text);
    DV_TRY(status);
  }
  f->counter++;
  return DV_OK;
}

dvStatus dv_field_pull(dvField *f)
{
  if (f->busy) return DV_OK;
  f->busy = true;
  dvStatus status = DV_OK;
  if (f->source) {
    status = dv_field_pull(f->source);
    if (status == DV_OK && f->source->counter != f->source_seen) {
      dvText why = {0};
      status = dv_field_copy(f, f->source, &why);
      if (status != DV_OK) {
        char *path = dv_object_path(f->source->owner);
        dv_field_error(f->owner, f->value, NULL, "%s cannot take the value of %s.%s: %s", dv_field_name(f->desc), path,
                       dv_field_name(f->source->desc), why.text);
        dv_free(path);
      }
      dv_text_free(&why);
      f->source_seen = f->source->counter;
    }
  } else if (f->desc->flags & DV_OUTPUT) {
    status = dv_object_update(f->owner);
  }
  if (status == DV_OK && (f->desc->flags & DV_OUTPUT) && f->owner->cls->fetch) status = f->owner->cls->fetch(f->owner, f);
  f->busy = false;
  return status;
}

static void add_step(dvText *way, const dvField *f)
{
  char *path = dv_object_path(f->owner);
  dv_text_printf(way, "%s%s.%s", way->length ? " -> " : "", path, dv_field_name(f->desc));
  dv_free(path);
}

// does the value of `from` depend on `on`, through links and engines? `way` gets the fields between, from `on` to `from`.
static bool depends(dvField *from, const dvField *on, int depth, dvText *way)
{
  bool found = from == on;
  if (!found && (from->busy || depth > 200)) return false;
  from->busy = true;
  if (!found && from->source) found = depends(from->source, on, depth + 1, way);
  if (!found && !from->source && (from->desc->flags & DV_OUTPUT) && from->owner->cls->update) {
    for (int i = 0; i < from->owner->field_count && !found; i++) {
      dvField *input = &from->owner->fields[i];
      if (input->desc->flags & DV_INPUT) found = depends(input, on, depth + 1, way);
    }
  }
  from->busy = false;
  if (found) add_step(way, from);
  return found;
}

dvStatus dv_field_link(dvField *f, dvField *source, dvText *why)
{
  dvText way = {0};
  bool cycle = depends(source, f, 0, &way);
  if (cycle && why) {
    add_step(&way, f);
    dv_text_printf(why, "the link closes a cycle: %s", way.text);
  }
  dv_text_free(&way);
  if (cycle) return DV_ERROR_INPUT;
  f->source = source;
  f->source_seen = source->counter - 1;
  f->was_set = true;
  return DV_OK;
}

void dv_field_unlink(dvField *f) { f->source = NULL; }
