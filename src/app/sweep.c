// Sweeps: variations, measures, journal. See sweep.h.
#include "app/sweep.h"

#include "object/field.h"
#include "scene/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void dv_texts_free(dvTexts *t)
{
  for (size_t i = 0; i < t->count; i++) dv_free(t->data[i]);
  dv_array_free(t);
}

static bool refuse(dvText *why, const char *format, ...) DV_PRINTF(2, 3);
static bool refuse(dvText *why, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  dv_text_vprintf(why, format, args);
  va_end(args);
  return false;
}

// "PATH.FIELD" at its last point; a path that is empty is the root's
static bool split_name(const char *text, size_t length, char **path, char **field)
{
  size_t dot = length;
  while (dot > 0 && text[dot - 1] != '.') dot--;
  if (dot == 0 || dot == length) return false;
  *path = dot == 1 ? dv_strdup("/") : dv_strndup(text, dot - 1);
  *field = dv_strndup(text + dot, length - dot);
  return true;
}

// --- variations ----------------------------------------------------------------------------------

static bool whole_real(const char *text, double *out)
{
  const char *s = text;
  return dv_scan_real(&s, out) && !*s;
}

// A:B:lin20
static bool fill_range(dvSweepVariation *v, const char *spec, dvText *why)
{
  const char *s = spec;
  double a, b;
  long long n = 0;
  bool good = dv_scan_real(&s, &a) && *s++ == ':' && dv_scan_real(&s, &b) && *s++ == ':';
  v->logarithmic = good && dv_starts_with(s, "log");
  if (!good || (!v->logarithmic && !dv_starts_with(s, "lin")))
    return refuse(why, "'%s' is no range; write 1e3:1e5:log20, 0:1:lin11, or values with commas between them", spec);
  s += 3;
  if (!dv_scan_int(&s, &n) || *s || n < 1 || n > DV_SWEEP_LIMIT)
    return refuse(why, "'%s' says no number of values; lin or log is followed by one from 1 to %d, as in 0:1:lin11",
                  spec, DV_SWEEP_LIMIT);
  if (!isfinite(a) || !isfinite(b)) return refuse(why, "'%s' has an end that is not finite", spec);
  if (v->logarithmic && !(a * b > 0))
    return refuse(why, "'%s': equal ratios need two ends of the same sign, neither of them 0; use lin", spec);
  v->numeric = true;
  for (long long i = 0; i < n; i++) {
    const double part = n > 1 ? (double)i / (double)(n - 1) : 0;
    const double value = i == 0 ? a : i == n - 1 ? b : v->logarithmic ? a * pow(b / a, part) : a + (b - a) * part;
    dv_push(&v->values, dv_format("%.12g", value));
  }
  return true;
}

static bool fill_list(dvSweepVariation *v, const char *spec, dvText *why)
{
  v->numeric = true;
  for (const char *s = spec;; s++) {
    size_t length = strcspn(s, ",");
    char *value = dv_strndup(s, length);
    double number;
    if (!whole_real(value, &number)) v->numeric = false;
    dv_push(&v->values, value);
    if (!length) return refuse(why, "'%s' has an empty value; separate values by single commas", spec);
    if (strpbrk(value, "\t\n\r")) return refuse(why, "a value has a tab or an end of line in it");
    if (v->values.count > DV_SWEEP_LIMIT) return refuse(why, "more than %d values", DV_SWEEP_LIMIT);
    s += length;
    if (!*s) return true;
  }
}

bool dv_sweep_variation_parse(dvSweepVariation *v, const char *text, dvText *why)
{
  *v = (dvSweepVariation){0};
  const char *equal = strchr(text, '=');
  if (!equal || !split_name(text, (size_t)(equal - text), &v->path, &v->field))
    return refuse(why, "'%s' is not PATH.FIELD=VALUES, as in Liver/fem.youngModulus=1e3:1e5:log20", text);
  v->name = dv_strndup(text, (size_t)(equal - text));
  if (strpbrk(v->name, "\t\n\r")) return refuse(why, "a name has a tab or an end of line in it");
  return strchr(equal + 1, ':') ? fill_range(v, equal + 1, why) : fill_list(v, equal + 1, why);
}

void dv_sweep_variation_free(dvSweepVariation *v)
{
  dv_free(v->name), dv_free(v->path), dv_free(v->field);
  dv_texts_free(&v->values);
  *v = (dvSweepVariation){0};
}

// --- measures ------------------------------------------------------------------------------------

static const char *const reductions[] = {"", "max", "min", "mean", "sum", "norm", "moved"};

