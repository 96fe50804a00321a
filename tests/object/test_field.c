// Fields: reading, printing, sharing of linked storage, lazy engines, cycles.
#include "support/check.h"

#include "object/context.h"
#include "scene/node.h"

#include <string.h>

#define PROBE_FIELDS(X)                                                      \
  X(bool, flag, "0", "", "a switch")                                         \
  X(int, number, "7", "", "a number", .alias = "count n")                    \
  X(real, size, "0.5", "m", "a length", .alias = "n")                        \
  X(string, text, "hello", "", "a text")                                     \
  X(choice, method, "large", "", "a choice", .options = "small|large|polar") \
  X(vec3, where, "1 2 3", "m", "a point")                                    \
  X(color, tint, "red", "", "a colour")                                      \
  X(ivec3, n3, "2 2 2", "", "sizes")                                         \
  X(vec3s, points, "", "m", "points", .flags = DV_INPUT)                     \
  X(indices, indices, "", "", "indices")                                     \
  X(tetrahedra, tetrahedra, "", "", "elements")                              \
  X(strings, words, "", "", "words")                                         \
  X(coords, position, "", "m", "coordinates")                                \
  X(vec3s, doubled, "", "m", "twice the points", .flags = DV_OUTPUT)         \
  X(link, other, "", "", "another one")

