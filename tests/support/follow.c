// See follow.h.
#include "support/follow.h"

#include "app/divan.h"
#include "constraint/lagrangian/model.h"
#include "io/scene/scene_file.h"
#include "mechanics/rows.h"
#include "support/check.h"
#include "support/scene.h"
#include "topology/change/cut_cells.h"
#include "topology/derive.h"

#include <string.h>

static uint64_t seed_now = 1;
void follow_seed(uint64_t seed) { seed_now = seed * 2654435769u + 12345; }
static uint32_t next_random(void)
{
  seed_now = seed_now * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed_now >> 33);
}
static int scale_now = 1;
void follow_scale(int scale) { scale_now = scale; }
double follow_random(void) { return (double)next_random() / 1073741824.0 - 1; }
size_t follow_below(size_t n) { return n ? next_random() % n : 0; }

// --- meshes --------------------------------------------------------------------------------------

static void add_points(dvText *out, const int n[3], double noise)
{
  dv_text_add(out, "position='");
  for (int z = 0; z <= n[2]; z++)
    for (int y = 0; y <= n[1]; y++)
      for (int x = 0; x <= n[0]; x++)
        dv_text_printf(out, "%.17g %.17g %.17g ", x + noise * follow_random(), y + noise * follow_random(),
                       z + noise * follow_random());
  dv_text_add(out, "' ");
}

static int at(const int n[3], int x, int y, int z) { return x + (n[0] + 1) * (y + (n[1] + 1) * z); }

static void add_cells(dvText *out, dvElementKind kind, const int n[3])
{
  for (int z = 0; z < n[2] || z == 0; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++) {
        int a = at(n, x, y, z), b = at(n, x + 1, y, z), c = at(n, x + 1, y + 1, z), d = at(n, x, y + 1, z);
        if (kind == DV_EDGE) dv_text_printf(out, "%d %d %d %d ", a, b, a, d);
        if (kind == DV_TRIANGLE) dv_text_printf(out, "%d %d %d %d %d %d ", a, b, c, a, c, d);
        if (kind == DV_QUAD) dv_text_printf(out, "%d %d %d %d ", a, b, c, d);
        if (kind == DV_HEXAHEDRON)
          dv_text_printf(out, "%d %d %d %d %d %d %d %d ", a, b, c, d, at(n, x, y, z + 1), at(n, x + 1, y, z + 1),
                         at(n, x + 1, y + 1, z + 1), at(n, x, y + 1, z + 1));
      }
}

void follow_add_mesh(dvText *out, dvElementKind kind)
{
  if (kind == DV_TETRAHEDRON) {
    const int n[3] = {3 * scale_now, 2 * scale_now, 2 * scale_now};
    check_add_tetra_box(out, n, 1);
    return;
  }
  const int n[3] = {5 * scale_now, (kind == DV_HEXAHEDRON ? 3 : 5) * scale_now,
                    (kind == DV_HEXAHEDRON ? 3 : 0) * scale_now};
  add_points(out, n, kind == DV_QUAD || kind == DV_HEXAHEDRON ? 0 : 0.1);
  dv_text_printf(out, "%s='", dv_element_name(kind));
  add_cells(out, kind, n);
  dv_text_add(out, "' ");
}

static void add_numbers(dvText *out, size_t count)
{
  for (size_t i = 0; i < count; i++) dv_text_printf(out, "%.17g ", 1.5 + 0.5 * follow_random());
}

static void add_attributes(dvText *out, const char *text, dvElementKind kind)
{
  static const size_t elements[] = {
      [DV_EDGE] = 50, [DV_TRIANGLE] = 50, [DV_QUAD] = 25, [DV_TETRAHEDRON] = 60, [DV_HEXAHEDRON] = 45};
  size_t scale = (size_t)scale_now, along = (kind == DV_TETRAHEDRON ? 3 : 5) * scale + 1,
         across = (kind == DV_TETRAHEDRON  ? 2
                   : kind == DV_HEXAHEDRON ? 3
                                           : 5) *
                      scale +
                  1,
         points = along * across * (kind >= DV_TETRAHEDRON ? across : 1);
  size_t count = elements[kind] * scale * scale * (kind >= DV_TETRAHEDRON ? scale : 1);
  for (; text && *text; text++) {
    if (dv_starts_with(text, "{e}")) add_numbers(out, count), text += 2;
    else if (dv_starts_with(text, "{p}")) add_numbers(out, points), text += 2;
    else if (dv_starts_with(text, "{3p}")) add_numbers(out, 3 * points), text += 3;
    else dv_text_printf(out, "%c", *text);
  }
}

