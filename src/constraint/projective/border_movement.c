// AffineMovementProjectiveConstraint and PatchTestMovementProjectiveConstraint: points that go from where they stand to
// a final position, at a constant pace between two times.
//
// x(t) = x0 + (xf - x0)(t - begin)/(end - begin), and x = xf from the end on. Affine: xf = R x0 + T. Patch test: the
// displacement is interpolated between those of the corners of the box around the points (4 corners for points of one
// plane z, else 8): a uniform strain, which elements must reproduce. Velocities and forces of the points are zero.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include "math/vec.h"

#include <string.h>

#define BORDER_FIELDS(X)                                                                         \
  X(indices, meshIndices, "", "", "points of the whole mesh; the simulation does not need them") \
  X(indices, indices, "", "", "points that are moved")                                           \
  X(real, beginConstraintTime, "0", "s", "the motion begins")                                    \
  X(real, endConstraintTime, "20", "s", "the motion ends")                                       \
  X(bool, drawConstrainedPoints, "0", "", "draw the moved points", .flags = DV_LOOKS)            \
  X(link, topology, "", "", "topology whose changes the indices follow", .role = DV_ROLE_TOPOLOGY)
#define AFFINE_FIELDS(X)                                                                              \
  X(reals, rotation, "", "", "matrix of the motion of points, 9 numbers row by row; zero when empty") \
  X(vec4, quaternion, "0 0 0 1", "", "rotation of frames")                                            \
  X(vec3, translation, "0 0 0", "m", "translation, after the rotation")
#define PATCH_FIELDS(X)                                                        \
  X(coords, constrainedPoints, "", "m", "points whose corners are looked for") \
  X(derivs, cornerMovements, "", "m", "displacement of each corner, 4 or 8")   \
  X(coords, cornerPoints, "", "m", "the corners; found among constrainedPoints when empty")

typedef struct Border {
  dvProjective base;
  BORDER_FIELDS(DV_MEMBER)
  AFFINE_FIELDS(DV_MEMBER)
  PATCH_FIELDS(DV_MEMBER)
  dvSelected selected;
  dvReals first, final;   // positions; empty before the first projection
} Border;

