// Scalars measured on a few points each: distances, areas, volumes.
//
//   y = m(x_1 … x_n),   J = dm/dx,   geometric stiffness  f d2m/dx2
//
// A mapping embeds dvMeasureMapping, names what it measures (dvMeasure) and lists the points of each element in init.
// The points may belong to several inputs. `Exact` takes the geometric stiffness as it is; `Stabilized` leaves out
// elements whose force pushes (f > 0), which would make the system indefinite, as SOFA does.
#ifndef DV_MAPPING_NONLINEAR_MEASURE_H
#define DV_MAPPING_NONLINEAR_MEASURE_H

#include "math/loose_rows.h"
#include "mechanics/component.h"
#include "topology/topology.h"

enum { DV_MEASURE_POINTS = 4, DV_MEASURE_SCALARS = 12 };   // most points of an element, most scalars of all of them
enum { DV_GEOMETRIC_NONE, DV_GEOMETRIC_EXACT, DV_GEOMETRIC_STABILIZED };

typedef struct dvMeasure {
  int points;   // of an element
  // the value and its gradient; x and the gradient have `space` numbers a point
  double (*value)(const dvObject *o, size_t element, const double *x, double *gradient);
  // second derivatives, row by row, in a cleared matrix; NULL for a linear measure
  void (*curvature)(const dvObject *o, size_t element, const double *x, double *h);
  bool (*ready)(const dvObject *o);   // optional: false while what it needs is missing
} dvMeasure;

#define DV_MEASURE_FIELDS(X)                                                                            \
  X(choice, geometricStiffness, "Stabilized", "", "derivative of J in products with the system matrix", \
    .options = "None|Exact|Stabilized")

typedef struct dvMeasureMapping {
  dvMapping base;
  DV_MEASURE_FIELDS(DV_MEMBER)
  const dvMeasure *measure;
  size_t count;                   // elements
  int space;                      // numbers of a point that take part: the first ones of its coordinate
  DV_ARRAY(int32_t) point;        // of each corner of each element
  DV_ARRAY(int32_t) input;        // whose point it is; empty when there is one input
  DV_ARRAY(double) x, gradient;   // of each corner, as of the last apply
  dvRows around;                  // which corners an input point is: the sum over them is the force on it
  DV_ARRAY(size_t) start;         // of each input's points in `around`
  DV_ARRAY(const double *) in;    // vectors of the inputs, during an operation
} dvMeasureMapping;

extern const dvFieldBlock dv_measure_block;
extern const dvMappingOps dv_measure_ops;

// Takes `count` elements with the points listed in `point` (and `input`), checks them against the inputs, gives the
// output its size and applies the mapping for the first time. `what` names the list in messages.
dvStatus dv_measure_settle(dvObject *o, const dvMeasure *measure, size_t count, const char *what);
void dv_measure_destroy(dvObject *o);
// The topology that a link names, or the one of the node or above.
dvStatus dv_measure_topology(dvObject *o, const dvLink *link, dvTopology **out);
// Takes the elements of a list of a topology as they are.
void dv_measure_take(dvMeasureMapping *m, const dvInts *elements);

// --- for meshes that change (measure_patch.c) ---

// `topology_changed` of mappings that measure all elements of a kind of a topology, or all points of their input
// (NULL, DV_POINT): elements that the trace names are taken and measured again, or everything is made again.
void dv_measure_follow(dvObject *o, dvTopology *t, dvElementKind kind);
// The same where an element is an entry of a list of points, one each. `changed` has those that are new or others,
// ascending; false when everything is to be made again.
bool dv_measure_patch_list(dvObject *o, const dvNumbers *changed, const dvInts *list);
// Measures single elements, from positions and velocities of the inputs.
void dv_measure_apply_to(dvMeasureMapping *m, const dvNumbers *elements);

#endif
