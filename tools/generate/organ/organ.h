// What the parts of generate_organ share.
#ifndef DV_GENERATE_ORGAN_H
#define DV_GENERATE_ORGAN_H

#include "base/array.h"

#include <math.h>

typedef struct Vec3 {
  double x[3];
} Vec3;

typedef struct Tetra {
  int v[4];
} Tetra;

typedef struct Triangle {
  int v[3];
} Triangle;

typedef DV_ARRAY(Vec3) Points;
typedef DV_ARRAY(Tetra) Tetras;
typedef DV_ARRAY(Triangle) Triangles;
typedef DV_ARRAY(int) Ints;

typedef struct Volume {
  Points points;
  Tetras tetras;
} Volume;

typedef struct Surface {
  Points points;
  Triangles triangles;
} Surface;

typedef struct Sphere {
  Vec3 centre;
  double radius;
} Sphere;

typedef DV_ARRAY(Sphere) Spheres;

static inline Vec3 vec(double x, double y, double z) { return (Vec3){{x, y, z}}; }
static inline Vec3 add(Vec3 a, Vec3 b) { return vec(a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]); }
static inline Vec3 sub(Vec3 a, Vec3 b) { return vec(a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]); }
static inline Vec3 scale(Vec3 a, double s) { return vec(a.x[0] * s, a.x[1] * s, a.x[2] * s); }
static inline double dot(Vec3 a, Vec3 b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static inline double norm(Vec3 a) { return sqrt(dot(a, a)); }
static inline Vec3 cross(Vec3 a, Vec3 b)
{
  return vec(a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]);
}

// --- field.c ---

extern const double organ_low[3], organ_high[3];   // a box around it
double organ_field(Vec3 p);                        // negative inside, about a distance near the surface
Vec3 organ_gradient(Vec3 p);
Vec3 organ_project(Vec3 p);   // nearest point of the surface

// --- tetrahedra.c ---

// Fills the organ with tetrahedra of a lattice, of which one cell is so wide, in metres.
void volume_fill(Volume *volume, double cell);
// Lifts the worst dihedral angles.
void volume_improve(Volume *volume, double cell);
void volume_free(Volume *volume);
double six_volumes(const Vec3 *p, Tetra t);
// Least and greatest dihedral angle in degrees; (0, 180) for an inverted tetrahedron.
void dihedral_range(const Vec3 *p, Tetra t, double *least, double *greatest);

// --- surface.c ---

void find_boundary(const Volume *volume, Triangles *out);   // faces of one tetrahedron only, outward
void surface_of(const Volume *volume, Surface *out);
// Points move towards the middle of their neighbours and back onto the surface.
void surface_even_out(Surface *surface, int passes);
void surface_free(Surface *surface);
// The largest spheres that fit inside, from `smallest` to `greatest`, one after the other; their centres are so far
// apart in a grid.
void surface_pack_spheres(const Surface *surface, double spacing, double smallest, double greatest, Spheres *out);

#endif
