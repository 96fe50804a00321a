// Fluid2D, Fluid3D: a fluid on a grid (cells.h), with a surface, or smoke in a box that is full of air.
//
// Names and fields are SOFA's: cells with their walls, the surface at the start as a plane (`height` and `dir`, in
// cells from the first one), and a source of its own between tstart and tstop: a ball of an eighth of the box, a
// quarter along it and three quarters up, that grows in the first second and shrinks in the last, with 4 cells a second
// along x (in space also against z). The solver is another one (docs/fluids.md).
#include "fluid/cells/parts.h"
#include "fluid/iso.h"
#include "fluid/register.h"

#include "mechanics/component.h"
#include "scene/node.h"
#include "visual/register.h"
#include "visual/visual_model.h"

#include <math.h>

#define COMMON_FIELDS(X)                                                                                             \
  X(int, nx, "16", "", "cells along x, the walls among them", .least = "4")                                          \
  X(int, ny, "16", "", "cells along y, the walls among them", .least = "4")                                          \
  X(real, cellwidth, "1", "m", "width of a cell")                                                                    \
  X(real, height, "5", "cells",                                                                                      \
    "where the surface is at the start, along dir from the middle of the first cell; 0: "                            \
    "there is no fluid at the start")                                                                                \
  X(real, tstart, "0", "s", "time when the source opens")                                                            \
  X(real, tstop, "60", "s", "time when the source closes; not after tstart: there is none")                          \
  X(real, density, "1000", "kg/m3", "density of the fluid")                                                          \
  X(real, viscosity, "0", "Pa s", "viscosity of the fluid", .least = "0")                                            \
  X(real, surfaceTension, "0", "N/m", "tension of the surface: water 0.072", .least = "0")                           \
  X(bool, slip, "1", "", "the fluid slips along walls and bodies; else it sticks to them")                           \
  X(vec3s, wallVelocity, "", "m/s", "velocities of the walls at -x, +x, -y, +y, -z, +z, where fluid sticks to them") \
  X(bool, freeSurface, "1", "", "there is air above the fluid; else the box is full")                                \
  X(bool, separates, "1", "", "the fluid comes off walls and bodies rather than being held by suction")              \
  X(bool, keepVolume, "1", "", "move the surface so that no volume is lost")                                         \
  X(real, expansion, "0", "1/K", "how much lighter the fluid is for each degree")                                    \
  X(real, smokeWeight, "0", "", "how much heavier the fluid is where it is full of smoke, as a part of its density") \
  X(real, smokeShown, "0.1", "", "smoke at the surface that is drawn where the box is full", .flags = DV_LOOKS)      \
  X(real, cfl, "2", "cells", "how far the fluid goes in a part of a step at most")                                   \
  X(real, tolerance, "1e-5", "", "when the pressure is good enough, as a part of the divergence before it")          \
  X(int, maxIterations, "100", "", "iterations of the pressure at most", .least = "1")                               \
  X(bool, sampled, "0", "", "keep places, velocities and pressures of the cells in fields after each step")          \
  X(vec3s, cells, "", "m", "middles of the cells without walls, x fastest", .flags = DV_READ_ONLY | DV_HIDDEN)       \
  X(vec3s, velocities, "", "m/s", "velocities there", .flags = DV_READ_ONLY | DV_HIDDEN)                             \
  X(reals, pressures, "", "Pa", "pressures there", .flags = DV_READ_ONLY | DV_HIDDEN)                                \
  X(reals, smokes, "", "", "smoke there, 1 where the air is full of it", .flags = DV_READ_ONLY | DV_HIDDEN)          \
  X(real, volume, "0", "m3", "volume of the fluid; in the plane its area, m2", .flags = DV_READ_ONLY)                \
  X(int, parts, "0", "", "parts of the last step", .flags = DV_READ_ONLY)                                            \
  X(int, iterations, "0", "", "iterations of the last pressure", .flags = DV_READ_ONLY)                              \
  X(real, divergence, "0", "1/s", "largest divergence of a cell after the last step", .flags = DV_READ_ONLY)
#define SPACE_FIELDS(X)                                                     \
  X(int, nz, "16", "", "cells along z, the walls among them", .least = "4") \
  X(vec3, center, "0 0 0", "m", "middle of the box")                        \
  X(vec3, dir, "0 1 0", "", "normal of the surface at the start, outwards")
