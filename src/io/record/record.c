// See record.h.
#include "io/record/record.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Can it be written there, as far as one can tell without doing it? errno tells why not.
static bool is_promising(const char *path)
{
  if (dv_file_exists(path)) return access(path, W_OK) == 0;
  errno = EISDIR;
  if (dv_path_is_directory(path)) return false;
  char *folder = dv_path_directory(path);
  while (*folder && access(folder, F_OK) != 0) {   // those that are not there are made
    char *above = dv_path_directory(folder);
    dv_free(folder);
    folder = above;
  }
  bool good = (errno = ENOTDIR, dv_path_is_directory(*folder ? folder : ".")) &&
              access(*folder ? folder : ".", W_OK | X_OK) == 0;
  dv_free(folder);
  return good;
}

bool dv_record_open(dvRecord *r, const char *path)
{
  dv_record_close(r);
  if (!dv_file_permitted(path, true) || !is_promising(path)) return false;
  r->path = dv_strdup(path);
  return true;
}

// with what it holds
static bool open_file(dvRecord *r)
{
  if (r->file || r->packed) return true;
  if (!dv_file_permitted(r->path, true)) return false;   // somebody may have put a link there
  char *folder = dv_path_directory(r->path);
  if (*folder) dv_make_directories(folder);
  dv_free(folder);
  int file = open(r->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return false;
  if (dv_ends_with_nocase(r->path, ".gz")) close(file);
  else if (!(r->file = fdopen(file, "wb"))) {
    close(file);
    return false;
  }
  return true;
}

// --- where it goes on ----------------------------------------------------------------------------

// the first `length` bytes of a packed file, as far as it has them
static bool repack(dvRecord *r)
{
  dvText kept = {0};
  char piece[4096];
  gzFile old = r->length ? gzopen(r->path, "rb") : NULL;
  while (old && kept.length < r->length) {
    int n = gzread(old, piece, (unsigned)dv_min_size(sizeof piece, (size_t)(r->length - kept.length)));
    if (n <= 0) break;
    dv_text_add_n(&kept, piece, (size_t)n);
  }
  if (old) gzclose(old);
  r->packed = gzopen(r->path, "wb");
  bool good = r->packed && (kept.length == 0 || gzwrite(r->packed, kept.text, (unsigned)kept.length) > 0);
  dv_text_free(&kept);
  return good;
}

static bool place(dvRecord *r)
{
  if (r->placed) return true;
  if (!open_file(r)) return false;
  r->placed = r->begun = true;
  if (!r->file) {
    if (r->packed) gzclose(r->packed);
    r->packed = NULL;
    return repack(r);
  }
  off_t end = fseeko(r->file, 0, SEEK_END) == 0 ? ftello(r->file) : -1;
  if (end < 0) return true;                                // a pipe or a terminal has no place to go back to
  if ((uint64_t)end > r->length) end = (off_t)r->length;   // else some of what came before is no longer there
  return ftruncate(fileno(r->file), end) == 0 && fseeko(r->file, end, SEEK_SET) == 0;
}

static bool flush(dvRecord *r)
{
  const dvText *t = &r->pending;
  bool good = place(r);
  if (!good || t->length == 0) return good;
  if (r->packed)
    good =
        gzwrite(r->packed, t->text, (unsigned)t->length) == (int)t->length && gzflush(r->packed, Z_SYNC_FLUSH) == Z_OK;
  else good = fwrite(t->text, 1, t->length, r->file) == t->length && fflush(r->file) == 0;
  r->length += t->length;
  dv_text_clear(&r->pending);
  return good;
}

bool dv_record_add(dvRecord *r, const dvScene *scene, const char *text, size_t length)
{
  if (!r->path) return false;
  dv_text_add_n(&r->pending, text, length);
  return scene->running ? flush(r) : true;
}

void dv_record_rewind(dvRecord *r)
{
  dv_text_clear(&r->pending);
  r->length = 0;
  r->placed = false;
}

void dv_record_close(dvRecord *r)
{
  if (r->begun) flush(r);   // a scene that never runs writes nothing
  if (r->packed) gzclose(r->packed);
  if (r->file) fclose(r->file);
  dv_text_free(&r->pending);
  dv_free(r->path);
  *r = (dvRecord){0};
}

void dv_record_remember(dvRecord *r, dvMemoryStream *s)
{
  dvText *t = &r->pending;
  uint64_t file = dv_hash_bytes(r->path, r->path ? strlen(r->path) : 0, 0), saved = file;
  if (s->mode != DV_MEMORY_HASHES) dv_remember_numbers(s, "file", &saved, sizeof saved);
  dv_remember_numbers(s, "written", &r->length, sizeof r->length);
  dv_remember_array_(s, "to be written", (void **)&t->text, &t->length, &t->capacity, 1);
  if (!dv_memory_restores(s)) return;
  r->placed = false;
  if (saved != file) r->length = 0;   // another file begins anew
}
