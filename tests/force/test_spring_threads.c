// Springs in packs give the same bits for any number of threads.
#include "support/check.h"
#include "support/fd.h"

#include "app/divan.h"

#include <string.h>

static double *run(int threads, size_t *count)
{
  fdScene s =
      fd_open_in(dv_divan_create(threads),
                 "<Node><RegularGridTopology n='12 12 12' min='0 0 0' max='11 11 11'/><MechanicalObject name='dofs'/>"
                 "<MeshSpringForceField name='ff' cubesStiffness='100' cubesDamping='1'/></Node>");
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  dvObject *ff = fd_find(&s, "ff");
  const dvForceOps *ops = dv_ops(ff, DV_ROLE_FORCE);
  *count = dv_state_scalars(dofs, DV_V);
  double *x = dv_state_write(dofs, DV_X), *v = dv_state_write(dofs, DV_V), *dx = dv_state_write(dofs, DV_DX),
         *out = dv_alloc(2 * *count * sizeof *out);
  for (size_t i = 0; i < *count; i++) {
    x[i] += 0.1 * sin(1.7 * (double)i);
    v[i] = cos(0.3 * (double)i);
    dx[i] = sin(0.9 * (double)i);
  }
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .k = -0.01, .implicit = true};
  memset(dv_state_write(dofs, DV_F), 0, *count * sizeof(double));
  memset(dv_state_write(dofs, DV_DF), 0, *count * sizeof(double));
  ops->add_force(ff, &m);
  ops->add_dforce(ff, &m);
  memcpy(out, dv_state_read(dofs, DV_F), *count * sizeof *out);
  memcpy(out + *count, dv_state_read(dofs, DV_DF), *count * sizeof *out);
  fd_close(&s);
  return out;
}

static void same_bits(void **state)
{
  DV_UNUSED(state);
  size_t n;
  double *one = run(1, &n);
  for (int threads = 2; threads <= 4; threads++) {
    double *many = run(threads, &n);
    assert_memory_equal(one, many, 2 * n * sizeof *one);
    dv_free(many);
  }
  dv_free(one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
