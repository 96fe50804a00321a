// Vessels: from voxels to a tree of branches, to curves with radii, to beams (docs/anatomy.md).
//
//   dvVessels v;
//   dv_vessels_trace(&v, &mask, &error);          centreline: branches of points with radii
//   dv_vessels_fit(&v, 0.1);                      cubic Bézier pieces, within a tenth of the radius
//   dv_vessels_beams(&v, &(dvBeamRule){...}, &b)  frames, edges and radii
//   dv_vessels_free(&v);
#ifndef DV_ANATOMY_VESSELS_H
#define DV_ANATOMY_VESSELS_H

#include "anatomy/mask.h"
#include "base/random.h"

typedef struct dvVesselNode {
  dvVec3 x;
  double radius;
  int32_t degree;   // branches that meet here: 1 at an end, 3 and more at a junction
} dvVesselNode;

// From the node nearer to the root to the other. A branch comes after the one it springs from.
typedef struct dvVesselBranch {
  int32_t from, to, parent;      // nodes; the branch that ends in `from`, -1 at a root
  int32_t first, count;          // of its points, ends included
  int32_t first_piece, pieces;   // of its curve
  double length, radius;         // along its points; mean
} dvVesselBranch;

typedef struct dvVesselPoint {
  dvVec3 x;
  double radius;
} dvVesselPoint;

// A cubic Bézier curve with the radius as a fourth coordinate.
typedef struct dvVesselPiece {
  dvVesselPoint c[4];
} dvVesselPiece;

typedef struct dvVessels {
  DV_ARRAY(dvVesselNode) nodes;
  DV_ARRAY(dvVesselBranch) branches;
  DV_ARRAY(dvVesselPoint) points;
  DV_ARRAY(dvVesselPiece) pieces;
  size_t roots;       // trees: parts that do not hang together
  long loops;         // of the body they come from, cut open by the tree
  double fit_error;   // largest distance of a point from its curve, in radii
} dvVessels;

void dv_vessels_free(dvVessels *v);

// --- centreline.c ---

// Shortest paths in the field of distances from the wall, from the farthest voxels on, until each voxel is near a path
// (M. Sato, I. Bitter, M. A. Bender, A. E. Kaufman, M. Nakajima, TEASAR: tree-structure extraction algorithm for
// accurate and robust skeletons, 2000); then each point moves to the middle of its section. Ends are drawn back by a
// radius: a round end and a flat one cannot be told apart. A part without a direction (a blob) has no branch, and with
// nothing else the status is DV_ERROR_INPUT with the reason. The axes of the mask are left.
DV_CHECK_RESULT dvStatus dv_vessels_trace(dvVessels *v, const dvMask *m, dvMeshError *error);

// Takes away branches thinner than `least` (m) with all that springs from them. False when none is left.
DV_CHECK_RESULT bool dv_vessels_prune(dvVessels *v, double least);

// --- curves.c ---

// Cubic Bézier curves through the points of each branch, with equal directions where pieces meet (P. J. Schneider, An
// algorithm for automatically fitting digitized curves, 1990), no farther from a point than `share` of the radius
// there.
DV_CHECK_RESULT bool dv_vessels_fit(dvVessels *v, double share);
dvVesselPoint dv_vessel_piece_at(const dvVesselPiece *p, double t);
dvVec3 dv_vessel_piece_slope(const dvVesselPiece *p, double t);

// How curves become beams: none longer than `longest` (m; 0: no limit), and none whose chord is farther from the curve
// than `bend` of the radius (0: no limit).
typedef struct dvBeamRule {
  double longest, bend;
} dvBeamRule;

// A frame for each node of a beam, seven numbers, and for each beam the frame at its far end and the one nearer to the
// root: the x axis of the first lies along the beam, as BeamFEMForceField wants it, and at a junction all beams share
// the frame they spring from.
typedef struct dvVesselBeams {
  DV_ARRAY(double) frames;
  DV_ARRAY(int32_t) edges;
  DV_ARRAY(double) radius;    // of each beam
  DV_ARRAY(int32_t) branch;   // of each beam
} dvVesselBeams;

DV_CHECK_RESULT bool dv_vessels_beams(const dvVessels *v, const dvBeamRule *rule, dvVesselBeams *out);
void dv_vessel_beams_free(dvVesselBeams *b);

// --- grow.c: trees made by rule, for generators and tests ---

typedef struct dvGrowth {
  uint32_t seed;
  dvVec3 root, direction;
  double radius, length;   // of the trunk; those of others follow from their radius
  int generations;         // of bifurcations
  double bend;             // how far the middle of a branch leaves its chord, in lengths
  double thinnest;         // branches below this radius are not made
  bool apart;              // the two branches of a junction, too, never come near each other again
  // Distance from the wall of the organ, positive inside; NULL: everywhere. Branches stay a radius away from it.
  double (*inside)(void *user, dvVec3 x);
  void *user;
  const dvVessels *others;   // trees to keep away from; may be NULL
} dvGrowth;

// Branches divide in two with radii by Murray's law, r^3 = a^3 + b^3, and keep away from all others. The pieces are the
// truth: points are on them.
void dv_vessels_grow(dvVessels *v, const dvGrowth *g);
// Paints a tree into an image of bytes, of which `layout` has sizes and origin; no turn.
void dv_vessels_paint(const dvVessels *v, const dvVoxelLayout *layout, uint8_t label, uint8_t *values);

#endif
