// Positions, velocities and energies over time, for gnuplot and spreadsheets. See dump.h.
//
// The potential energy is that of the masses in gravity and of the forces that can tell it, as far as they stand in the
// node of the state.
#include "app/dump.h"

#include "base/file.h"
#include "mechanics/mechanics.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct Curve {
  dvState *state;
  FILE *files[3];   // positions, velocities, energies
} Curve;

typedef struct Range {
  size_t first, last;
} Range;

struct dvCurves {
  dvScene *scene;
  bool csv;
  DV_ARRAY(Curve) list;
  DV_ARRAY(Range) points;   // that are written; all when empty
  dvText row;
};

static const char *const suffixes[3] = {"x", "v", "Energy"};

// --- names ---------------------------------------------------------------------------------------

static bool is_unique(const dvPlan *plan, const dvObject *state)
{
  for (size_t i = 0; i < plan->states.count; i++)
    if (plan->states.data[i] != state && dv_same(plan->states.data[i]->name, state->name)) return false;
  return true;
}

// the name of a file without its ending; the caller frees it
static char *stem_of(const dvPlan *plan, const dvObject *state)
{
  char *stem = is_unique(plan, state) ? dv_strdup(state->name) : dv_object_path(state);
  char *at = *stem == '/' ? stem + 1 : stem;
  memmove(stem, at, strlen(at) + 1);
  for (char *c = stem; *c; c++)
    if (*c == '/' || *c == '\\') *c = '_';
  return stem;
}

// --- points --------------------------------------------------------------------------------------

// "0,5,10-20", also with spaces
static bool read_points(dvCurves *c, const char *text)
{
  while (*text) {
    long long first, last;
    while (*text == ',' || dv_is_space(*text)) text++;
    if (!*text) break;
    if (!dv_scan_int(&text, &first) || first < 0) return false;
    last = first;
    if (*text == '-' && (text++, !dv_scan_int(&text, &last))) return false;
    if (last < first || (*text && *text != ',' && !dv_is_space(*text))) return false;
    dv_push(&c->points, ((Range){(size_t)first, (size_t)last}));
  }
  return c->points.count > 0;
}

static bool has_points(const dvCurves *c, const dvState *s)
{
  bool any = c->points.count == 0;
  for (size_t i = 0; i < c->points.count; i++) any = any || c->points.data[i].first < s->count;
  return any;
}

// the i-th range of points that are written of a state; false behind the last
static bool range_of(const dvCurves *c, const dvState *s, size_t i, Range *out)
{
  if (c->points.count == 0) *out = (Range){0, s->count};
  else if (i < c->points.count)
    *out = (Range){dv_min_size(c->points.data[i].first, s->count), dv_min_size(c->points.data[i].last + 1, s->count)};
  return i < dv_max_size(c->points.count, 1);
}

// --- columns -------------------------------------------------------------------------------------

static void add_head(const dvCurves *c, const Curve *curve, int which, dvText *out)
{
  static const char *const parts[3][7] = {{"x", "y", "z", "qx", "qy", "qz", "qw"},
                                          {"vx", "vy", "vz", "wx", "wy", "wz"},
                                          {"kinetic", "potential", "mechanical"}};
  const char *separator = c->csv ? "," : " ";
  dv_text_add(out, c->csv ? "time" : "# time");
  int width = which == 2 ? 3 : dv_state_width(curve->state, which ? DV_V : DV_X);
  Range r = {0, 1};
  for (size_t n = 0; which == 2 ? n == 0 : range_of(c, curve->state, n, &r); n++)
    for (size_t i = r.first; i < r.last; i++)
      for (int k = 0; k < width; k++) {
        if (which == 2) dv_text_printf(out, "%s%s", separator, parts[2][k]);
        else if (width == 3 || (width > 5 && width < 8)) dv_text_printf(out, "%s%s%zu", separator, parts[which][k], i);
        else dv_text_printf(out, "%s%c%d_%zu", separator, which ? 'v' : 'x', k, i);
      }
  dv_text_add(out, "\n");
}

static void add_energies(const dvCurves *c, const Curve *curve, double out[3])
{
  dvNode *node = curve->state->base.node;
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = node->dt, .time = c->scene->root->time};
  memcpy(m.gravity, node->gravity, sizeof m.gravity);
  out[0] = out[1] = 0;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    const dvMassOps *mass = dv_ops(o, DV_ROLE_MASS);
    const dvForceOps *force = dv_ops(o, DV_ROLE_FORCE);
    if (o->failed) continue;
    if (mass && mass->kinetic) out[0] += mass->kinetic(o, DV_V);
    if (mass && mass->potential) out[1] += mass->potential(o, &m);
    if (force && force->energy) out[1] += force->energy(o, &m);
  }
  out[2] = out[0] + out[1];
}

