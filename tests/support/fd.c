// See fd.h: options and scenes.
#include "support/fd.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "support/check.h"

#include <string.h>

fdOptions fd_options(void)
{
  return (fdOptions){.checks = FD_DEFAULT,
                     .move_x = 0.1,
                     .step = 1e-5,
                     .tolerance = 1e-6,
                     .energy_tolerance = 1e-6,
                     .samples = 3,
                     .seed = 1};
}

// --- scenes --------------------------------------------------------------------------------------

fdScene fd_open_in(dvContext *context, const char *text)
{
  fdScene s = {.context = context};
  dvStatus status = dv_scene_parse(context, "test", text, strlen(text), &s.scene);
  if (status == DV_OK) status = dv_scene_init(s.scene);
  if (status != DV_OK) {
    print_error("the scene does not load (%d):\n%s\n", (int)status, text);
    fd_close(&s);
    fail();
  }
  return s;
}

fdScene fd_open(const char *text) { return fd_open_in(dv_divan_create(1), text); }

void fd_close(fdScene *s)
{
  if (s->scene) dv_scene_destroy(&s->scene);
  if (s->context) dv_divan_destroy(&s->context);
}

bool fd_fails(const char *text)
{
  fdScene s = {.context = dv_divan_create(1)};
  s.context->log.sink = NULL;
  dvStatus status = dv_scene_parse(s.context, "test", text, strlen(text), &s.scene);
  if (status == DV_OK) status = dv_scene_init(s.scene);
  fd_close(&s);
  return status != DV_OK;
}

static void find_named(const dvNode *node, const char *name, dvObject **found, int *count)
{
  dvObject *o = dv_node_object(node, name);
  if (o && o != *found) {
    *found = o;
    (*count)++;
  }
  for (size_t i = 0; i < node->children.count; i++) find_named(node->children.data[i], name, found, count);
}

dvObject *fd_find(const fdScene *s, const char *path)
{
  dvObject *o = strchr(path, '/') ? dv_link_find(&s->scene->root->base, path, DV_ROLE_ANY) : NULL;
  int count = o ? 1 : 0;
  if (!o) find_named(s->scene->root, path, &o, &count);
  if (count != 1) {
    print_error("%d components are called %s\n", count, path);
    fail();
  }
  return o;
}
