// SphericalField, StarShapedField, BottleField: shapes as formulas. DiscreteGridField: an image (image.h).
// BlendedField: shapes put together.
//
//   sphere   |x - c|^2 - R^2                                                       (as SOFA has it: not a distance)
//   star     |x - c| - R + b (cos k x + cos k y + cos k z)                         k branches, b branchesRadius
//   bottle   max(|x - c| - R, r - sqrt(e dx^2 + (dy - s)^2 + e dz^2))              a ball without an ellipsoid
//   blend    union min(a, b), intersection max(a, b), difference max(a, -b); with a width w within which the smaller of
//            two is rounded off: min(a, b) - (w - |a - b|)^2 / (4 w)
#include "fluid/field/field.h"

#include "fluid/field/image.h"
#include "io/load/loader.h"
#include "scene/node.h"

#include <math.h>
#include <string.h>

#define BASE_FIELDS(X)                                            \
  X(bool, inside, "0", "", "turn it inside out: positive inside") \
  X(real, radius, "1", "m", "radius of the ball")                 \
  X(vec3, center, "0 0 0", "m", "its middle")
#define STAR_FIELDS(X)                                                                   \
  X(real, branches, "1", "1/m", "how fast its surface goes up and down along each axis") \
  X(real, branchesRadius, "1", "m", "how far it goes up and down")
#define BOTTLE_FIELDS(X)                                                         \
  X(real, shift, "1", "m", "how far the ellipsoid's middle is above the ball's") \
  X(real, ellipsoidRadius, "1", "m", "radius of the ellipsoid along y")          \
  X(real, excentricity, "1", "", "square of that over its radius along x and z")
#define IMAGE_FIELDS(X)                                                                                     \
  X(file, file, "", "", "image: MetaImage (.mhd, .mha) or NIfTI (.nii, .nii.gz)", .flags = DV_REQUIRED)     \
  X(bool, inside, "0", "", "turn it inside out: what is more than the level is inside")                     \
  X(real, level, "0", "", "value of the image at the surface; smaller is inside")                           \
  X(int, label, "0", "", "voxels of this value are the inside, whatever the others are; 0: take the level") \
  X(real, scale, "1", "", "metres in a unit of length of the file")                                         \
  X(int, maxDomains, "1", "", "no effect: all threads read the image itself", .flags = DV_IDLE | DV_HIDDEN) \
  X(real, dx, "0", "m", "moves the image along x")                                                          \
  X(real, dy, "0", "m", "moves it along y")                                                                 \
  X(real, dz, "0", "m", "moves it along z")
#define BLEND_FIELDS(X)                                                                                              \
  X(links, fields, "", "", "fields that are put together, in their order")                                           \
  X(choice, operation, "0", "", "how: with what the fields before give", .options = "union|intersection|difference") \
  X(real, blend, "0", "", "width within which edges are rounded off, in the unit of the fields; 0: they are sharp",  \
    .least = "0")

typedef struct ImageField {
  dvObject base;
  IMAGE_FIELDS(DV_MEMBER)
  dvImageField image;
} ImageField;

typedef struct Field {
  dvObject base;
  BASE_FIELDS(DV_MEMBER)
  STAR_FIELDS(DV_MEMBER)
  BOTTLE_FIELDS(DV_MEMBER)
  BLEND_FIELDS(DV_MEMBER)
} Field;

