// A mesh that is dropped onto the page: it comes in parts, is written next to the scene and becomes a body. See edit.h.
#include "view/edit.h"

#include "base/file.h"
#include "io/mesh/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((size_t)512 << 20)

struct dvUpload {
  char *path, *part;   // where it will stand, and where it grows
  char *name;          // as the page calls it
  FILE *file;
  size_t at, total;
};

void dv_upload_free(dvUpload **upload)
{
  dvUpload *u = *upload;
  if (!u) return;
  if (u->file) fclose(u->file);
  if (u->part) unlink(u->part);
  dv_free(u->path), dv_free(u->part), dv_free(u->name);
  dv_free(u);
  *upload = NULL;
}

// --- coming --------------------------------------------------------------------------------------

static int digit(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// false when it is no base64
static bool decode(const char *text, dvText *out)
{
  size_t n = strlen(text);
  if (n % 4) return false;
  for (size_t i = 0; i < n; i += 4) {
    size_t bytes = text[i + 3] != '=' ? 3 : text[i + 2] != '=' ? 2 : 1;
    if (bytes < 3 && i + 4 < n) return false;
    unsigned word = 0;
    for (size_t k = 0; k < 4; k++) {
      int d = k <= bytes ? digit(text[i + k]) : 0;
      if (d < 0) return false;
      word = word << 6 | (unsigned)d;
    }
    char three[3] = {(char)(word >> 16), (char)(word >> 8), (char)word};
    dv_text_add_n(out, three, bytes);
  }
  return true;
}

static char *folder_of(const dvSession *s) { return dv_path_directory(s->file ? s->file : s->name); }

char *dv_edit_free_file(const dvSession *s, const char *name)
{
  char *folder = folder_of(s), *path = dv_path_join(folder, name);
  const char *dot = strrchr(name, '.');
  struct stat info;
  for (int i = 2; i < 1000 && lstat(path, &info) == 0; i++) {
    char *other = dv_format("%.*s-%d%s", (int)(dot - name), name, i, dot);
    dv_free(path);
    path = dv_path_join(folder, other);
    dv_free(other);
  }
  dv_free(folder);
  return path;
}

static json_t *begin(dvSession *s, const char *name, size_t total)
{
  dv_upload_free(&s->editing->upload);
  if (!*name || strlen(name) > 150 || strpbrk(name, "/\\<>\"&'") || name[0] == '.' || !dv_mesh_can_read(name) ||
      !strrchr(name, '.'))
    return dv_view_error("meshes are OBJ, STL, OFF, VTK, VTU, MSH and some other files",
                         "'%.100s' is not a mesh that can be read", name);
  dvUpload *u = s->editing->upload = dv_alloc(sizeof *u);
  u->name = dv_strdup(name);
  u->total = total;
  u->path = dv_edit_free_file(s, name);
  u->part = dv_format("%s.part", u->path);
  struct stat info;
  if (lstat(u->part, &info) == 0 && !S_ISREG(info.st_mode)) dv_free(u->part), u->part = NULL;   // never through a link
  u->file = u->part ? dv_file_write(u->part, "wb") : NULL;
  if (u->file) return NULL;
  json_t *error = dv_view_error(strerror(errno), "%.300s cannot be written", u->path);
  dv_upload_free(&s->editing->upload);
  return error;
}

json_t *dv_upload_part(dvSession *s, const char *name, double at, double total, const char *base64)
{
  json_t *error = dv_edit_refusal(s);
  if (error) return error;
  if (!(total > 0 && total <= (double)dv_min_size(MOST_BYTES, dv_file_limit())))
    return dv_view_error("put it next to the scene and name it in a loader", "a mesh that is dropped may have %zu MB",
                         dv_min_size(MOST_BYTES, dv_file_limit()) >> 20);
  if (at == 0) error = begin(s, name, (size_t)total);
  if (error) return error;
  dvUpload *u = s->editing->upload;
  dvText bytes = {0};
  if (!u || !dv_same(u->name, name) || at != (double)u->at || total != (double)u->total || !decode(base64, &bytes) ||
      u->at + bytes.length > u->total) {
    dv_text_free(&bytes);
    dv_upload_free(&s->editing->upload);
    return dv_view_error("drop it again", "parts of the mesh are missing");
  }
  bool good = bytes.length == 0 || fwrite(bytes.text, 1, bytes.length, u->file) == bytes.length;
  u->at += bytes.length;
  dv_text_free(&bytes);
  const bool whole = u->at == u->total;
  if (whole) {
    good = fclose(u->file) == 0 && good;
    u->file = NULL;
    good = good && rename(u->part, u->path) == 0;
  }
  json_t *answer = good ? dv_view_ok() : dv_view_error(strerror(errno), "%.300s cannot be written", u->path);
  if (good && whole) dv_view_put_text(answer, "file", dv_path_name(u->path));
  if (!good || whole) dv_upload_free(&s->editing->upload);
  return answer;
}

// --- becoming a body -----------------------------------------------------------------------------

static const char *loader_for(const char *file)
{
  static const char *const loaders[][2] = {{".obj", "MeshOBJLoader"}, {".stl", "MeshSTLLoader"},
                                           {".off", "MeshOffLoader"}, {".msh", "MeshGmshLoader"},
                                           {".vtk", "MeshVTKLoader"}, {".vtu", "MeshVTKLoader"}};
  for (size_t i = 0; i < DV_COUNT(loaders); i++)
    if (dv_ends_with_nocase(file, loaders[i][0])) return loaders[i][1];
  return "MeshLoader";
}

static double size_of(const dvMesh *m)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
  for (size_t i = 0; i < m->positions.count; i++) {
    low[i % 3] = fmin(low[i % 3], m->positions.data[i]);
    high[i % 3] = fmax(high[i % 3], m->positions.data[i]);
  }
  for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
  return isfinite(size) ? size : 0;
}

