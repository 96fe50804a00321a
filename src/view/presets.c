// Bodies to begin with: pieces of scene text with everything that they need. See edit.h.
//
// They are of the size of a metre and fall at once; what lets bodies touch (a loop that solves constraints, the phases
// of collision) is added to the root where it is not there yet.
#include "view/edit.h"

#include "scene/plan.h"

#include <math.h>
#include <string.h>

typedef struct Preset {
  const char *name, *title, *help, *node;   // `node`: what its node is called
  const char *text;                         // {name} and {place} are filled in
  double height;                            // at which it begins, m
  double half, tall;                        // of its width, with some room around it, and of its height, m; 0: it stays
  bool touches;
} Preset;

#define SKIN(colour)                                                                                             \
  "  <Node name=\"Look\">\n"                                                                                     \
  "    <OglModel name=\"look\" position=\"@../grid.position\" quads=\"@../grid.quads\" color=\"" colour "\"/>\n" \
  "    <IdentityMapping/>\n"                                                                                     \
  "  </Node>\n"

#define MESH_LOOK(colour)                                                                                         \
  "  <Node name=\"Look\">\n"                                                                                      \
  "    <OglModel name=\"look\" position=\"@../shape.position\" triangles=\"@../shape.triangles\" color=\"" colour \
  "\"/>\n"                                                                                                        \
  "    <IdentityMapping/>\n"                                                                                      \
  "  </Node>\n"

#define CUBE_POINTS(r)                                                                                                 \
  "-" r " -" r " -" r "  " r " -" r " -" r "  " r " " r " -" r "  -" r " " r " -" r "  -" r " -" r " " r "  " r " -" r \
  " " r "  " r " " r " " r "  -" r " " r " " r
#define CUBE_TRIANGLES "0 2 1  0 3 2  4 5 6  4 6 7  0 1 5  0 5 4  2 3 7  2 7 6  1 2 6  1 6 5  0 4 7  0 7 3"

