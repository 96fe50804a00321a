// Building a scene through the session: edits of its text, undoing, saving, and how little of a running scene is made
// again.
#include "support/check.h"

#include "base/file.h"
#include "state/state.h"
#include "view/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Fixture {
  dvSession *session;
  dvViewer viewer;
  dvProgress progress;
  char *directory, *scene;
} Fixture;

static void open_scene(Fixture *f, const char *text)
{
  memset(f, 0, sizeof *f);
  f->directory = check_mkdir();
  if (text) f->scene = check_write(f->directory, "built.scn", text);
  assert_int_equal(chdir(f->directory), 0);
  f->session = dv_session_create(&(dvSessionOptions){.scene = f->scene, .threads = 1, .progress = &f->progress});
  assert_true(dv_session_join(f->session, &f->viewer));
}

static void close_scene(Fixture *f)
{
  dv_session_leave(f->session, &f->viewer);
  dv_session_destroy(&f->session);
  assert_int_equal(chdir("/"), 0);
  dv_free(f->scene);
  check_rmdir(f->directory);
}

static json_t *ask(Fixture *f, const char *request)
{
  dvText reply = {0};
  char *text = dv_strdup(request);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  dv_session_handle(f->session, &f->viewer, text, strlen(text), &reply);
  dv_free(text);
  json_t *answer = json_loads(reply.text ? reply.text : "{}", 0, NULL);
  assert_non_null(answer);
  dv_text_free(&reply);
  return answer;
}

// the path that the answer names, "" without; the request must do
static void done(Fixture *f, const char *request, const char *path)
{
  json_t *answer = ask(f, request);
  const char *error = json_string_value(json_object_get(answer, "error"));
  if (error) fprintf(stderr, "%s: %s\n", request, error);
  assert_null(error);
  if (path) assert_string_equal(json_string_value(json_object_get(answer, "path")), path);
  json_decref(answer);
}

static void refused(Fixture *f, const char *request, const char *part)
{
  json_t *answer = ask(f, request);
  const char *error = json_string_value(json_object_get(answer, "error"));
  assert_non_null(error);
  if (!strstr(error, part)) fprintf(stderr, "%s: %s\n", request, error);
  assert_non_null(strstr(error, part));
  json_decref(answer);
}

static const char *text_of(const Fixture *f) { return f->session->editing->document.text.text; }

static void hello(Fixture *f) { json_decref(ask(f, "{'do': 'hello'}")); }

static void steps(Fixture *f, long n)
{
  f->session->steps_wanted += n;
  for (int i = 0; i < 10000 && f->session->steps_wanted > 0; i++) dv_session_advance(f->session);
  assert_int_equal(f->session->steps_wanted, 0);
}

static dvState *state_at(Fixture *f, const char *path)
{
  dvObject *o = dv_view_find(f->session, path);
  assert_non_null(o);
  return dv_state(o);
}

static double lowest(const dvState *s)
{
  const double *x = dv_state_read(s, DV_X);
  double y = INFINITY;
  for (size_t i = 0; i < s->count; i++) y = fmin(y, x[3 * i + 1]);
  return y;
}

// --- from nothing --------------------------------------------------------------------------------

static void a_soft_block_falls_on_a_floor(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL);
  hello(&f);
  assert_true(f.session->ready);
  done(&f, "{'do': 'add', 'preset': 'floor'}", "/Floor");
  done(&f, "{'do': 'add', 'preset': 'soft-block'}", "/Block");
  assert_true(f.session->ready);
  double before = lowest(state_at(&f, "/Block/points"));
  assert_float_equal(before, 0.7, 1e-12);   // 1.2 m less half of its side
  steps(&f, 100);
  double after = lowest(state_at(&f, "/Block/points"));
  assert_true(after > -0.02 && after < 0.1);   // it lies on the floor
  done(&f, "{'do': 'save', 'file': 'cube'}", NULL);
  refused(&f, "{'do': 'save', 'file': '../cube'}", "not a name");
  assert_true(dv_file_exists("cube.scn"));
  char *saved = dv_file_read("cube.scn", NULL);
  assert_string_equal(saved, text_of(&f));
  dv_free(saved);
  done(&f, "{'do': 'reload'}", NULL);
  assert_true(f.session->ready);
  steps(&f, 100);
  assert_true(lowest(state_at(&f, "/Block/points")) == after);   // the file runs to the same bits
  close_scene(&f);
}

