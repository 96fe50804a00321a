// The way of a needle through tissue. See needle.h.
//
// The path is a list of places of the material, at rest `spacing` apart. Behind the last one it goes on in the
// direction u (heading) and, cut by a bevel, towards b:   X(l) = X_n + l u + l^2 b/2 R,   u' = u + l b/R. The tip is
// held on it, l behind the last place. When l is more than one and a half spacings a place is added; one that the tip
// has passed backwards is taken out, so that places go in the order opposite to that in which they came.
#include "instrument/needle.h"

#include <math.h>

static dvVec3 x_of(dvPose p) { return dv_quat_rotate(p.turn, dv_vec3(1, 0, 0)); }

static void set_directions(dvHold *h, dvQuat turn)
{
  h->along = dv_quat_rotate(turn, dv_vec3(1, 0, 0));
  h->side = dv_quat_rotate(turn, dv_vec3(0, 1, 0));
  h->other = dv_quat_rotate(turn, dv_vec3(0, 0, 1));
}

// --- the list ---

static dvVec3 place(const dvNeedle *n, size_t i) { return dv_vec3_load(n->path.data + 3 * i); }

static void push(dvNeedle *n, dvVec3 at_rest, const dvSpot *spot, double s)
{
  size_t at = n->path.count;
  if (!dv_reals_resize(&n->path, at + 3)) return;
  dv_vec3_store(dv_reals_edit(&n->path) + at, at_rest);
  dv_push(&n->along, s);
  dv_push(&n->cells, spot->cell);
  dv_push(&n->holds, ((dvHold){.spot = *spot, .s = s}));
  dv_touch(&n->model.base, &n->path);
}

static void pop(dvNeedle *n)
{
  size_t count = dv_needle_places(n);
  // the path before it: its direction there
  if (count > 1) dv_vec3_store(n->heading, dv_vec3_normalise(dv_vec3_sub(place(n, count - 1), place(n, count - 2))));
  n->path.count -= 3;
  n->along.count--;
  n->cells.count--;
  n->holds.count--;
  n->exit = -1;
  dv_touch(&n->model.base, &n->path);
}

size_t dv_needle_look_up(dvNeedle *n)
{
  size_t kept = 0, count = dv_needle_places(n);
  n->holds.count = 0;
  for (size_t i = 0; i < count; i++) {
    dvSpot spot;
    dvVec3 at = place(n, i);
    if (!dv_tissue_locate(&n->body, at, n->cells.data[i], &spot)) continue;
    n->cells.data[kept] = spot.cell;
    dv_vec3_store(dv_reals_edit(&n->path) + 3 * kept, at);
    n->along.data[kept++] = n->along.data[i];
    dv_push(&n->holds, ((dvHold){.spot = spot, .s = n->along.data[i]}));
  }
  n->path.count = 3 * kept;
  n->along.count = n->cells.count = kept;
  return count - kept;
}

// --- the tip ---

// b: towards y of the tip's frame, at rest, across the heading
static dvVec3 bevel(const dvNeedle *n, const dvSpot *spot, const double *y, dvQuat turn)
{
  dvVec3 u = dv_vec3_load(n->heading),
         b = dv_tissue_pull_back(&n->body, spot, y, dv_quat_rotate(turn, dv_vec3(0, 1, 0)));
  return dv_vec3_normalise(dv_vec3_add_scaled(b, u, -dv_vec3_dot(b, u)));
}

static dvVec3 ahead_of(const dvNeedle *n, double l, dvVec3 b)
{
  dvVec3 at = dv_vec3_add_scaled(place(n, dv_needle_places(n) - 1), dv_vec3_load(n->heading), l);
  return n->bevelRadius > 0 ? dv_vec3_add_scaled(at, b, l * l / (2 * n->bevelRadius)) : at;
}

// places behind the last one, up to the tip; the length that is left
static double extend(dvNeedle *n, const double *y, double left, double tip, dvQuat turn)
{
  while (left > 1.5 * n->step) {
    const dvHold *last = &n->holds.data[n->holds.count - 1];
    dvSpot spot;
    dvVec3 b = bevel(n, &last->spot, y, turn), at = ahead_of(n, n->step, b);
    if (!dv_tissue_locate(&n->body, at, last->spot.cell, &spot)) break;
    left -= n->step;
    if (n->bevelRadius > 0)
      dv_vec3_store(n->heading,
                    dv_vec3_normalise(dv_vec3_add_scaled(dv_vec3_load(n->heading), b, n->step / n->bevelRadius)));
    push(n, at, &spot, tip - left);
  }
  return left;
}

