// Thin shells of triangles between shell.c and its kernels (shell_kernel.c). Frames have six numbers in products: a
// velocity and a rotation, which stand as two points each in the blocks (2 p and 2 p + 1 of frame p), so that blocks
// gather and sum them as they are.
#ifndef DV_FORCE_FEM_SURFACE_SHELL_H
#define DV_FORCE_FEM_SURFACE_SHELL_H

#include "base/isa.h"
#include "element/blocks.h"

// Membrane (u v, rotation about z) and bending (w, rotations about x y) do not touch each other: two symmetric matrices
// of 9 x 9, upper halves row by row.
enum { DV_SHELL_HALF = 45, DV_SHELL_STIFFNESS = 2 * DV_SHELL_HALF };

typedef struct dvShellData {
  const dvElementBlocks *blocks;
  double *axes;        // nine packs: rows of the frame of a triangle
  double *stiffness;   // DV_SHELL_STIFFNESS packs
  double *moved;       // 18 packs: displacements and rotations of the corners, seen from the axes
  double *slots;
} dvShellData;

typedef struct dvShellKernels {
  void (*force)(const dvShellData *s, size_t block);   // from `axes` and `moved`
  void (*dforce)(const dvShellData *s, size_t block, const double *dx, double k);
  void (*measure)(const dvShellData *s, size_t block, double *energy);   // lane by lane
} dvShellKernels;
DV_KERNEL_DECLARE(dvShellKernels, dv_shell_kernels);

#endif
