// One body spread over several processes: what the rooms between reading a mesh and summing a vector must know of it.
//
// A process has the points that it owns, first, and behind them those of others that its elements touch; it has all
// elements around its own points, so that forces and rows of matrices of these are complete. What stands at points of
// others is right where it came out of a linear system or of the same arithmetic on right numbers (positions,
// velocities), and means nothing in forces. src/distributed makes and uses it.
#ifndef DV_OBJECT_PARTS_H
#define DV_OBJECT_PARTS_H

#include "base/text.h"

struct dvContext;
struct dvMesh;
struct dvObject;
struct dvSnapshot;

typedef struct dvParts dvParts;
struct dvParts {
  // Takes the part of this process out of the mesh that a loader has read.
  dvStatus (*cut)(dvParts *p, struct dvObject *loader, struct dvMesh *mesh);
  // The file that holds the part of this process, of a mesh that was cut before; NULL after `why` was told. The
  // caller frees it.
  char *(*piece)(dvParts *p, const char *path, dvText *why);
  // Whether all processes have read such a file and it is one: what one of them does not have, none uses.
  bool (*have_pieces)(dvParts *p, const struct dvMesh *mesh, bool mine);
  double (*sum)(dvParts *p, double value);   // over all processes, in one order
  // Points of others get the numbers of their owners; `width` numbers a point.
  dvStatus (*share)(dvParts *p, double *values, int width);
  // Makes what all processes remember one memory, that of the whole body, at rank 0; elsewhere nothing is changed.
  // False, everywhere, when there is something that cannot be put together; `why` tells.
  bool (*gather)(dvParts *p, struct dvSnapshot *m, dvText *why);
  // Takes the part of this process out of the memory of a whole body.
  void (*scatter)(dvParts *p, struct dvSnapshot *m);
  bool speaks;                 // this process writes what is written once
  size_t owned, points, all;   // points of the body: own ones, with those of others, of all processes
  const int64_t *global;       // how all count the points of this process: those of rank 0 first
};

// Whether the file lists the parts of a mesh that was cut before: .pvtu, or .geo for Gmsh.
static inline bool dv_parts_is_list(const char *path)
{
  return dv_ends_with_nocase(path, ".pvtu") || dv_ends_with_nocase(path, ".geo");
}

// The parts of the context's scenes, NULL where they are whole. MPI exists once in a process, and so do parts: one
// context at a time has them.
dvParts *dv_parts_of(const struct dvContext *context);
void dv_parts_use(const struct dvContext *context, dvParts *parts);   // NULL ends it

#endif
