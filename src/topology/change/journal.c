// See journal.h.
#include "topology/change/journal.h"

enum { HAS_ANCESTORS = 1, HAS_COEFFICIENTS = 2, HAS_POSITIONS = 4, IS_EXCHANGE = 8, ENTRY = 5 };

// --- writing -------------------------------------------------------------------------------------

static void put(dvJournal *j, const int32_t *words, size_t count)
{
  dv_reserve(&j->words, count + 1);
  for (size_t i = 0; i < count; i++) j->words.data[j->words.count++] = words[i];
}

static void put_reals(dvJournal *j, const double *reals, size_t count)
{
  dv_reserve(&j->reals, count + 1);
  for (size_t i = 0; i < count; i++) j->reals.data[j->reals.count++] = reals[i];
}

void dv_journal_note(dvJournal *j, const dvChange *c, const double *positions, uint32_t *turn)
{
  bool end = c->what == DV_CHANGES_END;
  if (end && !j->open) return;
  j->open = !end;
  const dvOrigin *o = &c->origin;
  int32_t has = (o->offsets ? HAS_ANCESTORS : 0) | (o->offsets && o->coefficients ? HAS_COEFFICIENTS : 0) |
                (positions ? HAS_POSITIONS : 0) | (c->exchange ? IS_EXCHANGE : 0);
  put(j, (int32_t[]){(int32_t)c->what, (int32_t)c->kind, (int32_t)c->count, has, (int32_t)(*turn)++}, ENTRY);
  if (end) return;
  if (c->what == DV_ADDED && c->kind != DV_POINT) put(j, c->points, c->count * (size_t)dv_element_points(c->kind));
  if (c->what != DV_ADDED) put(j, c->indices, c->count);
  if (has & HAS_ANCESTORS) {
    int32_t first = o->offsets[0];
    for (size_t i = 0; i <= c->count; i++) put(j, (int32_t[]){o->offsets[i] - first}, 1);
    put(j, o->ancestors + first, (size_t)(o->offsets[c->count] - first));
    if (has & HAS_COEFFICIENTS) put_reals(j, o->coefficients + first, (size_t)(o->offsets[c->count] - first));
  }
  if (positions) put_reals(j, positions, 3 * c->count);
}

// no change that others hear of: how far hexahedra are filled
enum { FILLED = DV_CHANGES_END + 1, FILL_WORDS = sizeof(dvCellFill) / sizeof(int32_t) };

void dv_journal_note_fill(dvJournal *j, const int32_t *hexahedra, const dvCellFill *fills, size_t count, uint32_t *turn)
{
  j->open = true;
  put(j, (int32_t[]){FILLED, DV_HEXAHEDRON, (int32_t)count, 0, (int32_t)(*turn)++}, ENTRY);
  put(j, hexahedra, count);
  for (size_t i = 0; i < count; i++) {
    int32_t words[FILL_WORDS];
    memcpy(words, &fills[i], sizeof words);
    put(j, words, FILL_WORDS);
  }
}

void dv_journal_free(dvJournal *j)
{
  dv_array_free(&j->words);
  dv_array_free(&j->reals);
  j->open = false;
}

bool dv_journal_begins(const dvJournal *j, const dvJournal *other)
{
  size_t words = j->words.count, reals = j->reals.count;
  return words <= other->words.count && reals <= other->reals.count &&
         (words == 0 || memcmp(j->words.data, other->words.data, words * sizeof(int32_t)) == 0) &&
         (reals == 0 || memcmp(j->reals.data, other->reals.data, reals * sizeof(double)) == 0);
}

// --- doing it again ------------------------------------------------------------------------------

typedef dvReplay Reader;

static bool take(Reader *r, size_t count, const int32_t **out)
{
  if (count > r->journal->words.count - r->word) return false;
  *out = count ? r->journal->words.data + r->word : NULL;
  r->word += count;
  return true;
}

static bool take_reals(Reader *r, size_t count, const double **out)
{
  if (count > r->journal->reals.count - r->real) return false;
  *out = count ? r->journal->reals.data + r->real : NULL;
  r->real += count;
  return true;
}