static void every_preset_runs(void **state)
{
  DV_UNUSED(state);
  json_t *presets = dv_view_presets(), *p;
  size_t i;
  json_array_foreach(presets, i, p)
  {
    Fixture f;
    const char *name = json_string_value(json_object_get(p, "name"));
    open_scene(&f, NULL);
    hello(&f);
    char *request = dv_format("{'do': 'add', 'preset': '%s'}", name);
    done(&f, request, NULL);
    done(&f, request, NULL);   // and a second one beside it
    assert_true(f.session->ready);
    steps(&f, 30);
    for (size_t k = 0; k < f.session->news.count; k++) {
      const dvNews *n = &f.session->news.data[k];
      if (n->level >= DV_WARNING) fprintf(stderr, "%s: %s: %s\n", name, n->path, n->text);
      assert_true(n->level < DV_WARNING);
    }
    assert_int_equal(f.session->scene->step, 30);
    dv_free(request);
    close_scene(&f);
  }
  json_decref(presets);
}

// --- the user's text -----------------------------------------------------------------------------

static const char commented[] =
    "<?xml version=\"1.0\"?>\n"
    "<!-- a scene with remarks -->\n"
    "<Node name=\"root\" dt=\"0.01\">\n"
    "  <!-- what moves it -->\n"
    "  <EulerImplicitSolver/> <!-- implicit -->\n"
    "  <CGLinearSolver name=\"cg\" iterations='25' tolerance=\"1e-9\" threshold=\"1e-9\"/>\n"
    "\n"
    "  <Node name=\"A\">\n"
    "    <MechanicalObject name=\"dofs\" position=\"0 0 0  1 0 0\"/>\n"
    "    <!-- light -->\n"
    "    <UniformMass name=\"mass\" totalMass=\"1\"/>\n"
    "    <Node name=\"Copy\">\n"
    "      <MechanicalObject name=\"dofs\" position=\"@../dofs.position\"/>\n"
    "      <IdentityMapping input=\"@../dofs\" output=\"@dofs\"/>\n"
    "    </Node>\n"
    "  </Node>\n"
    "  <Node name=\"B\"/>\n"
    "</Node>\n"
    "<!-- the end -->\n";

static void holds(const Fixture *f, const char *part)
{
  if (!strstr(text_of(f), part)) fprintf(stderr, "missing: %s\nin:\n%s\n", part, text_of(f));
  assert_non_null(strstr(text_of(f), part));
}

static void edits_keep_the_rest_and_are_undone(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, commented);
  hello(&f);
  assert_string_equal(text_of(&f), commented);
  done(&f, "{'do': 'attribute', 'path': '/A/mass', 'field': 'totalMass', 'text': '2'}", NULL);
  holds(&f, "    <!-- light -->\n    <UniformMass name=\"mass\" totalMass=\"2\"/>\n");
  done(&f, "{'do': 'set', 'path': '/cg', 'field': 'iterations', 'text': '30'}", NULL);
  holds(&f, "<CGLinearSolver name=\"cg\" iterations=\"30\" tolerance");
  done(
      &f,
      "{'do': 'add', 'path': '/B', 'class': 'MechanicalObject', 'name': 'points', 'attributes': {'position': '0 0 0'}}",
      "/B/points");
  holds(&f, "  <Node name=\"B\">\n    <MechanicalObject name=\"points\" position=\"0 0 0\"/>\n  </Node>\n");
  done(&f, "{'do': 'add', 'path': '/', 'name': 'C', 'before': '/A'}", "/C");
  holds(&f, "  <Node name=\"C\"/>\n  <Node name=\"A\">\n");
  done(&f, "{'do': 'rename', 'path': '/A/dofs', 'name': 'grains'}", "/A/grains");
  holds(&f, "position=\"@../grains.position\"");
  holds(&f, "input=\"@../grains\" output=\"@dofs\"");
  assert_true(f.session->ready);
  done(&f, "{'do': 'move', 'path': '/A/mass', 'to': '/A', 'before': '/A/grains'}", "/A/mass");
  holds(&f,
        "    <!-- light -->\n    <UniformMass name=\"mass\" totalMass=\"2\"/>\n    <MechanicalObject name=\"grains\"");
  done(&f, "{'do': 'move', 'path': '/A/Copy', 'to': '/'}", "/Copy");
  holds(&f, "input=\"@/A/grains\" output=\"@dofs\"");
  assert_true(f.session->ready);
  done(&f, "{'do': 'take-out', 'path': '/C'}", NULL);
  done(&f, "{'do': 'take-out', 'path': '/A/grains'}", NULL);   // and the mass has no state any more
  assert_false(f.session->ready);
  char *built = dv_strdup(text_of(&f));
  for (int i = 0; i < 9; i++) done(&f, "{'do': 'undo'}", NULL);
  assert_string_equal(text_of(&f), commented);
  assert_true(f.session->ready);
  refused(&f, "{'do': 'undo'}", "nothing to undo");
  for (int i = 0; i < 9; i++) done(&f, "{'do': 'redo'}", NULL);
  assert_string_equal(text_of(&f), built);
  refused(&f, "{'do': 'redo'}", "nothing to do again");
  done(&f, "{'do': 'undo'}", NULL);
  assert_true(f.session->ready);
  dv_free(built);
  close_scene(&f);
}

