// DiagonalMass: a mass for each point, lumped from the elements of a mesh.
//
// An element of measure V (length, area or volume) and density rho gives rho V / n to each of its n points. One of
// three fields decides, in this order: totalMass (the density follows from the measure of the mesh), massDensity,
// vertexMass (as given, the last repeated for points that have none). Frames take vertexMass as it stands.
#include "mass/classes.h"
#include "mass/diagonal.h"
#include "mass/mesh_measure.h"

#include "base/file.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DIAGONAL_MASS_FIELDS(X)                                                                                   \
  X(reals, vertexMass, "", "kg", "mass of each point; for frames: mass, volume, inertia matrix per unit of mass", \
    .alias = "mass")                                                                                              \
  X(real, massDensity, "1", "kg/m3", "mass per volume (or per area or length, for meshes without volume)",        \
    .least = "0")                                                                                                 \
  X(real, totalMass, "1", "kg", "mass of all points together; goes before the others", .alias = "totalmass",      \
    .least = "0")                                                                                                 \
  X(bool, computeMassOnRest, "1", "", "measure the elements at rest rather than where they stand at the start")   \
  X(bool, showGravityCenter, "0", "", "draw the centre of gravity", .flags = DV_LOOKS)                            \
  X(real, showAxisSizeFactor, "1", "", "length of drawn axes", .flags = DV_LOOKS)                                 \
  X(file, filename, "", "", "an Xsp file (version 3 or 4) with the masses", .alias = "fileMass")                  \
  X(link, topology, "", "", "mesh the masses are computed from", .role = DV_ROLE_TOPOLOGY)                        \
  X(link, geometryState, "", "", "state that has the positions of that mesh", .role = DV_ROLE_STATE)              \
  DV_GYROSCOPIC_FIELDS(X)

typedef struct DiagonalMass {
  dvDiagonal diagonal;
  DIAGONAL_MASS_FIELDS(DV_MEMBER)
  dvMassMesh mesh;
  bool has_mesh;
  dvNumbers around;   // elements of a point
  dvReals extra;      // what points have beside the shares of their elements, where vertexMass was given
} DiagonalMass;

#define SELF DiagonalMass
static const dvFieldDesc diagonal_mass_fields[] = {DIAGONAL_MASS_FIELDS(DV_DESCRIBE)};
#undef SELF

static void diagonal_mass_destroy(dvObject *o)
{
  DiagonalMass *m = (DiagonalMass *)o;
  dv_diagonal_free(&m->diagonal);
  dv_mass_mesh_free(&m->mesh);
  dv_reals_free(&m->extra);
  dv_array_free(&m->around);
}

static dvObject *object_of(DiagonalMass *m) { return &m->diagonal.base.base; }

// --- Xsp files -----------------------------------------------------------------------------------

// the ninth number behind "mass" (index, place, position, velocity, mass); a negative one marks a fixed point
static bool read_mass_line(const char **cursor, double *mass)
{
  const char *word;
  size_t length;
  double value;
  if (!dv_scan_real(cursor, &value) || !dv_scan_word(cursor, &word, &length)) return false;
  for (int i = 0; i < 6; i++)
    if (!dv_scan_real(cursor, &value)) return false;
  if (!dv_scan_real(cursor, mass)) return false;
  *mass = fabs(*mass);
  return true;
}

static bool read_xsp(const char *text, dvReals *out)
{
  const char *s = text, *word;
  size_t length;
  double version;
  if (!dv_scan_word(&s, &word, &length) || length != 3 || memcmp(word, "Xsp", 3) != 0) return false;
  if (!dv_scan_real(&s, &version) || (version != 3 && version != 4)) return false;
  out->count = 0;
  while (dv_scan_word(&s, &word, &length)) {
    if (length == 4 && memcmp(word, "mass", 4) == 0) {
      double mass;
      if (!read_mass_line(&s, &mass) || !isfinite(mass) || !dv_reals_resize(out, out->count + 1)) return false;
      out->data[out->count - 1] = mass;
    }
    while (*s && *s != '\n') s++;   // all else is for springs
  }
  return true;
}

