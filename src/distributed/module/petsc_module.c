// PETSc and MPI behind the table of engine.h. This is all that is linked with them.
//
// One process: AIJ matrices stand over arrays of ours. Where blocks are single numbers these are the assembled values
// themselves; rows of blocks are laid out as rows of numbers in one pass. Blocks (BAIJ, SBAIJ), for which PETSc takes
// no arrays, and several processes: entries go over block by block.
#include "distributed/engine.h"

#include <petscksp.h>
#include <petscsf.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct dvEngineSolver {
  MPI_Comm comm;
  PetscOptions options;
  KSP ksp;
  Mat matrix;
  Vec x, b;
  dvEngineFormat format;
  unsigned pattern;
  bool has_pattern, borrowed;   // borrowed: values are those of the caller
  const double *lent;
  int block;
  size_t rows;
  PetscInt *starts, *columns;   // of the matrix over arrays
  PetscScalar *values;
  char unused[DV_ENGINE_TEXT];
};

struct dvEngineHalo {
  PetscSF graph;
  size_t owned;
};

// --- errors --------------------------------------------------------------------------------------

static char last_error[DV_ENGINE_TEXT];

static PetscErrorCode note_error(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                 PetscErrorType type, const char *text, void *user)
{
  (void)comm, (void)line, (void)file, (void)user;
  if (type == PETSC_ERROR_INITIAL || !last_error[0])
    snprintf(last_error, sizeof last_error, "%s: %s", function ? function : "PETSc", text ? text : "no reason given");
  return code;
}

static bool failed(PetscErrorCode code, char *error)
{
  if (!code) return false;
  snprintf(error, DV_ENGINE_TEXT, "%s", last_error[0] ? last_error : "no reason given");
  for (char *c = error; *c; c++)
    if (*c == '\n' || *c == '\t') *c = ' ';
  last_error[0] = 0;
  return true;
}

// --- start and end -------------------------------------------------------------------------------

static void stop(void)
{
  PetscBool ended;
  PetscFinalized(&ended);
  if (!ended) PetscFinalize();
}

static bool engine_start(char *error)
{
  PetscBool running;
  PetscInitialized(&running);
  if (running) return true;
  // a process of its own needs no daemon beside it
  const bool single = !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("OMPI_MCA_ess_singleton_isolated");
  if (single) setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  static char *words[] = {"divan", "-no_signal_handler", "-skip_petscrc", NULL}, **arguments = words;
  int count = 3;
  const PetscErrorCode code = PetscInitialize(&count, &arguments, NULL, NULL);
  if (single) unsetenv("OMPI_MCA_ess_singleton_isolated");
  if (failed(code, error)) return false;
  PetscPushErrorHandler(note_error, NULL);
  atexit(stop);
  return true;
}

