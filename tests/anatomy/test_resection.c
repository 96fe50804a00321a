// Parts of cut tetrahedra and their volumes; beams that end where they are cut, also by a cut that does not go through;
// a cautery that goes through tetrahedra and hexahedra layer by layer; procedures: what a file says, steps, warnings,
// failures, score, report, reset and restored snapshots; the resection to its end, in tetrahedra and in hexahedra; and
// hostile hands (DIVAN_SOAK=600: for ten minutes of the scene's time; DIVAN_SOAK_SCENE=grid.scn: only those).
#include "support/check.h"
#include "support/numbers.h"
#include "support/scene.h"

#include "anatomy/procedure_file.h"
#include "base/file.h"
#include "base/random.h"
#include "divan/divan.h"
#include "io/mesh/write_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- parts and vessels -----------------------------------------------------------------------------

// a bar of 6 x 1 x 1 with a line of beams along it, and another across; `blade` comes at 0.1 s
static dvScene *bar(dvContext *context, const char *directory, const char *blade)
{
  char *file = check_write(directory, "blade.txt", blade);
  char *text = dv_format(
      "<Node dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Bar'><EulerImplicitSolver/><CGLinearSolver "
      "iterations='50' tolerance='1e-9' threshold='1e-30'/><RegularGridTopology name='grid' n='7 3 3' min='0 -0.5 "
      "-0.5' "
      "max='6 0.5 0.5'/><Node name='cells'><TetrahedronSetTopologyContainer name='all' position='@../grid.position'/>"
      "<TetrahedronSetTopologyModifier/><Hexa2TetraTopologicalMapping input='@../grid' output='@all'/></Node>"
      "<TetrahedronSetTopologyContainer name='tetrahedra' position='@grid.position' "
      "tetrahedra='@cells/all.tetrahedra'/>"
      "<TetrahedronSetTopologyModifier/><TetrahedronSetGeometryAlgorithms/><MechanicalObject name='dofs' "
      "topology='@tetrahedra'/><DiagonalMass massDensity='1' topology='@tetrahedra'/>"
      "<TetrahedralCorotationalFEMForceField topology='@tetrahedra' youngModulus='1000' poissonRatio='0.3' "
      "method='large'/><TopologicalChangeProcessor topology='@tetrahedra' filename='%s'/>"
      "<MeshParts name='parts' topology='@tetrahedra'/>"
      "<Node name='line'><MechanicalObject name='frames' template='Rigid3' position='0.3 0.1 0.2 0 0 0 1  1.7 0.1 0.2 "
      "0 0 "
      "0 1  3.2 0.1 0.2 0 0 0 1  4.6 0.1 0.2 0 0 0 1  5.8 0.1 0.2 0 0 0 1  4.6 -0.4 0.2 0 0 0.70710678 0.70710678'/>"
      "<EdgeSetTopologyContainer name='beams' edges='0 1 1 2 2 3 3 4 5 3'/><EdgeSetTopologyModifier/>"
      "<BarycentricMapping input='@../dofs' output='@frames'/><BeamFEMForceField radius='0.02 0.02 0.02 0.02 0.01' "
      "youngModulus='1e5' poissonRatio='0.3'/><VesselCutter name='cutter' "
      "organ='@../tetrahedra'/></Node></Node></Node>",
      file);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_non_null(scene);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  dv_free(text);
  dv_free(file);
  return scene;
}

static void steps(dvScene *scene, int n)
{
  for (int i = 0; i < n; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
}

static double real_of(dvScene *scene, const char *path, const char *field, size_t index)
{
  size_t count;
  const double *x = divan_read(scene, path, field, &count);
  assert_non_null(x);
  assert_true(index < count);
  return x[index];
}

static int int_of(dvScene *scene, const char *path, const char *field)
{
  char *text = divan_get(scene, path, field);
  assert_non_null(text);
  int value = (int)strtol(text, NULL, 10);
  divan_free(text);
  return value;
}

static const char through[] = "T= 0.1\n  SWEEP= 2\n2.43 9 -9  2.43 -9 -9  2.43 9 9  2.43 -9 9\n";
static const char half_way[] = "T= 0.1\n  SWEEP= 2\n2.43 9 -9  2.43 -0.2 -9  2.43 9 9  2.43 -0.2 9\n";

static void a_cut_parts_the_volume_and_the_beam(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dvContext *context = divan_create(1);
  dvScene *scene = bar(context, d, through);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6, 1e-12);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "beams"), 5);
  steps(scene, 10);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 2);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6 - 2.43, 1e-9);   // the larger side
  check_close(real_of(scene, "/Bar/parts", "resected", 0), 2.43, 1e-9);
  check_close(real_of(scene, "/Bar/parts", "volumes", 1), 2.43, 1e-9);
  check_close(real_of(scene, "/Bar/parts", "removed", 0), 0, 1e-9);
  // of the five beams the one from 1.7 to 3.2 crosses the blade
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 1);
  size_t count;
  const int32_t *edges = divan_read_ints(scene, "/Bar/line/beams", "edges", &count);
  assert_int_equal(count, 8);
  for (size_t i = 0; i < count; i += 2) assert_false(edges[i] == 1 && edges[i + 1] == 2);
  divan_close(&scene);
  divan_destroy(&context);
  check_rmdir(d);
}

