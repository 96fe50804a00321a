// TrialFollower: a number for each triangle, which stays with its triangle; it takes triangle 0 away in every step.
#include <divan/sdk/plugin.h>

extern const dvClass trial_follower_class;

#define TRIAL_FOLLOWER_FIELDS(X)                         \
  X(reals, values, "", "", "a number for each triangle") \
  X(int, changes, "0", "", "sequences of changes that it heard of", .flags = DV_READ_ONLY)

typedef struct TrialFollower {
  dvObject base;
  TRIAL_FOLLOWER_FIELDS(DV_MEMBER)
  dvTopology *topology;
} TrialFollower;

#define SELF TrialFollower
static const dvFieldDesc trial_follower_fields[] = {TRIAL_FOLLOWER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus trial_follower_init(dvObject *o)
{
  TrialFollower *f = (TrialFollower *)o;
  dvObject *t = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!t) return dv_error(o, "add a topology to the node", "there is no topology to follow");
  DV_TRY(dv_object_ensure(t));
  f->topology = dv_topology(t);
  return dv_element_data_add_reals(dv_follow_elements(o, f->topology, DV_TRIANGLE), &f->values, false);
}

static void trial_follower_topology_changed(dvObject *o) { ((TrialFollower *)o)->changes++; }

static void trial_follower_event(dvObject *o, const dvEvent *event)
{
  TrialFollower *f = (TrialFollower *)o;
  const int32_t first = 0;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || dv_topology_count(f->topology, DV_TRIANGLE) == 0) return;
  if (dv_topology_remove(f->topology, DV_TRIANGLE, &first, 1) == DV_OK) dv_topology_end_changes(f->topology);
}

const dvClass trial_follower_class = {
    .struct_size = sizeof(dvClass),
    .name = "TrialFollower",
    .help = "a number for each triangle that stays with it",
    .size = sizeof(TrialFollower),
    .blocks = {&dv_object_block, DV_BLOCK(trial_follower_fields)},
    .init = trial_follower_init,
    .handle_event = trial_follower_event,
    .topology_changed = trial_follower_topology_changed,
};
