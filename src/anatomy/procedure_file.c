// See procedure_file.h.
#include "anatomy/procedure_file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char own_names[] = "time elapsed steps warnings cost";

typedef struct Reader {
  dvProcedure *p;
  dvProcedureItem *item;   // the one that hint, until, when and cost belong to
  bool in_step;
  int line, score_line;
  dvText *why;
} Reader;

static bool fail(Reader *r, const char *format, ...) DV_PRINTF(2, 3);
static bool fail(Reader *r, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  dv_text_vprintf(r->why, format, args);
  va_end(args);
  return false;
}

static bool is_variable(const char *name)
{
  if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_') return false;
  return !dv_list_has(own_names, name) && !dv_same(name, "pi");
}

static bool read_expression(Reader *r, dvExpression *e, const char *text, const char *names, int line);

// names of all measures so far, in their order
static void list_names(const dvProcedure *p, dvText *names)
{
  for (size_t i = 0; i < p->measures.count; i++) dv_text_printf(names, "%s ", p->measures.data[i].name);
}

// EXPRESSION of the measures before it
static bool read_formula(Reader *r, dvProcedureMeasure *m, const char *text)
{
  dvText names = {0};
  list_names(r->p, &names);
  bool good = read_expression(r, &m->formula, text, names.text ? names.text : "", r->line);
  dv_text_free(&names);
  m->computed = true;
  return good;
}

// NAME PATH.FIELD, NAME PATH.FIELD[3] or NAME = EXPRESSION
static bool read_measure(Reader *r, char *rest)
{
  size_t length = strcspn(rest, " \t");
  if (!rest[length]) return fail(r, "a measure has a name and a field: measure force /Tool/dofs.force[1]");
  rest[length] = 0;
  char *path = rest + length + 1 + strspn(rest + length + 1, " \t"), *bracket = strchr(path, '[');
  dvProcedureMeasure m = {0};
  if (!is_variable(rest)) return fail(r, "'%s' cannot be the name of a measure", rest);
  for (size_t i = 0; i < r->p->measures.count; i++)
    if (dv_same(r->p->measures.data[i].name, rest)) return fail(r, "there are two measures called %s", rest);
  if (r->p->measures.count == DV_PROCEDURE_MOST) return fail(r, "more than %d measures", DV_PROCEDURE_MOST);
  if (*path == '=') {
    bool good = read_formula(r, &m, path + 1);
    m.name = dv_strdup(rest);
    dv_push(&r->p->measures, m);   // it is freed there
    return good;
  }
  if (bracket) {
    const char *s = bracket + 1;
    long long index;
    if (!dv_scan_int(&s, &index) || *s != ']' || s[1] || index < 0 || index > INT32_MAX)
      return fail(r, "'%s' is no place in a list; write [0] and so on", bracket);
    m.index = (long)index;
    *bracket = 0;
  }
  if (!strchr(path, '.')) return fail(r, "'%s' names no field; write path.field", path);
  m.name = dv_strdup(rest);
  m.path = dv_strdup(path[0] == '@' ? path + 1 : path);
  dv_push(&r->p->measures, m);
  return true;
}

enum { STEP, WARNING, FAILURE, ADVICE };

static bool add_item(Reader *r, int kind, const char *text)
{
  static const char *const asked[] = {"what is to be done in this step?", "what is the warning?",
                                      "how does it fail? Say why it ends", "what is the advice?"};
  dvProcedureItems *const lists[] = {&r->p->steps, &r->p->warnings, &r->p->failures, &r->p->advice};
  dvProcedureItems *list = lists[kind];
  if (!*text) return fail(r, "%s", asked[kind]);
  if (list->count == DV_PROCEDURE_MOST) return fail(r, "more than %d of them", DV_PROCEDURE_MOST);
  dv_push(list, ((dvProcedureItem){.text = dv_strdup(text), .line = r->line}));
  r->item = &list->data[list->count - 1];
  r->in_step = kind == STEP;
  return true;
}

// NAME = REST, in two; the name stays in `text`
static char *split_at_equals(char *text)
{
  char *equals = strchr(text, '=');
  if (!equals) return NULL;
  char *rest = equals + 1 + strspn(equals + 1, " \t");
  while (equals > text && dv_is_space(equals[-1])) equals--;
  *equals = 0;
  return *text && *rest ? rest : NULL;
}

