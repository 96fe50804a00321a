// A libFuzzer target: whatever is called in whatever order after divan_init, a change is taken or refused with a
// message, and the scene can be stepped, read and reset. Each call is four bytes: what to do, which component, which of
// its fields, and with which value.
#include "divan/divan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char scene_text[] =
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'><EulerImplicitSolver name='ode'/><CGLinearSolver name='cg' "
    "iterations='5'/><MechanicalObject name='frame' template='Rigid3'/><UniformMass name='mass' totalMass='1'/>"
    "<Node name='points'><MechanicalObject name='dofs' position='1 0 0  0 1 0'/><RigidMapping name='map'/></Node>"
    "<Node name='block'><RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/>"
    "<MechanicalObject name='dofs'/><UniformMass name='mass' totalMass='1'/><HexahedronFEMForceField name='fem' "
    "youngModulus='1000' poissonRatio='0.3'/><BoxROI name='box' box='-1 -1 -1 2 2 0.1'/>"
    "<FixedProjectiveConstraint name='fixed' indices='@box.indices'/></Node></Node>";
static const struct {
  const char *path, *component;
} objects[] = {{"/ode", "EulerImplicitSolver"},
               {"/cg", "CGLinearSolver"},
               {"/frame", "MechanicalObject"},
               {"/mass", "UniformMass"},
               {"/points/map", "RigidMapping"},
               {"/block/grid", "RegularGridTopology"},
               {"/block/dofs", "MechanicalObject"},
               {"/block/mass", "UniformMass"},
               {"/block/fem", "HexahedronFEMForceField"},
               {"/block/box", "BoxROI"},
               {"/block/fixed", "FixedProjectiveConstraint"}};
static const char *const values[] = {"",          "0",
                                     "1",         "-1",
                                     "1e300",     "nan",
                                     "1 2 3",     "0 0 0 0 0 0 1",
                                     "word",      "7 8",
                                     "0.5 0.5",   "99999",
                                     "@/nowhere", "1 2 3 4 5 6 7 8 9 10 11 12"};
static const double numbers[24] = {1, 2, 3, 0, 0, 0, 1};
static const int32_t whole[24] = {0, 1, -1, 99999};

enum { OBJECTS = sizeof objects / sizeof *objects, VALUES = sizeof values / sizeof *values };

static void silent(void *user, const divanMessage *m)
{
  (void)user;
  if (!m->text || !*m->text) abort();
}

static const char *field_of(dvContext *c, const char *component, size_t index)
{
  size_t count = 0;
  while (divan_field(c, component, count)) count++;
  return count ? divan_field(c, component, index % count) : "name";
}

static void call(dvContext *c, dvScene *s, const uint8_t *b)
{
  const char *path = objects[b[1] % OBJECTS].path, *field = field_of(c, objects[b[1] % OBJECTS].component, b[2]);
  size_t count;
  switch (b[0] % 7) {
  case 0:
    divan_set(s, path, field, values[b[3] % VALUES]);
    break;
  case 1:
    divan_set_reals(s, path, field, numbers, b[3] % 24);
    break;
  case 2:
    divan_set_ints(s, path, field, whole, b[3] % 24);
    break;
  case 3:
    divan_free(divan_get(s, path, field));
    break;
  case 4: {
    double *x = divan_write(s, path, field, &count);
    if (x && count) x[b[3] % count] = numbers[b[3] % 7];
    divan_written(s, path, field);
    break;
  }
  case 5:
    divan_reset(s);
    break;
  default:
    divan_step(s, 0);
    break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  dvContext *c = divan_create(1);
  divan_listen(c, silent, NULL);
  dvScene *s = divan_parse(c, scene_text, strlen(scene_text));
  if (!s || divan_init(s) != 0) abort();
  for (size_t i = 0; i + 4 <= length && i < 4 * 40; i += 4) call(c, s, bytes + i);
  divan_step(s, 0);
  divan_close(&s);
  divan_destroy(&c);
  return 0;
}
