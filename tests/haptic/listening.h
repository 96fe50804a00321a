// Scenes of which a test wants to read what they say: open_scene, close_scene, and `messages` in between.
#ifndef DV_TESTS_HAPTIC_LISTENING_H
#define DV_TESTS_HAPTIC_LISTENING_H

#include "app/divan.h"
#include "io/scene/scene_file.h"

#include <string.h>

static char *messages;

static void hear(void *user, const struct dvMessage *m)
{
  DV_UNUSED(user);
  char *more = dv_format("%s%s\n", messages ? messages : "", m->text);
  dv_free(messages);
  messages = more;
}

static dvScene *open_scene(const char *text, dvStatus *status)
{
  dvContext *context = dv_divan_create(1);
  dv_free(messages);
  messages = NULL;
  context->log.sink = hear;
  dvScene *s = NULL;
  *status = dv_scene_parse(context, "test.scn", text, strlen(text), &s);
  if (*status == DV_OK) *status = dv_scene_init(s);
  return s;
}

static void close_scene(dvScene *s)
{
  dvContext *context = s->context;
  dv_scene_destroy(&s);
  dv_divan_destroy(&context);
  dv_free(messages);
  messages = NULL;
}

#endif