char *follow_scene(const followCase *c)
{
  dvText t = {0};
  const char *dof = c->dof ? c->dof : "Vec3", *beside = c->beside ? c->beside : "";
  dv_text_add(&t, "<Node>");
  if (c->above) dv_text_printf(&t, "<MechanicalObject name='above' %s/><Node name='below'>", c->above);
  dv_text_add(&t, "<MeshTopology name='mesh' ");
  follow_seed(7);
  follow_add_mesh(&t, c->kind);
  dv_text_printf(&t, "/><MechanicalObject name='dofs' template='%s'/>", dof);
  add_attributes(&t, beside, c->kind);
  if (c->below) dv_text_printf(&t, "<Node name='below'><MechanicalObject name='mapped' %s/>", c->below);
  dv_text_printf(&t, "<%s name='it' ", c->name);
  add_attributes(&t, c->attributes, c->kind);
  dv_text_add(&t, "/>");
  if (c->below || c->above) dv_text_add(&t, "</Node>");
  dv_text_add(&t, "</Node>");
  return t.text;
}

// --- changes -------------------------------------------------------------------------------------

void follow_remove(dvTopology *t, dvElementKind kind, size_t count)
{
  for (size_t i = 0; i < count && dv_topology_count(t, kind) > 4; i++) {
    int32_t e = (int32_t)follow_below(dv_topology_count(t, kind));
    assert_int_equal(dv_mesh_remove(t, kind, &e, 1, DV_REMOVE_POINTS), DV_OK);
  }
}

void follow_split(dvTopology *t, dvElementKind kind)
{
  size_t width = (size_t)dv_element_points(kind), n = dv_topology_count(t, kind);
  if (n == 0 || (kind != DV_EDGE && kind != DV_TRIANGLE && kind != DV_TETRAHEDRON)) return;
  int32_t e = (int32_t)follow_below(n), corners[4], fresh[16], from[4] = {e, e, e, e},
          point_offsets[2] = {0, (int32_t)width}, middle = (int32_t)dv_topology_point_count(t);
  const double share[4] = {1.0 / (double)width, 1.0 / (double)width, 1.0 / (double)width, 1.0 / (double)width};
  memcpy(corners, dv_topology_elements(t, kind)->data + width * (size_t)e, width * sizeof *corners);
  assert_int_equal(dv_topology_add_points(t, 1, NULL, (dvOrigin){point_offsets, corners, share}), DV_OK);
  for (size_t i = 0; i < width; i++)
    for (size_t k = 0; k < width; k++) fresh[width * i + k] = k == i ? middle : corners[k];
  assert_int_equal(dv_mesh_replace(t, kind, &e, 1, fresh, from, share, width), DV_OK);
}

void follow_shuffle(dvTopology *t, dvElementKind kind)
{
  size_t n = dv_topology_count(t, kind);
  int32_t *order = dv_alloc((n + 1) * sizeof *order);
  for (size_t i = 0; i < n; i++) order[i] = (int32_t)i;
  for (size_t i = n; i > 1; i--) {
    size_t k = follow_below(i);
    int32_t swap = order[k];
    order[k] = order[i - 1];
    order[i - 1] = swap;
  }
  assert_int_equal(dv_topology_renumber(t, kind, order), DV_OK);
  dv_free(order);
}

void follow_batch(dvTopology *t, dvElementKind kind, bool only_remove)
{
  for (int i = 0; i < 4; i++) {
    size_t what = follow_below(only_remove ? 2 : 3);
    if (what == 0) follow_remove(t, kind, 1 + follow_below(3));
    if (what == 1) follow_shuffle(t, follow_below(2) ? kind : DV_POINT);
    if (what == 2) follow_split(t, kind);
  }
  dv_topology_end_changes(t);
}

// --- the second scene ----------------------------------------------------------------------------

static void copy_field(dvObject *to, const dvField *from)
{
  dvField *f = dv_object_field(to, dv_field_name(from->desc));
  dvText why = {0};
  dv_field_unlink(f);
  if (dv_field_copy(f, from, &why) != DV_OK) fail_msg("%s", why.text);
  f->was_set = true;
  dv_text_free(&why);
}

