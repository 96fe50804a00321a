// Collision models of capsules, spheres and distance fields follow a mesh that changes: sizes move with what they
// belong to, boxes and trees are those of the elements there are, and a step with contacts ends where that of a scene
// made anew from the edited mesh does.
#include "support/check.h"
#include "support/follow.h"

#include "collision/model.h"

#include <math.h>
#include <string.h>

static const char head[] =
    "<Node dt='0.01' gravity='0 0 -9.81'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
    "<BVHNarrowPhase/><NewProximityIntersection alarmDistance='0.4' contactDistance='0.2'/>"
    "<CollisionResponse response='PenalityContactForceField'/><Node name='obstacle'><MechanicalObject "
    "position='1 1 -0.3  2.5 3.5 -0.3  4 2 -0.3  0 0 -0.2  0.7 0.7 1.65'/><SphereCollisionModel radius='0.3' "
    "simulated='0' "
    "moving='0'/></Node><Node name='below'><EulerExplicitSolver/><MeshTopology name='mesh' ";
static const char tail[] = "/><MechanicalObject name='dofs'/><UniformMass vertexMass='0.3'/>";

static dvObject *find(const fdScene *s, const char *path, dvRole role)
{
  dvObject *o = dv_link_find(&s->scene->root->base, path, role);
  assert_non_null(o);
  return o;
}

// numbers of elements at the start; new ones have that of the element they come from, new points none
typedef struct Names {
  dvElementData data;
  DV_ARRAY(int32_t) id;
} Names;

static void point_created(void *user, const dvNewElement *e) { ((Names *)user)->id.data[e->row] = -1; }

static void names_init(Names *n, dvTopology *t, dvElementKind kind)
{
  *n = (Names){0};
  for (size_t i = 0; i < dv_topology_count(t, kind); i++) dv_push(&n->id, (int32_t)i);
  dv_element_data_init(&n->data, NULL, t, kind);
  assert_int_equal(dv_element_data_add_array(&n->data, &n->id), DV_OK);
  n->data.user = n;
  if (kind == DV_POINT) n->data.create = point_created;
}

static void names_fini(Names *n)
{
  dv_element_data_fini(&n->data);
  dv_array_free(&n->id);
}

static double radius_of(int32_t id) { return 0.05 + 0.001 * id; }

static void add_radii(dvText *t, size_t count)
{
  for (size_t i = 0; i < count; i++) dv_text_printf(t, "%.17g ", radius_of((int32_t)i));
}

static void same(const char *what, double a, double b)
{
  if (!(fabs(a - b) <= 1e-12)) fail_msg("%s is %.17g, not %.17g", what, a, b);
}

// every element in the tree once, and boxes as far around the points as the radii say
static void check_boxes(dvCollisionModel *m, const Names *names)
{
  size_t count = dv_collision_model_count(&m->base), known = 0;
  dv_collision_model_refit(m, 6);
  dv_collision_model_grow(m);
  assert_int_equal(names->id.count, count);
  assert_int_equal(m->boxes.count, count);
  assert_int_equal(m->tree.elements.count, count);
  assert_true(m->radii->count >= count);
  const double *x = dv_state_read(m->state, DV_X);
  for (size_t i = 0; i < count; i++) {
    size_t corners = m->elements.width ? 2 : 1;
    const int32_t own = (int32_t)i, *points = m->elements.width ? m->elements.data + 2 * i : &own;
    if (names->id.data[i] < 0) continue;
    same("a radius", m->radii->data[i], radius_of(names->id.data[i]));
    for (int k = 0; k < 3; k++) {
      double a = x[3 * points[0] + k], b = x[3 * points[corners - 1] + k];
      double reach = radius_of(names->id.data[i]) + m->contactDistance;
      same("the low side of a box", m->boxes.data[i].low[k], fmin(a, b) - reach);
      same("the high side of a box", m->boxes.data[i].high[k], fmax(a, b) + reach);
    }
    known++;
  }
  assert_true(known > count / 2);
}

