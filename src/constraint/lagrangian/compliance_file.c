// See compliance_file.h.
#include "constraint/lagrangian/compliance_file.h"

#include "base/file.h"
#include "scene/node.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static uint64_t hash_words(uint64_t hash, const void *data, size_t bytes)
{
  const unsigned char *at = data;
  for (uint64_t word; bytes; at += sizeof word) {
    size_t part = dv_min_size(bytes, sizeof word);
    word = 0;
    memcpy(&word, at, part);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    bytes -= part;
  }
  return hash;
}

uint64_t dv_compliance_hash(const dvAssembly *a, const dvState *state, double position)
{
  const dvBlockMatrix *m = &a->matrix;
  size_t entries = (size_t)m->pattern.row_start[m->pattern.rows], block = (size_t)m->block;
  uint64_t hash = hash_words(0xcbf29ce484222325u, &position, sizeof position);
  hash = hash_words(hash, m->pattern.row_start, (m->pattern.rows + 1) * sizeof *m->pattern.row_start);
  hash = hash_words(hash, m->pattern.col, entries * sizeof *m->pattern.col);
  hash = hash_words(hash, m->values, entries * block * block * sizeof *m->values);
  hash = hash_words(hash, a->fixed.data, a->fixed.count);
  for (size_t i = 0; i < a->main_count; i++)
    if (a->states.data[i].state == state) hash = hash_words(hash, &a->states.data[i].offset, sizeof(size_t));
  return hash;
}

char *dv_compliance_path(const dvObject *o, const char *named, const char *directory, size_t rows)
{
  char *beside = dv_path_directory(o->place.file ? o->place.file : ""), *in = NULL;
  char *name = *named ? dv_format("%s", named) : dv_format("%s-%zu-%g.comp", o->node->base.name, rows, o->node->dt);
  if (!*named && *directory) in = *directory == '/' ? dv_format("%s", directory) : dv_path_join(beside, directory);
  char *path = *name == '/' ? dv_format("%s", name) : dv_path_join(in ? in : beside, name);
  dv_free(in);
  dv_free(name);
  dv_free(beside);
  return path;
}

static char *head_of(uint64_t hash) { return dv_format("divan compliance 1 %016llx\n", (unsigned long long)hash); }

dvComplianceFound dv_compliance_read(const char *path, uint64_t hash, size_t rows, double *out)
{
  size_t length, bytes = rows * rows * sizeof *out;
  char *text = dv_file_read(path, &length), *head = head_of(hash);
  size_t begin = strlen(head);
  dvComplianceFound found = text ? DV_COMPLIANCE_OTHER : DV_COMPLIANCE_NONE;
  bool ours = text && length == begin + bytes && memcmp(text, head, begin) == 0;
  if (ours || (text && length == bytes)) {
    memcpy(out, text + (ours ? begin : 0), bytes);
    found = DV_COMPLIANCE_READ;
  }
  for (size_t i = 0; found == DV_COMPLIANCE_READ && i < rows * rows; i++)
    if (!isfinite(out[i])) found = DV_COMPLIANCE_OTHER;
  dv_free(head);
  dv_free(text);
  return found;
}

bool dv_compliance_write(const char *path, uint64_t hash, size_t rows, const double *values)
{
  char *head = head_of(hash), *half = dv_format("%s.%ld", path, (long)getpid());
  FILE *file = dv_file_write(half, "wb");
  bool good = file != NULL;
  if (file) {
    good = fwrite(head, 1, strlen(head), file) == strlen(head) &&
           fwrite(values, sizeof *values, rows * rows, file) == rows * rows;
    good = fclose(file) == 0 && good;
    if (!good || rename(half, path) != 0) {
      remove(half);
      good = false;
    }
  }
  dv_free(half);
  dv_free(head);
  return good;
}
