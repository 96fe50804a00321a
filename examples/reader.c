/* A second thread that looks at a simulation while it runs, as a haptic device or a picture would: it never waits for
 * the steps, and they never wait for it. Compile with -pthread. */
#include <divan/divan.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static atomic_bool done;

static void *watch(void *user)
{
  divanOutbox *outbox = user;
  long step = 0, seen = 0;
  double time = 0, lowest = INFINITY;
  bool last = false;
  while (!last) {
    last = done; /* one more look after the last step */
    while (divan_outbox_read(outbox, &time, &step)) {
      size_t count;
      const double *x = divan_outbox_values(outbox, 0, &count);
      for (size_t i = 1; i < count; i += 3) lowest = x[i] < lowest ? x[i] : lowest;
      seen++;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* a thousand times a second */
  }
  printf("saw step %ld at %.2f s; nothing was below %.2f m\n", step, time, lowest);
  return seen > 0 ? NULL : user;
}

int main(void)
{
  const char *text =
      "<Node gravity='0 -9.81 0' dt='0.01'><EulerImplicitSolver/><CGLinearSolver iterations='50' threshold='1e-12'/>"
      "<RegularGridTopology n='10 3 3' max='3 0.5 0.5'/><MechanicalObject name='dofs'/><UniformMass "
      "totalMass='1'/><MeshSpringForceField linesStiffness='500'/><BoxROI name='end' box='-0.1 -1 -1 "
      "0.1 1 1'/><FixedProjectiveConstraint indices='@end.indices'/></Node>";
  const char *names[] = {"/dofs.position"};
  dvContext *divan = divan_create(1);
  dvScene *scene = divan_parse(divan, text, strlen(text));
  int status = divan_init(scene);
  divanOutbox *outbox = status == DIVAN_OK ? divan_outbox_open(scene, names, 1) : NULL;
  if (outbox) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, outbox) != 0) return DIVAN_USAGE;
    for (int i = 0; i < 200 && status == DIVAN_OK; i++) status = divan_step(scene, 0);
    done = true;
    pthread_join(thread, NULL);
  }
  divan_outbox_close(&outbox);
  divan_close(&scene);
  divan_destroy(&divan);
  return status;
}
