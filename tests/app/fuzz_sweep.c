// A libFuzzer target: whatever the bytes, values and results of a sweep and its journal are read or refused, nothing
// leaks, and what was read is printed and read again as the same.
#include "app/sweep.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(bool condition)
{
  if (!condition) abort();
}

static void read_journal(const char *text)
{
  char *heading = dv_sweep_heading(7), *whole = dv_format("%s%s", heading, text);
  dvSweepRows rows = {0}, again = {0};
  size_t lost = 0, lost_again = 0;
  check(dv_sweep_read(whole, strlen(whole), 7, 2, &rows, &lost));
  dvText printed = {0};
  dv_text_add(&printed, heading);
  for (size_t i = 0; i < rows.count; i++) dv_sweep_row_print(&rows.data[i], &printed);
  check(dv_sweep_read(printed.text, printed.length, 7, 2, &again, &lost_again));
  check(lost_again == 0 && again.count == rows.count);
  for (size_t i = 0; i < rows.count; i++) {
    check(dv_sweep_find(&again, rows.data[i].key) != NULL);
    check(rows.data[i].results.count == 0 || rows.data[i].results.count == 2);
  }
  dv_sweep_rows_free(&rows), dv_sweep_rows_free(&again);
  dv_text_free(&printed);
  dv_free(heading), dv_free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  char *text = dv_strndup((const char *)bytes, length);
  dvText why = {0};
  dvSweepVariation v;
  dvSweepMeasure m;
  const bool lin = strstr(text, ":lin") || strstr(text, ":log");   // up to a million values: slow, not wrong
  if (!lin || length < 24) {
    bool good = dv_sweep_variation_parse(&v, text, &why);
    check(good ? v.values.count > 0 : why.length > 0);
    dv_sweep_variation_free(&v);
  }
  dv_text_clear(&why);
  bool good = dv_sweep_measure_parse(&m, text, &why);
  check(good ? m.path && m.field : why.length > 0);
  dv_sweep_measure_free(&m);
  read_journal(text);
  dv_text_free(&why);
  dv_free(text);
  return 0;
}
