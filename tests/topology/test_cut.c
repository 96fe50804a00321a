// Cuts through tetrahedra: volume and mass stay, the mesh fits together, pieces part and fall, and the surface of
// Tetra2TriangleTopologicalMapping stays closed. 100 random sweeps.
#include "topology/report.h"

#include "state/state.h"
#include "support/scene.h"
#include "topology/change/cut.h"
#include "topology/change/element_data.h"
#include "topology/geometry.h"
#include "topology/mapping/mapping.h"

#include <math.h>
#include <unistd.h>

typedef struct Body {
  Report r;
  dvTopology *mesh, *skin;
  dvElementData cells;
  dvReals mass;
  double volume;
} Body;

static const double *positions(void *user) { return dv_topology_positions(((Body *)user)->mesh)->data; }

#define SKIN "<Node name='s'><TriangleSetTopologyContainer name='t'/><Tetra2TriangleTopologicalMapping/></Node>"

static void add_mesh(dvText *text)
{
  dv_text_add(text, "<TetrahedronSetTopologyContainer name='mesh' ");
  check_add_tetra_box(text, (const int[3]){4, 4, 4}, 0.25);
  dv_text_add(text, "/><TetrahedronSetTopologyModifier/>" SKIN);
}

static double volume_of(Body *b, size_t i)
{
  return dv_tetrahedron_signed_volume(positions(b), dv_topology_elements(b->mesh, DV_TETRAHEDRON)->data + 4 * i);
}

static void start(Body *b)
{
  dvText text = {0};
  *b = (Body){.mass = {.width = 1}};
  dv_text_add(&text, "<Node name='root'>");
  add_mesh(&text);
  dv_text_add(&text, "</Node>");
  report_good(&b->r, text.text);
  dv_text_free(&text);
  b->mesh = dv_topology(report_find(&b->r, "mesh"));
  b->skin = dv_topology(report_find(&b->r, "s/t"));
  size_t n = dv_topology_count(b->mesh, DV_TETRAHEDRON);
  assert_int_equal(n, 320);
  assert_true(dv_reals_resize(&b->mass, n));
  for (size_t i = 0; i < n; i++) dv_reals_edit(&b->mass)[i] = volume_of(b, i), b->volume += volume_of(b, i);
  dv_element_data_init(&b->cells, NULL, b->mesh, DV_TETRAHEDRON);
  assert_int_equal(dv_element_data_add_reals(&b->cells, &b->mass, false), DV_OK);
}

static void end(Body *b)
{
  dv_element_data_fini(&b->cells);
  dv_reals_free(&b->mass);
  report_end(&b->r);
}

static void check_body(Body *b)
{
  double total = 0;
  size_t n = dv_topology_count(b->mesh, DV_TETRAHEDRON);
  assert_int_equal(b->mass.count, n);
  for (size_t i = 0; i < n; i++) {
    assert_true(volume_of(b, i) > 0);   // none is turned inside out
    check_close(b->mass.data[i], volume_of(b, i), 1e-12);
    total += volume_of(b, i);
  }
  check_close(total, b->volume, 1e-12);
  const dvIncidence *around = dv_topology_around(b->mesh, DV_TRIANGLE, DV_TETRAHEDRON);
  size_t border = 0;
  for (size_t i = 0; i < around->count; i++) {
    int32_t count = around->offsets[i + 1] - around->offsets[i];
    assert_true(count == 1 || count == 2);
    border += count == 1;
  }
  assert_int_equal(border, dv_topology_count(b->skin, DV_TRIANGLE));
  // the surface is closed: every edge of it has an even number of triangles
  const dvIncidence *edges = dv_topology_around(b->skin, DV_EDGE, DV_TRIANGLE);
  for (size_t i = 0; i < edges->count; i++) assert_int_equal((edges->offsets[i + 1] - edges->offsets[i]) % 2, 0);
}

static size_t pieces(dvTopology *t)
{
  size_t n = dv_topology_count(t, DV_TETRAHEDRON), points = dv_topology_point_count(t), found = 0;
  const int32_t *list = dv_topology_elements(t, DV_TETRAHEDRON)->data;
  size_t *piece = dv_alloc((points + 1) * sizeof *piece);
  for (size_t i = 0; i < points; i++) piece[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < 4 * n; i++) {
      size_t *a = &piece[list[i]], *c = &piece[list[i / 4 * 4]], least = *a < *c ? *a : *c;
      changed = changed || *a != *c;
      *a = *c = least;
    }
  }
  for (size_t i = 0; i < points; i++) found += piece[i] == i;
  dv_free(piece);
  return found;
}

