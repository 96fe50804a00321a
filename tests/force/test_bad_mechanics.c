// What is wrong with springs, masses, loads and constraints is told before the first step, with the component and its
// line.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"

#include <string.h>

typedef struct Heard {
  dvText all;   // "line path: text" of warnings and errors
  int errors;
} Heard;

static void hear(void *user, const dvMessage *m)
{
  Heard *h = user;
  if (m->level < DV_WARNING) return;
  h->errors += m->level == DV_ERROR;
  dv_text_printf(&h->all, "%d %s: %s\n", m->place.line, m->path ? m->path : "", m->text);
}

// what is said about a scene whose third line is `content`
static Heard listen(const char *before, const char *content)
{
  Heard h = {{0}, 0};
  dv_text_add(&h.all, "");
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear;
  c->log.user = &h;
  char *text =
      dv_format("<Node dt='0.01'>\n<DefaultAnimationLoop/><EulerExplicitSolver/>%s\n%s\n</Node>", before, content);
  dvScene *s = NULL;
  if (dv_scene_parse(c, "test.scn", text, strlen(text), &s) == DV_OK) dv_scene_init(s);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(text);
  return h;
}

#define TWO "<MechanicalObject name='mo' position='0 0 0  1 0 0'/><UniformMass name='mass' totalMass='1'/>"
#define SAME "<MechanicalObject name='mo' position='0 0 0  0 0 0'/><UniformMass name='mass' totalMass='1'/>"
#define FRAMES                                                                                                       \
  "<MechanicalObject name='mo' template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/><UniformMass name='mass' " \
  "totalMass='1'/>"
#define BARE "<MechanicalObject name='mo' position='0 0 0  1 0 0'/>"
#define SHEET                                                                                               \
  "<MechanicalObject name='mo' position='0 0 0  1 0 0  0 1 0  1 1 0'/><MeshTopology triangles='0 1 2  2 1 " \
  "3'/><UniformMass name='mass' totalMass='1'/>"

