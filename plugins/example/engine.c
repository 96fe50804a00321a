// ExampleEngine: waves on a surface, y' = y + a sin(2 pi x / l). It runs when somebody reads its output and an input
// has changed.
#include <divan/sdk/plugin.h>

#include <math.h>

extern const dvClass example_engine_class;

#define EXAMPLE_ENGINE_FIELDS(X)                                                      \
  X(vec3s, input_position, "", "m", "points", .flags = DV_INPUT, .alias = "position") \
  X(real, amplitude, "0.1", "m", "height of the waves", .flags = DV_INPUT)            \
  X(real, wavelength, "1", "m", "distance of the waves", .flags = DV_INPUT)           \
  X(vec3s, output_position, "", "m", "the points with waves", .flags = DV_OUTPUT)

typedef struct ExampleEngine {
  dvObject base;
  EXAMPLE_ENGINE_FIELDS(DV_MEMBER)
} ExampleEngine;

#define SELF ExampleEngine
static const dvFieldDesc example_engine_fields[] = {EXAMPLE_ENGINE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus example_engine_update(dvObject *o)
{
  ExampleEngine *e = (ExampleEngine *)o;
  if (!(e->wavelength > 0))
    return dv_field_error(o, &e->wavelength, "write wavelength=\"1\"", "the wavelength must be positive, it is %g",
                          e->wavelength);
  if (!dv_reals_assign(&e->output_position, e->input_position.data, e->input_position.count))
    return dv_error(o, NULL, "not enough memory");
  double *x = e->output_position.data;
  for (size_t i = 0; i < e->output_position.count; i += 3)
    x[i + 1] += e->amplitude * sin(2 * 3.14159265358979323846 * x[i] / e->wavelength);
  return DV_OK;
}

const dvClass example_engine_class = {
    .struct_size = sizeof(dvClass),
    .name = "ExampleEngine",
    .help = "waves on a surface",
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(ExampleEngine),
    .blocks = {&dv_object_block, DV_BLOCK(example_engine_fields)},
    .update = example_engine_update,
};
