// TriangularShellForceField: thin shells of triangles with frames at their corners, for large displacements and small
// strains.
//
//   f = -R K d,   df = -R K R^T dx
//
// R is the frame of the triangle (x along its first side, z normal to it), d the displacements of the corners and the
// rotations of their frames as seen from it, K the matrix of membrane and bending at rest (shell_matrix.h). Frames at
// the points may stand in any way at rest; they count from there. Needs a topology with triangles and a state of frames
// (Rigid3). What depends on rotations is found triangle by triangle, the products with K are those of shell_kernel.c;
// blocks of triangles run in any thread.
#include "force/fem/surface/shell.h"
#include "force/fem/elastic.h"
#include "force/fem/surface/shell_matrix.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SHELL_FIELDS(X)            \
  X(reals, thickness, "0.01", "m", \
    "thickness of the shell, one for all or one each triangle; the first where one is missing")

typedef struct Shell {
  int32_t corner[3];
  dvQuat turned[3];   // of the corners at rest, seen from the axes
  dvVec3 rest[3];     // corners from their centre, in the axes
} Shell;

typedef struct ShellForce {
  dvElastic elastic;
  SHELL_FIELDS(DV_MEMBER)
  DV_ARRAY(Shell) shells;
  DV_ARRAY(double) stiffness;   // DV_SHELL_STIFFNESS numbers each, until they are in packs
  DV_ARRAY(int32_t) corners;    // six points of the blocks each
  dvElementBlocks *blocks;      // NULL when there are no shells
  dvShellData data;
  double *energy;      // [lanes] scratch
  dvBlocksRoom room;   // of the arrays
  dvNumbers patched;   // packs that a change concerns
} ShellForce;

enum { FORCE_NS = 200, DFORCE_NS = 30 };   // about, of a triangle

