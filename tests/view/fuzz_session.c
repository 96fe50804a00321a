// Any sequence of requests, a line each, to a session with a small scene: no crash, and the simulation goes on.
#include "view/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scene[] =
    "<Node name='root' dt='0.01'><Node name='Bar'><EulerImplicitSolver/><CGLinearSolver name='cg' iterations='10'/>"
    "<RegularGridTopology name='grid' n='2 2 3' min='0 0 0' max='1 1 2'/><MechanicalObject name='dofs'/><UniformMass "
    "name='mass' totalMass='1'/>"
    "<HexahedronFEMForceField name='fem' youngModulus='1000' poissonRatio='0.3'/><BoxROI name='box' box='-1 -1 -0.1 2 "
    "2 0.1'/>"
    "<FixedProjectiveConstraint name='fixed' indices='@box.indices'/>"
    "<Node name='Visual'><OglModel name='skin' src='@../grid'/><IdentityMapping/></Node></Node></Node>";

static void nowhere(void *user, dvViewer *to, const char *text, size_t length)
{
  DV_UNUSED(user), DV_UNUSED(to), DV_UNUSED(text), DV_UNUSED(length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char path[] = "/tmp/divan-fuzz-view-XXXXXX", name[64];
  static bool made;
  if (!made) {   // a directory of its own: requests may write beside the scene
    if (!mkdtemp(path)) abort();
    snprintf(name, sizeof name, "%s/s.scn", path);
    made = true;
  }
  FILE *f = fopen(name, "wb");   // again: a request may have saved another one
  if (!f) abort();
  fputs(scene, f);
  fclose(f);
  dvSession *s = dv_session_create(&(dvSessionOptions){.scene = name, .threads = 1, .send = nowhere});
  dvViewer v = {0};
  dv_session_join(s, &v);
  dvText reply = {0}, frame = {0};
  const char *hello = "{\"do\":\"hello\",\"id\":1}";
  dv_session_handle(s, &v, hello, strlen(hello), &reply);
  const char *at = (const char *)data, *end = at + size;
  for (int lines = 0; at < end && lines < 40; lines++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t n = stop ? (size_t)(stop - at) : (size_t)(end - at);
    dv_text_clear(&reply);
    dv_session_handle(s, &v, at, n, &reply);
    dv_session_advance(s);
    dv_text_clear(&frame);
    dv_session_frame(s, &v, &frame);
    at += n + (stop != NULL);
  }
  dv_text_free(&reply);
  dv_text_free(&frame);
  dv_session_leave(s, &v);
  dv_session_destroy(&s);
  return 0;
}
