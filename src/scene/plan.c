// Compilation of a subgraph into lists. See plan.h.
#include "scene/plan.h"

#include "scene/flow.h"
#include "scene/live.h"

typedef struct Collector {
  dvVisitor visitor;
  dvPlan *plan;
} Collector;

static const dvMappingOps *mapping_ops(const dvObject *o) { return dv_ops(o, DV_ROLE_MAPPING); }

dvObject *dv_mapping_input(const dvObject *o, size_t index) { return mapping_ops(o)->input(o, index); }
dvObject *dv_mapping_output(const dvObject *o, size_t index) { return mapping_ops(o)->output(o, index); }

bool dv_mapping_hands_up(const dvObject *o, dvUpward what)
{
  const dvMappingOps *ops = mapping_ops(o);
  return !ops->hands_up || ops->hands_up(o, what);
}

bool dv_mapping_is_mechanical(const dvObject *o)
{
  if (!o->cls->ops[DV_ROLE_MAPPING] || o->failed || !mapping_ops(o)->apply_jt) return false;
  dvObject *state;
  size_t n = 0;
  for (; (state = dv_mapping_output(o, n)); n++)
    if (!dv_is_mechanical_state(state)) return false;
  return n > 0;
}

int dv_force_states(const dvObject *o, dvObject *out[DV_FORCE_STATES])
{
  return ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->states((dvObject *)o, out);
}

static void push_mapping(dvPlan *p, dvObject *o)
{
  dv_push(&p->mappings, ((dvPlanMapping){.object = o, .hands_forces = dv_mapping_hands_up(o, DV_UP_FORCES)}));
}

static dvWalk collect_top_down(dvVisitor *v, dvNode *node)
{
  dvPlan *p = ((Collector *)v)->plan;
  bool mapped = dv_node_is_mapped(node);
  int32_t number = (int32_t)p->nodes.used;
  *dv_address_map_at(&p->nodes, node, 0) = number;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !dv_object_has_tags(o, &p->tags)) continue;
    const dvMassOps *mass = dv_ops(o, DV_ROLE_MASS);
    dvPlanItem item = {o, node, mass && mass->rayleigh_mass ? mass->rayleigh_mass(o) : NULL, false};
    if (dv_is_mechanical_state(o)) {
      *dv_address_map_at(&p->inside, o, 0) = 1;
      dv_push(&p->states, o);
      if (mapped) dv_push(&p->mapped, o);
      else dv_push(&p->independent, o);
    }
    if (dv_plays(o, DV_ROLE_MAPPING)) {
      if (dv_mapping_is_mechanical(o)) push_mapping(p, o);
      else dv_push(&p->visual_mappings, o);
    }
    if (dv_plays(o, DV_ROLE_MASS)) dv_push(&p->masses, item);
    if (dv_plays(o, DV_ROLE_FORCE)) dv_push(&p->forces, item);
    if (o->cls->ops[DV_ROLE_VISUAL]) dv_push(&p->visuals, o);
    if (o->cls->ops[DV_ROLE_COLLISION]) dv_push(&p->pipelines, o);
    if (o->cls->ops[DV_ROLE_CONSTRAINT]) dv_push(&p->constraints, o);
    if (o->cls->ops[DV_ROLE_CORRECTION]) dv_push(&p->corrections, o);
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

// --- marks ---------------------------------------------------------------------------------------

static void mark(dvAddressMap *set, const dvObject *o) { *dv_address_map_at(set, o, 0) = 1; }
static bool is_marked(const dvAddressMap *set, const dvObject *o) { return dv_address_map_find(set, o, 0) >= 0; }

static void mark_states_of(dvAddressMap *set, const dvPlan *p, size_t first)
{
  dvObject *states[DV_FORCE_STATES];
  for (size_t i = first; i < p->forces.count; i++) {
    int n = dv_force_states(p->forces.data[i].object, states);
    for (int k = 0; k < n; k++) mark(set, states[k]);
  }
}