static void copy_fields(dvObject *to, const dvObject *from)
{
  for (int i = 0; i < from->field_count; i++)
    if (from->fields[i].was_set && from->fields[i].desc->type != DV_T_LINK && from->fields[i].desc->type != DV_T_LINKS)
      copy_field(to, &from->fields[i]);
}

static void copy_reals(dvObject *to, const char *name, const double *values, size_t count)
{
  dvField *f = dv_object_field(to, name);
  dv_field_unlink(f);
  assert_true(dv_reals_assign(f->value, values, count));
  f->was_set = true;
}

static void copy_mesh(dvTopology *to, dvTopology *from)
{
  copy_field(&to->base, from->fields[DV_POINT]);
  for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++)
    if (from->fields[k] && dv_topology_count(from, k)) copy_field(&to->base, from->fields[k]);
}

// how far its hexahedra are filled
static void copy_fills(dvTopology *to, const dvTopology *from)
{
  size_t count = dv_topology_count(to, DV_HEXAHEDRON);
  for (int32_t i = 0; (size_t)i < count && dv_topology_has_fills(from); i++)
    assert_int_equal(dv_topology_fill(to, &i, dv_topology_fill_of(from, (size_t)i), 1), DV_OK);
}

static dvObject *twin(const fdScene *s, const char *name)
{
  dvObject *o = NULL;
  dvNode *below = dv_node_child(s->scene->root, "below");
  o = dv_node_object(s->scene->root, name);
  return o || !below ? o : dv_node_object(below, name);
}

fdScene follow_rebuild(const fdScene *s, const char *text)
{
  static const char *const states[] = {"dofs", "mapped", "above"};
  fdScene r = {.context = dv_divan_create(1)};
  r.context->log.sink = NULL;
  assert_int_equal(dv_scene_parse(r.context, "again", text, strlen(text), &r.scene), DV_OK);
  copy_mesh(dv_topology(twin(&r, "mesh")), dv_topology(twin(s, "mesh")));
  copy_fills(dv_topology(twin(&r, "mesh")), dv_topology(twin(s, "mesh")));
  static const char *const components[] = {"it", "it2", "it3", "it4"};
  for (size_t i = 0; i < DV_COUNT(components); i++)
    if (twin(s, components[i])) copy_fields(twin(&r, components[i]), twin(s, components[i]));
  dvState *dofs = dv_state(twin(s, "dofs"));
  copy_reals(twin(&r, "dofs"), "position", dv_state_read(dofs, DV_X_REST), dv_state_scalars(dofs, DV_X_REST));
  assert_int_equal(dv_scene_init(r.scene), DV_OK);
  for (size_t i = 0; i < DV_COUNT(states); i++) {
    dvObject *a = twin(s, states[i]), *b = twin(&r, states[i]);
    if (!a) continue;
    assert_int_equal(dv_state(a)->count, dv_state(b)->count);
    memcpy(dv_state_write(dv_state(b), DV_X), dv_state_read(dv_state(a), DV_X),
           dv_state_scalars(dv_state(a), DV_X) * sizeof(double));
    memcpy(dv_state_write(dv_state(b), DV_V), dv_state_read(dv_state(a), DV_V),
           dv_state_scalars(dv_state(a), DV_V) * sizeof(double));
  }
  return r;
}

// --- comparisons ---------------------------------------------------------------------------------

typedef struct Both {
  const followCase *c;
  dvObject *it[2];
  dvState *states[2][3];   // dofs, mapped, above
  bool good;
} Both;

static void same(Both *b, const char *what, int state, int id)
{
  size_t n = dv_state_scalars(b->states[0][state], id);
  const double *x = dv_state_read(b->states[0][state], id), *y = dv_state_read(b->states[1][state], id);
  double largest = 0, tolerance = b->c->tolerance > 0 ? b->c->tolerance : 1e-12;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(y[i]));
  for (size_t i = 0; i < n && b->good; i++)
    if (!(fabs(x[i] - y[i]) <= tolerance * fmax(largest, 1e-300))) {
      print_error("%s: %s: number %zu of %zu is %.17g, in a scene made anew %.17g\n", b->c->name, what, i, n, x[i],
                  y[i]);
      b->good = false;
    }
}

