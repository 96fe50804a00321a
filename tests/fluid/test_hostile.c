// Every field of every component of fluids, with values that nobody should give: before a scene starts, and while it
// runs. Whatever is given, the run ends, memory stays whole, and numbers that are none are told. With
// DIVAN_TEST_FIELD only fields with that word in "component.field"; each case is then named.
#include "base/text.h"
#include "divan/divan.h"
#include "support/check.h"
#include "support/scene.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- scenes: small ones, in which each component is at work ---

typedef struct Case {
  const char *text, *names;   // the components whose fields are walked, by their paths
} Case;

#define PARTICLES                                                                                                    \
  "<Node name='root' dt='0.005' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node "                                   \
  "name='P'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0  0.05 0 0  0.1 0 0  0 0.05 0  0.05 " \
  "0.05 0  0.1 0.05 0  0 0.1 0  0.05 0.1 0  0.1 0.1 0  0 0 0.05  0.05 0 0.05  0.1 0 0.05  0 0.05 0.05  0.05 0.05 "   \
  "0.05  0.1 0.05 0.05  0 0.1 0.05  0.05 0.1 0.05  0.1 0.1 0.05  0 0 0.1  0.05 0 0.1  0.1 0 0.1  0 0.05 0.1  0.05 "  \
  "0.05 0.1  0.1 0.05 0.1  0 0.1 0.1  0.05 0.1 0.1  0.1 0.1 0.1'/><UniformMass vertexMass='0.125'/>"
#define BLOCK                                                                                                        \
  "position='-0.3 -0.3 -0.3  0.3 -0.3 -0.3  0.3 0.3 -0.3  -0.3 0.3 -0.3  -0.3 -0.3 0.3  0.3 -0.3 0.3  0.3 0.3 0.3  " \
  "-0.3 0.3 0.3' quads='0 3 2 1  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7'"

static const Case cases[] = {
    {"<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/><Fluid2D name='f' nx='10' ny='10' "
     "cellwidth='0.1' height='4'/><FluidGridSource name='s' center='0 0.2 0' radius='0.2' velocity='1 0 0' smoke='1' "
     "temperature='10'/><Node name='N'><MechanicalObject name='b' template='Rigid3' position='0 0 0 0 0 0 "
     "1'/><Node name='M'><MeshTopology "
     "name='m' " BLOCK "/><FluidGridObstacle name='o' topology='@m' body='@../b' resolution='8'/></Node></Node></Node>",
     "f s N/M/o"},
    {"<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='8' ny='8' nz='8' "
     "cellwidth='0.1' height='4' surfaceTension='0.07' viscosity='0.1' sampled='1'/></Node>",
     "f"},
    {"<Node name='root' dt='0.02' gravity='0 -9.81 0'><DefaultAnimationLoop/><Fluid3D name='f' nx='8' ny='8' nz='8' "
     "cellwidth='0.1' freeSurface='0' expansion='0.01' smokeWeight='0.1'/><FluidGridSource name='s' radius='0.2' "
     "smoke='1' temperature='10'/></Node>",
     "f s"},
    {PARTICLES
     "<SpatialGridContainer name='g' cellWidth='0.1'/><SPHFluidForceField name='f' radius='0.1' mass='0.125' "
     "density='1000' pressure='10' viscosity='10' surfaceTension='1'/><ParticleSource name='s' center='0 0 0  "
     "0.1 0 0' translation='0 0.4 0' radius='0.01 0 0.01' velocity='0 -1 0' delay='0.005'/><ParticleSink "
     "name='d' normal='0 1 0' d0='-1' d1='-1.2'/></Node><OglFluidModel name='p' "
     "position='@P/dofs.position'/></Node>",
     "P/g P/f P/s P/d p"},
    {PARTICLES "<SpatialGridContainer cellWidth='0.1'/><ParticlesRepulsionForceField name='r' distance='0.1' "
               "stiffness='20' damping='0.5'/><SpatialGridPointModel name='c'/><Node name='S'><OglModel "
               "name='skin'/><ImplicitSurfaceMapping name='m' input='@../dofs' output='@skin' radius='0.1' "
               "step='0.03'/></Node></Node></Node>",
     "P/r P/c P/S/m"},
    {PARTICLES "<IncompressibleFluidForceField name='f' radius='0.1' density='1000' viscosity='1'/><Node "
               "name='S'><OglModel name='skin'/><SPHFluidSurfaceMapping name='m' input='@../dofs' output='@skin' "
               "radius='0.1' step='0.04' isoValue='0.4'/></Node></Node><Node name='B'><MeshTopology " BLOCK
               "/><FluidBoundary name='b'/></Node><Node name='D'><SphericalField name='s' "
               "radius='0.4'/><FluidBoundary name='b' field='@s' min='-0.5 -0.5 -0.5' max='0.5 0.5 "
               "0.5'/></Node></Node>",
     "P/f P/S/m B/b D/b"},
    {"<Node name='root' dt='0.01'><DefaultAnimationLoop/><SphericalField name='ball' radius='0.5'/><StarShapedField "
     "name='star' radius='0.7' branches='9' branchesRadius='0.05'/><BottleField name='bottle' radius='0.8' shift='0.6' "
     "ellipsoidRadius='0.75' excentricity='2'/><BlendedField name='shape' fields='@star @ball @bottle' "
     "operation='union' blend='0.1'/><FieldToSurfaceMesh name='mesh' field='@shape' step='0.3' min='-1 -1 -1' max='1 1 "
     "1'/><OglModel position='@mesh.outputPoints' triangles='@mesh.outputTriangles'/></Node>",
     "ball star bottle shape mesh"},
    {"<Node name='root' dt='0.01'><DefaultAnimationLoop/><DiscreteGridField name='image' "
     "file='" DIVAN_SOURCE_DIR "/scenes/mesh/patient.nii.gz' label='1' scale='0.001'/><FieldToSurfaceMesh "
     "field='@image' step='0.05' min='-0.15 -0.12 -0.1' max='0.15 0.12 0.1'/></Node>",
     "image"},
    {"<Node name='root' dt='0.002' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='V'><MeshTopology "
     "position='0 0 0  0 0.06 0  -0.04 0.1 0  0.04 0.1 0' edges='0 1  1 2  1 3'/><VesselNetwork name='n' sides='5' "
     "radius='0.004' thickness='0.0004' cellLength='0.01' inflow='1e-5' contrastInflow='0.5' "
     "absorption='10'/></Node><Node name='B'><EulerExplicitSolver/><MechanicalObject/><VesselLeak name='l' "
     "network='@../V/n' point='1' area='8e-6' direction='0.3 1 0.1'/><UniformMass vertexMass='6.8e-5'/></Node></Node>",
     "V/n B/l"},
};

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

