// Trees of vessels made by rule. See vessels.h.
//
// A branch of radius r divides into two of radii a and b with r^3 = a^3 + b^3 (C. D. Murray, The physiological
// principle of minimum work, 1926), which leave its plane of before by a random angle. A branch is a cubic curve; it is
// tried again with other numbers when it leaves the organ or comes near to another one, and left out when that does not
// help, together with its twin: branches end or divide in two, so that the graph is what was meant.
#include "anatomy/vessels.h"

#include <math.h>

enum { TRIES = 60, SAMPLES = 16 };

typedef struct Grower {
  const dvGrowth *g;
  dvRandom random;
  dvVessels *v;
  DV_ARRAY(int) generation;   // of each branch
  DV_ARRAY(dvVec3) plane;     // normal of the plane in which it will divide
} Grower;

static dvVesselPiece draw(Grower *w, dvVesselPoint from, dvVec3 direction, double length, double radius)
{
  dvVec3 aside = fabs(direction.x) < 0.7 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
  dvVec3 u = dv_vec3_normalise(dv_vec3_cross(direction, aside)), v = dv_vec3_cross(direction, u);
  double angle = dv_random(&w->random, 0, 2 * M_PI), bend = w->g->bend * length;
  dvVec3 side = dv_vec3_add(dv_vec3_scale(u, bend * cos(angle)), dv_vec3_scale(v, bend * sin(angle)));
  dvVesselPiece p;
  for (int k = 0; k < 4; k++) {
    p.c[k].x = dv_vec3_add_scaled(from.x, direction, length * k / 3);
    if (k == 2) p.c[k].x = dv_vec3_add(p.c[k].x, side);
    p.c[k].radius = radius;
  }
  return p;
}

// no nearer to pieces of other branches than twice the sum of radii; what it springs from does not count
static bool is_clear(const dvVessels *v, const dvVesselPiece *p, int32_t parent)
{
  for (size_t b = 0; b < v->branches.count; b++) {
    if ((int32_t)b == parent) continue;
    for (int32_t q = 0; q < v->branches.data[b].pieces; q++)
      for (int i = 0; i <= SAMPLES; i++)
        for (int j = 0; j <= SAMPLES; j++) {
          dvVesselPoint x = dv_vessel_piece_at(p, (double)i / SAMPLES);
          dvVesselPoint y =
              dv_vessel_piece_at(&v->pieces.data[v->branches.data[b].first_piece + q], (double)j / SAMPLES);
          if (dv_vec3_norm(dv_vec3_sub(x.x, y.x)) < 2 * (x.radius + y.radius)) return false;
        }
  }
  return true;
}

// two that spring from one point part, and stay apart
static bool part(const dvVesselPiece *p, const dvVesselPiece *q)
{
  for (int i = 0; i <= SAMPLES; i++)
    for (int j = 0; j <= SAMPLES; j++) {
      dvVesselPoint x = dv_vessel_piece_at(p, (double)i / SAMPLES), y = dv_vessel_piece_at(q, (double)j / SAMPLES);
      double way = fmax(dv_vec3_norm(dv_vec3_sub(x.x, p->c[0].x)), dv_vec3_norm(dv_vec3_sub(y.x, q->c[0].x)));
      if (dv_vec3_norm(dv_vec3_sub(x.x, y.x)) < fmin(2 * (x.radius + y.radius), 0.7 * way)) return false;
    }
  return true;
}

static bool fits(const Grower *w, const dvVesselPiece *p, int32_t parent)
{
  for (int i = 0; i <= SAMPLES && w->g->inside; i++) {
    dvVesselPoint x = dv_vessel_piece_at(p, (double)i / SAMPLES);
    if (i > 2 && w->g->inside(w->g->user, x.x) < 2 * x.radius) return false;
  }
  return is_clear(w->v, p, parent) && (!w->g->others || is_clear(w->g->others, p, -1));
}

static int32_t add_branch(Grower *w, const dvVesselPiece *p, int32_t parent, int32_t from, int generation, dvVec3 plane)
{
  dvVessels *v = w->v;
  dvVesselBranch b = {.from = from,
                      .to = (int32_t)v->nodes.count,
                      .parent = parent,
                      .first = (int32_t)v->points.count,
                      .count = SAMPLES + 1,
                      .first_piece = (int32_t)v->pieces.count,
                      .pieces = 1};
  for (int i = 0; i <= SAMPLES; i++) {
    dvVesselPoint x = dv_vessel_piece_at(p, (double)i / SAMPLES);
    b.radius += x.radius / (SAMPLES + 1);
    if (i) b.length += dv_vec3_norm(dv_vec3_sub(x.x, v->points.data[v->points.count - 1].x));
    dv_push(&v->points, x);
  }
  dv_push(&v->nodes, ((dvVesselNode){p->c[3].x, p->c[3].radius, 1}));
  v->nodes.data[from].degree++;
  dv_push(&v->pieces, *p);
  dv_push(&v->branches, b);
  dv_push(&w->generation, generation);
  dv_push(&w->plane, plane);
  return (int32_t)v->branches.count - 1;
}

