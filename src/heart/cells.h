// Cells of heart muscle: a potential u from 0 (at rest) to 1 and one other variable w.
//
//   MITCHELL_SCHAEFFER (2003)  u' = w u^2 (1 - u) / t_in - u / t_out,  w' = (1 - w) / t_open where u < gate, else
//                              -w / t_close                                     [t_in t_out t_open t_close gate]
//   ALIEV_PANFILOV (1996)      T u' = k u (1 - u) (u - a) - u w,
//                              T w' = (e + m1 w / (u + m2)) (-w - k u (u - a - 1))             [T k a e m1 m2]
//   FITZHUGH_NAGUMO (1961)     u' = c u (1 - u) (u - a) - d w,  w' = b (u - g w)                  [c a d b g]
// All times in s. A step is the classical Runge-Kutta method of order 4 (of the part without diffusion).
//
// A plane wave of a cubic c u (1 - u) (u - a) has the speed sqrt(D c / 2) (1 - 2 a). With w as at rest all three are
// such cubics: for Mitchell and Schaeffer u+ and u- are the roots of u (1 - u) = t_in / t_out, and the speed is
// sqrt(D / (2 t_in)) (u+ - 2 u-).
#ifndef DV_HEART_CELLS_H
#define DV_HEART_CELLS_H

#include "base/base.h"
#include "base/isa.h"

typedef enum dvCellLaw {
  DV_MITCHELL_SCHAEFFER,
  DV_ALIEV_PANFILOV,
  DV_FITZHUGH_NAGUMO,
  DV_CELL_LAWS,                     // of two variables; beside them
  DV_TEN_TUSSCHER = DV_CELL_LAWS,   // the cell of tusscher.h, with its conductances as parameters
  DV_CELL_CHOICES
} dvCellLaw;
#define DV_CELL_OPTIONS "MitchellSchaeffer|AlievPanfilov|FitzHughNagumo|TenTusscherPanfilov"

enum { DV_CELL_PARAMETERS = 6 };
extern const int dv_cell_parameters[DV_CELL_CHOICES];   // how many each law has
extern const double dv_cell_defaults[DV_CELL_CHOICES][DV_CELL_PARAMETERS];
extern const char *const dv_cell_names[DV_CELL_CHOICES];   // of the parameters

typedef struct dvCell {
  dvCellLaw law;
  double p[DV_CELL_PARAMETERS];
  double fallen;   // w with which cells of Mitchell and Schaeffer have fallen back to the gate (dv_cell_settle)
} dvCell;

int dv_cell_variables(const dvCell *c);                      // beside the potential
double dv_cell_rest(const dvCell *c, int variable);          // each of them at rest
double dv_cell_threshold(const dvCell *c);                   // potential at which a cell counts as excited
double dv_cell_longest(const dvCell *c);                     // step that is still accurate, s
double dv_cell_highest(const dvCell *c);                     // potential that such steps still bear, either sign
double dv_cell_speed(const dvCell *c, double diffusivity);   // of a plane wave, m/s; 0 when there is none
// About the width of its front along the fibres, 2 D / c; with the speed of fine meshes for human cells. 0 where
// nothing moves.
double dv_cell_width(const dvCell *c, double diffusivity);
// Finds out with which w cells of Mitchell and Schaeffer fall back, the same after every excitation: the two functions
// below want it. It is a good deal less than 4 t_in / t_out, where nothing holds u any more, because u falls slowly.
void dv_cell_settle(dvCell *c);
// How long a cell of Mitchell and Schaeffer stays excited after a rest of `interval` seconds.
double dv_cell_duration(const dvCell *c, double interval);
// Speed of a wave through cells of Mitchell and Schaeffer that rested for `interval` seconds, over that through rested
// ones: that of the cubic with w as it is then; 0 where no wave spreads any more, 1 where none spreads in rested ones
// either.
double dv_cell_restitution(const dvCell *c, double interval);
// A sentence about parameters that make no sense, or NULL.
const char *dv_cell_problem(const dvCell *c);

// A sentence about parameters that are good for another unit of time, or NULL.
const char *dv_cell_doubt(const dvCell *c);

// Some cells of one law. stimulus (1/s) and alive (0 or 1, times all rates) may be NULL.
typedef struct dvCells {
  size_t count;
  double *u, *w;
  const double *stimulus, *alive;
} dvCells;

typedef struct dvCellKernels {
  void (*advance[DV_CELL_LAWS])(const double *p, double h, int steps, dvCells cells);   // `steps` steps of h
} dvCellKernels;
DV_KERNEL_DECLARE(dvCellKernels, dv_cell_kernels);

#endif
