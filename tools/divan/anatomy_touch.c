// divan anatomy: organs that touch, overlap or lie in each other.
//
// Where the voxels of two organs meet, both surfaces are drawn back by half of a gap. Smoothing bends the rim of where
// they meet, so that surfaces may still cross there: points that are nearer than half of the gap to being inside of the
// other one go back by as much again, a few times.
#include "anatomy.h"

#include "topology/search/rays.h"

#include <math.h>
#include <stdio.h>

enum { SEPARATIONS = 6 };

// the label at a place; 0 outside of the image
static int32_t label_at(const dvVoxels *image, double unit, dvVec3 x)
{
  dvVec3 away = dv_vec3_sub(dv_vec3_scale(x, 1 / unit), dv_vec3_load(image->origin)),
         local = dv_mat3_t_mul_vec(dv_mat3_load(image->turn), away);
  const double at[3] = {local.x / image->size[0], local.y / image->size[1], local.z / image->size[2]};
  for (int k = 0; k < 3; k++)
    if (!(at[k] >= 0 && at[k] < image->n[k])) return 0;
  return (int32_t)
      image->values.data[(size_t)at[0] + (size_t)image->n[0] * ((size_t)at[1] + (size_t)image->n[1] * (size_t)at[2])];
}

// Where another organ begins right behind the surface it is drawn back by half of the gap.
static size_t leave_gap(const Maker *w, Thing *t)
{
  size_t points = t->skin.x.count / 3, touching = 0;
  double *normal = dv_alloc(t->skin.x.count * sizeof *normal + 8);
  double voxel = w->unit * fmax(w->image->size[0], fmax(w->image->size[1], w->image->size[2]));
  dv_skin_normals(&t->skin, normal);
  for (size_t i = 0; i < points; i++) {
    dvVec3 x = dv_vec3_load(t->skin.x.data + 3 * i), n = dv_vec3_load(normal + 3 * i);
    int32_t there = label_at(w->image, w->unit, dv_vec3_add_scaled(x, n, voxel));
    bool other = false;
    for (size_t k = 0; k < w->p->count; k++) {
      const Thing *o = &w->p->things[k];
      other |= o->label == there && !o->is_vessel && o != t && !is_part_of(o, t);
    }
    if (!other) continue;
    touching++;
    dv_vec3_store(t->skin.x.data + 3 * i, dv_vec3_add_scaled(x, n, -t->gap / 2));
  }
  dv_free(normal);
  return touching;
}

// --- which points lie inside ---------------------------------------------------------------------

// A surface that rays are sent through.
typedef struct Solid {
  dvRayMesh rays;
  dvBox box;
  dvHits scratch;
  dvRayHits hits;
} Solid;

static bool solid_init(Solid *s, const dvSkin *skin)
{
  *s = (Solid){.box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
  for (size_t i = 0; i < skin->x.count; i++) {
    s->box.low[i % 3] = fmin(s->box.low[i % 3], skin->x.data[i]);
    s->box.high[i % 3] = fmax(s->box.high[i % 3], skin->x.data[i]);
  }
  return dv_ray_mesh_init(&s->rays, skin->x.data, skin->triangles.data, skin->triangles.count / 3);
}

static void solid_fini(Solid *s)
{
  dv_array_free(&s->hits);
  dv_array_free(&s->scratch);
  dv_ray_mesh_fini(&s->rays);
}

// a ray from there leaves it an odd number of times
static bool has(Solid *s, const double x[3])
{
  for (int k = 0; k < 3; k++)
    if (!(x[k] >= s->box.low[k] && x[k] <= s->box.high[k])) return false;
  dv_ray_mesh_trace(&s->rays, x, (const double[3]){0.8017, 0.5345, 0.2673}, &s->scratch, &s->hits);
  return s->hits.count % 2;
}

static size_t count_inside(const Thing *a, Solid *b)
{
  size_t inside = 0;
  for (size_t i = 0; i < a->skin.x.count; i += 3) inside += has(b, a->skin.x.data + i);
  return inside;
}

// --- gaps ----------------------------------------------------------------------------------------

static bool boxes_meet(const Thing *t, const Solid *s)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < t->skin.x.count; i++)
    low[i % 3] = fmin(low[i % 3], t->skin.x.data[i]), high[i % 3] = fmax(high[i % 3], t->skin.x.data[i]);
  bool meet = true;
  for (int k = 0; k < 3; k++) meet &= low[k] - t->gap <= s->box.high[k] && s->box.low[k] <= high[k] + t->gap;
  return meet;
}

// points of a surface that are too near to the inside of another go back; returns how many
static size_t draw_back(Thing *t, Solid *other)
{
  const size_t points = t->skin.x.count / 3;
  if (!boxes_meet(t, other) || 3 * count_inside(t, other) > points) return 0;   // it lies in it: that is told
  double *normal = dv_alloc(t->skin.x.count * sizeof *normal + 8);
  size_t moved = 0;
  dv_skin_normals(&t->skin, normal);
  for (size_t i = 0; i < t->skin.x.count; i += 3) {
    dvVec3 x = dv_vec3_load(t->skin.x.data + i), n = dv_vec3_load(normal + i);
    double ahead[3];
    dv_vec3_store(ahead, dv_vec3_add_scaled(x, n, 0.45 * t->gap));
    if (!has(other, t->skin.x.data + i) && !has(other, ahead)) continue;
    dv_vec3_store(t->skin.x.data + i, dv_vec3_add_scaled(x, n, -t->gap / 2));
    moved++;
  }
  dv_free(normal);
  return moved;
}

