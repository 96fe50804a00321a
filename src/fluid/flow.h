// A step of an incompressible fluid of particles: neighbours with their gradients, pressure, viscosity.
//
// Particles i and the samples b of walls (boundary.h) stand in one search of neighbours. With a kernel W of radius h
// and g_ij = m grad W(x_i - x_j)
//
//   rho_i = m W(0) + sum_j m W(r_ij) + sum_b rho_0 s_b Psi(r) t    density
//   (D v)_i = sum_j (v_i - v_j) . g_ij                             its rate, walls included
//   a_i = -(D^T k)_i = -sum_j (k_i + k_j) g_ij                     acceleration by pressure, k = p/rho^2; 0 for walls
//
// so that pressure is the multiplier of the density: D D^T is symmetric, and forces of pairs are opposite.
//
// A sample stands for a piece of wall of the area s_b with a normal; a particle is t before that plane. The sum over
// walls is what W misses behind them (solid.c). Friction and adhesion see planes: a particle is z before that of a
// piece and l beside it, P(l) is a smooth kernel in the plane, so that the sum over s_b P is 1, and A(z) the integral
// of W over a plane at the distance z.
#ifndef DV_FLUID_FLOW_H
#define DV_FLUID_FLOW_H

#include "fluid/near.h"
#include "fluid/smooth.h"

typedef struct dvFlowChunk {
  // of each pair of the chunk
  DV_ARRAY(double) g;        // gradient: three numbers
  DV_ARRAY(double) r;        // distance; of a wall: height of the particle along the normal
  DV_ARRAY(double) share;    // of walls: s_b P
  DV_ARRAY(uint8_t) front;   // of walls: the particle is before this piece
  DV_ARRAY(double) drag;     // where there is viscosity: the force is -drag (v_i - v_j)
} dvFlowChunk;

typedef struct dvFlow {
  // what is given
  dvPool *pool;
  size_t particles, samples;
  double radius, density, mass;
  double period[3];   // of space, 0: it has no end
  dvSmooth kernel;
  // places that are searched: particles, samples, and images of both across the ends of space
  DV_ARRAY(double) places;
  DV_ARRAY(int32_t) image;   // of which place
  DV_ARRAY(int32_t) rank;    // of each place
  // by rank; what images have is not used
  dvNear near;
  DV_ARRAY(int32_t) who;        // the place; -1: an image
  DV_ARRAY(double) v;           // velocities
  DV_ARRAY(double) weight;      // m, or s_b, which the caller writes
  DV_ARRAY(uint32_t) walls;     // how many of its neighbours are particles: walls stand behind them
  DV_ARRAY(int32_t) wall;       // of samples: whose it is
  DV_ARRAY(double) viscosity;   // towards the particle or sample
  DV_ARRAY(double) normal;      // of walls, three numbers; 0 where there is none
  DV_ARRAY(double) pull;        // attraction towards it, N m^4/kg^2 (cohesion.c)
  DV_ARRAY(double) rho;
  DV_ARRAY(double) k;       // p/rho^2
  DV_ARRAY(double) work;    // room for the solves
  DV_ARRAY(double) parts;   // sums of chunks
  DV_ARRAY(dvFlowChunk) chunks;
} dvFlow;

void dv_flow_free(dvFlow *f);

// Room for particles and samples: then the caller writes `places` (three numbers each). False when memory is short.
DV_CHECK_RESULT bool dv_flow_open(dvFlow *f, size_t particles, size_t samples);
// Neighbours, in an order of ranks, and room for all that has one. False when memory is short.
DV_CHECK_RESULT bool dv_flow_search(dvFlow *f);
// Weights, gradients and densities.
void dv_flow_measure(dvFlow *f);

// Whether a rank is that of a particle, of a sample.
static inline bool dv_flow_moves(const dvFlow *f, size_t rank)
{
  return f->who.data[rank] >= 0 && (size_t)f->who.data[rank] < f->particles;
}
static inline bool dv_flow_stands(const dvFlow *f, size_t rank)
{
  return f->who.data[rank] >= 0 && (size_t)f->who.data[rank] >= f->particles;
}

