// Engines that compute with lists: IndexValueMapper, Indices2ValuesMapper, DifferenceEngine, NormEngine, SumEngine,
// MathOp.
#include "engine/classes.h"
#include "engine/engine.h"

#include <math.h>
#include <string.h>

// --- values by index -----------------------------------------------------------------------------

#define MAPPER_FIELDS(X)                                                       \
  X(reals, inputValues, "", "", "values there are already", .flags = DV_INPUT) \
  X(indices, indices, "", "", "entries that get the value", .flags = DV_INPUT) \
  X(real, value, "0", "", "value that they get", .flags = DV_INPUT)            \
  X(reals, outputValues, "", "", "all values", .flags = DV_OUTPUT)             \
  X(real, defaultValue, "1", "", "value of entries that had none", .flags = DV_INPUT)
#define RELABEL_FIELDS(X)                                                         \
  X(reals, inputValues, "", "", "labels", .flags = DV_INPUT)                      \
  X(reals, indices, "", "", "labels that are known", .flags = DV_INPUT)           \
  X(reals, values, "", "", "what each of them stands for", .flags = DV_INPUT)     \
  X(reals, outputValues, "", "", "what the labels stand for", .flags = DV_OUTPUT) \
  X(real, defaultValue, "1", "", "what an unknown label stands for", .flags = DV_INPUT)

typedef struct Mapper {
  dvObject base;
  MAPPER_FIELDS(DV_MEMBER)
} Mapper;
typedef struct Relabel {
  dvObject base;
  RELABEL_FIELDS(DV_MEMBER)
} Relabel;

