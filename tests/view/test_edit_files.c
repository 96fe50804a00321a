// Files that a scene writes while it is looked at: an edit for which the scene is read again leaves what was written,
// and the files go on behind it.
#include "support/check.h"

#include "base/file.h"
#include "view/inside.h"

#include <string.h>
#include <unistd.h>

static const char scene_text[] =
    "<Node name='root' dt='0.01' gravity='0 -9.81 0'><EulerImplicitSolver name='ode'/><CGLinearSolver/>"
    "<MechanicalObject name='dofs' position='0 0 0  1 0 0'/><UniformMass name='mass' totalMass='1'/>"
    "<WriteState name='out' filename='motion.txt'/><WriteState name='packed' filename='motion.txt.gz'/>"
    "<Monitor name='watch' ExportPositions='1'/>"
    "<VTKExporter name='pictures' filename='picture' exportEveryNumberOfSteps='2' exportAtBegin='1'/></Node>";

static size_t count(const char *path, const char *word)
{
  char *text = dv_file_read(path, NULL);
  size_t n = 0;
  for (const char *s = text; s && (s = strstr(s, word)); s++) n++;
  dv_free(text);
  return n;
}

static void steps(dvSession *s, long n)
{
  s->steps_wanted += n;
  for (int i = 0; i < 1000 && s->steps_wanted > 0; i++) dv_session_advance(s);
  assert_int_equal(s->steps_wanted, 0);
}

static void edit(dvSession *s, const char *path, const char *field, const char *text)
{
  assert_null(
      dv_session_edit(s, (dvEdit){.path = dv_strdup(path), .field = dv_strdup(field), .text = dv_strdup(text)}));
}

static void files_go_on_after_an_edit(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *file = check_write(directory, "edited.scn", scene_text);
  assert_int_equal(chdir(directory), 0);
  dv_free(check_write(directory, "motion.txt", "precious\n"));
  dvSession *s = dv_session_create(&(dvSessionOptions){.scene = file, .threads = 1});
  assert_true(s->ready);
  edit(s, "/mass", "totalMass", "2");
  assert_int_equal(count("motion.txt", "precious"), 1);   // nothing was due
  steps(s, 20);
  assert_int_equal(count("motion.txt", "T="), 20);
  assert_int_equal(count("motion.txt", "precious"), 0);
  assert_int_equal(count("watch_x.txt", "\n"), 1 + 1 + 20);   // the headline, the beginning, the steps
  assert_true(dv_file_exists("picture_10.vtu") && !dv_file_exists("picture_11.vtu"));
  edit(s, "/mass", "totalMass", "3");
  assert_int_equal(count("motion.txt", "T="), 20);
  assert_int_equal(count("watch_x.txt", "\n"), 22);
  steps(s, 10);
  assert_int_equal(count("motion.txt", "T="), 30);
  assert_int_equal(count("watch_x.txt", "\n"), 32);
  assert_true(dv_file_exists("picture_15.vtu") && !dv_file_exists("picture_16.vtu"));
  assert_int_equal(count("picture.pvd", "<DataSet"), 16);
  edit(s, "/out", "filename", "other.txt");   // another file begins anew
  steps(s, 5);
  assert_int_equal(count("motion.txt", "T="), 30);
  assert_int_equal(count("other.txt", "T="), 5);
  dv_session_destroy(&s);
  assert_int_equal(chdir("/"), 0);
  dv_free(file);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_go_on_after_an_edit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
