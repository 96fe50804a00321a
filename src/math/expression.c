// Expressions: a recursive descent that writes operations for a stack. See expression.h.
#include "math/expression.h"

#include "base/array.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Code {
  NUMBER,
  VARIABLE,   // value: its number
  NEGATE,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  REST,
  POWER,
  LESS,
  MORE,
  CALL,   // value: number of the function
} Code;

static const struct {
  const char *name;
  int arguments;
} functions[] = {{"sin", 1}, {"cos", 1},   {"tan", 1}, {"exp", 1}, {"log", 1},   {"sqrt", 1},
                 {"abs", 1}, {"floor", 1}, {"min", 2}, {"max", 2}, {"pulse", 2}, {"atan2", 2}};

static double call(int function, double a, double b)
{
  switch (function) {
  case 0:
    return sin(a);
  case 1:
    return cos(a);
  case 2:
    return tan(a);
  case 3:
    return exp(a);
  case 4:
    return log(a);
  case 5:
    return sqrt(a);
  case 6:
    return fabs(a);
  case 7:
    return floor(a);
  case 8:
    return fmin(a, b);
  case 9:
    return fmax(a, b);
  case 10:
    return a - floor(a) < b ? 1 : 0;
  default:
    return atan2(a, b);
  }
}

typedef struct Reader {
  const char *text, *at, *names;
  dvExpression *e;
  dvText *why;
  int brackets, waiting;   // brackets around, values on the stack
  bool failed;
} Reader;

static void read_sum(Reader *r);

static void complain(Reader *r, const char *format, const char *what, int length)
{
  if (r->failed) return;
  r->failed = true;
  if (!r->why) return;
  dv_text_printf(r->why, format, length, what);
  dv_text_printf(r->why, " at character %d of '%.80s'", (int)(r->at - r->text) + 1, r->text);
}

static void put(Reader *r, Code code, double value, int change)
{
  r->waiting += change;
  if (r->waiting > DV_EXPRESSION_DEPTH) complain(r, "%.*sthe expression is nested too deeply", "", 0);
  if (!r->failed) dv_push(r->e, ((dvOperation){code, value}));
}