typedef struct Tally {
  int cases, silent;
  const char *only;
} Tally;

static dvScene *open_case(const char *text)
{
  dvContext *c = dv_divan_create(1);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "hostile.scn", text, strlen(text), &s), DV_OK);
  c->log.threshold = (dvLevel)(DV_ERROR + 1);   // counted, not printed
  return s;
}

static void try_value(const Case *c, const char *path, const char *field, const char *value, bool running, Tally *t)
{
  dvScene *s = open_case(c->text);
  dvObject *o = check_find(s, path);
  clock_t begin = clock();
  if (running) assert_int_equal(dv_scene_init(s), DV_OK);
  check_steps(s, running);
  dvField *f = dv_object_field(o, field);
  int set = divan_set(s, path, field, value);   // refused while it runs: it goes on with what was there
  if (set == DV_OK && !running) set = dv_scene_init(s);
  for (int i = 0; i < 3 && (set == DV_OK || running); i++) set = dv_scene_step(s, 0);
  Finite w = {.visitor = {.top_down = look_at}, .given = f};
  dv_visit(s->root, &w.visitor);
  int told = atomic_load(&s->context->log.counts[DV_WARNING]) + atomic_load(&s->context->log.counts[DV_ERROR]);
  t->cases++;
  if (w.bad && !told && set == DV_OK) {
    t->silent++;
    print_error("%s.%s = '%.60s'%s: %s is no number, and nothing is said\n", path, field, value,
                running ? " while it runs" : "", w.bad);
  }
  if (t->only)
    print_message("%s.%s = '%.60s'%s: status %d, %d told\n", path, field, value, running ? " later" : "", set, told);
  double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
  if (took > 2) print_message("%s.%s = '%.60s'%s took %.1f s\n", path, field, value, running ? " later" : "", took);
  dv_free(w.bad);
  check_close_scene(&s);
}

// a field that the class has itself, not those of its role or of all objects
static bool is_own(const dvObject *o, const dvFieldDesc *d)
{
  const dvFieldBlock *own = NULL;
  for (size_t b = 0; b < DV_COUNT(o->cls->blocks) && o->cls->blocks[b]; b++) own = o->cls->blocks[b];
  return own && d >= own->fields && d < own->fields + own->count;
}

