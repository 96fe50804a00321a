// See hostile.h.
#include "support/hostile.h"

#include "base/text.h"
#include "divan/divan.h"
#include "support/check.h"
#include "support/scene.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- values ---

static const char *const numbers[] = {"nan",    "inf", "-inf",       "-1",          "0",      "1e300",
                                      "-1e300", "1e9", "2147483648", "-2147483648", "1e-300", "words"};
static const char *const words[] = {
    "",  "nothing",   "@nowhere", "@/",  "@..",  "@dofs",          "@.",         "%s%n%s", "..",
    "/", "/dev/null", "t^t^t",    "1/0", "sin(", "-1e300*t/0*1e9", "\xff\xfe<&>"};

// the values for a field: all numbers it holds, one of them, none, too many
static void text_of(const dvFieldDesc *d, const char *value, int form, dvText *out)
{
  out->length = 0;
  int width = d->width > 0 ? d->width : 1;
  int many = form == 0 ? width : form == 1 ? 1 : 4 * width + 1;
  for (int i = 0; i < many; i++) dv_text_printf(out, "%s ", form == 1 && i > 0 ? "1" : value);
  if (form == 1)
    for (int i = 1; i < width; i++) dv_text_add(out, "1 ");
}

static bool is_text(const dvFieldDesc *d)
{
  return d->type == DV_T_STRING || d->type == DV_T_FILE || d->type == DV_T_STRINGS || d->type == DV_T_LINK ||
         d->type == DV_T_LINKS || d->type == DV_T_CHOICE || d->type == DV_T_BOOL;
}

// --- one case ---

typedef struct Finite {
  dvVisitor visitor;
  const dvField *given;
  char *bad;   // what is no number; NULL when all are
} Finite;

static bool finite_field(const dvField *f)
{
  const double *data = f->value;
  size_t count = f->desc->type == DV_T_REAL ? 1 : (size_t)f->desc->width;
  if (f->desc->type == DV_T_REALS || f->desc->type == DV_T_COORDS || f->desc->type == DV_T_DERIVS) {
    const dvReals *r = f->value;
    data = r->data, count = r->count;
  } else if (f->desc->type != DV_T_REAL && f->desc->type != DV_T_VEC) return true;
  for (size_t i = 0; i < count; i++)
    if (!isfinite(data[i])) return false;
  return true;
}

// fields that a component makes; those that are given belong to who gave them
static dvWalk look_at(dvVisitor *v, dvNode *node)
{
  Finite *w = (Finite *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    for (int k = 0; k < o->field_count && !w->bad; k++) {
      const dvField *f = &o->fields[k];
      bool made = f->desc->flags & (DV_READ_ONLY | DV_OUTPUT) || !f->was_set;
      if (made && f != w->given && !o->failed && !finite_field(f))
        w->bad = dv_format("%s.%s", o->name, dv_field_name(f->desc));
    }
  }
  return DV_WALK_ON;
}

char *hostile_bad_field(dvScene *scene, const dvField *given)
{
  Finite w = {.visitor = {.top_down = look_at}, .given = given};
  dv_visit(scene->root, &w.visitor);
  return w.bad;
}

typedef struct Tally {
  HostileRule rule;
  int cases, silent;
  const char *only;
} Tally;

static void keep_text(void *user, const dvMessage *m)
{
  dv_text_printf(user, "%s %s %s\n", m->path ? m->path : "", m->text, m->advice ? m->advice : "");
}

dvScene *hostile_open(const char *text)
{
  dvContext *c = dv_divan_create(1);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "hostile.scn", text, strlen(text), &s), DV_OK);
  c->log.threshold = (dvLevel)(DV_ERROR + 1);   // counted, not printed
  return s;
}

static int warnings_of(const dvScene *s)
{
  return atomic_load(&s->context->log.counts[DV_WARNING]) + atomic_load(&s->context->log.counts[DV_ERROR]);
}

