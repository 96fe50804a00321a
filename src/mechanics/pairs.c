// See pairs.h. An entry that leaves one of the lists takes its row out of the other; both then go on in the same order.
#include "mechanics/pairs.h"

static void leave(void *user, size_t row)
{
  const struct dvPairsSide *s = user;
  dvElementList *other = s->pairs->lists[1 - s->side];
  int32_t last = (int32_t)dv_ints_size(s->pairs->ends[s->side]) - 1;
  if (s->pairs->tells) dv_push(&s->pairs->steps, ((dvTraceStep){DV_REMOVING, (int32_t)row, last}));
  if (s->pairs->left) s->pairs->left(s->pairs->user, row);
  if (!other) return;
  dv_element_list_keep(other);   // its own mesh may stay as it is
  dv_element_list_erase(other, row);
}

void dv_pairs_join(dvPairs *p, dvElementList *first, dvElementList *second, dvInts *a, dvInts *b)
{
  p->ends[0] = a;
  p->ends[1] = b;
  p->steps.count = 0;
  p->lists[0] = first;
  p->lists[1] = second;
  for (int i = 0; i < 2; i++) {
    p->sides[i] = (struct dvPairsSide){p, i};
    if (!p->lists[i]) continue;
    p->lists[i]->user = &p->sides[i];
    p->lists[i]->destroy = leave;
    // an end that follows nothing is a column of the other
    if (!p->lists[1 - i] && p->ends[1 - i]) dv_element_list_add_ints(p->lists[i], p->ends[1 - i], false);
  }
}

void dv_pairs_follow(dvPairs *p, dvObject *o, const dvState *first, const dvState *second, dvInts *a, dvInts *b)
{
  dv_pairs_join(p, dv_follow_points(o, first, a), dv_follow_points(o, second, b), a, b);
}

void dv_pairs_free(dvPairs *p)
{
  dv_ints_free(&p->own[0]);
  dv_ints_free(&p->own[1]);
  dv_array_free(&p->steps);
}

void dv_pairs_changed(const dvPairs *p, dvNumbers *out)
{
  out->count = 0;
  for (size_t i = 0; i < p->steps.count; i++)
    if ((size_t)p->steps.data[i].number < dv_ints_size(p->ends[0])) dv_push(out, p->steps.data[i].number);
  for (int side = 0; side < 2; side++) {
    dvElementList *l = p->lists[side];
    const dvTrace *trace = l && l->watcher.topology ? dv_topology_trace(l->watcher.topology) : NULL;
    if (!trace || !dv_element_list_chain(l)) continue;
    const dvNumbers *touched = dv_trace_points(trace);
    for (size_t i = 0; i < touched->count; i++)
      for (int32_t at = l->first.data[touched->data[i]]; at; at = l->next.data[at - 1])
        dv_push(out, (at - 1) / l->list->width);
  }
  dv_numbers_unique(out);
}

static bool take(dvPairs *p, const int32_t *a, const int32_t *b, size_t count, size_t stride)
{
  dv_pairs_forget(p);
  p->steps.count = 0;
  if (!dv_ints_resize(&p->own[0], count) || !dv_ints_resize(&p->own[1], count)) return false;
  for (size_t i = 0; i < count; i++) {
    p->own[0].data[i] = *(const int32_t *)((const char *)a + i * stride);
    p->own[1].data[i] = *(const int32_t *)((const char *)b + i * stride);
  }
  return true;
}

void dv_pairs_follow_(dvPairs *p, dvObject *o, const dvState *first, const dvState *second, const int32_t *a,
                      const int32_t *b, dvColumn array)
{
  if (!first->topology && !second->topology) return;
  p->own[0].width = p->own[1].width = 1;
  if (!take(p, a, b, *array.count, array.size)) {
    dv_error(o, NULL, "out of memory for the ends of %zu pairs", *array.count);
    return;
  }
  if (!p->ends[0]) dv_pairs_follow(p, o, first, second, &p->own[0], &p->own[1]);
  dv_element_list_add_column_(dv_pairs_list(p), array);
}

void dv_pairs_give_(const dvPairs *p, int32_t *a, int32_t *b, size_t count, size_t stride)
{
  for (size_t i = 0; p->ends[0] && i < count && i < p->ends[0]->count; i++) {
    *(int32_t *)((char *)a + i * stride) = p->ends[0]->data[i];
    *(int32_t *)((char *)b + i * stride) = p->ends[1]->data[i];
  }
}
