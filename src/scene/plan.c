// Compilation of a subgraph into lists. See plan.h.
#include "scene/plan.h"

#include <string.h>

typedef struct Collector {
  dvVisitor visitor;
  dvPlan *plan;
} Collector;

int dv_mapping_inputs(const dvObject *o, dvObject **out)
{
  const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
  if (ops->inputs) return ops->inputs((dvObject *)o, out);
  const dvField *f = dv_object_field(o, "input");
  const dvLinks *links = f && f->desc->type == DV_T_LINKS ? f->value : NULL;
  int n = 0;
  for (size_t i = 0; links && i < links->count && n < DV_MAPPING_STATES; i++)
    if (links->data[i].target) out[n++] = links->data[i].target;
  return n;
}

int dv_mapping_outputs(const dvObject *o, dvObject **out)
{
  const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
  if (ops->outputs) return ops->outputs((dvObject *)o, out);
  const dvField *f = dv_object_field(o, "output");
  const dvLink *link = f ? f->value : NULL;
  if (!link || !link->target) return 0;
  out[0] = link->target;
  return 1;
}

bool dv_mapping_is_mechanical(const dvObject *o)
{
  if (!o->cls->ops[DV_ROLE_MAPPING] || o->failed) return false;
  const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
  if (!ops->apply_jt) return false;
  dvObject *states[DV_MAPPING_STATES];
  int n = dv_mapping_outputs(o, states);
  bool mechanical = n > 0;
  for (int i = 0; i < n; i++) mechanical = mechanical && dv_is_mechanical_state(states[i]);
  return mechanical;
}

int dv_force_states(const dvObject *o, dvObject **out)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  if (ops && ops->states) return ops->states((dvObject *)o, out);
  dvObject *state = dv_node_state_up(o->node);
  if (!state) return 0;
  out[0] = state;
  return 1;
}

static dvWalk collect_top_down(dvVisitor *v, dvNode *node)
{
  dvPlan *p = ((Collector *)v)->plan;
  bool mapped = dv_node_is_mapped(node);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !dv_object_has_tags(o, &p->tags)) continue;
    const dvField *damping = dv_plays(o, DV_ROLE_MASS) ? dv_object_field(o, "rayleighMass") : NULL;
    dvPlanItem item = {o, node, damping ? damping->value : NULL, false};
    if (dv_is_mechanical_state(o)) {
      dv_push(&p->states, o);
      if (mapped) dv_push(&p->mapped, o);
      else dv_push(&p->independent, o);
    }
    if (dv_plays(o, DV_ROLE_MAPPING)) {
      if (dv_mapping_is_mechanical(o)) dv_push(&p->mappings, ((dvPlanMapping){o, false}));
      else dv_push(&p->visual_mappings, o);
    }
    if (dv_plays(o, DV_ROLE_MASS)) dv_push(&p->masses, item);
    if (dv_plays(o, DV_ROLE_FORCE)) dv_push(&p->forces, item);
    if (o->cls->ops[DV_ROLE_VISUAL]) dv_push(&p->visuals, o);
    if (o->cls->ops[DV_ROLE_COLLISION]) dv_push(&p->pipelines, o);
  }
  return DV_WALK_ON;
}

static void collect_bottom_up(dvVisitor *v, dvNode *node)
{
  dvPlan *p = ((Collector *)v)->plan;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!o->failed && dv_plays(o, DV_ROLE_PROJECTIVE) && dv_object_has_tags(o, &p->tags)) dv_push(&p->projections, o);
  }
}

static bool acts_on(const dvPlan *p, const dvObject *state)
{
  dvObject *list[2];
  for (size_t i = 0; i < p->forces.count; i++) {
    int n = dv_force_states(p->forces.data[i].object, list);
    for (int k = 0; k < n; k++)
      if (list[k] == state) return true;
  }
  for (size_t i = 0; i < p->masses.count; i++)
    if (dv_node_state_up(p->masses.data[i].node) == state) return true;
  return false;
}

static bool hands_up(const dvObject *mapping, const char *what)
{
  const dvField *f = dv_object_field(mapping, what);
  return !f || f->desc->type != DV_T_BOOL || *(const bool *)f->value;
}

