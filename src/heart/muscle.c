// See muscle.h.
#include "heart/muscle.h"

#include "force/mesh.h"
#include "heart/classes.h"
#include "ode/loop.h"

#include <math.h>
#include <string.h>

// --- places ---

static dvStatus mark_near(const dvObject *o, const dvPlaces *p, const double *x, size_t points, bool *mark)
{
  double r = *p->radius;
  if (!(r >= 0) || !isfinite(r)) return dv_field_error(o, p->radius, "give a length from 0 on", "the radius is %g", r);
  for (size_t i = 0; i < dv_reals_size(p->center); i++) {
    dvVec3 c = dv_vec3_load(p->center->data + 3 * i);
    double nearest = INFINITY;
    size_t which = 0, found = 0;
    for (size_t k = 0; k < points; k++) {
      double d = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * k), c));
      if (d <= r) mark[k] = true, found++;
      if (d < nearest) nearest = d, which = k;
    }
    if (found) continue;
    if (!(nearest <= 2 * r))
      return dv_field_error(o, p->center, "move it into the tissue, or give a larger radius",
                            "the place %g %g %g is outside of the tissue: the nearest point is %g m away", c.x, c.y,
                            c.z, nearest);
    mark[which] = true;
  }
  return DV_OK;
}

dvStatus dv_places_mark(const dvObject *o, const dvPlaces *p, const double *x, size_t points, bool *mark)
{
  for (size_t i = 0; i < p->indices->count; i++) {
    int32_t at = p->indices->data[i];
    if (at < 0 || (size_t)at >= points)
      return dv_field_error(o, p->indices, "indices count from 0", "there is no point %d among %zu", at, points);
    mark[at] = true;
  }
  return mark_near(o, p, x, points, mark);
}

// --- setting up ---

typedef struct Collector {
  dvVisitor visitor;
  dvMuscle *tissue;
} Collector;

static dvWalk collect_in(dvVisitor *v, dvNode *node)
{
  dvMuscle *t = ((Collector *)v)->tissue;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (o->cls == &dv_tissue_zone_class) dv_push(&t->zones, o);
    if (o->cls == &dv_stimulus_class) dv_push(&t->stimuli, o);
  }
  return DV_WALK_ON;
}

static void collect(dvMuscle *t)
{
  t->zones.count = t->stimuli.count = 0;
  Collector c = {.visitor = {.top_down = collect_in, .everything = true}, .tissue = t};
  dv_visit(t->mesh->base.node, &c.visitor);
  t->graph = t->owner->node->scene->version;
}

static dvStatus take_fibres(dvMuscle *t, const dvReals *fibres, bool needed)
{
  dvObject *o = t->owner;
  size_t n = fibres->count / 3, zeros = 0, first = 0;
  t->fibre.count = 0;
  if (n == 0 && !needed) return DV_OK;
  if (n == 0)
    return dv_field_error(o, fibres, "link them to those of GenerateVentricle, FibreField or a loader",
                          "there are no fibres: it is not known along what the tissue conducts or contracts");
  if (n != t->count)
    return dv_field_error(o, fibres, "give a direction for each tetrahedron; FibreField makes them from points",
                          "there are %zu fibres for %zu tetrahedra", n, t->count);
  dv_array_resize(&t->fibre, 3 * n);
  for (size_t i = 0; i < n; i++) {
    dvVec3 f = dv_vec3_load(fibres->data + 3 * i);
    double length = dv_vec3_norm(f);
    if (!(length > 1e-12 && length < 1e100)) first = zeros++ == 0 ? i : first, length = 1;
    dv_vec3_store(t->fibre.data + 3 * i, dv_vec3_scale(f, 1 / length));
  }
  if (zeros)
    return dv_field_error(o, fibres, "every tetrahedron needs a direction",
                          "%zu fibres have no direction, the first is that of tetrahedron %zu", zeros, first);
  return DV_OK;
}

