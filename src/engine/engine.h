// What engines share: numbered inputs, values whose width the scene decides, lists that grow, checks of indices.
#ifndef DV_ENGINE_ENGINE_H
#define DV_ENGINE_ENGINE_H

#include "scene/node.h"
#include "topology/topology.h"

DV_PUBLIC_BEGIN

#define DV_SELECT_MODULE "Sofa.Component.Engine.Select"
#define DV_GENERATE_MODULE "Sofa.Component.Engine.Generate"
#define DV_TRANSFORM_MODULE "Sofa.Component.Engine.Transform"
#define DV_ANALYZE_MODULE "Sofa.Component.Engine.Analyze"

// Adds input1, input2 … for each of `likes`: as many as `count` says when it was given, else as many as the attributes
// name, at least as many as its default. `count` is a member that then holds the number. For the hook `parse`.
dvStatus dv_engine_add_inputs(dvObject *o, const dvAttributes *a, const dvFieldBlock *likes, int32_t *count);
// The value of a numbered field (dvReals or dvInts).
void *dv_engine_numbered(const dvObject *o, const char *name, int number);

// Numbers that belong together in a field of flat numbers: what the linked field has, else what the template says
// (Vec3d: 3, RigidCoord3d: 7 …), else 1.
int dv_engine_width(const dvObject *o, const void *member);
// Gives an output of flat numbers a width; those who link to it see it.
void dv_engine_set_width(const dvObject *o, dvReals *member, int width);

bool dv_engine_add_ints(dvInts *list, const int32_t *values, size_t count);
bool dv_engine_add_reals(dvReals *list, const double *values, size_t count);
dvStatus dv_engine_no_memory(const dvObject *o);

// Makes an input follow a field of another component, unless the scene gave it.
void dv_engine_follow(dvObject *o, const void *member, dvObject *source, const char *name);
// The first index that is not below `count` is an error that points at the field.
dvStatus dv_engine_check(const dvObject *o, const dvInts *member, size_t count, const char *what);
// The same for a field that need not be a member.
dvStatus dv_engine_check_field(const dvObject *o, const dvField *f, size_t count, const char *what);

// A warning when a surface that should be closed is not; either list may be NULL. Indices must be right.
void dv_engine_warn_open(const dvObject *o, const dvInts *triangles, const dvInts *quads);

#define DV_ENGINE_CLASS(variable, name_, help_, module_, dofs_, type, ...) \
  const dvClass variable = {.struct_size = sizeof(dvClass),                \
                            .name = name_,                                 \
                            .help = help_,                                 \
                            .module = module_,                             \
                            .dofs = dofs_,                                 \
                            .roles = DV_PLAYS(DV_ROLE_ENGINE),             \
                            .size = sizeof(type),                          \
                            __VA_ARGS__}

DV_PUBLIC_END

#endif