static void place_tip(dvNeedle *n, const double *x, const double *y, double left)
{
  double s = dv_shaft_tip(&n->shaft);
  dvPose tip = dv_shaft_pose(&n->shaft, x, s);
  dvVec3 at = ahead_of(n, left, bevel(n, &n->holds.data[n->holds.count - 1].spot, y, tip.turn));
  dvSpot spot = {0};
  bool inside = !(n->exit >= 0 && left > n->exit) && dv_tissue_locate(&n->body, at, n->cell, &spot);
  if (!inside && n->exit < 0) {
    n->exit = left;
    if (!n->told_through) dv_note(&n->model.base, "the path of the needle leaves the tissue: its tip is free there");
    n->told_through = true;
  }
  if (inside) n->exit = -1, n->cell = spot.cell;
  n->phase = inside ? 2 : 3;
  n->tip = (dvHold){.spot = spot, .s = s, .reach = left};
  set_directions(&n->tip, tip.turn);
  n->tip.gap = dv_vec3_sub(tip.at, dv_spot_at(&spot, y));
}

// --- a step ---

// the feet of all places on the needle, and the length of shaft that each stands for
static void hold_shaft(dvNeedle *n, const double *x, const double *y, double left)
{
  size_t count = n->holds.count;
  double window = 4 * n->step;
  for (size_t i = 0; i < count; i++) {
    dvHold *h = &n->holds.data[i];
    dvVec3 at = dv_spot_at(&h->spot, y);
    h->s = n->along.data[i] =
        dv_shaft_nearest(&n->shaft, x, at, n->along.data[i] - window, n->along.data[i] + window, NULL);
    dvPose pose = dv_shaft_pose(&n->shaft, x, h->s);
    set_directions(h, pose.turn);
    h->gap = dv_vec3_sub(pose.at, at);
    double back = i ? dv_vec3_norm(dv_vec3_sub(place(n, i), place(n, i - 1))) : 0,
           front = i + 1 < count ? dv_vec3_norm(dv_vec3_sub(place(n, i + 1), place(n, i))) : 0;
    h->reach = 0.5 * (back + front) + (i + 1 == count ? fmax(0, n->exit >= 0 ? n->exit : left) : 0);
  }
  n->depth = fmax(0, left);
  for (size_t i = 1; i < count; i++) n->depth += dv_vec3_norm(dv_vec3_sub(place(n, i), place(n, i - 1)));
}

// how far the tip is behind the last place, along the needle
static double behind_last(const dvNeedle *n, const double *x, const double *y)
{
  const dvHold *last = &n->holds.data[n->holds.count - 1];
  double beyond, s = n->along.data[n->along.count - 1], window = 4 * n->step;
  s = dv_shaft_nearest(&n->shaft, x, dv_spot_at(&last->spot, y), s - window, s + window, &beyond);
  return dv_shaft_tip(&n->shaft) - s - fmax(0, beyond);
}

// drawn out backwards over its other end, as a thread is
static void leave_at_begin(dvNeedle *n, const double *x, const double *y)
{
  double beyond = 0;
  while (n->holds.count) {
    dv_shaft_nearest(&n->shaft, x, dv_spot_at(&n->holds.data[0].spot, y), 0, n->along.data[0] + 4 * n->step, &beyond);
    if (beyond >= 0) return;
    size_t count = dv_needle_places(n);
    for (size_t i = 0; i + 3 < n->path.count; i++) dv_reals_edit(&n->path)[i] = n->path.data[i + 3];
    for (size_t i = 0; i + 1 < count; i++) {
      n->along.data[i] = n->along.data[i + 1];
      n->cells.data[i] = n->cells.data[i + 1];
      n->holds.data[i] = n->holds.data[i + 1];
    }
    n->path.count -= 3;
    n->along.count--;
    n->cells.count--;
    n->holds.count--;
  }
}

