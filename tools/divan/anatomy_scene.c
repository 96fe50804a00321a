// divan anatomy: writes meshes and the scene. One node for all organs, with one solver, so that ligaments and contacts
// couple them; below each organ its surface (contacts, capsule), its vessels, parts and looks.
#include "anatomy.h"

#include "base/file.h"
#include "io/mesh/write_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- meshes --------------------------------------------------------------------------------------

static int write_one(const Options *o, const char *name, const char *ending, const dvMesh *mesh)
{
  char *file = dv_format("%s%s", name, ending), *path = dv_path_join(o->out, file);
  dvMeshError error = {0};
  dvStatus status = dv_mesh_write(path, mesh, NULL, &error);
  if (status != DV_OK) fprintf(stderr, "divan anatomy: error: %s: %s\n", path, error.text);
  dv_free(path);
  dv_free(file);
  return (int)status;
}

// what is finer than a hundred thousandth of a cell says nothing, and makes long files
static void round_points(double *x, size_t count, double cell)
{
  double step = pow(10, floor(log10(cell)) - 5);
  for (size_t i = 0; i < count; i++) x[i] = rint(x[i] / step) * step;
}

static int write_meshes(const Options *o, Thing *t, double cell)
{
  round_points(t->skin.x.data, t->skin.x.count, cell);
  round_points(t->x.data, t->x.count, cell);
  dvMesh skin = {.positions = {t->skin.x.data, t->skin.x.count, 0},
                 .triangles = {t->skin.triangles.data, t->skin.triangles.count, 0}};
  int status = write_one(o, t->name, ".obj", &skin);
  if (status) return status;
  if (t->bone > 0 || t->is_part) return 0;
  if (is_organ(t)) {
    dvMesh body = {.positions = {t->x.data, t->x.count, 0}, .tetrahedra = {t->tetrahedra.data, t->tetrahedra.count, 0}};
    return write_one(o, t->name, ".msh", &body);
  }
  // the centreline, for other programs
  dvMesh line = {0};
  for (size_t i = 0; i < t->vessels.branches.count; i++) {
    const dvVesselBranch *b = &t->vessels.branches.data[i];
    for (int32_t k = 0; k < b->count; k++) {
      dvVec3 x = t->vessels.points.data[b->first + k].x;
      int32_t number = (int32_t)(line.positions.count / 3);
      dv_push(&line.positions, x.x), dv_push(&line.positions, x.y), dv_push(&line.positions, x.z);
      if (k) dv_push(&line.edges, number - 1), dv_push(&line.edges, number);
    }
  }
  status = write_one(o, t->name, "-centreline.vtk", &line);
  dv_mesh_free(&line);
  return status;
}

// --- the scene -----------------------------------------------------------------------------------

static void add_number(dvText *s, double value)
{
  char text[32];
  dv_snprintf(text, sizeof text, "%.6g", value);
  dv_text_add(s, text);
}

static void add_numbers(dvText *s, const char *name, const double *values, size_t count)
{
  dv_text_printf(s, " %s=\"", name);
  for (size_t i = 0; i < count; i++) {
    if (i) dv_text_add(s, i % 70 ? " " : "\n        ");
    add_number(s, values[i]);
  }
  dv_text_add(s, "\"");
}

static void add_indices(dvText *s, const char *name, const int32_t *values, size_t count, size_t step)
{
  dv_text_printf(s, " %s=\"", name);
  for (size_t i = 0; i < count; i += step) dv_text_printf(s, i ? " %d" : "%d", values[i]);
  dv_text_add(s, "\"");
}

