// Writes the scene of a robot. See urdf.h.
#include "io/scene/urdf.h"

#include "base/file.h"
#include "io/mesh/mesh.h"

#include <math.h>
#include <string.h>

typedef struct Writer {
  dvContext *context;
  const dvUrdf *u;
  char *directory;   // of the robot's file
  dvText *out;
} Writer;

// a name that can stand in a path of the scene, of which it is a part
static void add_name(dvText *out, const char *name)
{
  for (const char *c = name; *c && c < name + 60; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '-';
    dv_text_add_n(out, plain ? c : "_", 1);
  }
}

static void add_escaped(dvText *out, const char *s)
{
  for (; *s; s++) {
    if (*s == '&') dv_text_add(out, "&amp;");
    else if (*s == '<') dv_text_add(out, "&lt;");
    else if (*s == '>') dv_text_add(out, "&gt;");
    else if (*s == '"') dv_text_add(out, "&quot;");
    else dv_text_add_n(out, s, 1);
  }
}

static void add_number(dvText *out, double x)
{
  dv_text_add(out, " ");
  dv_text_add_real(out, fabs(x) < 1e-15 ? 0 : x);
}

static void add_vector(dvText *out, const char *name, dvVec3 v)
{
  dv_text_printf(out, " %s=\"", name);
  dv_text_add_real(out, v.x);
  add_number(out, v.y);
  add_number(out, v.z);
  dv_text_add(out, "\"");
}

// --- shapes --------------------------------------------------------------------------------------

typedef struct Shape {
  DV_ARRAY(dvVec3) points;
  DV_ARRAY(int) triangles;
} Shape;

static void add_triangle(Shape *s, int a, int b, int c)
{
  dv_push(&s->triangles, a);
  dv_push(&s->triangles, b);
  dv_push(&s->triangles, c);
}

static void make_box(Shape *s, dvVec3 size)
{
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int i = 0; i < 8; i++)
    dv_push(&s->points,
            ((dvVec3){(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z}));
  for (int i = 0; i < 12; i++) add_triangle(s, faces[i][0], faces[i][1], faces[i][2]);
}

// rings of points about z from below to above, closed by a point at each end
static void close_rings(Shape *s, int rings, int sides, double low, double high)
{
  int bottom = (int)s->points.count, top = bottom + 1;
  dv_push(&s->points, ((dvVec3){0, 0, low}));
  dv_push(&s->points, ((dvVec3){0, 0, high}));
  for (int k = 0; k < sides; k++) {
    int next = (k + 1) % sides, last = (rings - 1) * sides;
    add_triangle(s, bottom, next, k);
    add_triangle(s, top, last + k, last + next);
    for (int r = 0; r + 1 < rings; r++) {
      int a = r * sides + k, b = r * sides + next;
      add_triangle(s, a, b, a + sides);
      add_triangle(s, b, b + sides, a + sides);
    }
  }
}

static void make_cylinder(Shape *s, double radius, double length)
{
  enum { SIDES = 24 };
  for (int r = 0; r < 2; r++)
    for (int k = 0; k < SIDES; k++)
      dv_push(&s->points,
              ((dvVec3){radius * cos(2 * M_PI * k / SIDES), radius * sin(2 * M_PI * k / SIDES), (r - 0.5) * length}));
  close_rings(s, 2, SIDES, -0.5 * length, 0.5 * length);
}

static void make_sphere(Shape *s, double radius)
{
  enum { SIDES = 20, RINGS = 9 };
  for (int r = 1; r <= RINGS; r++) {
    double angle = M_PI * r / (RINGS + 1) - M_PI / 2;
    for (int k = 0; k < SIDES; k++)
      dv_push(&s->points, ((dvVec3){radius * cos(angle) * cos(2 * M_PI * k / SIDES),
                                    radius * cos(angle) * sin(2 * M_PI * k / SIDES), radius * sin(angle)}));
  }
  close_rings(s, RINGS, SIDES, -radius, radius);
}

// a box, cylinder or ball; false for a mesh, or when it has no size
static bool make_shape(const dvElement *geometry, Shape *s)
{
  const dvElement *box = dv_urdf_child(geometry, "box"), *cylinder = dv_urdf_child(geometry, "cylinder"),
                  *sphere = dv_urdf_child(geometry, "sphere");
  double v[3];
  if (box && dv_urdf_numbers(dv_element_get(box, "size"), v, 3)) make_box(s, dv_vec3_load(v));
  else if (cylinder && dv_urdf_numbers(dv_element_get(cylinder, "radius"), v, 1) &&
           dv_urdf_numbers(dv_element_get(cylinder, "length"), v + 1, 1))
    make_cylinder(s, v[0], v[1]);
  else if (sphere && dv_urdf_numbers(dv_element_get(sphere, "radius"), v, 1)) make_sphere(s, v[0]);
  return s->points.count > 0;
}

