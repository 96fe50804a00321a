// What the few settings do that do something: plugins that a scene asks for, data directories, and the collision
// pipeline, which says that there are no contacts yet.
#include "base/file.h"
#include "control/settings.h"
#include "scene/node.h"

#include <string.h>
#include <sys/stat.h>

// --- RequiredPlugin --------------------------------------------------------------------------------------

// Modules and plugins of SOFA whose components are built in, or are known to be absent and reported by name. Those of
// today all start with "Sofa."; these are the older and the separate ones.
static const char known_plugins[] =
    "SofaBase SofaCommon SofaGeneral SofaAdvanced SofaMisc SofaFramework SofaBaseCollision SofaBaseLinearSolver SofaBaseMechanics "
    "SofaBaseTopology SofaBaseUtils SofaBaseVisual SofaEigen2Solver SofaBoundaryCondition SofaConstraint SofaDeformable SofaEngine "
    "SofaExplicitOdeSolver SofaGeneralAnimationLoop SofaGeneralDeformable SofaGeneralEngine SofaGeneralExplicitOdeSolver "
    "SofaGeneralImplicitOdeSolver SofaGeneralLinearSolver SofaGeneralLoader SofaGeneralMeshCollision SofaGeneralObjectInteraction "
    "SofaGeneralRigid SofaGeneralSimpleFem SofaGeneralTopology SofaGeneralVisual SofaGraphComponent SofaHaptics "
    "SofaImplicitOdeSolver SofaLoader SofaMeshCollision SofaMiscCollision SofaMiscEngine SofaMiscExtra SofaMiscFem "
    "SofaMiscForceField SofaMiscMapping SofaMiscSolver SofaMiscTopology SofaNonUniformFem SofaObjectInteraction SofaOpenglVisual "
    "SofaPreconditioner SofaRigid SofaSimpleFem SofaSparseSolver SofaTopologyMapping SofaUserInteraction SofaValidation "
    "SofaVolumetricData SofaDenseSolver SofaCore SofaExporter SofaGuiCommon SofaGuiQt SofaLagrangianSolver ArticulatedSystemPlugin "
    "CImgPlugin SofaCImg CollisionOBBCapsule MultiThreading SofaCarving SofaCUDA SofaDistanceGrid SofaEulerianFluid SofaGLFW "
    "SofaHighOrder SofaImGui SofaImplicitField SofaMatrix SofaMatrix.Qt SofaMJEDFEM SofaNewmat SofaPython SofaPython3 SofaSphFluid "
    "BeamAdapter Cosserat DiffusionSolver ExternalBehaviorModel Geomagic image InvertibleFVM LeapMotion ManifoldTopologies "
    "ManualMapping MeshSTEPLoader OptiTrackNatNet PersistentContact PluginExample Registration Regression SceneChecking Sensable "
    "SensableEmulation SoftRobots SoftRobots.Inverse STLIB VolumetricRendering Xitact Compliant Flexible InfinyToolkit CGALPlugin "
    "ModelOrderReduction";

static bool is_known(const dvContext *c, const char *name)
{
  return dv_starts_with(name, "Sofa.") || dv_list_has(known_plugins, name) || dv_registry_knows_module(&c->registry, name);
}

static void check_plugin(const dvObject *o, const char *name)
{
  if (*name && !is_known(o->context, name))
    dv_warning(o, "components that it would bring are reported where they are used", "the plugin %s is not known", name);
}

dvStatus dv_required_plugin_init(dvObject *o)
{
  const dvStrings *names = dv_object_field(o, "pluginName")->value;
  if (names->count == 0) check_plugin(o, dv_attribute_find(&o->attributes, "name") ? o->name : "");
  for (size_t i = 0; i < names->count; i++) check_plugin(o, names->data[i]);
  return DV_OK;
}

// --- directories -----------------------------------------------------------------------------------------

// while the scene is read, so that every component finds its files
dvStatus dv_add_data_repository_parse(dvObject *o, dvAttributes *a)
{
  DV_UNUSED(a);
  const char *path = *(char *const *)dv_object_field(o, "path")->value;
  if (!*path) return DV_OK;
  char *beside = o->place.file && path[0] != '/' ? dv_path_directory(o->place.file) : dv_strdup("");
  char *full = dv_path_join(beside, path);
  struct stat info;
  if (stat(full, &info) != 0 || !S_ISDIR(info.st_mode))
    dv_warning(o, "paths are relative to the scene file", "there is no directory %s", full);
  else dv_context_add_data_path(o->context, full);
  dv_free(full);
  dv_free(beside);
  return DV_OK;
}

dvStatus dv_add_plugin_repository_init(dvObject *o)
{
  dv_note(o, "directories with SOFA's plugins are not used");
  return DV_OK;
}

// --- collision pipeline ------------------------------------------------------------------------------------

typedef struct Counter {
  dvVisitor visitor;
  size_t models;
  bool self;
} Counter;

static dvWalk count_models(dvVisitor *v, dvNode *node)
{
  Counter *c = (Counter *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (!dv_plays(o, DV_ROLE_COLLISION_MODEL)) continue;
    const dvField *self = dv_object_field(o, "selfCollision");
    c->models++;
    c->self = c->self || (self && *(const bool *)self->value);
  }
  return DV_WALK_ON;
}

dvStatus dv_collision_pipeline_init(dvObject *o)
{
  Counter c = {.visitor = {.top_down = count_models, .everything = true}};
  dv_visit(o->node->scene->root, &c.visitor);
  if (c.models > 1 || c.self)
    dv_warning(o, "bodies pass through each other; everything else is simulated",
               "this version computes no contacts (collision models in the scene: %zu)", c.models);
  return DV_OK;
}
