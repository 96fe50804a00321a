// Every class of the registry answers through its tables what its fields say; fields that do nothing say so.
#include "support/check.h"
#include "support/scene.h"

#include "mechanics/component.h"

#include <string.h>

typedef void (*Check)(dvObject *o, const dvClass *cls);

static void for_every_class(Check check)
{
  dvContext *c = dv_divan_create(1);
  for (size_t i = 0; i < c->registry.classes.count; i++) {
    const dvClass *cls = c->registry.classes.data[i];
    dvObject *o = dv_object_create(c, cls, "o", NULL);
    check(o, cls);
    dv_object_destroy(&o);
  }
  dv_divan_destroy(&c);
}

static int checked;

static const void *value_of(const dvObject *o, const char *name)
{
  const dvField *f = dv_object_field(o, name);
  return f ? f->value : NULL;
}

static void check_mechanics(dvObject *o, const dvClass *cls)
{
  const dvForceOps *force = cls->ops[DV_ROLE_FORCE];
  const dvMassOps *mass = cls->ops[DV_ROLE_MASS];
  const dvLinearSolverOps *solver = cls->ops[DV_ROLE_LINEAR_SOLVER];
  bool good = true;
  if (force) {
    good = value_of(o, "rayleighStiffness") == (force->rayleigh_stiffness ? force->rayleigh_stiffness(o) : NULL);
    good = good && force->between == (value_of(o, "object2") != NULL);
    good = good && (!value_of(o, "vonMisesPerNode") || force->stress(o) == value_of(o, "vonMisesPerNode"));
  }
  if (mass) good = good && value_of(o, "rayleighMass") == (mass->rayleigh_mass ? mass->rayleigh_mass(o) : NULL);
  if (solver) good = good && value_of(o, "graph") == (solver->residuals ? solver->residuals(o) : NULL);
  if (!good) fail_msg("the tables of %s do not say what its fields say", cls->name);
  checked += force || mass || solver;
}

static void tables_say_what_fields_say(void **state)
{
  (void)state;
  checked = 0;
  for_every_class(check_mechanics);
  assert_true(checked > 80);
}

static void check_mapping(dvObject *o, const dvClass *cls)
{
  static const struct {
    const char *field;
    dvUpward what;
  } rows[] = {{"mapForces", DV_UP_FORCES}, {"mapMasses", DV_UP_MASSES}, {"mapConstraints", DV_UP_CONSTRAINTS}};
  const dvMappingOps *ops = cls->ops[DV_ROLE_MAPPING];
  if (!ops || !ops->hands_up) return;
  for (size_t i = 0; i < DV_COUNT(rows); i++) {
    assert_true(ops->hands_up(o, rows[i].what));
    assert_int_equal(dv_object_set(o, rows[i].field, "0"), DV_OK);
    for (size_t k = 0; k < DV_COUNT(rows); k++)
      if (ops->hands_up(o, rows[k].what) != (k != i)) fail_msg("%s: %s", cls->name, rows[i].field);
    assert_int_equal(dv_object_set(o, rows[i].field, "1"), DV_OK);
  }
  checked++;
}

static void mappings_hand_up_what_they_are_told(void **state)
{
  (void)state;
  checked = 0;
  for_every_class(check_mapping);
  assert_true(checked > 20);
}

// --- fields that do nothing ---

static void check_help(dvObject *o, const dvClass *cls)
{
  for (int i = 0; i < o->field_count; i++) {
    const dvFieldDesc *d = o->fields[i].desc;
    bool says = dv_starts_with(d->help, "no effect: "), is = (d->flags & DV_IDLE) != 0;
    if (says != is) fail_msg("%s.%s: flag and help differ", cls->name, dv_field_name(d));
    checked += is;
  }
}

typedef struct Heard {
  char text[4096];
} Heard;

static void hear(void *user, const dvMessage *m)
{
  Heard *h = user;
  size_t n = strlen(h->text);
  snprintf(h->text + n, sizeof h->text - n, "%s\n", m->text);
}

static void idle_fields_are_told(void **state)
{
  (void)state;
  checked = 0;
  for_every_class(check_help);
  assert_true(checked > 10);
  static const char scene[] =
      "<Node><EulerImplicitSolver solveConstraint='1'/><CGLinearSolver/><TetrahedronSetTopologyContainer/>"
      "<TetrahedronSetTopologyModifier propagateToDOF='0'/><PointSetTopologyModifier propagateToDOF='1'/></Node>";
  Heard heard = {{0}};
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear;
  c->log.user = &heard;
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "test", scene, strlen(scene), &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  static const char *const told[] = {"solveConstraint=\"1\" has no effect: constraints are solved by",
                                     "propagateToDOF=\"0\" has no effect: "};
  for (size_t i = 0; i < DV_COUNT(told); i++)
    if (!strstr(heard.text, told[i])) fail_msg("'%s' is not in:\n%s", told[i], heard.text);
  assert_null(strstr(heard.text, "propagateToDOF=\"1\""));   // set to what it is
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_say_what_fields_say),
      cmocka_unit_test(mappings_hand_up_what_they_are_told),
      cmocka_unit_test(idle_fields_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