static bool acts_on(const dvObject *constraint, const dvObject *state)
{
  if (dv_node_state(constraint->node) == state) return true;
  for (int i = 0; i < constraint->field_count; i++) {
    const dvField *f = &constraint->fields[i];
    if (f->desc->type == DV_T_LINK && f->desc->role == DV_ROLE_STATE && ((const dvLink *)f->value)->target == state)
      return true;
  }
  return false;
}

// Mappings with geometric stiffness whose output is constrained: multipliers of the last step are forces there. Their
// outputs count as loaded.
static void mark_bending(dvPlan *p)
{
  for (size_t i = 0; p->constraints.count && i < p->mappings.count; i++) {
    dvPlanMapping *m = &p->mappings.data[i];
    const dvField *kind = dv_object_field(m->object, "geometricStiffness");
    dvObject *output;
    if (!kind || *(const int32_t *)kind->value == 0) continue;
    for (size_t k = 0; (output = dv_mapping_output(m->object, k)); k++)
      for (size_t c = 0; c < p->constraints.count; c++)
        if (acts_on(p->constraints.data[c], output)) {
          m->bends = true;
          mark(&p->marks, output);
        }
  }
}

// the states that a force or mass acts on
static void mark_loaded(dvPlan *p)
{
  dv_address_map_clear(&p->marks);
  mark_states_of(&p->marks, p, 0);
  for (size_t i = 0; i < p->masses.count; i++) {
    const dvObject *state = dv_node_state_up(p->masses.data[i].node);
    if (state) mark(&p->marks, state);
  }
}

static bool any_output_marked(const dvPlan *p, const dvObject *mapping)
{
  dvObject *output;
  for (size_t k = 0; (output = dv_mapping_output(mapping, k)); k++)
    if (is_marked(&p->marks, output)) return true;
  return false;
}

static void mark_inputs(dvPlan *p, const dvObject *mapping)
{
  dvObject *input;
  for (size_t k = 0; (input = dv_mapping_input(mapping, k)); k++) mark(&p->marks, input);
}

// from the leaves up: a mapping carries when something acts on its output or a carrying mapping starts there
static void mark_carrying(dvPlan *p)
{
  for (size_t i = p->mappings.count; i > 0; i--) {
    dvPlanMapping *m = &p->mappings.data[i - 1];
    m->carries = m->hands_forces && (m->carries_always || any_output_marked(p, m->object));
    if (m->carries && !m->carries_always) mark_inputs(p, m->object);
  }
}

static bool any_writer(const dvFlow *flow, const dvObject *state, const bool *marked)
{
  const dvFlowPort *end;
  for (const dvFlowPort *w = dv_flow_ports(&flow->outputs, state, &end); w < end; w++)
    if (marked[w->mapping]) return true;
  return false;
}

// inertia below a mapping that hands no masses up; one that passes it on comes after it in the order
static void mark_inert(dvPlan *p, const dvFlow *flow, const int32_t *order)
{
  bool *inert = dv_alloc((p->mappings.count + 1) * sizeof *inert);
  for (size_t i = 0; i < p->mappings.count; i++) {
    dvObject *input;
    const dvObject *mapping = flow->mappings[order[i]];
    bool found = !dv_mapping_hands_up(mapping, DV_UP_MASSES);
    for (size_t k = 0; !found && (input = dv_mapping_input(mapping, k)); k++) found = any_writer(flow, input, inert);
    inert[order[i]] = found;
  }
  for (size_t i = 0; i < p->masses.count; i++)
    p->masses.data[i].inert = any_writer(flow, dv_node_state_up(p->masses.data[i].node), inert);
  dv_free(inert);
}

static void find_outside(dvPlan *p, size_t from)
{
  dvObject *states[DV_FORCE_STATES];
  dv_address_map_clear(&p->marks);
  for (size_t i = 0; i < p->outside.count; i++) mark(&p->marks, p->outside.data[i]);
  for (size_t i = from; i < p->forces.count; i++) {
    int n = dv_force_states(p->forces.data[i].object, states);
    for (int k = 0; k < n; k++) {
      if (dv_plan_has(p, states[k]) || is_marked(&p->marks, states[k])) continue;
      mark(&p->marks, states[k]);
      dv_push(&p->outside, states[k]);
    }
  }
}

