// See lane_memory.h.
#include "element/lane_memory.h"

#include <string.h>

static size_t parts_of(const dvLaneMemory *m) { return m->parts ? m->parts : 1; }

void dv_lane_memory_begin(dvLaneMemory *m, const dvElementBlocks *blocks)
{
  m->home.width = (int)parts_of(m);
  m->fresh.count = 0;
  if (!dv_ints_resize(&m->home, blocks->elements)) return;   // nothing is remembered then
  int32_t *home = dv_ints_edit(&m->home);
  for (size_t e = 0; e < blocks->elements; e++) home[e] = blocks->lane[e] + 1;
}

bool dv_lane_memory_get(const dvLaneMemory *m, size_t element, double *out)
{
  int32_t home = element < m->home.count ? m->home.data[element] : 0;
  if (home > 0) m->read(m->user, element, (size_t)home - 1, out);
  else if (home < 0) memcpy(out, m->fresh.data + m->width * (size_t)(-1 - home), m->width * sizeof *out);
  else memset(out, 0, m->width * sizeof *out);
  return home > 0;
}

// of part `part` of a new element of the mesh
static void create_part(dvLaneMemory *m, const dvNewElement *e, size_t part)
{
  size_t row = m->fresh.count / dv_max_size(m->width, 1), parts = parts_of(m);
  int32_t *home = dv_ints_edit(&m->home) + parts * e->row + part;
  double sum = 0;
  *home = 0;
  if (m->width == 0 || e->ancestor_count == 0 || row >= INT32_MAX) return;
  dv_array_resize(&m->fresh, m->width * (row + 2));   // and room for that of an ancestor
  double *all = m->fresh.data + m->width * row, *one = all + m->width;
  memset(all, 0, m->width * sizeof *all);
  for (size_t a = 0; a < e->ancestor_count; a++) {
    double coefficient = e->coefficients ? e->coefficients[a] : 1;
    dv_lane_memory_get(m, parts * (size_t)e->ancestors[a] + part, one);
    for (size_t i = 0; i < m->width; i++) all[i] += coefficient * one[i];
    sum += coefficient;
  }
  for (size_t i = 0; i < m->width && m->mean && sum > 0; i++) all[i] /= sum;
  m->fresh.count = m->width * (row + 1);
  *home = -1 - (int32_t)row;
}

void dv_lane_memory_create(dvLaneMemory *m, const dvNewElement *e)
{
  if (parts_of(m) * (e->row + 1) > m->home.count) return;   // none of its elements has a lane
  for (size_t part = 0; part < parts_of(m); part++) create_part(m, e, part);
}

void dv_lane_memory_settle(dvLaneMemory *m, dvTopology *mesh, dvElementKind kind, const dvElementBlocks *blocks)
{
  const dvNumbers *rows = dv_trace_rows(mesh, kind);
  size_t end = m->fresh.count, parts = parts_of(m);
  int32_t *home = dv_ints_edit(&m->home);
  dv_array_resize(&m->fresh, end + m->width);   // zeros
  for (size_t i = 0; i < parts * rows->count; i++) {
    size_t e = parts * (size_t)rows->data[i / parts] + i % parts;
    if (e >= m->home.count || home[e] > 0) continue;
    m->write(m->user, e, m->fresh.data + (home[e] < 0 ? m->width * (size_t)(-1 - home[e]) : end));
    home[e] = blocks->lane[e] + 1;
  }
  m->fresh.count = 0;
}

void dv_lane_memory_free(dvLaneMemory *m)
{
  dv_ints_free(&m->home);
  dv_array_free(&m->fresh);
}
