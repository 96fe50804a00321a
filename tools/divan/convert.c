// divan convert: write a scene back, or a mesh in another format.
#include "command.h"
#include "mesh_report.h"
#include "recorded.h"

#include "base/file.h"
#include "distributed/spread.h"
#include "io/load/loader.h"
#include "io/mesh/write_mesh.h"
#include "io/scene/scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- meshes --------------------------------------------------------------------------------------

// values of points and cells, such as fibres, that would be missed
static void tell_values(const char *to, const dvMesh *mesh)
{
  dvText names = {0};
  const char *extension = dv_path_extension(to);
  if (dv_same_nocase(extension, "vtk") || dv_same_nocase(extension, "vtu")) return;
  for (size_t i = 0; i < mesh->values.count; i++)
    dv_text_printf(&names, "%s%s", i ? ", " : "", mesh->values.data[i].name);
  if (mesh->values.count)
    fprintf(stderr, "%s: warning: %s: values are left out, the format has no place for them: .vtk and .vtu have one\n",
            to, names.text);
  dv_text_free(&names);
}

static int convert_mesh(const char *from, const char *to)
{
  dvMesh mesh;
  dvMeshError error = {0};
  if (dv_mesh_read(from, &mesh, &error) != DV_OK) return complain_of_mesh(from, &error);
  size_t lost = 0;
  // faces with texture coordinates become plain triangles and quads
  bool good = !mesh.facets.offset.count || dv_loader_faces(&mesh, false, NULL);
  dvStatus status = good ? dv_mesh_write(to, &mesh, &lost, &error) : DV_ERROR_INPUT;
  if (status == DV_OK) print_counts(to, &mesh);
  if (status == DV_OK && lost)
    fprintf(stderr, "%s: warning: %zu elements are left out: the format has no place for them\n", to, lost);
  if (status == DV_OK) tell_values(to, &mesh);
  dv_mesh_free(&mesh);
  return status == DV_OK ? 0 : complain_of_mesh(to, &error);
}

// for runs over so many processes
static int convert_parts(const Options *o)
{
  dvMesh mesh;
  dvMeshError error = {0};
  dvText why = {0};
  if (dv_mesh_read(o->scene, &mesh, &error) != DV_OK) return complain_of_mesh(o->scene, &error);
  const bool good = dv_spread_write_pieces(&mesh, (int)o->parts, o->second, &why);
  if (good) print_counts(o->second, &mesh);
  else fprintf(stderr, "%s: error: %s\n", o->second, why.text);
  dv_text_free(&why);
  dv_mesh_free(&mesh);
  return good ? 0 : DV_ERROR_INPUT;
}

// --- names of files in a scene -------------------------------------------------------------------

// The directory of a file without links and dots, NULL when it is not there. The caller frees it.
static char *real_directory(const char *file)
{
  char *directory = dv_path_directory(file), *real = realpath(*directory ? directory : ".", NULL),
       *copy = real ? dv_strdup(real) : NULL;
  free(real);
  dv_free(directory);
  return copy;
}

// how one comes from a directory to a file, both absolute; the caller frees it
static char *relative_path(const char *directory, const char *file)
{
  size_t common = 0;   // characters up to and with the last slash that both have
  for (size_t i = 0; directory[i] == file[i] || (!directory[i] && file[i] == '/'); i++) {
    if (file[i] == '/') common = i + 1;
    if (!directory[i] || !file[i]) break;
  }
  dvText out = {0};
  bool inside = strlen(directory) > common;
  if (inside) dv_text_add(&out, "../");
  for (const char *c = directory + common; inside && *c; c++)
    if (*c == '/') dv_text_add(&out, "../");
  dv_text_add(&out, file + common);
  return dv_text_take(&out);
}

typedef struct Mover {
  dvVisitor visitor;
  const char *to;   // directory of the new file
} Mover;

static void move_name(const Mover *m, dvObject *o, const dvField *f)
{
  const char *name = *(char *const *)f->value, *beside = f->place.file ? f->place.file : o->place.file;
  // what a component writes goes to the working directory
  if (!*name || *name == '/' || !beside || dv_starts_with(f->desc->help, "file to write")) return;
  char *from = real_directory(beside), *path = from ? dv_path_join(from, name) : NULL,
       *folder = path ? real_directory(path) : NULL;
  if (folder && access(path, F_OK) == 0 &&
      !dv_same(from, m->to)) {   // else it is found in a data directory, as before, or not at all
    char *real = dv_path_join(folder, dv_path_name(name)), *moved = relative_path(m->to, real);
    dv_object_set(o, dv_field_name(f->desc), moved);
    dv_free(moved);
    dv_free(real);
  }
  dv_free(folder);
  dv_free(path);
  dv_free(from);
}

