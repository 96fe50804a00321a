// RigidMapping: points (or frames) fixed to frames.
//
//   x = c + R p            R and c of the frame, p the point in the frame, r = R p
//   v = v_c + w x r
//   f_c += f,  t_c += r x f            (a mapped frame also hands on its torque)
//
// The torque r x f turns with the frame: its derivative is the geometric stiffness [f]x [r]x. `Exact` takes it as it is
// (not symmetric), `Stabilized` its symmetric part without positive eigenvalues. In two dimensions the derivative is
// -f.r, and there is no stabilised form, as in SOFA.
#include "base/file.h"
#include "io/mesh/mesh.h"
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/frames.h"
#include "mapping/nonlinear/rigid_kernel.h"
#include "mapping/register.h"
#include "math/vec.h"

#include <string.h>

enum { STIFFNESS_NONE, STIFFNESS_EXACT, STIFFNESS_STABILIZED };
enum { GRAIN = 2048 };

#define RIGID_FIELDS(X)                                                                                     \
  X(choice, geometricStiffness, "None", "", "derivative of the torques in products with the system matrix", \
    .options = "None|Exact|Stabilized")                                                                     \
  X(reals, initialPoints, "", "m", "points in the frames; from the output's positions when empty")          \
  X(int, index, "0", "", "frame of all points, when rigidIndexPerPoint does not give one each")             \
  X(file, filename, "", "", "mesh, spheres or springs file with the points", .alias = "fileRigidMapping")   \
  X(bool, useX0, "0", "", "take the output's rest positions for the points in the frames")                  \
  X(bool, indexFromEnd, "0", "", "count `index` from the last frame backwards")                             \
  X(indices, rigidIndexPerPoint, "", "", "frame of each point")                                             \
  X(bool, globalToLocalCoords, "0", "", "the output's first positions are in the world, not in the frames")

typedef struct Rigid {
  dvMapping base;
  RIGID_FIELDS(DV_MEMBER)
  dvInts repartition;     // number of points of each frame, in order
  size_t count, frames;   // mapped points, frames of the input
  dvInts frame_list;      // of each point
  int32_t *frame;         // the same
  bool one_frame;         // all points belong to `frame[0]`
  dvRigidFrame *pose;   // each frame as of the last apply; in two dimensions R and c stand in its upper left corner and
                        // last column
  dvMat3 *turn;         // scratch of the geometric stiffness, one a frame
} Rigid;

#define SELF Rigid
static const dvFieldDesc rigid_fields[] = {RIGID_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- set-up --------------------------------------------------------------------------------------

// the number of points a frame, as scenes gave it before rigidIndexPerPoint
static dvStatus rigid_parse(dvObject *o, dvAttributes *a)
{
  Rigid *m = (Rigid *)o;
  const char *text = dv_attribute_take(a, "repartition");
  m->repartition.width = 1;
  long long value;
  while (text && dv_scan_int(&text, &value)) {
    if (value < 0 || value > INT32_MAX || !dv_ints_resize(&m->repartition, m->repartition.count + 1))
      return dv_error(o, NULL, "repartition: %lld is not a number of points", value);
    m->repartition.data[m->repartition.count - 1] = (int32_t)value;
  }
  return DV_OK;
}

static dvStatus rigid_load(Rigid *m)
{
  dvObject *o = &m->base.base;
  if (!*m->filename) return DV_OK;
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, m->filename, o->place.file, &advice);
  if (!path) {
    dv_field_error(o, &m->filename, advice.text, "the file %s is not found", m->filename);
    dv_text_free(&advice);
    return DV_ERROR_INPUT;
  }
  dv_text_free(&advice);
  dvMesh mesh = {0};
  dvMeshError error = {0};
  dvStatus status = dv_mesh_read(path, &mesh, &error);
  if (status != DV_OK) dv_field_error(o, &m->filename, NULL, "%s:%d: %s", path, error.line, error.text);
  dv_free(path);
  DV_TRY(status);
  size_t n = mesh.positions.count / 3, width = (size_t)o->dof_out->coord;
  bool good = dv_reals_resize(&m->initialPoints, n * width);
  for (size_t i = 0; good && i < n; i++) {
    double *p = m->initialPoints.data + i * width;
    dv_dof_identity(o->dof_out, p);
    for (int k = 0; k < o->dof_out->space; k++) p[k] = mesh.positions.data[3 * i + (size_t)k];
  }
  dv_mesh_free(&mesh);
  return good ? DV_OK : dv_error(o, NULL, "out of memory for %zu points", n);
}

