// Rows of settings.h. What a program is told about files, messages, threads and statistics.
#include "control/settings/settings.h"

#define SETTING_MODULE "Sofa.Component.Setting"

static const char threads[] = "nbThreads int = 0 | wished number of threads; the command's --threads decides\n"
                              "taskSchedulerType string = _default | kind of task scheduler\n";

static const dvSettingRow rows[] = {
    {"AddDataRepository", "AddResourceRepository", "Sofa.Component.SceneUtility", DV_ROLE_SETTING,
     "adds a directory in which files are looked for", "path file | directory, relative to the scene file\n", NULL,
     dv_add_data_repository_parse, NULL},
    {"AddPluginRepository", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING,
     "names a directory with plugins, which is not used: the command line names them", "path file | directory\n", NULL,
     NULL, dv_add_plugin_repository_init},
    {"APIVersion", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING, "the version of SOFA a scene was written for",
     "level string = 26.12.99 | version\n", NULL, NULL, NULL},
    {"InfoComponent", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING, "a remark in a scene", "", NULL, NULL,
     NULL},
    {"MessageHandlerComponent", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING,
     "how messages are shown; here they go to the terminal", "handler string | kind of handler\n", NULL, NULL, NULL},
    {"PlasticMaterial", NULL, "Sofa.Component.SolidMechanics.FEM.HyperElastic", DV_ROLE_SETTING,
     "elastic constants for others to link to; no force field looks for it, in SOFA neither",
     "poissonRatio real = 0.45 | Poisson's ratio\n"
     "youngModulus real = 3000 | Young's modulus [Pa]\n",
     NULL, NULL, NULL},
    {"TaskSchedulerSettings", NULL, "Sofa.Simulation.Core", DV_ROLE_SETTING, "wishes for the worker threads", threads,
     NULL, NULL, NULL},
    {"SofaDefaultPathSetting", NULL, SETTING_MODULE, DV_ROLE_SETTING, "paths of other programs",
     "gnuplotPath file | where gnuplot writes\n", NULL, NULL, NULL},
    {"StatsSetting", NULL, SETTING_MODULE, DV_ROLE_SETTING, "what the program records",
     "dumpState bool = 0 | write the state of each step\n"
     "logTime bool = 0 | print times\n"
     "exportState bool = 0 | write the state for comparison\n",
     NULL, NULL, NULL},
};
const dvSettingTable dv_program_settings = {rows, DV_COUNT(rows)};
