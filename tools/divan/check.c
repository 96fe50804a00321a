// divan check: find the mistakes of a scene or a mesh. divan convert: write a scene back, or a mesh in another format.
#include "command.h"

#include "app/lint.h"
#include "base/file.h"
#include "io/loader.h"
#include "io/scene_file.h"
#include "io/write_mesh.h"

#include <stdio.h>

static const char check_usage[] =
    "divan check SCENE [--data DIR]... [--plugin NAME]... [--plugin-path DIR]...\n"
    "divan check MESH\n\n"
    "Reads and initialises a scene and prints every mistake with its place and what to do about it.\n"
    "Warnings name what is legal and most likely not meant: no mass, an empty selection, a step too long for an\n"
    "explicit integrator, components that nobody uses, implausible sizes. The exit status is that of `divan run`;\n"
    "0 means that the scene is fit to run.\n\n"
    "Of a mesh file it prints what it holds, whether it is conformal and manifold, and elements that have no size or are\n"
    "turned inside out. The exit status is 4 when the file cannot be read.\n\n"
    "examples:\n"
    "  divan check my.scn --data meshes\n"
    "  divan check organ.msh\n";

static const char convert_usage[] =
    "divan convert IN.scn OUT.scn [--data DIR]...\n"
    "divan convert IN.mesh OUT.mesh\n\n"
    "Writes a scene back with includes expanded, today's names and values in their shortest form.\n"
    "Converting the result again gives the same bytes.\n\n"
    "A mesh is written in the format that the name of OUT asks for: .obj .vtk .vtu .stl .off .msh .mesh .node .inp\n"
    ".gidmsh .trian .xs3 .sph; it is read from any of these and from .vtp .vti .vts, also with .gz behind the name.\n\n"
    "examples:\n"
    "  divan convert old.scn new.scn\n"
    "  divan convert organ.msh organ.vtu\n";

static int parse(const Command *c, Options *o, int count, char **arguments, bool two)
{
  *o = (Options){.threads = 1};
  for (int i = 0; i < count;) {
    int used = option_common(c, o, count - i, arguments + i);
    if (used < 0) return DV_ERROR_USAGE;
    if (used == 0) return unknown_option(c, arguments[i]);
    i += used;
  }
  if (!o->scene) return usage_error(c, "name a scene");
  if (two && !o->second) return usage_error(c, "name the file to write");
  if (!two && o->second) return usage_error(c, "unexpected argument '%s'", o->second);
  return 0;
}

static int complain(const char *path, const dvMeshError *error)
{
  if (error->line > 0) fprintf(stderr, "%s:%d: error: %s\n", path, error->line, error->text);
  else fprintf(stderr, "%s: error: %s\n", path, error->text);
  return DV_ERROR_INPUT;
}

static void print_counts(const char *path, const dvMesh *mesh)
{
  printf("%s: %zu points, %zu edges, %zu triangles, %zu quads, %zu tetrahedra, %zu hexahedra, %zu prisms, %zu pyramids\n", path,
         dv_mesh_point_count(mesh), mesh->edges.count / 2, mesh->triangles.count / 3, mesh->quads.count / 4, mesh->tetrahedra.count / 4,
         mesh->hexahedra.count / 8, mesh->prisms.count / 6, mesh->pyramids.count / 5);
}

// what a mesh holds, and what a TopologyChecker says about it
static int check_mesh(const Options *o)
{
  dvMesh mesh;
  dvMeshError error = {0};
  if (dv_mesh_read(o->scene, &mesh, &error) != DV_OK) return complain(o->scene, &error);
  if (mesh.facets.offset.count && !dv_loader_faces(&mesh, false, NULL)) return DV_ERROR_INPUT;
  print_counts(o->scene, &mesh);
  for (size_t i = 0; i < mesh.values.count; i++)
    printf("%s: values '%s' of %s, %d each\n", o->scene, mesh.values.data[i].name, mesh.values.data[i].of_cells ? "cells" : "points", mesh.values.data[i].width);
  for (size_t i = 0; i < mesh.unread.count; i++) fprintf(stderr, "%s: warning: not read: %s\n", o->scene, mesh.unread.data[i]);
  if (mesh.skipped) fprintf(stderr, "%s: warning: %zu elements of types that are not known here\n", o->scene, mesh.skipped);
  dv_mesh_free(&mesh);
  dvContext *context = context_for(o);
  dvScene *scene = dv_scene_create(context);
  dvObject *topology = dv_object_create(context, dv_registry_find(&context->registry, "MeshTopology"), "mesh", NULL);
  dvObject *checker = dv_object_create(context, dv_registry_find(&context->registry, "TopologyChecker"), "check", NULL);
  dv_object_set(topology, "filename", o->scene);
  dv_object_set(checker, "printLog", "1");
  dv_node_add(scene->root, topology);
  dv_node_add(scene->root, checker);
  dvStatus status = dv_scene_init(scene);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return (int)status;
}

static int check(int count, char **arguments)
{
  if (wants_help(&command_check, count, arguments)) return 0;
  Options o;
  int bad = parse(&command_check, &o, count, arguments, false);
  if (bad) return bad;
  if (dv_mesh_can_read(o.scene)) {
    int status = check_mesh(&o);
    dv_array_free(&o.data);
    return status;
  }
  dvContext *context = context_for(&o);
  dvScene *scene = NULL;
  dv_scene_read(context, o.scene, &scene);
  if (scene && dv_scene_init(scene) == DV_OK) dv_scene_lint(scene);
  dvStatus status = context->log.worst;
  if (!scene && status == DV_OK) status = DV_ERROR_INPUT;
  print_summary_of_messages(&context->log);
  if (status == DV_OK && !context->log.counts[DV_WARNING]) printf("%s: no mistakes found\n", o.scene);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  options_free(&o);
  return (int)status;
}

static int convert_mesh(const char *from, const char *to)
{
  dvMesh mesh;
  dvMeshError error = {0};
  if (dv_mesh_read(from, &mesh, &error) != DV_OK) return complain(from, &error);
  size_t lost = 0;
  // faces with texture coordinates become plain triangles and quads
  bool good = !mesh.facets.offset.count || dv_loader_faces(&mesh, false, NULL);
  dvStatus status = good ? dv_mesh_write(to, &mesh, &lost, &error) : DV_ERROR_INPUT;
  if (status == DV_OK) print_counts(to, &mesh);
  if (status == DV_OK && lost) fprintf(stderr, "%s: warning: %zu elements are left out: the format has no place for them\n", to, lost);
  dv_mesh_free(&mesh);
  return status == DV_OK ? 0 : complain(to, &error);
}

static int convert(int count, char **arguments)
{
  if (wants_help(&command_convert, count, arguments)) return 0;
  Options o;
  int bad = parse(&command_convert, &o, count, arguments, true);
  if (bad) return bad;
  if (dv_mesh_can_write(o.second)) {
    int status = convert_mesh(o.scene, o.second);
    options_free(&o);
    return status;
  }
  dvContext *context = context_for(&o);
  dvScene *scene = NULL;
  dvStatus status = dv_scene_read(context, o.scene, &scene);
  if (status == DV_OK) status = dv_scene_write(scene, o.second);
  print_summary_of_messages(&context->log);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  options_free(&o);
  return (int)status;
}

const Command command_check = {"check", "find the mistakes of a scene or a mesh", check_usage, check};
const Command command_convert = {"convert", "write a scene in today's form, or a mesh in another format", convert_usage, convert};
