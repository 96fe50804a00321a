// divan anatomy: models of organs and vessels: tetrahedra by MeshTetraStuffing, beams along centrelines.
#include "anatomy.h"

#include "divan/divan.h"
#include "topology/search/locate.h"
#include "topology/search/tuple_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMOOTHING = 10, TETRA_CELLS = 14 };

int thing_failed(const Thing *t, const char *why)
{
  fflush(stdout);
  fprintf(stderr, "divan anatomy: error: %s: %s\n", t->name, why);
  return DV_ERROR_INPUT;
}

void thing_warn(const Thing *t, const char *format, ...)
{
  va_list args;
  fflush(stdout);   // it comes behind what was printed before
  va_start(args, format);
  fprintf(stderr, "divan anatomy: warning: %s: ", t->name);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
}

double longest_side(const double *x, size_t count)
{
  double longest = 0;
  for (size_t k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = k; i < count; i += 3) low = fmin(low, x[i]), high = fmax(high, x[i]);
    longest = fmax(longest, high - low);
  }
  return longest;
}

// --- tetrahedra ----------------------------------------------------------------------------------

static void listen(void *user, const divanMessage *m)
{
  Maker *w = user;
  if (m->level >= 3) dv_snprintf(w->why, sizeof w->why, "%s", m->text);
}

static int fill(Maker *w, Thing *t, double cell)
{
  dvScene *scene = divan_new(w->context);
  w->why[0] = 0;
  char size[32];
  dv_snprintf(size, sizeof size, "%.9g", cell);
  bool good =
      divan_add(scene, "/", "MeshTetraStuffing", "fill") == DIVAN_OK &&
      divan_set_reals(scene, "/fill", "inputPoints", t->skin.x.data, t->skin.x.count) == DIVAN_OK &&
      divan_set_ints(scene, "/fill", "inputTriangles", t->skin.triangles.data, t->skin.triangles.count) == DIVAN_OK &&
      divan_set(scene, "/fill", "size", size) == DIVAN_OK && divan_set(scene, "/fill", "snapPoints", "1") == DIVAN_OK &&
      divan_set(scene, "/fill", "snapOutside", "1") == DIVAN_OK &&
      divan_set(scene, "/fill", "splitTetrahedra", "1") == DIVAN_OK && divan_init(scene) == DIVAN_OK;
  size_t points = 0, corners = 0;
  const double *x = good ? divan_read(scene, "/fill", "outputPoints", &points) : NULL;
  for (size_t i = 0; i < points; i++) dv_push(&t->x, x[i]);
  const int32_t *e = good ? divan_read_ints(scene, "/fill", "outputTetrahedra", &corners) : NULL;
  for (size_t i = 0; i < corners; i++) dv_push(&t->tetrahedra, e[i]);
  divan_close(&scene);
  if (good && corners) return 0;
  if (w->why[0]) return thing_failed(t, w->why);
  char text[160];   // where it is thin, it is about as thick as twice its volume over its area
  dv_snprintf(text, sizeof text, "no tetrahedron of %.3g mm fits inside: use smaller cells (cell=%.2g, or --cells)",
              1e3 * cell, fmin(0.5 * cell, 2 * t->volume / dv_skin_area(&t->skin)));
  return thing_failed(t, text);
}

static double volume_of(const Thing *t)
{
  double six = 0;
  for (size_t i = 0; i + 4 <= t->tetrahedra.count; i += 4) {
    const int32_t *e = t->tetrahedra.data + i;
    dvVec3 o = dv_vec3_load(t->x.data + 3 * e[0]), a = dv_vec3_sub(dv_vec3_load(t->x.data + 3 * e[1]), o),
           b = dv_vec3_sub(dv_vec3_load(t->x.data + 3 * e[2]), o),
           c = dv_vec3_sub(dv_vec3_load(t->x.data + 3 * e[3]), o);
    six += dv_vec3_dot(a, dv_vec3_cross(b, c));
  }
  return six / 6;
}

