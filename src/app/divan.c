// The list of rooms whose components exist. See divan.h.
#include "app/divan.h"

#include "anatomy/register.h"
#include "app/renames.h"
#include "collision/register.h"
#include "constraint/register.h"
#include "control/plugin.h"
#include "control/register.h"
#include "distributed/register.h"
#include "engine/register.h"
#include "fluid/register.h"
#include "force/diffusion/register.h"
#include "force/fem/register.h"
#include "force/load/register.h"
#include "force/spring/register.h"
#include "haptic/register.h"
#include "heart/register.h"
#include "instrument/register.h"
#include "io/register.h"
#include "lattice/register.h"
#include "linear/register.h"
#include "mapping/register.h"
#include "mass/register.h"
#include "ode/register.h"
#include "robot/register.h"
#include "scene/timer.h"
#include "state/register.h"
#include "topology/register.h"
#include "visual/register.h"

dvContext *dv_divan_create(int threads)
{
  dvContext *c = dv_context_create(threads);
  c->timers = dv_timers_create();
  dv_register_state(&c->registry);
  dv_register_topology(&c->registry);
  dv_register_io(&c->registry);
  dv_register_engine(&c->registry);
  dv_register_mass(&c->registry);
  dv_register_mapping(&c->registry);
  dv_register_linear(&c->registry);
  dv_register_ode(&c->registry);
  dv_register_constraint(&c->registry);
  dv_register_collision(&c->registry);
  dv_register_visual(&c->registry);
  dv_register_control(&c->registry);
  dv_register_fem(&c->registry);
  dv_register_springs(&c->registry);
  dv_register_loads(&c->registry);
  dv_register_diffusion(&c->registry);
  dv_register_instrument(&c->registry);
  dv_register_fluid(&c->registry);
  dv_register_robot(&c->registry);
  dv_register_haptic(&c->registry);
  dv_register_heart(&c->registry);
  dv_register_lattice(&c->registry);
  dv_register_distributed(&c->registry);
  dv_register_anatomy(&c->registry);
  dv_register_renames(&c->registry);
  dv_register_absent(&c->registry);
  return c;
}

dvStatus dv_divan_load_plugin(dvContext *c, const char *name)
{
  dvText why = {0}, advice = {0};
  dvStatus status = dv_plugin_load(c, name, &why, &advice);
  if (status != DV_OK)
    dv_log_send(&c->log, &(dvMessage){.level = DV_ERROR, .status = status, .text = why.text, .advice = advice.text});
  dv_text_free(&why);
  dv_text_free(&advice);
  return status;
}

void dv_divan_destroy(dvContext **context)
{
  if (!*context) return;
  dv_timers_destroy(&(*context)->timers);
  dv_context_destroy(context);
}
