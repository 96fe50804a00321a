// UnilateralPlaneConstraint: a point stays on its side of the plane through three other points of the body.
//
//   q = n . (p - a) >= 0,   n the unit normal of a b c;   dq = n . (dp - sum of w_k dx_k)
//
// with the barycentric weights w_k of the foot of p. SOFA takes a third for each of them and a normal as long as twice
// the triangle's area, so that the row does not belong to the distance: it moves three times as fast in a large
// triangle and turns the plane the wrong way.
#include "robot/classes.h"
#include "robot/part.h"

#include "math/vec.h"

#define PLANE_FIELDS(X)                                                           \
  X(indices, indices, "", "", "the point, and three that the plane goes through") \
  X(bool, flipNormal, "0", "", "the point is on the other side, where a b c turn to the right")

typedef struct Plane {
  dvPart part;
  PLANE_FIELDS(DV_MEMBER)
} Plane;

#define SELF Plane
static const dvFieldDesc plane_fields[] = {PLANE_FIELDS(DV_DESCRIBE)};
#undef SELF

static size_t plane_rows(const dvPart *p) { return DV_UNUSED(p), 1; }

static void plane_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  const Plane *s = (const Plane *)p;
  dvVec3 at[4];
  for (int k = 0; k < 4; k++) at[k] = dv_vec3_load(x + 3 * s->indices.data[k]);
  dvVec3 ab = dv_vec3_sub(at[2], at[1]), ac = dv_vec3_sub(at[3], at[1]), ap = dv_vec3_sub(at[0], at[1]);
  dvVec3 normal = dv_vec3_scale(dv_vec3_cross(ab, ac), s->flipNormal ? -1 : 1);
  double area2 = dv_vec3_norm2(normal);
  dvVec3 n = dv_vec3_normalise(normal);
  *q = dv_vec3_dot(n, ap);
  if (!slopes) return;
  double turn = s->flipNormal ? -1 : 1;
  double wb = area2 > 0 ? turn * dv_vec3_dot(dv_vec3_cross(ap, ac), normal) / area2 : 0;
  double wc = area2 > 0 ? turn * dv_vec3_dot(dv_vec3_cross(ab, ap), normal) / area2 : 0;
  const double parts[4] = {1, wb + wc - 1, -wb, -wc};
  for (int k = 0; k < 4; k++) dv_part_slope3(p, 0, (size_t)s->indices.data[k], dv_vec3_scale(n, parts[k]));
}

static void plane_aim(dvPart *p, double h) { DV_UNUSED(p), DV_UNUSED(h); }

static const dvGauge plane_gauge = {.rows = plane_rows, .measure = plane_measure, .aim = plane_aim};

static dvStatus plane_init(dvObject *o) { return dv_part_init(o, &plane_gauge, DV_PART_UNILATERAL); }

static dvStatus plane_check(dvObject *o)
{
  Plane *s = (Plane *)o;
  if (s->indices.count != 4)
    return dv_field_error(o, &s->indices, "the point first, then three of the plane", "four points are needed, not %zu",
                          s->indices.count);
  DV_TRY(dv_check_indices(o, &s->indices, dv_part_state(&s->part)->count, "points"));
  const double *x = dv_state_read(dv_part_state(&s->part), DV_X);
  dvVec3 a = dv_vec3_load(x + 3 * s->indices.data[1]), b = dv_vec3_load(x + 3 * s->indices.data[2]),
         c = dv_vec3_load(x + 3 * s->indices.data[3]);
  if (dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a))) > 0) return DV_OK;
  return dv_field_error(o, &s->indices, "choose points that are not on a line", "the three points span no plane");
}

const dvClass dv_plane_constraint_class = {
    .struct_size = sizeof(dvClass),
    .name = "UnilateralPlaneConstraint",
    .help = "keeps a point on its side of the plane through three others",
    .module = "SoftRobots",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Plane),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(plane_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops},
    .init = plane_init,
    .bwd_init = plane_check,
    .reinit = plane_check,
    .end_step = dv_part_end_step,
    .remember = dv_part_remember,
    .destroy = dv_part_destroy,
};