static void add_shape(dvText *out, const Shape *s, dvUrdfPose at)
{
  dv_text_add(out, " position=\"");
  for (size_t i = 0; i < s->points.count; i++) {
    dvVec3 p = dv_vec3_add(at.p, dv_mat3_mul_vec(at.r, s->points.data[i]));
    dv_text_printf(out, "%s%.7g %.7g %.7g", i ? "  " : "", p.x, p.y, p.z);
  }
  dv_text_add(out, "\" triangles=\"");
  for (size_t i = 0; i < s->triangles.count; i++)
    dv_text_printf(out, "%s%d", i ? i % 3 ? " " : "  " : "", s->triangles.data[i]);
  dv_text_add(out, "\"");
}

// --- meshes --------------------------------------------------------------------------------------

// Where a mesh is, seen from the robot's file: package://NAME/PATH is looked for beside the file and above it, with and
// without the name. NULL when it is not there; the caller frees it.
static char *find_mesh(const Writer *w, const char *name)
{
  const char *path = dv_starts_with(name, "file://") ? name + 7 : name, *inside = NULL;
  if (dv_starts_with(name, "package://") || dv_starts_with(name, "model://")) {
    path = strstr(name, "://") + 3;
    inside = strchr(path, '/');
  }
  static const char *const above[] = {"", "..", "../..", "../../.."};
  for (size_t i = 0; i < DV_COUNT(above); i++)
    for (int k = 0; k < 2; k++) {
      const char *part = k && inside ? inside + 1 : path;
      char *relative = *path == '/' || !*above[i] ? dv_strdup(part) : dv_path_join(above[i], part);
      char *full = *path == '/' ? dv_strdup(path) : dv_path_join(w->directory, relative);
      bool there = dv_file_is_regular(full);
      dv_free(full);
      if (there) return relative;
      dv_free(relative);
    }
  return NULL;
}

static char *usable_mesh(const Writer *w, const dvElement *mesh)
{
  const char *name = dv_element_get(mesh, "filename");
  char *path = name ? find_mesh(w, name) : NULL;
  if (!path)
    dv_urdf_say(w->context, DV_WARNING, mesh->place, "put it beside the robot's file, or in a folder above it",
                "the mesh '%.200s' is not found: the robot goes without", name ? name : "");
  else if (!dv_mesh_can_read(path)) {
    dv_urdf_say(w->context, DV_WARNING, mesh->place, "convert it to .stl or .obj (Blender does)",
                "meshes of the format '.%.20s' are not read: the robot goes without '%.200s'", dv_path_extension(path),
                path);
    dv_free(path);
    path = NULL;
  }
  return path;
}

// angles about x, y and z, in that order, in degrees
static dvVec3 angles(dvMat3 r)
{
  double pitch = atan2(-r.m[2][0], hypot(r.m[0][0], r.m[1][0]));
  bool locked = hypot(r.m[0][0], r.m[1][0]) < 1e-9;
  double yaw = locked ? 0 : atan2(r.m[1][0], r.m[0][0]),
         roll = locked ? atan2(-r.m[1][2], r.m[1][1]) : atan2(r.m[2][1], r.m[2][2]);
  return dv_vec3_scale((dvVec3){roll, pitch, yaw}, 180 / M_PI);
}

static void add_placement(const Writer *w, const dvElement *mesh, dvUrdfPose at)
{
  double scale[3] = {1, 1, 1};
  const char *text = dv_element_get(mesh, "scale");
  if (text && !dv_urdf_numbers(text, scale, 3)) scale[0] = scale[1] = scale[2] = 1;
  if (text) add_vector(w->out, "scale3d", dv_vec3_load(scale));
  add_vector(w->out, "rotation", angles(at.r));
  add_vector(w->out, "translation", at.p);
}

// --- what links look like and touch with ---------------------------------------------------------

static const char *loader_of(const char *path)
{
  return dv_ends_with_nocase(path, ".stl")   ? "MeshSTLLoader"
         : dv_ends_with_nocase(path, ".obj") ? "MeshOBJLoader"
                                             : NULL;
}

