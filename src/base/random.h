// Repeatable random numbers: the 48-bit congruential generator of POSIX (drand48), of which the upper 32 bits are used.
// With the same seed it gives the numbers that SOFA gets.
#ifndef DV_BASE_RANDOM_H
#define DV_BASE_RANDOM_H

#include <stdint.h>

typedef struct dvRandom {
  uint64_t state;
} dvRandom;

static inline dvRandom dv_random_start(uint32_t seed) { return (dvRandom){(uint64_t)seed << 16 | 0x330e}; }
// What the generator starts from when nobody gives a seed.
enum { DV_RANDOM_SEED = 0x1234abcd };

// A number between low and high.
static inline double dv_random(dvRandom *r, double low, double high)
{
  r->state = (r->state * 0x5deece66dULL + 0xb) & 0xffffffffffffULL;
  return low + (high - low) * ((double)(r->state >> 16) / 4294967295.0);
}

#endif
