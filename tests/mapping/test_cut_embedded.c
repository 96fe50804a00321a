// Cuts through hexahedra with an embedded surface: it stays closed, its parts have the volume of the whole, mass and
// momentum stay, pieces part and fall with their parts of the surface. 50 random sweeps; DIVAN_CUTS=20000 makes more.
#include "mapping/surfaces.h"
#include "topology/report.h"

#include "io/record/snapshot.h"
#include "mapping/linear/barycentric.h"
#include "mapping/linear/cut_embedded.h"
#include "mechanics/component.h"
#include "scene/remember.h"
#include "support/follow.h"
#include "support/scene.h"
#include "topology/change/fill.h"
#include "topology/search/rays.h"
#include "topology/search/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- a body --------------------------------------------------------------------------------------

typedef struct Body {
  Report r;
  dvTopology *mesh, *skin;
  dvState *dofs, *points;
  dvObject *mass;
  double volume, total, cells;
} Body;

static const double *positions(void *user) { return dv_state_read(((Body *)user)->dofs, DV_X); }

enum { SPHERE, TORUS, BOX };

static char *scene_text(int shape, int cells, const char *more)
{
  dvText text = {0};
  Surface s = {0};
  if (shape == SPHERE) make_sphere(&s, 17, 12, 0.93);
  if (shape == TORUS) make_torus(&s, 24, 10, 0.65, 0.27);
  if (shape == BOX) make_box(&s, 0.83);
  dv_text_printf(&text,
                 "<Node name='root' dt='0.01' gravity='0 0 -10'><EulerImplicitSolver rayleighStiffness='0.05'/>"
                 "<CGLinearSolver iterations='200' tolerance='1e-12' threshold='1e-18'/>"
                 "<RegularGridTopology name='mesh' n='%d %d %d' min='-1 -1 -1' max='1 1 1'/>"
                 "<MechanicalObject name='dofs'/><DiagonalMass massDensity='1000' name='mass'/>"
                 "<HexahedronFEMForceField name='fem' youngModulus='100000' poissonRatio='0.3' method='polar'/>%s"
                 "<Node name='s'><TriangleSetTopologyContainer name='skin' ",
                 cells + 1, cells + 1, cells + 1, more);
  write_surface(&s, &text);
  dv_text_add(&text, "/><TriangleSetTopologyModifier/><MechanicalObject name='points'/>"
                     "<BarycentricMapping name='map'/></Node></Node>");
  dv_array_free(&s.x), dv_array_free(&s.triangles);
  return dv_text_take(&text);
}

static double total_mass(const Body *b)
{
  const dvReals *m = dv_object_field(b->mass, "vertexMass")->value;
  double sum = 0;
  for (size_t i = 0; i < m->count; i++) sum += m->data[i];
  return sum;
}

static dvVec3 momentum(const Body *b)
{
  const dvReals *m = dv_object_field(b->mass, "vertexMass")->value;
  const double *v = dv_state_read(b->dofs, DV_V);
  dvVec3 sum = dv_vec3(0, 0, 0);
  for (size_t i = 0; i < m->count; i++) sum = dv_vec3_add_scaled(sum, dv_vec3_load(v + 3 * i), m->data[i]);
  return sum;
}

static double volume_of(const Body *b) { return dv_topology_enclosed_volume(b->skin, dv_state_read(b->points, DV_X)); }

static void start_text(Body *b, const char *text)
{
  *b = (Body){0};
  report_good(&b->r, text);
  b->mesh = dv_topology(report_find(&b->r, "mesh"));
  b->skin = dv_topology(report_find(&b->r, "s/skin"));
  b->dofs = dv_state(report_find(&b->r, "dofs"));
  b->points = dv_state(report_find(&b->r, "s/points"));
  b->mass = report_find(&b->r, "mass");
  b->volume = volume_of(b);
  b->total = total_mass(b);
  b->cells = (double)dv_topology_count(b->mesh, DV_HEXAHEDRON);
}