static void add_colour(const Writer *w, const dvElement *visual)
{
  const dvElement *material = dv_urdf_child(visual, "material"), *colour = dv_urdf_child(material, "color");
  const char *name = material ? dv_element_get(material, "name") : NULL;
  for (size_t i = 0; name && !colour && i < w->u->robot->children.count; i++) {
    const dvElement *e = w->u->robot->children.data[i];
    if (dv_same(e->tag, "material") && dv_same(dv_element_get(e, "name"), name)) colour = dv_urdf_child(e, "color");
  }
  double c[4] = {0.72, 0.74, 0.78, 1};
  if (colour && !dv_urdf_numbers(dv_element_get(colour, "rgba"), c, 4)) c[0] = c[1] = c[2] = 0.7, c[3] = 1;
  dv_text_printf(w->out, " color=\"%.4g %.4g %.4g %.4g\"", c[0], c[1], c[2], c[3]);
}

static void begin_part(const Writer *w, const dvUrdfLink *l, const char *what, size_t number)
{
  dv_text_add(w->out, "        <Node name=\"");
  add_name(w->out, l->name);
  dv_text_printf(w->out, "-%s%zu\">\n", what, number);
}

static void end_part(const Writer *w, const dvUrdfLink *l, const char *output)
{
  dv_text_printf(w->out,
                 "          <RigidMapping input=\"@../bodies\" output=\"@%s\" index=\"%d\"/>\n        </Node>\n",
                 output, l->body);
}

static void add_visual(const Writer *w, const dvUrdfLink *l, const dvElement *visual, dvUrdfPose at, size_t number)
{
  const dvElement *geometry = dv_urdf_child(visual, "geometry"), *mesh = dv_urdf_child(geometry, "mesh");
  Shape s = {0};
  char *path = mesh ? usable_mesh(w, mesh) : NULL;
  if (path || make_shape(geometry, &s)) {
    begin_part(w, l, "visual", number);
    dv_text_add(w->out, "          <OglModel name=\"look\"");
    add_colour(w, visual);
    if (path) {
      dv_text_add(w->out, " filename=\"");
      add_escaped(w->out, path);
      dv_text_add(w->out, "\"");
      add_placement(w, mesh, at);
    } else {
      add_shape(w->out, &s, at);
    }
    dv_text_add(w->out, "/>\n");
    end_part(w, l, "look");
  }
  dv_free(path);
  dv_array_free(&s.points);
  dv_array_free(&s.triangles);
}

static void add_collision(const Writer *w, const dvUrdfLink *l, const dvElement *collision, dvUrdfPose at,
                          size_t number)
{
  const dvElement *geometry = dv_urdf_child(collision, "geometry"), *mesh = dv_urdf_child(geometry, "mesh");
  Shape s = {0};
  char *path = mesh ? usable_mesh(w, mesh) : NULL;
  const char *loader = path ? loader_of(path) : NULL;
  if (loader || (!path && make_shape(geometry, &s))) {
    begin_part(w, l, "collision", number);
    if (loader) {
      dv_text_printf(w->out, "          <%s name=\"mesh\" filename=\"", loader);
      add_escaped(w->out, path);
      dv_text_add(w->out, "\"");
      add_placement(w, mesh, at);
      dv_text_add(w->out, "/>\n          <MeshTopology src=\"@mesh\"/>\n          <MechanicalObject name=\"shell\" "
                          "position=\"@mesh.position\"/>\n");
    } else {
      dv_text_add(w->out, "          <MeshTopology name=\"mesh\"");
      add_shape(w->out, &s, at);
      dv_text_add(w->out, "/>\n          <MechanicalObject name=\"shell\" position=\"@mesh.position\"/>\n");
    }
    // parts of one robot do not touch each other
    dv_text_add(w->out, "          <TriangleCollisionModel group=\"1\"/>\n          <LineCollisionModel group=\"1\"/>\n"
                        "          <PointCollisionModel group=\"1\"/>\n");
    end_part(w, l, "shell");
  }
  dv_free(path);
  dv_array_free(&s.points);
  dv_array_free(&s.triangles);
}