static void separate(const Maker *w)
{
  Thing *t = w->p->things;
  size_t moved = 1;
  for (int turn = 0; turn < SEPARATIONS && moved; turn++) {
    moved = 0;
    for (size_t j = 0; j < w->p->count; j++) {
      Solid solid;
      if (!is_organ(&t[j]) || !solid_init(&solid, &t[j].skin)) continue;
      for (size_t i = 0; i < w->p->count; i++)
        if (i != j && is_organ(&t[i]) && t[i].gap > 0) moved += draw_back(&t[i], &solid);
      solid_fini(&solid);
    }
  }
}

int leave_gaps(Maker *w)
{
  size_t all = 0;
  for (size_t i = 0; i < w->p->count; i++) {
    Thing *t = &w->p->things[i];
    if (!is_organ(t)) continue;
    t->gap = w->o->gap >= 0 ? w->o->gap : 0.1 * t->cell;
    if (t->gap > t->cell) {
      char text[120];
      dv_snprintf(text, sizeof text, "--gap %g, in m, is more than its cells of %.3g: take a tenth of that", t->gap,
                  t->cell);
      return thing_failed(t, text);
    }
    size_t touching = leave_gap(w, t);
    if (touching)
      printf("  %s: touches others at %zu of %zu points; a gap of %.3g mm is left\n", t->name, touching,
             t->skin.x.count / 3, t->gap * 1e3);
    w->p->gap = w->p->gap > 0 ? fmin(w->p->gap, t->gap) : t->gap;
    all += touching;
  }
  if (all) separate(w);
  return 0;
}

// --- overlaps ------------------------------------------------------------------------------------

// edges of a surface that go through triangles of another; where they only touch they do not
static size_t edges_through(const Thing *a, Solid *b)
{
  size_t through = 0;
  const int32_t *t = a->skin.triangles.data;
  for (size_t i = 0; i < a->skin.triangles.count; i++) {
    int32_t from = t[i], to = t[i % 3 == 2 ? i - 2 : i + 1];
    if (from > to) continue;   // the triangle on its other side has it too
    dvVec3 p = dv_vec3_load(a->skin.x.data + 3 * (size_t)from), q = dv_vec3_load(a->skin.x.data + 3 * (size_t)to);
    double origin[3], way[3];
    dv_vec3_store(origin, p), dv_vec3_store(way, dv_vec3_sub(q, p));
    dv_ray_mesh_trace(&b->rays, origin, way, &b->scratch, &b->hits);
    bool meets = false;
    for (size_t k = 0; k < b->hits.count; k++) meets |= b->hits.data[k].t > 1e-9 && b->hits.data[k].t < 1 - 1e-9;
    through += meets;
  }
  return through;
}

// Bodies that cross may have no point inside of each other. `smoothed`: those of an image, whose edges smoothing may
// draw over each other a little where two meet. True, without a word, when most of one lies in the other.
static bool tell_overlap(const Thing *a, const Thing *b, Solid *solid, bool smoothed)
{
  const size_t points = a->skin.x.count / 3, inside = boxes_meet(a, solid) ? count_inside(a, solid) : 0;
  if (2 * inside > points && !(b->bone > 0)) return true;
  if (inside > (smoothed ? points / 50 : 0))
    thing_warn(a, "it overlaps %s: %zu of its %zu points lie inside. Contacts will push them apart at the start",
               b->name, inside, points);
  size_t through = inside || smoothed || !boxes_meet(a, solid) ? 0 : edges_through(a, solid);
  if (through)
    thing_warn(a, "it overlaps %s: %zu of its edges go through that. Contacts will push them apart at the start",
               b->name, through);
  return false;
}

void tell_overlaps(const Maker *w)
{
  const Thing *t = w->p->things, *around[MOST_THINGS] = {0};   // the largest in which each one lies
  for (size_t j = 0; j < w->p->count; j++) {
    Solid solid;
    if (!is_organ(&t[j]) || !solid_init(&solid, &t[j].skin)) continue;
    for (size_t i = 0; i < w->p->count; i++)
      if (i != j && is_organ(&t[i]) && tell_overlap(&t[i], &t[j], &solid, w->image) &&
          (!around[i] || around[i]->volume < t[j].volume))
        around[i] = &t[j];
    solid_fini(&solid);
  }
  for (size_t i = 0; i < w->p->count; i++)
    if (around[i])
      thing_warn(&t[i],
                 "it lies inside of %s, or most of it: contacts will push it out, slowly. A tumour or a cyst is a part "
                 "of an organ: %d=%s:part=%s",
                 around[i]->name, t[i].label, t[i].name, around[i]->name);
}