// from the leaves up: a mapping carries when something acts on its output or a carrying mapping starts there
static void mark_carrying(dvPlan *p)
{
  for (size_t i = p->mappings.count; i > 0; i--) {
    dvPlanMapping *m = &p->mappings.data[i - 1];
    dvObject *outputs[DV_MAPPING_STATES], *inputs[DV_MAPPING_STATES];
    if (!hands_up(m->object, "mapForces")) continue;
    int n = dv_mapping_outputs(m->object, outputs);
    for (int k = 0; k < n && !m->carries; k++) {
      m->carries = acts_on(p, outputs[k]);
      for (size_t j = 0; j < p->mappings.count && !m->carries; j++) {
        if (!p->mappings.data[j].carries) continue;
        int count = dv_mapping_inputs(p->mappings.data[j].object, inputs);
        for (int l = 0; l < count; l++) m->carries = m->carries || inputs[l] == outputs[k];
      }
    }
  }
}

// inertia below a mapping that hands no masses up; mappings are in order, so a state that passes it on comes after it
static void mark_inert(dvPlan *p)
{
  DV_ARRAY(const dvObject *) states = {0};
  for (size_t i = 0; i < p->mappings.count; i++) {
    dvObject *outputs[DV_MAPPING_STATES], *inputs[DV_MAPPING_STATES];
    int n = dv_mapping_outputs(p->mappings.data[i].object, outputs), m = dv_mapping_inputs(p->mappings.data[i].object, inputs);
    bool inert = !hands_up(p->mappings.data[i].object, "mapMasses");
    for (int k = 0; k < m && !inert; k++)
      for (size_t j = 0; j < states.count; j++) inert = inert || states.data[j] == inputs[k];
    for (int k = 0; k < n && inert; k++) dv_push(&states, (const dvObject *)outputs[k]);
  }
  for (size_t i = 0; i < p->masses.count && states.count; i++) {
    const dvObject *state = dv_node_state_up(p->masses.data[i].node);
    for (size_t j = 0; j < states.count; j++) p->masses.data[i].inert = p->masses.data[i].inert || states.data[j] == state;
  }
  dv_array_free(&states);
}

static bool holds(const dvObject *const *list, size_t count, const dvObject *o)
{
  for (size_t i = 0; i < count; i++)
    if (list[i] == o) return true;
  return false;
}

static void find_outside(dvPlan *p)
{
  dvObject *states[2];
  for (size_t i = 0; i < p->forces.count; i++) {
    int n = dv_force_states(p->forces.data[i].object, states);
    for (int k = 0; k < n; k++)
      if (!holds((const dvObject *const *)p->states.data, p->states.count, states[k]) &&
          !holds((const dvObject *const *)p->outside.data, p->outside.count, states[k]))
        dv_push(&p->outside, states[k]);
  }
}

static bool feeds(const dvObject *from, const dvObject *to)
{
  dvObject *outputs[DV_MAPPING_STATES], *inputs[DV_MAPPING_STATES];
  int n = dv_mapping_outputs(from, outputs), m = dv_mapping_inputs(to, inputs);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < m; b++)
      if (outputs[a] == inputs[b]) return true;
  return false;
}

// the walk already puts parents before children; mappings between siblings may still need sorting. The first
// mapping that waits for none of the others comes next; in a cycle, the first one does.
static void sort_mappings(dvPlan *p)
{
  for (size_t done = 0; done < p->mappings.count; done++) {
    size_t next = done;
    for (size_t i = done; i < p->mappings.count; i++) {
      bool waits = false;
      for (size_t j = done; j < p->mappings.count && !waits; j++)
        waits = j != i && feeds(p->mappings.data[j].object, p->mappings.data[i].object);
      if (waits) continue;
      next = i;
      break;
    }
    dvPlanMapping moved = p->mappings.data[next];
    memmove(&p->mappings.data[done + 1], &p->mappings.data[done], (next - done) * sizeof moved);
    p->mappings.data[done] = moved;
  }
}

// --- cycles ------------------------------------------------------------------------------------------

