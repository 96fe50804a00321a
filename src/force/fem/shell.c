// TriangularShellForceField: thin shells of triangles with frames at their corners, for large displacements and small strains.
//
//   f = -R K d,   df = -R K R^T dx
//
// R is the frame of the triangle (x along its first side, z normal to it), d the displacements of the corners and the rotations of their frames as seen
// from it, K the matrix of membrane and bending at rest (shell_matrix.h). Frames at the points may stand in any way at rest; they count from there.
// Needs a topology with triangles and a state of frames (Rigid3).
#include "force/fem/elastic.h"
#include "force/fem/shell_matrix.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SHELL_FIELDS(X) X(reals, thickness, "0.01", "m", "thickness of the shell, one for all or one each triangle; the first where one is missing")

typedef struct Shell {
  int32_t corner[3];
  dvMat3 frame;                // rows are the axes, as of the last force
  dvQuat first;                // axes at rest
  dvQuat turned[3];            // of the corners at rest, seen from the axes
  dvVec3 rest[3];              // corners from their centre, in the axes
  double k[DV_SHELL_SIZE * DV_SHELL_SIZE];
} Shell;

typedef struct ShellForce {
  dvElastic elastic;
  SHELL_FIELDS(DV_MEMBER)
  DV_ARRAY(Shell) shells;
  unsigned revision;
} ShellForce;

#define SELF ShellForce
static const dvFieldDesc shell_fields[] = {SHELL_FIELDS(DV_DESCRIBE)};
#undef SELF

extern const dvClass dv_shell_class;

// --- frames ---

static dvVec3 position(const double *x, int32_t point) { return dv_vec3_load(x + 7 * (size_t)point); }
static dvQuat rotation(const double *x, int32_t point) { return dv_quat_normalise(dv_quat_load(x + 7 * (size_t)point + 3)); }

// rows x, y, z; the centre of the corners
static dvMat3 axes_of(const Shell *s, const double *x, dvVec3 *centre)
{
  dvVec3 a = position(x, s->corner[0]), b = position(x, s->corner[1]), c = position(x, s->corner[2]);
  *centre = dv_vec3_scale(dv_vec3_add(dv_vec3_add(a, b), c), 1.0 / 3);
  dvVec3 along = dv_vec3_normalise(dv_vec3_sub(b, a)), normal = dv_vec3_normalise(dv_vec3_cross(along, dv_vec3_sub(c, a)));
  return dv_mat3_from_rows(along, dv_vec3_cross(normal, along), normal);
}

static dvQuat quat_of(dvMat3 rows) { return dv_quat_from_matrix(dv_mat3_transpose(rows)); }

// displacements and rotations of the corners, seen from the axes
static void displacement_of(const Shell *s, const double *x, dvMat3 axes, dvVec3 centre, double d[DV_SHELL_SIZE])
{
  dvQuat frame = quat_of(axes);
  for (int i = 0; i < 3; i++) {
    dvVec3 here = dv_mat3_mul_vec(axes, dv_vec3_sub(position(x, s->corner[i]), centre));
    dvQuat turn = dv_quat_mul(dv_quat_mul(dv_quat_conjugate(frame), rotation(x, s->corner[i])), dv_quat_conjugate(s->turned[i]));
    dv_vec3_store(d + 6 * i, dv_vec3_sub(here, s->rest[i]));
    dv_vec3_store(d + 6 * i + 3, dv_quat_to_rotation_vector(turn));
  }
}

static void multiply(const double *k, const double *d, double *out)
{
  for (int i = 0; i < DV_SHELL_SIZE; i++) {
    double sum = 0;
    for (int j = 0; j < DV_SHELL_SIZE; j++) sum += k[DV_SHELL_SIZE * i + j] * d[j];
    out[i] = sum;
  }
}

// --- set-up ---

static bool make_shell(ShellForce *f, size_t e, const int32_t *corner, const double *x0, Shell *s)
{
  dvVec3 centre;
  double x[3], y[3];
  memcpy(s->corner, corner, sizeof s->corner);
  s->frame = axes_of(s, x0, &centre);
  s->first = quat_of(s->frame);
  for (int i = 0; i < 3; i++) {
    s->rest[i] = dv_mat3_mul_vec(s->frame, dv_vec3_sub(position(x0, corner[i]), centre));
    s->turned[i] = dv_quat_mul(dv_quat_conjugate(s->first), rotation(x0, corner[i]));
    x[i] = s->rest[i].x, y[i] = s->rest[i].y;
  }
  return dv_shell_matrix(x, y, dv_elastic_young(&f->elastic, e), dv_elastic_poisson(&f->elastic, e), dv_elastic_pick(&f->thickness, e), s->k);
}

