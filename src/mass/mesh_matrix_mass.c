// MeshMatrixMass: the consistent mass matrix of a mesh, or its lumped diagonal.
//
// M_ij = integral of rho N_i N_j over the elements. For linear simplices that is, with the measure V of an element:
// triangles V/6 on the diagonal and V/12 between two points, tetrahedra V/10 and V/20. For quads and hexahedra SOFA
// keeps only the pairs along edges and takes V/8 and V/16, V/20 and V/40, so that each row still sums to V/4, V/8. The
// lumped matrix multiplies the diagonal so that rows sum the same: by 2 on surfaces, by 2.5 in volumes; the weight
// always uses it. Prisms and pyramids, which SOFA does not have here, are integrated with all their pairs, and so are
// quads and hexahedra unless `exact` is off: SOFA's weights of a hexahedron are indefinite (docs/differences.md).
#include "mass/classes.h"
#include "mass/element.h"
#include "mass/matrix.h"
#include "mass/mesh_measure.h"
#include "object/compat.h"
#include "topology/change/fill.h"
#include "topology/derive.h"

#include <float.h>
#include <string.h>

#define MESH_MATRIX_MASS_FIELDS(X)                                                                                \
  X(reals, massDensity, "", "kg/m3", "mass per volume (or area): one number, or one per element", .least = "0")   \
  X(real, totalMass, "1", "kg", "mass of all points together; goes before the others", .least = "0")              \
  X(reals, vertexMass, "", "kg", "diagonal entries, one per point; before lumping when edgeMass is not given")    \
  X(reals, edgeMass, "", "kg", "entries between two points, one per edge")                                        \
  X(bool, computeMassOnRest, "0", "", "measure the elements at rest rather than where they stand at the start")   \
  X(bool, showGravityCenter, "0", "", "draw the centre of gravity", .flags = DV_LOOKS)                            \
  X(real, showAxisSizeFactor, "1", "", "length of drawn axes", .flags = DV_LOOKS)                                 \
  X(bool, lumping, "0", "", "use the lumped, diagonal matrix")                                                    \
  X(bool, exact, "1", "", "integrate the shape functions of quads and hexahedra instead of weighing their edges") \
  X(bool, printMass, "0", "", "print the sum of all masses at the start")                                         \
  X(string, graph, "", "", "unused", .flags = DV_HIDDEN | DV_LOOKS)                                               \
  X(link, topology, "", "", "mesh the masses are computed from", .role = DV_ROLE_TOPOLOGY)                        \
  X(link, geometryState, "", "", "state that has the positions of that mesh", .role = DV_ROLE_STATE)

typedef struct MeshMatrixMass {
  dvMassMatrix matrix;   // its diagonal alone when the mass is lumped
  MESH_MATRIX_MASS_FIELDS(DV_MEMBER)
  dvMassMesh mesh;
  bool has_mesh;
  bool whole;                         // integrate the shape functions of quads and hexahedra
  bool integrated;                    // the matrix is complete: vertexMass and edgeMass only show parts of it
  double lump;                        // factor from vertexMass to the lumped masses
  dvNumbers around;                   // elements of a point, or points of a row
  dvReals vertex_extra, edge_extra;   // what points and edges have beside the shares of elements, where it was given
} MeshMatrixMass;