static const Preset presets[] = {
    {"soft-block", "Soft block", "a deformable block of 1 m: hexahedra of a grid", "Block",
     "<Node name=\"{name}\">\n"
     "  <EulerImplicitSolver rayleighStiffness=\"0.05\" rayleighMass=\"0.05\"/>\n"
     "  <SparseLDLSolver/>\n"
     "  <RegularGridTopology name=\"grid\" n=\"5 5 5\" min=\"-0.5 -0.5 -0.5\" max=\"0.5 0.5 0.5\"/>\n"
     "  <MechanicalObject name=\"points\" translation=\"{place}\"/>\n"
     "  <UniformMass name=\"mass\" totalMass=\"50\"/>\n"
     "  <HexahedronFEMForceField name=\"elasticity\" youngModulus=\"30000\" poissonRatio=\"0.3\"/>\n"
     "  <LinearSolverConstraintCorrection/>\n"
     "  <TriangleCollisionModel name=\"border\"/>\n"
     "  <LineCollisionModel/>\n"
     "  <PointCollisionModel/>\n" SKIN("0.93 0.55 0.3 1") "</Node>",
     1.2, 0.75, 0.5, true},
    {"rigid-box", "Rigid box", "a body of 40 cm and 10 kg that does not deform", "Box",
     "<Node name=\"{name}\">\n"
     "  <EulerImplicitSolver/>\n"
     "  <SparseLDLSolver/>\n"
     "  <MechanicalObject name=\"frame\" template=\"Rigid3\" position=\"0 0 0 0 0 0 1\" translation=\"{place}\"/>\n"
     "  <UniformMass name=\"mass\" vertexMass=\"10 1 [0.0267 0 0 0 0.0267 0 0 0 0.0267]\"/>\n"
     "  <UncoupledConstraintCorrection/>\n"
     "  <Node name=\"Shape\">\n"
     "    <MeshTopology name=\"shape\" position=\"" CUBE_POINTS(
         "0.2") "\" triangles=\"" CUBE_TRIANGLES "\"/>\n"
                "    <MechanicalObject name=\"corners\"/>\n"
                "    <TriangleCollisionModel name=\"border\"/>\n"
                "    <LineCollisionModel/>\n"
                "    <PointCollisionModel/>\n"
                "    <RigidMapping/>\n"
                "  </Node>\n"
                "  <Node name=\"Look\">\n"
                "    <OglModel name=\"look\" position=\"@../Shape/shape.position\" "
                "triangles=\"@../Shape/shape.triangles\" "
                "color=\"0.3 0.55 0.85 1\"/>\n"
                "    <RigidMapping/>\n"
                "  </Node>\n"
                "</Node>",
     1.4, 0.4, 0.2, true},
    {"floor", "Floor", "an obstacle that stays where it is: a plate of 6 m", "Floor",
     "<Node name=\"{name}\">\n"
     "  <MeshTopology name=\"shape\" position=\"-3 0 -3  3 0 -3  3 0 3  -3 0 3\" triangles=\"0 2 1  0 3 2\"/>\n"
     "  <MechanicalObject name=\"corners\"/>\n"
     "  <TriangleCollisionModel name=\"border\" simulated=\"0\" moving=\"0\"/>\n"
     "  <LineCollisionModel simulated=\"0\" moving=\"0\"/>\n"
     "  <PointCollisionModel simulated=\"0\" moving=\"0\"/>\n" MESH_LOOK("0.72 0.75 0.78 1") "</Node>",
     0, 0, 0, true},
    {"obstacle", "Obstacle", "a block of 80 cm that stays where it is", "Obstacle",
     "<Node name=\"{name}\">\n"
     "  <MeshTopology name=\"shape\" position=\"" CUBE_POINTS(
         "0.4") "\" triangles=\"" CUBE_TRIANGLES "\"/>\n"
                "  <MechanicalObject name=\"corners\" translation=\"{place}\"/>\n"
                "  <TriangleCollisionModel name=\"border\" simulated=\"0\" moving=\"0\"/>\n"
                "  <LineCollisionModel simulated=\"0\" moving=\"0\"/>\n"
                "  <PointCollisionModel simulated=\"0\" moving=\"0\"/>\n" MESH_LOOK("0.5 0.55 0.6 1") "</Node>",
     0.4, 0.6, 0.35, true},
    {"cloth", "Cloth", "a sheet of 2 m that hangs by two corners", "Cloth",
     "<Node name=\"{name}\">\n"
     "  <EulerImplicitSolver rayleighStiffness=\"0.01\" rayleighMass=\"0.1\"/>\n"
     "  <SparseLDLSolver/>\n"
     "  <RegularGridTopology name=\"grid\" n=\"13 1 13\" min=\"-1 0 -1\" max=\"1 0 1\"/>\n"
     "  <MechanicalObject name=\"points\" translation=\"{place}\"/>\n"
     "  <UniformMass name=\"mass\" totalMass=\"1\"/>\n"
     "  <MeshSpringForceField name=\"threads\" linesStiffness=\"200\" linesDamping=\"0.5\"/>\n"
     "  <TriangularBendingSprings name=\"bending\" stiffness=\"5\" damping=\"0.05\"/>\n"
     "  <FixedProjectiveConstraint name=\"hooks\" indices=\"0 12\"/>\n"
     "  <LinearSolverConstraintCorrection/>\n"
     "  <PointCollisionModel name=\"border\"/>\n" SKIN("0.45 0.65 0.45 1") "</Node>",
     2, 1.2, 0.05, true},
    {"finger", "Robot finger", "a soft finger of 1 m, held at one end, that a cable bends", "Finger",
     "<Node name=\"{name}\">\n"
     "  <EulerImplicitSolver rayleighStiffness=\"0.1\" rayleighMass=\"0.1\"/>\n"
     "  <SparseLDLSolver/>\n"
     "  <RegularGridTopology name=\"grid\" n=\"13 3 3\" min=\"0 -0.1 -0.1\" max=\"1 0.1 0.1\"/>\n"
     "  <MechanicalObject name=\"points\" translation=\"{place}\"/>\n"
     "  <UniformMass name=\"mass\" totalMass=\"10\"/>\n"
     "  <HexahedronFEMForceField name=\"elasticity\" youngModulus=\"300000\" poissonRatio=\"0.3\"/>\n"
     "  <FixedProjectiveConstraint name=\"clamp\" indices=\"0 13 26 39 52 65 78 91 104\"/>\n"
     "  <LinearSolverConstraintCorrection/>\n"
     "  <Node name=\"Cable\">\n"
     "    <MechanicalObject name=\"eyelets\" position=\"0.15 0.07 0  0.4 0.07 0  0.65 0.07 0  0.9 0.07 0\"/>\n"
     "    <BarycentricMapping mapForces=\"0\" mapMasses=\"0\"/>\n"
     "    <CableConstraint name=\"cable\" indices=\"0-3\" pullPoint=\"{pull}\" minForce=\"0\" value=\"0.05\" "
     "maxDispVariation=\"0.002\"/>\n"
     "  </Node>\n" SKIN("0.85 0.75 0.5 1") "</Node>",
     1.5, 1.1, 0.12, false},
};