// frames of the points from the counts of `repartition`: one count holds for every frame
static bool rigid_spread(Rigid *m)
{
  size_t at = 0;
  if (m->repartition.count == 0) return false;
  for (size_t f = 0; f < m->frames && at < m->count; f++) {
    if (f >= m->repartition.count && m->repartition.count > 1) break;
    int32_t points = m->repartition.data[m->repartition.count > 1 ? f : 0];
    for (int32_t i = 0; i < points && at < m->count; i++) m->frame[at++] = (int32_t)f;
  }
  if (at < m->count)
    dv_warning(&m->base.base, NULL, "repartition covers %zu of %zu points; the others belong to the first frame", at,
               m->count);
  return true;
}

static dvStatus rigid_choose_frames(Rigid *m)
{
  dvObject *o = &m->base.base;
  size_t frames = m->frames;
  if (frames == 0 || frames > INT32_MAX)
    return dv_error(o, NULL, "the input %s has %zu frames", m->base.in->base.name, frames);
  if (m->rigidIndexPerPoint.count && m->rigidIndexPerPoint.count == m->count) {
    DV_TRY(dv_check_indices(o, &m->rigidIndexPerPoint, frames, "frames"));
    memcpy(m->frame, m->rigidIndexPerPoint.data, m->count * sizeof *m->frame);
    return DV_OK;
  }
  if (m->rigidIndexPerPoint.count)
    dv_field_warning(o, &m->rigidIndexPerPoint, "give one index a point",
                     "rigidIndexPerPoint has %zu entries for %zu points and is not used", m->rigidIndexPerPoint.count,
                     m->count);
  else if (rigid_spread(m)) return DV_OK;
  if (m->index < 0 || (size_t)m->index >= frames)
    return dv_field_error(o, &m->index, NULL, "index is %d, but there are %zu frames (0 to %zu)", m->index, frames,
                          frames - 1);
  int32_t frame = m->indexFromEnd ? (int32_t)frames - 1 - m->index : m->index;
  for (size_t i = 0; i < m->count; i++) m->frame[i] = frame;
  return DV_OK;
}

static void to_local_3d(const double *frame, const double *world, bool is_frame, double *local)
{
  dvQuat q = dv_quat_load(frame + 3);
  dv_vec3_store(local, dv_quat_inverse_rotate(q, dv_vec3_sub(dv_vec3_load(world), dv_vec3_load(frame))));
  if (is_frame) dv_quat_store(local + 3, dv_quat_mul(dv_quat_inverse(q), dv_quat_load(world + 3)));
}

static void to_local_2d(const double *frame, const double *world, double *local)
{
  double c = cos(frame[2]), s = sin(frame[2]), x = world[0] - frame[0], y = world[1] - frame[1];
  local[0] = c * x + s * y;
  local[1] = -s * x + c * y;
}

// the points in their frames, where neither the scene nor a file gives them
static bool rigid_take_points(Rigid *m)
{
  dvState *in = m->base.in, *out = m->base.out;
  size_t width = (size_t)out->base.dof->coord, coord = (size_t)in->base.dof->coord;
  if (m->useX0) return true;
  if (m->initialPoints.count) return true;
  const double *world = dv_state_read(out, DV_X), *frames = dv_state_read(in, DV_X);
  if (!dv_reals_assign(&m->initialPoints, world, m->count * width)) return false;
  for (size_t i = 0; m->globalToLocalCoords && i < m->count; i++) {
    const double *frame = frames + (size_t)m->frame[i] * coord;
    if (in->base.dof->kind == DV_RIGID2) to_local_2d(frame, world + i * width, m->initialPoints.data + i * width);
    else to_local_3d(frame, world + i * width, width == 7, m->initialPoints.data + i * width);
  }
  return true;
}

static const dvMappingOps rigid_ops;

static void rigid_make_room(Rigid *m)
{
  m->frames = m->base.in->count;
  dv_free(m->pose);
  dv_free(m->turn);
  m->pose = dv_alloc((m->frames + 1) * sizeof *m->pose);
  m->turn = dv_alloc((m->frames + 1) * sizeof *m->turn);
}

