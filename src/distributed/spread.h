// One body over several processes (`divan run --distributed`): cutting its mesh, what is covered, results.
//
// METIS cuts the points of the mesh; a process owns those of its part and has all elements around them, with their
// other points (one layer). So forces and rows of matrices of own points are complete, and the only exchange in a step
// is in the linear system and in sums over the body (object/parts.h).
#ifndef DV_DISTRIBUTED_SPREAD_H
#define DV_DISTRIBUTED_SPREAD_H

#include "base/array.h"
#include "distributed/engine.h"
#include "io/mesh/mesh.h"
#include "object/context.h"
#include "object/parts.h"
#include "scene/node.h"

// A state that a BarycentricMapping of the body moves. All processes have all of its points; one of them, whose
// elements hold it best, has the right place of each.
typedef struct dvSpreadOutput {
  struct dvState *state;
  int32_t *rank;   // of each point
} dvSpreadOutput;

typedef struct dvSpread {
  dvParts parts;   // first: what other rooms see
  dvContext *context;
  const dvEngine *engine;
  int rank, size;
  dvScene *scene;                  // set between reading and initialising
  dvObject *loader;                // of the mesh that was cut; NULL before
  DV_ARRAY(int32_t) origin;        // of each point here: its number in the file
  DV_ARRAY(int64_t) global;        // and how all count it
  size_t elements, all_elements;   // solids: those that touch own points, of the whole body
  size_t border;                   // points of others that this process has
  dvEngineHalo *halo;
  DV_ARRAY(dvSpreadOutput) outputs;
} dvSpread;

// Starts PETSc and makes the context's scenes parts of this process; NULL after `why` and `advice` were told. Call it
// before a scene is read.
dvSpread *dv_spread_create(dvContext *context, dvText *why, dvText *advice);
void dv_spread_destroy(dvSpread **body);

// Part of each point of a mesh of solids, by METIS; false without METIS or memory. `starts` has one entry more than
// there are elements.
bool dv_spread_partition(int32_t parts, size_t points, size_t elements, const int32_t *starts, const int32_t *corners,
                         int32_t *part);

// Corners of all solids of a mesh one after the other, and where each begins, for dv_spread_partition; returns how
// many.
size_t dv_spread_list_solids(dvMesh *mesh, dvMeshIndices *starts, dvMeshIndices *corners);
// The part of body->rank, by the part of each point: numbers of the body, and points and elements, into `out`, which
// may be the mesh itself.
void dv_spread_take_part(dvSpread *body, dvMesh *mesh, const int32_t *part, dvMesh *out);
// Of each point of the part: the rank that owns it, and its number there.
void dv_spread_owners(const dvSpread *body, const int32_t *part, int32_t *owner, int32_t *number);
size_t *dv_spread_counts(const dvSpread *body);   // points that each process owns; the caller frees it

// --- pieces.c: meshes that were cut before, so that a process reads its part only ---
// Writes `path` (.pvtu) and a file for each of the parts beside it. False after `why` was told.
bool dv_spread_write_pieces(dvMesh *mesh, int parts, const char *path, dvText *why);
char *dv_spread_piece_path(dvParts *parts, const char *path, dvText *why);
bool dv_spread_have_pieces(dvParts *parts, const dvMesh *mesh, bool mine);
bool dv_spread_is_piece(const dvMesh *mesh);
// Owners of the points of a piece, and the numbers of the body; false when the piece contradicts itself or the others.
// All processes call it.
bool dv_spread_read_piece(dvSpread *body, const dvMesh *mesh, int32_t *owner, int32_t *number);

// Refuses, by name, whatever in a scene that was read cannot be distributed; call it before the scene is initialised.
dvStatus dv_spread_check(dvSpread *body);
// After the scene was initialised: was a mesh cut, and does the state stand on it?
dvStatus dv_spread_check_cut(dvSpread *body);
// The state of the body; NULL before it is initialised.
struct dvState *dv_spread_state(const dvSpread *body);

// The vector of all points in the order of the file, at rank 0; NULL elsewhere. The caller frees it.
double *dv_spread_gather(const dvSpread *body, int vector);

// The same of rows of `width` numbers, one for each point of this process.
double *dv_spread_gather_rows(const dvSpread *body, const double *rows, size_t width);

// After dv_spread_check_cut: finds the outputs, and who has which of their points.
dvStatus dv_spread_find_outputs(dvSpread *body);
// A vector of an output, at rank 0; NULL elsewhere. The caller frees it.
double *dv_spread_gather_output(const dvSpread *body, size_t output, int vector);
void dv_spread_free_outputs(dvSpread *body);

// What all processes remember as one memory, and back (object/parts.h).
bool dv_spread_gather_memory(dvParts *parts, struct dvSnapshot *m, dvText *why);
void dv_spread_scatter_memory(dvParts *parts, struct dvSnapshot *m);

// A series of .pvtu files with a .pvd; each process writes its piece. Outputs stand in visual.pvd.
typedef struct dvSpreadSeries dvSpreadSeries;
dvSpreadSeries *dv_spread_series_create(dvSpread *body, const char *directory);   // NULL after a message
dvStatus dv_spread_series_add(dvSpreadSeries *s);
dvStatus dv_spread_series_close(dvSpreadSeries **s);
int dv_spread_series_frames(const dvSpreadSeries *s);

#endif