static void a_value_that_is_set_while_it_runs_is_undone_while_it_runs(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, commented);
  hello(&f);
  const dvScene *scene = f.session->scene;
  size_t inits = atomic_load(&f.progress.done);
  done(&f, "{'do': 'set', 'path': '/A/mass', 'field': 'totalMass', 'text': '3'}", NULL);
  done(&f, "{'do': 'set', 'path': '/A/mass', 'field': 'totalMass', 'text': '4'}", NULL);
  holds(&f, "totalMass=\"4\"");
  const dvField *field = dv_object_field(dv_view_find(f.session, "/A/mass"), "totalMass");
  assert_float_equal(*(double *)field->value, 4, 0);
  done(&f, "{'do': 'undo'}", NULL);   // values of one field one after the other are one edit
  assert_string_equal(text_of(&f), commented);
  assert_float_equal(*(double *)field->value, 1, 0);
  done(&f, "{'do': 'redo'}", NULL);
  assert_float_equal(*(double *)field->value, 4, 0);
  assert_ptr_equal(scene, f.session->scene);
  assert_int_equal(atomic_load(&f.progress.done), inits);   // nothing was initialised
  refused(&f, "{'do': 'set', 'path': '/A/mass', 'field': 'totalMass', 'text': 'heavy'}", "");
  holds(&f, "totalMass=\"4\"");
  close_scene(&f);
}

// --- as little as can be -------------------------------------------------------------------------

enum { BODIES = 50 };

static char *fifty(void)
{
  dvText text = {0};
  dv_text_add(&text, "<Node name=\"root\" dt=\"0.01\" gravity=\"0 -1 0\">\n");
  for (int i = 0; i < BODIES; i++)
    dv_text_printf(&text,
                   "  <Node name=\"Body%d\">\n"
                   "    <EulerImplicitSolver/>\n"
                   "    <CGLinearSolver iterations=\"25\" tolerance=\"1e-9\" threshold=\"1e-9\"/>\n"
                   "    <RegularGridTopology name=\"grid\" n=\"3 3 3\" min=\"0 0 %d\" max=\"1 1 %d.5\"/>\n"
                   "    <MechanicalObject name=\"dofs\"/>\n"
                   "    <UniformMass totalMass=\"1\"/>\n"
                   "    <HexahedronFEMForceField youngModulus=\"100\" poissonRatio=\"0.3\"/>\n"
                   "  </Node>\n",
                   i, i, i);
  dv_text_add(&text, "</Node>\n");
  return dv_text_take(&text);
}

// One body of fifty is changed: its own components are initialised and no other; all others are the same objects in the
// same state.
static void one_of_fifty(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  char *text = fifty();
  open_scene(&f, text);
  hello(&f);
  const size_t all = atomic_load(&f.progress.done) - 1;   // without the loop
  const size_t parts = all / BODIES;                      // of one body, with what they bring along
  assert_int_equal(all, parts * BODIES);
  steps(&f, 3);
  dvState *others[BODIES];
  double heights[BODIES];
  for (int i = 0; i < BODIES; i++) {
    char *path = dv_format("/Body%d/dofs", i);
    others[i] = state_at(&f, path);
    heights[i] = lowest(others[i]);
    dv_free(path);
  }
  size_t before = atomic_load(&f.progress.done);
  done(&f, "{'do': 'attribute', 'path': '/Body20/grid', 'field': 'n', 'text': '4 3 3'}", NULL);
  assert_int_equal(atomic_load(&f.progress.done) - before, parts);
  assert_int_equal(f.session->editing->parts, 1);
  before = atomic_load(&f.progress.done);
  done(&f, "{'do': 'undo'}", NULL);
  done(&f, "{'do': 'redo'}", NULL);
  done(&f, "{'do': 'add', 'path': '/Body20', 'class': 'FixedProjectiveConstraint', 'attributes': {'indices': '0'}}",
       NULL);
  assert_int_equal(atomic_load(&f.progress.done) - before, 3 * parts + 1);
  before = atomic_load(&f.progress.done);
  done(&f, "{'do': 'take-out', 'path': '/Body7'}", NULL);   // nothing is initialised when one goes
  assert_int_equal(atomic_load(&f.progress.done), before);
  done(&f, "{'do': 'undo'}", NULL);
  assert_int_equal(atomic_load(&f.progress.done) - before, parts);
  for (int i = 0; i < BODIES; i++) {
    if (i == 20 || i == 7) continue;
    char *path = dv_format("/Body%d/dofs", i);
    assert_ptr_equal(state_at(&f, path), others[i]);
    assert_true(lowest(others[i]) == heights[i]);
    dv_free(path);
  }
  const dvNode *root = f.session->scene->root;
  for (size_t i = 0; i < root->children.count; i++) {   // in the order of the text
    char *name = dv_format("Body%zu", i);
    assert_string_equal(root->children.data[i]->base.name, name);
    dv_free(name);
  }
  assert_int_equal(f.session->scene->step, 3);
  steps(&f, 5);
  assert_int_equal(state_at(&f, "/Body20/dofs")->count, 36);
  assert_true(lowest(others[3]) < heights[3]);
  done(&f, "{'do': 'reset'}", NULL);
  assert_true(lowest(others[3]) == 0 && lowest(state_at(&f, "/Body20/dofs")) == 0);
  dv_free(text);
  close_scene(&f);
}