// The walk already puts parents before children; mappings between siblings may still need sorting.
static void arrange_mappings(dvPlan *p)
{
  size_t n = p->mappings.count;
  dvObject **found = dv_alloc((n + 1) * sizeof *found);
  dvPlanMapping *sorted = dv_alloc((n + 1) * sizeof *sorted);
  int32_t *order = dv_alloc((n + 1) * sizeof *order);
  for (size_t i = 0; i < n; i++) found[i] = p->mappings.data[i].object;
  dvFlow flow;
  dv_flow_init(&flow, found, n);
  dv_flow_order(&flow, order);
  mark_inert(p, &flow, order);
  for (size_t i = 0; i < n; i++) sorted[i] = p->mappings.data[order[i]];
  for (size_t i = 0; i < n; i++) p->mappings.data[i] = sorted[i];
  dv_flow_fini(&flow);
  dv_free(order);
  dv_free(sorted);
  dv_free(found);
}

// --- circles -------------------------------------------------------------------------------------

typedef struct MappingList {
  dvVisitor visitor;
  DV_ARRAY(dvObject *) items;
} MappingList;

static dvWalk list_mappings(dvVisitor *v, dvNode *node)
{
  MappingList *l = (MappingList *)v;
  for (size_t i = 0; i < node->objects.count; i++)
    if (!node->objects.data[i]->failed && dv_plays(node->objects.data[i], DV_ROLE_MAPPING))
      dv_push(&l->items, node->objects.data[i]);
  return DV_WALK_ON;
}

// of those in a circle or behind one that feed a mapping, the last
static int32_t feeder(const dvFlow *flow, const bool *stuck, int32_t mapping)
{
  dvObject *input;
  int32_t last = -1;
  for (size_t k = 0; (input = dv_mapping_input(flow->mappings[mapping], k)); k++) {
    const dvFlowPort *end;
    for (const dvFlowPort *w = dv_flow_ports(&flow->outputs, input, &end); w < end; w++)
      if (stuck[w->mapping] && w->mapping > last) last = w->mapping;
  }
  return last;
}

// backwards from any of them: after as many moves as there are mappings the walk is in the circle
static dvStatus tell_circle(const dvFlow *flow, const bool *stuck, size_t count)
{
  int32_t at = 0;
  while (!stuck[at]) at++;
  for (size_t move = 0; move < count; move++) at = feeder(flow, stuck, at);
  dvText round = {0};
  dv_text_add(&round, flow->mappings[at]->name);
  int32_t start = at;
  do {
    at = feeder(flow, stuck, at);
    dv_text_printf(&round, " <- %s", flow->mappings[at]->name);
  } while (at != start);
  dvStatus status = dv_error(flow->mappings[at], "a state can be driven only by states that do not depend on it",
                             "mappings drive each other in a circle: %s", round.text);
  dv_text_free(&round);
  return status;
}

// a state has the positions that one mapping gives it
static dvStatus check_drivers(const dvFlow *flow)
{
  dvStatus status = DV_OK;
  for (size_t i = 1; i < flow->outputs.count; i++) {
    const dvFlowPort *a = &flow->outputs.data[i - 1], *b = &flow->outputs.data[i];
    if (a->state != b->state) continue;
    char *other = dv_object_path(flow->mappings[a->mapping]);
    status = dv_error(flow->mappings[b->mapping], "remove one of them, or give the second a state of its own",
                      "the state %s is already driven by %s", a->state->name, other);
    dv_free(other);
  }
  return status;
}

dvStatus dv_scene_check_mappings(dvScene *scene)
{
  MappingList l = {.visitor = {.top_down = list_mappings}};
  dv_visit(scene->root, &l.visitor);
  dvFlow flow;
  dv_flow_init(&flow, l.items.data, l.items.count);
  bool *stuck = dv_alloc((l.items.count + 1) * sizeof *stuck);
  size_t count = dv_flow_circles(&flow, stuck);
  dvStatus status = count ? tell_circle(&flow, stuck, count) : check_drivers(&flow);
  dv_free(stuck);
  dv_flow_fini(&flow);
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
  dv_array_free(&p->constraints);
  dv_array_free(&p->corrections);
  dv_array_free(&p->outside);
  dv_address_map_free(&p->nodes);
  dv_address_map_free(&p->inside);
  dv_address_map_free(&p->marks);
}

