// A lattice of a million springs in the viewer: what a frame costs, what is sent of it, and that it is painted and
// changed while it runs. With sanitizers a small one, without the time.
#include "support/check.h"

#include "base/clock.h"
#include "base/file.h"
#include "lattice/spring_lattice.h"
#include "view/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { SIDE = 12, TIMED = 0 };
#else
enum { SIDE = 43, TIMED = 1 };
#endif

typedef struct Fixture {
  dvSession *session;
  dvViewer viewer;
  char directory[64];
} Fixture;

static void open_lattice(Fixture *f)
{
  *f = (Fixture){.directory = "/tmp/divan-test-XXXXXX"};
  assert_non_null(mkdtemp(f->directory));
  char *path = dv_path_join(f->directory, "lattice.scn");
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  double side = 0.01 * SIDE;
  fprintf(file,
          "<Node dt='0.0002' gravity='0 -9.81 0'><VoxelLattice name='v' cell='0.01' boxes='0 0 0 %g %g %g'/>"
          "<MechanicalObject name='dofs' position='@v.position'/>"
          "<SpringLattice name='lattice' springs='@v.edges' weights='@v.weights' shares='@v.shares' volume='@v.volume' "
          "youngModulus='3e5' massDensity='1000' integrator='euler' precision='float'/>"
          "<BoxROI name='half' box='-1 -1 -1 %g 9 9' position='@v.position'/>"
          "<LatticeMaterial name='soft' indices='@half.indices' youngModulus='1e5' color='1 0 0 1'/>"
          "<LatticeContact plane='0 1 0 0'/></Node>",
          side, side, side, side / 2 + 0.001);
  fclose(file);
  f->session = dv_session_create(&(dvSessionOptions){.scene = path, .threads = 1});
  dv_free(path);
  assert_true(dv_session_ready(f->session) && dv_session_join(f->session, &f->viewer));
}

static void close_lattice(Fixture *f)
{
  dv_session_leave(f->session, &f->viewer);
  dv_session_destroy(&f->session);
  char *command = dv_format("rm -rf %s", f->directory);
  assert_int_equal(system(command), 0);
  dv_free(command);
}

static json_t *ask(Fixture *f, const char *request)
{
  dvText reply = {0};
  dv_session_handle(f->session, &f->viewer, request, strlen(request), &reply);
  json_t *a = reply.length ? json_loads(reply.text, 0, NULL) : NULL;
  dv_text_free(&reply);
  if (a && json_object_get(a, "error")) fail_msg("%s: %s", request, json_string_value(json_object_get(a, "error")));
  return a;
}

static void must(Fixture *f, const char *request) { json_decref(ask(f, request)); }

// steps until a frame is there; its size
static size_t next_frame(Fixture *f)
{
  dvText frame = {0};
  for (int i = 0; i < 100000 && !frame.length; i++) {
    dv_session_advance(f->session);
    dv_session_frame(f->session, &f->viewer, &frame);
  }
  size_t size = frame.length;
  f->viewer.acked = f->viewer.frame;
  dv_text_free(&frame);
  assert_true(size > 0);
  return size;
}

static const dvSpringLattice *lattice_of(Fixture *f)
{
  return (const dvSpringLattice *)dv_view_find(f->session, "/lattice");
}

// numbers in the indices of the first drawable with the lattice's path in the visual group, and its parts
static size_t drawn(Fixture *f, size_t *parts, size_t *red)
{
  json_t *scene = ask(f, "{\"do\":\"scene\",\"id\":1}"), *row;
  size_t i, k, count = 0;
  *parts = *red = 0;
  json_array_foreach(json_object_get(scene, "drawables"), i, row)
  {
    if (!dv_same(json_string_value(json_object_get(row, "group")), "visual")) continue;
    assert_string_equal(json_string_value(json_object_get(row, "path")), "/lattice");
    assert_string_equal(json_string_value(json_object_get(row, "kind")), "triangles");
    json_t *part;
    json_array_foreach(json_object_get(row, "parts"), k, part)
    {
      size_t n = (size_t)json_integer_value(json_object_get(part, "count"));
      const json_t *colour = json_object_get(json_object_get(part, "material"), "diffuse");
      count += n;
      ++*parts;
      if (json_number_value(json_array_get(colour, 0)) == 1 && json_number_value(json_array_get(colour, 1)) == 0)
        *red = n;
    }
  }
  json_decref(scene);
  return count;
}

