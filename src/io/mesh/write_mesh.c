// Mesh files as text. See write_mesh.h.
//
// Numbers are written in the shortest form that reads back as the same double; what is written reads back as the same
// mesh, as far as the format has a place for the elements.
#include "io/mesh/write_mesh.h"

#include "base/file.h"
#include "io/mesh/write_vtk.h"
#include "topology/derive.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

typedef struct Writer {
  const dvMesh *mesh;
  dvText text;
  unsigned written;   // bits of the kinds that were written
} Writer;

static const dvMeshIndices *list_of(const Writer *w, dvMeshKind kind)
{
  return dv_mesh_elements((dvMesh *)w->mesh, kind);
}
static size_t count_of(const Writer *w, dvMeshKind kind)
{
  return list_of(w, kind)->count / (size_t)dv_mesh_corners(kind);
}

static void add_point(Writer *w, size_t p)
{
  for (int k = 0; k < 3; k++) {
    if (k) dv_text_add(&w->text, " ");
    dv_text_add_real(&w->text, w->mesh->positions.data[3 * p + (size_t)k]);
  }
}

static void add_points(Writer *w, const char *before, const char *separator, bool numbered)
{
  for (size_t p = 0; p < dv_mesh_point_count(w->mesh); p++) {
    dv_text_add(&w->text, before);
    if (numbered) dv_text_printf(&w->text, "%zu%s", p + 1, separator);
    for (int k = 0; k < 3; k++) {
      if (k) dv_text_add(&w->text, separator);
      dv_text_add_real(&w->text, w->mesh->positions.data[3 * p + (size_t)k]);
    }
    dv_text_add(&w->text, "\n");
  }
}

// the points of one element, counted from `base`
static void add_element(Writer *w, dvMeshKind kind, size_t e, int base, const char *separator)
{
  int n = dv_mesh_corners(kind);
  const int32_t *points = list_of(w, kind)->data + e * (size_t)n;
  for (int k = 0; k < n; k++) dv_text_printf(&w->text, "%s%d", k ? separator : "", points[k] + base);
}

// a line for each element of a kind; `number` (may be NULL) counts lines from 1 and stands first
static void add_elements(Writer *w, dvMeshKind kind, const char *before, int base, const char *separator,
                         size_t *number)
{
  w->written |= 1u << kind;
  for (size_t e = 0; e < count_of(w, kind); e++) {
    if (number) dv_text_printf(&w->text, "%zu%s", ++*number, separator);
    dv_text_add(&w->text, before);
    add_element(w, kind, e, base, separator);
    dv_text_add(&w->text, "\n");
  }
}

// --- formats -------------------------------------------------------------------------------------

static void write_obj(Writer *w)
{
  add_points(w, "v ", " ", false);
  add_elements(w, DV_MESH_EDGE, "l ", 1, " ", NULL);
  add_elements(w, DV_MESH_TRIANGLE, "f ", 1, " ", NULL);
  add_elements(w, DV_MESH_QUAD, "f ", 1, " ", NULL);
}

static double value_of_cell(const dvMesh *mesh, const dvMeshValues *v, dvMeshKind kind, size_t e, int k)
{
  return v->values.data[(size_t)mesh->cell_of[kind].data[e] * (size_t)v->width + (size_t)k];
}

static void add_value(Writer *w, double value)
{
  dv_text_add_real(&w->text, value);
  dv_text_add(&w->text, "\n");
}

// values of points, or of cells in the order in which cells are written
static void add_values(Writer *w, bool of_cells, size_t n)
{
  const dvMesh *mesh = w->mesh;
  size_t arrays = 0;
  for (size_t i = 0; i < mesh->values.count; i++) arrays += mesh->values.data[i].of_cells == of_cells;
  if (arrays) dv_text_printf(&w->text, "%s %zu\nFIELD values %zu\n", of_cells ? "CELL_DATA" : "POINT_DATA", n, arrays);
  for (size_t i = 0; i < mesh->values.count; i++) {
    const dvMeshValues *v = &mesh->values.data[i];
    if (v->of_cells != of_cells) continue;
    for (const char *c = v->name; *c; c++) dv_text_add_n(&w->text, dv_is_space(*c) ? "_" : c, 1);
    dv_text_printf(&w->text, " %d %zu %s\n", v->width, n, v->whole ? "long" : "double");
    for (size_t k = 0; k < v->values.count && !of_cells; k++) add_value(w, v->values.data[k]);
    for (int kind = 0; kind < DV_MESH_KINDS && of_cells; kind++)
      for (size_t e = 0; e < count_of(w, kind); e++)
        for (int k = 0; k < v->width; k++) add_value(w, value_of_cell(mesh, v, kind, e, k));
  }
}