// takes "[3]" and ".y" off the end of a name
static bool take_selection(dvSweepMeasure *m, char *name, dvText *why)
{
  static const char letters[] = "xyzw";
  size_t length = strlen(name);
  const char *letter = length > 2 && name[length - 2] == '.' ? strchr(letters, name[length - 1]) : NULL;
  if (letter) {
    m->component = (int)(letter - letters);
    name[length - 2] = 0;
  }
  char *bracket = strrchr(name, '[');
  if (!bracket) return true;
  const char *s = bracket + 1;
  long long index;
  if (!dv_scan_int(&s, &index) || !dv_same(s, "]") || index < 0 || index > INT32_MAX)
    return refuse(why, "'%s' is no index; write [0] for the first", bracket);
  m->index = (long)index;
  *bracket = 0;
  return true;
}

static bool split_measure(dvSweepMeasure *m, const char *text, size_t length, dvText *why)
{
  char *name = dv_strndup(text, length);
  bool good = take_selection(m, name, why);
  if (good && m->reduction == DV_SWEEP_MOVED) {
    m->path = dv_strdup(*name ? name : "/");
    m->field = dv_strdup("position");
    if (m->component >= 0) good = refuse(why, "moved() is a distance and has no .x; use PATH.position[I].x");
  } else if (good && !split_name(name, strlen(name), &m->path, &m->field)) {
    good = refuse(why, "'%s' is not PATH.FIELD, as in Liver/dofs.position[12].y", text);
  }
  dv_free(name);
  return good;
}

bool dv_sweep_measure_parse(dvSweepMeasure *m, const char *text, dvText *why)
{
  *m = (dvSweepMeasure){.index = -1, .component = -1};
  const char *equal = strchr(text, '='), *body = equal ? equal + 1 : text, *open = strchr(body, '(');
  m->name = equal ? dv_strndup(text, (size_t)(equal - text)) : dv_strdup(text);
  if (!*m->name || strpbrk(m->name, "\t\n\r")) return refuse(why, "'%s': the result has no proper name", text);
  size_t length = strlen(body);
  if (!open) return split_measure(m, body, length, why);
  char *function = dv_strndup(body, (size_t)(open - body));
  for (size_t i = 1; i < DV_COUNT(reductions); i++)
    if (dv_same(function, reductions[i])) m->reduction = (dvSweepReduction)i;
  bool good = m->reduction != DV_SWEEP_VALUE ||
              refuse(why, "there is no '%s()'; there are max, min, mean, sum, norm and moved", function);
  if (good && body[length - 1] != ')') good = refuse(why, "'%s' ends without )", text);
  dv_free(function);
  return good && split_measure(m, open + 1, (size_t)(body + length - 1 - (open + 1)), why);
}

void dv_sweep_measure_free(dvSweepMeasure *m)
{
  dv_free(m->name), dv_free(m->path), dv_free(m->field);
  *m = (dvSweepMeasure){0};
}

void dv_sweep_measure_usual(const dvScene *scene, dvTexts *out)
{
  for (size_t i = 0; i < scene->plan->independent.count; i++) {
    const dvObject *o = scene->plan->independent.data[i];
    if (!dv_object_field((dvObject *)o, "rest_position")) continue;
    char *path = dv_object_path(o);
    dv_push(out, dv_format("moved(%s)", path[0] == '/' && path[1] ? path + 1 : path));
    dv_free(path);
  }
}

void dv_sweep_tell_missing(dvScene *scene, const char *path, const char *field, dvText *why)
{
  char *link = dv_format("%s.%s", path, field), *proposal = dv_link_propose(&scene->root->base, link, DV_ROLE_ANY);
  dv_text_printf(why, "there is no component or node '%s'", path);
  if (proposal) dv_text_printf(why, "; did you mean %s?", proposal + 1 + (proposal[1] == '/'));
  dv_free(proposal);
  dv_free(link);
}

// the numbers of a field in tuples; the caller frees them
typedef struct Numbers {
  double *data;
  size_t rows, width;
} Numbers;

