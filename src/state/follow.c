// States follow the points of their topology: every vector that exists has a row for each of them. See state.h.
#include "state/state.h"

#include "math/vec.h"

#include <string.h>

static void add_column(void *user, dvState *s, int id, dvReals *vector)
{
  if (vector->count == dv_state_scalars(s, id))
    DV_MUST(dv_element_data_add_groups(user, vector, (size_t)dv_state_width(s, id), false) ==
            DV_OK);   // it has a row for each point
}

// vectors appear when they are first used: those that exist now
static void gather_vectors(void *user, dvElementData *d)
{
  d->columns.count = 0;
  dv_state_each_vector(user, add_column, d);
}

// rows have moved: a state that lives elsewhere has them here now
static void set_count(void *user, size_t rows)
{
  dvState *s = user;
  if (!dv_state_resize(s, rows)) dv_error(&s->base, "use a coarser mesh", "out of memory for %zu points", rows);
  if (s->home) dv_state_move(s, s->home, s->home_data);
  dv_follow_elements(&s->base, s->topology, DV_POINT)->gathered = false;   // others may appear before the next change
}

typedef struct NewRow {
  const dvNewElement *element;   // NULL: it comes from nothing
  size_t row;
} NewRow;

// where the topology has the point
static void place_row(const dvState *s, dvReals *vector, size_t row)
{
  const dvDof *dof = s->base.dof;
  const dvReals *points = dv_topology_positions(s->topology);
  double *x = dv_reals_edit(vector) + row * (size_t)dof->coord;
  dv_dof_identity(dof, x);
  for (int k = 0; k < dof->space && row < dv_reals_size(points); k++) x[k] = points->data[3 * row + (size_t)k];
}

// the weighted sum of quaternions on one side of the sphere, brought back to it
static void turn_row(const dvNewElement *e, double *x)
{
  dvQuat sum = {0}, first = dv_quat_load(x + 7 * (size_t)e->ancestors[0] + 3);
  for (size_t k = 0; k < e->ancestor_count; k++) {
    dvQuat q = dv_quat_load(x + 7 * (size_t)e->ancestors[k] + 3);
    double c = e->coefficients ? e->coefficients[k] : 1;
    if (dv_quat_dot(q, first) < 0) c = -c;
    sum = (dvQuat){sum.x + c * q.x, sum.y + c * q.y, sum.z + c * q.z, sum.w + c * q.w};
  }
  if (!(dv_quat_dot(sum, sum) > 0)) sum = first;
  dv_quat_store(x + 7 * e->row + 3, dv_quat_normalise(sum));
}

static void fill_row(void *user, dvState *s, int id, dvReals *vector)
{
  const NewRow *n = user;
  size_t width = (size_t)dv_state_width(s, id);
  if (vector->count != dv_state_scalars(s, id)) return;
  bool inherits = n->element && n->element->ancestor_count;
  if (id == DV_F || id == DV_F_EXTERNAL) memset(dv_reals_edit(vector) + n->row * width, 0, width * sizeof(double));
  else if (dv_vec_is_coord(id) && !inherits) place_row(s, vector, n->row);
  else if (dv_vec_is_coord(id) && s->base.dof->kind == DV_RIGID3) turn_row(n->element, dv_reals_edit(vector));
}

static void create_row(void *user, const dvNewElement *e)
{
  dv_state_each_vector(user, fill_row, &(NewRow){e, e->row});
}

// nothing is known of the points of a mesh that was edited as a whole: they keep their numbers
static void make_again(void *user, size_t rows)
{
  dvState *s = user;
  size_t old = s->count;
  if (rows == old) return;
  if (!dv_state_resize(s, rows)) {
    dv_error(&s->base, "use a coarser mesh", "out of memory for %zu degrees of freedom", rows);
    return;
  }
  for (size_t i = old; i < rows; i++) dv_state_each_vector(s, fill_row, &(NewRow){NULL, i});
}

static void take_out(void *user, dvState *s, int id, dvReals *vector)
{
  size_t width = (size_t)dv_state_width(s, id), last = s->count - 1;
  if (vector->count != dv_state_scalars(s, id)) return;
  double *x = dv_reals_edit(vector);
  memmove(x + *(const size_t *)user * width, x + last * width, width * sizeof *x);
}

void dv_state_erase(dvState *s, size_t row)
{
  dv_state_each_vector(s, take_out, &row);
  DV_MUST(dv_state_resize(s, s->count - 1));
}

void dv_state_follow(dvState *s, dvTopology *t)
{
  if (dv_topology_point_count(t) != s->count || s->count == 0) return;
  s->topology = t;
  dvElementData *d = dv_follow_elements(&s->base, t, DV_POINT);
  d->gather = gather_vectors;
  d->resized = set_count;
  d->create = create_row;
  d->remade = make_again;
}

dvElementList *dv_follow_points(dvObject *o, const dvState *s, dvInts *list)
{
  return s->topology ? dv_follow_list(o, s->topology, DV_POINT, list) : NULL;
}

dvElementData *dv_follow_rows(dvObject *o, const dvState *s)
{
  return s->topology ? dv_follow_elements(o, s->topology, DV_POINT) : NULL;
}