static void touch_surface(dvNeedle *n, const double *x, const double *y, dvVec3 ahead)
{
  double s = dv_shaft_tip(&n->shaft);
  dvPose tip = dv_shaft_pose(&n->shaft, x, s);
  dvVec3 t = x_of(tip), normal;
  double reach = dv_vec3_norm(dv_vec3_sub(ahead, tip.at)) + n->step;
  n->tip = (dvHold){.s = s};
  n->phase = dv_tissue_enter(&n->body, y, dv_vec3_add_scaled(tip.at, t, -reach - n->step),
                             dv_vec3_add_scaled(tip.at, t, reach), &n->tip.spot, &normal);
  if (!n->phase) return;
  set_directions(&n->tip, tip.turn);
  n->tip.along = dv_vec3_scale(t, -1);
  n->tip.gap = dv_vec3_sub(tip.at, dv_spot_at(&n->tip.spot, y));
}

// the path begins where the tip is on the surface
static void puncture(dvNeedle *n, const double *x, const double *y)
{
  const double *rest = dv_state_read(n->body.state, DV_X_REST);
  dvSpot spot = n->tip.spot, inside;
  dvPose tip = dv_shaft_pose(&n->shaft, x, n->tip.s);
  dvVec3 at = dv_spot_at(&spot, rest),
         n_rest = dv_vec3_cross(dv_vec3_sub(dv_vec3_load(rest + 3 * (size_t)spot.point[1]),
                                            dv_vec3_load(rest + 3 * (size_t)spot.point[0])),
                                dv_vec3_sub(dv_vec3_load(rest + 3 * (size_t)spot.point[2]),
                                            dv_vec3_load(rest + 3 * (size_t)spot.point[0])));
  dvVec3 inner = dv_vec3_add_scaled(at, dv_vec3_normalise(n_rest), -1e-6 * n->body.size);
  if (!dv_tissue_locate(&n->body, inner, -1, &inside)) return;
  n->cell = inside.cell;
  n->exit = -1;
  dv_vec3_store(n->heading, dv_tissue_pull_back(&n->body, &inside, y, x_of(tip)));
  push(n, inner, &inside, n->tip.s);
}

void dv_needle_follow(dvNeedle *n, const double *x, const double *y, dvVec3 ahead)
{
  double left = 0;
  n->depth = 0;
  if (n->shaft.beams && dv_beams_count(n->shaft.beams) == 0) {
    n->phase = 0;
    n->path.count = n->along.count = n->cells.count = n->holds.count = 0;
    return;
  }
  if (n->shaft.beams) leave_at_begin(n, x, y);
  while (n->holds.count && (left = behind_last(n, x, y)) < 0) pop(n);
  if (n->holds.count == 0) {
    touch_surface(n, x, y, ahead);
    if (!n->pierced || !n->phase) return;
    puncture(n, x, y);
    if (n->holds.count == 0) return;
    left = fmax(0, behind_last(n, x, y));
  }
  n->pierced = false;
  left = extend(n, y, left, dv_shaft_tip(&n->shaft), dv_shaft_pose(&n->shaft, x, dv_shaft_tip(&n->shaft)).turn);
  place_tip(n, x, y, left);
  hold_shaft(n, x, y, left);
}

size_t dv_needle_start_inside(dvNeedle *n, const double *x)
{
  DV_ARRAY(dvVec3) found = {0};
  DV_ARRAY(dvSpot) spots = {0};
  double tip = dv_shaft_tip(&n->shaft), begin = dv_shaft_begin(&n->shaft);
  // the mesh is searched as it lies at rest: the needle must start in tissue that is at rest
  for (double s = tip - 0.5 * n->step; s >= begin; s -= n->step) {
    dvSpot spot;
    dvVec3 at = dv_shaft_pose(&n->shaft, x, s).at;
    if (!dv_tissue_locate(&n->body, at, -1, &spot)) break;
    dv_push(&found, at);
    dv_push(&spots, spot);
  }
  size_t count = found.count;
  for (size_t i = count; i-- > 0;) push(n, found.data[i], &spots.data[i], tip - (0.5 + (double)i) * n->step);
  if (count) {
    dv_vec3_store(n->heading, x_of(dv_shaft_pose(&n->shaft, x, tip)));
    n->cell = spots.data[0].cell;
    n->exit = -1;
  }
  dv_array_free(&found);
  dv_array_free(&spots);
  return count;
}
