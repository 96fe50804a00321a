// CollisionResponse: what answers contacts. RuleBasedContactManager: the same, with rules for pairs of models.
//
// For every pair of models in contact there is one response, which lasts as long as they touch. Its kind is what both
// models ask for (contactResponse), what one of them asks for, or `response`; a rule, "first second kind", goes before
// `response`: first and second are a model's name, the number of a group, or *.
#include "collision/collision.h"
#include "collision/register.h"
#include "collision/response/response.h"
#include "object/compat.h"

#include <stdlib.h>
#include <string.h>

#define MANAGER_FIELDS(X)                                                               \
  X(string, response, "", "", "kind of response, PenalityContactForceField by default") \
  X(string, responseParams, "", "", "its parameters, as name=value&name=value")
#define RULE_FIELDS(X)                                                                                \
  X(string, variables, "", "", "values for names that rules have with a $, as name=value&name=value") \
  X(string, rules, "", "", "first model, second model, kind of response: three words a rule")

typedef struct Manager {
  dvObject base;
  MANAGER_FIELDS(DV_MEMBER)
  RULE_FIELDS(DV_MEMBER)
  DV_ARRAY(dvResponse *) active;
  DV_ARRAY(bool) found;
  dvStrings words;   // of the rules
  dvStrings told;    // kinds that do not exist
} Manager;

#define SELF Manager
static const dvFieldDesc manager_fields[] = {MANAGER_FIELDS(DV_DESCRIBE)}, rule_fields[] = {RULE_FIELDS(DV_DESCRIBE)};
#undef SELF

// the value of a name in "a=1&b=2"; its length goes to *length
static const char *value_of(const char *text, const char *name, size_t name_length, size_t *length)
{
  for (const char *at = text; *at; at += strspn(at, "& ")) {
    size_t part = strcspn(at, "& "), key = strcspn(at, "=& ");
    if (key == name_length && at[key] == '=' && strncmp(at, name, key) == 0) {
      *length = part - key - 1;
      return at + key + 1;
    }
    at += part;
  }
  return NULL;
}

double dv_response_number(const dvResponse *r, const char *name, double otherwise)
{
  size_t length;
  const char *value = value_of(r->parameters, name, strlen(name), &length);
  char *end;
  double number = value ? strtod(value, &end) : otherwise;
  return value && end != value + length ? otherwise : number;
}

// --- kinds ---------------------------------------------------------------------------------------

static const struct {
  const char *name;
  const dvClass *cls;
} kinds[] = {{"PenalityContactForceField", &dv_penalty_response_class},
             {"default", &dv_penalty_response_class},
             {"FrictionContactConstraint", &dv_friction_response_class},
             {"FrictionContact", &dv_friction_response_class},
             {"PersistentFrictionContact", &dv_persistent_response_class},
             {"AugmentedLagrangianResponseConstraint", &dv_augmented_response_class},
             {"StickContactConstraint", &dv_stick_response_class},
             {"StickContactForceField", &dv_stick_springs_class}};

// the name in front of its parameters
static bool is_kind(const char *text, const char *name)
{
  size_t length = strcspn(text, "?");
  return strlen(name) == length && strncmp(text, name, length) == 0;
}

static const dvClass *class_of(const char *kind)
{
  for (size_t i = 0; i < DV_COUNT(kinds); i++)
    if (is_kind(kind, kinds[i].name)) return kinds[i].cls;
  return NULL;
}

static void tell_missing(Manager *m, const char *kind)
{
  size_t length = strcspn(kind, "?");
  for (size_t i = 0; i < m->told.count; i++)
    if (is_kind(kind, m->told.data[i])) return;
  dv_strings_push(&m->told, kind, length);
  const char *names[DV_COUNT(kinds)];
  for (size_t i = 0; i < DV_COUNT(kinds); i++) names[i] = kinds[i].name;
  char *name = dv_strndup(kind, length);
  int near = dv_nearest(name, names, (int)DV_COUNT(kinds));
  char *advice = near >= 0 ? dv_format("did you mean %s?", names[near])
                           : dv_format("response=\"PenalityContactForceField\" pushes bodies apart");
  dv_warning(&m->base, advice, "this version computes no contacts of the kind %s: bodies pass through each other",
             name);
  dv_free(advice);
  dv_free(name);
}