static void rigid_compare_frames(Rigid *m)
{
  m->one_frame = m->count > 0;
  for (size_t i = 1; i < m->count && m->one_frame; i++) m->one_frame = m->frame[i] == m->frame[0];
}

// what is known of a point moves with it, and frames keep their points when they change their numbers
static void rigid_follow(Rigid *m)
{
  dvObject *o = &m->base.base;
  dvElementData *d = dv_follow_rows(o, m->base.out);
  dv_element_data_add_ints(d, &m->frame_list, false);
  dv_element_data_add_ints(d, &m->rigidIndexPerPoint, true);
  if (!m->useX0) dv_element_data_add_groups(d, &m->initialPoints, (size_t)o->dof_out->coord, false);
  dv_follow_points(o, m->base.in, &m->frame_list);
}

static dvStatus rigid_init(dvObject *o)
{
  Rigid *m = (Rigid *)o;
  dvState *out = m->base.out;
  DV_TRY(rigid_load(m));
  size_t width = (size_t)o->dof_out->coord;
  if (m->initialPoints.count % width)
    return dv_field_error(o, &m->initialPoints, NULL, "%zu numbers do not make whole points of %zu",
                          m->initialPoints.count, width);
  m->frames = m->base.in->count;
  m->count = m->initialPoints.count && !m->useX0 ? m->initialPoints.count / width : out->count;
  if (m->count > INT32_MAX) return dv_error(o, NULL, "%zu points are too many", m->count);
  m->frame_list.width = 1;
  if (!dv_ints_resize(&m->frame_list, m->count)) return dv_error(o, NULL, "out of memory for %zu points", m->count);
  m->frame = m->frame_list.data;
  rigid_make_room(m);
  DV_TRY(rigid_choose_frames(m));
  if (!rigid_take_points(m) || !dv_state_resize(out, m->count))
    return dv_error(o, NULL, "out of memory for %zu points", m->count);
  rigid_compare_frames(m);
  rigid_follow(m);
  dv_mapping_first_apply(o, &rigid_ops);
  return DV_OK;
}

// The mesh of the output alone has changed: its points have moved with their rows, only new ones are looked at.
static bool patch(dvObject *o)
{
  Rigid *m = (Rigid *)o;
  dvTopology *mesh = m->base.out->topology;
  if (m->base.in->topology || !mesh || !dv_follow_trace(o, mesh) || m->base.in->count != m->frames) return false;
  const dvNumbers *rows = dv_trace_rows(mesh, DV_POINT);
  m->one_frame = m->one_frame && m->count > 0;
  for (size_t i = 0; i < rows->count && m->one_frame; i++) m->one_frame = m->frame[rows->data[i]] == m->frame[0];
  return dv_follow_patched(o);
}

// points of the output may have come or gone; one whose frame has gone is carried by none, and the mapping rests
static void rigid_topology_changed(dvObject *o)
{
  Rigid *m = (Rigid *)o;
  m->count = m->frame_list.count;
  m->frame = dv_ints_edit(&m->frame_list);
  if (patch(o)) return;
  rigid_make_room(m);
  rigid_compare_frames(m);
  dv_mapping_first_apply(o, &rigid_ops);
}

static void rigid_destroy(dvObject *o)
{
  Rigid *m = (Rigid *)o;
  dv_ints_free(&m->repartition);
  dv_ints_free(&m->frame_list);
  dv_free(m->pose);
  dv_free(m->turn);
}

// --- operations ----------------------------------------------------------------------------------

typedef struct Pass {
  Rigid *m;
  const dvRigidKernels *kernels;
  const double *points, *in;
  double *out;
} Pass;

static bool sizes_hold(const Rigid *m) { return m->base.out->count == m->count && m->base.in->count >= m->frames; }

static const double *points_of(const Rigid *m)
{
  return m->useX0 ? dv_state_read(m->base.out, DV_X_REST) : m->initialPoints.data;
}

