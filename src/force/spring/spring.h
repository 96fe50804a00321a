// Springs between pairs of points: one kernel for SpringForceField and all that is built on it.
//
// With d = |x_b - x_a|, u = (x_b - x_a) / d the spring pulls a with
//
//   f = (ks (d - rest) + kd (v_b - v_a) . u) u,
//
// b with -f. The derivative that products use is K = (ks - t) u u^T + t 1 with t = |f| / d, the damping in |f|
// included and not differentiated, as SOFA does; without damping it is exact. A spring acts while low < d < high.
#ifndef DV_FORCE_SPRING_SPRING_H
#define DV_FORCE_SPRING_SPRING_H

#include "base/isa.h"
#include "element/blocks.h"
#include "force/spring/bonds.h"
#include "mechanics/component.h"

typedef struct dvSpring {
  int32_t a, b;   // points of the first and of the second state
  double ks, kd, rest;
  double low, high;   // range of lengths in which it acts
} dvSpring;

// A spring that always acts, except when its ends nearly coincide (SOFA's limit).
dvSpring dv_spring(int32_t a, int32_t b, double ks, double kd, double rest);
void dv_spring_only_stretch(dvSpring *s);   // acts only when longer than at rest
void dv_spring_only_push(dvSpring *s);      // acts only when shorter
void dv_spring_switch_off(dvSpring *s);

typedef struct dvSprings {
  DV_ARRAY(dvSpring) list;
  double *moving;   // [count][DV_SPRING_MOVING] what the last add_force left, where packs are not used
  size_t moving_count;
  size_t points[2];              // of the states when the list was settled
  struct dvSpringPacks *packs;   // many springs within one Vec3 state
  bool told;                     // of what is odd about the list, once
} dvSprings;

enum { DV_SPRING_MOVING = 8 };    // ks - t, t, u[6]
#define DV_SPRING_SHORTEST 1e-9   // m: ends that near each other have no direction, as in SOFA

// To be called after the list was filled or changed: checks indices and numbers, prepares the fast path. The states may
// be the same. Reports through `o`.
dvStatus dv_springs_settle(dvSprings *s, const dvObject *o, dvState *first, dvState *second);
// The same for springs within one state of a mesh that has changed, of which `steps` tell what became of them and
// `trace` what became of their points. False when they are to be settled again.
bool dv_springs_patch(dvSprings *s, dvState *state, const dvTrace *trace, const dvTraceStep *steps, size_t count);
// The same for springs that are the entries of bonds, of which the last two points are the ends.
bool dv_springs_patch_bonds(dvSprings *s, dvState *state, dvTopology *mesh, dvBonds *b);
void dv_springs_free(dvSprings *s);

// Keeps what the functions below need where the step is implicit.
void dv_springs_add_force(dvSprings *s, dvState *first, dvState *second, const dvMech *m);
// df += k K dx with the directions and tensions of the last add_force
void dv_springs_add_dforce(const dvSprings *s, dvState *first, dvState *second, const dvMech *m, double k);
void dv_springs_add_stiffness(const dvSprings *s, const dvState *first, const dvState *second, double k,
                              dvMatrixSink *sink);
// 1/2 ks (d - rest)^2 of the springs that act
// The two ends of every spring.
void dv_springs_pairs(const dvSprings *s, dvInts *out);
double dv_springs_energy(const dvSprings *s, dvState *first, dvState *second, int x);

// Numbers of a coordinate that springs see: all of a vector, the place of a frame.
static inline int dv_spring_dimensions(const dvDof *dof)
{
  return dof->kind == DV_RIGID2 || dof->kind == DV_RIGID3 ? dof->space : dof->coord;
}

// --- between spring.c and its kernels ---

// Numbers of a pack of four springs, in packs: what force reads, and what it leaves for dforce. Those that no spring of
// the list needs are left out of the record: damping (the last three) and limits (the last two). A spring that does not
// act leaves zeros.
enum { DV_SPRING_REST, DV_SPRING_KS, DV_SPRING_KD, DV_SPRING_LOW, DV_SPRING_HIGH, DV_SPRING_CONSTANTS };
enum { DV_SPRING_TANGENT, DV_SPRING_U, DV_SPRING_PACKED = DV_SPRING_U + 3 };

typedef struct dvSpringPacks {
  dvElementBlocks *blocks;
  double *constant, *moving;
  double *slots;
  size_t constants;    // packs of a record: DV_SPRING_KD, DV_SPRING_LOW or DV_SPRING_CONSTANTS
  bool damped;         // some kd is not zero
  bool limited;        // some spring does not act at all lengths
  dvBlocksRoom room;   // of the arrays
  dvNumbers patched;   // packs that a change concerns
  bool no_tangents;    // force leaves `moving` as it is
} dvSpringPacks;

typedef struct dvSpringKernels {
  void (*force)(const dvSpringPacks *p, size_t block, const double *x, const double *v);   // v NULL: no damping
  void (*dforce)(const dvSpringPacks *p, size_t block, const double *dx, double k);
  void (*add)(const dvSpringPacks *p, double *f);
  void (*reduce)(const dvSpringPacks *p, size_t begin, size_t end, double *f);
} dvSpringKernels;

DV_KERNEL_DECLARE(dvSpringKernels, dv_spring_kernels);

#endif
