// USD as text (.usda, Pixar's Universal Scene Description): one prim for each object, with samples over time.
//
// A rigid body has its matrix over time, a body that deforms its points, which hold every frame; what comes or goes its
// visibility. Time is counted in milliseconds.
#include "view/export.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>

enum { CODES = 1000 };   // of time in a second

static double code(const dvExport *e, size_t frame) { return CODES * (e->times.data[frame] - e->times.data[0]); }

// letters, digits and _ only, and the number of the object to tell it from others
static void add_name(dvText *out, const dvExportObject *o, size_t number)
{
  dv_text_printf(out, "object%zu", number);
  for (const char *c = o->name; *c; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    dv_text_add_n(out, plain ? c : "_", 1);
  }
}

static void add_points(dvText *out, const float *x, size_t n)
{
  dv_text_add(out, "[");
  for (size_t i = 0; i < n; i++)
    dv_text_printf(out, "%s(%.9g, %.9g, %.9g)", i ? ", " : "", (double)x[3 * i], (double)x[3 * i + 1],
                   (double)x[3 * i + 2]);
  dv_text_add(out, "]");
}

static void add_extent(dvText *out, const dvExportObject *o)
{
  float low[3] = {0}, high[3] = {0};
  for (size_t i = 0; i < o->positions.count; i++) {
    size_t k = i % 3;
    float x = o->positions.data[i];
    if (i < 3 || x < low[k]) low[k] = x;
    if (i < 3 || x > high[k]) high[k] = x;
  }
  dv_text_printf(out, "        float3[] extent = [(%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)]\n", (double)low[0],
                 (double)low[1], (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
}

static void add_positions(dvText *out, const dvExport *e, const dvExportObject *o)
{
  if (o->motion != DV_EXPORT_DEFORMING) {
    dv_text_add(out, "        point3f[] points = ");
    add_points(out, o->positions.data, o->points);
    dv_text_add(out, "\n");
    return;
  }
  dv_text_add(out, "        point3f[] points.timeSamples = {\n");
  for (size_t f = 0; f < o->frames; f++) {
    dv_text_printf(out, "            %.9g: ", code(e, o->first + f));
    add_points(out, o->positions.data + f * 3 * o->points, o->points);
    dv_text_add(out, ",\n");
  }
  dv_text_add(out, "        }\n");
}

// rows of the matrix are the images of the axes, then the translation
static void add_matrix(dvText *out, const dvExportPose *p)
{
  const double x = p->q[0], y = p->q[1], z = p->q[2], w = p->q[3];
  dv_text_printf(out,
                 "( (%.12g, %.12g, %.12g, 0), (%.12g, %.12g, %.12g, 0), (%.12g, %.12g, %.12g, 0), (%.12g, %.12g, "
                 "%.12g, 1) )",
                 1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 2 * (x * y - z * w),
                 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 2 * (x * z + y * w), 2 * (y * z - x * w),
                 1 - 2 * (x * x + y * y), p->t[0], p->t[1], p->t[2]);
}

static void add_motion(dvText *out, const dvExport *e, const dvExportObject *o)
{
  if (o->motion == DV_EXPORT_RIGID) {
    dv_text_add(out, "        matrix4d xformOp:transform.timeSamples = {\n");
    for (size_t f = 0; f < o->frames; f++) {
      dv_text_printf(out, "            %.9g: ", code(e, o->first + f));
      add_matrix(out, &o->poses.data[f]);
      dv_text_add(out, ",\n");
    }
    dv_text_add(out, "        }\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
  }
  size_t end = o->first + o->frames, all = e->times.count;
  if (o->first == 0 && end == all) return;
  dv_text_add(out, "        token visibility.timeSamples = {\n");
  if (o->first) dv_text_add(out, "            0: \"invisible\",\n");
  dv_text_printf(out, "            %.9g: \"inherited\",\n", code(e, o->first));
  if (end < all) dv_text_printf(out, "            %.9g: \"invisible\",\n", code(e, end));
  dv_text_add(out, "        }\n");
}

static void add_faces(dvText *out, const dvExportObject *o)
{
  size_t corners = o->kind == DV_EXPORT_TRIANGLES ? 3 : 2, n = o->indices.count / corners;
  const char *counts = o->kind == DV_EXPORT_TRIANGLES ? "faceVertexCounts" : "curveVertexCounts";
  dv_text_printf(out, "        int[] %s = [", counts);
  for (size_t i = 0; i < n; i++) dv_text_printf(out, "%s%zu", i ? ", " : "", corners);
  dv_text_add(out, "]\n");
  if (o->kind != DV_EXPORT_TRIANGLES) return;
  dv_text_add(out, "        int[] faceVertexIndices = [");
  for (size_t i = 0; i < n * corners; i++) dv_text_printf(out, "%s%u", i ? ", " : "", o->indices.data[i]);
  dv_text_add(out, "]\n        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1\n");
}

// one colour, or one for each face
static void add_colours(dvText *out, const dvExportObject *o)
{
  bool faces = o->kind == DV_EXPORT_TRIANGLES && o->parts.count > 1;
  dv_text_add(out, "        color3f[] primvars:displayColor = [");
  bool first = true;
  for (size_t i = 0; i < o->parts.count; i++)
    for (size_t k = 0; k < (faces ? o->parts.data[i].count / 3 : i == 0 ? 1 : 0); k++) {
      const double *c = o->parts.data[i].colour;
      dv_text_printf(out, "%s(%.4g, %.4g, %.4g)", first ? "" : ", ", c[0], c[1], c[2]);
      first = false;
    }
  dv_text_printf(out, "] (\n            interpolation = \"%s\"\n        )\n", faces ? "uniform" : "constant");
  if (o->parts.data[0].colour[3] < 1)
    dv_text_printf(out, "        float[] primvars:displayOpacity = [%.4g]\n", o->parts.data[0].colour[3]);
}

// curves have no indices: each line gets points of its own
static void lines_apart(const dvExportObject *o, dvExportObject *out)
{
  *out = *o;
  out->positions.data = NULL, out->positions.count = out->positions.capacity = 0;
  out->points = o->indices.count;
  dv_array_resize(&out->positions, o->frames * 3 * out->points);
  for (size_t f = 0; f < o->frames; f++)
    for (size_t i = 0; i < o->indices.count; i++)
      memcpy(out->positions.data + 3 * (f * out->points + i),
             o->positions.data + 3 * (f * o->points + o->indices.data[i]), 3 * sizeof(float));
}

static void add_object(dvText *out, const dvExport *e, const dvExportObject *given, size_t number)
{
  static const char *const types[] = {"Mesh", "BasisCurves", "Points"};
  dvExportObject apart, *o = (dvExportObject *)given;
  if (o->kind == DV_EXPORT_LINES) lines_apart(given, &apart), o = &apart;
  dv_text_printf(out, "    def %s \"", types[o->kind]);
  add_name(out, o, number);
  dv_text_add(out, "\"\n    {\n");
  if (o->kind != DV_EXPORT_POINTS) add_faces(out, o);
  if (o->kind == DV_EXPORT_LINES)
    dv_text_add(out, "        uniform token type = \"linear\"\n        float[] widths = [0.001] (\n            "
                     "interpolation = \"constant\"\n        )\n");
  add_extent(out, o);
  add_positions(out, e, o);
  add_colours(out, o);
  add_motion(out, e, o);
  dv_text_add(out, "    }\n");
  if (o == &apart) dv_array_free(&apart.positions);
}

bool dv_export_usd(const dvExport *e, const char *path, dvText *why)
{
  FILE *f = dv_file_write(path, "wb");
  dvText out = {0};
  dv_text_printf(&out,
                 "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    doc = \"divan %s\"\n    endTimeCode = %.9g\n    "
                 "metersPerUnit = 1\n    startTimeCode = 0\n    timeCodesPerSecond = %d\n    upAxis = \"%s\"\n)\n\n"
                 "def Xform \"scene\"\n{\n",
                 DIVAN_VERSION, code(e, e->times.count - 1), CODES, e->z_up ? "Z" : "Y");
  bool good = f != NULL;
  for (size_t i = 0; i < e->objects.count && good; i++) {   // one after the other: the text may be long
    add_object(&out, e, &e->objects.data[i], i);
    good = fwrite(out.text, 1, out.length, f) == out.length;
    dv_text_clear(&out);
  }
  if (good) good = fputs("}\n", f) >= 0;
  if (f) good = fclose(f) == 0 && good;
  if (!good) dv_text_printf(why, "it cannot be written: %s", strerror(errno));
  dv_text_free(&out);
  return good;
}
