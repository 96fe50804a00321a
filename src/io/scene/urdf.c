// Reads robots: links, joints, the tree that they are. See urdf.h.
#include "io/scene/urdf.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { MOST = 5000 };   // links

void dv_urdf_say(dvContext *context, dvLevel level, dvPlace place, const char *advice, const char *format, ...)
{
  dvText text = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&text, format, args);
  va_end(args);
  dv_log_send(&context->log, &(dvMessage){.level = level,
                                          .status = level == DV_ERROR ? DV_ERROR_INPUT : DV_OK,
                                          .place = place,
                                          .text = text.text,
                                          .advice = advice});
  dv_text_free(&text);
}

// --- elements ------------------------------------------------------------------------------------

const dvElement *dv_urdf_child(const dvElement *e, const char *tag)
{
  for (size_t i = 0; e && i < e->children.count; i++)
    if (dv_same(e->children.data[i]->tag, tag)) return e->children.data[i];
  return NULL;
}

bool dv_urdf_numbers(const char *text, double *out, int count)
{
  double more;
  for (int i = 0; i < count; i++)
    if (!text || !dv_scan_real(&text, &out[i]) || !isfinite(out[i])) return false;
  return !dv_scan_real(&text, &more);
}

static bool number(dvContext *context, const dvElement *e, const char *attribute, double *out)
{
  const char *text = dv_element_get(e, attribute);
  double value;
  if (!text) return false;
  if (!dv_urdf_numbers(text, &value, 1)) {
    dv_urdf_say(context, DV_ERROR, e->place, NULL, "%s of <%s> is a number, not '%.60s'", attribute, e->tag, text);
    return false;
  }
  *out = value;
  return true;
}

static bool triple(dvContext *context, const dvElement *e, const char *attribute, dvVec3 *out)
{
  const char *text = dv_element_get(e, attribute);
  double value[3];
  if (!text) return false;
  if (!dv_urdf_numbers(text, value, 3)) {
    dv_urdf_say(context, DV_ERROR, e->place, NULL, "%s of <%s> is three numbers, not '%.60s'", attribute, e->tag, text);
    return false;
  }
  *out = dv_vec3_load(value);
  return true;
}