#define PLANE_FIELDS(X) X(vec2, plane_dir, "0 1", "", "normal of the surface at the start, outwards", .spelling = "dir")

typedef struct Fluid {
  dvOglModel ogl;
  COMMON_FIELDS(DV_MEMBER)
  SPACE_FIELDS(DV_MEMBER)
  PLANE_FIELDS(DV_MEMBER)
  dvCells grid;
  DV_ARRAY(double) smoke;
  DV_ARRAY(double) heat;
  DV_ARRAY(double) first;   // pressure of the first half of a step
  double wanted;            // volume, in cells
  DV_ARRAY(dvObject *) bodies;
  DV_ARRAY(dvObject *) inlets;
  size_t version;
  dvIso iso;
  dvCellsReport report;
  bool plane, sought, laid, told_fast, told_slow, told_picture;
} Fluid;

#define SELF Fluid
static const dvFieldDesc space_fields[] = {COMMON_FIELDS(DV_DESCRIBE) SPACE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc plane_fields[] = {COMMON_FIELDS(DV_DESCRIBE) PLANE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc fluid_memory[] = {
    DV_REMEMBER(list, grid.u) DV_REMEMBER(list, grid.phi) DV_REMEMBER(list, grid.press) DV_REMEMBER(list, grid.loose)
        DV_REMEMBER(numbers, grid.gaps) DV_REMEMBER(list, smoke) DV_REMEMBER(list, heat) DV_REMEMBER(numbers, wanted)};
#undef SELF
static const dvFieldBlock space_block = {space_fields, (int)DV_COUNT(space_fields)};
static const dvFieldBlock plane_block = {plane_fields, (int)DV_COUNT(plane_fields)};

dvCells *dv_fluid_grid(dvObject *o) { return &((Fluid *)o)->grid; }
void dv_fluid_grid_keep(dvObject *o) { ((Fluid *)o)->wanted = dv_cells_volume(&((Fluid *)o)->grid); }

enum { MOST_PARTS = 20, MOST_SIDE = 4096 };
// in SI units nothing is smaller or larger: squares and cubes of what is beyond are no longer numbers
#define LEAST_UNIT 1e-12
#define MOST_UNIT 1e12

static bool is_plane(const dvObject *o) { return o->cls->blocks[4] == &plane_block; }

static dvCellsPlace place_of(const Fluid *f)
{
  const int *n = f->grid.n;
  double h = f->cellwidth;
  const double none[3] = {0}, *c = f->plane ? none : f->center;
  return (dvCellsPlace){
      {c[0] - 0.5 * h * (n[0] - 1), c[1] - 0.5 * h * (n[1] - 1), c[2] - 0.5 * h * (n[2] - 1)}, h, f->plane};
}

static dvVec3 point_of(const dvCellsPlace *p, double i, double j, double k)
{
  return dv_vec3_add_scaled(p->origin, dv_vec3(i, j, k), p->h);
}

// --- what stands in it ----------------------------------------------------------------------------

typedef struct Seeker {
  dvVisitor visitor;
  Fluid *fluid;
} Seeker;

static dvWalk seek_parts(dvVisitor *v, dvNode *node)
{
  Fluid *f = ((Seeker *)v)->fluid;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (o->cls == &dv_grid_obstacle_class) dv_push(&f->bodies, o);
    if (o->cls == &dv_grid_source_class) dv_push(&f->inlets, o);
  }
  return DV_WALK_ON;
}

static void find_parts(Fluid *f)
{
  dvScene *scene = f->ogl.model.base.state.base.node->scene;
  if (f->sought && f->version == scene->version) return;
  f->bodies.count = f->inlets.count = 0;
  Seeker s = {.visitor = {.top_down = seek_parts}, .fluid = f};
  dv_visit(scene->root, &s.visitor);
  f->sought = true;
  f->version = scene->version;
}

typedef struct Bodies {
  Fluid *f;
  dvCellsPlace place;
} Bodies;

static const dvObject *nearest_body(const Fluid *f, dvVec3 p, double *distance)
{
  const dvObject *found = NULL;
  *distance = INFINITY;
  for (size_t b = 0; b < f->bodies.count; b++) {
    double d = f->bodies.data[b]->failed ? INFINITY : dv_obstacle_distance(f->bodies.data[b], p);
    if (d < *distance) *distance = d, found = f->bodies.data[b];
  }
  return found;
}

// distances at corners, velocities at faces
static void bodies_body(void *user, size_t begin, size_t end)
{
  const Bodies *w = user;
  dvCells *c = &w->f->grid;
  double flat = w->f->plane ? 0 : 0.5;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    const int cell[3] = {i, j, k};
    double distance;
    nearest_body(w->f, point_of(&w->place, i - 0.5, j - 0.5, k - flat), &distance);
    c->solid.data[at] = fmin(fmax(distance / c->h, -DV_CELLS_BAND), DV_CELLS_BAND);
    for (int d = 0; d < c->axes; d++) {
      double *push = &c->push.data[(size_t)d * c->count + at];
      *push = 0;
      // walls of the box stand still whatever is near
      if (!(distance < 3 * c->h) || cell[d] <= 1 || cell[d] >= c->n[d] - 1) continue;
      dvVec3 p = point_of(&w->place, i - (d == 0 ? 0.5 : 0), j - (d == 1 ? 0.5 : 0), k - (d == 2 ? 0.5 : 0));
      const dvObject *body = nearest_body(w->f, p, &distance);
      dvVec3 v = dv_obstacle_velocity(body, p);
      *push = d == 0 ? v.x : d == 1 ? v.y : v.z;
    }
  }
}

