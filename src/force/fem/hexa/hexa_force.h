// Corotational hexahedra, with or without a mass: what the classes of hexa_force.c, hexa_mass.c and hexa_condensed.c
// share.
#ifndef DV_FORCE_FEM_HEXA_HEXA_FORCE_H
#define DV_FORCE_FEM_HEXA_HEXA_FORCE_H

#include "force/fem/corot/corot.h"
#include "force/fem/elastic.h"
#include "force/fem/hexa/condense.h"
#include "topology/change/fill.h"

#define HEXA_METHOD_FIELDS(X)                                                                                       \
  X(choice, method, "large", "",                                                                                    \
    "rotation of an element: from its mean edges (large: one axis is followed, so that a symmetric body may drift " \
    "sideways by some thousandths of its deflection), polar decomposition (polar: it does not), none (small)",      \
    .options = "small|large|polar")
#define HEXA_FIELDS(X)                                                                          \
  X(bool, updateStiffnessMatrix, "0", "",                                                       \
    "integrate the stiffness again from the present shape at each evaluation of the force")     \
  X(reals, stiffnessMatrices, "", "N/m", "matrices of 24 x 24 of the elements in their frames", \
    .flags = DV_OUTPUT | DV_READ_ONLY | DV_HIDDEN)                                              \
  X(vec3s, initialPoints, "", "m", "positions at rest", .flags = DV_READ_ONLY)                  \
  X(string, gatherPt, "", "", "concerns graphics cards only", .flags = DV_HIDDEN)               \
  X(string, gatherBsize, "", "", "concerns graphics cards only", .flags = DV_HIDDEN)            \
  X(bool, drawing, "1", "", "draw the elements", .flags = DV_LOOKS)                             \
  X(real, drawPercentageOffset, "0.15", "", "gap between drawn elements", .flags = DV_LOOKS)

#define HEXAHEDRAL_FIELDS(X) \
  X(reals, hexahedronInfo, "", "", "not used: what an element keeps is internal", .flags = DV_HIDDEN)

#define HEXAHEDRAL_SINGLE_FIELDS(X) \
  X(bool, singlePrecision, "0", "", "round the entries of the matrices to single precision, as SOFA does")

#define HEXAHEDRAL_MASS_FIELDS(X)                                                                                     \
  X(reals, totalMass, "", "kg", "mass of each element", .flags = DV_READ_ONLY)                                        \
  X(reals, particleMasses, "", "kg", "mass of each point: an eighth of those of its elements", .flags = DV_READ_ONLY) \
  X(vec3s, lumpedMasses, "", "kg", "rows of the mass matrix summed, with lumpedMass", .flags = DV_READ_ONLY)

#define HEXA_MASS_FIELDS(X)                                                                                \
  X(bool, separateGravity, "0", "", "add gravity to the velocity before the forces instead of as a force") \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to this mass")                                  \
  X(real, density, "1", "kg/m3", "mass density")                                                           \
  X(bool, lumpedMass, "0", "", "sum the rows of the mass matrix onto its diagonal")                        \
  X(reals, massMatrices, "", "kg", "matrices of 24 x 24 of the elements", .flags = DV_OUTPUT | DV_READ_ONLY | DV_HIDDEN)

#define HEXA_CONDENSED_FIELDS(X)                                                    \
  X(int, nbVirtualFinerLevels, "0", "",                                             \
    "how many of the finer levels of the sparse grid are condensed into its cells") \
  X(bool, useMass, "1", "", "the mass comes from density and cells; else every point has the same mass, from totalMass")

// totalMass is a list of masses of elements in HexahedralFEMForceFieldAndMass
#define HEXA_TOTAL_FIELDS(X) \
  X(real, pointsMass, "0", "kg", "without useMass: the mass that all points share", .spelling = "totalMass")

#define HEXA_COMPOSITE_FIELDS(X)                                                                        \
  X(bool, finestToCoarse, "0", "", "condense the finest level in one go instead of level by level")     \
  X(int, homogenizationMethod, "0", "", "not used: there is the static condensation alone, as in SOFA", \
    .flags = DV_HIDDEN)                                                                                 \
  X(bool, completeInterpolation, "0", "",                                                               \
    "points that are mapped follow all displacements of the corners, also those across")                \
  X(bool, useRamification, "1", "", "take pieces of a sparse grid with branches apart")                 \
  X(int, drawType, "0", "", "how the cells are drawn", .flags = DV_LOOKS)                               \
  X(int, drawColor, "0", "", "colour of the cells", .flags = DV_LOOKS)                                  \
  X(real, drawSize, "-1", "m", "thickness of the edges", .flags = DV_LOOKS)

#define HEXA_VOXEL_FIELDS(X)                                                                                        \
  X(bool, recursive, "0", "", "not used: both ways of SOFA to condense give the same matrices", .flags = DV_HIDDEN) \
  X(bool, useMBK, "1", "", "not used: products take mass and stiffness one after the other", .flags = DV_HIDDEN)

