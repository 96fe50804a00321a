// Declarations, functions and statements, as far as the types of expressions hang on them. See glsl_types.c.
#include "view/glsl_types.h"

#include <string.h>

static bool skip_qualifiers(dvGlslReader *r)
{
  static const char *const words[] = {"const",         "in",       "out",       "inout",   "uniform", "attribute",
                                      "varying",       "highp",    "lowp",      "mediump", "flat",    "smooth",
                                      "noperspective", "centroid", "invariant", "precise"};
  bool any = false;
  for (size_t i = 0; i < DV_COUNT(words);) {
    if (!dv_glsl_take(r, words[i])) {
      i++;
      continue;
    }
    any = true;
    i = 0;
  }
  if (dv_glsl_here(r, "layout")) {
    dv_glsl_next(r);
    while (r->at < r->text->words.count && !dv_glsl_here(r, ")") && !dv_glsl_here(r, ";")) dv_glsl_next(r);
    dv_glsl_take(r, ")");
    skip_qualifiers(r);
    return true;
  }
  return any;
}

static void declare_variable(dvGlslReader *r, size_t name, dvGlslType type, int depth)
{
  dvGlslVariable v = {.name = name, .type = type, .depth = depth};
  if (r->variables.count < DV_GLSL_NAMES) dv_push(&r->variables, v);
}

static bool skip_brackets(dvGlslReader *r)
{
  bool any = false;
  while (dv_glsl_take(r, "[")) {
    any = true;
    if (!dv_glsl_here(r, "]")) dv_glsl_read(r);
    if (!dv_glsl_take(r, "]")) r->lost = true;
  }
  return any;
}

// a name, its brackets and the value it begins with; more of them behind commas
static void read_names(dvGlslReader *r, dvGlslType type)
{
  do {
    size_t name = r->at;
    if (!dv_glsl_is_name(r, name)) {
      r->lost = true;
      return;
    }
    dv_glsl_next(r);
    dvGlslType own = type;
    if (skip_brackets(r)) own.array = true;
    declare_variable(r, name, own, r->depth);
    if (r->lost || !dv_glsl_take(r, "=")) continue;
    dvGlslValue v = dv_glsl_read(r);
    if (!r->lost && dv_glsl_is_real(own) && dv_glsl_is_whole(v.type)) dv_glsl_converted(r, v);
  } while (!r->lost && dv_glsl_take(r, ","));
}

static void read_members(dvGlslReader *r, size_t name)
{
  int number = (int)r->structures.count;
  if (number < DV_GLSL_NAMES) dv_push(&r->structures, name);
  while (!r->lost && r->at < r->text->words.count && !dv_glsl_here(r, "}")) {
    skip_qualifiers(r);
    dvGlslType type = dv_glsl_type_at(r, r->at);
    dv_glsl_next(r);
    if (skip_brackets(r)) type.array = true;
    do {
      dvGlslVariable m = {.name = r->at, .type = type, .depth = number};
      if (!dv_glsl_is_name(r, r->at)) {
        r->lost = true;
        return;
      }
      dv_glsl_next(r);
      if (skip_brackets(r)) m.type.array = true;
      if (r->members.count < DV_GLSL_NAMES) dv_push(&r->members, m);
    } while (!r->lost && dv_glsl_take(r, ","));
    if (!dv_glsl_take(r, ";")) r->lost = true;
  }
  dv_glsl_take(r, "}");
}

static void read_structure(dvGlslReader *r)
{
  size_t name = r->at;
  if (!dv_glsl_is_name(r, name)) {
    r->lost = true;
    return;
  }
  dv_glsl_next(r);
  if (!dv_glsl_take(r, "{")) {
    r->lost = true;
    return;
  }
  read_members(r, name);
  if (!r->lost && dv_glsl_is_name(r, r->at)) read_names(r, dv_glsl_type_at(r, name));
}

// the brackets behind the name of a function; true where its body follows
static bool read_function(dvGlslReader *r, size_t name, dvGlslType result)
{
  dvGlslFunction f = {.name = name, .result = result};
  size_t mark = r->variables.count;
  dv_glsl_next(r);   // (
  while (!r->lost && r->at < r->text->words.count && !dv_glsl_here(r, ")")) {
    skip_qualifiers(r);
    if (dv_glsl_take(r, "void")) continue;
    dvGlslType type = dv_glsl_type_at(r, r->at);
    if (!dv_glsl_is_name(r, r->at)) r->lost = true;
    dv_glsl_next(r);
    if (skip_brackets(r)) type.array = true;
    size_t own = r->at;
    if (dv_glsl_is_name(r, own)) {
      dv_glsl_next(r);
      if (skip_brackets(r)) type.array = true;
      declare_variable(r, own, type, 1);
    }
    if (f.count < DV_GLSL_PARAMETERS) f.parameters[f.count] = type;
    f.count++;
    if (!dv_glsl_take(r, ",") && !dv_glsl_here(r, ")")) r->lost = true;
  }
  if (!dv_glsl_take(r, ")")) r->lost = true;
  if (!r->lost && f.count <= DV_GLSL_PARAMETERS && r->functions.count < DV_GLSL_NAMES) dv_push(&r->functions, f);
  if (dv_glsl_here(r, "{")) {
    r->result = result;
    return true;
  }
  r->variables.count = mark;
  return false;
}

