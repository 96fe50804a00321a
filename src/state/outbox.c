// See outbox.h. A message is a head, the places of the channels, their numbers.
#include "state/outbox.h"

#include "base/outbox.h"

#include <string.h>

typedef struct Head {
  double time;
  long step;
  size_t channels;
} Head;

struct dvStateOutbox {
  dvOutbox outbox;
  dvScene *scene;   // NULL when it is gone
  DV_ARRAY(dvChannel) channels;
};

static void post(void *user, dvScene *scene, long step)
{
  dvStateOutbox *o = user;
  size_t n = o->channels.count, total = 0;
  for (size_t i = 0; i < n; i++) total += dv_state_scalars(o->channels.data[i].state, o->channels.data[i].id);
  char *to = dv_outbox_begin(&o->outbox, sizeof(Head) + (n + 1) * sizeof(size_t) + total * sizeof(double));
  if (!to) return;   // memory is short: the step says so
  Head head = {scene->root->time, step, n};
  memcpy(to, &head, sizeof head);
  size_t *first = (size_t *)(to + sizeof head);
  double *values = (double *)(first + n + 1);
  first[0] = 0;
  for (size_t i = 0; i < n; i++) {
    const dvChannel *c = &o->channels.data[i];
    size_t count = dv_state_scalars(c->state, c->id);
    if (count) memcpy(values + first[i], dv_state_read(c->state, c->id), count * sizeof *values);
    first[i + 1] = first[i] + count;
  }
  dv_outbox_publish(&o->outbox);
}

static void gone(void *user) { ((dvStateOutbox *)user)->scene = NULL; }

dvStateOutbox *dv_state_outbox_open(dvScene *scene, const dvChannel *channels, size_t count)
{
  dvStateOutbox *o = dv_alloc(sizeof *o);
  dv_outbox_init(&o->outbox);
  o->scene = scene;
  for (size_t i = 0; i < count; i++) dv_push(&o->channels, channels[i]);
  dv_scene_subscribe(scene, (dvSubscriber){post, gone, o});
  if (scene->initialised) post(o, scene, scene->step);
  return o;
}

void dv_state_outbox_close(dvStateOutbox **outbox)
{
  dvStateOutbox *o = *outbox;
  if (!o) return;
  if (o->scene) dv_scene_unsubscribe(o->scene, o);
  dv_outbox_free(&o->outbox);
  dv_array_free(&o->channels);
  dv_free(o);
  *outbox = NULL;
}

bool dv_state_outbox_read(dvStateOutbox *o, dvFrame *frame, bool *fresh)
{
  const char *from = dv_outbox_take(&o->outbox, NULL, fresh);
  if (!from) return false;
  Head head;
  memcpy(&head, from, sizeof head);
  const size_t *first = (const size_t *)(from + sizeof head);
  *frame = (dvFrame){head.time, head.step, head.channels, first, (const double *)(first + head.channels + 1)};
  return true;
}
