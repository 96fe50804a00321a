// See heap.h.
#include "base/heap.h"

static bool comes_first(dvHeapEntry a, dvHeapEntry b) { return a.key != b.key ? a.key < b.key : a.item < b.item; }

void dv_heap_push(dvHeap *h, double key, int32_t item)
{
  dvHeapEntry e = {key, item};
  dv_push(h, e);
  size_t i = h->count - 1;
  for (; i > 0 && comes_first(e, h->data[(i - 1) / 2]); i = (i - 1) / 2) h->data[i] = h->data[(i - 1) / 2];
  h->data[i] = e;
}

dvHeapEntry dv_heap_pop(dvHeap *h)
{
  dvHeapEntry top = h->data[0], last = h->data[--h->count];
  size_t i = 0, n = h->count;
  while (2 * i + 1 < n) {
    size_t child = 2 * i + 1;
    if (child + 1 < n && comes_first(h->data[child + 1], h->data[child])) child++;
    if (!comes_first(h->data[child], last)) break;
    h->data[i] = h->data[child];
    i = child;
  }
  h->data[i] = last;   // when it was the only one, back where it stood
  return top;
}