static void walk_fields(const Case *c, const char *path, Tally *t)
{
  dvScene *s = open_case(c->text);
  const dvObject *o = check_find(s, path);
  dvText value = {0};
#ifdef DV_CHECKING   // a part of them, another for each field; all with DIVAN_TEST_FIELD=.
  int stride = 6;
#else
  int stride = 3;
#endif
  for (int k = 0; k < o->field_count; k++) {
    const dvFieldDesc *d = o->fields[k].desc;
    char *full = dv_format("%s.%s", o->cls->name, dv_field_name(d));
    bool wanted = !t->only || strstr(full, t->only);
    dv_free(full);
    if (!wanted || !is_own(o, d) || d->flags & (DV_READ_ONLY | DV_OUTPUT)) continue;
    int count = d->type == DV_T_BOOL ? 3 : is_text(d) ? (int)DV_COUNT(words) : 3 * (int)DV_COUNT(numbers);
    for (int n = t->only ? 0 : k % stride; n < count; n += t->only ? 1 : stride) {
      if (is_text(d)) value.length = 0, dv_text_add(&value, words[n]);
      else if (n >= (int)DV_COUNT(numbers) && d->type != DV_T_VEC && d->type < DV_T_REALS) break;
      else text_of(d, numbers[n % (int)DV_COUNT(numbers)], n / (int)DV_COUNT(numbers), &value);
      for (int running = 0; running < 2; running++) try_value(c, path, dv_field_name(d), value.text, running, t);
    }
  }
  dv_text_free(&value);
  check_close_scene(&s);
}

static void every_field_bears_every_value(void **state)
{
  DV_UNUSED(state);
  Tally t = {.only = getenv("DIVAN_TEST_FIELD")};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char names[100], *rest = names;
    snprintf(names, sizeof names, "%s", cases[i].names);
    for (char *name; (name = strtok_r(rest, " ", &rest));) walk_fields(&cases[i], name, &t);
  }
  print_message("%d cases, %d of them with numbers that are none without a word\n", t.cases, t.silent);
  assert_true(t.cases > 0);
  assert_int_equal(t.silent, 0);
}

// with good values they are good scenes
static void the_scenes_run(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvScene *s = check_scene(cases[i].text, 1);
    check_steps(s, 4);
    assert_int_equal(atomic_load(&s->context->log.counts[DV_WARNING]), 0);
    assert_int_equal(atomic_load(&s->context->log.counts[DV_ERROR]), 0);
    check_close_scene(&s);
  }
}

// Nothing at all: no particles, no points, no box, no fluid. Scenes run or say why not, and make no numbers that are
// none.
static void nothing_is_no_trouble(void **state)
{
  DV_UNUSED(state);
#define EMPTY                                                                                                     \
  "<Node name='root' dt='0.005' gravity='0 -9.81 0'><DefaultAnimationLoop/><Node name='P'><EulerExplicitSolver/>" \
  "<MechanicalObject name='dofs' size='0' position=''/><UniformMass vertexMass='0.125'/>"
  static const char *const scenes[] = {
      EMPTY "<SpatialGridContainer cellWidth='0.1'/><SPHFluidForceField radius='0.1' density='1000'/></Node>"
            "<OglFluidModel position='@P/dofs.position'/></Node>",
      EMPTY "<SpatialGridContainer cellWidth='0.1'/><ParticlesRepulsionForceField distance='0.1'/>"
            "<SpatialGridPointModel/><Node name='S'><OglModel name='skin'/><ImplicitSurfaceMapping input='@../dofs' "
            "output='@skin'/></Node></Node></Node>",
      EMPTY "<IncompressibleFluidForceField radius='0.1'/><Node name='S'><OglModel name='skin'/>"
            "<SPHFluidSurfaceMapping input='@../dofs' output='@skin'/></Node></Node><Node><MeshTopology/>"
            "<FluidBoundary/></Node></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><Fluid2D height='0' tstop='0'/><FluidGridObstacle/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><Fluid3D height='0' tstop='0'/><FluidGridSource radius='0'/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><BlendedField name='b'/><FieldToSurfaceMesh field='@b'/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><DiscreteGridField name='b'/><FieldToSurfaceMesh field='@b'/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><FieldToSurfaceMesh/><OglFluidModel/></Node>",
      "<Node dt='0.01'><DefaultAnimationLoop/><MeshTopology/><VesselNetwork/><VesselLeak/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    dvScene *s = open_case(scenes[i]);
    dvStatus status = dv_scene_init(s);
    for (int k = 0; k < 3 && status == DV_OK; k++) status = dv_scene_step(s, 0);
    Finite w = {.visitor = {.top_down = look_at}};
    dv_visit(s->root, &w.visitor);
    int told = atomic_load(&s->context->log.counts[DV_WARNING]) + atomic_load(&s->context->log.counts[DV_ERROR]);
    print_message("scene %zu: status %d, %d told\n", i, status, told);
    if (w.bad) print_error("scene %zu: %s is no number\n", i, w.bad);
    assert_null(w.bad);
    assert_true(status == DV_OK || told > 0);
    dv_free(w.bad);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_scenes_run), cmocka_unit_test(nothing_is_no_trouble),
                                     cmocka_unit_test(every_field_bears_every_value)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