// What runs after edits of parts is what the text says: the same as a scene that is read from it at once.
static void parts_give_what_the_whole_gives(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  char *text = fifty();
  open_scene(&f, text);
  hello(&f);
  done(&f, "{'do': 'attribute', 'path': '/Body3/grid', 'field': 'n', 'text': '2 4 2'}", NULL);
  done(&f, "{'do': 'take-out', 'path': '/Body4'}", NULL);
  done(&f, "{'do': 'move', 'path': '/Body9', 'to': '/', 'before': '/Body1'}", "/Body9");
  done(&f, "{'do': 'reset'}", NULL);
  steps(&f, 10);
  double parts = lowest(state_at(&f, "/Body3/dofs")), ninth = lowest(state_at(&f, "/Body9/dofs"));
  assert_true(f.session->editing->parts >= 2);
  char *edited = dv_strdup(text_of(&f));
  dv_free(text);
  close_scene(&f);
  open_scene(&f, edited);
  hello(&f);
  steps(&f, 10);
  assert_true(lowest(state_at(&f, "/Body3/dofs")) == parts);
  assert_true(lowest(state_at(&f, "/Body9/dofs")) == ninth);
  dv_free(edited);
  close_scene(&f);
}

// somebody outside points inside: everything is read again, and the link holds
static void links_from_outside_hold(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, "<Node name='root' dt='0.01'><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' "
                 "threshold='1e-9'/>\n"
                 "<Node name='A'><RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject "
                 "name='dofs'/><UniformMass totalMass='1'/></Node>\n"
                 "<Node name='B'><MechanicalObject name='dofs' position='@../A/grid.position'/><UniformMass "
                 "totalMass='1'/></Node></Node>");
  hello(&f);
  assert_true(f.session->ready);
  assert_int_equal(state_at(&f, "/B/dofs")->count, 8);
  done(&f, "{'do': 'attribute', 'path': '/A/grid', 'field': 'n', 'text': '3 2 2'}", NULL);
  assert_int_equal(f.session->editing->parts, 0);
  assert_int_equal(state_at(&f, "/B/dofs")->count, 12);
  close_scene(&f);
}

// what touches is taken out and comes back: contacts go with their bodies
static void bodies_that_touch_are_changed(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL);
  hello(&f);
  done(&f, "{'do': 'add', 'preset': 'floor'}", "/Floor");
  done(&f, "{'do': 'add', 'preset': 'soft-block'}", "/Block");
  steps(&f, 60);
  assert_true(lowest(state_at(&f, "/Block/points")) < 0.1);
  const size_t parts = f.session->editing->parts;
  done(&f, "{'do': 'attribute', 'path': '/Block/grid', 'field': 'n', 'text': '4 4 4'}", NULL);
  assert_int_equal(f.session->editing->parts, parts + 1);
  steps(&f, 60);   // it begins anew, with other points, and falls again
  double y = lowest(state_at(&f, "/Block/points"));
  assert_true(y > -0.02 && y < 0.1);
  done(&f, "{'do': 'rename', 'path': '/Floor', 'name': 'Ground'}", "/Ground");
  steps(&f, 10);
  y = lowest(state_at(&f, "/Block/points"));
  assert_true(y > -0.02 && y < 0.1);
  done(&f, "{'do': 'take-out', 'path': '/Ground'}", NULL);
  steps(&f, 40);
  assert_true(lowest(state_at(&f, "/Block/points")) < -0.2);   // nothing holds it any more
  done(&f, "{'do': 'undo'}", NULL);
  done(&f, "{'do': 'reset'}", NULL);
  steps(&f, 70);
  y = lowest(state_at(&f, "/Block/points"));
  assert_true(y > -0.02 && y < 0.1);
  close_scene(&f);
}

// --- handles -------------------------------------------------------------------------------------

static dvVec3 point(Fixture *f, const char *path, size_t i)
{
  return dv_vec3_load(dv_state_read(state_at(f, path), DV_X) + 3 * i);
}

static void is_at(dvVec3 p, double x, double y, double z)
{
  assert_float_equal(p.x, x, 1e-9);
  assert_float_equal(p.y, y, 1e-9);
  assert_float_equal(p.z, z, 1e-9);
}