static void a_cut_half_way_ends_the_beam_too(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dvContext *context = divan_create(1);
  dvScene *scene = bar(context, d, half_way);
  steps(scene, 10);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6, 1e-9);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 1);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "beams"), 4);
  divan_close(&scene);
  divan_destroy(&context);
  check_rmdir(d);
}

static void reset_and_snapshots_bring_it_back(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dvContext *context = divan_create(1);
  dvScene *scene = bar(context, d, through);
  steps(scene, 2);
  size_t length;
  void *before = divan_snapshot(scene, &length);
  steps(scene, 10);
  uint64_t hash = divan_hash(scene);
  assert_int_equal(divan_restore_snapshot(scene, before, length), DIVAN_OK);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 0);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6, 1e-12);
  steps(scene, 10);
  assert_true(divan_hash(scene) == hash);
  divan_reset(scene);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  steps(scene, 12);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 1);
  assert_true(divan_hash(scene) == hash);
  divan_free(before);
  divan_close(&scene);
  divan_destroy(&context);
  check_rmdir(d);
}

// --- a cautery -------------------------------------------------------------------------------------

#define BEAMS                                                                                                   \
  "<Node name='line'><MechanicalObject name='frames' template='Rigid3' position='0.3 0.1 0.2 0 0 0 1  1.7 0.1 " \
  "0.2 0 0 0 1  3.2 0.1 0.2 0 0 0 1  4.6 0.1 0.2 0 0 0 1  5.8 0.1 0.2 0 0 0 1'/><EdgeSetTopologyContainer "     \
  "name='beams' edges='0 1 1 2 2 3 3 4'/><EdgeSetTopologyModifier/><BarycentricMapping input='@../dofs' "       \
  "output='@frames'/><BeamFEMForceField radius='0.02' youngModulus='1e5' poissonRatio='0.3'/>"                  \
  "<VesselCutter name='cutter' organ='@../mesh'/></Node>"

// an edge that goes through x = 2.43 in three layers, from the front to the back and to the front again
#define HAND(edge, movements)                                                                                 \
  "<Node name='Tool'><MechanicalObject name='edge' position='" edge "'/><LinearMovementProjectiveConstraint " \
  "indices='0 1 2 3 4' keyTimes='0 1 1.1 2.1 2.2 3.2 100' movements='" movements "'/><EulerImplicitSolver/>"  \
  "<CGLinearSolver iterations='5'/><UniformMass totalMass='1'/></Node>"
#define SHORT                                                              \
  HAND("2.43 0.2 -1  2.43 0.3 -1  2.43 0.4 -1  2.43 0.6 -1  2.43 0.75 -1", \
       "0 0 0  0 0 2  0 -0.4 2  0 -0.4 0  0 -0.8 0  0 -0.8 2  0 -0.8 2")
// hexahedra: a long one that waits half way in the second stroke, and goes through in the third
#define LONG                                                                 \
  HAND("2.43 -0.7 -1  2.43 -0.3 -1  2.43 0.1 -1  2.43 0.4 -1  2.43 0.75 -1", \
       "0 0 -9  0 0 -9  0 0 -9  0 0 -9  0 0 0  0 0 2  0 0 2")