// what is written as name=value and means nothing to any kind
static void check_parameters(Manager *m, const char *text)
{
  static const char *const known[] = {"mu", "tol", "epsilon", "apart"};
  for (const char *at = text; *at; at += strspn(at, "& ")) {
    size_t part = strcspn(at, "& "), key = strcspn(at, "=& "), found = DV_COUNT(known);
    for (size_t i = 0; i < DV_COUNT(known); i++)
      if (strlen(known[i]) == key && strncmp(known[i], at, key) == 0) found = i;
    const char *value = at + key + (key < part), *end = value;
    double number;
    if (found == DV_COUNT(known))
      dv_field_warning(&m->base, &m->responseParams, "mu, tol, epsilon and apart are known: responseParams=\"mu=0.5\"",
                       "there is no parameter '%.*s': it is ignored", (int)key, at);
    else if (!dv_scan_real(&end, &number) || end != at + part)
      dv_field_warning(&m->base, &m->responseParams, NULL, "'%.*s' is no number: %s keeps its default",
                       (int)(at + part - value), value, known[found]);
    at += part;
  }
}

static bool matches(const char *word, const dvCollisionModel *m)
{
  char *end;
  long group = strtol(word, &end, 10);
  if (dv_same(word, "*") || dv_same(word, m->base.name)) return true;
  for (size_t i = 0; *word && !*end && i < m->group.count; i++)
    if (m->group.data[i] == group) return true;
  return false;
}

static const char *kind_for(const Manager *m, const dvCollisionModel *a, const dvCollisionModel *b)
{
  const char *first = a->contactResponse, *second = b->contactResponse;
  if (m->base.cls == &dv_rule_based_manager_class && (*first || *second)) return *first ? first : second;
  for (size_t i = 0; i + 3 <= m->words.count; i += 3) {
    char **w = m->words.data + i;
    if ((matches(w[0], a) && matches(w[1], b)) || (matches(w[0], b) && matches(w[1], a))) return w[2];
  }
  if (*first && (!*second || dv_same(first, second))) return first;
  if (*second && !*first) return second;
  return *m->response ? m->response : "default";
}

static const char *parameters_for(const Manager *m, const dvCollisionModel *a, const dvCollisionModel *b)
{
  const char *kind = kind_for(m, a, b);
  if (kind == m->response && *m->responseParams) return m->responseParams;
  size_t length = strcspn(kind, "?");
  return kind + length + (kind[length] == '?');
}

// --- responses -----------------------------------------------------------------------------------

static const dvResponseOps *ops_of(const dvResponse *r) { return dv_ops(&r->base, DV_ROLE_RESPONSE); }

static dvResponse *find_active(Manager *m, const dvContactList *list)
{
  for (size_t i = 0; i < m->active.count; i++)
    if (m->active.data[i]->model[0] == list->model[0] && m->active.data[i]->model[1] == list->model[1]) {
      m->found.data[i] = true;
      return m->active.data[i];
    }
  return NULL;
}

static dvResponse *begin_response(Manager *m, dvLiveGroup *live, const dvContactList *list)
{
  const char *kind = kind_for(m, list->model[0], list->model[1]);
  if (dv_same(kind, "nullptr") || dv_same(kind, "RayContact")) return NULL;   // who looks at rays answers them
  const dvClass *cls = class_of(kind);
  if (!cls) {
    tell_missing(m, kind);
    return NULL;
  }
  dvResponse *r = (dvResponse *)dv_live_take(live, cls, NULL, m->base.node);
  r->model[0] = list->model[0], r->model[1] = list->model[1];
  r->since = m->base.node->scene->step;
  dv_push(&m->active, r);
  dv_push(&m->found, true);
  return r;
}

static void end_others(Manager *m, dvLiveGroup *live)
{
  size_t kept = 0;
  for (size_t i = 0; i < m->active.count; i++) {
    dvResponse *r = m->active.data[i];
    if (m->found.data[i]) {
      m->active.data[kept++] = r;
      continue;
    }
    ops_of(r)->end(&r->base, live);
    dv_live_give(live, &r->base);
  }
  m->active.count = m->found.count = kept;
}

