// See flow.h. Mappings whose feeders have all been taken are taken in turn (Kahn 1962): n log n for n inputs and
// outputs.
#include "scene/flow.h"

#include "base/heap.h"

#include <stdlib.h>

// --- ports ---------------------------------------------------------------------------------------

static int by_state(const void *a, const void *b)
{
  const dvFlowPort *x = a, *y = b;
  if (x->state != y->state) return (uintptr_t)x->state < (uintptr_t)y->state ? -1 : 1;
  return (x->mapping > y->mapping) - (x->mapping < y->mapping);
}

void dv_flow_init(dvFlow *f, dvObject *const *mappings, size_t count)
{
  *f = (dvFlow){.mappings = mappings, .count = count};
  dvObject *state;
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; (state = dv_mapping_input(mappings[i], k)); k++)
      dv_push(&f->inputs, ((dvFlowPort){state, (int32_t)i}));
    for (size_t k = 0; (state = dv_mapping_output(mappings[i], k)); k++)
      dv_push(&f->outputs, ((dvFlowPort){state, (int32_t)i}));
  }
  if (f->inputs.count) qsort(f->inputs.data, f->inputs.count, sizeof *f->inputs.data, by_state);
  if (f->outputs.count) qsort(f->outputs.data, f->outputs.count, sizeof *f->outputs.data, by_state);
}

void dv_flow_fini(dvFlow *f)
{
  dv_array_free(&f->inputs);
  dv_array_free(&f->outputs);
}

const dvFlowPort *dv_flow_ports(const dvFlowPorts *ports, const dvObject *state, const dvFlowPort **end)
{
  size_t low = 0, high = ports->count;
  *end = NULL;
  if (!high) return NULL;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((uintptr_t)ports->data[middle].state < (uintptr_t)state) low = middle + 1;
    else high = middle;
  }
  for (high = low; high < ports->count && ports->data[high].state == state;) high++;
  *end = ports->data + high;
  return ports->data + low;
}

// --- order ---------------------------------------------------------------------------------------

typedef struct Walk {
  const dvFlow *flow;
  int32_t *waits;   // of each mapping: how many of its inputs others have still to write
  bool *taken;
  dvHeap ready;   // mappings that wait for nobody
} Walk;

static void walk_init(Walk *w, const dvFlow *f, bool on_itself)
{
  *w = (Walk){.flow = f,
              .waits = dv_alloc((f->count + 1) * sizeof *w->waits),
              .taken = dv_alloc((f->count + 1) * sizeof *w->taken)};
  for (size_t i = 0; i < f->inputs.count; i++) {
    const dvFlowPort *end, *port = &f->inputs.data[i];
    for (const dvFlowPort *p = dv_flow_ports(&f->outputs, port->state, &end); p < end; p++)
      w->waits[port->mapping] += on_itself || p->mapping != port->mapping;
  }
  for (size_t i = 0; i < f->count; i++)
    if (!w->waits[i]) dv_heap_push(&w->ready, 0, (int32_t)i);
}

static void walk_fini(Walk *w)
{
  dv_free(w->waits);
  dv_free(w->taken);
  dv_array_free(&w->ready);
}

static void take(Walk *w, int32_t mapping)
{
  dvObject *state;
  w->taken[mapping] = true;
  for (size_t k = 0; (state = dv_mapping_output(w->flow->mappings[mapping], k)); k++) {
    const dvFlowPort *end;
    for (const dvFlowPort *p = dv_flow_ports(&w->flow->inputs, state, &end); p < end; p++)
      if (p->mapping != mapping && --w->waits[p->mapping] == 0 && !w->taken[p->mapping])
        dv_heap_push(&w->ready, 0, p->mapping);
  }
}

void dv_flow_order(const dvFlow *f, int32_t *order)
{
  Walk w;
  walk_init(&w, f, false);
  size_t first = 0;   // none before it is left
  for (size_t done = 0; done < f->count; done++) {
    while (w.taken[first]) first++;
    order[done] = w.ready.count ? dv_heap_pop(&w.ready).item : (int32_t)first;
    take(&w, order[done]);
  }
  walk_fini(&w);
}

size_t dv_flow_circles(const dvFlow *f, bool *stuck)
{
  Walk w;
  walk_init(&w, f, true);
  size_t left = f->count;
  for (; w.ready.count; left--) take(&w, dv_heap_pop(&w.ready).item);
  for (size_t i = 0; i < f->count; i++) stuck[i] = !w.taken[i];
  walk_fini(&w);
  return left;
}