static int engine_rank(void)
{
  int rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

static int engine_size(void)
{
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

static const char *engine_version(void)
{
  static char text[64];
  snprintf(text, sizeof text, "PETSc %d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
  return text;
}

// --- the matrix ----------------------------------------------------------------------------------

static void forget_matrix(dvEngineSolver *s)
{
  MatDestroy(&s->matrix);
  VecDestroy(&s->x);
  VecDestroy(&s->b);
  if (!s->borrowed) free(s->starts), free(s->columns), free(s->values);
  s->starts = s->columns = NULL;
  s->values = NULL;
  s->has_pattern = s->borrowed = false;
}

// scalar rows of blocks, row by row
static void fill_aij(dvEngineSolver *s, const dvEngineMatrix *m)
{
  const int b = m->block;
  PetscScalar *out = s->values;
  for (size_t i = 0; i < m->rows; i++)
    for (int r = 0; r < b; r++)
      for (int32_t k = m->starts[i]; k < m->starts[i + 1]; k++, out += b)
        memcpy(out, m->values + ((size_t)k * (size_t)b + (size_t)r) * (size_t)b, (size_t)b * sizeof *out);
}

static void pattern_aij(dvEngineSolver *s, const dvEngineMatrix *m)
{
  const int b = m->block;
  PetscInt at = 0, *column = s->columns;
  for (size_t i = 0; i < m->rows; i++)
    for (int r = 0; r < b; r++) {
      s->starts[i * (size_t)b + (size_t)r] = at;
      at += b * (m->starts[i + 1] - m->starts[i]);
      for (int32_t k = m->starts[i]; k < m->starts[i + 1]; k++)
        for (int c = 0; c < b; c++) *column++ = m->columns[k] * b + c;
    }
  s->starts[m->rows * (size_t)b] = at;
}

static PetscErrorCode make_alone(dvEngineSolver *s, const dvEngineMatrix *m)
{
  const size_t b = (size_t)m->block, blocks = (size_t)m->starts[m->rows], n = m->rows * b;
  s->borrowed = b == 1 && sizeof(PetscInt) == sizeof(int32_t);
  if (s->borrowed) {   // the arrays of the assembly: PETSc only reads them
    s->starts = (PetscInt *)(uintptr_t)m->starts, s->columns = (PetscInt *)(uintptr_t)m->columns;
    s->values = (PetscScalar *)(uintptr_t)m->values;
  } else {
    s->starts = malloc((n + 1) * sizeof *s->starts);
    s->columns = malloc((blocks * b * b + 1) * sizeof *s->columns);
    s->values = malloc((blocks * b * b + 1) * sizeof *s->values);
    if (!s->starts || !s->columns || !s->values) SETERRQ(s->comm, PETSC_ERR_MEM, "not enough memory for the matrix");
    pattern_aij(s, m);
  }
  const PetscInt N = (PetscInt)n;
  PetscCall(MatCreateSeqAIJWithArrays(s->comm, N, N, s->starts, s->columns, s->values, &s->matrix));
  PetscCall(MatSetBlockSize(s->matrix, m->block));
  return 0;
}

static int64_t place_of(const dvEngineMatrix *m, int32_t column) { return m->global ? m->global[column] : column; }

// over several processes; also alone for blocks, of which PETSc takes no arrays
static PetscErrorCode make_shared(dvEngineSolver *s, const dvEngineMatrix *m)
{
  static const MatType types[] = {MATAIJ, MATBAIJ, MATSBAIJ};
  const PetscInt b = m->block, n = (PetscInt)m->rows;
  PetscInt *counts;
  const int64_t first = m->rows ? place_of(m, 0) : 0;
  PetscCall(PetscCalloc1(4 * (size_t)n + 1, &counts));
  for (PetscInt i = 0; i < n; i++) {
    for (int32_t k = m->starts[i]; k < m->starts[i + 1]; k++) {
      const int64_t column = place_of(m, m->columns[k]);
      const bool mine = column >= first && column < first + n, upper = column >= first + i;
      counts[(mine ? 0 : n) + i]++;
      if (upper) counts[(mine ? 2 * n : 3 * n) + i]++;
    }
  }
  PetscCall(MatCreate(s->comm, &s->matrix));
  PetscCall(MatSetSizes(s->matrix, n * b, n * b, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(s->matrix, b));
  PetscCall(MatSetType(s->matrix, types[s->format]));
  PetscCall(MatXAIJSetPreallocation(s->matrix, b, counts, counts + n, counts + 2 * n, counts + 3 * n));
  PetscCall(MatSetOption(s->matrix, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  if (s->format == DV_ENGINE_SBAIJ) PetscCall(MatSetOption(s->matrix, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscCall(PetscFree(counts));
  return 0;
}

static PetscErrorCode fill_shared(dvEngineSolver *s, const dvEngineMatrix *m)
{
  const size_t square = (size_t)(m->block * m->block);
  for (size_t i = 0; i < m->rows; i++)
    for (int32_t k = m->starts[i]; k < m->starts[i + 1]; k++) {
      const PetscInt row = (PetscInt)place_of(m, (int32_t)i), column = (PetscInt)place_of(m, m->columns[k]);
      PetscCall(MatSetValuesBlocked(s->matrix, 1, &row, 1, &column, m->values + (size_t)k * square, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(s->matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->matrix, MAT_FINAL_ASSEMBLY));
  return 0;
}

// the six rigid motions, which algebraic multigrid must know of to see elasticity as smooth
static PetscErrorCode give_modes(dvEngineSolver *s, const dvEngineMatrix *m)
{
  if (!m->coordinates || m->block != 3) return 0;
  Vec places;
  PetscScalar *out;
  MatNullSpace modes;
  PetscCall(VecDuplicate(s->x, &places));
  PetscCall(VecSetBlockSize(places, 3));
  PetscCall(VecGetArray(places, &out));
  memcpy(out, m->coordinates, 3 * m->rows * sizeof *out);
  PetscCall(VecRestoreArray(places, &out));
  PetscCall(MatNullSpaceCreateRigidBody(places, &modes));
  PetscCall(MatSetNearNullSpace(s->matrix, modes));
  PetscCall(MatNullSpaceDestroy(&modes));
  PetscCall(VecDestroy(&places));
  return 0;
}

static PetscErrorCode set_matrix(dvEngineSolver *s, const dvEngineMatrix *m)
{
  int size;
  MPI_Comm_size(s->comm, &size);
  const bool alone = size == 1 && !m->global && s->format == DV_ENGINE_AIJ;
  const bool anew = !s->has_pattern || s->pattern != m->pattern || s->rows != m->rows || s->block != m->block ||
                    (s->borrowed && s->lent != m->values);
  if (anew) {
    forget_matrix(s);
    s->rows = m->rows, s->block = m->block, s->pattern = m->pattern, s->lent = m->values;
    PetscCall(alone ? make_alone(s, m) : make_shared(s, m));
  }
  if (alone && !s->borrowed) fill_aij(s, m);
  if (alone) {
    PetscCall(MatAssemblyBegin(s->matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(s->matrix, MAT_FINAL_ASSEMBLY));
  } else {
    PetscCall(fill_shared(s, m));
  }
  if (anew) {
    const PetscInt n = (PetscInt)(m->rows * (size_t)m->block);
    PetscCall(VecCreateMPIWithArray(s->comm, m->block, n, PETSC_DETERMINE, NULL, &s->x));
    PetscCall(VecDuplicate(s->x, &s->b));
    PetscCall(MatSetOption(s->matrix, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(s->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    PetscCall(give_modes(s, m));
  }
  s->has_pattern = true;
  // a solver that remembers nothing of the matrices before: a run that is restored goes on with the same bits
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(KSPCreate(s->comm, &s->ksp));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscCall(KSPSetOperators(s->ksp, s->matrix, s->matrix));
  return 0;
}

static bool solver_set(dvEngineSolver *s, const dvEngineMatrix *m, char *error)
{
  PetscOptionsPush(s->options);
  PetscErrorCode code = set_matrix(s, m);
  if (!code) code = KSPSetUp(s->ksp);
  PetscOptionsPop();
  if (code) s->has_pattern = false;
  return !failed(code, error);
}

// --- solving -------------------------------------------------------------------------------------

static PetscErrorCode create(dvEngineSolver *s, const char *text)
{
  PetscCall(PetscOptionsCreate(&s->options));
  PetscCall(PetscOptionsInsertString(s->options, text));
  PetscCall(PetscOptionsPush(s->options));
  PetscErrorCode code = KSPCreate(s->comm, &s->ksp);
  if (!code) code = KSPSetFromOptions(s->ksp);
  PetscCall(PetscOptionsPop());
  return code;
}

static void solver_destroy(dvEngineSolver **solver)
{
  dvEngineSolver *s = *solver;
  PetscBool ended;
  PetscFinalized(&ended);
  if (s && !ended) {
    KSPDestroy(&s->ksp);
    forget_matrix(s);
    PetscOptionsDestroy(&s->options);
  }
  free(s);
  *solver = NULL;
}

static dvEngineSolver *solver_create(const char *options, dvEngineFormat format, bool all, char *error)
{
  dvEngineSolver *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->comm = all ? PETSC_COMM_WORLD : PETSC_COMM_SELF;
  s->format = format;
  if (failed(create(s, options), error)) solver_destroy(&s);
  return s;
}

static PetscErrorCode solve(dvEngineSolver *s, double *x, const double *rhs, dvEngineSolve *how)
{
  PetscCall(VecPlaceArray(s->x, x));
  PetscCall(VecPlaceArray(s->b, rhs));
  PetscErrorCode code = KSPSolve(s->ksp, s->b, s->x);
  PetscCall(VecResetArray(s->x));
  PetscCall(VecResetArray(s->b));
  PetscCall(code);
  KSPConvergedReason reason;
  PetscInt iterations;
  PetscReal residual;
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCall(KSPGetIterationNumber(s->ksp, &iterations));
  PetscCall(KSPGetResidualNorm(s->ksp, &residual));
  *how = (dvEngineSolve){.iterations = (int)iterations,
                         .residual = residual,
                         .converged = reason > 0,
                         .broke_down = reason < 0 && reason != KSP_DIVERGED_ITS,
                         .reason = KSPConvergedReasons[reason]};
  return 0;
}

static bool solver_solve(dvEngineSolver *s, double *x, const double *rhs, dvEngineSolve *how, char *error)
{
  PetscOptionsPush(s->options);
  const PetscErrorCode code = solve(s, x, rhs, how);
  PetscOptionsPop();
  return !failed(code, error);
}

static const char *solver_unused(dvEngineSolver *s)
{
  PetscInt count = 0;
  char **names = NULL, **values = NULL;
  s->unused[0] = 0;
  if (PetscOptionsLeftGet(s->options, &count, &names, &values)) return s->unused;
  for (PetscInt i = 0; i < count; i++) {
    const size_t used = strlen(s->unused);
    if (!strncmp(names[i], "mat", 3)) continue;   // of the program, not of the scene
    snprintf(s->unused + used, sizeof s->unused - used, "%s-%s", used ? " " : "", names[i]);
  }
  PetscOptionsLeftRestore(s->options, &count, &names, &values);
  return s->unused;
}

// --- between processes ---------------------------------------------------------------------------

static dvEngineHalo *halo_create(size_t owned, size_t others, const int32_t *owner, const int32_t *number, char *error)
{
  dvEngineHalo *h = calloc(1, sizeof *h);
  PetscSFNode *from = malloc((others + 1) * sizeof *from);
  if (!h || !from) {
    free(h), free(from);
    return NULL;
  }
  for (size_t i = 0; i < others; i++) from[i] = (PetscSFNode){.rank = owner[i], .index = number[i]};
  h->owned = owned;
  PetscErrorCode code = PetscSFCreate(PETSC_COMM_WORLD, &h->graph);
  if (!code)
    code =
        PetscSFSetGraph(h->graph, (PetscInt)owned, (PetscInt)others, NULL, PETSC_OWN_POINTER, from, PETSC_COPY_VALUES);
  if (!code) code = PetscSFSetUp(h->graph);
  free(from);
  if (failed(code, error)) {
    free(h);
    return NULL;
  }
  return h;
}

static bool halo_update(dvEngineHalo *h, double *values, int width, char *error)
{
  MPI_Datatype tuple;
  MPI_Type_contiguous(width, MPI_DOUBLE, &tuple);
  MPI_Type_commit(&tuple);
  double *others = values + h->owned * (size_t)width;
  PetscErrorCode code = PetscSFBcastBegin(h->graph, tuple, values, others, MPI_REPLACE);
  if (!code) code = PetscSFBcastEnd(h->graph, tuple, values, others, MPI_REPLACE);
  MPI_Type_free(&tuple);
  return !failed(code, error);
}

static void halo_destroy(dvEngineHalo **h)
{
  PetscBool ended;
  PetscFinalized(&ended);
  if (*h && !ended) PetscSFDestroy(&(*h)->graph);
  free(*h);
  *h = NULL;
}

static double engine_sum(double value)
{
  const int size = engine_size();
  double parts[4096], total = 0;
  if (size > 4096) {   // too many to add one by one
    (void)MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
    return total;
  }
  (void)MPI_Allgather(&value, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, PETSC_COMM_WORLD);
  for (int i = 0; i < size; i++) total += parts[i];
  return total;
}

static int engine_worst(int status)
{
  int worst = status;
  (void)MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return worst;
}

static void engine_broadcast(void *bytes, size_t count)
{
  enum { PIECE = 1 << 28 };
  for (size_t at = 0; at < count; at += PIECE)
    (void)MPI_Bcast((char *)bytes + at, (int)(count - at < PIECE ? count - at : PIECE), MPI_BYTE, 0, PETSC_COMM_WORLD);
}

static void engine_gather(const void *bytes, size_t count, void *out, const size_t *counts)
{
  enum { PIECE = 1 << 28 };
  const int rank = engine_rank(), size = engine_size();
  char *to = out;
  if (rank) {
    for (size_t at = 0; at < count; at += PIECE)
      (void)MPI_Send((const char *)bytes + at, (int)(count - at < PIECE ? count - at : PIECE), MPI_BYTE, 0, 1,
                     PETSC_COMM_WORLD);
    return;
  }
  memcpy(to, bytes, count);
  to += count;
  for (int r = 1; r < size; r++)
    for (size_t at = 0; at < counts[r]; at += PIECE) {
      const size_t n = counts[r] - at < PIECE ? counts[r] - at : PIECE;
      (void)MPI_Recv(to, (int)n, MPI_BYTE, r, 1, PETSC_COMM_WORLD, MPI_STATUS_IGNORE);
      to += n;
    }
}

static void engine_best(double *values, int32_t *ranks, size_t count)
{
  enum { PIECE = 4096 };
  struct {
    double value;
    int rank;
  } pairs[PIECE];
  const int rank = engine_rank();
  for (size_t at = 0; at < count; at += PIECE) {
    const size_t n = count - at < PIECE ? count - at : PIECE;
    for (size_t i = 0; i < n; i++) pairs[i].value = values[at + i], pairs[i].rank = rank;
    (void)MPI_Allreduce(MPI_IN_PLACE, pairs, (int)n, MPI_DOUBLE_INT, MPI_MINLOC, PETSC_COMM_WORLD);
    for (size_t i = 0; i < n; i++) values[at + i] = pairs[i].value, ranks[at + i] = pairs[i].rank;
  }
}

static void engine_collect(double *values, size_t count)
{
  enum { PIECE = 1 << 24 };
  for (size_t at = 0; at < count; at += PIECE) {
    const int n = (int)(count - at < PIECE ? count - at : PIECE);
    if (engine_rank() == 0) (void)MPI_Reduce(MPI_IN_PLACE, values + at, n, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD);
    else (void)MPI_Reduce(values + at, NULL, n, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD);
  }
}

static void engine_abort(int status)
{
  MPI_Abort(PETSC_COMM_WORLD, status);
  _Exit(status);
}

EXPORT const dvEngine *divan_engine_table(void);
const dvEngine *divan_engine_table(void)
{
  static const dvEngine table = {.abi = DV_ENGINE_ABI,
                                 .start = engine_start,
                                 .rank = engine_rank,
                                 .size = engine_size,
                                 .version = engine_version,
                                 .solver_create = solver_create,
                                 .solver_set = solver_set,
                                 .solver_solve = solver_solve,
                                 .solver_unused = solver_unused,
                                 .solver_destroy = solver_destroy,
                                 .halo_create = halo_create,
                                 .halo_update = halo_update,
                                 .halo_destroy = halo_destroy,
                                 .sum = engine_sum,
                                 .worst = engine_worst,
                                 .broadcast = engine_broadcast,
                                 .gather = engine_gather,
                                 .best = engine_best,
                                 .collect = engine_collect,
                                 .abort = engine_abort};
  return &table;
}