typedef struct dvHexaForce {
  dvElastic elastic;
  HEXA_METHOD_FIELDS(DV_MEMBER)
  HEXA_FIELDS(DV_MEMBER)
  HEXAHEDRAL_FIELDS(DV_MEMBER)
  HEXAHEDRAL_SINGLE_FIELDS(DV_MEMBER)
  HEXAHEDRAL_MASS_FIELDS(DV_MEMBER)
  HEXA_MASS_FIELDS(DV_MEMBER)
  HEXA_CONDENSED_FIELDS(DV_MEMBER)
  HEXA_TOTAL_FIELDS(DV_MEMBER)
  HEXA_COMPOSITE_FIELDS(DV_MEMBER)
  HEXA_VOXEL_FIELDS(DV_MEMBER)
  DV_PARALLEL_FIELDS(DV_MEMBER)
  dvCorot *elements;
  const int32_t *hexa;   // eight points each, the topology's
  size_t count;
  bool stale;               // there is no valid set of elements
  dvReals filled, heavy;    // factors of each element on stiffness and mass; empty: 1
  double *mass;             // [count] mass of each element
  double *matrices;         // [count][3][8][8] mass matrices along each axis of condensed cells; NULL: those of boxes
  bool uniform;             // all entries of a box are the same, as in SOFA; else its matrix is the consistent one
  double *weight, *lump;    // [points] mass that gravity pulls; [3 points] rows of the mass matrix summed
  size_t room[2];           // of `mass`, and of the latter two
  double *condensed;        // [count][576] stiffness of condensed cells, while they are made
  dvComposite *composite;   // how points of the finest level follow the corners; NULL for all but composite cells
  unsigned condensations;   // how often the cells have been condensed: what was made from them may be gone
} dvHexaForce;

extern const dvClass dv_hexa_fem_class, dv_parallel_hexa_fem_class, dv_hexahedral_class;
extern const dvClass dv_hexa_fem_mass_class, dv_hexahedral_mass_class;
extern const dvClass dv_nonuniform_hexa_class, dv_nonuniform_hexahedral_class, dv_composite_hexa_class;

static inline bool dv_hexa_is(const dvHexaForce *h, const dvClass *cls) { return h->elastic.force.base.cls == cls; }
// Cells that count as boxes along the axes.
static inline bool dv_hexa_is_hexahedral(const dvHexaForce *h)
{
  return dv_hexa_is(h, &dv_hexahedral_class) || dv_hexa_is(h, &dv_hexahedral_mass_class) ||
         dv_hexa_is(h, &dv_nonuniform_hexahedral_class);
}
static inline bool dv_hexa_is_condensed(const dvHexaForce *h)
{
  return dv_hexa_is(h, &dv_nonuniform_hexa_class) || dv_hexa_is(h, &dv_nonuniform_hexahedral_class) ||
         dv_hexa_is(h, &dv_composite_hexa_class);
}
static inline bool dv_hexa_has_mass(const dvHexaForce *h)
{
  return dv_hexa_is(h, &dv_hexa_fem_mass_class) || dv_hexa_is(h, &dv_hexahedral_mass_class) || dv_hexa_is_condensed(h);
}
// What a cut has left of element e (topology/change/fill.h).
static inline double dv_hexa_share(const dvHexaForce *h, size_t e)
{
  return dv_topology_filled(dv_elastic_topology(&h->elastic), DV_HEXAHEDRON, e);
}
// How far element e is filled.
static inline double dv_hexa_filled(const dvReals *list, size_t e) { return e < list->count ? list->data[e] : 1; }

// Stiffness of a box with edges along the axes, 24 x 24.
void dv_hexa_box_stiffness(const dvHexaForce *h, const double edges[3], double *k);
double dv_hexa_edges(const double *x, const int32_t *corners, double edges[3]);   // returns their product

// Hooks that all classes share.
dvStatus dv_hexa_force_init(dvObject *o);
dvStatus dv_hexa_force_reinit(dvObject *o);
dvStatus dv_hexa_force_fetch(dvObject *o, dvField *f);
void dv_hexa_force_destroy(dvObject *o);
void dv_hexa_force_topology_changed(dvObject *o);
extern const dvForceOps dv_hexa_force_ops, dv_hexahedral_force_ops;

// Masses of elements and points from the shape at rest.
dvStatus dv_hexa_find_masses(dvHexaForce *h);
// Those that a batch of changes of the mesh concerns; false when all are to be found again.
bool dv_hexa_patch_masses(dvHexaForce *h);
// The part of a box's mass that its consistent matrix has between two corners.
double dv_hexa_mass_share(int i, int j);
// The mass matrix of an element, 24 x 24.
void dv_hexa_mass_matrix(const dvHexaForce *h, size_t e, double *m);
extern const dvMassOps dv_hexa_mass_ops;

// Fills `condensed`, `matrices`, `mass` and, for composite cells, `composite`.
dvStatus dv_hexa_condense(dvHexaForce *h);

#define DV_HEXA_CLASS                                                                                           \
  .struct_size = sizeof(dvClass), .dofs = DV_DOF_VEC3, .size = sizeof(dvHexaForce), .init = dv_hexa_force_init, \
  .reinit = dv_hexa_force_reinit, .fetch = dv_hexa_force_fetch, .destroy = dv_hexa_force_destroy,               \
  .topology_changed = dv_hexa_force_topology_changed

#endif
