// The C interface after divan_init: a change that a component does not work with is refused with a message, the field
// is as it was, and the scene steps on.
#include "support/check.h"

#include "base/text.h"
#include "divan/divan.h"

#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

static const char scene_text[] =
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'><EulerImplicitSolver name='ode'/><CGLinearSolver name='cg'/>"
    "<MechanicalObject name='frame' template='Rigid3'/><UniformMass name='mass' totalMass='1'/>"
    "<Node name='points'><MechanicalObject name='dofs' position='1 0 0  0 1 0'/><RigidMapping name='map'/></Node>"
    "<Node name='block'><RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/>"
    "<MechanicalObject name='dofs'/><UniformMass totalMass='1'/><HexahedronFEMForceField name='fem' "
    "youngModulus='1000' poissonRatio='0.3'/></Node></Node>";

static int errors;
static void listen(void *user, const divanMessage *m)
{
  DV_UNUSED(user);
  errors += m->level == 3 && m->text && *m->text;
}

static void changes_are_refused(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *path, *field, *text;
  } calls[] = {{"/ode", "linearSolver", ""},
               {"/block/fem", "topology", ""},
               {"/points/map", "initialPoints", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"},
               {"/points/map", "initialPoints", ""},
               {"/points/map", "initialPoints", "1 2"},
               {"/block/fem", "youngModulus", "word"},
               {"/block/fem", "poissonRatio", "7"}};
  dvContext *context = divan_create(1);
  divan_listen(context, listen, NULL);
  dvScene *scene = divan_parse(context, scene_text, strlen(scene_text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  for (size_t i = 0; i < DV_COUNT(calls); i++) {
    char *before = divan_get(scene, calls[i].path, calls[i].field);
    assert_non_null(before);
    errors = 0;
    if (divan_set(scene, calls[i].path, calls[i].field, calls[i].text) == DIVAN_OK)
      fail_msg("%s.%s = '%s' is not refused", calls[i].path, calls[i].field, calls[i].text);
    assert_true(errors > 0);
    char *after = divan_get(scene, calls[i].path, calls[i].field);
    assert_string_equal(before, after);
    divan_free(before), divan_free(after);
    assert_int_equal(divan_step(scene, 0), DIVAN_OK);
  }
  const double grown[9] = {0};
  assert_int_not_equal(divan_set_reals(scene, "/points/map", "initialPoints", grown, 9), DIVAN_OK);
  assert_int_equal(divan_set_reals(scene, "/points/map", "initialPoints", grown, 6), DIVAN_OK);
  assert_int_equal(divan_set(scene, "/block/fem", "youngModulus", "2000"), DIVAN_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
  divan_close(&scene);
  divan_destroy(&context);
}

// a chain of links, and engines whose ways meet again and again
static void long_chains_are_read(void **state)
{
  DV_UNUSED(state);
#ifdef DV_CHECKING   // frames of the stack are several times larger
  enum { LINKS = 5000, WIDE = 60 };
#else
  enum { LINKS = 15000, WIDE = 60 };
#endif
  dvText text = {0};
  dv_text_add(&text, "<Node name='root'>");
  for (int i = 0; i < LINKS; i++) {
    if (i) dv_text_printf(&text, "<TransformEngine name='e%d' input_position='@e%d.output_position'/>", i, i - 1);
    else dv_text_add(&text, "<TransformEngine name='e0' input_position='1 2 3' translation='1 0 0'/>");
  }
  for (int i = 1; i < WIDE; i++)
    dv_text_printf(&text,
                   "<TransformEngine name='w%d' input_position='@%s%d.output_position' "
                   "translation='@%s%d.output_position' rotation='@%s%d.output_position'/>",
                   i, i > 1 ? "w" : "e", i - 1, i > 1 ? "w" : "e", i - 1, i > 1 ? "w" : "e", i - 1);
  dv_text_add(&text, "</Node>");
  dvContext *context = divan_create(1);
  dvScene *scene = divan_parse(context, text.text, text.length);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  char *last = dv_format("/e%d", LINKS - 1);
  check_close(divan_read(scene, last, "output_position", NULL)[0], 2, 0);
  dv_free(last);
  divan_close(&scene);
  divan_destroy(&context);
  dv_text_free(&text);
}

// every topology asks the one before for all of its lists, each of which may have to be derived from the others
static void chains_of_topologies_are_read(void **state)
{
  DV_UNUSED(state);
  enum { LINKS = 250 };
  dvText text = {0};
  dv_text_add(&text, "<Node name='root'><MeshTopology name='t0' position='1 2 3  4 5 6' edges='0 1'/>");
  for (int i = 1; i < LINKS; i++) dv_text_printf(&text, "<MeshTopology name='t%d' src='@t%d'/>", i, i - 1);
  dv_text_add(&text, "</Node>");
  dvContext *context = divan_create(1);
  dvScene *scene = divan_parse(context, text.text, text.length);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  check_close(divan_read(scene, "/t249", "position", NULL)[5], 6, 0);
  divan_close(&scene);
  divan_destroy(&context);
  dv_text_free(&text);
}

// a pointer that is used too late leads to freed memory where a sanitizer looks; read anew it is right everywhere
static void stale_pointers_are_caught(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  dvScene *scene = divan_parse(context, scene_text, strlen(scene_text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  size_t count;
  const double *before = divan_read(scene, "/block/dofs", "position", &count);
  assert_int_equal(count, 24);
  double first[24];
  memcpy(first, before, sizeof first);
  assert_int_equal(divan_set_reals(scene, "/block/dofs", "position", before, count), DIVAN_OK);   // it still holds
  before = divan_read(scene, "/block/dofs", "position", NULL);
  assert_memory_equal(before, first, sizeof first);
  assert_true(divan_read_ints(scene, "/block/grid", "hexahedra", NULL)[0] == 0);
  assert_memory_equal(before, first, sizeof first);   // reading leaves it as it is
  assert_int_equal(divan_step(scene, 0), DIVAN_OK);
#ifdef __SANITIZE_ADDRESS__
  assert_true(__asan_address_is_poisoned(before));
#endif
  before = divan_read(scene, "/block/dofs", "position", NULL);
  assert_true(before[1] < first[1]);
  divan_close(&scene);
  divan_destroy(&context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(changes_are_refused), cmocka_unit_test(long_chains_are_read),
                                     cmocka_unit_test(chains_of_topologies_are_read),
                                     cmocka_unit_test(stale_pointers_are_caught)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