static void place_bodies(Fluid *f)
{
  dvCells *c = &f->grid;
  find_parts(f);
  bool had = c->solids;
  c->solids = false;
  for (size_t b = 0; b < f->bodies.count; b++) c->solids = dv_obstacle_look(f->bodies.data[b]) || c->solids;
  Bodies w = {f, place_of(f)};
  if (c->solids) dv_cells_rows(c, 200, bodies_body, &w);
  if (c->solids || had || !f->laid) dv_cells_open_faces(c);
  f->laid = true;
}

// --- what comes in --------------------------------------------------------------------------------

static void pour(Fluid *f, const dvCellsInlet *s, double dt)
{
  dvCells *c = &f->grid;
  dvCellsPlace place = place_of(f);
  dvVec3 to = dv_vec3_sub(s->centre, place.origin);
  double middle[3] = {to.x / c->h, to.y / c->h, f->plane ? 0 : to.z / c->h}, r = s->radius / c->h;
  const double v[3] = {s->velocity.x, s->velocity.y, s->velocity.z};
  int low[3], high[3];
  for (int d = 0; d < 3; d++) {
    low[d] = (int)fmax(dv_cells_first(c, d), fmin(floor(middle[d] - r - DV_CELLS_BAND), MOST_SIDE));
    high[d] = (int)fmin(dv_cells_last(c, d), fmax(ceil(middle[d] + r + DV_CELLS_BAND), -1));
  }
  if (f->plane) low[2] = high[2] = 0;
  for (int k = low[2]; k <= high[2]; k++)
    for (int j = low[1]; j <= high[1]; j++)
      for (int i = low[0]; i <= high[0]; i++) {
        size_t at = dv_cells_at(c, i, j, k);
        double x = i - middle[0], y = j - middle[1], z = k - middle[2], d = sqrt(x * x + y * y + z * z) - r;
        if (s->fills) c->phi.data[at] = fmin(c->phi.data[at], d);
        if (!(d < 0)) continue;
        f->smoke.data[at] = fmin(f->smoke.data[at] + s->smoke * dt, 1);
        f->heat.data[at] += s->temperature * dt;
        for (int a = 0; a < c->axes && s->fills; a++) {
          dv_cells_u(c, a)[at] = v[a];
          dv_cells_u(c, a)[at + c->stride[a]] = v[a];
        }
      }
}

static void pour_all(Fluid *f, double time, double dt)
{
  dvCells *c = &f->grid;
  double t = time - f->tstart, end = f->tstop - f->tstart, before = c->surface ? dv_cells_volume(c) : 0;
  dvCellsInlet s;
  bool any = false;
  if (t > 0 && t < end && f->freeSurface) {
    dvCellsPlace place = place_of(f);
    double side = f->plane ? c->n[1] : c->n[2], r = side / 8;
    if (t < 1) r *= t;
    else if (t > end - 1) r *= end - t;
    s = (dvCellsInlet){.centre =
                           point_of(&place, floor(side / 4), floor(0.75 * c->n[1]), f->plane ? 0 : floor(0.75 * side)),
                       .velocity = {4 * c->h, 0, f->plane ? 0 : -4 * c->h},
                       .radius = r * c->h,
                       .fills = true};
    pour(f, &s, dt);
    any = true;
  }
  for (size_t i = 0; i < f->inlets.count; i++) {
    if (!dv_inlet_at(f->inlets.data[i], time, &s)) continue;
    pour(f, &s, dt);
    any = true;
  }
  if (!any) return;
  dv_cells_wall(c, c->u.data);
  dv_cells_mirror_phi(c);
  if (c->surface) f->wanted += dv_cells_volume(c) - before;
}