// TEXT = EXPRESSION
static bool read_show(Reader *r, dvProcedureItems *list, const char *key, char *rest)
{
  const char *value = split_at_equals(rest);
  if (!value) return fail(r, "write what is shown and its value: %s resected (ml) = 1e6 * resected", key);
  if (list->count == DV_PROCEDURE_MOST) return fail(r, "more than %d of them", DV_PROCEDURE_MOST);
  dvProcedureItem item = {.text = dv_strdup(rest), .condition = dv_strdup(value), .line = r->line};
  dv_push(list, item);
  return true;
}

static bool is_key(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// NAME = KEYS X Y Z
static bool read_hand(Reader *r, char *rest)
{
  char *keys = split_at_equals(rest), *place = keys ? strpbrk(keys, " \t") : NULL;
  if (!place) return fail(r, "write its keys and where it is: hand grasper = LJIKOU x y z");
  *place++ = 0;
  bool good = strlen(keys) == DV_PROCEDURE_KEYS;
  for (const char *k = keys; *k && good; k++) good = is_key(*k);
  if (!good) return fail(r, "'%s' are not six keys; write capital letters or digits, as in LJIKOU", keys);
  for (size_t i = 0; i < r->p->hands.count; i++)
    if (dv_same(r->p->hands.data[i].name, rest)) return fail(r, "there are two hands called %s", rest);
  if (r->p->hands.count == DV_PROCEDURE_MOST) return fail(r, "more than %d of them", DV_PROCEDURE_MOST);
  dvProcedureHand hand = {.name = dv_strdup(rest), .place = {.text = dv_strdup(place), .line = r->line}};
  memcpy(hand.keys, keys, DV_PROCEDURE_KEYS);
  dv_push(&r->p->hands, hand);
  return true;
}

// what a key does under a condition, where it has been given before: TEXT when EXPRESSION
static bool read_other(Reader *r, dvProcedureKey *key, char *text)
{
  char *when = strstr(text, " when ");
  if (key->other || !when || when == text)
    return fail(r, "%c is given twice; say when it does something else: press %c = open the jaws when closed", key->key,
                key->key);
  *when = 0;
  key->other = dv_strdup(text);
  key->when = dv_strdup(when + 6);
  key->line = r->line;
  return true;
}

// KEY = TEXT
static bool read_press(Reader *r, char *rest)
{
  char *text = split_at_equals(rest);
  if (!text || !is_key(rest[0]) || rest[1]) return fail(r, "write a key and what it does: press G = open or close");
  for (size_t i = 0; i < r->p->keys.count; i++)
    if (r->p->keys.data[i].key == rest[0]) return read_other(r, &r->p->keys.data[i], text);
  if (r->p->keys.count == DV_PROCEDURE_MOST) return fail(r, "more than %d of them", DV_PROCEDURE_MOST);
  dvProcedureKey key = {.key = rest[0], .text = dv_strdup(text)};
  dv_push(&r->p->keys, key);
  return true;
}

// HAND = X Y Z NEAR
static bool read_lead(Reader *r, char *rest)
{
  const char *place = split_at_equals(rest);
  if (!place) return fail(r, "write which hand goes where, and how near is there: lead grasper = x y z 0.003");
  if (r->item->lead.text) return fail(r, "there is a second lead");
  for (size_t i = 0; i < r->p->hands.count; i++) {
    if (!dv_same(r->p->hands.data[i].name, rest)) continue;
    r->item->hand = (int)i;
    r->item->lead = (dvProcedurePlace){.text = dv_strdup(place), .line = r->line};
    return true;
  }
  return fail(r, "there is no hand called %s; say 'hand %s = ...' above", rest, rest);
}

// KEY or KEY when EXPRESSION
static bool read_then(Reader *r, char *rest)
{
  char *when = strpbrk(rest, " \t");
  if (r->item->then) return fail(r, "there is a second then");
  if (when) {
    *when++ = 0;
    when += strspn(when, " \t");
    if (strncmp(when, "when ", 5) != 0) return fail(r, "write a key, and when: then G when held < 1");
    r->item->asked = dv_strdup(when + 5);
    r->item->asked_line = r->line;
  }
  for (size_t i = 0; i < r->p->keys.count; i++)
    if (r->p->keys.data[i].key == rest[0] && !rest[1]) {
      r->item->then = rest[0];
      return true;
    }
  return fail(r, "'%s' is no key; say 'press %s = ...' above", rest, *rest ? rest : "G");
}

static bool set_once(Reader *r, char **into, const char *what, const char *text)
{
  if (*into) return fail(r, "there is a second %s", what);
  if (!*text) return fail(r, "%s is empty", what);
  *into = dv_strdup(text);
  return true;
}

static bool read_cost(Reader *r, const char *text)
{
  const char *s = text;
  if (!dv_scan_real(&s, &r->item->cost) || *s || !isfinite(r->item->cost))
    return fail(r, "cost needs a number, not '%s'", text);
  return true;
}

static bool read_line(Reader *r, char *key, char *rest)
{
  static const char *const keys[] = {"title",   "measure", "step", "hint",   "until", "warning",
                                     "failure", "when",    "cost", "score",  "show",  "hand",
                                     "press",   "lead",    "then", "advice", "result"};
  if (dv_same(key, "title")) return set_once(r, &r->p->title, "title", rest);
  if (dv_same(key, "measure")) return read_measure(r, rest);
  if (dv_same(key, "show")) return read_show(r, &r->p->shows, key, rest);
  if (dv_same(key, "result")) return read_show(r, &r->p->results, key, rest);
  if (dv_same(key, "hand")) return read_hand(r, rest);
  if (dv_same(key, "press")) return read_press(r, rest);
  if (dv_same(key, "step")) return add_item(r, STEP, rest);
  if (dv_same(key, "warning")) return add_item(r, WARNING, rest);
  if (dv_same(key, "failure")) return add_item(r, FAILURE, rest);
  if (dv_same(key, "advice")) return add_item(r, ADVICE, rest);
  if (dv_same(key, "score")) {
    r->score_line = r->line;
    return set_once(r, &r->p->score_text, "score", rest);
  }
  bool step = dv_list_has("until lead then", key), warning = dv_list_has("when cost", key), hint = dv_same(key, "hint");
  if (hint && !r->item) return fail(r, "hint belongs below a step, warning or failure");
  if (step || warning || hint) {
    if (!r->item || (!hint && r->in_step != step))
      return fail(r, "%s belongs below a %s", key, step ? "step" : "warning, failure or advice");
    if (dv_same(key, "hint")) return set_once(r, &r->item->hint, "hint", rest);
    if (dv_same(key, "cost")) return read_cost(r, rest);
    if (dv_same(key, "lead")) return read_lead(r, rest);
    if (dv_same(key, "then")) return read_then(r, rest);
    r->item->line = r->line;
    return set_once(r, &r->item->condition, key, rest);
  }
  int near = dv_nearest(key, keys, (int)DV_COUNT(keys));
  return near >= 0 ? fail(r, "'%s' is not known; did you mean '%s'?", key, keys[near])
                   : fail(r, "'%s' is not known", key);
}

// --- expressions ---------------------------------------------------------------------------------

static bool read_expression(Reader *r, dvExpression *e, const char *text, const char *names, int line)
{
  dvText why = {0};
  r->line = line;
  bool good = dv_expression_read(e, text, names, &why);
  if (!good) fail(r, "'%s': %s", text, why.text ? why.text : "it is no expression");
  dv_text_free(&why);
  return good;
}

// so many expressions, parted by blanks
static bool read_place(Reader *r, dvProcedurePlace *place, int wanted, const char *names)
{
  int found = 0;
  bool good = true;
  for (const char *at = place->text + strspn(place->text, " \t"); *at && good; at += strspn(at, " \t")) {
    size_t length = strcspn(at, " \t");
    r->line = place->line;
    if (found == wanted) return fail(r, "'%s' has more than %d expressions", place->text, wanted);
    char *one = dv_strndup(at, length);
    good = read_expression(r, &place->value[found++], one, names, place->line);
    dv_free(one);
    at += length;
  }
  if (good && found < wanted) return fail(r, "'%s' has %d of %d expressions", place->text, found, wanted);
  return good;
}

static bool read_places(Reader *r, const char *names)
{
  dvProcedure *p = r->p;
  bool good = true;
  for (size_t i = 0; i < p->hands.count && good; i++) good = read_place(r, &p->hands.data[i].place, 3, names);
  for (size_t i = 0; i < p->steps.count && good; i++)
    if (p->steps.data[i].lead.text) good = read_place(r, &p->steps.data[i].lead, 4, names);
  for (size_t i = 0; i < p->steps.count && good; i++) {
    dvProcedureItem *s = &p->steps.data[i];
    if (s->asked) good = read_expression(r, &s->asks, s->asked, names, s->asked_line);
  }
  return good;
}

static bool read_items(Reader *r, dvProcedureItem *items, size_t count, const char *names, const char *key)
{
  for (size_t i = 0; i < count; i++) {
    r->line = items[i].line;
    if (!items[i].condition) return fail(r, "'%s' has no '%s'", items[i].text, key);
    if (!read_expression(r, &items[i].expression, items[i].condition, names, items[i].line)) return false;
  }
  return true;
}

static bool read_keys(Reader *r, const char *names)
{
  for (size_t i = 0; i < r->p->keys.count; i++) {
    dvProcedureKey *k = &r->p->keys.data[i];
    if (k->when && !read_expression(r, &k->condition, k->when, names, k->line)) return false;
  }
  return true;
}

static bool read_expressions(Reader *r)
{
  dvText names = {0};
  list_names(r->p, &names);
  dv_text_add(&names, own_names);
  bool good = read_items(r, r->p->steps.data, r->p->steps.count, names.text, "until") &&
              read_items(r, r->p->warnings.data, r->p->warnings.count, names.text, "when") &&
              read_items(r, r->p->failures.data, r->p->failures.count, names.text, "when") &&
              read_items(r, r->p->advice.data, r->p->advice.count, names.text, "when") && read_keys(r, names.text) &&
              read_items(r, r->p->shows.data, r->p->shows.count, names.text, "=") &&
              read_items(r, r->p->results.data, r->p->results.count, names.text, "=") && read_places(r, names.text) &&
              (!r->p->score_text || read_expression(r, &r->p->score, r->p->score_text, names.text, r->score_line));
  dv_text_free(&names);
  return good;
}

// --- all of it -----------------------------------------------------------------------------------

dvStatus dv_procedure_read(dvProcedure *p, const char *text, int *line, dvText *why)
{
  *p = (dvProcedure){0};
  Reader r = {.p = p, .why = why};
  bool good = true;
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;   // editors of Windows begin with it
  for (const char *at = text; *at && good;) {
    size_t length = strcspn(at, "\n");
    char *copy = dv_strndup(at, length), *key = copy;
    r.line++;
    char *hash = strchr(copy, '#');
    if (hash) *hash = 0;
    for (size_t n = strlen(copy); n && dv_is_space(copy[n - 1]);) copy[--n] = 0;
    key += strspn(key, " \t");
    if (*key) {
      size_t word = strcspn(key, " \t");
      char *rest = key[word] ? key + word + 1 : key + word;
      key[word] = 0;
      good = read_line(&r, key, rest + strspn(rest, " \t"));
    }
    dv_free(copy);
    at += length + (at[length] != 0);
  }
  if (good) r.line = 0;
  if (good && !p->steps.count) good = fail(&r, "there is no step");
  good = good && read_expressions(&r);
  *line = r.line;
  return good ? DV_OK : DV_ERROR_INPUT;
}

static void free_place(dvProcedurePlace *place)
{
  dv_free(place->text);
  for (size_t i = 0; i < DV_COUNT(place->value); i++) dv_expression_free(&place->value[i]);
}

static void free_items(dvProcedureItem *items, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    dv_free(items[i].text);
    dv_free(items[i].hint);
    dv_free(items[i].condition);
    dv_expression_free(&items[i].expression);
    free_place(&items[i].lead);
    dv_free(items[i].asked);
    dv_expression_free(&items[i].asks);
  }
}

