// VTKExporter, MeshExporter, STLExporter and VisualModelOBJExporter: meshes of a running scene as files.
//
// A file is written when the first step begins (exportAtBegin), after every so many steps (exportEveryNumberOfSteps)
// and when the scene ends (exportAtEnd); a scene that never runs writes nothing. Relative names count from the working
// directory; folders are made. Points are those of the field `position`, else of the state, else of the topology. A
// file that cannot be written is a warning: the simulation goes on.
#include "io/record/exporter.h"
#include "base/file.h"
#include "io/mesh/write_mesh.h"
#include "io/mesh/write_vtk.h"
#include "scene/node.h"
#include "state/state.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#define KIND_FIELDS(X)                                                                          \
  X(vec3s, position, "", "m", "points to write; those of the state or the topology by default") \
  X(bool, edges, "1", "", "write the edges")                                                    \
  X(bool, triangles, "1", "", "write the triangles")                                            \
  X(bool, quads, "1", "", "write the quads")                                                    \
  X(bool, tetras, "1", "", "write the tetrahedra")                                              \
  X(bool, hexas, "1", "", "write the hexahedra")
#define MESH_FIELDS(X)                                                       \
  X(choice, format, "ALL", "", "format to write; ALL: each of them but stl", \
    .options = "ALL|vtkxml|vtk|netgen|tetgen|gmsh|obj|stl")
#define VTK_FIELDS(X)                                                                                               \
  X(bool, XMLformat, "1", "", "write .vtu files and a .pvd that lists them; otherwise .vtk")                        \
  X(strings, pointsDataFields, "", "",                                                                              \
    "values of the points to write, each as component.field or name=component.field")                               \
  X(strings, cellsDataFields, "", "", "values of the cells to write, in the same form")                             \
  X(bool, overwrite, "0", "", "write the same file again instead of a numbered one")                                \
  X(link, topology, "", "", "topology to write; the one of the node or above by default", .role = DV_ROLE_TOPOLOGY) \
  X(link, mstate, "", "", "state whose points are written; the one of the node or above by default",                \
    .role = DV_ROLE_STATE)
#define STL_FIELDS(X)                                                                                \
  X(bool, binaryformat, "1", "", "write binary files")                                               \
  X(vec3s, points, "", "m", "points to write; those of the visual model or the topology by default", \
    .spelling = "position")                                                                          \
  X(triangles, triangle, "", "", "triangles to write", .alias = "triangles")                         \
  X(quads, quad, "", "", "quads to write, as two triangles each", .alias = "quads")

typedef struct Exporter {
  dvObject base;
  DV_EXPORTER_FIELDS(DV_MEMBER)
  KIND_FIELDS(DV_MEMBER)
  MESH_FIELDS(DV_MEMBER)
  VTK_FIELDS(DV_MEMBER)
  STL_FIELDS(DV_MEMBER)
  long steps;   // seen so far
  int files;    // written so far
  bool begun;   // the first step has come
  dvPvd *series;
  dvStrings told;              // values that cannot be written, named once each
  DV_ARRAY(double) moments;    // of the files in the series
  DV_ARRAY(int32_t) numbers;   // and their numbers
} Exporter;

typedef struct ExporterOps {
  void (*write)(Exporter *e);
} ExporterOps;

