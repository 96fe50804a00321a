// divan anatomy: surfaces of organs and of their parts, from voxels by marching cubes or as they are given.
//
// A part's voxels are also the organ's, wherever they lie, and so are those of vessels in both. Of a part counts what
// hangs together with the organ.
#include "anatomy.h"

#include "anatomy/parts.h"
#include "topology/search/rays.h"

#include <math.h>

enum { SURFACE_CELLS = 48, PART_CELLS = 32, SMOOTHING = 20 };

// --- masks ---------------------------------------------------------------------------------------

// vessels that lie in the organ
static bool add_vessels(const Maker *w, const Thing *organ, dvMask *m)
{
  bool good = true;
  for (size_t i = 0; i < w->p->count && good; i++) {
    const Thing *v = &w->p->things[i];
    if (v->is_vessel && lies_in(v, organ)) good = dv_mask_add_enclosed(m, w->image, v->label);
  }
  return good;
}

// a label that is named nowhere in what was filled is a tumour, or vessels, that somebody has forgotten
static void tell_filled(const Maker *w, const Thing *t, size_t filled)
{
  int32_t labels[MOST_THINGS + 1];
  size_t counts[MOST_THINGS + 1],
      best = 0, count = dv_min_size(dv_labels_list(w->image, labels, MOST_THINGS + 1), MOST_THINGS + 1), kept = 0;
  for (size_t i = 0; i < count; i++) {
    bool named = false;
    for (size_t k = 0; k < w->p->count; k++) named |= w->p->things[k].label == labels[i];
    if (!named) labels[kept++] = labels[i];
  }
  dv_mask_count_labels(&t->mask, w->image, labels, kept, counts);
  for (size_t i = 1; i < kept; i++)
    if (counts[i] > counts[best]) best = i;
  if (kept && counts[best])
    thing_warn(t,
               "%zu voxels in hollows are filled, %zu of them with label %d, which is not named: %d=NAME:part=%s or "
               "%d=NAME:vessel=%s makes it one of its own",
               filled, counts[best], labels[best], labels[best], t->name, labels[best], t->name);
  else thing_warn(t, "%zu voxels in hollows are filled", filled);
}

static int mask_of_organ(Maker *w, Thing *t)
{
  dvMeshError error = {0};
  dvMask *m = &t->mask;
  int32_t labels[MOST_THINGS + 1] = {t->label};
  size_t count = 1, parts, dropped, filled;
  for (size_t i = 0; i < w->p->count; i++)
    if (is_part_of(&w->p->things[i], t)) labels[count++] = w->p->things[i].label;
  if (dv_mask_of_labels(m, w->image, w->unit, labels, count, 1, &error) != DV_OK) return thing_failed(t, error.text);
  if (!add_vessels(w, t, m) || !dv_mask_keep_parts(m, false, t->bone > 0 ? 0.02 : 1, &parts, &dropped) ||
      !dv_mask_fill_hollows(m, &filled))
    return thing_failed(t, "out of memory");
  if (parts > 1 && !(t->bone > 0))
    thing_warn(t, "label %d has %zu parts: the largest is taken, %zu voxels are left out", t->label, parts, dropped);
  if (filled) tell_filled(w, t, filled);
  if (m->touches_edge) thing_warn(t, "it touches the edge of the image: it is cut off there, and closed flat");
  return 0;
}

// A hollow of a part is the part's, but for what is named something else.
static int mask_of_part(Maker *w, Thing *t, const Thing *organ)
{
  dvMeshError error = {0};
  size_t filled, all;
  if (dv_mask_of_label(&t->mask, w->image, w->unit, t->label, 1, &error) != DV_OK) return thing_failed(t, error.text);
  all = t->mask.count;
  size_t apart = dv_mask_keep_common(&t->mask, &organ->mask);
  if (!t->mask.count) {
    char text[160];
    dv_snprintf(text, sizeof text, "none of it hangs together with %s: leave part= out, and it is an organ of its own",
                organ->name);
    return thing_failed(t, text);
  }
  if (apart)
    thing_warn(t, "%zu of its %zu voxels do not hang together with %s and are left out", apart, all, organ->name);
  if (!add_vessels(w, organ, &t->mask) || !dv_mask_fill_hollows(&t->mask, &filled))
    return thing_failed(t, "out of memory");
  for (size_t i = 0; i < w->p->count; i++)
    if (&w->p->things[i] != t && !w->p->things[i].is_vessel)
      dv_mask_take_away(&t->mask, w->image, w->p->things[i].label);
  return 0;
}