static void start(Body *b, int shape, int cells)
{
  char *text = scene_text(shape, cells, "");
  start_text(b, text);
  dv_free(text);
}

// every edge has two triangles, in opposite directions, and stands in the list of edges
static void check_closed(const Body *b)
{
  const dvInts *t = dv_topology_elements(b->skin, DV_TRIANGLE);
  assert_int_equal(dv_surface_open_edges(t->data, dv_ints_size(t), NULL, 0, NULL), 0);
  const dvIncidence *around = dv_topology_around(b->skin, DV_EDGE, DV_TRIANGLE);
  for (size_t i = 0; i < around->count; i++) assert_int_equal(around->offsets[i + 1] - around->offsets[i], 2);
  assert_int_equal(2 * around->count, 3 * dv_ints_size(t));
}

// parts that hang together by points; `of` gets the number of that of each point
static size_t parts_of(dvTopology *t, dvElementKind kind, size_t *of)
{
  size_t n = dv_topology_count(t, kind), points = dv_topology_point_count(t), found = 0,
         width = (size_t)dv_element_points(kind);
  const int32_t *list = dv_topology_elements(t, kind)->data;
  for (size_t i = 0; i < points; i++) of[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < width * n; i++) {
      size_t *a = &of[list[i]], *c = &of[list[i / width * width]], least = *a < *c ? *a : *c;
      changed = changed || *a != *c;
      *a = *c = least;
    }
  }
  for (size_t i = 0; i < points; i++) found += of[i] == i;
  return found;
}

static size_t pieces(dvTopology *t, dvElementKind kind)
{
  size_t *of = dv_alloc((dv_topology_point_count(t) + 1) * sizeof *of), n = parts_of(t, kind, of);
  dv_free(of);
  return n;
}

// shares of the cells at one place sum up to it, and the mass of all of them is what it was
static void check_fills(const Body *b)
{
  double sum = 0;
  size_t n = dv_topology_count(b->mesh, DV_HEXAHEDRON);
  for (size_t i = 0; i < n; i++) {
    const dvCellFill *f = dv_topology_fill_of(b->mesh, i);
    assert_true(f->share > 0 && f->share <= 1 && f->voxels);
    sum += f->share;
  }
  check_close(sum / b->cells, 1, 1e-13);
}

static void check_body(const Body *b)
{
  check_closed(b);
  check_close(volume_of(b), b->volume, 1e-9);
  check_close(total_mass(b) / b->total, 1, 1e-12);
  check_fills(b);
}

static dvBodyCut cut(Body *b, const double *polygon, size_t corners)
{
  dvBodyCut out;
  dvIncision how = {&b->mesh->base, positions, b, 0.1, 0.1, 0, 0};
  assert_int_equal(dv_body_cut(b->mesh, &how, &(dvSheet){polygon, (const size_t[]){0, corners}, 1}, &out), DV_OK);
  dv_topology_end_changes(b->mesh);
  check_body(b);
  return out;
}

// each part of the surface goes with one piece of the cells, and each piece has one
static void check_carried(const Body *b)
{
  size_t n = b->points->count, *skin = dv_alloc((n + 1) * sizeof *skin), *piece = dv_alloc((n + 1) * sizeof *piece),
         *cells = dv_alloc((b->dofs->count + 1) * sizeof *cells);
  assert_int_equal(parts_of(b->skin, DV_TRIANGLE, skin), parts_of(b->mesh, DV_HEXAHEDRON, cells));
  dvPlaceInCell *p = dv_alloc((n + 1) * sizeof *p);
  dv_barycentric_places(report_find(&b->r, "s/map"), p, n);
  for (size_t i = 0; i < n; i++) {
    size_t of = cells[dv_topology_elements(b->mesh, DV_HEXAHEDRON)->data[8 * (size_t)p[i].hexahedron]];
    if (skin[i] == i) piece[i] = of;
    assert_int_equal(of, piece[skin[i]]);
  }
  dv_free(skin), dv_free(piece), dv_free(cells), dv_free(p);
}