#define BORDER                                                 \
  "  <Node name=\"Border\">\n"                                 \
  "    <MeshTopology name=\"border\" src=\"@../mesh\"/>\n"     \
  "    <MechanicalObject name=\"points\" src=\"@../mesh\"/>\n" \
  "    <TriangleCollisionModel/>\n"                            \
  "    <PointCollisionModel/>\n"                               \
  "    <BarycentricMapping/>\n"                                \
  "  </Node>\n"
#define LOOK                                                                   \
  "  <Node name=\"Look\">\n"                                                   \
  "    <OglModel name=\"look\" src=\"@../mesh\" color=\"0.85 0.5 0.45 1\"/>\n" \
  "    <%s/>\n"                                                                \
  "  </Node>\n"

static void add_obstacle(dvText *out)
{
  dv_text_add(out, "  <MeshTopology name=\"shape\" src=\"@mesh\"/>\n"
                   "  <MechanicalObject name=\"points\" src=\"@mesh\"/>\n"
                   "  <TriangleCollisionModel name=\"border\" simulated=\"0\" moving=\"0\"/>\n"
                   "  <LineCollisionModel simulated=\"0\" moving=\"0\"/>\n"
                   "  <PointCollisionModel simulated=\"0\" moving=\"0\"/>\n");
  dv_text_printf(out, LOOK, "IdentityMapping");
}

