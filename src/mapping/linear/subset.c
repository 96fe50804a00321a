// SubsetMapping: points of the output are chosen points of the input.
//
// Which ones: `indices`; or first to last; or, with neither, for each output point the nearest input point within
// `radius` of it. A point for which there is none stays at its rest position and passes no force on.
#include "mapping/linear/linear.h"
#include "mapping/register.h"
#include "mechanics/pairs.h"

#include <math.h>

#define SUBSET_FIELDS(X)                                                                                        \
  X(indices, indices, "", "", "input point of each output point")                                               \
  X(int, first, "-1", "", "first input point, when indices follow each other; -1 when not given")               \
  X(int, last, "-1", "", "last input point, when indices follow each other; -1 for the last one there is")      \
  X(real, radius, "1e-05", "m", "how far the input point of an output point may be, when no indices are given") \
  X(bool, handleTopologyChange, "1", "", "renumber the indices when the topology changes")                      \
  X(bool, ignoreNotFound, "0", "", "say nothing about output points without an input point")                    \
  X(bool, resizeToModel, "0", "", "accepted: the output always has as many points as there are indices")        \
  X(link, topology, "", "", "topology whose changes renumber the indices", .role = DV_ROLE_TOPOLOGY)

typedef struct Subset {
  dvLinearMapping linear;
  SUBSET_FIELDS(DV_MEMBER)
  bool some_fixed;   // output points without an input point
  dvPairs pairs;     // of the indices with nothing
} Subset;

#define SELF Subset
static const dvFieldDesc subset_fields[] = {SUBSET_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus subset_from_range(Subset *s, size_t inputs)
{
  dvObject *o = &s->linear.base.base;
  size_t first = s->first < 0 || (size_t)s->first >= inputs ? 0 : (size_t)s->first;
  size_t last = s->last < 0 || (size_t)s->last >= inputs ? inputs - 1 : (size_t)s->last;
  if (last < first) return dv_field_error(o, &s->last, NULL, "last %zu lies before first %zu", last, first);
  if (!dv_ints_resize(&s->indices, last - first + 1)) return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < s->indices.count; i++) s->indices.data[i] = (int32_t)(first + i);
  return DV_OK;
}

// the nearest input point that is strictly within the radius; the first of several at the same distance
static int32_t subset_nearest(const double *p, const double *in, size_t inputs, size_t width, double radius)
{
  int32_t found = -1;
  for (size_t j = 0; j < inputs; j++) {
    double sum = 0;
    for (size_t k = 0; k < width; k++) sum += (p[k] - in[j * width + k]) * (p[k] - in[j * width + k]);
    double r = sqrt(sum);
    if (r < radius) {
      radius = r;
      found = (int32_t)j;
    }
  }
  return found;
}

static dvStatus subset_from_positions(Subset *s)
{
  dvObject *o = &s->linear.base.base;
  dvState *in = s->linear.base.in, *out = s->linear.base.out;
  size_t width = (size_t)o->dof->coord, lost = 0, first_lost = 0;
  const double *xi = dv_state_read(in, DV_X), *xo = dv_state_read(out, DV_X);
  if (!dv_ints_resize(&s->indices, out->count)) return dv_error(o, NULL, "out of memory for %zu points", out->count);
  for (size_t i = 0; i < out->count; i++) {
    s->indices.data[i] = subset_nearest(xo + i * width, xi, in->count, width, s->radius);
    if (s->indices.data[i] < 0 && lost++ == 0) first_lost = i;
  }
  if (lost && !s->ignoreNotFound)
    dv_warning(o, "give indices, a larger radius, or ignoreNotFound=\"1\" when that is meant",
               "%zu of %zu points have no input point within %g (the first is point %zu): they stay at rest", lost,
               out->count, s->radius, first_lost);
  return DV_OK;
}

static dvStatus subset_choose(Subset *s)
{
  dvObject *o = &s->linear.base.base;
  size_t inputs = s->linear.base.in->count;
  if (inputs == 0) return dv_error(o, NULL, "the input %s has no points", s->linear.base.in->base.name);
  if (inputs > INT32_MAX) return dv_error(o, NULL, "%zu points are too many", inputs);
  if (s->indices.count) return s->ignoreNotFound ? DV_OK : dv_check_indices(o, &s->indices, inputs, "input points");
  return s->first >= 0 ? subset_from_range(s, inputs) : subset_from_positions(s);
}

// one point: where its input point is, or at rest
static void subset_place(const Subset *s, dvRowView r, size_t i, size_t width, const double *from, double *x)
{
  const dvState *out = s->linear.base.out;
  const double *p =
      r.begin[i] == r.end[i] ? dv_state_read(out, DV_X_REST) + i * width : from + (size_t)r.index[r.begin[i]] * width;
  for (size_t k = 0; k < width; k++) x[i * width + k] = p[k];
}

