// divan bench topology: what changes of a mesh cost, and how that grows with its size.
//
// A box of tetrahedra with all that an organ has: finite elements, mass, a surface that is made of it, collision
// triangles with their tree, and what is drawn. The first change, which makes the lists the mesh's own, is not counted.
#include "bench.h"

#include "base/clock.h"
#include "io/scene/scene_file.h"
#include "linear/direct/ldl.h"
#include "state/state.h"
#include "topology/change/cut.h"
#include "topology/change/modify.h"

#include <math.h>

enum { REMOVALS = 40, CARVED = 100, STEPS = 8, SWEEPS = 5 };

typedef struct Subject {
  const char *name, *per;
  size_t elements[BENCH_SIZES];
  double (*measure)(dvScene *scene, dvTopology *mesh, size_t *changed);
  bool flat;            // a plate that a blade goes through, so that all are cut
  const char *solver;   // of the steps
  bool linear;          // elements do not turn: their matrices stay
} Subject;

static const char ten[] = "<CGLinearSolver iterations=\"10\" tolerance=\"1e-9\" threshold=\"1e-9\"/>",
                  twenty_five[] = "<CGLinearSolver iterations=\"25\" tolerance=\"1e-9\" threshold=\"1e-9\"/>",
                  factor[] = "<SparseLDLSolver/>";

// --- an organ ------------------------------------------------------------------------------------

static void add_lists(dvText *t, const Box *box)
{
  dv_text_printf(t, "<TetrahedronSetTopologyContainer name=\"mesh\" position=\"");
  for (size_t i = 0; i < 3 * box->points; i++) dv_text_printf(t, "%.4g ", box->position[i]);
  dv_text_printf(t, "\" tetrahedra=\"");
  for (size_t i = 0; i < 4 * box->count; i++) dv_text_printf(t, "%d ", (int)box->tetrahedra[i]);
  dv_text_printf(t, "\"/>");
}

static char *organ_scene(size_t elements, const Subject *s)
{
  bool flat = s->flat;
  double side = flat ? sqrt((double)elements / 12) : cbrt((double)elements / 12);
  int n = (int)round(side);
  Box box = flat ? box_create(2, n, n) : box_create(2 * n, n, n);
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node dt=\"0.01\" gravity=\"0 -9.81 0\"><DefaultAnimationLoop/><CollisionPipeline/>"
                 "<BruteForceBroadPhase/><BVHNarrowPhase/><NewProximityIntersection alarmDistance=\"0.01\" "
                 "contactDistance=\"0.005\"/><CollisionResponse response=\"PenalityContactForceField\"/>"
                 "<Node name=\"organ\"><EulerImplicitSolver rayleighStiffness=\"0.1\"/>%s",
                 s->solver);
  add_lists(&t, &box);
  dv_text_printf(&t,
                 "<TetrahedronSetTopologyModifier/><MechanicalObject name=\"dofs\"/><DiagonalMass massDensity=\"1\"/>"
                 "<TetrahedronFEMForceField youngModulus=\"1000\" poissonRatio=\"0.4\" method=\"%s\"/>",
                 s->linear ? "small" : "large");
  dv_text_printf(&t, "<BoxROI name=\"end\" box=\"-1 -1 -1 100 100 0.01\"/><FixedProjectiveConstraint "
                     "indices=\"@end.indices\"/><Node><TriangleSetTopologyContainer name=\"skin\"/>"
                     "<TriangleSetTopologyModifier/><Tetra2TriangleTopologicalMapping/><TriangleCollisionModel/>"
                     "<Node><OglModel name=\"look\"/><IdentityMapping input=\"@../../dofs\" output=\"@look\"/></Node>"
                     "</Node></Node></Node>");
  box_free(&box);
  return t.text;
}

// --- what is done to it --------------------------------------------------------------------------