// --- a step ---------------------------------------------------------------------------------------

static void carry(dvCells *c, double *q, double dt)
{
  dv_cells_advect(c, q, 3, dt, c->rhs.data, c->way.data);
  memcpy(q, c->rhs.data, c->count * sizeof *q);
  dv_cells_mirror(c, q, 3);
}

typedef struct Push {
  Fluid *f;
  double dt;
} Push;

static void force_body(void *user, size_t begin, size_t end)
{
  const Push *p = user;
  Fluid *f = p->f;
  dvCells *c = &f->grid;
  const double *g = f->ogl.model.base.state.base.node->gravity;
  bool light = f->expansion != 0 || f->smokeWeight != 0;
  DV_EACH_ROW(c, begin, end)
  {
    if (j == 0 || j == c->n[1] - 1 || (c->axes == 3 && (k == 0 || k == c->n[2] - 1))) continue;
    for (int i = 1; i < c->n[0] - 1; i++) {
      size_t at = dv_cells_at(c, i, j, k);
      for (int d = 0; d < c->axes; d++) {
        double a = 1;
        size_t low = at - c->stride[d];
        if (light)
          a += 0.5 * (f->smokeWeight * (f->smoke.data[at] + f->smoke.data[low]) -
                      f->expansion * (f->heat.data[at] + f->heat.data[low]));
        dv_cells_u(c, d)[at] += p->dt * a * g[d];
      }
    }
  }
}

// forces, viscosity and pressure, on velocities that have been carried along
static void push_and_press(Fluid *f, double dt, double *before)
{
  dvCells *c = &f->grid;
  Push p = {f, dt};
  dv_cells_rows(c, 5, force_body, &p);
  dv_cells_wall(c, c->u.data);
  dv_cells_classify(c);
  if (c->surface && c->tension > 0) dv_cells_bend(c);
  dv_cells_viscosity(c, dt);
  if (before) memcpy(before, c->u.data, (size_t)c->axes * c->count * sizeof *before);
  f->report = dv_cells_project(c, dt);
  dv_cells_extend(c, c->surface || c->solids ? DV_CELLS_BAND + 1 : 0);
  if (c->gaps) dv_cells_mirror_phi(c);
}

static void carry_velocities(dvCells *c, const double *q, double dt)
{
  for (int d = 0; d < c->axes; d++)
    dv_cells_advect(c, q + (size_t)d * c->count, d, dt, c->next.data + (size_t)d * c->count, c->rhs.data);
  memcpy(c->u.data, c->next.data, (size_t)c->axes * c->count * sizeof *c->u.data);
}

static void part_with_surface(Fluid *f, double time, double dt)
{
  dvCells *c = &f->grid;
  carry(c, c->phi.data, dt);
  dv_cells_redistance(c);
  if (f->inlets.count) carry(c, f->smoke.data, dt), carry(c, f->heat.data, dt);
  carry_velocities(c, c->u.data, dt);
  dv_cells_classify(c);
  if (f->keepVolume) dv_cells_shift(c, f->wanted);
  pour_all(f, time, dt);
  push_and_press(f, dt, NULL);
}

// In a full box what the pressure took off in the first half of a step is taken off twice, and the second half begins
// with that: of second order in time, where a projection behind each half loses energy (Zehnder et al. 2018).
static void part_of_full_box(Fluid *f, double time, double dt)
{
  dvCells *c = &f->grid;
  double half = 0.5 * dt;
  carry(c, f->smoke.data, half), carry(c, f->heat.data, half);
  carry_velocities(c, c->u.data, half);
  pour_all(f, time, half);
  push_and_press(f, half, c->spare.data);
  double *ahead = c->spare.data;
  for (size_t i = 0; i < (size_t)c->axes * c->count; i++)
    ahead[i] = c->known.data[i] == 1 ? 2 * c->u.data[i] - ahead[i] : c->u.data[i];
  dv_cells_wall(c, ahead);
  memcpy(f->first.data, c->press.data, c->count * sizeof(double));
  memset(c->press.data, 0, c->count * sizeof(double));
  carry(c, f->smoke.data, half), carry(c, f->heat.data, half);
  carry_velocities(c, ahead, half);
  pour_all(f, time, half);
  push_and_press(f, half, NULL);
  // what both have done to the velocities, over dt
  for (size_t i = 0; i < c->count; i++) c->press.data[i] = f->first.data[i] + 0.5 * c->press.data[i];
}