dvStatus dv_muscle_init(dvMuscle *t, dvObject *o, dvLink *topology, const dvReals *fibres, bool needs_fibres)
{
  t->owner = o;
  t->mesh = dv_force_topology(o, topology);
  if (!t->mesh) return DV_ERROR_INPUT;
  DV_TRY(dv_object_ensure(&t->mesh->base));
  const dvInts *list = dv_topology_elements(t->mesh, DV_TETRAHEDRON);
  const dvReals *rest = dv_topology_positions(t->mesh);
  t->tetra = list->data;
  t->count = dv_ints_size(list);
  t->points = dv_topology_point_count(t->mesh);
  t->rest = rest->data;
  if (t->count == 0)
    return dv_error(o, "give it tetrahedra, such as those of GenerateVentricle", "%s has no tetrahedra",
                    t->mesh->base.name);
  if (dv_reals_size(rest) < t->points)
    return dv_error(o, "give the topology its positions", "%s has %zu positions for %zu points", t->mesh->base.name,
                    dv_reals_size(rest), t->points);
  for (size_t i = 0; i < 3 * t->points; i++)
    if (!isfinite(t->rest[i]))
      return dv_error(o, "repair the mesh", "point %zu of %s is not at a finite place", i / 3, t->mesh->base.name);
  dv_array_resize(&t->own_tetra, 4 * t->count);
  dv_array_resize(&t->own_rest, 3 * t->points);
  memcpy(t->own_tetra.data, t->tetra, 4 * t->count * sizeof *t->tetra);
  memcpy(t->own_rest.data, t->rest, 3 * t->points * sizeof *t->rest);
  t->tetra = t->own_tetra.data;
  t->rest = t->own_rest.data;
  DV_TRY(take_fibres(t, fibres, needs_fibres));
  dv_array_resize(&t->conduction, t->count);
  dv_array_resize(&t->contractility, t->count);
  dv_array_resize(&t->stiffness, t->count);
  dv_array_resize(&t->alive, t->points);
  dv_array_resize(&t->mark, t->points);
  collect(t);
  t->zone_stamp = t->stimulus_stamp = UINT64_MAX;
  t->degenerate = 0;
  for (size_t i = 0; i < t->count; i++) {
    dvVec3 g[4];
    double volume;
    t->degenerate += !dv_muscle_gradients(t, i, g, &volume);
  }
  if (t->degenerate) dv_warning(o, "repair the mesh", "%zu tetrahedra are flat and are left out", t->degenerate);
  return dv_muscle_zones(t, 0, NULL);
}

void dv_muscle_free(dvMuscle *t)
{
  dv_array_free(&t->own_tetra);
  dv_array_free(&t->own_rest);
  dv_array_free(&t->fibre);
  dv_array_free(&t->conduction);
  dv_array_free(&t->contractility);
  dv_array_free(&t->stiffness);
  dv_array_free(&t->alive);
  dv_array_free(&t->zones);
  dv_array_free(&t->inside);
  dv_array_free(&t->lost);
  dv_array_free(&t->stimuli);
  dv_array_free(&t->mark);
}

bool dv_muscle_holds(dvMuscle *t, const dvState *state)
{
  bool same = dv_topology_count(t->mesh, DV_TETRAHEDRON) == t->count && dv_topology_point_count(t->mesh) == t->points &&
              state->count >= t->points;
  if (same || t->told) return same;
  const dvField *points = dv_object_field(&t->mesh->base, "position");
  dv_error(t->owner, "keep the mesh as it is, or save the scene and start it again",
           "the mesh has changed: muscle and its electricity cannot follow (%s%s has %zu points instead of %zu)",
           points->source ? "that of " : "", points->source ? points->source->owner->name : t->mesh->base.name,
           dv_topology_point_count(t->mesh), t->points);
  t->told = true;
  return false;
}

// --- potentials ---

dvStatus dv_muscle_find_potential(dvObject *o, dvLink *state)
{
  if (!state->target) state->target = dv_node_state(o->node);
  if (!state->target) return dv_error(o, "add <ElectricalState/> to the node", "there is no state for the potential");
  DV_TRY(dv_object_ensure(state->target));
  if (state->target->dof->kind != DV_VEC1)
    return dv_field_error(o, state, "add <ElectricalState/> to the node",
                          "%s is of type %s; a potential is one number a point", state->target->name,
                          state->target->dof->name);
  return DV_OK;
}

