// Scenes for tests that look at messages: everything the log gets is kept as text.
#ifndef DV_TESTS_TOPOLOGY_REPORT_H
#define DV_TESTS_TOPOLOGY_REPORT_H

#include "support/check.h"

#include "app/divan.h"
#include "base/text.h"
#include "io/scene/scene_file.h"
#include "topology/topology.h"

#include <string.h>

typedef struct Report {
  dvContext *context;
  dvScene *scene;
  dvStatus status;
  dvText messages;   // a line each: text, then advice
} Report;

static inline void report_sink(void *user, const dvMessage *m)
{
  Report *r = user;
  dv_text_printf(&r->messages, "%s:%d %s %s\n", m->place.file ? m->place.file : "", m->place.line, m->text,
                 m->advice ? m->advice : "");
}

// Reads and initialises a scene; `name` stands for its file.
static inline void report_start_as(Report *r, const char *name, const char *text)
{
  *r = (Report){.context = dv_divan_create(1)};
  r->context->log.sink = report_sink;
  r->context->log.user = r;
  r->context->log.threshold = DV_NOTE;
  r->status = dv_scene_parse(r->context, name, text, strlen(text), &r->scene);
  assert_non_null(r->scene);
  dvStatus init = dv_scene_init(r->scene);
  if (r->status == DV_OK) r->status = init;
}

static inline void report_start(Report *r, const char *text) { report_start_as(r, "test.scn", text); }

// The same for a scene without mistakes.
static inline void report_good(Report *r, const char *text)
{
  report_start(r, text);
  if (r->status != DV_OK) print_error("%s", r->messages.text);
  assert_int_equal(r->status, DV_OK);
}

static inline void report_says(const Report *r, const char *part)
{
  if (r->messages.text && strstr(r->messages.text, part)) return;
  print_error("no message with '%s' in:\n%s", part, r->messages.text ? r->messages.text : "(none)\n");
  fail();
}

static inline dvObject *report_find(const Report *r, const char *name)
{
  dvObject *o = dv_link_find(&r->scene->root->base, name, DV_ROLE_ANY);
  assert_non_null(o);
  return o;
}

static inline dvTopology *report_topology(const Report *r, const char *name)
{
  return dv_topology(report_find(r, name));
}

static inline void report_end(Report *r)
{
  dv_scene_destroy(&r->scene);
  dv_divan_destroy(&r->context);
  dv_text_free(&r->messages);
}

// a scene that is not accepted, and a part of what is said
typedef struct Refusal {
  const char *scene, *message;
} Refusal;

static inline void report_refused(const Refusal *cases, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    Report r;
    report_start(&r, cases[i].scene);
    assert_int_equal(r.status, DV_ERROR_INPUT);
    report_says(&r, cases[i].message);
    report_end(&r);
  }
}

// Fails with both lists when they differ.
static inline void check_ints(const dvInts *found, const char *expected)
{
  dvText text = {0};
  for (size_t i = 0; i < found->count; i++)
    dv_text_printf(&text, "%s%d", i == 0 ? "" : i % (size_t)found->width ? " " : ", ", found->data[i]);
  dv_text_add(&text, "");
  if (!dv_same(text.text, expected)) {
    print_error("found    %s\nexpected %s\n", text.text, expected);
    fail();
  }
  dv_text_free(&text);
}

static inline void check_elements(dvTopology *t, dvElementKind kind, const char *expected)
{
  check_ints(dv_topology_elements(t, kind), expected);
}

#endif