static void part_of_step(Fluid *f, double time, double dt)
{
  if (f->grid.surface) part_with_surface(f, time, dt);
  else part_of_full_box(f, time, dt);
}

// how many parts a step is cut into because of the shortest waves of the surface (Brackbill et al. 1992)
static double parts_by_tension(const Fluid *f, double dt)
{
  const dvCells *c = &f->grid;
  return c->surface ? ceil(dt * sqrt(4 * M_PI * c->tension / (c->density * c->h * c->h * c->h))) : 0;
}

static void tell(Fluid *f, double dt, double parts)
{
  dvObject *o = &f->ogl.model.base.state.base;
  double waves = parts_by_tension(f, dt);
  if (waves > MOST_PARTS && !f->told_fast)
    dv_warning(o, "make dt shorter, or the cells larger",
               "surface tension moves the shortest waves faster than a step of %g s in %d parts can follow: dt should "
               "be below %.3g s",
               dt, MOST_PARTS, dt * MOST_PARTS / waves);
  else if (parts > MOST_PARTS && !f->told_fast)
    dv_warning(o, "make dt shorter, or the cells larger",
               "the fluid goes %.3g cells in a step of %g s: it is done in %d parts, in which it goes more than cfl = "
               "%g cells; dt should be below %.3g s",
               parts * f->cfl, dt, MOST_PARTS, f->cfl, dt * MOST_PARTS / parts);
  if (!f->report.reached && !f->told_slow)
    dv_warning(o, "give it more maxIterations",
               "the pressure was not found in %d iterations: %.2g of the divergence "
               "is left",
               f->report.iterations, f->report.residual);
  f->told_fast = f->told_fast || parts > MOST_PARTS;
  f->told_slow = f->told_slow || !f->report.reached;
}

static void sample(Fluid *f)
{
  dvObject *o = &f->ogl.model.base.state.base;
  const dvCells *c = &f->grid;
  size_t n = (size_t)(c->n[0] - 2) * (size_t)(c->n[1] - 2) * (size_t)(dv_cells_last(c, 2) - dv_cells_first(c, 2) + 1);
  if (!f->sampled) return;
  if (!dv_reals_resize(&f->cells, 3 * n) || !dv_reals_resize(&f->velocities, 3 * n) ||
      !dv_reals_resize(&f->pressures, n) || !dv_reals_resize(&f->smokes, n)) {
    dv_error(o, "set sampled to 0", "out of memory for the samples of %zu cells", n);
    return;
  }
  double *x = dv_reals_edit(&f->cells), *v = dv_reals_edit(&f->velocities), *p = dv_reals_edit(&f->pressures),
         *s = dv_reals_edit(&f->smokes);
  dvCellsPlace place = place_of(f);
  for (int k = dv_cells_first(c, 2); k <= dv_cells_last(c, 2); k++)
    for (int j = 1; j < c->n[1] - 1; j++)
      for (int i = 1; i < c->n[0] - 1; i++, x += 3, v += 3) {
        size_t at = dv_cells_at(c, i, j, k);
        dv_vec3_store(x, point_of(&place, i, j, k));
        dv_cells_velocity(c, c->u.data, (const double[]){i, j, k}, v);
        *p++ = c->press.data[at] * c->density * c->h;
        *s++ = f->smoke.data[at];
      }
  dv_touch(o, &f->cells), dv_touch(o, &f->velocities), dv_touch(o, &f->pressures), dv_touch(o, &f->smokes);
}

// --- the picture ----------------------------------------------------------------------------------

static double shown_at(const void *user, const int32_t p[3])
{
  const Fluid *f = user;
  const dvCells *c = &f->grid;
  int at[3], walls = 0;
  for (int d = 0; d < 3; d++) {
    bool flat = d >= c->axes;
    int low = flat ? 0 : 1, high = flat ? 0 : c->n[d] - 2;
    at[d] = p[d] < low ? low : p[d] > high ? high : p[d];
    walls += at[d] != p[d];
  }
  size_t n = dv_cells_at(c, at[0], at[1], at[2]);
  double phi = c->surface ? c->phi.data[n] : f->smokeShown - f->smoke.data[n];
  return walls ? -fabs(phi) : -phi;   // the surface ends half way to the middle of a wall
}

