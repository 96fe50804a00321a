// Mesh2PointTopologicalMapping: points at given places in every element of the input. CenterPointTopologicalMapping:
// one point for every hexahedron.
//
// Places are offsets from points, and shares of the corners after the first (edges, triangles, tetrahedra) or
// coordinates in the unit square or cube (quads, hexahedra). The points of points come first, then those of edges,
// triangles, quads, tetrahedra, hexahedra; element by element, place by place.
#include "topology/mapping/mapping.h"

#include "object/compat.h"

#define POINT_FIELDS(X)                                                                              \
  X(vec3s, pointBaryCoords, "", "m", "offsets of the points made of each point")                     \
  X(vec3s, edgeBaryCoords, "", "", "places of the points made of each edge")                         \
  X(vec3s, triangleBaryCoords, "", "", "places of the points made of each triangle")                 \
  X(vec3s, quadBaryCoords, "", "", "places of the points made of each quad")                         \
  X(vec3s, tetraBaryCoords, "", "", "places of the points made of each tetrahedron")                 \
  X(vec3s, hexaBaryCoords, "", "", "places of the points made of each hexahedron")                   \
  X(bool, copyEdges, "0", "", "keep the edges, between the first point of each point")               \
  X(bool, copyTriangles, "0", "", "keep the triangles, between the first point of each point")       \
  X(bool, copyTetrahedra, "0", "", "keep the tetrahedra, between the first point of each point")     \
  X(indices, sourceKinds, "", "",                                                                    \
    "what each point was made of: 0 point, 1 edge, 2 triangle, 3 quad, 4 tetrahedron, 5 hexahedron", \
    .flags = DV_OUTPUT | DV_HIDDEN)

typedef struct PointMaker {
  dvTopologyMapping mapping;
  POINT_FIELDS(DV_MEMBER)
} PointMaker;

#define SELF PointMaker
static const dvFieldDesc point_fields[] = {POINT_FIELDS(DV_DESCRIBE)};
#undef SELF

void dv_topology_shares(dvElementKind kind, const double f[3], bool as_sofa, double out[8])
{
  double x = f[0], y = f[1], z = f[2];
  switch (kind) {
  case DV_EDGE:
    out[0] = 1 - x, out[1] = x;
    break;
  case DV_TRIANGLE:
    out[0] = 1 - x - y, out[1] = x, out[2] = y;
    break;
  case DV_TETRAHEDRON:
    out[0] = 1 - x - y - z, out[1] = x, out[2] = y, out[3] = z;
    break;
  case DV_QUAD:   // in SOFA corner 2 stands for the upper left one here, though it is the upper right one
    out[0] = (1 - x) * (1 - y), out[1] = x * (1 - y), out[2] = x * y, out[3] = (1 - x) * y;
    if (as_sofa) out[2] = (1 - x) * y, out[3] = x * y;
    break;
  case DV_HEXAHEDRON:
    for (int k = 0; k < 8; k++) {
      bool right = k % 4 == 1 || k % 4 == 2, up = k % 4 >= 2;
      out[k] = (right ? x : 1 - x) * (up ? y : 1 - y) * (k >= 4 ? z : 1 - z);
    }
    break;
  default:
    out[0] = 1;
    break;
  }
}

static void point_of(const dvReals *x, dvElementKind kind, const int32_t *corners, const double place[3], bool as_sofa,
                     double out[3])
{
  double share[8];
  dv_topology_shares(kind, place, as_sofa, share);
  for (int k = 0; k < 3; k++) out[k] = kind == DV_POINT ? place[k] : 0;
  for (int i = 0; i < dv_element_points(kind); i++)
    for (int k = 0; k < 3 && (size_t)corners[i] < dv_reals_size(x); k++)
      out[k] += share[i] * x->data[3 * (size_t)corners[i] + (size_t)k];
}

static const dvElementKind order[6] = {DV_POINT, DV_EDGE, DV_TRIANGLE, DV_QUAD, DV_TETRAHEDRON, DV_HEXAHEDRON};

