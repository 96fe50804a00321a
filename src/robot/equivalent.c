// PREquivalentStiffnessForceField: frames in a row that are joined by what stands between them, given as the compliance
// of each piece, measured or condensed from a finer model.
//
//   u = (R_a^T (x_b - x_a) - at rest, log(R_a^T R_b (at rest)^-1)),   E = 1/2 u^T C^-1 u,   f = -J^T C^-1 u
//
// with the compliance C of the piece in the frame a: six numbers of u for six of force and torque. J is exact, so that
// forces are those of the energy; products take J^T C^-1 J, which is all of the stiffness where the piece is at rest.
// (SOFA's component stays switched off, and transports torques by the lever arm at rest.)
#include "robot/classes.h"

#include "base/file.h"
#include "math/dense.h"
#include "math/vec.h"
#include "mechanics/component.h"
#include "object/context.h"

#include <math.h>
#include <string.h>

#define PIECE_FIELDS(X)                                                                                            \
  X(file, complianceFile, "", "", "file with the 36 numbers of each compliance, row by row", .flags = DV_REQUIRED) \
  X(real, coefForce, "1", "", "factor of all stiffnesses", .least = "0")                                           \
  X(int, startIndex, "0", "", "first frame of the row: those before are left alone", .least = "0")

typedef struct Piece {
  double k[36];    // inverse of the compliance
  dvVec3 offset;   // of b at rest, in the frame of a
  dvQuat turn;
  double j[72];   // of the last force
} Piece;

typedef struct Pieces {
  dvForce force;
  PIECE_FIELDS(DV_MEMBER)
  DV_ARRAY(Piece) pieces;
  size_t frames;   // that there were at the start
  bool told;       // that there are others now
} Pieces;

#define SELF Pieces
static const dvFieldDesc piece_fields[] = {PIECE_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- one piece -----------------------------------------------------------------------------------

// inverse of the left Jacobian of rotations: how the vector of a rotation changes when it is turned further
static dvMat3 turn_slope(dvVec3 r)
{
  double angle = dv_vec3_norm(r);
  double c =
      angle < 1e-3 ? 1. / 12 + angle * angle / 720 : 1 / (angle * angle) - (1 + cos(angle)) / (2 * angle * sin(angle));
  dvMat3 s = dv_mat3_skew(r);
  return dv_mat3_add(dv_mat3_add(dv_mat3_identity(), dv_mat3_scale(s, -0.5)), dv_mat3_scale(dv_mat3_mul(s, s), c));
}

static void put(double *j, int row, int column, dvMat3 m)
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) j[12 * (row + i) + column + k] = m.m[i][k];
}

static dvQuat turn_between(const double *a, const double *b)
{
  return dv_quat_normalise(dv_quat_mul(dv_quat_inverse(dv_quat_load(a + 3)), dv_quat_load(b + 3)));
}

// u, and J where it is wanted
static void strain(const Piece *p, const double *x, double u[6], double *j)
{
  const double *a = x, *b = x + 7;
  dvQuat q = dv_quat_normalise(dv_quat_load(a + 3));
  dvVec3 way = dv_vec3_sub(dv_vec3_load(b), dv_vec3_load(a));
  dvQuat turned = dv_quat_normalise(dv_quat_mul(turn_between(a, b), dv_quat_inverse(p->turn)));
  if (turned.w < 0) turned = dv_quat_scale(turned, -1);
  dvVec3 turn = dv_quat_to_rotation_vector(turned);
  dv_vec3_store(u, dv_vec3_sub(dv_quat_inverse_rotate(q, way), p->offset));
  dv_vec3_store(u + 3, turn);
  if (!j) return;
  dvMat3 back = dv_mat3_transpose(dv_quat_to_matrix(q)), slope = dv_mat3_mul(turn_slope(turn), back);
  memset(j, 0, 72 * sizeof *j);
  put(j, 0, 0, dv_mat3_scale(back, -1));
  put(j, 0, 3, dv_mat3_mul(back, dv_mat3_skew(way)));
  put(j, 0, 6, back);
  put(j, 3, 3, dv_mat3_scale(slope, -1));
  put(j, 3, 9, slope);
}