static void sizes_move_with_their_elements(void **state)
{
  DV_UNUSED(state);
  dvText t = {0};
  follow_seed(3);
  dv_text_add(&t, head);
  follow_add_mesh(&t, DV_EDGE);
  dv_text_printf(&t, "%s<CapsuleCollisionModel name='capsules' listCapsuleRadii='", tail);
  add_radii(&t, 50);
  dv_text_add(&t, "'/><SphereCollisionModel name='spheres' moving='0' listRadius='");
  add_radii(&t, 36);
  dv_text_add(&t, "'/></Node></Node>");
  fdScene s = fd_open(t.text);
  dvTopology *mesh = dv_topology(find(&s, "below/mesh", DV_ROLE_TOPOLOGY));
  dvCollisionModel *capsules = (dvCollisionModel *)find(&s, "below/capsules", DV_ROLE_COLLISION_MODEL),
                   *spheres = (dvCollisionModel *)find(&s, "below/spheres", DV_ROLE_COLLISION_MODEL);
  Names edges, points;
  names_init(&edges, mesh, DV_EDGE);
  names_init(&points, mesh, DV_POINT);
  for (int i = 0; i < 8; i++) {
    follow_batch(mesh, DV_EDGE, i % 2 == 0);
    check_boxes(capsules, &edges);
    check_boxes(spheres, &points);
  }
  names_fini(&edges);
  names_fini(&points);
  fd_close(&s);
  dv_text_free(&t);
}

// --- contacts ------------------------------------------------------------------------------------

static double largest_difference(const fdScene *s, const fdScene *r, double *moved)
{
  const dvState *a = dv_state(find(s, "below/dofs", DV_ROLE_STATE)),
                *b = dv_state(find(r, "below/dofs", DV_ROLE_STATE));
  const double *x = dv_state_read(a, DV_V), *y = dv_state_read(b, DV_V);
  double worst = 0;
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < 3 * a->count; i++) worst = fmax(worst, fabs(x[i] - y[i]));
  // of points that a contact has kept from falling freely
  *moved = 0;
  for (size_t i = 0; i < a->count; i++) *moved = fmax(*moved, fabs(x[3 * i + 2] + 0.01 * 9.81));
  return worst;
}

static void check_contacts(dvElementKind kind, const char *model, int scale)
{
  dvText t = {0};
  follow_scale(scale);
  follow_seed(5);
  dv_text_add(&t, head);
  follow_add_mesh(&t, kind);
  dv_text_printf(&t, "%s%s</Node></Node>", tail, model);
  fdScene s = fd_open(t.text);
  dvTopology *mesh = dv_topology(find(&s, "below/mesh", DV_ROLE_TOPOLOGY));
  dvState *dofs = dv_state(find(&s, "below/dofs", DV_ROLE_STATE));
  size_t touched = 0;
  for (int i = 0; i < 6; i++) {
    assert_int_equal(dv_scene_step(s.scene, 0), DV_OK);   // contacts of the mesh as it was
    follow_batch(mesh, kind, kind == DV_HEXAHEDRON);
    memcpy(dv_state_write(dofs, DV_X), dv_state_read(dofs, DV_X_REST), 3 * dofs->count * sizeof(double));
    memset(dv_state_write(dofs, DV_V), 0, 3 * dofs->count * sizeof(double));
    fdScene r = follow_rebuild(&s, t.text);
    double moved;
    assert_int_equal(dv_scene_step(s.scene, 0), DV_OK);
    assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
    double difference = largest_difference(&s, &r, &moved);
    if (difference > 1e-12) fail_msg("%s, batch %d: velocities differ by %g", model, i, difference);
    touched += moved > 1e-6;
    fd_close(&r);
  }
  if (touched < 2) fail_msg("%s: contacts in %zu batches", model, touched);
  fd_close(&s);
  dv_text_free(&t);
  follow_scale(1);
}

static void contacts_are_those_of_the_edited_mesh(void **state)
{
  DV_UNUSED(state);
  check_contacts(DV_EDGE, "<CapsuleCollisionModel name='it' defaultRadius='0.05'/>", 1);
  check_contacts(DV_TRIANGLE, "<TriangleCollisionModel name='it'/>", 1);
  check_contacts(DV_EDGE, "<SphereCollisionModel name='it' radius='0.2'/>", 1);
  check_contacts(DV_EDGE, "<PointCollisionModel name='it'/>", 1);
  check_contacts(DV_HEXAHEDRON,
                 "<FFDDistanceGridCollisionModel name='it' filename='#cube' scale='1.4' "
                 "nx='16' ny='16' nz='16'/>",
                 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_move_with_their_elements),
      cmocka_unit_test(contacts_are_those_of_the_edited_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
