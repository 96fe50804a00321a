// Every field of components, with values that nobody should give: before a scene starts, and while it runs. Whatever is
// given, the run ends, memory stays whole, and what goes wrong is told.
//
// With DIVAN_TEST_FIELD only fields with that word in "component.field"; each case is then named, and tried with all
// values.
#ifndef DV_TESTS_HOSTILE_H
#define DV_TESTS_HOSTILE_H

#include "scene/node.h"

typedef struct HostileCase {
  const char *text, *names;   // a small scene, and the components whose fields are walked, by their paths
} HostileCase;

// When numbers are none, or a step fails: is any message enough, or must one name the field or the component that it
// was given to? (Give these names that stand nowhere else.)
typedef enum HostileRule { HOSTILE_TOLD, HOSTILE_NAMED } HostileRule;

// Of the values for each field every `stride`-th, others for each field.
void hostile_walk(const HostileCase *cases, size_t count, HostileRule rule, int stride);
// With good values they are good scenes: they run without a warning.
void hostile_run_as_they_are(const HostileCase *cases, size_t count);

// A scene whose messages are counted, not printed.
dvScene *hostile_open(const char *text);
// The first field of a scene that a component has made and that is no number, as "name.field", beside `given` (may be
// NULL); NULL when there is none. The caller frees it.
char *hostile_bad_field(dvScene *scene, const dvField *given);

#endif