static dvStatus shell_reinit(dvObject *o)
{
  ShellForce *f = (ShellForce *)o;
  dvState *s = f->elastic.force.state;
  f->shells.count = 0;
  dv_force_mesh_changed(&f->elastic.topology, &f->revision);
  const dvInts *triangles = dv_force_elements(o, dv_elastic_topology(&f->elastic), DV_TRIANGLE, s);
  if (!triangles) return DV_ERROR_INPUT;
  size_t count = dv_ints_size(triangles), flat = 0;
  DV_TRY(dv_elastic_check(&f->elastic, count, 0.5));
  if (f->thickness.count == 0) return dv_field_error(o, &f->thickness, "the default is 0.01", "thickness has no value");
  for (size_t i = 0; i < f->thickness.count; i++)
    if (!(f->thickness.data[i] > 0 && f->thickness.data[i] < DV_EXPLODED))
      return dv_field_error(o, &f->thickness, "give a positive number", "thickness %g is not above 0", f->thickness.data[i]);
  const double *x0 = dv_state_read(s, DV_X_REST);
  for (size_t e = 0; e < count; e++) {
    Shell shell = {0};
    if (make_shell(f, e, triangles->data + 3 * e, x0, &shell)) dv_push(&f->shells, shell);
    else flat++;
  }
  if (flat) dv_warning(o, "repair the mesh", "%zu triangles have no area and give no force", flat);
  return DV_OK;
}

static dvStatus shell_init(dvObject *o)
{
  ShellForce *f = (ShellForce *)o;
  DV_TRY(dv_elastic_init(o));
  DV_TRY(shell_reinit(o));
  if (f->shells.count == 0) dv_warning(o, "give the topology triangles", "the topology %s has no triangles: there is no shell", f->elastic.topology.target->name);
  return DV_OK;
}

// --- operations ---

static void add_turned(const Shell *s, double k, const double *force, double *f)
{
  for (int i = 0; i < 6; i++)
    dv_vec3_accumulate(f + 6 * (size_t)s->corner[i / 2] + 3 * (i % 2), dv_vec3_scale(dv_mat3_t_mul_vec(s->frame, dv_vec3_load(force + 3 * i)), k));
}

static void shell_add_force(dvObject *o, const dvMech *m)
{
  ShellForce *f = (ShellForce *)o;
  dvState *state = f->elastic.force.state;
  if (dv_force_mesh_changed(&f->elastic.topology, &f->revision) && shell_reinit(o) != DV_OK) return;
  const double *x = dv_state_read(state, m->x);
  double *out = dv_state_write(state, m->f), d[DV_SHELL_SIZE], force[DV_SHELL_SIZE];
  for (size_t i = 0; i < f->shells.count; i++) {
    Shell *s = &f->shells.data[i];
    dvVec3 centre;
    s->frame = axes_of(s, x, &centre);
    displacement_of(s, x, s->frame, centre, d);
    multiply(s->k, d, force);
    add_turned(s, -1, force, out);
  }
}

static void shell_add_dforce(dvObject *o, const dvMech *m)
{
  ShellForce *f = (ShellForce *)o;
  dvState *state = f->elastic.force.state;
  double k = dv_mech_k(m, f->elastic.force.rayleighStiffness), d[DV_SHELL_SIZE], force[DV_SHELL_SIZE];
  const double *dx = dv_state_read(state, m->dx);
  double *df = dv_state_write(state, m->df);
  for (size_t i = 0; i < f->shells.count; i++) {
    const Shell *s = &f->shells.data[i];
    for (int j = 0; j < 6; j++) dv_vec3_store(d + 3 * j, dv_mat3_mul_vec(s->frame, dv_vec3_load(dx + 6 * (size_t)s->corner[j / 2] + 3 * (j % 2))));
    multiply(s->k, d, force);
    add_turned(s, -k, force, df);
  }
}

static void shell_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  ShellForce *f = (ShellForce *)o;
  double k = dv_mech_k(m, f->elastic.force.rayleighStiffness), out[DV_SHELL_SIZE * DV_SHELL_SIZE];
  for (size_t e = 0; e < f->shells.count; e++) {
    const Shell *s = &f->shells.data[e];
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        dvMat3 block;
        for (int n = 0; n < 9; n++) block.m[n / 3][n % 3] = -k * s->k[DV_SHELL_SIZE * (3 * i + n / 3) + 3 * j + n % 3];
        block = dv_mat3_t_mul(s->frame, dv_mat3_mul(block, s->frame));
        for (int n = 0; n < 9; n++) out[DV_SHELL_SIZE * (3 * i + n / 3) + 3 * j + n % 3] = block.m[n / 3][n % 3];
      }
    dv_sink_add_element(sink, f->elastic.force.state, s->corner, 3, out);
  }
}

static double shell_energy(dvObject *o, const dvMech *m)
{
  ShellForce *f = (ShellForce *)o;
  const double *x = dv_state_read(f->elastic.force.state, m->x);
  double sum = 0, d[DV_SHELL_SIZE], force[DV_SHELL_SIZE];
  for (size_t i = 0; i < f->shells.count; i++) {
    const Shell *s = &f->shells.data[i];
    dvVec3 centre;
    dvMat3 axes = axes_of(s, x, &centre);
    displacement_of(s, x, axes, centre, d);
    multiply(s->k, d, force);
    for (int j = 0; j < DV_SHELL_SIZE; j++) sum += 0.5 * d[j] * force[j];
  }
  return sum;
}

static void shell_destroy(dvObject *o) { dv_array_free(&((ShellForce *)o)->shells); }

static const dvForceOps shell_ops = {
    .add_force = shell_add_force,
    .add_dforce = shell_add_dforce,
    .add_stiffness = shell_add_stiffness,
    .energy = shell_energy,
    .states = dv_force_state,
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
};
