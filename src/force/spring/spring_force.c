// SpringForceField: springs between points of one state, or of two.
// RepulsiveSpringForceField: the same, acting only while a spring is shorter than at rest.
// The equations stand in spring.h. Springs come from the field `spring` or, without it, from lists of indices; those
// are made again when the lists change.
#include "force/spring/spring_force.h"

#include "force/spring/xsp.h"

#include <math.h>

#define SELF dvSpringForce
static const dvFieldDesc spring_force_fields[] = {DV_SPRING_FORCE_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_spring_force_block = {spring_force_fields, (int)DV_COUNT(spring_force_fields)};

extern const dvClass dv_spring_force_class, dv_repulsive_spring_class;

// --- shared --------------------------------------------------------------------------------------

dvStatus dv_spring_force_begin(dvObject *o)
{
  dvSpringForce *f = (dvSpringForce *)o;
  DV_TRY(dv_pair_force_init(o));
  const dvState *a = f->pair.first, *b = f->pair.second;
  if (a->base.dof != b->base.dof)
    return dv_error(o, "map one of them to points of the other's type", "a spring cannot join %s of %s and %s of %s",
                    a->base.dof->name, a->base.name, b->base.dof->name, b->base.name);
  f->springs.list.count = 0;
  return DV_OK;
}

dvStatus dv_spring_force_add_given(dvSpringForce *f)
{
  const dvObject *o = &f->pair.base;
  bool told = false;
  for (size_t i = 0; i < dv_reals_size(&f->spring); i++) {
    const double *s = f->spring.data + 5 * i;
    if ((s[2] < 0 || s[3] < 0 || s[4] < 0) && !told) {
      dv_field_warning(o, &f->spring, "give numbers from 0 on",
                       "spring %zu (%g %g): stiffness %g, damping %g, length %g; one of them is negative", i, s[0],
                       s[1], s[2], s[3], s[4]);
      told = true;
    }
    for (int k = 0; k < 2; k++)
      if (!(s[k] >= 0 && s[k] <= INT32_MAX) || s[k] != floor(s[k]))
        return dv_field_error(o, &f->spring, "a spring is: first point, second point, stiffness, damping, length",
                              "spring %zu: %g is not the index of a point", i, s[k]);
    dv_push(&f->springs.list, dv_spring((int32_t)s[0], (int32_t)s[1], s[2], s[3], s[4]));
  }
  return DV_OK;
}

// The fields show what the list holds, whatever it was made from: some entries or, with NULL, all.
static void publish(dvSpringForce *f, const dvNumbers *some)
{
  size_t n = f->springs.list.count;
  dvReals *reals[] = {&f->stiffness, &f->damping, &f->lengths};
  dvInts *ints[] = {&f->springsIndices1, &f->springsIndices2, &f->elongationOnly, &f->enabled};
  for (size_t i = 0; i < DV_COUNT(reals); i++)
    if (!dv_reals_resize(reals[i], n)) return;
  for (size_t i = 0; i < DV_COUNT(ints); i++)
    if (!dv_ints_resize(ints[i], n)) return;
  if (!dv_reals_resize(&f->spring, 5 * n)) return;
  double *spring = dv_reals_edit(&f->spring), *ks = dv_reals_edit(&f->stiffness), *kd = dv_reals_edit(&f->damping),
         *rest = dv_reals_edit(&f->lengths);
  int32_t *a = dv_ints_edit(&f->springsIndices1), *b = dv_ints_edit(&f->springsIndices2);
  int32_t *stretch = dv_ints_edit(&f->elongationOnly), *on = dv_ints_edit(&f->enabled);
  for (size_t k = 0; k < (some ? some->count : n); k++) {
    size_t i = some ? (size_t)some->data[k] : k;
    const dvSpring *s = &f->springs.list.data[i];
    spring[5 * i] = a[i] = s->a;
    spring[5 * i + 1] = b[i] = s->b;
    spring[5 * i + 2] = ks[i] = s->ks;
    spring[5 * i + 3] = kd[i] = s->kd;
    spring[5 * i + 4] = rest[i] = s->rest;
    on[i] = !isinf(s->low);
    stretch[i] = on[i] && s->low == s->rest;
  }
}

dvStatus dv_spring_force_end(dvObject *o)
{
  dvSpringForce *f = (dvSpringForce *)o;
  dvStatus status = dv_springs_settle(&f->springs, o, f->pair.first, f->pair.second);
  if (status == DV_OK) publish(f, NULL);
  else f->springs.list.count = 0;
  return status;
}

void dv_spring_force_destroy(dvObject *o)
{
  dvSpringForce *f = (dvSpringForce *)o;
  dv_springs_free(&f->springs);
  dv_pairs_free(&f->pairs);
  dv_bonds_free(&f->bonds);
}

static uint32_t watched_counter(const dvSpringForce *f)
{
  uint32_t sum = 0;
  for (size_t i = 0; i < DV_COUNT(f->watched); i++) sum += f->watched[i]->counter;
  return sum;
}

void dv_spring_force_follow(dvSpringForce *f)
{
  f->pairs.tells = true;
  DV_PAIRS_FOLLOW(&f->pairs, &f->pair.base, f->pair.first, f->pair.second, &f->springs.list, a, b);
}

bool dv_spring_force_patch_bonds(dvSpringForce *f, dvTopology *mesh)
{
  if (!dv_springs_patch_bonds(&f->springs, f->pair.first, mesh, &f->bonds)) return false;
  publish(f, &f->bonds.changed);
  return true;
}

// springs that are given, within one state
static bool patch_given(dvSpringForce *f)
{
  dvState *s = f->pair.first;
  const dvTrace *trace = s == f->pair.second && s->topology ? dv_follow_trace(&f->pair.base, s->topology) : NULL;
  if (!trace || !f->pairs.ends[0] || f->springs.list.count != f->pairs.ends[0]->count ||
      dv_topology_point_count(s->topology) != s->count)
    return false;
  dvNumbers changed = {0};
  dv_pairs_changed(&f->pairs, &changed);
  for (size_t i = 0; i < changed.count; i++) {
    dvSpring *q = &f->springs.list.data[changed.data[i]];
    q->a = f->pairs.ends[0]->data[changed.data[i]];
    q->b = f->pairs.ends[1]->data[changed.data[i]];
  }
  bool good = dv_springs_patch(&f->springs, s, trace, f->pairs.steps.data, f->pairs.steps.count);
  if (good) publish(f, &changed);
  f->pairs.steps.count = 0;
  dv_array_free(&changed);
  return good && dv_follow_patched(&f->pair.base);
}

void dv_spring_force_topology_changed(dvObject *o)
{
  dvSpringForce *f = (dvSpringForce *)o;
  if (patch_given(f)) {
    if (f->watched[0]) f->seen = watched_counter(f);
    return;
  }
  DV_PAIRS_GIVE(&f->pairs, &f->springs.list, a, b);
  f->pairs.steps.count = 0;
  dv_spring_force_end(o);
  if (f->watched[0]) f->seen = watched_counter(f);
}

double dv_spring_distance(const dvDof *dof, const double *x, int32_t a, int32_t b)
{
  size_t c = (size_t)dof->coord;
  double sum = 0;
  for (int k = 0; k < dv_spring_dimensions(dof); k++) {
    double d = x[(size_t)b * c + (size_t)k] - x[(size_t)a * c + (size_t)k];
    sum += d * d;
  }
  return sqrt(sum);
}

// --- pairs of points: open addressing, at most half full -----------------------------------------

static struct dvPairEntry *find_entry(const dvPairMap *map, int32_t low, int32_t high)
{
  uint64_t hash = ((uint64_t)(uint32_t)low << 32 | (uint32_t)high) * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(hash >> 32) & (map->capacity - 1);
  while (map->entries[at].low >= 0 && (map->entries[at].low != low || map->entries[at].high != high))
    at = (at + 1) & (map->capacity - 1);
  return &map->entries[at];
}

static void grow(dvPairMap *map)
{
  dvPairMap bigger = {.capacity = map->capacity ? 2 * map->capacity : 64};
  bigger.entries = dv_alloc(bigger.capacity * sizeof *bigger.entries);
  for (size_t i = 0; i < bigger.capacity; i++) bigger.entries[i].low = -1;
  for (size_t i = 0; i < map->capacity; i++)
    if (map->entries[i].low >= 0) *find_entry(&bigger, map->entries[i].low, map->entries[i].high) = map->entries[i];
  dv_free(map->entries);
  map->entries = bigger.entries;
  map->capacity = bigger.capacity;
}

int32_t *dv_pair_map_get(dvPairMap *map, int32_t a, int32_t b, bool *fresh)
{
  int32_t low = a < b ? a : b, high = a < b ? b : a;
  if (2 * (map->count + 1) > map->capacity) grow(map);
  struct dvPairEntry *e = find_entry(map, low, high);
  *fresh = e->low < 0;
  if (*fresh) {
    *e = (struct dvPairEntry){.low = low, .high = high};
    map->count++;
  }
  return e->value;
}

void dv_pair_map_free(dvPairMap *map)
{
  dv_free(map->entries);
  *map = (dvPairMap){0};
}

// --- SpringForceField ----------------------------------------------------------------------------

static double pick_real(const dvReals *r, size_t i) { return r->data[i < r->count ? i : r->count - 1]; }
static int32_t pick_int(const dvInts *r, size_t i) { return r->data[i < r->count ? i : r->count - 1]; }

static void warn_of_size(const dvSpringForce *f, const void *member, size_t count, size_t springs)
{
  const dvObject *o = &f->pair.base;
  if (count > 1 && count != springs)
    dv_field_warning(o, member, "give one for all springs or one each", "%s has %zu entries for %zu springs",
                     dv_field_name(dv_field_of(o, member)->desc), count, springs);
}

// springs from lists of indices; a list that is too short repeats its last entry
static dvStatus add_from_indices(dvSpringForce *f)
{
  const dvObject *o = &f->pair.base;
  size_t n = f->springsIndices1.count;
  if (n != f->springsIndices2.count) {
    dv_field_warning(o, &f->springsIndices1, "give as many second points as first ones",
                     "springsIndices1 has %zu entries and springsIndices2 %zu: no springs are made", n,
                     f->springsIndices2.count);
    return DV_OK;
  }
  if (n == 0) return DV_OK;
  if (!f->stiffness.count || !f->damping.count || !f->elongationOnly.count || !f->enabled.count)
    return dv_error(o, NULL, "stiffness, damping, elongationOnly and enabled need at least one value");
  warn_of_size(f, &f->stiffness, f->stiffness.count, n);
  warn_of_size(f, &f->damping, f->damping.count, n);
  warn_of_size(f, &f->lengths, f->lengths.count, n);
  warn_of_size(f, &f->elongationOnly, f->elongationOnly.count, n);
  warn_of_size(f, &f->enabled, f->enabled.count, n);
  for (size_t i = 0; i < n; i++) {
    dvSpring s = dv_spring(f->springsIndices1.data[i], f->springsIndices2.data[i], pick_real(&f->stiffness, i),
                           pick_real(&f->damping, i), f->lengths.count ? pick_real(&f->lengths, i) : 0);
    if (pick_int(&f->elongationOnly, i)) dv_spring_only_stretch(&s);
    if (!pick_int(&f->enabled, i)) dv_spring_switch_off(&s);
    dv_push(&f->springs.list, s);
  }
  return DV_OK;
}

static dvStatus add_from_file(dvSpringForce *f)
{
  dvXspSprings list = {0};
  dvStatus status = dv_xsp_read(&f->pair.base, &f->fileSprings, &list);
  for (size_t i = 0; i < list.count && status == DV_OK; i++) {
    const dvXspSpring *s = &list.data[i];
    dv_push(&f->springs.list, dv_spring(s->a, s->b, s->ks, s->kd, s->rest));
  }
  dv_array_free(&list);
  return status;
}

static dvStatus spring_force_fill(dvObject *o, bool given)
{
  dvSpringForce *f = (dvSpringForce *)o;
  f->springs.list.count = 0;
  if (given && dv_was_set(o, &f->spring)) DV_TRY(dv_spring_force_add_given(f));
  if (given && *f->fileSprings) DV_TRY(add_from_file(f));
  if (!given) DV_TRY(add_from_indices(f));
  if (o->cls == &dv_repulsive_spring_class)
    for (size_t i = 0; i < f->springs.list.count; i++) dv_spring_only_push(&f->springs.list.data[i]);
  DV_TRY(dv_spring_force_end(o));
  dv_spring_force_follow(f);
  f->seen = watched_counter(f);
  return DV_OK;
}

static bool are_given(const dvSpringForce *f) { return dv_was_set(&f->pair.base, &f->spring) || *f->fileSprings; }

static dvStatus spring_force_reinit(dvObject *o) { return spring_force_fill(o, are_given((dvSpringForce *)o)); }

static dvStatus spring_force_init(dvObject *o)
{
  dvSpringForce *f = (dvSpringForce *)o;
  const void *members[] = {&f->springsIndices1, &f->springsIndices2, &f->lengths};
  DV_TRY(dv_spring_force_begin(o));
  for (size_t i = 0; i < DV_COUNT(members); i++) f->watched[i] = dv_field_of(o, members[i]);
  if (are_given(f)) {
    const void *unused[] = {&f->elongationOnly, &f->enabled, &f->springsIndices1, &f->springsIndices2, &f->lengths};
    for (size_t i = 0; i < DV_COUNT(unused); i++)
      if (dv_was_set(o, unused[i]))
        dv_field_warning(o, unused[i],
                         "give springsIndices1, springsIndices2, stiffness, damping and lengths instead of spring",
                         "%s is not used: the springs are given by the field spring",
                         dv_field_name(dv_field_of(o, unused[i])->desc));
  } else if (f->springsIndices1.count == 0 && !f->watched[0]->source)
    dv_warning(o, "give spring=\"0 1 100 1 0.5\" or springsIndices1 and springsIndices2", "there are no springs");
  f->waiting = !f->pair.first->base.initialised || !f->pair.second->base.initialised;
  return f->waiting ? DV_OK : spring_force_reinit(o);
}

// all states have their size now
static void spring_force_store_reset(dvObject *o)
{
  dvSpringForce *f = (dvSpringForce *)o;
  if (f->waiting) spring_force_reinit(o);
  f->waiting = false;
}

// --- operations ----------------------------------------------------------------------------------

static void spring_force_add_force(dvObject *o, const dvMech *m)
{
  dvSpringForce *f = (dvSpringForce *)o;
  if (f->watched[0] && f->seen != watched_counter(f)) spring_force_fill(o, false);
  dv_springs_add_force(&f->springs, f->pair.first, f->pair.second, m);
}

static void spring_force_add_dforce(dvObject *o, const dvMech *m)
{
  dvSpringForce *f = (dvSpringForce *)o;
  dv_springs_add_dforce(&f->springs, f->pair.first, f->pair.second, m, dv_mech_k(m, f->pair.rayleighStiffness));
}

static void spring_force_add_stiffness(dvObject *o, const dvMech *m, dvMatrixSink *sink)
{
  dvSpringForce *f = (dvSpringForce *)o;
  dv_springs_add_stiffness(&f->springs, f->pair.first, f->pair.second, dv_mech_k(m, f->pair.rayleighStiffness), sink);
}

static double spring_force_energy(dvObject *o, const dvMech *m)
{
  dvSpringForce *f = (dvSpringForce *)o;
  return dv_springs_energy(&f->springs, f->pair.first, f->pair.second, m->x);
}

static void spring_force_pairs(dvObject *o, dvInts *out) { dv_springs_pairs(&((dvSpringForce *)o)->springs, out); }

const dvForceOps dv_spring_force_ops = {
    .add_force = spring_force_add_force,
    .add_dforce = spring_force_add_dforce,
    .add_stiffness = spring_force_add_stiffness,
    .energy = spring_force_energy,
    DV_PAIR_FORCE_SLOTS,
    .pairs = spring_force_pairs,
};

const dvClass dv_spring_force_class = {
    .struct_size = sizeof(dvClass),
    .name = "SpringForceField",
    .aliases = "StiffSpringForceField ParallelSpringForceField ParallelStiffSpringForceField",
    .help = "damped springs between points of one state or of two",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(dvSpringForce),
    .blocks = {&dv_object_block, &dv_pair_force_block, &dv_spring_force_block},
    .ops = {[DV_ROLE_FORCE] = &dv_spring_force_ops},
    .init = spring_force_init,
    .reinit = spring_force_reinit,
    .store_reset = spring_force_store_reset,
    .destroy = dv_spring_force_destroy,
    .topology_changed = dv_spring_force_topology_changed,
};

const dvClass dv_repulsive_spring_class = {
    .struct_size = sizeof(dvClass),
    .name = "RepulsiveSpringForceField",
    .help = "springs that push while they are shorter than at rest and never pull",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3,
    .size = sizeof(dvSpringForce),
    .blocks = {&dv_object_block, &dv_pair_force_block, &dv_spring_force_block},
    .ops = {[DV_ROLE_FORCE] = &dv_spring_force_ops},
    .init = spring_force_init,
    .reinit = spring_force_reinit,
    .store_reset = spring_force_store_reset,
    .destroy = dv_spring_force_destroy,
    .topology_changed = dv_spring_force_topology_changed,
};