static bool take(Reader *r, char c)
{
  while (isspace((unsigned char)*r->at)) r->at++;
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static void want(Reader *r, char c)
{
  if (!take(r, c)) complain(r, "'%.*s' is missing", &c, 1);
}

static bool is_word(const char *word, size_t length, const char *name)
{
  return strlen(name) == length && memcmp(word, name, length) == 0;
}

static int variable_of(const Reader *r, const char *word, size_t length)
{
  int number = 0;
  for (const char *n = r->names; *n; number++) {
    size_t size = strcspn(n, " ");
    if (size == length && memcmp(n, word, size) == 0) return number;
    n += size;
    n += strspn(n, " ");
  }
  return -1;
}

static void read_call(Reader *r, size_t function)
{
  want(r, '(');
  for (int i = 0; i < functions[function].arguments && !r->failed; i++) {
    if (i) want(r, ',');
    read_sum(r);
  }
  want(r, ')');
  put(r, CALL, (double)function, 1 - functions[function].arguments);
}

static void read_word(Reader *r)
{
  const char *word = r->at;
  size_t length = 0;
  while (isalnum((unsigned char)word[length]) || word[length] == '_') length++;
  int variable = variable_of(r, word, length);
  for (size_t i = 0; i < DV_COUNT(functions) && variable < 0; i++)
    if (is_word(word, length, functions[i].name)) {
      r->at += length;
      read_call(r, i);
      return;
    }
  if (variable < 0 && !is_word(word, length, "pi")) {
    complain(r, "the name '%.*s' is not known", word, (int)dv_min_size(length, 40));
    return;
  }
  r->at += length;
  put(r, variable < 0 ? NUMBER : VARIABLE, variable < 0 ? acos(-1.0) : variable, 1);
}

static void read_value(Reader *r)
{
  if (r->failed) return;
  if (take(r, '(')) {
    if (++r->brackets > DV_EXPRESSION_DEPTH) complain(r, "%.*stoo many brackets", "", 0);
    read_sum(r);
    want(r, ')');
    r->brackets--;
  } else if (isalpha((unsigned char)*r->at)) {
    read_word(r);
  } else {
    double value;
    const char *cursor = r->at;
    if (!(isdigit((unsigned char)*cursor) || *cursor == '.') || !dv_scan_real(&cursor, &value)) {
      complain(r, *r->at ? "unexpected '%.*s'" : "something is missing behind the end%.*s", r->at, *r->at ? 1 : 0);
      return;
    }
    r->at = cursor;
    put(r, NUMBER, value, 1);
  }
}

static void read_power(Reader *r)
{
  if (++r->brackets > DV_EXPRESSION_DEPTH) complain(r, "%.*sthe expression is nested too deeply", "", 0);
  if (!r->failed && take(r, '-')) {
    read_power(r);
    put(r, NEGATE, 0, 0);
  } else {
    read_value(r);
    if (!r->failed && take(r, '^')) {
      read_power(r);
      put(r, POWER, 0, -1);
    }
  }
  r->brackets--;
}

static void read_product(Reader *r)
{
  read_power(r);
  while (!r->failed) {
    Code code = take(r, '*') ? MULTIPLY : take(r, '/') ? DIVIDE : take(r, '%') ? REST : NUMBER;
    if (code == NUMBER) return;
    read_power(r);
    put(r, code, 0, -1);
  }
}

static void read_terms(Reader *r)
{
  read_product(r);
  while (!r->failed) {
    Code code = take(r, '+') ? ADD : take(r, '-') ? SUBTRACT : NUMBER;
    if (code == NUMBER) return;
    read_product(r);
    put(r, code, 0, -1);
  }
}

static void read_sum(Reader *r)
{
  read_terms(r);
  if (r->failed) return;
  Code code = take(r, '<') ? LESS : take(r, '>') ? MORE : NUMBER;
  if (code == NUMBER) return;
  read_terms(r);
  put(r, code, 0, -1);
}

bool dv_expression_read(dvExpression *e, const char *text, const char *names, dvText *why)
{
  Reader r = {.text = text, .at = text, .names = names, .e = e, .why = why};
  e->count = 0;
  read_sum(&r);
  take(&r, '\n');   // also skips spaces
  if (!r.failed && *r.at) complain(&r, "unexpected '%.*s'", r.at, 1);
  if (r.failed) e->count = 0;
  return !r.failed;
}

double dv_expression_value(const dvExpression *e, const double *variables)
{
  double stack[DV_EXPRESSION_DEPTH + 1];
  int top = -1;
  for (size_t i = 0; i < e->count; i++) {
    const dvOperation *o = &e->data[i];
    double b = top >= 0 ? stack[top] : 0;
    switch ((Code)o->code) {
    case NUMBER:
      stack[++top] = o->value;
      break;
    case VARIABLE:
      stack[++top] = variables[(int)o->value];
      break;
    case NEGATE:
      stack[top] = -b;
      break;
    case ADD:
      stack[--top] += b;
      break;
    case SUBTRACT:
      stack[--top] -= b;
      break;
    case MULTIPLY:
      stack[--top] *= b;
      break;
    case DIVIDE:
      stack[--top] /= b;
      break;
    case REST:
      top--, stack[top] = fmod(stack[top], b);
      break;
    case POWER:
      top--, stack[top] = pow(stack[top], b);
      break;
    case LESS:
      top--, stack[top] = stack[top] < b;
      break;
    case MORE:
      top--, stack[top] = stack[top] > b;
      break;
    case CALL:
      if (functions[(int)o->value].arguments == 2) top--;
      stack[top] = call((int)o->value, stack[top], b);
      break;
    }
  }
  return top >= 0 ? stack[top] : 0;
}

void dv_expression_free(dvExpression *e)
{
  dv_free(e->data);
  *e = (dvExpression){0};
}
