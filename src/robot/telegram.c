// See telegram.h.
#include "robot/telegram.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// --- templates -----------------------------------------------------------------------------------

bool dv_telegram_is_single(const char *kind)
{
  static const char *const names[] = {"double", "float", "int", "unsigned int"};
  for (size_t i = 0; i < DV_COUNT(names); i++)
    if (dv_same(kind, names[i])) return true;
  return false;
}

int dv_telegram_width(const char *kind)
{
  if (dv_telegram_is_single(kind)) return 1;
  bool frames = dv_starts_with(kind, "Rigid3"),
       points = dv_starts_with(kind, "Vec") && kind[3] >= '1' && kind[3] <= '9';
  if (!frames && !points) return 0;
  const char *rest = kind + (frames ? 6 : 4);
  if (*rest && !dv_list_has("d f i ui", rest)) return 0;
  return frames ? 7 : kind[3] - '0';
}

// --- writing -------------------------------------------------------------------------------------

void dv_telegram_begin(dvTelegram *t, const char *kind, double step, double time)
{
  dv_snprintf(t->kind, sizeof t->kind, "%s", kind);
  t->step = step;
  t->time = time;
  t->numbers.count = t->ends.count = 0;
}

void dv_telegram_end_list(dvTelegram *t) { dv_push(&t->ends, t->numbers.count); }

static const char *cannot_be_plain(const dvTelegram *t)
{
  size_t width = (size_t)dv_telegram_width(t->kind);
  for (size_t i = 0; i < t->ends.count; i++) {
    size_t n = t->ends.data[i] - dv_telegram_start(t, i);
    if (dv_telegram_is_single(t->kind) ? n != 1 : width == 0 || n % width != 0)
      return "the lists do not fit the template: double has one number in each, Vec1d any number";
  }
  return NULL;
}

bool dv_telegram_write(const dvTelegram *t, bool plain, dvText *out, const char **why)
{
  *why = plain ? cannot_be_plain(t) : NULL;
  for (size_t i = 0; i < t->numbers.count && !*why; i++)
    if (!isfinite(t->numbers.data[i])) *why = "a number is not finite";
  if (*why) return false;
  dv_text_clear(out);
  if (plain) dv_text_add(out, t->kind);
  else {
    dv_text_printf(out, "{\"template\":\"%s\",\"step\":", t->kind);   // a name that dv_telegram_width knows
    dv_text_add_real(out, t->step);
    dv_text_add(out, ",\"time\":");
    dv_text_add_real(out, t->time);
    dv_text_add(out, ",\"data\":[");
  }
  bool single = dv_telegram_is_single(t->kind);
  for (size_t i = 0; i < t->ends.count; i++) {
    size_t from = dv_telegram_start(t, i), to = t->ends.data[i];
    if (!plain) dv_text_add(out, i ? ",[" : "[");
    else if (!single) dv_text_printf(out, " %zu", (to - from) / (size_t)dv_telegram_width(t->kind));
    for (size_t k = from; k < to; k++) {
      if (plain || k > from) dv_text_add_n(out, plain ? " " : ",", 1);
      dv_text_add_real(out, t->numbers.data[k]);
    }
    if (!plain) dv_text_add(out, "]");
  }
  dv_text_add(out, plain ? " " : "]}");
  if (out->length <= DV_TELEGRAM_BYTES) return true;
  *why = "it would be longer than 1 MiB";
  return false;
}

// --- reading JSON --------------------------------------------------------------------------------

typedef struct Reader {
  const char *at;   // the text ends with a 0
  const char *why;
} Reader;

static bool fails(Reader *r, const char *why)
{
  if (!r->why) r->why = why;
  return false;
}

static bool next_is(Reader *r, char c)   // and steps over it
{
  while (dv_is_space(*r->at)) r->at++;
  if (*r->at != c) return false;
  r->at++;
  return true;
}

// what does not fit into `out` is cut off; characters that are written as numbers become question marks
static bool read_string(Reader *r, char *out, size_t room)
{
  size_t n = 0;
  if (!next_is(r, '"')) return fails(r, "a text is expected");
  while (*r->at != '"') {
    char c = *r->at++;
    if (!c) return fails(r, "a text does not end");
    if (c == '\\') {
      c = *r->at;
      if (!c || !strchr("\"\\/bfnrtu", c)) return fails(r, "a backslash stands before what it does not belong to");
      if (c == 'u')
        for (int k = 0; k < 4; k++)
          if (!isxdigit((unsigned char)*++r->at)) return fails(r, "a character's number does not end");
      r->at++;
      if (c == 'u') c = '?';
    }
    if (n + 1 < room) out[n++] = c;
  }
  r->at++;
  if (room) out[n] = 0;
  return true;
}

static bool read_number(Reader *r, double *out)
{
  while (dv_is_space(*r->at)) r->at++;
  if (*r->at != '-' && !isdigit((unsigned char)*r->at)) return fails(r, "a number is expected");
  return (dv_scan_real(&r->at, out) && isfinite(*out)) || fails(r, "a number cannot be read or is too large");
}

static bool skip(Reader *r, int depth);