dvStatus dv_muscle_check_potential(const dvMuscle *t, const dvLink *state, double most)
{
  const dvState *s = dv_state(state->target);
  const double *u = dv_state_read(s, DV_X);
  if (s->count != t->points)
    return dv_field_error(t->owner, state, "leave its size out, or give that of the mesh",
                          "%s has %zu values for %zu points of the mesh", s->base.name, s->count, t->points);
  for (size_t i = 0; i < s->count; i++)
    if (!(fabs(u[i]) <= most))
      return dv_field_error(t->owner, state, "a potential is 0 at rest and 1 when cells are excited",
                            "the position of %s, its potential, is %g at point %zu", s->base.name, u[i], i);
  return DV_OK;
}

dvStatus dv_muscle_check_stimuli(dvMuscle *t)
{
  for (size_t i = 0; i < t->stimuli.count; i++) {
    dvObject *o = t->stimuli.data[i];
    DV_TRY(dv_object_ensure(o));
    DV_TRY(dv_muscle_stimulated(t, o));
    dvPlaces p = dv_stimulus_places(o);
    size_t marked = 0, alive = 0;
    for (size_t k = 0; k < t->points; k++) {
      marked += t->mark.data[k];
      alive += t->mark.data[k] && t->alive.data[k] > 0;
    }
    if (alive == 0)
      dv_warning(o, "move it, or look at the places and the start of TissueZone",
                 "no cell there can be excited: all %zu points are in a zone that is not excitable at the start",
                 marked);
    if (marked == t->points && p.indices->count < t->points)
      dv_field_warning(o, p.radius, "it is in m: 0.005 is the default",
                       "all %zu points of the tissue are within the radius %g: nothing is left to spread to", t->points,
                       *p.radius);
  }
  return DV_OK;
}

// --- zones ---

static bool has_segment(const dvZoneCells *c, size_t tetrahedron)
{
  for (size_t i = 0; i < c->segments->count; i++)
    if (c->segments->data[i] == c->labels->data[tetrahedron]) return true;
  return false;
}

// tetrahedra that are named, or have the label of a segment
static dvStatus mark_cells(const dvMuscle *t, const dvObject *zone, bool *inside)
{
  dvZoneCells c = dv_zone_cells(zone);
  memset(inside, 0, t->count * sizeof *inside);
  for (size_t i = 0; i < c.tetrahedra->count; i++) {
    int32_t at = c.tetrahedra->data[i];
    if (at < 0 || (size_t)at >= t->count)
      return dv_field_error(zone, c.tetrahedra, "indices count from 0", "there is no tetrahedron %d among %zu", at,
                            t->count);
    inside[at] = true;
  }
  if (c.segments->count == 0) return DV_OK;
  if (c.labels->count != t->count)
    return dv_field_error(zone, c.labels, "link them to segments of GenerateVentricle",
                          "segments are given, and there are %zu labels for %zu tetrahedra", c.labels->count, t->count);
  size_t found = 0;
  for (size_t i = 0; i < t->count; i++)
    if (has_segment(&c, i)) inside[i] = true, found++;
  if (found == 0)
    return dv_field_error(zone, c.segments, "those of the left ventricle are 1 to 17",
                          "no tetrahedron has one of these labels");
  return DV_OK;
}

// cells of points all of whose tetrahedra are in the zone; those of its border belong to the muscle beside it
static void kill_inside(dvMuscle *t)
{
  dv_array_resize(&t->lost, t->points);
  memset(t->lost.data, 0, t->points * sizeof *t->lost.data);
  for (int outside = 0; outside < 2; outside++)
    for (size_t i = 0; i < 4 * t->count; i++)
      if (t->inside.data[i / 4] == !outside) t->lost.data[t->tetra[i]] = !outside;
  for (size_t i = 0; i < t->points; i++)
    if (t->lost.data[i]) t->alive.data[i] = 0;
}

static void apply_zone(dvMuscle *t, const dvObject *zone, bool active)
{
  dvZoneEffect e = dv_zone_effect(zone);
  if (!active) e = (dvZoneEffect){1, 1, e.stiffness, true};
  for (size_t i = 0; i < t->points; i++)
    if (t->mark.data[i] && !e.alive) t->alive.data[i] = 0;
  if (!e.alive) kill_inside(t);
  for (size_t i = 0; i < t->count; i++) {
    const int32_t *p = t->tetra + 4 * i;
    if (!(t->inside.data[i] || t->mark.data[p[0]] || t->mark.data[p[1]] || t->mark.data[p[2]] || t->mark.data[p[3]]))
      continue;
    t->conduction.data[i] *= e.conduction;
    t->contractility.data[i] *= e.contractility;
    t->stiffness.data[i] *= e.stiffness;
  }
}