static void bodies_are_shifted_turned_and_scaled(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL);
  hello(&f);
  done(&f, "{'do': 'add', 'preset': 'soft-block'}", "/Block");   // its middle at 0 1.2 0
  dvVec3 corner = point(&f, "/Block/points", 0);
  is_at(corner, -0.5, 0.7, -0.5);
  steps(&f, 5);
  done(&f, "{'do': 'place', 'path': '/Block/Look/look', 'translate': [1, 0.3, -2], 'pivot': [0, 1.2, 0]}", NULL);
  is_at(point(&f, "/Block/points", 0), 0.5, 1.0, -2.5);   // from where it began
  // a quarter about z, the pivot in the middle of the block: x' = -y, y' = x
  done(&f,
       "{'do': 'place', 'path': '/Block', 'turn': [0, 0, 0.70710678118654752, 0.70710678118654752], 'pivot': [1, 1.5, "
       "-2]}",
       NULL);
  is_at(point(&f, "/Block/points", 0), 1.5, 1.0, -2.5);
  // twice as long along its own first axis, which now points up
  done(&f, "{'do': 'place', 'path': '/Block', 'scale': [2, 1, 1], 'pivot': [1, 1.5, -2]}", NULL);
  is_at(point(&f, "/Block/points", 0), 1.5, 0.5, -2.5);
  for (int i = 0; i < 3; i++) done(&f, "{'do': 'undo'}", NULL);
  is_at(point(&f, "/Block/points", 0), -0.5, 0.7, -0.5);
  refused(&f, "{'do': 'place', 'path': '/', 'translate': [1, 0, 0]}", "whole scene");
  refused(&f, "{'do': 'place', 'path': '/Block', 'scale': [0, 1, 1]}", "to nothing");
  done(&f, "{'do': 'add', 'preset': 'rigid-box'}", "/Box");
  done(&f, "{'do': 'place', 'path': '/Box/Look', 'translate': [2, 0, 0], 'pivot': [0, 0, 0]}", NULL);
  const double *x = dv_state_read(state_at(&f, "/Box/frame"), DV_X);
  is_at(dv_vec3_load(x), 3.68, 1.4, 0);   // it stood two of its widths beside the block
  is_at(point(&f, "/Box/Shape/corners", 6), 3.88, 1.6, 0.2);
  close_scene(&f);
}

static void a_body_stands_beside_those_that_are_there(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL);
  hello(&f);
  done(&f, "{'do': 'add', 'preset': 'obstacle'}", "/Obstacle");
  done(&f, "{'do': 'add', 'preset': 'floor'}", "/Floor");   // below all of them
  done(&f, "{'do': 'add', 'preset': 'soft-block'}", "/Block");
  is_at(point(&f, "/Block/points", 0), 1.075, 0.7, -0.5);   // it would reach into the obstacle: to its right
  done(&f, "{'do': 'add', 'preset': 'finger'}", "/Finger");
  is_at(point(&f, "/Finger/points", 0), -2.31, 1.4, -0.1);   // to the left
  done(&f, "{'do': 'add', 'preset': 'soft-block'}", "/Block2");
  is_at(point(&f, "/Block2/points", 0), 2.65, 0.7, -0.5);
  close_scene(&f);
}

// --- choosing points -----------------------------------------------------------------------------

static const char look_along_z[] =
    "'matrix': [1,0,0,0, 0,1,0,0, 0,0,0.1,0, 0,0,0,1], 'eye': [0,0,-1], 'parallel': true";

static json_t *choose(Fixture *f, const char *more)
{
  char *request = dv_format("{'do': 'select', 'path': '/Block', %s, %s}", look_along_z, more);
  json_t *answer = ask(f, request);
  dv_free(request);
  return answer;
}