// points of faces that only one tetrahedron has
static bool find_border(Thing *t)
{
  static const int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  dvTupleSet set;
  dv_tuple_set_init(&set, 3);
  DV_ARRAY(uint8_t) uses = {0};
  for (size_t i = 0; i + 4 <= t->tetrahedra.count; i += 4)
    for (int f = 0; f < 4; f++) {
      int32_t key[3];
      bool fresh;
      for (int k = 0; k < 3; k++) key[k] = t->tetrahedra.data[i + (size_t)faces[f][k]];
      dv_tuple_sort(key, 3);
      int32_t number = dv_tuple_set_add(&set, key, &fresh);
      if (number < 0) continue;
      if (fresh) dv_push(&uses, 0);
      uses.data[number]++;
    }
  dv_array_resize(&t->border, t->x.count / 3);
  for (size_t i = 0; i < uses.count; i++)
    for (int k = 0; k < 3 && uses.data[i] == 1; k++) t->border.data[set.keys.data[3 * i + (size_t)k]] = 1;
  bool good = !set.failed;
  dv_array_free(&uses);
  dv_tuple_set_free(&set);
  return good;
}

// only a surface, all of whose points others may be tied to
static int make_bone(Thing *t)
{
  if (!dv_try_reserve(&t->x, t->skin.x.count)) return thing_failed(t, "out of memory");
  for (size_t i = 0; i < t->skin.x.count; i++) dv_push(&t->x, t->skin.x.data[i]);
  dv_array_resize(&t->border, t->x.count / 3);
  for (size_t i = 0; i < t->border.count; i++) t->border.data[i] = 1;
  printf("  %s: bone, surface of %zu triangles\n", t->name, t->skin.triangles.count / 3);
  return 0;
}

static int make_skin(Maker *w, Thing *t)
{
  int status = skins_make(w, t);
  if (status) return status;
  t->volume = dv_skin_volume(&t->skin);
  if (!t->cell)
    t->cell = longest_side(t->skin.x.data, t->skin.x.count) / (w->o->cells ? (double)w->o->cells : TETRA_CELLS);
  return 0;
}

static int make_organ(Maker *w, Thing *t)
{
  if (t->bone > 0) return make_bone(t);
  int status = fill(w, t, t->cell);
  if (status) return status;
  if (!find_border(t) || !parts_mark(w->p, t) || !grade_tetrahedra(t)) return thing_failed(t, "out of memory");
  double volume = volume_of(t), voxels = t->volume;
  printf("  %s: %.4g ml, surface of %zu triangles, %zu tetrahedra of %.3g mm (%.2f %% of the volume)\n", t->name,
         voxels * 1e6, t->skin.triangles.count / 3, t->tetrahedra.count / 4, t->cell * 1e3, 100 * volume / voxels);
  fflush(stdout);
  if (!(volume > 0.7 * voxels))
    thing_warn(t, "the tetrahedra have only %.0f %% of its volume: use smaller cells (--cells, cell=)",
               100 * volume / voxels);
  return parts_assign(w, t);
}

// --- vessels -------------------------------------------------------------------------------------

// Which points lie inside of the tetrahedra of an organ, or outside by less than half an element. The caller frees the
// list; NULL when memory is short.
static uint8_t *find_inside(const Thing *organ, const double *x, size_t count)
{
  dvLocation *found = dv_try_alloc(count * sizeof *found + 1);
  uint8_t *in = dv_try_alloc(count + 1);
  if (found && in) {
    dvLocateDef def = {.x = organ->x.data,
                       .lists = {{DV_TETRAHEDRON, organ->tetrahedra.data, organ->tetrahedra.count / 4}}};
    dv_locate(&def, NULL, x, count, found);
    for (size_t i = 0; i < count; i++) {
      const double *l = found[i].local, least = fmin(fmin(l[0], l[1]), fmin(l[2], 1 - l[0] - l[1] - l[2]));
      in[i] = found[i].element >= 0 && least > -0.5;
    }
  }
  bool good = found && in;
  dv_free(found);
  if (!good) dv_free(in);
  return good ? in : NULL;
}

// the picture of vessels ends where they leave the organ: it would have nothing to follow there
static void keep_look_inside(dvSkin *s, const uint8_t *in)
{
  size_t kept = 0, points = s->x.count / 3, used = 0;
  int32_t *number = dv_alloc((points + 1) * sizeof *number);
  for (size_t i = 0; i + 3 <= s->triangles.count; i += 3) {
    const int32_t *t = s->triangles.data + i;
    if (!in[t[0]] || !in[t[1]] || !in[t[2]]) continue;
    for (int k = 0; k < 3; k++) number[t[k]] = 1;
    memmove(s->triangles.data + kept, t, 3 * sizeof *t);
    kept += 3;
  }
  for (size_t p = 0; p < points; p++) {
    if (!number[p]) continue;
    memmove(s->x.data + 3 * used, s->x.data + 3 * p, 3 * sizeof(double));
    number[p] = (int32_t)used++;
  }
  s->triangles.count = kept;
  s->x.count = 3 * used;
  for (size_t i = 0; i < kept; i++) s->triangles.data[i] = number[s->triangles.data[i]];
  dv_free(number);
}