static dvCut cut(Body *b, const double *polygon, size_t corners, double snap)
{
  dvCut out;
  dvIncision how = {&b->mesh->base, positions, b, snap, snap, 0, 0};
  assert_int_equal(dv_mesh_cut(b->mesh, &how, polygon, corners, &out), DV_OK);
  dv_topology_end_changes(b->mesh);
  check_body(b);
  return out;
}

// through the middle of tetrahedra, along faces of the mesh, through its points
static void a_whole_cut_makes_two_pieces(void **state)
{
  DV_UNUSED(state);
  for (int snapped = 0; snapped < 3; snapped++) {
    double snap = (double[]){0, 0.1, 0.25}[snapped];
    Body b;
    start(&b);
    dvCut c = cut(&b, (double[]){0.43, -1, -1, 0.43, 2, -1, 0.43, 2, 2, 0.43, -1, 2}, 4, snap);
    assert_true(c.split > 40 && c.doubled > 40 && c.quality > 0.01);
    assert_int_equal(pieces(b.mesh), 2);
    end(&b);
    start(&b);
    c = cut(&b, (double[]){0.5, -1, -1, 0.5, 2, -1, 0.5, 2, 2, 0.5, -1, 2}, 4, snap);
    assert_int_equal(c.split, 0);
    assert_int_equal(c.doubled, 25);
    assert_int_equal(pieces(b.mesh), 2);
    end(&b);
    start(&b);
    cut(&b, (double[]){-1, -1, -1, 2, 2, -1, 2, 2, 2, -1, -1, 2}, 4, snap);
    assert_int_equal(pieces(b.mesh), 2);
    end(&b);
  }
}

// a blade that ends inside leaves one piece with a slit; the next stroke goes on from there
static dvCut sweep(Body *b, const double *from, const double *to, size_t count, double snap);

// who follows a mesh hears of each element once
typedef struct Heard {
  dvWatcher watcher;
  dvElementKind kind;
  size_t before, batches, added, removed, again;   // again: came and went in the same stroke
} Heard;

static void hear(dvWatcher *w, const dvChange *c)
{
  Heard *h = (Heard *)w;
  if (c->kind != h->kind || c->what == DV_CHANGES_END) return;
  h->batches++;
  if (c->what == DV_ADDED) h->added += c->count;
  for (size_t i = 0; i < c->count && c->what == DV_REMOVING; i++) {
    h->removed++;
    h->again += (size_t)c->indices[i] >= h->before;
  }
}

static size_t crossed(const dvTopology *mesh, const dvInts *list, double x)
{
  const double *at = dv_topology_positions((dvTopology *)mesh)->data;
  size_t count = 0, width = (size_t)list->width;
  for (size_t i = 0; i < dv_ints_size(list); i++) {
    bool low = false, high = false;
    for (size_t k = 0; k < width; k++) {
      double place = at[3 * (size_t)list->data[i * width + k]];
      low = low || place < x, high = high || place > x;
    }
    count += low && high;
  }
  return count;
}

static void a_cut_concerns_each_element_once(void **state)
{
  DV_UNUSED(state);
  double x = 0.13, blade[] = {x, -9, -9, x, 9, -9, x, 9, 9, x, -9, 9};
  for (int bent = 0; bent < 2; bent++) {   // a sheet of two facets takes several passes
    Body b;
    start(&b);
    assert_int_equal(dv_topology_first_change(b.mesh), DV_OK);
    Heard cells = {.watcher = {.notice = hear}, .kind = DV_TETRAHEDRON}, faces = cells;
    cells.before = dv_topology_count(b.mesh, DV_TETRAHEDRON);
    faces.kind = DV_TRIANGLE, faces.before = dv_topology_count(b.skin, DV_TRIANGLE);
    size_t cut_cells = crossed(b.mesh, dv_topology_elements(b.mesh, DV_TETRAHEDRON), x);
    size_t cut_faces = crossed(b.mesh, dv_topology_elements(b.skin, DV_TRIANGLE), x);
    dv_topology_watch(b.mesh, &cells.watcher);
    dv_topology_watch(b.skin, &faces.watcher);
    double from[] = {x, -9, -9, x, -9, 0.1, x, -9, 9}, to[] = {x, 9, -9, x, 9, 0.1, x, 9, 9};
    dvCut done = bent ? sweep(&b, from, to, 3, 0.1) : cut(&b, blade, 4, 0.1);
    assert_true(done.split > 0 && done.doubled > 0);
    assert_int_equal(cells.batches, 2);
    assert_int_equal(cells.removed, cut_cells);
    assert_int_equal(cells.again, 0);
    assert_int_equal(cells.added, dv_topology_count(b.mesh, DV_TETRAHEDRON) - cells.before + cells.removed);
    // of the surface those go that the blade has cut, and no other
    assert_int_equal(faces.removed, cut_faces);
    assert_int_equal(faces.added, dv_topology_count(b.skin, DV_TRIANGLE) - faces.before + faces.removed);
    dv_topology_unwatch(&cells.watcher);
    dv_topology_unwatch(&faces.watcher);
    end(&b);
  }
}

