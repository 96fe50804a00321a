// DefaultCollisionGroupManager: bodies that touch are solved together, so that what acts between them is integrated
// implicitly (J. Allard et al., SOFA, 2007, and the chapter of 2012, section 4.4).
//
// A body is what one solver rules. Bodies in contact, directly or through others, form a group: the last of them in the
// order of the graph leads, an implicit solver before an explicit one; its solver takes the others into its system,
// with numbers that suit all (merge.c), and theirs rest. When they part, each has its own again. The graph is as it was
// all the time: nodes only note with whom they are solved (dvNode.leader, joined).
#include "base/address_map.h"
#include "collision/collision.h"
#include "collision/register.h"
#include "collision/response/merge.h"

#define GROUP_FIELDS(X)                                                                                 \
  X(int, groups, "0", "", "groups of several bodies now", .flags = DV_READ_ONLY)                        \
  X(int, merges, "0", "", "how often a body has joined a group since the start", .flags = DV_READ_ONLY) \
  X(int, splits, "0", "", "how often a body has left a group since the start", .flags = DV_READ_ONLY)

typedef struct Body {
  dvNode *node;
  int32_t parent;   // union of those that touch
} Body;

typedef struct GroupManager {
  dvObject base;
  GROUP_FIELDS(DV_MEMBER)
  DV_ARRAY(Body) bodies;                  // of this step
  dvAddressMap table;                     // of their nodes
  DV_ARRAY(dvNode *) followers, before;   // nodes that another one leads, now and in the last step
  DV_ARRAY(int32_t) leaders;              // of each union
  dvMergedSolvers merged;
  DV_ARRAY(int32_t) pairs;   // follower and leader, by their places in the graph
} GroupManager;

