// Links stay with what they lead to when nodes move: their texts are looked up again when the scene is initialised, and
// by then a path may mean something else or nothing.
#ifndef DIVAN_PYTHON_PINS_H
#define DIVAN_PYTHON_PINS_H

#include "scene/node.h"

typedef struct Pin {
  dvObject *owner;
  char **text;
  dvObject *target;
  char *field;   // of the target, or NULL
} Pin;
typedef DV_ARRAY(Pin) Pins;

// Where the links of a node and of all that is below it lead now. Nothing may come or go until pins_keep.
void pins_take(Pins *pins, dvNode *top);
// Rewrites those that lead elsewhere now, and frees the list. What stands in another scene is out of reach.
void pins_keep(Pins *pins);

#endif