static void draw(Fluid *f)
{
  dvVisualModel *model = &f->ogl.model;
  dvObject *o = &model->base.state.base;
  const dvCells *c = &f->grid;
  dvCellsPlace place = place_of(f);
  dvIsoLattice l = {.origin = {place.origin.x, place.origin.y, place.origin.z},
                    .step = c->h,
                    .value = 0,
                    .low = {0, 0, f->plane ? -1 : 0},
                    .high = {c->n[0] - 1, c->n[1] - 1, f->plane ? 1 : c->n[2] - 1},
                    .at = shown_at,
                    .user = f};
  bool good = dv_iso_lattice(&f->iso, o->context->pool, &l);
  if (!good && !f->told_picture)
    dv_warning(o, NULL, "the surface needs more than %d blocks of cells: it is not drawn", DV_ISO_MOST);
  f->told_picture = !good;
  size_t points = good ? f->iso.points.count / 3 : 0, corners = good ? f->iso.triangles.count : 0;
  model->triangles.width = 3;
  if (!dv_state_resize(&model->base.state, points) || !dv_ints_resize(&model->triangles, corners)) {
    dv_error(o, NULL, "out of memory for a surface of %zu points", points);
    return;
  }
  if (points) memcpy(dv_state_overwrite(&model->base.state, DV_X), f->iso.points.data, 3 * points * sizeof(double));
  if (corners) memcpy(dv_ints_edit(&model->triangles), f->iso.triangles.data, corners * sizeof(int32_t));
  dv_touch(o, &model->triangles), dv_touch(o, &model->base.position);
}

typedef struct Owner {
  const Fluid *f;
  const dvObject *body;
  dvCellsPlace place;
} Owner;

static bool owns(const void *user, const double x[3])
{
  const Owner *w = user;
  double distance;
  return w->f->bodies.count == 1 || nearest_body(w->f, point_of(&w->place, x[0], x[1], x[2]), &distance) == w->body;
}

static void tell_bodies(Fluid *f)
{
  const dvCells *c = &f->grid;
  for (size_t b = 0; b < f->bodies.count; b++) {
    dvObject *body = f->bodies.data[b];
    if (body->failed) continue;
    Owner w = {f, body, place_of(f)};
    dvVec3 at = dv_vec3_sub(dv_obstacle_centre(body), w.place.origin);
    dvCellsLoad load = {.about = {at.x / c->h, at.y / c->h, at.z / c->h}, .mine = owns, .user = &w};
    dv_cells_load(c, &load);
    dv_obstacle_tell(body, load.force, load.moment);
  }
}

static void fluid_event(dvObject *o, const dvEvent *event)
{
  Fluid *f = (Fluid *)o;
  dvCells *c = &f->grid;
  double dt = event->dt;
  if (event->kind != DV_EVENT_ANIMATE_END || o->failed || !(dt > 0) || !f->laid) return;
  place_bodies(f);
  const double *g = o->node->gravity;
  double fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * dt, fast = dv_cells_fastest(c) + fall;
  double parts = fmax(1, ceil(fast * dt / (c->h * f->cfl)));
  if (!isfinite(parts)) {
    dv_error(o, "make dt shorter", "the velocities of the fluid are no longer finite");
    return;
  }
  parts = fmax(parts, parts_by_tension(f, dt));
  int many = (int)fmin(parts, MOST_PARTS);
  for (int n = 0; n < many; n++) part_of_step(f, o->node->time - dt + (n + 1) * dt / many, dt / many);
  f->parts = many;
  tell(f, dt, parts);
  if (c->solids) tell_bodies(f);
  f->volume = dv_cells_volume(c) * c->h * c->h * (f->plane ? 1 : c->h);
  f->iterations = f->report.iterations, f->divergence = f->report.divergence;
  dv_touch(o, &f->volume), dv_touch(o, &f->iterations), dv_touch(o, &f->divergence), dv_touch(o, &f->parts);
  sample(f);
  draw(f);
}

// --- the component --------------------------------------------------------------------------------