static void write_vtk(Writer *w)
{
  static const int types[DV_MESH_KINDS] = {3, 5, 9, 10, 12, 13, 14};
  size_t cells = 0, numbers = 0;
  dv_text_printf(&w->text, "# vtk DataFile Version 3.0\nmesh\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %zu double\n",
                 dv_mesh_point_count(w->mesh));
  add_points(w, "", " ", false);
  for (int k = 0; k < DV_MESH_KINDS; k++) cells += count_of(w, k), numbers += count_of(w, k) + list_of(w, k)->count;
  dv_text_printf(&w->text, "CELLS %zu %zu\n", cells, numbers);
  for (int k = 0; k < DV_MESH_KINDS; k++) {
    char before[4];
    snprintf(before, sizeof before, "%d ", dv_mesh_corners(k));
    add_elements(w, k, before, 0, " ", NULL);
  }
  dv_text_printf(&w->text, "CELL_TYPES %zu\n", cells);
  for (int k = 0; k < DV_MESH_KINDS; k++)
    for (size_t e = 0; e < count_of(w, k); e++) dv_text_printf(&w->text, "%d\n", types[k]);
  add_values(w, false, dv_mesh_point_count(w->mesh));
  if (dv_mesh_knows_cells(w->mesh)) add_values(w, true, cells);
}

static void write_off(Writer *w)
{
  dv_text_printf(&w->text, "OFF\n%zu %zu 0\n", dv_mesh_point_count(w->mesh),
                 count_of(w, DV_MESH_TRIANGLE) + count_of(w, DV_MESH_QUAD));
  add_points(w, "", " ", false);
  add_elements(w, DV_MESH_TRIANGLE, "3 ", 0, " ", NULL);
  add_elements(w, DV_MESH_QUAD, "4 ", 0, " ", NULL);
}