static bool add_points(PointMaker *p, dvTopology *from, int which, const dvReals *places)
{
  dvTopologyMapping *m = &p->mapping;
  dvElementKind kind = order[which];
  size_t n = dv_topology_count(from, kind), each = dv_reals_size(places), at = m->sources.count;
  if (!n || !each) return true;
  const dvReals *x = dv_topology_positions(from);
  const dvInts *elements = dv_topology_elements(from, kind);
  if (n * each > DV_POINT_LIMIT || !dv_reals_resize(&m->position, 3 * (at + n * each)) ||
      !dv_ints_resize(&m->sources, at + n * each) || !dv_ints_resize(&p->sourceKinds, at + n * each))
    return false;
  bool as_sofa = kind == DV_QUAD && dv_compat(&m->base, DV_COMPAT_QUAD_POINTS);
  double *out = dv_reals_edit(&m->position);
  int32_t *source = dv_ints_edit(&m->sources), *kinds = dv_ints_edit(&p->sourceKinds);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < each; j++, at++) {
      int32_t self = (int32_t)i;
      const int32_t *corners = kind == DV_POINT ? &self : elements->data + i * (size_t)elements->width;
      point_of(x, kind, corners, places->data + 3 * j, as_sofa, out + 3 * at);
      source[at] = self;
      kinds[at] = which;
    }
  return true;
}

// the elements of the input, whose point p is number p * each here
static bool copy_elements(PointMaker *p, dvTopology *from, dvElementKind kind, bool *wanted)
{
  size_t each = dv_reals_size(&p->pointBaryCoords);
  if (!*wanted) return true;
  if (!each) {
    dv_field_warning(&p->mapping.base, wanted, "give pointBaryCoords=\"0 0 0\"",
                     "no %s are kept: their points are not made", dv_element_name(kind));
    return true;
  }
  const dvInts *elements = dv_topology_elements(from, kind);
  dvInts *out = dv_topology_mapping_list(&p->mapping, kind);
  if (!dv_ints_assign(out, elements->data, elements->count)) return false;
  int32_t *to = dv_ints_edit(out);
  for (size_t i = 0; i < out->count; i++) to[i] *= (int32_t)each;
  return true;
}

static dvStatus make_points(dvTopologyMapping *m, dvTopology *from)
{
  PointMaker *p = (PointMaker *)m;
  const dvReals *places[6] = {&p->pointBaryCoords, &p->edgeBaryCoords,  &p->triangleBaryCoords,
                              &p->quadBaryCoords,  &p->tetraBaryCoords, &p->hexaBaryCoords};
  DV_TRY(dv_object_pull(&m->base));
  DV_MUST(dv_reals_resize(&m->position, 0));
  DV_MUST(dv_ints_resize(&p->sourceKinds, 0));
  bool good = true;
  for (int i = 0; i < 6 && good; i++) good = add_points(p, from, i, places[i]);
  good = good && copy_elements(p, from, DV_EDGE, &p->copyEdges) &&
         copy_elements(p, from, DV_TRIANGLE, &p->copyTriangles) &&
         copy_elements(p, from, DV_TETRAHEDRON, &p->copyTetrahedra);
  m->points = m->sources.count;
  return good ? DV_OK : dv_topology_mapping_memory(m);
}

// the middles of the hexahedra
static dvStatus make_centres(dvTopologyMapping *m, dvTopology *from)
{
  const dvInts *cells = dv_topology_elements(from, DV_HEXAHEDRON);
  size_t n = dv_ints_size(cells);
  if (!dv_reals_resize(&m->position, 3 * n) || !dv_ints_resize(&m->sources, n)) return dv_topology_mapping_memory(m);
  double *out = dv_reals_edit(&m->position);
  int32_t *source = dv_ints_edit(&m->sources);
  const double middle[3] = {0.5, 0.5, 0.5};
  for (size_t i = 0; i < n; i++) {
    point_of(dv_topology_positions(from), DV_HEXAHEDRON, cells->data + 8 * i, middle, false, out + 3 * i);
    source[i] = (int32_t)i;
  }
  m->points = n;
  return DV_OK;
}

static const dvTopologyMappingOps point_ops = {DV_POINT, 1u << DV_EDGE | 1u << DV_TRIANGLE | 1u << DV_TETRAHEDRON, true,
                                               make_points, NULL};
static const dvTopologyMappingOps centre_ops = {DV_HEXAHEDRON, 0, true, make_centres, NULL};

DV_TOPOLOGY_MAPPING_CLASS(dv_mesh_to_point_class, "Mesh2PointTopologicalMapping",
                          "points at given places in the elements of a mesh", "Sofa.Component.Mapping.Linear",
                          PointMaker, point_ops, DV_BLOCK(point_fields));
DV_TOPOLOGY_MAPPING_CLASS(dv_center_point_class, "CenterPointTopologicalMapping",
                          "a point in the middle of every hexahedron", "Sofa.Component.Topology.Mapping",
                          dvTopologyMapping, centre_ops);