static dvScene *burnt_bar(dvContext *context, bool cells)
{
  static const char tetrahedra[] =
      "<RegularGridTopology name='grid' n='7 3 3' min='0 -0.5 -0.5' max='6 0.5 0.5'/><Node name='cells'>"
      "<TetrahedronSetTopologyContainer name='all' position='@../grid.position'/><TetrahedronSetTopologyModifier/>"
      "<Hexa2TetraTopologicalMapping input='@../grid' output='@all'/></Node><TetrahedronSetTopologyContainer "
      "name='mesh' "
      "position='@grid.position' tetrahedra='@cells/all.tetrahedra'/><TetrahedronSetTopologyModifier/>"
      "<TetrahedronSetGeometryAlgorithms/><MechanicalObject name='dofs' topology='@mesh'/><DiagonalMass "
      "massDensity='1' "
      "topology='@mesh'/><TetrahedralCorotationalFEMForceField topology='@mesh' youngModulus='1000' poissonRatio='0.3' "
      "method='large'/><MeshParts name='parts' topology='@mesh'/>";
  static const char hexahedra[] =
      "<SparseGridTopology name='mesh' n='13 5 5' fileTopology='bar.obj'/><MechanicalObject name='dofs'/>"
      "<DiagonalMass massDensity='1'/><HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3' method='large'/>"
      "<Node name='Skin'><MeshOBJLoader name='loader' filename='bar.obj'/><TriangleSetTopologyContainer "
      "name='triangles' src='@loader'/><TriangleSetTopologyModifier/><MechanicalObject name='points' src='@loader'/>"
      "<BarycentricMapping input='@../dofs' output='@points'/></Node><MeshParts name='parts' "
      "topology='@Skin/triangles'/>";
  char *text =
      dv_format("<Node dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/>%s<Node name='Bar'>"
                "<EulerImplicitSolver rayleighStiffness='0.1'/><CGLinearSolver iterations='50' tolerance='1e-9' "
                "threshold='1e-30'/>%s<Cautery name='cautery' topology='@mesh' edge='@/Tool/edge' "
                "times='0.01 1.03 1.11 2.13 2.21 3.25' step='0.2'/>" BEAMS "</Node></Node>",
                cells ? LONG : SHORT, cells ? hexahedra : tetrahedra);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_non_null(scene);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  dv_free(text);
  return scene;
}

// layer by layer: after two of the three it hangs together, then it is in two parts with the volumes of both sides
static void a_cautery_goes_through(bool cells)
{
  char *d = check_mkdir();
  char *file = check_write(d, "bar.obj",
                           "v 0.02 -0.48 -0.48\nv 5.98 -0.48 -0.48\nv 5.98 0.48 -0.48\nv 0.02 0.48 -0.48\n"
                           "v 0.02 -0.48 0.48\nv 5.98 -0.48 0.48\nv 5.98 0.48 0.48\nv 0.02 0.48 0.48\n"
                           "f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\n"
                           "f 4 1 5\nf 4 5 8\n");
  double side = cells ? 0.96 * 0.96 : 1, low = cells ? 0.02 : 0, all = cells ? 5.96 * side : 6;
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    dvContext *context = divan_create(threads);
    divan_listen(context, NULL, NULL);
    divan_add_data_path(context, d);
    dvScene *scene = burnt_bar(context, cells);
    check_close(real_of(scene, "/Bar/parts", "remaining", 0), all, 1e-12);
    steps(scene, 108);
    assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
    assert_int_equal(int_of(scene, "/Bar/cautery", "strokes"), 2);
    assert_true(cells || int_of(scene, "/Bar/cautery", "cuts") > 0);
    size_t length;
    void *before = divan_snapshot(scene, &length);
    steps(scene, 72);
    assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 2);
    check_close(real_of(scene, "/Bar/parts", "remaining", 0) + real_of(scene, "/Bar/parts", "resected", 0), all, 1e-9);
    print_message("resected %.9g of %.9g, quality %g, area %g\n", real_of(scene, "/Bar/parts", "resected", 0), all,
                  real_of(scene, "/Bar/cautery", "quality", 0), real_of(scene, "/Bar/cautery", "area", 0));
    check_close(real_of(scene, "/Bar/parts", "resected", 0), (2.43 - low) * side, 1e-9);
    check_close(real_of(scene, "/Bar/parts", "segment", 0), (2.43 - low) * side, 1e-9);
    assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 1);
    size_t count;
    const double *stumps = divan_read(scene, "/Bar/line/cutter", "stumps", &count);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i += 3) check_close(stumps[i], 2.43, cells ? 0.5 : 0.2);   // to a cell
    uint64_t now = divan_hash(scene);
    if (hash) assert_true(hash == now);
    hash = now;
    assert_int_equal(divan_restore_snapshot(scene, before, length), DIVAN_OK);   // the last stroke is undone
    assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
    steps(scene, 72);
    assert_true(divan_hash(scene) == hash);
    divan_reset(scene);
    assert_int_equal(int_of(scene, "/Bar/cautery", "cuts"), 0);
    assert_int_equal(int_of(scene, "/Bar/line/cutter", "beams"), 4);
    steps(scene, 180);
    assert_true(divan_hash(scene) == hash);
    divan_free(before);
    divan_close(&scene);
    divan_destroy(&context);
  }
  dv_free(file);
  check_rmdir(d);
}