// elements of a list or members of an object up to its end
static bool skip_inside(Reader *r, char end, int depth)
{
  if (next_is(r, end)) return true;
  do {
    char name[2];
    if (end == '}' && !(read_string(r, name, sizeof name) && next_is(r, ':'))) return fails(r, "a member has no name");
    if (!skip(r, depth + 1)) return false;
  } while (next_is(r, ','));
  return next_is(r, end) || fails(r, "a list does not end");
}

static bool skip(Reader *r, int depth)
{
  static const char *const words[] = {"true", "false", "null"};
  double number;
  char text[2];
  if (depth > 32) return fails(r, "lists stand in each other too deeply");
  if (next_is(r, '[')) return skip_inside(r, ']', depth);
  if (next_is(r, '{')) return skip_inside(r, '}', depth);
  if (*r->at == '"') return read_string(r, text, sizeof text);
  for (size_t i = 0; i < DV_COUNT(words); i++)
    if (dv_starts_with(r->at, words[i])) {
      r->at += strlen(words[i]);
      return true;
    }
  return read_number(r, &number);
}

// a number, or numbers and lists of numbers in a list: [[1, 2, 3], [4, 5, 6]] are two points of one list
static bool read_numbers(Reader *r, dvTelegram *t, int depth)
{
  double number;
  if (!next_is(r, '[')) {
    if (!read_number(r, &number)) return false;
    dv_push(&t->numbers, number);
    return true;
  }
  if (depth > 1) return fails(r, "lists stand in each other too deeply");
  if (next_is(r, ']')) return true;
  do
    if (!read_numbers(r, t, depth + 1)) return false;
  while (next_is(r, ','));
  return next_is(r, ']') || fails(r, "a list of numbers does not end");
}

static bool read_data(Reader *r, dvTelegram *t)
{
  t->numbers.count = t->ends.count = 0;
  if (!next_is(r, '[')) return fails(r, "data is no list");
  if (next_is(r, ']')) return true;
  do {
    if (t->ends.count == DV_TELEGRAM_LISTS) return fails(r, "it has more than 64 lists");
    if (!read_numbers(r, t, 0)) return false;
    dv_telegram_end_list(t);
  } while (next_is(r, ','));
  return next_is(r, ']') || fails(r, "data does not end");
}

static bool read_json(Reader *r, dvTelegram *t)
{
  char name[16];
  bool data = false;
  if (!next_is(r, '{')) return fails(r, "it does not begin with {");
  if (next_is(r, '}')) return fails(r, "it has no data");
  do {
    if (!read_string(r, name, sizeof name)) return false;
    if (!next_is(r, ':')) return fails(r, "a member has no value");
    bool good;
    if (dv_same(name, "template")) good = read_string(r, t->kind, sizeof t->kind);
    else if (dv_same(name, "step")) good = read_number(r, &t->step);
    else if (dv_same(name, "time")) good = read_number(r, &t->time);
    else if (dv_same(name, "data")) good = data = read_data(r, t);
    else good = skip(r, 0);
    if (!good) return false;
  } while (next_is(r, ','));
  if (!next_is(r, '}')) return fails(r, "it does not end");
  return data || fails(r, "it has no data");
}

// --- reading plain messages ----------------------------------------------------------------------

static bool read_plain(Reader *r, dvTelegram *t)
{
  size_t length = strcspn(r->at, " ");
  if (dv_starts_with(r->at, "unsigned int ")) length = strlen("unsigned int");
  if (length >= sizeof t->kind) return fails(r, "it begins with no template");
  memcpy(t->kind, r->at, length);
  t->kind[length] = 0;
  r->at += length;
  size_t width = (size_t)dv_telegram_width(t->kind);
  bool single = dv_telegram_is_single(t->kind);
  if (width == 0) return fails(r, "it begins with no template");
  for (;;) {
    while (dv_is_space(*r->at)) r->at++;
    if (!*r->at) return t->ends.count > 0 || fails(r, "it has no data");
    if (t->ends.count == DV_TELEGRAM_LISTS) return fails(r, "it has more than 64 lists");
    double count = 1, number;
    if (!single && !(read_number(r, &count) && count >= 0 && count <= DV_TELEGRAM_BYTES && count == floor(count)))
      return fails(r, "a list does not begin with its length");
    for (size_t i = 0; i < (size_t)count * width; i++) {
      if (!read_number(r, &number)) return false;
      dv_push(&t->numbers, number);
    }
    dv_telegram_end_list(t);
  }
}

bool dv_telegram_read(const char *text, size_t length, dvTelegram *t, const char **why)
{
  Reader r = {.at = text};
  dv_telegram_begin(t, "", 0, 0);
  while (dv_is_space(*r.at)) r.at++;
  bool good = length <= DV_TELEGRAM_BYTES || fails(&r, "it is longer than 1 MiB");
  good = good && (*r.at == '{' ? read_json(&r, t) : read_plain(&r, t));
  while (good && dv_is_space(*r.at)) r.at++;
  if (good && (size_t)(r.at - text) != length) good = fails(&r, "something stands behind it");
  if (!good) dv_telegram_begin(t, "", 0, 0);
  *why = r.why;
  return good;
}

void dv_telegram_free(dvTelegram *t)
{
  dv_array_free(&t->numbers);
  dv_array_free(&t->ends);
}
