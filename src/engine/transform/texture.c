// TextureInterpolation: texture coordinates that show values as colours: u = (value - min) / (max - min), v = 0.
// Without values the points themselves are laid flat: u and v are their places in the box around them, along the two
// axes that are not the one in which the box has no extent.
#include "engine/classes.h"
#include "engine/engine.h"

#include <math.h>

#define TEXTURE_FIELDS(X)                                                                                            \
  X(coords, input_states, "", "", "values of the points", .flags = DV_INPUT)                                         \
  X(vec3s, input_coordinates, "", "m", "positions of the points", .flags = DV_INPUT)                                 \
  X(vec2s, output_coordinates, "", "", "texture coordinates of the points", .flags = DV_OUTPUT)                      \
  X(bool, scalarField, "1", "", "show the first number of a value; else the mean of its numbers", .flags = DV_INPUT) \
  X(real, min_value, "0", "", "value at u = 0, with manual_scale", .flags = DV_INPUT)                                \
  X(real, max_value, "0", "", "value at u = 1, with manual_scale", .flags = DV_INPUT)                                \
  X(bool, manual_scale, "0", "", "take min_value and max_value; else the smallest and largest value",                \
    .flags = DV_INPUT)                                                                                               \
  X(bool, drawPotentiels, "0", "", "write the values beside the points", .flags = DV_LOOKS | DV_HIDDEN)              \
  X(real, showIndicesScale, "0.0001", "", "size of such writing", .flags = DV_LOOKS | DV_HIDDEN)                     \
  X(int, vertexPloted, "0", "", "accepted: Monitor writes curves", .flags = DV_LOOKS | DV_HIDDEN)                    \
  X(string, graph, "", "", "accepted: Monitor writes curves", .flags = DV_LOOKS | DV_HIDDEN)

typedef struct Texture {
  dvObject base;
  TEXTURE_FIELDS(DV_MEMBER)
} Texture;

#define SELF Texture
static const dvFieldDesc texture_fields[] = {TEXTURE_FIELDS(DV_DESCRIBE)};
#undef SELF

// where all values are the same u is 0
static double inverse(double extent) { return extent > 0 ? 1 / extent : 0; }

static void lay_flat(Texture *t, double *uv)
{
  const double *x = t->input_coordinates.data;
  const size_t points = t->input_coordinates.count / 3;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  int flat = 0;
  for (size_t i = 0; i < 3 * points; i++) {
    low[i % 3] = fmin(low[i % 3], x[i]);
    high[i % 3] = fmax(high[i % 3], x[i]);
  }
  for (int k = 0; k < 3; k++)
    if (low[k] == high[k]) flat = k;
  const int u = (flat + 1) % 3, v = (flat + 2) % 3;
  for (size_t i = 0; i < points; i++) {
    uv[2 * i] = (x[3 * i + (size_t)u] - low[u]) * inverse(high[u] - low[u]);
    uv[2 * i + 1] = (x[3 * i + (size_t)v] - low[v]) * inverse(high[v] - low[v]);
  }
}

static double value_of(const Texture *t, size_t i)
{
  const size_t width = (size_t)t->base.dof->coord;
  const double *x = t->input_states.data + i * width;
  double sum = 0;
  for (size_t k = 0; k < width; k++) sum += x[k];
  return t->scalarField ? x[0] : sum / (double)width;
}

static dvStatus texture_update(dvObject *o)
{
  Texture *t = (Texture *)o;
  const bool flat = t->input_states.count == 0;
  const size_t points = dv_reals_size(flat ? &t->input_coordinates : &t->input_states);
  double low = t->min_value, high = t->max_value;
  if (!flat && t->manual_scale && low >= high)
    return dv_field_error(o, &t->max_value, "give a larger max_value, or manual_scale=\"0\"",
                          "the range of the colours, %g to %g, is empty", low, high);
  if (!dv_reals_resize(&t->output_coordinates, 2 * points)) return dv_engine_no_memory(o);
  if (points == 0) return DV_OK;
  double *uv = dv_reals_edit(&t->output_coordinates);
  if (flat) {
    lay_flat(t, uv);
    return DV_OK;
  }
  for (size_t i = 0; i < points; i++) uv[2 * i] = value_of(t, i);
  if (!t->manual_scale) {
    low = high = uv[0];
    for (size_t i = 1; i < points; i++) low = fmin(low, uv[2 * i]), high = fmax(high, uv[2 * i]);
  }
  for (size_t i = 0; i < points; i++) {
    uv[2 * i] = (uv[2 * i] - low) * inverse(high - low);
    uv[2 * i + 1] = 0;
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_texture_interpolation_class, "TextureInterpolation",
                "texture coordinates that show values as colours", "Sofa.GL.Component.Engine",
                DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3, Texture,
                .blocks = {&dv_object_block, DV_BLOCK(texture_fields)}, .update = texture_update);