// the same random numbers in both
static void fill(Both *b, int state, int id)
{
  size_t n = dv_state_scalars(b->states[0][state], id);
  double *x = dv_state_write(b->states[0][state], id), *y = dv_state_write(b->states[1][state], id);
  for (size_t i = 0; i < n; i++) x[i] = y[i] = follow_random();
}

static void clear(Both *b, int state, int id)
{
  for (int k = 0; k < 2; k++) {
    double *x = dv_state_write(b->states[k][state], id);
    memset(x, 0, dv_state_scalars(b->states[k][state], id) * sizeof *x);
  }
}

static const dvMech mech = {.x = DV_X,
                            .v = DV_V,
                            .f = DV_F,
                            .dx = DV_DX,
                            .df = DV_DF,
                            .k = 1,
                            .implicit = true,
                            .dt = 0.01,
                            .gravity = {1, -9.81, 0.5}};

static void compare_force(Both *b, int state)
{
  clear(b, state, DV_F);
  clear(b, state, DV_DF);
  fill(b, state, DV_DX);
  for (int k = 0; k < 2; k++) {
    const dvForceOps *ops = dv_ops(b->it[k], DV_ROLE_FORCE);
    ops->add_force(b->it[k], &mech);
    if (ops->add_dforce) ops->add_dforce(b->it[k], &mech);
  }
  same(b, "force", state, DV_F);
  same(b, "product with the stiffness", state, DV_DF);
}

static void compare_mass(Both *b, int state)
{
  clear(b, state, DV_F);
  clear(b, state, DV_DF);
  fill(b, state, DV_DX);
  for (int k = 0; k < 2; k++) {
    const dvMassOps *ops = dv_ops(b->it[k], DV_ROLE_MASS);
    ops->add_mdx(b->it[k], &mech, 1);
    ops->add_gravity(b->it[k], &mech);
  }
  same(b, "product with the mass", state, DV_DF);
  same(b, "weight", state, DV_F);
}

static void compare_projective(Both *b, int state)
{
  fill(b, state, DV_DF);
  for (int k = 0; k < 2; k++) {
    const dvProjectiveOps *ops = dv_ops(b->it[k], DV_ROLE_PROJECTIVE);
    ops->project_response(b->it[k], DV_DF);
    ops->project_velocity(b->it[k], DV_V, 0);
    ops->project_position(b->it[k], DV_X, 0);
  }
  same(b, "projected force", state, DV_DF);
  same(b, "projected velocity", state, DV_V);
  same(b, "projected position", state, DV_X);
}

// rows of a constraint and its violations
enum { MOST_ROWS = 1024 };

static size_t evaluate_constraint(dvObject *it, dvRowSet *set, double *violation)
{
  const dvConstraintOps *ops = dv_ops(it, DV_ROLE_CONSTRAINT);
  const dvConstraintStep step = {.x = DV_X, .v = DV_V, .dt = 0.01};
  dvLaw laws[MOST_ROWS] = {0};
  size_t rows = 0;
  if (ops->begin) ops->begin(it, &step);
  size_t count = ops->laws(it, &step, NULL);
  assert_in_range(count, 0, MOST_ROWS);
  ops->laws(it, &step, laws);
  for (size_t i = 0; i < count; i++) rows += (size_t)laws[i].rows;
  assert_in_range(rows, 0, MOST_ROWS);
  ops->rows(it, &step, set, 0);
  ops->violation(it, &step, violation);
  return rows;
}

static void add_up(const dvRowSet *set, const dvState *s, size_t rows, double *h)
{
  dvStateRows *on = (dvStateRows *)dv_rows_find(set, s);
  size_t width = dv_state_scalars(s, DV_V);
  if (!on) return;
  dv_sparse_rows_settle(&on->rows, rows);
  for (size_t r = 0; r < rows; r++)
    for (size_t e = on->rows.start.data[r]; e < on->rows.start.data[r + 1]; e++)
      h[r * width + (size_t)on->rows.col.data[e]] += on->rows.value.data[e];
}