// --- whole cuts ----------------------------------------------------------------------------------

static void a_whole_cut_makes_two_pieces(void **state)
{
  DV_UNUSED(state);
  for (int shape = SPHERE; shape <= BOX; shape++) {
    // through cells, along a plane of the grid, through points of the surface and corners of the cells
    for (int where = 0; where < 4; where++) {
      double x = (double[]){0.17, 0.4, 0, 0.83}[where];
      if (where == 3 && shape != BOX) continue;   // beside the torus and the cap of the sphere
      if (where == 3) x = 0.6;
      Body b;
      start(&b, shape, 5);
      dvBodyCut c = cut(&b, (double[]){x, -2, -2, x, 2, -2, x, 2, 2, x, -2, 2}, 4);
      assert_true(c.doubled >= 36 && c.triangles > 0);
      assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), 2);
      assert_int_equal(pieces(b.skin, DV_TRIANGLE), 2);
      check_carried(&b);
      report_end(&b.r);
    }
  }
}

// what lies on either side of the blade is what a box knows to lie there
static void parts_have_the_volume_of_their_side(void **state)
{
  DV_UNUSED(state);
  Body b;
  start(&b, BOX, 5);
  cut(&b, (double[]){0.25, -2, -2, 0.25, 2, -2, 0.25, 2, 2, 0.25, -2, 2}, 4);
  const double *x = dv_state_read(b.points, DV_X);
  size_t *of = dv_alloc((b.points->count + 1) * sizeof *of);
  parts_of(b.skin, DV_TRIANGLE, of);
  double left = 0, right = 0;
  const dvInts *t = dv_topology_elements(b.skin, DV_TRIANGLE);
  for (size_t i = 0; i < dv_ints_size(t); i++) {
    dvVec3 p[3];
    for (size_t k = 0; k < 3; k++) p[k] = dv_vec3_load(x + 3 * (size_t)t->data[3 * i + k]);
    *(of[t->data[3 * i]] == of[0] ? &left : &right) += dv_vec3_dot(p[0], dv_vec3_cross(p[1], p[2])) / 6;
  }
  check_close(left, (0.83 + 0.25) * 1.66 * 1.66, 1e-6);   // the blade may be moved a little
  check_close(right, (0.83 - 0.25) * 1.66 * 1.66, 1e-6);
  dv_free(of);
  report_end(&b.r);
}

// a torus across: two pieces, each side has two discs; through its axis twice: four
static void cuts_add_up(void **state)
{
  DV_UNUSED(state);
  Body b;
  start(&b, TORUS, 7);
  cut(&b, (double[]){0.05, -2, -2, 0.05, 2, -2, 0.05, 2, 2, 0.05, -2, 2}, 4);
  assert_int_equal(pieces(b.skin, DV_TRIANGLE), 2);
  cut(&b, (double[]){-2, 0.11, -2, 2, 0.11, -2, 2, 0.11, 2, -2, 0.11, 2}, 4);
  assert_int_equal(pieces(b.skin, DV_TRIANGLE), 4);
  assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), 4);
  check_carried(&b);
  report_end(&b.r);
  // two halves of one cut
  start(&b, SPHERE, 5);
  dvBodyCut first = cut(&b, (double[]){0.13, -2, -2, 0.13, 0.03, -2, 0.13, 0.03, 2, 0.13, -2, 2}, 4);
  assert_true(first.triangles > 0 && first.doubled > 0);
  assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), 1);
  assert_int_equal(pieces(b.skin, DV_TRIANGLE), 1);
  cut(&b, (double[]){0.13, -0.02, -2, 0.13, 2, -2, 0.13, 2, 2, 0.13, -0.02, 2}, 4);
  assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), 2);
  report_end(&b.r);
}