typedef struct Probe {
  dvObject base;
  PROBE_FIELDS(DV_MEMBER)
  int updates;
} Probe;
#define SELF Probe
static const dvFieldDesc probe_fields[] = {PROBE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus probe_update(dvObject *o)
{
  Probe *p = (Probe *)o;
  p->updates++;
  assert_true(dv_reals_resize(&p->doubled, p->points.count));
  for (size_t i = 0; i < p->points.count; i++) p->doubled.data[i] = 2 * p->points.data[i];
  return DV_OK;
}

static const dvClass probe_class = {
    .struct_size = sizeof(dvClass),
    .name = "Probe",
    .dofs = DV_DOF_ALL,
    .size = sizeof(Probe),
    .blocks = {&dv_object_block, DV_BLOCK(probe_fields)},
    .update = probe_update,
};

static dvContext *context;
static Probe *probe(const char *name)
{
  return (Probe *)dv_object_create(context, &probe_class, name, dv_dof(DV_VEC3));
}
static void done(Probe **p)
{
  dvObject *o = &(*p)->base;
  dv_object_destroy(&o);
  *p = NULL;
}
static dvStatus parse(Probe *p, const char *field, const char *text)
{
  dvField *f = dv_object_field(&p->base, field);
  assert_non_null(f);
  return dv_field_parse(f, text, NULL);
}
static void check_text(Probe *p, const char *field, const char *wanted)
{
  dvText t = {0};
  dv_field_print(dv_object_field(&p->base, field), &t);
  assert_string_equal(t.text, wanted);
  dv_text_free(&t);
}

static void defaults_and_printing(void **state)
{
  DV_UNUSED(state);
  Probe *p = probe("a");
  check_text(p, "flag", "0");
  check_text(p, "number", "7");
  check_text(p, "size", "0.5");
  check_text(p, "text", "hello");
  check_text(p, "method", "large");
  check_text(p, "where", "1 2 3");
  check_text(p, "tint", "1 0 0 1");
  check_text(p, "n3", "2 2 2");
  check_text(p, "points", "");
  assert_false(dv_was_set(&p->base, &p->number));
  done(&p);
}

static void reads_every_type(void **state)
{
  DV_UNUSED(state);
  Probe *p = probe("a");
  assert_int_equal(parse(p, "flag", "true"), DV_OK);
  assert_true(p->flag);
  assert_int_equal(parse(p, "number", " 12 "), DV_OK);
  assert_int_equal(p->number, 12);
  assert_true(dv_was_set(&p->base, &p->number));
  assert_int_equal(parse(p, "method", "polar"), DV_OK);
  assert_int_equal(p->method, 2);
  assert_int_equal(parse(p, "indices", "0-3 7 9-5-2 10"), DV_OK);
  check_text(p, "indices", "0 1 2 3 7 9 7 5 10");
  assert_int_equal(parse(p, "points", "1,2,3 [4 5 6]"), DV_OK);
  assert_int_equal(dv_reals_size(&p->points), 2);
  check_text(p, "points", "1 2 3 4 5 6");
  assert_int_equal(parse(p, "tint", "#ff8000"), DV_OK);
  check_close(p->tint[1], 128 / 255.0, 1e-15);
  assert_int_equal(parse(p, "tint", "0.1 0.2 0.3"), DV_OK);
  check_close(p->tint[3], 1, 0);
  assert_int_equal(parse(p, "words", "one two  three"), DV_OK);
  assert_int_equal(p->words.count, 3);
  check_text(p, "words", "one two three");
  assert_int_equal(parse(p, "words", "['one two', 'three','']"), DV_OK);
  assert_int_equal(p->words.count, 3);
  assert_string_equal(p->words.data[0], "one two");
  check_text(p, "words", "['one two','three','']");
  assert_int_equal(parse(p, "where", "4 5"), DV_OK);   // the first places
  check_close(p->where[2], 3, 0);
  done(&p);
}

static void refuses_bad_values_and_keeps_the_old(void **state)
{
  DV_UNUSED(state);
  Probe *p = probe("a");
  assert_int_equal(parse(p, "number", "1.5"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "number", "99999999999"), DV_ERROR_INPUT);
  assert_int_equal(p->number, 7);
  assert_int_equal(parse(p, "size", "nan"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "size", "1 2"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "points", "1 2 inf"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "points", "1 2 x"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "indices", "0-99999999999"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "indices", "0-900000000"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "indices", "0-3000000 0-3000000"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "method", "huge"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "flag", "maybe"), DV_ERROR_INPUT);
  assert_int_equal(parse(p, "tint", "reddish"), DV_ERROR_INPUT);
  assert_int_equal(p->points.count, 0);
  done(&p);
}

static void one_alias_sets_several_fields(void **state)
{
  DV_UNUSED(state);
  Probe *p = probe("a");
  assert_int_equal(dv_object_set(&p->base, "n", "3"), DV_OK);
  assert_int_equal(p->number, 3);
  check_close(p->size, 3, 0);
  assert_ptr_equal(dv_object_field(&p->base, "count")->value, &p->number);
  done(&p);
}

static void width_follows_the_template(void **state)
{
  DV_UNUSED(state);
  Probe *p = probe("a");
  dv_object_set_dof(&p->base, dv_dof(DV_RIGID3));
  assert_int_equal(parse(p, "position", "0 0 0 0 0 0 1"), DV_OK);
  assert_int_equal(dv_reals_size(&p->position), 1);
  assert_int_equal(parse(p, "position", "0 0 0 0 0 0 1 5 5"), DV_OK);   // whole frames only
  assert_int_equal(p->position.count, 7);
  done(&p);
}

static void linked_fields_share_storage_until_written(void **state)
{
  DV_UNUSED(state);
  Probe *a = probe("a"), *b = probe("b"), *c = probe("c");
  assert_int_equal(parse(a, "points", "1 2 3 4 5 6"), DV_OK);
  dvField *fa = dv_field_of(&a->base, &a->points), *fb = dv_field_of(&b->base, &b->points),
          *fc = dv_field_of(&c->base, &c->points);
  assert_int_equal(dv_field_link(fb, fa, NULL), DV_OK);
  assert_int_equal(dv_field_link(fc, fb, NULL), DV_OK);
  size_t copies = dv_buffer_copies();
  assert_int_equal(dv_field_pull(fc), DV_OK);
  assert_ptr_equal(a->points.data, b->points.data);
  assert_ptr_equal(a->points.data, c->points.data);
  assert_int_equal(dv_buffer_copies(), copies);
  dv_reals_edit(&b->points)[0] = 99;   // the one copy
  assert_int_equal(dv_buffer_copies(), copies + 1);
  assert_ptr_not_equal(a->points.data, b->points.data);
  check_close(a->points.data[0], 1, 0);
  dv_reals_edit(&b->points)[1] = 98;   // already its own
  assert_int_equal(dv_buffer_copies(), copies + 1);
  done(&a), done(&b), done(&c);
}

static void a_change_reaches_linked_fields_when_pulled(void **state)
{
  DV_UNUSED(state);
  Probe *a = probe("a"), *b = probe("b");
  dvField *fb = dv_field_of(&b->base, &b->number);
  assert_int_equal(dv_field_link(fb, dv_field_of(&a->base, &a->number), NULL), DV_OK);
  a->number = 41;
  dv_touch(&a->base, &a->number);
  assert_int_equal(b->number, 7);
  dv_field_pull(fb);
  assert_int_equal(b->number, 41);
  uint32_t counter = fb->counter;
  dv_field_pull(fb);
  assert_int_equal(fb->counter, counter);
  done(&a), done(&b);
}

static void engines_run_only_when_read_and_changed(void **state)
{
  DV_UNUSED(state);
  Probe *engine = probe("engine"), *reader = probe("reader");
  assert_int_equal(parse(engine, "points", "1 2 3"), DV_OK);
  dvField *read = dv_field_of(&reader->base, &reader->points);
  assert_int_equal(dv_field_link(read, dv_field_of(&engine->base, &engine->doubled), NULL), DV_OK);
  assert_int_equal(engine->updates, 0);
  dv_field_pull(read);
  dv_field_pull(read);
  assert_int_equal(engine->updates, 1);
  check_close(reader->points.data[2], 6, 0);
  assert_int_equal(parse(engine, "points", "5 5 5"), DV_OK);
  assert_int_equal(engine->updates, 1);
  dv_field_pull(read);
  assert_int_equal(engine->updates, 2);
  check_close(reader->points.data[0], 10, 0);
  done(&engine), done(&reader);
}

static void cycles_are_refused(void **state)
{
  DV_UNUSED(state);
  Probe *a = probe("a"), *b = probe("b");
  dvField *fa = dv_field_of(&a->base, &a->points), *fb = dv_field_of(&b->base, &b->points);
  dvField *out = dv_field_of(&b->base, &b->doubled);
  assert_int_equal(dv_field_link(fa, fa, NULL), DV_ERROR_INPUT);
  assert_int_equal(dv_field_link(fb, fa, NULL), DV_OK);
  dvText why = {0};
  assert_int_equal(dv_field_link(fa, fb, &why), DV_ERROR_INPUT);
  assert_non_null(strstr(why.text, "cycle"));
  assert_int_equal(dv_field_link(fa, out, NULL), DV_ERROR_INPUT);   // through the engine of b
  dv_text_free(&why);
  done(&a), done(&b);
}

static void values_convert_between_types(void **state)
{
  DV_UNUSED(state);
  Probe *a = probe("a"), *b = probe("b");
  dv_object_set_dof(&b->base, dv_dof(DV_RIGID3));
  assert_int_equal(parse(a, "points", "1 2 3 4 5 6"), DV_OK);
  assert_int_equal(dv_field_copy(dv_field_of(&b->base, &b->position), dv_field_of(&a->base, &a->points), NULL), DV_OK);
  assert_int_equal(b->position.count, 14);
  check_close(b->position.data[6], 1, 0);
  check_close(b->position.data[7], 4, 0);
  assert_int_equal(dv_field_copy(dv_field_of(&b->base, &b->text), dv_field_of(&a->base, &a->number), NULL), DV_OK);
  assert_string_equal(b->text, "7");
  assert_int_equal(dv_field_copy(dv_field_of(&b->base, &b->number), dv_field_of(&a->base, &a->text), NULL),
                   DV_ERROR_INPUT);
  done(&a), done(&b);
}

static void a_class_lacks_what_its_role_needs(void **state)
{
  DV_UNUSED(state);
  dvMappingOps mapping = {0};
  dvClass cls = {.ops = {[DV_ROLE_MAPPING] = &mapping}};
  assert_string_equal(dv_class_lacks(&cls), "apply");
  cls.ops[DV_ROLE_MAPPING] = NULL;
  assert_null(dv_class_lacks(&cls));
}

static int set_up(void **state)
{
  DV_UNUSED(state);
  context = dv_context_create(1);
  context->log.threshold = DV_ERROR;
  context->log.sink = NULL;
  return 0;
}
static int tear_down(void **state)
{
  DV_UNUSED(state);
  dv_context_destroy(&context);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_and_printing),
      cmocka_unit_test(reads_every_type),
      cmocka_unit_test(refuses_bad_values_and_keeps_the_old),
      cmocka_unit_test(one_alias_sets_several_fields),
      cmocka_unit_test(width_follows_the_template),
      cmocka_unit_test(linked_fields_share_storage_until_written),
      cmocka_unit_test(a_change_reaches_linked_fields_when_pulled),
      cmocka_unit_test(engines_run_only_when_read_and_changed),
      cmocka_unit_test(cycles_are_refused),
      cmocka_unit_test(values_convert_between_types),
      cmocka_unit_test(a_class_lacks_what_its_role_needs),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
