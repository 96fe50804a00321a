// Regions between planes: BoxROI, PairBoxROI and PlaneROI.
//
// A box with axes along x, y, z is given by two corners, in any order. An oriented one by three corners p0, p1, p2 of a
// parallelogram and a depth, half of it to each side: a point is inside when it is no further from two opposite sides
// than these are apart, and no further from the parallelogram than half the depth.
#include "engine/classes.h"
#include "engine/select/roi.h"

#include "math/vec.h"

#define BOX_FIELDS(X)                                                                                         \
  X(vec6s, box, "", "m", "boxes, two opposite corners each; 0 0 0 1 1 1 when no box of either sort is given", \
    .flags = DV_INPUT)                                                                                        \
  X(vec10s, orientedBox, "", "m", "boxes, three corners of a parallelogram and a depth each", .flags = DV_INPUT)
#define PLANE_FIELDS(X)                                                                              \
  X(vec10s, plane, "0 0 0 0 0 0 0 0 0 0", "m",                                                       \
    "planes, three corners of a parallelogram and a depth each; without limits when the depth is 0", \
    .flags = DV_INPUT)                                                                               \
  X(bool, drawBoxes, "0", "", "draw the planes", .alias = "isVisible", .flags = DV_LOOKS)
#define PAIR_FIELDS(X)                                                                                    \
  X(vec6, inclusiveBox, "0 0 0 0 0 0", "m", "the outer box, two opposite corners", .flags = DV_INPUT)     \
  X(vec6, includedBox, "0 0 0 0 0 0", "m", "the inner box, whose points are left out", .flags = DV_INPUT) \
  X(coords, meshPosition, "", "m", "unused; kept for old scenes", .flags = DV_HIDDEN)                     \
  X(bool, drawInclusiveBox, "0", "", "draw the outer box", .flags = DV_LOOKS)                             \
  X(bool, drawIncludedBox, "0", "", "draw the inner box", .flags = DV_LOOKS)

// An oriented box, ready for tests.
typedef struct Slab {
  dvVec3 p0, p2, normal, side[4];
  double width, length, half;
} Slab;

typedef struct BoxRoi {
  dvRoi roi;
  BOX_FIELDS(DV_MEMBER)
  PLANE_FIELDS(DV_MEMBER)
  PAIR_FIELDS(DV_MEMBER)
  DV_ARRAY(Slab) slabs;
} BoxRoi;

#define SELF BoxRoi
static const dvFieldDesc box_fields[] = {BOX_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc plane_fields[] = {PLANE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc pair_fields[] = {PAIR_FIELDS(DV_DESCRIBE)};
#undef SELF

static void box_roi_destroy(dvObject *o)
{
  dv_array_free(&((BoxRoi *)o)->slabs);
  dv_roi_destroy(o);
}

// --- tests ---------------------------------------------------------------------------------------

static bool in_box(const double *box, const double p[3], int dimensions)
{
  for (int k = 0; k < dimensions; k++)
    if (p[k] < dv_min(box[k], box[k + 3]) || p[k] > dv_max(box[k], box[k + 3])) return false;
  return true;
}

// `free_sides`: as in PlaneROI, where a depth of 0 makes the sides vanish
static Slab make_slab(const double *numbers, bool free_sides)
{
  dvVec3 p0 = dv_vec3_load(numbers), p1 = dv_vec3_load(numbers + 3), p2 = dv_vec3_load(numbers + 6),
         p3 = dv_vec3_add(p0, dv_vec3_sub(p2, p1));
  double depth = numbers[9];
  dvVec3 normal = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(p1, p0), dv_vec3_sub(p2, p0)));
  dvVec3 up = free_sides ? dv_vec3_scale(normal, 0.5 * depth) : normal;
  dvVec3 top = dv_vec3_add(p2, dv_vec3_scale(normal, free_sides ? 0.5 * depth : depth));
  Slab s = {.p0 = p0, .p2 = p2, .normal = normal, .half = fabs(0.5 * depth)};
  s.side[0] = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(p1, p0), up));
  s.side[1] = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(p2, p3), dv_vec3_sub(top, p3)));
  s.side[2] = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(p3, p0), up));
  s.side[3] = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(p2, p1), dv_vec3_sub(top, p2)));
  s.width = fabs(dv_vec3_dot(dv_vec3_sub(p2, p0), s.side[0]));
  s.length = fabs(dv_vec3_dot(dv_vec3_sub(p2, p0), s.side[2]));
  return s;
}