void dv_procedure_free(dvProcedure *p)
{
  for (size_t i = 0; i < p->measures.count; i++) {
    dv_free(p->measures.data[i].name);
    dv_free(p->measures.data[i].path);
    dv_expression_free(&p->measures.data[i].formula);
  }
  free_items(p->steps.data, p->steps.count);
  free_items(p->warnings.data, p->warnings.count);
  free_items(p->failures.data, p->failures.count);
  free_items(p->advice.data, p->advice.count);
  free_items(p->shows.data, p->shows.count);
  free_items(p->results.data, p->results.count);
  for (size_t i = 0; i < p->hands.count; i++) {
    dv_free(p->hands.data[i].name);
    free_place(&p->hands.data[i].place);
  }
  for (size_t i = 0; i < p->keys.count; i++) {
    dv_free(p->keys.data[i].text), dv_free(p->keys.data[i].other), dv_free(p->keys.data[i].when);
    dv_expression_free(&p->keys.data[i].condition);
  }
  dv_array_free(&p->hands);
  dv_array_free(&p->keys);
  dv_array_free(&p->measures);
  dv_array_free(&p->steps);
  dv_array_free(&p->warnings);
  dv_array_free(&p->failures);
  dv_array_free(&p->advice);
  dv_array_free(&p->shows);
  dv_array_free(&p->results);
  dv_expression_free(&p->score);
  dv_free(p->score_text);
  dv_free(p->title);
  *p = (dvProcedure){0};
}
