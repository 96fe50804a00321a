// See recorded.h.
#include "recorded.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dvStatus complain(const char *file, const char *text)
{
  fprintf(stderr, "%s: error: %s\n", file, text ? text : "no reason given");
  return DV_ERROR_INPUT;
}

dvStatus record_begin(const Options *r, dvScene *scene, dvRecorder **recorder)
{
  if (!r->record && !r->export_to) return DV_OK;
  dvText why = {0};
  dvRecorderOptions o = {.path = r->record,
                         .scene = r->scene,
                         .dt = r->dt,
                         .fields = r->record_fields.data,
                         .field_count = r->record_fields.count,
                         .plain = !r->record};
  *recorder = dv_recorder_create(scene, &o, &why);
  if (!*recorder) complain(r->record ? r->record : r->export_to, why.text);
  dv_text_free(&why);
  return *recorder ? DV_OK : DV_ERROR_INPUT;
}

static dvStatus export_to(dvRecording *recording, const char *path, bool quiet)
{
  dvText why = {0};
  dvExportReport report;
  bool good = dv_recording_export(recording, path, &report, &why);
  if (!good) complain(path, why.text);
  dv_text_free(&why);
  if (!good) return DV_ERROR_INPUT;
  if (!quiet)
    printf("%s: %zu frame%s, %zu object%s that deform, %zu that move as a whole, %zu that stand still\n", path,
           report.frames, report.frames == 1 ? "" : "s", report.moving, report.moving == 1 ? "" : "s", report.rigid,
           report.still);
  if (report.every > 1)
    fprintf(stderr, "%s: note: one frame in %zu was taken; between them the points move along lines\n", path,
            report.every);
  if (report.left_out)
    fprintf(stderr, "%s: note: %zu drawing%s (arrows, axes) left out: the format has no place for them\n", path,
            report.left_out, report.left_out == 1 ? " was" : "s were");
  return DV_OK;
}

dvStatus record_end(const Options *r, dvRecorder **recorder)
{
  if (!*recorder) return DV_OK;
  dvText why = {0};
  size_t frames = dv_recorder_frames(*recorder);
  double megabytes = (double)dv_recorder_bytes(*recorder) / 1e6;
  dvRecording *recording = dv_recorder_turn(recorder, &why);
  dvStatus status = recording || frames == 0 ? DV_OK : complain(r->record ? r->record : r->export_to, why.text);
  dv_text_free(&why);
  if (recording && r->record && !r->quiet)
    printf("%zu frames (%.1f MB) in %s: divan view %s\n", frames, megabytes, r->record, r->record);
  if (recording && r->export_to) status = export_to(recording, r->export_to, r->quiet);
  dv_recording_free(&recording);
  return status;
}

// --- tracks as columns ---------------------------------------------------------------------------

static size_t track_count(const dvRecording *r)
{
  return json_array_size(json_object_get(dv_recording_layout(r), "tracks"));
}

static void print_head(dvRecording *r, FILE *f, const dvText *widths)
{
  const uint32_t *width = (const uint32_t *)widths->text;
  fprintf(f, "time,step");
  for (size_t t = 0; t < track_count(r); t++) {
    json_t *row = json_array_get(json_object_get(dv_recording_layout(r), "tracks"), t);
    const char *path = json_string_value(json_object_get(row, "path")),
               *field = json_string_value(json_object_get(row, "field"));
    for (uint32_t k = 0; k < width[t]; k++) {
      fprintf(f, ",\"%s.%s", path ? path : "", field ? field : "");
      if (width[t] > 1) fprintf(f, "[%u]", k);
      fprintf(f, "\"");
    }
  }
  fprintf(f, "\n");
}

// all tracks as the first frame has them, a row for each frame; a number that a later frame has not is left empty
static bool print_frames(dvRecording *r, FILE *f, dvText *why)
{
  dvText widths = {0};
  if (!dv_recording_go(r, 0, why)) return false;
  size_t tracks = track_count(r);
  for (size_t t = 0; t < tracks; t++) {
    const dvRecordedArray *a = dv_recording_array(r, (uint32_t)t, true);
    dv_text_add_n(&widths, (const char *)&(uint32_t){a ? a->count : 0}, 4);
  }
  print_head(r, f, &widths);
  bool good = true;
  for (size_t i = 0; i < dv_recording_frames(r) && good; i++) {
    good = dv_recording_go(r, i, why);
    dvText line = {0};
    dv_text_add_real(&line, dv_recording_time(r, i));
    dv_text_printf(&line, ",%lld", (long long)dv_recording_step(r, i));
    for (size_t t = 0; t < tracks && good; t++) {
      const dvRecordedArray *a = dv_recording_array(r, (uint32_t)t, true);
      for (uint32_t k = 0; k < ((const uint32_t *)widths.text)[t]; k++) {
        dv_text_add(&line, ",");
        double value = a && k < a->count ? ((const double *)a->data)[k] : NAN;
        if (isfinite(value)) dv_text_add_real(&line, value);
      }
    }
    dv_text_add(&line, "\n");
    if (good && fputs(line.text, f) < 0) good = false, dv_text_add(why, strerror(errno));
    dv_text_free(&line);
  }
  dv_text_free(&widths);
  return good;
}

static dvStatus export_csv(dvRecording *r, const char *path)
{
  dvText why = {0};
  FILE *f = dv_file_write(path, "wb");
  bool good = f && print_frames(r, f, &why);
  if (f) good = fclose(f) == 0 && good;
  if (!good) complain(path, why.text ? why.text : strerror(errno));
  dv_text_free(&why);
  return good ? DV_OK : DV_ERROR_INPUT;
}

int convert_recording(const Options *o)
{
  bool csv = dv_ends_with_nocase(o->second, ".csv");
  if (!csv && !dv_recording_can_export(o->second))
    return usage_error(&command_convert, "a recording is written as .glb, .usda or .csv, not '.%s'",
                       dv_path_extension(o->second));
  if (!output_file(o->second)) return DV_ERROR_INPUT;
  dvText why = {0};
  dvRecording *r = dv_recording_open(o->scene, &why);
  if (r && why.length) fprintf(stderr, "%s: warning: %s\n", o->scene, why.text);
  dvStatus status = !r ? complain(o->scene, why.text) : csv ? export_csv(r, o->second) : export_to(r, o->second, false);
  dv_text_free(&why);
  dv_recording_free(&r);
  return (int)status;
}