static void rigid_pose(Rigid *m, const double *in)
{
  bool flat = m->base.base.dof->kind == DV_RIGID2;
  for (size_t f = 0; f < m->frames; f++) {
    double(*column)[4] = m->pose[f].column;
    if (flat) {
      double c = cos(in[3 * f + 2]), s = sin(in[3 * f + 2]);
      column[0][0] = c, column[0][1] = s, column[1][0] = -s, column[1][1] = c;
      column[3][0] = in[3 * f], column[3][1] = in[3 * f + 1];
      continue;
    }
    dvQuat q = dv_quat_load(in + 7 * f + 3);
    dv_vec3_store(column[0], dv_quat_rotate(q, dv_vec3(1, 0, 0)));
    dv_vec3_store(column[1], dv_quat_rotate(q, dv_vec3(0, 1, 0)));
    dv_vec3_store(column[2], dv_quat_rotate(q, dv_vec3(0, 0, 1)));
    dv_vec3_store(column[3], dv_vec3_load(in + 7 * f));
  }
}

// r = R p; in two dimensions with a third number of zero
static dvVec3 arm_of(const Rigid *m, const double *points, size_t i)
{
  const double(*c)[4] = m->pose[m->frame[i]].column, *p = points + i * (size_t)m->base.base.dof_out->coord;
  if (m->base.base.dof->kind == DV_RIGID2)
    return dv_vec3(c[0][0] * p[0] + c[1][0] * p[1], c[0][1] * p[0] + c[1][1] * p[1], 0);
  return dv_vec3(c[0][0] * p[0] + c[1][0] * p[1] + c[2][0] * p[2], c[0][1] * p[0] + c[1][1] * p[1] + c[2][1] * p[2],
                 c[0][2] * p[0] + c[1][2] * p[1] + c[2][2] * p[2]);
}

static void apply_points(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const Rigid *m = p->m;
  p->kernels->points(m->one_frame ? m->pose + m->frame[0] : m->pose, m->one_frame ? NULL : m->frame, p->points, p->out,
                     begin, end);
}

static void apply_frames(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  for (size_t i = begin; i < end; i++) {
    const double *frame = p->in + 7 * (size_t)p->m->frame[i];
    dv_vec3_store(p->out + 7 * i, dv_vec3_add(dv_vec3_load(frame), arm_of(p->m, p->points, i)));
    dv_quat_store(p->out + 7 * i + 3, dv_quat_mul(dv_quat_load(frame + 3), dv_quat_load(p->points + 7 * i + 3)));
  }
}

static void apply_2d(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  for (size_t i = begin; i < end; i++) {
    const double *frame = p->in + 3 * (size_t)p->m->frame[i];
    dvVec3 r = arm_of(p->m, p->points, i);
    p->out[2 * i] = frame[0] + r.x;
    p->out[2 * i + 1] = frame[1] + r.y;
  }
}

static void rigid_apply(dvObject *o, int out_x, int in_x)
{
  Rigid *m = (Rigid *)o;
  if (!dv_mapping_fits(&m->base, sizes_hold(m))) return;
  Pass p = {.m = m, .in = dv_state_read(m->base.in, in_x), .kernels = DV_KERNEL_CHOOSE(dv_rigid_kernels)};
  p.out = dv_state_overwrite(m->base.out, out_x);
  p.points = points_of(m);
  rigid_pose(m, p.in);
  dv_parallel_for(o->context->pool, m->count, GRAIN,
                  o->dof->kind == DV_RIGID2       ? apply_2d
                  : o->dof_out->kind == DV_RIGID3 ? apply_frames
                                                  : apply_points,
                  &p);
  dv_mapping_touch(&m->base, out_x);
}

static void apply_j_3d(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  size_t width = (size_t)p->m->base.out->base.dof->deriv;
  for (size_t i = begin; i < end; i++) {
    const double *v = p->in + 6 * (size_t)p->m->frame[i];
    dvVec3 w = dv_vec3_load(v + 3);
    dv_vec3_store(p->out + i * width, dv_vec3_add(dv_vec3_load(v), dv_vec3_cross(w, arm_of(p->m, p->points, i))));
    if (width == 6) dv_vec3_store(p->out + i * width + 3, w);
  }
}

static void apply_j_2d(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  for (size_t i = begin; i < end; i++) {
    const double *v = p->in + 3 * (size_t)p->m->frame[i];
    dvVec3 r = arm_of(p->m, p->points, i);
    p->out[2 * i] = v[0] - v[2] * r.y;
    p->out[2 * i + 1] = v[1] + v[2] * r.x;
  }
}

