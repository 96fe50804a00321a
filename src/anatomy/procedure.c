// Procedure: a procedure as a game (procedure_file.h): steps with goals, warnings, a score, and a report at the end.
// It ends when the last step is done, or when a failure has happened: then it says which, and is not done.
//
// After each step of time the measures are read. Warnings whose condition has become true count once, until it has been
// false again; failures end it; then the goal of the present step is asked, and of the next ones. What is to be done,
// and what happened, is told as notes, which the viewer shows with the scene's messages, and stands in the fields.
#include "anatomy/procedure_file.h"
#include "anatomy/register.h"
#include "base/file.h"
#include "io/load/loader.h"
#include "io/mesh/write_mesh.h"
#include "scene/node.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define PROCEDURE_FIELDS(X)                                                                                          \
  X(file, filename, "", "", "file with the steps, goals, warnings and score", .flags = DV_INPUT)                     \
  X(string, reportFile, "", "", "file to write the report to at the end; none when not given")                       \
  X(string, title, "", "", "name of the procedure", .flags = DV_READ_ONLY)                                           \
  X(string, instruction, "", "", "what is to be done now", .flags = DV_READ_ONLY)                                    \
  X(string, hint, "", "", "how it is done", .flags = DV_READ_ONLY)                                                   \
  X(string, warning, "", "", "the last warning of this step, or one that still holds", .flags = DV_READ_ONLY)        \
  X(string, report, "", "", "what was done, so far", .flags = DV_READ_ONLY)                                          \
  X(int, step, "0", "", "the present step, counted from 1", .flags = DV_READ_ONLY)                                   \
  X(int, steps, "0", "", "how many there are", .flags = DV_READ_ONLY)                                                \
  X(int, warnings, "0", "", "warnings so far", .flags = DV_READ_ONLY)                                                \
  X(real, score, "0", "", "the score as it is now", .flags = DV_READ_ONLY)                                           \
  X(bool, done, "0", "", "all steps are done", .flags = DV_READ_ONLY)                                                \
  X(bool, failed, "0", "", "it has ended without being done", .flags = DV_READ_ONLY)                                 \
  X(string, reason, "", "", "why it has failed", .flags = DV_READ_ONLY)                                              \
  X(string, values, "", "", "what the file wants shown, a line each", .flags = DV_READ_ONLY)                         \
  X(string, buttons, "", "", "keys of the hands and other keys, a line each: LJIKOU grasper", .flags = DV_READ_ONLY) \
  X(string, led, "", "", "hand that is to be led in this step; none when empty", .flags = DV_READ_ONLY)              \
  X(vec3, mark, "0 0 0", "m", "where to", .flags = DV_READ_ONLY)                                                     \
  X(vec3, way, "0 0 0", "m", "from the hand to there, 0 along an axis on which it is near enough",                   \
    .flags = DV_READ_ONLY)                                                                                           \
  X(string, next, "", "", "key to press now; none when empty", .flags = DV_READ_ONLY)

typedef struct Procedure {
  dvObject base;
  PROCEDURE_FIELDS(DV_MEMBER)
  dvProcedure p;
  char *taken;                          // the file that it was read from
  dvField *fields[DV_PROCEDURE_MOST];   // of the measures that are read
  double value[DV_PROCEDURE_MOST + DV_PROCEDURE_OWN];
  uint64_t others;   // bits of the keys that do now what they do under a condition
  // remembered
  double began;   // when the present step did
  double cost;
  int32_t warned;                                       // the last warning of this step or one that holds, or -1
  int32_t lost;                                         // the failure that has ended it, -1 for none
  double ended[DV_PROCEDURE_MOST];                      // when each step was done
  int32_t told[DV_PROCEDURE_MOST];                      // how often each warning was given
  double shown[DV_PROCEDURE_MOST + DV_PROCEDURE_OWN];   // those of the report
  int32_t active[DV_PROCEDURE_MOST];                    // its condition was true in the last step of time
} Procedure;