// what lets bodies touch, in the order in which it stands at the root
static const struct Surroundings {
  dvRole role;
  const char *text;
  bool touching;
} surroundings[] = {
    {DV_ROLE_LOOP, "<FreeMotionAnimationLoop/>", false},
    {DV_ROLE_CONSTRAINT_SOLVER, "<BlockGaussSeidelConstraintSolver tolerance=\"1e-6\" maxIterations=\"200\"/>", false},
    {DV_ROLE_COLLISION, "<CollisionPipeline/>", true},
    {DV_ROLE_BROAD_PHASE, "<BruteForceBroadPhase/>", true},
    {DV_ROLE_NARROW_PHASE, "<BVHNarrowPhase/>", true},
    {DV_ROLE_INTERSECTION, NULL, true},   // by the size of the body
    {DV_ROLE_CONTACT_MANAGER, "<CollisionResponse response=\"FrictionContactConstraint\" responseParams=\"mu=0.5\"/>",
     true},
};

static bool has_role(dvSession *s, dvRole role)
{
  const dvNode *root = s->scene->root;
  for (size_t i = 0; i < root->objects.count; i++) {
    json_t *error = NULL;
    bool here = dv_plays(root->objects.data[i], role) && dv_edit_tag(s, root->objects.data[i], &error) >= 0;
    json_decref(error);   // a loop that came by itself is none
    if (here) return true;
  }
  return false;
}

// lines of what the root lacks; empty when there is nothing
static void add_surroundings(dvSession *s, double size, dvText *out)
{
  dv_text_add(out, "");
  for (size_t i = 0; i < DV_COUNT(surroundings); i++)
    if ((size > 0 || !surroundings[i].touching) && !has_role(s, surroundings[i].role)) {
      if (surroundings[i].role == DV_ROLE_INTERSECTION)
        dv_text_printf(out, "<MinProximityIntersection alarmDistance=\"%.2g\" contactDistance=\"%.2g\"/>\n", 0.1 * size,
                       0.02 * size);
      else dv_text_printf(out, "%s\n", surroundings[i].text);
    }
}

// a text with its blanks filled in
static char *filled(const Preset *p, const char *name, dvVec3 at)
{
  char *place = dv_format("%g %g %g", at.x, at.y, at.z), *pull = dv_format("%g %g %g", at.x, at.y + 0.07, at.z);
  const char *const words[][2] = {{"{name}", name}, {"{place}", place}, {"{pull}", pull}};
  dvText out = {0};
  for (const char *c = p->text; *c;) {
    size_t k = 0;
    while (k < DV_COUNT(words) && !dv_starts_with(c, words[k][0])) k++;
    if (k < DV_COUNT(words)) dv_text_add(&out, words[k][1]), c += strlen(words[k][0]);
    else dv_text_add_n(&out, c++, 1);
  }
  dv_free(place), dv_free(pull);
  return dv_text_take(&out);
}