int mask_of_input(const Maker *w, const Thing *t, dvMask *m)
{
  dvMesh *s = &w->surfaces[t->label - 1];
  dvMeshError error = {0};
  if (dv_surface_open_edges(s->triangles.data, s->triangles.count / 3, NULL, 0, NULL))
    return thing_failed(t, "the surface is open: close it in a mesh program");
  double voxel = w->o->detail > 0 ? w->o->detail / w->unit : longest_side(s->positions.data, s->positions.count) / 200;
  if (dv_mask_of_surface(m, s, voxel, 1, &error) != DV_OK) return thing_failed(t, error.text);
  for (int k = 0; k < 3; k++) m->size[k] *= w->unit;
  m->origin = dv_vec3_scale(m->origin, w->unit);
  return 0;
}

// --- surfaces ------------------------------------------------------------------------------------

bool skin_around(dvSkin *s, const dvMask *m, double wanted, int smoothing)
{
  dvMask thin;
  bool divided = dv_mask_divide_slices(m, &thin);
  const dvMask *from = divided ? &thin : m;
  int cell[3];
  for (int k = 0; k < 3; k++) cell[k] = dv_max_int(1, (int)lround(fmin(wanted / from->size[k], from->n[k])));
  bool good = dv_skin_of_mask(s, from, cell, smoothing);
  if (divided) {
    good = good && dv_skin_smooth(s, 0, dv_mask_volume(m));   // that of the voxels as they are
    dv_mask_free(&thin);
  }
  return good;
}

static int skin_of_mask(Thing *t, double wanted)
{
  if (!skin_around(&t->skin, &t->mask, wanted, SMOOTHING)) return thing_failed(t, "out of memory");
  if (!t->skin.triangles.count)
    return thing_failed(t, "it is smaller than the triangles of its surface: give a smaller --detail");
  return 0;
}

static double longest_of(const dvMask *m)
{
  return fmax(m->n[0] * m->size[0], fmax(m->n[1] * m->size[1], m->n[2] * m->size[2]));
}

// How thick it is, as if it were a rod: four volumes over its surface, which faces of voxels make larger by a quarter.
static double thickness_of(const dvMask *m)
{
  const size_t stride[3] = {1, (size_t)m->n[0], (size_t)m->n[0] * (size_t)m->n[1]};
  double area = 0, voxel = m->size[0] * m->size[1] * m->size[2];
  for (size_t v = 0; v < dv_mask_voxels(m); v++)   // an empty layer is around them
    for (int k = 0; m->inside[v] && k < 3; k++)
      area += (!m->inside[v - stride[k]] + !m->inside[v + stride[k]]) * voxel / m->size[k];
  return 5 * dv_mask_volume(m) / area;
}

// finer where all of it is thin, as ribs are
static double surface_cell(const Maker *w, const Thing *organ)
{
  double cell = longest_of(&organ->mask) / SURFACE_CELLS;
  return w->o->detail > 0 ? w->o->detail : fmin(cell, fmax(cell / 4, thickness_of(&organ->mask) / 4));
}

// A surface of several pieces is several bodies, unless they are hollows, which look inwards. How many there are; 1
// when memory is short.
static int32_t count_bodies(const dvSkin *s)
{
  const dvInts triangles = {.data = s->triangles.data, .count = s->triangles.count};
  int32_t *part = dv_try_alloc(triangles.count / 3 * sizeof *part + 1), bodies = 0;
  int32_t parts = part ? dv_mesh_parts(&triangles, 3, s->x.count / 3, part) : -1;
  double *six = parts > 0 ? dv_try_alloc((size_t)parts * sizeof *six) : NULL;
  for (size_t i = 0; six && i < triangles.count; i += 3) {
    const int32_t *c = triangles.data + i;
    six[part[i / 3]] +=
        dv_vec3_dot(dv_vec3_load(s->x.data + 3 * c[0]),
                    dv_vec3_cross(dv_vec3_load(s->x.data + 3 * c[1]), dv_vec3_load(s->x.data + 3 * c[2])));
  }
  for (int32_t p = 0; six && p < parts; p++) bodies += six[p] > 0;
  dv_free(six);
  dv_free(part);
  return dv_max_int(bodies, 1);
}

