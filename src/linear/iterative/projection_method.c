// MatrixProjectionMethod and ConstantSparsityProjectionMethod: in SOFA they say how the matrix of a pair of mapped
// states is carried up to the main ones, and that its Jacobians need not be formed again. Assembly (assembly.h) does
// the same for all pairs and forms Jacobians at every build, which costs little and gives what constant ones give; the
// components are accepted and checked.
#include "linear/classes.h"
#include "state/state.h"

#define METHOD_FIELDS(X)                                                                                      \
  X(bool, areJacobiansConstant, "0", "", "accepted: Jacobians are formed at every build", .flags = DV_HIDDEN) \
  X(links, mechanicalStates, "", "", "the two states whose matrix is meant", .role = DV_ROLE_STATE)
#define CONSTANT_FIELDS(X) X(bool, parallelProduct, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)

typedef struct Method {
  dvObject base;
  METHOD_FIELDS(DV_MEMBER)
  CONSTANT_FIELDS(DV_MEMBER)
} Method;

#define SELF Method
static const dvFieldDesc method_fields[] = {METHOD_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc constant_fields[] = {CONSTANT_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus method_init(dvObject *o)
{
  const Method *m = (const Method *)o;
  if (m->mechanicalStates.count == 2) return DV_OK;
  return dv_field_error(o, &m->mechanicalStates, "give mechanicalStates=\"@first @second\"",
                        "%s needs two states, %zu are given", o->cls->name, m->mechanicalStates.count);
}

#define METHOD_CLASS(variable, name_, ...)                                                  \
  const dvClass variable = {                                                                \
      .struct_size = sizeof(dvClass),                                                       \
      .name = name_,                                                                        \
      .help = "how the matrix of two mapped states is carried up; accepted, all pairs are", \
      .module = "Sofa.Component.LinearSystem",                                              \
      .size = sizeof(Method),                                                               \
      .blocks = {&dv_object_block, DV_BLOCK(method_fields), ##__VA_ARGS__},                 \
      .init = method_init,                                                                  \
  }

METHOD_CLASS(dv_projection_method_class, "MatrixProjectionMethod");
METHOD_CLASS(dv_constant_projection_class, "ConstantSparsityProjectionMethod", DV_BLOCK(constant_fields));