// a blade that ends inside leaves one piece, with a slit
static void a_blade_that_ends_inside_leaves_a_slit(void **state)
{
  DV_UNUSED(state);
  for (int shape = SPHERE; shape <= BOX; shape++) {
    Body b;
    start(&b, shape, 6);
    dvBodyCut c = cut(&b, (double[]){0.21, -0.5, -2, 0.21, 0.55, -2, 0.21, 0.45, 0.07, 0.21, -0.6, 0.03}, 4);
    assert_true(c.links > 0 && c.triangles > 0);
    assert_int_equal(pieces(b.skin, DV_TRIANGLE), 1);
    assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), 1);
    report_end(&b.r);
  }
}

static void a_bent_blade_cuts_along_its_sheet(void **state)
{
  DV_UNUSED(state);
  for (int shape = SPHERE; shape <= BOX; shape++)
    for (int deep = 0; deep < 2; deep++) {
      double from[27], to[27], low = -1.5, high = deep ? 0.1 : 1.5;
      for (int i = 0; i < 9; i++) {
        double y = -1.6 + 0.4 * i, x = 0.1 + 0.25 * cos(1.7 * y);
        memcpy(from + 3 * i, (double[]){x, y, low}, 24),
            memcpy(to + 3 * i, (double[]){x + 0.1, y + 0.02 * i, high}, 24);
      }
      Body b;
      start(&b, shape, 6);
      dvIncision how = {&b.mesh->base, positions, &b, 0.1, 0.1, 0, 0};
      dvBodyCut c;
      assert_int_equal(dv_body_cut_sweep(b.mesh, &how, from, to, 9, &c), DV_OK);
      dv_topology_end_changes(b.mesh);
      check_body(&b);
      assert_true(c.triangles > 0);
      assert_int_equal(pieces(b.skin, DV_TRIANGLE), deep ? 1 : 2);
      assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), deep ? 1 : 2);
      if (!deep) check_carried(&b);
      report_end(&b.r);
    }
}

// --- bad input -----------------------------------------------------------------------------------

static void misses_and_nonsense_change_nothing(void **state)
{
  DV_UNUSED(state);
  Body b;
  start(&b, SPHERE, 4);
  dvBodyCut c = cut(&b, (double[]){5, -2, -2, 5, 2, -2, 5, 2, 2, 5, -2, 2}, 4);
  assert_int_equal(c.split + c.doubled + c.links + c.triangles, 0);
  dvIncision how = {&b.mesh->base, positions, &b, 0.1, 0.1, 0, 0};
  const double line[] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, bad[] = {0, NAN, 0, 1, 0, 0, 0, 1, 0}, *both[] = {line, bad};
  for (int i = 0; i < 2; i++) {
    dvSheet sheet = {both[i], (const size_t[]){0, 3}, 1};
    assert_int_equal(dv_body_cut(b.mesh, &how, &sheet, &c), DV_ERROR_USAGE);
  }
  report_says(&b.r, "a blade of 3 corners cuts nothing");
  const dvCellFill bad_fills[] = {{0, {0}, 1}, {1, {0}, 2}, {1, {0}, NAN}, {1, {0}, 0.5}};
  for (int i = 0; i < 4; i++)
    assert_int_equal(dv_topology_fill(b.mesh, &(int32_t){i < 3 ? 5 : 64}, &bad_fills[i], 1), DV_ERROR_USAGE);
  report_says(&b.r, "hexahedron 64 of 64 cannot be filled");
  check_body(&b);
  assert_int_equal(dv_topology_count(b.mesh, DV_HEXAHEDRON), 64);
  report_end(&b.r);
}

