// Expressions of a few variables, such as "1 + 0.2 * sin(2 * pi * t)".
//
// Numbers, names, + - * / ^ and %, comparisons (1 or 0), brackets, and sin cos tan exp log sqrt abs floor min max
// atan2 pulse. pulse(p, d) is 1 while the fraction of p is below d, else 0. An expression is read once into a list of
// operations; evaluating it allocates nothing.
#ifndef DV_MATH_EXPRESSION_H
#define DV_MATH_EXPRESSION_H

#include "base/text.h"

enum { DV_EXPRESSION_DEPTH = 64 };   // the most values that wait, and the most brackets in each other

typedef struct dvOperation {
  int code;
  double value;
} dvOperation;

typedef struct dvExpression {
  dvOperation *data;
  size_t count, capacity;
} dvExpression;

// Reads `text`. `names` are the variables' names, separated by spaces; pi is always known. False with a sentence in
// `why` that tells the place, counted from 1.
bool dv_expression_read(dvExpression *e, const char *text, const char *names, dvText *why);
double dv_expression_value(const dvExpression *e, const double *variables);
void dv_expression_free(dvExpression *e);

#endif