static void compare_constraint(Both *b)
{
  double violation[2][MOST_ROWS] = {0}, *h[2];
  size_t rows[2], n = dv_state_scalars(b->states[0][0], DV_V);
  for (int k = 0; k < 2; k++) {
    dvRowSet set = {0};
    rows[k] = evaluate_constraint(b->it[k], &set, violation[k]);
    h[k] = dv_alloc(MOST_ROWS * n * sizeof **h);
    add_up(&set, b->states[k][0], rows[k], h[k]);
    dv_rows_free(&set);
  }
  if (rows[0] != rows[1]) print_error("%s has %zu rows, made anew %zu\n", b->c->name, rows[0], rows[1]);
  b->good = b->good && rows[0] == rows[1];
  for (size_t i = 0; i < rows[0] && b->good; i++) b->good = fabs(violation[0][i] - violation[1][i]) < 1e-12;
  for (size_t i = 0; i < rows[0] * n && b->good; i++) b->good = fabs(h[0][i] - h[1][i]) < 1e-12;
  if (!b->good) print_error("%s: rows or violations differ from those of one made anew\n", b->c->name);
  dv_free(h[0]);
  dv_free(h[1]);
}

static void compare_mapping(Both *b, int in, int out)
{
  clear(b, in, DV_F);
  fill(b, out, DV_F);
  for (int k = 0; k < 2; k++) {
    const dvMappingOps *ops = dv_ops(b->it[k], DV_ROLE_MAPPING);
    ops->apply(b->it[k], DV_X, DV_X);
    ops->apply_j(b->it[k], DV_V, DV_V);
    ops->apply_jt(b->it[k], DV_F, DV_F);
  }
  same(b, "mapped positions", out, DV_X);
  same(b, "mapped velocities", out, DV_V);
  same(b, "force handed back", in, DV_F);
}

// --- a case --------------------------------------------------------------------------------------

static void deform(dvState *s)
{
  double *x = dv_state_write(s, DV_X), *v = dv_state_write(s, DV_V), move[DV_MAX_COORD];
  const dvDof *dof = s->base.dof;
  for (size_t i = 0; i < s->count; i++) {
    for (int k = 0; k < dof->deriv; k++) {
      move[k] = 0.1 * follow_random();
      v[i * (size_t)dof->deriv + (size_t)k] = follow_random();
    }
    dv_dof_integrate(dof, 1, x + i * (size_t)dof->coord, x + i * (size_t)dof->coord, move, 1);
  }
}

static void compare(Both *b)
{
  const dvObject *it = b->it[0];
  int state = b->c->below && it->cls->ops[DV_ROLE_MAPPING] == NULL ? 1 : 0;
  if (it->cls->ops[DV_ROLE_FORCE]) compare_force(b, state);
  if (it->cls->ops[DV_ROLE_MASS]) compare_mass(b, state);
  if (it->cls->ops[DV_ROLE_PROJECTIVE]) compare_projective(b, state);
  if (it->cls->ops[DV_ROLE_CONSTRAINT]) compare_constraint(b);
  if (it->cls->ops[DV_ROLE_MAPPING]) compare_mapping(b, b->c->above ? 2 : 0, b->c->above ? 0 : 1);
}

static bool compare_scenes(const followCase *c, const fdScene *s, const fdScene *r)
{
  dvObject *it = twin(s, "it");
  Both b = {.c = c, .it = {it, twin(r, "it")}, .good = !it->failed};
  if (it->failed) print_error("%s has failed\n", c->name);
  static const char *const names[] = {"dofs", "mapped", "above"};
  for (int i = 0; i < 3; i++) {
    b.states[0][i] = twin(s, names[i]) ? dv_state(twin(s, names[i])) : NULL;
    b.states[1][i] = twin(r, names[i]) ? dv_state(twin(r, names[i])) : NULL;
  }
  if (b.good) compare(&b);
  return b.good;
}

// a few elements go, a few are split, a point is moved
static void small_batch(dvTopology *t, const followCase *c)
{
  int32_t offsets[] = {0, 2};
  double weights[] = {0.9, 0.1};
  follow_remove(t, c->kind, 1 + follow_below(6));
  for (size_t i = follow_below(4); i > 0 && !c->only_remove; i--) follow_split(t, c->kind);
  follow_remove(t, c->kind, follow_below(3));
  size_t element = follow_below(dv_topology_count(t, c->kind));
  const int32_t *corners = dv_topology_elements(t, c->kind)->data + element * (size_t)dv_element_points(c->kind);
  int32_t ends[2] = {corners[0], corners[1]};
  if (!c->only_remove && !c->stays && follow_below(2))
    assert_int_equal(dv_mesh_move_points(t, ends, 1, (dvOrigin){offsets, ends, weights}), DV_OK);
  dv_topology_end_changes(t);
}