// roll, pitch and yaw about axes that stay: R = Rz(yaw) Ry(pitch) Rx(roll)
static dvMat3 from_rpy(dvVec3 a)
{
  double cr = cos(a.x), sr = sin(a.x), cp = cos(a.y), sp = sin(a.y), cy = cos(a.z), sy = sin(a.z);
  return (dvMat3){{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                   {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                   {-sp, cp * sr, cp * cr}}};
}

dvUrdfPose dv_urdf_origin(dvContext *context, const dvElement *e)
{
  dvUrdfPose pose = {.r = dv_mat3_identity()};
  const dvElement *origin = dv_urdf_child(e, "origin");
  dvVec3 rpy;
  if (!origin) return pose;
  triple(context, origin, "xyz", &pose.p);
  if (triple(context, origin, "rpy", &rpy)) pose.r = from_rpy(rpy);
  return pose;
}

static int find_link(const dvUrdf *u, const char *name)
{
  for (size_t i = 0; name && i < u->links.count; i++)
    if (dv_same(u->links.data[i].name, name)) return (int)i;
  return -1;
}

static int find_joint(const dvUrdf *u, const char *name)
{
  for (size_t i = 0; name && i < u->joints.count; i++)
    if (dv_same(u->joints.data[i].name, name)) return (int)i;
  return -1;
}

// --- links ---------------------------------------------------------------------------------------

// a tensor of real masses is positive and keeps the triangle inequality of its moments
static bool possible(dvMat3 t)
{
  double minors = t.m[0][0] * t.m[1][1] - t.m[0][1] * t.m[0][1];
  return t.m[0][0] > 0 && minors > 0 && dv_mat3_det(t) > 0;
}

static void read_inertial(dvContext *c, dvUrdfLink *l)
{
  const dvElement *inertial = dv_urdf_child(l->element, "inertial"), *mass = dv_urdf_child(inertial, "mass"),
                  *inertia = dv_urdf_child(inertial, "inertia");
  if (!inertial) return;
  if (!mass || !number(c, mass, "value", &l->mass) || l->mass < 0) {
    dv_urdf_say(c, DV_WARNING, inertial->place, "give <mass value=\"...\"/> in kg",
                "the inertial of link '%.60s' has no mass: the link has none", l->name);
    l->mass = 0;
    return;
  }
  dvUrdfPose at = dv_urdf_origin(c, inertial);
  l->centre = at.p;
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  if (inertia) {
    number(c, inertia, "ixx", &xx), number(c, inertia, "iyy", &yy), number(c, inertia, "izz", &zz);
    number(c, inertia, "ixy", &xy), number(c, inertia, "ixz", &xz), number(c, inertia, "iyz", &yz);
  }
  dvMat3 own = {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
  if (l->mass > 0 && !possible(own)) {
    dv_urdf_say(c, DV_WARNING, inertia ? inertia->place : inertial->place, "give the moments of inertia in kg m2",
                "the inertia of link '%.60s' is not that of a body: that of a ball of 10 cm is taken", l->name);
    own = dv_mat3_scale(dv_mat3_identity(), 0.4 * l->mass * 0.05 * 0.05);
  }
  l->inertia = dv_mat3_mul_t(dv_mat3_mul(at.r, own), at.r);
}

static void read_link(dvContext *c, dvUrdf *u, const dvElement *e)
{
  dvUrdfLink l = {.name = dv_element_get(e, "name"), .element = e, .joint = -1};
  if (!l.name || find_link(u, l.name) >= 0) {
    dv_urdf_say(c, DV_ERROR, e->place, "each link has a name of its own",
                l.name ? "there are two links '%.60s'" : "a link has no name%s", l.name ? l.name : "");
    return;
  }
  read_inertial(c, &l);
  dv_push(&u->links, l);
}

// --- joints --------------------------------------------------------------------------------------

static bool read_kind(dvContext *c, const dvElement *e, dvUrdfKind *out)
{
  static const char *const names[] = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
  const char *type = dv_element_get(e, "type");
  for (size_t i = 0; type && i < DV_COUNT(names); i++)
    if (dv_same(type, names[i])) {
      *out = (dvUrdfKind)i;
      return true;
    }
  dv_urdf_say(c, DV_ERROR, e->place, "there are fixed, revolute, continuous, prismatic, planar and floating ones",
              "'%.60s' is no type of joint", type ? type : "");
  return false;
}

static void read_limits(dvContext *c, dvUrdfJoint *j)
{
  const dvElement *limit = dv_urdf_child(j->element, "limit"), *dynamics = dv_urdf_child(j->element, "dynamics");
  if (dynamics && number(c, dynamics, "damping", &j->damping) && j->damping < 0) j->damping = 0;
  if (j->kind != DV_URDF_REVOLUTE && j->kind != DV_URDF_PRISMATIC) return;
  if (limit) {
    number(c, limit, "lower", &j->lower);
    number(c, limit, "upper", &j->upper);
  }
  j->limited = limit && j->lower < j->upper;
  if (!j->limited)
    dv_urdf_say(c, DV_WARNING, limit ? limit->place : j->element->place,
                "give <limit lower=\"...\" upper=\"...\"/>, or the type continuous",
                "joint '%.60s' has no limits that could be kept: it has none", j->name);
}

static void read_joint(dvContext *c, dvUrdf *u, const dvElement *e)
{
  dvUrdfJoint j = {.name = dv_element_get(e, "name"), .element = e, .axis = {1, 0, 0}, .mimic = -1};
  const dvElement *parent = dv_urdf_child(e, "parent"), *child = dv_urdf_child(e, "child"),
                  *axis = dv_urdf_child(e, "axis");
  if (!j.name) j.name = "joint";
  if (!read_kind(c, e, &j.kind)) return;
  j.parent = parent ? find_link(u, dv_element_get(parent, "link")) : -1;
  j.child = child ? find_link(u, dv_element_get(child, "link")) : -1;
  if (j.parent < 0 || j.child < 0) {
    dv_urdf_say(c, DV_ERROR, e->place, "<parent link=\"...\"/> and <child link=\"...\"/> name two links",
                "joint '%.60s' does not join two links that are there", j.name);
    return;
  }
  if (u->links.data[j.child].joint >= 0 || j.child == j.parent) {
    dv_urdf_say(c, DV_ERROR, e->place, "a robot is a tree: each link hangs on one joint",
                "link '%.60s' hangs on a second joint, '%.60s'", u->links.data[j.child].name, j.name);
    return;
  }
  j.origin = dv_urdf_origin(c, e);
  if (axis) triple(c, axis, "xyz", &j.axis);
  if (!(dv_vec3_norm(j.axis) > 0)) {
    dv_urdf_say(c, DV_ERROR, axis->place, NULL, "the axis of joint '%.60s' has no direction", j.name);
    return;
  }
  j.axis = dv_vec3_scale(j.axis, 1 / dv_vec3_norm(j.axis));
  read_limits(c, &j);
  u->links.data[j.child].joint = (int)u->joints.count;
  dv_push(&u->joints, j);
}

// a joint that follows another one has its coordinate where that can be said so
static void read_mimics(dvContext *c, dvUrdf *u)
{
  for (size_t i = 0; i < u->joints.count; i++) {
    dvUrdfJoint *j = &u->joints.data[i];
    const dvElement *mimic = dv_urdf_child(j->element, "mimic");
    if (!mimic || j->kind == DV_URDF_FIXED) continue;
    double multiplier = 1, offset = 0;
    number(c, mimic, "multiplier", &multiplier);
    number(c, mimic, "offset", &offset);
    int other = find_joint(u, dv_element_get(mimic, "joint"));
    bool good = other >= 0 && other != (int)i && u->joints.data[other].kind != DV_URDF_FIXED &&
                !dv_urdf_child(u->joints.data[other].element, "mimic") && fabs(multiplier) == 1 && offset == 0;
    if (good) j->mimic = other, j->limited = false;
    if (good && multiplier < 0) j->axis = dv_vec3_scale(j->axis, -1);
    if (!good)
      dv_urdf_say(c, DV_WARNING, mimic->place, "multipliers 1 and -1 without offset can be followed",
                  "joint '%.60s' moves by itself: it cannot mimic '%.60s' so", j->name,
                  dv_element_get(mimic, "joint") ? dv_element_get(mimic, "joint") : "");
  }
}

// --- the tree ------------------------------------------------------------------------------------

static int coordinates_of(const dvUrdfJoint *j)
{
  return j->kind == DV_URDF_FIXED || j->mimic >= 0 ? 0
         : j->kind == DV_URDF_PLANAR               ? 3
         : j->kind == DV_URDF_FLOATING             ? 6
                                                   : 1;
}

static void place_link(dvUrdf *u, int index)
{
  dvUrdfLink *l = &u->links.data[index];
  dvUrdfJoint *j = l->joint >= 0 ? &u->joints.data[l->joint] : NULL;
  if (!j) {
    l->pose = (dvUrdfPose){.r = dv_mat3_identity()};
  } else {
    const dvUrdfLink *above = &u->links.data[j->parent];
    l->pose.r = dv_mat3_mul(above->pose.r, j->origin.r);
    l->pose.p = dv_vec3_add(above->pose.p, dv_mat3_mul_vec(above->pose.r, j->origin.p));
  }
  if (j && j->kind == DV_URDF_FIXED) {
    l->body = u->links.data[j->parent].body;
  } else {
    l->body = (int)u->bodies.count;
    dv_push(&u->bodies, ((dvUrdfBody){.joint = l->joint, .parent = j ? u->links.data[j->parent].body : -1}));
    if (j) j->coordinate = u->coordinates, u->coordinates += coordinates_of(j);
  }
  dv_push(&u->order, index);
}

static bool grow_tree(dvContext *c, dvUrdf *u)
{
  int root = -1;
  for (size_t i = 0; i < u->links.count; i++) {
    if (u->links.data[i].joint >= 0) continue;
    if (root >= 0) {
      dv_urdf_say(c, DV_ERROR, u->links.data[i].element->place, "a robot is a tree with one first link",
                  "neither link '%.60s' nor link '%.60s' hangs on another one", u->links.data[root].name,
                  u->links.data[i].name);
      return false;
    }
    root = (int)i;
  }
  if (root >= 0) place_link(u, root);
  for (size_t done = 0; done < u->order.count; done++)
    for (size_t k = 0; k < u->joints.count; k++)
      if (u->joints.data[k].parent == u->order.data[done]) place_link(u, u->joints.data[k].child);
  if (u->order.count == u->links.count) return true;
  dv_urdf_say(c, DV_ERROR, u->robot->place, "a robot is a tree", "some links hang on each other in a circle");
  return false;
}

static void add_mass(dvUrdfBody *b, const dvUrdfLink *l)
{
  if (!(l->mass > 0)) return;
  dvVec3 at = dv_vec3_add(l->pose.p, dv_mat3_mul_vec(l->pose.r, l->centre));
  double total = b->mass + l->mass;
  dvVec3 d = dv_vec3_sub(at, b->centre);
  // two parts about their common centre: the reduced mass at their distance
  double reduced = b->mass * l->mass / total;
  dvMat3 apart = dv_mat3_sub(dv_mat3_scale(dv_mat3_identity(), dv_vec3_dot(d, d)), dv_mat3_outer(d, d));
  b->inertia = dv_mat3_add(b->inertia, dv_mat3_mul_t(dv_mat3_mul(l->pose.r, l->inertia), l->pose.r));
  b->inertia = dv_mat3_add(b->inertia, dv_mat3_scale(apart, reduced));
  b->centre = b->mass > 0 ? dv_vec3_add(b->centre, dv_vec3_scale(d, l->mass / total)) : at;
  b->mass = total;
}

static void weigh(dvContext *c, dvUrdf *u)
{
  for (size_t i = 0; i < u->order.count; i++) {
    const dvUrdfLink *l = &u->links.data[u->order.data[i]];
    add_mass(&u->bodies.data[l->body], l);
  }
  for (size_t i = 0; i < u->bodies.count; i++) {
    dvUrdfBody *b = &u->bodies.data[i];
    if (b->mass > 0) continue;
    const dvUrdfLink *l = b->joint >= 0 ? &u->links.data[u->joints.data[b->joint].child] : NULL;
    b->mass = 1e-3;
    b->inertia = dv_mat3_scale(dv_mat3_identity(), 1e-6);
    if (!l) continue;   // the base does not move
    b->centre = l->pose.p;
    dv_urdf_say(c, DV_WARNING, l->element->place, "give it an <inertial>",
                "link '%.60s' moves and has no mass: it gets one gram", l->name);
  }
}

static void read_parts(dvContext *c, dvUrdf *u)
{
  dvText left = {0};
  for (size_t i = 0; i < u->robot->children.count; i++) {
    const dvElement *e = u->robot->children.data[i];
    if (dv_same(e->tag, "link") && u->links.count < MOST) read_link(c, u, e);
    else if (e->tag && !dv_same(e->tag, "joint") && !dv_same(e->tag, "material") &&
             !strstr(left.text ? left.text : "", e->tag))
      dv_text_printf(&left, "%s<%.40s>", left.length ? ", " : "", e->tag);
  }
  for (size_t i = 0; i < u->robot->children.count; i++)
    if (dv_same(u->robot->children.data[i]->tag, "joint")) read_joint(c, u, u->robot->children.data[i]);
  if (left.length && (strstr(left.text, "<macro>") || strstr(left.text, "<property>") || strstr(left.text, "xacro")))
    dv_urdf_say(c, DV_ERROR, u->robot->place, "expand it first: xacro robot.xacro > robot.urdf",
                "this is a program that makes a robot (xacro), not a robot");
  else if (left.length)
    dv_urdf_say(c, DV_NOTE, u->robot->place, NULL, "left out, since they do not concern the mechanics: %s", left.text);
  dv_text_free(&left);
}

// --- the door ------------------------------------------------------------------------------------

bool dv_urdf_is(const dvElement *root) { return dv_same(root->tag, "robot"); }

bool dv_urdf_to_scene(dvContext *context, const dvElement *robot, const char *path, dvText *out)
{
  dvUrdf u = {.name = dv_element_get(robot, "name"), .robot = robot};
  if (!u.name || !*u.name) u.name = "robot";
  read_parts(context, &u);
  bool good = context->log.worst == DV_OK;
  if (good && !u.links.count) {
    dv_urdf_say(context, DV_ERROR, robot->place, NULL, "the robot has no link");
    good = false;
  }
  if (good) read_mimics(context, &u);
  good = good && grow_tree(context, &u);
  if (good) weigh(context, &u);
  if (good) dv_urdf_write(context, &u, path, out);
  good = good && context->log.worst == DV_OK;
  dv_array_free(&u.links);
  dv_array_free(&u.joints);
  dv_array_free(&u.order);
  dv_array_free(&u.bodies);
  return good;
}