#define SELF Exporter
static const dvFieldDesc exporter_fields[] = {DV_EXPORTER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc mesh_fields[] = {KIND_FIELDS(DV_DESCRIBE) MESH_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc vtk_fields[] = {KIND_FIELDS(DV_DESCRIBE) VTK_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc stl_fields[] = {STL_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc exporter_memory[] = {DV_REMEMBER(numbers, steps) DV_REMEMBER(numbers, files) DV_REMEMBER(
    numbers, begun) DV_REMEMBER(array, moments) DV_REMEMBER(array, numbers)};
#undef SELF

// --- what to write -------------------------------------------------------------------------------

static bool take_points(dvMesh *mesh, const double *x, size_t n, int width, int used)
{
  mesh->positions.count = 0;
  if (!dv_try_reserve(&mesh->positions, 3 * n)) return false;
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      mesh->positions.data[mesh->positions.count++] = k < used ? x[i * (size_t)width + (size_t)k] : 0;
  return true;
}

// elements all of whose points exist; a topology may name more than there are
static bool take_elements(Exporter *e, dvMesh *mesh, dvMeshKind kind, const dvInts *from)
{
  dvMeshIndices *to = dv_mesh_elements(mesh, kind);
  size_t points = dv_mesh_point_count(mesh);
  if (!dv_try_reserve(to, from->count)) return false;
  for (size_t i = 0; i < from->count; i++) {
    if (from->data[i] < 0 || (size_t)from->data[i] >= points) {
      dv_warning(&e->base, "let position name the points of the topology",
                 "the elements name point %d, but there are %zu points", from->data[i], points);
      to->count = 0;
      return true;
    }
    to->data[to->count++] = from->data[i];
  }
  return true;
}

static bool collect(Exporter *e, dvMesh *mesh)
{
  static const dvElementKind kinds[5] = {DV_EDGE, DV_TRIANGLE, DV_QUAD, DV_TETRAHEDRON, DV_HEXAHEDRON};
  dvObject *o = &e->base,
           *topology = e->topology.target ? e->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  dvObject *state = e->mstate.target ? e->mstate.target : dv_node_state_up(o->node);
  dvTopology *t = topology ? dv_topology(topology) : NULL;
  dv_object_pull(o);
  bool good;
  dvState *s = state ? dv_state(state) : NULL;
  if (e->position.count) good = take_points(mesh, e->position.data, dv_reals_size(&e->position), 3, 3);
  else if (s && (!t || s->count >= dv_topology_point_count(t)))
    good = take_points(mesh, dv_state_read(s, DV_X), s->count, state->dof->coord, state->dof->space);
  else good = !t || take_points(mesh, dv_topology_positions(t)->data, dv_reals_size(dv_topology_positions(t)), 3, 3);
  const bool wanted[5] = {e->edges, e->triangles, e->quads, e->tetras, e->hexas};
  for (int k = 0; k < 5 && good && t; k++)
    if (wanted[k]) good = take_elements(e, mesh, (dvMeshKind)k, dv_topology_elements(t, kinds[k]));
  if (!good) dv_warning(o, NULL, "out of memory: nothing is written");
  return good;
}

// --- where to write it ---------------------------------------------------------------------------

// the name without extension: a folder gets the component's name, a series a number; the caller frees it
static char *target(Exporter *e, bool numbered)
{
  dvObject *o = &e->base;
  const char *name = e->filename && *e->filename ? e->filename : o->name;
  struct stat info;
  char *path = stat(name, &info) == 0 && S_ISDIR(info.st_mode) ? dv_path_join(name, o->name) : dv_strdup(name);
  char *folder = dv_path_directory(path);
  if (*folder) dv_make_directories(folder);
  dv_free(folder);
  if (!numbered || e->exportEveryNumberOfSteps <= 0) return path;
  char *result = dv_format("%s%05ld", path, e->steps / e->exportEveryNumberOfSteps);
  dv_free(path);
  return result;
}

static void report(Exporter *e, const char *path, dvStatus status, const dvMeshError *error)
{
  if (status != DV_OK) dv_warning(&e->base, "check the folder and its permissions", "%s: %s", path, error->text);
  else if (e->base.printLog) dv_note(&e->base, "wrote %s", path);
}

static void write_as(Exporter *e, const char *base, const char *extension, const dvMesh *mesh)
{
  char *path = dv_format("%s.%s", base, extension);
  dvMeshError error = {0};
  report(e, path, dv_mesh_write(path, mesh, NULL, &error), &error);
  dv_free(path);
}

// --- MeshExporter --------------------------------------------------------------------------------

// %n step, %p points, %E elements, %e elements of the highest dimension; the caller frees it
static char *expand(const char *name, long step, dvMesh *mesh)
{
  size_t count[5], all = 0;
  for (int k = 0; k < 5; k++)
    all += count[k] = dv_mesh_elements(mesh, (dvMeshKind)k)->count / (size_t)dv_mesh_corners((dvMeshKind)k);
  size_t points = dv_mesh_point_count(mesh), largest = count[3] + count[4];
  if (!largest) largest = count[1] + count[2];
  if (!largest) largest = count[0] ? count[0] : points;
  dvText t = {0};
  dv_text_add(&t, "");
  for (const char *c = name; *c; c++) {
    if (*c != '%' || !c[1]) {
      dv_text_add_n(&t, c, 1);
      continue;
    }
    c++;
    if (*c == 'n') dv_text_printf(&t, "%ld", step);
    else if (*c == 'p') dv_text_printf(&t, "%zu", points);
    else if (*c == 'E') dv_text_printf(&t, "%zu", all);
    else if (*c == 'e') dv_text_printf(&t, "%zu", largest);
    else dv_text_add_n(&t, c, 1);
  }
  return dv_text_take(&t);
}

static void write_mesh(Exporter *e)
{
  enum { FORMATS = 7 };
  static const char *const extensions[FORMATS] = {"vtu", "vtk", "mesh", "node", "gmsh", "obj", "stl"};
  dvMesh mesh = {0};
  if (collect(e, &mesh)) {
    char *name = target(e, true), *base = expand(name, e->steps, &mesh);
    for (int i = 0; i < FORMATS; i++)
      if ((e->format == 0 && i < FORMATS - 1) || e->format == i + 1) write_as(e, base, extensions[i], &mesh);
    dv_free(name);
    dv_free(base);
  }
  dv_mesh_free(&mesh);
}

// --- VTKExporter ---------------------------------------------------------------------------------

typedef struct Values {
  DV_ARRAY(dvVtuField) list;
  DV_ARRAY(char *) names;
  DV_ARRAY(double *) numbers;   // of lists of integers, which become reals
} Values;

static void values_free(Values *v)
{
  for (size_t i = 0; i < v->names.count; i++) dv_free(v->names.data[i]);
  for (size_t i = 0; i < v->numbers.count; i++) dv_free(v->numbers.data[i]);
  dv_array_free(&v->names);
  dv_array_free(&v->numbers);
  dv_array_free(&v->list);
}

static bool first_time(Exporter *e, const char *text)
{
  for (size_t i = 0; i < e->told.count; i++)
    if (dv_same(e->told.data[i], text)) return false;
  dv_strings_push(&e->told, text, strlen(text));
  return true;
}

// o is the component that was found, if any
static void no_values(Exporter *e, const char *text, const dvObject *o, const char *field)
{
  dvText advice = {0};
  const char *near = o && field ? dv_object_nearest_field(o, field) : NULL;
  if (near) dv_text_printf(&advice, "did you mean '%s.%s'? ", o->name, near);
  if (o && field) dv_text_printf(&advice, "`divan info %s` shows all fields", o->cls->name);
  else if (o) dv_text_printf(&advice, "write %s.field", text);
  else dv_text_add(&advice, "write component.field, with the name of a component beside or the path of another");
  dv_warning(&e->base, advice.text, "there are no values '%s' to write%s%s", text,
             o && field ? ": there is no field "
             : !o       ? ": there is no such component"
                        : "",
             o && field ? field : "");
  dv_text_free(&advice);
}

// the field that "component.field" or "name=@component.field" means; NULL after a warning
static dvField *find_values(Exporter *e, const char *text, char **name)
{
  const char *equals = strchr(text, '='), *path = equals ? equals + 1 : text;
  char *field = NULL, *link = dv_format("@%s", *path == '@' ? path + 1 : path);
  dvObject *o = dv_link_split(&e->base, link, &field);
  dvField *f = o && field ? dv_object_field(o, field) : NULL;
  if (f) *name = equals ? dv_strndup(text, (size_t)(equals - text)) : dv_strdup(field);
  else if (first_time(e, path)) no_values(e, path, o, field);
  dv_free(link);
  dv_free(field);
  return f;
}

static void add_values(Exporter *e, Values *v, const dvStrings *wanted, size_t count, const char *of)
{
  for (size_t i = 0; i < wanted->count; i++) {
    char *name = NULL;
    dvField *f = find_values(e, wanted->data[i], &name);
    if (!f || dv_field_pull(f) != DV_OK) continue;
    bool whole = f->desc->type == DV_T_INTS,
         real = f->desc->type == DV_T_REALS || f->desc->type == DV_T_COORDS || f->desc->type == DV_T_DERIVS;
    const dvReals *reals = f->value;
    const dvInts *ints = f->value;
    size_t n = real ? dv_reals_size(reals) : whole ? dv_ints_size(ints) : 0;
    if (n != count) {
      if (first_time(e, wanted->data[i]))
        dv_warning(&e->base, NULL, "'%s' has %zu values, but there are %zu %s: it is not written", wanted->data[i], n,
                   count, of);
      dv_free(name);
      continue;
    }
    double *copy = NULL;
    if (whole) {
      copy = dv_alloc((ints->count + 1) * sizeof *copy);
      for (size_t k = 0; k < ints->count; k++) copy[k] = ints->data[k];
      dv_push(&v->numbers, copy);
    }
    dv_push(&v->names, name);
    dv_push(&v->list, ((dvVtuField){name, whole ? copy : reals->data, whole ? ints->width : reals->width}));
  }
}

static void append_values(FILE *f, const char *head, size_t count, const Values *v)
{
  if (v->list.count) fprintf(f, "%s %zu\nFIELD values %zu\n", head, count, v->list.count);
  for (size_t i = 0; i < v->list.count; i++) {
    const dvVtuField *field = &v->list.data[i];
    fprintf(f, "%s %d %zu double\n", field->name, field->components, count);
    dvText text = {0};
    for (size_t k = 0; k < count * (size_t)field->components; k++) {
      dv_text_add_real(&text, field->values[k]);
      dv_text_add(&text, "\n");
    }
    if (text.text) fputs(text.text, f);
    dv_text_free(&text);
  }
}

static size_t cell_count(dvMesh *mesh)
{
  size_t n = 0;
  for (int k = 0; k < DV_MESH_KINDS; k++)
    n += dv_mesh_elements(mesh, (dvMeshKind)k)->count / (size_t)dv_mesh_corners((dvMeshKind)k);
  return n;
}

static dvStatus write_vtu(const char *path, dvMesh *mesh, const Values *points, const Values *cells)
{
  dvVtuBlock blocks[DV_MESH_KINDS];
  dvVtuGrid grid = {.points = mesh->positions.data,
                    .point_count = dv_mesh_point_count(mesh),
                    .blocks = blocks,
                    .fields = points->list.data,
                    .field_count = points->list.count,
                    .cell_fields = cells->list.data,
                    .cell_field_count = cells->list.count};
  for (int k = 0; k < DV_MESH_KINDS; k++) {
    const dvMeshIndices *list = dv_mesh_elements(mesh, (dvMeshKind)k);
    if (list->count)
      blocks[grid.block_count++] =
          (dvVtuBlock){(dvMeshKind)k, list->data, list->count / (size_t)dv_mesh_corners((dvMeshKind)k)};
  }
  return dv_vtu_write(path, &grid);
}

static void list_number(Exporter *e, const char *base, size_t i)
{
  char *file = dv_format("%s_%d.vtu", dv_path_name(base), e->numbers.data[i]);
  if (e->series) dv_pvd_add(e->series, e->moments.data[i], file);
  dv_free(file);
}

// the .pvd beside numbered .vtu files
static void list_file(Exporter *e, const char *base)
{
  if (!e->series) {
    char *name = dv_format("%s.pvd", base);
    e->series = dv_pvd_create(name);
    dv_free(name);
    for (size_t i = 0; i < e->moments.count; i++) list_number(e, base, i);   // of a run that goes on
  }
  dv_push(&e->moments, e->base.node->scene->root->time);
  dv_push(&e->numbers, e->files);
  list_number(e, base, e->moments.count - 1);
}

static void write_vtk(Exporter *e)
{
  dvMesh mesh = {0};
  Values points = {0}, cells = {0};
  if (!collect(e, &mesh)) return;
  add_values(e, &points, &e->pointsDataFields, dv_mesh_point_count(&mesh), "points");
  add_values(e, &cells, &e->cellsDataFields, cell_count(&mesh), "cells");
  char *name = target(e, false), *base = dv_strdup(name);
  if (dv_ends_with_nocase(base, ".vtk") || dv_ends_with_nocase(base, ".vtu")) base[strlen(base) - 4] = 0;
  const char *extension = e->XMLformat ? "vtu" : "vtk";
  char *path = e->overwrite ? dv_format("%s.%s", base, extension) : dv_format("%s_%d.%s", base, e->files, extension);
  dvMeshError error = {.text = "cannot be written"};
  dvStatus status = e->XMLformat ? write_vtu(path, &mesh, &points, &cells) : dv_mesh_write(path, &mesh, NULL, &error);
  if (status == DV_OK && !e->XMLformat) {
    FILE *f = dv_file_write(path, "ab");
    if (f) {
      append_values(f, "POINT_DATA", dv_mesh_point_count(&mesh), &points);
      append_values(f, "CELL_DATA", cell_count(&mesh), &cells);
      if (ferror(f)) status = DV_ERROR_INPUT;
    }
    if (!f || fclose(f) != 0) status = DV_ERROR_INPUT;
  }
  report(e, path, status, &error);
  if (status == DV_OK && e->XMLformat && !e->overwrite) list_file(e, base);
  e->files++;
  dv_free(name), dv_free(base), dv_free(path);
  values_free(&points);
  values_free(&cells);
  dv_mesh_free(&mesh);
}

// --- surfaces ------------------------------------------------------------------------------------

// adds points, triangles and quads of a component, behind those that are there
static bool add_surface(dvMesh *mesh, const dvObject *from)
{
  dvField *position = dv_object_field(from, "position");
  if (!position || dv_field_pull(position) != DV_OK) return true;
  const dvReals *x = position->value;
  size_t first = dv_mesh_point_count(mesh), width = (size_t)x->width, n = dv_reals_size(x);
  if (width < 3 || !dv_try_reserve(&mesh->positions, 3 * n)) return width < 3;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++) mesh->positions.data[mesh->positions.count++] = x->data[i * width + k];
  static const char *const names[2] = {"triangles", "quads"};
  for (int k = 0; k < 2; k++) {
    dvField *f = dv_object_field(from, names[k]);
    if (!f || f->desc->type != DV_T_INTS || dv_field_pull(f) != DV_OK) continue;
    const dvInts *list = f->value;
    dvMeshIndices *to = k ? &mesh->quads : &mesh->triangles;
    if (!dv_try_reserve(to, list->count)) return false;
    bool inside = true;
    for (size_t i = 0; i < list->count; i++) inside = inside && list->data[i] >= 0 && (size_t)list->data[i] < n;
    for (size_t i = 0; i < list->count && inside; i++) to->data[to->count++] = (int32_t)first + list->data[i];
  }
  return true;
}

static void write_stl(Exporter *e)
{
  dvObject *o = &e->base, *visual = dv_node_find(o->node, DV_ROLE_VISUAL),
           *topology = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  dvMesh mesh = {0};
  dv_object_pull(o);
  bool good = true;
  if (e->points.count) {
    good = take_points(&mesh, e->points.data, dv_reals_size(&e->points), 3, 3) &&
           take_elements(e, &mesh, DV_MESH_TRIANGLE, &e->triangle) && take_elements(e, &mesh, DV_MESH_QUAD, &e->quad);
  } else if (visual || topology) {
    if (!visual)
      dv_topology_elements(dv_topology(topology), DV_TRIANGLE), dv_topology_elements(dv_topology(topology), DV_QUAD);
    good = add_surface(&mesh, visual ? visual : topology);
  }
  if (!good) dv_warning(o, NULL, "out of memory: nothing is written");
  else if (!mesh.triangles.count && !mesh.quads.count) {
    if (first_time(e, "surface"))
      dv_warning(o, "give position and triangle, or add a topology", "there is no surface to write (told once)");
  } else {
    char *base = target(e, true), *path = dv_format("%s.stl", base);
    dvMeshError error = {0};
    report(e, path,
           e->binaryformat ? dv_mesh_write_stl_binary(path, &mesh, &error) : dv_mesh_write(path, &mesh, NULL, &error),
           &error);
    dv_free(base);
    dv_free(path);
  }
  dv_mesh_free(&mesh);
}

typedef struct Visuals {
  dvVisitor visitor;
  dvMesh *mesh;
  bool good;
} Visuals;

static dvWalk add_visuals(dvVisitor *v, dvNode *node)
{
  Visuals *all = (Visuals *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_VISUAL) && !o->failed) all->good = all->good && add_surface(all->mesh, o);
  }
  return DV_WALK_ON;
}

static void write_obj(Exporter *e)
{
  dvMesh mesh = {0};
  Visuals all = {.visitor = {.top_down = add_visuals}, .mesh = &mesh, .good = true};
  dv_visit(e->base.node, &all.visitor);
  if (!all.good) dv_warning(&e->base, NULL, "out of memory: nothing is written");
  else if (!mesh.positions.count)
    dv_warning(&e->base, "add an OglModel to the node or below", "there is no visual model to write");
  else {
    char *base = target(e, true);
    if (dv_ends_with_nocase(base, ".obj")) base[strlen(base) - 4] = 0;
    write_as(e, base, "obj", &mesh);
    dv_free(base);
  }
  dv_mesh_free(&mesh);
}

// --- life ----------------------------------------------------------------------------------------

static void write(Exporter *e)
{
  const ExporterOps *ops = dv_ops(&e->base, DV_ROLE_EXPORTER);
  if (e->enable) ops->write(e);
}

static dvStatus exporter_init(dvObject *o)
{
  Exporter *e = (Exporter *)o;
  if (e->exportEveryNumberOfSteps < 0)
    return dv_field_error(o, &e->exportEveryNumberOfSteps, "0 writes nothing during the run",
                          "a number of steps cannot be negative");
  if (!e->exportEveryNumberOfSteps && !e->exportAtBegin && !e->exportAtEnd)
    dv_warning(o, "give exportAtBegin, exportAtEnd or exportEveryNumberOfSteps", "%s never writes anything",
               o->cls->name);
  return DV_OK;
}

// mistakes are told before the first file
static void look_for_values(Exporter *e)
{
  const dvStrings *const lists[] = {&e->pointsDataFields, &e->cellsDataFields};
  for (size_t k = 0; k < DV_COUNT(lists); k++)
    for (size_t i = 0; i < lists[k]->count; i++) {
      char *name = NULL;
      find_values(e, lists[k]->data[i], &name);
      dv_free(name);
    }
}

static void exporter_event(dvObject *o, const dvEvent *event)
{
  Exporter *e = (Exporter *)o;
  if (event->kind == DV_EVENT_INIT_DONE) look_for_values(e);
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && !e->begun) {
    e->begun = true;
    if (e->exportAtBegin) write(e);
  }
  if (event->kind != DV_EVENT_ANIMATE_END || !e->exportEveryNumberOfSteps) return;
  e->steps++;
  if (e->steps % e->exportEveryNumberOfSteps == 0) write(e);
}