static void rigid_apply_j(dvObject *o, int out_v, int in_v)
{
  Rigid *m = (Rigid *)o;
  if (!sizes_hold(m)) return;
  Pass p = {.m = m, .in = dv_state_read(m->base.in, in_v), .points = points_of(m)};
  p.out = dv_state_overwrite(m->base.out, out_v);
  dv_parallel_for(o->context->pool, m->count, GRAIN, o->dof->kind == DV_RIGID2 ? apply_j_2d : apply_j_3d, &p);
}

// one after the other: many points share a frame, and the order of the sum is the order of the points
static void rigid_apply_jt(dvObject *o, int in_f, int out_f)
{
  Rigid *m = (Rigid *)o;
  if (!m->base.mapForces || !sizes_hold(m)) return;
  const double *f = dv_state_read(m->base.out, out_f), *points = points_of(m);
  double *in = dv_state_write(m->base.in, in_f);
  size_t width = (size_t)o->dof_out->deriv;
  for (size_t i = 0; i < m->count; i++, f += width) {
    dvVec3 r = arm_of(m, points, i);
    if (o->dof->kind == DV_RIGID2) {
      double *t = in + 3 * (size_t)m->frame[i];
      t[0] += f[0];
      t[1] += f[1];
      t[2] += r.x * f[1] - r.y * f[0];
      continue;
    }
    double *t = in + 6 * (size_t)m->frame[i];
    dvVec3 force = dv_vec3_load(f), torque = dv_vec3_cross(r, force);
    if (width == 6) torque = dv_vec3_add(dv_vec3_load(f + 3), torque);
    dv_vec3_accumulate(t, force);
    dv_vec3_accumulate(t + 3, torque);
  }
}

// derivative of the torque on each frame
static void geometric_blocks(Rigid *m, const double *f)
{
  size_t width = (size_t)m->base.out->base.dof->deriv;
  const double *points = points_of(m);
  memset(m->turn, 0, m->frames * sizeof *m->turn);
  for (size_t i = 0; i < m->count; i++) {
    dvMat3 *t = &m->turn[m->frame[i]];
    *t = dv_mat3_add(*t, dv_mat3_mul(dv_mat3_skew(dv_vec3_load(f + i * width)), dv_mat3_skew(arm_of(m, points, i))));
  }
  for (size_t i = 0; i < m->frames && m->geometricStiffness == STIFFNESS_STABILIZED; i++)
    m->turn[i] = dv_turn_stabilise(m->turn[i]);
}

static void geometric_3d(Rigid *m, double k, double *df, const double *dx, const double *f)
{
  geometric_blocks(m, f);
  for (size_t i = 0; i < m->frames; i++)
    dv_vec3_accumulate(df + 6 * i + 3, dv_vec3_scale(dv_mat3_mul_vec(m->turn[i], dv_vec3_load(dx + 6 * i + 3)), k));
}

static void rigid_apply_djt(dvObject *o, const dvMech *mech, int in_df, int in_dx, int out_f)
{
  Rigid *m = (Rigid *)o;
  if (m->geometricStiffness == STIFFNESS_NONE || !m->base.mapForces || !sizes_hold(m)) return;
  const double *f = dv_state_read(m->base.out, out_f), *dx = dv_state_read(m->base.in, in_dx);
  double *df = dv_state_write(m->base.in, in_df);
  if (o->dof->kind == DV_RIGID3) {
    geometric_3d(m, mech->k, df, dx, f);
  } else if (m->geometricStiffness == STIFFNESS_EXACT) {
    for (size_t i = 0; i < m->count; i++) {
      size_t frame = 3 * (size_t)m->frame[i];
      dvVec3 r = arm_of(m, points_of(m), i);
      df[frame + 2] -= mech->k * dx[frame + 2] * (f[2 * i] * r.x + f[2 * i + 1] * r.y);
    }
  }
}