#define SELF ShellForce
static const dvFieldDesc shell_fields[] = {SHELL_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_shell_class;

// --- frames ---

static dvVec3 position(const double *x, int32_t point) { return dv_vec3_load(x + 7 * (size_t)point); }
static dvQuat rotation(const double *x, int32_t point)
{
  return dv_quat_normalise(dv_quat_load(x + 7 * (size_t)point + 3));
}

// rows x, y, z; the centre of the corners
static dvMat3 axes_of(const Shell *s, const double *x, dvVec3 *centre)
{
  dvVec3 a = position(x, s->corner[0]), b = position(x, s->corner[1]), c = position(x, s->corner[2]);
  *centre = dv_vec3_scale(dv_vec3_add(dv_vec3_add(a, b), c), 1.0 / 3);
  dvVec3 along = dv_vec3_normalise(dv_vec3_sub(b, a)),
         normal = dv_vec3_normalise(dv_vec3_cross(along, dv_vec3_sub(c, a)));
  return dv_mat3_from_rows(along, dv_vec3_cross(normal, along), normal);
}

static dvQuat quat_of(dvMat3 rows) { return dv_quat_from_matrix(dv_mat3_transpose(rows)); }

// displacements and rotations of the corners, seen from the axes
static void displacement_of(const Shell *s, const double *x, dvMat3 axes, dvVec3 centre, double d[DV_SHELL_SIZE])
{
  dvQuat frame = quat_of(axes);
  for (int i = 0; i < 3; i++) {
    dvVec3 here = dv_mat3_mul_vec(axes, dv_vec3_sub(position(x, s->corner[i]), centre));
    dvQuat turn =
        dv_quat_mul(dv_quat_mul(dv_quat_conjugate(frame), rotation(x, s->corner[i])), dv_quat_conjugate(s->turned[i]));
    dv_vec3_store(d + 6 * i, dv_vec3_sub(here, s->rest[i]));
    dv_vec3_store(d + 6 * i + 3, dv_quat_to_rotation_vector(turn));
  }
}

// --- set-up ---

// number of an entry of the 18 x 18 matrix among the stored ones, -1 where membrane and bending meet
static int stored_entry(int row, int col)
{
  static const int place[6] = {0, 1, 9, 10, 11, 2};   // u v w, rotations about x y z: below 9 in the membrane
  int i = place[row % 6] % 9 + 3 * (row / 6), j = place[col % 6] % 9 + 3 * (col / 6);
  if ((place[row % 6] < 9) != (place[col % 6] < 9)) return -1;
  int first = i < j ? i : j, second = i < j ? j : i;
  return (place[row % 6] < 9 ? 0 : DV_SHELL_HALF) + first * 9 - first * (first - 1) / 2 + second - first;
}

// a shell and its matrix; false when it is flat
static bool make_shell(const ShellForce *f, size_t e, const int32_t *corner, const double *x0, Shell *out,
                       double stiffness[DV_SHELL_STIFFNESS])
{
  Shell s;
  dvVec3 centre;
  double x[3], y[3], k[DV_SHELL_SIZE * DV_SHELL_SIZE];
  memcpy(s.corner, corner, sizeof s.corner);
  dvMat3 axes = axes_of(&s, x0, &centre);
  dvQuat first = quat_of(axes);
  for (int i = 0; i < 3; i++) {
    s.rest[i] = dv_mat3_mul_vec(axes, dv_vec3_sub(position(x0, corner[i]), centre));
    s.turned[i] = dv_quat_mul(dv_quat_conjugate(first), rotation(x0, corner[i]));
    x[i] = s.rest[i].x, y[i] = s.rest[i].y;
  }
  if (!dv_shell_matrix(x, y, dv_elastic_young(&f->elastic, e), dv_elastic_poisson(&f->elastic, e),
                       dv_elastic_pick(&f->thickness, e), k))
    return false;
  for (int i = 0; i < DV_SHELL_SIZE * DV_SHELL_SIZE; i++) {
    int entry = stored_entry(i / DV_SHELL_SIZE, i % DV_SHELL_SIZE);
    if (entry >= 0) stiffness[entry] = k[i];
  }
  *out = s;
  return true;
}

static void free_packs(ShellForce *f)
{
  dv_blocks_destroy(&f->blocks);
  dv_free(f->data.axes);
  dv_free(f->data.stiffness);
  dv_free(f->data.moved);
  dv_free(f->data.slots);
  dv_free(f->energy);
  f->data = (dvShellData){0};
  f->energy = NULL;
}

static double *lane_at(double *packs, size_t record, size_t lane)
{
  return packs + DV_LANES * record * (lane / DV_LANES) + lane % DV_LANES;
}

// displacements of one triangle, and its axes for products to come
static void place(const ShellForce *f, size_t shell, const double *x, bool keep_axes)
{
  const Shell *s = &f->shells.data[shell];
  size_t lane = (size_t)f->blocks->lane[shell];
  dvVec3 centre;
  dvMat3 axes = axes_of(s, x, &centre);
  double d[DV_SHELL_SIZE], *out = lane_at(f->data.axes, 9, lane), *moved = lane_at(f->data.moved, DV_SHELL_SIZE, lane);
  displacement_of(s, x, axes, centre, d);
  for (int i = 0; i < 9 && keep_axes; i++) out[DV_LANES * i] = axes.m[i / 3][i % 3];
  for (int i = 0; i < DV_SHELL_SIZE; i++) moved[DV_LANES * i] = d[i];
}

static void name_corners(ShellForce *f, size_t shell)
{
  for (size_t i = 0; i < 6; i++)
    f->corners.data[6 * shell + i] = 2 * f->shells.data[shell].corner[i / 2] + (int32_t)(i % 2);
}

// two points a frame (shell.h)
static dvStatus cut(ShellForce *f, const double *x0, size_t frames)
{
  double *points = dv_try_alloc((6 * frames + 1) * sizeof *points);
  if (!points) return DV_ERROR_USAGE;
  dv_array_resize(&f->corners, 6 * f->shells.count);
  for (size_t i = 0; i < f->shells.count; i++) name_corners(f, i);
  for (size_t i = 0; i < 6 * frames; i++) points[i] = x0[7 * (i / 6) + i % 3];
  dvStatus status = dv_blocks_create(f->corners.data, 6, f->shells.count, 2 * frames, points, 0, &f->blocks);
  dv_free(points);
  return status;
}

static void store_shell(ShellForce *f, size_t shell, const double *stiffness, const double *x0)
{
  double *k = lane_at(f->data.stiffness, DV_SHELL_STIFFNESS, (size_t)f->blocks->lane[shell]);
  for (size_t n = 0; n < DV_SHELL_STIFFNESS; n++) k[DV_LANES * n] = stiffness[n];
  place(f, shell, x0, true);
}

static bool make_packs(ShellForce *f, const double *x0, size_t frames)
{
  if (f->shells.count == 0) return true;
  if (cut(f, x0, frames) != DV_OK) return false;
  size_t lanes = DV_LANES * f->blocks->packs;
  f->data = (dvShellData){.blocks = f->blocks,
                          .axes = dv_alloc_aligned(9 * lanes * sizeof(double)),
                          .stiffness = dv_alloc_aligned(DV_SHELL_STIFFNESS * lanes * sizeof(double)),
                          .moved = dv_alloc_aligned(DV_SHELL_SIZE * lanes * sizeof(double)),
                          .slots = dv_alloc_aligned(DV_BLOCK_STRIDE * f->blocks->slots * sizeof(double))};
  f->energy = dv_alloc_aligned(lanes * sizeof(double));
  if (!f->data.axes || !f->data.stiffness || !f->data.moved || !f->data.slots || !f->energy) return false;
  f->room = dv_blocks_room(f->blocks);
  for (size_t i = 0; i < f->shells.count; i++) store_shell(f, i, f->stiffness.data + DV_SHELL_STIFFNESS * i, x0);
  return true;
}

static dvStatus shell_reinit(dvObject *o)
{
  ShellForce *f = (ShellForce *)o;
  dvState *s = f->elastic.force.state;
  f->shells.count = f->stiffness.count = 0;
  free_packs(f);
  const dvInts *triangles = dv_force_elements(o, dv_elastic_topology(&f->elastic), DV_TRIANGLE, s);
  if (!triangles) return DV_ERROR_INPUT;
  size_t count = dv_ints_size(triangles), flat = 0;
  DV_TRY(dv_elastic_check(&f->elastic, count, 0.5));
  if (f->thickness.count == 0) return dv_field_error(o, &f->thickness, "the default is 0.01", "thickness has no value");
  for (size_t i = 0; i < f->thickness.count; i++)
    if (!(f->thickness.data[i] > 0 && f->thickness.data[i] < DV_EXPLODED))
      return dv_field_error(o, &f->thickness, "give a positive number", "thickness %g is not above 0",
                            f->thickness.data[i]);
  const double *x0 = dv_state_read(s, DV_X_REST);
  for (size_t e = 0; e < count; e++) {
    Shell shell;
    double k[DV_SHELL_STIFFNESS];
    bool good = make_shell(f, e, triangles->data + 3 * e, x0, &shell, k);
    flat += !good;
    if (!good) continue;
    dv_push(&f->shells, shell);
    for (size_t n = 0; n < DV_SHELL_STIFFNESS; n++) dv_push(&f->stiffness, k[n]);
  }
  bool good = make_packs(f, x0, s->count);
  dv_array_free(&f->stiffness);
  if (!good) {
    f->shells.count = 0;
    free_packs(f);
    return dv_error(o, NULL, "out of memory for %zu triangles", count);
  }
  if (flat) dv_warning(o, "repair the mesh", "%zu triangles have no area and give no force", flat);
  return DV_OK;
}

// --- a mesh that changes ---

// what becomes of a frame becomes of its two points
static bool follow_blocks(ShellForce *f, dvTopology *mesh, size_t frames)
{
  const dvTrace *trace = dv_topology_trace(mesh);
  DV_ARRAY(dvTraceStep) points = {0};
  for (size_t i = 0; i < trace->steps[DV_POINT].count; i++) {
    dvTraceStep s = trace->steps[DV_POINT].data[i];
    for (int32_t k = 0; k < 2 && s.what != DV_MOVED; k++) {
      int32_t which = s.what == DV_ADDED ? k : 1 - k;   // from the end
      dv_push(&points, ((dvTraceStep){s.what, 2 * s.number + which, 2 * s.last + which}));
    }
  }
  dvBlocksChange change = {.elements = trace->steps[DV_TRIANGLE].data,
                           .element_steps = trace->steps[DV_TRIANGLE].count,
                           .points = points.data,
                           .point_steps = points.count,
                           .connectivity = f->corners.data,
                           .count = f->shells.count,
                           .point_count = 2 * frames};
  bool good = dv_blocks_follow(f->blocks, &change, &f->patched);
  dv_array_free(&points);
  return good;
}

// shells whose number, points or shape are others; false when one is flat
static bool remake_shells(ShellForce *f, dvTopology *mesh, const double *x0)
{
  const int32_t *triangles = dv_topology_elements(mesh, DV_TRIANGLE)->data;
  dvNumbers some = {0};
  bool good = true;
  dv_trace_shapes(mesh, DV_TRIANGLE, &some);
  for (size_t i = 0; i < some.count && good; i++) {
    size_t e = (size_t)some.data[i];
    double k[DV_SHELL_STIFFNESS];
    good = make_shell(f, e, triangles + 3 * e, x0, &f->shells.data[e], k);
    name_corners(f, e);
  }
  dv_array_free(&some);
  return good;
}

static bool patch(dvObject *o)
{
  ShellForce *f = (ShellForce *)o;
  const dvState *s = f->elastic.force.state;
  dvTopology *mesh = dv_elastic_topology(&f->elastic);
  const double *x0 = dv_state_read(s, DV_X_REST);
  const int32_t *triangles = dv_topology_elements(mesh, DV_TRIANGLE)->data;
  size_t count = dv_topology_count(mesh, DV_TRIANGLE), thick = f->thickness.count;
  if (!f->blocks || !dv_elastic_follows(&f->elastic, count) || (thick != 1 && thick != count) ||
      f->shells.count != dv_trace_before(dv_topology_trace(mesh), DV_TRIANGLE, count) ||
      dv_topology_point_count(mesh) != s->count)
    return false;
  dv_array_resize(&f->shells, count);
  dv_array_resize(&f->corners, 6 * count);
  if (!remake_shells(f, mesh, x0) || !follow_blocks(f, mesh, s->count)) return false;
  const dvBlocksArray arrays[] = {{&f->data.axes, 9, DV_PER_LANE},
                                  {&f->data.stiffness, DV_SHELL_STIFFNESS, DV_PER_LANE},
                                  {&f->data.moved, DV_SHELL_SIZE, DV_PER_LANE},
                                  {&f->energy, 1, DV_PER_LANE},
                                  {&f->data.slots, 1, DV_PER_SLOT}};
  if (!dv_blocks_make_room(f->blocks, &f->room, arrays, DV_COUNT(arrays))) return false;
  dv_blocks_add_moved(f->blocks, mesh, DV_TRIANGLE, &f->patched);
  for (size_t i = 0; i < f->patched.count; i++) {
    size_t pack = (size_t)f->patched.data[i];
    dv_blocks_clear_pack(arrays, DV_COUNT(arrays), pack);
    for (size_t lane = DV_LANES * pack; lane < DV_LANES * (pack + 1); lane++) {
      int32_t e = f->blocks->element[lane];
      double k[DV_SHELL_STIFFNESS];
      if (e >= 0 && make_shell(f, (size_t)e, triangles + 3 * e, x0, &f->shells.data[e], k))
        store_shell(f, (size_t)e, k, x0);
    }
  }
  return true;
}

static void shell_topology_changed(dvObject *o)
{
  dv_force_patch_or_remake(o, dv_elastic_topology(&((ShellForce *)o)->elastic), patch);
}

static dvStatus shell_init(dvObject *o)
{
  ShellForce *f = (ShellForce *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(shell_reinit(o));
  dv_element_data_add_reals(dv_elastic_follow(&f->elastic, DV_TRIANGLE, 1), &f->thickness, true);
  if (f->shells.count == 0)
    dv_warning(o, "give the topology triangles", "the topology %s has no triangles: there is no shell",
               f->elastic.topology.target->name);
  return DV_OK;
}

// --- operations ---

typedef struct Job {
  const ShellForce *f;
  const dvShellKernels *kernels;
  const double *x;
  double k;
} Job;

static void place_block(const ShellForce *f, size_t b, const double *x, bool keep_axes)
{
  const dvElementBlock *block = &f->blocks->blocks[b];
  for (size_t lane = DV_LANES * (size_t)block->first_pack; lane < DV_LANES * (size_t)(block->first_pack + block->packs);
       lane++)
    if (f->blocks->element[lane] >= 0) place(f, (size_t)f->blocks->element[lane], x, keep_axes);
}

static void force_blocks(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  for (size_t b = begin; b < end; b++) {
    place_block(j->f, b, j->x, true);
    j->kernels->force(&j->f->data, b);
  }
}

static void dforce_blocks(void *user, size_t begin, size_t end)
{
  const Job *j = user;
  for (size_t b = begin; b < end; b++) j->kernels->dforce(&j->f->data, b, j->x, j->k);
}

static void shell_add_force(dvObject *o, const dvMech *m)
{
  ShellForce *f = (ShellForce *)o;
  dvState *state = f->elastic.force.state;
  if (!f->blocks) return;
  Job job = {f, DV_KERNEL_CHOOSE(dv_shell_kernels), dv_state_read(state, m->x), 0};
  dv_blocks_run(f->blocks, &(dvBlocksJob){o->context->pool, force_blocks, &job, FORCE_NS}, f->data.slots, 3,
                dv_state_write(state, m->f));
}

static void shell_add_dforce(dvObject *o, const dvMech *m)
{
  ShellForce *f = (ShellForce *)o;
  dvState *state = f->elastic.force.state;
  if (!f->blocks) return;
  Job job = {f, DV_KERNEL_CHOOSE(dv_shell_kernels), dv_state_read(state, m->dx),
             dv_mech_k(m, f->elastic.force.rayleighStiffness)};
  dv_blocks_run(f->blocks, &(dvBlocksJob){o->context->pool, dforce_blocks, &job, DFORCE_NS}, f->data.slots, 3,
                dv_state_write(state, m->df));
}

static void shell_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  ShellForce *f = (ShellForce *)o;
  double k = dv_mech_k(m, f->elastic.force.rayleighStiffness), out[DV_SHELL_SIZE * DV_SHELL_SIZE];
  for (size_t e = 0; e < f->shells.count; e++) {
    size_t lane = (size_t)f->blocks->lane[e];
    const double *stored = lane_at(f->data.stiffness, DV_SHELL_STIFFNESS, lane),
                 *frame = lane_at(f->data.axes, 9, lane);
    dvMat3 axes, block;
    for (int n = 0; n < 9; n++) axes.m[n / 3][n % 3] = frame[DV_LANES * n];
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        for (int n = 0; n < 9; n++) {
          int entry = stored_entry(3 * i + n / 3, 3 * j + n % 3);
          block.m[n / 3][n % 3] = entry < 0 ? 0 : -k * stored[DV_LANES * entry];
        }
        block = dv_mat3_t_mul(axes, dv_mat3_mul(block, axes));
        for (int n = 0; n < 9; n++) out[DV_SHELL_SIZE * (3 * i + n / 3) + 3 * j + n % 3] = block.m[n / 3][n % 3];
      }
    dv_sink_add_element(sink, f->elastic.force.state, f->shells.data[e].corner, 3, out);
  }
}