json_t *dv_view_presets(void)
{
  json_t *list = json_array();
  for (size_t i = 0; i < DV_COUNT(presets); i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", presets[i].name, "title", presets[i].title, "help",
                                          presets[i].help));
  return list;
}

json_t *dv_view_add_body(dvSession *s, const char *xml, double size, const char *what)
{
  json_t *error = NULL;
  dvDocument *d = &s->editing->document;
  int root = dv_edit_tag(s, &s->scene->root->base, &error);
  if (root < 0) return error;
  dvText more = {0};
  add_surroundings(s, size, &more);
  dv_edit_begin(s, "%s", what);
  dvSpan place;
  if (more.length) {
    more.text[more.length - 1] = 0;
    char *text = dv_document_insertion(d, root, dv_document_child(d, root, -1), more.text, &place);
    dv_edit_replace(s, place, text);
    dv_free(text);
  }
  dv_text_free(&more);
  char *text = dv_document_insertion(d, root, -1, xml, &place);
  int number = d->tags.data[root].last;
  dv_edit_replace(s, place, text);
  dv_free(text);
  error = dv_edit_commit(s, DV_EDIT_ANY);
  if (error) return error;
  json_t *answer = dv_view_ok();
  for (size_t i = 0; i < s->editing->origins.count; i++) {
    if ((int)s->editing->origins.data[i].tag != number) continue;
    char *path = dv_object_path(s->editing->origins.data[i].object);
    dv_view_put_text(answer, "path", path);
    dv_free(path);
  }
  return answer;
}

// Whether no body has a part of its box in this one.
static bool is_free(const dvSession *s, const double low[3], const double high[3])
{
  const dvPlan *p = s->ready ? s->scene->plan : NULL;
  for (size_t i = 0; p && i < p->states.count; i++) {
    const dvState *state = dv_state(p->states.data[i]);
    const dvDof *dof = state->base.dof;
    const double *x = dv_state_read(state, DV_X);
    double l[3] = {INFINITY, INFINITY, INFINITY}, h[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t n = 0; dof->space == 3 && n < state->count; n++) {
      double point[3];
      dv_dof_point(dof, x + n * (size_t)dof->coord, point);
      for (int k = 0; k < 3; k++) l[k] = fmin(l[k], point[k]), h[k] = fmax(h[k], point[k]);
    }
    bool apart = !(l[0] <= h[0]);
    for (int k = 0; k < 3; k++) apart = apart || l[k] > high[k] || h[k] < low[k];
    if (!apart) return false;
  }
  return true;
}

// A body stands beside those that are there: in the middle, or as many of its widths to the right or left as it takes.
static dvVec3 free_place(const dvSession *s, const Preset *p)
{
  enum { TRIES = 41 };
  for (int i = 0; i < TRIES && p->half > 0; i++) {
    double x = 2.1 * p->half * (i % 2 ? (i + 1) / 2 : -(i / 2)), low[3] = {x - p->half, p->height - p->tall, -p->half},
           high[3] = {x + p->half, p->height + p->tall, p->half};
    if (is_free(s, low, high)) return (dvVec3){x, p->height, 0};
  }
  return (dvVec3){0, p->height, 0};
}

json_t *dv_view_add_preset(dvSession *s, const char *name)
{
  json_t *error = dv_edit_refusal(s);
  if (error) return error;
  const Preset *p = NULL;
  for (size_t i = 0; i < DV_COUNT(presets); i++)
    if (dv_same(presets[i].name, name)) p = &presets[i];
  if (!p) return dv_view_error("`library` lists them", "there is no preset '%.60s'", name);
  char *free_name = dv_edit_free_name(s, "/", p->node);
  char *what = dv_format("add %s", free_name), *xml = filled(p, free_name, free_place(s, p));
  json_t *answer = dv_view_add_body(s, xml, p->touches, what);
  dv_free(what), dv_free(xml), dv_free(free_name);
  return answer;
}
