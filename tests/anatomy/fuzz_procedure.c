// A libFuzzer target: whatever the bytes, the reader of procedures returns, leaks nothing, and hands out only steps and
// warnings that can be evaluated.
#include "anatomy/procedure_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check(bool condition)
{
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  dvProcedure p;
  dvText why = {0};
  int line = -1;
  char *text = dv_strndup((const char *)bytes, length);
  dvStatus status = dv_procedure_read(&p, text, &line, &why);
  check(status == DV_OK ? p.steps.count > 0 : why.text && why.text[0] && line >= 0);
  if (status == DV_OK) {
    double values[DV_PROCEDURE_MOST + DV_PROCEDURE_OWN] = {0};
    check(p.measures.count <= DV_PROCEDURE_MOST && p.steps.count <= DV_PROCEDURE_MOST);
    for (size_t i = 0; i < p.steps.count; i++) dv_expression_value(&p.steps.data[i].expression, values);
    for (size_t i = 0; i < p.warnings.count; i++) dv_expression_value(&p.warnings.data[i].expression, values);
    for (size_t i = 0; i < p.advice.count; i++) dv_expression_value(&p.advice.data[i].expression, values);
    for (size_t i = 0; i < p.keys.count; i++) {
      check(!p.keys.data[i].other == !p.keys.data[i].when);
      if (p.keys.data[i].when) dv_expression_value(&p.keys.data[i].condition, values);
    }
    if (p.score_text) dv_expression_value(&p.score, values);
  }
  dv_procedure_free(&p);
  dv_text_free(&why);
  dv_free(text);
  return 0;
}