static void an_open_surface_is_refused(void **state)
{
  DV_UNUSED(state);
  Body b;
  start(&b, SPHERE, 4);
  assert_int_equal(dv_mesh_remove(b.skin, DV_TRIANGLE, (int32_t[]){40}, 1, DV_REMOVE_PARTS), DV_OK);
  dv_topology_end_changes(b.skin);
  size_t triangles = dv_topology_count(b.skin, DV_TRIANGLE);
  dvIncision how = {&b.mesh->base, positions, &b, 0.1, 0.1, 0, 0};
  const double polygon[] = {0.1, -2, -2, 0.1, 2, -2, 0.1, 2, 2, 0.1, -2, 2};
  dvBodyCut c;
  assert_int_equal(dv_body_cut(b.mesh, &how, &(dvSheet){polygon, (const size_t[]){0, 4}, 1}, &c), DV_ERROR_USAGE);
  report_says(&b.r, "is open at 3 edges");
  assert_int_equal(dv_topology_count(b.skin, DV_TRIANGLE), triangles);
  assert_int_equal(dv_topology_count(b.mesh, DV_HEXAHEDRON), 64);
  report_end(&b.r);
}

// --- many ----------------------------------------------------------------------------------------

static dvVec3 random_place(double size)
{
  return dv_vec3(size * follow_random(), size * follow_random(), size * follow_random());
}

// flat and bent, through all of it and ending inside, at rest and bent out of shape
static void random_sweeps_keep_volume_and_mass(void **state)
{
  DV_UNUSED(state);
  size_t parted = 0;
  follow_seed(7);
  const char *many = getenv("DIVAN_CUTS");
  int trials = many ? atoi(many) / 2 : 25;
  for (int trial = 0; trial < trials; trial++) {
    Body b;
    start(&b, trial % 3, 4 + trial % 3);
    double *x = dv_state_write(b.dofs, DV_X), *v = dv_state_write(b.dofs, DV_V);
    for (size_t i = 0; i < b.dofs->count; i++) {
      dvVec3 p = dv_vec3_load(x + 3 * i);
      if (trial % 2) p = dv_vec3_add(p, dv_vec3_scale(dv_vec3(sin(2 * p.y), p.x * p.z, cos(p.x + p.y)), 0.15));
      dv_vec3_store(x + 3 * i, p);
      dv_vec3_store(v + 3 * i, random_place(1));
    }
    dv_scene_refresh(b.r.scene);
    dv_mech_propagate_x(b.r.scene->plan, DV_X);
    b.volume = volume_of(&b);
    dvVec3 moves = momentum(&b);
    for (int sweep = 0; sweep < 2; sweep++) {
      double from[9], to[9], size = trial % 4 < 2 ? 3 : 0.8;
      dvVec3 at = random_place(0.4), along = dv_vec3_normalise(random_place(1)),
             across = dv_vec3_normalise(dv_vec3_cross(along, random_place(1)));
      for (int i = 0; i < 3; i++) {
        dvVec3 p =
            dv_vec3_add(dv_vec3_add_scaled(at, along, (i - 1) * size), i == 1 ? random_place(0.1) : random_place(0));
        dv_vec3_store(from + 3 * i, dv_vec3_add_scaled(p, across, -size));
        dv_vec3_store(to + 3 * i, dv_vec3_add_scaled(p, across, size));
      }
      dvIncision how = {&b.mesh->base, positions, &b, 0.1, 0.1, 0, 0};
      dvBodyCut c;
      dvStatus done = dv_body_cut_sweep(b.mesh, &how, from, to, 3, &c);
      if (done != DV_OK) print_error("trial %d: %s", trial, b.r.messages.text);
      assert_int_equal(done, DV_OK);
      dv_topology_end_changes(b.mesh);
      check_body(&b);
      dvVec3 now = momentum(&b);
      assert_true(dv_vec3_norm(dv_vec3_sub(now, moves)) < 1e-10 * (1 + dv_vec3_norm(moves)));
      parted += c.split > 0;
    }
    report_end(&b.r);
  }
  assert_true((int)parted > trials);
}

// --- while a scene runs --------------------------------------------------------------------------

