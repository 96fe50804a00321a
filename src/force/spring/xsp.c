// See xsp.h. A file is a list of words: `Xsp 3.0`, then `mass` and `lspg` lines among others that do not concern
// springs.
#include "force/spring/xsp.h"

#include "base/file.h"
#include "object/context.h"

#include <math.h>

typedef struct Reader {
  const char *at;
  bool vectors;
  DV_ARRAY(double) points;   // three numbers a mass
} Reader;

static bool is_word(const char *word, size_t length, const char *wanted)
{
  return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

static bool read_numbers(Reader *r, double *out, int count)
{
  for (int i = 0; i < count; i++)
    if (!dv_scan_real(&r->at, &out[i]) || !isfinite(out[i])) return false;
  return true;
}

// index, a letter, position and more
static bool read_mass(Reader *r)
{
  const char *word;
  size_t length;
  double index, p[3];
  if (!read_numbers(r, &index, 1) || !dv_scan_word(&r->at, &word, &length) || !read_numbers(r, p, 3)) return false;
  for (int k = 0; k < 3; k++) dv_push(&r->points, p[k]);
  return true;
}

// index, two masses counted from 1, stiffness, damping, length; -1 means the distance, and stiffness and damping per
// length
static bool read_spring(Reader *r, dvXspSprings *out)
{
  double v[9] = {0};
  size_t masses = r->points.count / 3;
  if (!read_numbers(r, v, r->vectors ? 9 : 6)) return false;
  for (int k = 1; k < 3; k++)
    if (v[k] != floor(v[k]) || v[k] < 1 || v[k] > (double)masses) return false;
  dvXspSpring s = {(int32_t)v[1] - 1, (int32_t)v[2] - 1, v[3], v[4], v[5], {v[6], v[7], v[8]}};
  if (s.rest == -1) {
    const double *a = r->points.data + 3 * s.a, *b = r->points.data + 3 * s.b;
    s.rest = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    if (s.rest == 0) return false;
    s.ks /= s.rest;
    s.kd /= s.rest;
  }
  dv_push(out, s);
  return true;
}

static bool read_text(Reader *r, dvXspSprings *out)
{
  const char *word;
  size_t length;
  double version;
  if (!dv_scan_word(&r->at, &word, &length) || !is_word(word, length, "Xsp") || !dv_scan_real(&r->at, &version))
    return false;
  if (version != 3 && version != 4) return false;
  r->vectors = version == 4;
  while (dv_scan_word(&r->at, &word, &length)) {
    if (is_word(word, length, "mass") && !read_mass(r)) return false;
    if (is_word(word, length, "lspg") && !read_spring(r, out)) return false;
    while (*r->at && *r->at != '\n') r->at++;
  }
  return true;
}

dvStatus dv_xsp_read(const dvObject *o, char *const *member, dvXspSprings *out)
{
  dvText advice = {0};
  size_t length;
  char *path = dv_context_find_file(o->context, *member, dv_field_of(o, member)->place.file, &advice);
  char *text = dv_file_read(path, &length);
  dvStatus status = DV_OK;
  Reader r = {.at = text};
  if (!text) status = dv_field_error(o, member, advice.text, "cannot read %s: %s", *member, dv_file_why());
  else if (!read_text(&r, out))
    status = dv_field_error(o, member, NULL,
                            "%s is not a whole Xsp file of version 3 or 4; spring %zu is the last one understood", path,
                            out->count);
  dv_array_free(&r.points);
  dv_free(text);
  dv_free(path);
  dv_text_free(&advice);
  return status;
}