typedef struct MappingList {
  dvVisitor visitor;
  DV_ARRAY(dvObject *) items;
} MappingList;

static dvWalk list_mappings(dvVisitor *v, dvNode *node)
{
  MappingList *l = (MappingList *)v;
  for (size_t i = 0; i < node->objects.count; i++)
    if (!node->objects.data[i]->failed && dv_plays(node->objects.data[i], DV_ROLE_MAPPING)) dv_push(&l->items, node->objects.data[i]);
  return DV_WALK_ON;
}

// takes away what waits for nobody until nothing changes: what is left stands in a circle or behind one
static void drop_free(MappingList *l)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < l->items.count; i++) {
      bool waits = false;
      for (size_t j = 0; j < l->items.count && !waits; j++) waits = feeds(l->items.data[j], l->items.data[i]);
      if (waits) continue;
      memmove(&l->items.data[i], &l->items.data[i + 1], (l->items.count - i - 1) * sizeof *l->items.data);
      l->items.count--;
      changed = true;
      break;
    }
  }
}

dvStatus dv_scene_check_mappings(dvScene *scene)
{
  MappingList l = {.visitor = {.top_down = list_mappings}};
  dv_visit(scene->root, &l.visitor);
  drop_free(&l);
  if (l.items.count == 0) {
    dv_array_free(&l.items);
    return DV_OK;
  }
  // backwards from any of them: after as many moves as there are mappings the walk is in the circle
  const dvObject *at = l.items.data[0];
  dvText round = {0};
  for (size_t move = 0; move < 2 * l.items.count; move++) {
    const dvObject *before = at;
    for (size_t j = 0; j < l.items.count; j++)
      if (feeds(l.items.data[j], before)) at = l.items.data[j];
    if (move == l.items.count - 1) dv_text_add(&round, at->name);
    else if (move >= l.items.count) dv_text_printf(&round, " <- %s", at->name);
    if (move >= l.items.count && strncmp(round.text, at->name, strlen(at->name)) == 0) break;
  }
  dvStatus status = dv_error(at, "a state can be driven only by states that do not depend on it", "mappings drive each other in a circle: %s", round.text);
  dv_text_free(&round);
  dv_array_free(&l.items);
  return status;
}

static void plan_clear(dvPlan *p)
{
  dv_array_free(&p->states);
  dv_array_free(&p->independent);
  dv_array_free(&p->mapped);
  dv_array_free(&p->mappings);
  dv_array_free(&p->visual_mappings);
  dv_array_free(&p->forces);
  dv_array_free(&p->masses);
  dv_array_free(&p->projections);
  dv_array_free(&p->pipelines);
  dv_array_free(&p->visuals);
  dv_array_free(&p->outside);
}

static bool same_tags(const dvStrings *a, const dvStrings *b)
{
  size_t count = b ? b->count : 0;
  bool same = a->count == count;
  for (size_t i = 0; same && i < count; i++) same = dv_same(a->data[i], b->data[i]);
  return same;
}

dvPlan *dv_plan_get(dvPlan **plan, dvNode *root) { return dv_plan_get_tagged(plan, root, NULL); }

dvPlan *dv_plan_get_tagged(dvPlan **plan, dvNode *root, const dvStrings *tags)
{
  if (!*plan) *plan = dv_alloc(sizeof **plan);
  dvPlan *p = *plan;
  if (p->root == root && p->version == root->scene->version && same_tags(&p->tags, tags)) return p;
  plan_clear(p);
  if (tags) dv_strings_copy(&p->tags, tags);
  else dv_strings_free(&p->tags);
  p->root = root;
  p->version = root->scene->version;
  Collector c = {.visitor = {.top_down = collect_top_down, .bottom_up = collect_bottom_up}, .plan = p};
  dv_visit(root, &c.visitor);
  sort_mappings(p);
  mark_carrying(p);
  mark_inert(p);
  find_outside(p);
  return p;
}

void dv_plan_destroy(dvPlan **plan)
{
  if (!*plan) return;
  plan_clear(*plan);
  dv_strings_free(&(*plan)->tags);
  dv_free(*plan);
  *plan = NULL;
}