static bool in_slab(const Slab *s, const double p[3])
{
  dvVec3 a = dv_vec3_sub(dv_vec3_load(p), s->p0), b = dv_vec3_sub(dv_vec3_load(p), s->p2);
  return fabs(dv_vec3_dot(a, s->side[0])) <= s->width && fabs(dv_vec3_dot(b, s->side[1])) <= s->width &&
         fabs(dv_vec3_dot(a, s->side[2])) <= s->length && fabs(dv_vec3_dot(b, s->side[3])) <= s->length &&
         fabs(dv_vec3_dot(a, s->normal)) <= s->half;
}

static void make_slabs(BoxRoi *b, const dvReals *numbers, bool free_sides)
{
  b->slabs.count = 0;
  for (size_t i = 0; i < dv_reals_size(numbers); i++) dv_push(&b->slabs, make_slab(numbers->data + 10 * i, free_sides));
}

static bool in_any_slab(const BoxRoi *b, const double p[3])
{
  for (size_t i = 0; i < b->slabs.count; i++)
    if (in_slab(&b->slabs.data[i], p)) return true;
  return false;
}

// --- BoxROI --------------------------------------------------------------------------------------

static bool box_prepare(dvRoi *r)
{
  static const double unit[] = {0, 0, 0, 1, 1, 1};
  BoxRoi *b = (BoxRoi *)r;
  if (!dv_was_set(&r->base, &b->box) && !dv_was_set(&r->base, &b->orientedBox) && b->box.count == 0)
    DV_MUST(dv_reals_assign(&b->box, unit, 6));
  b->slabs.count = 0;
  if (r->base.dof->space == 3) make_slabs(b, &b->orientedBox, false);
  else if (b->orientedBox.count)
    dv_field_warning(&r->base, &b->orientedBox, NULL, "oriented boxes are only for points in space");
  return b->box.count > 0 || b->slabs.count > 0;
}

static bool box_contains(const dvRoi *r, const double p[3])
{
  const BoxRoi *b = (const BoxRoi *)r;
  for (size_t i = 0; i < dv_reals_size(&b->box); i++)
    if (in_box(b->box.data + 6 * i, p, r->base.dof->space)) return true;
  return in_any_slab(b, p);
}

static bool box_mark(const dvRoi *r, size_t begin, size_t end, uint8_t *inside)
{
  const BoxRoi *b = (const BoxRoi *)r;
  if (r->base.dof->space != 3) return true;
  size_t stride = (size_t)r->base.dof->coord;
  for (size_t i = 0; i < dv_reals_size(&b->box); i++) {
    const double *box = b->box.data + 6 * i;
    double low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = dv_min(box[k], box[k + 3]), high[k] = dv_max(box[k], box[k + 3]);
    DV_KERNEL_CHOOSE(dv_roi_kernels)
        ->mark_box(r->position.data + begin * stride, stride, end - begin, low, high, inside);
  }
  return b->slabs.count > 0;
}

static void box_describe(const dvRoi *r, const double low[3], const double high[3], dvText *out)
{
  const BoxRoi *b = (const BoxRoi *)r;
  if (b->box.count) dv_roi_describe(r, "the box is", &b->box, out);
  if (b->slabs.count)
    dv_roi_describe(r, b->box.count ? ", the oriented box is" : "the oriented box is", &b->orientedBox, out);
  if (b->box.count == 0 && b->slabs.count == 0) dv_text_add(out, "there is no whole box");
  dv_text_printf(out, "; box=\"%.6g %.6g %.6g %.6g %.6g %.6g\" takes all", low[0], low[1], low[2], high[0], high[1],
                 high[2]);
}

static const dvRoiShape box_shape = {
    .prepare = box_prepare, .contains = box_contains, .mark = box_mark, .describe = box_describe};
static void box_roi_create(dvObject *o) { dv_roi_create(o, &box_shape); }