// Stiff enough to sag by some hundredths of its size: E = rho g L / 0.03
// `inside`: a file with tetrahedra that fill the surface
static void add_soft(dvText *out, const dvMesh *m, double size, const char *inside)
{
  const bool cells = m->tetrahedra.count > 0, filled = !cells && inside && *inside;
  if (filled) {
    dv_text_add(out, "  <MeshGmshLoader name=\"inside\" filename=\"");
    dv_document_escape(out, inside);
    dv_text_add(out, "\"/>\n");
  } else if (!cells)
    dv_text_add(out, "  <MeshTetraStuffing name=\"filling\" size=\"-8\" snapPoints=\"1\" snapOutside=\"1\" "
                     "splitTetrahedra=\"1\" inputPoints=\"@mesh.position\" inputTriangles=\"@mesh.triangles\"/>\n");
  dv_text_printf(out, "  <TetrahedronSetTopologyContainer name=\"tetrahedra\" %s/>\n",
                 cells    ? "src=\"@mesh\""
                 : filled ? "position=\"@inside.position\" tetrahedra=\"@inside.tetrahedra\""
                          : "position=\"@filling.outputPoints\" tetrahedra=\"@filling.outputTetrahedra\"");
  dv_text_printf(out,
                 "  <MechanicalObject name=\"points\"/>\n"
                 "  <DiagonalMass name=\"mass\" massDensity=\"1000\"/>\n"
                 "  <TetrahedronFEMForceField name=\"elasticity\" youngModulus=\"%.2g\" poissonRatio=\"0.4\" "
                 "method=\"large\"/>\n"
                 "  <LinearSolverConstraintCorrection/>\n",
                 1000 * 9.81 * size / 0.03);
  if (!cells) {
    dv_text_add(out, BORDER);
    dv_text_printf(out, LOOK, "BarycentricMapping");
    return;
  }
  dv_text_add(out, "  <Node name=\"Border\">\n"
                   "    <TriangleSetTopologyContainer name=\"border\"/>\n"
                   "    <TriangleSetTopologyModifier/>\n"
                   "    <Tetra2TriangleTopologicalMapping input=\"@../tetrahedra\" output=\"@border\"/>\n"
                   "    <MechanicalObject name=\"points\" position=\"@../points.position\"/>\n"
                   "    <TriangleCollisionModel/>\n"
                   "    <PointCollisionModel/>\n"
                   "    <IdentityMapping/>\n"
                   "    <Node name=\"Look\">\n"
                   "      <OglModel name=\"look\" position=\"@../points.position\" triangles=\"@../border.triangles\" "
                   "color=\"0.85 0.5 0.45 1\"/>\n"
                   "      <IdentityMapping/>\n"
                   "    </Node>\n"
                   "  </Node>\n");
}

static char *name_from(dvSession *s, const char *file)
{
  char *base = dv_strdup(file), *dot = strrchr(base, '.');
  if (dot) *dot = 0;
  for (char *c = base; *c; c++)
    if (strchr("/@.[]<>&\"' \t", *c)) *c = '_';
  char *name = dv_edit_free_name(s, "/", *base ? base : "Mesh");
  dv_free(base);
  return name;
}

json_t *dv_view_add_mesh(dvSession *s, const char *file, const char *as, const char *inside)
{
  json_t *error = dv_edit_refusal(s);
  if (error) return error;
  char *filling = *inside ? dv_view_allowed(s, inside) : NULL;
  if (*inside && !filling) return dv_view_error(NULL, "there are no tetrahedra %.200s", inside);
  dv_free(filling);
  char *path = dv_view_allowed(s, file);
  if (!path)
    return dv_view_error("drop it onto the page, or put it next to the scene", "there is no mesh %.200s", file);
  dvMesh mesh;
  dvMeshError why = {0};
  dvStatus status = dv_mesh_read(path, &mesh, &why);
  dv_free(path);
  if (status != DV_OK) return dv_view_error(why.text, "%.200s cannot be read", file);
  const bool obstacle = dv_same(as, "obstacle"),
             surface = mesh.triangles.count || mesh.quads.count || mesh.polygons.offset.count;
  const double size = size_of(&mesh);
  dvText xml = {0};
  char *name = name_from(s, dv_path_name(file)), *what = dv_format("add %s", name);
  dv_text_printf(&xml, "<Node name=\"%s\">\n", name);
  if (!obstacle)
    dv_text_add(&xml,
                "  <EulerImplicitSolver rayleighStiffness=\"0.05\" rayleighMass=\"0.05\"/>\n  <SparseLDLSolver/>\n");
  dv_text_printf(&xml, "  <%s name=\"mesh\" filename=\"", loader_for(file));
  dv_document_escape(&xml, file);
  dv_text_printf(&xml, "\"%s/>\n", mesh.tetrahedra.count ? "" : " triangulate=\"1\"");
  if (obstacle) add_obstacle(&xml);
  else add_soft(&xml, &mesh, size, inside);
  dv_text_add(&xml, "</Node>");
  json_t *answer;
  if (!(size > 0)) answer = dv_view_error(NULL, "%.200s has no extent", file);
  else if (!surface && (obstacle || !mesh.tetrahedra.count))
    answer = dv_view_error("it takes triangles, quads or tetrahedra", "%.200s has no surface", file);
  else {
    s->editing->by_page = true;
    answer = dv_view_add_body(s, xml.text, size, what);
  }
  dv_mesh_free(&mesh);
  dv_text_free(&xml);
  dv_free(name), dv_free(what);
  return answer;
}