static void points_are_chosen_and_held(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL);
  hello(&f);
  done(&f, "{'do': 'add', 'preset': 'soft-block'}", "/Block");
  // the left column of the picture: x from -0.6 to -0.4, all heights; through the body 25 points
  json_t *a = choose(&f, "'through': true, 'polygon': [-0.6,0, -0.4,0, -0.4,3, -0.6,3]");
  assert_int_equal(json_array_size(json_object_get(a, "points")), 25);
  assert_string_equal(json_string_value(json_object_get(a, "path")), "/Block/points");
  json_decref(a);
  a = choose(&f, "'through': true, 'elements': true, 'polygon': [-0.6,0, -0.3,0, -0.3,3, -0.6,3]");
  assert_int_equal(json_array_size(json_object_get(a, "elements")), 16);
  assert_int_equal(json_array_size(json_object_get(a, "points")), 50);
  assert_string_equal(json_string_value(json_object_get(a, "kind")), "hexahedra");
  json_decref(a);
  a = choose(&f, "'polygon': [-0.6,0.6, 0.6,0.6, 0.6,1.8, -0.6,1.8]");   // what is seen: the side towards the eye
  assert_int_equal(json_array_size(json_object_get(a, "points")), 25);
  json_t *points = json_object_get(a, "points");
  for (size_t i = 0; i < 25; i++)
    assert_true(point(&f, "/Block/points", (size_t)json_integer_value(json_array_get(points, i))).z > 0.4);
  json_decref(a);
  refused(&f, "{'do': 'select', 'path': '/Block', 'polygon': [0,0]}", "polygon");
  refused(&f, "{'do': 'use', 'path': '/Block/points', 'as': 'fixed', 'points': [0, 500]}", "no point 500");
  refused(&f, "{'do': 'use', 'path': '/Block/points', 'as': 'fixed', 'points': []}", "nothing is selected");
  refused(&f, "{'do': 'use', 'path': '/Block/points', 'as': 'butter', 'points': [1]}", "no use");
  done(&f, "{'do': 'use', 'path': '/Block/points', 'as': 'fixed', 'points': [0, 1, 2, 3, 4, 8, 10, 11]}",
       "/Block/fixed");
  holds(&f, "<FixedProjectiveConstraint name=\"fixed\" indices=\"0-4 8 10 11\"/>");
  dvVec3 held = point(&f, "/Block/points", 8), free_one = point(&f, "/Block/points", 124);
  steps(&f, 10);
  assert_true(point(&f, "/Block/points", 8).y == held.y && point(&f, "/Block/points", 124).y < free_one.y);
  done(&f, "{'do': 'use', 'path': '/Block/points', 'as': 'load', 'points': [124]}", "/Block/load");
  done(&f, "{'do': 'use', 'path': '/Block/points', 'as': 'springs', 'points': [60, 61]}", "/Block/held");
  done(&f, "{'do': 'use', 'path': '/Block/points', 'as': 'region', 'points': [3, 77, 124]}", "/Block/region");
  assert_true(f.session->ready);
  dvField *indices = dv_object_field(dv_view_find(f.session, "/Block/region"), "indices");
  dv_field_pull(indices);
  dvText list = {0};
  dv_field_print(indices, &list);
  assert_string_equal(list.text, "3 77 124");
  dv_text_free(&list);
  a = ask(&f, "{'do': 'where', 'path': '/Block/points', 'points': [8]}");
  assert_float_equal(json_number_value(json_array_get(json_object_get(a, "positions"), 1)), held.y, 1e-12);
  json_decref(a);
  close_scene(&f);
}

// --- meshes --------------------------------------------------------------------------------------

// a tetrahedron of 1 m as an OBJ file, in base64
static const char whole[] = "diAwIDAgMAp2IDEgMCAwCnYgMCAxIDAKdiAwIDAgMQpmIDEgMyAyCmYgMSAyIDQKZiAxIDQgMwpmIDIgMyA0Cg==";

static void a_dropped_mesh_becomes_a_body(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL);
  hello(&f);
  refused(&f, "{'do': 'mesh-part', 'name': '../x.obj', 'at': 0, 'total': 64, 'data': 'AAAA'}", "not a mesh");
  refused(&f, "{'do': 'mesh-part', 'name': 'x.exe', 'at': 0, 'total': 64, 'data': 'AAAA'}", "not a mesh");
  refused(&f, "{'do': 'mesh-part', 'name': 'x.obj', 'at': 0, 'total': 2e9, 'data': 'AAAA'}", "MB");
  refused(&f, "{'do': 'mesh-part', 'name': 'x.obj', 'at': 5, 'total': 64, 'data': 'AAAA'}", "missing");
  refused(&f, "{'do': 'mesh-part', 'name': 'x.obj', 'at': 0, 'total': 2, 'data': 'AAAA'}", "missing");
  assert_false(dv_file_exists("x.obj"));
  char *request = dv_format("{'do': 'mesh-part', 'name': 'corner.obj', 'at': 0, 'total': 64, 'data': '%s'}", whole);
  done(&f, request, NULL);
  dv_free(request);
  assert_true(dv_file_exists("corner.obj") && !dv_file_exists("corner.obj.part"));
  done(&f, "{'do': 'add', 'mesh': 'corner.obj', 'as': 'soft'}", "/corner");
  for (size_t k = 0; k < f.session->news.count; k++)
    if (f.session->news.data[k].level >= DV_WARNING) fprintf(stderr, "%s\n", f.session->news.data[k].text);
  assert_true(f.session->ready);
  assert_true(state_at(&f, "/corner/points")->count > 10);   // filled with tetrahedra
  double before = lowest(state_at(&f, "/corner/points"));
  steps(&f, 5);
  assert_true(lowest(state_at(&f, "/corner/points")) < before);
  done(&f, "{'do': 'add', 'mesh': 'corner.obj', 'as': 'obstacle'}", "/corner2");
  assert_true(f.session->ready);
  refused(&f, "{'do': 'add', 'mesh': '/etc/passwd', 'as': 'soft'}", "no mesh");
  close_scene(&f);
}

