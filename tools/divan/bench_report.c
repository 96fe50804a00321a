// The report of `divan bench`: one page that needs nothing else, with the results inside it (report.html).
#include "bench.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_page.h"

dvStatus bench_write_html(const char *path, const json_t *result)
{
  static const char mark[] = "/*RESULTS*/null";
  const char *place = strstr(report_page, mark);
  DV_REQUIRE(place);
  char *json = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(6));
  FILE *f = fopen(path, "w");
  if (f && json) {
    fwrite(report_page, 1, (size_t)(place - report_page), f);
    // "</script>" in a name must not end the script
    for (const char *c = json; *c; c++) fputs(*c == '<' ? "\\u003c" : (char[]){*c, 0}, f);
    fputs(place + strlen(mark), f);
  }
  bool good = json && f && !ferror(f);
  if (f && fclose(f) != 0) good = false;
  free(json);
  return good ? DV_OK : DV_ERROR_INPUT;
}

// One line an entry of a list: short, and a difference between two files can be read.
dvStatus bench_write_json(const char *path, const json_t *result)
{
  FILE *f = fopen(path, "w");
  if (!f) return DV_ERROR_INPUT;
  const char *key;
  json_t *value, *entry;
  size_t i, done = 0;
  fputs("{\n", f);
  json_object_foreach((json_t *)result, key, value)
  {
    fprintf(f, "%s\"%s\": ", done++ ? ",\n" : "", key);
    if (!json_is_array(value)) json_dumpf(value, f, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    else fputs("[", f);
    json_array_foreach(value, i, entry)
    {
      fputs(i ? ",\n " : "\n ", f);
      json_dumpf(entry, f, JSON_COMPACT | JSON_REAL_PRECISION(6));
    }
    if (json_is_array(value)) fputs("\n]", f);
  }
  fputs("\n}\n", f);
  bool good = !ferror(f);
  return fclose(f) == 0 && good ? DV_OK : DV_ERROR_INPUT;
}
