// SimpleTesselatedTetraTopologicalMapping and SimpleTesselatedHexaTopologicalMapping: each element becomes eight.
//
// The points of the input come first. Of tetrahedra the middles of the edges follow, in the order of the edges; of
// hexahedra, cell by cell, the middles of edges and faces that no cell before had, then the middle of the cell.
#include "topology/derive.h"
#include "topology/mapping/mapping.h"
#include "topology/search/tuple_set.h"

#define TETRA_FIELDS(X)                                                                                           \
  X(indices, tetrahedraMappedFromTetra, "", "", "the eight tetrahedra made of each tetrahedron of the input",     \
    .flags = DV_OUTPUT)                                                                                           \
  X(indices, tetraSource, "", "", "for each tetrahedron made the one it is part of", .flags = DV_OUTPUT)          \
  X(indices, pointMappedFromPoint, "", "", "point made of each point of the input", .flags = DV_OUTPUT)           \
  X(indices, pointMappedFromEdge, "", "", "point made of each edge of the input", .flags = DV_OUTPUT)             \
  X(indices, pointSource, "", "", "what each point was made of: point p of the input as p + 1, edge e as -e - 1", \
    .flags = DV_OUTPUT)

typedef struct TetraRefinement {
  dvTopologyMapping mapping;
  TETRA_FIELDS(DV_MEMBER)
} TetraRefinement;

#define SELF TetraRefinement
static const dvFieldDesc tetra_fields[] = {TETRA_FIELDS(DV_DESCRIBE)};
#undef SELF

// the mean of some points of the input; points without position count as 0 0 0
static void push_mean(const dvReals *x, const int32_t *points, int n, double *out)
{
  double sum[3] = {0};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3 && (size_t)points[i] < dv_reals_size(x); k++)
      sum[k] += x->data[3 * (size_t)points[i] + (size_t)k];
  for (int k = 0; k < 3; k++) out[k] = sum[k] / n;
}

static bool fill_sources(dvTopologyMapping *m, size_t n)
{
  if (!dv_ints_resize(&m->sources, 8 * n)) return false;
  int32_t *source = dv_ints_edit(&m->sources);
  for (size_t i = 0; i < 8 * n; i++) source[i] = (int32_t)(i / 8);
  return true;
}

// --- tetrahedra ----------------------------------------------------------------------------------

// corners of the pieces: 0 to 3 are the tetrahedron's own, 4 to 9 the middles of its edges
static const int tetra_pieces[8][4] = {{0, 4, 5, 6}, {1, 4, 8, 7}, {2, 5, 7, 9}, {3, 6, 9, 8},
                                       {5, 4, 7, 9}, {5, 4, 9, 6}, {8, 4, 9, 7}, {8, 4, 6, 9}};

static bool tetra_maps(TetraRefinement *r, size_t points, size_t edges, size_t cells)
{
  if (!dv_ints_resize(&r->tetrahedraMappedFromTetra, 8 * cells) || !dv_ints_resize(&r->pointMappedFromPoint, points) ||
      !dv_ints_resize(&r->pointMappedFromEdge, edges) || !dv_ints_resize(&r->pointSource, points + edges))
    return false;
  int32_t *to = dv_ints_edit(&r->tetrahedraMappedFromTetra);
  for (size_t i = 0; i < 8 * cells; i++) to[i] = (int32_t)i;
  to = dv_ints_edit(&r->pointMappedFromPoint);
  for (size_t i = 0; i < points; i++) to[i] = (int32_t)i;
  to = dv_ints_edit(&r->pointMappedFromEdge);
  for (size_t i = 0; i < edges; i++) to[i] = (int32_t)(points + i);
  to = dv_ints_edit(&r->pointSource);
  for (size_t i = 0; i < points; i++) to[i] = (int32_t)i + 1;
  for (size_t i = 0; i < edges; i++) to[points + i] = -(int32_t)i - 1;
  dv_ints_share(&r->tetraSource, &r->mapping.sources);
  return true;
}

static dvStatus refine_tetrahedra(dvTopologyMapping *m, dvTopology *from)
{
  const dvInts *cells = dv_topology_elements(from, DV_TETRAHEDRON), *edges = dv_topology_elements(from, DV_EDGE);
  const dvInts *edges_of = dv_topology_parts(from, DV_EDGE, DV_TETRAHEDRON);
  const dvReals *x = dv_topology_positions(from);
  size_t n = dv_ints_size(cells), edge_count = dv_ints_size(edges), points = dv_topology_point_count(from);
  if (!edges_of || !fill_sources(m, n) || !dv_ints_resize(&m->tetrahedra, 32 * n) ||
      !dv_reals_resize(&m->position, 3 * (points + edge_count)) ||
      !tetra_maps((TetraRefinement *)m, points, edge_count, n))
    return dv_topology_mapping_memory(m);
  double *to = dv_reals_edit(&m->position);
  for (size_t i = 0; i < points; i++) push_mean(x, (int32_t[]){(int32_t)i}, 1, to + 3 * i);
  for (size_t e = 0; e < edge_count; e++) push_mean(x, edges->data + 2 * e, 2, to + 3 * (points + e));
  int32_t *out = dv_ints_edit(&m->tetrahedra);
  for (size_t i = 0; i < n; i++) {
    int32_t corner[10];
    memcpy(corner, cells->data + 4 * i, 4 * sizeof *corner);
    for (size_t k = 0; k < 6; k++) {
      int32_t e = edges_of->data[6 * i + k];
      if (e < 0)
        return dv_error(&m->base, "leave the edges of the input out: they are made when they are needed",
                        "the list of edges of the input lacks one of tetrahedron %zu", i);
      corner[4 + k] = (int32_t)points + e;
    }
    for (int k = 0; k < 8; k++)
      for (int j = 0; j < 4; j++) *out++ = corner[tetra_pieces[k][j]];
  }
  m->points = points + edge_count;
  return DV_OK;
}

