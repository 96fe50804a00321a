// Engines that move points and make matrices: TransformEngine, the engines that compose 4 x 4 transformations, and the
// displacement of frames from where they stood.
//
// TransformEngine: p' = q (R (S p)) + t, with the rotation R from Euler angles (x first), then the quaternion q; the
// inverse takes the same steps backwards. A matrix engine gives inT times its own matrix: what it does comes first.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"

#include <string.h>

#define TRANSFORM_FIELDS(X)                                                                                      \
  X(coords, input_position, "", "m", "points to move", .flags = DV_INPUT)                                        \
  X(coords, output_position, "", "m", "the moved points", .flags = DV_OUTPUT)                                    \
  X(vec3, translation, "0 0 0", "m", "translation", .flags = DV_INPUT)                                           \
  X(vec3, rotation, "0 0 0", "degrees", "rotation about x, then y, then z", .flags = DV_INPUT)                   \
  X(vec4, quaternion, "0 0 0 1", "", "rotation as a quaternion x y z w, after the other one", .flags = DV_INPUT) \
  X(vec3, scale, "1 1 1", "", "factors along x, y, z, before the rotations", .flags = DV_INPUT)                  \
  X(bool, inverse, "0", "", "undo the transformation instead", .flags = DV_INPUT)

typedef struct Transform {
  dvObject base;
  TRANSFORM_FIELDS(DV_MEMBER)
} Transform;

#define SELF Transform
static const dvFieldDesc transform_fields[] = {TRANSFORM_FIELDS(DV_DESCRIBE)};
#undef SELF

static const double degree = 0.017453292519943295;

static dvVec3 scaled(dvVec3 p, const double s[3], bool inverse)
{
  return inverse ? dv_vec3(p.x / s[0], p.y / s[1], p.z / s[2]) : dv_vec3(p.x * s[0], p.y * s[1], p.z * s[2]);
}

// rotates a point and, of a frame, its orientation
static void turn(const dvDof *dof, double *x, dvVec3 *p, dvQuat q, double about_z)
{
  *p = dv_quat_rotate(q, *p);
  if (dof->kind == DV_RIGID3) dv_quat_store(x + 3, dv_quat_mul(q, dv_quat_load(x + 3)));
  if (dof->kind == DV_RIGID2) x[2] += about_z;
}

static void move(const Transform *t, double *x)
{
  const dvDof *dof = t->base.dof;
  double p3[3] = {0};
  memcpy(p3, x, (size_t)dof->space * sizeof *p3);
  dvVec3 p = dv_vec3_load(p3), shift = dv_vec3_load(t->translation);
  double sign = t->inverse ? -1 : 1;
  dvQuat r = dv_quat_from_euler(dv_vec3_scale(dv_vec3_load(t->rotation), degree)), q = dv_quat_load(t->quaternion);
  if (t->inverse) r = dv_quat_inverse(r), q = dv_quat_inverse(q);
  bool turns = t->rotation[0] != 0 || t->rotation[1] != 0 || t->rotation[2] != 0;
  bool turns_more = t->quaternion[0] != 0 || t->quaternion[1] != 0 || t->quaternion[2] != 0 || t->quaternion[3] != 1;
  if (!t->inverse) p = scaled(p, t->scale, false);
  else p = dv_vec3_sub(p, shift);
  for (int step = 0; step < 2; step++) {
    bool euler = (step == 0) != t->inverse;
    if (euler && turns) turn(dof, x, &p, r, sign * t->rotation[2] * degree);
    if (!euler && turns_more) turn(dof, x, &p, q, 0);
  }
  if (!t->inverse) p = dv_vec3_add(p, shift);
  else p = scaled(p, t->scale, true);
  dv_vec3_store(p3, p);
  memcpy(x, p3, (size_t)dof->space * sizeof *p3);
}

static dvStatus transform_update(dvObject *o)
{
  Transform *t = (Transform *)o;
  if (t->inverse && (t->scale[0] == 0 || t->scale[1] == 0 || t->scale[2] == 0))
    return dv_field_error(o, t->scale, NULL, "a scale of %g %g %g cannot be undone", t->scale[0], t->scale[1],
                          t->scale[2]);
  if (o->dof->kind == DV_RIGID2 && (t->quaternion[0] != 0 || t->quaternion[1] != 0 || t->quaternion[2] != 0))
    return dv_field_error(o, t->quaternion, "give a rotation about z",
                          "a quaternion does not turn frames of the plane");
  if (!dv_reals_assign(&t->output_position, t->input_position.data, t->input_position.count))
    return dv_engine_no_memory(o);
  for (size_t i = 0; i < dv_reals_size(&t->output_position); i++)
    move(t, t->output_position.data + i * (size_t)o->dof->coord);
  return DV_OK;
}

DV_ENGINE_CLASS(dv_transform_engine_class, "TransformEngine", "moves, turns and scales points", DV_TRANSFORM_MODULE,
                DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID2 | DV_DOF_RIGID3, Transform,
                .blocks = {&dv_object_block, DV_BLOCK(transform_fields)}, .update = transform_update);