static void subset_apply(dvObject *o, int out_x, int in_x)
{
  Subset *s = (Subset *)o;
  dvState *in = s->linear.base.in, *out = s->linear.base.out;
  if (!s->some_fixed) {
    dv_linear_apply(o, out_x, in_x);
    return;
  }
  size_t width = (size_t)out->base.dof->coord;
  dvRowView r = dv_rows_view(&s->linear.weights.rows);
  const double *from = dv_state_read(in, in_x);
  double *x = dv_state_write(out, out_x);
  if (in->count < s->linear.weights.in_points) return;
  for (size_t i = 0; i < s->linear.weights.out_points && i < out->count; i++) subset_place(s, r, i, width, from, x);
  dv_mapping_touch(&s->linear.base, out_x);
}

static const dvMappingOps subset_ops = {
    .apply = subset_apply,
    .apply_j = dv_linear_apply_j,
    .apply_jt = dv_linear_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = dv_linear_row,
    DV_MAPPING_SLOTS,
};

static dvStatus subset_make(dvObject *o)
{
  Subset *s = (Subset *)o;
  dvLinearMapping *l = &s->linear;
  dv_weights_clear(&l->weights);
  for (size_t i = 0; i < s->indices.count; i++) {
    int32_t index = s->indices.data[i];
    bool found = index >= 0 && (size_t)index < l->base.in->count;
    if (found) dv_weights_add(&l->weights, index, 1);
    else s->some_fixed = true;
    dv_weights_end_row(&l->weights);
  }
  DV_TRY(dv_linear_settle(o));
  dv_mapping_first_apply(o, &subset_ops);
  return DV_OK;
}

// a point of the output whose input point goes leaves as well: the last one takes its place
static void leave(void *user, size_t row)
{
  Subset *s = user;
  dvState *out = s->linear.base.out;
  if (out->topology || row >= out->count) return;   // its own mesh says what becomes of its points
  dv_state_erase(out, row);
}

static void subset_follow(Subset *s)
{
  const dvMapping *m = &s->linear.base;
  dvObject *o = &s->linear.base.base;
  if (!s->handleTopologyChange) return;
  s->pairs.left = leave;
  s->pairs.user = s;
  s->pairs.tells = true;
  if (!s->pairs.ends[0]) dv_pairs_join(&s->pairs, dv_follow_points(o, m->in, &s->indices), NULL, &s->indices, NULL);
  // new points of a mesh of the output are where the points are that they come from
  if (m->out->topology) dv_element_data_add_ints(dv_follow_rows(o, m->out), &s->indices, false);
}

// points whose input point, or own number, is another one
static bool subset_patch(Subset *s)
{
  dvObject *o = &s->linear.base.base;
  const dvMapping *m = &s->linear.base;
  const dvTrace *out;
  if (!s->handleTopologyChange || s->some_fixed || !dv_mapping_trace(o, m->out, &out)) return false;
  dvNumbers changed = {0};
  dv_pairs_changed(&s->pairs, &changed);
  const dvNumbers *rows = out ? dv_trace_rows(m->out->topology, DV_POINT) : NULL;
  for (size_t i = 0; rows && i < rows->count; i++) dv_push(&changed, rows->data[i]);
  dv_numbers_unique(&changed);
  bool good = dv_linear_patch_list(o, &changed, &s->indices);
  dv_array_free(&changed);
  return good && dv_follow_patched(o);
}

static void subset_topology_changed(dvObject *o)
{
  Subset *s = (Subset *)o;
  if (!subset_patch(s)) subset_make(o);
  s->pairs.steps.count = 0;
}

static void subset_destroy(dvObject *o)
{
  dv_pairs_free(&((Subset *)o)->pairs);
  dv_linear_destroy(o);
}

static dvStatus subset_init(dvObject *o)
{
  DV_TRY(subset_choose((Subset *)o));
  DV_TRY(subset_make(o));
  subset_follow((Subset *)o);
  return DV_OK;
}

static const dvDofPair pairs[] = {{DV_DOF_VEC1, 0, DV_DOF_VEC1},
                                  {DV_DOF_VEC2, 0, DV_DOF_VEC2},
                                  {DV_DOF_VEC3, 0, DV_DOF_VEC3},
                                  {DV_DOF_RIGID3, 0, DV_DOF_RIGID3},
                                  {0}};

const dvClass dv_subset_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "SubsetMapping",
    .help = "gives each point of the output the position of a chosen point of the input",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID3,
    .pairs = pairs,
    .size = sizeof(Subset),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(subset_fields)},
    .ops = {[DV_ROLE_MAPPING] = &subset_ops},
    .link = dv_mapping_link,
    .init = subset_init,
    .destroy = subset_destroy,
    .topology_changed = subset_topology_changed,
};