#define SELF GroupManager
static const dvFieldDesc group_fields[] = {GROUP_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc group_memory[] = {DV_REMEMBER(numbers, groups) DV_REMEMBER(numbers, merges)
                                                DV_REMEMBER(numbers, splits) DV_REMEMBER(array, pairs)};
#undef SELF

// --- bodies --------------------------------------------------------------------------------------

static dvObject *solver_in(const dvNode *node) { return dv_node_find(node, DV_ROLE_ODE); }

// the topmost node with a solver: it rules everything below
static dvNode *body_of(const dvCollisionModel *m)
{
  dvNode *body = NULL;
  for (dvNode *n = m->base.node; n; n = n->parents.count ? n->parents.data[0] : NULL)
    if (solver_in(n)) body = n;
  return body;
}

static int32_t number_of(GroupManager *g, dvNode *node)
{
  int32_t *at = dv_address_map_at(&g->table, node, 0);
  if (*at < 0) {
    *at = (int32_t)g->bodies.count;
    dv_push(&g->bodies, ((Body){node, *at}));
  }
  return *at;
}

static int32_t root_of(GroupManager *g, int32_t i)
{
  Body *b = g->bodies.data;
  while (b[i].parent != i) i = b[i].parent = b[b[i].parent].parent;
  return i;
}

// --- places in the graph -------------------------------------------------------------------------

// counts nodes depth first until `node`, or the one whose number `place` has
static const dvNode *walk(const dvNode *at, const dvNode *node, int32_t *place)
{
  if (at == node || (!node && *place == 0)) return at;
  *place += node ? 1 : -1;
  const dvNode *found = NULL;
  for (size_t i = 0; i < at->children.count && !found; i++) found = walk(at->children.data[i], node, place);
  return found;
}

static int32_t place_of(const dvNode *node)
{
  int32_t place = 0;
  walk(node->scene->root, node, &place);
  return place;
}

static dvNode *node_at(dvScene *scene, int32_t place)
{
  return place < 0 ? NULL : (dvNode *)walk(scene->root, NULL, &place);
}

// --- groups --------------------------------------------------------------------------------------

static bool leads(const dvNode *a, const dvNode *b)
{
  int said = dv_solver_leads(a, b);
  return said ? said > 0 : place_of(a) > place_of(b);
}

static bool is_static(const dvResponse *r) { return !r->model[0]->simulated || !r->model[1]->simulated; }

static void unite(GroupManager *g, const dvResponses *responses)
{
  g->bodies.count = 0;
  dv_address_map_clear(&g->table);
  for (size_t i = 0; i < responses->count; i++) {
    const dvResponse *r = responses->data[i];
    dvNode *a = body_of(r->model[0]), *b = body_of(r->model[1]);
    if (is_static(r) || !a || !b || a == b) continue;
    int32_t first = root_of(g, number_of(g, a)), second = root_of(g, number_of(g, b));
    g->bodies.data[dv_max_int(first, second)].parent = dv_min_int(first, second);
  }
}

static void choose_leaders(GroupManager *g)
{
  dv_array_resize(&g->leaders, g->bodies.count);
  for (size_t i = 0; i < g->bodies.count; i++) g->leaders.data[i] = -1;
  for (size_t i = 0; i < g->bodies.count; i++) {
    int32_t *leader = &g->leaders.data[root_of(g, (int32_t)i)];
    if (*leader < 0 || leads(g->bodies.data[i].node, g->bodies.data[*leader].node)) *leader = (int32_t)i;
  }
}

static bool was_follower(const GroupManager *g, const dvNode *node)
{
  for (size_t i = 0; i < g->before.count; i++)
    if (g->before.data[i] == node) return true;
  return false;
}

// whether the nodes already note what the unions say
static bool stands(GroupManager *g)
{
  size_t followers = 0;
  for (size_t i = 0; i < g->bodies.count; i++) {
    const dvNode *node = g->bodies.data[i].node, *leader = g->bodies.data[g->leaders.data[root_of(g, (int32_t)i)]].node;
    if (node->leader != (leader == node ? NULL : leader)) return false;
    followers += leader != node;
  }
  return followers == g->followers.count;
}

static void dissolve(GroupManager *g)
{
  dv_part_solvers(&g->merged);
  g->before.count = 0;
  for (size_t i = 0; i < g->followers.count; i++) {
    dvNode *node = g->followers.data[i];
    node->leader->joined.count = 0;
    node->leader = NULL;
    dv_push(&g->before, node);
  }
  g->followers.count = 0;
}

static void merge(GroupManager *g)
{
  for (size_t i = 0; i < g->followers.count; i++) {
    dvNode *leader = g->followers.data[i]->leader;
    if (leader->joined.data[0] == g->followers.data[i]) dv_merge_solvers(&g->merged, leader);
  }
}

// --- memory --------------------------------------------------------------------------------------

static void note_pairs(GroupManager *g)
{
  g->pairs.count = 0;
  for (size_t i = 0; i < g->followers.count; i++) {
    dv_push(&g->pairs, place_of(g->followers.data[i]));
    dv_push(&g->pairs, place_of(g->followers.data[i]->leader));
  }
}

// a node that leads follows nobody, and has a solver as its followers have
static bool pairs_hold(const GroupManager *g, dvScene *scene)
{
  if (g->pairs.count % 2) return false;
  for (size_t i = 0; i < g->pairs.count; i++) {
    const dvNode *node = node_at(scene, g->pairs.data[i]);
    if (!node || !solver_in(node)) return false;
    for (size_t k = 0; k < i; k++)
      if (g->pairs.data[k] == g->pairs.data[i] && (i % 2 == 0 || k % 2 == 0)) return false;
  }
  return true;
}

static bool group_manager_restored(dvObject *o)
{
  GroupManager *g = (GroupManager *)o;
  dvScene *scene = o->node->scene;
  if (!pairs_hold(g, scene)) return false;
  dissolve(g);
  for (size_t i = 0; i < g->pairs.count; i += 2) {
    dvNode *node = node_at(scene, g->pairs.data[i]), *leader = node_at(scene, g->pairs.data[i + 1]);
    node->leader = leader;
    dv_push(&leader->joined, node);
    dv_push(&g->followers, node);
  }
  merge(g);
  scene->version++;
  return true;
}

static void regroup(GroupManager *g, dvScene *scene)
{
  dissolve(g);
  g->groups = 0;
  for (size_t i = 0; i < g->bodies.count; i++) {
    dvNode *node = g->bodies.data[i].node, *leader = g->bodies.data[g->leaders.data[root_of(g, (int32_t)i)]].node;
    if (leader == node) {
      g->groups++;
      continue;
    }
    node->leader = leader;
    dv_push(&leader->joined, node);
    dv_push(&g->followers, node);
    if (!was_follower(g, node)) g->merges++;
  }
  for (size_t i = 0; i < g->before.count; i++)
    if (!g->before.data[i]->leader) g->splits++;
  merge(g);
  scene->version++;   // solvers have other systems now
  note_pairs(g);
}

// --- the component -------------------------------------------------------------------------------

static dvStatus group_manager_group(dvObject *o, const dvResponses *responses, dvNode *scene_node, dvNode **nodes)
{
  GroupManager *g = (GroupManager *)o;
  unite(g, responses);
  choose_leaders(g);
  if (!stands(g)) regroup(g, scene_node->scene);
  for (size_t i = 0; i < responses->count; i++) {
    const dvResponse *r = responses->data[i];
    dvNode *a = body_of(r->model[0]), *b = body_of(r->model[1]);
    nodes[i] = is_static(r) || (!a && !b) ? NULL : !b ? a : !a ? b : a->leader ? a->leader : a;
  }
  return DV_OK;
}

static void group_manager_cleanup(dvObject *o) { dissolve((GroupManager *)o); }

static void group_manager_destroy(dvObject *o)
{
  GroupManager *g = (GroupManager *)o;
  dv_array_free(&g->bodies);
  dv_array_free(&g->followers);
  dv_array_free(&g->before);
  dv_array_free(&g->leaders);
  dv_array_free(&g->pairs);
  dv_merged_solvers_free(&g->merged);
  dv_address_map_free(&g->table);
}

static const dvGroupManagerOps group_manager_ops = {.group = group_manager_group};

const dvClass dv_group_manager_class = {
    .struct_size = sizeof(dvClass),
    .name = "DefaultCollisionGroupManager",
    .aliases = "TreeCollisionGroupManager CollisionGroupManager CollisionGroup",
    .help = "solves bodies that touch together, as long as they do",
    .module = "Sofa.Component.Collision.Response.Contact",
    .size = sizeof(GroupManager),
    .blocks = {&dv_object_block, DV_BLOCK(group_fields)},
    .ops = {[DV_ROLE_GROUP_MANAGER] = &group_manager_ops},
    DV_MEMORY(group_memory),
    .restored = group_manager_restored,
    .cleanup = group_manager_cleanup,
    .destroy = group_manager_destroy,
};