static dvStatus fluid_check(Fluid *f)
{
  dvObject *o = &f->ogl.model.base.state.base;
  int n[3] = {f->nx, f->ny, f->plane ? 1 : f->nz};
  for (int d = 0; d < (f->plane ? 2 : 3); d++)
    if (n[d] < 4 || n[d] > MOST_SIDE)
      return dv_field_error(o,
                            d == 0   ? &f->nx
                            : d == 1 ? &f->ny
                                     : &f->nz,
                            "take 32", "%d cells along %c are not between 4 and %d", n[d], "xyz"[d], MOST_SIDE);
  if ((double)n[0] * n[1] * n[2] > DV_CELLS_MOST)
    return dv_field_error(o, &f->nx, "take fewer", "%g cells are more than %d", (double)n[0] * n[1] * n[2],
                          DV_CELLS_MOST);
  if (!(f->cellwidth > LEAST_UNIT) || !(f->cellwidth < MOST_UNIT))
    return dv_field_error(o, &f->cellwidth, "give the width of a cell", "a width of %g is none", f->cellwidth);
  if (!(f->density > LEAST_UNIT) || !(f->density < MOST_UNIT))
    return dv_field_error(o, &f->density, "give that of water, 1000", "a density of %g is none", f->density);
  if (!(f->viscosity >= 0) || !(f->viscosity < MOST_UNIT))
    return dv_field_error(o, &f->viscosity, NULL, "a viscosity of %g is none", f->viscosity);
  if (!(f->surfaceTension >= 0) || !(f->surfaceTension < MOST_UNIT))
    return dv_field_error(o, &f->surfaceTension, "water has 0.072", "a surface tension of %g is none",
                          f->surfaceTension);
  if (!(fabs(f->expansion) < MOST_UNIT) || !(fabs(f->smokeWeight) < MOST_UNIT) || !isfinite(f->height))
    return dv_field_error(o, &f->expansion, NULL, "an expansion of %g, a smokeWeight of %g or a height of %g is none",
                          f->expansion, f->smokeWeight, f->height);
  if (!(f->cfl > 0) || !(f->tolerance > 0) || !(f->tolerance < 1) || f->maxIterations < 1)
    return dv_field_error(o, &f->cfl, "leave them as they are",
                          "cfl %g, tolerance %g and maxIterations %d are not above 0", f->cfl, f->tolerance,
                          f->maxIterations);
  if (f->wallVelocity.count > 18)
    return dv_field_error(o, &f->wallVelocity, NULL, "there are six walls, not %zu", f->wallVelocity.count / 3);
  for (size_t i = 0; i < f->wallVelocity.count; i++)
    if (!(fabs(f->wallVelocity.data[i]) < MOST_UNIT))
      return dv_field_error(o, &f->wallVelocity, NULL, "a wall cannot move with %g m/s", f->wallVelocity.data[i]);
  const double *dir = f->plane ? f->plane_dir : f->dir;
  double length = 0;
  for (int d = 0; d < (f->plane ? 2 : 3); d++) {
    length = fmax(length, fabs(dir[d]));
    if (!f->plane && !(fabs(f->center[d]) < MOST_UNIT))
      return dv_field_error(o, &f->center, NULL, "%g m is no place", f->center[d]);
  }
  if (f->freeSurface && f->height != 0 && (!(length > LEAST_UNIT) || !(length < MOST_UNIT)))
    return dv_field_error(o, f->plane ? (void *)&f->plane_dir : (void *)&f->dir, "give a normal, such as 0 1",
                          "the surface has no direction at the start");
  if (f->wallVelocity.count && f->slip)
    dv_field_warning(o, &f->wallVelocity, "set slip to 0", "the fluid slips along walls: how these move has no effect");
  return DV_OK;
}

static void fluid_settings(Fluid *f)
{
  dvCells *c = &f->grid;
  c->pool = f->ogl.model.base.state.base.context->pool;
  c->h = f->cellwidth, c->density = f->density, c->viscosity = f->viscosity, c->tension = f->surfaceTension;
  c->slip = f->slip, c->surface = f->freeSurface, c->tolerance = f->tolerance, c->most = f->maxIterations;
  c->separates = f->separates;
  memset(c->wall, 0, sizeof c->wall);
  for (size_t i = 0; i + 2 < f->wallVelocity.count; i += 3)
    for (int d = 0; d < 3; d++) c->wall[i / 3][d] = f->wallVelocity.data[i + (size_t)d];
}