#define SELF Border
static const dvFieldDesc border_fields[] = {BORDER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc affine_fields[] = {AFFINE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc patch_fields[] = {PATCH_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc border_memory[] = {DV_REMEMBER(reals, first) DV_REMEMBER(reals, final)};
#undef SELF

static void border_destroy(dvObject *o)
{
  Border *b = (Border *)o;
  dv_selected_free(&b->selected);
  dv_reals_free(&b->first);
  dv_reals_free(&b->final);
}

// --- where the points go -------------------------------------------------------------------------

static void affine_target(const Border *b, const double *from, double *to)
{
  const double *t = b->translation;
  dvVec3 p = dv_vec3_load(from), moved;
  if (b->base.base.dof->kind == DV_RIGID3) {
    dvQuat q = dv_quat_load(b->quaternion);
    moved = dv_mat3_mul_vec(dv_quat_to_matrix(q), p);
    dv_quat_store(to + 3, dv_quat_normalise(dv_quat_mul(dv_quat_load(from + 3), q)));
  } else {
    moved = b->rotation.count == 9 ? dv_mat3_mul_vec(dv_mat3_load(b->rotation.data), p) : dv_vec3(0, 0, 0);
  }
  dv_vec3_store(to, dv_vec3_add(moved, dv_vec3_load(t)));
}

// how far a coordinate is from corner a towards corner b
static double fraction(double x, double a, double b) { return a != b ? fabs(x - a) / fabs(b - a) : 0; }

static void patch_target(const Border *b, const double *from, double *to)
{
  const dvDof *dof = b->base.base.dof;
  size_t corners = dv_reals_size(&b->cornerPoints), coord = (size_t)dof->coord, deriv = (size_t)dof->deriv;
  double move[DV_MAX_COORD] = {0};
  const double *c = b->cornerPoints.data, *m = b->cornerMovements.data;
  if (corners == 4 || corners == 8) {
    double alpha = fraction(from[0], c[0], c[coord]), beta = fraction(from[1], c[1], c[3 * coord + 1]);
    double gamma = corners == 8 ? fraction(from[2], c[2], c[4 * coord + 2]) : 0;
    double plane[4] = {(1 - alpha) * (1 - beta), alpha * (1 - beta), alpha * beta, (1 - alpha) * beta};
    for (size_t i = 0; i < corners; i++)
      for (size_t k = 0; k < deriv; k++) move[k] += m[i * deriv + k] * plane[i % 4] * (i < 4 ? 1 - gamma : gamma);
  }
  dv_dof_integrate(dof, 1, to, from, move, 1);
}

static bool set_targets(Border *b, const double *x)
{
  size_t n = dv_state_scalars(b->base.state, DV_X), width = (size_t)b->base.base.dof->coord;
  if (b->first.count == n) return true;
  if (!dv_reals_assign(&b->first, x, n) || !dv_reals_assign(&b->final, x, n)) return false;
  for (size_t i = 0; i < b->base.state->count; i++) {
    if (b->base.base.cls == &dv_affine_movement_class) affine_target(b, x + i * width, b->final.data + i * width);
    else patch_target(b, x + i * width, b->final.data + i * width);
  }
  return true;
}

// --- slots ---------------------------------------------------------------------------------------

static const dvInts *points_of(Border *b)
{
  return dv_selected(&b->selected, &b->base.base, &b->indices, b->base.state->count);
}

static void border_project_response(dvObject *o, int id)
{
  Border *b = (Border *)o;
  if (!dv_projective_active(o)) return;
  const dvInts *points = points_of(b);
  double *v = dv_state_write(b->base.state, id);
  for (size_t i = 0; i < points->count; i++) dv_clear_deriv(b->base.state, v, points->data[i]);
}

static void border_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  border_project_response(o, id);
}

// frames turn only when they have arrived
static void border_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Border *b = (Border *)o;
  double *x = dv_state_write(b->base.state, id), now = o->node->time,
         span = b->endConstraintTime - b->beginConstraintTime;
  if (!dv_projective_active(o) || !set_targets(b, x)) return;
  bool on_the_way = now > b->beginConstraintTime && now <= b->endConstraintTime && span > 0;
  if (!on_the_way && !(now > b->endConstraintTime)) return;
  const dvInts *points = points_of(b);
  size_t width = (size_t)o->dof->coord, space = (size_t)o->dof->space;
  double t = (now - b->beginConstraintTime) / span;
  for (size_t i = 0; i < points->count; i++) {
    size_t at = (size_t)points->data[i] * width;
    const double *from = b->first.data + at, *to = b->final.data + at;
    if (on_the_way)
      for (size_t k = 0; k < space; k++) x[at + k] = from[k] + (to[k] - from[k]) * t;
    else memcpy(x + at, to, width * sizeof *x);
  }
}

static bool border_restored(dvObject *o)
{
  const Border *b = (const Border *)o;
  return b->first.count == b->final.count;
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus border_begin(dvObject *o)
{
  Border *b = (Border *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = b->base.state->base.dof;
  dv_follow_points(o, b->base.state, &b->indices);
  dv_follow_points(o, b->base.state, &b->meshIndices);
  dvElementData *d = dv_follow_rows(o, b->base.state);
  dv_element_data_add_groups(d, &b->first, (size_t)o->dof->coord, true);
  dv_element_data_add_groups(d, &b->final, (size_t)o->dof->coord, true);
  points_of(b);
  dv_reals_free(&b->first);
  dv_reals_free(&b->final);
  return DV_OK;
}

static dvStatus affine_movement_init(dvObject *o)
{
  Border *b = (Border *)o;
  DV_TRY(border_begin(o));
  if (o->dof->kind == DV_RIGID3) return DV_OK;
  if (b->rotation.count == 0)
    dv_warning(o, "write rotation=\"1 0 0 0 1 0 0 0 1\" for a pure translation",
               "without a rotation all points go to the same place");
  else if (b->rotation.count != 9)
    return dv_field_error(o, &b->rotation, NULL, "rotation needs 9 numbers, there are %zu", b->rotation.count);
  return DV_OK;
}

// a point takes the place of corner `c` when it lies further out in any direction; bits say which are greater (x 1, y
// 2, z 4)
static bool further_out(const double *p, const double *c, int bits, double z_limit)
{
  return (bits & 1 ? p[0] > c[0] : p[0] < c[0]) || (bits & 2 ? p[1] > c[1] : p[1] < c[1]) ||
         (bits & 4 ? p[2] > z_limit : p[2] < z_limit);
}

// SOFA's rule, to the letter: a point replaces a corner when it lies further out in one direction, so the last such one
// wins, and two of the upper corners are compared with the height of lower ones
static dvStatus find_corners(Border *b)
{
  static const int bits[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  const dvReals *points = &b->constrainedPoints;
  size_t n = dv_reals_size(points), width = (size_t)points->width;
  const double *corner[8], *p = points->data;
  bool solid = false;
  for (size_t i = 0; i < n; i++) solid = solid || p[i * width + 2] != p[2];
  for (int c = 0; c < 8; c++) corner[c] = p;
  for (size_t i = 0; i < n; i++, p += width) {
    bool fifth = false;
    for (int c = 0; c < (solid ? 8 : 4); c++) {
      double z = c == 4 ? corner[0][2] : c == 6 ? corner[2][2] : corner[c][2];
      bool out = further_out(p, corner[c], bits[c], z);
      if (c == 5) fifth = out;
      if (out && !(c == 7 && fifth)) corner[c] = p;
    }
  }
  size_t count = solid ? 8 : 4;
  if (!dv_reals_resize(&b->cornerPoints, count * width)) return dv_error(&b->base.base, NULL, "out of memory");
  for (size_t c = 0; c < count; c++) memcpy(b->cornerPoints.data + c * width, corner[c], width * sizeof(double));
  dv_touch(&b->base.base, &b->cornerPoints);
  return DV_OK;
}

static dvStatus patch_test_init(dvObject *o)
{
  Border *b = (Border *)o;
  DV_TRY(border_begin(o));
  if (b->cornerPoints.count == 0 && b->constrainedPoints.count > 0) DV_TRY(find_corners(b));
  size_t corners = dv_reals_size(&b->cornerPoints), moves = dv_reals_size(&b->cornerMovements);
  if (corners != 4 && corners != 8)
    dv_warning(o, "give constrainedPoints, or 4 or 8 cornerPoints",
               "there are %zu corners: the points are held where they are", corners);
  else if (moves < corners) {
    dv_field_warning(o, &b->cornerMovements, NULL,
                     "cornerMovements has %zu displacements for %zu corners; the others stay where they are", moves,
                     corners);
    if (!dv_reals_resize(&b->cornerMovements, corners * (size_t)b->cornerMovements.width))
      return dv_error(o, NULL, "out of memory");
  }
  return DV_OK;
}

static const dvProjectiveOps border_ops = {
    .project_response = border_project_response,
    .project_velocity = border_project_velocity,
    .project_position = border_project_position,
};

const dvClass dv_affine_movement_class = {
    .struct_size = sizeof(dvClass),
    .name = "AffineMovementProjectiveConstraint",
    .help = "moves points to where an affine transformation takes them",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Border),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(border_fields), DV_BLOCK(affine_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &border_ops},
    .init = affine_movement_init,
    .reinit = affine_movement_init,
    DV_MEMORY(border_memory),
    .restored = border_restored,
    .destroy = border_destroy,
};

const dvClass dv_patch_test_class = {
    .struct_size = sizeof(dvClass),
    .name = "PatchTestMovementProjectiveConstraint",
    .help = "moves border points by displacements interpolated between corners",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Border),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(border_fields), DV_BLOCK(patch_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &border_ops},
    .init = patch_test_init,
    .reinit = patch_test_init,
    DV_MEMORY(border_memory),
    .restored = border_restored,
    .destroy = border_destroy,
};