// a box around the tenth of the organ on one side
static void add_hold(dvText *s, const Thing *t, bool contacts)
{
  if (dv_same(t->hold, "none")) return;
  double box[6];
  for (size_t k = 0; k < 3; k++) {
    box[k] = INFINITY, box[3 + k] = -INFINITY;
    for (size_t i = k; i < t->x.count; i += 3)
      box[k] = fmin(box[k], t->x.data[i]), box[3 + k] = fmax(box[3 + k], t->x.data[i]);
  }
  if (!dv_same(t->hold, "all")) {
    int k = t->hold[1] - 'x';
    double side = box[3 + k] - box[k];
    if (t->hold[0] == '+') box[k] = box[3 + k] - 0.1 * side;
    else box[3 + k] = box[k] + 0.1 * side;
  }
  for (int k = 0; k < 3; k++) box[k] -= 1e-6, box[3 + k] += 1e-6;
  dv_text_add(s, "      <BoxROI name=\"held\"");
  add_numbers(s, "box", box, 6);
  if (!contacts) {
    dv_text_add(s, "/>\n      <FixedProjectiveConstraint indices=\"@held.indices\"/>\n");
    return;
  }
  // stiff springs: a contact between points that cannot move at all could not be answered
  dv_text_add(s, "/>\n      <RestShapeSpringsForceField name=\"hold\" points=\"@held.indices\" stiffness=\"");
  add_number(s, 10 * t->young * t->cell);
  dv_text_add(s, "\"/>\n");
}

static void add_surface(dvText *s, const Thing *t, bool contacts)
{
  if (!contacts && !(t->capsule > 0)) return;
  dv_text_add(s, "      <Node name=\"Surface\">\n"
                 "        <TriangleSetTopologyContainer name=\"triangles\"/>\n"
                 "        <TriangleSetTopologyModifier/>\n"
                 "        <TriangleSetGeometryAlgorithms/>\n"
                 "        <Tetra2TriangleTopologicalMapping input=\"@../tetrahedra\" output=\"@triangles\"/>\n");
  if (t->capsule > 0) {
    dv_text_add(
        s, "        <TriangularFEMForceField name=\"capsule\" method=\"large\" poissonRatio=\"0.3\" youngModulus=\"");
    add_number(s, t->capsule);
    // a membrane of this stiffness and a hundredth of a cell resists bending so much
    dv_text_add(s, "\"/>\n        <FastTriangularBendingSprings name=\"stiffness\" bendingStiffness=\"");
    add_number(s, t->capsule * 1e-4 * t->cell * t->cell);
    dv_text_add(s, "\"/>\n");
  }
  if (contacts)
    dv_text_add(s,
                "        <TriangleCollisionModel/>\n        <LineCollisionModel/>\n        <PointCollisionModel/>\n");
  dv_text_add(s, "      </Node>\n");
}

static void add_vessels(dvText *s, const Thing *t)
{
  dv_text_printf(s, "      <Node name=\"%s\">\n        <MechanicalObject name=\"frames\" template=\"Rigid3\"", t->name);
  add_numbers(s, "position", t->beams.frames.data, t->beams.frames.count);
  dv_text_add(s, "/>\n        <EdgeSetTopologyContainer name=\"beams\"");
  add_indices(s, "edges", t->beams.edges.data, t->beams.edges.count, 1);
  dv_text_add(s, "/>\n        <EdgeSetTopologyModifier/>\n"
                 "        <BarycentricMapping input=\"@../dofs\" output=\"@frames\"/>\n"
                 "        <BeamFEMForceField name=\"walls\" poissonRatio=\"");
  add_number(s, t->poisson);
  dv_text_add(s, "\" youngModulus=\"");
  add_number(s, t->young);
  dv_text_add(s, "\"");
  add_numbers(s, "radius", t->beams.radius.data, t->beams.radius.count);
  double *inner = dv_alloc(t->beams.radius.count * sizeof *inner + 1);
  for (size_t i = 0; i < t->beams.radius.count; i++) inner[i] = (1 - t->wall) * t->beams.radius.data[i];
  add_numbers(s, "radiusInner", inner, t->beams.radius.count);
  dv_free(inner);
  dv_text_add(s, "/>\n        <VesselCutter name=\"cutter\" organ=\"@../tetrahedra\"/>\n      </Node>\n");
}

