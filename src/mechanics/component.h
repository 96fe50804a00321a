// What forces, masses, mappings and projective constraints have in common: their inherited fields and how they
// find the states they work on. A component embeds one of these structs as its first member.
#ifndef DV_MECHANICS_COMPONENT_H
#define DV_MECHANICS_COMPONENT_H

#include "mechanics/mechanics.h"

DV_PUBLIC_BEGIN

struct dvElementSum;   // math/element_sum.h
typedef void (*dvElementSumFill)(const void *user, const struct dvElementSum *sum, size_t block, double *local);

// Receives matrix entries as small blocks: `row` and `col` count degrees of freedom, `values` is rows x cols, row by
// row, in the derivative dimensions of the two states.
struct dvMatrixSink {
  void (*add)(dvMatrixSink *sink, const dvState *row_state, size_t row, const dvState *col_state, size_t col, int rows,
              int cols, const double *values);
  // the same for all pairs of `count` degrees of freedom of one state, first of the first row, at once; may be NULL
  void (*add_element)(dvMatrixSink *sink, const dvState *state, const int32_t *dofs, int count, const double *values);
  // all elements of a mesh at once, on a state of three scalars a point; may be NULL
  void (*add_sum)(dvMatrixSink *sink, const dvState *state, struct dvElementSum *sum, dvElementSumFill fill,
                  const void *user, size_t size);
};

// Adds the matrix of an element: square, as many rows as its degrees of freedom have scalars.
void dv_sink_add_element(dvMatrixSink *sink, const dvState *state, const int32_t *dofs, int count,
                         const double *values);
// Adds the sum of symmetric element matrices. The state has three scalars a degree of freedom. `fill` may be called
// later, from another thread and with a copy of the `size` bytes of `user`, while the system is being solved: it reads
// only what products read, and writes only its block.
enum { DV_SUM_USER = 64 };   // the most bytes of `user`
void dv_sink_add_sum(dvMatrixSink *sink, const dvState *state, struct dvElementSum *sum, dvElementSumFill fill,
                     const void *user, size_t size);
// An element block by block, through `add`.
void dv_sink_add_blocks(dvMatrixSink *sink, const dvState *state, const int32_t *dofs, int count, const double *values);

// --- forces on one state ---

#define DV_FORCE_FIELDS(X)                                                                                   \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness of this force", .least = "0") \
  X(bool, isCompliance, "0", "", "no effect: a stiffness is a stiffness", .flags = DV_HIDDEN | DV_IDLE)      \
  X(link, mstate, "", "", "state the force acts on; the one of the node by default", .role = DV_ROLE_STATE)

typedef struct dvForce {
  dvObject base;
  DV_FORCE_FIELDS(DV_MEMBER)
  dvState *state;
} dvForce;
extern const dvFieldBlock dv_force_block;
// Finds the state (in the node or above). Call it first in init; reports when there is none.
dvStatus dv_force_init(dvObject *o);
// The slots of dvForceOps that a dvForce fills.
int dv_force_state(dvObject *o, dvObject **out);
const double *dv_force_rayleigh(const dvObject *o);
#define DV_FORCE_SLOTS .states = dv_force_state, .rayleigh_stiffness = dv_force_rayleigh

// --- forces between two states ---

#define DV_PAIR_FORCE_FIELDS(X)                                                                                     \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness of this force", .least = "0")        \
  X(bool, isCompliance, "0", "", "no effect: a stiffness is a stiffness", .flags = DV_HIDDEN | DV_IDLE)             \
  X(link, object1, "", "", "first state; the one of the node by default", .role = DV_ROLE_STATE, .alias = "mstate") \
  X(link, object2, "", "", "second state; the one of the node by default", .role = DV_ROLE_STATE)

typedef struct dvPairForce {
  dvObject base;
  DV_PAIR_FORCE_FIELDS(DV_MEMBER)
  dvState *first, *second;   // may be the same
} dvPairForce;
extern const dvFieldBlock dv_pair_force_block;
dvStatus dv_pair_force_init(dvObject *o);
int dv_pair_force_states(dvObject *o, dvObject **out);
const double *dv_pair_force_rayleigh(const dvObject *o);
#define DV_PAIR_FORCE_SLOTS \
  .states = dv_pair_force_states, .rayleigh_stiffness = dv_pair_force_rayleigh, .between = true

// --- masses ---

