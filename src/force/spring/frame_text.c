// See frame_text.h.
#include "force/spring/frame_text.h"

#include "base/file.h"
#include "object/context.h"

#include <math.h>

static bool peek(const dvFrameText *t, const char *word, const char **behind)
{
  const char *at = t->at, *found;
  size_t length;
  if (!dv_scan_word(&at, &found, &length) || length != strlen(word) || memcmp(found, word, length) != 0) return false;
  *behind = at;
  return true;
}

bool dv_frame_text_word(dvFrameText *t, const char *word)
{
  const char *behind;
  if (!peek(t, word, &behind)) return false;
  t->at = behind;
  return true;
}

bool dv_frame_text_end(dvFrameText *t)
{
  while (dv_is_space(*t->at)) t->at++;
  return *t->at == 0 || dv_frame_text_word(t, "END_SPRING");
}

bool dv_frame_text_numbers(dvFrameText *t, double *out, int count)
{
  for (int i = 0; i < count; i++)
    if (!dv_scan_real(&t->at, &out[i]) || !isfinite(out[i]) || fabs(out[i]) > 1e300) return false;
  return true;
}

bool dv_frame_text_coefficient(dvFrameText *t, double *out)
{
  if (!dv_frame_text_numbers(t, out, 1)) return false;
  t->negative = t->negative || *out < 0;
  return true;
}

bool dv_frame_text_indices(dvFrameText *t, int32_t *out, int count)
{
  for (int i = 0; i < count; i++) {
    double value;
    if (!dv_frame_text_numbers(t, &value, 1) || value != floor(value) || value < 0 || value > INT32_MAX) return false;
    out[i] = (int32_t)value;
  }
  return true;
}

dvStatus dv_frame_text_read(const dvObject *o, char *const *member, dvFrameTextRead read, void *user)
{
  dvFrameText t = {.at = *member};
  for (t.spring = 0;; t.spring++) {
    while (dv_is_space(*t.at)) t.at++;
    if (*t.at == 0) return DV_OK;
    t.negative = false;
    bool good = dv_frame_text_word(&t, "BEGIN_SPRING") && read(user, &t);
    if (good && t.negative)
      dv_field_warning(o, member, "give numbers from 0 on",
                       "spring %zu has a negative stiffness or damping: it drives motion instead of holding it",
                       t.spring);
    if (good) continue;
    while (dv_is_space(*t.at)) t.at++;
    return dv_field_error(o, member,
                          "write BEGIN_SPRING 0 1 KEYWORD numbers … END_SPRING; `divan info` shows the keywords",
                          "spring %zu: cannot read '%.24s'", t.spring, t.at);
  }
}

dvStatus dv_frame_text_file(const dvObject *o, char *const *member, dvReals *out)
{
  dvText advice = {0};
  size_t length;
  char *path = dv_context_find_file(o->context, *member, dv_field_of(o, member)->place.file, &advice);
  char *text = dv_file_read(path, &length);
  dvStatus status = text ? DV_OK : dv_field_error(o, member, advice.text, "cannot read %s: %s", *member, dv_file_why());
  double value;
  for (const char *at = text; text && dv_scan_real(&at, &value);) {
    if (!dv_reals_resize(out, out->count + 1)) break;
    out->data[out->count - 1] = value;
  }
  dv_free(text);
  dv_free(path);
  dv_text_free(&advice);
  return status;
}