// --- matrices ------------------------------------------------------------------------------------

#define MATRIX_FIELDS(X)                                                                                    \
  X(mat4, inT, "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "", "transformation that comes after", .flags = DV_INPUT) \
  X(mat4, outT, "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "", "both together", .flags = DV_OUTPUT)
#define TRANSLATE_FIELDS(X) X(vec3, translation, "0 0 0", "m", "translation", .flags = DV_INPUT)
#define ROTATE_FIELDS(X) X(vec3, rotation, "0 0 0", "degrees", "rotation about x, then y, then z", .flags = DV_INPUT)
#define SCALE_FIELDS(X) X(vec3, scale, "0 0 0", "", "factors along x, y, z", .flags = DV_INPUT)

typedef struct Matrix {
  dvObject base;
  MATRIX_FIELDS(DV_MEMBER)
  TRANSLATE_FIELDS(DV_MEMBER)
  ROTATE_FIELDS(DV_MEMBER)
  SCALE_FIELDS(DV_MEMBER)
} Matrix;

#define SELF Matrix
static const dvFieldDesc invert_fields[] = {MATRIX_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc translate_fields[] = {MATRIX_FIELDS(DV_DESCRIBE) TRANSLATE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc rotate_fields[] = {MATRIX_FIELDS(DV_DESCRIBE) ROTATE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc scale_fields[] = {MATRIX_FIELDS(DV_DESCRIBE) SCALE_FIELDS(DV_DESCRIBE)};
#undef SELF

static void multiply(const double a[16], const double b[16], double out[16])
{
  double c[16];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      c[4 * i + j] = 0;
      for (int k = 0; k < 4; k++) c[4 * i + j] += a[4 * i + k] * b[4 * k + j];
    }
  memcpy(out, c, sizeof c);
}

static void compose(double out[16], dvMat3 linear, dvVec3 shift)
{
  const double t[3] = {shift.x, shift.y, shift.z};
  memset(out, 0, 16 * sizeof *out);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[4 * i + j] = linear.m[i][j];
    out[4 * i + 3] = t[i];
  }
  out[15] = 1;
}

static dvStatus translate_update(dvObject *o)
{
  Matrix *m = (Matrix *)o;
  double own[16];
  compose(own, dv_mat3_identity(), dv_vec3_load(m->translation));
  multiply(m->inT, own, m->outT);
  return DV_OK;
}

static dvStatus rotate_update(dvObject *o)
{
  Matrix *m = (Matrix *)o;
  double own[16];
  compose(own, dv_quat_to_matrix(dv_quat_from_euler(dv_vec3_scale(dv_vec3_load(m->rotation), degree))),
          dv_vec3(0, 0, 0));
  multiply(m->inT, own, m->outT);
  return DV_OK;
}

static dvStatus scale_update(dvObject *o)
{
  Matrix *m = (Matrix *)o;
  double own[16];
  compose(own, dv_mat3_diagonal(dv_vec3_load(m->scale)), dv_vec3(0, 0, 0));
  multiply(m->inT, own, m->outT);
  return DV_OK;
}

// x = A^-1 (y - t)
static dvStatus invert_update(dvObject *o)
{
  Matrix *m = (Matrix *)o;
  const double *a = m->inT;
  dvMat3 linear = {{{a[0], a[1], a[2]}, {a[4], a[5], a[6]}, {a[8], a[9], a[10]}}}, inverse;
  if (!dv_mat3_inverse(linear, &inverse))
    return dv_field_error(o, m->inT, NULL, "the transformation has no inverse: it flattens space");
  compose(m->outT, inverse, dv_vec3_neg(dv_mat3_mul_vec(inverse, dv_vec3(a[3], a[7], a[11]))));
  return DV_OK;
}

#define MATRIX_CLASS(variable, name, help, fields, hook)                \
  DV_ENGINE_CLASS(variable, name, help, DV_TRANSFORM_MODULE, 0, Matrix, \
                  .blocks = {&dv_object_block, DV_BLOCK(fields)}, .update = hook)

MATRIX_CLASS(dv_translate_matrix_class, "TranslateTransformMatrixEngine", "puts a translation before a transformation",
             translate_fields, translate_update);
MATRIX_CLASS(dv_rotate_matrix_class, "RotateTransformMatrixEngine", "puts a rotation before a transformation",
             rotate_fields, rotate_update);
MATRIX_CLASS(dv_scale_matrix_class, "ScaleTransformMatrixEngine", "puts a scaling before a transformation",
             scale_fields, scale_update);
MATRIX_CLASS(dv_invert_matrix_class, "InvertTransformMatrixEngine", "inverts a transformation", invert_fields,
             invert_update);

// --- displacements of frames ---------------------------------------------------------------------

#define FRAME_FIELDS(X)                                      \
  X(coords, x0, "", "", "frames at rest", .flags = DV_INPUT) \
  X(coords, x, "", "", "frames now", .flags = DV_INPUT)
#define DISPLACEMENT_FIELDS(X)    \
  X(reals, displacements, "", "", \
    "what takes each frame from rest to now: 4 x 4 matrices, or frames when the template says so", .flags = DV_OUTPUT)
#define SCALED_FIELDS(X)                                                                                             \
  X(vec3s, scales, "", "", "factors along x, y, z that come between; 1 when not given", .flags = DV_INPUT)           \
  X(reals, displaceMats, "", "", "what takes each frame from rest to now: 4 x 4 matrices", .alias = "displacements", \
    .flags = DV_OUTPUT)

typedef struct Displacement {
  dvObject base;
  FRAME_FIELDS(DV_MEMBER)
  DISPLACEMENT_FIELDS(DV_MEMBER)
  SCALED_FIELDS(DV_MEMBER)
} Displacement;

#define SELF Displacement
static const dvFieldDesc displacement_fields[] = {FRAME_FIELDS(DV_DESCRIBE) DISPLACEMENT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc scaled_fields[] = {FRAME_FIELDS(DV_DESCRIBE) SCALED_FIELDS(DV_DESCRIBE)};
#undef SELF

static void frame_matrix(const double *x, bool inverse, double out[16])
{
  dvQuat q = dv_quat_normalise(dv_quat_load(x + 3));
  dvMat3 r = dv_quat_to_matrix(q);
  if (!inverse) compose(out, r, dv_vec3_load(x));
  else compose(out, dv_mat3_transpose(r), dv_vec3_neg(dv_mat3_t_mul_vec(r, dv_vec3_load(x))));
}

static dvStatus check_frames(const Displacement *d)
{
  if (d->x.count != d->x0.count)
    return dv_field_error(&d->base, &d->x, "give as many frames as at rest", "there are %zu frames at rest and %zu now",
                          d->x0.count / 7, d->x.count / 7);
  return DV_OK;
}

// x x0^-1 as a frame: rotation q q0^-1
static void frame_difference(const double *x0, const double *x, double *out)
{
  dvQuat q = dv_quat_mul(dv_quat_load(x + 3), dv_quat_inverse(dv_quat_load(x0 + 3)));
  dv_vec3_store(out, dv_vec3_sub(dv_vec3_load(x), dv_quat_rotate(dv_quat_normalise(q), dv_vec3_load(x0))));
  dv_quat_store(out + 3, q);
}

static dvStatus displacement_update(dvObject *o)
{
  Displacement *d = (Displacement *)o;
  DV_TRY(check_frames(d));
  bool frames = o->template_text && strstr(o->template_text, ",Rigid");
  size_t n = d->x.count / 7;
  dv_engine_set_width(o, &d->displacements, frames ? 7 : 16);
  if (!dv_reals_resize(&d->displacements, n * (frames ? 7 : 16))) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) {
    double now[16], rest[16];
    if (frames) {
      frame_difference(d->x0.data + 7 * i, d->x.data + 7 * i, d->displacements.data + 7 * i);
      continue;
    }
    frame_matrix(d->x.data + 7 * i, false, now);
    frame_matrix(d->x0.data + 7 * i, true, rest);
    multiply(now, rest, d->displacements.data + 16 * i);
  }
  return DV_OK;
}

static dvStatus scaled_update(dvObject *o)
{
  Displacement *d = (Displacement *)o;
  DV_TRY(check_frames(d));
  size_t n = d->x.count / 7;
  if (d->scales.count && d->scales.count != 3 * n)
    return dv_field_error(o, &d->scales, "give one for each frame, or none", "there are %zu frames and %zu scales", n,
                          d->scales.count / 3);
  dv_engine_set_width(o, &d->displaceMats, 16);
  if (!dv_reals_resize(&d->displaceMats, 16 * n)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) {
    double now[16], rest[16], scale[16];
    compose(scale, d->scales.count ? dv_mat3_diagonal(dv_vec3_load(d->scales.data + 3 * i)) : dv_mat3_identity(),
            dv_vec3(0, 0, 0));
    frame_matrix(d->x.data + 7 * i, false, now);
    frame_matrix(d->x0.data + 7 * i, true, rest);
    multiply(scale, rest, rest);
    multiply(now, rest, d->displaceMats.data + 16 * i);
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_displacement_transform_class, "DisplacementTransformEngine", "how frames have moved from rest",
                DV_TRANSFORM_MODULE, DV_DOF_RIGID3, Displacement,
                .blocks = {&dv_object_block, DV_BLOCK(displacement_fields)}, .update = displacement_update);
DV_ENGINE_CLASS(dv_displacement_matrix_class, "DisplacementMatrixEngine",
                "how frames have moved from rest, with a scaling in between", DV_TRANSFORM_MODULE, DV_DOF_RIGID3,
                Displacement, .blocks = {&dv_object_block, DV_BLOCK(scaled_fields)}, .update = scaled_update);