// A run with one value: `running` gives it after the first step, which is refused or taken; it goes on with what was
// there. False when numbers are none or a step fails, and nobody is told why.
static bool try_value(const HostileCase *c, const char *path, const char *field, const char *value, bool running,
                      Tally *t)
{
  dvScene *s = hostile_open(c->text);
  dvText said = {0};
  dv_text_add(&said, "");
  s->context->log.sink = keep_text;
  s->context->log.user = &said;
  s->context->log.threshold = DV_WARNING;
  dvObject *o = check_find(s, path);
  clock_t begin = clock();
  if (running) assert_int_equal(dv_scene_init(s), DV_OK);
  check_steps(s, running);
  dvField *f = dv_object_field(o, field);
  int set = divan_set(s, path, field, value);
  if (set == DV_OK && !running) set = dv_scene_init(s);
  int status = set == DV_OK || running ? DV_OK : set;
  for (int i = 0; i < 3 && status == DV_OK; i++) status = dv_scene_step(s, 0);
  char *bad = hostile_bad_field(s, f);
  bool named = strstr(said.text, field) || strstr(said.text, o->name), wrong = bad || status != DV_OK,
       good = t->rule == HOSTILE_NAMED ? !wrong || named : !bad || set != DV_OK || warnings_of(s) > 0;
  if (!good)
    print_error("%s.%s = '%.60s'%s: %s, and nothing is said of it\n%s", path, field, value,
                running ? " while it runs" : "", bad ? bad : "a step fails", said.text);
  if (t->only)
    print_message("%s.%s = '%.60s'%s: set %d, status %d, %s\n%s", path, field, value, running ? " later" : "", set,
                  status, bad ? bad : "all numbers", said.text);
  double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
  if (took > 2) print_message("%s.%s = '%.60s'%s took %.1f s\n", path, field, value, running ? " later" : "", took);
  dv_free(bad);
  check_close_scene(&s);
  dv_text_free(&said);
  return good;
}

// a field that the class has itself, not those of its role or of all objects
static bool is_own(const dvObject *o, const dvFieldDesc *d)
{
  const dvFieldBlock *own = NULL;
  for (size_t b = 0; b < DV_COUNT(o->cls->blocks) && o->cls->blocks[b]; b++) own = o->cls->blocks[b];
  return own && d >= own->fields && d < own->fields + own->count;
}

static void walk_fields(const HostileCase *c, const char *path, int stride, Tally *t)
{
  dvScene *s = hostile_open(c->text);
  const dvObject *o = check_find(s, path);
  dvText value = {0};
  if (t->only) stride = 1;
  for (int k = 0; k < o->field_count; k++) {
    const dvFieldDesc *d = o->fields[k].desc;
    char *full = dv_format("%s.%s", o->cls->name, dv_field_name(d));
    bool wanted = !t->only || strstr(full, t->only);
    dv_free(full);
    if (!wanted || !is_own(o, d) || d->flags & (DV_READ_ONLY | DV_OUTPUT)) continue;
    int count = d->type == DV_T_BOOL ? 3 : is_text(d) ? (int)DV_COUNT(words) : 3 * (int)DV_COUNT(numbers);
    for (int n = k % stride; n < count; n += stride) {
      if (is_text(d)) value.length = 0, dv_text_add(&value, words[n]);
      else if (n >= (int)DV_COUNT(numbers) && d->type != DV_T_VEC && d->type < DV_T_REALS) break;
      else text_of(d, numbers[n % (int)DV_COUNT(numbers)], n / (int)DV_COUNT(numbers), &value);
      for (int running = 0; running < 2; running++, t->cases++)
        t->silent += !try_value(c, path, dv_field_name(d), value.text, running, t);
    }
  }
  dv_text_free(&value);
  check_close_scene(&s);
}

void hostile_walk(const HostileCase *cases, size_t count, HostileRule rule, int stride)
{
  Tally t = {.rule = rule, .only = getenv("DIVAN_TEST_FIELD")};
  for (size_t i = 0; i < count; i++) {
    char names[200], *rest = names;
    snprintf(names, sizeof names, "%s", cases[i].names);
    for (char *name; (name = strtok_r(rest, " ", &rest));) walk_fields(&cases[i], name, stride, &t);
  }
  print_message("%d cases, %d of them go wrong without a word\n", t.cases, t.silent);
  assert_true(t.cases > 0);
  assert_int_equal(t.silent, 0);
}

void hostile_run_as_they_are(const HostileCase *cases, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    dvScene *s = check_scene(cases[i].text, 1);
    check_steps(s, 4);
    assert_int_equal(warnings_of(s), 0);
    check_close_scene(&s);
  }
}