static uint64_t next_number(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

static bool remove_some(dvTopology *mesh, size_t count, uint64_t *seed)
{
  int32_t gone[CARVED];
  size_t there = dv_topology_count(mesh, DV_TETRAHEDRON), first = (size_t)next_number(seed) % (there - count);
  for (size_t i = 0; i < count; i++) gone[i] = (int32_t)(first + i);
  bool good = dv_mesh_remove(mesh, DV_TETRAHEDRON, gone, count, DV_REMOVE_POINTS) == DV_OK;
  dv_topology_end_changes(mesh);
  return good;
}

static double remove_one(dvScene *scene, dvTopology *mesh, size_t *changed)
{
  DV_UNUSED(scene);
  uint64_t seed = 1;
  double best = INFINITY;
  bool good = remove_some(mesh, 1, &seed);
  for (int i = 0; i < REMOVALS && good; i++) {
    double began = dv_now();
    good = remove_some(mesh, 1, &seed);
    best = dv_min(best, 1e3 * (dv_now() - began));
  }
  *changed = 1;
  return good ? best : -1;
}

// Between two steps: positions that the last step has kept are no longer shared.
static double remove_between(dvScene *scene, dvTopology *mesh, size_t *changed)
{
  uint64_t seed = 1;
  double best = INFINITY;
  bool good = remove_some(mesh, 1, &seed);
  for (int i = 0; i < STEPS && good; i++) {
    good = dv_scene_step(scene, 0) == DV_OK;
    double began = dv_now();
    good = good && remove_some(mesh, 1, &seed);
    best = dv_min(best, 1e3 * (dv_now() - began));
  }
  *changed = 1;
  return good ? best : -1;
}

// What a step takes on a machine that has nothing else to do: the processor's time of one thread, which others do not
// disturb. Of several threads that would be the sum, so it is the clock's.
static double time_of(const dvScene *scene)
{
  return dv_pool_threads(scene->root->base.context->pool) > 1 ? dv_now() : dv_cpu_now();
}

static double carve(dvScene *scene, dvTopology *mesh, size_t *changed)
{
  uint64_t seed = 1;
  double best = INFINITY;
  bool good = remove_some(mesh, CARVED, &seed) && dv_scene_step(scene, 0) == DV_OK;
  for (int i = 0; i < STEPS && good; i++) {
    double began = time_of(scene);
    good = remove_some(mesh, CARVED, &seed) && dv_scene_step(scene, 0) == DV_OK;
    best = dv_min(best, 1e3 * (time_of(scene) - began));
  }
  *changed = CARVED;
  return good ? best : -1;
}

// --- the analysis of a factor ---

// which points share a tetrahedron
static bool pattern_of(dvTopology *mesh, dvPattern *p)
{
  const dvInts *list = dv_topology_elements(mesh, DV_TETRAHEDRON);
  size_t points = dv_topology_count(mesh, DV_POINT);
  DV_ARRAY(uint64_t) pairs = {0};
  for (size_t i = 0; i < points; i++) dv_push(&pairs, dv_pair(i, i));
  for (size_t t = 0; t + 4 <= list->count; t += 4)
    for (size_t k = 0; k < 16; k++)
      dv_push(&pairs, dv_pair((size_t)list->data[t + k / 4], (size_t)list->data[t + k % 4]));
  bool good = dv_pattern_build(p, points, points, pairs.data, pairs.count, NULL);
  dv_array_free(&pairs);
  return good;
}

// With the order of before, of what a change has reached or of the whole.
static double analyse(dvTopology *mesh, bool whole)
{
  uint64_t seed = 1;
  double best = INFINITY;
  bool good = true;
  dvLdl f = {0};
  dvOrderHistory history = {0};
  dvPattern pattern = {0};
  for (int i = 0; i < STEPS + 2 && good; i++) {   // the first two patterns are ordered from scratch
    good = remove_some(mesh, CARVED, &seed) && pattern_of(mesh, &pattern);
    if (whole) dv_ldl_free(&f);
    double began = dv_cpu_now();
    good = good && dv_ldl_analyse_again(&f, &pattern, 3, DV_ORDER_BEST, &history);
    if (i >= 2) best = dv_min(best, 1e3 * (dv_cpu_now() - began));
  }
  dv_pattern_free(&pattern);
  dv_ldl_free(&f);
  dv_order_history_free(&history);
  return good ? best : -1;
}

static double analyse_changes(dvScene *scene, dvTopology *mesh, size_t *changed)
{
  DV_UNUSED(scene);
  *changed = CARVED;
  return analyse(mesh, false);
}

static double analyse_all(dvScene *scene, dvTopology *mesh, size_t *changed)
{
  DV_UNUSED(scene);
  *changed = CARVED;
  return analyse(mesh, true);
}

static const double *points_of(void *user) { return dv_topology_positions(user)->data; }

// One stroke through the whole plate, in the middle of a layer of cells: it meets all of that layer. A mesh is cut
// once, so the best is that of several meshes.
static double sweep(dvScene *scene, dvTopology *mesh, size_t *changed)
{
  uint64_t seed = 1;
  double x = 0.0503, far = 1e3;
  double blade[] = {x, -far, -far, x, far, -far, x, far, far, x, -far, far};
  if (!remove_some(mesh, 1, &seed)) return -1;
  size_t before = dv_topology_count(mesh, DV_TETRAHEDRON);
  dvCut cut;
  double began = time_of(scene);
  dvStatus status = dv_mesh_cut(
      mesh, &(dvIncision){.owner = &mesh->base, .positions = points_of, .user = mesh, .snap = 0.1}, blade, 4, &cut);
  dv_topology_end_changes(mesh);
  double ms = 1e3 * (time_of(scene) - began);
  *changed = dv_topology_count(mesh, DV_TETRAHEDRON) - before;
  return status == DV_OK ? ms : -1;
}

// --- measuring -----------------------------------------------------------------------------------

static const Subject subjects[] = {
    {"removing one tetrahedron", "tetrahedra", {5000, 20000, 50000, 100000, 200000}, remove_one, false, ten, false},
    {"removing one tetrahedron between steps",
     "tetrahedra",
     {5000, 20000, 50000, 100000, 200000},
     remove_between,
     false,
     ten,
     false},
    {"carving 100 tetrahedra, and a step", "tetrahedra", {2500, 5000, 10000, 20000, 40000}, carve, false, ten, false},
    {"carving 100 tetrahedra, and a step of 25 iterations",
     "tetrahedra",
     {2500, 5000, 10000, 20000, 40000},
     carve,
     false,
     twenty_five,
     false},
    {"carving 100 tetrahedra, and a step with a factor",
     "tetrahedra",
     {1250, 2500, 5000, 10000, 20000},
     carve,
     false,
     factor,
     false},
    {"carving 100 tetrahedra, and a step with a factor of linear elements",
     "tetrahedra",
     {1250, 2500, 5000, 10000, 20000},
     carve,
     false,
     factor,
     true},
    {"carving 100 tetrahedra, the analysis of what changed",
     "tetrahedra",
     {5000, 10000, 20000, 50000, 100000},
     analyse_changes,
     false,
     ten,
     false},
    {"carving 100 tetrahedra, the analysis of the whole",
     "tetrahedra",
     {5000, 10000, 20000, 50000, 100000},
     analyse_all,
     false,
     ten,
     false},
    {"a blade through half of a plate", "tetrahedra", {500, 1000, 2000, 4000, 8000}, sweep, true, ten, false},
};

static double time_scene(const Subject *s, size_t elements, int threads, size_t *changed)
{
  dvContext *context = dv_divan_create(threads);
  context->log.threshold = DV_ERROR;
  char *text = organ_scene(elements, s);
  dvScene *scene = NULL;
  double ms = -1;
  bool good = dv_scene_parse(context, "bench", text, strlen(text), &scene) == DV_OK && dv_scene_init(scene) == DV_OK;
  dv_free(text);
  good = good && dv_scene_step(scene, 0) == DV_OK;
  dvObject *mesh = good ? dv_link_find(&scene->root->base, "organ/mesh", DV_ROLE_TOPOLOGY) : NULL;
  if (mesh) ms = s->measure(scene, dv_topology(mesh), changed);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return ms;
}

static double time_changes(const void *subject, size_t elements, int threads, size_t *changed)
{
  const Subject *s = subject;
  double best = time_scene(s, elements, threads, changed);
  for (int i = 1; i < (s->flat ? SWEEPS : 1) && best >= 0; i++) {
    double ms = time_scene(s, elements, threads, changed);
    best = ms < 0 ? ms : dv_min(best, ms);
  }
  return best;
}

json_t *bench_topology(const Bench *b)
{
  json_t *all = json_array();
  for (size_t i = 0; i < DV_COUNT(subjects); i++)
    for (int k = 0; k < b->thread_counts; k++)
      if (bench_wants(b, subjects[i].name))
        json_array_append_new(all, bench_over_sizes(b, subjects[i].name, subjects[i].per, subjects[i].elements,
                                                    b->threads[k], time_changes, &subjects[i]));
  return all;
}
