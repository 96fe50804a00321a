// See lane_memory.h.
#include "element/lane_memory.h"

#include <string.h>

void dv_lane_memory_begin(dvLaneMemory *m, const dvElementBlocks *blocks)
{
  dv_array_resize(&m->home, blocks->elements);
  for (size_t e = 0; e < blocks->elements; e++) m->home.data[e] = blocks->lane[e] + 1;
  m->fresh.count = 0;
}

bool dv_lane_memory_get(const dvLaneMemory *m, size_t element, double *out)
{
  int32_t home = element < m->home.count ? m->home.data[element] : 0;
  if (home > 0) m->read(m->user, element, (size_t)home - 1, out);
  else if (home < 0) memcpy(out, m->fresh.data + m->width * (size_t)(-1 - home), m->width * sizeof *out);
  else memset(out, 0, m->width * sizeof *out);
  return home > 0;
}

void dv_lane_memory_create(dvLaneMemory *m, const dvNewElement *e)
{
  size_t row = m->fresh.count / dv_max_size(m->width, 1);
  double sum = 0;
  if (e->row >= m->home.count) return;   // none of its elements has a lane
  m->home.data[e->row] = 0;
  if (m->width == 0 || e->ancestor_count == 0 || row >= INT32_MAX) return;
  dv_array_resize(&m->fresh, m->width * (row + 2));   // and room for that of an ancestor
  double *all = m->fresh.data + m->width * row, *one = all + m->width;
  memset(all, 0, m->width * sizeof *all);
  for (size_t a = 0; a < e->ancestor_count; a++) {
    double coefficient = e->coefficients ? e->coefficients[a] : 1;
    dv_lane_memory_get(m, (size_t)e->ancestors[a], one);
    for (size_t i = 0; i < m->width; i++) all[i] += coefficient * one[i];
    sum += coefficient;
  }
  for (size_t i = 0; i < m->width && m->mean && sum > 0; i++) all[i] /= sum;
  m->fresh.count = m->width * (row + 1);
  m->home.data[e->row] = -1 - (int32_t)row;
}

void dv_lane_memory_settle(dvLaneMemory *m, dvTopology *mesh, dvElementKind kind, const dvElementBlocks *blocks)
{
  const dvNumbers *rows = dv_trace_rows(mesh, kind);
  size_t end = m->fresh.count;
  dv_array_resize(&m->fresh, end + m->width);   // zeros
  for (size_t i = 0; i < rows->count; i++) {
    size_t e = (size_t)rows->data[i];
    int32_t home = m->home.data[e];
    if (home > 0) continue;
    m->write(m->user, e, m->fresh.data + (home < 0 ? m->width * (size_t)(-1 - home) : end));
    m->home.data[e] = blocks->lane[e] + 1;
  }
  m->fresh.count = 0;
}

void dv_lane_memory_free(dvLaneMemory *m)
{
  dv_array_free(&m->home);
  dv_array_free(&m->fresh);
}