static const struct Case {
  const char *before, *content, *wanted;   // wanted: line, path and a part of the message
  bool error;
} cases[] = {
    // springs
    {TWO, "<SpringForceField name='ff' spring='0 0 100 1 0.5'/>", "3 /ff: 1 springs join a point with itself", false},
    {SAME, "<SpringForceField name='ff' spring='0 1 100 1 0.5'/>", "3 /ff: the ends of 1 springs coincide", false},
    {SAME, "<MeshTopology edges='0 1'/><MeshSpringForceField name='ff' linesStiffness='10'/>",
     "3 /ff: the ends of 1 springs coincide", false},
    {TWO, "<SpringForceField name='ff' spring='0 1 -100 1 0.5'/>", "3 /ff: spring 0 (0 1): stiffness -100", false},
    {TWO, "<SpringForceField name='ff' spring='0 1 100 -1 0.5'/>", "damping -1", false},
    {TWO, "<SpringForceField name='ff' spring='0 1 100 1 -0.5'/>", "length -0.5", false},
    {TWO, "<SpringForceField name='ff' spring='0 7 100 1 0.5'/>",
     "3 /ff: spring 0 names point 7 of mo, which has 2 (0 to 1)", true},
    {TWO, "<SpringForceField name='ff' spring='0 1.5 100 1 0.5'/>", "1.5 is not the index of a point", true},
    {TWO, "<SpringForceField name='ff' springsIndices1='0' springsIndices2='1 0'/>",
     "3 /ff: springsIndices1 has 1 entries", false},
    {TWO, "<SpringForceField name='ff' springsIndices1='0' springsIndices2='1' stiffness='1 2 3'/>",
     "3 /ff: stiffness has 3 entries for 1 springs", false},
    {TWO, "<MeshTopology edges='0 1'/><MeshSpringForceField name='ff' linesStiffness='-1'/>",
     "3 /ff: linesStiffness -1 is negative", false},
    {TWO, "<MeshTopology edges='0 1'/><VectorSpringForceField name='ff' stiffness='-1'/>",
     "3 /ff: stiffness -1 is negative", false},
    {TWO, "<RestShapeSpringsForceField name='ff' points='0' stiffness='-5'/>", "3 /ff: stiffness -5 is negative",
     false},
    {TWO, "<RestShapeSpringsForceField name='ff' points='9' stiffness='5'/>",
     "3 /ff: points: entry 0 is 9, but there are 2 points (0 to 1)", true},
    {TWO,
     "<PolynomialSpringsForceField name='ff' firstObjectPoints='0' secondObjectPoints='1' polynomialStiffness='-1' "
     "polynomialDegree='1'/>",
     "3 /ff: polynomialStiffness -1 is negative", false},
    {SHEET, "<TriangularBendingSprings name='ff' stiffness='-1'/>", "3 /ff: stiffness -1 is negative", false},
    {SHEET, "<TriangularQuadraticSpringsForceField name='ff' youngModulus='10' dampingRatio='-1'/>",
     "3 /ff: dampingRatio -1 is negative", false},
    {FRAMES, "<AngularSpringForceField name='ff' indices='5' angularStiffness='1'/>",
     "3 /ff: indices: entry 0 is 5, but there are 2 frames", true},
    {FRAMES, "<AngularSpringForceField name='ff' indices='0' angularStiffness='-1'/>",
     "3 /ff: angularStiffness -1 is negative", false},
    {FRAMES, "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 KS_T 0 -5 END_SPRING'/>",
     "3 /ff: spring 0 has a negative stiffness", false},
    {FRAMES, "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 4 END_SPRING'/>",
     "3 /ff: spring 0 joins frames 0 and 4", true},
    {FRAMES, "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 NONSENSE 3 END_SPRING'/>",
     "3 /ff: spring 0: cannot read 'NONSENSE", true},
    {FRAMES, "<FrameSpringForceField name='ff' spring='BEGIN_SPRING 0 1 KD -5 END_SPRING'/>",
     "3 /ff: spring 0 has a negative stiffness", false},
    {FRAMES, "<GearSpringForceField name='ff' spring='BEGIN_SPRING 0 1 0 9 END_SPRING'/>",
     "3 /ff: gear 0 names a frame that does not exist", true},
    // masses
    {BARE, "<UniformMass name='m' totalMass='-1'/>", "3 /m: totalMass -1 is negative", false},
    {BARE, "<UniformMass name='m' vertexMass='-1'/>", "3 /m: vertexMass -1 is negative", false},
    {BARE, "<UniformMass name='m' totalMass='nan'/>", "totalMass: a finite number expected", true},
    {BARE, "<UniformMass name='m' totalMass='0'/>",
     "2 /EulerExplicitSolver1: /mo: 6 of 6 directions have no mass, the first at point 0", false},
    {BARE, "<UniformMass name='m' indices='0' totalMass='1'/>",
     "/mo: 3 of 6 directions have no mass, the first at point 1", false},
    {BARE, "<UniformMass name='m' indices='4' totalMass='1'/>",
     "3 /m: indices: entry 0 is 4, but there are 2 points (0 to 1)", true},
    {BARE, "", "2 /EulerExplicitSolver1: /mo has no mass: forces do not move it", false},
    {BARE "<MeshTopology edges='0 1'/>", "<DiagonalMass name='m' vertexMass='1 -1'/>",
     "3 /m: vertexMass of point 1 is negative (-1)", false},
    {BARE "<MeshTopology edges='0 1'/>", "<DiagonalMass name='m' massDensity='-1'/>",
     "3 /m: massDensity -1 is negative", false},
    {BARE "<MeshTopology edges='0 1'/>", "<DiagonalMass name='m' vertexMass='1 2 3'/>",
     "3 /m: vertexMass has 3 numbers", false},
    {"<MechanicalObject name='mo' template='Rigid3'/>", "<UniformMass name='m' vertexMass='1 1 -1 0 0 0 1 0 0 0 1'/>",
     "3 /m: the inertia of frame 0 is not symmetric and positive", false},
    {"<MechanicalObject name='mo' template='Rigid3'/>", "<UniformMass name='m' vertexMass='1 1 0 0 0 0 0 0 0 0 0'/>",
     "3 /m: the inertia matrix cannot be inverted", false},
    // loads
    {TWO, "<ConstantForceField name='ff' indices='9' forces='1 0 0'/>",
     "3 /ff: indices: entry 0 is 9, but there are 2 points (0 to 1)", true},
    {TWO, "<ConstantForceField name='ff' indices='0' forces='1 0 0  1 0 0'/>", "3 /ff: 2 forces for 1 points", false},
    {TWO, "<PlaneForceField name='ff' stiffness='-3'/>", "3 /ff: stiffness -3 is negative", false},
    {TWO, "<TrianglePressureForceField name='ff' pressure='1 0 0'/>",
     "3 /ff: TrianglePressureForceField works on the elements of a topology", true},
    {SHEET, "<TrianglePressureForceField name='ff' triangleList='5' pressure='1 0 0'/>",
     "3 /ff: triangleList: entry 0 is 5, but there are 2 triangles", true},
    {TWO, "<UniformVelocityDampingForceField name='ff' dampingCoefficient='-1'/>",
     "3 /ff: dampingCoefficient -1 is negative", false},
    {TWO, "<DiagonalVelocityDampingForceField name='ff'/>", "3 /ff: there is no damping coefficient", true},
    // constraints
    {TWO, "<FixedProjectiveConstraint name='c' indices='0 9'/>",
     "3 /c: indices: entry 1 is 9, but there are 2 points (0 to 1); 1 of 2 entries are left out", false},
    {TWO, "<LinearMovementProjectiveConstraint name='c' indices='0' keyTimes='0 2 1' movements='0 0 0  1 0 0  2 0 0'/>",
     "3 /c: ", false},
    {TWO, "<LinearMovementProjectiveConstraint name='c' indices='0' keyTimes='0 1' movements='0 0 0'/>",
     "3 /c: ", false},
};

static void every_mistake_is_told_with_its_place(void **state)
{
  DV_UNUSED(state);
  int missed = 0;
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Heard h = listen(cases[i].before, cases[i].content);
    if (!strstr(h.all.text, cases[i].wanted) || cases[i].error != (h.errors > 0)) {
      print_error("%s\n  wanted (%s): %s\n  heard: %s\n", cases[i].content, cases[i].error ? "error" : "warning",
                  cases[i].wanted, h.all.text);
      missed++;
    }
    dv_text_free(&h.all);
  }
  assert_int_equal(missed, 0);
}

// nothing is said about a spring of length 0 that holds two objects together, nor about a mass that only moved points
// have
static void what_is_meant_is_not_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *before, *content;
  } good[] = {
      {TWO "<Node name='B'><MechanicalObject name='other' position='0 0 0'/><UniformMass totalMass='1'/></Node>",
       "<SpringForceField object1='@mo' object2='@B/other' spring='0 0 100 1 0'/>"},
      {BARE, "<UniformMass indices='0' totalMass='1'/><FixedProjectiveConstraint indices='1'/>"},
      {TWO, "<EllipsoidForceField vradius='5 5 5' stiffness='-100'/>"},
  };
  for (size_t i = 0; i < DV_COUNT(good); i++) {
    Heard h = listen(good[i].before, good[i].content);
    assert_string_equal(h.all.text, "");
    dv_text_free(&h.all);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_mistake_is_told_with_its_place),
                                     cmocka_unit_test(what_is_meant_is_not_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
