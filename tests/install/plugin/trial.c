// The plugin Trial: one component of each kind.
#include <divan/sdk/plugin.h>

extern const dvClass trial_solver_class, trial_integrator_class, trial_constraint_class, trial_model_class,
    trial_follower_class;

DV_PLUGIN("Trial", "1.0", "one component of each kind", &trial_solver_class, &trial_integrator_class,
          &trial_constraint_class, &trial_model_class, &trial_follower_class)