static void strokes_add_up(void **state)
{
  DV_UNUSED(state);
  Body b;
  start(&b);
  dvCut c = cut(&b, (double[]){0.43, -1, -1, 0.43, 0.6, -1, 0.43, 0.6, 2, 0.43, -1, 2}, 4, 0.1);
  assert_true(c.doubled > 10);
  assert_int_equal(pieces(b.mesh), 1);
  cut(&b, (double[]){0.43, 0.4, -1, 0.43, 2, -1, 0.43, 2, 2, 0.43, 0.4, 2}, 4, 0.1);
  assert_int_equal(pieces(b.mesh), 2);
  end(&b);
}

static void misses_and_nonsense_change_nothing(void **state)
{
  DV_UNUSED(state);
  Body b;
  start(&b);
  dvCut c = cut(&b, (double[]){7, -1, -1, 7, 2, -1, 7, 2, 2}, 3, 0.1);
  assert_true(c.split == 0 && c.doubled == 0);
  dvIncision how = {&b.mesh->base, positions, &b, 0.1, 0.1, 0, 0};
  assert_int_equal(dv_mesh_cut(b.mesh, &how, (double[]){0, 0, 0, 1, 1, 1}, 2, NULL), DV_ERROR_USAGE);
  assert_int_equal(dv_mesh_cut(b.mesh, &how, (double[]){0, 0, 0, 1, 1, 1, 2, 2, 2}, 3, NULL), DV_ERROR_USAGE);
  report_says(&b.r, "cuts nothing");
  assert_int_equal(dv_topology_count(b.mesh, DV_TETRAHEDRON), 320);
  end(&b);
}

static uint64_t seed = 11;
static double random_number(void)   // -1 to 1
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 40) / (double)(1 << 23) - 1;
}

static void random_sweeps_keep_volume_and_mass(void **state)
{
  DV_UNUSED(state);
  double least = 1;
  for (int i = 0; i < 100; i++) {
    Body b;
    start(&b);
    for (int k = 0; k < 2; k++) {
      // a parallelogram around a point of the body
      double polygon[12], c[3], u[3], v[3];
      for (int j = 0; j < 3; j++) c[j] = 0.5 + 0.4 * random_number(), u[j] = random_number(), v[j] = random_number();
      for (int j = 0; j < 3; j++)
        polygon[j] = c[j] - u[j] - v[j], polygon[3 + j] = c[j] + u[j] - v[j], polygon[6 + j] = c[j] + u[j] + v[j],
        polygon[9 + j] = c[j] - u[j] + v[j];
      dvCut one = cut(&b, polygon, 4, 0.1);
      least = fmin(least, one.quality);
    }
    end(&b);
  }
  assert_true(least > 1e-4);   // no slivers of roundings
}

// --- bent sheets ---------------------------------------------------------------------------------

enum { EDGE = 17 };

static dvCut sweep(Body *b, const double *from, const double *to, size_t count, double snap)
{
  dvCut out;
  dvIncision how = {&b->mesh->base, positions, b, snap, snap, 0, 0};
  assert_int_equal(dv_mesh_cut_sweep(b->mesh, &how, from, to, count, &out), DV_OK);
  dv_topology_end_changes(b->mesh);
  check_body(b);
  return out;
}

// the edge of a blade: a parabola from x = low to high
static void bend_edge(double *edge, double y, double low, double high, double middle, double depth)
{
  for (size_t i = 0; i < EDGE; i++) {
    double s = 2 * (double)i / (EDGE - 1) - 1;
    edge[3 * i] = low + (high - low) * (0.5 + 0.5 * s);
    edge[3 * i + 1] = y;
    edge[3 * i + 2] = middle + depth * (1 - s * s);
  }
}