static void seed(Fluid *f)
{
  dvCells *c = &f->grid;
  double n[3] = {0, 0, 0}, length = 0;
  for (int d = 0; d < c->axes; d++) n[d] = f->plane ? f->plane_dir[d] : f->dir[d], length += n[d] * n[d];
  length = length > 0 ? sqrt(length) : 1;
  for (int k = 0; k < c->n[2]; k++)
    for (int j = 0; j < c->n[1]; j++)
      for (int i = 0; i < c->n[0]; i++) {
        double d = (n[0] * i + n[1] * j + n[2] * k) / length - f->height;
        if (f->height == 0) d = DV_CELLS_BAND;
        c->phi.data[dv_cells_at(c, i, j, k)] = fmin(fmax(d, -DV_CELLS_BAND), DV_CELLS_BAND);
      }
}

static dvStatus fluid_reinit(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  DV_TRY(fluid_check(f));
  if (f->laid) fluid_settings(f);
  return DV_OK;
}

static dvStatus fluid_init(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  f->plane = is_plane(o);
  f->ogl.model.filled = true;
  DV_TRY(dv_visual_classes[0].init(o));
  if (!dv_was_set(o, &f->ogl.model.color) && !dv_was_set(o, &f->ogl.model.material))
    DV_TRY(dv_object_set(o, "color", "0.2 0.6 0.9 1"));
  DV_TRY(fluid_check(f));
  f->cells.width = f->velocities.width = 3;
  if (!dv_cells_open(&f->grid, (const int[]){f->nx, f->ny, f->plane ? 1 : f->nz}) ||
      !dv_try_reserve(&f->smoke, f->grid.count) || !dv_try_reserve(&f->heat, f->grid.count) ||
      !dv_try_reserve(&f->first, f->grid.count))
    return dv_error(o, "take fewer cells", "out of memory for %g cells",
                    (double)f->nx * f->ny * (f->plane ? 1 : f->nz));
  f->smoke.count = f->heat.count = f->grid.count;
  memset(f->smoke.data, 0, f->grid.count * sizeof(double)), memset(f->heat.data, 0, f->grid.count * sizeof(double));
  fluid_settings(f);
  if (f->freeSurface) seed(f);
  dv_iso_init(&f->iso);
  return DV_OK;
}

static dvStatus fluid_bwd_init(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  place_bodies(f);
  dv_cells_wall(&f->grid, f->grid.u.data);
  dv_cells_classify(&f->grid);
  f->wanted = dv_cells_volume(&f->grid);
  f->volume = f->wanted * f->grid.h * f->grid.h * (f->plane ? 1 : f->grid.h);
  sample(f);
  draw(f);
  return DV_OK;
}

static bool fluid_restored(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  for (size_t i = 0; i < f->grid.phi.count; i++)
    if (!(fabs(f->grid.phi.data[i]) <= 1e6)) return false;
  place_bodies(f);
  dv_cells_classify(&f->grid);
  draw(f);
  return true;
}

static void fluid_destroy(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  dv_cells_free(&f->grid);
  dv_array_free(&f->smoke), dv_array_free(&f->heat), dv_array_free(&f->first), dv_array_free(&f->bodies),
      dv_array_free(&f->inlets);
  dv_iso_free(&f->iso);
  dv_visual_classes[0].destroy(o);
}

static void add_class(dvRegistry *r, const char *name, const char *help, const dvFieldBlock *block)
{
  dvClass *cls = dv_alloc(sizeof *cls);   // a visual model that makes its own surface
  *cls = dv_visual_classes[0];
  cls->name = name, cls->help = help;
  cls->module = "SofaEulerianFluid";
  cls->size = sizeof(Fluid);
  cls->blocks[4] = block;
  cls->init = fluid_init, cls->bwd_init = fluid_bwd_init, cls->reinit = fluid_reinit;
  cls->handle_event = fluid_event;
  cls->destroy = fluid_destroy;
  cls->memory = fluid_memory, cls->memory_count = (int)DV_COUNT(fluid_memory);
  cls->restored = fluid_restored;
  dv_push(&r->owned, cls);
  dv_registry_add(r, cls);
}

void dv_register_grid_fluids(dvRegistry *r)
{
  add_class(r, "Fluid2D", "a fluid on a grid in the plane, with its surface", &plane_block);
  add_class(r, "Fluid3D", "a fluid on a grid in space, with its surface; or smoke", &space_block);
  dv_registry_add(r, &dv_grid_obstacle_class);
  dv_registry_add(r, &dv_grid_source_class);
}