static void a_cautery_goes_through_tetrahedra(void **state)
{
  DV_UNUSED(state);
  a_cautery_goes_through(false);
}

static void a_cautery_goes_through_hexahedra(void **state)
{
  DV_UNUSED(state);
  a_cautery_goes_through(true);
}

#define SOLID                                                                                           \
  "<Node><TetrahedronSetTopologyContainer position='0 0 0  1 0 0  0 1 0  0 0 1' tetrahedra='0 1 2 3'/>" \
  "<TetrahedronSetTopologyModifier/><MechanicalObject name='dofs'/>"
#define EDGE "<Node name='t'><MechanicalObject name='p' position='0 0 0 0 0 1'/></Node>"

static void components_without_what_they_need_say_so(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      "<Node><MeshParts/></Node>",
      "<Node><VesselCutter/></Node>",
      "<Node><Procedure/></Node>",
      "<Node><Procedure filename='nowhere.txt'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0'/><MeshTopology edges='0 1'/><MeshParts/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 2'/><MeshParts/></Node>",
      "<Node><Cautery/></Node>",
      SOLID "<Cautery/></Node>",
      SOLID "<Cautery edge='@dofs'/></Node>",
      SOLID "<Node name='t'><MechanicalObject name='p' position='0 0 0'/></Node><Cautery edge='@t/p'/></Node>",
      SOLID EDGE "<Cautery edge='@t/p' times='2 1'/></Node>",
      SOLID EDGE "<Cautery edge='@t/p' step='nan'/></Node>",
      SOLID EDGE "<Cautery edge='@t/p' driver='@dofs'/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    dvContext *context = divan_create(1);
    divan_listen(context, NULL, NULL);
    dvScene *scene = divan_parse(context, scenes[i], strlen(scenes[i]));
    assert_int_equal(divan_init(scene), DIVAN_INPUT);
    divan_close(&scene);
    divan_destroy(&context);
  }
}

// --- procedures ------------------------------------------------------------------------------------

static void mistakes_in_files_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text, *why;
    int line;
  } cases[] = {
      {"", "there is no step", 0},
      {"title A\nstp Do it\n", "did you mean 'step'", 2},
      {"step Do it\n", "has no 'until'", 1},
      {"step Do it\nuntil x > 1\n", "x", 2},
      {"until 1\n", "until belongs below a step", 1},
      {"step A\nuntil 1\nwarning B\nwhen 1\nhint c\nhint d\n", "a second hint", 6},
      {"hint c\n", "hint belongs below a step", 1},
      {"step A\nuntil 1\nuntil 2\n", "a second until", 3},
      {"step\n", "what is to be done", 1},
      {"measure a\nstep A\nuntil 1\n", "a name and a field", 1},
      {"measure time /a.b\n", "cannot be the name", 1},
      {"measure a /a.b\nmeasure a /a.c\n", "two measures", 2},
      {"measure a /a\n", "names no field", 1},
      {"measure a = b + 1\nmeasure b /a.b\n", "b", 1},   // only measures before it
      {"measure a /a.b\nmeasure b = 2 *\n", "2 *", 2},
      {"measure a /a.b[x]\n", "no place in a list", 1},
      {"step A\nuntil 1\nwarning B\nwhen 1\ncost much\n", "cost needs a number", 5},
      {"step A\nuntil 1\nscore 1 +\n", "1 +", 3},
      {"failure\n", "how does it fail?", 1},
      {"step A\nuntil 1\nfailure B\n", "has no 'when'", 3},
      {"step A\nuntil 1\nfailure B\nlead c\n", "lead belongs below a step", 4},
      {"step A\nuntil 1\nadvice B\n", "has no 'when'", 3},
      {"advice\n", "what is the advice?", 1},
      {"step A\nuntil 1\nadvice B\nwhen b\n", "b", 4},
      {"when 1\n", "when belongs below a warning, failure or advice", 1},
      {"show a\nstep A\nuntil 1\n", "what is shown and its value", 1},
      {"show = 1\nstep A\nuntil 1\n", "what is shown and its value", 1},
      {"step A\nuntil 1\nshow a = b\n", "b", 3},
      {"result a\nstep A\nuntil 1\n", "result resected (ml)", 1},
      {"step A\nuntil 1\nresult a = b\n", "b", 3},
      {"hand g = LJIKOU\n", "its keys and where it is", 1},
      {"hand g = LJIK 0 0 0\n", "not six keys", 1},
      {"hand g = ljikou 0 0 0\n", "not six keys", 1},
      {"hand g = LJIKOU 0 0 0\nhand g = DARFCE 0 0 0\n", "two hands", 2},
      {"hand g = LJIKOU 0 0\nstep A\nuntil 1\n", "2 of 3 expressions", 1},
      {"hand g = LJIKOU 0 0 0 1\nstep A\nuntil 1\n", "more than 3", 1},
      {"hand g = LJIKOU 0 0 b\nstep A\nuntil 1\n", "b", 1},
      {"press GG = jaws\n", "a key and what it does", 1},
      {"press G\n", "a key and what it does", 1},
      {"press G = close\npress G = open\n", "G is given twice", 2},
      {"press G = close\npress G = open when 1\npress G = shut when 1\n", "G is given twice", 3},
      {"press G = close\npress G = open when\n", "G is given twice", 2},
      {"press G = close\npress G = open when b\nstep A\nuntil 1\n", "b", 2},
      {"step A\nlead g = 0 0 0 1\n", "no hand called g", 2},
      {"lead g = 0 0 0 1\n", "lead belongs below a step", 1},
      {"hand g = LJIKOU 0 0 0\nstep A\nlead g = 0 0 0 1\nlead g = 0 0 0 1\n", "a second lead", 4},
      {"hand g = LJIKOU 0 0 0\nstep A\nuntil 1\nlead g = 0 0 0\n", "3 of 4 expressions", 4},
      {"step A\nthen G\n", "is no key", 2},
      {"step A\nthen\n", "is no key", 2},
      {"press G = jaws\nstep A\nthen G or H\n", "a key, and when", 3},
      {"press G = jaws\nstep A\nuntil 1\nthen G when b\n", "b", 4},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvProcedure p;
    dvText why = {0};
    int line = -1;
    assert_int_equal(dv_procedure_read(&p, cases[i].text, &line, &why), DV_ERROR_INPUT);
    if (!strstr(why.text, cases[i].why) || line != cases[i].line)
      print_error("case %zu: line %d, '%s'\n", i, line, why.text);
    assert_non_null(strstr(why.text, cases[i].why));
    assert_int_equal(line, cases[i].line);
    dv_procedure_free(&p);
    dv_text_free(&why);
  }
}

