// A fluid on a staggered grid: velocities on the faces of cubes, everything else in their middles.
//
//   du/dt + u . grad u = g - grad p / rho + nu lap u,   div u = 0      within phi < 0 and outside of solids
//
// Cell (i, j, k) has its middle at (i, j, k) in units of the width h; u[d] of a cell stands half a cell before its
// middle along d. The outermost layer of cells is wall, and holds the values behind it that walls ask for (slip: the
// same; no slip: mirrored about the wall's velocity). A grid of one layer along z is a flow in the plane: nothing
// differs along z, and nothing moves there.
//
// A step (Bridson, Fluid Simulation for Computer Graphics, 2015) moves phi, velocities and what they carry along the
// flow, back and forth so that the error of the way cancels (MacCormack; Selle et al. 2008), adds forces, lets
// viscosity act (implicit), and takes away the divergence:
//
//   sum over faces of open (P_i - P_j) / theta = -sum over faces of (open u + (1 - open) u_solid),  P = dt p / (rho h)
//
// `open` is the part of a face outside of solids (Batty et al. 2007), theta how far the surface is where the other cell
// is air (ghost fluid: p = 0 there, or sigma kappa where the surface has a tension sigma, kappa its curvature).
#ifndef DV_FLUID_CELLS_H
#define DV_FLUID_CELLS_H

#include "base/array.h"
#include "base/pool.h"
#include "fluid/cells/multigrid.h"

enum { DV_CELLS_MOST = 20000000, DV_CELLS_BAND = 5 /* cells: distances are known within it */ };

typedef struct dvCells {
  // what is given
  dvPool *pool;
  int n[3];   // cells with walls; n[2] is 1 in the plane
  double h, density, viscosity, tension;
  double wall[6][3];    // velocities of the walls at -x, +x, -y ...
  bool slip, surface;   // surface: there is air where phi > 0
  bool separates;       // fluid comes off solids rather than being held by suction
  double tolerance;
  int most;   // iterations
  // derived
  size_t count, stride[3];   // stride 0 along z in the plane
  int axes;                  // 2 or 3
  // the state
  DV_ARRAY(double) u;       // three numbers blocks of `count` each
  DV_ARRAY(double) phi;     // distance to the surface, in cells, negative in the fluid
  DV_ARRAY(double) press;   // p / (rho h)
  DV_ARRAY(double) bent;    // the same at the surface, by its tension: of cells beside it
  // solids: set before a step, all open by default
  DV_ARRAY(double) solid;    // distance to the nearest solid at the low corner of each cell, in cells; > 0 outside
  DV_ARRAY(double) push;     // velocity of solids at faces, blocks like u
  DV_ARRAY(float) open;      // of faces, blocks like u
  bool solids;               // there are some
  DV_ARRAY(uint8_t) loose;   // of cells: DV_CELL_LOOSE where a solid lets the fluid go, bits of faces with a gap
  bool gaps;                 // there are such cells
  double closing;            // cells to metres a second: h / dt
  // work
  DV_ARRAY(double) next;     // like u
  DV_ARRAY(double) spare;    // like u
  DV_ARRAY(double) rhs;      // r of the conjugate gradients
  DV_ARRAY(double) way;      // p
  DV_ARRAY(double) image;    // q
  DV_ARRAY(uint8_t) kind;    // of cells: DV_CELL_
  DV_ARRAY(uint8_t) known;   // of faces, like u: 1 the solve gives it, 2 was filled
  DV_ARRAY(int32_t) queue;   // for floods, and cells near the surface
  DV_ARRAY(double) parts;    // sums of rows
  dvMultigrid mg;
} dvCells;

enum { DV_CELL_WALL, DV_CELL_AIR, DV_CELL_FLUID };
enum { DV_CELL_LOOSE = 64 };   // with the bits of faces at -x, +x, -y ... where there is a gap

// Takes memory for the grid; the state is zero. False when memory is short or there are more than DV_CELLS_MOST cells.
DV_CHECK_RESULT bool dv_cells_open(dvCells *c, const int n[3]);
void dv_cells_free(dvCells *c);