static bool begins_declaration(const dvGlslReader *r)
{
  if (!dv_glsl_is_name(r, r->at)) return false;
  bool type = dv_glsl_type_at(r, r->at).base || dv_glsl_is_sampler(r, r->at) || dv_glsl_here(r, "void");
  size_t after = r->at + 1;
  if (dv_glsl_is(r->text, after, "[")) return type && !dv_glsl_is(r->text, after + 3, "(");
  return type && dv_glsl_is_name(r, after);
}

static void read_declaration(dvGlslReader *r)
{
  dvGlslType type = dv_glsl_type_at(r, r->at);
  dv_glsl_next(r);
  if (skip_brackets(r)) type.array = true;
  size_t name = r->at;
  if (dv_glsl_is_name(r, name) && dv_glsl_is(r->text, name + 1, "(")) {
    dv_glsl_next(r);
    read_function(r, name, type);
    return;
  }
  if (!dv_glsl_here(r, ";")) read_names(r, type);
}

static void close_brace(dvGlslReader *r)
{
  if (r->depth > 0) r->depth--;
  while (r->variables.count && r->variables.data[r->variables.count - 1].depth > r->depth) r->variables.count--;
}

// one piece up to a semicolon or a brace
static void read_piece(dvGlslReader *r)
{
  static const char *const words[] = {"if", "else", "while", "do", "switch", "for", "precision"};
  if (dv_glsl_take(r, ";")) return;
  if (dv_glsl_take(r, "{")) {
    r->depth++;
    return;
  }
  if (dv_glsl_take(r, "}")) {
    close_brace(r);
    return;
  }
  for (size_t i = 0; i < DV_COUNT(words); i++)
    if (dv_glsl_take(r, words[i])) {
      if (dv_same(words[i], "precision")) r->lost = true;
      else if (dv_same(words[i], "for")) dv_glsl_take(r, "(");   // its parts are pieces
      return;
    }
  if (dv_glsl_take(r, "case")) {
    dv_glsl_read(r);
    dv_glsl_take(r, ":");
    return;
  }
  if (dv_glsl_take(r, "default")) {
    dv_glsl_take(r, ":");
    return;
  }
  if (dv_glsl_take(r, "return")) {
    if (dv_glsl_here(r, ";")) return;
    dvGlslValue v = dv_glsl_read(r);
    if (!r->lost && dv_glsl_is_real(r->result) && dv_glsl_is_whole(v.type)) dv_glsl_converted(r, v);
    return;
  }
  bool qualified = skip_qualifiers(r);
  if (dv_glsl_take(r, "struct")) read_structure(r);
  else if (begins_declaration(r)) read_declaration(r);
  else if (qualified) r->lost = true;   // a block, or a type that is not known
  else if (!dv_glsl_take(r, ")")) {     // the end of the brackets of a `for`
    dv_glsl_read(r);
    while (!r->lost && dv_glsl_take(r, ",")) dv_glsl_read(r);
  }
}

static void find_again(dvGlslReader *r, size_t from)
{
  r->lost = false;
  r->nested = 0;
  if (r->at <= from) r->at = from, dv_glsl_next(r);
  while (r->at < r->text->words.count && !dv_glsl_here(r, ";") && !dv_glsl_here(r, "{") && !dv_glsl_here(r, "}"))
    dv_glsl_next(r);
}

// `#define PI 3.14`: a value of its type; others are DV_GLSL_NOTHING, which hides variables of that name
static void read_macros(dvGlslReader *r)
{
  dvGlslText *t = r->text;
  for (size_t i = 0; i + 3 < t->words.count; i++) {
    if (!t->words.data[i].directive || !dv_glsl_is(t, i, "#") || !dv_glsl_is(t, i + 1, "define")) continue;
    const dvGlslWord *name = &t->words.data[i + 2], *value = &t->words.data[i + 3];
    bool single = value->directive && value->kind == DV_GLSL_NUMBER && value->start > name->start + name->length &&
                  !memchr(t->source + name->start, '\n', value->start - name->start);
    bool last = i + 4 >= t->words.count || !t->words.data[i + 4].directive || dv_glsl_is(t, i + 4, "#");
    if (!single || !last) continue;
    bool real = memchr(t->source + value->start, '.', value->length) != NULL;
    declare_variable(r, i + 2, dv_glsl_number_of(real ? DV_GLSL_FLOAT : DV_GLSL_INT), -1);
  }
}

void dv_glsl_convert(dvGlslText *t)
{
  dvGlslReader r = {.text = t};
  read_macros(&r);
  dv_glsl_skip_directives(&r);
  while (r.at < t->words.count) {
    size_t from = r.at;
    read_piece(&r);
    if (r.lost || r.at == from) find_again(&r, from);
  }
  dv_array_free(&r.variables);
  dv_array_free(&r.functions);
  dv_array_free(&r.members);
  dv_array_free(&r.structures);
}