static int skin_from_surface(Maker *w, Thing *t)
{
  const dvMesh *s = &w->surfaces[t->label - 1];
  int32_t open[2];
  size_t edges = dv_surface_open_edges(s->triangles.data, s->triangles.count / 3, NULL, 0, open);
  if (edges) {
    char text[160];
    dv_snprintf(text, sizeof text,
                "the surface is open or turned inside out in parts: %zu edges, the first between points "
                "%d and %d. Close it in a mesh program",
                edges, open[0], open[1]);
    return thing_failed(t, text);
  }
  if (!dv_try_reserve(&t->skin.x, s->positions.count) || !dv_try_reserve(&t->skin.triangles, s->triangles.count))
    return thing_failed(t, "out of memory");
  for (size_t i = 0; i < s->positions.count; i++) dv_push(&t->skin.x, w->unit * s->positions.data[i]);
  for (size_t i = 0; i < s->triangles.count; i++) dv_push(&t->skin.triangles, s->triangles.data[i]);
  double volume = dv_skin_volume(&t->skin);
  for (size_t i = 0; volume < 0 && i + 3 <= t->skin.triangles.count; i += 3) {
    int32_t keep = t->skin.triangles.data[i + 1];
    t->skin.triangles.data[i + 1] = t->skin.triangles.data[i + 2];
    t->skin.triangles.data[i + 2] = keep;
  }
  if (volume < 0) thing_warn(t, "the surface looks inwards: it is turned around");
  int32_t bodies = is_organ(t) && !(t->bone > 0) ? count_bodies(&t->skin) : 1;
  if (bodies > 1)
    thing_warn(t, "its surface has %d pieces, which nothing holds together: give each a file of its own", bodies);
  return volume == 0 ? thing_failed(t, "the surface has no volume") : 0;
}

// Where a part reaches the surface of its organ, both surfaces would show in patches: its own is drawn back a little.
static void draw_back(Thing *t, const Thing *organ, double way)
{
  const double *size = t->mask.size, reach = way + 0.7 * fmax(size[0], fmax(size[1], size[2]));
  double *normal = dv_alloc(t->skin.x.count * sizeof *normal + 8);
  dv_skin_normals(&t->skin, normal);
  for (size_t i = 0; i + 3 <= t->skin.x.count; i += 3) {
    dvVec3 x = dv_vec3_load(t->skin.x.data + i), n = dv_vec3_load(normal + i);
    if (!dv_mask_has(&organ->mask, dv_vec3_add_scaled(x, n, reach)))
      dv_vec3_store(t->skin.x.data + i, dv_vec3_add_scaled(x, n, -way));
  }
  dv_free(normal);
}

// A vessel in a part that lies in another one is enclosed by both: the smaller one has it.
static void divide_masks(Maker *w, const Thing *organ)
{
  Thing *t = w->p->things;
  for (size_t i = 0; i < w->p->count; i++)
    for (size_t k = 0; k < w->p->count; k++)
      if (i != k && is_part_of(&t[i], organ) && is_part_of(&t[k], organ) &&
          (t[k].mask.count < t[i].mask.count || (t[k].mask.count == t[i].mask.count && k < i)))
        dv_mask_keep_other(&t[i].mask, &t[k].mask);
}

static int skin_of_part(Maker *w, Thing *t, const Thing *organ)
{
  if (!w->image) {
    int status = skin_from_surface(w, t);
    return status ? status : mask_of_input(w, t, &t->mask);
  }
  double longest = longest_of(&t->mask);
  int status = skin_of_mask(t, w->o->detail > 0 ? fmin(w->o->detail / 2, longest / 8) : longest / PART_CELLS);
  if (!status) draw_back(t, organ, 0.3 * fmin(surface_cell(w, organ), longest / 4));
  return status;
}

int skins_make(Maker *w, Thing *organ)
{
  int status = w->image ? mask_of_organ(w, organ) : skin_from_surface(w, organ);
  if (!status && w->image) status = skin_of_mask(organ, surface_cell(w, organ));
  Thing *t = w->p->things, *end = t + w->p->count;
  for (Thing *part = t; part < end && !status && w->image; part++)
    if (is_part_of(part, organ)) status = mask_of_part(w, part, organ);
  if (!status && w->image) divide_masks(w, organ);
  for (Thing *part = t; part < end && !status; part++)
    if (is_part_of(part, organ)) status = skin_of_part(w, part, organ);
  return status;
}