// a frame of a file that gives plain masses has a unit inertia
static bool expand_to_frames(dvReals *masses, const dvDof *dof)
{
  static const double unit[11] = {1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  size_t n = masses->count, group = (size_t)dv_diagonal_numbers(dof);
  if (group == 1) return true;
  if (!dv_reals_resize(masses, n * group)) return false;
  for (size_t i = n; i > 0; i--) {
    double mass = masses->data[i - 1], *out = masses->data + (i - 1) * group;
    memcpy(out, unit, group * sizeof *out);
    out[0] = mass;
  }
  return true;
}

static dvStatus load_xsp(DiagonalMass *m)
{
  dvObject *o = object_of(m);
  dvText advice = {0};
  char *path = dv_context_find_file(o->context, m->filename, dv_field_of(o, &m->filename)->place.file, &advice);
  size_t length;
  char *text = dv_file_read(path, &length);
  dvStatus status = DV_OK;
  dv_reals_free(&m->vertexMass);
  if (!text) status = dv_field_error(o, &m->filename, advice.text, "cannot read %s: %s", m->filename, dv_file_why());
  else if (!read_xsp(text, &m->vertexMass) || !expand_to_frames(&m->vertexMass, o->dof))
    status = dv_field_error(o, &m->filename, NULL, "%s is not a whole Xsp file of version 3 or 4", path);
  dv_free(text);
  dv_free(path);
  dv_text_free(&advice);
  return status;
}

// --- from the mesh -------------------------------------------------------------------------------

// the top of a pyramid has the integral of z: a quarter
static double share_of(const dvMassMesh *mesh, double mass, size_t corner)
{
  if (mesh->kind == DV_PYRAMID) return mass * (corner == 4 ? 4.0 / 16 : 3.0 / 16);
  return mass / (double)mesh->elements->width;
}

// masses of all points for a density; returns their sum
static double lump(DiagonalMass *m, double density)
{
  const dvMassMesh *mesh = &m->mesh;
  const double *x = dv_mass_mesh_settle(&m->mesh);
  size_t n = m->diagonal.base.state->count, corners = (size_t)mesh->elements->width;
  m->vertexMass.count = 0;
  if (!dv_reals_resize(&m->vertexMass, n)) return 0;
  double total = 0, *mass = m->vertexMass.data;
  for (size_t e = 0; e < dv_ints_size(mesh->elements); e++) {
    double mass_of_element = density * dv_mass_mesh_measure(mesh, x, e);
    for (size_t i = 0; i < corners; i++) {
      double share = share_of(mesh, mass_of_element, i);
      int32_t at = mesh->elements->data[e * corners + i];
      if (at < 0 || (size_t)at >= n) continue;
      mass[at] += share;
      total += share;
    }
  }
  return total;
}

static void from_total(DiagonalMass *m)
{
  if (m->totalMass < 0) {
    dv_field_warning(object_of(m), &m->totalMass, "give a positive mass", "totalMass %g is negative; 1 is used",
                     m->totalMass);
    m->totalMass = 1;
  }
  double volume = lump(m, 1);
  m->massDensity = volume < DBL_EPSILON ? 1 : m->totalMass / volume;
  for (size_t i = 0; i < m->vertexMass.count; i++) m->vertexMass.data[i] *= m->massDensity;
}

static void from_density(DiagonalMass *m)
{
  if (m->massDensity >= 0) {
    m->totalMass = lump(m, m->massDensity);
    return;
  }
  dv_field_warning(object_of(m), &m->massDensity, "give a positive density",
                   "massDensity %g is negative; totalMass %g is used", m->massDensity, m->totalMass);
  from_total(m);
}

static bool vertex_masses_fit(const DiagonalMass *m)
{
  const dvObject *o = &m->diagonal.base.base;
  size_t n = m->vertexMass.count, points = dv_topology_point_count(m->mesh.topology);
  if (n != points) {
    dv_field_warning(o, &m->vertexMass, "give one number per point",
                     "vertexMass has %zu numbers, the mesh %zu points; totalMass %g is used", n, points, m->totalMass);
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    if (m->vertexMass.data[i] >= 0) continue;
    dv_field_warning(o, &m->vertexMass, "give positive masses",
                     "vertexMass of point %zu is negative (%g); totalMass %g is used", i, m->vertexMass.data[i],
                     m->totalMass);
    return false;
  }
  return true;
}

static void from_vertex_masses(DiagonalMass *m)
{
  // the last mass holds for the points that have none
  size_t given = m->vertexMass.count, n = m->diagonal.base.state->count;
  if (given > 0 && given < n && dv_reals_resize(&m->vertexMass, n))
    for (size_t i = given; i < n; i++) m->vertexMass.data[i] = m->vertexMass.data[given - 1];
  if (!vertex_masses_fit(m)) {
    from_total(m);
    return;
  }
  dvReals saved = {.width = 1};
  dv_reals_share(&saved, &m->vertexMass);
  m->totalMass = 0;
  for (size_t i = 0; i < saved.count; i++) m->totalMass += saved.data[i];
  double volume = lump(m, 1);
  m->massDensity = volume < DBL_EPSILON ? 1 : m->totalMass / volume;
  if (dv_reals_resize(&m->extra, saved.count))
    for (size_t i = 0; i < saved.count; i++) m->extra.data[i] = saved.data[i] - m->massDensity * m->vertexMass.data[i];
  dv_reals_share(&m->vertexMass, &saved);
  dv_reals_free(&saved);
}

static void compute(DiagonalMass *m)
{
  dvObject *o = object_of(m);
  bool total = dv_was_set(o, &m->totalMass), density = dv_was_set(o, &m->massDensity),
       vertex = dv_was_set(o, &m->vertexMass);
  if (total + density + vertex > 1)
    dv_warning(o, "give only one of them", "several masses are given; %s goes before the others",
               total ? "totalMass" : "massDensity");
  if (total) from_total(m);
  else if (density) from_density(m);
  else if (vertex) from_vertex_masses(m);
  else from_total(m);
}

// --- set-up --------------------------------------------------------------------------------------

static void touch_masses(DiagonalMass *m)
{
  dvObject *o = object_of(m);
  dv_touch(o, &m->vertexMass);
  dv_touch(o, &m->totalMass);
  dv_touch(o, &m->massDensity);
}

// hands the numbers in vertexMass to the diagonal
static dvStatus adopt(DiagonalMass *m)
{
  dvDiagonal *d = &m->diagonal;
  dvObject *o = object_of(m);
  const dvDof *dof = d->base.state->base.dof;
  size_t group = (size_t)dv_diagonal_numbers(dof), n = m->vertexMass.count / group;
  long singular;
  d->count = dv_min_size(n, d->base.state->count);
  if (!dv_diagonal_set(d, dof, m->vertexMass.data, d->count, &singular))
    return dv_error(o, NULL, "out of memory for %zu masses", n);
  if (singular >= 0) dv_field_warning(o, &m->vertexMass, NULL, "the inertia of frame %ld cannot be inverted", singular);
  else dv_diagonal_check_inertia(d);
  touch_masses(m);
  return DV_OK;
}

static void frame_masses(DiagonalMass *m)
{
  dvObject *o = object_of(m);
  size_t group = (size_t)dv_diagonal_numbers(o->dof), given = m->vertexMass.count / group,
         n = m->diagonal.base.state->count;
  if (m->vertexMass.count % group)
    dv_field_warning(o, &m->vertexMass, NULL,
                     "vertexMass has %zu numbers, not whole groups of %zu; the rest is not used", m->vertexMass.count,
                     group);
  if (given < n)
    dv_warning(o, "give vertexMass as \"mass volume inertia\" for each frame", "%zu of %zu frames have no mass",
               n - given, n);
}

// the same for one point, to the same bits
static double lump_point(DiagonalMass *m, const double *x, int32_t point)
{
  const dvMassMesh *mesh = &m->mesh;
  size_t corners = (size_t)mesh->elements->width;
  double mass = 0;
  dv_mass_mesh_around(mesh, point, &m->around);
  for (size_t k = 0; k < m->around.count; k++) {
    size_t e = (size_t)m->around.data[k];
    double mass_of_element = m->massDensity * dv_mass_mesh_measure(mesh, x, e);
    for (size_t i = 0; i < corners; i++)
      if (mesh->elements->data[e * corners + i] == point) mass += share_of(mesh, mass_of_element, i);
  }
  return mass;
}

// masses of the points that a batch of changes concerns; false when all are to be computed
static bool patch(DiagonalMass *m)
{
  dvDiagonal *d = &m->diagonal;
  dvObject *o = object_of(m);
  size_t n = d->base.state->count, before = m->vertexMass.count;
  const dvTrace *trace = m->has_mesh ? dv_mass_mesh_trace(&m->mesh, o, n) : NULL;
  if (!trace || d->count != before || d->uniform || d->points.count || (m->extra.count && m->extra.count != n))
    return false;
  const double *x = dv_mass_mesh_settle(&m->mesh);
  const dvNumbers *points = dv_trace_points(trace);
  double gone = 0;
  for (size_t p = n; p < before; p++) gone += m->vertexMass.data[p];
  for (size_t i = 0; i < points->count; i++)
    if ((size_t)points->data[i] < dv_min_size(n, before)) gone += m->vertexMass.data[points->data[i]];
  if (!dv_reals_resize(&m->vertexMass, n) || !dv_reals_resize(&d->mass, n)) return false;
  double *mass = dv_reals_edit(&m->vertexMass), come = 0;
  for (size_t i = 0; i < points->count; i++) {
    int32_t p = points->data[i];
    d->mass.data[p] = mass[p] = lump_point(m, x, p) + (m->extra.count ? m->extra.data[p] : 0);
    come += mass[p];
  }
  d->count = n;
  m->totalMass += come - gone;
  touch_masses(m);
  return dv_follow_patched(o);
}

// the mesh has changed: its elements have the density that was found at first
static void diagonal_mass_set_up(dvObject *o)
{
  DiagonalMass *m = (DiagonalMass *)o;
  if (patch(m)) return;
  bool lumped = m->has_mesh && !o->rewound;
  if (m->has_mesh) dv_mass_mesh_settle(&m->mesh);
  if (lumped) m->totalMass = lump(m, m->massDensity);
  for (size_t i = 0; i < m->extra.count && i < m->vertexMass.count && lumped; i++) {
    m->vertexMass.data[i] += m->extra.data[i];
    m->totalMass += m->extra.data[i];
  }
  adopt(m);
}

// a mass for each point, and no mesh anywhere: points that a mapping makes
static bool is_complete(const DiagonalMass *m)
{
  const dvObject *o = &m->diagonal.base.base;
  return dv_was_set(o, &m->vertexMass) && m->vertexMass.count == m->diagonal.base.state->count && !m->topology.target &&
         !dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
}

// a new point has only the shares of its elements
static void extra_created(void *user, const dvNewElement *e)
{
  DiagonalMass *m = user;
  if (e->row < m->extra.count) dv_reals_edit(&m->extra)[e->row] = 0;
}

static void follow_extra(DiagonalMass *m)
{
  if (!m->extra.count) return;
  dvElementData *d = dv_follow_elements(object_of(m), m->mesh.topology, DV_POINT);
  dv_element_data_add_reals(d, &m->extra, false);
  d->create = extra_created;
}

// without a mesh to compute them from, masses stay with their points
static void follow_masses(DiagonalMass *m)
{
  dvObject *o = object_of(m);
  size_t group = (size_t)dv_diagonal_numbers(o->dof);
  if (m->vertexMass.count == group * m->diagonal.base.state->count)
    dv_element_data_add_groups(dv_follow_rows(o, m->diagonal.base.state), &m->vertexMass, group, false);
}

static dvStatus diagonal_mass_init(dvObject *o)
{
  DiagonalMass *m = (DiagonalMass *)o;
  DV_TRY(dv_mass_init(o));
  o->dof = m->diagonal.base.state->base.dof;
  m->extra.width = 1;
  m->extra.count = 0;
  if (*m->filename) DV_TRY(load_xsp(m));
  if (o->dof->kind == DV_RIGID3 || o->dof->kind == DV_RIGID2) {
    frame_masses(m);
  } else if (!*m->filename && !is_complete(m)) {
    m->has_mesh = dv_mass_mesh_find(o, &m->topology, &m->geometryState, &m->mesh);
    if (m->has_mesh) dv_mass_mesh_follow(&m->mesh, o, m->computeMassOnRest);
    if (m->has_mesh) {
      compute(m);
      dv_follow_keep_reals(o, &m->vertexMass);
      dv_follow_keep_number(o, &m->totalMass);
      dv_follow_keep_number(o, &m->massDensity);
    }
    follow_extra(m);
  }
  if (!m->has_mesh) follow_masses(m);
  dv_diagonal_watch(&m->diagonal, diagonal_mass_set_up, NULL);
  DV_TRY(adopt(m));
  dv_diagonal_choose_gyroscopic(&m->diagonal, &m->gyroscopic);
  return DV_OK;
}

const dvClass dv_diagonal_mass_class = {
    .struct_size = sizeof(dvClass),
    .name = "DiagonalMass",
    .help = "a mass for each point, lumped from the elements of a mesh",
    .module = "Sofa.Component.Mass",
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID2 | DV_DOF_RIGID3,
    .size = sizeof(DiagonalMass),
    .blocks = {&dv_object_block, &dv_mass_block, DV_BLOCK(diagonal_mass_fields)},
    .ops = {[DV_ROLE_MASS] = &dv_diagonal_ops},
    .init = diagonal_mass_init,
    .reinit = diagonal_mass_init,
    .destroy = diagonal_mass_destroy,
    .topology_changed = dv_diagonal_topology_changed,
};