#define SELF MeshMatrixMass
static const dvFieldDesc mesh_matrix_mass_fields[] = {MESH_MATRIX_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

static const dvClass full_class;

static void mesh_matrix_mass_destroy(dvObject *o)
{
  MeshMatrixMass *m = (MeshMatrixMass *)o;
  dv_mass_matrix_free(&m->matrix);
  dv_mass_mesh_free(&m->mesh);
  dv_reals_free(&m->vertex_extra);
  dv_reals_free(&m->edge_extra);
  dv_array_free(&m->around);
}

static dvObject *object_of(MeshMatrixMass *m) { return &m->matrix.diagonal.base.base; }

// --- from the mesh -------------------------------------------------------------------------------

// share of the measure on the diagonal and between the points of an edge, and what lumping multiplies by
typedef struct Rule {
  double vertex, edge, lump;
} Rule;

static const Rule rules[DV_ELEMENT_KINDS] = {
    [DV_EDGE] = {1.0 / 3, 1.0 / 6, 1.5},         [DV_TRIANGLE] = {1.0 / 6, 1.0 / 12, 2},
    [DV_QUAD] = {1.0 / 8, 1.0 / 16, 2},          [DV_TETRAHEDRON] = {1.0 / 10, 1.0 / 20, 2.5},
    [DV_HEXAHEDRON] = {1.0 / 20, 1.0 / 40, 2.5},
};

static double density_of(const MeshMatrixMass *m, size_t element)
{
  return m->massDensity.count == 1 ? m->massDensity.data[0] : m->massDensity.data[element];
}

static double weigh_edges(MeshMatrixMass *m, const Rule *rule, const double *x)
{
  const dvMassMesh *mesh = &m->mesh;
  const dvInts *parts =
      m->lumping || mesh->kind == DV_EDGE ? NULL : dv_topology_parts(mesh->topology, DV_EDGE, mesh->kind);
  size_t n = m->vertexMass.count, corners = (size_t)mesh->elements->width, sides = parts ? (size_t)parts->width : 0;
  double total = 0;
  for (size_t e = 0; e < dv_ints_size(mesh->elements); e++) {
    double mass = density_of(m, e) * dv_mass_mesh_measure(mesh, x, e);
    const int32_t *points = mesh->elements->data + e * corners;
    for (size_t i = 0; i < corners; i++)
      if (points[i] >= 0 && (size_t)points[i] < n) m->vertexMass.data[points[i]] += mass * rule->vertex;
    for (size_t i = 0; i < sides; i++) {
      int32_t edge = parts->data[e * sides + i];
      if (edge >= 0 && (size_t)edge < m->edgeMass.count) m->edgeMass.data[edge] += mass * rule->edge;
    }
    if (mesh->kind == DV_EDGE && !m->lumping && e < m->edgeMass.count) m->edgeMass.data[e] += mass * rule->edge;
    total += mass;
  }
  return total;
}

// shows the entries of the whole matrix in the fields; a lumped one has only its row sums
static void show_point(MeshMatrixMass *m, int32_t i)
{
  m->vertexMass.data[i] = m->lumping ? m->matrix.diagonal.mass.data[i] : *dv_mass_matrix_at(&m->matrix, i, i);
}

static void show_edge(MeshMatrixMass *m, const dvInts *edges, size_t i)
{
  const double *entry = dv_mass_matrix_at(&m->matrix, edges->data[2 * i], edges->data[2 * i + 1]);
  m->edgeMass.data[i] = entry && !m->lumping ? *entry : 0;
}

static void show_entries(MeshMatrixMass *m)
{
  const dvInts *edges = dv_topology_elements(m->mesh.topology, DV_EDGE);
  for (size_t i = 0; i < m->vertexMass.count; i++) show_point(m, (int32_t)i);
  for (size_t i = 0; i < m->edgeMass.count; i++) show_edge(m, edges, i);
}

typedef struct Integral {
  const MeshMatrixMass *m;
  const double *x;   // where elements are measured
} Integral;

static bool entries_of(void *user, size_t e, double *entries)
{
  const Integral *in = user;
  const dvMassMesh *mesh = &in->m->mesh;
  int corners = mesh->elements->width;
  const int32_t *points = mesh->elements->data + e * (size_t)corners;
  double at[3 * DV_SHAPE_NODES], rho[DV_SHAPE_NODES];
  bool inside = dv_mass_mesh_corners(mesh, in->x, e, at);
  for (int i = 0; i < corners; i++) {
    inside = inside && points[i] >= 0 && (size_t)points[i] < in->m->vertexMass.count;
    rho[i] = density_of(in->m, e) * dv_topology_filled(mesh->topology, mesh->kind, e);
  }
  if (inside) dv_mass_element(mesh->kind, dv_shape_product_quadrature(mesh->kind), at, rho, entries);
  return inside;
}

static double integrate(MeshMatrixMass *m, const double *x)
{
  const dvMassMesh *mesh = &m->mesh;
  int corners = mesh->elements->width;
  double total = 0, entries[DV_MASS_ENTRIES];
  if (!dv_mass_matrix_shape(&m->matrix, mesh->elements)) return 0;
  for (size_t e = 0; e < dv_ints_size(mesh->elements); e++) {
    if (!entries_of(&(Integral){m, x}, e, entries)) continue;
    dv_mass_matrix_add(&m->matrix, mesh->elements->data + e * (size_t)corners, corners, entries);
    for (int i = 0; i < corners * corners; i++) total += entries[i];
  }
  m->integrated = dv_mass_matrix_sum(&m->matrix);
  if (m->integrated) show_entries(m);
  return total;
}

// fills vertexMass and edgeMass for the densities given; returns the total mass
static double assemble(MeshMatrixMass *m)
{
  const dvMassMesh *mesh = &m->mesh;
  const Rule *rule = &rules[mesh->kind];
  const double *x = dv_mass_mesh_settle(&m->mesh);
  m->integrated = false;
  m->vertexMass.count = m->edgeMass.count = 0;
  if (!dv_reals_resize(&m->vertexMass, m->matrix.diagonal.base.state->count) ||
      !dv_reals_resize(&m->edgeMass, dv_topology_count(mesh->topology, DV_EDGE)))
    return 0;
  if (rule->lump == 0 || m->whole) {
    m->lump = 1;
    return integrate(m, x);
  }
  m->lump = rule->lump;
  return weigh_edges(m, rule, x);
}

static bool set_density(MeshMatrixMass *m, double value) { return dv_reals_assign(&m->massDensity, &value, 1); }

static void from_total(MeshMatrixMass *m)
{
  if (m->totalMass < 0) {
    dv_field_warning(object_of(m), &m->totalMass, "give a positive mass", "totalMass %g is negative; 1 is used",
                     m->totalMass);
    m->totalMass = 1;
  }
  if (!set_density(m, 1)) return;
  double volume = assemble(m), density = volume > DBL_EPSILON ? m->totalMass / volume : 1;
  for (size_t i = 0; i < m->vertexMass.count; i++) m->vertexMass.data[i] *= density;
  for (size_t i = 0; i < m->edgeMass.count; i++) m->edgeMass.data[i] *= density;
  for (size_t i = 0; i < m->matrix.entry.count && m->integrated; i++) m->matrix.entry.data[i] *= density;
  if (m->integrated) dv_mass_matrix_sum(&m->matrix);
  set_density(m, density);
}

static bool density_fits(MeshMatrixMass *m)
{
  size_t n = m->massDensity.count, elements = dv_ints_size(m->mesh.elements);
  if (n != 1 && n != elements) {
    dv_field_warning(object_of(m), &m->massDensity, "give one number, or one per element",
                     "massDensity has %zu numbers, the mesh %zu %s; totalMass %g is used", n, elements,
                     dv_element_name(m->mesh.kind), m->totalMass);
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    if (m->massDensity.data[i] >= 0) continue;
    dv_field_warning(object_of(m), &m->massDensity, "give positive densities",
                     "massDensity %zu is negative (%g); totalMass %g is used", i, m->massDensity.data[i], m->totalMass);
    return false;
  }
  return true;
}

static bool masses_fit(MeshMatrixMass *m, const dvReals *list, size_t want, const char *what)
{
  const char *name = dv_field_name(dv_field_of(object_of(m), list)->desc);
  if (list->count != want) {
    dv_field_warning(object_of(m), list, NULL, "%s has %zu numbers, the mesh %zu %s; totalMass %g is used", name,
                     list->count, want, what, m->totalMass);
    return false;
  }
  for (size_t i = 0; i < want; i++) {
    if (list->data[i] >= 0) continue;
    dv_field_warning(object_of(m), list, NULL, "%s %zu is negative (%g); totalMass %g is used", name, i, list->data[i],
                     m->totalMass);
    return false;
  }
  return true;
}

static void set_extra(dvReals *extra, const dvReals *given, const dvReals *shares, double density)
{
  if (given->count != shares->count || !dv_reals_resize(extra, given->count)) return;
  for (size_t i = 0; i < given->count; i++) extra->data[i] = given->data[i] - density * shares->data[i];
}

static double add_extra(const dvReals *extra, dvReals *masses)
{
  double total = 0;
  for (size_t i = 0; i < extra->count && extra->count == masses->count; i++) {
    masses->data[i] += extra->data[i];
    total += extra->data[i];
  }
  return total;
}

// entries as given: the density that they stand for is found from the measure of the mesh
static void from_entries(MeshMatrixMass *m)
{
  dvReals vertex = {.width = 1}, edge = {.width = 1};
  dv_reals_share(&vertex, &m->vertexMass);
  dv_reals_share(&edge, &m->edgeMass);
  if (!set_density(m, 1)) return;
  double volume = assemble(m);
  m->integrated = false;
  m->totalMass = 0;
  for (size_t i = 0; i < vertex.count; i++) m->totalMass += vertex.data[i];
  for (size_t i = 0; i < edge.count; i++) m->totalMass += edge.data[i];
  double density = volume > DBL_EPSILON ? m->totalMass / volume : 1;
  set_density(m, density);
  set_extra(&m->vertex_extra, &vertex, &m->vertexMass, density);
  set_extra(&m->edge_extra, &edge, &m->edgeMass, density);
  dv_reals_share(&m->vertexMass, &vertex);
  if (edge.count) dv_reals_share(&m->edgeMass, &edge);
  dv_reals_free(&vertex);
  dv_reals_free(&edge);
}

static void from_vertex_masses(MeshMatrixMass *m)
{
  dvObject *o = object_of(m);
  bool edges = dv_was_set(o, &m->edgeMass);
  if (!edges && !m->lumping)
    dv_field_warning(o, &m->vertexMass, "set lumping to 1, or give edgeMass too",
                     "vertexMass alone is not enough for a full matrix; totalMass %g is used", m->totalMass);
  bool good =
      (edges || m->lumping) && masses_fit(m, &m->vertexMass, dv_topology_point_count(m->mesh.topology), "points");
  if (good && edges) good = masses_fit(m, &m->edgeMass, dv_topology_count(m->mesh.topology, DV_EDGE), "edges");
  if (good) from_entries(m);
  else from_total(m);
}

// A lumped matrix has the same rows either way, and given entries are taken as they are: there is nothing to decide.
static bool is_whole(MeshMatrixMass *m, bool given)
{
  dvObject *o = object_of(m);
  if (m->mesh.kind != DV_QUAD && m->mesh.kind != DV_HEXAHEDRON) return false;
  if (!m->lumping && !given) dv_compat_field(o, &m->exact, DV_COMPAT_MESH_MATRIX_MASS);
  return m->exact && ((!m->lumping && !given) || dv_was_set(o, &m->exact));
}

static void compute(MeshMatrixMass *m)
{
  dvObject *o = object_of(m);
  bool total = dv_was_set(o, &m->totalMass), density = dv_was_set(o, &m->massDensity) && m->massDensity.count > 0,
       vertex = dv_was_set(o, &m->vertexMass);
  m->whole = is_whole(m, vertex && !total && !density);
  if (total + density + vertex > 1)
    dv_warning(o, "give only one of them", "several masses are given; %s goes before the others",
               total ? "totalMass" : "massDensity");
  if (total || (!density && !vertex)) from_total(m);
  else if (!density) from_vertex_masses(m);
  else if (density_fits(m)) m->totalMass = assemble(m);
  else from_total(m);
}

// --- set-up --------------------------------------------------------------------------------------

static bool fill_matrix(MeshMatrixMass *m)
{
  const dvInts *edges = dv_topology_elements(m->mesh.topology, DV_EDGE);
  if (!dv_mass_matrix_shape(&m->matrix, edges)) return false;
  for (size_t i = 0; i < m->vertexMass.count; i++) {
    double *at = dv_mass_matrix_at(&m->matrix, (int32_t)i, (int32_t)i);
    if (at) *at = m->vertexMass.data[i];
  }
  for (size_t i = 0; i < 2 * m->edgeMass.count; i++) {
    double *at = dv_mass_matrix_at(&m->matrix, edges->data[i], edges->data[i ^ 1]);
    if (at && edges->data[i] != edges->data[i ^ 1]) *at += m->edgeMass.data[i / 2];
  }
  return true;
}

static void touch_masses(MeshMatrixMass *m)
{
  dvObject *o = object_of(m);
  dv_touch(o, &m->vertexMass);
  dv_touch(o, &m->edgeMass);
  dv_touch(o, &m->massDensity);
  dv_touch(o, &m->totalMass);
}

static dvStatus adopt(MeshMatrixMass *m)
{
  dvDiagonal *d = &m->matrix.diagonal;
  dvObject *o = object_of(m);
  if (!m->integrated) {
    d->count = dv_min_size(m->vertexMass.count, d->base.state->count);
    if (!dv_reals_resize(&d->mass, d->count)) return dv_error(o, NULL, "out of memory for %zu masses", d->count);
    for (size_t i = 0; i < d->count; i++) d->mass.data[i] = m->lump * m->vertexMass.data[i];
    if (m->has_mesh && !m->lumping && !fill_matrix(m))
      return dv_error(o, NULL, "out of memory for %zu edges", m->edgeMass.count);
  }
  touch_masses(m);
  return DV_OK;
}

// --- what a batch of changes concerns ------------------------------------------------------------

// shares of an element that its points get together, in terms of its mass
static double shares_of(const MeshMatrixMass *m)
{
  return (double)m->mesh.elements->width * rules[m->mesh.kind].vertex;
}

static double mass_of(const MeshMatrixMass *m, const double *x, size_t e)
{
  return density_of(m, e) * dv_mass_mesh_measure(&m->mesh, x, e);
}

// the sum of the shares of the elements around a point, to the bits of weigh_edges
static double weigh_point(MeshMatrixMass *m, const double *x, int32_t point)
{
  const dvMassMesh *mesh = &m->mesh;
  size_t corners = (size_t)mesh->elements->width;
  double mass = 0;
  dv_mass_mesh_around(mesh, point, &m->around);
  for (size_t k = 0; k < m->around.count; k++) {
    size_t e = (size_t)m->around.data[k];
    for (size_t i = 0; i < corners; i++)
      if (mesh->elements->data[e * corners + i] == point) mass += mass_of(m, x, e) * rules[mesh->kind].vertex;
  }
  return mass;
}

// whether two points are the ends of one of an element's edges; diagonals are not
static bool has_edge(dvElementKind kind, const int32_t *corner, int32_t p, int32_t q)
{
  const int(*edges)[2] = kind == DV_TRIANGLE      ? dv_edges_of_triangle
                         : kind == DV_QUAD        ? dv_edges_of_quad
                         : kind == DV_TETRAHEDRON ? dv_edges_of_tetrahedron
                                                  : dv_edges_of_hexahedron;
  static const int counts[DV_ELEMENT_KINDS] = {
      [DV_TRIANGLE] = 3, [DV_QUAD] = 4, [DV_TETRAHEDRON] = 6, [DV_HEXAHEDRON] = 12};
  for (int i = 0; i < counts[kind]; i++) {
    int32_t a = corner[edges[i][0]], b = corner[edges[i][1]];
    if ((a == p && b == q) || (a == q && b == p)) return true;
  }
  return false;
}

static double weigh_edge(MeshMatrixMass *m, const double *x, int32_t edge)
{
  const dvMassMesh *mesh = &m->mesh;
  const int32_t *ends = dv_topology_list(mesh->topology, DV_EDGE)->data + 2 * (size_t)edge;
  size_t corners = (size_t)mesh->elements->width;
  double mass = 0;
  if (mesh->kind == DV_EDGE) return mass_of(m, x, (size_t)edge) * rules[DV_EDGE].edge;
  dv_mass_mesh_around(mesh, ends[0], &m->around);
  for (size_t k = 0; k < m->around.count; k++) {
    const int32_t *c = mesh->elements->data + corners * (size_t)m->around.data[k];
    if (has_edge(mesh->kind, c, ends[0], ends[1]))
      mass += mass_of(m, x, (size_t)m->around.data[k]) * rules[mesh->kind].edge;
  }
  return mass;
}

// the row of a point anew: itself, and the other ends of its edges
static bool write_row(MeshMatrixMass *m, int32_t point)
{
  const dvInts *edges = dv_topology_list(m->mesh.topology, DV_EDGE);
  m->around.count = 0;
  for (int32_t at = dv_topology_first_at(m->mesh.topology, DV_EDGE, point); at >= 0;
       at = dv_topology_next_at(m->mesh.topology, DV_EDGE, at))
    dv_push(&m->around, edges->data[at ^ 1]);
  dv_push(&m->around, point);
  dv_numbers_unique(&m->around);
  if (!dv_mass_matrix_renew(&m->matrix, point, m->around.data, m->around.count)) return false;
  *dv_mass_matrix_at(&m->matrix, point, point) = m->vertexMass.data[point];
  for (int32_t at = dv_topology_first_at(m->mesh.topology, DV_EDGE, point); at >= 0;
       at = dv_topology_next_at(m->mesh.topology, DV_EDGE, at))
    if (edges->data[at ^ 1] != point)
      *dv_mass_matrix_at(&m->matrix, point, edges->data[at ^ 1]) += m->edgeMass.data[at / 2];
  return true;
}

// rows of points whose masses or neighbours are others: those of the trace, and the ends of all their edges
static bool patch_rows(MeshMatrixMass *m, const dvTrace *trace)
{
  dvNumbers edges = {0}, points = {0};
  const dvInts *list = dv_topology_list(m->mesh.topology, DV_EDGE);
  dv_trace_around(m->mesh.topology, DV_EDGE, dv_trace_points(trace), &edges);
  for (size_t i = 0; i < edges.count; i++)
    dv_push(&points, list->data[2 * edges.data[i]]), dv_push(&points, list->data[2 * edges.data[i] + 1]);
  for (size_t i = 0; i < dv_trace_points(trace)->count; i++) dv_push(&points, dv_trace_points(trace)->data[i]);
  dv_numbers_unique(&points);
  bool good = dv_mass_matrix_resize(&m->matrix, m->vertexMass.count);
  for (size_t i = 0; i < points.count && good; i++) good = write_row(m, points.data[i]);
  dv_array_free(&edges);
  dv_array_free(&points);
  return good;
}

// edges whose masses may be others: those around the points of the trace
static bool patch_edges(MeshMatrixMass *m, const double *x, const dvTrace *trace)
{
  dvNumbers edges = {0};
  if (!dv_reals_resize(&m->edgeMass, dv_topology_count(m->mesh.topology, DV_EDGE))) return false;
  double *mass = dv_reals_edit(&m->edgeMass);
  if (!m->lumping) dv_trace_around(m->mesh.topology, DV_EDGE, dv_trace_points(trace), &edges);
  for (size_t i = 0; i < edges.count; i++) mass[edges.data[i]] = weigh_edge(m, x, edges.data[i]);
  dv_array_free(&edges);
  return true;
}

// sums of what the numbers at these points, and at those that are no more, are
static double sum_at(const dvReals *mass, const dvNumbers *points, size_t now)
{
  double sum = 0;
  for (size_t p = now; p < mass->count; p++) sum += mass->data[p];
  for (size_t i = 0; i < points->count; i++)
    if ((size_t)points->data[i] < dv_min_size(now, mass->count)) sum += mass->data[points->data[i]];
  return sum;
}

// the same for a matrix that is integrated
static bool patch_integral(MeshMatrixMass *m, const double *x, const dvTrace *trace)
{
  dvDiagonal *d = &m->matrix.diagonal;
  dvTopology *t = m->mesh.topology;
  size_t n = d->base.state->count;
  dvNumbers rows = {0}, edges = {0};
  dv_trace_beside(t, m->mesh.kind, dv_trace_points(trace), &rows);
  double gone = sum_at(&d->mass, &rows, n);
  bool good = dv_reals_resize(&m->vertexMass, n) && dv_reals_resize(&m->edgeMass, dv_topology_count(t, DV_EDGE)) &&
              dv_mass_matrix_patch(&m->matrix, &(dvMassIntegral){t, m->mesh.kind, entries_of, &(Integral){m, x}},
                                   dv_trace_points(trace), &rows);
  if (good) {
    dv_reals_edit(&m->vertexMass), dv_reals_edit(&m->edgeMass);
    m->totalMass += sum_at(&d->mass, &rows, n) - gone;
    dv_trace_around(t, DV_EDGE, &rows, &edges);
    for (size_t i = 0; i < rows.count; i++) show_point(m, rows.data[i]);
    for (size_t i = 0; i < edges.count; i++) show_edge(m, dv_topology_list(t, DV_EDGE), (size_t)edges.data[i]);
  }
  dv_array_free(&rows);
  dv_array_free(&edges);
  return good;
}

static bool patch_edge_weights(MeshMatrixMass *m, const double *x, const dvTrace *trace)
{
  dvDiagonal *d = &m->matrix.diagonal;
  size_t n = d->base.state->count;
  const dvNumbers *points = dv_trace_points(trace);
  double gone = sum_at(&m->vertexMass, points, n);
  if (!dv_reals_resize(&m->vertexMass, n) || !dv_reals_resize(&d->mass, n)) return false;
  double *mass = dv_reals_edit(&m->vertexMass);
  for (size_t i = 0; i < points->count; i++) {
    int32_t p = points->data[i];
    mass[p] = weigh_point(m, x, p);
    d->mass.data[p] = m->lump * mass[p];
  }
  d->count = n;
  m->totalMass += (sum_at(&m->vertexMass, points, n) - gone) / shares_of(m);
  return patch_edges(m, x, trace) && (m->lumping || patch_rows(m, trace));
}

// false when everything is to be computed
static bool patch(MeshMatrixMass *m)
{
  dvObject *o = object_of(m);
  const dvDiagonal *d = &m->matrix.diagonal;
  const dvTrace *trace = dv_mass_mesh_trace(&m->mesh, o, d->base.state->count);
  dvElementKind kind = m->mesh.kind;
  bool integral = m->whole || rules[kind].lump == 0;
  if (!trace || m->integrated != integral || d->count != m->vertexMass.count || m->edge_extra.count ||
      m->vertex_extra.count ||
      (m->massDensity.count > 1 && m->massDensity.count != dv_topology_count(m->mesh.topology, kind)))
    return false;
  const double *x = dv_mass_mesh_settle(&m->mesh);
  if (!(integral ? patch_integral : patch_edge_weights)(m, x, trace)) return false;
  touch_masses(m);
  return dv_follow_patched(o);
}

// the mesh has changed
static void mesh_matrix_mass_set_up(dvObject *o)
{
  MeshMatrixMass *m = (MeshMatrixMass *)o;
  if (!m->has_mesh || patch(m)) return;
  dv_mass_mesh_settle(&m->mesh);
  size_t given = m->massDensity.count, want = dv_ints_size(m->mesh.elements);
  if (given > 1 && given != want && dv_reals_resize(&m->massDensity, dv_max_size(want, 1)))   // it was made again
    for (size_t i = given; i < want; i++) m->massDensity.data[i] = m->massDensity.data[0];
  dvReals vertices = {.width = 1}, edges = {.width = 1};
  double total = m->totalMass;
  if (o->rewound) dv_reals_share(&vertices, &m->vertexMass), dv_reals_share(&edges, &m->edgeMass);
  m->totalMass = assemble(m);
  m->totalMass += add_extra(&m->vertex_extra, &m->vertexMass);
  m->totalMass += add_extra(&m->edge_extra, &m->edgeMass);
  if (o->rewound) {   // what is shown is that of the start
    m->totalMass = total;
    dv_reals_share(&m->vertexMass, &vertices), dv_reals_share(&m->edgeMass, &edges);
  }
  dv_reals_free(&vertices);
  dv_reals_free(&edges);
  adopt(m);
}

// new points and edges have only the shares of their elements
static void vertex_created(void *user, const dvNewElement *e)
{
  MeshMatrixMass *m = user;
  if (e->row < m->vertex_extra.count) dv_reals_edit(&m->vertex_extra)[e->row] = 0;
}

static void edge_created(void *user, const dvNewElement *e)
{
  MeshMatrixMass *m = user;
  if (e->row < m->edge_extra.count) dv_reals_edit(&m->edge_extra)[e->row] = 0;
}

static void follow_extra(MeshMatrixMass *m)
{
  dvObject *o = object_of(m);
  dvTopology *t = m->mesh.topology;
  if (m->vertex_extra.count) {
    dvElementData *d = dv_follow_elements(o, t, DV_POINT);
    dv_element_data_add_reals(d, &m->vertex_extra, false);
    d->create = vertex_created;
  }
  if (m->edge_extra.count) {
    dvElementData *d = dv_follow_elements(o, t, DV_EDGE);
    dv_element_data_add_reals(d, &m->edge_extra, false);
    d->create = edge_created;
  }
}

static dvStatus mesh_matrix_mass_init(dvObject *o)
{
  MeshMatrixMass *m = (MeshMatrixMass *)o;
  DV_TRY(dv_mass_init(o));
  o->dof = m->matrix.diagonal.base.state->base.dof;
  m->has_mesh = dv_mass_mesh_find(o, &m->topology, &m->geometryState, &m->mesh);
  o->cls = m->has_mesh && !m->lumping ? &full_class : &dv_mesh_matrix_mass_class;
  m->vertex_extra.width = m->edge_extra.width = 1;
  m->vertex_extra.count = m->edge_extra.count = 0;
  if (m->has_mesh) {
    dvElementData *d = dv_mass_mesh_follow(&m->mesh, o, m->computeMassOnRest);
    compute(m);
    dv_element_data_add_reals(d, &m->massDensity, true);
    follow_extra(m);
    dv_follow_keep_reals(o, &m->vertexMass);
    dv_follow_keep_reals(o, &m->edgeMass);
    dv_follow_keep_reals(o, &m->massDensity);
    dv_follow_keep_number(o, &m->totalMass);
  }
  if (m->printMass) dv_note(o, "total mass %g kg", m->totalMass);
  dv_diagonal_watch(&m->matrix.diagonal, mesh_matrix_mass_set_up, NULL);
  return adopt(m);
}

#define MESH_MATRIX_MASS_CLASS(table)                                                                        \
  {                                                                                                          \
    .struct_size = sizeof(dvClass), .name = "MeshMatrixMass",                                                \
    .help = "the consistent mass matrix of a mesh, or its lumped diagonal", .module = "Sofa.Component.Mass", \
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3, .size = sizeof(MeshMatrixMass),                         \
    .blocks = {&dv_object_block, &dv_mass_block, DV_BLOCK(mesh_matrix_mass_fields)},                         \
    .ops = {[DV_ROLE_MASS] = &(table)}, .init = mesh_matrix_mass_init, .reinit = mesh_matrix_mass_init,      \
    .destroy = mesh_matrix_mass_destroy, .topology_changed = dv_diagonal_topology_changed,                   \
  }

// an instance takes the second one when it has a full matrix
const dvClass dv_mesh_matrix_mass_class = MESH_MATRIX_MASS_CLASS(dv_diagonal_ops);
static const dvClass full_class = MESH_MATRIX_MASS_CLASS(dv_mass_matrix_ops);