static dvStatus apply_zones(dvMuscle *t, double time)
{
  for (size_t i = 0; i < t->count; i++) t->conduction.data[i] = t->contractility.data[i] = t->stiffness.data[i] = 1;
  for (size_t i = 0; i < t->points; i++) t->alive.data[i] = 1;
  for (size_t i = 0; i < t->zones.count; i++) {
    dvObject *zone = t->zones.data[i];
    dvPlaces places = dv_zone_places(zone);
    DV_TRY(dv_object_ensure(zone));
    memset(t->mark.data, 0, t->points * sizeof *t->mark.data);
    DV_TRY(dv_places_mark(zone, &places, t->rest, t->points, t->mark.data));
    dv_array_resize(&t->inside, t->count);
    DV_TRY(mark_cells(t, zone, t->inside.data));
    apply_zone(t, zone, dv_zone_active(zone, time));
  }
  return DV_OK;
}

dvStatus dv_muscle_zones(dvMuscle *t, double time, bool *changed)
{
  uint64_t stamp = 1;
  if (t->graph != t->owner->node->scene->version) collect(t);
  for (size_t i = 0; i < t->zones.count; i++)
    stamp = stamp * 1000003u + (uintptr_t)t->zones.data[i] + 2 * dv_zone_version(t->zones.data[i]) +
            dv_zone_active(t->zones.data[i], time);
  if (changed) *changed = stamp != t->zone_stamp;
  if (stamp == t->zone_stamp) return DV_OK;
  dvStatus status = apply_zones(t, time);
  t->zone_stamp = status == DV_OK ? stamp : UINT64_MAX;   // what was wrong is told until it is mended
  return status;
}

dvStatus dv_muscle_in_zone(const dvMuscle *t, const dvObject *zone, bool *mark)
{
  dvPlaces places = dv_zone_places(zone);
  DV_ARRAY(bool) inside = {0};
  dv_array_resize(&inside, t->count);
  memset(mark, 0, t->points * sizeof *mark);
  dvStatus status = dv_places_mark(zone, &places, t->rest, t->points, mark);
  if (status == DV_OK) status = mark_cells(t, zone, inside.data);
  for (size_t i = 0; i < 4 * t->count && status == DV_OK; i++)
    if (inside.data[i / 4]) mark[t->tetra[i]] = true;
  dv_array_free(&inside);
  return status;
}

dvStatus dv_muscle_stimulated(dvMuscle *t, const dvObject *stimulus)
{
  dvPlaces places = dv_stimulus_places(stimulus);
  memset(t->mark.data, 0, t->points * sizeof *t->mark.data);
  return dv_places_mark(stimulus, &places, t->rest, t->points, t->mark.data);
}

bool dv_muscle_gradients(const dvMuscle *t, size_t i, dvVec3 g[4], double *volume)
{
  const int32_t *p = t->tetra + 4 * i;
  dvVec3 a = dv_vec3_load(t->rest + 3 * (size_t)p[0]), e[3];
  for (int k = 0; k < 3; k++) e[k] = dv_vec3_sub(dv_vec3_load(t->rest + 3 * (size_t)p[k + 1]), a);
  double six = dv_vec3_dot(e[0], dv_vec3_cross(e[1], e[2])),
         size = dv_vec3_norm(e[0]) * dv_vec3_norm(e[1]) * dv_vec3_norm(e[2]);
  if (!(fabs(six) > 1e-14 * size)) return false;
  for (int k = 0; k < 3; k++) g[k + 1] = dv_vec3_scale(dv_vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3]), 1 / six);
  g[0] = dv_vec3_neg(dv_vec3_add(g[1], dv_vec3_add(g[2], g[3])));
  *volume = fabs(six) / 6;
  return true;
}

// what has failed is not there, and need not be missed
static bool mistakes_come_first(const dvObject *o) { return o->context->log.recent != DV_OK; }

const dvMuscle *dv_muscle_of(const dvObject *o)
{
  if (o->cls == &dv_monodomain_class) return dv_monodomain_tissue(o);
  return o->cls == &dv_eikonal_class ? dv_eikonal_tissue(o) : NULL;
}