const dvClass dv_box_roi_class = {
    .struct_size = sizeof(dvClass),
    .name = "BoxROI",
    .help = "selects points and elements in boxes",
    .module = DV_ROI_MODULE,
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(BoxRoi),
    .blocks = {&dv_object_block, &dv_roi_point_block, &dv_roi_element_block, &dv_roi_more_block, DV_BLOCK(box_fields)},
    .create = box_roi_create,
    .link = dv_roi_link,
    .update = dv_roi_update,
    .fetch = dv_roi_fetch,
    .bwd_init = dv_roi_bwd_init,
    .destroy = box_roi_destroy,
};

// --- PlaneROI ------------------------------------------------------------------------------------

static bool plane_prepare(dvRoi *r)
{
  BoxRoi *b = (BoxRoi *)r;
  make_slabs(b, &b->plane, true);
  return b->slabs.count > 0;
}

static bool plane_contains(const dvRoi *r, const double p[3]) { return in_any_slab((const BoxRoi *)r, p); }

// all points in the same plane
static bool plane_contains_element(const dvRoi *r, const double *x, int n)
{
  const BoxRoi *b = (const BoxRoi *)r;
  for (size_t i = 0; i < b->slabs.count; i++) {
    bool all = true;
    for (int k = 0; k < n && all; k++) all = in_slab(&b->slabs.data[i], x + 3 * k);
    if (all) return true;
  }
  return false;
}

static void plane_describe(const dvRoi *r, const double low[3], const double high[3], dvText *out)
{
  DV_UNUSED(low);
  DV_UNUSED(high);
  dv_roi_describe(r, "the plane is", &((const BoxRoi *)r)->plane, out);
}

static const dvRoiShape plane_shape = {.prepare = plane_prepare,
                                       .contains = plane_contains,
                                       .contains_element = plane_contains_element,
                                       .describe = plane_describe,
                                       .search_up = true};
static void plane_roi_create(dvObject *o) { dv_roi_create(o, &plane_shape); }

const dvClass dv_plane_roi_class = {
    .struct_size = sizeof(dvClass),
    .name = "PlaneROI",
    .help = "selects points and elements near planes",
    .module = DV_ROI_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(BoxRoi),
    .blocks = {&dv_object_block, &dv_roi_point_block, &dv_roi_element_block, DV_BLOCK(plane_fields)},
    .create = plane_roi_create,
    .link = dv_roi_link,
    .update = dv_roi_update,
    .fetch = dv_roi_fetch,
    .bwd_init = dv_roi_bwd_init,
    .destroy = box_roi_destroy,
};

// --- PairBoxROI ----------------------------------------------------------------------------------

static bool is_zero(const double box[6])
{
  for (int k = 0; k < 6; k++)
    if (box[k] != 0) return false;
  return true;
}

static bool pair_prepare(dvRoi *r)
{
  const BoxRoi *b = (const BoxRoi *)r;
  return !is_zero(b->inclusiveBox) && !is_zero(b->includedBox);
}

static bool pair_contains(const dvRoi *r, const double p[3])
{
  const BoxRoi *b = (const BoxRoi *)r;
  return in_box(b->inclusiveBox, p, 3) && !in_box(b->includedBox, p, 3);
}

static void pair_describe(const dvRoi *r, const double low[3], const double high[3], dvText *out)
{
  DV_UNUSED(low);
  DV_UNUSED(high);
  dv_roi_describe(r, "the outer box is", ((const BoxRoi *)r)->inclusiveBox, out);
  dv_roi_describe(r, ", the inner box is", ((const BoxRoi *)r)->includedBox, out);
}

static const dvRoiShape pair_shape = {.prepare = pair_prepare, .contains = pair_contains, .describe = pair_describe};
static void pair_box_roi_create(dvObject *o) { dv_roi_create(o, &pair_shape); }

const dvClass dv_pair_box_roi_class = {
    .struct_size = sizeof(dvClass),
    .name = "PairBoxROI",
    .help = "selects points that are in one box and not in another",
    .module = DV_ROI_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_VEC6 | DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(BoxRoi),
    .blocks = {&dv_object_block, &dv_roi_point_block, DV_BLOCK(pair_fields)},
    .presets = "drawSize=0",
    .create = pair_box_roi_create,
    .link = dv_roi_link,
    .update = dv_roi_update,
    .fetch = dv_roi_fetch,
    .bwd_init = dv_roi_bwd_init,
    .destroy = box_roi_destroy,
};
