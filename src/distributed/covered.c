// What can be distributed: a list of components, and what they may not be asked for. All else is refused by name before
// the first step. See spread.h.
#include "distributed/spread.h"

#include "mechanics/component.h"
#include "object/field.h"
#include "state/state.h"

#include <string.h>

// by what they do; a component of none of these lists is refused
static const char *const covered =
    " MechanicalObject"
    " MeshGmshLoader MeshVTKLoader MeshLoader MeshTopology TetrahedronSetTopologyContainer "
    "HexahedronSetTopologyContainer TetrahedronSetGeometryAlgorithms HexahedronSetGeometryAlgorithms "
    "TetrahedronSetTopologyModifier HexahedronSetTopologyModifier"
    " EulerImplicitSolver StaticSolver NewmarkImplicitSolver NewtonRaphsonSolver DefaultAnimationLoop"
    " PetscLinearSolver MatrixLinearSystem"
    " TetrahedronFEMForceField TetrahedralCorotationalFEMForceField FastTetrahedralCorotationalForceField "
    "TetrahedronHyperelasticityFEMForceField StandardTetrahedralFEMForceField HexahedronFEMForceField "
    "HexahedralFEMForceField"
    " UniformMass DiagonalMass MeshMatrixMass"
    " ConstantForceField TrianglePressureForceField"
    " FixedProjectiveConstraint PartialFixedProjectiveConstraint FixedPlaneProjectiveConstraint "
    "LinearMovementProjectiveConstraint PartialLinearMovementProjectiveConstraint LinearVelocityProjectiveConstraint"
    " BarycentricMapping OglModel VisualModel MeshOBJLoader MeshSTLLoader"
    " BoxROI SphereROI PlaneROI"
    " RequiredPlugin VisualStyle DefaultVisualManagerLoop BackgroundSetting ViewerSetting InteractiveCamera "
    "DefaultPipeline ";

// lists of one entry a point or element would have to be cut as the mesh is; these are none
static bool is_schedule(const char *field)
{
  return dv_same(field, "keyTimes") || dv_same(field, "movements") || dv_same(field, "velocities") ||
         dv_same(field, "showColor") || dv_same(field, "pluginName") || dv_same(field, "fixedDirections") ||
         dv_same(field, "movedDirections") || dv_same(field, "ParameterSet");
}

static size_t entries_of(const dvField *f)
{
  if (dv_holds_reals(f->desc->type)) return dv_reals_size(f->value);
  if (f->desc->type == DV_T_INTS) return dv_ints_size(f->value);
  return 0;
}

static dvStatus check_lists(dvObject *o)
{
  if (dv_plays(o, DV_ROLE_ENGINE)) return DV_OK;   // places, not points
  for (int i = 0; i < o->field_count; i++) {
    const dvField *f = &o->fields[i];
    const char *name = dv_field_name(f->desc);
    const bool numbers = dv_same(name, "indices") && entries_of(f) > 0;
    if (!f->was_set || f->link || is_schedule(name) || (!numbers && entries_of(f) < 2)) continue;
    return dv_field_error(o, f->value, "choose points by place: a BoxROI, and indices=\"@roi.indices\"",
                          "%s lists points or elements by their numbers, which a distributed run does not know", name);
  }
  return DV_OK;
}

static bool was_set(const dvObject *o, const char *name)
{
  const dvField *f = dv_object_field(o, name);
  return f && f->was_set;
}

// all processes have all points of what a mapping moves
static bool follows_body(const dvObject *o)
{
  for (size_t i = 0; i < o->node->objects.count; i++)
    if (dv_same(o->node->objects.data[i]->cls->name, "BarycentricMapping")) return true;
  return false;
}

static dvStatus check_object(dvObject *o)
{
  const char *name = o->cls->name;
  if (!dv_list_has(covered, name) && dv_plays(o, DV_ROLE_LINEAR_SOLVER))
    return dv_error(o, "use <PetscLinearSolver/> in its place", "%s does not work over several processes", name);
  if (!dv_list_has(covered, name))
    return dv_error(o, "take it out, or run without --distributed; docs/scaling.md lists what is covered",
                    "%s cannot be distributed", name);
  if ((dv_same(name, "DiagonalMass") || dv_same(name, "MeshMatrixMass")) && was_set(o, "totalMass"))
    return dv_error(o, "give massDensity", "totalMass of %s cannot be distributed", name);
  if (dv_same(name, "UniformMass") && (was_set(o, "indices") || was_set(o, "localRange")))
    return dv_error(o, "give all points a mass", "indices of UniformMass cannot be distributed");
  if (dv_same(name, "ConstantForceField") && was_set(o, "totalForce"))
    return dv_error(o, "give `force`, which acts on each point",
                    "totalForce cannot be distributed: no process knows how many points share it");
  if (o->dof && o->dof->kind != DV_VEC3 && dv_plays(o, DV_ROLE_STATE))
    return dv_error(o, "use points (template Vec3)", "only bodies of points can be distributed");
  return follows_body(o) ? DV_OK : check_lists(o);
}

typedef struct Check {
  dvVisitor visitor;
  dvStatus status;
  size_t states;
} Check;

static dvWalk check_node(dvVisitor *v, dvNode *node)
{
  Check *c = (Check *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    const dvStatus status = check_object(o);
    c->states += dv_plays(o, DV_ROLE_STATE) && !follows_body(o);
    if (c->status == DV_OK) c->status = status;
  }
  return DV_WALK_ON;
}

dvStatus dv_spread_check(dvSpread *b)
{
  Check c = {.visitor = {.top_down = check_node, .everything = true}};
  dv_visit(b->scene->root, &c.visitor);
  if (c.status == DV_OK && c.states != 1)
    return dv_error(&b->scene->root->base, "run it without --distributed",
                    "there are %zu states; one body, with one MechanicalObject, can be distributed", c.states);
  return c.status;
}

dvStatus dv_spread_check_cut(dvSpread *b)
{
  dvObject *root = &b->scene->root->base;
  const dvState *s = dv_spread_state(b);
  if (!b->loader)
    return dv_error(root, "read the mesh with a loader: MeshGmshLoader or MeshVTKLoader",
                    "no mesh was cut: a distributed body comes from a mesh file");
  if (!s || s->count != b->parts.points)
    return dv_error(root, "give the MechanicalObject the points of the loader (src or position=\"@loader.position\")",
                    "the state has %zu points and the mesh of this process %zu", s ? s->count : 0, b->parts.points);
  return DV_OK;
}