// the mean distance of doubled points from the parabola that was swept
static double distance_from_arc(Body *b, size_t before, double low, double high, double middle, double depth)
{
  double sum = 0;
  size_t points = dv_topology_point_count(b->mesh);
  for (size_t i = before; i < points; i++) {
    const double *x = positions(b) + 3 * i;
    double s = 2 * (x[0] - low) / (high - low) - 1;
    sum += fabs(x[2] - middle - depth * (1 - s * s));
  }
  return sum / (double)(points - before);
}

static void a_bent_blade_cuts_along_its_sheet(void **state)
{
  DV_UNUSED(state);
  static const double depths[] = {0, 0.1, 0.25, 0.4, -0.3};
  for (size_t i = 0; i < DV_COUNT(depths); i++)
    for (int snapped = 0; snapped < 2; snapped++) {
      double from[3 * EDGE], to[3 * EDGE], snap = snapped ? 0.2 : 0.02;
      Body b;
      start(&b);
      size_t before = dv_topology_point_count(b.mesh);
      bend_edge(from, -0.5, -0.2, 1.2, 0.45, depths[i]);
      bend_edge(to, 1.5, -0.2, 1.2, 0.45, depths[i]);
      dvCut c = sweep(&b, from, to, EDGE, snap);
      assert_true(c.doubled > 20 && c.quality > 1e-3);
      assert_int_equal(pieces(b.mesh), 2);
      // points lie on the sheet, but for where edges are met near their ends
      assert_true(distance_from_arc(&b, before, -0.2, 1.2, 0.45, depths[i]) < 0.01 + 0.3 * snap);
      end(&b);
    }
}

// the edge of the blade turns as it goes: quads that are not flat
static void a_twisted_sweep_cuts(void **state)
{
  DV_UNUSED(state);
  double from[6 * 3], to[6 * 3];
  Body b;
  start(&b);
  for (size_t i = 0; i < 6; i++) {
    double x = -0.5 + 0.4 * (double)i;
    from[3 * i] = to[3 * i] = x, from[3 * i + 1] = -0.5, to[3 * i + 1] = 1.5;
    from[3 * i + 2] = 0.43 + 0.25 * (x - 0.5), to[3 * i + 2] = 0.43 - 0.25 * (x - 0.5);
  }
  dvCut c = sweep(&b, from, to, 6, 0.1);
  assert_true(c.doubled > 20);
  assert_int_equal(pieces(b.mesh), 2);
  end(&b);
}

// a roof whose ridge runs through points of the mesh and whose sides lie along its faces, one of them through edges
static void bent_sheets_along_points_edges_and_faces(void **state)
{
  DV_UNUSED(state);
  const double ridge[] = {-0.5, -1, -0.5, 0.5, -1, 0.5, 0.5, -1, 2}, across[] = {-0.5, 2, -0.5, 0.5, 2, 0.5, 0.5, 2, 2};
  for (int snapped = 0; snapped < 3; snapped++) {
    Body b;
    start(&b);
    dvCut c = sweep(&b, ridge, across, 3, (double[]){0, 0.1, 0.3}[snapped]);
    assert_true(c.doubled >= 15);
    assert_int_equal(pieces(b.mesh), 2);
    end(&b);
  }
  Body b;
  start(&b);
  dvCut c = sweep(&b, (double[]){0, 9, 0, 1, 9, 0, 2, 9, 1}, (double[]){0, 8, 0, 1, 8, 0, 2, 8, 1}, 3, 0.1);
  assert_true(c.split == 0 && c.doubled == 0 && c.quality == 1);
  dvIncision how = {&b.mesh->base, positions, &b, 0.1, 0.1, 0, 0};
  assert_int_equal(dv_mesh_cut_sweep(b.mesh, &how, ridge, ridge, 3, NULL), DV_ERROR_USAGE);   // it does not move
  assert_int_equal(dv_mesh_cut_sweep(b.mesh, &how, ridge, across, 1, NULL), DV_ERROR_USAGE);
  assert_int_equal(dv_mesh_cut_sweep(b.mesh, &how, ridge, across, 0, NULL), DV_ERROR_USAGE);
  report_says(&b.r, "cuts nothing");
  end(&b);
}