static bool numbers_of(dvScene *scene, const char *path, const char *field, Numbers *out, dvText *why)
{
  dvObject *o = dv_same(path, "/") ? &scene->root->base : dv_link_find(&scene->root->base, path, DV_ROLE_ANY);
  if (!o) {
    dv_sweep_tell_missing(scene, path, field, why);
    return false;
  }
  dvField *f = dv_object_field(o, field);
  if (!f)
    return refuse(why, "%s (%s) has no field '%s'; `divan info %s` lists them", path, o->cls->name, field,
                  o->cls->name);
  if (dv_field_pull(f) != DV_OK) return refuse(why, "%s.%s cannot be read", path, field);
  const double *reals = NULL;
  const int32_t *ints = NULL;
  size_t count = 0;
  switch (f->desc->type) {
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    reals = ((const dvReals *)f->value)->data, count = ((const dvReals *)f->value)->count;
    break;
  case DV_T_REAL:
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV:
    reals = f->value, count = (size_t)f->width;
    break;
  case DV_T_INTS:
    ints = ((const dvInts *)f->value)->data, count = ((const dvInts *)f->value)->count;
    break;
  case DV_T_INT:
  case DV_T_IVEC:
  case DV_T_CHOICE:
    ints = f->value, count = f->desc->type == DV_T_IVEC ? (size_t)f->width : 1;
    break;
  case DV_T_BOOL:
    out->data = dv_alloc(sizeof(double));
    *out->data = *(const bool *)f->value;
    out->rows = out->width = 1;
    return true;
  default:
    return refuse(why, "%s.%s holds no numbers", path, field);
  }
  out->width = f->width > 0 ? (size_t)f->width : 1;
  out->rows = count / out->width;
  out->data = dv_alloc(dv_max_size(count, 1) * sizeof(double));
  for (size_t i = 0; i < count; i++) out->data[i] = reals ? reals[i] : (double)ints[i];
  return true;
}