static void add_parts(const Writer *w, const dvUrdfLink *l)
{
  size_t visuals = 0, collisions = 0;
  for (size_t i = 0; i < l->element->children.count; i++) {
    const dvElement *e = l->element->children.data[i];
    bool visual = dv_same(e->tag, "visual");
    if (!visual && !dv_same(e->tag, "collision")) continue;
    dvUrdfPose own = dv_urdf_origin(w->context, e), at;   // in the frame of the body
    at.r = dv_mat3_mul(l->pose.r, own.r);
    at.p = dv_vec3_add(l->pose.p, dv_mat3_mul_vec(l->pose.r, own.p));
    at.p = dv_vec3_sub(at.p, w->u->bodies.data[l->body].centre);
    if (visual) add_visual(w, l, e, at, visuals++);
    else add_collision(w, l, e, at, collisions++);
  }
}

// --- bodies and joints ---------------------------------------------------------------------------

static void add_bodies(const Writer *w)
{
  const dvUrdf *u = w->u;
  dvText *out = w->out;
  dv_text_add(
      out, "      <Node name=\"Bodies\">\n        <MechanicalObject name=\"bodies\" template=\"Rigid3\" position=\"");
  for (size_t i = 0; i < u->bodies.count; i++) {
    dvVec3 c = u->bodies.data[i].centre;
    add_number(out, c.x), add_number(out, c.y), add_number(out, c.z);
    dv_text_add(out, " 0 0 0 1");
  }
  dv_text_add(out, "\"/>\n        <ArticulatedSystemMapping input1=\"@../joints\" output=\"@bodies\"/>\n"
                   "        <DiagonalMass vertexMass=\"");
  for (size_t i = 0; i < u->bodies.count; i++) {
    const dvUrdfBody *b = &u->bodies.data[i];
    add_number(out, b->mass);
    dv_text_add(out, " 1 [");
    for (int k = 0; k < 9; k++) add_number(out, b->inertia.m[k / 3][k % 3] / b->mass);
    dv_text_add(out, "]");
  }
  dv_text_add(out, "\"/>\n        <MappedInertiaForceField/>\n");
  for (size_t i = 0; i < u->order.count; i++) add_parts(w, &u->links.data[u->order.data[i]]);
  dv_text_add(out, "      </Node>\n");
}

static void add_articulation(const Writer *w, bool turns, dvVec3 axis, int coordinate)
{
  dv_text_printf(w->out, "            <Articulation %s=\"1\"", turns ? "rotation" : "translation");
  add_vector(w->out, "axis", axis);
  dv_text_printf(w->out, " articulationIndex=\"%d\"/>\n", coordinate);
}

// two directions that are at right angles to a third one
static void across(dvVec3 n, dvVec3 *a, dvVec3 *b)
{
  *a = dv_vec3_normalise(dv_vec3_cross(fabs(n.x) < 0.9 ? (dvVec3){1, 0, 0} : (dvVec3){0, 1, 0}, n));
  *b = dv_vec3_cross(n, *a);
}

static void add_center(const Writer *w, const dvUrdfBody *b, size_t number)
{
  const dvUrdfJoint *j = &w->u->joints.data[b->joint];
  const dvUrdfLink *l = &w->u->links.data[j->child];
  int at = j->mimic >= 0 ? w->u->joints.data[j->mimic].coordinate : j->coordinate;
  dvVec3 n = dv_mat3_mul_vec(l->pose.r, j->axis), a, c;
  dv_text_add(w->out, "        <Node name=\"");
  add_name(w->out, j->name);
  dv_text_printf(w->out, "\">\n          <ArticulationCenter parentIndex=\"%d\" childIndex=\"%zu\"", b->parent, number);
  add_vector(w->out, "posOnParent", dv_vec3_sub(l->pose.p, w->u->bodies.data[b->parent].centre));
  add_vector(w->out, "posOnChild", dv_vec3_sub(l->pose.p, b->centre));
  dv_text_add(w->out, "/>\n          <Node name=\"axes\">\n");
  if (j->kind == DV_URDF_FLOATING) {
    for (int k = 0; k < 6; k++) add_articulation(w, k >= 3, dv_mat3_column(l->pose.r, k % 3), at + k);
  } else if (j->kind == DV_URDF_PLANAR) {
    across(n, &a, &c);
    add_articulation(w, false, a, at), add_articulation(w, false, c, at + 1), add_articulation(w, true, n, at + 2);
  } else {
    add_articulation(w, j->kind != DV_URDF_PRISMATIC, n, at);
  }
  dv_text_add(w->out, "          </Node>\n        </Node>\n");
}