static void random_bent_sweeps_keep_volume_and_mass(void **state)
{
  DV_UNUSED(state);
  double least = 1;
  size_t met = 0;
  for (int i = 0; i < 100; i++) {
    Body b;
    start(&b);
    for (int k = 0; k < 2; k++) {
      // an edge that wanders, and where it has gone: some sheets cross themselves
      double from[3 * 9], to[3 * 9], x[3], way[3], drift[3];
      for (int j = 0; j < 3; j++)
        x[j] = 0.5 + 0.7 * random_number(), way[j] = random_number(), drift[j] = 0.25 * random_number();
      for (int p = 0; p < 9; p++)
        for (int j = 0; j < 3; j++) {
          from[3 * p + j] = x[j] - way[j], to[3 * p + j] = x[j] + way[j] + 0.1 * random_number();
          x[j] += drift[j] += 0.1 * random_number();
        }
      dvCut one = sweep(&b, from, to, 9, 0.1);
      least = fmin(least, one.quality);
      met += one.split > 0;
    }
    end(&b);
  }
  assert_true(met > 100);
  assert_true(least > 1e-4);   // 0.002 as it stands
}

// by a processor, with forces: the half that is not held falls, and the time step holds
static void a_piece_falls(void **state)
{
  DV_UNUSED(state);
  char *path = dv_format("/tmp/divan_cut_%d.txt", (int)getpid());
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs("T= 0.02\n  CUT= 4\n-1 0.43 -1 2 0.43 -1 2 0.43 2 -1 0.43 2\nT= 0.06\n  CUT= 3\n9 9 9 9 8 9 9 8 8\n", f);
  fclose(f);
  dvText text = {0};
  dv_text_add(&text, "<Node name='root' dt='0.01' gravity='0 -10 0'><EulerImplicitSolver/><CGLinearSolver "
                     "iterations='100' tolerance='1e-9' threshold='1e-14'/>");
  add_mesh(&text);
  dv_text_printf(&text,
                 "<MechanicalObject name='dofs'/><DiagonalMass massDensity='1000' name='mass'/>"
                 "<TetrahedralCorotationalFEMForceField youngModulus='100000' poissonRatio='0.3' method='large'/>"
                 "<BoxROI name='top' box='-1 0.99 -1 2 1.1 2'/><FixedProjectiveConstraint indices='@top.indices'/>"
                 "<TopologicalChangeProcessor filename='%s' printLog='1'/></Node>",
                 path);
  Body b = {0};
  report_good(&b.r, text.text);
  b.mesh = dv_topology(report_find(&b.r, "mesh"));
  for (int i = 0; i < 50; i++) assert_int_equal(dv_scene_step(b.r.scene, 0.01), DV_OK);
  assert_int_equal(pieces(b.mesh), 2);
  report_says(&b.r, "smallest quality");
  report_says(&b.r, "misses mesh");
  dvState *dofs = dv_state(report_find(&b.r, "dofs"));
  const double *x = dv_state_read(dofs, DV_X);
  size_t fallen = 0, held = 0;
  for (size_t i = 0; i < dofs->count; i++) {
    assert_true(isfinite(x[3 * i + 1]));
    fallen += x[3 * i + 1]<-0.4, held += x[3 * i + 1]> 0.35;
  }
  assert_int_equal(fallen + held, dofs->count);
  assert_true(fallen > 60 && held > 60);
  remove(path);
  dv_free(path);
  dv_text_free(&text);
  report_end(&b.r);
}

// the scene of the README: the part that is cut off comes to rest on the table, the other one stays where it hangs
static void a_part_of_an_organ_falls_onto_a_table(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene_file("scenes/resection.scn", 1);
  dvTopology *mesh = dv_topology(check_find(scene, "Organ/tetrahedra"));
  dvState *dofs = dv_state(check_find(scene, "Organ/dofs"));
  check_steps(scene, 150);
  assert_int_equal(pieces(mesh), 2);
  size_t low = 0, high = 0;
  for (size_t i = 0; i < dofs->count; i++) {
    double y = dv_state_read(dofs, DV_X)[3 * i + 1];
    assert_true(y > -0.16);   // the table gives way a little
    low += y<-0.04, high += y> - 0.07;
  }
  assert_true(low > 60 && high > 200);
  check_close_scene(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_cut_makes_two_pieces),
      cmocka_unit_test(a_cut_concerns_each_element_once),
      cmocka_unit_test(strokes_add_up),
      cmocka_unit_test(misses_and_nonsense_change_nothing),
      cmocka_unit_test(random_sweeps_keep_volume_and_mass),
      cmocka_unit_test(a_bent_blade_cuts_along_its_sheet),
      cmocka_unit_test(a_twisted_sweep_cuts),
      cmocka_unit_test(bent_sheets_along_points_edges_and_faces),
      cmocka_unit_test(random_bent_sweeps_keep_volume_and_mass),
      cmocka_unit_test(a_piece_falls),
      cmocka_unit_test(a_part_of_an_organ_falls_onto_a_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
