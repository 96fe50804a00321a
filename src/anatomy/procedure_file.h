// A procedure as it stands in a file: what is measured, steps with their goals, warnings, what ends it, the score.
//
//   # Resection of the left lobe
//   title    Resection of the left lobe
//   measure  resected  /Body/liver/parts.resected        a number of a field; [2] behind it: the third of a list
//   measure  part      = resected / (resected + remaining)   or an expression of the measures before it
//   show     resected (ml) = 1e6 * resected               a value that is shown all the time
//   result   vessels cut = cut                             a value that the report tells at the end
//   hand     cautery = LJIKOU x y z                        keys of a hand, and where it is: three expressions
//   press    B = current on                               a key that does something else
//   press    B = current off when burning                 and what it does then
//   step     Cut the left lobe off
//     hint   Press C and drag a line along the furrow
//     lead   cautery = 0 lowest-0.01 z 0.002               where that hand is to go, and how near is there
//     then   B when cut < 1                                the key to press when it is there; the condition may be left
//     out until  resected > 5e-5
//   warning  A large vessel is open
//     when   cut > 6
//     cost   10
//     hint   Clip it                                      what helps; of failures, too
//   failure  More than half of the organ is gone         it ends there, and is not done
//     when   resected > remaining
//   advice   Cut along the furrow                          told at the end
//     when   cut > 3
//   score    100 - cost - 0.5 * time
//
// Goals, conditions and score are expressions (math/expression.h) of the measures and of time (s, of the scene),
// elapsed (s, in this step), steps (done), warnings (so far) and cost (of those). Those of hand and lead hold no
// blanks. The keys of a hand lead it right, left, up, down, to the front and to the back: x, y, z of the scene.
#ifndef DV_ANATOMY_PROCEDURE_FILE_H
#define DV_ANATOMY_PROCEDURE_FILE_H

#include "base/array.h"
#include "math/expression.h"

enum {
  DV_PROCEDURE_MOST = 64,
  DV_PROCEDURE_OWN = 5,
  DV_PROCEDURE_KEYS = 6
};   // measures, steps, warnings and failures each; variables of its own; keys of a hand

typedef struct dvProcedureMeasure {
  char *name, *path;   // path.field; NULL when it is computed
  long index;
  bool computed;
  dvExpression formula;   // then
} dvProcedureMeasure;

typedef struct dvProcedurePlace {   // x, y, z, and how near is there
  char *text;                       // NULL without
  int line;
  dvExpression value[4];
} dvProcedurePlace;

typedef struct dvProcedureHand {
  char *name;
  char keys[DV_PROCEDURE_KEYS + 1];
  dvProcedurePlace place;
} dvProcedureHand;

typedef struct dvProcedureKey {
  char key;
  char *text;
  char *other, *when;   // what it does under a condition; NULL: always the same
  int line;
  dvExpression condition;
} dvProcedureKey;

typedef struct dvProcedureItem {   // a step, a warning, a failure, an advice, what is shown or a result
  char *text, *hint;               // hint may be NULL
  char *condition;
  dvExpression expression;
  double cost;             // of a warning or failure
  int hand;                // of a step that leads one
  dvProcedurePlace lead;   // to here
  char then;               // 0 for none
  char *asked;             // its condition; NULL for always
  dvExpression asks;
  int line, asked_line;
} dvProcedureItem;

typedef DV_ARRAY(dvProcedureItem) dvProcedureItems;

typedef struct dvProcedure {
  char *title;
  DV_ARRAY(dvProcedureMeasure) measures;
  dvProcedureItems steps;
  dvProcedureItems warnings;
  dvProcedureItems failures;
  dvProcedureItems advice;    // told at the end where its condition holds
  dvProcedureItems shows;     // their value is the condition
  dvProcedureItems results;   // likewise
  DV_ARRAY(dvProcedureHand) hands;
  DV_ARRAY(dvProcedureKey) keys;
  char *score_text;   // NULL without
  dvExpression score;
} dvProcedure;

// DV_ERROR_INPUT with a sentence in `why` and the line, 0 when it is not in one. Free it either way.
dvStatus dv_procedure_read(dvProcedure *p, const char *text, int *line, dvText *why);
void dv_procedure_free(dvProcedure *p);

#endif