// a point that falls: y = -5 t^2 about; one warning comes twice, since it goes away in between
static const char falling[] =
    "title Falling   # a comment\n"
    "measure y /Ball/dofs.position[1]\n"
    "measure count /Ball/dofs.position[99]\n"
    "measure depth = abs(y)\n"
    "step Fall a metre\n  hint wait\n  until depth > 1\n"
    "step Fall ten\n until (y < -10) * (elapsed > 0.5)\n"
    "warning Between one and two\n when (y < -1) * (y > -2) + (y < -8)*(y > -9)\n cost 2.5\n hint Fall on\n"
    "warning Never, since there is no such number\n when count < 1\n cost 1000\n"
    "show time (s) = time\nresult depth (m) = depth\n"
    "advice Fall less\n when depth > 5\nadvice Fall more\n when depth < 5\n"
    "score 100 - cost - warnings - steps\n";

static void a_procedure_is_followed(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *file = check_write(d, "fall.txt", falling);
  char *text = dv_format("<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='Ball'>"
                         "<EulerExplicitSolver/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/></Node>"
                         "<Procedure name='game' filename='%s' reportFile='%s/report.txt'/></Node>",
                         file, d);
  dvContext *context = divan_create(1);
  divan_listen(context, NULL, NULL);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  for (int round = 0; round < 2; round++) {
    char *say = divan_get(scene, "/game", "instruction");
    assert_string_equal(say, "Step 1 of 2: Fall a metre");
    divan_free(say);
    steps(scene, 46);   // y = -5 t (t + dt), -1 after 0.45 s
    assert_int_equal(int_of(scene, "/game", "step"), 2);
    assert_int_equal(int_of(scene, "/game", "warnings"), 1);
    check_close(real_of(scene, "/game", "score", 0), 100 - 2.5 - 1 - 1, 1e-12);
    say = divan_get(scene, "/game", "warning");   // of the step before, but it still holds
    assert_string_equal(say, "Between one and two. Fall on");
    divan_free(say);
    say = divan_get(scene, "/game", "values");   // without results, which are told at the end
    assert_string_equal(say, "time (s): 0.46");
    divan_free(say);
    steps(scene, 82);   // y = -8.3
    say = divan_get(scene, "/game", "warning");
    assert_string_equal(say, "Between one and two. Fall on");
    divan_free(say);
    steps(scene, 38);
    assert_int_equal(int_of(scene, "/game", "done"), 1);
    assert_int_equal(int_of(scene, "/game", "warnings"), 2);
    check_close(real_of(scene, "/game", "score", 0), 100 - 5 - 2 - 2, 1e-12);
    say = divan_get(scene, "/game", "report");
    assert_non_null(strstr(say, "Falling\n1. Fall a metre: done at 0.45 s\n2. Fall ten: done at 1.4"));
    assert_non_null(strstr(say, "warning: Between one and two: 2 times, cost 5"));
    assert_null(strstr(say, "Never"));
    assert_non_null(strstr(say, "cost 5\nto do better: Fall on\nto do better: Fall less\n"));
    assert_null(strstr(say, "Fall more"));
    assert_non_null(strstr(say, "score 91\ndepth (m): 10\ntime (s): 1.4"));
    char *path = dv_format("%s/report.txt", d), *written = dv_file_read(path, NULL);
    assert_string_equal(written, say);
    dv_free(written);
    dv_free(path);
    divan_free(say);
    divan_reset(scene);
  }
  dv_free(text);
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(file);
  check_rmdir(d);
}