static void shown_at_thirty(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_lattice(&f);
  const dvSpringLattice *s = lattice_of(&f);
  size_t n = SIDE, parts, red;
  if (TIMED) assert_true(dv_ints_size(&s->springs) > 1000000);
  // two triangles for each of the squares on the six sides, half of them red
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  assert_int_equal(drawn(&f, &parts, &red), 6 * 6 * n * n);
  assert_int_equal(parts, 2);
  assert_int_equal(red, 6 * (n * n + 4 * n * (n / 2)));   // one end and half of the four long sides
  must(&f, "{\"do\":\"realtime\",\"id\":1,\"on\":false}");
  must(&f, "{\"do\":\"animate\",\"id\":1,\"on\":true}");
  assert_true(next_frame(&f) > 12 * 36 * n * n / 3);   // with the indices
  double least = INFINITY;
  for (int i = 0; i < 12; i++) {
    size_t size = next_frame(&f);   // positions of the outside only
    assert_int_equal(size, 24 + 16 + 12 * (6 * n * n + 2));
    least = dv_min(least, f.session->frame_cost);
  }
  print_message("%zu springs: a frame takes %.3f ms of the simulation's thread\n", dv_ints_size(&s->springs),
                1e3 * least);
  // 30 a second while packing takes no more than the 1/60 of the thread that the session gives it
  if (TIMED) assert_true(least < 1.0 / 30 / 60);
  close_lattice(&f);
}

static void painted_and_changed(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_lattice(&f);
  size_t n = SIDE, parts, red, before;
  must(&f, "{\"do\":\"hello\",\"id\":1}");
  drawn(&f, &parts, &before);
  must(&f, "{\"do\":\"realtime\",\"id\":1,\"on\":false}");
  must(&f, "{\"do\":\"animate\",\"id\":1,\"on\":true}");
  for (int i = 0; i < 3; i++) next_frame(&f);
  // a number of a material acts from the next step on, and nothing is laid out again
  const dvSpringLattice *s = lattice_of(&f);
  const dvLattice *l = s->lattice;
  double force = 0;
  for (int c = 1; c <= l->class_count; c++) force = dv_max(force, l->classes[c].force);
  double took = INFINITY;
  for (int i = 0; i < 5; i++) {   // the least: others use the machine, too
    double began = dv_thread_now();
    must(&f, i % 2 ? "{\"do\":\"set\",\"id\":1,\"path\":\"/soft\",\"field\":\"youngModulus\",\"text\":\"5e5\"}"
                   : "{\"do\":\"set\",\"id\":1,\"path\":\"/soft\",\"field\":\"youngModulus\",\"text\":\"6e5\"}");
    must(&f, i % 2 ? "{\"do\":\"set\",\"id\":1,\"path\":\"/lattice\",\"field\":\"rayleighMass\",\"text\":\"2\"}"
                   : "{\"do\":\"set\",\"id\":1,\"path\":\"/lattice\",\"field\":\"rayleighMass\",\"text\":\"3\"}");
    took = dv_min(took, dv_thread_now() - began);
  }
  dv_session_advance(f.session);
  assert_ptr_equal(lattice_of(&f)->lattice, l);
  double after = 0;
  for (int c = 1; c <= l->class_count; c++) after = dv_max(after, l->classes[c].force);
  check_close(after, 2 * force, 1e-9 * force);
  print_message("two numbers changed in %.1f ms\n", 1e3 * took);
  if (TIMED) assert_true(took < 1.0 / 30);
  // a larger region
  char *request =
      dv_format("{\"do\":\"set\",\"id\":1,\"path\":\"/half\",\"field\":\"box\",\"text\":\"-1 -1 -1 %g 9 9\"}",
                0.01 * (SIDE / 2 + 3) + 0.001);
  must(&f, request);
  dv_free(request);
  drawn(&f, &parts, &red);
  assert_int_equal(red, before + 6 * 4 * n * 3);
  assert_true(dv_session_ready(f.session) && f.session->animating);
  close_lattice(&f);
}

// the region of a material changes under a lattice that a program runs: it is painted in the next step, where it is
static void painted_by_a_program(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_lattice(&f);
  dvObject *roi = dv_view_find(f.session, "/half");
  const dvSpringLattice *s = lattice_of(&f);
  const dvLattice *l = s->lattice;
  assert_int_equal(dv_scene_step(f.session->scene, 0), DV_OK);
  size_t soft = 0, now = 0;
  for (size_t i = 0; i < dv_ints_size(&s->springs); i++) soft += s->recipes.data[s->classes[i] - 1].material != NULL;
  assert_int_equal(dv_object_set(roi, "box", "-1 -1 -1 9 9 9"), DV_OK);
  assert_int_equal(dv_scene_step(f.session->scene, 0), DV_OK);
  assert_ptr_equal(s->lattice, l);
  for (size_t i = 0; i < dv_ints_size(&s->springs); i++) now += s->recipes.data[s->classes[i] - 1].material != NULL;
  assert_true(soft > 0 && soft < now);
  assert_int_equal(now, dv_ints_size(&s->springs));
  close_lattice(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(shown_at_thirty), cmocka_unit_test(painted_and_changed),
                                     cmocka_unit_test(painted_by_a_program)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