static void add_joints(const Writer *w, bool limits)
{
  const dvUrdf *u = w->u;
  dvText *out = w->out;
  bool damped = false;
  double *damping = dv_alloc(((size_t)u->coordinates + 1) * sizeof *damping);
  dv_text_add(out, "      <MechanicalObject name=\"joints\" template=\"Vec1\" position=\"");
  for (int i = 0; i < u->coordinates; i++) dv_text_add(out, i ? " 0" : "0");
  dv_text_add(out, "\"/>\n");
  for (size_t i = 0; i < u->joints.count; i++) {
    const dvUrdfJoint *j = &u->joints.data[i];
    if (j->kind == DV_URDF_FIXED || j->mimic >= 0) continue;
    damping[j->coordinate] = j->damping;
    damped |= j->damping > 0;
    if (!j->limited) continue;
    dv_text_add(out, "      <StopperLagrangianConstraint name=\"stop-");
    add_name(out, j->name);
    dv_text_printf(out, "\" index=\"%d\" min=\"%.12g\" max=\"%.12g\"/>\n", j->coordinate, j->lower, j->upper);
  }
  if (damped) {
    dv_text_add(out, "      <DiagonalVelocityDampingForceField dampingCoefficient=\"");
    for (int i = 0; i < u->coordinates; i++) dv_text_printf(out, "%s%.12g", i ? " " : "", damping[i]);
    dv_text_add(out, "\"/>\n");
  }
  if (limits) dv_text_add(out, "      <LinearSolverConstraintCorrection/>\n");
  dv_free(damping);
}

// which coordinate is which joint
static void add_legend(const Writer *w)
{
  static const char *const kinds[] = {"",          "turns, rad", "turns, rad",
                                      "slides, m", "x, y, turn", "x, y, z, three turns"};
  dv_text_add(w->out, "      <!-- coordinates:");
  bool first = true;
  for (size_t i = 0; i < w->u->joints.count; i++) {
    const dvUrdfJoint *j = &w->u->joints.data[i];
    if (j->kind == DV_URDF_FIXED || j->mimic >= 0) continue;
    dv_text_printf(w->out, "%s %d ", first ? "" : ",", j->coordinate);
    add_name(w->out, j->name);
    dv_text_printf(w->out, " (%s)", kinds[j->kind]);
    first = false;
  }
  dv_text_add(w->out, " -->\n");
}

void dv_urdf_write(dvContext *context, const dvUrdf *u, const char *path, dvText *out)
{
  Writer w = {context, u, dv_path_directory(path), out};
  bool limits = false;
  for (size_t i = 0; i < u->joints.count; i++) limits |= u->joints.data[i].limited;
  dv_text_add(out, "<?xml version=\"1.0\"?>\n<Node name=\"root\" gravity=\"0 0 -9.81\" dt=\"0.01\">\n");
  dv_text_add(out, limits ? "  <FreeMotionAnimationLoop/>\n  <BlockGaussSeidelConstraintSolver tolerance=\"1e-10\" "
                            "maxIterations=\"500\"/>\n"
                          : "  <DefaultAnimationLoop/>\n");
  dv_text_add(out, "  <VisualStyle displayFlags=\"showVisualModels\"/>\n  <Node name=\"");
  add_name(out, u->name);
  dv_text_add(out, "\">\n");
  if (u->coordinates) {
    dv_text_add(out, "      <EulerImplicitSolver/>\n      <SparseLDLSolver/>\n");
    add_legend(&w);
    add_joints(&w, limits);
    add_bodies(&w);
    dv_text_add(out, "      <ArticulatedHierarchyContainer/>\n      <Node name=\"Joints\">\n");
    for (size_t i = 1; i < u->bodies.count; i++) add_center(&w, &u->bodies.data[i], i);
    dv_text_add(out, "      </Node>\n");
  } else {   // nothing moves
    dv_text_printf(out,
                   "      <Node name=\"Bodies\">\n        <MechanicalObject name=\"bodies\" template=\"Rigid3\" "
                   "position=\"%.12g %.12g %.12g 0 0 0 1\"/>\n",
                   u->bodies.data[0].centre.x, u->bodies.data[0].centre.y, u->bodies.data[0].centre.z);
    for (size_t i = 0; i < u->order.count; i++) add_parts(&w, &u->links.data[u->order.data[i]]);
    dv_text_add(out, "      </Node>\n");
  }
  dv_text_add(out, "  </Node>\n</Node>\n");
  dv_free(w.directory);
}
