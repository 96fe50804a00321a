// Sphere sets: a line "sph <version>", then lines "nums <count>" and "sphe <number> x y z radius".
// The count and the numbers carry no meaning: spheres stand in the order of the file. A missing
// radius is 1. A word that begins with # makes the rest of its line a comment; lines with other
// words are skipped.
#include "base/text.h"
#include "io/mesh/mesh_scan.h"

// at the end of the line, or before a comment
static bool line_is_over(dvMeshScan *s)
{
  while (s->at < s->end && *s->at != '\n' && dv_is_space(*s->at)) s->at++;
  return s->at >= s->end || *s->at == '\n' || *s->at == '#';
}

static bool read_sphere(dvMeshScan *s, dvMesh *mesh)
{
  int number;
  double x[3], radius = 1;
  if (!dv_mesh_scan_int(s, "the number of a sphere", &number)) return false;
  for (int k = 0; k < 3; k++)
    if (!dv_mesh_scan_real(s, "a coordinate of a centre", &x[k])) return false;
  if (!line_is_over(s) && !dv_mesh_scan_real(s, "a radius", &radius)) return false;
  if (radius < 0) return dv_mesh_fail(s, "a radius is negative: %g", radius);
  for (int k = 0; k < 3; k++) dv_push(&mesh->positions, x[k]);
  dv_push(&mesh->radii, radius);
  return true;
}

static bool read_spheres(dvMeshScan *s, dvMesh *mesh)
{
  const char *word;
  size_t length;
  if (!dv_mesh_scan_word(s, &word, &length) || !dv_mesh_word_is(word, length, "sph"))
    return dv_mesh_fail(s, "not a sphere file: the first line must begin with 'sph'");
  dv_mesh_skip_line(s);
  s->one_line = true;
  while (s->at < s->end) {
    if (dv_mesh_scan_word(s, &word, &length) && dv_mesh_word_is(word, length, "sphe") && !read_sphere(s, mesh))
      return false;
    dv_mesh_skip_line(s);
  }
  return true;
}

dvStatus dv_mesh_read_sph(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, error);
  if (read_spheres(&s, out)) return DV_OK;
  dv_mesh_free(out);
  return DV_ERROR_INPUT;
}