static char *write_changes(const char *text)
{
  char *path = dv_format("/tmp/divan_cut_embedded_%d.txt", (int)getpid());
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
  return path;
}

#define CUTS                                                                                          \
  "T= 0.05\n  CUT= 4\n-2 -2 0.13 2 -2 0.13 2 2 0.13 -2 2 0.13\nT= 0.1\n  CUT= 3\n9 9 9 9 8 9 9 8 8\n" \
  "T= 0.15\n  SWEEP= 3\n0.2 -2 -2 0 0 -2 0.1 2 -2  0.2 -2 2 0 0 2 0.1 2 2\n"

static char *running_scene(const char *path)
{
  char *more =
           dv_format("<BoxROI name='top' box='-2 -2 0.99 2 2 2'/><FixedProjectiveConstraint indices='@top.indices'/>"
                     "<TopologicalChangeProcessor filename='%s' printLog='1'/>",
                     path),
       *text = scene_text(SPHERE, 5, more);
  dv_free(more);
  return text;
}

// by a processor: what is not held falls, in two pieces, and takes its part of the surface along
static void pieces_fall(void **state)
{
  DV_UNUSED(state);
  char *path = write_changes(CUTS), *text = running_scene(path);
  Body b;
  start_text(&b, text);
  for (int i = 0; i < 60; i++) assert_int_equal(dv_scene_step(b.r.scene, 0.01), DV_OK);
  report_says(&b.r, "hexahedra split");
  report_says(&b.r, "misses mesh");
  check_closed(&b);
  check_close(total_mass(&b) / b.total, 1, 1e-12);
  assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), 4);
  assert_int_equal(pieces(b.skin, DV_TRIANGLE), 4);
  const double *x = dv_state_read(b.points, DV_X);
  size_t fallen = 0, held = 0;
  for (size_t i = 0; i < b.points->count; i++) {
    assert_true(isfinite(x[3 * i + 2]));
    fallen += x[3 * i + 2]<-0.7, held += x[3 * i + 2]> - 0.2;
  }
  assert_int_equal(fallen + held, b.points->count);
  assert_true(fallen > 100 && held > 50);
  report_end(&b.r);
  dv_free(text);
  remove(path);
  dv_free(path);
}

static uint64_t hash_of(dvScene *scene) { return dv_scene_hash(scene); }

// the same bits for any number of threads, from a snapshot between the cuts, and after a reset
static void the_same_bits(void **state)
{
  DV_UNUSED(state);
  char *path = write_changes(CUTS), *text = running_scene(path);
  uint64_t first = 0;
  for (int threads = 1; threads <= 3; threads++) {
    dvScene *scene = check_scene(text, threads);
    for (int i = 0; i < 10; i++) assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);   // one cut is done
    size_t length;
    void *kept = dv_snapshot_pack(scene, &length);
    for (int i = 0; i < 15; i++) assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
    uint64_t hash = hash_of(scene);
    if (threads == 1) first = hash;
    assert_true(hash == first);
    // back to the middle of it, in the scene itself and in one that was read again
    dvScene *again = check_scene(text, threads);
    dvScene *both[] = {scene, again};
    for (int k = 0; k < 2; k++) {
      assert_int_equal(dv_snapshot_unpack(both[k], kept, length, "kept"), DV_OK);
      for (int i = 0; i < 15; i++) assert_int_equal(dv_scene_step(both[k], 0.01), DV_OK);
      assert_true(hash_of(both[k]) == first);
    }
    dv_scene_reset(scene);
    dvTopology *mesh = dv_topology(check_find(scene, "mesh"));
    assert_int_equal(dv_topology_count(mesh, DV_HEXAHEDRON), 125);
    assert_false(dv_topology_has_fills(mesh));
    for (int i = 0; i < 25; i++) assert_int_equal(dv_scene_step(scene, 0.01), DV_OK);
    assert_true(hash_of(scene) == first);
    dv_free(kept);
    check_close_scene(&scene);
    check_close_scene(&again);
  }
  dv_free(text);
  remove(path);
  dv_free(path);
}