#define SELF Mapper
static const dvFieldDesc mapper_fields[] = {MAPPER_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Relabel
static const dvFieldDesc relabel_fields[] = {RELABEL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus mapper_update(dvObject *o)
{
  Mapper *m = (Mapper *)o;
  DV_TRY(dv_engine_check(o, &m->indices, DV_POINT_LIMIT, "entries at most"));
  size_t known = m->inputValues.count, count = known;
  for (size_t i = 0; i < m->indices.count; i++) count = dv_max_size(count, (size_t)m->indices.data[i] + 1);
  if (!dv_reals_assign(&m->outputValues, m->inputValues.data, known) || !dv_reals_resize(&m->outputValues, count))
    return dv_engine_no_memory(o);
  for (size_t i = known; i < count; i++) m->outputValues.data[i] = m->defaultValue;
  for (size_t i = 0; i < m->indices.count; i++) m->outputValues.data[m->indices.data[i]] = m->value;
  return DV_OK;
}

static dvStatus relabel_update(dvObject *o)
{
  Relabel *r = (Relabel *)o;
  if (r->indices.count != r->values.count)
    return dv_field_error(o, &r->values, "give one for each", "there are %zu indices and %zu values", r->indices.count,
                          r->values.count);
  if (!dv_reals_resize(&r->outputValues, r->inputValues.count)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < r->inputValues.count; i++) {
    r->outputValues.data[i] = r->defaultValue;
    for (size_t k = 0; k < r->indices.count; k++)
      if (r->indices.data[k] == r->inputValues.data[i]) r->outputValues.data[i] = r->values.data[k];
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_index_value_mapper_class, "IndexValueMapper", "gives some entries of a list a value",
                DV_TRANSFORM_MODULE, 0, Mapper, .blocks = {&dv_object_block, DV_BLOCK(mapper_fields)},
                .update = mapper_update);
DV_ENGINE_CLASS(dv_indices_values_mapper_class, "Indices2ValuesMapper", "replaces labels by what they stand for",
                DV_TRANSFORM_MODULE, 0, Relabel, .blocks = {&dv_object_block, DV_BLOCK(relabel_fields)},
                .update = relabel_update);

// --- difference, norm, sum -----------------------------------------------------------------------

#define DIFFERENCE_FIELDS(X)                                                                         \
  X(reals, input, "", "", "values", .flags = DV_INPUT)                                               \
  X(reals, substractor, "", "", "what is taken off; the first value for all when there is only one", \
    .flags = DV_INPUT)                                                                               \
  X(reals, output, "", "", "the difference", .flags = DV_OUTPUT)
#define NORM_FIELDS(X)                                          \
  X(vec3s, input, "", "", "vectors", .flags = DV_INPUT)         \
  X(reals, output, "", "", "their lengths", .flags = DV_OUTPUT) \
  X(int, normType, "2", "", "1: sum, 2: Euclidean, …; below 0: the largest entry", .flags = DV_INPUT)
#define SUM_FIELDS(X)                                   \
  X(coords, input, "", "", "values", .flags = DV_INPUT) \
  X(coord, output, "", "", "their sum", .flags = DV_OUTPUT)

typedef struct Difference {
  dvObject base;
  DIFFERENCE_FIELDS(DV_MEMBER)
} Difference;
typedef struct Norm {
  dvObject base;
  NORM_FIELDS(DV_MEMBER)
} Norm;
typedef struct Sum {
  dvObject base;
  SUM_FIELDS(DV_MEMBER)
} Sum;

#define SELF Difference
static const dvFieldDesc difference_fields[] = {DIFFERENCE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Norm
static const dvFieldDesc norm_fields[] = {NORM_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Sum
static const dvFieldDesc sum_fields[] = {SUM_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus difference_update(dvObject *o)
{
  Difference *d = (Difference *)o;
  size_t width = (size_t)dv_engine_width(o, &d->input), n = d->input.count, m = d->substractor.count;
  if (m < n && m != width)
    return dv_field_error(o, &d->substractor, "give one for each, or one for all",
                          "there are %zu values and %zu to take off", n / width, m / width);
  dv_engine_set_width(o, &d->output, (int)width);
  if (!dv_reals_resize(&d->output, n)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) d->output.data[i] = d->input.data[i] - d->substractor.data[m < n ? i % width : i];
  return DV_OK;
}

static double norm_of(const double v[3], int type)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) sum = type < 0 ? fmax(sum, fabs(v[k])) : sum + pow(fabs(v[k]), type);
  if (type == 2) return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return type < 0 || type == 1 ? sum : pow(sum, 1.0 / type);
}

static dvStatus norm_update(dvObject *o)
{
  Norm *n = (Norm *)o;
  if (n->normType == 0) return dv_field_error(o, &n->normType, "give 2 for lengths", "there is no norm of type 0");
  if (!dv_reals_resize(&n->output, n->input.count / 3)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n->output.count; i++) n->output.data[i] = norm_of(n->input.data + 3 * i, n->normType);
  return DV_OK;
}

static dvStatus sum_update(dvObject *o)
{
  Sum *s = (Sum *)o;
  size_t width = (size_t)o->dof->coord;
  memset(s->output, 0, sizeof s->output);
  for (size_t i = 0; i < s->input.count; i++) s->output[i % width] += s->input.data[i];
  return DV_OK;
}

DV_ENGINE_CLASS(dv_difference_engine_class, "DifferenceEngine", "difference of two lists", DV_TRANSFORM_MODULE, 0,
                Difference, .blocks = {&dv_object_block, DV_BLOCK(difference_fields)}, .update = difference_update);
DV_ENGINE_CLASS(dv_norm_engine_class, "NormEngine", "lengths of vectors", DV_GENERATE_MODULE, 0, Norm,
                .blocks = {&dv_object_block, DV_BLOCK(norm_fields)}, .update = norm_update);
DV_ENGINE_CLASS(dv_sum_engine_class, "SumEngine", "sum of a list", DV_ANALYZE_MODULE, DV_DOF_VEC1 | DV_DOF_VEC3, Sum,
                .blocks = {&dv_object_block, DV_BLOCK(sum_fields)}, .update = sum_update);

// --- operations on several lists -----------------------------------------------------------------

#define MATH_FIELDS(X)                                                                                               \
  X(int, nbInputs, "2", "", "number of lists: input1, input2 …", .flags = DV_INPUT)                                  \
  X(string, op, "+", "", "+ - * / < (least) > (greatest), and for truth values ! & | ^ !& !| !^", .flags = DV_INPUT) \
  X(reals, output, "", "", "result, as long as the shortest list", .flags = DV_OUTPUT)
#define MATH_INPUTS(X) X(reals, input, "", "", "a list", .flags = DV_INPUT)

typedef struct Math {
  dvObject base;
  MATH_FIELDS(DV_MEMBER)
} Math;
typedef struct MathInput {
  MATH_INPUTS(DV_MEMBER)
} MathInput;

#define SELF Math
static const dvFieldDesc math_fields[] = {MATH_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF MathInput
static const dvFieldDesc math_inputs[] = {MATH_INPUTS(DV_DESCRIBE)};
#undef SELF

static const char *const operations[] = {"+", "-", "*", "/", "<", ">", "!", "&", "|", "^", "!&", "!|", "!^"};
enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, GREATEST, NOT, AND, OR, XOR, NAND, NOR, XNOR };

static double apply(int op, double a, double b)
{
  switch (op) {
  case ADD:
    return a + b;
  case SUBTRACT:
    return a - b;
  case MULTIPLY:
    return a * b;
  case DIVIDE:
    return a / b;
  case LEAST:
    return b < a ? b : a;
  case GREATEST:
    return b > a ? b : a;
  case AND:
  case NAND:
    return a != 0 && b != 0;
  case OR:
  case NOR:
    return a != 0 || b != 0;
  case XOR:
  case XNOR:
    return (a != 0) != (b != 0);
  default:
    return a;
  }
}

// one list: - and / take the value from 0 and 1; those with ! are denied at the end
static double finish(int op, double value, bool alone)
{
  if (alone && op == SUBTRACT) return -value;
  if (alone && op == DIVIDE) return 1 / value;
  return op == NOT || op >= NAND ? value == 0 : value;
}

static dvStatus math_parse(dvObject *o, dvAttributes *a)
{
  return dv_engine_add_inputs(o, a, DV_BLOCK(math_inputs), &((Math *)o)->nbInputs);
}

static dvStatus math_update(dvObject *o)
{
  Math *m = (Math *)o;
  int op = -1;
  for (int i = 0; i < (int)DV_COUNT(operations); i++)
    if (dv_same(operations[i], m->op)) op = i;
  if (op < 0)
    return dv_field_error(o, &m->op, "give + - * / < > ! & | ^ !& !| or !^", "MathOp does not know the operation '%s'",
                          m->op);
  size_t count = SIZE_MAX;
  for (int i = 1; i <= m->nbInputs; i++) {
    const dvReals *in = dv_engine_numbered(o, "input", i);
    count = dv_min_size(count, in ? in->count : 0);
  }
  if (m->nbInputs == 0) count = 0;
  if (m->nbInputs) dv_engine_set_width(o, &m->output, dv_engine_width(o, dv_engine_numbered(o, "input", 1)));
  if (!dv_reals_resize(&m->output, count)) return dv_engine_no_memory(o);
  for (int i = 1; i <= m->nbInputs; i++) {
    const dvReals *in = dv_engine_numbered(o, "input", i);
    for (size_t k = 0; k < count; k++)
      m->output.data[k] = i == 1 ? in->data[k] : apply(op, m->output.data[k], in->data[k]);
  }
  for (size_t k = 0; k < count; k++) m->output.data[k] = finish(op, m->output.data[k], m->nbInputs == 1);
  return DV_OK;
}

DV_ENGINE_CLASS(dv_math_op_class, "MathOp", "adds, multiplies, compares lists entry by entry", DV_TRANSFORM_MODULE, 0,
                Math, .blocks = {&dv_object_block, DV_BLOCK(math_fields)}, .parse = math_parse, .update = math_update);
