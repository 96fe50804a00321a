// The beat of a left ventricle in steps of 10 ms that `divan bench heart` measures and `divan validate heart-steps`
// looks at: as scenes/heart/beat.scn, without the projection of the volume.
#ifndef DIVAN_HEART_BEAT_H
#define DIVAN_HEART_BEAT_H

typedef struct HeartBeat {
  double spacing;   // of the points
  int layers;       // of elements
  double dt;
  double gradients, newton;   // tolerances
  int iterations;             // of Newton's method, at most
} HeartBeat;

// What both take for the rest: tolerances of a quarter cost 0.2 % of the volume (docs/heart.md).
#define HEART_BEAT(spacing, layers)       \
  {                                       \
    spacing, layers, 0.01, 0.25, 0.25, 12 \
  }

// The scene; the state "Heart/u", the chamber "Heart/left". The caller frees it.
char *heart_beat_scene(const HeartBeat *b);

#endif
