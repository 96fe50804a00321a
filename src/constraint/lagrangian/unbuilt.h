// W that is never built. Where bodies are moved one by one (UncoupledConstraintCorrection), W = H C H^T, and C has a
// block for each degree of freedom. Instead of W each law keeps the rows h of H and c = C h at the few degrees of
// freedom that it touches, and all of them share the motion u = C H^T lambda:
//
//   d = d_free + h . u,   and after a change of the law's multipliers   u += c (lambda - before)
//
// A visit costs what the law touches, however many laws there are. The numbers stand in the order in which laws are
// visited: for each degree of freedom ("place") of a law the rows h, then the rows c, each padded to packs of four.
// What turns the motion into the violation that a step corrects (the time step) is part of h.
#ifndef DV_CONSTRAINT_LAGRANGIAN_UNBUILT_H
#define DV_CONSTRAINT_LAGRANGIAN_UNBUILT_H

#include "base/array.h"

DV_PUBLIC_BEGIN

struct dvProblemLaw;

// a degree of freedom that a law touches
typedef struct dvUnbuiltPlace {
  int32_t law;
  int32_t at, width;   // in the motion; the width is a multiple of four
  size_t numbers;      // of the law's rows: h, then c
} dvUnbuiltPlace;

typedef struct dvUnbuiltLaw {
  int32_t first, rows;     // of the problem
  int32_t place, places;   // first and number
  size_t own;              // its own block of W, rows x rows
  double inverse[2];       // friction: 1 / w_n, 1 / the mean of w_t and w_s
  double mu, compliance;
} dvUnbuiltLaw;

typedef struct dvUnbuilt {
  bool used;     // W is not built
  double more;   // on the diagonal of W: d += more lambda
  size_t size;   // of the motion
  DV_ARRAY(dvUnbuiltLaw) laws;
  DV_ARRAY(dvUnbuiltPlace) places;   // those of a law behind each other
  DV_ARRAY(double) numbers, own;
  DV_ARRAY(double) motion;   // u of `lambda`
  DV_ARRAY(double) lambda;
  int age;                           // sweeps since the motion was computed anew
  DV_ARRAY(dvUnbuiltPlace) handed;   // as they come in
} dvUnbuilt;

// --- for corrections ---
// Room for the motion of `count` degrees of freedom of `width` numbers: where the first begins; each takes
// dv_unbuilt_width(width).
static inline size_t dv_unbuilt_width(size_t width) { return (width + 3) / 4 * 4; }
size_t dv_unbuilt_room(dvUnbuilt *u, size_t width, size_t count);
// A place of a law: room for its h and then its c, zeros, each as many numbers as the law has rows times the padded
// width. Laws come in order, a place once. The pointer lives until the next call.
double *dv_unbuilt_add(dvUnbuilt *u, size_t law, size_t at, size_t width);
// What multipliers move, all degrees of freedom one behind the other: sum of c lambda.
const double *dv_unbuilt_motion(dvUnbuilt *u, const double *lambda);

// --- for problems ---
void dv_unbuilt_clear(dvUnbuilt *u);
void dv_unbuilt_begin(dvUnbuilt *u, const struct dvProblemLaw *laws, size_t count);   // before corrections are asked
void dv_unbuilt_lay_out(dvUnbuilt *u, const struct dvProblemLaw *laws);               // afterwards
void dv_unbuilt_regularise(dvUnbuilt *u, double term);                                // adds it to the diagonal of W
// Before a sweep: the motion of these multipliers. Computed anew when they have changed elsewhere, and from time to
// time against rounding.
void dv_unbuilt_follow(dvUnbuilt *u, const double *lambda, size_t rows);
void dv_unbuilt_move_to(dvUnbuilt *u, const double *lambda, size_t rows);   // the same, only when they have changed
// W lambda of the rows of a law, for the multipliers that the motion belongs to; moves: where a degree of freedom
// begins in the motion, whether it counts; NULL: all do.
void dv_unbuilt_product(const dvUnbuilt *u, size_t law, const unsigned char *moves, double *d);
void dv_unbuilt_change(dvUnbuilt *u, size_t law, const double *lambda);   // the law's multipliers are now these
static inline const double *dv_unbuilt_own(const dvUnbuilt *u, size_t law)
{
  return u->own.data + u->laws.data[law].own;
}
void dv_unbuilt_matrix(dvUnbuilt *u, size_t rows, double *w);   // W after all, for those who want to see it
void dv_unbuilt_free(dvUnbuilt *u);

// One sweep over the laws [begin, end) that have friction (law.c), each with the newest multipliers of all others:
// sets lambda. errors, most: of each law how far its violation was moved; most may be NULL. With `together` the error
// is the length of w (lambda - before); else the sum over the rows of the root of the squares of its entries.
void dv_unbuilt_sweep_friction(dvUnbuilt *u, size_t begin, size_t end, const double *free, double *lambda,
                               bool together, double *errors, double *most);

DV_PUBLIC_END

#endif