bool follow_check_patches(const followCase *c, uint64_t seed, int batches, size_t *remade)
{
  char *text = follow_scene(c);
  fdScene s = fd_open(text);
  follow_seed(seed);
  dvTopology *mesh = dv_topology(twin(&s, "mesh"));
  deform(dv_state(twin(&s, c->above ? "above" : "dofs")));
  follow_remove(mesh, c->kind, 1);   // the first change makes the lists the mesh's own
  dv_topology_end_changes(mesh);
  size_t before = s.scene->remade;
  bool good = true;
  for (int i = 0; i < batches && good; i++) {
    dvObject *it = twin(&s, "it");
    if (it->cls->ops[DV_ROLE_FORCE]) ((const dvForceOps *)dv_ops(it, DV_ROLE_FORCE))->add_force(it, &mech);
    small_batch(mesh, c);
    if (c->once && i + 1 < batches) continue;
    fdScene r = follow_rebuild(&s, text);
    good = compare_scenes(c, &s, &r);
    fd_close(&r);
  }
  *remade = s.scene->remade - before;
  fd_close(&s);
  dv_free(text);
  return good;
}

bool follow_check(const followCase *c, uint64_t seed)
{
  char *text = follow_scene(c);
  fdScene s = fd_open(text);
  follow_seed(seed);
  dvTopology *mesh = dv_topology(twin(&s, "mesh"));
  dvObject *it = twin(&s, "it"), *above = twin(&s, "above");
  deform(dv_state(above ? above : twin(&s, "dofs")));
  if (it->cls->ops[DV_ROLE_FORCE]) {
    const dvForceOps *ops = dv_ops(it, DV_ROLE_FORCE);
    ops->add_force(it, &mech);   // what it remembers of the last force must not matter
  }
  for (int i = 0; i < 3; i++) follow_batch(mesh, c->kind, c->only_remove);
  fdScene r = follow_rebuild(&s, text);
  bool good = compare_scenes(c, &s, &r);
  fd_close(&s);
  fd_close(&r);
  dv_free(text);
  return good;
}

bool follow_check_cut(const followCase *c, uint64_t seed)
{
  char *text = follow_scene(c);
  fdScene s = fd_open(text);
  bool good = true;
  size_t split = 0;
  follow_seed(seed);
  dvTopology *mesh = dv_topology(twin(&s, "mesh"));
  dvState *dofs = dv_state(twin(&s, "dofs"));
  deform(dofs);
  for (int i = 0; i < 3 && good; i++) {
    const double *x = dv_state_read(dofs, DV_X_REST);
    double corners[9];   // a large triangle around a point in the middle
    dvVec3 middle = dv_vec3_load(x + 3 * (dofs->count / 2)), u = {follow_random(), follow_random(), follow_random()},
           v = dv_vec3_cross(u, dv_vec3(follow_random(), follow_random(), follow_random()));
    dv_vec3_store(corners, dv_vec3_add_scaled(middle, u, 50));
    dv_vec3_store(corners + 3, dv_vec3_add_scaled(dv_vec3_add_scaled(middle, u, -25), v, 50));
    dv_vec3_store(corners + 6, dv_vec3_add_scaled(dv_vec3_add_scaled(middle, u, -25), v, -50));
    dvBlade blade;
    dvCellCut cut;
    assert_true(dv_blade_init(&blade, &(dvSheet){corners, (const size_t[]){0, 3}, 1}));
    assert_int_equal(dv_topology_first_change(mesh), DV_OK);
    dvCells cells = {.mesh = mesh, .x = x};
    dv_cells_find(&cells, &blade, &cut);
    assert_int_equal(dv_cells_part(&cells, &cut), DV_OK);
    split += cut.split;
    dv_cell_cut_free(&cut);
    dv_blade_fini(&blade);
    follow_remove(mesh, c->kind, 2);
    dv_topology_end_changes(mesh);
    fdScene r = follow_rebuild(&s, text);
    good = compare_scenes(c, &s, &r);
    fd_close(&r);
  }
  fd_close(&s);
  dv_free(text);
  assert_true(split > 5);
  return good;
}