static void add_looks(dvText *s, const Thing *t, double alpha)
{
  dv_text_printf(s,
                 "      <Node name=\"%s-look\">\n"
                 "        <MeshOBJLoader name=\"loader\" filename=\"%s.obj\"/>\n"
                 "        <OglModel name=\"look\" src=\"@loader\" color=\"%g %g %g %g\"/>\n"
                 "        <BarycentricMapping input=\"@../dofs\" output=\"@look\"/>\n"
                 "      </Node>\n",
                 t->name, t->name, t->colour[0], t->colour[1], t->colour[2], alpha);
}

static double material_of(const Thing *t, size_t member) { return *(const double *)((const char *)t + member); }

// One number when all tetrahedra have the same, else one for each. Are they several?
static bool add_material(dvText *s, const Plan *p, const Thing *t, const char *name, size_t member)
{
  double own = material_of(t, member);
  bool several = false;
  for (size_t i = 0; i < t->part.count; i++)
    several |= t->part.data[i] >= 0 && material_of(&p->things[t->part.data[i]], member) != own;
  if (!several) {
    add_numbers(s, name, &own, 1);
    return false;
  }
  double *list = dv_alloc(t->part.count * sizeof *list);
  for (size_t i = 0; i < t->part.count; i++)
    list[i] = t->part.data[i] < 0 ? own : material_of(&p->things[t->part.data[i]], member);
  add_numbers(s, name, list, t->part.count);
  dv_free(list);
  return true;
}

// lumped in the same way, but that densities of elements may differ
static void add_tissue(dvText *s, const Plan *p, const Thing *t)
{
  dvText density = {0};
  bool several = add_material(&density, p, t, "massDensity", offsetof(Thing, density));
  dv_text_printf(s, "      <%s%s/>\n", several ? "MeshMatrixMass lumping=\"1\"" : "DiagonalMass", density.text);
  dv_text_free(&density);
  dv_text_add(s, "      <TetrahedralCorotationalFEMForceField name=\"tissue\"");
  add_material(s, p, t, "youngModulus", offsetof(Thing, young));
  add_material(s, p, t, "poissonRatio", offsetof(Thing, poisson));
  dv_text_add(s, " method=\"large\"/>\n");
}

static void add_organ(dvText *s, const Plan *p, const Thing *t, bool contacts)
{
  bool translucent = false;
  dv_text_printf(s,
                 "    <Node name=\"%s\">\n"
                 "      <MeshGmshLoader name=\"mesh\" filename=\"%s.msh\"/>\n"
                 "      <TetrahedronSetTopologyContainer name=\"tetrahedra\" src=\"@mesh\"/>\n"
                 "      <TetrahedronSetTopologyModifier/>\n"
                 "      <TetrahedronSetGeometryAlgorithms/>\n"
                 "      <MechanicalObject name=\"dofs\" src=\"@mesh\"/>\n",
                 t->name, t->name);
  add_tissue(s, p, t);
  add_hold(s, t, contacts);
  dv_text_printf(s, "      <MeshParts name=\"parts\"%s/>\n", dv_same(t->hold, "none") ? "" : " kept=\"@held.indices\"");
  for (size_t i = 0; i < p->count; i++) {
    const Thing *v = &p->things[i];
    if (is_organ(v) || !lies_in(v, t)) continue;
    translucent = true;
    if (v->is_vessel) add_vessels(s, v);
    add_looks(s, v, 1);
  }
  add_surface(s, t, contacts);
  add_looks(s, t, translucent ? 0.45 : 1);
  dv_text_add(s, "    </Node>\n");
}