// takes away beams with an end outside, and frames that none has then; returns how many are left
static size_t keep_beams_inside(dvVesselBeams *b, const uint8_t *in)
{
  size_t frames = b->frames.count / 7, kept = 0, used = 0;
  int32_t *number = dv_alloc((frames + 1) * sizeof *number);
  for (size_t i = 0; i < b->radius.count; i++) {
    const int32_t *e = b->edges.data + 2 * i;
    if (!in[e[0]] || !in[e[1]]) continue;
    number[e[0]] = number[e[1]] = 1;
    memmove(b->edges.data + 2 * kept, e, 2 * sizeof *e);
    b->radius.data[kept] = b->radius.data[i];
    b->branch.data[kept++] = b->branch.data[i];
  }
  for (size_t f = 0; f < frames; f++) {
    if (!number[f]) continue;
    memmove(b->frames.data + 7 * used, b->frames.data + 7 * f, 7 * sizeof(double));
    number[f] = (int32_t)used++;
  }
  for (size_t i = 0; i < 2 * kept; i++) b->edges.data[i] = number[b->edges.data[i]];
  b->radius.count = b->branch.count = kept;
  b->edges.count = 2 * kept;
  b->frames.count = 7 * used;
  dv_free(number);
  return kept;
}

static int keep_inside(Thing *t, const Thing *organ)
{
  size_t frames = t->beams.frames.count / 7, beams = t->beams.radius.count;
  double *x = dv_try_alloc(3 * frames * sizeof *x + 1);
  for (size_t i = 0; x && i < 3 * frames; i++) x[i] = t->beams.frames.data[7 * (i / 3) + i % 3];
  uint8_t *in = x ? find_inside(organ, x, frames) : NULL,
          *seen = in ? find_inside(organ, t->skin.x.data, t->skin.x.count / 3) : NULL;
  size_t kept = seen ? keep_beams_inside(&t->beams, in) : 0;
  if (seen) keep_look_inside(&t->skin, seen);
  bool good = seen != NULL;
  dv_free(x);
  dv_free(in);
  dv_free(seen);
  if (!good) return thing_failed(t, "out of memory");
  if (kept < beams)
    thing_warn(t, "%zu of %zu beams lie outside of %s and are left out", beams - kept, beams, organ->name);
  return kept ? 0 : thing_failed(t, "all of it lies outside of its organ");
}

static int vessel_mask(Maker *w, const Thing *t, dvMask *m)
{
  dvMeshError error = {0};
  if (w->image) {
    if (dv_mask_of_label(m, w->image, w->unit, t->label, 1, &error) != DV_OK) return thing_failed(t, error.text);
  } else {
    int status = mask_of_input(w, t, m);
    if (status) return status;
  }
  size_t parts, dropped;
  if (!dv_mask_keep_parts(m, true, 0.02, &parts, &dropped)) {
    dv_mask_free(m);
    return thing_failed(t, "out of memory");
  }
  if (dropped) thing_warn(t, "%zu parts; %zu voxels in small ones are left out", parts, dropped);
  return 0;
}

// the volume of tubes along all branches, with round ends: for vessels nearly that of their voxels
static double tubes_of(const dvVessels *v)
{
  double volume = 0;
  for (size_t i = 0; i < v->branches.count; i++) {
    const dvVesselBranch *b = &v->branches.data[i];
    int ends = (v->nodes.data[b->from].degree == 1) + (v->nodes.data[b->to].degree == 1);
    volume += M_PI * b->radius * b->radius * (b->length + ends * b->radius * 2 / 3);
  }
  return volume;
}