// --- hexahedra -----------------------------------------------------------------------------------

static const int hexa_edges[12][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}, {0, 4}, {1, 5},
                                      {2, 6}, {3, 7}, {4, 5}, {5, 6}, {7, 6}, {4, 7}};
static const int hexa_faces[6][4] = {{0, 1, 2, 3}, {0, 1, 5, 4}, {1, 2, 6, 5},
                                     {3, 2, 6, 7}, {0, 3, 7, 4}, {4, 5, 6, 7}};

// corners of the pieces as numbers on a grid of 3 x 3 x 3: piece k holds corner k
static const int corner_at[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                    {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};

static int place(const int *corners, int n)
{
  int at[3] = {0};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) at[k] += corner_at[corners[i]][k];
  return at[0] / n + 3 * (at[1] / n) + 9 * (at[2] / n);
}

typedef struct HexaRefinement {
  const dvReals *x;
  dvTupleSet edges, faces;
  DV_ARRAY(int32_t) edge_points, face_points;   // by number in the sets
  DV_ARRAY(double) positions;
} HexaRefinement;

static int32_t add_point(HexaRefinement *h, const int32_t *points, int n)
{
  dv_reserve(&h->positions, 3);
  push_mean(h->x, points, n, h->positions.data + h->positions.count);
  h->positions.count += 3;
  return (int32_t)(h->positions.count / 3 - 1);
}

static int32_t edge_point(HexaRefinement *h, const int32_t *c, const int *places)
{
  int32_t ends[2] = {c[places[0]], c[places[1]]}, key[2] = {ends[0], ends[1]};
  dv_tuple_sort(key, 2);
  bool fresh = false;
  int32_t number = dv_tuple_set_add(&h->edges, key, &fresh);
  if (fresh) dv_push(&h->edge_points, add_point(h, ends, 2));
  return number < 0 ? 0 : h->edge_points.data[number];
}

static int32_t face_point(HexaRefinement *h, const int32_t *c, const int *places)
{
  int32_t corners[4], key[4];
  for (int k = 0; k < 4; k++) corners[k] = key[k] = c[places[k]];
  dv_tuple_sort(key, 4);
  bool fresh = false;
  int32_t number = dv_tuple_set_add(&h->faces, key, &fresh);
  if (fresh) dv_push(&h->face_points, add_point(h, corners, 4));
  return number < 0 ? 0 : h->face_points.data[number];
}

static void refine_cell(HexaRefinement *h, const int32_t *c, int32_t *out)
{
  int32_t lattice[27];
  for (int k = 0; k < 8; k++) lattice[place(&k, 1)] = c[k];
  for (int k = 0; k < 12; k++) lattice[place(hexa_edges[k], 2)] = edge_point(h, c, hexa_edges[k]);
  for (int k = 0; k < 6; k++) lattice[place(hexa_faces[k], 4)] = face_point(h, c, hexa_faces[k]);
  lattice[13] = add_point(h, c, 8);
  for (int piece = 0; piece < 8; piece++)
    for (int k = 0; k < 8; k++) {
      int at[3];
      for (int d = 0; d < 3; d++) at[d] = (corner_at[piece][d] + corner_at[k][d]) / 2;
      *out++ = lattice[at[0] + 3 * at[1] + 9 * at[2]];
    }
}

static dvStatus refine_hexahedra(dvTopologyMapping *m, dvTopology *from)
{
  const dvInts *cells = dv_topology_elements(from, DV_HEXAHEDRON);
  size_t n = dv_ints_size(cells), points = dv_topology_point_count(from);
  if (!fill_sources(m, n) || !dv_ints_resize(&m->hexahedra, 64 * n)) return dv_topology_mapping_memory(m);
  int32_t *out = dv_ints_edit(&m->hexahedra);
  HexaRefinement h = {.x = dv_topology_positions(from)};
  dv_tuple_set_init(&h.edges, 2);
  dv_tuple_set_init(&h.faces, 4);
  for (size_t i = 0; i < points; i++) add_point(&h, (int32_t[]){(int32_t)i}, 1);
  for (size_t i = 0; i < n; i++) refine_cell(&h, cells->data + 8 * i, out + 64 * i);
  m->points = h.positions.count / 3;
  bool good = !h.edges.failed && !h.faces.failed && dv_reals_assign(&m->position, h.positions.data, h.positions.count);
  dv_tuple_set_free(&h.edges);
  dv_tuple_set_free(&h.faces);
  dv_array_free(&h.edge_points);
  dv_array_free(&h.face_points);
  dv_array_free(&h.positions);
  return good ? DV_OK : dv_topology_mapping_memory(m);
}

static const dvTopologyMappingOps tetra_ops = {DV_TETRAHEDRON, 1u << DV_TETRAHEDRON, true, refine_tetrahedra, NULL};
static const dvTopologyMappingOps hexa_ops = {DV_HEXAHEDRON, 1u << DV_HEXAHEDRON, true, refine_hexahedra, NULL};

#define MODULE "Sofa.Component.Mapping.Linear"
DV_TOPOLOGY_MAPPING_CLASS(dv_tetra_refinement_class, "SimpleTesselatedTetraTopologicalMapping",
                          "each tetrahedron cut into eight", MODULE, TetraRefinement, tetra_ops,
                          DV_BLOCK(tetra_fields));
DV_TOPOLOGY_MAPPING_CLASS(dv_hexa_refinement_class, "SimpleTesselatedHexaTopologicalMapping",
                          "each hexahedron cut into eight", MODULE, dvTopologyMapping, hexa_ops);
