// See mesh_scan.h.
#include "io/mesh/mesh_scan.h"

#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

void dv_mesh_scan_init(dvMeshScan *s, const char *bytes, size_t length, dvMeshError *error)
{
  *s = (dvMeshScan){.at = bytes, .end = bytes + length, .line = 1, .error = error};
  if (error) *error = (dvMeshError){0};
  // the mark some editors put before UTF-8
  if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) s->at += 3;
}

bool dv_mesh_fail(dvMeshScan *s, const char *format, ...)
{
  if (!s->error || s->error->text[0]) return false;   // the first error is the cause
  s->error->line = s->line;
  va_list args;
  va_start(args, format);
  dv_vsnprintf(s->error->text, sizeof s->error->text, format, args);
  va_end(args);
  return false;
}

// a backslash before the end of a line continues it (OBJ)
static size_t continuation(const dvMeshScan *s)
{
  if (!s->one_line || *s->at != '\\') return 0;
  if (s->end - s->at >= 2 && s->at[1] == '\n') return 2;
  if (s->end - s->at >= 3 && s->at[1] == '\r' && s->at[2] == '\n') return 3;
  return 0;
}

static void skip_space(dvMeshScan *s)
{
  while (s->at < s->end) {
    size_t continued = continuation(s);
    if (continued) {
      s->at += continued;
      s->line++;
      continue;
    }
    if (!dv_is_space(*s->at)) return;
    if (*s->at == '\n') {
      if (s->one_line) return;
      s->line++;
    }
    s->at++;
  }
}

bool dv_mesh_scan_word(dvMeshScan *s, const char **word, size_t *length)
{
  skip_space(s);
  if (s->at >= s->end || *s->at == '\n') return false;
  *word = s->at;
  while (s->at < s->end && !dv_is_space(*s->at) && !continuation(s)) s->at++;
  *length = (size_t)(s->at - *word);
  return true;
}

bool dv_mesh_word_is(const char *word, size_t length, const char *wanted)
{
  return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

void dv_mesh_skip_line(dvMeshScan *s)
{
  while (s->at < s->end && *s->at != '\n') {
    size_t continued = continuation(s);
    if (continued) s->line++;
    s->at += continued ? continued : 1;
  }
  if (s->at < s->end) {
    s->at++;
    s->line++;
  }
}

void dv_mesh_scan_rest(dvMeshScan *s, const char **rest, size_t *length)
{
  while (s->at < s->end && *s->at != '\n' && dv_is_space(*s->at)) s->at++;
  *rest = s->at;
  const char *stop = memchr(s->at, '\n', dv_mesh_scan_left(s));
  if (!stop) stop = s->end;
  s->at = stop;
  while (stop > *rest && dv_is_space(stop[-1])) stop--;
  *length = (size_t)(stop - *rest);
  dv_mesh_skip_line(s);
}

// Next word as a string that number scanning can use; false with an error when there is none.
static bool number_word(dvMeshScan *s, const char *what, char copy[static 128])
{
  const char *word;
  size_t length;
  if (!dv_mesh_scan_word(s, &word, &length))
    return dv_mesh_fail(s, "%s is missing at the end of the %s", what, s->one_line ? "line" : "file");
  size_t shown = dv_min_size(length, 127);
  memcpy(copy, word, shown);
  copy[shown] = 0;
  if (shown < length) return dv_mesh_fail(s, "%s expected, found '%.40s...'", what, copy);
  return true;
}

static bool text_integer(dvMeshScan *s, const char *what, long long low, long long high, long long *out)
{
  char copy[128];
  if (!number_word(s, what, copy)) return false;
  const char *cursor = copy;
  if (!dv_scan_int(&cursor, out) || *cursor) return dv_mesh_fail(s, "%s expected, found '%.60s'", what, copy);
  if (*out < low || *out > high) return dv_mesh_fail(s, "%s is out of range: %lld", what, *out);
  return true;
}

// takes `size` raw bytes as a little-endian number on a little-endian machine
static bool raw(dvMeshScan *s, const char *what, size_t size, void *out)
{
  if (dv_mesh_scan_left(s) < size) return dv_mesh_fail(s, "%s is missing at the end of the file", what);
  unsigned char *to = out;
  for (size_t i = 0; i < size; i++) to[i] = (unsigned char)s->at[s->swapped ? size - 1 - i : i];
  s->at += size;
  return true;
}

bool dv_mesh_scan_int(dvMeshScan *s, const char *what, int *out)
{
  if (s->binary) {
    int32_t value = 0;
    if (!raw(s, what, sizeof value, &value)) return false;
    *out = value;
    return true;
  }
  long long value;
  if (!text_integer(s, what, INT_MIN, INT_MAX, &value)) return false;
  *out = (int)value;
  return true;
}

bool dv_mesh_scan_text_size(dvMeshScan *s, const char *what, int64_t *out)
{
  long long value;
  if (!text_integer(s, what, LLONG_MIN, LLONG_MAX, &value)) return false;
  *out = value;
  return true;
}

bool dv_mesh_scan_size(dvMeshScan *s, const char *what, int64_t *out)
{
  return s->binary ? raw(s, what, sizeof *out, out) : dv_mesh_scan_text_size(s, what, out);
}

bool dv_mesh_scan_real(dvMeshScan *s, const char *what, double *out)
{
  if (s->binary) {
    if (!raw(s, what, sizeof *out, out)) return false;
  } else {
    char copy[128];
    if (!number_word(s, what, copy)) return false;
    const char *cursor = copy;
    if (!dv_scan_real(&cursor, out) || *cursor) return dv_mesh_fail(s, "%s expected, found '%.60s'", what, copy);
  }
  if (!isfinite(*out)) return dv_mesh_fail(s, "%s is not finite", what);
  return true;
}

bool dv_mesh_check_count(dvMeshScan *s, const char *what, int64_t count, size_t bytes)
{
  if (count < 0) return dv_mesh_fail(s, "the number of %s is negative: %lld", what, (long long)count);
  size_t left = dv_mesh_scan_left(s);
  if ((uint64_t)count > left / bytes || count > INT32_MAX / 16)
    return dv_mesh_fail(s, "%lld %s announced, but only %zu bytes are left", (long long)count, what, left);
  return true;
}

void dv_mesh_close_list(dvMeshIndices *offset, size_t end)
{
  if (!offset->count) dv_push(offset, 0);
  dv_push(offset, (int32_t)end);
}