static double shell_energy(dvObject *o, const dvMech *m)
{
  ShellForce *f = (ShellForce *)o;
  const double *x = dv_state_read(f->elastic.force.state, m->x);
  const dvShellKernels *kernels = DV_KERNEL_CHOOSE(dv_shell_kernels);
  double sum = 0;
  for (size_t b = 0; f->blocks && b < f->blocks->count; b++) {
    place_block(f, b, x, false);
    kernels->measure(&f->data, b, f->energy);
  }
  for (size_t i = 0; i < f->shells.count; i++) sum += f->energy[f->blocks->lane[i]];
  return sum;
}

static void shell_destroy(dvObject *o)
{
  ShellForce *f = (ShellForce *)o;
  free_packs(f);
  dv_array_free(&f->shells);
  dv_array_free(&f->stiffness);
  dv_array_free(&f->corners);
  dv_array_free(&f->patched);
}

static const dvForceOps shell_ops = {
    .add_force = shell_add_force,
    .add_dforce = shell_add_dforce,
    .add_stiffness = shell_add_stiffness,
    .energy = shell_energy,
    DV_FORCE_SLOTS,
};

const dvClass dv_shell_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangularShellForceField",
    .help = "thin shells of triangles between frames: membrane and bending",
    .module = "Shell",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(ShellForce),
    .blocks = {&dv_object_block, &dv_force_block, &dv_elastic_block, DV_BLOCK(shell_fields)},
    .ops = {[DV_ROLE_FORCE] = &shell_ops},
    .init = shell_init,
    .reinit = shell_reinit,
    .destroy = shell_destroy,
    .topology_changed = shell_topology_changed,
};