// --- mistakes ------------------------------------------------------------------------------------

static void problems_stand_at_their_component(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, NULL);
  hello(&f);
  done(&f, "{'do': 'add', 'path': '/', 'name': 'Thing'}", "/Thing");
  done(&f, "{'do': 'add', 'path': '/Thing', 'class': 'MechanicalObject', 'name': 'dofs'}", "/Thing/dofs");
  done(&f, "{'do': 'add', 'path': '/Thing', 'class': 'UniformMass', 'name': 'mass'}", "/Thing/mass");
  json_t *a = ask(&f, "{'do': 'object', 'path': '/Thing/dofs'}");
  json_t *messages = json_object_get(json_object_get(a, "object"), "messages");
  assert_int_equal(json_array_size(messages), 1);   // as divan check: a mass, and no solver moves it
  assert_non_null(
      strstr(json_string_value(json_object_get(json_array_get(messages, 0), "text")), "no solver moves it"));
  json_decref(a);
  done(&f, "{'do': 'add', 'path': '/Thing', 'class': 'EulerImplicitSolver'}", NULL);
  done(&f, "{'do': 'add', 'path': '/Thing', 'class': 'SparseLDLSolver'}", NULL);
  a = ask(&f, "{'do': 'object', 'path': '/Thing/dofs'}");
  assert_int_equal(json_array_size(json_object_get(json_object_get(a, "object"), "messages")), 0);
  json_decref(a);
  refused(&f, "{'do': 'add', 'path': '/Thing', 'class': 'Nonsense'}", "no component");
  refused(&f, "{'do': 'add', 'path': '/Nowhere', 'class': 'UniformMass'}", "there is no");
  refused(&f, "{'do': 'add', 'path': '/Thing/mass', 'class': 'UniformMass'}", "inside");
  refused(&f, "{'do': 'add', 'path': '/Thing', 'text': '<Node'}", "not XML");
  refused(&f, "{'do': 'add', 'path': '/Thing', 'text': '</Node><Node>'}", "not XML");
  refused(&f, "{'do': 'rename', 'path': '/Thing', 'name': 'a/b'}", "not a name");
  refused(&f, "{'do': 'rename', 'path': '/Thing/mass', 'name': 'dofs'}", "already");
  refused(&f, "{'do': 'move', 'path': '/Thing', 'to': '/Thing'}", "inside of itself");
  refused(&f, "{'do': 'take-out', 'path': '/'}", "root");
  refused(&f, "{'do': 'attribute', 'path': '/Thing/mass', 'field': 'colour', 'text': 'red'}", "no field");
  done(&f,
       "{'do': 'add', 'path': '/Thing', 'text': '<Node name=\\u0022More\\u0022><BoxROI box=\\u00220 0 0 1 1 "
       "1\\u0022/></Node>'}",
       "/Thing/More");
  holds(&f, "    <Node name=\"More\"><BoxROI box=\"0 0 0 1 1 1\"/></Node>\n");
  a = ask(&f, "{'do': 'copy', 'path': '/Thing/mass'}");
  assert_string_equal(json_string_value(json_object_get(a, "text")), "<UniformMass name=\"mass\"/>");
  json_decref(a);
  a = ask(&f, "{'do': 'library'}");
  assert_true(json_array_size(json_object_get(a, "components")) > 300);
  json_decref(a);
  a = ask(&f, "{'do': 'class', 'class': 'UniformMass'}");
  assert_true(json_array_size(json_object_get(a, "fields")) > 3);
  json_decref(a);
  close_scene(&f);
}

// what a text of the page names is read below the scene's directory only
static void texts_of_the_page_stay_behind_the_gate(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_scene(&f, commented);
  hello(&f);
  assert_false(dv_file_confined());
  done(&f, "{'do': 'take-out', 'path': '/B'}", NULL);
  assert_false(dv_file_confined());
  done(&f, "{'do': 'add', 'path': '/', 'text': '<MeshOBJLoader filename=\\u0022/etc/passwd\\u0022/>'}", NULL);
  assert_true(dv_file_confined());
  assert_false(f.session->ready);
  done(&f, "{'do': 'undo'}", NULL);
  assert_true(f.session->ready && dv_file_confined());
  done(&f, "{'do': 'save'}", NULL);
  char *saved = dv_file_read(f.scene, NULL);
  assert_string_equal(saved, text_of(&f));
  dv_free(saved);
  close_scene(&f);
}

// --- anything, in any order ----------------------------------------------------------------------

typedef struct Listing {
  dvVisitor visitor;
  dvText text;
  DV_ARRAY(char *) paths;
} Listing;

