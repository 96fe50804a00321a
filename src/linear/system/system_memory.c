// What a linear system remembers: its counters and, where the matrix of one step serves later ones (a preconditioner
// that is built every so many times, a precomputed factor), that matrix. Solvers make their factors from it again.
//
// A matrix that is put back waits for the next build. That one finds the pattern and the places of all contributions as
// ever; then the remembered numbers take the place of the new ones.
#include "linear/system/system.h"

#include "linear/system/assembly_work.h"

#include <string.h>

typedef struct Stored {
  int block;
  DV_ARRAY(int32_t) row_start;
  DV_ARRAY(int32_t) col;
  DV_ARRAY(double) values;
} Stored;

static const dvBlockMatrix *matrix_of(const dvLinearSystem *s)
{
  if (s->stale) return s->kept;
  return (s->lasts || !s->enableAssembly) && s->own.matrix.values ? &s->own.matrix : NULL;
}

static bool is_matrix(const Stored *m)
{
  if (m->block != 1 && m->block != 3 && m->block != 6) return false;
  size_t rows = m->row_start.count - 1, entries = m->col.count, numbers = (size_t)(m->block * m->block);
  if (m->row_start.count < 2 || m->row_start.data[0] != 0 || (size_t)m->row_start.data[rows] != entries) return false;
  if (m->values.count % numbers || m->values.count / numbers != entries) return false;
  for (size_t r = 0; r < rows; r++)
    if (m->row_start.data[r + 1] < m->row_start.data[r] || (size_t)m->row_start.data[r + 1] > entries) return false;
  for (size_t r = 0; r < rows; r++) {
    bool diagonal = false;   // systems have all of it
    for (int32_t e = m->row_start.data[r]; e < m->row_start.data[r + 1]; e++) {
      bool ascends = e == m->row_start.data[r] || m->col.data[e] > m->col.data[e - 1];
      if (m->col.data[e] < 0 || (size_t)m->col.data[e] >= rows || !ascends) return false;
      diagonal = diagonal || (size_t)m->col.data[e] == r;
    }
    if (!diagonal) return false;
  }
  return true;
}

void dv_linear_system_drop_kept(dvLinearSystem *s)
{
  if (s->kept) dv_block_matrix_free(s->kept);
  dv_free(s->kept);
  s->kept = NULL;
}

static void keep(dvLinearSystem *s, Stored *m, dvMemoryStream *stream)
{
  dv_linear_system_drop_kept(s);
  if (stream->refused || m->block == 0) return;
  if (!is_matrix(m)) {
    dv_memory_refuse(stream, "the matrix cannot be");
    return;
  }
  s->kept = dv_alloc(sizeof *s->kept);
  *s->kept =
      (dvBlockMatrix){.block = m->block,
                      .pattern = {m->row_start.count - 1, m->row_start.count - 1, m->row_start.data, m->col.data},
                      .values = m->values.data};
  *m = (Stored){0};
}

static void remember_matrix(dvLinearSystem *s, dvMemoryStream *stream)
{
  const dvBlockMatrix *a = matrix_of(s);
  Stored m = {0};
  bool restores = dv_memory_restores(stream);
  if (a && !restores) {
    size_t entries = dv_pattern_count(&a->pattern);
    m.block = a->block;
    m.row_start.data = a->pattern.row_start, m.row_start.count = a->pattern.rows + 1;
    m.col.data = a->pattern.col, m.col.count = entries;
    m.values.data = a->values, m.values.count = entries * (size_t)(a->block * a->block);
  }
  dv_remember_numbers(stream, "block", &m.block, sizeof m.block);
  dv_remember_array(stream, "rows of the matrix", &m.row_start);
  dv_remember_array(stream, "columns of the matrix", &m.col);
  dv_remember_array(stream, "matrix", &m.values);
  if (!restores) return;
  keep(s, &m, stream);
  dv_array_free(&m.row_start);
  dv_array_free(&m.col);
  dv_array_free(&m.values);
}

void dv_linear_system_remember(dvObject *o, dvMemoryStream *stream)
{
  dvLinearSystem *s = dv_linear_system(o);
  dv_remember_numbers(stream, "stamp", &s->stamp, sizeof s->stamp);
  dv_remember_numbers(stream, "busy", &s->busy, sizeof s->busy);
  dv_remember_numbers(stream, "later", &s->later, sizeof s->later);
  remember_matrix(s, stream);
}

bool dv_linear_system_restored(dvObject *o)
{
  dvLinearSystem *s = dv_linear_system(o);
  s->stale = true;
  s->put_back++;
  return true;
}

dvStatus dv_linear_system_bring_back(dvObject *o, dvPlan *plan, const dvMech *m)
{
  dvLinearSystem *s = dv_linear_system(o);
  s->bringing = true;
  dvStatus status = dv_linear_system_build(o, plan, m);
  s->bringing = false;
  return status;
}

dvStatus dv_linear_system_put_back(dvLinearSystem *s)
{
  dvBlockMatrix *kept = s->kept;
  s->stale = false;
  s->kept = NULL;
  if (!kept) {
    if (!s->busy) s->stamp++;   // a build like any other; who is busy has only asked for the pattern
    return DV_OK;
  }
  dvBlockMatrix *own = &s->own.matrix;
  bool fits = dv_block_matrix_rows(kept) == s->own.size && kept->block == own->block;
  size_t numbers = dv_pattern_count(&kept->pattern) * (size_t)(kept->block * kept->block);
  if (fits && !dv_pattern_same(&kept->pattern, &own->pattern)) {   // contributions went elsewhere then
    fits = dv_block_matrix_init(own, kept->block, &kept->pattern);
    s->own.pattern_stamp++;
    s->own.work->recorded = false;
  }
  if (fits) memcpy(own->values, kept->values, numbers * sizeof *own->values);
  dv_block_matrix_free(kept);
  dv_free(kept);
  return fits ? DV_OK : dv_error(&s->base, NULL, "the matrix of the snapshot does not fit the scene");
}
