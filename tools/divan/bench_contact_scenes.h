// Scenes of `divan bench constraint`.
#ifndef DIVAN_BENCH_CONTACT_SCENES_H
#define DIVAN_BENCH_CONTACT_SCENES_H

#include "bench_linear.h"

json_t *bench_contact_scenes(const Bench *b);   // figures with their aims

#endif
