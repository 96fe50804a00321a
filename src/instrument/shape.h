// What an instrument is made of, from the handle to the tip: sections of a rod, and the shape at rest that they form
// together. x is the length along it from the handle.
#ifndef DV_INSTRUMENT_SHAPE_H
#define DV_INSTRUMENT_SHAPE_H

#include "base/array.h"
#include "force/fem/beam.h"
#include "math/pose.h"
#include "object/object.h"
#include "topology/topology.h"

#define DV_ROD_FIELDS(X)                                                                       \
  X(real, poissonRatio, "0.49", "", "Poisson's ratio")                                         \
  X(real, youngModulus, "5000", "Pa", "Young's modulus")                                       \
  X(real, massDensity, "1", "kg/m^3", "mass of a volume")                                      \
  X(real, radius, "1", "m", "radius of the section")                                           \
  X(real, innerRadius, "0", "m", "radius of its bore")                                         \
  X(real, length, "1", "m", "length of this part; that of its curve where a mesh tells it")    \
  X(int, nbBeams, "5", "", "beams of this part when it is all out; nbEdgesCollis by default")  \
  X(int, nbEdgesVisu, "10", "", "edges of the line that WireRestShape puts into its topology") \
  X(int, nbEdgesCollis, "20", "", "edges of this part for collision")

typedef struct dvRodSection {
  dvObject base;
  DV_ROD_FIELDS(DV_MEMBER)
  dvBeamSection section;
  // the frame at rest `along` this part, which begins at the origin along x
  dvPose (*pose)(const struct dvRodSection *s, double along);
} dvRodSection;

extern const dvClass dv_rod_straight_class, dv_rod_spire_class, dv_rod_mesh_class;
// NULL when it is another component.
dvRodSection *dv_rod_section(dvObject *o);

#define DV_REST_SHAPE_FIELDS(X)                                                                              \
  X(indices, densityOfBeams, "", "", "beams of each part", .flags = DV_READ_ONLY)                            \
  X(reals, keyPoints, "", "m", "where the parts begin and end", .flags = DV_READ_ONLY)                       \
  X(links, wireMaterials, "", "", "sections of the rod, from the handle to the tip", .flags = DV_REQUIRED)   \
  X(link, topology, "", "", "topology that gets the line of the instrument; the one of the node by default", \
    .role = DV_ROLE_TOPOLOGY)

typedef struct dvWireShape {
  dvObject base;
  DV_REST_SHAPE_FIELDS(DV_MEMBER)
  DV_ARRAY(dvRodSection *) parts;
} dvWireShape;

extern const dvClass dv_wire_shape_class;
double dv_wire_shape_length(const dvWireShape *s);
// Gives a topology so many points, at the origin, and edges from each to the next. False when memory is short.
DV_CHECK_RESULT bool dv_topology_make_line(dvTopology *t, size_t points);
// The part at x, and the frame at rest there; borders belong to the part before.
const dvRodSection *dv_wire_shape_part(const dvWireShape *s, double x);
dvPose dv_wire_shape_pose(const dvWireShape *s, double x);

#endif