#define DV_MASS_FIELDS(X)                                                                                   \
  X(real, rayleighStiffness, "0", "s", "unused for masses without stiffness", .flags = DV_HIDDEN)           \
  X(bool, isCompliance, "0", "", "unused for masses", .flags = DV_HIDDEN)                                   \
  X(link, mstate, "", "", "state that has the mass; the one of the node by default", .role = DV_ROLE_STATE) \
  X(bool, separateGravity, "0", "", "add gravity to the velocity before the forces instead of as a force")  \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to this mass", .least = "0")

typedef struct dvMass {
  dvObject base;
  DV_MASS_FIELDS(DV_MEMBER)
  dvState *state;
} dvMass;
extern const dvFieldBlock dv_mass_block;
dvStatus dv_mass_init(dvObject *o);
const double *dv_mass_rayleigh(const dvObject *o);   // for dvMassOps.rayleigh_mass

// --- mappings ---

#define DV_MAPPING_FIELDS(X)                                                                                 \
  X(links, input, "", "", "state that drives, or states; the one of the parent node by default",             \
    .role = DV_ROLE_STATE, .alias = "object1")                                                               \
  X(link, output, "", "", "state that is driven; the one of the node by default", .role = DV_ROLE_STATE,     \
    .alias = "object2")                                                                                      \
  X(bool, mapForces, "1", "", "hand forces back to the input", .alias = "isMechanical")                      \
  X(bool, mapConstraints, "1", "", "hand constraints back to the input")                                     \
  X(bool, mapMasses, "1", "", "hand masses back to the input", .alias = "isMechanical")                      \
  X(bool, mapMatrices, "0", "", "accepted: assembled matrices always go up, as in SOFA", .flags = DV_HIDDEN) \
  X(bool, applyRestPosition, "0", "", "set the rest position of the output from the input's at the start")

typedef struct dvMapping {
  dvObject base;
  DV_MAPPING_FIELDS(DV_MEMBER)
  dvState *in, *out;         // the first input, the output
  const dvLinks *named[2];   // the lists that name the inputs, one after the other; the second may be NULL
  int input_count;           // of both
  bool told;                 // of sizes that no longer fit
} dvMapping;
extern const dvFieldBlock dv_mapping_block;
// Finds input and output and reports what is missing: for the hook `link`, so that the graph knows which states are
// mapped before anything is initialised. All states are initialised when the hook `init` of the mapping runs.
dvStatus dv_mapping_init(dvObject *o);         // one input
dvStatus dv_mapping_init_multi(dvObject *o);   // one or more, of one type
// Inputs of two types, from fields `input1` and `input2`; the second list may be empty when `optional`.
dvStatus dv_mapping_init_two(dvObject *o, const dvLinks *input1, const dvLinks *input2, bool optional);
static inline dvState *dv_mapping_in(const dvMapping *m, size_t index)
{
  size_t first = m->named[0]->count;
  return dv_state(index < first ? m->named[0]->data[index].target : m->named[1]->data[index - first].target);
}
// The slots of dvMappingOps that a dvMapping fills.
dvObject *dv_mapping_nth_input(const dvObject *o, size_t index);
dvObject *dv_mapping_nth_output(const dvObject *o, size_t index);
bool dv_mapping_maps(const dvObject *o, dvUpward what);
#define DV_MAPPING_SLOTS .input = dv_mapping_nth_input, .output = dv_mapping_nth_output, .hands_up = dv_mapping_maps
// Says once that the sizes of the states are not those that the mapping was made for; it rests while that is so.
// Returns `fits`, so that operations can begin with it.
bool dv_mapping_fits(const dvMapping *m, bool fits);
// build_j for mappings that have `row`
void dv_mapping_build_rows(dvObject *o, dvMatrixSink *sink);

// --- projective constraints ---

#define DV_PROJECTIVE_FIELDS(X)                                                \
  X(int, group, "0", "", "number of the group", .flags = DV_HIDDEN)            \
  X(real, endTime, "-1", "s", "the constraint ends then; never when negative") \
  X(link, mstate, "", "", "state that is constrained; the one of the node by default", .role = DV_ROLE_STATE)

typedef struct dvProjective {
  dvObject base;
  DV_PROJECTIVE_FIELDS(DV_MEMBER)
  dvState *state;
} dvProjective;
extern const dvFieldBlock dv_projective_block;
dvStatus dv_projective_init(dvObject *o);
// True while endTime has not passed.
bool dv_projective_active(const dvObject *o);

// --- helpers for init ---

// Checks indices against a count. In `strict` mode an index out of range is an error with the range, else a warning.
dvStatus dv_check_indices(const dvObject *o, const dvInts *member, size_t count, const char *what);

DV_PUBLIC_END

#endif
