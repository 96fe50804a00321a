// RequiredPlugin: loads the plugins that a scene asks for, as soon as the reader meets it, so that the components that
// follow are known. The names of SOFA's modules and plugins are silent: what Divan has of them is built in.
#include "control/plugin.h"
#include "scene/node.h"

#include <string.h>

extern const dvClass dv_required_plugin_class;

#define REQUIRED_PLUGIN_FIELDS(X)                                                         \
  X(strings, pluginName, "", "", "plugins; the component's name when none is given")      \
  X(strings, suffixMap, "", "", "accepted: endings of plugin files")                      \
  X(bool, stopAfterFirstNameFound, "0", "", "accepted: one plugin of the list is enough") \
  X(bool, stopAfterFirstSuffixFound, "1", "", "accepted: one ending is enough")           \
  X(bool, requireOne, "0", "", "accepted: at least one plugin must exist")                \
  X(bool, requireAll, "1", "", "accepted: all plugins must exist")                        \
  X(strings, loadedPlugins, "", "", "plugins that were found", .flags = DV_OUTPUT)

typedef struct RequiredPlugin {
  dvObject base;
  REQUIRED_PLUGIN_FIELDS(DV_MEMBER)
} RequiredPlugin;

#define SELF RequiredPlugin
static const dvFieldDesc required_plugin_fields[] = {REQUIRED_PLUGIN_FIELDS(DV_DESCRIBE)};
#undef SELF

// Modules and plugins of SOFA whose components are built in, or are known to be absent and reported by name. Those of
// today all start with "Sofa."; these are the older and the separate ones.
static const char known_plugins[] =
    "SofaBase SofaCommon SofaGeneral SofaAdvanced SofaMisc SofaFramework SofaBaseCollision SofaBaseLinearSolver "
    "SofaBaseMechanics "
    "SofaBaseTopology SofaBaseUtils SofaBaseVisual SofaEigen2Solver SofaBoundaryCondition SofaConstraint "
    "SofaDeformable SofaEngine "
    "SofaExplicitOdeSolver SofaGeneralAnimationLoop SofaGeneralDeformable SofaGeneralEngine "
    "SofaGeneralExplicitOdeSolver "
    "SofaGeneralImplicitOdeSolver SofaGeneralLinearSolver SofaGeneralLoader SofaGeneralMeshCollision "
    "SofaGeneralObjectInteraction "
    "SofaGeneralRigid SofaGeneralSimpleFem SofaGeneralTopology SofaGeneralVisual SofaGraphComponent SofaHaptics "
    "SofaImplicitOdeSolver SofaLoader SofaMeshCollision SofaMiscCollision SofaMiscEngine SofaMiscExtra SofaMiscFem "
    "SofaMiscForceField SofaMiscMapping SofaMiscSolver SofaMiscTopology SofaNonUniformFem SofaObjectInteraction "
    "SofaOpenglVisual "
    "SofaPreconditioner SofaRigid SofaSimpleFem SofaSparseSolver SofaTopologyMapping SofaUserInteraction "
    "SofaValidation "
    "SofaVolumetricData SofaDenseSolver SofaCore SofaExporter SofaGuiCommon SofaGuiQt SofaLagrangianSolver "
    "ArticulatedSystemPlugin "
    "CImgPlugin SofaCImg CollisionOBBCapsule MultiThreading SofaCarving SofaCUDA SofaDistanceGrid SofaEulerianFluid "
    "SofaGLFW "
    "SofaHighOrder SofaImGui SofaImplicitField SofaMatrix SofaMatrix.Qt SofaMJEDFEM SofaNewmat SofaPython SofaPython3 "
    "SofaSphFluid "
    "BeamAdapter Cosserat DiffusionSolver ExternalBehaviorModel Geomagic image InvertibleFVM LeapMotion "
    "ManifoldTopologies "
    "ManualMapping MeshSTEPLoader OptiTrackNatNet PersistentContact PluginExample Registration Regression "
    "SceneChecking Sensable "
    "SensableEmulation SoftRobots SoftRobots.Inverse STLIB VolumetricRendering Xitact Compliant Flexible InfinyToolkit "
    "CGALPlugin "
    "ModelOrderReduction";

static bool is_built_in(const dvContext *c, const char *name)
{
  return dv_starts_with(name, "Sofa.") || dv_list_has(known_plugins, name) ||
         dv_registry_knows_module(&c->registry, name);
}

static void require(dvObject *o, const char *name)
{
  dvContext *c = o->context;
  if (is_built_in(c, name) || dv_plugin_is_loaded(c, name)) return;
  dvText why = {0}, advice = {0};
  char *path = dv_plugin_find(c, name);
  if (!path)
    dv_warning(o, "load it with --plugin FILE, or name its directory with --plugin-path or in DIVAN_PLUGIN_PATH",
               "the plugin %s is not known", name);
  else if (dv_plugin_load(c, name, &why, &advice) != DV_OK) dv_error(o, advice.text, "%s", why.text);
  dv_free(path);
  dv_text_free(&why);
  dv_text_free(&advice);
}

// the names as the file has them: fields are read later
static void names_of(const dvObject *o, dvStrings *out)
{
  const dvAttribute *list = dv_attribute_find(&o->attributes, "pluginName"),
                    *own = dv_attribute_find(&o->attributes, "name");
  const char *cursor = list ? list->value : "", *word;
  for (size_t n; dv_scan_word(&cursor, &word, &n);) dv_strings_push(out, word, n);
  if (out->count == 0 && own && *own->value) dv_strings_push(out, own->value, strlen(own->value));
}

static dvStatus required_plugin_arrive(dvObject *o)
{
  dvStrings names = {0};
  names_of(o, &names);
  for (size_t i = 0; i < names.count; i++) require(o, names.data[i]);
  dv_strings_free(&names);
  return o->failed ? DV_ERROR_INPUT : DV_OK;
}

static dvStatus required_plugin_init(dvObject *o)
{
  RequiredPlugin *r = (RequiredPlugin *)o;
  dvStrings names = {0};
  names_of(o, &names);
  dv_strings_free(&r->loadedPlugins);
  for (size_t i = 0; i < names.count; i++)
    if (is_built_in(o->context, names.data[i]) || dv_plugin_is_loaded(o->context, names.data[i]))
      dv_strings_push(&r->loadedPlugins, names.data[i], strlen(names.data[i]));
  dv_strings_free(&names);
  return DV_OK;
}

const dvClass dv_required_plugin_class = {
    .struct_size = sizeof(dvClass),
    .name = "RequiredPlugin",
    .help = "names plugins that a scene needs and loads them; those of SOFA are built in",
    .module = "Sofa.Simulation.Core",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(RequiredPlugin),
    .blocks = {&dv_object_block, DV_BLOCK(required_plugin_fields)},
    .arrive = required_plugin_arrive,
    .init = required_plugin_init,
};