static dvWalk move_names(dvVisitor *v, dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    for (int k = 0; k < o->field_count; k++) {
      const dvField *f = &o->fields[k];
      if (f->desc->type == DV_T_FILE && f->was_set && !f->link) move_name((Mover *)v, o, f);
    }
  }
  return DV_WALK_ON;
}

// --- scenes --------------------------------------------------------------------------------------

static int convert_scene(const Options *o)
{
  dvContext *context = context_for(o);
  dvScene *scene = NULL;
  char *to = real_directory(o->second);
  dvStatus status = dv_scene_read(context, o->scene, &scene);
  if (status == DV_OK) {
    Mover m = {.visitor = {.top_down = move_names, .everything = true}, .to = to ? to : ""};
    dv_visit(scene->root, &m.visitor);
    status = dv_scene_write(scene, o->second);
  }
  print_summary_of_messages(&context->log);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  dv_free(to);
  return (int)status;
}

// --- the command ---------------------------------------------------------------------------------

static bool same_file(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int convert(const Options *o)
{
  if (!o->scene) return usage_error(&command_convert, "name a scene or a mesh");
  if (!o->second) return usage_error(&command_convert, "name the file to write");
  if (!o->force && same_file(o->scene, o->second))
    return usage_error(&command_convert,
                       "%s would be overwritten by what is made of it; name another file, or allow it with --force",
                       o->scene);
  if (dv_ends_with_nocase(o->scene, ".divr")) return convert_recording(o);
  const bool list = dv_parts_is_list(o->second);
  if (o->parts || list) {
    if (!o->parts || !list || !dv_mesh_can_read(o->scene))
      return usage_error(&command_convert,
                         "a mesh in parts is written by divan convert MESH OUT.pvtu|OUT.geo --parts N");
    return output_file(o->second) ? convert_parts(o) : DV_ERROR_INPUT;
  }
  if (dv_mesh_can_read(o->scene) && !dv_mesh_can_write(o->second))
    return usage_error(&command_convert, "'.%s' is not a format that meshes are written in; there are %s",
                       dv_path_extension(o->second), dv_mesh_written_formats());
  if (!output_file(o->second)) return DV_ERROR_INPUT;
  return dv_mesh_can_write(o->second) ? convert_mesh(o->scene, o->second) : convert_scene(o);
}

const Command command_convert = {
    .verb = VERB_CONVERT,
    .name = "convert",
    .summary = "write a scene in today's form, or a mesh in another format",
    .usage = "divan convert IN.scn OUT.scn|OUT.py [options]\n"
             "       divan convert MESH OUT [--force]\n"
             "       divan convert MESH OUT.pvtu|OUT.geo --parts N\n"
             "       divan convert ROBOT.urdf OUT.scn\n"
             "       divan convert FILE.divr OUT.glb|OUT.usda|OUT.csv\n",
    .about =
        "Writes a scene back with includes expanded, today's names and values in their shortest form. Converting\n"
        "the result again gives the same bytes. Names of files that stand relative to the scene are made relative\n"
        "to OUT, where it is in another directory. Comments stay at their places. OUT.py is a script with\n"
        "createScene(rootNode), as SofaPython3 has them (docs/python.md).\n\n"
        "A mesh is written in the format that the name of OUT asks for: .obj .vtk .vtu .stl .off .msh .mesh .node\n"
        ".inp .gidmsh .trian .xs3 .sph; it is read from any of these and from .vtp .vti .vts, also with .gz behind\n"
        "the name. OUT.pvtu, or OUT.geo with files of Gmsh, is the list of N parts for runs over N processes, each of\n"
        "which reads its own (docs/scaling.md).\n\n"
        "A robot in URDF becomes an articulated system (docs/recording.md tells what of it). A recording\n"
        "(divan run --record) becomes a moving scene for other programs, .glb or .usda, or a table of its numbers.\n",
    .examples = "  divan convert scenes/liver.scn liver-new.scn\n"
                "  divan convert scenes/mesh/organ.msh organ.vtu\n"
                "  divan convert liver.divr liver.glb\n",
    .most_names = 2,
    .run = convert,
};