// it stands beside the bodies that move, and others touch it
static void add_bone(dvText *s, const Plan *p, const Thing *t, bool contacts)
{
  bool tied = false;
  for (size_t i = 0; i < p->ligament_count; i++) tied |= dv_same(p->ligaments[i].to, t->name);
  dv_text_printf(s,
                 "  <Node name=\"%s\">\n"
                 "    <MeshOBJLoader name=\"mesh\" filename=\"%s.obj\"/>\n"
                 "    <TriangleSetTopologyContainer name=\"triangles\" src=\"@mesh\"/>\n"
                 "    <MechanicalObject name=\"dofs\" src=\"@mesh\"/>\n",
                 t->name, t->name);
  if (tied)   // what pulls at it finds it held
    dv_text_add(s, "    <EulerImplicitSolver/>\n    <CGLinearSolver iterations=\"1\" tolerance=\"1e-9\" "
                   "threshold=\"1e-9\"/>\n    <UniformMass totalMass=\"1\"/>\n"
                   "    <FixedProjectiveConstraint fixAll=\"1\"/>\n");
  if (contacts)
    dv_text_add(s, "    <TriangleCollisionModel moving=\"0\" simulated=\"0\"/>\n"
                   "    <LineCollisionModel moving=\"0\" simulated=\"0\"/>\n"
                   "    <PointCollisionModel moving=\"0\" simulated=\"0\"/>\n");
  dv_text_printf(s, "    <OglModel src=\"@mesh\" color=\"%g %g %g 1\"/>\n  </Node>\n", t->colour[0], t->colour[1],
                 t->colour[2]);
}

static void add_ligament(dvText *s, const Ligament *l, bool to_bone)
{
  size_t springs = l->lengths.count;
  dv_text_printf(
      s, "    <SpringForceField name=\"ligament-%s-%s\" object1=\"@%s/dofs\" object2=\"@%s%s/dofs\" stiffness=\"",
      l->from, l->to, l->from, to_bone ? "../" : "", l->to);
  add_number(s, l->stiffness / (double)springs);
  dv_text_add(s, "\" damping=\"");
  add_number(s, 0.01 * l->stiffness / (double)springs);
  dv_text_add(s, "\"");
  add_indices(s, "springsIndices1", l->pairs.data, l->pairs.count, 2);
  add_indices(s, "springsIndices2", l->pairs.data + 1, l->pairs.count - 1, 2);
  add_numbers(s, "lengths", l->lengths.data, springs);
  dv_text_add(s, " elongationOnly=\"1\"/>\n");   // a ligament only pulls
}

static void add_contacts(dvText *s, double gap)
{
  dv_text_add(s, "  <FreeMotionAnimationLoop/>\n"
                 "  <BlockGaussSeidelConstraintSolver maxIterations=\"200\" tolerance=\"1e-4\"/>\n"
                 "  <CollisionPipeline/>\n  <BruteForceBroadPhase/>\n  <BVHNarrowPhase/>\n"
                 "  <LocalMinDistance angleCone=\"0.05\" alarmDistance=\"");
  add_number(s, gap);
  dv_text_add(s, "\" contactDistance=\"");
  add_number(s, 0.3 * gap);
  dv_text_add(s, "\"/>\n  <CollisionResponse response=\"FrictionContactConstraint\" responseParams=\"mu=0.1\"/>\n");
}

static bool is_anchor(const Thing *t) { return is_organ(t) && (t->bone > 0 || !dv_same(t->hold, "none")); }

// organs that are neither held nor tied, over others or not, to what is held
static void tell_falling(Plan *p)
{
  bool safe[MOST_THINGS], changed = true;
  dvText list = {0};
  for (size_t i = 0; i < p->count; i++) safe[i] = is_anchor(&p->things[i]);
  while (changed) {
    changed = false;
    for (size_t i = 0; i < p->ligament_count; i++) {
      ptrdiff_t a = plan_find(p, p->ligaments[i].from) - p->things, b = plan_find(p, p->ligaments[i].to) - p->things;
      changed |= safe[a] != safe[b];
      safe[a] = safe[b] = safe[a] || safe[b];
    }
  }
  for (size_t i = 0; i < p->count; i++)
    if (is_organ(&p->things[i]) && !safe[i]) dv_text_printf(&list, "%s%s", list.length ? ", " : "", p->things[i].name);
  if (list.length)
    fprintf(stderr, "divan anatomy: warning: nothing holds %s, which will fall: say hold= or ligament=\n", list.text);
  dv_text_free(&list);
}