static bool same_tags(const dvStrings *a, const dvStrings *b)
{
  size_t count = b ? b->count : 0;
  bool same = a->count == count;
  for (size_t i = 0; same && i < count; i++) same = dv_same(a->data[i], b->data[i]);
  return same;
}

// --- the live part -------------------------------------------------------------------------------

static void append_live(dvPlan *p, dvObject *o)
{
  if (o->failed || dv_address_map_find(&p->nodes, o->node, 0) < 0 || !dv_object_has_tags(o, &p->tags)) return;
  if (dv_is_mechanical_state(o)) {
    *dv_address_map_at(&p->inside, o, 0) = 1;
    dv_push(&p->states, o);
    dv_push(&p->mapped, o);
  }
  if (o->cls->ops[DV_ROLE_MAPPING]) push_mapping(p, o);
  if (o->cls->ops[DV_ROLE_FORCE]) dv_push(&p->forces, ((dvPlanItem){.object = o, .node = o->node}));
  if (o->cls->ops[DV_ROLE_CONSTRAINT]) dv_push(&p->constraints, o);
}

static void cut_live(dvPlan *p)
{
  p->states.count = p->fixed.states;
  p->mapped.count = p->fixed.mapped;
  p->mappings.count = p->fixed.mappings;
  p->forces.count = p->fixed.forces;
  p->constraints.count = p->fixed.constraints;
  p->outside.count = p->fixed.outside;
  dv_address_map_clear(&p->inside);
  for (size_t i = 0; i < p->states.count; i++) *dv_address_map_at(&p->inside, p->states.data[i], 0) = 1;
}

static void refill_live(dvPlan *p)
{
  const dvScene *scene = p->root->scene;
  if (p->live_version == scene->live_version) return;
  p->live_version = scene->live_version;
  cut_live(p);
  for (size_t g = 0; g < scene->live.count; g++)
    for (size_t i = 0; i < scene->live.data[g]->objects.count; i++)
      append_live(p, scene->live.data[g]->objects.data[i]);
  dv_address_map_clear(&p->marks);
  mark_states_of(&p->marks, p, p->fixed.forces);
  mark_carrying(p);
  find_outside(p, p->fixed.forces);
}

static void compile(dvPlan *p)
{
  Collector c = {.visitor = {.top_down = collect_top_down, .bottom_up = collect_bottom_up}, .plan = p};
  dv_visit(p->root, &c.visitor);
  for (size_t i = 0; i < p->root->joined.count; i++) dv_visit(p->root->joined.data[i], &c.visitor);
  arrange_mappings(p);
  mark_loaded(p);
  mark_bending(p);
  mark_carrying(p);
  for (size_t i = 0; i < p->mappings.count; i++) p->mappings.data[i].carries_always = p->mappings.data[i].carries;
  find_outside(p, 0);
  p->fixed = (dvPlanFixed){.states = p->states.count,
                           .mapped = p->mapped.count,
                           .mappings = p->mappings.count,
                           .forces = p->forces.count,
                           .constraints = p->constraints.count,
                           .outside = p->outside.count};
  p->live_version = 0;   // of a scene that never had anything live
}

dvPlan *dv_plan_get(dvPlan **plan, dvNode *root) { return dv_plan_get_tagged(plan, root, NULL); }

dvPlan *dv_plan_get_tagged(dvPlan **plan, dvNode *root, const dvStrings *tags)
{
  if (!*plan) *plan = dv_alloc(sizeof **plan);
  dvPlan *p = *plan;
  if (p->root != root || p->version != root->scene->version || !same_tags(&p->tags, tags)) {
    plan_clear(p);
    if (tags) dv_strings_copy(&p->tags, tags);
    else dv_strings_free(&p->tags);
    p->root = root;
    p->version = root->scene->version;
    compile(p);
  }
  refill_live(p);
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