static size_t in_use(const Pieces *f)   // none when frames came or went
{
  return f->force.state->count == f->frames ? f->pieces.count : 0;
}

// f -= factor J^T K u at the two frames
static void add_back(const Piece *p, const double u[6], double factor, double *f)
{
  double stress[6];
  dv_dense_product(p->k, 6, 6, u, stress);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 12; k++) f[k] -= factor * p->j[12 * i + k] * stress[i];
}

// --- operations ----------------------------------------------------------------------------------

static void piece_add_force(dvObject *o, const dvMech *m)
{
  Pieces *f = (Pieces *)o;
  const double *x = dv_state_read(f->force.state, m->x);
  double *out = dv_state_write(f->force.state, m->f), u[6];
  if (f->force.state->count != f->frames && !f->told) {
    f->told = true;
    dv_warning(o, "leave the frames as they are", "%s joins %zu frames, and there are %zu now: it gives no force",
               o->name, f->frames, f->force.state->count);
  }
  for (size_t i = 0; i < in_use(f); i++) {
    Piece *p = &f->pieces.data[i];
    size_t at = (size_t)f->startIndex + i;
    strain(p, x + 7 * at, u, p->j);
    add_back(p, u, f->coefForce, out + 6 * at);
  }
}

static void piece_add_dforce(dvObject *o, const dvMech *m)
{
  const Pieces *f = (const Pieces *)o;
  const double *dx = dv_state_read(f->force.state, m->dx);
  double *out = dv_state_write(f->force.state, m->df), u[6],
         k = dv_mech_k(m, f->force.rayleighStiffness) * f->coefForce;
  for (size_t i = 0; i < in_use(f); i++) {
    size_t at = 6 * ((size_t)f->startIndex + i);
    dv_dense_product(f->pieces.data[i].j, 6, 12, dx + at, u);
    add_back(&f->pieces.data[i], u, k, out + at);
  }
}

static void piece_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  const Pieces *f = (const Pieces *)o;
  double k = dv_mech_k(m, f->force.rayleighStiffness) * f->coefForce;
  for (size_t i = 0; i < in_use(f); i++) {
    const Piece *p = &f->pieces.data[i];
    double matrix[144], column[12], u[6];
    for (int c = 0; c < 12; c++) {
      for (int r = 0; r < 6; r++) u[r] = p->j[12 * r + c];
      memset(column, 0, sizeof column);
      add_back(p, u, k, column);
      for (int r = 0; r < 12; r++) matrix[12 * r + c] = column[r];
    }
    int32_t frame = f->startIndex + (int32_t)i;
    dv_sink_add_element(sink, f->force.state, (int32_t[]){frame, frame + 1}, 2, matrix);
  }
}

static double piece_energy(dvObject *o, const dvMech *m)
{
  const Pieces *f = (const Pieces *)o;
  const double *x = dv_state_read(f->force.state, m->x);
  double sum = 0, u[6], stress[6];
  for (size_t i = 0; i < in_use(f); i++) {
    strain(&f->pieces.data[i], x + 7 * ((size_t)f->startIndex + i), u, NULL);
    dv_dense_product(f->pieces.data[i].k, 6, 6, u, stress);
    for (int k = 0; k < 6; k++) sum += 0.5 * f->coefForce * u[k] * stress[k];
  }
  return sum;
}

// --- set-up --------------------------------------------------------------------------------------

// false when it has no inverse that resists every motion
static bool invert(const double *compliance, double *out)
{
  double l[36], column[6];
  size_t bad;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) l[6 * i + k] = 0.5 * (compliance[6 * i + k] + compliance[6 * k + i]);
  if (!dv_dense_cholesky(l, 6, &bad)) return false;
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < 6; i++) column[i] = i == k;
    dv_dense_cholesky_solve(l, 6, column);
    for (int i = 0; i < 6; i++) {
      out[6 * i + k] = column[i];
      if (!isfinite(column[i])) return false;
    }
  }
  return true;
}