static void count_contacts(const dvContactLists *lists)
{
  for (size_t i = 0; i < lists->used; i++) {
    const dvContactList *l = &lists->lists.data[i];
    l->model[0]->numberOfContacts++;
    if (l->model[0] != l->model[1]) l->model[1]->numberOfContacts++;
  }
}

static dvStatus manager_respond(dvObject *o, dvLiveGroup *live, const dvObject *intersection,
                                const dvContactLists *lists, dvResponses *out)
{
  Manager *m = (Manager *)o;
  dv_array_resize(&m->found, m->active.count);
  for (size_t i = 0; i < m->found.count; i++) m->found.data[i] = false;
  for (size_t i = 0; i < lists->used; i++) {
    const dvContactList *l = &lists->lists.data[i];
    dvResponse *r = find_active(m, l);
    if (!r) r = begin_response(m, live, l);
    if (!r) continue;
    r->list = i;
    r->parameters = parameters_for(m, l->model[0], l->model[1]);
    dv_push(out, r);
  }
  end_others(m, live);   // first: the others take what they need out of the pool
  for (size_t i = 0; i < out->count; i++) {
    dvResponse *r = out->data[i];
    DV_TRY(ops_of(r)->update(&r->base, live, intersection, &lists->lists.data[r->list]));
  }
  count_contacts(lists);
  return DV_OK;
}

static void manager_forget(dvObject *o) { ((Manager *)o)->active.count = 0; }

// --- rules ---------------------------------------------------------------------------------------

static dvStatus rules_init(dvObject *o)
{
  Manager *m = (Manager *)o;
  dv_strings_free(&m->words);
  for (const char *at = m->rules + strspn(m->rules, " \t\r\n"); *at; at += strspn(at, " \t\r\n")) {
    size_t length = strcspn(at, " \t\r\n"), used = length;
    const char *word = at;
    if (*at == '$' && !(word = value_of(m->variables, at + 1, length - 1, &used)))
      return dv_field_error(o, &m->rules, "give it in variables=\"name=value\"", "%.*s has no value", (int)length, at);
    dv_strings_push(&m->words, word, used);
    at += length;
  }
  if (m->words.count % 3)
    dv_field_warning(o, &m->rules, "a rule is: first model, second model, kind of response",
                     "%zu words do not make whole rules of three: the last ones count for nothing", m->words.count);
  return DV_OK;
}

static dvStatus manager_bwd_init(dvObject *o)
{
  Manager *m = (Manager *)o;
  const dvClass *cls = class_of(m->response);
  if (*m->response && !cls) tell_missing(m, m->response);
  check_parameters(m, m->responseParams);
  bool by_forces = cls == &dv_penalty_response_class || cls == &dv_stick_springs_class;
  if (cls && !by_forces) dv_contact_check_corrections(o);
  if (cls == &dv_augmented_response_class) (void)dv_compat(o, DV_COMPAT_AUGMENTED_SLIDING);   // so that it is told
  return DV_OK;
}

static void manager_destroy(dvObject *o)
{
  Manager *m = (Manager *)o;
  dv_array_free(&m->active);
  dv_array_free(&m->found);
  dv_strings_free(&m->words);
  dv_strings_free(&m->told);
}

static const dvContactManagerOps manager_ops = {manager_respond, manager_forget};

const dvClass dv_collision_response_class = {
    .struct_size = sizeof(dvClass),
    .name = "CollisionResponse",
    .help = "what answers contacts",
    .module = "Sofa.Component.Collision.Response.Contact",
    .size = sizeof(Manager),
    .blocks = {&dv_object_block, DV_BLOCK(manager_fields)},
    .ops = {[DV_ROLE_CONTACT_MANAGER] = &manager_ops},
    .bwd_init = manager_bwd_init,
    .destroy = manager_destroy,
};

const dvClass dv_rule_based_manager_class = {
    .struct_size = sizeof(dvClass),
    .name = "RuleBasedContactManager",
    .help = "what answers contacts, by rules for pairs of models",
    .module = "Sofa.Component.Collision.Response.Contact",
    .size = sizeof(Manager),
    .blocks = {&dv_object_block, DV_BLOCK(manager_fields), DV_BLOCK(rule_fields)},
    .ops = {[DV_ROLE_CONTACT_MANAGER] = &manager_ops},
    .bwd_init = manager_bwd_init,
    .init = rules_init,
    .destroy = manager_destroy,
};
