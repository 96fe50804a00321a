// See outbox.h.
#include "base/outbox.h"

enum { FRESH = 4 };   // beside the number of a buffer, 0 to 2

void dv_outbox_init(dvOutbox *o)
{
  *o = (dvOutbox){.writes = 0, .reads = 1};
  atomic_init(&o->middle, 2);
}

void *dv_outbox_begin(dvOutbox *o, size_t bytes)
{
  dvOutboxBuffer *b = &o->buffer[o->writes];
  if (!b->data || b->capacity < bytes) {
    void *data = dv_alloc_unset(dv_max_size(bytes, 64));
    if (!data) return NULL;
    dv_free(b->data);
    b->data = data;
    b->capacity = dv_max_size(bytes, 64);
  }
  b->size = bytes;
  return b->data;
}

// what was written is seen by who takes it, what was read has been read before it is written again
static unsigned exchange(dvOutbox *o, unsigned mine)
{
  return atomic_exchange_explicit(&o->middle, mine, memory_order_acq_rel) & 3u;
}

void dv_outbox_publish(dvOutbox *o) { o->writes = exchange(o, o->writes | FRESH); }

const void *dv_outbox_take(dvOutbox *o, size_t *bytes, bool *fresh)
{
  bool news = atomic_load_explicit(&o->middle, memory_order_relaxed) & FRESH;
  if (news) {
    o->reads = exchange(o, o->reads);
    o->taken = true;
  }
  if (fresh) *fresh = news;
  if (bytes) *bytes = o->taken ? o->buffer[o->reads].size : 0;
  return o->taken ? o->buffer[o->reads].data : NULL;
}

void dv_outbox_free(dvOutbox *o)
{
  for (int i = 0; i < 3; i++) dv_free(o->buffer[i].data);
  dv_outbox_init(o);
}
