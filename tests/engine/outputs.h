// What the tests of engines share: outputs, brought up to date, against what they should be.
#ifndef DV_TESTS_ENGINE_OUTPUTS_H
#define DV_TESTS_ENGINE_OUTPUTS_H

#include "support/check.h"
#include "support/scene.h"
#include "topology/report.h"

static inline dvField *output(dvScene *s, const char *path, const char *name)
{
  dvField *f = dv_object_field(check_find(s, path), name);
  if (!f) print_error("%s has no field %s\n", path, name);
  assert_non_null(f);
  assert_int_equal(dv_field_pull(f), DV_OK);
  return f;
}

static inline void check_text(dvScene *s, const char *path, const char *name, const char *expected)
{
  dvText text = {0};
  dv_field_print(output(s, path, name), &text);
  dv_text_add(&text, "");
  if (!dv_same(text.text, expected)) print_error("%s.%s is '%s', expected '%s'\n", path, name, text.text, expected);
  assert_string_equal(text.text, expected);
  dv_text_free(&text);
}

static inline void check_reals(dvScene *s, const char *path, const char *name, const double *expected, size_t count)
{
  const dvReals *r = output(s, path, name)->value;
  assert_int_equal(r->count, count);
  for (size_t i = 0; i < count; i++) check_close(r->data[i], expected[i], 1e-12);
}

static inline double check_real(dvScene *s, const char *path, const char *name)
{
  return *(const double *)output(s, path, name)->value;
}

// An engine named e whose output cannot be made, with a message.
static inline void check_refused(const char *engine, const char *name, const char *message)
{
  Report r;
  char *text = dv_format("<Node>%s</Node>", engine);
  report_start(&r, text);
  dvObject *o = report_find(&r, "e");
  dvField *f = dv_object_field(o, name);
  assert_non_null(f);
  assert_int_equal(dv_field_pull(f) == DV_OK && r.status == DV_OK, 0);
  report_says(&r, message);
  report_end(&r);
  dv_free(text);
}

#endif