static void geometric_blocks_2d(const Rigid *m, double k, const double *f, dvMatrixSink *sink)
{
  if (m->geometricStiffness != STIFFNESS_EXACT) return;
  for (size_t i = 0; i < m->count; i++) {
    double block[9] = {0};
    dvVec3 r = arm_of(m, points_of(m), i);
    block[8] = -k * (f[2 * i] * r.x + f[2 * i + 1] * r.y);
    sink->add(sink, m->base.in, (size_t)m->frame[i], m->base.in, (size_t)m->frame[i], 3, 3, block);
  }
}

static void rigid_add_geometric(dvObject *o, const dvMech *mech, int out_f, dvMatrixSink *sink)
{
  Rigid *m = (Rigid *)o;
  if (m->geometricStiffness == STIFFNESS_NONE || !m->base.mapForces || !sizes_hold(m)) return;
  const double *f = dv_state_read(m->base.out, out_f);
  if (o->dof->kind == DV_RIGID2) {
    geometric_blocks_2d(m, mech->k, f, sink);
    return;
  }
  geometric_blocks(m, f);
  for (size_t i = 0; i < m->frames; i++) {
    double block[36] = {0};
    for (int k = 0; k < 9; k++) block[(3 + k / 3) * 6 + 3 + k % 3] = mech->k * m->turn[i].m[k / 3][k % 3];
    sink->add(sink, m->base.in, i, m->base.in, i, 6, 6, block);
  }
}

static void rigid_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  Rigid *m = (Rigid *)o;
  if (!sizes_hold(m)) return;
  int rows = o->dof_out->deriv, cols = o->dof->deriv;
  dvVec3 r = arm_of(m, points_of(m), i);
  double block[36] = {0};
  for (int k = 0; k < rows; k++) block[k * cols + k] = 1;
  if (o->dof->kind == DV_RIGID2) {
    block[2] = -r.y;
    block[5] = r.x;
  } else {
    dvMat3 turn = dv_mat3_skew(dv_vec3_neg(r));   // w x r = -[r]x w
    for (int k = 0; k < 9; k++) block[(k / 3) * cols + 3 + k % 3] = turn.m[k / 3][k % 3];
  }
  sink->add(sink, m->base.out, i, m->base.in, (size_t)m->frame[i], rows, cols, block);
}

// towards the centre: w x (w x r)
static void rigid_add_jdot(dvObject *o, int out_a, int in_v)
{
  Rigid *m = (Rigid *)o;
  if (!sizes_hold(m)) return;
  const double *v = dv_state_read(m->base.in, in_v);
  double *a = dv_state_write(m->base.out, out_a);
  size_t width = (size_t)o->dof_out->deriv;
  for (size_t i = 0; i < m->count; i++) {
    dvVec3 r = arm_of(m, points_of(m), i);
    if (o->dof->kind == DV_RIGID2) {
      double w = v[3 * (size_t)m->frame[i] + 2];
      a[i * width] -= w * w * r.x;
      a[i * width + 1] -= w * w * r.y;
    } else {
      dvVec3 w = dv_vec3_load(v + 6 * (size_t)m->frame[i] + 3);
      dv_vec3_accumulate(a + i * width, dv_vec3_cross(w, dv_vec3_cross(w, r)));
    }
  }
}

static const dvMappingOps rigid_ops = {
    .apply = rigid_apply,
    .apply_j = rigid_apply_j,
    .apply_jt = rigid_apply_jt,
    .apply_djt = rigid_apply_djt,
    .build_j = dv_mapping_build_rows,
    .row = rigid_row,
    .add_geometric = rigid_add_geometric,
    .add_jdot = rigid_add_jdot,
    DV_MAPPING_SLOTS,
};

static const dvDofPair pairs[] = {
    {DV_DOF_RIGID3, 0, DV_DOF_VEC3 | DV_DOF_RIGID3}, {DV_DOF_RIGID2, 0, DV_DOF_VEC2}, {0}};

const dvClass dv_rigid_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "RigidMapping",
    .help = "moves points with the frames they are fixed to",
    .module = "Sofa.Component.Mapping.NonLinear",
    .dofs = DV_DOF_RIGID2 | DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID3,
    .pairs = pairs,
    .size = sizeof(Rigid),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(rigid_fields)},
    .ops = {[DV_ROLE_MAPPING] = &rigid_ops},
    .link = dv_mapping_link,
    .parse = rigid_parse,
    .init = rigid_init,
    .destroy = rigid_destroy,
    .topology_changed = rigid_topology_changed,
};