#define SELF Procedure
static const dvFieldDesc procedure_fields[] = {PROCEDURE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc procedure_memory[] = {
    DV_REMEMBER(numbers, began) DV_REMEMBER(numbers, cost) DV_REMEMBER(numbers, warned) DV_REMEMBER(numbers, ended)
        DV_REMEMBER(numbers, told) DV_REMEMBER(numbers, shown) DV_REMEMBER(numbers, active) DV_REMEMBER(numbers, step)
            DV_REMEMBER(numbers, warnings) DV_REMEMBER(numbers, score) DV_REMEMBER(numbers, done)
                DV_REMEMBER(numbers, lost) DV_REMEMBER(numbers, failed)};
#undef SELF

// --- measures ------------------------------------------------------------------------------------

// a number of a field; NaN where there is none
static double number_of(const dvField *f, long index)
{
  const void *v = f->value;
  switch (f->desc->type) {
  case DV_T_BOOL:
    return index == 0 ? *(const bool *)v : NAN;
  case DV_T_INT:
  case DV_T_CHOICE:
    return index == 0 ? *(const int32_t *)v : NAN;
  case DV_T_REAL:
    return index == 0 ? *(const double *)v : NAN;
  case DV_T_VEC:
    return index < f->width ? ((const double *)v)[index] : NAN;
  case DV_T_IVEC:
    return index < f->width ? ((const int32_t *)v)[index] : NAN;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    return (size_t)index < ((const dvReals *)v)->count ? ((const dvReals *)v)->data[index] : NAN;
  case DV_T_INTS:
    return (size_t)index < ((const dvInts *)v)->count ? ((const dvInts *)v)->data[index] : NAN;
  default:
    return NAN;
  }
}

static bool is_numeric(const dvField *f)
{
  switch (f->desc->type) {
  case DV_T_BOOL:
  case DV_T_INT:
  case DV_T_CHOICE:
  case DV_T_REAL:
  case DV_T_VEC:
  case DV_T_IVEC:
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
  case DV_T_INTS:
    return true;
  default:
    return false;
  }
}

static void measure(Procedure *p)
{
  size_t n = p->p.measures.count;
  for (size_t i = 0; i < n; i++) {
    const dvProcedureMeasure *m = &p->p.measures.data[i];
    if (m->computed) p->value[i] = dv_expression_value(&m->formula, p->value);
    else p->value[i] = dv_field_pull(p->fields[i]) == DV_OK ? number_of(p->fields[i], m->index) : NAN;
  }
  double time = p->base.node->time;
  const double own[DV_PROCEDURE_OWN] = {time, time - p->began, p->step - 1 + p->done, p->warnings, p->cost};
  memcpy(p->value + n, own, sizeof own);
}

// a value that is not a number is not reached
static bool holds(const Procedure *p, const dvProcedureItem *item)
{
  double value = dv_expression_value(&item->expression, p->value);
  return isfinite(value) && value != 0;
}

// --- what is told --------------------------------------------------------------------------------

static void set_text(Procedure *p, dvString *field, char *text)
{
  dv_free(*field);
  *field = text;
  dv_touch(&p->base, field);
}

static void tell_warning(Procedure *p)
{
  bool any = p->warned >= 0 && p->warned < (int32_t)p->p.warnings.count;
  const dvProcedureItem *w = any ? &p->p.warnings.data[p->warned] : NULL;
  set_text(p, &p->warning, !w ? dv_strdup("") : w->hint ? dv_format("%s. %s", w->text, w->hint) : dv_strdup(w->text));
}

static bool has_ended(const Procedure *p) { return p->done || p->failed; }

static void tell_step(Procedure *p)
{
  tell_warning(p);
  set_text(p, &p->reason, dv_strdup(p->failed ? p->p.failures.data[p->lost].text : ""));
  if (has_ended(p)) {
    char *how = p->failed ? dv_format("Failed: %s", p->reason) : dv_strdup("Done");
    set_text(p, &p->instruction, p->p.score_text ? dv_format("%s. Score: %.4g", how, p->score) : dv_format("%s.", how));
    const char *why = p->failed ? p->p.failures.data[p->lost].hint : NULL;
    set_text(p, &p->hint, dv_format("%s%sBegin anew (R) to try again", why ? why : "", why ? ". " : ""));
    dv_free(how);
    return;
  }
  const dvProcedureItem *s = &p->p.steps.data[p->step - 1];
  set_text(p, &p->instruction, dv_format("Step %d of %d: %s", p->step, p->steps, s->text));
  set_text(p, &p->hint, dv_strdup(s->hint ? s->hint : ""));
}

// hands and keys, a line each; what a key does may change
static void tell_buttons(Procedure *p)
{
  dvText t = {0};
  for (size_t i = 0; i < p->p.hands.count; i++)
    dv_text_printf(&t, "%s%s %s", t.length ? "\n" : "", p->p.hands.data[i].keys, p->p.hands.data[i].name);
  for (size_t i = 0; i < p->p.keys.count; i++) {
    const dvProcedureKey *k = &p->p.keys.data[i];
    dv_text_printf(&t, "%s%c %s", t.length ? "\n" : "", k->key, p->others >> i & 1 ? k->other : k->text);
  }
  set_text(p, &p->buttons, t.text ? dv_text_take(&t) : dv_strdup(""));
}

static void follow_buttons(Procedure *p)
{
  uint64_t others = 0;
  for (size_t i = 0; i < p->p.keys.count; i++)
    if (p->p.keys.data[i].when && dv_expression_value(&p->p.keys.data[i].condition, p->value) > 0)
      others |= (uint64_t)1 << i;
  if (others == p->others) return;
  p->others = others;
  tell_buttons(p);
}

static void change_text(Procedure *p, dvString *field, const char *text)
{
  if (!*field || !dv_same(*field, text)) set_text(p, field, dv_strdup(text));
}

// where the hand is to go in this step, and which key is next
static void tell_way(Procedure *p)
{
  const dvProcedureItem *s = &p->p.steps.data[p->step - 1];
  bool leads = s->lead.text && !has_ended(p), there = true;
  double mark[3] = {0}, way[3] = {0};
  for (int k = 0; k < 3 && leads; k++) {
    mark[k] = dv_expression_value(&s->lead.value[k], p->value);
    way[k] = mark[k] - dv_expression_value(&p->p.hands.data[s->hand].place.value[k], p->value);
    leads = isfinite(way[k]) && isfinite(mark[k]);
  }
  double near = leads ? dv_expression_value(&s->lead.value[3], p->value) : 0;
  for (int k = 0; k < 3; k++) {
    if (!leads) mark[k] = way[k] = 0;
    if (fabs(way[k]) <= near) way[k] = 0;
    there = there && way[k] == 0;
  }
  memcpy(p->mark, mark, sizeof mark), memcpy(p->way, way, sizeof way);
  dv_touch(&p->base, &p->mark), dv_touch(&p->base, &p->way);
  bool asks = !has_ended(p) && there && (!s->asked || dv_expression_value(&s->asks, p->value) > 0);
  char next[2] = {asks ? s->then : 0, 0};
  change_text(p, &p->led, leads ? p->p.hands.data[s->hand].name : "");
  change_text(p, &p->next, next);
}

// as many digits as somebody reads who is busy
static double readable(double value)
{
  if (!isfinite(value)) return value;
  double digit = fabs(value) < 9.995 ? 100 : fabs(value) < 99.95 ? 10 : 1;
  return floor(value * digit + 0.5) / digit;
}

// values that the file wants told, a line each
static void list_values(const dvProcedureItems *list, const double *values, char *text, size_t size)
{
  size_t at = 0;
  text[0] = 0;
  for (size_t i = 0; i < list->count && at + 1 < size; i++) {
    const dvProcedureItem *s = &list->data[i];
    dv_snprintf(text + at, size - at, "%s%s: %.6g", i ? "\n" : "", s->text,
                readable(dv_expression_value(&s->expression, values)));
    at += strlen(text + at);
  }
}

static void tell_values(Procedure *p)
{
  char text[2048];
  list_values(&p->p.shows, p->value, text, sizeof text);
  change_text(p, &p->values, text);
  tell_way(p);
  follow_buttons(p);
}

// what is to be done, as a message
static void note_step(const Procedure *p)
{
  bool hint = p->hint && *p->hint;
  dv_note(&p->base, "%s%s%s%s", p->instruction, hint ? " (" : "", hint ? p->hint : "", hint ? ")" : "");
}

static void write_report(Procedure *p)
{
  dvText t = {0};
  dv_text_printf(&t, "%s\n", p->p.title ? p->p.title : p->base.name);
  for (int i = 0; i < p->steps; i++) {
    bool over = i + 1 < p->step || p->done;
    dv_text_printf(&t, "%d. %s: ", i + 1, p->p.steps.data[i].text);
    if (over) dv_text_printf(&t, "done at %.4g s\n", p->ended[i]);
    else dv_text_add(&t, "not done\n");
  }
  for (size_t i = 0; i < p->p.warnings.count; i++)
    if (p->told[i])
      dv_text_printf(&t, "warning: %s: %d time%s, cost %g\n", p->p.warnings.data[i].text, p->told[i],
                     p->told[i] == 1 ? "" : "s", p->told[i] * p->p.warnings.data[i].cost);
  for (size_t i = 0; i < p->p.warnings.count; i++)
    if (p->told[i] && p->p.warnings.data[i].hint) dv_text_printf(&t, "to do better: %s\n", p->p.warnings.data[i].hint);
  for (size_t i = 0; i < p->p.advice.count && p->done; i++)
    if (dv_expression_value(&p->p.advice.data[i].expression, p->shown) > 0)
      dv_text_printf(&t, "to do better: %s\n", p->p.advice.data[i].text);
  if (p->failed) dv_text_printf(&t, "failed at %.4g s: %s\n", p->ended[p->step - 1], p->p.failures.data[p->lost].text);
  if (p->p.score_text && has_ended(p)) dv_text_printf(&t, "score %.4g\n", p->score);
  const dvProcedureItems *told[] = {&p->p.results, &p->p.shows};
  for (size_t i = 0; i < DV_COUNT(told) && has_ended(p); i++) {
    char text[2048];
    list_values(told[i], p->shown, text, sizeof text);
    if (*text) dv_text_printf(&t, "%s\n", text);
  }
  for (size_t i = 0; i < p->p.measures.count && has_ended(p); i++)
    dv_text_printf(&t, "%s%s = %.6g\n", i ? "" : "\nall measures at the end:\n", p->p.measures.data[i].name,
                   p->shown[i]);
  set_text(p, &p->report, dv_text_take(&t));
}

static void finish(Procedure *p)
{
  dvObject *o = &p->base;
  memcpy(p->shown, p->value, sizeof p->shown);
  write_report(p);
  const char *title = p->p.title ? p->p.title : o->name, *many = p->warnings == 1 ? "" : "s";
  if (p->failed)
    dv_note(o, "%s: failed after %.4g s: %s; %d warning%s, score %.4g", title, o->node->time, p->reason, p->warnings,
            many, p->score);
  else
    dv_note(o, "%s: all steps are done after %.4g s, %d warning%s, score %.4g", title, o->node->time, p->warnings, many,
            p->score);
  if (*p->reportFile && dv_file_replace(p->reportFile, p->report, strlen(p->report)) != DV_OK)
    dv_field_warning(o, &p->reportFile, NULL, "the report cannot be written to %s: %s", p->reportFile, strerror(errno));
}

// --- as time goes on -----------------------------------------------------------------------------

static bool warn_of(Procedure *p)
{
  bool any = false;
  for (size_t i = 0; i < p->p.warnings.count; i++) {
    bool now = holds(p, &p->p.warnings.data[i]);
    if (now && !p->active[i]) {
      p->warnings++;
      p->told[i]++;
      p->warned = (int32_t)i;
      p->cost += p->p.warnings.data[i].cost;
      dv_note(&p->base, "Careful: %s", p->p.warnings.data[i].text);
      any = true;
    }
    p->active[i] = now;
  }
  return any;
}

// the first failure that has happened ends it
static bool fail_of(Procedure *p)
{
  for (size_t i = 0; i < p->p.failures.count; i++) {
    if (!holds(p, &p->p.failures.data[i])) continue;
    p->failed = true;
    p->lost = (int32_t)i;
    p->ended[p->step - 1] = p->base.node->time;
    p->cost += p->p.failures.data[i].cost;
    return true;
  }
  return false;
}

static void count_score(Procedure *p)
{
  if (p->p.score_text) p->score = dv_expression_value(&p->p.score, p->value);
  dv_touch(&p->base, &p->score);
}

static void procedure_event(dvObject *o, const dvEvent *event)
{
  Procedure *p = (Procedure *)o;
  if (event->kind == DV_EVENT_INIT_DONE && !has_ended(p)) {
    measure(p);
    count_score(p);
    tell_values(p);
    note_step(p);
    return;
  }
  if (event->kind != DV_EVENT_ANIMATE_END || has_ended(p)) return;
  measure(p);
  bool changed = warn_of(p);
  if (changed) measure(p);
  if (fail_of(p)) {
    changed = true;
    measure(p);
  }
  while (!has_ended(p) && holds(p, &p->p.steps.data[p->step - 1])) {
    p->ended[p->step - 1] = o->node->time;
    p->began = o->node->time;
    if (p->warned >= 0 && !p->active[p->warned]) p->warned = -1;
    if (p->step == p->steps) p->done = true;
    else p->step++;
    changed = true;
    measure(p);
    if (!p->done) {
      tell_step(p);
      note_step(p);
    }
  }
  count_score(p);
  tell_values(p);
  if (!changed) return;
  dv_touch(o, &p->step), dv_touch(o, &p->warnings), dv_touch(o, &p->done), dv_touch(o, &p->failed);
  tell_step(p);
  if (has_ended(p)) finish(p);
  else write_report(p);
}

static bool procedure_restored(dvObject *o)
{
  Procedure *p = (Procedure *)o;
  if (p->step < 1 || p->step > p->steps || p->warnings < 0) return false;
  if (p->failed && (p->lost < 0 || p->lost >= (int32_t)p->p.failures.count)) return false;
  tell_step(p);
  write_report(p);
  measure(p);
  tell_values(p);
  return true;
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus read_file(Procedure *p, dvProcedure *fresh)
{
  dvObject *o = &p->base;
  char *path = dv_loader_find(o, &p->filename);
  if (!path) return DV_ERROR_INPUT;
  char *text = dv_file_read(path, NULL);
  dvText why = {0};
  int line = 0;
  dvStatus status = DV_OK;
  if (!text) status = dv_field_error(o, &p->filename, NULL, "%s cannot be read: %s", path, dv_file_why());
  else if (dv_procedure_read(fresh, text, &line, &why) != DV_OK)
    status = line ? dv_field_error(o, &p->filename, NULL, "%s:%d: %s", path, line, why.text)
                  : dv_field_error(o, &p->filename, NULL, "%s: %s", path, why.text);
  dv_text_free(&why);
  dv_free(text);
  dv_free(path);
  return status;
}

static dvStatus no_field(Procedure *p, const dvProcedureMeasure *m)
{
  char *proposal = dv_link_propose(&p->base, m->path, DV_ROLE_ANY);
  char *advice = proposal ? dv_format("did you mean %s?", proposal + 1)
                          : dv_strdup("write path.field, as in /Body/liver/parts.resected");
  dvStatus status =
      dv_field_error(&p->base, &p->filename, advice, "measure %s: there is no field %s", m->name, m->path);
  dv_free(advice);
  dv_free(proposal);
  return status;
}

static dvStatus find_fields(Procedure *p, const dvProcedure *fresh, dvField **fields)
{
  dvObject *o = &p->base;
  for (size_t i = 0; i < fresh->measures.count; i++) {
    const dvProcedureMeasure *m = &fresh->measures.data[i];
    if (m->computed) continue;
    char *name = NULL;
    dvObject *owner = dv_link_split(o, m->path, &name);
    dvField *f = owner && name ? dv_object_field(owner, name) : NULL;
    dv_free(name);
    if (!f) return no_field(p, m);
    if (!is_numeric(f))
      return dv_field_error(o, &p->filename, NULL, "measure %s: %s holds no numbers", m->name, m->path);
    fields[i] = f;
  }
  return DV_OK;
}

// a file that cannot be used leaves everything as it is
static dvStatus take_file(Procedure *p)
{
  dvProcedure fresh = {0};
  dvField *fields[DV_PROCEDURE_MOST] = {0};
  dvStatus status = read_file(p, &fresh);
  if (status == DV_OK) status = find_fields(p, &fresh, fields);
  if (status != DV_OK) {
    dv_procedure_free(&fresh);
    return status;
  }
  dv_procedure_free(&p->p);
  p->p = fresh;
  memcpy(p->fields, fields, sizeof fields);
  dv_free(p->taken);
  p->taken = dv_strdup(p->filename);
  return DV_OK;
}

// from the first step on
static void begin(Procedure *p)
{
  dvObject *o = &p->base;
  p->steps = (int32_t)p->p.steps.count;
  p->step = 1;
  p->began = o->node->time;
  p->warned = p->lost = -1;
  p->warnings = 0;
  p->cost = p->score = 0;
  p->done = p->failed = false;
  memset(p->ended, 0, sizeof p->ended);
  memset(p->told, 0, sizeof p->told);
  memset(p->shown, 0, sizeof p->shown);
  memset(p->active, 0, sizeof p->active);
  set_text(p, &p->title, dv_strdup(p->p.title ? p->p.title : o->name));
  p->others = 0;
  tell_buttons(p);
  tell_step(p);
  write_report(p);
}

static dvStatus procedure_init(dvObject *o)
{
  Procedure *p = (Procedure *)o;
  DV_TRY(take_file(p));
  begin(p);
  return DV_OK;
}

// another file is another procedure
static dvStatus procedure_reinit(dvObject *o)
{
  Procedure *p = (Procedure *)o;
  if (p->taken && dv_same(p->taken, p->filename)) return DV_OK;
  DV_TRY(take_file(p));
  begin(p);
  measure(p);
  count_score(p);
  tell_values(p);
  note_step(p);
  return DV_OK;
}

static void procedure_destroy(dvObject *o)
{
  Procedure *p = (Procedure *)o;
  dv_procedure_free(&p->p);
  dv_free(p->taken);
}

const dvClass dv_procedure_class = {
    .struct_size = sizeof(dvClass),
    .name = "Procedure",
    .help = "leads through a procedure: steps with goals, warnings, a score and a report, from a file",
    .module = "Anatomy",
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .size = sizeof(Procedure),
    .blocks = {&dv_object_block, DV_BLOCK(procedure_fields)},
    .presets = "listening=1",
    .bwd_init = procedure_init,
    .reinit = procedure_reinit,
    .handle_event = procedure_event,
    .restored = procedure_restored,
    .destroy = procedure_destroy,
    DV_MEMORY(procedure_memory),
};