static inline double *dv_cells_u(const dvCells *c, int d) { return c->u.data + (size_t)d * c->count; }
static inline size_t dv_cells_at(const dvCells *c, int i, int j, int k)
{
  return (size_t)i + (size_t)c->n[0] * ((size_t)j + (size_t)c->n[1] * (size_t)k);
}
// Inner cells along an axis: from first to last, without walls.
static inline int dv_cells_first(const dvCells *c, int d) { return d < c->axes ? 1 : 0; }
static inline int dv_cells_last(const dvCells *c, int d) { return d < c->axes ? c->n[d] - 2 : 0; }

// Runs a body over the rows (j, k) of the grid, j fastest; `ns` is what a cell costs.
void dv_cells_rows(const dvCells *c, double ns, dvBody body, void *user);
#define DV_EACH_ROW(c, begin, end)                  \
  for (size_t row_ = (begin); row_ < (end); row_++) \
    for (int j = (int)(row_ % (size_t)(c)->n[1]), k = (int)(row_ / (size_t)(c)->n[1]), once_ = 1; once_; once_ = 0)

// --- advect.c ---
// The velocity at a place, in cells; and a number that stands in the middles.
void dv_cells_velocity(const dvCells *c, const double *u, const double x[3], double out[3]);
double dv_cells_sample(const dvCells *c, const double *q, const double x[3]);
// Moves a number of the cells along the velocities. `axis`: it stands on the faces across that axis; 3: in the middles.
// `work` has room for one number a cell.
void dv_cells_advect(const dvCells *c, const double *q, int axis, double dt, double *out, double *work);
double dv_cells_fastest(const dvCells *c);   // largest component of a velocity

// --- wall.c ---
void dv_cells_open_faces(dvCells *c);                          // `open` from `solid`
void dv_cells_wall(const dvCells *c, double *u);               // what walls ask of velocities
void dv_cells_mirror(const dvCells *c, double *q, int axis);   // walls repeat what is before them
void dv_cells_extend(dvCells *c, int layers);                  // velocities from the fluid into air and solids
void dv_cells_classify(dvCells *c);                            // kinds of cells, faces that the solve gives

// --- loose.c ---
// With the pressures that were found (P of above, dt): which cells come off solids. True when the pressure has to be
// solved again.
bool dv_cells_let_go(dvCells *c, double dt);
void dv_cells_close_gaps(dvCells *c, double dt);                       // before a solve: gaps that are left
double dv_cells_solid(const dvCells *c, size_t at, int d, int side);   // how fast fluid of a cell may meet a solid
void dv_cells_gap_faces(dvCells *c);                                   // velocities and phi of cells where fluid leaves
void dv_cells_mirror_phi(dvCells *c);   // phi in walls: the same as before them, air behind gaps

// --- level.c ---
void dv_cells_redistance(dvCells *c);             // phi becomes a distance again, where the surface stays
double dv_cells_volume(const dvCells *c);         // in cells
void dv_cells_shift(dvCells *c, double volume);   // moves the surface along its normal towards a volume, in cells

// --- curve.c ---
// Distances of cells near the surface, where one point of it is closest: into `to`, and 1 into `kind`.
void dv_cells_closest(dvCells *c, double *to);
void dv_cells_bend(dvCells *c);   // `bent` from phi, which is a distance

// --- step.c ---
typedef struct dvCellsReport {
  int iterations;
  double residual;     // of the pressure over what there was to do
  double divergence;   // largest of a cell, 1/s, after the step
  bool reached;
} dvCellsReport;
void dv_cells_viscosity(dvCells *c, double dt);
dvCellsReport dv_cells_project(dvCells *c, double dt);
// What presses on solids, on those faces that `mine` takes (at a place in cells): force, and moment about a place (in
// cells), in SI units.
typedef struct dvCellsLoad {
  double about[3];
  bool (*mine)(const void *user, const double x[3]);
  const void *user;
  double force[3], moment[3];
} dvCellsLoad;
void dv_cells_load(const dvCells *c, dvCellsLoad *load);

#endif