typedef struct Seeker {
  dvVisitor visitor;
  const dvNode *place;
  bool found;
} Seeker;

static bool stands_below(const dvNode *n, const dvNode *above)
{
  while (n && n != above) n = n->parents.count ? n->parents.data[0] : NULL;
  return n != NULL;
}

static dvWalk seek_tissue(dvVisitor *v, dvNode *node)
{
  static const dvClass *const owners[] = {&dv_monodomain_class, &dv_eikonal_class, &dv_contraction_class,
                                          &dv_ecg_class};
  Seeker *s = (Seeker *)v;
  for (size_t i = 0; i < node->objects.count; i++)
    for (size_t k = 0; k < DV_COUNT(owners); k++) {
      const dvObject *o = node->objects.data[i], *mesh = NULL;
      if (o->cls == owners[k]) mesh = ((const dvLink *)dv_object_field(o, "topology")->value)->target;
      if (o->cls == owners[k] && !mesh) mesh = dv_node_find_up(node, DV_ROLE_TOPOLOGY);   // it may come later
      s->found = s->found || (mesh && stands_below(s->place, mesh->node));
    }
  return s->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

void dv_muscle_finds(const dvObject *place)
{
  Seeker s = {.visitor = {.top_down = seek_tissue, .everything = true}, .place = place->node};
  if (mistakes_come_first(place)) return;
  dv_visit(place->node->scene->root, &s.visitor);
  if (!s.found)
    dv_warning(place, "move it to the node of the mesh that a solver has, or further down",
               "%s has no effect: no tissue is in its node or above", place->cls->name);
}

// a solver above rules this node, unless a loop gives each its turn
static void warn_of_turn(const dvObject *o)
{
  const dvObject *loop = o->node->scene->loop, *above = NULL;
  for (const dvNode *n = o->node; n->parents.count && !above; n = n->parents.data[0])
    above = dv_node_find(n->parents.data[0], DV_ROLE_ODE);
  if (!above || !loop || ((const dvLoopOps *)dv_ops(loop, DV_ROLE_LOOP))->by_tags) return;   // that one tells itself
  dv_warning(o, "use MultiTagAnimationLoop with a tag for each system, or put the node beside that of the other solver",
             "the potential will never be solved: %s further up rules this node", above->name);
}

// two models of one potential
static void warn_of_other(const dvObject *o)
{
  const dvNode *n = o->node;
  for (size_t i = 0; i < n->objects.count && n->objects.data[i] != o; i++)
    if (dv_muscle_of(n->objects.data[i]))
      dv_warning(o, "give each solver a node and an ElectricalState of its own, or take one away",
                 "%s of the same node solves the potential, too: one writes over what the other has found",
                 n->objects.data[i]->name);
}

dvStatus dv_muscle_ready(dvObject *o)
{
  const dvMuscle *t = dv_muscle_of(o);
  const dvState *s = dv_state(((const dvLink *)dv_object_field(o, "state")->value)->target);
  const double *u = dv_state_read(s, DV_X);
  bool excited = t->stimuli.count > 0;
  for (size_t i = 0; i < s->count && !excited; i++) excited = u[i] != 0;
  warn_of_turn(o);
  warn_of_other(o);
  if (o->node->scene->root->dt > 0.1)
    dv_warning(o, "give the root node dt=\"0.01\" or less", "steps of %g s pass over what happens in a beat",
               o->node->scene->root->dt);
  if (!excited && !mistakes_come_first(o))
    dv_warning(o, "add <CardiacStimulus center=\"x y z\"/> at or below the node of the mesh, or place a lead",
               "nothing will be excited: there is no stimulus");
  return DV_OK;
}

double dv_muscle_size(const dvMuscle *t)
{
  double sum = 0;
  for (size_t k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < t->points; i++) {
      low = dv_min(low, t->rest[3 * i + k]);
      high = dv_max(high, t->rest[3 * i + k]);
    }
    sum += (high - low) * (high - low);
  }
  return sqrt(sum);
}

dvObject *dv_muscle_shape(const dvObject *o)
{
  for (const dvNode *n = o->node; n; n = n->parents.count ? n->parents.data[0] : NULL) {
    dvObject *s = dv_node_state(n);
    if (s && s->dof && s->dof->kind == DV_VEC3) return s;
  }
  return NULL;
}