static void exporter_cleanup(dvObject *o)
{
  Exporter *e = (Exporter *)o;
  if (e->exportAtEnd && o->node->scene->running) write(e);
}

// the next file begins the list of the series again, with the earlier ones
static bool exporter_restored(dvObject *o)
{
  Exporter *e = (Exporter *)o;
  dv_pvd_close(&e->series);
  for (size_t i = 0; i < e->moments.count; i++)
    if (!isfinite(e->moments.data[i])) return false;
  return e->moments.count == e->numbers.count && e->steps >= 0 && e->files >= 0;
}

static void exporter_destroy(dvObject *o)
{
  Exporter *e = (Exporter *)o;
  dv_pvd_close(&e->series);
  dv_array_free(&e->moments);
  dv_array_free(&e->numbers);
  dv_strings_free(&e->told);
}

static const ExporterOps mesh_ops = {write_mesh}, vtk_ops = {write_vtk}, stl_ops = {write_stl}, obj_ops = {write_obj};

#define EXPORTER(variable, name_, aliases_, help_, presets_, table, ...)      \
  const dvClass variable = {                                                  \
      .struct_size = sizeof(dvClass),                                         \
      .name = name_,                                                          \
      .aliases = aliases_,                                                    \
      .help = help_,                                                          \
      .module = "Sofa.Component.IO.Mesh",                                     \
      .size = sizeof(Exporter),                                               \
      .blocks = {&dv_object_block, DV_BLOCK(exporter_fields), ##__VA_ARGS__}, \
      .presets = presets_,                                                    \
      .ops = {[DV_ROLE_EXPORTER] = &(table)},                                 \
      .init = exporter_init,                                                  \
      .handle_event = exporter_event,                                         \
      .cleanup = exporter_cleanup,                                            \
      .destroy = exporter_destroy,                                            \
      DV_MEMORY(exporter_memory),                                             \
      .restored = exporter_restored,                                          \
  };

EXPORTER(dv_mesh_exporter_class, "MeshExporter", NULL, "writes the mesh of the node in one or all of several formats",
         NULL, mesh_ops, DV_BLOCK(mesh_fields))
EXPORTER(dv_vtk_exporter_class, "VTKExporter", NULL,
         "writes the mesh of the node and values of its points and cells for ParaView",
         "triangles=0; quads=0; tetras=0; hexas=0", vtk_ops, DV_BLOCK(vtk_fields))
EXPORTER(dv_stl_exporter_class, "STLExporter", NULL, "writes a surface as an STL file", NULL, stl_ops,
         DV_BLOCK(stl_fields))
EXPORTER(dv_obj_exporter_class, "VisualModelOBJExporter", "OBJExporter",
         "writes the visual models of the node and below as an OBJ file", NULL, obj_ops)