static void write_gmsh(Writer *w)
{
  static const int types[DV_MESH_KINDS] = {1, 2, 3, 4, 5, 6, 7};
  size_t cells = 0, number = 0;
  for (int k = 0; k < DV_MESH_KINDS; k++) cells += count_of(w, k);
  dv_text_printf(&w->text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%zu\n", dv_mesh_point_count(w->mesh));
  add_points(w, "", " ", true);
  dv_text_printf(&w->text, "$EndNodes\n$Elements\n%zu\n", cells);
  for (int k = 0; k < DV_MESH_KINDS; k++) {
    char before[16];
    snprintf(before, sizeof before, "%d 2 1 1 ", types[k]);
    add_elements(w, k, before, 1, " ", &number);
  }
  dv_text_add(&w->text, "$EndElements\n");
}

static void write_netgen(Writer *w)
{
  dv_text_printf(&w->text, "%zu\n", dv_mesh_point_count(w->mesh));
  add_points(w, "", " ", false);
  dv_text_printf(&w->text, "%zu\n", count_of(w, DV_MESH_TETRAHEDRON));
  add_elements(w, DV_MESH_TETRAHEDRON, "1 ", 1, " ", NULL);
  dv_text_printf(&w->text, "%zu\n", count_of(w, DV_MESH_TRIANGLE));
  add_elements(w, DV_MESH_TRIANGLE, "1 ", 1, " ", NULL);
}

static void write_nodes(Writer *w)
{
  dv_text_printf(&w->text, "%zu 3 0 0\n", dv_mesh_point_count(w->mesh));
  add_points(w, "", " ", true);
}

// tetrahedra or, without any, triangles
static void write_ele(Writer *w)
{
  dvMeshKind kind = count_of(w, DV_MESH_TETRAHEDRON) ? DV_MESH_TETRAHEDRON : DV_MESH_TRIANGLE;
  size_t number = 0;
  dv_text_printf(&w->text, "%zu %d 0\n", count_of(w, kind), dv_mesh_corners(kind));
  add_elements(w, kind, "", 1, " ", &number);
}

static void write_abaqus(Writer *w)
{
  static const char *const types[DV_MESH_KINDS] = {"T3D2", "S3", "S4", "C3D4", "C3D8", "C3D6", "C3D5"};
  size_t number = 0;
  dv_text_add(&w->text, "*HEADING\nmesh\n*NODE\n");
  add_points(w, "", ", ", true);
  for (int k = 0; k < DV_MESH_KINDS; k++) {
    if (count_of(w, k)) dv_text_printf(&w->text, "*ELEMENT, TYPE=%s\n", types[k]);
    add_elements(w, k, "", 1, ", ", &number);
  }
}

// one kind of elements a file: the largest there is
static void write_gid(Writer *w)
{
  static const struct {
    dvMeshKind kind;
    const char *name;
  } order[] = {{DV_MESH_TETRAHEDRON, "Tetrahedra"},
               {DV_MESH_HEXAHEDRON, "Hexahedra"},
               {DV_MESH_PRISM, "Prism"},
               {DV_MESH_PYRAMID, "Pyramid"},
               {DV_MESH_TRIANGLE, "Triangle"},
               {DV_MESH_QUAD, "Quadrilateral"},
               {DV_MESH_EDGE, "Linear"}};
  size_t i = 0, number = 0;
  while (i + 1 < DV_COUNT(order) && !count_of(w, order[i].kind)) i++;
  dv_text_printf(&w->text, "MESH dimension 3 ElemType %s Nnode %d\nCoordinates\n", order[i].name,
                 dv_mesh_corners(order[i].kind));
  add_points(w, "", " ", true);
  dv_text_add(&w->text, "End Coordinates\n\nElements\n");
  add_elements(w, order[i].kind, "", 1, " ", &number);
  dv_text_add(&w->text, "End Elements\n");
}

// a sphere at each point; without radii of 1
static void write_sph(Writer *w)
{
  size_t n = dv_mesh_point_count(w->mesh);
  dv_text_printf(&w->text, "sph 1.0\nnums %zu\n", n);
  for (size_t p = 0; p < n; p++) {
    dv_text_printf(&w->text, "sphe %zu ", p + 1);
    add_point(w, p);
    dv_text_add(&w->text, " ");
    dv_text_add_real(&w->text, p < w->mesh->radii.count ? w->mesh->radii.data[p] : 1);
    dv_text_add(&w->text, "\n");
  }
}

// the edges as springs without stiffness, the points as masses of 1
static void write_xsp(Writer *w)
{
  dv_text_printf(&w->text, "Xsp 3.0\nnumm %zu\nnums %zu\n", dv_mesh_point_count(w->mesh), count_of(w, DV_MESH_EDGE));
  for (size_t p = 0; p < dv_mesh_point_count(w->mesh); p++) {
    dv_text_printf(&w->text, "mass %zu s ", p + 1);
    add_point(w, p);
    dv_text_add(&w->text, " 0 0 0 1 0\n");
  }
  w->written |= 1u << DV_MESH_EDGE;
  for (size_t e = 0; e < count_of(w, DV_MESH_EDGE); e++) {
    dv_text_printf(&w->text, "lspg %zu ", e + 1);
    add_element(w, DV_MESH_EDGE, e, 1, " ");
    dv_text_add(&w->text, " 0 0 -1\n");
  }
}

// triangles with the neighbours opposite to their corners; -1 at the border and where more than two meet
static void write_trian(Writer *w)
{
  size_t n = count_of(w, DV_MESH_TRIANGLE);
  const dvPartList sides = {w->mesh->triangles.data, n, 3, dv_edges_of_triangle[0], 3};
  int32_t *number = NULL, edges = dv_parts_number(&sides, 1, 2, DV_PART_CORNERS, &number);
  int32_t *around =
      edges < 0 ? NULL : dv_try_alloc(((size_t)edges + 1) * 3 * sizeof *around);   // how many, and the first two
  for (size_t i = 0; i < 3 * n && around; i++) {
    int32_t *edge = around + 3 * (size_t)number[i];
    if (edge[0] < 2) edge[1 + edge[0]] = (int32_t)(i / 3);
    edge[0]++;
  }
  dv_text_printf(&w->text, "%zu\n", dv_mesh_point_count(w->mesh));
  add_points(w, "", " ", false);
  dv_text_printf(&w->text, "%zu\n", n);
  w->written |= 1u << DV_MESH_TRIANGLE;
  for (size_t t = 0; t < n; t++) {
    add_element(w, DV_MESH_TRIANGLE, t, 0, " ");
    for (size_t k = 0; k < 3; k++) {
      const int32_t *edge = around ? around + 3 * (size_t)number[3 * t + k] : NULL;
      dv_text_printf(&w->text, " %d", edge && edge[0] == 2 ? edge[1] + edge[2] - (int32_t)t : -1);
    }
    dv_text_add(&w->text, "\n");
  }
  dv_free(around);
  dv_free(number);
}

// corners of triangle t of the surface: triangles first, then two for each quad
static void surface_triangle(const Writer *w, size_t t, int32_t out[3])
{
  static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
  size_t triangles = count_of(w, DV_MESH_TRIANGLE);
  for (int k = 0; k < 3; k++) {
    size_t q = t - triangles;
    out[k] = t < triangles ? w->mesh->triangles.data[3 * t + (size_t)k]
                           : w->mesh->quads.data[4 * (q / 2) + (size_t)halves[q % 2][k]];
  }
}

static size_t surface_count(const Writer *w) { return count_of(w, DV_MESH_TRIANGLE) + 2 * count_of(w, DV_MESH_QUAD); }

static void normal_of(const Writer *w, const int32_t t[3], double out[3])
{
  const double *a = w->mesh->positions.data + 3 * (size_t)t[0], *b = w->mesh->positions.data + 3 * (size_t)t[1],
               *c = w->mesh->positions.data + 3 * (size_t)t[2];
  double u[3], v[3];
  for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
  for (int k = 0; k < 3; k++) out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
  double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
  for (int k = 0; k < 3 && length > 0; k++) out[k] /= length;
}

static void write_stl(Writer *w)
{
  w->written |= 1u << DV_MESH_TRIANGLE | 1u << DV_MESH_QUAD;
  dv_text_add(&w->text, "solid mesh\n");
  for (size_t i = 0; i < surface_count(w); i++) {
    int32_t t[3];
    double n[3];
    surface_triangle(w, i, t);
    normal_of(w, t, n);
    dv_text_printf(&w->text, "facet normal %g %g %g\nouter loop\n", n[0], n[1], n[2]);
    for (int k = 0; k < 3; k++) {
      dv_text_add(&w->text, "vertex ");
      add_point(w, (size_t)t[k]);
      dv_text_add(&w->text, "\n");
    }
    dv_text_add(&w->text, "endloop\nendfacet\n");
  }
  dv_text_add(&w->text, "endsolid mesh\n");
}

static const struct {
  const char *extension;
  void (*write)(Writer *w);
} formats[] = {{"obj", write_obj},    {"vtk", write_vtk},  {"vtu", NULL},         {"stl", write_stl},
               {"off", write_off},    {"msh", write_gmsh}, {"gmsh", write_gmsh},  {"mesh", write_netgen},
               {"node", write_nodes}, {"ele", write_ele},  {"inp", write_abaqus}, {"gidmsh", write_gid},
               {"sph", write_sph},    {"xs3", write_xsp},  {"trian", write_trian}};

const char *dv_mesh_written_formats(void)
{
  return ".obj .vtk .vtu .stl .off .msh .mesh .node .inp .gidmsh .trian .xs3 .sph";
}

static int find_format(const char *path)
{
  for (size_t i = 0; i < DV_COUNT(formats); i++)
    if (dv_same_nocase(dv_path_extension(path), formats[i].extension)) return (int)i;
  return -1;
}

bool dv_mesh_can_write(const char *path) { return find_format(path) >= 0; }

// --- files ---------------------------------------------------------------------------------------

dvStatus dv_file_replace(const char *path, const char *bytes, size_t length)
{
  char *partial = dv_format("%s.part", path);
  FILE *f = dv_file_write(partial, "wb");
  bool good = f && fwrite(bytes, 1, length, f) == length;
  int reason = errno;
  if (f && fclose(f) != 0 && good) good = false, reason = errno;
  if (good && rename(partial, path) != 0) good = false, reason = errno;
  if (!good && f) remove(partial);
  dv_free(partial);
  if (!good) errno = reason;
  return good ? DV_OK : DV_ERROR_INPUT;
}

static dvStatus failed(dvMeshError *error, const char *format, const char *detail)
{
  if (error) {
    error->line = 0;
    snprintf(error->text, sizeof error->text, format, detail);
  }
  return DV_ERROR_INPUT;
}

static dvStatus put(const char *path, Writer *w, dvMeshError *error)
{
  dvStatus status = dv_file_replace(path, w->text.text ? w->text.text : "", w->text.length);
  if (status != DV_OK) failed(error, "cannot be written: %s", strerror(errno));
  dv_text_free(&w->text);
  return status;
}

static size_t count_lost(const Writer *w)
{
  size_t lost = 0;
  for (int k = 0; k < DV_MESH_KINDS; k++)
    if (!(w->written & (1u << k))) lost += count_of(w, k);
  return lost;
}

// .node and .ele belong together
static dvStatus write_tetgen(const char *path, Writer *w, dvMeshError *error)
{
  int n = (int)(strlen(path) - strlen(dv_path_extension(path)));
  char *nodes = dv_format("%.*snode", n, path), *elements = dv_format("%.*sele", n, path);
  write_nodes(w);
  dvStatus status = put(nodes, w, error);
  if (status == DV_OK) {
    write_ele(w);
    status = put(elements, w, error);
  }
  dv_free(nodes);
  dv_free(elements);
  return status;
}

dvStatus dv_mesh_write(const char *path, const dvMesh *mesh, size_t *lost, dvMeshError *error)
{
  int format = find_format(path);
  if (format < 0) return failed(error, "meshes are written as one of %s", dv_mesh_written_formats());
  Writer w = {.mesh = mesh};
  dvStatus status;
  if (!formats[format].write) {
    w.written = ~0u;
    status = dv_vtu_write_mesh(path, mesh, NULL, 0);
    if (status != DV_OK) failed(error, "cannot be written: %s", strerror(errno));
  } else if (formats[format].write == write_nodes || formats[format].write == write_ele) {
    status = write_tetgen(path, &w, error);
  } else {
    formats[format].write(&w);
    status = put(path, &w, error);
  }
  if (lost) *lost = count_lost(&w);
  return status;
}

dvStatus dv_mesh_write_stl_binary(const char *path, const dvMesh *mesh, dvMeshError *error)
{
  Writer w = {.mesh = mesh};
  char head[80] = "mesh";
  uint32_t n = (uint32_t)surface_count(&w);
  dv_text_add_n(&w.text, head, sizeof head);
  dv_text_add_n(&w.text, (const char *)&n, 4);
  for (size_t i = 0; i < n; i++) {
    int32_t t[3];
    double normal[3];
    float values[12];
    surface_triangle(&w, i, t);
    normal_of(&w, t, normal);
    for (int k = 0; k < 12; k++)
      values[k] = (float)(k < 3 ? normal[k] : mesh->positions.data[3 * (size_t)t[k / 3 - 1] + (size_t)(k % 3)]);
    dv_text_add_n(&w.text, (const char *)values, sizeof values);
    dv_text_add_n(&w.text, "\0", 2);
  }
  return put(path, &w, error);
}