// The rank of the place that an image shows.
static inline size_t dv_flow_home(const dvFlow *f, size_t rank)
{
  if (f->who.data[rank] >= 0) return rank;
  return (size_t)f->rank.data[f->image.data[(size_t)f->near.point.data[rank] - f->particles - f->samples]];
}

// What is kept of a pair.
typedef struct dvFlowPair {
  double *g, *r, *share;
  uint8_t *front;
} dvFlowPair;
static inline dvFlowPair dv_flow_pair(dvFlowPair p, size_t n)
{
  return (dvFlowPair){p.g + 3 * n, p.r + n, p.share + n, p.front + n};
}
// Where space has a period: pieces of walls that lie on themselves count once.
void dv_flow_fold(dvFlow *f);
// What the pieces of walls in a list (images too) add to the density of a particle; their pairs are written.
double dv_flow_meet_walls(const dvFlow *f, size_t rank, const int32_t *list, size_t count, dvFlowPair out);

// Visits the particles of a chunk of ranks.
#define DV_EACH_PARTICLE(f, i, c)                                                                      \
  for (size_t i = (c)*DV_NEAR_CHUNK; i < dv_min_size(((c) + 1) * DV_NEAR_CHUNK, (f)->near.count); i++) \
    if (dv_flow_moves((f), i))

// Runs a body over the chunks of ranks.
void dv_flow_run(dvFlow *f, double ns, dvBody body, void *user);
// What bodies find in their chunks: sums, added in the order of the chunks, and in the last part a largest value.
enum { DV_FLOW_PARTS = 4 };
void dv_flow_sum(const dvFlow *f, double out[DV_FLOW_PARTS]);
// The neighbours of a rank: particles, then walls.
typedef struct dvFlowNear {
  const int32_t *list;
  const double *g;      // three numbers each
  size_t moving, all;   // particles, and with walls
  size_t first;         // of the lists of its chunk
} dvFlowNear;
static inline dvFlowNear dv_flow_of(const dvFlow *f, size_t rank)
{
  const dvNearChunk *c = &f->near.chunks.data[rank / DV_NEAR_CHUNK];
  dvFlowNear n = {.first = c->start[rank % DV_NEAR_CHUNK], .moving = f->walls.data[rank]};
  n.all = dv_near_of(&f->near, rank, &n.list);
  if (n.all) n.g = f->chunks.data[rank / DV_NEAR_CHUNK].g.data + 3 * n.first;   // a chunk without neighbours has none
  return n;
}

typedef struct dvFlowReport {
  int iterations;
  double error;   // largest, of the density after the step over that at rest
  double norm;    // of the scaled matrix, as far as it has shown
  bool reached;
} dvFlowReport;

// Pressure, from `k` as a start, that takes away what the velocities would compress: k >= 0, or any k when it may
// `pull`. `norm` is what an earlier solve has found, 0 when there is none.
dvFlowReport dv_flow_press(dvFlow *f, double dt, double tolerance, int most, bool pulls, double norm);
// Viscosity, implicit: the velocities of the particles change.
dvFlowReport dv_flow_drag(dvFlow *f, double dt, double tolerance, int most);
// Adds dt times the accelerations by pressure and by attraction to the velocities.
void dv_flow_accelerate(dvFlow *f, double dt);
void dv_flow_attract(dvFlow *f, double dt);
// Particles do not come nearer to a wall than a tenth of the distance between particles: what they would pass it with
// is taken from them and given to the samples, as impulses over dt.
void dv_flow_stop(dvFlow *f, double dt, double *out);
// Adds what acts on the samples, by number, three numbers each: pressure; viscosity, at the velocities as they are;
// attraction.
typedef enum dvFlowWhat { DV_FLOW_PRESSURE, DV_FLOW_DRAG, DV_FLOW_PULL } dvFlowWhat;
void dv_flow_feel(dvFlow *f, double *out, dvFlowWhat what);
// A(z), of q = z/h
double dv_flow_plane(const dvFlow *f, double q);
// The factor of pull for a surface tension, N/m.
double dv_flow_pull(const dvFlow *f, double tension);

#endif