// two branches at the end of one, or none
static void divide(Grower *w, int32_t parent)
{
  const dvVesselBranch up = w->v->branches.data[parent];
  const dvVesselPiece trunk = w->v->pieces.data[up.first_piece];
  dvVesselPoint from = trunk.c[3];
  dvVec3 along = dv_vec3_normalise(dv_vessel_piece_slope(&trunk, 1)), before = w->plane.data[parent];
  for (int n = 0; n < TRIES; n++) {
    double share = dv_random(&w->random, 0.35, 0.65), cube = from.radius * from.radius * from.radius;
    double radius[2] = {cbrt(share * cube), cbrt((1 - share) * cube)};
    if (fmin(radius[0], radius[1]) < w->g->thinnest) continue;
    double twist = dv_random(&w->random, M_PI / 3, 2 * M_PI / 3);
    dvVec3 plane = dv_quat_rotate(dv_quat_from_axis(along, twist), before);
    dvVesselPiece p[2];
    bool good = true;
    for (int k = 0; k < 2 && good; k++) {
      double angle = dv_random(&w->random, 0.5, 0.85) * (k ? -1 : 1);
      double length = dv_random(&w->random, 7, 11) * radius[k];
      dvVec3 direction = dv_quat_rotate(dv_quat_from_axis(plane, angle), along);
      p[k] = draw(w, from, direction, length, radius[k]);
      good = fits(w, &p[k], parent);
    }
    if (!good || (w->g->apart && !part(&p[0], &p[1]))) continue;
    for (int k = 0; k < 2; k++) add_branch(w, &p[k], parent, up.to, w->generation.data[parent] + 1, plane);
    return;
  }
}

void dv_vessels_grow(dvVessels *v, const dvGrowth *g)
{
  *v = (dvVessels){.roots = 1};
  Grower w = {.g = g, .random = dv_random_start(g->seed), .v = v};
  dvVec3 along = dv_vec3_normalise(g->direction), aside = fabs(along.x) < 0.7 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
  dv_push(&v->nodes, ((dvVesselNode){g->root, g->radius, 0}));
  dvVesselPiece trunk = draw(&w, (dvVesselPoint){g->root, g->radius}, along, g->length, g->radius);
  add_branch(&w, &trunk, -1, 0, 0, dv_vec3_normalise(dv_vec3_cross(along, aside)));
  for (size_t i = 0; i < v->branches.count; i++)
    if (w.generation.data[i] < g->generations) divide(&w, (int32_t)i);
  dv_array_free(&w.generation);
  dv_array_free(&w.plane);
}

void dv_vessels_paint(const dvVessels *v, const dvVoxelLayout *l, uint8_t label, uint8_t *values)
{
  double finest = fmin(l->size[0], fmin(l->size[1], l->size[2]));
  for (size_t b = 0; b < v->branches.count; b++)
    for (int32_t q = 0; q < v->branches.data[b].pieces; q++) {
      const dvVesselPiece *p = &v->pieces.data[v->branches.data[b].first_piece + q];
      int steps = (int)(8 * v->branches.data[b].length / finest) + 1;
      for (int i = 0; i <= steps; i++) {
        dvVesselPoint x = dv_vessel_piece_at(p, (double)i / steps);
        const double at[3] = {x.x.x, x.x.y, x.x.z};
        int32_t low[3], high[3], c[3];
        for (int k = 0; k < 3; k++) {
          low[k] = dv_max_int((int32_t)floor((at[k] - x.radius - l->origin[k]) / l->size[k]), 0);
          high[k] = dv_min_int((int32_t)floor((at[k] + x.radius - l->origin[k]) / l->size[k]), l->n[k] - 1);
        }
        for (c[2] = low[2]; c[2] <= high[2]; c[2]++)
          for (c[1] = low[1]; c[1] <= high[1]; c[1]++)
            for (c[0] = low[0]; c[0] <= high[0]; c[0]++) {
              double d2 = 0;
              for (int k = 0; k < 3; k++) {
                double away = l->origin[k] + (c[k] + 0.5) * l->size[k] - at[k];
                d2 += away * away;
              }
              if (d2 > x.radius * x.radius) continue;
              values[(size_t)c[0] + (size_t)l->n[0] * ((size_t)c[1] + (size_t)l->n[1] * (size_t)c[2])] = label;
            }
      }
    }
}
