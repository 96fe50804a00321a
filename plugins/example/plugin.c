// The plugin Example: what it is called and which components it brings.
#include <divan/sdk/plugin.h>

extern const dvClass example_force_class, example_engine_class;

DV_PLUGIN("Example", "1.0", "a wind that carries points along, and waves on a surface", &example_force_class,
          &example_engine_class)