static double norm_of(const double *v, size_t width)
{
  double sum = 0;
  for (size_t i = 0; i < width; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

static bool reduce(const dvSweepMeasure *m, const Numbers *n, double *out, dvText *why)
{
  const char *name = m->name;
  if (m->index >= 0 && (size_t)m->index >= n->rows)
    return refuse(why, "%s: there are %zu entries, counted from 0", name, n->rows);
  if (m->component >= 0 && (size_t)m->component >= n->width)
    return refuse(why, "%s: an entry has %zu numbers", name, n->width);
  const size_t first = m->index >= 0 ? (size_t)m->index : 0, last = m->index >= 0 ? first + 1 : n->rows;
  const size_t from = m->component >= 0 ? (size_t)m->component : 0, to = m->component >= 0 ? from + 1 : n->width;
  const size_t count = (last - first) * (to - from);
  if (!count) return refuse(why, "%s: the list is empty", name);
  if (m->reduction == DV_SWEEP_VALUE && count != 1)
    return refuse(why, "%s is %zu numbers: choose one with [I] and .x, or max(), min(), mean(), sum() or norm()", name,
                  count);
  double low = INFINITY, high = -INFINITY, sum = 0, longest = 0;
  for (size_t i = first; i < last; i++) {
    for (size_t k = from; k < to; k++) {
      const double x = n->data[i * n->width + k];
      low = dv_min(low, x), high = dv_max(high, x), sum += x;
    }
    longest = dv_max(longest, norm_of(n->data + i * n->width + from, to - from));
  }
  const double answers[] = {sum, high, low, sum / (double)count, sum, longest, longest};
  *out = answers[m->reduction];
  return true;
}

bool dv_sweep_measure_take(const dvSweepMeasure *m, dvScene *scene, double *out, dvText *why)
{
  Numbers n = {0}, rest = {0};
  bool good = numbers_of(scene, m->path, m->field, &n, why);
  if (good && m->reduction == DV_SWEEP_MOVED) {
    good = numbers_of(scene, m->path, "rest_position", &rest, why);
    if (good && (rest.rows != n.rows || rest.width != n.width))
      good = refuse(why, "%s: the state has another number of points than at rest", m->name);
    n.width = good ? n.width : 1;
    for (size_t i = 0; good && i < n.rows * n.width; i++) n.data[i] -= rest.data[i];
    for (size_t i = 0; good && n.width > 3 && i < n.rows; i++)   // of frames: where they are, not how they are turned
      memset(n.data + i * n.width + 3, 0, (n.width - 3) * sizeof(double));
  }
  good = good && reduce(m, &n, out, why);
  dv_free(n.data);
  dv_free(rest.data);
  return good;
}

// --- the journal ---------------------------------------------------------------------------------

uint64_t dv_sweep_key(const dvSweepVariation *variations, const size_t *chosen, size_t count)
{
  uint64_t key = 0;
  for (size_t i = 0; i < count; i++) {
    const char *value = variations[i].values.data[chosen[i]];
    key = dv_hash_bytes(variations[i].name, strlen(variations[i].name) + 1, key);
    key = dv_hash_bytes(value, strlen(value) + 1, key);
  }
  return key;
}

char *dv_sweep_heading(uint64_t description)
{
  return dv_format("divan sweep journal 1 %016llx\n", (unsigned long long)description);
}

void dv_sweep_row_print(const dvSweepRow *row, dvText *out)
{
  dv_text_printf(out, "%016llx\t%s\t%ld\t%.6g\t%zu", (unsigned long long)row->key, row->status, row->steps,
                 row->seconds, row->results.count);
  for (size_t i = 0; i < row->results.count; i++) {
    dv_text_add(out, "\t");
    dv_text_add_real(out, row->results.data[i]);
  }
  dv_text_add(out, "\t");
  for (const char *c = row->message ? row->message : ""; *c; c++)
    dv_text_add_n(out, (unsigned char)*c < ' ' ? " " : c, 1);
  dv_text_add(out, "\n");
}

void dv_sweep_row_free(dvSweepRow *row)
{
  dv_free(row->status), dv_free(row->message);
  dv_array_free(&row->results);
  *row = (dvSweepRow){0};
}

void dv_sweep_rows_free(dvSweepRows *rows)
{
  for (size_t i = 0; i < rows->count; i++) dv_sweep_row_free(&rows->data[i]);
  dv_free(rows->data);
  dv_array_free(&rows->places);
  *rows = (dvSweepRows){0};
}

// where a key stands, or would stand
static size_t place_of(const dvSweepRows *rows, uint64_t key)
{
  const size_t mask = rows->places.count - 1;
  size_t i = (size_t)(key ^ key >> 29) & mask;
  while (rows->places.data[i] && rows->data[rows->places.data[i] - 1].key != key) i = (i + 1) & mask;
  return i;
}

const dvSweepRow *dv_sweep_find(const dvSweepRows *rows, uint64_t key)
{
  const uint32_t found = rows->count ? rows->places.data[place_of(rows, key)] : 0;
  return found ? &rows->data[found - 1] : NULL;
}

void dv_sweep_add(dvSweepRows *rows, dvSweepRow *row)
{
  if (2 * (rows->count + 1) > rows->places.count) {
    const size_t size = dv_max_size(64, 2 * rows->places.count);
    dv_array_free(&rows->places);
    dv_array_resize(&rows->places, size);
    for (size_t i = 0; i < rows->count; i++) rows->places.data[place_of(rows, rows->data[i].key)] = (uint32_t)(i + 1);
  }
  const size_t place = place_of(rows, row->key);
  if (rows->places.data[place]) {
    dvSweepRow *old = &rows->data[rows->places.data[place] - 1];
    dv_sweep_row_free(old);
    *old = *row;
  } else {
    dv_push(rows, *row);
    rows->places.data[place] = (uint32_t)rows->count;
  }
  *row = (dvSweepRow){0};
}

static bool read_key(const char **s, uint64_t *key)
{
  *key = 0;
  for (int i = 0; i < 16; i++, (*s)++) {
    const char c = **s;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return false;
    *key = *key << 4 | (uint64_t)digit;
  }
  return true;
}

// one line without its end
static bool read_row(const char *line, size_t measures, dvSweepRow *row)
{
  static const char *const known[] = {"ok", "diverged", "failed", "crashed", "timeout"};
  const char *s = line;
  if (!read_key(&s, &row->key) || *s++ != '\t') return false;
  size_t length = strcspn(s, "\t");
  row->status = dv_strndup(s, length);
  bool good = false;
  for (size_t i = 0; i < DV_COUNT(known); i++) good = good || dv_same(row->status, known[i]);
  s += length;
  long long steps, count;
  if (!good || *s++ != '\t' || !dv_scan_int(&s, &steps) || *s++ != '\t' || !dv_scan_real(&s, &row->seconds) ||
      *s++ != '\t' || !dv_scan_int(&s, &count) || steps < 0 || (count != 0 && count != (long long)measures))
    return false;
  if (dv_same(row->status, "ok") && count != (long long)measures) return false;
  row->steps = (long)steps;
  for (long long i = 0; i < count; i++) {
    double value;
    if (*s++ != '\t' || !dv_scan_real(&s, &value)) return false;
    dv_push(&row->results, value);
  }
  if (*s++ != '\t') return false;
  row->message = dv_strdup(s);
  return true;
}

bool dv_sweep_read(const char *text, size_t length, uint64_t description, size_t measures, dvSweepRows *rows,
                   size_t *lost)
{
  char *heading = dv_sweep_heading(description);
  const size_t head = strlen(heading);
  const bool mine = length >= head && memcmp(text, heading, head) == 0;
  dv_free(heading);
  if (!mine) return false;
  for (const char *s = text + head, *end = text + length; s < end;) {
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    if (!stop) {
      (*lost)++;   // cut off
      break;
    }
    char *line = dv_strndup(s, (size_t)(stop - s));
    dvSweepRow row = {0};
    if (!read_row(line, measures, &row)) (*lost)++;
    else dv_sweep_add(rows, &row);
    dv_sweep_row_free(&row);
    dv_free(line);
    s = stop + 1;
  }
  return true;
}