// --- renumbering ---------------------------------------------------------------------------------

typedef struct Names {
  DV_ARRAY(int) id;   // of each point
} Names;

static void evaluate(dvObject *it, dvState *s, double *out)
{
  size_t n = dv_state_scalars(s, DV_F), coord = dv_state_scalars(s, DV_X);
  double *f = dv_state_write(s, DV_F), *df = dv_state_write(s, DV_DF);
  memset(f, 0, n * sizeof *f);
  memset(df, 0, n * sizeof *df);
  if (it->cls->ops[DV_ROLE_FORCE]) {
    const dvForceOps *ops = dv_ops(it, DV_ROLE_FORCE);
    ops->add_force(it, &mech);
    if (ops->add_dforce) ops->add_dforce(it, &mech);
  }
  if (it->cls->ops[DV_ROLE_PROJECTIVE]) {
    const dvProjectiveOps *ops = dv_ops(it, DV_ROLE_PROJECTIVE);
    memcpy(df, dv_state_read(s, DV_DX), n * sizeof *df);
    ops->project_response(it, DV_DF);
    ops->project_position(it, DV_X, 0);
  }
  if (!out) return;
  memcpy(out, dv_state_read(s, DV_F), n * sizeof *out);
  memcpy(out + n, dv_state_read(s, DV_DF), n * sizeof *out);
  memcpy(out + 2 * n, dv_state_read(s, DV_X), coord * sizeof *out);
}

static bool same_rows(const followCase *c, const double *before, const double *after, const int *id, size_t rows,
                      size_t width, const char *what)
{
  double largest = 1e-300;
  for (size_t i = 0; i < rows * width; i++) largest = fmax(largest, fabs(before[i]));
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < width; k++) {
      double a = before[(size_t)id[i] * width + k], b = after[i * width + k];
      if (fabs(a - b) <= 1e-12 * largest) continue;
      print_error("%s: %s: component %zu of point %d is %.17g, and %.17g as number %zu\n", c->name, what, k, id[i], a,
                  b, i);
      return false;
    }
  return true;
}

bool follow_check_renumbering(const followCase *c, int warm)
{
  char *text = follow_scene(c);
  fdScene s = fd_open(text);
  follow_seed(3);
  dvTopology *mesh = dv_topology(twin(&s, "mesh"));
  dvObject *it = twin(&s, "it");
  dvState *dofs = dv_state(twin(&s, "dofs"));
  Names names = {{0}};
  dvElementData d = {0};
  dv_element_data_init(&d, NULL, mesh, DV_POINT);
  for (size_t i = 0; i < dofs->count; i++) dv_push(&names.id, (int)i);
  assert_int_equal(dv_element_data_add_array(&d, &names.id), DV_OK);
  deform(dofs);
  double *dx = dv_state_write(dofs, DV_DX);
  for (size_t i = 0; i < dv_state_scalars(dofs, DV_DX); i++) dx[i] = follow_random();
  for (int i = 0; i < warm; i++) evaluate(it, dofs, NULL);
  size_t n = dv_state_scalars(dofs, DV_F), total = 2 * n + dv_state_scalars(dofs, DV_X);
  double *before = dv_alloc(total * sizeof *before), *after = dv_alloc(total * sizeof *after);
  evaluate(it, dofs, before);
  follow_shuffle(mesh, DV_POINT);
  follow_shuffle(mesh, c->kind);
  follow_shuffle(mesh, DV_POINT);
  dv_topology_end_changes(mesh);
  evaluate(it, dofs, after);
  size_t rows = dofs->count, width = (size_t)dofs->base.dof->deriv, coord = (size_t)dofs->base.dof->coord;
  double norm = 0;
  for (size_t i = 0; i < 2 * n; i++) norm += fabs(before[i]);
  bool good = !it->failed && norm > 0 && same_rows(c, before, after, names.id.data, rows, width, "force") &&
              same_rows(c, before + n, after + n, names.id.data, rows, width, "product or response") &&
              same_rows(c, before + 2 * n, after + 2 * n, names.id.data, rows, coord, "position");
  dv_element_data_fini(&d);
  dv_array_free(&names.id);
  dv_free(before);
  dv_free(after);
  fd_close(&s);
  dv_free(text);
  return good;
}
