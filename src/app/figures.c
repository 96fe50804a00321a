// The figures of a run: statistics, times of steps, and the trace of its timers. See dump.h.
#include "app/dump.h"

#include "base/file.h"
#include "scene/timer.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

void dv_text_add_json(dvText *out, const char *s)
{
  dv_text_add(out, "\"");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') dv_text_printf(out, "\\%c", *s);
    else if ((unsigned char)*s < 32) dv_text_printf(out, "\\u%04x", *s);
    else dv_text_add_n(out, s, 1);
  }
  dv_text_add(out, "\"");
}

double dv_peak_memory_mb(void)
{
  // the peak of this program alone: ru_maxrss starts from that of the process that launched it
  char *status = dv_file_read("/proc/self/status", NULL), *line = status ? strstr(status, "VmHWM:") : NULL;
  double kb = 0;
  const char *number = line ? line + strlen("VmHWM:") : "";
  bool known = dv_scan_real(&number, &kb);
  dv_free(status);
  if (known) return kb / 1024.0;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024.0;
}

static void add_timer(dvText *out, const dvTimers *t, int index, const char *prefix, long steps, bool *first)
{
  for (int i = index; i >= 0; i = t->list.data[i].next) {
    const dvTimer *timer = &t->list.data[i];
    if (timer->count == 0) continue;   // only before the steps that count
    char *name = dv_format("%s%s%s", prefix, *prefix ? "/" : "", timer->name);
    dv_text_printf(out, "%s\n  ", *first ? "" : ",");
    dv_text_add_json(out, name);
    dv_text_printf(out, ": %.6g", steps ? 1e3 * dv_timer_seconds(t, i) / (double)steps : 0.0);
    *first = false;
    add_timer(out, t, timer->first_child, name, steps, first);
    dv_free(name);
  }
}

// closes a file that may have failed to open; tells whether all was written
static dvStatus closed(FILE *file)
{
  if (!file) return DV_ERROR_INPUT;
  bool good = !ferror(file);
  return fclose(file) == 0 && good ? DV_OK : DV_ERROR_INPUT;
}

dvStatus dv_write_stats(const char *path, const dvFigures *f, const dvTimers *timers, long timed_steps)
{
  dvText text = {0};
  dv_text_add(&text, "{\"scene\":");
  dv_text_add_json(&text, f->scene);
  dv_text_printf(&text,
                 ",\"steps\":%ld,\"wall_s\":%.6g,\"ms_per_step\":%.6g,\"cpu_ms_per_step\":%.6g,\"init_s\":%.6g,"
                 "\"writing_s\":%.6g,\"threads\":%d,\"peak_rss_mb\":%.1f,\"timers\":{",
                 f->steps, f->wall, f->ms_per_step, f->cpu_ms_per_step, f->init, f->writing, f->threads,
                 dv_peak_memory_mb());
  bool first = true;
  if (timers->list.count) add_timer(&text, timers, 0, "", timed_steps, &first);
  dv_text_add(&text, "}}\n");
  FILE *file = dv_file_write(path, "wb");
  if (file) fwrite(text.text, 1, text.length, file);
  dv_text_free(&text);
  return closed(file);
}

dvStatus dv_write_step_times(const char *path, const double *seconds, size_t count)
{
  FILE *file = dv_file_write(path, "wb");
  for (size_t i = 0; file && i < count; i++) dv_print(file, "%.6g\n", 1e3 * seconds[i]);
  return closed(file);
}

dvStatus dv_write_trace(const char *path, const char *title, const dvTimers *timers)
{
  FILE *file = dv_file_write(path, "wb");
  if (!file) return DV_ERROR_INPUT;
  dvText name = {0};
  dv_text_add_json(&name, title);
  fprintf(file,
          "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":\"divan " DIVAN_VERSION
          "\",\"events_lost\":%zu},\"traceEvents\":[\n",
          timers->events_lost);
  fprintf(file, "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":%s}},\n", name.text);
  fprintf(file, "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"simulation\"}}");
  double start = timers->events.count ? timers->events.data[0].began : 0;
  for (size_t i = 0; i < timers->events.count; i++) start = dv_min(start, timers->events.data[i].began);
  for (size_t i = 0; i < timers->events.count; i++) {
    const dvTimerEvent *e = &timers->events.data[i];
    dv_text_clear(&name);
    dv_text_add_json(&name, timers->list.data[e->timer].name);
    dv_print(file, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":%s,\"ts\":%.3f,\"dur\":%.3f}", name.text,
             1e6 * (e->began - start), 1e6 * e->seconds);
  }
  fprintf(file, "\n]}\n");
  dv_text_free(&name);
  return closed(file);
}
