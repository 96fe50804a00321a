// divan check: find the mistakes of a scene or a mesh.
#include "command.h"
#include "mesh_report.h"

#include "app/lint.h"
#include "base/file.h"
#include "io/load/loader.h"
#include "io/scene/scene_file.h"
#include "topology/inspect.h"
#include "topology/topology.h"

#include <stdio.h>

// --- meshes --------------------------------------------------------------------------------------

int complain_of_mesh(const char *path, const dvMeshError *error)
{
  if (error->line > 0) fprintf(stderr, "%s:%d: error: %s\n", path, error->line, error->text);
  else fprintf(stderr, "%s: error: %s\n", path, error->text);
  return DV_ERROR_INPUT;
}

// "5 points, 1 triangle, 2 quads": what there is
void print_counts(const char *path, const dvMesh *mesh)
{
  const struct {
    size_t count;
    const char *one, *many;
  } kinds[] = {{mesh->edges.count / 2, "edge", "edges"},
               {mesh->triangles.count / 3, "triangle", "triangles"},
               {mesh->quads.count / 4, "quad", "quads"},
               {mesh->tetrahedra.count / 4, "tetrahedron", "tetrahedra"},
               {mesh->hexahedra.count / 8, "hexahedron", "hexahedra"},
               {mesh->prisms.count / 6, "prism", "prisms"},
               {mesh->pyramids.count / 5, "pyramid", "pyramids"}};
  size_t points = dv_mesh_point_count(mesh);
  printf("%s: %zu point%s", path, points, points == 1 ? "" : "s");
  for (size_t i = 0; i < DV_COUNT(kinds); i++)
    if (kinds[i].count) printf(", %zu %s", kinds[i].count, kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
  printf("\n");
}

// messages about the components that do the checking are about the file
static void tell_of_file(void *user, const dvMessage *message)
{
  dvMessage m = *message;
  m.place = (dvPlace){user, 0};
  m.path = NULL;
  dv_log_print(NULL, &m);
}

// what bounds the elements, and whether they hang together as they should
static void print_shape(const char *path, const dvInspection *i)
{
  size_t n = i->border;
  if (i->dimension == 0) return;
  printf("%s: ", path);
  if (i->dimension == 3) printf("a solid, its surface has %zu face%s", n, n == 1 ? "" : "s");
  else if (i->dimension == 2 && n) printf("an open surface, its border has %zu edge%s", n, n == 1 ? "" : "s");
  else if (n) printf("lines with %zu end%s", n, n == 1 ? "" : "s");
  else printf(i->dimension == 2 ? "a closed surface" : "closed lines");
  printf("; %s\n", dv_inspection_manifold(i)    ? "manifold"
                   : dv_inspection_conformal(i) ? "conformal, not manifold"
                                                : "not conformal");
}

static dvStatus inspect(dvScene *scene, dvTopology *t, const char *path)
{
  dvInspection i;
  DV_TRY(dv_scene_init(scene));
  DV_TRY(dv_topology_settle(t));
  bool known = dv_reals_size(dv_topology_positions(t)) >= dv_topology_point_count(t);
  if (!dv_topology_inspect(t, known ? dv_topology_positions(t)->data : NULL, &i))
    return dv_error(&t->base, "use a coarser mesh", "out of memory for checking the mesh");
  dv_inspection_report(&i, &t->base, true);
  print_shape(path, &i);
  return DV_OK;
}

// what a mesh holds, and what is wrong with it
static int check_mesh(const Options *o)
{
  dvMesh mesh;
  dvMeshError error = {0};
  if (dv_mesh_read(o->scene, &mesh, &error) != DV_OK) return complain_of_mesh(o->scene, &error);
  if (mesh.facets.offset.count && !dv_loader_faces(&mesh, false, NULL)) return DV_ERROR_INPUT;
  print_counts(o->scene, &mesh);
  for (size_t i = 0; i < mesh.values.count; i++)
    printf("%s: values '%s' of %s, %d each\n", o->scene, mesh.values.data[i].name,
           mesh.values.data[i].of_cells ? "cells" : "points", mesh.values.data[i].width);
  for (size_t i = 0; i < mesh.unread.count; i++)
    fprintf(stderr, "%s: warning: not read: %s\n", o->scene, mesh.unread.data[i]);
  if (mesh.skipped)
    fprintf(stderr, "%s: warning: %zu elements of types that are not known here\n", o->scene, mesh.skipped);
  dv_mesh_free(&mesh);
  dvContext *context = context_for(o);
  context->log.sink = tell_of_file;
  context->log.user = (void *)o->scene;
  dvScene *scene = dv_scene_create(context);
  dvObject *topology = dv_object_create(context, dv_registry_find(&context->registry, "MeshTopology"), "mesh", NULL);
  dv_object_set(topology, "filename", o->scene);
  dv_node_add(scene->root, topology);
  dvStatus status = inspect(scene, dv_topology(topology), o->scene);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return (int)status;
}

// --- the command ---------------------------------------------------------------------------------

static int check(const Options *o)
{
  if (!o->scene) return usage_error(&command_check, "name a scene or a mesh");
  if (dv_mesh_can_read(o->scene)) return check_mesh(o);
  dvContext *context = context_for(o);
  dvScene *scene = NULL;
  context->progress = progress_begin(false);
  dv_scene_read(context, o->scene, &scene);
  bool ready = scene && dv_scene_init(scene) == DV_OK;
  progress_end();
  context->log.strict = false;
  if (ready) {
    dv_scene_lint(scene);
    dv_scene_tell_compat(scene, true);
  }
  dvStatus status = context->log.worst;
  if (!scene && status == DV_OK) status = DV_ERROR_INPUT;
  print_summary_of_messages(&context->log);
  if (status == DV_OK && !context->log.counts[DV_WARNING]) printf("%s: no mistakes found\n", o->scene);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return (int)status;
}

const Command command_check = {
    .verb = VERB_CHECK,
    .name = "check",
    .summary = "find the mistakes of a scene or a mesh",
    .usage = "divan check SCENE [options]\n"
             "       divan check MESH\n",
    .about = "Reads and initialises a scene and prints every mistake with its place and what to do about it.\n"
             "Warnings name what is legal and most likely not meant: no mass, an empty selection, a step too long for\n"
             "an explicit integrator, components that nobody uses, implausible sizes. Notes name what SOFA does wrong\n"
             "here and what the other mode of --compat would do. The exit status is that of `divan run`; 0 means that\n"
             "the scene is fit to run.\n\n"
             "Of a mesh file it prints what it holds, whether it is conformal and manifold, and elements that have no\n"
             "size or are turned inside out. The exit status is 4 when the file cannot be read.\n",
    .examples = "  divan check scenes/liver.scn\n"
                "  divan check scenes/mesh/organ.msh\n",
    .most_names = 1,
    .run = check,
};