// a procedure about a ball that falls
static dvScene *falling_ball(dvContext *context, const char *procedure)
{
  char *text = dv_format("<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='Ball'>"
                         "<EulerExplicitSolver/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/></Node>"
                         "<Procedure name='game' filename='%s'/></Node>",
                         procedure);
  divan_listen(context, NULL, NULL);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  dv_free(text);
  return scene;
}

// which hand is to be led where, how far it is, and the key that is next
static void a_procedure_leads_a_hand(void **state)
{
  DV_UNUSED(state);
  static const char file[] =
      "measure y /Ball/dofs.position[1]\nhand ball = LJIKOU 0 y 0\npress G = catch\npress G = let go when y<-0.8\n"
      "show depth = -y\nstep Fall\n lead ball = 0.25 -1 0 0.3\n then G when y<-0.9\n"
      " until y < -2\nstep End\n until 0\n";
  char *d = check_mkdir(), *path = check_write(d, "lead.txt", file);
  dvContext *context = divan_create(1);
  dvScene *scene = falling_ball(context, path);
  static const struct {
    int steps;
    const char *led, *next, *buttons, *values;
    double way;
  } looks[] = {
      {0, "ball", "", "LJIKOU ball\nG catch", "depth: 0", -1},
      {20, "ball", "", "LJIKOU ball\nG catch", "depth: 0.21", -1 + 5 * 0.2 * 0.21},
      {20, "ball", "", "LJIKOU ball\nG let go", "depth: 0.82", 0},   // near, but not as low as is asked
      {3, "ball", "G", "LJIKOU ball\nG let go", "depth: 0.95", 0},
      {57, "", "", "LJIKOU ball\nG let go", "depth: 5.05", 0},   // the second step leads none
  };
  for (size_t i = 0; i < DV_COUNT(looks); i++) {
    steps(scene, looks[i].steps);
    const char *names[] = {"led", "next", "buttons", "values"};
    const char *wanted[] = {looks[i].led, looks[i].next, looks[i].buttons, looks[i].values};
    for (int k = 0; k < 4; k++) {
      char *value = divan_get(scene, "/game", names[k]);
      if (strcmp(value, wanted[k]) != 0) fail_msg("look %zu: %s is '%s', not '%s'", i, names[k], value, wanted[k]);
      divan_free(value);
    }
    check_close(real_of(scene, "/game", "way", 1), looks[i].way, 1e-12);
    check_close(real_of(scene, "/game", "mark", 0), *looks[i].led ? 0.25 : 0, 1e-12);
    assert_true(real_of(scene, "/game", "way", 0) == 0);   // it is near enough on that axis
  }
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(path);
  check_rmdir(d);
}

