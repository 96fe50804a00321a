// What tests share that ask a session of the viewer as the page does. Include it in one file of a test only.
#ifndef DV_TESTS_SESSION_H
#define DV_TESTS_SESSION_H

#include "support/check.h"

#include "base/file.h"
#include "view/inside.h"

#include <jansson.h>
#include <string.h>

typedef struct Fixture {
  dvSession *session;
  dvViewer viewer;
} Fixture;

static void open_scene(Fixture *f, const char *name)
{
  char *path = dv_path_join(DIVAN_SOURCE_DIR "/scenes", name);
  *f = (Fixture){0};
  f->session = dv_session_create(&(dvSessionOptions){.scene = path, .threads = 1});
  dv_free(path);
  assert_true(dv_session_ready(f->session));
  assert_true(dv_session_join(f->session, &f->viewer));
}

static void close_scene(Fixture *f)
{
  dv_session_leave(f->session, &f->viewer);
  dv_session_destroy(&f->session);
}

static json_t *ask(Fixture *f, const char *request)
{
  dvText reply = {0};
  dv_session_handle(f->session, &f->viewer, request, strlen(request), &reply);
  json_t *a = reply.length ? json_loads(reply.text, 0, NULL) : NULL;
  dv_text_free(&reply);
  assert_non_null(a);
  return a;
}

static inline void must_fail(Fixture *f, const char *request, const char *part)
{
  json_t *a = ask(f, request);
  const char *error = json_string_value(json_object_get(a, "error"));
  if (!error || !strstr(error, part)) fail_msg("%s: '%s' does not say '%s'", request, error ? error : "", part);
  json_decref(a);
}

#endif