// the time step holds: an explicit one near its limit goes on after cuts that leave slivers of cells
static void the_time_step_holds(void **state)
{
  DV_UNUSED(state);
  char *text = scene_text(SPHERE, 4, "");
  char *solver = strstr(text, "<EulerImplicitSolver rayleighStiffness='0.05'/>");
  assert_non_null(solver);
  memcpy(solver, "<EulerExplicitSolver symplectic='1'/>          ",
         strlen("<EulerImplicitSolver rayleighStiffness='0.05'/>"));
  double limit = 0;   // the largest step that the whole body bears
  for (int cuts = 0; cuts < 2; cuts++) {
    double low = 0.001, high = 0.1;
    for (int round = 0; round < 7; round++) {
      double dt = sqrt(low * high);
      Body b;
      start_text(&b, text);
      if (cuts) cut(&b, (double[]){0.26, -2, -2, 0.3, 2, -2, 0.3, 2, 2, 0.26, -2, 2}, 4);
      if (cuts) cut(&b, (double[]){-2, 0.14, -2, 2, 0.11, -2, 2, 0.11, 2, -2, 0.14, 2}, 4);
      double *v = dv_state_write(b.dofs, DV_V), most = 0;
      follow_seed(3);
      for (size_t i = 0; i < 3 * b.dofs->count; i++) v[i] = 1e-4 * follow_random();
      bool good = true;
      for (int i = 0; i < 300 && good; i++) good = dv_scene_step(b.r.scene, dt) == DV_OK;
      v = dv_state_write(b.dofs, DV_V);
      for (size_t i = 0; i < b.dofs->count; i++) most = dv_max(most, fabs(v[3 * i]));   // across gravity
      *(good && most < 1 ? &low : &high) = dt;
      report_end(&b.r);
    }
    if (!cuts) limit = low;
    else assert_true(low > 0.9 * limit);
  }
  dv_free(text);
}

// the scene of the documentation
static void an_organ_in_a_sparse_grid_is_cut(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene_file("scenes/resection_grid.scn", 1);
  Body b = {.mesh = dv_topology(check_find(scene, "Organ/cells")),
            .skin = dv_topology(check_find(scene, "Organ/Surface/triangles")),
            .points = dv_state(check_find(scene, "Organ/Surface/points"))};
  check_steps(scene, 20);
  double before = volume_of(&b);
  check_steps(scene, 2);
  check_closed(&b);
  check_close(volume_of(&b) / before, 1, 0.01);
  check_steps(scene, 80);
  check_closed(&b);
  assert_int_equal(pieces(b.skin, DV_TRIANGLE), 3);   // the second cut passes above what has fallen
  assert_int_equal(pieces(b.mesh, DV_HEXAHEDRON), 3);
  size_t low = 0;
  for (size_t i = 0; i < b.points->count; i++) {
    double y = dv_state_read(b.points, DV_X)[3 * i + 1];
    assert_true(y > -0.17 && y < 0.1);
    low += y < -0.08;
  }
  assert_true(low > 100);
  check_close_scene(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_cut_makes_two_pieces),
      cmocka_unit_test(parts_have_the_volume_of_their_side),
      cmocka_unit_test(cuts_add_up),
      cmocka_unit_test(a_blade_that_ends_inside_leaves_a_slit),
      cmocka_unit_test(a_bent_blade_cuts_along_its_sheet),
      cmocka_unit_test(misses_and_nonsense_change_nothing),
      cmocka_unit_test(an_open_surface_is_refused),
      cmocka_unit_test(random_sweeps_keep_volume_and_mass),
      cmocka_unit_test(pieces_fall),
      cmocka_unit_test(the_same_bits),
      cmocka_unit_test(the_time_step_holds),
      cmocka_unit_test(an_organ_in_a_sparse_grid_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