// what ends it is told, and it is not done
static void a_procedure_fails(void **state)
{
  DV_UNUSED(state);
  static const char file[] = "title Falling\nmeasure y /Ball/dofs.position[1]\nshow depth (m) = -1 * y\n"
                             "step Fall a metre\n until y < -1\nstep Stay above ten\n until elapsed > 5\n"
                             "failure It fell ten metres\n when y < -10\n cost 60\n hint Catch it\nscore 100 - cost\n";
  char *d = check_mkdir(), *path = check_write(d, "fall.txt", file);
  dvContext *context = divan_create(1);
  dvScene *scene = falling_ball(context, path);
  for (int round = 0; round < 2; round++) {
    steps(scene, 100);   // y = -5 t (t + dt)
    assert_int_equal(int_of(scene, "/game", "failed"), 0);
    char *say = divan_get(scene, "/game", "values");
    assert_string_equal(say, "depth (m): 5.05");
    divan_free(say);
    steps(scene, 60);
    assert_int_equal(int_of(scene, "/game", "failed"), 1);
    assert_int_equal(int_of(scene, "/game", "done"), 0);
    assert_int_equal(int_of(scene, "/game", "step"), 2);
    check_close(real_of(scene, "/game", "score", 0), 40, 1e-12);
    say = divan_get(scene, "/game", "instruction");
    assert_string_equal(say, "Failed: It fell ten metres. Score: 40");
    divan_free(say);
    say = divan_get(scene, "/game", "hint");
    assert_string_equal(say, "Catch it. Begin anew (R) to try again");
    divan_free(say);
    say = divan_get(scene, "/game", "reason");
    assert_string_equal(say, "It fell ten metres");
    divan_free(say);
    say = divan_get(scene, "/game", "report");
    assert_non_null(strstr(say, "2. Stay above ten: not done\nfailed at 1.41 s: It fell ten metres\n"));
    assert_non_null(strstr(say, "\ndepth (m): 10"));
    divan_free(say);
    divan_reset(scene);
    assert_int_equal(int_of(scene, "/game", "failed"), 0);
  }
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(path);
  check_rmdir(d);
}

// another file while it runs is another procedure; one with a mistake is refused, and nothing changes
static void another_file_is_another_procedure(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(),
       *path = check_write(d, "fall.txt", "step Fall a metre\n until time > 0.5\nstep On\n until 0\n");
  char *wrong = check_write(d, "wrong.txt", "step Fly\n until wings\n");
  char *other = check_write(d, "other.txt",
                            "\xef\xbb\xbf"
                            "title Other\r\nstep Wait\r\n until elapsed > 0.15\r\n");
  dvContext *context = divan_create(1);
  dvScene *scene = falling_ball(context, path);
  steps(scene, 60);
  assert_int_equal(int_of(scene, "/game", "step"), 2);
  assert_int_not_equal(divan_set(scene, "/game", "filename", wrong), DV_OK);
  steps(scene, 1);
  assert_int_equal(int_of(scene, "/game", "step"), 2);
  assert_int_equal(divan_set(scene, "/game", "filename", other), DV_OK);
  char *say = divan_get(scene, "/game", "instruction");
  assert_string_equal(say, "Step 1 of 1: Wait");
  divan_free(say);
  steps(scene, 10);
  assert_int_equal(int_of(scene, "/game", "done"), 0);
  steps(scene, 10);
  assert_int_equal(int_of(scene, "/game", "done"), 1);
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(path), dv_free(wrong), dv_free(other);
  check_rmdir(d);
}

#define FOLDER DIVAN_SOURCE_DIR "/scenes/anatomy/resection"

static double mass_of(dvScene *scene) { return sum_of(scene, "/Body/liver/mass", "vertexMass"); }

static uint64_t play(const char *name, int threads, int most)
{
  dvContext *context = divan_create(threads);
  divan_listen(context, NULL, NULL);
  char *path = dv_format(FOLDER "/%s", name);
  dvScene *scene = divan_load(context, path);
  dv_free(path);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  double volume = real_of(scene, "/Body/liver/parts", "remaining", 0), mass = mass_of(scene);
  bool whole = most > 500;
  for (int i = 0; i < most && !int_of(scene, "/game", "done") && !int_of(scene, "/game", "failed"); i++)
    steps(scene, 1);
  check_close(real_of(scene, "/Body/liver/parts", "remaining", 0) + real_of(scene, "/Body/liver/parts", "resected", 0),
              volume, 1e-9 * volume);
  check_close(mass_of(scene), mass, 1e-9 * mass);
  char *say = divan_get(scene, "/game", "instruction"), *values = divan_get(scene, "/game", "values");
  print_message("%s: %s after %g s; %s\n", name, say, divan_time(scene), values);
  divan_free(say), divan_free(values);
  if (whole) {
    assert_int_equal(int_of(scene, "/game", "done"), 1);
    assert_true(real_of(scene, "/Body/liver/parts", "resected", 0) > 1e-4);
    assert_true(int_of(scene, "/Body/liver/vessels/portal/cutter", "cut") > 0);
  }
  uint64_t hash = divan_hash(scene);
  divan_close(&scene);
  divan_destroy(&context);
  return hash;
}

