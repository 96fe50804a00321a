// What a scene remembers: the memory of all its components (object/memory.h), the time and the number of steps.
//
// A memory can be put back into the scene it came from, or into another one that was read from the same file:
// everything goes on from there as it did before. Saving changes nothing. Topologies stand first, since the sizes of
// states follow them; then nodes and components in the order of the graph.
#ifndef DV_SCENE_REMEMBER_H
#define DV_SCENE_REMEMBER_H

#include "scene/node.h"

// Fills an empty memory, whose flags say how.
void dv_scene_save(dvScene *scene, dvSnapshot *m);
// Adds objects to a memory that stays with its scene: those that have come since it was filled.
void dv_scene_save_more(dvSnapshot *m, dvObject *const *objects, size_t count);
// Puts a memory back. When it does not fit, DV_ERROR_INPUT with the reason in `why`, and the scene stays as it was.
dvStatus dv_scene_restore(dvScene *scene, dvSnapshot *m, dvText *why);
// Makes meshes that have changed what they were before, with the states at their start; the rest of the memory is to be
// put back next.
void dv_scene_rewind(dvScene *scene);
// Puts back what was remembered when the scene was initialised, meshes first.
void dv_scene_restart(dvScene *scene);
// Continues a hash with everything that is remembered.
uint64_t dv_scene_hash_memory(dvScene *scene, uint64_t seed);

#endif