static int make_vessels(Maker *w, Thing *t)
{
  dvMask m;
  dvMeshError error = {0};
  int status = vessel_mask(w, t, &m);
  if (status) return status;
  dvStatus traced = dv_vessels_trace(&t->vessels, &m, &error);
  // its picture is finer than that of organs
  if (traced == DV_OK && !skin_around(&t->skin, &m, w->o->detail / 4, SMOOTHING))
    traced = dv_voxels_fail(&error, "out of memory");
  double volume = dv_mask_volume(&m);
  dv_mask_free(&m);
  if (traced != DV_OK) return thing_failed(t, error.text);
  if (t->vessels.loops) thing_warn(t, "%ld loops are cut open: beams form a tree", t->vessels.loops);
  size_t all = t->vessels.branches.count;
  double share = tubes_of(&t->vessels) / volume;
  if (!(share > 0.5 && share < 2))
    return thing_failed(t, "it is a blob, no tree of tubes: make it an organ, or leave it out");
  if (!(share > 0.8 && share < 1.25))
    thing_warn(t, "tubes along its centreline have %.0f %% of its volume: is all of it vessels?", 100 * share);
  if (t->least > 0 && !dv_vessels_prune(&t->vessels, t->least))
    return thing_failed(t, "no branch is as thick as `least` asks for");
  const Thing *organ = plan_find(w->p, t->inside);
  dvBeamRule rule = {.longest = t->longest > 0 ? t->longest : organ->cell, .bend = 0.3};
  if (!dv_vessels_fit(&t->vessels, 0.1) || !dv_vessels_beams(&t->vessels, &rule, &t->beams))
    return thing_failed(t, "out of memory");
  status = keep_inside(t, organ);
  if (!status)
    printf("  %s: %zu branches%s, %zu curves (within %.3f radii), %zu beams, radii %.2f to %.2f mm\n", t->name, all,
           t->vessels.branches.count < all ? ", thin ones left out" : "", t->vessels.pieces.count, t->vessels.fit_error,
           t->beams.radius.count, 1e3 * t->vessels.branches.data[t->vessels.branches.count - 1].radius,
           1e3 * t->vessels.branches.data[0].radius);
  fflush(stdout);
  return status;
}

// --- ligaments -----------------------------------------------------------------------------------

// Each point of the first organ's border and the nearest of the other's, where they are near enough.
static int tie(Plan *p, Ligament *l)
{
  const Thing *a = plan_find(p, l->from), *b = plan_find(p, l->to);
  double reach = l->reach > 0 ? l->reach : 1.5 * fmin(a->cell, b->cell), least = INFINITY;
  for (size_t i = 0; i < a->border.count; i++) {
    if (!a->border.data[i]) continue;
    double best = INFINITY;
    int32_t nearest = -1;
    for (size_t j = 0; j < b->border.count; j++) {
      if (!b->border.data[j]) continue;
      double d = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(a->x.data + 3 * i), dv_vec3_load(b->x.data + 3 * j)));
      if (d < best) best = d, nearest = (int32_t)j;
    }
    least = fmin(least, best);
    if (!(best < reach)) continue;
    dv_push(&l->pairs, (int32_t)i);
    dv_push(&l->pairs, nearest);
    dv_push(&l->lengths, best);
  }
  if (!l->lengths.count) {
    fprintf(
        stderr,
        "divan anatomy: error: ligament %s/%s: the organs are nowhere nearer than %.3g m; give a larger reach: it is "
        "%.3g m from one to the other\n",
        l->from, l->to, reach, least);
    return DV_ERROR_INPUT;
  }
  printf("  ligament %s/%s: %zu springs\n", l->from, l->to, l->lengths.count);
  return 0;
}

int models_make(Plan *p, const Options *o, const dvVoxels *image, double unit, dvMesh *surfaces)
{
  Maker w = {
      .p = p, .o = o, .image = image, .unit = unit, .surfaces = surfaces, .context = divan_create((int)o->threads)};
  divan_listen(w.context, listen, &w);
  int status = 0;
  for (size_t i = 0; i < p->count && !status; i++)
    if (is_organ(&p->things[i])) status = make_skin(&w, &p->things[i]);
  if (!status && image) status = leave_gaps(&w);
  for (int vessels = 0; vessels < 2; vessels++)
    for (size_t i = 0; i < p->count && !status; i++) {
      Thing *t = &p->things[i];
      if (vessels ? t->is_vessel : is_organ(t)) status = vessels ? make_vessels(&w, t) : make_organ(&w, t);
    }
  for (size_t i = 0; i < p->ligament_count && !status; i++) status = tie(p, &p->ligaments[i]);
  if (!status) tell_overlaps(&w);
  divan_destroy(&w.context);
  return status;
}