// DIVAN_RESECTION=1: to their ends with one and three threads; else the first strokes
static void the_resection_is_played(void **state)
{
  DV_UNUSED(state);
  const char *asked = getenv("DIVAN_RESECTION");
  bool whole = asked && *asked && strcmp(asked, "0") != 0;
  static const char *const names[] = {"scene.scn", "grid.scn"};
  for (size_t i = 0; i < DV_COUNT(names); i++)
    assert_true(play(names[i], 1, whole ? 5000 : 120) == play(names[i], 3, whole ? 5000 : 120));
}

// a hand that goes anywhere in and around the liver, at any speed, and presses its button as it likes
static void write_motion(const char *path, double seconds, dvRandom *random)
{
  dvText out = {0};
  dv_text_add(&out, "0 -100 150 0 0 0 0 1 0\n");
  for (double time = 0; time < seconds + 1;) {
    time += dv_random(random, 0.1, 0.6);
    dv_text_printf(&out, "%.3f %g %g %g 0 0 0 1 %d\n", time, dv_random(random, -120, 130), dv_random(random, -90, 80),
                   dv_random(random, -80, 80), dv_random(random, 0, 1) < 0.5);
  }
  assert_int_equal(dv_file_replace(path, out.text, out.length), DV_OK);
  dv_text_free(&out);
}

static void soak(const char *name, double seconds)
{
  dvRandom random = dv_random_start(5);
  const char *kind = strcmp(name, "grid.scn") == 0 ? "wire-" : "";
  char *d = check_mkdir(), *right = dv_format("%s/%scautery.motion", d, kind),
       *left = dv_format("%s/%sgrasper.motion", d, kind);
  write_motion(right, seconds, &random), write_motion(left, seconds, &random);
  char *path = dv_format(FOLDER "/%s", name), *text = dv_file_read(path, NULL);
  dvContext *context = divan_create(2);
  divan_listen(context, NULL, NULL);
  divan_add_data_path(context, d);   // first: its motions are taken
  divan_add_data_path(context, FOLDER);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  double volume = real_of(scene, "/Body/liver/parts", "remaining", 0), mass = mass_of(scene), fastest = 0;
  while (divan_time(scene) < seconds) {
    if (divan_step(scene, 0) != DIVAN_OK) fail_msg("%s at %g s", name, divan_time(scene));
    fastest = fmax(fastest, longest_of(scene, "/Body/liver/dofs", "velocity"));
    if (!(fastest < 10)) fail_msg("%s: a point has %g m/s at %g s", name, fastest, divan_time(scene));   // hands have 2
    soak_tell(divan_time(scene));
  }
  check_close(real_of(scene, "/Body/liver/parts", "remaining", 0) + real_of(scene, "/Body/liver/parts", "resected", 0),
              volume, 1e-9 * volume);
  check_close(mass_of(scene), mass, 1e-9 * mass);
  print_message("%s: %g s of hostile hands, %d strokes, %d parts, none faster than %g m/s\n", name, divan_time(scene),
                int_of(scene, "/Body/liver/cautery", "strokes"), int_of(scene, "/Body/liver/parts", "parts"), fastest);
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(text), dv_free(path), dv_free(right), dv_free(left);
  check_rmdir(d);
}

static void hostile_hands_do_no_harm(void **state)
{
  DV_UNUSED(state);
  const char *asked = getenv("DIVAN_SOAK");
  double seconds = asked ? fmin(fmax(strtod(asked, NULL), 0.1), 1e5) : 3;
  const char *only = getenv("DIVAN_SOAK_SCENE");
  static const char *const names[] = {"scene.scn", "grid.scn"};
  for (size_t i = 0; i < DV_COUNT(names); i++)
    if (!only || strcmp(only, names[i]) == 0) soak(names[i], seconds);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cut_parts_the_volume_and_the_beam),
      cmocka_unit_test(a_cut_half_way_ends_the_beam_too),
      cmocka_unit_test(reset_and_snapshots_bring_it_back),
      cmocka_unit_test(components_without_what_they_need_say_so),
      cmocka_unit_test(a_cautery_goes_through_tetrahedra),
      cmocka_unit_test(a_cautery_goes_through_hexahedra),
      cmocka_unit_test(mistakes_in_files_are_told),
      cmocka_unit_test(a_procedure_is_followed),
      cmocka_unit_test(a_procedure_leads_a_hand),
      cmocka_unit_test(a_procedure_fails),
      cmocka_unit_test(another_file_is_another_procedure),
      cmocka_unit_test(the_resection_is_played),
      cmocka_unit_test(hostile_hands_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