static void add_row(const dvCurves *c, const Curve *curve, int which, dvText *out)
{
  const int id = which ? DV_V : DV_X;
  double energies[3];
  const double *values = energies;
  size_t width = 3;
  Range r = {0, 1};
  if (which == 2) add_energies(c, curve, energies);
  else values = dv_state_read(curve->state, id), width = (size_t)dv_state_width(curve->state, id);
  dv_text_add_real(out, c->scene->root->time);
  for (size_t n = 0; which == 2 ? n == 0 : range_of(c, curve->state, n, &r); n++)
    for (size_t i = r.first * width; i < r.last * width; i++) {
      dv_text_add(out, c->csv ? "," : " ");
      dv_text_add_real(out, values[i]);
    }
  dv_text_add(out, "\n");
}

// --- life ----------------------------------------------------------------------------------------

static dvStatus put(FILE *f, const dvText *text)
{
  return fwrite(text->text, 1, text->length, f) == text->length ? DV_OK : DV_ERROR_INPUT;
}

static bool open_curve(dvCurves *c, dvObject *state, const char *directory)
{
  dv_push(&c->list, ((Curve){.state = dv_state(state)}));
  Curve *curve = &c->list.data[c->list.count - 1];
  char *stem = stem_of(c->scene->plan, state);
  bool good = true;
  for (int i = 0; i < 3 && good; i++) {
    char *name = dv_format("%s_%s.%s", stem, suffixes[i], c->csv ? "csv" : "txt"),
         *path = dv_path_join(directory, name);
    curve->files[i] = dv_file_write(path, "wb");
    dvText head = {0};
    add_head(c, curve, i, &head);
    good = curve->files[i] && put(curve->files[i], &head) == DV_OK;
    dv_text_free(&head);
    dv_free(name);
    dv_free(path);
  }
  dv_free(stem);
  return good;
}

static void tell(const dvScene *scene, const char *where, const char *text)
{
  dv_log_send(&scene->context->log,
              &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .place = {where, 0}, .text = text});
}

// the points that were asked for, and a state that has some of them
static bool choose_points(dvCurves *c, const char *points)
{
  bool any = false;
  if (!points) return true;
  if (!read_points(c, points)) {
    tell(c->scene, "--csv-points", "not a list of points, such as 272 or 0,5,10-20");
    return false;
  }
  for (size_t i = 0; i < c->scene->plan->states.count; i++)
    any = any || has_points(c, dv_state(c->scene->plan->states.data[i]));
  if (!any) tell(c->scene, "--csv-points", "no state of the scene has one of these points; they count from 0");
  return any;
}

dvCurves *dv_curves_create(dvScene *scene, const char *directory, bool csv, const char *points)
{
  dvCurves *c = dv_alloc(sizeof *c);
  c->scene = scene;
  c->csv = csv;
  if (!choose_points(c, points)) {
    dv_curves_close(&c);
    return NULL;
  }
  bool good = dv_make_directories(directory);
  for (size_t i = 0; i < scene->plan->states.count && good; i++)
    if (has_points(c, dv_state(scene->plan->states.data[i])))
      good = open_curve(c, scene->plan->states.data[i], directory);
  if (good) return c;
  char *text = dv_format("cannot be written: %s", strerror(errno));
  tell(scene, directory, text);
  dv_free(text);
  dv_curves_close(&c);
  return NULL;
}

dvStatus dv_curves_add(dvCurves *c)
{
  for (size_t i = 0; i < c->list.count; i++)
    for (int k = 0; k < 3; k++) {
      dv_text_clear(&c->row);
      add_row(c, &c->list.data[i], k, &c->row);
      DV_TRY(put(c->list.data[i].files[k], &c->row));
    }
  return DV_OK;
}

dvStatus dv_curves_close(dvCurves **curves)
{
  dvCurves *c = *curves;
  dvStatus status = DV_OK;
  for (size_t i = 0; c && i < c->list.count; i++)
    for (int k = 0; k < 3; k++) {
      FILE *f = c->list.data[i].files[k];
      bool whole = f && !ferror(f);
      if (f && (fclose(f) != 0 || !whole)) status = DV_ERROR_INPUT;
    }
  if (c) {
    dv_array_free(&c->list);
    dv_array_free(&c->points);
    dv_text_free(&c->row);
  }
  dv_free(c);
  *curves = NULL;
  return status;
}