#define SELF Field
static const dvFieldDesc sphere_fields[] = {BASE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc star_fields[] = {BASE_FIELDS(DV_DESCRIBE) STAR_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc bottle_fields[] = {BASE_FIELDS(DV_DESCRIBE) BOTTLE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc blend_fields[] = {BLEND_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF ImageField
static const dvFieldDesc image_fields[] = {IMAGE_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { SPHERE, STAR, BOTTLE, BLEND, IMAGE, KINDS, DEEPEST = 16 };

static int kind_of(const dvObject *o) { return (int)(o->cls - dv_scalar_field_classes); }

bool dv_is_scalar_field(const dvObject *o)
{
  return o->cls >= dv_scalar_field_classes && o->cls < dv_scalar_field_classes + KINDS;
}

// --- values and slopes ----------------------------------------------------------------------------

typedef struct Value {
  double v, g[3];
} Value;

static Value turn(Value a) { return (Value){-a.v, {-a.g[0], -a.g[1], -a.g[2]}}; }

static Value ball_value(const Field *f, const double d[3], bool squared)
{
  double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrt(r2);
  Value out = {squared ? r2 - f->radius * f->radius : r - f->radius, {0}};
  for (int k = 0; k < 3; k++) out.g[k] = squared ? 2 * d[k] : r > 0 ? d[k] / r : 0;
  return out;
}

static Value star_value(const Field *f, const double d[3])
{
  Value out = ball_value(f, d, false);
  for (int k = 0; k < 3; k++) {
    out.v += f->branchesRadius * cos(f->branches * d[k]);
    out.g[k] -= f->branchesRadius * f->branches * sin(f->branches * d[k]);
  }
  return out;
}

static Value bottle_value(const Field *f, const double d[3])
{
  Value outer = ball_value(f, d, false);
  double y = d[1] - f->shift, e = f->excentricity, r = sqrt(e * d[0] * d[0] + y * y + e * d[2] * d[2]);
  Value inner = {f->ellipsoidRadius - r, {0}};
  if (r > 0) inner.g[0] = -e * d[0] / r, inner.g[1] = -y / r, inner.g[2] = -e * d[2] / r;
  return outer.v > inner.v ? outer : inner;
}

// the smaller of two, rounded off within the width
static Value smaller(Value a, Value b, double width)
{
  double apart = a.v - b.v;
  if (!(width > 0) || fabs(apart) >= width) return apart <= 0 ? a : b;
  double s = 0.5 + 0.5 * apart / width;   // share of b
  Value out = {fmin(a.v, b.v) - (width - fabs(apart)) * (width - fabs(apart)) / (4 * width), {0}};
  for (int k = 0; k < 3; k++) out.g[k] = (1 - s) * a.g[k] + s * b.g[k];
  return out;
}

static Value value_of(const dvObject *o, const double x[3]);

static Value blend_value(const Field *f, const double x[3])
{
  Value out = {INFINITY, {0}};
  for (size_t i = 0; i < f->fields.count; i++) {
    Value next = value_of(f->fields.data[i].target, x);
    if (i == 0) out = next;
    else if (f->operation == 0) out = smaller(out, next, f->blend);
    else out = turn(smaller(turn(out), f->operation == 1 ? turn(next) : next, f->blend));
  }
  return out;
}

static Value image_value(const ImageField *f, const double x[3])
{
  Value out;
  out.v = dv_image_field_at(&f->image, x, out.g);
  return out;
}

static Value value_of(const dvObject *o, const double x[3])
{
  if (kind_of(o) == IMAGE) return image_value((const ImageField *)o, x);
  const Field *f = (const Field *)o;
  const double d[3] = {x[0] - f->center[0], x[1] - f->center[1], x[2] - f->center[2]};
  Value out;
  switch (kind_of(o)) {
  case SPHERE:
    out = ball_value(f, d, true);
    break;
  case STAR:
    out = star_value(f, d);
    break;
  case BOTTLE:
    out = bottle_value(f, d);
    break;
  default:
    return blend_value(f, x);
  }
  return f->inside ? turn(out) : out;
}

double dv_scalar_field_at(const dvObject *o, const double x[3]) { return value_of(o, x).v; }

bool dv_scalar_field_slope(const dvObject *o, const double x[3], double out[3])
{
  Value v = value_of(o, x);
  for (int k = 0; k < 3; k++) out[k] = v.g[k];
  return isfinite(v.v) && (out[0] != 0 || out[1] != 0 || out[2] != 0);
}

uint64_t dv_scalar_field_stamp(const dvObject *o)
{
  if (kind_of(o) == IMAGE) return ((const ImageField *)o)->image.stamp;
  const Field *f = (const Field *)o;
  const double numbers[] = {f->inside,          f->radius,       f->center[0],      f->center[1],
                            f->center[2],       f->branches,     f->branchesRadius, f->shift,
                            f->ellipsoidRadius, f->excentricity, f->operation,      f->blend};
  uint64_t stamp = dv_hash_bytes(numbers, sizeof numbers, (uint64_t)kind_of(o) + 1);
  for (size_t i = 0; i < f->fields.count && kind_of(o) == BLEND; i++)
    stamp = stamp * 31 + dv_scalar_field_stamp(f->fields.data[i].target);
  return stamp;
}

// --- components -----------------------------------------------------------------------------------

// how many blends stand in each other; more than DEEPEST when one is part of itself
static int depth_of(const dvObject *o, int so_far)
{
  int most = so_far;
  if (kind_of(o) != BLEND || so_far > DEEPEST) return so_far;
  const Field *f = (const Field *)o;
  for (size_t i = 0; i < f->fields.count && most <= DEEPEST; i++)
    if (f->fields.data[i].target && dv_is_scalar_field(f->fields.data[i].target))
      most = dv_max_int(most, depth_of(f->fields.data[i].target, so_far + 1));
  return most;
}

static dvStatus check_shape(dvObject *o)
{
  Field *f = (Field *)o;
  if (!(f->radius > 0) || !isfinite(f->radius))
    return dv_field_error(o, &f->radius, "give the radius of a ball", "a radius of %g is none", f->radius);
  if (kind_of(o) != BOTTLE) return DV_OK;
  if (!(f->ellipsoidRadius >= 0))
    return dv_field_error(o, &f->ellipsoidRadius, "give 0 for none", "a radius of %g is none", f->ellipsoidRadius);
  if (!(f->excentricity >= 0))
    return dv_field_error(o, &f->excentricity, "give 1 for a ball", "the square of a ratio is not %g", f->excentricity);
  return DV_OK;
}

static dvStatus field_init(dvObject *o)
{
  Field *f = (Field *)o;
  if (kind_of(o) != BLEND) return check_shape(o);
  if (f->fields.count == 0) return dv_error(o, "give fields=\"@a @b\"", "there are no fields to put together");
  for (size_t i = 0; i < f->fields.count; i++)
    if (!f->fields.data[i].target || !dv_is_scalar_field(f->fields.data[i].target))
      return dv_field_error(o, &f->fields, "name fields such as SphericalField", "'%s' is no scalar field",
                            f->fields.data[i].path ? f->fields.data[i].path : "");
  if (depth_of(o, 0) > DEEPEST)
    return dv_field_error(o, &f->fields, "take it out of itself",
                          "more than %d blends stand in each other, or one is part of itself", DEEPEST);
  if (!(f->blend >= 0) || !isfinite(f->blend))
    return dv_field_error(o, &f->blend, NULL, "a width of %g is none", f->blend);
  return DV_OK;
}

static void image_destroy(dvObject *o) { dv_voxels_free(&((ImageField *)o)->image.voxels); }

static dvStatus image_read(ImageField *f, dvVoxels *out)
{
  dvObject *o = &f->base;
  char *path = dv_loader_find(o, &f->file);
  if (!path) return DV_ERROR_INPUT;
  dvMeshError error = {0};
  dvStatus status = DV_OK;
  if (!dv_voxels_has_header(path))
    status = dv_field_error(o, &f->file, "give a .mhd, .mha, .nii or .nii.gz file",
                            "'%s' has no header that tells the size of the image", f->file);
  else if (dv_voxels_read(path, NULL, out, &error) != DV_OK)
    status = dv_field_error(o, &f->file, NULL, "%s: %s", path, error.text);
  else if (out->told[0]) dv_field_warning(o, &f->file, NULL, "%s: %s", path, out->told);
  dv_free(path);
  DV_TRY(status);
  for (int k = 0; k < 3; k++)
    if (!(out->size[k] > 0) || !isfinite(out->size[k]) || !isfinite(out->origin[k]))
      return dv_field_error(o, &f->file, NULL, "voxels of the image are %g wide", out->size[k]);
  return DV_OK;
}

static dvStatus image_init(dvObject *o)
{
  ImageField *f = (ImageField *)o;
  const double shift[3] = {f->dx, f->dy, f->dz};
  dvVoxels read = {0};
  if (!(f->scale > 0) || !isfinite(f->scale))
    return dv_field_error(o, &f->scale, "give 0.001 for millimetres", "a scale of %g is none", f->scale);
  if (!isfinite(f->level) || !isfinite(f->dx + f->dy + f->dz))
    return dv_field_error(o, &f->level, NULL, "the level or the place of the image is not finite");
  dvStatus status = image_read(f, &read);
  if (status != DV_OK) {
    dv_voxels_free(&read);
    return status;
  }
  image_destroy(o);
  uint64_t before = f->image.stamp;
  f->image = (dvImageField){.voxels = read, .scale = f->scale, .stamp = before + 1};
  memcpy(f->image.shift, shift, sizeof shift);
  dv_image_field_fill(&f->image, f->level, f->label, f->inside);
  return DV_OK;
}

#define FIELD_CLASS(name_, help_, module_, fields_)                                                             \
  {                                                                                                             \
    .struct_size = sizeof(dvClass), .name = name_, .help = help_, .module = module_,                            \
    .roles = DV_PLAYS(DV_ROLE_SETTING), .size = sizeof(Field), .blocks = {&dv_object_block, DV_BLOCK(fields_)}, \
    .init = field_init, .reinit = field_init                                                                    \
  }

const dvClass dv_scalar_field_classes[] = {
    FIELD_CLASS("SphericalField", "a ball as a scalar field: squared distance less squared radius", "SofaImplicitField",
                sphere_fields),
    FIELD_CLASS("StarShapedField", "a ball with waves on it as a scalar field", "SofaImplicitField", star_fields),
    FIELD_CLASS("BottleField", "a ball without an ellipsoid as a scalar field", "SofaImplicitField", bottle_fields),
    FIELD_CLASS("BlendedField", "union, intersection or difference of scalar fields, with rounded edges", "Divan",
                blend_fields),
    {
        .struct_size = sizeof(dvClass),
        .name = "DiscreteGridField",
        .help = "an image as a scalar field: a distance map, grey values above a level, or the voxels of a label",
        .module = "SofaImplicitField",
        .roles = DV_PLAYS(DV_ROLE_SETTING),
        .size = sizeof(ImageField),
        .blocks = {&dv_object_block, DV_BLOCK(image_fields)},
        .init = image_init,
        .reinit = image_init,
        .destroy = image_destroy,
    },
};
const size_t dv_scalar_field_class_count = DV_COUNT(dv_scalar_field_classes);