static void add_scene(dvText *s, Plan *p, const Options *o)
{
  size_t organs = 0;
  bool held = false;
  double finest = INFINITY;
  size_t moving = 0;
  for (size_t i = 0; i < p->count; i++) {
    const Thing *t = &p->things[i];
    if (!is_organ(t)) continue;
    organs++;
    moving += !(t->bone > 0);
    held |= !dv_same(t->hold, "none") && !(t->bone > 0);
    finest = fmin(finest, t->cell);
  }
  bool contacts = organs > 1 && moving;
  if (!held)
    fprintf(stderr, "divan anatomy: warning: no organ is held (hold=+y and the like): the scene has no gravity\n");
  else tell_falling(p);
  dv_text_printf(s,
                 "<?xml version=\"1.0\"?>\n<!-- Made by divan anatomy from %s. Metres, kilograms, seconds. -->\n"
                 "<Node name=\"root\" gravity=\"0 %s 0\" dt=\"0.02\">\n",
                 dv_path_name(o->scene), held ? "-9.81" : "0");
  if (contacts) add_contacts(s, p->gap > 0 ? p->gap : 0.1 * finest);
  else dv_text_add(s, "  <DefaultAnimationLoop/>\n");
  dv_text_add(s, "  <VisualStyle displayFlags=\"showVisualModels\"/>\n");
  for (size_t i = 0; i < p->count; i++)
    if (p->things[i].bone > 0) add_bone(s, p, &p->things[i], contacts);
  if (!moving) {
    dv_text_add(s, "</Node>\n");
    return;
  }
  dv_text_add(s, "  <Node name=\"Body\">\n"
                 "    <EulerImplicitSolver rayleighStiffness=\"0.05\" rayleighMass=\"0.1\"/>\n");
  dv_text_add(
      s, contacts ? "    <SparseLDLSolver/>\n    <GenericConstraintCorrection/>\n"
                  : "    <PCGLinearSolver name=\"solver\" iterations=\"100\" tolerance=\"1e-5\" criterion=\"residual\" "
                    "preconditioner=\"@factor\"/>\n"
                    "    <AsyncSparseLDLSolver name=\"factor\"/>\n");
  for (size_t i = 0; i < p->count; i++)
    if (is_organ(&p->things[i]) && !(p->things[i].bone > 0)) add_organ(s, p, &p->things[i], contacts);
  for (size_t i = 0; i < p->ligament_count; i++)
    add_ligament(s, &p->ligaments[i], plan_find(p, p->ligaments[i].to)->bone > 0);
  dv_text_add(s, "  </Node>\n</Node>\n");
}

// a scene that somebody may have edited stays beside the new one
static void keep_old(const char *path, const dvText *s)
{
  char *before = dv_file_is_regular(path) ? dv_file_read(path, NULL) : NULL, *old = dv_format("%s.old", path);
  if (before && !dv_same(before, s->text) && rename(path, old) == 0)
    printf("%s: the scene that was there is kept\n", old);
  dv_free(before);
  dv_free(old);
}

int scene_write(Plan *p, const Options *o)
{
  for (size_t i = 0; i < p->count; i++) {
    Thing *t = &p->things[i];
    int status = write_meshes(o, t, is_organ(t) ? t->cell : plan_find(p, t->inside)->cell);
    if (status) return status;
  }
  dvText s = {0};
  add_scene(&s, p, o);
  char *path = dv_path_join(o->out, "scene.scn");
  keep_old(path, &s);
  dvStatus status = dv_file_replace(path, s.text, s.length);
  if (status != DV_OK) cannot_write(path);
  else printf("%s\n", path);
  dv_free(path);
  dv_text_free(&s);
  return (int)status;
}