static dvStatus read_numbers(const Pieces *f, size_t pieces, double *out)
{
  const dvObject *o = &f->force.base;
  char *path = dv_context_find_file(o->context, f->complianceFile, o->place.file, NULL);
  char *text = path ? dv_file_read(path, NULL) : NULL;
  dv_free(path);
  if (!text)
    return dv_field_error(o, &f->complianceFile, "it is looked for beside the scene and in --data directories",
                          "%s cannot be read", f->complianceFile);
  for (char *c = text; *c; c++)
    if (*c == '[' || *c == ']' || *c == ',') *c = ' ';
  const char *at = text;
  size_t n = 0;
  while (n < 36 * pieces && dv_scan_real(&at, &out[n]) && isfinite(out[n])) n++;
  dv_free(text);
  return n == 36 * pieces
             ? DV_OK
             : dv_field_error(o, &f->complianceFile, "36 numbers for each pair of frames",
                              "%s has %zu numbers, and %zu pieces need %zu", f->complianceFile, n, pieces, 36 * pieces);
}

static dvStatus piece_set_up(dvObject *o, const double *numbers)
{
  Pieces *f = (Pieces *)o;
  const double *rest = dv_state_read(f->force.state, DV_X_REST);
  for (size_t i = 0; i < f->pieces.count; i++) {
    Piece *p = &f->pieces.data[i];
    const double *a = rest + 7 * ((size_t)f->startIndex + i), *c = numbers + 36 * i;
    double most = 0, skew = 0, u[6];
    for (int r = 0; r < 6; r++)
      for (int k = 0; k < 6; k++) {
        most = fmax(most, fabs(c[6 * r + k]));
        skew = fmax(skew, fabs(c[6 * r + k] - c[6 * k + r]));
      }
    if (skew > 1e-6 * most)
      dv_field_warning(o, &f->complianceFile, NULL, "compliance %zu is not symmetric: the mean of both halves is taken",
                       i);
    if (!invert(c, p->k))
      return dv_field_error(o, &f->complianceFile, "every force has to do work along its displacement",
                            "compliance %zu is not positive definite", i);
    p->offset = dv_quat_inverse_rotate(dv_quat_load(a + 3), dv_vec3_sub(dv_vec3_load(a + 7), dv_vec3_load(a)));
    p->turn = turn_between(a, a + 7);
    strain(p, a, u, p->j);
  }
  return DV_OK;
}

static dvStatus piece_check(dvObject *o)
{
  const Pieces *f = (const Pieces *)o;
  if (f->coefForce >= 0) return DV_OK;
  return dv_field_error(o, &f->coefForce, NULL, "stiffnesses cannot be multiplied by %g", f->coefForce);
}

static dvStatus piece_init(dvObject *o)
{
  Pieces *f = (Pieces *)o;
  DV_TRY(dv_force_init(o));
  DV_TRY(piece_check(o));
  f->frames = f->force.state->count;
  if (f->startIndex < 0 || (size_t)f->startIndex + 2 > f->frames)
    return dv_field_error(o, &f->startIndex, "two frames at least have to follow",
                          "%zu frames have no piece from frame %d on", f->frames, f->startIndex);
  dv_array_resize(&f->pieces, f->frames - 1 - (size_t)f->startIndex);
  double *numbers = dv_alloc(36 * f->pieces.count * sizeof *numbers);
  dvStatus status = read_numbers(f, f->pieces.count, numbers);
  if (status == DV_OK) status = piece_set_up(o, numbers);
  dv_free(numbers);
  return status;
}

static void piece_destroy(dvObject *o) { dv_array_free(&((Pieces *)o)->pieces); }

static const dvForceOps piece_ops = {.add_force = piece_add_force,
                                     .add_dforce = piece_add_dforce,
                                     .add_stiffness = piece_add_stiffness,
                                     .energy = piece_energy,
                                     DV_FORCE_SLOTS};

const dvClass dv_equivalent_class = {
    .struct_size = sizeof(dvClass),
    .name = "PREquivalentStiffnessForceField",
    .help = "joins frames in a row by pieces whose compliance stands in a file",
    .module = "SoftRobots",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(Pieces),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(piece_fields)},
    .ops = {[DV_ROLE_FORCE] = &piece_ops},
    .init = piece_init,
    .reinit = piece_check,
    .destroy = piece_destroy,
};