static void list_one(Listing *l, const dvObject *o)
{
  char *path = dv_object_path(o);
  dv_text_printf(&l->text, "%s %s%s\n", path, o->cls->name, o->failed ? " failed" : "");
  dv_push(&l->paths, path);
}

static dvWalk list_node(dvVisitor *v, dvNode *node)
{
  Listing *l = (Listing *)v;
  list_one(l, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) list_one(l, node->objects.data[i]);
  return DV_WALK_ON;
}

static Listing list_scene(Fixture *f)
{
  Listing l = {.visitor = {.top_down = list_node, .everything = true}};
  if (f->session->scene) dv_visit(f->session->scene->root, &l.visitor);
  return l;
}

static void free_listing(Listing *l)
{
  for (size_t i = 0; i < l->paths.count; i++) dv_free(l->paths.data[i]);
  dv_array_free(&l->paths);
  dv_text_free(&l->text);
}

static unsigned next(unsigned *seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 8; }

static void random_edit(Fixture *f, unsigned *seed)
{
  static const char *const classes[] = {"MechanicalObject", "UniformMass", "BoxROI", "FixedProjectiveConstraint",
                                        "Gravity"};
  static const char *const names[] = {"a", "b", "grid", "dofs", "Body"};
  Listing l = list_scene(f);
  const char *one = l.paths.data[next(seed) % l.paths.count], *other = l.paths.data[next(seed) % l.paths.count];
  char *request = NULL;
  switch (next(seed) % 8) {
  case 0:
    request = dv_format("{'do': 'add', 'path': '%s', 'class': '%s'}", one, classes[next(seed) % DV_COUNT(classes)]);
    break;
  case 1:
    request = dv_format("{'do': 'add', 'path': '%s', 'name': '%s'}", one, names[next(seed) % DV_COUNT(names)]);
    break;
  case 2:
    request = dv_format("{'do': 'take-out', 'path': '%s'}", one);
    break;
  case 3:
    request = dv_format("{'do': 'move', 'path': '%s', 'to': '%s'}", one, other);
    break;
  case 4:
    request = dv_format("{'do': 'rename', 'path': '%s', 'name': '%s'}", one, names[next(seed) % DV_COUNT(names)]);
    break;
  case 5:
    request = dv_format("{'do': 'attribute', 'path': '%s', 'field': 'n', 'text': '2 2 %u'}", one, 2 + next(seed) % 3);
    break;
  case 6:
    request = dv_strdup(next(seed) % 3 ? "{'do': 'undo'}" : "{'do': 'redo'}");
    break;
  default:
    request = dv_format("{'do': 'move', 'path': '%s', 'to': '/', 'before': '%s'}", one, other);
  }
  json_decref(ask(f, request));
  dv_free(request);
  free_listing(&l);
}

// Whatever is done: what runs is what its text says, and all of it can be undone.
static void anything_in_any_order(void **state)
{
  DV_UNUSED(state);
  size_t edits = 0, parts = 0;
  for (unsigned seed = 1; seed <= 6; seed++) {
    Fixture f;
    unsigned random = seed * 7919u;
    open_scene(&f, commented);
    hello(&f);
    for (int i = 0; i < 60; i++) {
      random_edit(&f, &random);
      if (f.session->ready && i % 7 == 0) steps(&f, 1);
    }
    edits += f.session->editing->done.count, parts += f.session->editing->parts;
    Listing now = list_scene(&f);
    bool ready = f.session->ready;
    dv_session_load(f.session);   // the same text, read at once
    Listing again = list_scene(&f);
    assert_int_equal(f.session->ready, ready);
    assert_string_equal(now.text.text, again.text.text);
    free_listing(&now), free_listing(&again);
    while (f.session->editing->done.count) done(&f, "{'do': 'undo'}", NULL);
    assert_string_equal(text_of(&f), commented);
    assert_true(f.session->ready);
    close_scene(&f);
  }
  assert_true(edits > 60 && parts > 10);   // much was done, and some of it in parts
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_soft_block_falls_on_a_floor),
      cmocka_unit_test(every_preset_runs),
      cmocka_unit_test(a_body_stands_beside_those_that_are_there),
      cmocka_unit_test(edits_keep_the_rest_and_are_undone),
      cmocka_unit_test(a_value_that_is_set_while_it_runs_is_undone_while_it_runs),
      cmocka_unit_test(one_of_fifty),
      cmocka_unit_test(parts_give_what_the_whole_gives),
      cmocka_unit_test(links_from_outside_hold),
      cmocka_unit_test(bodies_that_touch_are_changed),
      cmocka_unit_test(bodies_are_shifted_turned_and_scaled),
      cmocka_unit_test(points_are_chosen_and_held),
      cmocka_unit_test(a_dropped_mesh_becomes_a_body),
      cmocka_unit_test(problems_stand_at_their_component),
      cmocka_unit_test(texts_of_the_page_stay_behind_the_gate),
      cmocka_unit_test(anything_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
