// MultiTagAnimationLoop: several systems in one graph, solved one after the other, e.g. an electric and a mechanical
// one.
//
// For each tag of the loop, in the order in which they are given, collision and one integration over the whole step: of
// the solvers, and the interaction forces outside of them, that have the tag. What such a solver sees is decided by the
// tags of its node: if it has any, only components that have all of them. Time moves once, at the end.
#include "ode/loop.h"

#define MULTI_TAG_FIELDS(X) DV_LOOP_FIELDS(X)

typedef struct MultiTag {
  dvObject base;
  MULTI_TAG_FIELDS(DV_MEMBER)
  dvIntegration *integrations;   // one for each tag
  size_t count;
} MultiTag;

#define SELF MultiTag
static const dvFieldDesc multi_tag_fields[] = {MULTI_TAG_FIELDS(DV_DESCRIBE)};
#undef SELF

static void forget(MultiTag *l)
{
  for (size_t i = 0; i < l->count; i++) dv_integration_free(&l->integrations[i]);
  dv_free(l->integrations);
  l->integrations = NULL;
  l->count = 0;
}

static dvStatus multi_tag_init(dvObject *o)
{
  MultiTag *l = (MultiTag *)o;
  forget(l);
  if (o->tags.count == 0)
    dv_warning(o, "list the tags of the systems in the order in which they are solved, e.g. tags=\"elec meca\"",
               "the loop has no tags: nothing will move");
  l->count = o->tags.count;
  l->integrations = dv_alloc(dv_max_size(l->count, 1) * sizeof *l->integrations);
  for (size_t i = 0; i < l->count; i++) {
    l->integrations[i].one_by_one = true;
    dv_integration_set_tag(&l->integrations[i], o->tags.data[i]);
  }
  return DV_OK;
}

// --- what is left out ---

typedef struct Search {
  dvVisitor visitor;
  const dvObject *loop;
} Search;

static bool is_solved(const dvObject *o)
{
  return dv_is_mechanical_state(o) || dv_plays(o, DV_ROLE_MASS) || dv_plays(o, DV_ROLE_FORCE) ||
         dv_plays(o, DV_ROLE_PROJECTIVE);
}

// a solver in this node or above that has its turn, and whose node has tags that the component has not; none below a
// solver that has no turn, of which one is told
static const dvObject *leaves_out(const dvObject *loop, const dvObject *o)
{
  const dvObject *found = NULL;
  for (const dvNode *n = o->node; n; n = n->parents.count ? n->parents.data[0] : NULL) {
    const dvObject *solver = dv_node_find(n, DV_ROLE_ODE);
    if (!solver) continue;
    if (!dv_loop_has_turn(loop, solver)) return NULL;
    if (dv_object_has_tags(o, &n->base.tags)) return NULL;
    if (!found) found = solver;
  }
  return found;
}

static dvWalk search_in(dvVisitor *v, dvNode *node)
{
  const dvObject *loop = ((Search *)v)->loop;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (dv_plays(o, DV_ROLE_ODE) && !dv_loop_has_turn(loop, o))
      dv_warning(o, "give it one of the tags of the loop, and the loop the tag of each system",
                 "the solver has no turn: it has none of the tags of %s", loop->name);
    const dvObject *solver = is_solved(o) ? leaves_out(loop, o) : NULL;
    if (solver)
      dv_warning(o, "give it the tags of that node, or take these away from the node",
                 "%s leaves it out: it does not have the tag %s of the solver's node", solver->name,
                 solver->node->base.tags.data[0]);
  }
  return DV_WALK_ON;
}

static dvStatus multi_tag_start(dvObject *o)
{
  MultiTag *l = (MultiTag *)o;
  for (size_t i = 0; i < l->count; i++) {
    dvIntegration *list = &l->integrations[i];
    bool solved = false;
    dv_integration_refresh(list, dv_loop_node(o, &l->targetNode));
    for (size_t k = 0; k < list->items.count; k++) solved = solved || dv_plays(list->items.data[k].object, DV_ROLE_ODE);
    if (!solved) dv_warning(o, "give it to the solver of the system", "no solver has the tag %s", list->tags.data[0]);
  }
  Search search = {.visitor = {.top_down = search_in}, .loop = o};
  dv_visit(dv_loop_node(o, &l->targetNode), &search.visitor);
  return dv_loop_start(o);
}

static dvStatus multi_tag_step(dvObject *o, double dt)
{
  MultiTag *l = (MultiTag *)o;
  DV_TRY(dv_loop_begin(o, dt));
  for (size_t i = 0; i < l->count; i++) {
    DV_TRY(dv_loop_collide(o, dt, NULL));
    DV_TRY(dv_loop_integrate(o, &l->integrations[i], dv_loop_node(o, &l->targetNode), dt));
  }
  return dv_loop_end(o, dt, o->node->scene->root->time + dt);
}

static void multi_tag_destroy(dvObject *o) { forget((MultiTag *)o); }

static const dvLoopOps multi_tag_ops = {
    .step = multi_tag_step, .start = multi_tag_start, .resume = dv_loop_resume, .by_tags = true};

const dvClass dv_multi_tag_loop_class = {
    .struct_size = sizeof(dvClass),
    .name = "MultiTagAnimationLoop",
    .aliases = "MultiTagMasterSolver",
    .help = "solves the systems of its tags one after the other, in the order of tags, in each step",
    .module = "Sofa.Component.AnimationLoop",
    .size = sizeof(MultiTag),
    .blocks = {&dv_object_block, DV_BLOCK(multi_tag_fields)},
    .ops = {[DV_ROLE_LOOP] = &multi_tag_ops},
    .init = multi_tag_init,
    .destroy = multi_tag_destroy,
};
