// SlicedVolumetricModel: a volume of cells through which one sees a little. SOFA draws n slices across the picture, w/n
// apart, where w is the width of the cells along x at the start, each of which lets 1 - alpha of the light through. A
// way d in the cells crosses n d / w of them, so that exp(-mu d) is seen of what is behind, mu = -ln(1 - alpha) n / w:
// that is drawn here, without the steps between slices.
#include "state/state.h"
#include "topology/topology.h"
#include "visual/register.h"
#include "visual/visual_model.h"

#include <math.h>

#define SLICES_FIELDS(X)                                                                                            \
  X(bool, enable, "1", "", "draw it", .flags = DV_LOOKS)                                                            \
  X(real, alpha, "0.2", "", "how much of the light a slice swallows", .flags = DV_LOOKS, .least = "0", .most = "1") \
  X(color, color, "1 1 1 1", "", "colour", .flags = DV_LOOKS)                                                       \
  X(int, nbSlices, "100", "", "number of slices along the width of the cells", .flags = DV_LOOKS, .least = "1")     \
  X(link, topology, "", "", "the cells; those of the node or above by default", .role = DV_ROLE_TOPOLOGY)

typedef struct Slices {
  dvObject base;
  SLICES_FIELDS(DV_MEMBER)
  double width;   // of the cells along x, at the start
} Slices;

#define SELF Slices
static const dvFieldDesc slices_fields[] = {SLICES_FIELDS(DV_DESCRIBE)};
#undef SELF

static double width_of(const dvState *s)
{
  const double *x = dv_state_read(s, DV_X);
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < s->count; i++) low = fmin(low, x[3 * i]), high = fmax(high, x[3 * i]);
  return high - low;
}

static dvObject *cells_of(dvObject *o)
{
  Slices *s = (Slices *)o;
  return s->topology.target ? s->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
}

static dvStatus slices_start(dvObject *o)
{
  Slices *s = (Slices *)o;
  dvObject *state = dv_node_state_up(o->node), *topology = cells_of(o);
  if (!state || state->dof->coord != 3 || !topology || dv_topology_largest(dv_topology(topology)) < DV_TETRAHEDRON) {
    dv_warning(o, "put it beside a MechanicalObject and a topology with hexahedra or tetrahedra",
               "there are no cells to see through; nothing is drawn");
    return DV_OK;
  }
  s->width = width_of(dv_state(state));
  if (!(s->width > 0)) dv_warning(o, NULL, "the cells have no width along x; nothing is drawn");
  if (!(s->alpha >= 0 && s->alpha <= 1) || s->nbSlices < 1)
    dv_warning(o, NULL, "alpha %g and nbSlices %d: a part from 0 to 1 and a number from 1 up are wanted", s->alpha,
               s->nbSlices);
  return DV_OK;
}

static void slices_sketch(dvObject *o, dvSketch *out)
{
  Slices *s = (Slices *)o;
  if (!s->enable || !(s->width > 0) || !(s->alpha > 0) || s->nbSlices < 1) return;
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS,
                    .state = dv_node_state_up(o->node),
                    .topology = cells_of(o),
                    .radius = 1,
                    .attenuation = -log(1 - fmin(s->alpha, 0.999)) * s->nbSlices / s->width};
  dv_sketch_colour(out, s->color, true);
}

const dvClass dv_slices_class = {.struct_size = sizeof(dvClass),
                                 .name = "SlicedVolumetricModel",
                                 .help = "a volume of cells through which one sees a little",
                                 .module = "Sofa.GL.Component.Rendering3D",
                                 .size = sizeof(Slices),
                                 .blocks = {&dv_object_block, DV_BLOCK(slices_fields)},
                                 .ops = {[DV_ROLE_VISUAL] = &(const dvVisualOps){.sketch = slices_sketch}},
                                 .bwd_init = slices_start};