static bool take_origin(Reader *r, size_t count, int32_t has, dvOrigin *o)
{
  *o = (dvOrigin){0};
  if (!(has & HAS_ANCESTORS)) return true;
  if (!take(r, count + 1, &o->offsets) || o->offsets[0] != 0) return false;
  for (size_t i = 0; i < count; i++)
    if (o->offsets[i + 1] < o->offsets[i]) return false;
  size_t ancestors = (size_t)o->offsets[count];
  return take(r, ancestors, &o->ancestors) && (!(has & HAS_COEFFICIENTS) || take_reals(r, ancestors, &o->coefficients));
}

static bool replay_fill(dvTopology *t, Reader *r, const int32_t *hexahedra, size_t count)
{
  const int32_t *words;
  if (!take(r, count * FILL_WORDS, &words)) return false;
  dvCellFill *fills = dv_alloc((count + 1) * sizeof *fills);
  if (count) memcpy(fills, words, count * sizeof *fills);
  dvStatus status = dv_topology_fill(t, hexahedra, fills, count);
  dv_free(fills);
  return status == DV_OK;
}

static bool replay_one(dvTopology *t, Reader *r)
{
  const int32_t *head, *numbers = NULL;
  const double *positions = NULL;
  dvOrigin origin;
  if (!take(r, ENTRY, &head)) return false;
  dvChangeKind what = (dvChangeKind)head[0];
  dvElementKind kind = (dvElementKind)head[1];
  int32_t has = head[3];
  bool exchange = has & IS_EXCHANGE;
  if (what == DV_CHANGES_END) {
    dv_topology_end_changes(t);
    return true;
  }
  if (head[1] < DV_POINT || head[1] >= DV_ELEMENT_KINDS || head[2] < 0) return false;
  size_t count = (size_t)head[2], width = (size_t)dv_element_points(kind);
  size_t listed = what != DV_ADDED ? count : kind == DV_POINT ? 0 : count * width;
  if (!take(r, listed, &numbers) || !take_origin(r, count, has, &origin)) return false;
  if ((has & HAS_POSITIONS) && !take_reals(r, 3 * count, &positions)) return false;
  if (head[0] == FILLED) return replay_fill(t, r, numbers, count);
  switch (what) {
  case DV_ADDED:
    return (kind == DV_POINT ? dv_topology_add_points(t, count, positions, origin)
                             : dv_topology_add_whole(t, kind, numbers, NULL, count, origin, exchange)) == DV_OK;
  case DV_REMOVING:
    return (exchange ? dv_topology_remove_exchanged(t, kind, numbers, NULL, count)
                     : dv_topology_remove(t, kind, numbers, count)) == DV_OK;
  case DV_RENUMBERED:
    return count == dv_topology_count(t, kind) && dv_topology_renumber(t, kind, numbers) == DV_OK;
  case DV_MOVED:
    return dv_topology_move_points(t, numbers, count, origin) == DV_OK;
  default:
    return false;
  }
}

// the one whose next change came first; NULL when all are through
static Reader *next_of(Reader *readers, size_t count)
{
  Reader *first = NULL;
  uint32_t turn = 0;
  for (size_t i = 0; i < count; i++) {
    Reader *r = &readers[i];
    const int32_t *words = r->journal->words.data + r->word;
    if (r->word >= r->journal->words.count) continue;
    uint32_t own = r->journal->words.count - r->word >= ENTRY ? (uint32_t)words[ENTRY - 1] : 0;
    if (first && own >= turn) continue;
    first = r;
    turn = own;
  }
  return first;
}

dvStatus dv_topologies_replay(dvScene *scene, dvReplay *replays, size_t count, dvText *why)
{
  for (size_t i = 0; i < count; i++) {
    Reader *r = &replays[i];
    const dvJournal *own = dv_topology_journal(r->topology);
    r->word = own ? own->words.count : 0;
    r->real = own ? own->reals.count : 0;
    if (!own || dv_journal_begins(own, r->journal)) continue;
    dv_text_printf(why, "the mesh %s has changed in another way here: read the scene again first",
                   r->topology->base.name);
    return DV_ERROR_INPUT;
  }
  for (Reader *r; (r = next_of(replays, count));) {
    if (r->journal->words.count - r->word >= ENTRY) scene->turn = (uint32_t)r->journal->words.data[r->word + ENTRY - 1];
    if (replay_one(r->topology, r)) continue;
    dv_text_printf(why, "changes of the mesh %s cannot be made: read the scene again", r->topology->base.name);
    return DV_ERROR_INPUT;
  }
  return DV_OK;
}
